//! Names of files that programs take for options or commands: `tar cf a.tar *` is given whatever the directory has. Owns which programs that matters for.

use crate::{
    bound::Bounded,
    effect::Argument,
    programs::{escapes, found::Found, host::Host, invocation::Invocation},
    text::{Piece, Text},
};

/// Programs that an option makes run something or write elsewhere, and that have no rows in the table of those options. Sorted.
const OBEY: &[&str] =
    &["7z", "chmod", "chown", "curl", "ex", "perl", "rm", "scp", "sed", "sort", "wget", "zip"];

/// How many names of one directory are handed on.
const NAMES: usize = 64;

/// The program as the shell starts it, where a pattern that begins a word matches names that begin with a dash (for editors, a plus) or, for perl,
/// end in a pipe.
pub(super) fn follow(walk: &mut dyn Host, invocation: &Invocation) {
    let program = invocation.program.as_str();
    if OBEY.binary_search(&program).is_err() && !escapes::has_rows(program) {
        return;
    }
    let is_open = |word: &Argument| matches!(word.text.pieces.first(), Some(Piece::Glob(_)));
    let Some(at) = invocation.arguments.iter().position(is_open) else { return };
    let before = invocation.arguments.get(..at).unwrap_or_default();
    if before.iter().any(|word| word.text.as_known() == Some("--")) {
        return;
    }
    let Some(pattern) = invocation.arguments.get(at) else { return };
    // Only the names of this very directory can begin with a dash.
    if pattern.text.display().contains('/') {
        return;
    }
    let Some(directory) = walk.directory().map(str::to_owned) else { return };
    let Found::Directory(names) = walk.look(&directory) else { return };
    let shown = pattern.text.display();
    let is_taken = |name: &&String| {
        let is_meant = match invocation.program.as_str() {
            "perl" => name.ends_with('|') || name.starts_with('|'),
            "ex" | "gvim" | "less" | "nvim" | "vi" | "vim" => name.starts_with(['-', '+']),
            _ => name.starts_with('-'),
        };
        is_meant && crate::pattern::matches(&shown, name)
    };
    let taken: Vec<Argument> = names
        .iter()
        .filter(is_taken)
        .leading(NAMES)
        .map(|name| Argument { text: Text::known(name.as_str()), span: pattern.span })
        .collect();
    if taken.is_empty() {
        return;
    }
    let mut words = vec![invocation.name.clone()];
    words.extend_from_slice(before);
    words.extend(taken);
    walk.run(&words, invocation.input.clone());
}

#[cfg(test)]
mod tests {
    use super::OBEY;

    #[test]
    fn programs_are_sorted() {
        assert!(OBEY.is_sorted());
    }
}

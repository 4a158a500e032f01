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
    // A pattern that begins a word, or an option that goes on as one.
    let is_open = |word: &Argument| match word.text.pieces.as_slice() {
        [Piece::Glob(_), ..] => true,
        [Piece::Known(known), Piece::Glob(_), ..] => known.starts_with(['-', '+']),
        _ => false,
    };
    let arguments = invocation.arguments.as_slice();
    if !arguments.iter().any(is_open) {
        return;
    }
    let program = invocation.program.as_str();
    if OBEY.binary_search(&program).is_err() && !escapes::has_rows(program) {
        return;
    }
    let end = arguments.iter().position(|word| word.text.as_known() == Some("--"));
    let (front, _) =
        arguments.split_at_checked(end.unwrap_or(arguments.len())).unwrap_or((arguments, &[]));
    // Only the names of this very directory can begin with a dash.
    let is_near = |word: &&Argument| is_open(word) && !word.text.display().contains('/');
    if !front.iter().any(|word| is_near(&word)) {
        return;
    }
    let Some(directory) = walk.directory().map(str::to_owned) else { return };
    let Found::Directory(names) = walk.look(&directory) else { return };
    let is_meant = |name: &str| match program {
        "perl" => name.ends_with('|') || name.starts_with('|'),
        "ex" | "gvim" | "less" | "nvim" | "vi" | "vim" => name.starts_with(['-', '+']),
        _ => name.starts_with('-'),
    };
    let mut words = vec![invocation.name.clone()];
    let mut taken = 0;
    for word in front {
        if !is_open(word) {
            words.push(word.clone());
        }
        if !is_near(&word) {
            continue;
        }
        let shown = word.text.display();
        let matching =
            names.iter().filter(|name| is_meant(name) && crate::pattern::matches(&shown, name));
        let named = matching
            .at_most(NAMES, walk, word.span)
            .map(|name| Argument { text: Text::known(name.as_str()), span: word.span });
        let before = words.len();
        words.extend(named);
        taken += words.len() - before;
    }
    if taken > 0 {
        walk.run(&words, invocation.input.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::OBEY;

    #[test]
    fn programs_are_sorted() {
        assert!(OBEY.is_sorted());
    }
}

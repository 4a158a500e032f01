//! `find` and `fd`: what they delete, write and run, and which names they give.

use super::super::{Options, wrappers};
use crate::{
    bound::Bounded,
    effect::Argument,
    programs::{host::Host, invocation::Invocation},
    text::{Piece, Text},
};

mod selection;

use selection::{Branch, Found, Selection, Tests, end_of_command};

/// `find PATH… EXPRESSION`: what it deletes, writes and runs, and which names it gives.
pub(super) fn find(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let arguments = invocation.arguments.as_slice();
    let begins = |argument: &&Argument| {
        let prefix = argument.text.known_prefix();
        !(prefix.starts_with('-') && prefix.len() > 1
            || prefix == "("
            || prefix == "!"
            || prefix == ")")
    };
    // find(1), "OPTIONS": `-D` takes what is to be told as a word of its own.
    let mut leading = 0;
    while let Some(argument) = arguments.get(leading) {
        leading += match argument.text.as_known() {
            Some("-D") => 2,
            Some("-H" | "-L" | "-P") => 1,
            _ if argument.text.known_prefix().starts_with("-O") => 1,
            _ => break,
        };
    }
    let rest = arguments.get(leading..).unwrap_or(&[]);
    let count = rest.iter().take_while(begins).count();
    let mut roots: Vec<Argument> = rest.get(..count).unwrap_or(&[]).to_vec();
    if roots.is_empty() {
        roots.push(Argument { text: Text::known("."), span: invocation.name.span });
    }
    let expression = rest.get(count..).unwrap_or(&[]);
    let all = Selection::of_all(walk, expression);
    let mut printed = Text::default();
    for (at, found) in all.everything(walk, &roots).iter().enumerate() {
        if at > 0 {
            printed.push_known("\n");
        }
        printed.append(&found.name.text);
    }
    let mut tests = Tests::new(expression);
    let mut formatted: Option<Text> = None;
    let mut ran: Option<Text> = None;
    let mut index = 0;
    while let Some(argument) = expression.get(index) {
        // What is done is done to what reaches it.
        match argument.text.as_known() {
            Some("-delete") => {
                for found in tests.selection().lost(walk, &roots) {
                    let name = found.name;
                    walk.delete(
                        &Argument { text: name.text, span: name.span.to(argument.span) },
                        !found.filtered,
                    );
                }
            }
            Some("-exec" | "-execdir" | "-ok" | "-okdir") => {
                let end = end_of_command(expression, index);
                let command = expression.get(index + 1..end).unwrap_or(&[]);
                let selection = tests.selection();
                let chosen = match command.first().is_some_and(loses) {
                    true => selection.lost(walk, &roots),
                    false => selection.everything(walk, &roots),
                };
                for found in &chosen {
                    let words: Vec<Argument> = command
                        .iter()
                        .map(|word| Argument {
                            text: wrappers::replaced(&word.text, "{}", &found.name.text),
                            span: word.span,
                        })
                        .collect();
                    let output = walk.run(&words, Some(Text::default()));
                    ran.get_or_insert_default().append(&output);
                }
            }
            Some("-printf") => {
                if let Some(format) = expression.get(index + 1) {
                    for found in tests.selection().found(&roots) {
                        formatted
                            .get_or_insert_default()
                            .append(&line_of(&format.text, &found.name.text));
                    }
                }
            }
            Some("-fprint" | "-fprint0" | "-fls" | "-fprintf") => {
                if let Some(file) = expression.get(index + 1) {
                    walk.write(file, crate::effect::WriteMode::Replace, Text::unknown("find"));
                }
            }
            Some("-files0-from") => {
                if let Some(file) = expression.get(index + 1) {
                    walk.read(file);
                }
            }
            _ => {}
        }
        index = tests.step(walk, index);
    }
    formatted.or(ran).unwrap_or(printed)
}

/// Whether a command loses what it is given.
fn loses(program: &Argument) -> bool {
    matches!(program.text.as_known(), Some("rm" | "shred" | "srm" | "unlink" | "truncate"))
}

/// What `-printf` makes of one name.
fn line_of(format: &Text, name: &Text) -> Text {
    let mut line = name.derive([]);
    line.inherit(format);
    for piece in &format.pieces {
        let Piece::Known(known) = piece else {
            line.push(piece.clone());
            continue;
        };
        let mut letters = known.chars();
        while let Some(letter) = letters.next() {
            match (letter, letters.as_str().chars().next()) {
                ('\\' | '%', Some(next)) => {
                    letters.next();
                    match (letter, next) {
                        ('\\', 'n') => line.push_known("\n"),
                        ('\\', 't') => line.push_known("\t"),
                        ('\\', '0') => line.push_known("\0"),
                        ('\\', '\\') | ('%', '%') => line.push_known(&next.to_string()),
                        ('%', 'f' | 'h' | 'p' | 'P') => line.append(name),
                        _ => line.push(Piece::Unknown("find".into())),
                    }
                }
                _ => line.push_known(letter.encode_utf8(&mut [0; 4])),
            }
        }
    }
    line
}

/// The options of `fd` that take the next argument.
pub(super) const FD: &[&str] = &[
    "-c",
    "-C",
    "-d",
    "-e",
    "-E",
    "-j",
    "-o",
    "-S",
    "-t",
    "--and",
    "--base-directory",
    "--batch-size",
    "--change-newer-than",
    "--change-older-than",
    "--changed-before",
    "--changed-within",
    "--color",
    "--exact-depth",
    "--exclude",
    "--extension",
    "--format",
    "--ignore-file",
    "--max-depth",
    "--max-results",
    "--min-depth",
    "--newer",
    "--older",
    "--owner",
    "--path-separator",
    "--search-path",
    "--size",
    "--threads",
    "--type",
];

/// `fd PATTERN PATH… -x command`: what it runs with the names that it finds, and which names it gives.
pub(super) fn fd(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let runs = |argument: &&Argument| {
        matches!(argument.text.as_known(), Some("-x" | "--exec" | "-X" | "--exec-batch"))
    };
    let own: Vec<Argument> =
        invocation.arguments.iter().take_while(|argument| !runs(argument)).cloned().collect();
    let behind = invocation.arguments.get(own.len() + 1..).unwrap_or(&[]);
    let is_end = |word: &Argument| word.text.as_known() == Some(";");
    let mut commands: Vec<Vec<Argument>> = Vec::new();
    let (command, mut rest) = match behind.iter().position(is_end) {
        Some(at) => (behind.get(..at).unwrap_or(&[]), behind.get(at + 1..).unwrap_or(&[])),
        None => (behind, [].as_slice()),
    };
    commands.push(command.to_vec());
    let mut own = own;
    // What stands behind the end of a command is `fd`'s own again.
    while let Some((first, more)) = rest.split_first() {
        rest = more;
        if runs(&first) {
            let end = more.iter().position(is_end).unwrap_or(more.len());
            commands.push(more.get(..end).unwrap_or(&[]).to_vec());
            rest = more.get(end + 1..).unwrap_or(&[]);
        } else {
            own.push(first.clone());
        }
    }
    let options = Options::new(&own, FD);
    let mut operands = options.operands();
    let pattern = operands.next().map(|pattern| pattern.text.clone());
    let mut roots: Vec<Argument> =
        operands.cloned().chain(options.values_of(&["--search-path"])).collect();
    if roots.is_empty() {
        roots.push(Argument { text: Text::known("."), span: invocation.name.span });
    }
    if let Some(base) = options.value(&["--base-directory", "-C"]) {
        for root in &mut roots {
            if !root.text.known_prefix().starts_with(['/', '~']) {
                let mut below = base.text.clone();
                below.push_known("/");
                below.append(&root.text);
                *root = Argument { text: below, span: base.span };
            }
        }
    }
    let selection = selected(&options, pattern);
    let found = selection.names(&roots);
    let mut printed = Text::default();
    if commands.iter().all(Vec::is_empty) {
        for found in &found {
            printed.append(&found.name.text);
        }
        return printed;
    }
    for command in commands.iter().at_most(RUNS, walk, invocation.span) {
        let chosen = match command.first().is_some_and(loses) {
            true => selection.lost(walk, &roots),
            false => found.clone(),
        };
        for Found { name, .. } in &chosen {
            const MARKS: [&str; 5] = ["{}", "{/}", "{//}", "{.}", "{/.}"];
            let named =
                |word: &Argument| MARKS.iter().any(|mark| word.text.display().contains(mark));
            let mut words: Vec<Argument> = command
                .iter()
                .map(|word| Argument {
                    text: MARKS.iter().fold(word.text.clone(), |text, mark| {
                        wrappers::replaced(&text, mark, &name.text)
                    }),
                    span: word.span,
                })
                .collect();
            if !command.iter().any(named) {
                words.push(name.clone());
            }
            printed = walk.run(&words, Some(Text::default()));
        }
    }
    printed
}

/// How many commands one `fd` is followed through.
const RUNS: usize = 8;

/// What the pattern and the options of `fd` say about the names that it gives.
fn selected(options: &Options<'_>, pattern: Option<Text>) -> Selection {
    let filtered = options.has(&[
        "-d",
        "-e",
        "-E",
        "-S",
        "-o",
        "--changed-before",
        "--changed-within",
        "--change-newer-than",
        "--change-older-than",
        "--exact-depth",
        "--exclude",
        "--extension",
        "--max-results",
        "--min-depth",
        "--newer",
        "--older",
        "--owner",
        "--size",
    ]);
    let mut branch = Branch { filtered, ..Branch::default() };
    if let Some(extension) = options.value(&["-e", "--extension"]) {
        let mut name = Text::known("*.");
        name.append(&extension.text);
        branch.name = Some(name);
    }
    if let Some(pattern) = pattern {
        match pattern.as_known() {
            Some("." | "" | "^" | ".*" | "*") => {}
            Some(_) if options.has(&["-g", "--glob"]) => {
                (branch.name, branch.filtered) = (Some(pattern), true);
            }
            known => {
                branch.filtered = true;
                if let Some(glob) = known.and_then(as_glob) {
                    branch.name.get_or_insert(pattern.derive([Piece::Known(glob)]));
                }
            }
        }
    }
    Selection::of_one(branch)
}

/// A simple regular expression as a glob. A word alone is looked for as the whole name, which is what people mean by it.
fn as_glob(pattern: &str) -> Option<String> {
    let (begins, rest) = match pattern.strip_prefix('^') {
        Some(rest) => (true, rest),
        None => (false, pattern),
    };
    let (ends, rest) = match rest.strip_suffix('$') {
        Some(rest) => (true, rest),
        None => (false, rest),
    };
    let mut name = String::new();
    let mut letters = rest.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => name.push(letters.next().filter(|next| !next.is_alphanumeric())?),
            '.' if letters.next_if_eq(&'*').is_some() => name.push('*'),
            '.' => name.push('?'),
            letter if letter.is_alphanumeric() || matches!(letter, '_' | '-') => name.push(letter),
            _ => return None,
        }
    }
    let whole = begins && ends
        || name.chars().all(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '-'));
    let before = if begins || whole { "" } else { "*" };
    let after = if ends || whole { "" } else { "*" };
    Some(format!("{before}{name}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn simple_patterns_become_globs() {
        for (pattern, glob) in [
            ("node_modules", Some("node_modules")),
            ("\\.pyc$", Some("*.pyc")),
            ("^\\.env", Some(".env*")),
            ("^a.*b$", Some("a*b")),
            ("a.c", Some("*a?c*")),
            ("(a|b)", None),
            ("\\d+", None),
        ] {
            assert_eq!(as_glob(pattern).as_deref(), glob, "{pattern}");
        }
    }
}

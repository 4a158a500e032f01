//! `find` and `fd`: what they delete, write and run, and which names they give.

use super::super::{Options, wrappers};
use crate::{
    bound::Bounded,
    effect::Argument,
    place::{self, Place},
    programs::{host::Host, invocation::Invocation},
    text::{Piece, Text},
};

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
    let leading = arguments
        .iter()
        .take_while(|argument| {
            matches!(argument.text.as_known(), Some("-H" | "-L" | "-P"))
                || argument.text.known_prefix().starts_with("-O")
        })
        .count();
    let rest = arguments.get(leading..).unwrap_or(&[]);
    let count = rest.iter().take_while(begins).count();
    let mut roots: Vec<Argument> = rest.get(..count).unwrap_or(&[]).to_vec();
    if roots.is_empty() {
        roots.push(Argument { text: Text::known("."), span: invocation.name.span });
    }
    let expression = rest.get(count..).unwrap_or(&[]);
    let mut selection = Selection::of(expression);
    let mut found = selection.found(&roots);
    let mut printed = Text::default();
    for name in &everything(walk, &found, &selection) {
        printed.append(&name.text);
    }
    let mut starts: Option<usize> = None;
    let mut formatted: Option<Text> = None;
    let mut index = 0;
    while let Some(argument) = expression.get(index) {
        // What is done is done to what the part of the expression selects that it stands in.
        let start = clause(expression, index);
        if starts != Some(start) {
            starts = Some(start);
            let end = (start..expression.len())
                .find(|at| *at > index && is_or(expression, *at))
                .unwrap_or(expression.len());
            let part = expression.get(start..end).unwrap_or(&[]);
            // What is asked behind an action that loses something comes too late for it.
            let acts = part.iter().position(|word| word.text.as_known() == Some("-delete"));
            selection = Selection::of(part.get(..acts.unwrap_or(part.len())).unwrap_or(part));
            selection.only_roots |= Selection::of(part).only_roots;
            found = selection.found(&roots);
        }
        match argument.text.as_known() {
            Some("-delete") => {
                for name in &emptied(walk, &roots, &found, &selection) {
                    walk.delete(
                        &Argument { text: name.text.clone(), span: name.span.to(argument.span) },
                        !selection.filtered,
                    );
                }
            }
            Some("-exec" | "-execdir" | "-ok" | "-okdir") => {
                let inner = expression.get(index + 1..).unwrap_or(&[]);
                let end = inner
                    .iter()
                    .position(|word| matches!(word.text.as_known(), Some(";")))
                    .or_else(|| inner.iter().position(|word| word.text.as_known() == Some("+")))
                    .unwrap_or(inner.len());
                let command = inner.get(..end).unwrap_or(&[]);
                let loses = command.first().is_some_and(|word| {
                    matches!(
                        word.text.as_known(),
                        Some("rm" | "shred" | "srm" | "unlink" | "truncate")
                    )
                });
                let chosen = if loses {
                    emptied(walk, &roots, &found, &selection)
                } else {
                    everything(walk, &found, &selection)
                };
                for name in &chosen {
                    let words: Vec<Argument> = command
                        .iter()
                        .map(|word| Argument {
                            text: wrappers::replaced(&word.text, "{}", &name.text),
                            span: word.span,
                        })
                        .collect();
                    printed = walk.run(&words, Some(Text::default()));
                }
                index += end + 1;
            }
            Some("-printf") => {
                if let Some(format) = expression.get(index + 1) {
                    for name in &found {
                        formatted
                            .get_or_insert_default()
                            .append(&line_of(&format.text, &name.text));
                    }
                }
                index += 1;
            }
            Some("-fprint" | "-fprint0" | "-fls" | "-fprintf") => {
                if let Some(file) = expression.get(index + 1) {
                    walk.write(file, crate::effect::WriteMode::Replace, Text::unknown("find"));
                }
                index += 1;
            }
            Some("-files0-from") => {
                if let Some(file) = expression.get(index + 1) {
                    walk.read(file);
                }
                index += 1;
            }
            _ => {}
        }
        index += 1;
    }
    formatted.unwrap_or(printed)
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

/// Where the part of an expression begins that `index` stands in: behind the last `-o` that is in no parentheses.
fn clause(expression: &[Argument], index: usize) -> usize {
    let mut depth = 0_usize;
    let mut start = 0;
    for (at, argument) in expression.iter().enumerate().leading(index) {
        match argument.text.as_known() {
            Some("(") => depth += 1,
            Some(")") => depth = depth.saturating_sub(1),
            _ if depth == 0 && is_or(expression, at) => start = at + 1,
            _ => {}
        }
    }
    start
}

fn is_or(expression: &[Argument], at: usize) -> bool {
    expression.get(at).is_some_and(|word| matches!(word.text.as_known(), Some("-o" | "-or" | ",")))
}

/// What is found, for a command that loses it: an age, a size or an owner leaves nearly everything of a home or a system
/// in.
fn emptied(
    walk: &dyn Host,
    roots: &[Argument],
    found: &[Argument],
    selection: &Selection,
) -> Vec<Argument> {
    let narrow = selection
        .name
        .as_ref()
        .is_some_and(|name| !name.display().trim_matches(['*', '?', '.', '/']).is_empty());
    let all = roots.iter().zip(found).map(|(root, name)| {
        let place = place::place_of(&walk.target(&root.text), walk.facts());
        if !narrow && matches!(place, Place::Root | Place::SystemTop | Place::HomeTop) {
            let mut text = root.text.clone();
            text.push_known("/");
            text.push(Piece::Glob("**".to_owned()));
            return Argument { text, span: name.span };
        }
        name.clone()
    });
    all.collect()
}

/// What is found below a home or the system without a name to choose by: all of it, and not only where it lies.
fn everything(walk: &dyn Host, found: &[Argument], selection: &Selection) -> Vec<Argument> {
    let below = |name: &Argument| {
        let place = place::place_of(&walk.target(&name.text), walk.facts());
        let holds = matches!(
            place,
            Place::Root | Place::SystemTop | Place::HomeTop | Place::Home | Place::OtherHome
        );
        let mut name = name.clone();
        if holds
            && selection.finds_files
            && selection.name.is_none()
            && !selection.filtered
            && !selection.only_roots
        {
            name.text.push_known("/");
            name.text.push(Piece::Glob("**".to_owned()));
        }
        name
    };
    found.iter().map(below).collect()
}

/// What `find`'s expression says about the names that it gives.
struct Selection {
    name: Option<Text>,
    filtered: bool,
    only_roots: bool,
    /// Whether only files are asked for.
    finds_files: bool,
}

impl Selection {
    fn of(expression: &[Argument]) -> Self {
        let mut selection =
            Self { name: None, filtered: false, only_roots: false, finds_files: false };
        for (index, argument) in expression.iter().enumerate() {
            let value = expression.get(index + 1);
            match argument.text.as_known() {
                Some("-name" | "-iname" | "-path" | "-ipath" | "-wholename") => {
                    let negated = index
                        .checked_sub(1)
                        .and_then(|at| expression.get(at))
                        .is_some_and(|word| matches!(word.text.as_known(), Some("!" | "-not")));
                    selection.filtered = true;
                    if !negated && let Some(value) = value {
                        selection.name = Some(value.text.clone());
                    }
                }
                Some(
                    "-regex" | "-iregex" | "-size" | "-mtime" | "-mmin" | "-atime" | "-amin"
                    | "-ctime" | "-cmin" | "-newer" | "-user" | "-group" | "-perm" | "-empty"
                    | "-links" | "-inum" | "-nouser" | "-nogroup" | "-samefile" | "-xtype"
                    | "-newermt" | "-lname",
                ) => {
                    selection.filtered = true;
                }
                Some("-type") => {
                    selection.finds_files =
                        value.is_some_and(|value| value.text.as_known() == Some("f"));
                }
                Some("-maxdepth") => {
                    selection.only_roots =
                        value.is_some_and(|value| value.text.as_known() == Some("0"));
                }
                _ => {}
            }
        }
        selection
    }

    /// What is found below each root.
    fn found(&self, roots: &[Argument]) -> Vec<Argument> {
        let below = |root: &Argument| Argument { text: self.names(&root.text), span: root.span };
        roots.iter().map(below).collect()
    }

    /// The names found below `root`.
    fn names(&self, root: &Text) -> Text {
        let mut names = root.clone();
        if self.only_roots {
            return names;
        }
        match &self.name {
            Some(name) => {
                names.push_known("/");
                names.push(Piece::Glob("**".to_owned()));
                names.push_known("/");
                let shown = name.display();
                let last = shown.trim_start_matches("./").trim_start_matches('/');
                names.push(Piece::Glob(last.to_owned()));
                names.inherit(name);
            }
            None if self.filtered => {
                names.push_known("/");
                names.push(Piece::Glob("**".to_owned()));
                names.push_known("/");
                names.push(Piece::Glob("?*".to_owned()));
            }
            None => {}
        }
        names
    }
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
    let found: Vec<Argument> = selection
        .found(&roots)
        .into_iter()
        .map(|mut name| {
            // What is looked through is not found itself.
            if selection.name.is_none() && !selection.filtered {
                name.text.push_known("/");
                name.text.push(Piece::Glob("**".to_owned()));
            }
            name
        })
        .collect();
    let mut printed = Text::default();
    if commands.iter().all(Vec::is_empty) {
        for name in &found {
            printed.append(&name.text);
        }
        return printed;
    }
    for command in commands.iter().at_most(RUNS, walk, invocation.span) {
        let loses = command.first().is_some_and(|word| {
            matches!(word.text.as_known(), Some("rm" | "shred" | "srm" | "unlink" | "truncate"))
        });
        let chosen = if loses { emptied(walk, &roots, &found, &selection) } else { found.clone() };
        for name in &chosen {
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
    let mut selection = Selection {
        finds_files: false,
        name: None,
        filtered: options.has(&[
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
        ]),
        only_roots: false,
    };
    if let Some(extension) = options.value(&["-e", "--extension"]) {
        let mut name = Text::known("*.");
        name.append(&extension.text);
        selection.name = Some(name);
    }
    let Some(pattern) = pattern else { return selection };
    match pattern.as_known() {
        Some("." | "" | "^" | ".*" | "*") => {}
        Some(_) if options.has(&["-g", "--glob"]) => {
            (selection.name, selection.filtered) = (Some(pattern), true);
        }
        known => {
            selection.filtered = true;
            if let Some(glob) = known.and_then(as_glob) {
                selection.name.get_or_insert(pattern.derive([Piece::Known(glob)]));
            }
        }
    }
    selection
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

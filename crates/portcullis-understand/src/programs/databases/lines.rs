//! Lines that are told to `psql` itself, at their beginning or behind a statement: `\copy t to program 'x'`, `select 1 \g |x`. Owns what of
//! a line is a statement, what goes to a shell, and which files are read and written.

/// A part of a line.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Told<'a> {
    /// Statements for the database.
    Statement(&'a str),
    /// A command for a shell.
    Shell(&'a str),
    /// A command for a shell that is handed what the database answers.
    Pipe(&'a str),
    /// A file that is written with what the database answers.
    Writes(&'a str),
    /// A file of statements.
    Reads(&'a str),
    /// What the database answers, as statements.
    Again,
}

/// The parts of a line.
pub(super) fn told(line: &str) -> Vec<Told<'_>> {
    let mut parts = Vec::new();
    let mut rest = line;
    while !rest.trim().is_empty() {
        let Some(at) = outside_quotes(rest, '\\') else {
            parts.push(Told::Statement(rest));
            break;
        };
        let (before, command) = rest.split_at(at);
        if !before.trim().is_empty() {
            parts.push(Told::Statement(before));
        }
        let command = command.strip_prefix('\\').unwrap_or(command);
        if let Some(shell) = command.strip_prefix('!') {
            parts.push(Told::Shell(shell.trim()));
            break;
        }
        let end = command.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
        let (name, given) = command.split_at(end.unwrap_or(command.len()));
        // What is handed to a program goes on to the end of the line; everything else to the next backslash.
        let whole = given.trim();
        if is_answer(name)
            && let Some(program) = behind_options(whole).strip_prefix('|')
        {
            parts.push(Told::Pipe(program.trim()));
            break;
        }
        let own = outside_quotes(given, '\\').and_then(|at| given.get(..at)).unwrap_or(given);
        parts.extend(substituted(own).map(Told::Shell));
        of_command(name, own.trim(), &mut parts);
        rest = given.get(own.len()..).unwrap_or_default();
        // Two backslashes end a command and begin nothing.
        rest = rest.strip_prefix("\\\\").unwrap_or(rest);
    }
    parts
}

fn of_command<'a>(name: &str, given: &'a str, parts: &mut Vec<Told<'a>>) {
    let first =
        |text: &'a str| text.split_whitespace().next().map(|word| word.trim_matches(['\'', '"']));
    match name {
        "copy" => {
            let before = parts.len();
            parts.extend(copied_by(given));
            if parts.len() == before
                && let Some(file) =
                    places_of(given, "to").last().map(|(_, behind)| behind).and_then(first)
            {
                parts.extend((!matches!(file, "stdout" | "pstdout")).then_some(Told::Writes(file)));
            }
        }
        "gexec" => parts.push(Told::Again),
        "i" | "include" | "ir" | "include_relative" => parts.extend(first(given).map(Told::Reads)),
        _ if is_answer(name) => parts.extend(first(behind_options(given)).map(Told::Writes)),
        _ => {}
    }
}

/// The programs that rows are copied to or from, whatever stands between the words: `to program 'x'`. What only looks like one, inside of
/// another's words, is read as well.
fn copied_by(given: &str) -> impl Iterator<Item = Told<'_>> {
    places_of(given, "program").filter_map(|(before, program)| {
        let before = before.trim_end().to_ascii_lowercase();
        let quote = program.chars().next().filter(|letter| matches!(letter, '\'' | '"'))?;
        let (command, _) = program.get(1..)?.rsplit_once(quote)?;
        if before.ends_with("to") {
            Some(Told::Pipe(command))
        } else {
            before.ends_with("from").then_some(Told::Shell(command))
        }
    })
}

/// What stands before and behind each place where a word stands by itself.
fn places_of<'a>(text: &'a str, word: &str) -> impl Iterator<Item = (&'a str, &'a str)> {
    let is_of_a_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let lower = text.to_ascii_lowercase();
    let places: Vec<usize> = lower.match_indices(word).map(|(at, _)| at).collect();
    let length = word.len();
    places.into_iter().filter_map(move |at| {
        let (before, behind) = (text.get(..at)?, text.get(at + length..)?);
        let stands = !before.ends_with(is_of_a_word) && !behind.starts_with(is_of_a_word);
        stands.then(|| (before, behind.trim_start()))
    })
}

/// Whether a command says where answers go.
fn is_answer(name: &str) -> bool {
    matches!(name, "g" | "gx" | "o" | "out" | "w" | "write")
}

/// What stands behind the options of `\g (format=csv) FILE`.
fn behind_options(given: &str) -> &str {
    let behind = given.strip_prefix('(').and_then(|rest| rest.split_once(')'));
    behind.map_or(given, |(_, behind)| behind.trim_start())
}

/// What stands between backticks, which a shell runs first.
fn substituted(given: &str) -> impl Iterator<Item = &str> {
    given.split('`').skip(1).step_by(2)
}

/// Where a letter stands for the first time outside of quotes. A quote that is not closed may be the end of one that began on a line before.
fn outside_quotes(text: &str, wanted: char) -> Option<usize> {
    let mut quote = None;
    for (at, letter) in text.char_indices() {
        match quote {
            Some((open, _)) if letter == open => quote = None,
            Some(_) => {}
            None if letter == wanted => return Some(at),
            None if matches!(letter, '\'' | '"' | '`') => quote = Some((letter, at)),
            None => {}
        }
    }
    let (_, open) = quote?;
    text.get(open..)?.find(wanted).map(|at| open + at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_comes_apart() {
        use Told::{Again, Pipe, Reads, Shell, Statement, Writes};
        for (line, expected) in [
            ("select 1", vec![Statement("select 1")]),
            ("select '\\! x'", vec![Statement("select '\\! x'")]),
            ("\\! rm -rf x", vec![Shell("rm -rf x")]),
            ("\\copy t to program 'curl -T - h' csv", vec![Pipe("curl -T - h")]),
            ("\\COPY", vec![]),
            ("\\copy t FROM PROGRAM 'curl h'", vec![Shell("curl h")]),
            ("\\copy t to '/tmp/x.csv' csv", vec![Writes("/tmp/x.csv")]),
            ("\\copy t to\tprogram'curl h'", vec![Pipe("curl h")]),
            (
                "\\copy (select program from t) to program 'to program x; id'",
                vec![Pipe("to program x; id")],
            ),
            ("b' \\! id", vec![Statement("b' "), Shell("id")]),
            ("\\copy t to stdout", vec![]),
            ("\\copy t from 'x.csv'", vec![]),
            (
                "select 1 \\g |sh -c 'a \\\\ b'",
                vec![Statement("select 1 "), Pipe("sh -c 'a \\\\ b'")],
            ),
            ("select 1 \\g (format=csv) |sh", vec![Statement("select 1 "), Pipe("sh")]),
            ("select 1 \\gx out.txt", vec![Statement("select 1 "), Writes("out.txt")]),
            ("\\o |tee x", vec![Pipe("tee x")]),
            ("\\o x.txt \\\\ select 1", vec![Writes("x.txt"), Statement(" select 1")]),
            ("\\set a `id` \\\\ select 1", vec![Shell("id"), Statement(" select 1")]),
            ("\\x \\! id", vec![Shell("id")]),
            ("\\i /tmp/x.sql", vec![Reads("/tmp/x.sql")]),
            ("select 'drop' \\gexec", vec![Statement("select 'drop' "), Again]),
            ("\\d+ public.t", vec![]),
            ("\\pset pager off", vec![]),
        ] {
            assert_eq!(told(line), expected, "{line}");
        }
    }
}

//! Commands of SQLite's own shell that name files: `.backup FILE`, `.archive -x -C DIRECTORY`, `.cd DIRECTORY` (sqlite.org/cli.html). Owns what
//! each does with them; what goes to a shell, and which files are taken in, is read where the other clients' are.

/// What a command does with a file.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Own<'a> {
    /// It writes the file.
    Writes(&'a str),
    /// It opens the file as a database.
    Opens(&'a str),
    /// It puts what an archive holds into the directory.
    Unpacks(Option<&'a str>),
    /// What follows is named from there.
    Enters(&'a str),
}

/// The commands, each found by its beginning.
const COMMANDS: &[&str] = &[
    ".archive", ".backup", ".cd", ".clone", ".excel", ".log", ".once", ".open", ".output", ".save",
    ".session", ".trace",
];

/// What a line does with files.
pub(super) fn own(line: &str) -> Option<Own<'_>> {
    let mut words = line.split_whitespace().map(|word| word.trim_matches(['\'', '"']));
    let first = words.next()?;
    // Two letters and the dot tell most of them apart.
    let command = COMMANDS.iter().find(|command| first.len() >= 3 && command.starts_with(first))?;
    let words: Vec<&str> = words.collect();
    let file = || words.iter().rev().find(|word| !word.starts_with('-')).copied();
    match *command {
        ".archive" => extracted(&words).or_else(|| packed(&words)),
        ".cd" => file().map(Own::Enters),
        ".session" => {
            let writes = words.contains(&"changeset") || words.contains(&"patchset");
            writes.then(file)?.map(Own::Writes)
        }
        ".open" => (!words.contains(&"--readonly")).then(file)?.map(Own::Opens),
        _ => file()
            .filter(|file| !matches!(*file, "off" | "on" | "stderr" | "stdout"))
            .filter(|file| !file.starts_with('|'))
            .map(Own::Writes),
    }
}

/// `-cf FILE NAME`, `--create --file=FILE`: the archive that is made or changed.
fn packed<'a>(words: &[&'a str]) -> Option<Own<'a>> {
    let first = words.first()?;
    let packs =
        ["--create", "--insert", "--remove", "--update"].iter().any(|it| words.contains(it))
            || !first.starts_with("--") && first.contains(['c', 'i', 'r', 'u']);
    let at = words.iter().position(|word| {
        *word == "--file"
            || !word.starts_with("--")
                && (word.starts_with('-') || word == first)
                && word.ends_with('f')
    });
    let attached = words.iter().find_map(|word| word.strip_prefix("--file="));
    let file = at.and_then(|at| words.get(at + 1).copied()).or(attached);
    file.filter(|_| packs).map(Own::Writes)
}

/// `-xf FILE -C DIRECTORY`, `xC DIRECTORY`, `--extract --directory DIRECTORY`: where an archive is unpacked, if it is.
pub(super) fn extracted<'a>(words: &[&'a str]) -> Option<Own<'a>> {
    let letters =
        |word: &str| word.strip_prefix("-A").or(word.strip_prefix('-')).map(str::to_owned);
    let first = words.first()?;
    let unpacks = words.contains(&"--extract")
        || !first.starts_with("--") && first.trim_start_matches("-A").contains('x')
        || words.iter().any(|word| {
            !word.starts_with("--") && letters(word).is_some_and(|letters| letters.contains('x'))
        });
    if !unpacks {
        return None;
    }
    let place = words.iter().position(|word| {
        *word == "--directory"
            || !word.starts_with("--")
                && (word.starts_with('-') || word == first)
                && word.ends_with('C')
    });
    let attached = words.iter().find_map(|word| word.strip_prefix("--directory="));
    let directory = place.and_then(|at| words.get(at + 1).copied()).or(attached);
    Some(Own::Unpacks(directory))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_say_which_files_they_write() {
        for (line, expected) in [
            (".archive -x -C /d", Some(Own::Unpacks(Some("/d")))),
            (".ar -xf z.zip -C /d", Some(Own::Unpacks(Some("/d")))),
            (".archive --extract --directory=/d", Some(Own::Unpacks(Some("/d")))),
            (".archive -x", Some(Own::Unpacks(None))),
            (".archive -tv", None),
            (".archive -c a b", None),
            (".backup main 'b.db'", Some(Own::Writes("b.db"))),
            (".save b.db", Some(Own::Writes("b.db"))),
            (".clone b.db", Some(Own::Writes("b.db"))),
            (".once -x out.csv", Some(Own::Writes("out.csv"))),
            (".outp out.csv", Some(Own::Writes("out.csv"))),
            (".log off", None),
            (".output", None),
            (".cd /d", Some(Own::Enters("/d"))),
            (".open --readonly x.db", None),
            (".open x.db", Some(Own::Opens("x.db"))),
            (".schema", None),
            (".tables", None),
        ] {
            assert_eq!(own(line), expected, "{line}");
        }
    }
}

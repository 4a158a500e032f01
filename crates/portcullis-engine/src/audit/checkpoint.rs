//! Where a chain ends, as it is noted elsewhere: a line of ours, or a checkpoint of transparency logs (c2sp.org/tlog-checkpoint), which is a signed note. Owns both
//! forms and how a text of several is read; whatever others wrote there is only text.
//!
//! ```text
//! gate.example/gate-a                       who: the name that was given, and the chain
//! 19                                        how many records
//! BASE64                                    the root of the tree over them (RFC 6962)
//! portcullis 19 19 HEX gate-a               the same place as in a line of ours
//!
//! — gate.example/gate-a BASE64              signed under the name of the first line
//! ```

use data_encoding::BASE64;

use super::{Anchor, Hash, NamedEnd, end_line, read_end, segment::Note};
use crate::bundle::{PublicKey, SecretKey};

/// What the line of our own begins with.
const OURS: &str = "portcullis ";

/// The longest name.
const LONGEST: usize = 200;

/// Where a chain ended, as somebody noted it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Noted {
    /// Which chain, the last record, and how many there were.
    pub end: NamedEnd,
    /// What a checkpoint says beside that.
    pub checkpoint: Option<Checkpoint>,
}

/// What only a checkpoint says.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Checkpoint {
    /// The root of the tree over the records.
    pub root: Hash,
    /// All of it.
    pub note: Note,
}

/// A place to note, as it is written.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Head {
    /// Which chain, the last record, and how many there are.
    pub end: NamedEnd,
    /// What is noted; its last line ends.
    pub text: String,
}

impl Head {
    /// As a line of ours.
    #[must_use]
    pub fn line(end: NamedEnd) -> Self {
        let text = format!("{}\n", end_line(&end.0, end.1));
        Self { end, text }
    }

    /// As a signed checkpoint.
    #[must_use]
    pub fn checkpoint(end: NamedEnd, root: Hash, name: &str, key: &SecretKey) -> Self {
        let origin = origin(name, &end.0);
        let text = Note::new(body(&origin, &end, root)).signed(&origin, key).written();
        Self { end, text }
    }
}

/// Whether a name can be that of a key (c2sp.org/signed-note): no space and no plus; here no control character either.
#[must_use]
pub fn is_name(name: &str) -> bool {
    let fits = |letter: char| !letter.is_whitespace() && !letter.is_control() && letter != '+';
    !name.is_empty() && name.len() <= LONGEST && name.chars().all(fits)
}

/// The first line of the checkpoints of a chain, and the name that they are signed under.
#[must_use]
pub fn origin(name: &str, chain: &str) -> String {
    if chain.is_empty() { name.to_owned() } else { format!("{name}/{chain}") }
}

/// A key as readers of signed notes are told it: `NAME+ID+KEY`.
#[must_use]
pub fn verifier(origin: &str, key: &PublicKey) -> String {
    Note::verifier(origin, key)
}

/// What a text of lines or checkpoints says, one behind the other; nothing where it has anything else.
#[must_use]
pub fn read(text: &str) -> Option<Vec<Noted>> {
    let mut noted = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let line_end = rest.find('\n')?;
        let line = rest.get(..line_end)?;
        if let Some((chain, end)) = read_end(line) {
            noted.push(Noted { end: (chain.to_owned(), end), checkpoint: None });
            rest = rest.get(line_end + 1..)?;
            continue;
        }
        // The text of a checkpoint has no empty line; behind the first stand its signatures.
        let mut length = rest.find("\n\n")? + 2;
        while let Some(signature) = rest.get(length..).filter(|rest| rest.starts_with(Note::MARK)) {
            length += signature.find('\n')? + 1;
        }
        noted.push(checkpoint(rest.get(..length)?)?);
        rest = rest.get(length..)?;
    }
    Some(noted)
}

fn body(origin: &str, end: &NamedEnd, root: Hash) -> String {
    let (chain, (anchor, count)) = end;
    let line = end_line(chain, (*anchor, *count));
    format!("{origin}\n{count}\n{}\n{OURS}{}\n", BASE64.encode(&root.0), line.trim_end())
}

fn checkpoint(written: &str) -> Option<Noted> {
    let note = Note::read(written)?;
    let mut lines = note.text.lines();
    let (origin_line, _, root) = (lines.next()?, lines.next()?, lines.next()?);
    let root = Hash(BASE64.decode(root.as_bytes()).ok()?.try_into().ok()?);
    let line = lines.next()?.strip_prefix(OURS)?;
    // The only chain of a file has no name, and a line no end that nobody sees.
    let line = if line.matches(' ').count() == 2 { format!("{line} ") } else { line.to_owned() };
    let (chain, end): (&str, (Anchor, u64)) = read_end(&line)?;
    let end = (chain.to_owned(), end);
    let is_of_chain = chain.is_empty() || origin_line.ends_with(&format!("/{chain}"));
    // What was written another way, a number with a zero before it too, is none.
    let is_exact = is_of_chain && body(origin_line, &end, root) == note.text;
    is_exact.then_some(Noted { end, checkpoint: Some(Checkpoint { root, note }) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn end(chain: &str) -> NamedEnd {
        (chain.to_owned(), (Anchor { sequence: 21, hash: Hash([7; 32]) }, 19))
    }

    fn key() -> (tempfile::TempDir, SecretKey) {
        let folder = tempfile::tempdir().unwrap();
        let key = SecretKey::make(&folder.path().join("a.key")).unwrap();
        (folder, key)
    }

    #[test]
    fn lines_and_checkpoints_are_read_as_they_were_written_one_behind_the_other() {
        let (_folder, key) = key();
        let root = Hash([9; 32]);
        for chain in ["", "gate-a"] {
            let head = Head::checkpoint(end(chain), root, "gate.example", &key);
            let line = Head::line(end("other"));
            let text = format!("{}{}{}", head.text, line.text, head.text);
            let read = read(&text).unwrap();
            assert_eq!(read.len(), 3, "{text}");
            assert_eq!((&read[0].end, &read[1].end), (&end(chain), &end("other")));
            let checkpoint = read[2].checkpoint.as_ref().unwrap();
            assert_eq!(checkpoint.root, root);
            assert!(checkpoint.note.is_signed_by(&key.public()));
        }
        assert_eq!(read(""), Some(Vec::new()));
    }

    #[test]
    fn a_checkpoint_that_is_not_exact_is_none() {
        let (_folder, key) = key();
        let text = Head::checkpoint(end("gate-a"), Hash([9; 32]), "gate.example", &key).text;
        let changes: [(&str, &str); 8] = [
            ("\n19\n", "\n019\n"),
            ("\n19\n", "\n20\n"),
            ("gate.example/gate-a\n", "gate.example/gate-b\n"),
            ("\n19\n", "\n19\n\n"),
            ("portcullis 19", "portcullis 18"),
            ("portcullis ", "something "),
            ("\u{2014} gate", "- gate"),
            ("CQk=", "CQk"),
        ];
        for (from, to) in changes {
            let changed = text.replacen(from, to, 1);
            assert_ne!(changed, text, "{from:?}");
            assert_eq!(read(&changed), None, "{from:?} {to:?}");
        }
        for cut in 1..text.len() - 1 {
            if let Some(part) = text.get(..cut) {
                let is_signed = read(part).into_iter().flatten().any(|noted| {
                    noted.checkpoint.is_some_and(|one| one.note.is_signed_by(&key.public()))
                });
                assert!(!is_signed, "{cut}");
            }
        }
    }

    #[test]
    fn names_are_those_of_signed_notes() {
        for name in ["gate.example", "gate.example/records", "größe"] {
            assert!(is_name(name), "{name}");
        }
        for name in ["", "a b", "a+b", "a\u{a0}b", "a\nb", "a\u{1}b", &"x".repeat(201)] {
            assert!(!is_name(name), "{name:?}");
        }
    }
}

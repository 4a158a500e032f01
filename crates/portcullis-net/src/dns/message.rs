//! Questions and answers as they stand on the wire (RFC 1035). Owns their bytes; it sends and waits for nothing.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The bytes before the question.
const HEADER: usize = 12;

/// The most letters of a name on the wire.
const LONGEST_NAME: usize = 255;

/// The most names that an answer may lead through.
const LONGEST_CHAIN: usize = 16;

/// The most records of an answer that are read; the ones that matter stand first.
const MOST_RECORDS: usize = 256;

const TYPE_A: u16 = 1;
const TYPE_CNAME: u16 = 5;
const TYPE_AAAA: u16 = 28;
const CLASS_IN: u16 = 1;

/// What is asked.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Question {
    /// What the answer has to repeat.
    pub id: u16,
    /// The name, in lower case and without a dot at its end.
    pub name: String,
    /// Whether for addresses of IPv6.
    pub six: bool,
}

/// What an answer says.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Reply {
    /// It is too long for a datagram; ask again over TCP.
    Truncated,
    /// There is no such name.
    NoName,
    /// The server could not answer; its code.
    Failed(u8),
    /// The addresses, and the names that led to them.
    Found {
        /// The addresses in the order of the answer.
        addresses: Vec<IpAddr>,
        /// The names behind the one that was asked for.
        aliases: Vec<String>,
    },
}

impl Question {
    const fn kind(&self) -> u16 {
        if self.six { TYPE_AAAA } else { TYPE_A }
    }

    /// The question on the wire; `None` for what is no name.
    #[must_use]
    pub fn bytes(&self) -> Option<Vec<u8>> {
        let mut bytes = Vec::with_capacity(HEADER + self.name.len() + 6);
        bytes.extend_from_slice(&self.id.to_be_bytes());
        // Recursion is wanted; one question, and nothing else.
        bytes.extend_from_slice(&[1, 0, 0, 1, 0, 0, 0, 0, 0, 0]);
        for label in self.name.split('.') {
            let length =
                u8::try_from(label.len()).ok().filter(|length| (1..=63).contains(length))?;
            bytes.push(length);
            bytes.extend_from_slice(label.as_bytes());
        }
        bytes.push(0);
        if bytes.len() - HEADER > LONGEST_NAME {
            return None;
        }
        bytes.extend_from_slice(&self.kind().to_be_bytes());
        bytes.extend_from_slice(&CLASS_IN.to_be_bytes());
        Some(bytes)
    }
}

/// Reads an answer to a question; `None` where it is none: malformed, or to something else.
#[must_use]
pub fn parse_reply(bytes: &[u8], question: &Question) -> Option<Reply> {
    let mut reader = Reader { bytes, at: 0 };
    let (id, flags) = (reader.number()?, reader.number()?);
    let (questions, answers) = (reader.number()?, reader.number()?);
    reader.at = HEADER;
    let is_answer = flags & 0x8000 != 0 && flags & 0x7800 == 0;
    if id != question.id || !is_answer || questions != 1 {
        return None;
    }
    let asked = reader.name()?;
    if asked != question.name || reader.number()? != question.kind() || reader.number()? != CLASS_IN
    {
        return None;
    }
    if flags & 0x0200 != 0 {
        return Some(Reply::Truncated);
    }
    match flags & 0xf {
        0 => {}
        3 => return Some(Reply::NoName),
        code => return Some(Reply::Failed(u8::try_from(code).unwrap_or(u8::MAX))),
    }
    let mut records = Vec::new();
    for _ in 0..usize::from(answers).min(MOST_RECORDS) {
        records.push(reader.record()?);
    }
    Some(follow(&records, question))
}

/// The addresses at the end of the chain of aliases that begins with the question.
fn follow(records: &[Record], question: &Question) -> Reply {
    let mut name = question.name.as_str();
    let mut aliases: Vec<String> = Vec::new();
    while let Some(next) = records.iter().find_map(|record| match &record.data {
        Data::Alias(next) if record.owner == name => Some(next),
        _ => None,
    }) {
        if aliases.len() == LONGEST_CHAIN || aliases.contains(next) {
            // A chain without an end leads nowhere.
            return Reply::Found { addresses: Vec::new(), aliases };
        }
        aliases.push(next.clone());
        name = next;
    }
    let addresses = records.iter().filter_map(|record| match record.data {
        Data::Address(address) if record.owner == name => Some(address),
        _ => None,
    });
    Reply::Found { addresses: addresses.collect(), aliases: aliases.clone() }
}

struct Record {
    owner: String,
    data: Data,
}

enum Data {
    Address(IpAddr),
    Alias(String),
    Other,
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let end = self.at.checked_add(N)?;
        let taken = self.bytes.get(self.at..end)?.try_into().ok()?;
        self.at = end;
        Some(taken)
    }

    fn number(&mut self) -> Option<u16> {
        self.take().map(u16::from_be_bytes)
    }

    fn record(&mut self) -> Option<Record> {
        let owner = self.name()?;
        let (kind, class) = (self.number()?, self.number()?);
        let _time_to_live: [u8; 4] = self.take()?;
        let length = usize::from(self.number()?);
        let end = self.at.checked_add(length).filter(|end| *end <= self.bytes.len())?;
        let data = match (class, kind, length) {
            (CLASS_IN, TYPE_A, 4) => Data::Address(IpAddr::V4(Ipv4Addr::from(self.take::<4>()?))),
            (CLASS_IN, TYPE_AAAA, 16) => {
                Data::Address(IpAddr::V6(Ipv6Addr::from(self.take::<16>()?)))
            }
            (CLASS_IN, TYPE_CNAME, _) => Data::Alias(self.name()?),
            (CLASS_IN, TYPE_A | TYPE_AAAA, _) => return None,
            _ => Data::Other,
        };
        self.at = end;
        Some(Record { owner, data })
    }

    /// A name in lower case. A pointer must lead backwards, so that reading ends.
    fn name(&mut self) -> Option<String> {
        let mut name = String::new();
        let (mut at, mut earliest) = (self.at, self.at);
        let mut after = None;
        loop {
            let length = *self.bytes.get(at)?;
            match length {
                0 => {
                    at += 1;
                    break;
                }
                1..=63 => {
                    let end = at + 1 + usize::from(length);
                    let label = self.bytes.get(at + 1..end)?;
                    if !name.is_empty() {
                        name.push('.');
                    }
                    // A dot or a byte that is no text within a label is no name of ours.
                    if label.iter().any(|byte| !byte.is_ascii_graphic() || *byte == b'.') {
                        return None;
                    }
                    name.extend(label.iter().map(|byte| char::from(byte.to_ascii_lowercase())));
                    if name.len() > LONGEST_NAME {
                        return None;
                    }
                    at = end;
                }
                192.. => {
                    let low = *self.bytes.get(at + 1)?;
                    let to = usize::from(u16::from_be_bytes([length & 0x3f, low]));
                    after.get_or_insert(at + 2);
                    if to >= earliest || to < HEADER {
                        return None;
                    }
                    (at, earliest) = (to, to);
                }
                64..192 => return None,
            }
        }
        self.at = after.unwrap_or(at);
        Some(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question() -> Question {
        Question { id: 0x1234, name: "www.example.com".to_owned(), six: false }
    }

    /// The header and question of an answer with so many records.
    fn beginning(flags: u16, answers: u16) -> Vec<u8> {
        let mut bytes = question().bytes().unwrap();
        bytes[2..4].copy_from_slice(&flags.to_be_bytes());
        bytes[6..8].copy_from_slice(&answers.to_be_bytes());
        bytes
    }

    fn record(owner: &[u8], kind: u16, data: &[u8]) -> Vec<u8> {
        let mut bytes = owner.to_vec();
        bytes.extend_from_slice(&kind.to_be_bytes());
        bytes.extend_from_slice(&[0, 1, 0, 0, 0, 60]);
        bytes.extend_from_slice(&u16::try_from(data.len()).unwrap().to_be_bytes());
        bytes.extend_from_slice(data);
        bytes
    }

    #[test]
    fn a_question_is_as_the_standard_writes_it() {
        let bytes = question().bytes().unwrap();
        assert_eq!(
            bytes,
            b"\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00\x03www\x07example\x03com\x00\x00\x01\x00\x01"
        );
        let name = format!("{}.example.com", "a".repeat(64));
        assert_eq!(Question { name, ..question() }.bytes(), None);
        assert_eq!(Question { name: "a..b".to_owned(), ..question() }.bytes(), None);
    }

    #[test]
    fn addresses_are_taken_from_the_end_of_the_chain_alone() {
        let mut bytes = beginning(0x8180, 4);
        bytes.extend(record(b"\xc0\x0c", 5, b"\x03cdn\xc0\x10"));
        bytes.extend(record(b"\x03CDN\x07example\x03com\x00", 1, &[192, 0, 2, 1]));
        bytes.extend(record(b"\x05other\xc0\x10", 1, &[192, 0, 2, 2]));
        bytes.extend(record(b"\x03cdn\xc0\x10", 1, &[192, 0, 2, 3]));
        let addresses = ["192.0.2.1", "192.0.2.3"].map(|one| one.parse().unwrap()).to_vec();
        let aliases = vec!["cdn.example.com".to_owned()];
        assert_eq!(parse_reply(&bytes, &question()), Some(Reply::Found { addresses, aliases }));
    }

    #[test]
    fn what_answers_something_else_is_no_answer() {
        let good = beginning(0x8180, 0);
        let empty = Reply::Found { addresses: Vec::new(), aliases: Vec::new() };
        assert_eq!(parse_reply(&good, &question()), Some(empty));
        for (id, name, six) in [
            (0x1235, "www.example.com", false),
            (0x1234, "example.com", false),
            (0x1234, "www.example.com", true),
        ] {
            let other = Question { id, name: name.to_owned(), six };
            assert_eq!(parse_reply(&good, &other), None, "{other:?}");
        }
        assert_eq!(parse_reply(&beginning(0x0180, 0), &question()), None, "a question");
        for end in 0..good.len() {
            assert_eq!(parse_reply(&good[..end], &question()), None, "cut at {end}");
        }
    }

    #[test]
    fn codes_and_truncation_are_told_apart() {
        assert_eq!(parse_reply(&beginning(0x8380, 9), &question()), Some(Reply::Truncated));
        assert_eq!(parse_reply(&beginning(0x8183, 0), &question()), Some(Reply::NoName));
        assert_eq!(parse_reply(&beginning(0x8182, 0), &question()), Some(Reply::Failed(2)));
    }

    #[test]
    fn a_hostile_answer_ends() {
        // A pointer to itself, one forwards, a chain in a circle, a record longer than the answer, an address of five bytes.
        for (answers, rest) in [
            (1, record(b"\xc0\x21", 1, &[1, 2, 3, 4])),
            (1, record(b"\xc0\xff", 1, &[1, 2, 3, 4])),
            (1, record(b"\x80\x01", 1, &[1, 2, 3, 4])),
            (1, record(b"\xc0\x0c", 1, &[1, 2, 3, 4, 5])),
            (9, record(b"\xc0\x0c", 1, &[1, 2, 3, 4])),
        ] {
            let mut bytes = beginning(0x8180, answers);
            bytes.extend(&rest);
            assert_eq!(parse_reply(&bytes, &question()), None, "{rest:x?}");
        }
        let mut circle = beginning(0x8180, 1);
        circle.extend(record(b"\xc0\x0c", 5, b"\xc0\x0c"));
        let Some(Reply::Found { addresses, .. }) = parse_reply(&circle, &question()) else {
            panic!("a circle is an answer without addresses");
        };
        assert!(addresses.is_empty());
    }
}

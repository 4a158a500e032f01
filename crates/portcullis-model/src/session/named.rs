//! Things that somebody named, by the marks of their parts. Owns what is the same thing, what is beside it, and how names are kept: as one
//! text, which is read at once, since a hook reads them for each call.

use serde::{Deserialize, Deserializer, Serializer, de};

use super::{
    digest::{Mark, decoded},
    lexicon::folded,
};

/// How many bytes a name may have to be compared part by part.
const NAME: usize = 120;

/// Something that somebody named.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq)]
#[serde(default)]
pub(super) struct Name {
    pub(super) whole: u64,
    pub(super) parts: Vec<u64>,
    /// The parts that stand for several: `48xx`, `feature-*`. `x` and `*` stand for anything, every other letter for itself.
    pub(super) patterns: Vec<String>,
    /// Which of the parts tell one thing from another: those with digits.
    pub(super) telling: Vec<u64>,
    /// The kind of place that it says: production, staging…
    lane: Option<Lane>,
}

/// Kinds of places that nobody wants to take for one another.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "lowercase")]
pub(super) enum Lane {
    /// What others depend on.
    Production,
    /// What comes before it.
    Staging,
    /// What is for trying.
    Development,
}

impl Name {
    /// A name by its parts.
    pub(super) fn of(text: &str) -> Self {
        let text = text.get(..text.floor_char_boundary(NAME)).unwrap_or_default().trim_matches('/');
        let mut name = Self { whole: Mark::of(text).0, ..Self::default() };
        for part in
            folded(text).split(['/', '-', '_', '.', ':', '@', ' ']).filter(|part| !part.is_empty())
        {
            let mark = Mark::of(part).0;
            let digits = part.bytes().filter(u8::is_ascii_digit).count();
            let open = part.contains('*')
                || digits > 0
                    && part.len() <= 12
                    && part.bytes().any(|letter| letter == b'x')
                    && part.bytes().all(|letter| letter.is_ascii_digit() || letter == b'x');
            if open {
                name.patterns.push(part.to_owned());
            } else {
                name.parts.push(mark);
                if digits > 1 || digits > 0 && part.len() > 1 {
                    name.telling.push(mark);
                }
            }
            name.lane = name.lane.or_else(|| lane(part));
        }
        name
    }

    /// Whether another name is of the thing that this one is of, as far as names tell.
    pub(super) fn means(&self, thing: &Self) -> bool {
        if self.whole == thing.whole {
            return true;
        }
        if self.lane.is_some() && thing.lane.is_some() && self.lane != thing.lane {
            return false;
        }
        if !self.patterns.is_empty() {
            return thing.telling.iter().any(|_| true)
                && self.patterns.iter().any(|pattern| thing.fits(pattern));
        }
        // What is built in the same way and is not the same is something beside it.
        if self.parts.len() > 2 && thing.parts.len() == self.parts.len() {
            let same =
                self.parts.iter().zip(&thing.parts).filter(|(one, other)| one == other).count();
            if same * 2 >= self.parts.len() && same < self.parts.len() {
                return false;
            }
        }
        if self.telling.is_empty() {
            // A directory, and what is in it.
            return self.parts.len() < thing.parts.len() && thing.parts.starts_with(&self.parts);
        }
        self.telling.iter().all(|part| thing.telling.contains(part))
    }

    fn fits(&self, pattern: &str) -> bool {
        // The parts are marks: a pattern of digits is tried for what it can mean.
        let open = pattern.bytes().filter(|letter| *letter == b'x').count();
        if pattern.contains('*') || open > 3 {
            return true;
        }
        let most = 10_u32.pow(u32::try_from(open).unwrap_or(0));
        (0..most).any(|mut number| {
            let tried: String = pattern
                .chars()
                .map(|letter| {
                    if letter != 'x' {
                        return letter;
                    }
                    let digit = char::from_digit(number % 10, 10).unwrap_or('0');
                    number /= 10;
                    digit
                })
                .collect();
            self.telling.contains(&Mark::of(&tried).0)
        })
    }
}

fn lane(part: &str) -> Option<Lane> {
    match part {
        "prod" | "production" | "live" | "prd" => Some(Lane::Production),
        "staging" | "stage" | "preprod" | "uat" | "qa" => Some(Lane::Staging),
        "dev" | "develop" | "development" | "test" | "testing" | "sandbox" | "local" => {
            Some(Lane::Development)
        }
        _ => None,
    }
}

/// The names as one text: of each its mark, its kind of place, how many parts, telling ones and patterns it has, and these.
pub(super) fn serialize<S: Serializer>(names: &[Name], serializer: S) -> Result<S::Ok, S::Error> {
    let mut bytes = Vec::new();
    for name in names {
        let Name { whole, parts, patterns, telling, lane } = name;
        bytes.extend(whole.to_be_bytes());
        bytes.push(match lane {
            None => 0,
            Some(Lane::Production) => 1,
            Some(Lane::Staging) => 2,
            Some(Lane::Development) => 3,
        });
        // A name is shorter than can be counted here.
        for length in [parts.len(), telling.len(), patterns.len()] {
            bytes.push(u8::try_from(length).unwrap_or(u8::MAX));
        }
        parts.iter().chain(telling).for_each(|part| bytes.extend(part.to_be_bytes()));
        for pattern in patterns {
            bytes.push(u8::try_from(pattern.len()).unwrap_or(u8::MAX));
            bytes.extend(pattern.as_bytes());
        }
    }
    serializer.serialize_str(&data_encoding::BASE64URL_NOPAD.encode(&bytes))
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<Name>, D::Error> {
    deserializer.deserialize_any(Kept)
}

/// As they are written now, or one by one as they were before.
struct Kept;

impl<'de> de::Visitor<'de> for Kept {
    type Value = Vec<Name>;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("names")
    }

    fn visit_seq<A: de::SeqAccess<'de>>(self, mut names: A) -> Result<Vec<Name>, A::Error> {
        let mut all = Vec::new();
        while let Some(name) = names.next_element()? {
            all.push(name);
        }
        Ok(all)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Vec<Name>, E> {
        let wrong = || E::custom("not names");
        let bytes = decoded(text).ok_or_else(wrong)?;
        let mut rest = bytes.as_slice();
        let mut names = Vec::new();
        while !rest.is_empty() {
            names.push(read(&mut rest).ok_or_else(wrong)?);
        }
        Ok(names)
    }
}

/// The next name.
fn read(bytes: &mut &[u8]) -> Option<Name> {
    let mut name = Name { whole: number(bytes)?, ..Name::default() };
    name.lane = match one(bytes)? {
        0 => None,
        1 => Some(Lane::Production),
        2 => Some(Lane::Staging),
        3 => Some(Lane::Development),
        _ => return None,
    };
    let (parts, telling, patterns) = (one(bytes)?, one(bytes)?, one(bytes)?);
    for _ in 0..parts {
        name.parts.push(number(bytes)?);
    }
    for _ in 0..telling {
        name.telling.push(number(bytes)?);
    }
    for _ in 0..patterns {
        let length = one(bytes)?;
        let (pattern, rest) = bytes.split_at_checked(usize::from(length))?;
        name.patterns.push(std::str::from_utf8(pattern).ok()?.to_owned());
        *bytes = rest;
    }
    Some(name)
}

fn one(bytes: &mut &[u8]) -> Option<u8> {
    let (first, rest) = bytes.split_first()?;
    *bytes = rest;
    Some(*first)
}

fn number(bytes: &mut &[u8]) -> Option<u64> {
    let (number, rest) = bytes.split_first_chunk::<8>()?;
    *bytes = rest;
    Some(u64::from_be_bytes(*number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Deserialize, PartialEq, serde::Serialize)]
    struct Names(#[serde(with = "super")] Vec<Name>);

    #[test]
    fn names_come_back_as_they_were() {
        let names =
            ["feature/login-4812", "job-48xx", "svc-prod-web-7", "main.rs", "feature-*", "a"];
        let names = Names(names.iter().map(|name| Name::of(name)).collect());
        let text = serde_json::to_string(&names).unwrap();
        assert_eq!(serde_json::from_str::<Names>(&text).unwrap(), names);
        assert!(!text.contains("login") && !text.contains('['), "{text}");
    }

    #[test]
    fn names_as_they_were_kept_before_are_read_and_others_are_none() {
        let old = r#"[{"whole":7,"parts":[1,2],"telling":[2],"lane":"staging"}]"#;
        let Names(names) = serde_json::from_str(old).unwrap();
        assert!(
            names.len() == 1 && names[0].parts == [1, 2] && names[0].lane == Some(Lane::Staging)
        );
        for text in ["\"AAAA\"", "\"!\"", "7", "\"AAAAAAAAAAAJ\""] {
            assert!(serde_json::from_str::<Names>(text).is_err(), "{text}");
        }
    }
}

//! Small things that tools are given: words of command lines, addresses of people, headers, media types, texts. Owns what each of them
//! may look like; each rule is strict where the thing has a grammar.

use regex::Regex;
use serde::Deserialize;

use super::{Refused, seen};

/// One word of a command line.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct ArgumentRules {
    /// Whether it may begin with `-`, and so be an option.
    pub options: bool,
    /// The only words it may be; any where none is named.
    pub allowed: Vec<String>,
}

impl ArgumentRules {
    /// Holds a word to the rules.
    ///
    /// # Errors
    /// [`Refused`].
    pub fn check(&self, word: &str) -> Result<(), Refused> {
        let refuse = |message: &str| Err(Refused::new("argument", message));
        seen("argument", word)?;
        if word.len() > 8_192 {
            return refuse("the argument is too long");
        }
        if !self.options && word.starts_with('-') {
            return refuse("an argument that begins with `-` would be read as an option");
        }
        if !self.options && word.starts_with('@') {
            return refuse("an argument that begins with `@` would be read as a file of arguments");
        }
        if !self.allowed.is_empty() && !self.allowed.iter().any(|allowed| allowed == word) {
            return refuse("the argument is none of those that this tool takes");
        }
        Ok(())
    }
}

/// The address of one person.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct EmailRules {
    /// The only domains; any where none is named.
    pub domains: Vec<String>,
}

impl EmailRules {
    pub(super) fn check(&self, address: &str) -> Result<(), Refused> {
        let refuse = |message: &str| Err(Refused::new("email", message));
        seen("email", address)?;
        let Some((local, domain)) = address.rsplit_once('@') else {
            return refuse("it is no address: it has no `@`");
        };
        let is_local =
            |letter: char| letter.is_ascii_alphanumeric() || "!#$&'*+/=?^_`{|}~.-".contains(letter);
        let dots = |part: &str| part.starts_with('.') || part.ends_with('.') || part.contains("..");
        if local.is_empty()
            || local.len() > 64
            || dots(local)
            || !local.chars().all(is_local)
            || local.starts_with('-')
        {
            return refuse("the part before `@` is not that of one plain address");
        }
        let label = |label: &str| {
            !label.is_empty()
                && label.len() < 64
                && !label.starts_with('-')
                && !label.ends_with('-')
                && label.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '-')
        };
        if domain.len() > 253 || !domain.contains('.') || !domain.split('.').all(label) {
            return refuse("the part behind `@` is no domain");
        }
        let fits = |allowed: &String| match allowed.strip_prefix("*.") {
            Some(parent) => {
                let domain = domain.to_ascii_lowercase();
                domain
                    .strip_suffix(&parent.to_ascii_lowercase())
                    .is_some_and(|rest| rest.ends_with('.'))
            }
            None => allowed.eq_ignore_ascii_case(domain),
        };
        if !self.domains.is_empty() && !self.domains.iter().any(fits) {
            return refuse("this tool does not write to that domain");
        }
        Ok(())
    }
}

/// The value of a header, or `Name: value`.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct HeaderRules {
    /// Whether it is a whole header; its name must then be one of these.
    pub names: Vec<String>,
}

impl HeaderRules {
    pub(super) fn check(&self, header: &str) -> Result<(), Refused> {
        let refuse = |message: &str| Err(Refused::new("header", message));
        if header.chars().any(|letter| letter.is_control() && letter != '\t') {
            return refuse("the header holds a line break or another control character");
        }
        seen("header", &header.replace('\t', " "))?;
        if header.len() > 8_192 {
            return refuse("the header is too long");
        }
        if self.names.is_empty() {
            return Ok(());
        }
        let Some((name, _)) = header.split_once(':') else {
            return refuse("a header is written as `Name: value`");
        };
        if !self.names.iter().any(|allowed| allowed.eq_ignore_ascii_case(name)) {
            return refuse("this tool does not send that header");
        }
        Ok(())
    }
}

/// A kind of content: `text/plain`.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct MimeRules {
    /// The only kinds, `text/*` for all of one; any well-formed one where none is named.
    pub allowed: Vec<String>,
}

impl MimeRules {
    pub(super) fn check(&self, mime: &str) -> Result<(), Refused> {
        let refuse = |message: &str| Err(Refused::new("mime", message));
        let kind = mime.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        let is_token = |part: &str| {
            !part.is_empty()
                && part.len() < 128
                && part
                    .chars()
                    .all(|letter| letter.is_ascii_alphanumeric() || "!#$&^_.+-".contains(letter))
        };
        let Some((top, sub)) =
            kind.split_once('/').filter(|(top, sub)| is_token(top) && is_token(sub))
        else {
            return refuse("it is not a kind of content, like `text/plain`");
        };
        seen("mime", mime)?;
        let fits = |allowed: &String| match allowed.strip_suffix("/*") {
            Some(whole) => whole.eq_ignore_ascii_case(top),
            None => allowed.eq_ignore_ascii_case(&format!("{top}/{sub}")),
        };
        if !self.allowed.is_empty() && !self.allowed.iter().any(fits) {
            return refuse("this tool does not take that kind of content");
        }
        Ok(())
    }
}

/// Words for a person or a program.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct TextRules {
    /// The most characters.
    pub characters: Option<usize>,
    /// Whether it may have several lines.
    pub lines: bool,
    /// An expression that all of it must match.
    pub pattern: Option<Pattern>,
}

/// An expression that all of a text must match.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "String")]
pub struct Pattern(Regex);

impl TryFrom<String> for Pattern {
    type Error = String;

    fn try_from(written: String) -> Result<Self, String> {
        let whole = format!(r"\A(?:{written})\z");
        let built = regex::RegexBuilder::new(&whole).size_limit(1 << 20).build();
        built.map(Self).map_err(|error| format!("`{written}` is not an expression: {error}"))
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.0.as_str() == other.0.as_str()
    }
}

impl Eq for Pattern {}

impl TextRules {
    pub(super) fn check(&self, text: &str) -> Result<(), Refused> {
        let refuse = |message: &str| Err(Refused::new("text", message));
        let one_line;
        let shown = if self.lines {
            one_line = text.replace(['\n', '\t'], " ").replace("\r ", " ");
            &one_line
        } else {
            text
        };
        seen("text", shown)?;
        if self.characters.is_some_and(|most| text.chars().count() > most) {
            return refuse("the text is too long");
        }
        if self.pattern.as_ref().is_some_and(|pattern| !pattern.0.is_match(text)) {
            return refuse("the text is not of the form that this tool takes");
        }
        Ok(())
    }
}

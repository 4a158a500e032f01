//! Small things that tools are given: words of command lines, patterns, addresses of people, headers, names of packages and branches,
//! numbers. Owns what each of them may look like; each rule is strict where the thing has a grammar.

use regex::Regex;
use serde::Deserialize;
use serde_json::Value;

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

/// A pattern of file names.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct GlobRules {
    /// Whether `**` may be used.
    pub recursive: bool,
}

impl GlobRules {
    pub(super) fn check(&self, pattern: &str) -> Result<(), Refused> {
        let refuse = |message: &str| Err(Refused::new("glob", message));
        seen("glob", pattern)?;
        if pattern.is_empty() || pattern.len() > 1_024 {
            return refuse("the pattern is empty or too long");
        }
        if pattern.starts_with(['/', '\\', '~', '-']) || pattern.contains(':') {
            return refuse("the pattern does not begin in the workspace");
        }
        // `{.,}.` and `[.].` are `..` too.
        let bare: String =
            pattern.chars().filter(|letter| !"{}[],()!^?\\".contains(*letter)).collect();
        if bare.split('/').any(|component| component.contains(".."))
            || pattern.split('/').any(is_parent)
        {
            return refuse("the pattern can lead upwards");
        }
        let stars = pattern.matches("**").count();
        if stars > 0 && !self.recursive {
            return refuse("the pattern goes through all directories");
        }
        if stars > 2
            || pattern.matches(['*', '?']).count() > 16
            || pattern.matches(['{', '[', '(']).count() > 8
        {
            return refuse("the pattern has too many wildcards");
        }
        Ok(())
    }
}

/// Whether a component of a pattern stands for `..` in some shell: `.*` and `.?` do, `*` and `?` do not, as they take no dot at the
/// beginning. Choices (`{a,b}`, `@(a|b)`) may stand for anything.
fn is_parent(component: &str) -> bool {
    #[derive(Clone, Copy, PartialEq)]
    enum Piece {
        Letter(char),
        /// One character, no dot at the beginning.
        One,
        /// Any, no dot at the beginning.
        Many,
        /// Anything at all.
        Choice,
        /// Letters, which do not make up `..`, or nothing.
        Perhaps,
    }
    let mut pieces = Vec::new();
    let mut letters = component.chars().peekable();
    while let Some(letter) = letters.next() {
        let mut until =
            |close: char| letters.by_ref().take_while(|one| *one != close).collect::<String>();
        let choice = |inner: &str| match inner.contains(['.', '*', '?', '[', '{', '(']) {
            true => Piece::Choice,
            false => Piece::Perhaps,
        };
        let piece = match letter {
            '[' => {
                until(']');
                Piece::One
            }
            '{' => choice(&until('}')),
            '(' => {
                // What stands before it says how often.
                pieces.pop();
                choice(&until(')'))
            }
            '\\' => Piece::Letter(letters.next().unwrap_or('\\')),
            '?' => Piece::One,
            '*' => Piece::Many,
            other => Piece::Letter(other),
        };
        pieces.push(piece);
    }
    fn matches(pieces: &[Piece], text: &[char], begins: bool) -> bool {
        let Some((first, rest)) = pieces.split_first() else { return text.is_empty() };
        let shorter = || text.split_first().map(|(_, shorter)| shorter);
        match first {
            Piece::Letter(letter) => {
                text.first() == Some(letter)
                    && shorter().is_some_and(|shorter| matches(rest, shorter, false))
            }
            Piece::One => !begins && shorter().is_some_and(|shorter| matches(rest, shorter, false)),
            Piece::Many if begins => false,
            Piece::Many | Piece::Choice => {
                matches(rest, text, begins)
                    || shorter().is_some_and(|shorter| matches(pieces, shorter, false))
            }
            Piece::Perhaps => matches(rest, text, begins),
        }
    }
    // A component without a wildcard says it in so many words.
    pieces.iter().any(|piece| !matches!(piece, Piece::Letter(_)))
        && pieces.len() <= 64
        && matches(&pieces, &['.', '.'], true)
}

/// A regular expression, for programs that go back over the text.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct RegexRules {
    /// Whether the program reads it without going back (`grep -E`, RE2, Rust), so that repetitions within repetitions cost nothing.
    pub linear: bool,
}

impl RegexRules {
    pub(super) fn check(&self, pattern: &str) -> Result<(), Refused> {
        let refuse = |message: &str| Err(Refused::new("regex", message));
        if pattern.len() > 1_000 {
            return refuse("the expression is too long");
        }
        if pattern.contains('\0') {
            return refuse("the expression holds a NUL");
        }
        // References back and looks around are in no regular language, and refused with what is malformed.
        if regex::RegexBuilder::new(pattern).size_limit(1 << 20).nest_limit(32).build().is_err() {
            return refuse("the expression cannot be read, or takes too much");
        }
        if !self.linear && repeats_repetition(pattern) {
            return refuse("the expression repeats what repeats, which can take for ever");
        }
        Ok(())
    }
}

/// How many ways of taking a text a repeated group may have.
const WAYS: f64 = 4_096.0;

/// Whether a group that can take a text in several ways (`a+`, `a?`, `a{1,9}`, `a|b`) is itself repeated, so often that trying them all takes
/// for ever: `(a+)+`, `(a|a)*`, `(a?){30}`, `(a{1,9}){1,9}`.
fn repeats_repetition(pattern: &str) -> bool {
    let letters: Vec<char> = pattern.chars().collect();
    // How many ways each open group has.
    let mut groups = vec![1.0_f64];
    let mut at = 0;
    while let Some(letter) = letters.get(at) {
        let mut ways = 1.0;
        at += 1;
        match letter {
            '\\' => at += 1,
            '[' => {
                // The first `]` of a class is one of its characters.
                at += usize::from(letters.get(at) == Some(&'^')) + 1;
                while letters.get(at).is_some_and(|letter| *letter != ']') {
                    at += 1 + usize::from(letters.get(at) == Some(&'\\'));
                }
                at += 1;
            }
            '(' => {
                groups.push(1.0);
                // `(?:`, `(?i)`
                at += usize::from(letters.get(at) == Some(&'?'));
                continue;
            }
            ')' if groups.len() > 1 => ways = groups.pop().unwrap_or(1.0),
            '|' => ways = 2.0,
            _ => {}
        }
        if let Some((least, most, width)) = quantifier(letters.get(at..).unwrap_or_default()) {
            at += width;
            if ways > 1.0 && most > 1.0 {
                // What is taken any number of times takes a short text in about as many ways as it has letters.
                let all = if ways.is_finite() { ways } else { 16.0 }.powf(most);
                if all > WAYS {
                    return true;
                }
                ways = all.max(ways);
            }
            ways *= most - least + 1.0;
        }
        if let Some(group) = groups.last_mut() {
            *group *= ways;
        }
    }
    false
}

/// How often at least and at most what stands before it is taken, and how long it is written.
fn quantifier(letters: &[char]) -> Option<(f64, f64, usize)> {
    let (least, most, width) = match letters.first()? {
        '*' => (0.0, f64::INFINITY, 1),
        '+' => (1.0, f64::INFINITY, 1),
        '?' => (0.0, 1.0, 1),
        '{' => {
            let end = letters.iter().position(|letter| *letter == '}')?;
            let inner: String = letters.get(1..end)?.iter().collect();
            let (least, most) = inner.split_once(',').unwrap_or((&inner, &inner));
            let least: u32 = least.trim().parse().ok()?;
            let most = match most.trim() {
                "" => f64::INFINITY,
                most => f64::from(most.parse::<u32>().ok()?),
            };
            (f64::from(least), most, end + 1)
        }
        _ => return None,
    };
    // Lazy or possessive.
    let more = usize::from(matches!(letters.get(width), Some('?' | '+')));
    Some((least, most, width + more))
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

/// A branch, tag or commit.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct GitRefRules {
    /// Whether it may be an expression (`HEAD~2`, `main..topic`) and not only a name.
    pub revisions: bool,
}

impl GitRefRules {
    pub(super) fn check(&self, name: &str) -> Result<(), Refused> {
        let refuse = |message: &str| Err(Refused::new("git-ref", message));
        seen("git-ref", name)?;
        if name.is_empty() || name.len() > 255 {
            return refuse("the name is empty or too long");
        }
        if name.starts_with('-') {
            return refuse("a name that begins with `-` would be read as an option");
        }
        let forbidden = if self.revisions { " *?[\\:" } else { " ~^:?*[\\" };
        if name.chars().any(|letter| forbidden.contains(letter)) {
            return refuse("the name holds a character that no name of git has");
        }
        let is_bad =
            |part: &str| part.is_empty() || part.starts_with('.') || part.ends_with(".lock");
        if !self.revisions
            && (name.contains("..")
                || name.contains("@{")
                || name == "@"
                || name.ends_with('.')
                || name.split('/').any(is_bad))
        {
            return refuse("it is not the name of a branch, a tag or a commit");
        }
        Ok(())
    }
}

/// The name of a package.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct PackageRules {
    /// Whose names.
    pub ecosystem: Ecosystem,
    /// The only packages; any where none is named.
    pub allowed: Vec<String>,
    /// Whether a version must be named (`name@1.2.3`, `name==1.2.3`).
    pub pinned: bool,
}

/// Whose package names.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Ecosystem {
    /// npm and what reads its registry.
    #[default]
    Npm,
    /// Python's index.
    Pypi,
    /// crates.io.
    Cargo,
    /// Debian and its relatives.
    Apt,
}

impl PackageRules {
    pub(super) fn check(&self, package: &str) -> Result<(), Refused> {
        let refuse = |message: &str| Err(Refused::new("package", message));
        let (name, version) = match self.ecosystem {
            // The first character may be the `@` of a scope.
            Ecosystem::Npm => match package.get(1..).and_then(|rest| rest.find('@')) {
                Some(at) => package.split_at(at + 1),
                None => (package, ""),
            },
            Ecosystem::Pypi => package.find("==").map_or((package, ""), |at| package.split_at(at)),
            Ecosystem::Cargo => package.find('@').map_or((package, ""), |at| package.split_at(at)),
            Ecosystem::Apt => package.find('=').map_or((package, ""), |at| package.split_at(at)),
        };
        let version = version.trim_start_matches(['@', '=']);
        if [name, version].iter().any(|part| is_file_of_package(part)) {
            return refuse("it names a file, and not a package of a registry");
        }
        let small = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit();
        let part = |part: &str| {
            part.starts_with(small)
                && part.chars().all(|letter| small(letter) || "-_.".contains(letter))
        };
        let is_name = match self.ecosystem {
            Ecosystem::Npm => match name.strip_prefix('@') {
                Some(scoped) => {
                    scoped.split_once('/').is_some_and(|(scope, name)| part(scope) && part(name))
                }
                None => part(name),
            },
            Ecosystem::Pypi => {
                name.starts_with(|letter: char| letter.is_ascii_alphanumeric())
                    && name.ends_with(|letter: char| letter.is_ascii_alphanumeric())
                    && name
                        .chars()
                        .all(|letter| letter.is_ascii_alphanumeric() || "-_.".contains(letter))
            }
            Ecosystem::Cargo => {
                name.starts_with(|letter: char| letter.is_ascii_alphabetic())
                    && name
                        .chars()
                        .all(|letter| letter.is_ascii_alphanumeric() || "-_".contains(letter))
            }
            Ecosystem::Apt => {
                name.len() > 1
                    && name.starts_with(small)
                    // A minus at the end takes the package away.
                    && !name.ends_with('-')
                    && name.chars().all(|letter| small(letter) || "+-.".contains(letter))
            }
        };
        if !is_name || name.len() > 214 {
            return refuse("it is not the name of a package of a registry");
        }
        // Elsewhere what stands before a colon says where the package comes from, or names another one: `npm:`, `file:`, `github:`.
        let marks = if self.ecosystem == Ecosystem::Apt { ".-+~:" } else { ".-+~" };
        if !version.chars().all(|letter| letter.is_ascii_alphanumeric() || marks.contains(letter))
            || version.starts_with(['-', '.'])
        {
            return refuse("the version is not one");
        }
        let is_exact = match self.ecosystem {
            // Fewer than three numbers are a range.
            Ecosystem::Npm | Ecosystem::Cargo => {
                let numbers = version.split(['-', '+']).next().unwrap_or_default();
                let is_number =
                    |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
                numbers.split('.').count() == 3 && numbers.split('.').all(is_number)
            }
            Ecosystem::Pypi | Ecosystem::Apt => {
                version.starts_with(|letter: char| letter.is_ascii_digit())
            }
        };
        if self.pinned && !is_exact {
            return refuse("the package must be named with its exact version");
        }
        if !self.allowed.is_empty() && !self.allowed.iter().any(|allowed| allowed == name) {
            return refuse("this tool does not install that package");
        }
        Ok(())
    }
}

/// Whether installers take a text for a file that holds a package, by its ending alone.
fn is_file_of_package(text: &str) -> bool {
    const ENDINGS: &[&str] = &[
        ".tgz",
        ".tar",
        ".tar.gz",
        ".tar.bz2",
        ".tar.xz",
        ".tar.lz",
        ".tar.lzma",
        ".tar.zst",
        ".tbz",
        ".txz",
        ".tlz",
        ".zip",
        ".whl",
        ".egg",
        ".crate",
        ".deb",
        ".gz",
        ".bz2",
        ".xz",
    ];
    let lower = text.to_ascii_lowercase();
    ENDINGS.iter().any(|ending| lower.ends_with(ending))
}

/// A number.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct NumberRules {
    /// The least.
    pub min: Option<f64>,
    /// The most.
    pub max: Option<f64>,
    /// Whether it must be whole.
    pub whole: bool,
}

impl NumberRules {
    pub(super) fn check(self, value: &Value) -> Result<(), Refused> {
        let refuse = |message: &str| Err(Refused::new("number", message));
        let Some(number) = value.as_f64().filter(|number| number.is_finite()) else {
            return refuse("it is not a number");
        };
        if self.whole && number.fract() != 0.0 {
            return refuse("the number is not whole");
        }
        if self.min.is_some_and(|min| number < min) {
            return refuse("the number is too small");
        }
        if self.max.is_some_and(|max| number > max) {
            return refuse("the number is too large");
        }
        Ok(())
    }
}

/// How much there may be of something.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct SizeRules {
    /// The most bytes of a text, or of all texts in a list or table.
    pub bytes: Option<usize>,
    /// The most elements of a list or table.
    pub elements: Option<usize>,
}

impl SizeRules {
    pub(super) fn check(self, value: &Value) -> Result<(), Refused> {
        if self.bytes.is_some_and(|most| bytes(value, 0) > most) {
            return Err(Refused::new("size", "it is too long"));
        }
        let elements = match value {
            Value::Array(list) => list.len(),
            Value::Object(table) => table.len(),
            _ => 0,
        };
        if self.elements.is_some_and(|most| elements > most) {
            return Err(Refused::new("size", "it has too many elements"));
        }
        Ok(())
    }
}

fn bytes(value: &Value, depth: usize) -> usize {
    match value {
        _ if depth > 64 => usize::MAX / 2,
        Value::String(text) => text.len(),
        Value::Array(list) => {
            list.iter().fold(0, |sum: usize, one| sum.saturating_add(bytes(one, depth + 1)))
        }
        Value::Object(table) => table.iter().fold(0, |sum: usize, (name, one)| {
            sum.saturating_add(name.len()).saturating_add(bytes(one, depth + 1))
        }),
        Value::Null | Value::Bool(_) | Value::Number(_) => 8,
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

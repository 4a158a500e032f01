//! What came from elsewhere: which values stood in it, what it demands of whoever reads it, and the commands in it. Owns how an answer is
//! read and what of it is kept; what follows from it is said in `rules::session`.
//!
//! An answer is data until a sentence in it tells somebody to do something. The values of such a sentence are kept apart from all others:
//! a call that carries one does what somebody else said, unless the person said it too.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::{
    Shown,
    act::{Acts, Role},
    digest::{Mark, Marks},
    lexicon::{Lexicon, folded, is_imperative, is_joined},
    token::{self, Token},
};

/// How many places are told apart that something came from; the oldest are forgotten first.
const SOURCES: usize = 16;

/// How many values, words and commands are kept of each.
const VALUES: usize = 128;
const WORDS: usize = 96;
const COMMANDS: usize = 128;

/// How much of an answer is read.
const LONGEST: usize = 1 << 20;

/// How long an answer is that only tells that something was done.
const RECEIPT: usize = 240;

/// How many words a demand goes on for.
const DEMAND: usize = 90;

/// How many characters are kept of where something came from.
const FROM: usize = 80;

/// How long a command may be that is known again, and how short.
const COMMAND: std::ops::RangeInclusive<usize> = 5..=600;

/// Who could have written what a call answered.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Weight {
    /// This session, or whoever has a say in the project.
    Project,
    /// Anybody.
    #[default]
    Elsewhere,
}

/// Where an answer came from.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Source {
    /// For a person: what `read_mail` answered.
    pub from: String,
    /// Who could have written it.
    pub weight: Weight,
    /// Whether it only tells that something was done.
    pub is_receipt: bool,
    /// What was asked for: the texts that the call gave.
    pub about: Vec<String>,
    /// The commands that the call itself ran: what tells of them again tells nothing.
    pub ran: Vec<String>,
    /// Whether nobody but git spoke, of what it was told to do.
    pub is_git: bool,
    /// The files that the call wrote.
    pub made: Vec<String>,
    /// What it wrote into them, and the commands that it ran itself.
    pub wrote: String,
    /// Whether it started something that goes on, and told its number.
    pub starts: bool,
}

impl Source {
    /// Whether a command that stood in an answer is nobody's advice but that of the call: it ran it itself, or git says how its own act goes on.
    fn is_own(&self, command: &str, line: &str) -> bool {
        let goes_on = self.is_git
            && command.starts_with("git ")
            && !command.contains(['@', ';', '&', '|', '`', '$', '<', '>'])
            && !command.contains("://")
            && !line.starts_with("remote:");
        goes_on || self.ran.iter().any(|ran| ran.trim() == command)
    }
}

/// What came from elsewhere so far.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(default)]
pub struct Heard {
    sources: Vec<Told>,
    /// Where text came from that tells an agent what to do, since a person last spoke.
    #[serde(skip_serializing_if = "Option::is_none")]
    planted: Option<String>,
    /// Where text came from that comes near to that.
    #[serde(skip_serializing_if = "Option::is_none")]
    near: Option<String>,
    /// Where a text of the project came from that orders something of nobody by name, and which acts that is: a commit's title, a comment.
    #[serde(skip_serializing_if = "Option::is_none")]
    ordered: Option<(String, Acts)>,
    /// Whether some of it was forgotten.
    is_cut: bool,
}

/// What one place told.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(default)]
struct Told {
    from: String,
    weight: Weight,
    /// The acts that it demands.
    acts: Acts,
    /// The values of its demands, and the words.
    values: Marks<VALUES>,
    words: Marks<WORDS>,
    commands: Marks<COMMANDS>,
}

impl Told {
    fn is_empty(&self) -> bool {
        self.acts.is_empty() && self.values.is_empty() && self.commands.is_empty()
    }
}

impl Heard {
    pub(super) const NOTHING: Self =
        Self { sources: Vec::new(), planted: None, near: None, ordered: None, is_cut: false };

    pub(super) fn is_empty(&self) -> bool {
        *self == Self::NOTHING
    }

    /// How many values are kept that stood in demands.
    #[must_use]
    pub fn demanded_values(&self) -> usize {
        self.sources.iter().map(|told| told.values.len()).sum()
    }

    /// How many commands are kept.
    #[must_use]
    pub fn commands(&self) -> usize {
        self.sources.iter().map(|told| told.commands.len()).sum()
    }

    /// Where text came from that tells an agent what to do, since a person last spoke.
    #[must_use]
    pub fn planted(&self) -> Option<&str> {
        self.planted.as_deref()
    }

    /// Where text came from that comes near to telling an agent what to do, since a person last spoke. What the project itself says so is about
    /// those of these acts that it orders.
    #[must_use]
    pub fn near(&self, acts: Acts) -> Option<&str> {
        let ordered = self.ordered.as_ref().filter(|(_, ordered)| ordered.meet(acts));
        self.near.as_deref().or_else(|| ordered.map(|(from, _)| from.as_str()))
    }

    /// The acts that somebody demanded who is not the person.
    #[must_use]
    pub fn demanded(&self) -> Acts {
        self.sources.iter().fold(Acts::NONE, |acts, told| acts.and(told.acts))
    }

    /// A person has spoken again.
    pub(super) fn person_spoke(&mut self) {
        self.planted = None;
        self.near = None;
        self.ordered = None;
    }

    /// Reads what a call answered.
    pub(super) fn hear(
        &mut self,
        source: &Source,
        text: &str,
        seen: Shown,
        is_made: &dyn Fn(Mark) -> bool,
    ) {
        let from: String = source.from.chars().zip(0..FROM).map(|(letter, _)| letter).collect();
        let is_own = source.weight == Weight::Project;
        // Git tells of what it was told to do itself, in the words of whoever recorded it.
        let seen = if source.is_git && !text.contains("remote:") && (seen.is_bare || !seen.planted)
        {
            Shown { planted: false, near: false, ..seen }
        } else {
            seen
        };
        if seen.planted && !(is_own && seen.is_bare) {
            self.planted = Some(from.clone());
        }
        if is_own && (seen.near || seen.planted) && seen.ordered.is_some() {
            // A log, a comment, a guide: whoever reads it is told a lot, and only what it orders is what was told.
            let acts = seen.ordered.unwrap_or_default();
            let before = self.ordered.take().map_or(Acts::NONE, |(_, acts)| acts);
            self.ordered = Some((from.clone(), acts.and(before)));
        } else if seen.near {
            self.near = Some(from.clone());
        }
        let read = text.get(..text.floor_char_boundary(LONGEST)).unwrap_or_default();
        self.is_cut |= read.len() < text.len();
        let mut told = self.taken(&from, source.weight);
        commands(source, read, is_made, &mut told.commands);
        if source.weight == Weight::Elsewhere && !(source.is_receipt && read.len() <= RECEIPT) {
            Reader { lexicon: Lexicon::shared(), ran: &source.ran, told: &mut told }.read(read);
        }
        if told.is_empty() {
            return;
        }
        if self.sources.len() >= SOURCES {
            self.sources.remove(0);
            self.is_cut = true;
        }
        self.sources.push(told);
    }

    /// What a place told before, taken out so that it comes last.
    fn taken(&mut self, from: &str, weight: Weight) -> Told {
        let known = self.sources.iter().position(|told| told.from == from && told.weight == weight);
        known.map_or_else(
            || Told { from: from.to_owned(), weight, ..Told::default() },
            |at| self.sources.remove(at),
        )
    }

    /// Where a value stood in a sentence that tells somebody to do something.
    #[must_use]
    pub(super) fn demands_value(&self, value: &str) -> Option<&str> {
        let mark = Mark::of(value);
        let told = self.sources.iter().rev().find(|told| told.values.has(mark));
        told.map(|told| told.from.as_str())
    }

    /// Where something was demanded that does this, and is about one of these words.
    #[must_use]
    pub(super) fn demands_act<'a>(
        &self,
        acts: Acts,
        mut words: impl Iterator<Item = &'a str> + Clone,
    ) -> Option<&str> {
        let told = self.sources.iter().rev().find(|told| {
            told.acts.meet(acts)
                || words.any(|word| word.len() > 3 && told.words.has(Mark::of(word)))
        });
        told.map(|told| told.from.as_str())
    }

    /// Whether one of these things was named where somebody demanded something: by its whole path, or by the end of it.
    #[must_use]
    pub(super) fn names<'a>(&self, mut things: impl Iterator<Item = &'a str>) -> bool {
        things.any(|thing| {
            let end = thing.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
            [thing, end].iter().any(|name| {
                let mark = Mark::of(name);
                name.len() > 3
                    && self.sources.iter().any(|told| {
                        told.weight == Weight::Elsewhere
                            && (told.values.has(mark) || told.words.has(mark))
                    })
            })
        })
    }

    /// Where something was demanded that a command does, and what it does it to was named there.
    #[must_use]
    pub(super) fn demands_of<'a>(
        &self,
        acts: Acts,
        mut words: impl Iterator<Item = &'a str> + Clone,
    ) -> Option<&str> {
        let told = self.sources.iter().rev().find(|told| {
            told.acts.meet(acts)
                && words.any(|word| {
                    let end = word.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
                    [word, end].iter().any(|name| {
                        let mark = Mark::of(name);
                        name.len() > 2 && (told.words.has(mark) || told.values.has(mark))
                    })
                })
        });
        told.map(|told| told.from.as_str())
    }

    /// Where a command stood word for word, and who could have written it there.
    #[must_use]
    pub(super) fn told_command(&self, command: &str) -> Option<(&str, Weight)> {
        let line = command.lines().next().unwrap_or_default();
        let is_heredoc = opens_heredoc(line);
        if !COMMAND.contains(&if is_heredoc { line.len() } else { command.len() }) {
            return None;
        }
        let mark = if is_heredoc {
            Mark::of(&opened(line, command.lines().skip(1)))
        } else {
            Mark::of(command)
        };
        let told = self
            .sources
            .iter()
            .filter(|told| told.commands.has(mark))
            .max_by_key(|told| told.weight);
        told.map(|told| (told.from.as_str(), told.weight))
    }

    /// Whether a command stood in what came from elsewhere.
    pub(super) fn tells(&self, command: Mark) -> bool {
        self.sources.iter().any(|told| told.commands.has(command))
    }

    /// Whether something was forgotten, so that a value that is not known may have been.
    #[must_use]
    pub const fn is_cut(&self) -> bool {
        self.is_cut
    }
}

/// What a text demands: the acts, the words that say of what, and the values.
pub(super) fn demands_of(
    text: &str,
) -> (Acts, impl Iterator<Item = Mark>, impl Iterator<Item = Mark>) {
    let read = text.get(..text.floor_char_boundary(LONGEST)).unwrap_or_default();
    let mut told = Told::default();
    Reader { lexicon: Lexicon::shared(), ran: &[], told: &mut told }.read(read);
    (told.acts, told.words.into_marks(), told.values.into_marks())
}

/// How many commands are known of what a call wrote itself.
const WROTE: usize = 256;

/// Every line of a text that could be a command.
pub(super) fn commands_in(text: &str) -> impl Iterator<Item = Mark> {
    let mut kept: Marks<WROTE> = Marks::NONE;
    commands(&Source::default(), text, &|_| false, &mut kept);
    kept.into_marks()
}

/// Keeps every line and every text in backticks that could be a command.
fn commands<const MOST: usize>(
    source: &Source,
    text: &str,
    is_made: &dyn Fn(Mark) -> bool,
    kept: &mut Marks<MOST>,
) {
    let is_project = source.weight == Weight::Project;
    let mut lines = text.lines().flat_map(|line| line.split("\\n")).peekable();
    while let Some(line) = lines.next() {
        let line = line.trim();
        let mut keep = |text: &str| {
            let text = text.trim();
            if !COMMAND.contains(&text.len())
                || !looks_like_command(text)
                || source.is_own(text, line)
            {
                return;
            }
            let mark = Mark::of(&opened(text, lines.clone()));
            if !(is_project && is_made(mark)) {
                kept.add(mark);
            }
        };
        let bare = line
            .trim_start_matches(['$', '>', '#', '-', '*', '/', '+', '"', '\'', '.'])
            .trim_start();
        let start = bare;
        let bare = bare.trim_end_matches(['"', '\'', ',', '\\']);
        // A heredoc's mark may stand in quotes.
        let bare = if opens_heredoc(start) { start } else { bare };
        keep(bare);
        keep(start);
        // `To see it: make repro`
        for text in [bare, start] {
            let last = text.rsplit_once(": ").filter(|(before, _)| before.len() < 80);
            keep(last.map_or("", |(_, behind)| behind));
            keep(text.split_once(": ").map_or("", |(_, behind)| behind));
        }
        for inner in line.split('`').skip(1).step_by(2) {
            keep(inner.trim_start_matches("$ "));
        }
    }
}

/// How many lines of what a heredoc holds tell it from another one that is opened in the same words, and how much of each.
const TOLD_BY: usize = 3;
const LOOKED_AT: usize = 8;
const TOLD_BY_BYTES: usize = 120;

/// A line of a command as it is compared: one that opens a heredoc together with the first lines of what it holds, which is what runs.
#[must_use]
pub fn opened<'a, 'b>(line: &'a str, behind: impl Iterator<Item = &'b str>) -> Cow<'a, str> {
    if !opens_heredoc(line) {
        return Cow::Borrowed(line);
    }
    let mut whole = line.trim().to_owned();
    // As a comparison shows them they have a sign before them.
    let behind =
        behind.zip(0..LOOKED_AT).map(|(line, _)| line.trim().trim_start_matches(['+', '>', ' ']));
    for (line, _) in behind.filter(|line| !line.is_empty()).zip(0..TOLD_BY) {
        whole.push('\n');
        whole.push_str(line.get(..line.floor_char_boundary(TOLD_BY_BYTES)).unwrap_or_default());
    }
    Cow::Owned(whole)
}

/// Whether a line ends with what opens a heredoc.
fn opens_heredoc(line: &str) -> bool {
    let Some((_, end)) = line.rsplit_once("<<") else { return false };
    let end = end.trim_start_matches('-').trim();
    let word = end.trim_matches(['\'', '"']);
    !word.is_empty() && word.bytes().all(|letter| letter.is_ascii_alphanumeric() || letter == b'_')
}

/// Whether a text begins like a command: with a name in lower case or a path, and goes on with words that are no sentence.
fn looks_like_command(text: &str) -> bool {
    let mut words = text.split_whitespace();
    let Some(first) = words.next() else { return false };
    let Some(second) = words.next() else { return false };
    let is_name = |word: &str| {
        word.bytes().all(|letter| {
            letter.is_ascii_alphanumeric()
                || matches!(letter, b'-' | b'_' | b'.' | b'/' | b'+' | b'~' | b'=')
        })
    };
    is_name(first)
        && first.bytes().any(|letter| letter.is_ascii_lowercase())
        && !first.ends_with(['.', ':'])
        && !first.starts_with(|letter: char| letter.is_ascii_uppercase() && !first.contains('='))
        && !second.starts_with('=')
}

struct Reader<'a> {
    lexicon: &'static Lexicon,
    /// The commands of the call that answered.
    ran: &'a [String],
    told: &'a mut Told,
}

impl Reader<'_> {
    fn read(&mut self, text: &str) {
        let mut left = 0_usize;
        let mut end = 0;
        let mut before = Role::And;
        let mut last = String::new();
        // Whether something is said that must be: `must be cancelled`.
        let mut must_be = false;
        for token in token::tokens(text) {
            let gap = text.get(end..token.start).unwrap_or_default();
            let rest = text.get(token.start + token.text.len()..).unwrap_or_default();
            end = token.start + token.text.len();
            let breaks = Break::of(gap, text.get(token.start..).unwrap_or_default());
            if breaks == Break::Field {
                left = 0;
            }
            let plain = folded(token.text);
            let starts =
                breaks != Break::None || matches!(before, Role::Demand | Role::And | Role::Please);
            let meanings = self.meanings(&plain);
            let mut role = Role::None;
            for meaning in &meanings {
                let is_key = rest.starts_with("\":")
                    || rest.starts_with("':")
                    || rest.starts_with(':') && !rest.starts_with("://");
                let joined = plain.chars().any(is_joined);
                let is_done = must_be && breaks == Break::None;
                let opens = (starts && is_imperative(&plain) || joined || is_done) && !is_key;
                let acts = meaning.acts.without(Acts::READ);
                if opens && !acts.is_empty() {
                    left = DEMAND;
                    self.told.acts = self.told.acts.and(acts);
                } else if opens && before == Role::Demand && meaning.acts.meet(Acts::READ) {
                    left = left.max(DEMAND / 2);
                }
                let is_report = plain == "to" && TELLS_OF.contains(&last.as_str());
                if meaning.role != Role::None && !is_report {
                    role = meaning.role;
                }
            }
            if role == Role::Please {
                left = DEMAND;
            }
            let is_told = left > 0 && tells_which(&plain, &last, gap);
            self.keep(&token, &plain, left > 0, is_told);
            must_be = plain == "be" && before == Role::Demand && breaks == Break::None;
            last = plain;
            left = left.saturating_sub(1);
            before =
                if breaks == Break::Sentence && role == Role::None { Role::None } else { role };
        }
        self.phrases(text);
    }

    fn meanings(&self, word: &str) -> Vec<super::act::Meaning> {
        if word == "sudo" {
            // What is to be done stands behind it.
            return Vec::new();
        }
        let mut meanings = vec![self.lexicon.meaning(word)];
        if word.chars().any(is_joined) {
            meanings.extend(self.lexicon.within(word));
        }
        meanings
    }

    fn keep(&mut self, token: &Token<'_>, plain: &str, is_demand: bool, is_demanded: bool) {
        let is_value = token.is_name() || plain.bytes().any(|letter| letter.is_ascii_digit());
        if is_value && is_demanded && !self.is_own(token.text) {
            self.told.values.add(Mark::of(token.text));
            // `{'file_id':'13'}` and `id=13`
            let parts = token.text.split(['=', ':', '\'']);
            for part in parts.filter(|part| !part.is_empty() && part.len() < token.text.len()) {
                self.told.values.add(Mark::of(part));
            }
        } else if !is_value && is_demand && plain.len() > 3 {
            self.told.words.add(Mark::of(plain));
        }
    }

    /// Whether a plain name or number is one that the call named itself, and an answer only speaks of again: `pm2 restart api`.
    fn is_own(&self, value: &str) -> bool {
        let is_plain = value
            .bytes()
            .all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, b'-' | b'_'));
        let says = |command: &String| {
            command
                .split(|letter: char| {
                    !(letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_'))
                })
                .any(|word| word == value)
        };
        is_plain && value.len() < 24 && self.ran.iter().any(says)
    }

    /// What stands in quotes somewhere behind a demand is a value as a whole.
    fn phrases(&mut self, text: &str) {
        if self.told.acts.is_empty() {
            return;
        }
        for quote in ['\'', '"', '`'] {
            for inner in text.split(quote).skip(1) {
                if (4..=120).contains(&inner.len())
                    && inner.contains(' ')
                    && !inner.contains(['\n', ':', '{'])
                {
                    self.told.values.add(Mark::of(inner));
                }
            }
        }
    }
}

/// English words behind which `to` only tells what somebody could not do, or may want: `unable to add the remote`.
const TELLS_OF: &[&str] =
    &["able", "attempted", "failed", "refused", "refusing", "tried", "unable", "wish", "wishes"];

/// Whether a word of a demand says what it is about: a short number does so only where something says that it is one of many.
fn tells_which(word: &str, before: &str, gap: &str) -> bool {
    let is_short = word.len() < 5 && word.bytes().all(|letter| letter.is_ascii_digit());
    !is_short
        || matches!(before, "id" | "ids" | "number" | "no" | "nr" | "key")
        || gap.ends_with(['\'', '"', '`', '#'])
}

/// What lies between two words.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Break {
    None,
    /// A sentence or a part of one ends.
    Sentence,
    /// Another field, paragraph or entry begins.
    Field,
}

impl Break {
    fn of(gap: &str, rest: &str) -> Self {
        let lines = gap.matches('\n').count();
        let is_field = gap.contains("\",")
            || gap.contains("',")
            || gap.contains("\"}")
            || gap.contains("'}") && gap.contains(',')
            || lines > 0
                && (gap.trim_start_matches([' ', '\n', '\r', '\'', '"']).starts_with("- ")
                    || is_key(rest));
        if is_field {
            Self::Field
        } else if lines > 0 && !gap.chars().all(|letter| letter == ' ' || letter == '\n')
            || lines > 1
            || gap.contains([
                '.', '!', '?', ':', ';', '(', ')', '>', '<', '"', '\'', '`', '#', '*', '。', '！',
                '」', '、', '，', '-', '[', '{', '=', '，',
            ])
            || gap.is_empty()
        {
            Self::Sentence
        } else {
            Self::None
        }
    }
}

/// Whether a line begins with the name of a field.
fn is_key(line: &str) -> bool {
    let line = line.lines().next().unwrap_or_default();
    line.split_once(':').is_some_and(|(key, value)| {
        key.len() <= 30
            && !key.is_empty()
            && key
                .bytes()
                .all(|letter| letter.is_ascii_lowercase() || matches!(letter, b'_' | b'-'))
            && (value.is_empty() || value.starts_with(' '))
    })
}

//! What the earlier calls of a session left behind: files whose content came from elsewhere, and what the agent was shown.
//! Owns what of it is remembered and how much; it is passed in with the facts, and out to whoever keeps it.

mod act;
mod asked;
mod cells;
mod concern;
mod delegated;
mod digest;
mod directory;
mod doing;
mod fields;
mod heard;
mod lasting;
mod lexicon;
mod made;
mod named;
mod records;
mod returned;
mod shared;
mod token;
mod tools;
mod words;

use serde::{Deserialize, Serialize};

pub use act::Acts;
pub use asked::{Asked, Broken, Limit};
pub use cells::Cells;
pub use concern::Concern;
pub use delegated::Delegated;
pub use directory::Directory;
pub use doing::{Doing, Given, Part};
pub use heard::{Heard, Source, Weight, opened};
pub use lasting::Lasting;
pub use lexicon::{acts_of_name, acts_of_order};
pub use made::Made;
pub use records::Records;
pub use returned::Returned;
pub use shared::Shared;
pub use tools::{ArgumentDefinition, Claims, ToolDefinition, Tools};

use crate::{
    action::{Action, ActionKind},
    decision::Layer,
    deed::{Deed, Denials},
    effect::{Begun, Connection, Effect, EffectKind, Effects, Run, WriteMode},
    split::{is_below, is_device},
    text::{Taint, Text},
};

/// How many files are remembered. Of more the oldest are gathered into the directory that they lie in: all of it counts as they do.
const FILES: usize = 256;

/// The longest path that is remembered, as systems allow them.
const PATH_BYTES: usize = 4096;

/// How much is kept of where something came from.
const FROM_CHARACTERS: usize = 80;

/// How many addresses are kept that were cloned.
const CLONES: usize = 32;

/// How many things are kept that were acted on.
const ACTED: usize = 64;

/// What is remembered of a session. It only ever makes a judgement stricter, but for what the person's own words ask for.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(default)]
pub struct SessionState {
    /// Files whose content came from elsewhere, the newest last.
    files: Vec<Left>,
    /// Where a secret stood that the agent was shown.
    secret: Option<String>,
    /// Where text came from that the agent was shown and that nobody here wrote.
    foreign: Option<String>,
    /// What was denied.
    #[serde(skip_serializing_if = "Denials::is_empty")]
    denied: Denials,
    /// The tools that the session has.
    #[serde(skip_serializing_if = "Tools::is_empty")]
    tools: Tools,
    /// What a person asked for.
    #[serde(skip_serializing_if = "Asked::is_empty")]
    asked: Asked,
    /// What came from elsewhere.
    #[serde(skip_serializing_if = "Heard::is_empty")]
    heard: Heard,
    /// Whom the person means by records that they named.
    #[serde(skip_serializing_if = "Shared::is_empty")]
    shared: Shared,
    /// Whom directories list under names that the person said.
    #[serde(skip_serializing_if = "Directory::is_empty")]
    directory: Directory,
    /// Documents that the person named for what is to be done.
    #[serde(skip_serializing_if = "Delegated::is_empty")]
    delegated: Delegated,
    /// Money that goes back to who paid it.
    #[serde(skip_serializing_if = "Returned::is_empty")]
    returned: Returned,
    /// The records that answers showed.
    #[serde(skip_serializing_if = "Records::is_empty")]
    records: Records,
    /// What was deleted, stopped or restarted since a person last spoke.
    #[serde(skip_serializing_if = "digest::Marks::is_empty")]
    acted: digest::Marks<ACTED>,
    /// Addresses that were cloned, the newest last.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    clones: Vec<String>,
    /// Code that ran in interpreters that live on.
    #[serde(skip_serializing_if = "Cells::is_empty")]
    cells: Cells,
    /// Commands that may still be running.
    #[serde(skip_serializing_if = "Lasting::is_empty")]
    lasting: Lasting,
    /// What it made itself.
    #[serde(skip_serializing_if = "Made::is_empty")]
    made: Made,
    /// What was typed into a terminal and not ended.
    #[serde(skip_serializing_if = "String::is_empty")]
    typed: String,
    /// Whether names and addresses of this machine may mean something elsewhere since then: another engine, cluster or tunnel.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    is_led: bool,
    /// Whether what was remembered cannot be read any more.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    is_lost: bool,
}

/// A file, or a directory, whose content came from elsewhere.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub struct Left {
    path: String,
    origin: Origin,
    /// The address, or the file that it is a copy of.
    from: String,
    /// Whether it is a directory in which files lie that are too many to be remembered one by one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    is_gathered: bool,
}

/// Where the content of a file came from.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Origin {
    /// From another machine.
    Network,
    /// From keys, tokens, passwords or the environment.
    Secret,
    /// From a decoder.
    Decoded,
}

/// What a tool's answer showed to the agent.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Shown {
    /// What is likely a secret.
    pub secret: bool,
    /// Words that tell an agent what to do.
    pub planted: bool,
    /// Where the first of those words begin, in bytes.
    pub planted_at: u32,
    /// Words that come near to that.
    pub near: bool,
    /// Whether what tells an agent what to do does so by bare orders alone, which stand in every log and guide: nobody is addressed or
    /// deceived, nothing is hidden or set aside.
    pub is_bare: bool,
    /// The acts that those words can order, where that is known.
    pub ordered: Option<Acts>,
}

impl SessionState {
    /// Of a session that only begins.
    pub const NOTHING: Self = Self {
        files: Vec::new(),
        secret: None,
        foreign: None,
        denied: Denials::NONE,
        tools: Tools::NONE,
        asked: Asked::NOTHING,
        heard: Heard::NOTHING,
        shared: Shared::NOTHING,
        directory: Directory::NOTHING,
        delegated: Delegated::NOTHING,
        returned: Returned::NOTHING,
        records: Records::NOTHING,
        acted: digest::Marks::NONE,
        clones: Vec::new(),
        cells: Cells::NONE,
        lasting: Lasting::NONE,
        made: Made::NOTHING,
        typed: String::new(),
        is_led: false,
        is_lost: false,
    };

    /// Whether there is nothing to remember.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::NOTHING
    }

    /// Remembers what an action does that may go on.
    pub fn after(&mut self, action: &Action, effects: &Effects) {
        for effect in &effects.list {
            match &effect.kind {
                EffectKind::Write { target, mode, content } => {
                    let path = target.path.as_deref().filter(|path| is_one_file(path));
                    let Some(path) = path else { continue };
                    match left(content, effects) {
                        Some((origin, from)) => self.keep(path, origin, from),
                        None if matches!(mode, WriteMode::Replace | WriteMode::Link) => {
                            self.forget(path);
                        }
                        None => {}
                    }
                }
                EffectKind::Run(run) => {
                    self.is_led |= leads_elsewhere(run);
                    if let Some(address) = cloned(run) {
                        self.clones.retain(|before| *before != address);
                        if self.clones.len() >= CLONES {
                            self.clones.remove(0);
                        }
                        self.clones.push(address);
                    }
                }
                EffectKind::Delete { target, .. } => {
                    if let Some(path) = &target.path {
                        self.forget(path);
                    }
                }
                // A tool that nobody knows may show what it fetched.
                EffectKind::Connect(connection)
                    if action.kind == ActionKind::Tool && !connection.is_local =>
                {
                    self.foreign = Some(address(connection));
                }
                _ => {}
            }
        }
        if let Some(typed) = &effects.typed {
            self.typed.clone_from(typed);
        }
        if effects.shown.taint.has(Taint::SECRET) {
            let file = effects.origins(&effects.shown).into_iter().find_map(file_of);
            self.secret = Some(file.unwrap_or_else(|| "the environment".to_owned()));
        }
        if effects.shown.taint.has(Taint::NETWORK) {
            let from = effects.origins(&effects.shown).into_iter().find_map(address_of);
            self.foreign = from.or_else(|| self.foreign.take());
        }
    }

    /// Remembers what was deleted, stopped or restarted, by name, where a person asked for anything.
    pub fn acted(&mut self, names: impl IntoIterator<Item = String>) {
        if self.asked.prompts() > 0 {
            for name in names {
                self.acted.add(digest::Mark::of(&name));
            }
        }
    }

    /// Remembers what a tool answered.
    pub fn told(&mut self, tool: &str, seen: impl Into<Shown>) {
        let seen = seen.into();
        if seen.secret {
            self.secret = Some(format!("what `{}` answered", short(tool)));
        }
        if seen.planted {
            self.foreign = Some(format!("what `{}` answered", short(tool)));
        }
    }

    /// Remembers which tools there are, as those who bring them say.
    pub fn learn(&mut self, tools: Vec<ToolDefinition>) {
        self.tools.learn(tools);
    }

    /// Of a session whose memory cannot be read: whatever it left behind may be there.
    #[must_use]
    pub fn lost() -> Self {
        Self { is_lost: true, ..Self::NOTHING }
    }

    /// Whether what was remembered cannot be read any more, since a person last spoke.
    #[must_use]
    pub const fn is_lost(&self) -> bool {
        self.is_lost
    }

    /// Remembers what a person sent. Nothing else may ever come here: it is by this that somebody is believed.
    pub fn person_sent(&mut self, text: &str) {
        self.asked.hear(text);
        let own = Asked::own_words(text);
        self.shared.person_sent(&own);
        self.delegated.person_sent(&own);
        self.returned.person_sent(&own);
        self.heard.person_spoke();
        self.acted = digest::Marks::NONE;
        self.is_lost = false;
    }

    /// Remembers what a call answered.
    pub fn answered(&mut self, source: &Source, text: &str, seen: impl Into<Shown>) {
        let seen = seen.into();
        let made = &self.made;
        self.heard.hear(source, text, seen, &|line| made.wrote_line(line));
        self.made.keep(source, text, &self.heard);
        if source.weight == Weight::Elsewhere && !source.is_receipt {
            self.records.answered(text, &self.asked);
            self.shared.answered(&source.from, text, &self.asked);
            self.directory.answered(source, text, &self.asked, seen);
            self.delegated.answered(source, text, &self.asked, seen.planted);
            self.returned.answered(source, text);
        }
    }

    /// Whether a value reaches whom the person means: those of a record that they named, or whoever a directory lists under a name that they said.
    #[must_use]
    pub fn lists(&self, value: &str) -> bool {
        self.shared.lists(value) || self.directory.lists(value)
    }

    /// Whether this pays back, to who paid it, what the person wants back with them.
    #[must_use]
    pub fn pays_back(&self, doing: &Doing<'_>) -> bool {
        self.returned.pays_back(doing)
    }

    /// Whom the person means by records that they named.
    #[must_use]
    pub const fn shared(&self) -> &Shared {
        &self.shared
    }

    /// What a person asked for so far.
    #[must_use]
    pub const fn asked(&self) -> &Asked {
        &self.asked
    }

    /// What the session made itself so far.
    #[must_use]
    pub const fn made(&self) -> &Made {
        &self.made
    }

    /// What came from elsewhere so far.
    #[must_use]
    pub const fn heard(&self) -> &Heard {
        &self.heard
    }

    /// How many things were deleted, stopped or restarted since a person last spoke.
    pub fn acted_on(&self) -> usize {
        self.acted.len()
    }

    /// Whether that was done to this.
    pub fn has_acted_on(&self, thing: &str) -> bool {
        self.acted.has(digest::Mark::of(thing))
    }

    /// Whether anything is known by which calls are compared with what was asked for and what came from elsewhere.
    #[must_use]
    pub fn knows_anything(&self) -> bool {
        self.is_lost || !self.asked.is_empty() || !self.heard.is_empty()
    }

    /// The tools that the session has, as those who bring them say.
    #[must_use]
    pub const fn tools(&self) -> &Tools {
        &self.tools
    }

    /// Remembers what was denied, for when it comes back in other words.
    pub fn denied(&mut self, deed: &Deed, layer: Layer) {
        self.denied.keep(deed, layer);
    }

    /// A person let this through: it is no longer denied.
    pub fn forgiven(&mut self, deed: &Deed) {
        self.denied.forgive(deed);
    }

    /// What was denied.
    #[must_use]
    pub const fn denials(&self) -> &Denials {
        &self.denied
    }

    /// Whether the agent was shown a secret.
    #[must_use]
    pub const fn knows_secret(&self) -> bool {
        self.secret.is_some()
    }

    /// Where the secret stood and the foreign text came from, where the agent was shown both.
    pub fn shown_both(&self) -> Option<(&str, &str)> {
        self.secret.as_deref().zip(self.foreign.as_deref())
    }

    /// What is known of a path, by itself or by a directory around it.
    pub fn left(&self, path: &str) -> Option<&Left> {
        self.files.iter().rev().find(|left| is_below(path, &left.path))
    }

    /// What the content of a path holds that came from elsewhere, by itself or by a directory around it.
    #[must_use]
    pub fn taint_of(&self, path: &str) -> Taint {
        let own = self.left(path).map_or(Taint::NONE, Left::taint);
        let around = |left: &&Left| left.is_gathered && is_below(path, &left.path);
        self.files.iter().filter(around).fold(own, |taint, left| taint.with(left.taint()))
    }

    /// A file below a directory that holds secrets since an earlier call.
    pub fn secret_below(&self, directory: &str) -> Option<&Left> {
        let below = |left: &&Left| {
            left.origin == Origin::Secret
                && (is_below(&left.path, directory)
                    || left.is_gathered && is_below(directory, &left.path))
        };
        self.files.iter().rev().find(below)
    }

    /// The addresses of repositories that were cloned, with the directory where that was named: `ADDRESS DIRECTORY`.
    pub fn cloned(&self) -> impl Iterator<Item = &str> {
        self.clones.iter().map(String::as_str)
    }

    /// Whether an earlier call led what is said to be on this machine elsewhere.
    #[must_use]
    pub const fn is_led_elsewhere(&self) -> bool {
        self.is_led
    }

    /// Remembers code that may run in an interpreter that lives on.
    pub fn ran(&mut self, language: &str, code: &str) {
        self.cells.keep(language, code);
    }

    /// The code that ran in interpreters that live on.
    #[must_use]
    pub const fn cells(&self) -> &Cells {
        &self.cells
    }

    /// Remembers a command that may go on when its call has ended.
    pub fn goes_on(&mut self, begun: Begun) {
        self.lasting.keep(begun);
    }

    /// Whether something may still be running that starts files.
    #[must_use]
    pub fn may_start(&self) -> bool {
        !self.lasting.is_empty() || self.is_lost
    }

    /// The commands that may still be running.
    #[must_use]
    pub const fn lasting(&self) -> &Lasting {
        &self.lasting
    }

    /// What was typed into a terminal and not ended: what is typed next stands behind it.
    #[must_use]
    pub fn typed(&self) -> &str {
        &self.typed
    }

    /// Everything that came from another machine.
    pub fn fetched(&self) -> impl Iterator<Item = &str> {
        let fetched = self.files.iter().filter(|left| left.origin == Origin::Network);
        fetched.map(|left| left.path.as_str())
    }

    fn keep(&mut self, path: &str, origin: Origin, from: String) {
        self.files.retain(|left| left.is_gathered || left.path != path);
        if self.files.len() >= FILES {
            self.gather();
        }
        self.files.push(Left { path: path.to_owned(), origin, from, is_gathered: false });
    }

    /// Makes room: what was remembered first lies in a directory with others from the same origin, and from here on all that lies there counts
    /// as they do.
    fn gather(&mut self) {
        let of = |origin| self.files.iter().filter(|left| left.origin == origin).count();
        let all = [Origin::Decoded, Origin::Secret, Origin::Network];
        let Some(origin) = all.into_iter().max_by_key(|origin| of(*origin)) else { return };
        let first = |left: &&Left| left.origin == origin && !left.is_gathered;
        let oldest = self.files.iter().find(first).map(|left| left.path.clone());
        let mut directory = oldest.unwrap_or_else(|| "/".to_owned());
        let in_it = |directory: &str| {
            let is_in = |left: &&Left| left.origin == origin && is_below(&left.path, directory);
            self.files.iter().filter(is_in).count()
        };
        loop {
            directory.truncate(directory.rfind('/').unwrap_or(0));
            if directory.is_empty() || in_it(&directory) > 1 {
                break;
            }
        }
        if directory.is_empty() {
            "/".clone_into(&mut directory);
        }
        self.files.retain(|left| left.origin != origin || !is_below(&left.path, &directory));
        let from = "elsewhere: more files than are remembered one by one".to_owned();
        self.files.insert(0, Left { path: directory, origin, from, is_gathered: true });
    }

    fn forget(&mut self, path: &str) {
        self.files.retain(|left| !is_below(&left.path, path));
    }
}

impl Left {
    /// Where its content came from, as a text remembers it.
    #[must_use]
    pub fn taint(&self) -> Taint {
        match self.origin {
            Origin::Network => Taint::NETWORK,
            Origin::Secret => Taint::SECRET,
            Origin::Decoded => Taint::DECODED,
        }
    }

    /// Where it lies.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The address, or the file, that it came from.
    #[must_use]
    pub fn from(&self) -> &str {
        &self.from
    }
}

/// `git clone ADDRESS [DIRECTORY]`, as its words.
fn cloned(run: &Run) -> Option<String> {
    if run.program != "git" {
        return None;
    }
    let mut words = run.arguments.iter().filter_map(|word| word.text.as_known());
    words.find(|word| *word == "clone")?;
    let words: Vec<&str> = words.collect();
    let at = words.iter().position(|word| word.contains("://") || word.contains('@'))?;
    let address = words.get(at)?;
    let directory = words.get(at + 1).filter(|word| !word.starts_with('-'));
    let all = match directory {
        Some(directory) => format!("{address} {directory}"),
        None => (*address).to_owned(),
    };
    (all.len() <= PATH_BYTES).then_some(all)
}

/// Whether a call makes later ones of the same shell or person reach another engine, cluster, database or machine by the names of
/// this one.
fn leads_elsewhere(run: &Run) -> bool {
    const VARIABLES: &[&str] = &[
        "COMPOSE_FILE",
        "COMPOSE_PROJECT_NAME",
        "DOCKER_CONTEXT",
        "DOCKER_HOST",
        "MYSQL_HOST",
        "MYSQL_TCP_PORT",
        "PGHOST",
        "PGPORT",
        "PGSERVICE",
        "REDISCLI",
    ];
    let words = || run.arguments.iter().map(|word| word.text.known_prefix());
    match run.program.as_str() {
        "export" | "declare" | "typeset" => {
            words().any(|word| VARIABLES.iter().any(|name| word.starts_with(name)))
        }
        "docker" | "podman" | "kubectl" => {
            let mut words = words();
            words.any(|word| matches!(word, "use" | "use-context" | "port-forward"))
        }
        "kubectx" => words().next().is_some_and(|word| !word.starts_with("--")),
        "ssh" | "autossh" => words().any(|word| {
            word.strip_prefix('-')
                .is_some_and(|letters| !letters.starts_with('-') && letters.contains(['L', 'D']))
        }),
        "cloud-sql-proxy" | "cloud_sql_proxy" | "cloudflared" | "redir" | "socat" | "stunnel" => {
            true
        }
        _ => false,
    }
}

/// Where a content came from, if from elsewhere.
fn left(content: &Text, effects: &Effects) -> Option<(Origin, String)> {
    let all = || effects.origins(content).into_iter();
    let taint = content.taint;
    if taint.has(Taint::NETWORK) {
        Some((Origin::Network, all().find_map(address_of).unwrap_or_default()))
    } else if taint.has(Taint::SECRET) {
        Some((Origin::Secret, all().find_map(file_of).unwrap_or_default()))
    } else {
        taint.has(Taint::DECODED).then(|| (Origin::Decoded, String::new()))
    }
}

fn is_one_file(path: &str) -> bool {
    let is_whole = match path.as_bytes() {
        [b'/', ..] => true,
        // `C:/work/x.ps1`
        [drive, b':', b'/' | b'\\', ..] => drive.is_ascii_alphabetic(),
        _ => false,
    };
    is_whole && path.len() <= PATH_BYTES && !is_device(path) && !path.contains(['*', '?', '['])
}

fn file_of(effect: &Effect) -> Option<String> {
    match &effect.kind {
        EffectKind::Read(target) => Some(short(target.path.as_deref()?)),
        _ => None,
    }
}

fn address_of(effect: &Effect) -> Option<String> {
    match &effect.kind {
        EffectKind::Connect(connection) if !connection.is_local => Some(address(connection)),
        _ => None,
    }
}

/// The host where it is known: an address may hold a password.
fn address(connection: &Connection) -> String {
    connection.host.as_deref().map_or_else(|| "the network".to_owned(), short)
}

fn short(text: &str) -> String {
    text.chars().take(FROM_CHARACTERS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_a_drive_is_kept_as_any_other() {
        for path in ["/work/x.sh", "C:/work/x.ps1", "d:\\x.ps1"] {
            assert!(is_one_file(path), "{path}");
        }
        for path in ["x.ps1", "C:x.ps1", "/work/*.sh", "1:/x"] {
            assert!(!is_one_file(path), "{path}");
        }
    }

    #[test]
    fn memory_is_bounded() {
        let mut state = SessionState::default();
        for number in 0..3 * FILES {
            state.keep(&format!("/tmp/{number}"), Origin::Network, String::new());
        }
        assert!(state.files.len() <= FILES);
        assert!(state.left(&format!("/tmp/{}", 3 * FILES - 1)).is_some());
    }

    #[test]
    fn what_is_too_much_to_be_remembered_one_by_one_is_not_forgotten() {
        let mut state = SessionState::default();
        state.keep("/work/.env.copy", Origin::Secret, String::new());
        state.keep("/work/app/d.sh", Origin::Network, String::new());
        for number in 0..2 * FILES {
            // Written anew, a file is the agent's own as long as it is known by its name.
            state.forget("/work/app/own.sh");
            state.keep(&format!("/work/app/f{number}"), Origin::Network, String::new());
        }
        assert!(state.files.len() <= FILES);
        assert!(state.taint_of("/work/app/d.sh").has(Taint::NETWORK));
        assert!(state.left("/work/app/d.sh").is_some());
        assert!(state.taint_of("/work/.env.copy").has(Taint::SECRET));
        assert_eq!(state.taint_of("/work/other/x.sh"), Taint::NONE, "nothing came from there");
        // Another origin in the same place hides none.
        for number in 0..2 * FILES {
            state.keep(&format!("/work/app/s{number}"), Origin::Secret, String::new());
        }
        assert!(state.taint_of("/work/app/d.sh").has(Taint::NETWORK));
        assert!(state.taint_of("/work/app/s0").has(Taint::SECRET));
        assert!(state.secret_below("/work/app/deep").is_some());
        // From all over, it lies everywhere.
        for number in 0..3 * FILES {
            state.keep(&format!("/d{number}/x"), Origin::Network, String::new());
        }
        assert!(state.files.len() <= FILES);
        assert!(state.taint_of("/d0/x").has(Taint::NETWORK));
        // Kept and read back, it is the same.
        let text = serde_json::to_string(&state).unwrap();
        assert_eq!(serde_json::from_str::<SessionState>(&text).unwrap(), state);
    }
}

//! Effects to findings: what is noticeable. Owns the registry of rules, read top to bottom; what a program does is said in
//! `programs`, what is done about a finding in `policy`.

use std::collections::BTreeMap;

use portcullis_syntax::Span;

use crate::{
    action::Action,
    effect::{Certainty, Effect, EffectKind, Effects, Kinds, LayerId, LayerOrigin, Location, Run},
    facts::Facts,
    finding::{Category, Confidence, Finding, Place},
    network::hosts,
    risk::Severity,
};

mod capacity;
mod chain;
mod change;
mod cloud;
mod cluster;
mod code;
mod computed;
mod contained;
mod containers;
mod credentials;
mod databases;
mod deployed;
mod desktop;
mod destruction;
mod document;
mod doors;
mod effects;
mod endpoint;
mod escape;
mod evasion;
mod execution;
mod exfiltration;
mod flow;
mod git;
mod images;
mod index;
mod infrastructure;
mod injection;
mod keepers;
mod leaks;
mod machines;
mod manifest;
mod messages;
#[cfg(test)]
mod near_shapes;
mod network;
mod outward;
mod packages;
mod passing;
mod pattern;
mod permission;
mod persistence;
mod privilege;
mod process;
mod production;
mod protection;
mod query;
mod requests;
mod route;
mod secrets;
mod services;
pub(crate) mod session;
mod settings;
mod system;
#[cfg(test)]
mod tests;
mod tools;
mod url;
mod verbs;
mod windows;

pub(crate) use crate::programs::notable::names;
pub use document::document;
pub use query::condition::always as always_holds;
pub use session::{acted_on, grave_acts, is_asked_for, source};

/// The most findings that are kept for one action, so that a generated script of a million deletions is told in a page.
/// The most severe ones are kept.
pub const MAX_FINDINGS: usize = 1000;

/// How much of an inner text is shown before and after a finding in it.
const SHOWN_AROUND: usize = 1000;

/// One rule.
pub struct Rule {
    /// `category.subject.detail`, lower case.
    pub id: &'static str,
    /// What kind of harm.
    pub category: Category,
    /// How bad; a [`Hit`] may say otherwise where it depends on the target.
    pub severity: Severity,
    /// How sure.
    pub confidence: Confidence,
    /// What would happen, in a sentence; a [`Hit`] may name the target.
    pub message: &'static str,
    /// What to do instead. A command in backticks in it must not fire a rule itself.
    pub remedy: &'static str,
    /// Whether it can be undone.
    pub reversible: bool,
    /// When it fires.
    pub when: When,
    /// Commands on which it fires.
    pub fires: &'static [&'static str],
    /// Commands that look alike and on which it does not.
    pub quiet: &'static [&'static str],
}

impl Rule {
    /// What rules about losing something have in common.
    pub(crate) const LOSS: Self = Self {
        id: "",
        category: Category::Destruction,
        severity: Severity::High,
        confidence: Confidence::High,
        message: "",
        remedy: "",
        reversible: false,
        when: When::Noted,
        fires: &[],
        quiet: &[],
    };
    /// What rules about an ordinary change have in common.
    pub(crate) const CHANGE: Self = Self {
        category: Category::Change,
        severity: Severity::Medium,
        reversible: true,
        ..Self::LOSS
    };
    /// What rules about showing or making keys have in common.
    pub(crate) const KEYS: Self = Self { category: Category::Credentials, ..Self::LOSS };
    /// What rules about opening something to others have in common.
    pub(crate) const OPENS: Self =
        Self { category: Category::Permission, reversible: true, ..Self::LOSS };
    /// What rules about foreign packages have in common.
    pub(crate) const SUPPLY: Self = Self { category: Category::SupplyChain, ..Self::LOSS };
}

/// When a rule fires.
#[derive(Clone, Copy)]
pub enum When {
    /// A program is run in one of these shapes. A shape is words separated by blanks:
    ///
    /// - the first word names the program, `a|b` either of several;
    /// - a word without a dash is an operand: operands must appear in this order, the first ones directly (subcommands), so
    ///   `push origin` means that `push` is the first operand and `origin` the next; `*` stands for any one operand, `…` for any number;
    ///   `a|b` for either, and `*` inside a word for any characters (`+*`, `*.sql`); more operands may follow;
    /// - a word with a dash is an option that must be given anywhere: `--force|-f`; `--replicas=0` also with its value;
    ///   `\*` for a star itself, `\_` for a blank;
    /// - `!word` must not be given (an option), or must not be among the operands;
    /// - `--` must stand somewhere.
    ///
    /// No shape fits a command that is only asked what it would do (`--dry-run`, `--help`…).
    Command(&'static [&'static str]),
    /// One effect of one of these kinds is on a certain target.
    Effect(Kinds, fn(&Effect, &Scene<'_>) -> Option<Hit>),
    /// One effect, once it is read: what its text says decides which of the shelf's rules fire, see [`READINGS`].
    Read,
    /// Several effects together, or the action itself.
    Scene(fn(&Scene<'_>, &mut Vec<Hit>)),
    /// A row in `programs` says so, by the rule's id.
    Noted,
    /// Words of the call say so, wherever they stand in it: its arguments, the agent's thought or summary.
    Words,
}

/// What a rule looks at.
pub struct Scene<'a> {
    /// The action.
    pub action: &'a Action,
    /// What it would do.
    pub effects: &'a Effects,
    /// What is known of the world.
    pub facts: &'a Facts,
}

/// A rule fired.
#[derive(Clone, Debug, Default)]
pub struct Hit {
    /// Where; the effect's own place where `None`.
    pub at: Option<Location>,
    /// How bad, where it depends on the target.
    pub severity: Option<Severity>,
    /// What would happen, where the target is worth naming.
    pub message: Option<String>,
    /// What it touches, with its kind.
    pub resource: Option<String>,
}

/// Rules that stand together: one file each.
pub struct Shelf {
    /// The programs that its [`When::Command`] rules name, sorted; a command of any other program passes by unseen.
    pub programs: &'static [&'static str],
    /// The rules.
    pub rules: &'static [Rule],
}

/// Every shelf.
pub static SHELVES: &[&Shelf] = &[
    &destruction::SHELF,
    &credentials::SHELF,
    &persistence::SHELF,
    &privilege::SHELF,
    &process::SHELF,
    &permission::SHELF,
    &system::SHELF,
    &evasion::SHELF,
    &protection::gate::SHELF,
    &protection::hook::SHELF,
    &protection::agent::SHELF,
    &capacity::SHELF,
    &leaks::SHELF,
    &machines::SHELF,
    &change::SHELF,
    &cloud::SHELF,
    &cluster::SHELF,
    &code::SHELF,
    &containers::SHELF,
    &databases::SHELF,
    &deployed::SHELF,
    &desktop::SHELF,
    &doors::SHELF,
    &escape::SHELF,
    &execution::SHELF,
    &exfiltration::SHELF,
    &git::SHELF,
    &images::SHELF,
    &infrastructure::SHELF,
    &injection::SHELF,
    &keepers::SHELF,
    &network::SHELF,
    &messages::SHELF,
    &outward::SHELF,
    &packages::SHELF,
    &production::SHELF,
    &query::SHELF,
    &query::kept::SHELF,
    &requests::SHELF,
    &endpoint::SHELF,
    &route::SHELF,
    &secrets::SHELF,
    &services::SHELF,
    &session::SHELF,
    &tools::SHELF,
    &url::SHELF,
    &verbs::SHELF,
    &verbs::granted::SHELF,
    &windows::SHELF,
];

/// Reads an effect once for all rules of its shelves, and tells which of them fire by their ids.
pub type Reading = fn(&Effect, &Scene<'_>, &mut Vec<(&'static str, Hit)>);

/// What is read of each effect for the rules that say [`When::Read`].
pub static READINGS: &[(&[&Shelf], Reading)] = &[
    (&[&query::SHELF, &query::kept::SHELF], query::reading),
    (&[&requests::SHELF], requests::reading),
    (&[&tools::SHELF], tools::reading),
    (&[&verbs::SHELF], verbs::reading),
    (&[&verbs::granted::SHELF], verbs::granted::reading),
];

/// The rules whose findings nobody can approve: what they are about cannot be undone, or would end the gate itself.
pub const FLOORS: &[&str] = &[
    "disk.overwrite.device",
    "fs.delete.home",
    "fs.delete.root",
    "fs.delete.system-top",
    "protection.gate.change",
    "protection.gate.command",
    "protection.gate.hook",
    "protection.gate.startup",
    "protection.gate.stop",
    "protection.gate.token",
];

/// Every rule, in the order of the registry.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    SHELVES.iter().flat_map(|shelf| shelf.rules)
}

/// The rule with this id.
#[must_use]
pub fn find(id: &str) -> Option<&'static Rule> {
    all().find(|rule| rule.id == id)
}

/// Everything noticeable about an action, in the order of the text; no rule speaks twice about one place.
#[must_use]
pub fn apply(scene: &Scene<'_>) -> Vec<Finding> {
    let mut found = Found { effects: scene.effects, list: BTreeMap::new() };
    let mut read = Vec::new();
    for effect in scene.effects.list.iter().filter(|effect| !effect.earlier) {
        match &effect.kind {
            EffectKind::Run(run) => commands(run, effect, scene, &mut found),
            EffectKind::Noted(id) => {
                if let Some(rule) = find(id) {
                    let hit = passing::tempered(rule.id, effect, scene, Hit::default());
                    found.of(scene, effect, rule, hit);
                }
            }
            _ => {}
        }
        for rule in index::looking_at(&effect.kind) {
            if let When::Effect(_, fires) = rule.when
                && let Some(hit) = fires(effect, scene)
            {
                let hit = passing::tempered(rule.id, effect, scene, hit);
                found.of(scene, effect, rule, hit);
            }
        }
        for (shelves, reading) in READINGS {
            reading(effect, scene, &mut read);
            for (id, hit) in read.drain(..) {
                let mut rules = shelves.iter().flat_map(|shelf| shelf.rules);
                if let Some(rule) = rules.find(|rule| rule.id == id) {
                    let hit = passing::tempered(rule.id, effect, scene, hit);
                    found.of(scene, effect, rule, hit);
                }
            }
        }
    }
    let everything = Location {
        layer: LayerId(0),
        span: Span::new(0, scene.effects.layer_text(LayerId(0)).len()),
    };
    let mut hits = Vec::new();
    for rule in index::overlooking() {
        if let When::Scene(fires) = rule.when {
            fires(scene, &mut hits);
        }
        for hit in hits.drain(..) {
            let about = hit.at.and_then(|at| scene.effects.list.iter().find(|it| it.at == at));
            match about {
                Some(effect) if effect.earlier => {}
                Some(effect) if effect.contained && !contained::counts(rule.id) => {}
                Some(effect) => {
                    let hit = passing::projects::tempered(rule, effect, scene, hit);
                    let is_defined = effect.certainty == Certainty::Defined;
                    let certainty =
                        if is_defined { Certainty::Defined } else { Certainty::Certain };
                    found.add(rule, everything, certainty, hit);
                }
                None => found.add(rule, everything, Certainty::Certain, hit),
            }
        }
    }
    let mut findings = found.finish();
    findings.extend(injection::findings(scene));
    findings.extend(session::findings(scene, &findings));
    findings
}

/// The rules on commands that name the program.
fn commands(run: &Run, effect: &Effect, scene: &Scene<'_>, found: &mut Found<'_>) {
    if index::shapes(&run.program, index::Words::ANY).next().is_none() {
        return;
    }
    let command = pattern::Command::new(run);
    for (rule, words) in index::shapes(&run.program, command.first()) {
        if command.has_words(words) {
            let hit = passing::tempered(rule.id, effect, scene, Hit::default());
            found.of(scene, effect, rule, hit);
        }
    }
}

/// The findings so far, by place and rule.
struct Found<'a> {
    effects: &'a Effects,
    list: BTreeMap<(Location, &'static str), Box<Finding>>,
}

impl Found<'_> {
    /// What a rule says of an effect; in a container most of it is no harm.
    fn of(&mut self, scene: &Scene<'_>, effect: &Effect, rule: &'static Rule, hit: Hit) {
        let hit = passing::projects::tempered(rule, effect, scene, hit);
        let is_of_files =
            || rule.id.starts_with("fs.delete.") || rule.id == "protection.gate.change";
        let is_gone = match effect.contained {
            true => !contained::counts(rule.id),
            false => is_of_files() && scene.is_in_own_container(effect),
        };
        if !is_gone {
            self.add(rule, effect.at, effect.certainty, hit);
        }
    }

    fn add(&mut self, rule: &'static Rule, at: Location, certainty: Certainty, hit: Hit) {
        let at = hit.at.unwrap_or(at);
        let mut severity = hit.severity.unwrap_or(rule.severity);
        if certainty == Certainty::Defined {
            severity = severity.min(Severity::Medium);
        }
        if self.list.get(&(at, rule.id)).is_some_and(|known| known.severity >= severity) {
            return;
        }
        let finding = Finding {
            rule: rule.id,
            category: rule.category,
            severity,
            confidence: match (certainty, rule.confidence) {
                (Certainty::Defined, _) => Confidence::Low,
                (Certainty::Possible, Confidence::High) => Confidence::Medium,
                (Certainty::Possible, Confidence::Medium) => Confidence::Low,
                (_, confidence) => confidence,
            },
            place: self.place(at),
            message: hit.message.unwrap_or_else(|| rule.message.to_owned()),
            remedy: rule.remedy.to_owned(),
            reversible: rule.reversible,
            resource: hit.resource,
        };
        self.list.insert((at, rule.id), Box::new(finding));
        if self.list.len() >= 2 * MAX_FINDINGS {
            self.keep_the_worst();
        }
    }

    fn place(&self, at: Location) -> Place {
        let (pointer, span) = self.effects.outermost(at);
        let nested = self
            .effects
            .layers
            .get(usize::from(at.layer.0))
            .is_some_and(|layer| !matches!(layer.origin, LayerOrigin::Argument(_)));
        let layer = nested.then(|| {
            let (text, span) = excerpt(self.effects.layer_text(at.layer), at.span);
            self.effects.shown(text, span)
        });
        Place { pointer: pointer.to_owned(), span, layer, file: self.effects.file_place(at) }
    }

    /// Forgets the least severe half, the later ones first.
    fn keep_the_worst(&mut self) {
        let mut keys: Vec<_> =
            self.list.iter().map(|(key, finding)| (finding.severity, *key)).collect();
        keys.sort_by(|left, right| right.0.cmp(&left.0).then(left.1.cmp(&right.1)));
        for (_, key) in keys.into_iter().skip(MAX_FINDINGS) {
            self.list.remove(&key);
        }
    }

    /// A rule that knows only a word is silent where one that knows the tool speaks as loudly. What says less may be about
    /// another program at the same place, such as the `sudo` in front of it in `$command`.
    fn leave_out_the_generic(&mut self) {
        let mut known: BTreeMap<Location, Severity> = BTreeMap::new();
        for ((at, rule), finding) in &self.list {
            if !is_generic(rule) {
                let highest = known.entry(*at).or_insert(finding.severity);
                *highest = finding.severity.max(*highest);
            }
        }
        self.list.retain(|(at, rule), finding| {
            !is_generic(rule) || known.get(at).is_none_or(|highest| *highest < finding.severity)
        });
    }

    fn finish(mut self) -> Vec<Finding> {
        self.keep_the_worst();
        self.leave_out_the_generic();
        self.list.into_values().map(|finding| *finding).collect()
    }
}

fn is_generic(rule: &str) -> bool {
    verbs::GENERIC.contains(&rule)
}

/// The text around a span and the span in it; both are cut where they are long.
fn excerpt(text: &str, span: Span) -> (&str, Span) {
    let range = span.range();
    let from = text.floor_char_boundary(range.start);
    let to = text.ceil_char_boundary(range.end.min(from.saturating_add(2 * SHOWN_AROUND)));
    let start = text.floor_char_boundary(from.saturating_sub(SHOWN_AROUND));
    let end = text.ceil_char_boundary(to.max(from).saturating_add(SHOWN_AROUND));
    let shown = text.get(start..end).unwrap_or("");
    (shown, Span::new(from.saturating_sub(start), to.max(from).saturating_sub(start)))
}

//! Effects to findings: what is noticeable. Owns the registry of rules, read top to bottom; what a program does is said in
//! `programs`, what is done about a finding in `policy`.

use crate::{
    action::Action,
    effect::{Effect, Effects, Location},
    facts::Facts,
    finding::{Category, Confidence},
    risk::Severity,
};

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

/// When a rule fires.
pub enum When {
    /// A program is run in one of these shapes. A shape is words separated by blanks:
    ///
    /// - the first word names the program, `a|b` either of several;
    /// - a word without a dash is an operand: operands must appear in this order, the first ones directly (subcommands), so
    ///   `push origin` means that `push` is the first operand and `origin` the next; `*` stands for any one operand, `…` for any number;
    ///   `a|b` for either, and `*` inside a word for any characters (`+*`, `*.sql`);
    /// - a word with a dash is an option that must be given anywhere: `--force|-f`; `--replicas=0` also with its value;
    /// - `!word` must not be given (an option), or must not be among the operands.
    Command(&'static [&'static str]),
    /// One effect is of a certain kind, on a certain target.
    Effect(fn(&Effect, &Scene<'_>) -> Option<Hit>),
    /// Several effects together, or the action itself.
    Scene(fn(&Scene<'_>, &mut Vec<Hit>)),
    /// A row in `programs` says so, by the rule's id.
    Noted,
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
pub static SHELVES: &[&Shelf] = &[];

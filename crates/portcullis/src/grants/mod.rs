//! What people allowed beforehand, so that they are not asked again. Owns where grants are kept, how long and for what they
//! hold, and that each that holds once holds once; who may give one, [`crate::person`] finds out.
//!
//! One file for each grant: listing reads a directory, taking back removes a file, and of many processes that use a grant
//! for once exactly one removes it.

mod file;

use std::{
    fmt, fs, io,
    path::{Path, PathBuf},
};

use jiff::{SignedDuration, Timestamp};
use portcullis_core::{
    decision::{Decision, Layer, Obligation, Step, Verdict},
    policy::{NoPattern, Policy, Rule, Subject, covered, narrow},
    risk::{Risk, Severity},
};

use crate::{
    platform,
    private::{self, Unbelievable},
    session::Judged,
};

/// The directory of the grants in the state directory.
const DIRECTORY: &str = "grants";

/// The most files that are looked at: more grants than any person gave.
const MAX_GRANTS: usize = 1_000;

/// The longest that any grant holds.
pub const LONGEST: SignedDuration = SignedDuration::from_hours(366 * 24);

/// How far a clock may be behind the one that a grant was written by.
const CLOCK_SKEW: SignedDuration = SignedDuration::from_secs(2);

/// What a grant is known by.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct GrantId([u8; 16]);

impl GrantId {
    /// One that nobody can foresee.
    ///
    /// # Errors
    /// When the system has no random bytes.
    pub fn random() -> io::Result<Self> {
        platform::random().map(Self)
    }

    /// The first digits, enough for a person.
    #[must_use]
    pub fn short(&self) -> String {
        self.to_string().chars().take(8).collect()
    }
}

impl fmt::Display for GrantId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&data_encoding::HEXLOWER.encode(&self.0))
    }
}

impl std::str::FromStr for GrantId {
    type Err = NotAnId;

    fn from_str(text: &str) -> Result<Self, NotAnId> {
        let bytes = data_encoding::HEXLOWER.decode(text.as_bytes()).map_err(|_| NotAnId)?;
        bytes.try_into().map(Self).map_err(|_| NotAnId)
    }
}

/// A text that names no grant.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("expected 32 lower-case hexadecimal digits")]
pub struct NotAnId;

/// What is allowed.
#[derive(Clone, Debug, PartialEq)]
pub enum What {
    /// The one action with this hash, `sha256:…`.
    Exact(String),
    /// Whatever these rules cover, together and with those of the policy.
    Pattern(Vec<Rule>),
}

/// For how often and where.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Scope {
    /// Once.
    Once,
    /// In this session of an agent.
    Session(String),
    /// In this workspace.
    Project(String),
    /// Everywhere.
    Always,
}

impl Scope {
    /// The word for it.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Once => "once",
            Self::Session(_) => "session",
            Self::Project(_) => "project",
            Self::Always => "always",
        }
    }

    /// How long such a grant holds unless a person says otherwise.
    #[must_use]
    pub const fn usual(&self) -> SignedDuration {
        match self {
            Self::Once => SignedDuration::from_mins(15),
            Self::Session(_) => SignedDuration::from_hours(8),
            Self::Project(_) | Self::Always => SignedDuration::from_hours(30 * 24),
        }
    }

    /// The highest level that such a grant reaches.
    #[must_use]
    pub const fn reach(&self) -> Severity {
        match self {
            Self::Once => Severity::Critical,
            Self::Session(_) => Severity::High,
            Self::Project(_) | Self::Always => Severity::Medium,
        }
    }

    fn holds(&self, session: Option<&str>, workspace: Option<&str>) -> bool {
        match self {
            Self::Once | Self::Always => true,
            Self::Session(granted) => session == Some(granted),
            Self::Project(granted) => workspace == Some(granted),
        }
    }
}

/// What a person allowed beforehand.
#[derive(Clone, Debug, PartialEq)]
pub struct Grant {
    /// What it is known by.
    pub id: GrantId,
    /// What is allowed.
    pub what: What,
    /// For how often and where.
    pub scope: Scope,
    /// When it was given.
    pub granted: Timestamp,
    /// When it ends.
    pub expires: Timestamp,
    /// How risky the call was that it was given for.
    pub risk: Risk,
    /// That call, for a person.
    pub preview: String,
    /// Who gave it.
    pub by: String,
    /// The record of the answer that gave it.
    pub record: u64,
}

/// Why a grant counts for nothing.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Void {
    /// Its file is not believed.
    #[error(transparent)]
    Unbelievable(#[from] Unbelievable),
    /// Its time is over.
    #[error("it ended at {0}")]
    Expired(Timestamp),
    /// It was given at a time that has not come: a clock was turned back.
    #[error("it was given at {0}, which has not come yet")]
    NotYet(Timestamp),
    /// It holds longer than any may.
    #[error("it would hold longer than any grant may")]
    TooLong,
    /// One of its rules is none, or one that nobody can grant.
    #[error("its rule cannot be granted: {0}")]
    Rule(String),
}

impl Grant {
    /// Whether it holds at a time.
    ///
    /// # Errors
    /// [`Void`], with the reason why not.
    pub fn check(&self, now: Timestamp) -> Result<(), Void> {
        if now >= self.expires {
            return Err(Void::Expired(self.expires));
        }
        if self.granted.duration_since(now) > CLOCK_SKEW {
            return Err(Void::NotYet(self.granted));
        }
        if self.expires.duration_since(self.granted) > LONGEST {
            return Err(Void::TooLong);
        }
        if let What::Pattern(rules) = &self.what {
            for rule in rules {
                narrow(rule).map_err(|error| Void::Rule(error.to_string()))?;
            }
        }
        Ok(())
    }

    /// What it allows, in a few words that still have to be made visible.
    #[must_use]
    pub fn words(&self) -> String {
        match &self.what {
            What::Exact(_) => "exactly this call".to_owned(),
            What::Pattern(rules) => {
                rules.iter().map(|rule| format!("`{rule}`")).collect::<Vec<_>>().join(" and ")
            }
        }
    }
}

/// A file in the directory of grants.
#[derive(Debug)]
pub struct Listed {
    /// Its name.
    pub name: String,
    /// The grant, where it can be read, and whether it holds.
    pub grant: Result<(Grant, Result<(), Void>), Void>,
}

/// What is asked of the grants.
#[derive(Clone, Copy)]
pub struct Question<'a> {
    /// The call as it was judged, before what asks became a denial because nobody can be asked.
    pub judged: &'a Judged,
    /// The policy that it was judged under.
    pub policy: &'a Policy,
    /// The time.
    pub now: Timestamp,
}

/// A grant that answers a question. One for once is used up.
#[derive(Clone, Debug, PartialEq)]
pub struct Granted {
    /// The grant.
    pub grant: Grant,
    /// Why the call may go on, in a sentence.
    pub reason: String,
}

/// The grants of a state directory.
#[derive(Clone, Debug)]
pub struct Grants {
    directory: PathBuf,
}

impl Grants {
    /// Those of a state directory. Nothing is read or made yet.
    #[must_use]
    pub fn open(state: &Path) -> Self {
        Self { directory: state.join(DIRECTORY) }
    }

    /// The grant that lets an action go on which would be asked about, if there is one: never a denied one, and never one
    /// that a rule of the policy asks about by name unless it was granted exactly. A grant for once is used up by this, and
    /// of many processes that ask at once only one has it.
    ///
    /// Where there are no grants this costs the attempt to open their directory.
    #[must_use]
    pub fn answer(&self, question: &Question<'_>) -> Option<Granted> {
        let Question { judged, policy, now } = question;
        let decision = &judged.judgement.decision;
        if decision.verdict != Verdict::Ask {
            return None;
        }
        let mut valid: Vec<Grant> = self
            .files()
            .ok()?
            .filter_map(|path| file::read(&path).ok())
            .filter(|grant| grant.check(*now).is_ok() && reaches(grant, judged))
            .collect();
        // What stays is used before what is used up.
        valid.sort_by_key(|grant| (grant.scope == Scope::Once, grant.id));
        let action = judged.action.id();
        let is_this =
            |grant: &&Grant| matches!(&grant.what, What::Exact(granted) if *granted == action);
        let exact = valid.iter().filter(is_this);
        for grant in exact {
            if grant.scope != Scope::Once || self.remove(grant.id).is_ok_and(|was_there| was_there)
            {
                return Some(granted(grant.clone()));
            }
        }
        if decision.layer == Layer::AskRule {
            return None;
        }
        let rules = |grant: &Grant| match &grant.what {
            What::Pattern(rules) => rules.clone(),
            What::Exact(_) => Vec::new(),
        };
        let all: Vec<Rule> = valid.iter().flat_map(rules).collect();
        let subject = Subject {
            action: &judged.action,
            effects: &judged.judgement.effects,
            facts: &judged.facts,
            assessment: &judged.judgement.assessment,
        };
        let used = covered(policy, &all, &subject).ok()?;
        let mut holders =
            valid.into_iter().filter(|grant| rules(grant).iter().any(|rule| used.contains(rule)));
        let mut first = holders.next();
        // Each that is for once is used up, and without any of them the rules do not cover it.
        for grant in first.iter().cloned().chain(holders).collect::<Vec<_>>() {
            if grant.scope == Scope::Once && !self.remove(grant.id).is_ok_and(|was_there| was_there)
            {
                first = None;
            }
        }
        first.map(granted)
    }

    /// Every file there is, with what is wrong with it, by name.
    ///
    /// # Errors
    /// When the directory cannot be read or could be changed by others.
    pub fn list(&self, now: Timestamp) -> io::Result<Vec<Listed>> {
        let files = match self.files() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            other => other?,
        };
        let mut all: Vec<Listed> = files
            .map(|path| Listed {
                name: path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
                grant: file::read(&path).map(|grant| {
                    let holds = grant.check(now);
                    (grant, holds)
                }),
            })
            .collect();
        all.sort_by(|left, right| left.name.cmp(&right.name));
        Ok(all)
    }

    /// Keeps a grant.
    ///
    /// # Errors
    /// When it cannot be written; then it does not hold.
    pub fn add(&self, grant: &Grant) -> io::Result<()> {
        private::write(&self.directory.join(file::name(grant.id)), &file::written(grant)?)
    }

    /// Takes a grant back; `false` where there was none.
    ///
    /// # Errors
    /// When it cannot be removed.
    pub fn remove(&self, id: GrantId) -> io::Result<bool> {
        self.remove_file(&file::name(id))
    }

    /// As [`Grants::remove`], for a file that cannot be read as a grant.
    ///
    /// # Errors
    /// As [`Grants::remove`].
    pub fn remove_file(&self, name: &str) -> io::Result<bool> {
        match fs::remove_file(self.directory.join(name)) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Removes the grants that ended before a time.
    pub fn forget_expired(&self, before: Timestamp) {
        for listed in self.list(before).unwrap_or_default() {
            if let Ok((_, Err(Void::Expired(_)))) = listed.grant {
                // One that stays holds no longer all the same.
                let _ = self.remove_file(&listed.name);
            }
        }
    }

    fn files(&self) -> io::Result<impl Iterator<Item = PathBuf> + use<>> {
        let entries = fs::read_dir(&self.directory)?;
        if let Some(insecurity) = platform::insecurity(&fs::symlink_metadata(&self.directory)?) {
            return Err(io::Error::other(insecurity));
        }
        let is_ours = |path: &PathBuf| {
            path.file_name().is_some_and(|name| !name.as_encoded_bytes().starts_with(b"."))
        };
        Ok(entries.flatten().map(|entry| entry.path()).filter(is_ours).take(MAX_GRANTS))
    }
}

/// Whether a grant's scope holds here, and reaches the level of this action.
fn reaches(grant: &Grant, judged: &Judged) -> bool {
    grant.scope.holds(judged.action.call.session.as_deref(), judged.facts.workspace.as_deref())
        && judged.judgement.assessment.level <= grant.scope.reach()
}

fn granted(grant: Grant) -> Granted {
    let reason = format!("{} allowed {} ({})", grant.by, grant.words(), grant.scope.name());
    Granted { grant, reason }
}

impl Granted {
    /// Turns a decision that asks into the one that a person gave beforehand.
    pub fn settle(&self, decision: &mut Decision) {
        allow(decision, &self.reason);
    }
}

/// Turns a decision that asks into one that a person allowed.
pub(crate) fn allow(decision: &mut Decision, reason: &str) {
    debug_assert_eq!(decision.verdict, Verdict::Ask);
    decision.verdict = Verdict::Allow;
    decision.layer = Layer::Person;
    decision.reasons.insert(0, reason.to_owned());
    decision.steps.push(Step {
        layer: Layer::Person,
        verdict: Some(Verdict::Allow),
        note: reason.to_owned().into(),
    });
    if decision.obligations.is_empty() {
        decision.obligations.push(Obligation::RedactOutput);
    }
}

/// Why a call cannot be granted as a person wants it.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Refused {
    /// The scope does not reach that high.
    #[error("at {level} risk a call is allowed {} only", scopes(*.level))]
    Reach {
        /// The level of the call.
        level: Severity,
    },
    /// The rules do not hold for it.
    #[error("no pattern can allow it: {0}")]
    Pattern(#[from] NoPattern),
}

const fn scopes(level: Severity) -> &'static str {
    match level {
        Severity::Critical => "once",
        Severity::High => "once, or for a session, and exactly as it is,",
        Severity::Safe | Severity::Low | Severity::Medium => "in any way",
    }
}

/// Whether a scope reaches a level.
///
/// # Errors
/// [`Refused::Reach`].
pub fn within_reach(scope: &Scope, level: Severity) -> Result<(), Refused> {
    if level <= scope.reach() { Ok(()) } else { Err(Refused::Reach { level }) }
}

#[cfg(test)]
mod tests;

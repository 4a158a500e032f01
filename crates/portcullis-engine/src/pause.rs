//! A pause: for some minutes nobody is asked. Owns the marker in the state directory and when it ends, and that it comes before
//! any grant; what is denied stays denied, and who may begin one, [`crate::person`] finds out.

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::Duration,
};

use jiff::{SignedDuration, Timestamp};
use portcullis_core::{
    decision::{Decision, Verdict},
    policy::Policy,
};
use serde::{Deserialize, Serialize};

use crate::{
    grants::{Grants, Question},
    platform, private,
    session::{Judged, allow},
};

/// How long a pause is unless somebody says otherwise.
pub const USUAL: SignedDuration = SignedDuration::from_mins(10);

/// How long a pause is at most.
pub const LONGEST: SignedDuration = SignedDuration::from_mins(60);

/// The version of the format.
const VERSION: u32 = 1;

/// Longer than any marker.
const MAX_BYTES: u64 = 4_096;

/// A pause that holds.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Pause {
    v: u32,
    /// Who began it.
    pub by: String,
    /// When it began.
    pub began: Timestamp,
    /// When it ends.
    pub until: Timestamp,
    /// When it began on the clock that nobody can turn, in milliseconds since the system started.
    running: u64,
}

/// Two clocks: the one that people set, and one that only runs. A pause holds as long as both say so, so that turning the
/// first back does not make it longer.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Clocks {
    /// The time.
    pub now: Timestamp,
    /// How long the system has been up.
    pub running: Duration,
}

impl Clocks {
    /// Those of this system.
    #[must_use]
    pub fn read() -> Self {
        Self { now: Timestamp::now(), running: platform::uptime() }
    }
}

impl Pause {
    /// A pause from now on; longer than [`LONGEST`] it is not.
    #[must_use]
    pub fn new(by: &str, length: SignedDuration, clocks: Clocks) -> Self {
        let length = length.clamp(SignedDuration::ZERO, LONGEST);
        Self {
            v: VERSION,
            by: by.to_owned(),
            began: clocks.now,
            until: clocks.now.checked_add(length).unwrap_or(clocks.now),
            running: milliseconds(clocks.running),
        }
    }

    /// Whether it holds.
    #[must_use]
    pub fn holds(&self, clocks: Clocks) -> bool {
        let length = self.until.duration_since(self.began);
        let ran = milliseconds(clocks.running).checked_sub(self.running);
        self.v == VERSION
            && (SignedDuration::ZERO..=LONGEST).contains(&length)
            && (self.began..self.until).contains(&clocks.now)
            && ran.is_some_and(|ran| i128::from(ran) < length.as_millis())
    }

    /// What the record says of a call that it let through.
    #[must_use]
    pub fn reason(&self) -> String {
        format!("paused by {} until {:.0}", self.by, self.until)
    }

    /// Lets what would ask go on; what is denied stays denied.
    pub fn settle(&self, decision: &mut Decision) {
        if decision.verdict == Verdict::Ask {
            allow(decision, &self.reason());
        }
    }
}

fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// The pause of a state directory that holds now. Where there is none, this costs one attempt to open a file.
#[must_use]
pub fn active(state: &Path) -> Option<Pause> {
    active_at(state, Clocks::read)
}

/// Answers what would ask with what a person said beforehand: a pause, or a grant for it. Whether it was a grant.
#[must_use]
pub fn settle(judged: &mut Judged, policy: &Policy, state: &Path) -> bool {
    if judged.judgement.decision.verdict != Verdict::Ask {
        return false;
    }
    // A pause first, so that it uses up no grant.
    if let Some(pause) = active(state) {
        pause.settle(&mut judged.judgement.decision);
        return false;
    }
    let now = Timestamp::now();
    // Grants that cannot be read are none.
    let grants = Grants::open(state).ok().flatten();
    let granted =
        grants.and_then(|mut grants| grants.answer(&Question { judged, policy, whose: None, now }));
    if let Some(granted) = &granted {
        granted.settle(&mut judged.judgement.decision);
    }
    granted.is_some()
}

fn active_at(state: &Path, clocks: impl FnOnce() -> Clocks) -> Option<Pause> {
    let bytes = private::read(&marker(state), MAX_BYTES).ok()?;
    let pause: Pause = serde_json::from_slice(&bytes).ok()?;
    pause.holds(clocks()).then_some(pause)
}

/// Begins a pause, in the place of any other.
///
/// # Errors
/// When the marker cannot be written.
pub fn begin(state: &Path, pause: &Pause) -> io::Result<()> {
    private::write(&marker(state), &serde_json::to_vec(pause)?)
}

/// Ends a pause; `false` where there was none.
///
/// # Errors
/// When the marker cannot be removed.
pub fn end(state: &Path) -> io::Result<bool> {
    match fs::remove_file(marker(state)) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

fn marker(state: &Path) -> PathBuf {
    state.join("pause")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clocks(second: i64) -> Clocks {
        Clocks {
            now: Timestamp::from_second(1_790_000_000 + second).unwrap(),
            running: Duration::from_secs(5_000 + second.unsigned_abs()),
        }
    }

    fn minutes(minutes: i64) -> SignedDuration {
        SignedDuration::from_mins(minutes)
    }

    #[test]
    fn a_pause_ends_by_itself_and_no_clock_makes_it_longer() {
        let pause = Pause::new("dev", minutes(10), clocks(0));
        for (name, at, holds) in [
            ("at once", clocks(0), true),
            ("before the end", clocks(599), true),
            ("at the end", clocks(600), false),
            ("before it began", Clocks { now: clocks(-1).now, ..clocks(1) }, false),
            ("the clock was turned back", Clocks { now: clocks(60).now, ..clocks(601) }, false),
            ("the clock was turned on", Clocks { now: clocks(601).now, ..clocks(60) }, false),
            (
                "the system started anew",
                Clocks { running: Duration::from_secs(9), ..clocks(60) },
                false,
            ),
        ] {
            assert_eq!(pause.holds(at), holds, "{name}");
        }
        assert!(!Pause::new("dev", minutes(600), clocks(0)).holds(clocks(3_601)));
        assert!(!Pause::new("dev", minutes(-5), clocks(0)).holds(clocks(0)));
    }

    #[test]
    fn only_a_marker_as_we_write_it_is_a_pause() {
        let directory = tempfile::tempdir().unwrap();
        let state = directory.path().join("state");
        let active = |second: i64| active_at(&state, || clocks(second));
        assert_eq!(active(0), None);
        assert!(!end(&state).unwrap());
        let pause = Pause::new("dev", minutes(10), clocks(0));
        begin(&state, &pause).unwrap();
        assert_eq!(active(1), Some(pause.clone()));
        assert_eq!(active(700), None);

        let written = fs::read_to_string(marker(&state)).unwrap();
        for changed in [
            written.replace(r#""v":1"#, r#""v":2"#),
            written.replace(r#""by""#, r#""who""#),
            written.replace("2026-09-21T14:23:20Z", "2026-09-22T14:23:20Z"),
            format!("{written}{}", " ".repeat(5_000)),
            String::new(),
        ] {
            assert_ne!(changed, written);
            fs::write(marker(&state), &changed).unwrap();
            assert_eq!(active(1), None, "{changed}");
        }
        begin(&state, &pause).unwrap();
        assert!(end(&state).unwrap());
        assert_eq!(active(1), None);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_or_a_file_that_others_may_write_is_no_pause() {
        use std::os::unix::fs::{PermissionsExt as _, symlink};
        let directory = tempfile::tempdir().unwrap();
        let state = directory.path();
        let pause = Pause::new("dev", minutes(10), clocks(0));
        begin(state, &pause).unwrap();
        let active = || active_at(state, || clocks(1));
        assert!(active().is_some());
        fs::set_permissions(marker(state), fs::Permissions::from_mode(0o622)).unwrap();
        assert_eq!(active(), None);
        fs::set_permissions(marker(state), fs::Permissions::from_mode(0o600)).unwrap();
        fs::rename(marker(state), state.join("other")).unwrap();
        symlink(state.join("other"), marker(state)).unwrap();
        assert_eq!(active(), None);
    }
}

//! Who works with a gateway: the `[team]` table. Owns what it comes to: how people log in, what their groups may do, which projects there are, and whose
//! tokens mean agents. How it is written, [`table`] says; who somebody is, the program's `identity`.

mod table;

use std::{path::PathBuf, time::Duration};

use jiff::{
    SignedDuration, Timestamp,
    civil::{Time, Weekday},
    tz::TimeZone,
};
use portcullis_core::{
    authority::{Matter, Role, When},
    risk::Severity,
};

pub use self::table::TeamTable;
pub(super) use self::table::team_of;

/// How many days after which hours are those of the first one.
const WEEK: usize = 8;

/// Who works with a gateway.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Team {
    /// How people log in; by tokens of the gateway's own alone where there is nothing.
    pub login: Option<Login>,
    /// Which of the gateway's own tokens still count.
    pub tokens: LocalTokens,
    /// From which risk on somebody proves anew who they are before they approve.
    pub step_up: Option<StepUp>,
    /// When people are there.
    pub hours: Option<Hours>,
    /// What the groups of people may do.
    pub roles: Vec<Role>,
    /// The projects.
    pub projects: Vec<Project>,
    /// Whose tokens mean agents.
    pub workloads: Vec<Workload>,
}

/// An issuer of tokens, and how it is reached.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct IssuerAt {
    /// Its name, which is where it is.
    pub issuer: String,
    /// Whose signature its certificate has, where that is not one that this machine trusts.
    pub ca: Option<PathBuf>,
    /// Whether it stands at an address of the inside.
    pub private: bool,
}

/// How people log in.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Login {
    /// At whom.
    pub at: IssuerAt,
    /// Our name there.
    pub client_id: String,
    /// The file with our secret, where we have one.
    pub client_secret: Option<PathBuf>,
    /// What is asked for beside `openid`.
    pub scopes: Vec<String>,
    /// The claim with the groups of somebody.
    pub groups: String,
    /// The claim with what they are shown as.
    pub shown: String,
    /// How long they stay.
    pub stays: Duration,
}

/// Which of the gateway's own tokens still count.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum LocalTokens {
    /// All of them, as on the first day.
    #[default]
    All,
    /// Those of agents: people log in.
    Agents,
    /// None: agents come with tokens of what they run in.
    None,
}

/// When somebody proves anew who they are.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct StepUp {
    /// Before they approve what has this risk or more, or where the risk is not known.
    pub from: Severity,
    /// How long ago it may have been.
    pub max_age: SignedDuration,
    /// How it may have been, in the issuer's words; in any way where there are none.
    pub acr: Vec<String>,
}

/// When people are there.
#[derive(Clone, Debug, PartialEq)]
pub struct Hours {
    /// On which days.
    pub days: Vec<Weekday>,
    /// From when.
    pub from: Time,
    /// Until when.
    pub to: Time,
    /// By which clock.
    pub zone: TimeZone,
    /// From which risk on two people must agree outside of them.
    pub two_people: Option<Severity>,
}

/// A project.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Project {
    /// Its name.
    pub name: String,
    /// The names of the gateway's own tokens whose calls belong to it.
    pub agents: Vec<String>,
    /// From which risk on two people must agree there.
    pub two_people: Option<Severity>,
}

/// Somebody whose tokens mean agents.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Workload {
    /// Who.
    pub at: IssuerAt,
    /// For whom their tokens are made: us.
    pub audience: String,
    /// The file with their keys, where they are not asked for them.
    pub keys: Option<PathBuf>,
    /// The agents that are meant.
    pub agents: Vec<AgentOf>,
}

/// An agent, as a token means it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct AgentOf {
    /// What the token must say, each at a path of names.
    pub claims: Vec<(String, Word)>,
    /// The project that its calls belong to.
    pub project: Option<String>,
    /// The claim with the name of that project.
    pub project_claim: Option<String>,
}

/// What a claim must be.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Word {
    /// This word.
    Is(String),
    /// A word that begins with this.
    Begins(String),
    /// A list with this word in it.
    Has(String),
}

impl Hours {
    /// Whether people are there at a time.
    #[must_use]
    pub fn are_at(&self, time: Timestamp) -> bool {
        let here = self.zone.to_datetime(time);
        self.days.contains(&here.weekday()) && (self.from..self.to).contains(&here.time())
    }

    /// The first moment from one on at which people are there, or at which they are not; nothing where that is never.
    #[must_use]
    pub fn next(&self, are_there: bool, from: Timestamp) -> Option<Timestamp> {
        if self.are_at(from) == are_there {
            return Some(from);
        }
        let edge = if are_there { self.from } else { self.to };
        let mut day = self.zone.to_datetime(from).date();
        // Hours are the same each week, and a day that a zone left out is one more.
        for _ in 0..=WEEK {
            let there = day.to_datetime(edge).to_zoned(self.zone.clone()).ok()?.timestamp();
            if there >= from && self.are_at(there) == are_there {
                return Some(there);
            }
            day = day.tomorrow().ok()?;
        }
        None
    }
}

impl Team {
    /// Whether these are office hours; always where there are none.
    #[must_use]
    pub fn is_in_hours(&self, time: Timestamp) -> bool {
        self.hours.as_ref().is_none_or(|hours| hours.are_at(time))
    }

    /// From when on a role approves what was asked at a time; nothing where it never does.
    #[must_use]
    pub fn since(&self, role: &Role, asked: Timestamp, matter: &Matter<'_>) -> Option<Timestamp> {
        let in_hours = role.when != When::OutOfHours;
        role.covers(&Matter { waited: role.after, in_hours, ..*matter }).ok()?;
        let waited = asked.checked_add(SignedDuration::try_from(role.after).ok()?).ok()?;
        match (&self.hours, role.when) {
            (None, _) | (_, When::Always) => Some(waited),
            (Some(hours), _) => hours.next(in_hours, waited),
        }
    }

    /// The project of somebody who asks with a token that was made here.
    #[must_use]
    pub fn project_of(&self, name: &str) -> Option<&str> {
        let is_its = |project: &&Project| project.agents.iter().any(|agent| agent == name);
        self.projects.iter().find(is_its).map(|project| project.name.as_str())
    }

    /// From which risk on two people must agree about what a project asks at a time, beside what holds everywhere.
    #[must_use]
    pub fn two_people(&self, project: Option<&str>, time: Timestamp) -> Option<Severity> {
        let named = self.projects.iter().find(|one| Some(one.name.as_str()) == project);
        let of_project = named.and_then(|project| project.two_people);
        let of_hours = self.hours.as_ref().filter(|hours| !hours.are_at(time));
        [of_project, of_hours.and_then(|hours| hours.two_people)].into_iter().flatten().min()
    }

    /// It in words.
    pub(super) fn words(&self) -> String {
        let Self { login, tokens, step_up, hours, roles, projects, workloads } = self;
        let login = login.as_ref().map(|login| format!("people log in at {}", login.at.issuer));
        let tokens = match tokens {
            LocalTokens::All => None,
            LocalTokens::Agents => Some("own tokens for agents alone".to_owned()),
            LocalTokens::None => Some("no own tokens".to_owned()),
        };
        let step_up = step_up.as_ref().map(|step| format!("step-up from {}", step.from.name()));
        let hours = hours.as_ref().map(|_| "office hours".to_owned());
        let many = |count: usize, what: &str| (count > 0).then(|| format!("{count} {what}"));
        let parts = [
            login,
            tokens,
            step_up,
            hours,
            many(roles.len(), "roles"),
            many(projects.len(), "projects"),
            many(workloads.len(), "issuers of agents' tokens"),
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hours() -> Hours {
        Hours {
            days: vec![Weekday::Monday],
            from: Time::constant(8, 0, 0, 0),
            to: Time::constant(18, 0, 0, 0),
            zone: TimeZone::UTC,
            two_people: Some(Severity::High),
        }
    }

    #[test]
    fn office_hours_begin_and_end() {
        for (time, are) in [
            ("2026-11-30T07:59:59Z", false),
            ("2026-11-30T08:00:00Z", true),
            ("2026-11-30T17:59:59Z", true),
            ("2026-11-30T18:00:00Z", false),
            ("2026-12-01T12:00:00Z", false),
        ] {
            assert_eq!(hours().are_at(time.parse().unwrap()), are, "{time}");
        }
    }

    #[test]
    fn it_is_known_when_people_come_and_go() {
        let berlin = TimeZone::get("Europe/Berlin").unwrap_or(TimeZone::UTC);
        let week = vec![Weekday::Monday, Weekday::Tuesday, Weekday::Friday];
        for (hours, from, are_there, next) in [
            (hours(), "2026-11-30T12:00:00Z", true, Some("2026-11-30T12:00:00Z")),
            (hours(), "2026-11-30T12:00:00Z", false, Some("2026-11-30T18:00:00Z")),
            (hours(), "2026-11-30T18:00:00Z", true, Some("2026-12-07T08:00:00Z")),
            (hours(), "2026-11-30T07:00:00Z", true, Some("2026-11-30T08:00:00Z")),
            (Hours { days: Vec::new(), ..hours() }, "2026-11-30T12:00:00Z", true, None),
            (
                Hours { days: week, zone: berlin, ..hours() },
                // The night in which Berlin's clocks go back is between.
                "2026-10-23T17:00:00Z",
                true,
                Some("2026-10-26T07:00:00Z"),
            ),
        ] {
            let found = hours.next(are_there, from.parse().unwrap());
            assert_eq!(found, next.map(|next| next.parse().unwrap()), "{from} {are_there}");
        }
    }

    #[test]
    fn a_role_begins_to_approve_after_its_time_and_in_its_hours() {
        let role = |when, after| Role {
            group: "on-call".to_owned(),
            may: vec![portcullis_core::authority::Duty::Approve],
            projects: vec!["pay".to_owned()],
            up_to: Some(Severity::High),
            classes: Vec::new(),
            after: Duration::from_secs(after),
            when,
            policies: Vec::new(),
        };
        let matter = Matter {
            project: Some("pay"),
            risk: portcullis_core::risk::Risk::High,
            class: None,
            waited: Duration::ZERO,
            in_hours: true,
        };
        let team = Team { hours: Some(hours()), ..Team::default() };
        let asked = "2026-11-30T17:55:00Z".parse().unwrap();
        let since = |role: &Role, matter: &Matter<'_>| {
            team.since(role, asked, matter).map(|time| time.to_string())
        };
        for (when, after, from) in [
            (When::Always, 0, "2026-11-30T17:55:00Z"),
            (When::Always, 600, "2026-11-30T18:05:00Z"),
            (When::InHours, 60, "2026-11-30T17:56:00Z"),
            (When::InHours, 600, "2026-12-07T08:00:00Z"),
            (When::OutOfHours, 0, "2026-11-30T18:00:00Z"),
            (When::OutOfHours, 600, "2026-11-30T18:05:00Z"),
        ] {
            assert_eq!(
                since(&role(when, after), &matter).as_deref(),
                Some(from),
                "{when:?} {after}"
            );
        }
        let always = role(When::Always, 0);
        for never in [
            Matter { project: Some("web"), ..matter },
            Matter { risk: portcullis_core::risk::Risk::Critical, ..matter },
        ] {
            assert_eq!(since(&always, &never), None, "{never:?}");
        }
    }

    #[test]
    fn the_stricter_of_project_and_hours_counts() {
        let project = Project {
            name: "pay".to_owned(),
            agents: vec!["ci".to_owned()],
            two_people: Some(Severity::Critical),
        };
        let team = Team { hours: Some(hours()), projects: vec![project], ..Team::default() };
        let (day, night) = ("2026-11-30T12:00:00Z", "2026-11-30T22:00:00Z");
        let [day, night] = [day, night].map(|time| time.parse().unwrap());
        assert_eq!(team.two_people(Some("pay"), day), Some(Severity::Critical));
        assert_eq!(team.two_people(Some("pay"), night), Some(Severity::High));
        assert_eq!(team.two_people(Some("web"), day), None);
        assert_eq!(team.two_people(None, night), Some(Severity::High));
        assert_eq!((team.project_of("ci"), team.project_of("c")), (Some("pay"), None));
    }
}

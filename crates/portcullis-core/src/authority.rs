//! Who may decide what: roles that people have by their groups, and what each covers. Owns that alone; whose word counts on a request at all is
//! [`crate::approval`]'s, and who somebody is, the gateway finds out.
//!
//! A role only ever allows. Who has several may do what one of them covers whole: the risk of one and the project of another come to nothing.

use std::time::Duration;

use crate::{
    assessment::ActionClass,
    risk::{Risk, Severity},
};

/// The word for every project, and for everybody who can log in.
pub const ALL: &str = "*";

/// What a role lets people do. None of it is asking: no person is an agent.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Duty {
    /// Decide on requests.
    Approve,
    /// Read the record and the policy.
    Read,
    /// Make tokens, and change the approval policy.
    Admin,
}

/// When a role counts.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum When {
    /// Always.
    #[default]
    Always,
    /// In office hours alone.
    InHours,
    /// Outside of them alone.
    OutOfHours,
}

/// What people of one group may do.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Role {
    /// The group, or [`ALL`].
    pub group: String,
    /// What they may do.
    pub may: Vec<Duty>,
    /// Of which projects, or [`ALL`]; a request that belongs to none is everybody's who has all.
    pub projects: Vec<String>,
    /// Up to which risk they approve; any where there is none.
    pub up_to: Option<Severity>,
    /// Which classes of actions they approve; any where there are none.
    pub classes: Vec<ActionClass>,
    /// How long a request must have waited before they approve it: those whom it is carried to when nobody else answers.
    pub after: Duration,
    /// When they approve.
    pub when: When,
    /// Which approval policies they put in place; any where there are none.
    pub policies: Vec<String>,
}

/// What is to be decided.
#[derive(Clone, Copy, Debug)]
pub struct Matter<'a> {
    /// The project that it belongs to.
    pub project: Option<&'a str>,
    /// How risky it is.
    pub risk: Risk,
    /// What kind of thing it does; nothing where that is not known.
    pub class: Option<ActionClass>,
    /// How long it has waited.
    pub waited: Duration,
    /// Whether these are office hours; always where there are none.
    pub in_hours: bool,
}

/// Why a role does not cover a matter.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd, thiserror::Error)]
#[non_exhaustive]
pub enum Uncovered {
    /// They decide nothing.
    #[error("none of your roles decides on requests")]
    Duty,
    /// It is another project's.
    #[error("it belongs to a project of others")]
    Project,
    /// It does something else.
    #[error("your roles do not cover what kind of thing it does")]
    Class,
    /// It is riskier.
    #[error("it is riskier than your roles cover")]
    Risk,
    /// It is another time of the day.
    #[error("your role does not count at this time")]
    Hours,
    /// Others are asked first.
    #[error("others are asked first: it can be yours in {} s", .0.as_secs())]
    NotYet(Duration),
}

impl Role {
    /// Whether somebody of these groups has it.
    #[must_use]
    pub fn is_of(&self, groups: &[String]) -> bool {
        self.group == ALL || groups.contains(&self.group)
    }

    /// Whether it is about a project.
    #[must_use]
    pub fn is_about(&self, project: Option<&str>) -> bool {
        self.projects.iter().any(|one| one == ALL || Some(one.as_str()) == project)
    }

    /// Whether it lets somebody say yes.
    ///
    /// # Errors
    /// [`Uncovered`].
    pub fn covers(&self, matter: &Matter<'_>) -> Result<(), Uncovered> {
        self.covers_denial(matter)?;
        let Matter { project: _, risk, class, waited, in_hours } = matter;
        if !self.classes.is_empty() && !class.is_some_and(|class| self.classes.contains(&class)) {
            return Err(Uncovered::Class);
        }
        // What is not known may be critical.
        let severity = risk.severity().unwrap_or(Severity::Critical);
        if self.up_to.is_some_and(|most| severity > most) {
            return Err(Uncovered::Risk);
        }
        match (self.when, in_hours) {
            (When::Always, _) | (When::InHours, true) | (When::OutOfHours, false) => {}
            (When::InHours, false) | (When::OutOfHours, true) => return Err(Uncovered::Hours),
        }
        match self.after.checked_sub(*waited) {
            Some(left) if !left.is_zero() => Err(Uncovered::NotYet(left)),
            _ => Ok(()),
        }
    }

    /// Whether it lets somebody say no, which is never looser: their project is enough.
    ///
    /// # Errors
    /// [`Uncovered`].
    pub fn covers_denial(&self, matter: &Matter<'_>) -> Result<(), Uncovered> {
        if !self.may.contains(&Duty::Approve) {
            return Err(Uncovered::Duty);
        }
        if !self.is_about(matter.project) {
            return Err(Uncovered::Project);
        }
        Ok(())
    }
}

/// The first of these roles that covers a matter, in the way that is asked for.
///
/// # Errors
/// What stands in the way of the one that comes closest.
pub fn covering<'r>(
    roles: impl IntoIterator<Item = &'r Role>,
    matter: &Matter<'_>,
    approves: bool,
) -> Result<&'r Role, Uncovered> {
    let mut nearest = Uncovered::Duty;
    for role in roles {
        let covered = if approves { role.covers(matter) } else { role.covers_denial(matter) };
        match covered {
            Ok(()) => return Ok(role),
            Err(why) => nearest = nearest.max(why),
        }
    }
    Err(nearest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn role() -> Role {
        Role {
            group: "leads".to_owned(),
            may: vec![Duty::Approve],
            projects: vec!["pay".to_owned()],
            up_to: Some(Severity::High),
            classes: vec![ActionClass::Edit, ActionClass::Execute],
            after: Duration::from_secs(60),
            when: When::InHours,
            policies: Vec::new(),
        }
    }

    fn matter() -> Matter<'static> {
        Matter {
            project: Some("pay"),
            risk: Risk::High,
            class: Some(ActionClass::Edit),
            waited: Duration::from_secs(60),
            in_hours: true,
        }
    }

    #[test]
    fn a_role_covers_all_of_a_matter_or_nothing() {
        assert_eq!(role().covers(&matter()), Ok(()));
        for (matter, why) in [
            (Matter { project: Some("web"), ..matter() }, Uncovered::Project),
            (Matter { project: None, ..matter() }, Uncovered::Project),
            (Matter { risk: Risk::Critical, ..matter() }, Uncovered::Risk),
            (Matter { risk: Risk::Unknown, ..matter() }, Uncovered::Risk),
            (Matter { class: Some(ActionClass::Destructive), ..matter() }, Uncovered::Class),
            (Matter { class: None, ..matter() }, Uncovered::Class),
            (Matter { in_hours: false, ..matter() }, Uncovered::Hours),
            (
                Matter { waited: Duration::from_secs(59), ..matter() },
                Uncovered::NotYet(Duration::from_secs(1)),
            ),
        ] {
            assert_eq!(role().covers(&matter), Err(why), "{matter:?}");
        }
        let night = Role { when: When::OutOfHours, ..role() };
        assert_eq!(night.covers(&matter()), Err(Uncovered::Hours));
        assert_eq!(night.covers(&Matter { in_hours: false, ..matter() }), Ok(()));
        let reader = Role { may: vec![Duty::Read, Duty::Admin], ..role() };
        assert_eq!(reader.covers(&matter()), Err(Uncovered::Duty));
        assert_eq!(reader.covers_denial(&matter()), Err(Uncovered::Duty));
    }

    #[test]
    fn what_belongs_to_no_project_is_for_those_who_have_all() {
        let all = Role { projects: vec![ALL.to_owned()], ..role() };
        assert_eq!(all.covers(&Matter { project: None, ..matter() }), Ok(()));
        assert_eq!(all.covers(&matter()), Ok(()));
        // A project of that name is none of everybody's.
        let named = Role { projects: vec!["*x".to_owned()], ..role() };
        assert!(named.covers(&matter()).is_err());
    }

    #[test]
    fn a_no_needs_the_project_alone() {
        let late = Matter {
            risk: Risk::Critical,
            class: None,
            waited: Duration::ZERO,
            in_hours: false,
            ..matter()
        };
        assert_eq!(role().covers_denial(&late), Ok(()));
        assert_eq!(
            role().covers_denial(&Matter { project: None, ..late }),
            Err(Uncovered::Project)
        );
    }

    #[test]
    fn two_roles_are_not_added_up() {
        let risky = Role { projects: vec!["web".to_owned()], up_to: None, ..role() };
        let critical = Matter { risk: Risk::Critical, ..matter() };
        assert_eq!(covering([&role(), &risky], &critical, true), Err(Uncovered::Risk));
        assert_eq!(covering([&risky, &role()], &matter(), true), Ok(&role()));
        assert_eq!(covering([], &matter(), true), Err(Uncovered::Duty));
    }
}

//! The `[team]` table as it is written. Owns its words, and what of it is a mistake.

use std::{collections::BTreeMap, path::PathBuf, time::Duration};

use jiff::{SignedDuration, civil::Time, tz::TimeZone};
use portcullis_core::{
    authority::{ALL, Duty, Role, When},
    network::Target,
    policy::ApprovalPolicy,
};
use schemars::JsonSchema;
use serde::Deserialize;
use toml::Spanned;

use super::{AgentOf, Hours, IssuerAt, LocalTokens, Login, Project, StepUp, Team, Word, Workload};
use crate::{
    config::{
        error::Misreading,
        guardian::{AnyClassWord, class_of},
        level::{Level, level_of},
    },
    guardian::crosses_openly,
};

/// How long somebody stays logged in, at most and by default, in hours.
const STAYS: u32 = 8;

/// The longest that is waited before a request is carried to others, in seconds.
const LONGEST_AFTER: u32 = 30 * 24 * 3_600;

/// The longest name.
const LONGEST_NAME: usize = 256;

/// Who works with a gateway: people by their company's login, agents by what they run in, projects. Never in a project's file.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TeamTable {
    /// How people log in at the page, by OpenID Connect.
    #[schemars(with = "Option<LoginTable>")]
    pub login: Option<Spanned<LoginTable>>,
    /// Which tokens of the gateway's own still count; `all` by default, as on the first day.
    pub tokens: Option<TokensWord>,
    /// Before they approve what is grave, people prove anew who they are.
    #[schemars(with = "Option<StepUpTable>")]
    pub step_up: Option<Spanned<StepUpTable>>,
    /// When people are there.
    #[schemars(with = "Option<HoursTable>")]
    pub hours: Option<Spanned<HoursTable>>,
    /// What people may do by their groups. Who has none of these comes in nowhere.
    #[schemars(with = "Vec<RoleTable>")]
    pub roles: Vec<Spanned<RoleTable>>,
    /// Projects that calls belong to.
    #[schemars(with = "Vec<ProjectTable>")]
    pub projects: Vec<Spanned<ProjectTable>>,
    /// Whose tokens mean agents.
    #[schemars(with = "Vec<WorkloadTable>")]
    pub workloads: Vec<Spanned<WorkloadTable>>,
}

/// How people log in.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LoginTable {
    /// The issuer, as its description names it: `https://login.example/realms/acme`.
    pub issuer: String,
    /// The gateway's name there.
    pub client_id: String,
    /// The file with its secret, absolute; none where it is a public client.
    pub client_secret: Option<PathBuf>,
    /// What is asked for beside `openid`; `profile` by default.
    pub scopes: Option<Vec<String>>,
    /// The claim with the groups of somebody, `realm_access.roles` say; `groups` by default.
    pub groups: Option<String>,
    /// The claim with what they are shown as; `name` by default.
    pub shown: Option<String>,
    /// For how many hours they stay logged in, at most 8.
    pub hours: Option<u32>,
    /// The file with the certificates that sign the issuer's own, absolute; those that this machine trusts by default.
    pub ca: Option<PathBuf>,
    /// Whether the issuer stands at a private address; not by default.
    #[serde(default)]
    pub private: bool,
}

/// Which tokens of the gateway's own still count.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TokensWord {
    /// All of them.
    All,
    /// Those of agents: people log in.
    Agents,
    /// None: agents come with tokens of what they run in.
    None,
}

/// When somebody proves anew who they are.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StepUpTable {
    /// Before they approve what has this risk or more.
    pub from: Level,
    /// How many seconds ago it may have been; 300 by default.
    pub max_age: Option<u32>,
    /// How it may have been, in the issuer's words (`acr`); in any way where it is missing.
    #[serde(default)]
    pub acr: Vec<String>,
}

/// When people are there.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HoursTable {
    /// On which days; Monday to Friday by default.
    pub days: Option<Vec<DayWord>>,
    /// From when: `08:00`.
    pub from: String,
    /// Until when: `18:00`.
    pub to: String,
    /// By which clock: `Europe/Berlin`; `UTC` by default.
    pub zone: Option<String>,
    /// From which risk on two people must agree outside of them.
    pub two_people: Option<Level>,
}

/// A day of the week.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DayWord {
    /// Monday.
    Mon,
    /// Tuesday.
    Tue,
    /// Wednesday.
    Wed,
    /// Thursday.
    Thu,
    /// Friday.
    Fri,
    /// Saturday.
    Sat,
    /// Sunday.
    Sun,
}

/// What people of one group may do.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RoleTable {
    /// The group, as the issuer names it; `*` for everybody who can log in.
    pub group: String,
    /// What they may do.
    pub may: Vec<DutyWord>,
    /// Of which projects; all, and what belongs to none, where it is missing or holds `*`.
    pub projects: Option<Vec<String>>,
    /// Up to which risk they approve; any where it is missing.
    pub up_to: Option<Level>,
    /// Which classes of actions they approve; any where it is missing.
    #[serde(default)]
    pub classes: Vec<AnyClassWord>,
    /// How many seconds a request must have waited before they approve it.
    #[serde(default)]
    pub after: u32,
    /// When they approve; always by default.
    pub when: Option<WhenWord>,
    /// Which approval policies they put in place, where they may administer; any where it is missing.
    #[serde(default)]
    pub policies: Vec<String>,
}

/// What people do.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DutyWord {
    /// Decide on requests.
    Approve,
    /// Read the record and the policy.
    Read,
    /// Make tokens, and change the approval policy.
    Admin,
}

/// When a role counts.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WhenWord {
    /// Always.
    Always,
    /// In office hours alone.
    InHours,
    /// Outside of them alone.
    OutOfHours,
}

/// A project.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProjectTable {
    /// Its name.
    pub name: String,
    /// The names of the gateway's own tokens whose calls belong to it.
    #[serde(default)]
    pub agents: Vec<String>,
    /// From which risk on two people must agree there.
    pub two_people: Option<Level>,
}

/// Somebody whose tokens mean agents.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WorkloadTable {
    /// The issuer: `https://token.actions.githubusercontent.com`.
    pub issuer: String,
    /// For whom their tokens are made: this gateway.
    pub audience: String,
    /// The file with the issuer's keys (JWKS), absolute; it is asked for them by default.
    pub keys: Option<PathBuf>,
    /// The file with the certificates that sign the issuer's own, absolute.
    pub ca: Option<PathBuf>,
    /// Whether the issuer stands at a private address; not by default.
    #[serde(default)]
    pub private: bool,
    /// The agents that are meant, the first that fits.
    pub agents: Vec<AgentTable>,
}

/// An agent, as a token means it.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentTable {
    /// What the token must say: a word, or `{ begins = "…" }`, or `{ has = "…" }` for a list.
    pub claims: BTreeMap<String, ClaimTable>,
    /// The project that its calls belong to.
    pub project: Option<String>,
    /// The claim with the name of that project.
    pub project_claim: Option<String>,
}

/// What a claim must be.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum ClaimTable {
    /// This word.
    Is(String),
    /// A word that begins with this.
    Begins {
        /// With what.
        begins: String,
    },
    /// A list with this word in it.
    Has {
        /// Which.
        has: String,
    },
}

pub(in crate::config) fn team_of(table: &TeamTable) -> Result<Team, Misreading> {
    let TeamTable { login, tokens, step_up, hours, roles, projects, workloads } = table;
    if let (Some(step_up), None) = (step_up, login) {
        return Err(Misreading::new(step_up.span(), "nobody can prove anew who they are")
            .with_help("say in `team.login` where people log in"));
    }
    if let (Some(role), None) = (roles.first(), login) {
        return Err(Misreading::new(role.span(), "nobody has groups who logs in with a token")
            .with_help("say in `team.login` where people log in"));
    }
    if let (Some(login), true) = (login, roles.is_empty()) {
        return Err(Misreading::new(login.span(), "nobody who logs in there may do anything")
            .with_help("say in `team.roles` what the groups of people may do"));
    }
    let tokens = match tokens {
        None | Some(TokensWord::All) => LocalTokens::All,
        Some(TokensWord::Agents) => LocalTokens::Agents,
        Some(TokensWord::None) => LocalTokens::None,
    };
    let team = Team {
        login: login.as_ref().map(login_of).transpose()?,
        tokens,
        step_up: step_up.as_ref().map(step_up_of).transpose()?,
        hours: hours.as_ref().map(hours_of).transpose()?,
        roles: roles.iter().map(role_of).collect::<Result<_, _>>()?,
        projects: projects.iter().map(project_of).collect::<Result<_, _>>()?,
        workloads: workloads.iter().map(workload_of).collect::<Result<_, _>>()?,
    };
    for (role, written) in team.roles.iter().zip(roles) {
        if role.when != When::Always && team.hours.is_none() {
            return Err(Misreading::new(written.span(), "there are no office hours")
                .with_help("say in `team.hours` when people are there"));
        }
    }
    Ok(team)
}

fn login_of(table: &Spanned<LoginTable>) -> Result<Login, Misreading> {
    let LoginTable { issuer, client_id, client_secret, scopes, groups, shown, hours, ca, private } =
        table.get_ref();
    let wrong = |message: &str, help: &str| {
        Err(Misreading::new(table.span(), message.to_owned()).with_help(help))
    };
    let hours = hours.unwrap_or(STAYS);
    if !(1..=STAYS).contains(&hours) {
        return wrong("nobody stays logged in that long", "write `hours = 8` at most");
    }
    if client_id.is_empty() || client_id.len() > LONGEST_NAME {
        return wrong("the gateway has no name there", "register it there, and say `client_id`");
    }
    if client_secret.as_ref().is_some_and(|path| !path.is_absolute()) {
        return wrong(
            "the file of the secret is not an absolute path",
            "write it from the root on",
        );
    }
    let scopes = scopes.clone().unwrap_or_else(|| vec!["profile".to_owned()]);
    let is_scope =
        |scope: &String| !scope.is_empty() && scope.bytes().all(|byte| byte.is_ascii_graphic());
    if !scopes.iter().all(is_scope) {
        return wrong("a scope is a word without spaces", "write each as a text of its own");
    }
    let word = |given: &Option<String>, usual: &str| given.clone().unwrap_or_else(|| usual.into());
    Ok(Login {
        at: issuer_of(table, (issuer, ca, *private))?,
        client_id: client_id.clone(),
        client_secret: client_secret.clone(),
        scopes,
        groups: word(groups, "groups"),
        shown: word(shown, "name"),
        stays: Duration::from_secs(u64::from(hours) * 3_600),
    })
}

fn issuer_of<T>(
    table: &Spanned<T>,
    (issuer, ca, private): (&String, &Option<PathBuf>, bool),
) -> Result<IssuerAt, Misreading> {
    let unusable = |why: &dyn std::fmt::Display| {
        Misreading::new(table.span(), format!("the issuer cannot be used: {why}"))
            .with_help("write it letter for letter as it names itself: `https://login.example`")
    };
    let target = Target::read(issuer).map_err(|refusal| unusable(&refusal))?;
    if target.has_userinfo() || issuer.contains(['#', '?']) {
        return Err(unusable(&"it has a name, a query or a fragment in it"));
    }
    if crosses_openly(&target) {
        return Err(unusable(&"it is asked unencrypted"));
    }
    if ca.as_ref().is_some_and(|path| !path.is_absolute()) {
        return Err(unusable(&"the file `ca` is not an absolute path"));
    }
    Ok(IssuerAt { issuer: issuer.clone(), ca: ca.clone(), private })
}

fn step_up_of(table: &Spanned<StepUpTable>) -> Result<StepUp, Misreading> {
    let StepUpTable { from, max_age, acr } = table.get_ref();
    if acr.iter().any(|word| word.is_empty() || word.contains(' ')) {
        return Err(Misreading::new(table.span(), "a way to prove who one is has no spaces")
            .with_help("write each of `acr` as a text of its own"));
    }
    let max_age = SignedDuration::from_secs(i64::from(max_age.unwrap_or(300)));
    Ok(StepUp { from: level_of(*from), max_age, acr: acr.clone() })
}

fn hours_of(table: &Spanned<HoursTable>) -> Result<Hours, Misreading> {
    use jiff::civil::Weekday as Day;

    let HoursTable { days, from, to, zone, two_people } = table.get_ref();
    let wrong =
        |message: String, help: &str| Misreading::new(table.span(), message).with_help(help);
    let time = |text: &String| {
        let time = Time::strptime("%H:%M", text);
        time.map_err(|_| wrong(format!("`{text}` is no time of a day"), "write it as `08:00`"))
    };
    let (from, to) = (time(from)?, time(to)?);
    if from >= to {
        let help = "hours begin and end on one day; roles `out-of-hours` are for the rest";
        return Err(wrong("these hours end before they begin".to_owned(), help));
    }
    let zone = match zone {
        None => TimeZone::UTC,
        Some(name) => TimeZone::get(name).map_err(|_| {
            let help = "write it as `Europe/Berlin`; what zones there are, this machine says";
            wrong(format!("`{name}` is no time zone that is known here"), help)
        })?,
    };
    let day = |word: &DayWord| match word {
        DayWord::Mon => Day::Monday,
        DayWord::Tue => Day::Tuesday,
        DayWord::Wed => Day::Wednesday,
        DayWord::Thu => Day::Thursday,
        DayWord::Fri => Day::Friday,
        DayWord::Sat => Day::Saturday,
        DayWord::Sun => Day::Sunday,
    };
    let days = match days {
        Some(days) => days.iter().map(day).collect(),
        None => vec![Day::Monday, Day::Tuesday, Day::Wednesday, Day::Thursday, Day::Friday],
    };
    Ok(Hours { days, from, to, zone, two_people: two_people.map(level_of) })
}

fn role_of(table: &Spanned<RoleTable>) -> Result<Role, Misreading> {
    let RoleTable { group, may, projects, up_to, classes, after, when, policies } = table.get_ref();
    let wrong =
        |message: String, help: &str| Misreading::new(table.span(), message).with_help(help);
    if group.is_empty() || may.is_empty() {
        let help = "say `group`, and what it `may`: approve, read, admin";
        return Err(wrong("a role is of a group, and lets it do something".to_owned(), help));
    }
    if *after > LONGEST_AFTER {
        return Err(wrong("no request waits that long".to_owned(), "write a number of seconds"));
    }
    let unknown = policies.iter().find(|name| name.parse::<ApprovalPolicy>().is_err());
    if let Some(name) = unknown {
        let help = "expected confirm_all, confirm_medium_and_up, confirm_high_risk, auto_approve, auto_deny or custom";
        return Err(wrong(format!("`{name}` is no approval policy"), help));
    }
    let duty = |word: &DutyWord| match word {
        DutyWord::Approve => Duty::Approve,
        DutyWord::Read => Duty::Read,
        DutyWord::Admin => Duty::Admin,
    };
    Ok(Role {
        group: group.clone(),
        may: may.iter().map(duty).collect(),
        projects: projects.clone().unwrap_or_else(|| vec![ALL.to_owned()]),
        up_to: up_to.map(level_of),
        classes: classes.iter().map(class_of).collect(),
        after: Duration::from_secs(u64::from(*after)),
        when: match when {
            None | Some(WhenWord::Always) => When::Always,
            Some(WhenWord::InHours) => When::InHours,
            Some(WhenWord::OutOfHours) => When::OutOfHours,
        },
        policies: policies.clone(),
    })
}

fn project_of(table: &Spanned<ProjectTable>) -> Result<Project, Misreading> {
    let ProjectTable { name, agents, two_people } = table.get_ref();
    if name.is_empty() || name == ALL || name.len() > LONGEST_NAME {
        return Err(Misreading::new(table.span(), "this is no name of a project")
            .with_help("write a name of your own"));
    }
    Ok(Project { name: name.clone(), agents: agents.clone(), two_people: two_people.map(level_of) })
}

fn workload_of(table: &Spanned<WorkloadTable>) -> Result<Workload, Misreading> {
    let WorkloadTable { issuer, audience, keys, ca, private, agents } = table.get_ref();
    let wrong = |message: &str, help: &str| {
        Misreading::new(table.span(), message.to_owned()).with_help(help)
    };
    if audience.is_empty() {
        return Err(wrong(
            "these tokens are for nobody",
            "say in `audience` what names this gateway",
        ));
    }
    if keys.as_ref().is_some_and(|path| !path.is_absolute()) {
        return Err(wrong("the file of keys is not an absolute path", "write it from the root on"));
    }
    let agent = |one: &AgentTable| {
        let AgentTable { claims, project, project_claim } = one;
        if claims.is_empty() {
            let help = "name claims that only your own agents have: such an issuer signs for everybody who runs there";
            return Err(wrong("every token of this issuer would mean an agent", help));
        }
        if project.is_some() && project_claim.is_some() {
            let help = "say one of `project` and `project_claim`";
            return Err(wrong("a call belongs to one project", help));
        }
        let claim = |(path, word): (&String, &ClaimTable)| {
            let word = match word {
                ClaimTable::Is(word) => Word::Is(word.clone()),
                ClaimTable::Begins { begins } => Word::Begins(begins.clone()),
                ClaimTable::Has { has } => Word::Has(has.clone()),
            };
            if matches!(&word, Word::Begins(text) if text.is_empty()) {
                return Err(wrong("every word begins with nothing", "write how it begins"));
            }
            Ok((path.clone(), word))
        };
        Ok(AgentOf {
            claims: claims.iter().map(claim).collect::<Result<_, _>>()?,
            project: project.clone(),
            project_claim: project_claim.clone(),
        })
    };
    Ok(Workload {
        at: issuer_of(table, (issuer, ca, *private))?,
        audience: audience.clone(),
        keys: keys.clone(),
        agents: agents.iter().map(agent).collect::<Result<_, _>>()?,
    })
}

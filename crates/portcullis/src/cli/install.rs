//! `install` and `uninstall`: putting the gate in front of agents, and taking it away. Owns which agents are meant, what is
//! shown, and that a person agrees before anything is taken away; what is changed, [`crate::install`] says.

use std::{
    env,
    io::Write,
    path::{Path, PathBuf},
};

use clap::{Arg, ArgAction, ArgMatches, Command, builder::ValueParser};

use super::{Exit, Failure, shown};
use crate::{
    agents::{AGENTS, agent::Agent, table::Scope},
    audit::{self, Entry, Log},
    config::{self, Approve, Before, ConfigError, Configuration, Kept, Left, Named},
    hook, hooked,
    install::{
        self, Change, InstallError,
        command::{NoProgram, Program},
        doctor::{self, Proof},
        file,
        machine::{Located, Machine},
        manifest::{Manifest, ManifestError},
        status,
    },
    person::{NoPerson, Person},
    platform::{self, Directories},
    report::visible,
    session,
};

pub(super) fn define_install(command: Command) -> Command {
    common(command)
        .about("Put the gate in front of coding agents: of all that are found here, or of those that are named")
        .after_help(
            "Settings are changed in place; whatever else is in them stays, and what was there before is kept.\n\
             Examples:\n  portcullis install --dry-run\n  portcullis install claude codex\n  portcullis install gemini --project\n  \
             portcullis install --approve read-only",
        )
        .arg(
            Arg::new("approve")
                .long("approve")
                .value_name("WHICH")
                .value_parser(["never", "read-only", "policy"])
                .help("Which prompts of agents the gate answers: none, for calls that only read, or for all that the policy allows"),
        )
}

pub(super) fn define_uninstall(command: Command) -> Command {
    common(command).about("Take the gate away from coding agents; asks a person at a terminal").after_help(
        "A file that nobody changed since is restored byte by byte; from others just our entries are taken.",
    )
}

fn common(command: Command) -> Command {
    agents_argument(command)
        .arg(project_argument())
        .arg(
            Arg::new("user")
                .long("user")
                .action(ArgAction::SetTrue)
                .conflicts_with("project")
                .help("For everything that you do with the agent; this is the default"),
        )
        .arg(
            Arg::new("dry-run")
                .long("dry-run")
                .action(ArgAction::SetTrue)
                .help("Show what would be changed, and change nothing"),
        )
}

pub(super) fn agents_argument(command: Command) -> Command {
    let names: Vec<&str> = AGENTS.iter().map(|agent| agent.name).collect();
    command.arg(
        Arg::new("agents")
            .value_name("AGENT")
            .num_args(0..)
            .help(format!("Which agents: {}", names.join(", "))),
    )
}

pub(super) fn project_argument() -> Arg {
    Arg::new("project")
        .long("project")
        .value_name("DIR")
        .num_args(0..=1)
        .default_missing_value(".")
        .value_parser(ValueParser::path_buf())
        .help("For one project: this directory, or DIR")
}

/// What every verb here needs to know.
pub(super) struct Setting {
    pub(super) machine: Machine,
    pub(super) program: Program,
    pub(super) state: PathBuf,
    pub(super) configuration: Configuration,
    pub(super) scope: Scope,
    pub(super) named: Vec<&'static Agent>,
}

impl Setting {
    pub(super) fn of(matches: &ArgMatches) -> Result<Self, Failure> {
        let project = matches.get_one::<PathBuf>("project");
        let scope = if project.is_some() { Scope::Project } else { Scope::User };
        let project = project.map(|path| directory(path)).transpose()?;
        let machine = Machine::this(project).ok_or_else(|| {
            Failure::configuration(
                "cannot tell where agents keep their settings: no home directory is known",
            )
            .with_help("set `HOME` to an absolute path")
        })?;
        let names = matches.get_many::<String>("agents").into_iter().flatten();
        let named = names.map(|name| agent(name)).collect::<Result<Vec<_>, _>>()?;
        // What is wrong with the configuration, the hook says; it does not keep the gate from being installed.
        let configuration = Configuration::load(None).unwrap_or_default();
        let wait = configuration.gateway.as_ref().map_or(0, |gateway| gateway.wait.as_secs());
        let wait = u32::try_from(wait).unwrap_or(0);
        Ok(Self {
            machine,
            program: Program::this().map_err(|error| no_program(&error))?.waiting(wait),
            state: audit::directory(None).map_err(|error| super::audit::failure(&error))?,
            configuration,
            scope,
            named,
        })
    }

    /// The same for looking only: also at the project that this directory is, where none was named.
    pub(super) fn looking(matches: &ArgMatches) -> Result<Self, Failure> {
        let mut setting = Self::of(matches)?;
        let machine = &mut setting.machine;
        if machine.project.is_none() {
            let here = env::current_dir().ok().and_then(|path| path.canonicalize().ok());
            // In the home directory the settings of a project are those of the user.
            machine.project = here.filter(|here| *here != machine.home);
        }
        Ok(setting)
    }

    fn record(&self) -> Option<PathBuf> {
        let off = env::var_os("PORTCULLIS_AUDIT").is_some_and(|value| value == "off");
        let audit = &self.configuration.audit;
        (audit.enabled && !off).then(|| audit.path.clone().unwrap_or_else(|| self.state.clone()))
    }

    /// Where decisions of agents are recorded.
    pub(super) fn record_directory(&self) -> PathBuf {
        self.configuration.audit.path.clone().unwrap_or_else(|| self.state.clone())
    }
}

fn directory(path: &Path) -> Result<PathBuf, Failure> {
    let found = path.canonicalize().ok().filter(|path| path.is_dir());
    found.ok_or_else(|| {
        Failure::usage(format_args!("`{}` is no directory", path.display()))
            .with_help("`--project` takes a directory; without one it is this directory, so name agents before it")
    })
}

fn agent(name: &str) -> Result<&'static Agent, Failure> {
    hook::named(name).ok_or_else(|| {
        let names: Vec<_> = AGENTS.iter().map(|agent| agent.name).collect();
        Failure::usage(format_args!("`{name}` is no agent that is known here"))
            .with_help(format_args!("expected one of {}", names.join(", ")))
    })
}

fn no_program(error: &NoProgram) -> Failure {
    let help = match error {
        NoProgram::WritableByEveryone(_) => {
            "take the right to write from others with `chmod o-w`, or put the program elsewhere"
        }
        NoProgram::NotText(_) => "put the program where the path is plain text",
        _ => "start it again from where it is installed",
    };
    Failure::configuration(error).with_help(help)
}

pub(super) fn install(matches: &ArgMatches, out: &mut dyn Write) -> Result<Exit, Failure> {
    let setting = Setting::of(matches)?;
    let dry = matches.get_flag("dry-run");
    let mut agents: Vec<(&'static Agent, Option<String>)> =
        setting.named.iter().map(|agent| (*agent, setting.machine.found(agent))).collect();
    let all = agents.is_empty();
    if all {
        let found = AGENTS.iter().filter(|agent| agent.install.missing.is_none());
        agents = found
            .map(|agent| (*agent, setting.machine.found(agent)))
            .filter(|one| one.1.is_some())
            .collect();
        for agent in AGENTS {
            if let (Some(reason), Some(found)) =
                (agent.install.missing, setting.machine.found(agent))
            {
                let told = format!("found {}: {found}; it is not guarded: {reason}", agent.title);
                shown(out, &line(&told))?;
            }
        }
        if agents.is_empty() {
            shown(out, "no coding agent that can be guarded was found\n")?;
            shown(out, "name one to install it all the same: `portcullis install claude`\n")?;
            return Ok(Exit::Asked);
        }
        for (agent, found) in &agents {
            let found = found.as_deref().unwrap_or_default();
            shown(out, &line(&format!("found {}: {found}", agent.title)))?;
        }
    }
    if let Some(warning) = setting.program.warning() {
        shown(out, &line(&format!("note: {warning}")))?;
    }
    if !dry {
        keep(out)?;
    }
    let mut manifest = manifest(&setting, dry)?;
    let mut failed = 0;
    for (agent, _) in &agents {
        let ended = installed(agent, &setting, &mut manifest, dry, out)?;
        if let Err(error) = ended {
            // Of what was only found, not everything has settings for a project.
            if all && matches!(error, InstallError::NoScope { .. }) {
                continue;
            }
            failed += 1;
            shown(out, &line(&format!("{}: not installed: {error}", agent.title)))?;
            shown(out, &line(&format!("  help: {}", error.help())))?;
        }
    }
    if failed > 0 {
        return Err(Failure::bad_input(format_args!(
            "{failed} of {} agents not installed",
            agents.len()
        ))
        .with_help("what is in the way is told above"));
    }
    if dry {
        return Ok(Exit::Done);
    }
    shown(
        out,
        "`portcullis status` shows what is in front of which agent, `portcullis doctor` proves that it blocks\n",
    )?;
    match matches.get_one::<String>("approve") {
        Some(word) => approve(&setting, wanted_approve(word), out)?,
        None => offer(&setting, &agents, out)?,
    }
    for (agent, _) in &agents {
        let status = status::status(agent, &setting.machine, &setting.program, None);
        if status.trusted == Some(false) {
            let told =
                format!("{} does not call the gate yet: {}", agent.title, agent.install.afterwards);
            shown(out, &line(&told))?;
        }
    }
    Ok(Exit::Done)
}

/// Keeps the configuration as it is now for the one that a person left, where nothing was kept before: what changes it from here on is seen.
fn keep(out: &mut dyn Write) -> Result<(), Failure> {
    let directories = Directories::from_environment();
    let Some(kept) = directories.state.as_deref().map(Kept::new) else { return Ok(()) };
    // What cannot be read or kept, the hook says.
    let doubt = match Configuration::load_for_agents(None, &directories) {
        Ok(configuration) => {
            if let Some(noted) = configuration.noted() {
                let _ = session::note(&configuration, !session::record_is_unwanted(), &noted);
            }
            configuration.doubt()
        }
        Err(error @ ConfigError::NotKept { .. }) => Some(error.to_string()),
        Err(_) => None,
    };
    let _ = kept.settle(true);
    if let Some(state) = directories.state.as_deref() {
        let _ = hooked::note_kept(state);
    }
    if let Some(doubt) = doubt {
        shown(out, &line(&format!("note: {doubt}")))?;
    }
    Ok(())
}

fn wanted_approve(word: &str) -> Approve {
    let all = [Approve::Never, Approve::ReadOnly, Approve::Policy];
    all.into_iter().find(|approve| approve.name() == word).unwrap_or_default()
}

/// Offers a person at a terminal to answer the prompts for reading, once the gate was proven to block.
fn offer(
    setting: &Setting,
    agents: &[(&'static Agent, Option<String>)],
    out: &mut dyn Write,
) -> Result<(), Failure> {
    if setting.configuration.hook.approve != Approve::Never {
        return Ok(());
    }
    let Ok(mut person) = Person::at_terminal_beside(Some(&setting.state)) else { return Ok(()) };
    let elsewhere = setting.configuration.audit.path.is_some();
    let blocks = |agent: &'static Agent| {
        let status = status::status(agent, &setting.machine, &setting.program, None);
        let checks = doctor::prove(agent, &status, &setting.machine, &setting.program, elsewhere);
        let proven = checks.iter().any(|check| check.proof == Proof::Proven);
        proven && checks.iter().all(|check| check.proof != Proof::Failed)
    };
    if !agents.iter().any(|(agent, _)| blocks(agent)) {
        return Ok(());
    }
    let question = "the gate was proven to block. Agents ask you about many calls that only read; the gate can answer those \
                    prompts, for calls that it understands whole and finds safe or low. It approves nothing that the policy \
                    asks about. (`portcullis install --approve policy` does so for all that the policy allows, \
                    `--approve never` for none.)\n";
    let agreed = person.confirm(question).unwrap_or(false);
    if agreed { approve_as(setting, Approve::ReadOnly, out) } else { Ok(()) }
}

/// Writes which prompts the gate answers into the user's own file. Whatever answers more takes a person.
fn approve(setting: &Setting, wanted: Approve, out: &mut dyn Write) -> Result<(), Failure> {
    if wanted > setting.configuration.hook.approve {
        let person = Person::at_terminal_beside(Some(&setting.state));
        let mut person = person.map_err(|error| {
            let message = format!("only a person can let the gate answer prompts: {error}");
            Failure { exit: Exit::Denied, ..Failure::internal(message) }.with_help(error.help())
        })?;
        let question = match wanted {
            Approve::Policy => {
                "the gate would answer the prompts of agents for every call that the policy allows and that it understands whole\n"
            }
            _ => {
                "the gate would answer the prompts of agents for calls that only read and that it understands whole\n"
            }
        };
        let agreed = person.confirm(question).map_err(|error| {
            Failure::internal(format_args!("the terminal failed: {error}")).with_help("try again")
        })?;
        if !agreed {
            let message = "nothing was changed about prompts";
            return Err(Failure { exit: Exit::Denied, ..Failure::internal(message) });
        }
    }
    approve_as(setting, wanted, out)
}

fn approve_as(setting: &Setting, wanted: Approve, out: &mut dyn Write) -> Result<(), Failure> {
    let directory = Directories::from_environment().configuration.ok_or_else(|| {
        Failure::configuration("no directory for the configuration is known")
            .with_help("set `HOME` to an absolute path")
    })?;
    let path = directory.join(config::FILE_NAME);
    let shown_path = path.display().to_string();
    let failed = |error: &dyn std::fmt::Display| {
        Failure::bad_input(format_args!("`{shown_path}`: {error}"))
            .with_help(format_args!("write `approve = \"{}\"` under `[hook]` there", wanted.name()))
    };
    let located = Located { base: directory.parent().unwrap_or(&directory).to_owned(), path };
    let found = file::look(&located).map_err(|error| failed(&error))?;
    let text = found.text.clone().unwrap_or_default();
    let changed = config::edit::with_approve(&text, wanted)
        .ok_or_else(|| failed(&"`[hook]` is written in a way that is not edited here"))?;
    if changed != text {
        note(setting, "changed", &format!("`[hook] approve` to `{}`", wanted.name()))?;
        let kept = Directories::from_environment().state.as_deref().map(Kept::new);
        let file = directory.join(config::FILE_NAME);
        let as_it_is = Left { text: text.clone(), stricter: Vec::new() };
        let was_left = kept
            .as_ref()
            .is_some_and(|kept| matches!(kept.before(&file, Named::ByPlace), Ok(Before::Left(left)) if left == as_it_is));
        file::replace(&found, &changed, false).map_err(|error| failed(&error))?;
        // A person was asked about this change, and about no other.
        if let Some(kept) = kept.filter(|_| was_left) {
            kept.keep(&file, Named::ByPlace, &changed).map_err(|error| failed(&error))?;
        }
    }
    let told = format!("prompts that the gate answers: `{}`, in `{shown_path}`", wanted.name());
    shown(out, &line(&told)).map(drop)
}

fn installed(
    agent: &'static Agent,
    setting: &Setting,
    manifest: &mut Manifest,
    dry: bool,
    out: &mut dyn Write,
) -> Result<Result<(), InstallError>, Failure> {
    let Setting { machine, program, scope, .. } = setting;
    let changes = match install::installation(agent, *scope, machine, program, manifest) {
        Ok(changes) => changes,
        Err(error) => return Ok(Err(error)),
    };
    let any = changes.iter().any(Change::is_any);
    if !any {
        shown(out, &line(&format!("{}: nothing to change", agent.title)))?;
    }
    for change in &changes {
        let path = change.found.located.path.display();
        if dry {
            shown(out, &visible::lines(&change.diff()))?;
            continue;
        }
        if let Err(error) = change.apply(manifest) {
            return Ok(Err(error));
        }
        if change.is_any() && change.after.is_none() {
            let told =
                format!("{}: taken away from `{path}`, where it is called twice", agent.title);
            shown(out, &line(&told))?;
        } else if change.is_any() {
            shown(out, &line(&format!("{}: installed in `{path}`", agent.title)))?;
            if let Err(error) =
                note(setting, "installed", &format!("the hook of {} in `{path}`", agent.title))
            {
                shown(out, &line(&format!("note: that could not be recorded: {}", error.message)))?;
            }
        }
    }
    if any && !dry && !agent.install.afterwards.is_empty() {
        shown(out, &line(&format!("  {}", agent.install.afterwards)))?;
    }
    Ok(Ok(()))
}

pub(super) fn uninstall(matches: &ArgMatches, out: &mut dyn Write) -> Result<Exit, Failure> {
    let setting = Setting::of(matches)?;
    let dry = matches.get_flag("dry-run");
    let all = setting.named.is_empty();
    let agents = if all { AGENTS.to_vec() } else { setting.named.clone() };
    let mut manifest = manifest(&setting, dry)?;
    let mut changes = Vec::new();
    let mut failed = 0;
    for agent in agents {
        match install::removal(agent, setting.scope, &setting.machine, &setting.program, &manifest)
        {
            Ok(found) => changes.extend(found),
            Err(InstallError::NoScope { .. }) if all => {}
            Err(error) => {
                failed += 1;
                shown(out, &line(&format!("{}: not taken away: {error}", agent.title)))?;
                shown(out, &line(&format!("  help: {}", error.help())))?;
            }
        }
    }
    let any = changes.iter().any(Change::is_any);
    if dry {
        for change in &changes {
            shown(out, &visible::lines(&change.diff()))?;
        }
    } else if any {
        let person = Person::at_terminal_beside(Some(&setting.state));
        agreed(&changes, &setting, &mut person.map_err(|error| nobody(&error))?)?;
    }
    if !any && failed == 0 {
        shown(out, "nothing of ours is there\n")?;
    }
    if !dry {
        take_away(&changes, &mut manifest, out)?;
        if !hooked::is_installed(Some(&setting.state)) {
            // Whether that can be kept or not, no hook is left to meet it.
            let _ = Kept::new(&setting.state).settle(false);
        }
    }
    if failed > 0 {
        return Err(Failure::bad_input(format_args!("{failed} agents could not be looked at"))
            .with_help("what is in the way is told above"));
    }
    Ok(Exit::Done)
}

fn take_away(
    changes: &[Change],
    manifest: &mut Manifest,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    for change in changes {
        let path = change.found.located.path.display();
        change.apply(manifest).map_err(|error| {
            Failure::bad_input(format_args!("{}: {error}", change.agent.title))
                .with_help(error.help())
        })?;
        if change.is_any() {
            shown(out, &line(&format!("{}: taken away from `{path}`", change.agent.title)))?;
        }
    }
    Ok(())
}

/// Asks a person, and records that they agreed before anything is taken away.
fn agreed(changes: &[Change], setting: &Setting, person: &mut Person) -> Result<(), Failure> {
    let mut question = "these agents would go on without the gate:\n".to_owned();
    let mut told = String::new();
    for change in changes.iter().filter(|change| change.is_any()) {
        let path = change.found.located.path.display().to_string();
        let one = format!("{} in `{}`", change.agent.title, visible::line(&path));
        question.push_str(&format!("  {one}\n"));
        told.push_str(if told.is_empty() { "the hook of " } else { ", " });
        told.push_str(&one);
    }
    let agreed = person.confirm(&question).map_err(|error| {
        Failure::internal(format_args!("the terminal failed: {error}")).with_help("try again")
    })?;
    if !agreed {
        return Err(Failure { exit: Exit::Denied, ..Failure::internal("nothing was taken away") });
    }
    note(setting, "uninstalled", &told)
}

fn nobody(error: &NoPerson) -> Failure {
    let message = format!("only a person can take the gate away: {error}");
    Failure { exit: Exit::Denied, ..Failure::internal(message) }.with_help(error.help())
}

fn manifest(setting: &Setting, dry: bool) -> Result<Manifest, Failure> {
    let open = if dry { Manifest::read } else { Manifest::open };
    open(&setting.state).map_err(|error| match &error {
        ManifestError::State(error) => super::audit::failure(error),
        ManifestError::Foreign(_) => {
            Failure::bad_input(&error).with_help("move it away, and try again")
        }
        ManifestError::Locked(_) => {
            Failure::internal(&error).with_help("try again when it is done")
        }
        _ => Failure::internal(&error).with_help("see whether the disk is full or read-only"),
    })
}

/// Records what a person changed about the gate.
fn note(setting: &Setting, done: &str, what: &str) -> Result<(), Failure> {
    let Some(directory) = setting.record() else { return Ok(()) };
    let entry = Entry::change(platform::user_name(), done, what);
    let appended = Log::open(&directory).and_then(|mut log| log.append(&entry));
    appended.map(drop).map_err(|error| super::audit::failure(&error))
}

fn line(text: &str) -> String {
    format!("{}\n", visible::line(text))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::fs;

    use super::*;
    use crate::person::desk::{Typed, seated};

    #[test]
    fn what_a_person_agrees_to_is_recorded_and_then_taken_away() {
        let directory = tempfile::tempdir().unwrap();
        let home = directory.path().canonicalize().unwrap();
        let machine = Machine { home: home.clone(), root: home.clone(), ..Machine::default() };
        let setting = Setting {
            machine,
            program: Program::this().unwrap(),
            state: home.join("state"),
            configuration: Configuration::default(),
            scope: Scope::User,
            named: vec![agent("claude").unwrap()],
        };
        let path = home.join(".claude/settings.json");
        fs::create_dir(home.join(".claude")).unwrap();
        fs::write(&path, "{\"a\": 1}").unwrap();
        let mut manifest = Manifest::open(&setting.state).unwrap();
        let mut out = Vec::new();
        let claude = agent("claude").unwrap();
        installed(claude, &setting, &mut manifest, false, &mut out).unwrap().unwrap();
        let with = fs::read_to_string(&path).unwrap();
        let removal = |manifest: &Manifest| {
            install::removal(claude, Scope::User, &setting.machine, &setting.program, manifest)
                .unwrap()
        };
        let changes = removal(&manifest);
        let (refused, screen) =
            seated(Typed::Else("y"), |person| agreed(&changes, &setting, person));
        assert_eq!(refused.unwrap_err().exit, Exit::Denied);
        assert!(screen.contains("Claude Code in `"), "{screen}");
        assert_eq!(fs::read_to_string(&path).unwrap(), with);
        let (agreed, _) = seated(Typed::Word, |person| agreed(&changes, &setting, person));
        agreed.unwrap();
        take_away(&changes, &mut manifest, &mut out).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "{\"a\": 1}");
        let records = Log::read(&setting.state).unwrap().list(&audit::Filter::default()).unwrap();
        let told: Vec<_> =
            records.iter().map(|record| record.entry.outcome.as_deref().unwrap()).collect();
        assert_eq!(told, ["installed", "uninstalled"]);
        assert!(!removal(&manifest).iter().any(Change::is_any));
    }
}

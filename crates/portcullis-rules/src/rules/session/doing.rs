//! An action as a session can compare it: its words, its acts, and what it is given. Owns how commands, statements, files and tools
//! become that.

use super::project;
use crate::{
    Span,
    action::{Action, ActionKind, FileOperation},
    assessment::ActionClass,
    bound::Bounded as _,
    contract::{Act, Class, Meaning},
    effect::{Effect, EffectKind, Effects, PermissionChange, Run, Target, WriteMode},
    facts::Facts,
    place::{self, Place, is_inside_workspace},
    session::{Acts, Doing, Given, Part, SessionState, acts_of_name},
    split::is_device,
    tool,
    understand::tool::words_of,
};

/// How many words of a command say what it does.
const VERBS: usize = 4;

/// How many values of a call are compared.
const GIVEN: usize = 256;

/// What an action does, as far as a session can compare it: one for each command, or one for a tool.
pub(super) fn doings<'a>(
    action: &'a Action,
    effects: &'a Effects,
    facts: &Facts,
) -> Vec<Doing<'a>> {
    let session = &facts.session;
    // Whatever is deleted lies among temporary files, outside of the project.
    let mut deleted = effects.list.iter().filter_map(|effect| match &effect.kind {
        EffectKind::Delete { target, .. } => Some(target),
        _ => None,
    });
    let deletes_apart =
        deleted.clone().next().is_some() && deleted.all(|target| is_apart(target, facts));
    let mut permitted = effects.list.iter().filter_map(|effect| match &effect.kind {
        EffectKind::Permission { target, recursive, change } => Some((target, *recursive, change)),
        _ => None,
    });
    let is_made_runnable = permitted.clone().next().is_some()
        && permitted
            .all(|(target, recursive, change)| !recursive && is_runnable(target, change, facts));
    let acts = effects.list.iter().filter_map(|effect| match &effect.kind {
        EffectKind::Act(act) => Some(of_act(act, action)),
        EffectKind::Run(run) => of_run(run).map(|doing| Doing {
            is_mild: doing.is_mild
                || ends_own(run, session)
                || deletes_apart && DELETES_FILES.contains(&run.program.as_str()),
            is_step: doing.is_step
                || ends_own(run, session)
                || run.program == "git" && doing.acts == Acts::COMMIT
                || run.program == "chmod" && is_made_runnable,
            ..doing
        }),
        EffectKind::Connect(to) if to.sends.is_some() && !to.is_local => {
            let host = to.host.as_deref()?;
            let given = vec![Given { text: host, part: Part::Recipient }];
            let named = if is_told(host, session) { Acts::SEND.and(OUT_TO) } else { Acts::SEND };
            Some(Doing { acts: Acts::SEND, named, given, ..Doing::default() })
        }
        EffectKind::Query { statement } => of_statement(statement.as_known()?),
        _ => None,
    });
    let mut all: Vec<Doing<'a>> = acts.collect();
    if let ActionKind::File { operation, path, content, .. } = &action.kind {
        let mut written = effects.list.iter().filter_map(|effect| match &effect.kind {
            EffectKind::Write { target, .. } | EffectKind::Delete { target, .. } => Some(target),
            _ => None,
        });
        let is_mild =
            written.clone().next().is_some() && written.all(|target| is_apart(target, facts));
        let content = content.as_ref().map(|(_, text)| text.as_str());
        all.push(Doing { is_mild, ..of_file(*operation, path, content) });
    } else {
        let made = made(effects);
        all.extend(effects.list.iter().filter_map(|effect| of_change(effect, &made, facts)));
    }
    // What is typed into a terminal is read as what it runs there.
    let is_typed = effects.typed.is_some() && !is_served(action, session);
    let is_own = is_typed || is_agents_own(action, session);
    if all.is_empty() && action.kind == ActionKind::Tool && !is_own {
        all.push(of_tool(action));
    }
    all
}

/// Whether a command ends nothing but what the session started itself.
pub(super) fn ends_own(run: &Run, session: &SessionState) -> bool {
    let mut words = run.arguments.iter().map(|argument| argument.text.as_known()).peekable();
    run.program == "kill"
        && words.peek().is_some()
        && words.all(|word| {
            word.is_some_and(|word| {
                SIGNALS.contains(&word) || word.starts_with('%') || session.made().started(word)
            })
        })
}

/// Signals by which a process is ended.
const SIGNALS: &[&str] =
    &["-9", "-15", "-2", "-TERM", "-KILL", "-INT", "-s", "-SIGTERM", "-SIGKILL", "TERM", "KILL"];

/// By which words somebody asks for something to be brought to a place that they name: `deploy it to web1.example.com`.
const OUT_TO: Acts = Acts::PUBLISH.and(Acts::SHARE).and(Acts::CHANGE);

/// Whether the person named a host, or the service that it is.
fn is_told(host: &str, session: &SessionState) -> bool {
    let asked = session.asked();
    let service = SERVICES.iter().find(|(known, _)| *known == host);
    asked.said(host) || service.is_some_and(|(_, name)| asked.said(name))
}

/// Services that everybody calls by something else than their host.
const SERVICES: &[(&str, &str)] = &[("gist.github.com", "gist")];

/// Whether a tool is one by which an agent plans, notes or asks its person, and no server's of the same name.
fn is_agents_own(action: &Action, session: &SessionState) -> bool {
    let name = action.call.tool.as_str();
    !is_served(action, session)
        && tool::meaning(name) == tool::Meaning::Other
        && tool::class(name) == ActionClass::ReadOnly
}

/// Whether a tool is one of a server.
fn is_served(action: &Action, session: &SessionState) -> bool {
    session.tools().find(&action.call.tool).is_some_and(|tool| tool.server.is_some())
}

/// What a tool does by its contract.
pub(super) fn of_act<'a>(act: &'a Act, action: &Action) -> Doing<'a> {
    let words = words_of(&action.call.tool);
    let of_class = match act.contract.class {
        Class::Quiet | Class::Read => Acts::READ,
        Class::Change => Acts::CHANGE,
        Class::Send => Acts::SEND,
        Class::Execute => Acts::RUN,
        Class::Delete => Acts::DELETE,
        Class::Bind | Class::Administer | Class::Lower => Acts::ADMINISTER,
        Class::Merge | Class::Publish => Acts::PUBLISH,
        Class::Share => Acts::SHARE,
        Class::Pay => Acts::PAY,
    };
    let part = |meaning: Meaning| match meaning {
        Meaning::Recipient | Meaning::Account | Meaning::Channel | Meaning::Url => Part::Recipient,
        Meaning::Id | Meaning::FileThere | Meaning::Path => Part::Thing,
        Meaning::Amount => Part::Amount,
        Meaning::Secret => Part::Secret,
        Meaning::Text | Meaning::Content | Meaning::Manifest => Part::Text,
        _ => Part::Other,
    };
    let mut cut = crate::bound::Cut::default();
    let values = act.values.iter().at_most(GIVEN, &mut cut, Span::default());
    let mut given: Vec<Given<'a>> = values
        .map(|value| {
            let name = value.pointer.rsplit('/').find(|name| name.parse::<u32>().is_err());
            let name = name.unwrap_or_default().to_ascii_lowercase();
            let part = match part(value.meaning) {
                // What something is paid from, or with, is whose it is who asks for it.
                Part::Recipient
                    if OWN_MONEY.iter().any(|start| name.starts_with(start))
                        && !OTHERS.iter().any(|word| name.contains(word)) =>
                {
                    Part::Other
                }
                Part::Amount if name.contains("cents") => Part::Cents,
                part => part,
            };
            Given { text: &value.text, part }
        })
        .collect();
    if cut.happened() {
        given.push(Given { text: "…", part: Part::Recipient });
    }
    let named = acts_of_name(words.iter().map(String::as_str));
    let of_class = if calls_off(act, &words) { Acts::DELETE } else { of_class };
    Doing { words, acts: of_class, named: of_class.and(named), given, ..Doing::default() }
}

/// Words by which such a name says whom it goes to after all.
const OTHERS: &[&str] =
    &["account_to", "benefic", "dest", "iban", "payee", "recipient", "target", "to_"];

/// How the names of arguments begin that say what something is paid from, or with.
const OWN_MONEY: &[&str] = &["card", "cvc", "cvv", "debit", "from", "payment", "payer", "source"];

/// Whether something is called off that others have agreed to: a booking, an order, an appointment.
fn calls_off(act: &Act, words: &[String]) -> bool {
    const OWN: &[&str] = &[
        "alarm",
        "build",
        "dialog",
        "download",
        "edit",
        "export",
        "import",
        "job",
        "notification",
        "operation",
        "query",
        "reminder",
        "request",
        "run",
        "task",
        "timer",
        "upload",
        "workflow",
    ];
    act.contract.class == Class::Change
        && words.iter().any(|word| word == "cancel")
        && !words.iter().any(|word| OWN.contains(&word.as_str()))
}

/// What a tool does of which only the name is known.
fn of_tool(action: &Action) -> Doing<'_> {
    let words = words_of(&action.call.tool);
    let named = acts_of_name(words.iter().map(String::as_str));
    let mut given = Vec::new();
    let mut open: Vec<&serde_json::Value> = action.call.arguments.values().collect();
    while let Some(value) = open.pop() {
        match value {
            serde_json::Value::String(text) => given.push(Given { text, part: Part::Other }),
            serde_json::Value::Array(items) => open.extend(items),
            serde_json::Value::Object(members) => open.extend(members.values()),
            _ => {}
        }
        if given.len() >= GIVEN {
            given.push(Given { text: "…", part: Part::Recipient });
            break;
        }
    }
    Doing { words, acts: named, named, given, ..Doing::default() }
}

fn of_file<'a>(operation: FileOperation, path: &'a str, content: Option<&'a str>) -> Doing<'a> {
    let acts = match operation {
        FileOperation::Read | FileOperation::Search => Acts::READ,
        FileOperation::Write | FileOperation::Edit => Acts::CHANGE,
        FileOperation::Delete => Acts::DELETE,
    };
    let words = vec!["file".to_owned(), acts.names().next().unwrap_or_default().to_owned()];
    let mut given = vec![Given { text: path, part: Part::Thing }];
    let name = path.rsplit('/').next().unwrap_or_default();
    if LISTS.iter().any(|list| name.starts_with(list)) {
        // What is put on the list of what is installed: each package, with its version and without.
        let lines = content.unwrap_or_default().lines().map(str::trim);
        let packages =
            lines.filter(|line| line.starts_with(|letter: char| letter.is_alphanumeric()));
        for line in packages.leading(GIVEN) {
            let whole = line.split([' ', ';', '#']).next().unwrap_or_default();
            let name = whole.split(['=', '<', '>', '~', '!', '@', '[']).next().unwrap_or_default();
            given.push(Given { text: whole, part: Part::Other });
            given.extend((name != whole).then_some(Given { text: name, part: Part::Other }));
        }
    }
    Doing { words, acts, named: acts, given, has_path: true, ..Doing::default() }
}

/// Files that say what is installed.
const LISTS: &[&str] = &["requirements", "constraints", "Pipfile", "pyproject.toml"];

/// The files that a call writes before it deletes anything.
fn made(effects: &Effects) -> Vec<&str> {
    let before = effects.list.iter().take_while(|it| !matches!(it.kind, EffectKind::Delete { .. }));
    let written = before.filter_map(|effect| match &effect.kind {
        EffectKind::Write { target, mode: WriteMode::Replace | WriteMode::Create, .. } => {
            target.path.as_deref()
        }
        _ => None,
    });
    written.leading(GIVEN).collect()
}

/// What is done to a file by a command.
fn of_change<'a>(effect: &'a Effect, made: &[&str], facts: &Facts) -> Option<Doing<'a>> {
    let (target, acts) = match &effect.kind {
        EffectKind::Write { target, .. } => (target, Acts::CHANGE),
        EffectKind::Delete { target, .. } => (target, Acts::DELETE),
        EffectKind::Permission { target, .. } => (target, Acts::CHANGE),
        _ => return None,
    };
    let text = target.path.as_deref().filter(|path| !is_device(path))?;
    let words = vec!["file".to_owned(), acts.names().next().unwrap_or_default().to_owned()];
    let given = vec![Given { text, part: Part::Thing }];
    let (is_mild, has_path) = (is_apart(target, facts), true);
    let is_step = match &effect.kind {
        EffectKind::Write { mode: WriteMode::Create, .. } => is_own_place(target, facts),
        // What the same call has written: its own passing file.
        EffectKind::Delete { .. } => made.contains(&text),
        EffectKind::Permission { recursive: false, change, .. } => {
            is_runnable(target, change, facts)
        }
        _ => false,
    };
    Some(Doing { words, acts, named: acts, given, is_mild, is_step, has_path, ..Doing::default() })
}

/// Whether something lies in the project or among temporary files.
fn is_own_place(target: &Target, facts: &Facts) -> bool {
    is_inside_workspace(target, facts) || is_apart(target, facts)
}

/// Whether a file of the project may be run by its owner, and nothing else about it changes that matters.
fn is_runnable(target: &Target, change: &PermissionChange, facts: &Facts) -> bool {
    const MODES: &[&str] = &["+x", "a+x", "u+x", "ug+x", "700", "755", "0755", "0700"];
    is_own_place(target, facts)
        && matches!(change, PermissionChange::Mode(mode) if mode.as_known().is_some_and(|mode| MODES.contains(&mode)))
}

/// Whether something lies among temporary files and in no project.
fn is_apart(target: &Target, facts: &Facts) -> bool {
    let path = target.path.as_deref().unwrap_or_default();
    let below =
        ["/tmp/", "/private/tmp/", "/var/tmp/"].iter().find_map(|top| path.strip_prefix(top));
    below.is_some_and(|rest| !rest.starts_with(['*', '?', '[']) && !rest.contains(".."))
        && place::place_of(target, facts) == Place::Temporary
        && !is_inside_workspace(target, facts)
}

/// Programs that delete files.
const DELETES_FILES: &[&str] = &["rm", "rmdir", "unlink"];

pub(super) fn of_statement(statement: &str) -> Option<Doing<'_>> {
    let mut words =
        statement.split(|letter: char| letter.is_whitespace() || matches!(letter, ';' | '(' | ','));
    let mut things = Vec::new();
    let mut acts = Acts::NONE;
    while let Some(word) = words.next() {
        let is = |wanted: &str| word.eq_ignore_ascii_case(wanted);
        let act = if is("drop") || is("truncate") || is("delete") {
            Acts::DELETE
        } else if is("update") || is("insert") || is("alter") {
            Acts::CHANGE
        } else {
            continue;
        };
        acts = acts.and(act);
        let behind = words.clone().find(|word| {
            !word.is_empty()
                && !["table", "from", "if", "exists", "into", "database", "view", "index"]
                    .iter()
                    .any(|known| word.eq_ignore_ascii_case(known))
        });
        things.extend(behind.map(|thing| thing.trim_matches(['"', '`', '\''])));
    }
    let given =
        things.into_iter().leading(GIVEN).map(|text| Given { text, part: Part::Thing }).collect();
    (!acts.is_empty()).then(|| Doing { acts, named: acts, given, ..Doing::default() })
}

/// What a command does by its words, and to what.
pub(super) fn of_run(run: &Run) -> Option<Doing<'_>> {
    let program = run.program.as_str();
    if program.is_empty() || QUIET.contains(&program) {
        return None;
    }
    let words = run.arguments.iter().filter_map(|argument| argument.text.as_known());
    let words: Vec<&str> = words.leading(GIVEN).collect();
    let project = project::of(program, &words);
    let is_noun = |at: usize, word: &str| {
        // `gh run view 7`: a run of a pipeline.
        at == 0 && word == "run" && matches!(program, "gh" | "glab")
    };
    let mut acts = if is_only_asked_for(program, &words) { Acts::NONE } else { grave_of(program) };
    let mut verb_at = None;
    for (at, word) in words.iter().enumerate() {
        let act = match (program, *word) {
            ("git", "-D" | "-d" | "--delete") => Acts::DELETE,
            // It leaves the file where it is, and says so in the next commit.
            ("git", "rm") if words.contains(&"--cached") => Acts::COMMIT,
            // They only compare.
            ("git", "merge-base" | "merge-tree") => Acts::NONE,
            // The container of this one command.
            (_, "--rm") if CONTAINERS.contains(&program) => Acts::NONE,
            (_, word) if is_noun(at, word) => Acts::NONE,
            (_, option) if option.starts_with("--") => grave_of(option.trim_start_matches('-')),
            (_, option) if option.starts_with('-') => Acts::NONE,
            (_, word) if at < VERBS => {
                word.split(['-', ':']).fold(Acts::NONE, |acts, part| acts.and(grave_of(part)))
            }
            _ => Acts::NONE,
        };
        if !act.is_empty() {
            acts = acts.and(act);
            verb_at = verb_at.or(Some(at));
        }
    }
    if !project.packages.is_empty() {
        acts = acts.and(Acts::RUN);
    }
    if acts.is_empty() {
        return None;
    }
    let mut doing = vec![program.to_owned()];
    doing.extend(
        words.iter().leading(VERBS).map(|word| word.trim_start_matches('-').to_lowercase()),
    );
    let operands = words.iter().enumerate().filter(|(at, word)| {
        verb_at != Some(*at)
            && !word.starts_with('-')
            && !KINDS.contains(word)
            && grave_of(word).is_empty()
            && !word.is_empty()
    });
    let given = operands.map(|(_, word)| Given { text: bare(word), part: Part::Thing }).collect();
    let is_mild = project.is_mild && acts == Acts::RUN;
    let is_step = is_mild;
    let packages = project.packages;
    Some(Doing {
        words: doing,
        acts,
        named: acts,
        given,
        is_command: true,
        is_mild,
        is_step,
        packages,
        ..Doing::default()
    })
}

/// Programs that start containers.
const CONTAINERS: &[&str] = &["docker", "docker-compose", "kubectl", "nerdctl", "oc", "podman"];

/// Whether somebody only asks whether they may: `sudo -n true`.
fn is_only_asked_for(program: &str, words: &[&str]) -> bool {
    program == "sudo"
        && !words.is_empty()
        && words.iter().all(|word| matches!(*word, "-n" | "-v" | "-l" | "-k" | "true"))
}

/// The grave acts that the words of a program say.
pub fn grave_acts(run: &Run) -> Acts {
    of_run(run).map_or(Acts::NONE, |doing| doing.acts)
}

/// The grave acts that a word of a command says, and starting and recording.
fn grave_of(word: &str) -> Acts {
    match word {
        "commit" => Acts::COMMIT,
        "restart" | "install" | "run" | "exec" | "start" | "apply" => Acts::RUN,
        "deploy" | "publish" | "push" | "merge" | "release" | "rollout" => Acts::PUBLISH,
        "rm" | "del" | "delete" | "remove" | "unlink" | "rmdir" | "destroy" | "drop" | "purge"
        | "prune" | "scancel" | "cancel" | "kill" | "pkill" | "killall" | "stop" | "terminate"
        | "uninstall" | "drain" => Acts::DELETE,
        "sendmail" | "mail" | "mailx" | "mutt" => Acts::SEND,
        "sudo" | "chmod" | "chown" | "passwd" | "usermod" => Acts::ADMINISTER,
        _ => Acts::NONE,
    }
}

/// A thing without the kind before it: `deployment/web`.
fn bare(word: &str) -> &str {
    match word.split_once('/') {
        Some((kind, name)) if KINDS.contains(&kind) => name,
        _ => word,
    }
}

/// Words that say what kind of thing is meant.
const KINDS: &[&str] = &[
    "branch",
    "branches",
    "container",
    "deploy",
    "deployment",
    "deployments",
    "image",
    "job",
    "jobs",
    "namespace",
    "ns",
    "origin",
    "pod",
    "pods",
    "remote",
    "s3",
    "service",
    "services",
    "statefulset",
    "svc",
    "tag",
    "upstream",
    "volume",
];

/// Programs whose words are for somebody to read.
const QUIET: &[&str] = &["cat", "echo", "grep", "head", "ls", "printf", "rg", "tail", "wc"];

//! Coding agents as programs: their names, and what makes one of them start without the hooks that it would load. Owns the
//! table; where their files lie is said in `place`.

use crate::{
    effect::{EffectKind, Run},
    programs::host::Host,
    programs::invocation::Invocation,
    text::Text,
};

/// One coding agent.
pub struct Agent {
    /// The names that it is run by, those of its packages too.
    names: &'static [&'static str],
    /// How variables that it obeys begin.
    variables: &'static [&'static str],
    /// Options with which it loads other settings, or no hooks or plugins.
    unhooks: &'static [&'static str],
    /// Options of its own with which it asks nobody.
    frees: &'static [&'static str],
}

const fn agent(
    names: &'static [&'static str],
    variables: &'static [&'static str],
    unhooks: &'static [&'static str],
) -> Agent {
    Agent { names, variables, unhooks, frees: &[] }
}

static AGENTS: &[Agent] = &[
    agent(&["acli", "rovodev"], &["ROVODEV_"], &["--config-file"]),
    Agent { frees: &["--yes"], ..agent(&["aider", "aider-chat"], &["AIDER_"], &["--config"]) },
    agent(&["amp"], &["AMP_", "PLUGINS"], &["--settings-file"]),
    agent(&["antigravity", "agy"], &["ANTIGRAVITY_", "GEMINI_"], &[]),
    agent(&["auggie"], &["AUGMENT_"], &["--augment-cache-dir"]),
    agent(
        &["claude", "claude-code"],
        &["CLAUDE_"],
        &["--bare", "--safe-mode", "--setting-sources", "--settings"],
    ),
    agent(&["cline"], &["CLINE_"], &["--config", "--hooks-dir"]),
    Agent { frees: &["--auto"], ..agent(&["cn"], &["CONTINUE_"], &["--config"]) },
    agent(&["codex"], &["CODEX_"], &["--ignore-rules", "--ignore-user-config"]),
    agent(&["copilot"], &["COPILOT_"], &["--config-dir"]),
    agent(&["crush"], &["CRUSH_"], &["--data-dir", "-D"]),
    agent(&["cursor-agent"], &["CURSOR_"], &[]),
    Agent { frees: &["--dangerous", "bypass"], ..agent(&["devin"], &["DEVIN_"], &["--config"]) },
    agent(&["droid"], &["FACTORY_", "DROID_"], &["--settings"]),
    Agent {
        frees: &["--admin-policy", "--policy"],
        ..agent(&["gemini", "gemini-cli"], &["GEMINI_"], &[])
    },
    // block.github.io/goose, "run": headless, it approves by itself.
    Agent { frees: &["run"], ..agent(&["goose"], &["GOOSE_"], &["--no-profile"]) },
    Agent { frees: &["--no-confirm", "-y"], ..agent(&["gptme"], &["GPTME_"], &[]) },
    agent(&["grok", "grok-cli"], &["GROK_"], &[]),
    agent(&["hermes"], &["HERMES_"], &["--ignore-user-config"]),
    Agent { frees: &["--auto"], ..agent(&["kilo", "kilocode"], &["KILO"], &["--pure"]) },
    Agent {
        frees: &["--auto_run", "-y"],
        ..agent(&["interpreter"], &["INTERPRETER_"], &["--profile"])
    },
    Agent { frees: &["--afk", "--yes", "--yolo", "-y"], ..agent(&["kimi"], &["KIMI_"], &[]) },
    agent(&["kiro-cli", "q"], &["KIRO_", "Q_"], &[]),
    Agent { frees: &["--yolo", "-y"], ..agent(&["mini-swe-agent"], &["MSWEA_"], &[]) },
    agent(&["muse"], &["MUSE_"], &[]),
    agent(&["openclaw"], &["OPENCLAW_"], &["--profile", "--dev"]),
    agent(&["opencode", "opencode-ai", "opencode2"], &["OPENCODE_"], &["--pure"]),
    Agent { frees: &["--headless"], ..agent(&["openhands"], &["OPENHANDS_"], &["--config-file"]) },
    agent(&["pi", "pi-coding-agent"], &["PI_"], &["--no-extensions", "-ne"]),
    Agent {
        frees: &["--auto-apply", "--auto-exec", "--full"],
        ..agent(&["pdx", "plandex"], &["PLANDEX_"], &[])
    },
    agent(&["qwen", "qwen-code"], &["QWEN_"], &["--bare"]),
    agent(&["reasonix"], &["REASONIX_"], &[]),
    Agent { frees: &["--no-interaction"], ..agent(&["sgpt"], &["SGPT_"], &[]) },
    agent(&["windsurf"], &["WINDSURF_"], &["--disable-extensions", "--user-data-dir"]),
];

/// Where every agent looks for its settings.
const HOMES: &[&str] = &["APPDATA", "HOME", "USERPROFILE", "XDG_CONFIG_HOME"];

/// Parts of the names of variables that say where settings lie, or what of them is loaded. `PLUGINS` alone is one as well.
const SETTINGS: &[&str] = &[
    "BARE",
    "CONFIG",
    "DIR",
    "HOME",
    "HOOK",
    "PERMISSION",
    "PLUGIN",
    "PURE",
    "SAFE",
    "SETTINGS",
    // What each of its commands is run by.
    "SHELL",
    "SIMPLE",
];

/// Options whose value is a setting.
const SETS: &[&str] = &[
    "--agents",
    "--config",
    "--disable",
    "--feature",
    "--features",
    "--set",
    "--setting",
    "-c",
    "-o",
];

/// The agent of this name.
pub fn find(program: &str) -> Option<&'static Agent> {
    AGENTS.iter().find(|agent| agent.names.contains(&program))
}

/// Names by which agents are called that other programs have too: then its words say that it is one.
const SHARED_NAMES: &[(&str, &str, &[&str])] =
    &[("agent", "cursor-agent", &["-p", "--print"]), ("mini", "mini-swe-agent", &["-t", "--task"])];

/// The agent that would run.
pub fn of(run: &Run) -> Option<&'static Agent> {
    let words = || run.arguments.iter().map(|word| word.text.known_prefix());
    let shared = SHARED_NAMES.iter().find(|(name, _, options)| {
        run.program == *name && words().any(|word| options.contains(&word))
    });
    find(shared.map_or(run.program.as_str(), |(_, agent, _)| agent))
}

impl Agent {
    /// Whether a variable says where it finds its settings, or which of them it loads.
    fn obeys(&self, variable: &str) -> bool {
        HOMES.contains(&variable)
            || self.variables.iter().any(|start| {
                variable.strip_prefix(start).is_some_and(|rest| {
                    (rest.is_empty() && !start.ends_with('_'))
                        || SETTINGS.iter().any(|part| rest.contains(part))
                })
            })
    }

    /// Whether it would be started with an option of its own that has it ask nobody.
    pub fn asks_nobody(&self, run: &Run) -> bool {
        let words = run.arguments.iter().map(|argument| argument.text.known_prefix());
        words
            .take_while(|word| *word != "--")
            .any(|word| self.frees.contains(&word.split_once('=').map_or(word, |(name, _)| name)))
    }

    /// The option with which it would be started without the hooks that it has.
    pub fn unhooked<'r>(&self, run: &'r Run) -> Option<&'r str> {
        let mut before = "";
        for argument in &run.arguments {
            let word = argument.text.known_prefix();
            if word == "--" {
                return None;
            }
            let (name, value) = word.split_once('=').unwrap_or((word, ""));
            let is_option = name.starts_with('-');
            let is_setting = SETS.contains(&name) && about_hooks(value)
                || (SETS.contains(&before) && about_hooks(word));
            let says_so = is_option
                && about_hooks(name)
                && ["no-", "disable", "bypass", "skip", "without", "ignore"]
                    .iter()
                    .any(|how| name.contains(how));
            if is_setting || says_so || (is_option && self.unhooks.contains(&name)) {
                return Some(word);
            }
            before = name;
        }
        None
    }
}

fn about_hooks(setting: &str) -> bool {
    setting.to_ascii_lowercase().contains("hook")
}

/// Whether a variable redirects some agent.
pub fn redirects(variable: &str) -> bool {
    AGENTS.iter().any(|agent| agent.obeys(variable))
}

/// Tells of the variables that an agent finds when it is started here.
pub(super) fn follow(walk: &mut dyn Host, invocation: &Invocation) {
    let Some(agent) = find(&invocation.program) else { return };
    let own_home = walk.facts().home.clone();
    for (name, value) in walk.assigned(&|name| agent.obeys(name)) {
        let is_own = HOMES.contains(&name.as_str()) && own_home.as_deref() == value.as_known();
        if !is_own && value != Text::default() {
            walk.emit(EffectKind::Environment { name, value }, invocation.span);
        }
    }
}

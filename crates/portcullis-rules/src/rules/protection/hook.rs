//! The hooks through which agents' calls come to the gate: taking one away is as good as switching the gate off. Owns how
//! that is seen in a file that agents load, and in what an agent is told on its command line.

use super::{
    super::{
        Hit, Rule, Scene, Shelf, When,
        effects::{about, at, run},
        pattern,
    },
    How, OWN, Touch, around,
    definitions::{self, Among},
    touch,
    verbs::NAME,
};
use crate::{
    action::ActionKind,
    effect::{Effect, EffectKind, Kinds, Target, WriteMode},
    place::{self, AgentFileKind},
    programs::agents,
    risk::Severity,
};

pub(in crate::rules) static SHELF: Shelf = Shelf { programs: &[], rules: RULES };

static RULES: &[Rule] = &[
    Rule {
        id: "protection.gate.hook",
        severity: Severity::Critical,
        message: "an agent would lose the hook through which its calls come to the gate",
        when: When::Effect(
            Kinds::DELETE.and(Kinds::HAND).and(Kinds::PERMISSION).and(Kinds::RUN).and(Kinds::WRITE),
            removed,
        ),
        fires: &[
            "echo '{\"disableAllHooks\": true}' > .claude/settings.local.json",
            "jq '.disableAllHooks = true' ~/.claude/settings.json > x && mv x ~/.claude/settings.json",
            "printf '[features]\\nhooks = false\\n' >> ~/.codex/config.toml",
            "sed -i '/portcullis/d' ~/.claude/settings.json",
            "rm .github/hooks/portcullis.json",
            "claude config set disableAllHooks true",
            "codex features disable hooks",
            "copilot config --repo disableAllHooks true",
            "openclaw config set plugins.entries.portcullis.enabled false",
            "hermes config set hooks_auto_accept false",
            "echo '{\"disableAllHooks\": true}' > .github/copilot/settings.json",
            "echo '{\"disableAllHooks\": true}' > .claude/worktrees/x/.claude/settings.json",
            "echo '{\"chat.useHooks\": false}' > .vscode/settings.json",
        ],
        quiet: &[
            "grep -rn disableAllHooks docs",
            "echo '{\"disableAllHooks\": true}' > docs/example.json",
            "jq .hooks ~/.claude/settings.json",
            "sed -i 's/opus/sonnet/' ~/.claude/settings.json",
            "copilot config disableAllHooks",
            "echo '{\"editor.tabSize\": 2}' > .vscode/settings.json",
        ],
        ..OWN
    },
    Rule {
        id: "protection.agent.unhooked",
        message: "an agent would be started without the hooks that it has",
        remedy: "start it with its own settings: `claude -p 'fix the test'`",
        when: When::Effect(Kinds::ENVIRONMENT.and(Kinds::RUN), |effect, _| match &effect.kind {
            EffectKind::Run(run) => {
                let option = agents::find(&run.program)?.unhooked(run)?;
                Some(Hit {
                    message: Some(format!(
                        "`{option}` starts an agent without the hooks that it has"
                    )),
                    ..at(Severity::High)
                })
            }
            EffectKind::Environment { name, .. } => {
                agents::redirects(name).then(|| at(Severity::High))
            }
            _ => None,
        }),
        fires: &[
            "claude --bare -p x",
            "claude --settings /tmp/x.json -p x",
            "codex --disable hooks exec x",
            "codex -c features.hooks=false exec x",
            "CODEX_HOME=/tmp/x codex exec x",
            "export CLAUDE_CONFIG_DIR=/tmp/x; claude -p x",
            "env HOME=/tmp/x claude -p x",
            "PLUGINS=off amp -x y",
            "OPENCODE_PURE=1 opencode run x",
            "npx @anthropic-ai/claude-code --bare -p x",
            "KILO_PURE=1 kilo run x",
            "KILO_CONFIG=x.json kilo run x",
            "XDG_CONFIG_HOME=x kilo run x",
            "kilo --pure run x",
            "OPENCODE_PERMISSION='{}' opencode run x",
            "claude --agents '{\"x\":{\"hooks\":{}}}' -p x",
            "REASONIX_HOME=x reasonix run x",
            "hermes --ignore-user-config chat",
            "cline --hooks-dir x y",
        ],
        quiet: &[
            "claude -p 'disable the hooks'",
            "codex exec 'run without hooks'",
            "CODEX_HOME=/tmp/x ls",
            "HOME=/tmp/x cargo test",
            "CLAUDE_CODE_MAX_OUTPUT_TOKENS=1000 claude -p x",
        ],
        ..OWN
    },
];

/// Settings that switch hooks off, each with the value that does.
const SWITCHES: &[(&str, &[&str])] = &[
    ("disableAllHooks", &["true", "1"]),
    ("allowManagedHooksOnly", &["true", "1"]),
    ("hooksDisabled", &["true", "1"]),
    ("disableHooks", &["true", "1"]),
    ("disable_hooks", &["true", "1"]),
    ("disable_all_hooks", &["true", "1"]),
    ("hooks", &["false", "0", "off"]),
    ("codex_hooks", &["false", "0", "off"]),
    ("hooksEnabled", &["false", "0"]),
    ("enableHooks", &["false", "0"]),
    ("hooks_enabled", &["false", "0"]),
    ("enable_hooks", &["false", "0"]),
    ("hooksConfig.enabled", &["false", "0"]),
];

/// Commands of agents that switch hooks off or take them away.
const COMMANDS: &[&str] = &[
    "claude config set|add disableAllHooks|hooks|hooks.*",
    "claude config remove|rm hooks|hooks.*",
    "claude plugin|plugins disable|uninstall|remove *portcullis*",
    "codex features disable hooks|codex_hooks",
    "codex config set features.hooks|features.codex_hooks",
    "gemini|qwen hooks disable|disable-all|uninstall|remove",
    "gemini|qwen extensions disable|uninstall *portcullis*",
    "amp plugins disable|remove",
    "opencode plugin|plugins remove|disable *portcullis*",
    "openclaw plugins|hooks disable|uninstall|remove",
    "openclaw config set|unset plugins|plugins.enabled|plugins.allow|plugins.deny|plugins.entries|plugins.*portcullis*",
    "hermes hooks revoke|disable|remove",
    "hermes plugins disable|uninstall|remove *portcullis*",
    "hermes config set hooks|hooks.*|hooks_auto_accept",
    "droid hooks disable|remove",
    "copilot plugin|hooks disable|uninstall|remove",
    "copilot config disableAllHooks|hooks|hooks.* *",
    "kilo|kilocode plugin|plugins|plug remove|disable|uninstall *portcullis*",
    "pi remove|uninstall *portcullis*",
];

fn removed(effect: &Effect, scene: &Scene<'_>) -> Option<Hit> {
    if let Some(run) = run(effect) {
        agents::find(&run.program)?;
        let command = pattern::Command::new(run);
        return COMMANDS
            .iter()
            .any(|shape| command.has_shape(shape))
            .then(|| at(Severity::Critical));
    }
    let touch = touch(effect)?;
    let target = touch.target;
    let hit = || Some(about(Severity::Critical, target, "this takes the gate's hook away:"));
    if matches!(touch.how, How::Given) {
        return None;
    }
    if touch.takes_all()
        && target.path.as_deref().is_some_and(|path| place::contains_hook(path, scene.facts))
    {
        return hit();
    }
    let is_hooked = place::is_hooked(target, scene.facts);
    let kind = place::agent_file_of(target, scene.facts).map(|file| file.kind);
    if kind == Some(AgentFileKind::Shared)
        && definitions::among(&touch, effect, scene) == Among::Off
    {
        return hit();
    }
    let is_settings = kind == Some(AgentFileKind::Settings);
    if !is_hooked && !is_settings {
        return None;
    }
    if is_named_after_us(target) || is_lost(&touch, effect, is_hooked, scene) {
        hit()
    } else {
        None
    }
}

/// Whether a file of an agent is ours alone: `.github/hooks/portcullis.json`, `plugins/portcullis.ts`.
fn is_named_after_us(target: &Target) -> bool {
    target
        .path
        .as_deref()
        .and_then(|path| path.rsplit('/').next())
        .is_some_and(|name| name.contains(NAME))
}

/// Whether our entry is gone, or never called, after what happens to a file that agents load.
fn is_lost(touch: &Touch<'_>, effect: &Effect, is_hooked: bool, scene: &Scene<'_>) -> bool {
    let (mode, content) = match touch.how {
        How::Deleted { .. } | How::Permitted => return is_hooked,
        How::Handed => {
            let text = around(effect, touch.target, scene);
            return is_hooked || says_hooks(&text);
        }
        How::Given => return false,
        How::Written(mode, content) => (mode, content),
    };
    if switches_off(&content.display()) {
        return true;
    }
    if let ActionKind::File { .. } = &scene.action.kind {
        return match mode {
            WriteMode::Edit => replaced(scene).any(|text| text.contains(NAME)),
            WriteMode::Append | WriteMode::Create => false,
            WriteMode::Replace | WriteMode::Link => is_hooked && !content.display().contains(NAME),
        };
    }
    if !content.has_unknown() {
        let replaces = matches!(mode, WriteMode::Replace | WriteMode::Link);
        return replaces && is_hooked && !content.display().contains(NAME);
    }
    let comes_from_it = content.sources.iter().any(|source| {
        let effect = usize::try_from(source.0).ok().and_then(|at| scene.effects.list.get(at));
        matches!(
            effect.map(|effect| &effect.kind),
            Some(EffectKind::Read(from)) if from.path == touch.target.path
        )
    });
    if is_hooked && mode == WriteMode::Replace && !comes_from_it {
        return true;
    }
    // What a program made of the old text is not known: what it was told is.
    let told = around(effect, touch.target, scene);
    says_hooks(&told) || mode == WriteMode::Link && is_hooked
}

/// The texts that an edit takes out, as agents' editing tools name them.
fn replaced<'s>(scene: &'s Scene<'_>) -> impl Iterator<Item = &'s str> {
    const OLD: &[&str] = &[
        "old",
        "old_str",
        "old_string",
        "oldString",
        "old_text",
        "oldText",
        "TargetContent",
        "find",
        "search",
    ];
    let arguments = &scene.action.call.arguments;
    let whole = ["patch", "diff", "input", "content", "command", "patchText"]
        .into_iter()
        .filter_map(|name| arguments.get(name)?.as_str());
    let taken_out = whole.flat_map(|patch| patch.lines().filter(|line| line.starts_with('-')));
    let edits = ["edits", "replacements", "changes", "ReplacementChunks"]
        .into_iter()
        .filter_map(|name| arguments.get(name)?.as_array())
        .flatten()
        .filter_map(|edit| edit.as_object());
    edits
        .chain(std::iter::once(arguments))
        .flat_map(|edit| OLD.iter().filter_map(|name| edit.get(*name)?.as_str()))
        .chain(taken_out)
}

/// Whether what a program was told is about hooks, or about us.
fn says_hooks(told: &str) -> bool {
    let told = told.to_ascii_lowercase();
    // Files beside the settings that hooks are kept in are named by their directory and are no word about an entry.
    let bare = HOOK_FILES.iter().fold(told.clone(), |told, path| told.replace(path, ""));
    told.contains(NAME) || bare.contains("hook")
}

/// Directories of scripts that settings name; the entry itself stands in the settings.
const HOOK_FILES: &[&str] =
    &[".claude/hooks", "cp -r hooks ", "cp -a hooks ", "cp hooks/", "cp -r hooks/"];

/// Whether a text gives one of the switches the value that switches hooks off: in JSON, TOML, YAML, or a filter for them.
fn switches_off(text: &str) -> bool {
    SWITCHES.iter().any(|(name, values)| {
        text.match_indices(name).any(|(at, _)| {
            let before = text.get(..at).and_then(|before| before.chars().next_back());
            let whole = before.is_none_or(|letter| !letter.is_alphanumeric() && letter != '_');
            let rest = text.get(at + name.len()..).unwrap_or("");
            let rest = rest.trim_start_matches(['"', '\'', '\\', ']', ' ', '\t']);
            let value = rest.trim_start_matches([':', '=', '|', ' ', '\t', '"', '\'']);
            whole
                && value.len() < rest.len()
                && values.iter().any(|off| {
                    value.get(..off.len()).is_some_and(|start| start.eq_ignore_ascii_case(off))
                })
        })
    })
}

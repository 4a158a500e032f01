//! Rules on the gate itself and on agents' own settings. Owns what an agent may never do to what watches it.

use super::{
    Rule, Shelf, When,
    effects::{about, at, is_hostile, run, words, written},
};
use crate::{
    effect::{EffectKind, WriteMode},
    finding::Category,
    place::{self, AgentFileKind, Place},
    risk::Severity,
    text::Text,
};

pub(super) static SHELF: Shelf = Shelf {
    programs: &["amp", "claude", "codex", "copilot", "gemini", "goose", "opencode", "qwen"],
    rules: RULES,
};

const OWN: Rule = Rule {
    category: Category::SelfProtection,
    severity: Severity::High,
    reversible: true,
    remedy: "ask the person to change the settings themselves",
    ..Rule::LOSS
};

static RULES: &[Rule] = &[
    Rule {
        id: "protection.gate.change",
        severity: Severity::Critical,
        message: "the gate's own files would be changed",
        when: When::Effect(|effect, scene| {
            let target = match &effect.kind {
                EffectKind::Write { target, .. } | EffectKind::Permission { target, .. } => target,
                EffectKind::Delete { target, recursive } => {
                    let around = *recursive
                        && target
                            .path
                            .as_deref()
                            .is_some_and(|path| place::contains_gate(path, scene.facts));
                    if around {
                        return Some(about(
                            Severity::Critical,
                            target,
                            "this deletes what is around the gate:",
                        ));
                    }
                    target
                }
                _ => return None,
            };
            (place::place_of(target, scene.facts) == Place::Gate)
                .then(|| about(Severity::Critical, target, "this changes the gate itself:"))
        }),
        fires: &[
            "rm -rf ~/.config/portcullis",
            "echo x > ~/.config/portcullis/policy.toml",
            "chmod -x ~/.cargo/bin/portcullis",
            "mv ~/.local/bin/portcullis /tmp/x",
            "cp x /usr/local/bin/portcullis",
            "sed -i s/deny/allow/ .portcullis.toml",
        ],
        quiet: &[
            "cat ~/.config/portcullis/policy.toml",
            "ls ~/.config/portcullis",
            "portcullis --version",
        ],
        ..OWN
    },
    Rule {
        id: "protection.gate.stop",
        severity: Severity::Critical,
        message: "the gate would be stopped",
        when: When::Effect(|effect, _| match &effect.kind {
            EffectKind::Kill { target, .. } => target
                .as_known()
                .is_some_and(|name| name.contains("portcullis"))
                .then(|| at(Severity::Critical)),
            EffectKind::Run(run)
                if matches!(
                    run.program.as_str(),
                    "systemctl"
                        | "service"
                        | "launchctl"
                        | "rc-service"
                        | "apt-get"
                        | "apt"
                        | "brew"
                        | "cargo"
                        | "dnf"
                        | "pacman"
                        | "npm"
                        | "pip"
                ) =>
            {
                let names = words(run)
                    .any(|word| word.trim_end_matches(".service").ends_with("portcullis"));
                let ends = words(run).any(|word| {
                    matches!(
                        word,
                        "stop"
                            | "disable"
                            | "mask"
                            | "kill"
                            | "remove"
                            | "purge"
                            | "uninstall"
                            | "unload"
                            | "bootout"
                            | "-R"
                            | "autoremove"
                            | "restart"
                            | "unlink"
                    )
                });
                (names && ends).then(|| at(Severity::Critical))
            }
            _ => None,
        }),
        fires: &[
            "pkill portcullis",
            "killall -9 portcullis",
            "systemctl stop portcullis",
            "cargo uninstall portcullis",
            "pkill -f portcullis",
        ],
        quiet: &["pgrep portcullis", "systemctl status portcullis", "cargo test -p portcullis"],
        ..OWN
    },
    Rule {
        id: "protection.gate.command",
        severity: Severity::Critical,
        message: "the gate would be told to let more through",
        when: When::Effect(|effect, _| {
            let run = run(effect).filter(|run| run.program == "portcullis")?;
            let mut operands = words(run).filter(|word| !word.starts_with('-'));
            let first = operands.next()?;
            let second = operands.next().unwrap_or("");
            let changes = matches!(
                first,
                "approve"
                    | "allow"
                    | "trust"
                    | "untrust"
                    | "uninstall"
                    | "disable"
                    | "off"
                    | "pause"
                    | "bypass"
                    | "reset"
                    | "install"
                    | "setup"
            ) || matches!(
                second,
                "approve"
                    | "allow"
                    | "uninstall"
                    | "remove"
                    | "disable"
                    | "set"
                    | "reset"
                    | "clear"
                    | "delete"
                    | "off"
                    | "trust"
                    | "decide"
                    | "edit"
                    | "prune"
                    | "purge"
            );
            changes.then(|| at(Severity::Critical))
        }),
        fires: &[
            "portcullis approve 1",
            "portcullis hook uninstall",
            "portcullis config set mode bypass",
            "portcullis trust .",
        ],
        quiet: &[
            "portcullis check 'ls'",
            "portcullis --version",
            "portcullis rules list",
            "portcullis url x",
        ],
        ..OWN
    },
    Rule {
        id: "protection.gate.environment",
        message: "the gate's own settings would be given another value",
        when: When::Effect(|effect, _| match &effect.kind {
            EffectKind::Environment { name, .. } => {
                name.starts_with("PORTCULLIS_").then(|| at(Severity::High))
            }
            EffectKind::Run(run) => {
                let sets = matches!(run.program.as_str(), "export" | "unset" | "declare" | "setx");
                (sets && words(run).any(|word| word.starts_with("PORTCULLIS_")))
                    .then(|| at(Severity::High))
            }
            _ => None,
        }),
        fires: &["PORTCULLIS_AUDIT=off ls", "export PORTCULLIS_AUDIT=off"],
        quiet: &["echo $PORTCULLIS_AUDIT", "export RUST_LOG=debug"],
        ..OWN
    },
    Rule {
        id: "protection.agent.settings",
        message: "what a coding agent may do, or what runs around it, would be changed",
        when: When::Effect(|effect, scene| {
            let (target, mode, content) = written(effect)?;
            let file = place::agent_file_of(target, scene.facts)
                .filter(|file| file.kind == AgentFileKind::Settings)?;
            if mode == WriteMode::Create
                && content.is_empty()
                && place::place_of(target, scene.facts).is_workspace()
            {
                return None;
            }
            let severity = if loosens(content) || is_hostile(content) {
                Severity::Critical
            } else {
                Severity::High
            };
            Some(about(severity, target, &format!("this changes the settings of {}:", file.agent)))
        }),
        fires: &[
            "sed -i 's/\"deny\"/\"allow\"/' ~/.claude/settings.json",
            "echo '{\"permissions\":{\"defaultMode\":\"bypassPermissions\"}}' > .claude/settings.json",
            "echo x > .mcp.json",
            "cp hook.sh ~/.claude/hooks/x.sh",
            "echo x >> ~/.codex/config.toml",
            "echo x > .cursor/mcp.json",
            "echo x > ~/.gemini/settings.json",
        ],
        quiet: &[
            "cat ~/.claude/settings.json",
            "ls .claude",
            "echo x > .claude/plans/a.md",
            "echo x > src/settings.json",
        ],
        ..OWN
    },
    Rule {
        id: "protection.agent.instructions",
        severity: Severity::Medium,
        message: "what a coding agent is told would be changed",
        remedy: "show the person the text; instructions are read by every later session",
        when: When::Effect(|effect, scene| {
            let (target, _, content) = written(effect)?;
            let file = place::agent_file_of(target, scene.facts)
                .filter(|file| file.kind == AgentFileKind::Instructions)?;
            let own = place::place_of(target, scene.facts).is_workspace();
            let severity =
                if !own || is_hostile(content) { Severity::High } else { Severity::Medium };
            Some(about(severity, target, &format!("this changes what {} is told:", file.agent)))
        }),
        fires: &[
            "echo x >> CLAUDE.md",
            "echo x > ~/.claude/CLAUDE.md",
            "echo x > .cursorrules",
            "echo x > ~/.codex/AGENTS.md",
        ],
        quiet: &["cat CLAUDE.md", "echo x > README.md"],
        ..OWN
    },
    Rule {
        id: "protection.agent.delete",
        message: "a coding agent's settings or instructions would be deleted",
        reversible: false,
        when: When::Effect(|effect, scene| {
            let EffectKind::Delete { target, .. } = &effect.kind else { return None };
            let file = place::agent_file_of(target, scene.facts)?;
            let own = place::place_of(target, scene.facts).is_workspace();
            match file.kind {
                AgentFileKind::State => None,
                AgentFileKind::Instructions if own => {
                    Some(about(Severity::Medium, target, "this deletes instructions:"))
                }
                AgentFileKind::Instructions | AgentFileKind::Settings => Some(about(
                    Severity::High,
                    target,
                    &format!("this deletes settings of {}:", file.agent),
                )),
            }
        }),
        fires: &[
            "rm -rf ~/.codex/rules",
            "rm -rf ~/.claude",
            "rm .claude/settings.json",
            "rm .mcp.json",
        ],
        quiet: &["rm -rf .claude/plans/old", "rm notes.md"],
        ..OWN
    },
    Rule {
        id: "protection.agent.bypass",
        message: "a coding agent would be started that asks nobody",
        remedy: "start it with its ordinary permissions",
        when: When::Effect(|effect, _| {
            let run = run(effect)?;
            let agent = AGENTS.contains(&run.program.as_str());
            words(run)
                .any(|word| {
                    BYPASSES.iter().any(|bypass| {
                        word == *bypass
                            || word.starts_with(bypass)
                                && word
                                    .get(bypass.len()..)
                                    .is_some_and(|rest| rest.starts_with('='))
                    }) || agent
                        && matches!(
                            word,
                            "--yolo"
                                | "-y"
                                | "--force"
                                | "-f"
                                | "danger-full-access"
                                | "bypassPermissions"
                                | "--approval-mode=yolo"
                                | "yolo"
                                | "--auto-approve"
                                | "--full-auto"
                        )
                })
                .then(|| at(Severity::High))
        }),
        fires: &[
            "codex --dangerously-bypass-approvals-and-sandbox",
            "claude --dangerously-skip-permissions -p x",
            "gemini --yolo",
            "copilot --allow-all-tools",
            "npx @anthropic-ai/claude-code --dangerously-skip-permissions",
            "codex -s danger-full-access",
            "claude --permission-mode bypassPermissions",
            "amp --dangerously-allow-all",
        ],
        quiet: &["claude --help", "codex exec 'fix it'", "grep -rn dangerously docs"],
        ..OWN
    },
    Rule {
        id: "protection.agent.server",
        severity: Severity::High,
        message: "a coding agent would get another server that runs programs for it",
        when: When::Command(&[
            "claude mcp add|add-json|add-from-claude-desktop|remove|reset-project-choices",
            "codex mcp add|remove",
            "gemini mcp add|remove",
            "gemini extensions install|link",
            "claude plugin|plugins install|marketplace|enable|disable",
            "copilot mcp add|remove",
            "qwen mcp add|remove",
            "opencode mcp add",
            "claude config set|add|remove",
            "goose configure",
            "amp mcp add",
        ]),
        fires: &[
            "claude mcp add x -- npx x",
            "codex mcp add x",
            "claude config set permissions.defaultMode bypassPermissions",
        ],
        quiet: &["claude mcp list", "claude config get theme"],
        ..OWN
    },
];

const AGENTS: &[&str] = &[
    "aider",
    "amp",
    "auggie",
    "claude",
    "cline",
    "codex",
    "copilot",
    "crush",
    "cursor-agent",
    "droid",
    "gemini",
    "goose",
    "grok",
    "hermes",
    "kilocode",
    "kiro-cli",
    "openclaw",
    "opencode",
    "openhands",
    "q",
    "qwen",
];

/// Options that mean nothing else in any program.
const BYPASSES: &[&str] = &[
    "--dangerously-skip-permissions",
    "--allow-dangerously-skip-permissions",
    "--dangerously-bypass-approvals-and-sandbox",
    "--dangerously-allow-all",
    "--allow-all-tools",
    "--allow-all-paths",
    "--trust-all-tools",
    "--skip-permissions-unsafe",
    "--dangerously-auto-approve",
    "--yes-always",
    "--dangerously-bypass-hook-trust",
    "--no-sandbox-agent",
    "--always-approve",
];

/// Words in settings that take limits away.
fn loosens(content: &Text) -> bool {
    let text = content.display();
    [
        "bypassPermissions",
        "dangerously",
        "danger-full-access",
        "defaultMode",
        "\"allow\"",
        "approval_policy = \"never\"",
        "approval_policy=\"never\"",
        "autoApprove",
        "alwaysAllow",
        "disableAllHooks",
        "trustAllTools",
        "yolo",
        "enableAllProjectMcpServers",
        "\"command\"",
        "skipDangerous",
        "sandbox\": false",
        "Bash(*)",
    ]
    .iter()
    .any(|word| text.contains(word))
}

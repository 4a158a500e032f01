//! Rules on coding agents more generally: what they may do, what they are told, how they are started, and the keys that
//! could be pressed in a person's place.

use super::{
    super::{
        Rule, Scene, Shelf, When,
        effects::{about, at, is_hostile, is_made_empty, run, words, written},
    },
    How, OWN,
    definitions::{self, Among},
    process, touch,
};
use crate::{
    effect::{EffectKind, Kinds, Run, WriteMode},
    place::{self, AgentFileKind},
    programs::agents,
    risk::Severity,
    text::Text,
};

pub(in crate::rules) static SHELF: Shelf = Shelf {
    programs: &[
        "amp",
        "claude",
        "claude-code",
        "codex",
        "copilot",
        "crush",
        "gemini",
        "gemini-cli",
        "goose",
        "hermes",
        "kilo",
        "kilocode",
        "kiro-cli",
        "openclaw",
        "opencode",
        "opencode-ai",
        "pi",
        "qwen",
        "qwen-code",
        "reasonix",
        "skills",
    ],
    rules: RULES,
};

static RULES: &[Rule] = &[
    Rule {
        id: "protection.agent.settings",
        message: "what a coding agent may do, or what runs around it, would be changed",
        when: When::Effect(
            Kinds::DELETE.and(Kinds::HAND).and(Kinds::PERMISSION).and(Kinds::WRITE),
            |effect, scene| {
                let touch = touch(effect)?;
                let target = touch.target;
                let file = place::agent_file_of(target, scene.facts)?;
                let is_meant = match file.kind {
                    AgentFileKind::Settings => true,
                    AgentFileKind::Shared => {
                        definitions::among(&touch, effect, scene) != Among::None
                    }
                    AgentFileKind::Instructions | AgentFileKind::State => false,
                };
                if !is_meant {
                    return None;
                }
                let severity = match touch.how {
                    // Whoever brings calls to the gate is not handed to what may do anything with it.
                    How::Given if place::is_hooked(target, scene.facts) => Severity::High,
                    How::Deleted { .. } | How::Given => return None,
                    // Nothing in it, and what stands there stays: a directory, or a file that is to be written yet.
                    How::Written(WriteMode::Create, content) if content.is_empty() => return None,
                    How::Written(_, content) if loosens(content) || is_hostile(content) => {
                        Severity::Critical
                    }
                    How::Written(..) | How::Permitted | How::Handed => Severity::High,
                };
                let whose = if file.agent == place::PROGRAM {
                    format!("this changes {}:", file.agent)
                } else {
                    format!("this changes the settings of {}:", file.agent)
                };
                Some(about(severity, target, &whose))
            },
        ),
        fires: &[
            "sed -i 's/\"deny\"/\"allow\"/' ~/.claude/settings.json",
            "echo '{\"permissions\":{\"defaultMode\":\"bypassPermissions\"}}' > .claude/settings.json",
            "echo x > .mcp.json",
            "cp hook.sh ~/.claude/hooks/x.sh",
            "cp --parents .claude/settings.json ~",
            "cd x && rsync -aR ./.claude/settings.json ~/",
            "tar cf a.tar --transform s,^s.json,.claude/settings.local.json, s.json",
            "pax -r -s ,^,$HOME/.claude/, -f a.tar",
            "printf 'lcd ~/.claude\nget x settings.json\n' | sftp -b- h",
            "echo ~/.claude/settings.json > r; cpio -iu --rename-batch-file=r < a.cpio",
            "echo x >> ~/.codex/config.toml",
            "echo x > .cursor/mcp.json",
            "echo x > ~/.gemini/settings.json",
            "chmod -x ~/.cline/hooks/PreToolUse",
            "vim -c '%d' -c wq ~/.claude/settings.json",
            "git checkout main -- .cursor/hooks.json",
            "echo x > .devin/hooks.v1.json",
            "echo x > .github/copilot/settings.local.json",
            "echo x > .github/extensions/x/extension.mjs",
            "echo x > .claude/worktrees/feat/.claude/settings.json",
            "echo x > ~/.claude/$D/x.sh",
            "cp x.js .kilo/plugin/x.js",
            "echo x > kilo.jsonc",
            "echo x > ~/.config/kilo/plugin/x.js",
            "echo x > .reasonix/settings.json",
            "echo x > .kiro/agents/x.json",
            "echo x > .codex/rules/x.rules",
            "echo '{\"chat.tools.autoApprove\": true}' > .vscode/settings.json",
            "echo '{\"chat.tools.terminal.auto\\u0041pprove\": {}}' > .vscode/settings.json",
            "sed -i 's/{/{\"chat.useHooks\": 0,/' .vscode/settings.json",
        ],
        quiet: &[
            "cat ~/.claude/settings.json",
            "ls .claude",
            "echo x > .claude/plans/a.md",
            "echo x > src/settings.json",
            "echo '{\"editor.tabSize\": 2}' > .vscode/settings.json",
            "echo x > .github/dependabot.yml",
            "echo x > .claude/worktrees/feat/src/main.rs",
            "echo x > .kilo/plans/a.md",
        ],
        ..OWN
    },
    Rule {
        id: "protection.agent.instructions",
        severity: Severity::Medium,
        message: "what a coding agent is told would be changed",
        remedy: "show the person the text; instructions are read by every later session",
        when: When::Effect(Kinds::WRITE, |effect, scene| {
            let (target, mode, content) = written(effect)?;
            let file = place::agent_file_of(target, scene.facts)
                .filter(|file| file.kind == AgentFileKind::Instructions)?;
            // A directory in which nothing stands yet tells nothing.
            if is_made_empty(mode, content, effect, scene) {
                return None;
            }
            let own = place::place_of(target, scene.facts).is_workspace();
            if definitions::has_powers(mode, content) {
                let words =
                    format!("this runs programs around {}, or asks about nothing:", file.agent);
                return Some(about(Severity::High, target, &words));
            }
            let severity =
                if !own || is_hostile(content) { Severity::High } else { Severity::Medium };
            Some(about(severity, target, &format!("this changes what {} is told:", file.agent)))
        }),
        fires: &[
            "echo x >> CLAUDE.md",
            "echo x > ~/.claude/CLAUDE.md",
            "echo x > .cursorrules",
            "echo x > ~/.codex/AGENTS.md",
            "printf -- '---\\nname: x\\nhooks:\\n  Stop: []\\n---\\n' > .claude/skills/x/SKILL.md",
        ],
        quiet: &["cat CLAUDE.md", "echo x > README.md", "mkdir -p ~/.claude/skills/x"],
        ..OWN
    },
    Rule {
        id: "protection.agent.delete",
        message: "a coding agent's settings or instructions would be deleted",
        reversible: false,
        when: When::Effect(Kinds::DELETE, |effect, scene| {
            let EffectKind::Delete { target, .. } = &effect.kind else { return None };
            let file = place::agent_file_of(target, scene.facts)?;
            let own = place::place_of(target, scene.facts).is_workspace();
            match file.kind {
                AgentFileKind::State | AgentFileKind::Shared => None,
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
        when: When::Effect(Kinds::RUN, |effect, _| {
            let run = run(effect)?;
            let found = agents::of(run);
            let agent = found.is_some();
            if found.is_some_and(|agent| agent.asks_nobody(run)) {
                return Some(at(Severity::High));
            }
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
                            // `--sandbox=danger-full-access` as well as with a blank.
                            word.split_once('=').map_or(word, |(_, value)| value),
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
            "kilo run --auto x",
            "gemini --policy ./x.toml -p x",
            "reasonix --yolo",
            "aider --yes --message x",
            "cn -p x --auto",
            "interpreter -y",
            "sgpt --shell --no-interaction x",
            "acli rovodev run --yolo x",
            "openhands --headless -t x",
            "devin -p x --permission-mode bypass",
            "agent -p x -f",
            "goose run -t x",
            "gptme --no-confirm x",
            "kimi --yes -p x",
            "mini --yolo -t x",
            "plandex tell x --auto-exec",
        ],
        quiet: &[
            "claude --help",
            "aider --message x",
            "agent -f settings.yaml",
            "goose --version",
            "gptme x",
            "plandex tell x",
            "kilo run x",
            "codex exec 'fix it'",
            "grep -rn dangerously docs",
        ],
        ..OWN
    },
    Rule {
        id: "protection.agent.process",
        message: "the running agent would be stopped, or made to do something else",
        remedy: "debug a program that you started: `node inspect app.js`, `gdb ./app`",
        when: When::Effect(Kinds::EXECUTE.and(Kinds::KILL).and(Kinds::RUN), |effect, scene| {
            process::enters_agent(effect, scene).then(|| at(Severity::High))
        }),
        fires: &[
            "kill -USR1 $PPID",
            "kill -STOP $PPID",
            "node inspect -p $PPID",
            "strace -f -p $PPID",
            "gdb --pid=$(pgrep claude) -batch",
            "lldb -p $PPID",
            "reptyr $PPID",
            "prlimit --pid $PPID --nproc=1",
            "node -e 'process._debugProcess(process.ppid)'",
        ],
        quiet: &[
            "ps -p $PPID",
            "cat /proc/$PPID/comm",
            "kill -0 $PPID",
            "node inspect app.js",
            "gdb ./app",
            "strace -p $(pgrep -f server.js)",
            "pgrep claude",
        ],
        ..OWN
    },
    Rule {
        id: "protection.person.keys",
        message: "keys would be pressed in a terminal as if a person had typed them",
        remedy: "ask the person, and wait for the answer",
        when: When::Effect(Kinds::EXECUTE.and(Kinds::RUN).and(Kinds::WRITE), |effect, scene| {
            match &effect.kind {
                EffectKind::Execute { code, .. } => {
                    let code = code.display();
                    // Its number, as who has no name for it writes it.
                    let by_number = code.contains("ioctl")
                        && ["0x5412", "21522", "0x80017472", "0X5412"]
                            .iter()
                            .any(|number| code.contains(number));
                    (by_number || code.contains("TIOCSTI")).then(|| at(Severity::High))
                }
                EffectKind::Write { target, .. } => {
                    let is_input = matches!(
                        target.path.as_deref(),
                        Some("/dev/uinput" | "/dev/input/uinput" | "/dev/vcs" | "/dev/tty0")
                    );
                    // Somebody's window, by its number or as `tty` names it: what appears there says what it likes.
                    let is_window =
                        target.path.as_deref().is_some_and(|path| path.starts_with("/dev/pts/"))
                            || is_asked_for(&target.text, scene);
                    (is_input || is_window).then(|| at(Severity::High))
                }
                EffectKind::Run(run) => {
                    (matches!(run.program.as_str(), "injectty" | "ttyecho" | "tiocsti" | "writevt")
                        || answers(run))
                    .then(|| at(Severity::High))
                }
                _ => None,
            }
        }),
        fires: &[
            "python3 -c 'import fcntl, termios; fcntl.ioctl(0, termios.TIOCSTI, b\"y\")'",
            "ttyecho -n /dev/pts/3 y",
            "echo y > /dev/pts/0",
            "echo y > $(tty)",
            "perl -e 'ioctl(STDIN,0x5412,$_) for split //,\"y\\n\"'",
            "tmux send-keys -t main y Enter",
            "xdotool key y Return",
        ],
        quiet: &[
            "grep -rn TIOCSTI docs",
            "echo y > /dev/tty",
            "tmux send-keys -t dev 'npm test' Enter",
            "tmux send-keys -t dev C-c",
        ],
        ..OWN
    },
    Rule {
        id: "protection.agent.server",
        severity: Severity::High,
        message: "a coding agent would get other settings, a server that runs programs for it, or skills of somebody else",
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
            "copilot plugin|plugins install|marketplace",
            "hermes plugins|mcp install|enable|add",
            "hermes config set",
            "kilo|kilocode mcp add",
            "kilo|kilocode|opencode plugin|plug",
            "kiro-cli mcp add|remove|import",
            "openclaw plugins install|enable",
            "openclaw config set|unset",
            "pi install",
            "reasonix hooks trust",
            "skills add -g|--global",
        ]),
        fires: &[
            "claude mcp add x -- npx x",
            "codex mcp add x",
            "claude config set permissions.defaultMode bypassPermissions",
            "copilot plugin install x",
            "kilo mcp add x",
            "pi install ./x",
            "reasonix hooks trust",
            "npx skills add someone/x -g -y",
        ],
        quiet: &[
            "npx skills add someone/x",
            "claude mcp list",
            "claude config get theme",
            "kilo mcp list",
            "pi list",
        ],
        ..OWN
    },
];

/// Whether a program that presses keys presses those that answer a question: `y`, `yes`, a digit, and perhaps Return.
fn answers(run: &Run) -> bool {
    let presses = match run.program.as_str() {
        "tmux" => words(run).find(|word| word.starts_with("send")),
        "screen" => words(run).find(|word| *word == "stuff"),
        "xdotool" | "ydotool" => words(run).find(|word| matches!(*word, "key" | "type")),
        _ => return false,
    };
    let Some(verb) = presses else { return false };
    let is_return = |word: &str| {
        ["Enter", "Return", "C-m", "KP_Enter"].iter().any(|key| word.eq_ignore_ascii_case(key))
    };
    let mut answered = false;
    let mut before = "";
    for word in words(run).skip_while(|word| *word != verb).skip(1) {
        let is_value = matches!(before, "-t" | "-N" | "--window" | "--delay" | "-d");
        before = word;
        if is_value || word.starts_with('-') || is_return(word) {
            continue;
        }
        let key = word.trim_end_matches(['\n', '\r']).to_ascii_lowercase();
        let key = key.trim_end_matches("\\n");
        let digit = key.len() == 1 && key.bytes().all(|byte| byte.is_ascii_digit());
        if !digit && !matches!(key, "y" | "yes" | "a" | "always") {
            return false;
        }
        answered = true;
    }
    answered
}

/// Whether a name is what `tty` said.
fn is_asked_for(name: &Text, scene: &Scene<'_>) -> bool {
    name.has_unknown()
        && name.sources.iter().any(|source| {
            let effect = usize::try_from(source.0).ok().and_then(|at| scene.effects.list.get(at));
            effect.and_then(run).is_some_and(|run| run.program == "tty")
        })
}

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

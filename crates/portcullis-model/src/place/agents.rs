//! Files of coding agents: what they may do, what they are told and what they remember. Owns the table.

use super::{index::index, pattern::Located};
use crate::standing::{AgentFile, AgentFileKind};

/// The row of a path, found once for each.
pub(super) fn find(located: &Located<'_>) -> Option<&'static AgentFile> {
    *located.agent_file.get_or_init(|| search(located))
}

fn search(located: &Located<'_>) -> Option<&'static AgentFile> {
    // Most paths have nothing in them that any row begins with.
    let first = located.all().iter().position(|part| is_telling(part))?;
    let whole = row_of(located)?;
    if whole.kind == Settings {
        return Some(whole);
    }
    // A project may lie in an agent's directory, and is one like any other: `.claude/worktrees/x/.claude/settings.json`.
    let inner = (first + 1..located.all().len()).rev().find_map(|start| {
        let part = located.all().get(start)?;
        let begins = is_telling(part) && is_beginning(part);
        let found = begins.then(|| row_of(&located.from(start))).flatten()?;
        let is_below = start + 1 < located.all().len();
        (found.kind == Settings || found.kind == Instructions && is_below).then_some(found)
    });
    Some(inner.unwrap_or(whole))
}

fn row_of(located: &Located<'_>) -> Option<&'static AgentFile> {
    TABLE.get(index!(TABLE).row(located)?)
}

/// Whether a name by itself says whose it is: one in capitals alone, or a glob, is anybody's.
fn is_beginning(part: &str) -> bool {
    part.starts_with('.') || part.ends_with(".json") || part.ends_with(".jsonc")
}

/// Hidden names, names in capitals, JSON and what stands in systems' own directories.
fn is_telling(part: &str) -> bool {
    part.starts_with(['.', '*', '?', '[', '@'])
        || is_program(part)
        || part.starts_with(|first: char| first.is_ascii_uppercase())
        || part.ends_with(".json")
        || part.ends_with(".jsonc")
        || part.contains(['*', '?', '['])
        || matches!(part, "etc" | "llms-install.md" | "reasonix.toml")
        || part.starts_with("saoudrizwan")
        || part.ends_with(".code-workspace")
}

/// Names of agents' programs and packages that are nothing else.
fn is_program(part: &str) -> bool {
    matches!(
        part,
        "agent"
            | "amp"
            | "auggie"
            | "claude"
            | "cline"
            | "cn"
            | "codex"
            | "copilot"
            | "crush"
            | "cursor-agent"
            | "devin"
            | "droid"
            | "gemini"
            | "goose"
            | "grok"
            | "hermes"
            | "kilo"
            | "kilocode"
            | "kiro-cli"
            | "openclaw"
            | "opencode"
            | "opencode-ai"
            | "openhands"
            | "pi"
            | "qwen"
            | "reasonix"
    )
}

/// Whose files agents' own programs are: nothing is kept for one that is not there.
pub const PROGRAM: &str = "a coding agent's own program";

/// Every row.
pub(super) fn rows() -> impl Iterator<Item = &'static AgentFile> {
    TABLE.iter()
}

const fn row(
    agent: &'static str,
    kind: AgentFileKind,
    patterns: &'static [&'static str],
) -> AgentFile {
    AgentFile { agent, kind, patterns }
}

use AgentFileKind::{Instructions, Settings, Shared, State};

/// First match counts: what is kept, then what is told, then everything else in the agent's directory. What stands beside others that
/// are told, and yet is obeyed, comes before them.
///
/// Where their makers say it: Claude Code `code.claude.com/docs/en/settings`, Codex `developers.openai.com/codex/config-reference` and
/// `/codex/rules`, Cursor `cursor.com/docs/agent/hooks`, Gemini CLI `geminicli.com/docs/reference/configuration`, Copilot
/// `docs.github.com/en/copilot/reference/copilot-cli-reference/cli-config-dir-reference` and `/concepts/customizations`, VS Code
/// `code.visualstudio.com/docs/agent-customization/hooks` and `/docs/agents/agent-tools`, OpenCode `opencode.ai/docs/config`, Kilo
/// `kilo.ai/docs/cli`, Cline `docs.cline.bot`, Windsurf and Devin `docs.windsurf.com`, `docs.devin.ai`, Kiro
/// `kiro.dev/docs/cli/chat/configuration`, Amp `ampcode.com/manual`, Droid `docs.factory.ai/cli/configuration`, Qwen Code
/// `qwenlm.github.io/qwen-code-docs`, Crush `github.com/charmbracelet/crush`, Goose `block.github.io/goose/docs`, OpenHands
/// `docs.openhands.dev`, Continue `docs.continue.dev`, Pi `github.com/badlogic/pi-mono`, Hermes `hermes-agent.nousresearch.com/docs`,
/// OpenClaw `docs.openclaw.ai`, Zed `zed.dev/docs/ai`.
static TABLE: &[AgentFile] = &[
    row(
        "a coding agent",
        State,
        &[
            "**/.claude/projects|todos|plans|tmp|cache|worktrees|file-history|debug|logs|scratchpad|tasks|teams|sessions|memory/**",
            "**/.codex/sessions|log|logs|tmp|cache|memories|worktrees|plans/**",
            "**/.gemini/tmp|history|cache|plans/**",
            "**/.cursor/plans|chats|projects|worktrees|logs|cache/**",
            "**/.qwen|.grok|.crush|.factory|.kiro|.amp|.opencode|.kilo|.reasonix/tmp|logs|cache|sessions|history|plans|projects|todos|specs/**",
            "**/.copilot/logs|session-state|history-session-state/**",
            "**/.openhands/sessions|conversations|cache/**",
            "**/.kilo|.opencode/worktrees/**",
        ],
    ),
    row("Cline", Settings, &["**/.clinerules/hooks/**"]),
    // Their programs: whoever is one of them calls the gate, or does not.
    row(
        PROGRAM,
        Settings,
        &[
            "~/.local|.bun|.volta|.npm-global|.npm-packages|.cargo|.deno|.yarn|.amp|.opencode/bin/agent|amp|auggie|claude|cline|cn|codex|copilot|crush|cursor-agent|devin|droid|gemini|goose|grok|hermes|kilo|kilocode|kiro-cli|openclaw|opencode|openhands|pi|qwen|reasonix",
            "~/.local/share/pnpm/agent|amp|auggie|claude|cline|cn|codex|copilot|crush|cursor-agent|devin|droid|gemini|goose|grok|hermes|kilo|kilocode|kiro-cli|openclaw|opencode|openhands|pi|qwen|reasonix",
            "~/.asdf|.local|.nodenv/shims/agent|amp|auggie|claude|cline|cn|codex|copilot|crush|cursor-agent|devin|droid|gemini|goose|grok|hermes|kilo|kilocode|kiro-cli|openclaw|opencode|openhands|pi|qwen|reasonix",
            "~/.local/share/mise/shims/agent|amp|auggie|claude|cline|cn|codex|copilot|crush|cursor-agent|devin|droid|gemini|goose|grok|hermes|kilo|kilocode|kiro-cli|openclaw|opencode|openhands|pi|qwen|reasonix",
            "~/.nvm/versions/node/*/bin/agent|amp|auggie|claude|cline|cn|codex|copilot|crush|cursor-agent|devin|droid|gemini|goose|grok|hermes|kilo|kilocode|kiro-cli|openclaw|opencode|openhands|pi|qwen|reasonix",
            "~/go/bin/agent|amp|auggie|claude|cline|cn|codex|copilot|crush|cursor-agent|devin|droid|gemini|goose|grok|hermes|kilo|kilocode|kiro-cli|openclaw|opencode|openhands|pi|qwen|reasonix",
            "~/Library/pnpm/agent|amp|auggie|claude|cline|cn|codex|copilot|crush|cursor-agent|devin|droid|gemini|goose|grok|hermes|kilo|kilocode|kiro-cli|openclaw|opencode|openhands|pi|qwen|reasonix",
            "~/bin/agent|amp|auggie|claude|cline|cn|codex|copilot|crush|cursor-agent|devin|droid|gemini|goose|grok|hermes|kilo|kilocode|kiro-cli|openclaw|opencode|openhands|pi|qwen|reasonix",
            "/usr/local/bin/agent|amp|auggie|claude|cline|cn|codex|copilot|crush|cursor-agent|devin|droid|gemini|goose|grok|hermes|kilo|kilocode|kiro-cli|openclaw|opencode|openhands|pi|qwen|reasonix",
            "/usr/bin/agent|amp|auggie|claude|cline|cn|codex|copilot|crush|cursor-agent|devin|droid|gemini|goose|grok|hermes|kilo|kilocode|kiro-cli|openclaw|opencode|openhands|pi|qwen|reasonix",
            "/opt/homebrew/bin/agent|amp|auggie|claude|cline|cn|codex|copilot|crush|cursor-agent|devin|droid|gemini|goose|grok|hermes|kilo|kilocode|kiro-cli|openclaw|opencode|openhands|pi|qwen|reasonix",
            "~/.local/share/claude|cursor-agent/**",
            "**/@anthropic-ai/claude-code|claude-agent-sdk/**",
            "**/@openai/codex|codex-sdk/**",
            "**/@google/gemini-cli|gemini-cli-core/**",
            "**/@qwen-code/qwen-code|sdk/**",
            "**/@github/copilot|copilot-sdk/**",
            "**/@sourcegraph/amp/**",
            "**/@kilocode/cli|plugin|sdk/**",
            "**/@charmland/crush/**",
            "**/@mariozechner/pi-coding-agent/**",
            "**/@xai-official/grok/**",
            "**/@factory/cli/**",
            "**/node_modules/opencode-ai|openclaw|reasonix/**",
            "~/.cache/kilo|opencode/node_modules|bin/**",
        ],
    ),
    // Read before each command, or run by name.
    row(
        "Claude",
        Settings,
        &["**/.claude/shell-snapshots/**", "**/.claude/workflows/*.js|*.mjs|*.cjs|*.ts"],
    ),
    row("Codex", Settings, &["**/.codex/agents/*.toml"]),
    // Among agents and rules that are told in words: these are lists of what needs no asking.
    row("Kiro", Settings, &["**/.kiro/agents/*.json"]),
    row("Codex", Settings, &["**/.codex/rules/*.rules"]),
    row(
        "any coding agent",
        Instructions,
        &[
            "**/AGENTS.md|AGENT.md|AGENTS.local.md|AGENTS.override.md|CLAUDE.md|CLAUDE.local.md|GEMINI.md|QWEN.md|GROK.md|CRUSH.md|KIRO.md|CODEX.md|COPILOT.md|WARP.md|SKILL.md|llms-install.md",
            "**/.cursorrules|.windsurfrules|.clinerules|.roorules|.goosehints|.rules|.aiderrules|.augment-guidelines",
            "**/.github/copilot-instructions.md",
            "**/.github/instructions|prompts|chatmodes|agents|skills/**",
            "**/.claude|.codex|.gemini|.cursor|.opencode|.windsurf|.kiro|.amp|.factory|.qwen|.grok|.crush|.agents|.agent|.roo|.kilocode|.kilo|.cline|.junie|.augment|.continue|.trae|.reasonix/commands|command|agents|agent|skills|rules|prompts|output-styles|workflows|steering|specs|modes|guidelines|recipes|themes|droids/**",
            "**/.clinerules/**",
            "**/.claude/loop.md",
            "**/.openhands/microagents|skills/**",
            "~/.config/opencode|kilo|amp|crush|goose/commands|command|agents|agent|skills|rules|prompts/**",
            "~/.codeium/windsurf/memories/**",
        ],
    ),
    row(
        "a coding agent",
        State,
        &[
            "**/.claude|.codex|.gemini|.cursor|.qwen|.opencode/*.log|*.md|*.rst|*.txt",
            "**/.claude|.codex|.gemini|.cursor|.qwen|.opencode/archive|backlog|context|docs|drafts|handoffs|notes|prds|reports|research|reviews|scratch|screenshots|specs|tickets/**",
            "**/.gemini/antigravity|antigravity-cli/brain|conversations|implicit|logs|scratch/**",
        ],
    ),
    row(
        "Claude",
        Settings,
        &[
            "**/.claude/extensions|helpers|hooks|ide|local|mcp|plugins|scripts|statusline/**",
            "~/.claude.json|.claude.json.backup",
            "**/.mcp.json",
            "/etc/claude-code/**",
            "/Library/Application Support/ClaudeCode/**",
            "?:/ProgramData|Program Files/ClaudeCode/**",
            "~/.config/Claude|claude|claude-code/**",
            "~/Library/Application Support/Claude/**",
            "~/AppData/Roaming/Claude/**",
            "**/.claude-plugin/**",
        ],
    ),
    // What Claude Code has no name for is the person's own: copies, pictures, tools of theirs. Right in the directory it may be read all the same.
    row(
        "Claude",
        State,
        &[
            "**/.claude/.env|.gitignore|*.bak*|*.backup*|*.csv|*.env|*.gif|*.html|*.jpeg|*.jpg|*.old|*.orig|*.pdf|*.png|*.svg|*.webp",
        ],
    ),
    row("Claude", Settings, &["**/.claude", "**/.claude/*"]),
    row("Claude", State, &["**/.claude/*/**"]),
    row("Codex", Settings, &["**/.codex/**", "/etc/codex/**", "?:/ProgramData/OpenAI/**"]),
    row(
        "Cursor",
        Settings,
        &[
            "**/.cursor/**",
            "**/.cursorignore|.cursorindexingignore",
            "/etc/cursor/**",
            "~/.config/Cursor|cursor/**",
            "~/Library/Application Support/Cursor/**",
        ],
    ),
    row(
        "Gemini",
        Settings,
        &[
            "**/.gemini/**",
            "**/.geminiignore",
            "/etc/gemini-cli/**",
            "/Library/Application Support/GeminiCli/**",
        ],
    ),
    row(
        "Copilot",
        Settings,
        &[
            "**/.github/hooks|extensions/**",
            "**/.github/copilot/settings.json|settings.local.json|*.json",
            "**/.github/lsp.json",
            "~/.copilot/**",
            "~/.config/github-copilot|copilot/**",
            "**/.copilotignore",
            "**/.vscode/mcp.json",
            "~/.config/Code/User/mcp.json",
        ],
    ),
    row(
        "OpenCode",
        Settings,
        &[
            "**/.opencode/**",
            "**/opencode.json|opencode.jsonc|.opencode.json",
            "~/.config/opencode/**",
            "~/.local/share/opencode/**",
            "/etc/opencode/**",
            "/Library/Application Support/opencode/**",
        ],
    ),
    row(
        "Kilo",
        Settings,
        &[
            "**/.kilo|.kilocode/**",
            "**/kilo.json|kilo.jsonc|.kilo.json|.kilocodemodes|.kilocodeignore",
            "~/.config/kilo/**",
            "~/.local/share/kilo/**",
            "/etc/kilo/**",
            "/Library/Application Support/kilo/**",
        ],
    ),
    row(
        "Cline",
        Settings,
        &[
            "**/.cline/**",
            "**/.clineignore",
            "**/cline_mcp_settings.json",
            "~/Documents/Cline/**",
            "**/saoudrizwan.claude-dev/settings/**",
        ],
    ),
    row("Roo", Settings, &["**/.roo/**", "**/.roomodes|.rooignore"]),
    row(
        "Windsurf",
        Settings,
        &["**/.windsurf/**", "~/.codeium/**", "**/.codeiumignore", "~/.config/Windsurf/**"],
    ),
    row("Windsurf", Settings, &["/etc/windsurf/**", "/Library/Application Support/Windsurf/**"]),
    row("Devin", Settings, &["**/.devin/**", "~/.config/devin/**", "~/AppData/Roaming/devin/**"]),
    row("Kiro", Settings, &["**/.kiro/**", "~/.aws/amazonq/**", "**/.amazonq/**"]),
    row("Amp", Settings, &["**/.amp/**", "~/.config/amp/**", "/etc/ampcode/**"]),
    row("Droid", Settings, &["**/.factory/**"]),
    row("Qwen", Settings, &["**/.qwen/**", "/etc/qwen-code/**"]),
    row("Grok", Settings, &["**/.grok/**"]),
    row(
        "Crush",
        Settings,
        &[
            "**/.crush/**",
            "**/crush.json|.crush.json",
            "~/.config/crush/**",
            "~/.local/share/crush/**",
        ],
    ),
    row("Goose", Settings, &["~/.config/goose/**", "**/.goose/**"]),
    row(
        "Hermes",
        Settings,
        &["~/.hermes/**", "~/.config/hermes/**", "**/.hermes/hooks|plugins|config.yaml/**"],
    ),
    row(
        "OpenClaw",
        Settings,
        &["~/.openclaw/**", "**/.openclaw/hooks|plugins|extensions|openclaw.json/**"],
    ),
    row("Muse", Settings, &["**/.muse/**", "~/.config/muse/**"]),
    row("Pi", Settings, &["~/.pi/**", "**/.pi/extensions|agent|npm|git|settings.json/**"]),
    row("Reasonix", Settings, &["**/.reasonix/**", "**/reasonix.toml", "~/.config/reasonix/**"]),
    row("Aider", Settings, &["**/.aider.conf.yml|.aiderignore"]),
    row(
        "OpenHands",
        Settings,
        &[
            "~/.openhands/**",
            "**/.openhands/setup.sh|pre-commit.sh|hooks.json|config.toml",
            "**/.openhands/hooks/**",
        ],
    ),
    row(
        "Continue",
        Settings,
        &["~/.continue/**", "**/.continuerc.json", "**/.continue/mcpServers/**"],
    ),
    row(
        "a coding agent",
        Settings,
        &[
            "**/mcp.json|mcp_config.json|mcp_settings.json|mcp-config.json|.mcp-config.json|claude_desktop_config.json|managed-settings.json|managed-mcp.json",
            "~/.junie|.augment|.trae|.warp|.clawdbot|.antigravity|.zencoder|.tabnine|.letta|.nanobot|.plandex/**",
            "**/.agents|.agent|.antigravity|.junie|.augment|.trae/hooks|plugins|extensions|settings.json|config.toml|mcp.json|hooks.json|settings.local.json/**",
            "~/.config/zed/settings.json",
            "**/.aiignore|.agentignore",
        ],
    ),
    // An editor's own, with an agent's among them: what is written says which of them are meant.
    row(
        "the agents in an editor",
        Shared,
        &[
            "**/.vscode/settings.json",
            "~/.config/Code|Code - Insiders|VSCodium/User/settings.json",
            "~/Library/Application Support/Code|Code - Insiders|VSCodium/User/settings.json",
            "~/AppData/Roaming/Code|Code - Insiders|VSCodium/User/settings.json",
            "~/.vscode-server/data/Machine|User/settings.json",
            "**/*.code-workspace",
            "**/.zed/settings.json",
        ],
    ),
];

//! Files of coding agents: what they may do, what they are told and what they remember. Owns the table.

use super::{index::index, pattern::Located};
use crate::standing::{AgentFile, AgentFileKind};

/// The row of a path, found once for each.
pub(super) fn find(located: &Located<'_>) -> Option<&'static AgentFile> {
    *located.agent_file.get_or_init(|| search(located))
}

fn search(located: &Located<'_>) -> Option<&'static AgentFile> {
    // Most paths have nothing in them that any row begins with.
    if !located.all().iter().any(|part| is_telling(part)) {
        return None;
    }
    TABLE.get(index!(TABLE).row(located)?)
}

/// Hidden names, names in capitals, JSON and what stands in systems' own directories.
fn is_telling(part: &str) -> bool {
    part.starts_with(['.', '*', '?', '['])
        || part.starts_with(|first: char| first.is_ascii_uppercase())
        || part.ends_with(".json")
        || part.ends_with(".jsonc")
        || part.contains(['*', '?', '['])
        || matches!(part, "etc" | "llms-install.md")
        || part.starts_with("saoudrizwan")
}

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

use AgentFileKind::{Instructions, Settings, State};

/// First match counts: what is kept, then what is told, then everything else in the agent's directory.
static TABLE: &[AgentFile] = &[
    row(
        "a coding agent",
        State,
        &[
            "**/.claude/projects|todos|plans|tmp|cache|worktrees|shell-snapshots|file-history|debug|logs|scratchpad|tasks|teams|sessions|memory/**",
            "**/.codex/sessions|log|logs|tmp|cache|memories|worktrees|plans/**",
            "**/.gemini/tmp|history|cache|plans/**",
            "**/.cursor/plans|chats|projects|worktrees|logs|cache/**",
            "**/.qwen|.grok|.crush|.factory|.kiro|.amp|.opencode/tmp|logs|cache|sessions|history|plans|projects|todos|specs/**",
            "**/.copilot/logs|session-state|history-session-state/**",
            "**/.openhands/sessions|conversations|cache/**",
        ],
    ),
    row("Cline", Settings, &["**/.clinerules/hooks/**"]),
    row(
        "any coding agent",
        Instructions,
        &[
            "**/AGENTS.md|AGENT.md|AGENTS.local.md|AGENTS.override.md|CLAUDE.md|CLAUDE.local.md|GEMINI.md|QWEN.md|GROK.md|CRUSH.md|KIRO.md|CODEX.md|COPILOT.md|WARP.md|SKILL.md|llms-install.md",
            "**/.cursorrules|.windsurfrules|.clinerules|.roorules|.goosehints|.rules|.aiderrules|.augment-guidelines",
            "**/.github/copilot-instructions.md",
            "**/.github/instructions|prompts|chatmodes|agents|skills/**",
            "**/.claude|.codex|.gemini|.cursor|.opencode|.windsurf|.kiro|.amp|.factory|.qwen|.grok|.crush|.agents|.agent|.roo|.kilocode|.cline|.junie|.augment|.continue|.trae/commands|command|agents|agent|skills|rules|prompts|output-styles|workflows|steering|specs|modes|guidelines|recipes|themes|droids/**",
            "**/.clinerules/**",
            "**/.openhands/microagents|skills/**",
            "~/.config/opencode|amp|crush|goose/commands|command|agents|agent|skills|rules|prompts/**",
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
            "**/.claude/**",
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
            "**/.github/hooks/**",
            "~/.copilot/**",
            "~/.config/github-copilot|copilot/**",
            "**/.copilotignore|.vscode/mcp.json",
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
    row("Roo", Settings, &["**/.roo|.kilocode/**", "**/.roomodes|.rooignore|.kilocodemodes"]),
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
            "~/.junie|.augment|.trae|.warp|.hermes|.openclaw|.clawdbot|.antigravity|.zencoder|.tabnine|.letta|.nanobot|.plandex/**",
            "~/.pi|.muse|.reasonix/**",
            "~/.config/muse|goose|hermes/**",
            "**/.pi/extensions|agent|settings.json/**",
            "**/.agents|.agent|.antigravity|.junie|.augment|.trae/hooks|plugins|extensions|settings.json|config.toml|mcp.json|hooks.json|settings.local.json/**",
            "~/.config/zed/settings.json",
            "**/.aiignore|.agentignore",
        ],
    ),
];

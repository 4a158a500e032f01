//! Files in which something that an agent obeys stands beside something else: definitions in Markdown, with settings before the words,
//! and settings of editors, with those of an agent among them. Owns how the one is told from the other.

use super::{How, Scene, Touch, around};
use crate::{
    effect::{Effect, WriteMode},
    text::Text,
};

/// Members of a definition that run programs around the agent it defines.
const RUNS: &[&str] = &["hooks", "mcpServers", "mcp-servers", "mcp_servers"];

/// The member that says what is asked about, and its values that ask about nothing.
const ASKS: &[&str] = &["permissionMode", "permission-mode", "permission_mode"];
const NOTHING: &[&str] = &["bypassPermissions", "dontAsk"];

/// Whether a definition, of a skill or of an agent, runs programs or asks about nothing: what stands between its two `---` says so. A part
/// of one is read as if it stood there.
pub(super) fn has_powers(mode: WriteMode, content: &Text) -> bool {
    let text = content.display();
    let text = text.trim_start_matches('\u{feff}').trim_start();
    let Some(after) = text.strip_prefix("---") else {
        return matches!(mode, WriteMode::Edit | WriteMode::Append) && {
            let mut is_quoted = false;
            text.lines().any(|line| {
                is_quoted ^= line.trim_start().starts_with("```");
                !is_quoted && is_power(line, text)
            })
        };
    };
    let head =
        || after.lines().skip(1).take_while(|line| !matches!(line.trim_end(), "---" | "..."));
    let whole = head().collect::<Vec<_>>().join("\n");
    head().any(|line| is_power(line, &whole))
}

/// Whether a line begins a member that gives power, in any of the ways in which YAML writes one.
fn is_power(line: &str, whole: &str) -> bool {
    let says_one =
        || RUNS.iter().chain(NOTHING).any(|word| whole.contains(word)) || whole.contains('\\');
    let key = line.strip_prefix('?').map_or(line, str::trim_start);
    // On one line, or taken from elsewhere in the text.
    if key.starts_with('{') || key.starts_with("<<") || key.starts_with('&') {
        return says_one();
    }
    if key.starts_with(|first: char| first.is_whitespace() || first == '#') {
        return false;
    }
    let (name, value) = key.split_once(':').unwrap_or((key.trim_end(), ""));
    let is_quoted = name.starts_with(['"', '\'']);
    let name = name.trim().trim_matches(['"', '\'']);
    if is_quoted && name.contains('\\') || RUNS.contains(&name) {
        return key.contains(':') || line.starts_with('?');
    }
    let value = value.trim_start().trim_start_matches(['"', '\'']);
    let is_plain = value.starts_with(|first: char| first.is_ascii_alphabetic());
    ASKS.contains(&name)
        && key.contains(':')
        && (!is_plain || NOTHING.iter().any(|nothing| value.starts_with(nothing)))
}

/// Settings of editors that say what an agent in them may do, what runs around it, or which servers it has.
/// <https://code.visualstudio.com/docs/agents/agent-tools>, <https://code.visualstudio.com/docs/agent-customization/hooks>,
/// <https://code.claude.com/docs/en/vs-code>, <https://ampcode.com/manual>, <https://zed.dev/docs/ai/agent-settings>
const OF_AGENTS: &[&str] = &[
    "chat.useHooks",
    "chat.useClaudeHooks",
    "chat.useCustomAgentHooks",
    "chat.hookFilesLocations",
    "chat.tools.autoApprove",
    "chat.tools.global.autoApprove",
    "chat.tools.terminal.autoApprove",
    "chat.tools.terminal.enableAutoApprove",
    "chat.tools.edits.autoApprove",
    "chat.tools.urls.autoApprove",
    "chat.tools.eligibleForAutoApproval",
    "chat.permissions.default",
    "chat.mcp.access",
    "chat.mcp.autostart",
    "chat.mcp.discovery",
    "chat.pluginLocations",
    "chat.plugins.",
    "claudeCode.allowDangerouslySkipPermissions",
    "claudeCode.claudeProcessWrapper",
    "claudeCode.environmentVariables",
    "claudeCode.initialPermissionMode",
    "chatgpt.cliExecutable",
    "amp.dangerouslyAllowAll",
    "amp.hooks",
    "amp.mcpServers",
    "amp.permissions",
    "roo-cline.allowedCommands",
    "kilo-code.allowedCommands",
    "kilo-code.new.autoApprove",
    "\"mcp\"",
    "mcpServers",
    "\"context_servers\"",
    "\"agent_servers\"",
    "always_allow_tool_actions",
    "\"tool_permissions\"",
];

/// The setting with which an editor runs no hooks.
const HOOKS: &[&str] = &["useHooks", "useClaudeHooks", "useCustomAgentHooks"];

/// What becomes of an agent's settings among those of its editor.
#[derive(Clone, Copy, Eq, PartialEq)]
pub(super) enum Among {
    /// Nothing.
    None,
    /// They are given another value.
    Changed,
    /// Its hooks are off.
    Off,
}

/// What a file of an editor says of agents after what happens to it.
pub(super) fn among(touch: &Touch<'_>, effect: &Effect, scene: &Scene<'_>) -> Among {
    let text = match touch.how {
        How::Written(_, content) if content.has_unknown() => {
            format!("{}\n{}", content.display(), around(effect, touch.target, scene))
        }
        How::Written(_, content) => content.display(),
        How::Handed => around(effect, touch.target, scene),
        How::Deleted { .. } | How::Permitted | How::Given => return Among::None,
    };
    let text = unescaped(&text);
    let is_off = HOOKS.iter().any(|name| {
        text.match_indices(name).any(|(at, _)| {
            let rest = text.get(at + name.len()..).unwrap_or_default();
            let rest = rest.trim_start_matches(['"', '\'', '\\', ']', ' ', '\t']);
            let value = rest.trim_start_matches([':', '=', '|', ' ', '\t', '\n', '\r']);
            value.len() < rest.len() && value.starts_with("false")
        })
    });
    if is_off {
        Among::Off
    } else if OF_AGENTS.iter().chain(HOOKS).any(|name| text.contains(name)) {
        Among::Changed
    } else {
        Among::None
    }
}

/// The text with letters that JSON has by their numbers.
fn unescaped(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("\\u") {
        shown.push_str(before);
        let letter = after
            .get(..4)
            .and_then(|digits| u32::from_str_radix(digits, 16).ok())
            .and_then(char::from_u32);
        match letter {
            Some(letter) => {
                shown.push(letter);
                rest = after.get(4..).unwrap_or_default();
            }
            None => {
                shown.push_str("\\u");
                rest = after;
            }
        }
    }
    shown.push_str(rest);
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_definition_has_powers_however_its_head_is_written() {
        for (mode, text, expected) in [
            (WriteMode::Replace, "---\nname: x\nhooks:\n  PreToolUse: []\n---\nDo it.", true),
            (WriteMode::Replace, "---\r\nname: x\r\nmcpServers:\r\n  - x\r\n---\r\n", true),
            (WriteMode::Replace, "\u{feff}---\n\"hooks\": {}\n---\n", true),
            (WriteMode::Replace, "---\n'hooks' : {}\n---\n", true),
            (WriteMode::Replace, "---\n\"h\\u006foks\": {}\n---\n", true),
            (WriteMode::Replace, "---\n? hooks\n: {}\n---\n", true),
            (WriteMode::Replace, "---\n{name: x, hooks: {}}\n---\n", true),
            (WriteMode::Replace, "---\nx: &a\n  hooks: {}\n<<: *a\n---\n", true),
            (WriteMode::Replace, "---\npermissionMode: bypassPermissions\n---\n", true),
            (WriteMode::Replace, "---\npermissionMode: \"bypassPermissions\"\n---\n", true),
            (WriteMode::Replace, "---\npermissionMode: *a\n---\n", true),
            (WriteMode::Replace, "---\npermissionMode: plan\n---\n", false),
            (WriteMode::Replace, "---\nname: hooks\ndescription: Writes hooks: all\n---\n", false),
            (WriteMode::Replace, "---\nname: x\n---\nhooks: are described here\n", false),
            (WriteMode::Replace, "# Hooks\n\nhooks:\n", false),
            (WriteMode::Replace, "---\nmetadata:\n  hooks: none\n---\n", false),
            (WriteMode::Edit, "name: x\nhooks:\n  Stop: []\n", true),
            (WriteMode::Edit, "Write this:\n\n```yaml\nhooks:\n```\n", false),
            (WriteMode::Edit, "Use the hooks of the project\n", false),
        ] {
            assert_eq!(has_powers(mode, &Text::known(text)), expected, "{text:?}");
        }
    }
}

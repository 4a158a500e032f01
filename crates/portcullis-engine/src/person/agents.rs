//! How coding agents, and what people sit at, are known. Owns the tables, and nothing that reads the world: a new agent, a
//! new terminal or a new mark is a row.

/// A coding agent, by what its processes look like.
pub(super) struct Agent {
    /// What people call it.
    pub(super) name: &'static str,
    /// What its programs are called: the file that runs, the name that the process gives itself, the script that an
    /// interpreter runs.
    pub(super) programs: &'static [&'static str],
    /// Parts of a script's path that are its package.
    pub(super) packages: &'static [&'static str],
}

const fn agent(
    name: &'static str,
    programs: &'static [&'static str],
    packages: &'static [&'static str],
) -> Agent {
    Agent { name, programs, packages }
}

pub(super) const AGENTS: &[Agent] = &[
    agent("Claude Code", &["claude", "claude-code"], &["@anthropic-ai/claude-code"]),
    agent("Codex", &["codex", "codex-cli"], &["@openai/codex"]),
    agent("Gemini CLI", &["gemini", "gemini-cli"], &["@google/gemini-cli"]),
    agent("Cursor", &["cursor-agent"], &["cursor-agent"]),
    agent("OpenCode", &["opencode"], &["opencode-ai"]),
    agent("Copilot", &["copilot", "copilot-agent"], &["@github/copilot"]),
    agent("Amp", &["amp"], &["@sourcegraph/amp", "@ampcode"]),
    agent("Droid", &["droid"], &["factory-cli"]),
    agent("Goose", &["goose", "goosed"], &[]),
    agent("Aider", &["aider"], &["aider-chat"]),
    agent("Qwen Code", &["qwen", "qwen-code"], &["@qwen-code/qwen-code"]),
    agent("Cline", &["cline"], &["saoudrizwan.claude-dev"]),
    agent("Auggie", &["auggie"], &["@augmentcode/auggie"]),
    agent("Crush", &["crush"], &["@charmland/crush"]),
    agent("Kiro", &["kiro-cli", "kiro-cli-chat", "qchat"], &[]),
    agent("Pi", &["pi-coding-agent"], &["pi-coding-agent"]),
    agent("OpenHands", &["openhands"], &["openhands"]),
    agent("Continue", &["continue-cli"], &["@continuedev/cli"]),
    agent("Plandex", &["plandex"], &[]),
    agent("Kimi", &["kimi", "kimi-cli"], &[]),
    agent("Vibe", &["mistral-vibe"], &[]),
    agent("Devin", &["devin"], &[]),
    agent("Grok", &["grok", "grok-cli"], &["@vibe-kit/grok-cli"]),
];

/// A variable that an agent sets for what it runs. Variables that people set themselves to configure an agent
/// (`CODEX_HOME`, `CLAUDE_CODE_USE_BEDROCK`) are no marks: with them in a profile nobody could ever answer.
pub(super) struct Mark {
    pub(super) variable: &'static str,
    /// The values that mean an agent; empty for any value that is not.
    pub(super) values: &'static [&'static str],
    pub(super) agent: &'static str,
}

const fn mark(variable: &'static str, agent: &'static str) -> Mark {
    Mark { variable, values: &[], agent }
}

pub(super) const MARKS: &[Mark] = &[
    mark("CLAUDECODE", "Claude Code"),
    mark("CLAUDE_CODE_ENTRYPOINT", "Claude Code"),
    mark("CLAUDE_CODE_SESSION_ID", "Claude Code"),
    mark("CLAUDE_CODE_REMOTE", "Claude Code"),
    mark("CLAUDE_PROJECT_DIR", "Claude Code"),
    mark("CODEX_CI", "Codex"),
    mark("CODEX_SANDBOX", "Codex"),
    mark("CODEX_SANDBOX_NETWORK_DISABLED", "Codex"),
    mark("CODEX_THREAD_ID", "Codex"),
    mark("CODEX_INTERNAL_ORIGINATOR_OVERRIDE", "Codex"),
    mark("CURSOR_AGENT", "Cursor"),
    mark("CURSOR_PROJECT_DIR", "Cursor"),
    mark("GEMINI_CLI", "Gemini CLI"),
    mark("GEMINI_PROJECT_DIR", "Gemini CLI"),
    mark("QWEN_CODE", "Qwen Code"),
    mark("OPENCODE", "OpenCode"),
    mark("OPENCODE_PID", "OpenCode"),
    mark("OPENCODE_SESSION_ID", "OpenCode"),
    mark("COPILOT_CLI", "Copilot"),
    mark("COPILOT_AGENT_SESSION_ID", "Copilot"),
    mark("AMP_THREAD_ID", "Amp"),
    mark("AMP_CURRENT_THREAD_ID", "Amp"),
    mark("FACTORY_PROJECT_DIR", "Droid"),
    mark("DROID_PROJECT_DIR", "Droid"),
    mark("GOOSE_TERMINAL", "Goose"),
    mark("CLINE_ACTIVE", "Cline"),
    mark("ROO_ACTIVE", "Roo"),
    mark("AUGMENT_AGENT", "Auggie"),
    mark("CRUSH", "Crush"),
    mark("PI_CODING_AGENT", "Pi"),
    mark("ANTIGRAVITY_AGENT", "Antigravity"),
    mark("AI_AGENT", "an agent"),
    Mark {
        variable: "AGENT",
        values: &["1", "true", "amp", "claude", "codex", "crush", "gemini", "goose", "opencode"],
        agent: "an agent",
    },
];

/// Editors with an agent of their own, which types into the same terminals as the person and starts them in the same way.
pub(super) const EDITORS: &[&str] = &[
    "antigravity",
    "code",
    "code-insiders",
    "code-oss",
    "codium",
    "cursor",
    "kiro",
    "positron",
    "trae",
    "void",
    "vscodium",
    "windsurf",
    "zed",
    "zed-editor",
];

/// Programs that own a terminal for somebody who sits at it, here or at the other end of a line.
pub(super) const SEATS: &[&str] = &[
    "alacritty",
    "blackbox",
    "contour",
    "cosmic-term",
    "cool-retro-term",
    "deepin-terminal",
    "dropbear",
    "foot",
    "footclient",
    "ghostty",
    "gnome-console",
    "gnome-terminal",
    "gnome-terminal-server",
    "kgx",
    "kitty",
    "konsole",
    "login",
    "lxterminal",
    "mate-terminal",
    "mosh-server",
    "ptyxis",
    "ptyxis-agent",
    "qterminal",
    "rio",
    "rxvt",
    "sakura",
    "sshd",
    "sshd-session",
    "st",
    "terminology",
    "tilda",
    "tilix",
    "urxvt",
    "urxvtd",
    "wezterm-gui",
    "xfce4-terminal",
    "xterm",
    "yakuake",
];

/// Servers that own terminals for clients which come and go. Anybody can start one and press its keys, so one of them is
/// worth no more than a client that sits at it.
pub(super) const MULTIPLEXERS: &[&str] =
    &["abduco", "byobu", "dtach", "dvtm", "screen", "tmux", "wezterm-mux-server", "zellij"];

/// Shells: never the agent, always between it and what it runs.
pub(super) const SHELLS: &[&str] = &[
    "ash", "bash", "busybox", "csh", "dash", "elvish", "env", "fish", "ksh", "ksh93", "mksh", "nu",
    "oksh", "pwsh", "sh", "tcsh", "timeout", "xonsh", "yash", "zsh",
];

/// Programs that run another file, so that the file says who they are.
pub(super) const INTERPRETERS: &[&str] = &["bun", "deno", "node", "nodejs", "python", "ruby"];

/// The agent that a process is, by its program's names and the words that it was started with.
pub(super) fn agent_of<'a>(
    names: impl IntoIterator<Item = &'a str>,
    words: &[String],
) -> Option<&'static str> {
    let is_named = |name: &str| {
        AGENTS.iter().find(|agent| agent.programs.contains(&name)).map(|agent| agent.name)
    };
    let mut runs_a_file = false;
    for name in names {
        if let Some(agent) = is_named(name) {
            return Some(agent);
        }
        runs_a_file |= is_interpreter(name);
    }
    if let Some(agent) = words.first().and_then(|word| is_named(base(word))) {
        return Some(agent);
    }
    if !runs_a_file {
        return None;
    }
    let script = words.iter().skip(1).find(|word| !word.starts_with('-'))?;
    let stem = base(script).split('.').next().unwrap_or_default();
    is_named(base(script)).or_else(|| is_named(stem)).or_else(|| {
        let holds = |package: &&str| {
            script
                .match_indices(package)
                .any(|(at, _)| script.get(..at).is_none_or(|before| before.ends_with('/')))
        };
        AGENTS.iter().find(|agent| agent.packages.iter().any(&holds)).map(|a| a.name)
    })
}

/// `python3.12` is `python`.
fn is_interpreter(name: &str) -> bool {
    let bare = name.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
    INTERPRETERS.contains(&bare)
}

/// The agent whose mark is among these variables, with the mark.
pub(super) fn mark_of(
    variable: impl Fn(&str) -> Option<String>,
) -> Option<(&'static str, &'static str)> {
    MARKS.iter().find_map(|mark| {
        let value = variable(mark.variable).filter(|value| !value.is_empty())?;
        let means = mark.values.is_empty() && !matches!(value.as_str(), "0" | "false")
            || mark.values.iter().any(|known| value.eq_ignore_ascii_case(known));
        means.then_some((mark.agent, mark.variable))
    })
}

/// The last part of a path, without the `-` before the name of a login shell.
pub(super) fn base(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.strip_prefix('-').unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agents_are_known_by_program_script_and_package() {
        for (names, words, agent) in [
            (&["claude"][..], &["claude"][..], Some("Claude Code")),
            (&["node"], &["claude"], Some("Claude Code")),
            (&["node"], &["node", "/usr/bin/gemini"], Some("Gemini CLI")),
            (
                &["node"],
                &["node", "--no-warnings", "/x/node_modules/@google/gemini-cli/dist/index.js"],
                Some("Gemini CLI"),
            ),
            (
                &["python3.12"],
                &["/usr/bin/python3.12", "/home/dev/.local/bin/aider"],
                Some("Aider"),
            ),
            (&["MainThread", "node"], &["node", "/opt/codex.js"], Some("Codex")),
            (&["node"], &["node", "server.js", "claude"], None),
            (&["vim"], &["vim", "claude"], None),
            (&["cat"], &["cat", "/x/@openai/codex/README"], None),
            (&["node"], &["node", "/x/my-openhands-notes/index.js"], None),
            (&["bash"], &["-bash"], None),
        ] {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            assert_eq!(agent_of(names.iter().copied(), &words), agent, "{names:?} {words:?}");
        }
    }

    #[test]
    fn settings_that_people_keep_in_their_profile_are_no_marks() {
        for (variable, value, found) in [
            ("CLAUDECODE", "1", true),
            ("CODEX_SANDBOX", "seatbelt", true),
            ("AGENT", "amp", true),
            ("GEMINI_CLI", "1", true),
            ("CLAUDECODE", "", false),
            ("CLAUDECODE", "0", false),
            ("AGENT", "ssh", false),
            ("CODEX_HOME", "/home/dev/.codex", false),
            ("CLAUDE_CODE_USE_BEDROCK", "1", false),
            ("COPILOT_HOME", "/home/dev/.copilot", false),
        ] {
            let mark = mark_of(|name| (name == variable).then(|| value.to_owned()));
            assert_eq!(mark.is_some(), found, "{variable}={value}");
        }
    }

    #[test]
    fn no_name_means_two_things() {
        let agents: Vec<&str> =
            AGENTS.iter().flat_map(|agent| agent.programs.iter().copied()).collect();
        let mut all: Vec<&str> =
            [&agents, EDITORS, SEATS, MULTIPLEXERS, SHELLS, INTERPRETERS].concat();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
    }
}

//! Our lines in a YAML file that others write too. Owns what they look like between two marks, how they are put at the end
//! of a text and taken out of it, and how a hook is found that a person wrote there. It merges nothing: where a key of ours
//! is there already, a person has to add the hook.

use super::command::{Called, Run};

/// The lines before and after ours.
const BEGIN: &str = "# Written by `portcullis install`; `portcullis uninstall` takes it away.";
const END: &str = "# The end of what `portcullis install` wrote.";

/// What stands for the command in a template.
const COMMAND: &str = "{command}";

/// What the lines of an agent come to in a text.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Whether anything calls us.
    pub any: bool,
    /// What is not as it should be, in words.
    pub faults: Vec<String>,
    /// The command that calls us.
    pub called: Option<Called>,
}

/// Our lines, with a command.
fn block(template: &[&str], command: &str) -> String {
    // What is quoted for JSON is so for YAML too.
    let quoted = serde_json::Value::from(command).to_string();
    let lines = template.iter().map(|line| line.replace(COMMAND, &quoted));
    let mut block = format!("{BEGIN}\n");
    for line in lines {
        block.push_str(&line);
        block.push('\n');
    }
    block.push_str(END);
    block.push('\n');
    block
}

/// The text with our lines in it.
///
/// # Errors
/// The key that stands in the way.
pub fn merged(text: &str, template: &[&str], command: &str) -> Result<String, String> {
    let wanted = block(template, command);
    if text.contains(&wanted) {
        return Ok(text.to_owned());
    }
    let rest = without(text);
    let report = report(&rest, template, "");
    if report.any && report.faults.is_empty() {
        // A person wrote it.
        return Ok(text.to_owned());
    }
    if let Some(key) = template.iter().filter_map(|line| key(line)).find(|key| has(&rest, key)) {
        return Err(key.to_owned());
    }
    let newline = if rest.is_empty() || rest.ends_with('\n') { "" } else { "\n" };
    Ok(format!("{rest}{newline}{wanted}"))
}

/// The text without our lines.
#[must_use]
pub fn without(text: &str) -> String {
    let (Some(start), Some(end)) = (text.find(BEGIN), text.find(END)) else {
        return text.to_owned();
    };
    let end = end + END.len();
    let after = text.get(end..).unwrap_or_default();
    let after = after.strip_prefix('\n').unwrap_or(after);
    format!("{}{after}", text.get(..start).unwrap_or_default())
}

/// What a text comes to. `command` is the one that we would write; empty where any is as good.
#[must_use]
pub fn report(text: &str, template: &[&str], command: &str) -> Report {
    let lines = || text.lines().filter(|line| !line.trim_start().starts_with('#'));
    let mut report = Report::default();
    let Some(line) = lines()
        .find_map(command_of)
        .filter(|line| line.contains("portcullis") && line.contains("hook"))
    else {
        return report;
    };
    report.any = true;
    let ours = text.contains(BEGIN);
    if ours && !command.is_empty() && line != command {
        report.faults.push(format!("it calls `{line}`"));
    }
    for wanted in template.iter().filter(|line| !line.contains(COMMAND)) {
        if !lines().any(|line| line.trim_end() == *wanted) {
            report.faults.push(format!("`{}` is missing", wanted.trim()));
        }
    }
    report.called = Some(Called::of_line(&line));
    report
}

/// The command of a line that has one.
fn command_of(line: &str) -> Option<String> {
    let line = line.trim_start();
    let rest =
        line.strip_prefix("- ").unwrap_or(line).trim_start().strip_prefix("command:")?.trim();
    if rest.starts_with('"') {
        return serde_json::from_str(rest).ok();
    }
    let single = rest.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\''));
    Some(single.map_or_else(|| rest.to_owned(), |rest| rest.replace("''", "'")))
}

/// The key of a line at the top.
fn key<'a>(line: &'a &str) -> Option<&'a str> {
    let plain = line.starts_with(|letter: char| letter.is_ascii_alphabetic());
    line.split_once(':').map(|(key, _)| key).filter(|_| plain)
}

fn has(text: &str, key: &str) -> bool {
    let quoted = [format!("{key}:"), format!("\"{key}\":"), format!("'{key}':")];
    text.lines().any(|line| quoted.iter().any(|key| line.starts_with(key)))
}

impl Called {
    /// The command of a line.
    fn of_line(line: &str) -> Self {
        Self::running(super::command::split(line).unwrap_or_default(), Run::Shell(line.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEMPLATE: &[&str] =
        &["hooks:", "  pre_tool_call:", "    - command: {command}", "hooks_auto_accept: true"];

    #[test]
    fn lines_are_put_at_the_end_and_taken_out_again() {
        for text in ["", "model: x\n", "model: x", "# only a comment\n", "a:\n  hooks: 1\n"] {
            let with = merged(text, TEMPLATE, "'/a b/portcullis' hook hermes").unwrap();
            let seen = report(&with, TEMPLATE, "'/a b/portcullis' hook hermes");
            assert!(seen.any && seen.faults.is_empty(), "{with}: {seen:?}");
            assert_eq!(merged(&with, TEMPLATE, "'/a b/portcullis' hook hermes").unwrap(), with);
            assert_eq!(without(&with).trim_end(), text.trim_end());
            let other = merged(&with, TEMPLATE, "/new/portcullis hook hermes").unwrap();
            assert_eq!(other.matches("command:").count(), 1);
            assert!(!report(&with, TEMPLATE, "/new/portcullis hook hermes").faults.is_empty());
        }
    }

    #[test]
    fn what_is_there_already_is_not_merged_and_a_hook_by_hand_counts() {
        for text in
            ["hooks:\n  post_tool_call: []\n", "\"hooks\": {}\n", "hooks_auto_accept: false\n"]
        {
            merged(text, TEMPLATE, "portcullis hook hermes").unwrap_err();
        }
        let by_hand = "hooks_auto_accept: true\nhooks:\n  pre_tool_call:\n    - command: portcullis hook hermes\n";
        assert_eq!(merged(by_hand, TEMPLATE, "/p/portcullis hook hermes").unwrap(), by_hand);
        let seen = report(by_hand, TEMPLATE, "/p/portcullis hook hermes");
        assert!(seen.any && seen.faults.is_empty(), "{seen:?}");
        let unaccepted = by_hand.replace("true", "false");
        assert!(!report(&unaccepted, TEMPLATE, "").faults.is_empty());
        assert!(!report(&by_hand.replace("    - ", "    # - "), TEMPLATE, "").any);
    }
}

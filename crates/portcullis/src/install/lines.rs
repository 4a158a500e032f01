//! Our lines in a YAML file that others write too. Owns what they look like between two marks, how they are put into a text and
//! taken out of it again, and how a hook is found that a person wrote there. Where a person keeps hooks already, ours is put
//! among them; where they are written in a way that is not read here, a person has to add it.

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

/// Our lines, with a command, so far from the margin.
fn block(template: &[&str], command: &str, margin: &str) -> String {
    // What is quoted for JSON is so for YAML too.
    let quoted = serde_json::Value::from(command).to_string();
    let lines = template.iter().map(|line| line.replace(COMMAND, &quoted));
    let lines = [BEGIN.to_owned()].into_iter().chain(lines).chain([END.to_owned()]);
    lines.map(|line| format!("{margin}{line}\n")).collect()
}

/// The text with our lines in it.
///
/// # Errors
/// The key that stands in the way.
pub fn merged(text: &str, template: &[&str], command: &str) -> Result<String, String> {
    let rest = without(text);
    let report = report(&rest, template, "");
    if report.any && report.faults.is_empty() {
        // A person wrote it.
        return Ok(text.to_owned());
    }
    // What stands there already, word for word, need not be added.
    let is_there = |wanted: &&&str| rest.lines().any(|line| bare(line) == **wanted);
    let [settings, hooks]: [Vec<&str>; 2] = parts(template);
    let settings: Vec<&str> = settings.iter().filter(|line| !is_there(line)).copied().collect();
    if let Some(key) = settings.iter().filter_map(|line| key(line)).find(|key| has(&rest, key)) {
        return Err(key.to_owned());
    }
    let root = hooks.first().and_then(|line| key(line)).unwrap_or_default();
    let (rest, added) = if has(&rest, root) {
        let within = among(&rest, &hooks, command).ok_or_else(|| root.to_owned())?;
        (within, settings)
    } else {
        (rest, template.to_vec())
    };
    if added.is_empty() {
        return Ok(rest);
    }
    let newline = if rest.is_empty() || rest.ends_with('\n') { "" } else { "\n" };
    Ok(format!("{rest}{newline}{}", block(&added, command, "")))
}

/// The settings of a template, and the lines that lead to the command.
fn parts<'a>(template: &[&'a str]) -> [Vec<&'a str>; 2] {
    let end = template.iter().position(|line| line.contains(COMMAND)).map_or(0, |at| at + 1);
    let (hooks, settings) = template.split_at(end);
    [settings.to_vec(), hooks.to_vec()]
}

/// The text with our hook among those that stand there: first in the list of its event, else with that list first of all. `None`
/// where they are written in another way than as blocks.
fn among(text: &str, hooks: &[&str], command: &str) -> Option<String> {
    let [root, event, item] = hooks else { return None };
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let start = lines.iter().position(|line| bare(line) == *root)?;
    let said = |line: &str| !bare(line).trim().is_empty();
    let below = |from: usize, margin: usize| {
        let rest = lines.iter().enumerate().skip(from + 1).filter(move |(_, line)| said(line));
        rest.take_while(move |(_, line)| margin_of(line).len() > margin)
    };
    let (_, first) = below(start, 0).next()?;
    let margin = margin_of(first);
    if margin.contains('\t') || first.trim_start().starts_with('-') {
        return None;
    }
    let is_event =
        |line: &str| margin_of(line) == margin && line.trim_start().starts_with(event.trim_start());
    let listed = below(start, 0).find(|(_, line)| is_event(line));
    let (at, added) = match listed {
        None => {
            let steps = [event.trim_start().to_owned(), format!("  {}", item.trim_start())];
            (start + 1, block(&[&steps[0], &steps[1]], command, margin))
        }
        Some((at, line)) => {
            if bare(line).trim() != event.trim() {
                return None;
            }
            // A list may stand as far from the margin as its key.
            let (first, line) =
                lines.iter().enumerate().skip(at + 1).find(|(_, line)| said(line))?;
            let own = margin_of(line);
            if own.len() < margin.len() || !line.trim_start().starts_with("- ") {
                return None;
            }
            (first, block(&[item.trim_start()], command, own))
        }
    };
    let (before, after) = lines.split_at_checked(at)?;
    let newline = if before.last().is_some_and(|line| line.ends_with('\n')) { "" } else { "\n" };
    Some(format!("{}{newline}{added}{}", before.concat(), after.concat()))
}

fn margin_of(line: &str) -> &str {
    let length = line.len() - line.trim_start_matches([' ', '\t']).len();
    line.get(..length).unwrap_or_default()
}

/// A line without its comment and what stands behind it.
fn bare(line: &str) -> &str {
    let line = line.trim_end();
    if line.trim_start().starts_with('#') {
        return "";
    }
    line.split_once(" #").map_or(line, |(line, _)| line.trim_end())
}

/// The text without our lines.
#[must_use]
pub fn without(text: &str) -> String {
    let mut rest = String::new();
    let mut is_ours = false;
    if text.matches(BEGIN).count() != text.matches(END).count() {
        return text.to_owned();
    }
    for line in text.split_inclusive('\n') {
        match line.trim() {
            BEGIN => is_ours = true,
            END => is_ours = false,
            _ if is_ours => {}
            _ => rest.push_str(line),
        }
    }
    rest
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
        let is_wanted = |line: &str| match key(wanted) {
            Some(_) => bare(line) == *wanted,
            None => bare(line).trim() == wanted.trim(),
        };
        if !lines().any(is_wanted) {
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
    fn among_the_hooks_of_a_person_ours_comes_first_and_leaves_no_trace() {
        let own = "'/a b/portcullis' hook hermes";
        for (text, place) in [
            ("model: x\nhooks:\n  post_tool_call:\n    - command: mine\n", "hooks:\n  # "),
            (
                "hooks: # mine\n    pre_tool_call:\n        - command: mine\nz: 1\n",
                "call:\n        # ",
            ),
            ("hooks:\n  pre_tool_call:\n  - command: mine\n    timeout: 3\n", "call:\n  # "),
            (
                "hooks_auto_accept: true\nhooks:\n\n  # seen\n  pre_tool_call:\n\n    - command: a",
                "\n    # ",
            ),
        ] {
            let with = merged(text, TEMPLATE, own).unwrap();
            assert!(with.contains(place), "{with}");
            assert_eq!(with.matches("auto_accept").count(), 1, "{with}");
            let seen = report(&with, TEMPLATE, own);
            assert!(seen.any && seen.faults.is_empty(), "{with}: {seen:?}");
            assert_eq!(merged(&with, TEMPLATE, own).unwrap(), with);
            assert_eq!(without(&with).trim_end(), text.trim_end());
            let (ours, theirs) =
                (with.find("portcullis").unwrap(), with.find("- command: ").unwrap());
            assert!(ours < with.rfind("command:").unwrap() && theirs > 0, "{with}");
        }
    }

    #[test]
    fn what_is_there_already_is_not_merged_and_a_hook_by_hand_counts() {
        for text in [
            "hooks: {post_tool_call: []}\n",
            "hooks:\n- post_tool_call\n",
            "hooks:\n  pre_tool_call: []\n",
            "hooks:\n  pre_tool_call: *others\n",
            "\"hooks\": {}\n",
            "hooks_auto_accept: false\n",
            "hooks:\n  post_tool_call:\n    - command: x\nhooks_auto_accept: false\n",
        ] {
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

//! One key of the user's own file, written in place. Owns how `[hook] approve` is put into a text; every other byte stays.

use std::path::Path;

use super::{Approve, Configuration};

/// The table and its key.
const TABLE: &str = "[hook]";
const KEY: &str = "approve";

/// The text with another word for `[hook] approve`; `None` where it cannot be put there so that it holds.
#[must_use]
pub fn with_approve(text: &str, approve: Approve) -> Option<String> {
    let own = format!("{KEY} = \"{}\"", approve.name());
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
    let table = |line: &String| line.split('#').next().unwrap_or_default().trim() == TABLE;
    let changed = match lines.iter().position(table) {
        None => {
            let gap = match text {
                "" => "",
                text if text.ends_with('\n') => newline,
                _ => &newline.repeat(2),
            };
            format!("{text}{gap}{TABLE}{newline}{own}{newline}")
        }
        Some(start) => {
            let inside = lines.iter().enumerate().skip(start + 1);
            let mut inside = inside.take_while(|(_, line)| !line.trim_start().starts_with('['));
            let is_key = |line: &str| {
                let rest = line.trim_start().strip_prefix(KEY);
                rest.is_some_and(|rest| rest.trim_start().starts_with('='))
            };
            match inside.find(|(_, line)| is_key(line)).map(|(at, _)| at) {
                Some(at) => {
                    let line = lines.get_mut(at)?;
                    let end = if line.ends_with("\r\n") {
                        "\r\n"
                    } else if line.ends_with('\n') {
                        "\n"
                    } else {
                        ""
                    };
                    *line = format!("{own}{end}");
                }
                None => {
                    let head = lines.get_mut(start)?;
                    if !head.ends_with('\n') {
                        head.push_str(newline);
                    }
                    lines.insert(start + 1, format!("{own}{newline}"));
                }
            }
            lines.concat()
        }
    };
    // What the text comes to is what counts, however it is written.
    let configuration = Configuration::parse(&changed, Path::new(super::FILE_NAME)).ok()?;
    (configuration.hook.approve == approve).then_some(changed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_word_is_changed_and_everything_else_stays() {
        for (before, after) in [
            ("", "[hook]\napprove = \"read-only\"\n"),
            ("# mine\n", "# mine\n\n[hook]\napprove = \"read-only\"\n"),
            ("mode = \"plan\"", "mode = \"plan\"\n\n[hook]\napprove = \"read-only\"\n"),
            ("[hook] # x\nnotify = true\n", "[hook] # x\napprove = \"read-only\"\nnotify = true\n"),
            ("[hook]", "[hook]\napprove = \"read-only\"\n"),
            (
                "[hook]\r\nnotify = true\r\napprove = \"policy\"\r\n[rules]\r\n",
                "[hook]\r\nnotify = true\r\napprove = \"read-only\"\r\n[rules]\r\n",
            ),
        ] {
            assert_eq!(with_approve(before, Approve::ReadOnly).as_deref(), Some(after), "{before}");
        }
        // It is written in another way there.
        assert_eq!(with_approve("hook = { notify = true }\n", Approve::Policy), None);
        assert_eq!(with_approve("hook.approve = \"never\"\n", Approve::Policy), None);
    }
}

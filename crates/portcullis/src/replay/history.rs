//! Histories of shells. Owns how each keeps its commands.

/// The commands of a shell's history with their lines: of bash (times in comments), zsh (`: time:seconds;command`, lines
/// joined by a backslash), fish (`- cmd: command`), or one command a line.
pub(super) fn commands(text: &str) -> Vec<(usize, String)> {
    let is_fish = text.lines().any(|line| line.starts_with("- cmd: "));
    let is_zsh = text.lines().any(|line| extended(line).is_some());
    let mut commands: Vec<(usize, String)> = Vec::new();
    let mut goes_on = false;
    for (index, line) in text.lines().enumerate() {
        let command = match (is_fish, is_zsh) {
            (true, _) => match line.strip_prefix("- cmd: ") {
                Some(command) => command.replace("\\n", "\n").replace("\\\\", "\\"),
                None => continue,
            },
            (false, true) => extended(line).unwrap_or(line).to_owned(),
            (false, false) => line.to_owned(),
        };
        let is_time = |line: &str| {
            line.strip_prefix('#').is_some_and(|rest| {
                !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit())
            })
        };
        let joins = !is_fish && command.ends_with('\\');
        let command = if joins { format!("{command}\n") } else { command };
        match commands.last_mut().filter(|_| goes_on) {
            Some((_, before)) => before.push_str(&command),
            None if command.trim().is_empty() || is_time(&command) => {}
            None => commands.push((index + 1, command)),
        }
        goes_on = joins;
    }
    commands
}

/// The command of a line of zsh's extended history.
fn extended(line: &str) -> Option<&str> {
    let (time, rest) = line.strip_prefix(": ")?.split_once(':')?;
    let (seconds, command) = rest.split_once(';')?;
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    (digits(time) && digits(seconds)).then_some(command)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn histories_of_shells_are_read() {
        let read = |text: &str| -> Vec<String> {
            commands(text).into_iter().map(|(_, command)| command).collect()
        };
        assert_eq!(read("ls\n\n#1700000000\ngit status\n# note\n"), ["ls", "git status", "# note"]);
        assert_eq!(read(": 1700000000:0;ls \\\n-la\n: 1700000001:2;pwd\n"), ["ls \\\n-la", "pwd"]);
        assert_eq!(read("- cmd: ls\n  when: 1\n- cmd: a\\nb\n  when: 2\n"), ["ls", "a\nb"]);
    }
}

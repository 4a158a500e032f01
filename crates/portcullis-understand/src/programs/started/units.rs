//! Units of services that are started or enabled: the commands of a unit of systemd (`systemctl start|enable`; freedesktop.org, "systemd.service") and of
//! an agent of launchd (`launchctl load`; launchd.plist(5)).

use portcullis_syntax::Span;

use super::{Starter, project, tree};
use crate::{
    effect::Certainty,
    programs::found::{File, directory_of},
    programs::host::Host,
    programs::invocation::Invocation,
    text::Text,
};

pub(super) static SYSTEMD: Starter = Starter { programs: &["systemctl"], start: systemd };
pub(super) static LAUNCHD: Starter = Starter { programs: &["launchctl"], start: launchd };

/// Verbs that start a unit, now or with the machine.
const VERBS: &[&str] =
    &["enable", "link", "reenable", "reload-or-restart", "restart", "start", "try-restart"];

fn systemd(walk: &mut dyn Host, invocation: &Invocation) {
    let words = project::words(invocation);
    let operands = project::operands(&words, &["-H", "-M", "-t", "--root"]);
    let Some((verb, units)) = operands.split_first() else { return };
    if !VERBS.contains(verb) {
        return;
    }
    let is_user = words.iter().any(|word| word == "--user");
    let home = walk.facts().home.clone();
    let mut paths: Vec<String> = Vec::new();
    for unit in units {
        if unit.contains('/') {
            paths.extend(walk.target(&Text::known(*unit)).path);
            continue;
        }
        let name = if unit.contains('.') { (*unit).to_owned() } else { format!("{unit}.service") };
        match (&home, is_user) {
            (Some(home), true) => paths.push(format!("{home}/.config/systemd/user/{name}")),
            _ => paths.push(format!("/etc/systemd/system/{name}")),
        }
    }
    let mut at = 0;
    while let Some(path) = paths.get(at).cloned() {
        at += 1;
        let Some(file) = walk.look(&path).file() else { continue };
        paths.extend(unit(walk, &file, invocation.span));
        paths.dedup();
        if at > 16 {
            break;
        }
    }
}

/// Says what a unit starts; gives the units that it starts.
fn unit(walk: &mut dyn Host, file: &File, span: Span) -> Vec<String> {
    let others = walk.in_file(file, "unit", span, |walk| {
        let tree = project::whole(walk, tree::sections(&file.text));
        let mut others: Vec<String> = Vec::new();
        for (name, section) in tree.root().iter().flat_map(|root| root.entries()) {
            let directory = section.text_of("WorkingDirectory").map(|it| filled(walk, it));
            let settings = environment(walk, section);
            for (key, value) in section.entries() {
                let text = value.text().unwrap_or_default();
                if name == "Service" && key.starts_with("Exec") {
                    // `-`, `@`, `:`, `+` and `!` say how a failure and the rights are taken.
                    let code = filled(walk, text.trim_start_matches(['-', '@', ':', '+', '!']));
                    project::in_directory(walk, directory.as_deref(), |walk| {
                        walk.with_environment(|walk| {
                            for (name, set) in &settings {
                                walk.environment_of(name, &Text::known(set.as_str()), value.span);
                            }
                            walk.at_most(Certainty::Likely, |walk| {
                                walk.shell(&Text::known(code), value.span, &[], None)
                            })
                        })
                    });
                }
                if key == "Unit" && matches!(name, "Timer" | "Path" | "Socket") {
                    others.push(text.to_owned());
                }
            }
        }
        others
    });
    let root = directory_of(&file.path).to_owned();
    let mut others = others.unwrap_or_default();
    if let Some(stem) =
        [".timer", ".path", ".socket"].iter().find_map(|end| file.path.strip_suffix(end))
    {
        others.push(format!("{}.service", stem.rsplit('/').next().unwrap_or(stem)));
    }
    others.iter().map(|name| project::joined(&root, name)).collect()
}

/// `Environment=`, `EnvironmentFile=` (freedesktop.org, "systemd.exec", "Environment"). A file that is not there may be missing.
fn environment(walk: &mut dyn Host, section: &tree::Node) -> Vec<(String, String)> {
    let mut lines: Vec<String> = Vec::new();
    for (key, value) in section.entries() {
        let text = filled(walk, value.text().unwrap_or_default());
        match key {
            "Environment" => lines.extend(words_of(&text)),
            "EnvironmentFile" => {
                let path = walk.target(&Text::known(text.trim_start_matches('-'))).path;
                let file = path.and_then(|path| walk.look(&path).file());
                let lines_of = file.iter().flat_map(|file| file.text.lines().map(str::trim));
                lines.extend(lines_of.filter(|it| !it.starts_with(['#', ';'])).map(str::to_owned));
            }
            _ => {}
        }
    }
    let set = lines.iter().filter_map(|line| line.split_once('='));
    set.map(|(name, value)| {
        (name.trim().to_owned(), value.trim().trim_matches(['"', '\'']).to_owned())
    })
    .collect()
}

/// Words that may be in quotes as a whole: `"A=b c" D=e`.
fn words_of(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quote = None;
    for letter in text.chars() {
        match (quote, letter) {
            (None, '"' | '\'') => quote = Some(letter),
            (Some(open), letter) if open == letter => quote = None,
            (None, letter) if letter.is_whitespace() => words.push(String::new()),
            (_, letter) => words.last_mut().map(|word| word.push(letter)).unwrap_or_default(),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// `%h` is the home directory; other marks are words.
fn filled(walk: &dyn Host, text: &str) -> String {
    text.replace("%h", walk.facts().home.as_deref().unwrap_or("~"))
        .replace("%%", "%")
        .replace('\n', " ")
}

fn launchd(walk: &mut dyn Host, invocation: &Invocation) {
    let words = project::words(invocation);
    let operands = project::operands(&words, &[]);
    if !operands
        .first()
        .is_some_and(|verb| matches!(*verb, "load" | "bootstrap" | "enable" | "submit"))
    {
        return;
    }
    for word in operands.iter().filter(|word| word.ends_with(".plist")) {
        let Some(path) = walk.target(&Text::known(*word)).path else { continue };
        let Some(file) = walk.look(&path).file() else { continue };
        walk.in_file(&file, "plist", invocation.span, |walk| {
            let words = arguments(&file.text);
            if !words.is_empty() {
                let span = Span::new(0, file.text.len());
                walk.at_most(Certainty::Likely, |walk| {
                    walk.run(&project::arguments(&words, span), None)
                });
            }
        });
    }
}

/// The texts of `ProgramArguments`, or `Program`.
fn arguments(text: &str) -> Vec<String> {
    let given = |key: &str, end: &str| -> Vec<String> {
        let Some((_, rest)) = text.split_once(&format!("<key>{key}</key>")) else {
            return Vec::new();
        };
        let rest = rest.split(end).next().unwrap_or_default();
        let texts = rest.split("<string>").skip(1).filter_map(|it| it.split("</string>").next());
        texts.map(|it| it.replace("&amp;", "&").replace("&gt;", ">").replace("&lt;", "<")).collect()
    };
    let words = given("ProgramArguments", "</array>");
    if words.is_empty() { given("Program", "<key>") } else { words }
}

#[cfg(test)]
mod tests {
    use super::arguments;

    #[test]
    fn the_words_of_an_agent_are_its_program() {
        let text = "<dict><key>Label</key><string>x</string><key>ProgramArguments</key><array><string>sh</string><string>a &amp; b</string></array></dict>";
        assert_eq!(arguments(text), ["sh", "a & b"]);
        assert_eq!(arguments("<key>Program</key><string>/a</string><key>K</key>"), ["/a"]);
    }
}

//! Programs of Windows that change the machine: its services and its registry. Owns what they do on another machine, and what a file for the
//! registry says; what follows, the rules on their commands say.

use crate::{
    bound::Bounded,
    effect::{Argument, GapReason},
    programs::{host::Host, invocation::Invocation},
    text::Text,
};

/// How many lines of a file for the registry are read.
const LINES: usize = 512;

/// learn.microsoft.com, "sc.exe": `sc [\\server] create NAME …`.
pub(super) fn services(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    const LOOKS: &[&str] = &[
        "enumdepend",
        "getdisplayname",
        "getkeyname",
        "qc",
        "qdescription",
        "qfailure",
        "query",
        "queryex",
        "sdshow",
        "showsid",
    ];
    let mut words = invocation.arguments.iter();
    if let Some(server) = words.next().filter(|word| is_server(word)) {
        let rest: Vec<Argument> = words.cloned().collect();
        let verb = rest.first().map(|verb| verb.text.display().to_ascii_lowercase());
        if verb.is_some_and(|verb| !LOOKS.contains(&verb.as_str())) {
            walk.note("windows.remote.command", server.span);
        }
        let program = Argument { text: Text::known("sc"), span: invocation.span };
        return walk.run(&[&[program], rest.as_slice()].concat(), None);
    }
    invocation.origin()
}

/// `reg import FILE`, `regedit /s FILE`: what the file sets and deletes. `reg add \\server\KEY` is about another machine.
pub(super) fn registry(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let words: Vec<Argument> = invocation.arguments.iter().cloned().collect();
    let verb = words.first().map(|word| word.text.display().to_ascii_lowercase());
    let verb = verb.as_deref().unwrap_or_default();
    let is_switch = |word: &&Argument| word.text.known_prefix().starts_with(['/', '-']);
    if invocation.program == "regedit" {
        let is_export = words.iter().any(|word| {
            matches!(word.text.as_known(), Some(switch) if switch.eq_ignore_ascii_case("/e"))
        });
        for file in words.iter().filter(|word| !is_switch(word) && !is_export) {
            imported(walk, file);
        }
    } else if verb == "import" {
        for file in words.get(1..).unwrap_or_default().iter().filter(|word| !is_switch(word)) {
            imported(walk, file);
        }
    } else if !matches!(verb, "query" | "export" | "compare" | "")
        && words.get(1).is_some_and(is_server)
    {
        walk.note("windows.remote.command", invocation.span);
    }
    invocation.origin()
}

fn is_server(word: &Argument) -> bool {
    [r"\\", "//"].iter().any(|start| word.text.known_prefix().starts_with(start))
}

/// learn.microsoft.com, "Distribute registry changes": `[KEY]`, `[-KEY]`, `"name"=value`, `"name"=-`. Each line as the command that does the same.
fn imported(walk: &mut dyn Host, file: &Argument) {
    let text = walk.read_named(file);
    if text.has_unknown() {
        walk.gap(file.span, GapReason::UnknownCode);
    }
    let mut key = String::new();
    let shown = text.display();
    for line in shown.lines().map(str::trim).at_most(LINES, walk, file.span) {
        if let Some(named) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            match named.strip_prefix('-') {
                Some(gone) => run(walk, file, &["reg", "delete", gone, "/f"]),
                None => key = named.to_owned(),
            }
            continue;
        }
        let Some((name, value)) = line.split_once('=').filter(|_| !line.starts_with(';')) else {
            continue;
        };
        let name = name.trim().trim_matches('"');
        match value.trim() {
            "-" => run(walk, file, &["reg", "delete", &key, "/v", name, "/f"]),
            value => {
                let value = value.trim_matches('"');
                run(walk, file, &["reg", "add", &key, "/v", name, "/d", value]);
            }
        }
    }
}

fn run(walk: &mut dyn Host, file: &Argument, words: &[&str]) {
    let words: Vec<Argument> =
        words.iter().map(|word| Argument { text: Text::known(*word), span: file.span }).collect();
    walk.run(&words, None);
}

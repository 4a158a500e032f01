//! Scripts in the configuration of logrotate (logrotate(8), "SCRIPTS"): shell code between a word and `endscript`, run around each rotation.

use portcullis_syntax::Span;

use super::{Starter, project};
use crate::{
    bound::Bounded,
    effect::{Argument, Certainty},
    programs::{escapes, host::Host, invocation::Invocation},
    text::Text,
};

pub(super) static LOGROTATE: Starter = Starter { programs: &["logrotate"], start };

/// Words that begin a script.
const SCRIPTS: &[&str] = &["firstaction", "lastaction", "postrotate", "preremove", "prerotate"];

/// How many scripts of one file are read.
const READ: usize = 64;

fn start(walk: &mut dyn Host, invocation: &Invocation) {
    let words = project::words(invocation);
    // It says what it would do.
    if project::has(&words, &["-d", "--debug", "-h", "--help", "--usage", "--version"]) {
        return;
    }
    let valued = ["-s", "--state", "-l", "--log", "-m", "--mail"];
    for name in project::operands(&words, &valued) {
        let Some(path) = walk.target(&Text::known(name)).path else { continue };
        let Some(file) = walk.look(&path).file() else {
            escapes::by_manual::loaded(
                walk,
                &Argument { text: Text::known(name), span: invocation.span },
            );
            continue;
        };
        let scripts = scripts(&file.text);
        walk.in_file(&file, "logrotate", invocation.span, |walk| {
            for (code, span) in scripts.iter().at_most(READ, walk, invocation.span) {
                walk.at_most(Certainty::Likely, |walk| {
                    walk.shell(&Text::known(code.as_str()), *span, &[], None)
                });
            }
        });
    }
}

/// The scripts of a configuration, with where each stands.
fn scripts(text: &str) -> Vec<(String, Span)> {
    let mut found = Vec::new();
    let mut open: Option<usize> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        match open {
            None if SCRIPTS.contains(&line.trim()) => open = Some(at),
            Some(from) if line.trim() == "endscript" => {
                found.extend(
                    text.get(from..start).map(|it| (it.to_owned(), Span::new(from, start))),
                );
                open = None;
            }
            _ => {}
        }
    }
    // Without an end, all that is left.
    if let Some(from) = open {
        found.extend(text.get(from..).map(|it| (it.to_owned(), Span::new(from, text.len()))));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::scripts;

    #[test]
    fn a_script_stands_between_its_word_and_its_end() {
        let text = "/var/log/a {\n weekly\n postrotate\n  systemctl reload a\n endscript\n prerotate\n  rm -rf /\n";
        let codes: Vec<String> = scripts(text).into_iter().map(|it| it.0).collect();
        assert_eq!(codes, ["  systemctl reload a\n", "  rm -rf /\n"]);
        assert!(scripts("/var/log/a {\n weekly\n}\n").is_empty());
    }
}

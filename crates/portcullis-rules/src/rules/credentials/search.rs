//! Searches for secrets: words that nobody looks for without wanting one, in files, in processes, in traces. Owns the words.

use super::{
    super::{
        Hit, Scene,
        effects::{at, run, words},
    },
    argument::absolute,
};
use crate::{
    effect::{Effect, Run},
    place::{self, Place},
    risk::Severity,
};

/// Words that are searched for only to find secrets.
const SOUGHT: &[&str] = &[
    "password",
    "passwd",
    "secret",
    "api_key",
    "apikey",
    "api-key",
    "private key",
    "private_key",
    "access_key",
    "aws_",
    "token",
    "credential",
    "begin rsa",
    "begin openssh",
    "begin private",
    "akia",
    "ghp_",
    "sk-",
    "xoxb",
];

/// `strace -p PID` that shows what goes through the process, not only which files and calls.
pub(super) fn traces_data(run: &Run) -> bool {
    let mut attached = false;
    let mut chosen = None;
    let mut before = "";
    for word in words(run) {
        attached |= before == "-p" || word.starts_with("-p") && word.len() > 2;
        let filter = if matches!(before, "-e" | "--trace") {
            Some(word)
        } else {
            word.strip_prefix("--trace=")
                .or_else(|| word.strip_prefix("-e").filter(|rest| !rest.is_empty()))
        };
        chosen = filter.or(chosen);
        before = word;
    }
    let Some(chosen) = chosen else { return false };
    let calls = chosen.strip_prefix("trace=").unwrap_or(chosen);
    attached
        && calls.split([',', '=']).any(|call| {
            matches!(
                call,
                "read"
                    | "write"
                    | "recvfrom"
                    | "sendto"
                    | "readv"
                    | "writev"
                    | "recvmsg"
                    | "sendmsg"
            )
        })
}

pub(super) fn search(effect: &Effect, scene: &Scene<'_>) -> Option<Hit> {
    let run = run(effect)?;
    let wide = |word: &str| {
        absolute(if word == "~" { "~/" } else { word }, scene).is_some_and(|path| {
            matches!(
                place::place(&path, scene.facts),
                Place::Root | Place::HomeTop | Place::SystemTop
            )
        })
    };
    let finds = match run.program.as_str() {
        "find" | "fd" | "locate" => {
            let mut words = words(run);
            let root = words.any(wide) || run.program == "locate";
            root && run.arguments.iter().any(|argument| {
                argument.text.as_pattern().is_some_and(|name| {
                    let name = name.trim_start_matches('*');
                    !name.is_empty()
                        && !name.starts_with(['/', '-', '~'])
                        && ["/x/", "/etc/"].iter().any(|directory| {
                            place::credential(&format!("{directory}{name}"), scene.facts).is_some()
                        })
                })
            })
        }
        "trufflehog" | "gitleaks" | "noseyparker" | "ripsecrets" | "detect-secrets"
        | "kingfisher" => words(run).any(wide),
        "grep" | "egrep" | "fgrep" | "rg" | "ag" | "ack" | "ugrep" => {
            let recursive = matches!(run.program.as_str(), "rg" | "ag" | "ack")
                || words(run).any(|word| {
                    word == "--recursive"
                        || word.starts_with('-')
                            && !word.starts_with("--")
                            && word.contains(['r', 'R'])
                });
            recursive
                && run
                    .arguments
                    .iter()
                    .skip(1)
                    .any(|argument| argument.text.as_known().is_some_and(wide))
                && words(run).any(|word| {
                    let word = word.to_ascii_lowercase();
                    SOUGHT.iter().any(|sought| word.contains(sought))
                })
        }
        _ => return None,
    };
    finds.then(|| at(Severity::High))
}

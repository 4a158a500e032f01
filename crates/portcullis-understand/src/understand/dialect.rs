//! In which language a command of a shell's tool is, where nothing names it. Owns what tells it: on Windows the tools of agents start PowerShell, or the
//! shell that Git brings, so what may be either is read as both, and what only PowerShell says counts as PowerShell's.

use super::shell::Walk;
use crate::{effect::GapReason, programs::host::Host as _};

/// What one reading does not understand and the other does is no gap.
const OF_THE_OTHER: &[GapReason] =
    &[GapReason::Unparsed, GapReason::UnknownProgram, GapReason::UnknownCode];

/// Verbs of the cmdlets that lines of agents begin with.
const VERBS: &[&str] = &[
    "add",
    "clear",
    "compare",
    "compress",
    "convertfrom",
    "convertto",
    "copy",
    "expand",
    "export",
    "foreach",
    "format",
    "get",
    "import",
    "invoke",
    "join",
    "measure",
    "move",
    "new",
    "out",
    "read",
    "register",
    "remove",
    "rename",
    "resolve",
    "restart",
    "select",
    "set",
    "sort",
    "split",
    "start",
    "stop",
    "tee",
    "test",
    "unblock",
    "update",
    "wait",
    "where",
    "write",
];

/// Reads a command, in PowerShell's language too where it may be in that.
pub(super) fn read(walk: &mut Walk<'_>, tool: &str, command: &str) {
    let directory = walk.directory().map(str::to_owned);
    if !is_on_windows(walk, directory.as_deref()) || tool == "bash" {
        return walk.script_text(command);
    }
    let is_certain = is_powershell(command);
    let mark = walk.gaps();
    let whole = walk.whole(command);
    walk.afresh(|walk| {
        if let Some(directory) = &directory {
            walk.enter_directory(directory);
        }
        walk.for_others(|walk| {
            walk.code("powershell", &whole.text, whole.span, &[]);
        });
    });
    if !is_certain {
        walk.forgive(mark, OF_THE_OTHER);
    }
    let mark = walk.gaps();
    walk.script_text(command);
    if is_certain {
        walk.forgive(mark, OF_THE_OTHER);
    }
}

/// Whether a call is made on Windows, by where it runs.
fn is_on_windows(walk: &Walk<'_>, directory: Option<&str>) -> bool {
    let facts = walk.facts();
    let places = [directory, facts.cwd.as_deref(), facts.home.as_deref()];
    places.into_iter().flatten().any(|path| {
        let is_drive = |path: &[u8]| {
            matches!(path, [drive, b':', b'\\' | b'/', ..] if drive.is_ascii_alphabetic())
        };
        is_drive(path.as_bytes()) || path.starts_with("\\\\")
    })
}

/// Whether a text has what no other shell's has: a cmdlet where a command stands, a variable of the environment by its drive, a type's member.
fn is_powershell(command: &str) -> bool {
    let commands = command.split(['\n', ';', '|', '(', '{', '&', '=']);
    let is_cmdlet = |word: &str| {
        word.split_once('-').is_some_and(|(verb, noun)| {
            noun.starts_with(|letter: char| letter.is_ascii_alphabetic())
                && noun.bytes().all(|letter| letter.is_ascii_alphanumeric())
                && VERBS.binary_search(&verb.to_ascii_lowercase().as_str()).is_ok()
        })
    };
    let mut first = commands.filter_map(|part| part.split_whitespace().next());
    first.any(is_cmdlet)
        || ["$env:", "$_.", "]::", "$psscriptroot"]
            .iter()
            .any(|sign| command.to_ascii_lowercase().contains(sign))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cmdlets_and_drives_are_powershells_and_hyphens_are_not() {
        assert!(VERBS.is_sorted());
        for text in [
            "Get-ChildItem src -Recurse | Select-Object -First 5",
            "cd C:\\x; remove-item dist -Recurse",
            "$t = Join-Path $env:TEMP x",
            "[IO.File]::ReadAllText('a')",
        ] {
            assert!(is_powershell(text), "{text}");
        }
        for text in
            ["git status", "apt-get update", "docker-compose up", "npm run test-unit", "ls -la"]
        {
            assert!(!is_powershell(text), "{text}");
        }
    }
}

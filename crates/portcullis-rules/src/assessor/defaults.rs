//! The fourteen documented rules. Owns their table: the pattern, and the effects and findings that mean the same.

use std::sync::LazyLock;

use regex::{Regex, RegexBuilder};

use super::reading::{Language, Reading};
use crate::{
    effect::{Connection, EffectKind, Run},
    place::{self, Place},
    risk::Severity,
};

/// One documented rule.
#[derive(Debug)]
pub(super) struct Documented {
    pub(super) name: &'static str,
    pub(super) level: Severity,
    pub(super) reason: &'static str,
    pub(super) reversible: bool,
    /// The documented pattern, with the edges of words that it needs to mean what its reason says.
    pattern: &'static str,
    /// What must not follow a match.
    unless_followed: &'static [&'static str],
    /// What must not stand before a match.
    unless_preceded: &'static [&'static str],
    /// The effects that mean the same.
    means: fn(&Reading<'_>, &EffectKind) -> bool,
    /// The findings of the rule engine that mean the same, by their ids.
    findings: &'static [&'static str],
    /// The findings that are about the same, by the beginnings of their ids.
    about: &'static [&'static str],
}

impl Documented {
    pub(super) fn fires(&self, reading: &Reading<'_>) -> bool {
        reading.effects.list.iter().any(|effect| (self.means)(reading, &effect.kind))
            || reading.findings.iter().any(|finding| self.findings.contains(&finding.rule))
            || self.is_written(&reading.masked)
    }

    /// Whether a finding of this id is about the same as the rule.
    pub(super) fn covers(&self, id: &str) -> bool {
        self.about.iter().any(|beginning| id.starts_with(beginning))
    }

    fn is_written(&self, text: &str) -> bool {
        let Some(at) = ALL.iter().position(|rule| rule.name == self.name) else { return false };
        let Some(regex) = PATTERNS.get(at) else { return false };
        let Ok(regex) = regex else { return true };
        regex.find_iter(text).any(|found| {
            let before = text.get(..found.start()).unwrap_or_default();
            let after = text.get(found.end()..).unwrap_or_default();
            !self.unless_followed.iter().any(|words| after.starts_with(words))
                && !self.unless_preceded.iter().any(|words| before.ends_with(words))
        })
    }
}

/// Compiled when the first assessment is made. A pattern that does not compile would fire always; a test keeps that away.
pub(super) static PATTERNS: LazyLock<Vec<Result<Regex, regex::Error>>> = LazyLock::new(|| {
    let compile =
        |rule: &Documented| RegexBuilder::new(rule.pattern).case_insensitive(true).build();
    ALL.iter().map(compile).collect()
});

const PLAIN: Documented = Documented {
    name: "",
    level: Severity::High,
    reason: "",
    reversible: false,
    pattern: "",
    unless_followed: &[],
    unless_preceded: &[],
    means: |_, _| false,
    findings: &[],
    about: &[],
};

const UNDOABLE: Documented = Documented { level: Severity::Medium, reversible: true, ..PLAIN };

pub(super) static ALL: [Documented; 14] = [
    Documented {
        name: "rm_recursive",
        level: Severity::Critical,
        reason: "Recursive file deletion can cause irreversible data loss",
        pattern: r"\brm\s+-rf?\s+",
        unless_preceded: &["git ", "docker ", "podman "],
        means: |_, effect| run(effect).is_some_and(deletes_trees),
        about: &["fs."],
        ..PLAIN
    },
    Documented {
        name: "drop_database",
        level: Severity::Critical,
        reason: "Database deletion is typically irreversible",
        pattern: r"\bDROP\s+(DATABASE|TABLE|SCHEMA)\b",
        findings: &["db.drop", "query.drop.table", "code.database.drop", "db.script.drop"],
        about: &["db.", "query.", "code.database."],
        ..PLAIN
    },
    Documented {
        name: "format_disk",
        level: Severity::Critical,
        reason: "Disk formatting destroys all data",
        pattern: r"\b(?:mkfs(?:\.\w+)?|fdisk)\s|\bformat\s+(?:[a-z]:|/dev/)",
        unless_followed: &["-l", "--list", "--help", "-V"],
        unless_preceded: &["man ", "which ", "-"],
        findings: &[
            "system.disk.format",
            "disk.overwrite.device",
            "disk.volume.destroy",
            "code.powershell.disk",
        ],
        about: &["disk.", "system.disk."],
        ..PLAIN
    },
    Documented {
        name: "file_delete",
        reason: "File deletion may cause data loss",
        pattern: r"\bos\.remove\b|\bos\.removedirs\b|\bos\.unlink\b|\bshutil\.rmtree\b|\bPath.*\.unlink\b",
        // What a shell's `gzip` or `mv` takes away it keeps elsewhere.
        means: |reading, effect| {
            matches!(effect, EffectKind::Delete { .. })
                && !reading.runs(deletes_trees)
                && (reading.language == Language::Code || reading.runs(deletes_files))
        },
        about: &["fs."],
        ..PLAIN
    },
    Documented {
        name: "git_force_push",
        reason: "Force push can overwrite remote history",
        pattern: r"\bgit\s+push\s+(?:.*\s)?(?:-f|--force)(?:\b|$)",
        findings: &["git.push.force", "git.push.lease", "git.push.mirror"],
        about: &["git.push."],
        ..PLAIN
    },
    Documented {
        name: "git_reset_hard",
        reason: "Hard reset discards uncommitted changes",
        pattern: r"\bgit\s+reset\s+--hard\b",
        findings: &["git.reset.hard"],
        about: &["git.reset."],
        ..PLAIN
    },
    Documented {
        name: "sudo_command",
        reason: "Elevated privileges can affect system stability",
        reversible: true,
        pattern: r"\bsudo\s+",
        means: |_, effect| matches!(effect, EffectKind::Privilege { .. }),
        about: &["privilege."],
        ..PLAIN
    },
    Documented {
        name: "network_request",
        reason: "Modifying external resources via network",
        pattern: r"\brequests\.(?:post|put|delete|patch)\b|\burllib\d?\b|\bhttpx\.(?:post|put|delete|patch)\b",
        unless_followed: &[".parse", ".error", ".robotparser", " import parse"],
        means: |_, effect| matches!(effect, EffectKind::Connect(Connection { sends: Some(_), .. })),
        about: &["http."],
        ..PLAIN
    },
    Documented {
        name: "file_write",
        reason: "File modification may overwrite existing content",
        pattern: r#"\bopen\(.*['"]w[bt+]*['"]|\.write\(|\bPath.*\.write_"#,
        unless_preceded: &["stdout", "stderr"],
        means: |reading, effect| match effect {
            EffectKind::Write { target, .. } => {
                place::place_of(target, &reading.facts) != Place::Harmless
            }
            _ => false,
        },
        about: &["change."],
        ..UNDOABLE
    },
    Documented {
        name: "subprocess_exec",
        reason: "Executing system commands",
        pattern: r"\bsubprocess\.(?:run|call|popen|check_output|check_call|getoutput)\b|\bos\.(?:system|popen)\b",
        means: |reading, effect| reading.language == Language::Code && run(effect).is_some(),
        ..UNDOABLE
    },
    Documented {
        name: "git_commit",
        reason: "Creating git commits",
        pattern: r"\bgit\s+commit\b",
        means: |_, effect| run(effect).is_some_and(|run| has_words(run, "git", &["commit"])),
        ..UNDOABLE
    },
    Documented {
        name: "pip_install",
        reason: "Installing packages may affect environment",
        pattern: r"\bpip[\d.]*\s+install\b",
        means: |_, effect| {
            run(effect).is_some_and(|run| {
                ["pip", "pip3", "pipx"].iter().any(|name| has_words(run, name, &["install"]))
                    || has_words(run, "uv", &["pip", "install"])
            })
        },
        about: &["package.install."],
        ..UNDOABLE
    },
    Documented {
        name: "file_read",
        level: Severity::Low,
        reason: "Reading files",
        pattern: r#"\bopen\(.*['"]r[bt+]*['"]|\.read\(|\bPath.*\.read_"#,
        unless_preceded: &["stdin"],
        means: |_, effect| matches!(effect, EffectKind::Read(_)),
        ..UNDOABLE
    },
    Documented {
        name: "print_output",
        level: Severity::Safe,
        reason: "Output display only",
        pattern: r"print\(",
        ..UNDOABLE
    },
];

fn run(effect: &EffectKind) -> Option<&Run> {
    match effect {
        EffectKind::Run(run) => Some(run),
        _ => None,
    }
}

/// `rm` with everything below, or `find` that deletes what it finds.
fn deletes_trees(run: &Run) -> bool {
    let words = || {
        run.arguments
            .iter()
            .filter_map(|argument| argument.text.as_known())
            .take_while(|word| *word != "--")
    };
    match run.program.as_str() {
        "rm" => words().any(|word| match word.strip_prefix("--") {
            Some(long) => !long.is_empty() && "recursive".starts_with(long),
            None => word.starts_with('-') && word.contains(['r', 'R']),
        }),
        "find" => words().any(|word| word == "-delete"),
        _ => false,
    }
}

fn deletes_files(run: &Run) -> bool {
    matches!(run.program.as_str(), "rm" | "unlink" | "shred" | "srm" | "trash" | "del" | "rmdir")
}

/// Whether a program is run with these words as its first operands.
fn has_words(run: &Run, program: &str, words: &[&str]) -> bool {
    let mut takes_value = false;
    let mut operands =
        run.arguments.iter().filter_map(|argument| argument.text.as_known()).filter(|word| {
            // `git -C directory commit`, `git -c name=value commit`.
            let value = std::mem::replace(&mut takes_value, matches!(*word, "-C" | "-c"));
            !value && !word.starts_with('-')
        });
    run.program == program && words.iter().all(|word| operands.next() == Some(word))
}

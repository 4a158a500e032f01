//! The fifteen documented detectors. Owns their table; how they are run is said in `pattern`.

use std::sync::LazyLock;

use regex::{Captures, Regex, RegexBuilder};

use crate::{finding::Category, risk::Severity};

/// One detector.
#[derive(Debug)]
pub struct Detector {
    /// Its id, as documented.
    pub id: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// What kind of harm.
    pub category: Category,
    /// What it looks at.
    pub corpus: Corpus,
    /// What would happen, in a sentence.
    pub message: &'static str,
    /// The pattern over the plain form of a text, without regard to case; empty where the matching is written by hand.
    pub pattern: &'static str,
    /// Whether what stands around a match shows that it is something else.
    pub(super) refuted: fn(&str, &Captures<'_>) -> bool,
}

/// What a detector looks at.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Corpus {
    /// What would be carried out: the arguments and the tool's name.
    Executable,
    /// All of it, also the agent's thought and summary.
    All,
}

/// The detectors of the pattern analyzer.
pub static DETECTORS: [Detector; 15] = [
    Detector {
        id: "exec.destruct.rm_rf",
        severity: Severity::High,
        category: Category::Destruction,
        message: "files are deleted recursively and without a question",
        pattern: r"\brm (?:-[rf]{2,}\b|-r -f\b|-f -r\b|--recursive --force\b|--force --recursive\b)",
        ..SHELL
    },
    Detector {
        id: "exec.destruct.sudo_rm",
        severity: Severity::High,
        category: Category::Destruction,
        message: "files are deleted with all rights",
        pattern: r"\bsudo rm\b",
        ..SHELL
    },
    Detector {
        id: "exec.destruct.mkfs",
        severity: Severity::High,
        category: Category::Destruction,
        message: "a file system is made, and what was on the disk is gone",
        pattern: r"\bmkfs(?:\.\w| -t ?\w)",
        ..SHELL
    },
    Detector {
        id: "exec.destruct.dd_raw_disk",
        severity: Severity::High,
        category: Category::Destruction,
        message: "a disk is written to directly",
        pattern: RAW_DISK,
        refuted: is_no_disk,
        ..SHELL
    },
    Detector {
        id: "exec.code.eval_call",
        severity: Severity::High,
        message: "text is run as code",
        pattern: r"\beval ?\(",
        refuted: is_method,
        ..SHELL
    },
    Detector {
        id: "exec.code.exec_call",
        severity: Severity::High,
        message: "text is run as code",
        pattern: r"\bexec ?\(",
        refuted: is_method,
        ..SHELL
    },
    Detector {
        id: "exec.code.os_system",
        severity: Severity::High,
        message: "code runs a command of the system",
        pattern: r"\bos\.system ?\(",
        ..SHELL
    },
    Detector {
        id: "exec.code.subprocess",
        severity: Severity::High,
        message: "code runs a command of the system",
        pattern: r"\bsubprocess\.(?:call|run|popen|check_output|check_call) ?\(",
        ..SHELL
    },
    Detector {
        id: "exec.net.curl_pipe_exec",
        severity: Severity::High,
        message: "what is downloaded is run at once",
        pattern: r#"\bcurl\b[^|]{0,200}\| ?(?:(?:sudo|env|exec|nohup)(?: -\S+)* )?(?:/[\w/.-]*/)?(?:(?:ba|z|da|k|a)?sh\b|(?:python[\d.]*|perl|ruby|node|php)(?: -)? ?(?:$|[;&|)"'`]))"#,
        ..SHELL
    },
    Detector {
        id: "exec.net.wget_pipe_exec",
        severity: Severity::High,
        message: "what is downloaded is run at once",
        pattern: r#"\bwget\b[^|]{0,200}\| ?(?:(?:sudo|env|exec|nohup)(?: -\S+)* )?(?:/[\w/.-]*/)?(?:(?:ba|z|da|k|a)?sh\b|(?:python[\d.]*|perl|ruby|node|php)(?: -)? ?(?:$|[;&|)"'`]))"#,
        ..SHELL
    },
    Detector {
        id: "exec.net.curl",
        category: Category::Exfiltration,
        message: "a request is made over the network",
        pattern: r"\bcurl\b.{0,100}https?://",
        ..SHELL
    },
    Detector {
        id: "exec.net.wget",
        category: Category::Exfiltration,
        message: "a request is made over the network",
        pattern: r"\bwget\b.{0,100}https?://",
        ..SHELL
    },
    Detector {
        id: "inject.override",
        severity: Severity::High,
        message: "something tells the agent to forget its instructions",
        ..WORDS
    },
    Detector {
        id: "inject.mode_switch",
        message: "something tells the agent that it is another one now",
        ..WORDS
    },
    Detector {
        id: "inject.identity",
        message: "something tells the agent to pretend to be another",
        ..WORDS
    },
];

const SHELL: Detector = Detector {
    id: "",
    severity: Severity::Medium,
    category: Category::Execution,
    corpus: Corpus::Executable,
    message: "",
    pattern: "",
    refuted: |_, _| false,
};

const WORDS: Detector = Detector { category: Category::Injection, corpus: Corpus::All, ..SHELL };

/// A write to a device; the first group is its name.
pub(super) const RAW_DISK: &str = r"\bdd\b.{0,100}?of=/dev/([\w/]*)";

/// Devices that hold nothing.
pub(super) fn is_no_disk(_: &str, captures: &Captures<'_>) -> bool {
    let device = captures.get(1).map_or("", |device| device.as_str());
    matches!(device, "null" | "zero" | "full" | "stdout" | "stderr" | "tty" | "stdin")
        || device.starts_with("fd/")
}

/// `model.eval()` and `cursor.exec(q)` are methods, except those of the objects that hold the real ones.
fn is_method(text: &str, captures: &Captures<'_>) -> bool {
    let before = captures.get(0).and_then(|whole| text.get(..whole.start())).unwrap_or_default();
    before.strip_suffix('.').is_some_and(|owner| {
        !["builtins", "__builtins__", "window", "globalthis", "self", "global"]
            .iter()
            .any(|known| ends_with_word(owner, known))
    })
}

fn ends_with_word(text: &str, word: &str) -> bool {
    text.len()
        .checked_sub(word.len())
        .and_then(|at| text.get(at..))
        .is_some_and(|end| end.eq_ignore_ascii_case(word))
}

/// The patterns, made when one of them is first needed.
pub(super) static COMPILED: LazyLock<Result<Vec<(&'static Detector, Regex)>, regex::Error>> =
    LazyLock::new(|| {
        DETECTORS
            .iter()
            .filter(|detector| !detector.pattern.is_empty())
            .map(|detector| Ok((detector, compile(detector.pattern)?)))
            .collect()
    });

pub(super) fn compile(pattern: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(pattern).case_insensitive(true).build()
}

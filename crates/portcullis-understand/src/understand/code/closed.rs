//! Scripts that take nothing from elsewhere: no argument, no name of a directory, no answer, no clock and no chance. Owns how that is told. Whatever such a
//! script names is made of what stands in it, so that a name which is not known was not followed.

use portcullis_syntax::{Span, code::TokenKind};

use super::interpreter::Interpreter;
use crate::effect::GapReason;

/// Names by which something comes in, in either language. Sorted.
const OUTSIDE: &[&str] = &[
    "ArgumentParser",
    "Date",
    "NamedTemporaryFile",
    "TemporaryDirectory",
    "__dirname",
    "__file__",
    "__filename",
    "arch",
    "argv",
    "availableParallelism",
    "check_output",
    "choice",
    "communicate",
    "cpu_count",
    "cpus",
    "createInterface",
    "cwd",
    "date",
    "datetime",
    "document",
    "env",
    "environ",
    "environb",
    "expanduser",
    "extract",
    "extractall",
    "fetch",
    "freemem",
    "get_terminal_size",
    "getcwd",
    "getenv",
    "getgid",
    "gethostname",
    "getmembers",
    "getnames",
    "getoutput",
    "getpass",
    "getpid",
    "getstatusoutput",
    "gettempdir",
    "getuid",
    "getuser",
    "glob",
    "globSync",
    "gmtime",
    "hash",
    "home",
    "homedir",
    "hostname",
    "hrtime",
    "ident",
    "iglob",
    "import_module",
    "infolist",
    "input",
    "iterdir",
    "listdir",
    "loadavg",
    "localtime",
    "location",
    "mkdtemp",
    "mkdtempSync",
    "mkstemp",
    "monotonic",
    "namelist",
    "navigator",
    "networkInterfaces",
    "now",
    "open_new",
    "opendir",
    "opendirSync",
    "perf_counter",
    "performance",
    "pid",
    "platform",
    "popen",
    "ppid",
    "process_time",
    "prompt",
    "question",
    "randint",
    "random",
    "randomBytes",
    "randomUUID",
    "readdir",
    "readdirSync",
    "readlink",
    "recv",
    "release",
    "resolve_path",
    "rglob",
    "scandir",
    "scandirSync",
    "sched_getaffinity",
    "secrets",
    "socket",
    "stat",
    "statSync",
    "stderr",
    "stdin",
    "stdout",
    "strftime",
    "time",
    "tmpdir",
    "today",
    "token_hex",
    "token_urlsafe",
    "totalmem",
    "uname",
    "unpack_archive",
    "urandom",
    "userInfo",
    "uuid",
    "uuid4",
    "version_info",
    "walk",
    "which",
    "window",
];

/// Modules that bring nothing in beside what [`OUTSIDE`] names. Sorted.
const PURE: &[&str] = &[
    "__future__",
    "abc",
    "ast",
    "asyncio",
    "atexit",
    "base64",
    "binascii",
    "buffer",
    "child_process",
    "codecs",
    "collections",
    "concurrent",
    "contextlib",
    "copy",
    "dataclasses",
    "enum",
    "events",
    "fs",
    "fs/promises",
    "functools",
    "heapq",
    "io",
    "itertools",
    "json",
    "math",
    "module",
    "operator",
    "os",
    "path",
    "pathlib",
    "process",
    "querystring",
    "re",
    "shlex",
    "shutil",
    "stream",
    "string",
    "string_decoder",
    "subprocess",
    "sys",
    "textwrap",
    "threading",
    "types",
    "typing",
    "url",
    "urllib",
    "util",
    "vm",
];

/// Names by which something comes into a script of Perl beside those above. Sorted.
const OUTSIDE_OF_PERL: &[&str] = &[
    "ARGV", "DATA", "ENV", "FindBin", "STDIN", "__DIR__", "__FILE__", "accept", "eof", "getlogin",
    "getppid", "getpwnam", "getpwuid", "lstat", "rand", "read", "readline", "readpipe", "select",
    "sysread", "tempdir", "tempfile", "times",
];

/// Modules of Perl that bring nothing in beside that. Sorted.
const PURE_OF_PERL: &[&str] = &[
    "Carp",
    "Data::Dumper",
    "Encode",
    "Exporter",
    "Fcntl",
    "File::Basename",
    "File::Copy",
    "File::Path",
    "File::Spec",
    "IO::File",
    "IO::Handle",
    "JSON::PP",
    "List::Util",
    "MIME::Base64",
    "POSIX",
    "Scalar::Util",
    "Storable",
    "Tie::File",
];

/// Functions of Node whose answer is what a program prints, where somebody takes it.
const ANSWERS: &[&str] = &["exec", "execFile", "execFileSync", "execSync", "spawnSync"];

/// Names by which a script reaches out of itself, in either language. Sorted.
const ACTS: &[&str] = &[
    "Function",
    "Path",
    "Popen",
    "Process",
    "Worker",
    "XMLHttpRequest",
    "__builtins__",
    "__import__",
    "aiohttp",
    "axios",
    "boto3",
    "builtins",
    "check_call",
    "check_output",
    "child_process",
    "chmod",
    "chmodSync",
    "cpSync",
    "createWriteStream",
    "ctypes",
    "docker",
    "eval",
    "exec",
    "execFile",
    "execFileSync",
    "execSync",
    "fetch",
    "fs",
    "fsevents",
    "got",
    "http",
    "https",
    "httpx",
    "import_module",
    "importlib",
    "kill",
    "kubernetes",
    "mkdir",
    "net",
    "open",
    "os",
    "paramiko",
    "pathlib",
    "pickle",
    "popen",
    "process",
    "psycopg2",
    "pty",
    "remove",
    "removeSync",
    "rename",
    "renameSync",
    "requests",
    "require",
    "rm",
    "rmSync",
    "rmdir",
    "rmdirSync",
    "rmtree",
    "runpy",
    "shutil",
    "signal",
    "smtplib",
    "socket",
    "spawn",
    "spawnSync",
    "sqlite3",
    "subprocess",
    "system",
    "telnetlib",
    "truncate",
    "unlink",
    "unlinkSync",
    "urllib",
    "urlopen",
    "vm",
    "write",
    "writeFile",
    "writeFileSync",
    "write_bytes",
    "write_text",
];

impl Interpreter<'_, '_, '_> {
    /// Whether the script takes nothing from elsewhere.
    pub(super) fn is_closed_script(&self) -> bool {
        let is_read = matches!(self.language, "perl" | "python" | "javascript");
        if !is_read || !self.arguments.is_empty() || self.input.is_some() {
            return false;
        }
        let words = self.unit.tokens.iter().enumerate();
        !words.into_iter().any(|(at, token)| match &token.kind {
            TokenKind::Name => self.brings_in(at, token.span.of(self.source)),
            TokenKind::Command(_) => true,
            TokenKind::Variable => {
                let name = token.span.of(self.source).trim_start_matches(['$', '@', '%', '#']);
                self.language == "perl"
                    && (OUTSIDE_OF_PERL.binary_search(&name).is_ok()
                        || matches!(token.span.of(self.source), "$0" | "$$"))
            }
            // `<>`, `<*.txt>`
            TokenKind::Operator if self.language == "perl" => {
                token.span.of(self.source) == "<"
                    && (at + 1..at + 6).any(|next| self.name_at(next).starts_with('>'))
            }
            // What a text is filled with stands in it: `f"wc {sys.argv[1]}"`.
            TokenKind::Text(_) => {
                let text = token.span.of(self.source);
                text.contains('{')
                    && text
                        .split(|letter: char| !letter.is_alphanumeric() && letter != '_')
                        .any(|word| OUTSIDE.binary_search(&word).is_ok())
            }
            _ => false,
        })
    }

    /// Something of the language was not followed: what a name holds from here on, or whose method is called. That is a question in a script
    /// that could do something outside of itself by it, and in no other.
    pub(super) fn left_open(&mut self, span: Span) {
        let acts = self.unit.tokens.iter().any(|token| match &token.kind {
            TokenKind::Name => ACTS.binary_search(&token.span.of(self.source)).is_ok(),
            TokenKind::Command(_) => true,
            _ => false,
        });
        if acts {
            self.walk.gap(span, GapReason::UnknownCode);
        }
    }

    /// Whether something comes in by the name at `at`.
    fn brings_in(&self, at: usize, word: &str) -> bool {
        if OUTSIDE.binary_search(&word).is_ok() {
            return true;
        }
        match (self.language, word) {
            ("perl", "use" | "require") => {
                let behind = self.unit.tokens.get(at).map_or(0, |token| token.span.range().end);
                let rest = self.source.get(behind..).unwrap_or_default().trim_start();
                let end = |letter: char| !letter.is_alphanumeric() && !matches!(letter, '_' | ':');
                let module = rest.split(end).next().unwrap_or_default();
                let is_module = module.starts_with(|letter: char| letter.is_ascii_uppercase());
                is_module && PURE_OF_PERL.binary_search(&module).is_err()
            }
            ("perl", word) => OUTSIDE_OF_PERL.binary_search(&word).is_ok(),
            ("python", "import" | "from") => {
                let is_first = self.unit.tokens.get(at).is_some_and(|token| token.first);
                // `yield from` stands in its line.
                is_first
                    && (PURE.binary_search(&self.name_at(at + 1)).is_err()
                        || word == "import" && self.is_more_imported(at))
            }
            ("javascript", "require" | "import" | "from") => {
                let next = usize::from(self.name_at(at + 1) == "(");
                let named = self.unit.tokens.get(at + 1 + next);
                let is_text = named.is_some_and(|token| matches!(token.kind, TokenKind::Text(_)));
                let text = named.map_or("", |token| token.span.of(self.source));
                let module = text.trim_matches(['"', '\'', '`']);
                let module = module.strip_prefix("node:").unwrap_or(module);
                match is_text {
                    true => PURE.binary_search(&module).is_err(),
                    false => next == 1,
                }
            }
            ("javascript", word) if ANSWERS.contains(&word) => self.is_answer_taken(at),
            _ => false,
        }
    }

    /// `import os, requests`: whether one of the others brings something in.
    fn is_more_imported(&self, at: usize) -> bool {
        let mut next = at + 2;
        while matches!(self.name_at(next), "," | "." | "as") {
            if self.name_at(next) == "," && PURE.binary_search(&self.name_at(next + 1)).is_err() {
                return true;
            }
            next += 2;
        }
        false
    }

    /// Whether somebody takes what the call whose name stands at `at` gives.
    fn is_answer_taken(&self, at: usize) -> bool {
        let mut at = at;
        // Back over `require('child_process').`.
        while at >= 2 && self.name_at(at - 1) == "." {
            at -= 2;
            if matches!(self.name_at(at), ")" | "]") {
                at = self.unit.partners.get(at).copied().unwrap_or(at).saturating_sub(1);
            }
        }
        let before = at.checked_sub(1).map_or("", |before| self.name_at(before));
        // A pattern that takes the function out of its module calls nothing.
        let is_called = self.name_at(at + 1) == "(" || self.name_at(at + 1) == ".";
        is_called && matches!(before, "=" | "(" | "," | "[" | ":" | "+" | "return" | "await")
    }
}

#[cfg(test)]
mod tests {
    use super::{OUTSIDE, OUTSIDE_OF_PERL, PURE, PURE_OF_PERL};

    #[test]
    fn the_names_can_be_looked_up() {
        for names in [OUTSIDE, OUTSIDE_OF_PERL, PURE, PURE_OF_PERL] {
            assert!(names.is_sorted(), "{names:?}");
        }
    }
}

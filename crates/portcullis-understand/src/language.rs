//! The languages that code is written in. Owns their names, and the programs that run each; how a language is read is not known here.

/// A language that code can be read in.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Language {
    /// Its name, as effects say it.
    pub name: &'static str,
    /// Other names, and the programs that run it.
    aliases: &'static [&'static str],
    /// What it is made of.
    pub(crate) form: Form,
}

/// What code in a language is made of, and so how it is read.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Form {
    /// Expressions and calls, one token after the other.
    Calls,
    /// One command on each line.
    Lines,
    /// A tree of PowerShell.
    PowerShell,
    /// A tree of batch.
    Batch,
}

const fn calls(name: &'static str, aliases: &'static [&'static str]) -> Language {
    Language { name, aliases, form: Form::Calls }
}

const fn lines(name: &'static str, aliases: &'static [&'static str]) -> Language {
    Language { name, aliases, form: Form::Lines }
}

static LANGUAGES: &[Language] = &[
    calls("python", &["py", "python2", "python3", "pypy", "ipython", "jython", "sage", "starlark"]),
    calls(
        "javascript",
        &[
            "js",
            "node",
            "nodejs",
            "typescript",
            "ts",
            "tsx",
            "jsx",
            "deno",
            "bun",
            "jrunscript",
            "jjs",
            "mongo",
            "mongosh",
            "qjs",
        ],
    ),
    calls("ruby", &["rb", "irb", "jruby", "rails", "crystal"]),
    calls("perl", &["pl", "perl5"]),
    calls("php", &[]),
    calls("lua", &["luajit", "texlua", "nse", "luau"]),
    calls("awk", &["gawk", "mawk", "nawk"]),
    calls("r", &["rscript", "R", "Rscript"]),
    calls("julia", &["jl"]),
    calls(
        "java",
        &[
            "groovy", "kotlin", "scala", "jshell", "csharp", "go", "c", "cpp", "c++", "rust",
            "swift", "zig", "d", "elixir", "octave", "haskell", "erlang", "nim", "raku", "ocaml",
            "dart", "fsharp", "vala", "gleam", "haxe",
        ],
    ),
    calls(
        "lisp",
        &["elisp", "emacs", "emacs-lisp", "guile", "scheme", "sbcl", "clojure", "racket"],
    ),
    calls("applescript", &["osascript"]),
    Language { name: "powershell", aliases: &["pwsh", "ps1"], form: Form::PowerShell },
    lines("tcl", &["tclsh", "expect", "wish"]),
    lines("gdb", &["lldb"]),
    lines("vim", &["vi", "ex", "vimscript", "nvim"]),
    Language { name: "batch", aliases: &["cmd", "bat"], form: Form::Batch },
];

/// The language of a name, or of a program that runs it.
pub fn language(name: &str) -> Option<&'static Language> {
    let lower = name.to_ascii_lowercase();
    let bare = lower.trim_end_matches(|end: char| end.is_ascii_digit() || end == '.');
    LANGUAGES.iter().find(|language| {
        [lower.as_str(), bare].iter().any(|name| {
            language.name == *name || language.aliases.iter().any(|alias| alias == name)
        })
    })
}

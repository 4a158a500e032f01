//! The dialects: one row per language. Owns nothing but the table.

use super::{Dialect, Escapes, Interpolation, Quote};

/// The dialect of a language; a neutral one for languages without a row.
#[must_use]
pub fn dialect(language: &str) -> &'static Dialect {
    DIALECTS.iter().find(|dialect| dialect.name == language).unwrap_or(&PLAIN)
}

const fn quote(open: &'static str, escapes: Escapes, interpolation: Interpolation) -> Quote {
    Quote { open, close: open, escapes, interpolation, command: false, multiline: true }
}

const fn line(open: &'static str) -> Quote {
    Quote {
        open,
        close: open,
        escapes: Escapes::Full,
        interpolation: Interpolation::None,
        command: false,
        multiline: false,
    }
}

const fn between(open: &'static str, close: &'static str) -> Quote {
    Quote {
        open,
        close,
        escapes: Escapes::None,
        interpolation: Interpolation::None,
        command: false,
        multiline: true,
    }
}

const fn command(interpolation: Interpolation) -> Quote {
    Quote {
        open: "`",
        close: "`",
        escapes: Escapes::Full,
        interpolation,
        command: true,
        multiline: true,
    }
}

/// C-like, for languages without a row of their own.
static PLAIN: Dialect = Dialect {
    name: "",
    line_comments: &["//"],
    block_comments: &[("/*", "*/")],
    quotes: &[
        quote("\"\"\"", Escapes::Full, Interpolation::None),
        line("\""),
        line("'"),
        between("`", "`"),
    ],
    sigils: b"",
    name_characters: b"",
    patterns: false,
    prefixes: false,
    quote_words: false,
    percent_literals: false,
    heredoc: None,
    decimal_escapes: false,
    keeps_backslash: false,
};

static DIALECTS: &[Dialect] = &[
    Dialect {
        name: "python",
        line_comments: &["#"],
        block_comments: &[],
        quotes: &[
            quote("\"\"\"", Escapes::Full, Interpolation::None),
            quote("'''", Escapes::Full, Interpolation::None),
            line("\""),
            line("'"),
        ],
        prefixes: true,
        keeps_backslash: true,
        ..PLAIN
    },
    Dialect {
        name: "javascript",
        quotes: &[line("\""), line("'"), quote("`", Escapes::Full, Interpolation::Template)],
        name_characters: b"$",
        patterns: true,
        ..PLAIN
    },
    Dialect {
        name: "ruby",
        line_comments: &["#"],
        block_comments: &[("\n=begin", "\n=end")],
        quotes: &[
            quote("\"", Escapes::Full, Interpolation::Hash),
            quote("'", Escapes::Few, Interpolation::None),
            command(Interpolation::Hash),
        ],
        sigils: b"$@",
        patterns: true,
        percent_literals: true,
        heredoc: Some("<<"),
        ..PLAIN
    },
    Dialect {
        name: "perl",
        line_comments: &["#"],
        block_comments: &[("\n=pod", "\n=cut"), ("\n=head", "\n=cut")],
        quotes: &[
            quote("\"", Escapes::Full, Interpolation::Dollar),
            quote("'", Escapes::Few, Interpolation::None),
            command(Interpolation::Dollar),
        ],
        sigils: b"$@%",
        patterns: true,
        quote_words: true,
        heredoc: Some("<<"),
        ..PLAIN
    },
    Dialect {
        name: "php",
        line_comments: &["//", "#"],
        quotes: &[
            quote("\"", Escapes::Full, Interpolation::Dollar),
            quote("'", Escapes::Few, Interpolation::None),
            command(Interpolation::Dollar),
        ],
        sigils: b"$",
        heredoc: Some("<<<"),
        keeps_backslash: true,
        ..PLAIN
    },
    Dialect {
        name: "lua",
        line_comments: &["--"],
        block_comments: &[("--[[", "]]"), ("--[=[", "]=]")],
        quotes: &[between("[[", "]]"), between("[=[", "]=]"), line("\""), line("'")],
        decimal_escapes: true,
        ..PLAIN
    },
    Dialect {
        name: "awk",
        line_comments: &["#"],
        block_comments: &[],
        quotes: &[line("\"")],
        sigils: b"$",
        patterns: true,
        keeps_backslash: true,
        ..PLAIN
    },
    Dialect {
        name: "r",
        line_comments: &["#"],
        block_comments: &[],
        quotes: &[
            quote("\"", Escapes::Full, Interpolation::None),
            quote("'", Escapes::Full, Interpolation::None),
            between("`", "`"),
        ],
        name_characters: b".",
        ..PLAIN
    },
    Dialect {
        name: "julia",
        line_comments: &["#"],
        block_comments: &[("#=", "=#")],
        quotes: &[
            quote("\"\"\"", Escapes::Full, Interpolation::Dollar),
            quote("\"", Escapes::Full, Interpolation::Dollar),
            line("'"),
            command(Interpolation::Dollar),
        ],
        ..PLAIN
    },
    Dialect {
        name: "applescript",
        line_comments: &["--", "#"],
        block_comments: &[("(*", "*)")],
        quotes: &[quote("\"", Escapes::Full, Interpolation::None)],
        ..PLAIN
    },
    Dialect {
        name: "tcl",
        line_comments: &["\n#"],
        block_comments: &[],
        quotes: &[quote("\"", Escapes::Full, Interpolation::Dollar)],
        sigils: b"$",
        name_characters: b"-./~:*?%",
        ..PLAIN
    },
    Dialect {
        name: "powershell",
        line_comments: &["#"],
        block_comments: &[("<#", "#>")],
        quotes: &[
            between("@'", "'@"),
            Quote {
                open: "@\"",
                close: "\"@",
                escapes: Escapes::Backtick,
                interpolation: Interpolation::Dollar,
                command: false,
                multiline: true,
            },
            quote("\"", Escapes::Backtick, Interpolation::Dollar),
            quote("'", Escapes::Doubled, Interpolation::None),
        ],
        sigils: b"$",
        name_characters: b"-",
        ..PLAIN
    },
    Dialect {
        name: "lisp",
        line_comments: &[";"],
        block_comments: &[("#|", "|#")],
        quotes: &[quote("\"", Escapes::Full, Interpolation::None)],
        name_characters: b"-*/!?",
        ..PLAIN
    },
];

//! How families of servers tell text from statements: their comments, quotes and escapes. Each row is what the manual of the server says
//! on its lexical structure.

/// When a backslash takes the quote behind it for a letter.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Backslash {
    Never,
    /// In `E'…'` alone.
    Marked,
    /// In every string but `r'…'`.
    Always,
    /// In every string, but not before the last quote of all: how a text is read of which nobody knows for whom it is.
    ButLast,
}

/// The habits of one family.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Dialect {
    /// `# …` is a comment.
    pub(super) hash_comments: bool,
    /// `--` is a comment only where a blank follows.
    pub(super) spaced_dashes: bool,
    /// `/* /* */ */` is one comment.
    pub(super) nested_comments: bool,
    pub(super) backslash: Backslash,
    /// `"…"` is a text with the escapes of one.
    pub(super) double_is_text: bool,
    /// `[…]` is a name.
    pub(super) brackets: bool,
    /// `$tag$ … $tag$` is a text; elsewhere `$` is a letter.
    pub(super) dollars: bool,
    /// `'''…'''` and `"""…"""` are texts.
    pub(super) triples: bool,
    /// `q'[…]'` is a text.
    pub(super) chosen_quotes: bool,
}

/// What most texts are right in.
pub(super) const ANY: Dialect = Dialect {
    hash_comments: true,
    spaced_dashes: false,
    nested_comments: false,
    backslash: Backslash::ButLast,
    double_is_text: false,
    brackets: true,
    dollars: true,
    triples: false,
    chosen_quotes: false,
};

/// PostgreSQL (manual, 4.1 Lexical Structure), DuckDB, Redshift and their kin.
const POSTGRES: Dialect = Dialect {
    hash_comments: false,
    nested_comments: true,
    backslash: Backslash::Marked,
    brackets: false,
    ..ANY
};

/// MySQL and MariaDB (manual, 9.1 Literal Values, 9.7 Comments).
const MYSQL: Dialect = Dialect {
    spaced_dashes: true,
    backslash: Backslash::Always,
    double_is_text: true,
    brackets: false,
    dollars: false,
    ..ANY
};

/// SQL Server (Transact-SQL reference, Comments, Identifiers).
const SQL_SERVER: Dialect = Dialect {
    hash_comments: false,
    nested_comments: true,
    backslash: Backslash::Never,
    dollars: false,
    ..ANY
};

/// SQLite (SQL Comment Syntax, SQLite Keywords).
const SQLITE: Dialect =
    Dialect { hash_comments: false, backslash: Backslash::Never, dollars: false, ..ANY };

/// BigQuery, Snowflake, Spark and ClickHouse (Lexical structure of GoogleSQL).
const BIGQUERY: Dialect = Dialect {
    backslash: Backslash::Always,
    double_is_text: true,
    brackets: false,
    triples: true,
    ..ANY
};

/// Oracle (SQL Language Reference, Text Literals).
const ORACLE: Dialect = Dialect {
    hash_comments: false,
    backslash: Backslash::Never,
    brackets: false,
    dollars: false,
    chosen_quotes: true,
    ..ANY
};

pub(super) const ALL: &[Dialect] = &[ANY, POSTGRES, MYSQL, SQL_SERVER, SQLITE, BIGQUERY, ORACLE];

/// Whether families may read `source` differently at all.
pub(super) fn divides(source: &str) -> bool {
    let holds = |part: &str| source.contains(part);
    let spaced = |rest: &str| rest.is_empty() || rest.starts_with([' ', '\t', '\n', '\r']);
    holds("#")
        || holds("\\")
        || holds("$")
        || holds("[") && holds("]")
        || holds("\"")
        || holds("'''")
        || holds("q'")
        || holds("Q'")
        || source.matches("/*").count() > 1
        || source.match_indices("--").any(|(at, _)| !spaced(source.get(at + 2..).unwrap_or("")))
}

impl Backslash {
    /// What it means in a string behind `mark`, a word that stands before its quote.
    pub(super) fn behind(self, mark: &str) -> Self {
        match self {
            Self::Marked if mark == "E" => Self::Always,
            Self::Marked => Self::Never,
            Self::Always if matches!(mark, "BR" | "R" | "RB") => Self::Never,
            other => other,
        }
    }
}

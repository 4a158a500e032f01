//! Script languages other than shell: text to tokens, by one lexer that a small table per language steers. Owns where
//! strings, comments, patterns and names begin and end, and what a string literal says; it builds no tree and knows no
//! meaning.

mod dialects;
mod lexer;
mod literal;

pub use dialects::dialect;
pub use lexer::tokens;

use crate::Span;

/// The longest code that is read in one piece, see [`crate::limits::SOURCE_BYTES`]; the rest is left out and the caller
/// told by [`Tokens::complete`].
pub const CODE_BYTES: usize = crate::limits::SOURCE_BYTES;

/// How the text of one language falls into tokens.
#[derive(Clone, Copy, Debug)]
pub struct Dialect {
    /// The language's name.
    pub name: &'static str,
    /// What starts a comment that ends with the line.
    pub line_comments: &'static [&'static str],
    /// What starts and ends a longer comment.
    pub block_comments: &'static [(&'static str, &'static str)],
    /// Its strings, longer openers first.
    pub quotes: &'static [Quote],
    /// Characters that start a variable where a name, digit or punctuation follows.
    pub sigils: &'static [u8],
    /// Further characters inside names.
    pub name_characters: &'static [u8],
    /// `/…/` is a pattern where a value may stand.
    pub patterns: bool,
    /// `r'…'`, `b"…"`, `f'''…'''`.
    pub prefixes: bool,
    /// `q(…)`, `qq{…}`, `qw[…]`, `qx/…/`, `m{…}`, `s/…/…/`, `tr/…/…/`.
    pub quote_words: bool,
    /// `%q(…)`, `%w[…]`, `%x{…}`.
    pub percent_literals: bool,
    /// What starts a here-document.
    pub heredoc: Option<&'static str>,
    /// `\65` in a string is decimal.
    pub decimal_escapes: bool,
    /// An unknown escape keeps its backslash.
    pub keeps_backslash: bool,
}

/// One kind of string.
#[derive(Clone, Copy, Debug)]
pub struct Quote {
    /// What opens it.
    pub open: &'static str,
    /// What closes it.
    pub close: &'static str,
    /// What a backslash does in it.
    pub escapes: Escapes,
    /// What is computed in it.
    pub interpolation: Interpolation,
    /// It is a command, not a value.
    pub command: bool,
    /// It may contain line ends.
    pub multiline: bool,
}

/// What a backslash does in a string.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Escapes {
    /// Nothing.
    None,
    /// Nothing, and a doubled closing quote stands for one.
    Doubled,
    /// Only before itself and before the closing quote.
    Few,
    /// As in C.
    Full,
    /// A backtick is the escape character.
    Backtick,
}

/// What is computed in a string.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Interpolation {
    /// Nothing.
    None,
    /// `#{…}`
    Hash,
    /// `${…}`
    Template,
    /// `$name`, `${…}`, `{$…}`, `@name` in Perl, `$(…)`.
    Dollar,
    /// `{…}`, with `{{` for a brace.
    Brace,
}

/// A text as tokens.
#[derive(Clone, Debug, Default)]
pub struct Tokens {
    /// The tokens in order, without comments.
    pub list: Vec<Token>,
    /// Whether the whole text was read.
    pub complete: bool,
}

/// One token.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// As written.
    pub span: Span,
    /// Whether it is the first on its line.
    pub first: bool,
    /// How far its line is indented, in characters.
    pub indent: u32,
    /// Whether a blank or line end stands before it.
    pub spaced: bool,
}

/// What a token is.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum TokenKind {
    /// An identifier or keyword.
    Name,
    /// A variable with its sigil.
    Variable,
    /// A number.
    Number,
    /// A string.
    Text(Box<[TextPart]>),
    /// A string that is run by the shell.
    Command(Box<[TextPart]>),
    /// A list of words.
    Words(Box<[Box<str>]>),
    /// A regular expression.
    Pattern,
    /// Punctuation, one operator at a time.
    Operator,
}

/// One stretch of a string.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum TextPart {
    /// Decoded text.
    Literal(Box<str>),
    /// Code whose value stands here.
    Code(Span),
}

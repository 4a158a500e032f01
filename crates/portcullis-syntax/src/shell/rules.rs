//! What each kind of text treats specially: one table of byte classes and one row of rules per kind of text.
//! It does not read; [`super::word`] does.

use super::text::TextKind;

/// How a kind of text is read.
#[derive(Clone, Copy)]
pub(super) struct Rules {
    /// The byte classes that are not plain text.
    pub(super) special: u16,
    /// What plain text becomes.
    pub(super) text: TextKind,
    /// What ends it.
    pub(super) ending: Ending,
    /// What a single quote means.
    pub(super) single: Single,
    /// Whether `"` begins a quoted part.
    pub(super) double: bool,
    /// Whether `{a,b}` expands.
    pub(super) braces: bool,
    /// Whether `~` after an unquoted `:` expands.
    pub(super) tilde_after_colon: bool,
    /// Whether it is the first word of a command, where `@()` begins a function.
    pub(super) command: bool,
    /// Whether `@(a|b)` is a pattern, rather than a word before a parenthesis.
    pub(super) extended: bool,
    /// Whether a parameter's operand inside is read as inside double quotes.
    pub(super) in_double: bool,
    /// Whether tabs at the beginning of a line are dropped.
    pub(super) strip_tabs: bool,
}

/// What ends a text, besides the end of all text.
#[derive(Clone, Copy, Eq, PartialEq)]
pub(super) enum Ending {
    /// A blank, a line end or an operator.
    Word,
    /// As a word, but parentheses nest and `|` is text.
    Regex,
    /// `"`
    Quote,
    /// `}`
    Operand,
    /// `/` or `}`
    Pattern,
    /// `:` or `}`
    Slice,
    /// `]`, nesting
    Subscript,
    /// `|` or `)`, nesting
    Alternative,
    /// Nothing.
    Limit,
}

/// What a single quote means.
#[derive(Clone, Copy, Eq, PartialEq)]
pub(super) enum Single {
    /// It quotes.
    Quotes,
    /// It is text, but hides the ending until the next one; what expands inside still does.
    Pairs,
    /// It is text.
    Text,
}

const EXPANSION: u16 = 1;
const SINGLE: u16 = 1 << 1;
const DOUBLE: u16 = 1 << 2;
const META: u16 = 1 << 3;
const GLOB: u16 = 1 << 4;
const BRACE: u16 = 1 << 5;
const TILDE: u16 = 1 << 6;
const CLOSE_BRACE: u16 = 1 << 7;
const SLASH: u16 = 1 << 8;
const SLICE: u16 = 1 << 9;
const BRACKET: u16 = 1 << 10;
const PARENTHESIS: u16 = 1 << 11;
const LINE: u16 = 1 << 12;

static CLASSES: [u16; 256] = classes();

const fn classes() -> [u16; 256] {
    let rows: [(&[u8], u16); 13] = [
        (b"\\$`", EXPANSION),
        (b"'", SINGLE),
        (b"\"", DOUBLE),
        (b" \t\n;&|<>()", META),
        (b"*?[", GLOB),
        (b"{},", BRACE),
        (b"~", TILDE),
        (b"}", CLOSE_BRACE),
        (b"/", SLASH),
        (b":?()", SLICE),
        (b"[]", BRACKET),
        (b"|()", PARENTHESIS),
        (b"\n", LINE),
    ];
    let mut classes = [0; 256];
    let mut row = 0;
    while row < rows.len() {
        #[expect(
            clippy::indexing_slicing,
            reason = "checked when the table is built, which is at compile time"
        )]
        let (bytes, class) = rows[row];
        let mut at = 0;
        while at < bytes.len() {
            #[expect(
                clippy::indexing_slicing,
                reason = "checked when the table is built, which is at compile time"
            )]
            {
                classes[bytes[at] as usize] |= class;
            }
            at += 1;
        }
        row += 1;
    }
    classes
}

impl Rules {
    /// Whether `byte` is plain text.
    #[inline]
    pub(super) fn is_plain(&self, byte: u8) -> bool {
        CLASSES.get(usize::from(byte)).is_some_and(|classes| classes & self.special == 0)
    }

    /// Whether unquoted patterns are told apart.
    pub(super) fn globs(&self) -> bool {
        self.special & GLOB != 0
    }
}

const PLAIN: Rules = Rules {
    special: EXPANSION | SINGLE | DOUBLE | META | TILDE,
    text: TextKind::Literal,
    ending: Ending::Word,
    single: Single::Quotes,
    double: true,
    braces: false,
    tilde_after_colon: false,
    command: false,
    extended: true,
    in_double: false,
    strip_tabs: false,
};

/// An argument of a command, an element of an array, a word of `for`, the target of a redirection.
pub(super) static ARGUMENT: Rules =
    Rules { special: PLAIN.special | GLOB | BRACE, braces: true, ..PLAIN };

/// The first word of a command.
pub(super) static COMMAND: Rules =
    Rules { special: PLAIN.special | GLOB | BRACE, braces: true, command: true, ..PLAIN };

/// The name of a coprocess or function, after which a subshell may stand at once.
pub(super) static NAME: Rules = Rules { extended: false, ..COMMAND };

/// The value of an assignment.
pub(super) static VALUE: Rules = Rules { tilde_after_colon: true, ..PLAIN };

/// The subject of `case`, a here-string.
pub(super) static SUBJECT: Rules = PLAIN;

/// A pattern of `case`, an operand of `[[`.
pub(super) static PATTERN: Rules = Rules { special: PLAIN.special | GLOB, ..PLAIN };

/// The right side of `=~`.
pub(super) static REGEX: Rules = Rules { ending: Ending::Regex, ..PLAIN };

/// The inside of `"…"`.
pub(super) static DOUBLE_QUOTED: Rules = Rules {
    special: EXPANSION | DOUBLE,
    text: TextKind::Quoted,
    ending: Ending::Quote,
    single: Single::Text,
    double: false,
    in_double: true,
    ..PLAIN
};

/// The body of a heredoc whose delimiter is not quoted.
pub(super) static HEREDOC: Rules =
    Rules { special: EXPANSION, ending: Ending::Limit, ..DOUBLE_QUOTED };

/// The same for `<<-`.
pub(super) static HEREDOC_STRIPPED: Rules =
    Rules { special: EXPANSION | LINE, strip_tabs: true, ..HEREDOC };

/// What stands between single quotes that do not quote.
pub(super) static PAIRED: Rules = HEREDOC;

/// The inside of `((…))`.
pub(super) static ARITHMETIC: Rules = Rules {
    special: EXPANSION | SINGLE,
    text: TextKind::Literal,
    ending: Ending::Limit,
    single: Single::Pairs,
    double: false,
    in_double: true,
    ..PLAIN
};

/// The inside of `[…]` after a name or `$`.
pub(super) static SUBSCRIPT: Rules = Rules {
    special: EXPANSION | SINGLE | DOUBLE | BRACKET,
    ending: Ending::Subscript,
    single: Single::Pairs,
    ..PLAIN
};

/// The word of `${x:-word}`.
pub(super) static OPERAND: Rules = Rules {
    special: EXPANSION | SINGLE | DOUBLE | GLOB | TILDE | CLOSE_BRACE | META,
    ending: Ending::Operand,
    ..PLAIN
};

/// The word of `"${x:-word}"`.
pub(super) static OPERAND_IN_DOUBLE: Rules = Rules {
    special: EXPANSION | SINGLE | DOUBLE | CLOSE_BRACE,
    text: TextKind::Quoted,
    ending: Ending::Operand,
    single: Single::Pairs,
    in_double: true,
    ..PLAIN
};

/// The pattern of `${x#pattern}`, in quotes or not.
pub(super) static OPERAND_PATTERN: Rules = OPERAND;

/// The pattern of `${x/pattern/replacement}`.
pub(super) static REPLACED: Rules =
    Rules { special: OPERAND.special | SLASH, ending: Ending::Pattern, ..OPERAND };

/// The replacement of `${x/pattern/replacement}`.
pub(super) static REPLACEMENT: Rules =
    Rules { special: EXPANSION | SINGLE | DOUBLE | CLOSE_BRACE, ending: Ending::Operand, ..PLAIN };

/// The offset of `${x:offset:length}`.
pub(super) static OFFSET: Rules = Rules {
    special: EXPANSION | SINGLE | DOUBLE | SLICE | CLOSE_BRACE,
    ending: Ending::Slice,
    single: Single::Pairs,
    ..PLAIN
};

/// The length of `${x:offset:length}`.
pub(super) static LENGTH: Rules = Rules {
    special: EXPANSION | SINGLE | DOUBLE | CLOSE_BRACE,
    ending: Ending::Operand,
    single: Single::Pairs,
    ..PLAIN
};

/// An alternative of an extended glob.
pub(super) static ALTERNATIVE: Rules = Rules {
    special: EXPANSION | SINGLE | DOUBLE | GLOB | PARENTHESIS | META,
    ending: Ending::Alternative,
    ..PLAIN
};

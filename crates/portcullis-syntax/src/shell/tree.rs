//! The shell tree. Owns the shape of parsed shell text; it does not know how the text is read (`parser`) or what a
//! command means. Words keep their parts, decoded, so that a consumer can tell what is literal and what is computed.

use crate::Span;

/// A whole script, or the body of any construct that holds commands.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Script {
    /// What would run, in order.
    pub body: Vec<Statement>,
    /// Every span that could not be placed, from anywhere in the tree.
    pub unparsed: Vec<Unparsed>,
    /// Comments, without their line ends; they never run.
    pub comments: Vec<Span>,
}

/// A span that the parser could not place.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Unparsed {
    /// The text that was not understood.
    pub span: Span,
    /// Why.
    pub reason: UnparsedReason,
}

/// Why a span was not placed.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum UnparsedReason {
    /// It is not shell syntax.
    Syntax,
    /// A quote, substitution, heredoc or compound command is never closed.
    Unclosed,
    /// It nests deeper than [`crate::limits::DEPTH`].
    TooDeep,
    /// The tree would have more than [`crate::limits::NODES`] nodes.
    TooManyNodes,
    /// The source is longer than [`crate::limits::SOURCE_BYTES`].
    TooLong,
}

/// Pipelines joined by `&&` and `||`, with what ends them.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Statement {
    /// The first pipeline.
    pub first: Pipeline,
    /// Each further pipeline with the connector before it.
    pub rest: Vec<(Connector, Pipeline)>,
    /// Whether it ends with `&`.
    pub background: bool,
    /// From the first word to the last.
    pub span: Span,
}

/// `&&` or `||`.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Connector {
    /// `&&`
    And,
    /// `||`
    Or,
}

/// Commands joined by `|` or `|&`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Pipeline {
    /// An odd number of `!` before it.
    pub negated: bool,
    /// `time` before it.
    pub timed: bool,
    /// The stages in order; empty only for a bare `!` or `time`.
    pub stages: Vec<Command>,
    /// From the first word to the last.
    pub span: Span,
}

/// One stage: what it is and its redirections.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Command {
    /// What it is.
    pub kind: CommandKind,
    /// Its redirections in the order written. `|&` adds `2>&1` at the end, with the operator's span.
    pub redirects: Vec<Redirect>,
    /// The whole command with its redirections.
    pub span: Span,
}

/// What a command is.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum CommandKind {
    /// `NAME=value … word word …`; either list may be empty, both only where redirections stand alone.
    Simple {
        /// Assignments before the first word.
        assignments: Vec<Assignment>,
        /// The command's name and its arguments.
        words: Vec<Word>,
    },
    /// `( … )`
    Subshell(Vec<Statement>),
    /// `{ …; }`
    Group(Vec<Statement>),
    /// `if … then … elif … else … fi`
    If {
        /// Each condition with what runs when it holds.
        branches: Vec<(Vec<Statement>, Vec<Statement>)>,
        /// What runs when none holds.
        otherwise: Vec<Statement>,
    },
    /// `while … do … done`, or `until …`.
    While {
        /// `until` instead of `while`.
        until: bool,
        /// What is run before each round.
        condition: Vec<Statement>,
        /// What each round runs.
        body: Vec<Statement>,
    },
    /// `for NAME in … do … done`, also with `{ }`, and `select`.
    For {
        /// The loop variable.
        variable: Word,
        /// The words gone through; `None` where `in` is missing, which means `"$@"`.
        words: Option<Vec<Word>>,
        /// What each round runs.
        body: Vec<Statement>,
        /// `select` instead of `for`.
        select: bool,
    },
    /// `for (( …; …; … ))`
    ArithmeticFor {
        /// The three expressions as one word: its parts are the substitutions inside.
        header: Word,
        /// What each round runs.
        body: Vec<Statement>,
    },
    /// `case … in … esac`
    Case {
        /// The word looked at.
        subject: Word,
        /// The arms in order.
        arms: Vec<CaseArm>,
    },
    /// `name() …` or `function name …`.
    Function {
        /// The function's name.
        name: Word,
        /// What it runs.
        body: Box<Command>,
    },
    /// `[[ … ]]`: operands and operators as words, in order.
    Conditional(Vec<Word>),
    /// `(( … ))`
    Arithmetic(Word),
    /// `coproc [NAME] command`
    Coprocess {
        /// The name, where one is given.
        name: Option<Word>,
        /// What it runs.
        body: Box<Command>,
    },
    /// Not understood; also listed in [`Script::unparsed`].
    Unparsed,
}

/// One arm of a `case`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct CaseArm {
    /// The patterns, any of which selects the arm.
    pub patterns: Vec<Word>,
    /// What it runs.
    pub body: Vec<Statement>,
    /// What comes after it.
    pub end: ArmEnd,
    /// The whole arm.
    pub span: Span,
}

/// What comes after an arm of a `case` that ran.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum ArmEnd {
    /// `;;`: nothing more of the `case`.
    Stop,
    /// `;&`: the next arm runs, whatever its patterns are.
    Fall,
    /// `;;&`: the patterns of the next arms are tried.
    Test,
}

/// `NAME=value`, `NAME+=value`, `NAME[subscript]=value`, `NAME=(…)`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Assignment {
    /// The variable's name.
    pub name: Box<str>,
    /// `[subscript]`, as a word.
    pub subscript: Option<Word>,
    /// `+=`
    pub append: bool,
    /// What is assigned.
    pub value: AssignedValue,
    /// The whole assignment.
    pub span: Span,
}

/// What is assigned.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum AssignedValue {
    /// A single word, which may be empty.
    Word(Word),
    /// `( … )`: elements in order; `[key]=value` elements carry their key.
    Array(Vec<(Option<Word>, Word)>),
}

/// A redirection.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Redirect {
    /// The descriptor before the operator, where one is written.
    pub descriptor: Option<Descriptor>,
    /// The operator.
    pub operator: RedirectOperator,
    /// The file, the descriptor, the here-string, or a heredoc's delimiter as written.
    pub target: Word,
    /// A heredoc's body. Its parts are literal where the delimiter was quoted.
    pub heredoc: Option<Word>,
    /// The operator with its descriptor and target, without a heredoc's body.
    pub span: Span,
}

/// A descriptor before a redirection operator.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Descriptor {
    /// `2>`
    Number(u32),
    /// `{name}>`
    Variable(Box<str>),
}

/// A redirection operator.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum RedirectOperator {
    /// `<`
    Read,
    /// `>`
    Write,
    /// `>|`
    Clobber,
    /// `>>`
    Append,
    /// `<>`
    ReadWrite,
    /// `&>` and `>&word`
    WriteBoth,
    /// `&>>`
    AppendBoth,
    /// `<&`
    DuplicateInput,
    /// `>&`
    DuplicateOutput,
    /// `<<`
    Heredoc,
    /// `<<-`
    HeredocStripped,
    /// `<<<`
    HereString,
}

/// A word: what becomes zero or more arguments.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Word {
    /// The parts in order, joined without a gap. Brace expansion is kept as [`PartKind::Brace`].
    pub parts: Vec<Part>,
    /// The whole word as written.
    pub span: Span,
}

/// One part of a word.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Part {
    /// What it is.
    pub kind: PartKind,
    /// As written, quotes included.
    pub span: Span,
}

/// What a part of a word is.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum PartKind {
    /// Unquoted text that stands for itself.
    Literal(Box<str>),
    /// Text behind a backslash, in single quotes or in `$'…'`, decoded; it never splits, globs or expands.
    Quoted(Box<str>),
    /// `"…"` and `$"…"`; its literals are [`PartKind::Quoted`].
    DoubleQuoted(Vec<Part>),
    /// `$name`, `${…}`.
    Parameter(Box<Parameter>),
    /// `$(…)`, `` `…` ``, `${ …; }` and `${| …; }`.
    CommandSubstitution {
        /// What it runs. For backticks the spans point at the escaped text in the source where they can,
        /// and at the whole substitution where backslashes were removed.
        body: Vec<Statement>,
    },
    /// `<(…)` and `>(…)`.
    ProcessSubstitution {
        /// `>(…)`
        output: bool,
        /// What it runs.
        body: Vec<Statement>,
    },
    /// `$((…))` and `$[…]`, and the inside of `((…))`: its literals and the substitutions in it.
    Arithmetic(Vec<Part>),
    /// `{a,b}`: each alternative as a list of parts.
    Brace(Vec<Vec<Part>>),
    /// `{1..9..2}`, `{a..z}`: the two ends and the step as written.
    BraceRange {
        /// The first end.
        from: Box<str>,
        /// The last end.
        to: Box<str>,
        /// The step, where one is written.
        step: Option<Box<str>>,
    },
    /// An unquoted `*`, `?` or `[…]`, as written.
    Glob(Box<str>),
    /// `?(…)`, `*(…)`, `+(…)`, `@(…)`, `!(…)`: the alternatives.
    ExtendedGlob {
        /// The character before the parenthesis.
        operator: char,
        /// Each alternative as a list of parts.
        alternatives: Vec<Vec<Part>>,
    },
    /// An unquoted leading `~` or `~name`, without the slash after it; empty for `~` alone, `+` and `-` for `~+`, `~-`.
    Tilde(Box<str>),
    /// Not understood; also listed in [`Script::unparsed`].
    Unparsed,
}

/// A parameter expansion.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Parameter {
    /// The name: an identifier, a number, or one of `@*#?-$!`.
    pub name: Box<str>,
    /// `[subscript]`, as a word; `@` and `*` are literals in it.
    pub subscript: Option<Word>,
    /// `${!name}`: the value is the name of another parameter. Also `${!prefix*}`, with [`ParameterOperator::Names`].
    pub indirect: bool,
    /// Whether `:` stands before `-`, `=`, `?` or `+`, so that an empty value counts as none.
    pub colon: bool,
    /// What is done with the value.
    pub operator: ParameterOperator,
}

/// What a parameter expansion does with the value.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum ParameterOperator {
    /// Nothing: `$x`, `${x}`.
    None,
    /// `${#x}`
    Length,
    /// `${x-w}`, `${x:-w}`
    Default(Word),
    /// `${x=w}`, `${x:=w}`
    Assign(Word),
    /// `${x?w}`, `${x:?w}`
    Error(Word),
    /// `${x+w}`, `${x:+w}`
    Alternate(Word),
    /// `${x#w}`, `${x##w}`
    RemovePrefix {
        /// The pattern.
        pattern: Word,
        /// `##`
        longest: bool,
    },
    /// `${x%w}`, `${x%%w}`
    RemoveSuffix {
        /// The pattern.
        pattern: Word,
        /// `%%`
        longest: bool,
    },
    /// `${x/p/r}` and its kin.
    Replace {
        /// The pattern.
        pattern: Word,
        /// The replacement; empty where it is missing.
        replacement: Word,
        /// Which matches are replaced.
        scope: ReplaceScope,
    },
    /// `${x:offset:length}`, as arithmetic text.
    Slice {
        /// The offset.
        offset: Word,
        /// The length, where one is given.
        length: Option<Word>,
    },
    /// `${x^p}`, `${x^^p}`, `${x,p}`, `${x,,p}`.
    Case {
        /// Upper (`^`) instead of lower (`,`).
        upper: bool,
        /// Every match (`^^`, `,,`) instead of the first character.
        all: bool,
        /// The pattern; empty means every character.
        pattern: Word,
    },
    /// `${x@Q}` and its kin: the letter.
    Transform(char),
    /// `${!prefix*}`, `${!prefix@}`, `${!name[@]}`.
    Names,
}

/// Which matches a replacement replaces.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum ReplaceScope {
    /// `/`
    First,
    /// `//`
    All,
    /// `/#`
    Prefix,
    /// `/%`
    Suffix,
}

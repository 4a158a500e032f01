//! One tree for script languages: what a text says, not what it does. Owns the nodes and the entry points of the lowerings;
//! each language has a lowering of its own beside it, and none of them knows what a name means.
//!
//! A lowering is total: every text gives a tree, what could not be placed stands in it as [`ExpressionKind::Opaque`] and in
//! [`Tree::opaque`], every span lies in the source, and the work grows with the length of the text.

mod batch;
mod cursor;
mod powershell;
mod visit;

use std::rc::Rc;

pub use batch::parse as batch;
pub use powershell::parse as powershell;
pub use visit::spans;

use crate::Span;

/// A text as statements.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tree {
    /// What is done, in order.
    pub body: Vec<Statement>,
    /// What could not be placed.
    pub opaque: Vec<Opaque>,
}

/// A stretch that could not be placed.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Opaque {
    /// Where.
    pub span: Span,
    /// Whether a limit was met; otherwise it is no sentence of the language, or its end is missing.
    pub limit: bool,
}

/// One statement.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// What it is.
    pub kind: StatementKind,
    /// Where it is written.
    pub span: Span,
}

/// What a statement is.
#[derive(Clone, Debug, PartialEq)]
pub enum StatementKind {
    /// Something is computed or run; what it gives is printed or returned.
    Expression(Expression),
    /// Places are given a value.
    Assign {
        /// What is bound.
        target: Pattern,
        /// `None` for `=`, else the operator in front of it: `+` for `+=`.
        operator: Option<String>,
        /// The value: a statement, whose output it is.
        value: Box<Statement>,
    },
    /// The first branch whose condition holds is taken; a branch without one is always taken.
    If(Vec<Branch>),
    /// As [`StatementKind::If`], with a subject that the conditions are compared with.
    Switch {
        /// What is compared.
        subject: Expression,
        /// The cases.
        branches: Vec<Branch>,
    },
    /// The body runs for each element.
    Each {
        /// What is bound to the element.
        target: Pattern,
        /// What is walked over.
        over: Expression,
        /// What is done.
        body: Vec<Statement>,
    },
    /// The body runs while a condition holds.
    Loop {
        /// What is done before.
        start: Option<Box<Statement>>,
        /// `None` for a loop without an end.
        condition: Option<Expression>,
        /// What is done after each round.
        step: Option<Box<Statement>>,
        /// What is done.
        body: Vec<Statement>,
        /// Whether the body runs once before the condition is asked.
        first: bool,
    },
    /// What is done, and what else where it fails.
    Try {
        /// What is tried.
        body: Vec<Statement>,
        /// What is done where that fails.
        handlers: Vec<Vec<Statement>>,
        /// What is done at any rate.
        last: Vec<Statement>,
    },
    /// A name is given to a block.
    Function {
        /// The name.
        name: String,
        /// The block.
        block: Rc<Block>,
    },
    /// A class with its methods and the values of its fields.
    Class {
        /// The name.
        name: String,
        /// Methods and assignments.
        body: Vec<Statement>,
    },
    /// Statements that belong together; nothing of their own begins there.
    Group(Vec<Statement>),
    /// The block around is left with a value: `return`, `throw`, `exit`.
    Leave(Option<Box<Statement>>),
    /// A round of a loop is left.
    Skip,
    /// A place that can be gone to.
    Label(String),
    /// What follows a label is done next.
    Goto(Expression),
    /// Not placed.
    Opaque,
}

/// One way of several.
#[derive(Clone, Debug, PartialEq)]
pub struct Branch {
    /// When it is taken.
    pub condition: Option<Expression>,
    /// What is done then.
    pub body: Vec<Statement>,
}

/// What is bound: one place, or several of which one may take the rest.
#[derive(Clone, Debug, PartialEq)]
pub struct Pattern {
    /// Places that take one value each.
    pub before: Vec<Expression>,
    /// The place that takes what is left over.
    pub rest: Option<Box<Expression>>,
    /// Places that take one value each from the end.
    pub after: Vec<Expression>,
}

/// Code that runs when it is called.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Block {
    /// What it takes.
    pub parameters: Vec<Parameter>,
    /// What it does.
    pub body: Vec<Statement>,
    /// Where the body is written.
    pub span: Span,
}

/// What a block takes.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// How it is given.
    pub kind: ParameterKind,
    /// What it is when it is not given.
    pub default: Option<Expression>,
}

/// How a parameter is given.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum ParameterKind {
    /// By its place or its name.
    Positional,
    /// All places that no other parameter takes.
    Rest,
    /// By its name alone.
    Keyword,
    /// All names that no other parameter has.
    KeywordRest,
}

/// One expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    /// What it is.
    pub kind: ExpressionKind,
    /// Where it is written.
    pub span: Span,
}

/// What an expression is.
#[derive(Clone, Debug, PartialEq)]
pub enum ExpressionKind {
    /// A text or a number as it stands for itself.
    Text(String),
    /// A word that stands for the names it matches where a command takes paths, and for itself elsewhere.
    Bare(String),
    /// Texts put together.
    Joined(Vec<Expression>),
    /// What a name holds.
    Variable(String),
    /// A part of something by its name.
    Member {
        /// Of what.
        of: Box<Expression>,
        /// Its name.
        name: Box<Expression>,
    },
    /// A part of something by its place.
    Index {
        /// Of what.
        of: Box<Expression>,
        /// Which.
        at: Box<Expression>,
    },
    /// Something is called with values.
    Call {
        /// What.
        function: Box<Expression>,
        /// With what.
        arguments: Vec<Expression>,
    },
    /// A program or command is run.
    Command(Box<Command>),
    /// Each is given what the one before it prints.
    Pipeline(Vec<Expression>),
    /// The second runs as the first succeeds (`&&`), fails (`||`) or either (`&`).
    Chain {
        /// What is done first.
        left: Box<Expression>,
        /// When the other is done.
        operator: &'static str,
        /// What is done then.
        right: Box<Expression>,
    },
    /// An operator by its name, with one operand or two.
    Operator {
        /// `+`, `join`, `replace`…
        name: String,
        /// One or two.
        operands: Vec<Expression>,
    },
    /// A list.
    List(Vec<Expression>),
    /// Names with values.
    Map(Vec<(Expression, Statement)>),
    /// Code that is no more than a value until it is called.
    Block(Rc<Block>),
    /// What statements give.
    Body(Vec<Statement>),
    /// A type by its name.
    Type(String),
    /// A value made one of a type.
    Convert {
        /// The type.
        to: String,
        /// The value.
        of: Box<Expression>,
    },
    /// Not placed.
    Opaque,
}

/// A command with its words.
#[derive(Clone, Debug, PartialEq)]
pub struct Command {
    /// What is run.
    pub name: Expression,
    /// How it is run.
    pub call: CallKind,
    /// What it is given.
    pub arguments: Vec<Argument>,
    /// Where its streams lead.
    pub redirects: Vec<Redirect>,
}

/// How a command is run.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum CallKind {
    /// By its name.
    Name,
    /// By a value, in a scope of its own: `&`.
    Value,
    /// By a value, where the caller stands: `.`.
    Here,
}

/// A word that a command is given.
#[derive(Clone, Debug, PartialEq)]
pub enum Argument {
    /// A value.
    Value(Expression),
    /// A name, as written with what marks it, and the value that is written on to it.
    Named {
        /// `-Path`.
        name: String,
        /// What stands between the name and its value.
        value: Option<Expression>,
        /// Where the name is written.
        span: Span,
    },
    /// All values or names in one that holds several.
    Spread(Expression),
}

/// A stream that leads to a file or comes from one.
#[derive(Clone, Debug, PartialEq)]
pub struct Redirect {
    /// What it does.
    pub kind: RedirectKind,
    /// The file.
    pub file: Expression,
}

/// What a redirect does.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum RedirectKind {
    /// The file is written anew.
    Write,
    /// Something is added to the file.
    Append,
    /// The file is read.
    Read,
}

impl Expression {
    pub(crate) fn new(kind: ExpressionKind, start: usize, end: usize) -> Self {
        Self { kind, span: Span::new(start, end) }
    }
}

impl Statement {
    pub(crate) fn new(kind: StatementKind, start: usize, end: usize) -> Self {
        Self { kind, span: Span::new(start, end) }
    }
}

impl Pattern {
    /// One place.
    #[must_use]
    pub fn one(place: Expression) -> Self {
        Self { before: vec![place], rest: None, after: Vec::new() }
    }
}

#[cfg(test)]
mod tests;

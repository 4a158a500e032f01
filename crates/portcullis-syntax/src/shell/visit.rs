//! Walks over a tree: every node once, in the order of the text, those inside words, arithmetic, parameter operators
//! and heredocs included. It knows no meaning.

use super::tree::{
    AssignedValue, Assignment, CaseArm, Command, CommandKind, Parameter, ParameterOperator, Part,
    PartKind, Pipeline, Redirect, Script, Statement, Word,
};
use crate::Span;

/// A node of the tree.
#[derive(Clone, Copy, Debug)]
pub enum Node<'t> {
    /// A statement.
    Statement(&'t Statement),
    /// A pipeline.
    Pipeline(&'t Pipeline),
    /// A stage of a pipeline, or the body of a function or coprocess.
    Command(&'t Command),
    /// An arm of a `case`.
    Arm(&'t CaseArm),
    /// An assignment.
    Assignment(&'t Assignment),
    /// A redirection.
    Redirect(&'t Redirect),
    /// A word.
    Word(&'t Word),
    /// A part of a word.
    Part(&'t Part),
}

impl Node<'_> {
    /// Where it stands in the source.
    #[must_use]
    pub fn span(&self) -> Span {
        match self {
            Self::Statement(node) => node.span,
            Self::Pipeline(node) => node.span,
            Self::Command(node) => node.span,
            Self::Arm(node) => node.span,
            Self::Assignment(node) => node.span,
            Self::Redirect(node) => node.span,
            Self::Word(node) => node.span,
            Self::Part(node) => node.span,
        }
    }
}

/// What a walk calls; [`walk`] begins one.
pub trait Visitor<'t> {
    /// Called before the nodes inside.
    fn enter(&mut self, node: Node<'t>);

    /// Called after the nodes inside, with the same node.
    fn leave(&mut self, _node: Node<'t>) {}
}

/// Walks over statements and everything inside them.
pub fn walk<'t>(statements: &'t [Statement], visitor: &mut impl Visitor<'t>) {
    shared::statements(statements, visitor);
}

/// Every command that could run, an outer one before those inside it.
#[must_use]
pub fn commands(script: &Script) -> Vec<&Command> {
    struct Commands<'t>(Vec<&'t Command>);
    impl<'t> Visitor<'t> for Commands<'t> {
        fn enter(&mut self, node: Node<'t>) {
            if let Node::Command(command) = node {
                self.0.push(command);
            }
        }
    }
    let mut commands = Commands(Vec::new());
    walk(&script.body, &mut commands);
    commands.0
}

/// Every word, an outer one before those inside it.
#[must_use]
pub fn words(script: &Script) -> Vec<&Word> {
    struct Words<'t>(Vec<&'t Word>);
    impl<'t> Visitor<'t> for Words<'t> {
        fn enter(&mut self, node: Node<'t>) {
            if let Node::Word(word) = node {
                self.0.push(word);
            }
        }
    }
    let mut words = Words(Vec::new());
    walk(&script.body, &mut words);
    words.0
}

/// The heredoc bodies that were read after their lines, on their way to where they belong.
pub(super) struct Heredocs(Vec<Option<Word>>);

impl Heredocs {
    /// Puts each body into its redirection.
    pub(super) fn place(bodies: Vec<Option<Word>>, statements: &mut [Statement]) {
        exclusive::statements(statements, &mut Self(bodies));
    }

    fn redirect(&mut self, redirect: &mut Redirect) {
        if let Some(body) = &mut redirect.heredoc {
            let index = body.span.start as usize;
            *body = self.0.get_mut(index).and_then(Option::take).unwrap_or_default();
        }
    }
}

macro_rules! call_visitor {
    ($visitor:ident, $call:ident, $kind:ident, $node:ident) => {
        $visitor.$call(Node::$kind($node))
    };
}

macro_rules! call_heredocs {
    ($visitor:ident, enter, Redirect, $node:ident) => {
        $visitor.redirect($node)
    };
    ($visitor:ident, $call:ident, $kind:ident, $node:ident) => {};
}

/// One walk, written once for shared and once for exclusive references.
macro_rules! walks {
    ($module:ident, $call:ident, ($($visitor:tt)+), $($lifetime:lifetime)?, $($exclusive:ident)?) => {
        mod $module {
            use super::*;

            pub(super) fn statements$(<$lifetime>)?(list: &$($lifetime)? $($exclusive)? [Statement], visitor: &mut $($visitor)+) {
                for statement in list {
                    $call!(visitor, enter, Statement, statement);
                    pipeline(&$($exclusive)? statement.first, visitor);
                    for (_, next) in &$($exclusive)? statement.rest {
                        pipeline(next, visitor);
                    }
                    $call!(visitor, leave, Statement, statement);
                }
            }

            fn pipeline$(<$lifetime>)?(node: &$($lifetime)? $($exclusive)? Pipeline, visitor: &mut $($visitor)+) {
                $call!(visitor, enter, Pipeline, node);
                for stage in &$($exclusive)? node.stages {
                    command(stage, visitor);
                }
                $call!(visitor, leave, Pipeline, node);
            }

            fn command$(<$lifetime>)?(node: &$($lifetime)? $($exclusive)? Command, visitor: &mut $($visitor)+) {
                $call!(visitor, enter, Command, node);
                match &$($exclusive)? node.kind {
                    CommandKind::Simple { assignments, words } => {
                        for assigned in assignments {
                            assignment(assigned, visitor);
                        }
                        all_words(words, visitor);
                    }
                    CommandKind::Subshell(body) | CommandKind::Group(body) => statements(body, visitor),
                    CommandKind::If { branches, otherwise } => {
                        for (condition, body) in branches {
                            statements(condition, visitor);
                            statements(body, visitor);
                        }
                        statements(otherwise, visitor);
                    }
                    CommandKind::While { until: _, condition, body } => {
                        statements(condition, visitor);
                        statements(body, visitor);
                    }
                    CommandKind::For { variable, words, body, select: _ } => {
                        word(variable, visitor);
                        if let Some(words) = words {
                            all_words(words, visitor);
                        }
                        statements(body, visitor);
                    }
                    CommandKind::ArithmeticFor { header, body } => {
                        word(header, visitor);
                        statements(body, visitor);
                    }
                    CommandKind::Case { subject, arms } => {
                        word(subject, visitor);
                        for each in arms {
                            arm(each, visitor);
                        }
                    }
                    CommandKind::Function { name, body } => {
                        word(name, visitor);
                        command(body, visitor);
                    }
                    CommandKind::Conditional(words) => all_words(words, visitor),
                    CommandKind::Arithmetic(inside) => word(inside, visitor),
                    CommandKind::Coprocess { name, body } => {
                        if let Some(name) = name {
                            word(name, visitor);
                        }
                        command(body, visitor);
                    }
                    CommandKind::Unparsed => {}
                }
                for each in &$($exclusive)? node.redirects {
                    redirect(each, visitor);
                }
                $call!(visitor, leave, Command, node);
            }

            fn arm$(<$lifetime>)?(node: &$($lifetime)? $($exclusive)? CaseArm, visitor: &mut $($visitor)+) {
                $call!(visitor, enter, Arm, node);
                all_words(&$($exclusive)? node.patterns, visitor);
                statements(&$($exclusive)? node.body, visitor);
                $call!(visitor, leave, Arm, node);
            }

            fn assignment$(<$lifetime>)?(node: &$($lifetime)? $($exclusive)? Assignment, visitor: &mut $($visitor)+) {
                $call!(visitor, enter, Assignment, node);
                if let Some(subscript) = &$($exclusive)? node.subscript {
                    word(subscript, visitor);
                }
                match &$($exclusive)? node.value {
                    AssignedValue::Word(value) => word(value, visitor),
                    AssignedValue::Array(elements) => {
                        for (key, value) in elements {
                            if let Some(key) = key {
                                word(key, visitor);
                            }
                            word(value, visitor);
                        }
                    }
                }
                $call!(visitor, leave, Assignment, node);
            }

            fn redirect$(<$lifetime>)?(node: &$($lifetime)? $($exclusive)? Redirect, visitor: &mut $($visitor)+) {
                $call!(visitor, enter, Redirect, node);
                word(&$($exclusive)? node.target, visitor);
                if let Some(body) = &$($exclusive)? node.heredoc {
                    word(body, visitor);
                }
                $call!(visitor, leave, Redirect, node);
            }

            fn all_words$(<$lifetime>)?(words: &$($lifetime)? $($exclusive)? [Word], visitor: &mut $($visitor)+) {
                for each in words {
                    word(each, visitor);
                }
            }

            fn word$(<$lifetime>)?(node: &$($lifetime)? $($exclusive)? Word, visitor: &mut $($visitor)+) {
                $call!(visitor, enter, Word, node);
                parts(&$($exclusive)? node.parts, visitor);
                $call!(visitor, leave, Word, node);
            }

            fn parts$(<$lifetime>)?(list: &$($lifetime)? $($exclusive)? [Part], visitor: &mut $($visitor)+) {
                for part in list {
                    $call!(visitor, enter, Part, part);
                    match &$($exclusive)? part.kind {
                        PartKind::Literal(_)
                        | PartKind::Quoted(_)
                        | PartKind::Glob(_)
                        | PartKind::Tilde(_)
                        | PartKind::BraceRange { .. }
                        | PartKind::Unparsed => {}
                        PartKind::DoubleQuoted(inside) | PartKind::Arithmetic(inside) => parts(inside, visitor),
                        PartKind::Parameter(inside) => parameter(inside, visitor),
                        PartKind::CommandSubstitution { body }
                        | PartKind::ProcessSubstitution { output: _, body } => statements(body, visitor),
                        PartKind::Brace(alternatives)
                        | PartKind::ExtendedGlob { operator: _, alternatives } => {
                            for alternative in alternatives {
                                parts(alternative, visitor);
                            }
                        }
                    }
                    $call!(visitor, leave, Part, part);
                }
            }

            fn parameter$(<$lifetime>)?(node: &$($lifetime)? $($exclusive)? Parameter, visitor: &mut $($visitor)+) {
                if let Some(subscript) = &$($exclusive)? node.subscript {
                    word(subscript, visitor);
                }
                match &$($exclusive)? node.operator {
                    ParameterOperator::None
                    | ParameterOperator::Length
                    | ParameterOperator::Transform(_)
                    | ParameterOperator::Names => {}
                    ParameterOperator::Default(operand)
                    | ParameterOperator::Assign(operand)
                    | ParameterOperator::Error(operand)
                    | ParameterOperator::Alternate(operand)
                    | ParameterOperator::RemovePrefix { pattern: operand, longest: _ }
                    | ParameterOperator::RemoveSuffix { pattern: operand, longest: _ }
                    | ParameterOperator::Case { upper: _, all: _, pattern: operand } => word(operand, visitor),
                    ParameterOperator::Replace { pattern, replacement, scope: _ } => {
                        word(pattern, visitor);
                        word(replacement, visitor);
                    }
                    ParameterOperator::Slice { offset, length } => {
                        word(offset, visitor);
                        if let Some(length) = length {
                            word(length, visitor);
                        }
                    }
                }
            }
        }
    };
}

walks!(shared, call_visitor, (impl Visitor<'t>), 't,);
walks!(exclusive, call_heredocs, (Heredocs), , mut);

//! What a shell script would do. Owns the walk over the tree: variables, files and streams are followed as far as they
//! are known, wrappers are unwrapped, and every program is handed to its row in `programs`.

use portcullis_syntax::Span;

use crate::{
    effect::{Argument, EffectId, EffectKind, GapReason, PermissionChange, WriteMode},
    facts::Facts,
    programs::Options,
    text::Text,
};

/// One program that is about to be run, with everything that is known of it.
#[derive(Clone, Debug)]
pub struct Invocation {
    /// Its name without a directory.
    pub program: String,
    /// The name as written and expanded.
    pub name: Argument,
    /// Its arguments, expanded.
    pub arguments: Vec<Argument>,
    /// What arrives on its standard input; `None` where that is the terminal.
    pub input: Option<Text>,
    /// Variables given to this program alone (`NAME=value program`).
    pub environment: Vec<(String, Text)>,
    /// Options that take a value, from the program's row.
    pub values: &'static [&'static str],
    /// From the name to the last argument.
    pub span: Span,
}

impl Invocation {
    /// The arguments read as options and operands.
    #[must_use]
    pub fn options(&self) -> Options<'_> {
        Options::new(&self.arguments, self.values)
    }
}

/// The walk over a script: what is known so far and the effects found so far. Rows in `programs` speak to it.
pub struct Walk<'a> {
    facts: &'a Facts,
}

impl Walk<'_> {
    /// What is known of the world.
    #[must_use]
    pub fn facts(&self) -> &Facts {
        self.facts
    }

    /// The program reads a file; gives what is in it, as far as it is known (a file written by this same call is).
    pub fn read(&mut self, file: &Argument) -> Text {
        let _ = file;
        Text::default()
    }

    /// The program writes a file.
    pub fn write(&mut self, file: &Argument, mode: WriteMode, content: Text) {
        let _ = (file, mode, content);
    }

    /// The program deletes a file or directory.
    pub fn delete(&mut self, file: &Argument, recursive: bool) {
        let _ = (file, recursive);
    }

    /// The program changes who may do what with a file.
    pub fn permission(&mut self, file: &Argument, recursive: bool, change: PermissionChange) {
        let _ = (file, recursive, change);
    }

    /// The program talks to `address` and sends it `sends`; gives what comes back.
    pub fn connect(&mut self, address: &Argument, sends: Option<Text>, listens: bool) -> Text {
        let _ = (address, sends, listens);
        Text::default()
    }

    /// What follows runs with the rights of `user`.
    pub fn privilege(&mut self, user: Text, span: Span) {
        let _ = (user, span);
    }

    /// The program runs another program: name and arguments; gives what that one prints.
    pub fn run(&mut self, words: &[Argument], input: Option<Text>) -> Text {
        let _ = (words, input);
        Text::default()
    }

    /// The program runs `code` as shell code with `arguments` as `$0`, `$1`…; gives what it prints.
    pub fn shell(
        &mut self,
        code: &Text,
        span: Span,
        arguments: &[Argument],
        input: Option<Text>,
    ) -> Text {
        let _ = (code, span, arguments, input);
        Text::default()
    }

    /// The program runs `code` as code in `language` (`python`, `perl`, `javascript`, `awk`…) with `arguments`.
    pub fn code(
        &mut self,
        language: &'static str,
        code: &Text,
        span: Span,
        arguments: &[Argument],
    ) -> Text {
        let _ = (language, code, span, arguments);
        Text::default()
    }

    /// The program runs the file as a script in `language`; `shell` where the file's own first line or name says otherwise
    /// it is obeyed.
    pub fn script(
        &mut self,
        language: &'static str,
        file: &Argument,
        arguments: &[Argument],
        input: Option<Text>,
    ) -> Text {
        let _ = (language, file, arguments, input);
        Text::default()
    }

    /// Sends a statement to a database.
    pub fn query(&mut self, statement: &Text, span: Span) {
        let _ = (statement, span);
    }

    /// A rule's id for something that no other effect says.
    pub fn note(&mut self, rule: &'static str, span: Span) {
        self.emit(EffectKind::Noted(rule), span);
    }

    /// Something here was not understood.
    pub fn gap(&mut self, span: Span, reason: GapReason) {
        let _ = (span, reason);
    }

    /// Any other effect.
    pub fn emit(&mut self, kind: EffectKind, span: Span) -> EffectId {
        let _ = (kind, span);
        EffectId(0)
    }
}

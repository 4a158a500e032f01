//! Functions and aliases that are called. Owns how deep functions are followed that call themselves, and what stands for a name that may
//! be several.

use portcullis_syntax::Span;

use super::{control::Leave, walk::Walk};
use crate::{
    bound::Bounded,
    effect::{Argument, Certainty, GapReason},
    programs::host::Host,
    text::Text,
};

impl Walk<'_> {
    /// What an alias, or bash's table of remembered commands, puts in the place of a name.
    pub(super) fn alias_of(&self, name: &str) -> Option<Text> {
        let stands_for = self.state.alias(name)?;
        (!self.calls.is_in_alias(name)).then(|| stands_for.clone())
    }

    pub(super) fn aliased(
        &mut self,
        name: &str,
        stands_for: &Text,
        arguments: &[Argument],
        input: Option<Text>,
        span: Span,
    ) -> Text {
        let mut code = stands_for.clone();
        code.push_known(" \"$@\"");
        let mut given = vec![Argument { text: Text::known("bash"), span }];
        given.extend_from_slice(arguments);
        self.calls.enter_alias(name);
        let positional = given.into_iter().map(|argument| argument.text).collect();
        let printed = self.shell_code(&code, span, Some(positional), input);
        self.calls.leave_alias();
        printed
    }

    /// Whether a function was defined in another shell than the one that is being read, and is not surely passed on.
    pub(super) fn is_elsewhere(&self, function: &super::state::Function) -> bool {
        function.shell != self.builtins.shells.current() && !function.exported
    }

    /// A name that may stand for several functions, or for none.
    pub(super) fn call_one_of(
        &mut self,
        called: &str,
        ways: &[super::state::Function],
        name: Argument,
        arguments: Vec<Argument>,
        input: Option<Text>,
        environment: Vec<(String, Text)>,
    ) -> Text {
        let outer = self.recorder.certainty;
        self.recorder.certainty = outer.min(Certainty::Likely);
        let mut printed = Text::unknown(called);
        for function in ways {
            let more = self.call(called, function, &name, arguments.clone(), input.clone());
            printed.inherit(&more);
        }
        // A shell that is started as a program gets the functions that are exported, and runs the program otherwise.
        if ways.iter().any(|function| function.doubtful || self.is_elsewhere(function)) {
            let mut words = vec![name];
            words.extend(arguments);
            self.running.expect_program(true);
            let more = self.run_words(words, input, environment);
            printed.inherit(&more);
        }
        self.recorder.certainty = outer;
        self.control.succeeded = None;
        printed
    }

    pub(super) fn call(
        &mut self,
        called: &str,
        function: &super::state::Function,
        name: &Argument,
        arguments: Vec<Argument>,
        input: Option<Text>,
    ) -> Text {
        let deep = self.calls.of_function(called);
        let outside = self.state.positional();
        let given: Vec<Text> = arguments.into_iter().map(|argument| argument.text).collect();
        let again = self.calls.have(&given);
        if deep > 0 && self.control.concurrent && again {
            self.note("system.process.fork-bomb", name.span);
            return Text::unknown(called);
        }
        let deepest = match self.recorder.certainty {
            Certainty::Certain => RECURSION,
            Certainty::Defined | Certainty::Possible => 0,
            _ => DOUBTED,
        };
        // Past the last call that is followed one more stands for all the others.
        if deep == deepest
            && let Some(entered) = self.calls.entered()
        {
            self.state.doubt(entered);
        }
        if deep > deepest
            && deepest > 0
            && !again
            && given.iter().all(|given| given.as_known().is_some())
        {
            // Something else each time: what it comes to is not seen.
            self.gap(name.span, GapReason::Limit);
        }
        if deep > deepest || !self.enter_level(name.span) {
            self.control.succeeded = None;
            return Text::unknown(called);
        }
        let entered = self.state.mark();
        let around = self.control.enclose(Leave::Function, self.builtins.shells.current());
        let mut positional: Vec<Text> = outside.iter().leading(1).cloned().collect();
        if positional.is_empty() {
            positional.push(Text::known("bash"));
        }
        positional.extend(given.iter().cloned());
        self.calls.enter_function(called, entered, given);
        self.state.set_positional(positional);
        let outer_input = std::mem::replace(&mut self.input, input);
        let layer = std::mem::replace(&mut self.recorder.layer, function.layer);
        let printed = if deep == deepest {
            self.perhaps(|walk| walk.command(&function.body))
        } else {
            self.command(&function.body)
        };
        self.recorder.layer = layer;
        self.input = outer_input;
        for (name, values) in self.calls.leave_function() {
            self.state.restore(&name, values);
        }
        self.state.set_positional(outside.to_vec());
        self.control.release(around, Leave::Function);
        self.leave_level();
        printed
    }
}

/// How deep a function that surely calls itself is followed.
const RECURSION: usize = 11;

/// How deep one is followed that may call itself.
const DOUBTED: usize = 4;

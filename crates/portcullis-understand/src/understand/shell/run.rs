//! Simple commands: which program would run, with what. Owns assignments before commands, the search for functions,
//! builtins, scripts and table rows, and the `Run` effect; what a program then does is its row's own.

use portcullis_syntax::{
    Span,
    shell::{Assignment, PartKind, Redirect, Word},
};

use super::{WORK_OF_COMMAND, control::Leave, state::Value, walk::Walk, words::Choice};
use crate::{
    effect::{Argument, Certainty},
    text::{Piece, Taint, Text},
};

impl Walk<'_> {
    pub(super) fn simple(
        &mut self,
        assignments: &[Assignment],
        words: &[Word],
        redirects: &[Redirect],
        span: Span,
    ) -> Text {
        if self.is_no_question() {
            // A file may call itself in many ways; a command costs more time than what is counted of its words.
            self.charge(WORK_OF_COMMAND);
        }
        if words.is_empty() {
            self.control.succeeded = Some(true);
            for assignment in assignments {
                self.assign(assignment);
                if self.state.is_kept(&assignment.name) {
                    self.control.succeeded = None;
                    self.control.may_leave = Some(Leave::Shell);
                }
            }
            let wiring = self.wiring(redirects);
            self.doubt_opening(&wiring);
            // `$(<file)` gives what is in the file.
            let printed = match &wiring.input {
                super::streams::Channel::Text(text) if assignments.is_empty() => text.clone(),
                _ => Text::default(),
            };
            return self.deliver(wiring, printed);
        }
        let outer = std::mem::replace(&mut self.choice, Choice::round(0));
        let mut printed = Text::default();
        let mut round = 0;
        let first = self.recorder.effects.list.len();
        loop {
            let more = self.expanded(assignments, words, redirects, span);
            printed.append(&more);
            round += 1;
            if round >= self.choice.ways() {
                break;
            }
            self.choice = Choice::round(round);
        }
        if round > 1 {
            // Each of the ways is one of several.
            for effect in self.recorder.effects.list.get_mut(first..).unwrap_or_default() {
                effect.certainty = effect.certainty.min(Certainty::Likely);
            }
            self.control.succeeded = None;
        }
        self.choice = outer;
        printed
    }

    fn expanded(
        &mut self,
        assignments: &[Assignment],
        words: &[Word],
        redirects: &[Redirect],
        span: Span,
    ) -> Text {
        let may_leave = self.control.may_leave;
        let mut arguments = self.arguments(words);
        self.name_options(&mut arguments);
        // A variable that has to be set, and may not be, ends the script before the command runs.
        let is_doubtful = self.control.may_leave > may_leave;
        if let (Some(word), Some(name)) = (words.first(), arguments.first_mut())
            && self.is_escaped(word)
        {
            name.text.taint = name.text.taint.with(Taint::DECODED);
        }
        let mut environment = Vec::with_capacity(assignments.len());
        let mut before = Vec::with_capacity(assignments.len());
        for assignment in assignments {
            let name = assignment.name.as_ref();
            before.push((name, self.state.variable(name).map(<[Value]>::to_vec)));
            let value = self.assign(assignment);
            self.state.export(&assignment.name);
            environment.push((assignment.name.to_string(), value));
        }
        if environment.is_empty() && is_exec(&arguments) {
            let wiring = self.wiring(redirects);
            self.keep(wiring);
            return Text::default();
        }
        let stays = !before.is_empty() && is_special(&arguments);
        let wiring = self.wiring(redirects);
        let input = self.input_of(&wiring);
        let outer = std::mem::replace(&mut self.input, input.clone());
        let printed = if arguments.is_empty() {
            Text::default()
        } else {
            let prints_to = self.redirected(&wiring);
            self.declare_arrays(words);
            let open = self.open_with(&wiring);
            let printed = if wiring.may_fail {
                self.perhaps_leaves(|walk| walk.run_words(arguments, input, environment))
            } else if is_doubtful {
                self.at_likely(|walk| walk.run_words(arguments, input, environment))
            } else {
                self.run_words(arguments, input, environment)
            };
            self.close_to(open);
            self.builtins.declared.clear();
            self.streams.prints_to = prints_to;
            if !redirects.is_empty() {
                self.keep_named(redirects, &wiring);
                self.written_by_program(&wiring);
                self.leave_in(&wiring);
            }
            printed
        };
        self.doubt_opening(&wiring);
        // `read` takes from the input around it when it has none of its own.
        if !matches!(wiring.input, super::streams::Channel::Inherited) {
            self.input = outer;
        }
        // `X=new program $X` is given the old value, whoever wrote it meant the new one.
        let names = |assignment: &Assignment| {
            let name = assignment.name.as_ref();
            words.iter().any(|word| mentions(word, name))
        };
        if assignments.iter().any(names) {
            let meant = self.arguments(words);
            self.at_likely(|walk| walk.run_words(meant, None, Vec::new()));
        }
        // What the command itself assigned stays. Before the builtins that POSIX calls special it may stay in the shell.
        for (name, values) in before.into_iter().rev() {
            if stays {
                let mut both = self.state.variable(name).unwrap_or_default().to_vec();
                both.extend(values.unwrap_or_else(|| vec![Value::Unset]));
                self.state.assign(name, both);
            } else {
                self.state.restore(name, values);
            }
        }
        let _ = span;
        self.deliver(wiring, printed)
    }

    /// Whether letters of a word are written as numbers: `$'\x72m'`.
    fn is_escaped(&self, word: &Word) -> bool {
        let quotes =
            |part: &portcullis_syntax::shell::Part| matches!(part.kind, PartKind::Quoted(_));
        if !word.parts.iter().any(quotes) {
            return false;
        }
        let text = self.recorder.effects.layer_text(self.recorder.layer);
        let written = text.get(word.span.range()).unwrap_or("");
        written.split_once("$'").is_some_and(|(_, quoted)| {
            quoted.match_indices('\\').any(|(at, _)| {
                quoted.get(at + 1..).is_some_and(|rest| {
                    rest.starts_with(['x', 'u', 'U', '0', '1', '2', '3', '4', '5', '6', '7'])
                })
            })
        })
    }

    /// A pattern stands for every name that it matches, and a name that begins with `-` is an option to the program: files that this call
    /// made and named so are told by their names.
    fn name_options(&self, arguments: &mut Vec<Argument>) {
        let mut files = self.state.files().peekable();
        if files.peek().is_none() {
            return;
        }
        let Some(directory) = self.directory().map(str::to_owned) else { return };
        let names: Vec<&str> = files
            .filter_map(|file| file.strip_prefix(&directory)?.strip_prefix('/'))
            .filter(|name| name.starts_with('-') && !name.contains('/'))
            .collect();
        if names.is_empty() {
            return;
        }
        let mut named = Vec::with_capacity(arguments.len());
        for argument in arguments.drain(..) {
            if let [Piece::Glob(glob), ..] = argument.text.pieces.as_slice()
                && argument.text.pieces.iter().all(|piece| !matches!(piece, Piece::Unknown(_)))
            {
                let matching = names.iter().filter(|name| {
                    glob == "*" || crate::pattern::matches(&argument.text.display(), name)
                });
                named.extend(
                    matching.map(|name| Argument { text: Text::known(*name), span: argument.span }),
                );
            }
            named.push(argument);
        }
        *arguments = named;
    }
}

/// Whether a word uses a variable.
pub(super) fn mentions(word: &Word, name: &str) -> bool {
    word.parts.iter().any(|part| match &part.kind {
        PartKind::Parameter(parameter) => &*parameter.name == name,
        PartKind::DoubleQuoted(parts) => parts.iter().any(
            |part| matches!(&part.kind, PartKind::Parameter(parameter) if &*parameter.name == name),
        ),
        _ => false,
    })
}

/// Whether a command is `exec` without one to run: `exec 3>…`, `exec -c 3>…`, `exec -a NAME 3>…`.
fn is_exec(arguments: &[Argument]) -> bool {
    let known = |word: &Argument| word.text.as_known().map(str::to_owned);
    let Some((name, mut options)) = arguments.split_first() else { return false };
    if name.text.as_known() != Some("exec") {
        return false;
    }
    while let Some((first, rest)) = options.split_first() {
        options = match known(first).as_deref() {
            Some("-a" | "-ca" | "-la" | "-cla" | "-lca") => rest.get(1..).unwrap_or_default(),
            Some("-c" | "-l" | "-cl" | "-lc" | "--") => rest,
            _ => return false,
        };
    }
    true
}

/// Whether assignments before a command stay behind it where the shell keeps to POSIX.
fn is_special(arguments: &[Argument]) -> bool {
    let name = arguments.first().and_then(|name| name.text.as_known());
    name.is_some_and(|name| SPECIAL.binary_search(&name).is_ok())
}

/// The builtins that POSIX calls special, sorted.
const SPECIAL: &[&str] = &[
    ".", ":", "break", "continue", "eval", "exec", "exit", "export", "readonly", "return", "set",
    "shift", "source", "times", "trap", "unset",
];

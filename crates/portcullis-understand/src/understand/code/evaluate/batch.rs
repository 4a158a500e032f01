//! What commands of batch do: those that cmd.exe has in itself. Owns their switches; all others are programs.

use std::rc::Rc;

use portcullis_syntax::{
    Span,
    tree::{Command, Expression, ExpressionKind, Statement, StatementKind},
};

use super::{
    Evaluator,
    calls::Given,
    powershell::paths,
    value::{Value, join},
};
use crate::{
    effect::{Argument, Certainty, GapReason, WriteMode},
    programs::host::Host,
    text::{Piece, Taint, Text},
};

/// How many commands may stand around another that they run.
const AROUND: usize = 32;

impl Evaluator<'_, '_> {
    /// Statements, and the sections behind them that they run into.
    pub(super) fn sections(&mut self, body: &[Statement]) -> Vec<Value> {
        let mut values = Vec::new();
        for statement in body {
            if self.left {
                break;
            }
            match &statement.kind {
                StatementKind::Function { name, .. } => {
                    self.section(name, Vec::new(), statement.span, true);
                }
                _ => values.extend(self.body(std::slice::from_ref(statement))),
            }
        }
        self.left = false;
        values
    }

    /// A section by its label; `here` says that what it is given stays.
    fn section(&mut self, name: &str, given: Vec<Given>, span: Span, here: bool) {
        let Some(at) = self.functions.iter().position(|held| held.name == name) else {
            self.walk.gap(span, GapReason::UnknownCode);
            return;
        };
        let Some(function) = self.functions.get_mut(at) else { return };
        function.called = true;
        if function.inside > 0 && here {
            // It goes back to where it came from.
            return;
        }
        let closure = function.closure.clone();
        let is_endless = goes_to(&closure.block.body, name);
        self.endless += usize::from(is_endless);
        if here {
            if let Some(function) = self.functions.get_mut(at) {
                function.inside += 1;
            }
            drop(self.within(&closure, Self::body));
            if let Some(function) = self.functions.get_mut(at) {
                function.inside -= 1;
            }
        } else {
            let mut all = vec![Given { name: None, value: Some(Value::known(name)), span }];
            all.extend(given);
            drop(self.call_function(at, all, None, span));
            self.left = false;
        }
        self.endless -= usize::from(is_endless);
    }

    pub(super) fn go(&mut self, label: &Expression) {
        let span = label.span;
        match &label.kind {
            ExpressionKind::Text(name) => {
                let name = name.clone();
                self.section(&name, Vec::new(), span, true);
            }
            _ => self.walk.gap(span, GapReason::UnknownCode),
        }
        self.left = true;
    }

    pub(super) fn batch_command(
        &mut self,
        command: &Command,
        name: &Value,
        given: Vec<Given>,
        input: Option<Value>,
        span: Span,
    ) -> Value {
        if let Value::Block(closure) = name {
            let closure = Rc::clone(closure);
            let values = self.within(&closure, Self::body);
            return Value::of(values.into_iter().flat_map(|value| value.elements()).collect());
        }
        if matches!(&command.name.kind, ExpressionKind::Variable(own) if own == "0")
            && (self.endless > 0 || input.is_some())
        {
            self.walk.note("code.fork.loop", span);
        }
        let text = self.text(name);
        let Some(known) = text.as_known().map(str::to_owned) else {
            return self.run_program(&text, &given, input, command.name.span);
        };
        // A variable may hold more than a name.
        if matches!(
            command.name.kind,
            ExpressionKind::Variable(_)
                | ExpressionKind::Joined(_)
                | ExpressionKind::Operator { .. }
        ) && known.trim().contains([' ', '&', '|', '^'])
            && !known.split_whitespace().next().unwrap_or("").contains(['\\', '/', ':'])
        {
            let mut line = text.clone();
            for one in &given {
                line.push_known(" ");
                line.append(&one.value.as_ref().map(|value| self.text(value)).unwrap_or_default());
            }
            return self.inner(&line, command.name.span);
        }
        self.internal(&text, &known, given, input, command.name.span)
    }

    /// A command that another one may run in its turn: `start call x`.
    fn internal(
        &mut self,
        text: &Text,
        known: &str,
        given: Vec<Given>,
        input: Option<Value>,
        span: Span,
    ) -> Value {
        if self.around >= AROUND {
            self.walk.gap(span, GapReason::Limit);
            return Value::Nothing;
        }
        self.around += 1;
        let value = self.internal_command(text, known, given, input, span);
        self.around -= 1;
        value
    }

    fn internal_command(
        &mut self,
        text: &Text,
        known: &str,
        given: Vec<Given>,
        input: Option<Value>,
        span: Span,
    ) -> Value {
        let lower = known.trim_start_matches('@').to_ascii_lowercase();
        let cut = lower.find(['/', '.', ':', '\\', '=', ',', ';']).unwrap_or(lower.len());
        let (mut name, glued) = lower.split_at_checked(cut).unwrap_or((&lower, ""));
        let mut switches = String::new();
        if INTERNAL.binary_search(&name).is_err() {
            name = &lower;
        } else if glued.starts_with('/') {
            switches.push_str(glued);
        } else if !glued.is_empty() && !matches!(name, "echo" | "cd" | "chdir" | "rem") {
            name = &lower;
        }
        let mut operands: Vec<(Text, Span)> = Vec::new();
        let mut words: Vec<(Text, Span)> = Vec::new();
        for one in &given {
            let word = one.value.as_ref().map(|value| self.text(value)).unwrap_or_default();
            // A path that a variable holds may begin as a switch does.
            let written = one.span.of(&self.source);
            let is_switch = is_switch(name, word.known_prefix())
                && (written.is_empty() || written.starts_with('/'));
            if is_switch {
                switches.push_str(&word.display().to_ascii_lowercase());
            } else {
                operands.push((word.clone(), one.span));
            }
            words.push((word, one.span));
        }
        let has =
            |switch: &str| switches.split('/').any(|held| held.split(':').next() == Some(switch));
        let line = || join(words.iter().map(|it| it.0.clone()), " ");
        let asks = glued == "/?" || words.iter().any(|it| it.0.as_known() == Some("/?"));
        if asks && shows_help(name) {
            return Value::unknown("how it is used");
        }
        match name {
            "echo" => {
                if words.is_empty() && !glued.is_empty() {
                    return Value::known(glued.get(1..).unwrap_or(""));
                }
                let line = line();
                match line.as_known() {
                    Some(word)
                        if word.eq_ignore_ascii_case("on") || word.eq_ignore_ascii_case("off") =>
                    {
                        Value::Nothing
                    }
                    _ => Value::Text(line),
                }
            }
            "del" | "erase" | "rd" | "rmdir" | "md" | "mkdir" => {
                self.changed(name, operands, has("s"));
                Value::Nothing
            }
            "type" | "findstr" | "more" => self.shown(name, operands, input),
            "copy" | "xcopy" | "move" | "ren" | "rename" | "robocopy" | "replace" => {
                self.copied(name, &operands, &switches, span);
                Value::Nothing
            }
            "cd" | "chdir" | "pushd" => {
                self.gone_to(&operands, glued);
                Value::Nothing
            }
            "dir" => Value::Text(listed(&operands, has("s"))),
            "mklink" => {
                if let [(link, at), (target, _)] = operands.as_slice() {
                    let file = Argument { text: paths::slashed(link), span: *at };
                    self.walk.write(&file, WriteMode::Link, paths::slashed(target));
                }
                Value::Nothing
            }
            "call" => self.call_of(given, input, span),
            "start" => self.started(given, span),
            "set" => {
                let mut shown = Text::unknown("the environment");
                if words.is_empty() {
                    shown.taint = shown.taint.with(Taint::SECRET);
                }
                Value::Text(shown)
            }
            "setx" => {
                self.set_for_good(&operands, has("m"), span);
                Value::Nothing
            }
            "assoc" | "ftype" => {
                if line().display().contains('=') {
                    self.walk.note("windows.persistence.task", span);
                }
                Value::Nothing
            }
            "break" | "cls" | "color" | "date" | "endlocal" | "path" | "pause" | "popd"
            | "prompt" | "setlocal" | "shift" | "time" | "timeout" | "title" | "ver" | "verify"
            | "vol" => Value::Nothing,
            _ => self.external(text, &lower, words, &given, input, span),
        }
    }

    /// `del`, `rd`, `md`: files and directories that are deleted or made.
    fn changed(&mut self, name: &str, operands: Vec<(Text, Span)>, has_below: bool) {
        if matches!(name, "md" | "mkdir") {
            for (path, at) in operands {
                let file = Argument { text: paths::slashed(&path), span: at };
                self.walk.write(&file, WriteMode::Create, Text::default());
            }
            return;
        }
        // `del` of a directory deletes the files in it, `/s` those below as well.
        for (path, at) in operands {
            let file = Argument { text: paths::slashed(&path), span: at };
            let below = matches!(file.text.pieces.last(), Some(Piece::Glob(glob)) if glob.starts_with("**"));
            self.walk.delete(&file, has_below || below);
        }
    }

    /// `type` shows files, `findstr` and `more` a part of them.
    fn shown(&mut self, name: &str, operands: Vec<(Text, Span)>, input: Option<Value>) -> Value {
        if name == "type" {
            let mut all = Text::default();
            for (path, at) in operands {
                let file = Argument { text: paths::slashed(&path), span: at };
                all.append(&self.walk.read(&file));
            }
            return Value::Text(all);
        }
        let mut all = input.map(|input| self.text(&input)).unwrap_or_default();
        let patterns = usize::from(name == "findstr");
        for (path, at) in operands.into_iter().skip(patterns) {
            let file = Argument { text: paths::slashed(&path), span: at };
            all.inherit(&self.walk.read(&file));
        }
        Value::Text(super::value::unknown_of(&all, "what was found"))
    }

    /// What cmd.exe does not have in itself: a file of batch, or a program.
    fn external(
        &mut self,
        text: &Text,
        lower: &str,
        words: Vec<(Text, Span)>,
        given: &[Given],
        input: Option<Value>,
        span: Span,
    ) -> Value {
        if [".bat", ".cmd"].iter().any(|ending| lower.ends_with(ending)) {
            let file = Argument { text: paths::slashed(text), span };
            let arguments: Vec<Argument> =
                words.into_iter().map(|(text, span)| Argument { text, span }).collect();
            return self.script("batch", &file, &arguments, input);
        }
        if self.endless > 0 && matches!(lower, "cmd" | "cmd.exe" | "powershell") {
            self.walk.note("code.fork.loop", span);
        }
        self.run_program(text, given, input, span)
    }

    /// What follows is done in another directory.
    fn gone_to(&mut self, operands: &[(Text, Span)], glued: &str) {
        let path = match operands.first() {
            Some((path, _)) => paths::slashed(path),
            None if glued.starts_with(['.', '\\']) => paths::slashed(&Text::known(glued)),
            None => return,
        };
        let to = self.walk.target(&path).path;
        self.walk.go_to(to);
    }

    /// A variable that later programs have too; of the whole machine, or of where programs are found, it is one that starts things.
    fn set_for_good(&mut self, operands: &[(Text, Span)], machine: bool, span: Span) {
        let [(name, _), (value, _), ..] = operands else { return };
        let name = name.display();
        let is_path = name.eq_ignore_ascii_case("path") || machine;
        self.set_variable(&format!("env:{name}"), vec![Value::Text(value.clone())], span);
        if is_path {
            self.walk.note("windows.persistence.task", span);
        }
    }

    pub(super) fn copied(
        &mut self,
        name: &str,
        operands: &[(Text, Span)],
        switches: &str,
        span: Span,
    ) {
        let here = (Text::known("."), span);
        let (from, to) = match operands {
            [from] => (from, &here),
            [from, to, ..] => (from, to),
            [] => return,
        };
        let source = Argument { text: paths::slashed(&from.0), span: from.1 };
        let mut to = Argument { text: paths::slashed(&to.0), span: to.1 };
        let moves = matches!(name, "move" | "ren" | "rename") || switches.contains("/mov");
        if matches!(name, "ren" | "rename") {
            let whole = source.text.as_pattern().unwrap_or_default();
            if let Some(at) = whole.rfind('/') {
                let mut beside =
                    source.text.derive([Piece::Known(whole.get(..=at).unwrap_or("").to_owned())]);
                beside.append(&to.text);
                to.text = beside;
            }
        }
        // It says what it would do.
        if name == "robocopy" && switches.split('/').any(|switch| switch == "l") {
            return;
        }
        // What is elsewhere and not here is gone.
        if switches.contains("/mir") || switches.contains("/purge") {
            self.walk.delete(&to, true);
        }
        if paths::is_remote(&to.text) {
            let content = self.walk.read(&source);
            self.send_to_share(&to, content);
            if moves {
                self.walk.delete(&source, true);
            }
            return;
        }
        let word = |text: &str| Argument { text: Text::known(text), span };
        let mut words = if moves { vec![word("mv")] } else { vec![word("cp"), word("-r")] };
        words.extend([source, to]);
        self.walk.run(&words, None);
    }

    /// `call :label`, `call file`, `call command`: the line is expanded once more.
    fn call_of(&mut self, mut given: Vec<Given>, input: Option<Value>, span: Span) -> Value {
        // `call call x` calls it once.
        let is_call = |one: &Given| {
            one.value
                .as_ref()
                .and_then(Value::as_known)
                .is_some_and(|it| it.eq_ignore_ascii_case("call"))
        };
        let Some(at) = given.iter().position(|one| !is_call(one)) else { return Value::Nothing };
        let Some(first) = given.drain(..=at).next_back() else { return Value::Nothing };
        let name = first.value.unwrap_or(Value::Nothing);
        let text = self.text(&name);
        match text.as_known().map(str::to_owned) {
            Some(label) if label.starts_with(':') => {
                let label = label.to_ascii_lowercase();
                if label != ":eof" {
                    self.section(&label, given, span, false);
                }
                Value::Nothing
            }
            // It reads its words once more: `call %x%`, and what a variable put there as several words.
            Some(known) if known.contains('%') || is_line(&known) => {
                let mut line = Text::known(known);
                for one in &given {
                    line.push_known(" ");
                    line.append(
                        &one.value.as_ref().map(|value| self.text(value)).unwrap_or_default(),
                    );
                }
                self.inner(&line, span)
            }
            Some(known) => self.internal(&text, &known, given, input, first.span),
            None => self.run_program(&text, &given, input, first.span),
        }
    }

    /// `start ["title"] [switches] program words`
    fn started(&mut self, given: Vec<Given>, span: Span) -> Value {
        if self.endless > 0 {
            self.walk.note("code.fork.loop", span);
        }
        let is_switch = |it: &Self, one: &Given| {
            one.value.as_ref().is_some_and(|value| it.text(value).known_prefix().starts_with('/'))
        };
        let mut given = given.into_iter().peekable();
        // A title is written in quotes, which are gone: one that is no word is one.
        if let Some(first) = given.peek()
            && first.span.of(&self.source).starts_with('"')
        {
            given.next();
        }
        let mut rest: Vec<Given> = Vec::new();
        for one in given {
            if rest.is_empty() && is_switch(self, &one) {
                continue;
            }
            rest.push(one);
        }
        if rest.is_empty() {
            return Value::Nothing;
        }
        let first = rest.remove(0);
        let text = first.value.as_ref().map(|value| self.text(value)).unwrap_or_default();
        let known = text.as_known().map(str::to_owned);
        if known.as_deref().is_some_and(|known| known.contains("://")) {
            return Value::Nothing;
        }
        let certainty = self.walk.lower(Certainty::Certain);
        let value = match known {
            Some(known) => self.internal(&text, &known, rest, None, first.span),
            None => self.run_program(&text, &rest, None, first.span),
        };
        self.walk.restore(certainty);
        value
    }
}

/// Whether a command's name is a command with words of its own, and no path with blanks in it.
fn is_line(name: &str) -> bool {
    name.trim().split_once(' ').is_some_and(|(first, _)| !first.contains(['\\', '/', ':', '.']))
}

/// Files by their names, as a pattern of their paths.
fn listed(operands: &[(Text, Span)], recursive: bool) -> Text {
    let mut place = operands.first().map_or_else(|| Text::known("."), |it| paths::slashed(&it.0));
    if !matches!(place.pieces.last(), Some(Piece::Glob(_))) {
        place.push_known("/");
        place.push(Piece::Glob(if recursive { "**" } else { "*" }.to_owned()));
    }
    place
}

/// Whether a word that begins with a slash is a switch, or several that are written together, and no path from the root.
fn is_switch(name: &str, word: &str) -> bool {
    let Some(rest) = word.strip_prefix('/') else { return false };
    let letters = |part: &str| {
        let switch = part.split(':').next().unwrap_or(part);
        switch.len() <= 1
            || switch.starts_with(['a', 'A']) && switch.len() <= 5 && part.contains(':')
    };
    let deletes = matches!(name, "del" | "erase" | "rd" | "rmdir");
    rest.split('/').all(letters) || !deletes && !rest.contains('/')
}

/// Commands that cmd.exe has in itself, or that it has files for and that do the same, sorted.
const INTERNAL: &[&str] = &[
    "assoc", "break", "call", "cd", "chdir", "cls", "color", "copy", "date", "del", "dir", "echo",
    "endlocal", "erase", "findstr", "ftype", "md", "mkdir", "mklink", "more", "move", "path",
    "pause", "popd", "prompt", "pushd", "rd", "rem", "ren", "rename", "replace", "rmdir",
    "robocopy", "set", "setlocal", "setx", "shift", "start", "time", "timeout", "title", "type",
    "ver", "verify", "vol", "xcopy",
];

/// Whether a command only says how it is used where `/?` is among its words, whatever else is (learn.microsoft.com, "Windows Commands").
fn shows_help(name: &str) -> bool {
    /// Programs that Windows brings, sorted.
    const PROGRAMS: &[&str] = &[
        "attrib", "bcdedit", "cacls", "chkdsk", "cipher", "diskpart", "format", "fsutil", "icacls",
        "net", "netsh", "reg", "sc", "schtasks", "shutdown", "subst", "takeown", "taskkill",
        "vssadmin", "wbadmin", "wevtutil", "wmic",
    ];
    let hands_on = matches!(name, "call" | "echo" | "prompt" | "rem" | "start" | "title");
    PROGRAMS.binary_search(&name.trim_end_matches(".exe")).is_ok()
        || INTERNAL.binary_search(&name).is_ok() && !hands_on
}

/// Whether statements lead back to a label.
fn goes_to(body: &[Statement], label: &str) -> bool {
    body.iter().any(|statement| match &statement.kind {
        StatementKind::Goto(target) => {
            matches!(&target.kind, ExpressionKind::Text(name) if name == label)
        }
        StatementKind::Group(body) => goes_to(body, label),
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn commands_are_sorted() {
        assert!(super::INTERNAL.is_sorted());
    }
}

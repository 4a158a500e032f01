//! Tcl, and what expect adds to it. Owns what variables and procedures are worth, and the commands that reach out; the cutting into words is in `word`,
//! what is typed into a program that a script holds a dialogue with in `dialogue`.

use std::{collections::BTreeMap, rc::Rc};

use portcullis_syntax::Span;

use crate::{
    bound::Bounded,
    effect::{Argument, Certainty, GapReason, WriteMode},
    programs::host::Host,
    text::{Piece, Taint, Text},
    understand::shell::Walk,
};

mod dialogue;
mod word;

use dialogue::Dialogue;
use word::Word;

/// How many commands of one script are followed; loops and procedures count each time.
const STEPS: usize = 4096;

/// How many values a loop goes through.
const ROUNDS: usize = 64;

/// Commands whose words in braces are data and no code.
const TAKES_DATA: &[&str] = &[
    "append",
    "array",
    "close",
    "concat",
    "dict",
    "error",
    "exp_internal",
    "exp_send_error",
    "exp_send_log",
    "format",
    "global",
    "incr",
    "join",
    "lappend",
    "lindex",
    "linsert",
    "list",
    "llength",
    "log_file",
    "log_user",
    "lrange",
    "lreplace",
    "lreverse",
    "lsearch",
    "lsort",
    "match_max",
    "package",
    "puts",
    "read",
    "regexp",
    "regsub",
    "return",
    "scan",
    "send_error",
    "send_log",
    "send_user",
    "set",
    "split",
    "string",
    "stty",
    "unset",
    "upvar",
    "variable",
    "wait",
];

/// Reads `code` with `arguments` as `$argv`.
pub(super) fn run(walk: &mut Walk<'_>, code: &str, arguments: &[Argument]) -> Text {
    let mut script = Script {
        walk,
        arguments,
        variables: BTreeMap::new(),
        procedures: BTreeMap::new(),
        dialogue: None,
        prompt: String::new(),
        steps: 0,
    };
    script.commands(code, Span::new(0, code.len()));
    script.hang_up();
    let Script { variables, procedures, steps, .. } = script;
    let uncalled: Vec<Rc<str>> = procedures
        .values()
        .filter(|procedure| !procedure.called)
        .map(|procedure| Rc::clone(&procedure.body))
        .collect();
    walk.at_most(Certainty::Possible, |walk| {
        let (dialogue, prompt) = (None, String::new());
        let mut script = Script { walk, arguments, variables, procedures, dialogue, prompt, steps };
        for body in uncalled {
            script.commands(&body, Span::new(0, 0));
            script.hang_up();
        }
    });
    Text::unknown("what the commands print")
}

/// A procedure that a script defines.
struct Procedure {
    parameters: Vec<String>,
    body: Rc<str>,
    called: bool,
}

struct Script<'s, 'w> {
    walk: &'s mut Walk<'w>,
    arguments: &'s [Argument],
    variables: BTreeMap<String, Text>,
    procedures: BTreeMap<String, Procedure>,
    dialogue: Option<Dialogue>,
    /// What the program showed last that the script waited for.
    prompt: String,
    steps: usize,
}

impl Script<'_, '_> {
    /// Does the commands of a text; gives what the last one gives. `around` is where it stands in the layer.
    fn commands(&mut self, code: &str, around: Span) -> Text {
        let mut last = Text::default();
        if !self.walk.enter_level(around) {
            return Text::unknown("commands");
        }
        let mut at = 0;
        while let Some(words) = word::command(self, code, &mut at, around) {
            if words.is_empty() {
                continue;
            }
            self.steps += 1;
            if self.steps > STEPS {
                self.walk.gap(around, GapReason::Limit);
                break;
            }
            last = self.call(&words);
        }
        self.walk.leave_level();
        last
    }

    /// The value of a variable.
    fn variable(&mut self, name: &str) -> Text {
        let bare = name.trim_start_matches("::");
        if let Some(value) = self.variables.get(bare) {
            return value.clone();
        }
        if bare == "argv" {
            return self.all_arguments();
        }
        let upper = bare.to_ascii_uppercase();
        if matches!(upper.as_str(), "HOME" | "ENV(HOME)" | "ENV(USERPROFILE)")
            && let Some(home) = &self.walk.facts().home
        {
            return Text::known(home.as_str());
        }
        let mut text = Text::unknown(bare);
        if ["KEY", "TOKEN", "SECRET", "PASS"].iter().any(|part| upper.contains(part)) {
            text.taint = Taint::SECRET;
        }
        text
    }

    fn all_arguments(&self) -> Text {
        let mut all = Text::default();
        for (index, argument) in self.arguments.iter().enumerate() {
            if index > 0 {
                all.push_known(" ");
            }
            all.append(&argument.text);
        }
        all
    }

    fn call(&mut self, words: &[Word<'_>]) -> Text {
        let Some((first, rest)) = words.split_first() else { return Text::default() };
        if first.is_put_in {
            self.walk.gap(first.argument.span, GapReason::UnknownCode);
        }
        let Some(name) = first.argument.text.as_known().map(str::to_owned) else {
            return self.of(&first.argument.text.display(), rest);
        };
        let name = name.trim_start_matches("::");
        if self.procedures.contains_key(name) {
            return self.call_procedure(name, rest);
        }
        match name {
            "set" => self.set(rest),
            "append" | "lappend" => self.append(rest, name == "lappend"),
            "lindex" | "lrange" if self.is_of_arguments(rest) => self.argument_at(rest),
            "lindex" => self.item(rest),
            "concat" | "join" | "return" => joined(rest),
            "list" => listed(rest),
            "expr" | "subst" => self.put_in(rest),
            "rename" => self.rename(rest.first(), rest.get(1)),
            "interp" if rest.first().and_then(Word::known) == Some("alias") => {
                self.rename(rest.get(4), rest.get(2))
            }
            "proc" => self.define(rest),
            "foreach" => self.each(rest),
            "exec" => self.exec(rest),
            "spawn" | "exp_spawn" => self.spawn(rest),
            "send" | "exp_send" => self.send(rest),
            "expect" | "expect_after" | "expect_background" | "expect_before" => self.expect(rest),
            "interact" => self.hang_up(),
            _ => self.reach_out(name, rest).unwrap_or_else(|| {
                if TAKES_DATA.binary_search(&name).is_err() {
                    self.bodies(rest);
                }
                self.of(name, rest)
            }),
        }
    }

    /// What a command gives of which no more is known.
    fn of(&self, name: &str, rest: &[Word<'_>]) -> Text {
        let mut given = Text::unknown(name);
        for word in rest {
            given.inherit(&word.argument.text);
        }
        given
    }

    /// Words in braces that may be code: `if`, `while`, `catch`, `after`, `button -command`.
    fn bodies(&mut self, words: &[Word<'_>]) {
        for word in words {
            if let Some(body) = word.braced {
                self.commands(body, word.argument.span);
            }
        }
    }

    fn set(&mut self, rest: &[Word<'_>]) -> Text {
        let Some(name) = rest.first().and_then(Word::known) else { return Text::default() };
        match rest.get(1) {
            Some(value) => {
                let value = value.argument.text.clone();
                self.variables.insert(name.to_owned(), value.clone());
                value
            }
            None => self.variable(name),
        }
    }

    fn append(&mut self, rest: &[Word<'_>], as_list: bool) -> Text {
        let Some((name, more)) = rest.split_first() else { return Text::default() };
        let Some(name) = name.known() else { return Text::default() };
        let mut value = self.variables.get(name).cloned().unwrap_or_default();
        for word in more {
            if as_list && !value.is_empty() {
                value.push_known(" ");
            }
            value.append(&word.argument.text);
        }
        self.variables.insert(name.to_owned(), value.clone());
        value
    }

    fn is_of_arguments(&self, rest: &[Word<'_>]) -> bool {
        rest.first().is_some_and(|list| list.argument.text == self.all_arguments())
    }

    /// `[lindex $argv 0]`, `[lrange $argv 1 end]`
    fn argument_at(&self, rest: &[Word<'_>]) -> Text {
        let index = rest.get(1).and_then(Word::known).and_then(|at| at.parse::<usize>().ok());
        match (index, rest.len()) {
            (Some(at), 2) => {
                let argument = self.arguments.get(at);
                argument.map_or_else(|| Text::unknown("argv"), |argument| argument.text.clone())
            }
            _ => self.all_arguments(),
        }
    }

    /// `expr {…}`, `subst {…}`: variables and commands in braces are put in all the same.
    fn put_in(&mut self, rest: &[Word<'_>]) -> Text {
        let mut all = Text::default();
        for word in rest {
            let text = match word.braced {
                Some(braced) => word::put_in(self, braced, word.argument.span),
                None => word.argument.text.clone(),
            };
            all.append(&text);
        }
        all
    }

    /// Another name for a command.
    fn rename(&mut self, from: Option<&Word<'_>>, to: Option<&Word<'_>>) -> Text {
        if let (Some(from), Some(to)) = (from.and_then(Word::known), to.and_then(Word::known)) {
            let procedure = Procedure {
                parameters: vec!["args".to_owned()],
                body: Rc::from(format!("{from} {{*}}$args")),
                called: true,
            };
            self.procedures.insert(to.trim_start_matches("::").to_owned(), procedure);
        }
        Text::default()
    }

    fn item(&mut self, rest: &[Word<'_>]) -> Text {
        let index = rest.get(1).and_then(Word::known).and_then(|at| at.parse::<usize>().ok());
        let found = rest
            .first()
            .and_then(Word::known)
            .zip(index)
            .and_then(|(list, index)| word::list(list, Span::new(0, 0)).into_iter().nth(index));
        found.map_or_else(|| self.of("lindex", rest), |word| word.argument.text)
    }

    fn define(&mut self, rest: &[Word<'_>]) -> Text {
        if let [name, parameters, body] = rest
            && let Some(name) = name.known()
        {
            let parameters = word::list(parameters.known().unwrap_or_default(), Span::new(0, 0));
            let name_of = |word: &Word<'_>| {
                let known = word.known().unwrap_or_default();
                known.split_whitespace().next().unwrap_or_default().to_owned()
            };
            let procedure = Procedure {
                parameters: parameters.iter().map(name_of).collect(),
                body: Rc::from(body.braced.unwrap_or_else(|| body.known().unwrap_or_default())),
                called: false,
            };
            self.procedures.insert(name.trim_start_matches("::").to_owned(), procedure);
        }
        Text::default()
    }

    fn call_procedure(&mut self, name: &str, rest: &[Word<'_>]) -> Text {
        let Some(procedure) = self.procedures.get_mut(name) else { return Text::default() };
        procedure.called = true;
        let body = Rc::clone(&procedure.body);
        let parameters = procedure.parameters.clone();
        for (index, parameter) in parameters.iter().enumerate() {
            let is_rest = parameter == "args" && index + 1 == parameters.len();
            let value = match is_rest {
                true => listed(rest.get(index..).unwrap_or_default()),
                false => rest
                    .get(index)
                    .map_or_else(|| Text::unknown(parameter), |word| word.argument.text.clone()),
            };
            self.variables.insert(parameter.clone(), value);
        }
        let span = rest.first().map_or(Span::new(0, 0), |word| word.argument.span);
        self.commands(&body, span)
    }

    /// `foreach name {a b c} { … }`
    fn each(&mut self, rest: &[Word<'_>]) -> Text {
        let [name, list, body] = rest else {
            self.bodies(rest);
            return Text::default();
        };
        let body = body.braced.unwrap_or_default();
        let span = name.argument.span;
        let (Some(name), Some(items)) = (name.known(), list.known()) else {
            self.commands(body, span);
            return Text::default();
        };
        let items: Vec<Text> = word::list(items, list.argument.span)
            .into_iter()
            .map(|item| item.argument.text)
            .collect();
        for item in items.into_iter().at_most(ROUNDS, self.walk, span) {
            self.variables.insert(name.to_owned(), item);
            self.commands(body, span);
        }
        Text::default()
    }

    /// `exec a | b > file`
    fn exec(&mut self, rest: &[Word<'_>]) -> Text {
        let words =
            rest.iter().skip_while(|word| word.known().is_some_and(|it| it.starts_with('-')));
        let mut output = None;
        let mut words = words.flat_map(Word::expanded).peekable();
        while words.peek().is_some() {
            let mut command: Vec<Argument> = Vec::new();
            let mut input = output.take();
            let mut into: Option<(Argument, WriteMode)> = None;
            while let Some(word) = words.next() {
                let known = word.text.as_known().unwrap_or_default().to_owned();
                let (sign, value) = redirection(&known);
                // `exec sh <@stdin`: it takes its orders from whoever gives them.
                if sign.ends_with('@') {
                    continue;
                }
                let mut operand = || match value {
                    "" => words.next(),
                    value => Some(Argument { text: Text::known(value), span: word.span }),
                };
                match sign {
                    "|" | "|&" => break,
                    "&" => {}
                    "<" => input = operand().map(|file| self.walk.read(&file)),
                    "<<" => input = operand().map(|text| text.text),
                    ">" | ">&" => into = operand().map(|file| (file, WriteMode::Replace)),
                    ">>" | ">>&" => into = operand().map(|file| (file, WriteMode::Append)),
                    "2>" | "2>>" => drop(operand()),
                    _ => command.push(word),
                }
            }
            if command.is_empty() {
                break;
            }
            let printed = self.walk.run(&command, input);
            match into {
                Some((file, mode)) => self.walk.write(&file, mode, printed),
                None => output = Some(printed),
            }
        }
        output.unwrap_or_default()
    }

    /// Commands that read, write, delete, connect or run; none where it is another one.
    fn reach_out(&mut self, name: &str, rest: &[Word<'_>]) -> Option<Text> {
        let first = rest.first();
        let known = |at: usize| rest.get(at).and_then(Word::known).unwrap_or_default();
        match name {
            "open" => {
                let target = first?.known().unwrap_or_default();
                if let Some(command) = target.strip_prefix('|') {
                    let command = command.to_owned();
                    return Some(self.exec(&word::list(&command, first?.argument.span)));
                }
                if known(1).starts_with(['w', 'a']) {
                    let content = Text::unknown("content");
                    self.walk.write(&first?.argument, WriteMode::Replace, content);
                    return Some(Text::default());
                }
                Some(self.walk.read(&first?.argument))
            }
            "socket" => {
                let host =
                    rest.iter().find(|word| !word.known().is_some_and(|it| it.starts_with('-')))?;
                Some(self.walk.connect(&host.argument, None, known(0) == "-server"))
            }
            "http::geturl" => Some(self.walk.connect(&first?.argument, None, false)),
            "file" => self.file(known(0), rest.get(1..).unwrap_or_default()),
            "glob" => {
                let mut given = Text::default();
                given.push(Piece::Glob(rest.last()?.argument.text.display()));
                Some(given)
            }
            "source" => {
                self.walk.script("tcl", &rest.last()?.argument, &[], None);
                Some(Text::default())
            }
            "eval" | "uplevel" => {
                let code = joined(rest);
                match code.as_known() {
                    Some(code) => Some(self.commands(code, first?.argument.span)),
                    None => {
                        self.walk.gap(first?.argument.span, GapReason::UnknownCode);
                        Some(Text::unknown("eval"))
                    }
                }
            }
            _ => None,
        }
    }

    fn file(&mut self, verb: &str, rest: &[Word<'_>]) -> Option<Text> {
        let is_option = |word: &&Word<'_>| word.known().is_some_and(|it| it.starts_with('-'));
        let files: Vec<Argument> =
            rest.iter().filter(|word| !is_option(word)).flat_map(Word::expanded).collect();
        match verb {
            "delete" => {
                for file in &files {
                    self.walk.delete(file, true);
                }
            }
            "copy" | "rename" => {
                let program = if verb == "copy" { "cp" } else { "mv" };
                let mut words =
                    vec![Argument { text: Text::known(program), span: files.first()?.span }];
                words.extend(files);
                self.walk.run(&words, None);
            }
            _ => return None,
        }
        Some(Text::default())
    }
}

/// A list of words, each as one whatever is in it.
fn listed(words: &[Word<'_>]) -> Text {
    let mut all = Text::default();
    for (index, word) in words.iter().enumerate() {
        if index > 0 {
            all.push_known(" ");
        }
        let is_plain = word.known().is_some_and(|known| {
            !known.is_empty()
                && !known
                    .contains(|letter: char| letter.is_whitespace() || "{}[]$\";".contains(letter))
        });
        if !is_plain {
            all.push_known("{");
        }
        all.append(&word.argument.text);
        if !is_plain {
            all.push_known("}");
        }
    }
    all
}

fn joined(words: &[Word<'_>]) -> Text {
    let mut all = Text::default();
    for (index, word) in words.iter().enumerate() {
        if index > 0 {
            all.push_known(" ");
        }
        all.append(&word.argument.text);
    }
    all
}

/// The sign of a redirection or pipe at the beginning of a word of `exec`, and what stands right behind it.
fn redirection(word: &str) -> (&str, &str) {
    const SIGNS: &[&str] = &[
        "2>@", "<@", ">@", ">>@", ">&@", "2>>", "2>", "<<", "<", ">>&", ">&", ">>", ">", "|&", "|",
    ];
    if word == "&" {
        return ("&", "");
    }
    match SIGNS.iter().find(|sign| word.starts_with(**sign)) {
        Some(sign) => word.split_at_checked(sign.len()).unwrap_or((word, "")),
        None => ("", word),
    }
}

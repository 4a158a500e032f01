//! What a row of `tables` means: the translation of every act into what the walk is told. Owns the order of the questions, and what of a call
//! all of them ask for; each file below answers those of one kind.

use portcullis_syntax::Span;

use super::{
    interpreter::Interpreter,
    tables::Act,
    value::{Given, Value},
};
use crate::{bound::Bounded, text::Text};

mod code;
mod connections;
mod context;
mod files;
mod machine;
mod patterns;
mod programs;
mod values;

pub(super) use connections::{is_address, network};
pub(super) use context::Made;

/// A call as acts look at it.
#[derive(Clone, Copy)]
struct Call<'a> {
    /// What is called.
    path: &'a str,
    /// All that it is given.
    given: &'a [Given],
    /// What it is given without a name.
    plain: &'a [&'a Given],
    /// The first of that, or what goes by a name that says the same.
    first: Option<&'a Given>,
    second: Option<&'a Given>,
    span: Span,
}

impl<'a> Call<'a> {
    fn new(path: &'a str, given: &'a [Given], plain: &'a [&'a Given], span: Span) -> Self {
        let second = plain.get(1).copied();
        let mut call = Self { path, given, plain, first: plain.first().copied(), second, span };
        call.first = call.first.or_else(|| {
            call.keyword(&[
                "args", "cmd", "command", "path", "url", "file", "filename", "name", "fd",
                "source", "text",
            ])
        });
        call
    }

    /// What is given under one of these names.
    fn keyword(&self, names: &[&str]) -> Option<&'a Given> {
        self.given
            .iter()
            .find(|given| given.name.as_deref().is_some_and(|name| names.contains(&name)))
    }

    /// What an option says: an entry of a table that is given, else what is given under its name.
    fn option(&self, name: &str) -> Option<Value> {
        self.given.iter().rev().find_map(|given| given.value.entry(name).cloned()).or_else(|| {
            self.given
                .iter()
                .find(|given| given.name.as_deref() == Some(name))
                .map(|given| given.value.clone())
        })
    }
}

impl Interpreter<'_, '_, '_> {
    /// What is done with files of which each may be one of several, is done with each of them.
    fn each_of_several(&mut self, act: Act, call: Call<'_>) -> Option<Value> {
        /// The first of what is given that may be a file.
        const FILES: usize = 2;
        let starts = matches!(act, Act::ExecList | Act::Shell | Act::Spawn | Act::SpawnList);
        if !starts
            && !matches!(
                act,
                Act::Copy | Act::Move | Act::Write | Act::Append | Act::WriteTo | Act::Make
            )
        {
            return None;
        }
        let is_several = |given: &Given| {
            given.name.is_none()
                && match &given.value {
                    // The words of a program.
                    Value::Any(list) if starts => {
                        list.iter().all(|one| matches!(one, Value::List(_)))
                    }
                    // One of which may be one of several.
                    Value::List(list) if starts => list.iter().any(is_one_of_known),
                    Value::Any(list) => {
                        list.iter().all(|one| matches!(one, Value::Text(_) | Value::Name(..)))
                            && list.iter().any(|one| matches!(one, Value::Text(_)))
                    }
                    _ => false,
                }
        };
        let at = call.given.iter().leading(FILES).position(is_several)?;
        let several = match &call.given.get(at)?.value {
            Value::Any(several) => several.clone(),
            Value::List(words) => {
                let place = words.iter().position(is_one_of_known)?;
                let with = |word: Value| {
                    let mut words = words.clone();
                    if let Some(one) = words.get_mut(place) {
                        *one = word;
                    }
                    Value::List(words)
                };
                words.get(place)?.alternatives().into_iter().map(with).collect()
            }
            _ => return None,
        };
        let mut result = None;
        for value in several {
            let mut given = call.given.to_vec();
            if let Some(one) = given.get_mut(at) {
                one.value = value;
            }
            result = Some(self.act_here(act, call.path, &given, call.span));
        }
        result
    }

    pub(super) fn act_here(&mut self, act: Act, path: &str, given: &[Given], span: Span) -> Value {
        let plain: Vec<&Given> = given.iter().filter(|given| given.name.is_none()).collect();
        let call = Call::new(path, given, &plain, span);
        if let Some(value) = self.each_of_several(act, call) {
            return value;
        }
        match act {
            // Does it start a program?
            Act::Shell | Act::Spawn => {
                self.surround(call);
                if act == Act::Shell { self.run_line(call) } else { self.run_with_list(call) }
            }
            Act::System => self.run_line_or_words(call),
            Act::Program => self.run_all_words(call),
            Act::ExecList | Act::SpawnList | Act::ExecWords | Act::SpawnWords => {
                self.run_in_place(act, call)
            }
            Act::Kill => self.send_signal(call),
            // Does it run more code?
            Act::Code | Act::CodeIn(_) => self.run_text_as_code(act, call),
            Act::Script => self.run_script_file(call),
            Act::Module => self.load_module(call),
            // Does it touch files?
            Act::List => self.list_names(call),
            Act::Read => self.read_named(call),
            Act::Enter => self.enter_directory(call),
            Act::Write | Act::Append | Act::WriteTo => self.write_named(act, call),
            Act::Fill => self.fill_named(call.first.or_else(|| call.keyword(&["fname"]))),
            Act::FillSecond => {
                self.fill_named(call.second.or_else(|| call.keyword(&["cfile", "filename"])))
            }
            Act::Open => self.open_named(call),
            Act::Database => self.open_database(call),
            Act::Delete | Act::DeleteTree | Act::DeleteMaybe => self.delete_named(act, call),
            Act::Move => self.move_named(call),
            Act::Copy => self.copy_named(call),
            Act::Mode | Act::ModeBefore | Act::Owner => self.change_permission(act, call),
            Act::Link => self.link_named(call),
            Act::Make => self.make_named(call),
            // Does it speak with another machine?
            Act::Get | Act::Post | Act::PostTyped | Act::Request | Act::Method(_) => {
                self.send_request(act, call)
            }
            Act::Download => self.download(call),
            Act::Connect | Act::Listen => {
                self.connect(act == Act::Listen, path, &plain, given, span)
            }
            Act::Send => self.send_through(call),
            Act::Receive => Value::Text(network(Text::unknown("what was received"))),
            // Does it reach below what a program usually does, or is it what a rule alone describes?
            Act::Note(rule) => self.note_rule(rule, call),
            Act::Deserialize => self.objects_from_bytes(call),
            Act::Query => self.send_statement(call),
            Act::User => self.become_user(call),
            Act::Duplicate => self.duplicate_descriptor(call),
            Act::Memory => self.executable_memory(call),
            Act::Native => self.native_library(call),
            // Does it compute, ask for what surrounds it, or print?
            Act::Fold(kind) => self.fold(kind, path, given),
            Act::Environment => self.variable_of_environment(call),
            Act::Home => Value::Text(self.home_now()),
            Act::Property => match call.first.and_then(|it| it.value.as_known()) {
                Some("user.home") => Value::Text(self.environment("HOME")),
                Some("java.io.tmpdir") => Value::known("/tmp"),
                Some("user.dir") => Value::known("."),
                _ => Value::unknown(path),
            },
            Act::ExpandUser => self.expand_user(call),
            Act::Input => Value::Text(self.standard_input()),
            Act::Print if self.language == "r" && given.iter().any(is_file_of_r) => {
                self.print_to_file(given, span)
            }
            Act::Print => self.print_given(call),
            Act::Member => self.member_by_name(path, &plain, span),
            Act::Names => {
                call.first.map_or_else(|| Value::name("globals()"), |module| module.value.clone())
            }
            Act::Itself => {
                call.first.map_or_else(|| Value::unknown("a value"), |given| given.value.clone())
            }
            Act::Constant(text) => self.constant(text, path),
            Act::Nothing => Value::Text(Text::unknown("a value")),
        }
    }

    /// `cat("…", file = F, append = TRUE)` of R.
    fn print_to_file(&mut self, given: &[Given], span: Span) -> Value {
        let Some(file) = given.iter().find(|it| is_file_of_r(it)) else {
            return Value::unknown("nothing");
        };
        let adds =
            given.iter().any(|it| it.name.as_deref() == Some("append") && !it.value.is_false());
        let said: Vec<Given> = given.iter().filter(|it| it.name.is_none()).cloned().collect();
        let said = super::fold::fold(super::fold::Fold::Concatenate, &said);
        let all = [
            Given { name: None, value: file.value.clone(), span },
            Given { name: None, value: said, span },
        ];
        self.act(if adds { Act::Append } else { Act::Write }, "cat", &all, span)
    }
}

/// Whether a word is one of a few that are known.
fn is_one_of_known(word: &Value) -> bool {
    matches!(word, Value::Any(list) if list.iter().all(|one| one.as_known().is_some()))
}

/// What names the file that is written; without a name it is the screen.
fn is_file_of_r(given: &Given) -> bool {
    given.name.as_deref() == Some("file") && given.value.as_known() != Some("")
}

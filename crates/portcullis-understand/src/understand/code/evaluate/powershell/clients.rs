//! Methods of what talks to others: clients of the network, and things of COM. Owns what goes out and what is started.

use portcullis_syntax::Span;

use super::super::{
    Evaluator,
    value::{Object, Value},
};
use crate::{
    effect::{Argument, WriteMode},
    programs::host::Host,
    text::{Taint, Text},
};

impl Evaluator<'_, '_> {
    pub(super) fn web_method(
        &mut self,
        number: usize,
        name: &str,
        given: &[Value],
        span: Span,
    ) -> Value {
        let argument = |it: &Self, at: usize| {
            let value = given.get(at).cloned().unwrap_or(Value::Nothing);
            it.argument(&value, span)
        };
        let made_of =
            self.state.objects.get(number).map(|it| it.made_of.clone()).unwrap_or_default();
        let base = name.trim_end_matches("async").trim_end_matches("taskasync");
        match base {
            "downloadstring" | "downloaddata" | "openread" | "getstring" | "getbytearray"
            | "getstream" | "get" => {
                let address = argument(self, 0);
                let mut received = self.walk.connect(&address, None, false);
                received.taint = received.taint.with(Taint::NETWORK);
                Value::Text(received)
            }
            "downloadfile" => {
                let address = argument(self, 0);
                let mut received = self.walk.connect(&address, None, false);
                received.taint = received.taint.with(Taint::NETWORK);
                let value = given.get(1).cloned().unwrap_or(Value::Nothing);
                let file = self.path_argument(&value, span);
                self.write_file(&file, WriteMode::Replace, received);
                Value::Nothing
            }
            "uploadfile" => {
                let at = usize::from(given.len() > 2) + 1;
                let value = given.get(at).or(given.get(1)).cloned().unwrap_or(Value::Nothing);
                let file = self.path_argument(&value, span);
                let content = self.walk.read(&file);
                let address = argument(self, 0);
                Value::Text(self.walk.connect(&address, Some(content), false))
            }
            "uploadstring" | "uploaddata" | "uploadvalues" | "post" | "put" | "patch" | "send" => {
                let content = given.last().map(|it| self.text(it)).unwrap_or_default();
                let address = argument(self, 0);
                Value::Text(self.walk.connect(&address, Some(content), false))
            }
            "getresponse" | "getrequeststream" => {
                let address = Argument { text: made_of, span };
                let mut received = self.walk.connect(&address, None, false);
                received.taint = received.taint.with(Taint::NETWORK);
                Value::Text(received)
            }
            _ => Value::Object(number),
        }
    }

    pub(super) fn com_method(
        &mut self,
        class: &str,
        name: &str,
        given: &[Value],
        span: Span,
    ) -> Value {
        let first = given.first().map(|it| self.text(it)).unwrap_or_default();
        match (class, name) {
            (_, "run" | "exec" | "shellexecute" | "execshellcommand") => {
                if class.contains("mmc")
                    || class.contains("shellwindows")
                    || class.contains("9ba05972")
                {
                    self.walk.note("windows.program.fetches", span);
                }
                let mut line = first;
                if name == "shellexecute"
                    && let Some(more) = given.get(1)
                {
                    line.push_known(" ");
                    line.append(&self.text(more));
                }
                self.later(&line, span);
                Value::unknown("a process")
            }
            (_, "deletefolder" | "deletefile") => {
                let value = given.first().cloned().unwrap_or(Value::Nothing);
                let file = self.path_argument(&value, span);
                self.walk.delete(&file, name == "deletefolder");
                Value::Nothing
            }
            (_, "regwrite" | "regdelete") => {
                let path = Argument { text: first, span };
                if name == "regdelete" {
                    self.walk.note("windows.registry.delete", span);
                } else {
                    let content = given.get(1).map(|it| self.text(it)).unwrap_or_default();
                    self.registry_set(&path, &content);
                }
                Value::Nothing
            }
            (class, "open") if class.contains("http") => {
                let value = given.get(1).cloned().unwrap_or(Value::Nothing);
                let address = self.argument(&value, span);
                Value::Text(self.walk.connect(&address, None, false))
            }
            (class, "send") if class.contains("outlook") => {
                self.walk.note("windows.message.send", span);
                Value::Nothing
            }
            (
                class,
                "createitem" | "namespace" | "getnamespace" | "connect" | "getfolder" | "newtask",
            ) => {
                self.object(Object { class: class.to_owned(), made_of: first, ..Object::default() })
            }
            (class, "registertaskdefinition" | "registertask") => {
                let _ = class;
                self.walk.note("windows.persistence.task", span);
                Value::Nothing
            }
            (_, "specialfolders") | ("com specialfolders", "item") => {
                Value::Text(super::types::folder(&first))
            }
            (class, "createshortcut") => {
                let file = Argument { text: super::paths::slashed(&first), span };
                self.walk.write(&file, WriteMode::Replace, Text::unknown("a shortcut"));
                self.object(Object { class: class.to_owned(), made_of: first, ..Object::default() })
            }
            _ => {
                let mut shown = Text::unknown(class);
                shown.inherit(&first);
                self.unknown_method(class, name, span);
                Value::Text(shown)
            }
        }
    }
}

//! Action to effects: what it would do. Owns the reading of every kind of action; it does not say what is bad.

mod around;
mod cells;
pub mod code;
mod dialect;
mod meaning;
pub mod shell;
pub mod tool;

use std::collections::BTreeMap;

use portcullis_syntax::Span;

use crate::{
    action::{Action, ActionKind, FileOperation, patched_text},
    effect::{Argument, Effects, WriteMode},
    facts::{Facts, FileFact},
    programs::host::Host,
    text::Text,
};

pub use tool::contract::{Known, Server, of_tool as contract_of, servers};

/// Everything that an action would do, as far as it can be understood from its text and the facts.
#[must_use]
pub fn understand(action: &Action, facts: &Facts) -> Effects {
    understood(action, shell::Walk::new(facts)).finish()
}

/// As [`understand`], where files are read when they are met: `read` is asked for the absolute path of each of which the facts say nothing, once,
/// and gives nothing where no more is read. Gives what it gave as well: with that among the facts, the same is understood without it.
#[must_use]
pub fn understand_reading(
    action: &Action,
    facts: &Facts,
    read: &dyn Fn(&str) -> Option<FileFact>,
) -> (Effects, BTreeMap<String, FileFact>) {
    let mut walk = understood(action, shell::Walk::reading(facts, read));
    let contents = walk.take_contents();
    (walk.finish(), contents)
}

fn understood<'a>(action: &Action, mut walk: shell::Walk<'a>) -> shell::Walk<'a> {
    match &action.kind {
        ActionKind::Shell { pointer, command } => {
            let is_said = around::goes_on(&action.call.arguments);
            around::in_each_directory(&mut walk, &action.call.arguments, |walk| {
                let directory = walk.directory().map(str::to_owned);
                walk.open(pointer, command);
                dialect::read(walk, &action.call.tool, command);
                walk.leaves_running(directory.clone(), command, is_said);
                walk.starts_what_goes_on(directory, command);
            });
        }
        ActionKind::Code { pointer, language, code } => {
            let code = as_argument(&mut walk, pointer, code);
            let printed = cells::understand(&mut walk, known_language(language), &code);
            walk.show(&printed);
        }
        ActionKind::Query { pointer, statement } => {
            let statement = as_argument(&mut walk, pointer, statement);
            walk.query(&statement.text, statement.span);
        }
        ActionKind::File { operation, pointer, path, content, others } => {
            let written = content.as_ref().map_or_else(Text::default, |(pointer, content)| {
                as_argument(&mut walk, pointer, content).text
            });
            // A patch names its files itself: their places are in it, one after the other.
            let mut from = 0;
            let first = std::iter::once((operation, pointer, path));
            let others = others.iter().map(|other| (&other.operation, &other.pointer, &other.path));
            for (operation, pointer, path) in first.chain(others) {
                let patched = content.as_ref().and_then(|(of_content, patch)| {
                    let names_itself = of_content == pointer;
                    patched_text(patch, names_itself.then_some(path)).map(|text| Text::known(&text))
                });
                let file = match content.as_ref().filter(|(of_content, _)| of_content == pointer) {
                    Some((_, patch)) => {
                        let rest = patch.get(from..).unwrap_or_default();
                        let start = from + rest.find(path.as_str()).unwrap_or_default();
                        from = (start + path.len()).min(patch.len());
                        Argument { text: Text::known(path), span: Span::new(start, from) }
                    }
                    None => as_argument(&mut walk, pointer, path),
                };
                // A tool that is named after files deletes one, as does a patch; others take folders with what is in them.
                let named = action.call.tool.to_ascii_lowercase().contains("file");
                let all = action.call.arguments.get("recursive").is_some_and(|all| *all != false);
                let one = content.is_some() || named && !all;
                let written = patched.as_ref().unwrap_or(&written);
                touch(&mut walk, *operation, &file, written, one && !path.ends_with(['/', '\\']));
                // Some tools leave blanks and what cannot be seen out.
                let bare = path.split('\0').next().unwrap_or_default();
                let bare =
                    bare.trim_matches(|letter: char| letter.is_whitespace() || letter.is_control());
                if bare != path && !bare.is_empty() {
                    let file = Argument { text: Text::known(bare), span: file.span };
                    touch(&mut walk, *operation, &file, written, one);
                }
            }
            if *operation == FileOperation::Edit {
                walk.edited(path, &action.call.arguments);
            }
        }
        ActionKind::Http { pointer, url, method, body } => {
            let sends =
                body.as_ref().map(|(pointer, body)| as_argument(&mut walk, pointer, body).text);
            let sends = sends.or_else(|| (method != "GET" && method != "HEAD").then(Text::default));
            let url = as_argument(&mut walk, pointer, url);
            let shown = match file_of(&url.text) {
                Some(path) => walk.read(&Argument { text: Text::known(path), span: url.span }),
                None => Text::default(),
            };
            walk.show(&shown);
            let received = walk.connect(&url, sends, false);
            walk.show(&received);
        }
        ActionKind::Tool => tool::understand(&mut walk, &action.call),
    }
    walk.reaches_what_goes_on();
    walk
}

/// What a text would do as a shell script, whatever it was sent as.
pub fn as_shell(pointer: &str, text: &str, facts: &Facts) -> Effects {
    let mut walk = shell::Walk::new(facts);
    walk.open(pointer, text);
    walk.script_text(text);
    walk.finish()
}

/// What a text would do as code in this language, whatever it was sent as.
pub fn as_code(pointer: &str, language: &'static str, text: &str, facts: &Facts) -> Effects {
    if language == "shell" {
        return as_shell(pointer, text, facts);
    }
    let mut walk = shell::Walk::new(facts);
    let code = as_argument(&mut walk, pointer, text);
    walk.for_others(|walk| {
        walk.code(language, &code.text, code.span, &[]);
    });
    walk.finish()
}

/// What putting a file into a project would do, whatever machine the project is on, and the facts that this is judged by.
pub fn as_file(path: &str, content: &str) -> (Effects, Facts) {
    let facts = Facts {
        cwd: Some(SUPPOSED.to_owned()),
        workspace: Some(SUPPOSED.to_owned()),
        ..Facts::default()
    };
    let mut walk = shell::Walk::new(&facts);
    let written = as_argument(&mut walk, WRITTEN_THERE, content).text;
    let file = as_argument(&mut walk, WRITTEN_THERE, path);
    touch(&mut walk, FileOperation::Write, &file, &written, true);
    let effects = walk.finish();
    (effects, facts)
}

/// The directory of a project on another machine.
const SUPPOSED: &str = "/workspace/project";

/// The name of the layer that a file on another machine is read in.
const WRITTEN_THERE: &str = "/content";

fn touch(
    walk: &mut shell::Walk<'_>,
    operation: FileOperation,
    file: &Argument,
    written: &Text,
    one: bool,
) {
    match operation {
        FileOperation::Read | FileOperation::Search => {
            let shown = walk.read(file);
            walk.show(&shown);
        }
        FileOperation::Write => walk.write(file, WriteMode::Replace, written.clone()),
        FileOperation::Edit => walk.write(file, WriteMode::Edit, written.clone()),
        FileOperation::Delete => walk.delete(file, !one),
    }
}

/// Makes an argument of the call the current layer, and the whole of it an argument of what is read.
fn as_argument(walk: &mut shell::Walk<'_>, pointer: &str, text: &str) -> Argument {
    walk.open(pointer, text);
    Argument { text: Text::known(text), span: Span::new(0, text.len()) }
}

/// The path that a `file:` address names.
fn file_of(url: &Text) -> Option<&str> {
    let (scheme, rest) = url.as_known()?.split_once(':')?;
    let path = rest.strip_prefix("//").unwrap_or(rest);
    scheme.eq_ignore_ascii_case("file").then(|| path.strip_prefix("localhost").unwrap_or(path))
}

/// A language by the name that effects use.
fn known_language(name: &str) -> &'static str {
    if ["bash", "sh", "shell", "zsh"].iter().any(|shell| shell.eq_ignore_ascii_case(name)) {
        return "shell";
    }
    code::language(name).map_or("an unknown language", |language| language.name)
}

//! Commands of PowerShell that do something with files. Owns which of their parameters is a path and what becomes of it.

use portcullis_syntax::Span;

use super::{
    super::{
        Evaluator,
        value::{Value, part},
    },
    Bound, paths,
};
use crate::{
    effect::{Argument, PermissionChange, WriteMode},
    programs::host::Host,
    text::{Piece, Text},
};

/// What a command does with files.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(in super::super) enum Files {
    /// They are gone.
    Remove,
    /// What is in them is gone.
    Empty,
    /// They are named.
    List,
    /// They are what is given.
    Same,
    /// What is in them is given.
    Read,
    /// They are written anew.
    Write,
    /// Something is added to them.
    Append,
    /// What comes in is written, and given.
    Tee,
    /// They are there twice.
    Copy,
    /// They are elsewhere.
    Move,
    /// They have another name.
    Rename,
    /// One is made.
    New,
    /// A directory is made.
    Directory,
    /// They are put into an archive.
    Pack,
    /// They are taken out of one.
    Unpack,
    /// Paths are put together.
    Join,
    /// A part of a path is given.
    Split,
    /// Who may do what with them is changed.
    Permit,
    /// What follows is done there.
    Go,
    /// A file for a while.
    Temporary,
    /// A name stands for a directory, maybe of another machine.
    Drive,
}

const PATH: &[&str] = &["literalpath", "path", "filepath"];

impl Evaluator<'_, '_> {
    pub(super) fn files(&mut self, does: Files, bound: &Bound) -> Value {
        match does {
            Files::Remove => self.remove(bound),
            Files::Empty => {
                for file in self.paths(bound) {
                    self.walk.write(&file, WriteMode::Replace, Text::default());
                }
                Value::Nothing
            }
            Files::List => self.list(bound),
            Files::Same => match bound.get(PATH).or(bound.input.as_ref()) {
                Some(value) => {
                    let texts = value.elements();
                    Value::of(
                        texts
                            .iter()
                            .map(|it| Value::Text(paths::slashed(&self.text(it))))
                            .collect(),
                    )
                }
                None => Value::Nothing,
            },
            Files::Read => self.read_files(bound),
            Files::Write | Files::Append => self.write_files(does, bound),
            Files::Tee => {
                let passed = bound.input.clone().or_else(|| bound.get(&["inputobject"]).cloned());
                self.write_files(does, bound);
                if let Some(name) = bound.get(&["variable"]).and_then(Value::as_known) {
                    let name = name.to_owned();
                    let held = passed.clone().unwrap_or(Value::Nothing);
                    self.set_variable(&name, vec![held], bound.span);
                }
                passed.unwrap_or(Value::Nothing)
            }
            Files::Copy | Files::Move | Files::Rename => self.copy(does, bound),
            Files::New | Files::Directory => self.make(does, bound),
            Files::Pack => self.pack(bound),
            Files::Unpack => {
                let into = bound.get(&["destination"]).cloned().unwrap_or(Value::known("."));
                for archive in self.paths(bound) {
                    let content = self.walk.read(&archive);
                    let file = self.path_argument(&into, bound.span_of(&["destination"]));
                    self.walk.write(&file, WriteMode::Create, content);
                }
                Value::Nothing
            }
            Files::Join => {
                let mut path = bound.get(&["path"]).map(|it| self.text(it)).unwrap_or_default();
                let more = [bound.get(&["childpath"]), bound.get(&["additionalchildpath"])];
                for child in more.into_iter().flatten().flat_map(Value::elements) {
                    let ends = match path.pieces.last() {
                        Some(Piece::Known(known)) => known.ends_with(['/', '\\']),
                        _ => false,
                    };
                    if !ends {
                        path.push_known("/");
                    }
                    path.append(&self.text(&child));
                }
                Value::Text(paths::slashed(&path))
            }
            Files::Split => self.split(bound),
            Files::Permit => {
                for file in self.paths(bound) {
                    let change = bound.get(&["aclobject"]).map(|it| self.text(it));
                    let change = PermissionChange::Attribute(change.unwrap_or_default());
                    self.walk.permission(&file, false, change);
                    self.walk.note("windows.permission.wide", file.span);
                }
                Value::Nothing
            }
            Files::Go => {
                if let Some(path) = bound.get(PATH) {
                    let path = paths::slashed(&self.text(path));
                    let to = self.walk.target(&path).path;
                    self.walk.go_to(to);
                }
                Value::Nothing
            }
            Files::Temporary => Value::Text(Text::known("%TEMP%/new.tmp")),
            Files::Drive => {
                if let Some(root) = bound.get(&["root"]) {
                    let root = self.path_argument(root, bound.span);
                    if paths::is_remote(&root.text) {
                        self.walk.connect(&paths::share(&root), None, false);
                    }
                    let name = bound.get(&["name"]).and_then(Value::as_known).unwrap_or_default();
                    let name = paths::named_drive(&name.to_ascii_lowercase());
                    self.state.set_outermost(&name, vec![Value::Text(root.text)]);
                }
                Value::Nothing
            }
        }
    }

    /// The files that a command is given, or that come in.
    fn paths(&self, bound: &Bound) -> Vec<Argument> {
        let span = bound.span_of(PATH);
        let given = bound.get(PATH).into_iter().flat_map(|value| self.spread(value));
        let given: Vec<Value> = given.chain(bound.rest.iter().map(|it| it.0.clone())).collect();
        let given = match given.is_empty() {
            true => bound.input.iter().flat_map(|value| self.spread(value)).collect(),
            false => given,
        };
        given.iter().map(|value| self.path_argument(value, span)).collect()
    }

    fn remove(&mut self, bound: &Bound) -> Value {
        let filter = self.name_filter(bound);
        for mut file in self.paths(bound) {
            match paths::drive(file.text.known_prefix()) {
                Some(paths::Drive::Registry) => {
                    self.walk.note("windows.registry.delete", file.span);
                    continue;
                }
                Some(paths::Drive::Session | paths::Drive::Environment) => continue,
                Some(paths::Drive::Directory) => {
                    self.walk.note("windows.account.change", file.span);
                    continue;
                }
                Some(_) => {
                    self.walk.note("windows.cmdlet.remove", file.span);
                    continue;
                }
                None => {}
            }
            if let Some(filter) = &filter
                && !bound.has("recurse")
            {
                file.text.push_known("/");
                file.text.push(Piece::Glob(filter.clone()));
            }
            let recursive = bound.has("recurse")
                || matches!(file.text.pieces.last(), Some(Piece::Glob(glob)) if glob.starts_with("**"));
            self.walk.delete(&file, recursive);
        }
        Value::Nothing
    }

    /// A name that what is meant has to have, where there is one.
    fn name_filter(&self, bound: &Bound) -> Option<String> {
        let filter = bound.get(&["filter", "include"])?;
        let first = filter.elements().into_iter().next()?;
        Some(self.text(&first).as_pattern().unwrap_or_else(|| "*".to_owned()))
    }

    /// Files by their names, as patterns of their paths.
    fn list(&mut self, bound: &Bound) -> Value {
        let place = bound.get(PATH).or(bound.input.as_ref()).cloned();
        let places = place.map_or_else(|| vec![Value::known(".")], |place| place.elements());
        let names: Vec<String> = bound
            .get(&["filter", "include"])
            .map(Value::elements)
            .unwrap_or_default()
            .iter()
            .map(|name| self.text(name).as_pattern().unwrap_or_else(|| "*".to_owned()))
            .collect();
        let mut all = Vec::new();
        for place in places {
            let path = paths::slashed(&self.text(&place));
            match paths::drive(path.known_prefix()) {
                Some(paths::Drive::Environment) => {
                    let everything =
                        path.known_prefix().trim_end_matches(['\\', '/', '*']).len() <= 4;
                    let mut text = Text::unknown("the environment");
                    if everything {
                        text.taint = text.taint.with(crate::text::Taint::SECRET);
                    }
                    all.push(Value::Text(text));
                    continue;
                }
                Some(_) => {
                    all.push(Value::Text(path));
                    continue;
                }
                None => {}
            }
            let recursive = bound.has("recurse") || bound.get(&["depth"]).is_some();
            let is_pattern = matches!(path.pieces.last(), Some(Piece::Glob(_)));
            let below = |name: &str| {
                let mut path = path.clone();
                if is_pattern && !recursive {
                    return path;
                }
                let ends = match path.pieces.last() {
                    Some(Piece::Known(known)) => known.ends_with('/'),
                    _ => false,
                };
                if !ends {
                    path.push_known("/");
                }
                path.push(Piece::Glob(name.to_owned()));
                path
            };
            let here = path.known_prefix();
            let is_here = !here.starts_with(['/', '~', '%'])
                && !here.contains(':')
                && !here.contains("..")
                && !here.is_empty();
            if names.is_empty() || recursive && !is_here {
                all.push(Value::Text(below(if recursive { "**" } else { "*" })));
            } else {
                all.extend(names.iter().map(|name| Value::Text(below(name))));
            }
        }
        Value::of(all)
    }

    fn read_files(&mut self, bound: &Bound) -> Value {
        let mut contents = Vec::new();
        for file in self.paths(bound) {
            match paths::drive(file.text.known_prefix()) {
                Some(paths::Drive::Environment) => {
                    contents.push(Value::Text(super::super::expressions::secret_by_name(
                        Text::unknown(file.text.known_prefix()),
                    )));
                }
                Some(_) => contents.push(Value::Text(Text::unknown(file.text.known_prefix()))),
                None => contents.push(Value::Text(self.walk.read(&file))),
            }
        }
        Value::of(contents)
    }

    fn write_files(&mut self, does: Files, bound: &Bound) -> Value {
        let content = bound
            .get(&["value", "inputobject"])
            .or(bound.input.as_ref())
            .map(|value| self.lines(value))
            .unwrap_or_default();
        let append = does == Files::Append || bound.has("append");
        let mode = if append { WriteMode::Append } else { WriteMode::Replace };
        let span = bound.span_of(PATH);
        for value in bound.get(PATH).map(Value::elements).unwrap_or_default() {
            let file = self.path_argument(&value, span);
            match paths::drive(file.text.known_prefix()) {
                Some(paths::Drive::Registry) => self.registry_set(&file, &content),
                Some(paths::Drive::Environment) => {
                    let name = file.text.display().replace('\\', "/");
                    let name = name.rsplit([':', '/']).next().unwrap_or("").to_owned();
                    let held = vec![Value::Text(content.clone())];
                    self.set_variable(&format!("env:{name}"), held, span);
                }
                Some(paths::Drive::Session) => {
                    let held = bound.get(&["value"]).or(bound.input.as_ref()).cloned();
                    self.set_in_session(&file, held, span);
                }
                Some(_) => {}
                None => self.write_file(&file, mode, content.clone()),
            }
        }
        Value::Nothing
    }

    /// `function:name`, `alias:name`, `variable:name`: what a name of the session stands for.
    fn set_in_session(&mut self, item: &Argument, value: Option<Value>, span: Span) {
        let name = item.text.display().replace(['/', '\\'], "");
        self.set_variable(&name, vec![value.unwrap_or(Value::Nothing)], span);
    }

    /// Several as lines.
    fn lines(&self, value: &Value) -> Text {
        super::super::value::join(value.elements().iter().map(|it| self.text(it)), "\n")
    }

    fn copy(&mut self, does: Files, bound: &Bound) -> Value {
        let span = bound.span;
        let to =
            bound.get(&["destination", "newname"]).or(bound.rest.first().map(|it| &it.0)).cloned();
        let from: Vec<Value> =
            bound.get(PATH).or(bound.input.as_ref()).map(Value::elements).unwrap_or_default();
        if bound.get(&["tosession", "fromsession"]).is_some() {
            self.walk.note("windows.remote.command", span);
        }
        for value in &from {
            let source = self.path_argument(value, bound.span_of(PATH));
            if paths::drive(source.text.known_prefix()).is_some() {
                continue;
            }
            let destination = to.as_ref().map(|to| self.path_argument(to, span));
            match (does, destination) {
                (Files::Copy, destination) => {
                    let content = self.walk.read(&source);
                    let to = destination.unwrap_or(Argument { text: Text::known("."), span });
                    if paths::is_remote(&to.text) {
                        self.send_to_share(&to, content);
                    } else {
                        self.program(&["cp", "-r"], &[&source, &to], span);
                    }
                }
                (_, destination) => {
                    let mut to = destination.unwrap_or(Argument { text: Text::known("."), span });
                    if does == Files::Rename {
                        let mut beside = part_before(&source.text);
                        beside.append(&to.text);
                        to.text = beside;
                    }
                    if paths::is_remote(&to.text) {
                        let content = self.walk.read(&source);
                        self.send_to_share(&to, content);
                        self.walk.delete(&source, true);
                    } else {
                        self.program(&["mv"], &[&source, &to], span);
                    }
                }
            }
        }
        Value::Nothing
    }

    /// Runs a program of which all is known.
    pub(super) fn program(&mut self, words: &[&str], files: &[&Argument], span: Span) -> Text {
        let mut all: Vec<Argument> =
            words.iter().map(|word| Argument { text: Text::known(*word), span }).collect();
        all.extend(files.iter().map(|file| (*file).clone()));
        self.walk.run(&all, None)
    }

    fn make(&mut self, does: Files, bound: &Bound) -> Value {
        let span = bound.span_of(PATH);
        let kind =
            bound.get(&["itemtype"]).and_then(Value::as_known).unwrap_or("").to_ascii_lowercase();
        let value = bound.get(&["value"]).map(|value| self.text(value));
        let mut made = Vec::new();
        let places =
            bound.get(PATH).map(Value::elements).unwrap_or_else(|| vec![Value::known(".")]);
        for place in places {
            let mut file = self.path_argument(&place, span);
            if let Some(name) = bound.get(&["name"]) {
                file.text.push_known("/");
                file.text.append(&paths::slashed(&self.text(name)));
            }
            if paths::drive(file.text.known_prefix()) == Some(paths::Drive::Registry) {
                self.registry_set(&file, &value.clone().unwrap_or_default());
                continue;
            }
            if paths::drive(file.text.known_prefix()) == Some(paths::Drive::Session) {
                self.set_in_session(&file, bound.get(&["value"]).cloned(), span);
            }
            if paths::drive(file.text.known_prefix()).is_some() {
                continue;
            }
            let is_link = kind.contains("link") || kind == "junction";
            let (mode, content) = match &value {
                Some(value) if is_link => (WriteMode::Link, paths::slashed(value)),
                Some(value) if does == Files::New => (WriteMode::Replace, value.clone()),
                _ => (WriteMode::Create, Text::default()),
            };
            self.write_file(&file, mode, content);
            made.push(Value::Text(file.text));
        }
        Value::of(made)
    }

    fn pack(&mut self, bound: &Bound) -> Value {
        let mut content = Text::unknown("an archive");
        for file in self.paths(bound) {
            content.inherit(&self.walk.read(&file));
        }
        if let Some(to) = bound.get(&["destination"]) {
            let file = self.path_argument(to, bound.span_of(&["destination"]));
            self.write_file(&file, WriteMode::Replace, content);
        }
        Value::Nothing
    }

    fn split(&self, bound: &Bound) -> Value {
        let Some(path) = bound.get(PATH).or(bound.input.as_ref()) else { return Value::Nothing };
        let path = paths::slashed(&self.text(path));
        let Some(known) = path.as_known() else {
            return Value::Text(part(&path, "part"));
        };
        let (parent, leaf) = known.trim_end_matches('/').rsplit_once('/').unwrap_or(("", known));
        let stem = leaf.rsplit_once('.').map_or(leaf, |(stem, _)| stem);
        let wanted = if bound.has("leaf") {
            leaf
        } else if bound.has("leafbase") {
            stem
        } else if bound.has("extension") {
            leaf.get(stem.len()..).unwrap_or("")
        } else if bound.has("qualifier") {
            known.split('/').next().unwrap_or("")
        } else if bound.has("noqualifier") {
            known.split_once(':').map_or(known, |(_, rest)| rest)
        } else {
            parent
        };
        Value::known(wanted)
    }
}

/// The directory in front of a file's name, with its slash.
fn part_before(path: &Text) -> Text {
    let Some(known) = path.as_pattern() else { return Text::default() };
    match known.rfind('/') {
        Some(at) => path.derive([Piece::Known(known.get(..=at).unwrap_or("").to_owned())]),
        None => Text::default(),
    }
}

//! What a script knows while it runs: variables, functions, positional parameters, the directory and the files that it
//! wrote. Owns the undo log that makes subshells forget and branches merge; it expands and runs nothing.

mod branches;

use crate::bound::{Bounded, Cut};
use std::{
    collections::{BTreeMap, HashMap},
    rc::Rc,
};

use portcullis_syntax::shell::Command;

use super::stack::Stack;
use crate::pattern;
use crate::{effect::LayerId, text::Text};

/// How many values one variable is followed through. A branch or a loop rarely gives more than two or three; the rest
/// stands as one unknown value.
const ALTERNATIVES: usize = 8;

/// How many functions one name may stand for.
const FUNCTIONS: usize = 4;

/// How many files, and how much of their names, a pattern is compared with.
const MATCHED: usize = 256;

/// How many names lead to one another before the last is taken.
const REFERENCES: usize = 8;

/// How many links of one call are followed; a script that makes more makes a farm of them, not a way around.
const LINKS: usize = 32;

/// Variables that are in every environment.
const ENVIRONMENT: &[&str] = &["HOME", "LANG", "LOGNAME", "OLDPWD", "PATH", "PWD", "SHELL", "USER"];

/// What one variable may hold.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) enum Value {
    /// One text.
    Scalar(Text),
    /// None: it was unset.
    Unset,
    /// An array; keys of associative arrays stand beside their element.
    Array(Vec<(Option<String>, Text)>),
}

impl Value {
    pub(super) fn unknown(name: &str) -> Self {
        Self::Scalar(Text::unknown(name))
    }
}

/// A function's body with the layer that it is written in.
#[derive(Clone, Debug)]
pub(super) struct Function {
    pub(super) body: Rc<Command>,
    pub(super) layer: LayerId,
    pub(super) called: bool,
    /// The number of the shell that defined it.
    pub(super) shell: u32,
    /// Whether shells that this one starts get it.
    pub(super) exported: bool,
    /// Whether the name may as well stand for no function.
    pub(super) doubtful: bool,
}

/// Where relative paths start from.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(super) struct Place {
    /// The directory, where it is known.
    directory: Option<String>,
    /// Where they start from instead where a change of the directory failed.
    elsewhere: Option<String>,
    /// The directory before this one, where it is known.
    previous: Option<String>,
    /// The directories that were put aside.
    stack: Stack,
}

/// Everything that is known.
#[derive(Debug, Default)]
pub(super) struct State {
    variables: HashMap<String, Vec<Value>>,
    /// What each name may stand for, the last definition last.
    functions: HashMap<String, Vec<Function>>,
    files: BTreeMap<String, Vec<Text>>,
    /// What one name stands for instead: variables by `declare -n`, commands by `alias`, paths by `ln`. Never undone, as
    /// forgetting one could only hide what it leads to.
    references: HashMap<String, String>,
    aliases: HashMap<String, Text>,
    /// Settings of git that this text makes, of aliases and of what a push sends, the one that counts last.
    git_settings: Vec<(String, Text)>,
    links: Vec<(String, String)>,
    /// The variables that programs surely get.
    exported: std::collections::HashSet<String>,
    exports_all: bool,
    /// Variables that keep what they hold; whether a script goes on after an attempt depends on how it was started.
    readonly: std::collections::HashSet<String>,
    /// Functions that were forgotten before anything called them, for the last look.
    forgotten: Vec<Function>,
    place: Place,
    positional: Rc<Vec<Text>>,
    log: Vec<Undo>,
    is_cut: bool,
}

/// How to take back one change.
#[derive(Debug)]
enum Undo {
    Variable(String, Option<Vec<Value>>),
    Function(String, Option<Vec<Function>>),
    Directory(Place),
    Positional(Rc<Vec<Text>>),
    Export(String),
}

/// A point to go back to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark(usize);

/// What variables and the directory were at the end of a branch.
#[derive(Debug, Default)]
pub(super) struct Changes {
    variables: HashMap<String, Option<Vec<Value>>>,
    directory: Option<Place>,
}

impl State {
    pub(super) fn new(directory: Option<String>) -> Self {
        Self { place: Place { directory, ..Place::default() }, ..Self::default() }
    }

    /// Every value that a variable may hold; `None` where it was never assigned here.
    pub(super) fn variable(&self, name: &str) -> Option<&[Value]> {
        self.variables.get(self.referred(name)).map(Vec::as_slice)
    }

    pub(super) fn assign(&mut self, name: &str, values: Vec<Value>) {
        let name = self.referred(name).to_owned();
        let name = name.as_str();
        let values = self.beside_readonly(name, values);
        let before = self.variables.insert(name.to_owned(), bounded(values, name));
        self.log.push(Undo::Variable(name.to_owned(), before));
    }

    /// The variables that were assigned here and are wanted, in order, with the value that they were last seen with.
    pub(super) fn assigned(&self, wanted: impl Fn(&str) -> bool) -> Vec<(String, Text)> {
        let mut found: Vec<(String, Text)> = self
            .variables
            .iter()
            .filter(|(name, _)| wanted(name))
            .filter_map(|(name, values)| match values.last()? {
                Value::Scalar(value) => Some((name.clone(), value.clone())),
                Value::Array(_) | Value::Unset => None,
            })
            .collect();
        found.sort_by(|left, right| left.0.cmp(&right.0));
        found
    }

    /// The variable that a name leads to.
    fn referred<'a>(&'a self, name: &'a str) -> &'a str {
        let mut name = name;
        if self.references.is_empty() {
            return name;
        }
        for _ in 0..REFERENCES {
            match self.references.get(name) {
                Some(next) => name = next,
                None => break,
            }
        }
        name
    }

    /// From now on `name` is another name for the variable `target`.
    pub(super) fn refer(&mut self, name: &str, target: &str) {
        if name != target {
            self.references.insert(name.to_owned(), target.to_owned());
            self.is_cut |= self.references.len() > REFERENCES;
        }
    }

    pub(super) fn alias(&self, name: &str) -> Option<&Text> {
        self.aliases.get(name)
    }

    pub(super) fn define_alias(&mut self, name: &str, value: Text) {
        self.aliases.insert(name.to_owned(), value);
    }

    pub(super) fn git_settings(&mut self) -> &mut Vec<(String, Text)> {
        &mut self.git_settings
    }

    /// A link is made; `target` is absolute.
    pub(super) fn link(&mut self, path: &str, target: &str) {
        if path == target {
            return;
        }
        if self.links.len() < LINKS {
            self.links.push((path.to_owned(), target.to_owned()));
        } else {
            self.is_cut = true;
        }
    }

    /// The links that this call made, with what they lead to.
    pub(super) fn all_links(&self) -> Vec<(String, String)> {
        self.links.clone()
    }

    /// How many links there are.
    pub(super) fn links(&self) -> usize {
        self.links.len()
    }

    /// Links that were made after there were so many are gone.
    pub(super) fn forget_links(&mut self, before: usize) {
        self.links.truncate(before);
    }

    /// What the link at exactly this path leads to.
    pub(super) fn linked(&self, path: &str) -> Option<&str> {
        self.links.iter().rev().find(|(from, _)| from == path).map(|(_, to)| to.as_str())
    }

    /// A path with the links that this call made followed in its directories, not in its last part.
    pub(super) fn through_links(&self, path: String) -> String {
        let mut path = path;
        for (from, to) in self.links.iter().rev() {
            if let Some(rest) =
                path.strip_prefix(from.as_str()).filter(|rest| rest.starts_with('/'))
            {
                path = format!("{}{rest}", to.trim_end_matches('/'));
            }
        }
        path
    }

    pub(super) fn unset(&mut self, name: &str) {
        let name = self.referred(name).to_owned();
        let name = name.as_str();
        let values = self.beside_readonly(name, vec![Value::Unset]);
        let before = self.variables.insert(name.to_owned(), values);
        self.log.push(Undo::Variable(name.to_owned(), before));
    }

    /// Every function that a name may stand for.
    pub(super) fn function(&mut self, name: &str) -> Option<Vec<Function>> {
        let ways = self.functions.get_mut(name)?;
        for function in ways.iter_mut() {
            function.called = true;
        }
        Some(ways.clone())
    }

    /// Shells that are started from now on get a function.
    pub(super) fn export_function(&mut self, name: &str) {
        for function in self.functions.get_mut(name).into_iter().flatten() {
            function.exported = true;
        }
    }

    pub(super) fn define(&mut self, name: &str, function: Function) {
        let before = self.functions.insert(name.to_owned(), vec![function]);
        self.log.push(Undo::Function(name.to_owned(), before));
    }

    /// A variable gets back what it held; `None` is a variable that was never assigned here.
    pub(super) fn restore(&mut self, name: &str, values: Option<Vec<Value>>) {
        let before = match values {
            Some(values) => self.variables.insert(name.to_owned(), values),
            None => self.variables.remove(name),
        };
        self.log.push(Undo::Variable(name.to_owned(), before));
    }

    /// From now on a variable keeps what it holds.
    pub(super) fn keep(&mut self, name: &str) {
        self.readonly.insert(self.referred(name).to_owned());
    }

    /// Whether a variable keeps what it holds.
    pub(super) fn is_kept(&self, name: &str) -> bool {
        self.readonly.contains(name)
    }

    /// What a variable may hold after it was given `values`, where it may have refused them.
    fn beside_readonly(&self, name: &str, mut values: Vec<Value>) -> Vec<Value> {
        if self.readonly.contains(name)
            && let Some(kept) = self.variables.get(name)
        {
            values.extend(kept.iter().cloned());
        }
        values
    }

    /// Programs get this variable from now on.
    pub(super) fn export(&mut self, name: &str) {
        if self.exported.insert(name.to_owned()) {
            self.log.push(Undo::Export(name.to_owned()));
        }
    }

    /// What a variable holds for programs, where that is one value which they surely get.
    pub(super) fn passed_on(&self, name: &str) -> Option<&Text> {
        let is_passed = self.exports_all || self.exported.contains(name);
        match self.variable(name).filter(|_| is_passed)? {
            [Value::Scalar(text)] => Some(text),
            _ => None,
        }
    }

    /// Programs do not get this variable any more.
    pub(super) fn keep_back(&mut self, name: &str) {
        self.exported.remove(name);
    }

    /// Whether programs get every variable.
    pub(super) fn exports_all(&self) -> bool {
        self.exports_all
    }

    /// Programs get every variable from now on.
    pub(super) fn export_all(&mut self) {
        self.exports_all = true;
    }

    /// Programs get no variable but those that they are given.
    pub(super) fn forget_environment(&mut self) {
        let names: Vec<String> =
            self.variables.keys().filter(|name| !name.contains(' ')).cloned().collect();
        for name in names {
            self.assign(&name, vec![Value::Unset]);
        }
    }

    /// Doubts what a shell that is started as a program does not get: variables that are not exported here may have been in
    /// the environment before, and then they are passed on; options are its own.
    pub(super) fn keep_exported(&mut self) {
        let everything = self.exports_all;
        let kept = |name: &str| {
            let is_option = name.starts_with("set ") || name.starts_with("shopt ");
            if name.contains(' ') {
                return !is_option;
            }
            everything || self.exported.contains(name) || ENVIRONMENT.contains(&name)
        };
        let left: Vec<String> =
            self.variables.keys().filter(|name| !kept(name.as_str())).cloned().collect();
        for name in left {
            // A shell that lives longer than a call may have exported it before.
            let mut values = vec![Value::Unset];
            values.extend(self.variables.get(&name).into_iter().flatten().cloned());
            self.assign(&name, values);
        }
    }

    /// A function is forgotten; one that nothing called is kept for a last look.
    pub(super) fn undefine(&mut self, name: &str) {
        if let Some(ways) = self.functions.remove(name) {
            self.forgotten.extend(ways.iter().filter(|function| !function.called).cloned());
            self.log.push(Undo::Function(name.to_owned(), Some(ways)));
        }
    }

    /// An option of the shell by the builtin that sets it; `None` where the script did not.
    pub(super) fn option(&self, name: &str) -> Option<bool> {
        match self.variables.get(name)?.as_slice() {
            [Value::Scalar(text)] => Some(!text.is_empty()),
            _ => None,
        }
    }

    /// Whether an option of the shell may be on.
    pub(super) fn may_be_on(&self, name: &str) -> bool {
        self.variables.contains_key(name) && self.option(name) != Some(false)
    }

    /// Whether a variable was given a value, or taken away, by this script.
    pub(super) fn is_set_here(&self, name: &str) -> bool {
        self.variables.contains_key(name)
    }

    /// Functions that nothing called, for a last look.
    pub(super) fn uncalled(&mut self) -> Vec<Function> {
        let mut left: Vec<_> = self
            .functions
            .values_mut()
            .flatten()
            .filter(|function| !function.called)
            .map(|function| {
                function.called = true;
                function.clone()
            })
            .collect();
        left.append(&mut self.forgotten);
        left.sort_by_key(|function| (function.layer, function.body.span));
        left
    }

    pub(super) fn directory(&self) -> Option<&str> {
        self.place.directory.as_deref()
    }

    /// The directory that may be the current one instead, as changing it may have failed.
    pub(super) fn elsewhere(&self) -> Option<&str> {
        self.place.elsewhere.as_deref()
    }

    /// The directory before the current one.
    pub(super) fn previous(&self) -> Option<&str> {
        self.place.previous.as_deref()
    }

    /// The directories that were put aside.
    pub(super) fn stack(&self) -> &Stack {
        &self.place.stack
    }

    /// Other directories are put aside from now on.
    pub(super) fn pile(&mut self, stack: Stack) {
        self.put(Place { stack, ..self.place.clone() });
    }

    /// The directory and what else is known of it.
    pub(super) fn place(&self) -> Place {
        self.place.clone()
    }

    pub(super) fn enter(&mut self, directory: Option<String>) {
        let previous = self.left();
        self.put(Place { directory, elsewhere: None, previous, stack: self.place.stack.clone() });
    }

    /// As [`State::enter`], where the directory may not be there.
    pub(super) fn enter_perhaps(&mut self, directory: Option<String>) {
        let here = self.place.directory.clone();
        let elsewhere = self.place.elsewhere.clone().or(here);
        let stack = self.place.stack.clone();
        self.put(Place { directory, elsewhere, previous: self.left(), stack });
    }

    /// As [`State::enter`], by a link: what is named above it from there on is above where the link leads.
    pub(super) fn enter_by_link(&mut self, directory: Option<String>, leads_to: String) {
        let stack = self.place.stack.clone();
        self.put(Place { directory, elsewhere: Some(leads_to), previous: self.left(), stack });
    }

    /// The directory that `cd -` comes back to, where it is the only one that this may be.
    fn left(&self) -> Option<String> {
        self.place.elsewhere.is_none().then(|| self.place.directory.clone()).flatten()
    }

    /// Changing the directory did succeed.
    pub(super) fn settle(&mut self) {
        if self.place.elsewhere.is_some() {
            self.put(Place { elsewhere: None, ..self.place.clone() });
        }
    }

    /// A branch ends where it began, unless it went elsewhere by itself.
    pub(super) fn stays(&self, changes: &mut Changes) {
        changes.directory.get_or_insert_with(|| self.place.clone());
    }

    pub(super) fn put(&mut self, place: Place) {
        let before = std::mem::replace(&mut self.place, place);
        self.log.push(Undo::Directory(before));
    }

    pub(super) fn positional(&self) -> Rc<Vec<Text>> {
        Rc::clone(&self.positional)
    }

    pub(super) fn set_positional(&mut self, arguments: Vec<Text>) {
        let before = std::mem::replace(&mut self.positional, Rc::new(arguments));
        self.log.push(Undo::Positional(before));
    }

    /// What may stand in a file that this call wrote.
    pub(super) fn file(&self, path: &str) -> Option<&[Text]> {
        self.files.get(path).map(Vec::as_slice)
    }

    /// The files that this call wrote.
    pub(super) fn files(&self) -> impl Iterator<Item = &str> + Clone {
        self.files.keys().map(String::as_str)
    }

    /// What may stand in the files of this call whose names a pattern matches.
    pub(super) fn files_like(&self, path: &str) -> Option<Vec<Text>> {
        if self.files.is_empty() || !path.contains(['*', '?', '[']) {
            return None;
        }
        let pattern: Vec<char> = path.replace("/**/", "/*").chars().collect();
        if self.files.len() > MATCHED || path.len() > MATCHED {
            return Some(vec![Text::unknown(path)]);
        }
        let mut cut = Cut::default();
        let found: Vec<Text> = self
            .files()
            .filter(|path| {
                let path: Vec<char> = path.chars().leading(MATCHED).collect();
                pattern::whole(&pattern, &path)
            })
            .filter_map(|path| self.file(path))
            .flatten()
            .at_most(ALTERNATIVES, &mut cut, portcullis_syntax::Span::default())
            .cloned()
            .collect();
        let rest = cut.happened().then(|| Text::unknown(path));
        let found: Vec<Text> = found.into_iter().chain(rest).collect();
        (!found.is_empty()).then_some(found)
    }

    /// What stands in a file that was changed together with others, by a pattern: there, what was put in is known.
    pub(super) fn file_within(&self, path: &str) -> Option<Vec<Text>> {
        let path: Vec<char> = path.chars().leading(MATCHED).collect();
        let mut patterns = self.files().filter(|pattern| pattern.contains(['*', '?', '[']));
        let found = patterns.find(|pattern| {
            let pattern: Vec<char> =
                pattern.replace("/**/", "/*").chars().leading(MATCHED).collect();
            pattern::whole(&pattern, &path)
        })?;
        let put_in = |content: &&Text| content.pieces.len() > 1;
        let versions: Vec<Text> = self.file(found)?.iter().filter(put_in).cloned().collect();
        (!versions.is_empty()).then_some(versions)
    }

    /// A file is written. `certain` writes replace what was known; others stand beside it. Never undone: a subshell's
    /// files stay.
    pub(super) fn write_file(&mut self, path: &str, content: Text, append: bool, certain: bool) {
        let versions = self.files.entry(path.to_owned()).or_default();
        if append && !versions.is_empty() {
            for version in versions.iter_mut() {
                version.append(&content);
            }
        } else if certain {
            *versions = vec![content];
        } else if !versions.contains(&content) {
            if versions.len() < ALTERNATIVES {
                versions.push(content);
            } else {
                self.is_cut = true;
            }
        }
    }

    /// A state that knows the files and links of this one, and nothing else of it.
    pub(super) fn files_alone(&self, directory: Option<String>) -> Self {
        Self {
            files: self.files.clone(),
            links: self
                .links
                .iter()
                .filter(|(path, _)| !self.files.contains_key(path))
                .cloned()
                .collect(),
            ..Self::new(directory)
        }
    }

    /// Whether more was defined, linked or written than is remembered.
    pub(super) const fn is_cut(&self) -> bool {
        self.is_cut
    }
}

fn bounded(mut values: Vec<Value>, name: &str) -> Vec<Value> {
    if values.len() > ALTERNATIVES {
        values.truncate(ALTERNATIVES - 1);
        values.push(Value::unknown(name));
    }
    values
}

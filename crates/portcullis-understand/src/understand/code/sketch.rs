//! What code in a language without a reader of its own would do: programs that are started, trees that are deleted, files of secrets that are read,
//! and what is sent afterwards. Owns a reading that needs no grammar: a call is a name with texts behind it, whether brackets stand around them or not,
//! and a path is what texts and the home directory are put together to.
//!
//! The functions are known by what they are called in the libraries of many languages. What is computed otherwise is not followed, and nothing is said
//! of it: the reader of the language's calls runs beside this one, and says what it left open.

mod names;
mod parts;

use std::collections::BTreeMap;

use portcullis_syntax::Span;

use self::{
    names::{
        DELETES, ENVIRONMENTS, EVALUATES, HOMES, LISTS, PROGRAMS, SENDS, SETTINGS, SHELLS, TREES,
        WRITES,
    },
    parts::{Part, What, parts, spelling},
};
use crate::{
    bound::Bounded as _,
    effect::{Argument, WriteMode},
    programs::{self, escapes, host::Host},
    text::{Taint, Text},
    understand::shell::Walk,
};

/// How many calls of one file are followed.
const CALLS: usize = 256;

/// How many files are read that one text names below the home directory.
const NAMED: usize = 16;

/// How far a call reaches, in parts.
const REACH: usize = 400;

/// Whether code of a language is read so.
pub(super) fn reads(name: &str, family: &str) -> bool {
    matches!(family, "java" | "lisp" | "julia" | "r") && !matches!(name, "go" | "c" | "cpp" | "c++")
}

/// Reads code, the text of the walk's current layer.
pub(super) fn read(walk: &mut Walk<'_>, name: &str, code: &str) {
    let spelling = spelling(name);
    let (parts, is_cut) = parts(code, &spelling);
    if is_cut {
        walk.left_unread(Span::new(code.len(), code.len()));
    }
    let home = walk.facts().home.clone().unwrap_or_else(|| "~".to_owned());
    let mut sketch = Sketch {
        parts: &parts,
        is_lisp: spelling.is_lisp,
        home,
        known: BTreeMap::new(),
        taken: Text::default(),
    };
    sketch.bind();
    walk.at_likely(|walk| sketch.calls(walk, name));
}

/// What is known while a text is read.
struct Sketch<'p> {
    parts: &'p [Part],
    is_lisp: bool,
    home: String,
    /// What names hold, where a text was put into them.
    known: BTreeMap<String, String>,
    /// What was read of secrets so far.
    taken: Text,
}

impl<'p> Sketch<'p> {
    /// Finds what names hold: `let x = "…"`, `val x = home + "…"`, `x <- getHomeDirectory`.
    fn bind(&mut self) {
        /// How often names that name others are gone through.
        const ROUNDS: usize = 3;
        for _ in 0..ROUNDS {
            let before = self.known.len();
            for (at, part) in self.parts.iter().enumerate() {
                let Some(name) = part.name() else { continue };
                let next = self.parts.get(at + 1);
                let is_set = next.is_some_and(|it| it.is_mark(&["=", ":=", "<-", "?="]));
                // `if let Ok(x) = …`, `Some(x) = …`, `let* x: T = …`.
                let is_wrapped = matches!(next.map(|it| &it.what), Some(What::Close(')')))
                    && self.parts.get(at + 2).is_some_and(|it| it.is_mark(&["="]));
                let is_form = self.is_lisp
                    && matches!(
                        at.checked_sub(1).and_then(|it| self.parts.get(it)).map(|it| &it.what),
                        Some(What::Open('['))
                    )
                    && matches!(next.map(|it| &it.what), Some(What::Text(_) | What::Open('(')));
                if self.known.contains_key(name) {
                    continue;
                }
                let from = match (is_set, is_wrapped, is_form) {
                    (true, ..) => at + 2,
                    (_, true, _) => at + 3,
                    (.., true) => at + 1,
                    _ => continue,
                };
                let to = if is_form { self.form_end(from) } else { self.statement_end(from) };
                let range = self.parts.get(from..to).unwrap_or_default();
                // What a program prints is no path.
                let computes = range
                    .iter()
                    .filter_map(Part::name)
                    .any(|it| is_one(it, SHELLS) || is_one(it, PROGRAMS));
                if computes {
                    continue;
                }
                if let Some(value) = self.path(range) {
                    self.known.insert(name.to_owned(), value);
                }
            }
            if self.known.len() == before {
                break;
            }
        }
    }

    fn calls(&mut self, walk: &mut dyn Host, language: &str) {
        let calls: Vec<usize> = (0..self.parts.len())
            .filter(|at| self.parts.get(*at).is_some_and(|part| part.name().is_some()))
            .filter(|at| self.is_call(*at))
            .collect();
        let end = self.parts.last().map_or(Span::default(), |it| it.span);
        let mut limit = crate::bound::Cut::default();
        let calls: Vec<usize> = calls.into_iter().at_most(CALLS, &mut limit, end).collect();
        limit.report(walk, end);
        for at in &calls {
            self.taken_by(*at);
        }
        for at in calls {
            self.call(walk, at, language);
        }
    }

    fn is_call(&self, at: usize) -> bool {
        let Some(name) = self.parts.get(at).and_then(Part::name) else { return false };
        [SHELLS, PROGRAMS, DELETES, WRITES, EVALUATES, SENDS].iter().any(|list| is_one(name, list))
            || is_one(name, ENVIRONMENTS)
            || self.is_list_of_words(at)
    }

    /// `p.arguments = ["-c", "…"]`.
    fn is_list_of_words(&self, at: usize) -> bool {
        let name = self.parts.get(at).and_then(Part::name).unwrap_or_default();
        is_one(name, &["arguments"])
            && self.parts.get(at + 1).is_some_and(|it| it.is_mark(&["=", ":"]))
    }

    /// Where the arguments of a call stand.
    fn given(&self, at: usize) -> (usize, usize) {
        let from = at + 1;
        if self.is_lisp {
            return (from, self.closing(from));
        }
        match self.parts.get(from).map(|it| &it.what) {
            Some(What::Open('(')) => {
                let end = self.closing(from + 1);
                let mut last = end;
                // `.args([…]).arg("…")`.
                loop {
                    let mut next = last + 1;
                    while self.parts.get(next).is_some_and(|it| matches!(it.what, What::Line(_))) {
                        next += 1;
                    }
                    if !self.parts.get(next).is_some_and(|it| it.is_mark(&["."])) {
                        break;
                    }
                    let names = self.parts.get(next + 1).and_then(Part::name);
                    let is_words =
                        names.is_some_and(|it| is_one(it, &["arg", "args", "command", "withArgs"]));
                    if !is_words
                        || !matches!(
                            self.parts.get(next + 2).map(|it| &it.what),
                            Some(What::Open('('))
                        )
                    {
                        break;
                    }
                    last = self.closing(next + 3);
                }
                (from + 1, last)
            }
            _ => (from, self.statement_end(from)),
        }
    }

    /// Where the bracket closes that is open here.
    fn closing(&self, from: usize) -> usize {
        let mut depth = 0_usize;
        for at in from..self.parts.len().min(from + REACH) {
            match self.parts.get(at).map(|it| &it.what) {
                Some(What::Open(_)) => depth += 1,
                Some(What::Close(_)) if depth == 0 => return at,
                Some(What::Close(_)) => depth -= 1,
                _ => {}
            }
        }
        self.parts.len().min(from + REACH)
    }

    /// Where a form of Lisp ends that begins here.
    fn form_end(&self, from: usize) -> usize {
        match self.parts.get(from).map(|it| &it.what) {
            Some(What::Open(_)) => self.closing(from + 1) + 1,
            _ => from + 1,
        }
    }

    /// Where a statement ends: at the end of its line, but where it goes on in the next one.
    fn statement_end(&self, from: usize) -> usize {
        let mut depth = 0_usize;
        let most = self.parts.len().min(from + REACH);
        for at in from..most {
            let Some(part) = self.parts.get(at) else { break };
            match &part.what {
                What::Open('{') if depth == 0 => return at,
                What::Open(_) => depth += 1,
                What::Close(_) if depth == 0 => return at,
                What::Close(_) => depth -= 1,
                What::Mark(mark) if depth == 0 && mark == ";" => return at,
                What::Line(indent) if depth == 0 => {
                    let goes_on = at.checked_sub(1).and_then(|it| self.parts.get(it)).is_some_and(|before| {
                        matches!(&before.what, What::Mark(mark) if mark != "!" && mark != "?" && mark != ";" && mark != "*")
                    });
                    let next = self.parts.get(at + 1);
                    let is_joined = next.is_some_and(|it| {
                        it.is_mark(&[".", "++", "+", "</>", "<>", "^", "|>", "||", "/"])
                            || matches!(it.what, What::Text(_) | What::Open('['))
                    });
                    if !(goes_on || *indent > 0 && is_joined || at == from) {
                        return at;
                    }
                }
                _ => {}
            }
        }
        most
    }

    /// The whole of the line around a place, from its beginning on.
    fn line_start(&self, at: usize) -> usize {
        (0..at)
            .rev()
            .find(|it| self.parts.get(*it).is_some_and(|part| matches!(part.what, What::Line(_))))
            .map_or(0, |it| it + 1)
    }

    /// The words that parts come to: each text is one, and what is put together is one.
    fn words(&self, range: &[Part]) -> Vec<String> {
        let mut words: Vec<String> = Vec::new();
        // What the next text is put behind: nothing, the one before, or it as a folder.
        let mut glue: Option<&'static str> = None;
        let mut skips = false;
        for (at, part) in range.iter().enumerate() {
            let value = match &part.what {
                What::Text(text) => Some(self.filled(text)),
                What::Name(name) => {
                    let next = range.get(at + 1);
                    let is_label = next.is_some_and(|it| it.is_mark(&[":", "="]));
                    if is_label {
                        skips = SETTINGS.contains(&name.as_str());
                        continue;
                    }
                    self.value_of(name).or_else(|| {
                        let is_call = matches!(next.map(|it| &it.what), Some(What::Open('(')));
                        (glue.is_some() && !is_call).then(|| "value".to_owned())
                    })
                }
                What::Mark(mark) => {
                    match mark.as_str() {
                        "+" | "++" | "<>" | "^" | "&" => glue = Some(""),
                        "/" | "</>" => glue = Some("/"),
                        "," => {
                            glue = None;
                            skips = false;
                        }
                        _ => {}
                    }
                    continue;
                }
                What::Open(_) | What::Close(_) | What::Line(_) => continue,
            };
            let Some(value) = value.filter(|_| !skips) else { continue };
            match (glue.take(), words.last_mut()) {
                (Some(mark), Some(last)) => {
                    if !mark.is_empty() && !last.ends_with('/') {
                        last.push_str(mark);
                    }
                    last.push_str(value.trim_start_matches(|it| !mark.is_empty() && it == '/'));
                }
                _ => words.push(value),
            }
        }
        words
    }

    /// What a name holds.
    fn value_of(&self, name: &str) -> Option<String> {
        if name.split(['.', ':']).any(|part| is_one(part, HOMES)) || is_one(name, HOMES) {
            return Some(self.home.clone());
        }
        self.known.get(name.trim_end_matches(['!', '?'])).cloned()
    }

    /// A text with what is put into it.
    fn filled(&self, text: &str) -> String {
        match text {
            "HOME" | "user.home" | "USERPROFILE" => return self.home.clone(),
            _ => {}
        }
        let mut filled = String::with_capacity(text.len());
        for (at, part) in text.split(['\u{1}', '\u{2}']).enumerate() {
            if at % 2 == 0 {
                filled.push_str(part);
                continue;
            }
            let name = part.trim_end_matches("()");
            let is_home =
                part.contains("\"HOME\"") || part.contains("user.home") || is_one(name, HOMES);
            let value =
                if is_home { Some(self.home.clone()) } else { self.known.get(name).cloned() };
            filled.push_str(value.as_deref().unwrap_or("value"));
        }
        match filled.strip_prefix("~/") {
            Some(rest) => format!("{}/{rest}", self.home),
            None => filled,
        }
    }

    /// The path that parts come to: the home directory and what stands below it, or the first text.
    fn path(&self, range: &[Part]) -> Option<String> {
        let words = self.words(range);
        let first = words.first()?;
        if *first == self.home || first.starts_with('/') {
            let mut path = first.clone();
            for word in
                words.iter().skip(1).filter(|it| !it.contains([' ', '\n']) && **it != self.home)
            {
                path = format!("{}/{}", path.trim_end_matches('/'), word.trim_start_matches('/'));
            }
            return Some(path);
        }
        words.into_iter().next()
    }

    fn argument(&self, text: String, at: usize) -> Argument {
        Argument {
            text: Text::known(text),
            span: self.parts.get(at).map_or(Span::default(), |it| it.span),
        }
    }

    /// Remembers that all variables are taken, so that what is sent later has them.
    fn taken_by(&mut self, at: usize) {
        let name = self.parts.get(at).and_then(Part::name).unwrap_or_default();
        if is_one(name, ENVIRONMENTS) {
            let is_indexed =
                matches!(self.parts.get(at + 1).map(|it| &it.what), Some(What::Open('[')));
            if !is_indexed {
                let mut all = Text::unknown("the environment");
                all.taint = Taint::SECRET;
                self.taken = all;
            }
        }
    }

    fn call(&mut self, walk: &mut dyn Host, at: usize, language: &str) {
        let Some(part) = self.parts.get(at) else { return };
        let name = part.name().unwrap_or_default();
        let (from, to) = self.given(at);
        let range = self.parts.get(from..to.max(from)).unwrap_or_default();
        let span = part.span;
        if is_one(name, SHELLS) || is_one(name, PROGRAMS) || self.is_list_of_words(at) {
            self.started(walk, at, range, span);
        }
        if is_one(name, DELETES) {
            self.deleted(walk, at, range);
        }
        if is_one(name, WRITES) {
            self.written(walk, at, range);
        }
        if is_one(name, EVALUATES) {
            let address = self.words(range).into_iter().find(|it| is_address(it));
            if let Some(address) = address {
                let code = walk.connect(&self.argument(address, at), None, false);
                let language = crate::language::language(language).map_or("java", |it| it.name);
                walk.code(language, &code, span, &[]);
            }
        }
        // A plain word is a call only where brackets, or a form, stand around what it is given.
        let is_called = self.is_lisp
            || name.contains(['.', '/'])
            || matches!(self.parts.get(at + 1).map(|it| &it.what), Some(What::Open('(')))
            || name.starts_with("http")
            || name.starts_with("curl");
        if is_one(name, SENDS) && is_called {
            self.sent(walk, at, range);
        }
    }

    fn started(&self, walk: &mut dyn Host, at: usize, range: &[Part], span: Span) {
        let name = self.parts.get(at).and_then(Part::name).unwrap_or_default();
        let mut words = self.words(range);
        if self.is_list_of_words(at) && words.first().is_none_or(|it| it.starts_with('-')) {
            // The program was named before.
            let line = self.parts.get(at.saturating_sub(60)..at).unwrap_or_default();
            let program = self.words(line).into_iter().rev().find(|it| it.starts_with('/'));
            words.insert(0, program.unwrap_or_else(|| "sh".to_owned()));
        }
        // `["sh", "-c", "…"].execute()`: on what the call is made.
        if words.is_empty() && is_one(name, &["execute", "start", "spawn", "launch"]) {
            words = self.words(self.parts.get(self.line_start(at)..at).unwrap_or_default());
        }
        // learn.microsoft.com, "Process.Start": all arguments stand in one text.
        if let [program, given] = words.as_slice()
            && is_one(name, &["Start"])
            && given.contains(' ')
        {
            words = vec![format!("{program} {given}")];
        }
        let Some(first) = words.first().cloned() else { return };
        if is_one(name, SHELLS) || words.len() == 1 && first.contains(' ') {
            let program = first.split_whitespace().next().unwrap_or_default();
            if is_program(program) || first.contains(['|', '>', '$', ';', '&']) {
                walk.shell(&Text::known(first), span, &[], None);
                return;
            }
        }
        let program = first.rsplit('/').next().unwrap_or(&first);
        if !is_program(program) {
            return;
        }
        let words: Vec<Argument> =
            words.into_iter().map(|word| Argument { text: Text::known(word), span }).collect();
        walk.run(&words, None);
    }

    /// What a call deletes: what it is given, what it is called on, or each file of a directory that is gone through.
    fn deleted(&self, walk: &mut dyn Host, at: usize, range: &[Part]) {
        let line = self.line_start(at);
        let before = self.parts.get(line..at).unwrap_or_default();
        let name = self.parts.get(at).and_then(Part::name).unwrap_or_default();
        let own = name.rsplit_once('.').and_then(|(receiver, _)| self.value_of(receiver));
        let path = self.path(range).or(own).or_else(|| {
            // On what the call is made: a chain of calls in the same line.
            let is_method = name.starts_with('.')
                || at
                    .checked_sub(1)
                    .and_then(|it| self.parts.get(it))
                    .is_some_and(|it| it.is_mark(&[".", "?.", "!."]));
            if is_method { self.path(before) } else { None }
        });
        // Names that much else has as well count where the home directory is in it.
        let is_tree = is_one(name, TREES);
        let is_far = |path: &String| {
            path.starts_with(&self.home)
                || is_tree && (path.starts_with("..") || path.starts_with('/') && path.len() > 1)
        };
        let path = path.filter(is_far).or_else(|| self.gone_through(at));
        let Some(path) = path.filter(|it| !it.is_empty() && !it.contains('\n')) else { return };
        walk.delete(&self.argument(path, at), true);
    }

    /// The directory that is listed in the same statement or just before it.
    fn gone_through(&self, at: usize) -> Option<String> {
        /// How far before it.
        const BEFORE: usize = 40;
        let from = at.saturating_sub(BEFORE);
        let mut listed = (from..at + 20).filter(|it| {
            self.parts.get(*it).and_then(Part::name).is_some_and(|name| is_one(name, LISTS))
        });
        listed.next_back().and_then(|it| {
            let (from, to) = self.given(it);
            let path = self.path(self.parts.get(from..to.max(from)).unwrap_or_default());
            let name = self.parts.get(it).and_then(Part::name).unwrap_or_default();
            let on = name.rsplit_once('.').and_then(|(receiver, _)| self.value_of(receiver));
            let line = self.parts.get(self.line_start(it)..it).unwrap_or_default();
            let path = path.or(on).or_else(|| self.path(line))?;
            let is_far = path.starts_with(&self.home) || matches!(path.as_str(), "." | ".." | "/");
            is_far.then_some(path)
        })
    }

    fn written(&self, walk: &mut dyn Host, at: usize, range: &[Part]) {
        let line = self.parts.get(self.line_start(at)..at).unwrap_or_default();
        let name = self.parts.get(at).and_then(Part::name).unwrap_or_default();
        let own = name.rsplit_once('.').and_then(|(receiver, _)| self.value_of(receiver));
        let path = own.or_else(|| self.path(line)).or_else(|| self.path(range));
        let Some(path) = path.filter(|it| it.starts_with(&self.home) && *it != self.home) else {
            return;
        };
        walk.write(&self.argument(path, at), WriteMode::Append, Text::unknown("a program"));
    }

    /// What is sent to an address: secrets that the text reads, or the environment.
    fn sent(&mut self, walk: &mut dyn Host, at: usize, range: &[Part]) {
        let line = self.parts.get(self.line_start(at)..at).unwrap_or_default();
        let words = self
            .words(range)
            .into_iter()
            .chain(self.words(line))
            .chain(self.known.values().cloned());
        let Some(address) = words.into_iter().find(|it| is_address(it)) else { return };
        let mut sends = self.taken.clone();
        // Whatever stands below the home directory and is named by the text.
        let span = self.parts.get(at).map_or(Span::default(), |it| it.span);
        let named: Vec<String> = self.named().into_iter().at_most(NAMED, walk, span).collect();
        for path in named {
            sends.append(&walk.read(&self.argument(path, at)));
        }
        if !sends.is_empty() {
            walk.connect(&self.argument(address, at), Some(sends), false);
        }
    }

    /// Paths below the home directory that the text puts together.
    fn named(&self) -> Vec<String> {
        let below = format!("{}/", self.home);
        let mut named: Vec<String> =
            self.known.values().filter(|it| it.starts_with(&below)).cloned().collect();
        let mut from = 0;
        for (at, part) in self.parts.iter().enumerate() {
            if matches!(part.what, What::Line(_)) || at + 1 == self.parts.len() {
                let range = self.parts.get(from..=at).unwrap_or_default();
                let words = self.words(range);
                named.extend(words.iter().filter(|it| it.starts_with(&below)).cloned());
                if words.contains(&self.home) {
                    named.extend(self.path(range).filter(|it| it.starts_with(&below)));
                }
                from = at + 1;
            }
        }
        named.sort();
        named.dedup();
        named
    }
}

/// Whether the last part of a name, or the whole of it, is one of a list.
fn is_one(name: &str, list: &[&str]) -> bool {
    let plain = name.trim_end_matches('!');
    let last = plain.rsplit(['.', ':', '/']).next().unwrap_or(plain);
    list.iter().any(|it| *it == name || *it == plain || *it == last)
}

fn is_address(text: &str) -> bool {
    ["http://", "https://", "ftp://", "ws://", "wss://"].iter().any(|it| text.starts_with(it))
}

/// Whether a word is a program that is known, so that what stands behind it are its words.
fn is_program(word: &str) -> bool {
    let word = word.rsplit('/').next().unwrap_or(word);
    escapes::is_shell(word) || programs::program(word).is_some() || programs::notable::names(word)
}

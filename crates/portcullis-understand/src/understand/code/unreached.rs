//! Functions that are defined, and that nothing in the text can call. Owns how a call that is not followed is told from none at all: a
//! name that stands anywhere else may be called there, and where code looks names up by texts any may.

use std::{collections::HashMap, ops::Range, rc::Rc};

use portcullis_syntax::code::TokenKind;

use super::{interpreter::Interpreter, value::Value};
use crate::bound::Bounded;

mod chosen;
mod compiled;
mod stepped;

/// How many functions are looked for, and how far back the head of one is.
const FUNCTIONS: usize = 64;

/// See [`FUNCTIONS`].
const HEAD: usize = 256;

/// Words by which code finds what it does not name.
const FINDS: &[&str] = &[
    "__builtins__",
    "__class__",
    "__dict__",
    "__filename",
    "__getattribute__",
    "__globals__",
    "__import__",
    "__subclasses__",
    "_current_frames",
    "_getframe",
    "attrgetter",
    "bdb",
    "cProfile",
    "compileFunction",
    "currentframe",
    "doctest",
    "eval",
    "exec",
    "f_back",
    "f_globals",
    "f_locals",
    "fire",
    "gc",
    "get_ipython",
    "get_objects",
    "getattr",
    "getmembers",
    "globals",
    "import_module",
    "locals",
    "meta",
    "methodcaller",
    "modules",
    "mro",
    "nose",
    "pdb",
    "profile",
    "pytest",
    "runInContext",
    "runInNewContext",
    "runInThisContext",
    "runctx",
    "runpy",
    "timeit",
    "trace",
    "unittest",
];

/// The same, where they belong to nothing: `x.vars` is something else.
const FINDS_BARE: &[&str] = &["Function", "__main__", "global", "globalThis", "vm", "window"];

/// The same, where they are called or looked into: variables have these names too.
const FINDS_CALLED: &[&str] = &["compile", "dir", "self", "vars"];

/// Names by which others than the text call: of tests, of services that run a function, of tools that run a file.
const ENTRIES: &[&str] = &[
    "app",
    "application",
    "downgrade",
    "handler",
    "lambda_handler",
    "main",
    "onmessage",
    "upgrade",
];

/// Functions that only look at one, by their whole paths.
const LOOKS: &[&str] = &[
    "callable",
    "dis.dis",
    "help",
    "inspect.getdoc",
    "inspect.getfullargspec",
    "inspect.getsource",
    "inspect.getsourcelines",
    "inspect.isfunction",
    "inspect.signature",
    "print",
    "repr",
    "typing.get_type_hints",
];

/// Members of one that only tell of it.
const TELLS: &[&str] =
    &["__annotations__", "__doc__", "__name__", "__qualname__", "length", "name", "toString"];

/// A function of which it is asked whether anything calls it.
struct Candidate {
    /// The token of its name where it is defined.
    name: usize,
    body: Range<usize>,
    /// Where the classes are named whose method it is.
    of: Vec<usize>,
}

impl Interpreter<'_, '_, '_> {
    /// The bodies of functions and classes that nothing before the token at `end` can call.
    pub(super) fn unreached(&mut self, end: usize) -> Vec<Range<usize>> {
        let is_read = matches!(self.language, "python" | "javascript");
        // What a file only defines, whoever reads the file may call.
        if !is_read || self.walk.is_called_by_others() || !self.spend(end / 8 + 1) {
            return Vec::new();
        }
        let mut candidates = self.defined_by_name(end);
        let mut exported = self.exported_methods(end);
        exported.extend(self.unchosen(end));
        if candidates.is_empty() && exported.is_empty()
            || candidates.len() > FUNCTIONS
            || self.finds_names(end)
        {
            return Vec::new();
        }
        let mut mentions: HashMap<&str, Vec<usize>> = HashMap::new();
        for candidate in &candidates {
            mentions.entry(self.name_at(candidate.name)).or_default();
        }
        for (at, token) in self.unit.tokens.iter().enumerate().leading(end) {
            let text = token.span.of(self.source);
            match &token.kind {
                TokenKind::Text(_) | TokenKind::Command(_) => {
                    let held = mentions.iter_mut().filter(|(name, _)| text.contains(**name));
                    held.for_each(|(_, places)| places.push(at));
                }
                _ => {
                    if let Some(places) = mentions.get_mut(text) {
                        places.push(at);
                    }
                }
            }
        }
        let heads: Vec<usize> = candidates.iter().map(|it| it.name).collect();
        let mut exports = self.exports(end);
        exports.extend(exported.iter().cloned());
        let never_done = self.seen.never_done.iter();
        let never_done = never_done.filter(|(unit, _)| Rc::ptr_eq(unit, &self.unit));
        exports.extend(never_done.map(|(_, body)| body.clone()));
        // What only stands in the body of another that nothing calls, nothing calls.
        loop {
            let count = candidates.len();
            let bodies: Vec<Range<usize>> = candidates.iter().map(|it| it.body.clone()).collect();
            let is_harmless = |at: usize| {
                heads.contains(&at)
                    || bodies.iter().chain(&exports).any(|range| range.contains(&at))
                    || self.only_looks(at)
            };
            let names: Vec<usize> = candidates.iter().map(|it| it.name).collect();
            candidates.retain(|candidate| {
                // Of a class that nothing makes an object of, a method is only known where the class is.
                let own = |class: &&Range<usize>| class.contains(&candidate.name);
                let own: Vec<&Range<usize>> =
                    self.classes.iter().map(|(_, class)| class).filter(own).collect();
                let is_elsewhere = |at: &usize| {
                    !candidate.of.is_empty() && !own.iter().any(|class| class.contains(at))
                };
                let places = mentions.get(self.name_at(candidate.name));
                places.is_some_and(|places| {
                    places.iter().all(|at| is_harmless(*at) || is_elsewhere(at))
                }) && candidate.of.iter().all(|class| names.contains(class))
            });
            if candidates.len() == count {
                break;
            }
        }
        candidates.into_iter().map(|candidate| candidate.body).chain(exported).collect()
    }

    /// Whether the body of a function lies in one of these.
    pub(super) fn is_within(&self, index: usize, bodies: &[Range<usize>]) -> bool {
        self.functions.get(index).is_some_and(|function| {
            Rc::ptr_eq(&function.unit, &self.unit)
                && bodies
                    .iter()
                    .any(|body| body.start <= function.body.start && function.body.end <= body.end)
        })
    }

    /// Whether a function was defined in an earlier call.
    pub(super) fn is_of_before(&self, index: usize) -> bool {
        self.functions.get(index).is_some_and(|function| {
            Rc::ptr_eq(&function.unit, &self.unit) && function.body.start < self.before
        })
    }

    /// The text of a token, wherever the reading stands.
    pub(super) fn name_at(&self, at: usize) -> &str {
        self.unit.tokens.get(at).map_or("", |token| token.span.of(self.source))
    }

    /// Functions and classes with a name of their own, which nothing around them does something with.
    fn defined_by_name(&self, end: usize) -> Vec<Candidate> {
        let functions = self.functions.iter().filter(|function| {
            !function.called && Rc::ptr_eq(&function.unit, &self.unit) && function.body.end <= end
        });
        let mut all: Vec<Candidate> = functions
            .filter_map(|function| {
                let start = function.body.start;
                let is_head = |at: &usize| {
                    let before = at.checked_sub(1).map_or("", |at| self.name_at(at));
                    match before {
                        "def" | "function" => true,
                        "const" | "let" | "var" => self.name_at(at + 1) == "=",
                        // `exports.down = async (knex) => { … }`
                        "." => {
                            self.name_at(at + 1) == "="
                                && at.checked_sub(2).is_some_and(|it| self.name_at(it) == "exports")
                        }
                        _ => false,
                    }
                };
                let mut heads = (start.saturating_sub(HEAD)..start).rev();
                let name = heads.find(is_head)?;
                // A function that is handed on where it stands, a method that others know by its name.
                let is_method = self.classes.iter().any(|(_, class)| class.contains(&name));
                if is_method || self.name_at(name - 1) == "function" && !self.is_statement(name - 1)
                {
                    return None;
                }
                // Nothing but parameters stands between.
                let after = name + 1 + usize::from(self.name_at(name + 1) == "=");
                let after = after + usize::from(self.name_at(after) == "async");
                let after = after + usize::from(self.name_at(after) == "function");
                let is_function = self.name_at(after) == "(" || self.name_at(after + 1) == "=>";
                let close = match self.name_at(after) {
                    "(" => self.unit.partners.get(after).copied()?,
                    _ => after,
                };
                let is_own = close < start && self.ends_a_head(close + 1..start);
                (is_function && is_own && !self.is_decorated_at(name - 1)).then(|| Candidate {
                    name,
                    body: function.body.clone(),
                    of: Vec::new(),
                })
            })
            .collect();
        let mut classes: HashMap<&str, usize> = HashMap::new();
        for (class, body) in &self.classes {
            let is_head = |at: &usize| {
                self.name_at(*at) == class
                    && at.checked_sub(1).is_some_and(|before| self.name_at(before) == "class")
            };
            let heads = body.start.saturating_sub(HEAD)..body.start;
            let Some(name) = heads.rev().find(is_head) else { continue };
            // What a class is made from may do something with each that is.
            let is_alone = if self.language == "python" {
                name + 1 == body.start && self.has_plain_bases(body.start, &classes)
            } else {
                self.is_statement(name - 1)
            };
            let is_plain = is_alone
                && body.end <= end
                && !self.is_decorated_at(name.saturating_sub(1))
                && !["__set_name__", "__init_subclass__", "__del__"]
                    .iter()
                    .any(|hook| body.clone().any(|at| self.name_at(at) == *hook));
            if is_plain {
                let colon =
                    (body.start..body.end).find(|at| matches!(self.name_at(*at), ":" | "{"));
                all.push(Candidate { name, body: name..colon.unwrap_or(name), of: Vec::new() });
                classes.insert(class, name);
            }
        }
        let is_known = |candidate: &Candidate| {
            let name = self.name_at(candidate.name);
            name.starts_with("__") || name.starts_with("test") || ENTRIES.contains(&name)
        };
        all.retain(|candidate| !is_known(candidate));
        all.extend(self.methods(&classes));
        all
    }

    /// Whether what stands behind the name of a class at `at` names no other classes than those, and some that do nothing with it.
    fn has_plain_bases(&self, at: usize, classes: &HashMap<&str, usize>) -> bool {
        const PLAIN: &[&str] = &["ABC", "Exception", "Protocol", "object"];
        if self.name_at(at) == ":" {
            return true;
        }
        let close = self.unit.partners.get(at).copied().unwrap_or(at);
        self.name_at(at) == "("
            && self.name_at(close + 1) == ":"
            && (at + 1..close).all(|at| {
                let word = self.name_at(at);
                matches!(word, "," | ".")
                    || matches!(word, "abc" | "typing") && self.name_at(at + 1) == "."
                    || matches!(self.name_at(at + 1), "," | ")")
                        && (classes.contains_key(word)
                            || PLAIN.contains(&word) && !self.named.contains_key(word))
            })
    }

    /// The methods of classes, which their objects alone call; what else a class has is done while it is made.
    fn methods(&self, classes: &HashMap<&str, usize>) -> Vec<Candidate> {
        let mut of: HashMap<usize, Vec<Option<usize>>> = HashMap::new();
        for (path, index) in &self.named {
            if let Some((class, _)) = path.split_once('.') {
                of.entry(*index).or_default().push(classes.get(class).copied());
            }
        }
        let methods = of.into_iter().filter_map(|(index, of)| {
            let function = self.functions.get(index)?;
            let start = function.body.start;
            // One of a class that others know is theirs.
            let of: Vec<usize> = of.into_iter().collect::<Option<_>>()?;
            let is_head = |at: &usize| {
                let close = self.unit.partners.get(at + 1).copied().unwrap_or(start);
                self.name_at(at + 1) == "("
                    && close < start
                    && self.ends_a_head(close + 1..start)
                    && self.named.keys().any(|path| {
                        path.split_once('.').is_some_and(|(_, name)| name == self.name_at(*at))
                    })
            };
            let name = (start.saturating_sub(HEAD)..start).rev().find(is_head)?;
            let is_free = !function.called
                && Rc::ptr_eq(&function.unit, &self.unit)
                && !self.is_decorated_at(name.saturating_sub(1));
            is_free.then(|| Candidate { name, body: function.body.clone(), of })
        });
        methods.collect()
    }

    /// Whether these tokens stand between the parameters of a function and its body, and nothing else does.
    fn ends_a_head(&self, range: Range<usize>) -> bool {
        let words: Vec<&str> = range.map(|at| self.name_at(at)).collect();
        if self.language == "python" {
            let said = words.split_last().filter(|(last, _)| **last == ":").map(|(_, said)| said);
            return said.is_some_and(|said| {
                said.is_empty()
                    || said.first() == Some(&"->")
                        && !said.iter().any(|word| matches!(*word, ":" | "(" | "lambda"))
            });
        }
        matches!(words.as_slice(), [] | ["{" | "=>"] | ["=>", "{"])
            || words.first() == Some(&":")
                && !words.iter().skip(1).any(|word| matches!(*word, "(" | ";" | "," | "=" | ":"))
    }

    /// Whether the word `function` at `at` begins a statement.
    fn is_statement(&self, at: usize) -> bool {
        let at = match at.checked_sub(1).map_or("", |before| self.name_at(before)) {
            "async" => at - 1,
            _ => at,
        };
        let begins = self.unit.tokens.get(at).is_some_and(|token| token.first);
        match at.checked_sub(1).map_or("", |before| self.name_at(before)) {
            "" | ";" | "}" | "{" | "export" => true,
            ")" | "]" => begins,
            before => {
                begins && before.starts_with(|it: char| it.is_alphanumeric()) && before != "return"
            }
        }
    }

    /// Whether the line before the word at `at` begins with `@`.
    fn is_decorated_at(&self, at: usize) -> bool {
        let mut at = at;
        // `async def`, `export function`
        while matches!(
            at.checked_sub(1).map_or("", |before| self.name_at(before)),
            "async" | "export" | "default"
        ) {
            at -= 1;
        }
        while let Some(before) = at.checked_sub(1) {
            let partner = self.unit.partners.get(before).copied().unwrap_or(before);
            at = partner.min(before);
            if self.name_at(at) == "@" {
                return true;
            }
            if self.unit.tokens.get(at).is_some_and(|token| token.first) {
                return false;
            }
        }
        false
    }

    /// Whether code looks names up by texts, or by what they stand in.
    pub(super) fn finds_names(&self, end: usize) -> bool {
        (0..end).any(|at| {
            let word = self.name_at(at);
            let kind = self.unit.tokens.get(at).map(|token| &token.kind);
            if matches!(kind, Some(TokenKind::Text(_) | TokenKind::Command(_))) {
                // A module that runs texts.
                return matches!(
                    word.trim_matches(['"', '\'', '`']),
                    "vm" | "node:vm" | "repl" | "node:repl"
                );
            }
            // A name may be written in other letters that mean the same ones.
            if !word.is_ascii() || word.contains('\\') {
                return true;
            }
            if self.language == "javascript" && word == "exports" && !self.is_export(at)
                || word == "module" && self.language == "javascript" && self.name_at(at + 1) != "."
            {
                return true;
            }
            let is_member = || at.checked_sub(1).is_some_and(|at| self.name_at(at) == ".");
            FINDS.contains(&word)
                || FINDS_BARE.contains(&word) && !is_member()
                || FINDS_CALLED.contains(&word)
                    && !is_member()
                    && matches!(self.name_at(at + 1), "(" | "[")
                || word == "this" && self.name_at(at + 1) == "["
        })
    }

    /// Whether nobody takes what the call gives that ends where the reading stands: it is a statement of Python by itself.
    pub(super) fn is_dropped(&self) -> bool {
        let Some(close) = self.at.checked_sub(1) else { return false };
        let open = self.unit.partners.get(close).copied().unwrap_or(close);
        let is_first = |at: usize| self.unit.tokens.get(at).is_none_or(|token| token.first);
        self.language == "python"
            && self.brackets == 0
            && open < close
            && is_first(self.at)
            && open.checked_sub(1).is_some_and(|name| is_first(name) && self.is_name(name))
    }

    /// Whether the call that ends where the reading stands is a statement by itself that always runs: in no block, condition or function.
    pub(super) fn stands_alone(&self) -> bool {
        let Some(mut at) = self.at.checked_sub(1).filter(|_| self.calls == 0) else { return false };
        loop {
            at = self.unit.partners.get(at).copied().unwrap_or(at).min(at);
            if self.unit.tokens.get(at).is_some_and(|token| token.first) {
                break;
            }
            let word = self.name_at(at);
            let is_of_call = word == "."
                || word == "("
                || self.unit.tokens.get(at).is_some_and(|token| token.kind == TokenKind::Name);
            // `tw = Client(…)`, `const mailer = createTransport(…)`
            if !is_of_call && word != "=" && word != "{" && word != "}" {
                return false;
            }
            let Some(before) = at.checked_sub(1) else { break };
            at = before;
        }
        let is_around = |open: usize| {
            self.unit.partners.get(open).is_some_and(|close| *close > at && open < at)
        };
        if (0..at).any(is_around) {
            return false;
        }
        const BRANCHES: &[&str] = &[
            "async", "await", "case", "do", "elif", "else", "except", "for", "if", "return", "try",
            "while", "with",
        ];
        if self.language == "python" {
            let is_outermost = self.unit.tokens.get(at).is_some_and(|token| token.indent == 0);
            return is_outermost && !BRANCHES.contains(&self.name_at(at));
        }
        let before = at.checked_sub(1).map_or("", |before| self.name_at(before));
        !BRANCHES.contains(&self.name_at(at))
            && (matches!(before, "" | ";" | "}") || before.ends_with(['"', '\'', '`']))
    }

    /// Whether `exports` at `at` is given something, and not asked for it.
    fn is_export(&self, at: usize) -> bool {
        let next = self.name_at(at + 1);
        next == "=" || next == "." && self.name_at(at + 3) == "="
    }

    /// Where names are listed that others may import: nobody does in this run.
    fn exports(&self, end: usize) -> Vec<Range<usize>> {
        let mut all = Vec::new();
        for at in 0..end {
            let open = match (self.name_at(at), self.name_at(at + 1), self.name_at(at + 2)) {
                ("__all__", "=", "[" | "(") => at + 2,
                ("exports", "=", "{") => at + 2,
                ("export", "{", _) => at + 1,
                _ => continue,
            };
            let close = self.unit.partners.get(open).copied().unwrap_or(open);
            // `module.exports = { run: wipe() }`
            let calls = (open + 1..close).any(|at| matches!(self.name_at(at), "(" | "`"));
            if !calls {
                all.push(open..close);
            }
        }
        all
    }

    /// Whether the name at `at` is only looked at: `inspect.signature(wipe)`, `wipe.__doc__`.
    fn only_looks(&self, at: usize) -> bool {
        let before = |back: usize| at.checked_sub(back).map_or("", |at| self.name_at(at));
        let is_told = self.name_at(at + 1) == "."
            && TELLS.contains(&self.name_at(at + 2))
            && !matches!(self.name_at(at + 3), "=" | "." | "[");
        // `wipe.__code__.co_names`
        let is_told = is_told
            || self.name_at(at + 1) == "."
                && self.name_at(at + 2) == "__code__"
                && self.name_at(at + 3) == "."
                && self.name_at(at + 4).starts_with("co_")
                && !matches!(self.name_at(at + 5), "=" | "." | "(");
        let looks = before(1) == "(" && self.name_at(at + 1) == ")" && {
            let bare = before(2).to_owned();
            let path = if before(3) == "." { format!("{}.{bare}", before(4)) } else { bare };
            (before(3) != "." || before(5) != ".") && self.only_looks_by(&path)
        };
        // `typeof Wiper`
        let looks = looks
            || self.language == "javascript"
                && before(1) == "typeof"
                && !matches!(self.name_at(at + 1), "." | "(" | "[" | "?.");
        // `exports.wipe = wipe`
        let is_exported = before(1) == "=" && before(3) == "." && before(4) == "exports";
        is_told || looks || is_exported
    }

    /// Whether a function that is called by this path does no more with what it is given than to look at it.
    pub(super) fn only_looks_by(&self, path: &str) -> bool {
        if self.language == "perl" && path.ends_with(".coderef2text") {
            return true;
        }
        let root = path.split('.').next().unwrap_or_default();
        let is_itself = match self.variables.get(root) {
            None => !path.contains('.') || self.modules.contains(root),
            Some(Value::Name(name, _)) => &**name == root,
            Some(_) => false,
        };
        self.language == "python"
            && LOOKS.contains(&path)
            && is_itself
            && !self.named.contains_key(root)
            // Something else may be put in its place: `inspect.signature = run`.
            && !(0..self.unit.tokens.len()).any(|at| {
                path.ends_with(self.name_at(at))
                    && !self.name_at(at).is_empty()
                    && self.name_at(at + 1) == "="
            })
    }
}

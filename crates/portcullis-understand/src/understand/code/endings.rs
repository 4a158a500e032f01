//! What is done where the block of a statement ends: contexts are left, and a class is handed to its decorators. Owns when that is.

use portcullis_syntax::Span;

use super::{
    interpreter::Interpreter,
    tables::Act,
    value::{Given, Value},
};

/// How many such blocks are around a statement.
const ENDINGS: usize = 64;

/// What is done at an end.
#[derive(Debug)]
pub(super) struct Ending {
    /// The token behind the block.
    end: usize,
    /// How many calls were being read when the block began.
    calls: usize,
    does: Does,
}

#[derive(Debug)]
enum Does {
    /// A context of a class of the script is left.
    Leaves(Value),
    /// The directory is the one again that it was before.
    GoesBack(Option<String>),
    /// Names are worth again what they were before.
    GivesBack(Vec<(String, Option<Value>)>),
    /// What is above a class is told of it: the function, the class and what its head says besides.
    TellsBase(usize, String, Vec<Given>),
    /// A class goes through a function of the script, which may put another one in its place.
    Decorates(Value, String),
}

impl Interpreter<'_, '_, '_> {
    /// `with Lock() as lock:`, read as far as the value that was entered.
    pub(super) fn entered(&mut self, start: usize, value: &Value) {
        let Value::Name(path, _) = value else { return };
        let is_entered = match self.word_at(start - 1) {
            "with" => true,
            "," | "(" => self.is_head_of_with(start),
            _ => false,
        };
        if is_entered && self.class_of(path).is_some() {
            let end = self.block_end(start);
            self.enters(end, value);
        }
    }

    /// A context is entered whose block ends at `end`.
    pub(super) fn enters(&mut self, end: usize, value: &Value) {
        let Value::Name(path, _) = value else { return };
        let class = self.class_of(path);
        let leaves = |class: &String| {
            ["__exit__", "__aexit__"]
                .iter()
                .any(|method| self.named.contains_key(&format!("{class}.{method}")))
        };
        if class.is_some_and(|class| leaves(&class)) {
            self.at_end(end, Does::Leaves(value.clone()));
        }
    }

    /// `contextlib.chdir(directory)`: entered by `with` for as long as its block, by a call for good; what else enters it is not followed.
    pub(super) fn enters_directory(&mut self, given: &[Given], span: Span) {
        let at = self.unit.tokens.partition_point(|token| token.span.start < span.start);
        let before = at.checked_sub(1).map_or("", |at| self.word_at(at));
        let is_with = before == "with" || matches!(before, "," | "(") && self.is_head_of_with(at);
        let is_called = self.word() == "." && self.word_at(self.at + 1) == "__enter__"
            || before == "(" && at > 1 && self.word_at(at - 2) == "enter_context";
        if !is_with && !is_called {
            return self.left_open(span);
        }
        let outer = self.walk.directory().map(str::to_owned);
        self.act(Act::Enter, "os.chdir", given, span);
        if is_with {
            self.at_end(self.block_end(at), Does::GoesBack(outer));
        }
    }

    /// `with mock.patch.dict(os.environ, {"HOME": directory}):`: for as long as the block, and nowhere else.
    pub(super) fn patches_environment(&mut self, given: &[Given], span: Span) {
        let [of, with @ ..] = given else { return };
        let is_environment = matches!(&of.value, Value::Name(path, _) if &**path == "os.environ")
            || of.value.as_known() == Some("os.environ");
        let at = self.unit.tokens.partition_point(|token| token.span.start < span.start);
        if !is_environment || !self.is_head_of_with(at) || self.endings.len() >= ENDINGS {
            return;
        }
        let mut set = Vec::new();
        for given in with {
            match (&given.name, &given.value) {
                (Some(name), value) if name != "clear" && name != "values" => {
                    set.push((name.clone(), value.clone()));
                }
                (_, Value::Table(table)) => set.extend(table.iter().cloned()),
                _ => {}
            }
        }
        let mut before = Vec::new();
        for (name, value) in set {
            let name = format!("os.environ.{name}");
            before.push((name.clone(), self.variables.get(&name).cloned()));
            self.bind(name, value);
        }
        self.at_end(self.block_end(at), Does::GivesBack(before));
    }

    /// Whether a name is worth something else for as long as a block around lasts.
    pub(super) fn is_patched_for_now(&self, name: &str) -> bool {
        self.endings.iter().any(|ending| {
            matches!(&ending.does, Does::GivesBack(names) if names.iter().any(|(it, _)| it == name))
        })
    }

    fn give_back(&mut self, names: Vec<(String, Option<Value>)>) {
        for (name, value) in names.into_iter().rev() {
            match value {
                Some(value) => self.variables.insert(name, value),
                None => self.variables.remove(&name),
            };
        }
    }

    /// Whether the line of the token at `at` begins with `with`.
    fn is_head_of_with(&self, at: usize) -> bool {
        /// How long such a head is.
        const HEAD: usize = 64;
        let first = (at.saturating_sub(HEAD)..at).rev().find(|at| self.is_first(*at));
        first.is_some_and(|first| {
            let first = first + usize::from(self.word_at(first) == "async");
            self.word_at(first) == "with"
        })
    }

    /// The class that is defined up to `end` goes through its decorators then, the nearest first.
    pub(super) fn decorated_at(&mut self, end: usize, class: &str) {
        for decorator in std::mem::take(&mut self.decorated) {
            self.at_end(end, Does::Decorates(decorator, class.to_owned()));
        }
    }

    /// A class is made up to `end`, and the function of one above it hears of that then.
    pub(super) fn tells_base(&mut self, end: usize, index: usize, class: &str, given: Vec<Given>) {
        self.at_end(end, Does::TellsBase(index, class.to_owned(), given));
    }

    /// Calls a function of a class for one below it, whose fields are those of `cls` meanwhile.
    fn apply_for_class(&mut self, index: usize, class: &str, given: &[Given]) {
        let from = format!("{class}.");
        let fields: Vec<(String, Value)> = self
            .variables
            .iter()
            .filter_map(|(path, value)| {
                Some((format!("cls.{}", path.strip_prefix(&from)?), value.clone()))
            })
            .collect();
        let mut before = Vec::new();
        for (name, value) in fields {
            before.push((name.clone(), self.variables.insert(name, value)));
        }
        self.apply(index, Some(given));
        for (name, value) in before {
            match value {
                Some(value) => self.variables.insert(name, value),
                None => self.variables.remove(&name),
            };
        }
    }

    fn at_end(&mut self, end: usize, does: Does) {
        if self.endings.len() >= ENDINGS {
            self.limit();
            return;
        }
        self.endings.push(Ending { end, calls: self.calls, does });
    }

    /// Does what is to be done where the blocks end that end before the token at `at`.
    pub(super) fn end_blocks(&mut self, at: usize) {
        while let Some(last) = self.endings.last() {
            if last.calls < self.calls || last.calls == self.calls && at < last.end {
                return;
            }
            let Some(Ending { does, calls, .. }) = self.endings.pop() else { return };
            // What a call that is over left behind.
            if calls > self.calls {
                match does {
                    Does::GoesBack(directory) => {
                        self.flush();
                        self.walk.go_to(directory);
                    }
                    Does::GivesBack(names) => self.give_back(names),
                    Does::TellsBase(index, class, given) => {
                        self.apply_for_class(index, &class, &given);
                    }
                    Does::Leaves(_) | Does::Decorates(..) => {}
                }
                continue;
            }
            let span = self.span_from(at.saturating_sub(1));
            match does {
                Does::Leaves(object) => {
                    let nothing = [(); 3].map(|()| Value::name("None"));
                    for method in ["__exit__", "__aexit__"] {
                        self.by_itself(&object, method, &nothing, span);
                    }
                }
                Does::GoesBack(directory) => {
                    self.flush();
                    self.walk.go_to(directory);
                }
                Does::GivesBack(names) => self.give_back(names),
                Does::TellsBase(index, class, given) => {
                    self.apply_for_class(index, &class, &given);
                }
                Does::Decorates(decorator, class) => {
                    let given = vec![Given { name: None, value: Value::name(&class), span }];
                    match self.call_value(decorator, given, span) {
                        Value::Name(path, _) if *path == class => {}
                        made => self.bind(class, made),
                    }
                }
            }
        }
    }
}

//! Examples in the docstrings of a module, which doctest runs, and the tests of a module, which unittest and pytest run. Owns which functions of
//! these libraries do so, and in which order.

use std::rc::Rc;

use portcullis_syntax::{
    Span,
    code::{TextPart, TokenKind},
};

use super::{
    interpreter::{Interpreter, Unit},
    value::{Given, Value},
};
use crate::bound::Bounded;

/// How many lines of examples are run, and how many tests.
const RUN: usize = 512;

/// What the examples of a line that says this are: not run.
const SKIPPED: &str = "+SKIP";

/// What `unittest` calls around each test of a class, in its order.
const AROUND_TESTS: [&[&str]; 2] =
    [&["setUpClass", "setUp", "asyncSetUp"], &["tearDown", "asyncTearDown", "tearDownClass"]];

impl Interpreter<'_, '_, '_> {
    /// Functions that run the examples or the tests of the module that calls them.
    pub(super) fn runs_examples(&mut self, path: &str, given: &[Given], span: Span) {
        if self.runs_own {
            return;
        }
        self.runs_own = true;
        self.run_examples_of(path, given, span);
        self.runs_own = false;
    }

    fn run_examples_of(&mut self, path: &str, given: &[Given], span: Span) {
        match path {
            "doctest.testmod"
            | "doctest.DocTestSuite"
            | "doctest.DocTestFinder().find"
            | "xdoctest.doctest_module" => {
                // Those of another module stand in its own file.
                let is_other = given.first().is_some_and(|first| {
                    first.name.is_none()
                        && matches!(&first.value, Value::Name(path, _) if self.modules.contains(&**path))
                });
                if !is_other {
                    self.examples_of_module();
                }
            }
            "doctest.run_docstring_examples" | "doctest.debug_src" => {
                match given.first().and_then(|first| first.value.as_known()) {
                    Some(text) => {
                        let code = examples_in(text);
                        if !code.is_empty() {
                            self.run_code(path, "python", &Value::known(&code), span);
                        }
                    }
                    None => self.examples_of_module(),
                }
            }
            "doctest.testfile" | "doctest.DocFileSuite" => {
                let file = self.place_of(given.first());
                self.flush();
                let text = self.walk.read_by_script(&file);
                let code = text.as_known().map(examples_in).unwrap_or_default();
                if !code.is_empty() {
                    self.run_code(path, "python", &Value::known(&code), span);
                }
            }
            "pytest.main" | "unittest.TextTestRunner().run" | "unittest.main" => self.run_tests(),
            _ => {}
        }
    }

    /// Runs what stands behind `>>>` in the texts that stand for themselves.
    fn examples_of_module(&mut self) {
        let unit = Rc::clone(&self.unit);
        let is_alone = |at: usize| {
            let begins = unit.tokens.get(at).is_some_and(|token| token.first);
            begins && unit.tokens.get(at + 1).is_none_or(|next| next.first)
        };
        let texts = unit.tokens.iter().enumerate().filter_map(|(at, token)| match &token.kind {
            TokenKind::Text(parts) if is_alone(at) => match &**parts {
                [TextPart::Literal(text)] if text.contains(">>>") => Some((&**text, token.span)),
                _ => None,
            },
            _ => None,
        });
        let mut lines = 0;
        for (text, span) in texts {
            // In the text as it is written each line has its place, so that it is read with the names of the module.
            for line in in_order(span.of(self.source), span.range().start) {
                lines += 1;
                if lines > RUN || !self.spend(1) {
                    return self.limit();
                }
                match line {
                    Example::Line(place) => self.run_example(place),
                    // What goes over several lines is code of its own.
                    Example::Lines => {
                        let code = examples_in(text);
                        self.run_code("doctest.testmod", "python", &Value::known(&code), span);
                        break;
                    }
                }
            }
        }
    }

    fn run_example(&mut self, place: Span) {
        let (unit, is_whole) = Unit::new(self.source, place, self.dialect);
        if !is_whole {
            self.limit();
        }
        let all = 0..unit.tokens.len();
        self.within(Rc::new(unit), all, |inner| {
            let end = inner.end;
            inner.statements(end);
        });
    }

    /// Runs the tests of the module: functions and methods whose names begin so, with what stands around them.
    fn run_tests(&mut self) {
        let of_class = |class: &str| -> Vec<(String, usize)> {
            let from = format!("{class}.");
            let methods = self
                .named
                .iter()
                .filter_map(|(path, index)| Some((path.strip_prefix(&from)?.to_owned(), *index)));
            let mut methods: Vec<_> = methods.collect();
            methods.sort_by_key(|(_, index)| *index);
            methods
        };
        let mut order: Vec<usize> = Vec::new();
        for (class, _) in &self.classes {
            let is_case = self.is_test_case(class);
            if !is_case && !class.starts_with("Test") {
                continue;
            }
            let methods = of_class(class);
            let named = |names: &[&str]| -> Vec<usize> {
                let found = names.iter().filter_map(|name| {
                    methods.iter().find(|(method, _)| method == name).map(|(_, index)| *index)
                });
                found.collect()
            };
            let [before, after] = AROUND_TESTS.map(named);
            let tests = methods.iter().filter(|(name, _)| name.starts_with("test"));
            for (_, index) in tests {
                order.extend(before.iter().chain([index]).chain(&after));
            }
        }
        let plain = self.named.iter().filter(|(name, _)| name.starts_with("test"));
        let mut plain: Vec<usize> = plain.map(|(_, index)| *index).collect();
        plain.sort_unstable();
        order.extend(plain.into_iter().filter(|index| !order.contains(index)).collect::<Vec<_>>());
        if order.len() > RUN {
            self.limit();
        }
        let outer = self.walk.in_closed_script(false);
        for index in order.into_iter().leading(RUN) {
            self.apply(index, None);
        }
        self.walk.in_closed_script(outer);
    }

    /// Whether a class is made from one of unittest's, whatever stands between.
    pub(super) fn is_test_case(&self, class: &str) -> bool {
        let is_case = |class: &str| {
            self.bases.get(class).is_some_and(|base| {
                base.rsplit('.').next().is_some_and(|last| last.ends_with("TestCase"))
            })
        };
        is_case(class) || self.parents.iter().any(|(own, base)| own == class && is_case(base))
    }
}

/// An example: one line at its place, or one that goes over several.
enum Example {
    Line(Span),
    Lines,
}

/// The examples of a text as it is written, which begins at `start`.
fn in_order(written: &str, start: usize) -> Vec<Example> {
    let mut examples = Vec::new();
    let mut at = start;
    for line in written.split_inclusive('\n') {
        let begin = at;
        at += line.len();
        let plain = line.trim_start_matches(['"', '\'', 'r', 'R', 'u', 'U']).trim_start();
        let whole = if begin == start { plain } else { line.trim_start() };
        if let Some(code) = whole.strip_prefix(">>>") {
            if !code.contains(SKIPPED) {
                let from = begin + (line.len() - code.len());
                let end =
                    from + code.trim_end().trim_end_matches("\"\"\"").trim_end_matches("'''").len();
                examples.push(Example::Line(Span::new(from, end)));
            }
        } else if whole.starts_with("...") && !examples.is_empty() {
            return vec![Example::Lines];
        }
    }
    examples
}

/// The code of the examples in a text.
fn examples_in(text: &str) -> String {
    let mut code = String::new();
    let mut is_within = false;
    for line in text.lines() {
        let line = line.trim_start();
        let rest =
            line.strip_prefix(">>>").or_else(|| line.strip_prefix("...").filter(|_| is_within));
        is_within = rest.is_some();
        if let Some(rest) = rest.filter(|rest| !rest.contains(SKIPPED)) {
            code.push_str(rest.strip_prefix(' ').unwrap_or(rest));
            code.push('\n');
        }
    }
    code
}

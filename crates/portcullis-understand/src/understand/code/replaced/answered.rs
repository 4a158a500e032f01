//! Requests that are answered in the program: what `nock` has an answer for, and what Mock Service Worker has a handler for. Owns which
//! requests those are; all others go out.

use super::{
    super::{
        interpreter::Interpreter,
        value::{Given, Value},
    },
    names_members,
};

/// What makes requests by a function whose first argument, or whose options, are the address.
const REQUESTS: &[&str] = &[
    "axios",
    "fetch",
    "got",
    "http",
    "https",
    "needle",
    "node-fetch",
    "request",
    "superagent",
    "undici",
];

/// Words by which the real service may answer after all.
const REAL: &[&str] =
    &["allowUnmocked", "bypass", "cleanAll", "enableNetConnect", "passthrough", "restore", "use("];

/// The methods that functions are called by.
const VERBS: &[&str] = &["delete", "get", "head", "options", "patch", "post", "put"];

/// How many answers are known.
const ANSWERS: usize = 64;

/// What is answered.
#[derive(Debug)]
pub(in super::super) struct Answered {
    /// What its address is: segments that begin with `:` and `*` stand for any.
    address: String,
    /// To which method; to any where that is `all`.
    verb: String,
    /// How often; some answer always.
    left: Option<usize>,
    /// Whether what answers was started.
    is_on: bool,
    /// Whether all that lies below the address is refused where there is no answer for it.
    is_base: bool,
}

impl Interpreter<'_, '_, '_> {
    /// `nock("https://api.example.com").delete("/users/1").reply(204)`, `http.delete("https://api.example.com/users/:id", …)`.
    pub(in super::super) fn notice_answers(&mut self, path: &str, given: &[Given]) {
        if self.language != "javascript" || !(path.starts_with("nock") || path.starts_with("msw")) {
            return;
        }
        let first = || given.first().and_then(|it| it.value.as_known()).map(str::to_owned);
        let last = path.rsplit('.').next().unwrap_or_default();
        let is_verb = last == "all" || VERBS.contains(&last);
        match path {
            "nock" => {
                if let Some(base) = first() {
                    // What it was told nothing of it refuses.
                    self.answers(base, "all", Some(0));
                }
            }
            _ if path.starts_with("nock()") => {
                let Some(answer) = self.seen.answered.last_mut() else { return };
                match last {
                    "reply" | "replyWithError" | "replyWithFile" => {
                        answer.left = answer.left.map(|left| left + 1);
                    }
                    "persist" => answer.left = None,
                    _ => {}
                }
            }
            "msw/node.setupServer().listen" if self.is_closed_behind_tests() => {
                self.seen.answered.iter_mut().for_each(|answer| answer.is_on = true);
            }
            _ if is_verb && (path.starts_with("msw.http.") || path.starts_with("msw.rest.")) => {
                if let Some(address) = first() {
                    self.answers(address, last, None);
                }
            }
            _ => {}
        }
    }

    fn answers(&mut self, address: String, verb: &str, left: Option<usize>) {
        if has_host(&address) && self.seen.answered.len() < ANSWERS {
            let is_base = left.is_some();
            let verb = verb.to_owned();
            self.seen.answered.push(Answered { address, verb, left, is_on: is_base, is_base });
        }
    }

    /// Whether whatever closes a server stands in what is called behind all tests.
    fn is_closed_behind_tests(&self) -> bool {
        (1..self.unit.tokens.len())
            .filter(|at| self.word_at(*at) == "close" && self.word_at(at - 1) == ".")
            .all(|at| self.handed_to(at, &["after", "afterAll"]).is_some())
    }

    /// Whether a request is answered in the program.
    pub(in super::super) fn is_answered(&mut self, path: &str, given: &[Given]) -> bool {
        let module = path.strip_prefix("node:").unwrap_or(path);
        let root = module.split(['.', '(']).next().unwrap_or_default();
        if self.seen.answered.is_empty()
            || !REQUESTS.contains(&root)
            || REAL.iter().any(|word| self.source.contains(word))
            || names_members(self.source)
        {
            return false;
        }
        let Some(first) = given.first() else { return false };
        let told = first.value.entry("url").unwrap_or(&first.value);
        let text = told.text();
        let (address, is_whole) = (text.known_prefix().to_owned(), !text.has_unknown());
        let last = path.rsplit('.').next().unwrap_or_default();
        let verb = match given.iter().find_map(|it| it.value.entry("method")) {
            Some(verb) => verb.as_known().map(str::to_ascii_lowercase),
            None if VERBS.contains(&last) => Some(last.to_owned()),
            None => Some("get".to_owned()),
        };
        let Some(verb) = verb else { return false };
        // In a loop each may be the one behind the last answer.
        let is_repeated = self.is_repeated(first.span);
        let found = self.seen.answered.iter_mut().find(|answer| {
            answer.is_on
                && (answer.verb == "all" || answer.verb == verb)
                && (is_whole || answer.is_base)
                && is_of(&answer.address, &address, answer.is_base)
                && answer.left.is_none_or(|left| left > 0 && !is_repeated)
        });
        let Some(answer) = found else { return false };
        answer.left = answer.left.map(|left| left.saturating_sub(1));
        true
    }
}

/// Whether an address has a host, which nothing in it leaves open.
fn has_host(address: &str) -> bool {
    let host = address.split_once("://").map_or("", |(_, rest)| rest);
    let host = host.split('/').next().unwrap_or_default();
    !host.is_empty() && !host.contains('*')
}

/// Whether an address is one of those that a pattern stands for; `is_base` where it is all below it.
fn is_of(pattern: &str, address: &str, is_base: bool) -> bool {
    let address = address.split(['?', '#']).next().unwrap_or_default();
    let mut parts = address.split('/');
    for one in pattern.trim_end_matches('/').split('/') {
        match parts.next() {
            Some(_) if one == "*" => return true,
            Some(part) if one == part || one.starts_with(':') && !part.is_empty() => {}
            _ => return false,
        }
    }
    is_base || parts.next().is_none()
}

/// Whether what a value is was made by a library of doubles, so that its methods do nothing.
pub(super) fn is_of_a_double(path: &str) -> bool {
    /// What makes such values. Sources: the libraries' own pages.
    const MAKES: &[&str] = &[
        "jest-mock-extended.mock()",
        "jest-mock-extended.mockDeep()",
        "mock.AsyncMock()",
        "mock.MagicMock()",
        "mock.Mock()",
        "mock.create_autospec()",
        "sinon.createStubInstance()",
        "unittest.mock.AsyncMock()",
        "unittest.mock.MagicMock()",
        "unittest.mock.Mock()",
        "unittest.mock.NonCallableMock()",
        "unittest.mock.create_autospec()",
        "vitest-mock-extended.mock()",
        "vitest-mock-extended.mockDeep()",
    ];
    MAKES.iter().any(|made| {
        path.strip_prefix(made)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '(', '[']))
    })
}

impl Interpreter<'_, '_, '_> {
    /// Whether a method is one of a double, which nothing leads on to the real thing.
    pub(super) fn is_method_of_double(&self, path: &str) -> bool {
        is_of_a_double(path) && !super::REAL.iter().any(|word| self.source.contains(word))
    }

    /// `jest.spyOn(fs, "rmSync").mockImplementation(() => {})`: what stands behind the call of `spyOn` that was read just now says what is done
    /// in the place of the method.
    pub(super) fn spied(&mut self, path: &str, given: &[Given]) {
        const DOES_NOTHING: &[&str] =
            &["mockImplementation", "mockRejectedValue", "mockResolvedValue", "mockReturnValue"];
        if self.word() != "." || !DOES_NOTHING.contains(&self.word_at(self.at + 1)) {
            return;
        }
        let open = self.at + 2;
        let close = self.partner(open);
        if self.word_at(open) != "(" {
            return;
        }
        let is_function = (open..close).any(|at| matches!(self.word_at(at), "=>" | "function"));
        let calls = (open + 1..close).any(|at| self.word_at(at) == "(");
        if is_function {
            let first = self.unit.tokens.get(open + 1).map(|token| token.span);
            let last = self.unit.tokens.get(close.saturating_sub(1)).map(|token| token.span);
            let (Some(first), Some(last)) = (first, last) else { return };
            let with =
                Given { name: None, value: Value::unknown("a function"), span: first.to(last) };
            if !self.is_made_up(Some(&with)) {
                return;
            }
        } else if calls {
            return;
        }
        let Some(of) = given.get(..2) else { return };
        self.replace_method(path, of);
    }
}

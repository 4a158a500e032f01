//! What a test puts something else in the place of: libraries that only play a service in memory, and functions that are patched for as long
//! as a block lasts. Owns what then does nothing; a patch that may run the real thing after all is none.

use super::{
    interpreter::Interpreter,
    played::Client,
    value::{Given, Value},
};

mod answered;
mod ends;
mod fixtures;
mod modules;

pub(super) use answered::Answered;
use fixtures::of_object;
use modules::plain_module;

/// Libraries whose servers and files are in the memory of the program alone: their own pages say so.
const FAKES: &[&str] = &[
    "aioresponses",
    "axios-mock-adapter",
    "fakeredis",
    "fetch-mock",
    "ioredis-mock",
    "memfs",
    "mongo-mock",
    "mongomock",
    "mongomock_motor",
    "msw",
    "msw/node",
    "pg-mem",
    "redis-mock",
    "requests_mock",
    "responses",
    "respx",
    "sql.js",
];

/// Clients of services that make their requests by what `http` and `https` of Node do, which [`Interpreter::replace_for_good`] puts aside.
const CLIENTS: &[&str] = &[
    "@octokit/core",
    "@octokit/request",
    "@octokit/rest",
    "@sendgrid/mail",
    "@slack/web-api",
    "node-fetch",
    "octokit",
    "twilio",
];

/// Whether a path begins with one of the libraries that keep a service's data in the program.
pub(super) fn is_fake(path: &str) -> bool {
    FAKES.iter().any(|fake| {
        path.strip_prefix(fake).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '(']))
    })
}

/// What a patch may be given besides its target.
const HARMLESS: &[&str] =
    &["autospec", "create", "return_value", "side_effect", "spec", "spec_set"];

/// Words by which what was put aside may run after all, or what runs outlasts the patch.
const REAL: &[&str] = &[
    "Process(",
    "Thread",
    "Timer",
    "__del__",
    "TEST_PREFIX",
    "__wrapped__",
    ".side_effect",
    "configure_mock",
    "non_mocked_hosts",
    "should_mock",
    "add_passthru",
    "atexit",
    "call_later",
    "create_task",
    "finalize(",
    "pass_through",
    "passthrough",
    "real_http",
    "reload(",
    "signal.",
    ".pause(",
    ".stop(",
    "temp_original",
    "wraps",
];

/// Patches of libraries: how they are written, and what does nothing outside of the program as long as they last. Sources: the pages of
/// responses, requests-mock, respx, aioresponses and pyfakefs. What lets through whatever it was not told of is not here.
const PATCHES: &[(&str, &[&str])] = &[
    ("aioresponses.aioresponses", &["aiohttp"]),
    ("httpretty.activate", &["http.client", "httplib2", "requests", "urllib"]),
    ("httpretty.enabled", &["http.client", "httplib2", "requests", "urllib"]),
    ("httpretty.httprettified", &["http.client", "httplib2", "requests", "urllib"]),
    ("pyfakefs.fake_filesystem_unittest.Patcher", FILES),
    ("pyfakefs.fake_filesystem_unittest.patchfs", FILES),
    ("requests_mock.Mocker", &["requests"]),
    ("requests_mock.mock", &["requests"]),
    ("responses.RequestsMock", &["requests"]),
    ("responses.activate", &["requests"]),
    ("respx.mock", &["httpx"]),
];

/// What pytest hands to a test that asks for it by this name, and what then does nothing outside of the program. Sources: the pages of pyfakefs,
/// pytest-httpx, requests-mock and respx.
const FIXTURES: &[(&str, &[&str])] = &[
    ("fs", FILES),
    ("httpx_mock", &["httpx"]),
    ("requests_mock", &["requests"]),
    ("respx_mock", &["httpx"]),
];

/// What works on files in Python; programs that are started find the real ones.
const FILES: &[&str] = &[
    "open",
    "os.makedirs",
    "os.mkdir",
    "os.remove",
    "os.removedirs",
    "os.rename",
    "os.replace",
    "os.rmdir",
    "os.unlink",
    "shutil",
];

/// How many managers of one block are read.
const MANAGERS: usize = 16;

/// How many tokens of a patch are looked at.
const TOKENS: usize = 64;

/// A function, or a library, that does nothing in a block.
pub(super) struct Replaced {
    path: String,
    /// The token behind the block.
    end: usize,
    /// How many functions were being read around it.
    calls: usize,
}

impl Interpreter<'_, '_, '_> {
    /// Whether what is called does nothing outside of this program.
    pub(super) fn is_replaced(&self, path: &str) -> bool {
        let is_below = |name: &str| {
            path.strip_prefix(name)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '(', '[']))
        };
        // A block of Ruby may be read where it is called.
        let is_left = |end: usize| self.language == "ruby" && self.at > end;
        self.replaced.iter().any(|it| is_below(&it.path) && !is_left(it.end))
            || self.client_of(path) == Client::Plays
            || self.is_method_of_double(path)
            || FAKES.iter().any(|fake| self.modules.contains(*fake) && is_below(fake))
    }

    /// `self.setUpPyfakefs()`: from then on the files of the test are in memory.
    pub(super) fn plays_files(&mut self) {
        let is_read = self.language == "python"
            && self.modules.iter().any(|module| module.starts_with("pyfakefs"))
            && !REAL.iter().any(|word| self.source.contains(word));
        if is_read {
            let all = FILES.iter().map(|path| (*path).to_owned());
            let all = all.map(|path| Replaced { path, end: usize::MAX, calls: 0 });
            self.replaced.extend(all);
        }
    }

    /// Whether anything does nothing where we are.
    pub(super) fn puts_aside(&self) -> bool {
        !self.replaced.is_empty()
    }

    /// `mockClient(S3Client)` of aws-sdk-client-mock, `nock.disableNetConnect()`: from then on, unless something takes it back.
    pub(super) fn replace_for_good(&mut self, path: &str, given: &[Given]) {
        // What takes it back may stand behind the function that is read.
        let outer = std::mem::replace(&mut self.end, self.unit.tokens.len());
        self.replace_from_here(path, given);
        self.end = outer;
    }

    fn replace_from_here(&mut self, path: &str, given: &[Given]) {
        const REQUESTS: &[&str] =
            &["axios", "got", "http", "https", "needle", "request", "superagent"];
        let mut until = usize::MAX;
        let paths: Vec<String> = match path {
            // Mock Service Worker answers what it has a handler for, and refuses the rest only where it is told so.
            "msw/node.setupServer().listen"
                if given.iter().any(|it| {
                    let option = it.value.entry("onUnhandledRequest");
                    option.and_then(Value::as_known) == Some("error")
                }) && !["passthrough", "bypass", "once"]
                    .iter()
                    .any(|word| self.source.contains(word))
                    && !names_members(self.source) =>
            {
                let ends = |at: &usize| {
                    matches!(self.word_at(*at), "close" | "resetHandlers" | "restoreHandlers")
                };
                let first = (self.at..self.unit.tokens.len()).find(ends);
                until = first.map_or(usize::MAX, |end| self.behind_test(end));
                REQUESTS.iter().chain(&["fetch"]).map(|name| (*name).to_owned()).collect()
            }
            "aws-sdk-client-mock.mockClient"
                if !names_members(self.source) && !self.is_under_condition() =>
            {
                let restores = |at: &usize| {
                    self.name_at(*at) == "restore"
                        && at.checked_sub(1).is_some_and(|dot| self.name_at(dot) == ".")
                };
                // What stands before, or in a function, may be called at any time.
                let is_called = || {
                    ["=>", "function", "setTimeout", "process."]
                        .iter()
                        .any(|word| self.source.contains(word))
                };
                let any = (0..self.unit.tokens.len()).any(|at| restores(&at));
                if any && is_called() || (0..self.at).any(|at| restores(&at)) {
                    return;
                }
                until = (self.at..self.unit.tokens.len()).find(restores).unwrap_or(usize::MAX);
                let named = given.first().map(|given| &given.value);
                match named {
                    Some(Value::Name(path, _)) => {
                        path.split('.').next().map(str::to_owned).into_iter().collect()
                    }
                    _ => return,
                }
            }
            // The files of the runtime are in memory until the real ones are put back.
            "mock-fs"
                if !["bypass", "mock.load", "Reflect"]
                    .iter()
                    .any(|it| self.source.contains(it)) =>
            {
                return self.replaces_files();
            }
            "nock.disableNetConnect"
                if !["enableNetConnect", ".restore(", "allowUnmocked", "passthrough"]
                    .iter()
                    .any(|it| self.source.contains(it)) =>
            {
                REQUESTS.iter().chain(CLIENTS).map(|name| (*name).to_owned()).collect()
            }
            // `jest.mock("twilio", () => …)`: whoever requires the module gets the other one, from wherever in the file.
            "jest.mock" | "vi.mock" | "vitest.vi.mock" | "@jest/globals.jest.mock"
                if ![
                    "requireActual",
                    "importActual",
                    "unmock",
                    "doUnmock",
                    "importOriginal",
                    "jest =",
                    "vi =",
                ]
                .iter()
                .any(|it| self.source.contains(it))
                    && self.stands_alone() =>
            {
                let name = given.first().and_then(|it| it.value.as_known());
                let Some(name) = name.filter(|name| self.is_replaced_whole(name)) else { return };
                if !self.is_made_up(given.get(1)) {
                    return;
                }
                let mut all = vec![plain_module(name).to_owned()];
                // The functions of both are called alike.
                if plain_module(name) == "fs/promises" {
                    all.push("fs".to_owned());
                }
                all
            }
            // `mock.method(fs, 'rm', async () => {})`: until something puts the real one back.
            "sinon.stub"
            | "testdouble.replace"
            | "node:test.mock.method"
            | "test.mock.method"
            | "t.mock.method"
            | "test().mock.method"
            | "node:test().mock.method"
                if path != "t.mock.method"
                    || self.modules.contains("node:test")
                        && !["mock:", "mock ="].iter().any(|word| self.source.contains(word))
                        && !self.binds_word("t") =>
            {
                return self.replace_method(path, given);
            }
            "jest.spyOn" | "vi.spyOn" | "vitest.vi.spyOn" | "@jest/globals.jest.spyOn" => {
                return self.spied(path, given);
            }
            // What an agent that lets nothing through is made the one of all requests.
            "undici.setGlobalDispatcher"
                if matches!(given, [Given { value: Value::Name(agent, _), .. }]
                        if &**agent == "undici.MockAgent()")
                    && self.source.contains("disableNetConnect")
                    && !["enableNetConnect", "getGlobalDispatcher", "dispatcher:"]
                        .iter()
                        .any(|word| self.source.contains(word))
                    && self.source.matches("setGlobalDispatcher(").count() == 1
                    && self.stands_alone() =>
            {
                vec!["undici".to_owned(), "fetch".to_owned()]
            }
            // What they have no answer for is refused.
            "fetch-mock.mockGlobal" | "fetch-mock.default.mockGlobal"
                if !["fallbackToNetwork", "restore", "spy", "unmock"]
                    .iter()
                    .any(|word| self.source.contains(word)) =>
            {
                vec!["fetch".to_owned()]
            }
            "jest-fetch-mock.enableMocks" | "jest-fetch-mock.default.enableMocks"
                if !["disableMocks", "dontMock", "mockIf", "mockOnlyIf"]
                    .iter()
                    .any(|word| self.source.contains(word)) =>
            {
                vec!["fetch".to_owned()]
            }
            // It answers for this client whatever it is asked.
            "axios-mock-adapter"
                if !["restore", "passThrough", "onNoMatch"]
                    .iter()
                    .any(|word| self.source.contains(word)) =>
            {
                match given.first().map(|it| &it.value) {
                    Some(Value::Name(client, _)) if client.starts_with("axios") => {
                        vec![client.to_string()]
                    }
                    _ => return,
                }
            }
            _ => return,
        };
        if until != usize::MAX {
            let calls = self.calls;
            self.replaced.extend(paths.into_iter().map(|path| Replaced {
                path,
                end: until,
                calls,
            }));
            return;
        }
        let all = paths.into_iter().map(|path| Replaced { path, end: usize::MAX, calls: 0 });
        let mut all: Vec<Replaced> = all.collect();
        // They outlast every block.
        all.append(&mut self.replaced);
        self.replaced = all;
    }

    /// Where a server is closed: `t.after(() => server.close())` waits for the end of the test that says so.
    fn behind_test(&self, end: usize) -> usize {
        // Another `t` is another's.
        if self.binds_word("t") {
            return end;
        }
        let waits = (0..end).rev().any(|open| {
            self.word_at(open) == "("
                && self.partner(open) > end
                && open.checked_sub(3).is_some_and(|at| {
                    ["t", ".", "after"]
                        .iter()
                        .enumerate()
                        .all(|(next, word)| self.word_at(at + next) == *word)
                })
        });
        let around =
            (0..self.at).rev().find(|open| self.word_at(*open) == "{" && self.partner(*open) > end);
        match around {
            Some(open) if waits => self.partner(open),
            _ => end,
        }
    }

    /// `mock.method(fs, 'rm', async () => {})`: until something puts the real one back.
    fn replace_method(&mut self, path: &str, given: &[Given]) {
        let [of, name, with @ ..] = given else { return };
        let (Value::Name(of, _), Some(name)) = (&of.value, name.value.as_known()) else {
            return;
        };
        // A stub of its own does nothing, unless it is told to do something after all.
        let is_stub = matches!(path, "sinon.stub" | "testdouble.replace")
            && with.is_empty()
            && !["callThrough", "callsFake", "wrappedMethod", "get(", "value("]
                .iter()
                .any(|word| self.source.contains(word));
        let is_spy = path.ends_with(".spyOn");
        if !is_stub && !is_spy && !matches!(with, [Given { value: Value::Function(_), .. }, ..]) {
            return;
        }
        let is_kept = self.keeps_real(name);
        let back = |at: &usize| {
            // A variable may be called `reset`; what gives the real one back under another name is taken for it.
            let is_member = || at.checked_sub(1).is_some_and(|it| self.word_at(it) == ".");
            match self.word_at(*at) {
                "restore" | "restoreAll" | "bypass" => true,
                "mockReset" | "mockRestore" | "resetAllMocks" | "restoreAllMocks" => true,
                "reset" => is_member(),
                _ => false,
            }
        };
        // What may put it back unseen: a function that stands before, a name that is put together.
        let hides = [
            "mock[", "[\"mock", "['mock", "[`mock", "sinon[", "[\"re", "['re", "[`re", "Reflect",
            "eval(",
        ];
        if is_kept
            || (0..self.at).any(|at| back(&at))
            || hides.iter().any(|it| self.source.contains(it))
        {
            return;
        }
        let Some(end) = (self.at..self.unit.tokens.len()).find(back) else {
            let path = if matches!(&**of, "globalThis" | "global") {
                name.to_owned()
            } else {
                format!("{of}.{name}")
            };
            self.replaced.push(Replaced { path, end: usize::MAX, calls: self.calls });
            return;
        };
        let of_it = if matches!(&**of, "globalThis" | "global") {
            name.to_owned()
        } else {
            format!("{of}.{name}")
        };
        let all: Vec<usize> = (self.at..self.unit.tokens.len()).filter(back).collect();
        if self.replaces_for_tests(&[of_it], &all) {
            return;
        }
        // In a function that stands behind it may run before what stands between.
        let at = self.at;
        let opens = |inside: usize| {
            (0..inside)
                .rev()
                .find(|open| self.word_at(*open) == "{" && self.partner(*open) > inside)
        };
        if opens(at) != opens(end) {
            return;
        }
        let path = format!("{of}.{name}");
        self.replaced.push(Replaced { path, end, calls: self.calls });
    }

    /// Whether the text gives a name a value.
    fn binds_word(&self, name: &str) -> bool {
        (0..self.unit.tokens.len())
            .any(|at| self.word_at(at) == name && self.word_at(at + 1) == "=")
    }

    /// Whether the real function of this name is kept where it is taken out of its module: `const { rm } = fs`, `run = os.system`,
    /// `from shutil import rmtree`.
    fn keeps_real(&mut self, name: &str) -> bool {
        /// How many tokens are looked at for one piece of work.
        const TOKENS_PER_WORK: usize = 64;
        let count = self.unit.tokens.len();
        if !self.spend(count / TOKENS_PER_WORK + 1) {
            return true;
        }
        let is_python = self.language == "python";
        // Behind `import` a name is taken out up to the end of the line, or of the parentheses.
        let mut imports: Option<usize> = None;
        let mut takes = |at: usize| {
            if is_python && self.word_at(at) == "import" {
                let open = at + 1;
                let end = (open + 1..count).find(|at| self.is_first(*at)).unwrap_or(count);
                imports = Some(if self.word_at(open) == "(" { self.partner(open) } else { end });
            }
            let before = at.checked_sub(1).map_or("", |it| self.word_at(it));
            let is_listed = matches!(before, "{" | ",") && self.language == "javascript"
                || imports.is_some_and(|end| at < end);
            // `stripe.Refund.create(…)` asks for it when it is called.
            let is_asked = match self.word_at(at + 1) {
                "(" => true,
                "." => {
                    self.is_name(at + 2) && self.word_at(at + 3) == "("
                        // `fs.rmSync.mock.callCount()`
                        || matches!(self.word_at(at + 2), "mock" | "mock_calls")
                }
                // `expect(fs.rmSync).toHaveBeenCalled()`
                ")" => at
                    .checked_sub(4)
                    .is_some_and(|it| self.word_at(it) == "expect" && self.word_at(it + 1) == "("),
                _ => false,
            };
            self.word_at(at) == name && (is_listed || before == "." && !is_asked)
        };
        let is_bound = self.variables.iter().any(|(_, value)| {
            matches!(value, Value::Name(path, _)
                if path.contains('.') && path.rsplit('.').next() == Some(name))
        });
        let by_text = ["getattr", "__dict__", "vars("];
        is_bound
            || (0..count).any(&mut takes)
            || is_python && by_text.iter().any(|word| self.source.contains(word))
            || ["[\"", "['", "[`"].iter().any(|open| self.source.contains(&format!("{open}{name}")))
    }

    /// Ends the blocks that were left.
    pub(super) fn leave_replaced(&mut self) {
        let (at, calls) = (self.at, self.calls);
        while self
            .replaced
            .last()
            .is_some_and(|last| last.calls > calls || last.calls == calls && at >= last.end)
        {
            self.replaced.pop();
        }
    }

    /// `with mock.patch("os.system", return_value=0):`, `with mock_aws():`; `start` is where `with` stands.
    pub(super) fn patch(&mut self, start: usize) {
        if self.language != "python" || REAL.iter().any(|word| self.source.contains(word)) {
            return;
        }
        let mut end = self.block_end(start);
        let mut calls = self.calls;
        // What a fixture gives from within lasts as long as the test that asked for it.
        if self.seen.in_fixture == Some(calls) && (start..end).any(|at| self.word_at(at) == "yield")
        {
            (end, calls) = (usize::MAX, calls - 1);
        }
        // `with (patch(…) as a, patch(…) as b):`
        let mut begin = start + 1 + usize::from(self.word_at(start + 1) == "(");
        for _ in 0..MANAGERS {
            let mut open = begin;
            while open < begin + TOKENS
                && !matches!(self.word_at(open), "(" | ":" | "as" | "," | "")
            {
                open += 1;
            }
            let written: String = (begin..open).map(|at| self.word_at(at)).collect();
            // `with respx.mock:` is written without a call.
            let close = if self.word_at(open) == "(" { self.partner(open) } else { open - 1 };
            // A name that the script gives to something of its own.
            let first = written.split('.').next().unwrap_or_default();
            if matches!(self.word_at(close + 1), ":" | "as" | "," | ")")
                && !self.named.contains_key(first)
            {
                for path in self.patched(&written, open, close) {
                    self.replaced.push(Replaced { path, end, calls });
                }
            }
            let mut next = close + 1;
            if self.word_at(next) == "as" {
                next += 2;
            }
            if self.word_at(next) != "," {
                return;
            }
            begin = next + 1;
        }
    }

    /// `@mock.patch("os.system")`, `@mock_aws` in front of a function; `start` is where `@` stands.
    pub(super) fn patch_function(&mut self, start: usize) {
        if self.language != "python" || REAL.iter().any(|word| self.source.contains(word)) {
            return;
        }
        let mut open = start + 1;
        while open < self.at && self.word_at(open) != "(" {
            open += 1;
        }
        let written: String = (start + 1..open).map(|at| self.word_at(at)).collect();
        let first = written.split('.').next().unwrap_or_default();
        // A name that the script gives to something of its own.
        if self.named.contains_key(first) {
            return;
        }
        let close = if open < self.at { self.partner(open) } else { open };
        let patched = self.patched(&written, open, close);
        self.patched.extend(patched);
    }

    /// What the patches before a definition replace is so whenever its function runs; what it is handed by pytest, whenever nobody else calls
    /// it.
    pub(super) fn put_aside_for(&mut self, index: usize, is_called: bool) {
        let mut all = self.patches.get(&index).cloned().unwrap_or_default();
        if !is_called
            && self.language == "python"
            && let Some(function) = self.functions.get(index)
            && !REAL.iter().any(|word| self.source.contains(word))
        {
            let asks = |name: &str| function.parameters.iter().any(|it| it.name == name);
            let rows = FIXTURES.iter().filter(|(name, _)| asks(name));
            all.extend(rows.flat_map(|(_, paths)| paths.iter().map(|path| (*path).to_owned())));
        }
        let calls = self.calls;
        self.replaced.extend(all.into_iter().map(|path| Replaced { path, end: usize::MAX, calls }));
    }

    /// What a patch that is written so, with its target between these brackets, puts aside.
    fn patched(&mut self, written: &str, open: usize, close: usize) -> Vec<String> {
        let Value::Name(path, _) = self.value_of(written) else { return Vec::new() };
        match &*path {
            "unittest.mock.patch" | "mock.patch" => {
                if !self.is_plain_patch(open, close) {
                    self.calls_another(open, close);
                    return Vec::new();
                }
                let outer = std::mem::replace(&mut self.at, open + 1);
                let target = self.expression(0);
                self.at = outer;
                let Some(target) = target.as_known() else { return Vec::new() };
                if self.keeps_real(target.rsplit('.').next().unwrap_or(target)) {
                    return Vec::new();
                }
                vec![self.canonical(target.strip_prefix("__main__.").unwrap_or(target))]
            }
            // `patch.object(shutil, "rmtree")`
            "unittest.mock.patch.object" | "mock.patch.object" if open < close => {
                let back = std::mem::replace(&mut self.at, open);
                let given = self.arguments_until(close);
                self.at = back;
                let target = of_object(&given).filter(|_| self.are_harmless(&given, 2));
                match target {
                    Some(path) if !self.keeps_real(path.rsplit('.').next().unwrap_or(&path)) => {
                        vec![path]
                    }
                    _ => Vec::new(),
                }
            }
            path if path.starts_with("moto.mock_") => vec!["boto3".to_owned()],
            // `with Stubber(client):`, where that is the only client: another one would have the same name here.
            "botocore.stub.Stubber" => {
                let back = std::mem::replace(&mut self.at, open);
                let given = self.arguments_until(close);
                self.at = back;
                // Named once where it is imported and once where the client is made.
                let is_only = self.source.matches(".client(").count() == 1
                    && self.source.matches("boto3").count() == 2
                    && !["activate", "getattr", "session", "Session"]
                        .iter()
                        .any(|word| self.source.contains(word));
                match given.as_slice() {
                    [Given { value: Value::Name(client, _), .. }]
                        if is_only && client.ends_with("client()") =>
                    {
                        vec![client.to_string()]
                    }
                    _ => Vec::new(),
                }
            }
            // Without that it lets through what it was not told of.
            path if path.starts_with("httpretty.")
                && !self.source.contains("allow_net_connect=False") =>
            {
                Vec::new()
            }
            path => {
                let row = PATCHES.iter().find(|(name, _)| *name == path);
                row.iter().flat_map(|(_, all)| all.iter().map(|it| (*it).to_owned())).collect()
            }
        }
    }

    /// Whether a patch has a text for its target and nothing that may run what it stands for.
    /// `patch("os.path.getsize", side_effect=shutil.rmtree)`: what is called in its place is another function.
    fn calls_another(&mut self, open: usize, close: usize) {
        if self.word_at(open) != "(" {
            return;
        }
        let back = std::mem::replace(&mut self.at, open);
        let given = self.arguments_until(close);
        self.at = back;
        let target = given.first().and_then(|it| it.value.as_known().map(str::to_owned));
        let called = given
            .iter()
            .skip(1)
            .find(|it| matches!(it.name.as_deref(), None | Some("new" | "side_effect" | "wraps")));
        let (Some(target), Some(called)) = (target, called) else { return };
        if matches!(called.value, Value::Function(_) | Value::Name(..)) && !called.value.is_false()
        {
            self.bind(target, called.value.clone());
        }
    }

    fn is_plain_patch(&self, open: usize, close: usize) -> bool {
        let is_text = self.word_at(open + 1).is_empty() && open + 1 < close;
        let mut at = open + 2;
        // `patch("smtplib.SMTP", MagicMock())`
        let is_mock = matches!(self.word_at(at + 1), "AsyncMock" | "MagicMock" | "Mock");
        if is_mock
            && self.word_at(at) == ","
            && self.word_at(at + 2) == "("
            && self.word_at(at + 3) == ")"
        {
            at += 4;
        }
        // `patch("builtins.open", mock_open(read_data="…"))`
        let mut opens = at + 1;
        while self.word_at(opens + 1) == "." && matches!(self.word_at(opens), "mock" | "unittest") {
            opens += 2;
        }
        if self.word_at(at) == ","
            && self.word_at(opens) == "mock_open"
            && self.word_at(opens + 1) == "("
        {
            let behind = self.partner(opens + 1);
            if (opens + 2..behind).any(|at| self.word_at(at) == "(") {
                return false;
            }
            at = behind + 1;
        }
        while is_text && at < close {
            let is_named = self.word_at(at) == ","
                && (HARMLESS.contains(&self.word_at(at + 1)) && self.word_at(at + 2) == "="
                    || at + 1 == close);
            if !is_named || close - open > TOKENS {
                return false;
            }
            let is_called = self.word_at(at + 1) == "side_effect";
            at += 3;
            // What is called in its place gets what it would have got: it calls nothing itself.
            if is_called && self.word_at(at) == "lambda" {
                return (at..close).all(|at| self.word_at(at) != "(");
            }
            if is_called {
                // What is imported by such a name may be something else.
                let word = self.word_at(at);
                let is_error = is_error(word)
                    && self.variables.get(word).is_none_or(
                        |value| matches!(value, Value::Name(path, _) if is_error(path)),
                    )
                    && !self.named.contains_key(word);
                let is_text = self.word_at(at).is_empty();
                if is_error && self.word_at(at + 1) == "(" {
                    at = self.partner(at + 1) + 1;
                } else if is_error || is_text {
                    at += 1;
                } else {
                    return false;
                }
                continue;
            }
            while at < close && self.word_at(at) != "," {
                // What is called to make a value may be anything.
                if self.word_at(at) == "(" {
                    return false;
                }
                at += 1;
            }
        }
        is_text
    }
}

/// Whether a name is that of something to be raised.
fn is_error(name: &str) -> bool {
    ["Error", "Exception", "Interrupt", "Timeout", "Expired"].iter().any(|end| name.ends_with(end))
}

/// Whether a member is named by a text: `server["close"]`. A list of texts names none.
fn names_members(source: &str) -> bool {
    source.match_indices('[').any(|(at, _)| {
        let before = source.get(..at).and_then(|before| before.trim_end().chars().next_back());
        let is_text = source
            .get(at + 1..)
            .is_some_and(|rest| rest.trim_start().starts_with(['"', '\'', '`']));
        is_text && before.is_some_and(|it| it.is_alphanumeric() || "_$)]?.".contains(it))
    })
}

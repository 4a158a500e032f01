//! Commands of PowerShell that run something, reach other machines, or make names. Owns what is run, sent and fetched.

use portcullis_syntax::{Span, tree::CallKind};

use super::{
    super::{
        Evaluator,
        calls::{Given, tainted},
        value::{Object, Value, unknown_of},
    },
    Bound, chosen, paths,
};
use crate::{
    effect::{Argument, Certainty, EffectKind},
    programs::host::Host,
    text::{Piece, Taint, Text},
};

/// What a command does.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(in super::super) enum Programs {
    /// A text is run as code.
    Expression,
    /// A block is run, maybe elsewhere.
    Command,
    /// A block is run for each of what comes in.
    Each,
    /// Some of what comes in is given.
    Where,
    /// Parts of what comes in are given.
    Select,
    /// A password is shown.
    Secure,
    /// What a person copied is given.
    Private,
    /// A name is given a value.
    Assign,
    /// A name's value is given.
    Variable,
    /// A name stands for a command.
    Alias,
    /// A module is loaded.
    Module,
    /// A thing is made.
    Object,
    /// A type is compiled.
    Type,
    /// A program is started.
    Start,
    /// A file is opened by what it is for.
    Open,
    /// A block is run beside.
    Job,
    /// Processes are ended.
    Stop,
    /// Processes are named.
    Processes,
    /// A request is made.
    Fetch,
    /// A file is fetched or sent.
    Transfer,
    /// A letter is sent.
    Mail,
    /// A statement is sent to a database.
    Query,
    /// A method of the machine is called.
    Method,
    /// Things of the machine are named.
    Instances,
    /// A person is asked for a password.
    Credential,
    /// What a task will run.
    Action,
    /// Which scripts may run.
    Policy,
}

/// What a list of all processes gives.
const EVERY_PROCESS: &str = "every process";

impl Evaluator<'_, '_> {
    pub(super) fn programs(&mut self, does: Programs, bound: &Bound) -> Value {
        let span = bound.span;
        match does {
            Programs::Expression => self.expression_run(bound),
            Programs::Command => self.invoke_command(bound),
            Programs::Each => self.for_each(bound),
            Programs::Where => self.where_object(bound),
            Programs::Select => self.select(bound),
            Programs::Secure => {
                let value = bound.get(&["inputobject", "securestring"]).or(bound.input.as_ref());
                let text = value.map(|value| self.text(value)).unwrap_or_default();
                let opens = bound.has("asplaintext");
                if opens {
                    self.opens_kept(&text, span);
                }
                Value::Text(tainted(unknown_of(&text, "a password"), Taint::SECRET))
            }
            Programs::Private => {
                // As on other systems.
                let program = Argument { text: Text::known("pbpaste"), span };
                let printed = self.walk.run(&[program], None);
                Value::Text(tainted(printed, Taint::PRIVATE))
            }
            Programs::Assign => {
                let name = bound.get(&["name"]).map(|name| self.text(name)).unwrap_or_default();
                let value = bound.get(&["value"]).cloned().unwrap_or(Value::Nothing);
                if let Some(name) = name.as_known() {
                    let name = name.to_owned();
                    self.set_variable(&name, vec![value], span);
                }
                Value::Nothing
            }
            Programs::Variable => self.named_value(bound),
            Programs::Alias => {
                let name = bound.get(&["name"]).map(|name| self.text(name)).unwrap_or_default();
                if let (Some(name), Some(value)) = (name.as_known(), bound.get(&["value"])) {
                    let name = format!("alias:{}", name.to_ascii_lowercase());
                    self.state.set_outermost(&name, vec![value.clone()]);
                }
                Value::Nothing
            }
            Programs::Module => self.import(bound),
            Programs::Object => self.new_object(bound),
            Programs::Type => {
                for name in ["typedefinition", "memberdefinition"] {
                    let Some(code) = bound.get(&[name]) else { continue };
                    let text = self.text(code);
                    self.compiled(&text, bound.span_of(&[name]));
                }
                if let Some(path) = bound.get(&["path", "literalpath"]) {
                    let file = self.path_argument(path, span);
                    self.walk.read(&file);
                }
                Value::Nothing
            }
            Programs::Start => self.start(bound),
            Programs::Open => self.open_file(bound),
            Programs::Job => self.job(bound),
            Programs::Stop => self.stop(bound),
            Programs::Processes => match bound.get(&["name", "processname", "id"]) {
                Some(name) => {
                    let text = self.text(name);
                    self.object(Object {
                        class: "process".into(),
                        made_of: text,
                        ..Object::default()
                    })
                }
                None => Value::unknown(EVERY_PROCESS),
            },
            Programs::Fetch => self.fetch(bound),
            Programs::Transfer => self.transfer(bound),
            Programs::Mail => self.mail(bound),
            Programs::Query => {
                if let Some(statement) = bound.get(&["query"]).map(|it| self.text(it)) {
                    self.walk.query(&statement, bound.span_of(&["query"]));
                }
                if let Some(file) = bound.get(&["inputfile"]) {
                    let file = self.path_argument(file, span);
                    let statement = self.walk.read(&file);
                    self.walk.query(&statement, span);
                }
                Value::unknown("rows")
            }
            Programs::Method => self.cim_method(bound),
            Programs::Instances => {
                let class = bound.get(&["classname", "class"]).map(|it| self.text(it));
                let query = bound.get(&["query"]).map(|it| self.text(it));
                let mut made_of = class.unwrap_or_default();
                made_of.append(&query.unwrap_or_default());
                let class = format!("wmi {}", made_of.display().to_ascii_lowercase());
                self.object(Object { class, made_of, ..Object::default() })
            }
            Programs::Credential => {
                let made_of = tainted(Text::unknown("a password"), Taint::SECRET);
                self.object(Object { class: "credential".into(), made_of, ..Object::default() })
            }
            Programs::Action => {
                let mut words = Vec::new();
                for name in ["execute", "argument"] {
                    words.extend(bound.get(&[name]).map(|it| self.text(it)));
                }
                let line = super::super::value::join(words, " ");
                self.later(&line, span);
                Value::unknown("an action")
            }
            Programs::Policy => self.script_policy(bound),
        }
    }

    /// A text or a block is run where the caller stands.
    fn expression_run(&mut self, bound: &Bound) -> Value {
        let code = bound.get(&["command"]).or(bound.input.as_ref()).cloned();
        let Some(code) = code else { return Value::Nothing };
        let at = bound.span_of(&["command"]);
        if let Value::Block(_) = code {
            let ways = self.invoke(&code, CallKind::Here, Vec::new(), None, at);
            return self.one_of("expression", at, ways);
        }
        let text = super::super::value::join(code.elements().iter().map(|it| self.text(it)), "\n");
        self.inner(&text, at)
    }

    /// What a name holds.
    fn named_value(&mut self, bound: &Bound) -> Value {
        let span = bound.span;
        match bound.get(&["name"]).and_then(Value::as_known) {
            Some(name) => {
                let name = name.to_ascii_lowercase();
                let values = self.state.get(&name).map(<[Value]>::to_vec);
                self.one_of("variable", span, values.unwrap_or_else(|| vec![Value::unknown(&name)]))
            }
            None => Value::unknown("a variable"),
        }
    }

    /// A module is loaded: a file is read as the script that it is.
    fn import(&mut self, bound: &Bound) -> Value {
        let name = bound.get(&["name"]).or(bound.input.as_ref()).cloned();
        for name in name.iter().flat_map(Value::elements) {
            let text = self.text(&name);
            let first = text.known_prefix();
            if first.contains(['/', '\\']) || text.has_unknown() {
                let file = self.path_argument(&name, bound.span_of(&["name"]));
                if file
                    .text
                    .as_known()
                    .is_none_or(|it| it.ends_with(".ps1") || it.ends_with(".psm1"))
                {
                    self.walk.script("powershell", &file, &[], None);
                } else {
                    self.walk.read(&file);
                }
            }
        }
        Value::Nothing
    }

    /// A file is opened, which runs it where it is a program.
    fn open_file(&mut self, bound: &Bound) -> Value {
        let span = bound.span;
        let Some(path) = bound.get(&["path", "literalpath"]) else { return Value::Nothing };
        let given = Vec::new();
        let text = paths::slashed(&self.text(path));
        let lower = text.known_prefix().to_ascii_lowercase();
        let runs = [".exe", ".ps1", ".bat", ".cmd", ".vbs", ".hta", ".msi", ".scr", ".lnk"];
        if runs.iter().any(|ending| lower.ends_with(ending)) {
            return self.cmdlet(&text, &lower, CallKind::Value, given, None, span);
        }
        Value::Nothing
    }

    /// Blocks that run beside.
    fn job(&mut self, bound: &Bound) -> Value {
        let span = bound.span;
        if self.endless > 0 {
            self.walk.note("code.fork.loop", span);
        }
        let mut value = Value::Nothing;
        for name in ["initializationscript", "scriptblock", "filepath"] {
            if let Some(block) = bound.get(&[name]).cloned() {
                let given = positional(bound.get(&["argumentlist"]), span);
                let ways = self.invoke(&block, CallKind::Value, given, bound.input.clone(), span);
                value = self.one_of("job", span, ways);
            }
        }
        value
    }

    /// Which scripts may run: for the session alone it is its own affair.
    fn script_policy(&mut self, bound: &Bound) -> Value {
        let span = bound.span;
        let scope = bound.get(&["scope"]).map(|it| self.text(it).display()).unwrap_or_default();
        if !scope.eq_ignore_ascii_case("process") {
            let policy = bound.get(&["executionpolicy"]).map(|it| self.text(it).display());
            let is_strict = policy.is_some_and(|policy| {
                ["restricted", "allsigned", "remotesigned", "default"]
                    .iter()
                    .any(|it| policy.eq_ignore_ascii_case(it))
            });
            if !is_strict {
                self.walk.note("code.powershell.guard", span);
            }
        }
        Value::Nothing
    }

    /// A line that something else will run later.
    pub(in super::super) fn later(&mut self, line: &Text, span: Span) {
        let certainty = self.walk.lower(Certainty::Likely);
        self.walk.code("batch", line, span, &[]);
        self.walk.restore(certainty);
    }

    fn invoke_command(&mut self, bound: &Bound) -> Value {
        let span = bound.span;
        let elsewhere =
            ["computername", "session", "vmname", "hostname", "connectionuri", "containerid"];
        let block = bound.get(&["scriptblock", "filepath"]).cloned();
        let positional_block = bound
            .named
            .iter()
            .map(|(_, value, _)| value)
            .chain(bound.rest.iter().map(|(value, _)| value))
            .find(|value| matches!(value, Value::Block(_)))
            .cloned();
        let is_elsewhere = elsewhere
            .iter()
            .any(|name| bound.get(&[name]).is_some_and(|value| !matches!(value, Value::Block(_))));
        if is_elsewhere {
            self.walk.note("windows.remote.command", span);
        }
        let Some(block) = positional_block.or(block) else { return Value::Nothing };
        let given = positional(bound.get(&["argumentlist"]), span);
        let ways = self.invoke(&block, CallKind::Value, given, bound.input.clone(), span);
        self.one_of("invoked", span, ways)
    }

    fn for_each(&mut self, bound: &Bound) -> Value {
        let span = bound.span;
        let input = bound.input.clone().or_else(|| bound.get(&["inputobject"]).cloned());
        let elements =
            input.map(|input| self.spread(&input)).unwrap_or_else(|| vec![Value::unknown("_")]);
        let is_endless = matches!(elements.as_slice(), [Value::Text(text)] if text.display() == format!("${{{}}}", super::MANY));
        let mut blocks: Vec<Value> = Vec::new();
        for name in ["begin", "process", "parallel", "remainingscripts", "end"] {
            blocks.extend(bound.get(&[name]).cloned());
        }
        blocks.extend(bound.rest.iter().map(|it| it.0.clone()));
        let member = bound.get(&["membername"]).cloned();
        let outer = self.state.get("_").map(<[Value]>::to_vec);
        self.endless += usize::from(is_endless);
        let values = self.each(&elements, span, |it, element| {
            it.state.set("_", vec![element.clone()]);
            it.state.set("psitem", vec![element.clone()]);
            let mut printed = Vec::new();
            for block in &blocks {
                match block {
                    Value::Block(closure) => {
                        let closure = closure.clone();
                        printed.extend(it.within(&closure, Evaluator::body));
                    }
                    // `ForEach-Object Delete`: a method or a part by its name.
                    other => {
                        let name = it.text(other).display().to_ascii_lowercase();
                        printed.push(it.member_or_method(&element, &name, span));
                    }
                }
            }
            if let Some(member) = &member {
                let name = it.text(member).display().to_ascii_lowercase();
                printed.push(it.member_or_method(&element, &name, span));
            }
            printed
        });
        self.endless -= usize::from(is_endless);
        self.state.set("_", outer.unwrap_or_else(|| vec![Value::Nothing]));
        self.one_of("each", span, values)
    }

    fn where_object(&mut self, bound: &Bound) -> Value {
        let input = bound.input.clone().unwrap_or(Value::Nothing);
        let outer = self.state.get("_").map(<[Value]>::to_vec);
        let mut chosen = ["eq", "like", "match"].into_iter().find_map(|operator| {
            let with = bound.get(&["value"]).or_else(|| bound.get(&[operator]))?.as_known()?;
            bound.has(operator).then(|| chosen::by_comparison(operator, with))?
        });
        for name in ["property", "filterscript"] {
            if let Some(Value::Block(closure)) = bound.get(&[name]) {
                let closure = closure.clone();
                chosen = chosen.or_else(|| chosen::by_condition(&closure.block));
                let first = input.elements().into_iter().next().unwrap_or(Value::unknown("_"));
                self.state.set("_", vec![first]);
                let _ = self.apart(|it| it.within(&closure, Evaluator::body));
                self.left = false;
            }
        }
        self.state.set("_", outer.unwrap_or_else(|| vec![Value::Nothing]));
        match (&input, chosen) {
            // Of all processes those that it means.
            (Value::Text(text), Some(chosen)) if matches!(text.pieces.as_slice(), [Piece::Unknown(what)] if **what == *EVERY_PROCESS) => {
                self.object(Object {
                    class: "process".into(),
                    made_of: chosen,
                    ..Object::default()
                })
            }
            _ => input,
        }
    }

    fn select(&mut self, bound: &Bound) -> Value {
        let input = bound.input.clone().or_else(|| bound.get(&["inputobject"]).cloned());
        let input = input.unwrap_or(Value::Nothing);
        match bound.get(&["expandproperty"]) {
            Some(name) => {
                let name = self.text(name);
                self.member(&input, &name, bound.span)
            }
            None => input,
        }
    }

    /// Code that is compiled: what it asks of the system by name.
    fn compiled(&mut self, code: &Text, span: Span) {
        const INTO_MEMORY: &[&str] = &[
            "virtualalloc",
            "virtualprotect",
            "createremotethread",
            "createthread",
            "writeprocessmemory",
            "ntcreatethread",
            "queueuserapc",
            "rtlmovememory",
            "minidumpwritedump",
            "openprocess",
            "loadlibrary",
            "setwindowshookex",
            "getasynckeystate",
            "adjusttokenprivileges",
            "amsiscanbuffer",
            "etweventwrite",
            "cryptunprotectdata",
            "rtladjustprivilege",
            "ntraiseharderror",
        ];
        let lower = code.display().to_ascii_lowercase();
        if INTO_MEMORY.iter().any(|name| lower.contains(name)) {
            self.walk.note("code.powershell.memory", span);
            return;
        }
        if lower.contains("dllimport") {
            // A call of the system that no list names.
            return;
        }
        self.walk.code("csharp", code, span, &[]);
    }

    fn start(&mut self, bound: &Bound) -> Value {
        let span = bound.span;
        if bound.get(&["verb"]).is_some_and(|verb| {
            verb.as_known().is_none_or(|verb| verb.to_ascii_lowercase().starts_with("runas"))
        }) {
            self.walk.privilege(Text::known("Administrator"), span);
        }
        if bound.get(&["credential"]).is_some() {
            self.walk.privilege(Text::unknown("another user"), span);
        }
        if self.endless > 0 {
            self.walk.note("code.fork.loop", span);
        }
        let Some(file) = bound.get(&["filepath"]) else { return Value::Nothing };
        let name = self.text(file);
        if ["http:", "https:"].iter().any(|scheme| name.known_prefix().starts_with(scheme)) {
            return Value::Nothing;
        }
        let mut line = Vec::new();
        for value in bound.get(&["argumentlist"]).map(Value::elements).unwrap_or_default() {
            let text = self.text(&value);
            // One text is cut into words by the program itself.
            match text.as_known().filter(|known| known.contains(' ')) {
                Some(known) => {
                    line.extend(
                        words_of(known)
                            .into_iter()
                            .map(|it| Value::Text(text.derive([Piece::Known(it)]))),
                    );
                }
                None => line.push(Value::Text(text)),
            }
        }
        line.extend(bound.rest.iter().map(|it| it.0.clone()));
        let given: Vec<Given> =
            line.into_iter().map(|value| Given { name: None, value: Some(value), span }).collect();
        match name.as_known().map(str::to_owned) {
            Some(known) => {
                let lower = known.to_ascii_lowercase();
                if [".ps1", ".bat", ".cmd"].iter().any(|ending| lower.ends_with(ending)) {
                    self.cmdlet(&name, &known, CallKind::Value, given, None, span)
                } else {
                    self.run_program(&name, &given, None, span)
                }
            }
            None => self.run_program(&name, &given, None, span),
        }
    }

    fn stop(&mut self, bound: &Bound) -> Value {
        let named =
            bound.get(&["id", "name", "inputobject", "processname"]).or(bound.input.as_ref());
        let target = match named {
            Some(Value::Object(number)) => {
                let object = self.state.objects.get(*number);
                object.map(|object| object.made_of.clone()).unwrap_or_default()
            }
            Some(value) => self.text(value),
            None => Text::unknown("a process"),
        };
        let everything = target.as_known() == Some("*")
            || matches!(target.pieces.as_slice(), [Piece::Unknown(what)] if **what == *EVERY_PROCESS);
        let lower = target.display().to_ascii_lowercase();
        if GUARDS.iter().any(|guard| lower.contains(guard)) {
            self.walk.note("code.powershell.guard", bound.span);
        }
        self.walk.emit(EffectKind::Kill { target, everything }, bound.span);
        Value::Nothing
    }

    fn cim_method(&mut self, bound: &Bound) -> Value {
        let span = bound.span;
        if bound.get(&["computername", "cimsession"]).is_some() {
            self.walk.note("windows.remote.command", span);
        }
        let class = bound
            .get(&["classname", "class", "inputobject", "ciminstance", "path"])
            .or(bound.input.as_ref());
        let class = class.map(|it| self.text(it).display()).unwrap_or_default();
        let method = bound
            .get(&["methodname", "name"])
            .map(|it| self.text(it).display())
            .unwrap_or_default();
        let given = bound.get(&["arguments", "argumentlist"]).cloned();
        let line = match &given {
            Some(Value::Object(number)) => {
                let parts = self.state.part(*number, "commandline").map(<[Value]>::to_vec);
                parts.and_then(|parts| parts.into_iter().next())
            }
            other => other.clone(),
        };
        self.wmi_call(&class, &method, line.as_ref(), span);
        Value::unknown("a result")
    }

    /// A method of a class of the machine.
    pub(super) fn wmi_call(
        &mut self,
        class: &str,
        method: &str,
        given: Option<&Value>,
        span: Span,
    ) {
        let method = method.to_ascii_lowercase();
        let class = class.to_ascii_lowercase();
        if method == "create" && !class.contains("shadowcopy") {
            if let Some(line) = given {
                let line = self.text(line);
                self.later(&line, span);
            }
            self.walk.note("windows.program.fetches", span);
            return;
        }
        let looks =
            ["get", "is", "find", "read", "exist"].iter().any(|verb| method.starts_with(verb));
        if !looks && !method.is_empty() {
            self.walk.note("windows.cmdlet.remove", span);
        }
    }

    pub(super) fn member_or_method(&mut self, element: &Value, name: &str, span: Span) -> Value {
        if super::methods::is_method(name) {
            return self.method_of(element, name, &[], span);
        }
        self.member(element, &Text::known(name), span)
    }
}

/// Programs that watch over the machine, by a part of their names.
pub(in super::super) const GUARDS: &[&str] = &[
    "msmpeng",
    "windefend",
    "mpssvc",
    "sysmon",
    "mssense",
    "carbonblack",
    "crowdstrike",
    "csfalcon",
    "sentinel",
    "wdnissvc",
    "securityhealth",
    "eventlog",
    "cylance",
    "sophos",
];

/// Values as what is given by place.
pub(super) fn positional(values: Option<&Value>, span: Span) -> Vec<Given> {
    let values = values.map(Value::elements).unwrap_or_default();
    values.into_iter().map(|value| Given { name: None, value: Some(value), span }).collect()
}

/// The words of a line, where double quotes keep blanks.
pub(in super::super) fn words_of(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut quoted = false;
    let mut any = false;
    for letter in line.chars() {
        match letter {
            '"' => {
                quoted = !quoted;
                any = true;
            }
            _ if letter.is_whitespace() && !quoted => {
                if any {
                    words.push(std::mem::take(&mut word));
                }
                any = false;
            }
            _ => {
                word.push(letter);
                any = true;
            }
        }
    }
    if any {
        words.push(word);
    }
    words
}

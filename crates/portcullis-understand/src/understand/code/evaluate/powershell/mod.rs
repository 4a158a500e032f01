//! What commands of PowerShell do. Owns the finding of a command by its name and aliases, the binding of what it is given, and
//! what follows from the words that an unknown one is named with; each command is a row in `tables`.

mod chosen;
mod classes;
mod clients;
mod files;
mod methods;
mod names;
mod network;
pub(super) mod paths;
mod plain;
mod programs;
mod registry;
mod tables;
mod types;

use portcullis_syntax::{Span, tree::CallKind};

pub(super) use self::classes::Class;
use self::tables::{Cmdlet, Does};
use super::{Evaluator, calls::Given, value::Value};
use crate::{
    effect::Argument,
    programs::host::Host,
    text::{Taint, Text},
};

/// What a range is that is too long to be written out.
pub(super) const MANY: &str = "one of many";

/// What a cmdlet is given, by its parameters.
pub(super) struct Bound {
    /// By name, in lower case.
    named: Vec<(String, Value, Span)>,
    /// What is given without a name, in order, where no parameter of the row takes it.
    rest: Vec<(Value, Span)>,
    /// Names without a value.
    switches: Vec<String>,
    input: Option<Value>,
    span: Span,
}

impl Bound {
    fn get(&self, names: &[&str]) -> Option<&Value> {
        self.named.iter().find(|(name, ..)| names.contains(&name.as_str())).map(|it| &it.1)
    }

    fn span_of(&self, names: &[&str]) -> Span {
        let found = self.named.iter().find(|(name, ..)| names.contains(&name.as_str()));
        found.map_or(self.span, |it| it.2)
    }

    /// Whether a switch is given, and not as `$false`.
    fn has(&self, name: &str) -> bool {
        self.switches.iter().any(|held| held == name)
    }
}

/// Parameters that every cmdlet has and that take a value.
const COMMON: &[&str] = &[
    "erroraction",
    "errorvariable",
    "informationaction",
    "informationvariable",
    "outbuffer",
    "outvariable",
    "pipelinevariable",
    "progressaction",
    "warningaction",
    "warningvariable",
];

/// Those that take none.
const SWITCHES: &[&str] =
    &["confirm", "debug", "force", "passthru", "recurse", "verbose", "whatif"];

/// Short names of common parameters.
const SHORT: &[(&str, &str)] = &[
    ("cf", "confirm"),
    ("db", "debug"),
    ("ea", "erroraction"),
    ("ev", "errorvariable"),
    ("ov", "outvariable"),
    ("ob", "outbuffer"),
    ("pv", "pipelinevariable"),
    ("vb", "verbose"),
    ("wa", "warningaction"),
    ("wi", "whatif"),
    ("cn", "computername"),
    ("lp", "literalpath"),
    ("pspath", "literalpath"),
    ("s", "recurse"),
    ("ad", "directory"),
    ("af", "file"),
    ("destinationpath", "destination"),
    ("target", "value"),
];

impl Evaluator<'_, '_> {
    /// Runs a command that is no function of the script.
    pub(super) fn cmdlet(
        &mut self,
        name: &Text,
        known: &str,
        call: CallKind,
        given: Vec<Given>,
        input: Option<Value>,
        span: Span,
    ) -> Value {
        let lower = known.trim().to_ascii_lowercase();
        if let Some(values) = self.state.get(&format!("alias:{lower}")) {
            let stands = values.first().cloned().unwrap_or(Value::Nothing);
            // What it stands for may have its own name.
            if !stands.as_known().is_some_and(|it| it.eq_ignore_ascii_case(&lower)) {
                let ways = self.invoke(&stands, call, given, input, span);
                return self.one_of("alias", span, ways);
            }
        }
        let bare = module_free(&lower);
        let full = plain::alias(bare).filter(|_| !self.is_of_unix(bare, &given)).unwrap_or(bare);
        if let Some(row) = tables::cmdlet(full) {
            let bound = self.bound(row, given, input, span);
            if bound.has("whatif") {
                return Value::unknown("what would be done");
            }
            return self.does(row, row.does, bound);
        }
        if let Some(does) = plain::plain(full) {
            let bound = self.bound(&tables::PLAIN, given, input, span);
            if bound.has("whatif") {
                return Value::unknown("what would be done");
            }
            return self.does(&tables::PLAIN, does, bound);
        }
        if bare.contains(['/', '\\']) || bare.ends_with(".ps1") || bare.ends_with(".bat") {
            return self.file_as_command(name, &lower, &given, input, span);
        }
        if let Some((verb, noun)) = full.split_once('-')
            && noun.len() > 1
            && noun.bytes().all(|byte| byte.is_ascii_alphanumeric())
            && verb.bytes().all(|byte| byte.is_ascii_alphabetic())
            && let Some(value) = self.by_its_words(verb, noun, &given, input.as_ref(), span)
        {
            return value;
        }
        if matches!(bare, "robocopy" | "robocopy.exe" | "xcopy" | "xcopy.exe") {
            let mut operands = Vec::new();
            let mut switches = String::new();
            for one in &given {
                let word = one.value.as_ref().map(|value| self.text(value)).unwrap_or_default();
                let is_switch =
                    word.known_prefix().strip_prefix('/').is_some_and(|rest| !rest.contains('/'));
                if is_switch {
                    switches.push_str(&word.display().to_ascii_lowercase());
                } else {
                    operands.push((word, one.span));
                }
            }
            self.copied(bare.trim_end_matches(".exe"), &operands, &switches, span);
            return Value::Nothing;
        }
        if bare == "exit" || bare.is_empty() {
            return Value::Nothing;
        }
        if self.endless > 0 && is_this_shell(bare) {
            self.walk.note("code.fork.loop", span);
        }
        self.run_program(name, &given, input, span)
    }

    /// What a command is given, with what holds for the whole script and what is worked out for each thing that comes in.
    fn bound(
        &mut self,
        row: &'static Cmdlet,
        given: Vec<Given>,
        input: Option<Value>,
        span: Span,
    ) -> Bound {
        let says_itself = given.iter().any(|one| {
            let name = one.name.as_deref().unwrap_or_default();
            name.trim_start_matches('-').eq_ignore_ascii_case("whatif")
        });
        let mut bound = bind(row, given, input, span);
        // What runs code runs it, and that may say otherwise.
        let asks = matches!(row.does, Does::Files(_) | Does::Registry(_));
        if self.is_rehearsed() && asks && !says_itself {
            bound.switches.push("whatif".to_owned());
        }
        self.work_out(&mut bound);
        bound
    }

    /// learn.microsoft.com, "about_Preference_Variables": every command only says what it would do.
    pub(super) fn is_rehearsed(&self) -> bool {
        let preference = self.state.get("whatifpreference").unwrap_or_default();
        !preference.is_empty()
            && preference.iter().all(|it| super::statements::truth(it) == Some(true))
    }

    /// learn.microsoft.com, "about_Script_Blocks", delay-bind: a block that stands where a value is taken gives it for each thing that comes in.
    fn work_out(&mut self, bound: &mut Bound) {
        const TAKES_CODE: &[&str] = &[
            "action",
            "begin",
            "command",
            "condition",
            "end",
            "expression",
            "filterscript",
            "initializationscript",
            "parallel",
            "process",
            "property",
            "remainingscripts",
            "scriptblock",
            "value",
        ];
        let Some(input) = &bound.input else { return };
        let elements = input.elements();
        let outer = self.state.get("_").map(<[Value]>::to_vec);
        for (name, value, at) in &mut bound.named {
            if !matches!(value, Value::Block(_)) || TAKES_CODE.contains(&name.as_str()) {
                continue;
            }
            let block = value.clone();
            let given = self.each(&elements, *at, |it, element| {
                it.state.set("_", vec![element]);
                it.invoke(&block, CallKind::Here, Vec::new(), None, *at)
            });
            *value = Value::of(given);
        }
        self.state.set("_", outer.unwrap_or_else(|| vec![Value::Nothing]));
    }

    /// Whether a name that is an alias on Windows is given words as the program of that name elsewhere takes them: `rm -rf`.
    fn is_of_unix(&self, name: &str, given: &[Given]) -> bool {
        const PROGRAMS: &[&str] = &[
            "cat", "clear", "cp", "curl", "diff", "kill", "ls", "man", "mount", "mv", "ps", "rm",
            "rmdir", "sleep", "sort", "tee", "wget",
        ];
        const SERVICES: &[&str] = &[
            "boot", "config", "continue", "control", "create", "delete", "failure", "pause",
            "query", "queryex", "sdset", "start", "stop",
        ];
        // The manager of services is a program; `sc` stands for another command where it is given a file.
        if name == "sc" {
            let first = given.first().and_then(|one| one.value.as_ref()).and_then(Value::as_known);
            return first.is_some_and(|verb| {
                SERVICES.iter().any(|held| held.eq_ignore_ascii_case(verb))
                    || verb.starts_with("\\\\")
            });
        }
        if !PROGRAMS.contains(&name) {
            return false;
        }
        let row = plain::alias(name).and_then(tables::cmdlet);
        let fits = |option: &str| {
            let option = option.trim_start_matches('-').to_ascii_lowercase();
            row.is_some_and(|row| {
                parameter(row, &option).is_some()
                    && (option.len() > 1 || matches!(option.as_str(), "r" | "f" | "s"))
            })
        };
        given.iter().any(|one| match (&one.name, &one.value) {
            (Some(option), _) => option.starts_with("--") || !fits(option),
            (None, Some(Value::Text(text))) => {
                let first = text.known_prefix();
                first.starts_with("--") || first.starts_with('-') && first.len() > 1
            }
            _ => false,
        })
    }

    fn file_as_command(
        &mut self,
        name: &Text,
        lower: &str,
        given: &[Given],
        input: Option<Value>,
        span: Span,
    ) -> Value {
        let language = if lower.ends_with(".ps1") {
            Some("powershell")
        } else if lower.ends_with(".bat") || lower.ends_with(".cmd") {
            Some("batch")
        } else {
            None
        };
        let Some(language) = language else { return self.run_program(name, given, input, span) };
        let file = Argument { text: paths::slashed(name), span };
        let arguments: Vec<Argument> = given
            .iter()
            .filter_map(|one| one.value.as_ref().map(|value| self.argument(value, one.span)))
            .collect();
        self.script(language, &file, &arguments, input)
    }

    /// What the words say that an unknown command is named with; nothing where they say nothing.
    fn by_its_words(
        &mut self,
        verb: &str,
        noun: &str,
        given: &[Given],
        input: Option<&Value>,
        span: Span,
    ) -> Option<Value> {
        let dry = given.iter().any(|one| {
            one.name.as_deref().is_some_and(|name| name.eq_ignore_ascii_case("-whatif"))
        });
        let mut shown = Text::unknown(&format!("{verb}-{noun}"));
        for value in given.iter().filter_map(|one| one.value.as_ref()).chain(input) {
            shown.inherit(&self.text(value));
            self.run_if_code(value, span);
        }
        if dry {
            return Some(Value::Text(shown));
        }
        // learn.microsoft.com, "Microsoft.PowerShell.SecretManagement": otherwise it gives a text that nothing shows.
        let is_opened = noun == "secret"
            && given.iter().any(|one| {
                let name = one.name.as_deref().unwrap_or_default().to_ascii_lowercase();
                name.len() > "-as".len() && "-asplaintext".starts_with(&name)
            });
        let said = match names::said_by(verb, noun) {
            names::Said::Looks if is_opened => names::Said::Secret,
            said => said,
        };
        match said {
            names::Said::Looks => {
                if ["secret", "password", "credential", "token"].iter().any(|it| noun.contains(it))
                {
                    shown.taint = shown.taint.with(Taint::SECRET);
                }
            }
            // Without a name it lists what there is.
            names::Said::Secret if noun == "azkeyvaultsecret" && lists(given) => {}
            names::Said::Secret => {
                shown.taint = shown.taint.with(Taint::SECRET);
                self.walk.note("windows.secrets.read", span);
            }
            names::Said::Noted(rule) => self.walk.note(rule, span),
            names::Said::Nothing => return None,
        }
        Some(Value::Text(shown))
    }

    /// What is given to a command is run where it is code.
    fn run_if_code(&mut self, value: &Value, span: Span) {
        let is_code = match value {
            Value::Block(_) => true,
            Value::Object(number) => {
                self.state.objects.get(*number).is_some_and(|object| object.class == "code")
            }
            _ => false,
        };
        if is_code {
            let ways = self.invoke(&value.clone(), CallKind::Value, Vec::new(), None, span);
            drop(ways);
        }
    }

    /// The same for all that a command is given by its parameters; `$_` is what comes in.
    fn run_codes(&mut self, bound: &Bound) {
        let input = bound.input.as_ref().map(Value::elements).unwrap_or_default();
        let outer = self.state.get("_").map(<[Value]>::to_vec);
        self.state.set("_", vec![input.first().cloned().unwrap_or(Value::unknown("_"))]);
        for (_, value, span) in &bound.named {
            self.run_if_code(value, *span);
        }
        for (value, span) in &bound.rest {
            self.run_if_code(value, *span);
        }
        self.state.set("_", outer.unwrap_or_else(|| vec![Value::Nothing]));
    }

    fn does(&mut self, row: &'static Cmdlet, does: Does, bound: Bound) -> Value {
        let span = bound.span;
        if matches!(does, Does::Looks | Does::Passes | Does::Nothing | Does::Noted(_)) {
            self.run_codes(&bound);
        }
        match does {
            Does::Looks => self.looks(row, &bound),
            Does::Passes => bound.input.clone().unwrap_or_else(|| {
                let given = bound.get(&["inputobject"]).cloned();
                given.unwrap_or_else(|| self.looks(row, &bound))
            }),
            Does::Nothing => Value::Nothing,
            Does::Noted(rule) => {
                self.walk.note(rule, span);
                self.looks(row, &bound)
            }
            Does::Output => {
                let values = bound.get(&["inputobject", "object", "message"]).cloned();
                let mut all = values.map(|value| value.elements()).unwrap_or_default();
                all.extend(bound.rest.iter().map(|(value, _)| value.clone()));
                all.extend(bound.input.iter().flat_map(Value::elements));
                Value::of(all)
            }
            Does::Files(does) => self.files(does, &bound),
            Does::Programs(does) => self.programs(does, &bound),
            Does::Registry(does) => self.registry_values(does, &bound),
        }
    }

    /// What is shown of what was given.
    fn looks(&self, row: &Cmdlet, bound: &Bound) -> Value {
        let mut shown = Text::unknown(row.name);
        for (_, value, _) in &bound.named {
            shown.inherit(&self.text(value));
        }
        for (value, _) in &bound.rest {
            shown.inherit(&self.text(value));
        }
        if let Some(input) = &bound.input {
            shown.inherit(&self.text(input));
        }
        Value::Text(shown)
    }
}

/// A name without the module in front of it.
fn module_free(name: &str) -> &str {
    match name.rsplit_once('\\') {
        Some((module, bare))
            if bare.contains('-')
                && !bare.contains('.')
                && !module.starts_with('.')
                && !module.contains([':', '/']) =>
        {
            bare
        }
        _ => name,
    }
}

fn is_this_shell(name: &str) -> bool {
    matches!(name, "powershell" | "powershell.exe" | "pwsh" | "cmd" | "cmd.exe")
}

fn words(list: &'static str) -> impl Iterator<Item = &'static str> {
    list.split(' ').filter(|word| !word.is_empty())
}

/// The parameter that a name stands for: by its whole name, a short one, or its beginning.
fn parameter(row: &Cmdlet, name: &str) -> Option<&'static str> {
    let all = || {
        let own = [row.positional, row.values, row.switches].into_iter().flat_map(words);
        own.chain(COMMON.iter().copied()).chain(SWITCHES.iter().copied())
    };
    let short = SHORT.iter().find(|(short, _)| *short == name).map(|(_, full)| *full);
    all()
        .find(|full| *full == name)
        .or_else(|| short.filter(|short| all().any(|full| full == *short)))
        .or_else(|| all().find(|full| !name.is_empty() && full.starts_with(name)))
}

/// Whether a vault is asked for the names of what it holds: nothing is told but which vault.
fn lists(given: &[Given]) -> bool {
    let is_vault = |name: &str| name.eq_ignore_ascii_case("-vaultname");
    let values = given.iter().filter(|one| one.value.is_some()).count();
    values < 2 && given.iter().filter_map(|one| one.name.as_deref()).all(is_vault)
}

fn bind(row: &'static Cmdlet, given: Vec<Given>, input: Option<Value>, span: Span) -> Bound {
    let mut bound =
        Bound { named: Vec::new(), rest: Vec::new(), switches: Vec::new(), input, span };
    let takes_none =
        |name: &str| words(row.switches).any(|it| it == name) || SWITCHES.contains(&name);
    let mut loose = Vec::new();
    let mut given = given.into_iter().peekable();
    while let Some(one) = given.next() {
        let Some(option) = one.name.as_deref() else {
            loose.extend(one.value.map(|value| (value, one.span)));
            continue;
        };
        let option = option.trim_start_matches('-').to_ascii_lowercase();
        let Some(name) = parameter(row, &option) else {
            // What no row knows may take what follows, which counts in its place as well.
            if let Some(value) = one.value {
                bound.named.push((option, value, one.span));
            } else {
                if let Some(next) = given.peek().filter(|next| next.name.is_none())
                    && let Some(value) = &next.value
                {
                    bound.named.push((option.clone(), value.clone(), next.span));
                }
                bound.switches.push(option);
            }
            continue;
        };
        if takes_none(name) {
            let is_off = one
                .value
                .as_ref()
                .is_some_and(|value| super::statements::truth(value) == Some(false));
            if !is_off {
                bound.switches.push(name.to_owned());
            }
            continue;
        }
        let value = match one.value {
            Some(value) => Some((value, one.span)),
            None => given
                .next_if(|next| next.name.is_none())
                .and_then(|next| next.value.map(|value| (value, next.span))),
        };
        if let Some((value, at)) = value {
            bound.named.push((name.to_owned(), value, at));
        }
    }
    let mut loose = loose.into_iter();
    for name in words(row.positional) {
        if bound.named.iter().any(|(held, ..)| held == name)
            || name == "path" && bound.named.iter().any(|(held, ..)| held == "literalpath")
        {
            continue;
        }
        let Some((value, at)) = loose.next() else { break };
        bound.named.push((name.to_owned(), value, at));
    }
    bound.rest = loose.collect();
    bound
}

//! What machines, pages, services and people are told by the objects of libraries. Owns how such a call becomes a command for other
//! machines, a message to many, a change by a text in GraphQL, a click that deletes; which methods do so, the cards say.

use portcullis_syntax::Span;

use super::{
    super::{
        interpreter::Interpreter,
        value::{Given, Value},
    },
    by_name::is_of_each,
    find,
    judged::{ARGUMENTS, Called, DEPTH},
    key,
};
use crate::{
    bound::Bounded,
    contract::Class,
    effect::Argument,
    programs::host::Host,
    text::{Piece, Text},
    understand::meaning,
};

/// Words of what is clicked where money goes.
const PAYS: &[&str] = &[
    "bestellen",
    "bezahlen",
    "buy",
    "checkout",
    "comprar",
    "kaufen",
    "pagar",
    "pay",
    "payment",
    "purchase",
    "transfer",
    "wire",
    "withdraw",
    "überweisen",
    "überweisung",
];

/// Words of fields that take an account or an amount.
const MONEY: &[&str] = &[
    "amount",
    "beneficiary",
    "betrag",
    "cardnumber",
    "cvc",
    "cvv",
    "iban",
    "importe",
    "montant",
    "payee",
];

/// Words of what is clicked to send a form.
const SENDS: &[&str] = &[
    "absenden",
    "apply",
    "bestätigen",
    "confirm",
    "confirmar",
    "continue",
    "next",
    "ok",
    "send",
    "submit",
];

/// Words on a page behind which something goes for good.
const GONE: &[&str] = &[
    "cancel-subscription",
    "close-account",
    "deactivate",
    "decommission",
    "delete",
    "destroy",
    "erase",
    "purge",
    "terminate",
    "wipe",
];

/// Verbs by which a mutation takes something away.
const TAKES_AWAY: &[&str] = &[
    "archive",
    "cancel",
    "deactivate",
    "delete",
    "destroy",
    "disable",
    "erase",
    "purge",
    "remove",
    "revoke",
    "terminate",
    "transfer",
    "truncate",
    "wipe",
];

/// What people take back as a matter of course.
const ORDINARY: &[&str] = &[
    "assignees",
    "comment",
    "draft",
    "label",
    "labels",
    "reaction",
    "reviewers",
    "star",
    "tag",
    "tags",
    "upvote",
];

/// Names of arguments that say for whom a message is.
const RECIPIENTS: &[&str] = &[
    "bcc",
    "cc",
    "contacts",
    "destinations",
    "emails",
    "include_player_ids",
    "personalizations",
    "phone_numbers",
    "recipients",
    "registration_ids",
    "registration_tokens",
    "to",
    "to_emails",
    "to_list",
    "tokens",
];

impl Interpreter<'_, '_, '_> {
    /// A machine or a device is told something: nothing where a client was pointed at one that is played here.
    pub(super) fn tells(&mut self, rule: &'static str, span: Span) {
        let is_played = self.seen.rehearsed && !self.seen.real
            || self.modules.iter().any(|module| module.starts_with("dronekit_sitl"));
        if !is_played {
            self.walk.note(rule, span);
        }
    }

    /// `vehicle.armed = True`: what is set is told like a method of that name behind `set`.
    pub(in super::super) fn attribute_set(&mut self, path: &str, value: &Value, span: Span) {
        if self.modules.is_empty() || !matches!(self.language, "python" | "javascript") {
            return;
        }
        let Some((owner, name)) = path.rsplit_once('.') else { return };
        let Some((module, _)) = self.module_of(owner) else { return };
        let whole = path.split(['(', '[']).next().unwrap_or(path);
        let Some(card) = super::of_module(if whole.len() < module.len() { module } else { whole })
        else {
            return;
        };
        let row = format!("set_{}", key(name));
        if !value.is_false()
            && let Some(doing) = find(card.methods, &[], &row)
        {
            let given = [Given { name: None, value: value.clone(), span }];
            let called = Called::new(path, name);
            drop(self.tell_doing(doing, &called, &Text::default(), &given, span));
        }
    }

    /// `ansible_runner.run(module="shell", module_args="uptime", host_pattern="all")`, told as `ansible` has it.
    pub(super) fn ansible(&mut self, given: &[Given], span: Span) {
        let named = |name: &str| given.iter().find(|it| it.name.as_deref() == Some(name));
        let mut words: Vec<Text> = Vec::new();
        if let Some(playbook) = named("playbook") {
            words.push(Text::known("ansible-playbook"));
            words.push(match &playbook.value {
                Value::List(plays) => plays.first().map(Value::text).unwrap_or_default(),
                play => play.text(),
            });
        } else if let Some(module) = named("module") {
            let hosts =
                named("host_pattern").map_or_else(|| Text::known("all"), |it| it.value.text());
            words.extend([Text::known("ansible"), hosts, Text::known("-m"), module.value.text()]);
            if let Some(arguments) = named("module_args") {
                words.extend([Text::known("-a"), arguments.value.text()]);
            }
        } else {
            return;
        }
        if let Some(inventory) = named("inventory").filter(|it| matches!(it.value, Value::Text(_)))
        {
            words.extend([Text::known("-i"), inventory.value.text()]);
        }
        self.command(words, span);
    }

    /// `local.cmd("*", "cmd.run", ["uptime"])`, `local.cmd("*", ["service.stop", "cmd.run"], [["x"], ["uptime"]])`, told as `salt` has them.
    pub(super) fn salt(&mut self, given: &[Given], span: Span) {
        let text = |at: usize, name: &str| {
            given
                .iter()
                .find(|it| it.name.as_deref() == Some(name))
                .or_else(|| given.get(at).filter(|it| it.name.is_none()))
                .map(|it| it.value.clone())
        };
        let target = text(0, "tgt").map_or_else(|| Text::known("*"), |it| it.text());
        let arguments = text(2, "arg");
        let list = |value: &Value| match value {
            Value::List(list) => list.clone(),
            one => vec![one.clone()],
        };
        let functions = text(1, "fun").map(|it| list(&it)).unwrap_or_default();
        let is_many = functions.len() > 1;
        for (at, function) in functions.iter().enumerate().at_most(ARGUMENTS, self, span) {
            let own = match (&arguments, is_many) {
                (Some(Value::List(each)), true) => each.get(at).map(list).unwrap_or_default(),
                (Some(all), false) => list(all),
                _ => Vec::new(),
            };
            let mut words = vec![Text::known("salt"), target.clone(), function.text()];
            words.extend(own.iter().map(Value::text));
            self.command(words, span);
        }
    }

    /// `nft.cmd("flush ruleset")`: what stands behind the name of the program.
    pub(super) fn line_of(&mut self, program: &str, given: &[Given], span: Span) -> Text {
        let mut line = Text::known(format!("{program} "));
        line.append(&given.first().map(|it| it.value.text()).unwrap_or_default());
        self.run_shell(&line, span, None)
    }

    fn command(&mut self, words: Vec<Text>, span: Span) {
        self.flush();
        let words: Vec<Argument> = words.into_iter().map(|text| Argument { text, span }).collect();
        self.walk.run(&words, None);
    }

    /// Frames that say to others what is not so, or cut them off.
    pub(super) fn packets(&mut self, span: Span) {
        let says = |words: &[&str]| words.iter().any(|word| self.source.contains(word));
        let answers = says(&["ARP("]) && says(&["op=2", "is-at", "op = 2"]);
        if answers || says(&["Dot11Deauth", "Dot11Disas"]) {
            self.command(vec![Text::known("arpspoof"), Text::unknown("an address")], span);
        }
    }

    /// `regedit.putValue({"HKCU\\…\\Run": {name: {value, type}}})`, told as `reg` has it.
    pub(super) fn registry_values(&mut self, given: &[Given], span: Span) {
        for value in given.iter().map(|it| &it.value) {
            let Value::Table(keys) = value else { continue };
            for (key, values) in keys.iter().at_most(ARGUMENTS, self, span) {
                let Value::Table(values) = values else { continue };
                for (name, value) in values.iter().at_most(ARGUMENTS, self, span) {
                    let data = value.entry("value").map(Value::text).unwrap_or_default();
                    let known = |word: &str| Text::known(word);
                    let words = vec![
                        known("reg"),
                        known("add"),
                        known(key),
                        known("/v"),
                        known(name),
                        known("/d"),
                        data,
                        known("/f"),
                    ];
                    self.command(words, span);
                }
            }
        }
    }

    /// `del server[name]`: an element of what a service keeps is deleted by the statement.
    pub(in super::super) fn element_deleted(&mut self, path: &str, span: Span) {
        let Some((module, _)) = self.module_of(path) else { return };
        let module = module.to_owned();
        if path.contains("()") && self.is_service(&module) {
            let called = Called::new(path, "delete");
            let is_one = !self.is_repeated(span);
            self.deed(Class::Delete, is_one, &called, &[], span);
        }
    }

    /// A page is opened: what is clicked on one of another machine's, happens there.
    pub(super) fn visits(&mut self, given: &[Given]) {
        let Some(address) = given.first().map(|it| it.value.text()) else { return };
        let known = address.known_prefix();
        let host = known.split_once("://").map(|(_, rest)| rest);
        let host = host.and_then(|rest| rest.split(['/', ':', '?']).next()).unwrap_or_default();
        let is_own = host.is_empty()
            || matches!(host, "localhost" | "127.0.0.1" | "0.0.0.0" | "[" | "host.docker.internal")
            || [".localhost", ".test", ".local"].iter().any(|end| host.ends_with(end));
        self.seen.visits |= !is_own && known.starts_with("http");
    }

    /// What was chosen on a page, by what it was chosen.
    pub(super) fn chosen(&mut self, called: &Called<'_>, before: &Text, given: &[Given]) -> Value {
        let mut text = before.display();
        for value in given.iter().map(|it| &it.value) {
            for one in [Some(value), value.entry("name")].into_iter().flatten() {
                let known = match one {
                    Value::Name(_, text) => text.as_known(),
                    one => one.as_known(),
                };
                if let Some(known) = known {
                    text.push(' ');
                    text.push_str(known);
                }
            }
        }
        Value::reached(&format!("{}()", called.path), Text::known(text))
    }

    /// Something is clicked, by what it is called.
    pub(super) fn clicks(&mut self, before: &Text, given: &[Given], span: Span) {
        if !self.seen.visits {
            return;
        }
        let said = given.iter().filter_map(|it| it.value.as_known());
        let all: Vec<String> = said
            .map(str::to_ascii_lowercase)
            .chain([before.display().to_ascii_lowercase()])
            .collect();
        if all.iter().any(|said| GONE.iter().any(|word| said.contains(word))) {
            self.walk.note("page.deletes", span);
        }
        let says = |said: &String, words: &[&str]| {
            said.split(|letter: char| !letter.is_alphanumeric()).any(|part| words.contains(&part))
        };
        let sends_money = self.seen.fills_money
            && (all.iter().any(|said| says(said, SENDS)) || given.is_empty() && before.is_empty());
        if sends_money || all.iter().any(|said| says(said, PAYS)) {
            self.walk.note("page.pays", span);
        }
    }

    /// A field of a page is filled: one for an account or an amount makes a form that pays of it.
    pub(super) fn fills(&mut self, before: &Text, given: &[Given]) {
        // What stands last is what is filled in.
        let named = given.split_last().map(|(_, named)| named).unwrap_or_default();
        let said = named.iter().filter_map(|it| it.value.as_known()).map(str::to_ascii_lowercase);
        let is_money = said.chain([before.display().to_ascii_lowercase()]).any(|said| {
            said.split(|letter: char| !letter.is_alphanumeric()).any(|part| MONEY.contains(&part))
        });
        self.seen.fills_money |= is_money && self.seen.visits;
    }

    /// Directories of this machine that a program of WebAssembly gets, which came over the network.
    pub(super) fn preopens(&mut self, given: &[Given], span: Span) {
        let comes = ["http://", "https://"].iter().any(|scheme| self.source.contains(scheme));
        let mut places = Vec::new();
        for value in given.iter().map(|it| &it.value) {
            match value.entry("preopens").unwrap_or(value) {
                Value::Table(table) => places.extend(table.iter().map(|(_, value)| value.text())),
                other => places.push(other.text()),
            }
        }
        let is_wide = |text: &Text| {
            let known = text.known_prefix();
            matches!(known, "/" | "~")
                || known.starts_with("~/")
                || text.as_known().is_some_and(|path| {
                    self.walk.facts().home.as_deref().is_some_and(|home| {
                        path.trim_end_matches('/') == home
                            || path.starts_with("/etc")
                            || home.starts_with(path)
                    })
                })
        };
        if comes && places.iter().any(is_wide) {
            self.walk.note("code.wasm.files", span);
        }
    }

    /// Whom a message is for, where it is made before it is sent.
    pub(super) fn addresses(&mut self, given: &[Given]) {
        self.seen.to_many |= is_for_many(given);
    }

    /// A message goes out to people, or to each of a list of them.
    pub(super) fn mails(&mut self, to_all: bool, given: &[Given], span: Span) {
        if to_all || self.seen.to_many || is_for_many(given) {
            self.walk.note("messages.send.many", span);
        } else {
            self.message_goes_out(span);
        }
    }

    /// A text in GraphQL that changes something, given to a client: what its fields are called says what is done.
    pub(super) fn mutation(&mut self, called: &Called<'_>, given: &[Given], span: Span) -> bool {
        let texts = given.iter().flat_map(|it| {
            let inner = ["query", "mutation", "document", "data", "source"].iter();
            let inner = inner.filter_map(|name| it.value.entry(name));
            std::iter::once(&it.value).chain(inner).map(Value::text).collect::<Vec<_>>()
        });
        let texts = texts.filter_map(|text| {
            let known: String = text
                .pieces
                .iter()
                .filter_map(|piece| match piece {
                    Piece::Known(known) => Some(known.as_str()),
                    _ => None,
                })
                .collect();
            let known = known.trim_start();
            known.starts_with("mutation").then(|| known.to_owned())
        });
        let texts: Vec<String> = texts.collect();
        let is_mutation = !texts.is_empty();
        // A text that is only read and held against a schema does nothing.
        if is_mutation && called.path.starts_with("graphql.") && self.only_validates() {
            return true;
        }
        if is_mutation && called.path.starts_with("graphql.") && is_answered_here(given) {
            return true;
        }
        let takes_away = texts.iter().flat_map(|text| fields(text)).any(|field| {
            let words = meaning::words(meaning::beginning(&field));
            words.iter().any(|word| TAKES_AWAY.contains(&word.as_str()))
                && !words.iter().any(|word| ORDINARY.contains(&word.as_str()))
        });
        if takes_away {
            self.deed(Class::Delete, false, called, &[], span);
        } else if is_mutation && !self.is_here_alone() && self.is_repeated(span) {
            self.walk.note("service.records.changed", span);
        }
        is_mutation
    }
}

/// Whether what is asked is answered by functions of the script, which are read as such: `graphql({ schema: buildSchema(…), source })`.
/// (graphql.org, "graphql/utilities")
fn is_answered_here(given: &[Given]) -> bool {
    const MAKES: &[&str] = &[
        "@graphql-tools/schema.makeExecutableSchema()",
        "graphql-tools.makeExecutableSchema()",
        "graphql.GraphQLSchema()",
        "graphql.buildASTSchema()",
        "graphql.buildSchema()",
    ];
    let is_made = |value: &Value| matches!(value, Value::Name(path, _) if MAKES.contains(&&**path));
    given.iter().any(|it| it.value.entry("schema").is_some_and(is_made))
        || given.first().is_some_and(|it| is_made(&it.value))
}

impl Interpreter<'_, '_, '_> {
    /// Whether nothing in the code could send a text anywhere: it brings GraphQL's own library and what reads files.
    fn only_validates(&self) -> bool {
        const SENDS: &[&str] = &[
            "child_process",
            "exec",
            "fetch",
            "http",
            "net",
            "request",
            "send",
            "socket",
            "ws",
            "subscribe",
            "XMLHttpRequest",
            "import(",
            "require(",
            "write",
        ];
        let is_plain = |module: &str| {
            let module = module.trim_start_matches("node:");
            module == "graphql"
                || module
                    .split('/')
                    .next()
                    .is_some_and(|it| matches!(it, "fs" | "path" | "assert" | "url" | "util"))
        };
        self.modules.iter().all(|module| is_plain(module))
            && !SENDS.iter().any(|word| self.source.contains(word))
    }

    /// Whether the one address in the code is this machine's.
    fn is_here_alone(&self) -> bool {
        let mut hosts = self.source.match_indices("://").map(|(at, _)| {
            let rest = self.source.get(at + 3..).unwrap_or_default();
            rest.split(['/', ':', '"', '\'', '`', ' ']).next().unwrap_or_default()
        });
        let first = hosts.next();
        first.is_some_and(|host| matches!(host, "localhost" | "127.0.0.1"))
            && hosts.all(|host| matches!(host, "localhost" | "127.0.0.1"))
    }
}

/// The fields that a text asks for at its first level.
fn fields(text: &str) -> Vec<String> {
    let (mut braces, mut brackets) = (0_usize, 0_usize);
    let mut names = Vec::new();
    let mut name = String::new();
    for letter in text.chars() {
        if letter.is_ascii_alphanumeric() || letter == '_' {
            name.push(letter);
            continue;
        }
        // An alias stands in front of a colon.
        if !name.is_empty() && braces == 1 && brackets == 0 && letter != ':' {
            names.push(std::mem::take(&mut name));
        }
        name.clear();
        match letter {
            '{' => braces += 1,
            '}' => braces = braces.saturating_sub(1),
            '(' | '[' => brackets += 1,
            ')' | ']' => brackets = brackets.saturating_sub(1),
            _ => {}
        }
    }
    names
}

/// Whether a message is for each of a list that is not written out here.
fn is_for_many(given: &[Given]) -> bool {
    let is_list = |value: &Value| match value {
        Value::List(list) => list.iter().any(comes_from_each),
        other => comes_from_each(other),
    };
    let names = |name: &str| RECIPIENTS.contains(&key(name).as_str());
    given.iter().any(|it| {
        let is_multiple = it.name.as_deref() == Some("is_multiple") && it.value.is_true()
            || it.value.entry("isMultiple").is_some_and(Value::is_true);
        let is_named = it.name.as_deref().is_some_and(names) && is_list(&it.value);
        let within = match &it.value {
            Value::Table(table) if it.name.is_none() => {
                table.iter().any(|(name, value)| names(name) && is_list(value))
            }
            _ => false,
        };
        is_multiple || is_named || within
    })
}

/// Whether a value is made of each of what was gone through.
fn comes_from_each(value: &Value) -> bool {
    let of_text = |text: &Text| {
        text.pieces
            .iter()
            .any(|piece| matches!(piece, Piece::Unknown(origin) if origin.contains("[]")))
    };
    is_of_each(value, DEPTH)
        || match value {
            Value::Name(_, text) | Value::Text(text) => of_text(text),
            _ => false,
        }
}

#[cfg(test)]
mod tests {
    use super::fields;

    #[test]
    fn the_fields_of_a_mutation_are_those_at_its_first_level() {
        let text = "mutation M($a: [ID!]!) { one: deleteProject(input: {id: $a, name: \"x\"}) { ok } addStar { id } }";
        assert_eq!(fields(text), ["deleteProject", "addStar"]);
    }
}

//! From what each file says to what holds. Owns who wins: lists add up, what a layer says holds against the layers above it,
//! and where a key is locked or a file is not trusted, only what is stricter is taken.

mod evidence;

use std::collections::{BTreeMap, btree_map::Entry};

use portcullis_core::{
    assessment::ActionClass,
    monitor::Consequence,
    network::{Budget, NetworkOptions},
    policy::{
        Adjustment, Change, Confirmation, DontAsk, Mode, Permissions, Policy, PolicyOptions,
        class_key,
    },
    risk::Severity,
    rules, tool,
};

use super::{
    Account, Audit, Gateway, Hook, InForce, Layer, LeftOut, Lock, McpServer, Monitoring, Network,
    OnFailure, Source, Why,
    chat::Chat,
    contracts::Contracts,
    file::Analyzer,
    guardian::guardian_words,
    injection::classifier_words,
    monitor::MonitorTable,
    network::NetworkPart,
    part::{Part, covers},
    serve::Serve,
    team::Team,
    trial::{Snapshots, Trials},
};
use crate::{guardian::Settings, sandbox::Custom};

/// What several files come to.
pub(super) struct Combined {
    pub(super) policy: Policy,
    pub(super) audit: Audit,
    pub(super) analyzers: Option<Vec<Analyzer>>,
    pub(super) hook: Hook,
    pub(super) gateway: Option<Gateway>,
    pub(super) monitor: Monitoring,
    pub(super) reads_files: bool,
    pub(super) network: Network,
    pub(super) guardian: Option<Settings>,
    pub(super) classifier: Option<Settings>,
    pub(super) contracts: Contracts,
    pub(super) sandbox: BTreeMap<String, Custom>,
    pub(super) mcp: BTreeMap<String, McpServer>,
    pub(super) serve: Serve,
    pub(super) team: Team,
    pub(super) chat: Chat,
    pub(super) trials: Trials,
    pub(super) snapshots: Snapshots,
    pub(super) security_policy: Option<String>,
    pub(super) account: Account,
}

/// What the files come to, the most general first.
pub(super) fn combine<'a>(
    files: impl IntoIterator<Item = (&'a Source, &'a Part)>,
    central: Option<&InForce>,
) -> Combined {
    let mut whole = Combined {
        policy: Policy::default(),
        audit: Audit::default(),
        analyzers: None,
        hook: Hook::default(),
        gateway: None,
        monitor: Monitoring::default(),
        reads_files: true,
        network: Network::default(),
        guardian: None,
        classifier: None,
        contracts: Contracts::default(),
        sandbox: BTreeMap::new(),
        mcp: BTreeMap::new(),
        serve: Serve::default(),
        team: Team::default(),
        chat: Chat::default(),
        trials: Trials::default(),
        snapshots: Snapshots::default(),
        security_policy: None,
        account: Account::default(),
    };
    let mut options = PolicyOptions::default();
    let may_loosen = central.map_or(&[][..], |central| &central.central.may_loosen);
    for (source, part) in files {
        let turn = Turn {
            source: whole.account.sources.len(),
            untrusted: !source.trusted,
            central: (source.layer == Layer::Central).then_some(may_loosen),
        };
        whole.account.sources.push(source.clone());
        whole.account.take(turn, part, &mut options);
        whole.account.take_rules(turn, part, &mut options);
        let evidence = (&mut whole.trials, &mut whole.snapshots);
        whole.account.take_evidence(turn, part, &mut options, evidence);
        whole.take_rest(turn, part);
        whole.take_servers(turn, part);
        whole.take_monitor(turn, &part.monitor);
        whole.take_network(turn, &part.network);
        // Its own locks bind the layers below, not the managed file itself.
        whole.account.locks.extend(&part.locks);
        whole.account.take_central(turn, part);
    }
    if let Some(central) = central {
        central.tighten(&mut options);
    }
    whole.policy = Policy::new(options);
    whole
}

/// Whether nothing goes on under a mode that does not go on under another, both with the same meaning of `dontAsk`.
///
/// Without a mode, risk alone speaks. `dontAsk` then lets unknown tools go on that would be asked about, so it is looser than no
/// mode, unless it denies quietly: then it denies all that the other modes ask about. `plan` lets requests go on that only fetch,
/// which `acceptEdits` and `default` ask about, so neither is stricter than the other.
pub(super) fn is_as_strict(mode: Option<Mode>, as_mode: Option<Mode>, dont_ask: DontAsk) -> bool {
    let place = |mode: Option<Mode>| match (mode, dont_ask) {
        (Some(Mode::BypassPermissions), _) => 0,
        (Some(Mode::DontAsk), DontAsk::AllowQuietly) => 1,
        (None, _) => 2,
        (Some(Mode::AcceptEdits), _) => 3,
        (Some(Mode::Default), _) => 4,
        (Some(Mode::Plan), _) => 5,
        (Some(Mode::DontAsk), DontAsk::DenyQuietly) => 6,
    };
    let is_beside_plan = matches!(as_mode, Some(Mode::AcceptEdits | Mode::Default));
    place(mode) >= place(as_mode) && !(mode == Some(Mode::Plan) && is_beside_plan)
}

/// The file whose turn it is.
#[derive(Clone, Copy)]
struct Turn<'a> {
    source: usize,
    untrusted: bool,
    /// Of a bundle, what it may loosen.
    central: Option<&'a [Lock]>,
}

/// A key, and the lock that keeps it.
#[derive(Clone, Copy)]
struct Key(&'static str, Lock);

impl Account {
    /// Why a file may only make a key stricter; `None` where it may do as it likes.
    fn binds(&self, turn: Turn<'_>, lock: Lock) -> Option<Why> {
        if turn.untrusted {
            return Some(Why::Untrusted);
        }
        if let Some(may_loosen) = turn.central {
            return (!may_loosen.contains(&lock)).then_some(Why::Central);
        }
        self.locks.contains(&lock).then_some(Why::Locked)
    }

    fn leave(&mut self, key: &'static str, value: String, turn: Turn<'_>, why: Why) {
        self.left_out.push(LeftOut { key, value, source: turn.source, why });
    }

    /// One value in place of another. `joined` gives what is at least as strict as the value that holds and the new one, where
    /// there is such a value.
    fn settle<T: Clone + PartialEq>(
        &mut self,
        turn: Turn<'_>,
        Key(key, lock): Key,
        held: &mut T,
        new: Option<T>,
        words: impl Fn(&T) -> String,
        joined: impl Fn(&T, &T) -> Option<T>,
    ) {
        let Some(new) = new else { return };
        let Some(why) = self.binds(turn, lock) else {
            self.set(key, words(&new), turn.source);
            *held = new;
            return;
        };
        let taken = joined(held, &new).unwrap_or_else(|| held.clone());
        if taken != new {
            self.leave(key, words(&new), turn, why);
        }
        if taken != *held {
            self.set(key, words(&taken), turn.source);
            *held = taken;
        }
    }

    /// More entries of a list of the network, each of which loosens.
    fn append<T: Clone + ToString>(
        &mut self,
        turn: Turn<'_>,
        key: &'static str,
        held: &mut Vec<T>,
        new: &[T],
    ) {
        let bound = self.binds(turn, Lock::Network);
        for entry in new {
            match bound {
                Some(why) => self.leave(key, entry.to_string(), turn, why),
                None => {
                    self.add(key, entry.to_string(), turn.source);
                    held.push(entry.clone());
                }
            }
        }
    }

    /// What the tool of a name may use; a file that may only make things stricter gives it no more than it has.
    fn take_tool(&mut self, turn: Turn<'_>, options: &mut NetworkOptions, tool: &str, new: Budget) {
        const KEY: &str = "network.tools";
        let bound = self.binds(turn, Lock::Network);
        let has = options.budget_of_tool(tool);
        let mut own = options.tool_budgets.get(tool).copied().unwrap_or_default();
        for (what, own, has, new) in [
            ("connections", &mut own.connections, has.connections, new.connections),
            ("bytes", &mut own.bytes, has.bytes, new.bytes),
        ] {
            let Some(new) = new else { continue };
            let value = format!("{tool}: {new} {what}");
            match bound {
                Some(why) if has.is_some_and(|has| has < new) => self.leave(KEY, value, turn, why),
                _ => {
                    self.add(KEY, value, turn.source);
                    *own = Some(new);
                }
            }
        }
        if own != Budget::default() {
            options.tool_budgets.insert(tool.to_owned(), own);
        }
    }

    /// Whose policy holds: the most general file that names a centre decides.
    fn take_central(&mut self, turn: Turn<'_>, part: &Part) {
        const KEY: &str = "central";
        let Some(central) = &part.central else { return };
        let words = central.words();
        if self.settings.iter().any(|one| one.key == KEY) {
            self.leave(KEY, words, turn, Why::Latched);
        } else {
            self.add(KEY, words, turn.source);
        }
    }

    /// The keys with one value.
    fn take(&mut self, turn: Turn<'_>, part: &Part, options: &mut PolicyOptions) {
        match part.disable_bypass {
            Some(false) if options.disable_bypass => {
                self.leave("disable_bypass", false.to_string(), turn, Why::Latched);
            }
            Some(disable) => {
                self.set("disable_bypass", disable.to_string(), turn.source);
                options.disable_bypass = disable;
            }
            None => {}
        }
        self.settle(
            turn,
            Key("dont_ask", Lock::Mode),
            &mut options.dont_ask,
            part.dont_ask,
            |word| dont_ask_word(*word).to_owned(),
            |held, new| {
                let denies = [held, new].contains(&&DontAsk::DenyQuietly);
                Some(if denies { DontAsk::DenyQuietly } else { DontAsk::AllowQuietly })
            },
        );
        let (dont_ask, disabled) = (options.dont_ask, options.disable_bypass);
        self.settle(
            turn,
            Key("mode", Lock::Mode),
            &mut options.mode,
            part.mode.map(Some),
            |mode| mode.map_or_else(String::new, |mode| mode.name().to_owned()),
            |held, new| {
                let effective = |mode| Permissions::new(mode, disabled).mode();
                is_as_strict(effective(*new), effective(*held), dont_ask).then_some(*new)
            },
        );
        self.settle(
            turn,
            Key("confirmation", Lock::Confirmation),
            &mut options.confirmation,
            part.confirmation,
            |confirmation| confirmation_words(*confirmation),
            |held, new| held.joined(*new),
        );
        self.settle(
            turn,
            Key("session.asked_for", Lock::Confirmation),
            &mut options.asked_for,
            part.asked_for.map(Some),
            |risk| risk.map_or_else(String::new, |risk| risk.name().to_owned()),
            |held, new| Some(*held.min(new)),
        );
    }

    /// The keys with many values.
    fn take_rules(&mut self, turn: Turn<'_>, part: &Part, options: &mut PolicyOptions) {
        for rule in &part.deny {
            self.add("rules.deny", rule.to_string(), turn.source);
            options.deny.push(rule.clone());
        }
        for floor in &part.floors {
            self.add("floors", floor.clone(), turn.source);
        }
        for rule in &part.ask {
            self.add("rules.ask", rule.to_string(), turn.source);
            options.ask.push(rule.clone());
        }
        let bound = self.binds(turn, Lock::Allow);
        for rule in &part.allow {
            match bound {
                Some(why) => self.leave("rules.allow", rule.to_string(), turn, why),
                None => {
                    self.add("rules.allow", rule.to_string(), turn.source);
                    options.allow.push(rule.clone());
                }
            }
        }
        for adjustment in &part.adjustments {
            self.adjust(turn, adjustment, options);
        }
        // After the adjustments: those of the same file were checked against its floors when it was read.
        options.floors.extend(part.floors.iter().cloned());
        let bound = self.binds(turn, Lock::Classes);
        for (name, class) in &part.classes {
            let value = class_words(name, *class);
            if let Some(why) = bound.filter(|_| !raises(options, name, *class)) {
                self.leave("classes", value, turn, why);
                continue;
            }
            let same = |other: &str| class_key(other) == class_key(name);
            if let Some((other, class)) = options.classes.iter().find(|(other, _)| same(other)) {
                let words = class_words(other, *class);
                self.settings.retain(|one| one.key != "classes" || one.value != words);
            }
            self.add("classes", value, turn.source);
            options.classes.retain(|(other, _)| !same(other));
            options.classes.push((name.clone(), *class));
        }
    }

    fn adjust(&mut self, turn: Turn<'_>, adjustment: &Adjustment, options: &mut PolicyOptions) {
        let Adjustment { rule, change, reason } = adjustment;
        let value = adjustment_words(adjustment);
        let floored = options.floors.iter().any(|floor| covers(floor, rule));
        if floored && *change != Change::Severity(Severity::Critical) {
            self.leave("severity", value, turn, Why::Floor);
            return;
        }
        let Some(why) = self.binds(turn, Lock::Severity) else {
            let same = |one: &Adjustment| one.rule == *rule;
            if let Some(replaced) = options.adjustments.iter().find(|one| same(one)) {
                let words = adjustment_words(replaced);
                self.settings.retain(|one| one.key != "severity" || one.value != words);
            }
            options.adjustments.retain(|one| !same(one));
            self.add("severity", value, turn.source);
            options.adjustments.push(adjustment.clone());
            return;
        };
        let Change::Severity(level) = *change else {
            self.leave("severity", value, turn, why);
            return;
        };
        let mut covered = rules::all().filter(|known| covers(rule, known.id));
        if covered.any(|known| known.severity > level) {
            self.leave("severity", value, turn, why);
        }
        let change = Change::AtLeast(level);
        let raised = Adjustment { rule: rule.clone(), change, reason: reason.clone() };
        self.add("severity", adjustment_words(&raised), turn.source);
        options.adjustments.push(raised);
    }
}

impl Combined {
    /// Profiles of the sandbox by name. The most general file that has a name says what it means.
    fn take_profiles(&mut self, turn: Turn<'_>, part: &Part) {
        const KEY: &str = "sandbox.profiles";
        for (name, profile) in &part.sandbox {
            match self.sandbox.entry(name.clone()) {
                Entry::Vacant(place) => {
                    place.insert(profile.clone());
                    self.account.add(KEY, name.clone(), turn.source);
                }
                Entry::Occupied(_) => self.account.leave(KEY, name.clone(), turn, Why::Latched),
            }
        }
    }

    /// MCP servers by name. The most general file that has a name says what it means.
    fn take_servers(&mut self, turn: Turn<'_>, part: &Part) {
        const KEY: &str = "mcp.servers";
        for (name, server) in &part.mcp {
            let words = format!("{name}: {}", server.words());
            if let Some(why) = self.account.binds(turn, Lock::Hook) {
                self.account.leave(KEY, words, turn, why);
                continue;
            }
            match self.mcp.entry(name.clone()) {
                Entry::Vacant(place) => {
                    place.insert(server.clone());
                    self.account.add(KEY, words, turn.source);
                }
                Entry::Occupied(_) => self.account.leave(KEY, words, turn, Why::Latched),
            }
        }
    }

    /// What is not part of the policy.
    fn take_rest(&mut self, turn: Turn<'_>, part: &Part) {
        self.take_profiles(turn, part);
        let Self {
            audit,
            analyzers,
            hook,
            gateway,
            guardian,
            classifier,
            contracts,
            reads_files,
            security_policy,
            serve,
            team,
            chat,
            account,
            ..
        } = self;
        let equal = |_: &_, _: &_| None;
        account.settle(
            turn,
            Key("analyzers", Lock::Analyzers),
            analyzers,
            part.analyzers.clone().map(Some),
            |names| analyzer_words(names.as_deref()),
            equal,
        );
        let yes = |word: &bool| word.to_string();
        account.settle(
            turn,
            Key("audit.enabled", Lock::Audit),
            &mut audit.enabled,
            part.audit.enabled,
            yes,
            |held, new| Some(*held || *new),
        );
        account.settle(
            turn,
            Key("audit.path", Lock::Audit),
            &mut audit.path,
            part.audit.path.clone().map(Some),
            |path| path.as_deref().map(|path| path.display().to_string()).unwrap_or_default(),
            |_, _| None,
        );
        account.settle(
            turn,
            Key("audit.on_failure", Lock::Audit),
            &mut audit.on_failure,
            part.audit.on_failure,
            |word| on_failure_word(*word).to_owned(),
            |held, new| {
                let denies = [held, new].contains(&&OnFailure::Deny);
                Some(if denies { OnFailure::Deny } else { OnFailure::Warn })
            },
        );
        account.settle(
            turn,
            Key("hook.approve", Lock::Hook),
            &mut hook.approve,
            part.hook.approve,
            |word| word.name().to_owned(),
            |held, new| Some(*held.min(new)),
        );
        account.settle(
            turn,
            Key("hook.on_failure", Lock::Hook),
            &mut hook.on_failure,
            part.hook.on_failure,
            |word| word.name().to_owned(),
            |held, new| Some(*held.min(new)),
        );
        account.settle(
            turn,
            Key("hook.unknown_tools", Lock::Hook),
            &mut hook.unknown_tools,
            part.hook.unknown_tools,
            |word| word.name().to_owned(),
            |held, new| Some(*held.min(new)),
        );
        // Neither makes anything stricter: a notice can only disturb, and an agent's mode may be one that lets all go on.
        let same = |_: &bool, _: &bool| None;
        let (notify, enforce) = (part.hook.notify, part.hook.enforce_mode);
        account.settle(turn, Key("hook.notify", Lock::Hook), &mut hook.notify, notify, yes, same);
        let key = Key("hook.enforce_mode", Lock::Hook);
        account.settle(turn, key, &mut hook.enforce_mode, enforce, yes, same);
        // Another gateway is neither stricter nor looser.
        account.settle(
            turn,
            Key("gateway", Lock::Hook),
            gateway,
            part.gateway.clone().map(Some),
            |gateway| gateway.as_ref().map(Gateway::words).unwrap_or_default(),
            |_, _| None,
        );
        // Nor is another place for what counts.
        account.settle(
            turn,
            Key("serve", Lock::Hook),
            serve,
            part.serve.clone(),
            Serve::words,
            |_, _| None,
        );
        // Nor are other people.
        account.settle(
            turn,
            Key("team", Lock::Hook),
            team,
            part.team.clone(),
            Team::words,
            |_, _| None,
        );
        account.settle(
            turn,
            Key("chat", Lock::Hook),
            chat,
            part.chat.clone(),
            Chat::words,
            |_, _| None,
        );
        // Another reviewer is neither stricter nor looser, and neither is another text.
        account.settle(
            turn,
            Key("guardian", Lock::Guardian),
            guardian,
            part.guardian.clone().map(Some),
            |settings| settings.as_ref().map(guardian_words).unwrap_or_default(),
            |_, _| None,
        );
        account.settle(
            turn,
            Key("injection.classifier", Lock::Guardian),
            classifier,
            part.classifier.clone().map(Some),
            |settings| settings.as_ref().map(classifier_words).unwrap_or_default(),
            |_, _| None,
        );
        account.settle(
            turn,
            Key("files.read", Lock::Files),
            reads_files,
            part.reads_files,
            yes,
            |held, new| Some(*held || *new),
        );
        // Another contract is neither stricter nor looser than the one that is derived without it.
        account.settle(
            turn,
            Key("contracts", Lock::Classes),
            contracts,
            part.contracts.clone(),
            Contracts::words,
            |_, _| None,
        );
        account.settle(
            turn,
            Key("security_policy", Lock::Guardian),
            security_policy,
            part.security_policy.clone().map(Some),
            |path| path.clone().unwrap_or_default(),
            |_, _| None,
        );
    }
}

impl Combined {
    /// What is counted and noticed: a lower limit and a graver consequence are stricter.
    fn take_monitor(&mut self, turn: Turn<'_>, part: &MonitorTable) {
        let Self { monitor, account, .. } = self;
        let words = |limit: &Option<u64>| limit.map_or_else(String::new, |limit| limit.to_string());
        let least = |held: &Option<u64>, new: &Option<u64>| match (held, new) {
            (Some(held), Some(new)) => Some(Some(*held.min(new))),
            (held, new) => Some(held.or(*new)),
        };
        for (key, new) in part.limits() {
            let mut held = monitor.limit(key);
            account.settle(turn, Key(key, Lock::Monitor), &mut held, new.map(Some), words, least);
            monitor.set_limit(key, held);
        }
        for (key, kind, new) in part.consequences() {
            let mut held = monitor.consequences.of(kind);
            let word = |one: &Consequence| one.name().to_owned();
            let gravest = |held: &Consequence, new: &Consequence| Some(*held.max(new));
            account.settle(turn, Key(key, Lock::Monitor), &mut held, new, word, gravest);
            monitor.consequences = monitor.consequences.with(kind, held);
        }
    }

    /// Where things may connect.
    fn take_network(&mut self, turn: Turn<'_>, part: &NetworkPart) {
        let Self { network, account, .. } = self;
        let Network { options, name_servers } = network;
        for entry in &part.extra_blocked_hosts {
            account.add("network.extra_blocked_hosts", entry.clone(), turn.source);
            options.extra_blocked_hosts.push(entry.clone());
        }
        account.append(
            turn,
            "network.allowed_hosts",
            &mut options.allowed_hosts,
            &part.allowed_hosts,
        );
        account.append(turn, "network.ports", &mut options.ports, &part.ports);
        // What is translated is judged by what it is translated to.
        let prefixes = &part.nat64_prefixes;
        account.append(turn, "network.nat64_prefixes", &mut options.nat64_prefixes, prefixes);
        account.append(turn, "network.name_servers", name_servers, &part.name_servers);
        let both = |held: &bool, new: &bool| Some(*held && *new);
        let either = |held: &bool, new: &bool| Some(*held || *new);
        type Join<'a> = &'a dyn Fn(&bool, &bool) -> Option<bool>;
        let switches: [(&'static str, &mut bool, Option<bool>, Join<'_>); 5] = [
            ("network.resolve_dns", &mut options.resolve_dns, part.resolve_dns, &both),
            ("network.default_deny", &mut options.default_deny, part.default_deny, &either),
            ("network.require_https", &mut options.require_https, part.require_https, &either),
            ("network.allow_userinfo", &mut options.allow_userinfo, part.allow_userinfo, &both),
            ("network.allow_disguised", &mut options.allow_disguised, part.allow_disguised, &both),
        ];
        for (key, held, new, join) in switches {
            account.settle(turn, Key(key, Lock::Network), held, new, bool::to_string, join);
        }
        let least = |held: &Option<u64>, new: &Option<u64>| match (held, new) {
            (Some(held), Some(new)) => Some(Some(*held.min(new))),
            (held, new) => Some(held.or(*new)),
        };
        let words =
            |number: &Option<u64>| number.map_or_else(String::new, |number| number.to_string());
        let Budget { connections, bytes } = &mut options.budget;
        let tool = &mut options.tool_budget;
        for (key, held, new) in [
            ("network.session_connections", connections, part.session_connections),
            ("network.session_bytes", bytes, part.session_bytes),
            ("network.tool_connections", &mut tool.connections, part.tool_connections),
            ("network.tool_bytes", &mut tool.bytes, part.tool_bytes),
        ] {
            account.settle(turn, Key(key, Lock::Network), held, new.map(Some), words, least);
        }
        for (tool, new) in &part.tools {
            account.take_tool(turn, options, tool, *new);
        }
    }
}

/// Whether a class can only make a tool's calls stricter: it is above the one that holds, and that one is known. An unknown tool
/// is asked about for being unknown, so any class for it loosens; and `plan` lets some tools of the network go on that it
/// would refuse as anything else.
fn raises(options: &PolicyOptions, name: &str, class: ActionClass) -> bool {
    let same = |other: &str| class_key(other) == class_key(name);
    let given = options.classes.iter().find(|(other, _)| same(other)).map(|(_, class)| *class);
    let holds = given.unwrap_or_else(|| tool::class(name));
    holds != ActionClass::Unknown && class > holds && class != ActionClass::Network
}

const fn dont_ask_word(word: DontAsk) -> &'static str {
    match word {
        DontAsk::AllowQuietly => "allow-quietly",
        DontAsk::DenyQuietly => "deny-quietly",
    }
}

const fn on_failure_word(word: OnFailure) -> &'static str {
    match word {
        OnFailure::Deny => "deny",
        OnFailure::Warn => "warn",
    }
}

fn class_words(name: &str, class: ActionClass) -> String {
    format!("`{name}` is {}", class.name())
}

fn analyzer_words(names: Option<&[Analyzer]>) -> String {
    let names = names.unwrap_or_default().iter().map(|name| name.name());
    names.collect::<Vec<_>>().join(", ")
}

fn adjustment_words(adjustment: &Adjustment) -> String {
    let Adjustment { rule, change, reason } = adjustment;
    match change {
        Change::Off => format!("`{rule}` is off: {reason}"),
        Change::Severity(level) => format!("`{rule}` is {level}: {reason}"),
        Change::AtLeast(level) => format!("`{rule}` is at least {level}: {reason}"),
    }
}

/// A confirmation policy for a person.
pub fn confirmation_words(confirmation: Confirmation) -> String {
    match confirmation {
        Confirmation::Always => "asks about everything".to_owned(),
        Confirmation::Never => "asks about nothing".to_owned(),
        Confirmation::Risky { threshold, confirm_unknown: true } => {
            format!("asks at {threshold} risk and above, and where the risk is unknown")
        }
        Confirmation::Risky { threshold, confirm_unknown: false } => {
            format!("asks at {threshold} risk and above; an unknown risk goes on")
        }
        Confirmation::Refuse { threshold } => {
            format!("refuses {threshold} risk and above, and an unknown one")
        }
    }
}

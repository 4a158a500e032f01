//! From what each file says to what holds. Owns who wins: lists add up, what a layer says holds against the layers above it,
//! and where a key is locked or a file is not trusted, only what is stricter is taken.

use std::collections::BTreeMap;

use portcullis_core::{
    network::{Budget, NetworkOptions},
    policy::{DontAsk, Mode, Policy, PolicyOptions},
};

use super::{
    Account, Audit, Gateway, Hook, InForce, Layer, LeftOut, Lock, McpServer, Monitoring, Network,
    Source, Why,
    chat::Chat,
    contracts::Contracts,
    file::Analyzer,
    part::Part,
    serve::Serve,
    team::Team,
    trial::{Snapshots, Trials},
};
use crate::{
    guardian::Settings,
    sandbox::{Contracted, Custom},
};

mod evidence;
mod policy;
mod rest;
mod words;

pub use words::confirmation_words;

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
    pub(super) server_contracts: BTreeMap<String, Contracted>,
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
        server_contracts: BTreeMap::new(),
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
        if turn.untrusted {
            return self.leave(KEY, words, turn, Why::Untrusted);
        }
        if self.settings.iter().any(|one| one.key == KEY) {
            self.leave(KEY, words, turn, Why::Latched);
        } else {
            self.add(KEY, words, turn.source);
        }
    }
}

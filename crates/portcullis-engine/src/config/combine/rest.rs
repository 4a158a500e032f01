//! What stands beside the policy: profiles, servers, the monitor, the network and all single settings. Owns how each is taken from a layer.

use std::collections::btree_map::Entry;

use portcullis_core::{monitor::Consequence, network::Budget};

use super::{
    super::{
        Gateway, Lock, Network, OnFailure, Why, chat::Chat, contracts::Contracts,
        guardian::guardian_words, injection::classifier_words, monitor::MonitorTable,
        network::NetworkPart, part::Part, serve::Serve, team::Team,
    },
    Combined, Key, Turn,
    words::{analyzer_words, on_failure_word},
};

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

    /// What servers may reach by name. The most general file that has a name says what it means.
    fn take_server_contracts(&mut self, turn: Turn<'_>, part: &Part) {
        const KEY: &str = "contracts.servers";
        for (name, contract) in &part.server_contracts {
            let words = format!("{name}: {}", contract.words());
            if let Some(why) = self.account.binds(turn, Lock::Classes) {
                self.account.leave(KEY, words, turn, why);
                continue;
            }
            match self.server_contracts.entry(name.clone()) {
                Entry::Vacant(place) => {
                    place.insert(contract.clone());
                    self.account.add(KEY, words, turn.source);
                }
                Entry::Occupied(_) => self.account.leave(KEY, words, turn, Why::Latched),
            }
        }
    }

    /// MCP servers by name. The most general file that has a name says what it means.
    pub(super) fn take_servers(&mut self, turn: Turn<'_>, part: &Part) {
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
    pub(super) fn take_rest(&mut self, turn: Turn<'_>, part: &Part) {
        self.take_profiles(turn, part);
        self.take_server_contracts(turn, part);
        self.take_analyzers(turn, part);
        self.take_record(turn, part);
        self.take_hook(turn, part);
        self.take_people(turn, part);
        self.take_reviewers(turn, part);
    }

    /// Who looks at calls.
    fn take_analyzers(&mut self, turn: Turn<'_>, part: &Part) {
        let Self { analyzers, account, .. } = self;
        account.settle(
            turn,
            Key("analyzers", Lock::Analyzers),
            analyzers,
            part.analyzers.clone().map(Some),
            |names| analyzer_words(names.as_deref()),
            |_, _| None,
        );
    }

    /// What is recorded, and what follows where it cannot be: more is stricter.
    fn take_record(&mut self, turn: Turn<'_>, part: &Part) {
        let Self { audit, account, .. } = self;
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
    }

    /// How hooks answer.
    fn take_hook(&mut self, turn: Turn<'_>, part: &Part) {
        let Self { hook, account, .. } = self;
        let yes = |word: &bool| word.to_string();
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
    }

    /// Where this machine reports to, and who the people are that it asks.
    fn take_people(&mut self, turn: Turn<'_>, part: &Part) {
        let Self { gateway, serve, team, chat, account, .. } = self;
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
    }

    /// Who else is asked about calls, and what they are told.
    fn take_reviewers(&mut self, turn: Turn<'_>, part: &Part) {
        let Self { guardian, classifier, contracts, reads_files, security_policy, account, .. } =
            self;
        let yes = |word: &bool| word.to_string();
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

    /// What is counted and noticed: a lower limit and a graver consequence are stricter.
    pub(super) fn take_monitor(&mut self, turn: Turn<'_>, part: &MonitorTable) {
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
    pub(super) fn take_network(&mut self, turn: Turn<'_>, part: &NetworkPart) {
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

//! `url`: where a URL leads and whether it may be fetched. Owns how URLs come in and in which shape the answers go; what they
//! lead to, `portcullis_core::network` says, and names are resolved by `portcullis_net`.

use std::{
    io::{self, BufReader, Write},
    net::IpAddr,
};

use clap::{Arg, ArgAction, ArgMatches, Command};
use portcullis_core::{
    network::{Admission, NetworkPolicy, Target},
    redact::redact,
};
use portcullis_net::{Resolver, ResolverOptions};
use serde_json::Value;

use super::{Exit, Failure, Reader, egress, json_flag, shown, write_json, write_line};
use crate::{
    report::visible,
    wire::{AddressShape, ErrorAnswer, Lines, UrlAnswer, UrlRequest, VERSION, note_codes},
};

/// How much of standard input is read at once.
const READ_AHEAD: usize = 1 << 16;

pub(super) fn define(command: Command) -> Command {
    command
        .about("Say where URLs lead, and whether they may be fetched")
        .after_help(
            "Examples:\n  portcullis url https://example.com/ http://0x7f.1/\n  portcullis url --resolve https://example.com/\n  \
             portcullis url --jsonl < urls.jsonl\n\n\
             A line is `{\"id\":\"1\",\"url\":\"…\",\"resolve_to\":[\"192.0.2.1\"]}`; `resolve_to` stands in for the answer of a\n\
             name server. Without it and without `--resolve`, a name is judged as a name.\n\n\
             Exit codes: 0 every URL may be fetched, 2 one may not.",
        )
        .arg(Arg::new("url").value_name("URL").num_args(1..).required_unless_present("jsonl").help("The URLs"))
        .arg(
            Arg::new("resolve")
                .long("resolve")
                .action(ArgAction::SetTrue)
                .help("Ask the name servers for the addresses of names"),
        )
        .arg(json_flag().conflicts_with("jsonl").help("Answer each URL with a line of JSON"))
        .arg(
            Arg::new("jsonl")
                .long("jsonl")
                .action(ArgAction::SetTrue)
                .conflicts_with("url")
                .help("Judge one URL in JSON per line of standard input, and answer each with a line"),
        )
        .args(egress::configuration_arguments())
}

pub(super) fn run(matches: &ArgMatches, out: &mut dyn Write) -> Result<Exit, Failure> {
    let network = egress::network(matches)?;
    let policy = egress::policy(&network)?;
    let resolver = matches.get_flag("resolve").then(|| {
        let servers = network.name_servers.clone();
        Resolver::new(ResolverOptions { servers, ..ResolverOptions::default() })
    });
    let judge = Judge { policy, resolver, runtime: egress::runtime()? };
    if matches.get_flag("jsonl") {
        return judge.many(out);
    }
    let in_json = matches.get_flag("json");
    let mut exit = Exit::Done;
    for url in matches.get_many::<String>("url").into_iter().flatten() {
        let said = judge.say(url, None);
        if said.verdict == "block" {
            exit = Exit::Denied;
        }
        if in_json {
            write_json(out, &said.answer(None))?;
        } else {
            shown(out, &said.text(url))?;
        }
    }
    Ok(exit)
}

/// What judges.
struct Judge {
    policy: NetworkPolicy,
    resolver: Option<Resolver>,
    runtime: tokio::runtime::Runtime,
}

/// What was said of one URL.
struct Said {
    verdict: &'static str,
    reason: String,
    code: Option<&'static str>,
    help: Option<&'static str>,
    target: Option<Target>,
    addresses: Vec<AddressShape>,
}

impl Judge {
    /// One line in, one line out, in order.
    fn many(&self, out: &mut dyn Write) -> Result<Exit, Failure> {
        let unreadable = |error: io::Error| {
            Failure::bad_input(format_args!("standard input could not be read: {error}"))
        };
        let mut lines = Lines::new(BufReader::with_capacity(READ_AHEAD, io::stdin().lock()));
        let mut exit = Exit::Done;
        loop {
            let Some((number, line)) = lines.read().map_err(unreadable)? else { return Ok(exit) };
            let reader = match line.and_then(|line| UrlRequest::parse(line, number)) {
                Ok(UrlRequest { id, url, resolve_to }) => {
                    let said = self.say(&url, resolve_to);
                    write_line(out, &said.answer(id.as_ref()))?
                }
                Err(malformed) => {
                    exit = Exit::BadInput;
                    let message = malformed.to_string();
                    let answer = ErrorAnswer::new(malformed.id.as_ref(), "bad-input", message);
                    write_line(out, &answer)?
                }
            };
            if reader == Reader::Gone {
                return Ok(exit);
            }
        }
    }

    /// Judges one URL; `resolve_to` stands in for a name server.
    fn say(&self, url: &str, resolve_to: Option<Vec<IpAddr>>) -> Said {
        let judged = self.policy.judge(url);
        let mut said = Said {
            verdict: "allow",
            reason: String::new(),
            code: None,
            help: None,
            target: judged.target,
            addresses: Vec::new(),
        };
        let Some(target) = said.target.clone() else {
            if let Err(refusal) = judged.outcome {
                said.block(refusal.to_string(), refusal.code(), Some(refusal.help()));
            }
            return said;
        };
        let known = match target.address() {
            Some(address) => vec![address],
            None => resolve_to.clone().unwrap_or_default(),
        };
        self.note(&target, &known, &mut said);
        match judged.outcome {
            Err(refusal) => said.block(refusal.to_string(), refusal.code(), Some(refusal.help())),
            Ok(Admission::Address(_)) => {
                said.reason = "it leads to a public or allowed address".to_owned()
            }
            Ok(Admission::Name) => match (resolve_to, &self.resolver) {
                (Some(addresses), _) => self.admit(&target, &addresses, &mut said),
                (None, Some(resolver)) => self.resolve(resolver, &target, &mut said),
                (None, None) => {
                    said.reason =
                        "its name leads nowhere special; its addresses were not asked for"
                            .to_owned();
                }
            },
        }
        said
    }

    fn resolve(&self, resolver: &Resolver, target: &Target, said: &mut Said) {
        let host = target.host();
        match self.runtime.block_on(resolver.resolve(&host)) {
            Ok(resolved) => {
                for alias in &resolved.aliases {
                    if let Err(refusal) = self.policy.judge_alias(target, alias) {
                        let reason = format!("`{host}` is another name of `{alias}`: {refusal}");
                        said.block(reason, refusal.code(), Some(refusal.help()));
                        return;
                    }
                }
                self.note(target, &resolved.addresses, said);
                self.admit(target, &resolved.addresses, said);
            }
            Err(error) => {
                said.block(format!("`{host}` has no address: {error}"), "host.no-address", None)
            }
        }
    }

    fn admit(&self, target: &Target, addresses: &[IpAddr], said: &mut Said) {
        match self.policy.admit(target, addresses) {
            Ok(_) => said.reason = "every address of its name may be connected to".to_owned(),
            Err(refusal) => said.block(refusal.to_string(), refusal.code(), Some(refusal.help())),
        }
    }

    /// Notes what each address is.
    fn note(&self, target: &Target, addresses: &[IpAddr], said: &mut Said) {
        said.addresses = addresses
            .iter()
            .map(|address| {
                let is_allowed = self.policy.judge_address(target, *address).is_ok();
                AddressShape::new(*address, &self.policy.classify(*address), is_allowed)
            })
            .collect();
    }
}

impl Said {
    fn block(&mut self, reason: String, code: &'static str, help: Option<&'static str>) {
        (self.verdict, self.reason, self.code, self.help) = ("block", reason, Some(code), help);
    }

    fn canonical(&self) -> Option<String> {
        self.target.as_ref().map(|target| redact(&target.canonical()).into_owned())
    }

    fn answer<'a>(self, id: Option<&'a Value>) -> UrlAnswer<'a> {
        UrlAnswer {
            v: VERSION,
            id,
            verdict: self.verdict,
            canonical: self.canonical(),
            notes: self.target.as_ref().map_or_else(Vec::new, |target| note_codes(target.notes())),
            reason: self.reason,
            code: self.code,
            addresses: self.addresses,
        }
    }

    fn text(&self, url: &str) -> String {
        let url = visible::line(&redact(url)).into_owned();
        let mut text = format!("{url}\n  {}: {}\n", self.verdict, visible::line(&self.reason));
        if let Some(canonical) = self.canonical() {
            text.push_str(&format!("  read as    {}\n", visible::line(&canonical)));
        }
        if let Some(target) = &self.target {
            text.push_str(&format!(
                "  host       {}, port {}\n",
                visible::line(&target.host()),
                target.port()
            ));
            for note in target.notes() {
                text.push_str(&format!("  unusual    {}\n", note.words()));
            }
        }
        for address in &self.addresses {
            text.push_str(&format!(
                "  address    {}: {}, {}\n",
                address.ip, address.verdict, address.range
            ));
        }
        if let Some(help) = self.help {
            text.push_str(&format!("  help: {help}\n"));
        }
        text
    }
}

//! MCP servers in the settings of agents, as `status` and `doctor` tell of them: what stands in front of each, what holds it while it runs, and whether
//! both do what is said of them.

use std::{
    collections::BTreeSet,
    ffi::OsString,
    net::{Ipv4Addr, SocketAddr},
    path::Path,
};

use portcullis_sandbox::{Launch, Proxy};
use serde::Serialize;
use serde_json::Value;

use super::install::Setting;
use crate::{
    install::doctor::{Check, Proof},
    mcp::{
        confined::Held,
        proof::{Proof as Blocking, blocks},
        wrap,
    },
    platform::Directories,
    report::visible,
    sandbox::Contracted,
};

/// A server in the settings of an agent.
#[derive(Serialize)]
pub(super) struct Server {
    agent: &'static str,
    name: String,
    /// `proxied`, `direct`, or `remote`.
    stands: &'static str,
    /// The program that is called as the proxy.
    program: Option<String>,
    /// What holds it while it runs, where the proxy starts it.
    confined: Option<Value>,
    /// Options of its entry that lead the proxy elsewhere.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    strange: Vec<String>,
    /// What holds it, in words.
    #[serde(skip)]
    held: Option<String>,
    /// What starts it behind the proxy.
    #[serde(skip)]
    words: Vec<String>,
}

/// The MCP servers of the agents that are meant, each with what stands before it.
pub(super) fn servers(setting: &Setting) -> Vec<Server> {
    let named: Vec<&str> = setting.named.iter().map(|agent| agent.name).collect();
    let all = wrap::look(&setting.machine, &named).into_iter().filter_map(Result::ok);
    all.flat_map(|looked| {
        let agent = looked.settings.agent;
        looked.servers.into_iter().map(move |server| of(setting, agent, server))
    })
    .collect()
}

fn of(setting: &Setting, agent: &'static str, server: wrap::Server) -> Server {
    let words = wrap::wrapped(&server.words).map(<[String]>::to_vec);
    let stands = match (&words, server.words.is_empty()) {
        (Some(_), _) => "proxied",
        (None, true) => "remote",
        (None, false) => "direct",
    };
    let profile = wrap::profile(&server.words);
    let strange = wrap::strange_options(&server.words);
    let held =
        words.is_some().then(|| Held::of(&setting.configuration, &server.name, profile.as_deref()));
    let program = server.words.into_iter().next().filter(|_| words.is_some());
    Server {
        agent,
        stands,
        program,
        strange,
        confined: held.as_ref().map(Held::shape),
        held: held.map(|held| held.words(&server.name)),
        name: server.name,
        words: words.unwrap_or_default(),
    }
}

pub(super) fn page(all: &[Server]) -> String {
    if all.is_empty() {
        return String::new();
    }
    let mut lines = vec!["MCP servers".to_owned()];
    for server in all {
        let stands = match server.stands {
            "proxied" => "behind the proxy",
            "remote" => "not behind the proxy: it is reached by an address",
            _ => "not behind the proxy; `portcullis mcp wrap` puts it there",
        };
        lines.push(format!("  {}: `{}`: {stands}", server.agent, server.name));
        if !server.strange.is_empty() {
            lines.push(format!("    wrong: {}", led_elsewhere(&server.strange)));
        }
        lines.extend(server.held.as_ref().map(|held| format!("    confined {held}")));
    }
    lines.iter().map(|line| format!("{}\n", visible::line(line))).collect()
}

fn led_elsewhere(options: &[String]) -> String {
    format!(
        "`{}` in its entry leads the proxy elsewhere than to your configuration and pins; `portcullis mcp wrap` takes that away",
        options.join(" ")
    )
}

/// Whether the programs that are called as the proxy block what nobody accepted.
pub(super) fn proxies(setting: &Setting) -> Vec<Check> {
    let mut programs: Vec<String> =
        servers(setting).into_iter().filter_map(|server| server.program).collect();
    programs.sort();
    programs.dedup();
    let check = |program: &String| {
        let shown = visible::line(program).into_owned();
        match blocks(Path::new(program)) {
            Ok(Blocking::Blocks) => Check::new(
                Proof::Proven,
                format!(
                    "`{shown}` refuses a call of a tool that nobody accepted, and it does not reach the server"
                ),
            ),
            Ok(Blocking::LetsThrough) => Check::new(
                Proof::Failed,
                format!("`{shown}` lets a call through that nobody accepted"),
            ),
            Ok(Blocking::Untried) => {
                Check::new(Proof::Unproven, format!("`{shown}` cannot be tried on this system"))
            }
            Err(error) => Check::new(Proof::Failed, format!("`{shown}` cannot be tried: {error}")),
        }
    };
    programs.iter().map(check).collect()
}

/// Whether what holds each server behind the proxy holds here: every promise of a contract is tried from inside.
pub(super) fn limits(setting: &Setting) -> Vec<Check> {
    let mut known = BTreeSet::new();
    let all = servers(setting).into_iter().filter(|server| server.stands == "proxied");
    let all = all.filter(|server| known.insert((server.name.clone(), server.words.clone())));
    all.map(|server| {
        let name = visible::line(&server.name).into_owned();
        if !server.strange.is_empty() {
            let why = visible::line(&led_elsewhere(&server.strange)).into_owned();
            return Check::new(Proof::Failed, format!("`{name}`: {why}"));
        }
        match setting.configuration.server_contract(&server.name) {
            None => {
                let held = server.held.unwrap_or_default();
                Check::new(Proof::Note, format!("`{name}` is confined {held}"))
            }
            Some(contract) => match tried(contract, &server.words) {
                Ok(()) => Check::new(
                    Proof::Proven,
                    format!("`{name}` runs inside its contract: {}", contract.words()),
                ),
                Err(why) => Check::new(
                    Proof::Failed,
                    format!(
                        "`{name}` cannot be held to its contract here, and is not started: {why}"
                    ),
                ),
            },
        }
    })
    .collect()
}

/// Puts what holds a server in force around nothing, and tries it.
fn tried(contract: &Contracted, words: &[String]) -> Result<(), String> {
    let words: Vec<OsString> = words.iter().map(OsString::from).collect();
    let directory = std::env::current_dir().map_err(|error| error.to_string())?;
    // Nothing connects to it: whether the way there can be made is what is tried.
    let nowhere = Proxy { address: SocketAddr::from((Ipv4Addr::LOCALHOST, 9)), credentials: None };
    let directories = Directories::from_environment();
    let profile = contract.profile(&words, &directory, &directories, Some(nowhere));
    let profile = profile.map_err(|error| error.to_string())?;
    let launch = Launch { limits: contract.limits.clone(), ..Launch::new("", directory, profile) };
    let report = portcullis_sandbox::probe(&launch).map_err(|refused| refused.to_string())?;
    let open: Vec<String> = report
        .missing()
        .map(|state| {
            format!("`{}`: {}", state.layer, state.note.as_deref().unwrap_or("nothing keeps it"))
        })
        .collect();
    if open.is_empty() { Ok(()) } else { Err(open.join("; ")) }
}

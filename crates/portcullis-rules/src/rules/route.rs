//! Rules on where a connection goes when its address does not say it: proxies, names that are led to another address, addresses
//! that programs read differently, and raw schemes. Owns which options and variables
//! lead a connection elsewhere; what a host is, [`super::hosts`] says.

use super::{
    Hit, Rule, Scene, Shelf, When,
    effects::run,
    flow::{host_kind, host_resource},
    hosts::{self, HostKind},
    pattern,
};
use crate::{
    action::ActionKind,
    address::host_of,
    effect::{Argument, Effect, EffectKind, Kinds, Run},
    finding::{Category, Confidence},
    network::{Note, Target},
    programs::cards,
    risk::Severity,
    text::{Piece, Taint, Text},
};

mod spelled;

pub(super) static SHELF: Shelf = Shelf { programs: &["curl"], rules: RULES };

const LEADS: Rule = Rule {
    category: Category::System,
    severity: Severity::High,
    confidence: Confidence::High,
    reversible: true,
    ..Rule::LOSS
};

static RULES: &[Rule] = &[
    Rule {
        id: "network.route.credentials",
        category: Category::Credentials,
        message: "a password goes over a line that anybody on the way can read, and on to whatever host the answer names",
        remedy: "use https, and leave out `--location-trusted`",
        when: When::Command(&[
            "curl --location-trusted -u|--user|--oauth2-bearer|--netrc|--netrc-file|-n http://* !http://localhost* !http://127.0.0.1*",
        ]),
        fires: &["curl --location-trusted -u \"me:$WORD\" http://files.example.com/x"],
        quiet: &[
            "curl -L -u \"me:$WORD\" https://files.example.com/x",
            "curl --location-trusted -u me:word http://localhost:8081/x",
        ],
        ..LEADS
    },
    Rule {
        id: "network.route.trusted",
        category: Category::Credentials,
        message: "a password goes on to whatever host the answer names",
        remedy: "leave out `--location-trusted`: `curl -L` keeps the password for the host that was named",
        when: When::Command(&[
            "curl --location-trusted -u|--user|--oauth2-bearer|--netrc|--netrc-file|-n",
        ]),
        fires: &["curl --location-trusted -u \"me:$WORD\" https://files.example.com/x"],
        quiet: &["curl -L -u \"me:$WORD\" https://files.example.com/x"],
        ..LEADS
    },
    Rule {
        id: "network.route.proxy",
        message: "everything goes through a proxy that nobody vouches for: it sees, and may change, what is sent and fetched",
        remedy: "connect without it, or let a person set the proxy up",
        when: When::Effect(Kinds::RUN.and(Kinds::ENVIRONMENT), proxied),
        fires: &[
            "curl -x http://203.0.113.9:3128 https://api.example.com/",
            "curl --socks5-hostname 203.0.113.9:1080 https://api.example.com/",
            "curl --preproxy socks5://0x7f000001 https://example.com/",
            "curl -x http://proxy.example.net:3128 -u me:word https://api.example.com/",
            "git -c http.sslVerify=false -c http.proxy=http://proxy.example.net:3128 fetch",
            "curl --proxy http://169.254.169.254 http://example.com/",
            "wget -e use_proxy=yes -e https_proxy=203.0.113.9:3128 https://example.com/x",
            "https_proxy=http://203.0.113.9:3128 curl https://api.example.com/",
            "export ALL_PROXY=socks5h://203.0.113.9:1080; git clone https://github.com/a/b",
            "git -c http.proxy=http://203.0.113.9:3128 clone https://github.com/a/b",
            "pip install --proxy http://203.0.113.9:3128 requests",
            "npm ci --https-proxy=http://203.0.113.9:3128",
            "nc -x 203.0.113.9:1080 example.com 22",
            "ncat --proxy 169.254.169.254:3128 example.com 80",
            "openssl s_client -proxy 203.0.113.9:3128 -connect example.com:443",
        ],
        quiet: &[
            "curl -x http://localhost:8888 https://example.com/",
            "curl --proxy http://proxy.corp:3128 https://example.com/",
            "curl --proxy '' https://example.com/",
            "https_proxy=http://10.0.0.1:3128 npm ci",
            "http_proxy= curl http://203-0-113-9.example.com/",
            "wget -e robots=off https://example.com/",
        ],
        ..LEADS
    },
    Rule {
        id: "network.route.pinned",
        severity: Severity::Medium,
        message: "the name is not looked up: the connection goes to another address, which answers under that name",
        remedy: "ask the service by its own name, or use a name under `.test` for one of your own",
        when: When::Effect(Kinds::RUN, pinned),
        fires: &[
            "curl --resolve example.com:443:203.0.113.9 https://example.com/",
            "curl --resolve '*:80:10.0.0.5' http://example.com/",
            "curl --resolve example.com:80:169.254.169.254 http://example.com/",
            "curl --connect-to example.com:443:[::ffff:169.254.169.254]:80 https://example.com/",
            "curl --connect-to ::169.254.169.254:80 http://example.com/",
            "git -c http.curloptResolve=example.com:443:203.0.113.7 pull",
        ],
        quiet: &[
            "curl --resolve app.test:443:127.0.0.1 https://app.test/",
            "curl --connect-to localhost:443:localhost:8443 https://localhost/",
            "curl --resolve -example.com:443 https://example.com/",
        ],
        ..LEADS
    },
    Rule {
        id: "network.route.server",
        message: "the client would turn to a server that is none of the well-known ones, with whatever it knows of who it is",
        remedy: "let a person set the server up in the client's own configuration",
        when: When::Effect(Kinds::RUN.and(Kinds::ENVIRONMENT), served),
        fires: &[
            "kubectl --server=https://api.example.net get pods",
            "kubectl -s https://203.0.113.9:6443 get pods",
            "gh api --hostname git.example.net user",
            "GH_HOST=git.example.net gh api user",
            "helm --kube-apiserver https://api.example.net list",
            "terraform init -backend-config=address=https://state.example.net/x",
            "DOCKER_HOST=tcp://build.example.net:2375 docker build .",
        ],
        quiet: &[
            "kubectl --server=https://127.0.0.1:6443 get pods",
            "kubectl -s http://localhost:8080 get pods",
            "kubectl --server https://abc.gr7.eu-west-1.eks.amazonaws.com get nodes",
            "gh api --hostname github.com user",
            "terraform init -backend-config=bucket=states -backend-config=key=a/b.tfstate",
            "DOCKER_HOST=unix:///var/run/docker.sock docker ps",
            "DOCKER_HOST=ssh://me@build.example.net docker ps",
            "DOCKER_HOST=tcp://docker:2375 docker ps",
        ],
        ..LEADS
    },
    Rule {
        id: "network.host.ambiguous",
        message: "programs disagree about the host that this address names, or a person takes it for another",
        remedy: "write the address as `https://host/path`, the host in plain letters",
        when: When::Effect(Kinds::CONNECT, ambiguous),
        fires: &[
            "curl 'http://example.com\\@127.0.0.1/'",
            "curl 'http:\\\\169.254.169.254\\latest'",
            "curl http://169%2e254.169.254/",
            "curl 'http://169.254.169.[254-254]/'",
            "curl 'http://{169,170}.254.169.254/latest/'",
            "curl http://\u{2460}\u{2465}\u{2468}.254.169.254/",
            "curl https://p\u{430}ypal.com/",
            "curl p\u{430}ypal.com",
            "curl https://\u{ff47}oogle.com/x",
            "curl http://github.com@example.net/x",
            "python3 -c \"import requests; requests.get('http:///203.0.113.9/')\"",
        ],
        quiet: &[
            "curl https://example.com/a%2eb?c=\\d@e",
            "curl 'https://example.com/[1-3].txt'",
            "curl 'https://web[1-3].example.com/'",
            "curl 'http://192.168.1.[1-9]/status'",
            "curl http://[2606:4700::1111]/",
            "curl https://m\u{fc}nchen.de/",
            "curl http://localhost:3000/caf\u{e9}",
            "curl example.com:8080/x",
            "curl https://dev@example.com/x",
        ],
        ..LEADS
    },
    Rule {
        id: "network.host.lookalike",
        message: "the host that something is got from is written so that it is taken for another",
        remedy: "write the name in the letters that its owner uses, without a user before it",
        when: When::Effect(Kinds::RUN, spelled::in_words),
        fires: &[
            "git clone https://g\u{456}thub.com/o/r",
            "git clone git@g\u{456}thub.com:o/r.git",
            "git remote add x https://p\u{430}ypal.com/r",
            "git clone https://github.com@example.net/o/r",
            "pip install git+https://g\u{456}thub.com/o/r",
        ],
        quiet: &[
            "git clone https://token@github.com/o/r",
            "git clone https://dev:x@git.example.com/o/r",
            "git clone git@github.com:o/r.git",
            "git commit -m 'see https://g\u{456}thub.com/o/r'",
            "git clone https://m\u{fc}nchen.de/r",
            "npm install @scope/x",
        ],
        ..LEADS
    },
    Rule {
        id: "network.scheme.raw",
        message: "the scheme sends bytes as they are to whatever listens there: stores, mail servers and engines obey them",
        remedy: "use the service's own client",
        when: When::Effect(Kinds::CONNECT, raw),
        fires: &["curl gopher://127.0.0.1:6379/_FLUSHALL", "curl dict://localhost:11211/stats"],
        quiet: &["curl dict://dict.example.org/d:word", "curl https://example.com/gopher://x"],
        ..LEADS
    },
];

/// Options whose value is a proxy.
const PROXIES: &[(&[&str], &[&str])] = &[
    (
        &["curl", "curlie"],
        &[
            "-x",
            "--proxy",
            "--preproxy",
            "--proxy1.0",
            "--socks4",
            "--socks4a",
            "--socks5",
            "--socks5-hostname",
        ],
    ),
    (&["pip", "pip3", "pipx"], &["--proxy"]),
    (&["npm", "npx", "pnpm", "yarn"], &["--proxy", "--https-proxy", "--http-proxy"]),
    (&["http", "https", "xh", "xhs"], &["--proxy"]),
    (&["aria2c"], &["--all-proxy", "--http-proxy", "--https-proxy", "--ftp-proxy"]),
    (&["gem"], &["-p", "--http-proxy"]),
    (&["chromium", "chromium-browser", "google-chrome"], &["--proxy-server"]),
    (&["nc", "nc.openbsd", "netcat"], &["-x"]),
    (&["ncat"], &["--proxy"]),
    (&["openssl"], &["-proxy"]),
];

/// Where those that run such servers for others keep them.
const KEPT: &[&str] = &[
    "amazonaws.com",
    "app.terraform.io",
    "azmk8s.io",
    "ghe.com",
    "github.com",
    "gitlab.com",
    "gke.goog",
    "googleapis.com",
    "k8s.ondigitalocean.com",
    "openshiftapps.com",
];

/// Options whose value is a setting, `name=value`, which may be a proxy.
const SETTINGS: &[(&[&str], &[&str])] = &[
    (&["wget", "wget2"], &["-e", "--execute"]),
    (&["git"], &["-c"]),
    (&["apt", "apt-get"], &["-o", "--option"]),
    (&["cargo"], &["--config"]),
    (&["docker", "nerdctl", "podman", "buildah"], &["--build-arg", "-e", "--env"]),
];

fn listed(
    table: &'static [(&'static [&'static str], &'static [&'static str])],
    program: &str,
) -> Option<&'static [&'static str]> {
    table.iter().find(|(programs, _)| programs.contains(&program)).map(|(_, options)| *options)
}

fn proxied(effect: &Effect, _: &Scene<'_>) -> Option<Hit> {
    match &effect.kind {
        EffectKind::Environment { name, value } => {
            is_proxy_variable(name).then(|| through(value.known_prefix()))?
        }
        EffectKind::Run(run) => {
            let program = run.program.as_str();
            if let Some(names) = listed(PROXIES, program) {
                return values(run, names)
                    .find_map(|value| through(&value))
                    .map(|hit| with_secrets(hit, run));
            }
            let names = listed(SETTINGS, program)?;
            let hit = values(run, names).find_map(|value| {
                let (name, proxy) = value.split_once('=')?;
                is_proxy_variable(name.trim()).then(|| through(proxy))?
            });
            hit.map(|hit| with_secrets(hit, run))
        }
        _ => None,
    }
}

fn served(effect: &Effect, _: &Scene<'_>) -> Option<Hit> {
    match &effect.kind {
        EffectKind::Environment { name, value } => match name.as_str() {
            "GH_HOST" | "HELM_KUBEAPISERVER" => stranger(value.known_prefix()),
            "DOCKER_HOST" => value
                .known_prefix()
                .starts_with("tcp://")
                .then(|| stranger(value.known_prefix()))?,
            _ => None,
        },
        EffectKind::Run(run) => {
            let program = run.program.as_str();
            let names = cards::card(program).map(|card| card.server)?;
            values(run, names).find_map(|value| match value.split_once('=') {
                Some((_, address)) if address.contains("://") => stranger(address),
                _ => stranger(&value),
            })
        }
        _ => None,
    }
}

/// A server of the internet that is none of the well-known ones.
fn stranger(written: &str) -> Option<Hit> {
    let host = host_of(written)?;
    let is_kept = KEPT.iter().any(|known| {
        host.strip_suffix(known).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    });
    let is_near = matches!(hosts::kind(&host), HostKind::Local | HostKind::Private);
    (!is_kept && !is_near && host.contains(['.', ':']))
        .then(|| Hit { resource: Some(format!("host:{host}")), ..Hit::default() })
}

/// The values of the options, as the program's own row reads them.
pub(super) fn values<'a>(
    run: &'a Run,
    names: &'static [&'static str],
) -> impl Iterator<Item = String> + use<'a> {
    pattern::options(run).values_of(names).map(|value| beginning(&value.text))
}

/// What a text begins with, as far as that is known; `[` of an IPv6 address looks like a pattern to the shell.
pub(super) fn beginning(text: &Text) -> String {
    let known = text.pieces.iter().map_while(|piece| match piece {
        Piece::Known(text) | Piece::Glob(text) => Some(text.as_str()),
        Piece::Unknown(_) => None,
    });
    known.collect()
}

/// `https_proxy`, `npm_config_proxy`, `http.proxy`, `http.https://host.proxy`, `Acquire::http::Proxy`.
fn is_proxy_variable(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let tail = ["_proxy", ".proxy", "::proxy", "-proxy"].iter().any(|tail| name.ends_with(tail));
    tail && !matches!(name.as_str(), "no_proxy" | "use_proxy") || name == "proxy"
}

/// Whoever stands between gets what is sent with it.
fn with_secrets(mut hit: Hit, run: &Run) -> Hit {
    let carries = |word: &Argument| {
        let known = word.text.known_prefix().to_ascii_lowercase();
        word.text.taint.has(Taint::SECRET)
            || known.starts_with("authorization:")
            || known.starts_with("cookie:")
    };
    // What answers in its place is not checked: it may be the proxy.
    let unchecked = |word: &Argument| {
        let known = word.text.known_prefix();
        matches!(known, "-k" | "--insecure" | "--no-check-certificate" | "--trusted-host")
            || ["http.sslverify=false", "--strict-ssl=false", "check_certificate=off"]
                .iter()
                .any(|off| known.eq_ignore_ascii_case(off))
    };
    let names_somebody = matches!(run.program.as_str(), "curl" | "curlie")
        && values(run, &["-u", "--user", "--oauth2-bearer"]).next().is_some();
    if names_somebody || run.arguments.iter().any(|word| carries(word) || unchecked(word)) {
        hit.severity = hit.severity.map(|severity| severity.max(Severity::High));
    }
    hit
}

/// What it means that this is the proxy.
fn through(written: &str) -> Option<Hit> {
    // httpie says for which scheme: `https:http://proxy`.
    let written = written.trim_matches([' ', '"', '\'']);
    let own = ["http:", "https:", "all:"].iter().find_map(|scheme| written.strip_prefix(scheme));
    let written = own.filter(|rest| rest.contains("://")).unwrap_or(written);
    let host = host_of(written)?;
    let severity = match hosts::kind(&host) {
        HostKind::Metadata | HostKind::Address | HostKind::Drop | HostKind::Hidden => {
            Severity::High
        }
        _ if hosts::is_disguised(&host) => Severity::High,
        HostKind::Named => Severity::Medium,
        HostKind::Local | HostKind::Private => return None,
    };
    Some(Hit { severity: Some(severity), resource: Some(format!("host:{host}")), ..Hit::default() })
}

fn pinned(effect: &Effect, _: &Scene<'_>) -> Option<Hit> {
    let run = run(effect)?;
    let pins = match run.program.as_str() {
        "curl" | "curlie" => values(run, &["--resolve"]).collect(),
        "git" => settings(run, "http.curloptresolve="),
        _ => return None,
    };
    let resolved = pins.into_iter().flat_map(|value: String| {
        let mut parts = value.trim_start_matches('+').splitn(3, ':');
        let (name, _, addresses) = (parts.next(), parts.next(), parts.next());
        let name = name.unwrap_or_default().to_owned();
        let addresses = addresses.unwrap_or_default().split(',').map(bare).collect::<Vec<_>>();
        addresses.into_iter().map(move |address| (name.clone(), address))
    });
    let led = values(run, &["--connect-to"]).filter_map(|value| {
        let (name, rest) = host_and_rest(&value)?;
        let (_, rest) = rest.strip_prefix(':')?.split_once(':')?;
        let (to, _) = host_and_rest(rest)?;
        Some((name, to))
    });
    resolved
        .chain(led)
        .filter_map(|(name, to)| {
            let hit = elsewhere(&name, &to)?;
            let is_near = matches!(hosts::kind(&to), HostKind::Local | HostKind::Private);
            // What git takes from there is code.
            let hit = match run.program.as_str() {
                "git" if !is_near => Hit { severity: Some(Severity::High), ..hit },
                _ => hit,
            };
            Some(if is_near { hit } else { with_secrets(hit, run) })
        })
        .max_by_key(|hit| hit.severity)
}

/// The values of a setting of git's own words, whose name is in lower case.
fn settings(run: &Run, name: &str) -> Vec<String> {
    let begins = |value: &String| {
        value.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name))
    };
    values(run, &["-c"])
        .filter(begins)
        .filter_map(|value| value.get(name.len()..).map(str::to_owned))
        .collect()
}

/// What it means that a connection to `name` goes to `to`.
fn elsewhere(name: &str, to: &str) -> Option<Hit> {
    let is_own = !matches!(name, "" | "*")
        && matches!(hosts::kind(name), HostKind::Local | HostKind::Private);
    if to.is_empty() || to == name {
        return None;
    }
    let severity = match hosts::kind(to) {
        HostKind::Metadata => Severity::High,
        _ if hosts::is_disguised(to) => Severity::High,
        _ if is_own => return None,
        _ => Severity::Medium,
    };
    Some(Hit { severity: Some(severity), resource: Some(format!("host:{to}")), ..Hit::default() })
}

/// The host that a text begins with, `[::1]` without its brackets, and what follows it.
fn host_and_rest(text: &str) -> Option<(String, &str)> {
    if let Some(inner) = text.strip_prefix('[') {
        let (host, rest) = inner.split_once(']')?;
        return Some((host.to_ascii_lowercase(), rest));
    }
    let end = text.find(':').unwrap_or(text.len());
    let (host, rest) = text.split_at_checked(end)?;
    Some((host.to_ascii_lowercase(), rest))
}

fn bare(address: &str) -> String {
    address.trim_start_matches('[').trim_end_matches(']').to_ascii_lowercase()
}

fn ambiguous(effect: &Effect, scene: &Scene<'_>) -> Option<Hit> {
    let EffectKind::Connect(connection) = &effect.kind else { return None };
    // Those have rules of their own, which say more.
    if matches!(scene.action.kind, ActionKind::Http { .. } | ActionKind::Tool) {
        return None;
    }
    let written = connection.address.as_known()?.trim();
    if let Some(hit) = spelled::misread(written) {
        return Some(hit);
    }
    let (scheme, _) = written.split_once(':')?;
    if !scheme.eq_ignore_ascii_case("http") && !scheme.eq_ignore_ascii_case("https") {
        return None;
    }
    if let Some(pattern) = many_hosts(written) {
        let message = "the host is a pattern of numbers, which curl fills in by itself";
        let resource = Some(format!("host:{pattern}"));
        return Some(Hit { message: Some(message.to_owned()), resource, ..Hit::default() });
    }
    let target = Target::read(written).ok()?;
    let note = target.notes().iter().find(|note| {
        matches!(
            note,
            Note::AddressInOtherCharacters
                | Note::PercentInHost
                | Note::Backslash
                | Note::ControlCharacter
                | Note::OddSlashes
                | Note::InvisibleCharacter
                | Note::Lookalike
                | Note::CurlDisagrees
        )
    })?;
    Some(Hit {
        message: Some(format!(
            "the address does not plainly say its host, which browsers take for `{}`: {}",
            target.host(),
            note.words()
        )),
        resource: Some(format!("host:{}", target.host())),
        ..Hit::default()
    })
}

/// The host of `http://169.254.169.[254-254]/`, unless it plainly lies in a private network.
fn many_hosts(written: &str) -> Option<&str> {
    let (_, rest) = written.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let is_pattern = host.contains('{') || host.find('[').is_some_and(|at| at > 0);
    let is_numeric =
        host.bytes().all(|byte| byte.is_ascii_hexdigit() || b".x[]{}-,:".contains(&byte));
    let is_near = ["127.", "10.", "192.168."].iter().any(|start| host.starts_with(start));
    (is_pattern && is_numeric && !is_near).then_some(host)
}

fn raw(effect: &Effect, scene: &Scene<'_>) -> Option<Hit> {
    let EffectKind::Connect(connection) = &effect.kind else { return None };
    if matches!(scene.action.kind, ActionKind::Http { .. } | ActionKind::Tool) {
        return None;
    }
    let (scheme, _) = connection.address.known_prefix().split_once("://")?;
    let is_raw = match scheme.to_ascii_lowercase().as_str() {
        "gopher" | "gophers" => true,
        "dict" => host_kind(connection) != HostKind::Named,
        _ => false,
    };
    is_raw.then(|| Hit { resource: host_resource(connection), ..Hit::default() })
}

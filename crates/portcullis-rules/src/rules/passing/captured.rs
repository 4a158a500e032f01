//! Whether a token that a program prints is only used where it belongs: by programs that sign in with it, or sent back to whom
//! it came from. Owns that question and the table of hosts; a token that anybody could see is printed.

use super::{
    super::{Scene, requests},
    host_of, shows_environment,
};
use crate::{
    effect::{Effect, EffectKind, Run},
    programs::{Options, cards},
    text::{Piece, SOURCES, Text},
};

/// Hosts to which a token belongs, by the program that printed it.
const ISSUERS: &[(&str, &[&str])] = &[
    ("aws", &["amazonaws.com", "public.ecr.aws"]),
    ("az", &["azure.com", "azurecr.io", "microsoft.com", "windows.net"]),
    ("gcloud", &["gcr.io", "googleapis.com", "pkg.dev"]),
    ("glab", &["gitlab.com"]),
];

/// Hosts below those of an issuer where anybody may put a service of their own.
const RENTED: &[&str] = &[
    "azurewebsites.windows.net",
    "blob.core.windows.net",
    "compute.amazonaws.com",
    "elb.amazonaws.com",
    "execute-api",
    "gist.githubusercontent.com",
    "lambda-url",
    "s3",
    "storage.googleapis.com",
];

/// `GITHUB_TOKEN=$(gh auth token) tool`, `curl -H "Authorization: token $(gh auth token)" https://api.github.com/…`.
pub(super) fn is_used_where_it_belongs(run: &Run, effect: &Effect, scene: &Scene<'_>) -> bool {
    /// Variables and names by which a token goes another way than it is written.
    const LEADS_ELSEWHERE: &[&str] = &[
        "ALL_PROXY",
        "CURL_",
        "DOCKER_",
        "GIT_",
        "PATH=",
        "_PROXY",
        "_proxy",
        "alias ",
        "curlrc",
        "function ",
        "netrc",
    ];
    let is_led = scene.effects.layers.iter().any(|layer| {
        LEADS_ELSEWHERE.iter().any(|word| layer.text.contains(word))
            || ["curl", "git", "docker", "gh"].iter().any(|name| {
                layer.text.contains(&format!("{name}()"))
                    || layer.text.contains(&format!("{name} ()"))
            })
    });
    if is_led || shows_environment(scene) {
        return false;
    }
    let issuers = ISSUERS
        .iter()
        .find(|(program, _)| *program == run.program)
        .map(|(_, hosts)| *hosts)
        .or_else(|| cards::card(&run.program).map(|card| card.issues_for))
        .unwrap_or_default();
    let is_issuer = |host: Option<&str>| host.is_some_and(|host| belongs(host, issuers));
    let is_it = |text: &Text| holds(text, effect, scene, &is_issuer);
    let range = effect.at.span.range();
    let text = scene.effects.layer_text(effect.at.layer);
    let is_substituted = text.get(..range.start).is_some_and(|before| before.ends_with("$("));
    let is_kept_back = is_substituted || is_piped_into_login(effect, scene);
    let mut is_kept = false;
    let goes_well = scene.effects.list.iter().all(|other| match &other.kind {
        EffectKind::Connect(connection) => {
            let carries =
                is_it(&connection.address) || connection.sends.as_ref().is_some_and(is_it);
            !carries || is_issuer(connection.host.as_deref())
        }
        EffectKind::Write { content, target, .. } => !is_it(content) && !is_it(&target.text),
        EffectKind::Execute { code, .. } => !is_it(code),
        EffectKind::Query { statement } => !is_it(statement),
        EffectKind::Run(user) => {
            let by_argument = user.arguments.iter().any(|word| is_it(&word.text));
            let by_input = user.input.as_ref().is_some_and(is_it);
            match user.program.as_str() {
                _ if is_it(&user.name.text) => false,
                _ if !by_argument && !by_input => true,
                "declare" | "env" | "export" | "local" | "readonly" | "typeset" => true,
                // What these print is said of what they are given, and is none of it.
                "[" | "[[" | "test" | "curl" | "git" if !by_input => {
                    is_kept = true;
                    keeps(user, &is_issuer)
                }
                // What it prints is looked at where it goes.
                "echo" | "printf" => is_piped_into_login(other, scene),
                _ => {
                    let is_login = by_input && !by_argument && logs_in(user, &is_issuer);
                    is_kept |= is_login;
                    is_login
                }
            }
        }
        _ => true,
    });
    goes_well && is_kept_back && (is_kept || !is_it(&scene.effects.shown))
}

/// Whether a program keeps the token to itself and its issuer.
fn keeps(run: &Run, is_issuer: &dyn Fn(Option<&str>) -> bool) -> bool {
    match run.program.as_str() {
        "[" | "[[" | "test" => true,
        "curl" => asks_issuer(run, is_issuer),
        "git" => names_issuer(run, is_issuer),
        _ => logs_in(run, is_issuer),
    }
}

/// Whether a text comes from the token, by other ways than through a program that keeps it to itself: what a service answers
/// to whom it knows, or a sign-in, is no token.
fn holds(
    text: &Text,
    token: &Effect,
    scene: &Scene<'_>,
    is_issuer: &dyn Fn(Option<&str>) -> bool,
) -> bool {
    if text.sources.len() >= SOURCES {
        return true;
    }
    let mut waiting = text.sources.clone();
    let mut seen = Vec::new();
    while let Some(id) = waiting.pop() {
        if seen.contains(&id) {
            continue;
        }
        seen.push(id);
        let at = usize::try_from(id.0).ok();
        let Some(from) = at.and_then(|at| scene.effects.list.get(at)) else { return true };
        if std::ptr::eq(from, token) {
            return true;
        }
        let is_kept = match &from.kind {
            EffectKind::Connect(_) => true,
            EffectKind::Run(run) => keeps(run, is_issuer),
            _ => false,
        };
        if !is_kept {
            waiting.extend(scene.effects.flows_into(id).iter().map(|flow| flow.from));
        }
    }
    false
}

fn belongs(host: &str, issuers: &[&str]) -> bool {
    let is_rented = RENTED.iter().any(|rented| match rented.contains('.') {
        true => host.ends_with(rented),
        false => host.split('.').any(|label| label.starts_with(rented)),
    });
    // The interface for what is stored there, and not what somebody stored.
    let is_interface = host == "storage.googleapis.com";
    (is_interface || !is_rented)
        && issuers.iter().any(|issuer| {
            host == *issuer || host.strip_suffix(issuer).is_some_and(|rest| rest.ends_with('.'))
        })
}

/// `curl` that asks the issuer, by a way that nobody reads along, and does not show what it sent.
fn asks_issuer(run: &Run, is_issuer: &dyn Fn(Option<&str>) -> bool) -> bool {
    /// Options that show the request, send it another way, or go on elsewhere.
    const TELLS: &[&str] = &[
        "--alt-svc",
        "--config",
        "--connect-to",
        "--dns",
        "--doh",
        "--haproxy",
        "--insecure",
        "--interface",
        "--libcurl",
        "--location-trusted",
        "--next",
        "--noproxy",
        "--preproxy",
        "--proxy",
        "--resolve",
        "--socks",
        "--stderr",
        "--trace",
        "--unix-socket",
        "--abstract-unix",
        "--url",
        "--variable",
        "--verbose",
        "--expand",
    ];
    let is_well = run.arguments.iter().all(|word| {
        let word = word.text.display();
        if let Some(letters) = word.strip_prefix('-').filter(|rest| !rest.starts_with('-')) {
            // In a cluster, what follows a letter with a value is that value.
            let flags = letters
                .split(['A', 'F', 'H', 'X', 'b', 'c', 'd', 'e', 'm', 'o', 'u', 'w'])
                .next()
                .unwrap_or(letters);
            return !flags.contains(['v', 'x', 'K', 'k', ':', '#']);
        }
        if word.starts_with("--") {
            return !TELLS.iter().any(|option| {
                let name = word.split('=').next().unwrap_or(&word);
                name.len() > 3 && (option.starts_with(name) || name.starts_with(option))
            });
        }
        true
    });
    let mut addresses = Options::new(&run.arguments, requests::VALUES).operands().peekable();
    is_well
        && addresses.peek().is_some()
        && addresses.all(|address| {
            let address = address.text.display();
            address.starts_with("https://") && is_issuer(host_of(&address))
        })
}

/// `git fetch https://x-access-token:$(gh auth token)@github.com/o/r`: the address of the issuer, with the token in it or beside it.
fn names_issuer(run: &Run, is_issuer: &dyn Fn(Option<&str>) -> bool) -> bool {
    let mut verbs = run.arguments.iter().filter_map(|word| word.text.as_known());
    // A push takes the project to whichever repository of the issuer's the address names.
    let known = verbs.any(|verb| matches!(verb, "clone" | "fetch" | "ls-remote" | "pull"));
    let mut has_address = false;
    let is_well = run.arguments.iter().all(|word| {
        let unknown = word.text.pieces.iter().filter(|piece| matches!(piece, Piece::Unknown(_)));
        let written = word.text.display();
        match written.split_once("://") {
            Some(("https", rest)) => {
                has_address = true;
                unknown.count() <= 1 && !rest.starts_with('$') && is_issuer(host_of(&written))
            }
            Some(_) => false,
            None => {
                !word.text.has_unknown()
                    || unknown.count() == 1
                        && written.to_ascii_lowercase().starts_with("http.extraheader=")
            }
        }
    });
    let mut settings = Options::new(&run.arguments, &["-c", "--config"]).values_of(&[
        "-c",
        "--config",
        "--config-env",
    ]);
    let is_plain = settings.all(|setting| {
        setting.text.known_prefix().to_ascii_lowercase().starts_with("http.extraheader=")
    });
    known && is_well && is_plain && has_address
}

/// `docker login REGISTRY --password-stdin` and its like, at a registry of the issuer.
fn logs_in(run: &Run, is_issuer: &dyn Fn(Option<&str>) -> bool) -> bool {
    const VERBS: &[(&str, &[&str])] = &[
        ("buildah", &["login"]),
        ("crane", &["auth", "login"]),
        ("docker", &["login"]),
        ("helm", &["registry", "login"]),
        ("nerdctl", &["login"]),
        ("oras", &["login"]),
        ("podman", &["login"]),
        ("skopeo", &["login"]),
    ];
    let Some((_, verbs)) = VERBS.iter().find(|(program, _)| *program == run.program) else {
        return false;
    };
    let options = Options::new(&run.arguments, &["-u", "--username", "-p", "--password"]);
    let mut operands = options.operands();
    let is_login = verbs
        .iter()
        .all(|verb| operands.next().is_some_and(|word| word.text.as_known() == Some(verb)));
    let Some(registry) = operands.next() else { return false };
    // The number of the account may be asked for in the same call.
    let registry = registry.text.display();
    let host = registry.split_once("://").map_or(registry.as_str(), |(_, rest)| rest);
    let host = host.split(['/', ':']).next().unwrap_or(host);
    is_login && operands.next().is_none() && is_issuer(Some(host))
}

/// `echo "$TOKEN" | docker login …`: what is printed goes to a program that signs in, which is looked at by itself.
fn is_piped_into_login(effect: &Effect, scene: &Scene<'_>) -> bool {
    let after = scene.effects.layer_text(effect.at.layer);
    let after = after.get(effect.at.span.range().end..).unwrap_or_default();
    let after = after.trim_start_matches(['"', ')', ' ', '\n']);
    after.strip_prefix('|').is_some_and(|rest| {
        let rest = rest.trim_start();
        [
            "docker login ",
            "podman login ",
            "helm registry login ",
            "skopeo login ",
            "crane auth login ",
            "oras login ",
        ]
        .iter()
        .any(|login| rest.starts_with(login))
    })
}

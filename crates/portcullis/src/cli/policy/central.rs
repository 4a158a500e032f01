//! `policy key`, `build`, `sign`, `publish` and `fetch`: a policy from a centre. Owns the options, where bundles come from and go to, and what is said of
//! them; what a bundle is, the engine knows.

use std::{
    collections::BTreeMap,
    fs,
    io::{self, Read as _, Write},
    path::{Path, PathBuf},
    time::Duration,
};

use clap::{Arg, ArgAction, ArgMatches, Command, builder::ValueParser, value_parser};
use jiff::Timestamp;
use serde_json::{Value, json};

use super::{
    asked::{asked, centre, problem, quoted},
    load, machines,
};
use crate::{
    audit::{Entry, Filter, Kind, Log, export},
    bundle::{Bundle, Held, SecretKey, Store, signed},
    cli::{Exit, Failure, duration, json_flag, shown, write_json},
    config::{Central, Configuration, InForce, accept, held_of},
    platform, private,
    replay::{
        canary::{Canary, Trial},
        source::{Reading, SourceError},
    },
    report::visible,
    session::{Options, Session},
    wire::VERSION,
};

/// How long a centre may take to answer.
const PATIENCE: Duration = Duration::from_secs(60);

/// How many records are looked at at a time.
const AT_A_TIME: usize = 10_000;

fn path(name: &'static str) -> Arg {
    Arg::new(name).value_name("FILE").value_parser(ValueParser::path_buf())
}

pub(super) fn define() -> [Command; 5] {
    let key = Command::new("key")
        .about("Make a key to sign bundles with, and show the half that configurations name")
        .after_help("A file that is there already is shown and never replaced.")
        .arg(path("key").required(true).help("Where the secret half is kept, for you alone"));
    let build = Command::new("build")
        .about("Put the TOML files of a directory together into a bundle that nobody signed yet")
        .after_help("Example: portcullis policy build policy/ --name acme --revision 12 -o acme.bundle\n\nExit codes: 0 built, 65 a file is no configuration of a centre")
        .arg(Arg::new("directory").value_name("DIR").required(true).value_parser(ValueParser::path_buf()).help("The directory; every file of it that ends in `.toml` is taken"))
        .arg(Arg::new("name").long("name").value_name("NAME").required(true).help("Whose policy it is; machines take no other once they have one"))
        .arg(Arg::new("revision").long("revision").value_name("NUMBER").required(true).value_parser(value_parser!(u64).range(1..)).help("Its number, higher than every one before"))
        .arg(Arg::new("lasts").long("lasts").value_name("LENGTH").default_value("30d").help("For how long it can be taken into use, and holds"))
        .arg(path("output").short('o').long("output").required(true).help("Where the bundle goes"));
    let sign = Command::new("sign")
        .about("Sign a bundle, beside whoever signed it before")
        .after_help("What is signed is shown first: read it before you give your name.")
        .arg(path("bundle").required(true).help("The bundle"))
        .arg(path("key").long("key").required(true).help("Your key, as `policy key` made it"));
    let publish = Command::new("publish")
        .about("Give a bundle to the centre of the configuration, once enough people signed it")
        .after_help("Exit codes: 0 published, 2 refused, 70 it failed")
        .arg(path("bundle").required(true).help("The bundle"))
        .arg(Arg::new("to").long("to").value_name("URL|FILE").help("Where it goes, where that is not where the configuration fetches it"))
        .arg(path("token").long("token").help("The file with a token that may rule over the gateway; the one of this machine by default"))
        .arg(path("config").long("config").help("The configuration, where it is not the usual one"))
        .arg(json_flag());
    let fetch = Command::new("fetch")
        .about("Fetch the bundle of the centre, try it on what was recorded, and put it in force")
        .after_help(
            "For a timer. What is refused changes nothing: the last good bundle stays in force.\n\n\
             Exit codes: 0 in force, 2 refused, also by the canary; 70 the centre cannot be asked",
        )
        .arg(
            Arg::new("from")
                .long("from")
                .value_name("URL|FILE")
                .help("From there, where that is not where the configuration says"),
        )
        .arg(
            Arg::new("wait")
                .long("wait")
                .value_name("SECONDS")
                .value_parser(value_parser!(u16).range(1..=3_600))
                .help("Wait so long for a newer one, where the centre is a gateway"),
        )
        .arg(
            Arg::new("dry-run")
                .long("dry-run")
                .action(ArgAction::SetTrue)
                .help("Show what it would change, and put nothing in force"),
        )
        .arg(
            Arg::new("whatever")
                .long("whatever-it-changes")
                .action(ArgAction::SetTrue)
                .help("Put it in force also where the canary would stop it"),
        )
        .arg(path("config").long("config").help("The configuration, where it is not the usual one"))
        .arg(json_flag());
    [key, build, sign, publish, fetch]
}

pub(super) fn run(verb: &str, matches: &ArgMatches, out: &mut dyn Write) -> Result<Exit, Failure> {
    match verb {
        "key" => key(matches, out),
        "build" => build(matches, out),
        "sign" => sign(matches, out),
        "publish" => publish(matches, out),
        _ => fetch(matches, out),
    }
}

fn named<'a>(matches: &'a ArgMatches, name: &str) -> &'a Path {
    matches.get_one::<PathBuf>(name).map_or(Path::new(""), PathBuf::as_path)
}

fn secret(path: &Path) -> Result<SecretKey, Failure> {
    SecretKey::read(path).map_err(|error| {
        Failure::bad_input(format_args!("the key in {} cannot be used: {error}", quoted(path)))
    })
}

fn key(matches: &ArgMatches, out: &mut dyn Write) -> Result<Exit, Failure> {
    let path = named(matches, "key");
    let key = match SecretKey::make(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => secret(path)?,
        made => made.map_err(|error| {
            Failure::internal(format_args!("cannot keep a key in {}: {error}", quoted(path)))
        })?,
    };
    shown(out, &format!("{}\n", key.public()))
}

/// The bytes of a file of a bundle, or of a bundle.
fn bytes_of(path: &Path) -> Result<Vec<u8>, Failure> {
    let failed = |error: io::Error| {
        Failure::bad_input(format_args!("cannot read {}: {error}", quoted(path)))
    };
    let mut bytes = Vec::new();
    let most = signed::LONGEST as u64 + 1;
    fs::File::open(path).map_err(failed)?.take(most).read_to_end(&mut bytes).map_err(failed)?;
    Ok(bytes)
}

fn bundle_of(path: &Path) -> Result<Bundle, Failure> {
    Bundle::read(&bytes_of(path)?)
        .map_err(|refusal| Failure::bad_input(format_args!("{}: {refusal}", quoted(path))))
}

fn save(path: &Path, bundle: &Bundle) -> Result<(), Failure> {
    let absolute = std::path::absolute(path).map_err(Failure::internal)?;
    private::write(&absolute, bundle.to_string().as_bytes())
        .map_err(|error| Failure::internal(format_args!("cannot write {}: {error}", quoted(path))))
}

fn build(matches: &ArgMatches, out: &mut dyn Write) -> Result<Exit, Failure> {
    let directory = named(matches, "directory");
    let unreadable = |error: io::Error| {
        Failure::bad_input(format_args!("cannot read {}: {error}", quoted(directory)))
    };
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(directory).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
        if !name.ends_with(".toml") || !path.is_file() {
            continue;
        }
        let text = String::from_utf8(bytes_of(&path)?)
            .map_err(|_| Failure::bad_input(format_args!("{} is not UTF-8 text", quoted(&path))))?;
        files.insert(name, text);
    }
    let lasts = matches.get_one::<String>("lasts").map_or("", String::as_str);
    let now = Timestamp::now();
    let expires = duration::parsed(lasts).and_then(|length| now.checked_add(length).ok());
    let expires = expires.ok_or_else(|| {
        Failure::usage(format_args!("`{lasts}` is not a length of time"))
            .with_help("write it as `30d` or `12h`")
    })?;
    let name = matches.get_one::<String>("name").map_or("", String::as_str);
    let revision = matches.get_one::<u64>("revision").copied().unwrap_or_default();
    let bundle =
        Bundle::build(name, revision, (now, expires), files).map_err(Failure::bad_input)?;
    // Whether every file of it can be used is better known before anybody signs it.
    held_of(&bundle, String::new(), "", now).map_err(Failure::bad_input)?;
    save(named(matches, "output"), &bundle)?;
    shown(out, &words(&bundle))
}

/// A bundle for a person.
fn words(bundle: &Bundle) -> String {
    let manifest = bundle.manifest();
    let mut text = format!(
        "{} {}, {}\nuntil {}\n",
        manifest.name,
        manifest.revision,
        bundle.digest(),
        manifest.expires
    );
    for file in &manifest.files {
        text.push_str(&format!("  {} sha256:{} {} bytes\n", file.name, file.sha256, file.bytes));
    }
    let signers: Vec<_> = bundle.signers().collect();
    let signers = if signers.is_empty() { "nobody".to_owned() } else { signers.join(", ") };
    text.push_str(&format!("signed by {}\n", visible::line(&signers)));
    text
}

fn sign(matches: &ArgMatches, out: &mut dyn Write) -> Result<Exit, Failure> {
    let path = named(matches, "bundle");
    let bundle = bundle_of(path)?;
    let key = secret(named(matches, "key"))?;
    held_of(&bundle, String::new(), "", Timestamp::now()).map_err(Failure::bad_input)?;
    let bundle = bundle.signed_by(&key);
    save(path, &bundle)?;
    shown(out, &words(&bundle))
}

fn publish(matches: &ArgMatches, out: &mut dyn Write) -> Result<Exit, Failure> {
    let path = named(matches, "bundle");
    let bundle = bundle_of(path)?;
    let configuration = load(matches)?;
    let InForce { central, .. } = InForce::clone(&*centre(&configuration)?);
    let now = Timestamp::now();
    accept(&bundle, &central, None, "", now).map_err(Failure::denied)?;
    let to = matches.get_one::<String>("to").unwrap_or(&central.url);
    if Path::new(to).is_absolute() {
        // A web server that anybody reads from serves it: no other user may change it.
        let written = private::write_for_all(Path::new(to), bundle.to_string().as_bytes());
        written.map_err(|error| {
            Failure::internal(format_args!("cannot write {}: {error}", quoted(Path::new(to))))
        })?;
    } else {
        let token = match matches.get_one::<PathBuf>("token") {
            Some(path) => Some(path.clone()),
            None => configuration.state().map(|state| crate::remote::Keys::in_state(&state).person),
        };
        let body = bundle.to_string().into_bytes();
        let answer = asked("PUT", to, token.as_deref(), Vec::new(), Some(body), PATIENCE)?;
        if !(200..300).contains(&answer.status) {
            let detail = problem(&answer);
            let told = format!("the centre answers {}: {detail}", answer.status);
            return Err(match answer.status {
                400..500 => Failure::denied(told),
                _ => Failure::internal(told),
            });
        }
    }
    if matches.get_flag("json") {
        let said = json!({ "v": VERSION, "published": to, "revision": bundle.manifest().revision, "digest": bundle.digest() });
        return write_json(out, &said);
    }
    shown(out, &format!("published at {}\n{}", visible::line(to), words(&bundle)))
}

/// What a centre gave.
enum Given {
    /// What is in force is the newest.
    Same,
    /// A bundle, and what the centre calls this version of it.
    Bundle(Vec<u8>, String),
}

fn given(
    central: &Central,
    from: &str,
    held: Option<&Held>,
    wait: Option<u16>,
) -> Result<Given, Failure> {
    if !from.contains("://") {
        return Ok(Given::Bundle(bytes_of(Path::new(from))?, String::new()));
    }
    let known = held.filter(|held| held.origin == from && !held.etag.is_empty());
    let mut headers = vec![("accept".to_owned(), "application/json".to_owned())];
    if let Some(held) = known {
        headers.push(("if-none-match".to_owned(), held.etag.clone()));
    }
    let mut url = from.to_owned();
    let mut time = PATIENCE;
    if let Some(wait) = wait.filter(|_| known.is_some()) {
        let join = if url.contains('?') { '&' } else { '?' };
        url = format!("{url}{join}wait={wait}");
        time += Duration::from_secs(wait.into());
    }
    // A token is for the centre of the configuration and for no other.
    let token = central.token.as_deref().filter(|_| from == central.url);
    let answer = asked("GET", &url, token, headers, None, time)?;
    match answer.status {
        200 => {
            let etag = answer.headers.iter().find(|(name, _)| name == "etag");
            let etag = etag.map(|(_, value)| String::from_utf8_lossy(value).into_owned());
            Ok(Given::Bundle(answer.body, etag.unwrap_or_default()))
        }
        304 if known.is_some() => Ok(Given::Same),
        status => Err(Failure::internal(format_args!(
            "the centre answers {status}: {}",
            problem(&answer)
        ))),
    }
}

fn fetch(matches: &ArgMatches, out: &mut dyn Write) -> Result<Exit, Failure> {
    let configuration = load(matches)?;
    let centre = centre(&configuration)?;
    let InForce { central, store, .. } = &*centre;
    let from = matches.get_one::<String>("from").unwrap_or(&central.url);
    let dry = matches.get_flag("dry-run");
    let highest = store.highest();
    let in_force = store.read().held;
    let now = Timestamp::now();
    let wait = matches.get_one::<u16>("wait").copied();
    let (held, etag) = match given(central, from, in_force.as_ref(), wait)? {
        Given::Same => (in_force.clone(), None),
        Given::Bundle(bytes, etag) => {
            let refused = |why: &dyn std::fmt::Display| {
                if !dry {
                    machines::tell(central, in_force.as_ref(), "refused", Some(&why.to_string()));
                }
                Failure::denied(format_args!(
                    "the bundle of `{}` is refused: {why}",
                    visible::line(from)
                ))
                .with_help("what was in force before stays so")
            };
            let bundle = Bundle::read(&bytes).map_err(|refusal| refused(&refusal))?;
            let held = accept(&bundle, central, highest.as_ref(), from, now);
            (Some(held.map_err(|why| refused(&why))?), Some(etag))
        }
    };
    let Some(held) = held else { return Err(Failure::internal("the centre gave nothing")) };
    let held = Held { confirmed: now, etag: etag.unwrap_or_else(|| held.etag.clone()), ..held };
    let is_new = in_force.as_ref().is_none_or(|one| one.digest != held.digest);
    let canary = if is_new { canary(&configuration, central, &held)? } else { None };
    let stops = canary.as_ref().is_some_and(|canary| {
        central.most_changed.is_some_and(|most| canary.per_1000() > usize::from(most))
    });
    let stops = stops && !matches.get_flag("whatever");
    if !dry && !stops {
        put_in_force(&configuration, store, &held, is_new)?;
    }
    let state = match (dry, stops, is_new) {
        (_, true, _) => "stopped",
        (true, ..) => "tried",
        (_, _, true) => "activated",
        (_, _, false) => "unchanged",
    };
    if !dry {
        let holds = if stops { in_force.as_ref() } else { Some(&held) };
        machines::tell(central, holds, state, None);
    }
    let said = Said { state, held: &held, canary: canary.as_ref(), most: central.most_changed };
    if matches.get_flag("json") {
        write_json(out, &said.json())?;
    } else {
        shown(out, &said.text())?;
    }
    Ok(if stops { Exit::Denied } else { Exit::Done })
}

fn put_in_force(
    configuration: &Configuration,
    store: &Store,
    held: &Held,
    is_new: bool,
) -> Result<(), Failure> {
    let state = configuration.state().filter(|_| is_new && configuration.audit.enabled);
    // Told before it holds, so that no decision is made under what the record does not know.
    if let Some(state) = state {
        let Held { name, revision, digest, signers, origin, .. } = held;
        let reason = format!("central {name} {revision} {digest} of {origin}, signed by {signers}");
        let entry = Entry::change(platform::user_name(), "policy activated", reason);
        let appended = Log::open(&state).and_then(|mut log| log.append(&entry));
        appended.map_err(|error| crate::cli::audit::failure(&error))?;
    }
    store.activate(held).map_err(|error| {
        Failure::internal(format_args!(
            "cannot put the bundle in force in {}: {error}",
            quoted(&store.directory)
        ))
    })
}

/// What a bundle would change about the calls that were recorded here; nothing where none are to be looked at.
fn canary(
    configuration: &Configuration,
    central: &Central,
    held: &Held,
) -> Result<Option<Canary>, Failure> {
    if central.canary_days == 0 {
        return Ok(None);
    }
    let then = configuration.under(held).map_err(Failure::bad_input)?;
    let Some(state) = configuration.state() else { return Ok(None) };
    if !crate::audit::database_path(&state).exists() {
        return Ok(Some(Canary::default()));
    }
    let mut log = Log::read(&state).map_err(|error| crate::cli::audit::failure(&error))?;
    let session = |configuration| {
        Session::open(Options { configuration, unrecorded: true, ..Options::default() })
    };
    let (now, then) = (session(configuration.clone()), session(then));
    let mut trial = Trial::new(&now, &then);
    let length = jiff::SignedDuration::from_hours(24 * i64::from(central.canary_days));
    let since = Timestamp::now().checked_sub(length).ok();
    let filter = Filter { kind: Some(Kind::Decision), since, ..Filter::default() };
    let mut some = Vec::new();
    let mut failed = None;
    let mut judge = |some: &mut Vec<Value>| -> Result<(), SourceError> {
        let reading = Reading::of_records(some.drain(..))?;
        trial.leave_out(reading.cut);
        trial.take(reading.calls);
        Ok(())
    };
    let read = log.each(&filter, &mut |record| {
        some.extend(record.iter().map(export::json));
        if some.len() >= AT_A_TIME
            && let Err(error) = judge(&mut some)
        {
            failed = Some(error);
            return std::ops::ControlFlow::Break(());
        }
        std::ops::ControlFlow::Continue(())
    });
    read.map_err(|error| crate::cli::audit::failure(&error))?;
    let rest = failed.map_or_else(|| judge(&mut some), Err);
    rest.map_err(Failure::bad_input)?;
    Ok(Some(trial.end()))
}

/// What is said of a fetch.
struct Said<'a> {
    state: &'a str,
    held: &'a Held,
    canary: Option<&'a Canary>,
    most: Option<u16>,
}

impl Said<'_> {
    fn text(&self) -> String {
        let Self { state, held, canary, most } = self;
        let Held { name, revision, digest, signers, expires, .. } = held;
        let mut text =
            format!("{state}: {name} {revision}, {digest}\nsigned by {signers}, until {expires}\n");
        let Some(canary) = canary else { return text };
        text.push_str(&format!(
            "of {} recorded calls {} would come out otherwise; {} are kept in part alone\n",
            canary.calls,
            canary.changed(),
            canary.left_out
        ));
        for ((now, then), count) in &canary.changes {
            text.push_str(&format!("  {count:>7}  {} → {}\n", now.name(), then.name()));
        }
        for (agent, count) in &canary.agents {
            let agent = if agent.is_empty() { "no name" } else { agent };
            text.push_str(&format!("  {count:>7}  of {}\n", visible::line(agent)));
        }
        for one in canary.named.iter().take(10) {
            let (now, then) = (one.now.name(), one.then.name());
            let line = format!("  {now} → {then} ({}): {}", one.reason, one.preview);
            text.push_str(&format!("{}\n", visible::line(&line)));
        }
        if *state == "stopped" {
            let most = most.unwrap_or_default();
            text.push_str(&format!(
                "more than {most} of 1000 would change, so it is not in force; \
                 `--whatever-it-changes` puts it in force\n"
            ));
        }
        text
    }

    fn json(&self) -> Value {
        let Self { state, held, canary, most } = self;
        let Held { name, revision, digest, signers, issued, expires, .. } = held;
        let canary = canary.map(|canary| {
            let changes: Vec<Value> = canary
                .changes
                .iter()
                .map(|((now, then), count)| json!({ "now": now.name(), "then": then.name(), "count": count }))
                .collect();
            let named: Vec<Value> = canary
                .named
                .iter()
                .map(|one| {
                    json!({
                        "preview": one.preview, "agent": one.agent, "now": one.now.name(),
                        "then": one.then.name(), "reason": one.reason,
                    })
                })
                .collect();
            json!({
                "calls": canary.calls, "distinct": canary.distinct, "left_out": canary.left_out,
                "changed": canary.changed(), "per_1000": canary.per_1000(), "most_per_1000": most,
                "changes": changes, "agents": canary.agents, "examples": named,
            })
        });
        json!({
            "v": VERSION, "state": state, "name": name, "revision": revision, "digest": digest,
            "signers": signers.split(',').collect::<Vec<_>>(), "issued": issued, "expires": expires,
            "canary": canary,
        })
    }
}

//! `mcp login` and `mcp logout`. Owns what a person sees of a login; what it is, [`crate::mcp::oauth`] says.

use std::{
    io::Write,
    path::{Path, PathBuf},
    time::Duration,
};

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};

use super::{Exit, Failure, Setting};
use crate::{
    cli::{egress, shown},
    config::McpAt,
    mcp::oauth::{Login, OAuthError, Registered, Settings, logout},
    pins::Files,
    platform, private,
    report::visible,
};

/// The longest secret of a client.
const LONGEST: u64 = 16 << 10;

pub(super) fn define_login() -> Command {
    let text = |name: &'static str, value: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name(value).help(help)
    };
    Command::new("login")
        .about("Log in to a server elsewhere, in a browser; the token is kept for this user alone")
        .after_help(
            "The server is one of the configuration that has a `url` and no `token`. It says where to log in; a browser is opened by you, at the address that is shown.\n\
             Nothing of a client's own login is sent on, and the token goes to this server alone.",
        )
        .arg(name())
        .arg(text("client-id", "ID", "The name under which we are registered there, where it registers nobody by itself"))
        .arg(
            text("client-secret-file", "FILE", "A private file with the secret that belongs to it")
                .value_parser(value_parser!(PathBuf))
                .requires("client-id"),
        )
        .arg(text("client-document", "URL", "A document that says who we are, for servers that take its address for a name"))
        .arg(
            text("scope", "SCOPE", "What the token is to allow, in place of what the server names")
                .action(ArgAction::Append),
        )
        .arg(text("issuer", "URL", "Which authorization server, where the server names several"))
        .arg(
            text("port", "PORT", "The port of this machine that the browser comes back to; any that is free by default")
                .value_parser(value_parser!(u16)),
        )
        .arg(
            text("patience", "SECONDS", "How long the browser is waited for")
                .default_value("300")
                .value_parser(value_parser!(u32).range(1..=3_600)),
        )
}

pub(super) fn define_logout() -> Command {
    Command::new("logout")
        .about(
            "End a login: its tokens are taken back where the server lets that, and forgotten here",
        )
        .arg(name())
}

fn name() -> Arg {
    Arg::new("name").value_name("SERVER").required(true).help("What the server is called")
}

pub(super) fn login(matches: &ArgMatches, out: &mut dyn Write) -> Result<Exit, Failure> {
    let setting = Setting::of(matches)?;
    let (name, files, url) = server(&setting, matches)?;
    let text = |name: &str| matches.get_one::<String>(name).cloned();
    let secret = matches.get_one::<PathBuf>("client-secret-file");
    let settings = Settings {
        client_id: text("client-id"),
        client_secret: secret.map(|path| secret_in(path)).transpose()?,
        client_document: text("client-document"),
        scopes: matches.get_many::<String>("scope").into_iter().flatten().cloned().collect(),
        issuer: text("issuer"),
        port: matches.get_one::<u16>("port").copied(),
    };
    let seconds = matches.get_one::<u32>("patience").copied().unwrap_or(300);
    let runtime = egress::runtime()?;
    let begun = runtime.block_on(Login::begin(&files, &url, &settings)).map_err(failed)?;
    let asked = begun.asked();
    let how = match asked.registered {
        Registered::Given => "by the name that you gave",
        Registered::Document => "by the document that you named",
        Registered::Before => "by the registration of before",
        Registered::Now => "registered just now",
    };
    let scopes = if asked.scopes.is_empty() {
        "what it gives by itself".to_owned()
    } else {
        asked.scopes.join(" ")
    };
    let text = format!(
        "server      {}\nasks at     {} ({how})\nto allow    {}\n\nOpen this page in a browser:\n\n{}\n",
        visible::line(&asked.resource),
        visible::line(&asked.issuer),
        visible::line(&scopes),
        visible::line(&asked.url),
    );
    shown(out, &text)?;
    let code = begun.wait(Duration::from_secs(seconds.into())).map_err(failed)?;
    let kept = runtime.block_on(begun.exchange(&code)).map_err(failed)?;
    note(
        &setting,
        "mcp login",
        &format!("server `{name}`, issued by {}", visible::line(kept.issuer())),
    );
    shown(out, &format!("Logged in; the token holds until {}.\n", kept.expires()))
}

pub(super) fn end(matches: &ArgMatches, out: &mut dyn Write) -> Result<Exit, Failure> {
    let setting = Setting::of(matches)?;
    let (name, files, url) = server(&setting, matches)?;
    let was = egress::runtime()?.block_on(logout(&files, &url)).map_err(failed)?;
    if was {
        note(&setting, "mcp logout", &format!("server `{name}`"));
        shown(out, &format!("Logged out of `{}`.\n", visible::line(&name)))
    } else {
        shown(out, &format!("Nobody was logged in to `{}`.\n", visible::line(&name)))
    }
}

/// The server that is named: one elsewhere, without a token of its own.
fn server(setting: &Setting, matches: &ArgMatches) -> Result<(String, Files, String), Failure> {
    let name = matches.get_one::<String>("name").cloned().unwrap_or_default();
    let Some(server) = setting.configuration.mcp.get(&name) else {
        return Err(Failure::usage(format_args!(
            "the configuration names no server `{}`",
            visible::line(&name)
        ))
        .with_help("write it as `[mcp.servers.NAME]` with `url = \"https://…\"`"));
    };
    match &server.at {
        McpAt::Url { url, token: None } => Ok((name.clone(), setting.files(&name)?, url.clone())),
        McpAt::Url { token: Some(_), .. } => {
            Err(Failure::usage("that server has a `token` in the configuration")
                .with_help("take it out there to log in"))
        }
        McpAt::Command { .. } => {
            Err(Failure::usage("that server is started here; nobody logs in to it"))
        }
    }
}

fn secret_in(path: &Path) -> Result<String, Failure> {
    let bytes = private::read(path, LONGEST).map_err(|error| {
        Failure::usage(format_args!("`{}` cannot be used: {error}", path.display()))
            .with_help("it must be a file that nobody else can read or write")
    })?;
    Ok(String::from_utf8_lossy(&bytes).trim().to_owned())
}

/// Records that somebody logged in or out, and nothing of what they hold by that.
fn note(setting: &Setting, what: &str, words: &str) {
    let options = crate::session::Options {
        configuration: setting.configuration.clone(),
        ..crate::session::Options::default()
    };
    let mut session = crate::session::Session::open(options);
    // Whether somebody is logged in does not hang on it.
    let _ = session.note(crate::audit::Entry::change(platform::user_name(), what, words));
}

fn failed(error: OAuthError) -> Failure {
    Failure::internal(format_args!("nobody is logged in: {error}"))
}

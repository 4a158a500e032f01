//! The options that say how calls are judged, and what can be wrong with a call. Owns how the command line opens a
//! [`Session`]; what a session does is its own business.

use clap::{Arg, ArgAction, ArgMatches, Command, builder::ValueParser};
use portcullis_core::{
    action::BadCall,
    analyze::Ensemble,
    policy::{Context, Mode, NotAMode},
};

use super::{Failure, policy};
use crate::{
    config::{Configuration, Lock, Why},
    session::{Judged, Options, Session, record_is_unwanted},
    wire::Request,
};

/// The options that say how a call is judged.
pub(super) fn define(command: Command) -> Command {
    command
        .arg(Arg::new("mode").long("mode").value_name("MODE").help(
            "Enforce a permission mode: default, plan, acceptEdits, dontAsk, bypassPermissions",
        ))
        .arg(
            Arg::new("cwd")
                .long("cwd")
                .value_name("DIR")
                .help("The directory that the call would run in"),
        )
        .arg(
            Arg::new("home")
                .long("home")
                .value_name("DIR")
                .help("The home directory of the user it would run as"),
        )
        .arg(
            Arg::new("config")
                .long("config")
                .value_name("FILE")
                .value_parser(ValueParser::path_buf())
                .help("Read the configuration from this file instead of the usual places"),
        )
        .arg(Arg::new("analyzers").long("analyzers").value_name("NAMES").help(
            "Judge with just these, separated by commas: rules, declared, pattern, policy-rail, no-op",
        ))
        .arg(
            Arg::new("propagate-unknown")
                .long("propagate-unknown")
                .action(ArgAction::SetTrue)
                .help("Let one analyzer that cannot tell make the risk unknown, below high"),
        )
        .arg(
            Arg::new("no-record")
                .long("no-record")
                .action(ArgAction::SetTrue)
                .help("Keep no record of this"),
        )
}

/// Why a call was not judged.
#[derive(Debug, thiserror::Error)]
pub(super) enum Complaint {
    /// The arguments are not what the tool takes.
    #[error(transparent)]
    Call(#[from] BadCall),
    /// The mode that it names is none.
    #[error(transparent)]
    Mode(#[from] NotAMode),
}

pub(super) fn open(matches: &ArgMatches) -> Result<Session, Failure> {
    open_with(matches, policy::load(matches)?)
}

/// As [`open`], under a configuration that is loaded already.
pub(super) fn open_with(
    matches: &ArgMatches,
    configuration: Configuration,
) -> Result<Session, Failure> {
    let text = |name| matches.get_one::<String>(name).cloned();
    let mode = text("mode").map(|word| word.parse::<Mode>()).transpose();
    let unrecorded = matches.get_flag("no-record");
    if configuration.is_locked(Lock::Audit) && (unrecorded || record_is_unwanted()) {
        let what = if unrecorded { "--no-record" } else { "PORTCULLIS_AUDIT=off" };
        let message = format!("`{what}` is refused: the managed configuration locks `audit`");
        return Err(Failure::configuration(message).with_help("leave it away"));
    }
    for left in configuration.account.left_out.iter().filter(|left| left.why == Why::Locked) {
        policy::warn_of(left, &configuration.account);
    }
    for warning in configuration.central.iter().flat_map(|central| central.warnings()) {
        policy::warn(warning);
    }
    let analyzers = matches.get_one::<String>("analyzers");
    let analyzers = analyzers.map(|names| Ensemble::from_names(names)).transpose();
    Ok(Session::open(Options {
        mode: mode.map_err(Failure::usage)?,
        configuration,
        analyzers: analyzers.map_err(Failure::usage)?,
        propagate_unknown: matches.get_flag("propagate-unknown"),
        cwd: text("cwd"),
        home: text("home"),
        // Lines come from other programs, and those run their calls elsewhere.
        from_elsewhere: matches!(matches.try_get_one::<bool>("jsonl"), Ok(Some(true))),
        unrecorded,
        recorded: false,
        guarded: Vec::new(),
        recorder: None,
        over: None,
    }))
}

pub(super) fn judge(session: &mut Session, request: Request) -> Result<Judged, Complaint> {
    judge_in(session, request, Context::default())
}

pub(super) fn judge_in(
    session: &mut Session,
    request: Request,
    context: Context,
) -> Result<Judged, Complaint> {
    // What a reviewer is shown says nothing to anybody else.
    let Request { id: _, call, mode, background: _, unknown_fields: _ } = request;
    let mode = mode.map(|word| word.parse()).transpose()?;
    Ok(session.judge(call, Context { mode, ..context })?)
}

impl Complaint {
    /// The word for programs.
    pub(super) const fn code(&self) -> &'static str {
        match self {
            Self::Call(_) | Self::Mode(_) => "bad-input",
        }
    }

    pub(super) fn failure(&self) -> Failure {
        match self {
            Self::Call(error) => Failure::bad_input(error),
            Self::Mode(error) => Failure::bad_input(error),
        }
    }
}

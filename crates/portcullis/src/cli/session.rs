//! One gate for the length of a process. Owns what judging needs from the world: the policy, the facts, the record. It
//! reads no calls and writes no answers.

use std::env;

use clap::{Arg, ArgAction, ArgMatches, Command, builder::ValueParser};
use portcullis_core::{
    action::{Action, BadCall},
    decision::Decision,
    facts::Facts,
    gate::{Gate, Judgement},
    policy::{Context, Mode, NotAMode, Policy, PolicyOptions},
};

use super::Failure;
use crate::{report, wire::Request};

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
        .arg(
            Arg::new("no-record")
                .long("no-record")
                .action(ArgAction::SetTrue)
                .help("Keep no record of this"),
        )
}

/// What every call of one process has in common.
pub(super) struct Session {
    gate: Gate,
    mode: Option<Mode>,
    cwd: Option<String>,
    home: Option<String>,
}

/// A call that was judged, with what it was judged by.
pub(super) struct Judged {
    pub(super) action: Action,
    pub(super) facts: Facts,
    pub(super) context: Context,
    pub(super) judgement: Judgement,
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

impl Session {
    pub(super) fn open(matches: &ArgMatches) -> Result<Self, Failure> {
        let text = |name| matches.get_one::<String>(name).cloned();
        let mode =
            text("mode").map(|word| word.parse::<Mode>()).transpose().map_err(Failure::usage)?;
        let gate = Gate::new(Policy::new(PolicyOptions::default()));
        let home = text("home").or_else(|| env::var("HOME").ok());
        Ok(Self { gate, mode, cwd: text("cwd"), home })
    }

    pub(super) fn record_nothing(&mut self) {}

    pub(super) fn judge(&mut self, request: Request) -> Result<Judged, Complaint> {
        let Request { id: _, mut call, mode } = request;
        let mode = match (self.mode, mode) {
            (Some(mode), _) => Some(mode),
            (None, Some(word)) => Some(word.parse()?),
            (None, None) => None,
        };
        let context = Context { mode, ..Context::default() };
        call.cwd = call.cwd.or_else(|| self.cwd.clone());
        call.home = call.home.or_else(|| self.home.clone());
        let action = Action::from_call(call)?;
        let facts = Facts::default();
        let judgement = self.gate.judge_in(&action, &facts, &context);
        Ok(Judged { action, facts, context, judgement })
    }

    /// The decision about the same action in another context.
    pub(super) fn again(&self, judged: &Judged, context: &Context) -> Decision {
        self.gate.judge_in(&judged.action, &judged.facts, context).decision
    }
}

impl Judged {
    pub(super) fn report(&self) -> report::Judged<'_> {
        report::Judged {
            call: &self.action.call,
            effects: &self.judgement.effects,
            assessment: &self.judgement.assessment,
            decision: &self.judgement.decision,
        }
    }
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

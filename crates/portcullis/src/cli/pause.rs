//! `pause` and `resume`: some minutes in which nobody is asked. Owns the options and the question; the pause itself is kept
//! by [`crate::pause`].

use std::io::Write;

use clap::{Arg, ArgAction, ArgMatches, Command, builder::ValueParser};

use super::{Exit, Failure, allow, audit::failure, duration, shown};
use crate::{
    audit::{Entry, Log},
    pause::{self, Clocks, LONGEST, Pause, USUAL},
    person::Person,
    platform,
    report::visible,
};

pub(super) fn define(command: Command) -> Command {
    configured(command)
        .about("Ask about nothing for some minutes; what is denied stays denied")
        .after_help("It has to be run by a person, in a terminal of their own, and ends by itself.")
        .arg(
            Arg::new("for")
                .long("for")
                .value_name("DURATION")
                .conflicts_with("end")
                .help("How long: `10m` unless said otherwise, an hour at most"),
        )
        .arg(
            Arg::new("end")
                .long("end")
                .action(ArgAction::SetTrue)
                .help("End it now, as `resume` does"),
        )
}

pub(super) fn define_resume(command: Command) -> Command {
    configured(command).about("End a pause")
}

fn configured(command: Command) -> Command {
    command.arg(
        Arg::new("config")
            .long("config")
            .value_name("FILE")
            .value_parser(ValueParser::path_buf())
            .help("Read the configuration from this file instead of the usual places"),
    )
}

pub(super) fn run(matches: &ArgMatches, out: &mut dyn Write) -> Result<Exit, Failure> {
    if matches.get_flag("end") {
        return resume(matches, out);
    }
    let length = match matches.get_one::<String>("for") {
        None => USUAL,
        Some(word) => {
            duration::parsed(word).filter(|length| !length.is_zero()).ok_or_else(|| {
                Failure::usage(format_args!("`{word}` is not a length of time"))
                    .with_help("expected something like `10m`")
            })?
        }
    };
    if length > LONGEST {
        return Err(Failure::usage("a pause is an hour at most")
            .with_help("`portcullis allow --session` lets one call through for longer"));
    }
    let state = allow::state(matches)?;
    let mut person = allow::person(&state)?;
    let log = &mut Log::open(&state).map_err(|error| failure(&error))?;
    let pause = Pause::new(person.name(), length, Clocks::read());
    begin(&state, log, &pause, &mut person)?;
    shown(out, &format!("{}\n`portcullis resume` ends it\n", visible::line(&pause.reason())))
}

/// Begins a pause that a person agrees to, once it is recorded.
fn begin(
    state: &std::path::Path,
    log: &mut Log,
    pause: &Pause,
    person: &mut Person,
) -> Result<(), Failure> {
    let question = format!(
        "until {:.0} nobody is asked: whatever agents would be asked about goes on, at any risk\n\
         what the policy denies and what nobody can approve stays denied, and everything is recorded",
        pause.until
    );
    let agreed = person.confirm(&question).map_err(|error| {
        Failure::internal(format_args!("the terminal could not be asked at: {error}"))
    })?;
    if !agreed {
        return Err(Failure::denied("nothing was paused"));
    }
    let change = Entry::change(person.name(), "paused", pause.reason());
    log.append(&change).map_err(|error| failure(&error))?;
    pause::begin(state, pause)
        .map_err(|error| Failure::internal(format_args!("the pause could not be written: {error}")))
}

/// Ends a pause, which anybody may: it makes the gate stricter.
pub(super) fn resume(matches: &ArgMatches, out: &mut dyn Write) -> Result<Exit, Failure> {
    let state = allow::state(matches)?;
    let was_active = pause::active(&state).is_some();
    let ended = pause::end(&state).map_err(|error| {
        Failure::internal(format_args!("the pause could not be ended: {error}"))
    })?;
    if !ended || !was_active {
        return shown(out, "nothing was paused\n");
    }
    let change = Entry::change(platform::user_name(), "resumed", "the pause was ended");
    Log::open(&state).and_then(|mut log| log.append(&change)).map_err(|error| failure(&error))?;
    shown(out, "the pause is over\n")
}

#[cfg(target_os = "linux")]
#[cfg(test)]
mod tests {
    use super::*;
    use crate::person::desk::{self, Typed};

    #[test]
    fn a_pause_begins_only_when_a_person_agrees_and_is_recorded_first() {
        for typed in [Typed::Word, Typed::Else("y")] {
            let state = tempfile::tempdir().unwrap();
            let mut log = Log::open(state.path()).unwrap();
            let pause = Pause::new("dev", USUAL, Clocks::read());
            let (begun, screen) =
                desk::seated(typed, |person| begin(state.path(), &mut log, &pause, person));
            assert!(screen.contains("goes on, at any risk"), "{screen}");
            assert_eq!(begun.is_ok(), typed == Typed::Word);
            assert_eq!(pause::active(state.path()).is_some(), typed == Typed::Word);
            let recorded = log.list(&crate::audit::Filter::default()).unwrap();
            let outcomes: Vec<_> =
                recorded.iter().filter_map(|record| record.entry.outcome.clone()).collect();
            assert_eq!(outcomes, if typed == Typed::Word { vec!["paused"] } else { vec![] });
        }
    }
}

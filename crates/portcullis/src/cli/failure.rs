//! Everything that can go wrong on the command line. Owns the exit codes and how an error is rendered; the words of an
//! error belong to who raises it.

use std::{fmt::Display, process::ExitCode};

use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::report::visible;

/// How a verb ended. The numbers are a contract with scripts and agents.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Exit {
    /// Allowed, or done.
    Done,
    /// Denied.
    Denied,
    /// A person must be asked.
    Asked,
    /// The command line was wrong (`EX_USAGE` of sysexits.h).
    Usage,
    /// What was read is not what it should be (`EX_DATAERR`).
    BadInput,
    /// Our fault, or the system's (`EX_SOFTWARE`).
    Internal,
    /// The configuration is wrong (`EX_CONFIG`).
    Configuration,
    /// A program was not run, because what is required does not hold.
    Refused,
    /// There is no such program.
    NotFound,
    /// A program that was run inside limits ended, with this code.
    Ended(u8),
}

impl Exit {
    /// The number.
    #[must_use]
    pub const fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Denied => 2,
            Self::Asked => 3,
            Self::Usage => 64,
            Self::BadInput => 65,
            Self::Internal => 70,
            Self::Configuration => 78,
            Self::Refused => 126,
            Self::NotFound => 127,
            Self::Ended(code) => code,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

/// An error for a person: what, why, and what to do about it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Failure {
    /// How the process ends.
    pub exit: Exit,
    /// What went wrong, with its cause after `: `.
    pub message: String,
    /// The place in a file that it is about, drawn; every line of it is ours or visible.
    pub excerpt: Option<String>,
    /// What to do about it.
    pub help: Option<String>,
}

impl Failure {
    /// The command line was wrong.
    #[must_use]
    pub fn usage(message: impl Display) -> Self {
        Self::new(Exit::Usage, message)
    }

    /// What was read is not what it should be.
    #[must_use]
    pub fn bad_input(message: impl Display) -> Self {
        Self::new(Exit::BadInput, message)
    }

    /// Our fault, or the system's.
    #[must_use]
    pub fn internal(message: impl Display) -> Self {
        Self::new(Exit::Internal, message)
    }

    /// The configuration is wrong.
    #[must_use]
    pub fn configuration(message: impl Display) -> Self {
        Self::new(Exit::Configuration, message)
    }

    /// It may not be done.
    #[must_use]
    pub fn denied(message: impl Display) -> Self {
        Self::new(Exit::Denied, message)
    }

    /// A program was not run.
    #[must_use]
    pub fn refused(exit: Exit, message: impl Display) -> Self {
        Self::new(exit, message)
    }

    /// The same with what to do about it.
    #[must_use]
    pub fn with_help(mut self, help: impl Display) -> Self {
        self.help = Some(help.to_string());
        self
    }

    /// The error as it is printed.
    #[must_use]
    pub fn render(&self) -> String {
        let mut text = format!("error: {}\n", visible::line(&self.message));
        if let Some(excerpt) = &self.excerpt {
            text.push_str(excerpt.trim_end());
            text.push('\n');
        }
        if let Some(help) = &self.help {
            text.push_str("help: ");
            text.push_str(&visible::line(help));
            text.push('\n');
        }
        text
    }

    fn new(exit: Exit, message: impl Display) -> Self {
        Self { exit, message: message.to_string(), excerpt: None, help: None }
    }
}

/// A complaint of the parser, in our words: its own would pass on whatever the command line holds.
pub(super) fn from_clap(error: &clap::Error, verb: &str) -> Failure {
    let part = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(format!("`{text}`")),
        Some(ContextValue::Strings(list)) if !list.is_empty() => {
            Some(list.iter().map(|text| format!("`{text}`")).collect::<Vec<_>>().join(", "))
        }
        _ => None,
    };
    let argument = part(ContextKind::InvalidArg).unwrap_or_default();
    let message = match error.kind() {
        ErrorKind::InvalidSubcommand => {
            format!(
                "there is no command {}",
                part(ContextKind::InvalidSubcommand).unwrap_or_default()
            )
        }
        ErrorKind::MissingSubcommand => "a command is missing".to_owned(),
        ErrorKind::UnknownArgument => format!("unexpected argument {argument}"),
        ErrorKind::MissingRequiredArgument => format!("{argument} is missing"),
        ErrorKind::ArgumentConflict => match part(ContextKind::PriorArg) {
            Some(other) if other != argument => format!("{argument} cannot be used with {other}"),
            _ => format!("{argument} cannot be used twice"),
        },
        ErrorKind::InvalidValue | ErrorKind::ValueValidation => {
            match part(ContextKind::InvalidValue).filter(|value| value != "``") {
                Some(value) => format!("{value} is not a value of {argument}"),
                None => format!("{argument} needs a value"),
            }
        }
        kind => kind.as_str().unwrap_or("the command line is not understood").to_lowercase(),
    };
    let similar =
        [ContextKind::SuggestedSubcommand, ContextKind::SuggestedArg, ContextKind::SuggestedValue]
            .into_iter()
            .find_map(part);
    let takes_a_command = matches!(verb, "check" | "explain");
    let help = match (similar, part(ContextKind::ValidValue)) {
        (Some(similar), _) => format!("did you mean {similar}?"),
        (None, Some(values)) => format!("expected one of {values}"),
        (None, None) if takes_a_command && error.kind() == ErrorKind::UnknownArgument => {
            format!("quote the whole command, as in `portcullis {verb} 'ls -la'`")
        }
        (None, None) => {
            "`portcullis --help` lists the commands, `portcullis COMMAND --help` explains one"
                .to_owned()
        }
    };
    Failure::usage(message).with_help(help)
}

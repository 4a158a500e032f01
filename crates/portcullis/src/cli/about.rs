//! `completions` and `man`, and the words that introduce the program. Owns nothing that judges.

use std::io::Write;

use clap::{Arg, ArgMatches, Command, builder::PossibleValuesParser};

use super::{Exit, Failure, shown, whole};

/// What `portcullis` alone says.
pub(super) const INTRODUCTION: &str = "\
portcullis judges what an AI agent wants to do before it is done.

  portcullis check 'rm -rf build'                    allow, ask or deny, and why
  portcullis explain 'curl https://x.example | sh'   everything that led to it
  portcullis rules list                              what is looked for

`check --jsonl` judges one JSON call per line; `assess`, `policy`, `audit` and `man` do what they say.
`portcullis --help` lists every command, `portcullis COMMAND --help` explains one.
";

/// The contract with scripts, at the end of the help.
pub(super) const EXIT_CODES: &str = "\
Exit codes: 0 allow, 2 deny, 3 ask, 64 usage, 65 bad input, 70 internal, 78 configuration";

const SHELLS: [&str; 5] = ["bash", "elvish", "fish", "powershell", "zsh"];

pub(super) fn define_completions(command: Command) -> Command {
    command
        .about("Print the completion script for a shell")
        .after_help("Example: portcullis completions bash > ~/.local/share/bash-completion/completions/portcullis")
        .arg(
            Arg::new("shell")
                .value_name("SHELL")
                .required(true)
                .value_parser(PossibleValuesParser::new(SHELLS))
                .help("The shell"),
        )
}

pub(super) fn completions(matches: &ArgMatches, out: &mut dyn Write) -> Result<Exit, Failure> {
    let shell = matches.get_one::<String>("shell").map_or("", String::as_str);
    let shell = shell.parse::<clap_complete::Shell>().map_err(Failure::usage)?;
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut whole(), "portcullis", &mut script);
    shown(out, &String::from_utf8_lossy(&script))
}

pub(super) fn define_man(command: Command) -> Command {
    command
        .about("Print the manual page")
        .after_help("Example: portcullis man | man -l -")
        .arg(Arg::new("verb").value_name("COMMAND").help("The command to print the page of"))
}

pub(super) fn man(matches: &ArgMatches, out: &mut dyn Write) -> Result<Exit, Failure> {
    let mut command = whole();
    if let Some(verb) = matches.get_one::<String>("verb") {
        let Some(found) = command.find_subcommand(verb) else {
            return Err(Failure::usage(format_args!("there is no command `{verb}`"))
                .with_help("`portcullis --help` lists them"));
        };
        command = found
            .clone()
            .display_name(format!("portcullis-{verb}"))
            .version(env!("CARGO_PKG_VERSION"));
    }
    let mut page = Vec::new();
    clap_mangen::Man::new(command)
        .render(&mut page)
        .map_err(|error| Failure::internal(format_args!("the page could not be made: {error}")))?;
    shown(out, &String::from_utf8_lossy(&page))
}

//! Where a call comes from: an argument, a file, or standard input. Owns the options that name it and how much is read.

use std::{
    ffi::OsStr,
    fs::File,
    io::{self, Read},
    path::Path,
};

use clap::{Arg, ArgMatches, Command, builder::ValueParser};
use portcullis_core::{call::ToolCall, tool};
use serde_json::{Map, Value};

use super::Failure;
use crate::wire::{LONGEST, Request};

/// The options that name one call.
pub(super) fn define(command: Command) -> Command {
    command
        .arg(
            Arg::new("command")
                .value_name("COMMAND")
                .value_parser(ValueParser::os_string())
                .conflicts_with_all(["file", "call"])
                .help("The command to judge, as one argument"),
        )
        .arg(
            Arg::new("file")
                .long("file")
                .value_name("FILE")
                .value_parser(ValueParser::path_buf())
                .conflicts_with("call")
                .help("Judge what stands in a file (`-` for standard input)"),
        )
        .arg(
            Arg::new("call")
                .long("call")
                .value_name("JSON")
                .value_parser(ValueParser::os_string())
                .help("Judge a call in JSON (`-` for standard input)"),
        )
        .arg(Arg::new("tool").long("tool").value_name("NAME").conflicts_with("call").help(
            "The tool that the command is for: bash (unless said), python, sql, web_fetch, …",
        ))
}

/// The call that the options name.
pub(super) fn request(matches: &ArgMatches) -> Result<Request, Failure> {
    if let Some(call) = matches.get_one::<std::ffi::OsString>("call") {
        let bytes =
            if call == "-" { read(io::stdin().lock(), "standard input")? } else { bytes(call)? };
        return Request::parse(&bytes, 1).map_err(|error| {
            Failure::bad_input(format_args!("the call is malformed: {error}")).with_help(
                "a call looks like `{\"tool\":\"bash\",\"arguments\":{\"command\":\"ls\"}}`",
            )
        });
    }
    let (bytes, from) = if let Some(path) = matches.get_one::<std::path::PathBuf>("file") {
        (file(path)?, format!("`{}`", path.display()))
    } else if let Some(command) = matches.get_one::<std::ffi::OsString>("command") {
        (bytes(command)?, "the command".to_owned())
    } else {
        return Err(Failure::usage("nothing to judge").with_help(
            "give a command, as in `portcullis check 'git status'`, or `--file`, `--call` or `--jsonl`",
        ));
    };
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let before = error.as_bytes().get(..at).unwrap_or_default();
        let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
        Failure::bad_input(format_args!("{from} is not UTF-8 at byte {at}, in line {line}"))
            .with_help("convert it first, for example with `iconv -t utf-8`")
    })?;
    let text = match text.strip_prefix('\u{feff}') {
        Some(text) => text.to_owned(),
        None => text,
    };
    let tool = matches.get_one::<String>("tool").map_or("bash", String::as_str);
    let mut arguments = Map::new();
    let name = tool::sole_argument(tool).ok_or_else(|| {
        Failure::usage(format_args!("what `{tool}` takes is not one text"))
            .with_help("give the whole call with `--call`")
    })?;
    arguments.insert(name.to_owned(), Value::String(text));
    let call = ToolCall { tool: tool.to_owned(), arguments, ..ToolCall::default() };
    Ok(Request { call, ..Request::default() })
}

/// A whole file, up to [`LONGEST`].
fn file(path: &Path) -> Result<Vec<u8>, Failure> {
    if path == Path::new("-") {
        return read(io::stdin().lock(), "standard input");
    }
    let name = path.display();
    let open = File::open(path).and_then(|file| file.metadata().map(|about| (file, about)));
    match open {
        Ok((_, about)) if about.is_dir() => {
            Err(Failure::bad_input(format_args!("`{name}` is a directory, not a file")))
        }
        Ok((file, _)) => read(file, &format!("`{name}`")),
        Err(error) => Err(Failure::bad_input(format_args!("`{name}` could not be read: {error}"))),
    }
}

fn read(from: impl Read, name: &str) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    from.take(LONGEST as u64 + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| Failure::bad_input(format_args!("{name} could not be read: {error}")))?;
    if bytes.len() > LONGEST {
        let longest = LONGEST >> 20;
        return Err(Failure::bad_input(format_args!("{name} is longer than {longest} MiB")));
    }
    Ok(bytes)
}

/// The bytes of an argument as the system passed them.
fn bytes(argument: &OsStr) -> Result<Vec<u8>, Failure> {
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt as _;
        Ok(argument.as_bytes().to_vec())
    }
    #[cfg(not(unix))]
    {
        argument
            .to_str()
            .map(|text| text.as_bytes().to_vec())
            .ok_or_else(|| Failure::bad_input("the argument is not valid Unicode"))
    }
}

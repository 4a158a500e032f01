//! Programs that run code given to them: shells, script languages, `awk`, `make`. Owns where in their arguments the code
//! stands; what the code does is read by `understand`.

use super::{
    Does, Options, Program, environment::prints_each_line, escapes, network::serve,
    operands::after, wrappers,
};
use crate::{
    effect::{Argument, GapReason},
    place::{self, Place},
    programs::host::Host,
    programs::invocation::{Invocation, TERMINAL},
    text::{Piece, Taint, Text},
};

mod finders;
mod powershell;
mod substitution;

use finders::{fd, find};
use powershell::powershell;

/// How a language's interpreter is told what to run.
struct Speaker {
    program: &'static str,
    language: &'static str,
    /// Options whose value is code; a bundle may end with the letter (`-ne`).
    code: &'static [&'static str],
    /// Whether the first operand is code, not a file.
    operand: bool,
}

const fn speaker(
    program: &'static str,
    language: &'static str,
    code: &'static [&'static str],
    operand: bool,
) -> Speaker {
    Speaker { program, language, code, operand }
}

/// Interpreters other than shells, sorted by program.
static SPEAKERS: &[Speaker] = &[
    speaker("awk", "awk", &["-e", "--source"], true),
    speaker("bb", "lisp", &["-e", "--eval"], false),
    speaker("bpython", "python", &[], false),
    speaker("bun", "javascript", &["-e", "--eval", "-p", "--print"], false),
    speaker("clj", "lisp", &["-e", "--eval"], false),
    speaker("clojure", "lisp", &["-e", "--eval"], false),
    speaker("deno", "javascript", &[], false),
    speaker("elixir", "elixir", &["-e", "--eval"], false),
    speaker("erl", "erlang", &["-eval"], false),
    speaker("expect", "tcl", &["-c"], false),
    speaker("gawk", "awk", &["-e", "--source"], true),
    speaker("ghc", "haskell", &["-e"], false),
    speaker("groovy", "groovy", &["-e"], false),
    speaker("guile", "scheme", &["-c"], false),
    speaker("iex", "elixir", &["-e", "--eval"], false),
    speaker("ipython", "python", &["-c"], false),
    speaker("irb", "ruby", &["-e"], false),
    speaker("jbang", "java", &["-c", "--code"], false),
    speaker("jjs", "javascript", &[], false),
    speaker("jrunscript", "javascript", &["-e"], false),
    speaker("jshell", "java", &[], false),
    speaker("julia", "julia", &["-e", "--eval", "-E"], false),
    speaker("kotlin", "kotlin", &["-e"], false),
    speaker("lua", "lua", &["-e"], false),
    speaker("luajit", "lua", &["-e"], false),
    speaker("mawk", "awk", &["-e"], true),
    speaker("nawk", "awk", &[], true),
    speaker("nim", "nim", &["--eval"], false),
    speaker("node", "javascript", &["-e", "--eval", "-p", "--print", "-pe"], false),
    speaker("nodejs", "javascript", &["-e", "--eval", "-p", "--print"], false),
    speaker("octave", "octave", &["--eval"], false),
    speaker("osascript", "applescript", &["-e"], false),
    speaker("perl", "perl", &["-e", "-E"], false),
    speaker("php", "php", &["-r", "-B", "-R", "-E", "--run"], false),
    speaker("powershell", "powershell", &["-c", "-Command", "-command", "/c"], true),
    speaker("pwsh", "powershell", &["-c", "-Command", "-command"], false),
    speaker("pypy", "python", &["-c"], false),
    speaker("pypy3", "python", &["-c"], false),
    speaker("python", "python", &["-c"], false),
    speaker("racket", "scheme", &["-e"], false),
    speaker("raku", "raku", &["-e"], false),
    speaker("rscript", "r", &["-e"], false),
    speaker("ruby", "ruby", &["-e"], false),
    speaker("sbcl", "lisp", &["--eval"], false),
    speaker("scala", "scala", &["-e"], false),
    speaker("swift", "swift", &["-e"], false),
    speaker("tclsh", "tcl", &[], false),
    speaker("ts-node", "javascript", &["-e", "--eval", "-p"], false),
    speaker("tsx", "javascript", &["-e", "--eval", "-p"], false),
    speaker("wish", "tcl", &[], false),
];

const fn language(name: &'static str, values: &'static [&'static str]) -> Program {
    Program { name, values, does: Does::Custom(interpret) }
}

const fn shell(name: &'static str) -> Program {
    Program {
        name,
        values: &["-o", "-O", "+o", "+O", "--rcfile", "--init-file"],
        does: Does::Custom(shell_program),
    }
}

const fn custom(
    name: &'static str,
    values: &'static [&'static str],
    act: fn(&mut dyn Host, &Invocation) -> Text,
) -> Program {
    Program { name, values, does: Does::Custom(act) }
}

const AWK: &[&str] =
    &["-F", "-v", "-f", "-e", "--source", "--field-separator", "--assign", "--file", "-i", "-l"];
const PYTHON: &[&str] = &["-c", "-m", "-W", "-X", "--check-hash-based-pycs"];
const NODE: &[&str] =
    &["-e", "--eval", "-p", "--print", "-r", "--require", "--import", "-C", "--loader"];

/// Programs that run code, sorted by name.
pub(super) static INTERPRETERS: &[Program] = &[
    language("Rscript", &["-e"]),
    shell("ash"),
    language("awk", AWK),
    shell("bash"),
    language("bb", &["-e", "--eval"]),
    language("bpython", PYTHON),
    custom("bun", NODE, subcommand_or_code),
    language("clj", &["-e", "--eval"]),
    language("clojure", &["-e", "--eval"]),
    shell("csh"),
    shell("dash"),
    custom("deno", &[], subcommand_or_code),
    language("elixir", &["-e", "--eval", "-r", "--name"]),
    language("erl", &["-eval", "-s", "-S", "-sname", "-name", "-pa"]),
    language("expect", &["-c", "-f"]),
    custom("fd", finders::FD, fd),
    custom("fdfind", finders::FD, fd),
    custom("find", &[], find),
    shell("fish"),
    language("gawk", AWK),
    language("ghc", &["-e"]),
    custom("gmake", MAKE, make),
    language("groovy", &["-e"]),
    language("guile", &["-c"]),
    language("iex", &["-e", "--eval"]),
    language("ipython", PYTHON),
    language("irb", &["-e"]),
    custom("java", JAVA, java),
    language("jbang", &["-c", "--code", "--deps", "--java", "--main"]),
    language("jjs", &[]),
    language("jrunscript", &["-e", "-f", "-l"]),
    language("jshell", &[]),
    language("julia", &["-e", "--eval", "-E", "-p", "-t"]),
    language("kotlin", &["-e"]),
    shell("ksh"),
    language("lua", &["-e", "-l"]),
    language("luajit", &["-e", "-l"]),
    custom("make", MAKE, make),
    language("mawk", AWK),
    shell("mksh"),
    custom("mlr", &[], miller),
    language("nawk", AWK),
    language("nim", &["--eval"]),
    language("node", NODE),
    language("nodejs", NODE),
    language("octave", &["--eval"]),
    shell("oksh"),
    language("osascript", &["-e", "-l", "-s"]),
    language("perl", &["-e", "-E", "-I", "-M", "-m", "-x"]),
    language("php", &["-r", "-B", "-R", "-E", "-f", "-d", "-c", "-S", "-t", "--run"]),
    shell("posh"),
    custom(
        "powershell",
        &["-ExecutionPolicy", "-File", "-WindowStyle", "-EncodedCommand"],
        powershell,
    ),
    custom("pwsh", &["-ExecutionPolicy", "-File", "-WindowStyle", "-EncodedCommand"], powershell),
    language("pypy", PYTHON),
    language("pypy3", PYTHON),
    language("python", PYTHON),
    language("racket", &["-e"]),
    language("raku", &["-e"]),
    shell("rbash"),
    language("rscript", &["-e"]),
    language("ruby", &["-e", "-I", "-r", "-C", "-W"]),
    shell("sash"),
    language("sbcl", &["--eval"]),
    language("scala", &["-e"]),
    shell("sh"),
    language("swift", &["-e"]),
    language("tclsh", &[]),
    shell("tcsh"),
    language("ts-node", NODE),
    language("tsx", NODE),
    language("wish", &[]),
    shell("yash"),
    shell("zsh"),
];

/// `sh [options] [-c code [name arguments…] | file arguments…]`; otherwise the input is the script.
fn shell_program(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    if let Some(file) = walk.variable_set("BASH_ENV").filter(|file| !file.is_empty())
        && walk.wrote(&file)
    {
        let file = Argument { text: file, span: invocation.name.span };
        walk.at_likely(|walk| walk.script("shell", &file, &[], None));
    }
    let mut from_argument = false;
    let mut from_input = false;
    let mut talks = false;
    let mut only_reads = false;
    let mut takes_back = false;
    let mut index = 0;
    let arguments = invocation.arguments.as_slice();
    while let Some(argument) = arguments.get(index) {
        let Some(option) = argument.text.as_known() else { break };
        if option == "--" || option == "-" {
            index += 1;
            break;
        }
        if let Some(long) = option.strip_prefix("--") {
            if matches!(long, "rcfile" | "init-file")
                && let Some(file) = arguments.get(index + 1)
            {
                walk.script("shell", file, &[], None);
                index += 1;
            }
            from_argument |= long == "command";
            index += 1;
            continue;
        }
        if !option.starts_with(['-', '+']) || option.len() < 2 {
            break;
        }
        if option.starts_with('-') {
            from_argument |= option.contains('c');
            from_input |= option.contains('s');
            talks |= option.contains('i');
            only_reads |= option.contains('n');
        }
        takes_back |= option.starts_with('+') || option.contains('o');
        index += 1;
        if option.ends_with(['o', 'O']) {
            index += 1;
        }
    }
    let rest = arguments.get(index..).unwrap_or(&[]);
    // `-n` only looks whether the text is shell code; a shell that talks to somebody takes no notice of it.
    if only_reads && !takes_back && !talks && invocation.program != "fish" {
        let mut said = invocation.origin();
        if let (Some(file), false) = (rest.first(), from_argument || from_input) {
            said.inherit(&walk.read(file));
        }
        return said;
    }
    if talks && !from_argument && !rest.is_empty() {
        walk.interactive_shell(invocation.span);
    }
    match rest.split_first() {
        Some((code, positional)) if from_argument => {
            walk.shell(&code.text, code.span, positional, invocation.input.clone())
        }
        Some((file, positional)) if !from_input => {
            if matches!(file.text.as_known(), Some("/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0"))
                && let Some(input) = &invocation.input
            {
                return walk.shell(input, invocation.span, positional, None);
            }
            walk.script("shell", file, positional, invocation.input.clone())
        }
        _ => match &invocation.input {
            // What a program fetches and does not print is meant to be run all the same.
            Some(input)
                if (!input.is_empty() || input.taint.has(Taint::NETWORK)) && !is_typed(input) =>
            {
                let mut positional = vec![invocation.name.clone()];
                positional.extend_from_slice(rest);
                walk.shell(input, invocation.span, &positional, None)
            }
            _ => {
                walk.interactive_shell(invocation.span);
                invocation.origin()
            }
        },
    }
}

/// Whether a program is an interpreter of a script language.
pub(super) fn speaks(name: &str) -> bool {
    let plain = name.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
    SPEAKERS.binary_search_by(|speaker| speaker.program.cmp(plain)).is_ok()
}

/// Whether a text is what somebody types at a terminal.
fn is_typed(input: &Text) -> bool {
    matches!(input.pieces.as_slice(), [Piece::Unknown(origin)] if &**origin == TERMINAL)
}

/// Whatever code prints, what arrives on its input may be in it.
fn interpret(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let mut printed = interpreted(walk, invocation);
    if let Some(input) = &invocation.input {
        printed.inherit(input);
    }
    printed
}

fn interpreted(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let Some(speaker) = SPEAKERS
        .binary_search_by(|speaker| speaker.program.cmp(&invocation.program.to_ascii_lowercase()))
        .ok()
        .and_then(|at| SPEAKERS.get(at))
    else {
        return invocation.origin();
    };
    if speaker.language == "python"
        && let Some(module) = escapes::values_of(&invocation.arguments, "-m").into_iter().next()
    {
        return python_module(walk, invocation, &module);
    }
    serve::by_interpreter(walk, invocation);
    preloaded(walk, invocation, speaker.language);
    // `ruby -run -e httpd` says which of its library's programs to run.
    let is_named = |code: &Argument| {
        speaker.language == "ruby"
            && matches!(code.text.as_known(), Some("httpd"))
            && invocation.arguments.iter().any(|word| word.text.as_known() == Some("-run"))
    };
    let code = code_option(invocation, speaker);
    if code.as_ref().is_some_and(is_named) {
        return invocation.origin();
    }
    let operands = wrappers::command_after(invocation, 0);
    let mut read = Vec::new();
    if let Some(code) = code {
        // perl opens what it is given the names of with `open` in its old form: a pipe in a name is a command.
        let reads = |mark: &str| code.text.known_prefix().contains(mark);
        let opens = speaker.language == "perl"
            && (reads_operands(&invocation.arguments) || reads("<>") || reads("<ARGV>"));
        for operand in operands.iter().filter(|operand| opens && **operand != code) {
            if let Some(known) = operand.text.as_known().map(str::trim)
                && let Some(command) = known.strip_suffix('|').or_else(|| known.strip_prefix('|'))
            {
                let command = operand.text.derive([Piece::Known(command.to_owned())]);
                walk.shell(&command, operand.span, &[], None);
            }
        }
        if matches!(speaker.language, "perl" | "ruby") && reads_operands(&invocation.arguments) {
            for file in operands.iter().filter(|operand| **operand != code) {
                read.push((file.clone(), walk.read(file)));
            }
        }
        // perl's and ruby's `-i` rewrites the files that are its operands.
        if matches!(speaker.language, "perl" | "ruby") && edits_in_place(&invocation.arguments) {
            let puts_in = code.text.as_known().and_then(substitution::puts_in);
            for file in operands {
                let content = read.iter().find(|(name, _)| name == file);
                let content = content.and_then(|(_, content)| {
                    super::text::with_insertions(content, puts_in.as_deref())
                });
                let content = content.unwrap_or_else(|| Text::unknown(speaker.language));
                walk.write(file, crate::effect::WriteMode::Edit, content);
            }
        }
        let mut given: Vec<Argument> =
            operands.iter().filter(|operand| **operand != code).cloned().collect();
        for variable in escapes::values_of(&invocation.arguments, "-v") {
            given.push(variable);
        }
        unread(walk, speaker.language, &code, invocation);
        if speaker.language == "javascript" && prints_value(&invocation.arguments) {
            return value_of(walk, &code, &given, invocation);
        }
        let input = invocation.input.clone();
        let mut printed =
            walk.code_with_input(speaker.language, &code.text, code.span, &given, input);
        for (_, content) in &read {
            printed.inherit(content);
        }
        if matches!(speaker.language, "perl" | "ruby") && prints_each_line(&invocation.arguments) {
            printed.push(Piece::Unknown("each line of the input".into()));
        }
        return printed;
    }
    if speaker.language == "awk"
        && let Some(file) = invocation.options().value(&["-f", "--file"])
    {
        if matches!(file.text.as_known(), Some("-" | "/dev/stdin"))
            && let Some(input) = &invocation.input
        {
            return walk.code("awk", input, invocation.span, operands);
        }
        return walk.script("awk", &file, operands, invocation.input.clone());
    }
    match operands.split_first() {
        Some((first, rest)) if speaker.operand => {
            let mut given = rest.to_vec();
            given.extend(escapes::values_of(&invocation.arguments, "-v"));
            if speaker.language == "awk" {
                for file in rest.iter().filter(|file| !file.text.known_prefix().contains('=')) {
                    read.push((file.clone(), walk.read(file)));
                }
            }
            let input = invocation.input.clone();
            let mut printed =
                walk.code_with_input(speaker.language, &first.text, first.span, &given, input);
            for (_, content) in &read {
                printed.inherit(content);
            }
            printed
        }
        Some((first, rest)) if !matches!(first.text.as_known(), Some("-" | "/dev/stdin")) => {
            walk.script(speaker.language, first, rest, invocation.input.clone())
        }
        rest => match &invocation.input {
            Some(input) if !input.is_empty() => {
                let code = Argument { text: input.clone(), span: invocation.span };
                if input.as_known().is_some() {
                    unread(walk, speaker.language, &code, invocation);
                }
                // `python3 - a b`: what stands behind the dash is the code's own.
                let given = rest.map_or(&[][..], |(_, rest)| rest);
                walk.code(speaker.language, input, invocation.span, given)
            }
            _ => invocation.origin(),
        },
    }
}

/// Files of code that options name to be read before the program: `php -d auto_prepend_file=FILE`, `ruby -r ./file`.
fn preloaded(walk: &mut dyn Host, invocation: &Invocation, language: &'static str) {
    const OF_PHP: &[&str] =
        &["auto_append_file=", "auto_prepend_file=", "extension=", "zend_extension="];
    // `perl '-MO;code'` is `use O;code`: what stands behind the module's name is code.
    if language == "perl" {
        for option in ["-M", "-m"] {
            for value in escapes::values_of(&invocation.arguments, option) {
                let known = value.text.known_prefix();
                if let Some((_, code)) = known.split_once(';') {
                    let code = value.text.beginning_with(code);
                    walk.code("perl", &code, value.span, &[]);
                }
            }
        }
        return;
    }
    let (option, starts): (&str, &[&str]) = match language {
        "php" => ("-d", OF_PHP),
        "ruby" => ("-r", &[""]),
        _ => return,
    };
    let long = if language == "php" { "--define" } else { "--require" };
    let values = escapes::values_of(&invocation.arguments, option);
    for value in values.into_iter().chain(escapes::values_of(&invocation.arguments, long)) {
        let written = value.text.known_prefix();
        let Some(start) = starts.iter().find(|start| written.starts_with(**start)) else {
            continue;
        };
        let Some(file) = after(&value, start) else { continue };
        preload(walk, invocation, language, &file);
    }
}

/// One such file: on this machine, or what PHP opens like one.
fn preload(walk: &mut dyn Host, invocation: &Invocation, language: &'static str, file: &Argument) {
    let name = file.text.known_prefix().trim_matches(['"', '\'']);
    let (scheme, rest) = name.split_once(':').unwrap_or(("", name));
    match scheme.to_ascii_lowercase().as_str() {
        "http" | "https" | "ftp" | "ftps" | "compress.zlib" | "compress.bzip2" | "ssh2.sftp" => {
            let code = walk.connect(file, None, false);
            walk.code(language, &code, file.span, &[]);
        }
        "expect" => {
            let command = Text::known(rest.trim_start_matches('/'));
            walk.shell(&command, file.span, &[], None);
        }
        "php" if rest.starts_with("//stdin") => {
            let code = invocation.origin();
            let code = invocation.input.clone().unwrap_or(code);
            walk.code(language, &code, file.span, &[]);
        }
        "data" | "php" | "phar" | "zip" | "rar" | "glob" => {
            walk.gap(file.span, GapReason::UnknownCode);
        }
        // Libraries have no path.
        _ if name.contains('/') || name.contains('.') => {
            if escapes::is_temporary(name) {
                walk.note("execution.temporary.escape", file.span);
            }
            walk.script(language, file, &[], None);
        }
        _ => {}
    }
}

/// Languages in which nothing but the commonest calls is read.
const UNREAD: &[&str] =
    &["elixir", "erlang", "groovy", "haskell", "kotlin", "nim", "octave", "raku", "scala", "swift"];

/// Code in a language without a reader is not understood, unless it only shows something.
fn unread(walk: &mut dyn Host, language: &str, code: &Argument, invocation: &Invocation) {
    let is_automation = language == "applescript"
        && invocation.arguments.iter().any(|word| word.text.as_known() == Some("JavaScript"));
    let is_lisp =
        matches!(invocation.program.as_str(), "bb" | "clj" | "clojure" | "racket" | "sbcl");
    if (UNREAD.contains(&language) || is_automation || is_lisp)
        && !code.text.as_known().is_some_and(only_shows)
    {
        walk.gap(code.span, GapReason::UnknownCode);
    }
}

/// Whether code is made of nothing but texts, numbers and words that show them.
pub(super) fn only_shows(code: &str) -> bool {
    const SHOWS: &[&str] = &[
        "Enum",
        "IO",
        "Str",
        "System",
        "and",
        "disp",
        "display",
        "do",
        "echo",
        "end",
        "erlang",
        "false",
        "format",
        "fwrite",
        "halt",
        "init",
        "inspect",
        "io",
        "is_integer",
        "length",
        "let",
        "main",
        "map",
        "nil",
        "null",
        "or",
        "otp_release",
        "print",
        "printf",
        "println",
        "prn",
        "putStrLn",
        "puts",
        "say",
        "show",
        "size",
        "stop",
        "string",
        "sum",
        "system_info",
        "to_integer",
        "to_string",
        "true",
        "val",
        "var",
        "version",
        "write",
    ];
    let mut bare = String::new();
    let mut quote = None;
    for letter in code.chars() {
        match quote {
            Some(open) if letter == open => quote = None,
            // What is filled into a text is code.
            Some(_) if matches!(letter, '#' | '$') => return false,
            Some(_) => {}
            None if matches!(letter, '"' | '\'') => quote = Some(letter),
            None if letter.is_alphanumeric() || letter == '_' => bare.push(letter),
            None if " \t\n()+-*/%=<>,.;:[]{}".contains(letter) => bare.push(' '),
            None => return false,
        }
    }
    // One word names a value.
    let is_name = code.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_name
        || bare.split_whitespace().all(|word| {
            // One letter, or none of them, is a name of the code's own.
            word.len() == 1
                || word.bytes().all(|byte| byte.is_ascii_digit())
                || SHOWS.contains(&word)
        })
}

/// Whether `node` is to print what its code comes to.
fn prints_value(arguments: &[Argument]) -> bool {
    arguments.iter().any(|word| {
        let word = word.text.known_prefix();
        matches!(word, "-p" | "-pe" | "--print") || word.starts_with("--print=")
    })
}

/// `node -p CODE`: an expression is printed; of anything longer, the value of its last statement is.
fn value_of(
    walk: &mut dyn Host,
    code: &Argument,
    given: &[Argument],
    invocation: &Invocation,
) -> Text {
    let input = invocation.input.clone();
    let is_expression = code.text.as_known().is_some_and(|known| !known.contains([';', '\n']));
    if !is_expression {
        let mut printed = walk.code_with_input("javascript", &code.text, code.span, given, input);
        printed.push(Piece::Unknown("the value of code".into()));
        return printed;
    }
    let mut whole = Text::known("console.log(");
    whole.append(&code.text);
    whole.push_known("\n)");
    walk.code_with_input("javascript", &whole, code.span, given, input)
}

/// The code that an interpreter's options carry: `-e code`, `-ecode`, `-ne code`, all of them joined.
fn code_option(invocation: &Invocation, speaker: &Speaker) -> Option<Argument> {
    let mut whole: Option<Argument> = None;
    let mut push = |argument: &Argument| match &mut whole {
        Some(code) => {
            code.text.push_known("\n");
            code.text.append(&argument.text);
            code.span = code.span.to(argument.span);
        }
        None => whole = Some(argument.clone()),
    };
    let slashes = speaker.code.iter().any(|option| option.starts_with('/'));
    let mut index = 0;
    while let Some(argument) = invocation.arguments.get(index) {
        let prefix = argument.text.known_prefix();
        let known = argument.text.as_known();
        // `/c` is an option to Windows' own shell; elsewhere `/code/run.sh` is a file.
        let option = prefix.starts_with('-') || slashes && prefix.starts_with('/');
        if known == Some("--") || !option {
            break;
        }
        if known.is_some_and(|known| speaker.code.contains(&known)) {
            if let Some(value) = invocation.arguments.get(index + 1) {
                push(value);
            }
            index += 2;
            // python reads `-c` once; everything behind it belongs to the code.
            if speaker.language == "python" {
                break;
            }
            continue;
        }
        if let Some(found) =
            speaker.code.iter().filter(|option| option.starts_with("--")).find_map(|option| {
                prefix.strip_prefix(option).and_then(|rest| rest.strip_prefix('='))
            })
        {
            push(&Argument { text: argument.text.beginning_with(found), span: argument.span });
        } else if !prefix.starts_with("--") && prefix.len() > 2 {
            for option in speaker.code.iter().filter(|option| option.len() == 2) {
                let Some(letter) = option.chars().nth(1) else { continue };
                let Some(at) =
                    prefix.get(1..).and_then(|bundle| bundle.find(letter)).map(|at| at + 1)
                else {
                    continue;
                };
                let flags = prefix.get(1..at).unwrap_or("");
                if !flags.chars().all(|flag| flag.is_ascii_alphanumeric()) || flags.len() > 6 {
                    continue;
                }
                let attached = prefix.get(at + 1..).unwrap_or("");
                if attached.is_empty() && argument.text.as_known().is_some() {
                    if let Some(value) = invocation.arguments.get(index + 1) {
                        push(value);
                    }
                    index += 1;
                } else if flags.is_empty()
                    || attached.contains(|c: char| !c.is_ascii_alphanumeric())
                {
                    push(&Argument {
                        text: argument.text.beginning_with(attached),
                        span: argument.span,
                    });
                }
                break;
            }
        } else if invocation.values.iter().any(|value| known == Some(value)) {
            index += 1;
        }
        index += 1;
    }
    whole
}

/// perl's and ruby's `-n` and `-p` read the files that are their operands.
fn reads_operands(arguments: &[Argument]) -> bool {
    arguments.iter().any(|argument| {
        argument.text.known_prefix().strip_prefix('-').is_some_and(|flags| {
            let letters: &str =
                flags.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or("");
            letters.len() < 6 && letters.contains(['n', 'p'])
        })
    })
}

fn edits_in_place(arguments: &[Argument]) -> bool {
    arguments.iter().any(|argument| {
        argument.text.as_known().is_some_and(|known| {
            known.starts_with('-')
                && !known.starts_with("--")
                && known
                    .split('.')
                    .next()
                    .is_some_and(|flags| flags.contains('i') && flags.len() < 6)
        })
    })
}

fn python_module(walk: &mut dyn Host, invocation: &Invocation, module: &Argument) -> Text {
    // The words of a list all lie where the list does; `-mpip` is one word.
    let is_glued = |argument: &Argument| {
        let (word, name) = (argument.text.known_prefix(), module.text.known_prefix());
        word.starts_with('-')
            && word.strip_suffix(name).is_some_and(|letters| letters.ends_with('m'))
    };
    let mut given = invocation.arguments.iter();
    let at = given.position(|argument| argument == module || is_glued(argument)).unwrap_or(0);
    let rest = invocation.arguments.get(at + 1..).unwrap_or(&[]);
    match module.text.as_known() {
        Some("http.server" | "SimpleHTTPServer" | "pyftpdlib" | "smtpd") => {
            let value = |names: [&str; 2]| {
                names.into_iter().flat_map(|name| escapes::values_of(rest, name)).next()
            };
            let address = value(["--bind", "-b"]);
            serve::offer(walk, invocation, value(["--directory", "-d"]), address)
        }
        Some("pty") => walk.run(
            &[Argument { text: Text::known("sh"), span: module.span }],
            invocation.input.clone(),
        ),
        Some("timeit" | "cProfile" | "trace" | "pdb") => {
            if let Some(code) = rest.last() {
                walk.at_likely(|walk| walk.code("python", &code.text, code.span, &[]));
            }
            invocation.origin()
        }
        Some(
            "base64" | "json.tool" | "calendar" | "this" | "compileall" | "py_compile" | "venv"
            | "ensurepip" | "site" | "sysconfig" | "platform" | "tokenize" | "ast" | "dis"
            | "zipfile" | "tarfile" | "gzip",
        ) => {
            for file in rest.iter().filter(|file| !file.text.known_prefix().starts_with('-')) {
                walk.read(file);
            }
            invocation.origin()
        }
        _ => {
            // A module that has a program of the same name does the same (`python -m pip`, `-m pytest`).
            let mut words = vec![module.clone()];
            words.extend_from_slice(rest);
            walk.run(&words, invocation.input.clone())
        }
    }
}

/// `deno eval code`, `deno run file`, `bun run script`, `bun -e code`.
fn subcommand_or_code(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let operands = wrappers::command_after(invocation, 0);
    let verb = operands.first().and_then(|verb| verb.text.as_known());
    let installs = matches!(verb, Some("install" | "i"));
    match verb {
        Some("eval") => match wrappers::command_after(invocation, 1).first() {
            Some(code) => {
                let input = invocation.input.clone();
                let mut printed =
                    walk.code_with_input("javascript", &code.text, code.span, &[], input);
                if let Some(input) = &invocation.input {
                    printed.inherit(input);
                }
                printed
            }
            None => invocation.origin(),
        },
        Some("run") if names_input(operands) => match &invocation.input {
            Some(input) => walk.code("javascript", input, invocation.span, &[]),
            None => invocation.origin(),
        },
        Some(
            "run" | "test" | "install" | "add" | "remove" | "x" | "task" | "fmt" | "lint" | "check"
            | "cache" | "compile" | "info" | "upgrade" | "i" | "pm" | "create" | "build" | "init"
            | "update" | "link" | "publish",
        ) => {
            // Options may stand between the verb and the file: `deno run -A FILE`.
            let at = operands.iter().skip(1).position(|word| {
                let word = word.text.known_prefix();
                !word.starts_with('-') && !word.is_empty()
            });
            let at = at.map_or(operands.len(), |at| at + 1);
            // `deno install -g -n NAME ADDRESS`: what is installed may stand behind a name for it.
            let is_address = |word: &Argument| word.text.known_prefix().contains("://");
            let at = operands.iter().position(is_address).filter(|_| installs).unwrap_or(at);
            match operands.get(at) {
                Some(file)
                    if file.text.as_known().is_some_and(|name| {
                        name.starts_with(['.', '/']) || name.contains("://")
                    }) =>
                {
                    if let Some(known) = file.text.as_known()
                        && known.contains("://")
                    {
                        let received = walk.connect(file, None, false);
                        return walk.code("javascript", &received, file.span, &[]);
                    }
                    walk.script(
                        "javascript",
                        file,
                        operands.get(at + 1..).unwrap_or(&[]),
                        invocation.input.clone(),
                    )
                }
                _ => invocation.origin(),
            }
        }
        _ => interpret(walk, invocation),
    }
}

/// `mlr put EXPRESSION`: its language runs commands by `system` and `exec`.
fn miller(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let mut printed = invocation.origin();
    for word in &invocation.arguments {
        if ["system(", "exec("].iter().any(|call| word.text.known_prefix().contains(call)) {
            walk.gap(word.span, GapReason::UnknownCode);
        }
    }
    for file in
        invocation.options().operands().filter(|word| word.text.known_prefix().contains(['.', '/']))
    {
        printed.inherit(&walk.read(file));
    }
    printed.push(Piece::Unknown("mlr".into()));
    printed
}

/// Whether what is run arrives on the input: `deno run -`.
fn names_input(operands: &[Argument]) -> bool {
    operands.iter().any(|word| matches!(word.text.as_known(), Some("-" | "/dev/stdin")))
}

const JAVA: &[&str] =
    &["-cp", "-classpath", "--class-path", "-p", "--module-path", "--add-modules", "-jar"];

/// `java -jar FILE`, `java FILE.java`: what runs is in the file. Well-known programs come as one file with their name.
fn java(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let archive = |word: &Argument| word.text.as_known() == Some("-jar");
    if let Some(at) = invocation.arguments.iter().position(archive) {
        let Some(file) = invocation.arguments.get(at + 1) else { return invocation.origin() };
        let given = invocation.arguments.get(at + 2..).unwrap_or(&[]);
        if let Some(program) = program_in(file.text.known_prefix()) {
            let mut words = vec![Argument { text: Text::known(program), span: file.span }];
            words.extend_from_slice(given);
            walk.run(&words, invocation.input.clone());
        }
        if walk.wrote(&file.text) {
            walk.script("java", file, given, invocation.input.clone());
        }
        return invocation.origin();
    }
    if let Some(file) = wrappers::command_after(invocation, 0).first()
        && file.text.known_prefix().ends_with(".java")
        && walk.wrote(&file.text)
    {
        walk.script("java", file, &[], invocation.input.clone());
    }
    invocation.origin()
}

/// The program that an archive of this name holds, where a table or a rule knows it: `bfg` in `bfg-1.14.0.jar`.
fn program_in(file: &str) -> Option<String> {
    let name = file.rsplit('/').next()?.strip_suffix(".jar")?;
    let digit = |rest: &str| rest.starts_with(|letter: char| letter.is_ascii_digit());
    let end = name.match_indices('-').find(|(at, _)| name.get(at + 1..).is_some_and(digit));
    let program = end.map_or(name, |(at, _)| name.get(..at).unwrap_or(name));
    (super::program(program).is_some() || crate::programs::notable::names(program))
        .then(|| program.to_owned())
}

const MAKE: &[&str] = &[
    "-C",
    "--directory",
    "-f",
    "--file",
    "--makefile",
    "-I",
    "-j",
    "-l",
    "-o",
    "-W",
    "-E",
    "--eval",
];

/// A makefile that this call wrote is read; one that was there before is the project's own.
fn make(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let options = invocation.options();
    let file = options.value(&["-f", "--file", "--makefile"]);
    let stdin = file.as_ref().is_some_and(|file| {
        matches!(file.text.as_known(), Some("-" | "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0"))
    });
    let words: Vec<Argument> = options.operands().cloned().collect();
    if stdin {
        if let Some(input) = &invocation.input {
            let input = input.clone();
            if input.has_unknown() {
                walk.gap(invocation.span, GapReason::UnknownCode);
            }
            escapes::made(walk, &input, Some(&words), invocation.span);
        }
    } else {
        let file =
            file.unwrap_or(Argument { text: Text::known("Makefile"), span: invocation.name.span });
        let directory = options.value(&["-C", "--directory"]);
        let directory =
            directory.unwrap_or(Argument { text: Text::known("."), span: invocation.name.span });
        walk.within(&directory, |walk| {
            if walk.wrote(&file.text) {
                let content = walk.read(&file);
                escapes::made(walk, &content, Some(&words), file.span);
            }
        });
    }
    invocation.origin()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speakers_are_sorted() {
        assert!(SPEAKERS.is_sorted_by_key(|row| row.program), "speakers");
    }
}

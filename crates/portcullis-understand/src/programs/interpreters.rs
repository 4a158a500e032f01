//! Programs that run code given to them: shells, script languages, `awk`, `make`. Owns where in their arguments the code
//! stands; what the code does is read by `understand`.

use super::{Does, Program, environment::prints_each_line, network::serve, options, wrappers};
use crate::{
    effect::Argument,
    programs::{host::Host, invocation::Invocation},
    text::{Piece, Text},
};

mod builders;
mod finders;
mod modules;
mod powershell;
mod preloaded;
mod profiled;
mod shells;
mod shown;
mod speakers;
mod substitution;

use builders::{MAKE, make, miller};
use finders::{fd, find};
use modules::{JAVA, java, python_module, subcommand_or_code};
use powershell::powershell;
use preloaded::{preloaded, unread};
use shells::shell_program;
pub(super) use shown::only_shows;
use shown::prints_value;
pub(super) use speakers::speaks;
use speakers::{SPEAKERS, Speaker, code_option, value_of};

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

const NODE: &[&str] = &[
    "-C",
    "-e",
    "-p",
    "-r",
    "--conditions",
    "--env-file",
    "--env-file-if-exists",
    "--eval",
    "--experimental-loader",
    "--import",
    "--input-type",
    "--loader",
    "--print",
    "--require",
    "--snapshot-blob",
    "--test-concurrency",
    "--test-name-pattern",
    "--test-reporter",
    "--test-reporter-destination",
    "--watch-path",
];

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
    custom("find", &[], find),
    shell("fish"),
    language("gawk", AWK),
    language("ghc", &["-e"]),
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
    language("octave", &["--eval"]),
    shell("oksh"),
    language("osascript", &["-e", "-l", "-s"]),
    language("perl", &["-e", "-E", "-I", "-M", "-m"]),
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
        && let Some(module) = options::values_of(&invocation.arguments, "-m").into_iter().next()
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
    if let Some(code) = code {
        let printed = option_code(walk, invocation, speaker, &code);
        if speaker.language == "python" && stays(&invocation.arguments) {
            typed(walk, invocation);
        }
        return printed;
    }
    let operands = wrappers::command_after(invocation, 0);
    if let Some(file) = operands.first()
        && only_parses(walk, invocation, speaker.language, operands)
    {
        let mut said = invocation.origin();
        said.inherit(&walk.read(file));
        return said;
    }
    if speaker.language == "awk"
        && let Some(file) = invocation.options().value(&["-f", "--file"])
    {
        let mut data = invocation.input.clone();
        for named in operands.iter().filter(|file| !file.text.known_prefix().contains('=')) {
            let mut content = walk.read(named);
            content.inherit(&data.unwrap_or_default());
            data = Some(content);
        }
        if matches!(file.text.as_known(), Some("-" | "/dev/stdin"))
            && let Some(input) = &invocation.input
        {
            return walk.code_with_input("awk", input, invocation.span, operands, data);
        }
        return walk.script("awk", &file, operands, data);
    }
    match operands.split_first() {
        Some((first, rest)) if speaker.operand => {
            let mut given = rest.to_vec();
            given.extend(options::values_of(&invocation.arguments, "-v"));
            let mut read = Vec::new();
            if speaker.language == "awk" {
                for file in rest.iter().filter(|file| !file.text.known_prefix().contains('=')) {
                    read.push(walk.read(file));
                }
            }
            let input = invocation.input.clone();
            let mut printed =
                walk.code_with_input(speaker.language, &first.text, first.span, &given, input);
            for content in &read {
                printed.inherit(content);
            }
            printed
        }
        Some((first, rest)) if !matches!(first.text.as_known(), Some("-" | "/dev/stdin")) => {
            walk.script_with_its_words(speaker.language, first, rest, invocation.input.clone())
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

/// Whether code is only looked through: `node --check`, `php -l`, `ruby -c`, and `perl -c` where nothing of it runs while it is read (perlmod,
/// "BEGIN, UNITCHECK, CHECK, INIT and END"). What options load runs all the same, and is looked at before.
fn only_parses(
    walk: &mut dyn Host,
    invocation: &Invocation,
    language: &str,
    operands: &[Argument],
) -> bool {
    let before = invocation.arguments.len().saturating_sub(operands.len());
    let options = invocation.arguments.get(..before).unwrap_or_default();
    let options: Vec<&str> = options.iter().map(|word| word.text.known_prefix()).collect();
    let has_letter = |letter: char, others: &str| {
        options.iter().any(|word| {
            word.strip_prefix('-').is_some_and(|letters| {
                letters.contains(letter)
                    && letters.chars().all(|it| it == letter || others.contains(it))
            })
        })
    };
    match language {
        "javascript" => {
            invocation.program == "node"
                && options.iter().any(|word| matches!(*word, "-c" | "--check"))
        }
        "php" => {
            let is_plain =
                |word: &&str| word.trim_start_matches('-').chars().all(|it| "lnqsw".contains(it));
            let checks = has_letter('l', "nq");
            options.iter().all(|word| *word == "--syntax-check" || is_plain(word))
                && (checks || options.contains(&"--syntax-check"))
        }
        "ruby" => has_letter('c', "wvW0123"),
        "perl" if has_letter('c', "wWtT") => {
            let path = operands.first().and_then(|file| walk.target(&file.text).path);
            let file = path.and_then(|path| walk.look(&path).file());
            let Some(file) = file.filter(|file| file.whole) else { return false };
            let runs = ["BEGIN", "CHECK", "INIT", "import"].iter().any(|it| file.text.contains(it));
            let loads = |line: &str| {
                let line = line.trim_start();
                let name = ["use ", "no "].iter().find_map(|word| line.strip_prefix(word));
                name.is_some_and(|name| {
                    !name.starts_with(|it: char| it.is_ascii_digit() || it == 'v')
                }) && !["use strict", "use warnings", "use utf8", "no strict", "no warnings"]
                    .iter()
                    .any(|plain| line.starts_with(plain))
            };
            !runs && !file.text.split(['\n', ';']).any(loads)
        }
        _ => false,
    }
}

/// Whether an option has Python ask for more when it is done with what it was given.
fn stays(arguments: &[Argument]) -> bool {
    arguments.iter().map_while(|word| word.text.known_prefix().strip_prefix('-')).any(|letters| {
        !letters.starts_with('-')
            && letters.split(['c', 'm']).next().is_some_and(|it| it.contains('i'))
    })
}

/// What arrives on the input is typed.
fn typed(walk: &mut dyn Host, invocation: &Invocation) {
    if let Some(input) = &invocation.input {
        let code = walk.text_of_input(input);
        walk.code("python", &code, invocation.span, &[]);
    }
}

/// Code that an option gives: `perl -e CODE file…`.
fn option_code(
    walk: &mut dyn Host,
    invocation: &Invocation,
    speaker: &Speaker,
    code: &Argument,
) -> Text {
    let operands = wrappers::command_after(invocation, 0);
    let files = || operands.iter().filter(|operand| *operand != code);
    let is_line_by_line = matches!(speaker.language, "perl" | "ruby");
    if speaker.language == "perl" {
        run_pipes(walk, invocation, code, files());
    }
    let mut read = Vec::new();
    if is_line_by_line && reads_operands(&invocation.arguments) {
        for file in files() {
            read.push((file.clone(), walk.read(file)));
        }
    }
    if is_line_by_line && edits_in_place(&invocation.arguments) {
        rewrite(walk, speaker, code, operands, &read);
    }
    let mut given: Vec<Argument> = files().cloned().collect();
    given.extend(options::values_of(&invocation.arguments, "-v"));
    unread(walk, speaker.language, code, invocation);
    if speaker.language == "javascript" && prints_value(&invocation.arguments) {
        return value_of(walk, code, &given, invocation);
    }
    let input = invocation.input.clone();
    let mut printed = walk.code_with_input(speaker.language, &code.text, code.span, &given, input);
    for (_, content) in &read {
        printed.inherit(content);
    }
    if is_line_by_line && prints_each_line(&invocation.arguments) {
        printed.push(Piece::Unknown("each line of the input".into()));
    }
    printed
}

/// perl opens what it is given the names of with `open` in its old form: a pipe in a name is a command.
fn run_pipes<'a>(
    walk: &mut dyn Host,
    invocation: &Invocation,
    code: &Argument,
    files: impl Iterator<Item = &'a Argument>,
) {
    let reads = |mark: &str| code.text.known_prefix().contains(mark);
    if !(reads_operands(&invocation.arguments) || reads("<>") || reads("<ARGV>")) {
        return;
    }
    for operand in files {
        if let Some(known) = operand.text.as_known().map(str::trim)
            && let Some(command) = known.strip_suffix('|').or_else(|| known.strip_prefix('|'))
        {
            let command = operand.text.derive([Piece::Known(command.to_owned())]);
            walk.shell(&command, operand.span, &[], None);
        }
    }
}

/// perl's and ruby's `-i` rewrites the files that are its operands.
fn rewrite(
    walk: &mut dyn Host,
    speaker: &Speaker,
    code: &Argument,
    files: &[Argument],
    read: &[(Argument, Text)],
) {
    let puts_in = code.text.as_known().and_then(substitution::puts_in);
    for file in files {
        let content = read.iter().find(|(name, _)| name == file);
        let content = content
            .and_then(|(_, content)| super::text::with_insertions(content, puts_in.as_deref()));
        let content = content.unwrap_or_else(|| Text::unknown(speaker.language));
        walk.write(file, crate::effect::WriteMode::Edit, content);
    }
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

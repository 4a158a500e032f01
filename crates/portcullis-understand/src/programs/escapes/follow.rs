//! Reading what the tables say is run: options, inputs, files handed over, and small languages inside of values.

use std::borrow::Cow;

use super::*;
use crate::bound::Bounded;
use crate::effect::WriteMode;
use crate::programs::{Word, options::values_of, started::make};

/// Reads everything that an invocation would run through an escape.
pub(crate) fn follow(walk: &mut dyn Host, invocation: &Invocation) {
    let name = invocation.program.as_str();
    hand_over(walk, invocation);
    projects::follow(walk, invocation);
    changers::follow(walk, invocation);
    mounts::follow(walk, invocation);
    if name == "git" {
        git_commands(walk, invocation);
    }
    let arguments = own_words(name, invocation);
    by_manual::follow(walk, invocation, &arguments);
    options_of(walk, name, &arguments);
    loaded::follow(walk, name, &arguments);
    settings_that_arrive(walk, invocation, &arguments);
    told::follow(walk, invocation);
    unlisted::follow(walk, invocation, &arguments);
    match name {
        "bmake" | "gmake" | "make" | "remake" => make_surroundings(walk, invocation),
        "npm" | "pnpm" | "yarn" | "npx" => npm(walk, invocation),
        "vim" | "vi" | "gvim" | "nvim" => typed(walk, invocation),
        _ => {}
    }
    written_by_option(walk, name, &arguments, invocation);
    if let Ok(at) = INPUT_ESCAPES.binary_search_by(|(program, _)| (*program).cmp(name))
        && let Some(input) = &invocation.input
        && let Some((_, marks)) = INPUT_ESCAPES.get(at)
    {
        let shows = matches!(name, "less" | "more" | "man" | "mail" | "mailx" | "vi" | "vim");
        follow_input(walk, input, marks, !shows, invocation.span);
    }
}

/// `ssh -F /dev/stdin`: the settings that an option names arrive on the standard input. A batch of sftp and what curl is told have
/// a word of their own for that, which is read where those are.
fn settings_that_arrive(walk: &mut dyn Host, invocation: &Invocation, arguments: &[Argument]) {
    let Some(input) = invocation.input.as_ref() else { return };
    let name = invocation.program.as_str();
    for row in escapes(name) {
        let How::Settings(kind) = row.how else { continue };
        if matches!(kind, Settings::Curl | Settings::Sftp) {
            continue;
        }
        for value in Options::new(arguments, invocation.values)
            .of(cards::manual(name))
            .values_of(row.options)
        {
            if matches!(value.text.as_known(), Some("/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0"))
            {
                settings::read(walk, kind, input, value.span);
            }
        }
    }
}

/// Options that name a file or a directory which the program writes beside what it is there for, and whether it adds to it,
/// sorted. What is written by rows of their own is not repeated here.
static LOGS: &[(&str, &[&str], WriteMode)] = &[
    ("aria2c", &["-l", "--log", "--save-session"], WriteMode::Append),
    ("autossh", &["-E"], WriteMode::Append),
    ("bsdtar", &["--index-file", "--listed-incremental"], WriteMode::Replace),
    ("cargo", &["--target-dir"], WriteMode::Create),
    ("chromium", &["--print-to-pdf", "--screenshot"], WriteMode::Replace),
    ("chromium-browser", &["--print-to-pdf", "--screenshot"], WriteMode::Replace),
    ("cmake", &["-B"], WriteMode::Create),
    ("coverage", &["--data-file"], WriteMode::Replace),
    ("docker", &["--output"], WriteMode::Replace),
    ("git", &["--output", "--output-directory"], WriteMode::Replace),
    ("google-chrome", &["--print-to-pdf", "--screenshot"], WriteMode::Replace),
    ("nmap", &["-oA", "-oG", "-oN", "-oX"], WriteMode::Replace),
    ("npm", &["--pack-destination"], WriteMode::Create),
    ("openssl", &["-keyout"], WriteMode::Replace),
    ("pandoc", &["-o", "--output"], WriteMode::Replace),
    ("podman", &["--output"], WriteMode::Replace),
    ("protoc", &["--cpp_out", "--go_out", "--java_out", "--python_out"], WriteMode::Create),
    (
        "pytest",
        &["--html", "--junit-xml", "--junitxml", "--report-log", "--resultlog"],
        WriteMode::Replace,
    ),
    (
        "rsync",
        &["--backup-dir", "--only-write-batch", "--partial-dir", "--temp-dir", "--write-batch"],
        WriteMode::Create,
    ),
    ("ssh", &["-E"], WriteMode::Append),
    ("terraform", &["-out", "-state-out"], WriteMode::Replace),
    ("tofu", &["-out", "-state-out"], WriteMode::Replace),
    ("xorriso", &["-outdev"], WriteMode::Replace),
];

/// Which operand of a program, behind its verbs, is the file that it writes.
#[derive(Clone, Copy, Debug)]
enum Written {
    /// The last word, where there are so many operands or more.
    Last(usize),
    /// The one at this place.
    At(usize),
}

/// Programs that write a file which is an operand of theirs, with the verbs for which that is so, sorted.
static RESULTS: &[(&str, &[&str], Written)] = &[
    ("aws", &["lambda", "invoke"], Written::Last(3)),
    ("aws", &["s3api", "get-object"], Written::Last(3)),
    ("convert", &[], Written::Last(2)),
    ("ffmpeg", &[], Written::Last(1)),
    ("git", &["bundle", "create"], Written::At(2)),
    ("lz4", &[], Written::Last(2)),
    ("magick", &[], Written::Last(2)),
    ("objcopy", &[], Written::Last(2)),
    ("qemu-img", &["create"], Written::At(1)),
    ("script", &[], Written::At(0)),
    ("sftp", &[], Written::At(1)),
    ("wkhtmltoimage", &[], Written::Last(2)),
    ("wkhtmltopdf", &[], Written::Last(2)),
];

fn written_by_option(
    walk: &mut dyn Host,
    name: &str,
    arguments: &[Argument],
    invocation: &Invocation,
) {
    if RESULTS.binary_search_by(|(program, ..)| (*program).cmp(name)).is_ok() {
        result(walk, name, arguments, invocation);
    }
    if name == "git" && arguments.iter().any(|word| known_is(word, &["archive", "format-patch"])) {
        let names = ["-o", "--output"];
        for file in names.iter().flat_map(|option| named_by(arguments, option)) {
            walk.write(&file, WriteMode::Replace, invocation.written());
        }
    }
    let row = LOGS.binary_search_by(|(program, ..)| (*program).cmp(name)).ok();
    let row = row.and_then(|at| LOGS.get(at)).map(|(_, names, mode)| (*names, *mode));
    let Some((names, mode)) = row.or_else(|| cards::card(name)?.writes) else { return };
    let mut files: Vec<Argument> =
        names.iter().flat_map(|option| named_by(arguments, option)).collect();
    // `ssh -vE FILE`
    if files.is_empty() {
        let options = Options::new(arguments, invocation.values).of(cards::manual(name));
        files = options.values_of(names).collect();
    }
    for file in files {
        // `docker buildx build --output type=docker` names no file.
        if !file.text.known_prefix().starts_with("type=") {
            walk.write(&file, mode, invocation.origin());
        }
    }
}

fn known_is(word: &Argument, names: &[&str]) -> bool {
    word.text.as_known().is_some_and(|word| names.contains(&word))
}

/// The operand that a program writes.
fn result(walk: &mut dyn Host, name: &str, arguments: &[Argument], invocation: &Invocation) {
    let operands: Vec<&Argument> = Options::new(arguments, invocation.values).operands().collect();
    let verb = |at: usize| operands.get(at).and_then(|word| word.text.as_known());
    for (_, verbs, written) in RESULTS.iter().filter(|(program, ..)| *program == name) {
        if !verbs.iter().enumerate().all(|(at, word)| verb(at) == Some(word)) {
            continue;
        }
        let file = match written {
            Written::Last(least) if operands.len() >= *least => arguments.last(),
            Written::Last(_) => None,
            Written::At(at) => operands.get(*at).copied(),
        };
        if let Some(file) = file.filter(|file| !file.text.known_prefix().starts_with('-')) {
            walk.write(file, WriteMode::Replace, invocation.written());
        }
    }
}

/// The words that an option names, joined to it or behind it, also where the program's own row does not know it.
pub(super) fn named_by(arguments: &[Argument], option: &str) -> Vec<Argument> {
    let mut found = Vec::new();
    let mut is_next = false;
    for word in arguments {
        if std::mem::take(&mut is_next) {
            found.push(word.clone());
            continue;
        }
        let known = word.text.known_prefix();
        if word.text.as_known() == Some("--") {
            break;
        }
        let Some(rest) = known.strip_prefix(option) else { continue };
        let is_short = option.len() == 2;
        if rest.is_empty() && word.text.as_known().is_some() {
            is_next = true;
        } else if rest.starts_with('=') || is_short {
            let text = word.text.beginning_with(rest.trim_start_matches('='));
            found.push(Argument { text, span: word.span });
        }
    }
    found
}

/// The words that are the program's own: what stands behind the name of another program, of a machine or of a subcommand is
/// read by that one, and tar takes its first word for letters without a dash.
fn own_words<'a>(name: &str, invocation: &'a Invocation) -> Cow<'a, [Argument]> {
    let arguments = invocation.arguments.as_slice();
    match name {
        "docker" | "podman" | "npx" => {
            let (mut first, mut before) = (None, "");
            for word in invocation.options().words() {
                match word {
                    Word::Option(given) => before = given.long_name(),
                    // The value of an option whose name is abbreviated.
                    Word::Doubtful(_) if is_begun(before, invocation.values) => before = "",
                    Word::Operand(word) | Word::Doubtful(word) => {
                        first = Some(word);
                        break;
                    }
                }
            }
            let at =
                first.and_then(|first| arguments.iter().position(|word| std::ptr::eq(word, first)));
            Cow::Borrowed(arguments.get(..at.unwrap_or(arguments.len())).unwrap_or(arguments))
        }
        "ssh" | "autossh" => {
            let (_, own) =
                crate::programs::network::shells::before_command(arguments, invocation.values);
            Cow::Borrowed(arguments.get(..own).unwrap_or(arguments))
        }
        "tar" | "bsdtar" => with_dashes(arguments, invocation.values),
        _ => Cow::Borrowed(arguments),
    }
}

/// Whether a word is the beginning of a long option that takes a value.
fn is_begun(word: &str, values: &[&str]) -> bool {
    word.len() > 2 && word.starts_with("--") && values.iter().any(|name| name.starts_with(word))
}

/// `tar cIf PROGRAM FILE` as `tar -c -I PROGRAM -f FILE`: each letter that takes a value takes the next word.
fn with_dashes<'a>(arguments: &'a [Argument], values: &[&str]) -> Cow<'a, [Argument]> {
    let Some((letters, mut rest)) = arguments.split_first() else {
        return Cow::Borrowed(arguments);
    };
    let Some(word) = letters
        .text
        .as_known()
        .filter(|word| !word.is_empty() && word.bytes().all(|letter| letter.is_ascii_alphabetic()))
    else {
        return Cow::Borrowed(arguments);
    };
    let mut words = Vec::with_capacity(arguments.len() + word.len());
    for letter in word.chars() {
        let option = format!("-{letter}");
        let takes = values.contains(&option.as_str());
        words.push(Argument { text: Text::known(&option), span: letters.span });
        if takes && let Some((value, after)) = rest.split_first() {
            words.push(value.clone());
            rest = after;
        }
    }
    words.extend_from_slice(rest);
    Cow::Owned(words)
}

/// Reads what a program would run because of its options, however they are written: bundled (`-qu v`), in one word (`-uv`,
/// `--upload-pack=v`) or abbreviated.
pub(crate) fn options_of(walk: &mut dyn Host, name: &str, arguments: &[Argument]) {
    let rows = || escapes(name);
    if rows().next().is_none() {
        return;
    }
    let listed = crate::programs::program(name).map_or(&[][..], |row| row.values);
    let listed = if listed.is_empty() {
        TAKE_VALUES
            .binary_search_by(|(program, _)| (*program).cmp(name))
            .ok()
            .and_then(|at| TAKE_VALUES.get(at))
            .map_or(listed, |(_, values)| *values)
    } else {
        listed
    };
    for option in rows().flat_map(|row| row.options.iter().map(move |option| (row, option))) {
        let (row, option) = option;
        if option.starts_with('+') || listed.is_empty() && is_short(option) {
            for value in values_of(arguments, option) {
                act(walk, row.how, &value);
            }
        }
    }
    let abbreviates = crate::programs::abbreviates(name)
        || cards::manual(name).is_some_and(|manual| manual.abbreviates);
    for given in Options::new(arguments, listed).given() {
        let is_named = rows().any(|row| row.options.contains(&given.long_name()));
        let fits = |row: &&Escape| {
            row.options.iter().any(|option| match is_short(option) {
                true => !listed.is_empty() && (!is_named || given.long_name() == *option),
                false => abbreviates || given.is_exactly(option),
            })
        };
        for row in rows().filter(fits) {
            let value = row.options.iter().find_map(|option| {
                let readable = if is_short(option) {
                    !listed.is_empty()
                } else {
                    abbreviates || given.is_exactly(option)
                };
                if !readable {
                    None
                } else if row.attached {
                    given.attached(option, WHOLE)
                } else if abbreviates {
                    given.value_in_full(option, WHOLE)
                } else {
                    given.value(option)
                }
            });
            if let Some(value) = value {
                act(walk, row.how, &value);
            }
        }
    }
}

/// Whether a table knows options of a program that are run.
pub(crate) fn has_rows(name: &str) -> bool {
    escapes(name).next().is_some()
}

/// Whether an option is one letter.
fn is_short(option: &str) -> bool {
    option.len() == 2 && option.starts_with('-')
}

/// `pnpm -c exec …` and `npm explore PACKAGE …`: words that are joined and read by a shell. What a project's npmrc says
/// counts where this call wrote it.
fn npm(walk: &mut dyn Host, invocation: &Invocation) {
    let options = invocation.options();
    let mut operands = options
        .operands()
        .skip_while(|word| !matches!(word.text.as_known(), Some("dlx" | "exec" | "explore")));
    let verb = operands.next().and_then(|word| word.text.as_known());
    let is_code = match verb {
        Some("exec" | "dlx") if invocation.program == "pnpm" => {
            options.has(&["-c", "--shell-mode"])
        }
        Some("exec") => invocation.program == "yarn",
        Some("explore") => operands.next().is_some(),
        _ => false,
    };
    if is_code {
        let mut code = Text::default();
        for word in operands {
            code.append(&word.text);
            code.push_known(" ");
        }
        if !code.is_empty() {
            walk.shell(&code, invocation.span, &[], None);
        }
    }
    // `--config.KEY=value` stands for every setting.
    for given in options.given().filter(|_| invocation.program == "pnpm") {
        if let Some(setting) = given.argument.text.known_prefix().strip_prefix("--config.") {
            let text = given.argument.text.beginning_with(&format!("--{setting}"));
            options_of(walk, "pnpm", &[Argument { text, span: given.argument.span }]);
        }
    }
    if walk.has_written() {
        settings::found(walk, Settings::Npm, &Text::known(".npmrc"), invocation.span);
    }
}

/// `vim -s FILE`: what is typed stands in a file. Beside `-e` the letter means something else.
fn typed(walk: &mut dyn Host, invocation: &Invocation) {
    let words = invocation.arguments.as_slice();
    if invocation.options().has(&["-e", "-E"]) {
        return;
    }
    if let Some(at) = words.iter().position(|word| word.text.as_known() == Some("-s"))
        && let Some(file) = words.get(at + 1)
    {
        settings::named(walk, Settings::Typed, file);
    }
    if invocation.program == "nvim" {
        // `$XDG_CONFIG_HOME/nvim/init.lua` and the runtime files are run at the start, `:help xdg`; `--clean` leaves both out.
        for name in ["XDG_CONFIG_HOME", "VIMRUNTIME", "XDG_CONFIG_DIRS"] {
            if let Some(text) = walk.variable_set(name)
                && !invocation.options().has(&["--clean", "--help", "--version", "-h", "-v"])
            {
                settings::directory(walk, &Argument { text, span: invocation.span });
            }
        }
    }
    if invocation.program == "nvim"
        && let Some(at) = words.iter().position(|word| word.text.as_known() == Some("-l"))
        && let Some(file) = words.get(at + 1)
    {
        walk.script("lua", file, &[], None);
    }
}

/// Variables by which recipes call programs, make(1) "CATALOGUE OF BUILT-IN RULES" and what makefiles call their tools. Where
/// the makefile gives them no value, or with `-e`, those of the environment count.
const TOOLS: &[&str] = &[
    "AR",
    "AS",
    "CARGO",
    "CC",
    "CPP",
    "CXX",
    "DOCKER",
    "FC",
    "GO",
    "INSTALL",
    "LD",
    "LEX",
    "MAKE",
    "NODE",
    "NPM",
    "PKG_CONFIG",
    "PYTHON",
    "RANLIB",
    "RM",
    "STRIP",
    "YACC",
];

/// Targets by which makefiles delete what they made.
const CLEANING: &[&str] = &["clean", "clobber", "distclean", "mrproper", "purge", "realclean"];

/// Variables that make is given as words, and those that it finds in the environment.
fn make_surroundings(walk: &mut dyn Host, invocation: &Invocation) {
    let options = invocation.options();
    let mut words: Vec<Argument> = options.operands().cloned().collect();
    let overrides = options.has(&["-e", "--environment-overrides"]);
    for name in TOOLS.iter().chain(overrides.then_some(&"SHELL")) {
        if let Some(value) = walk.variable_set(name) {
            let mut text = Text::known(format!("{name}="));
            text.append(&value);
            words.push(Argument { text, span: invocation.span });
        }
    }
    make_variables(walk, &words);
    let is_cleaning = |word: &&Argument| {
        word.text.as_known().is_some_and(|word| {
            CLEANING.contains(&word) || word.ends_with("-clean") || word.starts_with("clean-")
        })
    };
    if let Some(target) = words.iter().find(is_cleaning) {
        let span = target.span;
        cleaned(walk, &words, span);
    }
}

/// `make BUILD_DIR=/ clean`: what such a target deletes is what a variable names.
fn cleaned(walk: &mut dyn Host, words: &[Argument], span: Span) {
    /// Where things are installed or looked for, which no target of this kind empties.
    const ELSEWHERE: &[&str] = &["DESTDIR", "HOME", "PREFIX", "ROOT", "SYSROOT", "prefix"];
    for word in words {
        let Some((name, value)) = word.text.known_prefix().split_once('=') else { continue };
        if ELSEWHERE.contains(&name) || name.starts_with('-') {
            continue;
        }
        let text = match value {
            "$(HOME)" | "${HOME}" => Text::known("~"),
            _ => word.text.beginning_with(value),
        };
        let target = Argument { text, span: word.span };
        let place = crate::place::place_of(&walk.target(&target.text), walk.facts());
        let is_named = value.starts_with(['/', '~', '$']) || target.text.as_known().is_some();
        if is_named
            && matches!(
                place,
                crate::place::Place::Root
                    | crate::place::Place::SystemTop
                    | crate::place::Place::HomeTop
            )
        {
            walk.at_likely(|walk| walk.delete(&Argument { span, ..target }, true));
        }
    }
}

/// `NAME=value` of make: what a recipe has in the place of a program's name is run where it reads as a command.
pub(crate) fn make_variables(walk: &mut dyn Host, words: &[Argument]) {
    for word in words {
        let written = word.text.known_prefix();
        let Some((name, value)) = written.split_once('=') else { continue };
        let name = name.trim_end_matches([':', '?', '+', '!']);
        if name.is_empty() || name.starts_with('-') {
            continue;
        }
        let value =
            Argument { text: word.text.beginning_with(value.trim_start()), span: word.span };
        let known = value.text.known_prefix();
        let first = known.split_whitespace().next().unwrap_or("");
        let program = first.rsplit('/').next().unwrap_or(first);
        match name {
            "SHELL" | "MAKESHELL" if is_shell(program) && known == first => {
                settings::stands_in(walk, &value);
            }
            "SHELL" | "MAKESHELL" => settings::program(walk, &value),
            ".SHELLFLAGS" => {
                let mut code = Text::known("sh ");
                code.append(&value.text);
                walk.at_likely(|walk| walk.shell(&code, value.span, &[], None));
            }
            _ if known.contains("$(shell ") => makefile(walk, &word.text, word.span),
            _ if (known.contains([' ', ';', '|', '&', '`']) || known.contains("$("))
                && (crate::programs::program(program).is_some() || is_shell(program)) =>
            {
                walk.at_likely(|walk| walk.shell(&value.text, value.span, &[], None));
            }
            // Wherever it stands in a recipe, what is behind a separator is a command of its own.
            _ if known.contains([';', '|', '&', '`', '\n']) => {
                let mut code = Text::known(": ");
                code.append(&value.text);
                walk.at_likely(|walk| walk.shell(&code, value.span, &[], None));
            }
            _ => {}
        }
    }
}

/// The words of a variable that holds options: apart by blanks, but for what is quoted or in parentheses.
pub(crate) fn words_of(value: &Text, span: Span) -> Vec<Argument> {
    let mut words = Vec::new();
    let (mut word, mut quote, mut open) = (String::new(), None, 0_usize);
    let mut letters = value.known_prefix().chars();
    while let Some(letter) = letters.next() {
        match (quote, letter) {
            (None, '\\') => match letters.next() {
                Some(next) if open > 0 && !next.is_whitespace() => word.extend(['\\', next]),
                next => word.extend(next),
            },
            (Some(mark), _) if mark == letter => quote = None,
            (Some('"'), '\\') => match letters.next() {
                Some(next @ ('"' | '\\')) => word.push(next),
                next => {
                    word.push('\\');
                    word.extend(next);
                }
            },
            (None, '"' | '\'') if open == 0 => quote = Some(letter),
            (None, letter) if letter.is_whitespace() && open == 0 => {
                if !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                }
            }
            (_, letter) => {
                match letter {
                    '(' => open += 1,
                    ')' => open = open.saturating_sub(1),
                    _ => {}
                }
                word.push(letter);
            }
        }
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
        .into_iter()
        .map(|word| Argument { text: value.derive([Piece::Known(word)]), span })
        .collect()
}

/// A file that this call wrote and made executable is there to be run: a program that is handed its name may do so.
fn hand_over(walk: &mut dyn Host, invocation: &Invocation) {
    // What stands behind a wrapper was handed to the program that it runs.
    if !walk.has_executables()
        || wrappers::is_wrapper(&invocation.program)
        || matches!(
            invocation.program.as_str(),
            "chmod"
                | "chown"
                | "cat"
                | "cp"
                | "file"
                | "ginstall"
                | "git"
                | "head"
                | "install"
                | "ls"
                | "mv"
                | "rm"
                | "stat"
                | "test"
                | "["
        )
    {
        return;
    }
    let environment = invocation
        .environment
        .iter()
        .map(|(_, value)| Argument { text: value.clone(), span: invocation.span });
    for argument in
        invocation.arguments.iter().cloned().chain(environment).at_most(64, walk, invocation.span)
    {
        let shown = argument.text.display();
        for part in shown.split(['=', ':', ',']) {
            if part.contains('/') {
                walk.handed(&Argument { text: Text::known(part), span: argument.span });
            }
        }
    }
}

fn follow_input(walk: &mut dyn Host, input: &Text, marks: &[&str], takes_orders: bool, span: Span) {
    let Some(known) = input.as_known() else {
        // A client or debugger that is told what to do by somebody else.
        if input.taint.has(Taint::NETWORK) && takes_orders {
            walk.gap(span, GapReason::UnknownCode);
        }
        return;
    };
    for line in known.lines().at_most(64, walk, span) {
        for mark in marks {
            if let Some(code) = line.trim_start().strip_prefix(mark) {
                let code = input.derive([Piece::Known(code.to_owned())]);
                walk.at_likely(|walk| walk.shell(&code, span, &[], None));
                break;
            }
        }
    }
}

pub(super) fn act(walk: &mut dyn Host, how: How, value: &Argument) {
    // Without the mark it is a file and no command: `psql -o /tmp/rows.csv`.
    if matches!(how, How::ShellAfter(mark) if after(&value.text, mark).is_none()) {
        return;
    }
    if !matches!(how, How::Code(_) | How::Vim | How::Directory | How::Settings(_))
        && !matches!(how, How::Loaded)
        && names_temporary(&value.text)
    {
        walk.note("execution.temporary.escape", value.span);
    }
    match how {
        How::Shell => {
            walk.shell(&value.text, value.span, &[], None);
        }
        How::ShellAfter(prefix) => {
            if let Some(code) = after(&value.text, prefix) {
                // A command behind a pipe gets what the program writes.
                let written = (prefix == "|").then(|| Text {
                    taint: Taint::PRIVATE,
                    ..Text::unknown("what the program writes")
                });
                walk.shell(&code, value.span, &[], written);
            }
        }
        How::ShellSetting(keys) => {
            if let Some((key, code)) = setting(&value.text)
                && keys.iter().any(|known| {
                    key.eq_ignore_ascii_case(known)
                        || ["::", "."].iter().any(|mark| {
                            key.to_ascii_lowercase()
                                .ends_with(&format!("{mark}{}", known.to_ascii_lowercase()))
                        })
                })
            {
                if names_temporary(&code) {
                    walk.note("execution.temporary.escape", value.span);
                }
                walk.shell(&code, value.span, &[], None);
            }
        }
        How::Code(language) => {
            embedded(walk, language, value);
        }
        How::Commands(language) => {
            walk.script(language, value, &[], None);
        }
        How::Settings(kind) => settings::named(walk, kind, value),
        How::Directory => settings::directory(walk, value),
        How::Library => settings::library(walk, value),
        How::Loaded => by_manual::loaded(walk, value),
        How::Program => settings::program(walk, value),
        How::Ssh => settings::ssh(walk, value),
        How::Vim => vim::command(walk, &value.text, value.span),
        How::Script => {
            let name = value.text.known_prefix().rsplit('/').next().unwrap_or("");
            if is_shell(name) {
                walk.note("execution.shell.escape", value.span);
            } else {
                walk.script("shell", value, &[], None);
            }
        }
    }
}

/// Whether the program that a command names, or the script that its interpreter is given, lies among temporary files.
pub(crate) fn names_temporary(command: &Text) -> bool {
    /// How many words of a command are looked at: interpreters within each other, their options, the script.
    const WORDS: usize = 16;
    let marks = ['|', '!', '-', ' '];
    let mut words = command.known_prefix().trim_start_matches(marks).split_whitespace();
    let first = words.next().unwrap_or("");
    let program = first.rsplit('=').next().unwrap_or(first);
    let is_interpreter = |word: &str| {
        let name = word.rsplit('/').next().unwrap_or(word);
        matches!(name, "." | "source")
            || is_shell(name)
            || crate::programs::interpreters::speaks(name)
    };
    // `sh -c "sh /tmp/x"`: what is run within is a script too.
    let mut within = words
        .leading(WORDS)
        .map(|word| word.trim_matches(['"', '\'']))
        .skip_while(|word| word.starts_with('-') || is_interpreter(word));
    is_temporary(program) || is_interpreter(program) && within.next().is_some_and(is_temporary)
}

/// Whether a path lies where everybody may put something.
pub fn is_temporary(path: &str) -> bool {
    ["/tmp/", "/var/tmp/", "/dev/shm/"].iter().any(|start| path.starts_with(start))
}

/// Small command languages of programs: what in them is a shell command.
pub(super) fn embedded(walk: &mut dyn Host, language: &'static str, value: &Argument) {
    let commands: &[&str] = match language {
        "gdb" => &["!", "shell ", "pipe "],
        "lldb" => {
            if let Some(code) = after(&value.text, "script ") {
                walk.code("python", &code, value.span, &[]);
                return;
            }
            &["platform shell -h -- ", "platform shell --host -- ", "platform shell ", "shell "]
        }
        "jest" => {
            let loads =
                ["globalSetup", "globalTeardown", "setupFiles", "testEnvironment", "transform"];
            let known = value.text.known_prefix();
            if known.starts_with('{') && loads.iter().any(|word| known.contains(word)) {
                walk.note("package.build.exec", value.span);
            }
            return;
        }
        "rpm" => {
            if let Some(code) = value.text.as_known().and_then(|known| known.split_once("%(")) {
                let code = code.1.rsplit_once(')').map_or(code.1, |it| it.0).to_owned();
                if names_temporary(&Text::known(code.as_str())) {
                    walk.note("execution.temporary.escape", value.span);
                }
                walk.shell(&value.text.derive([Piece::Known(code)]), value.span, &[], None);
            } else if value.text.known_prefix().contains("%{lua:") {
                walk.code("lua", &value.text, value.span, &[]);
            }
            return;
        }
        "node-options" => {
            let loads = ["--experimental-loader", "--import", "--loader", "--require", "-r"];
            let mut words = value.text.known_prefix().split([' ', '=']);
            if words.any(|word| loads.contains(&word)) {
                walk.note("package.build.exec", value.span);
            }
            return;
        }
        "make" => return makefile(walk, &value.text, value.span),
        "elisp" | "tex" => {
            if language == "elisp" {
                quoted_files(walk, value);
            }
            return quoted_commands(walk, value);
        }
        other => {
            walk.code(other, &value.text, value.span, &[]);
            return;
        }
    };
    for prefix in commands {
        if let Some(code) = after(&value.text, prefix) {
            walk.shell(&code, value.span, &[], None);
            return;
        }
    }
    if language == "gdb" && value.text.known_prefix().starts_with("source ") {
        walk.code(language, &value.text, value.span, &[]);
    }
    if let Some(known) = value.text.as_known()
        && (known.contains("system(") || known.contains("execute("))
    {
        quoted_commands(walk, value);
    }
}

/// A makefile: the lines that make hands to a shell, whatever the goal is.
pub(crate) fn makefile(walk: &mut dyn Host, text: &Text, span: Span) {
    made(walk, text, None, span);
}

/// A makefile, and the words of the command that make's goals and variables are among.
pub(crate) fn made(walk: &mut dyn Host, text: &Text, words: Option<&[Argument]>, span: Span) {
    let Some(known) = text.as_known() else {
        if text.taint.has(Taint::NETWORK) || text.taint.has(Taint::DECODED) {
            walk.gap(span, GapReason::UnknownCode);
        }
        return;
    };
    let words: Option<Vec<&str>> =
        words.and_then(|words| words.iter().map(|word| word.text.as_known()).collect());
    let (given, goals): (Vec<&str>, Vec<&str>) =
        words.iter().flatten().copied().partition(|word| word.contains('='));
    let given: Vec<(&str, &str)> = given.iter().filter_map(|word| word.split_once('=')).collect();
    // Which goal is meant is not known where a word is not.
    let goals = words.is_some().then_some(goals.as_slice());
    for command in make::commands(known, &given, goals, walk, span) {
        let code = text.derive([Piece::Known(command)]);
        walk.shell(&code, span, &[], None);
    }
}

/// Calls such as `(shell-command "…")` and `\write18{…}`: what is quoted in them.
fn quoted_commands(walk: &mut dyn Host, value: &Argument) {
    let Some(known) = value.text.as_known() else { return };
    for (call, close) in [
        ("(shell-command \"", '"'),
        ("(async-shell-command \"", '"'),
        ("(shell-command-to-string \"", '"'),
        ("(term \"", '"'),
        ("(ansi-term \"", '"'),
        ("(call-process \"", '"'),
        ("(start-process \"", '"'),
        ("write18{", '}'),
        ("|\"", '"'),
        ("system(\"", '"'),
        ("system('", '\''),
        ("execute(\"", '"'),
    ] {
        if let Some((_, rest)) = known.split_once(call) {
            let command = rest.split(close).next().unwrap_or(rest);
            let code = value.text.derive([Piece::Known(command.to_owned())]);
            walk.shell(&code, value.span, &[], None);
        }
    }
}

/// `(delete-directory "…" t)` and its kin in Emacs Lisp.
fn quoted_files(walk: &mut dyn Host, value: &Argument) {
    let Some(known) = value.text.as_known() else { return };
    for (call, recursive) in [("(delete-directory \"", true), ("(delete-file \"", false)] {
        if let Some((_, rest)) = known.split_once(call) {
            let file = rest.split('"').next().unwrap_or(rest);
            let text = value.text.derive([Piece::Known(file.to_owned())]);
            walk.delete(&Argument { text, span: value.span }, recursive);
        }
    }
}

pub(super) fn after(text: &Text, prefix: &str) -> Option<Text> {
    let rest = text.known_prefix().trim_start().strip_prefix(prefix)?;
    Some(text.beginning_with(rest))
}

/// `key=value` or `key value`.
pub(super) fn setting(text: &Text) -> Option<(String, Text)> {
    let known = text.known_prefix().trim_start();
    let known = known.strip_prefix("set ").unwrap_or(known);
    let at = known.find(['=', ' '])?;
    let (key, rest) = known.split_at(at);
    let rest = rest.get(1..).unwrap_or("").trim_start_matches([' ', '"', '{']);
    let value = text.beginning_with(rest);
    Some((key.to_owned(), value))
}

#[cfg(test)]
pub(super) fn writes(name: &str) -> bool {
    LOGS.iter().any(|(program, ..)| *program == name)
}

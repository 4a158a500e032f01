//! Reading what the tables say is run: options, inputs, files handed over, and small languages inside of values.

use portcullis_syntax::Span;

use super::{
    Options,
    act::act,
    by_manual, cards, debugger,
    git::git_commands,
    loaded,
    make::make_surroundings,
    settings::{self, Settings},
    table::{Escape, How, INPUT_ESCAPES, TAKE_VALUES, WHOLE, escapes},
    told, unlisted, variables, vim,
    words::{is_short, own_words},
    wrappers,
    writes::written_by_option,
};
use crate::{
    bound::Bounded,
    effect::{Argument, GapReason},
    programs::{host::Host, invocation::Invocation, options::values_of},
    text::{Piece, Taint, Text},
};

/// How many files of one command are looked at.
const FILES: usize = 64;

/// Reads everything that an invocation would run through an escape.
pub(crate) fn follow(walk: &mut dyn Host, invocation: &Invocation) {
    let name = invocation.program.as_str();
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
        "bmake" | "make" | "remake" => make_surroundings(walk, invocation),
        "npm" | "pnpm" | "yarn" | "npx" => npm(walk, invocation),
        "nvim" | "vim" => {
            vim::says_more(walk, invocation);
            typed(walk, invocation);
        }
        "ex" => {
            vim::says_more(walk, invocation);
            told_on_input(walk, invocation);
        }
        "gdb" => debugger::follow(walk, invocation),
        "java" => variables::java_files(walk, &arguments),
        "dc" => calculated(walk, invocation),
        "cargo" => handed_on(walk, invocation),
        "rg" => before_search(walk, invocation),
        // What is no name there is told, line by line.
        "du" | "sort" | "wc" => {
            for list in values_of(&arguments, "--files0-from") {
                if list.text.as_known() != Some("-") {
                    walk.read(&list);
                }
            }
        }
        _ => {}
    }
    written_by_option(walk, name, &arguments, invocation);
    if let Ok(at) = INPUT_ESCAPES.binary_search_by(|(program, _)| (*program).cmp(name))
        && let Some(input) = &invocation.input
        && let Some((_, marks)) = INPUT_ESCAPES.get(at)
    {
        let shows = matches!(name, "less" | "more" | "man" | "mail" | "mailx" | "nvim" | "vim");
        follow_input(walk, input, marks, !shows, invocation.span);
        told_by_file(walk, input, marks, invocation.span);
    }
}

/// `cargo msrv find -- COMMAND`: subcommands that others wrote run what stands behind `--`, where that is a program.
fn handed_on(walk: &mut dyn Host, invocation: &Invocation) {
    let words = invocation.arguments.as_slice();
    let Some(at) = words.iter().position(|word| word.text.as_known() == Some("--")) else { return };
    let command = words.get(at + 1..).unwrap_or_default();
    let is_own = words
        .iter()
        .find(|word| !word.text.known_prefix().starts_with(['-', '+']))
        .and_then(|verb| verb.text.as_known())
        .is_none_or(|verb| invocation.manual.is_some_and(|manual| manual.has_verb(verb)));
    let is_program = command
        .first()
        .and_then(|name| name.text.as_known())
        .is_some_and(|name| crate::programs::program(name).is_some());
    if !is_own && is_program {
        walk.at_likely(|walk| walk.run(command, None));
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

/// `pnpm -c exec …` and `npm explore PACKAGE …`: words that are joined and read by a shell. What a project's npmrc says
/// counts where this call wrote it.
fn npm(walk: &mut dyn Host, invocation: &Invocation) {
    let options = invocation.options();
    let mut operands = options
        .operands()
        .skip_while(|word| !matches!(word.text.as_known(), Some("dlx" | "exec" | "explore")));
    let verb = operands.next().and_then(|word| word.text.as_known());
    let mut package = None;
    let is_code = match verb {
        Some("exec" | "dlx") if invocation.program == "pnpm" => {
            options.has(&["-c", "--shell-mode"])
        }
        Some("exec") => invocation.program == "yarn",
        Some("explore") => {
            package = operands.next().map(|word| word.text.display());
            package.is_some()
        }
        _ => false,
    };
    if is_code {
        let mut code = Text::default();
        for word in operands {
            code.append(&word.text);
            code.push_known(" ");
        }
        let there = package.map(|name| Argument {
            text: Text::known(format!("node_modules/{name}")),
            span: invocation.span,
        });
        match there {
            _ if code.is_empty() => {}
            // docs.npmjs.com, "npm explore": in the directory of the package.
            Some(there) => {
                walk.within(&there, |walk| walk.shell(&code, invocation.span, &[], None));
            }
            None => {
                walk.shell(&code, invocation.span, &[], None);
            }
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

/// `rg --pre COMMAND PATTERN PATH…`: the command gets every file, and what it prints is searched.
fn before_search(walk: &mut dyn Host, invocation: &Invocation) {
    let options = invocation.options();
    let Some(command) = options.value(&["--pre"]).filter(|it| !it.text.is_empty()) else { return };
    let patterns = usize::from(!options.has(&["-e", "--regexp", "-f", "--file", "--files"]));
    let mut words = vec![command];
    words.extend(options.operands().skip(patterns).cloned());
    walk.at_likely(|walk| walk.run(&words, None));
}

/// `vim -s FILE`: what is typed stands in a file. Beside `-e` the letter means something else.
fn typed(walk: &mut dyn Host, invocation: &Invocation) {
    let words = invocation.arguments.as_slice();
    if invocation.options().has(&["-e", "-E"]) {
        return told_on_input(walk, invocation);
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

/// `ex -s FILE < COMMANDS`, `vim -es`: the commands stand on the input.
fn told_on_input(walk: &mut dyn Host, invocation: &Invocation) {
    let Some(input) = &invocation.input else { return };
    let text = walk.text_of_input(input);
    if text.as_known().is_some() {
        settings::read(walk, Settings::Vim, &text, invocation.span);
    }
}

/// `dc FILE`, `dc -f FILE`: a line behind `!` goes to a shell, as on the input.
fn calculated(walk: &mut dyn Host, invocation: &Invocation) {
    let options = Options::new(&invocation.arguments, &["-e", "--expression"]);
    let files: Vec<Argument> = options.operands().cloned().collect();
    for file in files.iter().at_most(FILES, walk, invocation.span) {
        let held = walk.read(file);
        told_by_file(walk, &held, &["!"], file.span);
        follow_input(walk, &held, &["!"], false, file.span);
    }
}

/// A file that this call wrote and made executable is there to be run: a program that is handed its name may do so.
pub(in crate::programs) fn hand_over(walk: &mut dyn Host, invocation: &Invocation) {
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

/// `ed < FILE`: what the program is told stands in a file of this machine.
fn told_by_file(walk: &mut dyn Host, input: &Text, marks: &[&str], span: Span) {
    if input.as_known().is_some() {
        return;
    }
    let file = walk.copied_file(input).and_then(|path| walk.look(&path).file());
    let Some(file) = file else { return };
    walk.in_file(&file, "settings", span, |walk| {
        let mut at = 0;
        for raw in file.text.split_inclusive('\n') {
            let place = Span::new(at, at + raw.trim_end().len());
            at += raw.len();
            let line = raw.trim();
            if let Some(code) = marks.iter().find_map(|mark| line.strip_prefix(mark)) {
                walk.at_likely(|walk| walk.shell(&Text::known(code), place, &[], None));
            }
        }
    });
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

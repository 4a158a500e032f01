//! Programs that are run: what a name turns out to be, and what its row then does. Owns the search for aliases, functions, builtins, scripts
//! and table rows, and the `Run` effect.

use std::ops::ControlFlow;

use portcullis_syntax::Span;

use super::{descriptor, listings, walk::Walk};
use crate::{
    bound::Bounded,
    effect::{Argument, Arguments, Certainty, EffectId, EffectKind, GapReason, Run},
    place::{self, Place},
    programs::{
        self, Does, Filter, Program, changers, escapes,
        invocation::{Invocation, gives_names},
    },
    text::{Piece, Taint, Text},
};

/// A command whose name is known.
#[derive(Clone)]
struct Command {
    /// The name as it is known.
    known: String,
    /// The name as it is written.
    name: Argument,
    arguments: Vec<Argument>,
    input: Option<Text>,
    /// Variables given to this command alone.
    environment: Vec<(String, Text)>,
    /// From the name to the last argument.
    span: Span,
}

impl Walk<'_> {
    /// Runs a program that is already made of arguments.
    pub(super) fn run_words(
        &mut self,
        mut words: Vec<Argument>,
        input: Option<Text>,
        environment: Vec<(String, Text)>,
    ) -> Text {
        if words.is_empty() {
            return Text::default();
        }
        let name = words.remove(0);
        let arguments = words;
        let span = arguments.iter().fold(name.span, |span, argument| span.to(argument.span));
        let Some(known) =
            name.text.as_known().map(str::to_owned).or_else(|| self.of_own(&name.text))
        else {
            for path in self.matching(&name.text, name.span).unwrap_or_default() {
                self.at_most(Certainty::Likely, |walk| {
                    walk.run_by_path(&path, &name, &arguments, input.clone())
                });
            }
            return self.unknown_program(name, arguments, input, span);
        };
        let is_program = self.running.take_expected();
        let command = Command { known, name, arguments, input, environment, span };
        if let Some(stands_for) = self.alias_of(&command.known) {
            return self.run_aliased(command, &stands_for, is_program);
        }
        let found = if command.known.contains('/') {
            self.run_own_file(command)
        } else {
            self.run_own_name(command, is_program)
        };
        match found {
            ControlFlow::Break(printed) => printed,
            ControlFlow::Continue(command) => self.run_program(command),
        }
    }

    /// An alias counts in a shell that a person types into, or that was asked to, and only in what that shell reads after the whole command
    /// that made it, and where no part of the name is quoted: the program itself may run as well.
    fn run_aliased(&mut self, command: Command, stands_for: &Text, is_program: bool) -> Text {
        let outer = self.lower(Certainty::Likely);
        let Command { known, name, arguments, input, .. } = &command;
        self.aliased(known, stands_for, arguments, input.clone(), name.span);
        self.calls.enter_alias(known);
        self.running.expect_program(is_program);
        let printed = self.perhaps(|walk| walk.run_as(None, command));
        self.calls.leave_alias();
        self.restore(outer);
        self.control.succeeded = None;
        printed
    }

    /// Runs a command, by another name where one is given.
    fn run_as(&mut self, other: Option<String>, command: Command) -> Text {
        let Command { mut name, arguments, input, environment, .. } = command;
        if let Some(other) = other {
            name.text = name.text.derive([Piece::Known(other)]);
        }
        let mut words = vec![name];
        words.extend(arguments);
        self.run_words(words, input, environment)
    }

    /// A name without a directory that is a function, or a file where this call has names looked for; gives the command back where it is
    /// none of these.
    fn run_own_name(&mut self, command: Command, is_program: bool) -> ControlFlow<Text, Command> {
        if !is_program && let Some(ways) = self.state.function(&command.known) {
            let Command { known, name, arguments, input, environment, .. } = command;
            return ControlFlow::Break(match ways.as_slice() {
                [only] if !only.doubtful && !self.is_elsewhere(only) => {
                    self.call(&known, only, &name, arguments, input)
                }
                _ => self.call_one_of(&known, &ways, name, arguments, input, environment),
            });
        }
        if let Some(path) = self.on_own_path(&command.known)
            && self.enter_level(command.span)
        {
            let printed = self.run_as(Some(path), command);
            self.leave_level();
            return ControlFlow::Break(printed);
        }
        ControlFlow::Continue(command)
    }

    /// A path that this call, or one before it, put something at; gives the command back where it is none.
    fn run_own_file(&mut self, command: Command) -> ControlFlow<Text, Command> {
        let path = self.target(&command.name.text).path;
        if let Some(path) = &path
            && let Some(program) = self.state.linked(path).map(str::to_owned)
            && self.enter_level(command.span)
        {
            let printed = self.run_as(Some(program), command);
            self.leave_level();
            return ControlFlow::Break(printed);
        }
        // A descriptor runs as the file that it was opened on.
        if let Some(path) = &path
            && descriptor::of(&command.known).is_some()
            && descriptor::of(path).is_none()
            && self.enter_level(command.span)
        {
            let printed = self.run_as(Some(path.clone()), command);
            self.leave_level();
            return ControlFlow::Break(printed);
        }
        if command.known.starts_with("/proc/") && command.known.ends_with("/exe") {
            // The shell itself.
            let name = Argument { text: Text::known("bash"), span: command.name.span };
            return ControlFlow::Break(self.run_as(None, Command { name, ..command }));
        }
        let is_own = path.as_deref().is_some_and(|path| {
            self.state.file(path).is_some() || self.facts.session.left(path).is_some()
        });
        if !is_own && !self.is_brought(path.as_deref()) {
            return ControlFlow::Continue(command);
        }
        let given = command.arguments.clone().into();
        self.announce(&base(&command.known), &command.name, &given, false, command.input.as_ref());
        if is_own
            && let Some(program) = path.as_deref().and_then(|path| self.copied_from(path))
            && self.enter_level(command.span)
        {
            self.run_as(Some(program), command.clone());
            self.leave_level();
        }
        ControlFlow::Break(self.script("shell", &command.name, &command.arguments, command.input))
    }

    /// A program of the system or of a project, by its row.
    fn run_program(&mut self, command: Command) -> Text {
        let Command { known, name, arguments, input, environment, span } = command;
        let basename = programs::known_as(&base(&known)).to_owned();
        let mut script = None;
        if known.contains('/')
            && let Some(path) = self.target(&name.text).path
            && is_of_projects(&path)
        {
            script = self.run_by_path(&path, &name, &arguments, input.clone());
        }
        let row =
            programs::program(&basename).or_else(|| programs::program(unversioned(&basename)));
        let (row, own) = match row {
            Some(row) if self.is_namesake(row, &known, &name) => (None, Some(known.clone())),
            row => (row, None),
        };
        let program = own.unwrap_or_else(|| row.map_or(basename, |row| row.name.to_owned()));
        let mut invocation = Invocation {
            values: row.map_or(&[], |row| row.values),
            manual: programs::cards::manual(&program),
            program,
            name,
            arguments: arguments.into(),
            input,
            environment,
            span,
            announced: None,
        };
        let built_in = self.is_builtin(&invocation.program);
        self.control.succeeded = None;
        if row.is_none() && !built_in && !known.contains('/') {
            self.run_not_found(&invocation);
        }
        self.names_in(&invocation.program, &invocation.arguments);
        self.lay_input(&invocation);
        let id = self.announce(
            &invocation.program,
            &invocation.name,
            &invocation.arguments,
            row.is_some() || built_in,
            invocation.input.as_ref(),
        );
        invocation.announced = Some(id);
        if let Some(printed) = self.printf_into(&invocation, row) {
            return printed;
        }
        let mut printed = self.invoke(&invocation, row, built_in);
        printed.append(&self.streams.take_by_name());
        if let Some(script) = script {
            printed.append(&script);
        }
        if printed.as_known().is_none() || printed.taint != Taint::NONE {
            printed.sources.push(id);
        }
        printed
    }

    /// `cmake -P /dev/stdin`: what the program gets stands in a file, where one of its words names that.
    fn lay_input(&mut self, invocation: &Invocation) {
        const NAMES: &[&str] = &["/dev/fd/0", "/dev/stdin", "/proc/self/fd/0"];
        let Some(input) = invocation.input.as_ref().filter(|input| !input.is_empty()) else {
            return;
        };
        let words = || invocation.arguments.iter().filter_map(|word| word.text.as_known());
        for name in NAMES.iter().filter(|name| words().any(|word| word.ends_with(**name))) {
            self.state.write_file(name, input.clone(), false, true);
        }
    }

    /// What lies in the project under an everyday word is the project's own, and not the program that runs others: `./bin/watch`, `./at`.
    fn is_namesake(&self, row: &Program, known: &str, name: &Argument) -> bool {
        const TOOLS: &[&str] = &["/.bin/", "/.venv/", "/node_modules/", "/vendor/", "/venv/"];
        known.contains('/')
            && matches!(row.name, "at" | "batch" | "script" | "time" | "watch")
            && self.target(&name.text).path.as_deref().is_some_and(|path| {
                place::place(path, self.facts) == Place::Workspace
                    && !TOOLS.iter().any(|part| path.contains(part))
            })
    }

    /// Nobody knows a program of this name: the shell calls a function, where there is one for that.
    fn run_not_found(&mut self, invocation: &Invocation) {
        if self.calls.of_function(NOT_FOUND) == 0
            && let Some(function) =
                self.state.function(NOT_FOUND).and_then(|ways| ways.into_iter().next_back())
        {
            let mut words = vec![invocation.name.clone()];
            words.extend(invocation.arguments.iter().cloned());
            let input = invocation.input.clone();
            self.at_likely(|walk| walk.call(NOT_FOUND, &function, &invocation.name, words, input));
        }
    }

    /// Does what a program does that was announced; gives what it prints.
    fn invoke(
        &mut self,
        invocation: &Invocation,
        row: Option<&'static Program>,
        built_in: bool,
    ) -> Text {
        self.running.begin(&invocation.program, invocation.announced);
        let since = self.recorder.effects.list.len();
        let mut printed = match row {
            _ if built_in => self.builtin(invocation),
            Some(_) if asks_about_itself(&invocation.arguments) => invocation.origin(),
            Some(row) => self.does(row.does, invocation),
            None => {
                self.handed_on(invocation);
                changers::unfamiliar(self, invocation);
                invocation.origin()
            }
        };
        if !built_in {
            self.control.succeeded = match invocation.program.as_str() {
                "echo" => Some(true),
                "test" => self.tested(&invocation.arguments),
                "[" => match invocation.arguments.split_last() {
                    Some((last, rest)) if last.text.as_known() == Some("]") => self.tested(rest),
                    _ => None,
                },
                _ => None,
            };
        }
        programs::following::follow(self, invocation);
        if !built_in {
            self.account_for_own(invocation, row, since);
        }
        if programs::environment::printed_by(invocation) {
            printed.taint = printed.taint.with(Taint::SECRET);
            printed.push(Piece::Unknown("the environment".into()));
        }
        self.running.end(invocation.announced.is_some());
        printed
    }

    /// A program that no table knows may run what its arguments spell: a command behind `--`, code behind `-c`, or the
    /// name of a program that loses or runs things.
    fn handed_on(&mut self, invocation: &Invocation) {
        // What the table of options knows is read by it.
        if escapes::has_rows(&invocation.program) {
            return;
        }
        let arguments = invocation.arguments.as_slice();
        let known = |argument: &Argument| argument.text.as_known().map(str::to_owned);
        let is_program = |word: &str| programs::program(word).is_some();
        for (index, argument) in arguments.iter().enumerate().at_most(HANDED, self, invocation.span)
        {
            let Some(word) = known(argument) else { continue };
            let rest = arguments.get(index + 1..).unwrap_or(&[]);
            let Some(next) = rest.first() else {
                continue;
            };
            if matches!(word.as_str(), "-c" | "--command" | "--run" | "--exec") {
                let first = next.text.known_prefix().split_whitespace().next().unwrap_or("");
                if next.text.known_prefix().contains(' ') && is_program(first) {
                    self.at_likely(|walk| walk.shell(&next.text, next.span, &[], None));
                    return;
                }
            }
            let command = match word.as_str() {
                "--" if is_program(next.text.known_prefix()) => rest,
                word if RUN_OR_LOSE.contains(&base(word).as_str()) => {
                    arguments.get(index..).unwrap_or(&[])
                }
                _ => continue,
            };
            self.at_likely(|walk| walk.run(command, invocation.input.clone()));
            return;
        }
    }

    fn does(&mut self, does: Does, invocation: &Invocation) -> Text {
        match does {
            Does::Reports | Does::Operates => {
                self.listed(invocation).unwrap_or_else(|| invocation.origin())
            }
            Does::Reads => {
                let operands: Vec<Argument> = invocation.options().operands().cloned().collect();
                self.read_all(&operands, invocation)
            }
            Does::Searches => {
                let options = invocation.options();
                let given = options.has(&["-e", "--regexp", "-f", "--file", "--expression"]);
                let operands: Vec<Argument> =
                    options.operands().skip(usize::from(!given)).cloned().collect();
                let mut printed = self.read_all(&operands, invocation);
                // `rg --files` looks for nothing in them.
                let all: Vec<Argument> = options.operands().cloned().collect();
                let searched = if options.has(&["--files"]) { &all } else { &operands };
                if options.has(listings::FILES_ONLY)
                    && let Some(names) = self.listed_below(searched, &listings::chosen(&options))
                {
                    printed.pieces = names.pieces;
                }
                if operands.is_empty()
                    && matches!(invocation.program.as_str(), "grep" | "egrep" | "fgrep")
                    && let Some(input) = invocation.input.as_ref().and_then(Text::as_known)
                    && let Some(lines) =
                        programs::chosen_lines(&invocation.program, &invocation.arguments, input)
                {
                    printed = printed.derive([]);
                    printed.push_known(&lines);
                }
                // Some of the names that a pattern gives.
                if operands.is_empty()
                    && !options.has(&["-c", "-o", "-q", "-l", "-L", "-n", "-H", "--count"])
                    && let Some(input) =
                        invocation.input.as_ref().filter(|input| gives_names(input))
                {
                    printed.pieces.clone_from(&input.pieces);
                }
                printed
            }
            Does::Filters(print) => {
                let filter =
                    Filter { arguments: &invocation.arguments, input: invocation.input.as_ref() };
                print(&filter).unwrap_or_else(|| {
                    let mut printed = invocation.origin();
                    // In another order it is still the same.
                    let operands = invocation.options().operands().count();
                    let program = invocation.program.as_str();
                    if matches!(program, "shuf" | "sort" | "tac" | "uniq")
                        && operands == 0
                        && let Some(input) = &invocation.input
                    {
                        printed.pieces.clone_from(&input.pieces);
                    }
                    // The names of a list stay names without their sizes.
                    if let Some(input) =
                        invocation.input.as_ref().filter(|input| gives_names(input))
                        && listings::keeps_names(program, &invocation.arguments)
                    {
                        printed.pieces.clone_from(&input.pieces);
                    }
                    printed
                })
            }
            Does::Custom(act) => act(self, invocation),
        }
    }

    /// The names that a program lists, where it lists all of a kind: what is done to each is done to all.
    fn listed(&self, invocation: &Invocation) -> Option<Text> {
        let glob = |before: &str, pattern: &str| {
            let mut names = invocation.origin().derive([]);
            names.push_known(before);
            names.push(Piece::Glob(pattern.to_owned()));
            names
        };
        let options = invocation.options();
        let mut operands = options.operands();
        let words: Vec<&str> =
            options.operands().leading(2).filter_map(|word| word.text.as_known()).collect();
        match invocation.program.as_str() {
            "ls" => {
                let long = options.has(&["-l", "-g", "-n", "-o", "-R", "-s", "-i", "-d", "-F"]);
                let first = operands.next();
                let is_pattern = |word: &Argument| !matches!(word.text.pieces.as_slice(), [Piece::Known(name)] if !name.contains('.'));
                if !long && first.is_none() {
                    let here = self.target(&Text::known("."));
                    let is_outside = matches!(
                        place::place_of(&here, self.facts()),
                        Place::Root | Place::SystemTop | Place::System | Place::HomeTop
                    );
                    return is_outside.then(|| glob("", "*"));
                }
                // Files that a pattern chooses are listed by the names that it gives.
                let is_adorned = options.has(&["-l", "-g", "-n", "-o", "-R", "-s", "-i", "-F"]);
                if let Some(only) = first
                    && !is_adorned
                    && options.operands().nth(1).is_none()
                    && let Some((before, pattern)) = chosen_names(&only.text)
                {
                    return Some(glob(before, &pattern));
                }
                if let Some(only) = first
                    && !long
                    && options.operands().nth(1).is_none()
                    && self.holds_gate(only)
                {
                    return Some(glob("", "*"));
                }
                if long || operands.next().is_some() || first.is_none_or(is_pattern) {
                    return None;
                }
                Some(glob("", "*"))
            }
            "du" | "tree" | "locate" | "mlocate" | "plocate" => {
                let names = self.listed_by(invocation)?;
                Some(invocation.origin().derive(names.pieces))
            }
            "git" => match (words.first().copied(), words.get(1).copied()) {
                (Some("ls-files"), None) if !options.has(&["-o", "-d", "-m", "-i", "-u", "-s"]) => {
                    Some(glob("", "**"))
                }
                // `git ls-files '*.ts'`: what a pattern chooses, all the way down.
                (Some("ls-files"), Some(only))
                    if only.contains('*')
                        && !only.starts_with(':')
                        && !options.has(&["-o", "-d", "-m", "-i", "-u", "-s"]) =>
                {
                    Some(glob("", &format!("**/{only}")))
                }
                // The root of the work tree that the directory belongs to.
                (Some("rev-parse"), None) if options.has(&["--show-toplevel"]) => {
                    let here = self.directory()?;
                    let root = self.facts.workspace.as_deref()?;
                    let is_inside = crate::split::is_below(here, root);
                    is_inside.then(|| invocation.origin().derive([Piece::Known(root.to_owned())]))
                }
                (Some("rev-parse"), second) => {
                    let value = options
                        .value(&["--git-path"])
                        .and_then(|path| path.text.as_known().map(|path| format!(".git/{path}")));
                    let path = match value {
                        Some(path) => path,
                        None if options.has(&["--git-path"]) => format!(".git/{}", second?),
                        None if options.has(&["--git-dir", "--git-common-dir"]) => {
                            ".git".to_owned()
                        }
                        None => return None,
                    };
                    Some(invocation.origin().derive([Piece::Known(path)]))
                }
                _ => None,
            },
            // One path, whether it is there or not.
            "realpath" | "readlink" => {
                let options = invocation.options();
                let is_whole = invocation.program == "realpath"
                    && !options.has(&["--relative-to", "--relative-base"])
                    || options.has(&["-f", "-e", "-m", "--canonicalize"]);
                let only = operands.next().filter(|_| is_whole && operands.next().is_none())?;
                let path = self.target(&only.text).path?;
                let is_one = !path.contains(['*', '?', '[']);
                is_one.then(|| invocation.origin().derive([Piece::Known(path)]))
            }
            "systemd-path" => {
                let below = match words.as_slice() {
                    ["user-configuration"] => ".config",
                    ["user-state-private"] => ".local/state",
                    ["user-shared"] => ".local/share",
                    ["user"] => "",
                    _ => return None,
                };
                let path = format!("{}/{below}", self.facts.home.as_deref()?);
                Some(invocation.origin().derive([Piece::Known(path)]))
            }
            "dpkg" | "dpkg-query" if options.has(&["-L", "--listfiles"]) => {
                Some(glob("/usr/", "**"))
            }
            "rpm"
                if options.has(&["-ql", "--list"])
                    || options.has(&["-q"]) && options.has(&["-l"]) =>
            {
                Some(glob("/usr/", "**"))
            }
            _ => None,
        }
    }

    /// Whether this call made files executable that nothing ran yet.
    pub(crate) fn has_executables(&self) -> bool {
        self.provenance.has_executables()
    }

    /// A program is handed the name of a file; where that is one that this call made executable, it may run it.
    pub(crate) fn handed(&mut self, file: &Argument) {
        let path = self.target(&file.text).path;
        if self.provenance.may_run(path.as_deref()) {
            self.at_most(Certainty::Possible, |walk| walk.script("shell", file, &[], None));
        }
    }

    /// `printf -v NAME …` prints into a variable.
    fn printf_into(
        &mut self,
        invocation: &Invocation,
        row: Option<&'static Program>,
    ) -> Option<Text> {
        let [first, name, rest @ ..] = invocation.arguments.as_slice() else { return None };
        if invocation.program != "printf" {
            return None;
        }
        let (name, rest) = match first.text.as_known()?.strip_prefix("-v")? {
            "" => (name.text.as_known()?, rest),
            attached => (attached, invocation.arguments.get(1..)?),
        };
        let name = name.to_owned();
        let inner = Invocation { arguments: rest.to_vec().into(), ..invocation.clone() };
        let value = row.map_or_else(|| invocation.origin(), |row| self.does(row.does, &inner));
        self.control.succeeded = Some(true);
        self.set(&name, value, invocation.span);
        Some(Text::default())
    }

    fn read_all(&mut self, files: &[Argument], invocation: &Invocation) -> Text {
        let mut printed = Text::unknown(&invocation.program);
        if let Some(input) = &invocation.input {
            printed.inherit(input);
        }
        for file in files {
            let content = self.read(file);
            printed.inherit(&content);
        }
        printed
    }

    pub(super) fn announce(
        &mut self,
        program: &str,
        name: &Argument,
        arguments: &Arguments,
        known: bool,
        input: Option<&Text>,
    ) -> EffectId {
        let span = arguments.iter().fold(name.span, |span, argument| span.to(argument.span));
        if input.is_some_and(Text::is_cut) {
            self.gap(span, GapReason::Limit);
        }
        let run = Run {
            program: program.to_owned(),
            name: name.clone(),
            arguments: arguments.clone(),
            known,
            input: input.cloned(),
            is_in_made: self.directory().is_some_and(is_made)
                && self.state.elsewhere().is_none_or(is_made),
        };
        self.emit(EffectKind::Run(run), span)
    }
}

/// Whether a directory is below one that `mktemp`, or what does the same in code, made in this call.
fn is_made(directory: &str) -> bool {
    let rest = directory.strip_prefix("/tmp/tmp.");
    rest.is_some_and(|rest| rest.starts_with("**") || rest == "made" || rest.starts_with("made/"))
}

/// Whether a program stands where projects and people keep theirs, and not where the system does.
pub(super) fn is_of_projects(path: &str) -> bool {
    const OF_SYSTEMS: &[&str] = &[
        "/Applications/",
        "/Library/",
        "/System/",
        "/bin/",
        "/dev/",
        "/lib/",
        "/nix/store/",
        "/opt/homebrew/",
        "/proc/",
        "/run/current-system/",
        "/sbin/",
        "/snap/",
        "/usr/",
    ];
    !OF_SYSTEMS.iter().any(|top| path.starts_with(top))
}

/// Whether a program is only asked for its manual or its version.
fn asks_about_itself(arguments: &[Argument]) -> bool {
    matches!(arguments, [only] if matches!(only.text.as_known(), Some("--help" | "--version")))
}

/// How many arguments of an unknown program are looked at.
const HANDED: usize = 64;

/// Programs that no other program takes as a word of its own.
const RUN_OR_LOSE: &[&str] =
    &["bash", "chmod", "chown", "dash", "dd", "rm", "sh", "shred", "sudo", "wipefs", "zsh"];

/// The function that bash calls for a command that it does not find.
const NOT_FOUND: &str = "command_not_found_handle";

/// The name of a program without its directory, and without what Windows adds.
pub(super) fn base(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let last = if last.is_empty() { name } else { last };
    match last.len().checked_sub(4).and_then(|at| last.split_at_checked(at)) {
        Some((stem, suffix)) if suffix.eq_ignore_ascii_case(".exe") && !stem.is_empty() => {
            stem.to_ascii_lowercase()
        }
        _ => last.to_owned(),
    }
}

/// `python3.11` as `python`, `clang-15` as `clang`.
fn unversioned(name: &str) -> &str {
    let stem =
        name.trim_end_matches(|character: char| character.is_ascii_digit() || character == '.');
    let stem = if stem.len() < name.len() { stem.trim_end_matches('-') } else { stem };
    if stem.is_empty() { name } else { stem }
}

/// The names that a pattern of one word gives: what it begins with, and the rest as one pattern.
fn chosen_names(text: &Text) -> Option<(&str, String)> {
    let [Piece::Known(before), rest @ ..] = text.pieces.as_slice() else {
        let [Piece::Glob(only)] = text.pieces.as_slice() else { return None };
        return Some(("", only.clone()));
    };
    let mut pattern = String::new();
    let mut is_pattern = false;
    for piece in rest {
        match piece {
            Piece::Known(known) if known.contains(['*', '?', '[', '\\']) => return None,
            Piece::Known(known) => pattern.push_str(known),
            Piece::Glob(glob) => {
                is_pattern = true;
                pattern.push_str(glob);
            }
            Piece::Unknown(_) => return None,
        }
    }
    is_pattern.then_some((before.as_str(), pattern))
}

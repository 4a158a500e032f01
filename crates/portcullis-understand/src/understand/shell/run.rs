//! Simple commands: which program would run, with what. Owns assignments before commands, the search for functions,
//! builtins, scripts and table rows, and the `Run` effect; what a program then does is its row's own.

use portcullis_syntax::{
    Span,
    shell::{AssignedValue, Assignment, PartKind, Redirect, Word},
};

use super::{WORK_OF_COMMAND, control::Leave, state::Value, walk::Walk, words::Choice};
use crate::{
    bound::Bounded,
    effect::{Argument, Arguments, Certainty, EffectId, EffectKind, GapReason, Run},
    network,
    place::{self, Place},
    programs::{
        self, Does, Filter, changers, escapes,
        found::Found,
        host::Host,
        invocation::{Invocation, gives_names},
    },
    text::{Piece, Taint, Text},
};

impl Walk<'_> {
    pub(super) fn simple(
        &mut self,
        assignments: &[Assignment],
        words: &[Word],
        redirects: &[Redirect],
        span: Span,
    ) -> Text {
        if self.is_no_question() {
            // A file may call itself in many ways; a command costs more time than what is counted of its words.
            self.charge(WORK_OF_COMMAND);
        }
        if words.is_empty() {
            self.control.succeeded = Some(true);
            for assignment in assignments {
                self.assign(assignment);
                if self.state.is_kept(&assignment.name) {
                    self.control.succeeded = None;
                    self.control.may_leave = Some(Leave::Shell);
                }
            }
            let wiring = self.wiring(redirects);
            self.doubt_opening(&wiring);
            // `$(<file)` gives what is in the file.
            let printed = match &wiring.input {
                super::streams::Channel::Text(text) if assignments.is_empty() => text.clone(),
                _ => Text::default(),
            };
            return self.deliver(wiring, printed);
        }
        let outer = std::mem::replace(&mut self.choice, Choice::round(0));
        let mut printed = Text::default();
        let mut round = 0;
        let first = self.recorder.effects.list.len();
        loop {
            let more = self.expanded(assignments, words, redirects, span);
            printed.append(&more);
            round += 1;
            if round >= self.choice.ways() {
                break;
            }
            self.choice = Choice::round(round);
        }
        if round > 1 {
            // Each of the ways is one of several.
            for effect in self.recorder.effects.list.get_mut(first..).unwrap_or_default() {
                effect.certainty = effect.certainty.min(Certainty::Likely);
            }
            self.control.succeeded = None;
        }
        self.choice = outer;
        printed
    }

    fn expanded(
        &mut self,
        assignments: &[Assignment],
        words: &[Word],
        redirects: &[Redirect],
        span: Span,
    ) -> Text {
        let may_leave = self.control.may_leave;
        let mut arguments = self.arguments(words);
        self.name_options(&mut arguments);
        // A variable that has to be set, and may not be, ends the script before the command runs.
        let is_doubtful = self.control.may_leave > may_leave;
        if let (Some(word), Some(name)) = (words.first(), arguments.first_mut())
            && self.is_escaped(word)
        {
            name.text.taint = name.text.taint.with(Taint::DECODED);
        }
        let mut environment = Vec::with_capacity(assignments.len());
        let mut before = Vec::with_capacity(assignments.len());
        for assignment in assignments {
            let name = assignment.name.as_ref();
            before.push((name, self.state.variable(name).map(<[Value]>::to_vec)));
            let value = self.assign(assignment);
            self.state.export(&assignment.name);
            environment.push((assignment.name.to_string(), value));
        }
        if environment.is_empty() && is_exec(&arguments) {
            let wiring = self.wiring(redirects);
            self.keep(wiring);
            return Text::default();
        }
        let stays = !before.is_empty() && is_special(&arguments);
        let wiring = self.wiring(redirects);
        let input = self.input_of(&wiring);
        let outer = std::mem::replace(&mut self.input, input.clone());
        let printed = if arguments.is_empty() {
            Text::default()
        } else {
            let prints_to = self.redirected(&wiring);
            self.declare_arrays(words);
            let open = self.open_with(&wiring);
            let printed = if wiring.may_fail {
                self.perhaps_leaves(|walk| walk.run_words(arguments, input, environment))
            } else if is_doubtful {
                self.at_likely(|walk| walk.run_words(arguments, input, environment))
            } else {
                self.run_words(arguments, input, environment)
            };
            self.close_to(open);
            self.builtins.declared.clear();
            self.streams.prints_to = prints_to;
            if !redirects.is_empty() {
                self.written_by_program(&wiring);
                self.leave_in(&wiring);
            }
            printed
        };
        self.doubt_opening(&wiring);
        // `read` takes from the input around it when it has none of its own.
        if !matches!(wiring.input, super::streams::Channel::Inherited) {
            self.input = outer;
        }
        // `X=new program $X` is given the old value, whoever wrote it meant the new one.
        let names = |assignment: &Assignment| {
            let name = assignment.name.as_ref();
            words.iter().any(|word| mentions(word, name))
        };
        if assignments.iter().any(names) {
            let meant = self.arguments(words);
            self.at_likely(|walk| walk.run_words(meant, None, Vec::new()));
        }
        // What the command itself assigned stays. Before the builtins that POSIX calls special it may stay in the shell.
        for (name, values) in before.into_iter().rev() {
            if stays {
                let mut both = self.state.variable(name).unwrap_or_default().to_vec();
                both.extend(values.unwrap_or_else(|| vec![Value::Unset]));
                self.state.assign(name, both);
            } else {
                self.state.restore(name, values);
            }
        }
        let _ = span;
        self.deliver(wiring, printed)
    }

    /// Whether letters of a word are written as numbers: `$'\x72m'`.
    fn is_escaped(&self, word: &Word) -> bool {
        let quotes =
            |part: &portcullis_syntax::shell::Part| matches!(part.kind, PartKind::Quoted(_));
        if !word.parts.iter().any(quotes) {
            return false;
        }
        let text = self.recorder.effects.layer_text(self.recorder.layer);
        let written = text.get(word.span.range()).unwrap_or("");
        written.split_once("$'").is_some_and(|(_, quoted)| {
            quoted.match_indices('\\').any(|(at, _)| {
                quoted.get(at + 1..).is_some_and(|rest| {
                    rest.starts_with(['x', 'u', 'U', '0', '1', '2', '3', '4', '5', '6', '7'])
                })
            })
        })
    }

    /// Reads an assignment; gives the value.
    pub(super) fn assign(&mut self, assignment: &Assignment) -> Text {
        let name = assignment.name.as_ref();
        match &assignment.value {
            AssignedValue::Array(elements) => {
                let mut values: Vec<(Option<String>, Text)> = Vec::with_capacity(elements.len());
                let before = if assignment.append { self.value(name) } else { None };
                for (key, word) in elements {
                    let key = key.as_ref().map(|key| self.single(key).display());
                    if key.is_some() {
                        let value = self.single(word);
                        values.push((key, value));
                    } else {
                        let more = self.arguments(std::slice::from_ref(word));
                        values.extend(more.into_iter().map(|argument| (None, argument.text)));
                    }
                }
                let shown = super::words::join(
                    &values.iter().map(|(_, text)| text.clone()).collect::<Vec<_>>(),
                    " ",
                );
                self.assign_array(name, before, values);
                shown
            }
            AssignedValue::Word(word) => {
                // `x=$x…` builds a value up: a variable of the script's own that was not set before is empty.
                if mentions(word, name)
                    && self.state.variable(name).is_none()
                    && !name.contains(|c: char| c.is_ascii_uppercase())
                {
                    self.state.assign(name, vec![Value::Scalar(Text::default())]);
                }
                let value = self.single(word);
                if let Some(subscript) = &assignment.subscript {
                    let key = self.single(subscript);
                    self.assign_element(name, &key, value.clone(), assignment.append);
                    return value;
                }
                let whole = if assignment.append {
                    match self.value(name) {
                        Some(Value::Array(_)) => {
                            self.assign_element(name, &Text::known("0"), value.clone(), true);
                            return value;
                        }
                        Some(Value::Scalar(before)) if self.is_number(name) => {
                            let mut sum = Text::known("(");
                            sum.append(&before);
                            sum.push_known(")+(");
                            sum.append(&value);
                            sum.push_known(")");
                            sum
                        }
                        Some(Value::Scalar(mut before)) => {
                            before.append(&value);
                            before
                        }
                        Some(Value::Unset) | None => value.clone(),
                    }
                } else {
                    value.clone()
                };
                self.set(name, whole, assignment.span);
                value
            }
        }
    }

    /// Gives a variable a value, with what programs and the shell itself make of that variable.
    pub(super) fn set(&mut self, name: &str, value: Text, span: Span) {
        self.environment(name, &value, span);
        self.subscripts(&value, span);
        let value = if self.builtins.has_attributes { self.attributed(name, value) } else { value };
        self.state.assign(name, vec![Value::Scalar(value)]);
    }

    /// What a variable means to programs that will find it: some are obeyed, some are run.
    pub(crate) fn environment(&mut self, name: &str, value: &Text, span: Span) {
        // The whole of it is looked through.
        self.charge(value.len() / super::BYTES_PER_WORK);
        if matches!(name, "PS0" | "PS1" | "PS2" | "PS3" | "PS4") {
            self.at_most(Certainty::Likely, |walk| walk.expand_again(value, span));
        }
        if let Some(function) = name.strip_prefix("BASH_FUNC_") {
            let mut code = Text::known(function.trim_end_matches(['%', '(', ')']));
            code.push_known(" ");
            code.append(value);
            self.at_most(Certainty::Likely, |walk| walk.same_shell(&code, span));
        }
        let is_for_git = name.starts_with("GIT_CONFIG_");
        if name.starts_with("GIT_") {
            escapes::git_environment(self, name, value, span);
        }
        escapes::named_in_variable(self, name, value, span);
        let is_noted =
            || is_for_git || network::service_in_variable(name, value.known_prefix()).is_some();
        match escapes::variable(name) {
            None if !is_noted() => {}
            None | Some(escapes::Variable::Obeyed) => {
                self.emit(
                    EffectKind::Environment { name: name.to_owned(), value: value.clone() },
                    span,
                );
            }
            Some(escapes::Variable::Command) => {
                self.emit(
                    EffectKind::Environment { name: name.to_owned(), value: value.clone() },
                    span,
                );
                // What the command prints is what `less` shows, or the name of what it shows.
                if name == "LESSOPEN" {
                    for word in value.known_prefix().split_whitespace().skip(1) {
                        if word.starts_with(['/', '~']) {
                            self.read(&Argument { text: Text::known(word), span });
                        }
                    }
                }
                // `|lesspipe %s`: marks of where what is shown comes from, less(1) "INPUT PREPROCESSOR".
                let bare = value.known_prefix().trim_start_matches(['|', '-']);
                let value = &match name {
                    "LESSOPEN" if bare.len() < value.known_prefix().len() => {
                        value.beginning_with(bare)
                    }
                    _ => value.clone(),
                };
                if !value.is_empty() {
                    self.running.begin(name, None);
                    self.at_most(Certainty::Likely, |walk| walk.shell(value, span, &[], None));
                    self.running.end(false);
                }
            }
            Some(escapes::Variable::File) => {
                self.emit(
                    EffectKind::Environment { name: name.to_owned(), value: value.clone() },
                    span,
                );
                if !value.is_empty() {
                    let file = Argument { text: value.clone(), span };
                    self.at_most(Certainty::Likely, |walk| walk.script("shell", &file, &[], None));
                }
            }
        }
    }

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
        let basename = base(&known);
        let is_program = self.running.take_expected();
        if let Some(stands_for) = self.alias_of(&known) {
            // An alias counts in a shell that a person types into, or that was asked to, and only in what that shell reads after
            // the whole command that made it, and where no part of the name is quoted: the program itself may run as well.
            let given = (arguments.clone(), input.clone());
            let outer = self.recorder.certainty;
            self.recorder.certainty = outer.min(Certainty::Likely);
            self.aliased(&known, &stands_for, &given.0, given.1, name.span);
            let words = {
                let mut words = vec![name];
                words.extend(arguments);
                words
            };
            self.calls.enter_alias(&known);
            self.running.expect_program(is_program);
            let printed = self.run_words(words, input, environment);
            self.calls.leave_alias();
            self.recorder.certainty = outer;
            self.control.succeeded = None;
            return printed;
        }
        if known.contains('/')
            && let Some(path) = self.target(&name.text).path
            && let Some(program) = self.state.linked(&path).map(str::to_owned)
            && self.enter_level(span)
        {
            let text = name.text.derive([Piece::Known(program)]);
            let mut words = vec![Argument { text, span: name.span }];
            words.extend(arguments);
            let printed = self.run_words(words, input, environment);
            self.leave_level();
            return printed;
        }
        if !known.contains('/') {
            if !is_program && let Some(ways) = self.state.function(&known) {
                match ways.as_slice() {
                    [only] if !only.doubtful && !self.is_elsewhere(only) => {
                        return self.call(&known, only, &name, arguments, input);
                    }
                    _ => {
                        return self.call_one_of(
                            &known,
                            &ways,
                            name,
                            arguments,
                            input,
                            environment,
                        );
                    }
                }
            }
            if let Some(path) = self.on_own_path(&known)
                && self.enter_level(span)
            {
                let text = name.text.derive([Piece::Known(path)]);
                let mut words = vec![Argument { text, span: name.span }];
                words.extend(arguments);
                let printed = self.run_words(words, input, environment);
                self.leave_level();
                return printed;
            }
        } else if known.starts_with("/proc/") && known.ends_with("/exe") {
            // The shell itself.
            let mut words = vec![Argument { text: Text::known("bash"), span: name.span }];
            words.extend(arguments);
            return self.run_words(words, input, environment);
        } else if let Some(path) = self.target(&name.text).path
            && (self.state.file(&path).is_some() || self.facts.session.left(&path).is_some())
        {
            let given = arguments.clone().into();
            self.announce(&basename, &name, &given, false, input.as_ref());
            if let Some(program) = self.copied_from(&path)
                && self.enter_level(span)
            {
                let text = name.text.derive([Piece::Known(program)]);
                let mut words = vec![Argument { text, span: name.span }];
                words.extend(arguments.iter().cloned());
                self.run_words(words, input.clone(), environment);
                self.leave_level();
            }
            return self.script("shell", &name, &arguments, input);
        } else if self.is_brought(self.target(&name.text).path.as_deref()) {
            let given = arguments.clone().into();
            self.announce(&basename, &name, &given, false, input.as_ref());
            return self.script("shell", &name, &arguments, input);
        }
        let mut script = None;
        if known.contains('/')
            && let Some(path) = self.target(&name.text).path
            && is_of_projects(&path)
        {
            script = self.run_by_path(&path, &name, &arguments, input.clone());
        }
        let row =
            programs::program(&basename).or_else(|| programs::program(unversioned(&basename)));
        // What lies in the project under an everyday word is the project's own, and not the program that runs others: `./bin/watch`, `./at`.
        let is_namesake = |row: &&programs::Program| {
            known.contains('/')
                && matches!(row.name, "at" | "batch" | "script" | "time" | "watch")
                && self.target(&name.text).path.as_deref().is_some_and(|path| {
                    const TOOLS: &[&str] =
                        &["/.bin/", "/.venv/", "/node_modules/", "/vendor/", "/venv/"];
                    place::place(path, self.facts) == Place::Workspace
                        && !TOOLS.iter().any(|part| path.contains(part))
                })
        };
        let (row, own) = match row {
            Some(row) if is_namesake(&row) => (None, Some(known.clone())),
            row => (row, None),
        };
        let program = own.unwrap_or_else(|| row.map_or(basename, |row| row.name.to_owned()));
        let mut invocation = Invocation {
            values: row.map_or(&[], |row| row.values),
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
        if row.is_none()
            && !built_in
            && !known.contains('/')
            && self.calls.of_function(NOT_FOUND) == 0
            && let Some(function) =
                self.state.function(NOT_FOUND).and_then(|ways| ways.into_iter().next_back())
        {
            let mut words = vec![invocation.name.clone()];
            words.extend(invocation.arguments.iter().cloned());
            let input = invocation.input.clone();
            self.at_likely(|walk| walk.call(NOT_FOUND, &function, &invocation.name, words, input));
        }
        self.names_in(&invocation.program, &invocation.arguments);
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
        self.running.begin(&invocation.program, Some(id));
        let mut printed = if built_in {
            self.builtin(&invocation)
        } else if row.is_some() && asks_about_itself(&invocation.arguments) {
            invocation.origin()
        } else {
            match row {
                Some(row) => self.does(row.does, &invocation),
                None => {
                    self.handed_on(&invocation);
                    changers::unfamiliar(self, &invocation);
                    invocation.origin()
                }
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
        escapes::follow(self, &invocation);
        if programs::environment::printed_by(&invocation) {
            printed.taint = printed.taint.with(Taint::SECRET);
            printed.push(Piece::Unknown("the environment".into()));
        }
        self.running.end(true);
        if let Some(script) = script {
            printed.append(&script);
        }
        if printed.as_known().is_none() || printed.taint != Taint::NONE {
            printed.sources.push(id);
        }
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

    /// The program in an environment of Python that this call makes in a directory whose name is not known.
    fn of_own(&self, name: &Text) -> Option<String> {
        let Some(Piece::Known(last)) = name.pieces.last() else { return None };
        let (directory, program) = last.rsplit_once('/')?;
        let made_here = name
            .pieces
            .iter()
            .all(|piece| !matches!(piece, Piece::Unknown(origin) if &**origin != "mktemp"));
        if !made_here || !directory.ends_with("/bin") || programs::program(program).is_none() {
            return None;
        }
        let shown = name.display();
        let environment = shown.strip_suffix(&format!("/bin/{program}"))?;
        let makes = |effect: &crate::effect::Effect| match &effect.kind {
            EffectKind::Run(run) => {
                let word = |wanted: &[&str]| {
                    run.arguments.iter().any(|word| wanted.contains(&word.text.display().as_str()))
                };
                (run.program == "virtualenv" || word(&["venv", "virtualenv"]))
                    && word(&[environment])
            }
            _ => false,
        };
        self.recorder.effects.list.iter().leading(64).any(makes).then(|| program.to_owned())
    }

    /// The file that a bare name stands for where this session put it into a directory that its own `PATH` looks into first,
    /// or into one that every shell of the user's looks into.
    fn on_own_path(&mut self, name: &str) -> Option<String> {
        let own = self.state.variable("PATH").map(|values| values.last().cloned());
        let is_set = own.is_some();
        let path = match own {
            Some(Some(Value::Scalar(path))) => path,
            Some(_) => return None,
            None if self.has_written() => Text::known(USUAL_PATH),
            None => return None,
        };
        let directories = path.known_prefix().split(':');
        directories.filter(|directory| !directory.is_empty()).find_map(|directory| {
            let directory = directory.trim_end_matches('/');
            let file = match (directory.strip_prefix("~/"), &self.facts.home) {
                (Some(below), Some(home)) => format!("{home}/{below}/{name}"),
                _ => format!("{directory}/{name}"),
            };
            let path = self.target(&Text::known(file.as_str())).path?;
            let is_own = self.state.file(&path).is_some()
                || self.state.linked(&path).is_some()
                || self.facts.session.left(&path).is_some()
                || self.is_brought(Some(&path))
                || is_set && is_of_projects(&path) && matches!(self.look(&path), Found::File(_));
            // A relative name runs as what stands there, not as another bare name.
            is_own.then_some(path)
        })
    }

    /// The program that a file of this call is a copy of.
    fn copied_from(&self, path: &str) -> Option<String> {
        let [content] = self.state.file(path)? else { return None };
        let [Piece::Unknown(_)] = content.pieces.as_slice() else { return None };
        let effect_of =
            |source: &EffectId| self.recorder.effects.list.get(usize::try_from(source.0).ok()?);
        // `cat PROGRAM > COPY` leaves what it read as it was.
        let is_passed_on = |effect: &crate::effect::Effect| {
            matches!(&effect.kind, EffectKind::Run(run)
                if matches!(run.program.as_str(), "cat" | "dd" | "tee" | "type" | "which"))
        };
        let effect = content
            .sources
            .iter()
            .rev()
            .filter_map(effect_of)
            .find(|effect| !is_passed_on(effect))?;
        let EffectKind::Read(target) = &effect.kind else { return None };
        let from = target.path.as_deref().filter(|from| *from != path)?;
        let is_program = programs::program(&base(from)).is_some()
            || place::place_of(target, self.facts) == Place::Gate;
        is_program.then(|| from.to_owned())
    }

    /// What an alias, or bash's table of remembered commands, puts in the place of a name.
    fn alias_of(&self, name: &str) -> Option<Text> {
        let stands_for = self.state.alias(name)?;
        (!self.calls.is_in_alias(name)).then(|| stands_for.clone())
    }

    fn aliased(
        &mut self,
        name: &str,
        stands_for: &Text,
        arguments: &[Argument],
        input: Option<Text>,
        span: Span,
    ) -> Text {
        let mut code = stands_for.clone();
        code.push_known(" \"$@\"");
        let mut given = vec![Argument { text: Text::known("bash"), span }];
        given.extend_from_slice(arguments);
        self.calls.enter_alias(name);
        let positional = given.into_iter().map(|argument| argument.text).collect();
        let printed = self.shell_code(&code, span, Some(positional), input);
        self.calls.leave_alias();
        printed
    }

    /// A pattern stands for every name that it matches, and a name that begins with `-` is an option to the program: files that this call
    /// made and named so are told by their names.
    fn name_options(&self, arguments: &mut Vec<Argument>) {
        let mut files = self.state.files().peekable();
        if files.peek().is_none() {
            return;
        }
        let Some(directory) = self.directory().map(str::to_owned) else { return };
        let names: Vec<&str> = files
            .filter_map(|file| file.strip_prefix(&directory)?.strip_prefix('/'))
            .filter(|name| name.starts_with('-') && !name.contains('/'))
            .collect();
        if names.is_empty() {
            return;
        }
        let mut named = Vec::with_capacity(arguments.len());
        for argument in arguments.drain(..) {
            if let [Piece::Glob(glob), ..] = argument.text.pieces.as_slice()
                && argument.text.pieces.iter().all(|piece| !matches!(piece, Piece::Unknown(_)))
            {
                let matching = names.iter().filter(|name| {
                    glob == "*" || crate::pattern::matches(&argument.text.display(), name)
                });
                named.extend(
                    matching.map(|name| Argument { text: Text::known(*name), span: argument.span }),
                );
            }
            named.push(argument);
        }
        *arguments = named;
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
                    if matches!(invocation.program.as_str(), "shuf" | "sort" | "tac" | "uniq")
                        && invocation.options().operands().next().is_none()
                        && let Some(input) = &invocation.input
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
                if long || operands.next().is_some() || first.is_none_or(is_pattern) {
                    return None;
                }
                Some(glob("", "*"))
            }
            "git" => match (words.first().copied(), words.get(1).copied()) {
                (Some("ls-files"), None) if !options.has(&["-o", "-d", "-m", "-i", "-u", "-s"]) => {
                    Some(glob("", "**"))
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
        row: Option<&'static programs::Program>,
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

    fn announce(
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
        };
        self.emit(EffectKind::Run(run), span)
    }

    /// Whether a compiler of this call wrote a program into what `mktemp` made, and nothing of this call came over the network: its text is
    /// the project's or stands in the call.
    fn is_compiled_here(&self, name: &Text) -> bool {
        const COMPILERS: &[&str] =
            &["c++", "cc", "clang", "clang++", "g++", "gcc", "go", "rustc", "tcc"];
        let is_made = name.has_unknown()
            && name.pieces.iter().all(|piece| match piece {
                Piece::Known(known) => !known.contains(".."),
                Piece::Unknown(what) => &**what == "mktemp",
                Piece::Glob(_) => false,
            });
        let is_overwritten = |effect: &crate::effect::Effect| match &effect.kind {
            EffectKind::Write { target, .. } => target.text.pieces == name.pieces,
            EffectKind::Connect { .. } => true,
            _ => false,
        };
        is_made
            && !self.recorder.effects.list.iter().any(is_overwritten)
            && self.recorder.effects.list.iter().any(|effect| match &effect.kind {
                EffectKind::Run(run) if COMPILERS.contains(&run.program.as_str()) => {
                    let has_source = run.arguments.iter().any(|word| {
                        let text = word.text.display();
                        [".c", ".cc", ".cpp", ".cxx", ".go", ".rs"]
                            .iter()
                            .any(|end| text.ends_with(end))
                    });
                    if !has_source {
                        return false;
                    }
                    let words = run.arguments.iter();
                    let mut pairs = words.clone().zip(words.skip(1));
                    pairs.any(|(option, file)| {
                        option.text.as_known() == Some("-o") && file.text.pieces == name.pieces
                    })
                }
                _ => false,
            })
    }

    /// The program that is named in the directory of a tool that is known by its variable or that says itself where it is:
    /// `"$VIRTUAL_ENV/bin/python"`, `$(go env GOPATH)/bin/x`. What it does is what a program of that name does.
    fn of_tool_directory(&self, name: &Text) -> Option<String> {
        const VARIABLES: &[&str] = &[
            "CARGO_HOME",
            "CONDA_DIR",
            "CONDA_PREFIX",
            "GOBIN",
            "GOPATH",
            "GOROOT",
            "HOMEBREW_PREFIX",
            "JAVA_HOME",
            "MAMBA_ROOT_PREFIX",
            "NVM_BIN",
            "POETRY_HOME",
            "PYENV_ROOT",
            "RUSTUP_HOME",
            "VIRTUAL_ENV",
        ];
        const TOLD: &[(&str, &[&str])] = &[
            ("brew", &["--prefix"]),
            ("conda", &["info --base"]),
            ("go", &["env GOBIN", "env GOPATH", "env GOROOT"]),
            ("npm", &["bin", "bin -g", "config get prefix", "prefix -g", "root"]),
            ("pipenv", &["--venv"]),
            ("pnpm", &["bin", "bin -g"]),
            ("poetry", &["env info --path", "env info -p"]),
            ("pyenv", &["prefix", "root"]),
            ("rustc", &["--print sysroot"]),
            ("yarn", &["bin", "global bin"]),
        ];
        let [Piece::Unknown(origin), Piece::Known(rest)] = name.pieces.as_slice() else {
            return None;
        };
        let inner = rest
            .strip_prefix("/bin/")
            .or_else(|| rest.strip_prefix("/.bin/"))
            .or_else(|| rest.strip_prefix('/'));
        let is_name = inner.is_some_and(|inner| {
            !inner.is_empty()
                && inner.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.+".contains(&byte))
                && !inner.starts_with('.')
        });
        let is_variable = || {
            name.sources.is_empty()
                && VARIABLES.contains(&&**origin)
                && self.variable_set(origin).is_none()
        };
        let is_told = || {
            let [source] = name.sources.as_slice() else { return false };
            let effect =
                usize::try_from(source.0).ok().and_then(|at| self.recorder.effects.list.get(at));
            let Some(EffectKind::Run(run)) = effect.map(|effect| &effect.kind) else {
                return false;
            };
            let words: Vec<&str> =
                run.arguments.iter().filter_map(|word| word.text.as_known()).collect();
            let is_plain = run.name.text.as_known() == Some(run.program.as_str())
                && words.len() == run.arguments.len();
            let told = words.join(" ");
            is_plain
                && self.variable_set("PATH").is_none()
                && TOLD.iter().any(|(program, shapes)| {
                    *program == run.program && shapes.contains(&told.as_str())
                })
        };
        let is_tool = is_name && name.taint == Taint::NONE && (is_variable() || is_told());
        inner.filter(|_| is_tool).map(str::to_owned)
    }

    fn unknown_program(
        &mut self,
        name: Argument,
        arguments: Vec<Argument>,
        input: Option<Text>,
        span: Span,
    ) -> Text {
        if let Some(tool) = self.of_tool_directory(&name.text) {
            let mut words = vec![Argument { text: Text::known(tool), span: name.span }];
            words.extend(arguments);
            return self.run(&words, input);
        }
        // `[abc]` can only be a program that nobody knows.
        if let Some(pattern) = name.text.as_pattern()
            && pattern
                .strip_prefix('[')
                .and_then(|rest| rest.strip_suffix(']'))
                .is_some_and(|inner| !inner.contains(['*', '?', '[', '/']))
        {
            let id =
                self.announce(&pattern, &name, &arguments.clone().into(), false, input.as_ref());
            let mut printed = name.text.derive(vec![Piece::Unknown("a program".into())]);
            printed.sources.push(id);
            return printed;
        }
        let id = self.announce("", &name, &arguments.clone().into(), false, input.as_ref());
        if self.is_compiled_here(&name.text) {
            let mut printed = name.text.derive([Piece::Unknown("a program".into())]);
            printed.sources.push(id);
            return printed;
        }
        self.gap(name.span, GapReason::UnknownProgram);
        let candidates = match name.text.as_pattern() {
            Some(pattern) => programs::matching(&base(&pattern)).map(str::to_owned).collect(),
            None => Vec::from_iter(without_unknown(&name.text)),
        };
        if !candidates.is_empty() && self.running.may_guess() && self.enter_level(span) {
            self.running.guess();
            for candidate in candidates {
                let mut words = vec![Argument {
                    text: name.text.derive([Piece::Known(candidate)]),
                    span: name.span,
                }];
                words.extend_from_slice(&arguments);
                self.at_likely(|walk| walk.run_words(words, input.clone(), Vec::new()));
            }
            self.running.guessed();
            self.leave_level();
        }
        if name.text.taint.has(Taint::NETWORK) || name.text.taint.has(Taint::DECODED) {
            self.emit(EffectKind::Execute { language: "shell", code: name.text.clone() }, span);
        }
        let mut printed = name.text.derive([Piece::Unknown("a program".into())]);
        printed.sources.push(id);
        printed
    }

    /// Whether a function was defined in another shell than the one that is being read, and is not surely passed on.
    fn is_elsewhere(&self, function: &super::state::Function) -> bool {
        function.shell != self.builtins.shells.current() && !function.exported
    }

    /// A name that may stand for several functions, or for none.
    fn call_one_of(
        &mut self,
        called: &str,
        ways: &[super::state::Function],
        name: Argument,
        arguments: Vec<Argument>,
        input: Option<Text>,
        environment: Vec<(String, Text)>,
    ) -> Text {
        let outer = self.recorder.certainty;
        self.recorder.certainty = outer.min(Certainty::Likely);
        let mut printed = Text::unknown(called);
        for function in ways {
            let more = self.call(called, function, &name, arguments.clone(), input.clone());
            printed.inherit(&more);
        }
        // A shell that is started as a program gets the functions that are exported, and runs the program otherwise.
        if ways.iter().any(|function| function.doubtful || self.is_elsewhere(function)) {
            let mut words = vec![name];
            words.extend(arguments);
            self.running.expect_program(true);
            let more = self.run_words(words, input, environment);
            printed.inherit(&more);
        }
        self.recorder.certainty = outer;
        self.control.succeeded = None;
        printed
    }

    fn call(
        &mut self,
        called: &str,
        function: &super::state::Function,
        name: &Argument,
        arguments: Vec<Argument>,
        input: Option<Text>,
    ) -> Text {
        let deep = self.calls.of_function(called);
        let outside = self.state.positional();
        let given: Vec<Text> = arguments.into_iter().map(|argument| argument.text).collect();
        let again = self.calls.have(&given);
        if deep > 0 && self.control.concurrent && again {
            self.note("system.process.fork-bomb", name.span);
            return Text::unknown(called);
        }
        let deepest = match self.recorder.certainty {
            Certainty::Certain => RECURSION,
            Certainty::Possible => 0,
            _ => DOUBTED,
        };
        // Past the last call that is followed one more stands for all the others.
        if deep == deepest
            && let Some(entered) = self.calls.entered()
        {
            self.state.doubt(entered);
        }
        if deep > deepest
            && deepest > 0
            && !again
            && given.iter().all(|given| given.as_known().is_some())
        {
            // Something else each time: what it comes to is not seen.
            self.gap(name.span, GapReason::Limit);
        }
        if deep > deepest || !self.enter_level(name.span) {
            self.control.succeeded = None;
            return Text::unknown(called);
        }
        let entered = self.state.mark();
        let around = self.control.enclose();
        let mut positional: Vec<Text> = outside.iter().leading(1).cloned().collect();
        if positional.is_empty() {
            positional.push(Text::known("bash"));
        }
        positional.extend(given.iter().cloned());
        self.calls.enter_function(called, entered, given);
        self.state.set_positional(positional);
        let outer_input = std::mem::replace(&mut self.input, input);
        let layer = std::mem::replace(&mut self.recorder.layer, function.layer);
        let printed = if deep == deepest {
            self.perhaps(|walk| walk.command(&function.body))
        } else {
            self.command(&function.body)
        };
        self.recorder.layer = layer;
        self.input = outer_input;
        for (name, values) in self.calls.leave_function() {
            self.state.restore(&name, values);
        }
        self.state.set_positional(outside.to_vec());
        self.control.release(around, Leave::Function);
        self.leave_level();
        printed
    }
}

/// Whether a program stands where projects and people keep theirs, and not where the system does.
fn is_of_projects(path: &str) -> bool {
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

/// How deep a function that surely calls itself is followed.
const RECURSION: usize = 11;

/// How deep one is followed that may call itself.
const DOUBTED: usize = 4;

/// How many arguments of an unknown program are looked at.
const HANDED: usize = 64;

/// Programs that no other program takes as a word of its own.
const RUN_OR_LOSE: &[&str] =
    &["bash", "chmod", "chown", "dash", "dd", "rm", "sh", "shred", "sudo", "wipefs", "zsh"];

/// Where shells find what their users put there, by the defaults of systems and of what people install with.
const USUAL_PATH: &str =
    "~/.local/bin:~/bin:~/.cargo/bin:~/go/bin:/usr/local/bin:/opt/homebrew/bin";

/// The function that bash calls for a command that it does not find.
const NOT_FOUND: &str = "command_not_found_handle";

/// Whether a word uses a variable.
fn mentions(word: &Word, name: &str) -> bool {
    word.parts.iter().any(|part| match &part.kind {
        PartKind::Parameter(parameter) => &*parameter.name == name,
        PartKind::DoubleQuoted(parts) => parts.iter().any(
            |part| matches!(&part.kind, PartKind::Parameter(parameter) if &*parameter.name == name),
        ),
        _ => false,
    })
}

fn is_exec(arguments: &[Argument]) -> bool {
    matches!(arguments, [only] if only.text.as_known() == Some("exec"))
}

/// Whether assignments before a command stay behind it where the shell keeps to POSIX.
fn is_special(arguments: &[Argument]) -> bool {
    let name = arguments.first().and_then(|name| name.text.as_known());
    name.is_some_and(|name| SPECIAL.binary_search(&name).is_ok())
}

/// The builtins that POSIX calls special, sorted.
const SPECIAL: &[&str] = &[
    ".", ":", "break", "continue", "eval", "exec", "exit", "export", "readonly", "return", "set",
    "shift", "source", "times", "trap", "unset",
];

/// The program that a name is if what is unknown in it is nothing: `r${x}m`, where nothing sets `x`.
fn without_unknown(name: &Text) -> Option<String> {
    let mut known = String::new();
    for piece in &name.pieces {
        match piece {
            Piece::Known(part) => known.push_str(part),
            Piece::Unknown(_) => {}
            Piece::Glob(_) => return None,
        }
    }
    programs::program(&known).map(|row| row.name.to_owned())
}

/// The name of a program without its directory, and without what Windows adds.
fn base(name: &str) -> String {
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

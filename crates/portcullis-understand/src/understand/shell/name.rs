//! Names of programs that are not what they seem: files of the call, copies, names that are half known. Owns how such a name is told; what
//! then runs is said by `program`.

use portcullis_syntax::Span;

use super::{
    program::{base, is_of_projects},
    state::Value,
    walk::Walk,
};
use crate::{
    bound::Bounded,
    effect::{Argument, Effect, EffectId, EffectKind, GapReason, Run},
    place::{self, Place},
    programs::{self, found::Found},
    text::{Piece, Taint, Text},
};

impl Walk<'_> {
    /// The program in an environment of Python that this call makes in a directory whose name is not known.
    pub(super) fn of_own(&self, name: &Text) -> Option<String> {
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
        let makes = |effect: &Effect| match &effect.kind {
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
    pub(super) fn on_own_path(&mut self, name: &str) -> Option<String> {
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
    pub(super) fn copied_from(&self, path: &str) -> Option<String> {
        let [content] = self.state.file(path)? else { return None };
        let [Piece::Unknown(_)] = content.pieces.as_slice() else { return None };
        let effect_of =
            |source: &EffectId| self.recorder.effects.list.get(usize::try_from(source.0).ok()?);
        // `cat PROGRAM > COPY` leaves what it read as it was.
        let is_passed_on = |effect: &Effect| {
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
        let is_overwritten = |effect: &Effect| match &effect.kind {
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

    /// `$GITHUB_WORKSPACE/test.sh`: where a runner has checked the project out. On any other machine the variable is empty, and no program
    /// stands there.
    fn of_checkout(&self, name: &Text) -> Option<String> {
        const VARIABLES: &[&str] = &[
            "BITBUCKET_CLONE_DIR",
            "BUILDKITE_BUILD_CHECKOUT_PATH",
            "BUILD_SOURCESDIRECTORY",
            "CI_PROJECT_DIR",
            "GITHUB_WORKSPACE",
            "TRAVIS_BUILD_DIR",
        ];
        let [Piece::Unknown(origin), Piece::Known(rest)] = name.pieces.as_slice() else {
            return None;
        };
        let is_checkout = name.sources.is_empty()
            && name.taint == Taint::NONE
            && VARIABLES.contains(&&**origin)
            && self.variable_set(origin).is_none()
            && rest.starts_with('/')
            && !rest.split('/').any(|part| part == "..");
        let root = self.facts.workspace.as_deref().filter(|_| is_checkout)?;
        Some(format!("{}{rest}", root.trim_end_matches('/')))
    }

    /// `"$TMP/venv/bin/pip"` behind `python3 -m venv "$TMP/venv"`: a tool of the environment that this call makes.
    fn of_environment_made_here(&self, name: &Text) -> Option<String> {
        let (Some(Piece::Known(rest)), true) = (name.pieces.last(), name.taint == Taint::NONE)
        else {
            return None;
        };
        let (folder, tool) = rest.rsplit_once("/bin/")?;
        let mut environment = name.clone();
        environment.pieces.pop();
        environment.push_known(folder);
        let is_it = |run: &Run| {
            let words: Vec<Option<&str>> =
                run.arguments.iter().map(|word| word.text.as_known()).collect();
            let makes = run.program.starts_with("python")
                && matches!(words.as_slice(), [Some("-m"), Some("venv" | "virtualenv"), ..])
                || matches!(run.program.as_str(), "virtualenv");
            makes && run.arguments.iter().any(|word| word.text.pieces == environment.pieces)
        };
        let is_tool = matches!(tool, "pip" | "pip3" | "python" | "python3");
        if !is_tool {
            return None;
        }
        let effects = &self.recorder.effects.list;
        let made = effects.iter().position(|effect| match &effect.kind {
            EffectKind::Run(run) => is_it(run),
            _ => false,
        })?;
        let (maker, later) = effects.get(made..)?.split_first()?;
        // Something else was put into it, or in its place.
        let place = environment.display();
        let is_changed = |effect: &Effect| match &effect.kind {
            EffectKind::Write { target, .. } | EffectKind::Delete { target, .. } => {
                target.text.display().starts_with(&place)
            }
            _ => false,
        };
        let is_own = |effect: &Effect| {
            effect.at.layer == maker.at.layer && maker.at.span.contains(effect.at.span)
        };
        let is_whole = !later.iter().any(|effect| is_changed(effect) && !is_own(effect));
        is_whole.then(|| tool.to_owned())
    }

    pub(super) fn unknown_program(
        &mut self,
        name: Argument,
        arguments: Vec<Argument>,
        input: Option<Text>,
        span: Span,
    ) -> Text {
        let known = self
            .of_tool_directory(&name.text)
            .or_else(|| self.of_checkout(&name.text))
            .or_else(|| self.of_environment_made_here(&name.text));
        if let Some(tool) = known {
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
}

/// Where shells find what their users put there, by the defaults of systems and of what people install with.
const USUAL_PATH: &str =
    "~/.local/bin:~/bin:~/.cargo/bin:~/go/bin:/usr/local/bin:/opt/homebrew/bin";

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

#[cfg(test)]
mod tests {
    use super::super::files::tests::{effects, runs};
    use crate::effect::GapReason;

    #[test]
    fn a_program_below_the_checkout_of_a_runner_is_one_of_the_project() {
        let files = [("test.sh", "shred key\n")];
        let asks = |command: &str| {
            let found = effects(&files, command);
            let is_open = found.gaps.iter().any(|gap| gap.reason == GapReason::UnknownProgram);
            (runs(&found, "shred"), is_open)
        };
        assert_eq!(asks("$GITHUB_WORKSPACE/test.sh"), (1, false));
        assert_eq!(asks("\"$CI_PROJECT_DIR\"/test.sh x"), (1, false));
        // Set by this text to something that nobody knows, another variable, a way out.
        assert_eq!(asks("GITHUB_WORKSPACE=$(cat where)\n$GITHUB_WORKSPACE/test.sh"), (0, true));
        assert_eq!(asks("$SOMEWHERE/test.sh"), (0, true));
        assert_eq!(asks("$GITHUB_WORKSPACE/../test.sh"), (0, true));
        assert_eq!(asks("$GITHUB_WORKSPACE"), (0, true));
    }

    #[test]
    fn tools_of_an_environment_that_the_call_makes_are_those() {
        let asks = |command: &str| {
            let found = effects(&[], command);
            let is_open = found.gaps.iter().any(|gap| gap.reason == GapReason::UnknownProgram);
            (runs(&found, "pip"), is_open)
        };
        let make = "python3 -m venv \"$RUNNER_TEMP/docs\"\n";
        let install = "\"$RUNNER_TEMP/docs/bin/pip\" install -q mkdocs";
        assert_eq!(asks(&format!("{make}{install}")), (1, false));
        assert_eq!(asks(install), (0, true), "nothing makes it");
        let other = "\"$RUNNER_TEMP/other/bin/pip\" install -q mkdocs";
        assert_eq!(asks(&format!("{make}{other}")), (0, true), "another one");
        let put = "cp setup/pip \"$RUNNER_TEMP/docs/bin/pip\"\n";
        assert_eq!(asks(&format!("{make}{put}{install}")), (0, true), "something is put there");
        let copied = "cp -r setup/. \"$RUNNER_TEMP/docs\"\n";
        assert_eq!(asks(&format!("{make}{copied}{install}")), (0, true), "all is put there");
        let tool = "\"$RUNNER_TEMP/docs/bin/mkdocs\" build";
        assert_eq!(asks(&format!("{make}{tool}")), (0, true), "it is not known what that is");
    }
}

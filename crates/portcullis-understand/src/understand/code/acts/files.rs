//! Calls on files, directories and databases in files. Owns which of what they are given is the place, and what is written, read or taken away there.

use portcullis_syntax::Span;

use super::{
    super::{
        interpreter::Interpreter,
        libraries::is_of_a_test,
        services,
        tables::Act,
        value::{Given, Value, mixed},
    },
    Call,
    connections::is_address,
    patterns::{names_files, pattern_of, takes_patterns},
};
use crate::{
    bound::Bounded,
    effect::{Argument, GapReason, PermissionChange, WriteMode},
    place::{self, Place},
    programs::{host::Host, laid_over},
    split::is_device,
    text::{Piece, Taint, Text},
};

impl Interpreter<'_, '_, '_> {
    pub(in super::super) fn place_of(&self, given: Option<&Given>) -> Argument {
        match given {
            Some(given) => Argument { text: given.value.text(), span: given.span },
            None => Argument { text: Text::unknown("nothing"), span: Span::default() },
        }
    }

    /// The names below a directory, or that a pattern stands for. In a project they are as unknown as any: what a script
    /// leaves out is not seen. Elsewhere whatever is done to them is done there.
    pub(in super::super) fn listed(&mut self, directory: &Argument) -> Value {
        let target = self.walk.target(&directory.text);
        // The names of what lies among secrets are none.
        let leaves = ["chdir", "cwd", "dir_fd", "pushd"].iter().any(|it| self.source.contains(it));
        let is_plain = directory.text.known_prefix().starts_with(['/', '~']) && !leaves;
        let content = if is_plain && place::credential_of(&target, self.walk.facts()).is_some() {
            Text::unknown("names of files")
        } else {
            self.walk.read(directory)
        };
        if target.path.as_deref().is_some_and(|path| path == "/proc" || path.starts_with("/proc/["))
        {
            self.walk.note("code.monitor.processes", directory.span);
        }
        let outside = matches!(
            place::place_of(&target, self.walk.facts()),
            Place::Root
                | Place::SystemTop
                | Place::System
                | Place::Boot
                | Place::Gate
                | Place::HomeTop
                | Place::Elsewhere
                | Place::Log
        );
        let pattern = directory.text.known_prefix();
        let root = pattern.split(['*', '?', '[']).next().unwrap_or("").trim_end_matches('/');
        if directory.text.as_known().is_none() {
            return Value::Text(content);
        }
        let is_home = matches!(
            place::place_of(&target, self.walk.facts()),
            Place::Home | Place::OtherHome | Place::Log
        );
        let is_device = is_device(pattern);
        if (is_home || is_device) && root.len() < pattern.len() {
            // What is chosen below a home, or among devices, is known by its pattern.
            let at = root.rfind('/').map_or(0, |at| at + 1);
            let (before, chosen) = pattern.split_at_checked(at).unwrap_or(("", pattern));
            let pieces = [Piece::Known(before.to_owned()), Piece::Glob(chosen.to_owned())];
            let mut names = content.derive(pieces);
            names.inherit(&directory.text);
            return Value::Text(names);
        }
        // `packages/*/dist`, `**/*.map`: what all of them are called, or how they end, is known.
        let last = pattern.rsplit('/').next().unwrap_or_default();
        let ending = last.strip_prefix("*.");
        let is_own = matches!(
            place::place_of(&target, self.walk.facts()),
            Place::Workspace | Place::WorkspaceTop | Place::Artifact
        );
        let is_called = (is_own || !pattern.starts_with(['/', '~']))
            && !pattern.contains("..")
            && !last.is_empty()
            && !ending.unwrap_or(last).contains(['*', '?', '[', '{', '!'])
            && (last != pattern || ending.is_some())
            && root.len() < pattern.len();
        if is_called && !outside {
            let at = root.rfind('/').map_or(0, |at| at + 1);
            let (before, chosen) = pattern.split_at_checked(at).unwrap_or(("", pattern));
            let pieces = [Piece::Known(before.to_owned()), Piece::Glob(chosen.to_owned())];
            let mut names = content.derive(pieces);
            names.inherit(&directory.text);
            return Value::Text(names);
        }
        if !outside && !is_home {
            // Which of them, nobody knows; but they lie there: `build/*`, `*.egg-info`.
            let is_temporary = root.strip_prefix("/tmp/").is_some_and(|inner| !inner.is_empty());
            let is_below = (is_temporary || !pattern.starts_with(['/', '~', '-']))
                && root.len() < pattern.len()
                && !pattern
                    .trim_start_matches('/')
                    .split('/')
                    .any(|part| matches!(part, "" | "." | ".."));
            let letters = pattern.bytes().filter(u8::is_ascii_alphanumeric).count();
            if !is_below || root.is_empty() && (letters < 3 || pattern.contains("**")) {
                return Value::Text(content);
            }
            let at = root.rfind('/').map_or(0, |at| at + 1);
            let at = if pattern.starts_with(&format!("{root}/")) { root.len() + 1 } else { at };
            let (before, chosen) = pattern.split_at_checked(at).unwrap_or(("", pattern));
            let before = if before.is_empty() { "./" } else { before };
            let pieces = [Piece::Known(before.to_owned()), Piece::Glob(chosen.to_owned())];
            let mut names = content.derive(pieces);
            names.inherit(&directory.text);
            return Value::Text(names);
        }
        let mut names =
            content.derive([Piece::Known(format!("{root}/")), Piece::Glob("**".to_owned())]);
        names.inherit(&directory.text);
        Value::Text(names)
    }

    /// The names below a directory.
    pub(super) fn list_names(&mut self, call: Call<'_>) -> Value {
        let Call { first, .. } = call;
        // A pattern that is one path gives it.
        if matches!(self.language, "php" | "ruby")
            && matches!(call.path, "glob" | "Dir.glob" | "Pathname.glob")
            && let Some(first) = first
            && first
                .value
                .as_known()
                .is_some_and(|it| !it.contains(['*', '?', '[', '{', '~', '\\']))
        {
            return Value::List(vec![first.value.clone()]);
        }
        // Several patterns, of which some only take away: `globby(["packages/*/{dist,coverage}", "!**/keep/**"])`.
        let is_elsewhere = ["cwd", "root_dir"].iter().any(|name| call.option(name).is_some());
        if let Some(first) = first.filter(|_| !is_elsewhere)
            && let Some(patterns) = patterns(&first.value)
        {
            let is_scripting = matches!(self.language, "perl" | "php" | "ruby");
            let all = patterns.into_iter().map(|pattern| {
                let own = Given { value: Value::known(&pattern), ..first.clone() };
                if is_scripting && !pattern.contains(['*', '?', '[', '~']) {
                    return own.value;
                }
                let argument = self.place_of(Some(&own));
                if is_one(&pattern) {
                    return own.value;
                }
                self.flush();
                self.listed(&argument)
            });
            return Value::List(all.collect());
        }
        // The same in another directory.
        let root =
            ["cwd", "root_dir"].iter().find_map(|name| call.option(name)).map(|it| it.text());
        if let (Some(first), Some(root)) = (first, root)
            && let Some(patterns) = patterns(&first.value)
        {
            let all = patterns.into_iter().map(|pattern| {
                let mut whole =
                    if pattern.starts_with('/') { Text::default() } else { root.clone() };
                if !whole.is_empty() {
                    whole.push_known("/");
                }
                whole.push_known(&pattern);
                let own = Given { value: Value::Text(whole), ..first.clone() };
                if is_one(&pattern) {
                    return own.value;
                }
                let argument = self.place_of(Some(&own));
                self.flush();
                self.listed(&argument)
            });
            return Value::List(all.collect());
        }
        // What is gone through may begin at one of several places.
        if let Some(first) = first
            && let Value::Any(several) = &first.value
        {
            let one = |value: &Value| {
                let own = Given { value: value.clone(), ..first.clone() };
                let argument = self.place_of(Some(&own));
                self.flush();
                self.listed(&argument)
            };
            let all = several.iter().map(one).reduce(Value::or);
            return all.unwrap_or_else(|| Value::unknown("names"));
        }
        let mut argument = self.place_of(first);
        self.flush();
        // `glob.sync("**/*.md", { cwd: home })`
        let root = ["cwd", "root_dir"].iter().find_map(|name| call.option(name));
        if let (Some(root), Some(pattern)) = (root, argument.text.as_known())
            && !pattern.starts_with(['/', '~'])
        {
            let mut text = root.text();
            text.push_known("/");
            text.push_known(pattern);
            argument.text = text;
        }
        self.listed(&argument)
    }

    /// What is in a file.
    pub(super) fn read_named(&mut self, call: Call<'_>) -> Value {
        let Call { plain, first, .. } = call;
        let Some(first) = first else { return Value::unknown("a file") };
        if Self::makes_archive(call) && !matches!(first.value, Value::File(_)) {
            self.fill_named(Some(first));
            return Value::reached(&format!("{}()", call.path), Text::default());
        }
        self.flush();
        if matches!(first.value, Value::Number(0)) {
            return Value::Text(self.standard_input());
        }
        let argument = self.place_of(Some(first));
        Value::Text(if is_address(argument.text.known_prefix()) {
            // What else is told goes with the question: `file_get_contents(URL, false, $context)`.
            let told = plain.get(1..).unwrap_or_default();
            let told = mixed("what is told", told.iter().map(|given| &given.value));
            let sends = told.taint.has(Taint::SECRET).then_some(told);
            self.walk.connect(&argument, sends, false)
        } else {
            self.gives_what_is_asked_for(&argument);
            self.walk.read_by_script(&argument)
        })
    }

    /// `createReadStream(join("/", request.url))` in a server: whoever asks gets the files below that directory.
    fn gives_what_is_asked_for(&mut self, file: &Argument) {
        let prefix = file.text.known_prefix();
        let is_server = self.language == "javascript"
            && self.served.is_none()
            && file.text.has_unknown()
            && prefix.starts_with('/')
            && self.source.contains("createServer");
        if !is_server {
            return;
        }
        let directory = prefix.rsplit_once('/').map_or("", |(before, _)| before);
        let directory = Text::known(if directory.is_empty() { "/" } else { directory });
        let place = place::place_of(&self.walk.target(&directory), self.walk.facts());
        if matches!(place, Place::Root | Place::HomeTop | Place::SystemTop) {
            self.served = Some(directory);
        }
    }

    /// Another directory that relative paths start from.
    pub(super) fn enter_directory(&mut self, call: Call<'_>) -> Value {
        let Call { first, .. } = call;
        let mut target = self.place_of(first);
        // `os.fchdir(os.open(directory, os.O_RDONLY))`
        if let Some(Given { value: value @ Value::File(_), .. }) = first
            && let Some(directory) = self.directory_of_descriptor(value)
        {
            target.text = directory;
        }
        self.flush();
        let path = self.walk.target(&target.text).path;
        self.walk.go_to(path);
        Value::unknown("nothing")
    }

    /// A file that is written or added to.
    pub(super) fn write_named(&mut self, act: Act, call: Call<'_>) -> Value {
        let Call { path, plain, first, second, .. } = call;
        let (file, content) = if act == Act::WriteTo {
            (second.or_else(|| call.keyword(&["file", "con"])), first)
        } else {
            (first, second)
        };
        let Some(file) = file else { return Value::unknown("nothing") };
        if let Some(content) = content {
            self.kept(std::slice::from_ref(content));
        }
        let content = content
            .map_or_else(|| Text::unknown("content"), |given| services::put_down(&given.value));
        if let Value::File(index) = file.value {
            self.write_file(index, &content);
            return Value::unknown("nothing");
        }
        if path.ends_with("createWriteStream") {
            return self.open_file(file, true, WriteMode::Replace);
        }
        let flag =
            call.option("flag").and_then(|flag| flag.as_known().map(|flag| flag.starts_with('a')));
        let appends = act == Act::Append
            || flag == Some(true)
            || plain.get(2).is_some_and(
                |given| matches!(&given.value, Value::Name(path, _) if path.contains("APPEND")),
            );
        let mode = if appends { WriteMode::Append } else { WriteMode::Replace };
        let argument = self.place_of(Some(file));
        self.walk.write(&argument, mode, content);
        Value::unknown("nothing")
    }

    /// A file that is written with what is not looked at.
    pub(in super::super) fn fill_named(&mut self, file: Option<&Given>) -> Value {
        let Some(file) = file.filter(|it| !it.value.is_false()) else {
            return Value::unknown("nothing");
        };
        let argument = self.place_of(Some(file));
        self.walk.write(&argument, WriteMode::Replace, Text::unknown("content"));
        Value::unknown("a file")
    }

    /// Whether an archive is opened to be written: `ZipFile(path, "w")`, `tarfile.open(path, mode="w:gz")`.
    fn makes_archive(call: Call<'_>) -> bool {
        let mode = call.second.or_else(|| call.keyword(&["mode"]));
        matches!(call.path, "tarfile.open" | "zipfile.ZipFile")
            && mode
                .is_some_and(|mode| mode.value.text().known_prefix().starts_with(['a', 'w', 'x']))
    }

    /// A file that is opened, of which more is asked through what it gives.
    pub(super) fn open_named(&mut self, call: Call<'_>) -> Value {
        let Call { given, first, span, .. } = call;
        // What is opened there is read as a file is, whatever the mode.
        if first.is_some_and(|first| is_address(first.value.text().known_prefix())) {
            let argument = self.place_of(first);
            self.flush();
            return Value::Text(self.walk.connect(&argument, None, false));
        }
        self.open(given, span)
    }

    /// A database in a file.
    pub(super) fn open_database(&mut self, call: Call<'_>) -> Value {
        let Call { path, given, first, .. } = call;
        let argument = self.place_of(first.or_else(|| call.keyword(&["database", "filename"])));
        self.flush();
        match argument.text.as_known() {
            _ if given.is_empty() && path == "duckdb.connect" => {
                self.seen.in_memory.get_or_insert_with(|| path.to_owned());
            }
            Some(file)
                if matches!(file, ":memory:" | "file::memory:")
                    || file.starts_with("file::memory:?")
                        && call.keyword(&["uri"]).is_some_and(|it| it.value.is_true())
                    || is_of_a_test(file) =>
            {
                self.seen.in_memory.get_or_insert_with(|| path.to_owned());
            }
            _ => self.seen.real = true,
        }
        let only_read = argument.text.display().contains("mode=ro");
        let content = self.walk.database(&argument, !only_read);
        Value::reached(&format!("{path}()"), content)
    }

    /// Files that are deleted.
    pub(super) fn delete_named(&mut self, act: Act, call: Call<'_>) -> Value {
        let plain = call.plain;
        let span = call.span;
        // `deleteAsync(["dist"], { dryRun: true })` only says what it would delete.
        if call.path.split('.').next() == Some("del")
            && call.option("dryRun").is_some_and(|value| value.is_true())
            && !self.source.contains("...")
        {
            return Value::unknown("names");
        }
        let recursive = act == Act::DeleteTree
            || act == Act::DeleteMaybe
                && (call.option("recursive").is_some_and(|value| !value.is_false())
                    || self.language == "lisp" && plain.len() > 1);
        self.flush();
        // Perl's `unlink` without a name takes the one that a loop or a walk is at.
        if self.language == "perl"
            && plain.is_empty()
            && let Some(value) = self.variables.get("$_")
        {
            let argument = Argument { text: value.text(), span };
            self.walk.delete(&argument, recursive);
        }
        // `rm('-rf', path)`, as some libraries have it.
        let is_option = |given: &&&Given| given.value.text().known_prefix().starts_with('-');
        let options = plain.iter().take_while(is_option).count();
        for given in plain.iter().skip(options.min(plain.len().saturating_sub(1))) {
            let values = match &given.value {
                Value::List(list) => list.clone(),
                value => value.alternatives(),
            };
            for value in values {
                if matches!(value, Value::Table(_) | Value::Function(_) | Value::Number(_)) {
                    // An object may say by a method of its own what its path is.
                    let is_named = ["fs.", "os.", "pathlib.", "shutil."]
                        .iter()
                        .any(|module| self.canonical(call.path).starts_with(module));
                    if is_named && !matches!(value, Value::Number(_)) {
                        self.walk.gap(given.span, GapReason::UnknownCode);
                    }
                    continue;
                }
                let Some(text) = pattern_of(&value, &call) else { continue };
                let argument = Argument { text, span: given.span };
                let recursive = recursive && !(takes_patterns(call.path) && names_files(&value));
                self.walk.delete(&argument, recursive);
            }
            if matches!(self.language, "java" | "javascript" | "python") {
                break;
            }
        }
        Value::unknown("nothing")
    }

    /// A file under another name.
    pub(super) fn move_named(&mut self, call: Call<'_>) -> Value {
        let Call { plain, span, .. } = call;
        let mut words = self.words([(&Value::known("mv"), span)].into_iter());
        words.extend(self.words(plain.iter().leading(2).map(|given| (&given.value, given.span))));
        self.flush();
        self.walk.run(&words, None);
        Value::unknown("nothing")
    }

    /// A file a second time.
    pub(super) fn copy_named(&mut self, call: Call<'_>) -> Value {
        let Call { first, second, .. } = call;
        self.flush();
        let from = self.place_of(first);
        let content = match first.map(|given| &given.value) {
            Some(Value::File(_)) | None => Text::unknown("content"),
            Some(value) if value.taint().has(Taint::NETWORK) => value.text(),
            Some(_) => self.walk.read(&from),
        };
        if let Some(second) = second {
            let to = self.place_of(Some(second));
            if call.path.ends_with("copytree") || call.option("recursive").is_some() {
                laid_over::fills(self.walk, &to);
            }
            self.walk.write(&to, WriteMode::Replace, content);
            // What Python gives back is where the copy lies.
            if matches!(call.path, "shutil.copy" | "shutil.copy2" | "shutil.copyfile") {
                let mut place = to.text;
                let is_directory = place.as_known().is_some_and(|it| it.ends_with('/'))
                    || place.as_known() == Some("/tmp/tmp.made");
                let name = from.text.as_known().and_then(|it| it.rsplit('/').next());
                if let Some(name) = name.filter(|_| is_directory) {
                    place.push_known(if place.known_prefix().ends_with('/') { "" } else { "/" });
                    place.push_known(name);
                }
                return Value::Text(place);
            }
        }
        Value::unknown("nothing")
    }

    /// Who may do what with a file, or whose it is.
    pub(super) fn change_permission(&mut self, act: Act, call: Call<'_>) -> Value {
        let Call { path, first, second, .. } = call;
        let (file, change) = if act == Act::ModeBefore { (second, first) } else { (first, second) };
        let change = change.or_else(|| call.keyword(&["mode", "user", "group"]));
        let (Some(file), Some(change)) = (file, change) else {
            return Value::unknown("nothing");
        };
        let change = match (&change.value, act) {
            (Value::Number(mode), Act::Mode | Act::ModeBefore) => {
                PermissionChange::Mode(Text::known(format!("{mode:o}")))
            }
            (value, Act::Mode | Act::ModeBefore) => PermissionChange::Mode(value.text()),
            (value, _) => PermissionChange::Owner(value.text()),
        };
        let argument = self.place_of(Some(file));
        self.walk.permission(&argument, path.ends_with("_R"), change);
        Value::unknown("nothing")
    }

    /// Another name that leads to a file.
    pub(super) fn link_named(&mut self, call: Call<'_>) -> Value {
        let Call { first, second, .. } = call;
        let target = self.place_of(first);
        if laid_over::holds_beginnings(self.walk, &target) {
            self.walk.note("protection.gate.link", target.span);
        }
        self.walk.hand(&target, true);
        let link = self.place_of(second);
        self.walk.write(&link, WriteMode::Link, target.text);
        Value::unknown("nothing")
    }

    /// A directory, or a file with nothing in it.
    pub(super) fn make_named(&mut self, call: Call<'_>) -> Value {
        let Call { first, .. } = call;
        let argument = self.place_of(first);
        self.walk.write(&argument, WriteMode::Create, Text::default());
        Value::unknown("nothing")
    }
}

/// The patterns that a list or a text with braces stands for, without those that take away; `None` where it is one plain pattern, or not
/// all of it is known.
fn patterns(value: &Value) -> Option<Vec<String>> {
    /// How many are told apart.
    const PATTERNS: usize = 12;
    let mut all = Vec::new();
    match value {
        Value::List(list) => {
            for one in list {
                let known = one.as_known()?;
                if !known.starts_with('!') {
                    all.extend(expanded(known)?);
                }
            }
        }
        value => {
            let known = value.as_known()?;
            all = expanded(known).filter(|all| all.len() > 1)?;
        }
    }
    (!all.is_empty() && all.len() <= PATTERNS).then_some(all)
}

/// Whether a pattern stands for no more than itself.
fn is_one(pattern: &str) -> bool {
    !pattern.contains(['*', '?', '[', '{', '(', '!'])
}

/// `a/{b,c}` as `a/b` and `a/c`; one pair of braces.
fn expanded(pattern: &str) -> Option<Vec<String>> {
    let Some((before, rest)) = pattern.split_once('{') else {
        return Some(vec![pattern.to_owned()]);
    };
    let (inner, after) = rest.split_once('}')?;
    if inner.contains(['{', '.', '!']) && inner.contains("..") || after.contains('{') {
        return None;
    }
    Some(inner.split(',').map(|one| format!("{before}{one}{after}")).collect())
}

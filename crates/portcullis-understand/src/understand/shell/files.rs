//! Files that a call starts, loads, or gives to something that acts on them. Owns how the walk looks for them (first among what this
//! call wrote, then in the facts, else it asks), how their text becomes a layer of its own, and what of them is no question.
//!
//! Readers of a kind of file (a script language, a makefile, a manifest) stand in `programs::started`; they call [`Walk::look`] and then
//! `in_file`.

use std::{collections::BTreeMap, sync::Arc};

use portcullis_syntax::Span;

use super::{
    ROUNDS,
    scope::Around,
    sources::{Admission, Entry, Frame},
    walk::{NAMES_PER_WORK, Walk},
};
use crate::{
    effect::{EffectKind, GapReason, LayerId, LayerOrigin, Location, Started},
    facts::{FileFact, NotRead, content::ACTION_LOOKS},
    programs::found::{File, Found, directory_of},
    text::{Taint, Text},
};

mod started;

/// How many places are kept for what the call itself says: files of a big project that it starts are not looked for in all of them.
const LOOKS_OF_CALL: usize = 64;

impl Walk<'_> {
    /// What stands at an absolute path: what this call wrote there, else what the facts say. Where they say nothing, the content is asked
    /// for.
    pub(crate) fn look(&mut self, path: &str) -> Found {
        if !path.starts_with('/') || path.contains('\0') {
            return Found::Nothing;
        }
        let (is_version, more) = self.settle_version(path);
        if !more.is_empty() {
            let mut names = more;
            if let Found::Directory(here) = self.look_here(path) {
                names.extend(here);
                names.sort();
                names.dedup();
            }
            return Found::Directory(names);
        }
        if is_version { self.found(path) } else { self.look_here(path) }
    }

    /// What stands at an absolute path where nothing but this call may have put something else there.
    fn look_here(&mut self, path: &str) -> Found {
        let own = self.state.file(path).and_then(<[Text]>::last);
        if let Some(text) = own.and_then(Text::as_known) {
            let text = Arc::from(text);
            return Found::File(File { path: path.to_owned(), text, whole: true, is_own: true });
        }
        if self.content(path).is_none() {
            self.sources.read(path);
        }
        self.found(path)
    }

    /// Decides whether a version that version control put at a path is what counts in this round. Gives whether one does, and the names that
    /// directories of them hold.
    fn settle_version(&mut self, path: &str) -> (bool, Vec<String>) {
        let versions = self.provenance.versions_of(path);
        if versions.is_empty() {
            return (false, Vec::new());
        }
        let (others, names) = self.versions_at(versions);
        if others.is_empty() {
            self.sources.stands(path, None);
            return (false, names);
        }
        // A command is expanded in so many ways and no more.
        if others.iter().any(|(number, _)| number + 1 >= ROUNDS) {
            self.left_unread(Span::default());
        }
        // All files are of one revision in a round.
        let count = self.provenance.revisions() + 1;
        let picked = self.choice.pick("what version control put in place", count);
        let version = others.into_iter().find(|(number, _)| number + 1 == picked);
        let is_version = version.is_some();
        self.sources.stands(path, version.map(|(_, name)| name));
        (is_version, names)
    }

    /// Does something with whatever may stand at a path: what is there, and each version that version control may have put there.
    pub(super) fn each_version(&mut self, path: &str, act: &mut dyn FnMut(&mut Self, Found)) {
        self.sources.stands(path, None);
        let here = if path.starts_with('/') { self.look_here(path) } else { Found::Nothing };
        act(self, here);
        let versions = self.provenance.versions_of(path);
        for (_, name) in self.versions_at(versions).0 {
            self.sources.stands(path, Some(name));
            let found = self.found(path);
            act(self, found);
        }
        self.sources.stands(path, None);
    }

    /// Of versions those that are there, with the names that directories of them hold.
    fn versions_at(
        &mut self,
        versions: Vec<(usize, String)>,
    ) -> (Vec<(usize, String)>, Vec<String>) {
        let mut names = Vec::new();
        let mut others = Vec::new();
        for (number, name) in versions {
            if self.known_content(&name).is_none() {
                self.sources.read(&name);
            }
            match self.known_content(&name) {
                Some(FileFact::Directory { names: inner, whole }) => {
                    let (inner, whole) = (inner.clone(), *whole);
                    self.charge(inner.len() / NAMES_PER_WORK);
                    names.extend(inner);
                    if !whole {
                        self.left_unread(Span::default());
                    }
                }
                Some(FileFact::Read(_) | FileFact::NotRead { .. }) => others.push((number, name)),
                Some(FileFact::Absent) => {}
                None if self.facts.contents.len() + self.recorder.effects.wanted.len()
                    < ACTION_LOOKS =>
                {
                    self.recorder.effects.wanted.insert(name);
                }
                None => self.left_unread(Span::default()),
            }
        }
        (others, names)
    }

    /// What is known to stand at a path.
    fn found(&mut self, path: &str) -> Found {
        match self.content(path) {
            None if self.is_listed_without(path) => Found::Nothing,
            None => {
                let most =
                    if self.is_no_question() { ACTION_LOOKS - LOOKS_OF_CALL } else { ACTION_LOOKS };
                let looked = self.facts.contents.len();
                if looked + self.recorder.effects.wanted.len() < most {
                    self.recorder.effects.wanted.insert(path.to_owned());
                }
                if self.sources.are_read() || looked >= most {
                    self.left_unread(Span::default());
                }
                match self.own_names(path) {
                    names if names.is_empty() => Found::Nothing,
                    names => Found::Directory(names),
                }
            }
            Some(FileFact::Absent) => match self.own_names(path) {
                names if names.is_empty() => Found::Nothing,
                names => Found::Directory(names),
            },
            Some(FileFact::NotRead { why, .. }) => Found::NotRead(*why),
            Some(FileFact::Directory { names, whole }) => {
                let (names, whole) = (names.clone(), *whole);
                if !whole {
                    self.left_unread(Span::default());
                }
                self.charge(names.len() / NAMES_PER_WORK);
                let mut names = names;
                for own in self.own_names(path) {
                    if !names.contains(&own) {
                        names.push(own);
                    }
                }
                Found::Directory(names)
            }
            Some(FileFact::Read(file)) => Found::File(File {
                path: path.to_owned(),
                text: Arc::clone(&file.text),
                whole: file.whole,
                is_own: false,
            }),
        }
    }

    /// The same for a program that obeys what it finds: where not all of that was read, it is said.
    pub(super) fn look_whole(&mut self, path: &str) -> Found {
        let found = self.look(path);
        let is_left = match &found {
            Found::File(file) => !file.whole,
            Found::NotRead(why) => {
                matches!(why, NotRead::Changing | NotRead::Special | NotRead::TooMuch)
                    && !["/dev/", "/proc/"].iter().any(|top| path.starts_with(top))
            }
            Found::Nothing | Found::Directory(_) => false,
        };
        if is_left && self.is_settled(path) {
            self.recorder.unfollowed(Span::default(), GapReason::Limit);
        } else if is_left {
            self.question(Span::default(), GapReason::Limit);
        }
        found
    }

    /// What this call has put into a directory, as a listing of it names it.
    fn own_names(&self, directory: &str) -> Vec<String> {
        let below = |path: &str| {
            let rest = path.strip_prefix(directory)?.strip_prefix('/')?;
            let is_plain = !rest.is_empty() && !rest.contains(['*', '?', '[']);
            is_plain.then(|| match rest.split_once('/') {
                Some((inner, _)) => format!("{inner}/"),
                None => rest.to_owned(),
            })
        };
        let mut names: Vec<String> = self.state.files().filter_map(below).collect();
        names.dedup();
        names
    }

    /// Whether a directory around a path is listed whole, and the way to the path is not in it.
    fn is_listed_without(&self, path: &str) -> bool {
        path.rmatch_indices('/').any(|(at, _)| {
            let (directory, below) = path.split_at_checked(at).unwrap_or_default();
            let name = below.trim_start_matches('/').split('/').next().unwrap_or_default();
            match self.content(if directory.is_empty() { "/" } else { directory }) {
                Some(FileFact::Directory { names, whole: true }) => {
                    !names.iter().any(|known| known.trim_end_matches('/') == name)
                }
                Some(FileFact::Absent) => true,
                _ => false,
            }
        })
    }

    /// What is known of what stands at a path.
    pub(super) fn content(&self, path: &str) -> Option<&FileFact> {
        self.known_content(self.sources.name_of(path))
    }

    fn known_content(&self, name: &str) -> Option<&FileFact> {
        self.facts.contents.get(name).or_else(|| self.sources.content(name))
    }

    /// What was read while walking.
    pub(in crate::understand) fn take_contents(&mut self) -> BTreeMap<String, FileFact> {
        self.sources.take_contents()
    }

    /// Reads the text of a file as the current layer; `None` where it is not entered.
    pub(super) fn in_part<T>(
        &mut self,
        file: &File,
        part: String,
        language: &'static str,
        span: Span,
        read: impl FnOnce(&mut Self) -> T,
    ) -> Option<T> {
        self.enter_part(file, part, language, span, false).then(|| {
            let result = read(self);
            self.leave_scope();
            result
        })
    }

    /// Makes the text of a file the current layer: the places of everything that it says are places in the file. `span` is what starts it,
    /// in the layer around, and `part` says what of the file runs. `false` where this part is being read already, or too much stands within
    /// each other. Of a task only its own text is gone through.
    pub(super) fn enter_part(
        &mut self,
        file: &File,
        part: String,
        language: &'static str,
        span: Span,
        is_task: bool,
    ) -> bool {
        let is_settled = !file.is_own && self.is_settled(&file.path);
        let bytes = file.text.len();
        let is_changed = file.is_own || self.is_changed(&file.path);
        let entry = Entry { path: &file.path, part: &part, bytes, is_task, is_changed };
        let is_again = match self.sources.admit(&entry) {
            Admission::Admitted { is_again } => is_again,
            Admission::Known => return false,
            Admission::TooMuch => {
                self.left_out(is_settled, span);
                return false;
            }
        };
        let is_unclear =
            !is_settled && !self.is_no_question() && self.provenance.is_unclear(&file.path);
        let has_reserve = is_changed && self.budget.reserve_for_file(bytes);
        if !self.enter_level(span) {
            if has_reserve {
                self.budget.end_reserve();
            }
            return false;
        }
        self.sources.count(&entry);
        let parent = self.recorder.layer;
        let at = Location { layer: parent, span };
        let known = self.recorder.effects.layers.iter().position(|layer| {
            matches!(&layer.origin, LayerOrigin::File { path, parent: known, span: place }
                if *path == file.path && *known == parent && *place == span)
                && *layer.text == *file.text
        });
        let layer = match known.and_then(|known| u16::try_from(known).ok()) {
            Some(known) => LayerId(known),
            None if self.recorder.has_all_layers() => {
                self.leave_level();
                if has_reserve {
                    self.budget.end_reserve();
                }
                self.left_out(is_settled, span);
                return false;
            }
            None => {
                self.allow_for(file.text.len());
                let origin = LayerOrigin::File { path: file.path.clone(), parent, span };
                self.recorder.add_layer(&file.text, origin)
            }
        };
        self.starts(&file.path, language, at, Some(layer));
        let mut frame = Frame::new(&file.path, part, is_settled, is_again);
        frame.has_reserve = has_reserve;
        self.sources.begin(frame);
        self.recorder.layer = layer;
        if !file.whole {
            let end = file.text.len();
            self.left_unread(Span::new(end, end));
        }
        // Which version stands there when it is started, nobody knows: it is the project's own word, or it is nobody's.
        if is_unclear {
            self.question(Span::default(), GapReason::UnknownCode);
        }
        self.sources.around.push(Around::File(parent));
        true
    }

    /// A file is not entered: no question only where it is the project's own word, and what starts it is too.
    fn left_out(&mut self, is_settled: bool, span: Span) {
        if is_settled {
            self.left_unread(span);
        } else {
            self.question(span, GapReason::Limit);
        }
    }

    /// The directory of the file that is being read.
    pub(crate) fn directory_of_file(&self) -> Option<String> {
        Some(directory_of(self.sources.innermost()?).to_owned())
    }

    /// Whether what is being read is read further out as well, for other words: what these words do not reach is seen there.
    pub(super) fn is_read_again(&self) -> bool {
        self.sources.is_read_again()
    }

    /// The innermost program that is being read with its words; nothing where none is.
    pub(super) fn words_of_program(&self) -> String {
        let run = self.running.announced().and_then(|id| self.recorder.effect(id));
        match run.map(|effect| &effect.kind) {
            Some(EffectKind::Run(run)) => {
                let name = std::iter::once(run.program.clone());
                part_of(name.chain(run.arguments.iter().map(|word| word.text.display())))
            }
            _ => String::new(),
        }
    }

    /// Remembers that a file was read and starts nothing: that it does is what the decision goes by.
    pub(crate) fn passed_over(&mut self, file: &File, language: &'static str, span: Span) {
        let at = Location { layer: self.recorder.layer, span };
        self.starts(&file.path, language, at, None);
    }

    /// Remembers that a file is started.
    fn starts(&mut self, path: &str, language: &'static str, at: Location, layer: Option<LayerId>) {
        let is_known = |started: &Started| started.path == path && started.layer == layer;
        if self.recorder.effects.files.iter().any(is_known) {
            return;
        }
        let is_settled = self.state.file(path).is_none() && self.is_settled(path);
        let fact = self.content(path);
        let read = match fact {
            Some(FileFact::Read(file)) if self.state.file(path).is_none() => Some(file),
            _ => None,
        };
        let started = Started {
            path: path.to_owned(),
            at,
            language,
            layer,
            digest: read.map(|file| file.sha256.clone()),
            bytes: read.map(|file| file.bytes),
            whole: read.is_none_or(|file| file.whole),
            not_read: match fact {
                Some(FileFact::NotRead { why, .. }) => Some(*why),
                _ => None,
            },
            is_settled,
        };
        self.recorder.effects.files.push(started);
    }

    /// Whether the last commit holds a file as it stands and nothing of this session wrote it: what it does is the project's own word.
    pub(super) fn is_settled(&self, path: &str) -> bool {
        let committed = match self.content(path) {
            Some(FileFact::Read(file)) => file.committed,
            Some(FileFact::NotRead { committed, .. }) => *committed,
            _ => None,
        };
        committed == Some(true) && self.facts.session.left(path).is_none()
    }

    /// Whether a file is known to be nobody's word yet: this session wrote it, or the last commit holds another.
    fn is_changed(&self, path: &str) -> bool {
        let committed = match self.content(path) {
            Some(FileFact::Read(file)) => file.committed,
            _ => None,
        };
        committed == Some(false) || self.facts.session.left(path).is_some()
    }

    /// Whether something that was not understood here is no question. What the words of a call leave open is one; a file of a project is
    /// written for a machine that is set up for it, and what it computes, by which variable it names a program and which dialect it is
    /// written in is left open in nearly all of them. What counts there is what came over the network or out of a decoder and is run, and
    /// what was not read at all: see [`Walk::question`] and [`Walk::left_unread`].
    pub(crate) fn is_no_question(&self) -> bool {
        self.sources.is_in_file()
    }

    /// Whether what is being read is a file that version control has had, as it stands, since before the session.
    pub(in crate::understand) fn is_in_settled_file(&self) -> bool {
        self.sources.is_settled()
    }

    /// The rest of what is being read is not read: that is a question, but where version control has had the file since before the session.
    pub(crate) fn left_unread(&mut self, span: Span) {
        if self.is_in_settled_file() {
            self.gap(span, GapReason::Limit);
        } else {
            self.question(span, GapReason::Limit);
        }
    }

    /// Whether code came over the network or out of a decoder: then it is a question wherever it is run.
    pub(super) fn is_foreign(code: &Text) -> bool {
        [Taint::NETWORK, Taint::DECODED].iter().any(|taint| code.taint.has(*taint))
    }
}

/// Words as one text, in which none is taken for another.
fn part_of(words: impl Iterator<Item = String>) -> String {
    words.fold(String::new(), |mut part, word| {
        part.push_str(&word);
        part.push('\0');
        part
    })
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::{
        action::Action,
        call::ToolCall,
        effect::{Certainty, Effects},
        facts::{Facts, FileText},
        understand::understand,
    };

    pub(in crate::understand) fn effects(files: &[(&str, &str)], command: &str) -> Effects {
        read_as(files, command, true, None)
    }

    /// The same with files of which all was read or only this, and that the last commit holds or not.
    fn read_as(
        files: &[(&str, &str)],
        command: &str,
        whole: bool,
        committed: Option<bool>,
    ) -> Effects {
        let read = |(name, text): &(&str, &str)| {
            let file = FileText {
                text: Arc::from(*text),
                sha256: "00".repeat(32),
                bytes: text.len() as u64,
                whole,
                executable: true,
                leads_to: None,
                committed,
            };
            (format!("/w/{name}"), FileFact::Read(file))
        };
        with(files.iter().map(read).collect(), command)
    }

    fn with(contents: BTreeMap<String, FileFact>, command: &str) -> Effects {
        let facts = Facts {
            cwd: Some("/w".to_owned()),
            workspace: Some("/w".to_owned()),
            contents,
            ..Facts::default()
        };
        let mut call = ToolCall { tool: "bash".to_owned(), ..ToolCall::default() };
        call.arguments.insert("command".to_owned(), command.into());
        understand(&Action::from_call(call).unwrap(), &facts)
    }

    pub(in crate::understand) fn runs(effects: &Effects, program: &str) -> usize {
        let is_run =
            |kind: &EffectKind| matches!(kind, EffectKind::Run(run) if run.program == program);
        effects.list.iter().filter(|effect| is_run(&effect.kind)).count()
    }

    #[test]
    fn a_script_that_starts_itself_with_other_words_is_read_anew() {
        let again = "case \"$1\" in\n'') bash x.sh a ;;\na) ./x.sh b ;;\nb) shred key ;;\nesac\n";
        let found = effects(&[("x.sh", again)], "bash x.sh");
        // Where its words lead, and once more where those of the first start do not.
        assert_eq!(runs(&found, "shred"), 2, "{:?}", found.list);
        let certain = |effect: &&crate::effect::Effect| effect.certainty == Certainty::Certain;
        let shreds = |effect: &&crate::effect::Effect| matches!(&effect.kind, EffectKind::Run(run) if run.program == "shred");
        assert_eq!(found.list.iter().filter(shreds).filter(certain).count(), 1);
        assert!(found.gaps.is_empty(), "{:?}", found.gaps);
    }

    #[test]
    fn a_script_that_starts_itself_with_the_same_words_is_read_once() {
        for text in [
            "bash x.sh a\nshred key\n",
            "source ./x.sh\nshred key\n",
            "exec sudo \"$0\" \"$@\"\nshred key\n",
        ] {
            let found = effects(&[("x.sh", text)], "bash ./x.sh a");
            assert!((1..=3).contains(&runs(&found, "shred")), "{text}: {:?}", found.list);
            assert!(found.gaps.is_empty(), "{text}: {:?}", found.gaps);
        }
    }

    #[test]
    fn a_script_that_starts_itself_with_ever_more_words_is_said_to_be_read_in_part() {
        let found = effects(&[("x.sh", "bash x.sh \"$@\" more\n")], "bash x.sh");
        assert!(found.gaps.iter().any(|gap| gap.reason == GapReason::Limit), "{:?}", found.gaps);
        let many: String = (0..500).map(|number| format!("bash x.sh {number}\n")).collect();
        let found = effects(&[("x.sh", &many)], "bash x.sh");
        assert!(found.gaps.iter().any(|gap| gap.reason == GapReason::Limit), "{:?}", found.gaps);
        assert!(runs(&found, "bash") < 100_000);
    }

    #[test]
    fn a_bound_behind_which_nothing_is_read_is_a_question_in_a_file_too() {
        let many = |line: &dyn Fn(usize) -> String| (0..12_000).map(line).collect::<String>();
        let idle = many(&|at| format!("a{} = a{at} + \"x\"\n", at + 1));
        let python = format!("{idle}import os\nos.system('ls')\n");
        let javascript = many(&|at| format!("a{} = a{at} + \"x\";\n", at + 1));
        let statements = "select 'x' as ".to_owned() + &"y".repeat(1 << 16);
        let deep = "( ".repeat(300) + "ls" + &" )".repeat(300);
        for (name, text, command) in [
            ("x.py", &python, "python3 x.py"),
            ("x.js", &javascript, "node x.js"),
            ("x.sql", &statements, "psql -f x.sql"),
            ("x.sh", &deep, "sh x.sh"),
        ] {
            let is_limit =
                |found: &Effects| found.gaps.iter().any(|gap| gap.reason == GapReason::Limit);
            let files = &[(name, text.as_str())];
            assert!(is_limit(&effects(files, command)), "{command}");
            let settled = read_as(files, command, true, Some(true));
            assert!(!is_limit(&settled), "{command}");
        }
        // What has nothing by which it could act is no question, however long it is.
        assert!(effects(&[("x.py", &idle)], "python3 x.py").gaps.is_empty());
        for (name, text, command) in [
            ("x.py", "a = 1\nprint(a)\n", "python3 x.py"),
            ("x.js", "let a = 1;\nconsole.log(a);\n", "node x.js"),
            ("x.sql", "select 1;\nselect 2;\n", "psql -f x.sql"),
        ] {
            assert!(effects(&[(name, text)], command).gaps.is_empty(), "{command}");
        }
    }

    #[test]
    fn every_statement_of_a_long_file_is_read() {
        let text = "select 1;\n".repeat(12_000) + "drop table users;\n";
        let found = effects(&[("x.sql", &text)], "psql -f x.sql");
        let drops = found.list.iter().any(|effect| match &effect.kind {
            EffectKind::Query { statement } => statement.display().contains("drop table"),
            _ => false,
        });
        assert!(drops && found.gaps.is_empty(), "{:?}", found.gaps);
    }

    #[test]
    fn what_is_obeyed_and_was_read_in_part_is_a_question() {
        let all = "all:\n\techo ok\n";
        for (whole, committed, asks) in [
            (true, None, false),
            (false, None, true),
            (false, Some(true), false),
            (false, Some(false), true),
        ] {
            let found = read_as(&[("Makefile", all)], "make", whole, committed);
            assert_eq!(!found.gaps.is_empty(), asks, "{whole} {committed:?}");
            let included = &[("Makefile", "include z.mk\n"), ("z.mk", all)];
            let found = read_as(included, "make", whole, committed);
            assert_eq!(!found.gaps.is_empty(), asks, "{whole} {committed:?}");
        }
    }

    #[test]
    fn packages_of_a_workspace_are_read_as_far_as_they_are_many() {
        let file = |text: String| {
            FileFact::Read(FileText {
                bytes: text.len() as u64,
                text: Arc::from(text),
                sha256: "00".repeat(32),
                whole: true,
                executable: false,
                leads_to: None,
                committed: Some(true),
            })
        };
        let names: Vec<String> = (0..81).map(|at| format!("{at:03}")).collect();
        let mut contents: BTreeMap<String, FileFact> = names
            .iter()
            .map(|name| {
                let script = if name == "080" { "shred key" } else { "echo ok" };
                let text = format!(r#"{{"scripts": {{"t": "{script}"}}}}"#);
                (format!("/w/p/{name}/package.json"), file(text))
            })
            .collect();
        let root = r#"{"workspaces": ["p/*"], "scripts": {}}"#;
        contents.insert("/w/package.json".to_owned(), file(root.to_owned()));
        let names = names.iter().map(|name| format!("{name}/")).collect();
        contents.insert("/w/p".to_owned(), FileFact::Directory { names, whole: true });
        let found = with(contents, "npm run t --workspaces");
        assert_eq!(runs(&found, "shred"), 1, "{:?}", found.gaps);
    }
}

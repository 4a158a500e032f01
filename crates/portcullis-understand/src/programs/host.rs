//! What programs may ask of whoever runs them. Owns the trait that rows speak to, and what follows from it alone; who implements it, and
//! how effects are recorded, is not known here.
//!
//! The shell is the host of every program. A row reads what its program is given and says what that does: which files are read and
//! written, what is run, where it connects. The host knows the directory, the variables and the files that the call wrote, and it
//! records the effects.

use portcullis_syntax::Span;

use super::{
    found::{File, Found, Versions},
    importing::Importing,
    queries,
};
use crate::{
    address,
    bound::Limits,
    effect::{
        Argument, Certainty, Connection, EffectId, EffectKind, GapReason, PermissionChange, Target,
        WriteMode,
    },
    facts::{Facts, PathFact},
    network::hosts,
    text::{KNOWN_BYTES, Piece, Taint, Text},
};

/// Surroundings in which something else holds until they are left again.
#[derive(Clone, Copy, Debug)]
pub enum Scope<'a> {
    /// The text of a file, in which every span is a place. What of the file runs is told by the words of the program that takes it: a file
    /// that is being read is read anew with others. It is not entered where this part of it is being read already, or where too much
    /// stands within each other.
    File {
        /// The file.
        file: &'a File,
        /// What it is written in.
        language: &'static str,
        /// What starts it, in the layer around.
        span: Span,
    },
    /// One task of a file, which may start another one of the same file.
    Task {
        /// The file.
        file: &'a File,
        /// Which of its tasks.
        task: &'a str,
        /// What it is written in.
        language: &'static str,
        /// What starts it, in the layer around.
        span: Span,
    },
    /// Files of a project are looked for: what is left out in that is no word of the call, it is told and is no question.
    Project,
    /// A container: nothing of the environment around it is there, and nothing of what it changes is left.
    Container,
    /// An environment of its own, which is forgotten after it.
    Environment,
}

/// Tells of what is cut in files that a command starts, as of all of them that is left unread.
pub(super) struct Unread<'w>(pub(super) &'w mut dyn Host);

impl Limits for Unread<'_> {
    fn limit(&mut self, span: Span) {
        self.0.left_unread(span);
    }
}

/// Whoever runs programs.
pub trait Host: Limits {
    // What is known, and what is recorded.

    /// What is known of the world.
    fn facts(&self) -> &Facts;

    /// What is known of a path by those who want a directory to stand there.
    fn known_of(&self, path: &str) -> Option<&PathFact>;

    /// Records an effect of the program.
    fn emit(&mut self, kind: EffectKind, span: Span) -> EffectId;

    /// Something here was not understood. In a file that was there before the call, most of that is no question: it is kept apart.
    fn gap(&mut self, span: Span, reason: GapReason);

    /// The rest of what is being read is not read: that is a question, but where version control has had the file since before the session.
    fn left_unread(&mut self, span: Span);

    /// Counts the work of taking a text of so many bytes apart.
    fn taken_apart(&mut self, bytes: usize);

    /// What follows is no more certain than this; gives how certain it was.
    fn lower(&mut self, to: Certainty) -> Certainty;

    /// What follows is as certain as it was.
    fn restore(&mut self, certainty: Certainty);

    /// Enters surroundings; `false` where that is not possible. Every `true` needs a [`Host::leave`].
    fn enter(&mut self, scope: Scope<'_>) -> bool;

    /// Leaves what was entered last.
    fn leave(&mut self);

    /// How many of the programs that are being read are this one: what runs now was started by them.
    fn within_program(&self, name: &str) -> usize;

    // Where programs run, and what they find there.

    /// The directory that relative paths start from, where it is known.
    fn directory(&self) -> Option<&str>;

    /// What follows starts from another directory; `None` where that is not known.
    fn go_to(&mut self, directory: Option<String>);

    /// A path as the current directory makes it.
    fn target(&self, text: &Text) -> Target;

    /// As [`Host::target`], where the path itself is followed when this call made it a link.
    fn followed(&self, text: &Text) -> Target;

    /// What a variable holds, where this call sets it.
    fn variable_set(&self, name: &str) -> Option<Text>;

    /// Variables that this call gave a value, by name, as far as `wanted`.
    fn assigned(&self, wanted: &dyn Fn(&str) -> bool) -> Vec<(String, Text)>;

    /// Gives a variable to the program that is about to be run, with what that means to it.
    fn environment_of(&mut self, name: &str, value: &Text, span: Span);

    /// What a variable means to programs that will find it: some are obeyed, some are run.
    fn environment(&mut self, name: &str, value: &Text, span: Span);

    /// The program that is about to be run does not get a variable, or none at all.
    fn without_variable(&mut self, name: Option<&str>);

    /// A place in the container shows one of this machine: a mount, or what was copied there.
    fn shows(&mut self, inside: &str, outside: &str);

    /// How many places are shown elsewhere, or linked to.
    fn shown(&self) -> usize;

    /// What is shown since there were so many is shown no more.
    fn hide(&mut self, before: usize);

    /// The settings of git's that this call made, by their keys; the one that counts stands last.
    fn git_settings_where(&mut self, wanted: &dyn Fn(&str) -> bool) -> Vec<(String, Text)>;

    /// A setting of git's is made.
    fn define_git_setting(&mut self, key: &str, value: Text);

    /// How many settings there are, to go back to.
    fn git_settings(&mut self) -> usize;

    /// Forgets what the options of one command said.
    fn forget_git_settings(&mut self, own: std::ops::Range<usize>);

    // Files.

    /// What stands at an absolute path: what this call wrote there, else what the facts say. Where they say nothing, the content is asked
    /// for.
    fn look(&mut self, path: &str) -> Found;

    /// The files that are there of a pattern's names; nothing where it is none, or the directory is not known.
    fn matches(&mut self, pattern: &Argument) -> Option<Vec<String>>;

    /// The program reads a file; gives what is in it, as far as it is known (a file written by this same call is).
    fn read(&mut self, file: &Argument) -> Text;

    /// The program reads a file if secrets are kept there; nothing is said of any other.
    fn read_secret(&mut self, file: &Argument);

    /// The program writes a file.
    fn write(&mut self, file: &Argument, mode: WriteMode, content: Text);

    /// The program deletes a file or directory.
    fn delete(&mut self, file: &Argument, recursive: bool);

    /// The program changes who may do what with a file.
    fn permission(&mut self, file: &Argument, recursive: bool, change: PermissionChange);

    /// The program is given a file and does with it what it likes; `changes` says that it is there to change it.
    fn hand(&mut self, file: &Argument, changes: bool);

    /// The program is handed the name of a file; where that is one that this call made executable, it may run it.
    fn handed(&mut self, file: &Argument);

    /// The program shows a directory to what it runs, which does with it what it likes.
    fn mount(&mut self, source: &Argument);

    /// A directory comes over the network with everything in it.
    fn brought(&mut self, directory: &Argument);

    /// Version control puts other versions of files in place.
    fn put_versions(&mut self, versions: Versions, span: Span);

    /// The words of the command of git's that printed a text.
    fn git_printed(&self, text: &Text) -> Vec<String>;

    /// An archive was unpacked into a directory: what version control packed of a revision stands there then.
    fn unpacks(&mut self, directory: &Argument, archive: &Text);

    /// Whether this call brought the directory, or one around it, over the network.
    fn came(&self, directory: &Text) -> bool;

    /// Whether this call wrote the file.
    fn wrote(&self, file: &Text) -> bool;

    /// Whether this call wrote any file.
    fn has_written(&self) -> bool;

    /// The files, by name, that this call wrote and whose names end with one of `endings`.
    fn written(&self, endings: &[&str]) -> Vec<String>;

    /// Whether a program wrote a file, or one that it runs.
    fn wrote_by(&self, path: &str, run: Option<EffectId>) -> bool;

    /// What stands in a file, unless it was looked at before.
    fn first_look(&mut self, path: &str) -> Option<Text>;

    /// Whether this call made files executable that nothing ran yet.
    fn has_executables(&self) -> bool;

    /// Whether the content of a file is what stood there before, changed: it comes from the file itself and from nothing that is hidden or
    /// far away.
    fn is_edit_of(&self, path: &str, content: &Text) -> bool;

    /// Whether code is what was in one file before, as it stood there: a copy is run as the file itself would be, and that is somebody's
    /// program and no gap (see [`Host::script`]). Whatever changes a text calls its output after itself.
    fn is_copy(&self, code: &Text) -> bool;

    /// The file that a code is a copy of, as it stands on the disk: `cat FILE | bash`, `psql < FILE`.
    fn copied_file(&mut self, code: &Text) -> Option<String>;

    /// Code with what files hold in the place of their copies, where it is made of several or of one and something else.
    fn with_copies(&mut self, code: &Text) -> Option<Text>;

    /// The files of data that a text was read from.
    fn files_behind(&self, text: &Text) -> Vec<String>;

    /// The names that a file holds, where a text is a copy of one and it holds nothing else: `xargs -a list rm`.
    fn with_names(&mut self, text: Text) -> Text;

    /// Whether a text is what stands in a project's file of settings, or lines chosen from it: assignments, as whoever loads it has it.
    fn holds_settings(&self, text: &Text) -> bool;

    /// Remembers that a file was read and starts nothing: that it does is what the decision goes by.
    fn passed_over(&mut self, file: &File, language: &'static str, span: Span);

    // What programs run.

    /// The program runs another program: name and arguments; gives what that one prints.
    fn run(&mut self, words: &[Argument], input: Option<Text>) -> Text;

    /// Reads as likely what may be a command; where it is none after all, nothing is said of it.
    fn suppose(&mut self, code: &Text, span: Span);

    /// The program runs `code` as shell code with `arguments` as `$0`, `$1`…; gives what it prints.
    fn shell(
        &mut self,
        code: &Text,
        span: Span,
        arguments: &[Argument],
        input: Option<Text>,
    ) -> Text;

    /// Keys are typed into a terminal, behind what was typed there before; `is_read` where lines that stand in them alone were read already.
    fn typed(&mut self, text: &str, is_read: bool, span: Span);

    /// A shell is started without anything to run: it takes its orders from whoever is there.
    fn interactive_shell(&mut self, span: Span);

    /// As [`Host::code`], with what arrives on the program's standard input.
    fn code_with_input(
        &mut self,
        language: &'static str,
        code: &Text,
        span: Span,
        arguments: &[Argument],
        input: Option<Text>,
    ) -> Text;

    /// The program runs a file as a script in `language`; its own first line or name is obeyed where the language is `shell`. A file that
    /// this call did not write is somebody's program, not a gap.
    fn script(
        &mut self,
        language: &'static str,
        file: &Argument,
        arguments: &[Argument],
        input: Option<Text>,
    ) -> Text;

    /// As [`Host::script`], where `arguments` are all the words that the script is given.
    fn script_with_its_words(
        &mut self,
        language: &'static str,
        file: &Argument,
        arguments: &[Argument],
        input: Option<Text>,
    ) -> Text;

    /// Runs a file in a language; what was there before this call and was not read is somebody's program. Gives what it prints.
    fn run_file(
        &mut self,
        language: &'static str,
        path: &str,
        span: Span,
        arguments: &[Argument],
        input: Option<Text>,
    ) -> Option<Text>;

    /// Runs the text of a file in a language.
    fn run_text(
        &mut self,
        language: &'static str,
        file: &File,
        span: Span,
        arguments: &[Argument],
        input: Option<Text>,
    ) -> Option<Text>;

    /// A file that a program loads beside what it was told to run; the second time nothing of it runs. Gives whether there is one.
    fn load(&mut self, language: &'static str, path: &str, span: Span) -> bool;

    /// As [`Host::load`], where what it loads itself is looked for below some directories.
    fn load_from(
        &mut self,
        roots: &[String],
        language: &'static str,
        path: &str,
        span: Span,
    ) -> bool;

    /// As [`Host::load_from`], where only what stands in this text of the file runs.
    fn load_text_from(&mut self, roots: &[String], language: &'static str, file: &File, span: Span);

    /// As [`Host::load`], where whoever loads it has only this text of it: what the file does as a program is left to whoever runs it.
    fn load_module(&mut self, language: &'static str, file: &File, text: &str, span: Span);

    /// Goes to what code in a directory loads; `false` where that is too far from what was started. Every `true` needs a
    /// [`Host::leave_imports`].
    fn enter_imports(&mut self, directory: &str, most: usize) -> bool;

    /// Comes back from what code loads.
    fn leave_imports(&mut self);

    /// Where modules are looked for by their whole names.
    fn import_roots(&self) -> Vec<String>;

    /// What is known of the modules that are being read, of each that loads the next.
    fn importing(&mut self) -> &mut Vec<Importing>;

    /// Whether a file is there that was loaded nowhere.
    fn leaves_out(&self, path: &str) -> bool;

    // What follows from the above.

    /// A rule's id for something that no other effect says.
    fn note(&mut self, rule: &'static str, span: Span) {
        self.emit(EffectKind::Noted(rule), span);
    }

    /// The program talks to `address` and sends it `sends`; gives what comes back.
    fn connect(&mut self, address: &Argument, sends: Option<Text>, listens: bool) -> Text {
        let host = address::host(&address.text);
        let is_local = !listens && host.as_deref().is_some_and(hosts::is_this_machine);
        let said = sends.clone().filter(|said| !listens && !said.is_empty());
        let statements = queries::within(&address.text, said.as_ref());
        let connection =
            Connection { address: address.text.clone(), host, sends, listens, is_local };
        let id = self.emit(EffectKind::Connect(connection), address.span);
        if let Some(said) = said {
            self.tell_store(address, said);
        }
        for statement in statements {
            self.query(&statement, address.span);
        }
        let mut received = Text::unknown(&address.text.display());
        received.taint = Taint::NETWORK;
        received.sources.push(id);
        received
    }

    /// `printf 'FLUSHALL\r\n' > /dev/tcp/HOST/6379`: a store that takes its commands from whoever connects, told as its client is.
    fn tell_store(&mut self, address: &Argument, said: Text) {
        let shown = address.text.display();
        if let Some(host) = shown.strip_suffix(":6379") {
            let host = host.rsplit("//").next().unwrap_or(host).to_owned();
            let words = ["redis-cli", "-h", host.as_str()]
                .map(|word| Argument { text: Text::known(word), span: address.span });
            self.run(&words, Some(said));
        }
        // RFC 5321: each of them gets the mail.
        else if [":25", ":465", ":587"].iter().any(|port| shown.ends_with(port)) {
            let said = said.display().to_ascii_uppercase();
            match said.matches("RCPT TO").count() {
                0 => {}
                1 => self.note("messages.send", address.span),
                _ => self.note("messages.send.many", address.span),
            }
        }
        // github.com/memcached/memcached, doc/protocol.txt
        else if shown.ends_with(":11211") && said.display().contains("flush_all") {
            self.note("db.script.drop", address.span);
        }
    }

    /// Sends a statement to a database.
    fn query(&mut self, statement: &Text, span: Span) -> EffectId {
        self.emit(EffectKind::Query { statement: statement.clone() }, span)
    }

    /// What follows runs with the rights of `user`.
    fn privilege(&mut self, user: Text, span: Span) {
        self.emit(EffectKind::Privilege { user }, span);
    }

    /// The program puts what version control keeps in the place of what stands there, or in the whole work tree around it.
    fn discard(&mut self, file: &Argument, whole: bool) {
        let target = self.target(&file.text);
        self.emit(EffectKind::Discard { target, whole }, file.span);
    }

    /// The program opens a database in a file, `PATH` or `file:PATH?mode=ro`, and may change what is in it.
    fn database(&mut self, file: &Argument, changes: bool) -> Text {
        let named = file.text.known_prefix();
        let text = match named.strip_prefix("file:") {
            None if matches!(file.text.as_known(), Some("" | ":memory:")) => {
                return Text::default();
            }
            None => file.text.clone(),
            Some(uri) => {
                let path = address::sqlite_path(uri);
                if file.text.has_unknown() && !uri.contains(['?', '#']) {
                    file.text.beginning_with(&path)
                } else {
                    file.text.derive([Piece::Known(path)])
                }
            }
        };
        let file = Argument { text, span: file.span };
        if changes {
            self.hand(&file, true);
        }
        self.read(&file)
    }

    /// The program runs `code` as code in `language` (`python`, `perl`, `javascript`, `awk`…) with `arguments`: what the
    /// code sees behind its own name.
    fn code(
        &mut self,
        language: &'static str,
        code: &Text,
        span: Span,
        arguments: &[Argument],
    ) -> Text {
        self.code_with_input(language, code, span, arguments, None)
    }

    /// What this call made a setting of git's: of an alias, or of what a push sends. Git does not tell capitals apart.
    fn git_setting(&mut self, key: &str) -> Option<Text> {
        self.git_settings_where(&|known| known.eq_ignore_ascii_case(key))
            .pop()
            .map(|(_, value)| value)
    }
}

/// What is read in other surroundings, by whoever knows the host only as one.
impl dyn Host + '_ {
    /// Reads what follows as likely, not certain.
    pub fn at_likely<T>(&mut self, read: impl FnOnce(&mut dyn Host) -> T) -> T {
        self.at_most(Certainty::Likely, read)
    }

    /// Reads what follows as no more than possible or likely.
    pub fn at_most<T>(&mut self, certainty: Certainty, read: impl FnOnce(&mut dyn Host) -> T) -> T {
        let outer = self.lower(certainty);
        let result = read(self);
        self.restore(outer);
        result
    }

    /// Reads what follows as done in another directory.
    pub fn within<T>(&mut self, directory: &Argument, read: impl FnOnce(&mut dyn Host) -> T) -> T {
        let outer = self.directory().map(str::to_owned);
        let inner = self.target(&directory.text).path;
        self.go_to(inner);
        let result = read(self);
        self.go_to(outer);
        result
    }

    /// What a file of settings or commands says that an option names: what this call wrote into it, or what stands on the disk.
    pub fn read_named(&mut self, file: &Argument) -> Text {
        let on_disk = match self.target(&file.text).path {
            Some(path) if !self.wrote(&file.text) => self.look(&path).file(),
            _ => None,
        };
        let Some(found) = on_disk else { return self.read(file) };
        if found.text.len() > KNOWN_BYTES {
            self.left_unread(file.span);
        }
        Text::known(&*found.text)
    }

    /// What arrives on a program's input: where that is a file as it stands on the disk, what is in it.
    pub fn text_of_input(&mut self, input: &Text) -> Text {
        if input.as_known().is_some() {
            return input.clone();
        }
        let file = self.copied_file(input).and_then(|path| self.look(&path).file());
        file.map_or_else(
            || input.clone(),
            |file| input.derive([Piece::Known(file.text.to_string())]),
        )
    }

    /// Reads the text of a file; `None` where it is not entered, see [`Scope::File`].
    pub fn in_file<T>(
        &mut self,
        file: &File,
        language: &'static str,
        span: Span,
        read: impl FnOnce(&mut dyn Host) -> T,
    ) -> Option<T> {
        self.entered(Scope::File { file, language, span }, read)
    }

    /// As `in_file`, for one task of the file, which may start another one of it.
    pub fn in_task<T>(
        &mut self,
        file: &File,
        task: &str,
        language: &'static str,
        span: Span,
        read: impl FnOnce(&mut dyn Host) -> T,
    ) -> Option<T> {
        self.entered(Scope::Task { file, task, language, span }, read)
    }

    fn entered<T>(&mut self, scope: Scope<'_>, read: impl FnOnce(&mut dyn Host) -> T) -> Option<T> {
        self.enter(scope).then(|| {
            let result = read(self);
            self.leave();
            result
        })
    }

    /// Looks for files of a project, see [`Scope::Project`].
    pub fn in_project<T>(&mut self, read: impl FnOnce(&mut dyn Host) -> T) -> T {
        self.around(Scope::Project, read)
    }

    /// Reads what runs in a container, see [`Scope::Container`].
    pub fn in_container<T>(&mut self, read: impl FnOnce(&mut dyn Host) -> T) -> T {
        self.around(Scope::Container, read)
    }

    /// Reads a program with an environment of its own, which is forgotten after it.
    pub fn with_environment<T>(&mut self, read: impl FnOnce(&mut dyn Host) -> T) -> T {
        self.around(Scope::Environment, read)
    }

    /// Reads what follows in surroundings; as it is where they are not entered.
    fn around<T>(&mut self, scope: Scope<'_>, read: impl FnOnce(&mut dyn Host) -> T) -> T {
        let is_entered = self.enter(scope);
        let result = read(self);
        if is_entered {
            self.leave();
        }
        result
    }
}

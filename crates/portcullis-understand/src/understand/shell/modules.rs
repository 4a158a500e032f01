//! Modules that code loads. Owns which were loaded and where they are looked for; what code names them, `programs::started::imports` reads.

use portcullis_syntax::Span;

use super::walk::Walk;
use crate::{
    effect::{Argument, Certainty},
    facts::FileFact,
    programs::found::{File, Found},
    text::Text,
};

/// What is put behind the name of a file that was loaded in part: no file is called so.
const PART: &str = "\0part";

impl Walk<'_> {
    /// As [`Walk::script`], where `arguments` are all the words that the script is given.
    pub(crate) fn script_with_its_words(
        &mut self,
        language: &'static str,
        file: &Argument,
        arguments: &[Argument],
        input: Option<Text>,
    ) -> Text {
        self.sources.imports.has_words = true;
        let printed = self.script(language, file, arguments, input);
        self.sources.imports.has_words = false;
        printed
    }

    /// Whether code is the text of a file that was started with words that are all told: neither a module that another file loads, nor a text that
    /// is run inside of one.
    pub(in crate::understand) fn is_started_with_words(&self, text: &str) -> bool {
        !self.sources.imports.words_are_shared
            && self.sources.imports.started.as_deref() == Some(text)
    }

    /// A file that a program loads beside what it was told to run; the second time nothing of it runs. Gives whether there is one.
    pub(crate) fn load(&mut self, language: &'static str, path: &str, span: Span) -> bool {
        let found = self.look(path);
        // Each version of it is loaded once.
        let name = self.sources.name_of(path).to_owned();
        match found {
            Found::File(_)
                if self.sources.imports.loaded.contains(&name) || self.sources.is_open(path) =>
            {
                true
            }
            Found::File(file) => {
                self.load_text(language, &file, span);
                true
            }
            Found::NotRead(why) => {
                self.not_read(language, path, span, why);
                true
            }
            Found::Nothing | Found::Directory(_) => false,
        }
    }

    /// As [`Walk::load`], where only what stands in this text of the file runs.
    pub(crate) fn load_text(&mut self, language: &'static str, file: &File, span: Span) {
        let name = self.sources.name_of(&file.path).to_owned();
        if self.sources.is_open(&file.path) || !self.sources.imports.loaded.insert(name) {
            return;
        }
        self.at_most(Certainty::Likely, |walk| {
            walk.run_text(language, file, span, &[], None);
        });
    }

    /// As [`Walk::load_text`], where the file may be loaded whole beside that.
    pub(crate) fn load_module(
        &mut self,
        language: &'static str,
        file: &File,
        text: &str,
        span: Span,
    ) {
        let name = self.sources.name_of(&file.path).to_owned();
        let loaded = &mut self.sources.imports.loaded;
        // Each part of it that runs is loaded once.
        let part = format!("{name}{PART}{}", crate::hash::whole(text));
        if loaded.contains(&name) || !loaded.insert(part) {
            return;
        }
        loaded.insert(format!("{name}{PART}"));
        if self.sources.is_open(&file.path) {
            return;
        }
        let file = File { text: text.into(), ..file.clone() };
        self.at_most(Certainty::Likely, |walk| {
            walk.run_text(language, &file, span, &[], None);
        });
    }

    /// As [`Walk::load_text`], where what it loads itself is looked for below some directories.
    pub(crate) fn load_text_from(
        &mut self,
        roots: &[String],
        language: &'static str,
        file: &File,
        span: Span,
    ) {
        let outer = std::mem::replace(&mut self.sources.imports.roots, roots.to_vec());
        self.load_text(language, file, span);
        self.sources.imports.roots = outer;
    }

    /// As [`Walk::load`], where what it loads itself is looked for below some directories.
    pub(crate) fn load_from(
        &mut self,
        roots: &[String],
        language: &'static str,
        path: &str,
        span: Span,
    ) -> bool {
        let outer = std::mem::replace(&mut self.sources.imports.roots, roots.to_vec());
        let found = self.load(language, path, span);
        self.sources.imports.roots = outer;
        found
    }

    /// Goes to what code in a directory loads; `false` where that is too far from what was started. Every `true` needs a
    /// [`Walk::leave_imports`].
    pub(crate) fn enter_imports(&mut self, directory: &str, most: usize) -> bool {
        self.sources.imports.enter(directory, most)
    }

    /// Whether a file is there that was loaded nowhere.
    pub(crate) fn leaves_out(&self, path: &str) -> bool {
        let is_there =
            matches!(self.content(path), Some(FileFact::Read(_) | FileFact::NotRead { .. }));
        let name = self.sources.name_of(path);
        let is_loaded = self.sources.imports.loaded.contains(name)
            || self.sources.imports.loaded.contains(&format!("{name}{PART}"));
        is_there && !is_loaded && !self.sources.is_open(path)
    }

    /// Comes back from what code loads.
    pub(crate) fn leave_imports(&mut self) {
        self.sources.imports.leave();
    }

    /// Where modules are looked for by their whole names.
    pub(crate) fn import_roots(&self) -> Vec<String> {
        self.sources.imports.roots.clone()
    }
}

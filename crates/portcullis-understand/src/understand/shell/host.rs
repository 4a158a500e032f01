//! The shell as the host of programs. Owns nothing but the way from what rows in `programs` ask for to what does it.

use portcullis_syntax::Span;

use super::walk::Walk;
use crate::{
    effect::{
        Argument, Certainty, EffectId, EffectKind, GapReason, PermissionChange, Target, WriteMode,
    },
    facts::{Facts, PathFact},
    programs::{
        escapes,
        found::{File, Found, Versions},
        host::{Host, Scope},
    },
    text::Text,
};

impl Host for Walk<'_> {
    fn facts(&self) -> &Facts {
        Walk::facts(self)
    }

    fn known_of(&self, path: &str) -> Option<&PathFact> {
        Walk::known_of(self, path)
    }

    fn emit(&mut self, kind: EffectKind, span: Span) -> EffectId {
        Walk::emit(self, kind, span)
    }

    fn gap(&mut self, span: Span, reason: GapReason) {
        Walk::gap(self, span, reason);
    }

    fn left_unread(&mut self, span: Span) {
        Walk::left_unread(self, span);
    }

    fn taken_apart(&mut self, bytes: usize) {
        self.charge(bytes / super::BYTES_PER_WORK);
    }

    fn lower(&mut self, to: Certainty) -> Certainty {
        Walk::lower(self, to)
    }

    fn restore(&mut self, certainty: Certainty) {
        Walk::restore(self, certainty);
    }

    fn enter(&mut self, scope: Scope<'_>) -> bool {
        self.enter_scope(scope)
    }

    fn leave(&mut self) {
        self.leave_scope();
    }

    fn within_program(&self, name: &str) -> usize {
        Walk::within_program(self, name)
    }

    fn directory(&self) -> Option<&str> {
        Walk::directory(self)
    }

    fn go_to(&mut self, directory: Option<String>) {
        Walk::go_to(self, directory);
    }

    fn target(&self, text: &Text) -> Target {
        Walk::target(self, text)
    }

    fn followed(&self, text: &Text) -> Target {
        Walk::followed(self, text)
    }

    fn variable_set(&self, name: &str) -> Option<Text> {
        Walk::variable_set(self, name)
    }

    fn assigned(&self, wanted: &dyn Fn(&str) -> bool) -> Vec<(String, Text)> {
        Walk::assigned(self, wanted)
    }

    fn environment_of(&mut self, name: &str, value: &Text, span: Span) {
        Walk::environment_of(self, name, value, span);
    }

    fn environment(&mut self, name: &str, value: &Text, span: Span) {
        Walk::environment(self, name, value, span);
    }

    fn without_variable(&mut self, name: Option<&str>) {
        Walk::without_variable(self, name);
    }

    fn shows(&mut self, inside: &str, outside: &str) {
        Walk::shows(self, inside, outside);
    }

    fn shown(&self) -> usize {
        self.state.links()
    }

    fn hide(&mut self, before: usize) {
        self.state.forget_links(before);
    }

    fn git_settings_where(&mut self, wanted: &dyn Fn(&str) -> bool) -> Vec<(String, Text)> {
        Walk::git_settings_where(self, wanted)
    }

    fn define_git_setting(&mut self, key: &str, value: Text) {
        Walk::define_git_setting(self, key, value);
    }

    fn git_settings(&mut self) -> usize {
        Walk::git_settings(self)
    }

    fn forget_git_settings(&mut self, own: std::ops::Range<usize>) {
        Walk::forget_git_settings(self, own);
    }

    fn typed(&mut self, text: &str, is_read: bool, span: Span) {
        Walk::typed(self, text, is_read, span);
    }

    fn matches(&mut self, pattern: &Argument) -> Option<Vec<String>> {
        Walk::matching(self, &pattern.text, pattern.span)
    }

    fn look(&mut self, path: &str) -> Found {
        self.look_whole(path)
    }

    fn read(&mut self, file: &Argument) -> Text {
        Walk::read(self, file)
    }

    fn read_secret(&mut self, file: &Argument) {
        Walk::read_secret(self, file);
    }

    fn write(&mut self, file: &Argument, mode: WriteMode, content: Text) {
        Walk::write(self, file, mode, content);
    }

    fn delete(&mut self, file: &Argument, recursive: bool) {
        Walk::delete(self, file, recursive);
    }

    fn permission(&mut self, file: &Argument, recursive: bool, change: PermissionChange) {
        Walk::permission(self, file, recursive, change);
    }

    fn hand(&mut self, file: &Argument, changes: bool) {
        Walk::hand(self, file, changes);
    }

    fn handed(&mut self, file: &Argument) {
        Walk::handed(self, file);
    }

    fn mount(&mut self, source: &Argument) {
        Walk::mount(self, source);
    }

    fn brought(&mut self, directory: &Argument) {
        Walk::brought(self, directory);
    }

    fn put_versions(&mut self, versions: Versions, span: Span) {
        let root = self.facts.workspace.as_deref();
        if !self.provenance.put(versions, root) {
            self.gap(span, GapReason::Limit);
        }
    }

    fn git_printed(&self, text: &Text) -> Vec<String> {
        let printed = text.sources.iter().find_map(|id| {
            match &self.recorder.effects.list.get(usize::try_from(id.0).ok()?)?.kind {
                EffectKind::Run(run) if run.program == "git" => Some(&run.arguments),
                _ => None,
            }
        });
        let words = printed.into_iter().flat_map(|words| words.iter());
        words.filter_map(|word| word.text.as_known().map(str::to_owned)).collect()
    }

    fn unpacks(&mut self, directory: &Argument, archive: &Text) {
        let packed = archive.sources.iter().find_map(|id| {
            match &self.recorder.effects.list.get(usize::try_from(id.0).ok()?)?.kind {
                EffectKind::Run(run) if run.program == "git" => escapes::archived(&run.arguments),
                _ => None,
            }
        });
        let Some((revision, remote)) = packed else {
            self.unpacks_into(directory);
            return;
        };
        let Some(to) = self.target(&directory.text).path else { return };
        let repository = remote.and_then(|remote| self.target(&remote.text).path);
        let versions = Versions {
            to,
            from: self.directory().filter(|_| repository.is_none()).map(str::to_owned),
            repository,
            is_unclear: revision.is_none(),
            revisions: revision.into_iter().collect(),
        };
        self.put_versions(versions, directory.span);
    }

    fn came(&self, directory: &Text) -> bool {
        self.target(directory).path.is_some_and(|path| self.is_brought_whole(&path))
    }

    fn wrote(&self, file: &Text) -> bool {
        Walk::wrote(self, file)
    }

    fn has_written(&self) -> bool {
        Walk::has_written(self)
    }

    fn written(&self, endings: &[&str]) -> Vec<String> {
        Walk::written(self, endings)
    }

    fn wrote_by(&self, path: &str, run: Option<EffectId>) -> bool {
        Walk::wrote_by(self, path, run)
    }

    fn first_look(&mut self, path: &str) -> Option<Text> {
        Walk::first_look(self, path)
    }

    fn has_executables(&self) -> bool {
        Walk::has_executables(self)
    }

    fn is_edit_of(&self, path: &str, content: &Text) -> bool {
        Walk::is_edit_of(self, path, content)
    }

    fn is_copy(&self, code: &Text) -> bool {
        Walk::is_copy(self, code)
    }

    fn copied_file(&mut self, code: &Text) -> Option<String> {
        Walk::copied_file(self, code)
    }

    fn with_copies(&mut self, code: &Text) -> Option<Text> {
        Walk::with_copies(self, code)
    }

    fn files_behind(&self, text: &Text) -> Vec<String> {
        Walk::files_behind(self, text)
    }

    fn with_names(&mut self, text: Text) -> Text {
        Walk::with_names(self, text)
    }

    fn holds_settings(&self, text: &Text) -> bool {
        Walk::holds_settings(self, text)
    }

    fn passed_over(&mut self, file: &File, language: &'static str, span: Span) {
        Walk::passed_over(self, file, language, span);
    }

    fn run(&mut self, words: &[Argument], input: Option<Text>) -> Text {
        Walk::run(self, words, input)
    }

    fn suppose(&mut self, code: &Text, span: Span) {
        let mark = self.gaps();
        self.at_most(Certainty::Likely, |walk| walk.shell(code, span, &[], None));
        self.forgive(
            mark,
            &[GapReason::Unparsed, GapReason::UnknownProgram, GapReason::UnknownCode],
        );
    }

    fn shell(
        &mut self,
        code: &Text,
        span: Span,
        arguments: &[Argument],
        input: Option<Text>,
    ) -> Text {
        Walk::shell(self, code, span, arguments, input)
    }

    fn interactive_shell(&mut self, span: Span) {
        Walk::interactive_shell(self, span);
    }

    fn code_with_input(
        &mut self,
        language: &'static str,
        code: &Text,
        span: Span,
        arguments: &[Argument],
        input: Option<Text>,
    ) -> Text {
        Walk::code_with_input(self, language, code, span, arguments, input)
    }

    fn script(
        &mut self,
        language: &'static str,
        file: &Argument,
        arguments: &[Argument],
        input: Option<Text>,
    ) -> Text {
        Walk::script(self, language, file, arguments, input)
    }

    fn script_with_its_words(
        &mut self,
        language: &'static str,
        file: &Argument,
        arguments: &[Argument],
        input: Option<Text>,
    ) -> Text {
        Walk::script_with_its_words(self, language, file, arguments, input)
    }

    fn run_file(
        &mut self,
        language: &'static str,
        path: &str,
        span: Span,
        arguments: &[Argument],
        input: Option<Text>,
    ) -> Option<Text> {
        Walk::run_file(self, language, path, span, arguments, input)
    }

    fn run_text(
        &mut self,
        language: &'static str,
        file: &File,
        span: Span,
        arguments: &[Argument],
        input: Option<Text>,
    ) -> Option<Text> {
        Walk::run_text(self, language, file, span, arguments, input)
    }

    fn load(&mut self, language: &'static str, path: &str, span: Span) -> bool {
        Walk::load(self, language, path, span)
    }

    fn load_from(
        &mut self,
        roots: &[String],
        language: &'static str,
        path: &str,
        span: Span,
    ) -> bool {
        Walk::load_from(self, roots, language, path, span)
    }

    fn load_text_from(
        &mut self,
        roots: &[String],
        language: &'static str,
        file: &File,
        span: Span,
    ) {
        Walk::load_text_from(self, roots, language, file, span);
    }

    fn load_module(&mut self, language: &'static str, file: &File, text: &str, span: Span) {
        Walk::load_module(self, language, file, text, span);
    }

    fn enter_imports(&mut self, directory: &str, most: usize) -> bool {
        Walk::enter_imports(self, directory, most)
    }

    fn leave_imports(&mut self) {
        Walk::leave_imports(self);
    }

    fn import_roots(&self) -> Vec<String> {
        Walk::import_roots(self)
    }

    fn importing(&mut self) -> &mut Vec<crate::programs::importing::Importing> {
        &mut self.sources.imports.importing
    }

    fn leaves_out(&self, path: &str) -> bool {
        Walk::leaves_out(self, path)
    }
}

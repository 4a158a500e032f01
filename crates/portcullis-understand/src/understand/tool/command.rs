//! Arguments that are run: commands, scripts, code, statements. Owns how sure it is that one of them is.

use portcullis_syntax::Span;
use serde_json::Value;

use super::{Beside, Reader, Spot};
use crate::{
    action::shell_quoted,
    effect::{EffectKind, GapReason, LayerId},
    programs::host::Host,
    text::Text,
    understand::{
        as_shell, code,
        meaning::{
            key::Role,
            look::{self, Strictness},
        },
        shell::Walk,
    },
};

/// How sure it is that a text is run, and so what it means that a part of it cannot be read.
#[derive(Clone, Copy, Eq, PartialEq)]
pub(super) enum Told {
    /// Its name says so.
    Surely,
    /// It is typed into a terminal, perhaps as an answer to a program there.
    Typed,
    /// It may be something else.
    Guessed,
}

impl Told {
    fn forgives(self) -> &'static [GapReason] {
        match self {
            Self::Surely => &[],
            Self::Typed => &[GapReason::Unparsed],
            Self::Guessed => {
                &[GapReason::Unparsed, GapReason::UnknownProgram, GapReason::UnknownCode]
            }
        }
    }
}

/// The languages that a text is tried in when nothing says which one it is.
const TRIED: &[&str] = &["python", "javascript"];

/// A language or a shell by its name; nothing for what is no language that is run.
pub(super) fn language(name: &str) -> Option<&'static str> {
    let name = name.trim();
    let name = name.rsplit(['/', '\\']).next().unwrap_or(name);
    if ["bash", "sh", "shell", "zsh", "shellscript"].iter().any(|it| it.eq_ignore_ascii_case(name))
    {
        return Some("shell");
    }
    code::language(name).map(|language| language.name)
}

impl Reader<'_, '_> {
    /// A command for a shell, with what stands beside it.
    pub(super) fn command(&mut self, text: &str, at: &Spot, beside: &Beside<'_>, told: Told) {
        // The key that ends a line in a terminal; as long as the other, so that places stay what they are.
        let typed = text.replace('\r', "\n");
        let text = if self.name.is_terminal() { &typed } else { text };
        let languages = self.foreign(text, beside);
        if self.name.is_database() && look::is_statement(text, Strictness::Word) {
            self.query(text, at);
        }
        let Some(layer) = at.open(self.walk, text) else { return };
        for language in &languages {
            self.in_language(language, text, layer, told);
        }
        let told = if languages.is_empty() { told } else { Told::Guessed };
        let line = self.line(text, beside);
        self.in_shell(layer, text, line.as_deref(), beside, told);
        let program = self.name.program().filter(|program| {
            text.split_whitespace().next().is_some_and(|first| first != *program)
        });
        if let Some(program) = program {
            let line = format!("{program} {}", line.as_deref().unwrap_or(text));
            self.in_shell(layer, text, Some(&line), beside, Told::Guessed);
        }
    }

    /// Words of a command without the command: those of the program that the tool is about.
    pub(super) fn lone_arguments(&mut self, text: &str, at: &Spot, beside: &Beside<'_>) {
        if beside.has_command {
            return;
        }
        if self.name.program().is_some() {
            self.command(text, at, beside, Told::Guessed);
        } else if self.name.runs() {
            self.typed(text, at, beside);
        }
    }

    /// A list that is a command, or several of them; gives whether it is.
    pub(super) fn words_of_a_command(
        &mut self,
        role: Role,
        items: &[Value],
        at: &Spot,
        beside: &Beside<'_>,
    ) -> bool {
        let lone = role == Role::Arguments && !beside.has_command;
        if !matches!(role, Role::Command | Role::Commands | Role::Script | Role::Keys) && !lone {
            return false;
        }
        let words: Option<Vec<String>> = items.iter().map(word).collect();
        let Some(words) = words.filter(|words| !words.is_empty()) else { return false };
        if role == Role::Keys {
            return false;
        }
        if lone && self.name.program().is_none() && !self.name.runs() {
            return false;
        }
        let divided = words.iter().all(|word| !word.contains(char::is_whitespace));
        let first = words.first().map_or("", String::as_str);
        let is_one = match role {
            Role::Commands | Role::Script => divided && words.len() > 1,
            _ => !first.contains(char::is_whitespace),
        };
        if is_one && let Some(layer) = at.below("0").open(self.walk, first) {
            let quoted: Vec<_> = words.iter().map(|word| shell_quoted(word)).collect();
            let line = quoted.join(" ");
            let told = if role == Role::Command { Told::Surely } else { Told::Guessed };
            if !lone || self.name.runs() {
                self.in_shell(layer, first, Some(&line), beside, told);
            }
            if let Some(program) = self.name.program().filter(|program| first != *program) {
                let line = format!("{program} {line}");
                self.in_shell(layer, first, Some(&line), beside, Told::Guessed);
            }
        }
        if !is_one || matches!(role, Role::Commands | Role::Script) {
            self.sequence(&words, at, beside);
        }
        true
    }

    /// Several commands: each for itself, and one after the other in one shell.
    fn sequence(&mut self, commands: &[String], at: &Spot, beside: &Beside<'_>) {
        let mut layers = Vec::new();
        for (index, command) in commands.iter().enumerate() {
            let Some(layer) = at.below(&index.to_string()).open(self.walk, command) else { return };
            layers.push((layer, command));
            self.in_shell(layer, command, None, beside, Told::Surely);
        }
        if layers.len() > 1 {
            self.each_place(beside, |walk| {
                for (layer, command) in &layers {
                    walk.reopen(*layer);
                    walk.script_text(command);
                }
            });
        }
    }

    /// A script, which may be of a shell or of something else.
    pub(super) fn script(&mut self, text: &str, at: &Spot, beside: &Beside<'_>) {
        let named = self.named_languages(text, None, beside);
        let shell = named.is_empty() || named.contains(&"shell");
        if self.name.is_page() && !self.name.is_terminal() {
            self.in_page(text, at);
        } else if shell {
            // A name in a list of scripts (`build`) is one word, and no shell minds it.
            self.command(text, at, beside, Told::Surely);
        } else {
            self.code(text, None, at, beside);
        }
    }

    /// Code in a language that its name says, or something beside it, or the tool, or the code itself.
    pub(super) fn code(
        &mut self,
        text: &str,
        named: Option<&'static str>,
        at: &Spot,
        beside: &Beside<'_>,
    ) {
        let is_written = beside.has_path && beside.verb > Some(super::Verb::Copy);
        if (self.name.inspects() || is_written) && !self.name.runs() {
            return;
        }
        if look::is_statement(text, Strictness::Shape) {
            self.query(text, at);
        }
        let languages = self.named_languages(text, named, beside);
        let Some(layer) = at.open(self.walk, text) else { return };
        for language in &languages {
            match *language {
                "shell" => self.in_shell(layer, text, None, beside, Told::Surely),
                language => self.in_language(language, text, layer, Told::Surely),
            }
        }
        if languages.is_empty() && text.contains(|letter: char| !letter.is_alphanumeric()) {
            for language in TRIED {
                self.in_language(language, text, layer, Told::Guessed);
            }
            if reads_as_command(self.walk, text) {
                self.in_shell(layer, text, None, beside, Told::Guessed);
            }
        }
    }

    /// A function or an expression: code where the tool runs some.
    pub(super) fn function(&mut self, text: &str, at: &Spot, beside: &Beside<'_>) {
        if self.name.is_page() && beside.languages.is_empty() {
            self.in_page(text, at);
        } else if self.name.runs() || look::language(text).is_some() {
            self.code(text, None, at, beside);
        }
    }

    /// A script of a page stays in the page; it is read for what it fetches and sends.
    fn in_page(&mut self, text: &str, at: &Spot) {
        let Some(layer) = at.open(self.walk, text) else { return };
        self.in_language("javascript", text, layer, Told::Guessed);
        if let Some(other) = look::language(text).filter(|language| *language != "javascript") {
            self.in_language(other, text, layer, Told::Guessed);
        }
    }

    /// A statement for a database, where it is one.
    pub(super) fn statement(&mut self, text: &str, role: Role, at: &Spot) {
        let strictness = match (self.name.is_database(), self.name.searches()) {
            (true, false) => Strictness::Word,
            (false, true) if role == Role::Query => return,
            _ => Strictness::Shape,
        };
        if role == Role::Sql || look::is_statement(text, strictness) {
            self.query(text, at);
        }
    }

    fn query(&mut self, text: &str, at: &Spot) {
        if at.open(self.walk, text).is_some() {
            let whole = self.walk.whole(text);
            self.walk.query(&whole.text, whole.span);
        }
    }

    /// What is typed: a command where the tool is a terminal or says that it runs something.
    pub(super) fn typed(&mut self, text: &str, at: &Spot, beside: &Beside<'_>) {
        if self.name.is_database() && look::is_statement(text, Strictness::Word) {
            return self.query(text, at);
        }
        let into_terminal = self.name.is_itself_terminal()
            || self.name.is_terminal() && !beside.has_path && !beside.has_command;
        if into_terminal {
            return self.command(text, at, beside, Told::Typed);
        }
        if !self.name.runs() || self.name.talks() || beside.has_command {
            return;
        }
        if let Some(language) = self.name.language().or_else(|| look::language(text)) {
            self.code(text, Some(language), at, beside);
        } else if reads_as_command(self.walk, text) {
            self.command(text, at, beside, Told::Guessed);
        }
    }

    /// Keys that are pressed, in a terminal or elsewhere.
    pub(super) fn keys(&mut self, text: &str, at: &Spot, beside: &Beside<'_>) {
        if self.name.is_terminal() {
            self.command(text, at, beside, Told::Typed);
            let Some(layer) = at.open(self.walk, text) else { return };
            let span = Span::new(0, text.len());
            let keys = if beside.ends_line { format!("{text}\n") } else { text.to_owned() };
            self.walk.afresh(|walk| {
                walk.reopen(layer);
                walk.typed(&keys, true, span);
            });
        }
    }

    /// Variables that something is started with.
    pub(super) fn environment(&mut self, beside: &Beside<'_>, at: &Spot) {
        for (name, value) in &beside.variables {
            if at.below(name).open(self.walk, value).is_some() {
                let whole = self.walk.whole(value);
                self.walk.afresh(|walk| walk.environment_of(name, &whole.text, whole.span));
            }
        }
    }

    /// The whole command line, where its words stand beside it.
    fn line(&self, text: &str, beside: &Beside<'_>) -> Option<String> {
        let more = match beside.arguments? {
            Value::String(more) => more.clone(),
            Value::Array(items) => {
                let words: Option<Vec<String>> = items.iter().map(word).collect();
                words?.iter().map(|word| shell_quoted(word)).collect::<Vec<_>>().join(" ")
            }
            _ => return None,
        };
        (!more.is_empty()).then(|| format!("{text} {more}"))
    }

    pub(super) fn in_shell(
        &mut self,
        layer: LayerId,
        text: &str,
        line: Option<&str>,
        beside: &Beside<'_>,
        told: Told,
    ) {
        let input = beside.input.map(Text::known);
        self.guessed(told, |reader| {
            reader.each_place(beside, |walk| {
                walk.reopen(layer);
                match line {
                    Some(line) => {
                        let span = Span::new(0, text.len());
                        walk.shell(&Text::known(line), span, &[], input.clone());
                    }
                    None => {
                        walk.feed_input(input.clone());
                        walk.script_text(text);
                        walk.feed_input(None);
                    }
                }
            });
        });
    }

    /// Reads something where the call runs, and in every directory that is named beside it.
    fn each_place(&mut self, beside: &Beside<'_>, mut read: impl FnMut(&mut Walk<'_>)) {
        let named = beside.directories.iter().chain(&beside.paths).map(|path| Some(*path));
        for directory in std::iter::once(None).chain(named) {
            self.walk.afresh(|walk| {
                if let Some(directory) = directory {
                    walk.enter_directory(directory);
                }
                for (name, value) in &beside.variables {
                    walk.assume(name, value);
                }
                read(walk);
            });
        }
    }

    fn in_language(&mut self, language: &'static str, text: &str, layer: LayerId, told: Told) {
        self.guessed(told, |reader| {
            reader.walk.reopen(layer);
            let whole = reader.walk.whole(text);
            reader.walk.afresh(|walk| {
                walk.for_others(|walk| {
                    walk.code(language, &whole.text, whole.span, &[]);
                });
            });
        });
    }

    fn guessed(&mut self, told: Told, read: impl FnOnce(&mut Self)) {
        if told == Told::Surely {
            return read(self);
        }
        let mark = self.walk.gaps();
        read(self);
        self.walk.forgive(mark, told.forgives());
    }

    /// The languages of code, as far as anything says them.
    fn named_languages(
        &self,
        text: &str,
        named: Option<&'static str>,
        beside: &Beside<'_>,
    ) -> Vec<&'static str> {
        let mut languages: Vec<_> = named.into_iter().collect();
        languages.extend(&beside.languages);
        if languages.is_empty() {
            languages.extend(self.name.language());
        }
        if let Some(own) = look::language(text)
            && !languages.contains(&own)
        {
            languages.push(own);
        }
        languages
    }

    /// The languages other than a shell's that a command may be in.
    fn foreign(&self, text: &str, beside: &Beside<'_>) -> Vec<&'static str> {
        const SHELLS: &[&str] = &["powershell", "batch", "applescript"];
        let mut languages = beside.languages.clone();
        languages.extend(self.name.language());
        languages.extend(look::language(text));
        languages.retain(|language| SHELLS.contains(language));
        languages.dedup();
        languages
    }
}

/// Whether a text that may be prose reads as something for a shell: most of the programs in it are ones that exist.
fn reads_as_command(walk: &Walk<'_>, text: &str) -> bool {
    if !text.trim().contains('\n') {
        return true;
    }
    let effects = as_shell("", text, walk.facts());
    walk.asks_too(effects.asked);
    let runs = effects.list.iter().filter_map(|effect| match &effect.kind {
        EffectKind::Run(run) => Some(run.known),
        _ => None,
    });
    let (known, unknown): (Vec<bool>, Vec<bool>) = runs.partition(|known| *known);
    !known.is_empty() && known.len() >= unknown.len()
}

/// One word of a command.
fn word(value: &Value) -> Option<String> {
    match value {
        Value::String(word) => Some(word.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

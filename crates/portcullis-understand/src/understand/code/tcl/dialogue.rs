//! Programs that a script of expect holds a dialogue with. Owns what is typed into them, and which of it answers a question and is no command.

use super::{Script, word, word::Word};
use crate::{
    effect::Argument,
    programs,
    text::{Piece, Taint, Text},
};

/// What a program asks for where it waits for an answer and no command.
const ASKS: &[&str] = &[
    "(y/n)",
    "[y/n]",
    "assphrase",
    "assword",
    "asswd",
    "code:",
    "login",
    "ogin:",
    "otp",
    "pin",
    "sername",
    "user name",
    "yes/no",
];

/// A program that was started, and what was typed into it until now.
pub(super) struct Dialogue {
    words: Vec<Argument>,
    typed: Text,
}

impl Script<'_, '_> {
    pub(super) fn spawn(&mut self, rest: &[Word<'_>]) -> Text {
        self.hang_up();
        let words =
            rest.iter().skip_while(|word| word.known().is_some_and(|it| it.starts_with('-')));
        let words: Vec<Argument> = words.flat_map(Word::expanded).collect();
        if !words.is_empty() {
            self.dialogue = Some(Dialogue { words, typed: Text::default() });
        }
        Text::default()
    }

    /// Starts what was spawned, with all that is typed into it.
    pub(super) fn hang_up(&mut self) -> Text {
        let Some(Dialogue { words, typed }) = self.dialogue.take() else { return Text::default() };
        let input = Some(typed).filter(|typed| !typed.is_empty());
        // Whoever answers there is a shell for whoever logs in.
        let program = words.first().and_then(|word| word.text.as_known()).unwrap_or_default();
        if matches!(program, "mosh" | "plink" | "rlogin" | "telnet")
            && let (Some(typed), Some(host)) = (&input, words.get(1))
        {
            let ssh = Argument { text: Text::known("ssh"), span: host.span };
            self.walk.run(&[ssh, host.clone()], Some(typed.clone()));
        }
        self.walk.run(&words, input)
    }

    pub(super) fn send(&mut self, rest: &[Word<'_>]) -> Text {
        let Some(last) = rest.last() else { return Text::default() };
        let text = &last.argument.text;
        if !self.is_answer(text)
            && let Some(dialogue) = &mut self.dialogue
        {
            dialogue.typed.append(text);
        }
        Text::default()
    }

    /// Whether what is typed answers a question, and is no command to a shell.
    fn is_answer(&self, text: &Text) -> bool {
        let is_asked = || ASKS.iter().any(|word| self.prompt.contains(word));
        match text.as_known() {
            Some(known) => {
                let known = known.trim();
                known.is_empty() && !text.is_empty() && is_asked()
                    || matches!(known, "y" | "yes" | "n" | "no")
                    || is_asked()
                        && !known.contains([' ', ';', '|', '&', '`', '$', '\n', '/'])
                        && programs::program(known).is_none()
                        && !programs::notable::names(known)
            }
            // A password that a variable holds.
            None => {
                is_asked()
                    && !text.taint.has(Taint::NETWORK)
                    && !text.taint.has(Taint::FILE)
                    && text.pieces.iter().all(|piece| match piece {
                        Piece::Unknown(_) => true,
                        Piece::Known(known) => known.trim().is_empty(),
                        Piece::Glob(_) => false,
                    })
            }
        }
    }

    /// `expect "# "`, `expect "a" { … } "b" { … }`, `expect { "a" { … } -re "b" { … } }`
    pub(super) fn expect(&mut self, rest: &[Word<'_>]) -> Text {
        let inner = match rest {
            [only] => only.braced.map(|inner| word::list(inner, only.argument.span)),
            _ => None,
        };
        let words = inner.as_deref().unwrap_or(rest);
        let mut patterns = String::new();
        let mut pattern: Option<String> = None;
        let mut is_value = false;
        for word in words {
            let shown = word.argument.text.display().to_lowercase();
            if std::mem::take(&mut is_value) {
                continue;
            }
            if pattern.is_none() && shown.starts_with('-') {
                is_value = matches!(shown.as_str(), "-timeout" | "-i");
                continue;
            }
            match pattern.take() {
                None => pattern = Some(shown),
                Some(waited) => {
                    patterns.push_str(&waited);
                    self.prompt = waited;
                    if let Some(body) = word.braced {
                        self.commands(body, word.argument.span);
                    }
                }
            }
        }
        patterns.push_str(&pattern.unwrap_or_default());
        self.prompt = patterns;
        Text::unknown("what was shown")
    }
}

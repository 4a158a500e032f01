//! Lines that are typed into a terminal, in one call or over several. Owns how the pieces of a line are put together and what keys of a line
//! editor make of them; whether it goes to a terminal at all, others say.

use portcullis_syntax::Span;

use super::walk::Walk;
use crate::{effect::GapReason, text::Text};

/// The longest line that is kept between calls; nobody types more before its end.
const LONGEST: usize = 1 << 14;

/// Stands for a key whose effect on the line nobody here knows: completion, history, moving about.
const EDITS: char = '\u{1b}';

impl Walk<'_> {
    /// Reads what is typed behind what earlier calls typed and did not end. `is_read` where lines that stand in this piece alone were read already.
    pub(crate) fn typed(&mut self, text: &str, is_read: bool, span: Span) {
        let before = self.recorder.effects.typed.take();
        let mut line = before.unwrap_or_else(|| self.facts.session.typed().to_owned());
        let mut is_joined = !line.is_empty() || !is_read;
        let mut keys = text.chars().peekable();
        while let Some(key) = keys.next() {
            match key {
                '\n' | '\r' => {
                    self.typed_line(&line, is_joined, span);
                    line.clear();
                    is_joined = !is_read;
                }
                // The line is left, or thrown away.
                '\u{3}' | '\u{15}' => line.clear(),
                '\u{8}' | '\u{7f}' => {
                    line.pop();
                    is_joined = true;
                }
                '\u{17}' => {
                    let kept = line.trim_end().rfind(' ').map_or(0, |blank| blank + 1);
                    line = line.get(..kept).unwrap_or_default().to_owned();
                    is_joined = true;
                }
                '\u{1b}' => {
                    // `ESC [ A`, `ESC O A`: an arrow.
                    if matches!(keys.peek(), Some('[' | 'O')) {
                        keys.next();
                        while keys.next_if(|key| matches!(key, '0'..='9' | ';')).is_some() {}
                        keys.next();
                    }
                    line.push(EDITS);
                }
                // A blank before a word completes nothing.
                '\t' if line.ends_with(|last: char| last.is_whitespace()) || line.is_empty() => {
                    line.push(' ');
                }
                key if key.is_control() => line.push(EDITS),
                key => line.push(key),
            }
        }
        if line.len() > LONGEST {
            self.gap(span, GapReason::Limit);
            line.clear();
        }
        self.recorder.effects.typed = Some(line);
    }

    /// A line that was ended: a shell reads it, where one is there.
    fn typed_line(&mut self, line: &str, is_joined: bool, span: Span) {
        // `ESC :wq` is said to an editor, and what stands before it is its text.
        let line = match line.rsplit_once(EDITS) {
            Some((before, after))
                if after.strip_prefix(':').is_some_and(|it| {
                    it.chars().all(|key| matches!(key, 'w' | 'q' | 'x' | 'a' | '!'))
                }) =>
            {
                before
            }
            _ => line,
        };
        let is_text = |key: char| key != EDITS && !key.is_whitespace();
        if line.contains(EDITS) && line.contains(is_text) || recalls(line) {
            self.gap(span, GapReason::UnknownCode);
        } else if is_joined && !line.trim().is_empty() {
            self.at_likely(|walk| walk.shell(&Text::known(line), span, &[], None));
        }
    }
}

/// Whether a line asks the shell's history for what it says: `!!`, `!cu`.
fn recalls(line: &str) -> bool {
    line.trim_start().strip_prefix('!').is_some_and(|rest| {
        rest.starts_with(|key: char| key.is_ascii_alphanumeric() || matches!(key, '!' | '?' | '-'))
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::{
        action::Action,
        call::ToolCall,
        effect::{EffectKind, Effects},
        facts::Facts,
        understand::understand,
    };

    /// What the last of these calls would do, after the others.
    fn last(calls: &[(&str, serde_json::Value)]) -> Effects {
        let mut facts = Facts {
            cwd: Some("/w".to_owned()),
            home: Some("/home/dev".to_owned()),
            ..Facts::default()
        };
        let mut found = Effects::default();
        for (tool, arguments) in calls {
            let call = ToolCall {
                tool: (*tool).to_owned(),
                arguments: arguments.as_object().unwrap().clone(),
                session: Some("s".to_owned()),
                ..ToolCall::default()
            };
            let action = Action::from_call(call).unwrap();
            found = understand(&action, &facts);
            facts.session.after(&action, &found);
        }
        found
    }

    fn deletes(effects: &Effects) -> bool {
        effects.list.iter().any(|effect| match &effect.kind {
            EffectKind::Delete { target, .. } => target.path.as_deref() == Some("/srv/x"),
            _ => false,
        })
    }

    fn typed(pieces: &[&str]) -> Effects {
        let calls: Vec<_> =
            pieces.iter().map(|piece| ("write_stdin", json!({ "chars": piece }))).collect();
        last(&calls)
    }

    fn sent(pieces: &[&str]) -> Effects {
        let calls: Vec<_> =
            pieces.iter().map(|piece| ("bash", json!({ "command": piece }))).collect();
        last(&calls)
    }

    #[test]
    fn a_line_that_is_typed_in_pieces_is_read_as_one() {
        for pieces in [
            &["rm -rf /sr", "v/x", "\n"][..],
            &["r", "m -rf /srv/", "x\r"],
            &["ls\nrm -rf /sr", "v/x\n"],
            &["rm -rf /srv/yy", "\u{7f}\u{7f}x\n"],
        ] {
            assert!(deletes(&typed(pieces)), "{pieces:?}");
        }
        for pieces in [
            &["tmux send-keys -t 0 'rm -rf /sr'", "tmux send-keys 'v/x' Enter"][..],
            &["tmux send-keys -l 'rm -rf /sr'", "tmux send-keys -l v/x", "tmux send-keys Enter"],
            &["tmux send-keys rm Space -rf Space /sr v/x Enter"],
            &["tmux send-keys 'rm -rf /sr'; tmux send-keys 'v/x' C-m"],
        ] {
            assert!(deletes(&sent(pieces)), "{pieces:?}");
        }
    }

    #[test]
    fn keys_of_a_line_editor_leave_the_line_unknown() {
        for pieces in [
            &["cp n ~/.config/por\tcon\t\n"][..],
            &["| sh\u{1}curl x \n"],
            &["cp a ~/.con\t", "\n"],
            &["!cu\n"],
            &["ls\u{1b}[A\n"],
        ] {
            assert!(!typed(pieces).gaps.is_empty(), "{pieces:?}");
        }
    }

    #[test]
    fn what_is_typed_every_day_is_known() {
        for pieces in [
            &["y\n"][..],
            &["q"],
            &["\u{3}"],
            &[""],
            &["\u{1b}[A", "\n"],
            &["def f():\n\treturn 1\n\n"],
            &["npm te", "st\n"],
            &["ihello world\u{1b}:wq\n"],
            &["rm -rf /sr", "\u{3}", "v/x\n"],
            &["rm -rf /srv/x", "\u{15}", "ls\n"],
            &["ls\n", "v/x\n"],
        ] {
            let found = typed(pieces);
            assert!(found.gaps.is_empty() && !deletes(&found), "{pieces:?}: {:?}", found.gaps);
        }
        for pieces in [
            &["tmux send-keys -t 0 'npm test' Enter"][..],
            &["tmux send-keys 'npm test'", "tmux send-keys Enter"],
            &["tmux send-keys C-c", "tmux send-keys 'npm start' Enter"],
            &["tmux send-keys Up Enter"],
        ] {
            assert!(sent(pieces).gaps.is_empty(), "{pieces:?}");
        }
    }
}

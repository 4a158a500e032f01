//! Files that are run later: what is written into them is read as the code that it will be. Owns where in such a file the
//! commands stand; that the file starts by itself is said in `place`.

use std::borrow::Cow;

use portcullis_syntax::Span;

use super::walk::Walk;
use crate::{
    place::PersistenceKind,
    text::{Piece, Text},
};

impl Walk<'_> {
    /// Reads what a file of this kind will run, as no more than possible.
    pub(super) fn startup(&mut self, kind: PersistenceKind, content: &Text, span: Span) {
        let known = match content.as_known() {
            Some(known) => Cow::Borrowed(known),
            // What is not known ends somewhere before the next line.
            None => Cow::Owned(content.pieces.iter().fold(String::new(), |mut lines, piece| {
                if let Piece::Known(text) = piece {
                    lines.push_str(text);
                }
                lines.push('\n');
                lines
            })),
        };
        let known = known.as_ref();
        match kind {
            PersistenceKind::Shell | PersistenceKind::Hook => {
                self.possible_code(content, known, span)
            }
            PersistenceKind::Schedule => {
                for command in known.lines().filter_map(scheduled) {
                    self.possible_code(content, command, span);
                }
            }
            PersistenceKind::Service | PersistenceKind::Session => {
                if known.starts_with("#!") {
                    self.possible_code(content, known, span);
                    return;
                }
                for line in known.lines() {
                    let Some((key, command)) = line.split_once('=') else { continue };
                    if matches!(
                        key.trim(),
                        "ExecStart"
                            | "ExecStartPre"
                            | "ExecStartPost"
                            | "ExecStop"
                            | "ExecReload"
                            | "Exec"
                            | "RUN+"
                    ) {
                        self.possible_code(
                            content,
                            command.trim_start_matches(['-', '@', '+', '!', ':', '"']),
                            span,
                        );
                    }
                }
            }
            _ => {}
        }
    }

    fn possible_code(&mut self, content: &Text, code: &str, span: Span) {
        if code.trim().is_empty() {
            return;
        }
        let code = content.derive([Piece::Known(code.to_owned())]);
        self.at_most(crate::effect::Certainty::Possible, |walk| walk.shell(&code, span, &[], None));
    }
}

/// The command in a line of a crontab: behind five fields and perhaps a user, or behind `@daily` and its kin.
fn scheduled(line: &str) -> Option<&str> {
    let line = line.trim_start();
    if line.starts_with('#') {
        return None;
    }
    let skip = if line.starts_with('@') { 1 } else { 5 };
    let mut rest = line;
    for _ in 0..skip {
        let (field, after) = rest.split_once([' ', '\t'])?;
        let times = field.starts_with('@')
            || field.bytes().all(|byte| {
                byte.is_ascii_alphanumeric()
                    || matches!(byte, b'*' | b'/' | b',' | b'-' | b'?' | b'#' | b'~')
            });
        if !times {
            return None;
        }
        rest = after.trim_start();
    }
    Some(rest)
}

#[cfg(test)]
mod tests {
    use super::scheduled;

    #[test]
    fn commands_are_found_in_crontab_lines() {
        for (line, expected) in [
            ("* * * * * a b", Some("a b")),
            ("*/5 0-6 1,15 jan mon\ta", Some("a")),
            ("@reboot a", Some("a")),
            ("# * * * * * a", None),
            ("MAILTO=x", None),
            ("", None),
        ] {
            assert_eq!(scheduled(line), expected, "{line}");
        }
    }
}

//! Files of commands that are run later: `crontab FILE`, `at -f FILE`, `batch -f FILE`.

use portcullis_syntax::Span;

use super::{Piece, Starter, run_pieces};
use crate::{effect::Certainty, programs::host::Host, programs::invocation::Invocation};

pub(super) static CRONTAB: Starter = Starter { programs: &["crontab"], start: crontab };

pub(super) static AT: Starter = Starter { programs: &["at", "batch"], start: at };

fn crontab(walk: &mut dyn Host, invocation: &Invocation) {
    let options = invocation.options();
    if options.has(&["-l", "-r", "-e"]) {
        return;
    }
    let Some(file) = options.operands().next().filter(|file| file.text.as_known() != Some("-"))
    else {
        return;
    };
    let Some(path) = walk.target(&file.text).path else { return };
    let Some(file) = walk.look(&path).file() else { return };
    let pieces = scheduled(&file.text);
    walk.in_file(&file, "crontab", invocation.span, |walk| run_pieces(walk, &file.text, &pieces));
}

fn at(walk: &mut dyn Host, invocation: &Invocation) {
    let Some(file) = invocation.options().value(&["-f"]) else { return };
    if let Some(path) = walk.target(&file.text).path {
        walk.run_file("shell", &path, file.span, &[], None);
    }
}

/// The commands of a table, behind five fields of time or one `@word` (crontab(5)).
fn scheduled(text: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let at = start;
        start += line.len();
        let trimmed = line.trim_start();
        let is_setting = trimmed.split_once('=').is_some_and(|(name, _)| {
            name.trim_end().bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        });
        if trimmed.trim().is_empty() || trimmed.starts_with('#') || is_setting {
            continue;
        }
        let fields = if trimmed.starts_with('@') { 1 } else { 5 };
        let mut rest = trimmed;
        for _ in 0..fields {
            rest = rest.split_once([' ', '\t']).map_or("", |(_, rest)| rest.trim_start());
        }
        let from = at + line.len() - rest.len();
        let command = rest.trim_end();
        if !command.is_empty() {
            let span = Span::new(from, from + command.len());
            pieces.push(Piece { certainty: Certainty::Likely, ..Piece::command(span) });
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_stand_behind_the_times() {
        let text = "# c\nPATH=/bin\n0 5 * * 1 tar -c x\n@daily ls\n";
        let found: Vec<&str> =
            scheduled(text).iter().filter_map(|piece| text.get(piece.span.range())).collect();
        assert_eq!(found, ["tar -c x", "ls"]);
    }
}

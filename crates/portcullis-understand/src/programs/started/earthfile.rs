//! Earthly: the commands of the targets that are asked for and of those that they name; behind `LOCALLY` they run on this machine, otherwise in a
//! container (docs.earthly.dev, "Earthfile reference").

use portcullis_syntax::Span;

use super::{Starter, project};
use crate::{
    effect::Certainty, programs::host::Host, programs::invocation::Invocation, text::Text,
};

pub(super) static EARTHLY: Starter = Starter { programs: &["earthly", "earth"], start };

/// A target: its name and its instructions.
type Target<'t> = (&'t str, Vec<(&'t str, Span)>);

fn start(walk: &mut dyn Host, invocation: &Invocation) {
    let words = project::words(invocation);
    if project::has(&words, &["--help", "-h", "--version"]) {
        return;
    }
    let Some(asked) = words.iter().find_map(|word| word.rsplit_once('+')) else { return };
    let folder = Some(asked.0).filter(|folder| !folder.is_empty()).map(str::to_owned);
    project::in_directory(walk, folder.as_deref(), |walk| {
        let Some(file) = project::nearest(walk, &["Earthfile"]) else { return };
        let targets = targets(&file.text);
        walk.in_file(&file, "earthfile", invocation.span, |walk| {
            let mut open: Vec<&str> = vec!["", asked.1];
            let mut seen: Vec<&str> = Vec::new();
            while let Some(name) = open.pop() {
                let Some((name, lines)) = targets.iter().find(|(known, _)| *known == name) else {
                    continue;
                };
                if seen.contains(name) {
                    continue;
                }
                seen.push(name);
                let is_local = lines.iter().any(|(line, _)| line.starts_with("LOCALLY"));
                for (line, span) in lines {
                    open.extend(named(line));
                    let Some(code) = line.strip_prefix("RUN ") else { continue };
                    let code = code.trim_start();
                    let code = code
                        .split_whitespace()
                        .find(|word| !word.starts_with("--"))
                        .and_then(|word| code.find(word))
                        .and_then(|at| code.get(at..))
                        .unwrap_or(code);
                    let code = Text::known(code.to_owned());
                    let run = |walk: &mut dyn Host| {
                        walk.at_most(Certainty::Likely, |walk| walk.shell(&code, *span, &[], None))
                    };
                    if is_local {
                        run(walk);
                    } else {
                        walk.in_container(run);
                    }
                }
            }
        });
    });
}

/// The targets of a file; what stands before the first is in the one with an empty name. Lines that go on are put together.
fn targets(text: &str) -> Vec<Target<'_>> {
    let mut targets: Vec<Target<'_>> = vec![("", Vec::new())];
    let mut at = 0;
    let mut from: Option<usize> = None;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let bare = line.trim();
        if from.is_none() && (bare.is_empty() || bare.starts_with('#')) {
            continue;
        }
        let is_head = from.is_none() && !line.starts_with([' ', '\t']);
        if let Some(name) = bare.strip_suffix(':').filter(|name| is_head && !name.contains(' ')) {
            targets.push((name, Vec::new()));
            continue;
        }
        let begin = *from.get_or_insert(start + line.len() - line.trim_start().len());
        if bare.ends_with('\\') {
            continue;
        }
        from = None;
        let span = Span::new(begin, start + line.trim_end().len());
        if let (Some((_, lines)), Some(text)) = (targets.last_mut(), text.get(span.range())) {
            lines.push((text, span));
        }
    }
    targets
}

/// The targets that an instruction names: `BUILD +x`, `FROM +x`, `COPY +x/file .`.
fn named(line: &str) -> impl Iterator<Item = &str> {
    line.split_whitespace().filter_map(|word| {
        let name = word.trim_start_matches('(').strip_prefix('+')?;
        name.split(['/', ' ', ')']).next()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_have_their_instructions() {
        let text =
            "VERSION 0.8\nFROM a\nx:\n    LOCALLY\n    RUN a \\\n      b\ny:\n    BUILD +x\n";
        let found: Vec<(&str, usize)> =
            targets(text).iter().map(|(name, lines)| (*name, lines.len())).collect();
        assert_eq!(found, [("", 2), ("x", 2), ("y", 1)]);
        assert_eq!(named("COPY +x/a.txt b").collect::<Vec<_>>(), ["x"]);
    }
}

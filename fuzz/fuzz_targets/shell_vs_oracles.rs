//! Every command name that another parser finds in text that bash accepts is in our tree, or inside a span that we list as
//! unparsed.

#![no_main]

use libfuzzer_sys::fuzz_target;
use portcullis_fuzz::{Name, bash_accepts, brush_names, shell_text, tree_sitter_names};
use portcullis_syntax::Span;
use portcullis_syntax::shell::{CommandKind, parse, visit};

fuzz_target!(|bytes: &[u8]| {
    let source = shell_text(bytes);
    if source.len() > 2_000 {
        return;
    }
    let script = parse(&source);
    let ours: Vec<Span> = visit::commands(&script)
        .into_iter()
        .filter_map(|command| match &command.kind {
            CommandKind::Simple { words, .. } => words.first().map(|word| word.span),
            _ => None,
        })
        .collect();
    let listed = |name: &Name| match name.start {
        Some(start) => {
            let covers = |span: &Span| span.range().contains(&start);
            ours.iter().any(|span| span.start as usize == start)
                || script.unparsed.iter().any(|unparsed| covers(&unparsed.span))
        }
        None => {
            // It drops blanks after operators inside expansions, and ends `a[1 + 2]` at its first blank.
            let same = |span: &Span| {
                without_blanks(span.of(&source)).starts_with(&without_blanks(&name.text))
            };
            ours.iter().any(same) || !script.unparsed.is_empty()
        }
    };
    let missing: Vec<Name> = tree_sitter_names(&source)
        .into_iter()
        .chain(brush_names(&source))
        .filter(|name| !listed(name))
        .collect();
    assert!(missing.is_empty() || !bash_accepts(&source), "missing {missing:?} in {source:?}");
});

/// Comments are left out too: brush drops some of those inside expansions.
fn without_blanks(text: &str) -> String {
    let joined = text.replace("\\\\", "\u{1}").replace("\\\n", "");
    let lines = joined.lines().map(|line| {
        let comment = line.match_indices('#').find(|(at, _)| {
            line[..*at]
                .ends_with(|before: char| before.is_whitespace() || ";&|()<>".contains(before))
                || *at == 0
        });
        comment.map_or(line, |(at, _)| &line[..at])
    });
    lines.flat_map(str::chars).filter(|character| !character.is_whitespace()).collect()
}

//! TeX and its kin (texdoc.org, "web2c"; ctan.org/pkg/luatex). Owns what runs of a document that stands on the command line:
//! `\write18{command}`, `\input{|"command"}`, `\directlua{code}`. Without `-shell-escape` they refuse most of it, which nobody relies on.

use super::{Does, Program, operands::operands};
use crate::{
    bound::Bounded,
    effect::{Argument, GapReason},
    programs::{host::Host, invocation::Invocation},
    text::{Piece, Text},
};

const fn typesets(name: &'static str) -> Program {
    Program { name, values: VALUES, does: Does::Custom(typeset) }
}

const VALUES: &[&str] = &[
    "-fmt",
    "-interaction",
    "-jobname",
    "-kpathsea-debug",
    "-output-comment",
    "-output-directory",
    "-output-format",
    "-progname",
    "--interaction",
    "--jobname",
    "--output-directory",
    "--output-format",
];

/// Sorted by name.
pub(super) static TABLE: &[Program] = &[
    typesets("latex"),
    typesets("lualatex"),
    typesets("luatex"),
    typesets("pdflatex"),
    typesets("pdftex"),
    typesets("tex"),
    typesets("xelatex"),
    typesets("xetex"),
];

/// How many commands are read of one document.
const COMMANDS: usize = 32;

fn typeset(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let starts = invocation.arguments.iter().any(|word| {
        let known = word.text.known_prefix();
        known.ends_with("-shell-escape") || known.ends_with("-enable-write18")
    });
    for document in operands(invocation) {
        let known = document.text.known_prefix().to_owned();
        if !known.contains('\\') {
            continue;
        }
        if document.text.has_unknown() || starts && hides(&known) {
            walk.gap(document.span, GapReason::UnknownCode);
        }
        let at = |code: &str| Argument {
            text: document.text.derive([Piece::Known(code.to_owned())]),
            span: document.span,
        };
        for code in
            behind(&known, "\\write18", '{', '}').into_iter().at_most(COMMANDS, walk, document.span)
        {
            walk.shell(&at(code).text, document.span, &[], None);
        }
        for code in behind(&known, "|", '"', '"').into_iter().at_most(COMMANDS, walk, document.span)
        {
            walk.shell(&at(code).text, document.span, &[], None);
        }
        for code in behind(&known, "\\directlua", '{', '}').into_iter().at_most(
            COMMANDS,
            walk,
            document.span,
        ) {
            walk.code("lua", &at(code).text, document.span, &[]);
        }
    }
    invocation.origin()
}

/// What stands between two marks behind a word, wherever that stands.
fn behind<'t>(text: &'t str, word: &str, open: char, close: char) -> Vec<&'t str> {
    let starts = text
        .match_indices(word)
        .filter_map(|(at, _)| text.get(at + word.len()..)?.trim_start().strip_prefix(open));
    starts
        .filter_map(|rest| {
            let mut depth = 0_usize;
            let end = rest.char_indices().find(|(_, letter)| {
                let ends = *letter == close && depth == 0;
                depth = match *letter {
                    letter if letter == open && open != close => depth + 1,
                    letter if letter == close => depth.saturating_sub(1),
                    _ => depth,
                };
                ends
            });
            rest.get(..end.map_or(rest.len(), |(at, _)| at))
        })
        .collect()
}

/// Whether a document may start a program in a way that is not read here.
fn hides(document: &str) -> bool {
    const WAYS: &[&str] = &[
        "^^",
        "\\ShellEscape",
        "\\catcode",
        "\\csname",
        "\\input {|",
        "\\input{|",
        "\\input|",
        "\\latelua",
        "\\luaexec",
        "\\scantokens",
    ];
    document.matches("\\write").count() > document.matches("\\write18").count()
        || WAYS.iter().any(|way| document.contains(way))
}

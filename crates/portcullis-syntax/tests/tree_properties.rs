//! Whatever a text says, it gives a tree whose places lie in it, and the tree grows with the text.

use portcullis_syntax::{
    limits,
    tree::{self, Tree},
};
use proptest::prelude::*;

type Lowering = fn(&str) -> Tree;

const LOWERINGS: &[(&str, Lowering)] = &[("powershell", tree::powershell), ("batch", tree::batch)];

/// What scripts are made of, and what opens or closes something.
const TOKENS: &[&str] = &[
    "$x",
    "${y}",
    "$(",
    "@(",
    "@{",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    "'",
    "\"",
    "`",
    "\n",
    " ",
    ";",
    "|",
    "||",
    "&&",
    "&",
    "#",
    "<#",
    "#>",
    "@'\n",
    "\n'@",
    "@\"\n",
    "\n\"@",
    "if",
    "else",
    "elseif",
    "foreach",
    "for",
    "while",
    "do",
    "switch",
    "function f",
    "param",
    "try",
    "catch",
    "finally",
    "class C",
    "return",
    "-Path",
    "-f",
    "-eq",
    "-join",
    "-",
    "+",
    "..",
    ",",
    "=",
    "+=",
    "++",
    "::",
    ".",
    "Remove-Item",
    "1",
    "7z",
    "%X%",
    "%%i",
    "!X!",
    "%~dp0",
    "%1",
    "^",
    ":label",
    "goto",
    "call",
    "set ",
    "set /p x=",
    "for /f \"tokens=1,2\" %%i in ('",
    "') do",
    "in (",
    "exist",
    "rem",
    "::",
    ">",
    ">>",
    "2>&1",
    "<",
    "é",
    "\u{201c}",
    "\u{2014}",
    "\r\n",
    "\0",
];

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(TOKENS), 0..60).prop_map(|tokens| tokens.concat())
}

fn lies_in_its_text(name: &str, source: &str, tree: &Tree) {
    let holds = |span: portcullis_syntax::Span| source.get(span.range()).is_some();
    for (span, depth) in tree::spans(tree) {
        assert!(holds(span), "{name}: {span:?} in {source:?}");
        assert!(depth <= 4 * limits::DEPTH, "{name}: too deep in {source:?}");
    }
    for opaque in &tree.opaque {
        assert!(holds(opaque.span), "{name}: {opaque:?} in {source:?}");
    }
}

proptest! {
    #[test]
    fn every_place_lies_in_the_text(source in prop_oneof![text(), any::<String>()]) {
        for (name, lower) in LOWERINGS {
            lies_in_its_text(name, &source, &lower(&source));
        }
    }

    #[test]
    fn half_a_text_gives_a_tree_too(source in text(), cut in 0_usize..400) {
        let at = (0..=cut.min(source.len())).rev().find(|at| source.is_char_boundary(*at)).unwrap_or(0);
        let half = source.get(..at).unwrap_or("");
        for (name, lower) in LOWERINGS {
            lies_in_its_text(name, half, &lower(half));
        }
    }
}

#[test]
fn a_tree_grows_with_its_text() {
    for (name, lower) in LOWERINGS {
        for token in TOKENS {
            let count = |times: usize| tree::spans(&lower(&token.repeat(times))).len();
            let (some, more) = (count(200), count(2000));
            assert!(more <= some * 12 + 100, "{name}: {token:?} repeated: {some}, then {more}");
        }
    }
}

#[test]
fn what_repeats_what_opens_ends_somewhere() {
    for (name, lower) in LOWERINGS {
        for token in TOKENS {
            let source = token.repeat(20_000);
            lies_in_its_text(name, &source, &lower(&source));
        }
    }
}

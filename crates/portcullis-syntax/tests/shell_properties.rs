//! Parsing is total on any text, spans stand inside the source and inside each other, and a literal is what was written.

mod shell_text;

use portcullis_syntax::Span;
use portcullis_syntax::shell::visit::{Node, Visitor, walk};
use portcullis_syntax::shell::{Part, PartKind, Redirect, parse, visit};
use proptest::prelude::*;

/// Pieces that shell text is made of; two of them next to each other make most of its ambiguities.
const TOKENS: &[&str] = &[
    "a", "rm", "x=", "A=1", "b[1]=", "if", "then", "elif", "else", "fi", "for", "in", "do", "done",
    "while", "until", "case", "esac", "select", "function", "f()", "coproc", "time", "-p", "!",
    "{", "}", "[[", "]]", "((", "))", "(", ")", "$(", "$((", "`", "\\`", "\\\\\\`", "${", "${x",
    "${ ", "${!", "${#", ":-", "##", "%%", "//", "@Q", "$[", "]", "[", "$x", "$@", "\"", "'", "$'",
    "$\"", "\\", "\\\n", "\n", " ", " ", " ", "\t", ";", ";;", ";&", ";;&", "&", "&&", "|", "||",
    "|&", "<", ">", ">>", "<>", ">|", ">&", "<&", "&>", "&>>", "<<", "<<-", "<<<", "<<E\n",
    "\nE\n", "<<'E'\n", "2>", "{fd}>", "<(", ">(", "{a,b}", "{1..3}", "{,", ",", "}", "*", "?",
    "[a-z]", "@(", "!(", "*(", "~", "~/", "#", " # ", "=~", "==", "\u{b}", "\r", "\0", "é", "😀",
    "=(", "declare ",
];

fn shell_text() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(TOKENS), 0..40).prop_map(|tokens| tokens.concat())
}

/// Text that bash would mostly accept: the same pieces, with what closes them.
fn balanced_text() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "a", "rm", "'b c'", "$x", "{d,e}", "*.f", "\"g\"", "h=1", ">i", "2>&1",
    ]);
    let leaf = prop::collection::vec(word, 1..4).prop_map(|words| words.join(" "));
    leaf.prop_recursive(5, 60, 3, |inner| {
        let two = (inner.clone(), inner.clone());
        prop_oneof![
            inner.clone().prop_map(|one| format!("x \"$( {one})\"")),
            inner
                .clone()
                .prop_map(|one| format!("x `{}`", one.replace('\\', "\\\\").replace('`', "\\`"))),
            inner.clone().prop_map(|one| format!("( {one} )")),
            inner.clone().prop_map(|one| format!("{{ {one}; }}")),
            inner.clone().prop_map(|one| format!("x <({one}) ${{y:-$( {one})}}")),
            inner.clone().prop_map(|one| format!("for i in a b; do {one}; done")),
            inner.clone().prop_map(|one| format!("case x in a|b) {one};; *) ;; esac")),
            inner.clone().prop_map(|one| format!("echo $(( 1 + $( {}) ))", closed_patterns(&one))),
            inner.clone().prop_map(|one| format!("f() {{ {one}; }}")),
            two.clone().prop_map(|(one, two)| format!("if {one}; then {two}; fi")),
            two.clone().prop_map(|(one, two)| format!("{one} && {two}")),
            two.clone().prop_map(|(one, two)| format!("{one} &\n{two}")),
            two.prop_map(|(one, two)| format!("{one} | {two}")),
        ]
    })
}

/// `text` with a `(` before every pattern of a `case`. Arithmetic is told from commands by counting parentheses, in bash
/// and here, and a `)` without its `(` makes that count end where nobody meant it.
fn closed_patterns(text: &str) -> String {
    text.replace("in a|b)", "in (a|b)").replace(" *) ;;", " (*) ;;")
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_gives_a_tree_with_true_spans(text in "\\PC{0,80}") {
        check_spans(&text)?;
    }

    #[test]
    fn any_characters_give_a_tree_with_true_spans(text in prop::collection::vec(any::<char>(), 0..60)) {
        check_spans(&text.into_iter().collect::<String>())?;
    }

    #[test]
    fn shell_tokens_give_a_tree_with_true_spans(text in shell_text()) {
        check_spans(&text)?;
    }

    #[test]
    fn spans_are_true_where_text_becomes_too_deep(levels in 92..101_usize, text in shell_text()) {
        check_spans(&format!("{}{text}", "( ".repeat(levels)))?;
    }

    #[test]
    fn balanced_text_is_understood_whole(text in balanced_text()) {
        let script = parse(&text);
        prop_assert_eq!(&script.unparsed, &[], "{}", text);
        check_spans(&text)?;
        let seen = shell_text::command_names(&script, &text).len();
        let written = text.split_whitespace().filter(|word| *word == "rm").count();
        prop_assert!(seen > 0 || written == 0, "{}", text);
    }

    #[test]
    fn what_follows_on_the_next_line_is_seen(text in balanced_text()) {
        let script_text = format!("{text}\nlast-command");
        let script = parse(&script_text);
        let names = shell_text::command_names(&script, &script_text);
        prop_assert_eq!(names.last().map(String::as_str), Some("last-command"), "{}", script_text);
    }

    #[test]
    fn what_stands_inside_is_seen_outside(inner in balanced_text(), outer in balanced_text()) {
        let names = |text: &str| shell_text::command_names(&parse(text), text);
        let whole = names(&format!("{outer}; x \"$( {inner})\""));
        for name in names(&inner).iter().chain(&names(&outer)) {
            prop_assert!(whole.contains(name), "{} in {} and {}", name, outer, inner);
        }
    }
}

#[test]
fn spans_are_true_where_a_construct_is_too_deep() {
    for construct in [
        "K=(",
        "K=(a)",
        "eval K=(a)",
        "x K=(a)",
        "K[1]=(a)",
        "coproc x K=(a)",
        "((1))",
        "a <<(",
        "<<E\nx$(a)\nE\n",
        "\"a$(b)\"",
        "${x:-$(a)}",
        "$[1]",
        "`a`",
        "`\\`a\\``",
        "@(a|b)",
        "!(a)",
        "[[ (a) ]]",
        "[[ a =~ (b) ]]",
        "case a in (b) c;; esac",
        "f() { a; }",
        "function f (a)",
        "coproc a (b)",
        "$'a'",
        "${x/'$(a)'/b}",
        ">(a)",
    ] {
        for levels in 90..=101 {
            for open in ["( ", "$(", "{ ", "x `"] {
                let text = format!("{}{construct} b", open.repeat(levels));
                check_spans(&text).unwrap_or_else(|error| panic!("{levels} levels: {error}"));
            }
        }
    }
}

/// Walks the tree with the spans of the nodes around.
struct Spans<'s> {
    source: &'s str,
    around: Vec<Span>,
    wrong: Option<String>,
}

impl<'t> Visitor<'t> for Spans<'_> {
    fn enter(&mut self, node: Node<'t>) {
        let span = node.span();
        let fits = span.start <= span.end && self.source.get(span.range()).is_some();
        let inside = self.around.last().is_none_or(|around| around.contains(span));
        let literal = match node {
            Node::Part(Part { kind: PartKind::Glob(text), .. }) => &**text == span.of(self.source),
            _ => true,
        };
        // What is read from backticks and `$'…'` is not what was written.
        let rewritten = self.source.contains('`') || self.source.contains("$'");
        if !(fits && inside && (literal || rewritten)) && self.wrong.is_none() {
            self.wrong = Some(format!("{node:?} in {:?}", self.around.last()));
        }
        // A heredoc's body stands outside its redirection.
        let whole = Span::new(0, self.source.len());
        self.around.push(if matches!(node, Node::Redirect(Redirect { heredoc: Some(_), .. })) {
            whole
        } else {
            span
        });
    }

    fn leave(&mut self, _: Node<'t>) {
        self.around.pop();
    }
}

fn check_spans(source: &str) -> Result<(), TestCaseError> {
    let script = parse(source);
    let mut spans = Spans { source, around: Vec::new(), wrong: None };
    walk(&script.body, &mut spans);
    prop_assert_eq!(spans.wrong, None, "{:?}", source);
    for span in script.unparsed.iter().map(|unparsed| unparsed.span).chain(script.comments) {
        prop_assert!(
            source.get(span.range()).is_some() && span.start <= span.end,
            "{span:?} in {source:?}"
        );
    }
    prop_assert!(visit::words(&parse(source)).len() <= source.len() * 2 + 1);
    Ok(())
}

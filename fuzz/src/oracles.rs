//! The command names that other parsers find, and whether bash accepts a text.
//!
//! Both parsers are wrong in known ways. What they are known to get wrong is left out here by rule: what a rule names is
//! a construct, never a text.

use std::{
    panic::{self, AssertUnwindSafe},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use brush_parser::{Parser, ParserOptions};
use serde_json::Value;
use tree_sitter::{Node, ParseOptions};

/// How long tree-sitter may take: its time grows with the square of some texts.
const PATIENCE: Duration = Duration::from_millis(500);

/// A command name that an oracle found.
#[derive(Debug)]
pub struct Name {
    /// As written.
    pub text: String,
    /// Where it begins, where the oracle says so.
    pub start: Option<usize>,
}

/// Words that the oracles take for commands where bash sees its grammar.
const RESERVED: &[&str] = &[
    "if", "then", "elif", "else", "fi", "do", "done", "esac", "for", "select", "while", "until",
    "case", "in", "function", "coproc", "time", "!", "{", "}", "[[", "]]",
];

/// What tree-sitter-bash finds, if it reads the whole text without an error.
pub fn tree_sitter_names(source: &str) -> Vec<Name> {
    // It takes `\v` and `\f` for blanks, reads the rest of a heredoc's line as part of the redirection, does not unescape
    // backticks, and knows neither `coproc` nor line continuations inside words. An escaped blank before a word is a blank
    // for it, and a name may begin with a digit, follow a glob, or stand apart from its `=` with a subscript. A value that
    // begins with `#` or `{` is no value for it, and `x=(` inside of an expansion is an array. A comment inside of `[[` or
    // `${` ends that for it, and a redirection right behind `[` begins a command. It ends an expansion inside of another too
    // early, or at an escaped brace, and arithmetic that it cannot read is a subshell for it.
    let misread = [
        "\u{b}", "\u{c}", "\r", "\0", "<<", "\\`", "`", "((", "coproc", "\\\n", "\\ ", "\\\t",
        "=#", "={",
    ];
    let array_inside = source.contains("${") && source.contains("=(");
    let comments = [" #", "\t#", "\n#"].iter().any(|text| source.contains(text));
    let comment_inside =
        source.contains("[[") && source.contains('#') || source.contains("${") && comments;
    let redirected_test = ["[<", "[>", "[&"].iter().any(|text| source.contains(text));
    if misread.iter().any(|text| source.contains(text))
        || array_inside
        || comment_inside
        || redirected_test
        || nests_expansions(source)
        || source.contains("${") && source.contains("\\}")
        || assigns_to_no_name(source)
    {
        return Vec::new();
    }
    let mut parser = tree_sitter::Parser::new();
    parser.set_language(&tree_sitter_bash::LANGUAGE.into()).expect("the grammar fits the library");
    let begun = Instant::now();
    let mut is_over = |_: &tree_sitter::ParseState| begun.elapsed() > PATIENCE;
    let options = ParseOptions::new().progress_callback(&mut is_over);
    let mut read = |at: usize, _| source.as_bytes().get(at..).unwrap_or_default();
    let Some(tree) = parser.parse_with_options(&mut read, None, Some(options)) else {
        return Vec::new();
    };
    let mut names = Vec::new();
    if !tree.root_node().has_error() {
        gather(tree.root_node(), source, &mut names);
    }
    names
}

fn gather(root: Node<'_>, source: &str, names: &mut Vec<Name>) {
    let mut left = vec![root];
    while let Some(node) = left.pop() {
        let text = &source[node.byte_range()];
        // `!x`, `{x` and `a=1}x` are words; for it a name stands in each.
        let start = node.start_byte() + text.len() - text.trim_start().len();
        let before = source[..start].chars().next_back();
        let within = before.is_some_and(|sign| !sign.is_whitespace() && !";&|()".contains(sign));
        let redirects = source[node.end_byte()..].starts_with(['<', '>']);
        let descriptor = text.bytes().all(|byte| byte.is_ascii_digit())
            || text.starts_with('{') && text.ends_with('}') && redirects;
        // It takes `=~` for an operator outside of conditions too.
        let is_grammar =
            text == "=~" || text.split_whitespace().all(|word| RESERVED.contains(&word));
        if node.kind() == "command_name" && !is_grammar && !within && !descriptor {
            names.push(Name { text: text.to_owned(), start: Some(start) });
        }
        left.extend(node.children(&mut node.walk()));
    }
}

/// Whether a `${` stands before the first `}` behind another.
fn nests_expansions(source: &str) -> bool {
    let mut parts = source.split("${").skip(1).peekable();
    while let Some(part) = parts.next() {
        if parts.peek().is_some() && !part.contains('}') {
            return true;
        }
    }
    false
}

/// Whether something that begins with a digit, follows a glob, or has a computed subscript stands before a `=`; the
/// subscript apart from it or not.
fn assigns_to_no_name(source: &str) -> bool {
    source.match_indices('=').any(|(at, _)| {
        let before = source[..at].trim_end_matches('+');
        let name = before.rsplit(|character: char| !is_name_character(character)).next();
        name.is_some_and(|name| {
            let around = before.trim_end_matches(name);
            name.starts_with(|first: char| first.is_ascii_digit())
                || around.ends_with(['?', '*'])
                || around.trim_end_matches([' ', '\t']).ends_with(']')
        })
    })
}

fn is_name_character(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

/// What brush-parser finds, if it accepts the text. It does not look inside words.
pub fn brush_names(source: &str) -> Vec<Name> {
    // Its time grows exponentially with nested parentheses and its stack with everything else that nests. A descriptor in
    // braces is a name for it, and so is what a function substitution begins with, and the name of a coprocess before a
    // condition. A number that is no `i32` makes it panic, a heredoc that does not end takes all memory, and `<<` inside of an
    // expansion or a substitution is a heredoc that does not. In a heredoc it joins no lines. Each `case` inside of another
    // doubles its time.
    let opens = source.bytes().filter(|byte| matches!(byte, b'(' | b'{' | b'[' | b'`')).count();
    let numbers = source.split(|character: char| !character.is_ascii_digit());
    if numbers.map(str::len).max() > Some(9) {
        return Vec::new();
    }
    // For bash a subscript may hold blanks and line ends, and `((` and `$[` are arithmetic up to
    // their ends whatever they hold.
    let joined = source.replace("\\\n", "");
    let subscript =
        joined.match_indices('[').any(|(at, _)| joined[..at].ends_with(is_name_character));
    if subscript
        || joined.contains("((")
        || joined.contains("$[")
        || opens > 12
        || source.len() > 400
        || joined.contains("{fd}")
        || (joined.contains("coproc") && joined.contains("[["))
        || joined.contains("${ ")
        || joined.contains("${|")
        || joined.matches("case ").count() > 8
        || (joined.contains("<<")
            && (joined.contains("${")
                || joined.contains("$(")
                || joined != source
                || !bash_accepts(source)))
    {
        return Vec::new();
    }
    let options = ParserOptions { enable_extended_globbing: false, ..ParserOptions::default() };
    let program = unless_it_panics(|| {
        let program = Parser::new(source.as_bytes(), &options).parse_program().ok()?;
        serde_json::to_value(program).ok()
    });
    let Some(tree) = program else { return Vec::new() };
    let mut names = Vec::new();
    let mut left = vec![&tree];
    while let Some(node) = left.pop() {
        match node {
            Value::Object(fields) => {
                let name = fields
                    .get("word_or_name")
                    .and_then(|word| word.get("value"))
                    .and_then(Value::as_str);
                // The options of `time` are for it the name of a command; ours is `time`.
                if let Some(name) =
                    name.filter(|name| !RESERVED.contains(name) && !name.starts_with('-'))
                {
                    names.push(Name { text: name.to_owned(), start: None });
                }
                left.extend(fields.values());
            }
            Value::Array(items) => left.extend(items),
            _ => {}
        }
    }
    names
}

/// What an oracle says, where it does not panic. The fuzzer's own hook would stop the run before the panic is caught.
fn unless_it_panics<T>(ask: impl FnOnce() -> Option<T>) -> Option<T> {
    let hook = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    let said = panic::catch_unwind(AssertUnwindSafe(ask));
    panic::set_hook(hook);
    said.ok().flatten()
}

/// Whether bash accepts the text, without running it. A text with a NUL cannot be asked about.
pub fn bash_accepts(source: &str) -> bool {
    if source.contains('\0') {
        return false;
    }
    // On `<<<<(` inside of an array in a function it waits for itself.
    Command::new("timeout")
        .args(["-s", "KILL", "5", "bash", "--norc", "--noprofile", "-n", "-c", source])
        .stdin(Stdio::null())
        .output()
        .is_ok_and(|output| output.status.success() && output.stderr.is_empty())
}

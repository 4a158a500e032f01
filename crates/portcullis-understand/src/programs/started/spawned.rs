//! Calls of a tool's own library that start something: `c.run("…")` of a task, `local("…")` of a `Tiltfile`, `exec "…"` of a package in Nim. Owns
//! which texts of a file stand in such a call; the tables of languages know the functions of the languages' own libraries.

use std::ops::Range;

use portcullis_syntax::Span;

use super::project;
use crate::{
    bound::Bounded,
    effect::Certainty,
    programs::found::File,
    programs::host::{Host, Unread},
    text::Text,
};

/// How many calls of one file are followed.
const CALLS: usize = 128;

/// How far a call reaches.
const REACH: usize = 4096;

/// What the texts in a call are.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Given {
    /// The first is a command for a shell.
    Command,
    /// Each is one.
    Commands,
    /// All are a program with its words.
    Words,
    /// All are words where there are several, and a command where there is one.
    Either,
    /// They are words if the call is followed by this.
    WordsBefore(&'static str),
}

/// A function by how its name is written, with what it is given.
pub(super) type Call = (&'static str, Given);

/// Something that a call starts.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Start {
    /// Its words, or commands.
    pub(super) words: Vec<String>,
    is_command: bool,
    span: Span,
}

impl Start {
    /// Where it stands.
    pub(super) const fn span(&self) -> Span {
        self.span
    }
}

/// Says what the calls in a file start. `tasks` is how a task begins in it, with the names of those that are asked for: where the file has one of these,
/// only what it does counts.
pub(super) fn follow(
    walk: &mut dyn Host,
    file: &File,
    language: &'static str,
    calls: &[Call],
    tasks: (&str, &[&str]),
    span: Span,
) {
    if calls.is_empty() {
        return;
    }
    let reached = reached(&file.text, tasks.0, tasks.1);
    let starts = found(&file.text, calls);
    let starts = starts.iter().filter(|start| {
        reached.is_empty() || reached.iter().any(|part| part.contains(&start.span.range().start))
    });
    walk.in_file(file, language, span, |walk| {
        for start in starts.at_most(CALLS, &mut Unread(walk), span) {
            say(walk, start);
        }
    });
}

/// Where the tasks stand that are asked for, with those that they name. None where the file has none of them.
fn reached(text: &str, begin: &str, asked: &[&str]) -> Vec<Range<usize>> {
    if begin.is_empty() || asked.is_empty() {
        return Vec::new();
    }
    // What stands above a task belongs to it: what decorates it, and what is said of it.
    let mut tasks: Vec<(String, Range<usize>)> = Vec::new();
    let (mut at, mut above) = (0, 0);
    for line in text.split_inclusive('\n') {
        if let Some(rest) = line.strip_prefix(begin) {
            let end = rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_');
            let name = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
            if let Some((_, last)) = tasks.last_mut() {
                last.end = above;
            }
            tasks.push((name.to_lowercase(), above..text.len()));
        }
        at += line.len();
        // Of what stands at the margin, only what decorates goes with what follows.
        let stays = line.starts_with([' ', '\t', '@', ')', '#', '/']) || line.trim().is_empty();
        let decorates = line.starts_with(['@', ')', '#', '/']);
        let is_decorated = text.get(above..).is_some_and(|it| it.starts_with('@'));
        let belongs = decorates || stays && is_decorated;
        if !belongs {
            above = at;
        }
    }
    let written = |name: &str| {
        name.split(['(', '[', ':']).next().unwrap_or(name).replace('-', "_").to_lowercase()
    };
    let mut open: Vec<String> = asked.iter().map(|name| written(name)).collect();
    let mut reached: Vec<(String, Range<usize>)> = Vec::new();
    while let Some(name) = open.pop() {
        if reached.iter().any(|(known, _)| *known == name) {
            continue;
        }
        let Some((name, part)) = tasks.iter().find(|(known, _)| *known == name).cloned() else {
            continue;
        };
        let body = text.get(part.clone()).unwrap_or_default().to_lowercase();
        let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
        open.extend(
            tasks
                .iter()
                .map(|it| &it.0)
                .filter(|other| body.split(|letter| !is_word(letter)).any(|word| word == *other))
                .cloned(),
        );
        reached.push((name, part));
    }
    reached.into_iter().map(|it| it.1).collect()
}

/// Says that something is started.
pub(super) fn say(walk: &mut dyn Host, start: &Start) {
    walk.at_most(Certainty::Likely, |walk| {
        if start.is_command {
            for command in &start.words {
                walk.shell(&Text::known(command.as_str()), start.span, &[], None);
            }
            return;
        }
        // The words of a shell that is named elsewhere.
        let shell =
            matches!(start.words.first().map(String::as_str), Some("-c" | "-lc" | "-ec" | "-xc"));
        let mut words = start.words.clone();
        if shell {
            words.insert(0, "sh".to_owned());
        }
        walk.run(&project::arguments(&words, start.span), None);
    });
}

/// What the calls in a text start, in their order.
pub(super) fn found(text: &str, calls: &[Call]) -> Vec<Start> {
    let mut starts: Vec<Start> = Vec::new();
    for (name, given) in calls {
        for (at, _) in text.match_indices(name) {
            let before = text.get(..at).unwrap_or_default();
            let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
            let from = at + name.len();
            let rest = text.get(from..).unwrap_or_default();
            let is_part = name.starts_with(is_word) && before.ends_with(is_word)
                || name.ends_with(is_word) && rest.starts_with(is_word);
            let line = before.rsplit('\n').next().unwrap_or_default().trim_start();
            let is_comment = ["#", "//", ";", "--", "%"].iter().any(|mark| line.starts_with(mark));
            if is_part || is_comment {
                continue;
            }
            let rest = rest.get(..rest.floor_char_boundary(REACH)).unwrap_or(rest);
            let is_open = name.ends_with(['(', '[', '{']);
            let (texts, length) = literals(rest, !is_open, name.ends_with([':', '=']));
            if let Given::WordsBefore(mark) = given
                && !rest.get(length..).unwrap_or_default().trim_start().starts_with(mark)
            {
                continue;
            }
            let span = Span::new(at, from + length);
            let is_command = match given {
                Given::Command | Given::Commands => true,
                Given::Words | Given::WordsBefore(_) => false,
                Given::Either => texts.len() == 1,
            };
            // Behind a command stand settings of the call.
            let words: Vec<String> = match given {
                Given::Command => texts.into_iter().next().into_iter().collect(),
                _ => texts,
            };
            if !words.is_empty() {
                starts.push(Start { words, is_command, span });
            }
        }
    }
    starts.sort_by_key(|start| start.span.start);
    starts
}

/// The texts in the brackets that open here, or in one that is open, up to an argument with a name; without brackets those up to the end of the line.
/// Texts with nothing between them are one in brackets, and where they are the value of a name (`is_value`), which may go on over several lines. The length of what was read comes with them.
fn literals(text: &str, opens: bool, is_value: bool) -> (Vec<String>, usize) {
    let mut texts: Vec<String> = Vec::new();
    let mut depth = usize::from(!opens);
    let mut at = 0;
    // Whether only blanks stand between this place and the text before it.
    let mut touches = false;
    let mut is_named = false;
    while let Some(letter) = text.get(at..).and_then(|rest| rest.chars().next()) {
        match letter {
            '"' | '\'' | '`' => {
                let (value, length) = literal(text.get(at..).unwrap_or_default(), letter);
                at += length;
                if is_named {
                    continue;
                }
                match texts.last_mut().filter(|_| touches && (depth > 0 || is_value)) {
                    Some(last) => last.push_str(&value),
                    None => texts.push(value),
                }
                touches = true;
                continue;
            }
            '(' | '[' | '{' => {
                depth += 1;
                touches = false;
            }
            ')' | ']' | '}' => {
                touches = false;
                if depth <= 1 {
                    return (texts, at + usize::from(depth == 1));
                }
                depth -= 1;
            }
            '\n' | ';' if depth == 0 && !is_value && (letter == ';' || !texts.is_empty()) => {
                return (texts, at);
            }
            // What is put together of texts, and marks before them.
            '+' | '\\' => {}
            'f' | 'r' | 'b'
                if text.get(at + 1..).is_some_and(|rest| rest.starts_with(['"', '\''])) => {}
            _ if depth == 0 && is_value && !texts.is_empty() && !letter.is_whitespace() => {
                return (texts, at);
            }
            // What is given by its name is an option of the call; what another one computes is no text.
            '=' if depth > 0 && !texts.is_empty() => is_named = true,
            letter if letter.is_whitespace() => {}
            _ => touches = false,
        }
        at += letter.len_utf8();
    }
    (texts, at)
}

/// A text in quotes, with what it computes as a word that stands for it, and its length.
fn literal(text: &str, quote: char) -> (String, usize) {
    let triple: String = std::iter::repeat_n(quote, 3).collect();
    let close = if text.starts_with(&triple) { triple } else { quote.to_string() };
    let mut value = String::new();
    let mut at = close.len();
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        if rest.starts_with(&close) {
            return (value, at + close.len());
        }
        let mut letters = rest.chars();
        let letter = letters.next().unwrap_or_default();
        at += letter.len_utf8();
        match letter {
            '\\' if quote != '`' => {
                let next = letters.next();
                at += next.map_or(0, char::len_utf8);
                match next {
                    Some('n') => value.push('\n'),
                    Some('t') => value.push('\t'),
                    Some('\n') | None => {}
                    Some(next) => value.push(next),
                }
            }
            // `{x}` of a format, `#{x}` and `${x}` of a template.
            '{' => {
                let inner = text.get(at..).unwrap_or_default();
                let end = inner.find(['}', '\n', quote]).filter(|end| {
                    inner.get(*end..).is_some_and(|rest| rest.starts_with('}'))
                        && !inner.get(..*end).unwrap_or_default().contains([' ', ';'])
                });
                match end {
                    Some(end) => {
                        at += end + 1;
                        if value.ends_with(['#', '$']) {
                            value.pop();
                        }
                        value.push_str("value");
                    }
                    None => value.push('{'),
                }
            }
            letter => value.push(letter),
        }
    }
    (value, text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, calls: &[Call]) -> Vec<String> {
        found(text, calls)
            .into_iter()
            .map(|start| {
                format!("{}{}", if start.is_command { "$ " } else { "" }, start.words.join("|"))
            })
            .collect()
    }

    #[test]
    fn tasks_that_are_asked_for_are_told_from_the_others() {
        let text = "import x\n@task\ndef a(c):\n    c.run('1')\n\n@task(pre=[a])\ndef b(c):\n    c.run('2')\n\n@task\ndef c_d(c):\n    c.run('3')\n";
        let asked = |names: &[&str]| -> Vec<&str> {
            let reached = reached(text, "def ", names);
            ["1", "2", "3"]
                .into_iter()
                .filter(|mark| {
                    let at = text.find(&format!("'{mark}'")).unwrap();
                    reached.is_empty() || reached.iter().any(|part| part.contains(&at))
                })
                .collect()
        };
        assert_eq!(asked(&["a"]), ["1"]);
        assert_eq!(asked(&["b"]), ["1", "2"]);
        assert_eq!(asked(&["c-d"]), ["3"]);
        assert_eq!(asked(&["other"]), ["1", "2", "3"]);
        assert_eq!(asked(&[]), ["1", "2", "3"]);
    }

    #[test]
    fn texts_of_calls_are_found() {
        for (text, calls, expected) in [
            ("c.run(\"a b\", hide=\"x\")", &[(".run", Given::Command)][..], vec!["$ a b"]),
            ("c.run('a '\n  'b')", &[(".run", Given::Command)], vec!["$ a b"]),
            ("s.run('a', 'b', env={'A': 'b'})", &[(".run", Given::Words)], vec!["a|b"]),
            ("session.run(*args)\nx.runs('a')", &[(".run", Given::Words)], vec![]),
            ("# c.run('a')\nc.run(f'a {x} b')", &[(".run", Given::Command)], vec!["$ a value b"]),
            ("before build:\n  exec \"a\"\n  b \"c\"", &[("exec", Given::Command)], vec!["$ a"]),
            (
                "shell:\n  'a '\n  f'b {c}'\n  output: 'd'",
                &[("shell:", Given::Command)],
                vec!["$ a b value"],
            ),
            ("cmd = \"a \" +\n \"b\",\n outs = ['c']", &[("cmd =", Given::Command)], vec!["$ a b"]),
            ("(sh \"a\" \"b c\")", &[("(sh ", Given::Words)], vec!["a|b c"]),
            ("local('a')\nlocal(['b', 'c'])", &[("local", Given::Either)], vec!["$ a", "b|c"]),
            ("Seq(\"a\", \"b\").!\nSeq(\"c\")", &[("Seq", Given::WordsBefore(".!"))], vec!["a|b"]),
            (
                "{pre_hooks, [{compile, \"a\"}, {\"linux\", x, \"b\"}]}",
                &[("pre_hooks", Given::Commands)],
                vec!["$ a|linux|b"],
            ),
            ("sh.Run(\"a\", `b c`)", &[("sh.Run", Given::Words)], vec!["a|b c"]),
            ("x(&.{ \"a\", \"b\" })", &[("x", Given::Words)], vec!["a|b"]),
        ] {
            assert_eq!(shown(text, calls), expected, "{text}");
        }
    }
}

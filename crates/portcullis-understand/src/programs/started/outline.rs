//! What of a file of Python runs while it is loaded: all but the bodies of functions that nothing calls. Owns how these are found; whoever loads
//! the file says which functions it calls by itself.

use std::collections::BTreeSet;

use portcullis_syntax::code::{Token, TokenKind, dialect, tokens};

/// How many functions of one file are told from each other.
const FUNCTIONS: usize = 512;

/// Words by which code finds functions that it does not name.
pub(super) const FINDS: &[&str] =
    &["__dict__", "eval", "exec", "getattr", "getmembers", "globals", "inspect", "locals", "vars"];

/// A function of the file, or a method of one of its classes.
#[derive(Debug)]
pub(crate) struct Function<'t> {
    pub(super) name: &'t str,
    /// What is written behind each `@` above it, up to the brackets.
    pub(super) decorators: Vec<String>,
    /// How far in it stands: nothing at the top of the module.
    pub(super) indent: u32,
    /// Where its name stands in the tokens, and the body in the text.
    head: usize,
    /// The tokens of the names of its parameters, which call nothing.
    parameters: Vec<usize>,
    body: (usize, usize),
}

/// The functions of a file that are in no other one; nothing where not all of it was read.
fn functions<'t>(text: &'t str, tokens: &[Token]) -> Option<Vec<Function<'t>>> {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.span.of(text));
    let mut found: Vec<Function<'t>> = Vec::new();
    let mut decorators: Vec<String> = Vec::new();
    let (mut at, mut depth) = (0, 0_usize);
    while let Some(token) = tokens.get(at) {
        let begins = token.first && depth == 0;
        depth = deeper(depth, word(at));
        if !begins {
            at += 1;
            continue;
        }
        let indent = token.indent;
        let def = at + usize::from(word(at) == "async");
        if word(at) == "@" {
            let named = (at + 1..).take_while(|at| {
                let token = tokens.get(*at);
                token.is_some_and(|token| !token.first && token.kind == TokenKind::Name)
                    || word(*at) == "."
            });
            decorators.push(named.map(word).collect());
        } else if word(def) == "def" {
            let mut open = 0;
            let mut colon = def + 2;
            let mut parameters = Vec::new();
            while colon < tokens.len() && (open > 0 || word(colon) != ":") {
                let before = colon.checked_sub(1).map_or("", word);
                if open == 1 && matches!(before, "(" | "," | "*" | "**") {
                    parameters.push(colon);
                }
                open = deeper(open, word(colon));
                colon += 1;
            }
            let first = tokens.get(colon + 1)?;
            let is_block = first.first;
            let (mut end, mut open) = (colon + 1, 0);
            while let Some(token) = tokens.get(end) {
                let ends = token.first && open == 0 && (!is_block || token.indent <= indent);
                if ends {
                    break;
                }
                open = deeper(open, word(end));
                end += 1;
            }
            let last = tokens.get(end.checked_sub(1)?)?;
            let name = tokens.get(def + 1)?.span.of(text);
            let body = (first.span.range().start, last.span.range().end);
            if found.len() >= FUNCTIONS || body.0 >= body.1 {
                return None;
            }
            let decorators = std::mem::take(&mut decorators);
            let indent = token.indent;
            found.push(Function { name, decorators, indent, head: def + 1, parameters, body });
            (at, depth) = (end, 0);
            continue;
        } else {
            decorators.clear();
        }
        at += 1;
    }
    Some(found)
}

fn deeper(depth: usize, word: &str) -> usize {
    match word {
        "(" | "[" | "{" => depth + 1,
        ")" | "]" | "}" => depth.saturating_sub(1),
        _ => depth,
    }
}

/// A module as whoever imports it has it: blanks in the place of `if __name__ == "__main__":` with what stands below it (docs.python.org,
/// "`__main__`"). Nothing where it has no such block, or something else is done with its name.
pub(super) fn imported(text: &str) -> Option<String> {
    if !text.contains("__main__") {
        return None;
    }
    let tokens = tokens(text, dialect("python"));
    if !tokens.complete {
        return None;
    }
    let list = tokens.list.as_slice();
    let word = |at: usize| list.get(at).map_or("", |token| token.span.of(text));
    let is_main = |at: usize| word(at).trim_matches(['"', '\'']) == "__main__";
    let is_named = |at: usize| word(at) == "__name__";
    // What gives the module another name, or looks the name up by a text.
    let is_other = (0..list.len()).any(|at| {
        is_named(at) && word(at + 1) == "="
            || word(at) != "__name__" && word(at).trim_matches(['"', '\'']) == "__name__"
    });
    if is_other {
        return None;
    }
    let mut kept = text.to_owned();
    let (mut at, mut depth, mut is_changed) = (0, 0_usize, false);
    while let Some(token) = list.get(at) {
        let begins = token.first && depth == 0 && token.indent == 0 && word(at) == "if";
        depth = deeper(depth, word(at));
        let compares = is_named(at + 1) && is_main(at + 3) || is_main(at + 1) && is_named(at + 3);
        if !(begins && compares && word(at + 2) == "==" && word(at + 4) == ":") {
            at += 1;
            continue;
        }
        let (mut end, mut open) = (at + 5, 0);
        while let Some(token) = list.get(end) {
            if token.first && open == 0 && token.indent == 0 {
                break;
            }
            open = deeper(open, word(end));
            end += 1;
        }
        if !matches!(word(end), "elif" | "else") {
            let last = list.get(end.saturating_sub(1)).map_or(0, |token| token.span.range().end);
            let range = token.span.range().start..last;
            let blank: String = text
                .get(range.clone())?
                .chars()
                .map(|it| if it == '\n' { "\n".to_owned() } else { " ".repeat(it.len_utf8()) })
                .collect();
            kept.replace_range(range, &blank);
            is_changed = true;
        }
        (at, depth) = (end, 0);
    }
    is_changed.then_some(kept)
}

/// Where the bodies of the functions of a file stand; nothing where not all of it was read.
pub(super) fn bodies(text: &str) -> Option<Vec<std::ops::Range<usize>>> {
    let tokens = tokens(text, dialect("python"));
    let functions = tokens.complete.then(|| functions(text, &tokens.list)).flatten()?;
    Some(functions.into_iter().map(|it| it.body.0..it.body.1).collect())
}

/// The names of the functions of a file that are wanted.
pub(super) fn names<'t>(
    text: &'t str,
    wanted: &dyn Fn(&Function<'_>) -> bool,
) -> Option<Vec<&'t str>> {
    let tokens = tokens(text, dialect("python"));
    let functions = tokens.complete.then(|| functions(text, &tokens.list)).flatten()?;
    Some(functions.iter().filter(|it| wanted(it)).map(|it| it.name).collect())
}

/// The text without the bodies of functions that nothing calls: not whoever loads it (`is_called`), nor what runs while it is loaded, nor what
/// either of them calls. Their places are blank, so that all others stay where they are. Where names are looked up by texts, it is the whole text.
pub(super) fn without_uncalled(
    text: &str,
    is_called: &dyn Fn(&Function<'_>) -> bool,
) -> Option<String> {
    left(text, is_called, false)
}

/// As [`without_uncalled`], where what only names a function that has decorators may call it not (`decorates`): what calls it is known.
pub(super) fn left(
    text: &str,
    is_called: &dyn Fn(&Function<'_>) -> bool,
    decorates: bool,
) -> Option<String> {
    let tokens = tokens(text, dialect("python"));
    if !tokens.complete {
        return None;
    }
    let list = tokens.list.as_slice();
    let functions = functions(text, list)?;
    let is_in = |at: usize, function: &Function<'_>| {
        list.get(at).is_some_and(|token| {
            function.head == at
                || (function.body.0..function.body.1).contains(&token.span.range().start)
        })
    };
    // For each token the function that it stands in.
    let mut within: Vec<Option<usize>> = vec![None; list.len()];
    let mut next = 0;
    for (at, place) in within.iter_mut().enumerate() {
        while let Some(function) = functions.get(next)
            && list.get(at).is_some_and(|token| token.span.range().start >= function.body.1)
        {
            next += 1;
        }
        *place = functions.get(next).filter(|function| is_in(at, function)).map(|_| next);
    }
    let mut words: Vec<Vec<&str>> = vec![Vec::new(); functions.len() + 1];
    let named: BTreeSet<usize> = functions.iter().flat_map(|it| it.parameters.clone()).collect();
    for (at, (token, place)) in list.iter().zip(&within).enumerate() {
        if named.contains(&at) {
            continue;
        }
        let place = place.map_or(0, |at| at + 1);
        let Some(words) = words.get_mut(place) else { continue };
        match token.kind {
            TokenKind::Name => words.push(token.span.of(text)),
            TokenKind::Text(_) => {
                let parts =
                    token.span.of(text).split(|it: char| !it.is_alphanumeric() && it != '_');
                words.extend(parts);
            }
            _ => {}
        }
    }
    let mut called: BTreeSet<usize> = BTreeSet::new();
    let mut open: Vec<usize> = vec![0];
    for (at, function) in functions.iter().enumerate() {
        let is_hook = function.name.starts_with("__");
        if is_hook || is_called(function) {
            open.push(at + 1);
        }
    }
    let mut named: BTreeSet<&str> = BTreeSet::new();
    while let Some(place) = open.pop() {
        if place > 0 && !called.insert(place - 1) {
            continue;
        }
        for word in words.get(place).into_iter().flatten() {
            // The name of a function in its own body is no call of it from elsewhere.
            if FINDS.contains(word) {
                return None;
            }
            if named.insert(word) {
                let those = functions
                    .iter()
                    .enumerate()
                    .filter(|(_, it)| it.name == *word && (!decorates || it.decorators.is_empty()));
                open.extend(those.map(|(at, _)| at + 1));
            }
        }
    }
    let mut kept = text.as_bytes().to_vec();
    for (at, function) in functions.iter().enumerate() {
        if called.contains(&at) {
            continue;
        }
        let body = kept.get_mut(function.body.0..function.body.1)?;
        for byte in body.iter_mut().filter(|byte| **byte != b'\n') {
            *byte = b' ';
        }
        if let Some(first) = body.first_mut() {
            *first = b'0';
        }
    }
    String::from_utf8(kept).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_that_is_imported_is_not_the_program() {
        let text = "import a\nif __name__ == '__main__':\n    b('é')\n\n    c()\nd()\n";
        let kept = imported(text).unwrap();
        assert_eq!(kept.len(), text.len());
        assert!(kept.ends_with("d()\n") && !kept.contains("c()"));
        for text in [
            "a()\n",
            "if __name__ == '__main__':\n    a()\nelse:\n    b()\n",
            "if x == '__main__':\n    a()\n",
            "__name__ = '__main__'\nif __name__ == '__main__':\n    a()\n",
            "globals()['__name__'] = x\nif __name__ == '__main__':\n    a()\n",
            "X = \"\"\"\nif __name__ == '__main__':\n \"\"\"; a()\n",
            "if __name__ == '__main__' or b:\n    a()\n",
        ] {
            assert_eq!(imported(text), None, "{text}");
        }
    }

    #[test]
    fn bodies_that_nothing_calls_are_left_out() {
        let text = "import os\n\n@mark\ndef test_a(x: int = f(1)) -> dict[str, int]:\n    \"\"\"é\n  text\n\"\"\"\n    os.remove('a')\n    return (\n1)\n\nclass T:\n    def test_b(self): os.remove('b')\n\n    async def helper(self):\n        os.remove('c')\n\ndef used():\n    inner()\n\ndef inner():\n    os.remove('d')\n\nused()\nos.remove('e')\n";
        let kept = without_uncalled(text, &|_| false).unwrap();
        assert_eq!(kept.len(), text.len());
        for (mark, expected) in
            [("'a'", false), ("'b'", false), ("'c'", false), ("'d'", true), ("'e'", true)]
        {
            assert_eq!(kept.contains(mark), expected, "{mark}: {kept}");
        }
        let kept = without_uncalled(text, &|function| function.name == "test_b").unwrap();
        assert!(kept.contains("'b'") && !kept.contains("'a'"), "{kept}");
        let kept = without_uncalled(text, &|function| function.decorators == ["mark"]).unwrap();
        assert!(kept.contains("'a'") && !kept.contains("'b'"), "{kept}");
    }

    #[test]
    fn where_names_are_looked_up_by_texts_anything_may_be_called() {
        let text = "def a():\n    x()\n\nglobals()['a']()\n";
        assert_eq!(without_uncalled(text, &|_| false), None);
        let named = "def a():\n    x()\n\nrun('a')\n";
        assert!(without_uncalled(named, &|_| false).unwrap().contains("x()"));
        let hook = "class A:\n    def __init_subclass__(cls):\n        x()\n";
        assert!(without_uncalled(hook, &|_| false).unwrap().contains("x()"));
    }

    #[test]
    fn a_parameter_calls_nothing() {
        let text = "def a():\n    x()\n\ndef test_b(a, *c: int):\n    y()\n";
        let kept = without_uncalled(text, &|_| false).unwrap();
        assert!(!kept.contains("x()") && !kept.contains("y()"), "{kept}");
    }

    #[test]
    fn what_a_default_and_a_decorator_call_is_called() {
        let text = "def a():\n    x()\n\n@deco(a())\ndef b(z=a()):\n    y()\n";
        let kept = without_uncalled(text, &|_| false).unwrap();
        assert!(kept.contains("x()") && !kept.contains("y()"), "{kept}");
    }
}

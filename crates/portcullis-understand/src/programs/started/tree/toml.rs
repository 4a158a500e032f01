//! TOML (toml.io, version 1.0), as far as tools' own files use it. Owns tables, arrays of tables, dotted keys and every kind of string.

use portcullis_syntax::Span;

use super::{
    DEPTH, Node, Tree, Value,
    flow::{Dialect, Flow},
};

/// Reads a file; a line that is none of TOML is passed over.
pub(crate) fn toml(text: &str) -> Tree {
    let mut root = Node::new(Span::new(0, text.len()), Value::Map(Vec::new()));
    let mut table: Vec<String> = Vec::new();
    let mut flow = Flow::new(text, 0, Dialect::Toml);
    let mut cut = false;
    loop {
        flow.skip();
        let rest = text.get(flow.at..).unwrap_or_default();
        if rest.is_empty() {
            break;
        }
        let line = rest.split('\n').next().unwrap_or_default();
        if let Some(header) = line.strip_prefix('[') {
            let (header, is_array) = match header.strip_prefix('[') {
                Some(header) => (header, true),
                None => (header, false),
            };
            table = names(header.split(']').next().unwrap_or_default());
            let span = Span::new(flow.at, flow.at + line.trim_end().len());
            flow.at += line.len();
            cut |= table.len() > DEPTH;
            table.truncate(DEPTH);
            if is_array {
                open_array(&mut root, &table, span);
            } else {
                reach(&mut root, &table, span, &mut |place| {
                    if matches!(place.value, Value::Null | Value::Scalar(_)) {
                        place.value = Value::Map(Vec::new());
                    }
                });
            }
            continue;
        }
        let Some(equals) = key_end(line) else {
            flow.at += line.len().max(1);
            continue;
        };
        let key = names(line.get(..equals).unwrap_or_default());
        let key_span = Span::new(flow.at, flow.at + equals);
        flow.at += equals + 1;
        let value = value(text, &mut flow);
        cut |= flow.cut;
        let mut path = table.clone();
        path.extend(key);
        cut |= path.len() > DEPTH * 2;
        path.truncate(DEPTH * 2);
        let span = key_span.to(value.span);
        reach(&mut root, &path, span, &mut |place| *place = value.clone());
    }
    Tree { documents: vec![root], cut }
}

/// Adds a table to an array of them: the last name is that of the array, not of its last table.
fn open_array(root: &mut Node, table: &[String], span: Span) {
    let Some((name, outer)) = table.split_last() else { return };
    reach(root, outer, span, &mut |place| {
        let place = match &mut place.value {
            Value::List(items) => items.last_mut(),
            _ => Some(place),
        };
        let Some(place) = place else { return };
        if !matches!(place.value, Value::Map(_)) {
            place.value = Value::Map(Vec::new());
        }
        let Value::Map(entries) = &mut place.value else { return };
        match entries.iter_mut().find(|(key, _)| key.text() == Some(name)) {
            Some((_, Node { value: Value::List(items), .. })) => items.push(empty(span)),
            Some((_, value)) => value.value = Value::List(vec![empty(span)]),
            None => {
                let array = Node::new(span, Value::List(vec![empty(span)]));
                entries.push((Node::new(span, Value::Scalar(name.clone())), array));
            }
        }
    });
}

fn empty(span: Span) -> Node {
    Node::new(span, Value::Map(Vec::new()))
}

/// Where the `=` of a line stands, past a key in quotes.
fn key_end(line: &str) -> Option<usize> {
    let mut quote = None;
    line.char_indices().find_map(|(at, letter)| {
        match (quote, letter) {
            (None, '=') => return Some(at),
            (None, '"' | '\'') => quote = Some(letter),
            (Some(open), letter) if open == letter => quote = None,
            _ => {}
        }
        None
    })
}

/// The parts of a dotted key.
fn names(key: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut quote = None;
    for letter in key.trim().chars() {
        match (quote, letter) {
            (None, '.') => parts.push(String::new()),
            (None, '"' | '\'') => quote = Some(letter),
            (Some(open), letter) if open == letter => quote = None,
            (None, letter) if letter.is_whitespace() => {}
            (_, letter) => {
                if let Some(last) = parts.last_mut() {
                    last.push(letter);
                }
            }
        }
    }
    parts
}

/// Calls `change` with the place that names lead to, made where it is not there; in an array of tables the last of them counts.
fn reach(node: &mut Node, names: &[String], span: Span, change: &mut dyn FnMut(&mut Node)) {
    let Some((name, rest)) = names.split_first() else { return change(node) };
    if let Value::List(items) = &mut node.value
        && let Some(last) = items.last_mut()
    {
        return reach(last, names, span, change);
    }
    if !matches!(node.value, Value::Map(_)) {
        node.value = Value::Map(Vec::new());
    }
    let Value::Map(entries) = &mut node.value else { return };
    if let Some((_, value)) = entries.iter_mut().find(|(key, _)| key.text() == Some(name)) {
        return reach(value, rest, span, change);
    }
    let mut value = Node::new(span, Value::Null);
    reach(&mut value, rest, span, change);
    entries.push((Node::new(span, Value::Scalar(name.clone())), value));
}

/// A value, with TOML's long strings.
fn value(text: &str, flow: &mut Flow<'_>) -> Node {
    flow.skip();
    let rest = text.get(flow.at..).unwrap_or_default();
    for quotes in ["\"\"\"", "'''"] {
        let Some(inner) = rest.strip_prefix(quotes) else { continue };
        let end = inner.find(quotes).unwrap_or(inner.len());
        let content = inner.get(..end).unwrap_or_default();
        let whole = (end + 2 * quotes.len()).min(rest.len());
        let span = Span::new(flow.at, flow.at + whole);
        flow.at += whole;
        let content = content.strip_prefix('\n').unwrap_or(content);
        let content = match quotes {
            "'''" => content.to_owned(),
            _ => content.replace("\\\"", "\"").replace("\\n", "\n").replace("\\\\", "\\"),
        };
        return Node::new(span, Value::Scalar(content));
    }
    flow.value()
}

#[cfg(test)]
mod tests {
    use super::{super::tests::shown, toml};

    #[test]
    fn tables_keys_and_strings_are_read() {
        for (text, expected) in [
            ("a = 1\n[b.c]\nd = \"e # f\" # g\n", r#"{a:"1",b:{c:{d:"e # f"}}}"#),
            (
                "[tool.poe.tasks]\nx.cmd = 'y'\n\"z w\" = [\n  \"p\",\n  \"q\", # r\n]\n",
                r#"{tool:{poe:{tasks:{x:{cmd:"y"},z w:["p","q"]}}}}"#,
            ),
            ("[[a]]\nb = 1\n[[a]]\nb = 2\n", r#"{a:[{b:"1"},{b:"2"}]}"#),
            (
                "run = \"\"\"\nx\ny\n\"\"\"\nz = { shell = \"a = b\", n = { m = '1' } }\n",
                r#"{run:"x\ny\n",z:{shell:"a = b",n:{m:"1"}}}"#,
            ),
            ("nothing\na = b\n", r#"{a:"b"}"#),
        ] {
            assert_eq!(shown(toml(text).root().unwrap()), expected, "{text}");
        }
    }
}

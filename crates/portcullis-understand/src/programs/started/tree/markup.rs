//! Markup (XML), as far as build files use it. Owns elements, attributes, text and CDATA. An element is a map of what stands in it, attributes with
//! `@` before their names; an element with text alone is that text.

use portcullis_syntax::Span;

use super::{DEPTH, NODES, Node, Tree, Value};

/// An element that is open.
#[derive(Default)]
struct Open {
    name: String,
    start: usize,
    entries: Vec<(Node, Node)>,
    text: String,
}

/// Reads a file; what is not closed ends with the file.
pub(crate) fn markup(text: &str) -> Tree {
    let mut open: Vec<Open> = vec![Open::default()];
    let mut at = 0;
    let mut nodes = 0;
    let mut cut = false;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let Some(less) = rest.find('<') else {
            if let Some(element) = open.last_mut() {
                element.text.push_str(&unescaped(rest));
            }
            break;
        };
        if let Some(element) = open.last_mut() {
            element.text.push_str(&unescaped(rest.get(..less).unwrap_or_default()));
        }
        at += less;
        let rest = text.get(at..).unwrap_or_default();
        if let Some(inner) = rest.strip_prefix("<!--") {
            at += inner.find("-->").map_or(rest.len(), |end| end + 7);
            continue;
        }
        if let Some(inner) = rest.strip_prefix("<![CDATA[") {
            let end = inner.find("]]>");
            if let Some(element) = open.last_mut() {
                element.text.push_str(inner.get(..end.unwrap_or(inner.len())).unwrap_or_default());
            }
            at += end.map_or(rest.len(), |end| end + 12);
            continue;
        }
        if rest.starts_with("<?") || rest.starts_with("<!") {
            at += rest.find('>').map_or(rest.len(), |end| end + 1);
            continue;
        }
        if let Some(inner) = rest.strip_prefix("</") {
            let end = inner.find('>').unwrap_or(inner.len());
            let name = inner.get(..end).unwrap_or_default().trim();
            at += (end + 3).min(rest.len());
            if open.len() > 1 && open.last().is_some_and(|element| element.name == name) {
                close(&mut open, at);
            }
            continue;
        }
        nodes += 1;
        if nodes > NODES || open.len() > DEPTH {
            cut = true;
            break;
        }
        let start = at;
        let (name, attributes, length, is_empty) = tag(rest);
        at += length;
        let span = Span::new(start, at);
        let entries = attributes
            .into_iter()
            .map(|(key, value)| (scalar(format!("@{key}"), span), scalar(value, span)))
            .collect();
        open.push(Open { name, start, entries, text: String::new() });
        if is_empty {
            close(&mut open, at);
        }
    }
    while open.len() > 1 {
        close(&mut open, text.len());
    }
    let entries = open.pop().map(|element| element.entries).unwrap_or_default();
    Tree { documents: vec![Node::new(Span::new(0, text.len()), Value::Map(entries))], cut }
}

fn scalar(text: String, span: Span) -> Node {
    Node::new(span, Value::Scalar(text))
}

fn close(open: &mut Vec<Open>, end: usize) {
    let Some(element) = open.pop() else { return };
    let span = Span::new(element.start, end);
    let value = match element.entries.is_empty() {
        true if element.text.trim().is_empty() => Value::Null,
        true => Value::Scalar(element.text.trim().to_owned()),
        false => Value::Map(element.entries),
    };
    if let Some(outer) = open.last_mut() {
        outer.entries.push((scalar(element.name, span), Node::new(span, value)));
    }
}

/// Name, attributes and length of a tag, and whether it closes itself.
fn tag(text: &str) -> (String, Vec<(String, String)>, usize, bool) {
    let is_name =
        |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '-' | '.' | ':');
    let inner = text.get(1..).unwrap_or_default();
    let end = inner.find(|letter| !is_name(letter)).unwrap_or(inner.len());
    let name = inner.get(..end).unwrap_or_default().to_owned();
    let mut attributes = Vec::new();
    let mut at = 1 + end;
    let mut is_empty = false;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let letter = rest.chars().next().unwrap_or('>');
        match letter {
            '>' => return (name, attributes, at + 1, is_empty),
            '/' => {
                is_empty = true;
                at += 1;
            }
            letter if is_name(letter) => {
                let end = rest.find(|letter| !is_name(letter)).unwrap_or(rest.len());
                let key = rest.get(..end).unwrap_or_default().to_owned();
                let after = rest.get(end..).unwrap_or_default().trim_start();
                at = text.len() - after.len();
                let Some(value) = after.strip_prefix('=') else { continue };
                let value = value.trim_start();
                let Some(quote) = value.chars().next().filter(|quote| matches!(quote, '"' | '\''))
                else {
                    at = text.len() - value.len();
                    continue;
                };
                let body = value.get(1..).unwrap_or_default();
                let close = body.find(quote).unwrap_or(body.len());
                attributes.push((key, unescaped(body.get(..close).unwrap_or_default())));
                at = (text.len() - body.len() + close + 1).min(text.len());
            }
            other => at += other.len_utf8(),
        }
    }
    (name, attributes, text.len(), is_empty)
}

fn unescaped(text: &str) -> String {
    if !text.contains('&') {
        return text.to_owned();
    }
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('&') {
        plain.push_str(before);
        let known = [("lt;", '<'), ("gt;", '>'), ("amp;", '&'), ("quot;", '"'), ("apos;", '\'')]
            .into_iter()
            .find_map(|(name, letter)| after.strip_prefix(name).map(|next| (letter, next)));
        let numbered = || {
            let (number, next) = after.strip_prefix('#')?.split_once(';')?;
            let number = match number.strip_prefix(['x', 'X']) {
                Some(digits) => u32::from_str_radix(digits, 16).ok()?,
                None => number.parse().ok()?,
            };
            Some((char::from_u32(number)?, next))
        };
        match known.or_else(numbered) {
            Some((letter, next)) => {
                plain.push(letter);
                rest = next;
            }
            None => {
                plain.push('&');
                rest = after;
            }
        }
    }
    plain.push_str(rest);
    plain
}

#[cfg(test)]
mod tests {
    use super::{super::tests::shown, markup};

    #[test]
    fn elements_are_maps_of_what_stands_in_them() {
        for (text, expected) in [
            (
                "<?xml version=\"1.0\"?><!-- c --><a><b>x &lt; y</b><b/><c d='e' f = \"g&quot;\"/></a>",
                r#"{a:{b:"x < y",b:~,c:{@d:"e",@f:"g\""}}}"#,
            ),
            ("<a><![CDATA[<x>]]></a>", r#"{a:"<x>"}"#),
            ("<a><b>c", r#"{a:{b:"c"}}"#),
            ("</a></b>", "{}"),
            ("<a b=c>", "{a:~}"),
        ] {
            assert_eq!(shown(markup(text).root().unwrap()), expected, "{text}");
        }
    }
}

//! Files of sections: `[name]`, then `key = value` with lines that go on indented. Owns `tox.ini`, `setup.cfg`, `pytest.ini`,
//! `.npmrc`, `pip.conf` and the like (Python's `configparser`).

use portcullis_syntax::Span;

use super::{Node, Tree, Value};

/// Reads sections as a map of maps; what stands before the first section is in the one with an empty name.
pub(crate) fn sections(text: &str) -> Tree {
    let mut found: Vec<(Node, Vec<(Node, Node)>)> = vec![(scalar("", Span::default()), Vec::new())];
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let bare = line.trim();
        let span = Span::new(start, start + line.trim_end().len());
        if bare.is_empty() || bare.starts_with(['#', ';']) {
            continue;
        }
        let entries = found.last_mut().map(|(_, entries)| entries);
        if line.starts_with([' ', '\t'])
            && let Some((_, value)) = entries.and_then(|entries| entries.last_mut())
        {
            if let Value::Scalar(text) = &mut value.value {
                text.push('\n');
                text.push_str(bare);
                value.span = value.span.to(span);
            }
            continue;
        }
        if let Some(name) = bare.strip_prefix('[').and_then(|rest| rest.split(']').next()) {
            found.push((scalar(name.trim(), span), Vec::new()));
            continue;
        }
        let cut = bare.find(['=', ':']).unwrap_or(bare.len());
        let (key, value) = bare.split_at_checked(cut).unwrap_or((bare, ""));
        let value = value.get(1..).unwrap_or_default().trim();
        if let Some((_, entries)) = found.last_mut() {
            entries.push((scalar(key.trim(), span), scalar(value, span)));
        }
    }
    let map = found.into_iter().map(|(name, entries)| {
        let span = entries.iter().fold(name.span, |span, (_, value)| span.to(value.span));
        (name, Node::new(span, Value::Map(entries)))
    });
    let root = Node::new(Span::new(0, text.len()), Value::Map(map.collect()));
    Tree { documents: vec![root], cut: false }
}

fn scalar(text: &str, span: Span) -> Node {
    Node::new(span, Value::Scalar(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::{super::tests::shown, sections};

    #[test]
    fn values_go_on_on_indented_lines() {
        let text = "a = 1\n[testenv]\n# c\ncommands =\n    x {posargs}\n    y = z\ndeps: b\n";
        assert_eq!(
            shown(sections(text).root().unwrap()),
            r#"{:{a:"1"},testenv:{commands:"\nx {posargs}\ny = z",deps:"b"}}"#
        );
    }
}

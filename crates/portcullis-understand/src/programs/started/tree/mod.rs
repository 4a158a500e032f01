//! Files that are trees of names and values, as one kind of tree with spans: YAML, JSON with comments, TOML, and files of
//! sections. Owns their reading as far as tools' own files use them; what a name means is said by the readers of each tool.
//!
//! Reading never fails: what is no tree is a scalar, and what is cut (depth, number of nodes) is told by [`Tree::cut`].

mod blocks;
mod flow;
mod markup;
mod sections;
mod toml;
mod yaml;

use portcullis_syntax::Span;

pub(crate) use blocks::blocks;
pub(crate) use markup::markup;
pub(crate) use sections::sections;
pub(crate) use toml::toml;
pub(crate) use yaml::yaml;

/// How deep values nest before the rest is cut. Manifests of people stay below twenty.
const DEPTH: usize = 48;

/// How many values of one file are read, those that an alias repeats among them.
const NODES: usize = 60_000;

/// What was read of a file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tree {
    /// The documents in it; one, unless the format separates several.
    pub(crate) documents: Vec<Node>,
    /// Whether something was left out.
    pub(crate) cut: bool,
}

/// A value with its place in the file.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(crate) struct Node {
    /// Where it stands.
    pub(crate) span: Span,
    /// What it is.
    pub(crate) value: Value,
}

/// What a value is.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(crate) enum Value {
    /// Nothing is given.
    #[default]
    Null,
    /// A text, a number, a word.
    Scalar(String),
    /// A list.
    List(Vec<Node>),
    /// Names with values, in order.
    Map(Vec<(Node, Node)>),
}

impl Tree {
    /// The first document.
    pub(crate) fn root(&self) -> Option<&Node> {
        self.documents.first()
    }
}

impl Node {
    fn new(span: Span, value: Value) -> Self {
        Self { span, value }
    }

    /// The value behind a name.
    pub(crate) fn get(&self, name: &str) -> Option<&Self> {
        self.entries().find_map(|(key, value)| (key == name).then_some(value))
    }

    /// The value behind names of names.
    pub(crate) fn path(&self, names: &[&str]) -> Option<&Self> {
        names.iter().try_fold(self, |node, name| node.get(name))
    }

    /// Its text, where it is one.
    pub(crate) fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Scalar(text) => Some(text),
            _ => None,
        }
    }

    /// The text behind a name.
    pub(crate) fn text_of(&self, name: &str) -> Option<&str> {
        self.get(name)?.text()
    }

    /// The items of a list.
    pub(crate) fn items(&self) -> &[Self] {
        match &self.value {
            Value::List(items) => items,
            _ => &[],
        }
    }

    /// The items of a list, or the value itself where it is one alone.
    pub(crate) fn each(&self) -> &[Self] {
        match &self.value {
            Value::List(items) => items,
            Value::Null => &[],
            _ => std::slice::from_ref(self),
        }
    }

    /// Names with their values.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (&str, &Self)> {
        let entries = match &self.value {
            Value::Map(entries) => entries.as_slice(),
            _ => &[],
        };
        entries.iter().filter_map(|(key, value)| Some((key.text()?, value)))
    }

    /// Whether it says yes.
    pub(crate) fn is_true(&self) -> bool {
        matches!(self.text(), Some("true" | "True" | "TRUE" | "yes" | "Yes" | "on" | "1"))
    }

    /// The words of a command that is given as a list.
    pub(crate) fn words(&self) -> Vec<String> {
        self.items().iter().filter_map(|item| item.text().map(str::to_owned)).collect()
    }

    /// Calls `visit` with this value and every value in it, outermost first.
    pub(crate) fn visit<'n>(&'n self, visit: &mut dyn FnMut(&'n Self)) {
        visit(self);
        match &self.value {
            Value::List(items) => items.iter().for_each(|item| item.visit(visit)),
            Value::Map(entries) => entries.iter().for_each(|(_, value)| value.visit(visit)),
            Value::Null | Value::Scalar(_) => {}
        }
    }
}

/// JSON, with comments and trailing commas as editors allow them.
pub(crate) fn json(text: &str) -> Tree {
    let start = text.len() - text.strip_prefix('\u{feff}').unwrap_or(text).len();
    let mut flow = flow::Flow::new(text, start, flow::Dialect::Json);
    let root = flow.value();
    Tree { documents: vec![root], cut: flow.cut }
}

/// A literal of Python, as gyp files are: lists, maps and texts, with `#` before comments.
pub(crate) fn python(text: &str) -> Tree {
    let mut flow = flow::Flow::new(text, 0, flow::Dialect::Yaml);
    let root = flow.value();
    Tree { documents: vec![root], cut: flow.cut }
}

/// The object that a module in JavaScript gives: what stands behind `module.exports =` or `export default`, in a call that only types it, or under the
/// name that stands there. What is computed in it is a word.
pub(crate) fn object(text: &str) -> Tree {
    let marks = ["module.exports", "export default"];
    let given = marks.iter().find_map(|mark| Some(text.rfind(mark)? + mark.len()));
    let Some(given) = given else { return Tree::default() };
    let rest = text.get(given..).unwrap_or_default();
    let bare = rest.trim_start_matches(|letter: char| letter.is_whitespace() || letter == '=');
    let from = text.len() - bare.len();
    let end = bare.find(|letter: char| !letter.is_alphanumeric() && !"_$".contains(letter));
    let name = bare.get(..end.unwrap_or(bare.len())).unwrap_or_default();
    let after = bare.get(name.len()..).unwrap_or_default().trim_start();
    let is_name = !name.is_empty() && (after.is_empty() || after.starts_with([';', '\n']));
    let start = match is_name {
        true => ["const", "let", "var"].iter().find_map(|word| {
            let declared = text.find(&format!("{word} {name}"))?;
            opened(text, declared)
        }),
        false => opened(text, from),
    };
    let Some(start) = start else { return Tree::default() };
    let mut flow = flow::Flow::new(text, start, flow::Dialect::Json);
    let root = flow.value();
    Tree { documents: vec![root], cut: flow.cut }
}

/// The first bracket of an object or a list behind a place, in the same statement.
fn opened(text: &str, from: usize) -> Option<usize> {
    let rest = text.get(from..)?;
    let open = rest.find(['{', '['])?;
    let is_same = !rest.get(..open)?.contains(';');
    is_same.then_some(from + open)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tree written on one line.
    pub(super) fn shown(node: &Node) -> String {
        match &node.value {
            Value::Null => "~".to_owned(),
            Value::Scalar(text) => format!("{text:?}"),
            Value::List(items) => {
                format!("[{}]", items.iter().map(shown).collect::<Vec<_>>().join(","))
            }
            Value::Map(entries) => {
                let entries = entries
                    .iter()
                    .map(|(key, value)| format!("{}:{}", key.text().unwrap(), shown(value)));
                format!("{{{}}}", entries.collect::<Vec<_>>().join(","))
            }
        }
    }

    #[test]
    fn json_is_read_as_editors_read_it() {
        for (text, expected) in [
            (
                r#"{"a": "b", "c": [1, true, null, "d\u0041\n"]}"#,
                r#"{a:"b",c:["1","true",~,"dA\n"]}"#,
            ),
            ("// x\n{ /* y */ \"a\": \"http://b\", // z\n }", r#"{a:"http://b"}"#),
            ("\u{feff}{\"a\": {}, \"b\": [],}", "{a:{},b:[]}"),
            ("{\"a\": \"b", r#"{a:"b"}"#),
            (r#"{"a": {"b": "c"}, "d": "e", "a": {"b": "f"}}"#, r#"{d:"e",a:{b:"f"}}"#),
            ("", "~"),
        ] {
            assert_eq!(shown(json(text).root().unwrap()), expected, "{text}");
        }
    }

    #[test]
    fn what_nests_too_deep_is_cut_and_told() {
        for open in ["[", "{\"a\":"] {
            assert!(json(&open.repeat(DEPTH * 4)).cut, "{open}");
            assert!(yaml(&open.repeat(DEPTH * 4)).cut, "{open}");
        }
        assert!(yaml(&"- ".repeat(DEPTH * 4)).cut);
        assert!(!json("[[[1]]]").cut);
    }

    #[test]
    fn spans_are_where_the_values_stand() {
        let text = "{\"scripts\": {\"test\": \"jest\"}}";
        let tree = json(text);
        let script = tree.root().unwrap().path(&["scripts", "test"]).unwrap();
        assert_eq!(text.get(script.span.range()), Some("\"jest\""));
        let text = "a:\n  run: |\n    x\n    y\n  b: 'q'\n";
        let tree = yaml(text);
        let run = tree.root().unwrap().path(&["a", "run"]).unwrap();
        assert_eq!(
            (run.text(), text.get(run.span.range())),
            (Some("x\ny\n"), Some("    x\n    y\n"))
        );
        assert_eq!(
            text.get(tree.root().unwrap().path(&["a", "b"]).unwrap().span.range()),
            Some("'q'")
        );
    }
}

//! YAML (yaml.org, version 1.2), as far as tools' own files use it. Owns blocks by indentation, scalars over several lines, anchors,
//! merge keys, several documents; lines that only hold a template's directive (`{{- if … }}`) are passed over, as the text stands.

use std::collections::HashMap;

use portcullis_syntax::Span;

use super::{
    DEPTH, NODES, Node, Tree, Value,
    flow::{Dialect, Flow},
};

/// Reads every document of a file.
pub(crate) fn yaml(text: &str) -> Tree {
    let mut tree = Tree::default();
    let mut reader = Reader::new(text);
    while reader.at < reader.lines.len() {
        reader.ends = false;
        let node = reader.block(0);
        if node.value != Value::Null {
            tree.documents.push(node);
        }
        reader.skip_to_document();
    }
    tree.cut = reader.cut;
    tree
}

/// A line without its indentation and line end.
#[derive(Clone, Copy, Debug)]
struct Line {
    /// Where its first letter stands in the text.
    start: usize,
    /// Where it ends.
    end: usize,
    /// How far it is indented.
    indent: usize,
}

#[derive(Debug)]
struct Reader<'t> {
    text: &'t str,
    lines: Vec<Line>,
    at: usize,
    /// Whether the document ends here.
    ends: bool,
    depth: usize,
    nodes: usize,
    anchors: HashMap<&'t str, (Node, usize)>,
    cut: bool,
}

impl<'t> Reader<'t> {
    fn new(text: &'t str) -> Self {
        let mut lines = Vec::new();
        let mut at = 0;
        for line in text.split_inclusive('\n') {
            let start = at;
            at += line.len();
            let line =
                if start == 0 { line.strip_prefix('\u{feff}').unwrap_or(line) } else { line };
            let start = at - line.len();
            let content = line.trim_end();
            let bare = content.trim_start_matches([' ', '\t']);
            let indent = content.len() - bare.len();
            lines.push(Line { start: start + indent, end: start + content.len(), indent });
        }
        Self {
            text,
            lines,
            at: 0,
            ends: false,
            depth: 0,
            nodes: 0,
            anchors: HashMap::new(),
            cut: false,
        }
    }

    fn content(&self, line: Line) -> &'t str {
        self.text.get(line.start..line.end).unwrap_or_default()
    }

    /// The next line that says something.
    fn peek(&mut self) -> Option<Line> {
        while !self.ends
            && let Some(line) = self.lines.get(self.at).copied()
        {
            let content = self.content(line);
            if line.indent == 0
                && (content == "---" || content.starts_with("--- ") || content == "...")
            {
                self.ends = true;
                return None;
            }
            let is_directive = content.starts_with("{{") && content.ends_with("}}")
                || line.indent == 0 && content.starts_with("%YAML");
            if content.is_empty() || content.starts_with('#') || is_directive {
                self.at += 1;
                continue;
            }
            return Some(line);
        }
        None
    }

    /// Past the line that separates documents; what stands behind its dashes is the first line of the next.
    fn skip_to_document(&mut self) {
        while let Some(line) = self.lines.get(self.at).copied() {
            let content = self.content(line);
            let is_mark = line.indent == 0
                && (content == "---" || content.starts_with("--- ") || content == "...");
            if is_mark {
                let rest = content
                    .strip_prefix("--- ")
                    .map(str::trim_start)
                    .filter(|it| !it.starts_with(['#', '!', '%']));
                match rest {
                    Some(rest) if !rest.is_empty() => {
                        if let Some(line) = self.lines.get_mut(self.at) {
                            line.start = line.end - rest.len();
                        }
                    }
                    _ => self.at += 1,
                }
                return;
            }
            // A line that nothing takes.
            self.at += 1;
        }
    }

    fn node(&mut self, span: Span, value: Value) -> Node {
        self.nodes += 1;
        Node::new(span, value)
    }

    /// A block that is indented by `indent` at least.
    fn block(&mut self, indent: usize) -> Node {
        let Some(line) = self.peek() else { return Node::default() };
        if line.indent < indent {
            return Node::default();
        }
        if self.depth >= DEPTH || self.nodes > NODES {
            self.cut = true;
            self.at = self.lines.len();
            return Node::default();
        }
        self.depth += 1;
        let content = self.content(line);
        let node = if is_item(content) {
            self.list(line.indent)
        } else if key_end(content).is_some() {
            self.map(line.indent)
        } else {
            self.at += 1;
            self.scalar(line, line.start, indent)
        };
        self.depth -= 1;
        node
    }

    fn list(&mut self, indent: usize) -> Node {
        let mut items = Vec::new();
        let mut span: Option<Span> = None;
        while let Some(line) = self.peek() {
            let content = self.content(line);
            if line.indent != indent || !is_item(content) {
                break;
            }
            let rest = content.get(1..).unwrap_or_default();
            let bare = rest.trim_start();
            let item = if bare.is_empty() || bare.starts_with('#') {
                self.at += 1;
                self.block(indent + 1)
            } else {
                let start = line.end - bare.len();
                let column = line.indent + (start - line.start);
                self.inline(line, start, column, indent)
            };
            span = Some(span.map_or(item.span, |span| span.to(item.span)));
            items.push(item);
            if self.nodes > NODES {
                self.cut = true;
                self.at = self.lines.len();
            }
        }
        self.node(span.unwrap_or_default(), Value::List(items))
    }

    /// What stands behind the dash of an item: a block of its own, which goes on on the lines below.
    fn inline(&mut self, line: Line, start: usize, column: usize, indent: usize) -> Node {
        let rest = self.text.get(start..line.end).unwrap_or_default();
        let (bare, anchor) = self.decorated(rest);
        let start = line.end - bare.len();
        let column = column + (rest.len() - bare.len());
        if is_item(bare) || key_end(bare).is_some() {
            if let Some(line) = self.lines.get_mut(self.at) {
                *line = Line { start, indent: column, ..*line };
            }
            let node = self.block(column);
            self.remember(anchor, &node);
            return node;
        }
        self.at += 1;
        let node = self.scalar(line, start, indent + 1);
        self.remember(anchor, &node);
        node
    }

    fn map(&mut self, indent: usize) -> Node {
        let mut entries: Vec<(Node, Node)> = Vec::new();
        let mut span: Option<Span> = None;
        while let Some(line) = self.peek() {
            let content = self.content(line);
            if line.indent != indent {
                break;
            }
            let Some(end) = key_end(content) else { break };
            let key = content.get(..end).unwrap_or_default().trim_end();
            let key_span = Span::new(line.start, line.start + key.len());
            let key = self.node(key_span, Value::Scalar(unquoted(key)));
            let rest = content.get(end + 1..).unwrap_or_default().trim_start();
            let (rest, anchor) = self.decorated(rest);
            self.at += 1;
            let value = if rest.is_empty() || rest.starts_with('#') {
                match self.peek() {
                    Some(next) if next.indent > indent => self.block(indent + 1),
                    Some(next) if next.indent == indent && is_item(self.content(next)) => {
                        self.list(indent)
                    }
                    _ => Node::new(key_span, Value::Null),
                }
            } else {
                self.scalar(line, line.end - rest.len(), indent + 1)
            };
            self.remember(anchor, &value);
            let whole = key_span.to(value.span);
            span = Some(span.map_or(whole, |span| span.to(whole)));
            if key.text() == Some("<<") {
                self.merge(&mut entries, &value);
            } else {
                entries.push((key, value));
            }
            if self.nodes > NODES {
                self.cut = true;
                self.at = self.lines.len();
            }
        }
        self.node(span.unwrap_or_default(), Value::Map(entries))
    }

    /// `<<: *base`: the names of another map that this one does not have.
    fn merge(&mut self, entries: &mut Vec<(Node, Node)>, value: &Node) {
        for base in value.each() {
            let Value::Map(more) = &base.value else { continue };
            self.nodes += more.len();
            entries.extend(more.iter().cloned());
        }
    }

    /// Takes an anchor and a tag away from the beginning of a value.
    fn decorated(&mut self, rest: &'t str) -> (&'t str, Option<&'t str>) {
        let mut rest = rest;
        let mut anchor = None;
        while let Some(mark) = rest.chars().next().filter(|mark| matches!(mark, '&' | '!')) {
            let (word, after) = rest.split_once(' ').unwrap_or((rest, ""));
            if mark == '&' {
                anchor = word.get(1..);
            }
            rest = after.trim_start();
        }
        (rest, anchor)
    }

    fn remember(&mut self, anchor: Option<&'t str>, node: &Node) {
        if let Some(name) = anchor {
            self.anchors.insert(name, (node.clone(), size(node)));
        }
    }

    /// A value that begins at `start` in a line which was taken; it goes on on lines that are indented by `indent` at least.
    fn scalar(&mut self, line: Line, start: usize, indent: usize) -> Node {
        let rest = self.text.get(start..line.end).unwrap_or_default();
        let (rest, _) = self.decorated(rest);
        let start = line.end - rest.len();
        if let Some(name) = rest.strip_prefix('*') {
            let name = name.split([' ', '#']).next().unwrap_or_default();
            let Some((node, size)) = self.anchors.get(name) else { return Node::default() };
            self.nodes = self.nodes.saturating_add(*size);
            if self.nodes > NODES {
                self.cut = true;
                return Node::default();
            }
            return node.clone();
        }
        if rest.starts_with(['|', '>']) {
            return self.lines_below(rest, Span::new(start, line.end), indent);
        }
        let is_template = rest.starts_with("{{");
        if rest.starts_with(['"', '\'', '[', '{']) && !is_template {
            let mut flow = Flow::new(self.text, start, Dialect::Yaml);
            let node = flow.value();
            self.cut |= flow.cut;
            self.nodes += size(&node);
            while self.lines.get(self.at).is_some_and(|line| line.start < flow.at) {
                self.at += 1;
            }
            return self.aliased(node);
        }
        let mut text = without_comment(rest).to_owned();
        let mut end = line.end;
        while let Some(next) = self.lines.get(self.at).copied() {
            let content = self.content(next);
            if content.is_empty()
                || next.indent < indent
                || content.starts_with('#')
                || is_item(content)
                || key_end(content).is_some()
            {
                break;
            }
            text.push(' ');
            text.push_str(without_comment(content));
            end = next.end;
            self.at += 1;
        }
        let value = match text.as_str() {
            "~" | "null" | "" => Value::Null,
            _ => Value::Scalar(text),
        };
        self.node(Span::new(start, end), value)
    }

    /// Aliases inside of brackets; what they repeat counts as often as it stands there.
    fn aliased(&mut self, mut node: Node) -> Node {
        let Value::List(items) = &mut node.value else { return node };
        for item in items {
            let alias = item.text().and_then(|text| text.strip_prefix('*'));
            let Some((known, size)) = alias.and_then(|name| self.anchors.get(name)) else {
                continue;
            };
            self.nodes = self.nodes.saturating_add(*size);
            if self.nodes > NODES {
                self.cut = true;
                return node;
            }
            *item = known.clone();
        }
        node
    }

    /// `|` and `>`: the lines below, as they stand or folded.
    fn lines_below(&mut self, mark: &str, at: Span, indent: usize) -> Node {
        let folds = mark.starts_with('>');
        let first = self.at;
        let mut depth = None;
        let mut text = String::new();
        let mut end = at.end as usize;
        while let Some(line) = self.lines.get(self.at).copied() {
            let content = self.content(line);
            if !content.is_empty() {
                if line.indent < depth.unwrap_or(indent.max(1)) {
                    break;
                }
                let depth = *depth.get_or_insert(line.indent);
                if folds && !text.is_empty() && !text.ends_with('\n') {
                    text.push(' ');
                }
                text.extend(std::iter::repeat_n(' ', line.indent - depth));
                text.push_str(content);
                end = line.end;
                if !folds {
                    text.push('\n');
                }
            } else if depth.is_some() {
                text.push('\n');
            }
            self.at += 1;
        }
        let length = text.trim_end_matches('\n').len();
        if mark.starts_with("|-") || mark.starts_with(">-") {
            text.truncate(length);
        } else if text.len() > length {
            text.truncate(length + 1);
        }
        let start =
            self.lines.get(first).map_or(at.start as usize, |line| line.start - line.indent);
        let span = if end > start { Span::new(start, (end + 1).min(self.text.len())) } else { at };
        self.node(span, Value::Scalar(text))
    }
}

/// How many values there are in a value.
fn size(node: &Node) -> usize {
    let mut count = 0;
    node.visit(&mut |_| count += 1);
    count
}

fn is_item(content: &str) -> bool {
    content == "-" || content.starts_with("- ") || content.starts_with("-\t")
}

/// Where the colon stands that makes the beginning of a line a name.
fn key_end(content: &str) -> Option<usize> {
    if content.starts_with(['[', '{', '|', '>', '#', '%', '@', '`']) {
        return None;
    }
    if let Some(quote) = content.chars().next().filter(|quote| matches!(quote, '"' | '\'')) {
        let close = content.get(1..)?.find(quote)? + 1;
        let rest = content.get(close + 1..)?;
        let bare = rest.trim_start();
        return is_separator(bare).then(|| content.len() - bare.len());
    }
    let mut before = ' ';
    content.char_indices().find_map(|(at, letter)| {
        if letter == '#' && before.is_whitespace() {
            return Some(None);
        }
        before = letter;
        let ends = letter == ':' && is_separator(content.get(at..).unwrap_or_default());
        ends.then_some(Some(at))
    })?
}

fn is_separator(text: &str) -> bool {
    text.strip_prefix(':').is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t']))
}

fn unquoted(key: &str) -> String {
    let inner = ['"', '\'']
        .iter()
        .find_map(|quote| key.strip_prefix(*quote).and_then(|key| key.strip_suffix(*quote)));
    inner.unwrap_or(key).to_owned()
}

fn without_comment(text: &str) -> &str {
    let end = text.find(" #").unwrap_or(text.len());
    text.get(..end).unwrap_or(text).trim_end()
}

#[cfg(test)]
mod tests {
    use super::{super::tests::shown, yaml};

    fn read(text: &str) -> String {
        yaml(text).documents.iter().map(shown).collect::<Vec<_>>().join(" --- ")
    }

    #[test]
    fn blocks_lists_and_scalars_are_read() {
        for (text, expected) in [
            ("a: b\nc:\n  d: e # f\n  g: 'h''i'\n", r#"{a:"b",c:{d:"e",g:"h'i"}}"#),
            ("a:\n- b\n- c: d\n  e: f\n-\n  - g\n", r#"{a:["b",{c:"d",e:"f"},["g"]]}"#),
            ("- - a\n  - b\n- c\n", r#"[["a","b"],"c"]"#),
            ("run: |\n  a\n    b\n\n  c\nx: >-\n  d\n  e\n", r#"{run:"a\n  b\n\nc\n",x:"d e"}"#),
            (
                "a: [b, 'c', {d: e}]\nf: {g: [h,\n  i]}\nj: k\n",
                r#"{a:["b","c",{d:"e"}],f:{g:["h","i"]},j:"k"}"#,
            ),
            ("a: b\n  c d\ne: f\n", r#"{a:"b c d",e:"f"}"#),
            ("a: http://b:1/c#d\n", r#"{a:"http://b:1/c#d"}"#),
            (
                "x: &x\n  a: b\ny:\n  <<: *x\n  c: d\nz: *x\n",
                r#"{x:{a:"b"},y:{a:"b",c:"d"},z:{a:"b"}}"#,
            ),
            ("a: 1\n---\nb: 2\n--- # c\nd:\n", "{a:\"1\"} --- {b:\"2\"} --- {d:~}"),
            ("a:\n  {{- if .x }}\n  b: {{ .y }}\n  {{- end }}\n", r#"{a:{b:"{{ .y }}"}}"#),
            ("\"a b\": c\r\nd: e\r\n", r#"{a b:"c",d:"e"}"#),
            (
                "steps:\n  - name: x\n    run: |\n      curl a | sh\n  - uses: y\n",
                r#"{steps:[{name:"x",run:"curl a | sh\n"},{uses:"y"}]}"#,
            ),
            ("a: !Ref b\nc: !reference [d, e]\n", r#"{a:"b",c:["d","e"]}"#),
            ("command: sh -c \"x: y\"\n", r#"{command:"sh -c \"x: y\""}"#),
            ("a: \"b\n  c\"\nd: e\n", r#"{a:"b c",d:"e"}"#),
            ("k: -s -F f=@/k\n", r#"{k:"-s -F f=@/k"}"#),
        ] {
            assert_eq!(read(text), expected, "{text}");
        }
    }

    #[test]
    fn aliases_of_aliases_meet_the_bound() {
        let mut text = "a0: &a0 [x, x, x, x, x, x, x, x]\n".to_owned();
        for at in 1..12 {
            text.push_str(&format!("a{at}: &a{at} [{}]\n", format!("*a{}, ", at - 1).repeat(8)));
        }
        assert!(yaml(&text).cut);
        assert!(!yaml("a: &a [x, y]\nb: [*a, *a]\n").cut);
    }
}

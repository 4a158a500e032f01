//! HCL, the language of Terraform, Packer, Nomad and Bake (github.com/hashicorp/hcl, "HCL Native Syntax Specification"), as far as names, blocks
//! and texts go. A block is a map behind its words: `data "external" "x" { … }` is `data.external.x`; what is computed stands as it is written.

use portcullis_syntax::Span;

use super::{DEPTH, NODES, Node, Tree, Value};

/// Reads a file.
pub(crate) fn blocks(text: &str) -> Tree {
    let mut reader = Reader { text, at: 0, nodes: 0, cut: false };
    let root = reader.body(0);
    Tree { documents: vec![root], cut: reader.cut }
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    nodes: usize,
    cut: bool,
}

impl<'t> Reader<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Skips blanks and comments, line ends too where they mean nothing.
    fn skip(&mut self, lines: bool) {
        loop {
            let rest = self.rest();
            let bare = rest.trim_start_matches(|letter: char| {
                matches!(letter, ' ' | '\t' | '\r' | '\u{feff}') || lines && letter == '\n'
            });
            self.at += rest.len() - bare.len();
            if bare.starts_with('#') || bare.starts_with("//") {
                self.at += bare.find('\n').unwrap_or(bare.len());
            } else if bare.starts_with("/*") {
                self.at += bare.find("*/").map_or(bare.len(), |end| end + 2);
            } else {
                return;
            }
        }
    }

    /// Attributes and blocks up to the bracket that closes them.
    fn body(&mut self, depth: usize) -> Node {
        let start = self.at;
        let mut entries: Vec<(Node, Node)> = Vec::new();
        loop {
            self.skip(true);
            match self.peek() {
                None => break,
                Some('}') => {
                    self.at += 1;
                    break;
                }
                Some(_) => {}
            }
            self.nodes += 1;
            if depth >= DEPTH || self.nodes > NODES {
                self.cut = true;
                self.at = self.text.len();
                break;
            }
            let before = self.at;
            let mut labels = Vec::new();
            loop {
                self.skip(false);
                match self.peek() {
                    Some('"') => labels.push(self.quoted()),
                    Some(letter) if letter.is_alphanumeric() || letter == '_' => {
                        labels.push(self.word())
                    }
                    _ => break,
                }
            }
            match self.peek() {
                Some('=') | Some(':') => {
                    self.at += 1;
                    let value = self.value();
                    if let Some(name) = labels.into_iter().next() {
                        entries.push((name, value));
                    }
                }
                Some('{') => {
                    self.at += 1;
                    let inner = self.body(depth + 1);
                    let mut labels = labels.into_iter().rev();
                    let Some(last) = labels.next() else { continue };
                    let (mut name, mut node) = (last, inner);
                    for label in labels {
                        let span = label.span.to(node.span);
                        node = Node::new(span, Value::Map(vec![(name, node)]));
                        name = label;
                    }
                    entries.push((name, node));
                }
                _ => {}
            }
            if self.at == before {
                self.at += self.peek().map_or(1, char::len_utf8);
            }
        }
        Node::new(Span::new(start, self.at), Value::Map(entries))
    }

    fn word(&mut self) -> Node {
        let rest = self.rest();
        let end = rest
            .find(|letter: char| !(letter.is_alphanumeric() || matches!(letter, '_' | '-' | '.')))
            .unwrap_or(rest.len());
        let span = Span::new(self.at, self.at + end);
        self.at += end;
        Node::new(span, Value::Scalar(rest.get(..end).unwrap_or_default().to_owned()))
    }

    /// What stands behind `=`: a text, a list, a map, or an expression as it is written.
    fn value(&mut self) -> Node {
        self.skip(false);
        let start = self.at;
        match self.peek() {
            Some('"') => {
                let text = self.quoted();
                // `"a" == b ? …` is no text.
                self.skip(false);
                if matches!(self.peek(), None | Some('\n' | ',' | '}' | ']' | ')' | '#' | '/')) {
                    return text;
                }
                self.at = start;
                self.expression()
            }
            Some('[') => {
                self.at += 1;
                let mut items = Vec::new();
                loop {
                    self.skip(true);
                    match self.peek() {
                        None => break,
                        Some(']') => {
                            self.at += 1;
                            break;
                        }
                        Some(',') => self.at += 1,
                        Some(_) => {
                            self.nodes += 1;
                            let before = self.at;
                            if self.nodes > NODES {
                                self.cut = true;
                                self.at = self.text.len();
                                break;
                            }
                            items.push(self.listed());
                            if self.at == before {
                                self.at += self.peek().map_or(1, char::len_utf8);
                            }
                        }
                    }
                }
                Node::new(Span::new(start, self.at), Value::List(items))
            }
            Some('{') => {
                self.at += 1;
                self.body(DEPTH / 2)
            }
            Some('<') if self.rest().starts_with("<<") => self.document(),
            _ => self.expression(),
        }
    }

    /// An item of a list: a list in a list is as deep as an expression goes.
    fn listed(&mut self) -> Node {
        match self.peek() {
            Some('[') => self.expression(),
            _ => self.value(),
        }
    }

    /// Up to the end of the line, the comma or the bracket around it.
    fn expression(&mut self) -> Node {
        let start = self.at;
        let mut depth = 0_usize;
        while let Some(letter) = self.peek() {
            match letter {
                '"' => {
                    self.quoted();
                    continue;
                }
                '(' | '[' | '{' => depth += 1,
                ')' | ']' | '}' if depth == 0 => break,
                ')' | ']' | '}' => depth -= 1,
                '\n' | ',' if depth == 0 => break,
                '#' if depth == 0 => break,
                '/' if depth == 0
                    && (self.rest().starts_with("//") || self.rest().starts_with("/*")) =>
                {
                    break;
                }
                _ => {}
            }
            self.at += letter.len_utf8();
        }
        let text = self.text.get(start..self.at).unwrap_or_default().trim_end();
        Node::new(Span::new(start, start + text.len()), Value::Scalar(text.to_owned()))
    }

    /// A text in quotes; what `${…}` holds stands as it is.
    fn quoted(&mut self) -> Node {
        let start = self.at;
        self.at += 1;
        let mut value = String::new();
        let mut inner = 0_usize;
        while let Some(letter) = self.peek() {
            self.at += letter.len_utf8();
            match letter {
                '"' if inner == 0 => break,
                '\\' => {
                    let escaped = self.peek();
                    self.at += escaped.map_or(0, char::len_utf8);
                    match escaped {
                        Some('n') => value.push('\n'),
                        Some('t') => value.push('\t'),
                        Some('r') => value.push('\r'),
                        Some(other) => value.push(other),
                        None => {}
                    }
                    continue;
                }
                '{' if inner > 0 || value.ends_with(['$', '%']) => inner += 1,
                '}' if inner > 0 => inner -= 1,
                '\n' if inner == 0 => break,
                _ => {}
            }
            value.push(letter);
        }
        Node::new(Span::new(start, self.at), Value::Scalar(value))
    }

    /// `<<EOT`, `<<-EOT`.
    fn document(&mut self) -> Node {
        let start = self.at;
        let (line, _) = self.rest().split_once('\n').unwrap_or((self.rest(), ""));
        let word = line.trim_start_matches(['<', '-']).trim();
        self.at += line.len() + 1;
        let mut value = String::new();
        while self.at < self.text.len() {
            let (line, _) = self.rest().split_once('\n').unwrap_or((self.rest(), ""));
            self.at += line.len() + 1;
            if line.trim() == word {
                break;
            }
            value.push_str(line);
            value.push('\n');
        }
        self.at = self.at.min(self.text.len());
        Node::new(Span::new(start, self.at), Value::Scalar(value))
    }
}

#[cfg(test)]
mod tests {
    use super::{super::tests::shown, blocks};

    #[test]
    fn blocks_are_maps_behind_their_words() {
        for (text, expected) in [
            (
                "data \"external\" \"x\" {\n  program = [\"sh\", \"-c\", \"a\"]\n}\n",
                r#"{data:{external:{x:{program:["sh","-c","a"]}}}}"#,
            ),
            (
                "a = b.c // d\nb = <<-EOT\n  x\n  EOT\nc = { d = \"e\" }\n",
                "{a:\"b.c\",b:\"  x\\n\",c:{d:\"e\"}}",
            ),
            (
                "p \"l\" {\n command = \"echo ${var.x[\"y\"]} \\\"z\\\"\"\n}",
                r#"{p:{l:{command:"echo ${var.x[\"y\"]} \"z\""}}}"#,
            ),
            (
                "c = x == \"y\" ? 1 : 2\nd = f(\n  \"g\",\n)\n",
                "{c:\"x == \\\"y\\\" ? 1 : 2\",d:\"f(\\n  \\\"g\\\",\\n)\"}",
            ),
            ("}}{{", "{}"),
        ] {
            assert_eq!(shown(blocks(text).root().unwrap()), expected, "{text}");
        }
    }
}

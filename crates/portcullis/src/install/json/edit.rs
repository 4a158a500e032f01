//! Changing one thing in a text. Owns that every byte outside of the change stays, and that what is put in looks like what
//! stands around it. Each function reads the text again: files are small, and a stale span would ruin one.

use super::{
    fragment::{Fragment, Layout, line, quoted},
    read::{Kind, Misread, Node, read},
};

/// One step from a value to one inside it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Step {
    /// The value of a key.
    Key(String),
    /// An item of a list, from 0.
    Item(usize),
}

/// Sets a key of an object to a value, both made where they are missing.
///
/// # Errors
/// When the text cannot be read, or something on the way is no object.
pub fn set(text: &str, path: &[&str], value: &Fragment) -> Result<String, Misread> {
    match path {
        [] => Err(misplaced(text, None)),
        [steps @ .., last] => {
            let root = read(text)?;
            let Some(root) = root else { return Ok(begun(text, &wrapped(path, value.clone()))) };
            let (node, depth, missing) = descend(text, &root, steps)?;
            if !missing.is_empty() {
                let inner =
                    wrapped(missing.get(1..).unwrap_or_default(), wrapped(&[last], value.clone()));
                let key = missing.first().copied().unwrap_or_default();
                return insert(text, &root, node, depth, Some(key), &inner);
            }
            match node.get(last) {
                Some(old) => {
                    let mut new = String::new();
                    value.write(&mut new, layout(text, &root, old).as_layout(), depth + 1);
                    Ok(spliced(text, old.span.start, old.span.end, &new))
                }
                None => insert(text, &root, node, depth, Some(last), value),
            }
        }
    }
}

/// Puts a value at the end of a list, which is made where it is missing.
///
/// # Errors
/// When the text cannot be read, something on the way is no object, or the last one is no list.
pub fn append(text: &str, path: &[&str], value: &Fragment) -> Result<String, Misread> {
    let list = Fragment::List(vec![value.clone()]);
    let Some(root) = read(text)? else { return Ok(begun(text, &wrapped(path, list))) };
    let (node, depth, missing) = descend(text, &root, path)?;
    match missing {
        [] if node.items().is_some() => insert(text, &root, node, depth, None, value),
        [] => Err(misplaced(text, Some(node))),
        [key, rest @ ..] => insert(text, &root, node, depth, Some(key), &wrapped(rest, list)),
    }
}

/// Removes a member or an item with what belongs to it: its comma, and the white space before it. Comments stay.
///
/// # Errors
/// When the text cannot be read, or there is nothing at the path.
pub fn remove(text: &str, path: &[Step]) -> Result<String, Misread> {
    let root = read(text)?.ok_or_else(|| misplaced(text, None))?;
    let Some((last, steps)) = path.split_last() else { return Err(misplaced(text, Some(&root))) };
    let mut node = &root;
    for step in steps {
        node = child(node, step).ok_or_else(|| misplaced(text, Some(node)))?;
    }
    let spans: Vec<_> = match &node.kind {
        Kind::Object(members) => {
            members.iter().map(|member| member.key_span.start..member.value.span.end).collect()
        }
        Kind::List(items) => items.iter().map(|item| item.span.clone()).collect(),
        Kind::Scalar(_) => Vec::new(),
    };
    let index = match (&node.kind, last) {
        (Kind::Object(members), Step::Key(key)) => {
            members.iter().rposition(|member| member.key == *key)
        }
        (Kind::List(_), Step::Item(index)) => Some(*index),
        _ => None,
    };
    let Some((index, span)) = index.and_then(|at| Some((at, spans.get(at)?.clone()))) else {
        return Err(misplaced(text, Some(node)));
    };
    let before = match index.checked_sub(1).and_then(|before| spans.get(before)) {
        Some(before) => before.end,
        None => node.span.start + 1,
    };
    let part = |from: usize, to: usize| text.get(from..to).unwrap_or_default();
    let comma_after = comma(text, span.end);
    let after = comma_after.map_or(span.end, |at| at + 1);
    let is_last = index + 1 == spans.len();
    let comma_before = if index > 0 { comma(text, before) } else { None };
    // The comma before the last one goes with it, unless it then is a trailing one, as the removed one had.
    let head = match comma_before {
        Some(at) if is_last && comma_after.is_none() => {
            format!("{}{}", part(0, at), trimmed(part(at + 1, span.start)))
        }
        Some(at) => format!("{}{}", part(0, at + 1), trimmed(part(at + 1, span.start))),
        None => format!("{}{}", part(0, before), trimmed(part(before, span.start))),
    };
    let close = node.span.end - 1;
    let is_emptied = head.len() == node.span.start + 1
        && spans.len() == 1
        && part(after, close).trim_matches(BLANK).is_empty();
    Ok(head + part(if is_emptied { close } else { after }, text.len()))
}

/// What stands between two values, without the white space at its end. What ends a comment stays.
fn trimmed(between: &str) -> &str {
    let bare = between.trim_end_matches(BLANK);
    let last_line = bare.rsplit('\n').next().unwrap_or_default();
    if last_line.contains("//") { between } else { bare }
}

const BLANK: [char; 4] = [' ', '\t', '\r', '\n'];

/// Where the comma after a value is, if there is one before anything else.
fn comma(text: &str, from: usize) -> Option<usize> {
    let mut at = from;
    loop {
        let rest = text.get(at..)?;
        let bare = rest.trim_start_matches(BLANK);
        at += rest.len() - bare.len();
        if bare.starts_with("//") {
            at += bare.find('\n')?;
        } else if bare.starts_with("/*") {
            at += bare.find("*/")? + 2;
        } else {
            return bare.starts_with(',').then_some(at);
        }
    }
}

fn child<'a>(node: &'a Node, step: &Step) -> Option<&'a Node> {
    match step {
        Step::Key(key) => node.get(key),
        Step::Item(index) => node.items()?.get(*index),
    }
}

/// The deepest value on the way that is there, its depth, and the keys that are missing below it.
fn descend<'n, 'p>(
    text: &str,
    root: &'n Node,
    path: &'p [&'p str],
) -> Result<(&'n Node, usize, &'p [&'p str]), Misread> {
    let mut node = root;
    for (depth, key) in path.iter().enumerate() {
        let Some(members) = node.members() else { return Err(misplaced(text, Some(node))) };
        if members.iter().filter(|member| member.key == *key).count() > 1 {
            return Err(Misread { what: "a key stands twice", ..misplaced(text, Some(node)) });
        }
        match node.get(key) {
            Some(next) => node = next,
            None => return Ok((node, depth, path.get(depth..).unwrap_or_default())),
        }
    }
    Ok((node, path.len(), &[]))
}

/// Puts a member or an item at the end of a container.
fn insert(
    text: &str,
    root: &Node,
    container: &Node,
    depth: usize,
    key: Option<&str>,
    value: &Fragment,
) -> Result<String, Misread> {
    let last = match &container.kind {
        Kind::Object(members) if key.is_some() => {
            members.last().map(|member| member.value.span.end)
        }
        Kind::List(items) if key.is_none() => items.last().map(|item| item.span.end),
        _ => return Err(misplaced(text, Some(container))),
    };
    let style = layout(text, root, container);
    let layout = style.as_layout();
    let start = last.unwrap_or(container.span.start + 1);
    let close = container.span.end - 1;
    let trailing_comma = last.and_then(|end| comma(text, end)).is_some();
    // Comments after the last value stay beside it.
    let between = text.get(start..close).unwrap_or_default().trim_end_matches(BLANK);
    let mut new = String::new();
    if last.is_some() && !trailing_comma {
        new.push(',');
    }
    new.push_str(between);
    let breaks = layout.indent.is_some() || between.contains("//");
    if breaks {
        line(&mut new, layout, depth + 1);
    } else if last.is_some() || !between.is_empty() {
        new.push(' ');
    }
    if let Some(key) = key {
        new.push_str(&quoted(key));
        new.push_str(": ");
    }
    value.write(&mut new, layout, depth + 1);
    if trailing_comma {
        new.push(',');
    }
    if last.is_some() {
        return Ok(spliced(text, start, start + between.len(), &new));
    }
    // An empty container is opened.
    if layout.indent.is_some() {
        line(&mut new, layout, depth);
    }
    Ok(spliced(text, start, close, &new))
}

/// A text of nothing but white space and comments becomes one with a value.
fn begun(text: &str, value: &Fragment) -> String {
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let mut whole = text.to_owned();
    if !whole.is_empty() && !whole.ends_with('\n') && whole != "\u{feff}" {
        whole.push_str(newline);
    }
    value.write(&mut whole, Layout { indent: Some("  "), newline }, 0);
    whole.push_str(newline);
    whole
}

fn wrapped(path: &[&str], value: Fragment) -> Fragment {
    path.iter().rev().fold(value, |value, key| Fragment::object([(*key, value)]))
}

fn spliced(text: &str, from: usize, to: usize, new: &str) -> String {
    let head = text.get(..from).unwrap_or_default();
    let tail = text.get(to..).unwrap_or_default();
    format!("{head}{new}{tail}")
}

struct Style {
    indent: Option<String>,
    newline: &'static str,
}

impl Style {
    fn as_layout(&self) -> Layout<'_> {
        Layout { indent: self.indent.as_deref(), newline: self.newline }
    }
}

/// How the text around a container is laid out: on one line where the container or the whole text is.
fn layout(text: &str, root: &Node, container: &Node) -> Style {
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let first = |node: &Node| match &node.kind {
        Kind::Object(members) => members.first().map(|member| member.key_span.start),
        Kind::List(items) => items.first().map(|item| item.span.start),
        Kind::Scalar(_) => None,
    };
    let lead = |node: &Node| {
        let between = text.get(node.span.start..first(node)?)?;
        Some(between.rsplit_once('\n').map(|(_, blank)| blank))
    };
    let unit = match lead(root) {
        Some(Some(blank)) if !blank.is_empty() && blank.trim_matches([' ', '\t']).is_empty() => {
            blank
        }
        Some(None) => return Style { indent: None, newline },
        _ => "  ",
    };
    let on_one_line = matches!(lead(container), Some(None));
    Style { indent: (!on_one_line).then(|| unit.to_owned()), newline }
}

fn misplaced(text: &str, node: Option<&Node>) -> Misread {
    let at = node.map_or(0, |node| node.span.start);
    let before = text.get(..at).unwrap_or_default();
    Misread {
        what: "there is something else than expected here",
        line: before.matches('\n').count() + 1,
        column: before.rsplit('\n').next().unwrap_or_default().chars().count() + 1,
    }
}

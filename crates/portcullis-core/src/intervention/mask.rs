//! Parameters as a person is shown them: without secrets, not too long, and with what is dangerous in them to be seen. Owns what is cut and
//! which keys stand for secrets; secrets in values, the one redactor knows.

use serde_json::{Map, Value};

use crate::{
    finding::Finding,
    pointer,
    redact::redact,
    secrets::{is_private_name, masked_spans},
};

/// What stands in place of a value whose key says that it is secret.
pub const MASKED: &str = "***MASKED***";

/// How many bytes of a text are shown whole, as documented.
pub const MAX_SHOWN: usize = 200;

/// What is shown of a longer one, at its beginning and its end, and around what is dangerous.
const HEAD: usize = 140;
const TAIL: usize = 60;
const AROUND: usize = 40;

/// The longest dangerous stretch that is shown without a gap; the beginning and the end of a longer one.
const STRETCH: usize = 400;

/// How many dangerous stretches of one text are shown.
const STRETCHES: usize = 8;

/// How deep parameters are shown, how many members a level has, and how many values there are in all.
const DEPTH: usize = 16;
const MEMBERS: usize = 100;
const VALUES: usize = 1_000;

/// The parameters of a call as a person is shown them.
///
/// A value is masked where its key says that it is secret, and where it is one; words that only look like it (`keyboard`, `max_tokens`,
/// `sort_key`) mask nothing. A text in which something dangerous was found is never masked by its key alone, or whoever names a parameter
/// `token` could hide a command in it.
#[must_use]
pub fn masked(arguments: &Map<String, Value>, findings: &[Finding]) -> Value {
    let mut view = View { findings, left: VALUES };
    view.object(arguments, "", false, 0)
}

struct View<'a> {
    findings: &'a [Finding],
    left: usize,
}

impl View<'_> {
    fn object(
        &mut self,
        object: &Map<String, Value>,
        above: &str,
        secret: bool,
        depth: usize,
    ) -> Value {
        let mut shown = Map::new();
        for (number, (key, value)) in object.iter().enumerate() {
            if number >= MEMBERS || self.left == 0 {
                shown.insert(
                    "…".to_owned(),
                    Value::String(format!("{} more", object.len() - number)),
                );
                break;
            }
            let at = pointer::to(above, key);
            let secret = secret || is_private_name(key);
            let value = self.value(value, &at, secret, depth + 1);
            shown.insert(cut(&redact(key), &[]), value);
        }
        Value::Object(shown)
    }

    fn value(&mut self, value: &Value, at: &str, secret: bool, depth: usize) -> Value {
        self.left = self.left.saturating_sub(1);
        if depth > DEPTH {
            return Value::String("… deeper than is shown".to_owned());
        }
        match value {
            Value::Object(object) => self.object(object, at, secret, depth),
            Value::Array(items) => {
                let mut shown = Vec::new();
                for (number, item) in items.iter().enumerate() {
                    if number >= MEMBERS || self.left == 0 {
                        shown.push(Value::String(format!("… {} more", items.len() - number)));
                        break;
                    }
                    shown.push(self.value(item, &format!("{at}/{number}"), secret, depth + 1));
                }
                Value::Array(shown)
            }
            Value::String(text) => {
                let risky: Vec<(usize, usize)> = self
                    .findings
                    .iter()
                    .filter(|finding| finding.place.pointer == at)
                    .map(|finding| {
                        (finding.place.span.start as usize, finding.place.span.end as usize)
                    })
                    .collect();
                let shown = match text.as_str() {
                    _ if secret && risky.is_empty() && !text.is_empty() => MASKED.to_owned(),
                    text => cut(text, &risky),
                };
                Value::String(shown)
            }
            Value::Number(_) if secret => Value::String(MASKED.to_owned()),
            Value::Number(_) | Value::Bool(_) | Value::Null => value.clone(),
        }
    }
}

/// A text without secrets: whole where it is short, else its beginning, its end and what is dangerous, with what is left out counted.
pub(super) fn cut(text: &str, risky: &[(usize, usize)]) -> String {
    let masks = masked_spans(text.as_bytes());
    if text.len() <= MAX_SHOWN {
        return redact(text).into_owned();
    }
    let mut kept = vec![(0, HEAD), (text.len() - TAIL, text.len())];
    let mut stretches: Vec<(usize, usize)> = risky.to_vec();
    stretches.sort_unstable();
    stretches.dedup();
    for (start, end) in stretches.into_iter().take(STRETCHES) {
        let (start, end) = (start.min(text.len()), end.min(text.len()));
        if end.saturating_sub(start) <= STRETCH {
            kept.push((start.saturating_sub(AROUND), (end + AROUND).min(text.len())));
        } else {
            kept.push((start.saturating_sub(AROUND), start + STRETCH / 2));
            kept.push((end - STRETCH / 2, (end + AROUND).min(text.len())));
        }
    }
    kept.sort_unstable();
    let mut shown = String::new();
    let mut at = 0;
    for (start, end) in kept {
        let start = text.ceil_char_boundary(start.max(at));
        let end = text.ceil_char_boundary(end);
        if end <= start {
            continue;
        }
        if start > at {
            let left_out = text.get(at..start).map_or(0, |gap| gap.chars().count());
            shown.push_str(&format!(" […{left_out} characters…] "));
        }
        push_without(text, (start, end), &masks, &mut shown);
        at = end;
    }
    // What was cut may be a secret only together with what stands around it now.
    redact(&shown).into_owned()
}

/// A stretch of a text, with what is masked in the whole of it.
fn push_without(
    text: &str,
    (start, end): (usize, usize),
    masks: &[(usize, usize)],
    shown: &mut String,
) {
    let mut at = start;
    for (from, to) in masks {
        let (from, to) = ((*from).clamp(at, end), (*to).clamp(at, end));
        if to > from {
            shown.push_str(text.get(at..from).unwrap_or_default());
            shown.push_str(crate::redact::MASK);
            at = to;
        }
    }
    shown.push_str(text.get(at..end).unwrap_or_default());
}

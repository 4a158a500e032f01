//! Values that a name beside them tells: the members of one object, the fields that a text is typed into. Owns which members name and
//! which carry, and the calls that type.

use super::{
    super::{
        delimit::closing,
        names,
        source::{is_blank, is_name, is_quote},
    },
    Found, is_made, typed as line,
};

/// Members that say what another member of the object is for.
const NAMING: &[&str] = &[
    "element",
    "env",
    "field",
    "field_name",
    "fieldname",
    "header",
    "id",
    "input",
    "key",
    "label",
    "locator",
    "name",
    "option",
    "param",
    "parameter",
    "placeholder",
    "selector",
    "setting",
    "target",
    "variable",
    "variable_name",
];

/// Those that name what a person sees on a page.
const SEEN: &[&str] = &["element", "input", "locator", "placeholder", "selector"];

/// Members that carry what is for it.
const CARRYING: &[&str] = &[
    "chars",
    "content",
    "data",
    "input_text",
    "keys",
    "new_value",
    "string",
    "text",
    "val",
    "value",
    "variable_value",
];

/// How deep objects are followed, and how many carriers of one are kept.
const DEEPEST: usize = 32;
const CARRIERS: usize = 16;

/// The longest text that names something, and the longest with blanks that is typed as a secret.
const NAMES: usize = 120;
const PHRASE: usize = 64;

#[derive(Default)]
struct Object {
    /// Whether a member names a secret, and one that is seen on a page.
    secret: bool,
    seen: bool,
    carriers: Vec<(usize, usize)>,
    /// The strings of a list, where it has no more than two.
    list: Option<Vec<(usize, usize)>>,
}

/// Masks what stands beside the name of a secret in one object, or as its pair in a list.
pub(super) fn fields(found: &mut Found<'_>) {
    let source = found.source;
    let mut open: Vec<Object> = Vec::new();
    let mut deeper = 0_usize;
    let mut key: Option<(usize, usize)> = None;
    let mut index = memchr::memchr2(b'{', b'[', source.bytes).unwrap_or(source.len());
    while index < source.len() {
        match source.at(index) {
            sign @ (b'{' | b'[') => {
                key = None;
                if open.len() < DEEPEST {
                    let list = (sign == b'[').then(Vec::new);
                    open.push(Object { list, ..Object::default() });
                } else {
                    deeper += 1;
                }
            }
            b'}' | b']' if deeper > 0 => deeper -= 1,
            b'}' | b']' => {
                key = None;
                if let Some(object) = open.pop() {
                    close(found, &object);
                }
            }
            b'"' => {
                let end = closing(source, index + 1, b"\"");
                if end >= source.len() {
                    break;
                }
                let text = (index + 1, end);
                let sign = source.skip(end + 1, |byte| byte.is_ascii_whitespace());
                if source.at(sign) == b':' {
                    key = Some(text);
                    index = sign;
                } else {
                    if let Some(object) = open.last_mut().filter(|_| deeper == 0) {
                        member(source, object, key.take(), text);
                    }
                    index = end;
                }
            }
            b',' => key = None,
            _ => {}
        }
        index += 1;
    }
    // A text that was cut off closes nothing.
    for object in &open {
        close(found, object);
    }
}

fn member(
    source: super::Source<'_>,
    object: &mut Object,
    key: Option<(usize, usize)>,
    (start, end): (usize, usize),
) {
    if let Some(list) = object.list.as_mut() {
        list.push((start, end));
        return;
    }
    let Some((from, to)) = key else { return };
    let key = source.slice(from, to).to_ascii_lowercase();
    let is = |list: &[&str]| list.iter().any(|own| own.as_bytes() == key);
    if is(NAMING) && is_telling(source.slice(start, end)) {
        object.secret = true;
        object.seen |= is(SEEN);
    }
    if is(CARRYING) && object.carriers.len() < CARRIERS {
        object.carriers.push((start, end));
    }
}

fn close(found: &mut Found<'_>, object: &Object) {
    let source = found.source;
    if let Some([name, value]) = object.list.as_deref()
        && is_telling(source.slice(name.0, name.1))
    {
        found.mask_made(value.0, value.1);
    }
    if !object.secret {
        return;
    }
    for &(start, end) in &object.carriers {
        let text = source.slice(start, end);
        let phrase = text.iter().any(u8::is_ascii_whitespace);
        let is_long = end - start > PHRASE;
        if !phrase && (!is_long || is_made(text)) || object.seen && phrase && !is_long {
            found.mask(start, end);
        }
    }
}

/// Whether a text is short and has the name of a secret among its words.
fn is_telling(text: &[u8]) -> bool {
    text.len() <= NAMES
        && text.split(|byte| !is_name(*byte)).any(|word| {
            names::is_secret_name(word)
                || matches!(word.to_ascii_lowercase().as_slice(), b"pin" | b"otp" | b"cvv" | b"cvc")
        })
}

/// Calls that type a text into what was named before.
const TYPING: &[&[u8]] = &[
    b"fill",
    b"type",
    b"send_keys",
    b"sendkeys",
    b"sendline",
    b"sendLine",
    b"press_sequentially",
    b"pressSequentially",
    b"sendKeys",
    b"setValue",
    b"set_value",
    b"fillField",
    b"input_text",
];

/// Masks the texts that calls type: what nobody takes for a word, and whatever goes into the field of a secret.
pub(super) fn typed(found: &mut Found<'_>) {
    const BEFORE: usize = 160;
    let source = found.source;
    for open in memchr::memchr_iter(b'(', source.bytes) {
        let before = source.slice(open.saturating_sub(24), open);
        let length =
            before.iter().rev().take_while(|byte| is_name(**byte) && **byte != b'.').count();
        let call = source.slice(open - length, open);
        if !TYPING.contains(&call) || source.at((open - length).wrapping_sub(1)) != b'.' {
            continue;
        }
        let line_before = source.slice(open.saturating_sub(BEFORE), open);
        let statement =
            line_before.rsplit(|byte| matches!(byte, b'\n' | b';')).next().unwrap_or_default();
        let mut into_secret = is_named(statement);
        let mut index = source.skip(open + 1, is_blank);
        let mut last = None;
        // Of several texts the first names the field.
        while is_quote(source.at(index)) && source.at(index) != b'`' || source.at(index) == b'\\' {
            let quote = source.skip(index, |byte| byte == b'\\');
            if !is_quote(source.at(quote)) {
                break;
            }
            let opener = source.slice(index, quote + 1);
            let end = closing(source, quote + 1, opener);
            if let Some((from, to)) = last.replace((quote + 1, end)) {
                into_secret |= is_telling(source.slice(from, to));
            }
            let comma = source.skip(end + opener.len(), is_blank);
            if source.at(comma) != b',' {
                break;
            }
            index = source.skip(comma + 1, is_blank);
        }
        if let Some((start, end)) = last {
            let end = start + line(source.slice(start, end)).len();
            let text = source.slice(start, end);
            if into_secret || is_made(text) && !text.contains(&b' ') {
                found.mask(start, end);
            }
        }
    }
}

/// Whether a text in quotes on the way to a call names a secret.
fn is_named(statement: &[u8]) -> bool {
    statement.split(|byte| is_quote(*byte)).skip(1).step_by(2).any(is_telling)
}

//! A text as what a decoder or a filter prints. Owns the encoding; the decoders are the real ones, on the shims' path.

use super::{Spelled, Spelling, quoted};

/// Each way with its name in the report.
pub(super) const SPELLINGS: &[(&str, Spelling)] = &[
    ("base64 -d", |writer, text| {
        let code = base64(text);
        Spelled::word(match writer.below(3) {
            0 => format!("\"$(echo {code} | base64 -d)\""),
            1 => format!("\"$(base64 --decode <<< {code})\""),
            _ => format!("\"$(printf %s '{code}' | base64 -d | cat)\""),
        })
    }),
    ("xxd -r", |writer, text| {
        let code = hex(text);
        Spelled::word(match writer.below(2) {
            0 => format!("\"$(echo {code} | xxd -r -p)\""),
            _ => format!("\"$(xxd -r -p <<< '{code}')\""),
        })
    }),
    ("rev", |_, text| {
        let text = text.replace(['\n', 'é'], "n");
        Spelled::word(format!(
            "\"$(printf %s {} | rev)\"",
            quoted(&text.chars().rev().collect::<String>())
        ))
    }),
    ("tr", |writer, text| {
        let (code, sets) = match writer.below(3) {
            0 => (rot13(text), "a-zA-Z n-za-mN-ZA-M"),
            1 => (text.replace('a', "Q"), "Q a"),
            _ => (text.chars().flat_map(|character| [character, 'Q']).collect(), "-d Q"),
        };
        Spelled::word(format!("\"$(printf %s {} | tr {sets})\"", quoted(&code)))
    }),
    ("sed", |writer, text| {
        let (code, script) = match writer.below(4) {
            0 => (format!("QQ{text}"), "s/QQ//"),
            1 => (text.replace('a', "Q"), "s/Q/a/g"),
            2 => (format!("#{text}"), "s|^#||"),
            _ => (format!("{text}#end"), "s/#end$//"),
        };
        Spelled::word(format!("\"$(printf '%s\\n' {} | sed '{script}')\"", quoted(&code)))
    }),
    ("cut", |writer, text| {
        let text = text.replace(['\n', ','], "n");
        Spelled::word(match writer.below(2) {
            0 => format!("\"$(printf '%s\\n' {} | cut -d, -f2)\"", quoted(&format!("a,{text},c"))),
            _ => format!("\"$(printf '%s\\n' {} | cut -c3-)\"", quoted(&format!("ab{text}"))),
        })
    }),
    ("head, tail, sort", |writer, text| {
        let value = quoted(&text.replace('\n', "n"));
        Spelled::word(match writer.below(5) {
            0 => format!("\"$(printf '%s\\n' {value} b c | head -n 1)\""),
            1 => format!("\"$(printf '%s\\n' b c {value} | tail -1)\""),
            2 => format!("\"$(printf '%s\\n' b c a | sort | head -n 2)\" {value}"),
            3 => format!("\"$(seq 3 | tac)\" {value}"),
            _ => format!("\"$(seq -s, 2 4)\" {value}"),
        })
    }),
    ("echo -e", |_, text| {
        let code: String = text.bytes().map(|byte| format!("\\x{byte:02x}")).collect();
        Spelled::word(format!("\"$(echo -en '{code}')\""))
    }),
];

/// A text in base64.
pub(crate) fn base64(text: &str) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut code = String::new();
    for chunk in text.as_bytes().chunks(3) {
        let byte = |index: usize| u32::from(chunk.get(index).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for position in 0..4usize {
            let index = usize::try_from(bits >> (18 - 6 * position) & 63).unwrap_or(0);
            let letter = LETTERS.get(index).copied().unwrap_or(b'A');
            code.push(if position > chunk.len() { '=' } else { char::from(letter) });
        }
    }
    code
}

/// A text in hexadecimal digits.
pub(crate) fn hex(text: &str) -> String {
    text.bytes().map(|byte| format!("{byte:02x}")).collect()
}

/// A text with each letter thirteen further.
pub(crate) fn rot13(text: &str) -> String {
    let turn = |byte: u8, first: u8| char::from((byte - first + 13) % 26 + first);
    text.chars()
        .map(|character| match character {
            'a'..='z' => turn(character as u8, b'a'),
            'A'..='Z' => turn(character as u8, b'A'),
            other => other,
        })
        .collect()
}

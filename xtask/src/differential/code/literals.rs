//! Literals that become a text by a decoder, a method or a pattern.

use data_encoding::{BASE64, HEXLOWER};

use super::generate::Writer;

impl Writer<'_> {
    /// A literal that becomes the text in the way that its name says.
    pub(super) fn literal(&mut self, name: &str, text: &str, cut: usize) -> String {
        let (left, right) = text.split_at_checked(cut).unwrap_or((text, ""));
        let made = match name {
            "plain" => text.to_owned(),
            "rev" => text.chars().rev().collect(),
            "marked" => format!("{left}#{right}"),
            "doubled" => text.chars().flat_map(|letter| [letter, '#']).collect(),
            "based" => BASE64.encode(text.as_bytes()),
            "hex" => HEXLOWER.encode(text.as_bytes()),
            "upper" => text.to_uppercase(),
            "swapped" => text
                .chars()
                .map(|c| match c {
                    'x' => 'o',
                    'o' => 'x',
                    c => c,
                })
                .collect(),
            "turned" => text.chars().map(rotated).collect(),
            "quoted" => text.bytes().map(|byte| format!("%{byte:02X}")).collect(),
            "codes" => return format!("{:?}", text.bytes().collect::<Vec<_>>()),
            "escaped" => {
                let escaped: String = text.bytes().map(|byte| format!("\\x{byte:02x}")).collect();
                return format!("\"{escaped}\"");
            }
            other => format!("§{other}"),
        };
        self.quoted(&made)
    }
}

fn rotated(letter: char) -> char {
    let turn = |first: u8| {
        let byte = u8::try_from(letter).unwrap_or(first);
        char::from((byte - first + 13) % 26 + first)
    };
    match letter {
        'a'..='z' => turn(b'a'),
        'A'..='Z' => turn(b'A'),
        other => other,
    }
}

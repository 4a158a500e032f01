//! Texts in which bytes stand by their numbers: `%41` is `A`. Owns how they are read back; what such a text is for, whoever asks knows.

/// The bytes of a text, each `%` with two digits behind it as the one that it stands for. (RFC 3986, section 2.1)
pub(crate) fn decoded(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let digits = after.get(..2).filter(|_| *first == b'%');
        let digits = digits.and_then(|digits| std::str::from_utf8(digits).ok());
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = after.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    bytes
}

/// The same as a text.
pub(crate) fn text(encoded: &str) -> String {
    String::from_utf8_lossy(&decoded(encoded)).into_owned()
}

#[cfg(test)]
mod tests {
    use super::text;

    #[test]
    fn what_is_no_number_of_a_byte_stands_for_itself() {
        let pairs = [
            ("DROP%20TABLE%20a", "DROP TABLE a"),
            ("%41%4a%4A", "AJJ"),
            ("100%", "100%"),
            ("%4", "%4"),
            ("%zz%é1", "%zz%é1"),
            ("%c3%a9", "é"),
            ("", ""),
        ];
        for (encoded, plain) in pairs {
            assert_eq!(text(encoded), plain, "{encoded}");
        }
    }
}

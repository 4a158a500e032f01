//! A form as a browser sends it (`application/x-www-form-urlencoded`, WHATWG URL §5.1), read strictly. Owns the reading alone.

use std::collections::BTreeMap;

/// The most fields that are read.
const MOST: usize = 64;

/// The fields by name; nothing where it is no form, one is there twice, or there are more than anybody sends.
pub(super) fn fields(body: &[u8]) -> Option<BTreeMap<String, String>> {
    let mut fields = BTreeMap::new();
    for pair in body.split(|byte| *byte == b'&').filter(|pair| !pair.is_empty()) {
        let at = pair.iter().position(|byte| *byte == b'=').unwrap_or(pair.len());
        let (name, value) = pair.split_at_checked(at)?;
        let value = value.split_first().map_or(&[][..], |(_, rest)| rest);
        if fields.len() >= MOST || fields.insert(plain(name)?, plain(value)?).is_some() {
            return None;
        }
    }
    Some(fields)
}

fn plain(written: &[u8]) -> Option<String> {
    let mut plain = Vec::with_capacity(written.len());
    let mut bytes = written.iter();
    while let Some(byte) = bytes.next() {
        plain.push(match byte {
            b'+' => b' ',
            b'%' => {
                let digit = |byte: &u8| char::from(*byte).to_digit(16);
                let (high, low) = (digit(bytes.next()?)?, digit(bytes.next()?)?);
                u8::try_from(high * 16 + low).ok()?
            }
            other => *other,
        });
    }
    String::from_utf8(plain).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_says_one_thing() {
        let read = fields(b"a=1+2&b=%7B%22x%22%3A%22%C3%A9%22%7D&c=&d&e=f=g").unwrap();
        let pairs: Vec<(&str, &str)> = read.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
        assert_eq!(
            pairs,
            [("a", "1 2"), ("b", "{\"x\":\"é\"}"), ("c", ""), ("d", ""), ("e", "f=g")]
        );
        for bad in [&b"a=1&a=2"[..], b"a=%", b"a=%4", b"a=%zz", b"a=%ff", b"%ff=a"] {
            assert_eq!(fields(bad), None, "{bad:?}");
        }
        let many: Vec<String> = (0..65).map(|at| format!("f{at}=1")).collect();
        assert_eq!(fields(many.join("&").as_bytes()), None);
    }
}

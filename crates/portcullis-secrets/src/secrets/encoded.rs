//! Text in an encoding: Base64, and percent signs.

use data_encoding::{BASE64, BASE64_NOPAD, BASE64URL_NOPAD};

/// Base64 in either alphabet, with or without its padding.
pub(super) fn decode(text: &[u8]) -> Option<Vec<u8>> {
    let bare = text.trim_ascii_end();
    let bare = bare.strip_suffix(b"==").or_else(|| bare.strip_suffix(b"=")).unwrap_or(bare);
    BASE64
        .decode(text)
        .or_else(|_| BASE64_NOPAD.decode(bare))
        .or_else(|_| BASE64URL_NOPAD.decode(bare))
        .ok()
}

/// The text without its percent signs, and how many there were.
pub(super) fn unescaped(text: &[u8]) -> (Vec<u8>, usize) {
    let digit = |byte: Option<&u8>| byte.and_then(|byte| char::from(*byte).to_digit(16));
    let (mut out, mut index, mut signs) = (Vec::with_capacity(text.len()), 0, 0);
    while let Some(byte) = text.get(index) {
        let pair = (*byte == b'%')
            .then(|| Some((digit(text.get(index + 1))?, digit(text.get(index + 2))?)))
            .flatten();
        if let Some((high, low)) = pair {
            out.push(u8::try_from(high * 16 + low).unwrap_or(b'?'));
            index += 3;
            signs += 1;
        } else {
            out.push(*byte);
            index += 1;
        }
    }
    (out, signs)
}

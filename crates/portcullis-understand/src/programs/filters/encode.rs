//! Encoders and decoders: base64, base32, base16, hex dumps. Decoding is as lenient as the real programs: what stands before
//! the first invalid letter is printed.

use crate::text::Text;

use super::{Call, Output, lines};

/// An alphabet of 2 to the power of `bits` letters.
struct Alphabet {
    letters: &'static [u8],
    bits: u32,
    /// Letters of the last group that is padded to.
    group: usize,
}

const BASE64: Alphabet = Alphabet {
    letters: b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
    bits: 6,
    group: 4,
};
const BASE64_URL: Alphabet = Alphabet {
    letters: b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_",
    ..BASE64
};
const BASE32: Alphabet =
    Alphabet { letters: b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", bits: 5, group: 8 };
const BASE32_HEX: Alphabet = Alphabet { letters: b"0123456789ABCDEFGHIJKLMNOPQRSTUV", ..BASE32 };
const BASE16: Alphabet = Alphabet { letters: b"0123456789ABCDEF", bits: 4, group: 2 };

pub(super) fn base64(call: &mut Call<'_>) -> Option<Text> {
    code(call, Some(&BASE64))
}

pub(super) fn base32(call: &mut Call<'_>) -> Option<Text> {
    code(call, Some(&BASE32))
}

pub(super) fn basenc(call: &mut Call<'_>) -> Option<Text> {
    code(call, None)
}

const LONG: &[(&str, char)] = &[
    ("decode", 'd'),
    ("ignore-garbage", 'i'),
    ("wrap", 'w'),
    ("break", 'b'),
    ("base64", '6'),
    ("base64url", 'u'),
    ("base32", '3'),
    ("base32hex", 'h'),
    ("base16", 'x'),
];

fn code(call: &mut Call<'_>, alphabet: Option<&Alphabet>) -> Option<Text> {
    let given = call.given("dDiw:b:", LONG);
    let decodes = given.has('d') || given.has('D');
    if decodes {
        call.decoded();
    }
    // On a Mac `-i` names the input; with GNU it takes no value and the file is an operand all the same.
    let input = call.stream(&given.operands);
    let chosen = given.options.iter().rev().find_map(|(letter, _)| match letter {
        '6' => Some(&BASE64),
        'u' => Some(&BASE64_URL),
        '3' => Some(&BASE32),
        'h' => Some(&BASE32_HEX),
        'x' => Some(&BASE16),
        _ => None,
    });
    let alphabet = alphabet.or(chosen)?;
    if given.strange {
        return None;
    }
    let input = input.as_known()?;
    if decodes {
        decode(alphabet, input, given.has('i'))
    } else {
        let wrap = given.known_or('w', "76")?.parse().ok()?;
        encode(alphabet, input, wrap)
    }
}

/// Decodes until the first letter that is neither of the alphabet, a line end, nor padding.
fn decode(alphabet: &Alphabet, input: &str, ignore_garbage: bool) -> Option<Text> {
    let mut output = Output::default();
    let (mut buffer, mut bits, mut group): (u32, u32, usize) = (0, 0, 0);
    for byte in input.bytes() {
        if byte == b'\n' {
            continue;
        }
        if byte == b'=' {
            // Padding ends a group; another encoded text may follow.
            (buffer, bits, group) = (0, 0, 0);
            continue;
        }
        let letter = if alphabet.bits == 4 { byte.to_ascii_uppercase() } else { byte };
        let Some(value) = alphabet.letters.iter().position(|known| *known == letter) else {
            if ignore_garbage {
                continue;
            }
            break;
        };
        buffer = (buffer << alphabet.bits) | u32::try_from(value).ok()?;
        bits += alphabet.bits;
        group += 1;
        if bits >= 8 {
            bits -= 8;
            output.byte(u8::try_from((buffer >> bits) & 0xff).ok()?)?;
            buffer &= (1 << bits) - 1;
        }
        if group == alphabet.group {
            (buffer, bits, group) = (0, 0, 0);
        }
    }
    Some(output.bytes("decoded bytes"))
}

fn encode(alphabet: &Alphabet, input: &str, wrap: usize) -> Option<Text> {
    let mut letters = Output::default();
    let (mut buffer, mut bits): (u32, u32) = (0, 0);
    let letter = |value: u32, letters: &mut Output| {
        letters.byte(*alphabet.letters.get(usize::try_from(value).ok()?)?)
    };
    for byte in input.bytes() {
        buffer = (buffer << 8) | u32::from(byte);
        bits += 8;
        while bits >= alphabet.bits {
            bits -= alphabet.bits;
            letter(buffer >> bits, &mut letters)?;
            buffer &= (1 << bits) - 1;
        }
    }
    if bits > 0 {
        letter(buffer << (alphabet.bits - bits), &mut letters)?;
    }
    while !letters.0.len().is_multiple_of(alphabet.group) {
        letters.byte(b'=')?;
    }
    if wrap == 0 {
        return letters.text();
    }
    let mut output = Output::default();
    for line in letters.0.chunks(wrap) {
        output.push(line)?;
        output.byte(b'\n')?;
    }
    output.text()
}

/// What `openssl base64` or `openssl enc -base64` prints of `input`.
pub(crate) fn openssl_base64(input: &Text, decodes: bool, one_line: bool) -> Option<Text> {
    let known = input.as_known()?;
    if decodes {
        decode(&BASE64, known, false)
    } else {
        encode(&BASE64, known, if one_line { 0 } else { 64 })
    }
}

/// `xxd -r -p`, `xxd -r`, `xxd -p`.
pub(super) fn xxd(call: &mut Call<'_>) -> Option<Text> {
    let mut operands = Vec::new();
    let (mut reverse, mut plain, mut columns) = (false, false, 30);
    let mut strange = false;
    let mut arguments = call.arguments.iter();
    while let Some(argument) = arguments.next() {
        match argument.text.as_known() {
            // Only the first letter counts: `-rp` reverses a dump and is not plain.
            Some(option) if option.starts_with("-r") || option == "--revert" => reverse = true,
            Some(option) if option.starts_with("-p") || option == "--plain" => plain = true,
            Some("-c" | "-cols") => match arguments.next()?.text.as_known()?.parse() {
                Ok(0) => columns = usize::MAX,
                Ok(count) => columns = count,
                Err(_) => strange = true,
            },
            // What is skipped, cut or grouped is not followed.
            Some("-l" | "-len" | "-s" | "-seek" | "-o" | "-g" | "-groupsize" | "-n" | "-name") => {
                arguments.next();
                strange = true;
            }
            Some(option) if option.len() > 1 && option.starts_with('-') => {
                match option.strip_prefix("-c").and_then(|count| count.parse().ok()) {
                    Some(0) => columns = usize::MAX,
                    Some(count) => columns = count,
                    None => strange = true,
                }
            }
            _ => operands.push(argument),
        }
    }
    if reverse {
        call.decoded();
    }
    // A second operand is the file that is written.
    let input = call.stream(operands.get(..operands.len().min(1))?);
    if strange {
        return None;
    }
    let input = input.as_known()?;
    match (reverse, plain) {
        (true, true) => from_plain_hex(input),
        (true, false) => from_dump(input),
        (false, true) => {
            let mut output = Output::default();
            for row in input.as_bytes().chunks(columns) {
                for byte in row {
                    output.push(format!("{byte:02x}"))?;
                }
                output.byte(b'\n')?;
            }
            output.text()
        }
        (false, false) => None,
    }
}

/// Pairs of hexadecimal digits; what stands between them is passed over.
fn from_plain_hex(input: &str) -> Option<Text> {
    let mut output = Output::default();
    let mut high = None;
    for byte in input.bytes() {
        let Some(digit) = char::from(byte).to_digit(16) else {
            high = if byte.is_ascii_whitespace() { high } else { None };
            continue;
        };
        match high.take() {
            None => high = Some(digit),
            Some(first) => output.byte(u8::try_from(first * 16 + digit).ok()?)?,
        }
    }
    Some(output.bytes("decoded bytes"))
}

/// Rows of `offset: hex digits  text`, in order.
fn from_dump(input: &str) -> Option<Text> {
    let mut output = Output::default();
    for line in lines(input) {
        let Some((offset, rest)) = line.trim_end().split_once(':') else { continue };
        if usize::from_str_radix(offset.trim(), 16).ok()? != output.0.len() {
            return None;
        }
        let digits = rest.split("  ").find(|part| !part.trim().is_empty()).unwrap_or("");
        let mut high = None;
        for digit in digits.chars().filter_map(|letter| letter.to_digit(16)) {
            match high.take() {
                None => high = Some(digit),
                Some(first) => output.byte(u8::try_from(first * 16 + digit).ok()?)?,
            }
        }
    }
    Some(output.bytes("decoded bytes"))
}

//! Paths as texts that can be read back to the byte. Owns the form: as they are, but for `\`, what is no UTF-8 and control characters, which
//! are written `\xHH`.

use std::{
    ffi::OsString,
    os::unix::ffi::{OsStrExt as _, OsStringExt as _},
    path::{Path, PathBuf},
};

/// The text of a path.
#[must_use]
pub fn write(path: &Path) -> String {
    let mut text = String::new();
    for chunk in path.as_os_str().as_bytes().utf8_chunks() {
        for character in chunk.valid().chars() {
            if character == '\\' || character.is_control() {
                let mut room = [0; 4];
                escape(character.encode_utf8(&mut room).as_bytes(), &mut text);
            } else {
                text.push(character);
            }
        }
        escape(chunk.invalid(), &mut text);
    }
    text
}

fn escape(bytes: &[u8], text: &mut String) {
    for byte in bytes {
        text.push_str(&format!("\\x{byte:02x}"));
    }
}

/// The path of a text; nothing where it is not as [`write()`] writes it.
#[must_use]
pub fn read(text: &str) -> Option<PathBuf> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((plain, escaped)) = rest.split_once('\\') {
        bytes.extend_from_slice(plain.as_bytes());
        let digits = escaped.strip_prefix('x')?;
        let pair = digits.get(..2).filter(|pair| pair.bytes().all(|one| one.is_ascii_hexdigit()));
        bytes.push(u8::from_str_radix(pair?, 16).ok()?);
        rest = digits.get(2..)?;
    }
    bytes.extend_from_slice(rest.as_bytes());
    Some(PathBuf::from(OsString::from_vec(bytes)))
}

/// As a field of what is kept.
pub mod kept {
    use std::path::{Path, PathBuf};

    use serde::{Deserialize as _, Deserializer, Serializer, de::Error as _};

    /// Writes it.
    ///
    /// # Errors
    /// What the serializer says.
    pub fn serialize<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&super::write(path))
    }

    /// Reads it.
    ///
    /// # Errors
    /// Where it is no text of a path.
    pub fn deserialize<'a, D: Deserializer<'a>>(deserializer: D) -> Result<PathBuf, D::Error> {
        let text = String::deserialize(deserializer)?;
        super::read(&text).ok_or_else(|| D::Error::custom("it is no path as we write it"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_path_is_read_back_to_the_byte() {
        let paths: [&[u8]; 6] =
            [b"a/b c", b"\xff\xfe", b"new\nline", b"back\\slash\\x41", b"\xe2\x80\xae.txt", b""];
        for bytes in paths {
            let path = PathBuf::from(OsString::from_vec(bytes.to_vec()));
            let text = write(&path);
            assert!(!text.contains('\n'), "{text}");
            assert_eq!(read(&text), Some(path), "{text}");
        }
        assert_eq!(read("a\\b"), None);
        assert_eq!(read("a\\x4"), None);
        assert_eq!(read("a\\x+1"), None);
    }
}

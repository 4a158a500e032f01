//! Text that every database reads alike. Owns what one of them would read otherwise: such a statement is refused before it is read.

use super::Dialect;

/// Refuses what databases read differently, or to no end: one reads as text what another one runs.
pub(super) fn unambiguous(text: &str, dialect: Dialect) -> Result<(), String> {
    let refuse = |what: &str| Err(what.to_owned());
    let bytes = text.as_bytes();
    let mut at = 0;
    if text.contains('\0') {
        return refuse("the statement holds a NUL");
    }
    while let Some(&byte) = bytes.get(at) {
        let rest = text.get(at..).unwrap_or_default();
        let two = rest.get(..2).unwrap_or_default();
        match byte {
            _ if two == "--" => {
                if !matches!(bytes.get(at + 2), None | Some(b' ' | b'\t' | b'\n' | b'\r'))
                    && dialect != Dialect::Postgres
                    && dialect != Dialect::Sqlite
                {
                    return refuse("`--` without a blank behind it is no comment everywhere");
                }
                at += rest.find('\n').unwrap_or(rest.len());
            }
            _ if two == "/*" => {
                let Some(length) = rest.get(2..).and_then(|body| body.find("*/")) else {
                    return refuse("a comment has no end");
                };
                let body = rest.get(2..2 + length).unwrap_or_default();
                if body.starts_with(['!', '+', 'M']) {
                    return refuse("a comment holds what some databases run");
                }
                if body.contains("/*") {
                    return refuse("a comment within a comment ends in two places");
                }
                at += length + 3;
            }
            b'#' if dialect != Dialect::Postgres => {
                return refuse("`#` begins a comment in some databases");
            }
            b'\'' | b'"' | b'`' => {
                let (length, is_escaped) = quoted(rest, byte);
                let Some(length) = length else { return refuse("a text has no end") };
                if is_escaped && byte != b'`' {
                    return refuse("a backslash in a text is read differently by databases");
                }
                let escapes = at.checked_sub(1).and_then(|before| bytes.get(before));
                if byte == b'\'' && matches!(escapes, Some(b'e' | b'E')) && is_lone(bytes, at) {
                    return refuse("a text with escapes");
                }
                at += length - 1;
            }
            b'$' => {
                let tag = rest
                    .get(1..)
                    .unwrap_or_default()
                    .trim_start_matches(|letter: char| letter.is_alphanumeric() || letter == '_');
                if tag.starts_with('$') {
                    return refuse("a text between dollars");
                }
            }
            b'[' if dialect == Dialect::Any => {
                return refuse("square brackets are read differently by databases");
            }
            b'\\' => return refuse("a backslash outside of a text"),
            _ if byte < b' ' && !byte.is_ascii_whitespace() => {
                return refuse("the statement holds a control character");
            }
            _ if byte >= 0x80 => {
                let letter = rest.chars().next().unwrap_or(' ');
                if letter.is_whitespace() || crate::analyze::is_invisible(letter) {
                    return refuse("the statement holds blanks that cannot be told from others");
                }
            }
            _ => {}
        }
        at += 1;
        while at < text.len() && !text.is_char_boundary(at) {
            at += 1;
        }
    }
    Ok(())
}

/// How long a quoted text is that begins here, and whether it holds a backslash.
fn quoted(text: &str, quote: u8) -> (Option<usize>, bool) {
    let bytes = text.as_bytes();
    let (mut at, mut escapes) = (1, false);
    while let Some(&byte) = bytes.get(at) {
        escapes |= byte == b'\\';
        if byte == quote {
            if bytes.get(at + 1) != Some(&quote) {
                return (Some(at + 1), escapes);
            }
            at += 1;
        }
        at += 1;
    }
    (None, escapes)
}

/// Whether the letter before the place stands alone: the `E` of `E'…'`.
fn is_lone(bytes: &[u8], at: usize) -> bool {
    at.checked_sub(2)
        .and_then(|before| bytes.get(before))
        .is_none_or(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_')
}

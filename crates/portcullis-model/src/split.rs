//! Short texts cut at a byte, and paths by their words. Owns the cutting, which looks at each byte: on a few letters that is quicker
//! than a search that prepares itself.

/// The text before and after the first `separator`, an ASCII character; nothing after where there is none.
pub fn cut(text: &str, separator: u8) -> (&str, Option<&str>) {
    match text.bytes().position(|byte| byte == separator) {
        Some(at) => (text.get(..at).unwrap_or(""), text.get(at + 1..)),
        None => (text, None),
    }
}

/// The parts of a text between `separator`s, as [`str::split`] gives them.
pub fn split(text: &str, separator: u8) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let (part, after) = cut(rest?, separator);
        rest = after;
        Some(part)
    })
}

/// Whether a path is another, or lies below it.
#[must_use]
pub fn is_below(path: &str, directory: &str) -> bool {
    let directory = directory.trim_end_matches('/');
    path.strip_prefix(directory).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Whether a path is a device rather than a file: what lies in `/dev/shm` is one as any other.
#[must_use]
pub fn is_device(path: &str) -> bool {
    path.strip_prefix("/dev/")
        .is_some_and(|name| !is_below(name, "shm") && !is_below(name, "mqueue"))
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn parts_are_those_of_the_standard_library() {
        for text in ["", "/", "a", "/a", "a/", "a//b", "ä/ö", "/a/b/"] {
            let expected: Vec<_> = text.split('/').collect();
            assert_eq!(split(text, b'/').collect::<Vec<_>>(), expected, "{text}");
        }
    }
}

//! JSON pointers (RFC 6901): where in a call's arguments something stands. Owns how a name becomes a step of one.

/// Adds the step to the member `name`.
pub fn push(pointer: &mut String, name: &str) {
    pointer.push('/');
    for part in name.split_inclusive(['~', '/']) {
        match (part.strip_suffix('~'), part.strip_suffix('/')) {
            (Some(before), _) => pointer.extend([before, "~0"]),
            (None, Some(before)) => pointer.extend([before, "~1"]),
            (None, None) => pointer.push_str(part),
        }
    }
}

/// The pointer to the member `name` of what `above` points to.
pub fn to(above: &str, name: &str) -> String {
    let mut pointer = String::with_capacity(above.len() + name.len() + 1);
    pointer.push_str(above);
    push(&mut pointer, name);
    pointer
}

#[cfg(test)]
mod tests {
    use super::to;

    #[test]
    fn signs_of_pointers_in_names_are_escaped() {
        for (name, expected) in
            [("a", "/x/a"), ("", "/x/"), ("a/b", "/x/a~1b"), ("~", "/x/~0"), ("~1/~", "/x/~01~1~0")]
        {
            assert_eq!(to("/x", name), expected);
        }
    }
}

//! Templates: texts with places that a tool fills before anything runs. Owns how the places are found; what a place stands for is
//! said by whoever knows the tool.

/// `text` with every place between `open` and `close` given way to what `value` says of its inside, blanks around it left out. A place
/// that is never closed reaches to the end.
pub(super) fn filled(
    text: &str,
    open: &str,
    close: &str,
    mut value: impl FnMut(&str) -> String,
) -> String {
    let mut filled = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(open) {
        filled.push_str(before);
        let (inner, next) = after.split_once(close).unwrap_or((after, ""));
        filled.push_str(&value(inner.trim()));
        rest = next;
    }
    filled.push_str(rest);
    filled
}

/// A variable of the shell for a value that nobody knows: `prefix` and `name`, whose other letters than a variable's become `_`.
pub(super) fn variable(prefix: &str, name: &str) -> String {
    let name: String = name
        .chars()
        .map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '_' })
        .collect();
    format!("${{{prefix}{}}}", name.trim_matches('_'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_give_way_to_what_is_known_or_to_a_variable() {
        let known = |name: &str| match name {
            "A" => "one".to_owned(),
            other => variable("T_", other),
        };
        for (text, expected) in [
            ("x", "x"),
            ("{{A}}", "one"),
            ("a {{ A }} b {{ .Y | quote }}c", "a one b ${T_Y___quote}c"),
            ("open {{ B", "open ${T_B}"),
            ("{{}}", "${T_}"),
        ] {
            assert_eq!(filled(text, "{{", "}}", known), expected, "{text}");
        }
    }
}

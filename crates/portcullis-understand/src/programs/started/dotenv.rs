//! Files of variables that tools load of themselves: `.env` (docs.docker.com, "Set, use, and manage variables in a Compose file"; just.systems/man,
//! "Dotenv Integration"). Owns what stands in one, and how its values are put into other texts.

use std::collections::BTreeMap;

use super::project;
use crate::{programs::host::Host, text::Text};

/// The variables of a file, in its order.
pub(super) fn variables(text: &str) -> Vec<(String, String)> {
    let lines = text.lines().map(str::trim).filter(|line| !line.starts_with('#'));
    let set = lines.filter_map(|line| line.strip_prefix("export ").unwrap_or(line).split_once('='));
    let is_name = |name: &str| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    set.map(|(name, value)| (name.trim(), value.trim()))
        .filter(|(name, _)| is_name(name))
        .map(|(name, value)| (name.to_owned(), plain(value).to_owned()))
        .collect()
}

/// A value without its quotes, or without what is said behind it.
fn plain(value: &str) -> &str {
    for quote in ['"', '\''] {
        if let Some(inner) = value.strip_prefix(quote) {
            return inner.split(quote).next().unwrap_or(inner);
        }
    }
    value.split_once(" #").map_or(value, |(value, _)| value.trim_end())
}

/// The variables of these files of a directory, those of the first before the others'.
pub(super) fn of_files(
    walk: &mut dyn Host,
    root: &str,
    names: &[String],
) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for name in names {
        let path = project::joined(root, name);
        let Some(file) = walk.look(&path).file() else { continue };
        found.extend(variables(&file.text));
    }
    // What the call gives a variable counts before what a file says.
    found.retain(|name, _| walk.variable_set(name).is_none());
    found
}

/// Gives what follows the variables.
pub(super) fn given(
    walk: &mut dyn Host,
    variables: &BTreeMap<String, String>,
    root: &str,
    span: portcullis_syntax::Span,
) {
    for (name, value) in variables {
        let value = value.replace("${PWD}", root).replace("$PWD", root);
        walk.environment_of(name, &Text::known(value), span);
    }
}

/// A text with the variables put in: `${NAME}`, `$NAME`, `${NAME:-other}`. What is not known of them stays as it is.
pub(super) fn filled(text: &str, variables: &BTreeMap<String, String>) -> String {
    let mut filled = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('$') {
        filled.push_str(before);
        if let Some(next) = after.strip_prefix('$') {
            filled.push_str("$$");
            rest = next;
            continue;
        }
        let braced = after.strip_prefix('{').and_then(|inner| inner.split_once('}'));
        let (whole, next) = match braced {
            Some((inner, next)) => (inner, next),
            None => {
                let end = after.find(|it: char| !it.is_ascii_alphanumeric() && it != '_');
                after.split_at_checked(end.unwrap_or(after.len())).unwrap_or((after, ""))
            }
        };
        let end = whole.find(|it: char| !it.is_ascii_alphanumeric() && it != '_');
        let (name, other) =
            whole.split_at_checked(end.unwrap_or(whole.len())).unwrap_or((whole, ""));
        match variables.get(name) {
            Some(value) if filled.len() < 1 << 16 => filled.push_str(value),
            _ => {
                filled.push('$');
                let written =
                    if braced.is_some() { format!("{{{name}{other}}}") } else { name.to_owned() };
                filled.push_str(&written);
            }
        }
        rest = next;
    }
    filled.push_str(rest);
    filled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_read_and_put_in() {
        let text = "# x\nA=/\nexport B = \"b c\" # y\nC=c # z\n- = no\nD='d'\n";
        let found: BTreeMap<String, String> = variables(text).into_iter().collect();
        let pairs: Vec<String> =
            found.iter().map(|(name, value)| format!("{name}={value}")).collect();
        assert_eq!(pairs, ["A=/", "B=b c", "C=c", "D=d"]);
        for (text, expected) in [
            ("${A}:/d", "/:/d"),
            ("$A/x-$$A", "//x-$$A"),
            ("${A:-./y}", "/"),
            ("${Z:-./y}:$Y", "${Z:-./y}:$Y"),
            ("${A", "${A"),
        ] {
            assert_eq!(filled(text, &found), expected, "{text}");
        }
    }
}

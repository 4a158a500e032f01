//! The licences of everything that is built in.

use serde_json::Value;

use crate::{
    command::{self, Failed},
    workspace::{metadata_with, text},
};

/// Licences that we take.
const ALLOWED: &[&str] = &[
    "MIT",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "ISC",
    "Zlib",
    "Unicode-3.0",
    "CC0-1.0",
    "0BSD",
    "Unlicense",
    "MIT-0",
    "BSL-1.0",
];

/// Checks that each package may be used under at least one licence that we take.
pub(crate) fn check() -> Result<(), Failed> {
    check_with(&[])
}

/// The same with the packages of features that are off.
pub(crate) fn check_with(features: &[&str]) -> Result<(), Failed> {
    let metadata = metadata_with(features)?;
    let packages =
        metadata.get("packages").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    for package in packages {
        let expression = text(package, "license");
        if !allowed(expression) {
            let name = text(package, "name");
            return Err(Failed::Broken(format!(
                "`{name}` is under `{expression}`, which is not a licence that we take"
            )));
        }
    }
    command::say(&format!("── licences of {} packages are fine\n", packages.len()));
    Ok(())
}

/// `A OR B` needs one side, `A AND B` both; parentheses group. The old `A/B` means `OR`.
fn allowed(expression: &str) -> bool {
    let expression = expression.trim().replace('/', " OR ");
    let expression = expression.trim();
    if let Some(at) = outside(expression, " AND ") {
        let (left, right) = expression.split_at(at);
        return allowed(left) && allowed(right.trim_start_matches(" AND "));
    }
    if let Some(at) = outside(expression, " OR ") {
        let (left, right) = expression.split_at(at);
        return allowed(left) || allowed(right.trim_start_matches(" OR "));
    }
    match expression.strip_prefix('(').and_then(|inner| inner.strip_suffix(')')) {
        Some(inner) => allowed(inner),
        None => ALLOWED.contains(&expression),
    }
}

fn outside(expression: &str, operator: &str) -> Option<usize> {
    let mut depth = 0_i32;
    expression.char_indices().find_map(|(at, character)| {
        match character {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        (depth == 0 && expression.get(at..).is_some_and(|rest| rest.starts_with(operator)))
            .then_some(at)
    })
}

#[cfg(test)]
mod tests {
    use super::allowed;

    #[test]
    fn expressions_are_read() {
        for (expression, expected) in [
            ("MIT", true),
            ("MIT OR GPL-3.0", true),
            ("MIT/Apache-2.0", true),
            ("MIT AND GPL-3.0", false),
            ("(MIT OR Apache-2.0) AND Unicode-3.0", true),
            ("GPL-3.0", false),
            ("", false),
        ] {
            assert_eq!(allowed(expression), expected, "{expression}");
        }
    }
}

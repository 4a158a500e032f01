//! What chooses among rows. Owns which arguments of a deletion or a change say which rows are meant, and which of those choose all of them.

use super::{
    super::value::{Given, Value},
    judged::DEPTH,
};

/// What says how, and not which.
const OPTIONS: &[&str] = &[
    "delete_all",
    "deleteAll",
    "namespace",
    "cascade",
    "force",
    "individualHooks",
    "logging",
    "recursive",
    "restartIdentity",
    "session",
    "synchronize_session",
    "transaction",
    "truncate",
    "using",
    "hooks",
    "ordered",
    "data",
    "returning",
    // Of a deletion by a query: how it goes on, and how fast.
    "allow_no_indices",
    "conflicts",
    "ignore_unavailable",
    "refresh",
    "requests_per_second",
    "slices",
    "wait_for_completion",
];

/// Whether what is given chooses some of the rows: `{}`, `{where: {}}` and `{match_all: {}}` choose all of them.
pub(super) fn is_constrained(given: &[Given]) -> bool {
    given.iter().any(|given| {
        let is_option = given.name.as_deref().is_some_and(|name| OPTIONS.contains(&name));
        let is_place = given
            .name
            .as_deref()
            .is_some_and(|name| matches!(name, "index" | "collection" | "table"));
        !is_option && !is_place && constrains(&given.value, DEPTH)
    })
}

fn constrains(value: &Value, depth: usize) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return true };
    match value {
        Value::Table(table) => {
            const WHICH: &[&str] = &["where", "filter", "query", "body", "match", "match_all"];
            let named = table.iter().filter(|(name, _)| WHICH.contains(&name.as_str()));
            let mut named = named.peekable();
            if named.peek().is_some() {
                return named
                    .into_iter()
                    .any(|(name, value)| name != "match_all" && constrains(value, depth));
            }
            table.iter().any(|(name, _)| !OPTIONS.contains(&name.as_str()))
        }
        Value::List(list) => !list.is_empty(),
        Value::Any(list) => list.iter().all(|value| constrains(value, depth)),
        Value::Function(_) => false,
        Value::Text(text) => text.as_known() != Some(""),
        // A class stands for its table.
        Value::Name(path, _) => {
            let last = path.rsplit('.').next().unwrap_or_default();
            !value.is_false()
                && !matches!(path.as_ref(), "True" | "true")
                && !last.starts_with(|first: char| first.is_ascii_uppercase())
        }
        Value::Number(_)
        | Value::Method(_)
        | Value::File(_)
        | Value::Holder(_)
        | Value::Asks(_) => true,
    }
}

/// Whether a change is told which rows it is for: by `where`, or by a filter in front of what is set.
pub(super) fn is_change_constrained(given: &[Given]) -> bool {
    // What is told where, is told there alone: `User.update({role: "x"}, {where: {}})`.
    if given.iter().any(|given| given.name.is_none() && given.value.entry("where").is_some()) {
        return given
            .iter()
            .filter_map(|given| given.value.entry("where"))
            .all(|which| constrains(which, DEPTH));
    }
    let says_which = given.iter().any(|given| {
        given
            .value
            .entry("where")
            .or_else(|| given.value.entry("query"))
            .is_some_and(|which| constrains(which, DEPTH))
    });
    let plain: Vec<&Given> = given.iter().filter(|given| given.name.is_none()).collect();
    says_which
        || plain.len() > 1 && plain.first().is_some_and(|first| constrains(&first.value, DEPTH))
}

//! Arguments by which a service of a cloud protects less than before: everybody is let in, a second factor is no longer asked for, what is
//! deleted is gone at once. Owns the names and values that say so, as the libraries of Azure and Google spell them; what Amazon's are told
//! becomes a command, which the rules read.

use portcullis_syntax::Span;

use super::{
    super::{
        interpreter::Interpreter,
        value::{Given, Value},
    },
    clouds::PUBLISHED,
    command::{DEPTH, known},
};
use crate::programs::host::Host;

/// How many arguments and entries are looked at.
const ENTRIES: usize = 1024;

/// What a store is opened by. Names are in lower case, without what stands between their words. Sorted.
const OPENS: &[(&str, &[&str])] = &[
    ("access", &["blob", "container"]),
    ("allowblobpublicaccess", &["true"]),
    ("publicaccess", &["blob", "container"]),
];

/// What lets in more than before, or keeps less. Sorted.
const WEAKENS: &[(&str, &[&str])] = &[
    ("defaultaction", &["allow"]),
    ("deletionprotection", &["false"]),
    ("deletionprotectionenabled", &["false"]),
    ("enablehttpstrafficonly", &["false"]),
    ("enablepurgeprotection", &["false"]),
    ("enablesoftdelete", &["false"]),
    ("httpsonly", &["false"]),
    ("mfaconfiguration", &["off"]),
    ("minimaltlsversion", &["1.0", "1.1"]),
    ("minimumtlsversion", &["1.0", "1.1", "tls10", "tls11"]),
    ("publicaccessprevention", &["inherited", "unspecified"]),
    ("publiclyaccessible", &["true"]),
    ("publicnetworkaccess", &["enabled"]),
    ("requiressl", &["false"]),
    ("sslenforcement", &["disabled"]),
    ("startipaddress", &["0.0.0.0"]),
    ("supportshttpstrafficonly", &["false"]),
];

impl Interpreter<'_, '_, '_> {
    /// Tells what of a cloud is protected less by what a call is given.
    pub(super) fn weakens(&mut self, path: &str, method: &str, given: &[Given], span: Span) {
        let mut pairs = Vec::new();
        for given in given {
            collect(given.name.as_deref(), &given.value, DEPTH, &mut pairs);
        }
        if pairs.len() >= ENTRIES {
            self.limit();
        }
        let says = |table: &[(&str, &[&str])]| {
            pairs.iter().any(|(name, value)| {
                let row = table.binary_search_by(|row| row.0.cmp(name.as_str())).ok();
                let row = row.and_then(|row| table.get(row));
                row.is_some_and(|row| row.1.contains(&value.as_str()))
            })
        };
        // `container.setAccessPolicy("blob")`
        let is_policy = matches!(method, "setAccessPolicy" | "set_container_access_policy")
            && given.iter().any(|it| {
                it.name.is_none() && matches!(it.value.as_known(), Some("blob" | "container"))
            });
        if path.contains("torage") && says(OPENS) || is_policy {
            self.tell(known(PUBLISHED), span);
        }
        // What is made anew has no protection that it could lose.
        let lower = path.to_ascii_lowercase().replace('_', "");
        let is_new = lower.contains("create") && !lower.contains("createorupdate");
        if says(WEAKENS) && !is_new {
            self.walk.note("cloud.protection.lowered", span);
        }
    }
}

/// What is said under each name in what is given: the last word of a constant, truth as a word.
fn collect(name: Option<&str>, value: &Value, levels: usize, pairs: &mut Vec<(String, String)>) {
    let Some(levels) = levels.checked_sub(1).filter(|_| pairs.len() < ENTRIES) else { return };
    match value {
        Value::Table(table) => {
            for (name, value) in table {
                collect(Some(name), value, levels, pairs);
            }
        }
        Value::List(list) | Value::Any(list) => {
            list.iter().for_each(|value| collect(name, value, levels, pairs));
        }
        value => {
            let said = match value {
                Value::Name(path, _) => path.rsplit('.').next().unwrap_or_default().to_owned(),
                value => value.as_known().unwrap_or_default().to_owned(),
            };
            if let Some(name) = name.filter(|_| !said.is_empty()) {
                let plain = |text: &str| text.replace(['_', '-'], "").to_ascii_lowercase();
                pairs.push((plain(name), plain(&said)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_sorted_so_that_they_can_be_searched() {
        assert!(OPENS.is_sorted() && WEAKENS.is_sorted());
    }
}

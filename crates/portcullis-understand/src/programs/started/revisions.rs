//! Alembic: the environment of a database's migrations, its revisions, and what the settings of the log evaluate (alembic.sqlalchemy.org, "The Migration
//! Environment", "Editing the .ini File", "Generating SQL Scripts"). Owns which function of a revision a command calls.

use std::sync::Arc;

use portcullis_syntax::Span;

use super::{imports, project, tree};
use crate::{
    bound::Bounded,
    effect::Certainty,
    programs::found::{File, Found, directory_of},
    programs::host::Host,
};

/// How many modules of one folder are read.
const MODULES: usize = 48;

/// Says what a command of `alembic` with these words loads and calls.
pub(super) fn follow(walk: &mut dyn Host, here: &str, words: &[String], span: Span) {
    let verb = project::operands(words, &["-c", "--config", "-n", "--name", "-x"])
        .first()
        .map_or("", |verb| *verb)
        .to_owned();
    if matches!(verb.as_str(), "" | "init" | "list_templates") {
        return;
    }
    let named = project::option(words, &["-c", "--config"]).unwrap_or("alembic.ini");
    let path = project::joined(here, named);
    let mut places: Vec<String> = Vec::new();
    if let Some(file) = walk.look(&path).file() {
        let settings = tree::sections(&file.text);
        let own = settings.root().and_then(|root| root.get("alembic"));
        for key in ["script_location", "version_locations"] {
            let value = own.and_then(|own| own.text_of(key)).unwrap_or_default();
            places.extend(value.split([' ', ';', ',', '\n']).filter(|it| !it.is_empty()).map(
                |place| {
                    let place = place.replace("%(here)s/", "").replace("%(here)s", ".");
                    project::joined(directory_of(&path), &place)
                },
            ));
        }
        imports::logged(walk, &path, span);
    }
    if places.is_empty() {
        places.extend(["alembic", "migrations"].map(|place| format!("{here}/{place}")));
    }
    let folders: Vec<String> =
        places.iter().flat_map(|place| [place.clone(), format!("{place}/versions")]).collect();
    for folder in &folders {
        walk.look(folder);
    }
    let mut paths: Vec<String> = Vec::new();
    for folder in &folders {
        let Found::Directory(names) = walk.look(folder) else { continue };
        let modules: Vec<String> = names
            .iter()
            .filter(|name| name.ends_with(".py"))
            .map(|name| format!("{folder}/{name}"))
            .collect();
        paths.extend(modules.iter().at_most(MODULES, walk, span).cloned());
    }
    for path in &paths {
        walk.look(path);
    }
    // Of a revision that is loaded, a command calls one function or none.
    let idle: &[&str] = match verb.as_str() {
        "upgrade" => &["downgrade"],
        "downgrade" => &["upgrade"],
        _ => &["downgrade", "upgrade"],
    };
    let prints = project::has(words, &["--sql"]);
    let roots = [here.to_owned()];
    for path in &paths {
        if path.ends_with("/env.py") {
            walk.load_from(&roots, "python", path, span);
            continue;
        }
        let Some(file) = walk.look(path).file() else { continue };
        let mut text = file.text.to_string();
        for name in idle {
            text = without_function(&text, name).unwrap_or(text);
        }
        if prints {
            text = without_operations(&text);
        }
        let file = File { text: Arc::from(text), ..file };
        walk.at_most(Certainty::Likely, |walk| walk.run_text("python", &file, span, &[], None));
    }
}

/// A module of Python without the body of a function that it names nowhere else, blanks in its place; `None` where that is not sure.
fn without_function(text: &str, name: &str) -> Option<String> {
    let head = format!("def {name}(");
    let mentions = text.match_indices(name).filter(|(at, _)| {
        let before = text.get(..*at).unwrap_or_default();
        let after = text.get(at + name.len()..).unwrap_or_default();
        !before.ends_with(|it: char| it.is_alphanumeric() || it == '_')
            && after.trim_start().starts_with(['(', ',', ')', '=', '\n'])
            && !before.ends_with("def ")
    });
    if mentions.count() > 0 {
        return None;
    }
    let mut kept = String::with_capacity(text.len());
    let mut is_inside = false;
    let mut body = String::new();
    for line in text.split_inclusive('\n') {
        if is_inside && (line.trim().is_empty() || line.starts_with([' ', '\t'])) {
            body.push_str(line);
            kept.extend(line.chars().map(|letter| if letter == '\n' { '\n' } else { ' ' }));
            continue;
        }
        is_inside = line.starts_with(&head) && line.trim_end().ends_with(':');
        // A text over several lines may hold what looks like a function.
        if is_inside && !is_closed(&kept) {
            return None;
        }
        kept.push_str(line);
    }
    is_closed(&body).then_some(kept)
}

/// Whether every text over several lines that begins in it ends in it.
fn is_closed(text: &str) -> bool {
    [r#"""""#, "'''"].iter().all(|mark| text.matches(mark).count() % 2 == 0)
}

/// A revision without the operations that are only written out as SQL: statements `op.…(…)` in which nothing is called but what describes columns.
fn without_operations(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut held = String::new();
    for line in text.split_inclusive('\n') {
        if held.is_empty() && !line.trim_start().starts_with("op.") {
            kept.push_str(line);
            continue;
        }
        held.push_str(line);
        let depth = held.matches(['(', '[']).count();
        if depth > held.matches([')', ']']).count() {
            continue;
        }
        let described = held.match_indices('(').all(|(at, _)| {
            let before = held.get(..at).unwrap_or_default();
            let start = before.rfind(|it: char| !(it.is_alphanumeric() || "_.".contains(it)));
            let called = before.get(start.map_or(0, |at| at + 1)..).unwrap_or_default();
            called.is_empty() || ["op.", "sa."].iter().any(|it| called.starts_with(it))
        });
        match described && !held.contains(';') {
            true => {
                kept.extend(held.chars().map(|it| if it == '\n' { '\n' } else { ' ' }));
            }
            false => kept.push_str(&held),
        }
        held.clear();
    }
    kept.push_str(&held);
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_command_calls_of_a_revision_is_left() {
        let text = "def upgrade():\n    a()\n\n\ndef downgrade():\n    b()\n";
        let left = without_function(text, "downgrade").unwrap();
        assert!(left.contains("a()") && !left.contains("b()"), "{left}");
        // It is called after all, or stands in a text.
        for text in [
            "def upgrade():\n    downgrade()\n\ndef downgrade():\n    b()\n",
            "x = \"\"\"\ndef downgrade():\n    \"\"\"; b()\n",
        ] {
            assert_eq!(without_function(text, "downgrade"), None, "{text}");
        }
    }

    #[test]
    fn operations_are_written_out_where_nothing_else_is_called() {
        let text = "def upgrade():\n    op.add_column(\n        \"a\", sa.Column(\"b\"))\n    op.execute(run(\"x\"))\n";
        let left = without_operations(text);
        assert!(!left.contains("add_column") && left.contains("run(\"x\")"), "{left}");
    }
}

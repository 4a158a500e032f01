//! Tools whose settings list commands, in a tree of names and values: where each looks for its file by its manual, and at which places in it
//! commands stand. A tool is a row.

use What::{Commands, Files, Named, Program, Pushed, Words};
use portcullis_syntax::Span;

use super::{project, tree};
use crate::{
    effect::Certainty,
    hash::Sieve,
    programs::{
        found::{File, directory_of},
        host::Host,
        invocation::Invocation,
    },
    text::Text,
};

mod table;

use table::{Format, Row, TABLE, What};

/// The programs of the table, of which nearly every command's is none.
#[expect(
    clippy::indexing_slicing,
    reason = "runs when the program is built, where a wrong index is an error"
)]
static PROGRAMS: Sieve = {
    let mut sieve = Sieve::EMPTY;
    let mut row = 0;
    while row < TABLE.len() {
        sieve = sieve.with_all(TABLE[row].programs);
        row += 1;
    }
    sieve
};

/// Whether a tool of the table has this name.
pub(super) fn knows(program: &str) -> bool {
    TABLE.iter().any(|row| row.programs.contains(&program))
}

/// Whether a row says which words have a tool run what its settings list, and which do not.
pub(super) fn tells_words(program: &str) -> bool {
    let tells = |row: &&Row| row.tasks.is_some() || !row.verbs.is_empty();
    TABLE.iter().filter(tells).any(|row| row.programs.contains(&program))
}

/// Says what the settings of the tools of the table have them run.
pub(super) fn follow(walk: &mut dyn Host, invocation: &Invocation) {
    if !PROGRAMS.lets_through(&invocation.program) {
        return;
    }
    for row in TABLE {
        if row.programs.contains(&invocation.program.as_str()) {
            read(walk, invocation, row);
        }
    }
}

fn read(walk: &mut dyn Host, invocation: &Invocation, row: &Row) {
    let words = project::words(invocation);
    let tells = [
        "--help",
        "-h",
        "--version",
        "--list",
        "-l",
        "--dry",
        "--dry-run",
        "--dryrun",
        "--list-all-steps",
        "--print-steps",
        "--skip=before",
    ];
    if project::has(&words, &tells) {
        return;
    }
    let operands = project::operands(&words, row.options);
    if !row.verbs.is_empty() && !operands.iter().any(|word| row.verbs.contains(word)) {
        return;
    }
    let mut named: Vec<String> = Vec::new();
    for name in project::options(&words, row.options) {
        // `@FILE`, where the option takes the settings themselves as well.
        named.extend(walk.target(&Text::known(name.trim_start_matches('@'))).path);
    }
    if row.files.is_empty() && named.is_empty() {
        return;
    }
    // Some take their file as an operand.
    let ends = [".hcl", ".json", ".yml", ".yaml", ".toml", ".js", ".cjs"];
    for word in operands.iter().filter(|word| ends.iter().any(|end| word.ends_with(end))) {
        named.extend(walk.target(&Text::known(*word)).path);
    }
    let files: Vec<File> = if named.is_empty() {
        there(walk, row)
    } else {
        for path in &named {
            walk.look(path);
        }
        named.iter().filter_map(|path| walk.look(path).file()).collect()
    };
    for file in files {
        let root = directory_of(&file.path).to_owned();
        let part = operands.join(" ");
        walk.in_task(&file, &part, "settings", invocation.span, |walk| {
            let tree = if row.programs == ["dvc"] {
                let text = with_parameters(walk, &file, &root);
                project::whole(walk, tree::yaml(&text))
            } else {
                project::whole(walk, parsed(row.format, &file))
            };
            for document in &tree.documents {
                if row.is_contained {
                    walk.in_container(|walk| say(walk, row, document, &operands, &root));
                } else {
                    say(walk, row, document, &operands, &root);
                }
            }
        });
    }
}

/// A text of DVC with the values of its files of parameters: `${key}`, `${key.inner}` (dvc.org/doc, "Templating"). Places in it are near those of
/// the file.
fn with_parameters(walk: &mut dyn Host, file: &File, root: &str) -> String {
    /// How many values are put in.
    const VALUES: usize = 256;
    let mut names = vec!["params.yaml".to_owned()];
    let tree = tree::yaml(&file.text);
    let named = tree.root().and_then(|root| root.get("vars"));
    for one in named.iter().flat_map(|it| it.each()) {
        names.extend(one.text().map(|name| name.split(':').next().unwrap_or(name).to_owned()));
    }
    let mut text = file.text.to_string();
    let mut count = 0;
    for name in names {
        let Some(file) = walk.look(&project::joined(root, &name)).file() else { continue };
        let tree = tree::yaml(&file.text);
        let mut open: Vec<(String, &tree::Node)> =
            tree.root().map(|root| (String::new(), root)).into_iter().collect();
        while let Some((path, node)) = open.pop() {
            count += 1;
            if count > VALUES {
                walk.left_unread(Span::default());
                break;
            }
            if let Some(value) = node.text().filter(|_| !path.is_empty()) {
                // In a text in quotes a line stays one.
                text = text.replace(&format!("${{{path}}}"), &value.replace(['"', '\n'], " "));
            }
            for (key, inner) in node.entries() {
                let path = if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
                open.push((path, inner));
            }
        }
    }
    text
}

/// The files of a row that are there: the first of its names, or each that its pattern names.
fn there(walk: &mut dyn Host, row: &Row) -> Vec<File> {
    let plain: Vec<&str> = row.files.iter().filter(|name| !name.contains('*')).copied().collect();
    let mut files: Vec<File> = Vec::new();
    for end in row.files.iter().filter_map(|name| name.strip_prefix('*')) {
        let Some(root) = walk.directory().map(str::to_owned) else { break };
        let found = walk.in_project(|walk| {
            project::below(walk, &root, 1, Span::default(), &|name| name.ends_with(end))
        });
        for path in &found {
            walk.look(path);
        }
        files.extend(found.iter().filter_map(|path| walk.look(path).file()));
    }
    // A `package.json` may hold what a file of its own has not.
    let is_shared = plain.contains(&"package.json");
    match project::nearest(walk, &plain) {
        Some(file) if is_shared => {
            let root = directory_of(&file.path).to_owned();
            files.extend(project::all_in(walk, &root, &plain));
        }
        nearest => files.extend(nearest),
    }
    files
}

fn parsed(format: Format, file: &File) -> tree::Tree {
    let text = &*file.text;
    match format {
        _ if file.path.ends_with(".json") => tree::json(text),
        _ if file.path.ends_with(".yaml") || file.path.ends_with(".yml") => tree::yaml(text),
        Format::Yaml => tree::yaml(text),
        Format::Json => tree::json(text),
        Format::Toml => tree::toml(text),
        Format::Blocks => tree::blocks(text),
        Format::Sections => tree::sections(text),
        Format::Script => tree::object(text),
    }
}

fn say(walk: &mut dyn Host, row: &Row, document: &tree::Node, operands: &[&str], root: &str) {
    let Some((table, needs)) = row.tasks else {
        places(walk, row, document, root);
        return;
    };
    let tasks = if table.is_empty() { Some(document) } else { document.get(table) };
    let Some(tasks) = tasks else { return };
    let mut open: Vec<&str> = operands.to_vec();
    let is_asked = tasks.entries().any(|(name, _)| operands.contains(&name));
    if !is_asked {
        open = tasks.entries().map(|it| it.0).collect();
    }
    let mut seen: Vec<&str> = Vec::new();
    while let Some(name) = open.pop() {
        let Some((name, task)) = tasks.entries().find(|(known, _)| *known == name) else {
            continue;
        };
        if seen.contains(&name) {
            continue;
        }
        seen.push(name);
        places(walk, row, task, root);
        for need in task.get(needs).iter().flat_map(|it| it.each()) {
            open.extend(
                need.text().or_else(|| need.text_of("name")).or_else(|| need.text_of("task")),
            );
        }
    }
    if table.is_empty() && is_asked {
        // What every job runs.
        places(walk, row, document, root);
        if let Some(default) = document.get("default") {
            places(walk, row, default, root);
        }
    }
}

fn places(walk: &mut dyn Host, row: &Row, node: &tree::Node, root: &str) {
    for (place, what) in row.places {
        let mut found: Vec<&tree::Node> = Vec::new();
        let names: Vec<&str> = place.split('.').filter(|name| !name.is_empty()).collect();
        at(node, &names, &mut found);
        for node in found {
            walk.at_most(Certainty::Likely, |walk| one(walk, node, *what, root));
        }
    }
}

/// The values at a place.
fn at<'n>(node: &'n tree::Node, names: &[&str], found: &mut Vec<&'n tree::Node>) {
    let Some((first, rest)) = names.split_first() else {
        found.push(node);
        return;
    };
    match *first {
        "*" => {
            node.entries().for_each(|(_, inner)| at(inner, rest, found));
            node.items().iter().for_each(|inner| at(inner, rest, found));
        }
        "**" => node.visit(&mut |inner| {
            let is_deep = rest.is_empty() && inner.text().is_none();
            if !is_deep {
                at(inner, rest, found);
            }
        }),
        name => {
            // A name may stand several times: blocks of one kind.
            node.entries()
                .filter(|(key, _)| *key == name)
                .for_each(|(_, inner)| at(inner, rest, found));
        }
    }
}

fn one(walk: &mut dyn Host, node: &tree::Node, what: What, root: &str) {
    match what {
        Words if !node.items().is_empty() => {
            walk.run(&project::arguments(&node.words(), node.span), None);
        }
        Named => {
            let Some(text) = node.text().filter(|it| it.contains([' ', '/'])) else { return };
            let is_script = !text.contains(' ')
                && [".js", ".cjs", ".mjs", ".ts"].iter().any(|end| text.ends_with(end));
            if is_script {
                started(walk, &project::joined(root, text), node.span);
            } else if !text.starts_with('@') {
                // Beside the file, or where the tool is started.
                walk.shell(&Text::known(filled(text)), node.span, &[], None);
            }
        }
        Pushed => {
            if !node.path(&["local", "push"]).is_some_and(tree::Node::is_true) {
                return;
            }
            for artifact in node.get("artifacts").iter().flat_map(|it| it.each()) {
                let Some(image) = artifact.get("image") else { continue };
                let words = ["docker", "push", image.text().unwrap_or_default()];
                walk.run(&project::arguments(&words, image.span), None);
            }
        }
        Commands | Words => {
            for command in node.each() {
                // `{cmd: …}` where a command has settings of its own; a list in a list is a block of them.
                let inner = ["cmd", "command", "run"].iter().find_map(|key| command.get(key));
                for command in inner.unwrap_or(command).each() {
                    if let Some(text) = command.text() {
                        walk.shell(&Text::known(filled(text)), command.span, &[], None);
                    }
                }
            }
        }
        Files => {
            for script in node.each() {
                let text = script.text().unwrap_or_default();
                for name in text.split(['\n', ',']).map(str::trim) {
                    let name = ["pre:", "post:"]
                        .iter()
                        .find_map(|mark| name.strip_prefix(mark))
                        .unwrap_or(name);
                    let name = name.replace("<rootDir>/", "./");
                    if name.starts_with('.')
                        || name.contains('/') && !name.starts_with('@')
                        || [".sh", ".php", ".rb"].iter().any(|end| name.ends_with(end))
                    {
                        started(walk, &project::joined(root, &name), script.span);
                    }
                }
            }
        }
        Program(program, words) => {
            let Some(named) = node.get(program) else { return };
            let Some(text) = named.text() else { return };
            let mut line = vec![filled(text)];
            match node.get(words) {
                Some(given) if given.text().is_some() => {
                    let given = given.text().unwrap_or_default();
                    let code = format!("{} {}", super::quoted(text), filled(given));
                    walk.shell(&Text::known(code), named.span, &[], None);
                    return;
                }
                Some(given) => line.extend(given.words().iter().map(|word| filled(word))),
                None => {}
            }
            // A script of the project is one by its name.
            let is_script =
                [".js", ".mjs", ".cjs", ".ts", ".py", ".rb"].iter().any(|end| text.ends_with(end));
            if is_script {
                started(walk, &project::joined(root, text), named.span);
            } else {
                walk.run(&project::arguments(&line, named.span), None);
            }
        }
    }
}

/// A script of the project, by its name; modules may leave out how it ends.
fn started(walk: &mut dyn Host, path: &str, span: Span) {
    let path = crate::paths::normal(path);
    let language =
        match path.rsplit('/').next().and_then(|name| name.rsplit_once('.')).map(|it| it.1) {
            Some("py") => "python",
            Some("rb") => "ruby",
            Some("php") => "php",
            Some("sh" | "bash") => "shell",
            _ => "javascript",
        };
    if walk.look(&path).file().is_some() || language != "javascript" {
        walk.load(language, &path, span);
        return;
    }
    for end in [".js", ".ts", ".mjs", ".cjs", "/index.js", "/index.ts"] {
        walk.look(&format!("{path}{end}"));
    }
    for end in [".js", ".ts", ".mjs", ".cjs", "/index.js", "/index.ts"] {
        walk.load(language, &format!("{path}{end}"), span);
    }
}

/// `{{ .X }}`, `${{ … }}` and `%(x)s` are words that stand for what they compute.
fn filled(text: &str) -> String {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("{{") {
        filled.push_str(before.strip_suffix('$').unwrap_or(before));
        let Some((_, next)) = after.split_once("}}") else {
            filled.push_str("{{");
            rest = after;
            break;
        };
        filled.push_str("value");
        rest = next;
    }
    filled.push_str(rest);
    filled
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(node: &tree::Node, place: &str) -> Vec<String> {
        let mut found = Vec::new();
        let names: Vec<&str> = place.split('.').collect();
        at(node, &names, &mut found);
        found
            .iter()
            .map(|it| it.text().map_or_else(|| it.words().join("|"), str::to_owned))
            .collect()
    }

    #[test]
    fn places_are_found_in_trees() {
        let tree = tree::yaml("a:\n  b: [x, y]\nc:\n- d:\n    b: z\n");
        let root = tree.root().unwrap();
        assert_eq!(texts(root, "a.b"), ["x|y"]);
        assert_eq!(texts(root, "c.*.d.b"), ["z"]);
        assert_eq!(texts(root, "**.b"), ["x|y", "z"]);
        assert_eq!(texts(root, "a.**"), ["x", "y"]);
    }

    #[test]
    fn an_object_of_a_script_is_a_tree() {
        for text in [
            "module.exports = { apps: [{ script: 'a.js', args: \"-x\" }] };\n",
            "import x from 'y';\n/** @type {z} */\nexport default defineConfig({\n  apps: [{ script: 'a.js', n: f(1, 2), }],\n});\n",
        ] {
            let tree = tree::object(text);
            assert_eq!(texts(tree.root().unwrap(), "apps.*.script"), ["a.js"], "{text}");
        }
        assert!(
            tree::object("console.log(1)\n").root().is_none_or(|root| root.entries().count() == 0)
        );
    }

    #[test]
    fn what_is_computed_is_a_word() {
        assert_eq!(filled("a {{ .X }} ${{ y }} {{"), "a value value {{");
    }
}

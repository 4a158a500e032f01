//! Tools that evaluate files of code whole, whatever they are asked for: where each looks for them by its manual, in which language they are, and
//! which calls of its own library start programs. A tool is a row.

use portcullis_syntax::Span;

use super::{imports, project, spawned, tree};
use crate::{
    bound::Bounded,
    effect::{Argument, Certainty},
    hash::Sieve,
    programs::{
        found::{File, Found, directory_of},
        host::{Host, Unread},
        invocation::Invocation,
    },
    text::Text,
};

mod table;

use table::{Row, TABLE};

/// How many files of one folder are read.
const FILES: usize = 24;

/// How deep folders of sources are listed.
const LISTED: usize = 4;

/// Words with which no tool evaluates anything.
const TELLS: &[&str] = &["--help", "-h", "--version"];

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

/// Says what the tools of the table evaluate.
pub(super) fn follow(walk: &mut dyn Host, invocation: &Invocation) {
    if !PROGRAMS.lets_through(&invocation.program) {
        return;
    }
    for row in TABLE {
        if row.programs.contains(&invocation.program.as_str()) {
            evaluated(walk, invocation, row);
        }
    }
}

fn evaluated(walk: &mut dyn Host, invocation: &Invocation, row: &Row) {
    let words = project::words(invocation);
    if project::has(&words, TELLS) || project::has(&words, row.tells) {
        return;
    }
    let operands = project::operands(&words, row.options);
    // `:app:check` is a task of one project.
    let verb = |word: &&str| match invocation.program.as_str() {
        "gradle" | "gradlew" => word.rsplit(':').next().is_some_and(|it| row.verbs.contains(&it)),
        _ => row.verbs.contains(word),
    };
    if !row.verbs.is_empty() && !operands.iter().any(verb) {
        return;
    }
    if !row.says.is_empty() && !words.iter().any(|word| row.says.iter().any(|it| word.contains(it)))
    {
        return;
    }
    let mut paths: Vec<String> = Vec::new();
    for name in project::options(&words, row.options) {
        paths.extend(walk.target(&Text::known(name)).path);
    }
    let is_named = !paths.is_empty();
    for word in &operands {
        if row.operands.iter().any(|end| word.ends_with(end)) {
            let name = word.split(':').next().unwrap_or(word);
            paths.extend(walk.target(&Text::known(name)).path);
        }
    }
    // A program whose every operand is a script reads one from its input as well.
    if row.operands.contains(&"")
        && let Some(input) = &invocation.input
    {
        paths.extend(walk.copied_file(input));
    }
    // Files that stand on the command line take the place of tests that would be searched, not of the settings.
    let is_given = paths.len() > usize::from(is_named);
    if !is_named && !project::has(&words, row.without) {
        paths.extend(walk.in_project(|walk| found(walk, invocation, row, is_given)));
    }
    for path in &paths {
        walk.look(path);
    }
    if row.language == "tex" {
        documents(walk, &words, &paths, invocation.span);
        return;
    }
    if row.language == "template" {
        templates(walk, &paths, invocation.span);
        return;
    }
    named_in(walk, row, &mut paths);
    let roots = roots(walk, row.language, &words);
    for path in &paths {
        let Some(file) = walk.look(path).file() else {
            let named = Text::known(path.as_str());
            if walk.wrote(&named) && !row.language.is_empty() {
                // Its text is not known, but where it came from.
                let file = Argument { text: named, span: invocation.span };
                walk.script(row.language, &file, &[], None);
            }
            continue;
        };
        if path.ends_with(".ipynb") {
            notebook(walk, &file, invocation.span);
            continue;
        }
        match row.language {
            "" => {}
            "erb" => embedded(walk, &file, invocation.span),
            "tags" => tagged(walk, &file, invocation.span),
            // What stands beside a module is found as well.
            "python" => {
                let mut roots = roots.clone();
                roots.push(directory_of(path).to_owned());
                walk.load_from(&roots, row.language, path, invocation.span);
            }
            language => {
                walk.load_from(&roots, language, path, invocation.span);
            }
        }
        called(walk, &file, row, invocation.span);
        if row.language == "elisp" {
            noted(walk, &file, invocation.span);
        }
        if row.language == "scala" {
            piped(walk, &file, invocation.span);
        }
        let asked = if row.tasks.is_empty() { &[][..] } else { &operands };
        spawned::follow(walk, &file, row.language, row.calls, (row.tasks, asked), invocation.span);
    }
}

/// Files that the files name to be read like them.
fn named_in(walk: &mut dyn Host, row: &Row, paths: &mut Vec<String>) {
    if row.loads.is_empty() {
        return;
    }
    let calls: Vec<spawned::Call> =
        row.loads.iter().map(|call| (*call, spawned::Given::Command)).collect();
    let plain = row.files.iter().find(|name| !name.contains('*')).copied().unwrap_or_default();
    let mut at = 0;
    while let Some(path) = paths.get(at).cloned() {
        at += 1;
        let Some(file) = walk.look(&path).file() else { continue };
        let here = directory_of(&path).to_owned();
        for start in spawned::found(&file.text, &calls) {
            for name in
                start.words.iter().filter(|name| !name.contains("://") && !name.contains('*'))
            {
                let named = crate::paths::normal(&format!("{here}/{name}"));
                for path in [format!("{named}/{plain}"), named] {
                    if paths.contains(&path) || walk.look(&path).file().is_none() {
                        continue;
                    }
                    if paths.len() >= FILES {
                        walk.left_unread(Span::default());
                        return;
                    }
                    paths.push(path);
                }
            }
        }
    }
}

/// What documents run where they may: `\write18{command}`, `\input{|"command"}` of a document and of those that it takes in.
fn documents(walk: &mut dyn Host, words: &[String], paths: &[String], span: Span) {
    const ALLOWS: &[&str] = &["-shell-escape", "-enable-write18", "shell-escape"];
    let allows = |text: &str| {
        ALLOWS.iter().any(|option| text.contains(option)) && !text.contains("-no-shell-escape")
    };
    let settings = paths.iter().filter(|path| path.ends_with("latexmkrc"));
    let files: Vec<File> = settings.filter_map(|path| walk.look(path).file()).collect();
    let is_allowed = words.iter().any(|word| allows(word))
        || files.iter().any(|file| {
            file.text.lines().any(|line| !line.trim_start().starts_with('#') && allows(line))
        });
    if !is_allowed {
        return;
    }
    let mut open: Vec<String> =
        paths.iter().filter(|path| !path.ends_with("latexmkrc")).cloned().collect();
    if open.is_empty()
        && let Some(root) = walk.directory().map(str::to_owned)
        && let Found::Directory(names) = walk.look(&root)
    {
        let documents = names.iter().filter(|name| name.ends_with(".tex"));
        open.extend(
            documents.at_most(FILES, &mut Unread(walk), span).map(|name| format!("{root}/{name}")),
        );
    }
    let mut at = 0;
    while let Some(path) = open.get(at).cloned() {
        at += 1;
        if at > FILES {
            walk.left_unread(span);
            break;
        }
        let Some(file) = walk.look(&path).file() else { continue };
        let here = open.first().map_or("", |first| directory_of(first)).to_owned();
        for mark in ["\\input{", "\\include{", "\\subfile{", "\\input "] {
            for (begin, _) in file.text.match_indices(mark) {
                let rest = file.text.get(begin + mark.len()..).unwrap_or_default();
                let name = rest.split(['}', '\n', ' ', '\\']).next().unwrap_or_default();
                let path = crate::paths::normal(&format!("{here}/{name}"));
                for path in [format!("{path}.tex"), path] {
                    if !name.is_empty() && !name.contains('|') && !open.contains(&path) {
                        open.push(path);
                    }
                }
            }
        }
        walk.in_file(&file, "tex", span, |walk| {
            for (mark, close) in
                [("\\write18", '}'), ("\\ShellEscape", '}'), ("\\input{|", '}'), ("\\input|", '\n')]
            {
                for (begin, _) in file.text.match_indices(mark) {
                    let line = file
                        .text
                        .get(..begin)
                        .and_then(|it| it.rsplit('\n').next())
                        .unwrap_or_default();
                    let from = begin + mark.len();
                    let rest = file.text.get(from..).unwrap_or_default();
                    let inner = rest.trim_start().strip_prefix('{').unwrap_or(rest);
                    let mut depth = 0_usize;
                    let end = inner.char_indices().find(|(_, letter)| {
                        let ends = *letter == close && depth == 0;
                        depth = if *letter == '{' {
                            depth + 1
                        } else if *letter == '}' {
                            depth.saturating_sub(1)
                        } else {
                            depth
                        };
                        ends
                    });
                    let code = inner.get(..end.map_or(inner.len(), |it| it.0)).unwrap_or_default();
                    let code = code
                        .trim_matches(['"', ' '])
                        .replace("\\string", "")
                        .replace("\\space", " ");
                    if !line.contains('%') && !code.is_empty() {
                        let place = Span::new(begin, from + code.len().min(rest.len()));
                        walk.at_most(Certainty::Likely, |walk| {
                            walk.shell(&Text::known(code), place, &[], None)
                        });
                    }
                }
            }
        });
    }
}

/// Hooks of a template of a project: scripts in its folder `hooks`, by their names.
fn templates(walk: &mut dyn Host, paths: &[String], span: Span) {
    for path in paths {
        let folder = format!("{path}/hooks");
        let Found::Directory(names) = walk.look(&folder) else { continue };
        let is_hook = |name: &&String| {
            ["pre_prompt", "pre_gen_project", "post_gen_project"]
                .iter()
                .any(|hook| name.starts_with(hook))
        };
        let hooks: Vec<String> = names
            .iter()
            .filter(is_hook)
            .at_most(FILES, &mut Unread(walk), span)
            .map(|name| format!("{folder}/{name}"))
            .collect();
        for hook in &hooks {
            walk.look(hook);
        }
        for hook in hooks {
            let language = if hook.ends_with(".py") { "python" } else { "shell" };
            walk.load(language, &hook, span);
        }
    }
}

/// Blocks of notes that are evaluated as they are exported, where nobody is asked first (orgmode.org, "Evaluating Code Blocks"): those of the folder and below.
fn noted(walk: &mut dyn Host, file: &File, span: Span) {
    let asks_nobody = file.text.lines().any(|line| {
        line.contains("org-confirm-babel-evaluate")
            && line.contains("nil")
            && !line.trim_start().starts_with(';')
    });
    if !asks_nobody {
        return;
    }
    let root = directory_of(&file.path).to_owned();
    let notes = walk.in_project(|walk| {
        let found = project::below(walk, &root, LISTED, span, &|name| name.ends_with(".org"));
        found.iter().at_most(FILES, &mut Unread(walk), span).cloned().collect::<Vec<_>>()
    });
    for path in &notes {
        walk.look(path);
    }
    for note in notes.iter().filter_map(|path| walk.look(path).file()).collect::<Vec<_>>() {
        walk.in_file(&note, "org", span, |walk| {
            let mut open: Option<(&'static str, usize)> = None;
            let mut at = 0;
            for line in note.text.split_inclusive('\n') {
                let start = at;
                at += line.len();
                let lower = line.trim().to_ascii_lowercase();
                if let Some(rest) = lower.strip_prefix("#+begin_src") {
                    let name = rest.split_whitespace().next().unwrap_or_default();
                    let language = match name {
                        "sh" | "bash" | "shell" | "zsh" => Some("shell"),
                        name => crate::language::language(name).map(|it| it.name),
                    };
                    let is_off = rest.contains(":eval no") || rest.contains(":eval never");
                    open = language.filter(|_| !is_off).map(|language| (language, at));
                } else if lower.starts_with("#+end_src")
                    && let Some((language, from)) = open.take()
                {
                    let code = note.text.get(from..start).unwrap_or_default();
                    walk.at_most(Certainty::Likely, |walk| {
                        walk.code(language, &Text::known(code), Span::new(from, start), &[])
                    });
                }
            }
        });
    }
}

/// `<% code %>`, `<%= code %>` of a file that is a template of Ruby.
fn embedded(walk: &mut dyn Host, file: &File, span: Span) {
    walk.in_file(file, "erb", span, |walk| {
        let mut at = 0;
        let mut code = String::new();
        let mut place = Span::default();
        while let Some(begin) = file.text.get(at..).and_then(|rest| rest.find("<%")) {
            let from = at + begin + 2;
            let rest = file.text.get(from..).unwrap_or_default();
            let end = rest.find("%>").unwrap_or(rest.len());
            at = from + end;
            let inner = rest.get(..end).unwrap_or_default();
            if !inner.starts_with(['#', '%']) {
                code.push_str(inner.trim_start_matches(['=', '-']).trim_end_matches('-'));
                code.push('\n');
                place = place.to(Span::new(from, from + end));
            }
        }
        if !code.is_empty() {
            walk.at_most(Certainty::Likely, |walk| {
                walk.code("ruby", &Text::known(code), place, &[])
            });
        }
    });
}

/// A value as code of Python writes it: texts, and lists of them.
fn literal(node: &tree::Node) -> String {
    match node.text() {
        Some(text) => format!("{text:?}"),
        None => {
            let parts: Vec<String> = node.items().iter().map(literal).collect();
            format!("[{}]", parts.join(", "))
        }
    }
}

/// `!!python/object/apply:os.system ["x"]`: what a loader that is not safe calls (pyyaml.org, "YAML tags and Python types").
pub(super) fn tagged(walk: &mut dyn Host, file: &File, span: Span) {
    let mut calls: Vec<(String, Span)> = Vec::new();
    for mark in
        ["!!python/object/apply:", "!!python/object/new:", "tag:yaml.org,2002:python/object/apply:"]
    {
        for (at, _) in file.text.match_indices(mark) {
            let before = file.text.get(..at).unwrap_or_default();
            let line = before.rsplit('\n').next().unwrap_or_default();
            let rest = file.text.get(at + mark.len()..).unwrap_or_default();
            let end = rest.find(|it: char| it.is_whitespace() || it == '>').unwrap_or(rest.len());
            let name = rest.get(..end).unwrap_or_default();
            let behind = rest.get(end..).unwrap_or_default().trim_start_matches(['>', ' ']);
            let indent = line.len() - line.trim_start().len();
            let mut given = String::new();
            for (number, line) in behind.lines().enumerate() {
                let inner = line.len() - line.trim_start().len();
                let goes_on = number == 0
                    || inner > indent
                    || line.trim_start().starts_with("- ") && inner >= indent;
                if !goes_on || given.len() > 4096 {
                    break;
                }
                given.push_str(line);
                given.push('\n');
            }
            let tree = tree::yaml(&given);
            let words = tree.root().map(|root| match root.get("args") {
                Some(args) => args.words(),
                None if root.text().is_some() => {
                    root.text().map(str::to_owned).into_iter().collect()
                }
                None => root.words(),
            });
            let module = name.rsplit_once('.').map_or("", |it| it.0);
            let given: Vec<String> = match tree.root().filter(|root| root.get("args").is_none()) {
                Some(root) if !root.items().is_empty() => {
                    root.items().iter().map(literal).collect()
                }
                _ => words.unwrap_or_default().iter().map(|word| format!("{word:?}")).collect(),
            };
            if !line.trim_start().starts_with('#') && !module.is_empty() {
                let code = format!("import {module}\n{name}({})\n", given.join(", "));
                calls.push((code, Span::new(at, at + mark.len() + end)));
            }
        }
    }
    walk.in_file(file, "yaml", span, |walk| {
        for (code, place) in calls.into_iter().at_most(FILES, walk, span) {
            walk.at_most(Certainty::Likely, |walk| {
                walk.code("python", &Text::known(code), place, &[])
            });
        }
    });
}

/// `"a" #| "b"`, `"a" #&& "b"`: commands that are joined (scala-lang.org, "scala.sys.process").
fn piped(walk: &mut dyn Host, file: &File, span: Span) {
    /// How many of them are followed.
    const JOINED: usize = 32;
    let mut found: Vec<(String, Span)> = Vec::new();
    for (mark, joint) in [("#|", "|"), ("#&&", "&&"), ("###", ";")] {
        for (at, _) in file.text.match_indices(mark) {
            let before = file.text.get(..at).unwrap_or_default().trim_end();
            let after = file.text.get(at + mark.len()..).unwrap_or_default().trim_start();
            let left = before.strip_suffix('"').and_then(|it| it.rsplit_once('"'));
            let right = after.strip_prefix('"').and_then(|it| it.split_once('"'));
            if let (Some((_, left)), Some((right, _))) = (left, right) {
                found.push((format!("{left} {joint} {right}"), Span::new(at, at + mark.len())));
            }
        }
    }
    walk.in_file(file, "scala", span, |walk| {
        for (code, place) in found.iter().at_most(JOINED, walk, span) {
            walk.at_most(Certainty::Likely, |walk| {
                walk.shell(&Text::known(code.as_str()), *place, &[], None)
            });
        }
    });
}

/// Where what the files load is looked for: in the directory, in those that tools of the language put in front of others, and behind `-I`.
fn roots(walk: &mut dyn Host, language: &str, words: &[String]) -> Vec<String> {
    let Some(here) = walk.directory().map(str::to_owned) else { return Vec::new() };
    let usual: &[&str] = match language {
        "lua" => &["src", "lua", "spec"],
        "perl" => &["lib", "t/lib"],
        "ruby" => &["lib", "spec", "test"],
        _ => &[],
    };
    let mut roots = vec![here.clone()];
    roots.extend(usual.iter().map(|name| format!("{here}/{name}")));
    if matches!(language, "perl" | "ruby") {
        let named = words.iter().filter_map(|word| word.strip_prefix("-I"));
        let named = named.filter(|name| !name.is_empty()).map(|name| project::joined(&here, name));
        roots.extend(named);
        let apart = project::options(words, &["-I"]);
        roots.extend(apart.into_iter().map(|name| project::joined(&here, name)));
    }
    roots
}

/// Functions of a script of the shell that the tool calls; `@test "…" {` of bats is one without a name.
fn called(walk: &mut dyn Host, file: &File, row: &Row, span: Span) {
    let is_defined = |name: &&&str| {
        file.text.lines().any(|line| {
            let line = line.trim_start().trim_start_matches("function ");
            line.strip_prefix(**name).is_some_and(|rest| rest.trim_start().starts_with(['(', '{']))
        })
    };
    let mut code = String::new();
    let mut is_changed = false;
    let folder = directory_of(&file.path).to_owned();
    if file.path.ends_with(".bats") {
        code = format!("BATS_TEST_DIRNAME={}\n", super::quoted(&folder));
    }
    for line in file.text.split_inclusive('\n') {
        let bare = line.trim_start();
        let is_test = bare.starts_with("@test") && line.trim_end().ends_with('{');
        is_changed |= is_test;
        // bats-core.readthedocs.io, "load: Share common code", "run: Test other commands".
        let loaded = bare.strip_prefix("load ").map(|it| it.trim().trim_matches(['"', '\'']));
        let run = bare.strip_prefix("run ").map(|it| {
            it.trim_start_matches(|letter: char| "-!".contains(letter) || letter.is_ascii_digit())
        });
        if is_test {
            // What is set up before a test holds in it: programs that stand in for others among that.
            code.push_str("{\n");
            for name in ["setup_suite", "setup_file", "setup"] {
                if row.functions.contains(&name) && is_defined(&&name) {
                    code.push_str(name);
                    code.push('\n');
                }
            }
        } else if let Some(name) = loaded.filter(|_| !row.functions.is_empty()) {
            let end = if name.rsplit('/').next().is_some_and(|it| it.contains('.')) {
                ""
            } else {
                ".bash"
            };
            let path = match name.starts_with(['/', '$']) {
                true => format!("{name}{end}"),
                false => project::joined(&folder, &format!("{name}{end}")),
            };
            code.push_str(&format!(". \"{path}\"\n"));
        } else if let Some(command) = run.filter(|_| !row.functions.is_empty()) {
            code.push_str(command);
        } else {
            code.push_str(line);
        }
    }
    for name in row.functions.iter().filter(is_defined) {
        is_changed = true;
        code.push('\n');
        code.push_str(name);
    }
    if is_changed && !row.functions.is_empty() {
        walk.in_file(file, "shell", span, |walk| {
            let whole = Span::new(0, file.text.len());
            walk.at_most(Certainty::Likely, |walk| {
                walk.shell(&Text::known(code), whole, &[], None)
            });
        });
    }
}

/// The cells of a notebook (nbformat.readthedocs.io), one after the other.
fn notebook(walk: &mut dyn Host, file: &File, span: Span) {
    walk.in_file(file, "notebook", span, |walk| {
        let tree = project::whole(walk, tree::json(&file.text));
        let Some(node) = tree.root() else { return };
        let language = node.path(&["metadata", "language_info", "name"]).and_then(tree::Node::text);
        let language = language.and_then(crate::language::language).map_or("python", |it| it.name);
        for cell in node.get("cells").map(tree::Node::items).unwrap_or_default() {
            if cell.text_of("cell_type") != Some("code") {
                continue;
            }
            let Some(source) = cell.get("source") else { continue };
            let code: String = source.each().iter().filter_map(tree::Node::text).collect();
            imports::follow(walk, language, directory_of(&file.path), &code);
            walk.code(language, &Text::known(code), source.span, &[]);
        }
    });
}

/// The files of a row that are in the directory, or in the nearest above that has one.
fn found(walk: &mut dyn Host, invocation: &Invocation, row: &Row, is_given: bool) -> Vec<String> {
    let places = project::levels(walk);
    let plain = |name: &&&str| !name.contains('*');
    for place in &places {
        for name in row.files.iter().filter(plain) {
            walk.look(&project::joined(place, name));
        }
    }
    let nearest = places.iter().find_map(|place| {
        let files = row.files.iter().filter(plain).map(|name| project::joined(place, name));
        let there: Vec<String> = files.filter(|path| walk.look(path).file().is_some()).collect();
        (!there.is_empty()).then(|| (place.clone(), there))
    });
    let here = walk.directory().map(str::to_owned);
    let (root, mut paths) = match (nearest, here) {
        (Some(nearest), _) => nearest,
        (None, Some(here)) => (here, Vec::new()),
        (None, None) => return Vec::new(),
    };
    for pattern in row.files.iter().filter(|name| name.contains('*') && !is_given) {
        let matched = matching(walk, &root, pattern, invocation);
        paths.extend(matched.iter().at_most(FILES, &mut Unread(walk), invocation.span).cloned());
    }
    paths
}

/// The files that a pattern of a row names.
fn matching(
    walk: &mut dyn Host,
    root: &str,
    pattern: &str,
    invocation: &Invocation,
) -> Vec<String> {
    // `*/x`: in each folder.
    if let Some(rest) = pattern.strip_prefix("*/") {
        let Found::Directory(names) = walk.look(root) else { return Vec::new() };
        let folders: Vec<String> = names
            .iter()
            .filter_map(|name| name.strip_suffix('/'))
            .filter(|name| !name.starts_with(['.', '_']))
            .at_most(FILES, &mut Unread(walk), invocation.span)
            .map(|name| project::joined(root, name))
            .collect();
        return folders
            .iter()
            .flat_map(|folder| match rest.contains('*') {
                true => matching(walk, folder, rest, invocation),
                false => {
                    let path = project::joined(folder, rest);
                    walk.look(&path);
                    vec![path]
                }
            })
            .collect();
    }
    if let Some((folder, end)) = pattern.split_once("/**") {
        let folder = project::joined(root, folder);
        return project::below(walk, &folder, LISTED, invocation.span, &|name| name.ends_with(end));
    }
    let (folder, end) = match pattern.split_once("/*") {
        Some((folder, end)) => (project::joined(root, folder), end),
        None => (root.to_owned(), pattern.trim_start_matches('*')),
    };
    let Found::Directory(names) = walk.look(&folder) else { return Vec::new() };
    names
        .iter()
        .filter(|name| name.ends_with(end))
        .map(|name| project::joined(&folder, name))
        .collect()
}

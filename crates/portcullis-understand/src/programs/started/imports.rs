//! What code loads of its own project: modules of Python, JavaScript, Ruby, Perl, PHP and Lua that stand beside it. Owns how the languages
//! write that and under which names they look; packages that were installed are not followed.

mod called;
mod node;

pub(super) use called::{logged, paths};

use std::collections::BTreeSet;

use portcullis_syntax::Span;

use super::{loaded, mocked, outline};
use crate::{
    bound::Bounded,
    programs::{
        found::File,
        host::Host,
        importing::{Aside, Importing},
    },
};

/// How many modules stand between what is run and the last that is read.
const DEPTH: usize = 6;

/// How many loads of one file are followed.
const LOADS: usize = 128;

/// One statement that loads something.
#[derive(Clone, Debug, Eq, PartialEq)]
struct Load {
    /// Under which paths it may stand, from the directory of whoever loads it on where they begin with a dot, else from the roots.
    names: Vec<String>,
    /// Whether the directory is that of whoever loads it.
    beside: bool,
    span: Span,
}

/// What a module that loads others says of them.
fn importing(language: &str, text: &str) -> Importing {
    if language != "python" {
        return Importing { asides: mocked::found(language, text), ..Importing::default() };
    }
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let words: BTreeSet<String> =
        text.split(|letter| !is_word(letter)).map(str::to_owned).collect();
    let is_open = text.contains("import *")
        || outline::FINDS.iter().any(|word| words.contains(*word))
        || words.contains("import_module");
    Importing { words, is_open, asides: mocked::found(language, text) }
}

/// A module as those have it that load it: without what it does as a program, without functions that none of them names, and with what tests put in the
/// place of what it calls. Nothing where that is all of it.
fn as_loaded(walk: &mut dyn Host, language: &str, file: &File) -> Option<String> {
    let importing = &*walk.importing();
    let asides: Vec<Aside> = importing.iter().flat_map(|it| it.asides.iter().cloned()).collect();
    let mut kept: Option<String> = None;
    if language == "python" {
        kept = outline::imported(&file.text);
        let text = kept.as_deref().unwrap_or(&file.text);
        let is_open = importing.iter().any(|it| it.is_open);
        let is_called = |function: &outline::Function<'_>| {
            function.indent > 0
                || !function.decorators.is_empty()
                || importing.iter().any(|it| it.words.contains(function.name))
        };
        if !is_open && let Some(left) = outline::without_uncalled(text, &is_called) {
            kept = Some(left);
        }
    }
    let text = kept.as_deref().unwrap_or(&file.text);
    mocked::without(language, &file.path, text, &asides).or(kept)
}

/// Reads the modules that code loads. `directory` is where the code stands.
pub(crate) fn follow(walk: &mut dyn Host, language: &'static str, directory: &str, text: &str) {
    let find: fn(&str, &mut Vec<Load>) = match language {
        "python" => python,
        "javascript" => javascript,
        "ruby" => ruby,
        "perl" => perl,
        "php" => php,
        "elisp" | "lisp" => lisp,
        "lua" => lua,
        "rust" => rust,
        "julia" => julia,
        "r" => named_in_quotes,
        "nim" => nim,
        "haskell" | "ocaml" | "swift" | "zig" | "kotlin" | "scala" | "groovy" | "elixir"
        | "clojure" | "dart" | "d" | "fsharp" | "csharp" | "erlang" | "java" => named_in_quotes,
        _ => return,
    };
    let mut loads = Vec::new();
    find(text, &mut loads);
    match language {
        "javascript" => node::follow(walk, directory, text, &mut loads),
        "python" => {
            called::follow(walk, directory, text, &mut loads);
            loaded::follow(walk, directory, text);
        }
        _ => {}
    }
    if loads.is_empty() {
        return;
    }
    let is_read = walk.enter_imports(directory, DEPTH);
    let end = Span::new(text.len(), text.len());
    if loads.len() > LOADS {
        walk.left_unread(end);
    }
    let loads: Vec<Load> = loads.into_iter().at_most(LOADS, walk, end).collect();
    let mut roots = walk.import_roots();
    if language == "python" {
        roots.extend(called::put_on_path(directory, text));
    }
    let candidates = |load: &Load| -> Vec<String> {
        let mut paths = Vec::new();
        for name in &load.names {
            if name.starts_with('/') {
                paths.push(name.clone());
                continue;
            }
            let beside = [directory.to_owned()];
            let from: &[String] = if load.beside { &beside } else { &roots };
            paths.extend(from.iter().filter_map(|root| joined(root, name)));
        }
        paths
    };
    // All are asked for in one round.
    let all: Vec<(Vec<String>, Span)> =
        loads.iter().map(|load| (candidates(load), load.span)).collect();
    for path in all.iter().flat_map(|(paths, _)| paths) {
        walk.look(path);
    }
    if !is_read {
        // Only a module that is there and was read by no other way is left out.
        let left = all.iter().find(|(paths, _)| paths.iter().any(|path| walk.leaves_out(path)));
        if let Some((_, span)) = left {
            walk.left_unread(*span);
        }
        return;
    }
    // What is run by a module's name has the name of the program.
    let is_imported = match language {
        "python" => !["run_path", "run_module"].iter().any(|it| text.contains(it)),
        language => language == "javascript",
    };
    walk.importing().push(importing(language, text));
    for (paths, span) in all {
        for path in paths {
            if is_imported
                && let Some(file) = walk.look(&path).file()
                && let Some(text) = as_loaded(walk, language, &file)
            {
                walk.load_module(language, &file, &text, span);
                if language == "javascript" {
                    break;
                }
                continue;
            }
            let language = language_by_name(language, &path);
            // A package and the module in it are both read.
            let found = walk.load(language, &path, span);
            if found && language != "python" {
                break;
            }
        }
    }
    walk.importing().pop();
    walk.leave_imports();
}

/// The language of a file that code names, where that is another one than its own.
fn language_by_name(language: &'static str, path: &str) -> &'static str {
    if matches!(language, "python" | "javascript" | "ruby" | "perl" | "php" | "lua" | "rust") {
        return language;
    }
    match path.rsplit_once('.').map(|it| it.1) {
        Some("sh" | "bash") => "shell",
        Some("py") => "python",
        Some("rb") => "ruby",
        Some("js" | "mjs" | "cjs") => "javascript",
        Some("pl") => "perl",
        _ => language,
    }
}

/// How files of code end that code in other languages names by their paths.
const CODE: &[&str] = &[
    ".R", ".clj", ".cljc", ".cs", ".d", ".dart", ".erl", ".ex", ".exs", ".fs", ".fsx", ".groovy",
    ".gradle", ".hrl", ".hs", ".jl", ".js", ".kt", ".kts", ".lisp", ".ml", ".nim", ".pl", ".py",
    ".r", ".rb", ".rkt", ".sc", ".scala", ".scm", ".sh", ".swift", ".zig",
];

/// Files of code that a text in quotes names, whatever loads or starts them: `@file:Import("x.main.kts")`, `@import("x.zig")`, `#load "x.fsx"`,
/// `source("x.R")`, `Code.require_file("x.exs")`. Where the name has folders in it, it may begin at the top of the project.
fn named_in_quotes(text: &str, loads: &mut Vec<Load>) {
    for (start, line) in lines(text) {
        let statement = line.trim_start();
        let is_comment = ["//", "--", ";", "%", "*"].iter().any(|mark| statement.starts_with(mark))
            || statement.starts_with("# ");
        // scala-cli.virtuslab.org, "Using directives"; jbang.dev.
        let directive = ["//> using file ", "//> using files ", "//SOURCES "]
            .iter()
            .find_map(|mark| statement.strip_prefix(mark));
        let span = Span::new(start, start + line.len());
        if let Some(named) = directive {
            for name in named.split_whitespace() {
                loads.push(Load {
                    names: vec![name.trim_matches('"').to_owned()],
                    beside: true,
                    span,
                });
            }
            continue;
        }
        if is_comment {
            continue;
        }
        for name in line.split('"').skip(1).step_by(2) {
            let is_file = CODE.iter().any(|end| name.ends_with(end)) && is_name(name);
            if !is_file || name.starts_with('.') && name.matches('.').count() == 1 {
                continue;
            }
            loads.push(Load { names: vec![name.to_owned()], beside: true, span });
            loads.push(Load { names: vec![name.to_owned()], beside: false, span });
        }
        // `file.path("..", "R", "x.R")`, `joinpath(@__DIR__, "..", "x.jl")`.
        if line.contains("path(") && line.matches('"').count() > 2 {
            let parts: Vec<&str> = line.split('"').skip(1).step_by(2).collect();
            if parts.last().is_some_and(|last| CODE.iter().any(|end| last.ends_with(end)))
                && parts.iter().all(|part| is_name(part))
            {
                loads.push(Load { names: vec![parts.join("/")], beside: true, span });
            }
        }
    }
}

/// `import a/b, std/os`, `include x`, `from a import b` (nim-lang.org/docs/manual.html, "Modules").
fn nim(text: &str, loads: &mut Vec<Load>) {
    named_in_quotes(text, loads);
    for (start, line) in lines(text) {
        let statement = line.trim_start();
        let Some((word, rest)) = statement.split_once(' ') else { continue };
        if !matches!(word, "import" | "include" | "from" | "export") {
            continue;
        }
        let rest = if word == "from" { rest.split(" import").next().unwrap_or(rest) } else { rest };
        let span = Span::new(start, start + line.len());
        for name in rest.split(',').map(str::trim) {
            let name = name.split(" as ").next().unwrap_or(name).trim().trim_matches('"');
            if is_name(name) && !name.starts_with("std/") {
                let names = ["", "../src/", "src/"].map(|place| format!("{place}{name}.nim"));
                loads.push(Load { names: names.to_vec(), beside: true, span });
                loads.push(Load { names: vec![format!("src/{name}.nim")], beside: false, span });
            }
        }
    }
}

/// A path below a directory, without dots.
fn joined(directory: &str, name: &str) -> Option<String> {
    let mut parts: Vec<&str> = directory.split('/').filter(|part| !part.is_empty()).collect();
    for part in name.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(format!("/{}", parts.join("/")))
}

/// The lines of a text with where they start.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut start = 0;
    text.split_inclusive('\n').map(move |line| {
        let at = start;
        start += line.len();
        (at, line.trim_end())
    })
}

fn is_name(name: &str) -> bool {
    !name.is_empty()
        && name
            .chars()
            .all(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '.' | '-' | '/'))
}

/// `import a.b, c`, `from a.b import c`, `from . import c` (the language's reference, 7.11).
fn python(text: &str, loads: &mut Vec<Load>) {
    for (start, line) in lines(text) {
        let statement = line.trim_start();
        let indent = line.len() - statement.len();
        let span = Span::new(start + indent, start + line.len());
        for statement in statement.split(';').map(str::trim_start) {
            if let Some(modules) = statement.strip_prefix("import ") {
                for module in modules.split(',') {
                    let module = module.split_whitespace().next().unwrap_or_default();
                    push_python(loads, module, &[], span);
                }
            } else if let Some((module, names)) =
                statement.strip_prefix("from ").and_then(|rest| rest.split_once(" import"))
            {
                let names: Vec<&str> = names
                    .split(['(', ')', ','])
                    .filter_map(|name| name.split_whitespace().next())
                    .filter(|name| is_name(name))
                    .collect();
                push_python(loads, module.trim(), &names, span);
            } else if let Some((_, rest)) = statement
                .split_once("import_module(")
                .or_else(|| statement.split_once("__import__("))
                .or_else(|| statement.split_once("run_module("))
                // Settings by the name of their module: flask, celery.
                .or_else(|| statement.split_once("from_object("))
                && let Some(module) = joined_quotes(rest)
            {
                push_python(loads, &module, &[], span);
            }
        }
    }
}

/// One module, and the names in it that may be modules themselves.
fn push_python(loads: &mut Vec<Load>, module: &str, names: &[&str], span: Span) {
    let dots = module.bytes().take_while(|byte| *byte == b'.').count();
    let plain = module.trim_start_matches('.');
    if !plain.is_empty() && !is_name(plain) || plain.contains(['-', '/']) {
        return;
    }
    let mut base = match dots {
        0 => String::new(),
        1 => "./".to_owned(),
        more => "../".repeat(more - 1),
    };
    let mut paths = Vec::new();
    // A package around a module runs first.
    for part in plain.split('.').filter(|part| !part.is_empty()) {
        base.push_str(part);
        paths.push(format!("{base}/__init__.py"));
        base.push('/');
    }
    let base = base.trim_end_matches('/');
    if !plain.is_empty() {
        paths.push(format!("{base}.py"));
    }
    let within = if plain.is_empty() && dots == 1 { "." } else { base };
    for name in names {
        paths.push(format!("{within}/{name}.py"));
    }
    if !paths.is_empty() {
        loads.push(Load { names: paths, beside: dots > 0, span });
    }
}

/// What stands in the first quotes of a text that begins with them.
fn quoted(text: &str) -> Option<&str> {
    let text = text.trim_start();
    let quote = text.chars().next().filter(|letter| matches!(letter, '"' | '\'' | '`'))?;
    text.get(1..)?.split(quote).next()
}

/// What stands in quotes that a text begins with, and in those that are put behind them: `"a" + "b"`.
fn joined_quotes(text: &str) -> Option<String> {
    let mut whole = quoted(text)?.to_owned();
    let mut rest = text.trim_start();
    loop {
        let length = quoted(rest)?.len() + 2;
        rest = rest.get(length..).unwrap_or_default().trim_start();
        let Some(next) = rest.strip_prefix('+').map(str::trim_start) else { return Some(whole) };
        let Some(part) = quoted(next) else { return Some(whole) };
        whole.push_str(part);
        rest = next;
    }
}

/// A module of the project's own that JavaScript names, and what it may be called in full; nothing where it is a package.
fn push_javascript(loads: &mut Vec<Load>, name: &str, span: Span) {
    if !(name.starts_with("./") || name.starts_with("../") || matches!(name, "." | "..")) {
        return;
    }
    let name = name.split('?').next().unwrap_or(name);
    let name = name.trim_end_matches('/');
    let mut names = vec![name.to_owned()];
    let stem = name.strip_suffix(".js").filter(|_| name.ends_with(".js"));
    names.extend(stem.map(|stem| format!("{stem}.ts")));
    let ends = [".js", ".mjs", ".cjs", ".ts", ".mts", ".tsx", ".jsx"];
    if !ends.iter().any(|end| name.ends_with(end)) {
        names.extend(ends.iter().map(|end| format!("{name}{end}")));
        names.extend(["/index.js", "/index.mjs", "/index.ts"].map(|end| format!("{name}{end}")));
    }
    if loads.iter().rev().leading(4).all(|last| last.names != names) {
        loads.push(Load { names, beside: true, span });
    }
}

/// `require("./x")`, `import "./x"`, `from "./x"`, `import("./x")`: what begins with a dot is the project's own.
fn javascript(text: &str, loads: &mut Vec<Load>) {
    for (start, line) in lines(text) {
        for word in [
            "require(",
            "require.resolve(",
            "import(",
            "import ",
            "from ",
            "from",
            "Worker(",
            "fork(",
        ] {
            for (at, _) in line.match_indices(word) {
                let rest = line.get(at + word.len()..).unwrap_or_default();
                if let Some(name) = quoted(rest) {
                    push_javascript(loads, name, Span::new(start + at, start + line.len()));
                }
            }
        }
        // `new (require("worker_threads").Worker)("./x.js")`, `createRequire(import.meta.url)("./x.js")`, `register("./x.mjs", …)`.
        for word in ["Worker", "createRequire", "register("] {
            let Some(at) = line.find(word) else { continue };
            let span = Span::new(start + at, start + line.len());
            let rest = line.get(at..).unwrap_or_default();
            for (quote, _) in rest.match_indices(['"', '\'', '`']) {
                if let Some(name) = quoted(rest.get(quote..).unwrap_or_default()) {
                    push_javascript(loads, name, span);
                }
            }
        }
    }
}

/// `require_relative "x"`, `require "./x"`, `load "x.rb"`, and `require "x"` below the directories of `-I`.
fn ruby(text: &str, loads: &mut Vec<Load>) {
    for (start, line) in lines(text) {
        let statement = line.trim_start();
        let span = Span::new(start + line.len() - statement.len(), start + line.len());
        for (word, beside) in
            [("require_relative", true), ("require", false), ("load", false), ("import", false)]
        {
            let Some(rest) = statement.strip_prefix(word) else { continue };
            let Some(name) = quoted(rest.trim_start_matches([' ', '('])) else { continue };
            if !is_name(name) {
                continue;
            }
            let file = if name.contains(".r") { name.to_owned() } else { format!("{name}.rb") };
            let beside = beside || name.starts_with('.');
            loads.push(Load { names: vec![file], beside, span });
            break;
        }
    }
}

/// Words behind `use` that say how Perl reads, and load nothing of a project (perldoc, "perlmodlib"). Sorted.
const PRAGMAS: &[&str] = &[
    "attributes",
    "autodie",
    "bigint",
    "bignum",
    "bytes",
    "charnames",
    "constant",
    "diagnostics",
    "encoding",
    "experimental",
    "feature",
    "fields",
    "integer",
    "lib",
    "locale",
    "mro",
    "open",
    "overload",
    "re",
    "sort",
    "strict",
    "subs",
    "threads",
    "utf8",
    "vars",
    "version",
    "warnings",
];

/// `use Foo::Bar`, `require "./x.pl"`, `do "./x.pl"`; `use lib "lib"` and what is put into `@INC` say where.
fn perl(text: &str, loads: &mut Vec<Load>) {
    let mut places: Vec<String> = Vec::new();
    for (start, line) in lines(text) {
        let mut at = start;
        for part in line.split([';', '{', '}']) {
            let statement = part.trim_start();
            let from = at + part.len() - statement.len();
            let span = Span::new(from, at + part.len());
            at += part.len() + 1;
            let Some((word, rest)) = statement.split_once([' ', '\t', '(']) else { continue };
            if matches!(word, "push" | "unshift")
                && rest.trim_start_matches('(').starts_with("@INC")
            {
                places.extend(texts_in(rest));
            }
            if !matches!(word, "use" | "require" | "do") {
                continue;
            }
            if let Some(file) = quoted(rest).filter(|file| is_name(file)) {
                let below = places.iter().map(|place| format!("{place}/{file}"));
                let names: Vec<String> = std::iter::once(file.to_owned()).chain(below).collect();
                loads.push(Load { names, beside: true, span });
                continue;
            }
            let rest = rest.trim_start();
            let end = |letter: char| !letter.is_alphanumeric() && !matches!(letter, '_' | ':');
            let module = rest.split(end).next().unwrap_or_default();
            if word == "use" && module == "lib" {
                places.extend(texts_in(rest));
            }
            let mut modules = vec![module.to_owned()];
            // `use parent "Shop"` loads it.
            if matches!(module, "base" | "parent") {
                modules = texts_in(rest);
            }
            for module in modules {
                let begins = module.starts_with(|letter: char| letter.is_ascii_alphabetic());
                if word == "do" || !begins || PRAGMAS.binary_search(&module.as_str()).is_ok() {
                    continue;
                }
                let file = format!("{}.pm", module.replace("::", "/"));
                let below: Vec<String> =
                    places.iter().map(|place| format!("{place}/{file}")).collect();
                if !below.is_empty() {
                    loads.push(Load { names: below, beside: true, span });
                }
                loads.push(Load { names: vec![file], beside: false, span });
            }
        }
    }
}

/// What stands in quotes in a text, or in `qw(…)`; a place is told from where the script lies.
fn texts_in(text: &str) -> Vec<String> {
    let mut texts = Vec::new();
    if let Some((_, rest)) = text.split_once("qw") {
        let rest = rest.trim_start();
        let close = match rest.chars().next() {
            Some('(') => ')',
            Some('[') => ']',
            Some('<') => '>',
            other => other.unwrap_or(')'),
        };
        let inner = rest.get(1..).unwrap_or_default().split(close).next().unwrap_or_default();
        texts.extend(inner.split_whitespace().map(str::to_owned));
    }
    let mut rest = text;
    while let Some(at) = rest.find(['"', '\'']) {
        rest = rest.get(at..).unwrap_or_default();
        let Some(inner) = quoted(rest) else { break };
        let plain = inner.strip_prefix("$FindBin::Bin/").unwrap_or(inner);
        texts.push(plain.to_owned());
        rest = rest.get(inner.len() + 2..).unwrap_or_default();
    }
    texts
}

/// `require __DIR__ . '/x.php'`, `include 'x.php'`.
fn php(text: &str, loads: &mut Vec<Load>) {
    for (start, line) in lines(text) {
        for word in ["require_once", "require", "include_once", "include"] {
            let Some(at) = line.find(word) else { continue };
            let rest = line.get(at + word.len()..).unwrap_or_default();
            let rest = rest.trim_start_matches([' ', '(']);
            let rest = rest
                .strip_prefix("__DIR__")
                .map_or(rest, |rest| rest.trim_start_matches([' ', '.']));
            let rest = rest
                .strip_prefix("dirname(__FILE__)")
                .map_or(rest, |rest| rest.trim_start_matches([' ', '.']));
            let Some(name) = quoted(rest).filter(|name| is_name(name)) else { break };
            let name = name.trim_start_matches('/').to_owned();
            loads.push(Load {
                names: vec![name],
                beside: true,
                span: Span::new(start + at, start + line.len()),
            });
            break;
        }
    }
}

/// `mod x;`, and `#[path = "y.rs"] mod x;` (doc.rust-lang.org/reference, "Modules").
fn rust(text: &str, loads: &mut Vec<Load>) {
    let mut named: Option<String> = None;
    for (start, line) in lines(text) {
        let mut statement = line.trim_start();
        let span = Span::new(start + line.len() - statement.len(), start + line.len());
        if let Some(rest) = statement.strip_prefix("#[path") {
            named = rest.split('"').nth(1).map(str::to_owned);
            statement = rest.split_once(']').map_or("", |(_, rest)| rest.trim_start());
        }
        let statement = statement.strip_prefix("pub ").unwrap_or(statement);
        let Some(name) = statement.strip_prefix("mod ").and_then(|it| it.split_once(';')) else {
            continue;
        };
        let name = name.0.trim();
        if is_name(name) {
            let names = match named.take() {
                Some(path) => vec![path],
                None => vec![format!("{name}.rs"), format!("{name}/mod.rs")],
            };
            loads.push(Load { names, beside: true, span });
        }
    }
}

/// `include("x.jl")` (docs.julialang.org, "Code Loading").
fn julia(text: &str, loads: &mut Vec<Load>) {
    for (start, line) in lines(text) {
        let statement = line.trim_start();
        let span = Span::new(start + line.len() - statement.len(), start + line.len());
        let Some((_, rest)) = statement.split_once("include(") else { continue };
        if let Some(name) = quoted(rest).filter(|name| is_name(name)) {
            loads.push(Load { names: vec![name.to_owned()], beside: true, span });
        }
    }
}

/// `(require 'x)`, `(load "x")`, `(load-file "x.el")` (gnu.org, "Loading"): beside the file, or in a directory that it puts on the path.
fn lisp(text: &str, loads: &mut Vec<Load>) {
    let mut folders = vec![String::new()];
    for (_, line) in lines(text).filter(|(_, line)| line.contains("load-path")) {
        let named = line.split('"').skip(1).step_by(2).filter(|name| is_name(name));
        folders.extend(named.map(|name| format!("{name}/")));
    }
    for (start, line) in lines(text) {
        let bare = line.trim_start();
        let span = Span::new(start + line.len() - bare.len(), start + line.len());
        for word in ["(require '", "(load \"", "(load-file \"", "(load-library \""] {
            let Some((_, rest)) = bare.split_once(word) else { continue };
            if bare.starts_with(';') {
                continue;
            }
            let end = rest.find([')', '"', ' ']).unwrap_or(rest.len());
            let name = rest.get(..end).unwrap_or_default();
            if !is_name(name) {
                continue;
            }
            let name = name.strip_suffix(".el").unwrap_or(name);
            let names = folders.iter().map(|folder| format!("./{folder}{name}.el")).collect();
            loads.push(Load { names, beside: true, span });
        }
    }
}

/// `require "x.y"`, `dofile("x.lua")`.
fn lua(text: &str, loads: &mut Vec<Load>) {
    for (start, line) in lines(text) {
        for word in ["require", "dofile", "loadfile"] {
            let Some(at) = line.find(word) else { continue };
            let rest = line.get(at + word.len()..).unwrap_or_default();
            let Some(name) =
                quoted(rest.trim_start_matches([' ', '('])).filter(|name| is_name(name))
            else {
                continue;
            };
            let name = if word == "require" {
                format!("{}.lua", name.replace('.', "/"))
            } else {
                name.to_owned()
            };
            loads.push(Load {
                names: vec![name],
                beside: false,
                span: Span::new(start + at, start + line.len()),
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(find: fn(&str, &mut Vec<Load>), text: &str) -> Vec<String> {
        let mut loads = Vec::new();
        find(text, &mut loads);
        loads.into_iter().flat_map(|load| load.names).collect()
    }

    #[test]
    fn what_python_imports_is_looked_for_where_python_looks() {
        for (text, expected) in [
            ("import a", vec!["a/__init__.py", "a.py"]),
            (
                "import a.b as c, d",
                vec!["a/__init__.py", "a/b/__init__.py", "a/b.py", "d/__init__.py", "d.py"],
            ),
            ("    from a import (b, c)", vec!["a/__init__.py", "a.py", "a/b.py", "a/c.py"]),
            ("from . import x", vec!["./x.py"]),
            ("from ..m import y", vec!["../m/__init__.py", "../m.py", "../m/y.py"]),
            ("important = 1", vec![]),
        ] {
            assert_eq!(names(python, text), expected, "{text}");
        }
    }

    #[test]
    fn what_javascript_loads_of_its_own_begins_with_a_dot() {
        assert_eq!(names(javascript, "const a = require('fs')"), Vec::<String>::new());
        assert_eq!(names(javascript, "import a from './a.mjs'"), ["./a.mjs"]);
        assert!(names(javascript, "require(\"../lib\")").contains(&"../lib/index.js".to_owned()));
    }

    #[test]
    fn a_name_is_put_below_its_directory() {
        assert_eq!(joined("/a/b", "../c/./d.py").as_deref(), Some("/a/c/d.py"));
        assert_eq!(joined("/", "x"), Some("/x".to_owned()));
        assert_eq!(joined("/a", "../../x"), None);
    }
}

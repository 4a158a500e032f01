//! Modules of JavaScript that are named otherwise than by their path: by the `imports` of a `package.json`, by an address that holds the code, and
//! all that a folder has (nodejs.org, "Subpath imports", "data: imports").

use portcullis_syntax::Span;

use super::{Load, lines, push_javascript, quoted};
use crate::{
    bound::Bounded,
    percent,
    programs::{
        found::{Found, directory_of},
        host::{Host, Unread},
        started::{directory_above, tree},
    },
    text::Text,
};

/// How many modules of a folder are read that code loads whole.
const FOLDER: usize = 48;

/// How many directories above are looked into for a `package.json`.
const LEVELS: usize = 12;

/// What an address begins with that holds its module.
const DATA: &str = "data:text/javascript";

pub(super) fn follow(walk: &mut dyn Host, directory: &str, text: &str, loads: &mut Vec<Load>) {
    for (start, line) in lines(text) {
        let span = Span::new(start, start + line.len());
        for (at, _) in line.match_indices(DATA) {
            let quote = line.get(..at).and_then(|before| before.chars().next_back());
            let whole = line.get(at..).unwrap_or_default();
            let end = quote.filter(|it| matches!(it, '"' | '\'' | '`'));
            let whole = end.and_then(|end| whole.split(end).next()).unwrap_or(whole);
            if let Some(code) = held(whole) {
                walk.code("javascript", &Text::known(code), span, &[]);
            }
        }
        named(walk, directory, line, span, loads);
        folder(walk, directory, line, span, loads);
    }
    beside_packages(walk, directory, text, loads);
    mapped(walk, directory, text, loads);
}

/// Modules by the names that a `deno.json`, or the map that it names, gives files of the project (docs.deno.com, "Modules and dependencies").
fn mapped(walk: &mut dyn Host, directory: &str, text: &str, loads: &mut Vec<Load>) {
    /// How many names of one file are looked up.
    const NAMES: usize = 64;
    let mut names: Vec<(&str, Span)> = Vec::new();
    for (start, line) in lines(text) {
        let span = Span::new(start, start + line.len());
        for word in ["import(", "import ", "from "] {
            for (at, _) in line.match_indices(word) {
                let name = quoted(line.get(at + word.len()..).unwrap_or_default());
                let is_bare = |name: &&str| {
                    !name.starts_with(['.', '/']) && !name.contains(':') && !name.is_empty()
                };
                names.extend(name.filter(is_bare).map(|name| (name, span)));
            }
        }
    }
    if names.is_empty() || walk.within_program("deno") == 0 {
        return;
    }
    // The directory that lies nearest, as far as files of it were asked for by whoever runs the program.
    let mut place = Some(directory.to_owned());
    let mut level = 0;
    while let Some(here) = place.filter(|_| level < LEVELS) {
        level += 1;
        let is_top = walk.facts().workspace.as_deref() == Some(here.as_str());
        if let Found::Directory(found) = walk.look(&here)
            && found
                .iter()
                .any(|name| matches!(name.as_str(), "deno.json" | "deno.jsonc" | "import_map.json"))
        {
            let mut maps = vec!["import_map.json".to_owned()];
            for name in ["deno.json", "deno.jsonc"] {
                let Some(file) = walk.look(&format!("{here}/{name}")).file() else { continue };
                let tree = tree::json(&file.text);
                let root = tree.root();
                maps.push(name.to_owned());
                maps.extend(
                    root.and_then(|it| it.text_of("importMap"))
                        .map(|it| it.trim_start_matches("./").to_owned()),
                );
            }
            for map in &maps {
                let Some(file) = walk.look(&format!("{here}/{map}")).file() else { continue };
                let tree = tree::json(&file.text);
                let Some(imports) = tree.root().and_then(|root| root.get("imports")) else {
                    continue;
                };
                for (name, span) in
                    names.iter().at_most(NAMES, walk, Span::default()).collect::<Vec<_>>()
                {
                    for (key, value) in imports.entries() {
                        let Some(to) =
                            value.text().filter(|it| it.starts_with("./") || it.starts_with("../"))
                        else {
                            continue;
                        };
                        let rest = if key == *name {
                            Some("")
                        } else {
                            name.strip_prefix(key).filter(|_| key.ends_with('/'))
                        };
                        if let Some(rest) = rest {
                            let path = crate::paths::normal(&format!("{here}/{to}{rest}"));
                            loads.push(Load { names: vec![path], beside: false, span: *span });
                        }
                    }
                }
            }
            return;
        }
        place = if is_top { None } else { directory_above(&here) };
    }
}

/// `require("name")` of what lies among the packages and is none: a file of its own, or a folder without the `package.json` that every package
/// has. What was installed is not followed.
fn beside_packages(walk: &mut dyn Host, directory: &str, text: &str, loads: &mut Vec<Load>) {
    /// How many folders are looked into.
    const FOLDERS: usize = 16;
    if directory.contains("/node_modules") {
        return;
    }
    let mut names: Vec<(&str, Span)> = Vec::new();
    for (start, line) in lines(text) {
        let span = Span::new(start, start + line.len());
        for word in ["require(", "import(", "import ", "from "] {
            for (at, _) in line.match_indices(word) {
                let name = quoted(line.get(at + word.len()..).unwrap_or_default());
                let is_package = |name: &&str| {
                    name.starts_with(|it: char| it.is_ascii_alphanumeric() || it == '_')
                        && !name.contains([':', '\\', '$'])
                        && !name.contains("..")
                };
                names.extend(name.filter(is_package).map(|name| (name, span)));
            }
        }
    }
    if names.is_empty() {
        return;
    }
    let place = format!("{}/node_modules", directory.trim_end_matches('/'));
    let Found::Directory(there) = walk.look(&place) else { return };
    let mut folders = 0;
    for (name, span) in names {
        let first = name.split('/').next().unwrap_or_default();
        let mut found = Vec::new();
        for ending in ["", ".js", ".cjs"] {
            let file = format!("{name}{ending}");
            if there.contains(&file) {
                found.push(format!("{place}/{file}"));
            }
        }
        if there.contains(&format!("{first}/")) && folders < FOLDERS {
            folders += 1;
            if let Found::Directory(inner) = walk.look(&format!("{place}/{first}"))
                && !inner.iter().any(|it| it == "package.json")
            {
                let path = format!("{place}/{name}");
                found.extend(["", ".js", "/index.js"].map(|end| format!("{path}{end}")));
            }
        }
        if !found.is_empty() {
            loads.push(Load { names: found, beside: true, span });
        }
    }
}

/// The module that an address holds.
fn held(address: &str) -> Option<String> {
    let rest = address.strip_prefix(DATA)?;
    let (kind, code) = rest.split_once(',')?;
    if !kind.ends_with(";base64") {
        return Some(percent::text(code));
    }
    let mut bytes = Vec::new();
    let (mut bits, mut count) = (0_u32, 0_u32);
    for letter in percent::text(code).bytes() {
        let value = match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => continue,
        };
        bits = (bits << 6 | u32::from(value)) & 0x00ff_ffff;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push(u8::try_from(bits >> count & 0xff).unwrap_or_default());
        }
    }
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// `require("#x")`: the nearest `package.json` says which file that is.
fn named(walk: &mut dyn Host, directory: &str, line: &str, span: Span, loads: &mut Vec<Load>) {
    for word in ["require(", "import(", "import ", "from "] {
        for (at, _) in line.match_indices(word) {
            let rest = line.get(at + word.len()..).unwrap_or_default();
            let Some(name) = quoted(rest).filter(|name| name.starts_with('#')) else { continue };
            let Some((root, imports)) = package(walk, directory) else { return };
            let mut targets: Vec<String> = Vec::new();
            for (key, value) in imports.entries() {
                let stem = match key.split_once('*') {
                    None if key == name => "",
                    None => continue,
                    Some((before, after)) => {
                        let stem = name.strip_prefix(before).and_then(|it| it.strip_suffix(after));
                        let Some(stem) = stem else { continue };
                        stem
                    }
                };
                value.visit(&mut |inner| {
                    let text = inner.text().filter(|text| text.starts_with('.'));
                    targets.extend(text.map(|text| text.replace('*', stem)));
                });
            }
            let names: Vec<String> =
                targets.iter().filter_map(|target| super::joined(&root, target)).collect();
            if !names.is_empty() {
                loads.push(Load { names, beside: true, span });
            }
        }
    }
}

/// The `imports` of the nearest `package.json`, and where that lies.
fn package(walk: &mut dyn Host, directory: &str) -> Option<(String, tree::Node)> {
    let mut place = directory.trim_end_matches('/').to_owned();
    for _ in 0..LEVELS {
        if let Some(file) = walk.look(&format!("{place}/package.json")).file() {
            let tree = tree::json(&file.text);
            let imports = tree.root()?.get("imports")?.clone();
            return Some((directory_of(&file.path).to_owned(), imports));
        }
        place = directory_above(&place)?;
    }
    None
}

/// `readdirSync(__dirname).forEach(name => require(…))`: whatever lies there is loaded.
fn folder(walk: &mut dyn Host, directory: &str, line: &str, span: Span, loads: &mut Vec<Load>) {
    computed(walk, directory, line, span, loads);
    let Some((_, rest)) = line.split_once("readdirSync(") else { return };
    if !rest.contains("require") && !rest.contains("import(") {
        return;
    }
    let end = rest.find(')').unwrap_or(rest.len());
    let argument = rest.get(..end).unwrap_or_default();
    let below = argument.find(['"', '\'', '`']).and_then(|at| quoted(argument.get(at..)?));
    let below = below.unwrap_or(".").trim_start_matches('/');
    let Some(place) = super::joined(directory, below) else { return };
    let Found::Directory(names) = walk.look(&place) else { return };
    let is_module =
        |name: &&String| [".js", ".cjs", ".mjs", ".ts"].iter().any(|end| name.ends_with(end));
    for name in names.iter().filter(is_module).at_most(FOLDER, &mut Unread(walk), span) {
        push_javascript(loads, &format!("./{below}/{name}"), span);
    }
}

/// ``require(`./folder/${name}`)``, `import('./folder/' + name)`: which module of the folder, nobody knows.
fn computed(walk: &mut dyn Host, directory: &str, line: &str, span: Span, loads: &mut Vec<Load>) {
    let Some(below) = ["require(", "import("].iter().find_map(|call| {
        let (_, rest) = line.split_once(call)?;
        let quote = rest.chars().next().filter(|it| matches!(it, '"' | '\'' | '`'))?;
        let inner = rest.get(1..)?;
        let (name, behind) = match quote {
            '`' => inner.split_once("${")?,
            _ => inner.split_once(quote)?,
        };
        let goes_on = quote == '`' || behind.trim_start().starts_with('+');
        let (folder, _) = name.rsplit_once('/').filter(|_| goes_on)?;
        folder.starts_with('.').then_some(folder)
    }) else {
        return;
    };
    let Some(place) = super::joined(directory, below) else { return };
    let Found::Directory(names) = walk.look(&place) else { return };
    let is_module =
        |name: &&String| [".js", ".cjs", ".mjs", ".ts"].iter().any(|end| name.ends_with(end));
    for name in names.iter().filter(is_module).at_most(FOLDER, &mut Unread(walk), span) {
        push_javascript(loads, &format!("{below}/{name}"), span);
    }
}

#[cfg(test)]
mod tests {
    use super::held;

    #[test]
    fn an_address_may_hold_a_module() {
        for (address, expected) in [
            ("data:text/javascript,a(%22b%22)", Some("a(\"b\")")),
            ("data:text/javascript;charset=utf-8;base64,YSgxKQ==", Some("a(1)")),
            ("data:text/javascript,100%", Some("100%")),
            ("data:text/css,a", None),
        ] {
            assert_eq!(held(address).as_deref(), expected, "{address}");
        }
    }
}

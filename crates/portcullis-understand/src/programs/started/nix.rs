//! Nix: the hook of a shell, which runs on this machine when somebody enters it (nix.dev, "nix develop", "nix-shell"). What builds a package runs
//! in a sandbox without network and home, and is passed over.

use portcullis_syntax::Span;

use super::{Piece, Starter, project, run_pieces};
use crate::{
    programs::found::{File, directory_of},
    programs::host::Host,
    programs::invocation::Invocation,
};

pub(super) static NIX: Starter = Starter { programs: &["nix", "nix-shell", "devenv"], start };

/// Names of attributes whose text runs when the shell is entered.
const HOOKS: &[&str] = &["shellHook", "enterShell"];

/// How many files import each other.
const IMPORTS: usize = 12;

fn start(walk: &mut dyn Host, invocation: &Invocation) {
    let words = project::words(invocation);
    let operands = project::operands(
        &words,
        &["--command", "-c", "--run", "--argstr", "--arg", "-p", "-A", "--attr"],
    );
    if project::has(&words, &["--help", "--version"]) {
        return;
    }
    let names: &[&str] = match (invocation.program.as_str(), operands.first().copied()) {
        ("nix", Some("develop" | "shell" | "print-dev-env")) => &["flake.nix"],
        ("devenv", Some("shell" | "up" | "test")) => &["devenv.nix", "flake.nix"],
        ("nix-shell", _) if !project::has(&words, &["-p", "--packages"]) => {
            &["shell.nix", "default.nix"]
        }
        _ => return,
    };
    let named = operands.iter().find(|word| word.ends_with(".nix")).copied();
    let here = operands
        .get(1)
        .copied()
        .filter(|word| word.starts_with(['.', '/']))
        .map(|word| word.split('#').next().unwrap_or(".").to_owned());
    project::in_directory(walk, here.as_deref().filter(|here| !here.is_empty()), |walk| {
        let file = match named.and_then(|name| walk.target(&crate::text::Text::known(name)).path) {
            Some(path) => walk.look(&path).file(),
            None => project::nearest(walk, names),
        };
        let mut seen = Vec::new();
        if let Some(file) = file {
            read(walk, &file, invocation.span, &mut seen);
        }
    });
}

fn read(walk: &mut dyn Host, file: &File, span: Span, seen: &mut Vec<String>) {
    if seen.contains(&file.path) {
        return;
    }
    seen.push(file.path.clone());
    walk.in_file(file, "nix", span, |walk| {
        run_pieces(walk, &file.text, &hooks(&file.text));
        for (name, at) in read_hooks(&file.text) {
            let path = crate::paths::normal(&project::joined(directory_of(&file.path), &name));
            walk.run_file("shell", &path, at, &[], None);
        }
        for (address, at) in fetched(&file.text) {
            project::taken_from(walk, &address, at);
        }
        for (name, at) in imports(&file.text) {
            let path = crate::paths::normal(&project::joined(directory_of(&file.path), &name));
            let path = if path.ends_with(".nix") { path } else { format!("{path}/default.nix") };
            if seen.len() > IMPORTS {
                walk.left_unread(at);
                break;
            }
            if let Some(inner) = walk.look(&path).file() {
                read(walk, &inner, at, seen);
            }
        }
    });
}

/// Addresses that code is fetched from while it is evaluated, without a digest that it must have: `fetchTarball "URL"` (nix.dev, "builtins").
fn fetched(text: &str) -> Vec<(String, Span)> {
    let mut found = Vec::new();
    for call in ["fetchTarball", "fetchurl", "fetchGit", "fetchTree"] {
        for (at, _) in text.match_indices(call) {
            let rest = text.get(at..).unwrap_or_default();
            let end = rest.find([';', ')', '}']).unwrap_or(rest.len());
            let given = rest.get(..end).unwrap_or_default();
            // An attribute set ends with its brace.
            let whole = rest.get(..rest.find('}').unwrap_or(end).max(end)).unwrap_or_default();
            let address = given.split('"').find(|part| part.contains("://"));
            if let Some(address) =
                address.filter(|_| !whole.contains("sha256") && !whole.contains("narHash"))
            {
                found.push((address.to_owned(), Span::new(at, at + end)));
            }
        }
    }
    found
}

/// The texts behind `shellHook =`.
fn hooks(text: &str) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    for name in HOOKS {
        // A name inside of a text that was read is none.
        let mut read = 0;
        for (at, _) in text.match_indices(name) {
            let after = text.get(at + name.len()..).unwrap_or_default();
            let Some(value) = after.trim_start().strip_prefix('=').filter(|_| at >= read) else {
                continue;
            };
            let from = text.len() - value.len();
            // Without a quote here there is none further on either.
            let Some(open) = value.find(['"', '\'']) else { break };
            if value.get(..open).is_some_and(|before| before.contains(';')) {
                continue;
            }
            // What is put together begins with any of its texts.
            let start = from + open;
            if let Some((code, length)) = text.get(start..).and_then(literal) {
                let span = Span::new(start, start + length);
                pieces.push(Piece { text: Some(code), ..Piece::command(span) });
                read = start + length;
            }
        }
    }
    pieces
}

/// `shellHook = builtins.readFile ./hook.sh`: files whose text is part of a hook (nix.dev, "builtins.readFile").
fn read_hooks(text: &str) -> Vec<(String, Span)> {
    let mut found = Vec::new();
    for name in HOOKS {
        for (at, _) in text.match_indices(name) {
            let from = at + name.len();
            let value = text.get(from..).unwrap_or_default();
            if !value.trim_start().starts_with('=') {
                continue;
            }
            let value = value.split(';').next().unwrap_or_default();
            for (word, _) in value.match_indices("readFile") {
                let rest = value.get(word + "readFile".len()..).unwrap_or_default();
                let path = rest.trim_start_matches([' ', '\n', '(']);
                let end = path.find([' ', ';', ')', '}', '\n']).unwrap_or(path.len());
                let path = path.get(..end).unwrap_or_default();
                if path.starts_with("./") || path.starts_with("../") {
                    found.push((path.to_owned(), Span::new(from + word, from + value.len())));
                }
            }
        }
    }
    found
}

/// A text in `"` or `''`, with what `${…}` computes as a variable, and its length.
fn literal(text: &str) -> Option<(String, usize)> {
    let (inner, close) = match text.strip_prefix("''") {
        Some(inner) => (inner, "''"),
        None => (text.strip_prefix('"')?, "\""),
    };
    let mut value = String::new();
    let mut rest = inner;
    while !rest.is_empty() {
        if close == "''" {
            // `''$` is a dollar, `'\''` two apostrophes, `''\n` a line end.
            if let Some(next) = rest.strip_prefix("''$") {
                value.push('$');
                rest = next;
                continue;
            }
            if let Some(next) = rest.strip_prefix("'\''") {
                value.push_str("''");
                rest = next;
                continue;
            }
            if let Some(next) = rest.strip_prefix("''\\") {
                rest = next;
                continue;
            }
        } else if let Some(next) = rest.strip_prefix('\\') {
            value.extend(next.chars().next());
            rest = next.get(next.chars().next().map_or(0, char::len_utf8)..).unwrap_or_default();
            continue;
        }
        if let Some(next) = rest.strip_prefix(close) {
            return Some((value, text.len() - next.len()));
        }
        if let Some(next) = rest.strip_prefix("${") {
            let end = next.find('}').unwrap_or(next.len());
            let name: String = next
                .get(..end)?
                .chars()
                .map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '_' })
                .collect();
            value.push_str(&format!("${{NIX_{name}}}"));
            rest = next.get((end + 1).min(next.len())..)?;
            continue;
        }
        let letter = rest.chars().next()?;
        value.push(letter);
        rest = rest.get(letter.len_utf8()..)?;
    }
    Some((value, text.len()))
}

/// `import ./x.nix`, `callPackage ./x.nix`, and paths in lists of modules.
fn imports(text: &str) -> Vec<(String, Span)> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices("./") {
        let before = text.get(..at).unwrap_or_default();
        if before.ends_with(|letter: char| !(letter.is_whitespace() || "([{=".contains(letter))) {
            continue;
        }
        let rest = text.get(at..).unwrap_or_default();
        let end = rest
            .find(|letter: char| letter.is_whitespace() || ";)]}\"'".contains(letter))
            .unwrap_or(rest.len());
        let name = rest.get(..end).unwrap_or_default();
        let before = before.trim_end();
        let is_loaded = name.ends_with(".nix")
            || ["import", "callPackage", "importShell"].iter().any(|word| before.ends_with(word));
        if is_loaded {
            found.push((name.to_owned(), Span::new(at, at + end)));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hook_of_a_shell_is_what_runs() {
        for (text, expected) in [
            (
                "{ shellHook = ''\n  a \"b\"\n  c ''${D} ${pkgs.e}\n''; }",
                vec!["\n  a \"b\"\n  c ${D} ${NIX_pkgs_e}\n"],
            ),
            ("shellHook = \"a \\\"b\\\"\";", vec!["a \"b\""]),
            ("shellHook = x.shellHook + ''d'';", vec!["d"]),
            ("buildPhase = ''rm''; shellHook;", vec![]),
        ] {
            let found: Vec<String> =
                hooks(text).into_iter().filter_map(|piece| piece.text).collect();
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn files_that_are_imported_are_named() {
        let names: Vec<String> =
            imports("import ./a.nix { } (callPackage ./b { }) [ ./c.nix ] \"./d.nix\" src = ./.;")
                .into_iter()
                .map(|it| it.0)
                .collect();
        assert_eq!(names, ["./a.nix", "./b", "./c.nix"]);
    }
}

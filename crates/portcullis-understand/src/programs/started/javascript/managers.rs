//! Managers of JavaScript's packages. Owns what their settings lead elsewhere, and what they build as they install.

use portcullis_syntax::Span;

use super::super::{project, tree};
use crate::programs::{host::Host, invocation::Invocation};

/// Settings of the package managers, and native code that an installation builds.
pub(super) fn manager(walk: &mut dyn Host, invocation: &Invocation) {
    let words = project::words(invocation);
    let verb = project::operands(&words, &["-C", "--cwd", "--prefix", "--filter", "-w", "--dir"])
        .first()
        .copied();
    let installs = matches!(
        verb,
        Some(
            "install"
                | "i"
                | "ci"
                | "add"
                | "update"
                | "up"
                | "it"
                | "install-test"
                | "dlx"
                | "x"
                | "rebuild"
        )
    ) || verb.is_none() && matches!(invocation.program.as_str(), "yarn");
    if project::has(&words, &["--help", "-h", "--version", "-v"]) {
        return;
    }
    let directory =
        project::option(&words, &["-C", "--cwd", "--prefix", "--dir"]).map(str::to_owned);
    project::in_directory(walk, directory.as_deref(), |walk| {
        let Some(root) = walk.directory().map(str::to_owned) else { return };
        let span = invocation.span;
        let names = [
            ".npmrc",
            ".yarnrc.yml",
            ".yarnrc",
            "bunfig.toml",
            ".pnpmfile.cjs",
            "binding.gyp",
            "pnpm-workspace.yaml",
        ];
        for name in names {
            walk.look(&format!("{root}/{name}"));
        }
        npmrc(walk, &root, span, installs);
        if matches!(verb, Some("create" | "init" | "innit")) {
            initialized(walk, &root, span);
        }
        yarnrc(walk, &root, span, installs);
        if invocation.program == "bun" {
            bunfig(walk, &root, span, installs);
        }
        if installs && invocation.program == "pnpm" {
            walk.load("javascript", &format!("{root}/.pnpmfile.cjs"), span);
        }
        let ignores = project::has(&words, &["--ignore-scripts"]);
        if installs && !ignores {
            binding(walk, &root, span);
        }
    });
}

fn npmrc(walk: &mut dyn Host, root: &str, span: Span, installs: bool) {
    let Some(file) = walk.look(&format!("{root}/.npmrc")).file() else { return };
    walk.in_file(&file, "npmrc", span, |walk| {
        let tree = project::whole(walk, tree::sections(&file.text));
        for (key, value) in tree
            .root()
            .iter()
            .flat_map(|root| root.entries())
            .flat_map(|(_, section)| section.entries())
        {
            let text = value.text().unwrap_or_default().trim_matches(['"', '\'']);
            match key {
                _ if installs && (key == "registry" || key.ends_with(":registry")) => {
                    from(walk, text, value.span)
                }
                "strict-ssl" if installs && text == "false" => {
                    walk.run(
                        &project::arguments(&["npm", "install", "--strict-ssl=false"], value.span),
                        None,
                    );
                }
                // It is given the script behind `-c`.
                "script-shell" | "shell" if !text.is_empty() => {
                    walk.run(&project::arguments(&[text, "-c", "true"], value.span), None);
                }
                "git" | "node-gyp" | "editor" if !text.is_empty() => {
                    walk.run(&project::arguments(&[text, "--version"], value.span), None);
                }
                "node-options" => {
                    walk.environment_of(
                        "NODE_OPTIONS",
                        &crate::text::Text::known(text),
                        value.span,
                    );
                    walk.run(&project::arguments(&["node", "--version"], value.span), None);
                }
                _ => {}
            }
        }
    });
}

/// `npm init`: a module of the settings asks the questions (docs.npmjs.com, "init-module").
fn initialized(walk: &mut dyn Host, root: &str, span: Span) {
    let Some(file) = walk.look(&format!("{root}/.npmrc")).file() else { return };
    for line in file.text.lines() {
        let Some((key, value)) = line.split_once('=') else { continue };
        let value = value.trim().trim_matches(['"', '\'']);
        if matches!(key.trim(), "init-module" | "init.module") && !value.starts_with(['~', '$']) {
            walk.load("javascript", &project::joined(root, value), span);
        }
    }
}

/// Packages come from an address.
fn from(walk: &mut dyn Host, address: &str, span: Span) {
    if address.contains("://") {
        walk.run(&project::arguments(&["npm", "install", "--registry", address, "x"], span), None);
    }
}

fn yarnrc(walk: &mut dyn Host, root: &str, span: Span, installs: bool) {
    if let Some(file) = walk.look(&format!("{root}/.yarnrc.yml")).file() {
        walk.in_file(&file, "yarnrc", span, |walk| {
            let tree = project::whole(walk, tree::yaml(&file.text));
            let Some(node) = tree.root() else { return };
            if let Some(program) = node.get("yarnPath").and_then(tree::Node::text) {
                // The manager itself is longer than what is read of a file, and made by a machine: what is short is none.
                let path = project::joined(root, program);
                let is_manager = path.contains("/.yarn/releases/");
                let file = walk.look(&path).file();
                if !is_manager || file.is_some_and(|file| file.whole) {
                    walk.load("javascript", &path, span);
                }
            }
            for plugin in node.get("plugins").map(tree::Node::items).unwrap_or_default() {
                let path = plugin.text().or_else(|| plugin.text_of("path")).unwrap_or_default();
                if !path.contains("@yarnpkg/") && !path.is_empty() {
                    walk.load("javascript", &project::joined(root, path), plugin.span);
                }
            }
            if installs && let Some(address) = node.get("npmRegistryServer") {
                from(walk, address.text().unwrap_or_default(), address.span);
            }
        });
    }
    if let Some(file) = walk.look(&format!("{root}/.yarnrc")).file() {
        walk.in_file(&file, "yarnrc", span, |walk| {
            let mut at = 0;
            for line in file.text.split_inclusive('\n') {
                let place = Span::new(at, at + line.trim_end().len());
                at += line.len();
                let Some((key, value)) = line.trim().split_once([' ', '\t']) else { continue };
                let value = value.trim().trim_matches(['"', '\'']);
                match key {
                    "registry" if installs => from(walk, value, place),
                    "yarn-path" if !value.contains(".yarn/releases/") => {
                        walk.load("javascript", &project::joined(root, value), place);
                    }
                    _ => {}
                }
            }
        });
    }
}

fn bunfig(walk: &mut dyn Host, root: &str, span: Span, installs: bool) {
    let Some(file) = walk.look(&format!("{root}/bunfig.toml")).file() else { return };
    walk.in_file(&file, "bunfig", span, |walk| {
        let tree = project::whole(walk, tree::toml(&file.text));
        let Some(node) = tree.root() else { return };
        for keys in [&["preload"][..], &["test", "preload"]] {
            for script in node.path(keys).map(tree::Node::each).unwrap_or_default() {
                if let Some(name) = script.text().filter(|name| name.starts_with('.')) {
                    walk.load("javascript", &project::joined(root, name), script.span);
                }
            }
        }
        if installs && let Some(address) = node.path(&["install", "registry"]) {
            from(
                walk,
                address.text().or_else(|| address.text_of("url")).unwrap_or_default(),
                address.span,
            );
        }
    });
}

/// `binding.gyp`: an installation builds it, and `<!(COMMAND)` in it runs a command (gyp.gsrc.io, "Command Expansions"); actions are lists of words.
fn binding(walk: &mut dyn Host, root: &str, span: Span) {
    let Some(file) = walk.look(&format!("{root}/binding.gyp")).file() else { return };
    walk.in_file(&file, "gyp", span, |walk| {
        for (code, place) in expansions(&file.text) {
            walk.shell(&crate::text::Text::known(code), place, &[], None);
        }
        let tree = project::whole(walk, tree::python(&file.text));
        let Some(node) = tree.root() else { return };
        let mut actions = Vec::new();
        node.visit(&mut |inner| {
            actions.extend(inner.get("action").filter(|it| !it.items().is_empty()))
        });
        for action in actions {
            walk.run(&project::arguments(&action.words(), action.span), None);
        }
    });
}

/// The commands of `<!(…)` and `<!@(…)`.
pub(super) fn expansions(text: &str) -> Vec<(String, Span)> {
    let mut found = Vec::new();
    for mark in ["<!(", "<!@("] {
        for (at, _) in text.match_indices(mark) {
            let from = at + mark.len();
            let rest = text.get(from..).unwrap_or_default();
            let mut depth = 1_usize;
            let end = rest.char_indices().find_map(|(at, letter)| {
                depth += usize::from(letter == '(');
                depth -= usize::from(letter == ')');
                (depth == 0 || letter == '\n').then_some(at)
            });
            let code = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
            let plain = code.replace("\\\"", "\"").replace("\\'", "'");
            found.push((plain, Span::new(from, from + code.len())));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::expansions;

    #[test]
    fn commands_of_native_builds_are_found() {
        let text = "{'targets':[{'include_dirs':[\"<!@(node -p \\\"require('x').y(1)\\\")\"],'a':'<!(sh b.sh)'}]}";
        let found: Vec<String> = expansions(text).into_iter().map(|it| it.0).collect();
        assert_eq!(found, ["sh b.sh", "node -p \"require('x').y(1)\""]);
    }
}

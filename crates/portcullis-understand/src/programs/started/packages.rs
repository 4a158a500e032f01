//! Scripts of a `package.json`: `run NAME` with what stands before and after it by name, and what `install` runs of the package itself
//! (docs.npmjs.com, "scripts"; pnpm.io/cli/run; yarnpkg.com/cli/run; bun.com/docs/cli/run). Scripts of packages that are fetched are not
//! there to be read.

use portcullis_syntax::Span;

use super::{Starter, project, tree};
use crate::{
    effect::Argument,
    text::Text,
    understand::shell::{
        Invocation, Walk,
        files::{File, directory_of},
    },
};

pub(super) static SCRIPTS: Starter = Starter { programs: &["npm", "pnpm", "yarn", "bun"], start };

/// Scripts that an installation runs, in this order.
const INSTALLATION: &[&str] =
    &["preinstall", "install", "postinstall", "preprepare", "prepare", "postprepare"];

/// Options that take a value.
const VALUES: &[&str] =
    &["-C", "--cwd", "--dir", "--filter", "-F", "--prefix", "-w", "--workspace"];

/// What is asked for: names of scripts with what each is given, and where.
#[derive(Debug, Default, Eq, PartialEq)]
struct Asked {
    directory: Option<String>,
    scripts: Vec<String>,
    given: Vec<String>,
    /// In each package of the workspace.
    everywhere: bool,
}

fn asked(program: &str, words: &[String]) -> Asked {
    let mut asked = Asked::default();
    let mut verb: Option<String> = None;
    let mut runs = false;
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if let Some(script) = asked.scripts.first().filter(|_| runs) {
            // npm keeps options in front of `--` for itself.
            let is_own = program == "npm" && word.starts_with('-') && !script.is_empty();
            let is_wide = matches!(word.as_str(), "--workspaces" | "-ws" | "-w");
            asked.everywhere |= is_own && (is_wide || word.starts_with("--workspace="));
            if word == "--" {
                asked.given.extend(words.by_ref().cloned());
            } else if !is_own {
                asked.given.push(word.clone());
            }
            continue;
        }
        if matches!(
            word.as_str(),
            "-r" | "--recursive" | "--workspaces" | "-ws" | "--filter" | "-F"
        ) || word.starts_with("--filter=")
        {
            asked.everywhere = true;
        }
        if matches!(word.as_str(), "--help" | "-h" | "--version" | "--dry-run" | "--ignore-scripts")
        {
            return Asked::default();
        }
        if word.starts_with('-') {
            let (name, attached) = word.split_once('=').unwrap_or((word, ""));
            if VALUES.contains(&name) {
                let value = if attached.is_empty() {
                    words.next().cloned()
                } else {
                    Some(attached.to_owned())
                };
                if matches!(name, "-C" | "--cwd" | "--dir" | "--prefix") {
                    asked.directory = value;
                }
            }
            continue;
        }
        match (verb.as_deref(), word.as_str()) {
            (None, "run" | "run-script" | "rum" | "urn") => verb = Some("run".to_owned()),
            (None, "workspaces") if program == "yarn" => asked.everywhere = true,
            (None, "foreach") if program == "yarn" => {}
            (None, "workspace" | "-w") if program == "yarn" => {
                asked.everywhere = true;
                words.next();
            }
            (None, "t" | "tst" | "test") if program != "bun" => {
                asked.scripts.push("test".to_owned());
                runs = true;
            }
            (None, "start" | "stop" | "restart") => {
                asked.scripts.push(word.clone());
                runs = true;
            }
            (None, "install" | "i" | "ci" | "add" | "it" | "install-test" | "link" | "rebuild") => {
                verb = Some("install".to_owned());
            }
            (None, "publish" | "pack") => {
                asked.scripts.extend(
                    ["prepublish", "prepare", "prepublishOnly", "prepack", "postpack", "publish"]
                        .map(str::to_owned),
                );
                return asked;
            }
            (Some("run"), _) => {
                asked.scripts.push(word.clone());
                runs = true;
            }
            (None, _) if matches!(program, "yarn" | "pnpm" | "bun") => {
                asked.scripts.push(word.clone());
                runs = true;
            }
            (None, _) => return asked,
            _ => {}
        }
    }
    let installs =
        verb.as_deref() == Some("install") || verb.is_none() && program == "yarn" && !runs;
    if installs {
        asked.scripts = INSTALLATION.iter().map(|name| (*name).to_owned()).collect();
        // Packages of the workspace are installed with the root.
        asked.everywhere = true;
    }
    asked
}

fn start(walk: &mut Walk<'_>, invocation: &Invocation) {
    let words: Vec<String> = invocation.arguments.iter().map(|word| word.text.display()).collect();
    let asked = asked(&invocation.program, &words);
    if asked.scripts.is_empty() {
        return;
    }
    let outer = walk.directory().map(str::to_owned);
    if let Some(directory) = &asked.directory {
        let inner = walk.target(&Text::known(directory.as_str())).path;
        walk.go_to(inner);
    }
    if let Some(file) = found(walk) {
        package(walk, &file, &asked, invocation.span);
        if asked.everywhere {
            for member in members(walk, &file, invocation.span) {
                package(walk, &member, &asked, invocation.span);
            }
        }
    }
    walk.go_to(outer);
}

/// What is asked of one package.
fn package(walk: &mut Walk<'_>, file: &File, asked: &Asked, span: Span) {
    let inner = directory_of(&file.path).to_owned();
    let outer = walk.directory().map(str::to_owned);
    walk.go_to(Some(inner));
    let is_install = asked.scripts.iter().any(|script| script == "preinstall");
    walk.in_task(file, &asked.scripts.join(" "), "package.json", span, |walk| {
        let tree = project::whole(walk, tree::json(&file.text));
        let Some(root) = tree.root() else { return };
        for script in &asked.scripts {
            run(walk, root, script, &asked.given, is_install);
        }
        if is_install {
            dependencies(walk, root);
        }
        if tree.cut {
            walk.left_unread(Span::new(0, file.text.len()));
        }
    });
    walk.go_to(outer);
}

/// How many packages of a workspace are looked at.
const MEMBERS: usize = 40;

/// The packages of a workspace: `workspaces` of the `package.json`, or `packages` of a `pnpm-workspace.yaml`.
fn members(walk: &mut Walk<'_>, file: &File, span: Span) -> Vec<File> {
    let root = directory_of(&file.path).to_owned();
    let listed = walk.look(&format!("{root}/pnpm-workspace.yaml")).file();
    let mut patterns: Vec<String> = Vec::new();
    if let Some(listed) = listed {
        let tree = project::whole(walk, tree::yaml(&listed.text));
        patterns.extend(
            tree.root()
                .and_then(|root| root.get("packages"))
                .map(tree::Node::words)
                .unwrap_or_default(),
        );
    }
    let tree = project::whole(walk, tree::json(&file.text));
    if let Some(node) = tree.root().and_then(|root| root.get("workspaces")) {
        patterns.extend(node.words());
        patterns.extend(node.get("packages").map(tree::Node::words).unwrap_or_default());
    }
    patterns.retain(|pattern| !pattern.starts_with('!'));
    let patterns: Vec<&str> = patterns.iter().map(String::as_str).collect();
    let places = walk
        .in_task(file, "workspaces", "package.json", span, |walk| {
            project::members(walk, &root, &patterns, MEMBERS, span)
        })
        .unwrap_or_default();
    let found: Vec<Option<File>> =
        places.iter().map(|place| walk.look(&format!("{place}/package.json")).file()).collect();
    found.into_iter().flatten().filter(|member| member.path != file.path).collect()
}

/// The `package.json` of this directory or of the nearest above.
fn found(walk: &mut Walk<'_>) -> Option<File> {
    let mut directory = walk.directory()?.to_owned();
    let workspace = walk.facts().workspace.clone();
    loop {
        if let Some(file) = walk.look(&format!("{directory}/package.json")).file() {
            return Some(file);
        }
        let above = super::directory_above(&directory)?;
        if workspace.as_deref() == Some(directory.as_str()) {
            return None;
        }
        directory = above;
    }
}

fn run(walk: &mut Walk<'_>, root: &tree::Node, name: &str, given: &[String], is_alone: bool) {
    let around = [format!("pre{name}"), name.to_owned(), format!("post{name}")];
    for script in &around {
        if is_alone && script != name {
            continue;
        }
        let Some(node) = root.path(&["scripts", script]) else { continue };
        let Some(text) = node.text() else { continue };
        let mut code = text.to_owned();
        if script == name {
            for word in given {
                code.push(' ');
                code.push_str(&super::quoted(word));
            }
        }
        walk.shell(&Text::known(code), node.span, &[], None);
    }
}

/// Packages that come from an address: what `npm install ADDRESS` does.
fn dependencies(walk: &mut Walk<'_>, root: &tree::Node) {
    for group in ["dependencies", "devDependencies", "optionalDependencies"] {
        let Some(group) = root.get(group) else { continue };
        for (_, version) in group.entries() {
            let Some(text) = version.text() else { continue };
            if !["http://", "https://", "git+http://"].iter().any(|start| text.starts_with(start)) {
                continue;
            }
            let words = ["npm", "install", text]
                .map(|word| Argument { text: Text::known(word), span: version.span });
            walk.run(&words, None);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_are_asked_for_in_many_ways() {
        for (line, scripts, given) in [
            ("npm test", &["test"][..], &[][..]),
            ("npm run build -- --x", &["build"], &["--x"]),
            ("npm run -s lint --silent", &["lint"], &[]),
            ("npm run lint --workspaces", &["lint"], &[]),
            ("yarn build a", &["build"], &["a"]),
            ("pnpm --filter x run dev", &["dev"], &[]),
            ("npm run", &[], &[]),
            ("npm pkg get scripts", &[], &[]),
            ("npm install --ignore-scripts", &[], &[]),
            ("npm ci", INSTALLATION, &[]),
            ("yarn", INSTALLATION, &[]),
        ] {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            let (program, words) = words.split_first().unwrap();
            let asked = asked(program, words);
            assert_eq!(
                (asked.scripts, asked.given),
                (
                    scripts.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>(),
                    given.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>(),
                ),
                "{line}"
            );
        }
    }
}

//! Scripts of a `package.json`: `run NAME` with what stands before and after it by name, and what `install` runs of the package itself
//! (docs.npmjs.com, "scripts"; pnpm.io/cli/run; yarnpkg.com/cli/run; bun.com/docs/cli/run). Scripts of packages that are fetched are not
//! there to be read.

use portcullis_syntax::Span;

use super::{Starter, project, tree};
use crate::{
    effect::Argument,
    facts::Facts,
    paths::absolute,
    pattern,
    programs::found::{File, directory_of},
    programs::host::Host,
    programs::invocation::Invocation,
    text::Text,
};

pub(super) static SCRIPTS: Starter = Starter { programs: &["npm", "pnpm", "yarn", "bun"], start };

/// Scripts that an installation runs, in this order.
const INSTALLATION: &[&str] =
    &["preinstall", "install", "postinstall", "preprepare", "prepare", "postprepare"];

/// Scripts that run around the making of a package.
const PACKED: &[&str] =
    &["prepublish", "prepare", "prepublishOnly", "prepack", "postpack", "publish"];

/// Whether a word names a package by the directory that it lies in.
fn is_directory(word: &str) -> bool {
    let path = word.strip_prefix("file:").or_else(|| word.strip_prefix("link:"));
    let is_path = path.is_some() || word.starts_with("./") || word.starts_with("../");
    let is_archive = [".tgz", ".tar.gz", ".tar"].iter().any(|end| word.ends_with(end));
    (is_path || word == ".") && !is_archive
}

/// Options that name a directory to work in.
const DIRECTORIES: &[&str] = &["-C", "--cwd", "--dir", "--prefix"];

/// What is asked for: names of scripts with what each is given, and where.
#[derive(Debug, Default, Eq, PartialEq)]
struct Asked {
    directory: Option<String>,
    scripts: Vec<String>,
    given: Vec<String>,
    reach: Reach,
    /// Directories of other packages that are packed or installed from here.
    others: Vec<String>,
    /// Neither what stands before a script by its name nor what stands behind it runs.
    is_alone: bool,
}

/// In which packages of a workspace something runs.
#[derive(Debug, Default, Eq, PartialEq)]
enum Reach {
    /// In the nearest one.
    #[default]
    Here,
    /// In its root alone.
    Root,
    /// In those that these words choose.
    Chosen(Vec<String>),
    /// In each, but not in the root.
    Members,
    /// In all.
    All,
    /// In the nearest one and, where that is a root, in all of its workspace: an installation.
    Below,
}

impl Reach {
    fn choose(&mut self, word: String) {
        match self {
            Self::Chosen(words) => words.push(word),
            Self::All | Self::Below => {}
            _ => *self = Self::Chosen(vec![word]),
        }
    }
}

/// What an option says about where something runs.
enum Place {
    /// Nothing.
    No,
    /// What this reach says.
    At(Reach),
    /// What the value says that is attached, or comes next.
    Named(Option<String>),
}

/// Options that say where, as each program has them.
fn place(program: &str, word: &str) -> Place {
    let (name, attached) = match word.split_once('=') {
        Some((name, value)) => (name, Some(value.to_owned())),
        None => (word, None),
    };
    match (program, name) {
        ("npm", "-w" | "--workspace") | (_, "--filter" | "-F" | "--filter-prod") => {
            Place::Named(attached)
        }
        ("pnpm", "-w" | "--workspace-root") => Place::At(Reach::Root),
        (_, "--include-workspace-root" | "-iwr") => Place::At(Reach::All),
        (_, "-r" | "--recursive" | "--workspaces" | "-ws") => Place::At(Reach::Members),
        _ => Place::No,
    }
}

fn asked(program: &str, words: &[String]) -> Asked {
    let mut asked = Asked::default();
    let mut verb: Option<String> = None;
    let mut runs = false;
    let mut words = words.iter();
    while let Some(word) = words.next() {
        // npm keeps options in front of `--` for itself, the others hand on what stands behind the script.
        let is_behind = runs && !asked.scripts.is_empty();
        let is_own = !is_behind || program == "npm";
        if is_behind && word == "--" {
            asked.given.extend(words.by_ref().cloned());
            continue;
        }
        if word.starts_with('-') && is_own {
            match place(program, word) {
                Place::At(Reach::Members) if asked.reach != Reach::Here => continue,
                Place::At(reach) => {
                    asked.reach = reach;
                    continue;
                }
                Place::Named(value) => {
                    let value = value.or_else(|| words.next().cloned());
                    asked.reach.choose(value.unwrap_or_default());
                    continue;
                }
                Place::No => {}
            }
        }
        // docs.npmjs.com, "ignore-scripts": a script that is asked for runs, and nothing before or behind it.
        if word == "--ignore-scripts" && is_own {
            asked.is_alone = true;
            continue;
        }
        if is_behind {
            if !(word.starts_with('-') && is_own) {
                asked.given.push(word.clone());
            }
            continue;
        }
        if matches!(word.as_str(), "--help" | "-h" | "--version" | "--dry-run") {
            return Asked::default();
        }
        if word.starts_with('-') {
            let (name, attached) = word.split_once('=').unwrap_or((word, ""));
            if DIRECTORIES.contains(&name) {
                asked.directory = match attached {
                    "" => words.next().cloned(),
                    _ => Some(attached.to_owned()),
                };
            }
            continue;
        }
        match (verb.as_deref(), word.as_str()) {
            (None, "run" | "run-script" | "rum" | "urn") => verb = Some("run".to_owned()),
            (None, "workspaces") if program == "yarn" => asked.reach = Reach::All,
            (None, "foreach") if program == "yarn" => {}
            (None, "workspace") if program == "yarn" => {
                asked.reach.choose(words.next().cloned().unwrap_or_default());
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
                if asked.is_alone || words.clone().any(|word| word == "--ignore-scripts") {
                    return Asked::default();
                }
                asked.scripts.extend(PACKED.iter().map(|name| (*name).to_owned()));
                asked.others.extend(words.filter(|word| is_directory(word)).cloned());
                return asked;
            }
            (None, "version") if program != "yarn" || words.len() > 0 => {
                asked.scripts.push("version".to_owned());
                return asked;
            }
            (Some("install"), _) if is_directory(word) => asked.others.push(word.clone()),
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
    if installs && asked.is_alone {
        return Asked::default();
    }
    if installs {
        asked.scripts = INSTALLATION.iter().map(|name| (*name).to_owned()).collect();
        // Packages of the workspace are installed with the root.
        asked.reach = Reach::Below;
    }
    asked
}

fn start(walk: &mut dyn Host, invocation: &Invocation) {
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
    for file in reached(walk, &asked.reach, invocation.span) {
        package(walk, &file, &asked, invocation.span);
    }
    for other in &asked.others {
        let place = other.split_once(':').map_or(other.as_str(), |(_, path)| path);
        let Some(path) = walk.target(&Text::known(place)).path else { continue };
        if let Some(file) = walk.look(&format!("{path}/package.json")).file() {
            package(walk, &file, &asked, invocation.span);
        }
    }
    walk.go_to(outer);
}

/// The packages that something runs in.
fn reached(walk: &mut dyn Host, reach: &Reach, span: Span) -> Vec<File> {
    let Some(nearest) = found(walk) else { return Vec::new() };
    if *reach == Reach::Here {
        return vec![nearest];
    }
    let root = match reach {
        Reach::Below => nearest,
        _ => workspace(walk, &nearest).unwrap_or(nearest),
    };
    if *reach == Reach::Root {
        return vec![root];
    }
    let mut members = members(walk, &root, span);
    let words = match reach {
        Reach::Members if !members.is_empty() => return members,
        Reach::Chosen(words) => words.as_slice(),
        _ => &[],
    };
    let directory = walk.directory().unwrap_or("/").to_owned();
    members.insert(0, root);
    let root = members.first().map(|root| directory_of(&root.path).to_owned());
    let chosen: Option<Vec<bool>> = members
        .iter()
        .map(|member| is_chosen(member, words, [&directory, root.as_deref().unwrap_or("/")]))
        .collect();
    // Where they choose nothing that is known, any may be meant.
    if let Some(chosen) = chosen.filter(|chosen| chosen.contains(&true)) {
        let mut chosen = chosen.into_iter();
        members.retain(|_| chosen.next().unwrap_or(true));
    }
    members
}

/// Whether words that choose packages choose this one, by its name or where it lies; `None` where that cannot be said of one of them.
fn is_chosen(member: &File, words: &[String], directories: [&str; 2]) -> Option<bool> {
    let tree = tree::json(&member.text);
    let name = tree.root().and_then(|root| root.get("name")).and_then(tree::Node::text);
    let name = name.unwrap_or_default();
    let lies = directory_of(&member.path);
    let mut is_chosen = false;
    for word in words {
        // What depends on what, what changed since when, and what is left out, is not followed.
        if word.is_empty() || word.contains("...") || word.contains(['$', '[', '!', '^', '{']) {
            return None;
        }
        let is_named = pattern::matches(word, name)
            || name.rsplit_once('/').is_some_and(|(_, plain)| pattern::matches(word, plain));
        let is_there = directories.iter().any(|directory| {
            absolute_in(word, directory)
                .is_some_and(|path| lies == path || lies.starts_with(&format!("{path}/")))
        });
        is_chosen |= is_named || is_there;
    }
    Some(is_chosen)
}

/// A path of a directory's own words.
fn absolute_in(word: &str, directory: &str) -> Option<String> {
    let facts = Facts { cwd: Some(directory.to_owned()), ..Facts::default() };
    absolute(&Text::known(word), Some(directory), &facts)
}

/// The root of the workspace that a package belongs to.
fn workspace(walk: &mut dyn Host, nearest: &File) -> Option<File> {
    let outermost = walk.facts().workspace.clone();
    let mut directory = directory_of(&nearest.path).to_owned();
    loop {
        let listed = walk.look(&format!("{directory}/pnpm-workspace.yaml")).file().is_some();
        if let Some(file) = walk.look(&format!("{directory}/package.json")).file() {
            let tree = tree::json(&file.text);
            if listed || tree.root().is_some_and(|root| root.get("workspaces").is_some()) {
                return Some(file);
            }
        }
        if outermost.as_deref() == Some(directory.as_str()) {
            return None;
        }
        directory = super::directory_above(&directory)?;
    }
}

/// What is asked of one package.
fn package(walk: &mut dyn Host, file: &File, asked: &Asked, span: Span) {
    let inner = directory_of(&file.path).to_owned();
    let outer = walk.directory().map(str::to_owned);
    walk.go_to(Some(inner));
    let is_install = asked.scripts.iter().any(|script| script == "preinstall");
    walk.in_task(file, &asked.scripts.join(" "), "package.json", span, |walk| {
        let tree = project::whole(walk, tree::json(&file.text));
        let Some(root) = tree.root() else { return };
        for script in &asked.scripts {
            run(walk, root, script, &asked.given, is_install || asked.is_alone);
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
const MEMBERS: usize = 256;

/// The packages of a workspace: `workspaces` of the `package.json`, or `packages` of a `pnpm-workspace.yaml`.
fn members(walk: &mut dyn Host, file: &File, span: Span) -> Vec<File> {
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
fn found(walk: &mut dyn Host) -> Option<File> {
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

fn run(walk: &mut dyn Host, root: &tree::Node, name: &str, given: &[String], is_alone: bool) {
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
fn dependencies(walk: &mut dyn Host, root: &tree::Node) {
    for group in ["dependencies", "devDependencies", "optionalDependencies"] {
        let Some(group) = root.get(group) else { continue };
        for (_, version) in group.entries() {
            let Some(text) = version.text() else { continue };
            if is_directory(text) && text.contains(':') {
                let words = project::arguments(&["npm", "install", text], version.span);
                walk.run(&words, None);
            }
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
    fn where_they_run_is_told_by_options() {
        let chosen =
            |words: &[&str]| Reach::Chosen(words.iter().map(|word| (*word).to_owned()).collect());
        for (line, reach, given) in [
            ("npm run build", Reach::Here, &[][..]),
            ("npm run build -w a --workspace=b x", chosen(&["a", "b"]), &["x"]),
            ("npm test --workspaces", Reach::Members, &[]),
            ("npm test -ws --include-workspace-root", Reach::All, &[]),
            ("pnpm -r --filter ./a run build -w", chosen(&["./a"]), &["-w"]),
            ("pnpm -w run build", Reach::Root, &[]),
            ("pnpm -F a -F b... build", chosen(&["a", "b..."]), &[]),
            ("yarn workspace a build", chosen(&["a"]), &[]),
            ("yarn workspaces foreach run build", Reach::All, &[]),
            ("npm ci", Reach::Below, &[]),
        ] {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            let (program, words) = words.split_first().unwrap();
            let asked = asked(program, words);
            assert_eq!(asked.reach, reach, "{line}");
            assert_eq!(asked.given, given, "{line}");
        }
    }

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
            ("npm publish --ignore-scripts", &[], &[]),
            ("npm test --ignore-scripts", &["test"], &[]),
            ("pnpm run a --ignore-scripts", &["a"], &["--ignore-scripts"]),
            ("npm ci", INSTALLATION, &[]),
            ("npm install ./a", INSTALLATION, &[]),
            ("npm version patch", &["version"], &[]),
            ("npm pack ./a", PACKED, &[]),
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

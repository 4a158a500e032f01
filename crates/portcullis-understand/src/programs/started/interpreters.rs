//! What interpreters load beside the script that they are told to run: modules run by name, files that options and variables preload.

use portcullis_syntax::Span;

use super::Starter;
use crate::{
    bound::Bounded, effect::Argument, programs::found::Found, programs::host::Host,
    programs::invocation::Invocation, programs::options,
};

pub(super) static PYTHON: Starter =
    Starter { programs: &["python", "pypy", "pypy3", "ipython", "bpython"], start: python };

pub(super) static NODE: Starter = Starter {
    programs: &["bun", "node", "npm", "npx", "pnpm", "ts-node", "tsx", "yarn"],
    start: node,
};

pub(super) static RUBY: Starter = Starter { programs: &["ruby", "irb"], start: ruby };

pub(super) static PERL: Starter = Starter { programs: &["perl"], start: perl };

/// How many files of an environment are read.
const PATHS: usize = 16;

/// `python -m PACKAGE`: the package's `__main__`, or the module. `sitecustomize` and `usercustomize` are loaded from wherever `PYTHONPATH`
/// leads (the `site` module's page), and `PYTHONSTARTUP` before a prompt.
fn python(walk: &mut dyn Host, invocation: &Invocation) {
    if let Some(module) = options::values_of(&invocation.arguments, "-m").into_iter().next()
        && let Some(name) = module.text.as_known()
        && let Some(directory) = walk.directory().map(str::to_owned)
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.".contains(&byte))
    {
        let path = format!("{}/{}", directory.trim_end_matches('/'), name.replace('.', "/"));
        let candidates =
            [format!("{path}/__init__.py"), format!("{path}/__main__.py"), format!("{path}.py")];
        for candidate in &candidates {
            walk.look(candidate);
        }
        for candidate in &candidates {
            walk.load_from(std::slice::from_ref(&directory), "python", candidate, module.span);
        }
    }
    let mut sites: Vec<String> = Vec::new();
    if let Some(path) = variable(walk, invocation, "PYTHONPATH") {
        for directory in path.text.known_prefix().split(':').filter(|part| !part.is_empty()) {
            sites.extend(walk.target(&crate::text::Text::known(directory)).path);
        }
    }
    for directory in &sites {
        for name in ["sitecustomize", "usercustomize"] {
            for ending in [".py", "/__init__.py"] {
                let path = format!("{directory}/{name}{ending}");
                walk.load_from(
                    std::slice::from_ref(directory),
                    "python",
                    &path,
                    invocation.name.span,
                );
            }
        }
    }
    environment(walk, invocation);
    if let Some(file) = variable(walk, invocation, "PYTHONSTARTUP")
        && let Some(path) = walk.target(&file.text).path
    {
        walk.load("python", &path, file.span);
    }
}

/// The `.pth` files of an environment whose interpreter is started by its path: lines that begin with `import` are run (docs.python.org, "site").
fn environment(walk: &mut dyn Host, invocation: &Invocation) {
    let name = invocation.name.text.as_known().unwrap_or_default();
    let Some((root, _)) = name.rsplit_once("/bin/").filter(|(root, _)| !root.starts_with("/usr"))
    else {
        return;
    };
    let Some(library) = walk.target(&crate::text::Text::known(format!("{root}/lib"))).path else {
        return;
    };
    let Found::Directory(versions) = walk.look(&library) else { return };
    for version in versions.iter().filter_map(|name| name.strip_suffix('/')).leading(4) {
        let packages = format!("{library}/{version}/site-packages");
        let Found::Directory(names) = walk.look(&packages) else { continue };
        let paths: Vec<String> = names
            .iter()
            .filter(|name| name.ends_with(".pth"))
            .leading(PATHS)
            .map(|name| format!("{packages}/{name}"))
            .collect();
        for path in &paths {
            walk.look(path);
        }
        for path in &paths {
            let Some(file) = walk.look(path).file() else { continue };
            walk.in_file(&file, "python", invocation.span, |walk| {
                let mut at = 0;
                for line in file.text.split_inclusive('\n') {
                    let span = Span::new(at, at + line.trim_end().len());
                    at += line.len();
                    if line.starts_with("import ") || line.starts_with("import\t") {
                        walk.code("python", &crate::text::Text::known(line.trim_end()), span, &[]);
                    }
                }
            });
        }
    }
}

/// `node -r FILE`, `--require`, `--import`, `--loader`, and the same in `NODE_OPTIONS`.
fn node(walk: &mut dyn Host, invocation: &Invocation) {
    let is_node = matches!(invocation.program.as_str(), "node" | "ts-node" | "tsx" | "bun");
    let options = ["-r", "--require", "--import", "--loader", "--experimental-loader"];
    for option in options.into_iter().filter(|_| is_node) {
        for file in options::values_of(&invocation.arguments, option) {
            preloaded(walk, "javascript", &file);
        }
    }
    let variable = variable(walk, invocation, "NODE_OPTIONS");
    if let Some(words) = variable {
        let mut words = words.text.as_known().unwrap_or_default().split_whitespace().peekable();
        while let Some(word) = words.next() {
            let (option, value) = word.split_once('=').unwrap_or((word, ""));
            if !matches!(option, "-r" | "--require" | "--import" | "--loader") {
                continue;
            }
            let value = if value.is_empty() { words.next().unwrap_or_default() } else { value };
            let text = crate::text::Text::known(value.trim_start_matches("file://"));
            preloaded(walk, "javascript", &Argument { text, span: invocation.span });
        }
    }
}

/// `ruby -r ./FILE`, and `RUBYOPT`.
fn ruby(walk: &mut dyn Host, invocation: &Invocation) {
    if let Some(words) = variable(walk, invocation, "RUBYOPT") {
        for word in words.text.as_known().unwrap_or_default().split_whitespace() {
            if let Some(file) = word.strip_prefix("-r") {
                let text = crate::text::Text::known(file);
                preloaded(walk, "ruby", &Argument { text, span: invocation.span });
            }
        }
    }
}

/// `perl -I lib -MFoo`: a module of the project.
fn perl(walk: &mut dyn Host, invocation: &Invocation) {
    let directories: Vec<String> = options::values_of(&invocation.arguments, "-I")
        .iter()
        .filter_map(|directory| walk.target(&directory.text).path)
        .collect();
    for module in options::values_of(&invocation.arguments, "-M") {
        let name = module.text.known_prefix().split('=').next().unwrap_or_default();
        let name = name.trim_start_matches('-').replace("::", "/");
        for directory in &directories {
            walk.load("perl", &format!("{directory}/{name}.pm"), module.span);
        }
    }
}

/// A file that is loaded first, by a path; packages have none.
fn preloaded(walk: &mut dyn Host, language: &'static str, file: &Argument) {
    let written = file.text.known_prefix();
    if !written.starts_with(['.', '/', '~']) && !written.contains('/') {
        return;
    }
    let Some(path) = walk.target(&file.text).path else { return };
    let endings: &[&str] = match language {
        "javascript" => &["", ".js", ".cjs", ".mjs"],
        "ruby" => &["", ".rb"],
        _ => &[""],
    };
    for ending in endings {
        walk.load(language, &format!("{path}{ending}"), file.span);
    }
}

/// What a variable of the program's environment holds, where this call says so.
fn variable(walk: &dyn Host, invocation: &Invocation, name: &str) -> Option<Argument> {
    let given = invocation.environment.iter().find(|(variable, _)| variable == name);
    let text = given.map(|(_, value)| value.clone()).or_else(|| walk.variable_set(name))?;
    (!text.is_empty()).then_some(Argument { text, span: invocation.name.span })
}

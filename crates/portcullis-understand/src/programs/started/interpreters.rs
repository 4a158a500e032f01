//! What interpreters load beside the script that they are told to run: modules run by name, files that options and variables preload.

use portcullis_syntax::Span;

use super::{Starter, commands, imports, project};
use crate::{
    bound::Bounded,
    effect::Argument,
    programs::found::{File, Found},
    programs::host::{Host, Unread},
    programs::invocation::Invocation,
    programs::options,
};

pub(super) static PYTHON: Starter =
    Starter { programs: &["python", "pypy", "pypy3", "ipython", "bpython"], start: python };

pub(super) static PYDOC: Starter = Starter { programs: &["pydoc", "pydoc3"], start: pydoc };

pub(super) static NODE: Starter = Starter {
    programs: &["bun", "node", "npm", "npx", "pnpm", "ts-node", "tsx", "yarn"],
    start: node,
};

pub(super) static RUBY: Starter = Starter { programs: &["ruby", "irb"], start: ruby };

pub(super) static R: Starter = Starter { programs: &["R", "Rscript", "r"], start: profile };
pub(super) static PERL: Starter = Starter { programs: &["perl"], start: perl };

/// `python -m PACKAGE`: the package's `__main__`, or the module. `sitecustomize` and `usercustomize` are loaded from wherever `PYTHONPATH`
/// leads (the `site` module's page), and `PYTHONSTARTUP` before a prompt.
fn python(walk: &mut dyn Host, invocation: &Invocation) {
    let mut sites: Vec<String> = Vec::new();
    if let Some(path) = variable(walk, invocation, "PYTHONPATH") {
        for directory in path.text.known_prefix().split(':').filter(|part| !part.is_empty()) {
            sites.extend(walk.target(&crate::text::Text::known(directory)).path);
        }
    }
    if let Some(module) = options::values_of(&invocation.arguments, "-m").into_iter().next()
        && let Some(name) = module.text.as_known()
        && let Some(directory) = walk.directory().map(str::to_owned)
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.".contains(&byte))
    {
        let mut roots = vec![directory];
        roots.extend(sites.iter().cloned());
        let candidates: Vec<String> = roots
            .iter()
            .flat_map(|root| {
                let path = format!("{}/{}", root.trim_end_matches('/'), name.replace('.', "/"));
                [format!("{path}/__init__.py"), format!("{path}/__main__.py"), format!("{path}.py")]
            })
            .collect();
        for candidate in &candidates {
            walk.look(candidate);
        }
        let behind: Vec<String> = invocation
            .arguments
            .iter()
            .skip_while(|word| word.text.as_known() != Some(name))
            .skip(1)
            .map(|word| word.text.display())
            .collect();
        for candidate in &candidates {
            // Of a program that has commands, those run that the words name.
            let file = walk.look(candidate).file();
            let chosen = file.and_then(|file| {
                let text = commands::chosen(&file.text, &behind)?;
                Some(File { text: text.into(), ..file })
            });
            match chosen {
                Some(file) => walk.load_text_from(&roots, "python", &file, module.span),
                None => {
                    walk.load_from(&roots, "python", candidate, module.span);
                }
            }
        }
    }
    tests_by_name(walk, invocation);
    for directory in &sites {
        customized(walk, directory, invocation.name.span);
    }
    environment(walk, invocation);
    if let Some(base) = variable(walk, invocation, "PYTHONUSERBASE") {
        site_packages(walk, &base.text, base.span);
    }
    let mut filters = options::values_of(&invocation.arguments, "-W");
    filters.extend(variable(walk, invocation, "PYTHONWARNINGS"));
    sites.extend(walk.directory().map(str::to_owned));
    for filters in &filters {
        warned(walk, filters, &sites);
    }
    shadows(walk, invocation);
    if let Some(file) = variable(walk, invocation, "PYTHONSTARTUP")
        && let Some(path) = walk.target(&file.text).path
    {
        walk.load("python", &path, file.span);
    }
}

/// `R_PROFILE_USER`, in the environment or in the `.Renviron` that is read first: the profile that is run (stat.ethz.ch, "Startup").
fn profile(walk: &mut dyn Host, invocation: &Invocation) {
    let words = project::words(invocation);
    if project::has(&words, &["--vanilla", "--no-environ", "--version", "--help"]) {
        return;
    }
    let Some(here) = walk.directory().map(str::to_owned) else { return };
    let settings = walk.look(&format!("{here}/.Renviron")).file();
    for name in ["R_PROFILE", "R_PROFILE_USER"] {
        let set = variable(walk, invocation, name).map(|it| it.text.display());
        let written = settings.iter().flat_map(|file| file.text.lines()).find_map(|line| {
            let (key, value) = line.trim().split_once('=')?;
            (key.trim() == name).then(|| value.trim().trim_matches(['"', '\'']).to_owned())
        });
        let Some(value) = set.or(written) else { continue };
        if let Some(path) = walk.target(&crate::text::Text::known(value)).path {
            walk.load("r", &path, invocation.span);
        }
    }
}

/// `python -m unittest NAME…`, `-m doctest FILE`: modules, classes and tests by their names, or files (docs.python.org, "unittest").
fn tests_by_name(walk: &mut dyn Host, invocation: &Invocation) {
    /// How many names are followed.
    const NAMES: usize = 24;
    let words = &invocation.arguments;
    let module = options::values_of(words, "-m").into_iter().next();
    let module = module.as_ref().and_then(|module| module.text.as_known()).unwrap_or_default();
    if !matches!(module, "doctest" | "unittest" | "runpy") {
        return;
    }
    let at =
        words.iter().position(|word| word.text.as_known().is_some_and(|it| it.ends_with(module)));
    let rest = words.get(at.unwrap_or_default() + 1..).unwrap_or_default();
    let Some(directory) = walk.directory().map(str::to_owned) else { return };
    let is_name = |word: &&Argument| !word.text.known_prefix().starts_with('-');
    let mut paths = Vec::new();
    for word in rest.iter().filter(is_name).at_most(NAMES, walk, invocation.span) {
        let Some(name) = word.text.as_known() else { continue };
        if name.contains('/') || name.ends_with(".py") {
            paths.extend(walk.target(&word.text).path.map(|path| (path, word.span)));
            continue;
        }
        let mut stem = directory.clone();
        for part in name.split('.') {
            stem = format!("{}/{part}", stem.trim_end_matches('/'));
            paths.push((format!("{stem}/__init__.py"), word.span));
            paths.push((format!("{stem}.py"), word.span));
        }
    }
    for (path, _) in &paths {
        walk.look(path);
    }
    for (path, span) in &paths {
        walk.load_from(std::slice::from_ref(&directory), "python", path, *span);
    }
}

/// `pydoc NAME` is `python -m pydoc NAME`.
fn pydoc(walk: &mut dyn Host, invocation: &Invocation) {
    let mut words = project::arguments(&["python3", "-m", "pydoc"], invocation.name.span);
    words.extend(invocation.arguments.iter().cloned());
    walk.run(&words, None);
}

/// The `.pth` files of an environment whose interpreter is started by its path: lines that begin with `import` are run (docs.python.org, "site").
fn environment(walk: &mut dyn Host, invocation: &Invocation) {
    let name = invocation.name.text.as_known().unwrap_or_default();
    let Some((root, _)) = name.rsplit_once("/bin/").filter(|(root, _)| !root.starts_with("/usr"))
    else {
        return;
    };
    site_packages(walk, &crate::text::Text::known(root), invocation.span);
}

/// What an interpreter loads of a directory that packages are installed below: of an environment, or of a user.
fn site_packages(walk: &mut dyn Host, root: &crate::text::Text, span: Span) {
    let Some(root) = walk.target(root).path else { return };
    let library = format!("{root}/lib");
    let Found::Directory(versions) = walk.look(&library) else { return };
    for version in versions.iter().filter_map(|name| name.strip_suffix('/')).leading(4) {
        let packages = format!("{library}/{version}/site-packages");
        imports::paths(walk, &packages, span);
        customized(walk, &packages, span);
    }
}

/// Programs of Python that are called by names of their own; each starts an interpreter.
pub(super) static SITES: Starter = Starter {
    programs: &[
        "alembic",
        "behave",
        "black",
        "celery",
        "coverage",
        "django-admin",
        "dbt",
        "doit",
        "fab",
        "flake8",
        "flask",
        "gunicorn",
        "inv",
        "invoke",
        "ipython",
        "isort",
        "jupyter",
        "locust",
        "mkdocs",
        "mypy",
        "nox",
        "pip",
        "pylint",
        "pyright",
        "pytest",
        "py.test",
        "robot",
        "scrapy",
        "sphinx-build",
        "streamlit",
        "tox",
        "twine",
        "uvicorn",
    ],
    start: sited,
};

fn sited(walk: &mut dyn Host, invocation: &Invocation) {
    if let Some(path) = variable(walk, invocation, "PYTHONPATH") {
        sites(walk, path.text.known_prefix(), invocation.span);
    }
}

/// What an interpreter loads of itself from where a `PYTHONPATH` leads.
pub(super) fn sites(walk: &mut dyn Host, value: &str, span: Span) {
    for directory in value.split(':').filter(|part| !part.is_empty()) {
        if let Some(path) = walk.target(&crate::text::Text::known(directory)).path {
            customized(walk, &path, span);
        }
    }
}

/// `sitecustomize` and `usercustomize` of a directory that modules are looked for in.
fn customized(walk: &mut dyn Host, directory: &str, span: Span) {
    for name in ["sitecustomize", "usercustomize"] {
        for ending in [".py", "/__init__.py"] {
            let path = format!("{directory}/{name}{ending}");
            walk.load_from(std::slice::from_ref(&directory.to_owned()), "python", &path, span);
        }
    }
}

/// Modules of the standard library that other modules of it import: one of these names beside a script takes the place of the library's, whatever the
/// script itself imports (docs.python.org, "sys.path"). Sorted.
const TAKEN_FOR_THE_LIBRARY_S: &[&str] = &[
    "abc",
    "argparse",
    "ast",
    "asyncio",
    "base64",
    "bdb",
    "bisect",
    "bz2",
    "calendar",
    "cmd",
    "code",
    "codeop",
    "collections",
    "colorsys",
    "compileall",
    "concurrent",
    "configparser",
    "contextlib",
    "contextvars",
    "copy",
    "copyreg",
    "csv",
    "ctypes",
    "dataclasses",
    "datetime",
    "decimal",
    "difflib",
    "dis",
    "email",
    "enum",
    "fnmatch",
    "fractions",
    "functools",
    "getopt",
    "getpass",
    "gettext",
    "glob",
    "gzip",
    "hashlib",
    "heapq",
    "hmac",
    "html",
    "http",
    "importlib",
    "inspect",
    "ipaddress",
    "json",
    "keyword",
    "linecache",
    "locale",
    "logging",
    "lzma",
    "mimetypes",
    "multiprocessing",
    "numbers",
    "opcode",
    "operator",
    "optparse",
    "pathlib",
    "pdb",
    "pickle",
    "pkgutil",
    "platform",
    "pprint",
    "queue",
    "quopri",
    "random",
    "re",
    "reprlib",
    "sched",
    "secrets",
    "selectors",
    "shlex",
    "shutil",
    "signal",
    "socket",
    "socketserver",
    "sre_compile",
    "ssl",
    "stat",
    "statistics",
    "string",
    "stringprep",
    "struct",
    "subprocess",
    "symtable",
    "tarfile",
    "tempfile",
    "textwrap",
    "threading",
    "token",
    "tokenize",
    "traceback",
    "tracemalloc",
    "types",
    "typing",
    "unittest",
    "urllib",
    "uuid",
    "warnings",
    "weakref",
    "webbrowser",
    "xml",
    "zipfile",
];

/// What stands beside the script, or in the directory of the call, under the name of a module of the library.
fn shadows(walk: &mut dyn Host, invocation: &Invocation) {
    let words = &invocation.arguments;
    let is_isolated = |word: &Argument| matches!(word.text.as_known(), Some("-I" | "-P"));
    if words.iter().any(is_isolated) {
        return;
    }
    let script = options::Options::new(words, &["-W", "-X", "-c", "-m"]).operands().next();
    let is_code =
        !options::values_of(words, "-c").is_empty() || !options::values_of(words, "-m").is_empty();
    let place = match script.filter(|_| !is_code) {
        Some(script) => {
            let Some(path) = walk.target(&script.text).path else { return };
            crate::programs::found::directory_of(&path).to_owned()
        }
        None => match walk.directory() {
            Some(directory) => directory.to_owned(),
            None => return,
        },
    };
    let Found::Directory(names) = walk.look(&place) else { return };
    for name in names {
        let stem = name.strip_suffix(".py").or_else(|| name.strip_suffix('/')).unwrap_or_default();
        if TAKEN_FOR_THE_LIBRARY_S.binary_search(&stem).is_err() {
            continue;
        }
        let end = if name.ends_with('/') { "/__init__.py" } else { ".py" };
        let path = format!("{}/{stem}{end}", place.trim_end_matches('/'));
        walk.at_likely(|walk| {
            walk.load_from(std::slice::from_ref(&place), "python", &path, invocation.name.span)
        });
    }
}

/// `PYTHONWARNINGS` and `-W`: the category of a warning is imported, `ACTION:MESSAGE:CATEGORY` (docs.python.org, "warnings").
fn warned(walk: &mut dyn Host, filters: &Argument, places: &[String]) {
    for filter in filters.text.known_prefix().split(',') {
        let category = filter.split(':').nth(2).unwrap_or_default();
        let Some((module, _)) = category.rsplit_once('.') else { continue };
        let name = module.replace('.', "/");
        for place in places {
            for end in [".py", "/__init__.py"] {
                let path = format!("{place}/{name}{end}");
                walk.load_from(std::slice::from_ref(place), "python", &path, filters.span);
            }
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
    if let Some(words) = variable(walk, invocation, "NODE_OPTIONS") {
        node_options(walk, words.text.as_known().unwrap_or_default(), invocation.span);
    }
    if !is_node {
        return;
    }
    for file in options::values_of(&invocation.arguments, "--test-reporter") {
        preloaded(walk, "javascript", &file);
    }
    for option in ["--env-file", "--env-file-if-exists"] {
        for file in options::values_of(&invocation.arguments, option) {
            from_file(walk, &file);
        }
    }
    if let Some(places) = variable(walk, invocation, "NODE_PATH") {
        for place in places.text.known_prefix().split(':').filter(|place| !place.is_empty()) {
            let path = walk.target(&crate::text::Text::known(place)).path;
            modules_of(walk, path, places.span);
        }
    }
    tested(walk, invocation);
    found_by_stem(walk, invocation);
    // A prompt obeys `.load FILE` (nodejs.org, "REPL").
    let known = invocation.input.as_ref().and_then(|input| input.as_known().map(str::to_owned));
    for line in known.iter().flat_map(|known| known.lines()) {
        if let Some(name) = line.trim().strip_prefix(".load ") {
            let text = crate::text::Text::known(name.trim());
            let file = Argument { text, span: invocation.span };
            walk.script("javascript", &file, &[], None);
        }
    }
}

/// `node NAME`, `node DIRECTORY`: the file that it is without its ending, what the directory's `package.json` says, or its `index.js`
/// (nodejs.org, "Folders as modules").
fn found_by_stem(walk: &mut dyn Host, invocation: &Invocation) {
    let words = project::words(invocation);
    if project::has(&words, &["-e", "-p", "-pe", "--eval", "--print", "--test", "--check", "-c"]) {
        return;
    }
    let mut operands = options::Options::new(&invocation.arguments, invocation.values).operands();
    let Some(first) = operands.next() else { return };
    let Some(path) = walk.target(&first.text).path else { return };
    let path = path.trim_end_matches('/');
    let name = path.rsplit('/').next().unwrap_or_default();
    if [".js", ".cjs", ".mjs", ".ts", ".json"].iter().any(|end| name.ends_with(end))
        || walk.look(path).file().is_some()
    {
        return;
    }
    let mut candidates = vec![format!("{path}.js"), format!("{path}/index.js")];
    if let Some(file) = walk.look(&format!("{path}/package.json")).file() {
        let tree = super::tree::json(&file.text);
        let main = tree.root().and_then(|root| root.get("main")).and_then(super::tree::Node::text);
        if let Some(main) = main {
            let text = crate::text::Text::known(format!("{path}/{main}"));
            candidates.extend(walk.target(&text).path.map(|main| format!("{main}.js")));
            candidates.extend(walk.target(&text).path);
        }
    }
    for candidate in &candidates {
        walk.look(candidate);
    }
    for candidate in &candidates {
        walk.load("javascript", candidate, first.span);
    }
}

/// What `NODE_OPTIONS` has loaded first, by every program that is written for node.
pub(crate) fn node_options(walk: &mut dyn Host, words: &str, span: Span) {
    let mut words = words.split_whitespace();
    while let Some(word) = words.next() {
        let (option, value) = word.split_once('=').unwrap_or((word, ""));
        if !matches!(option, "-r" | "--require" | "--import" | "--loader") {
            continue;
        }
        let value = if value.is_empty() { words.next().unwrap_or_default() } else { value };
        let text = crate::text::Text::known(value.trim_start_matches("file://"));
        preloaded(walk, "javascript", &Argument { text, span });
    }
}

/// `--env-file FILE`: of what it sets, `NODE_OPTIONS` counts for this very process (nodejs.org, "--env-file=file").
fn from_file(walk: &mut dyn Host, file: &Argument) {
    let Some(path) = walk.target(&file.text).path else { return };
    let Some(found) = walk.look(&path).file() else { return };
    walk.in_file(&found, "environment", file.span, |walk| {
        let mut at = 0;
        for line in found.text.split_inclusive('\n') {
            let span = Span::new(at, at + line.trim_end().len());
            at += line.len();
            let line = line.trim().trim_start_matches("export ");
            let Some((name, value)) = line.split_once('=') else { continue };
            if name.trim() == "NODE_OPTIONS" {
                node_options(walk, value.trim().trim_matches(['"', '\'', '`']), span);
            }
        }
    });
}

/// How many modules of a directory are read that `NODE_PATH` names.
const MODULES: usize = 32;

/// The modules of a directory in which they are looked for by their names alone.
fn modules_of(walk: &mut dyn Host, directory: Option<String>, span: Span) {
    let Some(directory) = directory.filter(|path| !path.contains("/node_modules")) else { return };
    let Found::Directory(names) = walk.look(&directory) else { return };
    let paths: Vec<String> = names
        .iter()
        .filter_map(|name| match name.strip_suffix('/') {
            Some(folder) => Some(format!("{directory}/{folder}/index.js")),
            None => name.ends_with("js").then(|| format!("{directory}/{name}")),
        })
        .at_most(MODULES, &mut Unread(walk), span)
        .collect();
    for path in &paths {
        walk.look(path);
    }
    for path in &paths {
        walk.at_likely(|walk| walk.load("javascript", path, span));
    }
}

/// How many tests are read, and how deep they are looked for.
const TESTS: usize = 24;
const DEPTH: usize = 4;

/// `node --test` without a file: the tests that it finds by their names (nodejs.org, "Running tests from the command line").
fn tested(walk: &mut dyn Host, invocation: &Invocation) {
    let words = project::words(invocation);
    let mut operands = options::Options::new(&invocation.arguments, invocation.values).operands();
    if !project::has(&words, &["--test"]) || operands.next().is_some() {
        return;
    }
    let Some(root) = walk.directory().map(str::to_owned) else { return };
    let is_test = |name: &str| {
        let Some((stem, end)) = name.rsplit_once('.') else { return false };
        matches!(end, "cjs" | "cts" | "js" | "mjs" | "mts" | "ts")
            && (stem == "test"
                || stem.starts_with("test-")
                || [".test", "-test", "_test"].iter().any(|mark| stem.ends_with(mark)))
    };
    let is_module = |name: &str| [".js", ".cjs", ".mjs"].iter().any(|end| name.ends_with(end));
    let span = invocation.span;
    let found = walk.in_project(|walk| {
        let mut found = project::below(walk, &root, DEPTH, span, &is_test);
        found.extend(project::below(walk, &format!("{root}/test"), DEPTH, span, &is_module));
        found.iter().at_most(TESTS, walk, span).cloned().collect::<Vec<_>>()
    });
    for path in &found {
        walk.look(path);
    }
    for path in &found {
        walk.load("javascript", path, span);
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
    let mut directories: Vec<String> = options::values_of(&invocation.arguments, "-I")
        .iter()
        .filter_map(|directory| walk.target(&directory.text).path)
        .collect();
    for name in ["PERL5LIB", "PERLLIB"] {
        let Some(places) = variable(walk, invocation, name) else { continue };
        for place in places.text.known_prefix().split(':').filter(|place| !place.is_empty()) {
            directories.extend(walk.target(&crate::text::Text::known(place)).path);
        }
    }
    let mut modules = options::values_of(&invocation.arguments, "-M");
    if let Some(words) = variable(walk, invocation, "PERL5OPT") {
        let words = crate::programs::escapes::words_of(&words.text, words.span);
        for place in options::values_of(&words, "-I") {
            directories.extend(walk.target(&place.text).path);
        }
        modules.extend(options::values_of(&words, "-M"));
        modules.extend(options::values_of(&words, "-m"));
    }
    obeyed(walk, invocation);
    for module in modules {
        let name = module.text.known_prefix().split('=').next().unwrap_or_default();
        let name = name.trim_start_matches('-').replace("::", "/");
        for directory in &directories {
            walk.load("perl", &format!("{directory}/{name}.pm"), module.span);
        }
    }
}

/// `perl -d` reads `.perldb` (perldebug); with `-n` and `-p`, code that evaluates each line makes code of the files that it reads.
fn obeyed(walk: &mut dyn Host, invocation: &Invocation) {
    let words = project::words(invocation);
    if words.iter().any(|word| word == "-d" || word.starts_with("-d:"))
        && let Some(root) = walk.directory().map(str::to_owned)
    {
        walk.load("perl", &format!("{root}/.perldb"), invocation.span);
        // perldebug, "Debugger Customization": what is run to load the debugger.
        if let Some(code) = variable(walk, invocation, "PERL5DB") {
            walk.code("perl", &code.text, code.span, &[]);
            let apart =
                |letter: char| matches!(letter, '"' | '\'' | '(' | ')' | '{' | '}' | ' ' | ';');
            for name in code.text.known_prefix().split(apart) {
                if name.contains('/')
                    && let Some(path) = walk.target(&crate::text::Text::known(name)).path
                {
                    walk.load("perl", &path, code.span);
                }
            }
        }
    }
    let values = options::values_of(&invocation.arguments, "-e");
    let mut letters = words.iter().take_while(|word| word.starts_with('-'));
    let is_line = letters.any(|word| word.contains(['n', 'p']) && word.contains('e'));
    let code = words.iter().find(|word| !word.starts_with('-')).filter(|_| is_line);
    let code = code.cloned().or_else(|| code_of(&values));
    let Some(code) = code else { return };
    let bare = code.trim().trim_end_matches(';');
    let evaluates = bare == "eval"
        || ["eval $_", "eval;", "eval($_)", "/ee"].iter().any(|mark| code.contains(mark));
    let opens = ["open F,$_", "open(F,$_)", "open F, $_", "open(F, $_)"];
    let opens = opens.iter().any(|call| code.contains(call));
    if !evaluates && !opens {
        return;
    }
    for name in words.iter().skip_while(|word| **word != code).skip(1) {
        let Some(path) = walk.target(&crate::text::Text::known(name.as_str())).path else {
            continue;
        };
        if evaluates {
            walk.load("perl", &path, invocation.span);
        } else if let Some(file) = walk.look(&path).file() {
            // A name that ends in a pipe is a command.
            walk.in_file(&file, "shell", invocation.span, |walk| {
                for line in file.text.lines().filter_map(|line| line.trim().strip_suffix('|')) {
                    let code = crate::text::Text::known(line);
                    walk.shell(&code, invocation.span, &[], None);
                }
            });
        }
    }
}

fn code_of(values: &[Argument]) -> Option<String> {
    values.first()?.text.as_known().map(str::to_owned)
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

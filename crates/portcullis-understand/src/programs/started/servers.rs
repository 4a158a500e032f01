//! Programs that load the code of a web application: `manage.py` with the settings that it names (docs.djangoproject.com, "django-admin and manage.py"),
//! and servers and workers that are told a module (`uvicorn`, `gunicorn`, `flask`, `celery`, `streamlit`; each one's page on its command line).

use portcullis_syntax::Span;

use super::{Starter, migrations, project, revisions, tree};
use crate::{
    bound::Bounded,
    programs::found::{Found, directory_of},
    programs::host::Host,
    programs::invocation::Invocation,
    text::Text,
};

/// How many applications of one project are read.
const APPLICATIONS: usize = 24;

/// How many modules of one folder are read: migrations of an application, revisions of a database.
const MODULES: usize = 48;

pub(super) static DJANGO: Starter = Starter {
    programs: &["django-admin", "manage.py", "pypy", "pypy3", "python", "python2", "python3"],
    start: django,
};
pub(super) static SERVERS: Starter = Starter {
    programs: &[
        "alembic",
        "celery",
        "daphne",
        "dramatiq",
        "fastapi",
        "flask",
        "gunicorn",
        "huey_consumer",
        "hypercorn",
        "litestar",
        "locust",
        "mkdocs",
        "rq",
        "sphinx-build",
        "streamlit",
        "uvicorn",
        "waitress-serve",
    ],
    start: server,
};

fn django(walk: &mut dyn Host, invocation: &Invocation) {
    let words = project::words(invocation);
    let is_script = |word: &&String| word.rsplit('/').next() == Some("manage.py");
    let script = match invocation.program.as_str() {
        "manage.py" => Some(invocation.name.text.clone()),
        "django-admin" => None,
        // The script is the first word that is no option of the interpreter.
        _ => match words.iter().find(|word| !word.starts_with('-')).filter(is_script) {
            Some(word) => Some(Text::known(word.as_str())),
            None => return,
        },
    };
    let path = script.and_then(|script| walk.target(&script).path);
    let root = match &path {
        Some(path) => directory_of(path).to_owned(),
        None => match walk.directory() {
            Some(directory) => directory.to_owned(),
            None => return,
        },
    };
    let named = project::option(&words, &["--settings"]).map(str::to_owned);
    let set =
        walk.variable_set("DJANGO_SETTINGS_MODULE").and_then(|it| it.as_known().map(str::to_owned));
    let written =
        path.and_then(|path| walk.look(&path).file()).and_then(|file| settings_in(&file.text));
    let Some(module) = named.or(set).or(written) else { return };
    let modules = module.replace('.', "/");
    let package = modules.rsplit_once('/').map_or("", |(package, _)| package);
    let mut paths = vec![
        format!("{root}/{modules}.py"),
        format!("{root}/{modules}/__init__.py"),
        format!("{root}/{package}/__init__.py"),
    ];
    // What answers requests is loaded by whatever checks, serves or tests it.
    let verb = words
        .iter()
        .find(|word| !word.starts_with('-') && !word.ends_with("manage.py"))
        .map_or("", String::as_str);
    if matches!(verb, "runserver" | "test" | "check" | "migrate" | "shell") {
        paths.push(format!("{root}/{package}/urls.py"));
    }
    paths.extend(walk.in_project(|walk| applications(walk, &root, verb, invocation.span)));
    // Classes that settings name by where they stand: the runner of tests, layers, backends.
    let settings = [format!("{root}/{modules}.py"), format!("{root}/{modules}/__init__.py")];
    for settings in &settings {
        let Some(file) = walk.look(settings).file() else { continue };
        let named: Vec<String> = file
            .text
            .lines()
            .filter(|line| !line.trim_start().starts_with('#'))
            .flat_map(|line| line.split(['"', '\'']).skip(1).step_by(2))
            .filter(|name| name.contains('.') && is_module(name) && !name.starts_with("django."))
            .filter_map(|name| name.rsplit_once('.').map(|it| it.0.replace('.', "/")))
            .collect();
        let named = named.iter().at_most(MODULES, walk, invocation.span);
        paths.extend(named.map(|name| format!("{root}/{name}.py")));
    }
    for path in &paths {
        walk.look(path);
    }
    let roots = [root];
    for path in &paths {
        walk.load_from(&roots, "python", path, invocation.span);
        let applies = verb == "migrate"
            && !project::has(&words, &["--plan", "--fake", "--check", "--list", "--help"]);
        if applies
            && path.contains("/migrations/")
            && let Some(file) = walk.look(path).file()
        {
            migrations::operations(walk, &file, invocation.span);
        }
    }
}

/// What is loaded of the applications that lie in the project: their configurations and models with every command, a command of their own that has the
/// asked name, and migrations where these run or are made ("Applications", "How to create custom django-admin commands", "Migrations").
fn applications(walk: &mut dyn Host, root: &str, verb: &str, span: Span) -> Vec<String> {
    let Found::Directory(names) = walk.look(root) else { return Vec::new() };
    let folders: Vec<String> = names
        .iter()
        .filter_map(|name| name.strip_suffix('/'))
        .filter(|name| !name.starts_with(['.', '_']))
        .map(|name| format!("{root}/{name}"))
        .collect();
    let migrates = matches!(
        verb,
        "makemigrations" | "migrate" | "runserver" | "showmigrations" | "sqlmigrate" | "test"
    );
    if migrates {
        for folder in &folders {
            walk.look(&format!("{folder}/migrations"));
        }
    }
    let mut paths = Vec::new();
    for folder in folders.iter().at_most(APPLICATIONS, walk, span).collect::<Vec<_>>() {
        paths.extend(["apps", "models", "admin"].map(|name| format!("{folder}/{name}.py")));
        if is_module(verb) {
            paths.push(format!("{folder}/management/commands/{verb}.py"));
        }
        if migrates {
            paths.extend(modules_in(walk, &format!("{folder}/migrations"), span));
        }
    }
    paths
}

/// The modules of a folder.
fn modules_in(walk: &mut dyn Host, folder: &str, span: Span) -> Vec<String> {
    let Found::Directory(names) = walk.look(folder) else { return Vec::new() };
    let modules: Vec<String> = names
        .iter()
        .filter(|name| name.ends_with(".py"))
        .map(|name| format!("{folder}/{name}"))
        .collect();
    modules.iter().at_most(MODULES, walk, span).cloned().collect()
}

fn is_module(name: &str) -> bool {
    !name.is_empty()
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.".contains(&byte))
}

/// The module in `os.environ.setdefault("DJANGO_SETTINGS_MODULE", "a.settings")`.
fn settings_in(text: &str) -> Option<String> {
    let (_, rest) = text.split_once("DJANGO_SETTINGS_MODULE")?;
    let rest = rest.get(1..)?;
    let module = rest.split(['"', '\'']).nth(1)?;
    is_module(module).then(|| module.to_owned())
}

fn server(walk: &mut dyn Host, invocation: &Invocation) {
    let words = project::words(invocation);
    if project::has(&words, &["--help", "-h", "--version", "--check-config"]) {
        return;
    }
    let Some(here) = walk.directory().map(str::to_owned) else { return };
    let root = project::option(&words, &["--app-dir", "--chdir", "--workdir"])
        .map_or_else(|| here.clone(), |name| project::joined(&here, name));
    let values = [
        "-A",
        "--app",
        "-b",
        "--bind",
        "-c",
        "--config",
        "-h",
        "--host",
        "-k",
        "-p",
        "--port",
        "-w",
        "--workers",
        "--log-level",
        "-l",
        "--loglevel",
        "-Q",
        "-t",
        "--timeout",
    ];
    let operands = project::operands(&words, &values);
    let mut modules: Vec<String> = Vec::new();
    let mut files: Vec<String> = Vec::new();
    match invocation.program.as_str() {
        "flask" | "litestar" => {
            let named = project::option(&words, &["--app", "-A"]).map(str::to_owned);
            let set =
                walk.variable_set("FLASK_APP").and_then(|it| it.as_known().map(str::to_owned));
            match named.or(set).or_else(|| set_in_files(walk, &here, "FLASK_APP")) {
                Some(name) => modules.push(name),
                None => files.extend(["app.py", "wsgi.py", "asgi.py"].map(str::to_owned)),
            }
        }
        "celery" | "dramatiq" => {
            for name in project::options(&words, &["-A", "--app"]) {
                let package = name.split(':').next().unwrap_or_default();
                // docs.celeryq.dev, "autodiscover_tasks".
                modules.extend([name.to_owned(), format!("{package}.tasks")]);
            }
        }
        // docs.streamlit.io: a script is fetched from its address.
        "streamlit" if operands.get(1).is_some_and(|name| name.contains("://")) => {
            walk.gap(invocation.span, crate::effect::GapReason::UnknownCode);
        }
        "fastapi" | "streamlit" => files.extend(
            operands.get(1).map(|name| (*name).to_owned()).or_else(|| Some("main.py".to_owned())),
        ),
        "locust" => files.push(
            project::option(&words, &["-f", "--locustfile"]).unwrap_or("locustfile.py").to_owned(),
        ),
        "alembic" => return revisions::follow(walk, &here, &words, invocation.span),
        "sphinx-build" => {
            // sphinx-doc.org, "sphinx-build": `-M BUILDER SOURCE OUTPUT`.
            let inputs =
                project::operands(&words, &["-b", "-M", "-c", "-d", "-D", "-A", "-t", "-j", "-w"]);
            let conf = project::option(&words, &["-c"]).or_else(|| inputs.first().copied());
            if let Some(place) = conf {
                documented(walk, &project::joined(&here, place), invocation.span);
            }
        }
        "mkdocs" => files.extend(hooks_of(walk, &here)),
        "gunicorn" => {
            modules.extend(operands.first().map(|name| (*name).to_owned()));
            files.push(
                project::option(&words, &["-c", "--config"])
                    .unwrap_or("gunicorn.conf.py")
                    .to_owned(),
            );
        }
        _ => modules.extend(operands.first().map(|name| (*name).to_owned())),
    }
    for module in modules {
        let module = module.split(':').next().unwrap_or_default();
        if module.ends_with(".py") {
            files.push(module.to_owned());
        } else if is_module(module) {
            let module = module.replace('.', "/");
            files.extend([format!("{module}.py"), format!("{module}/__init__.py")]);
        }
    }
    let paths: Vec<String> = files.iter().map(|name| project::joined(&root, name)).collect();
    for path in &paths {
        walk.look(path);
    }
    for path in &paths {
        // What stands beside a file that is named is found as well.
        let roots = [root.clone(), directory_of(path).to_owned()];
        walk.load_from(&roots, "python", path, invocation.span);
    }
}

/// A variable in the files that `flask` reads before anything else (flask.palletsprojects.com, "Environment Variables From dotenv").
fn set_in_files(walk: &mut dyn Host, here: &str, name: &str) -> Option<String> {
    let files = project::all_in(walk, here, &[".flaskenv", ".env"]);
    let of = |text: &str| {
        text.lines().find_map(|line| {
            let line = line.trim();
            let (key, value) = line.strip_prefix("export ").unwrap_or(line).split_once('=')?;
            (key.trim() == name).then(|| value.trim().trim_matches(['"', '\'']).to_owned())
        })
    };
    // What `.env` says is set first, and stays.
    files.iter().rev().find_map(|file| of(&file.text))
}

/// `conf.py` of a documentation, and the extensions that it names and that lie where it says that modules are (sphinx-doc.org, "Configuration").
fn documented(walk: &mut dyn Host, source: &str, span: Span) {
    let path = format!("{source}/conf.py");
    let Some(file) = walk.look(&path).file() else { return };
    let mut roots = vec![source.to_owned()];
    for line in file.text.lines().filter(|line| line.contains("sys.path")) {
        let named = line.split(['"', '\'']).skip(1).step_by(2);
        roots.extend(named.map(|place| crate::paths::normal(&project::joined(source, place))));
    }
    let listed = file.text.split_once("extensions").map_or("", |(_, rest)| rest);
    let listed = listed.split(']').next().unwrap_or_default();
    let names: Vec<&str> =
        listed.split(['"', '\'']).skip(1).step_by(2).filter(|name| is_module(name)).collect();
    let mut paths = vec![path];
    for name in names.iter().at_most(MODULES, walk, span) {
        let name = name.replace('.', "/");
        for root in &roots {
            paths.extend([format!("{root}/{name}.py"), format!("{root}/{name}/__init__.py")]);
        }
    }
    for path in &paths {
        walk.look(path);
    }
    for path in &paths {
        walk.load_from(&roots, "python", path, span);
    }
}

/// `hooks:` of a `mkdocs.yml`.
fn hooks_of(walk: &mut dyn Host, here: &str) -> Vec<String> {
    let Some(file) = project::first_in(walk, here, &["mkdocs.yml", "mkdocs.yaml"]) else {
        return Vec::new();
    };
    let tree = project::whole(walk, tree::yaml(&file.text));
    tree.root().and_then(|root| root.get("hooks")).map(tree::Node::words).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::settings_in;

    #[test]
    fn the_settings_of_an_application_are_named_by_its_script() {
        let text = "os.environ.setdefault(\"DJANGO_SETTINGS_MODULE\", \"a.settings\")\n";
        assert_eq!(settings_in(text).as_deref(), Some("a.settings"));
        assert_eq!(
            settings_in("os.environ['DJANGO_SETTINGS_MODULE'] = 'b.s'").as_deref(),
            Some("b.s")
        );
        assert_eq!(settings_in("print(1)"), None);
    }
}

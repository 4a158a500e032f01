//! Programs that load the code of a web application: `manage.py` with the settings that it names (docs.djangoproject.com, "django-admin and manage.py"),
//! and servers and workers that are told a module (`uvicorn`, `gunicorn`, `flask`, `celery`, `streamlit`; each one's page on its command line).

use super::{Starter, project};
use crate::{
    programs::found::directory_of, programs::host::Host, programs::invocation::Invocation,
    text::Text,
};

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
    for path in &paths {
        walk.look(path);
    }
    let roots = [root];
    for path in &paths {
        walk.load_from(&roots, "python", path, invocation.span);
    }
}

/// The module in `os.environ.setdefault("DJANGO_SETTINGS_MODULE", "a.settings")`.
fn settings_in(text: &str) -> Option<String> {
    let (_, rest) = text.split_once("DJANGO_SETTINGS_MODULE")?;
    let rest = rest.get(1..)?;
    let module = rest.split(['"', '\'']).nth(1)?;
    let is_module = !module.is_empty()
        && module.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.".contains(&byte));
    is_module.then(|| module.to_owned())
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
            match named.or(set) {
                Some(name) => modules.push(name),
                None => files.extend(["app.py", "wsgi.py", "asgi.py"].map(str::to_owned)),
            }
        }
        "celery" | "dramatiq" => modules
            .extend(project::options(&words, &["-A", "--app"]).into_iter().map(str::to_owned)),
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
        "alembic" => files.extend(["alembic/env.py", "migrations/env.py"].map(str::to_owned)),
        "sphinx-build" => files.extend(operands.first().map(|source| format!("{source}/conf.py"))),
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
        } else if !module.is_empty()
            && module.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.".contains(&byte))
        {
            let module = module.replace('.', "/");
            files.extend([format!("{module}.py"), format!("{module}/__init__.py")]);
        }
    }
    let paths: Vec<String> = files.iter().map(|name| project::joined(&root, name)).collect();
    for path in &paths {
        walk.look(path);
    }
    for path in &paths {
        walk.load_from(std::slice::from_ref(&root), "python", path, invocation.span);
    }
}

/// `hooks:` of a `mkdocs.yml`.
fn hooks_of(walk: &mut dyn Host, here: &str) -> Vec<String> {
    let Some(file) = project::first_in(walk, here, &["mkdocs.yml", "mkdocs.yaml"]) else {
        return Vec::new();
    };
    let tree = project::whole(walk, super::tree::yaml(&file.text));
    tree.root().and_then(|root| root.get("hooks")).map(super::tree::Node::words).unwrap_or_default()
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

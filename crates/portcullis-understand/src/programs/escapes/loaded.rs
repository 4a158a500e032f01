//! Options by which programs are told code, plugins or settings to load beside the project's own: configuration that is itself a program,
//! plugins by path, libraries, modules that are required first. Owns the table; what follows from such a file, [`by_manual::loaded`] says: one
//! that this call wrote, or that lies where everybody may put one, is not known. Sources: each program's own reference of its command line.

use super::{by_manual, words::named_by};
use crate::{effect::Argument, programs::host::Host};

/// The programs, sorted, each with the options, or the verb, behind which the file is named.
static LOADED: &[(&str, &[&str])] = &[
    ("alembic", &["--config", "-c"]),
    ("anacron", &["-t"]),
    ("ant", &["-buildfile", "-f", "-file", "-lib", "-propertyfile"]),
    ("apache2", &["-f"]),
    ("apachectl", &["-f"]),
    ("aspell", &["--add-filter-path", "--filter-path"]),
    ("ava", &["--config", "--require"]),
    ("babel", &["--config-file", "--plugins", "--presets"]),
    ("behat", &["--config", "-c"]),
    ("blender", &["--addons", "--python", "-P"]),
    ("bundle", &["--gemfile"]),
    ("c++", COMPILER),
    ("c8", &["--config", "--require", "-r"]),
    ("cap", &["--config", "-f"]),
    ("cc", COMPILER),
    ("celery", &["--config"]),
    ("clang", COMPILER),
    ("clang++", COMPILER),
    ("clang-tidy", &["--load", "-load"]),
    ("codecept", &["--config", "--override", "-c"]),
    ("collectd", &["-C"]),
    ("commitlint", &["--config", "--extends", "--parser-preset", "-g", "-p", "-x"]),
    ("coverage", &["--rcfile"]),
    ("cppcheck", &["--addon"]),
    ("cucumber", &["--require", "-r"]),
    ("cucumber-js", &["--config", "--format", "--import", "--require", "-c", "-f", "-i", "-r"]),
    ("cypress", &["--config-file", "-C"]),
    ("django-admin", &["--pythonpath"]),
    ("dnsmasq", &["--conf-file", "-C"]),
    ("doit", &["-f", "--file"]),
    ("eleventy", &["--config"]),
    ("elixir", &["-pa", "-pr", "-pz", "-r"]),
    ("emacs", EMACS),
    ("erl", &["-args_file", "-config", "-pa", "-pz"]),
    (
        "eslint",
        &[
            "--config",
            "--format",
            "--parser",
            "--plugin",
            "--resolve-plugins-relative-to",
            "--rulesdir",
            "-c",
            "-f",
        ],
    ),
    ("exiftool", &["-config"]),
    ("fab", &["--collection", "--config", "--search-root", "-c", "-f", "-r"]),
    ("flake8", &["--append-config", "--config"]),
    ("flask", &["--app", "-A"]),
    ("fluentd", &["--config", "--plugin", "-c", "-p", "-r"]),
    ("g++", COMPILER),
    ("gcc", COMPILER),
    ("gcloud", &["--flags-file"]),
    ("ghci", &["-ghci-script"]),
    ("gio", &["launch"]),
    ("gradle", GRADLE),
    ("gradlew", GRADLE),
    ("groovy", &["--classpath", "-classpath", "-cp"]),
    ("grunt", &["--gruntfile"]),
    ("guard", &["--guardfile", "-G"]),
    ("guile", &["-L", "-l", "-s"]),
    ("gulp", &["--gulpfile", "--require", "-f"]),
    ("gunicorn", &["--config", "-c"]),
    ("haproxy", &["-f"]),
    ("httpd", &["-f"]),
    ("hypercorn", &["--config", "-c"]),
    ("iex", &["--dot-iex", "-pa", "-pr", "-pz", "-r"]),
    ("inv", &["--config", "--search-root", "-f", "-r"]),
    ("invoke", &["--config", "--search-root", "-f", "-r"]),
    ("ipython", &["--config", "--profile-dir"]),
    ("irb", &["-r"]),
    ("jasmine", &["--config", "--helper", "--reporter", "--require"]),
    ("javac", &["--processor-path", "-processorpath"]),
    ("jekyll", &["--config", "--plugins", "-p"]),
    ("jest", JEST),
    ("jq", &["--from-file", "-L", "-f"]),
    ("julia", &["--load", "--sysimage", "-J", "-L"]),
    ("jupyter", &["--config"]),
    ("karma", &["start"]),
    ("ld", &["--plugin", "-plugin", "-T"]),
    ("ld.gold", &["--plugin", "-plugin", "-T"]),
    ("ld.lld", &["--load-pass-plugin", "-T"]),
    ("lighttpd", &["-f", "-m"]),
    ("lldb", &["--source", "--source-before-file", "--source-on-crash", "-K", "-S", "-s"]),
    ("locust", &["--config", "--locustfile", "-f"]),
    ("logstash", &["--path.config", "--path.plugins", "-f", "-p"]),
    ("lua", &["-l"]),
    ("luajit", &["-l"]),
    ("luarocks", &["--tree"]),
    ("meson", &["--cross-file", "--native-file"]),
    ("mkdocs", &["--config-file", "-f"]),
    ("mocha", &["--config", "--file", "--reporter", "--require", "-R", "-r"]),
    ("mpv", &["--config-dir", "--script", "--scripts"]),
    ("mutt", &["-F"]),
    (
        "mvn",
        &["-Dmaven.ext.class.path", "--file", "--global-settings", "--settings", "-f", "-gs", "-s"],
    ),
    ("mypy", &["--config-file"]),
    ("mysqld", &["--defaults-file", "--init-file", "--plugin-dir"]),
    ("nginx", &["-c"]),
    ("nightwatch", &["--config", "-c"]),
    ("nm", &["--plugin"]),
    ("node", &["--test-reporter"]),
    ("nodemon", &["--config"]),
    ("nox", &["--noxfile", "-f"]),
    ("nyc", &["--nycrc-path", "--require", "-r"]),
    ("opt", &["-load", "-load-pass-plugin"]),
    (
        "pandoc",
        &["--defaults", "--lua-filter", "--pdf-engine", "--reader", "--to", "--writer", "-L", "-d"],
    ),
    ("parcel", &["--config"]),
    ("perf", &["--script", "-s"]),
    ("phpstan", &["--autoload-file", "--configuration", "-a", "-c"]),
    ("phpunit", &["--bootstrap", "--configuration", "-c"]),
    ("playwright", &["--config", "-c"]),
    ("pm2", &["start"]),
    ("pnpm", &["--global-pnpmfile", "--pnpmfile"]),
    ("postcss", &["--config", "--use", "-u"]),
    ("postgres", &["--config-file", "--config_file"]),
    ("pre-commit", &["--config", "-c"]),
    ("prettier", &["--config", "--plugin", "--plugin-search-dir"]),
    ("puma", &["--config", "-C"]),
    ("pylint", &["--load-plugins", "--rcfile"]),
    ("pytest", &["--confcutdir", "--rootdir", "-c", "-p"]),
    ("rails", &["--template", "-m"]),
    (
        "robot",
        &[
            "--listener",
            "--prerebotmodifier",
            "--prerunmodifier",
            "--pythonpath",
            "--variablefile",
            "-P",
            "-V",
        ],
    ),
    ("rollup", &["--config", "--plugin", "-c", "-p"]),
    ("rspec", &["--options", "--require", "-I", "-O", "-r"]),
    ("rubocop", &["--config", "--require", "-c", "-r"]),
    ("sbcl", &["--load", "--script", "--sysinit", "--userinit"]),
    ("scala", &["--class-path", "-classpath", "-cp", "-i"]),
    ("scrapy", &["--set"]),
    ("semantic-release", &["--extends", "-e"]),
    ("snakemake", &["--configfile", "--profile", "--snakefile", "-s"]),
    ("sphinx-build", &["-c"]),
    ("squid", &["-f"]),
    ("storybook", &["--config-dir", "-c"]),
    ("stylelint", &["--config", "--custom-formatter", "--custom-syntax"]),
    ("supervisord", &["--configuration", "-c"]),
    ("swipl", &["-f", "-l", "-s"]),
    ("tailwindcss", &["--config", "--postcss", "-c"]),
    ("tap", &["--after", "--before"]),
    ("telegraf", &["--config", "--config-directory", "--plugin-directory"]),
    ("terser", &["--config-file"]),
    ("testcafe", &["--config-file"]),
    ("tox", &["--conf", "-c"]),
    ("ts-node", &["--compiler", "--require", "-C", "-r"]),
    ("tsx", &["--import", "--require", "-r"]),
    ("unicorn", &["--config-file", "-c"]),
    ("uvicorn", &["--app-dir", "--log-config"]),
    ("uwsgi", &["--ini", "--json", "--plugin", "--xml", "--yaml"]),
    ("vite", &["--config", "-c"]),
    ("vitest", &["--config", "--globalSetup", "--reporter", "--setupFiles", "-c"]),
    ("webpack", &["--config", "--config-loader", "-c"]),
    ("yo", &["--generator"]),
];

const COMPILER: &[&str] = &["--specs", "-B", "-fpass-plugin", "-fplugin", "-load", "-specs"];
const EMACS: &[&str] =
    &["--directory", "--init-directory", "--load", "--script", "-L", "-l", "-load", "-script"];
const GRADLE: &[&str] =
    &["--build-file", "--init-script", "--settings-file", "-I", "-b", "-c", "-p"];
const JEST: &[&str] = &[
    "--config",
    "--globalSetup",
    "--globalTeardown",
    "--reporters",
    "--resolver",
    "--runner",
    "--setupFiles",
    "--setupFilesAfterEnv",
    "--testEnvironment",
    "--transform",
    "-c",
];

/// Says what a program loads because its options name it.
pub(super) fn follow(walk: &mut dyn Host, name: &str, arguments: &[Argument]) {
    let Ok(at) = LOADED.binary_search_by(|row| row.0.cmp(name)) else { return };
    let Some((_, options)) = LOADED.get(at) else { return };
    for value in options.iter().flat_map(|option| {
        named_by(arguments, option).into_iter().chain(clustered(arguments, option))
    }) {
        by_manual::loaded(walk, &value);
        // A plugin of Python by its name: the file of that name beside the work.
        if matches!(name, "pylint" | "pytest")
            && value
                .text
                .as_known()
                .is_some_and(|known| !known.contains('/') && !known.contains('.'))
        {
            let mut text = value.text.clone();
            text.push_known(".py");
            by_manual::loaded(walk, &Argument { text, span: value.span });
        }
    }
    // `pytest -o pythonpath=DIRECTORY`: a setting in which code is looked for.
    if name == "pytest" {
        for value in ["--override-ini", "-o"].iter().flat_map(|option| named_by(arguments, option))
        {
            if let Some(path) = value.text.known_prefix().strip_prefix("pythonpath=") {
                let text = value.text.beginning_with(path);
                by_manual::loaded(walk, &Argument { text, span: value.span });
            }
        }
    }
    if matches!(name, "c++" | "cc" | "clang" | "clang++") {
        handed_on(walk, arguments);
    }
    // Scripts within a scene run when it is opened so.
    let runs_scripts =
        |word: &Argument| matches!(word.text.as_known(), Some("-y" | "--enable-autoexec"));
    if name == "blender" && arguments.iter().any(runs_scripts) {
        let is_scene = |word: &&Argument| word.text.display().ends_with(".blend");
        arguments.iter().filter(is_scene).for_each(|scene| by_manual::loaded(walk, scene));
    }
}

/// `pandoc -sL FILE`: the last letter of several takes the next word.
fn clustered(arguments: &[Argument], option: &str) -> Option<Argument> {
    /// More letters than these are a word of its own.
    const LETTERS: usize = 4;
    let letter = option.strip_prefix('-').filter(|letter| letter.len() == 1)?;
    let at = arguments.iter().position(|word| {
        word.text.as_known().and_then(|word| word.strip_prefix('-')).is_some_and(|letters| {
            (2..=LETTERS).contains(&letters.len())
                && letters.ends_with(letter)
                && letters.bytes().all(|it| it.is_ascii_alphabetic())
        })
    })?;
    arguments.get(at + 1).cloned()
}

/// `-Xclang -load -Xclang x.so`: options that the compiler hands to its inner one, a word each.
fn handed_on(walk: &mut dyn Host, arguments: &[Argument]) {
    let inner: Vec<Argument> = arguments
        .windows(2)
        .filter(|pair| pair.first().is_some_and(|word| word.text.as_known() == Some("-Xclang")))
        .filter_map(|pair| pair.last().cloned())
        .collect();
    for option in ["-add-plugin", "-load", "-fpass-plugin"] {
        for value in named_by(&inner, option) {
            by_manual::loaded(walk, &value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::LOADED;

    #[test]
    fn the_table_is_sorted() {
        assert!(LOADED.is_sorted_by_key(|row| row.0));
    }
}

//! Options by which programs are told code, plugins or settings to load beside the project's own: configuration that is itself a program,
//! plugins by path, libraries, modules that are required first. Owns the table; what follows from such a file, [`manuals::loaded`] says: one
//! that this call wrote, or that lies where everybody may put one, is not known. Sources: each program's own reference of its command line.

use super::{follow::named_by, manuals};
use crate::{effect::Argument, programs::host::Host};

/// The programs, sorted, each with the options, or the verb, behind which the file is named.
static LOADED: &[(&str, &[&str])] = &[
    ("alembic", &["--config", "-c"]),
    ("anacron", &["-t"]),
    ("ant", &["-buildfile", "-f", "-file", "-lib", "-propertyfile"]),
    ("apache2", &["-f"]),
    ("apachectl", &["-f"]),
    ("ava", &["--config", "--require"]),
    ("babel", &["--config-file", "--plugins", "--presets"]),
    ("c++", COMPILER),
    ("c8", &["--config", "--require", "-r"]),
    ("cc", COMPILER),
    ("celery", &["--config"]),
    ("clang", COMPILER),
    ("clang++", COMPILER),
    ("collectd", &["-C"]),
    ("commitlint", &["--config", "--extends", "--parser-preset", "-g", "-p", "-x"]),
    ("coverage", &["--rcfile"]),
    ("cppcheck", &["--addon"]),
    ("cypress", &["--config-file", "-C"]),
    ("dnsmasq", &["--conf-file", "-C"]),
    ("doit", &["-f", "--file"]),
    ("eleventy", &["--config"]),
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
    ("fluentd", &["--config", "--plugin", "-c", "-p", "-r"]),
    ("g++", COMPILER),
    ("gcc", COMPILER),
    ("gcloud", &["--flags-file"]),
    ("gio", &["launch"]),
    ("gradle", GRADLE),
    ("gradlew", GRADLE),
    ("grunt", &["--gruntfile"]),
    ("gulp", &["--gulpfile", "--require", "-f"]),
    ("gunicorn", &["--config", "-c"]),
    ("haproxy", &["-f"]),
    ("httpd", &["-f"]),
    ("ipython", &["--config", "--profile-dir"]),
    ("irb", &["-r"]),
    ("javac", &["--processor-path", "-processorpath"]),
    ("jest", JEST),
    ("jq", &["--from-file", "-L", "-f"]),
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
    (
        "mvn",
        &["-Dmaven.ext.class.path", "--file", "--global-settings", "--settings", "-f", "-gs", "-s"],
    ),
    ("mypy", &["--config-file"]),
    ("mysqld", &["--defaults-file", "--init-file", "--plugin-dir"]),
    ("nginx", &["-c"]),
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
    ("rollup", &["--config", "--plugin", "-c", "-p"]),
    ("rspec", &["--options", "--require", "-I", "-O", "-r"]),
    ("rubocop", &["--config", "--require", "-c", "-r"]),
    ("scrapy", &["--set"]),
    ("semantic-release", &["--extends", "-e"]),
    ("sphinx-build", &["-c"]),
    ("squid", &["-f"]),
    ("storybook", &["--config-dir", "-c"]),
    ("stylelint", &["--config", "--custom-formatter", "--custom-syntax"]),
    ("supervisord", &["--configuration", "-c"]),
    ("tailwindcss", &["--config", "--postcss", "-c"]),
    ("telegraf", &["--config", "--config-directory", "--plugin-directory"]),
    ("terser", &["--config-file"]),
    ("tox", &["--conf", "-c"]),
    ("ts-node", &["--compiler", "--require", "-C", "-r"]),
    ("tsx", &["--import", "--require", "-r"]),
    ("unicorn", &["--config-file", "-c"]),
    ("uwsgi", &["--ini", "--json", "--plugin", "--xml", "--yaml"]),
    ("vite", &["--config", "-c"]),
    ("vitest", &["--config", "--globalSetup", "--reporter", "--setupFiles", "-c"]),
    ("webpack", &["--config", "--config-loader", "-c"]),
    ("yo", &["--generator"]),
];

const COMPILER: &[&str] = &["--specs", "-B", "-fpass-plugin", "-fplugin", "-load", "-specs"];
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
    for value in options.iter().flat_map(|option| named_by(arguments, option)) {
        manuals::loaded(walk, &value);
        // A plugin of Python by its name: the file of that name beside the work.
        if matches!(name, "pylint" | "pytest")
            && value
                .text
                .as_known()
                .is_some_and(|known| !known.contains('/') && !known.contains('.'))
        {
            let mut text = value.text.clone();
            text.push_known(".py");
            manuals::loaded(walk, &Argument { text, span: value.span });
        }
    }
    if matches!(name, "c++" | "cc" | "clang" | "clang++") {
        handed_on(walk, arguments);
    }
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
            manuals::loaded(walk, &value);
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

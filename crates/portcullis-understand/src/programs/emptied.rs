//! Directories that programs empty because they take them for their own: caches that are cleared, output that is made anew. Owns which
//! options, variables and operands name one, and when it is emptied. Below the directory where a program is started that is what the
//! program is there for; of any other it is said.

use super::{host::Host, invocation::Invocation};
use crate::{effect::Argument, text::Text};

/// A program that empties a directory.
struct Emptied {
    program: &'static str,
    /// Words of which each is given, as an operand or an option, for that to happen.
    when: &'static [&'static str],
    /// Words of which none is given then.
    unless: &'static [&'static str],
    /// Options that name the directory.
    options: &'static [&'static str],
    /// The variable that names it.
    variable: Option<&'static str>,
    /// Which of the operands names it.
    operand: Option<usize>,
}

const EMPTY: Emptied =
    Emptied { program: "", when: &[], unless: &[], options: &[], variable: None, operand: None };

/// Sorted by program. From the manuals of each: what `clean`, `--clean` and the like take away is named there as a whole directory; programs
/// that take away only what they know by name are not here.
static TABLE: &[Emptied] = &[
    Emptied {
        program: "allure",
        when: &["generate", "--clean|-c"],
        options: &["-o", "--output", "--report-dir"],
        ..EMPTY
    },
    Emptied { program: "antora", when: &["--clean"], options: &["--to-dir"], ..EMPTY },
    // bazel.build/docs/user-manual: `--expunge` takes the whole output base away.
    Emptied {
        program: "bazel",
        when: &["clean", "--expunge"],
        options: &["--output_base", "--output_user_root"],
        ..EMPTY
    },
    Emptied {
        program: "c8",
        unless: &["--clean=false", "--no-clean"],
        options: &["--temp-directory"],
        ..EMPTY
    },
    Emptied { program: "cabal", when: &["clean|v2-clean"], options: &["--builddir"], ..EMPTY },
    Emptied {
        program: "cargo",
        when: &["clean"],
        unless: &["--dry-run", "-n", "-p", "--package", "--doc"],
        options: &["--target-dir"],
        variable: Some("CARGO_TARGET_DIR"),
        ..EMPTY
    },
    Emptied { program: "conda", when: &["env", "remove"], options: &["-p", "--prefix"], ..EMPTY },
    Emptied { program: "docusaurus", when: &["build"], options: &["--out-dir"], ..EMPTY },
    Emptied { program: "dune", when: &["clean"], options: &["--build-dir"], ..EMPTY },
    // go.dev/ref/mod: `-modcache` takes the whole module cache away.
    Emptied { program: "go", when: &["clean", "-modcache"], variable: Some("GOMODCACHE"), ..EMPTY },
    Emptied {
        program: "hugo",
        when: &["--cleanDestinationDir"],
        options: &["-d", "--destination"],
        ..EMPTY
    },
    // jekyllrb.com/docs/configuration: "The contents of <destination> are automatically cleaned".
    Emptied {
        program: "jekyll",
        when: &["build|b|serve|server|s"],
        options: &["-d", "--destination"],
        ..EMPTY
    },
    Emptied { program: "jest", when: &["--clearCache"], options: &["--cacheDirectory"], ..EMPTY },
    Emptied { program: "mamba", when: &["env", "remove"], options: &["-p", "--prefix"], ..EMPTY },
    Emptied {
        program: "mdbook",
        when: &["build|clean|serve|watch"],
        options: &["-d", "--dest-dir"],
        ..EMPTY
    },
    Emptied {
        program: "mkdocs",
        when: &["build|gh-deploy"],
        unless: &["--dirty"],
        options: &["-d", "--site-dir"],
        ..EMPTY
    },
    // angular.dev/cli/build: `--delete-output-path`, on by default.
    Emptied {
        program: "ng",
        when: &["build|b"],
        unless: &["--delete-output-path=false", "--no-delete-output-path"],
        options: &["--output-path"],
        ..EMPTY
    },
    Emptied {
        program: "nyc",
        unless: &["--clean=false", "--no-clean"],
        options: &["-t", "--temp-dir", "--temp-directory"],
        ..EMPTY
    },
    Emptied {
        program: "pelican",
        when: &["-d|--delete-output-directory"],
        options: &["-o", "--output"],
        ..EMPTY
    },
    // playwright.dev/docs/api/class-testconfig: the directory "is cleaned at the start".
    Emptied { program: "playwright", when: &["test"], options: &["--output"], ..EMPTY },
    Emptied { program: "pre-commit", when: &["clean"], variable: Some("PRE_COMMIT_HOME"), ..EMPTY },
    Emptied { program: "react-scripts", when: &["build"], variable: Some("BUILD_PATH"), ..EMPTY },
    Emptied {
        program: "rspack",
        when: &["--output-clean"],
        options: &["-o", "--output-path"],
        ..EMPTY
    },
    Emptied { program: "sam", when: &["build"], options: &["-b", "--build-dir"], ..EMPTY },
    // `python -m sphinx` is the same program.
    Emptied { program: "sphinx", when: &["-M", "clean"], operand: Some(2), ..EMPTY },
    // sphinx-doc.org/en/master/man/sphinx-build: `-M clean SOURCEDIR OUTPUTDIR`.
    Emptied { program: "sphinx-build", when: &["-M", "clean"], operand: Some(2), ..EMPTY },
    Emptied { program: "stack", when: &["clean|purge"], options: &["--work-dir"], ..EMPTY },
    Emptied { program: "storybook", when: &["build"], options: &["-o", "--output-dir"], ..EMPTY },
    Emptied {
        program: "swift",
        when: &["package", "clean|reset"],
        options: &["--build-path", "--scratch-path"],
        ..EMPTY
    },
    Emptied { program: "tsup", when: &["--clean"], options: &["-d", "--out-dir"], ..EMPTY },
    Emptied {
        program: "typedoc",
        unless: &["--cleanOutputDir=false"],
        options: &["--out"],
        ..EMPTY
    },
    // docs.astral.sh/uv/reference/cli: `uv cache clean` without a package takes the directory away.
    Emptied {
        program: "uv",
        when: &["cache", "clean"],
        options: &["--cache-dir"],
        variable: Some("UV_CACHE_DIR"),
        ..EMPTY
    },
    Emptied { program: "uv", when: &["venv", "--clear|-c"], operand: Some(1), ..EMPTY },
    // docs.python.org/3/library/venv: `python -m venv --clear` is the same program.
    Emptied { program: "venv", when: &["--clear"], operand: Some(0), ..EMPTY },
    Emptied { program: "virtualenv", when: &["--clear"], operand: Some(0), ..EMPTY },
    Emptied { program: "vite", when: &["build", "--emptyOutDir"], options: &["--outDir"], ..EMPTY },
    // vitest.dev/config: `coverage.clean`, on by default.
    Emptied {
        program: "vitest",
        unless: &["--coverage.clean=false", "--no-coverage.clean"],
        options: &["--coverage.reportsDirectory"],
        ..EMPTY
    },
    Emptied {
        program: "vue-cli-service",
        when: &["build"],
        unless: &["--no-clean"],
        options: &["--dest"],
        ..EMPTY
    },
    Emptied {
        program: "webpack",
        when: &["--output-clean"],
        options: &["-o", "--output-path"],
        ..EMPTY
    },
    Emptied {
        program: "zola",
        when: &["build", "-f|--force"],
        options: &["-o", "--output-dir"],
        ..EMPTY
    },
];

/// Programs of ImageMagick, whose file names may begin with how they are read, sorted.
const IMAGES: &[&str] = &[
    "animate",
    "compare",
    "composite",
    "convert",
    "display",
    "identify",
    "magick",
    "mogrify",
    "montage",
];

/// Says which directories the program empties, and which files it takes away once they were read: `identify ephemeral:FILE`
/// (imagemagick.org, "Formats").
pub(crate) fn follow(walk: &mut dyn Host, invocation: &Invocation) {
    let name = invocation.program.as_str();
    if IMAGES.binary_search(&name).is_ok() {
        let read = invocation.arguments.iter();
        let gone: Vec<Argument> = read
            .filter_map(|word| {
                let start = word.text.known_prefix().get(.."ephemeral:".len())?;
                let is_gone = start.eq_ignore_ascii_case("ephemeral:");
                is_gone.then(|| super::operands::after(word, start)).flatten()
            })
            .collect();
        gone.iter().for_each(|file| walk.delete(file, false));
    }
    let first = TABLE.partition_point(|row| row.program < name);
    let rows = TABLE.iter().skip(first).take_while(|row| row.program == name);
    let emptied: Vec<Argument> = rows.filter_map(|row| row.emptied(walk, invocation)).collect();
    for directory in emptied {
        if is_elsewhere(walk, &directory.text) {
            walk.delete(&directory, true);
        }
    }
}

impl Emptied {
    fn emptied(&self, walk: &dyn Host, invocation: &Invocation) -> Option<Argument> {
        let words = || invocation.arguments.iter().filter_map(|word| word.text.as_known());
        let is_given = |wanted: &&str| words().any(|word| wanted.split('|').any(|it| it == word));
        if !self.when.iter().all(is_given) || self.unless.iter().any(is_given) {
            return None;
        }
        let options = invocation.options();
        let operands = || options.operands().nth(self.operand?).cloned();
        let variable = || {
            let name = self.variable?;
            let own = invocation.environment.iter().rev().find(|(known, _)| known == name);
            let text = own.map(|(_, value)| value.clone()).or_else(|| walk.variable_set(name))?;
            Some(Argument { text, span: invocation.span })
        };
        options.value(self.options).or_else(operands).or_else(variable)
    }
}

/// Whether a directory is no place below the one where the program is started.
fn is_elsewhere(walk: &dyn Host, directory: &Text) -> bool {
    let (Some(path), Some(here)) = (walk.target(directory).path, walk.directory()) else {
        return directory.known_prefix().starts_with('/');
    };
    // Where everything is that somebody has, nothing is a program's own.
    let is_whole = here == "/" || walk.facts().home.as_deref() == Some(here);
    is_whole || !path.strip_prefix(here).is_some_and(|rest| rest.starts_with('/') && rest.len() > 1)
}

#[test]
fn the_table_is_sorted_and_every_row_names_a_directory() {
    assert!(TABLE.is_sorted_by_key(|row| row.program));
    for row in TABLE {
        let names = !row.options.is_empty() || row.variable.is_some() || row.operand.is_some();
        assert!(names && (!row.when.is_empty() || !row.options.is_empty()), "{}", row.program);
    }
}

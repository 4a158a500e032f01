//! Tools that evaluate files of code whole, whatever they are asked for: where each looks for them by its manual, in which language they are, and
//! which calls of its own library start programs. A tool is a row.

use portcullis_syntax::Span;

use super::{
    project,
    spawned::{self, Call, Given},
    tree,
};
use crate::{
    bound::Bounded,
    effect::Certainty,
    programs::found::{File, Found},
    programs::host::Host,
    programs::invocation::Invocation,
    text::Text,
};

/// How many files of one folder are read.
const FILES: usize = 24;

/// How deep folders of sources are listed.
const LISTED: usize = 4;

/// A tool that evaluates files.
struct Row {
    /// Its names.
    programs: &'static [&'static str],
    /// The first words with which it does; with each where there are none.
    verbs: &'static [&'static str],
    /// Options that name a file in place of those below.
    options: &'static [&'static str],
    /// How operands end that are such files.
    operands: &'static [&'static str],
    /// Where it looks: all of these that are in the directory, else in the nearest above. `a/*.x` are files of a folder, `a/**.x` those below it.
    files: &'static [&'static str],
    language: &'static str,
    calls: &'static [Call],
    /// How a task begins in it, whose name is asked for on the command line; empty where none is.
    tasks: &'static str,
    /// Functions that the tool calls, where the file defines them.
    functions: &'static [&'static str],
}

const ROW: Row = Row {
    programs: &[],
    verbs: &[],
    options: &[],
    operands: &[],
    files: &[],
    language: "shell",
    calls: &[],
    tasks: "",
    functions: &[],
};

/// What builders of packages call of a recipe.
const PACKAGE: &[&str] = &[
    "pkgver",
    "prepare",
    "build",
    "check",
    "package",
    "unpack",
    "fetch",
    "src_unpack",
    "src_prepare",
    "src_configure",
    "src_compile",
    "src_test",
    "src_install",
    "pkg_setup",
    "pkg_pretend",
];

/// Words with which no tool evaluates anything.
const TELLS: &[&str] = &["--help", "-h", "--version"];

static TABLE: &[Row] = &[
    // docs.conan.io, "conanfile.py".
    Row {
        programs: &["conan"],
        verbs: &[
            "build",
            "create",
            "editable",
            "export",
            "export-pkg",
            "graph",
            "install",
            "lock",
            "source",
            "test",
        ],
        operands: &["conanfile.py"],
        files: &["conanfile.py"],
        language: "python",
        calls: &[("self.run", Given::Command)],
        ..ROW
    },
    // docs.tilt.dev/api.html.
    Row {
        programs: &["tilt"],
        verbs: &["up", "ci", "down", "args", "trigger"],
        options: &["-f", "--file"],
        files: &["Tiltfile"],
        language: "python",
        calls: &[
            ("local", Given::Either),
            ("local_resource", Given::Commands),
            ("custom_build", Given::Commands),
            ("run", Given::Command),
        ],
        ..ROW
    },
    // behave.readthedocs.io, "Feature Testing Setup".
    Row {
        programs: &["behave"],
        files: &["features/environment.py", "features/steps/*.py"],
        language: "python",
        ..ROW
    },
    // docs.scrapy.org, "Command line tool".
    Row {
        programs: &["scrapy"],
        files: &["*/settings.py", "*/spiders/*.py"],
        language: "python",
        ..ROW
    },
    // pyinstaller.org, "Using Spec Files".
    Row { programs: &["pyinstaller"], operands: &[".spec", ".py"], language: "python", ..ROW },
    // nbconvert.readthedocs.io, "Executing notebooks"; papermill.readthedocs.io.
    Row {
        programs: &[
            "jupyter",
            "jupyter-execute",
            "jupyter-nbconvert",
            "papermill",
            "treon",
            "ploomber",
            "marimo",
        ],
        operands: &[".ipynb", ".py"],
        language: "python",
        ..ROW
    },
    // pulumi.com/docs, "Project file": the program is the package.
    Row {
        programs: &["pulumi"],
        verbs: &["up", "update", "preview", "refresh", "destroy", "watch"],
        files: &["__main__.py"],
        language: "python",
        ..ROW
    },
    Row {
        programs: &["pulumi"],
        verbs: &["up", "update", "preview", "refresh", "destroy", "watch"],
        files: &["index.ts", "index.js"],
        language: "javascript",
        ..ROW
    },
    // hexdocs.pm/mix, "Mix.Project", "Config", "mix test".
    Row {
        programs: &["mix", "iex"],
        files: &[
            "mix.exs",
            "config/config.exs",
            "config/runtime.exs",
            "config/dev.exs",
            "config/test.exs",
            ".iex.exs",
            ".formatter.exs",
        ],
        language: "elixir",
        calls: &[
            ("System.cmd", Given::Words),
            ("System.shell", Given::Command),
            (":os.cmd", Given::Command),
            (".cmd", Given::Command),
        ],
        ..ROW
    },
    Row {
        programs: &["mix"],
        verbs: &["test", "coveralls", "test.watch", "test.all"],
        operands: &[".exs"],
        files: &["test/test_helper.exs", "test/**_test.exs"],
        language: "elixir",
        calls: &[
            ("System.cmd", Given::Words),
            ("System.shell", Given::Command),
            (":os.cmd", Given::Command),
        ],
        ..ROW
    },
    Row {
        programs: &["elixir"],
        operands: &[".exs", ".ex"],
        language: "elixir",
        calls: &[
            ("System.cmd", Given::Words),
            ("System.shell", Given::Command),
            (":os.cmd", Given::Command),
        ],
        ..ROW
    },
    // rebar3.org, "Hooks".
    Row {
        programs: &["rebar3", "rebar"],
        files: &["rebar.config", "rebar.config.script"],
        language: "erlang",
        calls: &[
            ("pre_hooks", Given::Commands),
            ("post_hooks", Given::Commands),
            ("os:cmd", Given::Command),
        ],
        ..ROW
    },
    // scala-sbt.org, "Build definition", "Library for process".
    Row {
        programs: &["sbt", "activator", "mill", "scala-cli"],
        files: &["build.sbt", "project/*.sbt", "project/*.scala", "build.sc", "build.mill"],
        language: "scala",
        calls: &[
            ("Process", Given::Either),
            ("Seq", Given::WordsBefore(".!")),
            ("Seq", Given::WordsBefore("!")),
            ("os.proc", Given::Words),
            ("os.call", Given::Words),
        ],
        ..ROW
    },
    // codeberg.org/leiningen, "Tutorial"; boot, clojure.org "Deps and CLI".
    Row {
        programs: &["lein", "boot", "bb", "clojure", "clj"],
        operands: &[".clj", ".bb"],
        files: &["project.clj", "profiles.clj", "build.boot", "build.clj", "bb.edn"],
        language: "clojure",
        calls: &[
            ("clojure.java.shell/sh", Given::Words),
            ("shell/sh", Given::Words),
            ("(sh ", Given::Words),
            ("(shell ", Given::Either),
            ("(process ", Given::Words),
        ],
        ..ROW
    },
    // dune.readthedocs.io, "Actions".
    Row {
        programs: &["dune"],
        verbs: &["build", "runtest", "test", "exec", "install", "b"],
        files: &["dune", "*/dune", "dune-workspace"],
        language: "lisp",
        calls: &[("(system", Given::Command), ("(bash", Given::Command)],
        ..ROW
    },
    // github.com/nim-lang/nimble, "Nimble's configuration and hooks"; nimscript.
    Row {
        programs: &["nimble", "nim"],
        files: &["*.nimble", "config.nims"],
        language: "nim",
        calls: &[
            ("exec", Given::Command),
            ("gorge", Given::Command),
            ("gorgeEx", Given::Command),
            ("staticExec", Given::Command),
            ("selfExec", Given::Command),
        ],
        ..ROW
    },
    // ziglang.org, "Build System".
    Row {
        programs: &["zig"],
        verbs: &["build"],
        options: &["--build-file"],
        files: &["build.zig"],
        language: "zig",
        calls: &[
            ("addSystemCommand", Given::Words),
            ("Child.run", Given::Words),
            ("Child.init", Given::Words),
            (".run", Given::Words),
        ],
        ..ROW
    },
    // docs.swift.org, "Package Manifest"; plugins are sources of the package.
    Row {
        programs: &["swift"],
        verbs: &["build", "test", "run", "package"],
        files: &["Package.swift", "Plugins/**.swift"],
        language: "swift",
        calls: &[(".arguments =", Given::Words), ("arguments:", Given::Words)],
        ..ROW
    },
    // xmake.io, premake.github.io, olivinelabs busted, luarocks "Rockspec format".
    Row {
        programs: &["xmake", "premake", "premake5", "busted", "luarocks", "lde"],
        files: &["xmake.lua", "premake5.lua", "*.rockspec", "spec/**_spec.lua"],
        language: "lua",
        calls: &[
            ("os.exec", Given::Command),
            ("os.run", Given::Command),
            ("os.iorun", Given::Command),
            ("os.outputof", Given::Command),
            ("build_command", Given::Command),
            ("install_command", Given::Command),
        ],
        ..ROW
    },
    // magefile.org, "Importing", "sh".
    Row {
        programs: &["mage"],
        files: &["magefile.go", "magefiles/*.go"],
        language: "go",
        calls: &[
            ("sh.Run", Given::Words),
            ("sh.RunV", Given::Words),
            ("sh.RunWith", Given::Words),
            ("sh.Output", Given::Words),
            ("sh.Exec", Given::Words),
        ],
        tasks: "func ",
        ..ROW
    },
    // docs.cakebuild.net; nuke.build.
    Row {
        programs: &["cake", "dotnet-cake", "dotnet-script", "csi"],
        operands: &[".cake", ".csx"],
        files: &["build.cake"],
        language: "csharp",
        ..ROW
    },
    // guides.rubyonrails.org, "The Rails Initialization Process".
    Row {
        programs: &["rails"],
        files: &[
            "config/boot.rb",
            "config/application.rb",
            "config/environment.rb",
            "config/environments/*.rb",
            "config/initializers/*.rb",
            "config/routes.rb",
        ],
        language: "ruby",
        ..ROW
    },
    Row {
        programs: &["rails"],
        verbs: &["test", "t", "test:system", "test:all"],
        operands: &[".rb"],
        files: &["test/test_helper.rb", "test/**_test.rb"],
        language: "ruby",
        ..ROW
    },
    // guides.rubyonrails.org, "Active Record Migrations", "The Rails Command Line".
    Row {
        programs: &["rails", "rake"],
        verbs: &["db:seed", "db:setup", "db:reset", "db:prepare"],
        files: &["db/seeds.rb"],
        language: "ruby",
        ..ROW
    },
    Row {
        programs: &["rails"],
        verbs: &["runner", "r"],
        operands: &[".rb"],
        language: "ruby",
        ..ROW
    },
    Row {
        programs: &["mix"],
        verbs: &["run"],
        operands: &[".exs", ".ex"],
        files: &["priv/repo/seeds.exs"],
        language: "elixir",
        calls: &[("System.cmd", Given::Words), ("System.shell", Given::Command)],
        ..ROW
    },
    // cran.r-project.org, "Writing R Extensions": `configure` runs before a package is built.
    Row {
        programs: &["R"],
        verbs: &["INSTALL", "build", "check"],
        files: &["configure", "cleanup"],
        language: "shell",
        ..ROW
    },
    // rspec.info, "Read command line configuration options from files".
    Row {
        programs: &["rspec"],
        files: &["spec/**_spec.rb", "spec/support/*.rb"],
        language: "ruby",
        ..ROW
    },
    // jekyllrb.com/docs/plugins; middlemanapp.com; nanoc.app.
    Row {
        programs: &["jekyll", "middleman", "nanoc", "bridgetown"],
        files: &["_plugins/*.rb", "plugins/*.rb", "config.rb", "Rules", "lib/*.rb"],
        language: "ruby",
        ..ROW
    },
    // docs.fastlane.tools; guides.cocoapods.org; capistranorb.com; docs.brew.sh "Brew Bundle"; danger.systems.
    Row {
        programs: &["fastlane"],
        files: &["fastlane/Fastfile", "Fastfile", "fastlane/Pluginfile", "fastlane/actions/*.rb"],
        language: "ruby",
        calls: &[("sh", Given::Command)],
        ..ROW
    },
    Row { programs: &["pod"], files: &["Podfile"], language: "ruby", ..ROW },
    Row {
        programs: &["cap"],
        files: &["Capfile", "config/deploy.rb", "lib/capistrano/tasks/*.rake"],
        language: "ruby",
        ..ROW
    },
    Row {
        programs: &["brew"],
        verbs: &["bundle"],
        options: &["--file"],
        files: &["Brewfile"],
        language: "ruby",
        ..ROW
    },
    Row {
        programs: &["brew"],
        verbs: &["install", "reinstall", "upgrade"],
        operands: &[".rb"],
        language: "ruby",
        ..ROW
    },
    Row {
        programs: &["danger", "thor", "asciidoctor", "asciidoctor-pdf"],
        options: &["-r", "--require"],
        files: &["Dangerfile", "Thorfile"],
        language: "ruby",
        ..ROW
    },
    Row { programs: &["pry", "irb"], files: &[".irbrc", ".pryrc"], language: "ruby", ..ROW },
    // phpunit.de, "The XML Configuration File"; laravel.com, "Request Lifecycle"; getrector.com; deployer.org.
    Row {
        programs: &["artisan"],
        files: &["bootstrap/app.php", "routes/console.php", "app/Providers/*.php"],
        language: "php",
        ..ROW
    },
    Row {
        programs: &["dep", "rector", "ecs", "php-cs-fixer", "phinx", "pest", "codecept"],
        files: &[
            "deploy.php",
            "rector.php",
            "ecs.php",
            ".php-cs-fixer.php",
            ".php-cs-fixer.dist.php",
            "phinx.php",
            "tests/Pest.php",
        ],
        language: "php",
        ..ROW
    },
    // stat.ethz.ch, "Startup"; "Writing R Extensions".
    Row {
        programs: &["R", "Rscript", "r"],
        files: &[".Rprofile", "renv/activate.R"],
        language: "r",
        ..ROW
    },
    // perldoc "prove", "ExtUtils::MakeMaker"; ctan.org/pkg/latexmk.
    Row {
        programs: &["prove"],
        operands: &[".t", ".pl"],
        files: &["t/*.t"],
        language: "perl",
        ..ROW
    },
    Row {
        programs: &["cpanm", "cpan", "dzil", "minil", "carton"],
        files: &["Makefile.PL", "Build.PL", "cpanfile"],
        language: "perl",
        ..ROW
    },
    Row {
        programs: &["latexmk"],
        options: &["-r"],
        files: &["latexmkrc", ".latexmkrc"],
        language: "perl",
        ..ROW
    },
    // bats-core.readthedocs.io; shellspec.info; github.com/kward/shunit2.
    Row {
        programs: &["bats"],
        operands: &[".bats", ".sh"],
        files: &["test/*.bats", "tests/*.bats"],
        language: "shell",
        functions: &["setup_suite", "setup_file", "setup", "teardown", "teardown_file"],
        ..ROW
    },
    Row {
        programs: &["shellspec"],
        operands: &[".sh"],
        files: &["spec/*.sh", "spec/**_spec.sh"],
        language: "shell",
        ..ROW
    },
    // man.archlinux.org, "PKGBUILD"; wiki.alpinelinux.org, "APKBUILD Reference"; devmanual.gentoo.org, "Ebuild File Format"; docs.conda.io.
    Row {
        programs: &["makepkg"],
        options: &["-p"],
        files: &["PKGBUILD"],
        language: "shell",
        functions: PACKAGE,
        ..ROW
    },
    Row {
        programs: &["abuild"],
        files: &["APKBUILD"],
        language: "shell",
        functions: PACKAGE,
        ..ROW
    },
    Row {
        programs: &["ebuild"],
        operands: &[".ebuild"],
        language: "shell",
        functions: PACKAGE,
        ..ROW
    },
    Row {
        programs: &["conda", "conda-build", "boa", "rattler-build"],
        verbs: &["build", "mambabuild"],
        files: &["build.sh", "recipe/build.sh", "conda.recipe/build.sh"],
        language: "shell",
        ..ROW
    },
    // cr.yp.to/redo.html.
    Row { programs: &["redo", "redo-ifchange"], files: &["*.do"], language: "shell", ..ROW },
    // gnu.org/software/emacs, "Initial Options"; gnuplot.info, "system", "shell"; docs.racket-lang.org "raco test".
    Row {
        programs: &["emacs", "emacsclient", "eask", "cask", "eldev"],
        options: &["-l", "--load", "--script"],
        files: &["Eask", "Cask", "Eldev"],
        language: "elisp",
        ..ROW
    },
    Row {
        programs: &["racket", "raco", "guile", "sbcl", "ecl", "clisp", "chicken-csi"],
        options: &["--load", "--script", "-l", "-s"],
        operands: &[".rkt", ".scm", ".lisp", ".lsp"],
        language: "lisp",
        calls: &[("(system", Given::Command), ("run-program", Given::Words)],
        ..ROW
    },
    Row {
        programs: &["octave", "octave-cli", "matlab"],
        operands: &[".m"],
        files: &[".octaverc"],
        language: "octave",
        calls: &[
            ("system", Given::Command),
            ("unix", Given::Command),
            ("shell_cmd", Given::Command),
        ],
        ..ROW
    },
    // mongodb.com/docs/mongodb-shell, "Write Scripts"; k6.io; duckdb.org has its own.
    Row {
        programs: &["mongosh", "mongo"],
        options: &["-f", "--file"],
        operands: &[".js", ".mjs", ".cjs"],
        files: &[],
        language: "javascript",
        ..ROW
    },
    Row {
        programs: &["k6", "artillery", "zx", "electron", "osascript"],
        operands: &[".js", ".mjs", ".ts"],
        language: "javascript",
        ..ROW
    },
    // Each one's page on its configuration: metrojs.dev, docs.expo.dev, electronforge.io, hardhat.org, trufflesuite.com, nightwatchjs.org,
    // testcafe.io, sequelize.org, plopjs.com, cli.emberjs.com, serverless.com.
    Row {
        programs: &[
            "expo",
            "react-native",
            "metro",
            "electron-forge",
            "hardhat",
            "truffle",
            "nightwatch",
            "testcafe",
            "sequelize",
            "sequelize-cli",
            "plop",
            "ember",
            "serverless",
            "sls",
            "medusa",
            "strapi",
            "typeorm",
            "backstop",
            "ng",
            "nest",
            "commitizen",
            "cz",
        ],
        options: &["--config", "-c", "-d", "--plopfile"],
        files: &[
            "metro.config.js",
            "app.config.js",
            "app.config.ts",
            "babel.config.js",
            "forge.config.js",
            "forge.config.ts",
            "hardhat.config.js",
            "hardhat.config.ts",
            "truffle-config.js",
            "nightwatch.conf.js",
            ".testcaferc.js",
            ".sequelizerc",
            "plopfile.js",
            "plopfile.ts",
            "ember-cli-build.js",
            "serverless.js",
            "serverless.ts",
            "medusa-config.js",
            "medusa-config.ts",
            "ormconfig.js",
            ".cz-config.js",
        ],
        language: "javascript",
        ..ROW
    },
    // pm2.keymetrics.io, "Ecosystem File".
    Row {
        programs: &["pm2", "pm2-runtime"],
        verbs: &["start", "restart", "reload", "startOrRestart", "startOrReload", "deploy"],
        operands: &[".js", ".cjs", ".mjs", ".ts"],
        files: &[],
        language: "javascript",
        ..ROW
    },
    // just a browser's tests: webdriver.io, playwright.dev name theirs in `javascript`.
    Row {
        programs: &["nextflow"],
        verbs: &["run"],
        operands: &[".nf"],
        files: &["main.nf", "nextflow.config"],
        language: "groovy",
        calls: &[("script:", Given::Command), ("shell:", Given::Command)],
        ..ROW
    },
    // gnuplot.info, "system", "shell"; sourceware.org/gdb, "Startup"; lldb.llvm.org.
    Row {
        programs: &["gnuplot"],
        operands: &[".gp", ".gpi", ".gnu", ".gnuplot", ".plt", ".plot"],
        files: &[".gnuplot"],
        language: "",
        calls: &[("system", Given::Command), ("shell ", Given::Command)],
        ..ROW
    },
    Row { programs: &["gdb", "lldb"], files: &[".gdbinit", ".lldbinit"], language: "gdb", ..ROW },
];

/// Whether a tool of the table has this name.
pub(super) fn knows(program: &str) -> bool {
    TABLE.iter().any(|row| row.programs.contains(&program))
}

/// Says what the tools of the table evaluate.
pub(super) fn follow(walk: &mut dyn Host, invocation: &Invocation) {
    for row in TABLE {
        if row.programs.contains(&invocation.program.as_str()) {
            evaluated(walk, invocation, row);
        }
    }
}

fn evaluated(walk: &mut dyn Host, invocation: &Invocation, row: &Row) {
    let words = project::words(invocation);
    if project::has(&words, TELLS) {
        return;
    }
    let operands = project::operands(&words, row.options);
    if !row.verbs.is_empty() && !operands.iter().any(|word| row.verbs.contains(word)) {
        return;
    }
    let mut paths: Vec<String> = Vec::new();
    for name in project::options(&words, row.options) {
        paths.extend(walk.target(&Text::known(name)).path);
    }
    let is_named = !paths.is_empty();
    for word in &operands {
        if row.operands.iter().any(|end| word.ends_with(end)) {
            let name = word.split(':').next().unwrap_or(word);
            paths.extend(walk.target(&Text::known(name)).path);
        }
    }
    // Files that stand on the command line take the place of tests that would be searched, not of the settings.
    let is_given = paths.len() > usize::from(is_named);
    if !is_named {
        paths.extend(walk.in_project(|walk| found(walk, invocation, row, is_given)));
    }
    for path in &paths {
        walk.look(path);
    }
    let roots: Vec<String> = walk.directory().map(str::to_owned).into_iter().collect();
    for path in &paths {
        let Some(file) = walk.look(path).file() else { continue };
        if path.ends_with(".ipynb") {
            notebook(walk, &file, invocation.span);
            continue;
        }
        if !row.language.is_empty() {
            walk.load_from(&roots, row.language, path, invocation.span);
        }
        called(walk, &file, row, invocation.span);
        let asked = if row.tasks.is_empty() { &[][..] } else { &operands };
        spawned::follow(walk, &file, row.language, row.calls, (row.tasks, asked), invocation.span);
    }
}

/// Functions of a script of the shell that the tool calls; `@test "…" {` of bats is one without a name.
fn called(walk: &mut dyn Host, file: &File, row: &Row, span: Span) {
    let is_defined = |name: &&&str| {
        file.text.lines().any(|line| {
            let line = line.trim_start().trim_start_matches("function ");
            line.strip_prefix(**name).is_some_and(|rest| rest.trim_start().starts_with(['(', '{']))
        })
    };
    let mut code = String::new();
    let mut is_changed = false;
    for line in file.text.split_inclusive('\n') {
        let is_test = line.trim_start().starts_with("@test") && line.trim_end().ends_with('{');
        is_changed |= is_test;
        code.push_str(if is_test { "{\n" } else { line });
    }
    for name in row.functions.iter().filter(is_defined) {
        is_changed = true;
        code.push('\n');
        code.push_str(name);
    }
    if is_changed && !row.functions.is_empty() {
        walk.in_file(file, "shell", span, |walk| {
            let whole = Span::new(0, file.text.len());
            walk.at_most(Certainty::Likely, |walk| {
                walk.shell(&Text::known(code), whole, &[], None)
            });
        });
    }
}

/// The cells of a notebook (nbformat.readthedocs.io), one after the other.
fn notebook(walk: &mut dyn Host, file: &File, span: Span) {
    walk.in_file(file, "notebook", span, |walk| {
        let tree = project::whole(walk, tree::json(&file.text));
        let Some(node) = tree.root() else { return };
        let language = node.path(&["metadata", "language_info", "name"]).and_then(tree::Node::text);
        let language = language.and_then(crate::language::language).map_or("python", |it| it.name);
        for cell in node.get("cells").map(tree::Node::items).unwrap_or_default() {
            if cell.text_of("cell_type") != Some("code") {
                continue;
            }
            let Some(source) = cell.get("source") else { continue };
            let code: String = source.each().iter().filter_map(tree::Node::text).collect();
            walk.code(language, &Text::known(code), source.span, &[]);
        }
    });
}

/// The files of a row that are in the directory, or in the nearest above that has one.
fn found(walk: &mut dyn Host, invocation: &Invocation, row: &Row, is_given: bool) -> Vec<String> {
    let places = project::levels(walk);
    let plain = |name: &&&str| !name.contains('*');
    for place in &places {
        for name in row.files.iter().filter(plain) {
            walk.look(&project::joined(place, name));
        }
    }
    let nearest = places.iter().find_map(|place| {
        let files = row.files.iter().filter(plain).map(|name| project::joined(place, name));
        let there: Vec<String> = files.filter(|path| walk.look(path).file().is_some()).collect();
        (!there.is_empty()).then(|| (place.clone(), there))
    });
    let here = walk.directory().map(str::to_owned);
    let (root, mut paths) = match (nearest, here) {
        (Some(nearest), _) => nearest,
        (None, Some(here)) => (here, Vec::new()),
        (None, None) => return Vec::new(),
    };
    for pattern in row.files.iter().filter(|name| name.contains('*') && !is_given) {
        let matched = matching(walk, &root, pattern, invocation);
        paths.extend(matched.iter().at_most(FILES, walk, invocation.span).cloned());
    }
    paths
}

/// The files that a pattern of a row names.
fn matching(
    walk: &mut dyn Host,
    root: &str,
    pattern: &str,
    invocation: &Invocation,
) -> Vec<String> {
    if let Some((folder, end)) = pattern.split_once("/**") {
        let folder = project::joined(root, folder);
        return project::below(walk, &folder, LISTED, invocation.span, &|name| name.ends_with(end));
    }
    // `*/x`: in each folder.
    if let Some(rest) = pattern.strip_prefix("*/") {
        let Found::Directory(names) = walk.look(root) else { return Vec::new() };
        let folders: Vec<String> = names
            .iter()
            .filter_map(|name| name.strip_suffix('/'))
            .filter(|name| !name.starts_with(['.', '_']))
            .leading(FILES)
            .map(|name| project::joined(root, name))
            .collect();
        return folders
            .iter()
            .flat_map(|folder| match rest.contains('*') {
                true => matching(walk, folder, rest, invocation),
                false => {
                    let path = project::joined(folder, rest);
                    walk.look(&path);
                    vec![path]
                }
            })
            .collect();
    }
    let (folder, end) = match pattern.split_once("/*") {
        Some((folder, end)) => (project::joined(root, folder), end),
        None => (root.to_owned(), pattern.trim_start_matches('*')),
    };
    let Found::Directory(names) = walk.look(&folder) else { return Vec::new() };
    names
        .iter()
        .filter(|name| name.ends_with(end))
        .map(|name| project::joined(&folder, name))
        .collect()
}

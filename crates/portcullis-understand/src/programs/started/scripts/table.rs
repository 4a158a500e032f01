//! Programs that evaluate a file of their project, as a table: one row a program, with the files and what in them runs. The sources are their manuals.

use super::super::spawned::{Call, Given};

/// A tool that evaluates files.
pub(super) struct Row {
    /// Its names.
    pub(super) programs: &'static [&'static str],
    /// The first words with which it does; with each where there are none.
    pub(super) verbs: &'static [&'static str],
    /// Options that name a file in place of those below.
    pub(super) options: &'static [&'static str],
    /// What one of its words has in it where it does: code that names the function of a library.
    pub(super) says: &'static [&'static str],
    /// Words with which it only tells of them.
    pub(super) tells: &'static [&'static str],
    /// Words with which it looks for none.
    pub(super) without: &'static [&'static str],
    /// How operands end that are such files.
    pub(super) operands: &'static [&'static str],
    /// Where it looks: all of these that are in the directory, else in the nearest above. `a/*.x` are files of a folder, `a/**.x` those below it.
    pub(super) files: &'static [&'static str],
    pub(super) language: &'static str,
    pub(super) calls: &'static [Call],
    /// How a task begins in it, whose name is asked for on the command line; empty where none is.
    pub(super) tasks: &'static str,
    /// Functions that the tool calls, where the file defines them.
    pub(super) functions: &'static [&'static str],
    /// Calls whose first text names another such file, or the folder of one.
    pub(super) loads: &'static [&'static str],
}

const ROW: Row = Row {
    programs: &[],
    verbs: &[],
    options: &[],
    says: &[],
    tells: &[],
    without: &[],
    operands: &[],
    files: &[],
    language: "shell",
    calls: &[],
    tasks: "",
    functions: &[],
    loads: &[],
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

pub(super) static TABLE: &[Row] = &[
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
        loads: &["load", "load_dynamic", "include"],
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
    // docs.swift.org, "swift test", "swift run": the sources of the package.
    Row {
        programs: &["swift"],
        verbs: &["test", "run"],
        files: &["Sources/**.swift", "Tests/**.swift"],
        language: "swift",
        ..ROW
    },
    // ziglang.org, "Zig Test": what is built is run where a step says so.
    Row {
        programs: &["zig"],
        verbs: &["build", "run", "test"],
        operands: &[".zig"],
        files: &["src/**.zig", "test/**.zig", "tests/**.zig"],
        language: "zig",
        ..ROW
    },
    // cabal.readthedocs.io, "Custom setup scripts"; docs.haskellstack.org; downloads.haskell.org, "Template Haskell": splices run while a module is
    // compiled.
    Row {
        programs: &["cabal", "stack", "hpack"],
        verbs: &[
            "bench",
            "build",
            "install",
            "new-build",
            "new-test",
            "repl",
            "run",
            "test",
            "v2-build",
            "v2-run",
            "v2-test",
            "exec",
            "haddock",
        ],
        files: &[
            "Setup.hs",
            "Setup.lhs",
            "*.hs",
            "src/**.hs",
            "lib/**.hs",
            "app/**.hs",
            "test/**.hs",
            "tests/**.hs",
        ],
        language: "haskell",
        ..ROW
    },
    Row {
        programs: &["ghc", "runghc", "runhaskell", "ghci"],
        operands: &[".hs", ".lhs"],
        files: &[".ghci"],
        language: "haskell",
        ..ROW
    },
    // dune.readthedocs.io, "OCaml Syntax", "Tests"; ocaml.org, "The toplevel system".
    Row {
        programs: &["dune"],
        verbs: &["build", "runtest", "test", "exec", "install", "b", "utop"],
        files: &["lib/dune", "src/dune", "test/dune", "tests/dune", "bin/dune", "dune"],
        language: "ocaml",
        ..ROW
    },
    Row {
        programs: &["dune"],
        verbs: &["runtest", "test", "exec"],
        files: &["test/**.ml", "tests/**.ml", "bin/**.ml", "lib/**.ml", "src/**.ml"],
        language: "ocaml",
        ..ROW
    },
    Row {
        programs: &["ocaml", "utop", "ocamlrun", "ocamlfind"],
        operands: &[".ml"],
        files: &[".ocamlinit"],
        language: "ocaml",
        ..ROW
    },
    // nim-lang.org/docs/nimc.html: `-r` runs what was compiled, and some of a module runs while it is compiled.
    Row { programs: &["nim"], operands: &[".nim", ".nims"], language: "nim", ..ROW },
    Row {
        programs: &["nimble"],
        verbs: &["test", "run", "build", "install", "c"],
        files: &["tests/*.nim", "src/**.nim"],
        language: "nim",
        ..ROW
    },
    Row {
        programs: &["testament"],
        operands: &[".nim"],
        files: &["tests/**.nim"],
        language: "nim",
        ..ROW
    },
    // elixir-lang.org, "Meta-programming": the body of a module runs while it is compiled.
    Row {
        programs: &["mix", "iex"],
        verbs: &[
            "compile",
            "coveralls",
            "credo",
            "dialyzer",
            "docs",
            "release",
            "run",
            "test",
            "phx.server",
            "ecto.migrate",
            "ecto.setup",
        ],
        files: &["lib/**.ex", "test/support/*.ex", "priv/repo/migrations/*.exs"],
        language: "elixir",
        ..ROW
    },
    // rebar3.org, "Running tests".
    Row {
        programs: &["rebar3"],
        verbs: &["ct", "eunit", "shell", "proper"],
        files: &["src/**.erl", "test/**.erl"],
        language: "erlang",
        ..ROW
    },
    Row { programs: &["escript"], operands: &[".erl", ".escript", ""], language: "erlang", ..ROW },
    // clojure.org, "Deps and CLI": an alias names what is run of the paths.
    Row {
        programs: &["clojure", "clj", "lein", "kaocha"],
        files: &["test/**.clj", "src/**.clj", "dev/*.clj", "test/**.cljc", "src/**.cljc"],
        language: "clojure",
        ..ROW
    },
    // dart.dev/tools; docs.flutter.dev, "Testing"; dart.dev, "Hooks".
    Row {
        programs: &["dart", "flutter"],
        verbs: &["build", "pub", "run", "test", "compile"],
        operands: &[".dart"],
        files: &[
            "hook/build.dart",
            "hook/link.dart",
            "test/**_test.dart",
            "tool/*.dart",
            "bin/*.dart",
        ],
        language: "dart",
        ..ROW
    },
    Row { programs: &["dart"], operands: &[".dart"], language: "dart", ..ROW },
    // crystal-lang.org, "Using the compiler"; macros run programs while it compiles.
    Row {
        programs: &["crystal"],
        verbs: &["build", "run", "spec"],
        operands: &[".cr"],
        files: &["spec/**_spec.cr", "spec/spec_helper.cr"],
        language: "ruby",
        ..ROW
    },
    // dlang.org, "rdmd"; vlang.io; haxe.org "Initialization macros"; odin-lang.org; gleam.run.
    Row { programs: &["rdmd", "dmd", "ldc2"], operands: &[".d"], language: "d", ..ROW },
    Row {
        programs: &["dub"],
        verbs: &["run", "test"],
        files: &["source/**.d", "src/**.d"],
        language: "d",
        ..ROW
    },
    Row {
        programs: &["v", "vala", "odin", "gleam", "haxe", "c3c"],
        operands: &[".v", ".vsh", ".vala", ".hx", ".odin"],
        files: &["src/**.gleam", "test/**.gleam", "test/**.v"],
        language: "java",
        ..ROW
    },
    // scala-sbt.org, "Testing"; docs.gradle.org and maven.apache.org, "Testing": the tests of a project.
    Row {
        programs: &["sbt", "mill", "scala-cli"],
        verbs: &["test", "run", "testOnly"],
        operands: &[".scala", ".sc"],
        files: &["src/test/**.scala"],
        language: "scala",
        calls: &[("Seq", Given::WordsBefore(".!")), ("Seq", Given::WordsBefore("!"))],
        ..ROW
    },
    Row {
        programs: &["gradle", "gradlew", "mvn", "mvnw"],
        verbs: &["build", "check", "install", "package", "test", "verify"],
        files: &["src/test/**.java", "*/src/test/**.java"],
        language: "java",
        ..ROW
    },
    Row {
        programs: &["gradle", "gradlew", "mvn", "mvnw"],
        verbs: &["build", "check", "install", "package", "test", "verify"],
        files: &["src/test/**.kt", "*/src/test/**.kt"],
        language: "kotlin",
        ..ROW
    },
    Row {
        programs: &["gradle", "gradlew", "mvn", "mvnw"],
        verbs: &["build", "check", "install", "package", "test", "verify"],
        files: &["src/test/**.groovy", "*/src/test/**.groovy"],
        language: "groovy",
        ..ROW
    },
    Row {
        programs: &["kotlin", "kotlinc", "jbang", "groovy", "kscript", "amm", "scala", "java"],
        operands: &[".kts", ".kt", ".groovy", ".sc", ".java"],
        language: "kotlin",
        ..ROW
    },
    // learn.microsoft.com, "dotnet test", "dotnet run", "F# Interactive".
    Row {
        programs: &["dotnet"],
        verbs: &["run", "test", "watch"],
        files: &["*.cs", "*/*.cs", "tests/**.cs", "test/**.cs"],
        language: "csharp",
        ..ROW
    },
    Row {
        programs: &["dotnet", "fsi", "fake"],
        verbs: &["fsi", "fake", "build", "run"],
        operands: &[".fsx"],
        files: &["build.fsx"],
        language: "fsharp",
        ..ROW
    },
    // docs.julialang.org, "Pkg.test".
    Row {
        programs: &["julia"],
        says: &["Pkg.test", "Pkg.build", "] test", "] build"],
        files: &["deps/build.jl", "test/runtests.jl"],
        language: "julia",
        ..ROW
    },
    // testthat.r-lib.org, "Special files".
    Row {
        programs: &["R", "Rscript", "r", "littler"],
        says: &["check", "test", "tar_make", "load_all", "source_file"],
        files: &[
            "tests/testthat.R",
            "tests/*.R",
            "tests/testthat/*.R",
            "inst/tinytest/*.R",
            "_targets.R",
            "R/*.R",
        ],
        language: "r",
        ..ROW
    },
    // cookiecutter.readthedocs.io, "Hooks"; copier.readthedocs.io has its own.
    Row {
        programs: &["cookiecutter", "cruft"],
        files: &["hooks/pre_prompt.py", "hooks/pre_gen_project.py", "hooks/post_gen_project.py"],
        language: "python",
        ..ROW
    },
    Row {
        programs: &["cookiecutter", "cruft"],
        files: &["hooks/pre_prompt.sh", "hooks/pre_gen_project.sh", "hooks/post_gen_project.sh"],
        language: "shell",
        ..ROW
    },
    // xmake.io, premake.github.io, olivinelabs busted, luarocks "Rockspec format".
    Row {
        programs: &["xmake", "premake", "premake5", "busted", "luarocks", "lde"],
        files: &[
            "xmake.lua",
            "premake5.lua",
            ".busted",
            "spec/helper.lua",
            "*.rockspec",
            "spec/**_spec.lua",
        ],
        language: "lua",
        calls: &[
            ("os.exec", Given::Command),
            ("os.run", Given::Command),
            ("os.iorun", Given::Command),
            ("os.outputof", Given::Command),
            ("build_command", Given::Command),
            ("install_command", Given::Command),
        ],
        loads: &["includes", "include", "dofile"],
        ..ROW
    },
    // magefile.org, "Importing", "sh".
    Row {
        programs: &["mage"],
        tells: &["-l", "-init", "-clean"],
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
    // airflow.apache.org, "DAGs"; docs.kedro.org, "Project settings"; pantsbuild.org, "run_shell_command".
    Row {
        programs: &["airflow"],
        verbs: &["dags", "tasks", "standalone", "scheduler", "webserver", "backfill"],
        files: &["dags/**.py", "airflow_local_settings.py", "plugins/*.py"],
        language: "python",
        calls: &[("bash_command=", Given::Command), ("bash_command =", Given::Command)],
        ..ROW
    },
    Row {
        programs: &["kedro"],
        verbs: &["run", "package", "viz", "test", "ipython", "jupyter"],
        files: &["src/**.py"],
        language: "python",
        ..ROW
    },
    Row {
        programs: &["pants"],
        verbs: &["run", "test", "package", "fmt", "lint", "check"],
        files: &["BUILD", "*/BUILD"],
        language: "python",
        calls: &[("command=", Given::Command), ("command =", Given::Command)],
        ..ROW
    },
    // pandoc.org/MANUAL.html, "Filters"; docs.godotengine.org, "Command line tutorial".
    Row { programs: &["pandoc"], options: &["-L", "--lua-filter"], language: "lua", ..ROW },
    Row { programs: &["pandoc"], options: &["-F", "--filter"], language: "python", ..ROW },
    Row { programs: &["godot", "godot4"], options: &["-s", "--script"], language: "java", ..ROW },
    // magefile.org, "Importing": targets of packages of the project.
    Row {
        programs: &["mage"],
        tells: &["-l", "-init", "-clean"],
        files: &[
            "*/targets.go",
            "build/*.go",
            "mage/*.go",
            "tasks/*.go",
            "targets/*.go",
            "internal/*.go",
        ],
        language: "go",
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
        // rspec.info, "`--dry-run` option": examples are only listed.
        tells: &["--dry-run"],
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
        files: &[
            "bootstrap/app.php",
            "bootstrap/providers.php",
            "app/Providers/*.php",
            "routes/*.php",
            "config/*.php",
            "app/Console/**.php",
        ],
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
        without: &["--vanilla", "--no-init-file"],
        files: &[".Rprofile", "renv/activate.R"],
        language: "r",
        ..ROW
    },
    // perldoc "prove", "ExtUtils::MakeMaker"; ctan.org/pkg/latexmk.
    Row {
        programs: &["prove"],
        operands: &[".t", ".pl"],
        files: &["t/**.t"],
        language: "perl",
        ..ROW
    },
    Row {
        programs: &["cpanm", "cpan", "dzil", "minil", "carton"],
        files: &["Makefile.PL", "Build.PL", "cpanfile"],
        language: "perl",
        ..ROW
    },
    // ctan.org/pkg/latexmk, texdoc.org "web2c": with an option, or a setting that gives it, documents run commands.
    Row {
        programs: &["latex", "latexmk", "lualatex", "pdflatex", "rubber", "tectonic", "xelatex"],
        operands: &[".tex", ".ltx"],
        files: &["latexmkrc", ".latexmkrc"],
        language: "tex",
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
        tells: &["--count", "-c"],
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
    // bun.sh/docs, "Test runner"; docs.deno.com, "deno test".
    Row {
        programs: &["bun", "deno"],
        verbs: &["test"],
        operands: &[".js", ".ts", ".tsx", ".jsx", ".mjs"],
        files: &[
            "*.test.ts",
            "*.test.js",
            "*_test.ts",
            "test/**.test.ts",
            "test/**.test.js",
            "test/**_test.ts",
            "tests/**.test.ts",
            "tests/**.test.js",
            "tests/**_test.ts",
            "src/**.test.ts",
            "src/**.test.js",
            "src/**_test.ts",
        ],
        language: "javascript",
        ..ROW
    },
    // pm2.keymetrics.io, "Ecosystem File".
    Row {
        programs: &["pm2", "pm2-runtime"],
        verbs: &["start", "restart", "reload", "startOrRestart", "startOrReload", "deploy"],
        operands: &[".js", ".cjs", ".mjs", ".ts"],
        files: &["ecosystem.config.js", "ecosystem.config.cjs"],
        language: "javascript",
        ..ROW
    },
    // alembic.sqlalchemy.org, "The Migration Environment".
    Row {
        programs: &["alembic"],
        verbs: &["check", "current", "downgrade", "revision", "stamp", "upgrade"],
        files: &["*/env.py"],
        language: "python",
        ..ROW
    },
    // cookiecutter.readthedocs.io, "Hooks"; cruft is the same with a memory.
    Row {
        programs: &["cookiecutter", "cruft"],
        tells: &["--list-installed", "--no-hooks", "--accept-hooks=no"],
        operands: &["template", ".", "/"],
        files: &[],
        language: "template",
        ..ROW
    },
    // airflow.apache.org, "DAG File Processing": every file of the folder is loaded.
    Row {
        programs: &["airflow"],
        verbs: &[
            "backfill",
            "dag-processor",
            "dags",
            "db",
            "scheduler",
            "standalone",
            "tasks",
            "webserver",
        ],
        operands: &[".py"],
        files: &[
            "airflow_local_settings.py",
            "config/airflow_local_settings.py",
            "dags/**.py",
            "plugins/**.py",
        ],
        language: "python",
        ..ROW
    },
    // docs.getdbt.com, "Python models".
    Row {
        programs: &["dbt", "dbtf"],
        verbs: &["build", "run", "retry", "compile", "test"],
        files: &["models/**.py"],
        language: "python",
        ..ROW
    },
    // docs.dagster.io, docs.prefect.io, docs.kedro.org: what is named or lies in the project is loaded.
    Row {
        programs: &["dagster", "prefect", "kedro", "modal", "chainlit", "gradio", "bentoml"],
        options: &["-f", "--python-file"],
        operands: &[".py"],
        files: &[
            "settings.py",
            "definitions.py",
            "src/*/settings.py",
            "src/*/pipeline_registry.py",
            "bentofile.py",
            "service.py",
        ],
        language: "python",
        ..ROW
    },
    // docs.rubocop.org, "Pre-processing": settings are templates of Ruby; rspec.info says the same of `.rspec`.
    Row {
        programs: &["rubocop", "standardrb"],
        options: &["-c", "--config"],
        files: &[".rubocop.yml", ".rubocop_todo.yml", ".standard.yml"],
        language: "erb",
        ..ROW
    },
    Row { programs: &["rspec"], files: &[".rspec"], language: "erb", ..ROW },
    // guides.rubyonrails.org, "Configuring a Database": settings are templates as well.
    Row {
        programs: &["rails"],
        files: &[
            "config/application.yml",
            "config/cable.yml",
            "config/credentials.yml",
            "config/database.yml",
            "config/secrets.yml",
            "config/storage.yml",
        ],
        language: "erb",
        ..ROW
    },
    // mkdocs.org, "Configuration": tags of YAML that name what is called.
    Row {
        programs: &["mkdocs"],
        options: &["-f", "--config-file"],
        files: &["mkdocs.yml", "mkdocs.yaml"],
        language: "tags",
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
        // Any file that it is given is a script.
        operands: &[""],
        files: &[".gnuplot"],
        language: "",
        calls: &[("system", Given::Command), ("shell ", Given::Command)],
        ..ROW
    },
    Row {
        programs: &["gdb"],
        without: &["-nx", "--nx", "-n"],
        files: &[".gdbinit"],
        language: "gdb",
        ..ROW
    },
    Row {
        programs: &["lldb"],
        without: &["-x", "--no-lldbinit"],
        files: &[".lldbinit"],
        language: "gdb",
        ..ROW
    },
];

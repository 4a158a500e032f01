//! Programs whose settings list commands, as a table: one row a program, with the files, their format and where commands stand in them. The sources
//! are their manuals.

use What::{Commands, Files, Named, Program, Pushed, Words};

/// What a file is written in.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Format {
    Yaml,
    Json,
    Toml,
    Blocks,
    Sections,
    /// An object in JavaScript: what stands behind `module.exports =` or `export default`.
    Script,
}

/// What stands at a place.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum What {
    /// A command for a shell, or a list of them.
    Commands,
    /// A list of words that are one command; a text is a command for a shell.
    Words,
    /// A script of the project, in the language that its name or first line says.
    Files,
    /// A command, or a package by its name, which is nothing that the project says.
    Named,
    /// How images are built: where they are pushed, that is `docker push` of each.
    Pushed,
    /// A table with a program and its words under these names.
    Program(&'static str, &'static str),
}

/// A tool whose settings list commands.
pub(super) struct Row {
    /// Its names.
    pub(super) programs: &'static [&'static str],
    /// The first words with which it runs them; with each where there are none.
    pub(super) verbs: &'static [&'static str],
    /// Options that name the file.
    pub(super) options: &'static [&'static str],
    /// Where it looks: the first that is there, in the directory or in the nearest above.
    pub(super) files: &'static [&'static str],
    pub(super) format: Format,
    /// Where commands stand: names with dots between them, `*` is each of a table or a list, `**` whatever is in it.
    pub(super) places: &'static [(&'static str, What)],
    /// The table of tasks that words on the command line name, and what a task calls those that it needs.
    pub(super) tasks: Option<(&'static str, &'static str)>,
    /// It runs them in a container.
    pub(super) is_contained: bool,
}

const ROW: Row = Row {
    programs: &[],
    verbs: &[],
    options: &[],
    files: &[],
    format: Format::Yaml,
    places: &[],
    tasks: None,
    is_contained: false,
};

pub(super) static TABLE: &[Row] = &[
    // docs.platformio.org, "extra_scripts".
    Row {
        programs: &["pio", "platformio"],
        verbs: &["run", "test", "check"],
        files: &["platformio.ini"],
        format: Format::Sections,
        places: &[("*.extra_scripts", Files)],
        ..ROW
    },
    // goreleaser.com, "Global Hooks", "Builds".
    Row {
        programs: &["goreleaser"],
        verbs: &["build", "release"],
        options: &["-f", "--config"],
        files: &[
            ".goreleaser.yaml",
            ".goreleaser.yml",
            "goreleaser.yaml",
            "goreleaser.yml",
            ".config/goreleaser.yaml",
        ],
        places: &[
            ("before.hooks", Commands),
            ("after.hooks", Commands),
            ("**.hooks.pre", Commands),
            ("**.hooks.post", Commands),
            ("**.cmd", Commands),
        ],
        ..ROW
    },
    // github.com/air-verse/air, "air_example.toml".
    Row {
        programs: &["air"],
        options: &["-c"],
        files: &[".air.toml", ".air.conf"],
        format: Format::Toml,
        places: &[
            ("build.cmd", Commands),
            ("build.full_bin", Commands),
            ("build.pre_cmd", Commands),
            ("build.post_cmd", Commands),
        ],
        ..ROW
    },
    // skaffold.dev/docs, "Lifecycle Hooks", "Custom Build Script".
    Row {
        programs: &["skaffold"],
        verbs: &["apply", "build", "debug", "deploy", "dev", "run", "test", "verify"],
        options: &["-f", "--filename"],
        files: &["skaffold.yaml", "skaffold.yml"],
        places: &[
            ("**.hooks.before.*.command", Words),
            ("**.hooks.after.*.command", Words),
            ("**.host.command", Words),
            ("**.custom.buildCommand", Commands),
            ("test.*.custom.*.command", Commands),
        ],
        ..ROW
    },
    // dvc.org/doc, "dvc.yaml".
    Row {
        programs: &["dvc"],
        verbs: &["repro", "exp"],
        files: &["dvc.yaml"],
        places: &[("stages.*.cmd", Commands), ("stages.*.do.cmd", Commands)],
        ..ROW
    },
    // sagiegurari.github.io/cargo-make.
    Row {
        programs: &["cargo", "cargo-make", "makers"],
        verbs: &["make"],
        options: &["--makefile"],
        files: &["Makefile.toml"],
        format: Format::Toml,
        places: &[("script", Commands), ("", Program("command", "args"))],
        tasks: Some(("tasks", "dependencies")),
        ..ROW
    },
    Row {
        programs: &["makers"],
        files: &["Makefile.toml"],
        format: Format::Toml,
        places: &[("script", Commands), ("", Program("command", "args"))],
        tasks: Some(("tasks", "dependencies")),
        ..ROW
    },
    // developer.hashicorp.com/packer, "shell-local".
    Row {
        programs: &["packer"],
        verbs: &["build"],
        options: &[],
        files: &["*.pkr.hcl", "template.json", "packer.json"],
        format: Format::Blocks,
        places: &[
            ("**.shell-local.inline", Commands),
            ("**.shell-local.command", Commands),
            ("**.shell-local.script", Files),
            ("**.shell-local.scripts", Files),
        ],
        ..ROW
    },
    // docs.gitlab.com, "CI/CD YAML syntax reference"; github.com/firecow/gitlab-ci-local.
    Row {
        programs: &["gitlab-ci-local", "gitlab-runner"],
        options: &["--file"],
        files: &[".gitlab-ci.yml", ".gitlab-ci.yaml"],
        places: &[("before_script", Commands), ("script", Commands), ("after_script", Commands)],
        tasks: Some(("", "extends")),
        ..ROW
    },
    // circleci.com/docs, "Configuration reference"; woodpecker-ci.org; docs.drone.io; docs.dagger.io has none.
    Row {
        programs: &["circleci"],
        verbs: &["execute"],
        files: &[".circleci/config.yml"],
        places: &[("**.run", Commands), ("**.run.command", Commands)],
        is_contained: true,
        ..ROW
    },
    Row {
        programs: &["woodpecker", "woodpecker-cli", "drone"],
        verbs: &["exec"],
        files: &[".woodpecker.yml", ".woodpecker.yaml", ".drone.yml"],
        places: &[("**.commands", Commands)],
        is_contained: true,
        ..ROW
    },
    // f1bonacc1.github.io/process-compose; supervisord.org, "Configuration File"; mprocs; github.com/Nukesor/pueue has none.
    Row {
        programs: &["process-compose"],
        options: &["-f", "--config"],
        files: &["process-compose.yaml", "process-compose.yml"],
        places: &[("processes.*.command", Commands)],
        ..ROW
    },
    Row {
        programs: &["supervisord"],
        options: &["-c", "--configuration"],
        files: &["supervisord.conf", "etc/supervisord.conf"],
        format: Format::Sections,
        places: &[("*.command", Commands)],
        ..ROW
    },
    Row {
        programs: &["mprocs"],
        options: &["-c", "--config"],
        files: &["mprocs.yaml", "mprocs.yml"],
        places: &[("procs.*.shell", Commands), ("procs.*.cmd", Words)],
        ..ROW
    },
    // pm2.keymetrics.io, "Ecosystem File".
    Row {
        programs: &["pm2", "pm2-runtime"],
        verbs: &["start", "restart", "reload", "startOrRestart", "startOrReload"],
        files: &[
            "ecosystem.config.js",
            "ecosystem.config.cjs",
            "ecosystem.json",
            "pm2.config.js",
            "process.json",
        ],
        format: Format::Script,
        places: &[("apps.*", Program("script", "args")), ("apps", Program("script", "args"))],
        ..ROW
    },
    // playwright.dev, "webServer"; cypress and others load their own.
    Row {
        programs: &["playwright"],
        verbs: &["test"],
        options: &["-c", "--config"],
        files: &["playwright.config.ts", "playwright.config.js", "playwright.config.mjs"],
        format: Format::Script,
        places: &[
            ("webServer.command", Commands),
            ("webServer.*.command", Commands),
            ("globalSetup", Files),
            ("globalTeardown", Files),
        ],
        ..ROW
    },
    // jestjs.io, "Configuring Jest"; vitest.dev, "Config Reference".
    Row {
        programs: &["jest", "vitest"],
        options: &["-c", "--config"],
        files: &[
            "jest.config.js",
            "jest.config.ts",
            "jest.config.mjs",
            "jest.config.cjs",
            "jest.config.json",
            "vitest.config.ts",
            "vitest.config.js",
            "vitest.config.mts",
            "vite.config.ts",
            "vite.config.js",
        ],
        format: Format::Script,
        places: &[
            ("**.globalSetup", Files),
            ("**.globalTeardown", Files),
            ("**.setupFiles", Files),
            ("**.setupFilesAfterEnv", Files),
            ("**.testEnvironment", Files),
            ("**.reporters", Files),
            ("**.runner", Files),
            ("**.resolver", Files),
            ("**.testRunner", Files),
        ],
        ..ROW
    },
    // docs.aws.amazon.com/cdk, "cdk.json"; firebase.google.com, "predeploy"; docs.netlify.com; vercel.com/docs, "vercel.json";
    // developers.cloudflare.com, "wrangler.toml"; v2.tauri.app, "Configuration"; trunkrs.dev, "Hooks"; nx.dev, "run-commands"; melos.invertase.dev.
    Row {
        programs: &["cdk"],
        verbs: &["deploy", "destroy", "diff", "list", "ls", "synth", "synthesize", "watch"],
        files: &["cdk.json"],
        format: Format::Json,
        places: &[("app", Commands), ("build", Commands)],
        ..ROW
    },
    Row {
        programs: &["firebase"],
        verbs: &["deploy", "emulators:start", "emulators:exec", "serve"],
        files: &["firebase.json"],
        format: Format::Json,
        places: &[("**.predeploy", Commands), ("**.postdeploy", Commands)],
        ..ROW
    },
    Row {
        programs: &["netlify", "ntl"],
        verbs: &["build", "deploy", "dev"],
        files: &["netlify.toml"],
        format: Format::Toml,
        places: &[("build.command", Commands), ("dev.command", Commands)],
        ..ROW
    },
    Row {
        programs: &["vercel", "vc", "now"],
        verbs: &["build", "deploy", "dev"],
        files: &["vercel.json"],
        format: Format::Json,
        places: &[
            ("buildCommand", Commands),
            ("installCommand", Commands),
            ("devCommand", Commands),
            ("ignoreCommand", Commands),
        ],
        ..ROW
    },
    Row {
        programs: &["wrangler"],
        files: &["wrangler.toml"],
        format: Format::Toml,
        places: &[("build.command", Commands), ("env.*.build.command", Commands)],
        ..ROW
    },
    Row {
        programs: &["tauri"],
        verbs: &["build", "dev"],
        files: &["src-tauri/tauri.conf.json", "tauri.conf.json"],
        format: Format::Json,
        places: &[
            ("build.beforeBuildCommand", Commands),
            ("build.beforeDevCommand", Commands),
            ("build.beforeBundleCommand", Commands),
        ],
        ..ROW
    },
    Row {
        programs: &["trunk"],
        verbs: &["build", "serve", "watch"],
        files: &["Trunk.toml"],
        format: Format::Toml,
        places: &[("hooks.*", Program("command", "command_arguments"))],
        ..ROW
    },
    Row {
        programs: &["nx"],
        files: &["project.json"],
        format: Format::Json,
        places: &[
            ("options.command", Commands),
            ("options.commands", Commands),
            ("command", Commands),
        ],
        tasks: Some(("targets", "dependsOn")),
        ..ROW
    },
    // nx.dev, "Plugins": they are loaded before anything is asked for.
    Row {
        programs: &["nx"],
        files: &["nx.json"],
        format: Format::Json,
        places: &[
            ("plugins", Files),
            ("plugins.*.plugin", Files),
            ("tasksRunnerOptions.*.runner", Files),
        ],
        ..ROW
    },
    Row {
        programs: &["moon"],
        files: &["moon.yml"],
        places: &[("command", Words), ("script", Commands)],
        tasks: Some(("tasks", "deps")),
        ..ROW
    },
    Row {
        programs: &["melos"],
        files: &["melos.yaml"],
        places: &[("run", Commands), ("exec", Commands), ("", Commands)],
        tasks: Some(("scripts", "steps")),
        ..ROW
    },
    Row {
        programs: &["copilot-cli", "serverless", "sls"],
        verbs: &["deploy", "package", "offline"],
        files: &["serverless.yml", "serverless.yaml"],
        places: &[("custom.scripts.**", Commands)],
        ..ROW
    },
    // helmfile.readthedocs.io, "Hooks".
    Row {
        programs: &["helmfile"],
        verbs: &["apply", "sync", "diff", "template", "destroy", "deps"],
        options: &["-f", "--file"],
        files: &["helmfile.yaml", "helmfile.yml", "helmfile.yaml.gotmpl"],
        places: &[("**.hooks.*", Program("command", "args"))],
        ..ROW
    },
    // poethepoet, taskipy and pixi stand in `environments`; mise.jdx.dev, "Tasks"; taskfile in `tasks`; github.com/casey/just too; pixi.sh.
    Row {
        programs: &["mise", "rtx"],
        verbs: &["run", "r", "install", "i", "watch"],
        files: &["mise.toml", ".mise.toml", ".config/mise.toml"],
        format: Format::Toml,
        places: &[("run", Commands), ("", Commands)],
        tasks: Some(("tasks", "depends")),
        ..ROW
    },
    Row {
        programs: &["mise", "rtx"],
        files: &["mise.toml", ".mise.toml", ".config/mise.toml", "mise/config.toml"],
        format: Format::Toml,
        places: &[
            ("hooks.**", Commands),
            ("env._.source", Files),
            ("env._.source.path", Files),
            ("env._.source.*.path", Files),
        ],
        ..ROW
    },
    // code.claude.com/docs, "CLI reference"; docs.github.com, "Copilot CLI": servers that are started for this run.
    Row {
        programs: &["claude", "claude-code", "copilot"],
        options: &["--mcp-config", "--additional-mcp-config"],
        format: Format::Json,
        places: &[("mcpServers.*", Program("command", "args"))],
        ..ROW
    },
    // docs.rubocop.org, "Extensions"; prettier.io, "Plugins"; babeljs.io, "Plugins"; stylelint.io, "Configuring".
    Row {
        programs: &["rubocop", "standardrb"],
        options: &["-c", "--config"],
        files: &[".rubocop.yml", ".standard.yml"],
        places: &[("require", Files), ("plugins", Files)],
        ..ROW
    },
    Row {
        programs: &["prettier", "babel", "stylelint"],
        options: &["--config"],
        files: &[
            ".prettierrc",
            ".prettierrc.yaml",
            ".prettierrc.yml",
            ".prettierrc.json",
            ".babelrc",
            ".babelrc.json",
            "babel.config.json",
            ".stylelintrc",
            ".stylelintrc.json",
            ".stylelintrc.yaml",
        ],
        places: &[
            ("plugins", Files),
            ("plugins.*.*", Files),
            ("presets", Files),
            ("overrides.*.options.plugins", Files),
            ("processors", Files),
        ],
        ..ROW
    },
    Row {
        programs: &["prettier", "babel", "stylelint"],
        files: &["package.json"],
        format: Format::Json,
        places: &[
            ("prettier.plugins", Files),
            ("babel.plugins", Files),
            ("babel.presets", Files),
            ("stylelint.plugins", Files),
        ],
        ..ROW
    },
    // github.com/changesets/changesets, "Modifying changelog format".
    Row {
        programs: &["changeset"],
        verbs: &["version"],
        files: &[".changeset/config.json"],
        format: Format::Json,
        places: &[("changelog", Files), ("commit", Files)],
        ..ROW
    },
    Row {
        programs: &["pixi"],
        verbs: &["run"],
        files: &["pixi.toml"],
        format: Format::Toml,
        places: &[("cmd", Commands), ("", Commands)],
        tasks: Some(("tasks", "depends-on")),
        ..ROW
    },
    // dub.pm, "Build settings"; crystal-lang.org, "shard.yml"; opam.ocaml.org, "The Opam manual".
    Row {
        programs: &["dub"],
        files: &["dub.json"],
        format: Format::Json,
        places: &[
            ("**.preBuildCommands", Commands),
            ("**.postBuildCommands", Commands),
            ("**.preGenerateCommands", Commands),
            ("**.preRunCommands", Commands),
        ],
        ..ROW
    },
    Row {
        programs: &["shards"],
        verbs: &["build", "install", "update"],
        files: &["shard.yml"],
        places: &[("scripts.postinstall", Commands)],
        ..ROW
    },
    // docs.sqlc.dev, "Configuration file": plugins that are programs.
    Row {
        programs: &["sqlc"],
        verbs: &["compile", "diff", "generate", "vet"],
        options: &["-f", "--file"],
        files: &["sqlc.yaml", "sqlc.yml", "sqlc.json"],
        places: &[("plugins.*.process.cmd", Commands)],
        ..ROW
    },
    // the-guild.dev/graphql/codegen, "Lifecycle Hooks", "codegen.ts file".
    Row {
        programs: &["graphql-codegen", "graphql-codegen-esm", "gql-gen"],
        options: &["-c", "--config"],
        files: &[
            "codegen.ts",
            "codegen.yml",
            "codegen.yaml",
            "codegen.json",
            "codegen.js",
            "codegen.mjs",
            "codegen.cjs",
            ".graphqlrc.yml",
            ".graphqlrc.ts",
        ],
        format: Format::Script,
        places: &[
            ("**.hooks.*", Commands),
            ("**.plugins", Files),
            ("**.preset", Files),
            ("**.loader", Files),
            ("require", Files),
        ],
        ..ROW
    },
    // prisma.io/docs, "Generators": a provider is a package by its name, a script or a command.
    Row {
        programs: &["prisma"],
        verbs: &["generate", "migrate", "db", "studio", "dev", "reset", "push"],
        options: &["--schema"],
        files: &["prisma/schema.prisma", "schema.prisma", "prisma/schema/schema.prisma"],
        format: Format::Blocks,
        places: &[("generator.*.provider", Named)],
        ..ROW
    },
    // skaffold.dev/docs, "Local Build": images go to their registry.
    Row {
        programs: &["skaffold"],
        verbs: &["build", "debug", "deploy", "dev", "run"],
        options: &["-f", "--filename"],
        files: &["skaffold.yaml", "skaffold.yml"],
        places: &[("build", Pushed)],
        ..ROW
    },
    // orval.dev, "Hooks"; openapi-generator has none; lint-staged, husky and the like stand in `hooks`.
    Row {
        programs: &["orval"],
        options: &["-c", "--config"],
        files: &["orval.config.ts", "orval.config.js", "orval.config.mjs"],
        format: Format::Script,
        places: &[("**.hooks.*", Commands)],
        ..ROW
    },
    // copier.readthedocs.io, "Configuring a template".
    Row {
        programs: &["copier"],
        files: &["copier.yml", "copier.yaml"],
        places: &[
            ("_tasks", Commands),
            ("_migrations.*.before", Commands),
            ("_migrations.*.after", Commands),
        ],
        ..ROW
    },
    // docs.buf.build, "buf.gen.yaml"; developer.fyne.io has none.
    Row {
        programs: &["buf"],
        verbs: &["generate"],
        files: &["buf.gen.yaml"],
        places: &[("plugins.*.local", Words), ("plugins.*.path", Words)],
        ..ROW
    },
    // snapcraft.io, "Override build steps"; docs.flatpak.org, "Manifests"; conda-build, "meta.yaml".
    Row {
        programs: &["snapcraft", "charmcraft", "rockcraft"],
        files: &["snap/snapcraft.yaml", "snapcraft.yaml", "charmcraft.yaml", "rockcraft.yaml"],
        places: &[
            ("parts.*.override-build", Commands),
            ("parts.*.override-pull", Commands),
            ("parts.*.override-prime", Commands),
            ("parts.*.override-stage", Commands),
        ],
        ..ROW
    },
    Row {
        programs: &["conda", "conda-build", "rattler-build"],
        verbs: &["build", "mambabuild"],
        files: &["meta.yaml", "recipe/meta.yaml", "recipe.yaml"],
        places: &[("build.script", Commands), ("test.commands", Commands)],
        ..ROW
    },
    // prisma.io, "Seeding"; code.visualstudio.com, "Tasks": those of `folderOpen` run when the folder is opened.
    Row {
        programs: &["prisma"],
        verbs: &["seed", "reset", "dev"],
        files: &["package.json"],
        format: Format::Json,
        places: &[("prisma.seed", Commands)],
        ..ROW
    },
    // rust-lang.github.io/mdBook, "Preprocessors", "Renderers"; quarto.org, "Project scripts"; flox.dev, "manifest.toml"; phpstan.org, "Config
    // reference"; callowayproject.github.io/bump-my-version, "Hooks".
    Row {
        programs: &["mdbook"],
        verbs: &["build", "serve", "test", "watch"],
        files: &["book.toml"],
        format: Format::Toml,
        places: &[("preprocessor.*.command", Commands), ("output.*.command", Commands)],
        ..ROW
    },
    Row {
        programs: &["quarto"],
        verbs: &["preview", "publish", "render"],
        files: &["_quarto.yml", "_quarto.yaml"],
        places: &[("project.pre-render", Commands), ("project.post-render", Commands)],
        ..ROW
    },
    Row {
        programs: &["flox"],
        verbs: &["activate", "services"],
        files: &[".flox/env/manifest.toml"],
        format: Format::Toml,
        places: &[("hook.*", Commands), ("profile.*", Commands), ("services.*.command", Commands)],
        ..ROW
    },
    Row {
        programs: &["phpstan"],
        verbs: &["analyse", "analyze"],
        options: &["-c", "--configuration"],
        files: &["phpstan.neon", "phpstan.neon.dist", "phpstan.dist.neon"],
        places: &[
            ("parameters.bootstrapFiles", Files),
            ("parameters.scanFiles", Files),
            ("includes", Files),
        ],
        ..ROW
    },
    Row {
        programs: &["bump-my-version", "bumpversion"],
        verbs: &["bump", "major", "minor", "patch"],
        files: &[".bumpversion.toml", "pyproject.toml"],
        format: Format::Toml,
        places: &[
            ("tool.bumpversion.setup_hooks", Commands),
            ("tool.bumpversion.pre_commit_hooks", Commands),
            ("tool.bumpversion.post_commit_hooks", Commands),
        ],
        ..ROW
    },
    // prisma.io, "Generators": a generator of the project is a command.
    Row {
        programs: &["prisma"],
        verbs: &["generate", "migrate", "db", "dev", "format"],
        options: &["--schema"],
        files: &["prisma/schema.prisma", "schema.prisma"],
        format: Format::Blocks,
        places: &[("generator.*.provider", Commands)],
        ..ROW
    },
    // github.com/watchexec; nodemon.io, "nodemon.json".
    Row {
        programs: &["nodemon"],
        options: &["--config"],
        files: &["nodemon.json", "package.json"],
        format: Format::Json,
        places: &[
            ("exec", Commands),
            ("nodemonConfig.exec", Commands),
            ("**.events.*", Commands),
            ("execMap.*", Commands),
        ],
        ..ROW
    },
    // github.com/simple-git-hooks; git-hooks of `package.json` stand in `hooks`. semantic-release's exec plugin.
    Row {
        programs: &["semantic-release"],
        files: &[
            ".releaserc",
            ".releaserc.json",
            ".releaserc.yaml",
            ".releaserc.yml",
            "package.json",
        ],
        format: Format::Json,
        places: &[
            ("**.prepareCmd", Commands),
            ("**.publishCmd", Commands),
            ("**.verifyConditionsCmd", Commands),
            ("**.verifyReleaseCmd", Commands),
            ("**.analyzeCommitsCmd", Commands),
            ("**.generateNotesCmd", Commands),
            ("**.successCmd", Commands),
        ],
        ..ROW
    },
    Row {
        programs: &["release-it"],
        files: &[".release-it.json", ".release-it.yaml", "package.json"],
        format: Format::Json,
        places: &[("hooks.**", Commands), ("release-it.hooks.**", Commands)],
        ..ROW
    },
];

//! Tools whose settings list commands, in a tree of names and values: where each looks for its file by its manual, and at which places in it
//! commands stand. A tool is a row.

use portcullis_syntax::Span;

use super::{project, tree};
use crate::{
    effect::Certainty,
    programs::found::{File, directory_of},
    programs::host::Host,
    programs::invocation::Invocation,
    text::Text,
};

/// What a file is written in.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Format {
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
enum What {
    /// A command for a shell, or a list of them.
    Commands,
    /// A list of words that are one command; a text is a command for a shell.
    Words,
    /// A script of the project, in the language that its name or first line says.
    Files,
    /// A table with a program and its words under these names.
    Program(&'static str, &'static str),
}

use What::{Commands, Files, Program, Words};

/// A tool whose settings list commands.
struct Row {
    /// Its names.
    programs: &'static [&'static str],
    /// The first words with which it runs them; with each where there are none.
    verbs: &'static [&'static str],
    /// Options that name the file.
    options: &'static [&'static str],
    /// Where it looks: the first that is there, in the directory or in the nearest above.
    files: &'static [&'static str],
    format: Format,
    /// Where commands stand: names with dots between them, `*` is each of a table or a list, `**` whatever is in it.
    places: &'static [(&'static str, What)],
    /// The table of tasks that words on the command line name, and what a task calls those that it needs.
    tasks: Option<(&'static str, &'static str)>,
    /// It runs them in a container.
    is_contained: bool,
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

static TABLE: &[Row] = &[
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
        files: &["mise.toml", ".mise.toml"],
        format: Format::Toml,
        places: &[("hooks.**", Commands)],
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
    // docs.buf.build, "buf.gen.yaml"; sqlc.dev; developer.fyne.io has none.
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

/// Whether a tool of the table has this name.
pub(super) fn knows(program: &str) -> bool {
    TABLE.iter().any(|row| row.programs.contains(&program))
}

/// Says what the settings of the tools of the table have them run.
pub(super) fn follow(walk: &mut dyn Host, invocation: &Invocation) {
    for row in TABLE {
        if row.programs.contains(&invocation.program.as_str()) {
            read(walk, invocation, row);
        }
    }
}

fn read(walk: &mut dyn Host, invocation: &Invocation, row: &Row) {
    let words = project::words(invocation);
    let tells =
        ["--help", "-h", "--version", "--list", "-l", "--dry-run", "--dryrun", "--skip=before"];
    if project::has(&words, &tells) {
        return;
    }
    let operands = project::operands(&words, row.options);
    if !row.verbs.is_empty() && !operands.iter().any(|word| row.verbs.contains(word)) {
        return;
    }
    let mut named: Vec<String> = Vec::new();
    for name in project::options(&words, row.options) {
        named.extend(walk.target(&Text::known(name)).path);
    }
    // Some take their file as an operand.
    let ends = [".hcl", ".json", ".yml", ".yaml", ".toml", ".js", ".cjs"];
    for word in operands.iter().filter(|word| ends.iter().any(|end| word.ends_with(end))) {
        named.extend(walk.target(&Text::known(*word)).path);
    }
    let files: Vec<File> = if named.is_empty() {
        there(walk, row)
    } else {
        for path in &named {
            walk.look(path);
        }
        named.iter().filter_map(|path| walk.look(path).file()).collect()
    };
    for file in files {
        let root = directory_of(&file.path).to_owned();
        let part = operands.join(" ");
        walk.in_task(&file, &part, "settings", invocation.span, |walk| {
            let tree = project::whole(walk, parsed(row.format, &file));
            for document in &tree.documents {
                if row.is_contained {
                    walk.in_container(|walk| say(walk, row, document, &operands, &root));
                } else {
                    say(walk, row, document, &operands, &root);
                }
            }
        });
    }
}

/// The files of a row that are there: the first of its names, or each that its pattern names.
fn there(walk: &mut dyn Host, row: &Row) -> Vec<File> {
    let plain: Vec<&str> = row.files.iter().filter(|name| !name.contains('*')).copied().collect();
    let mut files: Vec<File> = Vec::new();
    for end in row.files.iter().filter_map(|name| name.strip_prefix('*')) {
        let Some(root) = walk.directory().map(str::to_owned) else { break };
        let found = walk.in_project(|walk| {
            project::below(walk, &root, 1, Span::default(), &|name| name.ends_with(end))
        });
        for path in &found {
            walk.look(path);
        }
        files.extend(found.iter().filter_map(|path| walk.look(path).file()));
    }
    // A `package.json` may hold what a file of its own has not.
    let is_shared = plain.contains(&"package.json");
    match project::nearest(walk, &plain) {
        Some(file) if is_shared => {
            let root = directory_of(&file.path).to_owned();
            files.extend(project::all_in(walk, &root, &plain));
        }
        nearest => files.extend(nearest),
    }
    files
}

fn parsed(format: Format, file: &File) -> tree::Tree {
    let text = &*file.text;
    match format {
        _ if file.path.ends_with(".json") => tree::json(text),
        _ if file.path.ends_with(".yaml") || file.path.ends_with(".yml") => tree::yaml(text),
        Format::Yaml => tree::yaml(text),
        Format::Json => tree::json(text),
        Format::Toml => tree::toml(text),
        Format::Blocks => tree::blocks(text),
        Format::Sections => tree::sections(text),
        Format::Script => tree::object(text),
    }
}

fn say(walk: &mut dyn Host, row: &Row, document: &tree::Node, operands: &[&str], root: &str) {
    let Some((table, needs)) = row.tasks else {
        places(walk, row, document, root);
        return;
    };
    let tasks = if table.is_empty() { Some(document) } else { document.get(table) };
    let Some(tasks) = tasks else { return };
    let mut open: Vec<&str> = operands.to_vec();
    let is_asked = tasks.entries().any(|(name, _)| operands.contains(&name));
    if !is_asked {
        open = tasks.entries().map(|it| it.0).collect();
    }
    let mut seen: Vec<&str> = Vec::new();
    while let Some(name) = open.pop() {
        let Some((name, task)) = tasks.entries().find(|(known, _)| *known == name) else {
            continue;
        };
        if seen.contains(&name) {
            continue;
        }
        seen.push(name);
        places(walk, row, task, root);
        for need in task.get(needs).iter().flat_map(|it| it.each()) {
            open.extend(
                need.text().or_else(|| need.text_of("name")).or_else(|| need.text_of("task")),
            );
        }
    }
    if table.is_empty() && is_asked {
        // What every job runs.
        places(walk, row, document, root);
        if let Some(default) = document.get("default") {
            places(walk, row, default, root);
        }
    }
}

fn places(walk: &mut dyn Host, row: &Row, node: &tree::Node, root: &str) {
    for (place, what) in row.places {
        let mut found: Vec<&tree::Node> = Vec::new();
        let names: Vec<&str> = place.split('.').filter(|name| !name.is_empty()).collect();
        at(node, &names, &mut found);
        for node in found {
            walk.at_most(Certainty::Likely, |walk| one(walk, node, *what, root));
        }
    }
}

/// The values at a place.
fn at<'n>(node: &'n tree::Node, names: &[&str], found: &mut Vec<&'n tree::Node>) {
    let Some((first, rest)) = names.split_first() else {
        found.push(node);
        return;
    };
    match *first {
        "*" => {
            node.entries().for_each(|(_, inner)| at(inner, rest, found));
            node.items().iter().for_each(|inner| at(inner, rest, found));
        }
        "**" => node.visit(&mut |inner| {
            let is_deep = rest.is_empty() && inner.text().is_none();
            if !is_deep {
                at(inner, rest, found);
            }
        }),
        name => {
            // A name may stand several times: blocks of one kind.
            node.entries()
                .filter(|(key, _)| *key == name)
                .for_each(|(_, inner)| at(inner, rest, found));
        }
    }
}

fn one(walk: &mut dyn Host, node: &tree::Node, what: What, root: &str) {
    match what {
        Words if !node.items().is_empty() => {
            walk.run(&project::arguments(&node.words(), node.span), None);
        }
        Commands | Words => {
            for command in node.each() {
                // `{cmd: …}` where a command has settings of its own; a list in a list is a block of them.
                let inner = ["cmd", "command", "run"].iter().find_map(|key| command.get(key));
                for command in inner.unwrap_or(command).each() {
                    if let Some(text) = command.text() {
                        walk.shell(&Text::known(filled(text)), command.span, &[], None);
                    }
                }
            }
        }
        Files => {
            for script in node.each() {
                let text = script.text().unwrap_or_default();
                for name in text.split(['\n', ',']).map(str::trim) {
                    let name = ["pre:", "post:"]
                        .iter()
                        .find_map(|mark| name.strip_prefix(mark))
                        .unwrap_or(name);
                    let name = name.replace("<rootDir>/", "./");
                    if name.starts_with('.') || name.contains('/') && !name.starts_with('@') {
                        started(walk, &project::joined(root, &name), script.span);
                    }
                }
            }
        }
        Program(program, words) => {
            let Some(named) = node.get(program) else { return };
            let Some(text) = named.text() else { return };
            let mut line = vec![filled(text)];
            match node.get(words) {
                Some(given) if given.text().is_some() => {
                    let given = given.text().unwrap_or_default();
                    let code = format!("{} {}", super::quoted(text), filled(given));
                    walk.shell(&Text::known(code), named.span, &[], None);
                    return;
                }
                Some(given) => line.extend(given.words().iter().map(|word| filled(word))),
                None => {}
            }
            // A script of the project is one by its name.
            let is_script =
                [".js", ".mjs", ".cjs", ".ts", ".py", ".rb"].iter().any(|end| text.ends_with(end));
            if is_script {
                started(walk, &project::joined(root, text), named.span);
            } else {
                walk.run(&project::arguments(&line, named.span), None);
            }
        }
    }
}

/// A script of the project, by its name; modules may leave out how it ends.
fn started(walk: &mut dyn Host, path: &str, span: Span) {
    let path = crate::paths::normal(path);
    let language =
        match path.rsplit('/').next().and_then(|name| name.rsplit_once('.')).map(|it| it.1) {
            Some("py") => "python",
            Some("rb") => "ruby",
            Some("sh" | "bash") => "shell",
            _ => "javascript",
        };
    if walk.look(&path).file().is_some() || language != "javascript" {
        walk.load(language, &path, span);
        return;
    }
    for end in [".js", ".ts", ".mjs", ".cjs", "/index.js", "/index.ts"] {
        walk.look(&format!("{path}{end}"));
    }
    for end in [".js", ".ts", ".mjs", ".cjs", "/index.js", "/index.ts"] {
        walk.load(language, &format!("{path}{end}"), span);
    }
}

/// `{{ .X }}`, `${{ … }}` and `%(x)s` are words that stand for what they compute.
fn filled(text: &str) -> String {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("{{") {
        filled.push_str(before.strip_suffix('$').unwrap_or(before));
        let Some((_, next)) = after.split_once("}}") else {
            filled.push_str("{{");
            rest = after;
            break;
        };
        filled.push_str("value");
        rest = next;
    }
    filled.push_str(rest);
    filled
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(node: &tree::Node, place: &str) -> Vec<String> {
        let mut found = Vec::new();
        let names: Vec<&str> = place.split('.').collect();
        at(node, &names, &mut found);
        found
            .iter()
            .map(|it| it.text().map_or_else(|| it.words().join("|"), str::to_owned))
            .collect()
    }

    #[test]
    fn places_are_found_in_trees() {
        let tree = tree::yaml("a:\n  b: [x, y]\nc:\n- d:\n    b: z\n");
        let root = tree.root().unwrap();
        assert_eq!(texts(root, "a.b"), ["x|y"]);
        assert_eq!(texts(root, "c.*.d.b"), ["z"]);
        assert_eq!(texts(root, "**.b"), ["x|y", "z"]);
        assert_eq!(texts(root, "a.**"), ["x", "y"]);
    }

    #[test]
    fn an_object_of_a_script_is_a_tree() {
        for text in [
            "module.exports = { apps: [{ script: 'a.js', args: \"-x\" }] };\n",
            "import x from 'y';\n/** @type {z} */\nexport default defineConfig({\n  apps: [{ script: 'a.js', n: f(1, 2), }],\n});\n",
        ] {
            let tree = tree::object(text);
            assert_eq!(texts(tree.root().unwrap(), "apps.*.script"), ["a.js"], "{text}");
        }
        assert!(
            tree::object("console.log(1)\n").root().is_none_or(|root| root.entries().count() == 0)
        );
    }

    #[test]
    fn what_is_computed_is_a_word() {
        assert_eq!(filled("a {{ .X }} ${{ y }} {{"), "a value value {{");
    }
}

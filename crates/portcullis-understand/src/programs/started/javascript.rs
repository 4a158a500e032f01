//! Files of a JavaScript project that its tools load and run: configurations that are programs, what these name to be loaded before tests, tests, and
//! settings of the package managers that start programs or say where packages come from. Owns which tool looks for which names, by each tool's page
//! on configuration.

use portcullis_syntax::Span;

use super::{Starter, project, tree};
use crate::{
    bound::Bounded,
    programs::found::{Found, directory_of},
    programs::host::Host,
    programs::invocation::Invocation,
};

pub(super) static TOOLS: Starter = Starter { programs: NAMES, start: tool };
pub(super) static MANAGERS: Starter =
    Starter { programs: &["bun", "npm", "pnpm", "yarn"], start: manager };
pub(super) static RUNNERS: Starter = Starter {
    programs: &[
        "concurrently",
        "lerna",
        "nodemon",
        "npm-run-all",
        "nx",
        "run-p",
        "run-s",
        "turbo",
        "wsrun",
        "lint-staged",
    ],
    start: runner,
};

/// How configurations end.
const ENDINGS: &[&str] = &[".js", ".mjs", ".cjs", ".ts", ".mts", ".cts"];

/// How many tests are read.
const TESTS: usize = 16;

/// A tool with the names of its configurations, and those of tools that it takes along.
struct Tool {
    name: &'static str,
    files: &'static [&'static str],
    /// It runs tests, whose names have one of these in them.
    tests: &'static [&'static str],
}

const fn row(name: &'static str, files: &'static [&'static str]) -> Tool {
    Tool { name, files, tests: &[] }
}

const fn tests(name: &'static str, files: &'static [&'static str]) -> Tool {
    Tool { name, files, tests: &[".test.", ".spec."] }
}

static TABLE: &[Tool] = &[
    row("astro", &["astro.config", "tailwind.config", "postcss.config"]),
    tests("ava", &["ava.config"]),
    row("babel", &["babel.config", ".babelrc"]),
    tests("borp", &[]),
    row("c8", &[]),
    row("commitlint", &["commitlint.config", ".commitlintrc"]),
    row("craco", &["craco.config"]),
    tests("cypress", &["cypress.config"]),
    row("docusaurus", &["docusaurus.config", "sidebars"]),
    row("drizzle-kit", &["drizzle.config"]),
    row("electron-builder", &["electron-builder.config"]),
    row("eleventy", &[".eleventy", "eleventy.config"]),
    row("esbuild", &["esbuild.config"]),
    row("eslint", &["eslint.config", ".eslintrc"]),
    row("gatsby", &["gatsby-config", "gatsby-node"]),
    row("graphql-codegen", &["codegen"]),
    row("grunt", &["Gruntfile", "gruntfile"]),
    row("gulp", &["gulpfile"]),
    tests("jasmine", &["spec/support/jasmine", "jasmine.config"]),
    tests("jest", &["jest.config", "babel.config", "jest.setup"]),
    tests("karma", &["karma.conf"]),
    row("knex", &["knexfile"]),
    row("lint-staged", &["lint-staged.config", ".lintstagedrc"]),
    tests("mocha", &[".mocharc"]),
    row("next", &["next.config", "postcss.config", "tailwind.config", "instrumentation"]),
    row("nuxt", &["nuxt.config", "tailwind.config"]),
    row("nyc", &["nyc.config", ".nycrc"]),
    row("parcel", &["postcss.config"]),
    tests("playwright", &["playwright.config"]),
    row("postcss", &["postcss.config", ".postcssrc"]),
    row("prettier", &["prettier.config", ".prettierrc"]),
    row("prisma", &["prisma.config"]),
    row("quasar", &["quasar.config", "quasar.conf"]),
    row("react-router", &["react-router.config", "vite.config"]),
    row("react-scripts", &["src/setupProxy", "src/setupTests"]),
    row("release-it", &[".release-it"]),
    row("remix", &["remix.config", "vite.config"]),
    row("rollup", &["rollup.config"]),
    row("rspack", &["rspack.config"]),
    row("semantic-release", &["release.config", ".releaserc"]),
    row("size-limit", &[".size-limit"]),
    row("standard", &[]),
    row("storybook", &[".storybook/main", ".storybook/preview"]),
    row("stylelint", &["stylelint.config", ".stylelintrc"]),
    row("svelte-kit", &["svelte.config", "vite.config"]),
    row("tailwindcss", &["tailwind.config"]),
    tests("tap", &[".taprc"]),
    row("tsdown", &["tsdown.config"]),
    row("tsup", &["tsup.config"]),
    row("unbuild", &["build.config"]),
    row("vite", &["vite.config", "postcss.config", "tailwind.config", "svelte.config"]),
    row("vitepress", &[".vitepress/config", "docs/.vitepress/config"]),
    tests("vitest", &["vitest.config", "vite.config", "vitest.workspace", "vitest.setup"]),
    row("vue-cli-service", &["vue.config", "babel.config"]),
    tests("wdio", &["wdio.conf"]),
    row("webpack", &["webpack.config", "babel.config", "postcss.config"]),
    row("webpack-dev-server", &["webpack.config"]),
    row("wrangler", &[]),
    row("xo", &["xo.config"]),
];

/// The names of the table.
const NAMES: &[&str] = &[
    "astro",
    "ava",
    "babel",
    "borp",
    "c8",
    "commitlint",
    "craco",
    "cypress",
    "docusaurus",
    "drizzle-kit",
    "electron-builder",
    "eleventy",
    "esbuild",
    "eslint",
    "gatsby",
    "graphql-codegen",
    "grunt",
    "gulp",
    "jasmine",
    "jest",
    "karma",
    "knex",
    "lint-staged",
    "mocha",
    "next",
    "nuxt",
    "nyc",
    "parcel",
    "playwright",
    "postcss",
    "prettier",
    "prisma",
    "quasar",
    "react-router",
    "react-scripts",
    "release-it",
    "remix",
    "rollup",
    "rspack",
    "semantic-release",
    "size-limit",
    "standard",
    "storybook",
    "stylelint",
    "svelte-kit",
    "tailwindcss",
    "tap",
    "tsdown",
    "tsup",
    "unbuild",
    "vite",
    "vitepress",
    "vitest",
    "vue-cli-service",
    "wdio",
    "webpack",
    "webpack-dev-server",
    "wrangler",
    "xo",
];

/// Options that name a configuration or a file that is loaded first.
const NAMED: &[&str] = &[
    "--config",
    "--gulpfile",
    "--gruntfile",
    "--import",
    "--node-option",
    "--require",
    "--rollupConfig",
    "--setupFiles",
    "--setupFilesAfterEnv",
    "-c",
    "-r",
];

fn tool(walk: &mut dyn Host, invocation: &Invocation) {
    let Some(row) = TABLE.iter().find(|row| row.name == invocation.program) else { return };
    let words = project::words(invocation);
    if project::has(&words, &["--help", "-h", "--version", "-v", "--print-config", "--showConfig"])
    {
        return;
    }
    let Some(root) = walk.directory().map(str::to_owned) else { return };
    let span = invocation.span;
    let Found::Directory(names) = walk.look(&root) else { return };
    let mut paths: Vec<String> = Vec::new();
    for word in project::options(&words, NAMED) {
        if word.contains(['.', '/'])
            && let Some(path) = walk.target(&crate::text::Text::known(word)).path
        {
            paths.push(path);
        }
    }
    // What is not in the list of names is not asked for.
    for file in row.files {
        let is_there =
            |ending: &&&str| file.contains('/') || names.contains(&format!("{file}{ending}"));
        paths
            .extend(ENDINGS.iter().filter(is_there).map(|ending| format!("{root}/{file}{ending}")));
    }
    if !row.tests.is_empty() {
        paths.extend(set_up(walk, &root, row.name));
    }
    for path in &paths {
        walk.look(path);
    }
    for path in &paths {
        walk.load("javascript", path, span);
    }
    if !row.tests.is_empty() {
        tested(walk, row, &words, &root, span);
    }
}

/// Files that a `package.json` has loaded before tests, and those of `.mocharc.json`.
fn set_up(walk: &mut dyn Host, root: &str, name: &str) -> Vec<String> {
    let mut found = Vec::new();
    let files = project::all_in(
        walk,
        root,
        &["package.json", ".mocharc.json", ".mocharc.jsonc", "jest.config.json"],
    );
    for file in files {
        let tree = project::whole(walk, tree::json(&file.text));
        let Some(node) = tree.root() else { continue };
        let own = if file.path.ends_with("/package.json") { node.get(name) } else { Some(node) };
        for key in [
            "setupFiles",
            "setupFilesAfterEnv",
            "globalSetup",
            "globalTeardown",
            "require",
            "file",
            "import",
        ] {
            for value in own.and_then(|own| own.get(key)).map(tree::Node::each).unwrap_or_default()
            {
                let Some(text) = value.text() else { continue };
                let text = text.replace("<rootDir>/", "./");
                if text.starts_with('.') || text.contains('/') {
                    found.push(project::joined(root, &text));
                }
            }
        }
    }
    found
}

/// The tests that are given, or those that are found.
fn tested(walk: &mut dyn Host, row: &Tool, words: &[String], root: &str, span: Span) {
    let is_script = |name: &str| {
        [".js", ".mjs", ".cjs", ".ts", ".tsx", ".jsx"].iter().any(|end| name.ends_with(end))
    };
    let given: Vec<String> = words
        .iter()
        .filter(|word| !word.starts_with('-') && is_script(word) && !word.contains('*'))
        .filter_map(|word| walk.target(&crate::text::Text::known(word.as_str())).path)
        .collect();
    let paths = if given.is_empty() {
        let Some(package) = walk.look(&format!("{root}/package.json")).file() else { return };
        let folders =
            ["test", "tests", "__tests__", "spec", "src"].map(|folder| format!("{root}/{folder}"));
        for folder in &folders {
            walk.look(folder);
        }
        walk.in_file(&package, "package.json", span, |walk| {
            let mut found = Vec::new();
            for folder in &folders {
                let of_tests = !folder.ends_with("/src");
                let is_test = |name: &str| {
                    is_script(name)
                        && (row.tests.iter().any(|mark| name.contains(mark))
                            || of_tests && row.name != "jest")
                };
                found.extend(project::below(walk, folder, 3, span, &is_test));
            }
            found.iter().at_most(TESTS, walk, span).cloned().collect::<Vec<_>>()
        })
        .unwrap_or_default()
    } else {
        given
    };
    for path in &paths {
        walk.look(path);
    }
    for path in &paths {
        walk.load("javascript", path, span);
    }
}

/// Settings of the package managers, and native code that an installation builds.
fn manager(walk: &mut dyn Host, invocation: &Invocation) {
    let words = project::words(invocation);
    let verb = project::operands(&words, &["-C", "--cwd", "--prefix", "--filter", "-w", "--dir"])
        .first()
        .copied();
    let installs = matches!(
        verb,
        Some(
            "install"
                | "i"
                | "ci"
                | "add"
                | "update"
                | "up"
                | "it"
                | "install-test"
                | "dlx"
                | "x"
                | "rebuild"
        )
    ) || verb.is_none() && matches!(invocation.program.as_str(), "yarn");
    if project::has(&words, &["--help", "-h", "--version", "-v"]) {
        return;
    }
    let directory =
        project::option(&words, &["-C", "--cwd", "--prefix", "--dir"]).map(str::to_owned);
    project::in_directory(walk, directory.as_deref(), |walk| {
        let Some(root) = walk.directory().map(str::to_owned) else { return };
        let span = invocation.span;
        let names = [
            ".npmrc",
            ".yarnrc.yml",
            ".yarnrc",
            "bunfig.toml",
            ".pnpmfile.cjs",
            "binding.gyp",
            "pnpm-workspace.yaml",
        ];
        for name in names {
            walk.look(&format!("{root}/{name}"));
        }
        npmrc(walk, &root, span, installs);
        yarnrc(walk, &root, span, installs);
        if invocation.program == "bun" {
            bunfig(walk, &root, span, installs);
        }
        if installs && invocation.program == "pnpm" {
            walk.load("javascript", &format!("{root}/.pnpmfile.cjs"), span);
        }
        let ignores = project::has(&words, &["--ignore-scripts"]);
        if installs && !ignores {
            binding(walk, &root, span);
        }
    });
}

fn npmrc(walk: &mut dyn Host, root: &str, span: Span, installs: bool) {
    let Some(file) = walk.look(&format!("{root}/.npmrc")).file() else { return };
    walk.in_file(&file, "npmrc", span, |walk| {
        let tree = project::whole(walk, tree::sections(&file.text));
        for (key, value) in tree
            .root()
            .iter()
            .flat_map(|root| root.entries())
            .flat_map(|(_, section)| section.entries())
        {
            let text = value.text().unwrap_or_default().trim_matches(['"', '\'']);
            match key {
                _ if installs && (key == "registry" || key.ends_with(":registry")) => {
                    from(walk, text, value.span)
                }
                "strict-ssl" if installs && text == "false" => {
                    walk.run(
                        &project::arguments(&["npm", "install", "--strict-ssl=false"], value.span),
                        None,
                    );
                }
                // It is given the script behind `-c`.
                "script-shell" | "shell" if !text.is_empty() => {
                    walk.run(&project::arguments(&[text, "-c", "true"], value.span), None);
                }
                "git" | "node-gyp" | "editor" if !text.is_empty() => {
                    walk.run(&project::arguments(&[text, "--version"], value.span), None);
                }
                "node-options" => {
                    walk.environment_of(
                        "NODE_OPTIONS",
                        &crate::text::Text::known(text),
                        value.span,
                    );
                    walk.run(&project::arguments(&["node", "--version"], value.span), None);
                }
                _ => {}
            }
        }
    });
}

/// Packages come from an address.
fn from(walk: &mut dyn Host, address: &str, span: Span) {
    if address.contains("://") {
        walk.run(&project::arguments(&["npm", "install", "--registry", address, "x"], span), None);
    }
}

fn yarnrc(walk: &mut dyn Host, root: &str, span: Span, installs: bool) {
    if let Some(file) = walk.look(&format!("{root}/.yarnrc.yml")).file() {
        walk.in_file(&file, "yarnrc", span, |walk| {
            let tree = project::whole(walk, tree::yaml(&file.text));
            let Some(node) = tree.root() else { return };
            if let Some(program) = node.get("yarnPath").and_then(tree::Node::text) {
                // The manager itself is longer than what is read of a file, and made by a machine: what is short is none.
                let path = project::joined(root, program);
                let is_manager = path.contains("/.yarn/releases/");
                let file = walk.look(&path).file();
                if !is_manager || file.is_some_and(|file| file.whole) {
                    walk.load("javascript", &path, span);
                }
            }
            for plugin in node.get("plugins").map(tree::Node::items).unwrap_or_default() {
                let path = plugin.text().or_else(|| plugin.text_of("path")).unwrap_or_default();
                if !path.contains("@yarnpkg/") && !path.is_empty() {
                    walk.load("javascript", &project::joined(root, path), plugin.span);
                }
            }
            if installs && let Some(address) = node.get("npmRegistryServer") {
                from(walk, address.text().unwrap_or_default(), address.span);
            }
        });
    }
    if let Some(file) = walk.look(&format!("{root}/.yarnrc")).file() {
        walk.in_file(&file, "yarnrc", span, |walk| {
            let mut at = 0;
            for line in file.text.split_inclusive('\n') {
                let place = Span::new(at, at + line.trim_end().len());
                at += line.len();
                let Some((key, value)) = line.trim().split_once([' ', '\t']) else { continue };
                let value = value.trim().trim_matches(['"', '\'']);
                match key {
                    "registry" if installs => from(walk, value, place),
                    "yarn-path" if !value.contains(".yarn/releases/") => {
                        walk.load("javascript", &project::joined(root, value), place);
                    }
                    _ => {}
                }
            }
        });
    }
}

fn bunfig(walk: &mut dyn Host, root: &str, span: Span, installs: bool) {
    let Some(file) = walk.look(&format!("{root}/bunfig.toml")).file() else { return };
    walk.in_file(&file, "bunfig", span, |walk| {
        let tree = project::whole(walk, tree::toml(&file.text));
        let Some(node) = tree.root() else { return };
        for keys in [&["preload"][..], &["test", "preload"]] {
            for script in node.path(keys).map(tree::Node::each).unwrap_or_default() {
                if let Some(name) = script.text().filter(|name| name.starts_with('.')) {
                    walk.load("javascript", &project::joined(root, name), script.span);
                }
            }
        }
        if installs && let Some(address) = node.path(&["install", "registry"]) {
            from(
                walk,
                address.text().or_else(|| address.text_of("url")).unwrap_or_default(),
                address.span,
            );
        }
    });
}

/// `binding.gyp`: an installation builds it, and `<!(COMMAND)` in it runs a command (gyp.gsrc.io, "Command Expansions"); actions are lists of words.
fn binding(walk: &mut dyn Host, root: &str, span: Span) {
    let Some(file) = walk.look(&format!("{root}/binding.gyp")).file() else { return };
    walk.in_file(&file, "gyp", span, |walk| {
        for (code, place) in expansions(&file.text) {
            walk.shell(&crate::text::Text::known(code), place, &[], None);
        }
        let tree = project::whole(walk, tree::python(&file.text));
        let Some(node) = tree.root() else { return };
        let mut actions = Vec::new();
        node.visit(&mut |inner| {
            actions.extend(inner.get("action").filter(|it| !it.items().is_empty()))
        });
        for action in actions {
            walk.run(&project::arguments(&action.words(), action.span), None);
        }
    });
}

/// The commands of `<!(…)` and `<!@(…)`.
fn expansions(text: &str) -> Vec<(String, Span)> {
    let mut found = Vec::new();
    for mark in ["<!(", "<!@("] {
        for (at, _) in text.match_indices(mark) {
            let from = at + mark.len();
            let rest = text.get(from..).unwrap_or_default();
            let mut depth = 1_usize;
            let end = rest.char_indices().find_map(|(at, letter)| {
                depth += usize::from(letter == '(');
                depth -= usize::from(letter == ')');
                (depth == 0 || letter == '\n').then_some(at)
            });
            let code = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
            let plain = code.replace("\\\"", "\"").replace("\\'", "'");
            found.push((plain, Span::new(from, from + code.len())));
        }
    }
    found
}

/// Programs that start scripts of the package by name.
fn runner(walk: &mut dyn Host, invocation: &Invocation) {
    let words = project::words(invocation);
    let operands = project::operands(
        &words,
        &[
            "-n",
            "--names",
            "-c",
            "--prefix-colors",
            "--filter",
            "--scope",
            "-t",
            "--target",
            "-p",
            "--projects",
        ],
    );
    let span = invocation.span;
    let names: Vec<String> = match invocation.program.as_str() {
        "npm-run-all" | "run-s" | "run-p" => {
            operands.iter().map(|name| (*name).to_owned()).collect()
        }
        "concurrently" => operands
            .iter()
            .filter_map(|word| {
                word.strip_prefix("npm:")
                    .or_else(|| word.strip_prefix("pnpm:"))
                    .or_else(|| word.strip_prefix("yarn:"))
            })
            .map(str::to_owned)
            .collect(),
        "lerna" | "turbo" | "wsrun" => operands
            .iter()
            .skip_while(|word| matches!(**word, "run"))
            .map(|name| (*name).to_owned())
            .collect(),
        "nx" => targets(&words, &operands),
        _ => Vec::new(),
    };
    if invocation.program == "concurrently" {
        for word in operands.iter().filter(|word| word.contains(' ')) {
            walk.shell(&crate::text::Text::known(*word), span, &[], None);
        }
    }
    if invocation.program == "nodemon"
        && let Some(code) = project::option(&words, &["--exec", "-x"])
    {
        walk.shell(&crate::text::Text::known(code), span, &[], None);
    }
    if invocation.program == "lint-staged" {
        staged(walk, span);
    }
    if names.is_empty() {
        return;
    }
    if matches!(invocation.program.as_str(), "lerna" | "nx" | "turbo" | "wsrun") {
        for name in &names {
            let line = ["npm", "run", name.as_str(), "--workspaces"];
            walk.run(&project::arguments(&line, span), None);
        }
        return;
    }
    let Some(root) = walk.directory().map(str::to_owned) else { return };
    let Some(file) = walk.look(&format!("{root}/package.json")).file() else { return };
    let tree = project::whole(walk, tree::json(&file.text));
    let Some(scripts) = tree.root().and_then(|root| root.get("scripts")) else { return };
    let mut asked: Vec<String> = Vec::new();
    for name in &names {
        let name = name.split_whitespace().next().unwrap_or_default();
        match name.split_once('*') {
            Some((before, _)) => asked.extend(
                scripts
                    .entries()
                    .map(|(name, _)| name)
                    .filter(|name| name.starts_with(before))
                    .map(str::to_owned),
            ),
            None => asked.push(name.to_owned()),
        }
    }
    for name in asked {
        walk.run(&project::arguments(&["npm", "run", name.as_str()], span), None);
    }
    let _ = directory_of(&file.path);
}

/// What `nx` is asked for: `nx build app`, `nx run app:build`, `nx run-many -t build test` (nx.dev, "Nx Commands").
fn targets(words: &[String], operands: &[&str]) -> Vec<String> {
    let named = project::options(words, &["-t", "--target", "--targets"]);
    if !named.is_empty() {
        return named.iter().flat_map(|it| it.split(',')).map(str::to_owned).collect();
    }
    match operands {
        ["run", task, ..] => task.split(':').nth(1).map(str::to_owned).into_iter().collect(),
        ["run-many" | "affected" | "graph" | "reset" | "report" | "list" | "show", ..] | [] => {
            Vec::new()
        }
        [name, ..] => vec![(*name).to_owned()],
    }
}

/// `lint-staged` in a `package.json` or files of its own: commands that are run on what is committed.
fn staged(walk: &mut dyn Host, span: Span) {
    let Some(root) = walk.directory().map(str::to_owned) else { return };
    let files = project::all_in(
        walk,
        &root,
        &[
            "package.json",
            ".lintstagedrc",
            ".lintstagedrc.json",
            ".lintstagedrc.yaml",
            ".lintstagedrc.yml",
        ],
    );
    for file in files {
        walk.in_file(&file, "lint-staged", span, |walk| {
            let is_yaml = file.path.ends_with(".yaml")
                || file.path.ends_with(".yml")
                || file.path.ends_with("rc") && !file.text.trim_start().starts_with('{');
            let tree = if is_yaml {
                project::whole(walk, tree::yaml(&file.text))
            } else {
                project::whole(walk, tree::json(&file.text))
            };
            let Some(node) = tree.root() else { return };
            let own = if file.path.ends_with("/package.json") {
                node.get("lint-staged")
            } else {
                Some(node)
            };
            let mut open: Vec<&tree::Node> = own.into_iter().collect();
            while let Some(node) = open.pop() {
                for (_, value) in node.entries() {
                    open.push(value);
                    for command in value.each() {
                        if let Some(text) = command.text() {
                            walk.shell(&crate::text::Text::known(text), command.span, &[], None);
                        }
                    }
                }
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_is_named_once_and_in_order() {
        let names: Vec<&str> = TABLE.iter().map(|row| row.name).collect();
        assert_eq!(names, NAMES);
        assert!(NAMES.is_sorted());
    }

    #[test]
    fn commands_of_native_builds_are_found() {
        let text = "{'targets':[{'include_dirs':[\"<!@(node -p \\\"require('x').y(1)\\\")\"],'a':'<!(sh b.sh)'}]}";
        let found: Vec<String> = expansions(text).into_iter().map(|it| it.0).collect();
        assert_eq!(found, ["sh b.sh", "node -p \"require('x').y(1)\""]);
    }
}

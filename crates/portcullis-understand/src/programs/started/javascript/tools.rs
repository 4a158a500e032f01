//! Tools of JavaScript's projects that load a file of settings. Owns which files each loads.

use portcullis_syntax::Span;

use super::super::{project, tree};
use crate::{
    bound::Bounded,
    programs::{found::Found, host::Host, invocation::Invocation},
};

/// How configurations end.
const ENDINGS: &[&str] = &[".js", ".mjs", ".cjs", ".ts", ".mts", ".cts"];

/// How many files that a configuration names are read.
const LOADED: usize = 24;

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
pub(super) const NAMES: &[&str] = &[
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

pub(super) fn tool(walk: &mut dyn Host, invocation: &Invocation) {
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
        if let Some(file) = walk.look(path).file() {
            let more = named_within(&file.text, &root);
            for path in more.iter().at_most(LOADED, walk, span).collect::<Vec<_>>() {
                walk.look(path);
            }
            for path in more.iter().leading(LOADED) {
                walk.load("javascript", path, span);
            }
        }
        walk.load("javascript", path, span);
    }
    if !row.tests.is_empty() {
        tested(walk, row, &words, &root, span);
    }
}

/// Files of the project that a configuration has the tool load by their names: loaders, what is set up before tests, plugins.
fn named_within(text: &str, root: &str) -> Vec<String> {
    const KEYS: &[&str] = &[
        "environment",
        "globalSetup",
        "globalTeardown",
        "jsPlugins",
        "loader",
        "plugin",
        "preset",
        "reporter",
        "resolver",
        "runner",
        "serializer",
        "setup",
        "testEnvironment",
        "transform",
        "use",
    ];
    let mut found: Vec<String> = Vec::new();
    for line in text.lines() {
        let bare = line.trim_start();
        if bare.starts_with("//") || !KEYS.iter().any(|key| line.contains(key)) {
            continue;
        }
        for name in line.split(['"', '\'', '`']).skip(1).step_by(2) {
            let name = name.strip_prefix("<rootDir>/").unwrap_or(name);
            let is_file = ENDINGS.iter().any(|end| name.ends_with(end)) && !name.contains('*');
            if is_file && name.contains('/') {
                found.push(crate::paths::normal(&project::joined(root, name)));
            }
        }
    }
    found
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
    // jestjs.io, "Snapshot Testing": a snapshot is a module that is evaluated.
    let mut paths = paths;
    if matches!(row.name, "jest" | "vitest") {
        let snapshots: Vec<String> = paths
            .iter()
            .filter_map(|path| path.rsplit_once('/'))
            .map(|(folder, name)| format!("{folder}/__snapshots__/{name}.snap"))
            .collect();
        paths.extend(snapshots);
    }
    for path in &paths {
        walk.look(path);
    }
    for path in &paths {
        walk.load("javascript", path, span);
    }
}

#[cfg(test)]
mod tests {
    use super::{NAMES, TABLE};

    #[test]
    fn every_tool_is_named_once_and_in_order() {
        let names: Vec<&str> = TABLE.iter().map(|row| row.name).collect();
        assert_eq!(names, NAMES);
        assert!(NAMES.is_sorted());
    }
}

//! Tools of JavaScript's projects that load a file of settings. Owns which files each loads.

use portcullis_syntax::Span;

use super::super::{project, tree};
use crate::{
    bound::Bounded,
    programs::{
        found::{File, Found, directory_of},
        host::Host,
        invocation::Invocation,
    },
};

/// How configurations end.
const ENDINGS: &[&str] = &[".js", ".mjs", ".cjs", ".ts", ".mts", ".cts"];

/// How many files that a configuration names are read.
const LOADED: usize = 96;

/// How many tests are read.
const TESTS: usize = 16;

/// A tool with the names of its configurations, and those of tools that it takes along.
struct Tool {
    name: &'static str,
    files: &'static [&'static str],
    /// It runs tests, whose names have one of these in them.
    tests: &'static [&'static str],
    /// What a build runs beside them: folders, and how the names of files in them begin and end.
    sources: &'static [(&'static str, &'static str, &'static [&'static str])],
}

const fn row(name: &'static str, files: &'static [&'static str]) -> Tool {
    Tool { name, files, tests: &[], sources: &[] }
}

const fn built(
    name: &'static str,
    files: &'static [&'static str],
    sources: &'static [(&'static str, &'static str, &'static [&'static str])],
) -> Tool {
    Tool { name, files, tests: &[], sources }
}

const fn tests(name: &'static str, files: &'static [&'static str]) -> Tool {
    Tool { name, files, tests: &[".test.", ".spec."], sources: &[] }
}

/// How modules end that a page or a plugin is written in.
const MODULES: &[&str] = &[".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts"];

/// nextjs.org, "Static and Dynamic Rendering": pages are rendered by the build.
const NEXT: &[(&str, &str, &[&str])] = &[
    ("app", "page.", MODULES),
    ("app", "layout.", MODULES),
    ("app", "route.", MODULES),
    ("app", "sitemap.", MODULES),
    ("app", "robots.", MODULES),
    ("pages", "", MODULES),
    ("src/app", "page.", MODULES),
    ("src/app", "layout.", MODULES),
    ("src/app", "route.", MODULES),
    ("src/pages", "", MODULES),
];

/// nuxt.com, "Directory Structure": modules of the project are loaded by themselves.
const NUXT: &[(&str, &str, &[&str])] = &[("modules", "", MODULES), ("server/plugins", "", MODULES)];

/// docs.astro.build, "Pages", "Content collections".
const ASTRO: &[(&str, &str, &[&str])] = &[
    ("src/pages", "", &[".astro", ".js", ".ts"]),
    ("src/layouts", "", &[".astro"]),
    ("src/components", "", &[".astro"]),
    ("src/content", "config.", MODULES),
    ("src", "content.config.", MODULES),
];

/// 11ty.dev, "JavaScript Data Files", "JavaScript templates".
const ELEVENTY: &[(&str, &str, &[&str])] = &[
    ("_data", "", MODULES),
    ("src/_data", "", MODULES),
    ("_includes", "", &[".11ty.js", ".11ty.cjs", ".11ty.mjs"]),
    ("src", "", &[".11ty.js", ".11ty.cjs", ".11ty.mjs", ".11tydata.js"]),
];

/// vitepress.dev, "Build-Time Data Loading".
const VITEPRESS: &[(&str, &str, &[&str])] = &[
    ("docs", "", &[".data.js", ".data.mjs", ".data.ts", ".paths.js", ".paths.ts"]),
    (".vitepress/theme", "", &[".data.js", ".data.ts"]),
];

/// svelte.dev, "Page options": what is prerendered is loaded by the build.
const SVELTE: &[(&str, &str, &[&str])] = &[
    ("src/routes", "+page", &[".js", ".ts"]),
    ("src/routes", "+layout", &[".js", ".ts"]),
    ("src", "hooks.", MODULES),
];

static TABLE: &[Tool] = &[
    built("astro", &["astro.config", "tailwind.config", "postcss.config"], ASTRO),
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
    built("eleventy", &[".eleventy", "eleventy.config"], ELEVENTY),
    row("esbuild", &["esbuild.config"]),
    row("eslint", &["eslint.config", ".eslintrc"]),
    row("gatsby", &["gatsby-config", "gatsby-node", "gatsby-ssr"]),
    row("graphql-codegen", &["codegen"]),
    row("grunt", &["Gruntfile", "gruntfile"]),
    row("gulp", &["gulpfile", "gulpfile.js/index", "gulpfile.ts/index"]),
    tests("jasmine", &["spec/support/jasmine", "jasmine.config"]),
    tests("jest", &["jest.config", "babel.config", "jest.setup"]),
    tests("karma", &["karma.conf"]),
    row("knex", &["knexfile"]),
    row("lint-staged", &["lint-staged.config", ".lintstagedrc"]),
    tests("mocha", &[".mocharc"]),
    built("next", &["next.config", "postcss.config", "tailwind.config", "instrumentation"], NEXT),
    built("nuxi", &["nuxt.config", "tailwind.config"], NUXT),
    built("nuxt", &["nuxt.config", "tailwind.config"], NUXT),
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
    row("storybook", &[".storybook/main", ".storybook/manager", ".storybook/preview"]),
    row("stylelint", &["stylelint.config", ".stylelintrc"]),
    built("svelte-kit", &["svelte.config", "vite.config"], SVELTE),
    row("tailwindcss", &["tailwind.config"]),
    tests("tap", &[".taprc"]),
    row("tsdown", &["tsdown.config"]),
    row("tsup", &["tsup.config"]),
    row("unbuild", &["build.config"]),
    row("vite", &["vite.config", "postcss.config", "tailwind.config", "svelte.config"]),
    built("vitepress", &[".vitepress/config", "docs/.vitepress/config"], VITEPRESS),
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
    "nuxi",
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
            let more = named_within(&file.text, &root, directory_of(path));
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
    // A build by whatever word; what only tells, checks or looks after settings renders nothing.
    const IDLE: &[&str] =
        &["add", "check", "info", "init", "lint", "prepare", "sync", "telemetry", "upgrade"];
    let is_idle = project::operands(&words, &[]).first().is_some_and(|verb| IDLE.contains(verb));
    if !row.sources.is_empty() && !is_idle {
        rendered(walk, row, &root, span);
    }
}

/// The sources that a build runs.
fn rendered(walk: &mut dyn Host, row: &Tool, root: &str, span: Span) {
    /// How many of them are read, and how deep they lie.
    const SOURCES: usize = 32;
    const DEEP: usize = 5;
    let mut folders: Vec<&str> = row.sources.iter().map(|it| it.0).collect();
    folders.dedup();
    for folder in &folders {
        walk.look(&format!("{root}/{folder}"));
    }
    let found = walk.in_project(|walk| {
        let mut found = Vec::new();
        for folder in folders {
            let is_source = |name: &str| {
                row.sources.iter().any(|(place, begin, ends)| {
                    *place == folder
                        && name.starts_with(begin)
                        && ends.iter().any(|end| name.ends_with(end))
                })
            };
            let depth = if folder == "src" && row.name == "astro" { 1 } else { DEEP };
            found.extend(project::below(
                walk,
                &format!("{root}/{folder}"),
                depth,
                span,
                &is_source,
            ));
        }
        found.iter().at_most(SOURCES, walk, span).cloned().collect::<Vec<_>>()
    });
    for path in &found {
        walk.look(path);
    }
    for path in &found {
        if !path.ends_with(".astro") {
            walk.load("javascript", path, span);
        } else if let Some(file) = walk.look(path).file()
            && let Some(code) = frontmatter(&file.text)
        {
            let roots = walk.import_roots();
            walk.load_text_from(&roots, "javascript", &File { text: code.into(), ..file }, span);
        }
    }
}

/// The code between the fences of a component of Astro, at its place; the rest is blank.
fn frontmatter(text: &str) -> Option<String> {
    let before = text.len() - text.trim_start().len();
    let inner = text.trim_start().strip_prefix("---")?;
    let end = inner.find("\n---")?;
    let mut code = " ".repeat(before + 3);
    code.push_str(inner.get(..end)?);
    Some(code)
}

/// Files of the project that a configuration has the tool load by their names: loaders, what is set up before tests, plugins. Some tools look for them
/// in the directory of the configuration.
fn named_within(text: &str, root: &str, beside: &str) -> Vec<String> {
    const KEYS: &[&str] = &[
        "addons",
        "environment",
        "extends",
        "formatter",
        "framework",
        "globalSetup",
        "globalTeardown",
        "jsPlugins",
        "loader",
        "modules",
        "parser",
        "plugin",
        "preset",
        "processor",
        "reporter",
        "resolver",
        "rules",
        "runner",
        "schema",
        "serializer",
        "setup",
        "testEnvironment",
        "transform",
        "use",
    ];
    let mut found: Vec<String> = Vec::new();
    // A list may go on over several lines.
    let mut open = 0_usize;
    for line in text.lines() {
        let bare = line.trim_start();
        let is_key = KEYS.iter().any(|key| line.contains(key));
        if bare.starts_with("//") || open == 0 && !is_key {
            continue;
        }
        let opened = line.matches('[').count();
        open = (open + opened).saturating_sub(line.matches(']').count());
        for name in line.split(['"', '\'', '`']).skip(1).step_by(2) {
            let name = name.strip_prefix("<rootDir>/").unwrap_or(name);
            let is_file = ENDINGS.iter().any(|end| name.ends_with(end));
            // A module of the project may be named without its ending.
            let is_module = name.starts_with("../")
                || name.starts_with("./")
                    && (!line.contains("modules") || name.matches('/').count() > 1);
            if name.contains('*') || !name.contains('/') || !is_file && !is_module {
                continue;
            }
            let mut places = vec![root];
            if beside != root {
                places.push(beside);
            }
            for place in places {
                let path = crate::paths::normal(&format!("{place}/{name}"));
                if is_file || name.rsplit('/').next().is_some_and(|last| last.contains('.')) {
                    found.push(path);
                } else {
                    found.extend(
                        [".js", ".ts", ".cjs", ".mjs", "/index.js", "/index.ts"]
                            .map(|end| format!("{path}{end}")),
                    );
                }
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

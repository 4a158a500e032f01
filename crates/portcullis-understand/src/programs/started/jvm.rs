//! Gradle and Maven: scripts of a Gradle build, which run whole whatever is asked for, programs that plugins of a Maven build start, and the archives
//! that their wrappers fetch (docs.gradle.org, "Build Lifecycle"; maven.apache.org, "POM Reference"; "exec-maven-plugin", "maven-antrun-plugin").

use portcullis_syntax::Span;

use super::{
    Starter, idle, project,
    spawned::{self, Call, Given},
    tree,
};
use crate::{
    bound::Bounded,
    effect::Certainty,
    programs::found::{File, directory_of},
    programs::host::Host,
    programs::invocation::Invocation,
};

pub(super) static GRADLE: Starter = Starter { programs: &["gradle", "gradlew"], start: gradle };
pub(super) static ANT: Starter = Starter { programs: &["ant"], start: ant };
pub(super) static MAVEN: Starter = Starter { programs: &["mvn", "mvnw"], start: maven };

/// How many projects of one build are read.
const PROJECTS: usize = 24;

/// Where a Gradle build has its scripts.
const SCRIPTS: &[&str] = &[
    "settings.gradle",
    "settings.gradle.kts",
    "build.gradle",
    "build.gradle.kts",
    "buildSrc/build.gradle",
    "buildSrc/build.gradle.kts",
];

/// Calls of a script that start something beside the tasks of the build.
const CALLS: &[Call] = &[("getRuntime().exec", Given::Either), ("ProcessBuilder", Given::Either)];

/// `["sh", "-c", "x"].execute()` and `"x".execute()` (groovy-lang.org, "Executing External Processes").
fn executed(walk: &mut dyn Host, file: &File, span: Span) {
    walk.in_file(file, "gradle", span, |walk| {
        for (at, _) in file.text.match_indices(".execute(") {
            let before = file.text.get(..at).unwrap_or_default();
            let line = before.rfind('\n').map_or(0, |end| end + 1);
            let before = before.get(line..).unwrap_or_default();
            let place = Span::new(line, at);
            let inner = before.strip_suffix(']').and_then(|it| it.rsplit_once('['));
            match inner {
                Some((_, list)) => {
                    let words = tree::json(&format!("[{list}]"));
                    let words = words.root().map(tree::Node::words).unwrap_or_default();
                    walk.run(&project::arguments(&words, place), None);
                }
                None => {
                    let Some(quote) = before.chars().next_back() else { continue };
                    let inner = before.strip_suffix(quote).and_then(|it| it.rsplit_once(quote));
                    if let Some((_, code)) = inner.filter(|_| matches!(quote, '"' | '\'')) {
                        let words: Vec<&str> = code.split_whitespace().collect();
                        walk.run(&project::arguments(&words, place), None);
                    }
                }
            }
        }
    });
}

/// Options of Gradle that take a value in a word of their own (docs.gradle.org, "Command-Line Interface").
const VALUES: &[&str] = &[
    "-I",
    "--init-script",
    "-P",
    "-D",
    "-b",
    "--build-file",
    "-c",
    "--settings-file",
    "--configuration",
    "--console",
    "-g",
    "--gradle-user-home",
    "--include-build",
    "--max-workers",
    "-p",
    "--priority",
    "--project-cache-dir",
    "--project-dir",
    "--tests",
    "-x",
    "--exclude-task",
];

fn gradle(walk: &mut dyn Host, invocation: &Invocation) {
    let words = project::words(invocation);
    if project::has(&words, &["--help", "-h", "-?", "--version", "-v"]) {
        return;
    }
    let directory = project::option(&words, &["-p", "--project-dir"]).map(str::to_owned);
    project::in_directory(walk, directory.as_deref(), |walk| {
        let Some(root) = walk.directory().map(str::to_owned) else { return };
        let left_out = project::options(&words, &["-x", "--exclude-task"]);
        let files = project::all_in(walk, &root, SCRIPTS);
        let mut projects: Vec<String> = Vec::new();
        for file in &files {
            if file.path.contains("/settings.gradle") {
                projects.extend(included(&file.text).into_iter().map(|name| {
                    format!("{root}/{}", name.trim_start_matches(':').replace(':', "/"))
                }));
            }
        }
        // Builds that the build takes in run before it (docs.gradle.org, "Composite Builds").
        for file in &files {
            for (_, rest) in file
                .text
                .match_indices("includeBuild")
                .map(|(at, word)| (at, file.text.get(at + word.len()..).unwrap_or_default()))
            {
                let name = rest.trim_start_matches(['(', ' ']).strip_prefix(['"', '\'']);
                let name = name.and_then(|rest| rest.split(['"', '\'']).next());
                projects.extend(name.map(|name| project::joined(&root, name)));
            }
        }
        let mut scripts: Vec<String> = files.iter().map(|file| file.path.clone()).collect();
        let inner: Vec<String> = match files.first() {
            Some(file) => walk
                .in_file(file, "gradle", invocation.span, |walk| {
                    projects.iter().at_most(PROJECTS, walk, invocation.span).cloned().collect()
                })
                .unwrap_or_default(),
            None => Vec::new(),
        };
        scripts.extend(inner.iter().flat_map(|place| {
            [format!("{place}/build.gradle"), format!("{place}/build.gradle.kts")]
        }));
        let initial = project::option(&words, &["-I", "--init-script"])
            .and_then(|name| walk.target(&crate::text::Text::known(name)).path);
        scripts.extend(initial);
        scripts.extend(
            project::options(&words, &["-c", "--settings-file", "-b", "--build-file"])
                .into_iter()
                .filter_map(|name| walk.target(&crate::text::Text::known(name)).path),
        );
        let mut inner_files: Vec<File> = Vec::new();
        for place in &inner {
            inner_files.extend(project::all_in(walk, place, &["build.gradle", "build.gradle.kts"]));
        }
        for file in files.iter().chain(&inner_files) {
            let here = directory_of(&file.path);
            for (name, is_of_root) in applied(&file.text) {
                let here = if is_of_root || here.ends_with("/buildSrc") { &root } else { here };
                scripts.push(crate::paths::normal(&project::joined(here, &name)));
            }
        }
        for file in &files {
            repositories(walk, file, invocation.span);
        }
        // A script that is fetched is run like the others.
        for file in &files {
            walk.in_file(file, "gradle", invocation.span, |walk| {
                for address in applied_from_afar(&file.text) {
                    let place = file.text.find(&address).unwrap_or_default();
                    let place = Span::new(place, place + address.len());
                    let code = format!("curl -fsSL {} | sh", super::quoted(&address));
                    walk.shell(&crate::text::Text::known(code), place, &[], None);
                }
            });
        }
        // Sources of the build itself are compiled and run by it.
        let own = walk.in_project(|walk| {
            let is_source = |name: &str| {
                [".groovy", ".kt", ".kts", ".gradle", ".java"].iter().any(|end| name.ends_with(end))
            };
            let found = project::below(
                walk,
                &format!("{root}/buildSrc/src"),
                6,
                invocation.span,
                &is_source,
            );
            found.iter().at_most(PROJECTS, walk, invocation.span).cloned().collect::<Vec<_>>()
        });
        scripts.extend(own);
        for script in &scripts {
            walk.look(script);
        }
        let found: Vec<File> = scripts.iter().filter_map(|it| walk.look(it).file()).collect();
        let texts: Vec<String> = found.iter().map(|file| file.text.to_string()).collect();
        let asked: Vec<&str> = project::operands(&words, VALUES);
        let asked: Vec<&str> = asked.into_iter().filter(|word| !left_out.contains(word)).collect();
        let is_dry = project::has(&words, &["--dry-run", "-m"]);
        let texts = idle::gradle(&texts, &asked, is_dry);
        let kept = texts.join("\n");
        for (file, text) in found.into_iter().zip(texts) {
            let language = if file.path.ends_with(".kts") { "kotlin" } else { "groovy" };
            let file = File { text: text.into(), ..file };
            {
                let read = File { text: with_brackets(&file.text).into(), ..file.clone() };
                walk.run_text(language, &read, invocation.span, &[], None);
                spawned::follow(walk, &file, "gradle", CALLS, ("", &[]), invocation.span);
                executed(walk, &file, invocation.span);
                walk.in_file(&file, "gradle", invocation.span, |walk| {
                    for (words, span) in commands(&file.text) {
                        walk.at_most(Certainty::Likely, |walk| {
                            walk.run(&project::arguments(&words, span), None)
                        });
                    }
                });
            }
        }
        if !is_dry {
            reached_tasks(walk, &kept, &asked, &left_out, invocation.span);
        }
        if invocation.program == "gradlew" {
            distribution(
                walk,
                &format!("{root}/gradle/wrapper/gradle-wrapper.properties"),
                invocation.span,
            );
        }
    });
}

/// Tasks of plug-ins that others lead to: `finalizedBy("publish")`, `dependsOn 'publishPlugins'` (docs.gradle.org, "Controlling Task Execution"). What they do is
/// what the same word on the command line does.
fn reached_tasks(walk: &mut dyn Host, text: &str, asked: &[&str], left_out: &[&str], span: Span) {
    const OWN: &[&str] =
        &["publish", "upload", "deploy", "release", "nexusPublish", "closeAndRelease"];
    let calls: &[Call] = &[
        ("finalizedBy", Given::Words),
        ("dependsOn", Given::Words),
        ("mustRunBefore", Given::Words),
    ];
    for start in spawned::found(text, calls) {
        for name in &start.words {
            let plain = name.rsplit(':').next().unwrap_or(name);
            let is_own = OWN.iter().any(|begin| plain.starts_with(begin));
            let begins = text.contains(&format!("\"{plain}\") {{")) || asked.contains(&plain);
            if is_own && !begins && !left_out.contains(&plain) && wanted_here(text, &start, asked) {
                let words = ["gradle", plain];
                walk.at_likely(|walk| walk.run(&project::arguments(&words, span), None));
            }
        }
    }
}

/// Whether what a line says of a task counts here: it is said of one that is asked for, or of one that nearly every build runs.
fn wanted_here(text: &str, start: &spawned::Start, asked: &[&str]) -> bool {
    const OFTEN: &[&str] = &[
        "assemble",
        "build",
        "check",
        "classes",
        "compileJava",
        "compileKotlin",
        "compileTestJava",
        "compileTestKotlin",
        "jar",
        "processResources",
        "test",
        "testClasses",
    ];
    let before = text.get(..start.span().range().start).unwrap_or_default();
    let from = before.floor_char_boundary(before.len().saturating_sub(300));
    let near = before.get(from..).unwrap_or_default();
    // The block that it stands in, or the name in front of it.
    let head = match (near.rfind('{'), near.rfind('}')) {
        (Some(open), close) if close.is_none_or(|close| close < open) => {
            near.get(..open).unwrap_or_default().rsplit('\n').next().unwrap_or_default()
        }
        _ => near.rsplit('\n').next().unwrap_or_default(),
    };
    let named = |name: &str| {
        head.split(|it: char| !it.is_alphanumeric() && it != '_').any(|word| word == name)
    };
    let all = ["tasks.all", "configureEach", "withType"].iter().any(|it| head.contains(it));
    let is_check = asked.iter().any(|it| matches!(it.rsplit(':').next(), Some("check" | "build")));
    all || asked.iter().any(|it| named(it.rsplit(':').next().unwrap_or(it)))
        || OFTEN
            .iter()
            .any(|name| named(name) && (is_check || *name != "build" && *name != "check"))
}

/// A script of Groovy with brackets around what `delete` is given (groovy-lang.org, "Omitting parentheses"). A place in it is the same as before where the
/// line is indented or a block stands behind.
fn with_brackets(text: &str) -> String {
    let mut written = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let bare = line.trim_start();
        let indent = line.get(..line.len() - bare.len()).unwrap_or_default();
        let given = ["delete ", "project.delete "].iter().find_map(|call| {
            let rest = bare.strip_prefix(call).filter(|rest| !rest.starts_with(['=', ':']))?;
            Some((call.trim_end(), rest))
        });
        let Some((call, rest)) = given else {
            written.push_str(line);
            continue;
        };
        let end = rest.find(" {").or_else(|| rest.find(" }")).unwrap_or(rest.trim_end().len());
        let (given, behind) = rest.split_at_checked(end).unwrap_or((rest, ""));
        let is_block = behind.starts_with(' ');
        written.push_str(if is_block { indent } else { indent.get(1..).unwrap_or_default() });
        written.push_str(&format!("{call}({given})"));
        written.push_str(behind.strip_prefix(' ').unwrap_or(behind));
    }
    written
}

/// `distributionUrl`: the archive that the wrapper fetches and runs.
fn distribution(walk: &mut dyn Host, path: &str, span: Span) {
    let Some(file) = walk.look(path).file() else { return };
    walk.in_file(&file, "properties", span, |walk| {
        let mut at = 0;
        for line in file.text.split_inclusive('\n') {
            let place = Span::new(at, at + line.trim_end().len());
            at += line.len();
            let Some(address) = line
                .trim()
                .strip_prefix("distributionUrl")
                .map(|rest| rest.trim_start_matches([' ', '=', ':']))
            else {
                continue;
            };
            let address = address.replace("\\:", ":");
            let is_usual = [
                "https://services.gradle.org/",
                "https://repo.maven.apache.org/",
                "https://repo1.maven.org/",
                "https://archive.apache.org/",
                "https://dlcdn.apache.org/",
            ]
            .iter()
            .any(|usual| address.starts_with(usual));
            if !is_usual && address.contains("://") {
                let code = format!(
                    "curl -fsSL '{}' -o /tmp/distribution && sh /tmp/distribution",
                    address.replace('\'', "")
                );
                walk.shell(&crate::text::Text::known(code), place, &[], None);
            }
        }
    });
}

/// `include ':a', 'b'`, `include(":a")`.
fn included(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    for line in text.lines() {
        let bare = line.trim_start();
        let Some(rest) =
            bare.strip_prefix("include").filter(|rest| rest.starts_with(['(', ' ', '"', '\'']))
        else {
            continue;
        };
        names.extend(rest.split(['"', '\'']).skip(1).step_by(2).map(str::to_owned));
    }
    names
}

/// Places that packages and plug-ins of the build come from: `maven { url = uri("http://…") }` (docs.gradle.org, "Declaring repositories").
fn repositories(walk: &mut dyn Host, file: &File, span: Span) {
    walk.in_file(file, "gradle", span, |walk| {
        let mut at = 0;
        let mut depth = 0_usize;
        for line in file.text.split_inclusive('\n') {
            let place = Span::new(at, at + line.trim_end().len());
            at += line.len();
            let bare = line.trim_start();
            if bare.starts_with("//") {
                continue;
            }
            // What stands in a block of repositories, whatever it is called in it.
            if depth > 0 || bare.starts_with("repositories") || bare.contains(" repositories {") {
                let named = line.split(['"', '\'']).skip(1).step_by(2);
                for address in named.filter(|it| it.contains("://")) {
                    project::taken_from(walk, address, place);
                }
                depth += line.matches('{').count();
                depth = depth.saturating_sub(line.matches('}').count());
            }
        }
    });
}

/// `apply from: 'x.gradle'`, `apply(from = "x.gradle.kts")`, and whether the name is one of the build's root: `rootProject.file("x")`, `"$rootDir/x"`.
fn applied(text: &str) -> Vec<(String, bool)> {
    let mut names = Vec::new();
    for line in text.lines() {
        let Some((_, rest)) =
            line.split_once("from").filter(|(before, _)| before.trim_start().starts_with("apply"))
        else {
            continue;
        };
        let Some(name) = rest.split(['"', '\'']).nth(1) else { continue };
        let plain =
            ["$rootDir/", "${rootDir}/", "$rootProject.projectDir/", "${rootProject.projectDir}/"]
                .iter()
                .find_map(|it| name.strip_prefix(it));
        let beside = ["$projectDir/", "${projectDir}/"].iter().find_map(|it| name.strip_prefix(it));
        let is_of_root = plain.is_some()
            || ["rootProject.", "rootDir", "getRootDir"].iter().any(|it| rest.contains(it));
        let name = plain.or(beside).unwrap_or(name);
        if !name.contains("://") && !name.contains('$') {
            names.push((name.to_owned(), is_of_root));
        }
    }
    names
}

/// `apply from: 'https://…'`, `apply(from = uri("https://…"))`.
fn applied_from_afar(text: &str) -> Vec<String> {
    let lines = text.lines().filter(|line| line.trim_start().starts_with("apply"));
    let named = lines.filter_map(|line| line.split_once("from")?.1.split(['"', '\'']).nth(1));
    named.filter(|name| name.contains("://")).map(str::to_owned).collect()
}

/// `commandLine 'a', 'b'`, `commandLine("a", "b")`, `executable "a"` with `args "b"`.
fn commands(text: &str) -> Vec<(Vec<String>, Span)> {
    let mut found = Vec::new();
    for word in ["commandLine", "executable"] {
        for (at, _) in text.match_indices(word) {
            let before = text.get(..at).unwrap_or_default();
            if before.ends_with(|letter: char| letter.is_alphanumeric() || letter == '_') {
                continue;
            }
            let rest = text.get(at + word.len()..).unwrap_or_default();
            let end = rest.find('\n').unwrap_or(rest.len());
            let open = rest.trim_start_matches([' ', '=']).starts_with(['(', '['])
                || rest.starts_with("(listOf");
            let end = if open { rest.find([')', ']']).unwrap_or(end) } else { end };
            let mut words = texts(rest.get(..end).unwrap_or_default());
            if word == "executable" {
                let after = rest.get(end..).unwrap_or_default();
                let near = after.get(..after.floor_char_boundary(400)).unwrap_or_default();
                if let Some((_, arguments)) = near.split_once("args") {
                    words.extend(texts(arguments.split('\n').next().unwrap_or_default()));
                }
            }
            if !words.is_empty() {
                found.push((words, Span::new(at, at + word.len() + end)));
            }
        }
    }
    found
}

/// Texts in quotes.
fn texts(code: &str) -> Vec<String> {
    let mut texts = Vec::new();
    let mut rest = code;
    while let Some(at) = rest.find(['"', '\'']) {
        let quote = rest.get(at..).and_then(|rest| rest.chars().next()).unwrap_or('"');
        let inner = rest.get(at + 1..).unwrap_or_default();
        let mut value = String::new();
        let mut end = inner.len();
        let mut letters = inner.char_indices();
        while let Some((at, letter)) = letters.next() {
            match letter {
                '\\' => value.extend(letters.next().map(|(_, escaped)| escaped)),
                letter if letter == quote => {
                    end = at + 1;
                    break;
                }
                letter => value.push(letter),
            }
        }
        texts.push(value);
        rest = inner.get(end..).unwrap_or_default();
    }
    texts
}

fn maven(walk: &mut dyn Host, invocation: &Invocation) {
    let words = project::words(invocation);
    if project::has(&words, &["--help", "-h", "--version", "-v"]) {
        return;
    }
    let named = project::option(&words, &["-f", "--file"]);
    let file = match named.and_then(|name| walk.target(&crate::text::Text::known(name)).path) {
        Some(path) if path.ends_with(".xml") => walk.look(&path).file(),
        Some(path) => project::first_in(walk, &path, &["pom.xml"]),
        None => match walk.directory().map(str::to_owned) {
            Some(root) => project::first_in(walk, &root, &["pom.xml"]),
            None => None,
        },
    };
    let Some(file) = file else { return };
    let root = directory_of(&file.path).to_owned();
    let wrapper = format!("{root}/.mvn/wrapper/maven-wrapper.properties");
    walk.look(&wrapper);
    // maven.apache.org, "Settings Reference": where everything that runs in the build is taken from.
    let named = project::option(&words, &["-s", "--settings", "-gs", "--global-settings"])
        .and_then(|name| walk.target(&crate::text::Text::known(name)).path);
    for path in [format!("{root}/.mvn/settings.xml")].into_iter().chain(named) {
        let Some(settings) = walk.look(&path).file() else { continue };
        walk.in_file(&settings, "maven", invocation.span, |walk| {
            let tree = project::whole(walk, tree::markup(&settings.text));
            let Some(node) = tree.root() else { return };
            let mut addresses: Vec<&tree::Node> = Vec::new();
            node.visit(&mut |inner| {
                for (name, one) in inner.entries() {
                    if matches!(name, "mirror" | "repository" | "pluginRepository") {
                        addresses.extend(one.each().iter().filter_map(|it| it.get("url")));
                    }
                }
            });
            for url in addresses {
                if let Some(address) = url.text().or_else(|| url.text_of("#text")) {
                    project::taken_from(walk, address.trim(), url.span);
                }
            }
        });
    }
    let mut seen = 0;
    let values = ["-f", "--file", "-P", "-pl", "-s", "-gs", "-t", "-T", "-D", "-rf", "-l", "-b"];
    let root_of = root.clone();
    let mut words = words.clone();
    let mut active: Vec<String> = Vec::new();
    let given = invocation.environment.iter().find(|(name, _)| name == "MAVEN_ARGS");
    let given = given.map(|it| it.1.clone()).or_else(|| walk.variable_set("MAVEN_ARGS"));
    words.extend(
        given.iter().flat_map(|it| it.known_prefix().split_whitespace()).map(str::to_owned),
    );
    // maven.apache.org, "Configuring Apache Maven": words that every call of the project gets.
    if let Some(file) = walk.look(&format!("{root_of}/.mvn/maven.config")).file() {
        words.extend(file.text.split_whitespace().map(str::to_owned));
    }
    for name in project::options(&words, &["-s", "--settings", "-gs", "--global-settings"]) {
        if let Some(file) = walk.look(&project::joined(&root_of, name)).file() {
            active.extend(mirrors(walk, &file, invocation.span));
        }
    }
    let asked = project::operands(&words, &values);
    for name in project::options(&words, &["-P", "--activate-profiles"]) {
        active.extend(name.split(',').map(|it| it.trim_start_matches(['+', '?']).to_owned()));
    }
    pom(walk, &file, invocation.span, (&mut seen, &asked, &active));
    if invocation.program == "mvnw" {
        distribution(walk, &wrapper, invocation.span);
    }
}

fn pom(
    walk: &mut dyn Host,
    file: &File,
    span: Span,
    (seen, asked, active): (&mut usize, &[&str], &[String]),
) {
    *seen += 1;
    let modules = walk.in_file(file, "maven", span, |walk| {
        if *seen > PROJECTS {
            walk.left_unread(span);
            return Vec::new();
        }
        let tree = project::whole(walk, tree::markup(&file.text));
        if tree.cut {
            walk.left_unread(Span::new(0, file.text.len()));
        }
        let Some(project) = tree.root().and_then(|root| root.get("project")) else {
            return Vec::new();
        };
        let mut modules = Vec::new();
        let own: Vec<(String, String)> = project
            .get("properties")
            .iter()
            .flat_map(|it| it.entries())
            .filter_map(|(name, value)| Some((name.to_owned(), value.text()?.trim().to_owned())))
            .collect();
        let off: Vec<&tree::Node> = project
            .get("profiles")
            .iter()
            .flat_map(|it| all(it, "profile"))
            .filter(|profile| is_off(profile, active))
            .collect();
        project.visit(&mut |node| {
            if node.get("plugin").is_some() {
                for plugin in all(node, "plugin") {
                    let is_within = |it: &&tree::Node| {
                        it.span.start <= plugin.span.start && plugin.span.end <= it.span.end
                    };
                    if !off.iter().any(is_within) {
                        follow(walk, plugin, &own, asked);
                    }
                }
            }
        });
        for module in project.get("modules").iter().flat_map(|it| all(it, "module")) {
            modules.extend(module.text().map(str::to_owned));
        }
        for key in ["repositories", "pluginRepositories"] {
            for repository in project.get(key).iter().flat_map(|it| it.entries()).map(|(_, it)| it)
            {
                if let Some(address) = repository.get("url") {
                    project::taken_from(walk, address.text().unwrap_or_default(), address.span);
                }
            }
        }
        modules
    });
    let root = directory_of(&file.path).to_owned();
    for module in modules.unwrap_or_default() {
        let path = project::joined(&root, &module);
        let path = if path.ends_with(".xml") { path } else { format!("{path}/pom.xml") };
        if let Some(inner) = walk.look(&path).file() {
            pom(walk, &inner, span, (seen, asked, active));
        }
    }
}

/// Places that a file of settings has packages taken from in the stead of others (maven.apache.org, "Using Mirrors for Repositories"); gives the profiles
/// that it activates.
fn mirrors(walk: &mut dyn Host, file: &File, span: Span) -> Vec<String> {
    let active = walk.in_file(file, "maven", span, |walk| {
        let tree = project::whole(walk, tree::markup(&file.text));
        let Some(settings) = tree.root().and_then(|root| root.get("settings")) else {
            return Vec::new();
        };
        settings.visit(&mut |node| {
            for mirror in all(node, "mirror") {
                let Some(address) = mirror.get("url") else { continue };
                let text = address.text().unwrap_or_default().trim();
                let words = ["pip", "install", "--index-url", text, "x"];
                walk.run(&project::arguments(&words, address.span), None);
            }
        });
        let named = settings.get("activeProfiles");
        let named = named.iter().flat_map(|it| all(it, "activeProfile"));
        named.filter_map(|it| it.text()).map(|it| it.trim().to_owned()).collect()
    });
    active.unwrap_or_default()
}

/// Whether a profile of a project is off: nothing activates it by itself, and nobody asks for it (maven.apache.org, "Introduction to Build Profiles").
fn is_off(profile: &tree::Node, active: &[String]) -> bool {
    let activates = profile.get("activation").is_some_and(|it| it.entries().count() > 0);
    let name = profile.text_of("id").unwrap_or("default").trim();
    !activates && !active.iter().any(|it| it == name)
}

/// Every element of a name.
fn all<'n>(node: &'n tree::Node, name: &'n str) -> impl Iterator<Item = &'n tree::Node> {
    node.entries().filter(move |(key, _)| *key == name).map(|(_, value)| value)
}

/// Ant: the targets that are asked for with those that they depend on (ant.apache.org/manual, "Using Ant").
fn ant(walk: &mut dyn Host, invocation: &Invocation) {
    let words = project::words(invocation);
    if project::has(&words, &["-help", "-h", "-version", "-p", "-projecthelp", "-diagnostics"]) {
        return;
    }
    let values =
        ["-f", "-file", "-buildfile", "-s", "-find", "-lib", "-l", "-logfile", "-propertyfile"];
    let named = ["-f", "-file", "-buildfile"].iter().find_map(|option| {
        let at = words.iter().position(|word| word == option)?;
        words.get(at + 1)
    });
    let file =
        match named.and_then(|name| walk.target(&crate::text::Text::known(name.as_str())).path) {
            Some(path) => walk.look(&path).file(),
            None => project::nearest(walk, &["build.xml"]),
        };
    let Some(file) = file else { return };
    let asked: Vec<String> =
        project::operands(&words, &values).into_iter().map(str::to_owned).collect();
    let root = directory_of(&file.path).to_owned();
    project::in_directory(walk, Some(&root), |walk| {
        walk.in_task(&file, &asked.join(" "), "ant", invocation.span, |walk| {
            let tree = project::whole(walk, tree::markup(&file.text));
            let Some(node) = tree.root().and_then(|root| root.get("project")) else { return };
            let mut properties: Vec<(String, String)> =
                vec![("basedir".to_owned(), ".".to_owned())];
            let others = imported(walk, &file, node);
            for property in all(node, "property") {
                let value = property.text_of("@value").or_else(|| property.text_of("@location"));
                if let (Some(name), Some(value)) = (property.text_of("@name"), value) {
                    properties.push((name.to_owned(), value.to_owned()));
                }
            }
            // What stands outside of a target is done whatever is asked for.
            for (words, span) in started(node, false) {
                said(walk, &words, span, &properties);
            }
            for (other, tree) in &others {
                let Some(node) = tree.root().and_then(|root| root.get("project")) else { continue };
                walk.in_file(other, "ant", invocation.span, |walk| {
                    // What stands outside of targets, and macros, which any target may call.
                    for (words, span) in started(node, false) {
                        said(walk, &words, span, &properties);
                    }
                    for part in
                        ["macrodef", "presetdef", "target"].iter().flat_map(|it| all(node, it))
                    {
                        for (words, span) in started(part, true) {
                            said(walk, &words, span, &properties);
                        }
                    }
                });
            }
            for part in ["macrodef", "presetdef"].iter().flat_map(|it| all(node, it)) {
                for (words, span) in started(part, true) {
                    said(walk, &words, span, &properties);
                }
            }
            let mut open = asked.clone();
            if open.is_empty() {
                open.extend(node.text_of("@default").map(str::to_owned));
            }
            let mut seen: Vec<String> = Vec::new();
            while let Some(name) = open.pop() {
                if seen.contains(&name) {
                    continue;
                }
                for target in all(node, "target").filter(|it| it.text_of("@name") == Some(&name)) {
                    open.extend(
                        target
                            .text_of("@depends")
                            .unwrap_or_default()
                            .split(',')
                            .map(|it| it.trim().to_owned()),
                    );
                    target.visit(&mut |inner| {
                        open.extend(
                            all(inner, "antcall")
                                .filter_map(|it| it.text_of("@target").map(str::to_owned)),
                        )
                    });
                    for (words, span) in started(target, true) {
                        said(walk, &words, span, &properties);
                    }
                }
                seen.push(name);
            }
        });
    });
}

/// Build files that one takes in (ant.apache.org/manual, "Import", "Include").
fn imported(walk: &mut dyn Host, file: &File, node: &tree::Node) -> Vec<(File, tree::Tree)> {
    let root = directory_of(&file.path).to_owned();
    let mut found = Vec::new();
    for key in ["import", "include"] {
        let imports: Vec<&tree::Node> = all(node, key).collect();
        for import in imports.into_iter().at_most(PROJECTS, walk, node.span) {
            let Some(name) = import.text_of("@file") else { continue };
            let name = name.replace("${basedir}/", "");
            if let Some(file) =
                walk.look(&crate::paths::normal(&project::joined(&root, &name))).file()
            {
                let tree = tree::markup(&file.text);
                found.push((file, tree));
            }
        }
    }
    found
}

/// What a plugin starts, in its configuration and in those of its executions whose phases are reached.
fn follow(walk: &mut dyn Host, plugin: &tree::Node, own: &[(String, String)], asked: &[&str]) {
    let executions: Vec<&tree::Node> =
        plugin.get("executions").iter().flat_map(|it| all(it, "execution")).collect();
    let is_idle = |execution: &&&tree::Node| {
        execution.text_of("phase").is_some_and(|phase| !idle::reaches(asked, phase.trim()))
    };
    let idle: Vec<&tree::Node> = executions.iter().filter(is_idle).copied().collect();
    if !executions.is_empty() && idle.len() == executions.len() {
        return;
    }
    let mut properties = vec![
        ("project.basedir".to_owned(), ".".to_owned()),
        ("basedir".to_owned(), ".".to_owned()),
        ("project.build.directory".to_owned(), "target".to_owned()),
    ];
    properties.extend(own.iter().cloned());
    for (words, span) in started(plugin, true) {
        if !idle.iter().any(|it| it.span.start <= span.start && span.end <= it.span.end) {
            said(walk, &words, span, &properties);
        }
    }
}

/// Says that a program is started, with the values of properties put in; one that nobody knows is a word.
fn said(walk: &mut dyn Host, words: &[String], span: Span, properties: &[(String, String)]) {
    let home = walk.facts().home.clone();
    let filled = |word: &String| {
        let mut filled = word.replace("${java.io.tmpdir}", "/tmp");
        for name in ["${user.home}", "${env.HOME}"] {
            if let Some(home) = &home {
                filled = filled.replace(name, home);
            }
        }
        for _ in 0..properties.len().min(8) {
            for (name, value) in properties {
                filled = filled.replace(&format!("${{{name}}}"), value);
            }
        }
        let is_deletion = words.first().is_some_and(|it| it == "rm");
        match filled.split_once("${") {
            Some((before, after)) if is_deletion && before.is_empty() => {
                format!("value{}", after.split_once('}').map_or("", |it| it.1))
            }
            _ => filled,
        }
    };
    let words: Vec<String> = words.iter().map(filled).collect();
    walk.at_most(Certainty::Likely, |walk| walk.run(&project::arguments(&words, span), None));
}

/// Programs that elements start: those of a plugin, and tasks of Ant, in all that stands in them or in it alone.
fn started(plugin: &tree::Node, deep: bool) -> Vec<(Vec<String>, Span)> {
    let mut found: Vec<(Vec<String>, Span)> = Vec::new();
    let mut read = |node: &tree::Node| {
        if let Some(program) = node.get("executable").filter(|it| it.text().is_some()) {
            let mut words = vec![program.text().unwrap_or_default().trim().to_owned()];
            for list in ["arguments", "args"] {
                let given = node
                    .get(list)
                    .iter()
                    .flat_map(|it| it.entries())
                    .filter_map(|(_, it)| it.text())
                    .map(str::to_owned)
                    .collect::<Vec<_>>();
                words.extend(given);
            }
            if let Some(line) = node.text_of("commandlineArgs") {
                words.extend(line.split_whitespace().map(str::to_owned));
            }
            found.push((words, program.span));
        }
        // Ant: `<exec executable="sh"><arg line="-c …"/></exec>`, `<delete dir="…"/>`, `<get src="…" dest="…"/>`.
        for exec in all(node, "exec") {
            let Some(program) = exec.text_of("@executable") else { continue };
            let mut words = vec![program.to_owned()];
            for argument in all(exec, "arg") {
                words.extend(argument.text_of("@value").map(str::to_owned));
                words.extend(
                    argument
                        .text_of("@line")
                        .iter()
                        .flat_map(|line| line.split_whitespace())
                        .map(str::to_owned),
                );
            }
            found.push((words, exec.span));
        }
        // ant.apache.org/manual, "Ant": another build file, and its default target where none is named.
        for build in all(node, "ant") {
            let file = build.text_of("@antfile").unwrap_or("build.xml");
            let file = match build.text_of("@dir") {
                Some(place) => format!("{place}/{file}"),
                None => file.to_owned(),
            };
            let mut words = vec!["ant".to_owned(), "-f".to_owned(), file];
            words.extend(build.text_of("@target").map(str::to_owned));
            found.push((words, build.span));
        }
        for delete in all(node, "delete") {
            for set in all(delete, "fileset") {
                let Some(place) = set.text_of("@dir") else { continue };
                let names = set.text_of("@includes").unwrap_or_default();
                let mut words = vec!["rm".to_owned(), "-rf".to_owned()];
                // `x/**` is all that is below it.
                words.extend(names.split([',', ' ']).filter(|name| !name.is_empty()).map(|name| {
                    let name = name.trim_end_matches('*').trim_end_matches('/');
                    format!("{}/{name}", place.trim_end_matches('/'))
                }));
                if words.len() == 2 && set.get("include").is_none() {
                    words.push(place.to_owned());
                }
                if words.len() > 2 {
                    found.push((words, set.span));
                }
            }
            let Some(place) = delete.text_of("@dir").or_else(|| delete.text_of("@file")) else {
                continue;
            };
            found.push((["rm", "-rf", place].map(str::to_owned).to_vec(), delete.span));
        }
        // ant.apache.org/manual, "Java", "Echo", "Copy", "Move", "Chmod", "Scp", "SSHExec", "Mail", "Sql", "Apply".
        for java in all(node, "java") {
            let mut words = vec!["java".to_owned()];
            match (java.text_of("@jar"), java.text_of("@classname")) {
                (Some(jar), _) => words.extend(["-jar".to_owned(), jar.to_owned()]),
                (None, Some(class)) => words.push(class.to_owned()),
                (None, None) => continue,
            }
            for argument in all(java, "arg") {
                words.extend(argument.text_of("@value").map(str::to_owned));
            }
            found.push((words, java.span));
        }
        for (name, key) in [("echo", "@file"), ("concat", "@destfile")] {
            for echo in all(node, name) {
                if let Some(file) = echo.text_of(key) {
                    found.push((["tee", "-a", file].map(str::to_owned).to_vec(), echo.span));
                }
            }
        }
        for (name, line) in [("copy", "cp"), ("move", "mv")] {
            for copy in all(node, name) {
                let to = copy.text_of("@tofile").or_else(|| copy.text_of("@todir"));
                if let (Some(from), Some(to)) = (copy.text_of("@file"), to) {
                    found.push(([line, from, to].map(str::to_owned).to_vec(), copy.span));
                }
            }
        }
        for chmod in all(node, "chmod") {
            if let (Some(file), Some(mode)) = (chmod.text_of("@file"), chmod.text_of("@perm")) {
                found.push((["chmod", mode, file].map(str::to_owned).to_vec(), chmod.span));
            }
        }
        for scp in all(node, "scp") {
            if let (Some(from), Some(to)) = (scp.text_of("@file"), scp.text_of("@todir")) {
                found.push((["scp", from, to].map(str::to_owned).to_vec(), scp.span));
            }
        }
        for remote in all(node, "sshexec") {
            if let (Some(host), Some(code)) = (remote.text_of("@host"), remote.text_of("@command"))
            {
                found.push((["ssh", host, code].map(str::to_owned).to_vec(), remote.span));
            }
        }
        for sql in all(node, "sql") {
            let text = sql.text().or_else(|| sql.text_of("#text")).unwrap_or_default().trim();
            if !text.is_empty() {
                found.push((["psql", "-c", text].map(str::to_owned).to_vec(), sql.span));
            }
        }
        for get in all(node, "get") {
            if let (Some(from), Some(to)) = (get.text_of("@src"), get.text_of("@dest")) {
                found.push((
                    ["curl", "-fsSL", "-o", to, from].map(str::to_owned).to_vec(),
                    get.span,
                ));
            }
        }
    };
    if deep {
        plugin.visit(&mut read);
    } else {
        read(plugin);
    }
    // What is fetched by one is there for the next.
    found.sort_by_key(|(_, span)| span.start);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn projects_and_commands_of_gradle_are_found() {
        assert_eq!(
            included("include ':a', 'b:c'\ninclude(\":d\")\nincludeBuild('x')\n"),
            [":a", "b:c", ":d"]
        );
        assert_eq!(
            applied(
                "apply from: 'x.gradle'\napply(from = rootProject.file(\"y.kts\"))\napply plugin: 'java'\napply from: \"$rootDir/a/z.gradle\"\n"
            ),
            [
                ("x.gradle".to_owned(), false),
                ("y.kts".to_owned(), true),
                ("a/z.gradle".to_owned(), true)
            ]
        );
        let found: Vec<Vec<String>> = commands("exec {\n  commandLine 'sh', '-c', \"a b\"\n}\ncommandLine(\"x\",\n \"y\")\nexecutable = \"p\"\nargs(\"q\")\n").into_iter().map(|it| it.0).collect();
        assert_eq!(found, [vec!["sh", "-c", "a b"], vec!["x", "y"], vec!["p", "q"]]);
    }
}

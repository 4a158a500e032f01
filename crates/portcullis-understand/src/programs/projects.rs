//! What builds, test runs and interpreters find by themselves in files that this same call wrote: scripts of a
//! `package.json`, sources that are compiled and then run, modules. Owns which program looks at which files; files that
//! were there before are the project's own.

use portcullis_syntax::Span;

use crate::{
    bound::Bounded,
    effect::{Argument, GapReason},
    place,
    programs::host::Host,
    programs::invocation::Invocation,
    text::{Piece, Taint, Text},
};

/// What a program finds in a file.
#[derive(Clone, Copy, Debug)]
enum Found {
    /// Code in this language, which it runs or makes into a program.
    Code(&'static str),
    /// The same, where an argument or a variable names the file or its stem.
    Named(&'static str),
    /// Commands in the `scripts` of a `package.json`.
    Scripts,
    /// Code in this language, and commands behind `//go:generate`.
    Directives(&'static str),
}

/// A program, how the names of the files end, what it finds in them.
type Finder = (&'static [&'static str], &'static [&'static str], Found);

const SCRIPTS: &[&str] = &[".js", ".mjs", ".cjs", ".ts"];

static FINDERS: &[Finder] = &[
    (
        &["npm", "pnpm", "yarn", "bun", "npx", "lerna", "nx", "turbo"],
        &["/package.json"],
        Found::Scripts,
    ),
    (&["composer"], &["/composer.json"], Found::Scripts),
    (
        &["npm", "pnpm", "yarn", "bun", "npx", "jest", "vitest", "mocha"],
        SCRIPTS,
        Found::Code("javascript"),
    ),
    (&["node", "deno", "ts-node", "tsx"], SCRIPTS, Found::Named("javascript")),
    (&["pytest", "pip", "tox", "nox", "uv", "poetry", "coverage"], &[".py"], Found::Code("python")),
    (&["python", "python3", "ipython", "pypy", "pypy3"], &[".py"], Found::Named("python")),
    (&["cargo", "rustc"], &[".rs"], Found::Code("rust")),
    (&["go"], &[".go"], Found::Directives("go")),
    (
        &["c++", "cc", "clang", "clang++", "g++", "gcc", "tcc", "make", "cmake", "ninja"],
        &[".c", ".cc", ".cpp", ".cxx", ".h"],
        Found::Code("c"),
    ),
    (&["java", "javac", "mvn", "gradle"], &[".java"], Found::Code("java")),
    (&["rake", "rspec", "bundle"], &[".rb", "/Rakefile"], Found::Code("ruby")),
    (&["ruby", "irb"], &[".rb"], Found::Named("ruby")),
    (&["perl"], &[".pl", ".pm"], Found::Named("perl")),
    (&["php", "phpunit", "composer"], &[".php"], Found::Named("php")),
    (&["lua", "luajit"], &[".lua"], Found::Named("lua")),
];

/// Build tools and the files that they run the commands of. What this call writes there is read by the rules on manifests; here it
/// matters where it comes from.
static MANIFESTS: &[(&[&str], &[&str])] = &[
    (&["bazel", "bazelisk"], &["/BUILD", "/BUILD.bazel", "/MODULE.bazel", "/WORKSPACE", ".bzl"]),
    (&["bundle", "pod"], &["/Gemfile", "/Podfile"]),
    (&["cmake"], &["/CMakeLists.txt", ".cmake"]),
    (&["composer"], &["/composer.json"]),
    (&["deno"], &["/deno.json", "/deno.jsonc"]),
    (&["dotnet", "msbuild"], &[".csproj", ".fsproj", ".props", ".targets", ".vbproj"]),
    (&["foreman", "honcho", "overmind"], &["/Procfile"]),
    (&["make"], &["/GNUmakefile", "/Makefile", "/makefile", ".mk"]),
    (&["gradle", "gradlew"], &[".gradle", ".gradle.kts"]),
    (&["just"], &["/Justfile", "/justfile"]),
    (&["meson"], &["/meson.build"]),
    (&["mix"], &["/mix.exs"]),
    (&["mvn", "mvnw"], &["/pom.xml"]),
    (&["bun", "npm", "npx", "pnpm", "yarn"], &["/package.json"]),
    (&["nox"], &["/noxfile.py"]),
    (&["pre-commit"], &["/.pre-commit-config.yaml"]),
    (&["rake"], &["/Rakefile"]),
    (&["sbt"], &["/build.sbt"]),
    (&["task"], &["/Taskfile.yaml", "/Taskfile.yml"]),
    (&["tox"], &["/tox.ini"]),
    (&["vagrant"], &["/Vagrantfile"]),
    (&["zig"], &["/build.zig"]),
];

/// How many commands of one file are read.
const COMMANDS: usize = 256;

/// Reads what a program finds in files that this call wrote.
pub(crate) fn follow(walk: &mut dyn Host, invocation: &Invocation) {
    let before: Vec<String> = if walk.has_written() { walk.written(&[""]) } else { Vec::new() };
    super::started::follow(walk, invocation);
    compiled_from_input(walk, invocation);
    if invocation.program == "git" {
        super::patches::by_git(walk, invocation);
    }
    built_from_afar(walk, invocation);
    super::trees::follow(walk, invocation);
    set_scripts(walk, invocation);
    builds_and_runs(walk, invocation);
    frameworks_run(walk, invocation);
    super::consoles::told(walk, invocation);
    let program = invocation.program.as_str();
    if program == "ansible-playbook" {
        playbooks(walk, invocation);
    }
    if !walk.has_written() {
        return;
    }
    for (programs, endings) in MANIFESTS {
        if programs.contains(&program) {
            from_elsewhere(walk, endings, invocation.span);
        }
    }
    let reads = only_reads(invocation);
    for (programs, endings, found) in FINDERS {
        if !programs.contains(&program) {
            continue;
        }
        for path in walk.written(endings) {
            let stem = stem_of(&path);
            if matches!(found, Found::Named(_)) && !mentions(walk, invocation, &path, stem) {
                continue;
            }
            if reads && !is_settings(&path) {
                continue;
            }
            // `npx prettier --write a.ts` writes what it does not run.
            if walk.wrote_by(&path, invocation.announced) {
                continue;
            }
            let Some(content) = walk.first_look(&path) else { continue };
            if walk.is_copy(&content) {
                continue;
            }
            // Of a file of the project that is edited, what was put in is judged; the rest of it was there before.
            let content = if walk.is_edit_of(&path, &content) { added(&content) } else { content };
            // What the program itself made just now of nothing that came from elsewhere: whoever runs that is followed by themselves.
            if !before.contains(&path) && is_computed(&content) {
                continue;
            }
            walk.at_likely(|walk| look(walk, *found, &content, invocation.span));
        }
    }
}

/// Tools of JavaScript that read sources and run none but their own settings, sorted.
const READERS: &[&str] = &[
    "biome",
    "cspell",
    "depcheck",
    "dprint",
    "eslint",
    "jscpd",
    "knip",
    "madge",
    "oxlint",
    "prettier",
    "publint",
    "standard",
    "stylelint",
    "tsc",
    "typedoc",
    "vue-tsc",
];

/// `npx eslint a.ts`, `pnpm exec tsc`
fn only_reads(invocation: &Invocation) -> bool {
    if !matches!(invocation.program.as_str(), "bunx" | "npm" | "npx" | "pnpm" | "yarn") {
        return false;
    }
    let mut words = invocation.arguments.iter().filter_map(|word| word.text.as_known());
    let is_reader = words
        .by_ref()
        .find(|word| !word.starts_with('-') && !matches!(*word, "exec" | "dlx" | "x"))
        .is_some_and(|tool| READERS.binary_search(&tool).is_ok());
    // Another option may name a plugin, a rule or a formatter, which is run.
    is_reader
        && invocation.program != "npm"
        && words.all(|word| !word.starts_with('-') || PLAIN.contains(&word))
}

/// Options of those tools that name no code.
const PLAIN: &[&str] = &[
    "--cache",
    "--check",
    "--ext",
    "--fix",
    "--list-different",
    "--max-warnings",
    "--no-cache",
    "--noEmit",
    "--pretty",
    "--quiet",
    "--strict",
    "--write",
    "-l",
    "-w",
];

/// Whether a file is a tool's settings by its name.
fn is_settings(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.contains("config")
        || name.contains("rc.")
        || name.contains("plugin")
        || name.starts_with('.')
}

/// A manifest that came over the network in this call: what it runs nobody has read.
fn from_elsewhere(walk: &mut dyn Host, endings: &[&str], span: Span) {
    for path in walk.written(endings) {
        let file = Argument { text: Text::known(path), span };
        let content = walk.read(&file);
        if content.taint.has(Taint::NETWORK) && content.as_known().is_none() {
            walk.at_likely(|walk| walk.shell(&content, span, &[], None));
        }
    }
}

/// The tasks of a playbook that this call wrote or that arrives, as far as they are commands.
fn playbooks(walk: &mut dyn Host, invocation: &Invocation) {
    let files: Vec<Argument> = invocation.options().operands().cloned().collect();
    for file in files {
        let Some(path) = walk.target(&file.text).path else { continue };
        let arrives = matches!(path.as_str(), "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0");
        let content = if arrives { invocation.input.clone() } else { walk.first_look(&path) };
        let Some(content) = content else { continue };
        if content.as_known().is_none() && content.taint.has(Taint::NETWORK) {
            walk.gap(file.span, GapReason::UnknownCode);
        }
        for line in content.known_prefix().lines().at_most(COMMANDS * 4, walk, invocation.span) {
            let line = line.trim_start_matches([' ', '-', '[', '{', ',']);
            let Some((module, command)) = line.split_once(':') else { continue };
            let tasks = command.rsplit_once("tasks: [").map_or(line, |(_, tasks)| tasks);
            let (module, command) = tasks.split_once(':').unwrap_or((module, command));
            let module = module.trim_start_matches([' ', '{', '-']);
            let module = module.rsplit('.').next().unwrap_or(module);
            if !matches!(module, "shell" | "command" | "raw" | "cmd") || command.trim().is_empty() {
                continue;
            }
            let command = command.trim().trim_end_matches(['}', ']']).trim_matches(['"', '\'']);
            let code = content.derive(vec![Piece::Known(command.to_owned())]);
            walk.at_likely(|walk| walk.shell(&code, invocation.span, &[], None));
        }
    }
}

/// `rails runner CODE`, `manage.py shell -c CODE`, `artisan tinker --execute=CODE`, and the same on the input: code that runs inside of a
/// framework, with its database at hand. `manage.py dbshell` hands its input to the database itself.
fn frameworks_run(walk: &mut dyn Host, invocation: &Invocation) {
    let mut words = invocation.arguments.iter().peekable();
    let named = |words: &mut std::iter::Peekable<std::slice::Iter<'_, Argument>>, script: &str| {
        let is_script = words.peek().is_some_and(|word| {
            word.text.as_known().is_some_and(|word| word.rsplit('/').next() == Some(script))
        });
        if is_script {
            words.next();
        }
        is_script
    };
    let language = match invocation.program.as_str() {
        "rails" => "ruby",
        "manage.py" | "django-admin" => "python",
        "python" | "python3" if named(&mut words, "manage.py") => "python",
        "php" if named(&mut words, "artisan") => "php",
        "ruby" if named(&mut words, "rails") => "ruby",
        _ => return,
    };
    let Some(verb) = words.next().and_then(|verb| verb.text.as_known()) else { return };
    let code = match (language, verb) {
        ("ruby", "runner" | "r") => words
            .find(|word| {
                let word = word.text.known_prefix();
                !word.starts_with('-') && !word.ends_with(".rb") && word.contains([' ', '(', '.'])
            })
            .cloned(),
        ("python", "shell" | "shell_plus") => words
            .find(|word| matches!(word.text.as_known(), Some("-c" | "--command")))
            .and_then(|_| words.next())
            .cloned(),
        ("php", "tinker") => invocation.options().value(&["--execute"]),
        // What stands behind `--` is for the database's own program.
        ("python", "dbshell") => words
            .find(|word| {
                matches!(word.text.as_known(), Some("-c" | "-e" | "--command" | "--execute"))
            })
            .and_then(|_| words.next())
            .cloned(),
        ("ruby", "console" | "c" | "dbconsole" | "db") | ("php", "db") => None,
        _ => return,
    };
    let arrives = || {
        let input = invocation.input.clone().filter(|input| {
            !input.is_empty() && (input.as_known().is_some() || input.taint.has(Taint::NETWORK))
        });
        input.map(|text| Argument { text, span: invocation.span })
    };
    let Some(code) = code.or_else(arrives) else { return };
    if matches!(verb, "dbshell" | "dbconsole" | "db") {
        walk.query(&code.text, code.span);
        return;
    }
    walk.code(language, &code.text, code.span, &[]);
    for statement in emptied(code.text.known_prefix()) {
        walk.query(&code.text.derive([Piece::Known(statement)]), code.span);
    }
}

/// The statements that calls of a framework's own objects come to: `User.delete_all` is `DELETE FROM User`.
fn emptied(code: &str) -> Vec<String> {
    const CALLS: &[(&str, &str)] = &[
        (".delete_all", "DELETE FROM"),
        (".destroy_all", "DELETE FROM"),
        (".in_batches.delete_all", "DELETE FROM"),
        (".objects.all().delete(", "DELETE FROM"),
        ("::truncate(", "TRUNCATE TABLE"),
        ("->truncate(", "TRUNCATE TABLE"),
        ("::query()->delete(", "DELETE FROM"),
    ];
    let mut statements = Vec::new();
    for (call, verb) in CALLS {
        for (at, _) in code.match_indices(call) {
            let before = code.get(..at).unwrap_or_default();
            let inside = |letter: char| !letter.is_alphanumeric() && letter != '_';
            let table = before.trim_end_matches(inside).rsplit(inside).next().unwrap_or_default();
            // What was chosen before is not all of it.
            let chosen = before.rsplit([';', '\n']).next().unwrap_or_default();
            let is_chosen = [".where", ".filter", "->where", "::where", ".limit", ".find"]
                .iter()
                .any(|word| chosen.contains(word));
            if !table.is_empty() && !is_chosen {
                statements.push(format!("{verb} {table}"));
            } else if is_chosen && *verb == "DELETE FROM" {
                statements.push("DELETE FROM chosen WHERE chosen".to_owned());
            }
        }
    }
    statements
}

/// The program whose verbs matter also where it is built for it: the gate itself.
const GATE: &str = "portcullis";

/// `cargo run -- WORDS`, `nix run FLAKE -- WORDS`: the program that is built gets the words. It is called what an option
/// says, or what the directory is called.
fn builds_and_runs(walk: &mut dyn Host, invocation: &Invocation) {
    if !matches!(invocation.program.as_str(), "cargo" | "nix") {
        return;
    }
    let arguments = invocation.arguments.as_slice();
    let is_verb = |word: &Argument| !word.text.known_prefix().starts_with(['-', '+']);
    let Some(at) = arguments.iter().position(is_verb) else { return };
    if !matches!(arguments.get(at).and_then(|verb| verb.text.as_known()), Some("run" | "r")) {
        return;
    }
    let ends = arguments.iter().position(|word| word.text.as_known() == Some("--"));
    let (own, given) = match ends {
        Some(ends) => (arguments.get(..ends), arguments.get(ends + 1..)),
        None => (Some(arguments), arguments.get(at + 1..)),
    };
    let (own, given) = (own.unwrap_or_default(), given.unwrap_or_default());
    let is_named = |text: &str| text.contains(GATE);
    let chooses = |word: &Argument| {
        let word = word.text.known_prefix();
        matches!(word.split('=').next(), Some("--bin" | "--example" | "-p" | "--package"))
    };
    let by_name = own.iter().any(|word| is_named(word.text.known_prefix()));
    let by_directory = !own.iter().any(chooses)
        && walk.directory().is_some_and(|directory| {
            directory.rsplit('/').next().is_some_and(is_named) || directory.contains("/portcullis/")
        });
    if !by_name && !by_directory {
        return;
    }
    let mut words = vec![Argument { text: Text::known(GATE), span: invocation.name.span }];
    // Without `--`, the words behind the options are the program's as well.
    let dashed = |word: &&Argument| ends.is_none() && word.text.known_prefix().starts_with('-');
    words.extend(given.iter().filter(|word| !dashed(word)).cloned());
    walk.run(&words, invocation.input.clone());
}

/// `npm pkg set scripts.NAME=COMMAND`, `npm set-script NAME COMMAND`: there to be run by name.
fn set_scripts(walk: &mut dyn Host, invocation: &Invocation) {
    if !matches!(invocation.program.as_str(), "npm" | "pnpm" | "yarn" | "bun") {
        return;
    }
    let words: Vec<&str> =
        invocation.arguments.iter().filter_map(|word| word.text.as_known()).collect();
    let commands: Vec<&str> = match words.as_slice() {
        ["pkg", "set", settings @ ..] => settings
            .iter()
            .filter(|setting| setting.starts_with("scripts."))
            .filter_map(|setting| Some(setting.split_once('=')?.1))
            .collect(),
        ["set-script", _, command, ..] => vec![command],
        _ => Vec::new(),
    };
    for command in commands {
        let code = Text::known(command);
        walk.at_likely(|walk| walk.shell(&code, invocation.span, &[], None));
    }
}

/// `docker build -`, `docker build https://…`: what an image is built by comes from elsewhere, and its commands are run.
fn built_from_afar(walk: &mut dyn Host, invocation: &Invocation) {
    if !matches!(invocation.program.as_str(), "buildah" | "docker" | "nerdctl" | "podman") {
        return;
    }
    let words: Vec<Argument> = invocation.options().operands().cloned().collect();
    let is_verb = |word: &&Argument| matches!(word.text.as_known(), Some("bud" | "build"));
    if !words.iter().leading(2).any(|word| is_verb(&word)) {
        return;
    }
    let arrives = invocation.arguments.iter().any(|word| word.text.as_known() == Some("-"));
    if arrives && invocation.input.as_ref().is_some_and(|input| input.taint.has(Taint::NETWORK)) {
        walk.gap(invocation.span, GapReason::UnknownCode);
    }
    let Some(context) = words.last() else { return };
    let others = invocation.options().values_of(&["--build-context"]).filter_map(|named| {
        let (_, path) = named.text.known_prefix().split_once('=')?;
        Some(Argument { text: named.text.beginning_with(path), span: named.span })
    });
    let mut contexts = others.chain(std::iter::once(context.clone()));
    let holds_all = |context: &Argument| {
        let target = walk.target(&context.text);
        place::place_of(&target, walk.facts()).is_whole()
            || place::credential_of(&target, walk.facts()).is_some()
    };
    if let Some(home) = contexts.find(holds_all) {
        walk.note("container.image.home", home.span);
    }
    let afar = ["http://", "https://", "git://", "git@", "ssh://", "github.com/"];
    if afar.iter().any(|start| context.text.known_prefix().starts_with(start)) {
        walk.connect(context, None, false);
        walk.gap(context.span, GapReason::UnknownCode);
    }
}

/// `cc -xc -`: the source arrives on the input.
fn compiled_from_input(walk: &mut dyn Host, invocation: &Invocation) {
    let compiles = matches!(
        invocation.program.as_str(),
        "c++" | "cc" | "clang" | "clang++" | "g++" | "gcc" | "tcc"
    );
    if compiles
        && invocation.arguments.iter().any(|argument| argument.text.as_known() == Some("-"))
        && !invocation.arguments.iter().any(|argument| {
            // Its words are looked at, and nothing is made that could be run.
            matches!(argument.text.as_known(), Some("-E" | "-M" | "-MM" | "-fsyntax-only"))
        })
        && let Some(input) = invocation.input.clone().filter(|input| !input.is_empty())
    {
        walk.at_likely(|walk| walk.code("c", &input, invocation.span, &[]));
    }
}

/// What is known of a text, without what is not.
fn added(content: &Text) -> Text {
    let mut added = content.derive([]);
    for piece in &content.pieces {
        if let Piece::Known(known) = piece {
            added.push_known(known);
            added.push_known("\n");
        }
    }
    added
}

/// Whether nothing of a text is known, and nothing of it came over the network, out of a decoder or from what is hidden.
fn is_computed(content: &Text) -> bool {
    content.taint == Taint::NONE
        && !content.pieces.iter().any(|piece| matches!(piece, Piece::Known(_)))
}

fn look(walk: &mut dyn Host, found: Found, content: &Text, span: Span) {
    match found {
        Found::Code(language) | Found::Named(language) => {
            walk.code(language, content, span, &[]);
        }
        Found::Scripts => {
            for command in scripts(content.known_prefix()).into_iter().at_most(COMMANDS, walk, span)
            {
                let code = content.derive([Piece::Known(command)]);
                walk.shell(&code, span, &[], None);
            }
        }
        Found::Directives(language) => {
            walk.code(language, content, span, &[]);
            for line in content.known_prefix().lines() {
                if let Some(command) = line.strip_prefix("//go:generate ") {
                    let code = content.derive([Piece::Known(command.to_owned())]);
                    walk.shell(&code, span, &[], None);
                }
            }
        }
    }
}

/// The commands in the `scripts` of a `package.json`.
fn scripts(text: &str) -> Vec<String> {
    let Ok(package) = serde_json::from_str::<serde_json::Value>(text) else { return Vec::new() };
    let Some(scripts) = package.get("scripts").and_then(|scripts| scripts.as_object()) else {
        return Vec::new();
    };
    scripts.values().filter_map(|command| command.as_str()).map(str::to_owned).collect()
}

fn stem_of(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.split_once('.').map_or(name, |(stem, _)| stem)
}

/// Whether an invocation names a file, otherwise than as the script that it runs.
fn mentions(walk: &dyn Host, invocation: &Invocation, path: &str, stem: &str) -> bool {
    let runs = invocation
        .arguments
        .iter()
        .any(|argument| walk.target(&argument.text).path.as_deref() == Some(path));
    let given = invocation.arguments.iter().map(|argument| &argument.text);
    let environment = invocation.environment.iter().map(|(_, value)| value);
    let named = given.chain(environment).any(|text| has_name(text.known_prefix(), stem));
    !stem.is_empty() && named && (!runs || loads_by_option(invocation))
}

/// Whether a name stands in a text as a whole: `serializer` is not what `error-serializer.js` names.
fn has_name(text: &str, name: &str) -> bool {
    let is_part = |letter: char| letter.is_alphanumeric() || matches!(letter, '-' | '_');
    !name.is_empty()
        && text.match_indices(name).any(|(at, _)| {
            let before = text.get(..at).unwrap_or_default();
            let after = text.get(at + name.len()..).unwrap_or_default();
            // `-rfile` names it behind a letter.
            let is_option = before.len() == 2 && before.starts_with('-');
            (is_option || !before.ends_with(is_part)) && !after.starts_with(is_part)
        })
}

/// `node -r ./file`, `ruby -r ./file`: an option that loads a file beside the script.
fn loads_by_option(invocation: &Invocation) -> bool {
    invocation.arguments.iter().any(|argument| {
        matches!(argument.text.as_known(), Some("-r" | "--require" | "--import" | "--loader"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_of_a_package_are_found() {
        assert_eq!(scripts(r#"{"scripts":{"a":"x y","b":"z"}}"#), ["x y", "z"]);
        assert!(scripts("{").is_empty());
        assert!(scripts("{}").is_empty());
    }

    #[test]
    fn a_name_counts_as_a_whole() {
        for text in ["tests/a.py", "-ra.js", "--require=./a", "a:run", "a"] {
            assert!(has_name(text, "a"), "{text}");
        }
        for text in ["b-a.js", "ab", "lib/x_a.js", "tests/a-b.py", ""] {
            assert!(!has_name(text, "a"), "{text}");
        }
    }

    #[test]
    fn a_stem_is_the_name_without_what_it_ends_with() {
        for (path, stem) in [("/a/b.c.py", "b"), ("/a/Makefile", "Makefile"), ("x", "x")] {
            assert_eq!(stem_of(path), stem, "{path}");
        }
    }
}

//! Projects of MSBuild: commands that a build starts (`Exec`), code in them (`UsingTask`), and files that it deletes or writes (learn.microsoft.com,
//! "MSBuild task reference", "Customize your build": `Directory.Build.props` and `.targets` are taken in from the nearest directory above).

use portcullis_syntax::Span;

use super::{Starter, project, tree};
use crate::{
    bound::Bounded,
    effect::Certainty,
    programs::found::{File, Found, directory_of},
    programs::host::Host,
    programs::invocation::Invocation,
    text::Text,
};

pub(super) static DOTNET: Starter = Starter { programs: &["dotnet", "msbuild", "xbuild"], start };

/// Verbs of `dotnet` that evaluate a project.
const VERBS: &[&str] = &[
    "build", "clean", "msbuild", "pack", "publish", "restore", "run", "test", "watch", "add",
    "list",
];

/// How projects are called.
const PROJECTS: &[&str] = &[".csproj", ".fsproj", ".vbproj", ".proj", ".sqlproj", ".shproj"];

/// What every project of a directory and of those below takes in.
const SHARED: &[&str] = &[
    "Directory.Build.props",
    "Directory.Build.targets",
    "Directory.Packages.props",
    "Directory.Solution.targets",
    "Directory.Build.rsp",
];

/// How many projects of one build are read.
const FILES: usize = 24;

/// How deep folders of projects are listed, and imports take in each other.
const NESTED: usize = 4;

/// `-p:PreBuildEvent=COMMAND`, in each way that MSBuild takes a property by (learn.microsoft.com, "MSBuild command-line reference").
fn properties(walk: &mut dyn Host, invocation: &Invocation) {
    const RUN: &[&str] = &["PostBuildEvent", "PreBuildEvent", "PreLinkEvent"];
    for word in invocation.arguments.iter() {
        let written = word.text.known_prefix();
        let switch = written.trim_start_matches(['-', '/']);
        let given =
            ["property:", "property=", "p:", "p="].iter().find_map(|it| switch.strip_prefix(it));
        let Some((name, value)) = given.and_then(|given| given.split_once('=')) else { continue };
        if written.len() > switch.len() && RUN.iter().any(|it| it.eq_ignore_ascii_case(name)) {
            let code = word.text.beginning_with(value);
            walk.shell(&code, word.span, &[], None);
        }
    }
}

/// How many properties of a build are kept; what is computed out of others is a word.
const PROPERTIES: usize = 1024;

type Properties = std::collections::BTreeMap<String, String>;

/// What was evaluated of a build.
#[derive(Debug, Default)]
struct Evaluation {
    files: Vec<String>,
    properties: Properties,
    /// `Configuration`, where nothing sets it but the call.
    configuration: Option<&'static str>,
}

fn start(walk: &mut dyn Host, invocation: &Invocation) {
    properties(walk, invocation);
    let words = project::words(invocation);
    let operands = project::operands(&words, &["-c", "--configuration", "-f", "-o", "-r", "-p"]);
    let verb = operands.first().copied().unwrap_or_default();
    if invocation.program == "dotnet"
        && let Some(file) = one_file(&words, &operands)
        && let Some(path) = walk.target(&Text::known(file)).path
    {
        walk.run_file("csharp", &path, invocation.span, &[], None);
        return;
    }
    if project::has(&words, &["--help", "-h", "-?", "--version", "--info"])
        || invocation.program == "dotnet" && !VERBS.contains(&verb)
    {
        return;
    }
    let Some(here) = walk.directory().map(str::to_owned) else { return };
    let is_project = |name: &str| PROJECTS.iter().any(|end| name.ends_with(end));
    let named = operands
        .iter()
        .chain(&project::options(&words, &["--project"]))
        .find(|word| is_project(word) || word.ends_with(".sln") || word.ends_with(".slnx"))
        .and_then(|word| walk.target(&Text::known(*word)).path);
    let root = named.as_deref().map_or(here.as_str(), directory_of).to_owned();
    let mut seen = Evaluation::default();
    let is_said = words.iter().any(|word| {
        ["-c", "--configuration", "/p:", "-p:", "-property", "/property", "--property", "@"]
            .iter()
            .any(|it| word.starts_with(it))
    }) || walk.variable_set("Configuration").is_some();
    if matches!(verb, "build" | "test" | "run" | "watch") && !is_said {
        seen.configuration = Some("Debug");
    }
    let shared: Vec<Option<File>> = project::in_directory(walk, Some(&root), |walk| {
        SHARED.iter().map(|name| project::nearest(walk, &[name])).collect()
    });
    for file in shared.iter().flatten() {
        evaluated(walk, file, invocation.span, &mut seen, 0);
    }
    let paths = match named.filter(|path| is_project(path)) {
        Some(path) => vec![path],
        None => walk.in_project(|walk| {
            let Found::Directory(names) = walk.look(&root) else { return Vec::new() };
            let is_solution =
                names.iter().any(|name| name.ends_with(".sln") || name.ends_with(".slnx"));
            // Without either, whoever asks stands above the projects, as a build does that is started there by another one.
            let is_here = names.iter().any(|name| is_project(name));
            let deep = if is_solution || !is_here { NESTED } else { 1 };
            let found = project::below(walk, &root, deep, invocation.span, &is_project);
            found.iter().at_most(FILES, walk, invocation.span).cloned().collect()
        }),
    };
    // The program itself, and tests.
    if matches!(verb, "run" | "watch" | "test") {
        let folders: Vec<String> = paths.iter().map(|path| directory_of(path).to_owned()).collect();
        let sources = walk.in_project(|walk| {
            let mut found = Vec::new();
            for folder in &folders {
                let is_meant =
                    |name: &str| name.ends_with(".cs") && (verb != "test" || name.contains("Test"));
                found.extend(project::below(walk, folder, 2, invocation.span, &is_meant));
            }
            found.iter().at_most(FILES, walk, invocation.span).cloned().collect::<Vec<_>>()
        });
        for path in &sources {
            walk.look(path);
        }
        for path in &sources {
            walk.load("csharp", path, invocation.span);
        }
    }
    for path in &paths {
        walk.look(path);
    }
    for path in &paths {
        if let Some(file) = walk.look(path).file() {
            evaluated(walk, &file, invocation.span, &mut seen, 0);
        }
    }
}

/// learn.microsoft.com, "dotnet run", file-based apps: `dotnet run x.cs`, `dotnet run --file x.cs`, `dotnet x.cs`.
fn one_file<'w>(words: &'w [String], operands: &[&'w str]) -> Option<&'w str> {
    let is_source = |word: &&str| word.ends_with(".cs");
    match *operands.first()? {
        "run" | "watch" => {
            let named = project::options(words, &["--file"]).into_iter().find(is_source);
            named.or_else(|| operands.get(1).copied().filter(is_source))
        }
        first => Some(first).filter(is_source),
    }
}

fn evaluated(walk: &mut dyn Host, file: &File, span: Span, seen: &mut Evaluation, depth: usize) {
    if seen.files.contains(&file.path) {
        return;
    }
    seen.files.push(file.path.clone());
    let root = directory_of(&file.path).to_owned();
    let imports = project::in_directory(walk, Some(&root), |walk| {
        walk.in_file(file, "msbuild", span, |walk| {
            let tree = project::whole(walk, tree::markup(&file.text));
            let mut nodes: Vec<&tree::Node> = Vec::new();
            if let Some(node) = tree.root() {
                node.visit(&mut |inner| nodes.push(inner));
            }
            let mut imports: Vec<String> = Vec::new();
            // Targets run when all is evaluated: what is set later counts for them.
            let groups = nodes.iter().flat_map(|node| node.entries());
            for (_, group) in groups.filter(|(name, _)| *name == "PropertyGroup") {
                for (name, value) in group.entries().filter(|(name, _)| !name.starts_with('@')) {
                    let value = value.text().or_else(|| value.text_of("#text")).unwrap_or_default();
                    if seen.properties.len() < PROPERTIES && !value.contains("$(") {
                        seen.properties.insert(name.to_owned(), value.trim().to_owned());
                    }
                }
            }
            let known = &seen.properties;
            let off: Vec<Span> = nodes
                .iter()
                .flat_map(|node| node.entries())
                .filter(|(name, node)| {
                    *name == "Target" && is_false(node, known, seen.configuration)
                })
                .map(|(_, node)| node.span)
                .collect();
            for (name, task) in nodes.iter().flat_map(|node| node.entries()) {
                if name == "Import" {
                    let project = task.text_of("@Project");
                    imports.extend(project.map(|it| filled(walk, it, (&root, known))));
                }
                // Projects that one refers to are built before it.
                if name == "ProjectReference" {
                    let project = task.text_of("@Include");
                    imports.extend(project.map(|it| filled(walk, it, (&root, known))));
                }
                let is_off =
                    off.iter().any(|it| it.start <= task.span.start && task.span.end <= it.end);
                if !is_off && !is_false(task, known, seen.configuration) {
                    walk.at_most(Certainty::Likely, |walk| run(walk, name, task, (&root, known)));
                }
            }
            imports
        })
    });
    for name in imports.unwrap_or_default() {
        let path = crate::paths::normal(&project::joined(&root, &name.replace('\\', "/")));
        if depth < NESTED
            && let Some(inner) = walk.look(&path).file()
        {
            evaluated(walk, &inner, span, seen, depth + 1);
        }
    }
}

/// Whether a condition does not hold (learn.microsoft.com, "MSBuild conditions"): one of its parts compares the configuration of this build with another
/// one. What else it says is not known.
fn is_false(node: &tree::Node, known: &Properties, configuration: Option<&str>) -> bool {
    let Some(condition) = node.text_of("@Condition") else { return false };
    let Some(configuration) = configuration.filter(|_| !known.contains_key("Configuration")) else {
        return false;
    };
    let lower = condition.to_ascii_lowercase();
    if lower.contains(" or ")
        || lower.contains('!')
        || condition.contains('(') && lower.contains(") and") && lower.starts_with('(')
    {
        return false;
    }
    let plain = |side: &str| side.trim().trim_matches(['\'', '"']).to_owned();
    lower.split(" and ").any(|part| {
        let Some((left, right)) = part.split_once("==") else { return false };
        let (left, right) = (plain(left), plain(right));
        let (("$(configuration)", other) | (other, "$(configuration)")) =
            (left.as_str(), right.as_str())
        else {
            return false;
        };
        !other.contains('$') && !other.is_empty() && !other.eq_ignore_ascii_case(configuration)
    })
}

/// Says what a task of a target does.
fn run(walk: &mut dyn Host, name: &str, task: &tree::Node, known: (&str, &Properties)) {
    let given = |walk: &dyn Host, key: &str| task.text_of(key).map(|it| filled(walk, it, known));
    match name {
        "Exec" => {
            let Some(command) = given(walk, "@Command") else { return };
            let directory = given(walk, "@WorkingDirectory");
            project::in_directory(walk, directory.as_deref(), |walk| {
                walk.shell(&Text::known(command), task.span, &[], None)
            });
        }
        "PreBuildEvent" | "PostBuildEvent" => {
            if let Some(command) = task.text() {
                let command = filled(walk, command, known);
                walk.shell(&Text::known(command), task.span, &[], None);
            }
        }
        "Code" => {
            let code = task.text().or_else(|| task.text_of("#text")).unwrap_or_default();
            if !code.is_empty() {
                walk.code("csharp", &Text::known(code), task.span, &[]);
            }
        }
        "RemoveDir" | "Delete" => {
            let key = if name == "Delete" { "@Files" } else { "@Directories" };
            for place in given(walk, key).iter().flat_map(|places| places.split(';')) {
                // What a list of items holds is made by the build itself.
                if !place.contains("@(") && !place.is_empty() {
                    walk.run(&project::arguments(&["rm", "-rf", place], task.span), None);
                }
            }
        }
        "WriteLinesToFile" => {
            if let Some(file) = given(walk, "@File") {
                walk.run(&project::arguments(&["tee", "-a", file.as_str()], task.span), None);
            }
        }
        _ => {}
    }
}

/// `$(NAME)`: where the file stands, the home directory, and else a word that stands for what nobody knows.
fn filled(walk: &dyn Host, text: &str, (root, properties): (&str, &Properties)) -> String {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("$(") {
        filled.push_str(before);
        let mut depth = 1_usize;
        let end = after.char_indices().find_map(|(at, letter)| {
            depth += usize::from(letter == '(');
            depth -= usize::from(letter == ')');
            (depth == 0).then_some(at)
        });
        let name = after.get(..end.unwrap_or(after.len())).unwrap_or_default();
        match name {
            "HOME" | "USERPROFILE" => filled.push_str(walk.facts().home.as_deref().unwrap_or("~")),
            "MSBuildThisFileDirectory"
            | "MSBuildProjectDirectory"
            | "ProjectDir"
            | "SolutionDir" => {
                filled.push_str(root);
                filled.push('/');
            }
            name => filled.push_str(properties.get(name).map_or("value", String::as_str)),
        }
        rest = after.get(end.map_or(after.len(), |end| end + 1)..).unwrap_or_default();
    }
    filled.push_str(rest);
    filled
}

//! Dockerfiles: what a build runs in containers, what of this machine it sees there, and where it takes packages from (docs.docker.com,
//! "Dockerfile reference", "docker build"). Owns instructions, stages and which places in the container show which of this machine. What is
//! changed in the container alone is no harm: the rules leave it out.

use portcullis_syntax::Span;

use super::{Starter, project, tree};
use crate::{
    programs::{
        found::{File, Found, directory_of},
        host::Host,
        invocation::Invocation,
    },
    text::Text,
};

mod instructions;

pub(super) use instructions::shell_words;
use instructions::{Instruction, instructions, list, variables};

pub(super) static BUILD: Starter =
    Starter { programs: &["buildah", "docker", "docker-buildx", "nerdctl", "podman"], start };

/// Where `bake` looks; each of them is taken.
const BAKE: &[&str] = &[
    "compose.yaml",
    "compose.yml",
    "docker-compose.yml",
    "docker-compose.yaml",
    "docker-bake.json",
    "docker-bake.hcl",
    "docker-bake.override.json",
    "docker-bake.override.hcl",
];

/// Options of `build` that take a value.
const VALUES: &[&str] = &[
    "--add-host",
    "--allow",
    "--annotation",
    "--attest",
    "--build-arg",
    "--build-context",
    "--builder",
    "--cache-from",
    "--cache-to",
    "--cgroup-parent",
    "--cpu-period",
    "--cpu-quota",
    "--cpu-shares",
    "--file",
    "--iidfile",
    "--label",
    "--load",
    "--memory",
    "--metadata-file",
    "--network",
    "--no-cache-filter",
    "--output",
    "--platform",
    "--progress",
    "--secret",
    "--security-opt",
    "--shm-size",
    "--ssh",
    "--tag",
    "--target",
    "--ulimit",
    "--volume",
    "-c",
    "-f",
    "-m",
    "-o",
    "-t",
    "-v",
];

/// What is built, and what the build gets.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(super) struct Build {
    /// The directory whose files may be copied.
    pub(super) context: String,
    /// The file, where it is named.
    pub(super) file: Option<String>,
    /// Values for its arguments.
    pub(super) arguments: Vec<(String, String)>,
    /// Secrets: their names and the files that they are.
    pub(super) secrets: Vec<(String, String)>,
    /// The last stage that is built.
    pub(super) stage: Option<String>,
}

fn asked(program: &str, words: &[String]) -> Option<Build> {
    let mut rest = words;
    let first = rest.first()?.as_str();
    if matches!(first, "buildx" | "image" | "builder") {
        rest = rest.get(1..)?;
    }
    let verbs: &[&str] = match (program, first) {
        ("buildah", _) => &["build", "bud", "build-using-dockerfile"],
        (_, "buildx") => &["build", "b"],
        _ => &["build"],
    };
    if !verbs.contains(&rest.first()?.as_str()) {
        return None;
    }
    let rest = rest.get(1..)?;
    if project::has(rest, &["--help", "--check", "--print"]) {
        return None;
    }
    let pair =
        |text: &&str| text.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned()));
    let secrets = project::options(rest, &["--secret"]).into_iter().filter_map(|secret| {
        let part = |keys: &[&str]| {
            secret
                .split(',')
                .find_map(|part| part.split_once('=').filter(|(key, _)| keys.contains(key)))
                .map(|it| it.1)
        };
        let name = part(&["id"])?;
        Some((name.to_owned(), part(&["src", "source"]).unwrap_or(name).to_owned()))
    });
    Some(Build {
        context: (*project::operands(rest, VALUES).first().unwrap_or(&".")).to_owned(),
        file: project::option(rest, &["-f", "--file"]).map(str::to_owned),
        arguments: project::options(rest, &["--build-arg"]).iter().filter_map(pair).collect(),
        secrets: secrets.collect(),
        stage: project::option(rest, &["--target"]).map(str::to_owned),
    })
}

fn start(walk: &mut dyn Host, invocation: &Invocation) {
    let words = project::words(invocation);
    if let Some(build) = asked(&invocation.program, &words) {
        built(walk, &build, invocation.span);
    }
    if let ["buildx", "bake", ..] | ["bake", ..] =
        words.iter().map(String::as_str).collect::<Vec<_>>().as_slice()
    {
        baked(walk, invocation, &words);
    }
}

/// `docker buildx bake`: the targets of its files (docs.docker.com, "Bake file reference").
fn baked(walk: &mut dyn Host, invocation: &Invocation, words: &[String]) {
    if project::has(words, &["--print", "--help", "--check", "--list"]) {
        return;
    }
    let Some(here) = walk.directory().map(str::to_owned) else { return };
    let named: Vec<String> = project::options(words, &["-f", "--file"])
        .into_iter()
        .filter_map(|name| walk.target(&Text::known(name)).path)
        .collect();
    let files: Vec<File> = if named.is_empty() {
        project::all_in(walk, &here, BAKE)
    } else {
        named.iter().for_each(|path| drop(walk.look(path)));
        named.iter().filter_map(|path| walk.look(path).file()).collect()
    };
    let operands = project::operands(words, &["-f", "--file", "--set"]);
    for file in files {
        walk.in_file(&file, "bake", invocation.span, |walk| {
            let tree = match file.path.rsplit('.').next() {
                Some("json") => tree::json(&file.text),
                Some("yaml" | "yml") => tree::yaml(&file.text),
                _ => tree::blocks(&file.text),
            };
            let tree = project::whole(walk, tree);
            let targets =
                tree.root().and_then(|root| root.get("target").or_else(|| root.get("services")));
            for (name, target) in targets.iter().flat_map(|it| it.entries()) {
                let is_asked = operands.contains(&name)
                    || !targets
                        .is_some_and(|it| it.entries().any(|(name, _)| operands.contains(&name)));
                if !is_asked {
                    continue;
                }
                let target = target.get("build").unwrap_or(target);
                let mut build = of_node(target, &file.path, ["context", "dockerfile"]);
                published(walk, target);
                // Other places of this machine that the build is shown ("target.contexts").
                for (_, place) in target.get("contexts").iter().flat_map(|it| it.entries()) {
                    let Some(text) =
                        place.text().filter(|it| !it.contains("://") && !it.contains(':'))
                    else {
                        continue;
                    };
                    let home = walk.facts().home.clone().unwrap_or_else(|| "~".to_owned());
                    let text = text.replace("${HOME}", &home);
                    let text = match text.strip_prefix("~/") {
                        Some(rest) => format!("{home}/{rest}"),
                        None => text,
                    };
                    let path = project::joined(directory_of(&file.path), &text);
                    let words = ["docker", "run", "-v", &format!("{path}:/context"), "image"];
                    walk.run(&project::arguments(&words, place.span), None);
                }
                for (name, value) in target.get("args").iter().flat_map(|it| it.entries()) {
                    build
                        .arguments
                        .extend(value.text().map(|value| (name.to_owned(), value.to_owned())));
                }
                match target.get("dockerfile-inline") {
                    Some(inline) => {
                        let text = inline.text().unwrap_or_default();
                        let context = build.context.clone();
                        let inner = File { text: std::sync::Arc::from(text), ..file.clone() };
                        walk.in_container(|walk| follow(walk, &inner, &build, &context));
                    }
                    None => built(walk, &build, target.span),
                }
            }
        });
    }
}

/// `output = ["type=registry"]`, `["type=image,push=true"]`: the image is pushed under its tags ("target.output").
fn published(walk: &mut dyn Host, target: &tree::Node) {
    let outputs = target.get("output").map(tree::Node::each).unwrap_or_default();
    let pushes = outputs.iter().any(|output| {
        let is_pushed = |text: &str| text.contains("type=registry") || text.contains("push=true");
        output.text().is_some_and(is_pushed)
            || output.text_of("type") == Some("registry")
            || output.get("push").is_some_and(tree::Node::is_true)
    });
    let tags = target.get("tags").map(tree::Node::each).unwrap_or_default();
    for tag in tags.iter().filter(|_| pushes) {
        let words = ["docker", "push", tag.text().unwrap_or_default()];
        walk.run(&project::arguments(&words, tag.span), None);
    }
}

/// Reads what a build would run. `span` is what starts it.
pub(super) fn built(walk: &mut dyn Host, build: &Build, span: Span) {
    if build.context == "-" || build.context.contains("://") || build.context.starts_with("git@") {
        return;
    }
    let Some(context) = walk.target(&Text::known(build.context.as_str())).path else { return };
    let file = match &build.file {
        Some(name) => {
            let beside = project::joined(&context, name);
            let named = walk.target(&Text::known(name.as_str())).path;
            let named = named.and_then(|path| walk.look(&path).file());
            // Compose names it from the context, the others from where they are started.
            let beside = walk.look(&beside).file();
            named.or(beside)
        }
        None => project::first_in(walk, &context, &["Dockerfile", "Containerfile", "dockerfile"]),
    };
    let Some(file) = file else { return };
    walk.look(&context);
    walk.in_file(&file, "dockerfile", span, |walk| {
        walk.in_container(|walk| follow(walk, &file, build, &context))
    });
}

/// A stage of the build: what its shell is.
#[derive(Debug, Default)]
struct Stage {
    shell: Vec<String>,
}

fn follow(walk: &mut dyn Host, file: &File, build: &Build, context: &str) {
    let instructions = instructions(&file.text);
    let mut stage = Stage::default();
    let mut is_last = false;
    for instruction in &instructions {
        let span = instruction.span;
        match instruction.name.as_str() {
            "FROM" => {
                if is_last {
                    break;
                }
                let words: Vec<&str> = instruction.text.split_whitespace().collect();
                let name = words.iter().position(|word| word.eq_ignore_ascii_case("as"));
                let name = name.and_then(|at| words.get(at + 1)).copied();
                is_last = build.stage.is_some() && name == build.stage.as_deref();
                stage = Stage::default();
                walk.go_to(Some("/".to_owned()));
            }
            "ARG" => {
                for word in shell_words(&instruction.text) {
                    let (name, value) = word.split_once('=').unwrap_or((&word, ""));
                    let given = build.arguments.iter().find(|(given, _)| given == name);
                    let value = given.map_or(value, |(_, value)| value);
                    if !value.is_empty() {
                        walk.environment_of(name, &Text::known(value), span);
                    }
                }
            }
            "ENV" => {
                for (name, value) in variables(&instruction.text) {
                    let value = filled(walk, &value);
                    walk.environment_of(&name, &Text::known(value), span);
                }
            }
            "WORKDIR" => {
                let directory = filled(walk, instruction.text.trim().trim_matches('"'));
                let inner = walk.target(&Text::known(directory)).path;
                walk.go_to(inner);
            }
            "SHELL" => stage.shell = list(&instruction.text).unwrap_or_default(),
            "COPY" | "ADD" => taken(walk, instruction, context),
            "RUN" => run(walk, instruction, build, context, &stage),
            _ => {}
        }
    }
}

fn run(
    walk: &mut dyn Host,
    instruction: &Instruction,
    build: &Build,
    context: &str,
    stage: &Stage,
) {
    let span = instruction.span;
    for (_, mount) in instruction.flags.iter().filter(|(name, _)| name == "mount") {
        let part = |keys: &[&str]| {
            mount
                .split(',')
                .find_map(|part| part.split_once('=').filter(|(key, _)| keys.contains(key)))
                .map(|it| it.1)
        };
        let target = part(&["target", "dst", "destination"]);
        match part(&["type"]).unwrap_or("bind") {
            "bind" if part(&["from"]).is_none() => {
                let source = project::joined(context, part(&["source", "src"]).unwrap_or("."));
                if let Some(target) = target {
                    walk.shows(target, &source);
                }
            }
            "secret" => {
                let Some(name) = part(&["id"]) else { continue };
                let Some((_, source)) = build.secrets.iter().find(|(known, _)| known == name)
                else {
                    continue;
                };
                let Some(source) = on_this_machine(walk, source) else { continue };
                let inside = target.map_or_else(|| format!("/run/secrets/{name}"), str::to_owned);
                walk.shows(&inside, &source);
            }
            _ => {}
        }
    }
    if let Some(words) = list(&instruction.text) {
        walk.run(&project::arguments(&words, span), None);
        return;
    }
    let code = script(instruction);
    match stage.shell.split_first() {
        Some((program, options)) if !is_usual(program) => {
            let mut words = vec![program.clone()];
            words.extend(options.iter().cloned());
            words.push(code);
            walk.run(&project::arguments(&words, span), None);
        }
        _ => {
            walk.shell(&Text::known(code), span, &[], None);
        }
    }
}

fn is_usual(program: &str) -> bool {
    matches!(program.rsplit('/').next(), Some("sh" | "bash" | "ash" | "dash" | "zsh"))
}

/// The script of a `RUN`: its text, with the documents that belong to it, or the document alone.
fn script(instruction: &Instruction) -> String {
    let Some(document) = instruction.documents.first() else { return instruction.text.clone() };
    if instruction.text.trim_start().starts_with("<<") {
        return document.clone();
    }
    let mut code = instruction.text.clone();
    for document in &instruction.documents {
        let word = code.rsplit_once("<<").map_or("", |(_, word)| word);
        let word = word
            .trim_start_matches('-')
            .split_whitespace()
            .next()
            .unwrap_or("EOF")
            .trim_matches(['"', '\''])
            .to_owned();
        code = format!("{code}\n{document}{word}\n");
    }
    code
}

/// `COPY` and `ADD`: a place in the container shows one of the context from then on; an address is fetched.
fn taken(walk: &mut dyn Host, instruction: &Instruction, context: &str) {
    let span = instruction.span;
    if instruction.flags.iter().any(|(name, _)| name == "from") {
        return;
    }
    let words = list(&instruction.text).unwrap_or_else(|| shell_words(&instruction.text));
    let Some((to, sources)) = words.split_last() else { return };
    let to = filled(walk, to);
    if !instruction.documents.is_empty() {
        for document in &instruction.documents {
            let words = project::arguments(&["tee", to.as_str()], span);
            walk.run(&words, Some(Text::known(document.as_str())));
        }
        return;
    }
    for source in sources {
        let source = filled(walk, source);
        if source.starts_with("http://") || source.starts_with("https://") {
            let name = source.rsplit('/').next().unwrap_or_default();
            let to = if to.ends_with('/') { format!("{to}{name}") } else { to.clone() };
            let words =
                project::arguments(&["curl", "-fsSL", "-o", to.as_str(), source.as_str()], span);
            walk.run(&words, None);
            continue;
        }
        if source.contains("://") || source.starts_with("git@") {
            continue;
        }
        let outside = project::joined(context, source.trim_start_matches('/'));
        let outside = crate::paths::normal(&outside);
        let mut file = project::arguments(&[outside.as_str()], span);
        if let Some(file) = file.pop() {
            walk.mount(&file);
        }
        let name = outside.rsplit('/').next().unwrap_or_default();
        let is_directory = source.ends_with('/')
            || matches!(source.as_str(), "." | "..")
            || matches!(walk.look(&outside), Found::Directory(_));
        let inside = match is_directory || !to.ends_with('/') && sources.len() == 1 {
            true => to.clone(),
            false => format!("{}/{name}", to.trim_end_matches('/')),
        };
        walk.shows(&inside, &outside);
        if !is_directory {
            // `COPY a.sh /usr/bin` puts it into a directory that is there.
            walk.shows(&format!("{}/{name}", to.trim_end_matches('/')), &outside);
        }
    }
}

/// A file of this machine that an option names, in the directory that the build is started in.
fn on_this_machine(walk: &dyn Host, name: &str) -> Option<String> {
    if name.starts_with('/') {
        return Some(name.to_owned());
    }
    let home = walk.facts().home.clone()?;
    if let Some(rest) = name.strip_prefix("~/") {
        return Some(format!("{home}/{rest}"));
    }
    let cwd = walk.facts().cwd.clone()?;
    Some(project::joined(&cwd, name))
}

/// `$NAME` and `${NAME}` as the file sets them so far.
fn filled(walk: &dyn Host, text: &str) -> String {
    if !text.contains('$') {
        return text.to_owned();
    }
    let mut filled = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        let (before, after) = rest.split_at_checked(at).unwrap_or((rest, ""));
        filled.push_str(before);
        let after = after.get(1..).unwrap_or_default();
        let is_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        let (name, next) = match after.strip_prefix('{') {
            Some(inner) => inner.split_once('}').unwrap_or((inner, "")),
            None => after
                .split_at_checked(after.find(|letter| !is_name(letter)).unwrap_or(after.len()))
                .unwrap_or((after, "")),
        };
        let (name, otherwise) =
            name.split_once(":-").or_else(|| name.split_once('-')).unwrap_or((name, ""));
        let value = walk.variable_set(name);
        filled.push_str(value.as_ref().and_then(Text::as_known).unwrap_or(otherwise));
        rest = next;
    }
    filled.push_str(rest);
    filled
}

/// Where a build of compose, a container for development and the like stands: the context from the directory of the file that names it.
pub(super) fn of_node(node: &tree::Node, file: &str, keys: [&str; 2]) -> Build {
    let here = directory_of(file);
    let context = node.text().or_else(|| node.text_of(keys[0])).unwrap_or(".");
    Build {
        context: project::joined(here, context),
        file: node.text_of(keys[1]).map(str::to_owned),
        stage: node.text_of("target").map(str::to_owned),
        ..Build::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_are_put_together() {
        let text = "# syntax=docker/dockerfile:1\nFROM a AS b\nRUN --mount=type=cache,target=/x a \\\n  # why\n  && b\n\nrun [\"c\", \"d e\"]\nRUN <<EOF\nf\ng\nEOF\nRUN python3 <<'X'\nh\nX\nONBUILD RUN z\nCOPY --chown=1 <<E /f\nbody\nE\n";
        let shown: Vec<String> = instructions(text)
            .iter()
            .map(|it| format!("{}|{}|{}", it.name, script(it), it.flags.len()))
            .collect();
        assert_eq!(
            shown,
            [
                "FROM|a AS b|0",
                "RUN|a   && b|1",
                "RUN|[\"c\", \"d e\"]|0",
                "RUN|f\ng\n|0",
                "RUN|python3 <<'X'\nh\nX\n|0",
                "COPY|body\n|1"
            ]
        );
    }

    #[test]
    fn a_build_is_asked_for_in_many_ways() {
        for (line, context, file) in [
            ("docker build .", Some("."), None),
            ("docker build -t x -f a/Dockerfile ..", Some(".."), Some("a/Dockerfile")),
            ("docker buildx build --push --platform linux/amd64 b", Some("b"), None),
            ("docker image build --build-arg A=b c", Some("c"), None),
            ("buildah bud -f x .", Some("."), Some("x")),
            ("docker run build", None, None),
            ("docker build --help", None, None),
        ] {
            let words: Vec<String> = line.split(' ').skip(1).map(str::to_owned).collect();
            let build = asked(line.split(' ').next().unwrap(), &words);
            assert_eq!(build.as_ref().map(|it| it.context.as_str()), context, "{line}");
            assert_eq!(build.and_then(|it| it.file).as_deref(), file, "{line}");
        }
        let words: Vec<String> =
            "build --secret id=n,src=/a/b .".split(' ').map(str::to_owned).collect();
        assert_eq!(asked("docker", &words).unwrap().secrets, [("n".to_owned(), "/a/b".to_owned())]);
    }

    #[test]
    fn variables_stand_in_both_ways() {
        assert_eq!(
            variables("A=b C=\"d e\""),
            [("A".to_owned(), "b".to_owned()), ("C".to_owned(), "d e".to_owned())]
        );
        assert_eq!(variables("A b c"), [("A".to_owned(), "b c".to_owned())]);
    }
}

//! Foreign code that is built, installed or unpacked rather than run by its name. Owns the builders and installers, and how a foreign directory is told.

use super::{
    super::{Hit, Scene, effects, flow::is_shell, packages, pattern},
    fetched::{Afar, Downloads},
};
use crate::{
    effect::{Argument, Effect, EffectKind, WriteMode},
    programs::trees,
    text::Taint,
};

pub(super) fn installed(scene: &Scene<'_>, hits: &mut Vec<Hit>) {
    let downloads = Downloads::of(scene);
    if downloads.is_empty() {
        return;
    }
    for effect in &scene.effects.list {
        let EffectKind::Run(run) = &effect.kind else { continue };
        let name = run.name.text.known_prefix();
        // On Windows a program is found in the current directory.
        let named = name.ends_with(".exe") && downloads.names.contains(name);
        let looks = run.arguments.first().and_then(|word| word.text.as_known()).is_some_and(
            |word| match run.program.as_str() {
                "rpm" => word.starts_with("-q") || word == "--query" || word == "-K",
                "code" | "code-insiders" | "codium" | "cursor" | "windsurf" => {
                    word != "--install-extension"
                }
                "dpkg" => matches!(word, "-I" | "-c" | "--info" | "--contents" | "-f" | "--field"),
                _ => false,
            },
        );
        let installs = !looks
            && INSTALLERS.binary_search(&run.program.as_str()).is_ok()
            && run.arguments.iter().any(|argument| downloads.has(&argument.text));
        if named || installs {
            hits.push(Hit { at: Some(effect.at), ..Hit::default() });
        }
    }
}

/// Programs that run what a package brings, sorted.
const INSTALLERS: &[&str] = &[
    "apk",
    "apt",
    "apt-get",
    "code",
    "code-insiders",
    "codium",
    "cursor",
    "dnf",
    "dpkg",
    "flatpak",
    "gdebi",
    "gem",
    "insmod",
    "installer",
    "msiexec",
    "npm",
    "pacman",
    "pip",
    "pip3",
    "rpm",
    "snap",
    "windsurf",
    "yum",
    "zypper",
];

/// Programs whose first operand is a script.
const SCRIPTED: &[&str] = &[
    "bash", "dash", "ksh", "node", "perl", "php", "pwsh", "python", "python3", "ruby", "sh",
    "source", "zsh",
];

pub(super) fn unpacked(scene: &Scene<'_>, hits: &mut Vec<Hit>) {
    if !Downloads::of(scene).unpacked {
        return;
    }
    for effect in &scene.effects.list {
        let EffectKind::Run(run) = &effect.kind else { continue };
        let is_there = |name: &str| {
            name.contains('/')
                && (!name.starts_with('/') || crate::programs::escapes::is_temporary(name))
        };
        // An interpreter's first operand is its script.
        let script = || {
            let is_script = SCRIPTED.contains(&run.program.as_str())
                && !pattern::options(run).has(&["-c", "-e", "-m", "-n", "-p", "--version"]);
            let first = is_script.then(|| pattern::options(run).operands().next()).flatten();
            first.is_some_and(|first| is_there(first.text.known_prefix()))
        };
        if (is_there(run.name.text.known_prefix()) || script()) && !was_there(effect, scene) {
            hits.push(Hit { at: Some(effect.at), ..Hit::default() });
        }
    }
}

/// Whether what an effect starts was looked at before the call: then no archive brought it.
fn was_there(effect: &Effect, scene: &Scene<'_>) -> bool {
    scene.effects.files.iter().any(|started| {
        started.digest.is_some()
            && started.at.layer == effect.at.layer
            && (effect.at.span.contains(started.at.span)
                || started.at.span.contains(effect.at.span))
    })
}

/// Programs that build or run what stands in the project. Sorted.
const BUILDERS: &[&str] = &[
    "bazel", "bun", "bundle", "cargo", "cmake", "composer", "deno", "dotnet", "go", "gradle",
    "gradlew", "just", "make", "mix", "mvn", "mvnw", "ninja", "node", "nox", "npm", "npx", "pip",
    "pip3", "pnpm", "poetry", "pytest", "python", "python3", "rake", "rspec", "sbt", "swift",
    "task", "tox", "uv", "yarn",
];

/// Whether an effect is a program that builds or runs what stands in the project.
fn builds(effect: &Effect) -> bool {
    effects::run(effect).is_some_and(|run| {
        run.name.text.known_prefix().starts_with("./")
            || BUILDERS.binary_search(&run.program.as_str()).is_ok()
    })
}

/// What is built in a directory that this call fetched from a host which is no keeper of many people's projects, which the
/// repository's remotes do not name, and which lies in no private network.
pub(super) fn built(scene: &Scene<'_>, hits: &mut Vec<Hit>) {
    let list = &scene.effects.list;
    let scripted = |effect: &Effect| {
        effects::run(effect).is_some_and(|run| SCRIPTED.contains(&run.program.as_str()))
    };
    if !list.iter().any(|effect| builds(effect) || scripted(effect)) {
        return;
    }
    // What an earlier call of the session cloned is as foreign as before.
    let mut directories: Vec<String> = scene
        .facts
        .session
        .cloned()
        .filter_map(|clone| {
            let (address, directory) = clone.split_once(' ').unwrap_or((clone, clone));
            foreign_directory(address, directory, scene)
        })
        .collect();
    let mut unpacked = false;
    for effect in list {
        if let Some(directory) = foreign_clone(effect, scene) {
            directories.push(directory);
        }
        unpacked |= matches!(&effect.kind, EffectKind::Connect(connection)
            if connection.sends.is_none() && fetches_archive(connection, scene));
        if directories.is_empty() && !unpacked {
            continue;
        }
        let Some(run) = effects::run(effect) else { continue };
        let names = |word: &str| {
            word.split(['/', '=']).any(|part| directories.iter().any(|name| name == part))
        };
        // Code among the words is judged by what it runs itself.
        let code = pattern::options(run).value(&["-c"]).filter(|_| is_shell(&run.program));
        let is_code = |word: &Argument| code.as_ref().is_some_and(|code| code.text == word.text);
        let is_named =
            run.arguments.iter().any(|word| !is_code(word) && names(word.text.known_prefix()));
        if matches!(run.program.as_str(), "cd" | "pushd") {
            let word = run.arguments.first().map_or("", |word| word.text.known_prefix());
            // What an archive is called inside, nobody knows before.
            let is_new = unpacked && !word.starts_with(['/', '~', '-', '$', '.']);
            if is_named || is_new {
                // From here on what is meant lies in it.
                let after = list.iter().skip_while(|other| !std::ptr::eq(*other, effect));
                let after = after.filter(|other| builds(other));
                hits.extend(after.map(|other| Hit { at: Some(other.at), ..Hit::default() }));
                return;
            }
        } else if is_named && (builds(effect) || SCRIPTED.contains(&run.program.as_str())) {
            hits.push(Hit { at: Some(effect.at), ..Hit::default() });
        }
    }
}

/// The directory that `git clone` makes of an address that nobody here vouches for.
fn foreign_clone(effect: &Effect, scene: &Scene<'_>) -> Option<String> {
    let run = effects::run(effect).filter(|run| run.program == "git")?;
    if !run.arguments.iter().any(|word| word.text.as_known() == Some("clone")) {
        return None;
    }
    let words = git_words(effect);
    let [clone, address, rest @ ..] = words.as_slice() else { return None };
    if clone != "clone" || !trees::is_remote(address) {
        return None;
    }
    foreign_directory(address, rest.first().map_or(address.as_str(), String::as_str), scene)
}

/// What the directory is called, where nobody here vouches for the address.
fn foreign_directory(address: &str, directory: &str, scene: &Scene<'_>) -> Option<String> {
    let host = packages::foreign_host(address)?;
    let name = directory.trim_end_matches('/').rsplit(['/', ':']).next()?;
    let name = name.strip_suffix(".git").unwrap_or(name);
    (!scene.facts.hosts.contains(&host)).then(|| name.to_owned())
}

/// Whether a whole tree comes from such a host.
fn fetches_archive(connection: &crate::effect::Connection, scene: &Scene<'_>) -> bool {
    const PACKED: &[&str] = &[".tar", ".tar.gz", ".tgz", ".tar.xz", ".tar.bz2", ".zip"];
    let address = connection.address.known_prefix();
    let path = address.split(['?', '#']).next().unwrap_or(address);
    PACKED.iter().any(|end| path.ends_with(end))
        && packages::foreign_host(address).is_some_and(|host| !scene.facts.hosts.contains(&host))
}

pub(super) fn patched(scene: &Scene<'_>, hits: &mut Vec<Hit>) {
    let list = &scene.effects.list;
    if !list.iter().any(builds) {
        return;
    }
    let afar = Afar::of(scene);
    let is_patch = |effect: &Effect| {
        matches!(&effect.kind, EffectKind::Write { target, mode: WriteMode::Edit, content }
            if target.path.is_none() && content.taint.has(Taint::NETWORK))
    };
    let Some(at) = list.iter().position(|effect| is_patch(effect) || afar.is_taken_by(effect))
    else {
        return;
    };
    let built = list.iter().skip(at).filter(|effect| builds(effect));
    hits.extend(built.map(|effect| Hit { at: Some(effect.at), ..Hit::default() }));
}

/// The words of git that are no options, where a program is git.
pub(super) fn git_words(effect: &Effect) -> Vec<String> {
    let git = effects::run(effect).filter(|run| run.program == "git");
    git.into_iter()
        .flat_map(|run| pattern::options(run).operands())
        .map(|word| word.text.display())
        .collect()
}

/// Whether an address lies with none of those who keep many people's projects.
pub(super) fn is_foreign(address: &str) -> bool {
    trees::is_remote(address) && packages::foreign_host(address).is_some()
}

pub(super) fn prepared(scene: &Scene<'_>, hits: &mut Vec<Hit>) {
    let downloads = Downloads::of(scene);
    for effect in &scene.effects.list {
        let EffectKind::Permission { target, .. } = &effect.kind else { continue };
        if let Some(path) = target.path.as_deref().filter(|path| downloads.paths.contains(path)) {
            let resource = Some(format!("file:{path}"));
            hits.push(Hit { at: Some(effect.at), resource, ..Hit::default() });
        }
    }
}

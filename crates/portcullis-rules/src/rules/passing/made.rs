//! Whether what is taken away was made by an earlier command of the same call: a cluster, a server in a container.
//! Owns what ties the two together; a name that could have meant something before proves nothing.

use super::{
    super::{Scene, chain::Chain, effects},
    is_here, reaches_elsewhere,
};
use crate::{
    effect::{Argument, Effect, EffectKind, Run},
    facts::FileFact,
    programs::Options,
    text::{Piece, Text},
};

/// Whether something in the call may make a directory lead to another repository: other names, other places, links out of it.
fn is_led_elsewhere(scene: &Scene<'_>) -> bool {
    const LEADS_ELSEWHERE: &[&str] = &[
        "--git-dir",
        "--separate-git-dir",
        "--work-tree",
        "GIT_",
        "TMP",
        "dir=",
        "prefix=",
        "tempdir",
        "alias",
        "core.worktree",
        "function ",
        "git ()",
        "git()",
        "gitdir",
        "ln ",
        "mount",
        "worktree",
    ];
    let layers = scene.effects.layers.iter();
    layers.into_iter().any(|layer| {
        LEADS_ELSEWHERE.iter().any(|word| layer.text.contains(word)) || makes_links(&layer.text)
    })
}

/// Whether a text speaks of links otherwise than by taking files away: `Path.unlink`.
fn makes_links(text: &str) -> bool {
    text.match_indices("link").any(|(at, _)| !text.get(..at).is_some_and(|it| it.ends_with("un")))
}

/// `git -C "$(mktemp -d)" branch -D x`: a repository in a directory that this call made for itself, or what a program runs within one.
pub(super) fn repository_of_its_own(run: &Run, _: &Effect, scene: &Scene<'_>) -> bool {
    let options = Options::new(&run.arguments, &["-C"]);
    let mut named = options.values_of(&["-C"]);
    let is_of_code = |path: &str| {
        let below = path.strip_prefix("/tmp/tmp.made");
        below.is_some_and(|rest| rest.is_empty() || rest.starts_with('/') && !rest.contains(".."))
    };
    let is_made = |directory: &Argument| {
        if directory.text.as_known().is_some_and(is_of_code) {
            return true;
        }
        let mut pieces = directory.text.pieces.iter();
        let begins = matches!(pieces.next(), Some(Piece::Known(known)) if known == "/tmp/tmp.");
        begins
            && matches!(pieces.next(), Some(Piece::Unknown(what)) if &**what == "mktemp")
            && pieces.next().is_none()
    };
    let is_within = match named.next() {
        Some(directory) => is_made(&directory) && named.next().is_none(),
        None => run.is_in_made,
    };
    run.program == "git" && is_within && !is_led_elsewhere(scene)
}

/// `d=$(mktemp -d) && git clone . "$d/c" && cd "$d/c" && git filter-branch …`: a copy below a directory that this call made under a name
/// that nobody else has, and nothing that makes it mean another repository.
pub(super) fn place_of_its_own(run: &Run, effect: &Effect, scene: &Scene<'_>) -> bool {
    // Where the copy or the way to it fails, nothing behind is reached.
    let Some(Chain { steps, .. }) = Chain::before(effect, scene) else { return false };
    let is_copy_of = |step: &&str| step.starts_with("git clone ") || step.starts_with("git init ");
    let Some(copied) = steps.iter().position(is_copy_of) else { return false };
    let mut behind = steps.iter().skip(copied);
    if behind.any(|step| step.contains([';', '\n', '|', '&', '(', ')', '}'])) {
        return false;
    }
    // What the call itself puts there may say that it is another.
    let is_told = |other: &Effect| match &other.kind {
        EffectKind::Write { target, .. } => {
            target.path.as_deref().is_some_and(|path| format!("{path}/").contains("/.git/"))
        }
        _ => false,
    };
    if scene.effects.list.iter().any(is_told) {
        return false;
    }
    let is_here = |word: &Argument| {
        let word = word.text.known_prefix();
        !word.starts_with(['/', '~'])
            && !["--source", "--target", "..", "git-dir"].iter().any(|it| word.contains(it))
    };
    let [verb, ..] = run.arguments.as_slice() else { return false };
    if run.program != "git"
        || !matches!(verb.text.as_known(), Some("filter-branch" | "filter-repo"))
        || !run.arguments.iter().all(is_here)
    {
        return false;
    }
    let is_moved = |layer: &crate::effect::Layer| layer.text.contains("mv ");
    let options = Options::new(&run.arguments, &["-C"]);
    run.is_in_made
        && !options.has(&["-C", "-c"])
        && !scene.effects.layers.iter().any(is_moved)
        && !is_led_elsewhere(scene)
}

/// `cd "$(mktemp -d)" … git reset --hard`: a work tree in a directory that this call made for itself.
pub(super) fn work_tree_of_its_own(_: &Run, effect: &Effect, scene: &Scene<'_>) -> bool {
    if is_led_elsewhere(scene) {
        return false;
    }
    let range = effect.at.span.range();
    let is_of_this = |other: &&Effect| {
        let at = other.at.span.range();
        other.at.layer == effect.at.layer && range.start <= at.start && at.end <= range.end
    };
    let mut places = scene
        .effects
        .list
        .iter()
        .filter(is_of_this)
        .filter_map(|other| match &other.kind {
            EffectKind::Discard { target, .. } | EffectKind::Delete { target, .. } => Some(target),
            _ => None,
        })
        .peekable();
    // Under a name that nobody else has: the shell knows how it begins, code is given one that stands for it.
    let is_made = |path: &str| {
        path.strip_prefix("/tmp/tmp.")
            .is_some_and(|rest| rest.starts_with("**") || rest.starts_with("made"))
    };
    places.peek().is_some() && places.all(|target| target.path.as_deref().is_some_and(is_made))
}

/// `git clone . /tmp/x && cd /tmp/x && git reset --hard …`: a copy that this call has just fetched, or nothing behind would run.
pub(super) fn clone_of_its_own(run: &Run, effect: &Effect, scene: &Scene<'_>) -> bool {
    let Some(Chain { steps, .. }) = Chain::before(effect, scene) else { return false };
    let is_plain =
        |step: &&str| !step.contains([';', '\n', '|', '&', '$', '`', '(', ')', '}', '*', '~']);
    // Other names for what the steps call, and other places for where they go.
    let is_led = scene.effects.layers.iter().any(|layer| {
        ["alias", "function", "CDPATH", "GIT_", "cd()", "cd ()", "git()", "git ()"]
            .iter()
            .any(|word| layer.text.contains(word))
    });
    if is_led || !steps.iter().all(is_plain) {
        return false;
    }
    let split = |step: &str| step.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let mut steps = steps.iter().map(|step| split(step));
    let is_clone = |step: &Vec<String>| matches!(step.as_slice(), [git, clone, ..] if git == "git" && clone == "clone");
    let Some(clone) = steps.find(is_clone) else { return false };
    let directory = match clone.as_slice() {
        // What is fetched from an address is called as its last part.
        [.., address] if address.contains("://") => {
            let name = address.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
            name.trim_end_matches(".git").to_owned()
        }
        [_, _, _, .., last] => last.clone(),
        _ => return false,
    };
    // Settings that the copy is given may lead it elsewhere.
    let is_set = |word: &String| {
        word.starts_with("-c")
            || ["--config", "--separate", "--template"].iter().any(|it| word.starts_with(it))
    };
    if !is_own_name(&directory) || clone.iter().any(is_set) {
        return false;
    }
    let directory = &directory;
    let goes = |step: &[String]| matches!(step, [cd, to] if cd == "cd" && to == directory);
    let mut is_there = false;
    for step in steps {
        match step.first().map(String::as_str) {
            Some("cd" | "pushd" | "popd") => is_there = goes(&step),
            // Whatever else runs in between might take the copy away from where it stands.
            Some("git")
                if !step.iter().any(|part| LEADS_AWAY.iter().any(|word| part.contains(word))) => {}
            _ => return false,
        }
    }
    let words = words(run).unwrap_or_default();
    let named = words.iter().position(|word| *word == "-C").and_then(|at| words.get(at + 1));
    let leads = words.iter().any(|word| {
        ["--config", "--git-dir", "--work-tree", "-c"].iter().any(|it| word.starts_with(it))
            || word.contains("worktree")
    });
    run.program.starts_with("git")
        && !leads
        && named.map_or(is_there, |named| named == directory && named.starts_with('/'))
}

/// Words by which a step makes a name mean something else.
const LEADS_AWAY: &[&str] = &["alias", "config", "gitdir", "submodule", "worktree", "-c"];

/// Whether the last word of a clone is the directory that it makes.
fn is_own_name(word: &str) -> bool {
    !word.is_empty() && !word.starts_with(['-', '.']) && !word.contains("..") && !word.contains(':')
}

/// Whether everything that a command is given by name was written, whole, by this very call.
pub(super) fn wrote_all(run: &Run, effect: &Effect, scene: &Scene<'_>) -> bool {
    let mut files = scene
        .effects
        .list
        .iter()
        .filter(|other| other.at == effect.at)
        .filter_map(|other| match &other.kind {
            EffectKind::Delete { target, .. } => Some(target),
            _ => None,
        })
        .peekable();
    run.name.text.as_known().is_some()
        && files.peek().is_some()
        && files.all(|target| {
            target.path.as_deref().is_some_and(|path| scene.has_written(path, effect))
        })
}

/// `createdb test_$$ && dropdb test_$$`: a database that was not there before, or its maker would have failed.
pub(super) fn database(run: &Run, effect: &Effect, scene: &Scene<'_>) -> bool {
    let named = |run: &Run| {
        let mut operands = run
            .arguments
            .iter()
            .map(|word| &word.text)
            .filter(|text| !text.known_prefix().starts_with('-') || text.has_unknown());
        let name = operands.next().cloned();
        name.filter(|_| operands.next().is_none())
    };
    let is_fresh = |name: &Text| {
        name.pieces.iter().any(|piece| {
            matches!(piece, Piece::Unknown(what) if matches!(&**what, "$" | "$$" | "RANDOM" | "mktemp" | "EPOCHSECONDS"))
        })
    };
    run.program == "dropdb"
        && named(run).filter(is_fresh).is_some_and(|name| {
            before(effect, scene).any(|other| {
                other.program == "createdb"
                    && named(other).is_some_and(|made| made.pieces == name.pieces)
            })
        })
}

/// The port that a server of Redis has by itself: another one may listen there.
const REDIS: &str = "6379";

pub(super) fn before<'a>(
    effect: &'a Effect,
    scene: &'a Scene<'_>,
) -> impl Iterator<Item = &'a Run> {
    let before = scene.effects.list.iter().take_while(move |other| !std::ptr::eq(*other, effect));
    before.filter_map(effects::run)
}

/// All words of a command, where all of them are known.
fn words(run: &Run) -> Option<Vec<&str>> {
    run.arguments.iter().map(|word| word.text.as_known()).collect()
}

/// `kind create cluster --name N … kind delete cluster --name N`.
pub(super) fn cluster(run: &Run, effect: &Effect, scene: &Scene<'_>) -> bool {
    let name_of = |run: &Run, verb: &str| -> Option<String> {
        let words: Vec<&str> =
            run.arguments.iter().map(|word| word.text.as_known().unwrap_or_default()).collect();
        let begins = match run.program.as_str() {
            "kind" => words.starts_with(&[verb, "cluster"]),
            "k3d" => words.starts_with(&["cluster", verb]),
            _ => false,
        };
        let options = Options::new(&run.arguments, &["-n", "-p", "--name", "--profile"]);
        let value = options.value(&["-n", "-p", "--name", "--profile"]);
        let operand = options.operands().nth(2).filter(|_| run.program == "k3d").cloned();
        // A name that holds the number of this very shell is one name all along.
        let is_told = |piece: &Piece| !matches!(piece, Piece::Unknown(what) if !matches!(&**what, "$" | "$$"));
        let name = match value.or(operand) {
            Some(name) if name.text.pieces.iter().all(is_told) => name.text.display(),
            Some(_) => return None,
            None => String::new(),
        };
        begins.then_some(name)
    };
    let is_all = |word: &Argument| matches!(word.text.as_known(), Some("--all" | "-a" | "--purge"));
    let Some(name) = name_of(run, "delete") else { return false };
    !run.arguments.iter().any(is_all)
        && before(effect, scene).any(|other| {
            other.program == run.program && name_of(other, "create").as_ref() == Some(&name)
        })
}

/// `docker run -p 6390:6379 redis … redis-cli -p 6390 FLUSHALL`, `redis-server --port 6390 … redis-cli -p 6390 shutdown nosave`: a port that
/// nothing else has, or the server would not start.
pub(super) fn server(run: &Run, effect: &Effect, scene: &Scene<'_>) -> bool {
    let options = Options::new(&run.arguments, &["-h", "-p", "-n", "-a", "-u", "-s"]);
    let stays_inside = is_here(options, &["-h"]) && !options.has(&["-u", "-s", "--cluster"]);
    if stays_inside && in_container_of_its_own(effect, scene) {
        return true;
    }
    let port = options.value(&["-p"]);
    let Some(port) = port.as_ref().and_then(|port| port.text.as_known()) else { return false };
    let serves = |run: &Run| {
        let Some(words) = words(run) else { return false };
        let starts = matches!(run.program.as_str(), "docker" | "nerdctl" | "podman")
            && words.first() == Some(&"run")
            && !reaches_elsewhere(run);
        let publishes = Options::new(&run.arguments, &["-p", "--publish"])
            .values_of(&["-p", "--publish"])
            .any(|value| {
                let known = value.text.as_known().unwrap_or("");
                let mut parts = known.rsplit(':');
                let is_inside = parts.next().is_some_and(|inside| inside.starts_with(REDIS));
                is_inside
                    && parts.next() == Some(port)
                    && parts.next().is_none_or(|host| host == "127.0.0.1")
            });
        let is_bare = matches!(run.program.as_str(), "redis-server" | "valkey-server")
            && words.first().is_some_and(|word| word.starts_with("--"))
            && words.windows(2).any(|pair| matches!(pair, ["--port", value] if *value == port))
            && !words.iter().any(|word| matches!(*word, "--replicaof" | "--slaveof"))
            && words.windows(2).all(|pair| {
                pair.first() != Some(&"--dir")
                    || pair.last().is_some_and(|to| to.starts_with("/tmp"))
            });
        if is_bare {
            return true;
        }
        let is_image = |word: &&str| {
            let name = word.rsplit('/').next().unwrap_or(word).split(':').next().unwrap_or("");
            name.starts_with("redis") || name.starts_with("valkey")
        };
        starts && publishes && words.iter().any(is_image)
    };
    port != REDIS
        && is_here(options, &["-h"])
        && !options.has(&["-u", "-s", "--cluster"])
        && before(effect, scene).any(serves)
}

/// `docker run -d --name r redis … docker exec r redis-cli FLUSHALL`: inside of a container that the call started, with nothing of
/// this machine in it.
pub(super) fn in_container_of_its_own(effect: &Effect, scene: &Scene<'_>) -> bool {
    let inside = scene.programs_around(effect).find_map(|run| {
        let words = words(run)?;
        let [first, rest @ ..] = words.as_slice() else { return None };
        let is_engine = matches!(run.program.as_str(), "docker" | "nerdctl" | "podman");
        let mut operands = rest.iter().filter(|word| !word.starts_with('-'));
        let name = operands.next().filter(|_| is_engine && *first == "exec")?;
        Some(((*name).to_owned(), run))
    });
    let Some((name, inside)) = inside else { return false };
    let is_inside =
        |other: &&Effect| effects::run(other).is_some_and(|run| std::ptr::eq(run, inside));
    let Some(enters) = scene.effects.list.iter().find(is_inside) else { return false };
    // Where the container was there before, its maker fails: nothing may go on behind that.
    let Some(Chain { start, steps }) = Chain::before(enters, scene) else { return false };
    if steps.iter().any(|step| step.contains([';', '\n', '|', '&', ')', '}'])) {
        return false;
    }
    let is_joined =
        |other: &&Effect| other.at.layer == enters.at.layer && other.at.span.range().start >= start;
    let before = scene.effects.list.iter().take_while(|other| !std::ptr::eq(*other, enters));
    before.filter(is_joined).filter_map(effects::run).any(|run| {
        let Some(words) = words(run) else { return false };
        let shares = words.iter().any(|word| {
            ["-v", "--volume", "--mount", "--net", "--link"].iter().any(|it| word.starts_with(it))
        });
        let options = Options::new(&run.arguments, &["--name"]);
        matches!(run.program.as_str(), "docker" | "nerdctl" | "podman")
            && words.first() == Some(&"run")
            && !shares
            && !reaches_elsewhere(run)
            && options
                .value(&["--name"])
                .is_some_and(|given| given.text.as_known() == Some(name.as_str()))
    })
}

/// `git worktree add P … git worktree remove --force P`, where nothing was at `P` before.
pub(super) fn work_tree(run: &Run, effect: &Effect, scene: &Scene<'_>) -> bool {
    let path_of = |run: &Run, verb: &str| -> Option<Text> {
        let [worktree, given, rest @ ..] = run.arguments.as_slice() else { return None };
        let is_it = run.program == "git"
            && worktree.text.as_known() == Some("worktree")
            && given.text.as_known() == Some(verb);
        let options = Options::new(rest, &["-b", "-B", "--reason", "--orphan"]);
        let mut operands = options.operands();
        let path = operands.next().filter(|_| is_it)?.text.clone();
        (verb == "add" || operands.next().is_none()).then_some(path)
    };
    let Some(path) = path_of(run, "remove") else { return false };
    // Looked at before the call, where its maker was understood.
    let is_absent = path.as_known().is_some_and(|path| {
        path.starts_with('/') && matches!(scene.facts.contents.get(path), Some(FileFact::Absent))
    });
    (is_absent || is_made_now(&path))
        && before(effect, scene)
            .filter_map(|other| path_of(other, "add"))
            .any(|made| made.pieces == path.pieces)
}

/// Whether a path lies below what `mktemp` has just made.
fn is_made_now(path: &Text) -> bool {
    let [Piece::Known(begin), Piece::Unknown(what), rest @ ..] = path.pieces.as_slice() else {
        return false;
    };
    begin == "/tmp/tmp."
        && &**what == "mktemp"
        && rest.iter().all(|piece| matches!(piece, Piece::Known(known) if !known.contains("..")))
}

/// `mc alias set local http://localhost:9000 … mc rb local/x`: a store of this machine, as the call itself says.
pub(super) fn store_here(run: &Run, effect: &Effect, scene: &Scene<'_>) -> bool {
    let Some(given) = words(run) else { return false };
    let mut targets = given
        .iter()
        .skip(1)
        .filter(|word| !word.starts_with('-'))
        .map(|word| word.split_once('/').map_or(*word, |(alias, _)| alias))
        .peekable();
    // Each that is said of it: the last one counts.
    let is_set = |alias: &str| {
        let mut said = before(effect, scene)
            .filter(|other| other.program == run.program)
            .filter_map(|other| match words(other)?.as_slice() {
                ["alias", "set", name, url, ..] if *name == alias => {
                    Some(super::host_of(url).is_some_and(super::is_this_machine))
                }
                _ => None,
            })
            .peekable();
        said.peek().is_some() && said.all(|is_here| is_here)
    };
    matches!(given.first(), Some(&("rb" | "rm")))
        && targets.peek().is_some()
        && targets.all(is_set)
        && super::stays_but_for(run, scene, &["alias "])
}

/// Files that a program writes from others of the project and would write again: locks of package managers, snapshots of tests,
/// code that was made small.
pub(super) fn generated(run: &Run, _: &Effect, _: &Scene<'_>) -> bool {
    const LOCKS: &[&str] = &[
        "Cargo.lock",
        "Gemfile.lock",
        "Pipfile.lock",
        "Podfile.lock",
        "bun.lock",
        "bun.lockb",
        "composer.lock",
        "deno.lock",
        "flake.lock",
        "go.sum",
        "gradle.lockfile",
        "mix.lock",
        "npm-shrinkwrap.json",
        "package-lock.json",
        "packages.lock.json",
        "pdm.lock",
        "pnpm-lock.yaml",
        "poetry.lock",
        "pubspec.lock",
        "uv.lock",
        "yarn.lock",
    ];
    const ENDINGS: &[&str] = &[
        ".css.map",
        ".freezed.dart",
        ".g.dart",
        ".generated.ts",
        ".js.map",
        ".min.css",
        ".min.js",
        ".pb.go",
        ".snap",
        "_pb2.py",
    ];
    const DIRECTORIES: &[&str] = &["__generated__", "__snapshots__", "generated"];
    let Some(words) = words(run) else { return false };
    let (verb, rest) = match words.as_slice() {
        [verb @ ("checkout" | "restore"), rest @ ..] => (*verb, rest),
        _ => return false,
    };
    let files = match rest.iter().position(|word| *word == "--") {
        Some(at) => rest.get(at + 1..).unwrap_or_default(),
        None if verb == "restore" && !rest.iter().any(|word| word.starts_with('-')) => rest,
        None => return false,
    };
    let is_made = |path: &&str| {
        let name = path.trim_end_matches('/').rsplit('/').next().unwrap_or(path);
        let mut parts = path.split('/');
        !path.contains(['*', '?', '['])
            && !path.starts_with(':')
            && !path.contains("..")
            && (parts.any(|part| DIRECTORIES.contains(&part))
                || LOCKS.contains(&name)
                || ENDINGS.iter().any(|end| name.ends_with(end)))
    };
    !files.is_empty() && files.iter().all(is_made)
}

/// `certutil -decode tests\\logo.b64 build\\logo.png`: what comes out is a picture or a text, and nothing else in the call names it.
pub(super) fn decodes_data(run: &Run, _: &Effect, scene: &Scene<'_>) -> bool {
    const DATA: &[&str] = &[
        "bin", "bmp", "cer", "crt", "csv", "der", "gif", "jpeg", "jpg", "json", "pdf", "pem",
        "png", "txt", "webp", "xml",
    ];
    let Some(words) = words(run) else { return false };
    let mut operands = words.iter().filter(|word| !word.starts_with(['-', '/'])).copied();
    let (Some(from), Some(to), None) = (operands.next(), operands.next(), operands.next()) else {
        return false;
    };
    let name = |path: &str| path.rsplit(['\\', '/']).next().unwrap_or(path).to_ascii_lowercase();
    let is_near = |path: &str| {
        !path.contains([':', '%', '$', '~']) && !path.contains("..") && !path.starts_with('\\')
    };
    let is_data =
        |path: &str| name(path).rsplit_once('.').is_some_and(|(_, ending)| DATA.contains(&ending));
    let named = |text: &str| text.to_ascii_lowercase().matches(&name(to)).count();
    run.program == "certutil"
        && words
            .iter()
            .any(|word| word.trim_start_matches(['-', '/']).eq_ignore_ascii_case("decode"))
        && words.iter().all(|word| !word.to_ascii_lowercase().contains("urlcache"))
        && is_near(from)
        && is_near(to)
        && is_data(to)
        && scene.effects.layers.iter().all(|layer| named(&layer.text) < 2)
}

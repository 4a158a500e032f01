//! A table of attempts to get out, each made without a sandbox first where that is harmless, to prove that it works there, and then in
//! every tier that this machine has, as root and as an ordinary user. What counts is the effect: an attempt has failed when nothing
//! happened, whatever the attacker was told.
//!
//! The program is its own attacker: the table's functions run in it, started anew as `attack NAME` inside.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a test with a harness of its own: it panics and prints as tests do"
)]

mod attacks;
mod calls;
mod distrust;
mod promises;
mod scene;
mod verb;

use std::{
    fs,
    io::Write as _,
    os::unix::{fs::PermissionsExt as _, process::CommandExt as _},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use attacks::{ATTEMPTS, Attempt, Kept, LEFT_BEHIND, Works};
use portcullis_sandbox::{
    Elsewhere, Finished, Launch, Layer, Layered, Means, Original, Output, Profile, Refused,
    StandIn, probe, run, stage,
};
use scene::{SECRET, Scene};

/// What an attacker says that got through.
const GOT_THROUGH: &str = "got through";

/// The user that attempts are made as when the tests run as root.
const NOBODY: u32 = 65_534;

/// How long an attempt may take at most.
const PATIENCE: Duration = Duration::from_secs(15);

fn main() {
    stage();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["attack", name] => attack(name),
        ["sleeper"] => sleep_with_secret(),
        ["who"] => print!("{}", calls::user()),
        ["as-user", place, rest @ ..] => all(Path::new(place), rest),
        [LEFT_BEHIND, _, seconds] => {
            std::thread::sleep(Duration::from_secs(seconds.parse().unwrap()))
        }
        ["loopback"] => promises::loopback(),
        ["handed", workspace] => promises::handed(Path::new(workspace)),
        ["connections"] => promises::connections(),
        ["bubblewrap", place] => distrust::bubblewrap(Path::new(place)),
        rest => {
            let place =
                PathBuf::from(format!("/var/tmp/portcullis-escapes-{}", std::process::id()));
            begun(&place, rest);
        }
    }
}

/// A place that both users can come to, with a copy of this program in it.
fn begun(place: &Path, words: &[&str]) {
    // What a runner of tests says of its own.
    if words.contains(&"--list") {
        return;
    }
    fs::create_dir(place).unwrap();
    fs::set_permissions(place, fs::Permissions::from_mode(0o755)).unwrap();
    let program = place.join("program");
    fs::copy("/proc/self/exe", &program).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    verb::laid(place);
    let started = |command: &mut Command| command.args(words).stdin(Stdio::null()).spawn().unwrap();
    let mut running = vec![started(Command::new(&program).arg("as-user").arg(place.join("own")))];
    if calls::user() == 0 {
        let users = place.join("user");
        fs::create_dir(&users).unwrap();
        std::os::unix::fs::chown(&users, Some(NOBODY), Some(NOBODY)).unwrap();
        let mut as_user = Command::new(&program);
        running.push(started(as_user.arg("as-user").arg(&users).uid(NOBODY).gid(NOBODY)));
    }
    let held: Vec<bool> = running.iter_mut().map(|one| one.wait().unwrap().success()).collect();
    fs::remove_dir_all(place).unwrap();
    if held.contains(&false) {
        std::process::exit(101);
    }
}

/// Every attempt, and every promise, as this user.
fn all(place: &Path, words: &[&str]) {
    let begun = Instant::now();
    fs::create_dir_all(place).unwrap();
    let chosen = words.iter().find(|word| !word.starts_with('-')).copied();
    let is_chosen = |name: &str| chosen.is_none_or(|part| name.contains(part));
    let who = if calls::user() == 0 { "root" } else { "an ordinary user" };
    let tiers = tiers(place);
    let (mut made, mut proved, mut worked) = (0, 0, Vec::new());
    for attempt in ATTEMPTS.iter().filter(|attempt| is_chosen(attempt.name)) {
        match control(place, attempt) {
            Some(true) => proved += 1,
            Some(false) => worked.push(format!(
                "`{}` fails without a sandbox too, and so proves nothing",
                attempt.name
            )),
            None => {}
        }
        for Tier { name: tier, means, without, layered } in &tiers {
            if attempt.kept == Kept::WithNamespaces && without.contains(&Means::Bubblewrap) {
                continue;
            }
            made += 1;
            if let Err(words) = contained(place, attempt, *means, without, *layered) {
                worked.push(format!("`{}` as {who}, with {tier}: {words}", attempt.name));
            }
        }
    }
    for (name, promise) in promises::PROMISES.iter().filter(|(name, _)| is_chosen(name)) {
        for Tier { name: tier, without, .. } in tiers.iter().filter(|tier| !tier.layered) {
            if let Err(words) = promise(place, without) {
                worked.push(format!("`{name}` as {who}, with {tier}: {words}"));
            }
        }
    }
    let mut by_verb = 0;
    if let Some(program) = verb::program(place) {
        for attempt in ATTEMPTS.iter().filter(|attempt| is_chosen(attempt.name)) {
            match verb::contained(&program, place, attempt) {
                None => {}
                Some(Ok(())) => by_verb += 1,
                Some(Err(words)) => {
                    worked.push(format!("`{}` as {who}, inside `try`: {words}", attempt.name));
                }
            }
        }
        println!("as {who}, inside `try`: {by_verb} attempts failed as they must");
    }
    let tiers: Vec<&str> = tiers.iter().map(|tier| tier.name).collect();
    println!(
        "as {who}, with {}: {made} attempts at {} ways out, {proved} of which work without a sandbox; {:.1} s",
        tiers.join(" and "),
        ATTEMPTS.iter().filter(|attempt| is_chosen(attempt.name)).count(),
        begun.elapsed().as_secs_f64()
    );
    for words in &worked {
        println!("FAILED {words}");
    }
    if !worked.is_empty() {
        std::process::exit(101);
    }
}

/// A way of holding, and what is taken away so that it is used.
struct Tier {
    name: &'static str,
    means: Means,
    without: Vec<Means>,
    /// Whether what is written goes elsewhere. Then nothing at all may show outside.
    layered: bool,
}

/// The tiers that this machine has. That one is missing is said.
fn tiers(place: &Path) -> Vec<Tier> {
    let mut tiers = Vec::new();
    let mut without = Vec::new();
    for (name, means) in [
        ("namespaces", Means::Namespaces),
        ("bubblewrap", Means::Bubblewrap),
        ("Landlock and seccomp alone", Means::Landlock),
    ] {
        let mut launch = Launch::new("", place, Profile::workspace_write(place));
        launch.without.clone_from(&without);
        let report = probe(&launch).unwrap();
        match report.unavailable.iter().find(|one| one.means == means) {
            Some(one) => {
                println!("skipped: {name}, because here {means} cannot be had: {}", one.reason);
                one.remedy.iter().for_each(|remedy| println!("help: {remedy}"));
            }
            None => {
                let tier = |name, layered| Tier { name, means, without: without.clone(), layered };
                tiers.push(tier(name, false));
                if means == Means::Namespaces {
                    tiers.push(tier("namespaces whose changes go elsewhere", true));
                }
            }
        }
        without.push(means);
    }
    assert!(!tiers.is_empty(), "nothing can be held on this machine, and so nothing was tested");
    tiers
}

/// Whether the attempt works without a sandbox; none where that is not tried.
fn control(place: &Path, attempt: &Attempt) -> Option<bool> {
    let is_root = calls::user() == 0;
    match attempt.works {
        Works::Untried => return None,
        Works::ForRoot if !is_root => return None,
        Works::ForUsers if is_root => return None,
        _ => {}
    }
    let (mut scene, mut launch) = prepared(place, attempt);
    (attempt.launch)(&mut scene, &mut launch);
    let mut command = Command::new(&launch.program);
    command
        .args(&launch.arguments)
        .env_clear()
        .envs(launch.environment.clone())
        .env("TOKEN", SECRET);
    command.current_dir(scene.ws("")).stdin(Stdio::null()).stderr(Stdio::null());
    let output = command.output().unwrap();
    let worked = String::from_utf8_lossy(&output.stdout).contains(GOT_THROUGH)
        || (attempt.shows)(&mut scene);
    forget_left_behind(&scene);
    Some(worked)
}

/// Whether nothing happened.
fn contained(
    place: &Path,
    attempt: &Attempt,
    means: Means,
    without: &[Means],
    layered: bool,
) -> Result<(), String> {
    let (mut scene, mut launch) = prepared(place, attempt);
    launch.without = without.to_vec();
    launch.limits.wall = Some(PATIENCE);
    (attempt.launch)(&mut scene, &mut launch);
    // What is protected may be written there: it is not the file itself.
    let is_free = layered && attempt.layer == Layer::Protected;
    if layered {
        elsewhere(place, &mut launch);
    }
    let begun = Instant::now();
    let finished: Result<Finished, Refused> = run(&launch);
    let finished = finished.map_err(|refused| format!("it was not run: {refused}"))?;
    let said = String::from_utf8_lossy(&finished.stdout).into_owned();
    let complaint = String::from_utf8_lossy(&finished.stderr).into_owned();
    let result = if said.contains(GOT_THROUGH) && !is_free {
        Err("the attacker got through".to_owned())
    } else if (attempt.shows)(&mut scene) {
        Err("it shows outside".to_owned())
    } else if !finished.report.layers.iter().any(|state| state.by.contains(&means)) {
        Err("the report says that it was another tier".to_owned())
    } else if !finished.report.holds(attempt.layer) && !is_free {
        Err(format!("the report says that `{}` does not hold", attempt.layer))
    } else if attempt.name != "outlive the time" && begun.elapsed() >= PATIENCE {
        Err("it hung".to_owned())
    } else if !said.contains("begun") {
        // An attacker that never came to attack proves nothing.
        Err(format!("it was not made: {:?} {complaint}", finished.status))
    } else {
        Ok(())
    };
    forget_left_behind(&scene);
    result
}

/// Has everything that is written go to layers, and everything that is done be watched.
fn elsewhere(place: &Path, launch: &mut Launch) {
    let profile = &mut launch.profile;
    profile.protected.clear();
    profile.originals.clear();
    profile.stand_ins.clear();
    launch.require = launch.require.without(Layer::Protected);
    let layers = place.join("layers");
    let _ = fs::remove_dir_all(&layers);
    for (at, root) in profile.write.iter().enumerate() {
        let [upper, work] = ["upper", "work"].map(|name| layers.join(format!("{name}-{at}")));
        for folder in [&upper, &work] {
            fs::create_dir_all(folder).unwrap();
        }
        let elsewhere = Elsewhere::Overlay { upper, work };
        profile.layered.push(Layered { root: root.clone(), elsewhere });
    }
    launch.watched = true;
}

fn prepared(place: &Path, attempt: &Attempt) -> (Scene, Launch) {
    let program = std::env::current_exe().unwrap();
    let scene = Scene::made(place.join("scene"), &program);
    if calls::user() == 0 {
        fs::copy(&program, scene.out("setuid")).unwrap();
        fs::set_permissions(scene.out("setuid"), fs::Permissions::from_mode(0o4755)).unwrap();
    }
    let mut launch = Launch::new(&program, scene.ws(""), profile(&scene));
    launch.arguments = vec!["attack".into(), attempt.name.into()];
    launch.environment =
        scene.variables().into_iter().map(|(name, value)| (name.into(), value.into())).collect();
    launch.output = Output::Capture { cap: 1 << 16 };
    (scene, launch)
}

/// The workspace may be written; its settings are protected, some of which are not there yet, and a secret is denied.
fn profile(scene: &Scene) -> Profile {
    // By a link to it, as people have them.
    let workspace = scene.root.join("linked-workspace");
    let mut profile = Profile::workspace_write(&workspace);
    let protected = [
        ".git/hooks",
        ".git/config",
        ".git/info/attributes",
        ".git/commondir",
        "module/.git",
        ".agent/settings.json",
        ".tools.json",
        ".linked",
    ];
    profile.protected = protected.iter().map(|path| workspace.join(path)).collect();
    let path = workspace.join(".git/commondir");
    profile.stand_ins = vec![StandIn { path, text: ".\n".to_owned() }];
    let original = |path: &str, is_program| Original { path: scene.out(path), is_program };
    profile.originals = vec![original("own", false), original("program", true)];
    profile.denied = vec![scene.root.join("secret")];
    profile
}

fn forget_left_behind(scene: &Scene) {
    let mark = format!("{LEFT_BEHIND}\0{}", scene.root.display());
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        if line.windows(mark.len()).any(|part| part == mark.as_bytes())
            && let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse().ok())
        {
            let _ = calls::kill(pid, libc::SIGKILL);
        }
    }
}

/// The attacker. It says that it began, and whether it got through.
fn attack(name: &str) {
    println!("begun");
    let _ = std::io::stdout().flush();
    let attempt = ATTEMPTS.iter().find(|attempt| attempt.name == name).unwrap();
    match (attempt.attack)(&Scene::told()) {
        Ok(()) => println!("{GOT_THROUGH}"),
        Err(error) => eprintln!("{error}"),
    }
}

/// A process outside with a secret in its environment.
fn sleep_with_secret() {
    println!("ready");
    let _ = std::io::stdout().flush();
    calls::die_with_parent();
    std::thread::sleep(Duration::from_secs(120));
}

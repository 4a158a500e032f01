//! The same attempts made through the program's verb `try`, where it was built beside these tests. Owns how one is launched there: the verb
//! chooses profile and limits itself, so that what an attempt says of those is left out.

use std::{
    fs,
    os::unix::{fs::PermissionsExt as _, fs::symlink},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use portcullis_sandbox::Layer;

use crate::{GOT_THROUGH, attacks::Attempt, forget_left_behind, prepared};

/// Its name beside the tests' own program.
const NAME: &str = "portcullis";

/// Puts the program where every user comes to it, where it was built.
pub(crate) fn laid(place: &Path) {
    let built = std::env::current_exe().ok();
    let built = built.as_deref().and_then(|exe| exe.parent()?.parent()).map(|at| at.join(NAME));
    if let Some(built) = built.filter(|built| built.exists()) {
        let laid = place.join(NAME);
        fs::copy(built, &laid).unwrap();
        fs::set_permissions(&laid, fs::Permissions::from_mode(0o755)).unwrap();
    }
}

/// Whether the verb can be tried: it is there, and this machine has what it takes.
pub(crate) fn program(place: &Path) -> Option<PathBuf> {
    let program = place.ancestors().map(|above| above.join(NAME)).find(|path| path.is_file());
    let Some(program) = program else {
        println!("skipped: the verb `try`, because no `{NAME}` was built beside these tests");
        return None;
    };
    let attempt = crate::ATTEMPTS.first()?;
    let (scene, _) = prepared(place, attempt);
    let ended = verb(&program, place, &scene.root).args(["--", "true"]).output().unwrap();
    if ended.status.code() != Some(0) {
        let why = String::from_utf8_lossy(&ended.stderr).into_owned();
        println!("skipped: the verb `try`, because it cannot be had here: {why}");
        return None;
    }
    Some(program)
}

fn verb(program: &Path, place: &Path, root: &Path) -> Command {
    let home = place.join("home");
    let _ = fs::remove_dir_all(&home);
    fs::create_dir_all(&home).unwrap();
    // The secret lies where people keep their keys.
    symlink(root.join("secret"), home.join(".ssh")).unwrap();
    let mut command = Command::new(program);
    command
        .args(["try", "--network", "off", "--discard", "--json", "--timeout", "15", "--workspace"])
        .arg(root.join("linked-workspace"))
        .env_clear()
        .env("HOME", &home)
        .env("PORTCULLIS_STATE_DIR", place.join("state"))
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .env("TOKEN", crate::SECRET)
        .stdin(Stdio::null());
    command
}

/// Whether nothing happened. An attempt that is about limits of its own is none here.
pub(crate) fn contained(
    program: &Path,
    place: &Path,
    attempt: &Attempt,
) -> Option<Result<(), String>> {
    let (mut scene, mut launch) = prepared(place, attempt);
    let usual = launch.limits.clone();
    (attempt.launch)(&mut scene, &mut launch);
    if launch.limits != usual || attempt.layer == Layer::Limits {
        return None;
    }
    let mut command = verb(program, place, &scene.root);
    command.args(["--", "/usr/bin/env"]);
    for (name, value) in &launch.environment {
        let mut word = name.clone();
        word.push("=");
        word.push(value);
        command.arg(word);
    }
    command.arg(&launch.program).args(&launch.arguments);
    let ended = command.output().unwrap();
    let (said, complaint) =
        (String::from_utf8_lossy(&ended.stdout), String::from_utf8_lossy(&ended.stderr));
    // What is protected may be written there, and so may what lies in the workspace: it is not the file itself.
    let is_free = attempt.layer == Layer::Protected;
    let result = if (attempt.shows)(&mut scene) {
        Err("it shows outside".to_owned())
    } else if said.contains(GOT_THROUGH) && !is_free {
        Err(format!("the attacker got through: {said}"))
    } else if !said.contains("begun") {
        Err(format!("it was not made: {:?} {said} {complaint}", ended.status))
    } else {
        Ok(())
    };
    forget_left_behind(&scene);
    Some(result)
}

//! Who may write what is believed: the files of the layers, and the pins.
#![cfg(unix)]

use std::{
    fs::{self, Permissions},
    os::unix::fs::{PermissionsExt as _, symlink},
    path::Path,
};

use super::{super::*, layers::World};
use crate::platform::Managed;

const ALLOWS: &str = "rules.allow = ['Bash(make)']";

fn waits(world: &World) -> bool {
    world.load().unwrap().account.waiting().next().is_some()
}

fn doubt(world: &World) -> String {
    let configuration = world.load().unwrap();
    let source = configuration.account.sources.last().unwrap();
    assert!(!source.trusted, "{source:?}");
    source.doubt.clone().unwrap_or_default()
}

/// A world whose project is trusted, and the pin's file.
fn trusted() -> (World, PathBuf) {
    let world = World::new();
    fs::write(world.project(), ALLOWS).unwrap();
    assert!(waits(&world));
    world.trust_project();
    assert!(!waits(&world));
    let store = world.directories.state.as_deref().unwrap().join("trust");
    let pin = fs::read_dir(store).unwrap().next().unwrap().unwrap().path();
    (world, pin)
}

fn mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

#[test]
fn trust_holds_for_one_path_and_these_bytes() {
    let (world, pin) = trusted();
    assert_eq!(fs::metadata(&pin).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(fs::metadata(pin.parent().unwrap()).unwrap().permissions().mode() & 0o777, 0o700);
    fs::write(world.project(), format!("{ALLOWS}\n")).unwrap();
    assert_eq!(doubt(&world), "it has changed since it was trusted");
    fs::write(world.project(), ALLOWS).unwrap();
    assert!(!waits(&world), "the same bytes are trusted again");

    let elsewhere = World::new();
    fs::write(elsewhere.project(), ALLOWS).unwrap();
    let standing = world.trust().standing(&elsewhere.project(), "");
    assert_eq!(standing, Standing::Untrusted);
}

#[test]
fn trust_is_listed_and_taken_back() {
    let (world, _) = trusted();
    let (pins, refused) = world.trust().list().unwrap();
    assert!(refused.is_empty());
    assert_eq!(pins.len(), 1);
    assert_eq!((pins[0].path.as_path(), pins[0].by.as_str()), (world.project().as_path(), "test"));
    assert!(world.trust().revoke(&world.project()).unwrap());
    assert!(!world.trust().revoke(&world.project()).unwrap());
    assert!(waits(&world));
    assert!(world.trust().list().unwrap().0.is_empty());
    assert!(Trust::new(Path::new("/absent")).list().unwrap().0.is_empty());
}

#[test]
fn trusting_again_replaces_the_pin_and_leaves_nothing_else_behind() {
    let (world, pin) = trusted();
    fs::write(world.project(), format!("{ALLOWS}\nmode = 'bypassPermissions'")).unwrap();
    assert!(waits(&world));
    world.trust_project();
    assert!(!waits(&world));
    let left: Vec<_> = fs::read_dir(pin.parent().unwrap()).unwrap().collect();
    assert_eq!(left.len(), 1, "{left:?}");
}

#[test]
fn a_pin_that_somebody_else_could_have_written_is_not_believed() {
    type Tamper = fn(&World, &Path);
    let table: &[(&str, Tamper, &str)] = &[
        ("of a group", |_, pin| mode(pin, 0o660), "write to it"),
        ("read by others", |_, pin| mode(pin, 0o644), "it is not a file of this user alone"),
        ("empty", |_, pin| fs::write(pin, "").unwrap(), "is damaged"),
        ("no JSON", |_, pin| fs::write(pin, "{").unwrap(), "is damaged"),
        ("not UTF-8", |_, pin| fs::write(pin, [0xff]).unwrap(), "cannot use"),
        (
            "of another version",
            |_, pin| {
                let text = fs::read_to_string(pin).unwrap().replace("\"v\":1", "\"v\":2");
                fs::write(pin, text).unwrap();
            },
            "its version is 2",
        ),
        (
            "with more in it",
            |_, pin| {
                let text = fs::read_to_string(pin).unwrap().replace("\"v\":1", "\"v\":1,\"x\":1");
                fs::write(pin, text).unwrap();
            },
            "unknown field",
        ),
        (
            "about another path",
            |world, pin| {
                let path = world.project().display().to_string();
                let text = fs::read_to_string(pin).unwrap().replace(&path, "/x/.portcullis.toml");
                fs::write(pin, text).unwrap();
            },
            "it is about `/x/.portcullis.toml`",
        ),
        (
            "a link",
            |world, pin| {
                let real = world.workspace().join("pin");
                fs::rename(pin, &real).unwrap();
                symlink(real, pin).unwrap();
            },
            "it is a symbolic link",
        ),
        (
            "a directory",
            |_, pin| {
                fs::remove_file(pin).unwrap();
                fs::create_dir(pin).unwrap();
                mode(pin, 0o700);
            },
            "it is not a file of this user alone",
        ),
        ("in a directory of a group", |_, pin| mode(pin.parent().unwrap(), 0o770), "write to it"),
        (
            "in a linked directory",
            |world, pin| {
                let store = pin.parent().unwrap();
                let real = world.workspace().join("store");
                fs::rename(store, &real).unwrap();
                symlink(real, store).unwrap();
            },
            "it is a symbolic link",
        ),
    ];
    for (name, tamper, expected) in table {
        let (world, pin) = trusted();
        tamper(&world, &pin);
        assert!(waits(&world), "{name}");
        assert!(doubt(&world).contains(expected), "{name}: {}", doubt(&world));
        let (pins, refused) = world.trust().list().unwrap_or_default();
        assert!(pins.is_empty() || refused.is_empty(), "{name}");
    }
}

#[test]
fn a_pin_under_another_name_is_listed_as_refused() {
    let (world, pin) = trusted();
    fs::rename(&pin, pin.with_file_name("other.json")).unwrap();
    assert!(waits(&world));
    let (pins, refused) = world.trust().list().unwrap();
    assert!(pins.is_empty());
    assert!(refused[0].to_string().contains("its name is not the one"), "{}", refused[0]);
}

#[test]
fn a_store_inside_the_project_is_not_believed() {
    let mut world = World::new();
    let state = world.workspace().join("state");
    fs::create_dir(&state).unwrap();
    world.directories.state = Some(state.clone());
    fs::write(world.project(), ALLOWS).unwrap();
    let error = world.trust().pin(&world.project(), "", "test").unwrap_err();
    assert!(matches!(error, TrustError::InsideTheProject { .. }), "{error}");

    // Made elsewhere and brought here, it is no better.
    let outside = World::new();
    let pin = outside.trust();
    let file = ProjectFile::find(&world.workspace(), None).unwrap().unwrap();
    pin.pin(&file.path, &file.sha256(), "somebody").unwrap();
    fs::remove_dir(state.join("trust")).unwrap();
    fs::rename(outside.directories.state.as_deref().unwrap().join("trust"), state.join("trust"))
        .unwrap();
    assert!(doubt(&world).contains("it lies in the project that it is about"), "{}", doubt(&world));
}

#[test]
fn a_file_that_cannot_be_believed_stops_everything() {
    type Make = fn(&World, &Path);
    let make: &[(&str, Make, &str)] = &[
        ("a directory", |_, path| fs::create_dir(path).unwrap(), "not a regular file"),
        (
            "a pipe that nobody writes to",
            |_, path| {
                let pipe = std::process::Command::new("mkfifo").arg(path).status().unwrap();
                assert!(pipe.success());
                mode(path, 0o600);
            },
            "not a regular file",
        ),
        ("10 MB", |_, path| fs::write(path, vec![b'#'; 10_000_000]).unwrap(), "longer than 1 MiB"),
        ("not UTF-8", |_, path| fs::write(path, [b'#', 0xff]).unwrap(), "not UTF-8"),
        ("broken", |_, path| fs::write(path, "mode = ").unwrap(), ":1:"),
        (
            "of everyone",
            |_, path| {
                fs::write(path, "mode = 'plan'").unwrap();
                mode(path, 0o606);
            },
            "write to it",
        ),
    ];
    for (name, make, expected) in make {
        for place in [World::managed, World::user, World::project] {
            let world = World::new();
            let path = place(&world);
            make(&world, &path);
            let error = world.load().unwrap_err().to_string();
            assert!(error.contains(expected), "{name} at {}: {error}", path.display());
        }
    }
}

#[test]
fn only_a_user_may_lead_elsewhere_with_a_link() {
    let world = World::new();
    let target = world.workspace().join("target");
    fs::write(&target, "mode = 'plan'").unwrap();
    symlink(&target, world.user()).unwrap();
    assert_eq!(world.load().unwrap().account.sources.len(), 1);
    for path in [world.project(), world.managed()] {
        symlink(&target, &path).unwrap();
        assert!(matches!(world.load(), Err(ConfigError::SymbolicLink { .. })), "{path:?}");
        fs::remove_file(&path).unwrap();
        // Also where it leads nowhere: somebody meant something by it.
        symlink("/absent", &path).unwrap();
        assert!(matches!(world.load(), Err(ConfigError::SymbolicLink { .. })), "{path:?}");
        fs::remove_file(&path).unwrap();
    }
}

#[test]
fn the_managed_file_and_its_directory_are_the_administrators_alone() {
    let world = World::new();
    let path = world.managed();
    fs::write(&path, "mode = 'plan'").unwrap();
    let directory = path.parent().unwrap();
    for (of_file, of_directory, fits) in [
        (0o644, 0o755, true),
        (0o600, 0o700, true),
        (0o664, 0o755, false),
        (0o646, 0o755, false),
        (0o644, 0o775, false),
        (0o644, 0o757, false),
    ] {
        mode(&path, of_file);
        mode(directory, of_directory);
        let loaded = world.load();
        assert_eq!(loaded.is_ok(), fits, "{of_file:o} in {of_directory:o}");
        if let Err(error) = loaded {
            assert!(matches!(error, ConfigError::NotOfTheAdministrator { .. }), "{error}");
        }
    }
    mode(&path, 0o644);
    mode(directory, 0o755);
    let mut world = world;
    let managed = world.directories.managed.take().unwrap();
    world.directories.managed = Some(Managed { owner: managed.owner + 1, ..managed });
    assert!(matches!(world.load(), Err(ConfigError::NotOfTheAdministrator { .. })));
}

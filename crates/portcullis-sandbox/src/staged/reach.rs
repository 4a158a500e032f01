//! What the program may reach, as Landlock takes it: a list of what is allowed. Owns how denied and protected paths come out of such a
//! list. With mounts of our own they are covered already, but for links where bubblewrap makes the mounts; without them every neighbour of theirs
//! is allowed by itself, and so nothing new can be made beside what is protected.

use std::{
    fs,
    os::fd::OwnedFd,
    path::{Path, PathBuf},
};

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible as _, PathBeneath,
    Ruleset, RulesetAttr as _, RulesetCreatedAttr as _, Scope,
};

use super::{
    held::{Held, SCOPES_SINCE},
    pinned::Pins,
    view,
};
use crate::{Network, channel::Plan, kernel};

/// The most places that are allowed one by one.
const MOST_PLACES: usize = 20_000;

/// Puts it in force for this process and all that come from it. Which version holds is the answer, or why none does.
pub(super) fn restrict(plan: &Plan, pins: &Pins, held: &Held) -> Result<i32, String> {
    let version = kernel::landlock_version();
    if version == 0 {
        return Err("the kernel has no Landlock, or it is off".to_owned());
    }
    let abi = known(version);
    let mut ruleset = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(abi))
        .map_err(|error| error.to_string())?;
    let has_no_network = plan.profile.network == Network::Off && held.namespaces.is_none();
    if version >= 4 && has_no_network {
        ruleset = ruleset
            .handle_access(AccessNet::from_all(ABI::V4))
            .map_err(|error| error.to_string())?;
    }
    if version >= SCOPES_SINCE {
        ruleset = ruleset.scope(Scope::from_all(ABI::V6)).map_err(|error| error.to_string())?;
    }
    let mut ruleset = ruleset.create().map_err(|error| error.to_string())?;
    for (path, access) in allowed(plan, pins, held, abi)? {
        // What cannot be opened or is gone is not allowed, that is all.
        let Ok(place) = kernel::locate(&path, kernel::Links::Refused) else { continue };
        let access = access & for_kind(&place, abi);
        if !access.is_empty() {
            ruleset = ruleset
                .add_rule(PathBeneath::new(&place, access))
                .map_err(|error| error.to_string())?;
        }
    }
    ruleset.restrict_self().map_err(|error| error.to_string())?;
    Ok(version)
}

fn known(version: i32) -> ABI {
    match version {
        1 => ABI::V1,
        2 => ABI::V2,
        3 => ABI::V3,
        4 => ABI::V4,
        5 => ABI::V5,
        6 => ABI::V6,
        7 => ABI::V7,
        8 => ABI::V8,
        _ => ABI::V9,
    }
}

fn for_kind(place: &OwnedFd, abi: ABI) -> BitFlags<AccessFs> {
    let is_folder = kernel::kind(place).is_ok_and(|kind| kind == libc::S_IFDIR);
    if is_folder { AccessFs::from_all(abi) } else { AccessFs::from_file(abi) }
}

type Allowed = Vec<(PathBuf, BitFlags<AccessFs>)>;

fn allowed(plan: &Plan, pins: &Pins, held: &Held, abi: ABI) -> Result<Allowed, String> {
    let profile = &plan.profile;
    let read = AccessFs::from_read(abi);
    // Devices are never made, whatever else is.
    let write = AccessFs::from_all(abi) & !(AccessFs::MakeChar | AccessFs::MakeBlock);
    let device =
        (AccessFs::ReadFile | AccessFs::WriteFile | AccessFs::Truncate | AccessFs::IoctlDev)
            & AccessFs::from_all(abi);
    let mut list = Vec::new();
    if let Some(spaces) = &held.namespaces {
        list.extend(profile.read.iter().chain(&profile.write).map(|path| (path.clone(), read)));
        // What no mount covers must not be removed, and so its neighbours are named here too.
        let links = if spaces.covers_links() { &[] } else { pins.covered.as_slice() };
        let links: Vec<&Path> = links.iter().map(PathBuf::as_path).collect();
        let mut places = Vec::new();
        for root in &profile.write {
            neighbours(root, &links, &mut places)?;
        }
        list.extend(places.into_iter().map(|path| (path, write)));
        list.push((PathBuf::from("/dev"), device | AccessFs::ReadDir));
        list.push((PathBuf::from("/dev/shm"), write));
        list.push((PathBuf::from("/proc"), read));
        if profile.temporary {
            list.push((PathBuf::from(view::TEMPORARY), write));
        }
        return Ok(list);
    }
    let devices = Path::new("/dev");
    let hidden: Vec<&Path> = profile.denied.iter().map(PathBuf::as_path).chain([devices]).collect();
    let fixed: Vec<&Path> = profile
        .protected
        .iter()
        .chain(&pins.fixed)
        .chain(&pins.covered)
        .chain(&profile.denied)
        .map(PathBuf::as_path)
        .collect();
    let mut places = Vec::new();
    for root in profile.read.iter().chain(&profile.write) {
        neighbours(root, &hidden, &mut places)?;
    }
    list.extend(places.drain(..).map(|path| (path, read)));
    for root in &profile.write {
        neighbours(root, &fixed, &mut places)?;
    }
    list.extend(places.drain(..).map(|path| (path, write)));
    if profile.denied.is_empty() {
        // Where nothing but the devices is hidden, names give nothing away.
        list.extend(profile.read.iter().map(|path| (path.clone(), AccessFs::ReadDir.into())));
    }
    list.extend(view::DEVICES.iter().map(|path| (PathBuf::from(path), device)));
    list.extend(held.temporary.iter().map(|path| (path.clone(), write)));
    Ok(list)
}

/// The root where nothing below it is left out, and otherwise everything in it that is not.
fn neighbours(root: &Path, left_out: &[&Path], places: &mut Vec<PathBuf>) -> Result<(), String> {
    if left_out.iter().any(|path| root.starts_with(path)) {
        return Ok(());
    }
    if places.len() > MOST_PLACES {
        return Err(format!(
            "there are more than {MOST_PLACES} places around what is denied or protected"
        ));
    }
    if !left_out.iter().any(|path| path.starts_with(root)) {
        places.push(root.to_owned());
        return Ok(());
    }
    for entry in fs::read_dir(root).into_iter().flatten().flatten() {
        // A link is as good as where it leads, which is allowed or not by itself.
        if entry.file_type().is_ok_and(|kind| !kind.is_symlink()) {
            neighbours(&entry.path(), left_out, places)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_of_what_is_left_out_are_named_one_by_one() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for name in ["a", "b/c", "b/secret", "d/e"] {
            fs::create_dir_all(root.join(name)).unwrap();
        }
        std::os::unix::fs::symlink("b/secret", root.join("link")).unwrap();
        let (secret, missing) = (root.join("b/secret"), root.join("d/missing"));
        let mut places = Vec::new();
        neighbours(&root, &[&secret, &missing], &mut places).unwrap();
        places.sort();
        let expected: Vec<PathBuf> =
            ["a", "b/c", "d/e"].iter().map(|name| root.join(name)).collect();
        assert_eq!(places, expected);
    }
}

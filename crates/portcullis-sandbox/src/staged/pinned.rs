//! What may not be changed though it lies where the program may write. Owns what each protected path comes down to: which directories
//! above it must stay in place, what is read-only, and what is put where nothing is yet, and taken away again.
//!
//! A name that does not exist cannot be protected by itself: an empty directory takes its place while the program runs, or a file with a
//! text that means nothing, where programs would stumble over a directory. It is read-only, looks the same to everyone, is shared by
//! runs at the same time, and is removed by the last of them; one that a killed run left behind is known by its mode (and its text) and
//! taken over.

use std::{
    collections::{HashMap, VecDeque},
    fs::{self, DirBuilder, File},
    io::{self, Read as _, Write as _},
    os::{
        fd::AsFd as _,
        unix::fs::{
            DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _,
        },
    },
    path::{Component, Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use crate::{Means, Profile, channel::Plan, kernel};

/// How a placeholder is known: nobody else makes directories that are read-only and sticky.
const PLACEHOLDER: u32 = 0o1555;

/// How a file that is one is known, beside its text.
const PLACEHOLDER_FILE: u32 = 0o1444;

/// How the name begins under which such a file is written, before it takes its place whole.
const UNFINISHED: &str = ".portcullis-stand-in-";

/// How often a placeholder is tried, where others take it away meanwhile.
const ATTEMPTS: usize = 100;

/// How many links a protected path may lead through.
const MOST_HOPS: usize = 16;

/// How many files are looked at for further names of protected ones, and how many such names there may be.
const MOST_LOOKED_AT: usize = 500_000;
const MOST_NAMES: usize = 1_000;

/// How many files of one original are looked at, what is nearest first, and of one that is a program.
const MOST_OF_ONE: usize = 10_000;
const MOST_OF_PROGRAM: usize = 200;

/// How many originals are named of which not every file was looked at.
const MOST_NAMED: usize = 5;

/// Protected paths, as they are on this machine.
#[derive(Debug, Default, Deserialize, Serialize)]
pub(super) struct Pins {
    /// Directories above a protected path: what is in them may change, they may not be moved away.
    pub(super) held: Vec<PathBuf>,
    /// What is read-only, with everything below.
    pub(super) fixed: Vec<PathBuf>,
    /// Symbolic links that something else must cover, since a link cannot be held in place.
    pub(super) covered: Vec<PathBuf>,
    /// What could not be protected, and why.
    pub(super) failed: Vec<(PathBuf, String)>,
    /// What was not looked at, for the report.
    pub(super) overlooked: Vec<String>,
    /// They belong to the stage outside.
    #[serde(skip)]
    placeholders: Vec<Placeholder>,
}

#[derive(Debug)]
struct Placeholder {
    path: PathBuf,
    /// Locked as long as it is used.
    open: File,
}

impl Pins {
    /// Looks at every protected path, and puts a placeholder where nothing is.
    pub(super) fn made(plan: &Plan) -> Self {
        let mut pins = Self::default();
        // Without mounts of its own nothing new can be made beside what is protected, and no placeholder is needed.
        let mounts = [Means::Namespaces, Means::Bubblewrap];
        let places = mounts.iter().any(|means| !plan.without.contains(means));
        for path in &plan.profile.protected {
            pins.add(path, &plan.profile, places, MOST_HOPS);
        }
        let originals = pins.originals(&plan.profile, places);
        pins.name_again(&plan.profile.write, originals);
        for list in [&mut pins.held, &mut pins.fixed, &mut pins.covered] {
            list.sort_unstable();
            list.dedup();
        }
        // What is read-only is held in place as well.
        let Self { held, fixed, .. } = &mut pins;
        held.retain(|path| !fixed.contains(path));
        pins
    }

    /// What a protected path comes down to. `hops` links may still be followed.
    fn add(&mut self, path: &Path, profile: &Profile, places: bool, hops: usize) {
        // The outermost root: what lies between two of them could otherwise be moved away with the inner one.
        let root = profile.write.iter().filter(|root| path.starts_with(root));
        let Some(root) = root.min_by_key(|root| root.as_os_str().len()) else { return };
        let Ok(rest) = path.strip_prefix(root) else { return };
        let mut at = root.clone();
        let mut components = rest.components();
        if rest.as_os_str().is_empty() {
            self.fixed.push(at);
            return;
        }
        while let Some(component) = components.next() {
            let Component::Normal(name) = component else {
                self.failed.push((path.to_owned(), "it is not a plain path".to_owned()));
                return;
            };
            at.push(name);
            let rest = components.as_path();
            let is_last = rest.as_os_str().is_empty();
            match fs::symlink_metadata(&at) {
                Ok(found) if found.is_symlink() => {
                    // A link itself is covered; where it leads, also where nothing is yet, is protected by its own path.
                    match (led(&at), hops.checked_sub(1)) {
                        (Some(target), Some(hops)) => {
                            self.add(&target.join(rest), profile, places, hops);
                            self.covered.push(at);
                        }
                        _ => self.failed.push((at, "its links lead too far".to_owned())),
                    }
                    return;
                }
                Ok(found) if is_placeholder(&found, &at, text_of(&at, profile)) => {
                    if places {
                        self.hold_place(at, profile);
                    }
                    return;
                }
                Ok(found) if found.is_dir() && !is_last => self.held.push(at.clone()),
                Ok(_) => return self.fixed.push(at),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    if places {
                        self.hold_place(at, profile);
                    }
                    return;
                }
                Err(error) => return self.failed.push((at, error.to_string())),
            }
        }
    }

    /// What lies elsewhere may have a name where the program may write. One that a link leads to is protected; the others are the answer: by which
    /// files they are known, and whether each has to be found.
    fn originals(&mut self, profile: &Profile, places: bool) -> HashMap<(u64, u64), bool> {
        let is_written = |path: &Path| profile.write.iter().any(|root| path.starts_with(root));
        let (mut files, mut led, mut unseen) = (HashMap::new(), Vec::new(), Vec::new());
        for original in &profile.originals {
            let most = if original.is_program { MOST_OF_PROGRAM } else { MOST_OF_ONE };
            let is_whole = nearest(&original.path, most, &mut |path, found| {
                let real = if found.is_symlink() {
                    let Ok(real) = fs::canonicalize(path) else { return };
                    if is_written(&real) {
                        led.push(real);
                        return;
                    }
                    fs::metadata(real).ok()
                } else {
                    Some(found.clone())
                };
                if let Some(real) = real.filter(|real| real.is_file() && real.nlink() > 1) {
                    let has_to = files.entry((real.dev(), real.ino())).or_insert(false);
                    *has_to |= !original.is_program;
                }
            });
            unseen.extend((!is_whole).then(|| format!("`{}`", original.path.display())));
        }
        for path in led {
            self.add(&path, profile, places, MOST_HOPS);
        }
        let more = unseen.len().saturating_sub(MOST_NAMED);
        unseen.truncate(MOST_NAMED);
        if !unseen.is_empty() {
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            let unseen = unseen.join(", ");
            self.overlooked.push(format!(
                "not every file below {unseen}{more} was looked at for further names in what may be written"
            ));
        }
        files
    }

    /// A protected file may have another name (a hard link) where the program may write: that one is read-only too.
    fn name_again(&mut self, roots: &[PathBuf], mut files: HashMap<(u64, u64), bool>) {
        let mut left = MOST_LOOKED_AT;
        for path in &self.fixed {
            each_file(path, &mut left, &mut |_, found| {
                if found.nlink() > 1 {
                    files.insert((found.dev(), found.ino()), true);
                }
            });
        }
        if files.is_empty() {
            return;
        }
        let (mut names, mut of_programs) = (Vec::new(), Vec::new());
        for root in roots {
            each_file(root, &mut left, &mut |path, found| {
                let is_known = || self.fixed.iter().any(|fixed| path.starts_with(fixed));
                match files.get(&(found.dev(), found.ino())) {
                    Some(has_to) if found.nlink() > 1 && !is_known() => {
                        let list = if *has_to { &mut names } else { &mut of_programs };
                        list.push(path.to_owned());
                    }
                    _ => {}
                }
            });
        }
        let has_any = files.values().any(|has_to| *has_to);
        if left == 0 && has_any || names.len() > MOST_NAMES {
            let why = "it has further names (hard links), and too much to look for them in";
            let path = self.fixed.first().or(roots.first());
            self.failed.extend(path.map(|path| (path.clone(), why.to_owned())));
        }
        let room = MOST_NAMES.saturating_sub(names.len());
        if left == 0 && !has_any || of_programs.len() > room {
            of_programs.truncate(room);
            self.overlooked.push(
                "not every further name (hard link) of programs of agents is protected".to_owned(),
            );
        }
        self.fixed.append(&mut names);
        self.fixed.append(&mut of_programs);
    }

    fn hold_place(&mut self, path: PathBuf, profile: &Profile) {
        if self.placeholders.iter().any(|placeholder| placeholder.path == path) {
            return;
        }
        match placeholder(&path, text_of(&path, profile)) {
            Ok(Some(open)) => {
                self.fixed.push(path.clone());
                self.placeholders.push(Placeholder { path, open });
            }
            // Something else came there in between.
            Ok(None) => self.fixed.push(path),
            // Where we may not make anything, nobody with fewer rights may.
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem
                ) => {}
            Err(error) => self.failed.push((path, error.to_string())),
        }
    }
}

impl Drop for Pins {
    fn drop(&mut self) {
        for Placeholder { path, open } in self.placeholders.drain(..).rev() {
            // Another run that uses it holds the lock, and removes it.
            if kernel::lock(open.as_fd(), true).is_ok() && is_same(&open, &path) {
                let is_file = open.metadata().is_ok_and(|found| found.is_file());
                let _ = if is_file { fs::remove_file(&path) } else { fs::remove_dir(&path) };
            }
        }
    }
}

/// What stands at or below a path, what is nearest first, links not followed, and no more entries than this. Whether that was all is the answer.
fn nearest(path: &Path, most: usize, take: &mut dyn FnMut(&Path, &fs::Metadata)) -> bool {
    let mut ahead = VecDeque::from([path.to_owned()]);
    let mut looked_at = 0;
    while let Some(path) = ahead.pop_front() {
        let Ok(found) = fs::symlink_metadata(&path) else { continue };
        if found.is_dir() {
            for entry in fs::read_dir(&path).into_iter().flatten().flatten() {
                looked_at += 1;
                if looked_at > most {
                    break;
                }
                ahead.push_back(entry.path());
            }
        } else {
            take(&path, &found);
        }
    }
    looked_at <= most
}

/// Every file at or below a path, links not followed, until so many entries were looked at.
fn each_file(path: &Path, left: &mut usize, take: &mut dyn FnMut(&Path, &fs::Metadata)) {
    let mut ahead = vec![path.to_owned()];
    while let Some(path) = ahead.pop() {
        let Some(fewer) = left.checked_sub(1) else { return };
        *left = fewer;
        let Ok(found) = fs::symlink_metadata(&path) else { continue };
        if found.is_dir() {
            ahead.extend(fs::read_dir(&path).into_iter().flatten().flatten().map(|one| one.path()));
        } else if found.is_file() {
            take(&path, &found);
        }
    }
}

/// Where a link leads, as it is written: nothing needs to be there.
fn led(link: &Path) -> Option<PathBuf> {
    let written = fs::read_link(link).ok()?;
    let mut target = PathBuf::from("/");
    // What leads to the link has no links in it: it was walked.
    for component in link.parent()?.join(written).components() {
        match component {
            Component::ParentDir => drop(target.pop()),
            Component::Normal(name) => target.push(name),
            Component::RootDir | Component::CurDir | Component::Prefix(_) => {}
        }
    }
    Some(target)
}

/// The text of the file that keeps this place, where a file does.
fn text_of<'a>(path: &Path, profile: &'a Profile) -> Option<&'a str> {
    let found = profile.stand_ins.iter().find(|one| one.path == path);
    found.map(|one| one.text.as_str())
}

/// Makes or joins the placeholder at a path; none where something else is there now.
fn placeholder(path: &Path, text: Option<&str>) -> io::Result<Option<File>> {
    for _ in 0..ATTEMPTS {
        let made = match text {
            Some(text) => make_file(path, text),
            None => DirBuilder::new()
                .mode(0o555)
                .create(path)
                .and_then(|()| fs::set_permissions(path, fs::Permissions::from_mode(PLACEHOLDER))),
        };
        match made {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                let found = match fs::symlink_metadata(path) {
                    Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                    found => found?,
                };
                let is_ours = match text {
                    Some(_) => is_placeholder(&found, path, text),
                    // Others may be about to use it, so it need not be empty to us.
                    None => found.is_dir() && mode_of(&found) == PLACEHOLDER,
                };
                if !is_ours {
                    return Ok(None);
                }
            }
            Err(error) => return Err(error),
        }
        let open = match File::open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            open => open?,
        };
        // One who is about to remove it holds the lock alone; then it is made anew.
        if kernel::lock(open.as_fd(), false).is_ok() && is_same(&open, path) {
            return Ok(Some(open));
        }
    }
    Err(io::Error::other("others keep taking it away"))
}

/// Makes a file that is there with its whole text, or not at all: who reads it meanwhile must not see half of it.
fn make_file(path: &Path, text: &str) -> io::Result<()> {
    let folder = path.parent().ok_or(io::ErrorKind::InvalidInput)?;
    if fs::symlink_metadata(path).is_ok() {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    let unfinished = folder.join(format!("{UNFINISHED}{}", kernel::process()));
    // What one with our number left behind when it was killed.
    let _ = fs::remove_file(&unfinished);
    let mut options = File::options();
    let file = options.write(true).create_new(true).mode(0o400).open(&unfinished);
    let made = file.and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        file.set_permissions(fs::Permissions::from_mode(PLACEHOLDER_FILE))?;
        // Unlike a new name, a link replaces nothing.
        fs::hard_link(&unfinished, path)
    });
    let removed = fs::remove_file(&unfinished);
    made.and(removed)
}

fn mode_of(found: &fs::Metadata) -> u32 {
    found.permissions().mode() & 0o7777
}

fn is_same(open: &File, path: &Path) -> bool {
    let (Ok(open), Ok(there)) = (open.metadata(), fs::symlink_metadata(path)) else { return false };
    (open.dev(), open.ino()) == (there.dev(), there.ino())
}

fn is_placeholder(found: &fs::Metadata, path: &Path, text: Option<&str>) -> bool {
    match text {
        Some(text) => {
            let mut there = Vec::new();
            let longest = text.len() as u64 + 1;
            found.is_file()
                && mode_of(found) == PLACEHOLDER_FILE
                && File::open(path)
                    .and_then(|file| file.take(longest).read_to_end(&mut there))
                    .is_ok_and(|_| there == text.as_bytes())
        }
        None => {
            found.is_dir()
                && mode_of(found) == PLACEHOLDER
                && fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none())
        }
    }
}

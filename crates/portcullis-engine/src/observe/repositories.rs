//! Which repositories a call writes in, and what git obeys in them beside its own directory. Owns the way from a work tree to its repository; what
//! settings say is read in [`crate::obeyed`].

use std::{
    collections::BTreeSet,
    fs,
    io::Read as _,
    path::{Path, PathBuf},
};

use portcullis_core::facts::Obeyed;

use super::{
    Look,
    look::{normalised, text},
};
use crate::obeyed::{Repository, Settings, Told};

/// How much of a repository's settings is read; remotes past it are not known, which makes a judgement stricter.
const BYTES: u64 = 1 << 16;

/// A repository by its directories.
pub(super) struct Found {
    /// The one that its work trees share.
    pub(super) git: PathBuf,
    /// That of this work tree.
    own: PathBuf,
}

/// The beginning of a file of settings; nothing where it cannot be read.
pub(super) fn beginning(path: &Path) -> String {
    let mut text = Vec::new();
    let read = fs::File::open(path).and_then(|file| file.take(BYTES).read_to_end(&mut text));
    match read {
        Ok(_) => String::from_utf8_lossy(&text).into_owned(),
        Err(_) => String::new(),
    }
}

/// The repository of a work tree: one that was added has a file `.git`, which leads to it.
pub(super) fn around(root: &Path) -> Option<Found> {
    let git = root.join(".git");
    if fs::metadata(&git).ok()?.is_dir() {
        return Some(Found { own: git.clone(), git });
    }
    let leads = beginning(&git);
    let own = normalised(&root.join(leads.trim().strip_prefix("gitdir:")?.trim()));
    let shared = beginning(&own.join("commondir"));
    let git = match shared.trim() {
        "" => own.clone(),
        shared => normalised(&own.join(shared)),
    };
    Some(Found { git, own })
}

/// What git obeys in the repositories that these paths lie in.
pub(super) fn obeyed<'p>(
    look: &Look<'_>,
    paths: impl Iterator<Item = &'p Path>,
    home: Option<&Path>,
) -> Obeyed {
    let mut roots: BTreeSet<PathBuf> = BTreeSet::new();
    for path in paths {
        roots.extend(look.repository_around(path).map(Path::to_owned));
        let leads = look.resolved(path).filter(|real| real != path);
        let leads = leads.as_deref().and_then(|real| look.repository_around(real));
        roots.extend(leads.map(Path::to_owned));
    }
    let wide: Vec<PathBuf> = roots.iter().cloned().collect();
    let may_look = |path: &Path| look.may_look(path);
    let mut settings = Settings::new(home.map(Path::to_owned), &wide, &may_look);
    let mut told = Told::default();
    for root in &roots {
        if let Some(Found { git, own }) = around(root) {
            settings.follow(Repository { git: &git, own: &own, root }, &mut told);
        }
    }
    let Told { hooks, settings, programs, is_cut } = told;
    let names = |paths: BTreeSet<PathBuf>| paths.iter().filter_map(|path| text(path)).collect();
    let mut run: BTreeSet<String> = names(hooks);
    run.extend(names(programs));
    // Where not all that is named is known, it may be anything there.
    run.extend(roots.iter().filter(|_| is_cut).filter_map(|root| text(root)));
    Obeyed { run, settings: names(settings) }
}

//! Files of any name that come to stand among those that are there: out of an archive, a tree that is copied, a patch. Owns where that reaches
//! what shells, desktops and the gate start with.

use super::operands::synthetic;
use crate::{
    effect::{Argument, WriteMode},
    place::{self, Place},
    programs::{host::Host, invocation::Invocation},
    text::Text,
};

/// Files of names that are not known appear in a directory.
pub(crate) fn unpacked(
    walk: &mut dyn Host,
    directory: Option<Argument>,
    invocation: &Invocation,
    from: &Text,
) {
    let mut inside = directory.unwrap_or_else(|| synthetic(".", invocation.span));
    fills(walk, &inside);
    walk.unpacks(&inside, from);
    if !inside.text.display().ends_with('/') {
        inside.text.push_known("/");
    }
    inside.text.append(&Text::unknown("what the archive holds"));
    let mut content = Text::unknown(&invocation.program);
    content.inherit(from);
    walk.write(&inside, WriteMode::Create, content);
}

/// Says where files of any name appear among those that shells and desktops start with.
pub(crate) fn fills(walk: &mut dyn Host, directory: &Argument) {
    if holds_beginnings(walk, directory) {
        walk.note("persistence.home.unpacked", directory.span);
    }
}

/// Whether below a directory stands what shells, desktops and the gate start with: a home, or where its settings are.
pub(crate) fn holds_beginnings(walk: &dyn Host, directory: &Argument) -> bool {
    let target = walk.target(&directory.text);
    let facts = walk.facts();
    let settings = facts.home.as_ref().map(|home| format!("{home}/.config"));
    // Behind a beginning that nobody knows, the name is all there is.
    let is_called = target.path.is_none()
        && directory.text.has_unknown()
        && directory.text.display().trim_end_matches('/').ends_with("/.config");
    // A name in the project may be a link to there.
    let real = target.path.as_deref().and_then(|path| walk.known_of(path)?.leads_to.clone());
    is_called
        || settings.is_some() && (target.path == settings || real == settings)
        || target.path.as_deref().is_some_and(|path| place::contains_gate(path, facts))
        || matches!(place::place_of(&target, facts), Place::HomeTop | Place::VersionControlTop)
        || settings.is_some_and(|settings| {
            target.path.as_deref().is_some_and(|path| starts_in(path, &settings, facts))
        })
}

/// Whether something that starts by itself, or is obeyed, lies below a directory of a program's settings: `~/.config/fish`.
fn starts_in(path: &str, settings: &str, facts: &crate::facts::Facts) -> bool {
    let below = format!("{}/", path.trim_end_matches('/'));
    below.strip_prefix(settings).is_some_and(|rest| rest.starts_with('/'))
        && facts.home.as_deref().is_some_and(|home| {
            place::started_paths(home).iter().any(|(started, _)| started.path.starts_with(&below))
        })
}

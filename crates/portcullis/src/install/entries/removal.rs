//! What an agent's settings are once our entries are taken away again. Owns which settings that held them go with them.

use super::{
    super::{
        command::Program,
        json::{self, Misread, Node, Step},
    },
    Standing, at, is_empty, standing,
};
use crate::agents::table::Entries;

pub(super) fn without_one(text: &str, standing: &Standing) -> Result<String, Misread> {
    let in_group = standing.path.len().saturating_sub(2);
    match standing.path.get(..in_group) {
        // The whole group where nothing else is in it.
        Some(group) if standing.beside == 1 && is_grouped(standing) => json::remove(text, group),
        _ => json::remove(text, &standing.path),
    }
}

fn is_grouped(standing: &Standing) -> bool {
    matches!(standing.path.as_slice(), [.., Step::Key(key), Step::Item(_)] if key == "hooks")
        && standing.path.len() >= 4
}

/// The text without our entries; `None` where nothing is left of a file that we began. `before` is the text that was there
/// before us, where that is known: containers that it had stay, even when they are empty.
///
/// # Errors
/// When the text cannot be read.
pub fn without(
    text: &str,
    entries: &Entries,
    program: &Program,
    before: Before<'_>,
) -> Result<Option<String>, Misread> {
    let mut text = text.to_owned();
    let settings_alone = entries.events.is_some_and(<[_]>::is_empty);
    let is_there =
        |root: &Node| settings_alone || standing(root, entries, program).iter().any(|one| one.ours);
    if !matches!(before, Before::Nothing) && !json::read(&text)?.as_ref().is_some_and(is_there) {
        return Ok(Some(text));
    }
    while let Some(root) = json::read(&text)? {
        let all = standing(&root, entries, program);
        // The last one first: the places of the others stay.
        let Some(one) = all.iter().rev().find(|one| one.ours) else { break };
        let mut path = one.path.clone();
        text = without_one(&text, one)?;
        // Places in lists have moved; what led to the list has not.
        let items = path.iter().position(|step| matches!(step, Step::Item(_)));
        path.truncate(items.unwrap_or_default());
        text = without_empty(text, path, before)?;
    }
    for (keys, _) in entries.heads.iter().rev() {
        let path: Vec<Step> = keys.iter().map(|key| Step::Key((*key).to_owned())).collect();
        let Some(root) = json::read(&text)? else { break };
        let heads = |key: &str| {
            let parent = keys.get(..keys.len() - 1).unwrap_or_default();
            entries.heads.iter().any(|(head, _)| **head == [parent, &[key]].concat())
        };
        let parent = path.get(..path.len() - 1).unwrap_or_default();
        let members = at(&root, parent).and_then(Node::members).unwrap_or_default();
        let only_heads = members.iter().all(|member| heads(&member.key));
        // Where the hooks went that it came with, or were before it, it goes; nobody can tell where nobody knows.
        let hooks: Vec<Step> =
            entries.root.iter().map(|key| Step::Key((*key).to_owned())).collect();
        let came_alone = at(&root, &hooks).is_none() || before.has(&hooks);
        let goes = only_heads || (came_alone && !matches!(before, Before::Unknown));
        if before.has(&path) || members.is_empty() || !goes {
            continue;
        }
        text = json::remove(&text, &path)?;
        text = without_empty(text, parent.to_vec(), before)?;
    }
    let nothing = matches!(before, Before::Nothing)
        && text.trim_start_matches('\u{feff}').split_whitespace().collect::<String>() == "{}";
    Ok((!nothing).then_some(text))
}

/// The text without containers on a way that are empty and were not there before.
fn without_empty(
    mut text: String,
    mut path: Vec<Step>,
    before: Before<'_>,
) -> Result<String, Misread> {
    while !path.is_empty() {
        let root = json::read(&text)?;
        let empty = root.as_ref().and_then(|root| at(root, &path)).is_some_and(is_empty);
        if empty && !before.has(&path) {
            text = json::remove(&text, &path)?;
        }
        path.pop();
    }
    Ok(text)
}

/// What was there before us.
#[derive(Clone, Copy, Debug)]
pub enum Before<'a> {
    /// Nobody knows.
    Unknown,
    /// No file.
    Nothing,
    /// This.
    Tree(Option<&'a Node>),
}

impl Before<'_> {
    fn has(&self, path: &[Step]) -> bool {
        match self {
            Self::Unknown | Self::Nothing => false,
            Self::Tree(tree) => tree.is_some_and(|tree| at(tree, path).is_some()),
        }
    }
}

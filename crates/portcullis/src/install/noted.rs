//! What an agent itself noted of our hook. Owns how that is taken out of the list that it keeps.

use super::{
    command::{Called, Program},
    entries::is_empty,
    json::{self, Node, Step},
};

/// A list of hooks that an agent itself noted, without those that call us; `None` where nothing else was ever noted. What cannot be
/// read stays as it is.
#[must_use]
pub fn without(text: &str, key: &str, program: &Program) -> Option<String> {
    let is_ours = |item: &Node| {
        Called::of(&item.value(), "command").is_some_and(|called| called.is_ours(program))
    };
    let mut rest = text.to_owned();
    while let Ok(Some(root)) = json::read(&rest) {
        let items = root.get(key).and_then(Node::items).unwrap_or_default();
        let Some(at) = items.iter().position(is_ours) else { break };
        let Ok(less) = json::remove(&rest, &[Step::Key(key.to_owned()), Step::Item(at)]) else {
            break;
        };
        rest = less;
    }
    let is_bare = |root: &Node| {
        let alone = root.members().is_some_and(|members| members.len() == 1);
        alone && root.get(key).is_some_and(is_empty)
    };
    let nothing = rest != text && matches!(json::read(&rest), Ok(Some(root)) if is_bare(&root));
    (!nothing).then_some(rest)
}

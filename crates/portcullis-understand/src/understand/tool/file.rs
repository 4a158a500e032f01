//! Arguments that name something: files and addresses. Owns what the verb of a tool does to them.

use serde_json::Value;

use super::{Beside, Reader, Role, Side, Spot, look, name::Verb};
use crate::{
    effect::{Argument, WriteMode},
    place::{self, Place},
    programs::files::is_missed,
    programs::host::Host,
    text::Text,
};

/// A path by the name of its argument.
pub(super) struct Named<'a> {
    pub(super) side: Side,
    /// Whether it is only the directory of another.
    pub(super) is_base: bool,
    /// Whether it is a directory.
    pub(super) is_folder: bool,
    pub(super) beside: &'a Beside<'a>,
}

impl Reader<'_, '_> {
    /// One path, a list of them, or objects with more arguments.
    pub(super) fn paths(
        &mut self,
        named: &Named<'_>,
        value: &Value,
        at: &Spot,
        content: &mut Text,
        depth: usize,
    ) {
        match value {
            Value::String(text) => match look::json(text) {
                Some(_) => self.text(Role::Path(named.side), text, at, named.beside, depth),
                None => self.path(named, text, at, content),
            },
            Value::Array(items) if depth > 0 => {
                for (index, item) in items.iter().enumerate() {
                    self.paths(named, item, &at.below(&index.to_string()), content, depth - 1);
                }
            }
            other => self.value(Role::Path(named.side), other, at, named.beside, depth),
        }
    }

    /// A path, and what the tool does to it.
    pub(super) fn path(&mut self, named: &Named<'_>, text: &str, at: &Spot, content: &mut Text) {
        let written = text.trim();
        if written.is_empty() {
            return;
        }
        // `/a://b` is a path with an odd name, and what an address takes for a path comes back here.
        if written.contains("://") && look::file_of(written).is_none() && !look::is_path(written) {
            return self.address(text, at, named.beside);
        }
        let path = look::file_of(written).unwrap_or_else(|| look::home_as_tilde(written));
        let is_rooted = look::is_rooted_path(&path);
        if !is_rooted && self.name.is_repository() {
            return;
        }
        if at.open(self.walk, text).is_none() {
            return;
        }
        let file = Argument { text: Text::known(&path), ..self.walk.whole(text) };
        let verb = if named.is_base { None } else { named.beside.verb };
        if named.side == Side::Made && verb.is_none_or(|verb| verb == Verb::Read) {
            // Where something is put is written, also by a tool that gets or looks at something.
            return self.made(named, &file, &path, is_rooted, content);
        }
        self.touch(verb, named.side, &file, content);
        self.above(verb, named.side, &file, &path, content);
        if is_rooted || named.is_base {
            return;
        }
        for directory in &named.beside.directories {
            let path = format!("{}/{path}", look::home_as_tilde(directory.trim_end_matches('/')));
            let file = Argument { text: Text::known(&path), span: file.span };
            self.touch(verb, named.side, &file, content);
        }
    }

    /// A file that the tool makes, or a directory in which it does.
    fn made(
        &mut self,
        named: &Named<'_>,
        file: &Argument,
        path: &str,
        is_rooted: bool,
        content: &Text,
    ) {
        let bases = named.beside.directories.iter().filter(|_| !is_rooted && !named.is_base);
        let below = bases.map(|base| {
            let base = look::home_as_tilde(base.trim_end_matches('/'));
            Argument { text: Text::known(format!("{base}/{path}")), span: file.span }
        });
        self.above(Some(Verb::Write), named.side, file, path, &mut content.clone());
        for file in std::iter::once(file.clone()).chain(below) {
            if named.is_folder {
                self.walk.write(&file, WriteMode::Create, Text::default());
            } else {
                let unknown = content.is_empty().then(|| Text::unknown("what the tool made"));
                self.walk.write(
                    &file,
                    WriteMode::Replace,
                    unknown.unwrap_or_else(|| content.clone()),
                );
            }
        }
    }

    /// Where a server keeps its files is not known: a name that leads out of there (`../../.claude/settings.json`) is the file that its end says,
    /// where that is one that is obeyed or secret.
    fn above(
        &mut self,
        verb: Option<Verb>,
        side: Side,
        file: &Argument,
        path: &str,
        content: &mut Text,
    ) {
        let Some(below) = above_itself(path) else { return };
        let mut text = Text::unknown("where the tool keeps its files");
        text.append(&Text::known(format!("/{below}")));
        let target = self.walk.target(&text);
        let facts = self.walk.facts();
        let counts = place::persistence_of(&target, facts).is_some()
            || place::credential_of(&target, facts).is_some()
            || place::agent_file_of(&target, facts).is_some()
            || place::place_of(&target, facts) == Place::Gate;
        if counts {
            let file = Argument { text, span: file.span };
            self.touch(verb, side, &file, content);
        }
    }

    fn touch(&mut self, verb: Option<Verb>, side: Side, file: &Argument, content: &mut Text) {
        let walk = &mut *self.walk;
        match (verb.unwrap_or(Verb::Read), side) {
            (Verb::Delete, _) => walk.delete(file, true),
            (Verb::Move, Side::From | Side::Here) => {
                if is_missed(walk, file) {
                    walk.delete(file, true);
                }
                *content = walk.read(file);
            }
            (Verb::Read, _) | (_, Side::From) | (Verb::Copy, Side::Here) => {
                *content = walk.read(file);
            }
            (Verb::Write | Verb::Copy | Verb::Move, _) => {
                walk.write(file, WriteMode::Replace, content.clone());
            }
            (Verb::Append, _) => walk.write(file, WriteMode::Append, content.clone()),
            (Verb::Edit, _) => walk.write(file, WriteMode::Edit, content.clone()),
        }
    }

    /// What may be a path where nothing is copied or moved, if it looks like one.
    pub(super) fn perhaps_path(&mut self, text: &str, side: Side, at: &Spot, beside: &Beside<'_>) {
        let written = text.trim();
        if look::is_address(written) {
            self.address(text, at, beside);
        } else if look::is_path(written) || side == Side::Made && look::is_relative_path(written) {
            let named = Named { side, is_base: false, is_folder: false, beside };
            self.path(&named, text, at, &mut beside.content());
        } else {
            self.function(text, at, beside);
        }
    }

    /// An address: somebody is asked for what is there, or for a file of this machine.
    pub(super) fn address(&mut self, text: &str, at: &Spot, beside: &Beside<'_>) {
        let written = text.trim();
        if look::file_of(written).is_some() || look::is_path(written) {
            let named = Named { side: Side::Here, is_base: false, is_folder: false, beside };
            return self.path(&named, text, at, &mut beside.content());
        }
        if look::may_be_fetched(written) && at.open(self.walk, text).is_some() {
            let whole = self.walk.whole(text);
            let address = Argument { text: Text::known(written), ..whole };
            let sends = beside.sends.then(|| beside.content());
            self.walk.connect(&address, sends, false);
        }
    }

    /// A text that nothing is known of but what it looks like.
    pub(super) fn anything(&mut self, text: &str, at: &Spot, beside: &Beside<'_>) {
        let written = text.trim();
        if look::is_address(written) {
            self.address(text, at, beside);
        } else if look::is_rooted_path(written) {
            let named = Named { side: Side::Here, is_base: true, is_folder: true, beside };
            self.path(&named, text, at, &mut Text::default());
            self.perhaps_changed(text, at, beside);
        }
    }
}

impl Reader<'_, '_> {
    /// A file of the gate under a name that says nothing, for a tool that changes things: that it may change is enough.
    fn perhaps_changed(&mut self, text: &str, at: &Spot, beside: &Beside<'_>) {
        if beside.verb.is_none_or(|verb| verb == Verb::Read) {
            return;
        }
        let path = look::home_as_tilde(text.trim());
        let place = place::place_of(&self.walk.target(&Text::known(&path)), self.walk.facts());
        if place == Place::Gate && at.open(self.walk, text).is_some() {
            let file = Argument { text: Text::known(&path), ..self.walk.whole(text) };
            self.walk.hand(&file, true);
        }
    }
}

/// What a relative path names outside of the directory that it begins in; nothing where it stays in there.
fn above_itself(path: &str) -> Option<String> {
    let (mut below, mut leaves) = (Vec::new(), false);
    for part in path.split('/') {
        match part {
            "" if below.is_empty() && !leaves => return None,
            "" | "." => {}
            ".." => leaves |= below.pop().is_none(),
            part => below.push(part),
        }
    }
    (leaves && !below.is_empty()).then(|| below.join("/"))
}

#[cfg(test)]
mod tests {
    use super::above_itself;

    #[test]
    fn a_path_leaves_where_it_goes_up_more_than_down() {
        for (path, below) in [
            ("../../.claude/settings.json", Some(".claude/settings.json")),
            ("a/../../b/./c", Some("b/c")),
            ("a/../b", None),
            ("..", None),
            ("/../etc", None),
            ("a//b", None),
        ] {
            assert_eq!(above_itself(path).as_deref(), below, "{path}");
        }
    }
}

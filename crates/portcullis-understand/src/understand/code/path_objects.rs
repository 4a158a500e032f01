//! Objects that stand for paths: `Path::Tiny` of Perl, `Pathname` of Ruby. Owns what their methods give and do beside what those of every
//! language do (metacpan.org, Path::Tiny; docs.ruby-lang.org, Pathname).

use portcullis_syntax::Span;

use super::{
    fold::append_path,
    interpreter::Interpreter,
    tables::Act,
    value::{Given, Value},
};
use crate::{
    effect::Argument,
    text::{Piece, Text},
};

impl Interpreter<'_, '_, '_> {
    /// What a method of an object gives that stands for a path, where it is one of these.
    pub(super) fn path_object(
        &mut self,
        receiver: &Value,
        name: &str,
        given: &[Given],
        span: Span,
    ) -> Option<Value> {
        let Value::Text(path) = receiver else { return None };
        if !matches!(self.language, "perl" | "ruby") || !self.has_path_objects || path.is_empty() {
            return None;
        }
        let with_path = || {
            let mut all = vec![Given { name: None, value: receiver.clone(), span }];
            all.extend(given.iter().cloned());
            all
        };
        let act = match name {
            "children" | "each_child" | "entries" | "each_entry" | "iterator" | "visit" => {
                let mut root = path.clone();
                self.flush();
                let names = self.listed(&Argument { text: root.clone(), span });
                let Value::Text(text) = &names else { return Some(names) };
                if path.as_known().is_none()
                    || !text.pieces.iter().all(|it| matches!(it, Piece::Unknown(_)))
                {
                    return Some(names);
                }
                // What is found lies below what was looked through.
                root.push_known("/");
                let mut below = text.derive(root.pieces.iter().cloned());
                below.push(Piece::Glob("*".to_owned()));
                return Some(Value::Text(below));
            }
            "glob" if self.language == "ruby" => {
                let mut pattern = path.clone();
                pattern.push_known("/");
                pattern.append(&given.first()?.value.text());
                self.flush();
                return Some(self.listed(&Argument { text: pattern, span }));
            }
            "child" | "join" | "+" | "/" => {
                let mut whole = path.clone();
                for part in given {
                    append_path(&mut whole, &part.value.text());
                }
                return Some(Value::Text(whole));
            }
            "sibling" => {
                let mut whole = self.path_around(path)?;
                append_path(&mut whole, &given.first()?.value.text());
                return Some(Value::Text(whole));
            }
            "parent" | "dirname" => return self.path_around(path).map(Value::Text),
            "cleanpath" | "realpath" | "realdirpath" | "absolute" | "stringify" | "canonpath"
            | "to_path" | "expand_path" | "relative"
                if given.is_empty() =>
            {
                return Some(receiver.clone());
            }
            "append" | "append_raw" | "append_utf8" => Act::Append,
            "spew" | "spew_raw" | "spew_utf8" | "binwrite" | "write" => Act::Write,
            "edit" | "edit_lines" | "edit_utf8" | "edit_lines_utf8" => Act::Fill,
            "slurp" | "slurp_raw" | "slurp_utf8" | "lines" | "lines_utf8" | "binread" | "read"
            | "readlines" | "each_line" => Act::Read,
            "rmtree" | "remove_tree" => Act::DeleteTree,
            "delete" | "unlink" | "rmdir" | "remove" if given.is_empty() => Act::Delete,
            "move" | "rename" => Act::Move,
            "copy" => Act::Copy,
            "make_symlink" => Act::Link,
            _ => return None,
        };
        let mut all = with_path();
        if act == Act::Link {
            all.reverse();
        }
        Some(self.act(act, name, &all, span))
    }

    /// The directory around a path.
    fn path_around(&self, path: &Text) -> Option<Text> {
        let known = path.as_known()?;
        let plain = known.trim_end_matches('/');
        let around = match plain.rsplit_once('/') {
            _ if plain.is_empty() => "/".to_owned(),
            _ if plain == ".." || plain.ends_with("/..") => format!("{plain}/.."),
            _ if plain == "." => "..".to_owned(),
            Some(("", _)) => "/".to_owned(),
            Some((around, _)) => around.to_owned(),
            None => ".".to_owned(),
        };
        Some(path.derive([Piece::Known(around)]))
    }
}

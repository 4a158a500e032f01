//! Names that a program takes from a list: a file that an option names, or its input. Owns how a list is read and cut into names; what the
//! program does to each is its row's.

use crate::{
    bound::Bounded,
    effect::Argument,
    programs::host::Host,
    text::{Piece, Text},
};

/// How many names of a list are followed one by one; more than a person would write.
const NAMES: usize = 256;

/// The names in the list that an option names, of which `-` is the input.
pub(super) fn in_file(
    walk: &mut dyn Host,
    list: &Argument,
    input: Option<&Text>,
    separator: char,
) -> Vec<Argument> {
    let content = match list.text.as_known() {
        Some("-" | "/dev/stdin") => input.cloned().unwrap_or_else(|| Text::unknown("input")),
        _ => walk.read(list),
    };
    in_text(walk, &content, list, separator)
}

/// The names in a list; one that may be any where the list is not known. `at` says where it is named.
pub(super) fn in_text(
    walk: &mut dyn Host,
    list: &Text,
    at: &Argument,
    separator: char,
) -> Vec<Argument> {
    let list = walk.text_of_input(list);
    let list = walk.with_names(list);
    let named = |text: Text| Argument { text, span: at.span };
    let Some(known) = list.as_known() else {
        let is_pattern = list.pieces.iter().any(|piece| matches!(piece, Piece::Glob(_)));
        let text = if is_pattern { list } else { list.derive([Piece::Unknown("a name".into())]) };
        return vec![named(text)];
    };
    let names = known.split([separator, '\0']).map(|name| name.trim_end_matches('\r'));
    let names = names.filter(|name| !name.is_empty()).at_most(NAMES, walk, at.span);
    names.map(|name| named(list.derive([Piece::Known(name.to_owned())]))).collect()
}

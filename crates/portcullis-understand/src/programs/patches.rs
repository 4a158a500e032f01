//! What patches change: `patch`, `git apply`, `git am`, and the form that coding agents write (`apply_patch`). Owns how the files that a patch
//! names become effects, wherever its text stands.

use portcullis_syntax::Span;

use super::{host::Host, invocation::Invocation, laid_over, operands::operands, options::Options};
use crate::{
    action::{FileOperation, files_of_patch, patched_text},
    bound::Bounded,
    effect::{Argument, GapReason, WriteMode},
    place::{self, Place},
    text::{Piece, Taint, Text},
};

/// How many files of one patch are looked at; a change of a whole repository has hundreds.
const PATCHED: usize = 1024;

/// Programs whose patches name files of a repository, sorted. What comes over the network is told by itself.
const SHOWING: &[&str] = &["gh", "git", "glab", "hub"];

fn known(word: &Argument) -> &str {
    word.text.as_known().unwrap_or_default()
}

/// `patch -p1 < FILE`
pub(super) fn patch(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let options = invocation.options();
    if options.has(&["--dry-run", "-C"]) {
        return Text::default();
    }
    let files = operands(invocation);
    let content = match options.value(&["-i", "--input"]).or_else(|| files.get(1).cloned()) {
        Some(file) => text_of(walk, &file),
        None => match invocation.input.clone() {
            Some(input) => of_copied(walk, input, invocation.span),
            None => Text::default(),
        },
    };
    if let Some(file) = options.value(&["-o", "--output"]).or_else(|| files.first().cloned()) {
        walk.write(&file, WriteMode::Edit, Text::unknown("patch"));
        return Text::default();
    }
    let outer = walk.directory().map(str::to_owned);
    if let Some(below) = options.value(&["-d", "--directory"]) {
        let inner = walk.target(&below.text).path;
        walk.go_to(inner);
    }
    let is_led = options.has(&["-d", "--directory"]);
    // A file that is given as it is was looked for by itself.
    let is_copied =
        invocation.input.as_ref().is_some_and(|input| walk.copied_file(input).is_some());
    let is_piped = !options.has(&["-i", "--input"])
        && files.get(1).is_none()
        && invocation.input.is_some()
        && !is_copied;
    patched(walk, &content, level(&options), (is_led, is_piped), invocation);
    walk.go_to(outer);
    Text::default()
}

/// How many parts of a name are left out: `-p2`; one, where nothing is said.
fn level(options: &Options<'_>) -> usize {
    let said = options.value(&["-p", "--strip"]);
    let said = said.as_ref().and_then(|said| said.text.as_known()?.parse().ok());
    said.unwrap_or(1)
}

/// `git apply`, `git am`.
pub(super) fn by_git(walk: &mut dyn Host, invocation: &Invocation) {
    let words = operands(invocation);
    let looks = ["--check", "--stat", "--numstat", "--summary"];
    let verb = words.iter().position(|word| matches!(known(word), "am" | "apply"));
    let Some(verb) = verb.filter(|_| !invocation.options().has(&looks)) else { return };
    let outer = walk.directory().map(str::to_owned);
    let is_verb = |word: &Argument| matches!(known(word), "am" | "apply");
    let at = invocation.arguments.iter().position(is_verb).unwrap_or_default();
    let before = invocation.arguments.get(..at).unwrap_or_default();
    let before = Options::new(before, &["-C", "-c", "--git-dir", "--work-tree"]);
    for there in before.values_of(&["-C", "--work-tree"]) {
        let inner = walk.target(&there.text).path;
        walk.go_to(inner);
    }
    apply(walk, invocation, words.get(verb + 1..).unwrap_or_default());
    walk.go_to(outer);
}

fn apply(walk: &mut dyn Host, invocation: &Invocation, files: &[Argument]) {
    let mut patches: Vec<(Text, bool)> = Vec::new();
    // A name that a program printed; a variable of the environment is somebody's choice.
    let is_printed = |file: &Argument| {
        // `git apply <(sed s/a/b/ x.patch)`
        if file.text.known_prefix().starts_with("/dev/fd/") {
            return true;
        }
        let by = file.text.pieces.iter().find_map(|piece| match piece {
            Piece::Unknown(by) => Some(by),
            _ => None,
        });
        by.is_some_and(|by| by.bytes().any(|byte| byte.is_ascii_lowercase()))
    };
    for file in files.iter().filter(|file| known(file) != "-") {
        let found = walk.matches(file).unwrap_or_default();
        if found.is_empty() {
            let is_made = is_printed(file) || walk.wrote(&file.text);
            patches.push((text_of(walk, file), is_made));
        }
        for path in found.into_iter().at_most(PATCHED, walk, file.span) {
            let file = Argument { text: Text::known(path), span: file.span };
            patches.push((text_of(walk, &file), false));
        }
    }
    if files.iter().all(|file| known(file) == "-")
        && let Some(input) = invocation.input.clone()
    {
        let is_copied = walk.copied_file(&input).is_some();
        patches.push((of_copied(walk, input, invocation.span), !is_copied));
    }
    let options = invocation.options();
    let below = options.abbreviating().value(&["--directory"]);
    for (patch, is_made) in patches {
        let outer = walk.directory().map(str::to_owned);
        if let Some(below) = &below {
            let inner = walk.target(&below.text).path;
            walk.go_to(inner);
        }
        let is_led = below.is_some() || is_elsewhere(walk);
        patched(walk, &patch, level(&options), (is_led, is_made), invocation);
        walk.go_to(outer);
    }
}

/// Whether what a patch names lies outside of the project, and of what is thrown away.
fn is_elsewhere(walk: &dyn Host) -> bool {
    let place = place::place_of(&walk.target(&Text::known(".")), walk.facts());
    !place.is_workspace() && !matches!(place, Place::Temporary | Place::TemporaryTop | Place::Cache)
}

/// `apply_patch PATCH`, `apply_patch <<EOF`: as the tool of that name does.
pub(super) fn applied(walk: &mut dyn Host, invocation: &Invocation) {
    if !matches!(invocation.program.as_str(), "applypatch" | "apply_patch") {
        return;
    }
    let given = invocation.arguments.iter().map(|word| word.text.clone());
    let texts: Vec<Text> = given.chain(invocation.input.clone()).collect();
    for text in texts {
        let text = of_copied(walk, text, invocation.span);
        if text.as_known().is_none() {
            walk.gap(invocation.span, GapReason::UnknownCode);
        }
        if text.known_prefix().contains("*** ") {
            patched(walk, &text, 0, (false, false), invocation);
        }
    }
}

/// What stands in a patch's file: what this call wrote, else what was there.
fn text_of(walk: &mut dyn Host, file: &Argument) -> Text {
    let text = walk.read(file);
    if text.as_known().is_some() || walk.wrote(&file.text) {
        return text;
    }
    let path = walk.target(&file.text).path;
    match path.and_then(|path| whole(walk, &path, file.span)) {
        Some(whole) => whole,
        // `git apply <(cat x.patch)`
        None => of_copied(walk, text, file.span),
    }
}

/// The text of a file, which says where not all of it was read.
fn whole(walk: &mut dyn Host, path: &str, span: Span) -> Option<Text> {
    let file = walk.look(path).file()?;
    if !file.whole {
        walk.gap(span, GapReason::Limit);
    }
    Some(Text::known(&*file.text))
}

/// `patch < FILE`: the text of the file.
fn of_copied(walk: &mut dyn Host, input: Text, span: Span) -> Text {
    let path = walk.copied_file(&input);
    path.and_then(|path| whole(walk, &path, span)).unwrap_or(input)
}

/// The patch itself says which files it changes. So many parts of each name are left out; `is_led` where it was told a directory, `is_made` where its
/// text comes out of another program, or from a file that one names.
fn patched(
    walk: &mut dyn Host,
    content: &Text,
    level: usize,
    (is_led, is_made): (bool, bool),
    invocation: &Invocation,
) {
    if content.is_cut() {
        walk.gap(invocation.span, GapReason::Limit);
    }
    if content.as_known().is_none() && (is_led || content.taint.has(Taint::NETWORK)) {
        let changed = content.derive([Piece::Unknown("a patch".into())]);
        let here = walk.directory().filter(|_| is_led).map(|here| format!("{here}/"));
        let mut text = here.map_or_else(Text::default, Text::known);
        text.push(Piece::Unknown("what a patch changes".into()));
        if is_led {
            laid_over::fills(walk, &Argument { text: Text::known("."), span: invocation.span });
        }
        walk.write(&Argument { text, span: invocation.span }, WriteMode::Edit, changed);
    }
    // What another program made of a patch may name any file; what git shows of its own history names its own.
    let by = match content.pieces.first() {
        Some(Piece::Unknown(by)) => Some(&**by),
        _ => None,
    };
    let is_fetched = content.taint.has(Taint::NETWORK);
    if is_made && !is_fetched && by.is_some_and(|by| SHOWING.binary_search(&by).is_err()) {
        walk.gap(invocation.span, GapReason::UnknownCode);
    }
    let text = content.known_prefix();
    for (operation, named) in
        files_of_patch(text).into_iter().at_most(PATCHED, walk, invocation.span)
    {
        let bare = named.splitn(level + 1, '/').nth(level);
        let name = bare.filter(|_| !named.starts_with('/')).unwrap_or(&named);
        let file = Argument { text: Text::known(name), span: invocation.span };
        if operation == FileOperation::Delete {
            walk.delete(&file, false);
            continue;
        }
        let mut left = match patched_text(text, Some(&named)) {
            Some(left) => content.derive([Piece::Known(left)]),
            None => content.derive([]),
        };
        // What else stands in the file is not told.
        left.append(&Text::unknown("patch"));
        walk.write(&file, WriteMode::Edit, left);
    }
}

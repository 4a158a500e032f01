//! Programs that show directories of this machine to what they run: in containers and in other views of the file system. Owns which of
//! their words name such a directory; what runs there reads and changes it under another name, so nothing else is known of it.

use crate::{
    effect::Argument,
    programs::Options,
    text::{Piece, Text},
    understand::shell::{Invocation, Walk},
};

/// Options with `SOURCE:DESTINATION`.
const VOLUMES: &[&str] = &["--bind", "--bind-ro", "--overlay", "--volume", "-v"];

/// Options with `type=bind,source=SOURCE,…`.
const MOUNTS: &[&str] = &["--mount"];

/// Options with `KEY=VALUE`, and the keys whose value names a directory.
const SETTINGS: &[&str] = &["--opt", "--property", "-o", "-p"];
const KEYS: &[&str] = &["device=", "BindPaths=", "BindReadOnlyPaths="];

/// Options with a directory that becomes the whole file system.
const ROOTS: &[&str] = &["--directory", "--image", "--rootfs", "-D"];

/// All of these.
const VALUES: &[&str] = &[
    "--bind",
    "--bind-ro",
    "--directory",
    "--image",
    "--mount",
    "--opt",
    "--overlay",
    "--property",
    "--rootfs",
    "--volume",
    "-D",
    "-o",
    "-p",
    "-v",
];

/// Programs whose options are read so, sorted.
static MOUNTERS: &[&str] = &[
    "buildah",
    "ctr",
    "docker",
    "docker-compose",
    "finch",
    "nerdctl",
    "podman",
    "podman-compose",
    "systemd-nspawn",
    "systemd-run",
];

/// Options of bubblewrap, behind which the source stands in a word of its own.
const BUBBLEWRAP: &[&str] = &[
    "--bind",
    "--bind-try",
    "--dev-bind",
    "--dev-bind-try",
    "--overlay-src",
    "--ro-bind",
    "--ro-bind-try",
];

/// How many words of one command are looked at.
const WORDS: usize = 256;

/// Hands the directories of a command to what it runs.
pub(crate) fn follow(walk: &mut Walk<'_>, invocation: &Invocation) {
    let name = invocation.program.as_str();
    if name == "bwrap" {
        for words in invocation.arguments.windows(3).take(WORDS) {
            let [option, source, destination] = words else { continue };
            let is_bound = option.text.as_known().is_some_and(|word| BUBBLEWRAP.contains(&word));
            // Under its own name it is what it was.
            if is_bound && source.text != destination.text {
                walk.mount(source);
            }
        }
    } else if MOUNTERS.binary_search(&name).is_ok() {
        for source in sources(invocation) {
            walk.mount(&source);
        }
    }
}

fn sources(invocation: &Invocation) -> Vec<Argument> {
    let options = Options::new(&invocation.arguments, VALUES);
    let mut sources = Vec::new();
    sources.extend(options.values_of(VOLUMES).map(|value| until(&value, &[':'])));
    for value in options.values_of(MOUNTS) {
        // As in a table of comma-separated values: a field may stand in quotes.
        for field in fields(&value, ',') {
            let bare = beyond(&field, "\"").unwrap_or(field);
            let source = beyond(&bare, "source=").or_else(|| beyond(&bare, "src="));
            sources.extend(source.map(|source| until(&source, &['"'])));
        }
    }
    for value in options.values_of(SETTINGS) {
        let value = KEYS.iter().find_map(|key| beyond(&value, key));
        for field in value.iter().flat_map(|value| fields(value, ' ')) {
            sources.push(until(&field, &[':']));
        }
    }
    sources.extend(options.values_of(ROOTS));
    // Anything else is the name of a volume.
    let is_path = |source: &Argument| {
        let prefix = source.text.known_prefix();
        prefix.is_empty() || prefix.starts_with(['/', '.', '~']) || prefix.contains('/')
    };
    sources.retain(is_path);
    sources.truncate(WORDS);
    sources
}

/// What follows `prefix` in a value that begins with it.
fn beyond(value: &Argument, prefix: &str) -> Option<Argument> {
    let rest = value.text.known_prefix().strip_prefix(prefix)?;
    Some(Argument { text: value.text.beginning_with(rest), span: value.span })
}

/// A value up to the first of some characters.
fn until(value: &Argument, ends: &[char]) -> Argument {
    let mut text = value.text.derive([]);
    for piece in &value.text.pieces {
        let (Piece::Known(known) | Piece::Glob(known)) = piece else {
            text.push(piece.clone());
            continue;
        };
        let Some(at) = known.find(ends) else {
            text.push(piece.clone());
            continue;
        };
        text.push_known(known.get(..at).unwrap_or_default());
        break;
    }
    Argument { text, span: value.span }
}

/// The parts of a value between separators.
fn fields(value: &Argument, separator: char) -> Vec<Argument> {
    let mut all = vec![value.text.derive([])];
    for piece in &value.text.pieces {
        let Piece::Known(known) = piece else {
            append(&mut all, Text::from(piece.clone()));
            continue;
        };
        for (number, part) in known.split(separator).take(WORDS).enumerate() {
            if number > 0 {
                all.push(value.text.derive([]));
            }
            append(&mut all, Text::known(part));
        }
    }
    all.into_iter().map(|text| Argument { text, span: value.span }).collect()
}

fn append(all: &mut [Text], more: Text) {
    if let Some(last) = all.last_mut() {
        last.append(&more);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_sorted() {
        assert!(MOUNTERS.is_sorted() && VALUES.is_sorted());
        for list in [VOLUMES, MOUNTS, SETTINGS, ROOTS] {
            assert!(list.iter().all(|option| VALUES.contains(option)));
        }
    }
}

//! Programs that show directories of this machine to what they run: in containers and in other views of the file system. Owns which of
//! their words name such a directory; what runs there reads and changes it under another name, so nothing else is known of it.

use crate::{
    bound::Bounded,
    effect::Argument,
    programs::Options,
    programs::host::Host,
    programs::invocation::Invocation,
    text::{Piece, Text},
};

/// Which words of a program name a directory.
struct Mounter {
    name: &'static str,
    /// Options with `SOURCE:DESTINATION`, or several of them between commas.
    volumes: &'static [&'static str],
    /// Options with `type=bind,source=SOURCE,…`.
    lists: &'static [&'static str],
    /// Options with `KEY=SOURCE`, and `:DESTINATION` behind it.
    settings: &'static [&'static str],
    /// Options with a directory that becomes the whole file system, or a file that is taken along.
    whole: &'static [&'static str],
    /// All of these.
    values: &'static [&'static str],
    /// Verbs behind which every word may be a directory, and every `source=SOURCE`.
    verbs: &'static [&'static str],
}

const NONE: Mounter = Mounter {
    name: "",
    volumes: &[],
    lists: &[],
    settings: &[],
    whole: &[],
    values: &[],
    verbs: &[],
};

/// What runs containers, as Docker does.
const fn engine(name: &'static str) -> Mounter {
    Mounter {
        name,
        volumes: &["--volume", "-v"],
        lists: &["--mount", "--secret"],
        settings: &["--build-context", "--opt", "--set", "-o"],
        whole: &["--env-file", "--rootfs"],
        values: &[
            "--build-context",
            "--env-file",
            "--mount",
            "--opt",
            "--rootfs",
            "--secret",
            "--set",
            "--volume",
            "-o",
            "-v",
        ],
        verbs: &["build"],
    }
}

const fn image(name: &'static str) -> Mounter {
    Mounter {
        name,
        volumes: &["--bind", "-B"],
        lists: &["--mount"],
        values: &["--bind", "--mount", "-B"],
        ..NONE
    }
}

/// Sorted by name.
static MOUNTERS: &[Mounter] = &[
    image("apptainer"),
    engine("buildah"),
    engine("ctr"),
    engine("docker"),
    engine("docker-compose"),
    engine("finch"),
    Mounter {
        name: "firejail",
        volumes: &["--bind"],
        whole: &["--chroot"],
        values: &["--bind", "--chroot"],
        ..NONE
    },
    Mounter { name: "flatpak", volumes: &["--filesystem"], values: &["--filesystem"], ..NONE },
    Mounter { name: "incus", verbs: &["device", "file"], ..NONE },
    Mounter { name: "lxc", verbs: &["device", "file"], ..NONE },
    Mounter {
        name: "minikube",
        volumes: &["--mount-string"],
        values: &["--mount-string"],
        verbs: &["mount"],
        ..NONE
    },
    engine("nerdctl"),
    engine("podman"),
    engine("podman-compose"),
    Mounter {
        name: "proot",
        volumes: &["-b"],
        whole: &["-R", "-S", "-r"],
        values: &["-R", "-S", "-b", "-r"],
        ..NONE
    },
    image("singularity"),
    Mounter {
        name: "systemd-nspawn",
        volumes: &["--bind", "--bind-ro", "--overlay"],
        whole: &["--directory", "--image", "-D", "-i"],
        values: &["--bind", "--bind-ro", "--directory", "--image", "--overlay", "-D", "-i"],
        ..NONE
    },
    Mounter {
        name: "systemd-run",
        settings: &["--property", "-p"],
        values: &["--property", "-p"],
        ..NONE
    },
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
pub(crate) fn follow(walk: &mut dyn Host, invocation: &Invocation) {
    let name = invocation.program.as_str();
    if name == "bwrap" {
        for words in invocation.arguments.windows(3).at_most(WORDS, walk, invocation.span) {
            let [option, source, destination] = words else { continue };
            let is_bound = option.text.as_known().is_some_and(|word| BUBBLEWRAP.contains(&word));
            // Under its own name it is what it was.
            if is_bound && source.text != destination.text {
                walk.mount(source);
            }
        }
    } else if let Ok(row) = MOUNTERS.binary_search_by(|row| row.name.cmp(name))
        && let Some(mounter) = MOUNTERS.get(row)
    {
        for source in sources(invocation, mounter) {
            walk.mount(&source);
        }
    }
}

fn sources(invocation: &Invocation, mounter: &Mounter) -> Vec<Argument> {
    let Mounter { volumes, lists, settings, whole, values, verbs, .. } = mounter;
    let options = Options::new(&invocation.arguments, values);
    let mut sources = Vec::new();
    for value in options.values_of(volumes) {
        sources.extend(fields(&value, ',').iter().map(|field| until(field, ':')));
    }
    for value in options.values_of(lists) {
        // As in a table of comma-separated values: a field may stand in quotes.
        for field in fields(&value, ',') {
            let bare = beyond(&field, "\"").unwrap_or(field);
            sources.extend(named(&bare).map(|source| until(&source, '"')));
        }
    }
    for value in options.values_of(settings) {
        let words = fields(&value, ' ');
        let bare = |word: &Argument| behind(word, '=').unwrap_or_else(|| word.clone());
        for word in &words {
            let source = until(&bare(word), ':');
            // What need not be there is written with `-` before it.
            sources.push(beyond(&source, "-").unwrap_or(source));
        }
    }
    sources.extend(options.values_of(whole));
    let mut words = options.operands();
    if words.any(|word| word.text.as_known().is_some_and(|word| verbs.contains(&word))) {
        let sought = |word: &Argument| until(&named(word).unwrap_or_else(|| word.clone()), ':');
        sources.extend(words.map(sought));
    }
    // Anything else is the name of a volume.
    sources.retain(is_path);
    sources
}

/// The parts of a word that could each be a path: `--opt=PATH`, `path=PATH,tag=x`, `host:PATH`.
pub(super) fn paths_in(word: &Argument) -> Vec<Argument> {
    let parts = fields(word, ',');
    let parts = parts.iter().flat_map(|part| fields(part, '='));
    let mut paths: Vec<Argument> =
        parts.collect::<Vec<_>>().iter().flat_map(|part| fields(part, ':')).collect();
    paths.retain(is_path);
    paths
}

fn is_path(word: &Argument) -> bool {
    let prefix = word.text.known_prefix();
    !word.text.is_empty()
        && (prefix.is_empty() || prefix.starts_with(['.', '~']) || prefix.contains('/'))
}

fn named(field: &Argument) -> Option<Argument> {
    ["source", "src"].iter().find_map(|name| {
        let (key, _) = field.text.known_prefix().split_once('=')?;
        key.eq_ignore_ascii_case(name).then(|| behind(field, '='))?
    })
}

/// What follows `prefix` in a value that begins with it.
fn beyond(value: &Argument, prefix: &str) -> Option<Argument> {
    let rest = value.text.known_prefix().strip_prefix(prefix)?;
    Some(Argument { text: value.text.beginning_with(rest), span: value.span })
}

/// What follows the first `separator`.
fn behind(value: &Argument, separator: char) -> Option<Argument> {
    let (_, rest) = value.text.known_prefix().split_once(separator)?;
    Some(Argument { text: value.text.beginning_with(rest), span: value.span })
}

/// A value up to the first `end`.
fn until(value: &Argument, end: char) -> Argument {
    let mut text = value.text.derive([]);
    for piece in &value.text.pieces {
        let (Piece::Known(known) | Piece::Glob(known)) = piece else {
            text.push(piece.clone());
            continue;
        };
        let Some(at) = known.find(end) else {
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
        for (number, part) in known.split(separator).enumerate() {
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
        assert!(MOUNTERS.is_sorted_by_key(|row| row.name));
        for row in MOUNTERS {
            let mut all = [row.volumes, row.lists, row.settings, row.whole].concat();
            all.sort_unstable();
            assert_eq!(row.values, all, "{}", row.name);
        }
    }
}

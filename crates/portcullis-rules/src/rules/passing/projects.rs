//! What files of a project do that were there before the call, and what is their ordinary business: reading the settings of the same project, a
//! migration of a database at hand, what a build made; and what those do that the last commit holds as they stand, whose word is the project's.
//! Owns the rules that say less there. Never among them: keys read and sent, homes and disks, persistence, code of the network, the gate.

use super::{
    super::{Hit, Rule, Scene},
    is_here,
};
use crate::{
    effect::{Certainty, Effect, EffectKind, Run, Target},
    place,
    programs::Options,
    risk::Severity,
    text::{Piece, Text},
    understand,
};

/// What of a file proves that a finding in it is of no consequence.
type Proof = fn(&Effect, &Scene<'_>) -> bool;

/// Rules, sorted by id.
static PROOFS: &[(&str, Proof)] = &[
    ("credentials.file.read", |effect, scene| match &effect.kind {
        EffectKind::Read(target) => {
            place::place_of(target, scene.facts).is_workspace() || is_settings(target)
        }
        _ => false,
    }),
    ("execution.remote.unpacked", |effect, scene| fetches_safely(effect, scene)),
    ("git.clean.force", |effect, _| run_of(effect).is_some_and(cleans_ignored)),
    ("query.alter.drop", migrates_at_hand),
    ("query.drop.part", migrates_at_hand),
    ("query.grant", |effect, scene| migrates_at_hand(effect, scene) && !is_mighty(effect, scene)),
    ("unfamiliar.verb.delete", |_, _| true),
];

/// Rules, sorted by id, that say less of a file that is the project's own word: what they know is not what happens, only that a value or a
/// name is not known. Tests delete a directory that a variable names; nobody can say more of it than who wrote and kept it.
static SETTLED: &[(&str, Proof)] = &[
    ("code.deserialize.untrusted", |effect, scene| !fetches(effect, scene)),
    ("credentials.file.write", |effect, _| match &effect.kind {
        EffectKind::Write { target, .. } => target.path.is_none(),
        _ => false,
    }),
    ("fs.delete.unknown", |effect, _| !is_everything_where_empty(effect)),
    ("git.worktree.remove-force", |effect, _| {
        run_of(effect).is_some_and(|run| run.arguments.iter().any(|word| word.text.has_unknown()))
    }),
    ("http.request.delete", |effect, scene| {
        names_no_host(effect, scene) && is_of_tests(effect, scene)
    }),
    ("privilege.loader.environment", loads_its_own),
    ("tool.data.deleted", is_of_its_own),
];

/// The hit of a rule, told as less where a file that was there before does what is its own business.
pub(in crate::rules) fn tempered(
    rule: &Rule,
    effect: &Effect,
    scene: &Scene<'_>,
    mut hit: Hit,
) -> Hit {
    let row = PROOFS.binary_search_by(|row| row.0.cmp(rule.id)).ok().and_then(|at| PROOFS.get(at));
    if let Some((_, proves)) = row
        && scene.effects.in_file(effect.at).is_some()
        && !scene.is_remote(effect)
        && proves(effect, scene)
    {
        hit.severity = Some(hit.severity.unwrap_or(rule.severity).min(Severity::Medium));
    }
    let row =
        SETTLED.binary_search_by(|row| row.0.cmp(rule.id)).ok().and_then(|at| SETTLED.get(at));
    if let Some((_, proves)) = row
        && scene.effects.is_settled(hit.at.unwrap_or(effect.at))
        && !scene.is_remote(effect)
        && proves(effect, scene)
    {
        hit.severity = Some(hit.severity.unwrap_or(rule.severity).min(Severity::Medium));
    }
    // What a function of the project does with its repository, and nothing here calls: its release, beside what is asked for.
    if effect.certainty == Certainty::Possible
        && rule.id.starts_with("git.")
        && scene.effects.is_settled(hit.at.unwrap_or(effect.at))
    {
        hit.severity = Some(hit.severity.unwrap_or(rule.severity).min(Severity::Medium));
    }
    hit
}

/// Whether the file around takes something from the network: what comes from there is nobody's own word.
fn fetches(effect: &Effect, scene: &Scene<'_>) -> bool {
    const FETCHES: &[&str] = &[
        ".recv(", "aiohttp", "boto3", "ftplib", "httpx", "requests", "socket", "urllib", "urlopen",
        "zmq",
    ];
    let Some((_, at)) = scene.effects.in_file(effect.at) else { return true };
    let text = scene.effects.layer_text(at.layer);
    FETCHES.iter().any(|word| text.contains(word))
}

/// `rm -rf "$STAGE"/*`: all that there is where the variable is empty.
fn is_everything_where_empty(effect: &Effect) -> bool {
    let EffectKind::Delete { target, .. } = &effect.kind else { return true };
    let [Piece::Unknown(_), rest @ ..] = target.text.pieces.as_slice() else { return false };
    let rest: Option<String> = rest
        .iter()
        .map(|piece| match piece {
            Piece::Known(text) | Piece::Glob(text) => Some(text.as_str()),
            Piece::Unknown(_) => None,
        })
        .collect();
    rest.is_some_and(|rest| rest.starts_with('/') && rest.trim_matches(['/', '*', '.']).is_empty())
}

/// A test: the address of what it asks comes from who runs it, and is a server that was made for it.
fn is_of_tests(effect: &Effect, scene: &Scene<'_>) -> bool {
    let Some((path, _)) = scene.effects.in_file(effect.at) else { return false };
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.split('.').next().unwrap_or(name);
    stem.starts_with("test_")
        || stem.ends_with("_test")
        || [".test.", ".spec."].iter().any(|part| name.contains(part))
}

/// A function of another file of the same project: `util.destroy(socket)`.
fn is_of_its_own(effect: &Effect, _: &Scene<'_>) -> bool {
    matches!(&effect.kind, EffectKind::Act(act) if act.contract.subject.starts_with("something by ."))
}

/// A library of the project that its own file loads into programs without more rights: `LD_PRELOAD=../src/lib.so ./test`.
fn loads_its_own(effect: &Effect, scene: &Scene<'_>) -> bool {
    let EffectKind::Environment { value, .. } = &effect.kind else { return false };
    let Some(list) = value.as_known() else { return false };
    let Some((file, _)) = scene.effects.in_file(effect.at) else { return false };
    let Some(workspace) = scene.facts.workspace.as_deref() else { return false };
    let has_more_rights =
        scene.effects.list.iter().any(|effect| matches!(effect.kind, EffectKind::Privilege { .. }));
    let directory = file.rsplit_once('/').map_or("/", |(directory, _)| directory);
    let is_own = |path: &str| {
        let Some(path) =
            understand::shell::absolute(&Text::known(path), Some(directory), scene.facts)
        else {
            return false;
        };
        let below = path.strip_prefix(workspace).and_then(|rest| rest.strip_prefix('/'));
        below.is_some_and(|below| !below.split('/').any(|part| part.starts_with(['.', '~'])))
            && scene.facts.session.left(&path).is_none()
    };
    !has_more_rights && list.split([':', ' ']).filter(|path| !path.is_empty()).all(is_own)
}

/// A request to an address that the file does not say.
fn names_no_host(effect: &Effect, _: &Scene<'_>) -> bool {
    match &effect.kind {
        EffectKind::Connect(connection) => connection.host.is_none(),
        EffectKind::Run(run) => {
            !run.arguments.iter().any(|word| word.text.display().contains("://"))
        }
        _ => false,
    }
}

/// Settings in a place that the file computes from its own: `BASE_DIR / ".env"`.
fn is_settings(target: &Target) -> bool {
    let last = target.text.pieces.last();
    target.path.is_none() && matches!(last, Some(Piece::Known(known)) if known.ends_with("/.env"))
}

/// Whether a file makes an account that may do everything, or may give on what it may.
fn is_mighty(effect: &Effect, scene: &Scene<'_>) -> bool {
    const MIGHTY: &[&str] = &[
        "BYPASSRLS",
        "CREATEROLE",
        "GRANT OPTION",
        "ON *.*",
        "PG_EXECUTE",
        "PG_READ_SERVER",
        "PG_WRITE_SERVER",
        "REPLICATION",
        "SUPER",
        "SYSADMIN",
    ];
    let Some((_, at)) = scene.effects.in_file(effect.at) else { return true };
    let text = scene.effects.layer_text(at.layer).to_ascii_uppercase();
    MIGHTY.iter().any(|word| text.contains(word))
}

fn run_of(effect: &Effect) -> Option<&Run> {
    match &effect.kind {
        EffectKind::Run(run) => Some(run),
        _ => None,
    }
}

/// `git clean -X`: what is not kept because the project says so.
fn cleans_ignored(run: &Run) -> bool {
    run.arguments.iter().filter_map(|word| word.text.as_known()).any(|word| {
        word.strip_prefix('-').is_some_and(|letters| {
            !letters.starts_with('-') && letters.contains('X') && !letters.contains('x')
        })
    })
}

/// Whether the file names no address that anybody on the way may change, nor a bare number.
fn fetches_safely(effect: &Effect, scene: &Scene<'_>) -> bool {
    let Some((_, at)) = scene.effects.in_file(effect.at) else { return false };
    let text = scene.effects.layer_text(at.layer);
    // What a comment names, a licence most often, is not fetched.
    let is_said = |line: &&str| !line.trim_start().starts_with(['#', ';']);
    let text: String = text.split_inclusive('\n').filter(is_said).collect();
    !text.match_indices("://").any(|(at, _)| {
        let before = text.get(..at).unwrap_or_default();
        let is_number = text
            .get(at + 3..)
            .is_some_and(|host| host.starts_with(|letter: char| letter.is_ascii_digit()));
        is_number || ["http", "ftp"].iter().any(|scheme| before.ends_with(scheme))
    })
}

/// Whether statements of a file go to a database of this machine whose name is none of production.
fn migrates_at_hand(effect: &Effect, scene: &Scene<'_>) -> bool {
    let run = run_of(effect).or_else(|| scene.program_around(effect));
    let started = scene.effects.in_file(effect.at).and_then(|(_, at)| {
        let outer = scene.effects.layers.get(usize::from(at.layer.0))?.origin.outer()?;
        scene.effects.list.iter().find_map(|effect| match &effect.kind {
            EffectKind::Run(run)
                if effect.at.layer == outer.layer
                    && (outer.span.contains(effect.at.span)
                        || effect.at.span.contains(outer.span)) =>
            {
                Some(run)
            }
            _ => None,
        })
    });
    [run, started].into_iter().flatten().all(|run| {
        let options = Options::new(
            &run.arguments,
            &[
                "-h",
                "--host",
                "-p",
                "--port",
                "-U",
                "-u",
                "--username",
                "--user",
                "-d",
                "--dbname",
                "--database",
                "-f",
                "--file",
                "-S",
            ],
        );
        let is_dear =
            |word: &str| ["prod", "live", "://", "@"].iter().any(|mark| word.contains(mark));
        is_here(options, &["-h", "--host", "-S"])
            && !run.arguments.iter().any(|word| word.text.as_known().is_none_or(is_dear))
    })
}

/// `-v /etc/passwd:/etc/passwd:ro`: a container learns the names of accounts and cannot change them.
pub(super) fn shows_names_only(run: &Run, _: &Effect, _: &Scene<'_>) -> bool {
    const NAMES: &[&str] = &[
        "/etc/group",
        "/etc/hosts",
        "/etc/localtime",
        "/etc/nsswitch.conf",
        "/etc/passwd",
        "/etc/resolv.conf",
        "/etc/timezone",
    ];
    let options = Options::new(&run.arguments, &["-v", "--volume", "--mount"]);
    if options.has(&["--mount"]) {
        return false;
    }
    options.values_of(&["-v", "--volume"]).all(|volume| {
        let text = volume.text.display();
        let mut parts = text.split(':');
        let source = parts.next().unwrap_or_default();
        let is_read_only =
            text.rsplit(':').next().is_some_and(|options| options.split(',').any(|it| it == "ro"));
        let is_systems = ["/etc", "/boot", "/dev", "/lib", "/proc", "/sys", "/usr", "/var"]
            .iter()
            .any(|top| source == *top || source.starts_with(&format!("{top}/")));
        !matches!(source, "/" | "/home" | "/root")
            && (!is_systems || is_read_only && NAMES.contains(&source))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted() {
        assert!(PROOFS.is_sorted_by_key(|row| row.0));
        assert!(SETTLED.is_sorted_by_key(|row| row.0));
        for (rule, _) in PROOFS.iter().chain(SETTLED) {
            assert!(crate::rules::find(rule).is_some(), "{rule}");
        }
    }
}

//! Programs that run a command in a container. Owns where the inner command stands behind the image or the name.

use super::{
    super::{Options, cards},
    words::command_after,
};
use crate::{
    bound::Bounded,
    effect::{Argument, WriteMode},
    programs::{host::Host, invocation::Invocation},
    text::Text,
};

/// Options of an engine that take a value.
const VALUES: &[&str] = &[
    "-H",
    "--host",
    "--context",
    "-c",
    "--config",
    "-l",
    "--log-level",
    "-a",
    "--attach",
    "--add-host",
    "--cap-add",
    "--cap-drop",
    "--cpus",
    "--cpu-shares",
    "--device",
    "--dns",
    "-e",
    "--env",
    "--env-file",
    "--entrypoint",
    "--expose",
    "--gpus",
    "--group-add",
    "-h",
    "--hostname",
    "--ip",
    "--ipc",
    "--isolation",
    "--label",
    "--link",
    "--log-driver",
    "--log-opt",
    "-m",
    "--memory",
    "--mount",
    "--name",
    "--net",
    "--network",
    "--network-alias",
    "--pid",
    "--pids-limit",
    "--platform",
    "-p",
    "--publish",
    "--pull",
    "--restart",
    "--runtime",
    "--security-opt",
    "--shm-size",
    "--stop-signal",
    "--sysctl",
    "--tmpfs",
    "-u",
    "--user",
    "--ulimit",
    "--userns",
    "--uts",
    "-v",
    "--volume",
    "--volumes-from",
    "-w",
    "--workdir",
    "--detach-keys",
    "-f",
    "--file",
    "--project-name",
    "--profile",
    "--project-directory",
    "--index",
    "--arch",
    "--cgroupns",
    "--cidfile",
];

/// `docker run … image command`, `docker exec … container command`.
pub(in crate::programs) fn container(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let inner = Invocation { values: VALUES, ..invocation.clone() };
    let verbs: Vec<&str> = Options::new(&inner.arguments, VALUES)
        .operands()
        .leading(3)
        .filter_map(|operand| operand.text.as_known())
        .collect();
    let skip = match verbs.as_slice() {
        ["run" | "exec" | "create", ..] => 2,
        ["container" | "compose", "run" | "exec" | "create", ..] => 3,
        ["unshare", ..] => {
            let at =
                inner.arguments.iter().position(|word| word.text.as_known() == Some("unshare"));
            let command = at.and_then(|at| inner.arguments.get(at + 1..)).unwrap_or_default();
            let own = command.iter().take_while(|word| word.text.known_prefix().starts_with('-'));
            let command = command.get(own.count()..).unwrap_or_default();
            return walk.run(command, invocation.input.clone());
        }
        ["buildx" | "image" | "builder", "build", ..] | ["build", ..] => {
            built_into(walk, &inner);
            return invocation.origin();
        }
        ["cp", ..] => return copied(walk, &inner, 1),
        ["container" | "compose", "cp", ..] => return copied(walk, &inner, 2),
        _ => return invocation.origin(),
    };
    if let Some(entry) = Options::new(&inner.arguments, VALUES).value(&["--entrypoint"]) {
        let mut words = vec![entry];
        words.extend_from_slice(behind_image(&inner, skip));
        return walk.run(&words, invocation.input.clone());
    }
    let command = behind_image(&inner, skip);
    if command.is_empty() {
        return invocation.origin();
    }
    let starts =
        matches!(verbs.as_slice(), ["run" | "create", ..] | ["container", "run" | "create", ..]);
    let shown = walk.shown();
    if starts {
        show_mounts(walk, &inner);
    }
    if starts
        && let Some(image) = command_after(&inner, skip - 1).first()
        && let Some(program) = entry_point(image.text.known_prefix())
        && command.first().is_some_and(|first| first.text.as_known() != Some(program))
    {
        let mut words = vec![Argument { text: Text::known(program), span: image.span }];
        words.extend_from_slice(command);
        let printed = walk.run(&words, invocation.input.clone());
        walk.hide(shown);
        return printed;
    }
    // Options alone are for a program that the image names, and nobody else.
    let is_named = command.first().is_some_and(|it| !it.text.known_prefix().starts_with('-'));
    let dashes = command.iter().position(|it| it.text.as_known() == Some("--"));
    let printed = match (is_named, dashes) {
        (true, _) => walk.run(command, invocation.input.clone()),
        // `IMAGE -g -- COMMAND`: a program that starts another one.
        (false, Some(at)) => {
            walk.run(command.get(at + 1..).unwrap_or_default(), invocation.input.clone())
        }
        (false, None) => invocation.origin(),
    };
    walk.hide(shown);
    printed
}

/// What stands behind the image, or the container's name: all of it is the command, options too.
fn behind_image(invocation: &Invocation, skip: usize) -> &[Argument] {
    let rest = command_after(invocation, skip - 1).get(1..).unwrap_or_default();
    match rest {
        [dashes, command @ ..] if dashes.text.as_known() == Some("--") => command,
        rest => rest,
    }
}

/// `-v build:/data`, `--mount type=bind,source=build,target=/data`: what is done below `/data` inside is done to `build`.
fn show_mounts(walk: &mut dyn Host, invocation: &Invocation) {
    let options = invocation.options();
    for volume in options.values_of(&["-v", "--volume", "--mount"]) {
        let Some(known) = volume.text.as_known() else { continue };
        let part = |keys: &[&str]| {
            let parts = known.split(',').filter_map(|part| part.split_once('='));
            parts.into_iter().find(|(key, _)| keys.contains(key)).map(|(_, value)| value)
        };
        let mut colons = known.split(':');
        let (source, target) = if known.contains('=') {
            (part(&["source", "src"]), part(&["target", "destination", "dst"]))
        } else {
            (colons.next(), colons.next())
        };
        let (Some(source), Some(target)) = (source, target) else { continue };
        // A name alone is a volume of the engine's own.
        if source.starts_with(['/', '.', '~'])
            && target.starts_with('/')
            && target.trim_end_matches('/').len() > 1
            && let Some(outside) = walk.target(&Text::known(source)).path
        {
            walk.shows(target.trim_end_matches('/'), &outside);
        }
    }
}

/// `docker build --output type=local,dest=DIRECTORY`, `-o DIRECTORY`: what the image holds is written there.
fn built_into(walk: &mut dyn Host, invocation: &Invocation) {
    const VALUES: &[&str] = &["-f", "--file", "-o", "--output", "-t", "--tag", "--target"];
    for given in Options::new(&invocation.arguments, VALUES).values_of(&["-o", "--output"]) {
        let known = given.text.known_prefix();
        let place = known
            .split(',')
            .find_map(|part| part.strip_prefix("dest=").or_else(|| part.strip_prefix("dst=")));
        let directory = match place {
            Some(_) => {
                let at = known
                    .find("dest=")
                    .map(|at| at + 5)
                    .or_else(|| known.find("dst=").map(|at| at + 4));
                given.text.beginning_with(at.and_then(|at| known.get(at..)).unwrap_or(""))
            }
            None if known.contains('=') || known == "-" => continue,
            None => given.text.clone(),
        };
        let mut file = Argument { text: directory, span: given.span };
        crate::programs::laid_over::fills(walk, &file);
        file.text.push_known("/");
        file.text.append(&Text::unknown("what the image holds"));
        walk.write(&file, WriteMode::Create, Text::unknown("an image"));
    }
}

/// `docker cp`, `kubectl cp`: a file goes in or comes out; what is in a container is named by it, as `web:/etc/hosts`.
pub(super) fn copied(walk: &mut dyn Host, invocation: &Invocation, skip: usize) -> Text {
    let files: Vec<&Argument> = invocation.options().operands().skip(skip).collect();
    let is_inside = |file: &Argument| {
        let name = file.text.known_prefix();
        !name.starts_with(['/', '.', '~']) && name.contains(':')
    };
    if let [.., from, to] = files.as_slice() {
        let content = if is_inside(from) { Text::unknown("a container") } else { walk.read(from) };
        if !is_inside(to) && to.text.as_known() != Some("-") {
            walk.write(to, WriteMode::Replace, content);
        }
    }
    invocation.origin()
}

/// `lxc file push FILE… container/path`.
pub(super) fn pushed(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let words: Vec<&Argument> = invocation.options().operands().skip(1).collect();
    if let [verb, files @ .., _] = words.as_slice()
        && verb.text.as_known() == Some("push")
    {
        for file in files {
            walk.read(file);
        }
    }
    invocation.origin()
}

/// The program that an image starts with the words behind it; images of most servers and languages start what they are
/// told to.
fn entry_point(image: &str) -> Option<&'static str> {
    let path = image.split('@').next().unwrap_or(image);
    let name = path.rsplit('/').next().unwrap_or(path).split(':').next().unwrap_or("");
    let owner = path.rsplit('/').nth(1).unwrap_or("");
    let row = IMAGES.binary_search_by(|(known, _)| (*known).cmp(name)).ok();
    let row = row.and_then(|at| IMAGES.get(at)).copied();
    let on_card =
        || cards::all().find_map(|card| Some((card.image.filter(|it| *it == name)?, card.name)));
    let (name, program) = row.or_else(on_card)?;
    // `git` and the like are also names of things that have nothing to do with the program.
    (owner != "library" || name == program).then_some(program)
}

/// Images with the program that they start, sorted.
static IMAGES: &[(&str, &str)] = &[
    ("ansible-playbook", "ansible-playbook"),
    ("argocd", "argocd"),
    ("aws-cli", "aws"),
    ("cloudflared", "cloudflared"),
    ("crane", "crane"),
    ("curl", "curl"),
    ("dbmate", "dbmate"),
    ("doctl", "doctl"),
    ("eksctl", "eksctl"),
    ("flyctl", "flyctl"),
    ("flyway", "flyway"),
    ("git", "git"),
    ("gitlab-runner", "gitlab-runner"),
    ("liquibase", "liquibase"),
    ("mc", "mc"),
    ("migrate", "migrate"),
    ("ngrok", "ngrok"),
    ("packer", "packer"),
    ("restic", "restic"),
    ("skopeo", "skopeo"),
    ("terragrunt", "terragrunt"),
    ("vault", "vault"),
    ("velero", "velero"),
];

#[cfg(test)]
pub(in crate::programs) fn lists_image(name: &str) -> bool {
    IMAGES.iter().any(|(image, _)| *image == name)
}

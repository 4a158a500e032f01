//! Programs that run a command in a container. Owns where the inner command stands behind the image or the name.

use super::*;

/// `docker run … image command`, `docker exec … container command`.
pub(super) fn container(walk: &mut Walk<'_>, invocation: &Invocation) -> Text {
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
    let inner = Invocation { values: VALUES, ..invocation.clone() };
    let verbs: Vec<&str> = Options::new(&inner.arguments, VALUES)
        .operands()
        .take(3)
        .filter_map(|operand| operand.text.as_known())
        .collect();
    let skip = match verbs.as_slice() {
        ["run" | "exec" | "create", ..] => 2,
        ["container" | "compose", "run" | "exec" | "create", ..] => 3,
        _ => return invocation.origin(),
    };
    if let Some(entry) = Options::new(&inner.arguments, VALUES).value(&["--entrypoint"]) {
        let mut words = vec![entry];
        words.extend_from_slice(command_after(&inner, skip));
        return walk.run(&words, invocation.input.clone());
    }
    let command = command_after(&inner, skip);
    if command.is_empty() {
        return invocation.origin();
    }
    walk.run(command, invocation.input.clone())
}

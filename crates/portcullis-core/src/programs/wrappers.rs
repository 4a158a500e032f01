//! Programs that run another program: `sudo`, `env`, `timeout`, `xargs`… Owns how the inner command is found in their
//! arguments; what that command does is read like any other.

use super::{Does, Options, Program};
use crate::{
    effect::{Argument, GapReason},
    text::{Piece, Text},
    understand::shell::{Invocation, Walk, absolute, split_assignment},
};

const fn wrapper(name: &'static str, values: &'static [&'static str]) -> Program {
    Program { name, values, does: Does::Custom(inner) }
}

const fn after_one(name: &'static str, values: &'static [&'static str]) -> Program {
    Program { name, values, does: Does::Custom(inner_after_one) }
}

const fn privileged(name: &'static str, values: &'static [&'static str]) -> Program {
    Program { name, values, does: Does::Custom(elevated) }
}

const fn custom(
    name: &'static str,
    values: &'static [&'static str],
    act: fn(&mut Walk<'_>, &Invocation) -> Text,
) -> Program {
    Program { name, values, does: Does::Custom(act) }
}

/// Options of `docker` and its kin before the subcommand that take a value.
const CONTAINER: &[&str] = &[
    "-H",
    "--host",
    "--context",
    "--config",
    "-l",
    "--log-level",
    "--name",
    "--filter",
    "--format",
];

/// Options of `kubectl` that take a value.
const CLUSTER: &[&str] = &[
    "-n",
    "--namespace",
    "--context",
    "--kubeconfig",
    "--cluster",
    "--user",
    "-s",
    "--server",
    "--token",
    "--as",
    "-l",
    "--selector",
    "-o",
    "--output",
    "-f",
    "--filename",
    "-c",
    "--container",
    "--grace-period",
    "--timeout",
    "--field-selector",
];

/// Programs that run another program, sorted by name.
pub(super) static WRAPPERS: &[Program] = &[
    wrapper("aa-exec", &["-p", "-n", "--profile", "--namespace"]),
    wrapper("aoss", &[]),
    custom("at", &["-f", "-q", "-t"], later),
    wrapper("aws-vault", &["-d", "--duration", "-n", "--backend"]),
    custom("batch", &["-f", "-q"], later),
    custom("buildah", CONTAINER, container),
    wrapper("busybox", &[]),
    wrapper(
        "bwrap",
        &[
            "--bind",
            "--ro-bind",
            "--dev",
            "--proc",
            "--tmpfs",
            "--setenv",
            "--chdir",
            "--uid",
            "--gid",
        ],
    ),
    wrapper("caffeinate", &["-t", "-w"]),
    custom("capsh", &[], dash_dash_shell),
    wrapper("catchsegv", &[]),
    wrapper("choom", &["-n", "--adjust", "-p"]),
    after_one("chpst", &["-u", "-U", "-e", "-/", "-n", "-l", "-m"]),
    after_one("chroot", &["--userspec", "--groups"]),
    after_one("chrt", &["-p", "-T", "-P", "-D"]),
    wrapper("cpulimit", &["-l", "-p", "-P", "-e", "-c"]),
    wrapper("daemonize", &["-a", "-c", "-e", "-o", "-p", "-l", "-u", "-E"]),
    wrapper("dbus-launch", &[]),
    wrapper("dbus-run-session", &["--config-file"]),
    wrapper("distcc", &[]),
    privileged("doas", &["-u", "-C", "-a"]),
    custom("docker", CONTAINER, container),
    wrapper("dotenv", &["-e", "-f", "-v"]),
    wrapper("eatmydata", &[]),
    custom("entr", &[], inner_words),
    custom(
        "env",
        &["-u", "--unset", "-C", "--chdir", "-S", "--split-string", "-P", "-a", "--argv0"],
        environment,
    ),
    wrapper("fakeroot", &["-l", "-s", "-i", "-b"]),
    after_one("faketime", &["-f"]),
    wrapper("firejail", &[]),
    custom("flock", &["-w", "--wait", "--timeout", "-E", "-c", "--command"], locked),
    custom("genie", &["-c"], command_option),
    wrapper("gosu", &[]),
    wrapper("grc", &["-c", "--config"]),
    after_one("gtimeout", &["-s", "--signal", "-k", "--kill-after"]),
    wrapper(
        "hyperfine",
        &["-w", "--warmup", "-r", "--runs", "-m", "-M", "-n", "--export-json", "--export-markdown"],
    ),
    wrapper("ionice", &["-c", "-n", "-p", "-P", "-u", "--class", "--classdata"]),
    custom("ip", &[], namespace),
    custom("ksu", &["-e", "-c", "-l", "-n"], command_option),
    custom("kubectl", CLUSTER, dash_dash),
    wrapper("ld-linux-x86-64.so.2", &["--library-path", "--preload", "--audit", "--argv0"]),
    wrapper("ld.so", &["--library-path", "--preload", "--audit", "--argv0"]),
    after_one("logsave", &[]),
    wrapper("ltrace", &["-e", "-o", "-p", "-s", "-u", "-l", "-n", "-a", "-x"]),
    custom("lxc", &[], dash_dash),
    custom("lxc-attach", &["-n", "--name"], dash_dash),
    custom("mosh", &["-p", "--ssh", "--server", "--client", "--port"], inner_after_one),
    wrapper("multitime", &["-n", "-s", "-I", "-b"]),
    custom("nerdctl", CONTAINER, container),
    wrapper("nice", &["-n", "--adjustment"]),
    wrapper("nohup", &[]),
    wrapper("nsenter", &["-t", "--target", "-S", "-G", "--setuid", "--setgid"]),
    wrapper("numactl", &["-N", "-m", "-C", "-i", "--cpunodebind", "--membind"]),
    wrapper("openvt", &["-c"]),
    custom(
        "parallel",
        &[
            "-j",
            "--jobs",
            "-S",
            "--sshlogin",
            "-I",
            "-C",
            "--colsep",
            "-a",
            "--arg-file",
            "--delay",
            "--timeout",
            "--joblog",
            "-n",
            "-N",
            "--max-args",
        ],
        parallel,
    ),
    custom("perf", &[], profiled),
    wrapper("pexec", &["-n", "-p", "-r"]),
    privileged("pkexec", &["--user"]),
    custom("podman", CONTAINER, container),
    wrapper("prlimit", &["-p", "--pid", "-o"]),
    wrapper("proot", &["-r", "-b", "-w", "-q"]),
    wrapper("proxychains", &["-f"]),
    wrapper("proxychains4", &["-f"]),
    wrapper("rlwrap", &[]),
    custom("run-parts", &["-a", "-u", "--regex", "--arg", "--umask"], run_parts),
    custom("run0", &["-u", "--user"], elevated),
    custom("runuser", &["-u", "-g", "-G", "-s", "-c", "-l"], switch_user),
    custom("screen", &["-S", "-t", "-c", "-e", "-h", "-p", "-T", "-X"], inner_words),
    custom("script", &["-c", "--command", "-E", "-I", "-O", "-B", "-m", "-T"], typescript),
    wrapper("setarch", &[]),
    after_one("setlock", &[]),
    wrapper(
        "setpriv",
        &["--reuid", "--regid", "--groups", "--inh-caps", "--ambient-caps", "--bounding-set"],
    ),
    wrapper("setsid", &[]),
    custom("sg", &["-c"], switch_user),
    wrapper("softlimit", &["-m", "-d", "-s", "-o"]),
    wrapper("ssh-agent", &["-a", "-t", "-E"]),
    wrapper("sshpass", &["-d", "-f", "-p", "-P"]),
    custom(
        "start-stop-daemon",
        &[
            "-x",
            "--exec",
            "-a",
            "--startas",
            "-p",
            "--pidfile",
            "-u",
            "--user",
            "-c",
            "--chuid",
            "-n",
            "--name",
        ],
        daemon,
    ),
    wrapper("stdbuf", &["-i", "-o", "-e", "--input", "--output", "--error"]),
    wrapper(
        "strace",
        &["-e", "-o", "-p", "-s", "-u", "-E", "-a", "-b", "-I", "-O", "-P", "-S", "-X"],
    ),
    custom("su", &["-c", "--command", "-s", "--shell", "-g", "-G", "-w"], switch_user),
    privileged(
        "sudo",
        &[
            "-u",
            "--user",
            "-g",
            "--group",
            "-h",
            "--host",
            "-p",
            "--prompt",
            "-C",
            "--close-from",
            "-r",
            "--role",
            "-t",
            "--type",
            "-T",
            "--command-timeout",
            "-U",
            "--other-user",
            "-D",
            "--chdir",
            "-R",
            "--chroot",
        ],
    ),
    privileged("sudo-rs", &["-u", "-g"]),
    custom(
        "systemd-run",
        &[
            "-p",
            "--property",
            "-u",
            "--unit",
            "-M",
            "--machine",
            "-E",
            "--setenv",
            "--uid",
            "--gid",
            "--on-calendar",
            "--on-active",
            "--on-boot",
            "--slice",
            "--working-directory",
            "--description",
            "--nice",
        ],
        inner_words,
    ),
    after_one("taskset", &["-p"]),
    wrapper("tcpserver", &["-c", "-u", "-g", "-l"]),
    wrapper("time", &["-f", "--format", "-o", "--output"]),
    after_one("timeout", &["-s", "--signal", "-k", "--kill-after"]),
    custom("tmate", &["-c", "-f", "-S"], command_option),
    custom("tmux", &["-f", "-L", "-S", "-c"], terminal),
    wrapper("torify", &[]),
    wrapper("torsocks", &["-u", "-p", "-a", "-P"]),
    wrapper("toybox", &[]),
    wrapper("tsocks", &[]),
    wrapper("unbuffer", &[]),
    wrapper(
        "unshare",
        &[
            "-S",
            "-G",
            "--setuid",
            "--setgid",
            "-R",
            "--root",
            "-w",
            "--wd",
            "--map-user",
            "--map-group",
        ],
    ),
    wrapper("valgrind", &[]),
    custom("watch", &["-n", "--interval"], shell_words),
    custom(
        "watchexec",
        &[
            "-w",
            "-e",
            "-f",
            "-i",
            "-d",
            "-s",
            "-o",
            "--watch",
            "--exts",
            "--filter",
            "--ignore",
            "--shell",
            "--signal",
            "--debounce",
        ],
        inner_words,
    ),
    custom(
        "xargs",
        &[
            "-a",
            "--arg-file",
            "-d",
            "--delimiter",
            "-E",
            "-I",
            "--replace",
            "-L",
            "--max-lines",
            "-n",
            "--max-args",
            "-P",
            "--max-procs",
            "-s",
            "--max-chars",
        ],
        arguments_from_input,
    ),
    wrapper("xvfb-run", &["-n", "-s", "-e", "-f", "-p", "--server-num", "--server-args"]),
];

/// The arguments from the first operand on, past `skip` operands: options of the inner command are not ours.
pub(super) fn command_after(invocation: &Invocation, skip: usize) -> &[Argument] {
    let arguments = invocation.arguments.as_slice();
    let mut left = skip;
    let mut index = 0;
    while let Some(argument) = arguments.get(index) {
        let prefix = argument.text.known_prefix();
        if argument.text.as_known() == Some("--") {
            index += 1;
            if left == 0 {
                break;
            }
            continue;
        }
        if prefix.starts_with('-') && prefix.len() > 1 {
            index += 1 + usize::from(takes_next(prefix, invocation.values));
            continue;
        }
        if left == 0 {
            break;
        }
        left -= 1;
        index += 1;
    }
    arguments.get(index..).unwrap_or(&[])
}

/// Whether the value of an option is the next argument.
fn takes_next(option: &str, values: &[&str]) -> bool {
    if option.contains('=') {
        return false;
    }
    if option.starts_with("--") {
        return values.contains(&option);
    }
    // In a bundle the last letter may take the next argument; an earlier one takes the rest of the bundle.
    let mut letters = option.char_indices().skip(1).peekable();
    while let Some((_, letter)) = letters.next() {
        let mut name = [b'-', 0, 0, 0, 0];
        let length = letter.encode_utf8(name.get_mut(1..).unwrap_or(&mut [])).len();
        let known =
            name.get(..=length).and_then(|name| std::str::from_utf8(name).ok()).unwrap_or("");
        if values.contains(&known) {
            return letters.peek().is_none();
        }
    }
    false
}

fn inner(walk: &mut Walk<'_>, invocation: &Invocation) -> Text {
    walk.run(command_after(invocation, 0), invocation.input.clone())
}

/// `-c code` or `-e program` as a shell's option, or words that follow.
fn command_option(walk: &mut Walk<'_>, invocation: &Invocation) -> Text {
    if let Some(code) = invocation.options().value(&["-c", "-e"]) {
        return walk.shell(&code.text, code.span, &[], invocation.input.clone());
    }
    inner(walk, invocation)
}

/// `flock FILE command`, `flock FILE -c code`.
fn locked(walk: &mut Walk<'_>, invocation: &Invocation) -> Text {
    if let Some(code) = invocation.options().value(&["-c", "--command"]) {
        return walk.shell(&code.text, code.span, &[], invocation.input.clone());
    }
    inner_after_one(walk, invocation)
}

fn inner_after_one(walk: &mut Walk<'_>, invocation: &Invocation) -> Text {
    walk.run(command_after(invocation, 1), invocation.input.clone())
}

/// As [`inner`], for programs whose inner command may as well stand in one quoted word.
fn inner_words(walk: &mut Walk<'_>, invocation: &Invocation) -> Text {
    run_or_read(walk, command_after(invocation, 0), invocation)
}

fn run_or_read(walk: &mut Walk<'_>, command: &[Argument], invocation: &Invocation) -> Text {
    match command {
        [only] if only.text.as_known().is_none_or(|known| known.contains(char::is_whitespace)) => {
            walk.shell(&only.text, only.span, &[], invocation.input.clone())
        }
        _ => walk.run(command, invocation.input.clone()),
    }
}

/// All words together are shell code: `watch`.
fn shell_words(walk: &mut Walk<'_>, invocation: &Invocation) -> Text {
    let command = command_after(invocation, 0);
    if invocation.options().has(&["-x", "--exec"]) {
        return walk.run(command, invocation.input.clone());
    }
    read_joined(walk, command, invocation)
}

pub(super) fn read_joined(
    walk: &mut Walk<'_>,
    command: &[Argument],
    invocation: &Invocation,
) -> Text {
    let (Some(first), Some(last)) = (command.first(), command.last()) else {
        return Text::default();
    };
    let mut code = Text::default();
    for (index, word) in command.iter().enumerate() {
        if index > 0 {
            code.push_known(" ");
        }
        code.append(&word.text);
    }
    walk.shell(&code, first.span.to(last.span), &[], invocation.input.clone())
}

fn elevated(walk: &mut Walk<'_>, invocation: &Invocation) -> Text {
    let options = invocation.options();
    if options.has(&["-l", "--list", "-v", "--validate", "-k", "-K"])
        && command_after(invocation, 0).is_empty()
    {
        return invocation.origin();
    }
    let user =
        options.value(&["-u", "--user"]).map_or_else(|| Text::known("root"), |user| user.text);
    walk.privilege(user, invocation.name.span);
    if options.has(&["-e", "--edit"]) && invocation.program == "sudo" {
        for file in options.operands().cloned().collect::<Vec<_>>() {
            walk.write(&file, crate::effect::WriteMode::Edit, Text::unknown("an editor"));
        }
        return Text::default();
    }
    let mut command = command_after(invocation, 0);
    while let Some((first, rest)) = command.split_first() {
        let Some((name, value)) = split_assignment(&first.text) else { break };
        walk.environment_of(&name, &value, first.span);
        command = rest;
    }
    if command.is_empty() {
        if options.has(&["-i", "--login", "-s", "--shell"]) || invocation.program == "run0" {
            return root_shell(walk, invocation);
        }
        return Text::default();
    }
    let directory = options.value(&["-D", "--chdir"]).filter(|_| invocation.program == "sudo");
    run_in(walk, directory, command, invocation)
}

/// A shell with another user's rights: what it is told is its input.
fn root_shell(walk: &mut Walk<'_>, invocation: &Invocation) -> Text {
    walk.note("privilege.shell.interactive", invocation.name.span);
    match &invocation.input {
        Some(input) => walk.shell(input, invocation.span, &[], None),
        None => invocation.origin(),
    }
}

fn switch_user(walk: &mut Walk<'_>, invocation: &Invocation) -> Text {
    let options = invocation.options();
    let user = options
        .value(&["-u"])
        .or_else(|| {
            options.operands().find(|operand| operand.text.as_known() != Some("-")).cloned()
        })
        .map_or_else(|| Text::known("root"), |user| user.text);
    walk.privilege(user, invocation.name.span);
    if let Some(code) = options.value(&["-c", "--command"]) {
        return walk.shell(&code.text, code.span, &[], invocation.input.clone());
    }
    if invocation.program == "runuser" && options.has(&["-u"]) {
        return walk.run(command_after(invocation, 0), invocation.input.clone());
    }
    if invocation.program == "sg" {
        return read_joined(walk, command_after(invocation, 1), invocation);
    }
    root_shell(walk, invocation)
}

fn environment(walk: &mut Walk<'_>, invocation: &Invocation) -> Text {
    if let Some(split) = split_string(&invocation.arguments) {
        let at = invocation
            .arguments
            .iter()
            .position(|argument| argument.span == split.span)
            .unwrap_or(0);
        let mut code = split_escapes(&split.text);
        for argument in invocation.arguments.iter().skip(at + 1) {
            if argument.span != split.span && argument.text != split.text {
                code.push_known(" ");
                code.append(&argument.text);
            }
        }
        return walk.shell(&code, split.span, &[], invocation.input.clone());
    }
    let mut command = command_after(invocation, 0);
    while let Some((first, rest)) = command.split_first() {
        let Some((name, value)) = split_assignment(&first.text) else { break };
        walk.environment_of(&name, &value, first.span);
        command = rest;
    }
    if command.is_empty() {
        let mut printed = Text::unknown("environment");
        printed.taint = crate::text::Taint::SECRET;
        return printed;
    }
    let directory = invocation.options().value(&["-C", "--chdir"]);
    run_in(walk, directory, command, invocation)
}

/// Runs a command in another directory, where one is given.
fn run_in(
    walk: &mut Walk<'_>,
    directory: Option<Argument>,
    command: &[Argument],
    invocation: &Invocation,
) -> Text {
    match directory {
        Some(directory) => {
            walk.within(&directory, |walk| walk.run(command, invocation.input.clone()))
        }
        None => walk.run(command, invocation.input.clone()),
    }
}

/// The value of `-S`, alone or last in a bundle (`-vS`), or of `--split-string`.
fn split_string(arguments: &[Argument]) -> Option<Argument> {
    for (index, argument) in arguments.iter().enumerate() {
        let prefix = argument.text.known_prefix();
        if !prefix.starts_with('-') || prefix == "--" {
            return None;
        }
        let long = prefix.strip_prefix("--split-string");
        let short = prefix
            .strip_prefix('-')
            .and_then(|letters| letters.split_once('S'))
            .filter(|(before, _)| before.bytes().all(|letter| matches!(letter, b'i' | b'v' | b'0')))
            .map(|(_, attached)| attached);
        let Some(attached) = long.map(|rest| rest.trim_start_matches('=')).or(short) else {
            if matches!(prefix, "-u" | "-C" | "--unset" | "--chdir") {
                return split_string(arguments.get(index + 2..)?);
            }
            continue;
        };
        if attached.is_empty() && argument.text.as_known().is_some() {
            return arguments.get(index + 1).cloned();
        }
        let mut text = argument.text.derive(Vec::new());
        text.push_known(attached);
        for piece in argument.text.pieces.iter().skip(1) {
            text.push(piece.clone());
        }
        return Some(Argument { text, span: argument.span });
    }
    None
}

/// `env -S` has escapes of its own: `\_` is a blank.
fn split_escapes(text: &Text) -> Text {
    match text.as_known() {
        Some(known) if known.contains('\\') => {
            let known = known.replace("\\_", " ").replace("\\t", " ").replace("\\n", " ");
            text.derive(vec![Piece::Known(known)])
        }
        _ => text.clone(),
    }
}

/// `kubectl exec … -- command`: what stands behind `--`.
fn dash_dash(walk: &mut Walk<'_>, invocation: &Invocation) -> Text {
    let runs = invocation.arguments.iter().any(|argument| {
        matches!(argument.text.as_known(), Some("exec" | "run" | "debug" | "attach" | "shell"))
    }) || invocation.program == "lxc-attach";
    let at =
        invocation.arguments.iter().position(|argument| argument.text.as_known() == Some("--"));
    if let Some(at) = at
        && runs
    {
        let command = invocation.arguments.get(at + 1..).unwrap_or(&[]);
        return walk.run(command, invocation.input.clone());
    }
    if runs && invocation.program == "lxc" {
        return walk.run(command_after(invocation, 2), invocation.input.clone());
    }
    if runs
        && invocation.program == "kubectl"
        && invocation.options().operands().next().and_then(|operand| operand.text.as_known())
            == Some("exec")
    {
        return walk.run(command_after(invocation, 2), invocation.input.clone());
    }
    invocation.origin()
}

fn dash_dash_shell(walk: &mut Walk<'_>, invocation: &Invocation) -> Text {
    let at =
        invocation.arguments.iter().position(|argument| argument.text.as_known() == Some("--"));
    let Some(at) = at else { return invocation.origin() };
    let mut words = vec![Argument { text: Text::known("bash"), span: invocation.name.span }];
    words.extend(invocation.arguments.iter().skip(at + 1).cloned());
    walk.run(&words, invocation.input.clone())
}

/// `docker run … image command`, `docker exec … container command`.
fn container(walk: &mut Walk<'_>, invocation: &Invocation) -> Text {
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

fn namespace(walk: &mut Walk<'_>, invocation: &Invocation) -> Text {
    let verbs: Vec<&str> = invocation
        .options()
        .operands()
        .take(2)
        .filter_map(|operand| operand.text.as_known())
        .collect();
    match verbs.as_slice() {
        ["netns" | "vrf", "exec"] => {
            walk.run(command_after(invocation, 3), invocation.input.clone())
        }
        _ => invocation.origin(),
    }
}

fn profiled(walk: &mut Walk<'_>, invocation: &Invocation) -> Text {
    let verb = invocation
        .options()
        .operands()
        .next()
        .and_then(|operand| operand.text.as_known())
        .map(str::to_owned);
    match verb.as_deref() {
        Some("stat" | "record" | "trace" | "mem" | "top" | "ftrace") => {
            let at = invocation
                .arguments
                .iter()
                .position(|argument| argument.text.as_known() == Some("--"));
            match at {
                Some(at) => walk.run(
                    invocation.arguments.get(at + 1..).unwrap_or(&[]),
                    invocation.input.clone(),
                ),
                None => walk.run(command_after(invocation, 1), invocation.input.clone()),
            }
        }
        _ => invocation.origin(),
    }
}

fn typescript(walk: &mut Walk<'_>, invocation: &Invocation) -> Text {
    if let Some(code) = invocation.options().value(&["-c", "--command"]) {
        return walk.shell(&code.text, code.span, &[], invocation.input.clone());
    }
    match &invocation.input {
        Some(input) if input.as_known() != Some("") => {
            walk.shell(input, invocation.span, &[], None)
        }
        _ => invocation.origin(),
    }
}

/// `at`, `batch`: the input is a script for later.
fn later(walk: &mut Walk<'_>, invocation: &Invocation) -> Text {
    let options = invocation.options();
    if options.has(&["-l", "-c", "-d", "-r"]) {
        return invocation.origin();
    }
    walk.note("persistence.schedule.at", invocation.span);
    if let Some(file) = options.value(&["-f"]) {
        return walk.script("shell", &file, &[], None);
    }
    match &invocation.input {
        Some(input) => walk.shell(input, invocation.span, &[], None),
        None => invocation.origin(),
    }
}

fn daemon(walk: &mut Walk<'_>, invocation: &Invocation) -> Text {
    let Some(program) = invocation.options().value(&["-x", "--exec", "-a", "--startas"]) else {
        return invocation.origin();
    };
    let at =
        invocation.arguments.iter().position(|argument| argument.text.as_known() == Some("--"));
    let mut words = vec![program];
    if let Some(at) = at {
        words.extend(invocation.arguments.iter().skip(at + 1).cloned());
    }
    walk.run(&words, invocation.input.clone())
}

fn run_parts(walk: &mut Walk<'_>, invocation: &Invocation) -> Text {
    let Some(directory) = invocation.options().operands().next().cloned() else {
        return Text::default();
    };
    let mut script = directory.clone();
    script.text.push_known("/");
    script.text.push(Piece::Glob("*".to_owned()));
    walk.script("shell", &script, &[], invocation.input.clone())
}

/// `tmux new-session … command`, `tmux send-keys 'command' Enter`.
/// tmux takes several commands with `;` between them.
fn terminal(walk: &mut Walk<'_>, invocation: &Invocation) -> Text {
    let separates = |word: &Argument| word.text.as_known() == Some(";");
    if !invocation.arguments.iter().any(separates) {
        return terminal_command(walk, invocation);
    }
    let mut printed = Text::default();
    let mut one = Invocation { arguments: Vec::new(), ..invocation.clone() };
    for (index, words) in invocation.arguments.split(separates).enumerate() {
        if index >= TERMINAL_COMMANDS {
            walk.gap(invocation.span, GapReason::Limit);
            break;
        }
        one.arguments = words.to_vec();
        printed.append(&terminal_command(walk, &one));
    }
    printed
}

/// How many commands one call of tmux is followed through.
const TERMINAL_COMMANDS: usize = 64;

fn terminal_command(walk: &mut Walk<'_>, invocation: &Invocation) -> Text {
    const VALUES: &[&str] =
        &["-c", "-e", "-F", "-n", "-s", "-t", "-x", "-y", "-f", "-L", "-S", "-l", "-p"];
    let inner = Invocation { values: VALUES, ..invocation.clone() };
    let verb = Options::new(&inner.arguments, VALUES)
        .operands()
        .next()
        .and_then(|verb| verb.text.as_known())
        .map(str::to_owned);
    match verb.as_deref() {
        Some(
            "new" | "new-session" | "neww" | "new-window" | "splitw" | "split-window"
            | "respawn-pane" | "respawn-window" | "run" | "run-shell" | "if" | "if-shell" | "popup"
            | "display-popup",
        ) => run_or_read(walk, command_after(&inner, 1), invocation),
        Some("send" | "send-keys") => {
            let keys: Vec<Argument> = command_after(&inner, 1)
                .iter()
                .filter(|key| !matches!(key.text.as_known(), Some("Enter" | "C-m" | "C-j")))
                .cloned()
                .collect();
            // Keys may go to an editor as well as to a shell: what is no shell code was meant for something else.
            let typed = keys.iter().map(|key| key.text.display()).collect::<Vec<_>>().join(" ");
            if !portcullis_syntax::shell::parse(&typed).unparsed.is_empty() {
                return invocation.origin();
            }
            read_joined(walk, &keys, invocation)
        }
        _ => invocation.origin(),
    }
}

/// How many commands one `xargs` or `parallel` is followed through.
const COMMANDS: usize = 16;

fn arguments_from_input(walk: &mut Walk<'_>, invocation: &Invocation) -> Text {
    let options = invocation.options();
    let command = command_after(invocation, 0);
    let echo = [Argument { text: Text::known("echo"), span: invocation.name.span }];
    let command = if command.is_empty() { &echo } else { command };
    let input = match options.value(&["-a", "--arg-file"]) {
        Some(file) => walk.read(&file),
        None => invocation.input.clone().unwrap_or_else(|| Text::unknown("input")),
    };
    let replace = options
        .value(&["-I", "--replace"])
        .map(|argument| argument.text.display())
        .or_else(|| (options.has(&["-i"]) || options.has(&["--replace"])).then(|| "{}".to_owned()));
    let Some(known) = input.as_known() else {
        let each = in_directory(walk, &input);
        return run_with(
            walk,
            command,
            replace.as_deref(),
            &[Argument { text: each, span: invocation.span }],
        );
    };
    let items: Vec<String> = if options.has(&["-0", "--null"]) {
        split_by(known, '\0')
    } else if let Some(delimiter) = options.value(&["-d", "--delimiter"]) {
        let delimiter = match delimiter.text.as_known() {
            Some("\\n") => '\n',
            Some("\\0") => '\0',
            Some("\\t") => '\t',
            Some(other) => other.chars().next().unwrap_or('\n'),
            None => '\n',
        };
        split_by(known, delimiter)
    } else if replace.is_some() || options.has(&["-L"]) {
        split_by(known, '\n')
    } else {
        quoted_words(known)
    };
    let one_by_one = replace.is_some()
        || options
            .value(&["-n", "--max-args", "-L", "--max-lines"])
            .is_some_and(|count| count.text.as_known() == Some("1"));
    let arguments: Vec<Argument> = items
        .into_iter()
        .map(|item| Argument {
            text: input.derive(vec![Piece::Known(item)]),
            span: invocation.span,
        })
        .collect();
    if !one_by_one {
        return run_with(walk, command, None, &arguments);
    }
    let mut printed = Text::default();
    for argument in arguments.iter().take(COMMANDS) {
        let more = run_with(walk, command, replace.as_deref(), std::slice::from_ref(argument));
        printed.append(&more);
    }
    if arguments.len() > COMMANDS {
        let rest = Argument {
            text: input.derive(vec![Piece::Unknown("input".into())]),
            span: invocation.span,
        };
        run_with(walk, command, replace.as_deref(), &[rest]);
    }
    printed
}

/// Names that came out of a program are seen from the directory that it looked into.
fn in_directory(walk: &Walk<'_>, input: &Text) -> Text {
    if input.pieces.iter().all(|piece| matches!(piece, Piece::Unknown(_))) {
        return input.clone();
    }
    let mut pieces: Vec<Piece> = Vec::new();
    for piece in &input.pieces {
        match piece {
            Piece::Known(known) => {
                pieces.push(Piece::Known(known.trim_end_matches(['\n', '\0']).to_owned()))
            }
            other => pieces.push(other.clone()),
        }
    }
    let text = input.derive(pieces);
    match absolute(&text, walk.directory(), walk.facts()) {
        Some(_) => text,
        None => input.clone(),
    }
}

fn run_with(
    walk: &mut Walk<'_>,
    command: &[Argument],
    replace: Option<&str>,
    items: &[Argument],
) -> Text {
    let mut words: Vec<Argument> = Vec::with_capacity(command.len() + items.len());
    match (replace, items.first()) {
        (Some(mark), Some(item)) if !mark.is_empty() => {
            words.extend(command.iter().map(|word| Argument {
                text: replaced(&word.text, mark, &item.text),
                span: word.span,
            }));
        }
        _ => {
            words.extend_from_slice(command);
            words.extend_from_slice(items);
        }
    }
    walk.run(&words, Some(Text::default()))
}

/// `text` with `mark` replaced by `item`.
pub(super) fn replaced(text: &Text, mark: &str, item: &Text) -> Text {
    let mut result = text.derive(Vec::new());
    for piece in &text.pieces {
        match piece {
            Piece::Known(known) => {
                for (index, part) in known.split(mark).enumerate() {
                    if index > 0 {
                        result.append(item);
                    }
                    result.push_known(part);
                }
            }
            other => result.push(other.clone()),
        }
    }
    result
}

fn split_by(text: &str, delimiter: char) -> Vec<String> {
    text.split(delimiter).filter(|item| !item.is_empty()).map(str::to_owned).collect()
}

/// Words as `xargs` splits them: blanks apart, quotes and backslashes obeyed.
fn quoted_words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut open = false;
    let mut quote: Option<char> = None;
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match (quote, character) {
            (Some(mark), _) if character == mark => quote = None,
            (Some(_), _) => word.push(character),
            (None, '\'' | '"') => {
                quote = Some(character);
                open = true;
            }
            (None, '\\') => {
                word.extend(characters.next());
                open = true;
            }
            (None, _) if character.is_whitespace() => {
                if open || !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                }
                open = false;
            }
            (None, _) => word.push(character),
        }
    }
    if open || !word.is_empty() {
        words.push(word);
    }
    words
}

/// The places of GNU parallel's inputs in a template, in order.
const NUMBERED: [&str; 4] = ["{1}", "{2}", "{3}", "{4}"];

/// GNU parallel: a command template with `{}`, inputs behind `:::` or from the input; without a template the inputs are
/// the commands.
fn parallel(walk: &mut Walk<'_>, invocation: &Invocation) -> Text {
    let rest = command_after(invocation, 0);
    let at =
        rest.iter().position(|word| matches!(word.text.as_known(), Some(":::" | ":::+" | "::::")));
    let (template, given) = match at {
        Some(at) => (rest.get(..at).unwrap_or(&[]), rest.get(at + 1..).unwrap_or(&[])),
        None => (rest, [].as_slice()),
    };
    let mut items: Vec<Argument> =
        given.iter().filter(|word| word.text.as_known() != Some(":::")).cloned().collect();
    if at.is_none() {
        let input = invocation.input.clone().unwrap_or_else(|| Text::unknown("input"));
        match input.as_known() {
            Some(known) => items.extend(known.lines().map(|line| Argument {
                text: input.derive(vec![Piece::Known(line.to_owned())]),
                span: invocation.span,
            })),
            None => items.push(Argument { text: input, span: invocation.span }),
        }
    }
    let mut printed = Text::default();
    for item in items.iter().take(COMMANDS) {
        let mut code = Text::default();
        for (index, word) in template.iter().enumerate() {
            if index > 0 {
                code.push_known(" ");
            }
            let mut word = replaced(&word.text, "{}", &item.text);
            for (mark, item) in NUMBERED.iter().zip(&items) {
                word = replaced(&word, mark, &item.text);
            }
            code.append(&word);
        }
        let mentions = template.iter().any(|word| word.text.display().contains("{}"))
            || template.iter().any(|word| word.text.display().contains("{1}"));
        if !mentions {
            if !template.is_empty() {
                code.push_known(" ");
            }
            code.append(&item.text);
        }
        let more = walk.shell(&code, item.span, &[], Some(Text::default()));
        printed.append(&more);
    }
    printed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_split_as_xargs_does() {
        for (text, expected) in [
            ("a b\nc", vec!["a", "b", "c"]),
            ("'a b' \"c\"", vec!["a b", "c"]),
            ("a\\ b", vec!["a b"]),
            ("''", vec![""]),
            ("", vec![]),
        ] {
            assert_eq!(quoted_words(text), expected, "{text}");
        }
    }
}

//! Programs that run another program: `sudo`, `env`, `timeout`, `xargs`… Owns how the inner command is found in their
//! arguments; what that command does is read like any other.

use super::{Does, Program, cards, operators};
use crate::{
    bound::Bounded,
    effect::Argument,
    programs::{host::Host, invocation::Invocation},
    text::Text,
};

mod batches;
mod bundled;
mod containers;
mod elevation;
mod environment;
mod parallel;
mod services;
mod stand_ins;
mod terminals;
mod words;

use batches::arguments_from_input;
use bundled::bundled;
pub(super) use containers::container;
use containers::{copied, pushed};
use elevation::{elevated, switch_user};
use environment::environment;
use services::{daemon, in_context, later, other_machine, run_parts, service};
use stand_ins::{cmake, command_prompt, removal, side_by_side};
use terminals::{terminal, typing};
use words::run_or_read;
pub(super) use words::{command_after, own_options, read_joined};

pub(super) use batches::replaced;

#[cfg(test)]
pub(super) use containers::lists_image;

/// Whether a program, or a word of the shell, is there to run another one.
pub(super) fn is_wrapper(name: &str) -> bool {
    super::hands_all_on(name)
        || WRAPPERS.binary_search_by(|row| row.name.cmp(name)).is_ok()
        || cards::card(name).is_some_and(|card| card.wraps)
}

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
    act: fn(&mut dyn Host, &Invocation) -> Text,
) -> Program {
    Program { name, values, does: Does::Custom(act) }
}

/// Options of `wsl` that take a value.
const WSL: &[&str] = &["-d", "-u", "--cd", "--distribution", "--shell-type", "--user"];

/// Programs that run another program, sorted by name.
pub(super) static WRAPPERS: &[Program] = &[
    wrapper("aa-exec", &["-p", "-n", "--profile", "--namespace"]),
    wrapper("aoss", &[]),
    custom("arch", &["-arch", "-e", "-d"], other_machine),
    custom("at", &["-f", "-q", "-t"], later),
    wrapper("aws-vault", &["-d", "--duration", "-n", "--backend"]),
    custom("batch", &["-f", "-q"], later),
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
    wrapper("cgexec", &["-g"]),
    wrapper("choom", &["-n", "--adjust", "-p"]),
    wrapper(
        "chpst",
        &[
            "-u", "-U", "-b", "-c", "-d", "-e", "-f", "-l", "-L", "-m", "-n", "-o", "-p", "-r",
            "-s", "-t", "-/",
        ],
    ),
    wrapper("chronic", &[]),
    after_one("chroot", &["--userspec", "--groups"]),
    after_one("chrt", &["-p", "-T", "-P", "-D"]),
    custom("cmake", &["-B", "-D", "-G", "-P", "-S", "--build", "--preset"], cmake),
    custom("cmd", &[], command_prompt),
    custom("cmd.exe", &[], command_prompt),
    custom(
        "concurrently",
        &[
            "-c",
            "-l",
            "-m",
            "-n",
            "-p",
            "-s",
            "--names",
            "--prefix",
            "--prefix-colors",
            "--success",
        ],
        side_by_side,
    ),
    wrapper("cpulimit", &["-l", "-p", "-P", "-e", "-c"]),
    custom("cross-env", &[], environment),
    wrapper("daemonize", &["-a", "-c", "-e", "-o", "-p", "-l", "-u", "-E"]),
    wrapper("dbus-launch", &[]),
    wrapper("dbus-run-session", &["--config-file"]),
    wrapper("distcc", &[]),
    privileged("doas", &["-u", "-C", "-a"]),
    custom("docker-compose", operators::COMPOSE, container),
    wrapper("dotenv", &["-e", "-f", "-v"]),
    wrapper("dumb-init", &["-r", "--rewrite"]),
    wrapper("eatmydata", &[]),
    custom("entr", &[], inner_words),
    custom(
        "env",
        &["-u", "--unset", "-C", "--chdir", "-S", "--split-string", "-P", "-a", "--argv0"],
        environment,
    ),
    custom("env_parallel", parallel::VALUES, parallel::parallel),
    after_one("envdir", &[]),
    wrapper("fakeroot", &["-l", "-s", "-i", "-b"]),
    after_one("faketime", &["-f"]),
    wrapper("firejail", &[]),
    custom("flock", &["-w", "--wait", "--timeout", "-E", "-c", "--command"], locked),
    custom("genie", &["-c"], command_option),
    after_one("gosu", &[]),
    wrapper("grc", &["-c", "--config"]),
    custom(
        "hyperfine",
        &[
            "-c",
            "-D",
            "-L",
            "-m",
            "-M",
            "-n",
            "-p",
            "-r",
            "-s",
            "-S",
            "-u",
            "-w",
            "--cleanup",
            "--conclude",
            "--command-name",
            "--export-asciidoc",
            "--export-csv",
            "--export-json",
            "--export-markdown",
            "--export-orgmode",
            "--input",
            "--max-runs",
            "--min-runs",
            "--output",
            "--parameter-list",
            "--prepare",
            "--reference",
            "--runs",
            "--setup",
            "--shell",
            "--sort",
            "--style",
            "--time-unit",
            "--warmup",
        ],
        timed,
    ),
    wrapper("ifne", &[]),
    custom("incus", &[], dash_dash),
    wrapper("ionice", &["-c", "-n", "-p", "-P", "-u", "--class", "--classdata"]),
    custom("ip", &[], namespace),
    custom("k0s", &[], bundled),
    custom("k3s", &[], bundled),
    custom("kitty", &["--match", "-m"], typing),
    custom("ksu", &["-e", "-c", "-l", "-n"], command_option),
    wrapper("ld-linux-x86-64.so.2", &["--library-path", "--preload", "--audit", "--argv0"]),
    wrapper("ld.so", &["--library-path", "--preload", "--audit", "--argv0"]),
    custom("linux32", &[], other_machine),
    custom("linux64", &[], other_machine),
    after_one("logsave", &[]),
    wrapper("ltrace", &["-e", "-o", "-p", "-s", "-u", "-l", "-n", "-a", "-x"]),
    custom("lxc", &[], dash_dash),
    custom("lxc-attach", &["-n", "--name"], dash_dash),
    custom("microk8s", &[], bundled),
    custom("minikube", &["-p", "--profile"], bundled),
    custom("mosh", &["-p", "--ssh", "--server", "--client", "--port"], inner_after_one),
    wrapper(
        "msgfilter",
        &["-D", "-i", "-o", "-w", "--directory", "--input", "--output-file", "--width"],
    ),
    wrapper("multitime", &["-n", "-s", "-I", "-b"]),
    custom("newgrp", &[], group_shell),
    wrapper("nice", &["-n", "--adjustment"]),
    wrapper("nocache", &["-n"]),
    wrapper("nohup", &[]),
    wrapper("nsenter", &["-t", "--target", "-S", "-G", "--setuid", "--setgid"]),
    wrapper("numactl", &["-N", "-m", "-C", "-i", "--cpunodebind", "--membind"]),
    wrapper("openvt", &["-c"]),
    custom("parallel", parallel::VALUES, parallel::parallel),
    custom("perf", &[], profiled),
    wrapper("pexec", &["-n", "-p", "-r"]),
    privileged("pkexec", &["--user"]),
    custom("podman-compose", operators::COMPOSE, container),
    custom("portcullis", &[], sandboxed),
    wrapper("prlimit", &["-p", "--pid", "-o"]),
    wrapper("proot", &["-r", "-b", "-w", "-q"]),
    wrapper("proxychains", &["-f"]),
    wrapper("proxychains4", &["-f"]),
    custom("rimraf", &["--impl", "--max-retries", "--tmp"], removal),
    wrapper("rlwrap", &[]),
    custom("run-parts", &["-a", "-u", "--regex", "--arg", "--umask"], run_parts),
    custom("run0", &["-u", "--user"], elevated),
    custom("runcon", &["-t", "-u", "-r", "-l"], in_context),
    custom("runuser", &["-u", "-g", "-G", "-s", "-c", "-l"], switch_user),
    after_one("s6-setuidgid", &[]),
    custom("screen", &["-S", "-t", "-c", "-e", "-h", "-p", "-T", "-X"], inner_words),
    custom("script", &["-c", "--command", "-E", "-I", "-O", "-B", "-m", "-T"], typescript),
    custom("sem", parallel::VALUES, parallel::parallel),
    custom("setarch", &[], other_machine),
    after_one("setlock", &[]),
    wrapper(
        "setpriv",
        &["--reuid", "--regid", "--groups", "--inh-caps", "--ambient-caps", "--bounding-set"],
    ),
    wrapper("setsid", &[]),
    after_one("setuidgid", &[]),
    custom("sg", &["-c"], switch_user),
    wrapper("softlimit", &["-m", "-d", "-s", "-o"]),
    wrapper("ssh-agent", &["-a", "-t", "-E", "-O", "-P"]),
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
    after_one("su-exec", &[]),
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
            "--on-unit-active",
            "--on-unit-inactive",
            "--on-startup",
            "--timer-property",
        ],
        service,
    ),
    after_one("taskset", &["-p"]),
    wrapper("tcpserver", &["-c", "-u", "-g", "-l"]),
    wrapper("time", &["-f", "--format", "-o", "--output"]),
    after_one("timeout", &["-s", "--signal", "-k", "--kill-after"]),
    wrapper("tini", &["-p", "-e"]),
    custom("tmate", &["-c", "-f", "-S"], command_option),
    custom("tmux", &["-f", "-L", "-S", "-c"], terminal),
    wrapper("torify", &[]),
    wrapper("torsocks", &["-u", "-p", "-a", "-P"]),
    wrapper("toybox", &[]),
    wrapper("trickle", &["-d", "-u", "-w", "-t", "-l", "-n"]),
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
    custom("wezterm", &["--pane-id"], typing),
    wrapper("wsl", WSL),
    wrapper("wsl.exe", WSL),
    custom("wtype", &["-M", "-m", "-P", "-p", "-k", "-s", "-d"], typing),
    custom(
        "xargs",
        &[
            "-a",
            "--arg-file",
            "-d",
            "--delimiter",
            "-E",
            "-I",
            "-L",
            "-n",
            "--max-args",
            "-P",
            "--max-procs",
            "-s",
            "--max-chars",
        ],
        arguments_from_input,
    ),
    custom("xdotool", &["--delay", "--window", "--args"], typing),
    wrapper("xvfb-run", &["-n", "-s", "-e", "-f", "-p", "--server-num", "--server-args"]),
    custom("ydotool", &["-d", "--key-delay"], typing),
    custom("zellij", &["-s", "--session"], typing),
];

fn inner(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    walk.run(command_after(invocation, 0), invocation.input.clone())
}

/// `-c code` or `-e program` as a shell's option, or words that follow.
fn command_option(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    if let Some(code) = own_options(invocation, 0).value(&["-c", "-e"]) {
        return walk.shell(&code.text, code.span, &[], invocation.input.clone());
    }
    inner(walk, invocation)
}

/// `flock FILE command`, `flock FILE -c code`.
fn locked(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    if let Some(code) = own_options(invocation, 1).value(&["-c", "--command"]) {
        return walk.shell(&code.text, code.span, &[], invocation.input.clone());
    }
    inner_after_one(walk, invocation)
}

fn inner_after_one(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    walk.run(command_after(invocation, 1), invocation.input.clone())
}

/// Our own `sandbox run … -- COMMAND` and `try … -- COMMAND`, which are read as if it ran outside. What our other verbs do, `rules` says.
fn sandboxed(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let arguments = invocation.arguments.as_slice();
    let is_first = arguments
        .first()
        .is_some_and(|first| matches!(first.text.as_known(), Some("sandbox" | "try")));
    let ends = arguments.iter().position(|word| word.text.as_known() == Some("--"));
    match ends.filter(|_| is_first).and_then(|ends| arguments.get(ends + 1..)) {
        Some(command) => walk.run(command, invocation.input.clone()),
        None => invocation.origin(),
    }
}

/// As [`inner`], for programs whose inner command may as well stand in one quoted word.
fn inner_words(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    run_or_read(walk, command_after(invocation, 0), invocation)
}

/// All words together are shell code: `watch`.
fn shell_words(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let command = command_after(invocation, 0);
    if own_options(invocation, 0).has(&["-x", "--exec"]) {
        return walk.run(command, invocation.input.clone());
    }
    read_joined(walk, command, invocation)
}

/// `newgrp GROUP`: a shell that reads the input.
fn group_shell(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    match &invocation.input {
        Some(input) => walk.shell(input, invocation.span, &[], None),
        None => invocation.origin(),
    }
}

/// `hyperfine 'command'…`: each operand is a command, as is what prepares it.
fn timed(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let around =
        ["-s", "--setup", "-p", "--prepare", "-c", "--cleanup", "--conclude", "--reference"];
    let options = invocation.options();
    let commands: Vec<Argument> =
        options.values_of(&around).chain(options.operands().cloned()).collect();
    for command in &commands {
        walk.shell(&command.text, command.span, &[], Some(Text::default()));
    }
    invocation.origin()
}

/// `kubectl apply -f -`: what arrives is made into objects.
fn applied(walk: &mut dyn Host, invocation: &Invocation) {
    let Some(input) = &invocation.input else { return };
    let options = invocation.options();
    let verb = options.operands().next().and_then(|verb| verb.text.as_known());
    let reads = options
        .values_of(&["-f", "--filename"])
        .any(|file| matches!(file.text.as_known(), Some("-" | "/dev/stdin")));
    if !reads || !matches!(verb, Some("apply" | "create" | "replace")) {
        return;
    }
    if input.taint.has(crate::text::Taint::NETWORK) {
        walk.note("k8s.apply.remote", invocation.span);
    }
    let text = input.display();
    let binds = text.contains("RoleBinding") && text.contains("cluster-admin");
    let grants = text.contains("kind: ClusterRole")
        && ["verbs: [\"*\"]", "verbs: ['*']"].iter().any(|all| text.contains(all))
        && ["resources: [\"*\"]", "resources: ['*']"].iter().any(|all| text.contains(all));
    if binds || grants {
        walk.note("k8s.rbac.admin", invocation.span);
    }
}

/// `kubectl exec … -- command`: what stands behind `--`.
pub(super) fn dash_dash(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let verb = invocation.options().operands().next().and_then(|verb| verb.text.as_known());
    let is_cluster = matches!(invocation.program.as_str(), "kubectl" | "oc");
    if is_cluster {
        applied(walk, invocation);
    }
    if is_cluster && matches!(verb, Some("cp" | "rsync")) {
        return copied(walk, invocation, 1);
    }
    if verb == Some("file") {
        return pushed(walk, invocation);
    }
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
    if runs && matches!(invocation.program.as_str(), "incus" | "lxc") {
        return walk.run(command_after(invocation, 2), invocation.input.clone());
    }
    if runs && is_cluster && verb == Some("exec") {
        return walk.run(command_after(invocation, 2), invocation.input.clone());
    }
    invocation.origin()
}

fn dash_dash_shell(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let at =
        invocation.arguments.iter().position(|argument| argument.text.as_known() == Some("--"));
    let Some(at) = at else { return invocation.origin() };
    let mut words = vec![Argument { text: Text::known("bash"), span: invocation.name.span }];
    words.extend(invocation.arguments.iter().skip(at + 1).cloned());
    walk.run(&words, invocation.input.clone())
}

fn namespace(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let verbs: Vec<&str> = invocation
        .options()
        .operands()
        .leading(2)
        .filter_map(|operand| operand.text.as_known())
        .collect();
    match verbs.as_slice() {
        ["netns" | "vrf", "exec"] => {
            walk.run(command_after(invocation, 3), invocation.input.clone())
        }
        _ => invocation.origin(),
    }
}

fn profiled(walk: &mut dyn Host, invocation: &Invocation) -> Text {
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

fn typescript(walk: &mut dyn Host, invocation: &Invocation) -> Text {
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

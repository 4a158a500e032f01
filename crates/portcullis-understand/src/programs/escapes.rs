//! Ways from an ordinary program to a shell: options, variables and inputs whose value is run as a command. Owns the
//! tables; sources are the programs' manual pages. What is run is then read like any other command.

use portcullis_syntax::Span;

use super::{Options, cards, changers, mounts, projects, wrappers};
use crate::{
    effect::{Argument, Certainty, GapReason},
    programs::host::Host,
    programs::invocation::Invocation,
    text::{Piece, Taint, Text},
};

pub(in crate::programs) mod by_manual;
mod follow;
mod git;
mod git_tables;
mod loaded;
pub mod named;
#[cfg(test)]
pub(in crate::programs) mod near_pairs;
mod settings;
mod told;
mod unlisted;
mod variables;
mod vim;

pub use follow::is_temporary;
use follow::{after, setting};
pub(crate) use follow::{
    follow, has_rows, made, make_variables, makefile, names_temporary, options_of, words_of,
};
use git::git_commands;
pub(crate) use git::git_environment;
pub(crate) use named::named_in_variable;
use settings::Settings;
pub(crate) use settings::program as run_program;

/// What a variable means to the programs that find it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Variable {
    /// Programs obey it: it changes what is loaded or trusted.
    Obeyed,
    /// Its value is run as a command.
    Command,
    /// It names a file that is run.
    File,
}

/// Variables with a meaning, sorted.
static VARIABLES: &[(&str, Variable)] = &[
    ("ALL_PROXY", Variable::Obeyed),
    ("AWS_PAGER", Variable::Command),
    ("BASH_ENV", Variable::File),
    ("BASH_FUNC_", Variable::Obeyed),
    ("BAT_PAGER", Variable::Command),
    ("BROWSER", Variable::Command),
    ("CARGO_BUILD_RUSTC_WRAPPER", Variable::Command),
    ("CARGO_HTTP_PROXY", Variable::Obeyed),
    ("DELTA_PAGER", Variable::Command),
    ("DOCKER_HOST", Variable::Obeyed),
    ("DYLD_INSERT_LIBRARIES", Variable::Obeyed),
    ("DYLD_LIBRARY_PATH", Variable::Obeyed),
    ("EDITOR", Variable::Command),
    ("ENV", Variable::File),
    ("FCEDIT", Variable::Command),
    ("FTP_PROXY", Variable::Obeyed),
    ("GH_BROWSER", Variable::Command),
    ("GH_EDITOR", Variable::Command),
    ("GH_HOST", Variable::Obeyed),
    ("GH_PAGER", Variable::Command),
    ("GIT_ASKPASS", Variable::Command),
    ("GIT_CONFIG_COUNT", Variable::Obeyed),
    ("GIT_DIFFTOOL_EXTCMD", Variable::Command),
    ("GIT_EDITOR", Variable::Command),
    ("GIT_EXEC_PATH", Variable::Obeyed),
    ("GIT_EXTERNAL_DIFF", Variable::Command),
    ("GIT_PAGER", Variable::Command),
    ("GIT_PROXY_COMMAND", Variable::Command),
    ("GIT_SEQUENCE_EDITOR", Variable::Command),
    ("GIT_SSH", Variable::Command),
    ("GIT_SSH_COMMAND", Variable::Command),
    ("GIT_SSL_NO_VERIFY", Variable::Obeyed),
    ("GOAUTH", Variable::Command),
    ("HELM_KUBEAPISERVER", Variable::Obeyed),
    ("HGEDITOR", Variable::Command),
    ("HISTFILE", Variable::Obeyed),
    ("HISTFILESIZE", Variable::Obeyed),
    ("HISTIGNORE", Variable::Obeyed),
    ("HISTSIZE", Variable::Obeyed),
    ("HTTPS_PROXY", Variable::Obeyed),
    ("HTTP_PROXY", Variable::Obeyed),
    ("HUSKY", Variable::Obeyed),
    ("HUSKY_SKIP_HOOKS", Variable::Obeyed),
    ("JAVA_TOOL_OPTIONS", Variable::Obeyed),
    ("JDK_JAVA_OPTIONS", Variable::Obeyed),
    ("KUBECTL_EXTERNAL_DIFF", Variable::Command),
    ("KUBE_EDITOR", Variable::Command),
    ("LD_AUDIT", Variable::Obeyed),
    ("LD_LIBRARY_PATH", Variable::Obeyed),
    ("LD_PRELOAD", Variable::Obeyed),
    ("LEFTHOOK", Variable::Obeyed),
    ("LESSCLOSE", Variable::Command),
    ("LESSEDIT", Variable::Command),
    ("LESSOPEN", Variable::Command),
    ("MANOPT", Variable::Obeyed),
    ("MANPAGER", Variable::Command),
    ("NODE_OPTIONS", Variable::Obeyed),
    ("NODE_TLS_REJECT_UNAUTHORIZED", Variable::Obeyed),
    ("NPM_CONFIG_HTTPS_PROXY", Variable::Obeyed),
    ("NPM_CONFIG_PROXY", Variable::Obeyed),
    ("PAGER", Variable::Command),
    ("PATH", Variable::Obeyed),
    ("PERL5DB", Variable::Obeyed),
    ("PERL5LIB", Variable::Obeyed),
    ("PERL5OPT", Variable::Obeyed),
    ("PIP_PROXY", Variable::Obeyed),
    ("PROMPT_COMMAND", Variable::Command),
    ("PS4", Variable::Obeyed),
    ("PSQL_EDITOR", Variable::Command),
    ("PSQL_PAGER", Variable::Command),
    ("PYTHONHTTPSVERIFY", Variable::Obeyed),
    ("PYTHONPATH", Variable::Obeyed),
    ("PYTHONSTARTUP", Variable::Obeyed),
    ("PYTHONWARNINGS", Variable::Obeyed),
    ("RESTIC_PASSWORD_COMMAND", Variable::Command),
    ("RSYNC_CONNECT_PROG", Variable::Command),
    ("RSYNC_RSH", Variable::Command),
    ("RUBYLIB", Variable::Obeyed),
    ("RUBYOPT", Variable::Obeyed),
    ("RUSTC", Variable::Command),
    ("RUSTC_WORKSPACE_WRAPPER", Variable::Command),
    ("RUSTC_WRAPPER", Variable::Command),
    ("SAVEHIST", Variable::Obeyed),
    ("SENDMAIL", Variable::Command),
    ("SHELLOPTS", Variable::Obeyed),
    ("SSH_ASKPASS", Variable::Command),
    ("SSH_AUTH_SOCK", Variable::Obeyed),
    ("SSH_PKCS11_HELPER", Variable::Command),
    ("SSH_SK_HELPER", Variable::Command),
    ("SUDO_ASKPASS", Variable::Command),
    ("SUDO_EDITOR", Variable::Command),
    ("SVN_EDITOR", Variable::Command),
    ("SVN_SSH", Variable::Command),
    ("SYSTEMD_EDITOR", Variable::Command),
    ("SYSTEMD_PAGER", Variable::Command),
    ("TAR_OPTIONS", Variable::Obeyed),
    ("VISUAL", Variable::Command),
    ("all_proxy", Variable::Obeyed),
    ("ftp_proxy", Variable::Obeyed),
    ("http_proxy", Variable::Obeyed),
    ("https_proxy", Variable::Obeyed),
    ("npm_config_https_proxy", Variable::Obeyed),
    ("npm_config_proxy", Variable::Obeyed),
];

/// Whether a program is a shell.
pub(crate) fn is_shell(program: &str) -> bool {
    matches!(
        program,
        "ash"
            | "bash"
            | "csh"
            | "dash"
            | "elvish"
            | "fish"
            | "ksh"
            | "mksh"
            | "oksh"
            | "posh"
            | "rbash"
            | "sash"
            | "sh"
            | "tcsh"
            | "yash"
            | "zsh"
    )
}

/// Whether programs run, load or obey what a variable of this name holds.
#[must_use]
pub fn obeys(name: &str) -> bool {
    variable(name).is_some()
}

/// What a variable means; `None` where programs take it as data.
pub(crate) fn variable(name: &str) -> Option<Variable> {
    if name.starts_with("PORTCULLIS_") {
        return Some(Variable::Obeyed);
    }
    if name.starts_with("CARGO_TARGET_") && name.ends_with("_RUNNER") {
        return Some(Variable::Command);
    }
    let Ok(at) = VARIABLES.binary_search_by(|(known, _)| (*known).cmp(name)) else {
        return named::is_index(name).then_some(Variable::Obeyed);
    };
    VARIABLES.get(at).map(|(_, meaning)| *meaning)
}

/// How a value is run.
#[derive(Clone, Copy, Debug)]
pub(in crate::programs) enum How {
    /// As shell code.
    Shell,
    /// As shell code, behind this prefix only (`exec=`, `!`).
    ShellAfter(&'static str),
    /// As shell code, where the value holds `key=command` with one of these keys, apart by blanks or commas.
    ShellSetting(&'static [&'static str]),
    /// As code in this language.
    Code(&'static str),
    /// It names a file that is run as a shell script.
    Script,
    /// It names a file of commands in this language.
    Commands(&'static str),
    /// It names a file of settings that may name programs.
    Settings(Settings),
    /// It names a directory of settings or programs.
    Directory,
    /// It names a library that is loaded.
    Library,
    /// It names code, settings or plugins that the program loads beside the project's own.
    Loaded,
    /// As shell code; it stands in for a program that is trusted.
    Program,
    /// A setting of ssh.
    Ssh,
    /// Commands of Vim.
    Vim,
}

/// An option whose value is run: the program, the option's spellings, how.
pub(in crate::programs) struct Escape {
    program: &'static str,
    options: &'static [&'static str],
    how: How,
    /// Whether the value has to be in the same word: `-Hfirefox`, `--html=firefox`.
    attached: bool,
}

pub(in crate::programs) const fn escape(
    program: &'static str,
    options: &'static [&'static str],
    how: How,
) -> Escape {
    Escape { program, options, how, attached: false }
}

const fn attached(program: &'static str, options: &'static [&'static str], how: How) -> Escape {
    Escape { program, options, how, attached: true }
}

/// What is known of a program's options that are run: by its card, or by the rows here.
fn escapes(name: &str) -> impl Iterator<Item = &'static Escape> + Clone {
    let first = ESCAPES.partition_point(|row| row.program < name);
    let last = ESCAPES.partition_point(|row| row.program <= name);
    let on_card = cards::card(name).map_or(&[][..], |card| card.runs);
    ESCAPES.get(first..last).unwrap_or_default().iter().chain(on_card)
}

/// Options of programs that have no row elsewhere which take a value, sorted by program.
static TAKE_VALUES: &[(&str, &[&str])] = &[
    ("ex", VIM),
    ("gvim", VIM),
    (
        "man",
        &[
            "-C",
            "-E",
            "-L",
            "-M",
            "-P",
            "-R",
            "-S",
            "-e",
            "-m",
            "-p",
            "-r",
            "-s",
            "--config-file",
            "--encoding",
            "--extension",
            "--locale",
            "--manpath",
            "--pager",
            "--preprocessor",
            "--prompt",
            "--recode",
            "--sections",
            "--systems",
        ],
    ),
    ("nvim", VIM),
    ("rview", VIM),
    ("rvim", VIM),
    ("ssh-add", &["-E", "-H", "-S", "-T", "-e", "-h", "-s", "-t"]),
    (
        "ssh-keygen",
        &[
            "-C", "-D", "-E", "-F", "-I", "-M", "-N", "-O", "-P", "-R", "-V", "-Y", "-Z", "-a",
            "-b", "-f", "-m", "-n", "-r", "-s", "-t", "-w", "-z",
        ],
    ),
    ("tox", &["-c", "-e", "-f", "-p", "-r", "-x", "--override"]),
    ("vi", VIM),
    ("view", VIM),
    ("vim", VIM),
    ("vimdiff", VIM),
];

/// Vim's options that take a value, vim(1); `-s` does so only where no other letter stands with it.
const VIM: &[&str] = &[
    "-P",
    "-S",
    "-T",
    "-U",
    "-W",
    "-c",
    "-i",
    "-r",
    "-t",
    "-u",
    "-w",
    "--cmd",
    "--listen",
    "--remote-expr",
    "--remote-send",
    "--server",
    "--servername",
    "--startuptime",
];

/// Long options that are names of their own although another one in the table begins with them.
const WHOLE: &[&str] = &["--checkpoint", "--global"];

/// Editors' `-c`: `:!cmd`, `!cmd`, `silent !cmd`, and embedded languages.
const EDITOR: &[&str] = &["-c", "--cmd", "+"];

/// Options whose value is run, sorted by program.
static ESCAPES: &[Escape] = &[
    escape("R", &["-e"], How::Code("r")),
    escape(
        "apt",
        &["-o", "--option"],
        How::ShellSetting(&[
            "Pre-Invoke",
            "Post-Invoke",
            "Pre-Invoke::",
            "Post-Invoke::",
            "Pre-Install-Pkgs::",
            "Changelogs",
        ]),
    ),
    escape(
        "apt-get",
        &["-o", "--option"],
        How::ShellSetting(&[
            "Pre-Invoke",
            "Post-Invoke",
            "Pre-Invoke::",
            "Post-Invoke::",
            "Pre-Install-Pkgs::",
        ]),
    ),
    escape(
        "aria2c",
        &[
            "--on-download-start",
            "--on-download-pause",
            "--on-download-stop",
            "--on-download-complete",
            "--on-download-error",
            "--on-bt-download-complete",
        ],
        How::Shell,
    ),
    escape("autossh", &["-F"], How::Settings(Settings::Ssh)),
    escape("autossh", &["-I"], How::Library),
    escape("autossh", &["-o"], How::Ssh),
    escape("bat", &["--pager"], How::Shell),
    escape("batcat", &["--pager"], How::Shell),
    escape("bazel", &["--run_under"], How::Shell),
    escape("bazelisk", &["--run_under"], How::Shell),
    escape("borg", &["--rsh"], How::Shell),
    escape("bsdtar", &["-I", "--use-compress-program"], How::Program),
    escape("bun", &["--preload", "--require", "-r"], How::Loaded),
    escape(
        "cargo",
        &["--config"],
        How::ShellSetting(&["build.rustc-wrapper", "build.rustc", "runner"]),
    ),
    escape("cdist", &["-s", "--shell"], How::Shell),
    escape(
        "certbot",
        &[
            "--pre-hook",
            "--post-hook",
            "--deploy-hook",
            "--renew-hook",
            "--manual-auth-hook",
            "--manual-cleanup-hook",
        ],
        How::Shell,
    ),
    escape("check_ssl_cert", &["--grep-bin", "--curl-bin", "--openssl", "--file-bin"], How::Shell),
    escape("chokidar", &["-c", "--command"], How::Shell),
    escape("clojure", &["-e", "--eval"], How::Code("scheme")),
    escape("cmake", &["-P"], How::Script),
    escape("cpio", &["--rsh-command"], How::Shell),
    escape("ctest", &["--script", "-S"], How::Loaded),
    escape("curl", &["-K", "--config"], How::Settings(Settings::Curl)),
    escape("curl", &["--engine"], How::Library),
    escape("dc", &["-e", "--expression"], How::ShellAfter("!")),
    escape("deno", &["--config", "--import-map", "--preload", "-c"], How::Loaded),
    escape("dmsetup", &["--exec"], How::Shell),
    escape("dnsmasq", &["--dhcp-script", "--conf-script"], How::Shell),
    escape("docker", &["--config"], How::Directory),
    escape(
        "dotnet",
        &["-p", "-property", "/p", "/property", "--property"],
        How::ShellSetting(&["PostBuildEvent", "PreBuildEvent"]),
    ),
    escape("dpkg", &["--post-invoke", "--pre-invoke", "--status-logger"], How::Shell),
    escape("emacs", &["--eval", "-eval"], How::Code("elisp")),
    escape("enscript", &["-I", "--filter"], How::Shell),
    escape("ex", EDITOR, How::Vim),
    escape("exiftool", &["-if"], How::Code("perl")),
    escape("fzf", &["--preview"], How::Shell),
    escape("gdb", &["-ex", "-iex", "--ex", "--eval-command", "-eval-command"], How::Code("gdb")),
    escape(
        "gdb",
        &["-x", "-ix", "--command", "-command", "--init-command", "-init-command"],
        How::Commands("gdb"),
    ),
    escape("gem", &["-e", "--editor"], How::Shell),
    // What is tested or run is handed to it; it runs as it does by its path.
    escape("go", &["-exec"], How::Shell),
    escape("gs", &["-c"], How::Code("postscript")),
    escape("gvim", &["-S", "-U", "-u"], How::Settings(Settings::Vim)),
    escape("gvim", EDITOR, How::Vim),
    escape(
        "hg",
        &["--config"],
        How::ShellSetting(&["alias", "hooks", "ui.editor", "ui.ssh", "ui.pager"]),
    ),
    escape("jest", &["--config"], How::Code("jest")),
    escape("journalctl", &["--pager"], How::Shell),
    escape("latexmk", &["-pdflatex", "-latex", "-e"], How::Shell),
    escape("less", &["+", "++"], How::ShellAfter("!")),
    escape("less", &["-k", "--lesskey-file", "--lesskey-src"], How::Settings(Settings::Opaque)),
    escape("lftp", &["-c", "-e"], How::ShellAfter("!")),
    escape(
        "lldb",
        &["--one-line", "--one-line-before-file", "--one-line-on-crash", "-O", "-k", "-o"],
        How::Code("lldb"),
    ),
    escape("logrotate", &["-m", "--mail"], How::Script),
    escape("luatex", &["--shell-escape", "-shell-escape"], How::Code("tex")),
    escape("mail", &["--exec"], How::ShellAfter("!")),
    escape("make", &["--eval", "-E"], How::Code("make")),
    escape("man", &["-C", "--config-file"], How::Settings(Settings::Opaque)),
    escape("man", &["-P", "--pager"], How::Program),
    attached("man", &["-H", "--html"], How::Program),
    escape("more", &["+"], How::ShellAfter("!")),
    escape("mosh", &["--ssh", "--server", "--client"], How::Shell),
    escape(
        "msbuild",
        &["-p", "-property", "/p", "/property"],
        How::ShellSetting(&["PostBuildEvent", "PreBuildEvent"]),
    ),
    escape("mutt", &["-e"], How::ShellAfter("!")),
    escape("mutt", &["-e"], How::ShellSetting(&["editor", "sendmail", "shell"])),
    escape("mysql", &["--pager"], How::Shell),
    escape("nano", &["-s", "--speller"], How::Shell),
    escape("ncftp", &["-W"], How::ShellAfter("!")),
    escape("nmap", &["--script"], How::Script),
    escape("nnn", &["-P"], How::Shell),
    escape("nodemon", &["-x", "--exec"], How::Shell),
    escape("npm", &["-c", "--call"], How::Shell),
    escape(
        "npm",
        &[
            "--editor",
            "--git",
            "--init-module",
            "--node-gyp",
            "--script-shell",
            "--shell",
            "--viewer",
        ],
        How::Program,
    ),
    escape("npm", &["--globalconfig", "--userconfig"], How::Settings(Settings::Npm)),
    escape("npm", &["--node-options"], How::Code("node-options")),
    escape("npx", &["-c", "--call"], How::Shell),
    escape("npx", &["--node-options"], How::Code("node-options")),
    escape("npx", &["--script-shell", "--shell"], How::Program),
    escape("nvim", &["-S", "-u"], How::Settings(Settings::Vim)),
    escape("nvim", EDITOR, How::Vim),
    escape(
        "openvpn",
        &["--up", "--down", "--script-security", "--client-connect", "--route-up"],
        How::Shell,
    ),
    escape("pandoc", &["-F", "--filter"], How::Shell),
    escape("pdftex", &["--shell-escape", "-shell-escape"], How::Code("tex")),
    escape("perf", &["--post", "--pre"], How::Shell),
    escape("pico", &["-s", "--speller"], How::Shell),
    escape("pidstat", &["-e"], How::Shell),
    escape("pip", &["--editor", "--python"], How::Program),
    escape("pip3", &["--editor", "--python"], How::Program),
    escape("pnpm", &["--node-options"], How::Code("node-options")),
    escape("pnpm", &["--script-shell"], How::Program),
    escape("podman", &["--cni-config-dir", "--config", "--hooks-dir"], How::Directory),
    escape("podman", &["--conmon", "--network-cmd-path", "--runtime"], How::Program),
    escape("procmail", &["-m"], How::Settings(Settings::Opaque)),
    escape("prove", &["-e", "--exec"], How::Shell),
    escape("psql", &["-o", "--output"], How::ShellAfter("|")),
    escape("rake", &["-e", "-E", "-p", "--execute", "--execute-print"], How::Code("ruby")),
    escape("ranger", &["--cmd"], How::ShellAfter("shell ")),
    escape("restic", &["--password-command"], How::Shell),
    escape("rg", &["--pre", "--hostname-bin"], How::Shell),
    escape("rpm", &["--pipe"], How::Shell),
    escape("rpm", &["--define", "--eval", "-D", "-E"], How::Code("rpm")),
    escape("rpmbuild", &["--define", "--eval", "-D", "-E"], How::Code("rpm")),
    escape("rpmspec", &["--define", "--eval", "-D", "-E"], How::Code("rpm")),
    escape("rsync", &["--config"], How::Settings(Settings::Rsync)),
    escape("rsync", &["--rsync-path"], How::Shell),
    escape("rsync", &["-e", "--rsh"], How::Program),
    escape("rsyslogd", &["-f"], How::Settings(Settings::Opaque)),
    escape("ruby", &["--crash-report"], How::ShellAfter("|")),
    escape("rustc", &["--codegen", "-C"], How::ShellSetting(&["linker"])),
    escape("rview", EDITOR, How::Vim),
    escape("rvim", EDITOR, How::Vim),
    escape("scp", &["-D", "-S"], How::Program),
    escape("scp", &["-F"], How::Settings(Settings::Ssh)),
    escape("scp", &["-o"], How::Ssh),
    escape("screen", &["-c"], How::Loaded),
    escape("scrot", &["-e", "--exec"], How::Shell),
    escape("sftp", &["-D", "-S"], How::Program),
    escape("sftp", &["-F"], How::Settings(Settings::Ssh)),
    escape("sftp", &["-b"], How::Settings(Settings::Sftp)),
    escape("sftp", &["-o"], How::Ssh),
    escape("sort", &["--compress-program"], How::Shell),
    escape("split", &["--filter"], How::Shell),
    escape("sqlite3", &["-cmd"], How::ShellAfter(".shell")),
    escape("sqlite3", &["-cmd"], How::ShellAfter(".sh ")),
    escape("sqlite3", &["-cmd"], How::ShellAfter(".system")),
    escape("sqlmap", &["--eval"], How::Code("python")),
    escape("ssh", &["-F"], How::Settings(Settings::Ssh)),
    escape("ssh", &["-I"], How::Library),
    escape("ssh", &["-o"], How::Ssh),
    escape("ssh-add", &["-S"], How::Library),
    escape("ssh-copy-id", &["-F"], How::Settings(Settings::Ssh)),
    escape("ssh-copy-id", &["-o"], How::Ssh),
    escape("ssh-keygen", &["-w"], How::Library),
    escape("sshfs", &["-F"], How::Settings(Settings::Ssh)),
    escape("sshfs", &["-o"], How::ShellSetting(&["ssh_command"])),
    escape("strace", &["-o", "--output"], How::ShellAfter("!")),
    escape("strace", &["-o", "--output"], How::ShellAfter("|")),
    escape("svn", &["--editor-cmd", "--diff-cmd", "--diff3-cmd"], How::Shell),
    escape(
        "systemd-run",
        &["--property", "-p"],
        How::ShellSetting(&[
            "ExecCondition",
            "ExecReload",
            "ExecStart",
            "ExecStartPost",
            "ExecStartPre",
            "ExecStop",
            "ExecStopPost",
        ]),
    ),
    escape("tar", &["--checkpoint-action"], How::ShellAfter("exec=")),
    escape(
        "tar",
        &[
            "-I",
            "--use-compress-program",
            "--to-command",
            "-F",
            "--info-script",
            "--new-volume-script",
            "--rsh-command",
            "--rmt-command",
        ],
        How::Program,
    ),
    escape("tcpdump", &["-z"], How::Shell),
    escape("tex", &["--shell-escape"], How::Code("tex")),
    escape("tmux", &["-f"], How::Loaded),
    escape(
        "tox",
        &["--override", "-x"],
        How::ShellSetting(&["commands", "commands_post", "commands_pre"]),
    ),
    escape("vi", EDITOR, How::Vim),
    escape("view", EDITOR, How::Vim),
    escape("vifm", &["-c"], How::Vim),
    escape("vim", &["-S", "-U", "-u"], How::Settings(Settings::Vim)),
    escape("vim", EDITOR, How::Vim),
    escape("vimdiff", EDITOR, How::Vim),
    escape("wget", &["--use-askpass"], How::Script),
    escape("xdotool", &["--sync"], How::Shell),
    escape("xetex", &["--shell-escape", "-shell-escape"], How::Code("tex")),
    escape("xterm", &["-e"], How::Shell),
    escape("yarn", &["--script-shell"], How::Program),
    escape("yarn", &["--use-yarnrc"], How::Settings(Settings::Opaque)),
    escape("youtube-dl", &["--exec"], How::Shell),
    escape("yt-dlp", &["--exec", "--exec-before-download"], How::Shell),
    escape("zip", &["-TT", "--unzip-command"], How::Shell),
];

/// Programs that run a line of their input behind this mark: `!command` in editors and clients.
static INPUT_ESCAPES: &[(&str, &[&str])] = &[
    ("asterisk", &["!"]),
    ("bconsole", &["@exec "]),
    ("cpan", &["!"]),
    ("crash", &["!"]),
    ("dc", &["!"]),
    ("debugfs", &["!"]),
    ("ed", &["!", "r !", "w !", "e !"]),
    ("ex", &["!", ":!"]),
    ("ftp", &["!"]),
    ("gdb", &["!", "shell ", "python "]),
    ("groff", &[".sy ", ".pso "]),
    ("iftop", &["!"]),
    ("irb", &["system "]),
    ("ispell", &["!"]),
    ("jshell", &["Runtime.getRuntime().exec"]),
    ("jtag", &["shell "]),
    ("less", &["!"]),
    ("lftp", &["!"]),
    ("mail", &["~!", "!"]),
    ("mailx", &["~!", "!"]),
    ("man", &["!"]),
    ("more", &["!"]),
    ("mysql", &["\\!", "system "]),
    ("ncftp", &["!"]),
    ("nslookup", &["!"]),
    ("psftp", &["!"]),
    ("psql", &["\\!"]),
    ("red", &["!"]),
    ("scanmem", &["shell "]),
    ("sftp", &["!"]),
    ("smbclient", &["!"]),
    ("sqlite3", &[".shell", ".system"]),
    ("tasksh", &["!"]),
    ("tdbtool", &["!"]),
    ("telnet", &["!"]),
    ("tftp", &["!"]),
    ("vi", &[":!", "!"]),
    ("vim", &[":!", "!"]),
];

/// The list here that has a program beside its card, for the test of the cards.
#[cfg(test)]
pub(in crate::programs) fn lists(name: &str) -> Option<&'static str> {
    if ESCAPES.iter().any(|row| row.program == name) {
        return Some("escapes");
    }
    follow::writes(name).then_some("logs")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_sorted() {
        assert!(VARIABLES.is_sorted_by_key(|row| row.0), "variables");
        assert!(ESCAPES.is_sorted_by_key(|row| row.program), "escapes");
        assert!(INPUT_ESCAPES.is_sorted_by_key(|row| row.0), "inputs");
        assert!(TAKE_VALUES.is_sorted_by_key(|row| row.0), "values");
    }
}

//! Ways from an ordinary program to a shell: options, variables and inputs whose value is run as a command. Owns the
//! tables; sources are the programs' manual pages. What is run is then read like any other command.

use portcullis_syntax::Span;

use super::{changers, mounts, projects, wrappers};
use crate::{
    effect::{Argument, Certainty, GapReason},
    text::{Piece, Taint, Text},
    understand::shell::{Invocation, Walk},
};

mod follow;
mod git;

use follow::{after, names_temporary, setting};
pub(crate) use follow::{follow, is_temporary, makefile, values_of};
pub(crate) use git::git_environment;
use git::{git_commands, git_setting};

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
    ("DYLD_INSERT_LIBRARIES", Variable::Obeyed),
    ("DYLD_LIBRARY_PATH", Variable::Obeyed),
    ("EDITOR", Variable::Command),
    ("ENV", Variable::File),
    ("FCEDIT", Variable::Command),
    ("FTP_PROXY", Variable::Obeyed),
    ("GH_BROWSER", Variable::Command),
    ("GH_EDITOR", Variable::Command),
    ("GH_PAGER", Variable::Command),
    ("GIT_ASKPASS", Variable::Command),
    ("GIT_CONFIG_COUNT", Variable::Obeyed),
    ("GIT_EDITOR", Variable::Command),
    ("GIT_EXEC_PATH", Variable::Obeyed),
    ("GIT_EXTERNAL_DIFF", Variable::Command),
    ("GIT_PAGER", Variable::Command),
    ("GIT_PROXY_COMMAND", Variable::Command),
    ("GIT_SEQUENCE_EDITOR", Variable::Command),
    ("GIT_SSH", Variable::Command),
    ("GIT_SSH_COMMAND", Variable::Command),
    ("GIT_SSL_NO_VERIFY", Variable::Obeyed),
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

/// What a variable means; `None` where programs take it as data.
pub(crate) fn variable(name: &str) -> Option<Variable> {
    if name.starts_with("PORTCULLIS_") {
        return Some(Variable::Obeyed);
    }
    if name.starts_with("CARGO_TARGET_") && name.ends_with("_RUNNER") {
        return Some(Variable::Command);
    }
    let Ok(at) = VARIABLES.binary_search_by(|(known, _)| (*known).cmp(name)) else {
        return is_index(name).then_some(Variable::Obeyed);
    };
    VARIABLES.get(at).map(|(_, meaning)| *meaning)
}

/// Options in variables such as `NODE_OPTIONS` behind which stands what a language loads before its own program.
const LOADS: &[&str] = &[
    "--experimental-loader",
    "--import",
    "--loader",
    "--require",
    "-I",
    "-M",
    "-agentlib:",
    "-agentpath:",
    "-javaagent:",
    "-r",
];

/// Variables that say where packages are taken from, as the option or the setting of the same meaning does, sorted.
const INDICES: &[&str] = &[
    "GEM_SOURCE",
    "GOPROXY",
    "NPM_CONFIG_REGISTRY",
    "PIP_EXTRA_INDEX_URL",
    "PIP_FIND_LINKS",
    "PIP_INDEX_URL",
    "PIP_TRUSTED_HOST",
    "UV_DEFAULT_INDEX",
    "UV_EXTRA_INDEX_URL",
    "UV_INDEX",
    "UV_INDEX_URL",
    "YARN_NPM_REGISTRY_SERVER",
    "YARN_REGISTRY",
];

/// Whether a variable says where packages are taken from; npm and Cargo read theirs in either case.
pub(crate) fn is_index(name: &str) -> bool {
    let ends = |end: &str| {
        let from = name.len().checked_sub(end.len()).unwrap_or(name.len());
        name.get(from..).is_some_and(|last| last.eq_ignore_ascii_case(end))
    };
    let is_registry = || {
        name.get(.."CARGO_REGISTRIES_".len())
            .is_some_and(|first| first.eq_ignore_ascii_case("CARGO_REGISTRIES_"))
            && ends("_INDEX")
    };
    INDICES.iter().any(|index| index.eq_ignore_ascii_case(name)) || is_registry()
}

/// A variable that says where packages come from names a server over a connection that anybody can change.
fn takes_packages(walk: &mut Walk<'_>, name: &str, value: &Text, span: Span) {
    let known = value.known_prefix();
    let rest = match known.strip_prefix("http://") {
        Some(rest) => rest,
        None if name == "PIP_TRUSTED_HOST" => known,
        None => return,
    };
    let is_near = ["localhost", "127.", "[::1]"].iter().any(|near| rest.starts_with(near));
    if is_index(name) && !is_near && !rest.is_empty() {
        walk.note("package.index.plain", span);
    }
}

/// A variable that programs obey or run: does it name a program or a module among temporary files, another place for
/// packages, or an option that answers a question beforehand?
pub(crate) fn named_in_variable(walk: &mut Walk<'_>, name: &str, value: &Text, span: Span) {
    takes_packages(walk, name, value, span);
    if name.starts_with("TF_CLI_ARGS") && value.known_prefix().contains("-auto-approve") {
        walk.note("terraform.apply.unseen", span);
    }
    let is_loaded = match variable(name) {
        Some(Variable::Command) => names_temporary(value),
        Some(Variable::File) => is_temporary(value.known_prefix()),
        Some(Variable::Obeyed)
            if matches!(
                name,
                "JAVA_TOOL_OPTIONS" | "JDK_JAVA_OPTIONS" | "NODE_OPTIONS" | "PERL5OPT" | "RUBYOPT"
            ) =>
        {
            loads_temporary(value.known_prefix())
        }
        _ => false,
    };
    if is_loaded {
        walk.note("execution.temporary.escape", span);
    }
}

fn loads_temporary(options: &str) -> bool {
    let mut before = "";
    options.split_whitespace().take(64).any(|word| {
        let option = LOADS.iter().find(|option| word.starts_with(*option));
        let attached = option.and_then(|option| word.strip_prefix(option));
        let value = attached.map_or(word, |rest| rest.trim_start_matches('='));
        let found = (option.is_some() || LOADS.contains(&before)) && is_temporary(value);
        before = word;
        found
    })
}

/// How a value is run.
#[derive(Clone, Copy, Debug)]
enum How {
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
    Settings,
}

/// An option whose value is run: the program, the option's spellings, how.
struct Escape {
    program: &'static str,
    options: &'static [&'static str],
    how: How,
}

const fn escape(program: &'static str, options: &'static [&'static str], how: How) -> Escape {
    Escape { program, options, how }
}

/// Settings of ssh that are commands.
const SSH_SETTINGS: How =
    How::ShellSetting(&["ProxyCommand", "LocalCommand", "KnownHostsCommand", "MatchExec"]);

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
    escape("autossh", &["-o"], SSH_SETTINGS),
    escape("bat", &["--pager"], How::Shell),
    escape("batcat", &["--pager"], How::Shell),
    escape("borg", &["--rsh"], How::Shell),
    escape("bsdtar", &["-I", "--use-compress-program"], How::Shell),
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
    escape("dc", &["-e", "--expression"], How::ShellAfter("!")),
    escape("dmsetup", &["--exec"], How::Shell),
    escape("dnsmasq", &["--dhcp-script", "--conf-script"], How::Shell),
    escape("emacs", &["--eval", "-eval"], How::Code("elisp")),
    escape("enscript", &["-I", "--filter"], How::Shell),
    escape("ex", EDITOR, How::Code("vim")),
    escape("exiftool", &["-if"], How::Code("perl")),
    escape("fzf", &["--preview"], How::Shell),
    escape("gdb", &["-ex", "-iex", "--ex", "--eval-command", "-eval-command"], How::Code("gdb")),
    escape(
        "gdb",
        &["-x", "-ix", "--command", "-command", "--init-command", "-init-command"],
        How::Commands("gdb"),
    ),
    escape("gem", &["-e", "--editor"], How::Shell),
    escape("git", &["-c"], How::Code("git-config")),
    escape("gvim", &["-S"], How::Code("vim-script")),
    escape("gvim", EDITOR, How::Code("vim")),
    escape(
        "hg",
        &["--config"],
        How::ShellSetting(&["alias", "hooks", "ui.editor", "ui.ssh", "ui.pager"]),
    ),
    escape("journalctl", &["--pager"], How::Shell),
    escape("kubectl", &["--exec-command"], How::Script),
    escape("latex", &["--shell-escape"], How::Code("tex")),
    escape("latex", &["-shell-escape"], How::Code("tex")),
    escape("latexmk", &["-pdflatex", "-latex", "-e"], How::Shell),
    escape("less", &["+", "++"], How::ShellAfter("!")),
    escape("lftp", &["-c", "-e"], How::ShellAfter("!")),
    escape("logrotate", &["-m", "--mail"], How::Script),
    escape("lualatex", &["--shell-escape"], How::Code("tex")),
    escape("luatex", &["--shell-escape", "-shell-escape"], How::Code("tex")),
    escape("mail", &["--exec"], How::ShellAfter("!")),
    escape("make", &["--eval", "-E"], How::Code("make")),
    escape("man", &["-P", "--pager", "-H", "--html"], How::Shell),
    escape("mosh", &["--ssh", "--server", "--client"], How::Shell),
    escape("mutt", &["-e"], How::ShellAfter("!")),
    escape("mutt", &["-e"], How::ShellSetting(&["set editor", "set sendmail", "set shell"])),
    escape("mysql", &["--pager"], How::Shell),
    escape("nano", &["-s", "--speller"], How::Shell),
    escape("ncftp", &["-W"], How::ShellAfter("!")),
    escape("nmap", &["--script"], How::Script),
    escape("nnn", &["-P"], How::Shell),
    escape("nodemon", &["-x", "--exec"], How::Shell),
    escape("npm", &["-c", "--call"], How::Shell),
    escape("npx", &["-c", "--call"], How::Shell),
    escape("nvim", &["-S", "-u"], How::Code("vim-script")),
    escape("nvim", EDITOR, How::Code("vim")),
    escape(
        "openvpn",
        &["--up", "--down", "--script-security", "--client-connect", "--route-up"],
        How::Shell,
    ),
    escape("pandoc", &["-F", "--filter"], How::Shell),
    escape("pdflatex", &["--shell-escape"], How::Code("tex")),
    escape("pdftex", &["--shell-escape", "-shell-escape"], How::Code("tex")),
    escape("pico", &["-s", "--speller"], How::Shell),
    escape("pidstat", &["-e"], How::Shell),
    escape("pip", &["--editor"], How::Shell),
    escape("pip3", &["--editor"], How::Shell),
    escape("procmail", &["-m"], How::Settings),
    escape("psql", &["-c", "--command"], How::ShellAfter("\\!")),
    escape("rake", &["-e", "-E", "-p", "--execute", "--execute-print"], How::Code("ruby")),
    escape("ranger", &["--cmd"], How::ShellAfter("shell ")),
    escape("rclone", &["--password-command", "--sftp-ssh"], How::Shell),
    escape("restic", &["--password-command"], How::Shell),
    escape("rg", &["--pre", "--hostname-bin"], How::Shell),
    escape("rpm", &["--pipe"], How::Shell),
    escape("rsync", &["-e", "--rsh", "--rsync-path"], How::Shell),
    escape("rsyslogd", &["-f"], How::Settings),
    escape("rview", EDITOR, How::Code("vim")),
    escape("rvim", EDITOR, How::Code("vim")),
    escape("scp", &["-S"], How::Script),
    escape("scp", &["-o"], SSH_SETTINGS),
    escape("scrot", &["-e", "--exec"], How::Shell),
    escape("sftp", &["-S", "-D"], How::Script),
    escape("sftp", &["-o"], SSH_SETTINGS),
    escape("sort", &["--compress-program"], How::Shell),
    escape("split", &["--filter"], How::Shell),
    escape("sqlite3", &["-cmd"], How::ShellAfter(".shell")),
    escape("sqlite3", &["-cmd"], How::ShellAfter(".sh ")),
    escape("sqlite3", &["-cmd"], How::ShellAfter(".system")),
    escape("sqlmap", &["--eval"], How::Code("python")),
    escape("ssh", &["-o"], SSH_SETTINGS),
    escape("sshfs", &["-o"], How::ShellSetting(&["ssh_command"])),
    escape("svn", &["--editor-cmd", "--diff-cmd", "--diff3-cmd"], How::Shell),
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
        How::Shell,
    ),
    escape("tcpdump", &["-z"], How::Shell),
    escape("tex", &["--shell-escape"], How::Code("tex")),
    escape("vi", EDITOR, How::Code("vim")),
    escape("view", EDITOR, How::Code("vim")),
    escape("vifm", &["-c"], How::Code("vim")),
    escape("vim", &["-S", "-u"], How::Code("vim-script")),
    escape("vim", EDITOR, How::Code("vim")),
    escape("vimdiff", EDITOR, How::Code("vim")),
    escape("wget", &["--use-askpass"], How::Script),
    escape("xdotool", &["--sync"], How::Shell),
    escape("xelatex", &["--shell-escape"], How::Code("tex")),
    escape("xetex", &["--shell-escape", "-shell-escape"], How::Code("tex")),
    escape("xterm", &["-e"], How::Shell),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_sorted() {
        assert!(VARIABLES.is_sorted_by_key(|row| row.0), "variables");
        assert!(ESCAPES.is_sorted_by_key(|row| row.program), "escapes");
        assert!(INPUT_ESCAPES.is_sorted_by_key(|row| row.0), "inputs");
    }
}

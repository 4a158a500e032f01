//! Options and inputs whose value is run, one row each, and how it is run. Owns the tables; sources are the programs' manual pages.

use super::{super::cards, settings::Settings};

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
    /// It names the shell by which a program runs what it is told to.
    OwnShell,
    /// A setting of ssh.
    Ssh,
    /// Commands of Vim.
    Vim,
}

/// An option whose value is run: the program, the option's spellings, how.
pub(in crate::programs) struct Escape {
    pub(super) program: &'static str,
    pub(super) options: &'static [&'static str],
    pub(super) how: How,
    /// Whether the value has to be in the same word: `-Hfirefox`, `--html=firefox`.
    pub(super) attached: bool,
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
pub(super) fn escapes(name: &str) -> impl Iterator<Item = &'static Escape> + Clone {
    let first = ESCAPES.partition_point(|row| row.program < name);
    let rows = ESCAPES.get(first..).unwrap_or_default();
    let last = rows.iter().take_while(|row| row.program == name).count();
    let on_card = cards::card(name).map_or(&[][..], |card| card.runs);
    rows.get(..last).unwrap_or_default().iter().chain(on_card)
}

/// Options of programs that have no row elsewhere which take a value, sorted by program.
pub(super) static TAKE_VALUES: &[(&str, &[&str])] = &[
    ("ex", VIM),
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
    ("ssh-add", &["-E", "-H", "-S", "-T", "-e", "-h", "-s", "-t"]),
    (
        "ssh-keygen",
        &[
            "-C", "-D", "-E", "-F", "-I", "-M", "-N", "-O", "-P", "-R", "-V", "-Y", "-Z", "-a",
            "-b", "-f", "-m", "-n", "-r", "-s", "-t", "-w", "-z",
        ],
    ),
    ("tox", &["-c", "-e", "-f", "-p", "-r", "-x", "--override"]),
    ("vim", VIM),
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
pub(super) const WHOLE: &[&str] = &["--checkpoint", "--global"];

/// Editors' `-c`: `:!cmd`, `!cmd`, `silent !cmd`, and embedded languages.
const EDITOR: &[&str] = &["-c", "--cmd", "+"];

/// Options whose value is run, sorted by program.
pub(super) static ESCAPES: &[Escape] = &[
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
    escape("cdk", &["--app", "-a"], How::Shell),
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
    escape("cloc", &["--extract-with"], How::Shell),
    escape("clojure", &["-e", "--eval"], How::Code("scheme")),
    // github.com/hashicorp/consul-template: `-template SOURCE:DESTINATION:COMMAND`.
    escape("consul-template", &["--template", "-template"], How::Code("third")),
    escape("consul-template", &["--exec", "-exec"], How::Shell),
    escape("cpio", &["--rsh-command"], How::Shell),
    escape("ctest", &["--script", "-S"], How::Loaded),
    escape("curl", &["-K", "--config"], How::Settings(Settings::Curl)),
    escape("curl", &["--engine"], How::Library),
    escape("dc", &["-e", "--expression"], How::ShellAfter("!")),
    escape("deno", &["--config", "--import-map", "--preload", "-c"], How::Loaded),
    escape("dmsetup", &["--exec"], How::Shell),
    escape("dnsmasq", &["--dhcp-script", "--conf-script"], How::Shell),
    escape("dpkg", &["--post-invoke", "--pre-invoke", "--status-logger"], How::Shell),
    escape("emacs", &["--eval", "-eval"], How::Code("elisp")),
    escape("enscript", &["-I", "--filter"], How::Shell),
    escape("ex", EDITOR, How::Vim),
    escape("exiftool", &["-if"], How::Code("perl")),
    escape("fish", &["--init-command", "-C"], How::Shell),
    escape("fzf", &["--preview"], How::Shell),
    escape("gdb", &["-ex", "-iex", "--ex", "--eval-command", "-eval-command"], How::Code("gdb")),
    escape(
        "gdb",
        &["-x", "-ix", "--command", "-command", "--init-command", "-init-command"],
        How::Commands("gdb"),
    ),
    escape("gem", &["-e", "--editor"], How::Shell),
    escape("geninfo", &["--gcov-tool"], How::Program),
    // What is tested or run is handed to it; it runs as it does by its path.
    escape("gitk", &["--argscmd"], How::Shell),
    escape("go", &["-exec"], How::Shell),
    escape("gs", &["-c"], How::Code("postscript")),
    escape(
        "hg",
        &["--config"],
        How::ShellSetting(&["alias", "hooks", "ui.editor", "ui.ssh", "ui.pager"]),
    ),
    escape("jest", &["--config"], How::Code("jest")),
    escape("journalctl", &["--pager"], How::Shell),
    escape("latexmk", &["-pdflatex", "-latex", "-e"], How::Shell),
    escape("lcov", &["--gcov-tool"], How::Program),
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
    escape("m4", &["--define", "-D"], How::Code("m4")),
    escape("mail", &["--exec"], How::ShellAfter("!")),
    escape("make", &["--eval", "-E"], How::Code("make")),
    escape("man", &["-C", "--config-file"], How::Settings(Settings::Opaque)),
    escape("man", &["-P", "--pager"], How::Program),
    attached("man", &["-H", "--html"], How::Program),
    // miller.readthedocs.io: each file is what the command prints that is given it.
    escape("mksquashfs", &["-p", "-p0"], How::Code("pseudo-file")),
    escape("mlr", &["--prepipe", "--prepipex"], How::Shell),
    escape("more", &["+"], How::ShellAfter("!")),
    escape("mosh", &["--ssh", "--server", "--client"], How::Shell),
    escape(
        "msbuild",
        &["-p", "-property", "/p", "/property"],
        How::ShellSetting(&["PostBuildEvent", "PreBuildEvent"]),
    ),
    escape("mutt", &["-e"], How::Code("mutt")),
    escape("mutt", &["-e"], How::ShellAfter("!")),
    escape("mutt", &["-e"], How::ShellSetting(&["editor", "sendmail", "shell"])),
    escape("mysql", &["--pager"], How::Shell),
    escape("nano", &["-s", "--speller"], How::Shell),
    escape("ncftp", &["-W"], How::ShellAfter("!")),
    escape("nmap", &["--script"], How::Script),
    escape("nnn", &["-P"], How::Shell),
    escape("nodemon", &["-x", "--exec"], How::Shell),
    escape("npm", &["-c", "--call"], How::Shell),
    escape("npm", &["--editor", "--git", "--init-module", "--node-gyp", "--viewer"], How::Program),
    escape("npm", &["--script-shell", "--shell"], How::OwnShell),
    escape("npm", &["--globalconfig", "--userconfig"], How::Settings(Settings::Npm)),
    escape("npm", &["--node-options"], How::Code("node-options")),
    escape("npx", &["-c", "--call"], How::Shell),
    escape("npx", &["--node-options"], How::Code("node-options")),
    escape("npx", &["--script-shell", "--shell"], How::OwnShell),
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
    escape("pg_ctl", &["-p"], How::Program),
    escape("pgbench", &["--file", "-f"], How::Commands("pgbench")),
    escape("pico", &["-s", "--speller"], How::Shell),
    escape("pidstat", &["-e"], How::Shell),
    escape("pip", &["--editor", "--python"], How::Program),
    escape("pnpm", &["--node-options"], How::Code("node-options")),
    escape("pnpm", &["--script-shell"], How::OwnShell),
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
    escape("vifm", &["-c"], How::Vim),
    escape("vim", &["-S", "-U", "-u"], How::Settings(Settings::Vim)),
    escape("vim", EDITOR, How::Vim),
    escape("wget", &["--use-askpass"], How::Script),
    escape("xdotool", &["--sync"], How::Shell),
    escape("xetex", &["--shell-escape", "-shell-escape"], How::Code("tex")),
    escape("xterm", &["-e"], How::Shell),
    escape("yarn", &["--script-shell"], How::OwnShell),
    escape("yarn", &["--use-yarnrc"], How::Settings(Settings::Opaque)),
    escape("youtube-dl", &["--exec"], How::Shell),
    escape("yt-dlp", &["--exec", "--exec-before-download"], How::Code("when")),
    escape("zip", &["-TT", "--unzip-command"], How::Shell),
    escape("zx", &["--eval", "-e"], How::Code("javascript")),
];

/// Programs that run a line of their input behind this mark: `!command` in editors and clients.
pub(super) static INPUT_ESCAPES: &[(&str, &[&str])] = &[
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
    ("nvim", &[":!", "!"]),
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
    ("vim", &[":!", "!"]),
];

/// The table here that has a program beside its card, for the test of the cards.
#[cfg(test)]
pub(super) fn lists(name: &str) -> Option<&'static str> {
    ESCAPES.iter().any(|row| row.program == name).then_some("escapes")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_sorted() {
        assert!(ESCAPES.is_sorted_by_key(|row| row.program), "escapes");
        assert!(INPUT_ESCAPES.is_sorted_by_key(|row| row.0), "inputs");
        assert!(TAKE_VALUES.is_sorted_by_key(|row| row.0), "values");
    }
}

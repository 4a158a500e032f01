//! Ways from an ordinary program to a shell: options, variables and inputs whose value is run as a command. Owns the
//! tables; sources are the programs' manual pages. What is run is then read like any other command.

use portcullis_syntax::Span;

use super::projects;
use crate::{
    effect::{Argument, GapReason},
    text::{Piece, Taint, Text},
    understand::shell::{Invocation, Walk},
};

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
    ("BASH_ENV", Variable::File),
    ("BASH_FUNC_", Variable::Obeyed),
    ("BROWSER", Variable::Command),
    ("CARGO_BUILD_RUSTC_WRAPPER", Variable::Command),
    ("DYLD_INSERT_LIBRARIES", Variable::Obeyed),
    ("DYLD_LIBRARY_PATH", Variable::Obeyed),
    ("EDITOR", Variable::Command),
    ("ENV", Variable::File),
    ("FCEDIT", Variable::Command),
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
    ("HUSKY", Variable::Obeyed),
    ("HUSKY_SKIP_HOOKS", Variable::Obeyed),
    ("JAVA_TOOL_OPTIONS", Variable::Obeyed),
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
    ("PAGER", Variable::Command),
    ("PATH", Variable::Obeyed),
    ("PERL5DB", Variable::Obeyed),
    ("PERL5LIB", Variable::Obeyed),
    ("PERL5OPT", Variable::Obeyed),
    ("PROMPT_COMMAND", Variable::Command),
    ("PS4", Variable::Obeyed),
    ("PYTHONHTTPSVERIFY", Variable::Obeyed),
    ("PYTHONPATH", Variable::Obeyed),
    ("PYTHONSTARTUP", Variable::Obeyed),
    ("PYTHONWARNINGS", Variable::Obeyed),
    ("RESTIC_PASSWORD_COMMAND", Variable::Command),
    ("RSYNC_RSH", Variable::Command),
    ("RUBYLIB", Variable::Obeyed),
    ("RUBYOPT", Variable::Obeyed),
    ("RUSTC_WRAPPER", Variable::Command),
    ("SAVEHIST", Variable::Obeyed),
    ("SHELLOPTS", Variable::Obeyed),
    ("SSH_ASKPASS", Variable::Command),
    ("SUDO_ASKPASS", Variable::Command),
    ("SUDO_EDITOR", Variable::Command),
    ("SVN_EDITOR", Variable::Command),
    ("SVN_SSH", Variable::Command),
    ("SYSTEMD_EDITOR", Variable::Command),
    ("TAR_OPTIONS", Variable::Obeyed),
    ("VISUAL", Variable::Command),
];

/// Whether a program is a shell.
pub(crate) fn is_shell(program: &str) -> bool {
    matches!(
        program,
        "ash"
            | "bash"
            | "csh"
            | "dash"
            | "fish"
            | "ksh"
            | "mksh"
            | "rbash"
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
    let at = VARIABLES.binary_search_by(|(known, _)| (*known).cmp(name)).ok()?;
    VARIABLES.get(at).map(|(_, meaning)| *meaning)
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

/// Editors' `-c`: `:!cmd`, `!cmd`, `silent !cmd`, and embedded languages.
const EDITOR: &[&str] = &["-c", "--cmd", "+"];

/// Options whose value is run, sorted by program.
static ESCAPES: &[Escape] = &[
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
    escape("borg", &["--rsh"], How::Shell),
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
    escape("gdb", &["-ex", "-iex", "--ex", "--eval-command"], How::Code("gdb")),
    escape("gem", &["-e", "--editor"], How::Shell),
    escape("git", &["-c"], How::Code("git-config")),
    escape("gvim", &["-S"], How::Code("vim-script")),
    escape("gvim", EDITOR, How::Code("vim")),
    escape(
        "hg",
        &["--config"],
        How::ShellSetting(&["alias", "hooks", "ui.editor", "ui.ssh", "ui.pager"]),
    ),
    escape(
        "hyperfine",
        &["-p", "--prepare", "-s", "--setup", "-c", "--cleanup", "--conclude"],
        How::Shell,
    ),
    escape("journalctl", &["--pager"], How::Shell),
    escape("latex", &["--shell-escape"], How::Code("tex")),
    escape("latex", &["-shell-escape"], How::Code("tex")),
    escape("latexmk", &["-pdflatex", "-latex", "-e"], How::Shell),
    escape("lftp", &["-c", "-e"], How::ShellAfter("!")),
    escape("lualatex", &["--shell-escape"], How::Code("tex")),
    escape("luatex", &["--shell-escape", "-shell-escape"], How::Code("tex")),
    escape("mail", &["--exec"], How::ShellAfter("!")),
    escape("make", &["--eval", "-E"], How::Code("make")),
    escape("man", &["-P", "--pager", "-H", "--html"], How::Shell),
    escape("mosh", &["--ssh", "--server", "--client"], How::Shell),
    escape("mutt", &["-e"], How::ShellAfter("!")),
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
    escape("psql", &["-c", "--command"], How::ShellAfter("\\!")),
    escape("ranger", &["--cmd"], How::ShellAfter("shell ")),
    escape("rclone", &["--password-command", "--sftp-ssh"], How::Shell),
    escape("restic", &["--password-command"], How::Shell),
    escape("rpm", &["--pipe"], How::Shell),
    escape("rsync", &["-e", "--rsh", "--rsync-path"], How::Shell),
    escape("rview", EDITOR, How::Code("vim")),
    escape("rvim", EDITOR, How::Code("vim")),
    escape("scp", &["-S"], How::Script),
    escape("scrot", &["-e", "--exec"], How::Shell),
    escape("sftp", &["-S", "-D"], How::Script),
    escape("sort", &["--compress-program"], How::Shell),
    escape("split", &["--filter"], How::Shell),
    escape("sqlite3", &["-cmd"], How::ShellAfter(".shell")),
    escape("sqlite3", &["-cmd"], How::ShellAfter(".sh ")),
    escape("sqlite3", &["-cmd"], How::ShellAfter(".system")),
    escape("sqlmap", &["--eval"], How::Code("python")),
    escape(
        "ssh",
        &["-o"],
        How::ShellSetting(&["ProxyCommand", "LocalCommand", "KnownHostsCommand", "MatchExec"]),
    ),
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

/// Reads everything that an invocation would run through an escape.
pub(crate) fn follow(walk: &mut Walk<'_>, invocation: &Invocation) {
    let name = invocation.program.as_str();
    hand_over(walk, invocation);
    projects::follow(walk, invocation);
    if name == "git" {
        git_commands(walk, invocation);
    }
    let first = ESCAPES.partition_point(|row| row.program < name);
    for row in ESCAPES.iter().skip(first).take_while(|row| row.program == name) {
        for option in row.options {
            for value in values_of(&invocation.arguments, option) {
                act(walk, row.how, &value);
            }
        }
    }
    if let Ok(at) = INPUT_ESCAPES.binary_search_by(|(program, _)| (*program).cmp(name))
        && let Some(input) = &invocation.input
        && let Some((_, marks)) = INPUT_ESCAPES.get(at)
    {
        let shows = matches!(name, "less" | "more" | "man" | "mail" | "mailx" | "vi" | "vim");
        follow_input(walk, input, marks, !shows, invocation.span);
    }
}

/// A file that this call wrote and made executable is there to be run: a program that is handed its name may do so.
fn hand_over(walk: &mut Walk<'_>, invocation: &Invocation) {
    if !walk.has_executables()
        || matches!(
            invocation.program.as_str(),
            "chmod" | "ls" | "cat" | "stat" | "file" | "head" | "rm" | "mv" | "cp" | "git"
        )
    {
        return;
    }
    let environment = invocation
        .environment
        .iter()
        .map(|(_, value)| Argument { text: value.clone(), span: invocation.span });
    for argument in invocation.arguments.iter().cloned().chain(environment).take(64) {
        let shown = argument.text.display();
        for part in shown.split(['=', ':', ',']) {
            if part.contains('/') {
                walk.handed(&Argument { text: Text::known(part), span: argument.span });
            }
        }
    }
}

fn follow_input(walk: &mut Walk<'_>, input: &Text, marks: &[&str], takes_orders: bool, span: Span) {
    let Some(known) = input.as_known() else {
        // A client or debugger that is told what to do by somebody else.
        if input.taint.has(Taint::NETWORK) && takes_orders {
            walk.gap(span, GapReason::UnknownCode);
        }
        return;
    };
    for line in known.lines().take(64) {
        for mark in marks {
            if let Some(code) = line.trim_start().strip_prefix(mark) {
                let code = input.derive(vec![Piece::Known(code.to_owned())]);
                walk.at_likely(|walk| walk.shell(&code, span, &[], None));
                break;
            }
        }
    }
}

fn act(walk: &mut Walk<'_>, how: How, value: &Argument) {
    let first = value.text.known_prefix().split_whitespace().next().unwrap_or("");
    let program = first.rsplit('=').next().unwrap_or(first);
    if !matches!(how, How::Code(_))
        && ["/tmp/", "/var/tmp/", "/dev/shm/"].iter().any(|start| program.starts_with(start))
    {
        walk.note("execution.temporary.escape", value.span);
    }
    match how {
        How::Shell => {
            walk.shell(&value.text, value.span, &[], None);
        }
        How::ShellAfter(prefix) => {
            if let Some(code) = after(&value.text, prefix) {
                walk.shell(&code, value.span, &[], None);
            }
        }
        How::ShellSetting(keys) => {
            if let Some((key, code)) = setting(&value.text)
                && keys.iter().any(|known| {
                    key.eq_ignore_ascii_case(known)
                        || key
                            .to_ascii_lowercase()
                            .ends_with(&format!("::{}", known.to_ascii_lowercase()))
                })
            {
                walk.shell(&code, value.span, &[], None);
            }
        }
        How::Code(language) => {
            embedded(walk, language, value);
        }
        How::Script => {
            walk.script("shell", value, &[], None);
        }
    }
}

/// Small command languages of programs: what in them is a shell command.
fn embedded(walk: &mut Walk<'_>, language: &'static str, value: &Argument) {
    let commands: &[&str] = match language {
        "vim" => &[
            ":!",
            "!",
            ":silent !",
            "silent !",
            ":sil !",
            "sil!",
            ":r !",
            "r !",
            ":terminal ",
            "terminal ",
            ":term ",
            "term ",
        ],
        "gdb" => &["!", "shell ", "pipe "],
        "vim-script" => {
            if walk.wrote(&value.text) {
                let script = walk.read(value);
                for line in script.known_prefix().lines().take(64) {
                    let text = script.derive(vec![Piece::Known(line.to_owned())]);
                    embedded(walk, "vim", &Argument { text, span: value.span });
                }
                if script.as_known().is_none() {
                    walk.gap(value.span, GapReason::UnknownCode);
                }
            }
            return;
        }
        "git-config" => return git_setting(walk, value),
        "make" => return makefile(walk, &value.text, value.span),
        "elisp" | "tex" => {
            if language == "elisp" {
                quoted_files(walk, value);
            }
            return quoted_commands(walk, value);
        }
        other => {
            walk.code(other, &value.text, value.span, &[]);
            return;
        }
    };
    for prefix in commands {
        if let Some(code) = after(&value.text, prefix) {
            walk.shell(&code, value.span, &[], None);
            return;
        }
    }
    for (prefix, inner) in [
        (":py3 ", "python"),
        (":py ", "python"),
        ("py3 ", "python"),
        ("py ", "python"),
        ("python ", "python"),
        (":lua ", "lua"),
        ("lua ", "lua"),
        (":perl ", "perl"),
        (":ruby ", "ruby"),
    ] {
        if let Some(code) = after(&value.text, prefix) {
            walk.code(inner, &code, value.span, &[]);
            return;
        }
    }
    if let Some(known) = value.text.as_known()
        && (known.contains("system(") || known.contains("execute("))
    {
        quoted_commands(walk, value);
    }
}

/// Subcommands of git whose options or operands are commands.
fn git_commands(walk: &mut Walk<'_>, invocation: &Invocation) {
    let options = invocation.options();
    let words: Vec<Argument> = options.operands().cloned().collect();
    let verb = words.first().and_then(|word| word.text.as_known()).unwrap_or("");
    let second = words.get(1).and_then(|word| word.text.as_known()).unwrap_or("");
    let options: &[&str] = match verb {
        "rebase" => &["-x", "--exec"],
        "difftool" => &["-x", "--extcmd"],
        "grep" => &["-O", "--open-files-in-pager"],
        "archive" | "ls-remote" | "fetch" | "clone" | "push" | "pull" => {
            &["--exec", "--upload-pack", "--receive-pack"]
        }
        "submodule" if second == "foreach" => return git_runs_words(walk, invocation, "foreach"),
        "bisect" if second == "run" => return git_runs_words(walk, invocation, "run"),
        _ => &[],
    };
    for option in options {
        for value in values_of(&invocation.arguments, option) {
            if !value.text.is_empty() {
                walk.shell(&value.text, value.span, &[], None);
            }
        }
    }
    for value in values_of(&invocation.arguments, "--config-env") {
        let key = value.text.known_prefix().split('=').next().unwrap_or("").to_ascii_lowercase();
        if key.starts_with("alias.") || git_runs(&key) {
            walk.gap(value.span, GapReason::UnknownCode);
        }
    }
}

/// `git submodule foreach …`, `git bisect run …`: one word is shell code, several are a command.
fn git_runs_words(walk: &mut Walk<'_>, invocation: &Invocation, verb: &str) {
    let at = invocation.arguments.iter().position(|word| word.text.as_known() == Some(verb));
    let rest = at.and_then(|at| invocation.arguments.get(at + 1..)).unwrap_or(&[]);
    let options = rest
        .iter()
        .take_while(|word| word.text.as_known().is_some_and(|known| known.starts_with('-')))
        .count();
    match rest.get(options..).unwrap_or(&[]) {
        [] => {}
        [code] => {
            walk.shell(&code.text, code.span, &[], None);
        }
        words => {
            walk.run(words, None);
        }
    }
}

/// What git finds in `GIT_CONFIG_VALUE_…` and `GIT_CONFIG_PARAMETERS`.
pub(crate) fn git_environment(walk: &mut Walk<'_>, name: &str, value: &Text, span: Span) {
    if name.starts_with("GIT_CONFIG_VALUE_") {
        let code = after(value, "!").unwrap_or_else(|| value.clone());
        walk.at_likely(|walk| walk.shell(&code, span, &[], None));
    } else if name == "GIT_CONFIG_PARAMETERS" {
        for setting in value.known_prefix().split('\'').take(64) {
            let text = value.derive(vec![Piece::Known(setting.to_owned())]);
            walk.at_likely(|walk| git_setting(walk, &Argument { text, span }));
        }
    }
}

/// `-c key=value` of git: settings whose value git runs.
fn git_setting(walk: &mut Walk<'_>, value: &Argument) {
    let Some((key, setting)) = setting(&value.text) else { return };
    let key = key.to_ascii_lowercase();
    if key.starts_with("alias.") {
        if let Some(code) = after(&setting, "!") {
            walk.shell(&code, value.span, &[], None);
        }
    } else if git_runs(&key) {
        let code = after(&setting, "!").unwrap_or(setting);
        walk.shell(&code, value.span, &[], None);
    }
}

/// Whether git runs the value of a setting.
pub(crate) fn git_runs(key: &str) -> bool {
    const WHOLE: &[&str] = &[
        "core.askpass",
        "core.editor",
        "core.fsmonitor",
        "core.gitproxy",
        "core.pager",
        "core.sshcommand",
        "credential.helper",
        "diff.external",
        "gpg.program",
        "interactive.difffilter",
        "sequence.editor",
        "uploadpack.packobjectshook",
    ];
    const LAST: &[&str] =
        &["cmd", "textconv", "command", "driver", "smudge", "clean", "process", "helper"];
    WHOLE.contains(&key)
        || key.starts_with("pager.")
        || (key.matches('.').count() >= 2
            && key.rsplit('.').next().is_some_and(|last| LAST.contains(&last)))
}

/// A makefile: the lines that make hands to a shell.
pub(crate) fn makefile(walk: &mut Walk<'_>, text: &Text, span: Span) {
    let Some(known) = text.as_known() else {
        if text.taint.has(Taint::NETWORK) || text.taint.has(Taint::DECODED) {
            walk.gap(span, GapReason::UnknownCode);
        }
        return;
    };
    for line in known.lines().take(512) {
        let recipe = line.strip_prefix('\t').or_else(|| {
            // `target: ; command`
            line.split_once(':')
                .and_then(|(_, rest)| rest.split_once(';'))
                .map(|(_, command)| command)
        });
        let shell_call = line.split_once("$(shell ").map(|(_, rest)| rest.trim_end_matches(')'));
        for command in recipe.into_iter().chain(shell_call) {
            let command =
                command.trim_start().trim_start_matches(['@', '-', '+']).replace("$$", "$");
            if !command.is_empty() {
                let code = text.derive(vec![Piece::Known(command)]);
                walk.shell(&code, span, &[], None);
            }
        }
    }
}

/// Calls such as `(shell-command "…")` and `\write18{…}`: what is quoted in them.
fn quoted_commands(walk: &mut Walk<'_>, value: &Argument) {
    let Some(known) = value.text.as_known() else { return };
    for (call, close) in [
        ("(shell-command \"", '"'),
        ("(async-shell-command \"", '"'),
        ("(shell-command-to-string \"", '"'),
        ("(term \"", '"'),
        ("(ansi-term \"", '"'),
        ("(call-process \"", '"'),
        ("(start-process \"", '"'),
        ("write18{", '}'),
        ("|\"", '"'),
        ("system(\"", '"'),
        ("system('", '\''),
        ("execute(\"", '"'),
    ] {
        if let Some((_, rest)) = known.split_once(call) {
            let command = rest.split(close).next().unwrap_or(rest);
            let code = value.text.derive(vec![Piece::Known(command.to_owned())]);
            walk.shell(&code, value.span, &[], None);
        }
    }
}

/// `(delete-directory "…" t)` and its kin in Emacs Lisp.
fn quoted_files(walk: &mut Walk<'_>, value: &Argument) {
    let Some(known) = value.text.as_known() else { return };
    for (call, recursive) in [("(delete-directory \"", true), ("(delete-file \"", false)] {
        if let Some((_, rest)) = known.split_once(call) {
            let file = rest.split('"').next().unwrap_or(rest);
            let text = value.text.derive(vec![Piece::Known(file.to_owned())]);
            walk.delete(&Argument { text, span: value.span }, recursive);
        }
    }
}

/// Every value of one option as written: `-o v`, `-ov`, `--option v`, `--option=v`.
pub(crate) fn values_of(arguments: &[Argument], option: &str) -> Vec<Argument> {
    let mut values = Vec::new();
    for (index, argument) in arguments.iter().enumerate() {
        let prefix = argument.text.known_prefix();
        if !prefix.starts_with(['-', '+']) {
            continue;
        }
        if argument.text.as_known() == Some("--") {
            break;
        }
        if argument.text.as_known() == Some(option) {
            values.extend(arguments.get(index + 1).cloned());
        } else if let Some(rest) = prefix.strip_prefix(option) {
            let attached =
                if option.starts_with("--") { rest.strip_prefix('=') } else { Some(rest) };
            if let Some(attached) = attached {
                let mut text = argument.text.derive(Vec::new());
                text.push_known(attached);
                for piece in argument.text.pieces.iter().skip(1) {
                    text.push(piece.clone());
                }
                values.push(Argument { text, span: argument.span });
            }
        }
    }
    values
}

fn after(text: &Text, prefix: &str) -> Option<Text> {
    let rest = text.known_prefix().trim_start().strip_prefix(prefix)?;
    let mut code = text.derive(Vec::new());
    code.push_known(rest);
    for piece in text.pieces.iter().skip(1) {
        code.push(piece.clone());
    }
    Some(code)
}

/// `key=value` or `key value`.
fn setting(text: &Text) -> Option<(String, Text)> {
    let known = text.known_prefix().trim_start();
    let at = known.find(['=', ' '])?;
    let (key, rest) = known.split_at(at);
    let rest = rest.get(1..).unwrap_or("").trim_start_matches([' ', '"', '{']);
    let mut value = text.derive(Vec::new());
    value.push_known(rest);
    for piece in text.pieces.iter().skip(1) {
        value.push(piece.clone());
    }
    Some((key.to_owned(), value))
}

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

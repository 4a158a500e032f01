//! Files that something runs or obeys later, without being asked again. Owns the table; one row per kind.

use std::collections::BTreeSet;

use super::{index::index, pattern::Located};
use crate::{
    facts::Facts,
    standing::{Persistence, PersistenceKind},
};

pub(super) fn find(located: &Located<'_>) -> Option<&'static Persistence> {
    TABLE
        .get(index!(TABLE).row(located)?)
        .filter(|_| !EXCEPTIONS.iter().any(|pattern| located.surely_matches(pattern)))
}

/// What version control is told to obey, wherever it lies.
pub(super) fn told(located: &Located<'_>, facts: &Facts) -> Option<&'static Persistence> {
    let obeyed = facts.obeyed.as_ref()?;
    let names = |list: &BTreeSet<String>| list.iter().any(|one| located.overlaps(one, facts));
    let found = if names(&obeyed.run) {
        &RUN
    } else if names(&obeyed.settings) {
        &TAKEN_IN
    } else {
        return None;
    };
    (!located.surely_matches(SAMPLE)).then_some(found)
}

static RUN: Persistence = row("what version control is told to run", PersistenceKind::Hook, &[]);

static TAKEN_IN: Persistence =
    row("settings that version control takes in", PersistenceKind::Control, &[]);

/// Git comes with samples that it does not run.
const SAMPLE: &str = "**/*.sample";

/// Samples beside the real thing.
const EXCEPTIONS: &[&str] = &["**/hooks/*.sample", "**/node_modules/**"];

/// Every row.
pub(super) fn rows() -> impl Iterator<Item = &'static Persistence> {
    TABLE.iter()
}

const fn row(
    what: &'static str,
    kind: PersistenceKind,
    patterns: &'static [&'static str],
) -> Persistence {
    Persistence { what, kind, patterns }
}

use PersistenceKind as Kind;

static TABLE: &[Persistence] = &[
    row(
        "a file that every new shell reads",
        Kind::Shell,
        &[
            "~/.bashrc|.bash_profile|.bash_login|.bash_logout|.bash_aliases|.profile|.login|.logout|.cshrc|.tcshrc|.kshrc|.mkshrc|.shrc|.shinit|.inputrc|.xonshrc",
            "~/.zshrc|.zshenv|.zprofile|.zlogin|.zlogout|.zshrc.local|.bashrc.local|.zpreztorc|.p10k.zsh",
            "~/.bashrc.d|.zshrc.d|.profile.d|.oh-my-zsh|.zsh/**",
            "~/.config/fish/config.fish",
            "~/.config/fish/conf.d|functions/**",
            "~/.config/nushell|elvish|powershell|xonsh/**",
            "~/.config/bash|zsh/**",
            "~/.config/starship.toml",
            "**/.bashrc|.bash_profile|.zshrc|.zshenv|.zprofile",
            "/etc/profile|bash.bashrc|bashrc|zshrc|zshenv|zprofile|environment|csh.cshrc|csh.login|inputrc|shells",
            "/etc/profile.d|zsh|bash|fish|skel|environment.d|bash_completion.d/**",
            "/usr/share/bash-completion|zsh|fish/**",
            "~/.config/environment.d/**",
            "~/.pam_environment",
            "~/.ssh/rc|environment",
            "**/Microsoft.PowerShell_profile.ps1|profile.ps1",
            "~/Documents/WindowsPowerShell|PowerShell/**",
        ],
    ),
    row(
        "a table of scheduled jobs",
        Kind::Schedule,
        &[
            "/etc/crontab|anacrontab|cron.allow|cron.deny|at.allow",
            "/etc/cron.d|cron.hourly|cron.daily|cron.weekly|cron.monthly/**",
            "/var/spool/cron|at|anacron|incron/**",
            "/var/cron/tabs/**",
            "/usr/lib/cron/**",
            "/etc/periodic/**",
            "/etc/periodic.conf",
            "~/.crontab",
            "/etc/incron.d/**",
            "?:/Windows/System32/Tasks/**",
            "?:/Windows/Tasks/**",
        ],
    ),
    row(
        "a service started with the machine",
        Kind::Service,
        &[
            "/etc/systemd|init|init.d|rc.d|rc0.d|rc1.d|rc2.d|rc3.d|rc4.d|rc5.d|rc6.d|rcS.d|runit|sv|s6|openrc|conf.d|local.d/**",
            "/lib/systemd/**",
            "/usr/lib/systemd/**",
            "/usr/local/lib/systemd/**",
            "/run/systemd/system/**",
            "/etc/rc.local|inittab|rc.conf|modules",
            "/etc/modules-load.d|modprobe.d|sysctl.d|tmpfiles.d|binfmt.d|initramfs-tools|dracut.conf.d|grub.d/**",
            "/etc/sysctl.conf",
            "/etc/udev/**",
            "/etc/NetworkManager/dispatcher.d/**",
            "/lib/udev/rules.d/**",
            "/usr/lib/udev/rules.d/**",
            "/etc/update-motd.d|network|dhcp|acpi|pm|logrotate.d|xinetd.d|supervisor|monit|dbus-1|polkit-1|containerd/**",
            "/etc/inetd.conf|xinetd.conf",
            "/etc/network/if-up.d/**",
            "/usr/share/polkit-1|dbus-1/**",
            "/Library/LaunchDaemons|LaunchAgents|StartupItems|SystemExtensions|Extensions/**",
            "/System/Library/LaunchDaemons|LaunchAgents/**",
            "?:/ProgramData/Microsoft/Windows/Start Menu/Programs/**",
            "?:/Windows/System32/GroupPolicy/**",
            "/etc/grub.d/**",
            "/etc/default/grub",
        ],
    ),
    row(
        "a service started with the session",
        Kind::Session,
        &[
            "~/.config/systemd|autostart|autostart-scripts|plasma-workspace/**",
            "/etc/xdg/autostart|systemd/**",
            "~/.xinitrc|.xprofile|.xsession|.xsessionrc|.xserverrc|.Xresources|.dmrc",
            "/etc/X11/**",
            "~/.local/share/systemd|dbus-1|applications/**",
            "~/Library/LaunchAgents|LoginItems|StartupItems|Application Scripts/**",
            "~/.config/sway|hypr|i3|bspwm|openbox|awesome|upstart|lxsession/**",
            "~/.i3/config",
            "~/.tmux.conf|.screenrc",
            "~/.config/tmux/**",
            "~/AppData/Roaming/Microsoft/Windows/Start Menu/Programs/Startup/**",
            "~/.local/share/nautilus/scripts/**",
            "~/.config/kitty/**",
        ],
    ),
    // postfix.org/local.8.html, procmailrc(5), maildropfilter(7), dot-qmail(5): a line may name a command.
    row(
        "a file that says where every letter goes",
        Kind::Session,
        &["~/.forward|.procmailrc|.mailfilter|.qmail", "~/.qmail-*"],
    ),
    row(
        "a hook that version control runs",
        Kind::Hook,
        &[
            "**/.git/hooks/**",
            "**/.git/modules/*/hooks/**",
            "**/.git/modules/*/*/hooks/**",
            "**/.git/modules/*/*/*/hooks/**",
            "**/.git/worktrees/*/hooks/**",
            "**/.hg/hgrc",
            "~/.git-templates|.git_template|.githooks/**",
            "~/.config/git/hooks|template/**",
            "/usr/share/git-core/templates/**",
            "**/*.git/hooks/**",
        ],
    ),
    row(
        "version control's settings, which may name commands to run",
        Kind::Control,
        &[
            // A file in place of the directory says where that is, and `commondir` where settings and hooks are.
            "**/.git",
            "**/.git/config|config.worktree|commondir",
            "**/.git/info/attributes",
            "**/.git/objects/info/alternates|http-alternates",
            // What `git rebase --continue` runs. The lists of `cherry-pick`, `am` and `bisect` name no commands (git 2.47).
            "**/.git/rebase-merge/git-rebase-todo",
            "**/.git/worktrees/*/rebase-merge/git-rebase-todo",
            "**/.git/worktrees/*/config.worktree|commondir|gitdir",
            "**/.git/modules/*/config|config.worktree|commondir",
            "**/.git/modules/*/*/config|config.worktree|commondir",
            "**/.git/modules/*/*/*/config|config.worktree|commondir",
            "**/.git/modules/*/info/attributes",
            "**/.git/modules/*/*/info/attributes",
            "**/.git/modules/*/*/*/info/attributes",
            "~/.gitconfig|.hgrc",
            "~/.config/git/config|attributes",
            "~/.config/jj/**",
            "/etc/gitconfig",
        ],
    ),
    row(
        "who may log in here",
        Kind::Login,
        &[
            "**/.ssh/authorized_keys|authorized_keys2|rc",
            "/etc/ssh/authorized_keys*",
            "/etc/ssh/authorized_keys*/**",
            "~/.rhosts|.shosts|.k5login",
            "/etc/hosts.equiv|hosts.allow|hosts.deny|securetty|nologin",
            "/etc/ssh/sshd_config",
            "/etc/ssh/sshd_config.d/**",
            "?:/ProgramData/ssh/**",
        ],
    ),
    row(
        "who may become root",
        Kind::Rights,
        &[
            "**/etc/sudoers",
            "/etc/sudoers.d/**",
            "/etc/doas.conf|sudo.conf",
            "/etc/doas.d/**",
            "/etc/polkit-1|security/**",
            "/usr/share/polkit-1/**",
            "/etc/pam.d/**",
            "/etc/pam.conf",
            "**/security/pam_*.so",
            "/etc/nsswitch.conf|login.defs|subuid|subgid|selinux",
        ],
    ),
    row(
        "a list of accounts and their passwords",
        Kind::Rights,
        &[
            "**/etc/passwd|shadow|group|gshadow|passwd-|shadow-|master.passwd",
            "/etc/security/opasswd",
        ],
    ),
    row(
        "what is loaded into every program",
        Kind::Loader,
        &[
            "/etc/ld.so.preload|ld.so.conf|ld.so.cache|ld.so.hwcaps",
            "/etc/ld.so.conf.d/**",
            "/lib|lib64/ld-*",
            "/lib/x86_64-linux-gnu|aarch64-linux-gnu/**",
        ],
    ),
    row(
        "what the package manager runs or trusts",
        Kind::Package,
        &[
            "/etc/apt|dpkg|yum|dnf|zypp|pacman.d|apk|opkg/**",
            "/etc/yum.conf|pacman.conf|yum.repos.d|xbps.d",
            "/etc/yum.repos.d/**",
            "/usr/share/libalpm/hooks/**",
            "/var/lib/dpkg/info/**",
            "/usr/lib/yum-plugins/**",
            "~/.config/pacman/**",
            "/usr/local/share/ca-certificates/**",
            "/etc/ssl/certs/**",
            "/etc/ca-certificates/**",
            "/etc/ca-certificates.conf",
            "/etc/pki/ca-trust/**",
        ],
    ),
    row(
        "what every interpreter of a language runs first",
        Kind::Interpreter,
        &[
            "**/sitecustomize.py|usercustomize.py",
            "/usr/local/bin|sbin/sudo|su|doas|ssh|sh|bash|zsh|ls|cat|ps|top|login|passwd|mount|env|id|grep|find|which|crontab|systemctl",
            "**/site-packages|dist-packages/*.pth",
            "~/.pythonrc|.pythonrc.py|.pythonstartup|.irbrc|.pryrc|.rspec|.gemrc|.Rprofile|.perldb|.perlcriticrc|.psqlrc|.sqliterc|.gdbinit|.lldbinit|.node_repl|.ghci|.guile|.octaverc|.sbclrc|.ammonite|.jshellrc|.mongorc.js|.my.cnf",
            "~/.ipython/**",
            "~/.config/gdb/**",
            "~/.local/lib/python*/**",
            "~/.config/matplotlib/**",
            "~/.lua|.luarc|.wgetrc|.curlrc|.popt",
            "~/.config/wgetrc|curlrc",
            "/etc/wgetrc|curlrc|pip.conf|npmrc",
            "~/.config/pip/**",
            "~/.pip/**",
            "~/.npmrc|.yarnrc|.yarnrc.yml|.condarc|.bunfig.toml",
            "~/.cargo/config|config.toml|env",
            "~/.gradle/init.gradle",
            "~/.gradle/init.d/**",
            "~/.m2/settings.xml|extensions.xml",
            "~/.docker/cli-plugins/**",
            "~/.config/direnv/**",
            "~/.local|.cargo/bin/sudo|su|ssh|scp|git|ls|cat|sh|bash|zsh|env|cd|rm|cp|mv|ps|id|curl|wget|python|python3|node|npm|docker|kubectl|gpg|login|doas|pkexec",
            "~/bin/sudo|su|ssh|git|ls|cat|sh|bash|ps|curl|python3|node|docker",
            "~/.lessfilter|.lesskey|.less",
            "~/.ssh/config",
            "~/.ssh/config.d/**",
            "/etc/ssh/ssh_config",
        ],
    ),
    row(
        "what an editor runs when it starts",
        Kind::Editor,
        &[
            "~/.vimrc|.gvimrc|.exrc|.nanorc|.emacs|.emacs.el|.viminfo_rc|.ideavimrc",
            "~/.vim|.emacs.d|.doom.d/**",
            "~/.config/nvim|emacs|helix|kak|doom|sublime-text/**",
            "~/.local/share/nvim/site/**",
            "/etc/vim/**",
            "/etc/nanorc",
            "~/.vscode|.vscode-server/extensions/**",
            "~/.config/Code|VSCodium|Cursor/User/**",
            "~/Library/Application Support/Code|Cursor|VSCodium/User/**",
            "~/AppData/Roaming/Code|Cursor/User/**",
        ],
    ),
    row(
        "the address book of the machine",
        Kind::Names,
        &[
            "/etc/hosts|resolv.conf|nsswitch.conf|host.conf|networks|services",
            "/etc/resolver/**",
            "/etc/systemd/resolved.conf",
            "?:/Windows/System32/drivers/etc/**",
        ],
    ),
    row(
        "a file of the project that something runs by itself",
        Kind::Project,
        &[
            "**/.vscode/tasks.json|launch.json|settings.json",
            "**/.idea/runConfigurations/**",
            "**/.devcontainer/**",
            "**/.devcontainer.json",
            "**/.husky|.lefthook/**",
            "**/lefthook.yml|.lefthook.yml|.pre-commit-config.yaml|.overcommit.yml",
            "./.envrc|.vimrc|.exrc|.nvim.lua|.lvimrc|.gdbinit|.lldbinit|.gitattributes|.gitmodules|.npmrc|.yarnrc|.yarnrc.yml|.pnpmfile.cjs|.mise.toml|mise.toml|conftest.py",
            "**/.gitattributes|.envrc",
            "./.cargo/config|config.toml",
            "**/.zed/tasks.json",
        ],
    ),
];

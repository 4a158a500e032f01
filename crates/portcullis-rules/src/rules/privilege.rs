//! Rules on gaining rights: other users' rights, accounts, namespaces, loaders. Owns nothing about what is then done with
//! them; every command under `sudo` is judged by its own effects.

use super::{
    Hit, Rule, Scene, Shelf, When,
    effects::{at, run, words},
};
use crate::{
    effect::{Effect, EffectKind, Kinds, Run},
    finding::{Category, Confidence},
    risk::Severity,
    text::Text,
};

pub(super) static SHELF: Shelf = Shelf { programs: &["visudo"], rules: RULES };

const RIGHTS: Rule = Rule {
    category: Category::Privilege,
    severity: Severity::High,
    reversible: true,
    remedy: "let a person with those rights do this",
    ..Rule::LOSS
};

static RULES: &[Rule] = &[
    Rule {
        id: "privilege.user.switch",
        severity: Severity::Medium,
        message: "this would run with another user's rights",
        remedy: "try it without `sudo` first",
        when: When::Effect(Kinds::PRIVILEGE, |effect, _| match &effect.kind {
            EffectKind::Privilege { .. } => Some(at(Severity::Medium)),
            _ => None,
        }),
        fires: &["sudo ls /root", "doas ls", "pkexec ls", "sudo apt-get install -y jq"],
        quiet: &["ls", "grep -n 'sudo' README.md", "sudo -l"],
        ..RIGHTS
    },
    Rule {
        id: "privilege.shell.interactive",
        message: "a shell with another user's rights would be opened",
        remedy: "name the one command that needs the rights",
        when: When::Noted,
        fires: &["sudo -i", "sudo -s"],
        quiet: &["bash -c ls", "sudo -l"],
        ..RIGHTS
    },
    Rule {
        id: "privilege.shell.root",
        message: "a shell with another user's rights would be opened",
        remedy: "name the one command that needs the rights",
        when: When::Effect(Kinds::RUN, root_shell),
        fires: &[
            "sudo su",
            "sudo bash",
            "sudo sh -p",
            "sudo su -",
            "sudo timeout 0 /bin/sh",
            "sudo choom -n 0 /bin/sh",
            "sudo unknown --server=x localhost /bin/sh",
            "su -",
            "su root",
            "sudo perf stat /bin/sh",
            "sudo xargs -a /dev/null sh",
        ],
        quiet: &[
            "sudo bash build.sh",
            "sudo sh -c 'ls'",
            "bash",
            "sudo ls /bin/sh",
            "sudo chmod 755 /bin/sh",
        ],
        ..RIGHTS
    },
    Rule {
        id: "privilege.shell.escape",
        confidence: Confidence::Medium,
        message: "a program that needs no shell is told to start one with another user's rights",
        when: When::Effect(Kinds::RUN, |effect, _| {
            let run = run(effect).filter(|run| ELEVATORS.contains(&run.program.as_str()))?;
            words(run).any(escapes).then(|| at(Severity::High))
        }),
        fires: &[
            "sudo ex -c ':!/bin/sh'",
            "sudo fzf --bind 'enter:execute(/bin/sh)'",
            "sudo RESTIC_PASSWORD_COMMAND='/bin/sh -c x' restic backup",
            "sudo pdftex --shell-escape '\\write18{/bin/sh}\\end'",
        ],
        quiet: &["sudo ls /bin/sh", "sudo apt-get install dash"],
        ..RIGHTS
    },
    Rule {
        id: "privilege.account.change",
        message: "an account or group would be made or changed",
        when: When::Effect(Kinds::RUN, |effect, _| account(effect)),
        fires: &[
            "useradd bob",
            "adduser alice sudo",
            "adduser -h /srv/bob bob",
            "usermod -aG docker dev",
            "sudo useradd -ou 0 -g 0 john",
            "gpasswd -a dev wheel",
            "groupadd x",
            "net user x y /add",
            "net localgroup administrators x /add",
            "net user bob Passw0rd",
            "rabbitmqctl add_user bob x",
        ],
        quiet: &["id bob", "getent passwd bob", "useradd --help", "groups", "net user"],
        ..RIGHTS
    },
    Rule {
        id: "privilege.account.delete",
        category: Category::Destruction,
        reversible: false,
        message: "an account would be deleted",
        when: When::Effect(Kinds::RUN, |effect, _| {
            let run = run(effect)?;
            if !matches!(run.program.as_str(), "userdel" | "deluser" | "groupdel" | "delgroup") {
                return None;
            }
            let home = words(run).any(|word| {
                matches!(
                    word,
                    "-r" | "-rf" | "-fr" | "--remove" | "--remove-home" | "--remove-all-files"
                )
            });
            Some(at(if home { Severity::Critical } else { Severity::High }))
        }),
        fires: &["userdel -r alice", "userdel alice", "groupdel x"],
        quiet: &["id alice"],
        ..RIGHTS
    },
    Rule {
        id: "privilege.account.password",
        message: "a password would be changed",
        when: When::Effect(Kinds::RUN, |effect, _| {
            let run = run(effect)?;
            let severity = match run.program.as_str() {
                "chpasswd" | "newusers" | "vipw" | "vigr" => Severity::Critical,
                "passwd" => {
                    if words(run).any(|word| matches!(word, "-S" | "--status" | "--help")) {
                        return None;
                    }
                    if run.input.is_some()
                        || words(run)
                            .any(|word| matches!(word, "root" | "-d" | "--delete" | "--stdin"))
                    {
                        Severity::Critical
                    } else {
                        Severity::High
                    }
                }
                "chage" | "smbpasswd" | "chsh" => {
                    if words(run).any(|word| matches!(word, "-l" | "--list")) {
                        return None;
                    }
                    Severity::High
                }
                _ => return None,
            };
            Some(at(severity))
        }),
        fires: &[
            "passwd",
            "echo 'x' | passwd --stdin john",
            "echo root:x | chpasswd",
            "passwd -d root",
        ],
        quiet: &["passwd -S", "cat /etc/passwd", "chage -l dev"],
        ..RIGHTS
    },
    Rule {
        id: "privilege.rights.edit",
        severity: Severity::High,
        message: "who may become root would be edited",
        when: When::Command(&["visudo !-c !--check"]),
        fires: &["visudo", "visudo -f /etc/sudoers.d/x"],
        quiet: &["visudo -c"],
        ..RIGHTS
    },
    Rule {
        id: "privilege.loader.environment",
        message: "code would be loaded into programs that did not ask for it",
        remedy: "leave the variable unset",
        when: When::Effect(Kinds::ENVIRONMENT.and(Kinds::PRIVILEGE), loader),
        fires: &[
            "LD_PRELOAD=/tmp/x.so sudo id",
            "LD_PRELOAD=./x.so ls",
            "export LD_PRELOAD=/evil/lib.so",
            "export LD_PRELOAD=/tmp/x.so",
            "export LD_PRELOAD=/data/lib.so",
            "sudo env PATH=/tmp:$PATH backup",
            "LD_LIBRARY_PATH=/tmp ls",
        ],
        quiet: &[
            "PATH=$PATH:/usr/local/bin ls",
            "export PATH=$HOME/.local/bin:$PATH",
            "LD_LIBRARY_PATH=./lib ./app",
        ],
        ..RIGHTS
    },
    Rule {
        id: "privilege.namespace.enter",
        message: "this would step out of, or into, another view of the system with more rights",
        when: When::Effect(Kinds::RUN, |effect, _| {
            let run = run(effect)?;
            let severity = match run.program.as_str() {
                "nsenter"
                    if words(run).any(|word| {
                        matches!(word, "1" | "-t1" | "--target=1" | "--all" | "-a" | "-at1")
                    }) =>
                {
                    Severity::Critical
                }
                "nsenter" => Severity::High,
                // A command that only loses the network and the processes around it.
                "unshare" if loses_only(run) => return None,
                "unshare"
                    if words(run).any(|word| {
                        word.starts_with('-')
                            && !word.starts_with("--")
                            && word.contains(['r', 'U', 'c'])
                            || word.starts_with("--map")
                            || word == "--user"
                    }) =>
                {
                    Severity::High
                }
                "chroot" if words(run).any(|word| !word.starts_with('-')) => Severity::High,
                _ => return None,
            };
            Some(at(severity))
        }),
        fires: &["nsenter -t 1 -m sh", "unshare -rm sh", "chroot /host sh"],
        quiet: &["lsns", "unshare --help", "unshare -rn cargo test"],
        ..RIGHTS
    },
    Rule {
        id: "privilege.exploit.tool",
        message: "a program would look for, or use, a way to become root",
        when: When::Effect(Kinds::RUN, |effect, _| {
            let run = run(effect)?;
            let starts = |name: &&str| {
                run.program.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name))
            };
            EXPLOITS.iter().any(starts).then(|| at(Severity::High))
        }),
        fires: &["./linpeas.sh -a", "pwnkit", "./linux-exploit-suggester.sh", "msfconsole -q"],
        quiet: &["grep linpeas README.md"],
        ..RIGHTS
    },
];

/// Programs that run another one with other rights.
const ELEVATORS: &[&str] = &[
    "sudo", "sudo-rs", "doas", "pkexec", "run0", "gosu", "su-exec", "runas", "gsudo", "dzdo",
    "pfexec", "please", "sup", "calife", "super",
];
const SHELLS: &[&str] = &[
    "sh", "bash", "zsh", "dash", "ash", "ksh", "mksh", "fish", "csh", "tcsh", "rbash", "busybox",
    "pwsh", "elvish", "nu", "xonsh", "su",
];
const EXPLOITS: &[&str] = &[
    "linpeas",
    "winpeas",
    "linenum",
    "linux-exploit-suggester",
    "les.sh",
    "lse.sh",
    "pspy",
    "pwnkit",
    "dirtycow",
    "dirtypipe",
    "dirty_cow",
    "traitor",
    "gtfonow",
    "beroot",
    "powerup",
    "unix-privesc-check",
    "msfconsole",
    "msfvenom",
    "metasploit",
    "cve-20",
    "exploit",
    "evil-winrm",
    "cobaltstrike",
    "sliver",
    "deepce",
    "cdk_linux",
    "peass",
    "privesc",
];

fn is_shell(word: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or(word);
    SHELLS.contains(&name)
}

fn root_shell(effect: &Effect, scene: &Scene<'_>) -> Option<Hit> {
    let run = run(effect)?;
    if run.program == "su" && run.input.is_none() {
        let command = words(run).any(|word| {
            word.starts_with("-c")
                || word.starts_with("--command")
                || word == "--help"
                || word == "--version"
        });
        return (!command).then(|| at(Severity::High));
    }
    if !ELEVATORS.contains(&run.program.as_str()) {
        return under(run, effect, scene);
    }
    // Programs that we do not know may run what stands last in their arguments.
    let last = run.arguments.last()?.text.as_known()?;
    let command = words(run).find(|word| !word.starts_with('-'))?;
    let opens = is_shell(last)
        && (last.contains('/')
            || words(run).count() == 1
            || matches!(command, "xargs" | "watch" | "parallel"));
    let names = matches!(
        command,
        "ls" | "stat"
            | "chmod"
            | "chown"
            | "cat"
            | "cp"
            | "mv"
            | "ln"
            | "rm"
            | "file"
            | "test"
            | "usermod"
            | "useradd"
            | "chsh"
            | "update-alternatives"
            | "readlink"
            | "which"
            | "dpkg-divert"
            | "touch"
            | "setcap"
            | "getcap"
            | "tee"
            | "grep"
            | "sed"
            | "install"
            | "echo"
    );
    (opens && !names).then(|| at(Severity::High))
}

/// A shell that is given nothing to run, inside a command with other rights.
fn under(run: &Run, effect: &Effect, scene: &Scene<'_>) -> Option<Hit> {
    if !SHELLS.contains(&run.program.as_str()) || run.input.is_some() {
        return None;
    }
    let plain = words(run).all(|word| {
        matches!(
            word,
            "-p" | "-i"
                | "-l"
                | "-"
                | "--login"
                | "--norc"
                | "--noprofile"
                | "-ip"
                | "-il"
                | "--posix"
                | "-li"
        )
    });
    if !plain || words(run).count() != run.arguments.len() {
        return None;
    }
    let range = effect.at.span.range();
    scene
        .effects
        .list
        .iter()
        .filter(|other| other.at.layer == effect.at.layer)
        .any(|other| {
            let outer = other.at.span.range();
            outer.start < range.start
                && range.end <= outer.end
                && super::effects::run(other)
                    .is_some_and(|run| ELEVATORS.contains(&run.program.as_str()))
        })
        .then(|| at(Severity::High))
}

/// `:!/bin/sh`, `execute(/bin/sh)`, `\write18{…}`: a shell in the middle of another program's own language.
fn escapes(word: &str) -> bool {
    let plain = !word.contains([' ', '=', '(', '!', ':', '{']);
    if plain {
        return false;
    }
    [
        "/bin/sh",
        "/bin/bash",
        "/bin/zsh",
        "/bin/dash",
        "\\write18",
        "\\immediate\\write",
        "os.exec",
        "os.system",
    ]
    .iter()
    .any(|shell| word.contains(shell))
        && (word.contains(['!', '(', '{', '%', ':', '|', '$', ';', '>'])
            || word.contains('=')
            || word.contains(' '))
}

/// `net user NAME PASSWORD`: the second word behind `user` that is no switch.
fn sets_password(run: &Run) -> bool {
    let mut operands = words(run).filter(|word| !word.starts_with('/'));
    operands.next().is_some_and(|word| word.eq_ignore_ascii_case("user"))
        && operands.nth(1).is_some()
}

fn account(effect: &Effect) -> Option<Hit> {
    let run = run(effect)?;
    let any = |wanted: &[&str]| {
        words(run).any(|word| wanted.iter().any(|want| word.eq_ignore_ascii_case(want)))
    };
    let severity = match run.program.as_str() {
        "useradd"
        | "adduser"
        | "usermod"
        | "addgroup"
        | "groupadd"
        | "groupmod"
        | "gpasswd"
        | "sysadminctl"
        | "New-LocalUser"
        | "Add-LocalGroupMember" => {
            let root = any(&["-o", "-ou", "--non-unique"]) || any(&["0", "uid=0"]);
            let power = words(run)
                .flat_map(|word| word.split([',', '=']))
                .any(|group| POWERFUL.iter().any(|name| group.eq_ignore_ascii_case(name)));
            if root || power { Severity::Critical } else { Severity::High }
        }
        "dscl" if any(&["-create", "-append", "-passwd"]) => Severity::High,
        "net" if any(&["/add", "/delete", "/active:yes"]) => {
            if any(&["administrators"]) {
                Severity::Critical
            } else {
                Severity::High
            }
        }
        "net" if sets_password(run) => Severity::High,
        "rabbitmqctl" if any(&["add_user", "set_permissions", "set_user_tags"]) => Severity::High,
        "chfn" => Severity::Medium,
        _ => return None,
    };
    // `adduser -h DIRECTORY NAME` of Alpine names the home.
    let asks = words(run).any(|word| matches!(word, "--help" | "--version"))
        || run.arguments.len() == 1 && words(run).any(|word| word == "-h");
    (!asks).then(|| at(severity))
}

/// Groups whose members can become root.
const POWERFUL: &[&str] = &[
    "sudo",
    "wheel",
    "root",
    "admin",
    "adm",
    "docker",
    "lxd",
    "disk",
    "shadow",
    "kvm",
    "libvirt",
    "administrators",
    "sudoers",
    "podman",
    "kmem",
    "video-root",
];

/// Where packages put libraries; a name without a directory is looked for there as well.
const LIBRARIES: &[&str] =
    &["/lib/", "/lib64/", "/nix/store/", "/opt/", "/snap/", "/usr/", "/home/linuxbrew/"];

fn is_installed(value: &Text) -> bool {
    value.as_known().is_some_and(|known| {
        known.split([':', ' ']).all(|path| {
            !path.contains("..")
                && (!path.contains('/') || LIBRARIES.iter().any(|place| path.starts_with(place)))
        })
    })
}

fn loader(effect: &Effect, scene: &Scene<'_>) -> Option<Hit> {
    let EffectKind::Environment { name, value } = &effect.kind else { return None };
    let shown = value.display();
    let shared = |path: &str| {
        path.starts_with("/tmp") || path.starts_with("/var/tmp") || path.starts_with("/dev/shm")
    };
    let elevated =
        scene.effects.list.iter().any(|effect| matches!(effect.kind, EffectKind::Privilege { .. }));
    let severity = match name.as_str() {
        "LD_PRELOAD" | "LD_AUDIT" | "DYLD_INSERT_LIBRARIES" if elevated => Severity::Critical,
        "LD_PRELOAD" | "LD_AUDIT" | "DYLD_INSERT_LIBRARIES" if shared(&shown) => Severity::Critical,
        "LD_PRELOAD" | "LD_AUDIT" | "DYLD_INSERT_LIBRARIES" if is_installed(value) => {
            Severity::Medium
        }
        "LD_PRELOAD" | "LD_AUDIT" | "DYLD_INSERT_LIBRARIES" => Severity::High,
        "LD_LIBRARY_PATH" | "DYLD_LIBRARY_PATH" | "PATH" | "PYTHONPATH" | "PERL5LIB"
        | "RUBYLIB"
            if shown
                .split(':')
                .next()
                .is_some_and(|first| shared(first) || first == "." && name == "PATH") =>
        {
            if elevated { Severity::Critical } else { Severity::High }
        }
        _ => return None,
    };
    (!value.is_empty()).then(|| at(severity))
}

/// `unshare -rn cargo test`: a program without a network of its own, and no shell that somebody goes on in.
fn loses_only(run: &Run) -> bool {
    let mut words = run.arguments.iter().map(|word| word.text.as_known());
    let is_own = |word: &str| {
        matches!(word, "--map-root-user" | "--net" | "--user" | "--pid" | "--fork")
            || word.strip_prefix('-').is_some_and(|letters| {
                !letters.is_empty() && letters.chars().all(|it| "rnUpfcui".contains(it))
            })
    };
    let command = words.find(|word| !word.is_some_and(is_own));
    let is_shell =
        |word: &str| matches!(word, "bash" | "dash" | "screen" | "sh" | "su" | "tmux" | "zsh");
    match command {
        Some(Some(program)) if program.starts_with('-') => false,
        // `sh -c '…'` is judged by what it does.
        Some(Some(program)) => !is_shell(program) || words.next() == Some(Some("-c")),
        _ => false,
    }
}

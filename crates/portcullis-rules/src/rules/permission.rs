//! Rules on who may do what with files: modes, owners, lists, attributes. Owns how bad a mode is on a place.

use super::{
    Hit, Rule, Scene, Shelf, When,
    effects::{about, at, run, words},
};
use crate::{
    effect::{Effect, EffectKind, Kinds, PermissionChange, Target},
    finding::Category,
    place::{self, CredentialClass, Place},
    risk::Severity,
    text::Text,
};

pub(super) static SHELF: Shelf = Shelf { programs: &[], rules: RULES };

const WEAKER: Rule = Rule {
    category: Category::Permission,
    severity: Severity::High,
    reversible: true,
    remedy: "give the one right that is missing to the one who needs it: `chmod u+w FILE`",
    ..Rule::LOSS
};

static RULES: &[Rule] = &[
    Rule {
        id: "permission.setuid.add",
        category: Category::Privilege,
        severity: Severity::Critical,
        message: "whoever runs this file would have its owner's rights",
        remedy: "let a person decide which programs run as root",
        when: When::Effect(Kinds::PERMISSION, |effect, scene| {
            changed(effect, scene, |change| {
                let mode = change.mode()?;
                let word = mode.as_known()?;
                if !sets_identity(word) {
                    return None;
                }
                // The set-group bit on a directory only hands down its group: `chmod g+s shared`.
                let group = word.split(',').all(|part| !sets_identity(part) || is_for_group(part))
                    || word.strip_prefix('2').is_some_and(|rest| rest.len() == 3);
                Some(if group && change.place.is_workspace() {
                    Severity::Medium
                } else {
                    Severity::Critical
                })
            })
        }),
        fires: &[
            "chmod u+s /bin/bash",
            "chmod 4755 /tmp/b",
            "cp /bin/bash /tmp/b && chmod +s /tmp/b",
            "chmod a=rx,u+s x",
            "chmod g+rwxs,u+s x",
            "install -m 4755 x /usr/bin/x",
            "chmod 06755 x",
        ],
        quiet: &[
            "chmod 755 x",
            "chmod +x x",
            "chmod 0644 x",
            "chmod u-s x",
            "chmod -s x",
            "chmod 1777 dir",
        ],
        ..WEAKER
    },
    Rule {
        id: "permission.mode.world",
        message: "everyone on the machine could change this",
        when: When::Effect(Kinds::PERMISSION, |effect, scene| {
            changed(effect, scene, |change| {
                let word = change.mode()?.as_known()?;
                if !opens_to_all(word) {
                    return None;
                }
                Some(match change.place {
                    Place::Root
                    | Place::SystemTop
                    | Place::System
                    | Place::Boot
                    | Place::RawDevice
                    | Place::Kernel
                    | Place::Device
                    | Place::Gate => Severity::Critical,
                    _ if change.class() == Some(CredentialClass::System) => Severity::Critical,
                    Place::HomeTop => Severity::Critical,
                    _ if matches!(change.class(), Some(CredentialClass::User)) => Severity::High,
                    Place::Home | Place::OtherHome | Place::Agent | Place::Log | Place::Unknown => {
                        Severity::High
                    }
                    Place::Site | Place::Elsewhere if change.recursive => Severity::High,
                    _ => Severity::Medium,
                })
            })
        }),
        fires: &[
            "chmod -R 777 /",
            "chmod 777 /etc/shadow",
            "sudo chmod -R 777 /var/www",
            "find /srv/www -type f -exec chmod 777 {} +",
            "chmod 777 x.sh",
            "chmod a+w /etc/passwd",
            "chmod o+rwx ~",
            "chmod -R 0777 .",
            "chmod ugo+rwx /usr/bin",
        ],
        quiet: &[
            "chmod 755 x",
            "chmod +x scripts/build.sh",
            "chmod 644 README.md",
            "chmod -R u+rwX ./out",
            "chmod o-w x",
        ],
        ..WEAKER
    },
    Rule {
        id: "permission.tree.system",
        severity: Severity::Critical,
        message: "the rights of a whole system directory or home would be changed, and the machine may not start or let anyone in again",
        reversible: false,
        when: When::Effect(Kinds::PERMISSION, |effect, scene| {
            changed(effect, scene, |change| match change.place {
                Place::Root | Place::SystemTop | Place::HomeTop | Place::Boot
                    if change.recursive =>
                {
                    // Only taking the write right from others is harmless everywhere.
                    let harmless = change.mode().and_then(Text::as_known).is_some_and(|word| {
                        matches!(word, "o-w" | "go-w" | "a+rX" | "u+rwX" | "u+rX" | "u+w")
                    });
                    let own = change.place == Place::HomeTop;
                    (!harmless).then_some(if own { Severity::High } else { Severity::Critical })
                }
                _ => None,
            })
        }),
        fires: &[
            "chmod -R 755 /",
            "chown -R dev /etc",
            "chmod -R 000 /usr",
            "chown -R nobody ~",
            "chgrp -R x /",
        ],
        quiet: &["chown -R dev:dev .", "chmod -R 755 dist"],
        ..WEAKER
    },
    Rule {
        id: "permission.mode.lock",
        message: "nobody could use this any more",
        when: When::Effect(Kinds::PERMISSION, |effect, scene| {
            changed(effect, scene, |change| {
                let word = change.mode()?.as_known()?;
                if !matches!(
                    word,
                    "000"
                        | "0000"
                        | "0"
                        | "00"
                        | "a-rwx"
                        | "a-x"
                        | "-x"
                        | "ugo-rwx"
                        | "a="
                        | "-rwx"
                        | "a-r"
                        | "-r"
                ) {
                    return None;
                }
                match change.place {
                    place if place.is_system() => Some(Severity::Critical),
                    Place::HomeTop => Some(Severity::Critical),
                    Place::Home | Place::OtherHome | Place::Site => Some(Severity::High),
                    _ => None,
                }
            })
        }),
        fires: &["chmod 000 /etc/passwd", "chmod -x /bin/chmod", "chmod 0 ~"],
        quiet: &["chmod -x notes.txt", "chmod 600 ~/.ssh/id_rsa"],
        ..WEAKER
    },
    Rule {
        id: "permission.key.open",
        message: "others could read a key or login",
        remedy: "keys belong to one user: `chmod 600 FILE`",
        when: When::Effect(Kinds::PERMISSION, |effect, scene| {
            changed(effect, scene, |change| {
                let word = change.mode()?.as_known()?;
                let class = change.class()?;
                if !opens_to_others(word) {
                    return None;
                }
                match class {
                    CredentialClass::System => Some(Severity::Critical),
                    CredentialClass::Project => None,
                    _ if change.place.is_workspace() => Some(Severity::Medium),
                    _ => Some(Severity::High),
                }
            })
        }),
        fires: &[
            "chmod 644 ~/.ssh/id_rsa",
            "chmod o+r /etc/shadow",
            "chmod a+r /etc/shadow",
            "chmod 666 ~/.aws/credentials",
        ],
        quiet: &[
            "chmod 600 ~/.ssh/id_rsa",
            "chmod 400 ~/.ssh/id_rsa",
            "chmod 700 ~/.ssh",
            "chmod go-rwx ~/.ssh",
        ],
        ..WEAKER
    },
    Rule {
        id: "permission.system.mode",
        message: "the rights of a system file would be changed",
        when: When::Effect(Kinds::PERMISSION, |effect, scene| {
            changed(effect, scene, |change| {
                change.mode()?;
                let exact = change.target.path.as_deref().is_some_and(|path| !path.contains('*'));
                match change.place {
                    Place::System
                    | Place::Boot
                    | Place::Device
                    | Place::Kernel
                    | Place::RawDevice
                        if exact =>
                    {
                        Some(Severity::High)
                    }
                    Place::SystemTop | Place::Root if !change.recursive => Some(Severity::High),
                    // `sudo` and `passwd` work by that bit.
                    _ if !exact && change.takes_special_bits() => Some(Severity::High),
                    _ => None,
                }
            })
        }),
        fires: &[
            "chmod 755 /etc/cron.d/x",
            "chmod 644 /etc/passwd",
            "chmod +x /usr/bin/x",
            "find / -perm -4000 -exec chmod u-s {} \\;",
        ],
        quiet: &[
            "chmod +x /usr/local/bin/x",
            "chmod +x x",
            "find / -name '*.rpm' -exec chmod 755 {} \\;",
        ],
        ..WEAKER
    },
    Rule {
        id: "permission.owner.change",
        severity: Severity::Medium,
        message: "someone else would own this",
        remedy: "let a person with those rights do this",
        when: When::Effect(Kinds::PERMISSION, |effect, scene| {
            changed(effect, scene, |change| {
                let PermissionChange::Owner(owner) = change.change else { return None };
                let to_root = owner.as_known().is_some_and(|owner| {
                    let user = owner.split([':', '.']).next().unwrap_or(owner);
                    matches!(user, "root" | "0" | "+0")
                });
                Some(match change.place {
                    Place::Gate => Severity::Critical,
                    _ if change.class() == Some(CredentialClass::System) => Severity::Critical,
                    place if place.is_system() => Severity::High,
                    Place::OtherHome | Place::HomeTop | Place::Unknown
                        if !change.place.is_workspace() =>
                    {
                        if change.place == Place::Unknown && !to_root {
                            Severity::Medium
                        } else {
                            Severity::High
                        }
                    }
                    _ if to_root => Severity::High,
                    _ => Severity::Medium,
                })
            })
        }),
        fires: &[
            "chown root:root x",
            "chown dev /etc/passwd",
            "chown -R dev:dev .",
            "chown dev /etc/shadow",
        ],
        quiet: &["chmod 644 x", "ls -l"],
        ..WEAKER
    },
    Rule {
        id: "permission.capability.add",
        category: Category::Privilege,
        message: "a program would have some of root's rights, whoever runs it",
        remedy: "let a person decide which programs have root's rights",
        when: When::Effect(Kinds::PERMISSION, |effect, scene| {
            changed(effect, scene, |change| {
                let PermissionChange::Attribute(text) = change.change else { return None };
                let text = text.display().to_ascii_lowercase();
                if !text.contains("cap_") && text != "all+ep" && text != "=ep" {
                    return None;
                }
                let mild = ["cap_net_bind_service", "cap_net_raw", "cap_net_admin"]
                    .iter()
                    .any(|mild| text.contains(mild))
                    && ![
                        "setuid", "sys_", "dac_", "chown", "fowner", "setgid", "all", "setfcap",
                        "mac_", "bpf", "ptrace",
                    ]
                    .iter()
                    .any(|bad| text.contains(bad));
                Some(if mild { Severity::High } else { Severity::Critical })
            })
        }),
        fires: &[
            "setcap cap_setuid+ep /tmp/command",
            "setcap cap_net_bind_service=+ep ./server",
            "setcap all+ep /usr/bin/python3",
        ],
        quiet: &["getcap -r /usr/bin", "setcap -r ./server"],
        ..WEAKER
    },
    Rule {
        id: "permission.list.change",
        message: "a list of rights beside the mode would be changed, where nobody looks for it",
        when: When::Effect(Kinds::PERMISSION, |effect, scene| {
            let by_list = || {
                scene.effects.list.iter().filter_map(run).any(|run| {
                    matches!(run.program.as_str(), "setfacl" | "icacls" | "Set-Acl" | "setfattr")
                })
            };
            let hit = changed(effect, scene, |change| {
                let PermissionChange::Attribute(text) = change.change else { return None };
                let text = text.display().to_ascii_lowercase();
                if text.contains("cap_") || text.starts_with(['+', '-', '=']) {
                    return None;
                }
                let everyone = text.contains("everyone")
                    || text.contains("o::rw")
                    || text.contains("other::rw")
                    || text.contains("o:rw");
                Some(
                    if change.place.is_system() || change.class() == Some(CredentialClass::System) {
                        Severity::Critical
                    } else if everyone && !change.place.is_workspace() {
                        Severity::High
                    } else if change.place.is_workspace() {
                        Severity::Medium
                    } else {
                        Severity::High
                    },
                )
            });
            hit.filter(|_| by_list())
        }),
        fires: &[
            "setfacl -m u:bob:rwx /data/x",
            "setfacl -m u:dev:r /etc/shadow",
            "icacls C:/x /grant Everyone:F /T",
        ],
        quiet: &["getfacl x", "icacls C:/x"],
        ..WEAKER
    },
    Rule {
        id: "permission.attribute.change",
        severity: Severity::Medium,
        message: "whether a file can be changed at all would be changed",
        when: When::Effect(Kinds::PERMISSION, |effect, scene| {
            changed(effect, scene, |change| {
                let PermissionChange::Attribute(text) = change.change else { return None };
                let word = text.as_known()?;
                if !word.starts_with(['+', '-', '=']) || !word.contains(['i', 'a', 'u']) {
                    return None;
                }
                Some(
                    if change.place.is_system()
                        || matches!(
                            change.place,
                            Place::Log | Place::Gate | Place::HomeTop | Place::Home
                        )
                    {
                        Severity::High
                    } else {
                        Severity::Medium
                    },
                )
            })
        }),
        fires: &[
            "chattr -i /etc/passwd",
            "chattr +i /etc/resolv.conf",
            "chattr -a /var/log/auth.log",
            "chattr +i x",
        ],
        quiet: &["lsattr x"],
        ..WEAKER
    },
    Rule {
        id: "permission.mask.none",
        severity: Severity::Medium,
        message: "every file made from now on could be changed by everyone",
        when: When::Effect(Kinds::RUN, |effect, _| {
            let run = run(effect).filter(|run| run.program == "umask")?;
            words(run)
                .any(|word| {
                    matches!(word, "0" | "00" | "000" | "0000" | "a=rwx" | "u=rwx,g=rwx,o=rwx")
                })
                .then(|| at(Severity::Medium))
        }),
        fires: &["umask 000"],
        quiet: &["umask", "umask 022", "umask 077"],
        ..WEAKER
    },
    Rule {
        id: "permission.mode.change",
        category: Category::Change,
        severity: Severity::Low,
        message: "the rights of a file would be changed",
        remedy: "let a person see first what it may be now: `ls -l`",
        when: When::Effect(Kinds::PERMISSION, |effect, scene| {
            changed(effect, scene, |change| {
                change.mode().map(|_| {
                    if change.recursive && !change.place.is_workspace() {
                        Severity::Medium
                    } else {
                        Severity::Low
                    }
                })
            })
        }),
        fires: &["chmod +x scripts/build.sh", "chmod 644 README.md"],
        quiet: &["ls -l README.md"],
        ..WEAKER
    },
];

/// A change of rights with where it happens.
struct Change<'a> {
    target: &'a Target,
    change: &'a PermissionChange,
    recursive: bool,
    place: Place,
    scene: &'a Scene<'a>,
}

impl<'a> Change<'a> {
    fn mode(&self) -> Option<&'a Text> {
        match self.change {
            PermissionChange::Mode(mode) => Some(mode),
            PermissionChange::Owner(_) | PermissionChange::Attribute(_) => None,
        }
    }

    /// Whether the bits are taken away by which a program runs with its owner's rights, from files of the system.
    fn takes_special_bits(&self) -> bool {
        let path = self.target.path.as_deref().unwrap_or_default();
        let takes = self.mode().and_then(Text::as_known).is_some_and(|mode| {
            mode.split(',').any(|clause| {
                clause.split_once('-').is_some_and(|(_, letters)| letters.contains('s'))
            })
        });
        takes && (self.place.is_system() || path.starts_with("/*"))
    }

    fn class(&self) -> Option<CredentialClass> {
        place::credential_of(self.target, self.scene.facts).map(|found| found.class)
    }
}

fn changed(
    effect: &Effect,
    scene: &Scene<'_>,
    judge: fn(&Change<'_>) -> Option<Severity>,
) -> Option<Hit> {
    let EffectKind::Permission { target, recursive, change } = &effect.kind else { return None };
    let place = place::place_of(target, scene.facts);
    // What a search finds, and what fits a pattern all the way down, is as much as the whole.
    let is_found = || {
        target.path.as_deref().is_some_and(|path| path.contains("/**"))
            || scene.program_around(effect).is_some_and(|run| {
                matches!(run.program.as_str(), "fd" | "fdfind" | "find" | "gfind")
                    && !run.arguments.iter().any(|word| {
                        matches!(word.text.as_known(), Some("-maxdepth" | "-name" | "-iname"))
                    })
            })
    };
    let is_whole = *recursive || is_found();
    let change = Change { target, change, recursive: is_whole, place, scene };
    let severity = judge(&change)?;
    Some(about(severity, target, "this changes who may use"))
}

/// Octal digits of a mode without a leading zero too many.
fn digits(word: &str) -> Option<[u8; 4]> {
    let word = word.trim_start_matches('=');
    if word.is_empty() || word.len() > 5 || !word.bytes().all(|byte| (b'0'..=b'7').contains(&byte))
    {
        return None;
    }
    let mut digits = [0; 4];
    for (slot, byte) in digits.iter_mut().rev().zip(word.bytes().rev()) {
        *slot = byte - b'0';
    }
    Some(digits)
}

fn clauses(word: &str) -> impl Iterator<Item = (&str, char, &str)> {
    word.split(',').filter_map(|clause| {
        let at = clause.find(['+', '=', '-'])?;
        let (who, rest) = clause.split_at_checked(at)?;
        let operator = rest.chars().next()?;
        Some((who, operator, rest.get(1..)?))
    })
}

fn sets_identity(word: &str) -> bool {
    match digits(word) {
        Some([special, ..]) => special & 6 != 0,
        None => clauses(word).any(|(_, operator, rights)| operator != '-' && rights.contains('s')),
    }
}

/// Whether whoever runs a file would have the rights of its group, and not those of its owner: `g+s`, `g+rwxs`.
fn is_for_group(clause: &str) -> bool {
    digits(clause).is_none() && clauses(clause).all(|(who, ..)| who == "g")
}

fn opens_to_all(word: &str) -> bool {
    match digits(word) {
        // A sticky directory (`1777`) is what `/tmp` is.
        Some([special, _, _, others]) => others & 2 != 0 && special != 1,
        None => clauses(word).any(|(who, operator, rights)| {
            operator != '-' && rights.contains('w') && (who.contains(['o', 'a']))
        }),
    }
}

fn opens_to_others(word: &str) -> bool {
    match digits(word) {
        Some([_, _, group, others]) => (group | others) & 4 != 0 || (group | others) & 2 != 0,
        None => clauses(word).any(|(who, operator, rights)| {
            operator != '-'
                && rights.contains(['r', 'w'])
                && (who.contains(['o', 'a', 'g']) || who.is_empty())
        }),
    }
}

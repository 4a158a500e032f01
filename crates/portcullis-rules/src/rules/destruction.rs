//! Rules on losing files and disks. How bad a deletion is depends on where it happens. Owns nothing about data in version
//! control, clouds or databases.

use super::{
    Hit, Rule, Scene, Shelf, When,
    effects::{about, at, deleted, run, written},
    pattern,
};
use crate::{
    action::ActionKind,
    effect::{Certainty, Effect, EffectKind, Kinds, Run, Target, WriteMode},
    finding::Confidence,
    place::{self, Place},
    programs::Options,
    risk::Severity,
    text::{Piece, Text},
};

pub(super) static SHELF: Shelf = Shelf {
    programs: &[
        "btrfs", "debugfs", "dmsetup", "lvm", "lvreduce", "lvremove", "lvresize", "mdadm",
        "pvremove", "tmutil", "vgreduce", "vgremove", "vssadmin", "wbadmin", "wmic", "zfs",
        "zpool",
    ],
    rules: RULES,
};

const LOOK_FIRST: &str = "list what would go first, and delete the exact paths that you mean";

static RULES: &[Rule] = &[
    Rule {
        id: "fs.delete.root",
        severity: Severity::Critical,
        message: "the whole file system would be deleted",
        remedy: "name the directory that you mean; there is no reason to delete the root",
        when: When::Effect(Kinds::DELETE, |effect, scene| {
            delete(effect, scene, |place, _| match place {
                Place::Root => Some(Severity::Critical),
                _ => None,
            })
        }),
        fires: &[
            "rm -rf /",
            "rm -fr / --no-preserve-root",
            "rm -rf /*",
            "rm -rf -- /",
            "cd / && rm -rf *",
            "find / -delete",
            "rm -rf //./",
            "rm -rf /tmp/../..",
        ],
        quiet: &["rm -rf ./build", "ls /", "echo rm -rf /"],
        ..Rule::LOSS
    },
    Rule {
        id: "fs.delete.system-top",
        severity: Severity::Critical,
        message: "a whole system directory would be deleted",
        remedy: "remove what a package installed with the package manager",
        when: When::Effect(Kinds::DELETE, |effect, scene| {
            delete(effect, scene, |place, recursive| match place {
                Place::SystemTop if recursive => Some(Severity::Critical),
                _ => None,
            })
        }),
        fires: &[
            "rm -rf /etc",
            "rm -rf /etc/*",
            "rm --recursive --force /usr",
            "rm -r -f /home",
            "mv /etc /tmp/etc.bak",
            "rm -rf /var /opt",
        ],
        quiet: &["rm -rf /tmp/etc", "ls /etc"],
        ..Rule::LOSS
    },
    Rule {
        id: "fs.delete.home",
        severity: Severity::Critical,
        message: "a whole home directory would be deleted",
        remedy: LOOK_FIRST,
        when: When::Effect(Kinds::DELETE, |effect, scene| {
            delete(effect, scene, |place, _| match place {
                Place::HomeTop => Some(Severity::Critical),
                _ => None,
            })
        }),
        fires: &[
            "rm -rf ~",
            "rm -rf \"$HOME\"",
            "rm -rf ~/*",
            "rm -rf /home/alice",
            "mv ~/* /dev/null",
            "find ~ -delete",
        ],
        quiet: &["rm -rf ~/.cache/pip", "ls ~"],
        ..Rule::LOSS
    },
    Rule {
        id: "fs.delete.system",
        severity: Severity::High,
        message: "files that the system needs would be deleted",
        remedy: "remove what a package installed with the package manager",
        when: When::Effect(Kinds::DELETE, |effect, scene| {
            delete(effect, scene, |place, recursive| match place {
                Place::Boot | Place::RawDevice => Some(Severity::Critical),
                Place::System | Place::Kernel | Place::Device if recursive => {
                    Some(Severity::Critical)
                }
                Place::System | Place::SystemTop | Place::Kernel | Place::Device => {
                    Some(Severity::High)
                }
                _ => None,
            })
        }),
        fires: &[
            "rm /etc/fstab",
            "rm -rf /etc/nginx",
            "rm -f /boot/vmlinuz",
            "find /usr/lib -name '*.so' -delete",
            "rm -rf /var/lib/mysql",
        ],
        quiet: &["rm -rf /var/lib/apt/lists/*", "cat /etc/fstab", "rm etc/fstab"],
        ..Rule::LOSS
    },
    Rule {
        id: "fs.delete.workspace",
        message: "the whole project would be deleted",
        remedy: "delete the directory that you mean; to start over, let a person clone again",
        when: When::Effect(Kinds::DELETE, |effect, scene| {
            delete(effect, scene, |place, recursive| match place {
                Place::WorkspaceTop => {
                    Some(if recursive { Severity::High } else { Severity::Medium })
                }
                _ => None,
            })
        }),
        fires: &[
            "rm -rf .",
            "rm -rf *",
            "rm -rf ./*",
            "rm -rf .*",
            "rm -rf $PWD",
            "find . -delete",
            "find . -exec rm -rf {} \\;",
        ],
        quiet: &["rm -rf build", "rm -rf src/old"],
        ..Rule::LOSS
    },
    Rule {
        id: "fs.delete.history",
        message: "version control's own files would be deleted, and commits that are nowhere else with them",
        remedy: "push every branch first, and let a person delete the repository",
        when: When::Effect(Kinds::DELETE, |effect, scene| {
            let mut hit = delete(effect, scene, |place, recursive| match place {
                Place::VersionControlTop => Some(Severity::High),
                Place::VersionControl => {
                    Some(if recursive { Severity::High } else { Severity::Medium })
                }
                _ => None,
            })?;
            if let EffectKind::Delete { target, .. } = &effect.kind
                && let Some((_, inside)) =
                    target.path.as_deref().and_then(|path| path.rsplit_once("/.git/"))
                && (matches!(inside, "HEAD" | "packed-refs") || inside.starts_with("refs/"))
            {
                // Where branches are: without them every commit is lost to sight.
                hit.severity = Some(Severity::High);
            }
            Some(hit)
        }),
        fires: &[
            "rm -rf .git",
            "rm -rf sub/.git",
            "rm -rf .git/objects",
            "rm -f .git/index.lock",
            "rm -f .git/packed-refs",
        ],
        quiet: &["rm .gitignore", "rm -rf git"],
        ..Rule::LOSS
    },
    Rule {
        id: "fs.delete.personal",
        message: "files of the user's own would be deleted",
        remedy: LOOK_FIRST,
        when: When::Effect(Kinds::DELETE, |effect, scene| {
            let mut hit = delete(effect, scene, |place, _| match place {
                Place::Home | Place::OtherHome => Some(Severity::High),
                _ => None,
            })?;
            if is_of_other_project(effect, scene)
                || is_of_this_call(effect, scene)
                || is_made_again(effect, scene)
                || is_kept_elsewhere(effect, scene)
            {
                hit.severity = Some(Severity::Medium);
            }
            Some(hit)
        }),
        fires: &[
            "rm -rf ~/projects",
            "rm ~/notes.txt",
            "rm -rf ~someone/x",
            "rm -rf /home/alice/docs",
            "rm ~/Documents/thesis.py",
            "rm ~/src/tool/*.rs",
            "rm -r ~/src/tool/lib.rs",
        ],
        quiet: &["rm -rf ~/.cache/pip", "rm notes.txt"],
        ..Rule::LOSS
    },
    Rule {
        id: "fs.delete.elsewhere",
        message: "a directory outside the project would be deleted",
        remedy: LOOK_FIRST,
        when: When::Effect(Kinds::DELETE, |effect, scene| {
            let hit = delete(effect, scene, |place, recursive| match place {
                Place::Elsewhere | Place::Site => {
                    Some(if recursive { Severity::High } else { Severity::Medium })
                }
                _ => None,
            })?;
            // Code that deletes one after the other of all that lies below does no less than all at once; commands choose what they delete.
            let each = scene.program_around(effect).is_none()
                && matches!(&effect.kind, EffectKind::Delete { target, .. }
                if target.path.as_ref().is_some_and(|path| path.contains("/**")));
            Some(Hit { severity: if each { Some(Severity::High) } else { hit.severity }, ..hit })
        }),
        fires: &["rm -rf /some/path", "rm -rf ../other", "rm -rf /opt/tool", "rm /data/x.csv"],
        quiet: &["rm -rf /tmp/x", "rm -rf ./x"],
        ..Rule::LOSS
    },
    Rule {
        id: "fs.delete.unknown",
        confidence: Confidence::Medium,
        message: "what would be deleted cannot be known, and may be everything",
        remedy: "write the path out, or guard the variable: `${NAME:?}`",
        when: When::Effect(Kinds::DELETE, |effect, scene| {
            let hit = delete(effect, scene, |place, recursive| match place {
                Place::Unknown => Some(if recursive { Severity::High } else { Severity::Medium }),
                _ => None,
            })?;
            if scene.is_of_script(effect) {
                return Some(Hit { severity: Some(Severity::Medium), ..hit });
            }
            Some(hit)
        }),
        fires: &["rm -rf \"$X\"", "rm -rf \"$X\"/*", "rm \"$file\""],
        quiet: &[
            "rm -rf \"$dir/node_modules\"",
            "d=$(mktemp -d); rm -rf \"$d\"",
            "x=build; rm -rf \"$x\"",
        ],
        ..Rule::LOSS
    },
    Rule {
        id: "fs.overwrite.many",
        message: "every file of a directory of the user's own would be overwritten",
        remedy: "name the files that you mean, or work on a copy: `cp -r ~/Documents /tmp/copy`",
        when: When::Effect(Kinds::WRITE, overwritten),
        fires: &[
            "find ~ -type f -exec truncate -s 0 {} +",
            "for f in ~/Documents/*; do : > \"$f\"; done",
            "find ~ -type f -print0 | xargs -0 sed -i d",
            "truncate -s 0 ~/*",
            "for f in $(find ~/src -name '*.py'); do truncate -s0 $f; done",
            "find ~/Pictures -type f | xargs -d '\\n' -I{} sh -c 'echo x > \"{}\"'",
            "mogrify -resize 10% ~/Pictures/*.jpg",
            "for f in ~/Pictures/*.jpg; do cp x \"$f\"; done",
            "ls ~ | xargs -I% cp /dev/null ~/%",
            "for f in src/*.py; do : > \"$f\"; done",
        ],
        quiet: &[
            "find ~ -name '*.log' -exec truncate -s 0 {} +",
            "for f in logs/*; do : > \"$f\"; done",
            "find . -name '*.log' -exec truncate -s 0 {} +",
            "for f in ~/notes/*.md; do sed -i '1i # x' \"$f\"; done",
            "touch ~/Documents/*",
            "cp *.pdf ~/Documents/",
            "find ~/Music -name '*.m4a' -exec ffmpeg -i {} {}.ogg \\;",
            "mv backup/* ~/Documents/old/",
            "mogrify -resize 800x assets/*.jpg",
        ],
        ..Rule::LOSS
    },
    Rule {
        id: "fs.delete.temporary",
        message: "temporary files of every program would be deleted",
        remedy: "delete your own: `rm -rf /tmp/NAME`",
        when: When::Effect(Kinds::DELETE, |effect, scene| {
            delete(effect, scene, |place, recursive| match place {
                Place::TemporaryTop => {
                    Some(if recursive { Severity::High } else { Severity::Medium })
                }
                _ => None,
            })
        }),
        fires: &["rm -rf /tmp", "rm -rf /tmp/*", "find /tmp -execdir rm -rf {} +"],
        quiet: &["rm -rf /tmp/test-dir"],
        ..Rule::LOSS
    },
    Rule {
        id: "fs.delete.recursive",
        severity: Severity::Medium,
        message: "a directory would be deleted with everything in it",
        remedy: "see that it is committed or can be made again",
        when: When::Effect(Kinds::DELETE, |effect, scene| {
            let (target, recursive, place) = deleted(effect, scene)?;
            // Directories of one name all over the project are more than anyone has looked at.
            let scattered = target.path.as_deref().is_some_and(|path| path.contains("/**/"));
            let severity = match place {
                Place::Workspace if recursive && scattered => Severity::High,
                Place::Workspace
                | Place::ContinuousIntegration
                | Place::Artifact
                | Place::Temporary
                | Place::Cache
                    if recursive =>
                {
                    Severity::Medium
                }
                _ => return None,
            };
            Some(about(severity, target, &format!("this deletes {}:", place.words())))
        }),
        fires: &[
            "rm -rf build",
            "rm -rf ./dist",
            "rm -rf src/old",
            "rm -rf /tmp/test-dir",
            "rm -rf node_modules",
            "rm -rf ~/.cache/pip",
        ],
        quiet: &["rm notes.txt", "rmdir empty"],
        ..Rule::CHANGE
    },
    Rule {
        id: "fs.delete.file",
        severity: Severity::Medium,
        message: "a file would be deleted",
        remedy: "see that it is committed or can be made again",
        when: When::Effect(Kinds::DELETE, |effect, scene| {
            delete(effect, scene, |place, recursive| match place {
                Place::Workspace | Place::ContinuousIntegration if !recursive => {
                    Some(Severity::Medium)
                }
                Place::Artifact | Place::Temporary | Place::Cache if !recursive => {
                    Some(Severity::Low)
                }
                _ => None,
            })
        }),
        fires: &[
            "rm notes.txt",
            "rmdir empty_folder",
            "find . -name '*.pyc' -delete",
            "rm -f *.o",
            "rm /tmp/x",
        ],
        quiet: &["ls notes.txt"],
        ..Rule::CHANGE
    },
    Rule {
        id: "fs.delete.keys",
        message: "keys or logins would be deleted",
        remedy: "let a person remove keys; they may exist nowhere else",
        when: When::Effect(Kinds::DELETE, |effect, scene| {
            let (target, _, place) = deleted(effect, scene)?;
            if matches!(place, Place::Unknown | Place::Artifact | Place::Temporary) {
                return None;
            }
            let found = place::credential_of(target, scene.facts)?;
            let severity = match found.class {
                place::CredentialClass::Project => Severity::Medium,
                place::CredentialClass::System => Severity::Critical,
                _ => Severity::High,
            };
            Some(about(severity, target, &format!("this deletes {}:", found.what)))
        }),
        fires: &[
            "rm -rf ~/.ssh",
            "rm ~/.aws/credentials",
            "shred -u /home/alice/.ssh/id_rsa",
            "rm .env",
        ],
        quiet: &["rm -rf ~/.cache", "rm .env.example"],
        ..Rule::LOSS
    },
    Rule {
        id: "fs.delete.shred",
        severity: Severity::High,
        message: "what is deleted this way cannot be brought back",
        remedy: "delete it plainly, or let a person do this",
        when: When::Noted,
        fires: &["shred -u secrets.txt", "wipe -f old.db"],
        quiet: &["tldr shred", "rm old.db"],
        ..Rule::LOSS
    },
    Rule {
        id: "disk.overwrite.device",
        severity: Severity::Critical,
        message: "a disk or memory would be written over",
        remedy: "write to a file: an image can be mounted and tried without a disk",
        when: When::Effect(Kinds::WRITE, |effect, scene| {
            let (target, mode, _) = written(effect)?;
            let place = place::place_of(target, scene.facts);
            let is_disk =
                place == Place::RawDevice || (place == Place::Root && mode == WriteMode::Replace);
            is_disk.then(|| about(Severity::Critical, target, "this writes over"))
        }),
        fires: &[
            "dd if=/dev/zero of=/dev/sda",
            "mkfs.ext4 -F /dev/sdb1",
            "echo 0 > /dev/sda",
            "cat x > /dev/nvme0n1",
            "wipefs -a /dev/nvme0n1",
            "blkdiscard /dev/sda",
            "sgdisk --zap-all /dev/sda",
            "parted /dev/sda mklabel gpt",
            "mkswap /dev/sda2",
            "cryptsetup luksErase /dev/sda2",
            "cp /dev/zero /dev/mem",
            "shred /dev/sda",
            "hdparm --user-master u --security-erase p /dev/sda",
            "nvme format /dev/nvme0n1",
            "fdisk /dev/sda",
            "tee /dev/sda < x",
            "format C: /q /y",
            "sfdisk /dev/sda < layout",
            "mdadm --zero-superblock /dev/sdb",
        ],
        quiet: &[
            "dd if=/dev/zero of=disk.img bs=1M count=10",
            "echo x > /dev/null",
            "fdisk -l",
            "parted -l",
            "mkfs.ext4 disk.img",
            "wipefs /dev/sda",
            "cat /dev/sda1 | head -c 16",
            "echo hi > /dev/stderr",
            "sgdisk -p /dev/sda",
            "sfdisk --no-act /dev/sda < layout",
            "sgdisk --pretend -d 1 /dev/sda",
        ],
        ..Rule::LOSS
    },
    Rule {
        id: "system.disk.format",
        severity: Severity::High,
        confidence: Confidence::Medium,
        message: "a disk that cannot be known would be written over",
        remedy: "write the device out",
        when: When::Noted,
        fires: &["mkfs.ext4 \"$DEVICE\"", "wipefs -a /dev/sd*"],
        quiet: &["mkfs.ext4 disk.img", "lsblk"],
        ..Rule::LOSS
    },
    Rule {
        id: "disk.volume.destroy",
        severity: Severity::Critical,
        message: "a volume, pool or snapshot would be destroyed with what is on it",
        remedy: "let a person do this, with a backup at hand",
        when: When::Command(&[
            "lvremove",
            "vgremove",
            "pvremove",
            "lvreduce",
            "vgreduce",
            "lvresize --size|-L=-*",
            "zpool destroy",
            "zpool labelclear",
            "zfs destroy",
            "zfs rollback -r|-R",
            "btrfs subvolume delete",
            "btrfs device remove|delete",
            "dmsetup remove|remove_all|wipe_table",
            "lvm lvremove|vgremove|pvremove",
            "debugfs -w",
            "mdadm --fail",
            "mdadm --stop",
            "vssadmin delete|Delete|resize",
            "wbadmin delete",
            "wmic shadowcopy delete",
            "tmutil delete|deletelocalsnapshots|disable",
        ]),
        fires: &[
            "lvremove -f vg0/data",
            "zpool destroy tank",
            "zfs destroy -r tank/home",
            "vssadmin delete shadows /all /quiet",
            "btrfs subvolume delete /data/x",
        ],
        quiet: &["zfs list", "lvs", "zpool status", "btrfs subvolume list /"],
        ..Rule::LOSS
    },
    Rule {
        id: "system.disk.fill",
        severity: Severity::High,
        message: "the disk would be filled until nothing can be written any more",
        remedy: "say how much: `dd if=/dev/zero of=FILE bs=1M count=10`",
        when: When::Noted,
        fires: &[
            "fallocate -l 500G /tmp/fill",
            "dd if=/dev/zero of=~/fill",
            "dd if=/dev/urandom of=x bs=1M",
        ],
        quiet: &[
            "fallocate -l 10M x",
            "dd if=/dev/zero of=x bs=1M count=10",
            "dd if=a.iso of=b.iso",
        ],
        ..Rule::LOSS
    },
    Rule {
        id: "system.disk.endless",
        severity: Severity::High,
        message: "a source that never ends is written into a file or held in memory",
        remedy: "say how much: `head -c 1M /dev/zero > FILE`",
        when: When::Effect(Kinds::READ.and(Kinds::RUN).and(Kinds::WRITE), endless),
        fires: &[
            "cat /dev/zero > ~/fill",
            "cat /dev/urandom > x",
            "tail /dev/zero",
            "sort /dev/zero",
            "head -3 a; cat /dev/zero > ~/fill",
            "timeout 600 cat /dev/zero > ~/fill",
            "timeout 1 true; yes > ~/fill",
            "bash -c 'timeout 1 true; yes > ~/fill'",
            "bash -c 'cat /dev/urandom | base64 >> ~/fill'",
        ],
        quiet: &[
            "head -c 10 /dev/urandom > key.bin",
            "cat /dev/urandom | tr -dc 'a-z' | head -c 10 > x",
            "cat /dev/urandom | base64 | sed 3q > x",
            "yes | dd of=x bs=1M count=1",
            "timeout 2 yes > x",
            "timeout 5s bash -c 'cat /dev/zero > x'",
            "cat /dev/null > x",
            "od -An -N2 -i /dev/random",
        ],
        ..Rule::LOSS
    },
    Rule {
        id: "fs.truncate.personal",
        message: "what was in a file of the user's own would be gone",
        remedy: "keep a copy, or append",
        when: When::Effect(Kinds::WRITE, emptied),
        fires: &[
            ": > ~/notes.txt",
            "truncate -s 0 ~/notes.txt",
            "cp /dev/null ~/notes.txt",
            "dd if=/dev/urandom of=~/notes.txt bs=1M count=1",
            "dd if=/dev/zero of=~/vault.kdbx bs=1k count=4 conv=notrunc",
            "cat /dev/urandom | head > ~/notes.txt",
            "head -c 4096 /dev/urandom > ~/thesis.docx",
        ],
        quiet: &[
            "echo x >> ~/notes.txt",
            "truncate -s 1M disk.img",
            "dd if=/dev/zero of=disk.img bs=1M count=64",
            "cp notes.txt ~/notes.txt",
            "head -c 32 /dev/urandom | base64 > ~/.config/app/key",
            "head -c 64 /dev/urandom > ~/backup.key",
            "head -c 10M /dev/urandom > ~/test.bin",
        ],
        ..Rule::LOSS
    },
];

/// Programs that hand on what they read as it is.
const COPIERS: &[&str] = &["cat", "cp", "dd", "head", "pv", "sponge", "tail", "tee"];

/// Whether a file's name says that noise belongs in it: a key, a seed, something to test with; or it is a hidden one, as programs keep.
fn is_for_noise(path: &str) -> bool {
    const WORDS: &[&str] = &[
        ".bin", ".dat", ".img", ".iso", ".raw", "entropy", "key", "noise", "rand", "salt",
        "secret", "seed", "test",
    ];
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    path.contains("/.") || WORDS.iter().any(|word| name.contains(word))
}

/// A file that is left with nothing in it, or with noise.
fn emptied(effect: &Effect, scene: &Scene<'_>) -> Option<Hit> {
    let (target, mode, content) = written(effect)?;
    // `dd conv=notrunc` writes over what is there, though it leaves the rest.
    let in_place = || scene.program_around(effect).is_some_and(|run| run.program == "dd");
    if mode != WriteMode::Replace && !(mode == WriteMode::Edit && in_place()) {
        return None;
    }
    // Through other programs noise becomes a key or a password.
    let path = target.path.as_deref().unwrap_or_default();
    let is_copied = || {
        let around = scene.program_around(effect);
        let mut programs = scene.origins(content).into_iter().filter_map(|origin| {
            let EffectKind::Run(run) = &origin.kind else { return None };
            Some(run.program.as_str())
        });
        around.is_some_and(|run| matches!(run.program.as_str(), "cp" | "dd"))
            || !is_for_noise(path) && programs.all(|program| COPIERS.contains(&program))
    };
    let is_noise = |file: &Target| match file.path.as_deref() {
        Some("/dev/null" | "/dev/zero") => true,
        Some("/dev/random" | "/dev/urandom") => is_copied(),
        _ => false,
    };
    if !content.is_empty() && !scene.files_of(content).into_iter().any(is_noise) {
        return None;
    }
    if scene.facts.paths.get(path).is_some_and(|fact| !fact.exists) {
        return None;
    }
    // What a program writes as it runs is emptied every day.
    let is_log = [".log", ".out", ".err", ".tmp", ".pid"].iter().any(|end| path.ends_with(end));
    // An editor begins a new file with nothing in it.
    let is_edit = !matches!(scene.action.kind, ActionKind::Shell { .. } | ActionKind::Code { .. });
    let severity = match place::place_of(target, scene.facts) {
        Place::Home | Place::OtherHome if !is_log && !is_edit => Severity::High,
        Place::Home | Place::OtherHome | Place::Elsewhere | Place::Site => Severity::Medium,
        _ => return None,
    };
    Some(about(severity, target, "this empties"))
}

/// Directories of a home in which people keep what they made themselves, and where programs keep theirs.
const PERSONAL: &[&str] = &[
    "applications",
    "archive",
    "backup",
    "backups",
    "books",
    "box",
    "calendar",
    "contacts",
    "desktop",
    "documents",
    "downloads",
    "dropbox",
    "family",
    "google drive",
    "icloud",
    "journal",
    "library",
    "mail",
    "movies",
    "music",
    "nextcloud",
    "notes",
    "onedrive",
    "papers",
    "photos",
    "pictures",
    "private",
    "public",
    "sync",
    "templates",
    "thesis",
    "vault",
    "videos",
    "writing",
];

/// How files end, or are called, that programs are made of or write by the way; version control has the ones that count.
const OF_PROJECTS: &[&str] = &[
    ".c",
    ".cc",
    ".cjs",
    ".cmake",
    ".cpp",
    ".cs",
    ".css",
    ".dart",
    ".ds_store",
    ".eslintcache",
    ".ex",
    ".exs",
    ".gitignore",
    ".go",
    ".gradle",
    ".h",
    ".hpp",
    ".html",
    ".java",
    ".js",
    ".jsx",
    ".kt",
    ".less",
    ".lock",
    ".log",
    ".lua",
    ".mjs",
    ".o",
    ".out",
    ".php",
    ".pid",
    ".pl",
    ".proto",
    ".py",
    ".pyc",
    ".rb",
    ".rs",
    ".sass",
    ".scala",
    ".scss",
    ".snap",
    ".svelte",
    ".swift",
    ".tmp",
    ".toml",
    ".ts",
    ".tsbuildinfo",
    ".tsx",
    ".vue",
    ".yaml",
    ".yml",
    ".zig",
    "/cmakelists.txt",
    "/dockerfile",
    "/go.sum",
    "/go.mod",
    "/makefile",
    "/package-lock.json",
    "/package.json",
    "/readme.md",
    "/tsconfig.json",
];

/// Whether one file, written out, is deleted that belongs to another project below the home: its sources, or what its
/// programs leave behind.
fn is_of_other_project(effect: &Effect, scene: &Scene<'_>) -> bool {
    let Some((target, false, Place::Home)) = deleted(effect, scene) else { return false };
    let (Some(path), Some(home)) = (target.path.as_deref(), scene.facts.home.as_deref()) else {
        return false;
    };
    let is_written = target.text.as_known().is_some() && !path.contains(['*', '?', '[']);
    let Some(below) = path.strip_prefix(home).and_then(|rest| rest.strip_prefix('/')) else {
        return false;
    };
    // A link may lead anywhere.
    let leads = scene.facts.paths.get(path).is_some_and(|fact| fact.leads_to.is_some());
    let lower = below.to_ascii_lowercase();
    let mut folders = lower.split('/').rev().skip(1).peekable();
    let in_project = folders.peek().is_some()
        && folders
            .all(|folder| !folder.starts_with('.') && PERSONAL.binary_search(&folder).is_err());
    is_written
        && !leads
        && in_project
        && OF_PROJECTS.iter().any(|end| lower.ends_with(end))
        && place::credential_of(target, scene.facts).is_none()
        && place::persistence_of(target, scene.facts).is_none()
        && place::agent_file_of(target, scene.facts).is_none()
}

/// Whether files of one kind are deleted below a directory of a project, a kind that programs make and make again.
fn is_made_again(effect: &Effect, scene: &Scene<'_>) -> bool {
    const MADE: &[&str] = &[
        "*.class",
        "*.log",
        "*.o",
        "*.orig",
        "*.pyc",
        "*.pyo",
        "*.rej",
        "*.swp",
        "*.tmp",
        ".DS_Store",
    ];
    let Some((target, _, Place::Home)) = deleted(effect, scene) else { return false };
    let (Some(path), Some(home)) = (target.path.as_deref(), scene.facts.home.as_deref()) else {
        return false;
    };
    let Some(below) = path.strip_prefix(home).and_then(|rest| rest.strip_prefix('/')) else {
        return false;
    };
    let Some((folders, name)) = below.rsplit_once('/') else { return false };
    MADE.contains(&name)
        && folders.split('/').all(|folder| {
            folder == "**"
                || !folder.contains(['*', '?', '['])
                    && !folder.starts_with('.')
                    && PERSONAL.binary_search(&folder.to_ascii_lowercase().as_str()).is_err()
        })
        && folders.split('/').any(|folder| folder != "**")
}

/// Whether version control has the file as it is, or it is no more than the sign that git works.
fn is_kept_elsewhere(effect: &Effect, scene: &Scene<'_>) -> bool {
    let Some((target, false, Place::Home)) = deleted(effect, scene) else { return false };
    let Some(path) = target.path.as_deref() else { return false };
    let is_there = scene.facts.paths.get(path).is_some_and(|fact| fact.exists);
    is_there && scene.facts.uncommitted.get(path) == Some(&false)
        || path.ends_with("/.git/index.lock")
}

/// Whether the file was put there by the compiler that this call ran before.
fn is_built_here(target: &str, effect: &Effect, scene: &Scene<'_>) -> bool {
    let before = scene.effects.list.iter().take_while(|other| !std::ptr::eq(*other, effect));
    let mut runs = before.filter_map(|other| Some((run(other)?, other)));
    let text = scene.effects.layer_text(effect.at.layer);
    runs.any(|(run, other)| {
        // Where it failed, nothing of it is there.
        let between = text.get(other.at.span.range().end..effect.at.span.range().start);
        let is_joined = other.at.layer == effect.at.layer
            && between.is_some_and(|between| {
                between.contains("&&")
                    && !between.replace("&&", "").contains(['&', '|', ';', '\n', '(', ')'])
                    && !between.contains("cd ")
                    && !between.contains("pushd")
            });
        is_joined
            && run.program == "go"
            && run.arguments.first().is_some_and(|verb| verb.text.as_known() == Some("build"))
            && Options::new(&run.arguments, &["-o"])
                .value(&["-o"])
                .is_some_and(|output| output.text.as_known() == Some(target))
    })
}

/// Whether what is deleted was made by this same call: nothing was there before, or it was replaced and told of as that.
fn is_of_this_call(effect: &Effect, scene: &Scene<'_>) -> bool {
    let Some((target, false, Place::Home)) = deleted(effect, scene) else { return false };
    let Some(path) = target.path.as_deref().filter(|path| !path.contains(['*', '?', '['])) else {
        return false;
    };
    let was_missing = scene.facts.paths.get(path).is_some_and(|fact| !fact.exists);
    // Go's compiler puts its program over nothing that is no program.
    if target
        .text
        .as_known()
        .is_some_and(|name| !name.contains('/') && is_built_here(name, effect, scene))
    {
        return true;
    }
    let mut before = scene.effects.list.iter().take_while(|other| !std::ptr::eq(*other, effect));
    before.any(|other| {
        written(other).is_some_and(|(made, mode, content)| {
            let is_new = match mode {
                WriteMode::Replace => {
                    was_missing || !content.is_empty() && other.certainty == Certainty::Certain
                }
                WriteMode::Create | WriteMode::Append => was_missing,
                WriteMode::Edit | WriteMode::Link => false,
            };
            is_new && made.path.as_deref() == Some(path)
        })
    })
}

/// Endings of files that are there to be written over.
const MADE_AGAIN: &[&str] = &[".bak", ".cache", ".log", ".o", ".out", ".pid", ".pyc", ".tmp"];

/// What is written to all that lies in a home or a system directory, whatever its names are.
fn overwritten(effect: &Effect, scene: &Scene<'_>) -> Option<Hit> {
    let (target, mode, content) = written(effect)?;
    if !matches!(mode, WriteMode::Replace | WriteMode::Edit) {
        return None;
    }
    let is_glob = |text: &Text| text.pieces.iter().any(|piece| matches!(piece, Piece::Glob(_)));
    let last = target.path.as_deref()?.rsplit('/').next()?;
    if !is_glob(&target.text) || !last.contains(['*', '?', '[']) {
        return None;
    }
    // `"$f.ogg"` beside `*.m4a`: what is written is new.
    let ending = last.rsplit(['*', '?', ']']).next().unwrap_or(last);
    if ending.matches('.').count() > 1 {
        return None;
    }
    // A letter in the pattern chooses among the names; all the way down, what it chooses nobody has looked at.
    let is_plain = |text: &str| text.bytes().all(|byte| matches!(byte, b'*' | b'?' | b'/' | b'.'));
    let is_deep = mode == WriteMode::Replace
        && (content.is_empty() || target.path.as_deref().is_some_and(|path| path.contains("/**/")))
        && !MADE_AGAIN.iter().any(|ending| last.ends_with(ending));
    let is_personal = || {
        mode == WriteMode::Replace
            && is_in_personal_folder(target, scene)
            && !MADE_AGAIN.iter().any(|ending| last.ends_with(ending))
    };
    let is_every = is_plain(last) || is_deep || is_personal();
    let place = place::place_of(target, scene.facts);
    let is_emptied = mode == WriteMode::Replace && content.is_empty();
    if is_emptied && place == Place::Workspace && SOURCES.iter().any(|end| last.ends_with(end)) {
        return Some(about(Severity::High, target, "this empties every file of"));
    }
    let holds = matches!(
        place,
        Place::Root | Place::SystemTop | Place::HomeTop | Place::Home | Place::OtherHome
    );
    // `mv backup/* ~/notes/`: the names are those of what comes, and not of what is there.
    let comes = || {
        scene.program_around(effect).is_some_and(|run| {
            matches!(run.program.as_str(), "cp" | "gcp" | "ginstall" | "gmv" | "install" | "mv")
                && !run.arguments.last().is_some_and(|last| is_glob(&last.text))
        })
    };
    if matches!(place, Place::Home | Place::OtherHome) && comes() {
        return None;
    }
    // An edit of what another user serves is ordinary work, if with consequences.
    let path = target.path.as_deref()?;
    let is_edit_elsewhere = mode == WriteMode::Edit
        && path.starts_with("/home/")
        && !scene.facts.home.as_deref().is_some_and(|home| path.starts_with(home));
    (is_every && holds && !is_edit_elsewhere)
        .then(|| about(Severity::High, target, "this overwrites every file of"))
}

/// Endings of what people write and builds read.
const SOURCES: &[&str] = &[
    "*.c", "*.cc", "*.cpp", "*.cs", "*.css", "*.ex", "*.go", "*.h", "*.hpp", "*.hs", "*.html",
    "*.java", "*.js", "*.jsx", "*.kt", "*.md", "*.php", "*.pl", "*.py", "*.rb", "*.rs", "*.scala",
    "*.sh", "*.sql", "*.swift", "*.tf", "*.ts", "*.tsx", "*.vue",
];

/// Whether a path goes through a folder below the home in which people keep what they made themselves.
fn is_in_personal_folder(target: &Target, scene: &Scene<'_>) -> bool {
    let below = || {
        let path = target.path.as_deref()?;
        path.strip_prefix(scene.facts.home.as_deref()?)?.strip_prefix('/')
    };
    let Some((folders, _)) = below().and_then(|below| below.rsplit_once('/')) else { return false };
    folders
        .split('/')
        .any(|folder| PERSONAL.binary_search(&folder.to_ascii_lowercase().as_str()).is_ok())
}

fn delete(
    effect: &Effect,
    scene: &Scene<'_>,
    severity: fn(Place, bool) -> Option<Severity>,
) -> Option<Hit> {
    let (target, recursive, place) = deleted(effect, scene)?;
    let mut severity = severity(place, recursive)?;
    // What a manual writes for a path that the reader fills in.
    if target.path.as_deref().is_some_and(|path| path.starts_with("/path/to/")) {
        severity = severity.min(Severity::Medium);
    }
    Some(about(severity, target, &format!("this deletes {}:", place.words())))
}

/// Programs that hold all of their input before they print any of it.
const HOLDERS: &[&str] =
    &["tail", "sort", "tac", "shuf", "base64", "grep", "wc", "md5sum", "sha256sum"];

/// Whether a program stops reading early.
fn stops_early(run: &Run) -> bool {
    let given = |wanted: &[&str]| {
        let words = run.arguments.iter().map(|argument| argument.text.known_prefix());
        words.into_iter().any(|word| wanted.iter().any(|start| word.starts_with(start)))
    };
    let says = |word: &str| {
        run.arguments.iter().any(|argument| argument.text.known_prefix().contains(word))
    };
    match run.program.as_str() {
        "head" | "read" => true,
        "dd" => given(&["count="]),
        "od" => given(&["-N", "--read-bytes"]),
        "xxd" => given(&["-l", "-len"]),
        "hexdump" => given(&["-n"]),
        "grep" | "rg" => given(&["-m", "--max-count"]),
        "sed" => says("q"),
        "awk" | "gawk" | "mawk" => says("exit"),
        _ => false,
    }
}

/// How many seconds nothing fills a disk in.
const SHORT: f64 = 10.0;

/// Whether something is done by a program that stops early, or that `timeout` ends before long.
fn is_bounded(effect: &Effect, scene: &Scene<'_>) -> bool {
    let is_short =
        |time: &str| time.trim_end_matches('s').parse().is_ok_and(|seconds: f64| seconds <= SHORT);
    let bounds = |run: &Run| match run.program.as_str() {
        "timeout" => {
            let mut operands = pattern::options(run).operands();
            operands.next().is_some_and(|time| is_short(time.text.known_prefix()))
        }
        _ => stops_early(run),
    };
    let around = scene.effects.list.iter().filter(|other| run(other).is_some_and(bounds));
    around.into_iter().any(|around| scene.effects.is_within(effect.at, around.at))
}

fn endless(effect: &Effect, scene: &Scene<'_>) -> Option<Hit> {
    let is_endless =
        |path: &str| matches!(path, "/dev/zero" | "/dev/urandom" | "/dev/random" | "/dev/full");
    match &effect.kind {
        EffectKind::Write { target, content, .. } => {
            let place = place::place_of(target, scene.facts);
            if matches!(place, Place::Harmless | Place::RawDevice | Place::Device) {
                return None;
            }
            let sources = || {
                let ids = content.sources.iter().filter_map(|id| usize::try_from(id.0).ok());
                ids.filter_map(|at| scene.effects.list.get(at))
            };
            sources().find(|source| match &source.kind {
                EffectKind::Read(target) => target.path.as_deref().is_some_and(is_endless),
                EffectKind::Run(run) => run.program == "yes",
                _ => false,
            })?;
            // The whole script is looked at only for what would be told, so that a long one is not read once for each line.
            let ends = sources().chain([effect]).any(|source| is_bounded(source, scene));
            (!ends).then(|| about(Severity::High, target, "this fills the disk through"))
        }
        EffectKind::Run(_) => {
            let run = run(effect)?;
            let holds = HOLDERS.contains(&run.program.as_str());
            let last = run.arguments.last()?.text.as_known()?;
            (holds && matches!(last, "/dev/zero" | "/dev/full") && !is_bounded(effect, scene))
                .then(|| at(Severity::High))
        }
        _ => None,
    }
}

impl Scene<'_> {
    /// Whether a file that was there before deletes a place of its own: below a name that it writes out, or in a variable that it gives
    /// a value itself. What is left is a variable that nobody sets, which is nothing when the file runs.
    fn is_of_script(&self, effect: &Effect) -> bool {
        let EffectKind::Delete { target, .. } = &effect.kind else { return false };
        let Some((_, at)) = self.effects.in_file(effect.at) else { return false };
        let [Piece::Unknown(origin), rest @ ..] = target.text.pieces.as_slice() else {
            return false;
        };
        let is_named = match rest.first() {
            Some(Piece::Known(known)) => {
                let name = known.trim_start_matches('/');
                name.starts_with(|letter: char| letter.is_alphanumeric() || letter == '_')
            }
            _ => false,
        };
        // In other languages than the shell's, what a call computes is a place of the program's own: nothing in it comes out as nothing.
        let is_shell = self
            .effects
            .files
            .iter()
            .find(|file| file.layer == Some(at.layer))
            .is_none_or(|file| {
                matches!(
                    file.language,
                    "shell" | "makefile" | "package.json" | "justfile" | "taskfile" | "procfile"
                )
            });
        let is_computed = !is_shell && origin.contains('(') && !origin.contains("env");
        if is_computed && (rest.is_empty() || is_named) {
            return true;
        }
        let text = self.effects.layer_text(at.layer);
        let sets = |found: (usize, &str)| {
            let before = text.get(..found.0).unwrap_or_default();
            !before.ends_with(|letter: char| letter.is_alphanumeric() || letter == '_')
                && text
                    .get(found.0 + found.1.len()..)
                    .is_some_and(|rest| !rest.starts_with(['=', '\n', ' ']))
        };
        is_named || text.match_indices(&format!("{origin}=")).any(sets)
    }
}

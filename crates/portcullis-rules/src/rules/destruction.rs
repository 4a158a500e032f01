//! Rules on losing files and disks. How bad a deletion is depends on where it happens. Owns nothing about data in version
//! control, clouds or databases.

use super::{
    Hit, Rule, Scene, Shelf, When, computed,
    effects::{about, deleted, written},
};
use crate::{
    effect::{Effect, EffectKind, Kinds, WriteMode},
    finding::Confidence,
    place::{self, Place},
    risk::Severity,
};

mod emptied;
mod endless;
mod listed;
mod overwritten;
mod sources;
mod spared;

use emptied::emptied;
use endless::endless;
use listed::each_listed;
use overwritten::overwritten;
use sources::whole_sources;
use spared::{
    is_beside, is_kept_elsewhere, is_made_again, is_of_bare_repository, is_of_other_project,
    is_of_this_call,
};

pub(super) static SHELF: Shelf = Shelf {
    programs: &[
        "btrfs",
        "ceph",
        "debugfs",
        "dmsetup",
        "kvm",
        "lvm",
        "lvreduce",
        "lvremove",
        "lvresize",
        "mdadm",
        "pvremove",
        "qemu-kvm",
        "qemu-system-aarch64",
        "qemu-system-i386",
        "qemu-system-x86_64",
        "rbd",
        "systemd-tmpfiles",
        "tmutil",
        "vgreduce",
        "vgremove",
        "vssadmin",
        "wbadmin",
        "wmic",
        "zfs",
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
            "ssh -o $'ProxyCommand\trm -rf ~' h",
            "ssh -o '\"ProxyCommand\" rm -rf ~' h",
            "printf 'ProxyCommand\trm -rf ~\n' > c; ssh -F c h",
            "expect -c 'spawn bash; send \"rm -rf ~\\r\"; expect eof'",
            "expect -c 'proc do {c} { send \"$c\\r\" }; spawn bash; foreach c {id \"rm -rf ~\"} { do $c }'",
            "tclsh <<< 'puts \"[exec rm -rf ~]\"'",
            "tclsh <<< 'set x rm; eval exec $x -rf ~'",
        ],
        quiet: &[
            "rm -rf ~/.cache/pip",
            "ls ~",
            "expect -c 'spawn bash; expect \"assword\"; send \"x\\r\"; send \"ls ~\\r\"'",
        ],
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
        id: "fs.delete.sources",
        message: "the project's sources would be deleted",
        remedy: "see that all of it is committed (`git status --short src`), and delete what you mean",
        when: When::Effect(Kinds::DELETE, |effect, scene| {
            whole_sources(effect, scene).or_else(|| each_listed(effect, scene))
        }),
        fires: &[
            "rm -rf src tests",
            "rm -rf ./src/*",
            "rm -r migrations",
            "find . -name '*.ts' -delete",
            "rm -f **/*.py",
            "find src -mindepth 1 -exec rm -rf {} +",
            "rm -rf src && mkdir src",
            "mkdir -p src && rm -rf src",
            "git ls-files -z | xargs -0 rm -f",
            "for f in $(git ls-files); do rm \"$f\"; done",
            "find src -type f -print0 | xargs -0 rm -f",
            "git ls-tree -r --name-only HEAD | xargs rm",
            "rg --files src | xargs rm",
            "find src -type f -exec rm {} +",
            "find src -type f -exec sh -c 'rm \"$1\"' _ {} \\;",
            "fd -t f . src -x rm",
            "python3 -c 'import shutil; shutil.rmtree(\"src\")'",
            "python3 -c 'import os; [os.remove(os.path.join(r, f)) for r, d, fs in os.walk(\".\") for f in fs]'",
            "ruby -rfind -e 'Find.find(\".\") { |p| File.delete(p) if File.file?(p) }'",
            "python3 -c 'import os, shutil; [shutil.rmtree(os.path.join(os.getcwd(), n)) for n in os.listdir(os.getcwd())]'",
        ],
        quiet: &[
            "rm -rf src/old",
            "rm -rf src/generated/*",
            "rm -rf build",
            "rm -r src && git checkout src",
            "rm -rf src && cp -r ../new src",
            "find . -name '*.pyc' -delete",
            "find . -path '*/migrations/*' -name '*.py' -not -name '__init__.py' -delete",
            "find . -name '*.js' -delete",
            "rm src/a.py src/b.py",
            "git ls-files | grep '[.]orig$' | xargs rm",
            "find src -type f -empty | xargs rm",
            "find src -name '*.orig' | xargs rm",
            "find src -mtime +30 -exec rm {} +",
            "find src -type f -exec sh -c 'test -s \"$1\" || rm \"$1\"' _ {} \\;",
            "rg --files build | xargs rm",
            "git ls-tree -r --name-only HEAD docs/old | xargs rm",
            "for f in $(git ls-files); do [[ $f == *.orig ]] && rm \"$f\"; done",
            "python3 -c 'import os; [os.remove(os.path.join(r, f)) for r, d, fs in os.walk(\".\") for f in fs if f.endswith(\".pyc\")]'",
            "ruby -e 'Dir.children(\".\").each { |p| File.delete(p) if p.end_with?(\".tmp\") }'",
            "rm src/*.orig",
        ],
        ..Rule::LOSS
    },
    Rule {
        id: "fs.delete.history",
        message: "version control's own files would be deleted, and commits that are nowhere else with them",
        remedy: "push every branch first, and let a person delete the repository",
        when: When::Effect(Kinds::DELETE, |effect, scene| {
            if is_of_bare_repository(effect, scene) {
                let (target, ..) = deleted(effect, scene)?;
                return Some(about(
                    Severity::High,
                    target,
                    "this deletes what a bare repository holds:",
                ));
            }
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
                && (matches!(inside, "HEAD" | "packed-refs")
                    || ["objects/", "refs/"].iter().any(|start| inside.starts_with(start)))
            {
                // Commits, and where branches are: without them every commit is lost to sight.
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
            "unlink .git/objects/aa/bb",
            "rm -rf mirror.git/objects",
        ],
        quiet: &["rm .gitignore", "rm -rf git", "rm -rf mirror.git/README"],
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
            "ZIPOPT=-m zip -qr d.zip ~/Documents",
        ],
        quiet: &["rm -rf ~/.cache/pip", "rm notes.txt", "zip -qr d.zip ~/Documents"],
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
            let is_grave = each || is_backup(effect) || is_each_found(effect, scene);
            Some(Hit {
                severity: if is_grave { Some(Severity::High) } else { hit.severity },
                ..hit
            })
        }),
        fires: &[
            "rm -rf /some/path",
            "rm -rf ../other",
            "rm -rf /opt/tool",
            "rm /data/x.csv",
            "tar --delete -f /mnt/backup/home.tar home/dev",
            "find /mnt/shared/results -mtime +14 -delete",
        ],
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
            if let EffectKind::Delete { target, .. } = &effect.kind
                && computed::is_made_up(target, effect, scene)
                && computed::is_by(&["rm", "shred", "unlink"], effect, scene)
            {
                return Some(Hit { severity: Some(Severity::High), ..hit });
            }
            if scene.is_of_script(effect) {
                return Some(Hit { severity: Some(Severity::Medium), ..hit });
            }
            Some(hit)
        }),
        fires: &[
            "rm -rf \"$X\"",
            "rm -rf \"$X\"/*",
            "rm \"$file\"",
            "rm -f \"$(date +../.claude/settings.json)\"",
        ],
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
            "find deploy -name '*.yaml' -exec truncate -s 0 {} +",
            "find src -type f -exec truncate -s 0 {} +",
            "python3 -c \"import pathlib; [open(p, 'r+b').write(b'x') for p in pathlib.Path('/home').rglob('*.docx')]\"",
            "python3 -c \"import pathlib; [p.write_bytes(b'x') for p in pathlib.Path('/data/shared').rglob('*')]\"",
            "python3 -c \"import os; [open(os.path.join(r, f), 'w').close() for r, d, fs in os.walk('.') for f in fs]\"",
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
            "python3 -c \"import pathlib; [open(p, 'r+b').write(b'x') for p in pathlib.Path('docs').rglob('*.md')]\"",
            "sed -i s/a/b/ /home/alice/notes/*.md",
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
                // What only bears the name of a build's output, beside the project or in the home, may be anything.
                Place::Artifact if recursive && is_beside(target, scene) => Severity::High,
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
            "rm -rf ../build",
            "cd ~ && rm -rf dist",
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
        id: "disk.guest.device",
        severity: Severity::Critical,
        message: "a guest gets a whole disk of this machine to write on",
        remedy: "give it an image, or the disk with `readonly=on` or `snapshot=on`",
        when: When::Command(&[
            "kvm|qemu-kvm|qemu-system-aarch64|qemu-system-i386|qemu-system-x86_64 -drive=*file=/dev/sd*|-drive=*file=/dev/nvme*|-drive=*file=/dev/disk/*|-drive=*file=/dev/mmcblk*|-drive=*file=/dev/hd* !-drive=*readonly=on* !-drive=*snapshot=on* !-snapshot",
            "kvm|qemu-kvm|qemu-system-aarch64|qemu-system-i386|qemu-system-x86_64 -hda=/dev/*|-hdb=/dev/*|-hdc=/dev/*|-hdd=/dev/* !-snapshot",
            "kvm|qemu-kvm|qemu-system-aarch64|qemu-system-i386|qemu-system-x86_64 -blockdev=*filename=/dev/* !-blockdev=*read-only=on*",
            "kvm|qemu-kvm|qemu-system-aarch64|qemu-system-i386|qemu-system-x86_64 /dev/sd*|/dev/nvme*|/dev/mmcblk* !-snapshot",
        ]),
        fires: &[
            "qemu-system-x86_64 -m 2048 -drive file=/dev/nvme0n1,format=raw -cdrom live.iso",
            "kvm -hda /dev/sda",
        ],
        quiet: &[
            "qemu-system-x86_64 -drive file=disk.qcow2,format=qcow2",
            "qemu-system-x86_64 -drive file=/dev/sdb,format=raw,readonly=on",
            "kvm -hda disk.img",
        ],
        ..Rule::LOSS
    },
    Rule {
        id: "fs.delete.declared",
        severity: Severity::Critical,
        message: "everything that the machine's settings create would be deleted, and homes may be among it",
        remedy: "name the one file of settings that you mean",
        when: When::Command(&["systemd-tmpfiles --purge !--purge=*.conf !*.conf"]),
        fires: &["systemd-tmpfiles --purge"],
        quiet: &[
            "systemd-tmpfiles --purge app.conf",
            "systemd-tmpfiles --create",
            "systemd-tmpfiles --clean",
        ],
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
            "zfs destroy !-n !--dryrun",
            "zfs rollback -r|-R",
            "ceph osd pool rm|delete",
            "ceph osd purge|destroy|lost",
            "ceph fs rm",
            "rbd rm|remove",
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
            "ceph osd pool rm vms vms --yes-i-really-really-mean-it",
            "zfs destroy -r tank/home",
            "vssadmin delete shadows /all /quiet",
            "btrfs subvolume delete /data/x",
        ],
        quiet: &[
            "zfs list",
            "zfs destroy -nv tank/home@old",
            "lvs",
            "zpool status",
            "btrfs subvolume list /",
        ],
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

/// Whether what is deleted is a backup by its place: `/mnt/backups/db.dump`.
fn is_backup(effect: &Effect) -> bool {
    let EffectKind::Delete { target, .. } = &effect.kind else { return false };
    let shown = target.text.display().to_ascii_lowercase();
    shown.split('/').any(|part| part.starts_with("backup") || part.ends_with("backups"))
}

/// `find /mnt/shared … -delete`: whatever is found in a tree of others.
fn is_each_found(effect: &Effect, scene: &Scene<'_>) -> bool {
    let finds = scene
        .program_around(effect)
        .is_some_and(|run| matches!(run.program.as_str(), "fd" | "fdfind" | "find" | "lfs"));
    let EffectKind::Delete { target, .. } = &effect.kind else { return false };
    finds && target.path.as_deref().is_none_or(|path| path.contains('*'))
}

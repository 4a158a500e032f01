//! Programs that administer the machine: permissions, disks, processes, services, users. Owns which files and devices
//! they change; where only the shape of the command matters a row says no more than that the program operates.

pub use super::secret_names::is_secret_name;
use super::{
    Does, Program,
    operands::{after, known, operands, synthetic},
};
use crate::{
    effect::{Argument, EffectKind, PermissionChange, WriteMode},
    programs::host::Host,
    programs::invocation::Invocation,
    text::{Piece, Taint, Text},
};

const fn custom(
    name: &'static str,
    values: &'static [&'static str],
    act: fn(&mut dyn Host, &Invocation) -> Text,
) -> Program {
    Program { name, values, does: Does::Custom(act) }
}

const fn operator(name: &'static str, values: &'static [&'static str]) -> Program {
    Program { name, values, does: Does::Operates }
}

/// Sorted by name.
pub(super) static TABLE: &[Program] = &[
    custom("Set-Acl", &[], access_list),
    operator("aa-complain", &[]),
    operator("aa-disable", &[]),
    operator("aa-teardown", &[]),
    operator("addgroup", &["--gid", "-g"]),
    operator(
        "adduser",
        &[
            "-u",
            "-g",
            "-G",
            "-h",
            "-s",
            "--uid",
            "--gid",
            "--home",
            "--shell",
            "--ingroup",
            "--gecos",
            "--conf",
        ],
    ),
    operator(
        "auditctl",
        &["-a", "-A", "-d", "-e", "-f", "-k", "-p", "-r", "-R", "-s", "-w", "-W", "-F", "-S"],
    ),
    custom("badblocks", &["-b", "-c", "-o", "-i", "-p", "-t"], device_when_writing),
    operator("bcdedit", &[]),
    custom("blkdiscard", &["-o", "-l", "-p", "--offset", "--length"], device),
    operator("btrfs", &[]),
    custom("cfdisk", &[], device),
    operator("chage", &["-d", "-E", "-I", "-m", "-M", "-W"]),
    custom("chattr", &["-p", "-v"], attribute),
    custom(
        "chcon",
        &["-t", "-u", "-r", "-l", "--type", "--user", "--role", "--reference"],
        access_list_label,
    ),
    operator("chfn", &[]),
    custom("chgrp", &["--reference", "--from"], owner),
    custom("chmod", &["--reference"], mode),
    custom("chown", &["--reference", "--from"], owner),
    operator("chpasswd", &["-c", "-R", "-s"]),
    operator("chsh", &["-s", "--shell"]),
    custom("crontab", &["-u"], crontab),
    custom(
        "cryptsetup",
        &["-c", "-h", "-s", "-d", "--key-file", "--type", "--cipher", "--hash", "--key-size"],
        encryption,
    ),
    custom("date", &["-d", "-f", "-r", "-s", "--date", "--file", "--reference", "--set"], date),
    operator("debugfs", &["-f", "-R", "-b", "-s"]),
    operator("delgroup", &[]),
    operator("deluser", &[]),
    operator("depmod", &[]),
    custom("diskutil", &[], disk_utility),
    custom("dmesg", &["-F", "--file", "-l", "-n", "-f", "-s"], reads_log),
    operator("dmsetup", &[]),
    custom("dump", &["-f"], device_when_writing),
    operator("ethtool", &[]),
    custom("fdisk", &["-b", "-C", "-H", "-S", "-o", "-t"], partition),
    custom("file", &["-F", "-P", "-e", "-f", "-m", "--files-from"], reads_list),
    operator("firewall-cmd", &["--zone"]),
    custom("format", &[], device),
    operator("fsck", &["-t"]),
    custom("fuser", &["-n", "--namespace"], users),
    custom("gdisk", &[], partition),
    operator("gpasswd", &["-a", "-d", "-A", "-M"]),
    operator("groupadd", &["-g", "-K", "-p"]),
    operator("groupdel", &[]),
    operator("groupmod", &["-g", "-n", "-p"]),
    operator("grub-install", &[]),
    operator("halt", &[]),
    custom("hdparm", &[], device_when_erasing),
    operator("hostname", &["-F"]),
    operator("hostnamectl", &[]),
    operator("hwclock", &["--date", "-f", "--rtc"]),
    custom("icacls", &[], access_list_windows),
    operator("ifconfig", &[]),
    operator("init", &[]),
    custom("insmod", &[], module),
    operator("ip6tables", IPTABLES),
    operator("ip6tables-restore", &[]),
    operator("iptables", IPTABLES),
    operator("iptables-legacy", IPTABLES),
    operator("iptables-nft", IPTABLES),
    operator("iptables-restore", &[]),
    operator("iw", &[]),
    operator("kexec", &[]),
    operator("kextload", &[]),
    custom("kill", &[], kill),
    custom("killall", &["-s", "--signal", "-u", "--user", "-o", "-y", "-n"], kill_by_name),
    custom("killall5", &["-o"], kill_everything),
    operator("launchctl", &[]),
    operator("ldconfig", &[]),
    operator("losetup", &["-o", "-b", "--offset", "--sizelimit"]),
    operator("lvcreate", &["-L", "-l", "-n"]),
    operator("lvextend", &["-L", "-l"]),
    operator("lvm", &[]),
    operator("lvreduce", &["-L", "-l"]),
    operator("lvremove", &[]),
    operator("lvresize", &["-L", "-l"]),
    custom("mdadm", &["-l", "-n", "-c", "--level", "--raid-devices", "--metadata"], raid),
    custom("mkdosfs", MKFS, device),
    custom("mke2fs", MKFS, device),
    custom("mkfs", MKFS, device),
    custom("mkfs.bfs", MKFS, device),
    custom("mkfs.btrfs", MKFS, device),
    custom("mkfs.cramfs", MKFS, device),
    custom("mkfs.exfat", MKFS, device),
    custom("mkfs.ext2", MKFS, device),
    custom("mkfs.ext3", MKFS, device),
    custom("mkfs.ext4", MKFS, device),
    custom("mkfs.f2fs", MKFS, device),
    custom("mkfs.fat", MKFS, device),
    custom("mkfs.jfs", MKFS, device),
    custom("mkfs.minix", MKFS, device),
    custom("mkfs.msdos", MKFS, device),
    custom("mkfs.ntfs", MKFS, device),
    custom("mkfs.reiserfs", MKFS, device),
    custom("mkfs.vfat", MKFS, device),
    custom("mkfs.xfs", MKFS, device),
    custom("mkntfs", MKFS, device),
    custom("mkswap", MKFS, device),
    operator("modprobe", &["-C", "-d", "-S", "--config"]),
    operator("mount", &["-t", "-o", "-L", "-U", "--types", "--options"]),
    operator("netplan", &[]),
    operator("netsh", &[]),
    operator("newusers", &[]),
    operator("nft", &["-f", "-I", "-D"]),
    operator("nmcli", &[]),
    custom("nvme", &["-s", "-n", "--ses", "--namespace-id"], solid_state),
    custom("parted", &["-a"], partition_editor),
    custom("partx", &["-n"], partition),
    operator("passwd", &["-i", "-n", "-r", "-w", "-x", "-R"]),
    operator("pfctl", &["-f", "-t", "-T", "-a", "-s", "-F"]),
    custom(
        "pkill",
        &["-s", "--signal", "-u", "--euid", "-U", "--uid", "-g", "-G", "-P", "-t", "--ns", "-F"],
        kill_by_name,
    ),
    operator("poweroff", &[]),
    custom("printenv", &[], environment),
    custom("pvcreate", &[], device),
    operator("pvremove", &[]),
    operator("quotaoff", &[]),
    operator("reboot", &[]),
    operator("reg", &["/v", "/t", "/d"]),
    operator("renice", &["-n", "-p", "-g", "-u"]),
    operator("restorecon", &[]),
    operator("rfkill", &[]),
    operator("rmmod", &[]),
    operator("rndc", &[]),
    operator("route", &[]),
    operator("schtasks", &["/tn", "/tr", "/sc"]),
    operator("service", &[]),
    custom("setcap", &["-n"], capability),
    operator("setenforce", &[]),
    custom(
        "setfacl",
        &[
            "-m",
            "-x",
            "-M",
            "-X",
            "--modify",
            "--remove",
            "--set",
            "--set-file",
            "--restore",
            "--modify-file",
        ],
        access_list,
    ),
    custom("setfattr", &["-n", "-v", "-x"], access_list),
    operator("setsebool", &[]),
    custom("sfdisk", &["-N", "-o"], partition),
    custom("sgdisk", &["-n", "-d", "-t", "-c", "-u", "-b", "-l"], partition),
    operator("shutdown", &["-t"]),
    operator("skill", &[]),
    operator("swapoff", &[]),
    operator("swapon", &[]),
    custom("sysctl", &[], kernel_parameter),
    operator(
        "systemctl",
        &[
            "-H",
            "-M",
            "-n",
            "-o",
            "-p",
            "-s",
            "-t",
            "--host",
            "--machine",
            "--property",
            "--signal",
            "--state",
            "--type",
            "--what",
            "--root",
            "--kill-who",
        ],
    ),
    operator("takeown", &[]),
    custom("taskkill", &["/IM", "/PID"], kill_by_name),
    operator("tc", &[]),
    operator("telinit", &[]),
    operator("timedatectl", &[]),
    operator("tune2fs", &["-c", "-i", "-m", "-o", "-O", "-L", "-U", "-e"]),
    operator("ufw", &[]),
    operator("umount", &["-t", "-O"]),
    operator("update-alternatives", &[]),
    operator("update-ca-certificates", &[]),
    operator("update-rc.d", &[]),
    operator("useradd", USER),
    operator("userdel", &["-R"]),
    operator("usermod", USER),
    operator("vgreduce", &[]),
    operator("vgremove", &[]),
    operator("vigr", &[]),
    operator("vipw", &[]),
    operator("visudo", &["-f", "-x"]),
    operator("vssadmin", &[]),
    operator("wevtutil", &[]),
    custom(
        "wipefs",
        &["-b", "-o", "-O", "-t", "--backup", "--offset", "--output", "--types"],
        device_when_wiping,
    ),
    operator("zfs", &["-o", "-r"]),
    operator("zpool", &["-o", "-O"]),
];

const IPTABLES: &[&str] = &[
    "-t",
    "-s",
    "-d",
    "-p",
    "-i",
    "-o",
    "-m",
    "-j",
    "--dport",
    "--sport",
    "--table",
    "--jump",
    "--source",
    "--destination",
    "--protocol",
    "--match",
];
const MKFS: &[&str] = &[
    "-t", "-L", "-U", "-b", "-c", "-d", "-i", "-I", "-l", "-m", "-n", "-N", "-o", "-O", "-s", "-E",
    "-T", "--type", "--label",
];
const USER: &[&str] = &[
    "-b",
    "-c",
    "-d",
    "-e",
    "-f",
    "-g",
    "-G",
    "-k",
    "-K",
    "-l",
    "-p",
    "-s",
    "-u",
    "-R",
    "-Z",
    "--comment",
    "--gid",
    "--groups",
    "--home",
    "--home-dir",
    "--login",
    "--password",
    "--shell",
    "--uid",
    "--base-dir",
    "--expiredate",
];

/// `chmod`: the mode is the first word that is one, also where it begins with a dash (`-x`, `-rwx`).
fn mode(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let recursive = invocation.options().has(&["-R", "--recursive"]);
    if let Some(model) = invocation.options().value(&["--reference"]) {
        let change = PermissionChange::Mode(Text::unknown(&model.text.display()));
        permit(walk, &operands(invocation), recursive, &change);
        return Text::default();
    }
    let is_mode = |argument: &Argument| {
        let word = argument.text.known_prefix();
        !word.starts_with('-')
            || word.strip_prefix('-').is_some_and(|letters| {
                !letters.is_empty() && letters.bytes().all(|letter| b"rwxXst".contains(&letter))
            })
    };
    let mut rest = invocation.arguments.iter();
    let Some(mode) = rest.by_ref().find(|argument| is_mode(argument)) else {
        return Text::default();
    };
    let files: Vec<Argument> =
        rest.filter(|argument| !argument.text.known_prefix().starts_with('-')).cloned().collect();
    permit(walk, &files, recursive, &PermissionChange::Mode(mode.text.clone()));
    Text::default()
}

fn permit(walk: &mut dyn Host, files: &[Argument], recursive: bool, change: &PermissionChange) {
    for file in files {
        walk.permission(file, recursive, change.clone());
    }
}

fn owner(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let options = invocation.options();
    let recursive = options.has(&["-R", "--recursive"]);
    let mut files = operands(invocation);
    let owner = match options.value(&["--reference"]) {
        Some(model) => Text::unknown(&model.text.display()),
        None if files.is_empty() => return Text::default(),
        None => files.remove(0).text,
    };
    permit(walk, &files, recursive, &PermissionChange::Owner(owner));
    Text::default()
}

/// `setfacl -m u:x:rwx file`: the specification is an option's value.
fn access_list(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let options = invocation.options();
    let change = options
        .value(&["-m", "-M", "-x", "--modify", "--set", "--remove", "-n"])
        .map_or_else(|| Text::known("the whole list"), |value| value.text);
    let recursive = options.has(&["-R", "--recursive"]);
    permit(walk, &operands(invocation), recursive, &PermissionChange::Attribute(change));
    Text::default()
}

fn access_list_label(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let mut files = operands(invocation);
    if !files.is_empty() && !invocation.options().has(&["-t", "--type", "--reference"]) {
        files.remove(0);
    }
    permit(
        walk,
        &files,
        invocation.options().has(&["-R"]),
        &PermissionChange::Attribute(Text::known("label")),
    );
    Text::default()
}

/// `icacls FILE /grant Everyone:F /T`.
fn access_list_windows(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let words: Vec<String> = invocation
        .arguments
        .iter()
        .map(|argument| argument.text.display().to_ascii_lowercase())
        .collect();
    if let Some(file) = invocation.arguments.first()
        && words
            .iter()
            .any(|word| word.starts_with("/grant") || word == "/reset" || word == "/setowner")
    {
        let recursive = words.iter().any(|word| word == "/t");
        walk.permission(file, recursive, PermissionChange::Attribute(Text::known(words.join(" "))));
    }
    Text::default()
}

/// `chattr +i file`, `chattr -i file`.
fn attribute(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let mut change = Text::unknown("attributes");
    let mut files = Vec::new();
    let mut recursive = false;
    for argument in &invocation.arguments {
        let word = argument.text.known_prefix();
        match word {
            "-R" => recursive = true,
            "-f" | "-V" => {}
            _ if word.starts_with(['+', '-', '=']) => change = argument.text.clone(),
            _ => files.push(argument.clone()),
        }
    }
    permit(walk, &files, recursive, &PermissionChange::Attribute(change));
    Text::default()
}

fn capability(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let words = operands(invocation);
    if invocation.options().has(&["-r"]) {
        permit(walk, &words, false, &PermissionChange::Attribute(Text::known("none")));
        return Text::default();
    }
    for pair in words.chunks_exact(2) {
        if let [capabilities, file] = pair {
            walk.permission(file, false, PermissionChange::Attribute(capabilities.text.clone()));
        }
    }
    Text::default()
}

/// Everything on the device is gone.
fn device(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    if invocation.options().has(&["--help", "--version"]) {
        return Text::default();
    }
    let files: Vec<Argument> = operands(invocation)
        .into_iter()
        .filter(|file| {
            known(file).is_empty() || !known(file).bytes().all(|byte| byte.is_ascii_digit())
        })
        .filter(|file| !(invocation.program == "format" && known(file).starts_with('/')))
        .collect();
    erase(walk, &files);
    Text::default()
}

fn erase(walk: &mut dyn Host, files: &[Argument]) {
    for file in files {
        // Among temporary files there is no device, whatever the rest of the name.
        let temporary = file.text.known_prefix().starts_with("/tmp/");
        if file.text.has_unknown() && !temporary
            || file.text.pieces.iter().any(|piece| matches!(piece, Piece::Glob(_)))
        {
            walk.note("system.disk.format", file.span);
        }
        walk.write(file, WriteMode::Replace, Text::unknown("an empty file system"));
    }
}

fn device_when_writing(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    if invocation.options().has(&["-w", "-n"]) && invocation.program == "badblocks" {
        return device(walk, invocation);
    }
    invocation.origin()
}

fn device_when_wiping(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let options = invocation.options();
    if options.has(&["-a", "--all", "-o", "--offset", "-t", "--types"])
        && !options.has(&["-n", "--no-act"])
    {
        return device(walk, invocation);
    }
    invocation.origin()
}

fn device_when_erasing(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let erases = invocation.arguments.iter().map(known).any(|word| {
        [
            "--security-erase",
            "--trim-sector",
            "--write-sector",
            "--make-bad-sector",
            "--sanitize",
            "--fwdownload",
            "--dco-restore",
        ]
        .iter()
        .any(|option| word.starts_with(option))
    });
    if erases {
        let files: Vec<Argument> = operands(invocation)
            .into_iter()
            .filter(|file| known(file).starts_with("/dev/"))
            .collect();
        erase(walk, &files);
    }
    invocation.origin()
}

/// `fdisk`, `sgdisk` and their like only look when asked to.
fn partition(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let looks = [
        "-l",
        "--list",
        "-p",
        "--print",
        "-d",
        "--dump",
        "-s",
        "-v",
        "--verify",
        "-i",
        "--info",
        "-V",
        "--help",
        "--version",
    ];
    let options = invocation.options();
    let changes = options.has(&["--zap", "--zap-all", "-z", "-Z", "--clear", "--delete"])
        // There it deletes, loads what was saved, and makes a new table.
        || invocation.program == "sgdisk" && options.has(&["-d", "-l", "-o"]);
    let first = invocation.arguments.first().map_or("", known);
    // What `sgdisk` is told before it is told to pretend, it does.
    let pretends = match invocation.program.as_str() {
        "sfdisk" => invocation
            .arguments
            .iter()
            .any(|word| matches!(word.text.as_known(), Some("-n" | "--no-act"))),
        "sgdisk" => matches!(first, "-P" | "--pretend"),
        _ => false,
    };
    if pretends {
        return invocation.origin();
    }
    let lists = looks.contains(&first) || options.has(&["-l", "--list"]);
    if lists && !changes {
        return invocation.origin();
    }
    let files: Vec<Argument> = operands(invocation)
        .into_iter()
        .filter(|file| !known(file).starts_with(|byte: char| byte.is_ascii_digit()))
        .collect();
    erase(walk, &files);
    Text::default()
}

fn partition_editor(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let words = operands(invocation);
    let changes = words.iter().skip(1).map(known).any(|word| {
        matches!(
            word,
            "mklabel"
                | "mktable"
                | "mkpart"
                | "mkpartfs"
                | "rm"
                | "resizepart"
                | "set"
                | "toggle"
                | "name"
                | "rescue"
                | "move"
                | "resize"
        )
    });
    let first = words
        .first()
        .filter(|_| changes || words.len() == 1 && !invocation.options().has(&["-l", "--list"]));
    if let Some(disk) = first {
        erase(walk, std::slice::from_ref(disk));
    }
    invocation.origin()
}

fn encryption(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let words = operands(invocation);
    let action = words.first().map_or("", known);
    if matches!(
        action,
        "luksFormat"
            | "luksErase"
            | "erase"
            | "reencrypt"
            | "luksKillSlot"
            | "luksRemoveKey"
            | "luksHeaderRestore"
    ) {
        erase(walk, words.get(1..2).unwrap_or_default());
    }
    invocation.origin()
}

fn raid(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    if invocation.options().has(&["--zero-superblock", "--create", "-C", "--build"]) {
        erase(walk, &operands(invocation));
    }
    invocation.origin()
}

fn solid_state(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let words = operands(invocation);
    let action = words.first().map_or("", known);
    if matches!(
        action,
        "format" | "sanitize" | "write-zeroes" | "write-uncor" | "delete-ns" | "dsm" | "write"
    ) {
        erase(walk, words.get(1..2).unwrap_or_default());
    }
    invocation.origin()
}

/// macOS: `diskutil eraseDisk JHFS+ Name /dev/disk2`.
fn disk_utility(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let words = operands(invocation);
    let action = words.first().map_or("", known).to_ascii_lowercase();
    let erases = ["erase", "zerodisk", "randomdisk", "secureerase", "partitiondisk", "reformat"];
    if erases.iter().any(|name| action.starts_with(name))
        || action == "apfs" && words.get(1).is_some_and(|word| known(word).starts_with("delete"))
    {
        let disk = words.last().map(|word| {
            synthetic(&format!("/dev/{}", known(word).trim_start_matches("/dev/")), word.span)
        });
        erase(walk, disk.as_slice());
    }
    invocation.origin()
}

/// `kill -9 -1`: the first word may be a signal, `-1` after it is everything.
fn kill(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let mut arguments = invocation.arguments.as_slice();
    if let Some((first, rest)) = arguments.split_first() {
        match known(first) {
            "-l" | "-L" | "--list" | "--table" => return invocation.origin(),
            "-s" | "-n" | "--signal" => arguments = rest.get(1..).unwrap_or_default(),
            word if word.starts_with('-') && word != "--" => arguments = rest,
            _ => {}
        }
    }
    for target in arguments.iter().filter(|argument| known(argument) != "--") {
        let kind = EffectKind::Kill {
            target: target.text.clone(),
            everything: crate::place::visible(known(target)) == "-1"
                || target.text.as_pattern().is_some_and(|numbers| is_any_number(&numbers)),
        };
        walk.emit(kind, target.span);
    }
    Text::default()
}

/// Whether a pattern stands for the number of any process: `[0-9]*`, `*`.
fn is_any_number(pattern: &str) -> bool {
    let name = pattern.rsplit('/').next().unwrap_or(pattern);
    matches!(name, "*" | "[0-9]*" | "[1-9]*" | "+([0-9])" | "[0-9]" | "[[:digit:]]*")
}

/// `fuser -k -m DIRECTORY`: every process that uses the file system.
fn users(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let options = invocation.options();
    let kills = options.has(&["-k", "--kill"]);
    if kills && !options.has(&["-m", "-M", "--mount", "-c"]) {
        for place in operands(invocation) {
            let kind = EffectKind::Kill { target: place.text.clone(), everything: false };
            walk.emit(kind, place.span);
        }
    } else if kills {
        for place in operands(invocation) {
            let target = walk.target(&place.text);
            let everything = matches!(
                crate::place::place_of(&target, walk.facts()),
                crate::place::Place::Root
                    | crate::place::Place::SystemTop
                    | crate::place::Place::HomeTop
            );
            walk.emit(EffectKind::Kill { target: place.text.clone(), everything }, place.span);
        }
    }
    invocation.origin()
}

fn kill_by_name(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let options = invocation.options();
    if options.has(&["-l", "--list"]) && invocation.program == "killall" {
        return invocation.origin();
    }
    let everyone = options.value(&["-u", "--user", "-U", "--uid", "--euid"]);
    let inverted = options.has(&["-v", "--inverse"]) && invocation.program == "pkill";
    let names: Vec<Argument> =
        operands(invocation).into_iter().filter(|name| !is_signal(known(name))).collect();
    if names.is_empty()
        && let Some(user) = &everyone
    {
        walk.emit(EffectKind::Kill { target: user.text.clone(), everything: true }, user.span);
    }
    for name in names {
        let takes_all =
            matches!(known(&name), "." | ".*" | "^" | "*" | "") && !name.text.has_unknown();
        let kind =
            EffectKind::Kill { target: name.text.clone(), everything: takes_all || inverted };
        walk.emit(kind, name.span);
    }
    Text::default()
}

fn is_signal(word: &str) -> bool {
    word.starts_with('/') && word.len() <= 4
}

fn kill_everything(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    walk.emit(
        EffectKind::Kill { target: Text::known("every process"), everything: true },
        invocation.span,
    );
    Text::default()
}

/// A table of jobs is written where the scheduler finds it.
fn crontab(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let options = invocation.options();
    if options.has(&["-l", "-r", "-e", "-V", "--help"]) {
        return invocation.origin();
    }
    let content = match operands(invocation).first() {
        Some(file) if known(file) != "-" => walk.read(file),
        _ => invocation.input.clone().unwrap_or_else(|| Text::unknown("input")),
    };
    let table = synthetic("/var/spool/cron/crontabs/user", invocation.span);
    walk.write(&table, WriteMode::Replace, content);
    Text::default()
}

/// `sysctl -w kernel.x=1` writes `/proc/sys/kernel/x`.
fn kernel_parameter(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    for word in operands(invocation) {
        if let Some((name, value)) = word.text.known_prefix().split_once('=') {
            let mut content =
                after(&word, &format!("{name}=")).map(|rest| rest.text).unwrap_or_default();
            if content.is_empty() {
                content.push_known(value);
            }
            let path = format!("/proc/sys/{}", name.trim().replace('.', "/"));
            walk.write(&synthetic(&path, word.span), WriteMode::Replace, content);
        } else if known(&word).contains("..") {
            walk.read(&word);
        }
    }
    if let Some(file) = invocation.options().value(&["-p", "--load"]) {
        walk.read(&file);
    }
    invocation.origin()
}

fn module(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    if let Some(file) = operands(invocation).first() {
        walk.read(file);
    }
    Text::default()
}

fn date(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let options = invocation.options();
    let sets = |argument: &Argument| {
        let word = argument.text.known_prefix();
        word.starts_with("-s") || word.starts_with("--set") || matches!(word, "-us" | "-Rs")
    };
    let is_time = |word: &Argument| {
        let digits = known(word).split('.').next().unwrap_or("");
        digits.len() >= 8 && digits.bytes().all(|byte| byte.is_ascii_digit())
    };
    let input_only = options.has(&["-d", "--date", "-r", "--reference", "-j"]);
    if invocation.arguments.iter().any(sets)
        || !input_only && operands(invocation).first().is_some_and(is_time)
    {
        walk.note("system.clock.set", invocation.span);
    }
    let mut printed = invocation.origin();
    if let Some(file) = options.value(&["-f", "--file"]) {
        printed.inherit(&walk.read(&file));
    }
    printed
}

fn reads_log(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    shows_option(walk, invocation, &["-F", "--file"])
}

/// The names in a list are shown where no such files are.
fn reads_list(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    shows_option(walk, invocation, &["-f", "--files-from"])
}

fn shows_option(walk: &mut dyn Host, invocation: &Invocation, options: &[&str]) -> Text {
    let mut printed = invocation.origin();
    if let Some(file) = invocation.options().value(options) {
        printed.inherit(&walk.read(&file));
    }
    printed
}

/// Variables hold tokens; one that is named like none is only itself.
fn environment(_: &mut dyn Host, invocation: &Invocation) -> Text {
    let mut printed = invocation.origin();
    let names: Vec<Argument> = operands(invocation);
    if names.is_empty() || names.iter().any(|name| is_secret_name(known(name))) {
        printed.taint = printed.taint.with(Taint::SECRET);
    }
    printed
}

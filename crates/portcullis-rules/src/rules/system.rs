//! Rules on the running system: power, services, kernel, mounts, firewall, network, clock. Owns nothing about
//! files on disk.

use super::{
    Rule, Shelf, When,
    effects::{at, run, words},
    pattern,
    process::{RUNNING, is_guard},
};
use crate::{effect::Kinds, finding::Category, risk::Severity};

mod devices;
mod load;
mod running;

use devices::erases_device;

use load::{floods, loads_others};
use running::{kernel, power, service, system_file};

pub(super) static SHELF: Shelf = Shelf {
    programs: &[
        "aa-complain",
        "aa-disable",
        "aa-teardown",
        "ab",
        "adb",
        "apparmor_parser",
        "autocannon",
        "bcdedit",
        "bombardier",
        "bpftool",
        "btrfstune",
        "cassowary",
        "chkconfig",
        "ddosify",
        "debugfs",
        "depmod",
        "e2fsck",
        "e2image",
        "efibootmgr",
        "espefuse",
        "espefuse.py",
        "fastboot",
        "firewall-cmd",
        "flashrom",
        "fsck",
        "fsck.btrfs",
        "fsck.ext2",
        "fsck.ext3",
        "fsck.ext4",
        "fsck.fat",
        "fsck.vfat",
        "fsck.xfs",
        "fsck_apfs",
        "fsck_hfs",
        "fwupdmgr",
        "grub-install",
        "gsettings",
        "heimdall",
        "hey",
        "hostname",
        "hostnamectl",
        "httperf",
        "hwclock",
        "ifconfig",
        "ifdown",
        "insmod",
        "ip",
        "ip6tables",
        "iptables",
        "iptables-legacy",
        "iptables-nft",
        "iptables-restore",
        "kexec",
        "kextload",
        "kextunload",
        "launchctl",
        "loadtest",
        "losetup",
        "modprobe",
        "mount",
        "netplan",
        "netsh",
        "networksetup",
        "nft",
        "nmcli",
        "ntfsfix",
        "nvram",
        "oha",
        "pfctl",
        "plow",
        "reiserfsck",
        "resize2fs",
        "resolvectl",
        "rfkill",
        "rmmod",
        "route",
        "semanage",
        "setenforce",
        "setsebool",
        "siege",
        "swapoff",
        "systemsetup",
        "tc",
        "tccutil",
        "timedatectl",
        "tune2fs",
        "ufw",
        "umount",
        "update-grub",
        "update-rc.d",
        "vegeta",
        "wrk",
        "wrk2",
        "xfs_admin",
        "xfs_db",
        "xfs_repair",
    ],
    rules: RULES,
};

static RULES: &[Rule] = &[
    Rule {
        id: "system.disk.repair",
        reversible: false,
        message: "a file system is changed underneath those who use it; what does not fit is thrown away",
        remedy: "look first, on a file system that is not in use: `fsck -n`, `tune2fs -l`",
        when: When::Command(&[
            "fsck|e2fsck|fsck.ext4|fsck.ext3|fsck.ext2|fsck.xfs|fsck.btrfs|fsck.vfat|fsck.fat|xfs_repair|reiserfsck|ntfsfix|fsck_apfs|fsck_hfs *dev/* !-n !-N !-V",
            "fsck -A|-As|-AR -y|-a|-p|-f !-n !-N !-V",
            "tune2fs|xfs_admin|resize2fs|btrfstune *dev/* !-l",
            "debugfs -w",
            "e2image|xfs_db -r|-x *dev/*",
        ]),
        fires: &[
            "fsck -y /dev/sda1",
            "e2fsck -fy /dev/vg0/root",
            "tune2fs -O ^has_journal /dev/sda1",
            "xfs_repair -L /dev/sdb1",
            "resize2fs /dev/sda1 10G",
            "fsck -A -y",
        ],
        quiet: &[
            "fsck -n /dev/sda1",
            "fsck -A -n",
            "tune2fs -l /dev/sda1",
            "fsck.ext4 disk.img",
            "fsck -N",
        ],
        ..RUNNING
    },
    Rule {
        id: "system.device.files",
        reversible: false,
        message: "files of a phone or board are deleted, or all that is on it",
        remedy: "list them first (`adb shell ls`), and copy them with `adb pull`",
        when: When::Effect(Kinds::RUN, erases_device),
        fires: &[
            "adb shell rm -rf /sdcard/Pictures",
            "adb -s emulator-5554 shell 'rm -r /storage/emulated/0/Music/*'",
            "adb shell recovery --wipe_data",
            "adb shell content delete --uri content://sms",
        ],
        quiet: &[
            "adb shell rm -rf /data/local/tmp/bench",
            "adb shell ls /sdcard",
            "adb shell pm clear com.example.app",
            "adb shell rm /sdcard/window_dump.xml",
        ],
        ..RUNNING
    },
    Rule {
        id: "system.firmware.write",
        reversible: false,
        message: "the firmware of a device is written or erased; one that is interrupted may never start again",
        remedy: "let the person whose device it is do this",
        when: When::Command(&[
            "fastboot flash|flashall|erase|format|update|boot|oem|flashing|set_active|wipe-super",
            "fastboot -w",
            "flashrom -w|--write|-E|--erase",
            "fwupdmgr install|update|downgrade|reinstall",
            "heimdall flash",
            "adb sideload",
            "espefuse.py|espefuse … burn_bit|burn_block_data|burn_custom_mac|burn_efuse|burn_key|burn_key_digest|set_flash_voltage|write_protect_efuse|read_protect_efuse|burn-bit|burn-efuse|burn-key",
        ]),
        fires: &[
            "fastboot flash boot evil.img",
            "fastboot -w",
            "flashrom -p internal -w bios.bin",
            "heimdall flash --BOOT b.img",
            "espefuse.py --port /dev/ttyUSB0 burn_key BLOCK_KEY0 key.bin XTS_AES_128_KEY",
        ],
        quiet: &[
            "fastboot devices",
            "fastboot getvar all",
            "flashrom -p internal -r bios.bin",
            "fwupdmgr get-devices",
            "espefuse.py --port /dev/ttyUSB0 summary",
        ],
        ..RUNNING
    },
    Rule {
        id: "system.power.off",
        severity: Severity::Critical,
        message: "the machine would be stopped or restarted, with everyone's work on it",
        when: When::Effect(Kinds::RUN, |effect, _| power(effect)),
        fires: &[
            "shutdown -h now",
            "reboot -f",
            "systemctl poweroff",
            "halt",
            "poweroff",
            "init 0",
            "telinit 6",
            "sudo reboot",
            "Stop-Computer",
            "systemctl isolate rescue.target",
            "kexec -e",
        ],
        quiet: &[
            "shutdown -c",
            "shutdown --show",
            "reboot --help",
            "awk '/reboot/ {print $1}' server.log",
            "systemctl status",
            "last reboot",
            "init --version",
        ],
        ..RUNNING
    },
    Rule {
        id: "system.kernel.module",
        severity: Severity::Critical,
        message: "code would be loaded into, or taken out of, the kernel",
        when: When::Command(&[
            "insmod",
            "bpftool prog|struct_ops|cgroup|net load|loadall|attach|register",
            "modprobe !-n !--dry-run !--show-depends !-c !--showconfig !-D",
            "rmmod",
            "kextload",
            "kextunload",
            "depmod -a",
            "kexec -l|--load",
        ]),
        fires: &[
            "bpftool prog load a.o /sys/fs/bpf/a",
            "insmod /tmp/rootkit.ko",
            "modprobe evil",
            "rmmod nf_tables",
            "modprobe -r x",
        ],
        quiet: &[
            "bpftool prog show",
            "lsmod",
            "modinfo ext4",
            "modprobe -n x",
            "modprobe --show-depends x",
        ],
        ..RUNNING
    },
    Rule {
        id: "system.kernel.write",
        message: "a setting of the running kernel would be changed",
        when: When::Effect(Kinds::WRITE, kernel),
        fires: &[
            "sysctl -w kernel.core_pattern='|/tmp/x'",
            "echo 3 > /proc/sys/vm/drop_caches",
            "echo b > /proc/sysrq-trigger",
            "sysctl net.ipv4.ip_forward=1",
            "echo 1 > /sys/class/x/y",
            "sysctl -w kernel.randomize_va_space=0",
        ],
        quiet: &["sysctl -a", "cat /proc/sys/vm/swappiness", "sysctl kernel.hostname"],
        ..RUNNING
    },
    Rule {
        id: "system.mount.change",
        message: "a file system would be mounted over, changed or taken away",
        when: When::Command(&[
            "umount -a|--all",
            "umount -l|-f|--lazy|--force",
            "mount -o=*remount*",
            "mount --options=*remount*",
            "mount --bind|--rbind|-B|-M|--move",
            "mount -a",
            "losetup -d|-D|--detach|--detach-all",
        ]),
        fires: &["umount -a", "mount -o remount,rw /", "mount --bind /tmp /etc", "umount -l /home"],
        quiet: &["mount", "mount -l", "findmnt", "umount --help"],
        ..RUNNING
    },
    Rule {
        id: "system.mount.plain",
        severity: Severity::High,
        message: "a file system would be mounted or taken away",
        when: When::Command(&[
            "mount * * !-o=loop* !--options=loop*",
            "mount * /* -o=loop*|--options=loop*",
            "mount * !-o=loop* !--options=loop*",
            "umount -a|-A|-f|-l|--all|--force|--lazy",
            "umount /|/home|/boot|/var|/usr|/mnt",
        ]),
        fires: &["mount /dev/sdb1 /mnt", "umount /mnt", "umount -a"],
        quiet: &["mount", "mount -t ext4", "mount --version", "df", "umount ./image"],
        ..RUNNING
    },
    Rule {
        id: "system.memory.swap",
        message: "the machine would lose its reserve of memory",
        when: When::Command(&["swapoff"]),
        fires: &["swapoff -a", "swapoff /dev/sda2"],
        quiet: &["swapon --show", "free -h"],
        ..RUNNING
    },
    Rule {
        id: "system.firewall.off",
        category: Category::Evasion,
        message: "the firewall would be opened or switched off",
        remedy: "open the one port that is needed, and let a person do it",
        when: When::Command(&[
            "iptables|ip6tables|iptables-legacy|iptables-nft -F|--flush",
            "iptables|ip6tables|iptables-legacy|iptables-nft -X|-Z|--delete-chain",
            "iptables|ip6tables|iptables-legacy -P|--policy",
            "iptables|ip6tables|iptables-legacy -D|-R|--delete",
            "iptables-restore",
            "nft flush|delete|destroy|reset",
            "ufw disable|reset",
            "ufw default allow",
            "ufw delete",
            "firewall-cmd --panic-off|--panic-on",
            "firewall-cmd --remove-service|--remove-port|--remove-rich-rule|--set-default-zone|--set-target",
            "pfctl -d|-F",
            "netsh adv* * !show !dump !?",
            "netsh firewall * !show !dump !?",
        ]),
        fires: &[
            "iptables -F",
            "ufw disable",
            "nft flush ruleset",
            "iptables -P INPUT ACCEPT",
            "pfctl -d",
            "netsh advfirewall set allprofiles state off",
            "ip6tables --flush",
        ],
        quiet: &[
            "iptables -L",
            "iptables -S",
            "ufw status",
            "nft list ruleset",
            "firewall-cmd --list-all",
            "netsh advfirewall show allprofiles state",
            "netsh advfirewall firewall show rule name=all",
        ],
        ..RUNNING
    },
    Rule {
        id: "system.firewall.change",
        message: "a rule of the firewall would be changed",
        remedy: "let a person change the firewall",
        when: When::Command(&[
            "iptables|ip6tables|iptables-legacy|iptables-nft -A|-I|-N|-R|--append|--insert",
            "nft add|insert|replace|create",
            "nft -f !-c !--check",
            "ufw allow|deny|reject|limit|enable|insert|prepend",
            "firewall-cmd --add-port|--add-service|--add-rich-rule|--add-source|--reload|--add-masquerade",
            "pfctl -f|-e",
        ]),
        fires: &[
            "iptables -A INPUT -p tcp --dport 22 -j ACCEPT",
            "ufw allow 22",
            "firewall-cmd --add-port=80/tcp",
        ],
        quiet: &["iptables -nL", "ufw status verbose"],
        ..RUNNING
    },
    Rule {
        id: "system.guard.off",
        category: Category::Evasion,
        message: "the system's mandatory access control would be weakened",
        remedy: "add the one exception that is needed, and let a person do it",
        when: When::Command(&[
            "setenforce 0|permissive|Permissive",
            "aa-teardown",
            "apparmor_parser -R|--remove",
            "aa-disable",
            "aa-complain",
            "setsebool",
            "semanage permissive -a|--add",
            "tccutil reset",
            "bcdedit /set|/deletevalue|/delete|/import|-set|/debug",
        ]),
        fires: &[
            "setenforce 0",
            "aa-teardown",
            "aa-disable /etc/apparmor.d/x",
            "semanage permissive -a httpd_t",
            "bcdedit /set testsigning on",
        ],
        quiet: &[
            "getenforce",
            "sestatus",
            "semanage permissive -l",
            "aa-status",
            "setenforce 1",
            "bcdedit /enum",
        ],
        ..RUNNING
    },
    Rule {
        id: "system.service.guard",
        category: Category::Evasion,
        message: "a service that watches or guards this machine would be stopped",
        when: When::Effect(Kinds::RUN, |effect, _| {
            let (action, units) = service(effect)?;
            let stops = matches!(
                action.as_str(),
                "stop" | "disable" | "mask" | "kill" | "off" | "remove" | "revert"
            );
            (stops && units.iter().any(|unit| is_guard(unit))).then(|| at(Severity::High))
        }),
        fires: &[
            "systemctl stop auditd",
            "systemctl disable --now rsyslog",
            "systemctl mask firewalld",
            "service apparmor stop",
            "systemctl stop falcon-sensor",
            "systemctl stop sshd",
        ],
        quiet: &[
            "systemctl status auditd",
            "systemctl restart nginx",
            "systemctl is-active auditd",
        ],
        ..RUNNING
    },
    Rule {
        id: "system.service.mask",
        message: "a service would be made impossible to start",
        when: When::Effect(Kinds::RUN, |effect, _| {
            let (action, units) = service(effect)?;
            // Variables by which nothing is loaded or found.
            let is_plain = |unit: &String| {
                let name = unit.split('=').next().unwrap_or_default();
                !name.starts_with("LD_")
                    && !name.ends_with("PATH")
                    && !crate::programs::escapes::obeys(name)
            };
            match action.as_str() {
                "set-environment" if !units.is_empty() && units.iter().all(is_plain) => {
                    Some(at(Severity::Medium))
                }
                "mask" | "kill" | "set-environment" | "import-environment" | "set-property" => {
                    Some(at(Severity::High))
                }
                _ => None,
            }
        }),
        fires: &["systemctl mask cron", "systemctl kill nginx"],
        quiet: &["systemctl unmask cron", "systemctl cat cron"],
        ..RUNNING
    },
    Rule {
        id: "system.service.change",
        severity: Severity::Medium,
        message: "a service would be started, stopped or changed",
        remedy: "see its state first: `systemctl status NAME`",
        when: When::Effect(Kinds::RUN, |effect, _| {
            let (action, _) = service(effect)?;
            let own = run(effect).is_some_and(|run| words(run).any(|word| word == "--user"));
            // Another machine, where others may work.
            let is_far = run(effect).is_some_and(|run| {
                run.program == "systemctl" && pattern::options(run).has(&["-H", "--host"])
            });
            match action.as_str() {
                "restart" | "reload" | "start" | "try-restart" | "reload-or-restart" if is_far => {
                    Some(at(Severity::High))
                }
                "stop" | "disable" if !own => Some(at(Severity::High)),
                "stop" | "disable" | "start" | "restart" | "reload" | "daemon-reload"
                | "daemon-reexec" | "try-restart" | "reload-or-restart" | "unmask"
                | "reset-failed" | "clean" | "freeze" | "preset" => Some(at(Severity::Medium)),
                _ => None,
            }
        }),
        fires: &[
            "systemctl restart nginx",
            "service nginx stop",
            "systemctl stop nginx",
            "systemctl -H root@db1 restart postgresql",
            "chkconfig iptables off",
            "update-rc.d -f ssh remove",
            "launchctl bootout system/com.example.agent",
        ],
        quiet: &["systemctl status nginx", "service --status-all", "systemctl list-units"],
        ..RUNNING
    },
    Rule {
        id: "system.network.down",
        severity: Severity::Critical,
        message: "the machine would lose its network",
        when: When::Command(&[
            "ip link set … down",
            "ip route|r|ro|rou|rout flush|del|delete",
            "ip addr|address|a flush|del|delete",
            "ip link delete|del",
            "ifconfig * down",
            "ifdown",
            "nmcli networking off",
            "nmcli radio … off",
            "nmcli connection|con|c down|delete|del",
            "nmcli device|dev|d disconnect|down|delete",
            "route del|delete|flush",
            "rfkill block",
            "networksetup -setairportpower",
            "netsh interface set *",
            "tc qdisc|filter|class add|replace|change|del",
        ]),
        fires: &[
            "ip link set eth0 down",
            "ifconfig eth0 down",
            "nmcli networking off",
            "ip route flush table main",
            "rfkill block all",
            "ip link set dev eth0 down",
        ],
        quiet: &[
            "ip link show",
            "ip addr",
            "ifconfig",
            "nmcli device status",
            "ip route",
            "ip route get 1.1.1.1",
            "rfkill list",
        ],
        ..RUNNING
    },
    Rule {
        id: "system.network.change",
        message: "addresses or routes of this machine would be changed",
        when: When::Command(&[
            "ip route|r|ro|rou|rout add|append|replace|change",
            "ip addr|address|a add|replace",
            "ip rule add|del",
            "ip link add",
            "ip neigh add|replace|del|flush",
            "route add|change|replace",
            "ifconfig * *",
            "netplan apply|set",
            "nmcli connection|con modify|mod|up|add",
            "networksetup -setdnsservers|-setwebproxy|-setsecurewebproxy",
            "gsettings set org.gnome.system.proxy*",
            "resolvectl dns|domain|default-route|dnssec|revert * *",
        ]),
        fires: &[
            "ip route add default via 203.0.113.1",
            "ip r change default via 203.0.113.1",
            "ip addr add 10.0.0.1/24 dev eth0",
            "route change default 203.0.113.1",
        ],
        quiet: &["ip -4 addr show", "ifconfig eth0", "ifconfig -a", "netplan get"],
        ..RUNNING
    },
    Rule {
        id: "system.clock.set",
        message: "the clock would be set, and with it every log and certificate",
        when: When::Noted,
        fires: &["date -s '2001-01-01'", "date --set=yesterday"],
        quiet: &["date", "date '+%Y-%m-%d'", "date -d yesterday"],
        ..RUNNING
    },
    Rule {
        id: "system.clock.change",
        message: "the clock or time zone would be changed, and with it every log and certificate",
        when: When::Command(&[
            "timedatectl set-time|set-timezone|set-ntp|set-local-rtc",
            "hwclock --set|-w|--systohc|-s|--hctosys",
            "systemsetup -settimezone|-setdate|-settime",
        ]),
        fires: &["timedatectl set-ntp false", "hwclock --set --date='2001-01-01'"],
        quiet: &["timedatectl", "timedatectl status", "hwclock -r"],
        ..RUNNING
    },
    Rule {
        id: "system.name.change",
        severity: Severity::Medium,
        message: "the machine would have another name",
        when: When::Command(&[
            "hostname *",
            "hostnamectl set-hostname|hostname *",
            "hostname -F|-b",
        ]),
        fires: &["hostname evil", "hostnamectl set-hostname x"],
        quiet: &["hostname", "hostname -f", "hostnamectl", "hostnamectl status"],
        ..RUNNING
    },
    Rule {
        id: "system.boot.change",
        severity: Severity::Critical,
        message: "what the machine starts from would be changed",
        when: When::Command(&[
            "grub-install",
            "update-grub",
            "nvram -c|-d",
            "nvram *=*",
            "efibootmgr -B|-o|-c|-O|-D|--delete-bootnum|--bootorder|--create|--delete-bootorder|--remove-dups|-n|--bootnext|-A|--inactive",
        ]),
        fires: &["grub-install /dev/sda", "efibootmgr -o 0001", "nvram boot-args=-v"],
        quiet: &["efibootmgr", "efibootmgr -v", "nvram boot-args"],
        ..RUNNING
    },
    Rule {
        id: "system.load.flood",
        message: "this machine or another would be kept busy until it can do nothing else",
        remedy: "measure for a bounded time, with a person watching",
        when: When::Effect(Kinds::RUN, floods),
        fires: &[
            "stress --vm 64 --vm-bytes 8G",
            "hping3 --flood -S 198.51.100.9",
            "ping -f 10.0.0.1",
            "ping -qf 10.0.0.1",
            "slowloris example.com",
        ],
        quiet: &["ping -c 3 example.com", "stress --version"],
        ..RUNNING
    },
    Rule {
        id: "system.load.elsewhere",
        message: "a host of others is sent as many requests as this machine can",
        remedy: "measure a copy of your own, on this machine or where tests run",
        when: When::Effect(Kinds::RUN, loads_others),
        fires: &[
            "hey -z 10m -c 400 https://www.shop.example/",
            "wrk -t8 -c400 -d600s https://www.shop.example/",
            "echo 'GET https://www.shop.example/search' | vegeta attack -rate=5000/s -duration=15m",
        ],
        quiet: &[
            "hey -z 10s http://localhost:8080/",
            "wrk -t8 -c400 -d30s http://127.0.0.1:3000/",
            "echo 'GET http://localhost:8080/' | vegeta attack -rate=50/s -duration=5s",
            "hey https://staging.shop.example/",
            "vegeta report",
        ],
        ..RUNNING
    },
    Rule {
        id: "system.file.write",
        message: "a file of the system would be written",
        remedy: "keep it in the project, or let a person install it",
        when: When::Effect(Kinds::WRITE, system_file),
        fires: &[
            "echo x > /etc/motd",
            "cp x /usr/bin/x",
            "sed -i s/a/b/ /etc/fstab",
            "tar -C / -xzf /tmp/rootfs.tgz --overwrite",
            "echo x > /boot/grub/grub.cfg",
            "cp a /usr/copy_file",
            "touch /etc/x",
            "wget -O /usr/x.py http://example.com/x.py",
        ],
        quiet: &[
            "echo x > /tmp/x",
            "cat /etc/fstab",
            "cp x /usr/local/bin/x",
            "echo x > /dev/null",
            "tar xf a.tar",
        ],
        ..RUNNING
    },
];

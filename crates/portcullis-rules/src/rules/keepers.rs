//! Rules on what keeps things: secret stores, backups, object stores and copies to other machines.

use super::{Hit, Rule, Scene, Shelf, When, effects::written, pattern};
use crate::{
    effect::{Effect, EffectKind, Kinds},
    finding::{Category, Confidence},
    place::{self, Place},
    programs::Options,
    risk::Severity,
};

pub(super) static SHELF: Shelf = Shelf {
    programs: &[
        "apt",
        "apt-get",
        "aptitude",
        "bao",
        "barman",
        "borg",
        "borgmatic",
        "bw",
        "bws",
        "chamber",
        "doppler",
        "dpkg",
        "duplicacy",
        "duplicity",
        "dvc",
        "glab",
        "gopass",
        "gpg",
        "gpg2",
        "infisical",
        "keepassxc-cli",
        "kopia",
        "lpass",
        "mc",
        "mcli",
        "op",
        "pass",
        "pgbackrest",
        "proxmox-backup-client",
        "rbw",
        "rclone",
        "restic",
        "rsnapshot",
        "rsync",
        "secret-tool",
        "security",
        "snapper",
        "ssh-add",
        "teller",
        "timeshift",
        "tmutil",
        "unison",
        "vault",
        "wal-g",
        "zfs",
        "zpool",
    ],
    rules: RULES,
};

static RULES: &[Rule] = &[
    Rule {
        id: "backup.package.purge",
        category: Category::Destruction,
        message: "a program that keeps data is removed with what it keeps",
        remedy: "remove it without `purge`, which leaves its data: `apt-get remove`",
        when: When::Command(&[
            "apt|apt-get|aptitude purge|*/purge cassandra*|clickhouse-server*|couchdb*|docker-ce|docker.io|elasticsearch*|etcd*|influxdb*|jenkins*|mariadb-server*|mariadb\\*|mongodb*|mysql-server*|mysql\\*|neo4j*|postgresql|postgresql-1*|postgresql\\*|redis|redis-server*|slapd*",
            "apt|apt-get|aptitude remove|autoremove --purge cassandra*|clickhouse-server*|couchdb*|docker-ce|docker.io|elasticsearch*|etcd*|influxdb*|jenkins*|mariadb-server*|mariadb\\*|mongodb*|mysql-server*|mysql\\*|neo4j*|postgresql|postgresql-1*|postgresql\\*|redis|redis-server*|slapd*",
            "dpkg -P|--purge *mariadb*|*mongo*|*mysql*|*postgres*|*redis*",
        ]),
        fires: &[
            "sudo apt-get purge -y postgresql-15 postgresql-common",
            "sudo apt-get purge -y 'postgresql*'",
            "apt-get remove --purge mysql-server",
            "dpkg -P postgresql-15",
        ],
        quiet: &[
            "apt-get purge -y vim-tiny",
            "apt-get remove postgresql-15",
            "apt-get install -y postgresql-client",
        ],
        ..Rule::LOSS
    },
    Rule {
        id: "secrets.store.read",
        category: Category::Credentials,
        reversible: true,
        message: "a secret is taken out of its store and shown",
        remedy: "see that it is there: `vault kv list PATH`, `op item list`; give it to the program that needs it without showing it",
        when: When::Command(&[
            "glab variable export|get",
            "vault|bao kv get",
            "vault|bao read",
            "vault|bao token create",
            "vault|bao unwrap",
            "vault|bao print token",
            "op item get --fields|--reveal|--otp|--format",
            "op read|inject",
            "op document get",
            "op signin --raw",
            "bw get password|item|notes|totp|attachment",
            "bw list items",
            "bw export",
            "bw unlock|login --raw",
            "bws secret get|list",
            "rbw get|code",
            "doppler secrets get|download",
            "doppler secrets !--only-names",
            "doppler configs tokens create",
            "infisical secrets get",
            "infisical secrets !--only-names",
            "infisical export",
            "chamber read|export|env",
            "pass|gopass show",
            "pass|gopass otp|git",
            "gopass cat",
            "lpass show|export",
            "keepassxc-cli show|export|clip",
            "secret-tool lookup|search",
            "security find-generic-password|find-internet-password|dump-keychain|export",
            "gpg|gpg2 --export-secret-keys|--export-secret-subkeys|--export-secret-key",
            "teller env|sh|show|export",
        ]),
        fires: &[
            "vault kv get -format=json secret/prod",
            "vault --namespace admin read database/creds/x",
            "op item get prod --fields password",
            "op read op://vault/item/field",
            "pass show prod/root",
            "bw get password x",
            "bw list items --search prod",
            "rbw get github.com",
            "doppler secrets get KEY --plain",
            "security find-generic-password -s x -w",
            "gpg --export-secret-keys -a",
        ],
        quiet: &[
            "vault kv list secret/",
            "vault version",
            "vault secrets list",
            "vault policy list",
            "op item list",
            "pass ls",
            "doppler secrets --only-names",
            "bw status",
            "rbw list",
            "bw list folders",
            "gpg --export -a me",
            "vault token lookup",
        ],
        ..Rule::KEYS
    },
    Rule {
        id: "secrets.store.change",
        message: "a secret, a policy or a way to sign in is deleted, switched off or revoked; whatever needs it stops",
        remedy: "see its versions first: `vault kv metadata get PATH`",
        when: When::Command(&[
            "vault|bao delete",
            "vault|bao kv delete|destroy|rollback|undelete",
            "vault|bao kv metadata delete",
            "vault|bao secrets|auth|audit|plugin disable|deregister|move|tune",
            "vault|bao policy|namespace delete",
            "vault|bao token|lease revoke",
            "vault|bao operator seal|rekey|rotate|generate-root|step-down|raft|init|migrate",
            "op item|document|vault|user|group|account|connect|events-api … delete|forget|suspend|revoke|remove",
            "op item|document edit|move",
            "bw delete|purge",
            "bws secret|project delete",
            "doppler secrets|projects|environments|configs|service-tokens|activity delete|revoke|rollback|unset",
            "infisical secrets delete",
            "chamber delete",
            "pass|gopass rm|remove|delete|mv",
            "lpass rm|rmdir",
            "keepassxc-cli rm|rmdir|merge",
            "secret-tool clear",
            "security delete-*|set-keychain-*",
            "gpg|gpg2 --delete-secret-keys|--delete-secret-and-public-keys|--delete-key",
        ]),
        fires: &[
            "vault secrets disable secret/",
            "vault kv destroy -versions=1 secret/x",
            "vault --namespace admin policy delete p",
            "vault lease revoke -prefix secret/",
            "op vault delete Prod",
            "doppler projects delete prod -y",
            "vault operator seal",
        ],
        quiet: &[
            "vault kv list secret/",
            "vault auth list",
            "op vault list",
            "doppler projects",
            "vault kv put secret/x a=b",
        ],
        ..Rule::LOSS
    },
    Rule {
        id: "secrets.store.write",
        category: Category::Credentials,
        severity: Severity::Medium,
        message: "a secret or a policy is written",
        remedy: "see what is there: `vault kv metadata get PATH`",
        when: When::Command(&[
            "vault|bao kv put|patch",
            "vault|bao write",
            "vault|bao policy write",
            "vault|bao secrets|auth|audit enable",
            "op item|document create",
            "doppler secrets set|upload",
            "pass|gopass insert|generate|edit",
            "bw create|edit",
        ]),
        fires: &[
            "vault kv put secret/x a=b",
            "vault write auth/x y=z",
            "op item create --category login",
        ],
        quiet: &["vault kv list secret/", "op item list"],
        ..Rule::KEYS
    },
    Rule {
        id: "backup.delete",
        severity: Severity::Critical,
        message: "backups or snapshots are deleted, and with them the way back",
        remedy: "see which ones would go: `restic forget --keep-last 7 --dry-run`, `borg list REPOSITORY`",
        when: When::Command(&[
            "restic forget|prune !-n",
            "restic key remove|passwd",
            "restic unlock --remove-all",
            "restic rewrite|repair|migrate --forget",
            "borg delete|prune|compact|rdelete|repo-delete !-n",
            "borg break-lock|recreate",
            "borg key change-passphrase",
            "borgmatic prune|delete|compact|repo-delete",
            "kopia snapshot|blob|content|manifest|policy delete|expire|rm|remove",
            "duplicity remove-older-than|remove-all-but-n-full|remove-all-inc-of-but-n-full|cleanup --force",
            "duplicacy prune",
            "pgbackrest expire|stanza-delete|stop",
            "barman delete|delete-backup",
            "wal-g delete",
            "proxmox-backup-client prune|forget",
            "snapper delete|rollback|cleanup",
            "timeshift --delete|--delete-all|--restore",
            "tmutil delete|deletelocalsnapshots|disable|removedestination|thinlocalsnapshots",
            "zfs destroy|rollback !-n",
            "zpool destroy|labelclear|remove|detach",
            "rsnapshot retention",
        ]),
        fires: &[
            "restic -r s3:x forget --keep-last 1 --prune",
            "restic prune",
            "borg delete /backup::old",
            "borg prune --keep-daily 7 /backup",
            "borg rdelete --force",
            "kopia snapshot delete abc",
            "zfs destroy -r tank/data",
            "tmutil deletelocalsnapshots /",
            "wal-g delete everything FORCE",
        ],
        quiet: &[
            "restic snapshots",
            "restic forget --keep-last 7 --dry-run",
            "borg list /backup",
            "borg prune -n --keep-daily 7 /backup",
            "borg create /backup::now .",
            "zfs list",
            "zpool status",
            "kopia snapshot list",
        ],
        ..Rule::LOSS
    },
    Rule {
        id: "backup.restore",
        reversible: true,
        confidence: Confidence::Medium,
        severity: Severity::Medium,
        message: "files are brought back from a backup, over what is there now",
        remedy: "bring them back beside: `restic restore latest --target ./restored`",
        when: When::Command(&[
            "restic restore --target=/",
            "borg extract",
            "pgbackrest|wal-g|barman restore|recover|backup-fetch",
            "tmutil restore",
            "kopia restore|snapshot restore",
        ]),
        fires: &[
            "restic restore latest --target /",
            "borg extract /backup::now",
            "pgbackrest restore",
        ],
        quiet: &["restic restore latest --target ./restored", "borg list /backup"],
        ..Rule::CHANGE
    },
    Rule {
        id: "rclone.delete",
        message: "files in a remote store are deleted, or made equal to another place",
        remedy: "see what would go: `rclone sync SOURCE DESTINATION --dry-run`",
        when: When::Command(&[
            "rclone delete|deletefile|purge|cleanup|rmdirs|rmdir|sync|bisync|dedupe|move|moveto !-n !-i",
            "rclone copy|copyto|mount --delete-*",
            "rclone config delete|disconnect|dump|show",
        ]),
        fires: &[
            "rclone purge remote:bucket",
            "rclone delete remote:path",
            "rclone sync . remote:path",
            "rclone config dump",
        ],
        quiet: &[
            "rclone ls remote:",
            "rclone sync . remote:path --dry-run",
            "rclone copy a remote:b",
            "rclone lsd remote:",
        ],
        ..Rule::LOSS
    },
    Rule {
        id: "minio.delete",
        severity: Severity::Critical,
        message: "buckets or everything under a prefix of an object store are deleted, or opened to everybody",
        remedy: "see what is in it: `mc ls --recursive ALIAS/BUCKET`",
        when: When::Command(&[
            "mc|mcli rb",
            "mc|mcli rm --recursive|-r|--force|--versions|--incomplete",
            "mc|mcli mirror --remove",
            "mc|mcli admin user|policy|group|service|bucket|config remove|rm|disable|stop|restart|reset|detach|unset",
            "mc|mcli anonymous|policy set|set-json public|download|upload",
            "mc|mcli ilm|version|retention|legalhold|replicate|event rm|remove|clear|suspend|import",
            "mc|mcli ilm … rule add|edit|rm|remove|import --expire-days|--expire-all-object-versions|--noncurrent-expire-days|--all|--force",
        ]),
        fires: &[
            "mc|mcli rb --force play/bucket",
            "mc rm -r --force play/bucket",
            "mc|mcli mirror --remove a play/b",
            "mc admin user remove play alice",
            "mc admin policy unset play readwrite",
            "mc anonymous set public play/b",
            "mcli rb --force play/bucket",
            "mc ilm rule add play/b --expire-days 1",
        ],
        quiet: &["mc ls play", "mc cp a play/b", "mc mirror a play/b", "mc admin info play"],
        ..Rule::LOSS
    },
    Rule {
        id: "minio.delete.one",
        message: "an object is deleted from an object store",
        remedy: "keep a copy: `mc cp ALIAS/BUCKET/KEY .`",
        when: When::Command(&["mc|mcli rm … */*", "mc|mcli mv|undo"]),
        fires: &["mc rm play/bucket/key"],
        quiet: &["mc ls play/bucket"],
        ..Rule::LOSS
    },
    Rule {
        id: "dvc.gc",
        message: "versions of data that nothing points to any more are deleted from the shared store",
        remedy: "see what would go: `dvc gc --dry --workspace --cloud`",
        when: When::Command(&["dvc gc -c|--cloud !--dry"]),
        fires: &["dvc gc --workspace --cloud --force", "dvc gc -w -c -f"],
        quiet: &["dvc gc --workspace", "dvc gc -w -c --dry", "dvc push"],
        ..Rule::LOSS
    },
    Rule {
        id: "rsync.delete",
        message: "everything at the destination that is not at the source is deleted",
        remedy: "see what would go: `rsync -a --delete --dry-run SOURCE DESTINATION`",
        when: When::Effect(Kinds::RUN, mirrored),
        fires: &[
            "rsync -a --delete ./ user@host:/srv/",
            "rsync -av --del a/ b/",
            "rsync --remove-source-files a b",
        ],
        quiet: &[
            "rsync -av a/ b/",
            "rsync -an --delete a/ b/",
            "rsync -av --delete --dry-run a/ b/",
        ],
        ..Rule::LOSS
    },
    Rule {
        id: "sync.forced",
        message: "one side is made equal to the other without asking: what only stands there is deleted or written over",
        remedy: "leave `-force` out, and let it ask about each conflict",
        when: When::Command(&[
            "unison -force|-prefer -batch",
            "unison -force|-confirmbigdel=false",
        ]),
        fires: &[
            "unison -batch -force /srv/a /srv/a ssh://nas//srv/b",
            "unison -batch -confirmbigdel=false a b",
        ],
        quiet: &["unison -batch a b", "unison -version"],
        ..Rule::LOSS
    },
    Rule {
        id: "ssh.agent.clear",
        message: "keys are taken out of the agent, and what signs in with them stops",
        remedy: "see them first: `ssh-add -l`",
        when: When::Command(&["ssh-add -D|-d|-X"]),
        fires: &["ssh-add -D"],
        quiet: &["ssh-add -l", "ssh-add -L", "ssh-add ~/.ssh/id_ed25519"],
        ..Rule::CHANGE
    },
    Rule {
        id: "remote.copy.system",
        category: Category::System,
        message: "files of another machine's system are replaced",
        remedy: "copy it to your own directory there, and let a person move it in place",
        when: When::Effect(Kinds::RUN, |effect, _| copies_over_system(effect)),
        fires: &[
            "scp config.conf user@host:/etc/",
            "scp -r ./data user@host:/",
            "scp -P 22 binary user@host:/usr/local/bin/",
            "rsync -a x root@server:/boot/",
        ],
        quiet: &[
            "scp file.txt user@host:~/documents/",
            "scp user@host:/etc/hosts .",
            "scp file.txt user@host:/tmp/",
            "scp file.txt user@host:/home/user/",
            "rsync -a x host:/srv/www/",
        ],
        ..Rule::LOSS
    },
    Rule {
        id: "proxy.socket.command",
        category: Category::System,
        reversible: true,
        message: "a load balancer is told through its socket to take servers or sessions away",
        remedy: "look first: `show servers state` on the same socket",
        when: When::Effect(Kinds::RUN, |effect, _| tells_the_balancer(effect)),
        fires: &["echo 'disable server backend/web1' | socat stdio /var/run/haproxy.sock"],
        quiet: &["echo 'show stat' | socat stdio /var/run/haproxy.sock"],
        ..Rule::LOSS
    },
];

/// Directories of a system, as the start of a path on another machine.
const SYSTEM: &[&str] = &[
    "/etc", "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/boot", "/root", "/var", "/dev",
    "/proc", "/sys", "/opt", "/System", "/Library",
];

/// The options of the copying programs that take a value.
const COPY_VALUES: &[&str] = &[
    "-B",
    "-D",
    "-F",
    "-J",
    "-P",
    "-S",
    "-T",
    "-X",
    "-c",
    "-e",
    "-f",
    "-i",
    "-l",
    "-o",
    "--bwlimit",
    "--exclude",
    "--exclude-from",
    "--files-from",
    "--filter",
    "--include",
    "--log-file",
    "--rsh",
    "--rsync-path",
    "--chmod",
    "--chown",
];

fn copies_over_system(effect: &Effect) -> Option<Hit> {
    let EffectKind::Run(run) = &effect.kind else { return None };
    if !matches!(run.program.as_str(), "scp" | "rsync" | "sftp" | "pscp") {
        return None;
    }
    let options = Options::new(&run.arguments, COPY_VALUES);
    if options.has(&["--dry-run", "--help"]) || (run.program == "rsync" && options.has(&["-n"])) {
        return None;
    }
    let operands: Vec<_> = options.operands().collect();
    let (target, sources) = operands.split_last()?;
    if sources.is_empty() {
        return None;
    }
    let target = target.text.display();
    let (host, path) = target.split_once(':')?;
    if host.is_empty() || host.contains('/') {
        return None;
    }
    let path = path.trim_start_matches('/');
    let top = path.split('/').next().unwrap_or("");
    let whole = target.ends_with(":/") || target.ends_with("//");
    let temporary = path.starts_with("var/tmp") || path.starts_with("var/www");
    let absolute = target.split_once(':').is_some_and(|(_, path)| path.starts_with('/'));
    let system = SYSTEM.iter().any(|name| name.strip_prefix('/') == Some(top));
    (absolute && (whole || (system && !temporary))).then(|| Hit {
        resource: Some(format!("host:{}", host.rsplit('@').next().unwrap_or(host))),
        ..Hit::default()
    })
}

fn tells_the_balancer(effect: &Effect) -> Option<Hit> {
    let EffectKind::Run(run) = &effect.kind else { return None };
    if !matches!(run.program.as_str(), "socat" | "nc" | "ncat" | "netcat") {
        return None;
    }
    let said = run.input.as_ref()?.display();
    let socket = run.arguments.iter().any(|argument| argument.text.display().contains("haproxy"));
    let takes = said.split([';', '\n']).any(|line| {
        let line = line.trim_start();
        ["disable ", "shutdown ", "set server", "set weight", "del ", "clear ", "set maxconn"]
            .iter()
            .any(|word| line.starts_with(word))
    });
    (socket && takes).then(Hit::default)
}

/// What `rsync` looks like when it removes what it does not copy.
const MIRRORS: &str = "rsync --delete|--del|--delete-before|--delete-during|--delete-delay|--delete-after|--delete-excluded|--delete-missing-args|--remove-source-files !-n !--dry-run";

/// Those of its options that delete at the destination.
const MIRRORING: [&str; 8] = [
    "--del",
    "--delete",
    "--delete-after",
    "--delete-before",
    "--delete-delay",
    "--delete-during",
    "--delete-excluded",
    "--delete-missing-args",
];

/// A copy that deletes; within the project it is no worse than deleting the directory there.
fn mirrored(effect: &Effect, scene: &Scene<'_>) -> Option<Hit> {
    let EffectKind::Run(run) = &effect.kind else { return None };
    if run.program != "rsync" || !pattern::Command::new(run).has_shape(MIRRORS) {
        return None;
    }
    let options = pattern::options(run);
    if options.has(&["--list-only"]) {
        return None;
    }
    let destination = options.operands().last().and_then(|operand| operand.text.as_known());
    // From which directory a relative path is seen, what is written there shows.
    let whole = |path: &str| {
        let named = format!("/{}", path.trim_start_matches("./").trim_end_matches('/'));
        if path.starts_with('/') {
            return Some(path.to_owned());
        }
        if path.starts_with('~') || path.contains("..") || named == "/" || named == "/." {
            return None;
        }
        let mut there = scene.effects.list.iter().filter(|other| {
            other.at.layer == effect.at.layer && effect.at.span.contains(other.at.span)
        });
        there.find_map(|other| {
            let path = written(other)?.0.path.as_deref()?;
            let above = path.rsplit_once('/').map(|(above, _)| above);
            above
                .filter(|above| above.ends_with(&named))
                .or(Some(path).filter(|path| path.ends_with(&named)))
                .map(str::to_owned)
        })
    };
    let is_inside = |path: String| {
        matches!(
            place::place(&path, scene.facts),
            Place::Workspace | Place::Artifact | Place::Temporary | Place::Cache
        )
    };
    let inside =
        destination.is_some_and(|path| !path.contains(':') && whole(path).is_some_and(is_inside));
    let moves = options.has(&["--remove-source-files"]);
    // What is moved stands at the other place; what that takes away where it was, is told of each of them.
    let is_far = options.operands().any(|operand| operand.text.known_prefix().contains(':'));
    let only_one = !moves || !is_far && !options.has(&MIRRORING);
    let severity = if inside && only_one { Severity::Medium } else { Severity::High };
    Some(Hit { severity: Some(severity), ..Hit::default() })
}

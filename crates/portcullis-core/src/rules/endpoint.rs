//! Rules on services that are named beside the address of a connection: in an option, a setting, a variable, or in the words of a
//! client that is not told of as a connection. Owns the lists of such clients and options; what a host is, [`super::hosts`]
//! says.

use super::{
    Hit, Rule, Scene, Shelf, When,
    hosts::{self, HostKind},
    route::{beginning, values},
};
use crate::{
    address::{host_of, hosts_within},
    effect::{Effect, EffectKind, Kinds, Run},
    finding::{Category, Confidence},
    network,
    risk::Severity,
};

pub(super) static SHELF: Shelf = Shelf { programs: &[], rules: RULES };

static RULES: &[Rule] = &[Rule {
    id: "network.host.service",
    category: Category::System,
    severity: Severity::High,
    confidence: Confidence::High,
    reversible: true,
    message: "a service is named by an address that hides which it is, or that no such service has",
    remedy: "name the service by its own name or its plain address",
    when: When::Effect(Kinds::RUN.and(Kinds::ENVIRONMENT), service),
    fires: &[
        "psql postgres://u:p@169.254.169.254/app",
        "psql 'hostaddr=169.254.169.254 user=app'",
        "redis-cli -u redis://0x7f000001:6379 ping",
        "redis-cli -h 2852039166 ping",
        "mysql --host=169.254.169.254 app",
        "mongosh mongodb://[::ffff:10.0.0.5]/app",
        "git clone http://2852039166/x.git",
        "git clone git@169.254.169.254:x.git",
        "npm install --registry=http://169.254.169.254/ x",
        "DATABASE_URL=postgres://u:p@169.254.169.254/app npm run migrate",
        "export REDIS_URL=redis://0x7f000001:6379; rails console",
        "PGHOST=2852039166 psql -c 'select 1'",
        "VAULT_ADDR=http://[fd00:ec2::254]:8200 vault status",
        "ssh -J 169.254.169.254 dev@example.com uptime",
        "ssh -oProxyJump=u@169.254.169.254:22 dev@example.com",
        "ssh -o 'HostName 169.254.169.254' web",
        "ssh -W 169.254.169.254:80 dev@example.com",
        "scp -J 169.254.169.254 notes.txt dev@example.com:",
        "rsync -a src/ 169.254.169.254::backup",
        "docker pull 169.254.169.254/x",
        "DOCKER_HOST=tcp://169.254.169.254 docker ps",
        "kubectl --server http://169.254.169.254 get pods",
        "curl --doh-url https://169.254.169.254/dns-query https://example.com/",
        "wget --input-file=http://169.254.169.254/list",
        "socat - PROXY:169.254.169.254:example.com:80",
        "etcdctl --endpoints=http://169.254.169.254:2379 get x",
        "aws --endpoint-url http://169.254.169.254 s3 ls",
        "mvn -Dhttp.proxyHost=169.254.169.254 install",
        "chromium --host-resolver-rules='MAP * 169.254.169.254' https://example.com/",
    ],
    quiet: &[
        "psql postgres://u:p@localhost/app -c 'select 1'",
        "psql -c \"select * from hosts where address = '169.254.169.254'\"",
        "redis-cli -h 127.0.0.1 ping",
        "mysql -h db app",
        "git clone https://github.com/a/b",
        "git commit -m 'never ask http://169.254.169.254/'",
        "git grep 169.254.169.254",
        "grep -rn 169.254.169.254 src",
        "psql postgres://u:p@10.0.0.5/app -c 'select 1'",
        "DATABASE_URL=postgres://u:p@localhost:5432/app npm run migrate",
        "DB_HOST=127.0.0.1 PORT=3000 npm test",
        "NO_PROXY=169.254.169.254,localhost npm ci",
        "NOTE='never ask 169.254.169.254' make",
        "LOAD_ADDR=0x80008000 make uImage",
        "ssh -J bastion.example.com dev@10.0.0.5 uptime",
        "ssh -L 5432:db:5432 -N dev@example.com",
        "kubectl --server https://10.0.0.1:6443 get pods",
    ],
}];

/// Programs that connect where an address among their words says.
const CLIENTS: &[&str] = &[
    "bun",
    "cargo",
    "clickhouse-client",
    "gem",
    "git",
    "go",
    "mariadb",
    "mongo",
    "mongodump",
    "mongorestore",
    "mongosh",
    "mysql",
    "mysqldump",
    "npm",
    "npx",
    "pg_dump",
    "pg_restore",
    "pip",
    "pip3",
    "pnpm",
    "poetry",
    "psql",
    "redis-cli",
    "uv",
    "valkey-cli",
    "yarn",
];

/// Programs whose words are hosts, addresses and settings, so that a metadata service among them is what they connect to.
const DIALLERS: &[&str] = &[
    "ab",
    "ansible",
    "aws",
    "azcopy",
    "buildah",
    "bundle",
    "chromium",
    "chromium-browser",
    "clickhouse-client",
    "composer",
    "consul",
    "cqlsh",
    "deno",
    "docker",
    "etcdctl",
    "ffmpeg",
    "ffprobe",
    "go",
    "google-chrome",
    "gradle",
    "grpcurl",
    "helm",
    "hey",
    "hg",
    "influx",
    "java",
    "kcat",
    "kubectl",
    "ldapadd",
    "ldapmodify",
    "ldapsearch",
    "mariadb",
    "memcached-tool",
    "mongo",
    "mongosh",
    "mosh",
    "mvn",
    "mysql",
    "nats",
    "nvim",
    "oc",
    "pg_dump",
    "pg_restore",
    "podman",
    "psql",
    "rclone",
    "redis-cli",
    "rsh",
    "rsync",
    "sendmail",
    "skopeo",
    "socat",
    "sqlcmd",
    "ssh-copy-id",
    "ssh-keyscan",
    "sshfs",
    "svn",
    "swaks",
    "telnet",
    "terraform",
    "tofu",
    "valkey-cli",
    "vault",
    "vim",
    "whois",
    "wrk",
];

/// Options and settings that name a host beside the one that is connected to; their values may have blanks.
const NAMED: &[(&[&str], &[&str])] = &[
    (&["ssh", "scp", "sftp", "autossh"], &["-J", "-W", "-L", "-o"]),
    (&["curl", "curlie"], &["--doh-url", "--dns-servers"]),
    (&["wget", "wget2"], &["--input-file", "--base"]),
    (
        &["chromium", "chromium-browser", "google-chrome"],
        &["--host-resolver-rules", "--host-rules"],
    ),
];

/// Stores whose `-h` is a host.
const STORES: &[&str] = &[
    "clickhouse-client",
    "mariadb",
    "mongo",
    "mongodump",
    "mongorestore",
    "mongosh",
    "mysql",
    "mysqldump",
    "pg_dump",
    "pg_restore",
    "psql",
    "redis-cli",
    "valkey-cli",
];

fn service(effect: &Effect, _: &Scene<'_>) -> Option<Hit> {
    let host = match &effect.kind {
        EffectKind::Environment { name, value } => {
            network::service_in_variable(name, &beginning(value))
        }
        EffectKind::Run(run) => service_of(run),
        _ => None,
    }?;
    Some(Hit { resource: Some(format!("host:{host}")), ..Hit::default() })
}

fn service_of(run: &Run) -> Option<String> {
    let program = run.program.as_str();
    let is_in = |table: &[&str]| table.binary_search(&program).is_ok();
    if let Some((_, names)) = NAMED.iter().find(|(programs, _)| programs.contains(&program)) {
        let metadata = values(run, names).find_map(|value| metadata_within(&value));
        if metadata.is_some() {
            return metadata;
        }
    }
    let (is_client, is_dialler) = (is_in(CLIENTS), is_in(DIALLERS));
    if !is_client && !is_dialler {
        return None;
    }
    let given = is_in(STORES).then(|| values(run, &["-h", "--host"]));
    let given = given
        .into_iter()
        .flatten()
        .filter_map(|value| host_of(&value))
        .find(|host| is_astray(host));
    given.or_else(|| {
        run.arguments.iter().find_map(|argument| {
            let known = beginning(&argument.text);
            if known.contains(char::is_whitespace) {
                // Those of a message or a query, unless it says that it is a host.
                let mut words = known.split_whitespace().filter(|word| word.starts_with("host"));
                return words.find_map(metadata_within);
            }
            let address = known.contains("://").then(|| address_in(&known)).flatten();
            address.filter(|host| is_astray(host)).or_else(|| {
                let is_address = is_dialler || known.contains("://") || is_remote_path(&known);
                is_address.then(|| metadata_within(&known)).flatten()
            })
        })
    })
}

/// `git@host:path`.
fn is_remote_path(word: &str) -> bool {
    word.split_once('@').is_some_and(|(_, rest)| rest.contains(':'))
}

/// The host of `scheme://host` or `name=scheme://host`.
fn address_in(word: &str) -> Option<String> {
    let (before, _) = word.split_once("://")?;
    let scheme = before.rsplit_once('=').map_or(0, |(name, _)| name.len() + 1);
    word.get(scheme..).and_then(host_of)
}

fn is_astray(host: &str) -> bool {
    hosts::kind(host) == HostKind::Metadata || hosts::is_disguised(host)
}

fn metadata_within(text: &str) -> Option<String> {
    hosts_within(text).find(|host| network::is_metadata(host))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_sorted() {
        for table in [CLIENTS, DIALLERS, STORES] {
            assert!(table.is_sorted(), "{table:?}");
        }
    }
}

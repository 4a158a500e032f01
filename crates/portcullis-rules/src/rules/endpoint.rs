//! Rules on services that are named beside the address of a connection: in an option, a setting, a variable, or in the words of a
//! client that is not told of as a connection. Owns the lists of such clients and options; what a host is, [`super::hosts`]
//! says.

use super::{
    Hit, Rule, Scene, Shelf, When,
    hosts::{self, HostKind},
    pattern,
    route::{beginning, values},
};
use crate::{
    address::{host_of, hosts_within},
    effect::{Effect, EffectKind, Kinds, Run},
    finding::{Category, Confidence},
    network,
    programs::cards::{self, Connects},
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
        "ssh -o Hostname=0xa9fea9fe web",
        "ssh -o 'HostName 0177.0.0.1' web",
        "ssh -L 8080:2852039166:80 -N dev@example.com",
        "ssh -J dev@0xa9fea9fe:22 web",
        "scp -o ProxyJump=0x7f000001 notes.txt web:",
        "git -c core.sshCommand='ssh -o HostName=2852039166' fetch",
        "GIT_SSH_COMMAND='ssh -o HostName=0xa9fea9fe' git fetch",
        "git clone git@0xa9fea9fe:x.git",
        "pip config set global.proxy 0xa9fea9fe:3128",
        "git config --global http.proxy 169.254.169.254:80",
        "git -c url.http://0xa9fea9fe/.insteadOf=https://github.com/ clone https://github.com/a/b",
        "rsync -e 'ssh -o HostName=0x7f000001' -a src/ web:",
        "psql 'hostaddr=0x7f000001 user=app'",
        "java -Dhttp.proxyHost=2852039166 -jar x.jar",
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
        "ssh -o HostName=10.0.0.5 web uptime",
        "ssh -o RekeyLimit=4294967295 -o ServerAliveInterval=30000000 web uptime",
        "git -c http.postBuffer=1048576000 push",
        "git config http.postBuffer 524288000",
        "docker run -e ID=3221225994 --memory 2147483648 app",
        "ssh -L 5432:db:5432 -N dev@example.com",
        "kubectl --server https://10.0.0.1:6443 get pods",
    ],
}];

/// Programs that connect where one of their words says.
const CLIENTS: &[(&str, Connects)] = &[
    ("ab", Connects::Hosts),
    ("ansible", Connects::Hosts),
    ("aws", Connects::Hosts),
    ("azcopy", Connects::Hosts),
    ("bun", Connects::Addresses),
    ("bundle", Connects::Hosts),
    ("cargo", Connects::Addresses),
    ("chromium", Connects::Hosts),
    ("chromium-browser", Connects::Hosts),
    ("clickhouse-client", Connects::Store),
    ("composer", Connects::Hosts),
    ("consul", Connects::Hosts),
    ("cqlsh", Connects::Hosts),
    ("deno", Connects::Hosts),
    ("etcdctl", Connects::Hosts),
    ("ffmpeg", Connects::Hosts),
    ("ffprobe", Connects::Hosts),
    ("gem", Connects::Addresses),
    ("git", Connects::Addresses),
    ("go", Connects::Hosts),
    ("google-chrome", Connects::Hosts),
    ("gradle", Connects::Hosts),
    ("grpcurl", Connects::Hosts),
    ("hey", Connects::Hosts),
    ("hg", Connects::Hosts),
    ("influx", Connects::Hosts),
    ("java", Connects::Hosts),
    ("kcat", Connects::Hosts),
    ("ldapadd", Connects::Hosts),
    ("ldapmodify", Connects::Hosts),
    ("ldapsearch", Connects::Hosts),
    ("mariadb", Connects::Store),
    ("memcached-tool", Connects::Hosts),
    ("mongo", Connects::Store),
    ("mongodump", Connects::Store),
    ("mongorestore", Connects::Store),
    ("mongosh", Connects::Store),
    ("mosh", Connects::Hosts),
    ("mvn", Connects::Hosts),
    ("mysql", Connects::Store),
    ("mysqldump", Connects::Store),
    ("nats", Connects::Hosts),
    ("npm", Connects::Addresses),
    ("npx", Connects::Addresses),
    ("nvim", Connects::Hosts),
    ("pg_dump", Connects::Store),
    ("pg_restore", Connects::Store),
    ("pip", Connects::Addresses),
    ("pip3", Connects::Addresses),
    ("pnpm", Connects::Addresses),
    ("poetry", Connects::Addresses),
    ("psql", Connects::Store),
    ("redis-cli", Connects::Store),
    ("rsh", Connects::Hosts),
    ("rsync", Connects::Hosts),
    ("sendmail", Connects::Hosts),
    ("skopeo", Connects::Hosts),
    ("socat", Connects::Hosts),
    ("sqlcmd", Connects::Hosts),
    ("ssh-copy-id", Connects::Hosts),
    ("ssh-keyscan", Connects::Hosts),
    ("sshfs", Connects::Hosts),
    ("svn", Connects::Hosts),
    ("swaks", Connects::Hosts),
    ("telnet", Connects::Hosts),
    ("uv", Connects::Addresses),
    ("valkey-cli", Connects::Store),
    ("vault", Connects::Hosts),
    ("vim", Connects::Hosts),
    ("whois", Connects::Hosts),
    ("wrk", Connects::Hosts),
    ("yarn", Connects::Addresses),
];

/// What an option says that names a host beside the one that is connected to; there may be blanks in it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Says {
    /// Hosts, ports, and words of no meaning.
    Hosts,
    /// A setting of ssh: `name=value` or `name value`.
    OfSsh,
    /// Anything, so that only a metadata service in it is told from other words and numbers.
    Anything,
}

const NAMED: &[(&[&str], &[&str], Says)] = &[
    (&["ssh", "scp", "sftp", "autossh"], &["-J", "-W", "-L", "-R", "-D"], Says::Hosts),
    (&["ssh", "scp", "sftp", "autossh"], &["-o"], Says::OfSsh),
    (&["curl", "curlie"], &["--doh-url", "--dns-servers"], Says::Hosts),
    (&["wget", "wget2"], &["--input-file", "--base"], Says::Hosts),
    (
        &["chromium", "chromium-browser", "google-chrome"],
        &["--host-resolver-rules", "--host-rules"],
        Says::Hosts,
    ),
    (&["git"], &["-c"], Says::Anything),
];

/// Settings of ssh that name hosts.
const OF_SSH: &[&str] =
    &["bindaddress", "dynamicforward", "hostname", "localforward", "proxyjump", "remoteforward"];

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
    let named = NAMED.iter().filter(|(programs, ..)| programs.contains(&program));
    let named =
        named.flat_map(|(_, names, says)| values(run, names).map(move |value| (value, says)));
    let mut hosts = named.filter_map(|(value, says)| match says {
        Says::Hosts => astray_within(&value),
        Says::OfSsh => in_setting_of_ssh(&value),
        Says::Anything => metadata_within(&value),
    });
    if let Some(host) = hosts.next() {
        return Some(host);
    }
    let row = CLIENTS.binary_search_by(|(name, _)| (*name).cmp(program)).ok();
    let row = row.and_then(|row| CLIENTS.get(row)).map(|(_, words)| *words);
    let words = row.or_else(|| cards::card(program)?.connects)?;
    // `pip config set global.proxy host:port`, `git config http.proxy host:port`.
    let first = pattern::options(run).operands().next();
    let sets = first.is_some_and(|word| word.text.as_known() == Some("config"));
    let given = (words == Connects::Store).then(|| values(run, &["-h", "--host"]));
    let mut given = given.into_iter().flatten().filter_map(|value| host_of(&value));
    given.find(|host| is_astray(host)).or_else(|| {
        run.arguments.iter().find_map(|argument| {
            let known = beginning(&argument.text);
            if known.contains(char::is_whitespace) {
                // Those of a message or a query, unless it says that it is a host.
                let is_host = |word: &&str| {
                    word.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("host"))
                };
                return known.split_whitespace().filter(is_host).find_map(astray_within);
            }
            let address = known.contains("://").then(|| address_in(&known)).flatten();
            address.filter(|host| is_astray(host)).or_else(|| {
                let is_address = words != Connects::Addresses
                    || sets
                    || known.contains("://")
                    || is_remote_path(&known);
                is_address.then(|| metadata_within(&known)).flatten()
            })
        })
    })
}

/// `HostName=host`, `HostName host`.
fn in_setting_of_ssh(setting: &str) -> Option<String> {
    let setting = setting.trim_start();
    let end = |letter: char| letter == '=' || letter.is_whitespace();
    let (name, value) = setting.split_once(end)?;
    if OF_SSH.contains(&name.to_ascii_lowercase().as_str()) {
        return astray_within(value);
    }
    metadata_within(value)
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

fn astray_within(text: &str) -> Option<String> {
    hosts_within(text).find(|host| is_astray(host))
}

fn metadata_within(text: &str) -> Option<String> {
    hosts_within(text).find(|host| network::is_metadata(host))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_sorted() {
        assert!(CLIENTS.is_sorted_by(|(one, _), (other, _)| one < other));
    }
}

//! The programs that take secrets among their words, and where. Owns the table; `taken` applies it.

/// How a program takes a secret.
#[derive(Clone, Copy, Debug)]
pub(super) enum Take {
    /// As the value of an option: the next word, or behind `=`; behind a name that ends in `*` also joined to it.
    Option(&'static str),
    /// The same behind a user and a separator.
    Login(&'static str, u8),
    /// As cookies, the value of an option.
    Cookies(&'static str),
    /// As a login that is joined to the last of several letters, behind these that take nothing.
    Bundled(&'static str, u8),
    /// Joined to this.
    Joined(&'static str),
    /// As an operand behind the verbs, from 0.
    Operand(usize),
    /// As the last operand behind the verbs, where there are more than so many.
    Last(usize),
    /// As the value of each `NAME=value` behind the verbs.
    Pairs,
    /// As an operand, or the value of one, that nobody takes for a word: it may also be a setting.
    Made,
    /// As an operand behind a user and this, up to an `@`: `user/secret@database`.
    Behind(u8),
    /// As what is typed, where nobody takes it for a word or a password was asked for.
    Typed,
}

/// What a program takes.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) programs: &'static [&'static str],
    /// Words that all stand behind it.
    pub(super) verbs: &'static [&'static str],
    pub(super) takes: &'static [Take],
}

use Take::{Behind, Bundled, Cookies, Joined, Last, Login, Made, Operand, Option, Pairs, Typed};

const fn row(
    programs: &'static [&'static str],
    verbs: &'static [&'static str],
    takes: &'static [Take],
) -> Row {
    Row { programs, verbs, takes }
}

/// What starts another program that stands among its words.
pub(super) const WRAPPERS: &[&str] = &[
    "builtin", "command", "do", "doas", "else", "env", "exec", "export", "nice", "nohup", "npx",
    "pipx", "pnpm", "python", "python3", "stdbuf", "sudo", "then", "time", "timeout", "uvx",
    "xargs", "$", "#", "-",
];

const HELM: &[&str] = &["helm", "oras", "crane", "skopeo", "podman", "buildah", "nerdctl"];

pub(super) static ROWS: &[Row] = &[
    // Requests.
    row(
        &["curl"],
        &[],
        &[
            Cookies("-b*"),
            Cookies("--cookie"),
            Option("--oauth2-bearer"),
            Login("-E*", b':'),
            Login("--cert", b':'),
            Login("--proxy-cert", b':'),
            Option("--tlspassword"),
            Option("--proxy-tlspassword"),
            Option("--proxy-pass"),
            Bundled("sSfLkvigIOJNRGqlnp#", b'u'),
        ],
    ),
    row(&["http", "https", "httpie", "xh"], &[], &[Login("--auth", b':'), Login("-a*", b':')]),
    // Registries and packages.
    row(&["twine"], &["upload"], &[Option("-p*")]),
    row(&["poetry"], &["publish"], &[Option("-p*")]),
    row(&["poetry"], &["config"], &[Made]),
    row(&["uv"], &["publish"], &[Option("-t*"), Option("-p*")]),
    row(&["hatch"], &["publish"], &[Option("-a*"), Option("--auth")]),
    row(&["cargo"], &["login"], &[Operand(0)]),
    row(&["gem"], &["push"], &[Option("--key"), Option("-k*"), Option("--otp")]),
    row(&["bundle", "bundler"], &["config"], &[Made]),
    row(&["composer"], &["config"], &[Made]),
    row(&["nuget"], &["setapikey"], &[Operand(0)]),
    row(&["dotnet"], &["nuget", "push"], &[Option("-k*")]),
    row(&["dotnet"], &["nuget", "add", "source"], &[Option("-p*")]),
    row(&["dotnet"], &["user-secrets", "set"], &[Last(1)]),
    row(&["npm", "yarn", "pnpm"], &["config", "set"], &[Made]),
    row(&["npm", "yarn", "pnpm"], &[], &[Option("--otp")]),
    row(HELM, &["login"], &[Option("-p*")]),
    row(
        HELM,
        &[],
        &[
            Login("--creds", b':'),
            Login("--src-creds", b':'),
            Login("--dest-creds", b':'),
            Option("--registry-token"),
        ],
    ),
    // Clouds and services.
    row(&["aws"], &["put-parameter", "SecureString"], &[Option("--value")]),
    row(&["aws"], &["configure", "set"], &[Made]),
    row(
        &["kubectl", "oc", "k", "kubecolor"],
        &["create", "secret"],
        &[Login("--from-literal", b'=')],
    ),
    row(&["oc", "kubectl"], &["login"], &[Option("-p*")]),
    row(&["vault", "bao"], &["put"], &[Pairs]),
    row(&["vault", "bao"], &["patch"], &[Pairs]),
    row(&["vault", "bao"], &["write"], &[Pairs]),
    row(&["vault", "bao"], &["login"], &[Operand(0)]),
    row(&["cf"], &["auth"], &[Operand(1)]),
    row(&["fly", "flyctl", "supabase", "doppler", "sst"], &["secrets", "set"], &[Pairs]),
    row(&["fly", "flyctl", "sst", "supabase"], &["secrets", "set"], &[Made]),
    row(&["sst"], &["secret", "set"], &[Operand(1)]),
    row(&["doppler"], &["secrets", "set"], &[Operand(1)]),
    row(&["heroku"], &["config:set"], &[Made]),
    row(&["railway"], &["variables"], &[Made]),
    row(&["netlify"], &["env:set"], &[Made]),
    row(&["vercel"], &[], &[Option("-t")]),
    row(&["gh"], &["secret", "set"], &[Option("-b*")]),
    row(&["glab"], &["login"], &[Option("-t*")]),
    row(&["gitlab-runner"], &["register"], &[Option("-r*")]),
    row(&["pulumi"], &["config", "set", "--secret"], &[Last(1)]),
    row(&["rclone"], &["config", "create"], &[Made]),
    row(&["rclone"], &["config", "update"], &[Made]),
    row(&["rclone"], &["obscure"], &[Operand(0)]),
    row(&["mc", "mcli", "minio-mc"], &["alias", "set"], &[Last(2)]),
    row(&["mc", "mcli", "minio-mc"], &["host", "add"], &[Last(2)]),
    row(&["ngrok"], &["authtoken"], &[Operand(0)]),
    row(&["ngrok"], &["add-authtoken"], &[Operand(0)]),
    row(&["cloudflared"], &["service", "install"], &[Operand(0)]),
    row(&["snyk"], &["auth"], &[Operand(0)]),
    row(&["wandb"], &["login"], &[Operand(0)]),
    row(&["codecov"], &[], &[Option("-t*")]),
    row(&["openai"], &[], &[Option("-k*")]),
    row(&["kaggle"], &["config", "set"], &[Made]),
    row(&["influx"], &[], &[Option("-t*")]),
    row(&["slack-cli", "slack"], &[], &[Option("-t")]),
    row(&["svn"], &[], &[Option("--password")]),
    row(&["p4"], &[], &[Option("-P*")]),
    row(&["git"], &["config"], &[Made]),
    // Databases and queues.
    row(
        &["impdp", "expdp", "imp", "exp", "sqlldr", "rman", "tnsping", "sqlplus", "sqlcl"],
        &[],
        &[Behind(b'/')],
    ),
    row(&["bteq"], &[".logon"], &[Behind(b',')]),
    row(&["mycli", "pgcli", "snowsql", "cqlsh", "cypher-shell"], &[], &[Option("-p*")]),
    row(&["isql", "iusql"], &[], &[Operand(2)]),
    row(&["db2"], &["connect", "using"], &[Operand(0)]),
    row(&["etcdctl"], &[], &[Login("--user", b':')]),
    row(&["rabbitmqctl"], &["add_user"], &[Operand(1)]),
    row(&["rabbitmqctl"], &["change_password"], &[Operand(1)]),
    row(&["rabbitmqctl"], &["authenticate_user"], &[Operand(1)]),
    row(&["rabbitmqadmin"], &[], &[Option("-p*")]),
    row(&["mosquitto_pub", "mosquitto_sub", "mosquitto_rr"], &[], &[Option("-P*")]),
    row(&["mosquitto_passwd"], &["-b"], &[Last(2)]),
    row(&["ldappasswd"], &[], &[Option("-s*"), Option("-a*")]),
    // Other machines.
    row(&["runas"], &[], &[Made]),
    row(&["smbclient", "rpcclient", "winexe", "smbget"], &[], &[Login("-U", b'%')]),
    row(
        &[
            "psexec",
            "PsExec",
            "PsExec64",
            "crackmapexec",
            "cme",
            "nxc",
            "netexec",
            "hydra",
            "evil-winrm",
            "bloodhound-python",
            "racadm",
            "ncftpput",
            "ncftpget",
            "ncftpls",
            "rdesktop",
        ],
        &[],
        &[Option("-p*")],
    ),
    row(&["xfreerdp", "wfreerdp", "xfreerdp3", "sdl-freerdp"], &[], &[Joined("/p:")]),
    row(
        &[
            "impacket-psexec",
            "impacket-secretsdump",
            "impacket-smbexec",
            "impacket-wmiexec",
            "psexec.py",
            "secretsdump.py",
            "smbexec.py",
            "wmiexec.py",
        ],
        &[],
        &[Behind(b':')],
    ),
    row(&["ipmitool"], &[], &[Option("-P*")]),
    row(&["snmpget", "snmpwalk", "snmpset", "snmpbulkwalk"], &[], &[Option("-c*")]),
    row(&["wg"], &["preshared-key"], &[Operand(0)]),
    row(&["iwconfig"], &["key"], &[Operand(0)]),
    row(&["user"], &[], &[Made]),
    // Keys, archives and accounts.
    row(&["openssl"], &["passwd"], &[Made]),
    row(&["openssl"], &[], &[Option("-hmac")]),
    row(&["rar", "unrar"], &[], &[Joined("-hp")]),
    row(&["qpdf"], &["--encrypt"], &[Operand(0), Operand(1)]),
    row(&["signtool", "signtool.exe"], &["sign"], &[Option("/p")]),
    row(&["security"], &["unlock-keychain"], &[Option("-p*")]),
    row(&["security"], &["create-keychain"], &[Option("-p*")]),
    row(&["security"], &["add-generic-password"], &[Option("-w*")]),
    row(&["security"], &["add-internet-password"], &[Option("-w*")]),
    row(&["security"], &["import"], &[Option("-P*")]),
    row(&["security"], &["set-key-partition-list"], &[Option("-k*")]),
    row(&["ansible-vault"], &["encrypt_string"], &[Operand(0)]),
    row(&["caddy"], &["hash-password"], &[Option("--plaintext"), Option("-p")]),
    row(&["mkpasswd", "whois"], &[], &[Made]),
    row(&["usermod", "useradd"], &[], &[Option("-p*")]),
    row(&["dscl"], &["-passwd"], &[Last(1)]),
    row(&["virsh"], &["secret-set-value"], &[Operand(1)]),
    // What is typed.
    row(&["xdotool", "ydotool"], &["type"], &[Typed]),
    row(&["wtype", "wlrctl"], &[], &[Typed]),
    row(&["tmux", "screen"], &[], &[Typed]),
    row(&["send", "send_user"], &[], &[Typed]),
];

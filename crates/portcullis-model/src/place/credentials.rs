//! Files that hold keys, tokens and passwords. Owns the table; one row per kind.

use super::{index::index, pattern::Located};

/// A kind of credential.
#[derive(Debug, Eq, PartialEq)]
pub struct Credential {
    /// What it is, for a person.
    pub what: &'static str,
    /// How it is used without being shown.
    pub class: CredentialClass,
    pub(super) patterns: &'static [&'static str],
}

/// What a credential opens, which says how ordinary it is to name it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum CredentialClass {
    /// Accounts of the machine itself: nothing but the system has business with it.
    System,
    /// Memory or environment of processes.
    Process,
    /// A user's keys and logins; programs are told where they are to use them.
    User,
    /// Settings of a project with passwords in them; programs load them.
    Project,
}

impl Credential {
    /// Whether it is the token with which a person decides what the gate asks: whoever has it approves.
    #[must_use]
    pub fn decides(&self) -> bool {
        self.what == PERSONS_TOKEN
    }
}

const PERSONS_TOKEN: &str = "the token with which a person decides";

pub(super) fn find(located: &Located<'_>) -> Option<&'static Credential> {
    let found = TABLE.get(index!(TABLE).row(located)?)?;
    let harmless = EXCEPTIONS.iter().any(|pattern| located.surely_matches(pattern));
    (!harmless || found.class == System).then_some(found)
}

/// What looks like a credential and is none.
const EXCEPTIONS: &[&str] = &[
    "**/*.pub",
    "**/.ssh/authorized_keys",
    "**/known_hosts*",
    "~/.ssh/config",
    "~/.ssh/config.d/**",
    "~/.ssh/environment",
    "~/.gnupg/*.conf",
    "~/.gnupg/pubring*",
    "**/.env.example|.env.sample|.env.template|.env.dist|.env.test.example|.env.*.example|.env.*.sample|.env.schema|.env.defaults|.env.d.ts|.env.vault",
    "**/*.example|*.sample|*.template|*.dist|*.tmpl",
    "**/*cert*.pem|*chain*.pem|cacert*.pem|ca.pem|ca-*.pem|*-ca.pem|*pub*.pem|*public*|dhparam*|csr.pem",
    "**/*.key.ts|*.key.js|*.keys.ts|keys.ts",
    "/etc/ssl/certs/**",
    "/usr/share/**",
    "/usr/lib/**",
    "**/node_modules/**",
    "**/site-packages/**",
];

/// Every row.
pub(super) fn rows() -> impl Iterator<Item = &'static Credential> {
    TABLE.iter()
}

const fn row(
    what: &'static str,
    class: CredentialClass,
    patterns: &'static [&'static str],
) -> Credential {
    Credential { what, class, patterns }
}

use CredentialClass::{Process, Project, System, User};

/// Files that everyone on the machine may read and most programs do, though they list its users.
pub(super) const ACCOUNTS: &str = "**/etc/passwd|group|passwd-|group-";

static TABLE: &[Credential] = &[
    row(
        "the system's password hashes",
        System,
        &[
            "/etc/shadow|shadow-|gshadow|gshadow-|master.passwd|spwd.db",
            "**/etc/shadow|shadow-|gshadow|gshadow-|master.passwd|spwd.db",
            "/etc/security/opasswd",
            "/etc/tcb/**",
            "/var/db/dslocal/nodes/**",
            "/var/db/shadow/**",
            "?:/Windows/System32/config/SAM|SYSTEM|SECURITY",
            "?:/Windows/repair/SAM|SYSTEM|SECURITY",
            "?:/Windows/NTDS/**",
            "**/ntds.dit|NTDS.dit",
        ],
    ),
    row(
        "who may become root",
        System,
        &["/etc/sudoers|doas.conf", "**/etc/sudoers", "/etc/sudoers.d/**"],
    ),
    row(
        "the machine's private keys",
        System,
        &[
            "/etc/ssh/ssh_host_*_key",
            "/etc/ssl/private/**",
            "/etc/pki/tls/private/**",
            "/etc/pki/CA/private/**",
            "/etc/letsencrypt/live|archive|accounts/**",
            "/etc/wireguard/**",
            "/etc/ipsec.secrets",
            "/etc/openvpn/**",
            "/etc/krb5.keytab",
            "/var/lib/sss/secrets/**",
            "/etc/machine-key",
            "/etc/NetworkManager/system-connections/**",
            "/etc/wpa_supplicant/*.conf",
            "/etc/ppp/*-secrets",
            "/etc/netplan/*wifi*",
        ],
    ),
    row(
        "the cluster's own credentials",
        System,
        &[
            "/etc/kubernetes/admin.conf|super-admin.conf|kubelet.conf|controller-manager.conf|scheduler.conf",
            "/etc/kubernetes/pki/**",
            "/etc/rancher/k3s/k3s.yaml",
            "/var/lib/rancher/k3s/server/**",
            "/var/lib/kubelet/pki/**",
            "/var/run/secrets/**",
            "/run/secrets/**",
            "/var/lib/etcd/**",
            "/var/lib/docker/swarm/**",
        ],
    ),
    row(
        "a database's own login",
        System,
        &["/etc/mysql/debian.cnf", "/etc/postgresql/*/*/pg_hba.conf"],
    ),
    row("a process's environment", Process, &["/proc/*/environ", "/proc/*/task/*/environ"]),
    row(
        "a process's memory",
        Process,
        &[
            "/proc/*/mem",
            "/proc/*/task/*/mem",
            "/proc/kcore",
            "/dev/mem|kmem|kcore|oldmem",
            "/sys/kernel/security/**",
            "/proc/*/auxv",
            "/proc/keys",
            "/swapfile",
            "/proc/kmem",
            "?:/hiberfil.sys|pagefile.sys",
            "**/lsass*.dmp",
        ],
    ),
    row(
        "a private SSH key",
        User,
        &[
            "~/.ssh/**",
            "**/.ssh/id_*",
            "**/id_rsa|id_dsa|id_ecdsa|id_ed25519|id_ed25519_sk|id_ecdsa_sk|id_xmss",
            "**/*.ppk",
            "**/.ssh/*_rsa|*_ed25519|*_ecdsa|*_key|*.pem|authorized_keys",
        ],
    ),
    row("OpenPGP keys", User, &["~/.gnupg/**", "**/secring.gpg", "**/private-keys-v1.d/**"]),
    row(
        "AWS credentials",
        User,
        &[
            "~/.aws/**",
            "**/.aws/credentials",
            "~/.boto",
            "~/.s3cfg",
            "~/.passwd-s3fs",
            "/etc/passwd-s3fs",
        ],
    ),
    row(
        "Google Cloud credentials",
        User,
        &[
            "~/.config/gcloud/**",
            "**/gcloud/application_default_credentials.json|credentials.db|access_tokens.db",
            "~/AppData/Roaming/gcloud/**",
            "**/*service-account*.json|*service_account*.json|*serviceaccount*.json|*-sa-key*.json|gcp-key*.json|gcp-credentials*.json",
        ],
    ),
    row(
        "Azure credentials",
        User,
        &["~/.azure/**", "**/.azure/accessTokens.json|msal_token_cache.*"],
    ),
    row(
        "Kubernetes credentials",
        User,
        &[
            "~/.kube/**",
            "**/.kube/config",
            "**/kubeconfig|*.kubeconfig|kubeconfig.yaml|kubeconfig.yml",
        ],
    ),
    row(
        "container registry logins",
        User,
        &[
            "~/.docker/config.json",
            "~/.docker/machine/**",
            "**/.dockercfg|.dockerconfigjson",
            "~/.config/containers/auth.json",
            "**/containers/auth.json",
        ],
    ),
    row(
        "logins for network programs",
        User,
        &[
            "**/.netrc|_netrc|.pgpass|pgpass.conf|.my.cnf|.mylogin.cnf|.smbcredentials|.mongorc.js|.rediscli_auth|.cifs*credentials|.fetchmailrc|.msmtprc|.authinfo|.authinfo.gpg",
            "~/.config/rclone/**",
            "~/.rclone.conf",
            "~/.davfs2/secrets",
            "~/.lftp/bookmarks",
            "~/.config/filezilla/**",
            "~/.subversion/auth/**",
            "~/.config/msmtp/config",
            "~/.purple/accounts.xml",
            "~/.irssi/config",
            "~/.config/hexchat/**",
        ],
    ),
    row(
        "version control logins",
        User,
        &[
            "**/.git-credentials",
            "~/.config/git/credentials",
            "~/.config/gh/hosts.yml",
            "~/.config/hub",
            "~/.config/glab-cli/**",
            "~/.config/github-copilot/hosts.json|apps.json",
            "~/.gitcookies",
        ],
    ),
    row(
        "package registry tokens",
        User,
        &[
            "~/.npmrc|.yarnrc.yml|.pypirc|.condarc",
            "~/.cargo/credentials*",
            "~/.gem/credentials",
            "~/.local/share/gem/credentials",
            "~/.composer/auth.json",
            "~/.config/composer/auth.json",
            "~/.m2/settings.xml|settings-security.xml",
            "~/.gradle/gradle.properties",
            "~/.nuget/NuGet/NuGet.Config",
            "~/.config/pypoetry/auth.toml",
            "~/.hex/hex.config",
            "~/.config/pip/pip.conf",
            "**/.pypirc",
            "~/.cabal/config",
            "~/.bundle/config",
            "~/.sbt/credentials|.credentials",
            "~/.ivy2/.credentials",
        ],
    ),
    row(
        "infrastructure credentials",
        User,
        &[
            "~/.vault-token|.vault-pass|.vault_pass*",
            "~/.terraform.d/credentials*",
            "~/.terraformrc",
            "~/.pulumi/credentials.json",
            "~/.config/doctl/config.yaml",
            "~/.config/hcloud/cli.toml",
            "~/.config/linode-cli",
            "~/.config/scw/config.yaml",
            "~/.oci/**",
            "~/.heroku/**",
            "~/.config/heroku/**",
            "~/.fly/config.yml",
            "~/.config/netlify/config.json",
            "~/.config/vercel/auth.json",
            "~/.local/share/com.vercel.cli/auth.json",
            "~/.config/configstore/**",
            "~/.wrangler/config/**",
            "~/.config/.wrangler/config/**",
            "~/.databrickscfg",
            "~/.snowsql/config",
            "~/.snowflake/**",
            "~/.dbt/profiles.yml",
            "~/.config/ngrok/**",
            "~/.ngrok2/**",
            "~/.cloudflared/**",
            "~/.config/stripe/**",
            "~/.config/sentry*/**",
            "~/.sentryclirc",
            "~/.config/op/**",
            "~/.config/gopass/**",
            "**/.vault_pass*|vault_pass.txt|.vault-password",
            "~/.chef/*.pem",
            "~/.puppetlabs/etc/puppet/ssl/**",
            "~/.jfrog/**",
            "~/.circleci/cli.yml",
            "~/.travis/config.yml",
            "~/.kaggle/**",
            "~/.huggingface/token",
            "~/.cache/huggingface/token|stored_tokens",
            "~/.config/openai*/**",
            "~/.openai/**",
            "~/.config/anthropic/**",
            "~/.anthropic/**",
            "~/.wandb/**",
            "~/.config/wandb/**",
            "~/.modal.toml",
            "~/.replicate/**",
            "~/.aliyun/**",
            "~/.bluemix/**",
            "~/.minikube/certs|profiles/**",
            "~/.config/helm/registry/config.json",
            "~/.argocd/config",
            "~/.config/argocd/config",
            "~/.config/flyctl/**",
            "~/.railway/config.json",
            "~/.supabase/access-token",
        ],
    ),
    row(
        PERSONS_TOKEN,
        User,
        &[
            "~/.local/state/portcullis/gateway/token",
            "~/Library/Application Support/portcullis/gateway/token",
            "~/AppData/Local/portcullis/gateway/token",
            "/var/lib/portcullis/gateway/token",
        ],
    ),
    row(
        "the tokens of the gate's own gateway",
        User,
        &[
            "~/.local/state/portcullis/gateway/**",
            "~/Library/Application Support/portcullis/gateway/**",
            "~/AppData/Local/portcullis/gateway/**",
            "/var/lib/portcullis/gateway/**",
        ],
    ),
    row(
        "a coding agent's login",
        User,
        &[
            "~/.claude/.credentials.json",
            "~/.claude.json",
            "~/.codex/auth.json",
            "~/.gemini/oauth_creds.json|google_accounts.json",
            "~/.local/share/opencode/auth.json",
            "~/.copilot/config.json",
            "~/.qwen/oauth_creds.json",
            "~/.factory/auth.json",
            "~/.config/amp/secrets.json",
            "~/.local/share/amp/secrets.json",
            "~/.grok/user-settings.json",
            "~/.local/share/crush/crush.json",
            "~/.cursor/auth.json",
            "~/.config/cursor/auth.json",
            "~/.aws/sso/cache/**",
        ],
    ),
    row(
        "a password store",
        User,
        &[
            "~/.password-store/**",
            "~/.local/share/keyrings/**",
            "~/.gnome2/keyrings/**",
            "~/.local/share/kwalletd/**",
            "~/.kde*/share/apps/kwallet/**",
            "~/Library/Keychains/**",
            "/Library/Keychains/**",
            "/System/Library/Keychains/**",
            "**/*.kdbx|*.kdb|*.agilekeychain|*.opvault|*.1pif|*.psafe3",
            "~/.config/Bitwarden*/**",
            "~/.config/1Password/**",
            "~/.config/keepassxc/**",
            "~/.lastpass/**",
            "~/.local/share/lpass/**",
            "~/.lpass/**",
            "~/AppData/Roaming|Local/Microsoft/Credentials|Protect|Vault/**",
            "~/AppData/Local/1Password/**",
            "~/.authy/**",
        ],
    ),
    row(
        "a browser's profile with its logins",
        User,
        &[
            "~/.mozilla/firefox/**",
            "~/snap/firefox/**",
            "~/.config/google-chrome*|chromium|BraveSoftware|microsoft-edge*|opera|vivaldi/**",
            "~/Library/Application Support/Google|Firefox|BraveSoftware|Chromium|Microsoft Edge|Arc/**",
            "~/Library/Cookies|Safari/**",
            "~/AppData/Local/Google|BraveSoftware|Microsoft/Chrome|Brave-Browser|Edge/**",
            "~/AppData/Roaming/Mozilla|Opera Software/**",
            "**/logins.json|key4.db|key3.db|cookies.sqlite|Login Data|Cookies|Web Data|Local State",
            "~/.thunderbird/**",
            "~/.config/Slack|discord|Signal|Element/**",
            "~/.local/share/TelegramDesktop/**",
            "~/Library/Messages/**",
            "~/Library/Application Support/Signal|Slack|discord|Telegram Desktop/**",
        ],
    ),
    row(
        "a wallet",
        User,
        &[
            "**/wallet.dat",
            "~/.bitcoin|.ethereum|.electrum|.monero|.solana/**",
            "~/.config/solana/id.json",
            "~/.electrum/wallets/**",
            "~/Library/Application Support/Electrum|Exodus|Bitcoin/**",
            "~/.config/Exodus/**",
        ],
    ),
    row(
        "the history of a shell or a database client",
        User,
        &[
            "~/.bash_history|.zsh_history|.zhistory|.sh_history|.ash_history|.history|.histfile|.ksh_history|.python_history|.node_repl_history|.psql_history|.mysql_history|.sqlite_history|.rediscli_history|.mongosh|.irb_history|.lesshst_secret",
            "**/.bash_history|.zsh_history|.mysql_history|.psql_history|.python_history",
            "~/.local/share/fish/fish_history",
            "~/.local/share/atuin/**",
            "~/.mongodb/mongosh/**",
            "~/.zsh_sessions|.bash_sessions/**",
            "~/AppData/Roaming/Microsoft/Windows/PowerShell/PSReadLine/**",
            "~/.local/share/powershell/PSReadLine/**",
        ],
    ),
    row("Kerberos tickets", User, &["/tmp/krb5cc_*", "**/*.keytab|*.ccache|*.kirbi"]),
    row(
        "another user's session",
        User,
        &["/tmp/ssh-*/**", "/run/user/*/keyring/**", "~/.Xauthority|.ICEauthority"],
    ),
    row("VPN keys", User, &["**/*.ovpn", "~/.config/wireguard/**", "**/wg0.conf|wg-*.conf"]),
    row(
        "passwords in a project's settings",
        Project,
        &[
            "**/.env|.env.*|.envrc.local|.env-*|env.local",
            "**/.secrets|secrets.env|.secrets.*|secrets.yml|secrets.yaml|secrets.json|secrets.toml|secret.yml|secret.yaml|secret.json|credentials.json|credentials.yml|credentials.yaml|credentials.csv|client_secret*.json|.dev.vars",
            "**/config/master.key|credentials.yml.enc|database.yml",
            "**/wp-config.php|.htpasswd|htpasswd|local_settings.py|parameters.yml",
            "**/.streamlit/secrets.toml",
            "**/secrets/*.yml|*.yaml|*.json|*.txt|*.env|*password*|*key*|*token*",
            "**/.npmrc|.yarnrc.yml",
        ],
    ),
    row(
        "infrastructure state with its secrets",
        Project,
        &[
            "**/*.tfstate|*.tfstate.*|terraform.tfvars|*.auto.tfvars|*.tfvars|terraform.tfvars.json",
            "**/.terraform/terraform.tfstate",
        ],
    ),
    row(
        "a private key",
        User,
        &[
            "**/*.key|*.p12|*.pfx|*.jks|*.keystore|*.pkcs12|*.p8|*.pem|*.asc.key|*privkey*|private_key*|private-key*|*.gpg-key",
        ],
    ),
];

//! Rules on keys, tokens and passwords: where they are read, copied, printed and searched. Owns nothing about where they
//! are sent; that is said by the rules over flows.

use std::borrow::Cow;

use super::{
    Hit, Rule, Scene, Shelf, When,
    effects::{about, at, run, words, written},
};
use crate::{
    effect::{Argument, Effect, EffectKind, Flow, Kinds, Run, Target},
    finding::{Category, Confidence},
    place::{self, Credential, CredentialClass, Place},
    programs::{self, Does, cards},
    risk::Severity,
    text::Text,
};

pub(super) static SHELF: Shelf = Shelf {
    programs: &[
        "gallery-dl",
        "git",
        "glab",
        "keyctl",
        "keyring",
        "kwallet-query",
        "logkeys",
        "pass",
        "showkey",
        "ssh-add",
        "xinput",
        "youtube-dl",
        "yt-dlp",
    ],
    rules: RULES,
};

const SECRET: Rule = Rule {
    category: Category::Credentials,
    severity: Severity::High,
    reversible: false,
    remedy: "let the program that needs the key read it itself; an agent has no use for its text",
    ..Rule::LOSS
};

static RULES: &[Rule] = &[
    Rule {
        id: "credentials.keyboard.record",
        message: "what a person types would be recorded, passwords among it",
        remedy: "ask the person for what is needed",
        when: When::Command(&["logkeys --start|-s", "xinput test|test-xi2", "showkey -a|-k|-s"]),
        fires: &["logkeys --start", "xinput test 7"],
        quiet: &["logkeys --kill", "xinput list"],
        ..Rule::KEYS
    },
    Rule {
        id: "credentials.directory.handed",
        severity: Severity::High,
        message: "a program would be handed an open directory, through which it reaches all that lies in and above it",
        remedy: "hand it the one file that it needs, or name the directory by its path",
        when: When::Noted,
        fires: &[
            "cat /proc/self/fd/0/.config/gh/hosts.yml < ~",
            "portcullis sandbox run -- cat x < ~",
            "exec 3< /",
            "cat /dev/fd/5/x 5<> /etc",
            "{ cat /dev/fd/9/x; } 9< $HOME",
        ],
        quiet: &["cat < notes.txt", "exec 9< .", "flock 9 9< src", "ls ~", "wc -l < ~/notes.txt"],
        ..Rule::KEYS
    },
    Rule {
        id: "credentials.file.read",
        message: "a file with keys, tokens or passwords would be read",
        when: When::Effect(Kinds::READ, |effect, scene| {
            let EffectKind::Read(target) = &effect.kind else { return None };
            let found = place::credential_of(target, scene.facts)?;
            Some(about(
                reading(found, effect, scene),
                target,
                &format!("this reads {}:", found.what),
            ))
        }),
        fires: &[
            "cat ~/.aws/credentials",
            "cat /etc/shadow",
            "cat ~/.ssh/id_rsa",
            "cat .env",
            "head -5 ~/.netrc",
            "less /etc/shadow",
            "cp ~/.ssh/id_rsa /tmp/x",
            "tar czf x.tgz ~/.ssh",
            "base64 ~/.kube/config",
            "cat ~/.s*/id_*",
            "cat /etc/sh?dow",
            "grep -r token ~/.docker/config.json",
            "zip x.zip ~/.gnupg/secring.gpg",
            "strings /etc/shadow",
            "wc -c ~/.netrc && cat ~/.netrc",
            "dd if=/etc/shadow",
            "7z a -so x /etc/shadow",
            "date -f /etc/shadow",
        ],
        quiet: &[
            "cat .env.example",
            "cat ~/.ssh/id_rsa.pub",
            "cat ~/.ssh/known_hosts",
            "ls -la ~/.ssh",
            "stat .env",
            "echo ~/.ssh/id_rsa",
            "grep -rn 'cat ~/.ssh/id_rsa' docs",
            "git commit -m '.env'",
            "test -f .env",
        ],
        ..SECRET
    },
    Rule {
        id: "credentials.argument.read",
        confidence: Confidence::Medium,
        message: "a program is given a file with keys, tokens or passwords",
        when: When::Effect(Kinds::RUN, argument),
        fires: &[
            "openssl enc -in /etc/shadow",
            "arp -v -f /etc/shadow",
            "unknown-tool --file=/etc/shadow",
            "nginx -c @/etc/shadow",
            "apache2 -C 'Include /etc/shadow'",
            "octave-cli --eval 'fopen(\"/etc/shadow\")'",
            "mosquitto -c /etc/shadow",
            "ssh -F /etc/shadow x",
            "some-uploader ~/.aws/credentials",
        ],
        quiet: &[
            "ssh -i ~/.ssh/id_ed25519 host",
            "docker run --env-file .env app",
            "git add .env.example",
            "openssl x509 -in cert.crt -noout",
            "ls ~/.aws",
            "rg '/etc/shadow' docs",
            "kubectl --kubeconfig ~/.kube/config get pods",
            "ssh-keygen -lf ~/.ssh/id_rsa.pub",
            "echo /etc/shadow",
        ],
        ..SECRET
    },
    Rule {
        id: "credentials.accounts.read",
        severity: Severity::Low,
        message: "the list of the machine's users would be read",
        remedy: "ask for the one user you mean: `id NAME`",
        reversible: true,
        when: When::Effect(Kinds::READ, |effect, scene| {
            let EffectKind::Read(target) = &effect.kind else { return None };
            place::is_account_list(target, scene.facts).then(|| at(Severity::Low))
        }),
        fires: &["cat /etc/passwd", "grep root /etc/group"],
        quiet: &["cat /etc/hosts"],
        ..SECRET
    },
    Rule {
        id: "credentials.accounts.copy",
        message: "the list of the machine's users, a file of another user, or a whole home would be copied elsewhere",
        remedy: "leave the file where it is, and read the line that you need",
        when: When::Scene(copied),
        fires: &[
            "cp /etc/passwd /usr/copy",
            "cat /etc/passwd > /tmp/x",
            "cp /root/.bashrc /usr/copy",
            "cp -r ~ /tmp/copy",
        ],
        quiet: &[
            "cat /etc/passwd",
            "cp README.md /tmp/x",
            "cut -d: -f1 /etc/passwd",
            "cp /etc/ssh/ssh_config /tmp/x",
        ],
        ..SECRET
    },
    Rule {
        id: "credentials.environment.print",
        severity: Severity::Low,
        message: "the environment would be printed, with the tokens in it",
        remedy: "ask for the one variable that you mean: `printenv PATH`",
        reversible: true,
        when: When::Effect(Kinds::RUN, |effect, _| {
            let run = run(effect)?;
            // What a word holds that is not known, may be a name with a value.
            if run.arguments.iter().any(|word| word.text.as_known().is_none()) {
                return None;
            }
            let prints = match run.program.as_str() {
                "env" => {
                    words(run).all(|word| matches!(word, "-0" | "--null" | "-i"))
                        && run.arguments.len() < 2
                }
                "printenv" => {
                    run.arguments.is_empty() || words(run).any(programs::system::is_secret_name)
                }
                "export" | "declare" => {
                    words(run).all(|word| matches!(word, "-p" | "-x" | "-px" | "-xp"))
                }
                "set" => run.arguments.is_empty(),
                _ => false,
            };
            prints.then(|| at(Severity::Low))
        }),
        fires: &["env", "printenv", "export -p", "printenv GITHUB_TOKEN"],
        quiet: &["env LC_ALL=C ls", "export A=b", "printenv PATH", "set -e"],
        ..SECRET
    },
    Rule {
        id: "credentials.agent.borrow",
        message: "the keys of another session would be used through its agent",
        remedy: "use the agent of this session, which the environment names already",
        when: When::Effect(Kinds::ENVIRONMENT, |effect, _| match &effect.kind {
            EffectKind::Environment { name, value } if name == "SSH_AUTH_SOCK" => {
                let begins = value.as_pattern().unwrap_or_default();
                let is_other = ["/tmp/ssh-", "/run/user/*", "/tmp/*"];
                is_other.iter().any(|start| begins.starts_with(start)).then(|| at(Severity::High))
            }
            _ => None,
        }),
        fires: &[
            "SSH_AUTH_SOCK=/tmp/ssh-Xb81/agent.812 ssh root@db1 id",
            "for s in /tmp/ssh-*/agent.*; do SSH_AUTH_SOCK=$s ssh-add -l; done",
        ],
        quiet: &[
            "export SSH_AUTH_SOCK=~/.1password/agent.sock",
            "SSH_AUTH_SOCK=$XDG_RUNTIME_DIR/ssh-agent.socket git fetch",
            "SSH_AUTH_SOCK= git fetch",
            "eval \"$(ssh-agent -s)\" && ssh-add",
        ],
        ..SECRET
    },
    Rule {
        id: "credentials.memory.read",
        message: "the memory of a running program would be read, with every secret in it",
        when: When::Effect(Kinds::RUN, |effect, _| {
            let run = run(effect)?;
            let dumps = match run.program.as_str() {
                "gcore" | "procdump" | "dumpit" | "avml" => true,
                "gdb" | "lldb" | "rundll32" => words(run).any(|word| {
                    [
                        "dump memory",
                        "dump binary memory",
                        "dump binary value",
                        "dump ihex",
                        "dump srec",
                        "dump value",
                        "gcore",
                        "generate-core-file",
                        "save-core",
                        "MiniDump",
                    ]
                    .iter()
                    .any(|dump| word.contains(dump))
                }),
                // What another process reads and writes: with the names of files alone nothing is shown.
                "strace" | "ltrace" | "dtruss" => traces_data(run),
                _ => false,
            };
            dumps.then(|| at(Severity::High))
        }),
        fires: &["gcore 1234", "gdb -p 1 -batch -ex 'dump memory x 0 1'"],
        quiet: &["pgrep x", "gdb ./app core"],
        ..SECRET
    },
    Rule {
        id: "credentials.store.read",
        message: "a password store would give out a secret",
        remedy: "let the program that needs it ask the store itself",
        when: When::Command(&[
            "keyring get",
            "kwallet-query",
            "keyctl print|read|pipe",
            "pass -c",
            "git credential fill",
            "glab auth token",
            "yt-dlp|youtube-dl|gallery-dl … --cookies-from-browser",
        ]),
        fires: &[
            "keyring get service user",
            "keyctl print 7",
            "git credential fill",
            "yt-dlp --cookies-from-browser chrome --cookies /tmp/c https://example.com/v",
        ],
        quiet: &[
            "keyctl show",
            "git credential-cache exit",
            "pass ls",
            "yt-dlp https://example.com/v",
        ],
        ..SECRET
    },
    Rule {
        id: "credentials.attack.crack",
        message: "passwords would be guessed or taken out of where the system keeps them",
        remedy: "let a person who owns the accounts reset them",
        when: When::Effect(Kinds::RUN, |effect, _| {
            let run = run(effect)?;
            let asks = run.arguments.len() == 1
                && words(run).all(|word| matches!(word, "--version" | "--help" | "-h" | "-V"));
            if asks {
                return None;
            }
            CRACKERS
                .iter()
                .any(|name| run.program.eq_ignore_ascii_case(name))
                .then(|| at(Severity::High))
        }),
        fires: &[
            "john --wordlist=rockyou.txt hashes.txt",
            "unshadow /etc/passwd x",
            "hashcat -m 1000 h w",
            "hydra -l root -P p ssh://h",
            "mimikatz",
        ],
        quiet: &["man john", "grep john users.txt"],
        ..SECRET
    },
    Rule {
        id: "credentials.search.wide",
        confidence: Confidence::Medium,
        message: "a whole home or system would be searched for keys and passwords",
        remedy: "search the project: `grep -rn password src`",
        when: When::Effect(Kinds::RUN, search),
        fires: &[
            "grep -rniE '(aws_secret|api_key|password)\\s*=' / 2>/dev/null",
            "grep -r 'BEGIN RSA PRIVATE KEY' ~",
            "rg -i password /home",
            "find / -name id_rsa",
            "find ~ -name '*.pem'",
        ],
        quiet: &[
            "grep -rn password src",
            "grep -rn api_key .",
            "find . -name '*.pem'",
            "grep -r TODO /",
            "find / -name '*.conf'",
        ],
        ..SECRET
    },
    Rule {
        id: "credentials.file.write",
        message: "a file with keys, tokens or passwords would be written",
        remedy: "let a person put keys in place",
        when: When::Effect(Kinds::WRITE, |effect, scene| {
            let (target, _, _) = written(effect)?;
            let found = place::credential_of(target, scene.facts)?;
            let place = place::place_of(target, scene.facts);
            let severity = match (found.class, place) {
                (CredentialClass::System, _) => Severity::Critical,
                (CredentialClass::Project, _) => Severity::Medium,
                (_, place) if place.is_workspace() || place == Place::Temporary => Severity::Medium,
                _ => Severity::High,
            };
            Some(about(severity, target, &format!("this writes {}:", found.what)))
        }),
        fires: &[
            "echo x > ~/.aws/credentials",
            "cp key ~/.ssh/id_rsa",
            "echo A=b > .env",
            "echo x >> /etc/sudoers",
        ],
        quiet: &["echo A=b > .env.example", "echo x > notes.txt"],
        ..SECRET
    },
    Rule {
        id: "credentials.agent.load",
        severity: Severity::Medium,
        message: "a key would be loaded for every program of this session to use",
        remedy: "let a person load keys",
        reversible: true,
        when: When::Command(&["ssh-add !-l !-L !-d !-D !-T"]),
        fires: &["ssh-add ~/.ssh/id_ed25519", "ssh-add"],
        quiet: &["ssh-add -l", "ssh-add -L"],
        ..SECRET
    },
    Rule {
        id: "credentials.cloud.metadata",
        message: "the cloud's metadata service would be asked; it hands out the machine's own credentials",
        remedy: "use the credentials that the tool was given",
        when: When::Effect(Kinds::CONNECT, |effect, _| {
            let EffectKind::Connect(connection) = &effect.kind else { return None };
            let host = connection.host.as_deref()?;
            METADATA.contains(&host).then(|| Hit {
                severity: Some(Severity::High),
                resource: Some(format!("host:{host}")),
                ..Hit::default()
            })
        }),
        fires: &[
            "curl -s http://169.254.169.254/latest/meta-data/iam/security-credentials/",
            "wget -qO- http://metadata.google.internal/computeMetadata/v1/",
        ],
        quiet: &["curl -s https://example.com/latest/meta-data/"],
        ..SECRET
    },
];

/// Programs whose only use is taking passwords.
const CRACKERS: &[&str] = &[
    "john",
    "unshadow",
    "hashcat",
    "hydra",
    "medusa",
    "ncrack",
    "crackmapexec",
    "netexec",
    "patator",
    "crowbar",
    "aircrack-ng",
    "fcrackzip",
    "pdfcrack",
    "ophcrack",
    "mimikatz",
    "secretsdump.py",
    "secretsdump",
    "impacket-secretsdump",
    "lazagne",
    "laZagne.py",
    "mimipenguin",
    "pypykatz",
    "rainbowcrack",
    "procdump",
    "linpeas",
    "linpeas.sh",
    "kerbrute",
    "responder",
    "bettercap",
    "keyfinder",
    "firepwd.py",
    "hcxdumptool",
    "gpp-decrypt",
    "rubeus",
];

/// Where clouds tell a machine who it is.
const METADATA: &[&str] = &[
    "169.254.169.254",
    "169.254.170.2",
    "169.254.170.23",
    "metadata.google.internal",
    "metadata",
    "metadata.goog",
    "100.100.100.200",
    "192.0.0.192",
    "fd00:ec2::254",
    "instance-data",
    "instance-data.ec2.internal",
    "0xa9fea9fe",
    "2852039166",
    "169.254.169.254.nip.io",
];

fn reading(found: &Credential, effect: &Effect, scene: &Scene<'_>) -> Severity {
    // `source .env` gives a project its own settings, and shows them to nobody.
    let loads = found.class == CredentialClass::Project
        && scene.effects.list.iter().any(|other| {
            other.at.layer == effect.at.layer
                && run(other).is_some_and(|run| {
                    matches!(run.program.as_str(), "." | "source")
                        && !super::passing::prints_environment(scene)
                        && other.at.span.range().contains(&effect.at.span.range().start)
                })
        });
    let stays =
        || found.class == CredentialClass::Project && super::settings::stays_secret(effect, scene);
    if loads || counted(effect, scene) || stays() { Severity::Medium } else { Severity::High }
}

/// Whether a file is only counted: a number says nothing of what is in it.
fn counted(effect: &Effect, scene: &Scene<'_>) -> bool {
    let at = effect.at.span.range().start;
    scene.effects.list.iter().any(|other| {
        other.at.layer == effect.at.layer
            && run(other)
                .is_some_and(|run| run.program == "wc" && other.at.span.range().contains(&at))
    })
}

/// Programs to which a path is a name and no more.
const NAMERS: &[&str] = &[
    "[",
    "[[",
    "basename",
    "cd",
    "chmod",
    "chown",
    "chgrp",
    "dirname",
    "du",
    "echo",
    "exa",
    "exit",
    "export",
    "eza",
    "fd",
    "file",
    "find",
    "git",
    "ls",
    "lsattr",
    "lsd",
    "lsof",
    "man",
    "mkdir",
    "printf",
    "readlink",
    "realpath",
    "rm",
    "rmdir",
    "stat",
    "test",
    "touch",
    "tree",
    "tldr",
    "type",
    "which",
    "whereis",
    "wc",
    "alias",
    "unset",
    "local",
    "declare",
    "readonly",
    "return",
    "trap",
    "sudo",
    "doas",
    "env",
    "su",
    "time",
    "timeout",
    "nohup",
    "nice",
    "xargs",
    "watch",
    "bash",
    "sh",
    "zsh",
    "dash",
    "code",
    "cursor",
    "pre-commit",
    "gitleaks",
    "trufflehog",
    "detect-secrets",
    "glab",
    "getfacl",
    "setfacl",
    "chattr",
    "namei",
    "shred",
    "sed",
    "awk",
    "perl",
    "python",
    "node",
    "ruby",
    "jq",
    "yq",
    "grep",
    "egrep",
    "fgrep",
    "rg",
    "ag",
    "ack",
    "log",
    "logger",
    "notify-send",
    "tmux",
    "screen",
    "portcullis",
];

/// Programs that are told where a user's keys are so as to use them.
const USERS: &[&str] = &[
    "ansible",
    "ansible-playbook",
    "ansible-vault",
    "aws",
    "az",
    "bun",
    "cargo",
    "certbot",
    "compose",
    "cosign",
    "curl",
    "deno",
    "direnv",
    "docker",
    "docker-compose",
    "dotenv",
    "dotenvx",
    "eksctl",
    "fly",
    "flux",
    "gcloud",
    "gpg",
    "gpg2",
    "helmfile",
    "honcho",
    "foreman",
    "http",
    "https",
    "k9s",
    "kubectx",
    "keytool",
    "kustomize",
    "minisign",
    "mkcert",
    "mongosh",
    "mosh",
    "mysql",
    "nerdctl",
    "next",
    "nginx",
    "node",
    "npm",
    "npx",
    "openssl",
    "openvpn",
    "overmind",
    "packer",
    "pg_dump",
    "pnpm",
    "podman",
    "psql",
    "restic",
    "rsync",
    "scp",
    "sftp",
    "sops",
    "ssh",
    "ssh-add",
    "ssh-copy-id",
    "ssh-keygen",
    "sshfs",
    "step",
    "stern",
    "terraform",
    "terragrunt",
    "tofu",
    "tsx",
    "uv",
    "uvicorn",
    "vault",
    "vercel",
    "wg",
    "wg-quick",
    "wget",
    "wrangler",
    "yarn",
    "autossh",
    "age",
    "signtool",
    "codesign",
    "jarsigner",
    "apksigner",
    "jar",
    "java",
    "mvn",
    "gradle",
    "gunicorn",
    "flask",
    "django-admin",
    "uwsgi",
    "caddy",
    "traefik",
    "haproxy",
    "httpie",
    "grpcurl",
    "websocat",
    "mitmproxy",
    "op",
    "infisical",
    "doppler",
    "chamber",
    "skaffold",
    "tilt",
    "argocd",
    "istioctl",
    "linkerd",
    "velero",
    "kind",
    "minikube",
    "k3d",
    "talosctl",
];

/// Whether a program is told where keys are so as to use them.
fn has_keys(program: &str) -> bool {
    cards::card(program).is_some_and(|card| card.has_keys) || USERS.contains(&program)
}

fn argument(effect: &Effect, scene: &Scene<'_>) -> Option<Hit> {
    let run = run(effect)?;
    let names_paths = cards::card(&run.program).is_some_and(|card| card.names_paths);
    if names_paths || NAMERS.contains(&run.program.as_str()) || programs::hands_all_on(&run.program)
    {
        return None;
    }
    let does = programs::program(&run.program).map(|row| row.does);
    let skip = usize::from(matches!(does, Some(Does::Searches)));
    // These say themselves what they read; what they did not say is asked for the system's own files only.
    let tells = matches!(does, Some(Does::Custom(_) | Does::Reads | Does::Filters(_)))
        && !has_keys(&run.program);
    run.arguments.iter().enumerate().skip(skip).find_map(|(at, argument)| {
        if chooses_tests(run, at) {
            return None;
        }
        let whole = if tells { None } else { named(argument, effect, scene, does.is_some()) };
        whole.or_else(|| inside(argument, run, scene))
    })
}

/// Whether a word is the name of a test, or an expression over names of tests: what stands in it is text.
fn chooses_tests(run: &Run, at: usize) -> bool {
    const CHOICES: &[&str] = &["--deselect", "-k", "-m"];
    let word = |at: usize| run.arguments.get(at).map_or("", |word| word.text.known_prefix());
    let before = at.checked_sub(1).map_or("", word);
    matches!(run.program.as_str(), "pytest" | "py.test")
        && (CHOICES.contains(&before) || word(at).starts_with("--deselect="))
}

/// A file of the system's own in the middle of an argument: `Include /etc/shadow`, `fopen("/etc/shadow")`.
fn inside(argument: &Argument, run: &Run, scene: &Scene<'_>) -> Option<Hit> {
    let text = match argument.text.as_known() {
        Some(known) => Cow::Borrowed(known),
        None => Cow::Owned(argument.text.display()),
    };
    if !text.contains("/etc/") && !text.contains("/proc/") {
        return None;
    }
    let apart = |letter: char| letter.is_whitespace() || "\"'`(){}[]<>=,;:@|".contains(letter);
    text.split(apart).filter(|word| word.starts_with('/')).find_map(|word| {
        let found = place::credential(word, scene.facts).filter(|found| {
            matches!(found.class, CredentialClass::System | CredentialClass::Process)
        })?;
        let told = scene.effects.list.iter().any(|effect| match &effect.kind {
            EffectKind::Read(target)
            | EffectKind::Write { target, .. }
            | EffectKind::Delete { target, .. }
            | EffectKind::Permission { target, .. } => target.path.as_deref() == Some(word),
            _ => false,
        });
        let target = Target::new(Text::known(word), Some(word.to_owned()));
        (!told).then(|| {
            about(Severity::High, &target, &format!("`{}` is given {}:", run.program, found.what))
        })
    })
}

fn named(argument: &Argument, effect: &Effect, scene: &Scene<'_>, known: bool) -> Option<Hit> {
    let run = run(effect)?;
    let prefix = argument.text.known_prefix();
    let path = value(prefix);
    if path.is_empty() || path.contains(char::is_whitespace) {
        return None;
    }
    let absolute = absolute(path, scene)?;
    let found = place::credential(&absolute, scene.facts)?;
    let is_user = has_keys(&run.program);
    let severity = match found.class {
        CredentialClass::System | CredentialClass::Process => Severity::High,
        _ if is_user => return None,
        CredentialClass::Project => Severity::Medium,
        CredentialClass::User
            if absolute.starts_with(scene.facts.workspace.as_deref().unwrap_or("/\0")) =>
        {
            Severity::Medium
        }
        CredentialClass::User if known || scene.has_written(&absolute, effect) => Severity::Medium,
        CredentialClass::User => Severity::High,
    };
    let target = Target::new(Text::known(path), Some(absolute));
    Some(about(severity, &target, &format!("`{}` is given {}:", run.program, found.what)))
}

/// The file in an argument: the whole of it, or what stands behind `=`, `@`, `file://`, `<` or a short option's letter.
fn value(argument: &str) -> &str {
    let mut rest = argument;
    if rest.starts_with('-')
        && let Some((_, value)) = rest.split_once('=')
    {
        rest = value;
    }
    if let Some((name, value)) = rest.split_once('=')
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte))
    {
        rest = value;
    }
    let rest = rest.trim_start_matches(['@', '<']);
    let rest =
        rest.strip_prefix("file://").or_else(|| rest.strip_prefix("fileb://")).unwrap_or(rest);
    let rest = rest.strip_prefix("man:").unwrap_or(rest);
    match rest.strip_prefix('-') {
        Some(option) => option.find('/').and_then(|at| option.get(at..)).unwrap_or(""),
        None => rest,
    }
}

fn absolute(path: &str, scene: &Scene<'_>) -> Option<String> {
    if path.starts_with('/') {
        return Some(path.to_owned());
    }
    if let Some(rest) = path.strip_prefix("~/") {
        return Some(format!("{}/{rest}", scene.facts.home.as_deref().unwrap_or("/home/user")));
    }
    let names_a_file = path.contains(['/', '.', '\\']) || path.starts_with("id_");
    if !names_a_file || path.contains("://") {
        return None;
    }
    Some(format!("{}/{path}", scene.facts.cwd.as_deref().unwrap_or("/workspace")))
}

/// Words that are searched for only to find secrets.
const SOUGHT: &[&str] = &[
    "password",
    "passwd",
    "secret",
    "api_key",
    "apikey",
    "api-key",
    "private key",
    "private_key",
    "access_key",
    "aws_",
    "token",
    "credential",
    "begin rsa",
    "begin openssh",
    "begin private",
    "akia",
    "ghp_",
    "sk-",
    "xoxb",
];

/// `strace -p PID` that shows what goes through the process, not only which files and calls.
fn traces_data(run: &Run) -> bool {
    let mut attached = false;
    let mut chosen = None;
    let mut before = "";
    for word in words(run) {
        attached |= before == "-p" || word.starts_with("-p") && word.len() > 2;
        let filter = if matches!(before, "-e" | "--trace") {
            Some(word)
        } else {
            word.strip_prefix("--trace=")
                .or_else(|| word.strip_prefix("-e").filter(|rest| !rest.is_empty()))
        };
        chosen = filter.or(chosen);
        before = word;
    }
    let Some(chosen) = chosen else { return false };
    let calls = chosen.strip_prefix("trace=").unwrap_or(chosen);
    attached
        && calls.split([',', '=']).any(|call| {
            matches!(
                call,
                "read"
                    | "write"
                    | "recvfrom"
                    | "sendto"
                    | "readv"
                    | "writev"
                    | "recvmsg"
                    | "sendmsg"
            )
        })
}

fn search(effect: &Effect, scene: &Scene<'_>) -> Option<Hit> {
    let run = run(effect)?;
    let wide = |word: &str| {
        absolute(if word == "~" { "~/" } else { word }, scene).is_some_and(|path| {
            matches!(
                place::place(&path, scene.facts),
                Place::Root | Place::HomeTop | Place::SystemTop
            )
        })
    };
    let finds = match run.program.as_str() {
        "find" | "fd" | "locate" => {
            let mut words = words(run);
            let root = words.any(wide) || run.program == "locate";
            root && run.arguments.iter().any(|argument| {
                argument.text.as_pattern().is_some_and(|name| {
                    let name = name.trim_start_matches('*');
                    !name.is_empty()
                        && !name.starts_with(['/', '-', '~'])
                        && ["/x/", "/etc/"].iter().any(|directory| {
                            place::credential(&format!("{directory}{name}"), scene.facts).is_some()
                        })
                })
            })
        }
        "trufflehog" | "gitleaks" | "noseyparker" | "ripsecrets" | "detect-secrets"
        | "kingfisher" => words(run).any(wide),
        "grep" | "egrep" | "fgrep" | "rg" | "ag" | "ack" | "ugrep" => {
            let recursive = matches!(run.program.as_str(), "rg" | "ag" | "ack")
                || words(run).any(|word| {
                    word == "--recursive"
                        || word.starts_with('-')
                            && !word.starts_with("--")
                            && word.contains(['r', 'R'])
                });
            recursive
                && run
                    .arguments
                    .iter()
                    .skip(1)
                    .any(|argument| argument.text.as_known().is_some_and(wide))
                && words(run).any(|word| {
                    let word = word.to_ascii_lowercase();
                    SOUGHT.iter().any(|sought| word.contains(sought))
                })
        }
        _ => return None,
    };
    finds.then(|| at(Severity::High))
}

/// Reads of what lists users or belongs to another, whose bytes are written to a file.
fn copied(scene: &Scene<'_>, hits: &mut Vec<Hit>) {
    for Flow { from, to } in scene.effects.flows.iter().copied() {
        let effect =
            |id: crate::effect::EffectId| scene.effects.list.get(usize::try_from(id.0).ok()?);
        let (Some(source), Some(sink)) = (effect(from), effect(to)) else { continue };
        let (EffectKind::Read(read), Some((target, _, _))) = (&source.kind, written(sink)) else {
            continue;
        };
        let Some(path) = &read.path else { continue };
        if target.path == read.path
            || matches!(place::place_of(target, scene.facts), Place::Harmless)
        {
            continue;
        }
        // Whose home it is was guessed, and within one home nothing is taken from anybody.
        let is_same_home = || {
            let home = |path: &str| {
                let mut parts = path.split('/').skip(1);
                match (parts.next(), parts.next()) {
                    (Some(top @ ("home" | "Users")), Some(name)) => Some(format!("/{top}/{name}")),
                    _ => None,
                }
            };
            let to = target.path.as_deref().and_then(home);
            to.is_some() && to == home(path)
        };
        let theirs = place::place(path, scene.facts) == Place::OtherHome && !is_same_home();
        if place::place(path, scene.facts) == Place::HomeTop {
            hits.push(Hit {
                at: Some(sink.at),
                ..about(
                    Severity::High,
                    read,
                    "with every key and password in it, this copies elsewhere",
                )
            });
        }
        if place::is_account_list(read, scene.facts) || theirs {
            hits.push(Hit {
                at: Some(sink.at),
                ..about(Severity::High, read, "this copies elsewhere")
            });
        }
    }
}

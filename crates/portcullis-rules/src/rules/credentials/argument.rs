//! Secret files that a program is told of by an argument. Owns which programs only name them, which use them as they should, and where in an
//! argument a path stands.

use std::borrow::Cow;

use super::super::{
    Hit, Scene,
    effects::{about, run},
};
use crate::{
    effect::{Argument, Effect, EffectKind, Run, Target},
    place::{self, CredentialClass},
    programs::{self, Does, cards},
    risk::Severity,
    text::Text,
};

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
    "terragrunt",
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

pub(super) fn argument(effect: &Effect, scene: &Scene<'_>) -> Option<Hit> {
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
        CredentialClass::Project if !known && sends(run, argument) => Severity::High,
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

/// Whether a program that nobody knows is told to send: by its own name, by its first word, or by an address elsewhere beside a file that no option
/// gives it for its settings.
fn sends(run: &Run, file: &Argument) -> bool {
    const VERBS: &[&str] = &["post", "publish", "push", "put", "send", "share", "upload"];
    const NAMES: &[&str] = &["send", "share", "transfer", "upload"];
    let words = || run.arguments.iter().map(|argument| argument.text.known_prefix());
    let verb = words().find(|word| !word.starts_with('-')).unwrap_or_default();
    if NAMES.iter().any(|name| run.program.contains(name)) || VERBS.contains(&verb) {
        return true;
    }
    let at = run.arguments.iter().position(|other| std::ptr::eq(other, file)).unwrap_or_default();
    let option = match file.text.known_prefix().split_once('=') {
        Some((option, _)) => option,
        None => at.checked_sub(1).and_then(|before| words().nth(before)).unwrap_or_default(),
    };
    let is_setting = ["env", "config", "settings"].iter().any(|name| option.contains(name));
    let is_elsewhere = |word: &str| {
        let Some((_, rest)) = word.split_once("://") else { return false };
        let host = rest.split(['/', ':']).next().unwrap_or_default();
        !host.is_empty() && !matches!(host, "localhost" | "127.0.0.1" | "0.0.0.0" | "[")
    };
    !is_setting && option != "-e" && words().any(is_elsewhere)
}

/// The file in an argument: the whole of it, or what stands behind `=`, `@`, `file://`, `<` or a short option's letter.
pub(super) fn value(argument: &str) -> &str {
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

pub(super) fn absolute(path: &str, scene: &Scene<'_>) -> Option<String> {
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

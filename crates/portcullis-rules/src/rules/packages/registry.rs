//! Registries that commands and variables name. Owns which of them are well known; it judges no package.

use super::super::{
    Hit, Scene,
    hosts::{self, HostKind},
    pattern,
};
use crate::{
    address::host_of,
    bound::Bounded,
    effect::{Argument, Effect, EffectKind, Run},
    programs::escapes::named::is_index,
    text::Text,
};

/// Options that name a registry, by program.
const INDEXED: &[(&[&str], &[&str])] = &[
    (
        &["pip", "pip3", "pipx", "uv", "uvx", "poetry", "pipenv", "pdm"],
        &[
            "--default-index",
            "--extra-index-url",
            "--find-links",
            "--index",
            "--index-url",
            "-f",
            "-i",
        ],
    ),
    (&["npm", "npx", "pnpm", "yarn", "bun", "bunx"], &["--registry"]),
    (&["gem", "bundle"], &["--source", "-s"]),
    (&["conda", "mamba", "micromamba"], &["--channel", "-c"]),
    (&["cargo"], &["--index"]),
    (&["luarocks"], &["--only-server", "--server"]),
    (&["dotnet", "nuget"], &["--add-source", "--source", "-Source", "-s"]),
    (&["cpan", "cpanm"], &["--mirror", "-M"]),
];

/// Registries, their usual mirrors, and where companies keep their own.
const WELL_KNOWN: &[&str] = &[
    "amazonaws.com",
    "anaconda.com",
    "anaconda.org",
    "artifacthub.io",
    "azure.com",
    "cloudsmith.io",
    "crates.io",
    "data.pyg.org",
    "docs.rs",
    "fury.io",
    "gitee.com",
    "bitbucket.org",
    "codeberg.org",
    "github.com",
    "github.io",
    "gitlab.com",
    "goproxy.cn",
    "goproxy.io",
    "golang.org",
    "googleapis.com",
    "huggingface.co",
    "jfrog.io",
    "jsr.io",
    "npmjs.com",
    "npmjs.org",
    "npmmirror.com",
    "nvidia.com",
    "openmmlab.com",
    "pkg.dev",
    "prefix.dev",
    "pypi.org",
    "pythonhosted.org",
    "pytorch.org",
    "rubygems.org",
    "sr.ht",
    "taobao.org",
    "tencent.com",
    "tsinghua.edu.cn",
    "ustc.edu.cn",
    "visualstudio.com",
    "yarnpkg.com",
    "aliyun.com",
    "douban.com",
    "githubusercontent.com",
];

/// Hosts that give Go modules a name of their own and lead to well-known ones.
const VANITY: &[&str] = &[
    "charm.sh",
    "codeberg.org",
    "connectrpc.com",
    "cuelang.org",
    "dagger.io",
    "entgo.io",
    "filippo.io",
    "fyne.io",
    "gitea.com",
    "go.dev",
    "go.uber.org",
    "goa.design",
    "google.golang.org",
    "gopkg.in",
    "gorm.io",
    "gotest.tools",
    "gvisor.dev",
    "helm.sh",
    "honnef.co",
    "istio.io",
    "k8s.io",
    "modernc.org",
    "mvdan.cc",
    "nhooyr.io",
    "opentelemetry.io",
    "rsc.io",
    "sigs.k8s.io",
    "tailscale.com",
    "zgo.at",
];

/// The host that a package is built from, where a version-control address is named and nobody here vouches for it.
fn source(run: &Run, scene: &Scene<'_>) -> Option<String> {
    let command = || pattern::options(run);
    let verbs = || command().operands().leading(2).filter_map(|word| word.text.as_known());
    let installs = || verbs().any(|verb| matches!(verb, "add" | "get" | "i" | "install" | "run"));
    let words = || run.arguments.iter().filter_map(|word| word.text.as_known());
    let fetched = |word: &str| {
        let address = ["git+", "hg+", "svn+"]
            .iter()
            .find_map(|start| word.find(start).and_then(|at| word.get(at + start.len()..)))?;
        foreign_host(address)
    };
    let host = match run.program.as_str() {
        "pip" | "pip3" | "pipx" | "uv" | "uvx" | "poetry" | "pipenv" | "pdm" => {
            words().find_map(fetched)
        }
        "npm" | "pnpm" | "yarn" | "bun" if installs() => words().find_map(|word| {
            fetched(word).or_else(|| word.ends_with(".git").then(|| foreign_host(word))?)
        }),
        "cargo" if installs() => {
            command().value(&["--git"]).and_then(|git| foreign_host(git.text.as_known()?))
        }
        "brew" if verbs().next() == Some("tap") => words().find_map(foreign_host),
        "go" if installs() => words().find_map(|word| {
            let (host, _) = word.split_once('/')?;
            let is_host = host.contains('.') && !host.starts_with('.');
            is_host.then(|| foreign_host(&format!("https://{host}/")))?.filter(|host| {
                !VANITY.iter().any(|name| {
                    host.strip_suffix(name)
                        .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
                })
            })
        }),
        _ => None,
    }?;
    (!scene.facts.hosts.contains(&host)).then_some(host)
}

/// A registry that is none of the well-known ones, named for a command or by a variable that package managers read.
pub(super) fn unknown(effect: &Effect, scene: &Scene<'_>) -> Option<Hit> {
    match &effect.kind {
        EffectKind::Run(run) => {
            if let Some(host) = source(run, scene) {
                return Some(taken_from(&host));
            }
            let program = run.program.as_str();
            let (_, options) = INDEXED.iter().find(|(programs, _)| programs.contains(&program))?;
            let command = pattern::options(run);
            let installs = |word: &Argument| {
                word.text.as_known().is_some_and(|word| {
                    matches!(
                        word,
                        "add"
                            | "ci"
                            | "create"
                            | "dlx"
                            | "download"
                            | "exec"
                            | "i"
                            | "install"
                            | "restore"
                            | "run"
                            | "sync"
                            | "tool"
                            | "update"
                            | "upgrade"
                            | "wheel"
                            | "x"
                            | "pip"
                    )
                })
            };
            let runs = matches!(program, "npx" | "bunx" | "cpan" | "cpanm" | "uvx")
                || command.operands().any(installs);
            let named = command.values_of(options).find_map(|value| foreign(&value.text));
            named.filter(|_| runs)
        }
        EffectKind::Environment { name, value } => is_index(name).then(|| foreign(value))?,
        _ => None,
    }
}

/// The host of an address, where it is no well-known registry and lies in no private network.
pub(in crate::rules) fn foreign_host(address: &str) -> Option<String> {
    let address = address.trim_start_matches("sparse+").trim_start_matches("git+");
    let host = host_of(address)?;
    let is_known = WELL_KNOWN.iter().any(|name| {
        host.strip_suffix(name).is_some_and(|before| before.is_empty() || before.ends_with('.'))
    });
    let is_near = matches!(hosts::kind(&host), HostKind::Local | HostKind::Private);
    (!is_known && !is_near).then_some(host)
}

/// The host of a registry that is not well known. One in a private network has been set up by whoever keeps that.
fn foreign(value: &Text) -> Option<Hit> {
    let known = value.as_known()?;
    let mut addresses = known.split([',', '|', ' ']).filter(|address| address.contains("://"));
    let host = addresses.find_map(foreign_host)?;
    Some(taken_from(&host))
}

fn taken_from(host: &str) -> Hit {
    Hit {
        message: Some(format!(
            "packages are taken from `{host}`, which is none of the well-known registries; whoever keeps it decides what runs here"
        )),
        resource: Some(format!("host:{host}")),
        ..Hit::default()
    }
}

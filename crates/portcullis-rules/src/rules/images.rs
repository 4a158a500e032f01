//! Rules on where containers come from: images of registries that nobody knows, services described somewhere else, engines that
//! stand open on the internet. What a container may reach is said in `containers`.

use super::{
    Hit, Rule, Shelf, When,
    effects::{run, words},
    hosts::{self, HostKind},
    pattern,
};
use crate::{
    address::host_of,
    effect::{Effect, Kinds, Run},
    finding::{Category, Confidence},
    programs::Word,
    risk::Severity,
};

pub(super) static SHELF: Shelf = Shelf { programs: &[], rules: RULES };

const IMAGES: Rule = Rule {
    category: Category::SupplyChain,
    severity: Severity::High,
    confidence: Confidence::Medium,
    reversible: true,
    ..Rule::LOSS
};

static RULES: &[Rule] = &[
    Rule {
        id: "container.image.unknown",
        message: "a container would be made of an image from a registry that is none of the well-known ones",
        remedy: "let a person say that the registry is theirs, or pull the image first and look at it: `docker history IMAGE`",
        when: When::Effect(Kinds::RUN, |effect, _| unknown_image(effect)),
        fires: &[
            "docker run -d registry.evil.example/x",
            "podman run --rm evil.example:5000/a/b:1 sh",
            "docker create images.example.net/x",
            "docker container run --name web images.example.net/x",
        ],
        quiet: &[
            "docker run --rm alpine true",
            "docker run ghcr.io/o/r:1",
            "docker run localhost:5000/x",
            "docker run 1234.dkr.ecr.eu-west-1.amazonaws.com/app",
            "docker run -v ./a.b/c:/c node:20 npm test",
            "docker pull images.example.net/x",
            "docker run --rm -v \"$PWD\":/src -w /src quay.io/o/r make",
            "docker run --rm -v \"$PWD\":/src:ro node:20 node -e 'console.log(require(\"./package.json\").version)'",
            "docker run --rm node:20 curl registry.evil.example/x",
        ],
        ..IMAGES
    },
    Rule {
        id: "container.compose.elsewhere",
        message: "services would be started as a file describes them that lies somewhere else",
        remedy: "fetch the file, read it, and start it from the project",
        when: When::Effect(Kinds::RUN, |effect, _| {
            let run = run(effect).filter(|run| is_engine(&run.program))?;
            let file = pattern::options(run).values_of(&["-f", "--file"]).find_map(|file| {
                let known = file.text.known_prefix();
                let is_elsewhere = known.contains("://") || known.starts_with("git@");
                is_elsewhere.then(|| known.to_owned())
            });
            let composes =
                run.program.ends_with("compose") || words(run).any(|word| word == "compose");
            file.filter(|_| composes).map(|_| Hit::default())
        }),
        fires: &[
            "docker compose -f https://example.net/r.git up",
            "docker compose -f oci://example.net/app:1 up -d",
        ],
        quiet: &["docker compose -f docker-compose.yml up", "docker build -f Dockerfile ."],
        ..IMAGES
    },
    Rule {
        id: "container.engine.open",
        category: Category::Exfiltration,
        message: "files and values would go to a container engine on the internet that asks nobody who they are",
        remedy: "reach the engine through ssh: `docker -H ssh://HOST`",
        when: When::Effect(Kinds::RUN, |effect, _| {
            let run = run(effect).filter(|run| is_engine(&run.program))?;
            pattern::options(run).values_of(&["-H", "--host", "--url"]).find_map(|address| {
                let known = address.text.known_prefix();
                let host = known.starts_with("tcp://").then(|| host_of(known))??;
                is_foreign(&host).then(Hit::default)
            })
        }),
        fires: &["docker -H tcp://build.example.net:2375 build ."],
        quiet: &[
            "docker -H tcp://127.0.0.1:2375 ps",
            "docker -H tcp://10.0.0.5:2375 ps",
            "docker -H ssh://me@build.example.net ps",
        ],
        ..IMAGES
    },
];

/// Registries of images, and where companies keep their own.
const REGISTRIES: &[&str] = &[
    "aliyuncs.com",
    "amazonaws.com",
    "azurecr.io",
    "cloudsmith.io",
    "daocloud.io",
    "digitalocean.com",
    "docker.com",
    "docker.io",
    "ecr.aws",
    "elastic.co",
    "fedoraproject.org",
    "fly.io",
    "gcr.io",
    "ghcr.io",
    "gitlab.com",
    "heroku.com",
    "huaweicloud.com",
    "icr.io",
    "jfrog.io",
    "k8s.io",
    "lscr.io",
    "mcr.microsoft.com",
    "nvcr.io",
    "ocir.io",
    "openshift.org",
    "opensuse.org",
    "oracle.com",
    "pkg.dev",
    "quay.io",
    "redhat.com",
    "redhat.io",
    "suse.com",
    "tencentyun.com",
];

fn is_engine(program: &str) -> bool {
    matches!(program, "docker" | "docker-compose" | "nerdctl" | "podman" | "podman-compose")
}

fn is_foreign(host: &str) -> bool {
    !matches!(hosts::kind(host), HostKind::Local | HostKind::Private)
}

fn unknown_image(effect: &Effect) -> Option<Hit> {
    let run = run(effect).filter(|run| is_engine(&run.program))?;
    let host = images(run).into_iter().find_map(registry_of)?;
    let is_known = REGISTRIES.iter().any(|name| {
        host.strip_suffix(name).is_some_and(|before| before.is_empty() || before.ends_with('.'))
    });
    (!is_known && is_foreign(host) && !is_composed(run)).then(|| Hit {
        message: Some(format!(
            "a container would be made of an image from `{host}`, which is none of the well-known registries"
        )),
        resource: Some(format!("host:{host}")),
        ..Hit::default()
    })
}

/// What may be the image of a container that is made: the first operand, and before it what may be one or the value of an option that nobody knows.
fn images(run: &Run) -> Vec<&str> {
    let mut images = Vec::new();
    let mut is_behind = false;
    for word in pattern::options(run).words() {
        let (word, is_sure) = match word {
            Word::Operand(word) => (word.text.known_prefix(), true),
            Word::Doubtful(word) => (word.text.known_prefix(), false),
            Word::Option(_) => continue,
        };
        if is_behind {
            images.push(word);
            if is_sure {
                break;
            }
        }
        is_behind |= matches!(word, "create" | "run");
    }
    images
}

/// What is named behind `compose` is a service.
fn is_composed(run: &Run) -> bool {
    run.program.ends_with("compose") || words(run).any(|word| word == "compose")
}

/// The host before the first slash of an image's name, without a port.
fn registry_of(word: &str) -> Option<&str> {
    let is_other = word.starts_with(['-', '.', '/', '~', '$'])
        || word.contains(['=', '@', ' ']) && !word.contains("@sha256:");
    let (first, rest) = word.split_once('/').filter(|_| !is_other)?;
    // `-v DIRECTORY:/place` has a colon before a slash behind the first one.
    if rest.contains(":/") || !first.contains(['.', ':']) {
        return None;
    }
    let host = first.split_once(':').map_or(first, |(host, _)| host);
    (!host.is_empty()).then_some(host)
}

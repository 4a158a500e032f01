//! Rules on the variables that deployed and contained programs were given, shown to whoever asks: passwords of databases and keys of
//! services, in clear. Owns who runs a command beside such a program; a variable that is asked for by a harmless name is none of it.

use super::{
    Hit, Rule, Scene, Shelf, When,
    effects::{run, words},
};
use crate::{
    effect::{Effect, Kinds, Run},
    programs::{self, cards},
};

pub(super) static SHELF: Shelf = Shelf {
    programs: &["az", "cf", "docker", "eb", "kubectl", "nerdctl", "oc", "pm2", "podman"],
    rules: RULES,
};

static RULES: &[Rule] = &[
    Rule {
        id: "credentials.environment.deployed",
        reversible: true,
        message: "the variables of a deployed or contained program are shown, with the passwords and keys that it was given",
        remedy: "ask for the one variable that you mean, or for the names: `docker exec app printenv PORT`",
        when: When::Effect(Kinds::RUN, shown),
        fires: &[
            "docker exec db env",
            "docker compose exec api printenv",
            "kubectl exec deploy/api -- printenv",
            "heroku run env -a prod",
            "fly ssh console -C env",
            "eb ssh -c 'env | sort'",
            "doppler run -- printenv",
            "docker exec db printenv POSTGRES_PASSWORD",
            "docker inspect db | jq '.[0].Config.Env'",
        ],
        quiet: &[
            "docker exec app printenv PORT",
            "docker exec app env LC_ALL=C ls",
            "docker run --rm node:20 env",
            "kubectl exec deploy/api -- ls",
            "heroku run rake db:version",
            "docker compose exec api env | cut -d= -f1",
            "docker inspect app | jq '.[0].State'",
            "env",
        ],
        ..Rule::KEYS
    },
    Rule {
        id: "credentials.environment.listed",
        reversible: true,
        message: "the variables of a deployed or contained program are listed, with the passwords and keys that it was given",
        remedy: "ask for what you mean: `docker inspect app --format '{{.State.Status}}'`",
        when: When::Command(&[
            "docker|podman|nerdctl inspect --format=*Env*|-f=*Env*",
            "docker|podman|nerdctl container|image inspect --format=*Env*|-f=*Env*",
            "kubectl|oc set env --list --resolve",
            "kubectl|oc get --output=*.env*|-o=*.env*",
            "eb printenv",
            "cf env",
            "pm2 env",
            "az webapp|functionapp config appsettings|connection-string list",
            "az staticwebapp appsettings list",
            "az containerapp secret show",
        ]),
        fires: &[
            "docker inspect db --format '{{json .Config.Env}}'",
            "docker inspect -f '{{range .Config.Env}}{{println .}}{{end}}' db",
            "eb printenv prod",
            "kubectl set env deploy/api --list --resolve",
            "kubectl get pod api-0 -o jsonpath='{.spec.containers[*].env}'",
            "az webapp config appsettings list -n app -g rg",
        ],
        quiet: &[
            "docker inspect app --format '{{.State.Status}}'",
            "docker inspect app",
            "kubectl set env deploy/api LOG_LEVEL=debug",
            "kubectl set env deploy/api --list",
            "kubectl get pod api-0 -o jsonpath='{.status.phase}'",
            "eb status",
            "pm2 list",
        ],
        ..Rule::KEYS
    },
];

/// Programs that start a command with the variables of something deployed, and what among their words says so.
const BESIDE: &[(&str, &[&str])] = &[
    ("aws-vault", &["exec"]),
    ("chamber", &["exec"]),
    ("docker-compose", &["exec", "--env-file"]),
    ("doppler", &["run"]),
    ("dotenv", &["run"]),
    ("dotenvx", &["run"]),
    ("eb", &["ssh"]),
    ("fly", &["console"]),
    ("flyctl", &["console"]),
    ("heroku", &["run", "run:detached"]),
    ("infisical", &["run"]),
    ("op", &["run"]),
    ("railway", &["run"]),
    ("sops", &["exec-env"]),
];

fn shown(effect: &Effect, scene: &Scene<'_>) -> Option<Hit> {
    let run = run(effect)?;
    let prints = match run.program.as_str() {
        "env" => words(run).all(|word| matches!(word, "-0" | "--null")) && run.arguments.len() < 2,
        "printenv" => run.arguments.is_empty() || words(run).any(programs::system::is_secret_name),
        "export" | "declare" => !run.arguments.is_empty() && words(run).all(|word| word == "-p"),
        "set" => run.arguments.is_empty(),
        "gojq" | "jaq" | "jq" => return chosen(run, scene).then(Hit::default),
        _ => return None,
    };
    let is_beside = prints && scene.programs_around(effect).any(starts_beside);
    (is_beside && !scene.is_cut_to_names(effect)).then(Hit::default)
}

/// Whether a program starts commands with the variables of something deployed.
fn starts_beside(run: &Run) -> bool {
    let row = BESIDE.iter().find(|(program, _)| *program == run.program).map(|(_, marks)| *marks);
    let marks = row.or_else(|| cards::card(&run.program).map(|card| card.enters));
    let marks = marks.unwrap_or_default();
    words(run).any(|word| marks.iter().any(|mark| word.split('=').next() == Some(mark)))
}

/// `docker inspect db | jq '.[0].Config.Env'`.
fn chosen(filter: &Run, scene: &Scene<'_>) -> bool {
    let lists = |effect: &Effect| {
        run(effect).is_some_and(|run| {
            matches!(run.program.as_str(), "docker" | "nerdctl" | "podman")
                && words(run).any(|word| word == "inspect")
        })
    };
    words(filter).any(|word| word.contains(".Env"))
        && filter.input.as_ref().is_some_and(|input| scene.origins(input).into_iter().any(lists))
}

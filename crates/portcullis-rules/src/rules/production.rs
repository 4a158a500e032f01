//! Rules on what changes a place that calls itself production, by commands which are ordinary work anywhere else: charts, objects of a
//! cluster, playbooks, functions. Owns which commands those are and what counts as such a name; what destroys has its own rules.

use super::{
    Hit, Rule, Scene, Shelf, When,
    effects::{run, words},
    pattern,
};
use crate::{
    bound::Bounded,
    effect::{Effect, Kinds, Run},
    facts::FileFact,
    programs::Options,
    risk::Severity,
    text::Piece,
};

pub(super) static SHELF: Shelf = Shelf { programs: &[], rules: RULES };

static RULES: &[Rule] = &[
    Rule {
        id: "deploy.production",
        severity: Severity::High,
        message: "this changes what runs in a place that calls itself production",
        remedy: "see the difference first (`kubectl diff`, `helm diff upgrade`, `ansible-playbook --check`), and let a person do it",
        when: When::Effect(Kinds::RUN, changes),
        fires: &[
            "helm upgrade --install api ./charts/api -n production",
            "kubectl --context prod-eu apply -f k8s/",
            "kubectl -n production set image deploy/api api=api:1.4",
            "ansible-playbook -i inventories/production site.yml",
            "ansible-playbook site.yml -l prod",
            "sls deploy --stage prod",
            "cdk deploy --context env=prod",
            "aws ecs update-service --cluster prod --service api --force-new-deployment",
            "aws lambda update-function-code --function-name api-prod --zip-file fileb://f.zip",
            "kubectl config use-context prod && kubectl apply -k overlays/web",
            "kubectx prod-eu; kubectl rollout restart deploy/api",
        ],
        quiet: &[
            "helm upgrade --install api ./charts/api -n staging",
            "helm template api ./charts/api -f values-prod.yaml",
            "kubectl --context prod get pods",
            "kubectl --context prod apply --dry-run=server -f k8s/",
            "kubectl apply -f k8s/products.yaml",
            "kubectl apply -k overlays/production",
            "ansible-playbook -i inventories/production site.yml --check",
            "aws ecs describe-services --cluster prod",
            "kubectl config use-context prod && kubectl get pods",
            "kubectl config use-context kind-dev && kubectl apply -f k8s/",
        ],
        ..Rule::CHANGE
    },
    Rule {
        id: "deploy.host",
        severity: Severity::High,
        message: "what runs on another machine is started anew, stopped or replaced there",
        remedy: "let a person do it who can see that it comes up again",
        when: When::Effect(Kinds::RUN, changes_host),
        fires: &[
            "ssh app@web1.example.com 'cd /srv/app && git pull && sudo systemctl restart app'",
            "ssh web1 docker compose up -d",
            "ssh web1 'pm2 reload all'",
        ],
        quiet: &[
            "ssh web1 systemctl status app",
            "ssh web1 docker compose ps",
            "sudo systemctl restart app",
            "vagrant ssh -c 'sudo systemctl restart app'",
        ],
        ..Rule::CHANGE
    },
    Rule {
        id: "db.script.elsewhere",
        severity: Severity::High,
        message: "statements of a file that was not read, or that are not known, are run on another machine's database",
        remedy: "look at the file first, and run it on a copy",
        when: When::Effect(Kinds::RUN, feeds),
        fires: &[
            "mysql -h mysql-prod.internal -u root shop < backups/shop.sql",
            "psql -h db.internal -f x.sql app",
            "psql postgres://app@db.example.com/app -f x.sql",
            "mysql -h db.example.com -u root -e \"$STATEMENT\"",
            "psql postgres://u@db.example.com/x -c \"$STATEMENT\"",
        ],
        quiet: &[
            "mysql -h 127.0.0.1 -u root shop < backups/shop.sql",
            "psql -f x.sql",
            "psql -h db.internal -c 'select 1' app",
            "psql -h db.internal -c \"select * from t where id = $ID\" app",
            "psql -h \"$HOST\" -c \"$STATEMENT\" app",
            "echo 'select 1' | mysql -h db.internal shop",
        ],
        ..Rule::CHANGE
    },
    Rule {
        id: "db.mongo.elsewhere",
        severity: Severity::High,
        message: "documents of a database on another machine are deleted, as many as fit",
        remedy: "count them first: `db.users.countDocuments({…})`, and let a person run it",
        when: When::Effect(Kinds::RUN, changes_documents),
        fires: &[
            "mongosh 'mongodb+srv://app@cluster0.acme.example/main' --eval 'db.users.deleteMany({lastLogin: {$lt: 1}})'",
            "mongosh mongodb://db.example.com/shop --eval 'db.orders.remove({status: 1})'",
        ],
        quiet: &[
            "mongosh mongodb://db.example.com/shop --eval 'db.orders.updateMany({id: 7}, {$set: {status: 1}})'",
            "mongosh mongodb://localhost/main --eval 'db.users.deleteMany({old: true})'",
            "mongosh mongodb://mongo:27017/main --eval 'db.users.deleteMany({old: true})'",
            "mongosh 'mongodb+srv://app@dev.acme.example/main' --eval 'db.users.deleteMany({old: true})'",
            "mongosh 'mongodb+srv://app@cluster0.acme.example/main' --eval 'db.users.countDocuments({})'",
        ],
        ..Rule::LOSS
    },
];

/// `mongosh mongodb+srv://…  --eval 'db.users.deleteMany({…})'`.
fn changes_documents(effect: &Effect, _: &Scene<'_>) -> Option<Hit> {
    const CHANGES: &[&str] = &[".bulkWrite(", ".deleteMany(", ".remove({"];
    let run = run(effect)?;
    if !matches!(run.program.as_str(), "mongosh" | "mongo") {
        return None;
    }
    let options = Options::new(&run.arguments, &["--eval", "--file", "--host", "-f", "-p", "-u"]);
    let host = options.value(&["--host"]).map(|host| host.text.display());
    let address = || {
        options.operands().find_map(|word| {
            let (_, rest) = word.text.known_prefix().split_once("://")?;
            let authority = rest.split(['/', '?']).next()?;
            Some(authority.rsplit('@').next()?.to_owned())
        })
    };
    let is_far = host.or_else(address).is_some_and(|host| is_of_others(&host));
    let said = options.values_of(&["--eval"]).map(|script| script.text.display());
    let mut said = said.chain(run.input.iter().map(crate::text::Text::display));
    let changes = said.any(|script| CHANGES.iter().any(|change| script.contains(change)));
    (is_far && changes).then(Hit::default)
}

/// Whether a host is none of this machine or its network, and none that is there to be tried on: `db.example.com`.
pub(super) fn is_of_others(host: &str) -> bool {
    const REHEARSALS: &[&str] = &[
        "ci",
        "demo",
        "dev",
        "develop",
        "development",
        "e2e",
        "internal",
        "lan",
        "local",
        "localhost",
        "localdomain",
        "preview",
        "qa",
        "sandbox",
        "stage",
        "staging",
        "svc",
        "test",
        "testing",
        "uat",
    ];
    let host = host.rsplit_once(':').map_or(host, |(host, _)| host);
    let is_address = host.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    !is_address
        && host.contains('.')
        && !host
            .split(['.', '-', '_'])
            .any(|part| REHEARSALS.iter().any(|name| part.eq_ignore_ascii_case(name)))
}

/// Commands that change what runs somewhere.
const CHANGING: &[&str] = &[
    "ansible-playbook !--check !-C !--list-hosts !--list-tasks !--list-tags !--syntax-check",
    "argocd app create|delete-resource|patch|rollback|set|sync",
    "aws cloudformation create-stack|deploy|execute-change-set|update-stack",
    "aws ecs register-task-definition|run-task|update-service",
    "aws eks update-*",
    "aws elasticbeanstalk update-environment",
    "aws lambda publish-version|update-alias|update-function-code|update-function-configuration",
    "aws ssm put-parameter",
    "az aks|containerapp|functionapp|webapp … deploy|restart|update",
    "cdk|cdktf|copilot|sam|serverless|sls|sst deploy",
    "dbt build|clone|run|run-operation|seed|snapshot",
    "docker service scale|update",
    "docker stack deploy",
    "gcloud app|deploy|functions|run … deploy|update|update-traffic",
    "gh workflow run",
    "glab ci run|trigger",
    "helm install|rollback|upgrade",
    "helmfile apply|destroy|sync",
    "kubectl|oc annotate|apply|autoscale|create|edit|expose|label|patch|replace|run|scale|set",
    "kubectl|oc rollout restart|undo",
    "nomad job dispatch|revert|run",
    "oc start-build|tag",
    "skaffold deploy|run",
];

/// Commands that say which place the ones behind them are about.
const CHOOSING: &[&str] = &[
    "aws eks update-kubeconfig",
    "az aks get-credentials",
    "doctl kubernetes cluster kubeconfig save",
    "gcloud container clusters get-credentials",
    "kubectl config use|use-context|set-context",
    "kubectx *",
    "kubens *",
    "oc project",
];

/// Whether an earlier command of the call chose a place that calls itself production.
fn is_led(effect: &Effect, scene: &Scene<'_>) -> bool {
    let before = scene.effects.list.iter().take_while(|other| !std::ptr::eq(*other, effect));
    before.filter_map(run).any(|run| {
        let mut shapes =
            CHOOSING.iter().filter(|shape| pattern::names(shape, &run.program)).peekable();
        shapes.peek().is_some()
            && words(run).any(is_production)
            && shapes.any(|shape| pattern::Command::new(run).has_shape(shape))
    })
}

/// Commands that start, stop or replace what runs on a machine.
const RUNNING: &[&str] = &[
    "docker|podman compose up|down|restart|stop|kill|rm",
    "docker-compose up|down|restart|stop|kill|rm",
    "docker|podman restart|stop|kill|rm",
    "forever restart|restartall|stop|stopall",
    "pm2 delete|kill|reload|restart|stop|startOrReload",
    "service * restart|stop|reload|start",
    "supervisorctl restart|stop|reload|update|reread|start",
    "systemctl restart|stop|disable|kill|reload-or-restart|start|isolate|mask",
];

/// `ssh web1 sudo systemctl restart app`
fn changes_host(effect: &Effect, scene: &Scene<'_>) -> Option<Hit> {
    let run = run(effect)?;
    let mut shapes = RUNNING.iter().filter(|shape| pattern::names(shape, &run.program)).peekable();
    if shapes.peek().is_none() || !scene.is_remote(effect) {
        return None;
    }
    let around: Vec<&Run> = scene.programs_around(effect).collect();
    let is_here = |run: &&Run| {
        matches!(run.program.as_str(), "ssh" | "autossh")
            && words(run).any(|word| {
                let host = word.rsplit('@').next().unwrap_or(word);
                matches!(host, "localhost" | "127.0.0.1" | "::1") || host.ends_with(".local")
            })
    };
    let command = pattern::Command::new(run);
    (!around.iter().any(is_here) && shapes.any(|shape| command.has_shape(shape))).then(Hit::default)
}

fn changes(effect: &Effect, scene: &Scene<'_>) -> Option<Hit> {
    let run = run(effect)?;
    let program = run.program.as_str();
    // A folder of manifests is called after what it describes; where it goes, the context and the namespace say.
    let is_cluster = matches!(program, "helm" | "helmfile" | "kubectl" | "oc" | "skaffold");
    let mut said = words(run).filter(|word| !is_cluster || !word.contains('/'));
    let mut shapes = CHANGING.iter().filter(|shape| pattern::names(shape, program)).peekable();
    if shapes.peek().is_none() || !(said.any(is_production) || is_cluster && is_led(effect, scene))
    {
        return None;
    }
    let command = pattern::Command::new(run);
    let changes = shapes.any(|shape| command.has_shape(shape));
    changes.then(Hit::default)
}

/// Whether a word names production by a whole word of its own: `prod-eu`, `env=prod`, `overlays/production`, and not `products`.
pub(super) fn is_production(word: &str) -> bool {
    const NAMES: &[&str] = &["prd", "prod", "production"];
    // A sentence is no name.
    !word.contains([' ', '\n'])
        && word
            .split(|letter: char| !letter.is_ascii_alphanumeric())
            .any(|part| NAMES.iter().any(|name| part.eq_ignore_ascii_case(name)))
}

/// `db-live.internal`: a host whose name says that others depend on it.
fn is_live(word: &str) -> bool {
    let host = word.rsplit('=').next().unwrap_or(word);
    let first = host.split('.').next().unwrap_or(host);
    !word.contains([' ', '\n'])
        && !first.starts_with('-')
        && first.contains(['-', '_'])
        && first.split(['-', '_']).any(|part| part.eq_ignore_ascii_case("live"))
}

/// Whether a statement goes to a database that calls itself production: the words of its client say so, or where code finds it.
pub(super) fn is_data_of(effect: &Effect, scene: &Scene<'_>) -> bool {
    /// What stands in front of an address, or of what holds one.
    const LEADS: &[&str] = &[
        "://",
        "dotenv",
        "environ",
        "getenv(",
        "host:",
        "host=",
        "process.env",
        "SETTINGS_MODULE",
    ];
    /// Variables that name a server to its client.
    const HOSTS: &[&str] = &[
        "APP_ENV=",
        "DATABASE_URL=",
        "DJANGO_SETTINGS_MODULE=",
        "MYSQL_HOST=",
        "PGHOST=",
        "PGSERVICE=",
        "RACK_ENV=",
        "RAILS_ENV=",
    ];
    /// How much of what stands behind is looked at.
    const NEAR: usize = 96;
    match scene.program_around(effect) {
        Some(run) => {
            // The statement itself is a sentence; `host=db.prod dbname=x` is none.
            let says = run.arguments.iter().any(|word| {
                let shown = word.text.display();
                let apart = if shown.starts_with("host=") || shown.contains(" host=") {
                    &['@', '/', '?', ' '][..]
                } else {
                    &['@', '/', '?']
                };
                shown.split(apart).any(|part| is_production(part) || is_live(part))
            });
            let text = scene.effects.layer_text(effect.at.layer);
            says || HOSTS.iter().any(|name| {
                text.match_indices(name).any(|(at, _)| {
                    let rest = text.get(at + name.len()..).unwrap_or_default();
                    rest.split([' ', '\n', ';']).next().is_some_and(is_production)
                })
            })
        }
        None => {
            let code = scene.effects.layer_text(effect.at.layer);
            LEADS.iter().any(|lead| {
                code.match_indices(lead).any(|(at, _)| {
                    // `localhost:5432` is this machine, and nobody's name for it.
                    let is_here = lead.starts_with("host")
                        && code.get(..at).is_some_and(|before| before.ends_with("local"));
                    if is_here {
                        return false;
                    }
                    let rest = code.get(at + lead.len()..).unwrap_or_default();
                    let near: String =
                        rest.chars().take_while(|it| *it != '\n').leading(NEAR).collect();
                    let (near, end) = match *lead {
                        "://" => (near.as_str(), &['"', '\'', ' ', '`'][..]),
                        // What a machine is called: `host="db.prod"`, `host=db.prod dbname=x`.
                        "host:" | "host=" => (
                            near.trim_start_matches([' ', '"', '\'', '`']),
                            &['"', '\'', ' ', '`', ','][..],
                        ),
                        _ => (near.as_str(), &[';'][..]),
                    };
                    is_production(&near.split(end).next().unwrap_or_default().replace(' ', "_"))
                })
            })
        }
    }
}

/// A client of databases, by its options.
struct Client {
    program: &'static str,
    /// Those that name a machine.
    hosts: &'static [&'static str],
    /// Those that name a file of statements.
    files: &'static [&'static str],
    /// Those that are a statement.
    statements: &'static [&'static str],
}

const CLIENTS: &[Client] = &[
    Client {
        program: "clickhouse-client",
        hosts: &["-h", "--host"],
        files: &["--queries-file"],
        statements: &["-q", "--query"],
    },
    Client {
        program: "mariadb",
        hosts: &["-h", "--host"],
        files: &[],
        statements: &["-e", "--execute"],
    },
    Client {
        program: "mysql",
        hosts: &["-h", "--host"],
        files: &[],
        statements: &["-e", "--execute"],
    },
    Client {
        program: "psql",
        hosts: &["-h", "--host"],
        files: &["-f", "--file"],
        statements: &["-c", "--command"],
    },
    Client { program: "sqlcmd", hosts: &["-S"], files: &["-i"], statements: &["-Q", "-q"] },
];

/// Options of theirs that take a value.
const VALUED: &[&str] = &[
    "--command",
    "--execute",
    "--file",
    "--host",
    "--password",
    "--port",
    "--queries-file",
    "--query",
    "--user",
    "-D",
    "-P",
    "-Q",
    "-S",
    "-U",
    "-c",
    "-d",
    "-e",
    "-f",
    "-h",
    "-i",
    "-p",
    "-q",
    "-u",
];

fn feeds(effect: &Effect, scene: &Scene<'_>) -> Option<Hit> {
    let run = run(effect)?;
    let Client { hosts, files, statements, .. } =
        CLIENTS.iter().find(|row| row.program == run.program)?;
    let options = Options::new(&run.arguments, VALUED);
    let name = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
    let is_unread = |file: &str| {
        !scene
            .facts
            .contents
            .iter()
            .any(|(path, fact)| name(path) == name(file) && !matches!(fact, FileFact::Absent))
    };
    let unread = match options.value(files) {
        Some(file) => file.text.as_known().is_none_or(|file| file != "-" && is_unread(file)),
        None => is_fed(run),
    };
    // A statement of which not even the beginning is known, for a machine that is.
    let is_unsaid = options.values_of(statements).any(|statement| {
        statement.text.has_unknown() && statement.text.known_prefix().trim().is_empty()
    });
    let elsewhere = |host: &str| !host.is_empty() && !super::passing::is_this_machine(host);
    let by_address = || {
        options.operands().filter_map(|word| word.text.as_known()).any(|word| {
            super::passing::host_of(word).is_some_and(elsewhere)
                || word.split(' ').any(|part| part.strip_prefix("host=").is_some_and(elsewhere))
        })
    };
    let mut named = options.values_of(hosts);
    let is_elsewhere = || {
        options.values_of(hosts).any(|host| host.text.as_known().is_none_or(elsewhere))
            || by_address()
    };
    let mut is_surely_elsewhere =
        || named.any(|host| host.text.as_known().is_some_and(elsewhere)) || by_address();
    (unread && is_elsewhere() || is_unsaid && is_surely_elsewhere()).then(Hit::default)
}

/// Whether nothing is known of what comes in.
fn is_fed(run: &Run) -> bool {
    let pieces = run.input.as_ref().map(|input| input.pieces.as_slice());
    matches!(pieces, Some([Piece::Unknown(_)]))
}

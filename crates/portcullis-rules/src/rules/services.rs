//! Rules on the command lines of services: gateways, delivery networks, flags, messages, monitoring, payment, continuous
//! integration. A plain `delete` of any of them is found by `verbs`; here stands what is worse or named otherwise.

use super::{Hit, Rule, Scene, Shelf, When, effects::run, pattern, requests};
use crate::{
    bound::Bounded,
    effect::{Effect, Kinds},
    finding::{Category, Confidence},
    risk::Severity,
};

pub(super) static SHELF: Shelf = Shelf {
    programs: &[
        "VBoxManage",
        "amtool",
        "aws",
        "az",
        "bitcoin-cli",
        "buildkite-agent",
        "caddy",
        "cast",
        "certbot",
        "circleci",
        "cloudflared",
        "datadog-ci",
        "deck",
        "dig",
        "dnscontrol",
        "docker-credential-pass",
        "doctl",
        "dsconf",
        "dsidm",
        "fastly",
        "firebase",
        "flux",
        "fly",
        "flyctl",
        "forge",
        "gcloud",
        "gh",
        "gitlab-rails",
        "gitlab-rake",
        "glab",
        "grafana-cli",
        "haproxy",
        "heroku",
        "host",
        "ipa",
        "jenkins-cli",
        "kafka-acls",
        "kafka-acls.sh",
        "kafka-configs",
        "kafka-configs.sh",
        "kafka-consumer-groups",
        "kafka-consumer-groups.sh",
        "kafka-delete-records",
        "kafka-delete-records.sh",
        "kafka-leader-election",
        "kafka-reassign-partitions",
        "kafka-reassign-partitions.sh",
        "kafka-streams-application-reset",
        "kafka-topics",
        "kafka-topics.sh",
        "kong",
        "ldapadd",
        "ldapdelete",
        "ldapmodify",
        "ldapmodrdn",
        "ldappasswd",
        "ldcli",
        "lncli",
        "localtunnel",
        "lt",
        "nats",
        "netlify",
        "newrelic",
        "nginx",
        "ngrok",
        "nsupdate",
        "octodns-sync",
        "pd",
        "promtool",
        "pulsar-admin",
        "rabbitmqadmin",
        "rabbitmqctl",
        "railway",
        "rndc",
        "rpk",
        "samba-tool",
        "sentry-cli",
        "solana",
        "splunk",
        "stripe",
        "supabase",
        "tailscale",
        "tarsnap",
        "traefik",
        "travis",
        "twilio",
        "unleash",
        "varnishadm",
        "vboxmanage",
        "vercel",
        "wrangler",
    ],
    rules: RULES,
};

static RULES: &[Rule] = &[
    Rule {
        id: "gateway.deck.sync",
        message: "a gateway is made equal to a file: every route, service and key that is not in it is deleted",
        remedy: "see what would change: `deck diff`",
        when: When::Command(&["deck sync|reset", "deck gateway sync|reset", "deck konnect sync"]),
        fires: &["deck sync", "deck gateway sync --select-tag team-a", "deck reset --force"],
        quiet: &["deck diff", "deck dump", "deck validate", "deck ping"],
        ..Rule::LOSS
    },
    Rule {
        id: "gateway.kong.reset",
        severity: Severity::Critical,
        message: "the gateway's whole database is emptied or moved to another state",
        remedy: "keep a copy: `deck dump --output-file kong.yaml`",
        when: When::Command(&[
            "kong migrations reset|down|finish",
            "kong stop|quit",
            "kong config db_import",
        ]),
        fires: &["kong migrations reset --yes", "kong stop"],
        quiet: &["kong health", "kong check /etc/kong/kong.conf", "kong config parse kong.yml"],
        ..Rule::LOSS
    },
    Rule {
        id: "proxy.certificate",
        category: Category::System,
        reversible: true,
        message: "the configuration of a web server is written anew with certificates and loaded, or certificates are taken back",
        remedy: "get the certificate alone: `certbot certonly`, and let a person put it in place",
        when: When::Command(&[
            "certbot run|install|enhance|rollback|revoke|delete|unregister !--dry-run",
            "certbot --nginx|--apache !certonly !certificates !--dry-run",
        ]),
        fires: &[
            "certbot --nginx -d example.com --redirect",
            "certbot delete --cert-name example.com",
        ],
        quiet: &[
            "certbot certificates",
            "certbot certonly --nginx -d example.com",
            "certbot renew --dry-run",
        ],
        ..Rule::LOSS
    },
    Rule {
        id: "proxy.stop",
        category: Category::System,
        reversible: true,
        message: "a web server or load balancer is stopped, and everything behind it becomes unreachable",
        remedy: "check the configuration and load it in place: `nginx -t`, `nginx -s reload`",
        when: When::Command(&[
            "nginx -s=stop|-s=quit",
            "haproxy -sf|-st",
            "caddy stop",
            "rndc stop|halt|flush|delzone|freeze",
            "varnishadm stop|ban|ban.url",
            "traefik stop",
            "cloudflared tunnel delete|cleanup",
            "tailscale down|logout",
        ]),
        fires: &[
            "nginx -s stop",
            "nginx -s quit",
            "haproxy -sf 123",
            "caddy stop",
            "rndc stop",
            "cloudflared tunnel delete prod",
        ],
        quiet: &[
            "nginx -t",
            "nginx -s reload",
            "haproxy -c -f /etc/haproxy/haproxy.cfg",
            "caddy validate",
            "rndc status",
        ],
        ..Rule::LOSS
    },
    Rule {
        id: "tunnel.open",
        category: Category::Permission,
        confidence: Confidence::Medium,
        message: "a port of this machine is opened to the internet",
        remedy: "let a person open it, for as long as it is looked at",
        when: When::Command(&[
            "ngrok http|tcp|tls|start",
            "cloudflared tunnel --url|run",
            "localtunnel|lt --port|-p",
            "tailscale funnel|serve",
        ]),
        fires: &[
            "ngrok http 8080",
            "ngrok tcp 22",
            "cloudflared tunnel --url http://localhost:8080",
            "tailscale funnel 443",
        ],
        quiet: &["ngrok config check", "tailscale status", "cloudflared tunnel list"],
        ..Rule::OPENS
    },
    Rule {
        id: "dns.update",
        message: "names on a name server are added or removed",
        remedy: "look at them first: `dig NAME`",
        when: When::Command(&["nsupdate"]),
        confidence: Confidence::Medium,
        fires: &["nsupdate -k key update.txt"],
        quiet: &["dig example.com", "rndc status"],
        ..Rule::LOSS
    },
    Rule {
        id: "dns.transfer",
        category: Category::Exfiltration,
        confidence: Confidence::Medium,
        reversible: true,
        message: "a name server is asked for every name of a zone at once, which maps a network for an attack",
        remedy: "ask for the one name: `dig example.com`",
        when: When::Command(&[
            "dig … axfr|ixfr=*",
            "dig -t=axfr|-t=AXFR",
            "host -l",
            "host -t=axfr|-t=AXFR",
        ]),
        fires: &[
            "dig axfr example.com @ns1.example.com",
            "dig @ns1.example.com example.com AXFR",
            "host -l example.com",
        ],
        quiet: &["dig +short example.com MX", "host example.com"],
        ..Rule::LOSS
    },
    Rule {
        id: "cdn.deploy.undo",
        reversible: true,
        message: "what visitors get is switched to another version, or thrown out of every cache",
        remedy: "see the versions first: `wrangler deployments list`, `fastly service version list`",
        when: When::Command(&[
            "wrangler rollback",
            "wrangler deployments|versions rollback",
            "fastly service version activate|deactivate|lock",
            "fastly service-version activate|deactivate",
            "fastly purge --all",
            "fastly service purge --all",
            "vercel rollback|promote",
            "netlify api restoreSiteDeploy|deleteSite|purgeCache",
            "heroku rollback|releases:rollback|ps:scale web=0",
            "firebase hosting:disable",
            "fly|flyctl apps suspend|restart",
            "fly|flyctl scale count 0",
        ]),
        fires: &[
            "wrangler deployments rollback",
            "fastly service version activate --version 5",
            "vercel rollback",
            "fly scale count 0 -a prod",
            "fastly purge --all",
        ],
        quiet: &["wrangler deployments list", "fastly service describe", "fly status", "vercel ls"],
        ..Rule::LOSS
    },
    Rule {
        id: "hosting.app.destroy",
        severity: Severity::Critical,
        message: "an application, its machines or its database is destroyed",
        remedy: "stop it instead, and let a person destroy it",
        when: When::Command(&[
            "fly|flyctl apps|app|machine|machines|volumes|volume|postgres|pg|mpg|redis destroy|delete|remove",
            "fly|flyctl destroy",
            "heroku apps:destroy|apps:delete|destroy|pg:reset|pg:destroy|addons:destroy|pg:killall|redis:destroy",
            "vercel remove|rm",
            "netlify sites:delete|env:unset",
            "railway delete|down",
            "supabase projects|branches|functions|domains delete",
            "supabase db reset --linked|--db-url",
            "firebase projects:delete|firestore:delete|database:remove|functions:delete|apphosting:backends:delete",
            "wrangler delete",
            "wrangler d1|r2|kv|queues|hyperdrive|vectorize … delete",
            "wrangler d1 time-travel restore",
        ]),
        fires: &[
            "fly apps destroy prod -y",
            "heroku pg:reset DATABASE --confirm prod",
            "vercel remove prod --yes",
            "firebase firestore:delete --all-collections",
            "wrangler d1 delete my-db",
            "supabase db reset --linked",
        ],
        quiet: &[
            "fly apps list",
            "heroku pg:info",
            "vercel ls",
            "wrangler d1 list",
            "wrangler d1 info x",
            "firebase projects:list",
        ],
        ..Rule::LOSS
    },
    Rule {
        id: "hosting.secrets",
        category: Category::Credentials,
        reversible: true,
        message: "the secret settings of an application are shown or changed",
        remedy: "see their names only, in the service's own pages",
        severity: Severity::Medium,
        when: When::Command(&[
            "heroku config:get|config:set|config:unset",
            "vercel env pull|rm|add",
            "netlify env:list|env:get|env:set",
            "railway variables",
            "fly|flyctl secrets set|unset|import",
            "fly|flyctl auth token",
            "wrangler secret put|delete|bulk",
            "supabase secrets set|unset",
            "firebase functions:secrets:access|functions:config:get|login:ci",
            "gh auth token",
            "gh variable set|delete",
        ]),
        fires: &[
            "heroku config:unset KEY -a prod",
            "vercel env pull .env",
            "fly secrets unset KEY",
        ],
        quiet: &["heroku apps:info", "vercel env ls", "gh secret list", "fly secrets list"],
        ..Rule::KEYS
    },
    Rule {
        id: "token.print",
        category: Category::Credentials,
        reversible: true,
        message: "the token with which this machine is signed in is printed",
        remedy: "see who you are: `gh auth status`",
        when: When::Command(&[
            "gh auth token",
            "gh auth status --show-token|-t",
            "glab auth status --show-token|-t",
            "fly|flyctl auth token",
            "fly|flyctl tokens create|attenuate",
            "heroku auth:token|authorizations:create|config|pg:credentials:url",
            "firebase login:ci",
            "docker-credential-pass get",
        ]),
        fires: &["gh auth token", "heroku auth:token", "gh auth status --show-token"],
        quiet: &["gh auth status", "heroku auth:whoami"],
        ..Rule::KEYS
    },
    Rule {
        id: "flags.archive",
        message: "a feature flag is archived, or a whole environment's flags are switched; programs that ask for it get their default",
        remedy: "see who still asks for it: `ldcli flags get FLAG`",
        when: When::Command(&[
            "ldcli flags|flag archive|delete",
            "ldcli projects|environments|segments|members|contexts delete|reset-sdk-key|reset-mobile-key|remove",
            "unleash features|feature archive|delete|stale",
            "unleash projects|project archive|delete",
            "unleash import --drop-before-import|--delete-existing",
        ]),
        fires: &[
            "ldcli flags archive my-flag --project p",
            "unleash features archive my-toggle",
            "unleash features delete t",
        ],
        quiet: &[
            "ldcli flags list",
            "ldcli flags create --name x",
            "unleash features disable my-toggle",
            "unleash features list",
        ],
        ..Rule::LOSS
    },
    Rule {
        id: "kafka.topic.delete.local",
        severity: Severity::Medium,
        message: "a topic of the broker on this machine is deleted with the messages in it",
        remedy: "see what is in it: `kafka-topics --describe --topic NAME`",
        when: When::Command(&[
            "kafka-topics|kafka-topics.sh --delete --bootstrap-server=localhost*|--bootstrap-server=127.0.0.1*",
        ]),
        fires: &["kafka-topics --bootstrap-server localhost:9092 --delete --topic orders"],
        quiet: &["kafka-topics --bootstrap-server localhost:9092 --list"],
        ..Rule::LOSS
    },
    Rule {
        id: "kafka.topic.delete",
        severity: Severity::Critical,
        message: "topics, records or groups of the broker are deleted; messages in them are lost",
        remedy: "see what is in it: `kafka-topics --describe --topic NAME`",
        when: When::Command(&[
            "kafka-topics|kafka-topics.sh --delete !--bootstrap-server=localhost* !--bootstrap-server=127.0.0.1*",
            "kafka-delete-records|kafka-delete-records.sh --offset-json-file",
            "kafka-consumer-groups|kafka-consumer-groups.sh --delete|--delete-offsets",
            "kafka-consumer-groups|kafka-consumer-groups.sh --reset-offsets --execute",
            "kafka-streams-application-reset",
            "rpk topic|group|cluster delete|trim-prefix|offset-delete !--brokers=localhost* !--brokers=127.0.0.1* !-X=brokers=localhost*",
            "rpk topic trim-prefix !--brokers=localhost* !--brokers=127.0.0.1*",
            "pulsar-admin … delete|delete-partitioned-topic|terminate|clear-backlog|delete-all|skip-all|unload",
        ]),
        fires: &[
            "kafka-topics --bootstrap-server k:9092 --delete --topic orders",
            "kafka-topics.sh --delete --topic orders --zookeeper z",
            "kafka-consumer-groups --reset-offsets --to-latest --all-topics --execute --group g",
            "rpk topic delete orders",
            "pulsar-admin topics delete persistent://a/b/c",
        ],
        quiet: &[
            "kafka-topics --list --bootstrap-server k:9092",
            "kafka-topics --describe --topic orders",
            "kafka-consumer-groups --reset-offsets --to-latest --dry-run --group g",
            "rpk topic list",
        ],
        ..Rule::LOSS
    },
    Rule {
        id: "kafka.settings",
        message: "the settings, rights or placement of topics are changed; shorter retention deletes messages",
        remedy: "see them first: `kafka-configs --describe --entity-type topics`",
        when: When::Command(&[
            "kafka-configs|kafka-configs.sh --alter",
            "kafka-topics|kafka-topics.sh --alter",
            "kafka-acls|kafka-acls.sh --remove",
            "kafka-reassign-partitions|kafka-reassign-partitions.sh --execute",
            "kafka-leader-election --election-type=unclean",
            "rpk cluster config set|edit|import|force-reset",
            "rpk acl|security … delete",
        ]),
        fires: &[
            "kafka-configs --alter --entity-type topics --entity-name t --add-config retention.ms=1",
            "kafka-acls --remove --topic t",
        ],
        quiet: &["kafka-configs --describe --entity-type topics", "kafka-acls --list"],
        reversible: true,
        ..Rule::LOSS
    },
    Rule {
        id: "rabbitmq.delete",
        severity: Severity::Critical,
        message: "queues, virtual hosts, users or a whole node of the broker are emptied or removed",
        remedy: "see what waits: `rabbitmqctl list_queues name messages`, and keep `rabbitmqctl export_definitions defs.json`",
        when: When::Command(&[
            "rabbitmqctl reset|force_reset|delete_*|purge_queue|stop|stop_app|shutdown|forget_cluster_node|clear_*|close_all_connections|rotate_logs|change_password",
            "rabbitmqadmin delete|purge|close",
        ]),
        fires: &[
            "rabbitmqctl delete_vhost prod",
            "rabbitmqctl force_reset",
            "rabbitmqadmin delete queue name=orders",
            "rabbitmqadmin -V / purge queue name=q",
        ],
        quiet: &["rabbitmqctl list_queues", "rabbitmqctl status", "rabbitmqadmin list queues"],
        ..Rule::LOSS
    },
    Rule {
        id: "nats.delete",
        message: "a stream, consumer or bucket is deleted or emptied; messages in it are lost",
        remedy: "keep a copy: `nats stream backup STREAM ./backup`",
        when: When::Command(&[
            "nats stream|str|consumer|con|kv|object|obj|account rm|delete|del|purge|rmm|seal",
            "nats kv del|purge|rm|revert|compact",
            "nats stream restore|cluster",
            "nats server … delete|drain|raft|step-down",
        ]),
        fires: &[
            "nats stream rm ORDERS",
            "nats --server x stream purge ORDERS",
            "nats kv del KV key",
            "nats consumer rm ORDERS durable",
        ],
        quiet: &[
            "nats stream ls",
            "nats stream info ORDERS",
            "nats kv get KV key",
            "nats pub subject msg",
        ],
        ..Rule::LOSS
    },
    Rule {
        id: "monitoring.forwarded",
        category: Category::Exfiltration,
        message: "what services log goes to another receiver from now on",
        remedy: "let a person who answers for the logs set the receiver",
        when: When::Command(&[
            "heroku drains:add|drains:set",
            "vercel log-drains|logdrains add|create",
            "gcloud logging sinks create|update",
            "aws logs put-subscription-filter|put-destination|create-delivery|create-export-task",
            "aws cloudtrail|firehose update-trail|update-destination",
            "az monitor diagnostic-settings create|update",
            "fly|flyctl logs ship",
            "railway logs drain",
            "doctl apps update-log-destination",
        ]),
        fires: &[
            "heroku drains:add https://example.net/logs -a prod",
            "gcloud logging sinks create all storage.googleapis.com/x",
        ],
        quiet: &["heroku drains", "gcloud logging sinks list", "heroku logs --tail"],
        ..Rule::LOSS
    },
    Rule {
        id: "monitoring.silence",
        category: Category::Evasion,
        message: "monitors, dashboards or alerts are removed or silenced, so that nobody hears when something breaks",
        remedy: "keep a copy of the definition, and let a person silence it",
        when: When::Command(&[
            "datadog-ci monitors|dashboards|synthetics|slo delete|mute|remove",
            "grafana-cli plugins uninstall|remove|rm",
            "grafana-cli admin reset-admin-password|data-migration",
            "promtool tsdb create-blocks-from|delete",
            "pd service|schedule|escalation-policy|user|team|rule delete|disable|remove|set",
            "pd incident resolve|ack|merge --all|-a|-m",
            "newrelic … delete|disable|update-status",
            "sentry-cli releases|projects|monitors|deploys|issues delete|mute|resolve",
            "splunk clean|remove|delete|disable|stop|offline|decommission|rolling-restart",
            "amtool silence add|expire|update|import",
        ]),
        fires: &[
            "datadog-ci monitors delete 123",
            "grafana-cli plugins uninstall piechart",
            "splunk clean eventdata -index main",
            "newrelic entity tags delete --guid x",
            "sentry-cli releases delete 1.0",
            "amtool silence add alertname=~'.+' --duration 10d",
            "amtool silence expire 7f3a",
        ],
        quiet: &[
            "datadog-ci monitors list",
            "grafana-cli plugins ls",
            "promtool check rules x.yml",
            "splunk search x",
            "sentry-cli releases list",
            "amtool silence query",
            "amtool alert",
        ],
        ..Rule::LOSS
    },
    Rule {
        id: "dns.push",
        message: "a zone's records are made equal to a file: what is not in it stops resolving",
        remedy: "see what would change: `dnscontrol preview`, `octodns-sync` without `--doit`",
        when: When::Command(&["dnscontrol push", "octodns-sync --doit"]),
        fires: &["dnscontrol push", "octodns-sync --config-file config.yaml --doit"],
        quiet: &[
            "dnscontrol preview",
            "dnscontrol check",
            "octodns-sync --config-file config.yaml",
        ],
        ..Rule::LOSS
    },
    Rule {
        id: "service.delivery.pause",
        reversible: true,
        message: "what keeps a service up or up to date is stopped, for everybody who uses it",
        remedy: "look at it first: `flux get all`, `heroku ps`",
        when: When::Command(&[
            "flux suspend",
            "heroku maintenance:on",
            "buildkite-agent stop",
            "travis cache --delete|-d",
        ]),
        fires: &[
            "flux suspend kustomization apps",
            "heroku maintenance:on --app prod",
            "buildkite-agent stop",
        ],
        quiet: &[
            "flux get kustomizations",
            "flux resume kustomization apps",
            "heroku maintenance:off",
            "buildkite-agent artifact download x .",
        ],
        ..Rule::LOSS
    },
    Rule {
        id: "service.copy.delete",
        message: "a virtual machine or a backup is deleted with everything in it",
        remedy: "look at it first: `VBoxManage showvminfo`, `tarsnap --list-archives`",
        when: When::Command(&[
            "VBoxManage|vboxmanage unregistervm --delete|--delete-all",
            "tarsnap -d",
            "tarsnap --nuke",
        ]),
        fires: &["VBoxManage unregistervm dev --delete", "tarsnap -d -f daily-1"],
        quiet: &["VBoxManage list vms", "VBoxManage unregistervm dev", "tarsnap --list-archives"],
        ..Rule::LOSS
    },
    Rule {
        id: "payment.change",
        severity: Severity::Critical,
        message: "money is moved, a subscription ends, or a customer's record is removed",
        remedy: "look at it first: `stripe charges retrieve ID`, and let a person do it",
        when: When::Command(&[
            "stripe refunds|payouts|transfers|charges|payment_intents|topups create|capture|cancel|reverse|confirm|refund",
            "stripe subscriptions|subscription_schedules cancel|delete|release",
            "stripe customers|products|prices|plans|coupons|webhook_endpoints|accounts|invoices|invoiceitems|promotion_codes|tax_ids|sources delete|void|void_invoice|pay|reject",
            "stripe delete|post --live",
            "stripe delete",
            "stripe api_keys|apikeys roll|delete|create",
            "bitcoin-cli … sendtoaddress|sendmany|sendall|send|dumpprivkey|dumpwallet",
            "lncli … payinvoice|sendpayment|sendcoins",
            "solana transfer|withdraw-stake",
        ]),
        fires: &[
            "stripe refunds create --charge ch_1",
            "stripe subscriptions cancel sub_1",
            "stripe customers delete cus_1 --live",
            "stripe delete /v1/products/p",
            "bitcoin-cli sendtoaddress bc1qxyz 1.5",
        ],
        quiet: &[
            "stripe customers list",
            "stripe charges retrieve ch_1",
            "stripe listen",
            "stripe trigger payment_intent.succeeded",
            "stripe logs tail",
        ],
        ..Rule::LOSS
    },
    Rule {
        id: "payment.chain",
        severity: Severity::High,
        confidence: Confidence::Medium,
        message: "a transaction is signed and sent to a chain that is not a rehearsed one",
        remedy: "try it on a local node or a test network first: `--rpc-url http://localhost:8545`",
        when: When::Effect(Kinds::RUN, sent_to_a_chain),
        fires: &[
            "cast send --rpc-url https://eth.example.com --private-key \"$KEY\" 0x9f8F72aA9304c8B593d555F12eF6589cC3A579A2 --value 4ether",
            "forge script script/Deploy.s.sol --rpc-url \"$RPC_URL\" --broadcast",
        ],
        quiet: &[
            "cast send 0x9f8F72aA9304c8B593d555F12eF6589cC3A579A2 --value 1ether",
            "cast call --rpc-url https://eth.example.com 0x9f8F72aA9304c8B593d555F12eF6589cC3A579A2 'name()'",
            "forge script script/Deploy.s.sol --rpc-url https://sepolia.example.com --broadcast",
            "forge script script/Deploy.s.sol --rpc-url \"$RPC_URL\"",
        ],
        ..Rule::LOSS
    },
    Rule {
        id: "forge.repository.delete",
        severity: Severity::Critical,
        message: "a repository is deleted, archived, moved or shown to everybody",
        remedy: "keep a mirror first: `git clone --mirror URL`, and let a person do it",
        when: When::Command(&[
            "gh repo delete|archive|rename",
            "gh repo edit --visibility=public|--visibility=internal",
            "gh repo create|fork --public",
            "gh repo deploy-key add|delete",
            "glab repo|project delete|transfer|archive",
            "gitlab-rails runner *destroy*|*delete*",
            "gitlab-rails console|dbconsole",
            "gitlab-rake gitlab:setup|gitlab:cleanup:*|gitlab:backup:restore|cache:clear",
        ]),
        fires: &[
            "gh repo delete o/r --yes",
            "gh repo archive o/r",
            "gh repo edit o/r --visibility public",
            "glab repo delete g/p",
            "gitlab-rails runner 'Project.all.destroy_all'",
        ],
        quiet: &[
            "gh repo view o/r",
            "gh repo clone o/r",
            "gh repo fork o/r --clone",
            "glab repo view",
        ],
        ..Rule::LOSS
    },
    Rule {
        id: "forge.keys",
        category: Category::Persistence,
        message: "a key or token is given access to an account or a repository",
        remedy: "let a person add it",
        when: When::Command(&[
            "gh ssh-key|gpg-key add|delete",
            "gh repo deploy-key add",
            "glab ssh-key|deploy-key|token add|create|revoke|rotate|delete",
            "gh auth refresh --scopes|-s",
            "gh api * -f=*permission*|-f=*key=*",
            "gh api *collaborators/*|*memberships/*|*/keys|*hooks -X=PUT|-X=POST|-X=PATCH|--method=PUT|--method=POST|--method=PATCH",
        ]),
        fires: &[
            "gh api -X PUT repos/o/r/collaborators/eve",
            "gh api -X POST repos/o/r/hooks --input hook.json",
            "gh ssh-key add key.pub",
            "glab token create x",
            "gh auth refresh -s admin:org",
        ],
        quiet: &["gh ssh-key list", "gh auth status"],
        ..Rule::OPENS
    },
    Rule {
        id: "forge.pipeline.stop",
        reversible: true,
        severity: Severity::Medium,
        message: "a pipeline, workflow or its stored results is switched off, cancelled or thrown away",
        remedy: "see it first: `gh run list`",
        when: When::Command(&[
            "gh run cancel|delete|rerun",
            "gh workflow disable",
            "gh cache delete",
            "gh pr|issue close|lock",
            "glab ci|pipeline|job cancel|delete",
            "glab mr|issue close|delete",
        ]),
        fires: &[
            "gh run cancel 1",
            "gh workflow disable ci.yml",
            "gh pr close 3",
            "glab mr close 4",
        ],
        quiet: &["gh run list", "gh workflow list", "gh pr view 3"],
        ..Rule::CHANGE
    },
    Rule {
        id: "forge.items.each",
        severity: Severity::High,
        message: "issues or requests are closed, changed or written to, one after the other of a list",
        remedy: "show the list to a person, and name the ones that are meant",
        when: When::Effect(Kinds::RUN, each_item),
        fires: &[
            "gh issue list --json number -q '.[].number' | xargs -I{} gh issue close {}",
            "for i in $(cat list.txt); do gh pr comment $i --body stale; done",
        ],
        quiet: &["gh issue close 3", "for i in $(cat list.txt); do gh issue view $i; done"],
        ..Rule::CHANGE
    },
    Rule {
        id: "forge.checks.off",
        category: Category::Evasion,
        message: "checks before a merge are skipped, or a workflow that runs them is switched off",
        remedy: "let the checks finish: `gh pr checks`",
        when: When::Command(&[
            "gh pr merge --admin",
            "gh workflow disable",
            "gh ruleset|rulesets delete|disable",
            "gh api * -X=DELETE|--method=DELETE *protection*",
        ]),
        fires: &["gh pr merge 3 --admin", "gh workflow disable ci.yml"],
        quiet: &["gh pr merge 3 --squash", "gh workflow enable ci.yml", "gh pr checks 3"],
        reversible: true,
        ..Rule::LOSS
    },
    Rule {
        id: "ci.jobs.delete",
        message: "jobs, nodes, credentials or contexts of continuous integration are deleted, or the server is stopped",
        remedy: "keep a copy: `jenkins-cli get-job NAME`",
        when: When::Command(&[
            "jenkins-cli delete-*|clear-queue|quiet-down|safe-shutdown|shutdown|safe-restart|restart|disable-*|offline-node|disconnect-node|groovy|groovysh|reload-configuration",
            "circleci context|namespace|orb|runner … delete|delete-context|remove-secret|unlist|remove-restriction",
            "circleci orb|context delete|remove-secret|unlist|unlist-orb",
        ]),
        fires: &[
            "jenkins-cli -s http://j delete-job prod",
            "jenkins-cli groovy = x",
            "circleci context remove-secret github o c KEY",
            "circleci context delete github o c",
        ],
        quiet: &[
            "jenkins-cli list-jobs",
            "circleci context list github o",
            "circleci config validate",
        ],
        ..Rule::LOSS
    },
    Rule {
        id: "directory.entry.change",
        message: "entries of a directory of people and rights are changed or deleted for everyone who asks it",
        remedy: "read them first: `ldapsearch`, and let whoever looks after the directory change them",
        when: When::Command(&[
            "ldapdelete|ldapmodrdn !-n",
            "ldapmodify|ldapadd|ldappasswd !-n",
            "samba-tool user|group|computer delete|setpassword|removemembers|disable",
            "ipa user-del|group-del|host-del|user-mod|pwpolicy-mod",
            "dsconf|dsidm … delete",
        ]),
        fires: &[
            "ldapdelete -x -D cn=admin,dc=x -w pw ou=people,dc=example,dc=com",
            "ldapmodify -x -f change.ldif",
            "samba-tool user delete anna",
        ],
        quiet: &[
            "ldapsearch -x -b dc=x '(uid=anna)'",
            "ldapmodify -n -f change.ldif",
            "samba-tool user list",
        ],
        ..Rule::LOSS
    },
    Rule {
        id: "messages.send",
        category: Category::Exfiltration,
        severity: Severity::High,
        confidence: Confidence::Medium,
        message: "a message goes out to people in somebody's name",
        remedy: "let a person read it first",
        when: When::Command(&[
            "twilio api:core:messages:create|api:core:calls:create|phone-numbers:update",
            "twilio phone-numbers:buy:*|api:core:*:remove",
        ]),
        fires: &["twilio api:core:messages:create --to +1 --from +2 --body hi"],
        quiet: &["twilio phone-numbers:list", "twilio profiles:list"],
        ..Rule::LOSS
    },
    Rule {
        id: "service.records.changed",
        confidence: Confidence::Medium,
        message: "what a service keeps is changed, one record after the other of all that it has",
        remedy: "print first what would be changed, try it on one, and keep a copy of the rest",
        when: When::Noted,
        fires: &[
            "python3 -c 'import shopify_api\nshop = shopify_api.Client(token=t)\nfor p in shop.products.list():\n    shop.products.update(p.id, price=1)'",
        ],
        quiet: &[
            "python3 -c 'import shopify_api\nshop = shopify_api.Client(token=t)\nshop.products.update(7, price=1)'",
            "python3 -c 'import shopify_api\nshop = shopify_api.Client(token=t)\nfor p in shop.products.list():\n    print(p.id)'",
        ],
        ..Rule::LOSS
    },
    Rule {
        id: "messages.send.many",
        category: Category::Exfiltration,
        severity: Severity::High,
        message: "a message goes out to each of a list of people in somebody's name",
        remedy: "let a person read it and see to whom it goes; send it to yourself first",
        when: When::Effect(Kinds::RUN, each_message),
        fires: &[
            "for p in $(cat phones); do twilio api:core:messages:create --from +1 --to $p --body hi; done",
            "python3 -c 'import smtplib\ns = smtplib.SMTP(\"m.acme.com\")\nfor to in open(\"list.txt\"):\n    s.sendmail(\"a@acme.com\", to, \"hi\")'",
        ],
        quiet: &[
            "python3 -c 'import smtplib\ns = smtplib.SMTP(\"m.acme.com\")\ns.sendmail(\"a@acme.com\", \"b@acme.com\", \"hi\")'",
        ],
        ..Rule::LOSS
    },
];

/// `cast send --rpc-url URL`, `forge script … --broadcast`: without an address they talk to a node of this machine (book.getfoundry.sh).
fn sent_to_a_chain(effect: &Effect, _: &Scene<'_>) -> Option<Hit> {
    /// Where no real money is.
    const REHEARSED: &[&str] = &[
        "127.0.0.1",
        "amoy",
        "anvil",
        "devnet",
        "fuji",
        "goerli",
        "hardhat",
        "holesky",
        "hoodi",
        "localhost",
        "sepolia",
        "testnet",
    ];
    let run = run(effect).filter(|run| matches!(run.program.as_str(), "cast" | "forge"))?;
    let options = pattern::options(run);
    let verb = options.operands().next().and_then(|word| word.text.as_known())?;
    let sends = match (run.program.as_str(), verb) {
        ("cast", "send" | "publish") => true,
        ("forge", "create" | "script") => {
            run.arguments.iter().any(|word| word.text.as_known() == Some("--broadcast"))
        }
        _ => false,
    };
    let named = options.value(&["--rpc-url", "-r", "--fork-url"])?;
    let address = named.text.display().to_ascii_lowercase();
    let is_rehearsed = REHEARSED.iter().any(|word| address.contains(word));
    (sends && !is_rehearsed).then(Hit::default)
}

/// A message by Twilio's program for each of a list.
fn each_message(effect: &Effect, scene: &Scene<'_>) -> Option<Hit> {
    let run = run(effect).filter(|run| run.program == "twilio")?;
    let first = pattern::options(run).operands().next()?;
    let sends =
        ["api:core:messages:create", "api:core:calls:create"].contains(&first.text.known_prefix());
    (sends && requests::is_one_of_many(run, effect, scene)).then(Hit::default)
}

/// `gh issue close` for each of a list.
fn each_item(effect: &Effect, scene: &Scene<'_>) -> Option<Hit> {
    /// What is done to an item that others see.
    const VERBS: &[&str] = &[
        "close", "comment", "delete", "edit", "lock", "merge", "note", "reopen", "transfer",
        "update",
    ];
    let run = run(effect).filter(|run| matches!(run.program.as_str(), "gh" | "glab"))?;
    let words: Vec<&str> =
        pattern::options(run).operands().map(|word| word.text.known_prefix()).leading(2).collect();
    let [thing, verb] = words.as_slice() else { return None };
    let is_item = matches!(*thing, "issue" | "pr" | "mr") && VERBS.contains(verb);
    (is_item && requests::is_one_of_many(run, effect, scene)).then(Hit::default)
}

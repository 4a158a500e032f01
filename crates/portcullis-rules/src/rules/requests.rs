//! Rules on requests that change something at the other end: methods and paths that delete. Owns how HTTP clients are told
//! the method; whether the address may be talked to at all, and what data goes out, is judged elsewhere.

use super::{Hit, Rule, Scene, Shelf, When};
use crate::{
    effect::{Effect, EffectKind, Run},
    finding::{Category, Confidence},
    risk::Severity,
    text::{Piece, Text},
};

mod access;
mod request;

pub(super) use request::VALUES;
use request::{CLIENTS, Request, Verdict, host};

pub(super) static SHELF: Shelf = Shelf { programs: &[], rules: RULES };

static RULES: &[Rule] = &[
    Rule {
        id: "http.request.delete",
        confidence: Confidence::Medium,
        message: "a service is asked to delete something",
        remedy: "look at it first with a `GET`, and keep the answer",
        when: When::Read,
        fires: &[
            "curl -X DELETE https://api.example.com/v1/users/7",
            "curl https://api.example.com/v1/users/7 --request DELETE",
            "curl -sXDELETE http://localhost:9200/orders",
            "http DELETE :7700/indexes/products",
            "wget --method=DELETE -qO- https://api.example.com/x",
            "gh api -X DELETE repos/o/r",
            "curl -X DELETE http://grafana.local/api/dashboards/uid/abc",
        ],
        quiet: &[
            "curl -X GET https://api.example.com/v1/users/7",
            "curl -X DELETE http://localhost:3000/api/users/7",
            "curl https://example.com/delete",
            "http GET :7700/health",
            "curl -H 'X: DELETE' https://example.com",
        ],
        ..Rule::LOSS
    },
    Rule {
        id: "http.request.delete-by-path",
        confidence: Confidence::Medium,
        message: "the address or the body of the request says that something is deleted, purged or stopped",
        remedy: "look at what would go with a `GET` first",
        when: When::Read,
        fires: &[
            "curl -X POST http://es.prod:9200/orders/_delete_by_query -d '{}'",
            "http POST :7700/indexes/products/documents/delete-batch",
            "curl -X POST http://jenkins.example.com/job/x/doDelete",
            "curl https://api.example.com/graphql -d '{\"query\":\"mutation { deleteUser(id: 7) { id } }\"}'",
        ],
        quiet: &[
            "curl -X POST https://api.example.com/email -d '{}'",
            "curl -X POST https://api.example.com/email/batch -d '[]'",
            "curl https://example.com/docs/how-to-delete",
            "curl -X POST http://localhost:3000/api/cart/clear",
        ],
        ..Rule::LOSS
    },
    Rule {
        id: "http.request.everything",
        severity: Severity::Critical,
        message: "a data store is asked to delete everything that it holds",
        remedy: "name the one index: `curl http://localhost:9200/_cat/indices` lists them",
        when: When::Read,
        fires: &["curl -X DELETE http://es.prod:9200/_all", "curl -XDELETE 'localhost:9200/*'"],
        quiet: &[
            "curl http://es.prod:9200/_all",
            "curl -X DELETE http://localhost:3000/api/users/7",
        ],
        ..Rule::LOSS
    },
    Rule {
        id: "http.request.local",
        severity: Severity::Medium,
        reversible: true,
        confidence: Confidence::Medium,
        category: Category::Change,
        message: "a service on this machine is asked to change or delete something",
        remedy: "look at it first with a `GET`",
        when: When::Read,
        fires: &[
            "curl -X DELETE http://localhost:3000/api/users/7",
            "curl -X PUT http://127.0.0.1:8080/x -d a=b",
        ],
        quiet: &[
            "curl http://localhost:3000/api/users/7",
            "curl -X DELETE https://api.example.com/x",
        ],
    },
    Rule {
        id: "http.request.change",
        severity: Severity::Medium,
        reversible: true,
        confidence: Confidence::Medium,
        category: Category::Change,
        message: "a service is asked to replace or change something",
        remedy: "look at it first with a `GET`, and keep the answer",
        when: When::Read,
        fires: &[
            "curl -X PUT https://api.example.com/v1/users/7 -d a=b",
            "http PATCH api.example.com/x a=b",
        ],
        quiet: &["curl https://api.example.com/v1/users/7", "curl -X HEAD https://api.example.com"],
    },
    Rule {
        id: "http.request.administer",
        severity: Severity::High,
        confidence: Confidence::Medium,
        message: "a service is told who may do what there, where its names lead, or to stop or publish something",
        remedy: "look at what is set now with a `GET`, and let a person change it",
        when: When::Read,
        fires: &[
            "curl -X PATCH https://api.example.com/client/v4/zones/z1/dns_records/r1 -H \"Authorization: Bearer $T\" -d '{\"content\":\"203.0.113.9\"}'",
            "curl -X POST https://home.example.com/api/services/lock/unlock -d '{\"entity_id\":\"lock.front\"}'",
            "curl -X PATCH https://api.example.com/repos/o/r -d '{\"private\": false}'",
            "http PUT https://api.example.com/orgs/o/memberships/bob role=member",
        ],
        quiet: &[
            "curl https://api.example.com/v1/zones/z1/dns_records",
            "curl -X POST http://localhost:3000/api/members -d '{}'",
            "curl -X POST https://httpbin.org/anything/unlock -d '{}'",
            "curl -X POST https://api.example.com/v1/search -d '{\"private\": true}'",
        ],
        ..Rule::LOSS
    },
    Rule {
        id: "http.request.payment",
        severity: Severity::Critical,
        message: "a payment service is asked to move money, or to change what somebody pays",
        remedy: "use a key of the service's test mode, and let a person move real money",
        when: When::Read,
        fires: &[
            "curl https://api.stripe.com/v1/payouts -u \"$STRIPE_KEY:\" -d amount=100000 -d currency=usd",
            "curl -X POST https://api-m.paypal.com/v1/payments/payouts -d @batch.json",
            "http POST https://api.wise.com/v1/transfers targetAccount:=7",
        ],
        quiet: &[
            "curl https://api.stripe.com/v1/payouts -u \"$STRIPE_KEY:\"",
            "curl https://api.stripe.com/v1/refunds -u sk_test_EXAMPLE: -d charge=ch_1",
            "curl -X POST https://api-m.sandbox.paypal.com/v1/payments/payouts -d @batch.json",
            "curl -X POST https://api.stripe.com/v1/tokens -d a=b",
        ],
        ..Rule::LOSS
    },
    Rule {
        id: "http.request.message",
        category: Category::Exfiltration,
        severity: Severity::Medium,
        message: "a message goes out to people in somebody's name",
        remedy: "show the text to a person, and let them send it",
        when: When::Read,
        fires: &[
            "curl -X POST https://slack.com/api/chat.postMessage -H \"Authorization: Bearer $SLACK\" -d channel=general -d text=hi",
            "curl https://api.sendgrid.com/v3/mail/send -d @mail.json",
            "curl -X POST https://api.x.com/2/tweets -d '{\"text\":\"hi\"}'",
            "curl https://api.twilio.com/2010-04-01/Accounts/AC1/Messages.json -d To=+1 -d Body=hi",
            "while read -r m; do curl -s --user \"api:$K\" https://api.mailgun.net/v3/x.example/messages -F to=\"$m\" -F text=hi; done < c.csv",
        ],
        quiet: &[
            "curl https://slack.com/api/conversations.history?channel=C1",
            "curl -X POST https://slack.com/api/auth.test",
            "curl -X POST https://example.com/api/chat.postMessage -d a=b",
            "curl https://api.x.com/2/tweets?ids=1",
        ],
        ..Rule::LOSS
    },
    Rule {
        id: "http.request.engine-socket",
        category: Category::Privilege,
        severity: Severity::Critical,
        message: "a container engine is driven through its socket, which is as good as being root",
        remedy: "use the engine's own command: `docker ps`",
        when: When::Read,
        fires: &[
            "curl --unix-socket /var/run/docker.sock -X POST http://localhost/containers/create -d @c.json",
        ],
        quiet: &["curl --unix-socket /var/run/docker.sock http://localhost/version"],
        ..Rule::LOSS
    },
];

/// Reads the request that a client is told to make.
pub(super) fn reading(effect: &Effect, scene: &Scene<'_>, hits: &mut Vec<(&'static str, Hit)>) {
    let EffectKind::Run(run) = &effect.kind else { return };
    if !CLIENTS.contains(&run.program.as_str()) {
        return;
    }
    let Some(request) = Request::read(run) else { return };
    let Some(id) = request.verdict().map(Verdict::rule) else { return };
    let Some(rule) = RULES.iter().find(|rule| rule.id == id) else { return };
    let address = request.address.text.display();
    let is_message = id == "http.request.message";
    let to_each = is_message && is_one_of_many(run, effect, scene);
    let each = id == "http.request.change" && is_one_of_many(run, effect, scene);
    let to_all = is_message
        && (run.arguments.iter().any(|word| calls_everybody(&word.text))
            || run.input.as_ref().is_some_and(calls_everybody));
    let hit = Hit {
        severity: (each || to_each || to_all || is_chat_hook(&address)).then_some(Severity::High),
        message: Some(if to_each {
            format!("`{} {address}`: a message goes to each of a list", request.method)
        } else if each {
            format!("`{} {address}`: each of a list is changed at a service", request.method)
        } else if to_all {
            format!("`{} {address}`: a message calls everybody in a channel", request.method)
        } else {
            format!("`{} {address}`: {}", request.method, rule.message)
        }),
        resource: host(&address).map(|(host, _)| format!("host:{host}")),
        ..Hit::default()
    };
    hits.push((id, hit));
}

/// Whether a text calls everybody who reads a channel (Slack's and Discord's own marks).
fn calls_everybody(text: &Text) -> bool {
    const MARKS: &[&str] = &[
        "\"deliver_notifications\":true",
        "\"included_segments\"",
        "<!channel>",
        "<!everyone>",
        "<!here>",
        "@everyone",
    ];
    text.pieces.iter().any(|piece| match piece {
        Piece::Known(known) => MARKS.iter().any(|mark| known.contains(mark)),
        _ => false,
    })
}

/// Whether an address is a variable that says by its name that people read along there: `$SLACK_WEBHOOK_URL`.
fn is_chat_hook(address: &str) -> bool {
    const CHATS: &[&str] = &[
        "CHAT",
        "DISCORD",
        "GCHAT",
        "MATTERMOST",
        "ROCKET",
        "SLACK",
        "TEAMS",
        "TELEGRAM",
        "ZULIP",
    ];
    let name = address.trim_start_matches(['"', '$', '{']).to_ascii_uppercase();
    address.starts_with('$')
        && ["HOOK", "URL"].iter().any(|word| name.contains(word))
        && name
            .split(|letter: char| !letter.is_ascii_alphanumeric())
            .any(|part| CHATS.contains(&part))
}

/// Whether a program is run for each of a list, with something of what is listed in its words.
pub(super) fn is_one_of_many(run: &Run, effect: &Effect, scene: &Scene<'_>) -> bool {
    let text = scene.effects.layer_text(effect.at.layer);
    let range = effect.at.span.range();
    let before = text.get(..range.start).unwrap_or_default();
    let behind = text.get(range.end..).unwrap_or_default();
    let count = |text: &str, wanted: &str| {
        text.split(|letter: char| letter.is_whitespace() || letter == ';')
            .filter(|word| *word == wanted)
            .count()
    };
    let is_open = count(before, "do") > count(before, "done") && count(behind, "done") > 0;
    let names = loop_names(before);
    let call = text.get(range).unwrap_or_default();
    let takes = run.arguments.iter().any(|word| word.text.has_unknown())
        && variables(call).any(|name| names.contains(&name) || !is_of_environment(name));
    let by_list = scene
        .programs_around(effect)
        .any(|outer| matches!(outer.program.as_str(), "xargs" | "parallel"));
    is_open && takes || by_list
}

/// The names that loops before give a new value each round: those of `for` and `read`, and what is set in the bodies.
fn loop_names(before: &str) -> Vec<&str> {
    let words: Vec<&str> = before
        .split(|letter: char| letter.is_whitespace() || letter == ';')
        .filter(|word| !word.is_empty())
        .collect();
    let opens = words.iter().position(|word| matches!(*word, "for" | "select" | "while" | "until"));
    let words = words.get(opens.unwrap_or(0)..).unwrap_or_default();
    let mut names = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let rest = words.get(at + 1..).unwrap_or_default();
        match *word {
            "for" | "select" => names.extend(rest.first()),
            "read" | "mapfile" | "readarray" => {
                names.extend(
                    rest.iter().take_while(|name| **name != "do" && !name.starts_with('<')),
                );
            }
            _ => names.extend(word.split_once(['+', '=']).map(|(name, _)| name)),
        }
    }
    names.retain(|name| name.chars().all(|letter| letter.is_alphanumeric() || letter == '_'));
    names
}

/// The variables that a command takes, by name; empty for what else `$` and backquotes begin.
fn variables(call: &str) -> impl Iterator<Item = &str> {
    call.split(['$', '`']).skip(1).map(|behind| {
        let behind = behind.trim_start_matches(['{', '!', '#']);
        let end = behind.find(|letter: char| !letter.is_alphanumeric() && letter != '_');
        behind.get(..end.unwrap_or(behind.len())).unwrap_or_default()
    })
}

/// Whether a name is written as those are that the same value stands behind in each round, unless the loop sets it.
fn is_of_environment(name: &str) -> bool {
    !name.is_empty() && !name.chars().any(char::is_lowercase)
}

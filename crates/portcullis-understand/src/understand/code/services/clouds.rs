//! Clouds without a command of their own here, and what is alike in all of them. Owns the verbs that destroy, rules of firewalls, rights,
//! and stores of documents.

use portcullis_syntax::Span;

use super::{
    super::{
        interpreter::Interpreter,
        played::Client,
        value::{Given, Value},
    },
    DESTROYING, ORDINARY,
    command::{DEPTH, kebab, known, written},
};
use crate::programs::host::Host;

/// Modules of services that have no command of their own here: only verbs that destroy are told.
const SERVICES: &[&str] = &[
    "@azure/",
    "@google-cloud/",
    "alicloud",
    "azure.",
    "cloudflare",
    "digitalocean",
    "google.cloud.",
    "googleapiclient.",
    "hcloud",
    "heroku3",
    "linode",
    "oci.",
    "openstack",
    "vultr",
];

/// What a row of a store is called.
const ROWS: &[&str] = &["document", "entities", "entity", "item", "items", "record"];

/// How a bucket is shown to everybody.
pub(super) const PUBLISHED: &[&str] =
    &["gcloud", "storage", "buckets", "add-iam-policy-binding", "gs://b", "--member=allUsers"];

/// How a bucket is told to delete what is old.
const AGED: &[&str] =
    &["gcloud", "storage", "buckets", "update", "gs://b", "--lifecycle-file=rules.json"];

impl Interpreter<'_, '_, '_> {
    /// What is known of any cloud: rules of firewalls, stores that are dropped, verbs that destroy.
    pub(super) fn service_of_any_kind(
        &mut self,
        path: &str,
        receiver: &str,
        method: &str,
        given: &[Given],
        span: Span,
    ) -> Option<Value> {
        // A firewall that lets in everybody.
        let opens =
            ["firewall", "securitygroup", "security_group", "securityrule", "security_rule"];
        let lower = path.to_ascii_lowercase();
        if opens.iter().any(|word| lower.contains(word))
            && [
                "create",
                "insert",
                "patch",
                "update",
                "authorize",
                "add",
                "begincreate",
                "begin_create",
            ]
            .iter()
            .any(|verb| method.to_ascii_lowercase().starts_with(verb))
            && given.iter().any(|given| {
                let written = written(&given.value, DEPTH).display();
                written.contains("0.0.0.0/0")
                    || written.contains("::/0")
                    || lets_in_all(&given.value)
            })
        {
            self.walk.note("cloud.network.open", span);
        }
        let is_store = ["pymongo", "motor", "mongodb", "MongoClient", "mongoose"]
            .iter()
            .any(|name| path.starts_with(name))
            || receiver.contains(".collection()")
            || receiver.contains(".get_collection()");
        if is_store && matches!(method, "drop" | "drop_collection" | "dropCollection") {
            self.walk.note("code.database.collection", span);
            return None;
        }
        if method == "drop" && receiver.to_ascii_lowercase().ends_with("sequelize") {
            self.walk.note("code.database.drop", span);
        }
        if SERVICES.iter().any(|service| path.starts_with(service)) {
            self.rule_of_a_firewall(path, given, span);
            self.rights(path, receiver, method, span);
            self.weakens(path, method, given, span);
            let verb = kebab(method);
            let mut words = verb.split('-').filter(|word| *word != "begin");
            let destroys = words.next().is_some_and(|verb| DESTROYING.contains(&verb));
            let ordinary = words.next_back().is_some_and(|noun| ORDINARY.contains(&noun))
                || receiver.contains(".document()");
            let is_row = words_end(&verb, ROWS);
            if destroys && !ordinary && self.client_of(path) != Client::Nearby {
                self.walk.note("code.cloud.delete", span);
            } else if destroys
                && is_row
                && self.client_of(path) != Client::Nearby
                && !self.is_emulated(path)
                && self.is_repeated(span)
            {
                // One after the other of all that there is.
                self.walk.note("service.records.changed", span);
            }
            if matches!(method, "add_lifecycle_delete_rule" | "addLifecycleRule") {
                self.tell(known(AGED), span);
            }
            if matches!(method, "makePublic" | "make_public") {
                self.tell(known(PUBLISHED), span);
            }
            if matches!(
                method,
                "access_secret_version" | "accessSecretVersion" | "getSecret" | "get_secret"
            ) {
                return Some(
                    self.stored_secret(&["gcloud", "secrets", "versions", "access", "1"], span),
                );
            }
        }
        None
    }

    /// `SecurityRule(access="Allow", source_address_prefix="*")`: a rule of a firewall is made, which is the whole of what it says.
    fn rule_of_a_firewall(&mut self, path: &str, given: &[Given], span: Span) {
        let is_rule = path.rsplit('.').next().is_some_and(|name| {
            matches!(name, "SecurityRule" | "FirewallRule" | "Firewall" | "Allowed")
        });
        if !is_rule {
            return;
        }
        let table = given.iter().filter_map(|it| Some((it.name.clone()?, it.value.clone())));
        let mut said = vec![Value::Table(table.collect())];
        said.extend(given.iter().filter(|it| it.name.is_none()).map(|it| it.value.clone()));
        if said.iter().any(lets_in_all) {
            self.walk.note("cloud.network.open", span);
        }
    }

    /// Rights are given, or messages that wait are passed over.
    fn rights(&mut self, path: &str, receiver: &str, method: &str, span: Span) {
        let lower = receiver.to_ascii_lowercase();
        match method {
            // `bucket.set_iam_policy(policy)`: whom it lets in stands around it.
            "set_iam_policy" | "setIamPolicy" | "setPolicy" => {
                let is_for_all = ["allUsers", "allAuthenticatedUsers"]
                    .iter()
                    .any(|who| self.source.contains(who));
                let gives =
                    ["admin", "editor", "owner", "serviceAccountTokenCreator"].iter().any(|role| {
                        self.source.contains(&format!("roles/{role}"))
                            || self.source.contains(&format!(".{role}\""))
                    }) || self.source.contains("Admin\"")
                        || self.source.contains("Admin'");
                if is_for_all {
                    self.tell(known(PUBLISHED), span);
                } else if gives {
                    self.tell(
                        known(&["gcloud", "projects", "set-iam-policy", "p", "policy"]),
                        span,
                    );
                }
            }
            "create" | "begin_create" | "create_by_id" | "createById"
                if lower.ends_with("role_assignments") || lower.ends_with("roleassignments") =>
            {
                self.tell(known(&["az", "role", "assignment", "create"]), span);
            }
            "seek" if path.contains("pubsub") => {
                self.tell(known(&["gcloud", "pubsub", "subscriptions", "seek", "s"]), span);
            }
            _ => {}
        }
    }
}

/// Whether a name ends in one of these words.
fn words_end(name: &str, words: &[&str]) -> bool {
    name.rsplit('-').next().is_some_and(|last| words.contains(&last))
}

/// Whether a rule of a firewall lets in everybody: `{access: "Allow", sourceAddressPrefix: "*"}`.
fn lets_in_all(value: &Value) -> bool {
    let Value::Table(table) = value else { return false };
    let says = |names: &[&str], words: &[&str]| {
        table.iter().any(|(name, value)| {
            let name = kebab(name);
            let one = |value: &Value| value.as_known().is_some_and(|it| words.contains(&it));
            names.contains(&name.as_str())
                && match value {
                    Value::List(list) => list.iter().any(one),
                    value => one(value),
                }
        })
    };
    let sources = ["source-address-prefix", "source-address-prefixes", "source-ranges"];
    let everybody = ["*", "0.0.0.0/0", "::/0", "Any", "Internet", "any"];
    let refuses =
        says(&["access"], &["Deny", "deny"]) || says(&["direction"], &["Outbound", "EGRESS"]);
    let within = || {
        table.iter().any(|(name, value)| {
            matches!(name.as_str(), "parameters" | "properties" | "securityRule")
                && lets_in_all(value)
        })
    };
    says(&sources, &everybody) && !refuses || within()
}

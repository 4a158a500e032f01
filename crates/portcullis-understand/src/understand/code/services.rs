//! Libraries that drive something elsewhere: clouds, clusters, containers, payments, web services. Owns which library a call belongs to;
//! each file below tells the calls of its kind as the command that does the same, so that one rule judges both. What a command means is
//! said in `rules`.

use portcullis_syntax::Span;

use super::{
    interpreter::Interpreter,
    played::{self, Client},
    value::{Given, Value},
};
use crate::{programs::host::Host, text::Text};

mod aws;
mod clouds;
mod cluster;
mod command;
mod containers;
mod forge;
mod stored;
mod weakened;

pub(super) use cluster::is_rehearsal;
pub(super) use command::kebab;
pub(super) use command::{data_of, put_down, sent};
use command::{known, options};
pub(super) use stored::is_environment;

/// First words of methods that destroy.
const DESTROYING: &[&str] =
    &["delete", "destroy", "drop", "purge", "remove", "shutdown", "terminate", "undeploy", "wipe"];

/// What is destroyed by the row, the message or the label: work as usual.
const ORDINARY: &[&str] = &[
    "document", "entities", "entity", "event", "events", "item", "items", "label", "labels",
    "message", "messages", "record", "session", "tag", "tags", "tagging", "task", "upload",
];

impl Interpreter<'_, '_, '_> {
    /// Tells a call of a library for a service as a command; gives a value where that is what the call is about.
    pub(super) fn service(
        &mut self,
        path: &str,
        text: &Text,
        given: &[Given],
        span: Span,
    ) -> Option<Value> {
        if !matches!(self.language, "python" | "javascript") {
            return None;
        }
        self.service_told(path, text, given, span)
    }

    /// The same, for a path that begins with a library's module.
    pub(super) fn service_told(
        &mut self,
        path: &str,
        text: &Text,
        given: &[Given],
        span: Span,
    ) -> Option<Value> {
        let (receiver, method) = path.rsplit_once('.').unwrap_or(("", path));
        if path.starts_with("@aws-sdk/client-") {
            return self.aws_command(path, given, span);
        }
        if let Some(rest) = path.strip_prefix("@aws-sdk/lib-dynamodb.") {
            self.documents(rest, given, span);
            return None;
        }
        let root = path.split(['.', '(', '[']).next().unwrap_or_default();
        match root {
            "boto3" | "aioboto3" | "botocore" | "aiobotocore" => self.boto(path, text, given, span),
            "aws-sdk" | "AWS" => {
                let class = receiver.strip_suffix("()")?.rsplit('.').next()?;
                self.aws(&class.to_ascii_lowercase(), &kebab(method), given, span)
            }
            "kubernetes" | "kubernetes_asyncio" | "@kubernetes/client-node" | "k8s" => {
                if let Some(kind) = self.resource(receiver, method, text, given, span) {
                    return Some(kind);
                }
                self.cluster(method, given, span)
            }
            "docker" | "podman" | "dockerode" | "Docker" => {
                self.containers(receiver, method, given, span)
            }
            "stripe" => self.payment(receiver, method, given, span),
            "@gitbeaker/cli" | "@gitbeaker/core" | "@gitbeaker/node" | "@gitbeaker/rest"
                if receiver.ends_with("Variables") && matches!(method, "all" | "list" | "show") =>
            {
                Some(self.stored_secret(&["glab", "variable", "export"], span))
            }
            "github" | "gitlab" | "@octokit/rest" | "octokit" | "@octokit/core"
            | "@actions/github" => self.forge(receiver, method, given, span),
            "kafka" | "confluent_kafka" | "kafkajs" | "aiokafka"
                if !self.is_in_memory(receiver, &[])
                    && self.client_of(path) != Client::Nearby
                    && matches!(
                        method,
                        "deleteTopicRecords" | "deleteTopics" | "delete_records" | "delete_topics"
                    ) =>
            {
                self.tell(known(&["kafka-topics", "--delete"]), span);
                None
            }
            // What was read before is read again, or passed over.
            "kafka" | "confluent_kafka" | "kafkajs" | "aiokafka"
                if !self.is_in_memory(receiver, &[])
                    && self.client_of(path) != Client::Nearby
                    && matches!(
                        method,
                        "alterConsumerGroupOffsets"
                            | "alter_consumer_group_offsets"
                            | "deleteGroups"
                            | "delete_consumer_groups"
                            | "delete_groups"
                            | "resetOffsets"
                            | "setOffsets"
                    ) =>
            {
                self.tell(known(&["kafka-consumer-groups", "--reset-offsets", "--execute"]), span);
                None
            }
            // A shorter retention deletes what is older.
            "kafka" | "confluent_kafka" | "kafkajs" | "aiokafka"
                if !self.is_in_memory(receiver, &[])
                    && self.client_of(path) != Client::Nearby
                    && matches!(
                        method,
                        "alterConfigs" | "alter_configs" | "incremental_alter_configs"
                    ) =>
            {
                self.tell(known(&["kafka-configs", "--alter"]), span);
                None
            }
            "smtplib" | "nodemailer" | "slack_sdk" | "slack" | "twilio" | "@slack/web-api"
                if matches!(
                    method,
                    "sendmail" | "send_message" | "sendMail" | "chat_postMessage" | "postMessage"
                ) || (root == "twilio" && method == "create") =>
            {
                self.message_goes_out(span);
                None
            }
            // TypeORM: what is there is dropped whenever it connects.
            "typeorm" | "@nestjs/typeorm"
                if given.iter().any(|it| {
                    let said = |name: &str| it.value.entry(name);
                    said("dropSchema").is_some_and(Value::is_true)
                        && !(said("type").and_then(Value::as_known) == Some("sqljs")
                            && ["autoSave", "database", "location", "url"]
                                .iter()
                                .all(|name| said(name).is_none()))
                        && !(said("database").and_then(Value::as_known) == Some(":memory:")
                            && said("url").is_none()
                            && said("type").and_then(Value::as_known).is_some_and(|kind| {
                                matches!(kind, "better-sqlite3" | "sqlite" | "sqljs")
                            }))
                }) =>
            {
                self.walk.note("code.database.drop", span);
                None
            }
            // The direction is what it is told: `runner({ direction: "down" })`.
            "node-pg-migrate"
                if given.iter().any(|it| {
                    it.value.entry("direction").and_then(Value::as_known) == Some("down")
                }) =>
            {
                self.tell(known(&["alembic", "downgrade", "base"]), span);
                None
            }
            "alembic" if path == "alembic.config.main" => {
                if let Some(Value::List(list)) = given.first().map(|it| &it.value) {
                    let mut words = known(&["alembic"]);
                    words.extend(list.iter().map(Value::text));
                    self.follow_words(words, None, span);
                }
                None
            }
            // No step is left: `migrator.migrateTo(NO_MIGRATIONS)`.
            "kysely"
                if method == "migrateTo"
                    && given.iter().any(|it| {
                        matches!(&it.value, Value::Name(path, _) if path.ends_with("NO_MIGRATIONS"))
                    }) =>
            {
                self.tell(known(&["alembic", "downgrade", "base"]), span);
                None
            }
            "ngrok" | "@ngrok/ngrok" | "pyngrok" if matches!(method, "connect" | "forward") => {
                self.tell(known(&["ngrok", "tcp"]), span);
                None
            }
            "localtunnel" => {
                self.tell(known(&["lt", "--port", "1"]), span);
                None
            }
            "crontab" if method == "new" => {
                let command = given
                    .iter()
                    .find(|given| given.name.as_deref().is_none_or(|name| name == "command"))?;
                let mut line = Text::known("@daily ");
                line.append(&command.value.text());
                self.follow_words(known(&["crontab", "-"]), Some(line), span);
                None
            }
            _ => self.service_of_any_kind(path, receiver, method, given, span),
        }
    }

    /// A message to people: one, or one to each that a loop goes through.
    pub(super) fn message_goes_out(&mut self, span: Span) {
        // A catcher of this machine sends nothing on.
        let peer = self.peer.known_prefix();
        let (host, port) = peer.rsplit_once(':').unwrap_or((peer, ""));
        if played::is_catcher(port) && matches!(host, "127.0.0.1" | "localhost" | "::1") {
            return;
        }
        let rule = if self.is_repeated(span) { "messages.send.many" } else { "messages.send" };
        self.walk.note(rule, span);
    }

    /// Money by a library: the class or the member before the verb is the resource.
    fn payment(
        &mut self,
        receiver: &str,
        method: &str,
        given: &[Given],
        span: Span,
    ) -> Option<Value> {
        // Keys for tests move nothing.
        if self.source.contains("sk_test_") || self.source.contains("TEST") {
            return None;
        }
        let resource = receiver.rsplit('.').next()?;
        let resource = kebab(resource).replace('-', "_");
        let plural = if resource.ends_with('s') { resource } else { format!("{resource}s") };
        let verb = match kebab(method).as_str() {
            "del" | "delete" => "delete".to_owned(),
            other => other.replace('-', "_"),
        };
        let mut words = known(&["stripe", plural.as_str(), verb.as_str()]);
        options(given, &mut words);
        self.tell(words, span);
        None
    }
}

//! Libraries that drive something elsewhere: clouds, clusters, containers, payments, web services. Owns the telling of a
//! call as the command that does the same, so that one rule judges both; what a command means is said in `rules`.

use portcullis_syntax::Span;

use super::{
    interpreter::Interpreter,
    value::{Given, Value},
};
use crate::{
    bound::Bounded,
    effect::{Argument, EffectKind, Run},
    programs::host::Host,
    text::{Piece, Taint, Text},
};

/// How deep a value is written out.
const DEPTH: usize = 6;
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

/// First words of methods that destroy.
const DESTROYING: &[&str] =
    &["delete", "destroy", "drop", "purge", "remove", "shutdown", "terminate", "undeploy", "wipe"];

/// What is destroyed by the row, the message or the label: work as usual.
const ORDINARY: &[&str] = &[
    "document", "entities", "entity", "event", "events", "item", "items", "label", "labels",
    "message", "messages", "record", "session", "tag", "tags", "tagging", "task", "upload",
];

/// Commands of `aws` that show a secret; a program that only uses what they give shows nobody anything.
const SHOWING: &[&str] = &[
    "assume-role",
    "assume-role-with-web-identity",
    "batch-get-secret-value",
    "decrypt",
    "generate-data-key",
    "generate-db-auth-token",
    "get-authorization-token",
    "get-cluster-credentials",
    "get-federation-token",
    "get-parameter",
    "get-parameter-history",
    "get-parameters",
    "get-parameters-by-path",
    "get-password-data",
    "get-secret-value",
    "get-session-token",
];

/// A command as it is put together.
type Words = Vec<Text>;

fn known(words: &[&str]) -> Words {
    words.iter().map(|word| Text::known(*word)).collect()
}

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
        let (receiver, method) = path.rsplit_once('.').unwrap_or(("", path));
        if path.starts_with("@aws-sdk/client-") {
            return self.aws_command(path, given, span);
        }
        let root = path.split(['.', '(', '[']).next().unwrap_or_default();
        match root {
            "boto3" | "aioboto3" | "botocore" | "aiobotocore"
                if matches!(method, "client" | "create_client" | "resource") =>
            {
                let name = given.first().map(|given| given.value.text()).unwrap_or_default();
                self.pointed_at(given);
                Some(Value::reached(&format!("{path}()"), name))
            }
            "botocore" | "aiobotocore" if !receiver.ends_with("_client()") => None,
            "boto3" | "aioboto3" | "botocore" | "aiobotocore" => {
                // What service it is of may not be known, and its verb is.
                let service = text.as_known().filter(|name| !name.is_empty());
                let service = service.unwrap_or("ec2").to_owned();
                if receiver.ends_with(".client()") || receiver.ends_with("_client()") {
                    if service == "s3" && self.bucket(method, receiver, given, span) {
                        return None;
                    }
                    return self.aws(&service, &kebab(method), given, span);
                }
                // An object of the service, or those of a kind.
                let is_object = method.starts_with(|first: char| first.is_ascii_uppercase());
                if is_object || matches!(method, "all" | "filter" | "limit" | "pages") {
                    return Some(Value::reached(&format!("{path}()"), text.clone()));
                }
                if service == "s3" && self.bucket(method, receiver, given, span) {
                    return None;
                }
                // `resource.security_groups.all()`: what is gone through is of this kind.
                let gone = [".all()", ".filter()", ".limit()"].iter();
                let gone = gone.filter_map(|end| receiver.split_once(end)).map(|it| it.0).next();
                let class = match gone.and_then(|it| it.rsplit('.').next()) {
                    Some(many) => many.trim_end_matches('s'),
                    None => receiver.rsplit('.').find(|part| part.ends_with("()"))?,
                };
                let class = kebab(class.trim_end_matches("()"));
                if let Some(way) =
                    method.strip_prefix("authorize_").or(method.strip_prefix("revoke_"))
                    && matches!(way, "ingress" | "egress")
                {
                    let verb = method.split('_').next().unwrap_or_default();
                    return self.aws(
                        &service,
                        &format!("{verb}-security-group-{way}"),
                        given,
                        span,
                    );
                }
                if matches!(method, "delete" | "terminate" | "stop") && class != "resource" {
                    return self.aws(&service, &format!("{method}-{class}s"), given, span);
                }
                self.aws(&service, &kebab(method), given, span)
            }
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
            "github" | "gitlab" | "@octokit/rest" | "octokit" | "@octokit/core"
            | "@actions/github" => self.forge(receiver, method, given, span),
            "kafka" | "confluent_kafka" | "kafkajs" | "aiokafka"
                if matches!(method, "delete_topics" | "deleteTopics" | "delete_records") =>
            {
                self.tell(known(&["kafka-topics", "--delete"]), span);
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
                if given
                    .iter()
                    .any(|it| it.value.entry("dropSchema").is_some_and(Value::is_true)) =>
            {
                self.walk.note("code.database.drop", span);
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
                let words =
                    [argument(Text::known("crontab"), span), argument(Text::known("-"), span)];
                self.walk.run(&words, Some(line));
                None
            }
            _ => self.service_of_any_kind(path, receiver, method, given, span),
        }
    }

    fn service_of_any_kind(
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
            let verb = kebab(method);
            let mut words = verb.split('-').filter(|word| *word != "begin");
            let destroys = words.next().is_some_and(|verb| DESTROYING.contains(&verb));
            let ordinary = words.next_back().is_some_and(|noun| ORDINARY.contains(&noun))
                || receiver.contains(".document()");
            if destroys && !ordinary {
                self.walk.note("code.cloud.delete", span);
            }
            if matches!(method, "makePublic" | "make_public") {
                let words = ["gcloud", "storage", "buckets", "add-iam-policy-binding", "gs://b"];
                let mut words = known(&words);
                words.push(Text::known("--member=allUsers"));
                self.tell(words, span);
            }
            if matches!(method, "access_secret_version" | "accessSecretVersion" | "get_secret") {
                self.seen.shows = Some(known(&["gcloud", "secrets", "versions", "access", "1"]));
                return Some(secret());
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
                    let mut words = known(&[
                        "gcloud",
                        "storage",
                        "buckets",
                        "add-iam-policy-binding",
                        "gs://b",
                    ]);
                    words.push(Text::known("--member=allUsers"));
                    self.tell(words, span);
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

    /// Remembers where a client of the cloud was pointed at, if anywhere.
    fn pointed_at(&mut self, given: &[Given]) {
        let named = given.iter().find(|it| it.name.as_deref() == Some("endpoint_url"));
        let entry = || given.iter().find_map(|it| it.value.entry("endpoint"));
        let end = named.map(|it| &it.value).or_else(entry);
        self.seen.endpoints.push(end.map(Value::text));
    }

    /// `new TerminateInstancesCommand({…})`.
    fn aws_command(&mut self, path: &str, given: &[Given], span: Span) -> Option<Value> {
        let rest = path.strip_prefix("@aws-sdk/client-")?;
        let (service, class) = rest.split_once('.')?;
        let service = service_of(service);
        let service = service.as_str();
        match class.strip_suffix("Command") {
            Some(command) => self.aws(service, &kebab(command), given, span),
            // `new S3().deleteBucket({…})`
            None => {
                if !class.contains(['.', '(']) {
                    self.pointed_at(given);
                }
                let (class, method) = class.split_once("().")?;
                let is_client = class.chars().all(|letter| letter.is_ascii_alphanumeric());
                if is_client && !method.contains('.') && method != "send" {
                    return self.aws(service, &kebab(method), given, span);
                }
                None
            }
        }
    }

    /// Files that go to a bucket or come from one, told as `aws s3 cp` does it; false where it is nothing of that kind.
    fn bucket(&mut self, method: &str, receiver: &str, given: &[Given], span: Span) -> bool {
        let is_up = method == "upload_file";
        if !is_up && method != "download_file" {
            return false;
        }
        let plain: Vec<&Given> = given.iter().filter(|given| given.name.is_none()).collect();
        let keyword = |name: &str| given.iter().find(|it| it.name.as_deref() == Some(name));
        // A client is told the bucket, what belongs to one is not.
        let is_client = receiver.ends_with("client()") || receiver.contains(".meta.client");
        let file_at = match (is_up, is_client) {
            (true, _) => 0,
            (false, true) => 2,
            (false, false) => 1,
        };
        let file = keyword("Filename").or_else(|| plain.get(file_at).copied());
        let Some(file) = file else { return false };
        let bucket = match (is_up, is_client) {
            (true, true) => keyword("Bucket").or_else(|| plain.get(1).copied()),
            (false, true) => keyword("Bucket").or_else(|| plain.first().copied()),
            _ => None,
        };
        let mut there = Text::known("s3://");
        match bucket {
            Some(bucket) => there.append(&bucket.value.text()),
            None => there.append(&Text::unknown("a bucket")),
        }
        there.push_known("/");
        let here = file.value.text();
        let (from, to) = if is_up { (here, there) } else { (there, here) };
        let mut words = known(&["aws", "s3", "cp"]);
        words.extend([from, to]);
        self.flush();
        let words: Vec<Argument> = words.into_iter().map(|text| argument(text, span)).collect();
        self.walk.run(&words, None);
        true
    }

    fn aws(&mut self, service: &str, command: &str, given: &[Given], span: Span) -> Option<Value> {
        let noun = command.split('-').skip(1).last().unwrap_or_default();
        if command.starts_with("delete") && ORDINARY.contains(&noun) {
            return None;
        }
        let is_mail = matches!(service, "ses" | "sesv2") && command.starts_with("send-");
        if is_mail || matches!((service, command), ("sns", "publish" | "publish-batch")) {
            self.message_goes_out(span);
        }
        let service = if service == "s3" { "s3api" } else { service };
        let mut words = known(&["aws", service, command]);
        // One place that all clients were pointed at.
        if let [Some(end), rest @ ..] = self.seen.endpoints.as_slice()
            && rest.iter().all(|other| other.as_ref() == Some(end))
        {
            words.extend([Text::known("--endpoint-url"), end.clone()]);
        }
        options(given, &mut words);
        if SHOWING.contains(&command) {
            self.seen.shows = Some(words);
            return Some(secret());
        }
        self.tell(words, span);
        None
    }

    /// A message to people: one, or one to each that a loop goes through.
    pub(super) fn message_goes_out(&mut self, span: Span) {
        let rule = if self.is_repeated(span) { "messages.send.many" } else { "messages.send" };
        self.walk.note(rule, span);
    }

    /// A method of a client for a cluster: a verb, and the kind of thing behind `namespaced`.
    fn cluster(&mut self, method: &str, given: &[Given], span: Span) -> Option<Value> {
        let name = kebab(method);
        // `new Exec(config).exec(namespace, pod, container, ['sh', '-c', …])`, `stream(api.connect_get_namespaced_pod_exec, …)`
        if matches!(name.as_str(), "exec" | "stream") {
            self.in_a_pod(given, span);
            return None;
        }
        let (verb, rest) = name.split_once('-')?;
        // `utils.create_from_dict(client, manifest)`
        if matches!(name.as_str(), "create-from-dict" | "create-from-yaml") {
            let manifest = given.iter().skip(1).find(|it| {
                it.name.as_deref().is_none_or(|name| matches!(name, "data" | "yaml_objects"))
            })?;
            let words = [known(&["kubectl"]), known(&["apply"]), known(&["-f"]), known(&["-"])]
                .concat()
                .into_iter()
                .map(|text| argument(text, span))
                .collect::<Vec<_>>();
            let said = manifest.value.text();
            let manifest = match &manifest.value {
                Value::Table(_) | Value::List(_) => written(&manifest.value, DEPTH),
                _ => said,
            };
            self.walk.run(&words, Some(manifest));
            return None;
        }
        let all = rest.starts_with("collection-");
        let rest = rest.strip_prefix("collection-").unwrap_or(rest);
        let rest = rest.strip_prefix("namespaced-").unwrap_or(rest);
        let kind = rest.strip_suffix("-for-all-namespaces").unwrap_or(rest).replace('-', "");
        let name = given
            .iter()
            .find(|given| given.name.as_deref().is_none_or(|name| name == "name"))
            .map_or_else(|| Text::unknown("a name"), |given| given.value.text());
        match verb {
            "delete" => {
                let mut words = known(&["kubectl", "delete", kind.as_str()]);
                words.push(if all { Text::known("--all") } else { name });
                // What is spread over a call may have lost a member meanwhile.
                if is_rehearsal(given) && !self.source.contains("**") {
                    words.push(Text::known("--dry-run=server"));
                }
                self.tell(words, span);
            }
            "connect" if kind.ends_with("podexec") => self.in_a_pod(given, span),
            // Nobody decodes what stays in the cluster.
            "list" | "read" if kind == "secret" => {
                let decodes = ["b64decode", "base64", "atob("].iter();
                let prints = self.source.contains("print(") && self.source.contains(".data");
                if prints || decodes.into_iter().any(|name| self.source.contains(name)) {
                    self.tell(known(&["kubectl", "get", "secrets", "-o", "yaml"]), span);
                }
            }
            "patch" | "replace" if kind.ends_with("scale") => {
                let mut words = known(&["kubectl", "scale"]);
                let said = given.iter().map(|given| written(&given.value, DEPTH).display());
                let is_none = said.into_iter().any(|said| {
                    let plain: String = said.split([' ', '"', '\'']).collect();
                    plain.contains("replicas:0")
                        || plain.contains("/spec/replicas") && plain.contains("value:0")
                });
                let kind = kind.trim_end_matches("scale");
                words.push(Text::known(format!("--replicas={}", if is_none { "0" } else { "1" })));
                words.push(Text::known(kind));
                // Of each that is listed.
                let is_each = name.has_unknown();
                words.push(if is_each { Text::known("--all") } else { name });
                self.tell(words, span);
            }
            "create" | "replace" | "patch" if kind.ends_with("rolebinding") => {
                let mut words = known(&["kubectl", "create", kind.as_str(), "new"]);
                let said = given.iter().map(|given| written(&given.value, DEPTH).display());
                if said.into_iter().any(|said| said.contains("cluster-admin")) {
                    words.push(Text::known("--clusterrole=cluster-admin"));
                }
                self.tell(words, span);
            }
            _ => {}
        }
        None
    }

    /// `client.resources.get(kind="Pod")` of a dynamic client, and what is done by what it gives: the kind of thing goes along.
    fn resource(
        &mut self,
        receiver: &str,
        method: &str,
        text: &Text,
        given: &[Given],
        span: Span,
    ) -> Option<Value> {
        let of_any_kind =
            ["KubernetesObjectApi", "makeApiClient()"].iter().any(|it| receiver.contains(it));
        if method == "get" && receiver.ends_with(".resources") {
            let kind = given.iter().find(|it| it.name.as_deref() == Some("kind"))?;
            let path = format!("{receiver}.get()");
            return Some(Value::reached(&path, kind.value.text()));
        }
        let is_one = receiver.ends_with(".resources.get()");
        if !matches!(method, "delete" | "patch" | "replace") || !is_one && !of_any_kind {
            return None;
        }
        let entry = given.first().and_then(|it| it.value.entry("kind")).map(Value::text);
        let kind = entry.unwrap_or_else(|| text.clone());
        let kind = kind.as_known().unwrap_or("resource").to_ascii_lowercase();
        let name = given.iter().find(|it| it.name.as_deref() == Some("name"));
        let mut words = known(&["kubectl", method, kind.as_str()]);
        words.push(name.map_or_else(|| Text::unknown("a name"), |it| it.value.text()));
        if is_rehearsal(given) || given.iter().any(|it| it.name.as_deref() == Some("dry_run")) {
            words.push(Text::known("--dry-run=server"));
        }
        self.tell(words, span);
        Some(Value::unknown("what a cluster answers"))
    }

    /// A command in a container of a cluster: the list of its words, or what is called so.
    fn in_a_pod(&mut self, given: &[Given], span: Span) {
        let named = given.iter().find(|it| it.name.as_deref() == Some("command"));
        let list = given.iter().find(|it| matches!(it.value, Value::List(_)));
        let command = match named.or(list).map(|it| &it.value) {
            Some(Value::List(words)) => words.iter().map(Value::text).collect(),
            Some(value) => vec![value.text()],
            None => return,
        };
        let mut words = known(&["kubectl", "exec", "pod", "--"]);
        words.extend(command);
        self.flush();
        let words: Vec<Argument> = words.into_iter().map(|text| argument(text, span)).collect();
        self.walk.run(&words, None);
    }

    /// Containers by a library: what stands in the options is what `docker` is told.
    fn containers(
        &mut self,
        receiver: &str,
        method: &str,
        given: &[Given],
        span: Span,
    ) -> Option<Value> {
        let method = kebab(method);
        let kinds = ["containers", "images", "volumes", "networks"];
        let kind = kinds.iter().find(|kind| receiver.contains(**kind)).copied();
        // `docker.getVolume(name).remove()`
        let kind = kind.or_else(|| {
            let one = ["getContainer()", "getImage()", "getVolume()", "getNetwork()"];
            let at = one.iter().position(|one| receiver.ends_with(one))?;
            kinds.get(at).copied()
        });
        let kind = kind.unwrap_or("");
        match (kind, method.as_str()) {
            ("containers", "run" | "create") | ("", "create-container" | "run") => {
                let mut words = known(&["docker", "run"]);
                for given in given.iter() {
                    if let Some(name) = &given.name {
                        container_option(name, &given.value, &mut words, DEPTH);
                    } else if let Value::Table(_) = given.value {
                        container_option("", &given.value, &mut words, DEPTH);
                    }
                }
                words.push(Text::known("image"));
                self.tell(words, span);
            }
            (_, "remove" | "kill" | "stop" | "delete") if receiver.contains("[]") => {
                let forced = given.iter().any(|given| {
                    given.name.as_deref() == Some("force") && !given.value.is_false()
                        || given.value.entry("force").is_some_and(|force| !force.is_false())
                });
                match kind {
                    "volumes" => self.tell(known(&["docker", "volume", "rm", "each"]), span),
                    "containers" if forced || method == "kill" => {
                        self.walk.note("container.remove.many", span);
                    }
                    _ => {}
                }
            }
            ("volumes", "remove") => self.tell(known(&["docker", "volume", "rm", "one"]), span),
            ("volumes", "prune") | ("", "prune-volumes") => {
                self.tell(known(&["docker", "volume", "prune", "-f"]), span);
            }
            ("images" | "containers" | "networks", "prune") => {
                let thing = kind.trim_end_matches('s');
                self.tell(known(&["docker", thing, "prune", "-f"]), span);
            }
            _ => {}
        }
        None
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

    /// A repository's own service.
    fn forge(
        &mut self,
        receiver: &str,
        method: &str,
        given: &[Given],
        span: Span,
    ) -> Option<Value> {
        let name = kebab(method);
        if method == "request" {
            let said = given.first()?.value.text();
            let (verb, route) = said.as_known()?.split_once(' ')?;
            let route = route.trim().trim_start_matches('/').to_owned();
            let mut words = known(&["gh", "api", "-X", verb, route.as_str()]);
            if let Some(body) = given.get(1) {
                words.push(Text::known("-f"));
                words.push(written(&body.value, DEPTH));
            }
            self.tell(words, span);
            return None;
        }
        let option = |name: &str| {
            let given = given.iter().find_map(|given| given.value.entry(name));
            given.and_then(|value| value.as_known().map(str::to_owned))
        };
        match name.as_str() {
            "create-workflow-dispatch" | "create-dispatch" => {
                let workflow = option("workflow_id").unwrap_or_else(|| "a workflow".to_owned());
                self.tell(known(&["gh", "workflow", "run", workflow.as_str()]), span);
                return None;
            }
            "create-or-update-file-contents" => {
                let path = option("path").unwrap_or_default();
                let route = format!("repos/owner/repository/contents/{path}");
                self.tell(known(&["gh", "api", "-X", "PUT", route.as_str()]), span);
                return None;
            }
            _ => {}
        }
        // What pipelines are told in secret: `project.variables.list()`.
        if matches!(name.as_str(), "list" | "get") && receiver.ends_with(".variables") {
            return Some(self.stored_secret(&["glab", "variable", "export"]));
        }
        if !name.split('-').next().is_some_and(|verb| DESTROYING.contains(&verb)) {
            return None;
        }
        let repository = receiver.ends_with("get_repo()")
            || receiver.ends_with(".repos")
            || receiver.ends_with("projects")
            || receiver.ends_with("projects.get()");
        if name == "delete" && repository {
            self.tell(known(&["gh", "repo", "delete", "owner/repository"]), span);
        } else if !name.split('-').any(|noun| {
            matches!(noun, "comment" | "reaction" | "label" | "labels" | "assignees" | "reviewers")
        }) {
            let route = format!("/{}", name.replace('-', "/"));
            self.tell(known(&["gh", "api", "-X", "DELETE", route.as_str()]), span);
        }
        None
    }

    /// A request with a method that is no `GET`, as the command that makes it.
    pub(super) fn request_by(
        &mut self,
        method: &str,
        address: &Text,
        body: Option<&Text>,
        span: Span,
    ) {
        let method = method.to_ascii_uppercase();
        if !matches!(method.as_str(), "POST" | "PUT" | "PATCH" | "DELETE" | "PURGE") {
            return;
        }
        let mut words = known(&["curl", "-X", method.as_str()]);
        words.push(address.clone());
        if let Some(body) = body.filter(|body| !body.is_empty()) {
            words.push(Text::known("-d"));
            let mut sent = body.clone();
            // A word that begins like this would be the name of a file to the command.
            if sent.known_prefix().starts_with('@') {
                sent = Text::unknown("a body");
            }
            // What is sent is told with the connection.
            sent.taint = Taint::NONE;
            sent.sources.clear();
            words.push(sent);
        }
        self.tell(words, span);
    }

    /// A secret that was asked for; what shows it, is told as this command.
    pub(super) fn stored_secret(&mut self, words: &[&str]) -> Value {
        self.seen.shows = Some(known(words));
        secret()
    }

    /// What was read of a store of secrets is shown.
    pub(super) fn shown(&mut self, printed: &[&Given], span: Span) {
        if self.seen.shows.is_some()
            && printed.iter().any(|given| is_stored(&given.value, DEPTH))
            && let Some(words) = self.seen.shows.take()
        {
            self.tell(words, span);
        }
        if printed.iter().any(|given| is_environment(&given.value, DEPTH)) {
            let lower = self.source.to_ascii_lowercase();
            let searches =
                ["secret", "token", "passw", "api_?key", "apikey", "api_key", "credential"]
                    .iter()
                    .any(|word| lower.contains(word));
            let is_chosen =
                ["if ", ".filter(", "re.", "regex", "match("].iter().any(|it| lower.contains(it));
            let rule = if searches && is_chosen {
                "credentials.environment.search"
            } else {
                "credentials.environment.print"
            };
            self.walk.note(rule, span);
        }
    }

    fn tell(&mut self, words: Words, span: Span) {
        let mut words = words.into_iter().map(|text| argument(text, span));
        let Some(name) = words.next() else { return };
        let program = name.text.display();
        let arguments = words.collect();
        let run = Run { program, name, arguments, known: true, input: None };
        self.walk.emit(EffectKind::Run(run), span);
    }
}

fn argument(text: Text, span: Span) -> Argument {
    Argument { text, span }
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

/// What a store of secrets gave, and what is reached from it.
const STORED: &str = "a stored secret";

fn secret() -> Value {
    Value::reached(STORED, Text { taint: Taint::SECRET, ..Text::default() })
}

/// Whether a call only says what it would do: `dry_run="All"`.
pub(super) fn is_rehearsal(given: &[Given]) -> bool {
    given.iter().any(|it| {
        // Of JavaScript's objects the name is another one, so that what Python is given within one counts for nothing.
        let value = match it.name.as_deref() {
            Some("dry_run") => Some(&it.value),
            None => it.value.entry("dryRun"),
            Some(_) => None,
        };
        value.is_some_and(|value| value.as_known() == Some("All"))
    })
}

/// Whether a value is all of the environment, with what its variables hold.
fn is_environment(value: &Value, depth: usize) -> bool {
    const NAMES: &[&str] = &["os.environ", "os.environb", "process.env"];
    let Some(depth) = depth.checked_sub(1) else { return false };
    // `os.environ.items()[]`, and not the keys alone or one that is named.
    let holds = |path: &str| {
        NAMES.iter().any(|name| {
            path.strip_prefix(name).is_some_and(|rest| {
                rest.is_empty()
                    || [".items(", ".values(", ".copy("].iter().any(|way| rest.starts_with(way))
            })
        })
    };
    match value {
        Value::Name(path, _) => holds(path),
        Value::Text(text) => {
            text.pieces.iter().any(|piece| matches!(piece, Piece::Unknown(origin) if holds(origin)))
        }
        Value::List(list) | Value::Any(list) => list.iter().any(|one| is_environment(one, depth)),
        Value::Table(table) => table.iter().any(|(_, one)| is_environment(one, depth)),
        _ => false,
    }
}

/// Whether a value is a stored secret itself, and not something that was made with its help, nor what it is called.
fn is_stored(value: &Value, depth: usize) -> bool {
    const CALLED: &[&str] =
        &["arn", "environment_scope", "id", "key", "masked", "name", "variable_type"];
    let Some(depth) = depth.checked_sub(1) else { return false };
    // Of each of a list: what stands within one secret may be called anything.
    let holds = |origin: &str| {
        let rest = origin.strip_prefix(STORED);
        rest.is_some_and(|rest| rest.strip_prefix("[].").is_none_or(|name| !CALLED.contains(&name)))
    };
    match value {
        Value::Name(path, _) => holds(path),
        Value::Text(text) => {
            text.pieces.iter().any(|piece| matches!(piece, Piece::Unknown(origin) if holds(origin)))
        }
        Value::List(list) | Value::Any(list) => list.iter().any(|value| is_stored(value, depth)),
        Value::Table(table) => table.iter().any(|(_, value)| is_stored(value, depth)),
        Value::Method(method) => is_stored(&method.0, depth),
        Value::Number(_)
        | Value::Function(_)
        | Value::File(_)
        | Value::Holder(_)
        | Value::Asks(_) => false,
    }
}

/// Arguments by name as options: `UserName="a"` is `--user-name=a`.
fn options(given: &[Given], words: &mut Words) {
    let mut add = |name: &str, value: &Value| {
        let name = kebab(name);
        if value.is_false() {
            return;
        }
        let mut word = Text::known(format!("--{name}"));
        if !matches!(value, Value::Name(path, _) if matches!(path.as_ref(), "True" | "true")) {
            word.push_known("=");
            word.append(&written(value, DEPTH));
        }
        words.push(word);
    };
    for given in given.iter() {
        match (&given.name, &given.value) {
            (Some(name), value) => add(name, value),
            (None, Value::Table(table)) => {
                for (name, value) in table.iter() {
                    add(name, value);
                }
            }
            _ => {}
        }
    }
}

/// What `docker run` is told of an option of a library, which may be an object with more of them.
fn container_option(name: &str, value: &Value, words: &mut Words, depth: usize) {
    let Some(depth) = depth.checked_sub(1) else { return };
    let is_true = !value.is_false();
    match kebab(name).replace('_', "-").as_str() {
        "privileged" if is_true => words.push(Text::known("--privileged")),
        "pid-mode" | "pid" => push_option("--pid=", value, words),
        "network-mode" | "network" => push_option("--network=", value, words),
        "ipc-mode" | "ipc" => push_option("--ipc=", value, words),
        "cap-add" => each(value, |value| push_option("--cap-add=", value, words)),
        "security-opt" => each(value, |value| push_option("--security-opt=", value, words)),
        "devices" => each(value, |value| push_option("--device=", value, words)),
        "volumes" | "binds" => match value {
            Value::Table(table) => {
                for (source, mount) in table.iter() {
                    let mut word = Text::known(format!("{source}:"));
                    match mount.entry("bind") {
                        Some(bind) => word.append(&bind.text()),
                        None => word.push_known("/mount"),
                    }
                    words.push(Text::known("-v"));
                    words.push(word);
                }
            }
            _ => each(value, |value| {
                words.push(Text::known("-v"));
                words.push(value.text());
            }),
        },
        _ => {
            if let Value::Table(table) = value {
                for (name, value) in table.iter() {
                    container_option(name, value, words, depth);
                }
            }
        }
    }
}

fn push_option(option: &str, value: &Value, words: &mut Words) {
    let mut word = Text::known(option);
    word.append(&value.text());
    words.push(word);
}

fn each(value: &Value, mut told: impl FnMut(&Value)) {
    match value {
        Value::List(list) => list.iter().for_each(told),
        value => told(value),
    }
}

/// A value as JSON, as far as it is known.
fn written(value: &Value, depth: usize) -> Text {
    let Some(depth) = depth.checked_sub(1) else { return Text::unknown("a value") };
    let mut text = Text::default();
    match value {
        Value::List(list) => {
            text.push_known("[");
            for (index, value) in list.iter().enumerate() {
                text.push_known(if index == 0 { "" } else { "," });
                text.append(&quoted(value, depth));
            }
            text.push_known("]");
        }
        Value::Table(table) => {
            text.push_known("{");
            for (index, (name, value)) in table.iter().enumerate() {
                text.push_known(if index == 0 { "\"" } else { ",\"" });
                text.push_known(name);
                text.push_known("\":");
                text.append(&quoted(value, depth));
            }
            text.push_known("}");
        }
        Value::Name(path, _) if matches!(path.as_ref(), "True" | "true" | "False" | "false") => {
            text.push_known(&path.to_ascii_lowercase());
        }
        value => return value.text(),
    }
    text
}

fn quoted(value: &Value, depth: usize) -> Text {
    let inner = written(value, depth);
    if !matches!(value, Value::Text(_)) {
        return inner;
    }
    let mut text = Text::known("\"");
    text.append(&inner);
    text.push_known("\"");
    text
}

/// `TerminateInstances`, `terminateInstances` and `terminate_instances` as `terminate-instances`.
fn kebab(name: &str) -> String {
    let letters: Vec<char> = name.chars().leading(96).collect();
    let mut kebab = String::with_capacity(letters.len() + 8);
    for (index, letter) in letters.iter().enumerate() {
        let before = index.checked_sub(1).and_then(|before| letters.get(before));
        let after = letters.get(index + 1);
        let begins = letter.is_ascii_uppercase()
            && before.is_some_and(|before| {
                before.is_ascii_lowercase()
                    || before.is_ascii_digit()
                    || before.is_ascii_uppercase() && after.is_some_and(char::is_ascii_lowercase)
            });
        if begins {
            kebab.push('-');
        }
        kebab.push(if *letter == '_' { '-' } else { letter.to_ascii_lowercase() });
    }
    kebab
}

/// What the command line calls a service that a client is named after: the same without dashes, but for some.
fn service_of(client: &str) -> String {
    const OTHERWISE: &[(&str, &str)] = &[
        ("cloudwatch-events", "events"),
        ("cloudwatch-logs", "logs"),
        ("cognito-identity", "cognito-identity"),
        ("cognito-identity-provider", "cognito-idp"),
        ("config-service", "configservice"),
        ("database-migration-service", "dms"),
        ("elastic-load-balancing", "elb"),
        ("elastic-load-balancing-v2", "elbv2"),
        ("eventbridge", "events"),
        ("sfn", "stepfunctions"),
        ("sso-admin", "sso-admin"),
    ];
    let row = OTHERWISE.binary_search_by(|row| row.0.cmp(client)).ok();
    let other = row.and_then(|row| OTHERWISE.get(row)).map(|row| row.1.to_owned());
    other.unwrap_or_else(|| client.replace('-', ""))
}

/// The known rest of a text that begins with what it is: `data:text/javascript,…`.
pub(super) fn data_of(text: &Text) -> Option<Text> {
    let (start, _) = text.known_prefix().split_once(',')?;
    if !start.starts_with("data:text/javascript")
        && !start.starts_with("data:application/javascript")
    {
        return None;
    }
    let skip = start.len() + 1;
    let pieces = text.pieces.iter().enumerate().map(|(index, piece)| match piece {
        Piece::Known(known) if index == 0 => {
            Piece::Known(known.get(skip..).unwrap_or_default().to_owned())
        }
        other => other.clone(),
    });
    Some(text.derive(pieces))
}

#[cfg(test)]
mod tests {
    use super::kebab;

    #[test]
    fn names_of_methods_become_names_of_commands() {
        for (name, expected) in [
            ("terminate_instances", "terminate-instances"),
            ("TerminateInstances", "terminate-instances"),
            ("createDBInstance", "create-db-instance"),
            ("ACL", "acl"),
            ("PolicyArn", "policy-arn"),
            ("deleteV1Namespace", "delete-v1-namespace"),
        ] {
            assert_eq!(kebab(name), expected);
        }
    }
}

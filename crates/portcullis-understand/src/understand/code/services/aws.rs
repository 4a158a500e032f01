//! Libraries of Amazon's cloud. Owns how clients, their objects and commands are told as calls of `aws`.

use portcullis_syntax::Span;

use super::{
    super::{
        interpreter::Interpreter,
        value::{Given, Value},
    },
    ORDINARY,
    command::{DEPTH, kebab, known, options, written},
    stored::secret,
};
use crate::{programs::host::Host, text::Text};

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

impl Interpreter<'_, '_, '_> {
    /// Python's libraries: clients and resources of a service, and what they give.
    pub(super) fn boto(
        &mut self,
        path: &str,
        text: &Text,
        given: &[Given],
        span: Span,
    ) -> Option<Value> {
        let (receiver, method) = path.rsplit_once('.').unwrap_or(("", path));
        if matches!(method, "client" | "create_client" | "resource") {
            let name = given.first().map(|given| given.value.text()).unwrap_or_default();
            self.pointed_at(given);
            return Some(Value::reached(&format!("{path}()"), name));
        }
        if path.split(['.', '(', '[']).next().is_some_and(|root| root.ends_with("botocore"))
            && !receiver.ends_with("_client()")
        {
            return None;
        }
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
        if let Some(way) = method.strip_prefix("authorize_").or(method.strip_prefix("revoke_"))
            && matches!(way, "ingress" | "egress")
        {
            let verb = method.split('_').next().unwrap_or_default();
            return self.aws(&service, &format!("{verb}-security-group-{way}"), given, span);
        }
        if matches!(method, "delete" | "terminate" | "stop") && class != "resource" {
            return self.aws(&service, &format!("{method}-{class}s"), given, span);
        }
        self.aws(&service, &kebab(method), given, span)
    }

    /// Remembers where a client of the cloud was pointed at, if anywhere.
    pub(super) fn pointed_at(&mut self, given: &[Given]) {
        let named = given.iter().find(|it| it.name.as_deref() == Some("endpoint_url"));
        let entry = || given.iter().find_map(|it| it.value.entry("endpoint"));
        let end = named.map(|it| &it.value).or_else(entry);
        self.seen.endpoints.push(end.map(Value::text));
    }

    /// Whether all clients of the cloud were pointed at this machine.
    fn is_pointed_here(&self) -> bool {
        let is_here = |end: &Option<Text>| {
            end.as_ref().is_some_and(|end| {
                let address = end.known_prefix();
                let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
                matches!(rest.split([':', '/']).next(), Some("localhost" | "127.0.0.1"))
            })
        };
        !self.seen.endpoints.is_empty() && self.seen.endpoints.iter().all(is_here)
    }

    /// `new TerminateInstancesCommand({…})`.
    pub(super) fn aws_command(&mut self, path: &str, given: &[Given], span: Span) -> Option<Value> {
        let rest = path.strip_prefix("@aws-sdk/client-")?;
        let (service, class) = rest.split_once('.')?;
        let service = service_of(service);
        let service = service.as_str();
        match class.strip_suffix("Command") {
            // What is sent with it, its client is told.
            Some(_) if self.is_only_asked(&["constructor", "input"]) => {
                Some(Value::unknown("a command"))
            }
            Some(command) => self.aws(service, &kebab(command), given, span),
            // `paginateListUsers({ client }, {…})` sends the command of that name, page by page.
            None if class.starts_with("paginate") && !class.contains(['.', '(']) => {
                let command = class.trim_start_matches("paginate");
                self.aws(service, &kebab(command), given.get(1..).unwrap_or_default(), span)
            }
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

    /// `new DeleteCommand({…})`, `DynamoDBDocument.from(client).delete({…})`: the same with plain values for items.
    pub(super) fn documents(&mut self, rest: &str, given: &[Given], span: Span) {
        let command = match rest.strip_suffix("Command") {
            Some(command) => kebab(command),
            None => match rest.rsplit_once("().") {
                Some((_, method)) => kebab(method),
                None => return,
            },
        };
        let command = match command.as_str() {
            "delete" => "delete-item",
            "batch-write" => "batch-write-item",
            "transact-write" => "transact-write-items",
            _ => return,
        };
        self.aws("dynamodb", command, given, span);
    }

    /// Whether rows go one after the other of what was listed, of a store that is not on this machine.
    fn deletes_each(&mut self, command: &str, given: &[Given], span: Span) -> bool {
        let deletes = match command {
            "batch-write-item" => self.source.contains("DeleteRequest"),
            "transact-write-items" => self.source.contains("Delete:"),
            _ => command.starts_with("delete-item"),
        };
        // Which they are, stands in the code.
        let is_computed = given.is_empty()
            || given.iter().any(|given| written(&given.value, DEPTH).has_unknown());
        deletes && is_computed && self.is_repeated(span) && !self.is_pointed_here()
    }

    /// Files that go to a bucket or come from one, told as `aws s3 cp` does it; false where it is nothing of that kind.
    pub(super) fn bucket(
        &mut self,
        method: &str,
        receiver: &str,
        given: &[Given],
        span: Span,
    ) -> bool {
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
        self.follow_words(words, None, span);
        true
    }

    pub(in super::super) fn aws(
        &mut self,
        service: &str,
        command: &str,
        given: &[Given],
        span: Span,
    ) -> Option<Value> {
        let noun = command.split('-').skip(1).last().unwrap_or_default();
        // One after the other of all that there is.
        if self.deletes_each(command, given, span) {
            self.walk.note("service.records.changed", span);
            return None;
        }
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
            self.remember_stored(words, span);
            return Some(secret());
        }
        self.tell(words, span);
        None
    }
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

//! A request as a client's words make it: method, address, body. Owns how it is read, and what it would do there by all three.

use super::{access, is_chat_hook};
use crate::{
    effect::{Argument, Run},
    programs::Options,
};

#[derive(Clone, Copy, Eq, PartialEq)]
pub(super) enum Verdict {
    Everything,
    Delete,
    Path,
    Administer,
    Payment,
    Message,
    Local,
    Change,
    Socket,
}

/// The options of HTTP clients that take a value and stand near a method or an address.
pub(in super::super) const VALUES: &[&str] = &[
    "-A",
    "-C",
    "-D",
    "-E",
    "-F",
    "-H",
    "-K",
    "-T",
    "-U",
    "-X",
    "-b",
    "-c",
    "-d",
    "-e",
    "-m",
    "-o",
    "-r",
    "-t",
    "-u",
    "-w",
    "-x",
    "-y",
    "-z",
    "--auth",
    "--auth-type",
    "--body-data",
    "--body-file",
    "--cacert",
    "--cert",
    "--connect-timeout",
    "--connect-to",
    "--cookie",
    "--cookie-jar",
    "--data",
    "--data-ascii",
    "--data-binary",
    "--data-raw",
    "--data-urlencode",
    "--form",
    "--header",
    "--input",
    "--jq",
    "--json",
    "--key",
    "--max-time",
    "--method",
    "--output",
    "--output-document",
    "--password",
    "--post-data",
    "--post-file",
    "--proxy",
    "--raw",
    "--referer",
    "--request",
    "--resolve",
    "--retry",
    "--retry-delay",
    "--session",
    "--template",
    "--timeout",
    "--tries",
    "--unix-socket",
    "--upload-file",
    "--url",
    "--user",
    "--user-agent",
    "--write-out",
    "-Body",
    "-Headers",
    "-Method",
    "-OutFile",
    "-Uri",
    "-ContentType",
];

/// The clients that are understood.
pub(super) const CLIENTS: &[&str] = &[
    "Invoke-RestMethod",
    "Invoke-WebRequest",
    "curl",
    "curlie",
    "gh",
    "glab",
    "http",
    "https",
    "irm",
    "iwr",
    "wget",
    "xh",
    "xhs",
];

/// Ports of stores and gateways whose own interface answers there: what is deleted through it is not a test's row.
const STORE_PORTS: &[&str] = &[
    "2019", "2375", "2376", "2379", "4001", "4242", "4646", "5984", "6333", "6443", "7474", "7700",
    "8001", "8081", "8082", "8083", "8086", "8108", "8123", "8200", "8444", "8500", "8529", "8983",
    "9090", "9091", "9093", "9200", "9201", "15672", "19530",
];

/// Paths of such interfaces where the port does not say it.
const STORE_PATHS: &[&str] = &[
    "/api/dashboards",
    "/api/datasources",
    "/api/alert",
    "/api/admin",
    "/admin/realms",
    "/api/org",
    "/api/v1/namespaces",
    "/api/v1/flags",
    "/api/folders",
];

/// Services by whose own interface money is moved or people are spoken to: the host, or what it ends in, a part of the path, and what
/// a request there that is no question does. From the services' own references.
const SERVICES: &[(&str, &[&str], Verdict)] = &[
    (
        "api.stripe.com",
        &[
            "/charges",
            "/invoices",
            "/payment_intents",
            "/payouts",
            "/refunds",
            "/subscriptions",
            "/topups",
            "/transfers",
        ],
        Verdict::Payment,
    ),
    ("api-m.paypal.com", &["/payments", "/checkout", "/billing", "/invoicing"], Verdict::Payment),
    ("api.paypal.com", &["/payments", "/checkout", "/billing", "/invoicing"], Verdict::Payment),
    ("api.wise.com", &["/transfers", "/batch-groups", "/payments"], Verdict::Payment),
    ("api.mollie.com", &["/payments", "/refunds"], Verdict::Payment),
    ("api.razorpay.com", &["/payouts", "/payments", "/refunds", "/transfers"], Verdict::Payment),
    ("connect.squareup.com", &["/payments", "/refunds", "/payouts"], Verdict::Payment),
    ("api.coinbase.com", &["/transactions", "/orders", "/withdrawals"], Verdict::Payment),
    ("api.kraken.com", &["/private/AddOrder", "/private/Withdraw"], Verdict::Payment),
    ("api.binance.com", &["/order", "/withdraw", "/transfer"], Verdict::Payment),
    ("adyen.com", &["/payments", "/payouts", "/refunds", "/transfers"], Verdict::Payment),
    ("slack.com", &["/api/chat.", "/api/files.upload"], Verdict::Message),
    ("hooks.slack.com", &["/services"], Verdict::Message),
    ("discord.com", &["/messages", "/webhooks"], Verdict::Message),
    ("discordapp.com", &["/messages", "/webhooks"], Verdict::Message),
    ("api.telegram.org", &["/send", "/forwardMessage", "/editMessage"], Verdict::Message),
    ("graph.microsoft.com", &["/sendMail", "/messages", "/reply"], Verdict::Message),
    ("gmail.googleapis.com", &["/messages/send", "/drafts/send"], Verdict::Message),
    ("chat.googleapis.com", &["/messages"], Verdict::Message),
    ("webhook.office.com", &["/webhook"], Verdict::Message),
    ("api.sendgrid.com", &["/mail/send"], Verdict::Message),
    ("api.mailgun.net", &["/messages"], Verdict::Message),
    ("api.postmarkapp.com", &["/email"], Verdict::Message),
    ("api.statuspage.io", &["/incidents"], Verdict::Message),
    ("onesignal.com", &["/notifications"], Verdict::Message),
    ("fcm.googleapis.com", &["/messages:send", "/fcm/send"], Verdict::Message),
    ("exp.host", &["/push/send"], Verdict::Message),
    ("mandrillapp.com", &["/messages/send"], Verdict::Message),
    ("api.mailchimp.com", &["/actions/send"], Verdict::Message),
    ("a.klaviyo.com", &["/campaign"], Verdict::Message),
    ("api.intercom.io", &["/messages", "/conversations"], Verdict::Message),
    ("api.resend.com", &["/emails"], Verdict::Message),
    ("api.brevo.com", &["/smtp/email"], Verdict::Message),
    ("api.twilio.com", &["/Messages", "/Calls"], Verdict::Message),
    ("api.vonage.com", &["/messages", "/sms"], Verdict::Message),
    ("graph.facebook.com", &["/messages", "/feed"], Verdict::Message),
    ("api.x.com", &["/tweets", "/dm_conversations"], Verdict::Message),
    ("api.twitter.com", &["/tweets", "/statuses/update", "/direct_messages"], Verdict::Message),
    ("api.linkedin.com", &["/ugcPosts", "/posts", "/shares"], Verdict::Message),
    ("oauth.reddit.com", &["/api/submit", "/api/comment", "/api/compose"], Verdict::Message),
];

/// Services that answer anything and keep nothing, for whoever tries a client, by what their pages say of themselves.
const ECHOES: &[&str] = &[
    "dummyjson.com",
    "echo.hoppscotch.io",
    "httpbin.org",
    "httpbingo.org",
    "jsonplaceholder.typicode.com",
    "postman-echo.com",
    "reqres.in",
];

/// Parts of a path that say what the request does.
const DESTROYING: &[&str] = &[
    "_close",
    "_delete_by_query",
    "cancel",
    "cancel-all",
    "cancel_all",
    "clean_tombstones",
    "clear-all",
    "deactivate",
    "decommission",
    "delete",
    "delete-all",
    "delete-batch",
    "delete_all",
    "delete_series",
    "deletemany",
    "deleteone",
    "deprovision",
    "destroy",
    "dodelete",
    "dowipeoutworkspace",
    "drop",
    "factory-reset",
    "factory_reset",
    "flushall",
    "force-stop",
    "kill",
    "power-off",
    "power_off",
    "poweroff",
    "purge",
    "purge_all",
    "purge_cache",
    "purge_everything",
    "reboot",
    "revoke",
    "rollback",
    "safeexit",
    "shutdown",
    "terminate",
    "truncate",
    "unpublish",
    "void",
    "wipe",
];

/// What the last part of an address says where money goes, whoever is asked.
const PAYING: &[&str] = &["payout", "payouts", "refund", "refunds", "withdraw", "withdrawals"];

impl Verdict {
    pub(super) const fn rule(self) -> &'static str {
        match self {
            Self::Everything => "http.request.everything",
            Self::Delete => "http.request.delete",
            Self::Path => "http.request.delete-by-path",
            Self::Administer => "http.request.administer",
            Self::Payment => "http.request.payment",
            Self::Message => "http.request.message",
            Self::Local => "http.request.local",
            Self::Change => "http.request.change",
            Self::Socket => "http.request.engine-socket",
        }
    }
}

pub(super) struct Request {
    pub(super) method: String,
    pub(super) address: Argument,
    pub(super) body: Option<Argument>,
    pub(super) socket: Option<Argument>,
    pub(super) service: bool,
    /// Whether a key of a service's test mode is given.
    pub(super) is_test: bool,
}

impl Request {
    pub(super) fn read(run: &Run) -> Option<Self> {
        let options = Options::new(&run.arguments, VALUES);
        let mut operands = options.operands().cloned();
        let service = matches!(run.program.as_str(), "gh" | "glab");
        if service && operands.next()?.text.as_known() != Some("api") {
            return None;
        }
        let named = options.value(&["-X", "--request", "--method", "-Method"]);
        let spoken = matches!(run.program.as_str(), "http" | "https" | "xh" | "xhs" | "curlie");
        let mut method = named.map(|method| method.text.display());
        let mut first = operands.next();
        if spoken
            && let Some(word) = first.as_ref().and_then(|word| word.text.as_known())
            && METHODS.iter().any(|method| method.eq_ignore_ascii_case(word))
        {
            method = Some(word.to_owned());
            first = operands.next();
        }
        let body = options.value(&[
            "-d",
            "--data",
            "--data-raw",
            "--data-binary",
            "--data-urlencode",
            "--data-ascii",
            "--json",
            "--post-data",
            "--body-data",
            "--raw",
            "-Body",
        ]);
        let body = body.or_else(|| if service { fields_of(&options) } else { None });
        // What `gh api --input -` sends is what arrives.
        let arrives = service
            && options.value(&["--input"]).is_some_and(|file| file.text.as_known() == Some("-"));
        let body = body.or_else(|| {
            let text = run.input.clone().filter(|_| arrives)?;
            Some(Argument { text, span: run.name.span })
        });
        // `http` sends what is written as fields behind the address.
        let mut written = operands.filter(|word| word.text.known_prefix().contains(['=', '@']));
        let said = if spoken { written.next() } else { None };
        let fields = said.is_some();
        let body = body.or_else(|| said.map(|first| joined(first, written)));
        let fallback = if body.is_some() || fields || options.has(&["-F", "--form", "--post-file"])
        {
            "POST"
        } else {
            "GET"
        };
        // Servers behind proxies take the method from a header as well.
        let overridden = options.values_of(&["-H", "--header"]).find_map(|header| {
            let header = header.text.display();
            let (name, value) = header.split_once(':')?;
            let name = name.trim().to_ascii_lowercase();
            matches!(
                name.as_str(),
                "x-http-method-override" | "x-http-method" | "x-method-override"
            )
            .then(|| value.trim().to_owned())
        });
        let method = overridden.or(method);
        let method = method.unwrap_or_else(|| fallback.to_owned()).to_ascii_uppercase();
        let address = options.value(&["--url", "-Uri"]).or(first)?;
        let keys = ["sk_test_", "rk_test_", "pk_test_", "rzp_test_"];
        let user = options.value(&["-u", "--user", "-a", "--auth"]);
        let header = options.values_of(&["-H", "--header"]).find(|header| {
            header.text.known_prefix().to_ascii_lowercase().starts_with("authorization:")
        });
        let is_test = run.arguments.iter().all(|word| word.text.as_known().is_some())
            && user.or(header).is_some_and(|given| {
                keys.iter().any(|key| given.text.known_prefix().contains(key))
            });
        let socket = options.value(&["--unix-socket"]);
        Some(Self { method, address, body, socket, service, is_test })
    }

    pub(super) fn verdict(&self) -> Option<Verdict> {
        if let Some(verdict) = self.by_address() {
            return Some(verdict);
        }
        if matches!(self.method.as_str(), "GET" | "HEAD" | "OPTIONS" | "TRACE") {
            return None;
        }
        if let Some(socket) = &self.socket {
            let path = socket.text.display();
            if ["docker", "podman", "containerd", "crio"].iter().any(|engine| path.contains(engine))
            {
                return Some(Verdict::Socket);
            }
        }
        let address = self.address.text.display();
        if is_chat_hook(&address) {
            return Some(Verdict::Message);
        }
        if matches!(host(&address).map(|(host, _)| split_port(host).1), Some("2375" | "2376")) {
            return Some(Verdict::Socket);
        }
        let (host, after) = host(&address)?;
        let path = after.split(['?', '#']).next().unwrap_or("");
        let (name, port) = split_port(host);
        let local = !self.service && is_local(name);
        let store =
            STORE_PORTS.contains(&port) || STORE_PATHS.iter().any(|part| path.contains(part));
        let near = local && !store;
        if ECHOES.contains(&name) {
            return None;
        }
        if self.method == "DELETE" {
            let everything = matches!(path, "/_all" | "/*" | "/_all/" | "/*/");
            return Some(match (near, everything && store) {
                (_, true) => Verdict::Everything,
                (true, false) => Verdict::Local,
                (false, false) => Verdict::Delete,
            });
        }
        if let Some(verdict) = self.known_service(name, path) {
            return Some(verdict);
        }
        let last = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        let is_played = name.split(['.', '-']).any(|part| matches!(part, "sandbox" | "test"));
        if !near && !self.is_test && !is_played && PAYING.contains(&last) {
            return Some(Verdict::Payment);
        }
        let destroys = path
            .split('/')
            .any(|part| DESTROYING.iter().any(|word| part.eq_ignore_ascii_case(word)));
        if (destroys || self.body_destroys()) && !near {
            return Some(Verdict::Path);
        }
        if !near
            && access::administers(&self.method, path, self.body.as_ref().map(|body| &body.text))
        {
            return Some(Verdict::Administer);
        }
        match self.method.as_str() {
            "PUT" | "PATCH" if near => Some(Verdict::Local),
            "PUT" | "PATCH" => Some(Verdict::Change),
            _ => None,
        }
    }

    /// A service that takes a question for an order: all that it is told stands in the address.
    fn by_address(&self) -> Option<Verdict> {
        let address = self.address.text.display();
        let (host, path) = host(&address)?;
        let (name, _) = split_port(host);
        (name == "api.telegram.org").then(|| self.known_service(name, path)).flatten()
    }

    /// What a service that is known by its host would do. Keys of a test mode move no money.
    fn known_service(&self, name: &str, path: &str) -> Option<Verdict> {
        let ends_so = |host: &str| {
            name == host || name.strip_suffix(host).is_some_and(|rest| rest.ends_with('.'))
        };
        let does = |parts: &[&str]| parts.iter().any(|part| path.contains(part));
        let row = SERVICES.iter().find(|(host, parts, _)| ends_so(host) && does(parts))?;
        let is_rehearsed = row.2 == Verdict::Payment && (self.is_test || name.contains("sandbox"));
        (!is_rehearsed).then_some(row.2)
    }

    /// Whether the body is a `GraphQL` mutation, or a command, that deletes.
    fn body_destroys(&self) -> bool {
        let Some(body) = self.body.as_ref().map(|body| body.text.display().to_ascii_lowercase())
        else {
            return false;
        };
        let graph = body.contains("mutation")
            && ["delete", "destroy", "remove", "purge"].iter().any(|word| body.contains(word));
        graph || body.contains("purge_everything")
    }
}

/// What `gh api -f private=false -F x=y` sends.
fn fields_of(options: &Options<'_>) -> Option<Argument> {
    let mut fields = options.values_of(&["-f", "-F", "--field", "--raw-field"]);
    Some(joined(fields.next()?, fields))
}

fn joined(mut whole: Argument, rest: impl Iterator<Item = Argument>) -> Argument {
    for field in rest {
        whole.text.push_known(" ");
        whole.text.append(&field.text);
    }
    whole
}

const METHODS: &[&str] = &["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PURGE"];

/// The host with its port, and the path with its query. Without a scheme the address starts with the host; an empty host
/// before a port means this machine.
pub(super) fn host(address: &str) -> Option<(&str, &str)> {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let authority = rest.get(..end)?;
    let host = authority.rsplit('@').next().unwrap_or(authority);
    Some((host, rest.get(end..)?))
}

fn split_port(host: &str) -> (&str, &str) {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|digit| digit.is_ascii_digit()) => (name, port),
        _ => (host, ""),
    }
}

fn is_local(name: &str) -> bool {
    matches!(name, "" | "localhost" | "[::1]" | "0.0.0.0" | "host.docker.internal")
        || name.starts_with("127.")
        || name.ends_with(".localhost")
}

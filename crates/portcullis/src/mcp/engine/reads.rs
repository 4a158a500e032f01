//! What only reads, and is no call by its name: completions of arguments, and subscriptions to resources. Owns which entry of the server each is about,
//! and that it is held against the pins and judged as the reading that it comes to; calls themselves are in `client`.

use serde_json::{Value, json};

use super::{CODE, Engine, Out, What, client::refusal_of, modern_meta, none};
use crate::{
    canonical,
    mcp::{
        desk::Ruling,
        frame::{Answer, Id, Members, Request},
        method::Kind,
        result,
        seal::About,
    },
};

/// The most resources that one request subscribes to.
const SUBSCRIBED: usize = 64;

/// The list that a completion needs, by what it refers to.
pub(super) fn referred(params: Option<&Members>) -> Option<Kind> {
    match params?.get("ref")?.get("type")?.as_str()? {
        "ref/prompt" => Some(Kind::Prompt),
        "ref/resource" => Some(Kind::Template),
        _ => None,
    }
}

/// Whether a request listens to single resources, of which the list is needed.
pub(super) fn names_resources(params: Option<&Members>) -> bool {
    let named = params.and_then(|params| params.get("notifications")?.get("resourceSubscriptions"));
    named.is_some_and(|named| named.as_array().is_none_or(|all| !all.is_empty()))
}

impl Engine {
    /// Judges a completion as taking what it completes: the server is told the same of its arguments.
    pub(super) fn complete(&mut self, kind: Kind, mut request: Request, out: &mut Out) {
        request.params.iter_mut().for_each(only_judged);
        let params = request.params.clone().unwrap_or_default();
        let asked = match Completion::read(kind, &params) {
            Ok(asked) => asked,
            Err(words) => {
                out.client.push(Answer::error(request.id, -32_602, &words).into());
                return;
            }
        };
        let pin = match self.pin_of(kind, &asked.name) {
            Ok(pin) => pin,
            Err(words) => {
                out.client.push(Answer::error(request.id, CODE, &words).into());
                return;
            }
        };
        let Some(pin) = pin else {
            let words = refusal_of(kind, &asked.name);
            out.client.push(Answer::error(request.id, -32_602, &words).into());
            return;
        };
        let tool = if kind == Kind::Prompt { "get_prompt" } else { "read_resource" };
        let about =
            self.about(format!("completion/complete {}", asked.name), &asked.arguments, pin);
        let ruling = self.desk.judge(tool, asked.arguments);
        self.ruled(ruling, request, about, out);
    }

    /// Judges a subscription to one resource as reading it: whoever is told that it changed reads it next.
    pub(super) fn subscribe(&mut self, request: Request, out: &mut Out) {
        let params = request.params.as_ref();
        let uri = params.and_then(|params| params.get("uri")?.as_str()).map(str::to_owned);
        let is_plain = params.is_some_and(|params| {
            params.keys().all(|name| matches!(name.as_str(), "_meta" | "uri"))
        });
        let Some(uri) = uri.filter(|_| is_plain) else {
            let words = "a subscription has a `uri`, and nothing else";
            out.client.push(Answer::error(request.id, -32_602, words).into());
            return;
        };
        let pin = match self.pin_of(Kind::Resource, &uri) {
            Ok(pin) => pin.unwrap_or_default(),
            Err(words) => {
                out.client.push(Answer::error(request.id, CODE, &words).into());
                return;
            }
        };
        let arguments = reading(&uri);
        let about = self.about(format!("resources/subscribe {uri}"), &arguments, pin);
        let ruling = self.desk.judge("read_resource", arguments);
        self.ruled(ruling, request, about, out);
    }

    /// Judges each resource that a stream of the new protocol is to tell of. Where one of them may not, the stream is not begun.
    pub(super) fn listen(&mut self, mut request: Request, out: &mut Out) {
        request.params.iter_mut().for_each(only_streams);
        let no = |id: Id, code: i64, words: &str| Answer::error(id, code, words).into();
        let held = self.held_whole();
        if !held.is_empty() {
            out.client.push(no(request.id, CODE, &self.held_words(&held)));
            return;
        }
        let uris = match subscribed(request.params.as_ref()) {
            Ok(uris) => uris,
            Err(words) => {
                out.client.push(no(request.id, -32_602, words));
                return;
            }
        };
        let mut passed = Vec::new();
        let mut refused = None;
        for uri in &uris {
            let ruling = match self.pin_of(Kind::Resource, uri) {
                Ok(_) => self.desk.judge("read_resource", reading(uri)),
                Err(words) => Ruling::No(words),
            };
            match ruling {
                Ruling::Go(passing) => passed.push(passing),
                Ruling::No(why) => refused = Some(why),
                Ruling::Asks(asking) => refused = Some(asking.words()),
            }
            if refused.is_some() {
                break;
            }
        }
        let outcome = if refused.is_none() { "listened to" } else { "not listened to" };
        for passing in passed {
            self.later.push((passing, result::shown(none()), outcome));
        }
        match refused {
            None => self.pass(request, What::Pass, out),
            Some(why) => {
                let words = format!("portcullis: it may not be listened to: {why}");
                out.client.push(no(request.id, CODE, &words));
            }
        }
    }

    /// The digest that an entry was accepted with; nothing where the server lists no such entry.
    ///
    /// # Errors
    /// Why it, or all of the server, is held.
    fn pin_of(&self, kind: Kind, name: &str) -> Result<Option<String>, String> {
        let held = self.held_whole();
        if !held.is_empty() {
            return Err(self.held_words(&held));
        }
        let list = self.lists.get(&kind);
        match list.and_then(|list| list.listed.iter().find(|one| one.name == name)) {
            Some(one) if one.held.is_empty() => Ok(Some(one.digest.clone())),
            Some(one) => Err(self.held_words(&one.held)),
            None => Ok(None),
        }
    }

    fn about(&self, tool: String, arguments: &Members, pin: String) -> About {
        About {
            principal: self.principal.clone(),
            server: self.files.server.clone(),
            tool,
            arguments: canonical::digest(&Value::Object(arguments.clone())),
            pin,
            policy: self.desk.policy().to_owned(),
        }
    }

    /// Whether a resource is one that is held: nobody is told that it changed.
    pub(super) fn is_held_resource(&self, params: Option<&Members>) -> bool {
        let uri = params.and_then(|params| params.get("uri")?.as_str());
        let list = self.lists.get(&Kind::Resource).map(|list| list.listed.as_slice());
        uri.is_some_and(|uri| {
            list.unwrap_or_default().iter().any(|one| one.name == uri && !one.held.is_empty())
        })
    }
}

/// What is to be completed.
struct Completion {
    name: String,
    /// What the call comes to that takes it.
    arguments: Members,
}

impl Completion {
    fn read(kind: Kind, params: &Members) -> Result<Self, String> {
        let known = ["_meta", "argument", "context", "ref"];
        if let Some(name) = params.keys().find(|name| !known.contains(&name.as_str())) {
            let name: String = name.chars().take(40).collect();
            return Err(format!("`{name}` is no parameter of a completion that the gate knows"));
        }
        let key = if kind == Kind::Prompt { "name" } else { "uri" };
        let name = params.get("ref").and_then(|it| it.get(key)?.as_str());
        let name = name.ok_or_else(|| format!("`ref.{key}` must be a text"))?.to_owned();
        let argument = params.get("argument");
        let text = |member: &str| argument.and_then(|it| it.get(member)?.as_str());
        let (Some(asked), Some(value)) = (text("name"), text("value")) else {
            return Err("`argument` needs a `name` and a `value`, both texts".to_owned());
        };
        let mut given = match params.get("context").and_then(|it| it.get("arguments")) {
            None | Some(Value::Null) => none(),
            Some(Value::Object(given)) => given.clone(),
            Some(_) => return Err("`context.arguments` must be an object".to_owned()),
        };
        given.insert(asked.to_owned(), value.into());
        let mut arguments = none();
        arguments.insert(key.to_owned(), name.clone().into());
        arguments.insert("arguments".to_owned(), Value::Object(given));
        Ok(Self { name, arguments })
    }
}

/// Leaves of a completion what it is judged by.
fn only_judged(params: &mut Members) {
    let inner: [(&str, &[&str]); 3] = [
        ("ref", &["name", "type", "uri"]),
        ("argument", &["name", "value"]),
        ("context", &["arguments"]),
    ];
    for (name, known) in inner {
        if let Some(Value::Object(members)) = params.get_mut(name) {
            members.retain(|name, _| known.contains(&name.as_str()));
        }
    }
}

/// Leaves of a stream that is begun what it is to tell of.
fn only_streams(params: &mut Members) {
    params.retain(|name, _| matches!(name.as_str(), "_meta" | "notifications"));
    if let Some(Value::Object(members)) = params.get_mut("notifications") {
        members.retain(|name, value| name == "resourceSubscriptions" || value.is_boolean());
    }
}

fn reading(uri: &str) -> Members {
    json!({"uri": uri}).as_object().cloned().unwrap_or_default()
}

/// The resources that a stream is to tell of.
fn subscribed(params: Option<&Members>) -> Result<Vec<String>, &'static str> {
    let named = params.and_then(|params| params.get("notifications")?.get("resourceSubscriptions"));
    let all = match named {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(Value::Array(all)) => all,
        Some(_) => return Err("`resourceSubscriptions` must be a list of addresses"),
    };
    if all.len() > SUBSCRIBED {
        return Err("more than 64 resources are listened to at once");
    }
    let texts = all.iter().map(|uri| uri.as_str().map(str::to_owned));
    texts.collect::<Option<Vec<_>>>().ok_or("each of `resourceSubscriptions` must be a text")
}

/// Whether a server may answer a method with questions of its own: the new protocol names those.
pub(super) fn may_ask_back(method: &str) -> bool {
    matches!(method, "tools/call" | "prompts/get" | "resources/read")
}

/// Whether a request of the new protocol may be answered with a question.
pub(super) fn may_be_asked(request: &Request) -> bool {
    modern_meta(request.params.as_ref()).is_some() && may_ask_back(&request.method)
}

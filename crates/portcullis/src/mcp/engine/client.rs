//! What a client sends. Owns what becomes of each of its requests, notifications and answers.

use serde_json::{Value, json};

use super::{
    CAPABILITIES_KEY, CODE, Engine, HELD_TOOL, IDS, OPEN, Open, Out, PROGRESS, What, modern_meta,
    none, plain, reads, refused, sample,
};
use crate::{
    canonical,
    mcp::{
        desk::Ruling,
        frame::{Answer, Frame, Id, Members, Notification, Request},
        method::{self, Asked, Kind, Told, Wanted},
        mirror, result,
        seal::About,
    },
    trace::Trace,
};

/// The parameters of a call that are known; with another one, what the call means is not.
const fn parameters(kind: Kind) -> &'static [&'static str] {
    match kind {
        Kind::Tool => &["_meta", "arguments", "inputResponses", "name", "requestState", "task"],
        Kind::Prompt => &["_meta", "arguments", "inputResponses", "name", "requestState"],
        Kind::Resource | Kind::Template => &["_meta", "inputResponses", "requestState", "uri"],
    }
}

/// The longest token by which a client hears how far a request is.
const TOKEN: usize = 256;

/// How many held things are named to a model that asks.
const SHOWN: usize = 200;

impl Engine {
    pub(super) fn request(&mut self, mut request: Request, out: &mut Out) {
        sample::told_in(request.params.as_mut(), self.samples);
        request.params.iter_mut().for_each(plain::keep_meta);
        if let Err(words) = self.take_id(&request) {
            out.client.push(Answer::error(request.id, -32600, words).into());
            return;
        }
        let Some(asked) = method::asked(&request.method) else {
            let words = format!(
                "`{}` is not passed on: it is no method that the gate knows",
                crate::report::visible::line(&request.method)
            );
            out.client.push(Answer::error(request.id, -32601, &words).into());
            return;
        };
        if !self.unstarted.is_empty() {
            let words = self.held_words(&self.unstarted);
            out.client.push(Answer::error(request.id, CODE, &words).into());
            return;
        }
        match asked {
            Asked::Initialize => self.initialize(request, out),
            Asked::Discover => {
                let only = |params: &mut Members| params.retain(|name, _| name == "_meta");
                request.params.iter_mut().for_each(only);
                self.pass(request, What::Discover, out);
            }
            Asked::List(kind) => self.load(kind, request, out),
            Asked::Call => self.with_list(Kind::Tool, request, out),
            Asked::Prompt => self.with_list(Kind::Prompt, request, out),
            Asked::Read | Asked::Subscribe => self.with_list(Kind::Resource, request, out),
            Asked::Complete => match reads::referred(request.params.as_ref()) {
                Some(kind) => self.with_list(kind, request, out),
                None => {
                    let words = "`ref` must name a prompt or a pattern of resources";
                    out.client.push(Answer::error(request.id, -32602, words).into());
                }
            },
            Asked::Listen if reads::names_resources(request.params.as_ref()) => {
                self.with_list(Kind::Resource, request, out);
            }
            Asked::Listen => self.listen(request, out),
            Asked::Pass => self.plain(request, out),
        }
    }

    /// No id is used twice: in the old protocol never, in the new one not while its answer is open.
    fn take_id(&mut self, request: &Request) -> Result<(), &'static str> {
        if matches!(&request.id, Id::Text(text) if text.starts_with(&self.ours)) {
            return Err("ids that begin so are the gate's own");
        }
        let is_waiting = self.waiting.iter().any(|one| one.is_of(&request.id))
            || self.loading.values().any(|it| it.waiting.iter().any(|one| one.id == request.id));
        let is_modern = modern_meta(request.params.as_ref()).is_some();
        if self.open.contains_key(&request.id)
            || is_waiting
            || !is_modern && self.ids.contains(&request.id)
        {
            return Err("this id was used before");
        }
        if self.open.len() >= OPEN {
            return Err("too many requests are open");
        }
        if self.ids.len() >= IDS {
            self.ids.pop_front();
        }
        self.ids.push_back(request.id.clone());
        Ok(())
    }

    fn initialize(&mut self, mut request: Request, out: &mut Out) {
        self.is_legacy = true;
        let params = request.params.get_or_insert_with(none);
        plain::keep_beginning(params);
        self.client = params
            .get("clientInfo")
            .and_then(|info| info.get("name"))
            .and_then(Value::as_str)
            .map(|name| name.chars().take(80).collect())
            .unwrap_or_default();
        if let Some(Value::Object(capabilities)) = params.get_mut("capabilities") {
            self.elicits = elicits(capabilities.get("elicitation"));
            self.has_roots = capabilities.contains_key("roots");
            sample::told(capabilities, self.samples);
        }
        if let Err(why) = self.put_down_told("initialize", request.params.as_ref()) {
            out.client.push(Answer::error(request.id, CODE, &why).into());
            return;
        }
        self.pass(request, What::Initialize, out);
    }

    /// Passes a request on, as it was read.
    pub(super) fn pass(&mut self, request: Request, what: What, out: &mut Out) {
        let token = request.params.as_ref().and_then(|it| it.get("_meta")?.get("progressToken"));
        // Tokens are numbers or short texts.
        if let Some(token) =
            token.filter(|it| it.is_number() || it.as_str().is_some_and(|it| it.len() <= TOKEN))
        {
            if self.progress.len() >= PROGRESS {
                self.progress.pop_front();
            }
            self.progress.push_back(token.clone());
        }
        let is_modern = modern_meta(request.params.as_ref()).is_some();
        if request.method == "resources/subscribe" {
            self.given.learn_resource(request.params.as_ref());
        }
        let open = Open { what, method: request.method.clone(), is_modern };
        self.open.insert(request.id.clone(), open);
        out.server.push(Frame::Request(request));
    }

    /// Goes on with a request of which the list is known to be what the server shows now.
    pub(super) fn go_on(&mut self, kind: Kind, request: Request, out: &mut Out) {
        match method::asked(&request.method) {
            Some(Asked::Complete) => self.complete(kind, request, out),
            Some(Asked::Subscribe) => self.subscribe(request, out),
            Some(Asked::Listen) => self.listen(request, out),
            _ => self.call(kind, request, out),
        }
    }

    /// Judges a call, a prompt or a reading.
    fn call(&mut self, kind: Kind, request: Request, out: &mut Out) {
        let Request { id, method, params } = request;
        let mut params = params.unwrap_or_default();
        let is_modern = modern_meta(Some(&params)).is_some();
        let invalid = |words: &str| Answer::error(id.clone(), -32602, words).into();
        // How long a task is kept is a number.
        if let Some(Value::Object(task)) = params.get_mut("task") {
            task.retain(|name, value| name == "ttl" && value.is_number());
        }
        if let Some(name) = params.keys().find(|name| !parameters(kind).contains(&name.as_str())) {
            let name: String = name.chars().take(40).collect();
            out.client.push(invalid(&format!(
                "`{name}` is no parameter of `{method}` that the gate knows"
            )));
            return;
        }
        let Some(name) = params.get(kind.key()).and_then(Value::as_str).map(str::to_owned) else {
            out.client.push(invalid(&format!("`{}` must be a text", kind.key())));
            return;
        };
        let held = self.held_whole();
        if kind == Kind::Tool && name == HELD_TOOL {
            out.client.push(self.what_is_held(id, is_modern));
            return;
        }
        if !held.is_empty() {
            out.client.push(self.no(id, kind, &self.held_words(&held), is_modern));
            return;
        }
        let pin =
            match self.lists.get(&kind).map(|list| list.listed.iter().find(|one| one.name == name))
            {
                Some(Some(one)) if one.held.is_empty() => one.digest.clone(),
                Some(Some(one)) => {
                    let words = self.held_words(&one.held);
                    out.client.push(self.no(id, kind, &words, is_modern));
                    return;
                }
                // Most resources are read by an address that no list has.
                Some(None) | None if kind == Kind::Resource => String::new(),
                Some(None) | None => {
                    out.client.push(invalid(&refusal_of(kind, &name)));
                    return;
                }
            };
        let arguments = match arguments(kind, &name, &params) {
            Ok(arguments) => arguments,
            Err(words) => {
                out.client.push(invalid(words));
                return;
            }
        };
        if let Some(mirrored) = self.mirrored.remove(&id)
            && kind == Kind::Tool
            && let Some(tool) = self.tool(&name)
            && let Err(header) = mirror::check(tool, &arguments, &mirrored)
        {
            let words = format!("`Mcp-Param-{header}` does not say what the arguments say");
            out.client.push(Answer::error(id, -32_020, &words).into());
            return;
        }
        let tool = match kind {
            Kind::Tool => name.clone(),
            Kind::Prompt => "get_prompt".to_owned(),
            Kind::Resource | Kind::Template => "read_resource".to_owned(),
        };
        let about = About {
            principal: self.principal.clone(),
            server: self.files.server.clone(),
            tool: format!("{method} {name}"),
            arguments: canonical::digest(&Value::Object(arguments.clone())),
            pin,
            policy: self.desk.policy().to_owned(),
        };
        let request = Request { id, method, params: Some(params) };
        if request.params.as_ref().is_some_and(|params| {
            params.contains_key("requestState") || params.contains_key("inputResponses")
        }) {
            self.comes_again((tool, arguments), request, about, out);
            return;
        }
        let trace = Trace::of_params(request.params.as_ref());
        let ruling = self.desk.judge_within(trace, &tool, arguments);
        self.ruled(ruling, request, about, out);
    }

    /// Does what the desk says.
    pub(super) fn ruled(&mut self, ruling: Ruling, request: Request, about: About, out: &mut Out) {
        let is_modern = modern_meta(request.params.as_ref()).is_some();
        match ruling {
            Ruling::Go(passing) => self.pass(request, What::Call(passing, Box::new(about)), out),
            Ruling::No(why) => {
                let words = format!("portcullis: denied: {why}");
                let kind = if request.method == "tools/call" { Kind::Tool } else { Kind::Resource };
                out.client.push(self.no(request.id, kind, &words, is_modern));
            }
            Ruling::Asks(asking) => self.asks(*asking, request, about, out),
        }
    }

    /// A no, as a model sees it: the result of a tool, else an error.
    pub(super) fn no(&self, id: Id, kind: Kind, words: &str, is_modern: bool) -> Frame {
        if kind == Kind::Tool {
            refused(id, words, is_modern)
        } else {
            Answer::error(id, CODE, words).into()
        }
    }

    pub(super) fn held_words(&self, why: &[String]) -> String {
        let why: Vec<String> =
            why.iter().map(|one| crate::report::visible::line(one).into_owned()).collect();
        format!("portcullis: held: {}; {}", why.join("; "), self.way_out())
    }

    /// What is held, for a model that asks. Names that are no plain words are not repeated.
    fn what_is_held(&self, id: Id, is_modern: bool) -> Frame {
        let is_plain = |name: &str| {
            name.len() <= 64
                && name
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
        };
        let mut lines: Vec<String> = self.held_whole();
        for one in
            self.lists.values().flat_map(|list| &list.listed).filter(|one| !one.held.is_empty())
        {
            let name = if is_plain(&one.name) {
                one.name.as_str()
            } else {
                "(a name that is no plain word)"
            };
            lines.push(format!("{} {name}: held", one.kind.name()));
        }
        let more = lines.len().saturating_sub(SHOWN);
        lines.truncate(SHOWN);
        if more > 0 {
            lines.push(format!("and {more} more"));
        }
        lines.push(self.way_out());
        let mut members =
            json!({"content": [{"type": "text", "text": lines.join("\n")}], "isError": false});
        if let Some(members) = members.as_object_mut().filter(|_| is_modern) {
            members.insert("resultType".to_owned(), "complete".into());
        }
        let outcome = Ok(members.as_object().cloned().unwrap_or_default());
        Answer { id, outcome }.into()
    }

    pub(super) fn told(&mut self, notification: Notification, out: &mut Out) {
        let Notification { method, params } = notification;
        let params = plain::of_notification(&method, params);
        let notification = Notification { method, params };
        match method::told(&notification.method) {
            None => out.notes.push(format!(
                "a notification of the client was dropped: `{}`",
                crate::report::visible::line(&notification.method)
            )),
            // It begins the session in which the server can be looked at; nothing else is for one that is held.
            Some(Told::Pass)
                if notification.method != "notifications/initialized"
                    && !self.held_whole().is_empty() =>
            {
                out.notes.push(format!(
                    "a notification of the client was dropped, as the server is held: `{}`",
                    notification.method
                ));
            }
            Some(Told::Pass) => {
                if self.may_tell(&notification, out) {
                    out.server.push(Frame::Notification(notification));
                }
            }
            Some(Told::Cancelled) => {
                let id = notification.params.as_ref().and_then(|params| params.get("requestId"));
                let Some(id) = id.and_then(Id::read) else { return };
                self.waiting.retain(|one| !one.is_of(&id));
                for loading in self.loading.values_mut() {
                    loading.waiting.retain(|request| request.id != id);
                }
                // What is not open is nothing that the server could take back.
                if let Some(open) = self.open.remove(&id) {
                    out.server.push(Frame::Notification(notification));
                    if let What::Call(passing, _) = open.what {
                        let nothing = result::shown(none());
                        self.later.push((passing, nothing, "taken back before it was answered"));
                    }
                }
            }
        }
    }

    pub(super) fn client_answers(&mut self, answer: Answer, out: &mut Out) {
        if let Some((theirs, wanted)) = self.of_server.remove(&answer.id) {
            let outcome = match wanted {
                Wanted::Sample => sample::answered(answer.outcome),
                Wanted::Ping | Wanted::Roots | Wanted::Elicit => answer.outcome,
            };
            out.server.push(Answer { id: theirs, outcome }.into());
            return;
        }
        self.client_decides(answer, out);
    }
}

/// That a server has no such thing.
pub(super) fn refusal_of(kind: Kind, name: &str) -> String {
    format!("`{}` is no {} of this server", crate::report::visible::line(name), kind.name())
}

/// What the call is judged by.
fn arguments(kind: Kind, name: &str, params: &Members) -> Result<Members, &'static str> {
    let given = match params.get("arguments") {
        None | Some(Value::Null) => none(),
        Some(Value::Object(arguments)) => arguments.clone(),
        Some(_) => return Err("`arguments` must be an object"),
    };
    let mut arguments = none();
    match kind {
        Kind::Tool => return Ok(given),
        Kind::Prompt => {
            arguments.insert("name".to_owned(), name.into());
            if !given.is_empty() {
                arguments.insert("arguments".to_owned(), Value::Object(given));
            }
        }
        Kind::Resource | Kind::Template => {
            arguments.insert("uri".to_owned(), name.into());
        }
    }
    Ok(arguments)
}

/// Whether a client can ask its person with a form.
pub(super) fn elicits(capability: Option<&Value>) -> bool {
    match capability {
        Some(Value::Object(modes)) => modes.is_empty() || modes.contains_key("form"),
        _ => false,
    }
}

/// The same of a request of the new protocol.
pub(super) fn elicits_now(meta: Option<&Value>) -> bool {
    elicits(meta.and_then(|meta| meta.get(CAPABILITIES_KEY)?.get("elicitation")))
}

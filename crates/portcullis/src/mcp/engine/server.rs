//! What a server sends. Owns what becomes of each of its answers, requests and notifications on the way to the client and its model.

use serde_json::{Map, Value, json};

use super::{
    CODE, CONTINUING, Engine, OPEN_OF_SERVER, Open, Out, VERSIONS, What, none, own_meta, reads,
    refused,
};
use crate::{
    mcp::{
        desk::Passing,
        frame::{Answer, Frame, Id, Members, Notification, Request},
        method::{self, Kind, Noted, Wanted},
        result::{Shown, shown},
        seal::About,
    },
    pins,
};

/// The capabilities of servers whose methods are in the table.
const CAPABILITIES: &[&str] =
    &["completions", "extensions", "logging", "prompts", "resources", "tasks", "tools"];

/// The longest answer to anything but a call: what a model sees of it is short.
const LONGEST_INSTRUCTIONS: usize = 64 << 10;

impl Engine {
    pub(super) fn server_answers(&mut self, answer: Answer, out: &mut Out) {
        if self.own_answered(&answer, out) {
            return;
        }
        let Some(Open { what, method, is_modern }) = self.open.remove(&answer.id) else {
            self.drop_frame("it answers nothing that is open", out);
            return;
        };
        let Answer { id, outcome } = answer;
        let result = match outcome {
            Ok(mut result) => {
                if is_modern {
                    // Where a server does not say so, clients take it to be.
                    result.entry("resultType").or_insert_with(|| "complete".into());
                }
                result
            }
            Err(error) => {
                let shown = shown(self.asked_in_error(error));
                out.client.push(Answer { id, outcome: Err(shown.members.clone()) }.into());
                if let What::Call(passing, _) = what {
                    self.came_to(passing, shown, "answered with an error");
                }
                return;
            }
        };
        match what {
            What::Initialize => {
                let result = self.introduced(result, false, out);
                out.client.push(Answer { id, outcome: Ok(result) }.into());
            }
            What::Discover => {
                let result = self.introduced(result, true, out);
                out.client.push(Answer { id, outcome: Ok(result) }.into());
            }
            What::Pass => {
                let outcome = if result_type(&result) == "input_required" {
                    let words = asks_where_none_may(&method);
                    Err(Answer::error(id.clone(), CODE, &words).outcome.err().unwrap_or_default())
                } else {
                    let shown = shown(result);
                    self.given.learn(&method, &shown.members);
                    if method.starts_with("tasks/") {
                        self.desk.overheard(&method, &shown.text, &shown.seen);
                    }
                    Ok(shown.members)
                };
                out.client.push(Answer { id, outcome }.into());
            }
            What::Call(passing, _)
                if result_type(&result) == "input_required" && !reads::may_ask_back(&method) =>
            {
                let words = asks_where_none_may(&method);
                out.client.push(Answer::error(id, CODE, &words).into());
                self.later.push((passing, shown(none()), "answered with what is not known"));
            }
            What::Call(passing, about) => {
                let is_tool = method == "tools/call";
                self.called(id, result, (passing, *about), (is_modern, is_tool), out);
            }
        }
    }

    /// What a call came to, to be put down. Where that calls for caution it is known before the answer goes on: whoever is told of it may call another server of
    /// the same session at once.
    fn came_to(&mut self, passing: Box<Passing>, shown: Shown, outcome: &'static str) {
        let calls_for_caution = shown.seen.calls_for_caution();
        self.later.push((passing, shown, outcome));
        if calls_for_caution {
            self.settle_later();
        }
    }

    /// An error of the old protocol that sends the person to an address first: looked at as every other question of the server.
    fn asked_in_error(&self, mut error: Members) -> Members {
        if error.get("code").and_then(Value::as_i64) != Some(ADDRESS_FIRST) {
            return error;
        }
        let questions = error.get_mut("data").and_then(|data| data.get_mut("elicitations"));
        let label = |question: &mut Value| match question.as_object_mut() {
            Some(question) if question.get("mode").and_then(Value::as_str) == Some("url") => {
                super::ask::label(question, &self.files.server)
            }
            _ => Err("the server asks in a way that the gate does not know".to_owned()),
        };
        let looked = match questions.and_then(Value::as_array_mut) {
            Some(questions) => questions.iter_mut().try_for_each(label),
            None => Err("the server asks, and does not say what".to_owned()),
        };
        match looked {
            Ok(()) => error,
            Err(words) => {
                let words = format!("portcullis: {words}");
                json!({"code": CODE, "message": words}).as_object().cloned().unwrap_or_default()
            }
        }
    }

    /// The result of a call.
    fn called(
        &mut self,
        id: Id,
        result: Members,
        (passing, about): (Box<Passing>, About),
        (is_modern, is_tool): (bool, bool),
        out: &mut Out,
    ) {
        let no = |engine: &Self, id: Id, words: &str| {
            engine.no(id, if is_tool { Kind::Tool } else { Kind::Resource }, words, is_modern)
        };
        match result_type(&result) {
            "complete" | "task" => {
                let is_error = result.get("isError").and_then(Value::as_bool) == Some(true);
                let shown = shown(result);
                self.given.learn("tools/call", &shown.members);
                out.client.push(Answer { id, outcome: Ok(shown.members.clone()) }.into());
                let outcome = match (is_error, shown.is_redacted) {
                    (true, _) => "answered with an error",
                    (false, true) => "answered, secrets taken out",
                    (false, false) => "answered",
                };
                self.came_to(passing, shown, outcome);
            }
            "input_required" if is_modern => match self.asks_back(result, passing, about) {
                Ok(result) => out.client.push(Answer { id, outcome: Ok(result) }.into()),
                Err(words) => {
                    let answer = no(self, id, &format!("portcullis: {words}"));
                    out.client.push(answer);
                }
            },
            // What kind it claims to be is not repeated: a model would read it.
            _ => {
                let words =
                    "portcullis: the result is of a kind that is not known, and was left out"
                        .to_owned();
                let answer = no(self, id, &words);
                out.client.push(answer);
                let shown = shown(none());
                self.later.push((passing, shown, "answered with what is not known"));
            }
        }
    }

    /// The server wants to know something before it answers. Its questions are labelled and looked through, and what it keeps in the client's
    /// hands is sealed once more, with the call that it belongs to.
    fn asks_back(
        &mut self,
        mut result: Members,
        passing: Box<Passing>,
        about: About,
    ) -> Result<Members, String> {
        let inner = match result.remove("requestState") {
            None => None,
            Some(Value::String(state)) => Some(state),
            Some(_) => return Err("the server's `requestState` is no text".to_owned()),
        };
        let mut requests = match result.remove("inputRequests") {
            None => Map::new(),
            Some(Value::Object(requests)) => requests,
            Some(_) => return Err("the server's questions are no object".to_owned()),
        };
        if requests.is_empty() && inner.is_none() {
            return Err("the server asks, and does not say what".to_owned());
        }
        for (name, request) in &mut requests {
            if name == super::ask::OUR_QUESTION {
                return Err("the server asks under the gate's own name".to_owned());
            }
            let wanted = request.get("method").and_then(Value::as_str).and_then(method::wanted);
            match wanted {
                Some(Wanted::Roots) => {}
                Some(Wanted::Elicit) => {
                    let params = request.get_mut("params").and_then(Value::as_object_mut);
                    let params = params.ok_or("the server's question has no parameters")?;
                    super::ask::label(params, &self.files.server)?;
                }
                Some(Wanted::Sample) if self.samples => {
                    let params = request.get_mut("params").and_then(Value::as_object_mut);
                    let params = params.ok_or("the server's request has no parameters")?;
                    super::sample::asked(params, &self.desk)?;
                }
                Some(Wanted::Sample) => return Err(SAMPLING.to_owned()),
                Some(Wanted::Ping) | None => {
                    return Err(
                        "the server asks for something that the gate does not know".to_owned()
                    );
                }
            }
        }
        let seal = self.seal.close(about, None, inner);
        let (state, nonce) = seal.map_err(|error| format!("nothing can be sealed: {error}"))?;
        if self.continuing.len() >= CONTINUING {
            self.continuing.pop_front();
        }
        self.continuing.push_back((nonce, passing));
        let mut members = none();
        members.insert("resultType".to_owned(), "input_required".into());
        members.insert("requestState".to_owned(), state.into());
        if !requests.is_empty() {
            members.insert("inputRequests".to_owned(), Value::Object(requests));
        }
        Ok(members)
    }

    /// Takes who the server says that it is.
    pub(super) fn met(&mut self, result: &Members, out: &mut Out) {
        let info = result
            .get("serverInfo")
            .or_else(|| result.get("_meta").and_then(|meta| meta.get(SERVER_INFO)));
        let identity = pins::identity(info, result.get("instructions"));
        let itself = pins::held::of_identity(&identity, &self.known, &self.others);
        self.identity = Some((identity, itself));
        self.take_first_use(None, out);
        self.keep_seen(out);
    }

    /// Who the server says that it is, as the client may know it.
    fn introduced(&mut self, mut result: Members, is_modern: bool, out: &mut Out) -> Members {
        self.met(&result, out);
        let itself = self.identity.as_ref().map(|(_, itself)| itself.clone()).unwrap_or_default();
        if let Some(Value::Object(capabilities)) = result.get_mut("capabilities") {
            capabilities.retain(|name, _| CAPABILITIES.contains(&name.as_str()));
            for name in ["tools", "prompts", "resources"] {
                if let Some(Value::Object(one)) = capabilities.get_mut(name).filter(|_| !is_modern)
                {
                    // The gate says so when something is accepted.
                    one.insert("listChanged".to_owned(), true.into());
                }
            }
        }
        if let Some(Value::Array(versions)) = result.get_mut("supportedVersions") {
            versions.retain(|one| one.as_str().is_some_and(|one| VERSIONS.contains(&one)));
        }
        let allowed = [
            "_meta",
            "cacheScope",
            "capabilities",
            "instructions",
            "protocolVersion",
            "resultType",
            "serverInfo",
            "supportedVersions",
            "ttlMs",
        ];
        result.retain(|name, _| allowed.contains(&name.as_str()));
        if is_modern {
            result.insert("cacheScope".to_owned(), "private".into());
        }
        let others = result.get_mut("_meta").and_then(|meta| meta.get_mut(SERVER_INFO));
        others.into_iter().for_each(plain_version);
        result.get_mut("serverInfo").into_iter().for_each(plain_version);
        let whole = self.held_whole();
        if !whole.is_empty() {
            let name = &self.files.server;
            result.insert("serverInfo".to_owned(), json!({"name": name, "version": "0"}));
            result.remove("_meta");
            result.insert("instructions".to_owned(), self.held_words(&whole).into());
            out.notes.push(format!("all of it is held: {}; {}", whole.join("; "), self.way_out()));
        } else if !itself.instructions.is_empty() {
            let why = itself.instructions.join("; ");
            out.notes.push(format!("its instructions are left out: {why}; {}", self.way_out()));
            result.remove("instructions");
        } else if result
            .get("instructions")
            .is_some_and(|it| it.as_str().is_none_or(|it| it.len() > LONGEST_INSTRUCTIONS))
        {
            result.remove("instructions");
            out.notes.push(
                "its instructions are left out: they are no text of at most 64 KiB".to_owned(),
            );
        }
        shown(result).members
    }

    pub(super) fn server_wants(&mut self, request: Request, out: &mut Out) {
        let Request { id, method, params } = request;
        let refuse = |id: Id, code: i64, words: &str| Frame::from(Answer::error(id, code, words));
        if !self.is_legacy {
            out.server.push(refuse(id, -32600, "requests of servers are no part of this protocol"));
            return;
        }
        let mut params = params.unwrap_or_default();
        match method::wanted(&method) {
            None => out.server.push(refuse(id, -32601, "the gate does not pass this method on")),
            Some(Wanted::Ping) => out.server.push(Answer { id, outcome: Ok(none()) }.into()),
            Some(Wanted::Sample) if !self.samples => out.server.push(refuse(id, CODE, SAMPLING)),
            Some(_) if !self.held_whole().is_empty() => {
                out.server.push(refuse(id, CODE, "nothing of this server is let through"));
            }
            Some(_) if self.of_server.len() >= OPEN_OF_SERVER => {
                out.server.push(refuse(id, CODE, "too many questions are open"));
            }
            Some(Wanted::Roots) if !self.has_roots => {
                out.server.push(refuse(id, -32601, "the client names no directories"));
            }
            Some(wanted @ (Wanted::Roots | Wanted::Elicit | Wanted::Sample)) => {
                let looked = match wanted {
                    Wanted::Elicit => super::ask::label(&mut params, &self.files.server),
                    Wanted::Sample => super::sample::asked(&mut params, &self.desk),
                    Wanted::Ping | Wanted::Roots => {
                        params.clear();
                        Ok(())
                    }
                };
                if let Err(words) = looked {
                    out.server.push(refuse(id, CODE, &words));
                    return;
                }
                self.given.learn_token(&params);
                let own = self.own_id();
                self.of_server.insert(own.clone(), (id, wanted));
                let params = (!params.is_empty()).then_some(params);
                out.client.push(Frame::Request(Request { id: own, method, params }));
            }
        }
    }

    pub(super) fn noted(&mut self, notification: Notification, out: &mut Out) {
        let Notification { method, params } = notification;
        match method::noted(&method) {
            None => {
                self.drop_frame(&format!("`{method}` is no notification that the gate knows"), out)
            }
            Some(Noted::Changed(kinds)) => {
                for kind in kinds {
                    if let Some(list) = self.lists.get_mut(kind) {
                        list.is_fresh = false;
                    }
                }
                // That something changed is all that it tells; what it is now, the list says.
                let params = params.and_then(|params| params.get("_meta").map(own_meta));
                let params = params.map(|meta| Members::from_iter([("_meta".to_owned(), meta)]));
                out.client.push(Frame::Notification(Notification { method, params }));
            }
            Some(Noted::Pass) => {
                if !self.held_whole().is_empty() {
                    self.drop_frame("nothing of this server is let through", out);
                    return;
                }
                if method == "notifications/resources/updated"
                    && self.is_held_resource(params.as_ref())
                {
                    self.drop_frame("it tells of a resource that is held", out);
                    return;
                }
                // The client's own token is no secret, whatever it looks like; it would not know the message without.
                let progress = params.as_ref().and_then(|it| it.get("progressToken")).cloned();
                let progress = progress.filter(|token| self.progress.contains(token));
                let shown = params.map(shown);
                if let Some(shown) = shown.as_ref().filter(|it| it.seen.calls_for_caution()) {
                    self.desk.overheard(&method, &shown.text, &shown.seen);
                }
                let mut params = shown.map(|shown| shown.members);
                if method == "notifications/tasks/status"
                    && let Some(params) = &params
                {
                    self.given.learn(&method, params);
                }
                if let (Some(params), Some(progress)) = (&mut params, progress) {
                    params.insert("progressToken".to_owned(), progress);
                }
                if method == "notifications/cancelled"
                    && let Some(params) = &mut params
                {
                    // The client knows the server's questions by ids of ours.
                    let theirs = params.get("requestId").and_then(Id::read);
                    let own =
                        self.of_server.iter().find(|(_, (id, _))| Some(id) == theirs.as_ref());
                    let Some(own) = own.map(|(own, _)| own.clone()) else { return };
                    self.of_server.remove(&own);
                    params.insert("requestId".to_owned(), own.value());
                }
                out.client.push(Frame::Notification(Notification { method, params }));
            }
        }
    }

    /// The result of a call that its client brought back for nothing.
    pub(super) fn refuse_state(&self, id: Id, words: &str, is_modern: bool) -> Frame {
        refused(id, &format!("portcullis: {words}"), is_modern)
    }
}

/// The code of errors by which a server of the old protocol wants its person to go to an address before it answers.
const ADDRESS_FIRST: i64 = -32_042;

/// Where a server of the new protocol says who it is.
const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";

/// The longest version of a server.
const VERSION: usize = 64;

/// Leaves of a version, which is not held against what was accepted, no more than a version has.
fn plain_version(info: &mut Value) {
    let Some(version) = info.get_mut("version") else { return };
    let is_plain = version.as_str().is_some_and(|text| {
        text.len() <= VERSION
            && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".+-_".contains(&byte))
    });
    if !is_plain {
        *version = "0".into();
    }
}

/// Why servers do not have the client's model write for them.
const SAMPLING: &str = "servers may not have the client's model write for them here";

fn asks_where_none_may(method: &str) -> String {
    format!("portcullis: the server asks for input in answer to `{method}`, which may not")
}

fn result_type(result: &Members) -> &str {
    match result.get("resultType") {
        None => "complete",
        Some(kind) => kind.as_str().unwrap_or(""),
    }
}

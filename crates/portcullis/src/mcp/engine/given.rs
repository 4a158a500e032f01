//! What a server gave its client to name: tasks, further pages of their list, tokens of progress, resources that were subscribed to. Owns which names
//! may come back, and what of all this was put down already.

use std::collections::{HashSet, VecDeque};

use serde_json::Value;

use super::{CODE, Engine, Out, What, plain};
use crate::mcp::frame::{Answer, Members, Notification, Request};

/// How many names of a kind are known. The oldest are forgotten first.
const NAMES: usize = 4_096;

/// Names of each kind.
#[derive(Debug, Default)]
pub(super) struct Given {
    tasks: VecDeque<Value>,
    cursors: VecDeque<Value>,
    tokens: VecDeque<Value>,
    resources: VecDeque<Value>,
    /// What stands in the record: whoever asks the same again tells nothing new.
    told: HashSet<String>,
}

impl Given {
    /// Learns the names in what a server answered, or told.
    pub(super) fn learn(&mut self, method: &str, members: &Members) {
        let of_task = |value: &Value| value.get("taskId").cloned();
        let listed = members.get("tasks").and_then(Value::as_array);
        let tasks = members
            .get("taskId")
            .cloned()
            .into_iter()
            .chain(members.get("task").and_then(of_task))
            .chain(listed.into_iter().flatten().filter_map(of_task));
        for task in tasks.filter(plain::is_name) {
            keep(&mut self.tasks, task);
        }
        if method == "tasks/list"
            && let Some(cursor) = members.get("nextCursor").filter(|it| plain::is_name(it))
        {
            keep(&mut self.cursors, cursor.clone());
        }
    }

    /// Learns by which token the server wants to hear how far its question is.
    pub(super) fn learn_token(&mut self, params: &Members) {
        let token = params.get("_meta").and_then(|meta| meta.get("progressToken"));
        if let Some(token) = token.filter(|it| plain::is_name(it)) {
            keep(&mut self.tokens, token.clone());
        }
    }

    /// Learns that a client may say that it hears no more of a resource.
    pub(super) fn learn_resource(&mut self, params: Option<&Members>) {
        if let Some(uri) = params.and_then(|params| params.get("uri")) {
            keep(&mut self.resources, uri.clone());
        }
    }

    /// Whether each name in the parameters of a request is one that was given.
    ///
    /// # Errors
    /// The name of the parameter that is none.
    fn holds(&self, method: &str, params: &Members) -> Result<(), &'static str> {
        for (name, known) in
            [("taskId", &self.tasks), ("cursor", &self.cursors), ("uri", &self.resources)]
        {
            if params.get(name).is_some_and(|value| !known.contains(value)) {
                return Err(name);
            }
        }
        let names_task =
            matches!(method, "tasks/cancel" | "tasks/get" | "tasks/result" | "tasks/update");
        if names_task && !params.contains_key("taskId") { Err("taskId") } else { Ok(()) }
    }

    /// Whether this is told for the first time.
    fn is_new(&mut self, told: String) -> bool {
        if self.told.len() >= NAMES {
            self.told.clear();
        }
        self.told.insert(told)
    }
}

fn keep(names: &mut VecDeque<Value>, name: Value) {
    if names.contains(&name) {
        return;
    }
    if names.len() >= NAMES {
        names.pop_front();
    }
    names.push_back(name);
}

impl Engine {
    /// Passes on what is neither a call nor a list, without words that nobody judged, and puts it down.
    pub(super) fn plain(&mut self, request: Request, out: &mut Out) {
        let Request { id, method, params } = request;
        let params = match plain::of_request(&method, params) {
            Ok(params) => params,
            Err(words) => {
                out.client.push(Answer::error(id, -32602, &words).into());
                return;
            }
        };
        let held = self.held_whole();
        if method == "ping" {
            self.pass(Request { id, method, params }, What::Pass, out);
            return;
        }
        if !held.is_empty() {
            let answer = if method == "logging/setLevel" {
                // Clients ask this when they begin; what is held logs nothing.
                Answer { id, outcome: Ok(super::none()) }
            } else {
                Answer::error(id, CODE, &self.held_words(&held))
            };
            out.client.push(answer.into());
            return;
        }
        if let Err(name) = self.given.holds(&method, params.as_ref().unwrap_or(&super::none())) {
            let words = format!(
                "`{name}` must be one that this server gave since the gate was started before it"
            );
            out.client.push(Answer::error(id, -32602, &words).into());
            return;
        }
        if let Err(why) = self.put_down_told(&method, params.as_ref()) {
            out.client.push(Answer::error(id, CODE, &why).into());
            return;
        }
        self.pass(Request { id, method, params }, What::Pass, out);
    }

    /// Whether a notification of the client goes on: it names nothing that the server did not give, and stands in the record.
    pub(super) fn may_tell(&mut self, notification: &Notification, out: &mut Out) -> bool {
        let Notification { method, params } = notification;
        let token = params.as_ref().and_then(|params| params.get("progressToken"));
        let why = if method == "notifications/progress"
            && token.is_none_or(|token| !self.given.tokens.contains(token))
        {
            Err("its token is none of the server's".to_owned())
        } else {
            // How far something is changes all the time: that it is told, once.
            let params = params.clone().map(|mut params| {
                params.retain(|name, _| !matches!(name.as_str(), "progress" | "total"));
                params
            });
            self.put_down_told(method, params.as_ref())
        };
        if let Err(why) = &why {
            out.notes.push(format!("a notification of the client was dropped: `{method}`: {why}"));
        }
        why.is_ok()
    }

    /// Puts down that a message which is no call goes on, where that is new.
    ///
    /// # Errors
    /// Why it may not.
    pub(super) fn put_down_told(
        &mut self,
        method: &str,
        params: Option<&Members>,
    ) -> Result<(), String> {
        let said = params.cloned().map(|mut params| {
            params.remove("_meta");
            params
        });
        let said = serde_json::to_string(&said.unwrap_or_default()).unwrap_or_default();
        if self.given.is_new(format!("{method} {said}")) {
            self.desk.told(method, &said)
        } else {
            Ok(())
        }
    }
}

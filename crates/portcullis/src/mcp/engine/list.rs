//! Listing. Owns that a list is read whole from the server before any of it goes on, what of it does, and who waits for it meanwhile.
//!
//! A client's own listing is always read anew; a call waits for one where none was read, or something says that it changed. A list that a
//! client kept brings nothing back: what it calls is held against what the server shows now.

use std::time::Instant;

use serde_json::{Value, json};

use super::{CODE, Engine, List, OPEN, Out, PATIENCE, modern_meta, none, own_meta, tool_of_ours};
use crate::{
    mcp::{
        frame::{Answer, Frame, Id, Members, Request},
        method::Kind,
    },
    pins::accepted_on_first_use,
};

/// The most pages, entries and bytes of one listing.
const PAGES: usize = 100;
const ENTRIES: usize = 5_000;
const BYTES: usize = 24 << 20;

/// A listing that is being read.
pub(super) struct Loading {
    own: Id,
    /// The request for it, until the server said who it is.
    unasked: Option<Request>,
    since: Instant,
    pages: usize,
    bytes: usize,
    entries: Vec<Value>,
    beside: Members,
    meta: Option<Value>,
    /// The requests that go on when it is read.
    pub(super) waiting: Vec<Request>,
}

impl Engine {
    /// Goes on with a request when the list of a kind is known.
    pub(super) fn with_list(&mut self, kind: Kind, request: Request, out: &mut Out) {
        if self.lists.get(&kind).is_some_and(|list| list.is_fresh) {
            self.go_on(kind, request, out);
        } else {
            self.load(kind, request, out);
        }
    }

    /// Reads a list from the server, for a request that waits for it.
    pub(super) fn load(&mut self, kind: Kind, request: Request, out: &mut Out) {
        let params = request.params.as_ref();
        if request.method == kind.list()
            && params
                .is_some_and(|params| params.get("cursor").is_some_and(|cursor| !cursor.is_null()))
        {
            let words = "the gate lists everything at once, and gave no cursor";
            out.client.push(Answer::error(request.id, -32602, words).into());
            return;
        }
        if let Some(loading) = self.loading.get_mut(&kind) {
            if loading.waiting.len() < OPEN {
                loading.waiting.push(request);
            } else {
                out.client.push(Answer::error(request.id, -32600, "too many requests wait").into());
            }
            return;
        }
        let meta = modern_meta(params).map(own_meta);
        if meta.is_some() && self.identity.is_none() && self.discovering.is_none() {
            let discover = self.own_request("server/discover", none(), meta.clone());
            self.discovering = Some(discover.id.clone());
            out.server.push(Frame::Request(discover));
        }
        let own = self.own_request(kind.list(), none(), meta.clone());
        let waits = self.discovering.is_some();
        self.loading.insert(
            kind,
            Loading {
                own: own.id.clone(),
                unasked: waits.then(|| own.clone()),
                since: Instant::now(),
                pages: 0,
                bytes: 0,
                entries: Vec::new(),
                beside: none(),
                meta,
                waiting: vec![request],
            },
        );
        if !waits {
            out.server.push(Frame::Request(own));
        }
    }

    /// Takes an answer to a request of ours; whether it was one.
    pub(super) fn own_answered(&mut self, answer: &Answer, out: &mut Out) -> bool {
        if self.discovering.as_ref() == Some(&answer.id) {
            self.discovering = None;
            match &answer.outcome {
                Ok(result) => self.met(result, out),
                // Who was somebody when it was accepted, and does not say so now, is nobody.
                Err(_) if self.known.pins().is_some_and(|pins| pins.identity.is_some()) => {
                    self.met(&none(), out);
                }
                Err(_) => {}
            }
            // Nothing of a server is listed before it said who it is.
            for loading in self.loading.values_mut() {
                out.server.extend(loading.unasked.take().map(Frame::Request));
            }
            return true;
        }
        let kind = self.loading.iter().find(|(_, loading)| loading.own == answer.id);
        let Some(kind) = kind.map(|(kind, _)| *kind) else { return false };
        let Some(mut loading) = self.loading.remove(&kind) else { return false };
        let result = match &answer.outcome {
            Ok(result) => result,
            Err(error) => {
                self.listing_failed(kind, loading, error.clone(), out);
                return true;
            }
        };
        if let Err(words) = loading.add(kind, result) {
            out.notes.push(format!("{}: {words}", kind.list()));
            let error = json!({"code": CODE, "message": format!("portcullis: {words}")});
            self.listing_failed(kind, loading, error.as_object().cloned().unwrap_or_default(), out);
            return true;
        }
        match result.get("nextCursor").filter(|cursor| !cursor.is_null()) {
            Some(cursor) => {
                let mut params = none();
                params.insert("cursor".to_owned(), cursor.clone());
                let own = self.own_request(kind.list(), params, loading.meta.clone());
                loading.own = own.id.clone();
                self.loading.insert(kind, loading);
                out.server.push(Frame::Request(own));
            }
            None => self.listed(kind, loading, out),
        }
        true
    }

    /// A list was read whole.
    fn listed(&mut self, kind: Kind, loading: Loading, out: &mut Out) {
        let Loading { entries, beside, waiting, .. } = loading;
        let (listed, nameless) =
            super::against(kind, entries, (&self.known, &self.others), self.repeats);
        if nameless > 0 {
            out.notes.push(format!(
                "{nameless} entries of `{}` without a name were left out",
                kind.list()
            ));
        }
        let is_first = self.known.pins().is_some_and(|pins| pins.is_first_use(kind));
        let is_clear = self.held_whole().is_empty();
        self.lists.insert(kind, List { listed, beside, is_fresh: true });
        if is_first && is_clear {
            self.take_first_use(Some(kind), out);
        }
        if kind == Kind::Tool {
            self.learn();
        }
        self.keep_seen(out);
        let held = self.held_of(kind);
        if held > 0 {
            out.notes.push(format!("{held} of `{}` are held; {}", kind.list(), self.way_out()));
        }
        for request in waiting {
            if request.method == kind.list() {
                let answer = self.list_answer(kind, request);
                out.client.push(answer);
            } else {
                self.go_on(kind, request, out);
            }
        }
    }

    /// Takes what is shown at first, where a person put the proxy here.
    pub(super) fn take_first_use(&mut self, kind: Option<Kind>, out: &mut Out) {
        let identity = self.identity.as_ref().filter(|(_, itself)| itself.server.is_empty());
        let identity = identity.map(|(identity, itself)| {
            let mut taken = identity.clone();
            if let Some(instructions) = taken.get_mut("instructions").filter(|_| !itself.is_clear())
            {
                *instructions = Value::Null;
            }
            taken
        });
        let listing = kind.and_then(|kind| Some((kind, self.lists.get(&kind)?.listed.as_slice())));
        let taken =
            accepted_on_first_use(&self.files, &self.definition, identity.as_ref(), listing);
        match taken {
            Ok(None) => {}
            Ok(Some(accepted)) => {
                let by = self.known.pins().and_then(|pins| pins.first_use.clone());
                let by = by.map_or_else(String::new, |signed| signed.by);
                let reason = format!(
                    "server `{}`: {} on first use; all that is accepted: {}",
                    self.files.server,
                    accepted.names.join(", "),
                    accepted.digest
                );
                self.desk.changed(&by, "mcp accepted", &reason);
                self.stamp = None;
                self.look_at_pins(&mut Out::default());
            }
            Err(error) => out.notes.push(format!("what was shown first cannot be kept: {error}")),
        }
    }

    fn held_of(&self, kind: Kind) -> usize {
        let listed = self.lists.get(&kind).map(|list| list.listed.as_slice()).unwrap_or_default();
        listed.iter().filter(|one| !one.held.is_empty()).count()
    }

    /// The list as the client sees it: what is accepted, and for tools one of ours that says what is not.
    fn list_answer(&self, kind: Kind, request: Request) -> Frame {
        let is_modern = modern_meta(request.params.as_ref()).is_some();
        let whole = self.held_whole();
        let list = self.lists.get(&kind);
        let listed = list.map(|list| list.listed.as_slice()).unwrap_or_default();
        let passing = listed.iter().filter(|one| one.held.is_empty() && whole.is_empty());
        let mut entries: Vec<Value> = passing.map(|one| one.entry.clone()).collect();
        let held: usize = if kind == Kind::Tool { listed.len() - entries.len() } else { 0 };
        if held > 0 || kind == Kind::Tool && !whole.is_empty() {
            entries.push(tool_of_ours(held.max(1), &self.way_out()));
        }
        let mut members = list.map(|list| list.beside.clone()).unwrap_or_default();
        members.insert(kind.members().to_owned(), Value::Array(entries));
        if is_modern {
            members.insert("resultType".to_owned(), "complete".into());
            // What is held is held for this user.
            members.insert("cacheScope".to_owned(), "private".into());
            members.entry("ttlMs").or_insert_with(|| 0.into());
        }
        Answer { id: request.id, outcome: Ok(members) }.into()
    }

    fn listing_failed(&mut self, kind: Kind, loading: Loading, error: Members, out: &mut Out) {
        let is_unknown = error.get("code").and_then(Value::as_i64) == Some(-32601);
        let error = crate::mcp::result::shown(error).members;
        for request in loading.waiting {
            if request.method == kind.list() {
                out.client.push(Answer { id: request.id, outcome: Err(error.clone()) }.into());
            } else if kind == Kind::Resource && is_unknown {
                // A server may have resources and no list of them.
                self.go_on(kind, request, out);
            } else {
                let words = format!(
                    "portcullis: the server does not say what it has: `{}` failed",
                    kind.list()
                );
                out.client.push(Answer::error(request.id, CODE, &words).into());
            }
        }
    }

    /// Gives up on listings that take too long.
    pub(super) fn look_at_loading(&mut self, now: Instant, out: &mut Out) {
        let late: Vec<Kind> = self
            .loading
            .iter()
            .filter(|(_, loading)| now.duration_since(loading.since) > PATIENCE)
            .map(|(kind, _)| *kind)
            .collect();
        for kind in late {
            let Some(loading) = self.loading.remove(&kind) else { continue };
            let words = format!("portcullis: the server did not answer `{}` in time", kind.list());
            let error = json!({"code": CODE, "message": words});
            self.listing_failed(kind, loading, error.as_object().cloned().unwrap_or_default(), out);
        }
    }
}

impl Loading {
    /// Adds a page.
    fn add(&mut self, kind: Kind, page: &Members) -> Result<(), String> {
        let Some(Value::Array(entries)) = page.get(kind.members()) else {
            return Err(format!("the server gave no list of `{}`", kind.members()));
        };
        self.pages += 1;
        self.bytes += serde_json::to_vec(entries).map_or(BYTES, |bytes| bytes.len());
        self.entries.extend(entries.iter().cloned());
        if self.pages > PAGES || self.entries.len() > ENTRIES || self.bytes > BYTES {
            return Err(format!(
                "the list is longer than {PAGES} pages, {ENTRIES} entries or {BYTES} bytes"
            ));
        }
        // Of what stands beside the entries, what says how long they hold is all that goes on.
        if let Some(time) = page.get("ttlMs").and_then(Value::as_u64) {
            let least =
                self.beside.get("ttlMs").and_then(Value::as_u64).map_or(time, |it| it.min(time));
            self.beside.insert("ttlMs".to_owned(), least.into());
        }
        Ok(())
    }
}

//! Asking the client's person, and calls that wait. Owns both ways there: a question of the old protocol, and a result of the new one that is
//! brought back with its answer; and what a server's own questions must be before a person sees them.

use std::time::{Duration, Instant};

use portcullis_core::{inspect::inspect, secrets::is_private_name, tool::skeleton};
use serde_json::{Value, json};

use super::{Engine, Open, Out, What, client::elicits_now, modern_meta, none, reads::may_be_asked};
use crate::mcp::{
    desk::{Asking, Ruling},
    frame::{Answer, Frame, Id, Members, Request},
    method::Kind,
    seal::{About, Broken},
};

/// Under which name the gate's own question stands among those of a result.
pub(super) const OUR_QUESTION: &str = "portcullis";

/// The most calls that wait at once.
const WAITING: usize = 256;

/// How long a client's person is waited for.
const PERSON: Duration = Duration::from_secs(300);

/// The longest question of a server, and the most fields of one.
const LONGEST: usize = 4_000;
const FIELDS: usize = 32;

/// A call that waits for somebody.
pub(super) struct Waiting {
    asking: Asking,
    request: Request,
    about: About,
    /// The question to the client, where it was asked.
    question: Option<Id>,
    until: Instant,
}

impl Waiting {
    pub(super) fn into_id(self) -> Id {
        self.request.id
    }

    pub(super) fn is_of(&self, id: &Id) -> bool {
        self.request.id == *id
    }
}

impl Engine {
    /// A call asks: the client's person where the client can ask and the risk lets it, else whoever looks at what waits.
    pub(super) fn asks(&mut self, asking: Asking, request: Request, about: About, out: &mut Out) {
        let meta = modern_meta(request.params.as_ref());
        if may_be_asked(&request) && asking.is_for_client() && elicits_now(meta) {
            let answer = match self.sealed(&asking, about) {
                Ok(result) => Answer { id: request.id, outcome: Ok(result) }.into(),
                Err(words) => self.refuse_state(request.id, &words, true),
            };
            out.client.push(answer);
            return;
        }
        let kind = kind_of(&request);
        if self.waiting.len() >= WAITING {
            let answer = self.no(request.id, kind, &asking.words(), meta.is_some());
            out.client.push(answer);
            return;
        }
        let now = Instant::now();
        let (mut question, mut until) = (None, now + self.wait);
        if meta.is_none() && self.elicits && asking.is_for_client() {
            let own = self.own_id();
            let params = form(&asking.question);
            out.client.push(Frame::Request(Request {
                id: own.clone(),
                method: "elicitation/create".to_owned(),
                params: params.as_object().cloned(),
            }));
            (question, until) = (Some(own), now + PERSON.max(self.wait));
        } else if self.wait.is_zero() {
            let answer = self.no(request.id, kind, &asking.words(), meta.is_some());
            out.client.push(answer);
            return;
        }
        self.waiting.push(Waiting { asking, request, about, question, until });
    }

    /// The result that asks the client's person, with what it has to bring back.
    fn sealed(&self, asking: &Asking, about: About) -> Result<Members, String> {
        let seal = self.seal.close(about, Some(asking.id.to_string()), None);
        let (state, _) = seal.map_err(|error| format!("nothing can be sealed: {error}"))?;
        let mut members = none();
        members.insert("resultType".to_owned(), "input_required".into());
        members.insert("requestState".to_owned(), state.into());
        let question = json!({OUR_QUESTION: {"method": "elicitation/create", "params": form(&asking.question)}});
        members.insert("inputRequests".to_owned(), question);
        Ok(members)
    }

    /// A call comes again, with what was sealed for it.
    pub(super) fn comes_again(
        &mut self,
        (tool, arguments): (String, Members),
        mut request: Request,
        about: About,
        out: &mut Out,
    ) {
        let is_modern = modern_meta(request.params.as_ref()).is_some();
        let params = request.params.get_or_insert_with(none);
        let state = params.get("requestState").and_then(Value::as_str).unwrap_or_default();
        let opened = self.seal.open(state, &about);
        let state = match opened {
            Ok(state) => state,
            // What fails the seal is no call of a model's that it could make better.
            Err(broken @ Broken::Forged) => {
                let answer = Answer::error(request.id, -32602, &format!("portcullis: {broken}"));
                out.client.push(answer.into());
                return;
            }
            Err(broken) => {
                out.client.push(self.refuse_state(request.id, &broken.to_string(), is_modern));
                return;
            }
        };
        if state.approval.is_none() {
            let known = self.continuing.iter().position(|(nonce, _)| *nonce == state.nonce);
            match state.inner {
                Some(inner) => drop(params.insert("requestState".to_owned(), inner.into())),
                None => drop(params.remove("requestState")),
            }
            super::sample::answered_in(params);
            match known.and_then(|at| self.continuing.remove(at)) {
                Some((_, passing)) => {
                    // Once, for just this call: it was judged, and its server asked back.
                    let open = Open {
                        what: What::Call(passing, Box::new(about)),
                        method: request.method.clone(),
                        is_modern,
                    };
                    self.open.insert(request.id.clone(), open);
                    out.server.push(Frame::Request(request));
                }
                None => {
                    let ruling = self.desk.judge(&tool, arguments);
                    self.ruled(ruling, request, about, out);
                }
            }
            return;
        }
        let answer = params.get("inputResponses").and_then(|all| all.get(OUR_QUESTION)).cloned();
        params.remove("requestState");
        params.remove("inputResponses");
        // The request of before is found again by the call itself; the answer counts for that one alone.
        let ruling = match self.desk.judge(&tool, arguments) {
            Ruling::Asks(asking) if state.approval == Some(asking.id.to_string()) => {
                self.answered(*asking, answer.as_ref())
            }
            other => other,
        };
        self.ruled(ruling, request, about, out);
    }

    /// Takes what a client answered to the gate's question.
    fn answered(&mut self, asking: Asking, answer: Option<&Value>) -> Ruling {
        let Some(approves) = answer.and_then(word) else { return Ruling::Asks(Box::new(asking)) };
        let client = self.client.clone();
        match self.desk.client_says(&asking, &client, approves) {
            Ok(()) if approves => self.desk.take_up(asking),
            Ok(()) => Ruling::No("a person said no".to_owned()),
            Err(why) => Ruling::No(why),
        }
    }

    /// An answer of the client to a question of ours, of the old protocol.
    pub(super) fn client_decides(&mut self, answer: Answer, out: &mut Out) {
        let at = self.waiting.iter().position(|one| one.question.as_ref() == Some(&answer.id));
        let Some(at) = at else {
            out.notes.push(
                "an answer of the client was dropped: it answers nothing that is open".to_owned(),
            );
            return;
        };
        let mut waiting = self.waiting.swap_remove(at);
        let said = answer.outcome.ok().map(Value::Object);
        match said.as_ref().and_then(word) {
            // Put away without an answer: whoever looks at what waits may still say so.
            None => {
                waiting.question = None;
                waiting.until = Instant::now() + self.wait;
                self.waiting.push(waiting);
            }
            Some(_) => {
                let Waiting { asking, request, about, .. } = waiting;
                let ruling = self.answered(asking, said.as_ref());
                self.ruled(ruling, request, about, out);
            }
        }
    }

    /// Looks whether somebody decided.
    pub(super) fn look_at_waiting(&mut self, now: Instant, out: &mut Out) {
        for waiting in std::mem::take(&mut self.waiting) {
            let is_modern = modern_meta(waiting.request.params.as_ref()).is_some();
            let kind = kind_of(&waiting.request);
            match self.desk.decided(&waiting.asking) {
                None if now < waiting.until => self.waiting.push(waiting),
                None => {
                    let answer =
                        self.no(waiting.request.id, kind, &waiting.asking.words(), is_modern);
                    out.client.push(answer);
                }
                Some(Ok(())) => {
                    let Waiting { asking, request, about, .. } = waiting;
                    let ruling = self.desk.take_up(asking);
                    self.ruled(ruling, request, about, out);
                }
                Some(Err(why)) => {
                    let words = format!("portcullis: denied: {why}");
                    let answer = self.no(waiting.request.id, kind, &words, is_modern);
                    out.client.push(answer);
                }
            }
        }
    }
}

/// Whether a person said yes or no; nothing where they said neither.
fn word(answer: &Value) -> Option<bool> {
    let approves = || answer.get("content")?.get("approve")?.as_bool();
    match answer.get("action").and_then(Value::as_str)? {
        "accept" => Some(approves() == Some(true)),
        "decline" => Some(false),
        _ => None,
    }
}

/// The question as a form.
fn form(question: &str) -> Value {
    json!({
        "mode": "form",
        "message": question,
        "requestedSchema": {
            "type": "object",
            "properties": {"approve": {
                "type": "boolean",
                "title": "Let this one call go on",
                "description": "Once, for exactly these arguments",
                "default": false,
            }},
            "required": ["approve"],
        },
    })
}

fn kind_of(request: &Request) -> Kind {
    if request.method == "tools/call" { Kind::Tool } else { Kind::Resource }
}

/// The members of a question that a client knows what to do with.
const MEMBERS: &[&str] =
    &["_meta", "elicitationId", "message", "mode", "requestedSchema", "task", "url"];

/// Makes a server's question fit to be asked: it says who asks, and asks for nothing that belongs to nobody but the person.
///
/// # Errors
/// Why it is not asked.
pub(super) fn label(params: &mut Members, server: &str) -> Result<(), String> {
    let message = params.get("message").and_then(Value::as_str).unwrap_or_default();
    if message.len() > LONGEST {
        return Err("the server's question is too long".to_owned());
    }
    if !inspect(message).planted.is_empty() {
        return Err("the server's question speaks to a model".to_owned());
    }
    if skeleton(message).contains(&skeleton("portcullis")) {
        return Err("the server's question speaks of the gate, which asks for itself".to_owned());
    }
    let asks_in_words = asks_for_secret(message);
    let shown = crate::report::visible::lines(message);
    // Empty lines would push what stands before them out of sight.
    let lines: Vec<&str> = shown.lines().filter(|line| !line.trim().is_empty()).collect();
    let message = format!(
        "The MCP server `{}` asks (not Portcullis, and not your client): {}",
        crate::report::visible::line(server),
        lines.join("\n")
    );
    params.retain(|name, _| MEMBERS.contains(&name.as_str()));
    match params.get("mode").and_then(Value::as_str) {
        None | Some("form") => {
            params.remove("url");
            fits_form(params.get("requestedSchema"))?;
            if asks_in_words {
                return Err(SECRET.to_owned());
            }
        }
        Some("url") => {
            let url = params.get("url").and_then(Value::as_str).unwrap_or_default();
            let host = leads_to(url)?;
            params.insert(
                "message".to_owned(),
                format!("{message}\nIt leads to the host {host}.").into(),
            );
            return Ok(());
        }
        Some(_) => return Err("the server asks in a way that the gate does not know".to_owned()),
    }
    params.insert("message".to_owned(), message.into());
    Ok(())
}

/// Why a form is not shown.
const SECRET: &str = "the server asks for a secret in a form, which nobody should fill in";

/// Whether a form asks for no secret, in any field and any word of it.
fn fits_form(schema: Option<&Value>) -> Result<(), String> {
    let fields = match schema.and_then(|schema| schema.get("properties")) {
        None => {
            return schema.filter(|it| says_so(it, 0)).map_or(Ok(()), |_| Err(SECRET.to_owned()));
        }
        Some(Value::Object(fields)) => fields,
        Some(_) => return Err("the fields of the server's question cannot be read".to_owned()),
    };
    if fields.len() > FIELDS {
        return Err("the server's question has too many fields".to_owned());
    }
    if schema.is_some_and(|schema| says_so(schema, 0)) {
        return Err(SECRET.to_owned());
    }
    Ok(())
}

/// The host that a server sends a person to, where nobody else is behind it than it says, and it is none inside the person's own network.
fn leads_to(url: &str) -> Result<String, String> {
    let target = portcullis_core::network::Target::read(url);
    let target = target.map_err(|error| format!("the server's address cannot be read: {error}"))?;
    let host = target.host().to_string();
    if !url.starts_with("https://") {
        return Err("the server sends a person to an address that is not encrypted".to_owned());
    }
    if target.has_userinfo() || url.contains('\\') {
        return Err(format!(
            "the server sends a person to `{host}` by an address that reads as another one"
        ));
    }
    if !host.is_ascii() || host.split('.').any(|part| part.starts_with("xn--")) {
        return Err(format!(
            "the server sends a person to `{host}`, whose letters may be others than they look"
        ));
    }
    let is_inside = target.address().map_or_else(
        || portcullis_core::network::inside(&host).is_some(),
        |address| !portcullis_core::network::classify(address).is_public(),
    );
    if is_inside {
        return Err(format!(
            "the server sends a person to `{host}`, which is inside a private network"
        ));
    }
    Ok(host)
}

/// How deep a field of a form is looked through; what is deeper asks for who knows what.
const DEEP: usize = 10;

/// Whether a name or a text within a form asks for what opens an account.
fn says_so(field: &Value, depth: usize) -> bool {
    match field {
        _ if depth > DEEP => true,
        Value::String(text) => asks_for_secret(text),
        Value::Array(items) => items.iter().any(|item| says_so(item, depth + 1)),
        Value::Object(members) => members.iter().any(|(name, member)| {
            is_private_name(name) || asks_for_secret(name) || says_so(member, depth + 1)
        }),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// Whether words ask for what opens an account, as a reader sees them.
fn asks_for_secret(text: &str) -> bool {
    const SECRETS: &[&str] = &[
        "accesstoken",
        "apikey",
        "authcode",
        "bankpin",
        "cardnumber",
        "clavesecreta",
        "codepin",
        "codewejust",
        "codewesent",
        "contraseña",
        "credential",
        "cvv",
        "digitcode",
        "einmalcode",
        "hasło",
        "kennwort",
        "mnemonicphrase",
        "motdepasse",
        "onetimecode",
        "passcode",
        "passphrase",
        "passwd",
        "password",
        "passwort",
        "pincode",
        "privatekey",
        "recoveryphrase",
        "recoverywords",
        "secretkey",
        "securitycode",
        "seedphrase",
        "senha",
        "socialsecurity",
        "verificationcode",
        "wachtwoord",
        "пароль",
        "パスワード",
        "密码",
        "密碼",
        "비밀번호",
    ];
    // What is written with blanks, points, hyphens or letters that look alike between them reads the same.
    let seen = skeleton(text);
    let lower = text.to_lowercase();
    SECRETS.iter().any(|secret| seen.contains(&skeleton(secret)) || lower.contains(secret))
}

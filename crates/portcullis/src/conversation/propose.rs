//! What a model is offered and what it proposes. Owns which tools there are, how a call becomes an action of the conversation, and the calls
//! that only speak to whoever runs it; whether one may run, the tool box says.

use portcullis_core::{
    action::Action,
    call::ToolCall,
    conversation::{Event, Noted, Proposed, Stopped},
    decision::Verdict,
    guardian::{
        Json,
        inline::{self, Extraction, Insertion},
    },
    monitor::End,
    policy::Mode,
    risk::Risk,
};
use serde_json::{Map, Value, json};

use super::{
    ConversationError,
    engine::{DEEPEST, Engine, PART, PLAN},
    thread::{Live, Thread, clean, kept},
    turn::{Called, Reply},
    wire::json_of,
};
use crate::tools::Looked;

/// The longest arguments that are kept of a call that is stopped.
const LONGEST_STOPPED: usize = 16 << 10;

impl Engine {
    /// The tools that the model is offered, with what it is to say about each call.
    pub(super) fn offered(&self, depth: usize) -> Vec<Json> {
        let registry = self.toolbox.registry();
        let allowed = registry.allowed_tools(&self.identity.permissions);
        let mut tools: Vec<Json> = Vec::new();
        for tool in allowed.iter().filter_map(|name| registry.get(name)) {
            let mut described = tool.described();
            if tool.read_only
                && let Some(members) = described.as_object_mut()
            {
                members.insert("annotations".to_owned(), json!({"readOnlyHint": true}));
            }
            // A tool whose schema cannot take the words is offered without them: nobody is asked to believe them.
            let plain = json_of(&described);
            tools.push(inline::insert(plain.clone(), Insertion::default()).unwrap_or(plain));
        }
        let mut inner = |name: &str, help: &str, field: &str, about: &str| {
            tools.push(json_of(&json!({
                "name": name,
                "description": help,
                "input_schema": {
                    "type": "object",
                    "properties": {field: {"type": "string", "description": about}},
                    "required": [field],
                    "additionalProperties": false,
                },
            })));
        };
        inner("think", "Notes a thought. Nothing happens.", "thought", "The thought");
        inner("finish", "Says that you are done.", "message", "What you did, and what is missing");
        if self.toolbox.session().mode() == Some(Mode::Plan) && depth == 0 {
            inner(
                PLAN,
                "Presents your plan to the person. Once they accept it, you may carry it out.",
                "plan",
                "The plan",
            );
        }
        if depth < DEEPEST {
            inner(
                PART,
                "Gives a part of the task to another agent with the same tools, under the same limits, and answers with what it says in the end.",
                "task",
                "The part, with everything that has to be known for it",
            );
        }
        tools
    }

    /// Judges what the model calls, and keeps it.
    pub(super) fn propose(
        &mut self,
        thread: &mut Thread,
        reply: Reply,
        tokens: u64,
        depth: usize,
    ) -> Result<(), ConversationError> {
        let first = thread.state.actions();
        let mut actions = Vec::new();
        for (action, called) in (first..).zip(reply.calls) {
            let is_last = called.tool == "finish";
            let (mut proposed, live) = self.proposed(action, called, &reply.text, depth);
            if proposed.stopped.is_some() {
                bound(&mut proposed);
            }
            if let Some(live) = live {
                thread.live.insert(action, live);
            }
            actions.push(proposed);
            // Whatever it calls after it says that it is done is no call.
            if is_last {
                break;
            }
        }
        self.put(thread, Event::Batch { text: reply.text, actions, tokens })
    }

    /// An action of a call, judged.
    fn proposed(
        &mut self,
        action: u64,
        called: Called,
        thought: &str,
        depth: usize,
    ) -> (Proposed, Option<Live>) {
        let Called { id, tool, arguments } = called;
        let mut proposed = Proposed { call: id, ..Proposed::new(action, &tool) };
        let mut wrong = |engine: &mut Self, message: String| {
            engine.count(&tool, &message, End::Blocked);
            let code = "invalid_parameters".to_owned();
            proposed.stopped = Some(Stopped { code, message, fatal: false });
            (proposed.clone(), None)
        };
        if tool == PLAN && depth == 0 && self.toolbox.session().mode() != Some(Mode::Plan) {
            return wrong(self, "no plan is asked for: do what is to be done".to_owned());
        }
        if tool == PART && depth >= DEEPEST {
            return wrong(self, "parts are not given away any deeper: do it yourself".to_owned());
        }
        let mut arguments = match arguments {
            Ok(arguments) => arguments,
            Err(message) => return wrong(self, message),
        };
        let registered = self.toolbox.registry().get(&tool);
        let options = Extraction {
            reads_only: registered.is_some_and(|tool| tool.read_only),
            is_wanted: true,
            owns_summary: registered
                .is_some_and(|tool| tool.schema.names().any(|name| name == inline::SUMMARY_NAME)),
        };
        let said = match inline::extract(&tool, &mut arguments, options) {
            Ok(said) => said,
            Err(error) => return wrong(self, error.to_string()),
        };
        let (clean, withheld) = kept(&arguments);
        proposed.arguments = clean;
        proposed.withheld = withheld;
        proposed.summary = said.summary.clone();
        proposed.claimed = (said.risk != Risk::Unknown).then_some(said.risk);
        let call = ToolCall {
            id: Some(proposed.call.clone()),
            tool: tool.clone(),
            arguments,
            thought: Some(thought.to_owned()).filter(|thought| !thought.is_empty()),
            summary: said.summary,
            declared_risk: Some(said.risk),
            ..ToolCall::default()
        };
        if let Some(field) = self.inner(&tool, depth) {
            self.judge_inner(&mut proposed, &call, field);
            let live = (proposed.verdict != Verdict::Deny).then_some(Live { call, looked: None });
            return (proposed, live);
        }
        match self.toolbox.look(call.clone(), &self.identity) {
            Ok(looked) => {
                judged(&mut proposed, &looked);
                (proposed, Some(Live { call, looked: Some(looked) }))
            }
            Err(answer) => {
                proposed.risk = answer.risk;
                proposed.stopped = Some(Stopped::from(&*answer));
                (proposed, None)
            }
        }
    }

    /// The one field of a tool that only speaks to us; nothing for a tool that is none of those here.
    fn inner(&self, tool: &str, depth: usize) -> Option<&'static str> {
        match tool {
            "think" => Some("thought"),
            "finish" => Some("message"),
            PLAN if depth == 0 && self.toolbox.session().mode() == Some(Mode::Plan) => Some("plan"),
            PART if depth < DEEPEST => Some("task"),
            _ => None,
        }
    }

    fn judge_inner(&mut self, proposed: &mut Proposed, call: &ToolCall, field: &str) {
        let is_text = matches!(call.arguments.get(field), Some(Value::String(_)));
        let end = if is_text { End::Done } else { End::Blocked };
        let what = Value::Object(call.arguments.clone()).to_string();
        self.count(&call.tool, &what, end);
        let action = Action::from_call(call.clone()).ok().filter(|_| is_text);
        match action {
            Some(action) => {
                proposed.hash = action.id();
                proposed.verdict = if call.tool == PLAN { Verdict::Ask } else { Verdict::Allow };
                if call.tool == PLAN {
                    proposed
                        .reasons
                        .push("a plan is carried out only once it is accepted".to_owned());
                }
            }
            None => {
                let message = format!("`{field}` has to be a text");
                let code = "invalid_parameters".to_owned();
                proposed.stopped = Some(Stopped { code, message, fatal: false });
            }
        }
    }
}

/// What does not run is not kept at any length.
fn bound(proposed: &mut Proposed) {
    let length = Value::Object(proposed.arguments.clone()).to_string().len();
    if length > LONGEST_STOPPED {
        let words = format!("{length} bytes");
        proposed.arguments = Map::from_iter([("left_out".to_owned(), Value::String(words))]);
        proposed.withheld = true;
    }
}

/// What was found, as it is kept.
pub(super) fn judged(proposed: &mut Proposed, looked: &Looked) {
    let judged = looked.judged();
    let assessment = &judged.judgement.assessment;
    proposed.hash = judged.action.id();
    proposed.files = judged.seal();
    proposed.verdict = looked.verdict();
    proposed.risk = Some(assessment.risk);
    let noted = |finding: &portcullis_core::finding::Finding| Noted {
        rule: finding.rule.to_owned(),
        severity: finding.severity,
        message: clean(&finding.message),
    };
    proposed.findings = assessment.findings.iter().take(16).map(noted).collect();
    proposed.reasons = if proposed.verdict == Verdict::Ask {
        let own = looked.reasons().iter();
        let mut reasons: Vec<String> = own.cloned().collect();
        for reason in &judged.judgement.decision.reasons {
            if !reasons.contains(reason) {
                reasons.push(reason.clone());
            }
        }
        reasons
    } else {
        Vec::new()
    };
    proposed.policy.clone_from(&judged.regime.configuration.policy_id);
    proposed.record = judged.sequence;
}

//! How a request reaches whoever decides. Owns what a handler is, and those that decide by themselves or ask somebody on the spot; the
//! time they have, the gate enforces, and whose word counts, the store.

use std::sync::Arc;

use portcullis_core::{call::ToolCall, risk::Severity};

use super::request::Question;
use crate::confirmation::Responder;

/// Somebody, or something, that decides on requests. It may take as long as it likes: after the request's time nobody listens.
pub trait Handler: Send + Sync {
    /// The name under which the record knows it.
    fn name(&self) -> &str;

    /// Decides.
    ///
    /// # Errors
    /// [`HandlerError`], which is a no and is told as one.
    fn handle(&self, question: &Question) -> Result<Said, HandlerError>;
}

/// What a handler says.
#[derive(Clone, Debug, PartialEq)]
pub enum Said {
    /// A rule of the handler's own decides; nobody looked.
    Automatic {
        /// Yes or no.
        approves: bool,
        /// Why.
        reason: String,
    },
    /// A person decides.
    Person {
        /// Who.
        approver: String,
        /// Yes or no.
        approves: bool,
        /// What they say.
        reason: Option<String>,
        /// What shall run in place of the action. It is judged like every other.
        modified: Option<Box<ToolCall>>,
    },
}

/// A handler could not decide.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("{0}")]
pub struct HandlerError(pub String);

/// Approves everything that asks.
#[derive(Clone, Copy, Debug, Default)]
pub struct AutoApprove;

impl Handler for AutoApprove {
    fn name(&self) -> &str {
        "auto_approve_handler"
    }

    fn handle(&self, _: &Question) -> Result<Said, HandlerError> {
        Ok(Said::Automatic { approves: true, reason: "the handler approves everything".to_owned() })
    }
}

/// Denies everything that asks.
#[derive(Clone, Copy, Debug, Default)]
pub struct AutoDeny;

impl Handler for AutoDeny {
    fn name(&self) -> &str {
        "auto_deny_handler"
    }

    fn handle(&self, _: &Question) -> Result<Said, HandlerError> {
        Ok(Said::Automatic { approves: false, reason: "the handler denies everything".to_owned() })
    }
}

/// A function decides. It says yes by `Ok(true)` and in no other way.
pub struct Callback<F> {
    name: String,
    decides: F,
}

impl<F: Fn(&Question) -> Result<bool, HandlerError> + Send + Sync> Callback<F> {
    /// A function, under a name for the record.
    pub fn new(name: impl Into<String>, decides: F) -> Self {
        Self { name: name.into(), decides }
    }
}

impl<F: Fn(&Question) -> Result<bool, HandlerError> + Send + Sync> Handler for Callback<F> {
    fn name(&self) -> &str {
        &self.name
    }

    fn handle(&self, question: &Question) -> Result<Said, HandlerError> {
        let approves = (self.decides)(question)?;
        let word = if approves { "approved" } else { "denied" };
        Ok(Said::Automatic { approves, reason: format!("{word} via callback") })
    }
}

/// Approves what is below a risk, and leaves the rest to another handler.
pub struct Conditional {
    below: Severity,
    others: Arc<dyn Handler>,
}

/// A risk below which nothing should be approved unseen.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("what is {0} is never approved unseen; expected low, medium, or high")]
pub struct TooWide(pub Severity);

impl Conditional {
    /// Approves what is below `below`: with `medium`, what is safe or low. What is not known is below nothing.
    ///
    /// # Errors
    /// Where it would approve what is high.
    pub fn new(below: Severity, others: Arc<dyn Handler>) -> Result<Self, TooWide> {
        if below > Severity::High { Err(TooWide(below)) } else { Ok(Self { below, others }) }
    }
}

impl Handler for Conditional {
    fn name(&self) -> &str {
        "conditional_handler"
    }

    fn handle(&self, question: &Question) -> Result<Said, HandlerError> {
        match question.risk.severity() {
            Some(risk) if risk < self.below => Ok(Said::Automatic {
                approves: true,
                reason: format!("{risk} is below {}", self.below),
            }),
            _ => self.others.handle(question),
        }
    }
}

/// Asks somebody on the spot: the person at the terminal, say.
pub struct Asks {
    name: String,
    responder: Arc<dyn Responder>,
}

impl Asks {
    /// Somebody, under a name for the record.
    #[must_use]
    pub fn new(name: impl Into<String>, responder: Arc<dyn Responder>) -> Self {
        Self { name: name.into(), responder }
    }
}

impl Handler for Asks {
    fn name(&self) -> &str {
        &self.name
    }

    fn handle(&self, question: &Question) -> Result<Said, HandlerError> {
        let request = &question.details.request;
        let answer = self.responder.ask(request);
        let answer =
            answer.ok_or_else(|| HandlerError("there is nobody left to answer".to_owned()))?;
        let is_ours = answer.request_id == request.request_id
            && answer.nonce == request.nonce
            && answer.action == request.action.hash;
        if !is_ours {
            return Err(HandlerError("what came answers another request".to_owned()));
        }
        Ok(Said::Person {
            approver: answer.responder,
            approves: answer.confirmed,
            reason: None,
            modified: None,
        })
    }
}

//! The like of a request that a person approves together with it, at a gateway or beside one. Owns what such a grant says: the kind that was shown with
//! the request, for the calls of whoever asked, in its session or its project.

use std::io;

use jiff::Timestamp;
use portcullis_core::decision::{Layer, Verdict};
use serde::{Deserialize, Serialize};

use super::{Grant, GrantId, Scope, What};
use crate::{
    approvals::{Alike, Request},
    audit::{Entry, Kind},
};

/// Where the like of a request goes on with it.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Breadth {
    /// In the session that asked.
    Session,
    /// In the project that it was asked in.
    Project,
}

/// Why the like of a request cannot be approved with it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NotAlike {
    /// It is the like of no other, or what it has in common with others was not shown.
    #[error(
        "calls like this cannot be allowed together: it was not shown what they have in common, or two people must agree to each"
    )]
    NoKind,
    /// It names no session.
    #[error("it names no session")]
    NoSession,
    /// It is in no project.
    #[error("it is not known which project it is in")]
    NoProject,
    /// The system gives no random numbers.
    #[error("the system gives no random numbers: {0}")]
    NoRandomness(#[from] io::Error),
}

impl Grant {
    /// The grant for the like of a request, with the answer that the record has of it.
    ///
    /// # Errors
    /// [`NotAlike`].
    pub fn of_request(
        request: &Request,
        breadth: Breadth,
        by: &str,
        now: Timestamp,
    ) -> Result<(Self, Entry), NotAlike> {
        let Alike { words, kind, workspace } = request.alike().ok_or(NotAlike::NoKind)?;
        let scope = match breadth {
            Breadth::Session => Scope::Session(request.session.clone().ok_or(NotAlike::NoSession)?),
            Breadth::Project => Scope::Project(workspace.ok_or(NotAlike::NoProject)?),
        };
        let expires = now.checked_add(scope.usual()).unwrap_or(now);
        let reason = format!("{words} ({}, until {expires:.0})", scope.name());
        let answer = Entry {
            refers_to: Some(request.sequence),
            tool: Some(request.tool.clone()),
            class: Some(kind.class.clone()),
            risk: Some(request.risk),
            decision: Some(Verdict::Allow),
            layer: Some(Layer::Person),
            reason: Some(reason),
            action: Some(request.action.clone()),
            policy: Some(request.policy.clone()),
            session: request.session.clone(),
            agent: request.agent.clone(),
            ..Entry::new(Kind::Answer)
        };
        let grant = Self {
            id: GrantId::random()?,
            what: What::Like(kind),
            scope,
            granted: now,
            expires,
            risk: request.risk,
            preview: words,
            by: by.to_owned(),
            whose: Some(request.requester.clone()),
            record: 0,
        };
        Ok((grant, answer))
    }
}

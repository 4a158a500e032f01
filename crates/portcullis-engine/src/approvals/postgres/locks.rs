//! What a transaction locks before it looks. Owns the order, which is the same for all gateways, so that none waits for another that waits for it.

use std::collections::BTreeSet;

use sha2::{Digest as _, Sha256};

use super::super::store::{Claim, Once, Step};
use crate::audit::postgres::Lock;

/// What steps are about, which is locked in one order for all gateways: names first (who asks, which keys, the policy), then requests and grants.
pub(super) struct Locks<'a> {
    names: Vec<i64>,
    requests: Vec<String>,
    grants: Vec<&'a str>,
}

const NAMES_LOCK: &str = "SELECT pg_advisory_xact_lock(name) FROM unnest($1::bigint[]) AS name";
const REQUESTS_LOCK: &str = "SELECT 1 FROM approval WHERE id = ANY($1) ORDER BY id FOR UPDATE";
const GRANTS_LOCK: &str = "SELECT 1 FROM granted WHERE id = ANY($1) ORDER BY id FOR UPDATE";

impl<'a> Locks<'a> {
    pub(super) fn of(steps: &'a [Step]) -> Self {
        let mut names: BTreeSet<i64> = BTreeSet::new();
        let mut requests: BTreeSet<String> = BTreeSet::new();
        let mut grants: BTreeSet<&str> = BTreeSet::new();
        let mut key = |words: &[&str]| {
            let digest = Sha256::digest(words.join("\0"));
            names.insert(digest.first_chunk::<8>().map_or(0, |bytes| i64::from_be_bytes(*bytes)));
        };
        for step in steps {
            let once = match step {
                Step::Note { once, .. } => once,
                Step::Ask { once, question, .. } => {
                    // How many wait, and whether the same was asked before, is looked at and then changed.
                    key(&["requester", &question.requester]);
                    once
                }
                Step::Answer(reply) => {
                    requests.insert(reply.id.to_string());
                    // It may put a policy in place.
                    key(&["policy"]);
                    &None
                }
                Step::Close { id, .. } | Step::Claim(Claim { id, .. }) => {
                    requests.insert(id.to_string());
                    &None
                }
                Step::Tend(tending) => {
                    requests.insert(tending.id.to_string());
                    &None
                }
                Step::Rule(wanted) => {
                    key(&["policy"]);
                    key(&["requester", &wanted.question.requester]);
                    &None
                }
                Step::EndLoosened { .. } => {
                    key(&["policy"]);
                    &None
                }
                Step::Spend(ids) => {
                    grants.extend(ids.iter().map(String::as_str));
                    &None
                }
                // Each is taken up, and what came of it kept, by one gateway at a time.
                Step::PickUp { .. } | Step::Settle { .. } | Step::Repeat { .. } => {
                    key(&["notices"]);
                    &None
                }
                Step::Link { account, .. } => {
                    key(&["account", &account.team, &account.user]);
                    &None
                }
                Step::TakeBack { id, .. } => {
                    grants.insert(id);
                    &None
                }
                _ => &None,
            };
            if let Some(Once { token, key: words, .. }) = once {
                key(&["once", &token.to_string(), words]);
            }
        }
        Self {
            names: names.into_iter().collect(),
            requests: requests.into_iter().collect(),
            grants: grants.into_iter().collect(),
        }
    }

    /// The queries that lock it.
    pub(super) fn queries(&self) -> Vec<Lock<'_>> {
        let Self { names, requests, grants } = self;
        let mut queries: Vec<Lock<'_>> = Vec::new();
        if !names.is_empty() {
            queries.push((NAMES_LOCK, [names]));
        }
        if !requests.is_empty() {
            queries.push((REQUESTS_LOCK, [requests]));
        }
        if !grants.is_empty() {
            queries.push((GRANTS_LOCK, [grants]));
        }
        queries
    }
}

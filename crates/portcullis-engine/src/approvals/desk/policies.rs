//! Approval policies, put in place. Owns the steps that do so together with what is recorded of it.

use jiff::{SignedDuration, Timestamp};

use super::{Desk, NoticeRows, PolicyRow};
use crate::{
    approvals::{
        request::Request,
        ruling::{Wanted, is_looser},
        store::Done,
    },
    audit::{Body, Entry},
};

impl<R: NoticeRows> Desk<R> {
    /// Puts another policy in place where it is nowhere looser than what holds; asks for it else.
    pub(super) fn rule(&mut self, wanted: &Wanted) -> Result<Done, R::Error> {
        let Wanted { policy, configured, by, record, question, asking, lasts, alone, most } =
            wanted;
        let now = self.now;
        let holds = self.rows.in_force(now)?;
        let confirmation = policy.confirmation();
        let stands = holds.stands(*configured).map_or(*configured, |policy| policy.confirmation());
        let row = |record| PolicyRow {
            record,
            policy: policy.name(),
            by,
            asks: None,
            lasts: None,
            returns: false,
            alone: false,
            since: Some(now),
            expires: None,
        };
        if !is_looser(confirmation, stands) {
            let sequence = self.rows.record(record.clone())?;
            self.rows.end_loosened(None, now)?;
            self.rows.keep_policy(&PolicyRow { returns: true, ..row(sequence) })?;
            return Ok(Done::Ruled(None));
        }
        if let Some(loosened) = &holds.loosened
            && !is_looser(confirmation, loosened.policy.confirmation())
        {
            // Less of what was agreed to, and no longer.
            let sequence = self.rows.record(record.clone())?;
            let asks = self.rows.request(loosened.request)?.map(|request| request.sequence);
            self.rows.end_loosened(None, now)?;
            let expires = Some(loosened.expires);
            self.rows.keep_policy(&PolicyRow { asks, expires, ..row(sequence) })?;
            return Ok(Done::Ruled(None));
        }
        if self.rows.waiting(&question.requester, *most)? >= *most {
            return Ok(Done::TooMany);
        }
        let sequence = self.rows.record(asking.clone())?;
        self.ask(question, sequence)?;
        self.rows.keep_policy(&PolicyRow {
            asks: Some(sequence),
            lasts: Some(i64::try_from(lasts.as_micros()).unwrap_or(i64::MAX)),
            returns: !is_looser(confirmation, *configured),
            alone: *alone,
            since: None,
            ..row(sequence)
        })?;
        Ok(Done::Ruled(Some(question.id)))
    }

    /// Ends what loosens before its time.
    pub(super) fn end_early(&mut self, record: &Body) -> Result<Done, R::Error> {
        if self.rows.in_force(self.now)?.loosened.is_none() {
            return Ok(Done::Unknown);
        }
        self.rows.end_loosened(None, self.now)?;
        self.rows.record(record.clone())?;
        Ok(Done::Ruled(None))
    }

    /// Puts the policy in place that was just agreed to.
    pub(super) fn agreed(&mut self, request: &Request) -> Result<(), R::Error> {
        let Some(asked) = self.rows.asked_policy(request.sequence)? else { return Ok(()) };
        self.rows.end_loosened(Some(asked.record), self.now)?;
        let lasts = SignedDuration::from_micros(asked.lasts.unwrap_or_default());
        let expires = (!asked.returns).then(|| self.now.checked_add(lasts).unwrap_or(self.now));
        self.rows.begin_policy(asked.record, self.now, expires)?;
        let words = match expires {
            Some(expires) => format!("{} until {expires:.0}", asked.policy),
            None => asked.policy,
        };
        let by = request.approver.as_deref().unwrap_or_default();
        let entry = Entry::change(by, "loosened the approval policy", words);
        self.rows.record(Body::new(&entry, self.now))?;
        Ok(())
    }

    /// Records the end of what is over.
    pub(super) fn end_policies(&mut self) -> Result<(), R::Error> {
        let now: Timestamp = self.now;
        for (record, policy) in self.rows.policies_over(now)? {
            self.rows.end_policy(record, now)?;
            let entry = Entry::change("the gateway", "ended a looser approval policy", policy);
            self.rows.record(Body::new(&entry, now))?;
        }
        Ok(())
    }
}

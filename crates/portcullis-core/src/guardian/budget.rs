//! What a session may spend on reviews. Owns the sums; what is reserved before a request and not accounted for after it stays
//! spent, because a request that failed may have cost all the same.

/// Tokens that went in and came out.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Tokens {
    /// Of the request.
    pub input: u64,
    /// Of the answer.
    pub output: u64,
}

impl Tokens {
    /// All of them.
    #[must_use]
    pub const fn total(self) -> u64 {
        self.input.saturating_add(self.output)
    }

    /// The sum.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self {
            input: self.input.saturating_add(other.input),
            output: self.output.saturating_add(other.output),
        }
    }
}

/// The most that a session may use.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Spend {
    /// Requests.
    pub calls: u64,
    /// Tokens, both ways together.
    pub tokens: u64,
}

impl Default for Spend {
    fn default() -> Self {
        Self { calls: 500, tokens: 2_000_000 }
    }
}

/// What a session has used.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Usage {
    calls: u64,
    tokens: u64,
}

/// What a request may use, set aside before it is sent.
#[derive(Debug)]
#[must_use]
pub struct Reservation {
    tokens: u64,
}

/// There is not enough left.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("the session has used up what it may spend on reviews")]
pub struct OverBudget;

impl Usage {
    /// Sets aside what one request may use.
    ///
    /// # Errors
    /// [`OverBudget`]; nothing is set aside then.
    pub const fn reserve(&mut self, most: &Spend, tokens: u64) -> Result<Reservation, OverBudget> {
        let (calls, all) = (self.calls.saturating_add(1), self.tokens.saturating_add(tokens));
        if calls > most.calls || all > most.tokens {
            return Err(OverBudget);
        }
        (self.calls, self.tokens) = (calls, all);
        Ok(Reservation { tokens })
    }

    /// What the request used indeed, as the service says. One that says nothing has used what was set aside, and so has one that says less than
    /// nothing could cost.
    pub const fn account(&mut self, reservation: Reservation, used: Tokens) {
        let used = used.total();
        if used > 0 {
            self.tokens = self.tokens.saturating_sub(reservation.tokens).saturating_add(used);
        }
    }

    /// The requests.
    #[must_use]
    pub const fn calls(&self) -> u64 {
        self.calls
    }

    /// The tokens, with those that are set aside.
    #[must_use]
    pub const fn tokens(&self) -> u64 {
        self.tokens
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_accounted_for_stays_spent() {
        let most = Spend { calls: 3, tokens: 1_000 };
        let mut usage = Usage::default();
        let first = usage.reserve(&most, 600).unwrap();
        assert_eq!(usage.reserve(&most, 401).unwrap_err(), OverBudget);
        usage.account(first, Tokens { input: 100, output: 50 });
        assert_eq!((usage.calls(), usage.tokens()), (1, 150));
        let _lost = usage.reserve(&most, 800).unwrap();
        assert_eq!(usage.reserve(&most, 100).unwrap_err(), OverBudget);
        let silent = usage.reserve(&most, 50).unwrap();
        usage.account(silent, Tokens::default());
        assert_eq!((usage.calls(), usage.tokens()), (3, 1_000));
        assert_eq!(usage.reserve(&most, 0).unwrap_err(), OverBudget);
        let mut huge = Usage::default();
        assert_eq!(huge.reserve(&most, u64::MAX).unwrap_err(), OverBudget);
    }
}

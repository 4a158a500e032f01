//! A classifier asked about a text on its way to an agent. Owns how a text goes to it: without its secrets, in pieces, within a bound in
//! number and time; what an answer means, `portcullis_core` says.
//!
//! It has the last word nowhere: what it says is an [`Opinion`], which can raise what the detector found and lower nothing.

use std::sync::{Mutex, PoisonError};

use portcullis_core::{
    guardian::{Band, Failing, Usage, measure},
    inspect::Opinion,
    secrets::redacted,
};
use portcullis_net::ResolverOptions;
use tokio::time;

use super::{
    service::{Service, SetupError},
    settings::Settings,
    trouble::{Trouble, malformed},
};

/// The most bytes of one question. Classifiers read some thousand tokens at a time.
const PIECE: usize = 24 << 10;

/// How many bytes two pieces share, so that no sentence is cut in both.
const SHARED: usize = 1 << 10;

/// The most questions about one text.
const PIECES: usize = 16;

/// A classifier that can be asked.
pub struct Classifier {
    service: Service,
    usage: Mutex<Usage>,
}

impl Classifier {
    /// A classifier. Its key and certificates are read now.
    ///
    /// # Errors
    /// [`SetupError`].
    pub fn new(settings: Settings, resolver: ResolverOptions) -> Result<Self, SetupError> {
        let service = Service::new(settings, resolver)?;
        Ok(Self { service, usage: Mutex::default() })
    }

    /// How it is configured.
    #[must_use]
    pub const fn settings(&self) -> &Settings {
        self.service.settings()
    }

    /// What it says about a text, of which it sees no secret.
    pub async fn classify(&self, text: &str) -> Opinion {
        let shown = redacted(text);
        let pieces = pieces(&shown);
        let is_whole = pieces.last().is_none_or(|(_, end)| *end == shown.len());
        let mut opinion = Opinion::Band { band: Band::Low, violation: 0.0, is_whole };
        let limit = self.settings().timeout;
        let asking = async {
            for (start, end) in pieces {
                let piece = shown.get(start..end).unwrap_or_default();
                opinion = std::mem::take(&mut opinion).with(self.piece(piece, is_whole).await);
                // Nothing that follows changes this, or makes up for it.
                if opinion.is_planted() || matches!(opinion, Opinion::Failed { .. }) {
                    return;
                }
            }
        };
        if time::timeout(limit, asking).await.is_err() {
            let detail = format!("no answer in {} seconds", limit.as_secs_f64());
            return opinion.with(Opinion::Failed { failing: Failing::Timeout, detail });
        }
        opinion
    }

    async fn piece(&self, piece: &str, is_whole: bool) -> Opinion {
        let mut attempts = self.service.attempts();
        loop {
            let trouble = match self.attempt(piece, is_whole).await {
                Ok(opinion) => return opinion,
                Err(trouble) => trouble,
            };
            if let Err(Trouble { failing, detail, .. }) = attempts.after(trouble).await {
                return Opinion::Failed { failing, detail };
            }
        }
    }

    async fn attempt(&self, piece: &str, is_whole: bool) -> Result<Opinion, Trouble> {
        let Settings { provider, model, spend, bands, .. } = self.settings();
        // Four bytes make a token, in what is written most.
        let tokens = u64::try_from(piece.len() / 4).unwrap_or(u64::MAX);
        let reserved =
            self.usage.lock().unwrap_or_else(PoisonError::into_inner).reserve(spend, tokens);
        let _spent =
            reserved.map_err(|error| Trouble::new(Failing::OverBudget, error.to_string()))?;
        let body = self.service.post(provider.content(model, piece)).await?;
        let answer = provider.answer(&body)?;
        let measured = measure(&answer.text).map_err(|error| malformed(error.to_string()))?;
        let (band, violation) = (bands.band(measured), measured.violation);
        Ok(Opinion::Band { band, violation, is_whole })
    }
}

/// Where the pieces of a text begin and end. The last one ends before the text where it has too many.
fn pieces(text: &str) -> Vec<(usize, usize)> {
    let mut pieces = Vec::new();
    let mut start = 0_usize;
    while pieces.len() < PIECES {
        let end = text.floor_char_boundary(start.saturating_add(PIECE).min(text.len()));
        pieces.push((start, end));
        if end == text.len() {
            break;
        }
        start = text.floor_char_boundary(end.saturating_sub(SHARED));
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_cover_a_text_up_to_a_bound_and_share_their_ends() {
        assert_eq!(pieces(""), [(0, 0)]);
        for text in ["x".repeat(PIECE), "é".repeat(PIECE), "字".repeat(50_000)] {
            let pieces = pieces(&text);
            assert_eq!(pieces.last().map(|piece| piece.1), Some(text.len()));
            let mut end = 0;
            for (at, (start, next)) in pieces.into_iter().enumerate() {
                assert!(at == 0 || start + SHARED <= end + 4 && start < end, "{at}");
                assert!(text.get(start..next).is_some() && next - start <= PIECE);
                end = next;
            }
        }
        let long = "x".repeat(1 << 20);
        let pieces = pieces(&long);
        assert_eq!(pieces.len(), PIECES);
        assert!(pieces.last().is_some_and(|piece| piece.1 < long.len()));
    }
}

//! A remote classifier that gives a share of violation and no reasons, in the shape of GraySwan's. Owns the bands and how its answer is
//! read; whatever cannot be read is unknown, and unknown asks.

use super::{
    json::Json,
    reply::{MAX_REPLY, Malformed, Review},
    score::Score,
};

/// From which share of violation on a risk is medium, and above which it is high.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bands {
    low: f64,
    medium: f64,
}

/// Bands that are none.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("the bands must be two numbers from 0 to 1, the first below the second")]
pub struct BandsError;

impl Default for Bands {
    /// At most 0.3 is low, at most 0.7 medium, as OpenHands has it.
    fn default() -> Self {
        Self { low: 0.3, medium: 0.7 }
    }
}

impl Bands {
    /// Bands: at most `low` is low, at most `medium` is medium, above is high.
    ///
    /// # Errors
    /// [`BandsError`].
    pub fn new(low: f64, medium: f64) -> Result<Self, BandsError> {
        let is_share = |number: f64| (0.0..=1.0).contains(&number);
        if is_share(low) && is_share(medium) && low < medium {
            Ok(Self { low, medium })
        } else {
            Err(BandsError)
        }
    }
}

/// What a classifier measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measure {
    /// The share of violation, from 0 to 1.
    pub violation: f64,
    /// Whether it saw planted instructions.
    pub planted: bool,
}

/// Where a measure lies.
#[derive(Clone, Copy, Debug, Default, Eq, Ord, PartialEq, PartialOrd)]
pub enum Band {
    /// Nothing to speak of.
    #[default]
    Low,
    /// In doubt.
    Medium,
    /// A violation, or planted instructions.
    High,
}

impl Band {
    /// Its word.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

impl Bands {
    /// Where a measure lies. Planted instructions are high, whatever the share.
    #[must_use]
    pub fn band(self, measure: Measure) -> Band {
        if measure.planted || measure.violation > self.medium {
            Band::High
        } else if measure.violation > self.low {
            Band::Medium
        } else {
            Band::Low
        }
    }
}

/// A classifier's answer as a review of an action. What is low or medium scores what the reviewer's scale gives it, what is high scores 80:
/// a classifier asks, it never denies by itself.
///
/// # Errors
/// [`Malformed`].
pub fn classify(text: &str, bands: Bands) -> Result<Review, Malformed> {
    let measured = measure(text)?;
    let Measure { violation, planted } = measured;
    let number = match bands.band(measured) {
        Band::High => 80.0,
        Band::Medium => 50.0,
        Band::Low => 20.0,
    };
    let score = Score::new(number).ok_or(Malformed::OutOfRange)?;
    let mut risks = Vec::new();
    if planted {
        risks.push("planted instructions".to_owned());
    }
    let reasoning = format!("the classifier sees a violation of {violation}");
    Ok(Review { score, reasoning, risks, claimed: None })
}

/// Reads a classifier's answer: `violation` from 0 to 1, and perhaps `ipi` where it saw planted instructions.
///
/// # Errors
/// [`Malformed`].
pub fn measure(text: &str) -> Result<Measure, Malformed> {
    if text.len() > MAX_REPLY {
        return Err(Malformed::TooLong);
    }
    let value = Json::parse(text)?;
    if !matches!(value, Json::Object(_)) {
        return Err(Malformed::NotAnObject(value.kind()));
    }
    let name = "violation";
    let violation = match value.get(name).ok_or(Malformed::Missing(name))? {
        Json::Number(number) => number.as_f64().filter(|share| (0.0..=1.0).contains(share)),
        other => {
            return Err(Malformed::WrongType { name, expected: "a number", found: other.kind() });
        }
    };
    let violation = violation.ok_or(Malformed::OutOfRange)?;
    let planted = match value.get("ipi") {
        None | Some(Json::Null) => false,
        Some(Json::Bool(planted)) => *planted,
        Some(other) => {
            let (expected, found) = ("a boolean", other.kind());
            return Err(Malformed::WrongType { name: "ipi", expected, found });
        }
    };
    Ok(Measure { violation, planted })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_fall_into_bands_and_planted_instructions_are_high() {
        let score =
            |text: &str| classify(text, Bands::default()).map(|review| review.score.value());
        for (text, number) in [
            (r#"{"violation":0}"#, 20.0),
            (r#"{"violation":0.3,"ipi":false}"#, 20.0),
            (r#"{"violation":0.31,"other":[1]}"#, 50.0),
            (r#"{"violation":0.7,"ipi":null}"#, 50.0),
            (r#"{"violation":0.71}"#, 80.0),
            (r#"{"violation":1}"#, 80.0),
            (r#"{"violation":0,"ipi":true}"#, 80.0),
        ] {
            assert_eq!(score(text), Ok(number), "{text}");
        }
        for text in [
            "{}",
            "[]",
            "",
            "0.1",
            r#"{"violation":"0"}"#,
            r#"{"violation":-0.1}"#,
            r#"{"violation":1.1}"#,
            r#"{"violation":1e400}"#,
            r#"{"violation":null}"#,
            r#"{"violation":0,"violation":1}"#,
            r#"{"violation":0,"ipi":"no"}"#,
            r#"{"violation":0} {"violation":1}"#,
            r#"{"violatiоn":0}"#,
        ] {
            assert!(score(text).is_err(), "{text}");
        }
        assert!(Bands::new(0.3, 0.3).is_err() && Bands::new(f64::NAN, 0.5).is_err());
        assert!(Bands::new(-0.1, 0.5).is_err() && Bands::new(0.5, 1.1).is_err());
        assert!(Bands::new(0.0, 1.0).is_ok());
    }
}

//! The words for acts and limits, one file a language, as [`super::lexicon::folded`] writes them: lower case, Latin letters without marks. A
//! `*` says that more letters may follow.

use super::act::{Acts, Role};

mod arabic;
mod chinese;
mod dutch;
mod english;
mod french;
mod german;
mod hindi;
mod italian;
mod japanese;
mod korean;
mod polish;
mod portuguese;
mod russian;
mod spanish;
mod turkish;

pub(super) use chinese::COMPOUNDS;
pub(super) use english::ENGLISH;

/// How many words stand between those of a phrase: `roll the new version of it out`.
pub(super) const GAP: usize = 6;

/// The words of one language.
pub(super) struct Language {
    /// The words for acts, in every form in which they are asked for.
    pub(super) acts: &'static [(Acts, &'static str)],
    /// What several words say together, separated by commas. `…` stands for up to [`GAP`] words between them.
    pub(super) phrases: &'static [(Acts, &'static str)],
    /// The words that say how it is meant.
    pub(super) roles: &'static [(Role, &'static str)],
    /// Whether blanks stand between words.
    pub(super) is_spaced: bool,
}

/// Every language.
pub(super) static LANGUAGES: &[&Language] = &[
    &ENGLISH,
    &german::GERMAN,
    &dutch::DUTCH,
    &french::FRENCH,
    &spanish::SPANISH,
    &portuguese::PORTUGUESE,
    &italian::ITALIAN,
    &russian::RUSSIAN,
    &polish::POLISH,
    &turkish::TURKISH,
    &arabic::ARABIC,
    &chinese::CHINESE,
    &japanese::JAPANESE,
    &korean::KOREAN,
    &korean::ENDINGS,
    &hindi::HINDI,
];

//! The words of the signals, one table a language. A row is a class and the words that are of it, as `fold` writes them: lower
//! case, Latin letters without marks. A `*` says that more letters may follow.

use super::class::Class;

mod addressed;
mod asian;
mod english;
mod romance;
mod semitic;
mod slavic;
mod told_latin;
mod told_other;

/// Words of a class.
pub(super) type Row = (Class, &'static str);

/// Every table, and what all words of it are besides.
pub(super) const TABLES: &[(Class, &[Row])] = &[
    (0, english::WORDS),
    (FREE, romance::GERMAN),
    (FREE, romance::DUTCH),
    (FREE, romance::FRENCH),
    (FREE, romance::SPANISH),
    (FREE, romance::PORTUGUESE),
    (FREE, romance::ITALIAN),
    (FREE, slavic::RUSSIAN),
    (FREE, slavic::POLISH),
    (FREE, semitic::TURKISH),
    (FREE, semitic::ARABIC),
    (FREE, asian::CHINESE),
    (FREE, asian::JAPANESE),
    (FREE, asian::KOREAN),
    (FREE, asian::HINDI),
    (FREE, asian::VIETNAMESE),
    (FREE, asian::INDONESIAN),
    (FREE, slavic::UKRAINIAN),
    (FREE, slavic::CZECH),
    (FREE, romance::SWEDISH),
    (0, addressed::ENGLISH),
    (FREE, addressed::GERMAN),
    (FREE, addressed::DUTCH),
    (FREE, addressed::FRENCH),
    (FREE, addressed::SPANISH),
    (FREE, addressed::PORTUGUESE),
    (FREE, addressed::ITALIAN),
    (FREE, addressed::POLISH),
    (FREE, addressed::RUSSIAN),
    (FREE, addressed::TURKISH),
    (FREE, addressed::ARABIC),
    (FREE, addressed::CHINESE),
    (FREE, addressed::JAPANESE),
    (FREE, addressed::KOREAN),
    (FREE, addressed::HINDI),
    (FREE, addressed::SWEDISH),
    (FREE, addressed::VIETNAMESE),
    (0, told_latin::ENGLISH),
    (FREE, told_latin::GERMAN),
    (FREE, told_latin::DUTCH),
    (FREE, told_latin::FRENCH),
    (FREE, told_latin::SPANISH),
    (FREE, told_latin::PORTUGUESE),
    (FREE, told_latin::ITALIAN),
    (FREE, told_latin::POLISH),
    (FREE, told_latin::TURKISH),
    (FREE, told_latin::CZECH),
    (FREE, told_latin::SWEDISH),
    (FREE, told_latin::VIETNAMESE),
    (FREE, told_latin::INDONESIAN),
    (FREE, told_other::RUSSIAN),
    (FREE, told_other::UKRAINIAN),
    (FREE, told_other::ARABIC),
    (FREE, told_other::HINDI),
    (FREE, told_other::JAPANESE),
    (FREE, told_other::CHINESE),
    (FREE, told_other::KOREAN),
];

use super::class::FREE;

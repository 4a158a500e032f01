//! Names that can be taken for another one. Owns the letters that look alike; it says nothing about where a name leads.

use unicode_normalization::{UnicodeNormalization as _, char::is_combining_mark};

/// Whether a name in the letters of people, such as `pаypal.com`, can be taken for one in Latin letters: a label mixes scripts
/// that no language mixes, or all its letters have twins among the Latin ones and its top name is a Latin one.
pub(super) fn can_be_taken_for_another(name: &str) -> bool {
    let is_latin_top = name.rsplit('.').next().is_some_and(str::is_ascii);
    name.split('.').any(|label| {
        let mut foreign = label.chars().filter(|letter| is_foreign(*letter)).peekable();
        if foreign.peek().is_none() {
            return false;
        }
        let latin = label.chars().any(is_latin);
        latin || is_latin_top && foreign.all(|letter| TWINS.contains(letter))
    })
}

/// Whether a word is made to be taken for another one, or for none: it has letters that nobody sees, letters that only are
/// another form of plain ones, marks on them, or letters of a script that looks like Latin among Latin ones or in their place.
pub fn is_disguised(word: &str) -> bool {
    let is_unseen = |letter: char| {
        matches!(letter, '\u{ad}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{2064}' | '\u{2066}'..='\u{2069}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}')
    };
    let is_form = |letter: char| {
        !letter.is_ascii() && letter != '\u{a0}' && {
            let mut plain = letter.nfkc();
            plain.next().is_some_and(|plain| plain.is_ascii_alphanumeric())
                && plain.next().is_none()
        }
    };
    let mut foreign = word.chars().filter(|letter| is_foreign(*letter)).peekable();
    let is_mixed = foreign.peek().is_some()
        && (word.chars().any(is_latin) || foreign.all(|letter| TWINS.contains(letter)));
    let mut latin = false;
    let is_marked = word.chars().any(|letter| {
        let marked = latin && is_combining_mark(letter);
        latin = letter.is_ascii_alphabetic();
        marked
    });
    // Letters of phonetics are Latin ones that no language has in a name.
    let is_phonetic = word.chars().any(|letter| matches!(letter, '\u{250}'..='\u{2af}'));
    is_mixed
        || is_marked
        || is_phonetic
        || word.chars().any(|letter| is_unseen(letter) || is_form(letter))
}

/// Whether a letter is of a script whose letters look like Latin ones: Greek, Cyrillic, Armenian, Cherokee.
fn is_foreign(letter: char) -> bool {
    matches!(letter, '\u{370}'..='\u{58f}' | '\u{1c80}'..='\u{1c8f}' | '\u{1f00}'..='\u{1fff}'
        | '\u{2de0}'..='\u{2dff}' | '\u{a640}'..='\u{a69f}' | '\u{13a0}'..='\u{13ff}' | '\u{ab70}'..='\u{abbf}')
}

fn is_latin(letter: char) -> bool {
    letter.is_ascii_alphabetic() || matches!(letter, '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}')
}

/// Letters of other scripts that are drawn as a Latin one.
const TWINS: &str = "аеорсухіјѕһԁԛԝӏьүвнкмтгпωοανιρυτκγηεχցհոսօզ";

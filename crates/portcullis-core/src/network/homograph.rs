//! Names that can be taken for another one. Owns the letters that look alike; it says nothing about where a name leads.

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

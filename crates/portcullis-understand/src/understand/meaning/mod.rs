//! What words say: the names of tools, functions and arguments, and texts of which nobody says what they are. Owns the vocabulary that the
//! reading of an unknown tool and of a library's call share; it emits nothing.

pub(super) mod arguments;
pub(super) mod derive;
pub(super) mod key;
pub(super) mod look;
mod loose;
mod nouns;
mod readings;
mod verbs;

/// The longest name that is read: nothing that a person gave a name to is longer.
const LONGEST: usize = 256;

/// The words of a name in lower case: `runShellCommand`, `run_shell-command` and `RUN SHELL COMMAND` alike.
pub(in crate::understand) fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    let letters: Vec<char> = name.chars().collect();
    for (index, letter) in letters.iter().enumerate() {
        let before = index.checked_sub(1).and_then(|before| letters.get(before));
        let after = letters.get(index + 1);
        let starts = letter.is_uppercase()
            && (before.is_some_and(|before| before.is_lowercase() || before.is_ascii_digit())
                || before.is_some_and(|before| before.is_uppercase())
                    && after.is_some_and(|after| after.is_lowercase()));
        if (starts || !letter.is_alphanumeric()) && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if letter.is_alphanumeric() {
            word.extend(letter.to_lowercase());
        }
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

/// As much of a name as is read.
pub(in crate::understand) fn beginning(name: &str) -> &str {
    name.get(..name.floor_char_boundary(LONGEST)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_fall_into_their_words() {
        for (name, expected) in [
            ("runShellCommand", "run shell command"),
            ("run_shell-command", "run shell command"),
            ("HTTPRequest", "http request"),
            ("executeSQL", "execute sql"),
            ("brave-search", "brave search"),
            ("iterm2", "iterm2"),
            ("", ""),
        ] {
            assert_eq!(words(name).join(" "), expected, "{name}");
        }
    }
}

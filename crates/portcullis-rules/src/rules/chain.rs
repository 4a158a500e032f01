//! The commands that `&&` joins before one: it is not reached where one of them failed. Owns how far that list goes back in a
//! layer's text; where the text cannot be told apart by quotes alone, it goes back to the beginning.

use super::Scene;
use crate::effect::Effect;

/// What has to succeed before an effect is reached.
pub(super) struct Chain<'t> {
    /// Where the list begins, in the text of the layer.
    pub(super) start: usize,
    /// The commands, the last of them nearest; none holds a comment.
    pub(super) steps: Vec<&'t str>,
}

impl<'t> Chain<'t> {
    /// The list that an effect is a part of; none where it begins with it.
    pub(super) fn before(effect: &Effect, scene: &'t Scene<'_>) -> Option<Self> {
        let text = scene.effects.layer_text(effect.at.layer);
        Self::ending(text.get(..effect.at.span.range().start)?)
    }

    /// The list that goes on behind this text.
    fn ending(text: &'t str) -> Option<Self> {
        /// Words of the shell that a list may stand behind.
        const OPENS: &[&str] = &["then", "do", "else", "time"];
        let head = text.trim_end().strip_suffix("&&")?;
        let start = beginning(head);
        let list = head.get(start..)?;
        if list.contains('#') {
            return None;
        }
        let mut steps: Vec<&str> = list.split("&&").map(str::trim).collect();
        if let Some(first) = steps.first_mut()
            && let Some((word, rest)) = first.split_once(char::is_whitespace)
            && OPENS.contains(&word)
        {
            *first = rest.trim_start();
        }
        Some(Self { start, steps })
    }
}

impl Scene<'_> {
    /// Whether one effect is not reached where an earlier one failed: nothing but `&&` joins the two.
    pub(super) fn is_behind(&self, earlier: &Effect, later: &Effect) -> bool {
        let joined = Chain::before(later, self).filter(|chain| {
            !chain.steps.iter().any(|step| step.contains([';', '\n', '|', '&', '(', ')', '}']))
        });
        earlier.at.layer == later.at.layer
            && joined.is_some_and(|chain| earlier.at.span.range().start >= chain.start)
    }
}

/// Where the last list of commands begins: behind the end of another one, or what opens a group.
fn beginning(text: &str) -> usize {
    // What stands in these is no command of this text, or ends where its quotes do not say.
    if ["<<", "$'", "$\"", "`"].iter().any(|mark| text.contains(mark)) {
        return 0;
    }
    let mut start = 0;
    let (mut quote, mut is_escaped) = (None, false);
    // The last two letters that are no blanks.
    let mut last = (' ', ' ');
    for (at, letter) in text.char_indices() {
        let behind = at + letter.len_utf8();
        let goes_on = last == ('&', '&');
        if !letter.is_whitespace() {
            last = (last.1, letter);
        }
        match (quote, letter) {
            _ if is_escaped => is_escaped = false,
            (None | Some('"'), '\\') => is_escaped = true,
            (Some(open), _) if open == letter => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"') => quote = Some(letter),
            // A list goes on in the next line behind its sign.
            (None, '\n') if goes_on => {}
            (None, ';' | '\n' | '{' | '(') => start = behind,
            _ => {}
        }
    }
    start
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(text: &str) -> Option<Vec<&str>> {
        Chain::ending(text).map(|chain| chain.steps)
    }

    #[test]
    fn a_list_begins_behind_what_ends_or_opens_another() {
        for before in
            ["", "echo x; ", "set -e\n", "if true; then ", "(", "main() {\n", "echo 'a && b'\n"]
        {
            let text = format!("{before}git fetch && git diff --quiet && ");
            assert_eq!(steps(&text), Some(vec!["git fetch", "git diff --quiet"]), "{text}");
        }
        assert_eq!(steps("git fetch &&\n  git diff &&\n"), Some(vec!["git fetch", "git diff"]));
    }

    #[test]
    fn what_is_no_list_of_commands_is_none() {
        for text in
            ["git fetch; ", "git fetch || ", "true # git fetch &&\n git diff &&", "# git fetch &&"]
        {
            assert_eq!(steps(text), None, "{text}");
        }
        for text in ["cat <<E &&\ngit fetch\nE\ntrue && ", "echo $'\\'\n' && true && "] {
            assert_ne!(steps(text), Some(vec!["true"]), "{text}");
        }
    }
}

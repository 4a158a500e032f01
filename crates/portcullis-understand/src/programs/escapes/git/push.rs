//! What of git does the same as `git push` and `git checkout` in other words: plumbing, and settings that say what a push sends.
//! Each is followed as the command that people write for it, so that one thing has one answer.

use portcullis_syntax::Span;

use super::{super::git_tables::COMMANDS, SETTINGS};
use crate::{
    bound::Bounded,
    effect::{Argument, GapReason, WriteMode},
    programs::{Options, host::Host, invocation::Invocation},
    text::Text,
};

/// How many files of an index are followed one by one; more than a person would list.
const FILES: usize = 64;

/// `git send-pack --force DEST REF`, `git http-push -D URL REF`: a push, with the same words.
pub(super) fn by_hand(walk: &mut dyn Host, invocation: &Invocation, after: &[Argument]) {
    let mut words = vec![invocation.name.clone(), synthetic("push", invocation.span)];
    for word in after {
        match word.text.as_known() {
            // They come on the standard input.
            Some("--stdin") => match invocation.input.as_ref().map(Text::as_known) {
                Some(Some(known)) => {
                    let named = known.split_whitespace().at_most(FILES, walk, word.span);
                    words.extend(named.map(|name| synthetic(name, word.span)));
                }
                _ => walk.gap(word.span, GapReason::UnknownCode),
            },
            Some("-D") => words.push(synthetic("-d", word.span)),
            _ => words.push(word.clone()),
        }
    }
    walk.run(&words, invocation.input.clone());
}

/// `git -c remote.NAME.mirror=true push`, `git -c remote.NAME.push=+REF push`: what a setting of this call adds to the words.
pub(super) fn by_settings(walk: &mut dyn Host, invocation: &Invocation, after: &[Argument]) {
    let values = COMMANDS.iter().find(|command| command.verbs.contains(&"push"));
    let options = Options::new(after, values.map_or(&[][..], |command| command.values));
    let options = options.abbreviating();
    let words: Vec<&Argument> = options.operands().collect();
    if options.has(&["--mirror", "--dry-run", "-n"]) {
        return;
    }
    let remote = words.first().and_then(|word| word.text.as_known());
    let is_meant = |name: &str| remote.is_none_or(|remote| remote.eq_ignore_ascii_case(name));
    let about = |key: &str, what: &str| {
        let name = key.strip_prefix("remote.")?.strip_suffix(what)?;
        is_meant(name).then(|| name.to_owned())
    };
    let all =
        walk.git_settings_where(&|key| about(key, ".mirror").or(about(key, ".push")).is_some());
    for (key, value) in all.into_iter().at_most(SETTINGS, walk, invocation.span) {
        let command = |rest: [Argument; 2]| {
            let push = synthetic("push", invocation.span);
            [invocation.name.clone(), push].into_iter().chain(rest).collect::<Vec<_>>()
        };
        if let Some(name) = about(&key, ".mirror") {
            let is_off = |value: &str| {
                matches!(value.to_ascii_lowercase().as_str(), "0" | "false" | "no" | "off" | "")
            };
            if !value.as_known().is_some_and(is_off) {
                let mirror = synthetic("--mirror", invocation.span);
                walk.run(&command([mirror, synthetic(&name, invocation.span)]), None);
            }
        } else if let Some(name) = about(&key, ".push").filter(|_| words.len() < 2) {
            let sent = Argument { text: value, span: invocation.span };
            walk.run(&command([synthetic(&name, invocation.span), sent]), None);
        }
    }
}

/// `git checkout-index --prefix=ELSEWHERE/ FILE`: files of the index are written behind any beginning of a path.
pub(super) fn written(walk: &mut dyn Host, after: &[Argument]) {
    let values = COMMANDS.iter().find(|command| command.verbs.contains(&"checkout-index"));
    let options = Options::new(after, values.map_or(&[][..], |command| command.values));
    let options = options.abbreviating();
    let Some(prefix) = options.value(&["--prefix"]) else { return };
    let behind = |name: &Text| {
        let mut text = prefix.text.clone();
        text.append(name);
        Argument { text, span: prefix.span }
    };
    let content = Text::unknown("what the index holds");
    if options.has(&["-a", "--all", "--stdin"]) {
        walk.write(&behind(&content), WriteMode::Replace, content.clone());
    }
    let files: Vec<&Argument> = options.operands().collect();
    for file in files.into_iter().at_most(FILES, walk, prefix.span) {
        walk.write(&behind(&file.text), WriteMode::Replace, content.clone());
    }
}

fn synthetic(word: &str, span: Span) -> Argument {
    Argument { text: Text::known(word), span }
}

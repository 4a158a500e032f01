//! What else than `git clone` brings whole trees, patches or programs over the network. Owns which word of each program is the
//! address and what the tree is called; what is run out of it, the walk notices.

use super::{Options, host::Host, invocation::Invocation, laid_over};
use crate::{
    effect::{Argument, GapReason, WriteMode},
    place::{self, AgentFileKind, Place},
    text::{Piece, Taint, Text},
};

/// Programs and their verbs that put a copy of what an address names beside the project.
static COPIERS: &[(&[&str], &[&str])] = &[
    (&["svn"], &["checkout", "co", "export"]),
    (&["hg"], &["clone"]),
    (&["brz", "bzr"], &["branch", "checkout", "clone", "co", "get"]),
    (&["fossil"], &["clone"]),
    (&["gh"], &["repo", "gist"]),
    (&["degit", "giget", "tiged"], &[]),
];

/// Build tools with the options that name a script which is run first.
static SCRIPTED: &[(&[&str], &[&str])] = &[(
    &["gradle", "gradlew"],
    &["-I", "--init-script", "-b", "--build-file", "-c", "--settings-file"],
)];

/// Notes what an invocation brings.
pub(super) fn follow(walk: &mut dyn Host, invocation: &Invocation) {
    let program = invocation.program.as_str();
    if let Some((_, verbs)) = COPIERS.iter().find(|(programs, _)| programs.contains(&program)) {
        copied(walk, invocation, verbs);
    }
    if let Some((_, options)) = SCRIPTED.iter().find(|(programs, _)| programs.contains(&program)) {
        for option in *options {
            for script in super::options::values_of(&invocation.arguments, option) {
                walk.script("groovy", &script, &[], None);
            }
        }
    }
    if program == "git" {
        pulled(walk, invocation);
    }
    match program {
        "emacs" | "emacsclient" => fetches_lisp(walk, invocation),
        "pre-commit" => tried(walk, invocation),
        _ => {}
    }
}

/// `git pull ADDRESS`, and a pull that does not check who answers: the work tree is a stranger's then.
fn pulled(walk: &mut dyn Host, invocation: &Invocation) {
    let words = &invocation.arguments;
    let mut known = words.iter().map(|word| word.text.known_prefix());
    if !known.any(|word| word == "pull") {
        return;
    }
    let address = words.iter().find(|word| is_remote(word.text.known_prefix()));
    let is_off =
        |value: &str| matches!(value.to_ascii_lowercase().as_str(), "false" | "no" | "off" | "0");
    let by_setting = words.iter().any(|word| {
        word.text.known_prefix().split_once('=').is_some_and(|(name, value)| {
            name.eq_ignore_ascii_case("http.sslverify") && is_off(value)
        })
    });
    let by_variable = walk.variable_set("GIT_SSL_NO_VERIFY").is_some_and(|value| {
        value.as_known().is_none_or(|known| !known.is_empty() && !is_off(known))
    });
    if address.is_some() || by_setting || by_variable {
        let here = Argument { text: Text::known("."), span: invocation.span };
        let elsewhere = Options::new(words, &["-C", "-c"]).value(&["-C"]);
        planted(walk, elsewhere.as_ref().unwrap_or(&here));
        walk.brought(&here);
    }
}

fn copied(walk: &mut dyn Host, invocation: &Invocation, verbs: &[&str]) {
    let words = &invocation.arguments;
    let verb = words.iter().find_map(|word| word.text.as_known().filter(|it| !it.starts_with('-')));
    if !verbs.is_empty() && !verb.is_some_and(|verb| verbs.contains(&verb)) {
        return;
    }
    let by_name = matches!(invocation.program.as_str(), "degit" | "gh" | "giget" | "tiged");
    let is_address = |word: &Argument| {
        let text = word.text.known_prefix();
        is_remote(text) || by_name && !text.starts_with(['-', '.', '/']) && text.contains('/')
    };
    if invocation.program == "gh" && words.get(1).and_then(|it| it.text.as_known()) != Some("clone")
    {
        return;
    }
    // A gist has a number for a name: `gh gist clone NUMBER DIRECTORY`.
    let is_gist = verb == Some("gist");
    let number = is_gist.then_some(2).filter(|at| words.len() > *at);
    let Some(at) = words.iter().position(is_address).or(number) else { return };
    let words = words.get(at..).unwrap_or_default();
    if let Some(place) = words.get(1) {
        planted(walk, place);
    }
    brought(walk, words);
}

/// What comes to where programs look for what they start is started by them; keys and the system's files are replaced by what comes among them.
pub(in crate::programs) fn planted(walk: &mut dyn Host, place: &Argument) {
    laid_over::fills(walk, place);
    let mut text = place.text.clone();
    text.push_known("/");
    text.push(Piece::Unknown("a repository's file".into()));
    let target = walk.target(&text);
    let facts = walk.facts();
    let is_started = place::persistence_of(&target, facts).is_some();
    let is_key = place::credential_of(&target, facts).is_some();
    let is_told = place::agent_file_of(&target, facts).is_some_and(|file| {
        matches!(file.kind, AgentFileKind::Instructions | AgentFileKind::Settings)
    });
    let place_of = place::place_of(&target, facts);
    let is_others = place_of.is_system() || matches!(place_of, Place::OtherHome);
    if is_started || is_key || is_told || is_others {
        let mut content = Text::unknown("a repository");
        content.taint = content.taint.with(Taint::NETWORK);
        walk.write(&Argument { text, span: place.span }, WriteMode::Create, content);
    }
}

/// What an address brings, into the directory that is named behind it or one of its own name.
pub(in crate::programs) fn brought(walk: &mut dyn Host, words: &[Argument]) {
    let Some((address, rest)) = words.split_first() else { return };
    let directory = rest.first().filter(|word| !word.text.known_prefix().starts_with('-'));
    let directory = directory.cloned().unwrap_or_else(|| Argument {
        text: Text::known(name_of(address.text.known_prefix())),
        span: address.span,
    });
    walk.brought(&directory);
}

/// Whether an address names something on another machine.
pub fn is_remote(address: &str) -> bool {
    address.contains("://") && !address.starts_with("file://")
        || address.contains('@') && address.contains(':')
}

/// What a copy of an address is called where nothing says otherwise.
fn name_of(address: &str) -> &str {
    let last = address.trim_end_matches('/').rsplit(['/', ':']).next().unwrap_or_default();
    last.strip_suffix(".git").unwrap_or(last)
}

/// `pre-commit try-repo ADDRESS` runs the hooks of a repository that nobody has read.
fn tried(walk: &mut dyn Host, invocation: &Invocation) {
    let mut words = invocation.arguments.iter();
    if words.next().and_then(|word| word.text.as_known()) != Some("try-repo") {
        return;
    }
    if let Some(address) = words.find(|word| is_remote(word.text.known_prefix())) {
        let hooks = walk.connect(address, None, false);
        walk.code("python", &hooks, address.span, &[]);
    }
}

/// Lisp that fetches into a buffer and evaluates that: what stands there then is not followed.
fn fetches_lisp(walk: &mut dyn Host, invocation: &Invocation) {
    for option in ["--eval", "-eval", "--execute"] {
        for code in super::options::values_of(&invocation.arguments, option) {
            let known = code.text.known_prefix();
            let evaluates = ["(eval-", "(eval ", "(load"].iter().any(|call| known.contains(call));
            if evaluates && known.contains("(url-") {
                walk.gap(code.span, GapReason::UnknownCode);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_is_called_after_the_end_of_its_address() {
        for (address, name) in [
            ("https://svn.example/tool/trunk/", "trunk"),
            ("git@git.example:team/app.git", "app"),
            ("someone/tool", "tool"),
        ] {
            assert_eq!(name_of(address), name, "{address}");
        }
    }
}

//! Where a file of git's settings leads: directories of hooks, further files of settings, programs. Owns which settings lead somewhere; where a
//! name that is relative begins, and whether anything is there, whoever looks at files says.

use portcullis_syntax::Span;

use super::{
    super::git_tables::{Means, setting as means_of},
    configured::entries,
};
use crate::bound::Cut;

/// How many lines of a file are read.
const LINES: usize = 20_000;

/// The last words of the settings that lead somewhere: a file without them is not taken apart.
const TELLING: &[&str] = &[
    "alternaterefscommand",
    "askpass",
    "authorsprog",
    "browser",
    "cccmd",
    "clean",
    "cmd",
    "command",
    "defaultkeycommand",
    "difffilter",
    "driver",
    "editor",
    "external",
    "fsmonitor",
    "gitproxy",
    "headercmd",
    "helper",
    "hookspath",
    "httpd",
    "packobjectshook",
    "pager",
    "path",
    "process",
    "program",
    "receivepack",
    "recentobjectshook",
    "sendmailcmd",
    "smudge",
    "sshcommand",
    "templatedir",
    "textconv",
    "tocmd",
    "tunnel",
    "uploadpack",
    "vcs",
    "worktree",
];

/// One setting that leads somewhere, with the name as it is written.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Lead {
    /// `core.hooksPath`: relative to where hooks are run, the root of the work tree.
    Hooks(String),
    /// `init.templateDir`: what is in it is copied to new repositories, hooks too.
    Templates(String),
    /// `include.path` and `includeIf.….path`: settings that are taken in, relative to the file that says so.
    Settings(String),
    /// `core.worktree`: relative to the directory of the repository.
    WorkTree(String),
    /// A command that git runs by itself: a filter, a monitor, an editor. Aliases are run by whoever types them.
    Command(String),
}

/// Where a file of settings leads, and whether all of it was read.
#[must_use]
pub fn leads(text: &str) -> (Vec<Lead>, bool) {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let is_telling = |key: &str| TELLING.iter().any(|known| known.eq_ignore_ascii_case(key));
    if !is_set(text, is_telling) && !pages(text) {
        return (Vec::new(), true);
    }
    let mut cut = Cut::default();
    let found = entries(text, LINES, &mut cut, Span::new(0, text.len()));
    let found = found.into_iter().filter_map(|(key, value, _)| lead(&key, value));
    (found.filter(|lead| !lead.name().is_empty()).collect(), !cut.happened())
}

/// Whether a value is given to a key of which the last word is wanted: most files hold addresses and branches, and are not taken apart. A key
/// stands before its sign of equality, whatever stands around the two.
pub(in crate::programs) fn is_set(text: &str, is_wanted: impl Fn(&str) -> bool) -> bool {
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('=') {
        let key = before.trim_end_matches(|it: char| it.is_whitespace() || it == '\\');
        let start = key.rfind(|it: char| !it.is_ascii_alphanumeric() && it != '-');
        if is_wanted(key.get(start.map_or(0, |start| start + 1)..).unwrap_or_default()) {
            return true;
        }
        rest = after;
    }
    false
}

/// Whether there is a section of pagers, whose keys are commands of git.
fn pages(text: &str) -> bool {
    let section = |part: &str| part.get(..5).is_some_and(|it| it.eq_ignore_ascii_case("pager"));
    text.split('[').any(|part| section(part.trim_start()))
}

fn lead(key: &str, value: String) -> Option<Lead> {
    if key == "core.worktree" {
        return Some(Lead::WorkTree(value));
    }
    match means_of(key)? {
        Means::Directory if key == "core.hookspath" => Some(Lead::Hooks(value)),
        Means::Directory => Some(Lead::Templates(value)),
        Means::File => Some(Lead::Settings(value)),
        Means::Runs | Means::Replaces | Means::Opens | Means::Credentials | Means::Transport => {
            Some(Lead::Command(value))
        }
        Means::Banged
        | Means::Alias
        | Means::Setting
        | Means::Address
        | Means::Protocol
        | Means::Push => None,
    }
}

impl Lead {
    /// The name, or the command.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Hooks(name)
            | Self::Templates(name)
            | Self::Settings(name)
            | Self::WorkTree(name)
            | Self::Command(name) => name,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{super::super::git_tables::SETTINGS, *};

    #[test]
    fn what_leads_somewhere_is_told_and_data_is_not() {
        let text = "\u{feff}[core]\n\tbare = false\n\tHooksPath = \".husky/_\" ; x\n\tworktree=../w\n\
                    [include]\npath = ../a\n[includeIf \"gitdir:/x]y\"] path=b\n[init] templateDir = ~/t\n\
                    [filter \"x\"]\n\tclean = sh tools/x.sh %f\n[alias]\n\tst = !sh x.sh\n[user]\n\tname = a path\n";
        let expected = [
            Lead::Hooks(".husky/_".to_owned()),
            Lead::WorkTree("../w".to_owned()),
            Lead::Settings("../a".to_owned()),
            Lead::Settings("b".to_owned()),
            Lead::Templates("~/t".to_owned()),
            Lead::Command("sh tools/x.sh %f".to_owned()),
        ];
        assert_eq!(leads(text), (expected.to_vec(), true));
        assert!(!leads(&"[core]\nhooksPath=c\n".repeat(LINES)).1);
        assert_eq!(leads("[user]\nname = x\n[remote \"o\"]\nurl = y\n"), (Vec::new(), true));
        assert_eq!(leads("[Pager]\nlog = sh x.sh").0.len(), 1);
    }

    #[test]
    fn every_setting_that_leads_somewhere_is_looked_for() {
        for (pattern, _) in SETTINGS {
            let key = pattern.replace('*', "x");
            let last = key.rsplit('.').next().unwrap_or_default();
            let is_told = TELLING.contains(&last) || key.starts_with("pager.");
            assert_eq!(lead(&key, "x".to_owned()).is_some(), is_told, "{key}");
        }
        assert!(TELLING.is_sorted());
    }
}

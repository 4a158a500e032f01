//! Paths in rules. Owns their anchors and their wildcards; what is at a path is not its business.

use super::{RuleProblem, wildcard};
use crate::facts::Facts;

/// A pattern for paths, component by component.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct PathPattern {
    anchor: Anchor,
    /// `**` stands for any number of components.
    components: Vec<String>,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Anchor {
    Root,
    Home,
    Workspace,
    Directory,
}

impl PathPattern {
    pub(super) fn new(text: &str) -> Result<Self, RuleProblem> {
        let text = text.trim();
        let (anchor, rest) = if let Some(rest) = text.strip_prefix("//") {
            (Anchor::Root, rest)
        } else if text == "~" {
            (Anchor::Home, "")
        } else if let Some(rest) = text.strip_prefix("~/") {
            (Anchor::Home, rest)
        } else if let Some(rest) = text.strip_prefix('/') {
            (Anchor::Workspace, rest)
        } else {
            (Anchor::Directory, text)
        };
        let mut components: Vec<String> = rest
            .split('/')
            .filter(|component| !component.is_empty() && *component != ".")
            .map(str::to_owned)
            .collect();
        if components.iter().any(|component| component == "..") {
            return Err(RuleProblem::ParentPath);
        }
        if components.is_empty() && anchor == Anchor::Directory && !text.starts_with('.') {
            return Err(RuleProblem::Empty);
        }
        // As in gitignore: a bare name is that name anywhere below.
        if anchor == Anchor::Directory
            && !text.contains('/')
            && components.len() == 1
            && text != "."
        {
            components.insert(0, "**".to_owned());
        }
        if components.len() > MAX_COMPONENTS {
            return Err(RuleProblem::TooManyWords);
        }
        Ok(Self { anchor, components })
    }

    /// Whether an absolute, normalised path, or something it lies in, fits.
    pub(super) fn matches(&self, path: &str, facts: &Facts) -> bool {
        self.bases(facts).any(|base| {
            path.strip_prefix(base)
                .filter(|rest| rest.is_empty() || rest.starts_with('/'))
                .is_some_and(|rest| self.fits(&split(rest)))
        })
    }

    /// Whether a relative path fits where the working directory is not known.
    pub(super) fn matches_relative(&self, path: &str, facts: &Facts) -> bool {
        let same_anchor = match self.anchor {
            Anchor::Directory => facts.cwd.is_none() && !path.starts_with(['/', '~']),
            Anchor::Workspace => {
                facts.workspace.is_none() && facts.cwd.is_none() && !path.starts_with(['/', '~'])
            }
            Anchor::Home => facts.home.is_none() && path.starts_with("~/"),
            Anchor::Root => false,
        };
        let path = path.strip_prefix("~/").unwrap_or(path);
        let components = split(path);
        same_anchor
            && !components.contains(&"..")
            && self.fits(&components.into_iter().filter(|part| *part != ".").collect::<Vec<_>>())
    }

    /// Whether a path with wildcards as a shell has them could become one that fits.
    pub(super) fn could_match(&self, pattern: &str, facts: &Facts) -> bool {
        self.bases(facts).any(|base| {
            let wanted: Vec<&str> =
                split(base).into_iter().chain(self.components.iter().map(String::as_str)).collect();
            let given = split(pattern);
            wanted.len() == given.len()
                && given.iter().zip(&wanted).all(|(given, wanted)| {
                    given == wanted || wanted.contains('*') || wildcard(&loosened(given), wanted)
                })
        })
    }

    fn bases<'a>(&self, facts: &'a Facts) -> impl Iterator<Item = &'a str> {
        let (first, second) = match self.anchor {
            Anchor::Root => (Some(""), None),
            Anchor::Home => (facts.home.as_deref(), None),
            Anchor::Workspace => (facts.workspace.as_deref().or(facts.cwd.as_deref()), None),
            Anchor::Directory => (facts.cwd.as_deref(), facts.workspace.as_deref()),
        };
        first.into_iter().chain(second).map(|base| base.trim_end_matches('/'))
    }

    fn fits(&self, path: &[&str]) -> bool {
        // reached[i]: the first i components of the path fit the pattern so far.
        let mut reached = vec![false; path.len() + 1];
        if let Some(start) = reached.first_mut() {
            *start = true;
        }
        for wanted in &self.components {
            let mut next = vec![false; path.len() + 1];
            let mut any_before = false;
            for (index, cell) in next.iter_mut().enumerate() {
                let here = reached.get(index).copied().unwrap_or(false);
                any_before |= here;
                *cell = if wanted == "**" {
                    any_before
                } else {
                    index
                        .checked_sub(1)
                        .filter(|before| reached.get(*before).copied().unwrap_or(false))
                        .and_then(|before| path.get(before))
                        .is_some_and(|component| wildcard(wanted, component))
                };
            }
            reached = next;
        }
        // Everything below a path that fits fits too.
        reached.into_iter().any(|fits| fits)
    }
}

/// More components than any path of a rule needs; keeps matching bounded.
const MAX_COMPONENTS: usize = 64;

fn split(path: &str) -> Vec<&str> {
    path.split('/').filter(|component| !component.is_empty()).collect()
}

/// A shell's pattern with its classes and question marks as stars, which match more.
fn loosened(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len());
    let mut in_class = false;
    for letter in pattern.chars() {
        match letter {
            '[' | '{' => in_class = true,
            ']' | '}' if in_class => {
                in_class = false;
                out.push('*');
            }
            _ if in_class => {}
            '?' => out.push('*'),
            other => out.push(other),
        }
    }
    out
}

/// A path as it is from the root, without `.` and `..`; `None` where the start is not known.
pub(super) fn absolute(path: &str, facts: &Facts) -> Option<String> {
    let path = path.strip_prefix("file://").unwrap_or(path);
    let whole = if path.starts_with('/') {
        path.to_owned()
    } else if path == "~" {
        facts.home.clone()?
    } else if let Some(rest) = path.strip_prefix("~/") {
        format!("{}/{rest}", facts.home.as_ref()?)
    } else {
        format!("{}/{path}", facts.cwd.as_ref()?)
    };
    let mut kept: Vec<&str> = Vec::new();
    for component in whole.split('/') {
        match component {
            "" | "." => {}
            ".." => {
                kept.pop();
            }
            name => kept.push(name),
        }
    }
    Some(format!("/{}", kept.join("/")))
}

//! Names of branches and packages that tools are given. Owns their grammars.

use serde::Deserialize;

use super::{Refused, seen};

/// A branch, tag or commit.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct GitRefRules {
    /// Whether it may be an expression (`HEAD~2`, `main..topic`) and not only a name.
    pub revisions: bool,
}

impl GitRefRules {
    pub(super) fn check(&self, name: &str) -> Result<(), Refused> {
        let refuse = |message: &str| Err(Refused::new("git-ref", message));
        seen("git-ref", name)?;
        if name.is_empty() || name.len() > 255 {
            return refuse("the name is empty or too long");
        }
        if name.starts_with('-') {
            return refuse("a name that begins with `-` would be read as an option");
        }
        let forbidden = if self.revisions { " *?[\\:" } else { " ~^:?*[\\" };
        if name.chars().any(|letter| forbidden.contains(letter)) {
            return refuse("the name holds a character that no name of git has");
        }
        let is_bad =
            |part: &str| part.is_empty() || part.starts_with('.') || part.ends_with(".lock");
        if !self.revisions
            && (name.contains("..")
                || name.contains("@{")
                || name == "@"
                || name.ends_with('.')
                || name.split('/').any(is_bad))
        {
            return refuse("it is not the name of a branch, a tag or a commit");
        }
        Ok(())
    }
}

/// The name of a package.
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct PackageRules {
    /// Whose names.
    pub ecosystem: Ecosystem,
    /// The only packages; any where none is named.
    pub allowed: Vec<String>,
    /// Whether a version must be named (`name@1.2.3`, `name==1.2.3`).
    pub pinned: bool,
}

/// Whose package names.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Ecosystem {
    /// npm and what reads its registry.
    #[default]
    Npm,
    /// Python's index.
    Pypi,
    /// crates.io.
    Cargo,
    /// Debian and its relatives.
    Apt,
}

impl PackageRules {
    pub(super) fn check(&self, package: &str) -> Result<(), Refused> {
        let refuse = |message: &str| Err(Refused::new("package", message));
        let (name, version) = match self.ecosystem {
            // The first character may be the `@` of a scope.
            Ecosystem::Npm => match package.get(1..).and_then(|rest| rest.find('@')) {
                Some(at) => package.split_at(at + 1),
                None => (package, ""),
            },
            Ecosystem::Pypi => package.find("==").map_or((package, ""), |at| package.split_at(at)),
            Ecosystem::Cargo => package.find('@').map_or((package, ""), |at| package.split_at(at)),
            Ecosystem::Apt => package.find('=').map_or((package, ""), |at| package.split_at(at)),
        };
        let version = version.trim_start_matches(['@', '=']);
        if [name, version].iter().any(|part| is_file_of_package(part)) {
            return refuse("it names a file, and not a package of a registry");
        }
        let small = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit();
        let part = |part: &str| {
            part.starts_with(small)
                && part.chars().all(|letter| small(letter) || "-_.".contains(letter))
        };
        let is_name = match self.ecosystem {
            Ecosystem::Npm => match name.strip_prefix('@') {
                Some(scoped) => {
                    scoped.split_once('/').is_some_and(|(scope, name)| part(scope) && part(name))
                }
                None => part(name),
            },
            Ecosystem::Pypi => {
                name.starts_with(|letter: char| letter.is_ascii_alphanumeric())
                    && name.ends_with(|letter: char| letter.is_ascii_alphanumeric())
                    && name
                        .chars()
                        .all(|letter| letter.is_ascii_alphanumeric() || "-_.".contains(letter))
            }
            Ecosystem::Cargo => {
                name.starts_with(|letter: char| letter.is_ascii_alphabetic())
                    && name
                        .chars()
                        .all(|letter| letter.is_ascii_alphanumeric() || "-_".contains(letter))
            }
            Ecosystem::Apt => {
                name.len() > 1
                    && name.starts_with(small)
                    // A minus at the end takes the package away.
                    && !name.ends_with('-')
                    && name.chars().all(|letter| small(letter) || "+-.".contains(letter))
            }
        };
        if !is_name || name.len() > 214 {
            return refuse("it is not the name of a package of a registry");
        }
        // Elsewhere what stands before a colon says where the package comes from, or names another one: `npm:`, `file:`, `github:`.
        let marks = if self.ecosystem == Ecosystem::Apt { ".-+~:" } else { ".-+~" };
        if !version.chars().all(|letter| letter.is_ascii_alphanumeric() || marks.contains(letter))
            || version.starts_with(['-', '.'])
        {
            return refuse("the version is not one");
        }
        let is_exact = match self.ecosystem {
            // Fewer than three numbers are a range.
            Ecosystem::Npm | Ecosystem::Cargo => {
                let numbers = version.split(['-', '+']).next().unwrap_or_default();
                let is_number =
                    |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
                numbers.split('.').count() == 3 && numbers.split('.').all(is_number)
            }
            Ecosystem::Pypi | Ecosystem::Apt => {
                version.starts_with(|letter: char| letter.is_ascii_digit())
            }
        };
        if self.pinned && !is_exact {
            return refuse("the package must be named with its exact version");
        }
        if !self.allowed.is_empty() && !self.allowed.iter().any(|allowed| allowed == name) {
            return refuse("this tool does not install that package");
        }
        Ok(())
    }
}

/// Whether installers take a text for a file that holds a package, by its ending alone.
fn is_file_of_package(text: &str) -> bool {
    const ENDINGS: &[&str] = &[
        ".tgz",
        ".tar",
        ".tar.gz",
        ".tar.bz2",
        ".tar.xz",
        ".tar.lz",
        ".tar.lzma",
        ".tar.zst",
        ".tbz",
        ".txz",
        ".tlz",
        ".zip",
        ".whl",
        ".egg",
        ".crate",
        ".deb",
        ".gz",
        ".bz2",
        ".xz",
    ];
    let lower = text.to_ascii_lowercase();
    ENDINGS.iter().any(|ending| lower.ends_with(ending))
}

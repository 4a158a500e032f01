//! Which part of the machine a path lies in. Owns the tables of system directories, build artefacts and caches.

use std::borrow::Cow;

use super::{
    agents,
    index::index,
    pattern::{Located, is_bare, is_drive, is_other_home},
    system::{SYSTEM, SYSTEM_TOPS},
};
use crate::{facts::Facts, standing::Place};

pub(super) fn ground(located: &Located<'_>, facts: &Facts) -> Place {
    let parts = located.all();
    if is_gate(located, facts) {
        return Place::Gate;
    }
    let (first, depth) = match parts {
        [] => return Place::Root,
        [only] if is_bare(only) => return Place::Root,
        [unknown] if unknown == "**" => return Place::Unknown,
        [drive] if is_drive(Some(drive)) => return Place::Root,
        [drive, rest] if is_drive(Some(drive)) && is_bare(rest) => return Place::Root,
        [first, ..] if is_bare(first) => return Place::System,
        [first, ..] => (first.as_ref(), parts.len()),
    };
    if let Some(place) = device(located, first) {
        return place;
    }
    if let Some(below) = located.below_workspace() {
        return workspace(located, below);
    }
    if is_of_agent(located) {
        return Place::Agent;
    }
    if let Some(below) = located.below_home() {
        return home(located, below);
    }
    if parts.iter().any(|part| is_other_home(part)) {
        let last = parts.last().is_some_and(|part| is_other_home(part) || is_bare(part));
        return if last { Place::HomeTop } else { Place::OtherHome };
    }
    if let Some((_, place)) = around(located).and_then(|row| AROUND.get(row)) {
        return *place;
    }
    if let Some(temporary) = facts.temporary.as_deref()
        && located.overlaps(temporary, facts)
    {
        return Place::Temporary;
    }
    let top = depth == 1 || (depth == 2 && parts.last().is_some_and(|last| is_bare(last)));
    let is_one_of = |names: &[&str]| {
        names.iter().any(|name| {
            *name == first || (first.contains(['*', '?', '[']) && super::glob(first, name, false))
        })
    };
    if top && is_one_of(SYSTEM_TOPS) {
        return Place::SystemTop;
    }
    if is_one_of(SYSTEM)
        || is_drive(parts.first())
            && located.may_match("?:/Windows|Program*|Boot|ProgramData|Recovery/**")
    {
        return Place::System;
    }
    if is_one_of(SITE) {
        return Place::Site;
    }
    if parts.iter().any(|part| ARTIFACTS_ANYWHERE.contains(&part.as_ref())) {
        return Place::Artifact;
    }
    if parts.iter().any(|part| part == ".git") {
        return version_control(parts);
    }
    Place::Elsewhere
}

fn is_gate(located: &Located<'_>, facts: &Facts) -> bool {
    // What says nothing of any name, as `/**/?*`, is everything, and not the gate among it.
    let names_something = located.all().iter().any(|part| !is_bare(part) && part != "**");
    let kind = other_kind(located);
    let is_of_kind = |path: &str| kind.is_none_or(|kind| path.ends_with(kind));
    names_something
        && (facts.guarded.iter().any(|path| is_of_kind(path) && located.overlaps(path, facts))
            || kind.is_none()
                && (index!(GATE, row => row).row(located).is_some() || is_through_pattern(located)))
}

/// What the gate keeps in its directories, as the ways to them end.
const KEPT_THERE: &[&str] = &[
    "audit.db",
    "audit.db-shm",
    "audit.db-wal",
    "config.toml",
    "gateway",
    "head",
    "memory",
    "tools.toml",
];

/// Whether the end of a path, of which nobody knows where it begins, leads to what the gate keeps.
pub(super) fn is_of_gate<'a>(parts: impl Iterator<Item = &'a str>) -> bool {
    let parts: Vec<&str> = parts.filter(|part| !part.is_empty() && *part != ".").collect();
    let may_be = |part: &str, name: &str| {
        part == name
            || !is_bare(part) && part.contains(['*', '?', '[']) && super::glob(part, name, false)
    };
    parts.iter().enumerate().any(|(at, part)| {
        if !may_be(part, "portcullis") {
            return false;
        }
        let before = at.checked_sub(1).and_then(|at| parts.get(at)).copied();
        let is_kept =
            parts.get(at + 1).is_some_and(|next| KEPT_THERE.iter().any(|name| may_be(next, name)));
        is_kept || before.is_some_and(|before| matches!(before, ".config" | "state" | "share"))
    })
}

/// Whether a path goes through a pattern, which may fit a link, to what the gate keeps: `*/portcullis/config.toml`.
fn is_through_pattern(located: &Located<'_>) -> bool {
    let parts = located.all();
    let is_pattern = |part: &Cow<'_, str>| part.contains(['*', '?', '[']);
    // Most paths have none.
    let Some(first) = parts.iter().position(is_pattern) else { return false };
    let behind = parts.get(first + 1..).unwrap_or_default();
    is_of_gate(behind.iter().map(AsRef::as_ref))
}

/// The ending of a path that may lead into any directory, as `/etc/**/*.conf`, where the gate keeps nothing of that kind.
fn other_kind<'a>(located: &'a Located<'_>) -> Option<&'a str> {
    const KEPT: &[&str] = &["db", "exe", "json", "lock", "portcullis", "toml", "token"];
    let (last, folders) = located.all().split_last()?;
    let at = last.rfind('.')?;
    let (ending, kind) = (last.get(at..)?, last.get(at + 1..)?);
    let is_other = folders.iter().any(|folder| is_bare(folder) || folder == "**")
        && !kind.is_empty()
        && kind.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && !KEPT.iter().any(|kept| kept.starts_with(kind) || kind.starts_with(kept));
    is_other.then_some(ending)
}

/// Whether a path lies where a pattern says. What may be thrown away must surely lie there: `/var/**/x` may lie in
/// `/var/tmp`, and is more than that.
fn fits(located: &Located<'_>, pattern: &str, place: Place) -> bool {
    let disposable =
        matches!(place, Place::Artifact | Place::Cache | Place::Harmless | Place::Temporary);
    if disposable && !located.is_literal() {
        located.surely_matches(pattern)
    } else {
        located.may_match(pattern)
    }
}

/// The row of [`AROUND`] that a path belongs to.
fn around(located: &Located<'_>) -> Option<usize> {
    if located.is_literal() {
        return index!(AROUND, row => row.0).row(located);
    }
    AROUND.iter().position(|(patterns, place)| {
        let is_top = matches!(place, Place::SystemTop | Place::TemporaryTop);
        patterns.iter().any(|pattern| {
            if is_top { located.whole_may_match(pattern) } else { fits(located, pattern, *place) }
        })
    })
}

fn device(located: &Located<'_>, first: &str) -> Option<Place> {
    match first {
        "dev" => {
            if located.all().len() == 1
                || located.surely_matches("/dev/*")
                    && located.all().last().is_some_and(|last| is_bare(last))
            {
                return Some(Place::SystemTop);
            }
            DEVICES
                .iter()
                .find(|(pattern, place)| fits(located, pattern, *place))
                .map_or(Some(Place::Device), |(_, place)| Some(*place))
        }
        "proc" | "sys" if located.all().len() > 1 => {
            let harmless = located.surely_matches("/proc/self|thread-self/fd/*");
            Some(if harmless { Place::Harmless } else { Place::Kernel })
        }
        _ if located.surely_matches("NUL") || first.starts_with(r"\\.\PhysicalDrive") => {
            Some(if first == "NUL" { Place::Harmless } else { Place::RawDevice })
        }
        _ => None,
    }
}

/// Whether a path names what an agent is set up with; a pattern that only may name some of it stays what it is besides.
fn is_of_agent(located: &Located<'_>) -> bool {
    agents::find(located).is_some_and(|file| {
        file.is_guarding()
            && (located.is_literal()
                || file.patterns.iter().any(|pattern| located.surely_matches(pattern)))
    })
}

fn workspace(located: &Located<'_>, below: &[Cow<'_, str>]) -> Place {
    match below {
        [] => return Place::WorkspaceTop,
        [only] if is_bare(only) => return Place::WorkspaceTop,
        [one, two] if is_bare(one) && is_bare(two) => return Place::WorkspaceTop,
        [name] if CONTROL.contains(&name.as_ref()) => return Place::VersionControlTop,
        _ => {}
    }
    if below.iter().any(|part| CONTROL.contains(&part.as_ref())) {
        return version_control(below);
    }
    if is_of_agent(located) {
        return Place::Agent;
    }
    if index!(CONTINUOUS_INTEGRATION, row => row).row(located).is_some() {
        return Place::ContinuousIntegration;
    }
    if below.iter().any(|part| is_made(part)) { Place::Artifact } else { Place::Workspace }
}

/// Whether a name says that a build or a tool makes what bears it.
fn is_made(name: &str) -> bool {
    ARTIFACTS.binary_search(&name).is_ok()
        || ARTIFACT_FORMS.iter().any(|form| super::glob(form, name, false))
}

fn version_control(below: &[Cow<'_, str>]) -> Place {
    let whole =
        below.iter().position(|part| CONTROL.contains(&part.as_ref())).is_some_and(
            |at| match below.get(at + 1..).unwrap_or_default() {
                [] => true,
                [only] => is_bare(only) || matches!(only.as_ref(), "objects" | "refs"),
                _ => false,
            },
        );
    if whole { Place::VersionControlTop } else { Place::VersionControl }
}

fn home(located: &Located<'_>, below: &[Cow<'_, str>]) -> Place {
    let own = located.home.is_some_and(|(_, own)| own);
    match below {
        [] => return Place::HomeTop,
        [only] if is_bare(only) => return Place::HomeTop,
        _ => {}
    }
    let is_cache = if located.is_literal() {
        index!(HOME_CACHES, row => row).row(located).is_some()
    } else {
        HOME_CACHES.iter().copied().flatten().any(|pattern| located.surely_matches(pattern))
    };
    if is_cache {
        return Place::Cache;
    }
    if below.iter().any(|part| ARTIFACTS_ANYWHERE.contains(&part.as_ref())) {
        return Place::Artifact;
    }
    if own { Place::Home } else { Place::OtherHome }
}

/// Whether the known end of a path says that it is something a build made.
pub(super) fn is_artifact(rest: &str) -> bool {
    rest.rsplit('/')
        .find(|part| !part.is_empty())
        .is_some_and(|last| !is_bare(last) && ARTIFACTS_ANYWHERE.contains(&last))
}

/// And the ones that hold what was put there by hand.
const SITE: &[&str] = &["opt", "srv"];

/// The gate's own files where nobody said where they are.
static GATE: &[&[&str]] = &[&[
    "~/.config/portcullis/**",
    "~/.local/state/portcullis/**",
    "~/.local/share/portcullis/**",
    "~/Library/Application Support/portcullis/**",
    "~/AppData/Roaming/portcullis/**",
    "~/AppData/Local/portcullis/**",
    "~/.local|.cargo/bin/portcullis|portcullis.exe",
    "~/bin/portcullis|portcullis.exe",
    "~/.portcullis/**",
    "/etc/portcullis/**",
    "/var/lib/portcullis/**",
    "/usr/bin/portcullis",
    "/usr/local/bin/portcullis",
    "**/bin|sbin|.bin|shims/portcullis|portcullis.exe|portcullis.cmd",
    "~/.config/systemd/user/portcullis*",
    "~/Library/LaunchAgents/*portcullis*",
    "/Library/LaunchDaemons/*portcullis*",
    "/opt/portcullis/**",
    "/opt/homebrew/bin/portcullis",
    "/etc/systemd/system/portcullis*",
    "./.portcullis/**",
    "./.portcullis.toml|portcullis.toml",
]];

/// Devices by what they hold.
const DEVICES: &[(&str, Place)] = &[
    ("/dev/null|zero|full|random|urandom|tty|stdin|stdout|stderr|console|ptmx", Place::Harmless),
    ("/dev/fd|pts/**", Place::Harmless),
    ("/dev/tty*", Place::Harmless),
    ("/dev/shm/*/**", Place::Temporary),
    ("/dev/shm", Place::TemporaryTop),
    ("/dev/tcp|udp/**", Place::Harmless),
    (
        "/dev/sd?*|hd?*|vd?*|xvd*|nvme*|mmcblk*|md*|dm-*|disk*|rdisk*|nbd*|zd*|bcache*|mtd*|ram*|loop*|sr*|zram*|fio*",
        Place::RawDevice,
    ),
    ("/dev/disk|mapper|block|md|zvol|ubuntu-vg|vg*|pve/**", Place::RawDevice),
    ("/dev/mem|kmem|port|kcore|core|oldmem", Place::RawDevice),
];

/// Places outside workspace and homes that are neither system nor nothing in particular. First match counts.
static AROUND: &[(&[&str], Place)] = &[
    (&["/tmp"], Place::TemporaryTop),
    (&["/tmp/**"], Place::Temporary),
    (&["/var/tmp"], Place::TemporaryTop),
    (
        &[
            "/var/tmp/**",
            "/var/folders/*/**",
            "/run/user/*/**",
            "/run/lock/*",
            "?:/Windows/Temp/**",
            "?:/Temp|tmp/**",
        ],
        Place::Temporary,
    ),
    (
        &[
            "/var/cache/**",
            "/var/lib/apt/lists/**",
            "/var/lib/dnf|yum/**",
            "/var/crash/**",
            "/Library/Caches/**",
        ],
        Place::Cache,
    ),
    (
        &[
            "/var/log",
            "/var/log/**",
            "/var/audit/**",
            "/Library/Logs/**",
            "?:/Windows/System32/winevt/**",
        ],
        Place::Log,
    ),
    (&["/boot/**", "/efi|esp/**", "/sys/firmware/**", "?:/bootmgr|Boot/**"], Place::Boot),
    (&["/usr/bin|sbin|lib|lib64|lib32|libexec|share|include|local"], Place::SystemTop),
    (&["/usr/bin|sbin|lib|lib64|lib32|libexec|share|include/**"], Place::System),
    (&["/usr/local/**", "/var/www|opt|games/**"], Place::Site),
    (
        &[
            "/var/lib|db|spool|mail|backups|home",
            "/home|Users/*",
            "?:/Windows|Users|Program*|ProgramData|Recovery",
            "?:/Windows/System32",
            "/System/Library",
        ],
        Place::SystemTop,
    ),
    (&["/Library/Caches/**"], Place::Cache),
    (&["/nix/store"], Place::SystemTop),
    (&["/vmlinuz*|initrd*"], Place::Boot),
];

/// Version control systems' own directories.
const CONTROL: &[&str] = &[".git", ".hg", ".svn", ".jj", ".bzr", ".pijul", ".sl"];

/// Configuration of continuous integration.
static CONTINUOUS_INTEGRATION: &[&[&str]] = &[&[
    "./.github/workflows|actions/**",
    "./.gitlab-ci.yml",
    "./.gitlab/**",
    "./.circleci/**",
    "./.buildkite/**",
    "./.drone.yml|.travis.yml|.appveyor.yml|appveyor.yml|azure-pipelines.yml|bitbucket-pipelines.yml",
    "./.woodpecker.yml|.cirrus.yml|Jenkinsfile|cloudbuild.yaml|buildspec.yml|.semaphore",
    "./.woodpecker|.teamcity|.azure-pipelines|.forgejo|.gitea/**",
]];

/// What builds and tools make in a workspace, by any component's name, sorted.
const ARTIFACTS: &[&str] = &[
    ".DS_Store",
    ".angular",
    ".astro",
    ".aws-sam",
    ".build",
    ".cache",
    ".coverage",
    ".dart_tool",
    ".docusaurus",
    ".eggs",
    ".eslintcache",
    ".expo",
    ".gradle",
    ".hypothesis",
    ".ipynb_checkpoints",
    ".mypy_cache",
    ".next",
    ".nox",
    ".nuxt",
    ".nyc_output",
    ".output",
    ".parcel-cache",
    ".pytest_cache",
    ".rollup.cache",
    ".ruff_cache",
    ".serverless",
    ".stack-work",
    ".stylelintcache",
    ".svelte-kit",
    ".terraform",
    ".terragrunt-cache",
    ".tmp",
    ".tox",
    ".turbo",
    ".venv",
    ".virtualenv",
    ".vite",
    ".webpack",
    ".zig-cache",
    "CMakeCache.txt",
    "CMakeFiles",
    "Debug",
    "DerivedData",
    "Pods",
    "Release",
    "Thumbs.db",
    "__pycache__",
    "_build",
    "a.out",
    "build",
    "cache",
    "cdk.out",
    "coverage",
    "dist",
    "dist-newstyle",
    "elm-stuff",
    "htmlcov",
    "lcov.info",
    "logs",
    "node_modules",
    "nohup.out",
    "obj",
    "out",
    "output",
    "storybook-static",
    "target",
    "temp",
    "tmp",
    "venv",
    "zig-cache",
    "zig-out",
];

/// And by forms of such names.
const ARTIFACT_FORMS: &[&str] = &[
    "dist-*",
    "build-*",
    "*.egg",
    "*.egg-info",
    "*.tsbuildinfo",
    ".coverage.*",
    "cmake-build-*",
    ".bazel-*",
    "bazel-*",
    "*.o",
    "*.a",
    "*.so",
    "*.obj",
    "*.pyc",
    "*.pyo",
    "*.class",
    "*.log",
    "*.swp",
    "*.swo",
    "*~",
    "*.orig",
    "*.rej",
    "*.gcda",
    "*.gcno",
    "*.profraw",
    "*.min.js.map",
    "core.[0-9]*",
    "npm-debug.log*",
];

/// Of these, the names that mean the same outside a workspace.
const ARTIFACTS_ANYWHERE: &[&str] = &[
    "node_modules",
    "__pycache__",
    ".venv",
    ".pytest_cache",
    ".mypy_cache",
    ".ruff_cache",
    ".tox",
    ".next",
    ".nuxt",
    ".turbo",
    ".parcel-cache",
    ".nyc_output",
    ".gradle",
    ".terraform",
    "CMakeFiles",
    "dist",
    "build",
    "target",
];

/// Caches in a home directory: gone today, back tomorrow.
static HOME_CACHES: &[&[&str]] = &[&[
    "~/.cache/**",
    "~/.npm/**",
    "~/.pnpm-store/**",
    "~/.yarn/cache|berry/**",
    "~/.bun/install/cache/**",
    "~/.cargo/registry|git/**",
    "~/.rustup/tmp|downloads/**",
    "~/.gradle/caches|daemon|wrapper/**",
    "~/.m2/repository/**",
    "~/.ivy2/cache/**",
    "~/.nuget/packages/**",
    "~/.gem/specs/**",
    "~/.composer/cache/**",
    "~/.conda/pkgs/**",
    "~/.ccache|.sccache|.electron|.electron-gyp|.node-gyp|.nv|.thumbnails/**",
    "~/.local/share/Trash/**",
    "~/.local/share/virtualenvs/**",
    "~/.local/share/pnpm/store/**",
    "~/go/pkg/mod/cache|sumdb/**",
    "~/go/pkg/mod/**",
    "~/Library/Caches|Logs/**",
    "~/Library/Developer/Xcode/DerivedData/**",
    "~/.Trash/**",
    "~/AppData/Local/Temp|npm-cache|pip|Yarn|NuGet/**",
    "~/.terraform.d/plugin-cache/**",
    "~/.vagrant.d/tmp/**",
    "~/tmp|temp/**",
]];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_artefacts_are_sorted() {
        for pair in ARTIFACTS.windows(2) {
            assert!(pair.is_sorted(), "{pair:?}");
        }
    }
}

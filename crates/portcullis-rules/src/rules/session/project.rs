//! What everybody who works on a project runs: its checks and builds, the install of what it names, and packages that are added to it. Owns
//! which commands these are.

/// What a command is to the project that it runs in.
#[derive(Debug, Default)]
pub(super) struct Work<'a> {
    /// Whether it only checks or builds, or fetches what the project names already.
    pub(super) is_mild: bool,
    /// The packages that it adds by name.
    pub(super) packages: Vec<&'a str>,
}

/// What a command is to its project.
pub(super) fn of<'a>(program: &str, words: &[&'a str]) -> Work<'a> {
    let (program, words) = bare(program, words);
    if let Some(packages) = installed(program, words) {
        return Work { is_mild: packages.is_empty(), packages };
    }
    Work { is_mild: runs_check(program, words), packages: Vec::new() }
}

/// A command without what only says in which surroundings it runs: `bundle exec pod install`, `python -m pip install`.
fn bare<'a, 'b>(program: &'b str, words: &'b [&'a str]) -> (&'b str, &'b [&'a str]) {
    match (program, words) {
        ("bundle" | "pnpm" | "yarn" | "npm", ["exec", rest @ ..])
        | ("poetry" | "uv" | "pdm" | "pipenv" | "hatch", ["run", rest @ ..])
        | ("npx" | "bunx", rest)
        | ("python" | "python3", ["-m", rest @ ..]) => match rest {
            [inner, rest @ ..] if !inner.starts_with('-') => (inner, rest),
            _ => (program, words),
        },
        ("uv", ["pip", rest @ ..]) => ("pip", rest),
        ("dotnet", ["add", "package", ..]) => (program, words.get(1..).unwrap_or_default()),
        _ => (program, words),
    }
}

/// The packages that a command installs, none where it installs what the project names; `None` where it installs nothing.
fn installed<'a>(program: &str, words: &[&'a str]) -> Option<Vec<&'a str>> {
    let (first, rest) = words.split_first()?;
    let is_install = match program {
        "npm" | "pnpm" | "yarn" | "bun" => matches!(*first, "install" | "i" | "ci" | "add"),
        "pip" | "pip3" | "pipx" | "gem" | "brew" | "apt" | "apt-get" | "conda" | "mamba" => {
            *first == "install"
        }
        "poetry" | "pdm" | "uv" | "pipenv" | "cargo" => {
            matches!(*first, "add" | "install" | "sync")
        }
        "composer" => matches!(*first, "install" | "require"),
        "go" => *first == "get",
        "dotnet" => matches!(*first, "package" | "restore"),
        "bundle" => matches!(*first, "install" | "add"),
        "pod" => *first == "install",
        _ => false,
    };
    if !is_install {
        return None;
    }
    let mut packages = Vec::new();
    let mut is_value = false;
    for word in rest {
        if word.starts_with('-') {
            is_value = TAKES_VALUE.contains(word);
        } else if std::mem::take(&mut is_value) || matches!(*word, "." | "./...") {
            // The value of an option, or the project itself.
        } else {
            // `axios@1.7.9` is axios.
            let ends = |(_, letter): &(usize, char)| "@=<>~![".contains(*letter);
            let end = word.char_indices().skip(1).find(ends).map_or(word.len(), |(at, _)| at);
            packages.extend(word.get(..end));
        }
    }
    Some(packages)
}

/// Options of installers whose value names no package.
const TAKES_VALUE: &[&str] = &[
    "-r",
    "--requirement",
    "-c",
    "--constraint",
    "-e",
    "--editable",
    "--prefix",
    "-C",
    "--cwd",
    "--dir",
    "--extra",
    "--group",
    "--index-url",
    "-i",
    "--registry",
    "--target",
    "-t",
    "--python",
    "--project-directory",
];

/// Whether a command runs a check or a build of the project by the name of its script.
fn runs_check(program: &str, words: &[&str]) -> bool {
    let script = match (program, words) {
        ("npm" | "pnpm" | "yarn" | "bun", ["run" | "run-script", rest @ ..]) => {
            rest.iter().find(|word| !word.starts_with('-'))
        }
        _ => None,
    };
    script.is_some_and(|script| {
        let mut parts = script.split([':', '-', '_', '.']);
        let is_check = parts.clone().any(|part| CHECKS.contains(&part));
        is_check && !parts.any(|part| GOES_OUT.contains(&part))
    })
}

/// Parts of the names of scripts that check or build.
const CHECKS: &[&str] = &[
    "audit",
    "build",
    "check",
    "compile",
    "coverage",
    "e2e",
    "eslint",
    "fmt",
    "format",
    "jest",
    "lint",
    "prettier",
    "spec",
    "stylelint",
    "test",
    "tests",
    "tsc",
    "type",
    "typecheck",
    "types",
    "typescript",
    "unit",
    "validate",
    "verify",
    "vitest",
];

/// Parts of the names of scripts that do more than that.
const GOES_OUT: &[&str] = &[
    "clean",
    "db",
    "deploy",
    "down",
    "drop",
    "install",
    "migrate",
    "migration",
    "post",
    "prod",
    "production",
    "publish",
    "push",
    "release",
    "reset",
    "seed",
    "send",
    "upload",
    "wipe",
];

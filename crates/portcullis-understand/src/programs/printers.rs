//! Programs whose output is made to be run by the shell that called them. Owns the table: which, told what.

use super::cards;
use crate::effect::Run;

/// A program, and the words that it is told, of which the first ones count; more may follow where the row ends in `…`.
static PRINTERS: &[(&str, &[&str])] = &[
    ("brew", &["shellenv", "shellenv bash", "shellenv zsh"]),
    ("conda", &["shell.bash hook", "shell.zsh hook", "shell.posix hook", "shell.bash activate …"]),
    ("dircolors", &["", "-b", "-c"]),
    ("direnv", &["hook bash", "hook zsh", "export bash", "export zsh"]),
    ("docker-machine", &["env", "env …"]),
    (
        "fnm",
        &[
            "env",
            "env --use-on-cd",
            "env --shell bash",
            "env --use-on-cd --shell bash",
            "env --shell zsh",
            "env --use-on-cd --shell zsh",
        ],
    ),
    ("gimme", &["…"]),
    ("goenv", &["init -", "init - bash"]),
    ("jenv", &["init -", "init - bash"]),
    ("keychain", &["--eval …"]),
    ("lesspipe", &[""]),
    ("luarocks", &["path", "path --bin"]),
    ("mamba", &["shell hook --shell bash", "shell hook --shell zsh"]),
    (
        "micromamba",
        &[
            "shell hook --shell bash",
            "shell hook --shell zsh",
            "shell hook -s bash",
            "shell hook -s zsh",
        ],
    ),
    ("minikube", &["docker-env", "docker-env --shell bash", "podman-env", "completion bash"]),
    (
        "mise",
        &[
            "activate bash",
            "activate bash --shims",
            "activate zsh",
            "activate zsh --shims",
            "env",
            "env -s bash",
            "hook-env",
        ],
    ),
    ("nodenv", &["init -", "init - bash"]),
    ("npm", &["completion"]),
    ("opam", &["config env", "env", "env --shell=bash"]),
    ("phpenv", &["init -"]),
    ("pip", &["completion --bash"]),
    ("plenv", &["init -"]),
    (
        "pyenv",
        &[
            "init -",
            "init --path",
            "init - bash",
            "init - zsh",
            "init - --no-rehash",
            "virtualenv-init -",
        ],
    ),
    ("rbenv", &["init -", "init - bash", "init - zsh", "init - --no-rehash bash"]),
    ("register-python-argcomplete", &["…"]),
    ("resize", &[""]),
    ("rustup", &["completions bash", "completions bash cargo"]),
    ("ssh-agent", &["", "-s", "-c"]),
    ("starship", &["init bash", "init zsh"]),
    ("task", &["--completion bash", "--completion zsh"]),
    ("thefuck", &["--alias"]),
    ("uv", &["generate-shell-completion bash", "generate-shell-completion zsh"]),
    ("zoxide", &["init bash", "init zsh"]),
];

/// Directories in which package managers keep such programs.
const PLACES: &[&str] = &[
    "/bin/",
    "/home/linuxbrew/.linuxbrew/bin/",
    "/opt/homebrew/bin/",
    "/usr/bin/",
    "/usr/local/bin/",
];

/// Whether a program prints code for the shell that called it, and nothing that anybody else wrote into it.
pub(crate) fn prints_for_shells(run: &Run) -> bool {
    let Some(name) = run.name.text.as_known() else { return false };
    let is_in_place = name == run.program
        || PLACES.iter().any(|place| name.strip_prefix(place) == Some(run.program.as_str()));
    let words: Option<Vec<&str>> = run.arguments.iter().map(|word| word.text.as_known()).collect();
    let (Some(words), true, None) = (words, is_in_place, &run.input) else { return false };
    let at = PRINTERS.binary_search_by(|row| row.0.cmp(run.program.as_str())).ok();
    let shapes = at.and_then(|at| PRINTERS.get(at)).map(|(_, shapes)| *shapes);
    let on_card = || cards::card(&run.program).map(|card| card.prints);
    let shapes = shapes.or_else(|| on_card().filter(|shapes| !shapes.is_empty()));
    let told = words.join(" ");
    // A program that nobody knows completes its own words.
    let completes = shapes.is_none()
        && !run.known
        && name == run.program
        && matches!(
            told.as_str(),
            "completion bash" | "completion zsh" | "completions bash" | "completions zsh"
        );
    completes
        || shapes.is_some_and(|shapes| {
            shapes.iter().any(|shape| match shape.strip_suffix(" …") {
                None if *shape == "…" => {
                    words.len() == 1
                        && !told.starts_with('-')
                        && told
                            .bytes()
                            .all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
                }
                Some(start) => told.strip_prefix(start).is_some_and(|rest| rest.starts_with(' ')),
                None => told == *shape,
            })
        })
}

#[cfg(test)]
pub(super) fn lists(name: &str) -> bool {
    PRINTERS.iter().any(|(program, _)| *program == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printers_are_sorted() {
        for pair in PRINTERS.windows(2) {
            assert!(pair.first().map(|row| row.0) < pair.last().map(|row| row.0));
        }
    }
}

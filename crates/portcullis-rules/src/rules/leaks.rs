//! Rules on secrets that come to stand where more people see them than should: in version control, on the screen among what was searched
//! for. Owns which commands put them there; what reads a secret's file has its rules among the credentials.

use super::{
    Hit, Rule, Scene, Shelf, When,
    effects::{self, about, run},
};
use crate::{
    effect::{Effect, Kinds, Run, Target},
    finding::Category,
    place::{self, CredentialClass},
    programs::Options,
    risk::Severity,
    understand::shell,
};

pub(super) static SHELF: Shelf = Shelf { programs: &[], rules: RULES };

static RULES: &[Rule] = &[
    Rule {
        id: "git.add.secret",
        category: Category::Credentials,
        message: "a file with keys, tokens or passwords would be put under version control",
        remedy: "leave it out, and commit an example without values: `git add .env.example`",
        when: When::Effect(Kinds::RUN, added),
        fires: &["git add -f .env", "git add config/master.key", "git stage ~/.aws/credentials"],
        quiet: &[
            "git add .env.example",
            "git add src/main.rs",
            "git rm --cached .env",
            "git add -n .env",
        ],
        ..Rule::LOSS
    },
    Rule {
        id: "credentials.environment.search",
        category: Category::Credentials,
        message: "the tokens in the environment would be printed",
        remedy: "ask for their names alone: `env | cut -d= -f1`",
        when: When::Effect(Kinds::RUN, searched),
        fires: &["env | grep -iE 'token|secret'", "printenv | grep -i api_key | sort"],
        quiet: &[
            "env | grep -i proxy",
            "env | grep -c TOKEN",
            "env | grep -q GITHUB_TOKEN",
            "env | grep -i token | cut -d= -f1",
            "grep -i token README.md",
        ],
        ..Rule::LOSS
    },
];

/// Files of secrets that nobody shares: what else may hold one is often a test's, or meant to be seen.
const PLAIN: &[&str] = &[
    ".env",
    ".env.local",
    ".env.prod",
    ".env.production",
    ".git-credentials",
    ".netrc",
    ".pgpass",
    "credentials",
    "id_ecdsa",
    "id_ed25519",
    "id_rsa",
    "master.key",
];

/// Parts of the names of what is no secret, or is one of tests: encrypted files, examples.
const HIDDEN: &[&str] =
    &[".age", ".asc", ".enc", ".gpg", "example", "fixture", "sample", "sealed", "template", "test"];

/// Files that are put under version control.
fn added(effect: &Effect, scene: &Scene<'_>) -> Option<Hit> {
    let run = run(effect).filter(|run| run.program == "git")?;
    let options = Options::new(&run.arguments, &["--chmod", "--pathspec-from-file", "-C", "-c"]);
    let mut operands = options.operands();
    let verb = operands.next()?.text.as_known()?;
    if !matches!(verb, "add" | "stage") || options.has(&["--dry-run", "-n"]) {
        return None;
    }
    // What the project leaves out by its own word is forced in.
    let is_forced = options.has(&["-f", "--force"]);
    operands.find_map(|file| {
        let named = file.text.known_prefix().to_ascii_lowercase();
        let name = named.rsplit('/').next().unwrap_or(&named);
        if HIDDEN.iter().any(|part| named.contains(part)) || !is_forced && !PLAIN.contains(&name) {
            return None;
        }
        let path = shell::absolute(&file.text, scene.facts.cwd.as_deref(), scene.facts);
        let target = Target::new(file.text.clone(), path);
        let found = place::credential_of(&target, scene.facts)?;
        // What only names machines, or is there for everybody to read, is no secret.
        let is_secret = !matches!(found.class, CredentialClass::System | CredentialClass::Process);
        is_secret.then(|| about(Severity::High, &target, "this puts under version control"))
    })
}

/// Words by which the variables that hold secrets are found.
const SECRET: &[&str] =
    &["api_key", "apikey", "credential", "passw", "private_key", "secret", "token"];

/// Lines of the environment that are chosen by the names of secrets, and shown.
fn searched(effect: &Effect, scene: &Scene<'_>) -> Option<Hit> {
    let run = run(effect)?;
    let is_search = match run.program.as_str() {
        "ag" | "egrep" | "grep" | "rg" => true,
        // What cuts a line or replaces in it may leave its name alone.
        "awk" | "gawk" | "mawk" | "sed" => !effects::words(run)
            .any(|word| ["s/", "-F", "$1", "FS"].iter().any(|part| word.contains(part))),
        _ => false,
    };
    if !is_search || counts(run) || !is_given_the_environment(effect, scene) {
        return None;
    }
    let names_secret = effects::words(run).filter(|word| !word.starts_with('-')).any(|word| {
        let plain: String = word
            .to_ascii_lowercase()
            .chars()
            .filter(|letter| letter.is_ascii_alphanumeric() || *letter == '_' || *letter == '|')
            .collect();
        SECRET.iter().any(|name| plain.contains(name))
    });
    (names_secret && is_shown(effect, scene)).then(Hit::default)
}

/// Whether the environment is led into a command: `env | …`.
fn is_given_the_environment(effect: &Effect, scene: &Scene<'_>) -> bool {
    let text = scene.effects.layer_text(effect.at.layer);
    let before = text.get(..effect.at.span.range().start).unwrap_or_default().trim_end();
    let Some(before) = before.strip_suffix('|') else { return false };
    // What hands every line on.
    let before = before.trim_end();
    let before =
        before.strip_suffix("cat").and_then(|it| it.trim_end().strip_suffix('|')).unwrap_or(before);
    let last = before.rsplit([';', '&', '|', '\n', '(', '`']).next().unwrap_or_default();
    matches!(
        last.trim().trim_end_matches(')'),
        "env" | "printenv" | "export" | "export -p" | "declare -x" | "declare -p" | "set"
    )
}

/// Whether nothing of a line comes out of it.
fn counts(run: &Run) -> bool {
    let options = Options::new(&run.arguments, &["-e", "-f", "-m", "-A", "-B", "-C"]);
    options.has(&[
        "-c",
        "-q",
        "-l",
        "-o",
        "-v",
        "--count",
        "--only-matching",
        "--quiet",
        "--silent",
    ])
}

/// Whether what comes out of a command goes to the screen as it is: nothing stands behind it, or what only orders lines.
fn is_shown(effect: &Effect, scene: &Scene<'_>) -> bool {
    const ORDERS: &[&str] = &[
        "base32", "base64", "cat", "head", "hexdump", "less", "more", "od", "rev", "sort", "tac",
        "tail", "tee", "uniq", "xxd",
    ];
    let text = scene.effects.layer_text(effect.at.layer);
    let rest = text.get(effect.at.span.range().end..).unwrap_or_default();
    let line = rest.split(['\n', ';', '&']).next().unwrap_or_default();
    !line.contains('>')
        && line.split('|').skip(1).all(|command| {
            command.split_whitespace().next().is_some_and(|name| ORDERS.contains(&name))
        })
}

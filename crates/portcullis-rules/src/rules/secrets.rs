//! Rules on secrets that a call carries in its own text. Owns how bad it is by where they would go; what is a secret, the
//! detector says.

use super::{
    Hit, Rule, Shelf, When,
    effects::{run, words, written},
};
use crate::{
    effect::{Effect, EffectKind, Kinds},
    finding::{Category, Confidence},
    place,
    risk::Severity,
    secrets::{kinds::SecretType, likely},
    split::is_device,
};

pub(super) static SHELF: Shelf = Shelf { programs: &[], rules: RULES };

const CARRIED: Rule = Rule {
    category: Category::Credentials,
    confidence: Confidence::Medium,
    remedy: "let the program read it from the environment or a secret store, and replace it where it was issued: the agent has it",
    reversible: false,
    ..Rule::LOSS
};

static RULES: &[Rule] = &[
    Rule {
        id: "secret.history",
        message: "a secret would become a part of a history that is shared",
        when: When::Effect(Kinds::RUN, |effect, _| {
            let run = run(effect)?;
            let records = match run.program.as_str() {
                "git" => words(run).any(|word| matches!(word, "commit" | "tag" | "notes")),
                "gh" | "glab" => {
                    words(run).any(|word| matches!(word, "create" | "comment" | "edit" | "note"))
                }
                _ => false,
            };
            records.then(|| carried(&joined(effect)?, Severity::High, "in a shared history"))?
        }),
        fires: &[
            "git commit -m 'use postgres://app:kT7vQ2mX9zLp@db/app'",
            "gh issue comment 7 --body 'DB_PASSWORD=kT7vQ2mX9zLp'",
        ],
        quiet: &[
            "git commit -m 'rename DB_PASSWORD to DATABASE_PASSWORD'",
            "gh issue comment 7 --body 'set DB_PASSWORD=<yours>'",
        ],
        ..CARRIED
    },
    Rule {
        id: "secret.file",
        message: "a secret would be written to a file",
        when: When::Effect(Kinds::WRITE, |effect, scene| {
            let (target, _, content) = written(effect)?;
            let path = target.path.as_deref().unwrap_or_default();
            // Where secrets are kept, one more is an ordinary change, and nothing is kept in memory files and devices.
            let kept = place::credential_of(target, scene.facts).is_some();
            let severity = if kept { Severity::Medium } else { Severity::High };
            if is_device(path) {
                return None;
            }
            carried(content.as_known()?, severity, "in a file")
        }),
        fires: &[
            "echo 'DATABASE_URL=postgres://app:kT7vQ2mX9zLp@db/app' >> settings.py",
            "echo 'DB_PASSWORD=kT7vQ2mX9zLp' > notes.txt",
        ],
        quiet: &[
            "echo 'DB_PASSWORD=changeme' > .env.example",
            "echo 'password: $PASSWORD' > x.yml",
        ],
        ..CARRIED
    },
    Rule {
        id: "secret.argument",
        severity: Severity::Medium,
        message: "a secret stands in a command, where other programs and the shell's history see it",
        when: When::Effect(Kinds::RUN, |effect, _| {
            carried(&joined(effect)?, Severity::Medium, "among the arguments of a command")
        }),
        fires: &[
            "psql postgres://app:kT7vQ2mX9zLp@db/app -c 'select 1'",
            "curl -u deploy:kT7vQ2mX9zLp https://example.com/",
        ],
        quiet: &["psql postgres://app@db/app -c 'select 1'", "curl -u deploy https://example.com/"],
        ..CARRIED
    },
];

/// The program's name and its arguments, as far as they are known.
fn joined(effect: &Effect) -> Option<String> {
    let EffectKind::Run(run) = &effect.kind else { return None };
    let length = words(run).map(|word| word.len() + 1).sum::<usize>() + run.program.len();
    let mut text = String::with_capacity(length);
    text.push_str(&run.program);
    for word in words(run) {
        text.push(' ');
        text.push_str(word);
    }
    Some(text)
}

fn carried(text: &str, severity: Severity, place: &str) -> Option<Hit> {
    let SecretType { description, .. } = likely(text)?;
    Some(Hit {
        severity: Some(severity),
        message: Some(format!("a {description} would stand {place}")),
        ..Hit::default()
    })
}

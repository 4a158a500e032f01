//! Whether a project's settings with passwords in them (`.env`) are only loaded, counted or asked for their names. Owns that
//! question; what cannot be told for certain is a reading of the whole file.

use super::{Scene, effects::run, passing};
use crate::{
    effect::{Effect, EffectKind, Run},
    text::{SOURCES, Text},
};

/// Whether nothing of what is secret in the file reaches anybody through this reading.
pub(super) fn stays_secret(effect: &Effect, scene: &Scene<'_>) -> bool {
    let is_it = |text: &Text| {
        text.sources.len() >= SOURCES
            || scene.origins(text).into_iter().any(|origin| std::ptr::eq(origin, effect))
    };
    let leaves = scene.effects.list.iter().any(|other| match &other.kind {
        EffectKind::Connect(connection) => {
            is_it(&connection.address) || connection.sends.as_ref().is_some_and(is_it)
        }
        // In its own place it is what it was.
        EffectKind::Write { content, target, .. } => {
            let is_same =
                matches!(&effect.kind, EffectKind::Read(read) if read.path == target.path);
            !is_same && is_it(content)
        }
        EffectKind::Execute { code, .. } => is_it(code),
        EffectKind::Query { statement } => is_it(statement),
        _ => false,
    });
    let names_only = || is_named_only(effect, scene, &is_it);
    if leaves {
        // Names may stand anywhere, where nothing but names is left.
        let first = scene.program_around(effect);
        return first.is_some_and(shows_names) && names_only();
    }
    let is_kept = || !is_it(&scene.effects.shown) || is_given_to_program(scene, &is_it);
    if takes_names(effect, scene, &is_it) {
        return true;
    }
    names_only() || is_kept() && is_loaded(effect, scene, &is_it)
}

/// `[line.split("=", 1)[0] for line in open(".env")]`: code that takes the names apart from their values, and shows nothing else of the file.
fn takes_names(effect: &Effect, scene: &Scene<'_>, is_it: &dyn Fn(&Text) -> bool) -> bool {
    /// How the names are taken.
    const TAKES: &[&str] =
        &["split('=", "split(\"=", "partition('='", "partition(\"=\"", "=/.exec(", "=/)"];
    /// What may show the file in a way that nobody follows.
    const OUTLETS: &[&str] = &[
        "FastAPI",
        "assert",
        "clip",
        "flask",
        "listen",
        "res.",
        "route(",
        "send(",
        "environ",
        "eval",
        "exec(\"",
        "exec('",
        "fetch(",
        "getenv",
        "http",
        "locals",
        "logg",
        "pprint",
        "process.env",
        "raise",
        "request",
        "rich",
        "socket",
        "stderr",
        "stdout",
        "subprocess",
        "sys.",
        "system(",
        "throw",
        "urllib",
        "vars",
    ];
    let code = scene.effects.layer_text(effect.at.layer);
    let is_code = scene.effects.list.iter().any(|other| {
        matches!(&other.kind, EffectKind::Execute { language, .. }
            if matches!(*language, "python" | "javascript"))
    });
    let is_handed = scene.effects.list.iter().filter_map(run).any(|run| {
        run.arguments.iter().any(|word| is_it(&word.text)) || run.input.as_ref().is_some_and(is_it)
    });
    is_code
        && !is_handed
        && !is_it(&scene.effects.shown)
        && TAKES.iter().any(|way| code.contains(way))
        && !OUTLETS.iter().any(|outlet| code.contains(outlet))
}

/// `env $(grep -v '^#' .env | xargs) PROGRAM`: what the program prints is its own, where nothing shows variables.
fn is_given_to_program(scene: &Scene<'_>, is_it: &dyn Fn(&Text) -> bool) -> bool {
    let mut takers = scene.effects.list.iter().filter_map(run).filter(|run| {
        !matches!(run.program.as_str(), "echo" | "xargs")
            && run.arguments.iter().any(|word| is_it(&word.text))
    });
    let starts = |run: &Run| {
        let mut behind = run.arguments.iter().skip_while(|word| !is_it(&word.text)).skip(1);
        run.program == "env"
            && behind
                .next()
                .and_then(|word| word.text.as_known())
                .is_some_and(|program| !program.contains('=') && !program.starts_with('-'))
    };
    takers.next().is_some_and(starts) && takers.next().is_none()
}

/// Programs that hand on what they read, or part of it, and do nothing else with it.
const FILTERS: &[&str] = &[
    "awk", "cat", "cut", "egrep", "gawk", "grep", "head", "mawk", "sed", "sort", "tail", "tr",
    "uniq", "xargs",
];

/// `export $(grep -v '^#' .env | xargs)`, `load_dotenv('.env')`: the variables of the programs that follow, and nothing shows
/// variables.
fn is_loaded(effect: &Effect, scene: &Scene<'_>, is_it: &dyn Fn(&Text) -> bool) -> bool {
    let around = scene.program_around(effect);
    let edits = around.is_some_and(|run| {
        run.program == "sed"
            && !run.arguments.iter().any(|word| word.text.known_prefix().contains("/dev/"))
            && run.arguments.iter().any(|word| word.text.known_prefix().starts_with("-i"))
    });
    if !edits && passing::shows_environment(scene) {
        return false;
    }
    let is_taken = scene.effects.list.iter().all(|other| {
        let Some(run) = run(other) else { return true };
        let by_argument = run.arguments.iter().any(|word| is_it(&word.text));
        let by_input = run.input.as_ref().is_some_and(is_it);
        let program = run.program.as_str();
        let loads = matches!(program, "declare" | "env" | "export" | "set");
        // `xargs` alone is `echo`, whose words are seen by whoever reads its output.
        (!by_argument || loads || matches!(program, "echo" | "xargs"))
            && (!by_input || FILTERS.contains(&program) || program == "echo")
    });
    let by_shell = around.is_some_and(|run| FILTERS.contains(&run.program.as_str()))
        && scene.effects.list.iter().filter_map(run).any(|run| {
            matches!(run.program.as_str(), "declare" | "env" | "export")
                && run.arguments.iter().any(|word| is_it(&word.text))
        });
    is_taken && (by_shell || edits || by_library(effect, scene))
}

/// `load_dotenv('.env')` in code that neither prints nor sends nor writes anything.
fn by_library(effect: &Effect, scene: &Scene<'_>) -> bool {
    const LOADERS: &[&str] = &["load_dotenv(", "dotenv.config("];
    const OUTLETS: &[&str] = &[
        "console.",
        "environ",
        "eval",
        "exec",
        "fetch(",
        "getenv",
        "http",
        "locals",
        "log(",
        "logging",
        "open(",
        "print",
        "process.env",
        "request",
        "socket",
        "stdout",
        "subprocess",
        "sys.",
        "system(",
        "urllib",
        "vars",
        "write",
    ];
    let code = scene.effects.layer_text(effect.at.layer);
    LOADERS.iter().any(|loader| code.contains(loader))
        && !OUTLETS.iter().any(|outlet| code.contains(outlet))
}

/// `cut -d= -f1 .env`, `grep -c KEY .env`, `grep PORT= .env | head -1`: names, counts, or one setting that is no secret; by the
/// program that reads the file, or by the one behind it in the same pipeline.
fn is_named_only(effect: &Effect, scene: &Scene<'_>, is_it: &dyn Fn(&Text) -> bool) -> bool {
    let Some(first) = scene.program_around(effect) else { return false };
    if !FILTERS.contains(&first.program.as_str()) {
        return false;
    }
    let takers = || {
        scene.effects.list.iter().filter(|other| {
            run(other).is_some_and(|run| {
                run.arguments.iter().any(|word| is_it(&word.text))
                    || run.input.as_ref().is_some_and(is_it)
            })
        })
    };
    // A file of settings beside it, or a program that does more than to choose, would show more than is known here.
    if !takers().filter_map(run).all(|run| {
        FILTERS.contains(&run.program.as_str())
            || matches!(
                run.program.as_str(),
                "comm" | "diff" | "wc" | "echo" | "paste" | "column" | "nl"
            )
    }) {
        return false;
    }
    if shows_names(first) {
        return true;
    }
    let start = effect.at.span.range().end;
    takers().any(|other| {
        let text = scene.effects.layer_text(effect.at.layer);
        let between = text.get(start..other.at.span.range().start);
        other.at.layer == effect.at.layer
            && run(other).is_some_and(shows_names)
            && between.is_some_and(is_piped)
    })
}

/// Whether what stands between two programs is the pipe from the first to the second, perhaps by way of others and with what else they are told.
fn is_piped(between: &str) -> bool {
    let between = between.replace("2>/dev/null", "");
    between.trim_end().ends_with('|')
        && !between.contains("||")
        && !between.contains(['>', '<', '(', ')', '{', '}', ';', '&', '\n', '`', '$'])
}

/// Whether a filter lets nothing through but names, numbers, and settings that are none of a secret's.
pub(super) fn shows_names(run: &Run) -> bool {
    let words: Option<Vec<&str>> = run.arguments.iter().map(|word| word.text.as_known()).collect();
    let Some(words) = words else { return false };
    match run.program.as_str() {
        "grep" | "egrep" => grep_shows_names(&words),
        "jq" | "gojq" | "jaq" => jq_shows_names(&words),
        "cut" => {
            let joined = words.join(" ");
            let takes_first = joined.contains("-f1")
                && !joined.contains("-f1,")
                && !joined.contains("-f1-")
                && !joined.contains("-f10")
                || joined.contains("-f 1")
                    && !joined.contains("-f 1,")
                    && !joined.contains("-f 1-");
            let by_sign = joined.contains("-d=") || joined.contains("-d =");
            takes_first
                && by_sign
                && !joined.contains("--complement")
                && joined.matches("-f").count() == 1
        }
        "awk" | "gawk" | "mawk" => {
            let by_sign = words.iter().any(|word| matches!(*word, "-F="))
                || words.windows(2).any(|pair| matches!(pair, ["-F", "="]));
            let mut programs = words.iter().filter(|word| word.contains('{'));
            by_sign
                && programs.next().is_some_and(|program| awk_shows_names(program))
                && programs.next().is_none()
        }
        "sed" => {
            let scripts: Vec<&str> = words
                .iter()
                .copied()
                .filter(|word| word.starts_with("s/") || word.starts_with("s|"))
                .collect();
            let [script] = scripts.as_slice() else { return false };
            // `sed -n 's/^\([A-Z_]*\)=.*/\1/p'`
            let name = script
                .strip_prefix("s/^")
                .and_then(|rest| rest.strip_suffix("=.*/\\1/p"))
                .and_then(|name| {
                    let basic = name.strip_prefix("\\([").and_then(|it| it.strip_suffix("]*\\)"));
                    let extended = name.strip_prefix("([");
                    basic.or_else(|| extended.and_then(|it| it.strip_suffix("]+)")))
                });
            let is_class = |class: &str| {
                class.chars().all(|letter| letter.is_ascii_alphanumeric() || "_-".contains(letter))
            };
            if name.is_some_and(is_class) {
                let mut options = words.iter().filter(|word| word.starts_with('-'));
                return options
                    .all(|word| matches!(*word, "-n" | "-E" | "-nE" | "-En" | "-r" | "-nr"))
                    && words.contains(&"-n")
                        | words.iter().any(|word| matches!(*word, "-nE" | "-En" | "-nr"));
            }
            let is_plain = |text: &str| {
                text.chars()
                    .all(|letter| letter.is_ascii_alphanumeric() || "=*<>_-. ".contains(letter))
            };
            let hides = ["s/=.*//", "s/=.*$//", "s|=.*||", "s/=.*/=/"].contains(script)
                || script
                    .strip_prefix("s/=.*/")
                    .and_then(|rest| rest.strip_suffix('/'))
                    .is_some_and(is_plain);
            // `s/^([A-Z_]+)=.*/\1=***/`: the name, and nothing of what stands behind it.
            let keeps_name = script
                .strip_prefix("s/^([")
                .and_then(|rest| rest.split_once("]+)=.*/\\1"))
                .is_some_and(|(class, text)| {
                    is_class(class) && text.strip_suffix('/').is_some_and(is_plain)
                });
            let mut options = words.iter().filter(|word| word.starts_with('-'));
            (hides || keeps_name) && options.all(|word| matches!(*word, "-E" | "-r"))
        }
        "wc" => true,
        _ => false,
    }
}

/// `{print $1}`, with a pattern before it that chooses lines: what is printed is the first field and nothing else.
/// `jq -r 'keys[]'`, `jq '.data | keys | length'`: names, types and numbers, and no value.
fn jq_shows_names(words: &[&str]) -> bool {
    const NAMES: &[&str] = &[
        "keys",
        "keys[]",
        "keys_unsorted",
        "keys_unsorted[]",
        "length",
        "map(length)",
        "map(type)",
        "map_values(length)",
        "map_values(type)",
        "to_entries[].key",
        "type",
    ];
    let is_flag = |word: &&&str| word.starts_with('-');
    let [filter] = words.iter().filter(|word| !is_flag(word)).copied().collect::<Vec<_>>()[..]
    else {
        return false;
    };
    // Options that let a filter say more than it shows.
    let is_plain = words.iter().filter(is_flag).all(|flag| {
        matches!(*flag, "--compact-output" | "--raw-output" | "--exit-status" | "--sort-keys")
            || !flag.starts_with("--")
                && flag.chars().skip(1).all(|letter| "recSMj".contains(letter))
    });
    // Where the value is taken from, and nothing that makes names or messages of it.
    let is_path = |stage: &&str| {
        *stage == "fromjson"
            || stage.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.[]".contains(&byte))
                && stage.starts_with('.')
    };
    let mut stages = filter.split('|').map(str::trim);
    is_plain
        && !filter.contains([',', '"', '$'])
        && stages.by_ref().find(|stage| !is_path(stage)).is_some_and(|stage| NAMES.contains(&stage))
        && stages.all(|stage| {
            NAMES.contains(&stage)
                || matches!(stage, ".[]" | "sort" | "sort[]" | "unique" | "tostring")
        })
}

fn awk_shows_names(program: &str) -> bool {
    let Some((chosen, action)) = program.trim().split_once('{') else { return false };
    let chosen = chosen.trim().trim_start_matches('!');
    let is_pattern = chosen.is_empty()
        || chosen.len() > 1
            && chosen.starts_with('/')
            && chosen.ends_with('/')
            && chosen.matches('/').count() == 2;
    let Some(action) = action.strip_suffix('}') else { return false };
    let action = action.trim().trim_end_matches(';').trim_end();
    is_pattern
        && (matches!(action, "print $1" | "print($1)" | "print \"  \" $1") || tells_lengths(action))
}

/// `print $1, (length($2) ? "set" : "empty")`: names, and whether or how long their values are.
fn tells_lengths(action: &str) -> bool {
    let Some(mut rest) = action.strip_prefix("print ") else { return false };
    let mut depth = 0_usize;
    loop {
        rest = rest.trim_start();
        if let Some(behind) = rest.strip_prefix("$1").or_else(|| rest.strip_prefix("length($2)")) {
            if behind.starts_with(|letter: char| letter.is_ascii_alphanumeric()) {
                return false;
            }
            rest = behind;
        } else if let Some(text) = rest.strip_prefix('"') {
            let Some((text, behind)) = text.split_once('"') else { return false };
            if text.contains('\\') {
                return false;
            }
            rest = behind;
        } else {
            let mut letters = rest.chars();
            match letters.next() {
                None => return depth == 0,
                Some('(') => depth += 1,
                Some(')') if depth > 0 => depth -= 1,
                Some(',' | '?' | ':' | '>' | '=' | '0'..='9') if depth > 0 => {}
                Some(',') => {}
                Some(_) => return false,
            }
            rest = letters.as_str();
        }
    }
}

fn grep_shows_names(words: &[&str]) -> bool {
    let (mut pattern, mut only, mut counts) = (None, false, false);
    for word in words {
        match word.strip_prefix('-') {
            Some(letters) if !letters.starts_with('-') && !letters.is_empty() => {
                if letters
                    .contains(['v', 'e', 'f', 'A', 'B', 'C', 'P', 'i', 'r', 'R', 'w', 'z', 'm'])
                {
                    return false;
                }
                counts |= letters.contains(['c', 'q', 'l', 'L']);
                only |= letters.contains('o');
            }
            Some("-count" | "-quiet") => counts = true,
            Some(_) => return false,
            None if pattern.is_none() => pattern = Some(*word),
            None => {}
        }
    }
    let Some(pattern) = pattern else { return false };
    let pattern = pattern.trim_end_matches(".*");
    counts
        || only
            && matches!(
                pattern,
                "^[A-Z_]*"
                    | "^[A-Z_]+"
                    | "^[A-Z0-9_]*"
                    | "^[A-Z0-9_]+"
                    | "^[A-Za-z0-9_]*"
                    | "^[A-Za-z_]*"
                    | "^[^=]*"
                    | "^[^=]+"
            )
        || names_of(pattern).is_some_and(|names| names.into_iter().all(is_harmless))
}

/// The names of settings that a pattern asks for: `PORT=`, `^(HOST|PORT)=`, `A_URL\|B_URL`.
fn names_of(pattern: &str) -> Option<Vec<&str>> {
    let anchored = pattern.strip_prefix('^');
    let bare = anchored.unwrap_or(pattern);
    let ends = bare.ends_with('=');
    let bare = bare.strip_suffix('=').unwrap_or(bare);
    let inner = bare.strip_prefix('(').and_then(|bare| bare.strip_suffix(')')).unwrap_or(bare);
    let names: Vec<&str> = inner.split("\\|").flat_map(|part| part.split('|')).collect();
    let is_grouped = inner.len() < bare.len() || names.len() == 1;
    // A part of a name is in many names, of which some may be a secret's.
    let is_whole = |name: &&str| {
        let name = name.trim_start_matches('^').trim_end_matches('=');
        let last = name.rsplit('_').next().unwrap_or(name);
        let ends_so =
            ends && names.len() == 1 && matches!(last, "DEBUG" | "PORT" | "TIMEZONE" | "LEVEL");
        anchored.is_some() && ends && is_grouped || name.contains('_') || ends_so
    };
    names.iter().all(is_whole).then(|| {
        names.into_iter().map(|name| name.trim_start_matches('^').trim_end_matches('=')).collect()
    })
}

/// Whether a setting of this name is said aloud every day: it ends in what is no secret, and nothing in it speaks of one.
fn is_harmless(name: &str) -> bool {
    const ENDS: &[&str] = &[
        "BUCKET", "DEBUG", "DIR", "DOMAIN", "ENABLED", "ENDPOINT", "ENV", "HOST", "LEVEL",
        "LOCALE", "MODE", "MODEL", "NAME", "ORIGIN", "ORIGINS", "PATH", "PORT", "REGION",
        "TIMEOUT", "TIMEZONE", "TZ", "URL", "VERSION",
    ];
    const SPEAK: &[&str] = &[
        "AMQP", "AUTH", "BROKER", "CERT", "CONN", "CRED", "DATABASE", "DB", "DSN", "HOOK", "KEY",
        "MONGO", "MYSQL", "PASS", "PG", "POSTGRES", "PRIVATE", "PWD", "REDIS", "SECRET", "SENTRY",
        "SLACK", "SQL", "TOKEN", "USER",
    ];
    // What is on or off.
    const ASKS: &[&str] = &["DISABLE_", "ENABLE_", "FEATURE_", "HAS_", "IS_", "USE_"];
    let is_name = !name.is_empty()
        && name
            .bytes()
            .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_');
    let last = name.rsplit('_').next().unwrap_or(name);
    let speaks = SPEAK.iter().any(|word| name.contains(word));
    is_name && !speaks && ASKS.iter().any(|ask| name.starts_with(ask))
        || is_name
            && ENDS.contains(&last)
            && (last != "URL"
                && last != "ENDPOINT"
                && last != "NAME"
                && !name.contains("SECRET")
                && !name.contains("KEY")
                && !name.contains("TOKEN")
                && !name.contains("PASS")
                || !speaks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_names_that_are_no_secrets_are_harmless() {
        let is_fine = |pattern: &str| {
            names_of(pattern).is_some_and(|names| names.into_iter().all(is_harmless))
        };
        for pattern in
            ["FASTAPI_URL", "^PORT=", "PORT=", "^(PORT|NODE_ENV)=", "VITE_API_URL=", "LOG_LEVEL"]
        {
            assert!(is_fine(pattern), "{pattern}");
        }
        for pattern in [
            "",
            "A",
            "PORT",
            "STRIPE",
            "SECRET",
            "DATABASE_URL",
            "REDIS_URL",
            "PORT|API_KEY",
            "^",
            ".",
            "_URL|_KEY",
            "SLACK_WEBHOOK_URL",
            "^[A-Z]",
            "TOKEN_URL",
            "APP_",
        ] {
            assert!(!is_fine(pattern), "{pattern}");
        }
    }
}

//! Who prints the whole environment, with every token in it. Owns which programs do by their own words, and how languages
//! name it; one variable by its name is not the environment.

use crate::{effect::Argument, programs::invocation::Invocation, text::Text};

/// Whether a program prints the environment as part of what it prints.
pub(crate) fn printed_by(invocation: &Invocation) -> bool {
    let arguments = invocation.arguments.as_slice();
    let words = || arguments.iter().filter_map(|word| word.text.as_known());
    match invocation.program.as_str() {
        // Resolved with what `.env` and the environment hold.
        "docker" | "docker-compose" | "nerdctl" | "podman" | "podman-compose" => {
            let is_compose =
                words().any(|word| word == "compose") || invocation.program.ends_with("-compose");
            is_compose
                && words().any(|word| word == "config")
                && !words().any(|word| {
                    matches!(
                        word,
                        "-q" | "--quiet"
                            | "--services"
                            | "--images"
                            | "--volumes"
                            | "--profiles"
                            | "--hash"
                            | "--no-interpolate"
                    )
                })
        }
        "cmake" => words().eq(["-E", "environment"]),
        // `eval "$(direnv export bash)"` is how a shell takes it.
        "direnv" => matches!(words().next(), Some("dump")) || words().eq(["export", "json"]),
        "compgen" => words().any(|word| matches!(word, "-e" | "-v" | "export" | "variable")),
        "make" => words().any(|word| {
            word == "--print-data-base"
                || is_bundle(word) && word.contains('p') && !word.contains('o')
        }),
        "gojq" | "jaq" | "jq" | "yq" => words().any(names_environment),
        // Letters without a dash are BSD's: `ps auxe`, `ps eww`.
        "ps" => words().any(|word| {
            word.contains('e')
                && word.len() < 8
                && word.bytes().all(|letter| letter.is_ascii_lowercase())
        }),
        "systemctl" => words().any(|word| word == "show-environment"),
        "tmux" => words().any(|word| matches!(word, "show-environment" | "showenv")),
        _ => false,
    }
}

/// Short options in one word: `-pn`.
fn is_bundle(word: &str) -> bool {
    let letters = word.strip_prefix('-').unwrap_or_default();
    !letters.is_empty() && letters.bytes().all(|letter| letter.is_ascii_alphabetic())
}

/// Whether a filter of `jq` names the environment itself, and not one variable of it.
fn names_environment(filter: &str) -> bool {
    whole(filter, "env", |before, after| {
        !before.ends_with(['.', '"', '-', '/', '_'])
            && !after.starts_with(['.', '[', '_', '-', '"', '('])
    }) || whole(filter, "$ENV", |_, after| !after.starts_with(['.', '[']))
}

/// Whether a name stands in a text on its own, with something around it that makes it the whole.
fn whole(text: &str, name: &str, is_whole: impl Fn(&str, &str) -> bool) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let before = text.get(..at).unwrap_or_default();
        let after = text.get(at + name.len()..).unwrap_or_default();
        let is_letter = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        !before.ends_with(is_letter) && !after.starts_with(is_letter) && is_whole(before, after)
    })
}

/// Whether code reads the whole environment.
pub(crate) fn read_by(language: &str, code: &Text) -> bool {
    let Some(code) = code.pieces.first() else { return false };
    let crate::text::Piece::Known(code) = code else { return false };
    if memchr::memmem::find(code.as_bytes(), b"env").is_none()
        && memchr::memmem::find(code.as_bytes(), b"ENV").is_none()
    {
        return false;
    }
    const ALL: &[&str] = &[
        "clone", "collect", "copy", "dup", "each", "entries", "filter", "inspect", "items", "map",
        "reduce", "select", "sort", "to_a", "to_h", "to_hash", "to_json", "toObject", "values",
    ];
    // `.items()` gives all of it, `.HOME` and `["HOME"]` one variable.
    let all = |after: &str| match after.strip_prefix('.') {
        Some(method) => {
            let end = method.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
            ALL.contains(&method.get(..end.unwrap_or(method.len())).unwrap_or_default())
        }
        None => !after.trim_start().starts_with(['[', '=']) && !after.starts_with("?."),
    };
    let named = |name: &str| whole(code, name, |_, after| all(after));
    match language {
        "javascript" => ["process.env", "Bun.env", "Deno.env"].iter().any(|name| named(name)),
        "python" => ["os.environ", "environb"].iter().any(|name| named(name)),
        "awk" => whole(code, "ENVIRON", |_, after| !after.trim_start().starts_with('[')),
        "perl" => ["%ENV", "%{ENV", "%main::ENV"].iter().any(|name| code.contains(name)),
        "ruby" | "julia" => whole(code, "ENV", |before, after| {
            !before.ends_with(['.', '"', '\'', '$']) && all(after)
        }),
        "php" => {
            code.contains("getenv()")
                || ["$_ENV", "$_SERVER"]
                    .iter()
                    .any(|name| whole(code, name, |_, after| !after.starts_with('[')))
        }
        "powershell" => {
            let lower = code.to_ascii_lowercase();
            whole(&lower, "env:", |before, after| {
                before.ends_with([' ', '\t'])
                    && (after.is_empty() || after.starts_with([' ', '*', '|', ')', ';', '\\']))
            })
        }
        "r" => code.contains("Sys.getenv()"),
        _ => ["getenv()", "get_env()", "get_env)", "System.getenv)"]
            .iter()
            .any(|name| code.contains(name)),
    }
}

/// Whether the only thing asked of an interpreter is to print for each line: `perl -p`, `ruby -pe`.
pub(super) fn prints_each_line(arguments: &[Argument]) -> bool {
    arguments
        .iter()
        .filter_map(|word| word.text.as_known())
        .take_while(|word| word.starts_with('-'))
        .any(|word| {
            let letters = word.get(1..).unwrap_or_default();
            let flags =
                letters.split(['e', 'E', 'i', 'I', 'M', 'm', 'r']).next().unwrap_or_default();
            !letters.starts_with('-') && flags.contains('p')
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_whole_environment_is_told_from_one_variable() {
        for (language, code, expected) in [
            ("javascript", "console.log(process.env)", true),
            ("javascript", "console.log({...process.env})", true),
            ("javascript", "console.log(process.env.HOME)", false),
            ("javascript", "console.log(process.env['HOME'])", false),
            ("python", "print(os.environ.items())", true),
            ("python", "print(dict(os.environ))", true),
            ("python", "print(os.environ.get('HOME'))", false),
            ("awk", "BEGIN { for (k in ENVIRON) print k }", true),
            ("awk", "BEGIN { print ENVIRON[\"HOME\"] }", false),
            ("perl", "print join ' ', %ENV", true),
            ("perl", "print $ENV{HOME}", false),
            ("ruby", "p ENV.to_h", true),
            ("ruby", "p ENV", true),
            ("ruby", "p ENV['HOME']", false),
            ("php", "print_r(getenv());", true),
            ("php", "print getenv('HOME');", false),
            ("powershell", "gci env:", true),
            ("powershell", "echo $env:HOME", false),
        ] {
            assert_eq!(read_by(language, &Text::known(code)), expected, "{language}: {code}");
        }
        for (filter, expected) in [
            ("env", true),
            ("{a: env}", true),
            ("$ENV", true),
            ("env.HOME", false),
            ("$ENV.HOME", false),
            (".env", false),
            (".spec.env[]", false),
            ("prod-env", false),
        ] {
            assert_eq!(names_environment(filter), expected, "{filter}");
        }
    }
}

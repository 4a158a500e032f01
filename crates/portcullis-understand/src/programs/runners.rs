//! Programs of projects that run another one: `npx`, `bundle exec`, `poetry run`. Owns where the other program's words
//! begin; it installs nothing and knows no script of a project.

use super::{Does, Options, Program, Word, operators::NPM, packages};
use crate::{effect::Argument, programs::host::Host, programs::invocation::Invocation, text::Text};

const fn runner(name: &'static str, values: &'static [&'static str]) -> Program {
    Program { name, values, does: Does::Custom(hand_on) }
}

const NPX: &[&str] = &[
    "-c",
    "-p",
    "-w",
    "--cache",
    "--call",
    "--node-options",
    "--package",
    "--prefix",
    "--registry",
    "--script-shell",
    "--shell",
    "--workspace",
];
const UV: &[&str] = &[
    "-p",
    "--directory",
    "--env-file",
    "--extra",
    "--from",
    "--group",
    "--index",
    "--index-url",
    "--default-index",
    "--extra-index-url",
    "--package",
    "--project",
    "--python",
    "--with",
    "--find-links",
    "--trusted-host",
];

/// Sorted by name.
pub(super) static TABLE: &[Program] = &[
    runner("asdf", &[]),
    runner("bundle", &["--gemfile"]),
    runner("bunx", NPX),
    runner("chamber", &["-b", "-r", "--backend"]),
    runner(
        "conda",
        &["-c", "-f", "-n", "-p", "--channel", "--cwd", "--file", "--name", "--prefix"],
    ),
    runner("direnv", &[]),
    runner(
        "doppler",
        &["-c", "-p", "-t", "--config", "--project", "--token", "--mount", "--name-transformer"],
    ),
    runner("dotenvx", &["-e", "-f", "--env", "--env-file"]),
    runner("hatch", &["-e", "--env"]),
    runner("infisical", &["--env", "--path", "--projectId", "--token"]),
    runner("mamba", &["-n", "-p", "--name", "--prefix", "--cwd"]),
    runner("micromamba", &["-n", "-p", "--name", "--prefix", "--cwd"]),
    runner("mise", &["-C", "-E", "--cd", "--env"]),
    runner("npm", NPM),
    runner("npx", NPX),
    runner(
        "op",
        &[
            "--account",
            "--cache",
            "--config",
            "--env-file",
            "--format",
            "--session",
            "--vault",
            "--fields",
        ],
    ),
    runner("pdm", &["-p", "--project"]),
    runner("pipenv", &["--python"]),
    runner("pipx", &["--index-url", "--pip-args", "--python", "--spec", "-i"]),
    runner("pixi", &["-e", "--environment", "--manifest-path"]),
    runner("pnpm", NPM),
    runner("poetry", &["-C", "-P", "--directory", "--project", "--source", "-G", "--group"]),
    runner("pyenv", &[]),
    runner("railway", &["-e", "-s", "--environment", "--service"]),
    runner("rbenv", &[]),
    runner("rye", &[]),
    Program {
        name: "sops",
        values: &["--config", "--output", "--user"],
        does: Does::Custom(with_what_is_decrypted),
    },
    runner("uv", UV),
    runner("uvx", UV),
    runner("yarn", NPM),
];

/// The subcommands after which another program's words begin; no word where they begin at once.
static HANDS_ON: &[(&str, &[&[&str]])] = &[
    ("asdf", &[&["exec"]]),
    ("bundle", &[&["exec"], &["e"]]),
    ("bunx", &[&[]]),
    ("chamber", &[&["exec", "*"]]),
    ("conda", &[&["run"]]),
    ("direnv", &[&["exec", "*"]]),
    ("doppler", &[&["run"]]),
    ("dotenvx", &[&["run"]]),
    ("hatch", &[&["run"]]),
    ("infisical", &[&["run"]]),
    ("mamba", &[&["run"]]),
    ("micromamba", &[&["run"]]),
    ("mise", &[&["exec"], &["x"]]),
    ("npm", &[&["exec"], &["x"]]),
    ("npx", &[&[]]),
    ("op", &[&["run"]]),
    ("pdm", &[&["run"]]),
    ("pipenv", &[&["run"]]),
    ("pipx", &[&["run"]]),
    ("pixi", &[&["run"]]),
    ("pnpm", &[&["dlx"], &["exec"], &[]]),
    ("poetry", &[&["run"]]),
    ("pyenv", &[&["exec"]]),
    ("railway", &[&["run"]]),
    ("rbenv", &[&["exec"]]),
    ("rye", &[&["run"]]),
    ("sops", &[&["exec-env", "*"], &["exec-file", "*"]]),
    ("uv", &[&["run"], &["tool", "run"]]),
    ("uvx", &[&[]]),
    ("yarn", &[&["dlx"], &["exec"], &["run"], &[]]),
];

/// Whether these words after a program (and any others, where `more`) may name another program to run. A word that stands
/// for a script of the project, or for nothing at all beside others, does not.
pub(super) fn hands_on(name: &str, words: &[String], more: bool) -> bool {
    let Some((_, beginnings)) = HANDS_ON.iter().find(|(program, _)| *program == name) else {
        return false;
    };
    let always = beginnings.iter().all(|beginning| beginning.is_empty());
    always
        || beginnings.iter().filter(|beginning| !beginning.is_empty()).any(|beginning| {
            let mut pairs = beginning.iter().zip(words);
            let fits = pairs.all(|(wanted, word)| *wanted == "*" || wanted == word);
            fits && (words.len() >= beginning.len() || more)
        })
}

fn hand_on(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let Some((_, beginnings)) = HANDS_ON.iter().find(|(name, _)| *name == invocation.program)
    else {
        return invocation.origin();
    };
    for words in *beginnings {
        // `uv run x.py` runs it with Python, whatever its first line says.
        if invocation.program == "uv"
            && let Some(script) = after(invocation.options(), &invocation.arguments, words)
            && script
                .first()
                .is_some_and(|first| first.text.as_known().is_some_and(|it| it.ends_with(".py")))
        {
            let mut inner =
                vec![Argument { text: Text::known("python3"), span: invocation.name.span }];
            inner.extend_from_slice(script);
            return walk.run(&inner, invocation.input.clone());
        }
        if let Some(inner) = after(invocation.options(), &invocation.arguments, words)
            && let Some(inner) = named(inner, may_be_a_script(&invocation.program, words))
        {
            return walk.run(&inner, invocation.input.clone());
        }
    }
    invocation.origin()
}

/// `sops exec-env FILE COMMAND` and `sops exec-file FILE COMMAND`: a line of shell that gets what is decrypted, in its variables or
/// under the name that `{}` stands for.
fn with_what_is_decrypted(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let operands: Vec<Argument> = invocation.options().operands().cloned().collect();
    let [verb, file, command, ..] = operands.as_slice() else { return invocation.origin() };
    let code = match (verb.text.as_known(), command.text.as_known(), file.text.as_known()) {
        (Some("exec-file"), Some(command), Some(file)) => {
            Text::known(command.replace("{}", &format!("<(sops -d '{file}')")))
        }
        (Some("exec-env" | "exec-file"), ..) => command.text.clone(),
        _ => return invocation.origin(),
    };
    walk.shell(&code, command.span, &[], invocation.input.clone())
}

/// The arguments from the first operand after `words` on.
fn after<'a>(
    options: Options<'a>,
    arguments: &'a [Argument],
    words: &[&str],
) -> Option<&'a [Argument]> {
    let mut operands = options.words().filter_map(|word| match word {
        Word::Operand(argument) | Word::Doubtful(argument) => Some(argument),
        Word::Option(_) => None,
    });
    for word in words {
        let operand = operands.next()?;
        if *word != "*" && operand.text.as_known() != Some(word) {
            return None;
        }
    }
    let first = operands.next()?;
    let at = arguments.iter().position(|argument| std::ptr::eq(argument, first))?;
    arguments.get(at..)
}

/// Whether the word behind these may as well name a script of the project. What fetches programs starts nothing else.
fn may_be_a_script(program: &str, words: &[&str]) -> bool {
    let fetches = matches!(program, "bunx" | "npx" | "pipx" | "uvx") || words.contains(&"dlx");
    !fetches && (words.is_empty() || words.contains(&"run"))
}

/// The words with the program's name as it is installed: `wrangler` of `wrangler@3`. Where the first word may as well name
/// a script of the project, only a program that the tables know is taken for one.
fn named(words: &[Argument], only_known: bool) -> Option<Vec<Argument>> {
    let (first, rest) = words.split_first()?;
    let written = first.text.as_known()?;
    if written.contains("://") {
        return None;
    }
    // A scope begins with the sign that versions stand behind.
    let version = written.rfind('@').filter(|at| *at > 0);
    let package = version.map_or(Some(written), |at| written.get(..at))?;
    let scoped = package.strip_prefix('@').and_then(|scoped| scoped.rsplit('/').next());
    let package = packages::program_of(package).unwrap_or(scoped.unwrap_or(package));
    let known = super::program(package).is_some()
        || crate::programs::notable::names(package)
        || super::started::is_known(package);
    if package.is_empty() || (only_known && !known && !written.contains('/')) {
        return None;
    }
    let mut inner = Vec::with_capacity(words.len());
    inner.push(Argument { text: Text::known(package), span: first.span });
    inner.extend_from_slice(rest);
    Some(inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_runner_says_where_the_other_program_begins() {
        for row in TABLE {
            assert!(HANDS_ON.iter().any(|(name, _)| *name == row.name), "{}", row.name);
        }
    }
}

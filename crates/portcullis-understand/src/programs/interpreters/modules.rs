//! Modules and subcommands of interpreters: `python -m`, `deno run`, `java -jar`. Owns what they run.

use super::{
    super::{laid_over, network::serve, options, wrappers},
    builders::names_input,
    interpret, profiled,
};
use crate::{
    effect::{Argument, WriteMode},
    programs::{host::Host, invocation::Invocation},
    text::Text,
};

pub(super) fn python_module(
    walk: &mut dyn Host,
    invocation: &Invocation,
    module: &Argument,
) -> Text {
    // The words of a list all lie where the list does; `-mpip` is one word.
    let is_glued = |argument: &Argument| {
        let (word, name) = (argument.text.known_prefix(), module.text.known_prefix());
        word.starts_with('-')
            && word.strip_suffix(name).is_some_and(|letters| letters.ends_with('m'))
    };
    let mut given = invocation.arguments.iter();
    let at = given.position(|argument| argument == module || is_glued(argument)).unwrap_or(0);
    let rest = invocation.arguments.get(at + 1..).unwrap_or(&[]);
    match module.text.as_known() {
        Some("http.server" | "SimpleHTTPServer" | "pyftpdlib" | "smtpd") => {
            let value = |names: [&str; 2]| {
                names.into_iter().flat_map(|name| options::values_of(rest, name)).next()
            };
            let address = value(["--bind", "-b"]);
            serve::offer(walk, invocation, value(["--directory", "-d"]), address)
        }
        Some("pty") => walk.run(
            &[Argument { text: Text::known("sh"), span: module.span }],
            invocation.input.clone(),
        ),
        Some("venv") if rest.iter().any(|word| word.text.as_known() == Some("--clear")) => {
            // What lies there is taken away first.
            let mut words = vec![module.clone()];
            words.extend_from_slice(rest);
            walk.run(&words, invocation.input.clone())
        }
        Some("timeit") => {
            // docs.python.org/3/library/timeit: `-s SETUP` and each statement are run.
            let setups = ["-s", "--setup"].iter().flat_map(|name| options::values_of(rest, name));
            let code: Vec<Argument> = setups.chain(rest.last().cloned()).collect();
            for code in code {
                walk.at_likely(|walk| walk.code("python", &code.text, code.span, &[]));
            }
            invocation.origin()
        }
        // docs.python.org/3/library/site: the directory whose `.pth` files every start reads.
        Some("site") if rest.iter().any(|word| word.text.as_known() == Some("--user-site")) => {
            match &walk.facts().home {
                Some(home) => Text::known(format!("{home}/.local/lib/python3/site-packages")),
                None => invocation.origin(),
            }
        }
        // docs.python.org/3/library/tarfile, /zipfile: `-e ARCHIVE [DIRECTORY]` unpacks it there.
        Some("tarfile" | "zipfile")
            if rest.iter().any(|word| matches!(word.text.as_known(), Some("-e" | "--extract"))) =>
        {
            let mut operands =
                rest.iter().filter(|file| !file.text.known_prefix().starts_with('-'));
            let content =
                operands.next().map_or_else(|| invocation.origin(), |file| walk.read(file));
            laid_over::unpacked(walk, operands.next().cloned(), invocation, &content);
            Text::default()
        }
        // `-c ARCHIVE FILE…` packs them.
        Some("tarfile" | "zipfile")
            if rest.iter().any(|word| matches!(word.text.as_known(), Some("-c" | "--create"))) =>
        {
            let mut operands =
                rest.iter().filter(|file| !file.text.known_prefix().starts_with('-'));
            let archive = operands.next();
            let mut content = invocation.origin();
            for file in operands {
                content.inherit(&walk.read(file));
            }
            if let Some(archive) = archive {
                walk.write(archive, WriteMode::Replace, content);
            }
            Text::default()
        }
        Some(name) if profiled::follow(walk, invocation, name, rest) => invocation.origin(),
        Some(
            "base64" | "json.tool" | "calendar" | "this" | "compileall" | "py_compile" | "venv"
            | "ensurepip" | "site" | "sysconfig" | "platform" | "tokenize" | "ast" | "dis"
            | "zipfile" | "tarfile" | "gzip",
        ) => {
            let files = rest.iter().filter(|file| !file.text.known_prefix().starts_with('-'));
            for (at, file) in files.enumerate() {
                if module.text.as_known() == Some("venv") {
                    walk.hand(file, true);
                    continue;
                }
                let content = walk.read(file);
                // docs.python.org/3/library/json: `python -m json.tool INFILE OUTFILE`
                if at == 1 && module.text.as_known() == Some("json.tool") {
                    walk.write(file, WriteMode::Replace, content);
                }
            }
            invocation.origin()
        }
        _ => {
            // A module that has a program of the same name does the same (`python -m pip`, `-m pytest`).
            let mut words = vec![module.clone()];
            words.extend_from_slice(rest);
            walk.run(&words, invocation.input.clone())
        }
    }
}

/// `deno eval code`, `deno run file`, `bun run script`, `bun -e code`.
pub(super) fn subcommand_or_code(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let operands = wrappers::command_after(invocation, 0);
    let verb = operands.first().and_then(|verb| verb.text.as_known());
    let installs = matches!(verb, Some("install" | "i"));
    match verb {
        Some("eval") => match wrappers::command_after(invocation, 1).first() {
            Some(code) => {
                let input = invocation.input.clone();
                let mut printed =
                    walk.code_with_input("javascript", &code.text, code.span, &[], input);
                if let Some(input) = &invocation.input {
                    printed.inherit(input);
                }
                printed
            }
            None => invocation.origin(),
        },
        // bun.com/docs/cli/bunx: "bunx is an alias for bun x".
        Some("x") if invocation.program == "bun" => {
            let mut words =
                vec![Argument { text: Text::known("bunx"), span: invocation.name.span }];
            words.extend(operands.iter().skip(1).cloned());
            walk.run(&words, invocation.input.clone())
        }
        Some("run") if names_input(operands) => match &invocation.input {
            Some(input) => walk.code("javascript", input, invocation.span, &[]),
            None => invocation.origin(),
        },
        Some(
            "run" | "test" | "install" | "add" | "remove" | "x" | "task" | "fmt" | "lint" | "check"
            | "cache" | "compile" | "info" | "upgrade" | "i" | "pm" | "create" | "build" | "init"
            | "update" | "link" | "publish" | "serve" | "bench",
        ) => {
            // The others look at a file, or keep it somewhere.
            let runs = matches!(verb, Some("run" | "test" | "x" | "serve" | "bench"));
            // Options may stand between the verb and the file: `deno run -A FILE`.
            let at = operands.iter().skip(1).position(|word| {
                let word = word.text.known_prefix();
                !word.starts_with('-') && !word.is_empty()
            });
            let at = at.map_or(operands.len(), |at| at + 1);
            // `deno install -g -n NAME ADDRESS`: what is installed may stand behind a name for it.
            let is_address = |word: &Argument| word.text.known_prefix().contains("://");
            let at = operands.iter().position(is_address).filter(|_| installs).unwrap_or(at);
            match operands.get(at) {
                Some(file)
                    if file.text.as_known().is_some_and(|name| {
                        let is_script = [".cjs", ".js", ".jsx", ".mjs", ".mts", ".ts", ".tsx"]
                            .iter()
                            .any(|end| name.ends_with(end));
                        runs && (name.starts_with(['.', '/']) || is_script) || name.contains("://")
                    }) =>
                {
                    if let Some(known) = file.text.as_known()
                        && known.contains("://")
                    {
                        let received = walk.connect(file, None, false);
                        return walk.code("javascript", &received, file.span, &[]);
                    }
                    walk.script(
                        "javascript",
                        file,
                        operands.get(at + 1..).unwrap_or(&[]),
                        invocation.input.clone(),
                    )
                }
                _ => invocation.origin(),
            }
        }
        _ => interpret(walk, invocation),
    }
}

pub(super) const JAVA: &[&str] =
    &["-cp", "-classpath", "--class-path", "-p", "--module-path", "--add-modules", "-jar"];

/// `java -jar FILE`, `java FILE.java`: what runs is in the file. Well-known programs come as one file with their name.
pub(super) fn java(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let archive = |word: &Argument| word.text.as_known() == Some("-jar");
    if let Some(at) = invocation.arguments.iter().position(archive) {
        let Some(file) = invocation.arguments.get(at + 1) else { return invocation.origin() };
        let given = invocation.arguments.get(at + 2..).unwrap_or(&[]);
        if let Some(program) = program_in(file.text.known_prefix()) {
            let mut words = vec![Argument { text: Text::known(program), span: file.span }];
            words.extend_from_slice(given);
            walk.run(&words, invocation.input.clone());
        }
        if walk.wrote(&file.text) {
            walk.script("java", file, given, invocation.input.clone());
        }
        return invocation.origin();
    }
    if let Some(file) = wrappers::command_after(invocation, 0).first()
        && file.text.known_prefix().ends_with(".java")
    {
        walk.script("java", file, &[], invocation.input.clone());
    }
    invocation.origin()
}

/// The program that an archive of this name holds, where a table or a rule knows it: `bfg` in `bfg-1.14.0.jar`.
fn program_in(file: &str) -> Option<String> {
    let name = file.rsplit('/').next()?.strip_suffix(".jar")?;
    let digit = |rest: &str| rest.starts_with(|letter: char| letter.is_ascii_digit());
    let end = name.match_indices('-').find(|(at, _)| name.get(at + 1..).is_some_and(digit));
    let program = end.map_or(name, |(at, _)| name.get(..at).unwrap_or(name));
    (super::super::program(program).is_some() || crate::programs::notable::names(program))
        .then(|| program.to_owned())
}

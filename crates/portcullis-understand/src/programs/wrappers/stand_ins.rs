//! Programs that do what another one does under their own words: `rimraf`, `cmake -E rm`, `concurrently "COMMAND"`,
//! `cmd.exe /c`. Owns the translation; what the other program does is read like any other.

use crate::{
    effect::Argument,
    programs::{host::Host, invocation::Invocation},
    text::{Piece, Text},
};

/// `rimraf PATH…` is `rm -rf PATH…`.
pub(super) fn removal(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let targets: Vec<Argument> = invocation.options().operands().cloned().collect();
    remove(walk, &targets, "-rf", invocation)
}

/// `cmake -E` has the usual commands for files within it.
pub(super) fn cmake(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let mut words = invocation.arguments.iter();
    let first = words.next().and_then(|word| word.text.as_known());
    let second = words.next().and_then(|word| word.text.as_known());
    let rest = invocation.arguments.get(2..).unwrap_or(&[]);
    match (first, second) {
        (Some("-E"), Some("remove_directory")) => remove(walk, rest, "-rf", invocation),
        (Some("-E"), Some("remove")) => remove(walk, rest, "-f", invocation),
        (Some("-E"), Some("rm" | "env" | "time")) => {
            let inner = invocation.arguments.get(1..).unwrap_or(&[]);
            walk.run(inner, invocation.input.clone())
        }
        _ => invocation.origin(),
    }
}

/// `concurrently "npm:watch" "COMMAND"`: each operand is a line for a shell.
pub(super) fn side_by_side(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    for line in invocation.options().operands().cloned().collect::<Vec<_>>() {
        let is_script = ["npm:", "yarn:", "pnpm:", "bun:", "node:", "deno:"]
            .iter()
            .any(|start| line.text.known_prefix().starts_with(start));
        if !is_script {
            walk.shell(&line.text, line.span, &[], None);
        }
    }
    Text::unknown("what the commands print")
}

/// `start-server-and-test "COMMAND" URL "COMMAND"`: a script of the project where it is one word, else a line for a shell.
pub(super) fn one_beside_another(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    for line in invocation.options().operands().cloned().collect::<Vec<_>>() {
        let written = line.text.known_prefix();
        if !written.contains("://") && written.contains(' ') {
            walk.shell(&line.text, line.span, &[], None);
        }
    }
    Text::unknown("what the commands print")
}

/// `onchange 'src/**' -- COMMAND`: what stands behind the dashes is run, again and again.
pub(super) fn behind_dashes(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let words = &invocation.arguments;
    let at = words.iter().position(|word| word.text.as_known() == Some("--"));
    match at.and_then(|at| words.get(at + 1..)) {
        Some(command) => walk.run(command, None),
        None => invocation.origin(),
    }
}

/// `cmd.exe /c COMMAND`: everything behind `/c` is one line of batch; without it, what comes in is.
pub(super) fn command_prompt(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let starts = |word: &str| {
        word.get(..2).is_some_and(|switch| {
            ["/c", "/k", "/r"].iter().any(|held| held.eq_ignore_ascii_case(switch))
        })
    };
    let switch = invocation.arguments.iter().position(|word| starts(word.text.known_prefix()));
    let Some(at) = switch else {
        return match &invocation.input {
            Some(input) if !input.is_empty() => walk.code("batch", input, invocation.span, &[]),
            _ => invocation.origin(),
        };
    };
    let words = invocation.arguments.get(at..).unwrap_or(&[]);
    let Some((first, rest)) = words.split_first() else { return invocation.origin() };
    // `/cdir`: the command may be written on to the switch.
    let known = first.text.known_prefix();
    let mut line = first.text.beginning_with(known.get(2..).unwrap_or(""));
    for word in rest {
        if !line.is_empty() {
            line.push_known(" ");
        }
        let text = &word.text;
        // Several words that a shell made of quotes are written with quotes again; the only one is the line.
        let is_quoted = rest.len() > 1
            && text.as_known().is_some_and(|known| known.contains(' ') && !known.contains('"'));
        if is_quoted {
            line.push_known("\"");
        }
        line.append(text);
        if is_quoted {
            line.push_known("\"");
        }
    }
    let span = rest.iter().fold(first.span, |span, word| span.to(word.span));
    walk.code_with_input("batch", &line, span, &[], invocation.input.clone())
}

/// `forfiles /p DIRECTORY /s /m *.log /c "cmd /c del @path"`: the command runs for each file, with its name for `@path`.
pub(super) fn each_file(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let behind = |letter: char| {
        let at = invocation.arguments.iter().position(|word| {
            let mut written = word.text.known_prefix().chars();
            matches!(written.next(), Some('/' | '-'))
                && written.next().is_some_and(|it| it.eq_ignore_ascii_case(&letter))
                && written.next().is_none()
        })?;
        invocation.arguments.get(at + 1)
    };
    let Some(command) = behind('c') else { return invocation.origin() };
    let mut file = behind('p').map_or_else(Text::default, |place| place.text.clone());
    if !file.is_empty() {
        file.push_known("\\");
    }
    file.push(Piece::Unknown("a file".into()));
    let Some(known) = command.text.as_known() else { return invocation.origin() };
    let mut line = Text::default();
    let mut rest = known;
    // The names without a place are of the directory in which the file lies.
    while let Some(at) = rest.find('@') {
        line.push_known(rest.get(..at).unwrap_or_default());
        let name = rest.get(at + 1..).unwrap_or_default();
        let end = name.find(|letter: char| !letter.is_ascii_alphanumeric()).unwrap_or(name.len());
        line.append(&file);
        rest = name.get(end..).unwrap_or_default();
    }
    line.push_known(rest);
    walk.code("batch", &line, command.span, &[])
}

fn remove(
    walk: &mut dyn Host,
    targets: &[Argument],
    how: &'static str,
    invocation: &Invocation,
) -> Text {
    if targets.is_empty() {
        return invocation.origin();
    }
    let span = invocation.name.span;
    let mut words =
        vec![Argument { text: Text::known("rm"), span }, Argument { text: Text::known(how), span }];
    words.extend(targets.iter().cloned());
    walk.run(&words, None)
}

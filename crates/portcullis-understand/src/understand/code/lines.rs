//! Languages with one command on each line: Tcl, gdb, Vim. Owns the cutting into commands and words and
//! the few commands of each that reach out.

use portcullis_syntax::Span;

use crate::{
    bound::Bounded,
    effect::{Argument, GapReason, WriteMode, stands_for},
    programs::escapes::{debugger, is_temporary},
    programs::host::Host,
    text::{Taint, Text},
    understand::shell::Walk,
};

/// Reads `code` line by line.
pub(super) fn run(
    walk: &mut Walk<'_>,
    language: &str,
    code: &str,
    _arguments: &[Argument],
) -> Text {
    let mut start = 0;
    for line in code.split_inclusive('\n') {
        let span = Span::new(start, start + line.trim_end().len());
        start += line.len();
        let text = line.trim().trim_start_matches(':');
        let comment = if language == "vim" { '"' } else { '#' };
        if text.is_empty() || text.starts_with(comment) {
            continue;
        }
        let is_unknown = |command: &str| {
            let name = command.split_whitespace().next().unwrap_or_default();
            name.chars().any(|character| stands_for(character).is_some())
        };
        if text.split(['|', ';']).any(is_unknown) {
            walk.gap(span, GapReason::UnknownCode);
        }
        match language {
            "gdb" => gdb(walk, text, span),
            "vim" => vim(walk, text, span),
            "tcl" => commands(walk, text, span, tcl),
            _ => {
                walk.shell(&walk.disembed(text), span, &[], None);
            }
        }
    }
    Text::unknown("what the commands print")
}

fn gdb(walk: &mut Walk<'_>, line: &str, span: Span) {
    let (command, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim();
    if let Some(shell) = line.strip_prefix('!') {
        walk.shell(&walk.disembed(shell), span, &[], None);
        return;
    }
    let whole = walk.disembed(line);
    if debugger::told(walk, &whole, span) {
        return;
    }
    match command {
        "source" => {
            let file = rest.trim_start_matches("-s ").trim_start_matches("-v ");
            let language = if file.ends_with(".py") { "python" } else { "gdb" };
            let file = Argument { text: walk.disembed(file), span };
            if is_temporary(file.text.known_prefix()) {
                walk.note("execution.temporary.escape", span);
            }
            walk.script(language, &file, &[], None);
        }
        "shell" | "make" | "pipe" => {
            walk.shell(&walk.disembed(rest.trim_start_matches("| ")), span, &[], None);
        }
        "python" | "py" | "pi" | "python-interactive" | "script" => {
            walk.code("python", &walk.disembed(rest), span, &[]);
        }
        "call" | "print" | "p" | "expr" | "expression" | "eval" => {
            walk.code(
                "java",
                &walk.disembed(&rest.replace("(int)", "").replace("(void)", "")),
                span,
                &[],
            );
        }
        _ => {}
    }
}

fn vim(walk: &mut Walk<'_>, line: &str, span: Span) {
    let line = line.trim_start_matches(|c: char| {
        c.is_ascii_digit() || matches!(c, '%' | '.' | ',' | '$' | ':')
    });
    let first = line.split('|').next().unwrap_or(line);
    let (command, rest) = first.split_once(char::is_whitespace).unwrap_or((first, ""));
    let argument =
        |walk: &Walk<'_>, text: &str| Argument { text: walk.disembed(text.trim()), span };
    if let Some(shell) = line
        .strip_prefix('!')
        .or_else(|| line.strip_prefix("r!"))
        .or_else(|| line.strip_prefix("r !"))
        .or_else(|| line.strip_prefix("w !"))
    {
        walk.shell(&walk.disembed(shell), span, &[], None);
        return;
    }
    match command.trim_end_matches('!') {
        "w" | "write" | "saveas" | "wq" | "x" if !rest.is_empty() => {
            let file = argument(walk, rest);
            walk.write(&file, WriteMode::Replace, Text::unknown("the buffer"));
        }
        "r" | "read" | "e" | "edit" => {
            let file = argument(walk, rest);
            walk.read(&file);
        }
        "py" | "py3" | "python" | "python3" | "pythonx" | "pyx" => {
            walk.code("python", &walk.disembed(rest.trim_start_matches("import vim;")), span, &[]);
        }
        "lua" | "luado" => {
            walk.code("lua", &walk.disembed(rest), span, &[]);
        }
        "perl" | "ruby" | "tcl" => {
            let language = match command {
                "perl" => "perl",
                "ruby" => "ruby",
                _ => "tcl",
            };
            walk.code(language, &walk.disembed(rest), span, &[]);
        }
        "sh" | "shell" | "terminal" | "term" => {
            let shell = if rest.is_empty() { "sh" } else { rest };
            walk.shell(&walk.disembed(shell), span, &[], None);
        }
        "call" | "let" | "echo" | "exe" | "execute" => {
            for function in
                ["system(", "systemlist(", "termopen(", "job_start(", "jobstart(", "delete("]
            {
                let Some((_, after)) = rest.split_once(function) else { continue };
                let Some(quote) = after.chars().next().filter(|c| matches!(c, '"' | '\'')) else {
                    continue;
                };
                let Some((inner, _)) = after.get(1..).and_then(|inner| inner.split_once(quote))
                else {
                    continue;
                };
                if function == "delete(" {
                    let file = argument(walk, inner);
                    walk.delete(&file, after.contains("rf"));
                } else {
                    walk.shell(&walk.disembed(inner), span, &[], None);
                }
            }
        }
        _ => {}
    }
}

/// Cuts a line into commands of words; `run` gets each with what the one before it in the pipeline gives.
fn commands(
    walk: &mut Walk<'_>,
    line: &str,
    span: Span,
    run: fn(&mut Walk<'_>, &[Argument], Option<Text>) -> Text,
) {
    let mut words: Vec<Argument> = Vec::new();
    let mut word = Text::default();
    let mut any = false;
    let mut piped: Option<Text> = None;
    let mut characters = line.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\'' | '"' => {
                any = true;
                while let Some(next) = characters.next() {
                    if next == character {
                        break;
                    }
                    if next == '$' && character == '"' {
                        word.append(&variable(walk, &mut characters));
                        continue;
                    }
                    word.append(&walk.disembed(next.encode_utf8(&mut [0; 4])));
                }
            }
            '$' => {
                any = true;
                word.append(&variable(walk, &mut characters));
            }
            // `{a b}` of Tcl is one word, where it stands behind `-c` and so is code of a shell.
            '{' if words.last().is_some_and(|last| known(Some(last)) == "-c") && !any => {
                let mut depth = 1_usize;
                for next in characters.by_ref() {
                    depth += usize::from(next == '{');
                    depth -= usize::from(next == '}');
                    if depth == 0 {
                        break;
                    }
                    word.append(&walk.disembed(next.encode_utf8(&mut [0; 4])));
                }
                any = true;
            }
            // `{*}[glob x]` of Tcl: each word of a list.
            '{' if characters.clone().next() == Some('*')
                && characters.clone().nth(1) == Some('}') =>
            {
                characters.next();
            }
            ' ' | '\t' | ',' | '(' | ')' | '[' | ']' | '{' | '}' | ';' | '|' => {
                if any {
                    words.push(Argument { text: std::mem::take(&mut word), span });
                    any = false;
                }
                if matches!(character, ';' | '|') && !words.is_empty() {
                    let output = run(walk, &words, piped.take());
                    words.clear();
                    if character == '|' {
                        piped = Some(output);
                    }
                }
            }
            other => {
                any = true;
                word.append(&walk.disembed(other.encode_utf8(&mut [0; 4])));
            }
        }
    }
    if any {
        words.push(Argument { text: word, span });
    }
    if !words.is_empty() {
        run(walk, &words, piped);
    }
}

fn variable(walk: &Walk<'_>, characters: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Text {
    let mut name = String::new();
    while let Some(next) = characters.peek().copied() {
        if !(next.is_alphanumeric() || matches!(next, '_' | ':')) {
            break;
        }
        name.push(next);
        characters.next();
    }
    let upper = name.to_ascii_uppercase();
    if matches!(upper.as_str(), "HOME" | "ENV:HOME" | "ENV:USERPROFILE")
        && let Some(home) = &walk.facts().home
    {
        return Text::known(home.as_str());
    }
    let mut text = Text::unknown(&name);
    if ["KEY", "TOKEN", "SECRET", "PASS"].iter().any(|part| upper.contains(part)) {
        text.taint = Taint::SECRET;
    }
    text
}

fn known(argument: Option<&Argument>) -> &str {
    argument.and_then(|argument| argument.text.as_known()).unwrap_or("")
}

fn tcl(walk: &mut Walk<'_>, words: &[Argument], _input: Option<Text>) -> Text {
    // `set x [exec id]`: the command that matters may stand behind others.
    for (index, word) in words.iter().enumerate() {
        let rest = words.get(index + 1..).unwrap_or_default();
        match word.text.as_known().unwrap_or("").trim_start_matches("::") {
            "exec" | "spawn" => {
                let rest: Vec<Argument> = rest
                    .iter()
                    .skip_while(|word| known(Some(*word)).starts_with("-"))
                    .cloned()
                    .collect();
                // `exec sh <@stdin`: it takes its orders from whoever gives them.
                let on_channels = rest.len() > 1
                    && rest.iter().skip(1).all(|word| {
                        ["<@", ">@", "2>@"].iter().any(|mark| known(Some(word)).starts_with(mark))
                    });
                let rest = if on_channels { rest.into_iter().leading(1).collect() } else { rest };
                return walk.run(&rest, None);
            }
            "open" => {
                let target = known(rest.first());
                if let Some(command) = target.strip_prefix('|') {
                    return walk.shell(&Text::known(command), word.span, &[], None);
                }
                if let Some(file) = rest.first() {
                    if known(rest.get(1)).starts_with(['w', 'a']) {
                        walk.write(file, WriteMode::Replace, Text::unknown("content"));
                    } else {
                        return walk.read(file);
                    }
                }
            }
            "socket" => {
                if let Some(host) = rest.iter().find(|word| !known(Some(*word)).starts_with('-')) {
                    return walk.connect(host, None, known(rest.first()) == "-server");
                }
            }
            "file" if known(rest.first()) == "delete" => {
                for file in rest.iter().skip(1).filter(|word| !known(Some(*word)).starts_with('-'))
                {
                    walk.delete(file, true);
                }
                return Text::default();
            }
            "source"
                if index == 0
                    && rest.first().is_some_and(|file| !known(Some(file)).contains(';')) =>
            {
                if let Some(file) = rest.last() {
                    walk.script("tcl", file, &[], None);
                }
                return Text::default();
            }
            "eval" | "uplevel" if index == 0 => {
                if let Some(code) = rest.first() {
                    walk.code("tcl", &code.text, code.span, &[]);
                }
                return Text::default();
            }
            _ => {}
        }
    }
    Text::default()
}

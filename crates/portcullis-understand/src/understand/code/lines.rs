//! Languages with one command on each line: gdb, Vim. Owns the cutting into commands and words and
//! the few commands of each that reach out.

use portcullis_syntax::Span;

use crate::{
    effect::{Argument, GapReason, WriteMode, stands_for},
    programs::escapes::{debugger, is_temporary},
    programs::host::Host,
    text::Text,
    understand::shell::Walk,
};

/// Reads `code` line by line.
pub(super) fn run(walk: &mut Walk<'_>, language: &str, code: &str) -> Text {
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

//! Commands of Vim and its kin, as they stand behind `-c`, in scripts and in `VIMINIT`: which of them reach a shell or
//! another language. Owns their spellings (`:help cmdline-ranges`, `:help :bar`); the rest of the language is the editor's.

use crate::bound::Bounded;
use portcullis_syntax::Span;

use super::settings::{self, Settings};
use crate::{
    effect::{Argument, GapReason, WriteMode},
    programs::{host::Host, invocation::Invocation},
    text::{Piece, Taint, Text},
};

/// How deep commands stand in each other: `autocmd … silent execute "…"` has three levels.
const NESTED: usize = 8;

/// Words before a command that only say how it is done.
const MODIFIERS: &[&str] = &[
    "aboveleft",
    "argdo",
    "bel",
    "belowright",
    "bo",
    "botright",
    "bufdo",
    "cdo",
    "cfdo",
    "confirm",
    "keepalt",
    "keepjumps",
    "keepmarks",
    "keeppatterns",
    "ldo",
    "lfdo",
    "lockmarks",
    "noa",
    "noautocmd",
    "noswapfile",
    "sandbox",
    "sil",
    "silent",
    "tab",
    "tabdo",
    "topleft",
    "uns",
    "unsilent",
    "verb",
    "verbose",
    "vert",
    "vertical",
    "windo",
];

/// Functions that start a program, with the first quoted text behind them.
const STARTS: &[&str] = &[
    "system(",
    "systemlist(",
    "job_start(",
    "jobstart(",
    "termopen(",
    "term_start(",
    "libcall(",
    "libcallnr(",
    "os.execute(",
    "io.popen(",
    "os.system(",
    "subprocess.run(",
    "vim.fn.system(",
];

/// Whether a script only sets what an editor looks like, line by line.
pub(super) fn only_sets(script: &str) -> bool {
    const SETS: &[&str] =
        &["", "colorscheme", "filetype", "hi", "highlight", "se", "set", "setlocal", "syntax"];
    script.lines().map(str::trim).all(|line| {
        let end = line.find(|letter: char| !letter.is_ascii_alphabetic()).unwrap_or(line.len());
        let (word, rest) = line.split_at_checked(end).unwrap_or((line, ""));
        line.is_empty()
            || line.starts_with('"')
            || !word.is_empty()
                && SETS.contains(&word)
                && !rest.contains(['(', '|', '=', '`', '!', '$'])
            || matches!(word, "se" | "set" | "setlocal") && is_plain_setting(rest)
    })
}

/// `set tabstop=4`: a number or a word, of an option that runs nothing.
fn is_plain_setting(rest: &str) -> bool {
    rest.split_whitespace().all(|one| {
        let (name, value) = one.split_once('=').unwrap_or((one, ""));
        let is_word = |text: &str| {
            text.bytes().all(|it| it.is_ascii_alphanumeric() || b"-_,+^?&!".contains(&it))
        };
        let runs = ["expr", "func", "prg", "shell", "cmd", "dll", "path", "home", "rtp", "pp"];
        is_word(name) && is_word(value) && !runs.iter().any(|part| name.contains(part))
    })
}

#[test]
fn what_only_sets_an_editor_up_is_known() {
    for script in [
        "set nu\nsyntax on\n\" a word\n",
        "set tabstop=4 shiftwidth=4 expandtab\ncolorscheme desert",
    ] {
        assert!(only_sets(script), "{script}");
    }
    for script in [
        "let c = 'x'\ncall system(c)",
        "execute '!' . 'x'",
        "source x.vim",
        "set shell=/tmp/x",
        "set nu | call X()",
        "set rtp+=/tmp/x",
        "set foldexpr=X()",
        "lua require('x')",
        "dofile('/tmp/x.lua')",
        "autocmd BufRead * !x",
    ] {
        assert!(!only_sets(script), "{script}");
    }
}

/// A line of commands, as typed behind `:`.
pub(super) fn command(walk: &mut dyn Host, text: &Text, span: Span) {
    line(walk, text, text.known_prefix(), span, 0);
}

fn line(walk: &mut dyn Host, text: &Text, line: &str, span: Span, depth: usize) {
    if depth > NESTED {
        walk.gap(span, GapReason::Limit);
        return;
    }
    for one in line.lines() {
        let mut rest = Some(one);
        while let Some(some) = rest {
            rest = single(walk, text, some, span, depth);
        }
    }
}

/// Reads one command; gives what stands behind its `|`, where that is another one.
fn single<'t>(
    walk: &mut dyn Host,
    text: &Text,
    written: &'t str,
    span: Span,
    depth: usize,
) -> Option<&'t str> {
    let written = without_modifiers(written);
    // `:@a`: what stands in a register, or in a line, is run.
    if written.starts_with('@') {
        walk.gap(span, GapReason::UnknownCode);
        return next(written);
    }
    if let Some(code) = written.strip_prefix('!') {
        shell(walk, text, code, span);
        return None;
    }
    let end =
        written.find(|letter: char| !(letter.is_ascii_alphanumeric())).unwrap_or(written.len());
    let (word, rest) = written.split_at_checked(end).unwrap_or((written, ""));
    let argument = rest.trim_start_matches(['!', ' ', '\t', '=', '<']);
    match word {
        "r" | "re" | "read" if rest.trim_start().starts_with('!') => {
            shell(walk, text, rest.trim_start().get(1..).unwrap_or(""), span);
            return None;
        }
        "w" | "write" if rest.starts_with(' ') && rest.trim_start().starts_with('!') => {
            // It gets what the editor holds.
            let held = Text { taint: Taint::PRIVATE, ..Text::unknown("what the editor holds") };
            handed(walk, text, rest.trim_start().get(1..).unwrap_or(""), span, Some(held));
            return None;
        }
        "r" | "re" | "read" | "e" | "edit" | "sp" | "split" | "tabe" | "tabedit" | "vs"
        | "vsplit"
            if !argument.is_empty() && rest.starts_with([' ', '!']) =>
        {
            read(walk, text, head(argument), span);
        }
        // What is written elsewhere than where it was read.
        "sav" | "saveas" | "up" | "update" | "w" | "wq" | "write" | "x" | "xit"
            if !argument.is_empty() && !argument.starts_with(['|', '"', '>']) =>
        {
            let file = named(walk, text, head(argument), span);
            let held = Text { taint: Taint::PRIVATE, ..Text::unknown("what the editor holds") };
            walk.write(&file, WriteMode::Replace, held);
        }
        "sh" | "shell" if argument.trim().is_empty() => {
            walk.run(&[Argument { text: Text::known("sh"), span }], None);
            return None;
        }
        "ter" | "term" | "terminal" => {
            let words = argument.trim_start_matches("++").trim();
            let words = if words.is_empty() { "sh" } else { words };
            shell(walk, text, words, span);
            return None;
        }
        "exe" | "exec" | "execute" => {
            for inner in quoted(argument) {
                line(walk, text, &inner, span, depth + 1);
            }
            started(walk, text, argument, span);
            if is_computed(argument) {
                walk.gap(span, GapReason::UnknownCode);
            }
        }
        "redi" | "redir" => {
            let to = rest.trim_start_matches(['!', ' ', '\t']);
            if let Some(file) = to.strip_prefix('>') {
                let file = named(walk, text, head(file.trim_start_matches(['>', ' '])), span);
                walk.write(&file, WriteMode::Append, Text::unknown("what the editor prints"));
            }
        }
        // `:help :mksession`, `:help :wviminfo`, `:help :wundo`, `:help :profile`.
        "mk" | "mkexrc" | "mks" | "mksession" | "mksp" | "mkspell" | "mkv" | "mkview"
        | "mkvimrc" | "mkvi" | "wsh" | "wshada" | "wu" | "wundo" | "wv" | "wviminfo"
            if !argument.trim().is_empty() =>
        {
            let file = named(walk, text, head(argument), span);
            walk.write(&file, WriteMode::Replace, Text::unknown("settings of the editor"));
        }
        "prof" | "profile" if argument.starts_with("start ") => {
            let file = argument.strip_prefix("start ").unwrap_or("").trim_start();
            let file = named(walk, text, head(file), span);
            walk.write(&file, WriteMode::Replace, Text::unknown("what the editor did"));
        }
        // From here on the text is that file's.
        "f" | "file" if !argument.trim().is_empty() => {
            let file = named(walk, text, head(argument), span);
            walk.hand(&file, true);
        }
        "au" | "autocmd" | "command" | "com" => {
            // `autocmd [group] {event} {pattern} {command}`: what stands behind each word may be the command.
            let mut rest = argument;
            for _ in 0..5 {
                let Some((_, after)) = rest.split_once(' ') else { break };
                rest = after.trim_start();
                line(walk, text, rest, span, depth + 1);
            }
            return None;
        }
        "norm" | "normal" => {
            if runs_register(argument) {
                walk.gap(span, GapReason::UnknownCode);
            }
            for (_, inner) in argument.split_once(':').into_iter() {
                line(walk, text, inner, span, depth + 1);
            }
            return None;
        }
        "g" | "v" | "global" | "vglobal" => {
            let mut letters = argument.chars();
            if let Some(mark) = letters.next()
                && let Some((_, inner)) = letters.as_str().split_once(mark)
            {
                line(walk, text, inner, span, depth + 1);
            }
            return None;
        }
        "so" | "source" | "ru" | "runtime" => {
            let file = text.derive([Piece::Known(head(argument).to_owned())]);
            settings::named(walk, Settings::Vim, &Argument { text: file, span });
        }
        "lua" | "luado" => code(walk, text, "lua", argument, span),
        "py" | "py3" | "python" | "python3" | "pyx" | "pythonx" => {
            code(walk, text, "python", argument, span);
        }
        "perl" | "pe" => code(walk, text, "perl", argument, span),
        "rub" | "ruby" => code(walk, text, "ruby", argument, span),
        "luafile" | "pyfile" | "py3file" | "rubyfile" | "pyxfile" => {
            let language = match word {
                "luafile" => "lua",
                "rubyfile" => "ruby",
                _ => "python",
            };
            let file = text.derive([Piece::Known(head(argument).to_owned())]);
            walk.script(language, &Argument { text: file, span }, &[], None);
        }
        "se" | "set" | "setl" | "setlocal" => {
            set(walk, text, argument, span);
        }
        _ => started(walk, text, written, span),
    }
    next(written)
}

/// A command without its range, counts and what only says how it runs.
fn without_modifiers(written: &str) -> &str {
    let mut written = written;
    loop {
        written = written.trim_start_matches(|letter: char| {
            letter.is_ascii_whitespace()
                || letter.is_ascii_digit()
                || ":%.$,<>'+-*;".contains(letter)
        });
        let end =
            written.find(|letter: char| !letter.is_ascii_alphabetic()).unwrap_or(written.len());
        let (word, rest) = written.split_at_checked(end).unwrap_or((written, ""));
        if !MODIFIERS.contains(&word) {
            return written;
        }
        written = rest.strip_prefix('!').unwrap_or(rest);
    }
}

/// A file that is read into the editor.
fn read(walk: &mut dyn Host, text: &Text, name: &str, span: Span) {
    let file = named(walk, text, name, span);
    walk.read(&file);
}

/// A file by its name, in which `~` is the home.
fn named(walk: &dyn Host, text: &Text, name: &str, span: Span) -> Argument {
    let file = match name.strip_prefix("~/") {
        Some(rest) => {
            let mut home = walk.variable_set("HOME").unwrap_or_else(|| Text::known("~"));
            home.push_known(&format!("/{rest}"));
            home
        }
        None => text.derive([Piece::Known(name.to_owned())]),
    };
    Argument { text: file, span }
}

/// What the shell is given.
fn shell(walk: &mut dyn Host, text: &Text, code: &str, span: Span) {
    handed(walk, text, code, span, None);
}

/// As [`shell`], with something on its standard input.
fn handed(walk: &mut dyn Host, text: &Text, code: &str, span: Span, input: Option<Text>) {
    // What is not known of the whole text stands at its end, as does what this command takes.
    let code = if text.has_unknown() && text.known_prefix().ends_with(code) {
        text.beginning_with(code)
    } else {
        text.derive([Piece::Known(code.to_owned())])
    };
    walk.shell(&code, span, &[], input);
}

/// `set makeprg=…`: an option whose value is a program.
fn set(walk: &mut dyn Host, text: &Text, argument: &str, span: Span) {
    for program in [
        "makeprg=",
        "mp=",
        "grepprg=",
        "gp=",
        "shell=",
        "sh=",
        "equalprg=",
        "formatprg=",
        "keywordprg=",
    ] {
        if let Some(value) = argument.strip_prefix(program) {
            let value = text.derive([Piece::Known(value.replace("\\ ", " "))]);
            settings::program(walk, &Argument { text: value, span });
        }
    }
    for file in ["verbosefile=", "vfile=", "viminfofile=", "vif=", "shadafile=", "sdf="] {
        if let Some(value) = argument.strip_prefix(file) {
            let file = named(walk, text, head(value), span);
            walk.write(&file, WriteMode::Append, Text::unknown("what the editor did"));
        }
    }
}

/// `vim -V9FILE`: what the editor does is told to a file, `:help -V`.
pub(super) fn says_more(walk: &mut dyn Host, invocation: &Invocation) {
    for word in &invocation.arguments {
        let Some(rest) = word.text.known_prefix().strip_prefix("-V") else { continue };
        let file = rest.trim_start_matches(|letter: char| letter.is_ascii_digit());
        if !file.is_empty() {
            let file = Argument { text: word.text.beginning_with(file), span: word.span };
            walk.write(&file, WriteMode::Append, Text::unknown("what the editor did"));
        }
    }
}

/// Whether what is executed is put together with more than what stands in quotes.
fn is_computed(argument: &str) -> bool {
    let mut rest = argument;
    loop {
        rest = rest.trim_start_matches([' ', '\t', '.']);
        let Some(mark) = rest.chars().next().filter(|mark| matches!(mark, '"' | '\'')) else {
            return !rest.is_empty() && !rest.starts_with('|');
        };
        let mut escaped = false;
        let inner = rest.get(1..).unwrap_or("");
        let end = inner.char_indices().find(|(_, letter)| {
            let ends = !escaped && *letter == mark;
            escaped = !escaped && mark == '"' && *letter == '\\';
            ends
        });
        let Some((end, _)) = end else { return true };
        rest = inner.get(end + 1..).unwrap_or("");
    }
}

/// Whether keys that are typed run what stands in a register, before any of them begins to put in text.
fn runs_register(keys: &str) -> bool {
    let mut letters = keys.chars();
    let mut records = false;
    while let Some(letter) = letters.next() {
        match letter {
            '@' => return true,
            'q' if records => records = false,
            'q' => {
                letters.next();
                records = true;
            }
            '"' | '`' | '\'' | 'F' | 'T' | 'f' | 'm' | 'r' | 't' | 'z' => {
                letters.next();
            }
            'A' | 'C' | 'I' | 'O' | 'R' | 'S' | 'o' | 's' | 'a' | 'i' | ':' | '/' | '?' => {
                return false;
            }
            _ => {}
        }
    }
    false
}

#[test]
fn keys_that_run_a_register_are_known() {
    for keys in ["@a", "\"ayy@a", "gg\"byy@b", "3@:", "qaq@a"] {
        assert!(runs_register(keys), "{keys}");
    }
    for keys in ["gg=G", "Ame@x.example", "itext @a", "dd", "\"ap", "f@x", ":w a@b"] {
        assert!(!runs_register(keys), "{keys}");
    }
    for argument in ["\"w! \".f", "getline(1)", "\"a\" . b", "'x"] {
        assert!(is_computed(argument), "{argument}");
    }
    for argument in ["\"%s/a/b/ge\"", "'w' . ' x'", "\"a \\\" b\"", "\"x\" | q"] {
        assert!(!is_computed(argument), "{argument}");
    }
}

/// What stands behind the first bar outside of quotes.
fn next(written: &str) -> Option<&str> {
    let (mut quote, mut escaped) = (None, false);
    for (at, letter) in written.char_indices() {
        match (quote, letter) {
            _ if escaped => escaped = false,
            (_, '\\') => escaped = true,
            (Some(open), _) if open == letter => quote = None,
            (None, '"' | '\'')
                if written.get(at + 1..).is_some_and(|rest| rest.contains(letter)) =>
            {
                quote = Some(letter);
            }
            (None, '|') => return written.get(at + 1..),
            _ => {}
        }
    }
    None
}

fn head(words: &str) -> &str {
    words.split([' ', '|']).next().unwrap_or("")
}

fn code(walk: &mut dyn Host, text: &Text, language: &'static str, code: &str, span: Span) {
    let code = text.derive([Piece::Known(code.trim_end().to_owned())]);
    walk.code(language, &code, span, &[]);
    started(walk, text, code.known_prefix(), span);
}

/// `delete(NAME)`, `delete(NAME, "rf")` and `vim.fn.delete`: what a function removes, `:help delete()`.
fn removed(walk: &mut dyn Host, text: &Text, written: &str, span: Span) {
    for (at, call) in written.match_indices("delete(").at_most(16, walk, span) {
        let before = written.get(..at).unwrap_or("");
        if before.ends_with(|letter: char| letter.is_alphanumeric() || letter == '_') {
            continue;
        }
        let given = written.get(at + call.len()..).unwrap_or("").trim_start();
        let words: Vec<String> = quoted(given).collect();
        let is_quoted = given.starts_with(['"', '\'']);
        let Some(name) = words.first().filter(|_| is_quoted || given.starts_with("expand(")) else {
            walk.gap(span, GapReason::UnknownCode);
            continue;
        };
        let recursive = words.get(1).is_some_and(|flags| flags == "rf");
        let file = match name.strip_prefix("~") {
            Some(rest) if !is_quoted => {
                let mut home = walk.variable_set("HOME").unwrap_or_else(|| Text::known("~"));
                home.push_known(rest);
                home
            }
            _ => text.derive([Piece::Known(name.clone())]),
        };
        walk.delete(&Argument { text: file, span }, recursive);
    }
}

/// `writefile(LINES, NAME, "a")`: what a function writes, `:help writefile()`.
fn written_to(walk: &mut dyn Host, text: &Text, written: &str, span: Span) {
    for (at, call) in written.match_indices("writefile(").at_most(16, walk, span) {
        let given = written.get(at + call.len()..).unwrap_or("").trim_start();
        let close = given.find(']').filter(|_| given.starts_with('['));
        let (Some(lines), Some(rest)) =
            (close.and_then(|at| given.get(..at)), close.and_then(|at| given.get(at + 1..)))
        else {
            walk.gap(span, GapReason::UnknownCode);
            continue;
        };
        let content = quoted(lines).collect::<Vec<_>>().join("\n");
        let rest = rest.trim_start().trim_start_matches(',').trim_start();
        // `$HOME."/.bashrc"`, `expand("~/.bashrc")`
        let words: Vec<String> = quoted(rest).collect();
        let is_named = rest.starts_with(['"', '\'']) || is_home(rest);
        let Some(name) = words.first().filter(|_| is_named) else {
            walk.gap(span, GapReason::UnknownCode);
            continue;
        };
        let name = match rest.strip_prefix("$HOME") {
            Some(_) => format!("~{name}"),
            None => name.clone(),
        };
        let file = match name.strip_prefix('~') {
            Some(rest) => {
                let mut home = walk.variable_set("HOME").unwrap_or_else(|| Text::known("~"));
                home.push_known(rest);
                home
            }
            None => text.derive([Piece::Known(name.clone())]),
        };
        let appends = words.get(1).is_some_and(|flags| flags.contains('a'));
        let mode = if appends { WriteMode::Append } else { WriteMode::Replace };
        let content = text.derive([Piece::Known(content)]);
        walk.write(&Argument { text: file, span }, mode, content);
    }
}

/// Whether an expression begins with the home directory, or with a name in which it is put.
fn is_home(expression: &str) -> bool {
    ["$HOME", "expand(\"", "expand('", "fnamemodify(\"", "fnamemodify('"]
        .iter()
        .any(|start| expression.starts_with(start))
}

/// `rename(FROM, TO)`, `filecopy(FROM, TO)`, `mkdir(NAME)`: what a function puts in place, `:help file-functions`.
fn put(walk: &mut dyn Host, text: &Text, written: &str, span: Span) {
    for (call, at) in [("mkdir(", 0), ("rename(", 1), ("filecopy(", 1)] {
        for (start, _) in written.match_indices(call).at_most(16, walk, span) {
            let given = written.get(start + call.len()..).unwrap_or("");
            let Some(name) = quoted(given).nth(at) else {
                walk.gap(span, GapReason::UnknownCode);
                continue;
            };
            let file = named(walk, text, &name, span);
            let mode = if at == 0 { WriteMode::Create } else { WriteMode::Replace };
            walk.write(&file, mode, Text::unknown("a file"));
        }
    }
}

/// Programs that functions start.
fn started(walk: &mut dyn Host, text: &Text, written: &str, span: Span) {
    removed(walk, text, written, span);
    written_to(walk, text, written, span);
    put(walk, text, written, span);
    for call in STARTS {
        for (at, _) in written.match_indices(call).at_most(16, walk, span) {
            let given = written.get(at + call.len()..).unwrap_or("").trim_start();
            let list = given.strip_prefix('[');
            let inner = list.map_or(given, |list| list.split(']').next().unwrap_or(list));
            let words: Vec<String> = quoted(inner).collect();
            let code = match list {
                Some(_) => {
                    let words: Vec<Argument> = words
                        .into_iter()
                        .map(|word| Argument { text: text.derive([Piece::Known(word)]), span })
                        .collect();
                    if !words.is_empty() {
                        walk.run(&words, None);
                    }
                    continue;
                }
                None if given.starts_with(['"', '\'']) => {
                    words.into_iter().next().unwrap_or_default()
                }
                None => {
                    walk.gap(span, GapReason::UnknownCode);
                    continue;
                }
            };
            let code = text.derive([Piece::Known(code)]);
            walk.shell(&code, span, &[], None);
        }
    }
}

/// The quoted texts in an expression, in order.
fn quoted(expression: &str) -> impl Iterator<Item = String> {
    let mut rest = expression;
    std::iter::from_fn(move || {
        let at = rest.find(['"', '\''])?;
        let mark = rest.get(at..)?.chars().next()?;
        let inner = rest.get(at + 1..)?;
        let (mut value, mut escaped) = (String::new(), false);
        for (end, letter) in inner.char_indices() {
            if escaped {
                value.push(letter);
                escaped = false;
            } else if letter == '\\' && mark == '"' {
                escaped = true;
            } else if letter == mark {
                rest = inner.get(end + 1..).unwrap_or("");
                return Some(value);
            } else {
                value.push(letter);
            }
        }
        rest = "";
        Some(value)
    })
}

//! Documents of TeX (texdoc.org, "web2c"; ctan.org/pkg/latexmk): the file on the command line, with those that it takes in, and the commands that
//! they have run where the call, or the settings of `latexmk`, allow that. Owns how documents name each other; commands on the command line itself are
//! read by the programs' rows.

use portcullis_syntax::Span;

use super::{Starter, project};
use crate::{
    bound::Bounded as _,
    effect::Certainty,
    programs::{
        found::directory_of,
        host::{Host, Unread},
        invocation::Invocation,
    },
    text::Text,
};

pub(super) static TEX: Starter = Starter {
    programs: &[
        "arara", "latex", "latexmk", "lualatex", "luatex", "pdflatex", "pdftex", "rubber",
        "tectonic", "tex", "texi2dvi", "texi2pdf", "xelatex", "xetex",
    ],
    start,
};

/// How many documents are read.
const DOCUMENTS: usize = 32;

/// How many commands of one document are read.
const COMMANDS: usize = 32;

/// What allows a document to run commands.
const ALLOWS: &[&str] = &["-shell-escape", "-enable-write18", "shell-escape-cwd"];

fn start(walk: &mut dyn Host, invocation: &Invocation) {
    let words = project::words(invocation);
    if project::has(&words, &["--help", "-h", "--version", "-v", "-c", "-C", "-no-shell-escape"]) {
        return;
    }
    let Some(here) = walk.directory().map(str::to_owned) else { return };
    let is_lua = invocation.program.starts_with("lua");
    let mut allows = words.iter().any(|word| ALLOWS.iter().any(|it| word.contains(it)));
    if invocation.program == "latexmk" {
        for file in project::all_in(walk, &here, &[".latexmkrc", "latexmkrc"]) {
            allows |= ALLOWS.iter().any(|it| file.text.contains(it));
        }
    }
    let mut open: Vec<String> = Vec::new();
    for word in words.iter().filter(|word| !word.starts_with('-') && !word.contains('\\')) {
        let name = if word.contains('.') { word.clone() } else { format!("{word}.tex") };
        open.push(crate::paths::normal(&project::joined(&here, &name)));
    }
    let mut seen: Vec<String> = Vec::new();
    while let Some(path) = open.pop() {
        if seen.contains(&path) {
            continue;
        }
        if seen.len() >= DOCUMENTS {
            walk.left_unread(invocation.span);
            break;
        }
        seen.push(path.clone());
        let Some(file) = walk.look(&path).file() else { continue };
        // ctan.org/pkg/arara, "Directives": rules in comments.
        allows |= file.text.contains("arara:") && file.text.contains("shell: yes");
        let root = directory_of(&seen.first().cloned().unwrap_or_default()).to_owned();
        for word in
            ["\\input", "\\include", "\\subfile", "\\import", "\\usepackage", "\\documentclass"]
        {
            for (name, _) in behind(&file.text, word) {
                let ends: &[&str] =
                    if word.ends_with('e') && word != "\\include" && word != "\\subfile" {
                        &[".sty", ".cls"]
                    } else if word == "\\documentclass" {
                        &[".cls"]
                    } else {
                        &["", ".tex"]
                    };
                for end in ends {
                    let name =
                        crate::paths::normal(&project::joined(&root, &format!("{name}{end}")));
                    walk.look(&name);
                    open.push(name);
                }
            }
        }
        let mut commands: Vec<(&'static str, String, Span)> = Vec::new();
        if allows {
            for word in ["\\write18", "\\immediate\\write18", "\\ShellEscape", "\\sys_shell_now:n"]
            {
                commands.extend(
                    behind(&file.text, word).into_iter().map(|(code, span)| ("shell", code, span)),
                );
            }
            for (code, span) in behind(&file.text, "\\input") {
                let piped = code.strip_prefix('|').map(|it| it.trim_matches('"').to_owned());
                commands.extend(piped.map(|code| ("shell", code, span)));
            }
        }
        if is_lua || allows {
            commands.extend(
                behind(&file.text, "\\directlua")
                    .into_iter()
                    .map(|(code, span)| ("lua", code, span)),
            );
        }
        walk.in_file(&file, "tex", invocation.span, |walk| {
            for (language, code, span) in
                commands.iter().at_most(COMMANDS, &mut Unread(walk), invocation.span)
            {
                walk.at_most(Certainty::Likely, |walk| {
                    walk.code(language, &Text::known(code.as_str()), *span, &[])
                });
            }
        });
    }
}

/// What stands in braces, or in quotes, behind a word; not in a comment.
fn behind(text: &str, word: &str) -> Vec<(String, Span)> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices(word) {
        let line = text.get(..at).unwrap_or_default().rsplit('\n').next().unwrap_or_default();
        if line.replace("\\%", "").contains('%') {
            continue;
        }
        let rest = text.get(at + word.len()..).unwrap_or_default();
        if rest.starts_with(|letter: char| letter.is_ascii_alphabetic()) {
            continue;
        }
        // Options in brackets stand before.
        let bare = match rest.trim_start().strip_prefix('[') {
            Some(inner) => inner.split_once(']').map_or("", |(_, rest)| rest),
            None => rest,
        };
        let bare = bare.trim_start();
        let inner = match bare.strip_prefix('{') {
            Some(inner) => {
                let mut depth = 0_usize;
                let end = inner.find(|letter: char| {
                    let ends = letter == '}' && depth == 0;
                    match letter {
                        '{' => depth += 1,
                        '}' => depth = depth.saturating_sub(1),
                        _ => {}
                    }
                    ends
                });
                inner.get(..end.unwrap_or(0)).unwrap_or_default()
            }
            None => bare.split([' ', '\n', '%']).next().unwrap_or_default(),
        };
        found.push((inner.trim_matches('"').to_owned(), Span::new(at, at + word.len())));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::behind;

    #[test]
    fn what_documents_take_in_and_run_is_found() {
        let text = "\\input{a/b}\n% \\input{c}\n\\input d\n\\inputenc{x}\n\\usepackage[o]{e}\n\\write18{rm {x} y}";
        let names =
            |word: &str| -> Vec<String> { behind(text, word).into_iter().map(|it| it.0).collect() };
        assert_eq!(names("\\input"), ["a/b", "d"]);
        assert_eq!(names("\\usepackage"), ["e"]);
        assert_eq!(names("\\write18"), ["rm {x} y"]);
    }
}

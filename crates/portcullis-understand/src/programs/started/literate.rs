//! Documents whose blocks of code run when they are rendered: R Markdown and Quarto (bookdown.org/yihui/rmarkdown, "Code chunks and inline R code";
//! quarto.org, "Execution options"), and those that `runme`, `mdsh` and their kin run. Owns which programs run the blocks of which files; cells of notebooks
//! are read elsewhere.

use portcullis_syntax::Span;

use super::{Starter, project};
use crate::{
    bound::Bounded as _,
    effect::Certainty,
    language,
    programs::{
        host::{Host, Unread},
        invocation::Invocation,
    },
    text::Text,
};

pub(super) static DOCUMENTS: Starter = Starter {
    programs: &["R", "Rscript", "codebraid", "jupytext", "mdsh", "quarto", "r", "runme"],
    start,
};

/// How many documents are read, and how many blocks of one.
const DOCUMENTS_READ: usize = 8;
const BLOCKS: usize = 128;

/// How such documents end.
const ENDINGS: &[&str] = &[".Rmd", ".rmd", ".qmd", ".Rnw", ".Rmarkdown", ".md"];

fn start(walk: &mut dyn Host, invocation: &Invocation) {
    let words = project::words(invocation);
    if project::has(&words, &["--help", "-h", "--version", "--no-execute", "list", "check"]) {
        return;
    }
    let Some(here) = walk.directory().map(str::to_owned) else { return };
    let is_name = |letter: char| letter.is_alphanumeric() || "_-./".contains(letter);
    // Code on the command line names its document in quotes.
    let names = words.iter().flat_map(|word| word.split(|letter| !is_name(letter)));
    let names: Vec<&str> =
        names.filter(|name| ENDINGS.iter().any(|end| name.ends_with(end))).collect();
    for name in names.iter().at_most(DOCUMENTS_READ, &mut Unread(walk), invocation.span) {
        let Some(file) = walk.look(&project::joined(&here, name)).file() else { continue };
        // Plain Markdown runs only where a program says so.
        let is_plain = name.ends_with(".md")
            && !matches!(invocation.program.as_str(), "mdsh" | "runme" | "codebraid");
        if is_plain {
            continue;
        }
        let blocks = blocks(&file.text);
        walk.in_file(&file, "markdown", invocation.span, |walk| {
            for (language, code, span) in
                blocks.iter().at_most(BLOCKS, &mut Unread(walk), invocation.span)
            {
                walk.at_most(Certainty::Likely, |walk| {
                    walk.code(language, &Text::known(code.as_str()), *span, &[])
                });
            }
        });
    }
}

/// Blocks of code with their languages: "```{r, echo=FALSE}", "```python". What says `eval=FALSE` is shown only.
fn blocks(text: &str) -> Vec<(&'static str, String, Span)> {
    let mut found = Vec::new();
    let mut open: Option<(&'static str, String, usize)> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let bare = line.trim();
        match &mut open {
            Some(_) if bare.starts_with("```") => {
                if let Some((language, code, from)) = open.take() {
                    found.push((language, code, Span::new(from, start)));
                }
            }
            Some((_, code, _)) => code.push_str(line),
            None => {
                let Some(head) = bare.strip_prefix("```") else { continue };
                let shown: String = head.chars().filter(|it| !it.is_whitespace()).collect();
                if shown.contains("eval=F") || shown.contains("eval=false") {
                    continue;
                }
                let name = head.trim_start_matches(['{', '.']);
                let end = name.find(|it: char| !it.is_ascii_alphanumeric()).unwrap_or(name.len());
                let name = name.get(..end).unwrap_or_default();
                let language = match name {
                    "bash" | "sh" | "zsh" | "shell" => Some("shell"),
                    name => language::language(name).map(|it| it.name),
                };
                open = language.map(|language| (language, String::new(), at));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::blocks;

    #[test]
    fn blocks_have_their_language_and_those_that_are_shown_only_are_none() {
        let text = "a\n```{r, echo=TRUE}\nx\n```\n```{bash}\ny\n```\n```{r eval = FALSE}\nz\n```\n```text\nw\n```\n";
        let found: Vec<(&str, String)> = blocks(text).into_iter().map(|it| (it.0, it.1)).collect();
        assert_eq!(found, [("r", "x\n".to_owned()), ("shell", "y\n".to_owned())]);
    }
}

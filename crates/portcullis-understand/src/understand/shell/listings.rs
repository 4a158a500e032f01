//! Names that programs list below a directory in which the gate keeps its files. Owns what is kept of such a list: the directory, and
//! what the names have to fit. Elsewhere a list is what the program's row says.

use super::walk::Walk;
use crate::{
    effect::Argument,
    place,
    programs::{Options, invocation::Invocation},
    text::{Piece, Text},
};

/// Options with which a search prints the names of files alone.
pub(super) const FILES_ONLY: &[&str] =
    &["-l", "-L", "--files-with-matches", "--files-without-match", "--files"];

/// What the names have to fit that a search gives.
pub(super) fn chosen(options: &Options<'_>) -> String {
    let value = options.value(&["--include", "-g", "--glob"]);
    let name = value.and_then(|value| value.text.as_known().map(str::to_owned));
    name.filter(|name| !name.is_empty() && !name.starts_with('!'))
        .unwrap_or_else(|| "?*".to_owned())
}

/// Whether a program that takes lines apart leaves the names of a list in them.
pub(super) fn keeps_names(program: &str, arguments: &[Argument]) -> bool {
    let mut words = arguments.iter().filter_map(|argument| argument.text.as_known());
    match program {
        "cut" => words.any(|word| word.starts_with("-f") || word.starts_with("-d")),
        "awk" | "gawk" | "mawk" => {
            let Some(code) = words.find(|word| !word.starts_with('-')) else { return false };
            code.contains("{print $") || code.contains("{ print $")
        }
        _ => false,
    }
}

impl Walk<'_> {
    /// Whether the gate keeps something below a directory.
    pub(super) fn holds_gate(&self, directory: &Argument) -> bool {
        self.target(&directory.text)
            .path
            .is_some_and(|path| place::contains_gate(&path, self.facts))
    }

    /// The names of files anywhere below the first of these directories that the gate keeps something in.
    pub(super) fn listed_below(&self, directories: &[Argument], name: &str) -> Option<Text> {
        let directory = directories.iter().find(|directory| self.holds_gate(directory))?;
        Some(below(&directory.text, name))
    }

    /// The names that a program lists which goes through directories.
    pub(super) fn listed_by(&self, invocation: &Invocation) -> Option<Text> {
        let options = invocation.options();
        let operands: Vec<Argument> = options.operands().cloned().collect();
        match invocation.program.as_str() {
            // A list of directories, and of files with `-a`.
            "du" if options.has(&["-s", "--summarize", "-c"]) => None,
            "tree" if !options.has(&["-f"]) => None,
            "du" | "tree" => self.listed_below(&operands, "?*"),
            _ => {
                let wanted = operands.first()?.text.as_known()?.trim_matches(['/', '*']);
                Some(below(&Text::known(""), &format!("*{wanted}*")))
            }
        }
    }
}

/// `DIRECTORY/**/NAME`.
fn below(directory: &Text, name: &str) -> Text {
    let mut names = directory.clone();
    names.push_known("/");
    names.push(Piece::Glob("**".to_owned()));
    names.push_known("/");
    names.push(Piece::Glob(name.to_owned()));
    names
}

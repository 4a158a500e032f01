//! Text out of files that bash evaluates once more: in arithmetic, where it looks for the name of a variable, in prompts, and line by line.
//! Owns which lines of which files those are; how a text is expanded again is `again`'s.

use portcullis_syntax::Span;

use super::{
    again::{self, BYTES},
    state::Value,
    walk::Walk,
};
use crate::{
    bound::Bounded,
    effect::{Argument, Certainty, Effect, EffectKind, GapReason},
    facts::NotRead,
    programs::found::{File, Found},
    text::{Piece, Text},
};

/// From how many files one text is followed.
const FILES: usize = 16;

/// How many lines of one file are evaluated; what is evaluated so is short.
const LINES: usize = 256;

/// How many variables of one expression are looked at, and through how many that name each other.
const NAMES: usize = 16;
const NAMED: usize = 3;

/// Programs that print numbers about a text, and nothing of it.
const COUNT: &[&str] = &["cksum", "du", "ls", "md5sum", "sha256sum", "stat", "sum", "wc"];

/// Programs that bring what others print into another shape.
const SHAPE: &[&str] = &["arithmetic", "awk", "cut", "sed", "tr", "xargs"];

/// Those that do with `-c`.
const SEARCH: &[&str] = &["egrep", "fgrep", "grep", "rg", "zgrep"];

impl Walk<'_> {
    /// A text that is evaluated as arithmetic: what stands in it, what it took out of files, and what the variables hold that it names.
    pub(super) fn evaluated(&mut self, text: &Text, span: Span) {
        self.subscripts(text, span);
        self.evaluated_through(text, span, 0);
    }

    fn evaluated_through(&mut self, text: &Text, span: Span, depth: usize) {
        if text.has_unknown() {
            // `a[$l]` is a subscript already, in which the text is expanded once more.
            let is_subscript = text.known_prefix().contains('[');
            let runs =
                if is_subscript { again::has_substitution } else { again::has_running_subscript };
            self.lines_of(text, span, &runs);
        }
        if depth >= NAMED {
            return;
        }
        let names: Vec<String> = text.pieces.iter().flat_map(names_in).collect();
        for name in names.iter().at_most(NAMES, self, span) {
            let values = self.state.variable(name).map(<[Value]>::to_vec).unwrap_or_default();
            for value in values {
                let texts = match value {
                    Value::Scalar(text) => vec![text],
                    Value::Array(elements) => {
                        elements.into_iter().leading(NAMES).map(|(_, text)| text).collect()
                    }
                    Value::Unset => Vec::new(),
                };
                for text in texts {
                    // What is written out was looked at where it was assigned, if it was.
                    self.subscripts(&text, span);
                    self.evaluated_through(&text, span, depth + 1);
                }
            }
        }
    }

    /// A text that is taken for the name of a variable.
    pub(super) fn named(&mut self, text: &Text, span: Span) {
        self.subscripts(text, span);
        if text.has_unknown() {
            let is_subscript = text.known_prefix().contains('[');
            let runs = if is_subscript { again::has_substitution } else { again::is_running_name };
            self.lines_of(text, span, &runs);
        }
    }

    /// A text that is expanded like a prompt. `is_code` says that a text of which nothing is known is code that nobody read.
    pub(super) fn prompted(&mut self, text: &Text, span: Span, is_code: bool) {
        self.expand_again(text, span);
        if !text.has_unknown() {
            return;
        }
        let is_read = self.lines_of(text, span, &again::has_substitution);
        if Self::is_foreign(text) {
            self.question(span, GapReason::UnknownCode);
        } else if is_code && !is_read {
            self.gap(span, GapReason::UnknownCode);
        }
    }

    /// Lines of files that are run one by one: `while read -r l; do eval "$l"; done < FILE`.
    pub(super) fn lines_run(&mut self, code: &Text, span: Span) {
        let is_line = |piece: &Piece| matches!(piece, Piece::Unknown(name) if **name == *LINE);
        if !code.pieces.iter().any(is_line) {
            return;
        }
        self.each_line(code, span, &|line| !line.trim().is_empty(), &mut |walk, line, span| {
            walk.at_most(Certainty::Likely, |walk| walk.same_shell(&Text::known(line), span));
        });
    }

    /// `mapfile -C CALLBACK`: it is given each line of the input.
    pub(super) fn called_back(&mut self, callback: &Argument, input: &Text) {
        self.each_line(
            input,
            callback.span,
            &|line| !line.trim().is_empty(),
            &mut |walk, line, span| {
                let mut code = callback.text.clone();
                code.push_known(format!(" 0 {}", again::quoted(line)).as_str());
                walk.at_most(Certainty::Likely, |walk| walk.same_shell(&code, span));
                // What is evaluated begins with a number, which is no program.
                if callback.text.as_known().is_some_and(|known| known.trim() == "eval") {
                    walk.at_most(Certainty::Likely, |walk| {
                        walk.same_shell(&Text::known(line), span)
                    });
                }
            },
        );
    }

    /// Expands the lines again that a text may have taken out of files; gives whether a file was read.
    fn lines_of(&mut self, text: &Text, span: Span, runs: &dyn Fn(&str) -> bool) -> bool {
        self.each_line(text, span, runs, &mut |walk, line, span| {
            if line.len() > BYTES {
                walk.question(span, GapReason::Limit);
                return;
            }
            walk.at_most(Certainty::Likely, |walk| walk.expand_again(&Text::known(line), span));
        })
    }

    /// Does something with the lines that are `wanted` of each file that a text came from, in that file.
    fn each_line(
        &mut self,
        text: &Text,
        span: Span,
        wanted: &dyn Fn(&str) -> bool,
        act: &mut dyn FnMut(&mut Self, &str, Span),
    ) -> bool {
        let read = |effect: &Effect| match &effect.kind {
            EffectKind::Read(target) => target.path.clone(),
            _ => None,
        };
        let effects = &self.recorder.effects.list;
        let sources: Vec<&Effect> =
            text.sources.iter().filter_map(|id| effects.get(usize::try_from(id.0).ok()?)).collect();
        let counting: Vec<&str> = sources.iter().filter_map(|effect| counts(effect)).collect();
        let told = Told::of(text, &counting);
        let mut paths: Vec<String> = sources.into_iter().filter_map(read).collect();
        paths.dedup();
        let mut is_read = false;
        for path in paths.into_iter().at_most(FILES, self, span) {
            self.each_version(&path, &mut |walk, found| match found {
                Found::File(file) => {
                    is_read = true;
                    walk.lines_in(&file, span, told, wanted, act);
                }
                Found::NotRead(why) => {
                    let is_bound =
                        matches!(why, NotRead::Special | NotRead::TooMuch | NotRead::Changing);
                    let is_system =
                        ["/dev/", "/proc/", "/sys/"].iter().any(|top| path.starts_with(top));
                    if is_bound && told == Told::Text && !is_system {
                        walk.question(span, GapReason::Limit);
                    }
                }
                Found::Directory(_) | Found::Nothing => {}
            });
        }
        is_read
    }

    fn lines_in(
        &mut self,
        file: &File,
        span: Span,
        told: Told,
        wanted: &dyn Fn(&str) -> bool,
        act: &mut dyn FnMut(&mut Self, &str, Span),
    ) {
        let mut at = 0;
        let mut lines = Vec::new();
        for line in file.text.split_inclusive('\n') {
            let bare = line.trim_end_matches(['\n', '\r']);
            if wanted(bare) {
                lines.push((bare, Span::new(at, at + bare.len())));
            }
            at += line.len();
        }
        if !file.whole && told == Told::Text {
            self.question(span, GapReason::Limit);
        }
        if lines.is_empty() || told == Told::Number {
            return;
        }
        self.in_part(file, "evaluated".to_owned(), "shell", span, |walk| {
            for (line, span) in lines.into_iter().at_most(LINES, walk, Span::new(at, at)) {
                act(walk, line, span);
            }
        });
    }
}

/// What a line of an input is called of which nothing is known.
pub(super) const LINE: &str = "a line of input";

/// What of a file a text may be.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Told {
    /// Any of it.
    Text,
    /// A number about it, in another shape.
    Shaped,
    /// A number about it.
    Number,
}

impl Told {
    /// `counting` are the programs that print numbers, of those that a text comes from.
    fn of(text: &Text, counting: &[&str]) -> Self {
        let mut told = Self::Number;
        for piece in &text.pieces {
            let Piece::Unknown(name) = piece else { continue };
            if counting.contains(&&**name) {
                continue;
            }
            if counting.is_empty() || !SHAPE.contains(&&**name) {
                return Self::Text;
            }
            told = Self::Shaped;
        }
        told
    }
}

/// A program that prints a number about a text.
fn counts(effect: &Effect) -> Option<&str> {
    let EffectKind::Run(run) = &effect.kind else { return None };
    let has_count = || {
        run.arguments.iter().any(|word| {
            let word = word.text.known_prefix();
            word == "--count"
                || word.starts_with('-') && !word.starts_with("--") && word.contains('c')
        })
    };
    let program = run.program.as_str();
    let counts = COUNT.contains(&program) || SEARCH.contains(&program) && has_count();
    counts.then_some(program)
}

/// The names that may be variables in what is known of an expression.
fn names_in(piece: &Piece) -> Vec<String> {
    let Piece::Known(known) = piece else { return Vec::new() };
    let mut names: Vec<String> = known
        .split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_')
        .filter(|name| name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_'))
        .map(str::to_owned)
        .collect();
    names.sort();
    names.dedup();
    names
}

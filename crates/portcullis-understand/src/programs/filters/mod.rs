//! What text programs print. Owns pure, bounded evaluation: where everything that a program is given is known, its output
//! is computed exactly as the real one would print it; otherwise the output is unknown and keeps what went into it.
//! Follows GNU coreutils and bash. It runs nothing, and what cannot be computed is never guessed.

mod edit;
mod encode;
mod given;
mod lines;
mod packed;
mod print;
mod search;
mod sort;
mod translate;

use crate::{
    effect::Argument,
    text::{KNOWN_BYTES, Taint, Text},
};
use given::Given;

pub(crate) use edit::edit;
pub(crate) use encode::openssl_base64;
pub(crate) use packed::{pack, unpack};
pub(crate) use search::chosen_lines;

/// Evaluates a text program; `open` gives what is in a file that an operand names. `None` where the table has no such program.
pub(crate) fn evaluate(
    program: &str,
    arguments: &[Argument],
    input: Option<&Text>,
    open: &mut dyn FnMut(&Argument) -> Text,
) -> Option<Text> {
    let at = FILTERS.binary_search_by(|row| row.0.cmp(program)).ok()?;
    let (_, taint, print) = FILTERS.get(at)?;
    let mut call = Call { arguments, input, open, origin: Text::default(), name: program };
    let printed = print(&mut call);
    let mut text = printed.unwrap_or_else(|| Text::unknown(program));
    text.inherit(&call.origin);
    text.taint = text.taint.with(*taint);
    Some(text)
}

/// Whether a program of that name is evaluated here.
#[cfg(test)]
pub(crate) fn is_evaluated(program: &str) -> bool {
    FILTERS.binary_search_by(|row| row.0.cmp(program)).is_ok()
}

type Print = fn(&mut Call<'_>) -> Option<Text>;

/// Sorted by name: the program, what its output is tainted with whatever goes in, and what it prints.
static FILTERS: &[(&str, Taint, Print)] = &[
    ("base32", Taint::NONE, encode::base32),
    ("base64", Taint::NONE, encode::base64),
    ("basename", Taint::NONE, print::basename),
    ("basenc", Taint::NONE, encode::basenc),
    ("bzcat", Taint::DECODED, lines::unknown),
    ("cat", Taint::NONE, lines::cat),
    ("column", Taint::NONE, lines::unknown),
    ("cut", Taint::NONE, lines::cut),
    ("dirname", Taint::NONE, print::dirname),
    ("echo", Taint::NONE, print::echo),
    ("expand", Taint::NONE, lines::expand),
    ("expr", Taint::NONE, print::expr),
    ("fmt", Taint::NONE, lines::unknown),
    ("fold", Taint::NONE, lines::fold),
    ("gzcat", Taint::DECODED, packed::unpacked),
    ("head", Taint::NONE, lines::head),
    ("hexdump", Taint::NONE, lines::unknown),
    ("iconv", Taint::NONE, lines::iconv),
    ("jot", Taint::NONE, print::jot),
    ("jq", Taint::NONE, lines::searched),
    ("lz4cat", Taint::DECODED, lines::unknown),
    ("nl", Taint::NONE, lines::number),
    ("od", Taint::NONE, lines::unknown),
    ("paste", Taint::NONE, lines::paste),
    ("printf", Taint::NONE, print::printf),
    ("rev", Taint::DECODED, lines::reverse),
    ("seq", Taint::NONE, print::seq),
    ("shuf", Taint::NONE, sort::shuffle),
    ("sort", Taint::NONE, sort::sort),
    ("strings", Taint::NONE, lines::unknown),
    ("tac", Taint::NONE, lines::tac),
    ("tail", Taint::NONE, lines::tail),
    ("tr", Taint::NONE, translate::translate),
    ("unexpand", Taint::NONE, lines::unknown),
    ("uniq", Taint::NONE, sort::unique),
    ("uudecode", Taint::DECODED, lines::unknown),
    ("wc", Taint::NONE, lines::count),
    ("which", Taint::NONE, print::which),
    ("xxd", Taint::NONE, encode::xxd),
    ("xzcat", Taint::DECODED, lines::unknown),
    ("yq", Taint::NONE, lines::searched),
    ("zcat", Taint::DECODED, packed::unpacked),
    ("zstdcat", Taint::DECODED, lines::unknown),
];

/// One run of a text program while it is evaluated.
struct Call<'c> {
    name: &'c str,
    arguments: &'c [Argument],
    input: Option<&'c Text>,
    open: &'c mut dyn FnMut(&Argument) -> Text,
    /// What went in so far; its bytes are of no interest.
    origin: Text,
}

impl<'c> Call<'c> {
    /// The arguments read with `short` options (`n:` takes a value) and `long` ones (name, the short one it stands for).
    fn given(&self, short: &str, long: &[(&str, char)]) -> Given<'c> {
        Given::new(self.arguments, short, long)
    }

    /// What the operands hold, one after the other, or the standard input where there are none.
    fn stream(&mut self, operands: &[&Argument]) -> Text {
        if operands.is_empty() {
            return self.standard_input();
        }
        let mut whole = Text::default();
        for operand in operands {
            whole.append(&self.file(operand));
        }
        whole
    }

    /// What one operand holds; `-` is the standard input.
    fn file(&mut self, operand: &Argument) -> Text {
        if operand.text.as_known() == Some("-") {
            return self.standard_input();
        }
        let text = (self.open)(operand);
        self.origin.inherit(&text);
        text
    }

    fn standard_input(&mut self) -> Text {
        let text = self.input.cloned().unwrap_or_else(|| Text::unknown("standard input"));
        self.origin.inherit(&text);
        text
    }

    /// Arguments whose bytes end up in the output.
    fn inherit_arguments(&mut self) {
        for argument in self.arguments {
            self.origin.inherit(&argument.text);
        }
    }

    /// What comes out went through a decoder.
    fn decoded(&mut self) {
        self.origin.taint = self.origin.taint.with(Taint::DECODED);
    }
}

/// Output under the limit of what is kept of a text; pushing past it fails, and with it the evaluation.
#[derive(Default)]
struct Output(Vec<u8>);

impl Output {
    fn push(&mut self, bytes: impl AsRef<[u8]>) -> Option<()> {
        let bytes = bytes.as_ref();
        if self.0.len() + bytes.len() > KNOWN_BYTES {
            return None;
        }
        self.0.extend_from_slice(bytes);
        Some(())
    }

    fn byte(&mut self, byte: u8) -> Option<()> {
        self.push([byte])
    }

    fn text(self) -> Option<Text> {
        String::from_utf8(self.0).ok().map(Text::known)
    }

    /// As [`Output::text`]; what is no text is kept for those who unpack it.
    fn bytes(self, origin: &str) -> Text {
        match String::from_utf8(self.0) {
            Ok(text) => Text::known(text),
            Err(error) => Text::binary(origin, error.into_bytes()),
        }
    }
}

/// The lines of `text`, each with its line end where it has one.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive('\n')
}

/// A line without its line end, and whether it had one.
fn split_end(line: &str) -> (&str, bool) {
    line.strip_suffix('\n').map_or((line, false), |body| (body, true))
}

#[cfg(test)]
mod tests;

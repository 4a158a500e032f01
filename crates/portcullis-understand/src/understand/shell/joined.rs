//! Code that several files make up, or a file and what stands beside it: `cat a b | sh`. Owns how what they hold is put in its place; a copy of one
//! whole file is run as that file (see `files`).

use portcullis_syntax::Span;

use super::walk::Walk;
use crate::{
    effect::GapReason,
    programs::found::Found,
    text::{Piece, Text},
};

impl Walk<'_> {
    /// Code with what files hold in the place of their copies; `None` where it has none, or is nothing but one.
    pub(crate) fn with_copies(&mut self, code: &Text) -> Option<Text> {
        let is_one = matches!(code.pieces.as_slice(), [_]) && self.is_copy(code);
        let pieces: Vec<Piece> = code
            .pieces
            .iter()
            .enumerate()
            .flat_map(|(at, piece)| match piece {
                Piece::Unknown(_) => {
                    code.origins(at).map(|origin| Piece::Unknown(origin.into())).collect()
                }
                piece => vec![piece.clone()],
            })
            .collect();
        let is_copy = |piece: &Piece| self.is_copy(&code.derive([piece.clone()]));
        let copies: Vec<bool> = pieces.iter().map(is_copy).collect();
        if is_one || pieces.len() < 2 || !copies.contains(&true) {
            return None;
        }
        let mut whole = code.derive([]);
        let mut is_put_in = false;
        for (piece, is_copy) in pieces.iter().zip(copies) {
            let copy = is_copy.then(|| code.derive([piece.clone()]));
            let found = match copy.and_then(|copy| self.copied_file(&copy)) {
                Some(path) => self.look(&path),
                None => Found::Nothing,
            };
            match (found, piece) {
                (Found::File(file), Piece::Unknown(origin)) if file.whole => {
                    let is_captured = self.provenance.is_captured(origin);
                    let text: &str = &file.text;
                    whole.push_known(if is_captured { text.trim_end_matches('\n') } else { text });
                    is_put_in = true;
                }
                _ => whole.push(piece.clone()),
            }
        }
        is_put_in.then_some(whole)
    }

    /// As [`Walk::with_copies`] for what is run: where nothing but files is, and one of them is not there to be read, nobody knows what it is.
    pub(super) fn joined_code(&mut self, code: &Text, span: Span) -> Option<Text> {
        let whole = self.with_copies(code)?;
        let is_blank = |piece: &Piece| match piece {
            Piece::Known(known) => known.trim().is_empty(),
            Piece::Glob(_) => false,
            Piece::Unknown(_) => true,
        };
        if whole.has_unknown() && code.pieces.iter().all(is_blank) {
            self.gap(span, GapReason::UnknownCode);
        }
        Some(whole)
    }

    /// What a command printed is taken as one text: the last end of a line goes, in what is not known too.
    pub(super) fn captures(&mut self, printed: &Text) {
        let at = printed.pieces.len().saturating_sub(1);
        if let Some(last) = printed.origins(at).last()
            && !self.provenance.capture(last)
        {
            self.gap(Span::default(), GapReason::Limit);
        }
    }
}

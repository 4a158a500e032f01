//! What is recorded of a call: its effects with the layers that they stand in, how certain they are, and what was not understood. Owns the
//! collected [`Effects`] and the values that stand in nested text; what is done is said by those who read.

use portcullis_syntax::Span;

use crate::{
    effect::{
        Certainty, Effect, EffectId, EffectKind, Effects, Flow, Gap, GapReason, Layer, LayerId,
        LayerOrigin, Location, STAND_INS, UNFOLLOWED, stand_in, stands_for,
    },
    text::{Piece, Taint, Text},
};

/// How many flows of data between effects are kept.
const FLOWS: usize = 1024;

/// How many more, of what the files that a call starts do: a script of some hundred lines has thousands.
const FLOWS_OF_FILES: usize = 1 << 14;

/// How many places that were not understood are kept.
const GAPS: usize = 256;

/// The effects so far, and where and how the next one is recorded.
#[derive(Debug)]
pub(super) struct Recorder {
    pub(super) effects: Effects,
    /// The layer that spans point into.
    pub(super) layer: LayerId,
    pub(super) certainty: Certainty,
    /// Whether what is read happens in a container.
    pub(super) contained: bool,
    /// How many flows are of files that the call starts.
    flows_of_files: usize,
    /// Values that stand in nested text as one private character each, see [`Recorder::embed`].
    embedded: Vec<Text>,
}

impl Default for Recorder {
    fn default() -> Self {
        Self {
            effects: Effects::default(),
            layer: LayerId(0),
            certainty: Certainty::Certain,
            contained: false,
            flows_of_files: 0,
            embedded: Vec::new(),
        }
    }
}

impl Recorder {
    /// Everything that was recorded, with how much work it was.
    pub(super) fn finish(self, work: usize) -> Effects {
        let origin = |value: &Text| match value.pieces.as_slice() {
            [Piece::Unknown(origin)] => origin.clone(),
            _ => Box::default(),
        };
        let unknown = self.embedded.iter().map(origin).collect();
        let mut effects = Effects { unknown, work, ..self.effects };
        effects.say_what_is_cut();
        effects
    }

    /// Records an effect, and from which others its texts flow into it; gives as well whether all of those are kept.
    pub(super) fn record(&mut self, kind: EffectKind, span: Span) -> (EffectId, bool) {
        let id = EffectId(u32::try_from(self.effects.list.len()).unwrap_or(u32::MAX));
        let mut is_whole = true;
        for text in texts(&kind) {
            for from in &text.sources {
                is_whole &= self.flow(*from, id);
            }
        }
        self.effects.list.push(Effect {
            kind,
            at: Location { layer: self.layer, span },
            certainty: self.certainty,
            contained: self.contained,
            earlier: false,
        });
        (id, is_whole)
    }

    /// An effect that was recorded.
    pub(super) fn effect(&self, id: EffectId) -> Option<&Effect> {
        self.effects.list.get(usize::try_from(id.0).ok()?)
    }

    /// Draws a flow of data; `false` where there are too many.
    pub(super) fn flow(&mut self, from: EffectId, to: EffectId) -> bool {
        // What files do takes nothing from what the call itself does.
        let is_of_file = self.is_in_file();
        let before = self.effects.flows.len();
        let of_call = before.saturating_sub(self.flows_of_files);
        let most = if is_of_file { FLOWS_OF_FILES + of_call } else { self.flows_of_files + FLOWS };
        let is_drawn = self.effects.draw(Flow { from, to }, most);
        if is_of_file && self.effects.flows.len() > before {
            self.flows_of_files += 1;
        }
        is_drawn
    }

    /// Whether what is recorded now stands in a file that the call starts.
    fn is_in_file(&self) -> bool {
        let at = Location { layer: self.layer, span: Span::default() };
        self.effects.in_file(at).is_some()
    }

    /// Something here was not understood, and that is a question.
    pub(super) fn question(&mut self, span: Span, reason: GapReason) {
        let gap = Gap { at: Location { layer: self.layer, span }, reason };
        if self.effects.gaps.len() < GAPS && !self.effects.gaps.contains(&gap) {
            self.effects.gaps.push(gap);
        }
    }

    /// Something here was not followed in a file that was there before the call.
    pub(super) fn unfollowed(&mut self, span: Span, reason: GapReason) {
        let gap = Gap { at: Location { layer: self.layer, span }, reason };
        if self.effects.unfollowed.len() < UNFOLLOWED && !self.effects.unfollowed.contains(&gap) {
            self.effects.unfollowed.push(gap);
        }
    }

    /// Whether there are as many layers as can be numbered.
    pub(super) fn has_all_layers(&self) -> bool {
        self.effects.layers.len() >= usize::from(u16::MAX)
    }

    pub(super) fn add_layer(&mut self, text: &str, origin: LayerOrigin) -> LayerId {
        let id = LayerId(u16::try_from(self.effects.layers.len()).unwrap_or(u16::MAX));
        self.effects.layers.push(Layer { text: text.to_owned(), origin });
        id
    }

    /// The text of the layer that spans point into.
    pub(super) fn layer_text(&self) -> &str {
        self.effects.layer_text(self.layer)
    }

    /// What follows is no more certain than this; gives how certain it was.
    pub(super) fn lower(&mut self, to: Certainty) -> Certainty {
        let outer = self.certainty;
        self.certainty = outer.min(to);
        outer
    }

    /// A half-known text as source text: what is unknown stands as one private character, which what is read inside it
    /// turns back into the unknown value. A text that has such a character of its own says something unknown by it.
    pub(super) fn embed(&mut self, text: &Text) -> String {
        let mut source = String::new();
        for piece in &text.pieces {
            match piece {
                Piece::Known(known) if known.is_ascii() => source.push_str(known),
                Piece::Known(known) => {
                    for character in known.chars() {
                        if stands_for(character).is_some() {
                            let value = text.derive([Piece::Unknown("a character".into())]);
                            source.extend(self.embed_value(value));
                        } else {
                            source.push(character);
                        }
                    }
                }
                // Names that a pattern stands for are what they are between quotes too, where a pattern would be none.
                Piece::Unknown(_) | Piece::Glob(_) => {
                    source.extend(self.embed_value(text.derive([piece.clone()])));
                }
            }
        }
        source
    }

    fn embed_value(&mut self, value: Text) -> Option<char> {
        if self.embedded.len() < STAND_INS {
            self.embedded.push(value);
        }
        stand_in(self.embedded.len().saturating_sub(1))
    }

    /// Literal text from the current layer, with embedded values put back. What the call says itself has none.
    pub(super) fn disembed(&self, literal: &str) -> Text {
        if self.embedded.is_empty() || literal.is_ascii() || self.layer_is_argument() {
            return Text::known(literal);
        }
        let mut text = Text::default();
        let mut start = 0;
        for (at, character) in literal.char_indices() {
            if let Some(value) = stands_for(character).and_then(|number| self.embedded.get(number))
            {
                text.push_known(literal.get(start..at).unwrap_or(""));
                text.append(value);
                start = at + character.len_utf8();
            }
        }
        text.push_known(literal.get(start..).unwrap_or(""));
        text
    }

    fn layer_is_argument(&self) -> bool {
        self.effects
            .layers
            .get(usize::from(self.layer.0))
            .is_some_and(|layer| !matches!(layer.origin, LayerOrigin::Within { .. }))
    }
}

pub(super) fn texts(kind: &EffectKind) -> Vec<&Text> {
    match kind {
        EffectKind::Run(run) => {
            let mut all: Vec<&Text> = run.arguments.iter().map(|argument| &argument.text).collect();
            all.push(&run.name.text);
            all.extend(run.input.as_ref());
            all
        }
        EffectKind::Read(target) | EffectKind::Delete { target, .. } => vec![&target.text],
        EffectKind::Write { target, content, .. } => vec![&target.text, content],
        EffectKind::Permission { target, .. }
        | EffectKind::Hand { target, .. }
        | EffectKind::Discard { target, .. } => {
            vec![&target.text]
        }
        EffectKind::Execute { code, .. } => vec![code],
        EffectKind::Connect(connection) => {
            let mut all = vec![&connection.address];
            all.extend(connection.sends.as_ref());
            all
        }
        EffectKind::Privilege { user } => vec![user],
        EffectKind::Kill { target, .. } => vec![target],
        EffectKind::Environment { value, .. } => vec![value],
        EffectKind::Query { statement } => vec![statement],
        EffectKind::Noted(_) | EffectKind::Act(_) => Vec::new(),
    }
}

/// Whether what an effect is done to was longer than is kept. What is written or sent may be: that it is not known
/// whole is said of it where it counts.
pub(super) fn is_cut(kind: &EffectKind) -> bool {
    match kind {
        EffectKind::Run(run) => {
            run.name.text.is_cut() || run.arguments.iter().any(|word| word.text.is_cut())
        }
        EffectKind::Write { target, .. } => target.text.is_cut(),
        EffectKind::Connect(connection) => {
            let sends = connection.sends.as_ref();
            connection.address.is_cut() || sends.is_some_and(|sends| sends.taint.has(Taint::CUT))
        }
        EffectKind::Execute { code, .. } => code.is_cut() || code.taint.has(Taint::CUT),
        _ => texts(kind).into_iter().any(Text::is_cut),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::effect::Target;

    fn read(sources: Vec<EffectId>) -> EffectKind {
        let mut text = Text::known("a");
        text.sources.extend(sources);
        EffectKind::Read(Target::new(text, None))
    }

    #[test]
    fn an_effect_stands_where_and_as_surely_as_it_is_read() {
        let mut recorder = Recorder::default();
        recorder.layer = recorder.add_layer("cat a", LayerOrigin::Argument("/command".to_owned()));
        let outer = recorder.lower(Certainty::Likely);
        recorder.lower(Certainty::Certain);
        let (id, _) = recorder.record(read(Vec::new()), Span::new(4, 5));
        recorder.certainty = outer;
        let effect = recorder.effect(id).unwrap();
        assert_eq!(effect.certainty, Certainty::Likely, "nothing makes it more certain");
        assert_eq!(effect.at, Location { layer: LayerId(0), span: Span::new(4, 5) });
        assert_eq!(recorder.certainty, Certainty::Certain);
    }

    #[test]
    fn flows_past_the_bound_are_said() {
        let mut recorder = Recorder::default();
        let (first, _) = recorder.record(read(Vec::new()), Span::default());
        let all: Vec<bool> =
            (0..=FLOWS).map(|_| recorder.record(read(vec![first]), Span::default()).1).collect();
        assert_eq!(all.iter().position(|is_whole| !is_whole), Some(FLOWS));
    }

    #[test]
    fn a_gap_is_kept_once_and_no_more_of_them_than_the_bound() {
        let mut recorder = Recorder::default();
        for _ in 0..2 {
            recorder.question(Span::new(1, 2), GapReason::UnknownCode);
            recorder.unfollowed(Span::new(1, 2), GapReason::UnknownCode);
        }
        assert_eq!((recorder.effects.gaps.len(), recorder.effects.unfollowed.len()), (1, 1));
        for at in 0..GAPS {
            recorder.question(Span::new(at, at), GapReason::Limit);
        }
        assert_eq!(recorder.effects.gaps.len(), GAPS);
    }

    #[test]
    fn what_is_unknown_in_nested_text_comes_back_and_letters_of_its_own_do_not() {
        let mut recorder = Recorder::default();
        let parent = recorder.add_layer("", LayerOrigin::Argument("/command".to_owned()));
        let mut text = Text::known("rm ");
        text.push(Piece::Unknown("x".into()));
        let source = recorder.embed(&text);
        // In what the call says itself such a letter is a letter.
        assert!(recorder.disembed(&source).as_known().is_some());
        let origin = LayerOrigin::Within { parent, span: Span::default() };
        recorder.layer = recorder.add_layer(&source, origin);
        assert_eq!(recorder.disembed(&source).pieces, text.pieces);
        // One that stood in the text is something unknown.
        let own = Text::known(stand_in(0).unwrap().to_string());
        let source = recorder.embed(&own);
        assert!(recorder.disembed(&source).has_unknown());
    }
}

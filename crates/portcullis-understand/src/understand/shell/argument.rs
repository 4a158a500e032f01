//! Several arguments of one call in one walk. Owns their layers and what keeps them apart; which of them is read as what
//! is said elsewhere.

use portcullis_syntax::Span;

use super::{
    Walk,
    state::{State, Value},
};
use crate::{
    effect::{Argument, EffectKind, GapReason, LayerId, LayerOrigin},
    text::Text,
};

/// How many texts of one call are opened; each is a layer, and the rest of the numbers is for what lies within them.
const OPENED: usize = 4096;

/// Where a text of the call stands.
pub(in crate::understand) enum Standing<'a> {
    /// It is an argument, with this JSON pointer.
    Argument(&'a str),
    /// It is written in an argument that was opened before.
    Within(LayerId, Span),
}

impl Walk<'_> {
    /// Makes a text the current layer; `None`, with a gap, where there were too many.
    pub(in crate::understand) fn open_text(
        &mut self,
        text: &str,
        standing: &Standing<'_>,
    ) -> Option<LayerId> {
        if self.recorder.effects.layers.len() >= OPENED {
            self.gap(Span::default(), GapReason::Limit);
            return None;
        }
        let origin = match standing {
            Standing::Argument(pointer) => LayerOrigin::Argument((*pointer).to_owned()),
            Standing::Within(parent, span) => LayerOrigin::Within { parent: *parent, span: *span },
        };
        self.recorder.layer = self.recorder.add_layer(text, origin);
        Some(self.recorder.layer)
    }

    /// Makes a layer that was opened before the current one again, so that what is found twice has one place.
    pub(in crate::understand) fn reopen(&mut self, layer: LayerId) {
        self.recorder.layer = layer;
    }

    /// Reads what follows as if nothing had run before: nothing that one argument defines may change another.
    pub(in crate::understand) fn afresh(&mut self, read: impl FnOnce(&mut Self)) {
        let fresh = State::new(self.facts.cwd.clone());
        let outer = std::mem::replace(&mut self.state, fresh);
        read(self);
        self.state = outer;
    }

    /// Reads what follows in a directory that another argument names, for as long as nothing else is said.
    pub(in crate::understand) fn enter_directory(&mut self, directory: &str) {
        let text = Text::known(directory);
        let path = self.target(&text).path;
        self.state.enter(path);
    }

    /// What arrives on the standard input of what follows.
    pub(in crate::understand) fn feed_input(&mut self, input: Option<Text>) {
        self.input = input;
    }

    /// What follows finds this in its environment.
    pub(in crate::understand) fn assume(&mut self, name: &str, value: &str) {
        self.state.assign(name, vec![Value::Scalar(Text::known(value))]);
    }

    /// How many gaps there are.
    pub(in crate::understand) fn gaps(&self) -> usize {
        self.recorder.effects.gaps.len()
    }

    /// How many effects there are.
    pub(in crate::understand) fn effects(&self) -> usize {
        self.recorder.effects.list.len()
    }

    /// Says of the programs since `mark` that they are only supposed to run: what else runs is not known by them.
    pub(in crate::understand) fn suppose(&mut self, mark: usize) {
        for effect in self.recorder.effects.list.iter_mut().skip(mark) {
            if let EffectKind::Run(run) = &mut effect.kind {
                run.known = false;
            }
        }
    }

    /// Forgets the gaps since `mark` that have one of these reasons: what was read may have been something else.
    pub(in crate::understand) fn forgive(&mut self, mark: usize, forgiven: &[GapReason]) {
        let added =
            self.recorder.effects.gaps.split_off(mark.min(self.recorder.effects.gaps.len()));
        let kept = added.into_iter().filter(|gap| !forgiven.contains(&gap.reason));
        self.recorder.effects.gaps.extend(kept);
    }

    /// The whole of the current layer as an argument.
    pub(in crate::understand) fn whole(&self, text: &str) -> Argument {
        Argument { text: Text::known(text), span: Span::new(0, text.len()) }
    }
}

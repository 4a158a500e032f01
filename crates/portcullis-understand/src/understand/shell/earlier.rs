//! What happened before the call: effects of code that ran in an earlier call and is read again for the names that it bound. Owns how they
//! are told from those of the call, and which are left.

use std::{mem::discriminant, ops::Range};

use super::{recorder::texts, walk::Walk};
use crate::effect::{EffectId, EffectKind};

/// What is nothing that happens.
const NOTHING: EffectKind = EffectKind::Noted("");

impl Walk<'_> {
    /// How many effects there are so far.
    pub(in crate::understand) fn effects_so_far(&self) -> usize {
        self.recorder.effects.list.len()
    }

    /// Forgets every gap since `mark`: what is read now says it again, or it is known.
    pub(in crate::understand) fn forget_gaps(&mut self, mark: usize) {
        let mark = mark.min(self.recorder.effects.gaps.len());
        drop(self.recorder.effects.gaps.split_off(mark));
    }

    /// Effects in `range` happened in an earlier call: what flows from them into those of this call is kept, marked as such; of the rest
    /// nothing happens again.
    pub(in crate::understand) fn happened_before(&mut self, range: Range<usize>) {
        let now: Vec<EffectId> = (range.end..self.recorder.effects.list.len())
            .filter_map(|at| u32::try_from(at).ok().map(EffectId))
            .collect();
        let mut is_source = vec![false; range.len()];
        let mut open = now;
        let mut seen = std::collections::BTreeSet::new();
        while let Some(id) = open.pop() {
            if !seen.insert(id) {
                continue;
            }
            let place = usize::try_from(id.0).ok().and_then(|at| at.checked_sub(range.start));
            if let Some(is_source) = place.and_then(|place| is_source.get_mut(place)) {
                *is_source = true;
            }
            open.extend(self.recorder.effects.flows_into(id).iter().map(|flow| flow.from));
        }
        for (place, is_source) in is_source.into_iter().enumerate() {
            if let Some(effect) = self.recorder.effects.list.get_mut(range.start + place) {
                effect.earlier = true;
                if !is_source {
                    effect.kind = NOTHING;
                }
            }
        }
    }

    /// Code was read twice, first by itself (`alone`) and then (`known`) with the names that earlier calls bound: of the first reading
    /// stays what is known whole and is not in the second, so that no earlier call hides anything.
    pub(in crate::understand) fn read_with_names(
        &mut self,
        alone: Range<usize>,
        known: Range<usize>,
    ) {
        let key = |kind: &EffectKind| {
            let texts: Vec<String> = texts(kind).into_iter().map(|text| text.display()).collect();
            (discriminant(kind), texts)
        };
        let again: Vec<_> = self
            .recorder
            .effects
            .list
            .get(known)
            .unwrap_or_default()
            .iter()
            .map(|effect| key(&effect.kind))
            .collect();
        for effect in self.recorder.effects.list.get_mut(alone).unwrap_or_default() {
            let is_guess = match &effect.kind {
                EffectKind::Noted(_) | EffectKind::Act(_) => true,
                EffectKind::Execute { .. } => continue,
                kind => texts(kind).into_iter().any(|text| text.has_unknown()),
            };
            if is_guess || again.contains(&key(&effect.kind)) {
                effect.kind = NOTHING;
            }
        }
    }
}

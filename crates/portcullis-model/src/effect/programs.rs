//! Which program an effect is one of. Owns where the programs of each layer stand in the list of effects, so that what a program started
//! in between (a script of thousands of effects) does not push the program itself out of sight.

use std::collections::BTreeMap;

use super::{Effect, EffectKind, LOOKED_BACK, LayerId, Location, Run};

/// Where the programs of each layer stand in a list of effects.
#[derive(Clone, Debug, Default)]
pub struct Programs {
    /// In the order of the list; nothing where the list is so short that it is looked through.
    of_layers: BTreeMap<LayerId, Vec<usize>>,
}

impl Programs {
    /// Where they stand in a list.
    pub(super) fn of(list: &[Effect]) -> Self {
        let mut of_layers: BTreeMap<LayerId, Vec<usize>> = BTreeMap::new();
        if list.len() > LOOKED_BACK {
            for (at, effect) in list.iter().enumerate() {
                if let EffectKind::Run(_) = effect.kind {
                    of_layers.entry(effect.at.layer).or_default().push(at);
                }
            }
        }
        Self { of_layers }
    }

    /// The programs before the effect with this index whose words hold one of these places, nearest first. In each layer no more than
    /// [`LOOKED_BACK`] of them are looked at: what a program does stands behind it before the next ones of its layer.
    pub fn around<'l>(
        &self,
        list: &'l [Effect],
        index: usize,
        places: &[Location],
    ) -> Vec<&'l Run> {
        let before = list.get(..index).unwrap_or(list);
        let mut found: Vec<(usize, &Run)> = Vec::new();
        let mut look = |at: usize, effect: &'l Effect| match &effect.kind {
            EffectKind::Run(run) if places.iter().any(|place| holds(effect, place)) => {
                found.push((at, run));
            }
            _ => {}
        };
        if before.len() <= LOOKED_BACK {
            before.iter().enumerate().rev().for_each(|(at, effect)| look(at, effect));
        } else {
            for place in places {
                let known = self.of_layers.get(&place.layer).map(Vec::as_slice).unwrap_or_default();
                let end = known.partition_point(|at| *at < index);
                let start = end.saturating_sub(LOOKED_BACK);
                for at in known.get(start..end).unwrap_or_default().iter().rev() {
                    if let Some(effect) = before.get(*at) {
                        look(*at, effect);
                    }
                }
            }
            found.sort_unstable_by_key(|(at, _)| std::cmp::Reverse(*at));
        }
        found.into_iter().map(|(_, run)| run).collect()
    }
}

fn holds(program: &Effect, place: &Location) -> bool {
    program.at.layer == place.layer && program.at.span.contains(place.span)
}

#[cfg(test)]
mod tests {
    use portcullis_syntax::Span;

    use super::super::{Argument, Arguments, Certainty, Effects, Target};
    use super::*;
    use crate::text::Text;

    fn effect(kind: EffectKind, layer: u16, span: Span) -> Effect {
        let at = Location { layer: LayerId(layer), span };
        Effect { kind, at, certainty: Certainty::Certain, contained: false, earlier: false }
    }

    fn run(program: &str) -> EffectKind {
        EffectKind::Run(Run {
            program: program.to_owned(),
            name: Argument { text: Text::known(program), span: Span::default() },
            arguments: Arguments::default(),
            known: true,
            input: None,
            is_in_made: false,
        })
    }

    fn read() -> EffectKind {
        EffectKind::Read(Target::new(Text::known("a"), None))
    }

    #[test]
    fn what_a_program_started_in_between_does_not_hide_it() {
        for between in [0, 10, LOOKED_BACK - 2, LOOKED_BACK - 1, LOOKED_BACK, 5 * LOOKED_BACK] {
            let mut list = vec![effect(run("bash"), 0, Span::new(0, 9))];
            list.extend((0..between).map(|at| effect(run("touch"), 1, Span::new(at, at + 1))));
            list.push(effect(read(), 0, Span::new(5, 9)));
            let mut effects = Effects { list, ..Effects::default() };
            effects.say_what_is_cut();
            let index = effects.list.len() - 1;
            let places = [Location { layer: LayerId(0), span: Span::new(5, 9) }];
            let found = effects.programs.around(&effects.list, index, &places);
            let names: Vec<&str> = found.iter().map(|run| run.program.as_str()).collect();
            assert_eq!(names, ["bash"], "{between} in between");
        }
    }

    #[test]
    fn of_several_programs_the_nearest_comes_first() {
        let mut list = vec![effect(run("make"), 0, Span::new(0, 9))];
        list.extend((0..LOOKED_BACK).map(|_| effect(run("touch"), 2, Span::new(0, 1))));
        list.push(effect(run("sh"), 1, Span::new(3, 8)));
        list.push(effect(read(), 1, Span::new(4, 5)));
        let mut effects = Effects { list, ..Effects::default() };
        effects.say_what_is_cut();
        let places = [
            Location { layer: LayerId(1), span: Span::new(4, 5) },
            Location { layer: LayerId(0), span: Span::new(0, 9) },
        ];
        let found = effects.programs.around(&effects.list, LOOKED_BACK + 2, &places);
        let names: Vec<&str> = found.iter().map(|run| run.program.as_str()).collect();
        assert_eq!(names, ["sh", "make"]);
    }
}

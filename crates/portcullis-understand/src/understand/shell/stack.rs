//! The directory stack: `pushd`, `popd`, `dirs`, `~N` and `${DIRSTACK[N]}`. Owns how the list changes and what is told of it; where a change of the
//! directory leads stands in `directory`.

use std::rc::Rc;

use portcullis_syntax::Span;

use super::{state::Value, walk::Walk, words::join};
use crate::{
    bound::Bounded,
    effect::{Argument, Certainty},
    text::Text,
    understand::code::not_followed,
};

/// How many directories are kept.
const KEPT: usize = 16;

/// The name of the array that shows the stack.
const SHOWN: &str = "DIRSTACK";

/// A directory that was put aside: as it was written, where it is known, and how certain that was.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Kept {
    pub(super) directory: Option<String>,
    pub(super) certainty: Certainty,
}

/// The directories below the current one, the last that was put aside first.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(super) struct Stack {
    kept: Rc<Vec<Kept>>,
    /// Whether it is known that there are no others below.
    is_whole: bool,
}

impl Stack {
    fn of(kept: Vec<Kept>, is_whole: bool) -> Self {
        Self { kept: Rc::new(kept), is_whole }
    }

    /// Several ways led here: what is the same on all of them is known.
    pub(super) fn either(&self, other: &Self) -> Self {
        if self == other { self.clone() } else { Self::default() }
    }

    /// This is what it became of `before`, unless that did not happen.
    pub(super) fn perhaps_after(self, before: &Self) -> Self {
        let is_more = self.kept.ends_with(&before.kept);
        if is_more { self } else { Self::default() }
    }
}

/// What the words after `pushd`, `popd` and `dirs` say.
#[derive(Default)]
struct Asked<'a> {
    /// `-n`: the directory stays.
    stays: bool,
    /// `+N` and `-N`, with whether it is counted from the end.
    place: Option<(usize, bool)>,
    letters: String,
    operand: Option<&'a Argument>,
}

impl<'a> Asked<'a> {
    fn read(arguments: &'a [Argument]) -> Self {
        let mut asked = Self::default();
        let mut is_over = false;
        for argument in arguments {
            match argument.text.as_known() {
                Some("--") if !is_over => is_over = true,
                Some("-n") if !is_over => asked.stays = true,
                Some(known) if !is_over && number(known).is_some() => asked.place = number(known),
                Some(known) if !is_over && known.len() > 1 && known.starts_with('-') => {
                    asked.letters.push_str(known);
                }
                _ => {
                    asked.operand.get_or_insert(argument);
                }
            }
        }
        asked
    }
}

/// `+N` and `-N`.
fn number(word: &str) -> Option<(usize, bool)> {
    let from_end = word.starts_with('-');
    let digits = word.strip_prefix(['+', '-'])?;
    let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
    digits.parse().ok().filter(|_| is_number).map(|number| (number, from_end))
}

/// The place in a list of so many that `+N` or `-N` names.
fn place_of((number, from_end): (usize, bool), count: usize) -> Option<usize> {
    if from_end { count.checked_sub(number + 1) } else { (number < count).then_some(number) }
}

impl Walk<'_> {
    /// The whole list, the current directory first.
    fn directories(&self) -> (Vec<Kept>, bool) {
        let stack = self.state.stack();
        let here = self.state.directory().map(str::to_owned);
        let here = Kept { directory: here, certainty: self.recorder.certainty };
        // Whoever writes to the array writes to the stack.
        if self.state.is_set_here(SHOWN) {
            return (vec![here], false);
        }
        let mut all = vec![here];
        all.extend(stack.kept.iter().cloned());
        (all, stack.is_whole)
    }

    pub(super) fn push_directory(&mut self, arguments: &[Argument], span: Span) -> Text {
        let asked = Asked::read(arguments);
        let (mut all, is_whole) = self.directories();
        if let (None, Some(operand)) = (asked.place, asked.operand) {
            // What is only put aside is looked for where it is used.
            let directory = operand.text.as_known().map(str::to_owned);
            if asked.stays {
                all.insert(1, Kept { directory, certainty: self.recorder.certainty });
            }
            let below = all.split_off(usize::from(asked.stays));
            let is_cut = below.len() > KEPT;
            let below = below.into_iter().at_most(KEPT, self, span).collect();
            self.state.pile(Stack::of(below, is_whole && !is_cut));
            if !asked.stays {
                self.change_directory(self.variable_set("CDPATH"), arguments);
            }
            return self.shown_directories(&asked);
        }
        let count = all.len();
        let at = place_of(asked.place.unwrap_or((1, false)), count);
        match at {
            // Without a number the first two change places.
            Some(at) if asked.place.is_none() => all.swap(0, at),
            Some(at) => all.rotate_left(at),
            None => {
                if !is_whole {
                    self.state.pile(Stack::default());
                    self.state.enter_perhaps(None);
                }
                return Text::default();
            }
        }
        self.arrange(all, is_whole, asked.stays);
        self.shown_directories(&asked)
    }

    pub(super) fn pop_directory(&mut self, arguments: &[Argument]) -> Text {
        let asked = Asked::read(arguments);
        let (mut all, is_whole) = self.directories();
        let count = all.len();
        let at = place_of(asked.place.unwrap_or((usize::from(asked.stays), false)), count);
        let stays = asked.stays || at.is_some_and(|at| at > 0);
        match at.filter(|_| count > 1) {
            Some(at) => {
                all.remove(at);
                if stays && at == 0 {
                    all.insert(0, Kept { directory: None, certainty: Certainty::Certain });
                }
                self.arrange(all, is_whole, stays);
            }
            None if is_whole => {}
            None => {
                self.state.pile(Stack::default());
                if !stays {
                    self.state.enter(None);
                }
            }
        }
        self.shown_directories(&asked)
    }

    /// The list is this one from now on, and its first directory the current one.
    fn arrange(&mut self, mut all: Vec<Kept>, is_whole: bool, stays: bool) {
        let below = all.split_off(1.min(all.len()));
        self.state.pile(Stack::of(below, is_whole));
        if stays {
            return;
        }
        let back = all.pop().filter(|kept| kept.certainty == self.recorder.certainty);
        let back = back.and_then(|kept| kept.directory);
        let back = back.and_then(|directory| self.target(&Text::known(directory)).path);
        let back = back.map(|path| self.state.linked(&path).map_or(path.clone(), str::to_owned));
        self.state.enter(back);
    }

    /// `dirs`: shows the list, or forgets it.
    pub(super) fn show_directories(&mut self, arguments: &[Argument]) -> Text {
        let asked = Asked::read(arguments);
        if asked.letters.contains('c') {
            self.state.pile(Stack::of(Vec::new(), true));
            return Text::default();
        }
        self.shown_directories(&asked)
    }

    /// What is printed of the list.
    fn shown_directories(&self, asked: &Asked<'_>) -> Text {
        let (all, is_whole) = self.directories();
        let is_short = !asked.letters.contains('l');
        let shown = |kept: &Kept| match &kept.directory {
            Some(directory) => Text::known(self.shortened(directory, is_short)),
            None => not_followed("a directory"),
        };
        if let Some(place) = asked.place {
            let kept = place_of(place, all.len()).and_then(|at| all.get(at));
            let kept = kept.filter(|_| is_whole || !place.1);
            return kept.map_or_else(|| not_followed("a directory"), shown);
        }
        let mut texts: Vec<Text> = all.iter().map(shown).collect();
        if asked.letters.contains('v') {
            for (number, text) in texts.iter_mut().enumerate() {
                *text = join(&[Text::known(format!(" {number}")), text.clone()], "  ");
            }
        }
        let apart = if asked.letters.contains(['p', 'v']) { "\n" } else { " " };
        let mut printed = join(&texts, apart);
        printed.push_known("\n");
        printed
    }

    /// `~/x` for what lies at home, as it is shown.
    fn shortened(&self, directory: &str, is_short: bool) -> String {
        let home = self.facts.home.as_deref().filter(|_| is_short);
        let below = home.and_then(|home| directory.strip_prefix(home));
        match below.filter(|below| below.is_empty() || below.starts_with('/')) {
            Some(below) => format!("~{below}"),
            None => directory.to_owned(),
        }
    }

    /// `~2`, `~+2`, `~-0`: a directory of the list.
    pub(super) fn kept_directory(&self, name: &str) -> Option<Text> {
        let place = number(name).or_else(|| Some((name.parse().ok()?, false)))?;
        let (all, is_whole) = self.directories();
        let kept = place_of(place, all.len()).and_then(|at| all.get(at));
        let kept = kept.filter(|_| is_whole || !place.1 || all.len() > 1);
        let directory = kept.and_then(|kept| kept.directory.clone());
        Some(directory.map_or_else(|| not_followed("a directory"), Text::known))
    }

    /// `DIRSTACK`, as the shell has it.
    pub(super) fn array_of_directories(&self, name: &str) -> Option<Value> {
        if name != SHOWN || self.state.is_set_here(SHOWN) {
            return None;
        }
        let shown = |kept: Kept| {
            let text = kept.directory.map_or_else(|| not_followed("a directory"), Text::known);
            (None, text)
        };
        Some(Value::Array(self.directories().0.into_iter().map(shown).collect()))
    }
}

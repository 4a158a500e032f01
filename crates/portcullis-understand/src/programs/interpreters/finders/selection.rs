//! Which names `find` and `fd` give. Owns what tests before an action say about the names that reach it: a name that is asked for, a
//! test that leaves some out, or nothing, where everything below is meant.

use crate::{
    effect::Argument,
    place::{self, Place},
    programs::host::Host,
    text::{Piece, Text},
};

/// How many alternatives of an expression are told apart.
const BRANCHES: usize = 32;

/// How many groups in each other are.
const GROUPS: usize = 32;

/// One way through the tests of an expression.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Branch {
    /// The pattern that names have to fit, the last one that was asked for.
    pub(super) name: Option<Text>,
    /// Whether something leaves names out.
    pub(super) filtered: bool,
    /// Whether what is found is not gone into.
    pub(super) pruned: bool,
}

impl Branch {
    /// Whether nothing is left out.
    const fn is_everything(&self) -> bool {
        self.name.is_none() && !self.filtered
    }

    /// Whether hardly anything is left out.
    fn is_wide(&self) -> bool {
        self.name
            .as_ref()
            .is_none_or(|name| name.display().trim_matches(['*', '?', '.', '/']).is_empty())
    }

    /// The names found below a root.
    fn below(&self, root: &Text) -> Text {
        let mut names = root.clone();
        let last = match &self.name {
            Some(name) => {
                names.inherit(name);
                let shown = name.display();
                shown.trim_start_matches("./").trim_start_matches('/').to_owned()
            }
            None if self.filtered => "?*".to_owned(),
            None => return names,
        };
        names.push_known("/");
        names.push(Piece::Glob("**".to_owned()));
        names.push_known("/");
        names.push(Piece::Glob(last));
        names
    }
}

/// What an expression says about the names that it gives.
#[derive(Clone, Debug, Default)]
pub(super) struct Selection {
    /// The ways through it, one of which every name has come.
    branches: Vec<Branch>,
    /// Whether nothing below the roots is looked at.
    only_roots: bool,
    /// Whether only files are asked for.
    finds_files: bool,
}

/// A name that is found.
#[derive(Clone)]
pub(super) struct Found {
    pub(super) name: Argument,
    /// Whether something leaves names out.
    pub(super) filtered: bool,
}

impl Selection {
    /// What one way selects.
    pub(super) fn of_one(branch: Branch) -> Self {
        Self { branches: vec![branch], ..Self::default() }
    }

    /// What an expression gives whose actions are left out.
    pub(super) fn of_all(walk: &mut dyn Host, expression: &[Argument]) -> Self {
        let mut tests = Tests::new(expression);
        let mut at = 0;
        while at < expression.len() {
            at = tests.step(walk, at);
        }
        tests.ways.append(&mut tests.left);
        // What is only named to be left alone is not printed with the rest.
        if tests.ways.iter().any(|way| !way.pruned) {
            tests.ways.retain(|way| !way.pruned);
        }
        tests.selection()
    }

    fn each<'s>(
        &'s self,
        roots: &'s [Argument],
    ) -> impl Iterator<Item = (&'s Branch, &'s Argument, Argument)> {
        let below = move |branch: &'s Branch| {
            roots.iter().map(move |root| {
                let text = match self.only_roots {
                    true => root.text.clone(),
                    false => branch.below(&root.text),
                };
                (branch, root, Argument { text, span: root.span })
            })
        };
        self.branches.iter().flat_map(below)
    }

    /// What is found below each root.
    pub(super) fn found(&self, roots: &[Argument]) -> Vec<Found> {
        let found = |(branch, _, name): (&Branch, _, _)| Found { name, filtered: branch.filtered };
        self.each(roots).map(found).collect()
    }

    /// The same where what is looked through is not found itself.
    pub(super) fn names(&self, roots: &[Argument]) -> Vec<Found> {
        let mut all = self.found(roots);
        for (found, (branch, ..)) in all.iter_mut().zip(self.each(roots)) {
            if branch.is_everything() {
                found.name.text = everything_below(&found.name.text);
            }
        }
        all
    }

    /// What is found, for a command that loses it: an age, a size or an owner leaves nearly everything of a home or a system in.
    pub(super) fn lost(&self, walk: &dyn Host, roots: &[Argument]) -> Vec<Found> {
        let lost = |(branch, root, mut name): (&Branch, &Argument, Argument)| {
            let place = place::place_of(&walk.target(&root.text), walk.facts());
            let holds = matches!(place, Place::Root | Place::SystemTop | Place::HomeTop);
            if branch.is_wide() && holds {
                name.text = everything_below(&root.text);
            }
            Found { name, filtered: branch.filtered }
        };
        self.each(roots).map(lost).collect()
    }

    /// What is found below a home or the system without a name to choose by: all of it, and not only where it lies.
    pub(super) fn everything(&self, walk: &dyn Host, roots: &[Argument]) -> Vec<Found> {
        let below = |(branch, _, mut name): (&Branch, &Argument, Argument)| {
            let place = place::place_of(&walk.target(&name.text), walk.facts());
            let holds = matches!(
                place,
                Place::Root | Place::SystemTop | Place::HomeTop | Place::Home | Place::OtherHome
            );
            if holds && self.finds_files && branch.is_everything() && !self.only_roots {
                name.text = everything_below(&name.text);
            }
            Found { name, filtered: branch.filtered }
        };
        self.each(roots).map(below).collect()
    }
}

fn everything_below(root: &Text) -> Text {
    let mut text = root.clone();
    text.push_known("/");
    text.push(Piece::Glob("**".to_owned()));
    text
}

/// A group that is open.
struct Group {
    /// The ways up to it.
    before: Vec<Branch>,
    /// Those that ended in it.
    ended: Vec<Branch>,
    is_negated: bool,
}

/// The tests of an expression, as they are read: what reaches an action is told by those before it, each group's alternatives with
/// what stands before the group, and of alternatives outside of groups only the one that the action is a part of.
pub(super) struct Tests<'e> {
    expression: &'e [Argument],
    /// The ways through the tests up to here.
    ways: Vec<Branch>,
    /// The ways that ended before an `-o` outside of groups.
    left: Vec<Branch>,
    /// The groups that are open: the ways up to each, and those that ended in it.
    groups: Vec<Group>,
    only_roots: bool,
    finds_files: bool,
}

impl<'e> Tests<'e> {
    pub(super) fn new(expression: &'e [Argument]) -> Self {
        let has = |option: &str, value: &str| {
            let mut words = expression.iter().zip(expression.iter().skip(1));
            words.any(|(name, given)| {
                name.text.as_known() == Some(option) && given.text.as_known() == Some(value)
            })
        };
        Self {
            expression,
            ways: vec![Branch::default()],
            left: Vec::new(),
            groups: Vec::new(),
            only_roots: has("-maxdepth", "0"),
            finds_files: has("-type", "f"),
        }
    }

    /// What reaches an action here.
    pub(super) fn selection(&self) -> Selection {
        let mut branches = self.ways.clone();
        without_halves_of_builds(&mut branches);
        Selection { branches, only_roots: self.only_roots, finds_files: self.finds_files }
    }

    /// Reads the word at a place with its values; gives the place of the next.
    pub(super) fn step(&mut self, walk: &mut dyn Host, at: usize) -> usize {
        let expression = self.expression;
        let word = |at: usize| expression.get(at).and_then(|word| word.text.as_known());
        let is_negated =
            at.checked_sub(1).is_some_and(|before| matches!(word(before), Some("!" | "-not")));
        match word(at) {
            Some("(") => {
                if self.groups.len() < GROUPS {
                    self.groups.push(Group {
                        before: self.ways.clone(),
                        ended: Vec::new(),
                        is_negated,
                    });
                } else {
                    walk.limit(expression.get(at).map_or_else(Default::default, |it| it.span));
                    self.forget();
                }
            }
            Some(")") => {
                match self.groups.pop() {
                    // What it does not fit is left: nothing of it is known but that something is left out.
                    Some(Group { before, is_negated: true, .. }) => {
                        self.ways = before;
                        self.filter();
                    }
                    Some(Group { ended, .. }) => {
                        let ways = std::mem::replace(&mut self.ways, ended);
                        self.join(walk, at, ways);
                    }
                    None => {}
                }
            }
            Some("-o" | "-or" | ",") => match self.groups.pop() {
                Some(Group { before, ended, is_negated }) => {
                    let ways = std::mem::replace(&mut self.ways, ended);
                    self.join(walk, at, ways);
                    let ended = std::mem::replace(&mut self.ways, before.clone());
                    self.groups.push(Group { before, ended, is_negated });
                }
                None => {
                    let ways = std::mem::replace(&mut self.ways, std::mem::take(&mut self.left));
                    self.join(walk, at, ways);
                    self.left = std::mem::replace(&mut self.ways, vec![Branch::default()]);
                }
            },
            Some("-name" | "-iname" | "-path" | "-ipath" | "-wholename" | "-iwholename") => {
                self.filter();
                if !is_negated && let Some(value) = expression.get(at + 1) {
                    for way in &mut self.ways {
                        way.name = Some(value.text.clone());
                    }
                    self.ways.dedup();
                }
                return at + 2;
            }
            Some(
                "-regex" | "-iregex" | "-size" | "-mtime" | "-mmin" | "-atime" | "-amin" | "-ctime"
                | "-cmin" | "-newer" | "-user" | "-group" | "-perm" | "-links" | "-inum"
                | "-samefile" | "-xtype" | "-newermt" | "-lname",
            ) => {
                self.filter();
                return at + 2;
            }
            Some("-empty" | "-nouser" | "-nogroup") => self.filter(),
            Some("-prune") => {
                for way in &mut self.ways {
                    way.pruned = true;
                }
            }
            // What an action is given is no test.
            Some("-exec" | "-execdir" | "-ok" | "-okdir") => {
                return end_of_command(expression, at) + 1;
            }
            Some("-printf" | "-fprint" | "-fprint0" | "-fls" | "-files0-from") => return at + 2,
            Some("-fprintf") => return at + 3,
            _ => {}
        }
        at + 1
    }

    /// Adds ways to those that are read; more than are told apart may lead to any name.
    fn join(&mut self, walk: &mut dyn Host, at: usize, ways: Vec<Branch>) {
        for way in ways {
            if !self.ways.contains(&way) {
                self.ways.push(way);
            }
        }
        if self.ways.len() > BRANCHES {
            walk.limit(self.expression.get(at).map_or_else(Default::default, |word| word.span));
            self.forget();
        }
    }

    fn forget(&mut self) {
        self.ways = vec![Branch { filtered: true, ..Branch::default() }];
    }

    fn filter(&mut self) {
        for way in &mut self.ways {
            way.filtered = true;
        }
    }
}

/// .NET writes `obj` beside `bin`: where both are asked for, `bin` is what was built, and no folder of programs.
fn without_halves_of_builds(branches: &mut Vec<Branch>) {
    let is = |branch: &Branch, name: &str| {
        let given = branch.name.as_ref().and_then(|name| name.as_known());
        given.is_some_and(|given| given.eq_ignore_ascii_case(name))
    };
    if branches.iter().any(|branch| is(branch, "obj")) {
        branches.retain(|branch| !is(branch, "bin"));
    }
}

/// Where the command ends that an action at `at` runs.
pub(super) fn end_of_command(expression: &[Argument], at: usize) -> usize {
    let words = expression.get(at + 1..).unwrap_or(&[]);
    let end = |mark: &str| words.iter().position(|word| word.text.as_known() == Some(mark));
    at + 1 + end(";").or_else(|| end("+")).unwrap_or(words.len())
}

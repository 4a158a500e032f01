//! Makefiles: which recipes a goal runs, with their variables put in. Owns as much of make's language as decides that; a function of
//! make's other than `$(shell …)` and `$(wildcard …)` leaves a variable that nobody knows.

use std::collections::{BTreeMap, BTreeSet};

use portcullis_syntax::Span;

use crate::bound::{Bounded, Limits};

/// How many lines are read, and how many variables and goals are followed.
const LINES: usize = 4096;

/// How much text variables may come to altogether.
const EXPANDED: usize = 64 << 10;

/// How deep variables may stand in each other.
const NESTED: usize = 16;

/// What stands for whatever a function of make's gives.
const COMPUTED: &str = "${make_computes}";

/// A rule of a makefile, as it is written.
#[derive(Debug, Default)]
struct Rule {
    targets: String,
    needs: String,
    recipe: Vec<String>,
}

/// A makefile, read.
#[derive(Debug, Default)]
pub struct Makefile {
    variables: BTreeMap<String, String>,
    /// Variables that have several values, of which a condition or a goal chooses.
    doubtful: BTreeSet<String>,
    rules: Vec<Rule>,
    /// Commands that run whatever the goal is: `$(shell …)` outside of recipes.
    always: Vec<String>,
    /// Whether other files belong to it.
    includes: bool,
}

impl Makefile {
    /// Reads a makefile; `given` are the variables of the command line, which count before those of the file.
    pub fn read(text: &str, given: &[(&str, &str)], limits: &mut impl Limits, span: Span) -> Self {
        let mut made = Self::default();
        for (name, value) in given {
            made.variables.insert((*name).to_owned(), (*value).to_owned());
        }
        let fixed: BTreeSet<&str> = given.iter().map(|(name, _)| *name).collect();
        let mut lines = text.lines().at_most(LINES, limits, span);
        let mut within = 0_usize;
        let mut in_rule = false;
        while let Some(first) = lines.next() {
            let mut line = first.to_owned();
            while line.ends_with('\\') && !line.ends_with("\\\\") {
                line.pop();
                let Some(more) = lines.next() else { break };
                line.push(' ');
                line.push_str(more.trim_start());
            }
            if let Some(command) = line.strip_prefix('\t').filter(|_| in_rule) {
                if let Some(rule) = made.rules.last_mut() {
                    rule.recipe.push(command.to_owned());
                }
                continue;
            }
            let line = line.split_once(" #").map_or(line.as_str(), |(line, _)| line).trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let first = line.split_whitespace().next().unwrap_or("");
            match first {
                "ifdef" | "ifeq" | "ifndef" | "ifneq" => within += 1,
                "endif" => within = within.saturating_sub(1),
                "else" => {}
                "include" | "-include" | "sinclude" => made.includes = true,
                "define" => {
                    let name = line.split_whitespace().nth(1).unwrap_or("").to_owned();
                    let body = lines.by_ref().take_while(|line| line.trim() != "endef");
                    let body: Vec<&str> = body.collect();
                    made.variables.insert(name, body.join("\n"));
                }
                _ => {
                    if let Some((name, sign, value)) = assignment(line) {
                        made.assign(name, sign, value, within > 0, &fixed);
                    } else if let Some((targets, needs)) = line.split_once(':') {
                        made.rule(targets, needs, &fixed);
                        in_rule = true;
                        continue;
                    }
                }
            }
            for (at, _) in line.match_indices("$(shell ") {
                let command = line.get(at + 8..).and_then(until_closed).unwrap_or_default();
                made.always.push(command.to_owned());
            }
        }
        made
    }

    fn rule(&mut self, targets: &str, needs: &str, fixed: &BTreeSet<&str>) {
        let needs = needs.trim_start_matches(':');
        if let Some((name, sign, value)) = assignment(needs.trim()) {
            self.assign(name, sign, value, true, fixed);
            return;
        }
        let (needs, command) = needs.split_once(';').map_or((needs, None), |(needs, command)| {
            (needs, Some(command.trim_start().to_owned()))
        });
        self.rules.push(Rule {
            targets: targets.to_owned(),
            needs: needs.replace('|', " "),
            recipe: command.into_iter().collect(),
        });
    }

    fn assign(
        &mut self,
        name: &str,
        sign: &str,
        value: &str,
        chosen: bool,
        fixed: &BTreeSet<&str>,
    ) {
        if fixed.contains(name) {
            return;
        }
        let before = self.variables.get(name).cloned();
        let value = match (sign, before) {
            ("+=", Some(before)) => format!("{before} {value}"),
            ("?=", Some(before)) => before,
            ("!=", _) => {
                self.always.push(value.to_owned());
                format!("$(shell {value})")
            }
            (_, before) => {
                if chosen && before.is_some_and(|before| before != value) {
                    self.doubtful.insert(name.to_owned());
                }
                value.to_owned()
            }
        };
        self.variables.insert(name.to_owned(), value);
    }

    /// The commands that these goals come to, or the first one where there is none; all of them where a goal is made elsewhere.
    pub fn commands(&self, goals: &[&str], limits: &mut impl Limits, span: Span) -> Vec<String> {
        let mut left = EXPANDED;
        let mut commands: Vec<String> =
            self.always.iter().map(|command| self.expand(command, &[], &mut left)).collect();
        let names: Vec<Vec<String>> =
            self.rules.iter().map(|rule| self.words(&rule.targets, &mut left)).collect();
        let mut needed: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (at, names) in names.iter().enumerate() {
            for name in names {
                needed.entry(name.as_str()).or_default().push(at);
            }
        }
        let first = || {
            let mut all = names.iter().flatten();
            all.find(|name| !name.starts_with('.') && !name.contains('%')).cloned()
        };
        let mut waiting: Vec<String> = goals.iter().map(|goal| (*goal).to_owned()).collect();
        if waiting.is_empty() {
            waiting.extend(first());
        }
        let is_known = |goal: &String| needed.contains_key(goal.as_str());
        let is_open = self.includes
            || waiting.is_empty()
            || !waiting.iter().all(is_known)
            || names.iter().flatten().any(|name| name.contains(['%', '$']));
        let mut run: BTreeSet<usize> = BTreeSet::new();
        if is_open {
            run.extend(0..self.rules.len());
        }
        while let Some(goal) = waiting.pop() {
            for at in needed.get(goal.as_str()).into_iter().flatten() {
                if let Some(rule) = self.rules.get(*at).filter(|_| run.insert(*at)) {
                    waiting.extend(self.words(&rule.needs, &mut left));
                }
            }
        }
        for at in run {
            let Some(rule) = self.rules.get(at) else { continue };
            let needs = self.expand(&rule.needs, &[], &mut left);
            let target = names.get(at).and_then(|names| names.first()).cloned().unwrap_or_default();
            let source = needs.split_whitespace().next().unwrap_or("").to_owned();
            let own = [("@", target.as_str()), ("<", source.as_str()), ("^", needs.trim())];
            for command in &rule.recipe {
                let command = self.expand(command, &own, &mut left);
                let command = command.trim_start().trim_start_matches(['@', '-', '+']);
                commands.push(command.trim_start().to_owned());
            }
        }
        if left == 0 {
            limits.limit(span);
        }
        commands.retain(|command| !command.is_empty());
        commands
    }

    fn words(&self, text: &str, left: &mut usize) -> Vec<String> {
        self.expand(text, &[], left).split_whitespace().map(str::to_owned).collect()
    }

    /// A text with its variables put in, as the shell gets to see it. `own` are those of the rule.
    fn expand(&self, text: &str, own: &[(&str, &str)], left: &mut usize) -> String {
        let mut expanded = String::new();
        self.expand_into(text, own, NESTED, left, &mut expanded);
        expanded
    }

    fn expand_into(
        &self,
        text: &str,
        own: &[(&str, &str)],
        levels: usize,
        left: &mut usize,
        expanded: &mut String,
    ) {
        let mut rest = text;
        while let Some(at) = rest.find('$') {
            let (before, after) = rest.split_at(at);
            push(expanded, before, left);
            let after = after.get(1..).unwrap_or_default();
            let Some(sign) = after.chars().next() else { return };
            let inner = matches!(sign, '(' | '{').then(|| after.get(1..).and_then(until_closed));
            let (name, taken) = match (sign, inner) {
                ('$', _) => {
                    push(expanded, "$", left);
                    rest = after.get(1..).unwrap_or_default();
                    continue;
                }
                (_, Some(Some(inner))) => (inner, inner.len() + 2),
                (_, Some(None)) => (after, after.len()),
                (_, None) => {
                    let taken = sign.len_utf8();
                    (after.get(..taken).unwrap_or_default(), taken)
                }
            };
            rest = after.get(taken..).unwrap_or_default();
            let Some(levels) = levels.checked_sub(1).filter(|_| *left > 0) else {
                *left = 0;
                push_always(expanded, COMPUTED);
                continue;
            };
            self.value_into(name, own, levels, left, expanded);
        }
        push(expanded, rest, left);
    }

    fn value_into(
        &self,
        name: &str,
        own: &[(&str, &str)],
        levels: usize,
        left: &mut usize,
        expanded: &mut String,
    ) {
        if let Some((_, value)) = own.iter().find(|(known, _)| *known == name) {
            push(expanded, value, left);
        } else if self.doubtful.contains(name) {
            push(expanded, COMPUTED, left);
        } else if let Some(value) = self.variables.get(name) {
            self.expand_into(value, own, levels, left, expanded);
        } else if let Some(command) = name.strip_prefix("shell ") {
            push(expanded, "$(", left);
            self.expand_into(command, own, levels, left, expanded);
            push(expanded, ")", left);
        } else if let Some(pattern) = name.strip_prefix("wildcard ") {
            self.expand_into(pattern, own, levels, left, expanded);
        } else if matches!(name, "MAKE" | "CURDIR") {
            push(expanded, if name == "MAKE" { "make" } else { "." }, left);
        } else if let Some((_, value)) = BUILT_IN.iter().find(|(known, _)| *known == name) {
            push(expanded, value, left);
        } else if name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
            // What the file does not set, the environment may.
            push(expanded, "${", left);
            push(expanded, name, left);
            push(expanded, "}", left);
        } else {
            push(expanded, COMPUTED, left);
        }
    }
}

/// Variables that make sets itself, by GNU make's manual, "Variables Used by Implicit Rules".
const BUILT_IN: &[(&str, &str)] =
    &[("AR", "ar"), ("CC", "cc"), ("CXX", "g++"), ("LD", "ld"), ("RM", "rm -f")];

fn push(text: &mut String, more: &str, left: &mut usize) {
    match left.checked_sub(more.len()) {
        Some(rest) => {
            *left = rest;
            text.push_str(more);
        }
        None => *left = 0,
    }
}

fn push_always(text: &mut String, more: &str) {
    text.push_str(more);
}

/// `NAME = value` and its other signs.
fn assignment(line: &str) -> Option<(&str, &str, &str)> {
    let line = ["export ", "override ", "private "]
        .iter()
        .find_map(|word| line.strip_prefix(word))
        .unwrap_or(line);
    let (before, value) = line.split_once('=')?;
    let sign = ["::", ":", "?", "+", "!"].iter().find(|sign| before.ends_with(**sign));
    let name = before.trim_end_matches(['?', '+', ':', '!']).trim();
    let is_name = !name.is_empty() && !name.contains([' ', '\t', ':', '#', '$', '(']);
    let sign = match sign {
        Some(&"+") => "+=",
        Some(&"?") => "?=",
        Some(&"!") => "!=",
        _ => "=",
    };
    is_name.then(|| (name, sign, value.trim()))
}

/// What stands before the bracket that closes what was opened before the text.
fn until_closed(text: &str) -> Option<&str> {
    let mut open = 1_usize;
    for (at, letter) in text.char_indices() {
        match letter {
            '(' | '{' => open += 1,
            ')' | '}' => open -= 1,
            _ => {}
        }
        if open == 0 {
            return text.get(..at);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bound::Cut;

    fn commands(text: &str, goals: &[&str], given: &[(&str, &str)]) -> Vec<String> {
        let mut cut = Cut::default();
        let made = Makefile::read(text, given, &mut cut, Span::default());
        made.commands(goals, &mut cut, Span::default())
    }

    const FILE: &str = "OUT ?= build\nDIRS := $(OUT) dist\nall: app\n\tcp app $(OUT)\napp: a.o\n\t\
        $(CC) -o $@ $^\nclean:\n\t@rm -rf $(DIRS)\nwipe:\n\trm -rf $(HOME)\ninfo: ; echo $$HOME\n";

    #[test]
    fn a_goal_runs_its_own_recipe_and_those_it_needs() {
        for (goals, expected) in [
            (&[][..], &["cp app build", "cc -o app a.o"][..]),
            (&["clean"], &["rm -rf build dist"]),
            (&["wipe"], &["rm -rf ${HOME}"]),
            (&["info"], &["echo $HOME"]),
            (&["info", "clean"], &["rm -rf build dist", "echo $HOME"]),
        ] {
            assert_eq!(commands(FILE, goals, &[]), expected, "{goals:?}");
        }
        assert_eq!(commands(FILE, &["clean"], &[("OUT", "/")]), ["rm -rf / dist"]);
    }

    #[test]
    fn what_is_made_elsewhere_or_by_a_pattern_may_be_any_recipe() {
        assert_eq!(commands(FILE, &["other"], &[]).len(), 5);
        assert_eq!(commands("a:\n\tx\n%.o: %.c\n\ty $<\n", &["a"], &[]), ["x", "y %.c"]);
        assert_eq!(commands("include x.mk\na:\n\tx\nb:\n\ty\n", &["a"], &[]), ["x", "y"]);
    }

    #[test]
    fn what_is_not_known_is_a_variable_that_nobody_knows() {
        for (file, expected) in [
            ("a:\n\trm -rf $(patsubst %,x,y)\n", "rm -rf ${make_computes}"),
            ("ifdef X\nD = a\nelse\nD = b\nendif\na:\n\trm -rf $(D)\n", "rm -rf ${make_computes}"),
            ("D = $(D)\na:\n\trm -rf $(D)\n", "rm -rf ${make_computes}"),
            ("a:\n\techo $(shell pwd)\n", "echo $(pwd)"),
        ] {
            assert_eq!(commands(file, &["a"], &[]), [expected], "{file}");
        }
        assert_eq!(commands("X := $(shell id -u)\na:\n\tx\n", &["a"], &[]), ["id -u", "x"]);
    }

    #[test]
    fn variables_that_grow_without_an_end_are_cut_and_it_is_told() {
        let doubled: String = (1..40).map(|n| format!("V{n} = $(V{0})$(V{0})\n", n - 1)).collect();
        let file = format!("V0 = x\n{doubled}a:\n\techo $(V39)\n");
        let mut cut = Cut::default();
        let made = Makefile::read(&file, &[], &mut cut, Span::default());
        let commands = made.commands(&["a"], &mut cut, Span::default());
        assert!(cut.happened() && commands.iter().map(String::len).sum::<usize>() < 2 * EXPANDED);
    }
}

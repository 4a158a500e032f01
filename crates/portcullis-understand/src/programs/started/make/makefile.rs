//! A makefile taken apart. Owns lines that go on, recipes, rules, assignments, `define`, includes; both sides of a condition are read.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    rc::Rc,
};

use portcullis_syntax::Span;

use super::{
    expand::Values,
    lines::{assignment, included, logical, outside, split_commands, without_comment},
};

/// How many other values of variables are tried, where conditions choose.
const CHOICES: usize = 3;

/// How many rules are kept.
const RULES: usize = 8_000;

/// How deep lines that `$(eval …)` reads evaluate others.
const EVALUATED: usize = 4;

/// Tools of make's own rules: what a makefile calls them is run for targets that have no recipe ("Catalogue of Built-In Rules").
const TOOLS: &[&str] = &["AR", "AS", "CC", "CPP", "CXX", "FC", "LD", "LEX", "PC", "YACC"];

/// How many targets are gone through for the goals of one call.
const TARGETS: usize = 8_000;

/// A place in one of the files.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(super) struct Place {
    pub(super) file: usize,
    pub(super) span: Span,
}

/// A line of a recipe as it would run.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Line {
    pub(super) place: Place,
    pub(super) text: String,
    /// It belongs to a pattern rule: only some files need it.
    pub(super) is_likely: bool,
}

#[derive(Clone, Debug, Default)]
struct Rule {
    prerequisites: String,
    recipe: Vec<(Place, String)>,
}

/// What stands in makefiles.
#[derive(Debug, Default)]
pub(super) struct Makefile {
    /// Values as they are written, with whether they were filled in when the file was read.
    pub(super) variables: BTreeMap<String, String>,
    /// What else a variable may be, where a condition chooses: the values that it had before, in order.
    others: BTreeMap<String, Vec<String>>,
    /// How many conditions are open.
    conditions: usize,
    /// Commands that run while the file is read.
    pub(super) immediate: Vec<(Place, String)>,
    /// Names of files that are made and read then.
    pub(super) remade: Vec<String>,
    /// Names of files to read next.
    pub(super) includes: Vec<String>,
    /// The first target.
    pub(super) first: Option<String>,
    rules: Vec<Rule>,
    targets: HashMap<String, Vec<usize>>,
    patterns: Vec<(String, usize)>,
    one_shell: bool,
    /// Variables that recipes are given, whose commands run for each of them.
    exported: Vec<(Place, String)>,
    /// The names of variables that recipes are given, and whether it is all of them.
    leading: HashSet<String>,
    exports_all: bool,
    /// Where the tools of make's own rules are named.
    tools: Vec<(&'static str, Place)>,
    /// What lines of recipes begin with, where that is no tab.
    prefix: Option<char>,
    /// How deep `$(eval …)` stands in itself.
    depth: usize,
    pub(super) cut: bool,
}

impl Makefile {
    /// The value of a variable as written.
    pub(super) fn value_of(&self, name: &str) -> Option<&String> {
        self.variables.get(name)
    }

    /// The value of a variable where conditions choose otherwise: the first time the last value, then those before it.
    pub(super) fn chosen(&self, name: &str, choice: usize) -> Option<&String> {
        let others =
            choice.checked_sub(1).and_then(|choice| Some((self.others.get(name)?, choice)));
        let other =
            others.and_then(|(others, choice)| others.get(choice).or_else(|| others.last()));
        other.or_else(|| self.variables.get(name))
    }

    /// How many ways conditions may choose, and whether there are more.
    pub(super) fn choices(&self) -> (usize, bool) {
        let most = self.others.values().map(Vec::len).max().unwrap_or_default();
        (most.min(CHOICES) + 1, most > CHOICES)
    }

    /// A variable gets a value; in a condition it may have the one before as well. The shell of another system is none of this one.
    fn set(&mut self, name: String, value: String) {
        if self.conditions > 0
            && name == "SHELL"
            && ["cmd", ".exe"].iter().any(|end| value.trim().ends_with(end))
        {
            return;
        }
        let before = self.variables.insert(name.clone(), value.clone());
        if self.conditions > 0
            && let Some(before) = before.filter(|before| *before != value)
        {
            let others = self.others.entry(name).or_default();
            if !others.contains(&before) && others.len() <= CHOICES {
                others.push(before);
            }
        }
    }

    /// Every line of every recipe, whatever is asked for.
    pub(super) fn every_line(&self, values: &mut Values) -> Vec<Line> {
        let mut names: Vec<String> = self.targets.keys().cloned().collect();
        names.sort();
        let mut lines = Vec::new();
        for (number, rule) in self.rules.iter().enumerate() {
            let target = names
                .iter()
                .find(|name| self.targets.get(*name).is_some_and(|rules| rules.contains(&number)));
            self.lines_from(rule, target.map_or("", String::as_str), "", true, values, &mut lines);
        }
        lines
    }

    /// Whether a rule is there for a goal.
    pub(super) fn has_rule(&self, goal: &str) -> bool {
        self.targets.contains_key(goal) || !self.matching(goal).is_empty()
    }

    /// Reads a file.
    pub(super) fn read(&mut self, file: usize, text: &str, values: &mut Values) {
        let mut open: Vec<usize> = Vec::new();
        let mut lines = logical(text).into_iter().peekable();
        while let Some((span, line)) = lines.next() {
            let place = Place { file, span };
            self.evaluate(file, values);
            if let Some(recipe) = line.strip_prefix(self.prefix.unwrap_or('\t'))
                && !open.is_empty()
            {
                for rule in &open {
                    if let Some(rule) = self.rules.get_mut(*rule) {
                        rule.recipe.push((place, recipe.to_owned()));
                    }
                }
                continue;
            }
            let bare = without_comment(&line);
            let bare = bare.trim();
            if bare.is_empty() {
                continue;
            }
            let (word, rest) = bare.split_once([' ', '\t', '(']).unwrap_or((bare, ""));
            match word {
                "define" => {
                    let name = rest.trim().trim_end_matches(['=', ':', '?', '+', ' ']).to_owned();
                    let mut body = String::new();
                    for (_, line) in lines.by_ref() {
                        if line.trim() == "endef" {
                            break;
                        }
                        body.push_str(&line);
                        body.push('\n');
                    }
                    self.set(name, body);
                }
                "ifeq" | "ifneq" | "ifdef" | "ifndef" | "else" | "endif" => {
                    self.conditions = match word {
                        "endif" => self.conditions.saturating_sub(1),
                        "else" => self.conditions,
                        _ => self.conditions + 1,
                    };
                    self.runs_now(place, rest, values);
                }
                "include" | "-include" | "sinclude" => {
                    self.runs_now(place, rest, values);
                    let names = values.expanded(self, rest);
                    self.includes.extend(included(&names));
                }
                "export" if outside(rest, '=').is_none() => {
                    let names = values.expanded(self, rest);
                    self.exports_all |= names.trim().is_empty();
                    self.leading.extend(names.split_whitespace().map(str::to_owned));
                    let names = names.split_whitespace().map(|name| (place, name.to_owned()));
                    self.exported.extend(names);
                }
                "vpath" | "unexport" | "undefine" | "endef" => {}
                _ => {
                    let is_assigned = self.assigned(place, bare, values);
                    if !is_assigned {
                        open = self.ruled(place, bare, values);
                    }
                }
            }
        }
        self.evaluate(file, values);
    }

    /// Reads what `$(eval …)` made of the lines before.
    fn evaluate(&mut self, file: usize, values: &mut Values) {
        let lines = values.evaluated();
        if lines.is_empty() {
            return;
        }
        if self.depth >= EVALUATED {
            self.cut = true;
            return;
        }
        self.depth += 1;
        let (rules, immediate) = (self.rules.len(), self.immediate.len());
        for text in lines {
            self.read(file, &text, values);
        }
        self.depth -= 1;
        // It stands nowhere: what it says is told of the first line.
        let nowhere = Place { file, span: Span::default() };
        let made = self.rules.iter_mut().skip(rules).flat_map(|rule| rule.recipe.iter_mut());
        let ran = self.immediate.iter_mut().skip(immediate);
        made.chain(ran).for_each(|(place, _)| *place = nowhere);
    }

    /// Files that are included and made by rules of the file: their recipes run before anything else does.
    pub(super) fn remade(&mut self, names: &[String], values: &mut Values) {
        let lines = self.lines_of(names, values);
        self.immediate.extend(lines.into_iter().map(|line| (line.place, line.text)));
        self.remade = names.to_vec();
    }

    /// The commands in variables that recipes are given: make fills them in for each.
    pub(super) fn exports(&mut self, values: &mut Values) {
        for (place, name) in std::mem::take(&mut self.exported) {
            if let Some(value) = self.variables.get(&name).cloned() {
                self.runs_now(place, &value, values);
            }
        }
    }

    /// Variables that recipes find in their environment, and by which interpreters and loaders are led to files: those alone mean something by being
    /// given.
    pub(super) fn given_to_recipes(&self, values: &mut Values) -> Vec<(String, String)> {
        const LEADING: &[&str] = &[
            "BASH_ENV",
            "ENV",
            "LD_PRELOAD",
            "NODE_OPTIONS",
            "NODE_PATH",
            "PERL5LIB",
            "PERL5OPT",
            "PYTHONPATH",
            "PYTHONSTARTUP",
            "RUBYLIB",
            "RUBYOPT",
        ];
        LEADING
            .iter()
            .filter(|name| self.leading.contains(**name) || self.exports_all)
            .filter_map(|name| Some(((*name).to_owned(), self.variables.get(*name)?.clone())))
            .map(|(name, value)| (name, values.expanded(self, &value)))
            .filter(|(_, value)| !value.is_empty())
            .collect()
    }

    /// `NAME = value` in every spelling.
    fn assigned(&mut self, place: Place, line: &str, values: &mut Values) -> bool {
        let is_exported = line.starts_with("export ");
        let mut line = line;
        while let Some(rest) =
            ["export ", "override ", "private "].iter().find_map(|word| line.strip_prefix(word))
        {
            line = rest.trim_start();
        }
        let Some((name, operator, value)) = assignment(line) else { return line.is_empty() };
        let name = values.expanded(self, name);
        if is_exported {
            self.exported.push((place, name.clone()));
            self.leading.insert(name.clone());
        }
        if let Some(tool) = TOOLS.iter().find(|tool| **tool == name) {
            self.tools.push((tool, place));
        }
        if name == ".RECIPEPREFIX" {
            self.prefix = value.chars().next();
        }
        match operator {
            ":=" | "::=" | ":::=" => {
                self.runs_now(place, value, values);
                // What it is now stays as it is: the commands in it are not asked for once more.
                let value = values.expanded(self, value).replace('$', "$$");
                self.set(name, value);
            }
            "!=" => {
                let code = values.expanded(self, value);
                self.immediate.push((place, code.clone()));
                self.variables.insert(name, format!("$(shell {code})"));
            }
            "+=" => {
                let before = self.variables.entry(name).or_default();
                if !before.is_empty() {
                    before.push(' ');
                }
                before.push_str(value);
                self.cut |= before.len() > 1 << 18;
            }
            "?=" => {
                self.variables.entry(name).or_insert_with(|| value.to_owned());
            }
            _ => {
                self.set(name, value.to_owned());
            }
        }
        true
    }

    /// A rule; gives the rules that the recipe below belongs to.
    fn ruled(&mut self, place: Place, line: &str, values: &mut Values) -> Vec<usize> {
        self.runs_now(place, line, values);
        let Some(colon) = outside(line, ':') else {
            // `$(eval …)`, `$(info …)`, and a variable with lines of the file in it.
            return Vec::new();
        };
        let (targets, rest) = line.split_at_checked(colon).unwrap_or((line, ""));
        let rest = rest.trim_start_matches([':', '&']);
        let (rest, command) = match outside(rest, ';') {
            Some(at) => (rest.get(..at).unwrap_or_default(), rest.get(at + 1..)),
            None => (rest, None),
        };
        // `a b &: c` makes both at once.
        let targets = values.expanded(self, targets.trim_end_matches('&'));
        if let Some((name, operator, value)) = assignment(rest) {
            // A variable for one target counts for it and what it needs; here for all that have no other.
            let value = value.to_owned();
            let name = name.trim_start_matches("export ").trim().to_owned();
            let _ = operator;
            self.variables.entry(name).or_insert(value);
            return Vec::new();
        }
        // `targets: %.o: %.c`: the last part has the prerequisites.
        let prerequisites = match outside(rest, ':') {
            Some(at) => rest.get(at + 1..).unwrap_or_default(),
            None => rest,
        };
        if self.rules.len() >= RULES {
            self.cut = true;
            return Vec::new();
        }
        let number = self.rules.len();
        let recipe = command.map(|command| (place, command.trim().to_owned()));
        self.rules.push(Rule {
            prerequisites: prerequisites.replace('|', " "),
            recipe: recipe.into_iter().collect(),
        });
        for target in targets.split_whitespace() {
            self.one_shell |= target == ".ONESHELL";
            if target.contains('%') {
                self.patterns.push((target.to_owned(), number));
                continue;
            }
            if self.first.is_none() && (!target.starts_with('.') || target.contains('/')) {
                self.first = Some(target.to_owned());
            }
            self.targets.entry(target.to_owned()).or_default().push(number);
        }
        vec![number]
    }

    /// The `$(shell …)` of a text that is filled in while the file is read.
    fn runs_now(&mut self, place: Place, text: &str, values: &mut Values) {
        if !text.contains('$') {
            return;
        }
        for code in values.commands_in(self, text) {
            self.immediate.push((place, code));
        }
    }

    /// The lines of recipes that goals need, in order.
    pub(super) fn lines_of(&self, goals: &[String], values: &mut Values) -> Vec<Line> {
        let mut lines = Vec::new();
        let mut seen: HashSet<String> = HashSet::new();
        // Each entry is a target, whether what it needs was looked at, and the pattern rules that led to it: make takes none of them twice
        // in a row of targets ("Chains of Implicit Rules"), or `%: common-%` would never end.
        let mut open: Vec<(String, bool, Rc<[usize]>)> =
            goals.iter().rev().map(|goal| (goal.clone(), false, Rc::default())).collect();
        while let Some((target, is_ready, chain)) = open.pop() {
            if is_ready {
                self.recipe_of(&target, values, &mut lines);
                continue;
            }
            if !seen.insert(target.clone()) {
                continue;
            }
            if seen.len() > TARGETS {
                values.cut();
                break;
            }
            open.push((target.clone(), true, Rc::clone(&chain)));
            let rules = self.targets.get(&target).map(Vec::as_slice).unwrap_or_default();
            let mut matched = self.matching(&target);
            matched.retain(|(rule, _)| !chain.contains(rule));
            let stem = matched.first().map(|(_, stem)| stem.clone()).unwrap_or_default();
            let explicit = rules.iter().map(|rule| (*rule, Rc::clone(&chain)));
            let implicit = matched
                .iter()
                .map(|(rule, _)| (*rule, chain.iter().chain([rule]).copied().collect()));
            let mut needed = Vec::new();
            for (rule, chain) in explicit.chain(implicit) {
                let Some(rule) = self.rules.get(rule) else { continue };
                let names = values.expanded(self, &rule.prerequisites);
                for name in names.split_whitespace() {
                    needed.push((name.replace('%', &stem), false, Rc::clone(&chain)));
                }
            }
            open.extend(needed.into_iter().rev());
        }
        lines
    }

    /// The pattern rules for a target that no rule with a recipe names.
    fn matching(&self, target: &str) -> Vec<(usize, String)> {
        let has_recipe =
            |rule: &usize| self.rules.get(*rule).is_some_and(|it| !it.recipe.is_empty());
        if self.targets.get(target).is_some_and(|rules| rules.iter().any(has_recipe)) {
            return Vec::new();
        }
        let matched = self.patterns.iter().filter_map(|(pattern, rule)| {
            let (before, after) = pattern.split_once('%')?;
            let stem = target.strip_prefix(before)?.strip_suffix(after)?;
            (!stem.is_empty()).then(|| (*rule, stem.to_owned()))
        });
        matched.collect()
    }

    fn recipe_of(&self, target: &str, values: &mut Values, lines: &mut Vec<Line>) {
        let exact = self.targets.get(target).map(Vec::as_slice).unwrap_or_default();
        let exact = exact.iter().map(|rule| (*rule, String::new(), false));
        let patterns = self.matching(target).into_iter().map(|(rule, stem)| (rule, stem, true));
        for (rule, stem, is_likely) in exact.chain(patterns) {
            let Some(rule) = self.rules.get(rule) else { continue };
            if rule.recipe.is_empty() {
                continue;
            }
            self.lines_from(rule, target, &stem, is_likely, values, lines);
        }
        self.implicit(target, values, lines);
    }

    /// What a target without a recipe of its own may run: that of `.DEFAULT`, and the tools of make's own rules as the makefile calls them.
    fn implicit(&self, target: &str, values: &mut Values, lines: &mut Vec<Line>) {
        let has_recipe =
            |rule: &usize| self.rules.get(*rule).is_some_and(|it| !it.recipe.is_empty());
        let own = self.targets.get(target).map(Vec::as_slice).unwrap_or_default();
        if own.iter().any(has_recipe) || !self.matching(target).is_empty() {
            return;
        }
        let default = self.targets.get(".DEFAULT").map(Vec::as_slice).unwrap_or_default();
        for rule in default.iter().filter_map(|rule| self.rules.get(*rule)) {
            self.lines_from(rule, target, "", true, values, lines);
        }
        let is_made = !target.starts_with('.') && !target.contains('=');
        for name in TOOLS.iter().filter(|_| is_made) {
            let place = self.tools.iter().find(|(known, _)| known == name).map(|it| it.1);
            let value = values.expanded(self, &format!("$({name})"));
            let is_own = value.starts_with(['/', '.', '~']) && value.contains('/');
            if let Some(place) = place.filter(|_| is_own) {
                let line = Line { place, text: value, is_likely: true };
                if !lines.contains(&line) {
                    lines.push(line);
                }
            }
        }
    }

    fn lines_from(
        &self,
        rule: &Rule,
        target: &str,
        stem: &str,
        is_likely: bool,
        values: &mut Values,
        lines: &mut Vec<Line>,
    ) {
        let needed = values.expanded(self, &rule.prerequisites).replace('%', stem);
        let needed = needed.split_whitespace().collect::<Vec<_>>().join(" ");
        values.set_automatic(target, &needed, stem);
        let mut whole: Option<Line> = None;
        for (place, text) in &rule.recipe {
            let filled = values.expanded(self, text);
            // A variable of several lines is several commands.
            for part in split_commands(&filled) {
                let text = part.trim_start_matches(['@', '-', '+', ' ', '\t']).to_owned();
                if text.is_empty() || text.starts_with('#') {
                    continue;
                }
                match &mut whole {
                    Some(line) if self.one_shell => {
                        line.text.push('\n');
                        line.text.push_str(&text);
                        line.place.span = line.place.span.to(place.span);
                    }
                    _ if self.one_shell => {
                        whole = Some(Line { place: *place, text, is_likely });
                    }
                    _ => lines.push(Line { place: *place, text, is_likely }),
                }
            }
        }
        lines.extend(whole);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str, goals: &[&str]) -> (Vec<String>, Vec<String>) {
        let mut values = Values::new("/p", &[]);
        let mut make = Makefile::default();
        make.read(0, text, &mut values);
        let goals: Vec<String> = if goals.is_empty() {
            make.first.clone().into_iter().collect()
        } else {
            goals.iter().map(|goal| (*goal).to_owned()).collect()
        };
        let lines = make.lines_of(&goals, &mut values);
        (
            make.immediate.iter().map(|(_, code)| code.clone()).collect(),
            lines.into_iter().map(|line| line.text).collect(),
        )
    }

    #[test]
    fn only_what_a_target_needs_runs() {
        let text = "A = x $(B)\nB := y\nall: one two\none:\n\t@echo $(A) $$HOME\ntwo: three ; -b $@\nthree:\n\tc \\\n\t  d\nother:\n\te\n%.o: %.c\n\tcc $< -o $@\n";
        assert_eq!(lines(text, &[]).1, ["echo x y $HOME", "c \\\n  d", "b two"]);
        assert_eq!(lines(text, &["other"]).1, ["e"]);
        assert_eq!(lines(text, &["m.o"]).1, ["cc m.c -o m.o"]);
    }

    #[test]
    fn what_runs_while_the_file_is_read_is_found() {
        for (text, expected) in [
            ("X := $(shell a b)\n", &["a b"][..]),
            ("X = $(shell a b)\n", &[]),
            ("X != a b\n", &["a b"]),
            ("ifeq ($(shell a),b)\nendif\n", &["a"]),
            ("$(info $(shell a))\nall:\n", &["a"]),
            ("Y = $(shell a)\nX := $(Y)\n", &["a"]),
            ("all: $(shell a)\n", &["a"]),
        ] {
            assert_eq!(lines(text, &["none"]).0, expected, "{text}");
        }
        assert_eq!(lines("X = $(shell a)\nall:\n\tb $(X)\n", &[]).1, ["b $(a)"]);
    }

    #[test]
    fn one_shell_and_functions() {
        let text = ".ONESHELL:\nall:\n\t@a\n\tb\n";
        assert_eq!(lines(text, &["all"]).1, ["a\nb"]);
        let text = "define f\nx $(1)\ny\nendef\nD = a b\nall:\n\t$(call f,z)\n\tz $(addprefix p/,$(D)) $(if ,q,r) $(D:a=c)\n";
        assert_eq!(lines(text, &["all"]).1, ["x z", "y", "z p/a p/b r c b"]);
    }
}

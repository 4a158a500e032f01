//! Words that a script is started with: options of its own `argparse`, `parser.parse_args(["--dry-run"])`, and what it looks for in the list of them,
//! `"--apply" in sys.argv`. Owns when it is sure whether one of them is there.

use std::ops::Range;

use super::super::{interpreter::Interpreter, value::Value};

/// Words by which a parser gives an option another value.
const CHANGES: &[&str] = &[
    "ArgumentParser)",
    "__dict__",
    "argument_default",
    "fromfile_prefix_chars",
    "parse_intermixed_args",
    "parse_known_args",
    "parents",
    "prefix_chars",
    "set_defaults",
    "setattr",
    "store_false",
    "vars(",
];

/// How many tokens of a line are looked at.
const LINE: usize = 64;

impl Interpreter<'_, '_, '_> {
    /// `args.dry_run` where the arguments were parsed from a list that stands in the script: whether that option is in it.
    pub(super) fn flag_given(&mut self, range: &Range<usize>) -> Option<bool> {
        let is_member = range.len() == 3 && self.word_at(range.start + 1) == ".";
        if !is_member || self.language != "python" || !self.source.contains("store_true") {
            return None;
        }
        let (name, member) = (self.word_at(range.start), self.word_at(range.start + 2));
        let count = self.unit.tokens.len();
        let is_changed = CHANGES.iter().any(|word| self.source.contains(word));
        if is_changed || !self.spend(count / 8 + 1) {
            return None;
        }
        let words = self.parsed_into(name, member)?;
        // The one line that declares the option, with all of its names.
        let option = format!("--{}", member.replace('_', "-"));
        let declares = |at: &usize| {
            self.name_at(*at) == "add_argument"
                && self.option_names(*at).is_some_and(|names| names.contains(&option))
        };
        let mut lines = (0..count).filter(declares);
        let (Some(line), None) = (lines.next(), lines.next()) else { return None };
        let end = *self.unit.partners.get(line + 1)?;
        let inside = || (line + 2..end).map(|at| self.name_at(at));
        let is_flag = inside().any(|word| word.trim_matches(['"', '\'']) == "store_true")
            && !inside().any(|word| matches!(word, "dest" | "default" | "nargs"));
        let names = self.option_names(line)?;
        // A beginning of a long option stands for it too, and short ones may stand together.
        let is_clear = words.iter().all(|word| {
            !word.starts_with('-')
                || names.contains(word)
                || word.starts_with("--") && !option.starts_with(word.as_str())
        });
        (is_flag && is_clear).then(|| words.iter().any(|word| names.contains(word)))
    }

    /// The words that are parsed into a name, one of whose members is asked for.
    fn parsed_into(&mut self, name: &str, member: &str) -> Option<Vec<String>> {
        let count = self.unit.tokens.len();
        // The one place where the name is given something, and none where the option is.
        let gives = |at: &usize| self.name_at(*at) == name && self.name_at(at + 1) == "=";
        let mut given = (0..count).filter(gives);
        let (Some(place), None) = (given.next(), given.next()) else { return None };
        let sets = |at: usize| self.name_at(at) == member && self.name_at(at + 1) == "=";
        let is_parsed = self.name_at(place + 3) == "." && self.name_at(place + 4) == "parse_args";
        if !is_parsed || self.name_at(place + 5) != "(" || (0..count).any(sets) {
            return None;
        }
        let close = *self.unit.partners.get(place + 5)?;
        match close == place + 6 {
            true => self.words_given(),
            false => self.words_parsed(place + 6..close),
        }
    }

    /// The words that the script was started with, where all are known and the script only reads them.
    fn words_given(&mut self) -> Option<Vec<String>> {
        let (whole, owner) = match self.language {
            "python" => ("sys.argv", "sys"),
            "javascript" => ("process.argv", "process"),
            _ => return None,
        };
        let is_plain = self.source.matches("argv").count() == self.source.matches(whole).count();
        let count = self.unit.tokens.len();
        if !is_plain || self.named.contains_key(owner) || !self.spend(count / 8 + 1) {
            return None;
        }
        // What is done with the list, other than asking it: it may be changed, or given to whoever changes it.
        let is_asked = |at: usize| {
            let mut next = at + 1;
            if self.name_at(next) == "[" {
                next = self.unit.partners.get(next).map_or(next, |close| close + 1);
            }
            if self.name_at(next) == "." {
                return matches!(self.name_at(next + 1), "includes" | "indexOf" | "slice");
            }
            !matches!(self.name_at(next), "=" | "+=" | "-=" | "[")
        };
        let is_read = (0..count).filter(|at| self.name_at(*at) == "argv").all(is_asked);
        if !is_read || !self.walk.is_started_with_words(self.source) {
            return None;
        }
        self.arguments.iter().map(|word| word.text.as_known().map(str::to_owned)).collect()
    }

    /// `"--apply" in sys.argv`, `process.argv.includes("--apply")`: of a word that looks like an option, which is no file of the script itself.
    pub(super) fn word_given(&mut self, range: &Range<usize>) -> Option<bool> {
        let (at, owner, rest) = match self.language {
            "python" => {
                let is_not = self.word_at(range.start + 1) == "not";
                let member = range.start + 1 + usize::from(is_not);
                (self.word_at(member) == "in").then_some((range.start, member + 1, member + 4))?
            }
            "javascript" => {
                let close = range.end.checked_sub(1)?;
                let calls = range.len() >= 8
                    && self.word_at(close - 4) == "."
                    && self.word_at(close - 3) == "includes"
                    && self.word_at(close - 2) == "(";
                calls.then_some((close - 1, range.start, range.start + 3))?
            }
            _ => return None,
        };
        let is_list = matches!(self.word_at(owner), "sys" | "process")
            && self.word_at(owner + 1) == "."
            && self.word_at(owner + 2) == "argv";
        // `sys.argv[1:]`, `process.argv.slice(2)`
        let part: String = (rest..range.end).map(|at| self.word_at(at)).collect();
        let is_whole = match self.language {
            "python" => matches!(part.as_str(), "" | "[1:]"),
            _ => part.starts_with(".includes(") || part.starts_with(".slice(2).includes("),
        };
        let word = self.literal_at(at).filter(|word| word.starts_with('-'))?;
        if !is_list || !is_whole {
            return None;
        }
        let is_there = self.words_given()?.contains(&word);
        let is_not = self.language == "python" && self.word_at(range.start + 1) == "not";
        Some(is_there != is_not)
    }

    /// `args.command == "publish"`, where that is the first word and names a part of the parser: `add_subparsers(dest="command")`.
    pub(super) fn command_given(&mut self, range: &Range<usize>) -> Option<bool> {
        let is_compared = range.len() == 5
            && self.word_at(range.start + 1) == "."
            && matches!(self.word_at(range.start + 3), "==" | "!=");
        if !is_compared || self.language != "python" || !self.source.contains("add_subparsers") {
            return None;
        }
        let (name, member) = (self.word_at(range.start), self.word_at(range.start + 2));
        let literal = self.literal_at(range.start + 4)?;
        let count = self.unit.tokens.len();
        let is_changed = CHANGES.iter().any(|word| self.source.contains(word));
        if is_changed || !self.spend(count / 8 + 1) {
            return None;
        }
        let words = self.parsed_into(name, member)?;
        let mut parts = (0..count).filter(|at| self.name_at(*at) == "add_subparsers");
        let (Some(place), None) = (parts.next(), parts.next()) else { return None };
        let end = *self.unit.partners.get(place + 1)?;
        let is_named = (place + 2..end).any(|at| {
            self.name_at(at) == "dest"
                && self.name_at(at + 1) == "="
                && self.literal_at(at + 2).as_deref() == Some(member)
        });
        // A word of the parser's own before the command, or a part that gives the same name something else.
        let parser = self.name_at(place.checked_sub(2)?);
        let takes = |at: usize| {
            self.name_at(at) == "add_argument"
                && self.option_names(at).is_none_or(|names| {
                    let is_own = at.checked_sub(2).is_some_and(|of| self.name_at(of) == parser);
                    let is_word = names.iter().any(|it| !it.starts_with('-'));
                    let is_same = names.iter().any(|it| it.trim_start_matches('-') == member);
                    is_own && is_word || is_same
                })
                || self.name_at(at) == "dest" && at < place
                || self.name_at(at) == "dest" && at > end
        };
        let first = words.first().map(String::as_str);
        if !is_named || (0..count).any(takes) || first.is_some_and(|word| word.starts_with('-')) {
            return None;
        }
        Some((first == Some(literal.as_str())) == (self.word_at(range.start + 3) == "=="))
    }

    /// `len(argv) < 2` of what a function is given, or of what the script is started with.
    pub(super) fn length_there(&mut self, range: &Range<usize>) -> Option<bool> {
        if self.language != "python"
            || self.word_at(range.start) != "len"
            || self.word_at(range.start + 1) != "("
            || self.named.contains_key("len")
        {
            return None;
        }
        let close = self.partner(range.start + 1);
        let number: usize = self.word_at(close + 2).parse().ok()?;
        if close + 3 != range.end {
            return None;
        }
        let value = match close - range.start {
            3 => {
                let name = self.word_at(range.start + 2).to_owned();
                let is_given = self.functions.iter().any(|function| {
                    function.body.contains(&range.start)
                        && function.parameters.iter().any(|it| it.name == name)
                });
                let is_same = is_given && self.is_constant(&name, range.start + 2);
                is_same.then(|| self.bound(&name)).flatten()?
            }
            5 if self.word_at(range.start + 2) == "sys"
                && self.word_at(range.start + 4) == "argv"
                && self.source.matches("argv").count()
                    == self.source.matches("sys.argv").count() =>
            {
                let object = self.resolve("sys");
                self.member(object, "argv")
            }
            _ => return None,
        };
        let Value::List(list) = value else { return None };
        let count = list.len();
        Some(match self.word_at(close + 1) {
            "<" => count < number,
            "<=" => count <= number,
            ">" => count > number,
            ">=" => count >= number,
            "==" => count == number,
            "!=" => count != number,
            _ => return None,
        })
    }

    /// The words that are parsed, where each is known.
    fn words_parsed(&mut self, inside: Range<usize>) -> Option<Vec<String>> {
        if inside.len() == 1 && self.is_name(inside.start) {
            let name = self.name_at(inside.start).to_owned();
            return match self.bound(&name)? {
                Value::List(list) => {
                    list.iter().map(|it| it.as_known().map(str::to_owned)).collect()
                }
                _ => None,
            };
        }
        let is_list = self.name_at(inside.start) == "["
            && self.unit.partners.get(inside.start) == Some(&(inside.end.checked_sub(1)?));
        if !is_list {
            return None;
        }
        let words = inside.start + 1..inside.end - 1;
        words.filter(|at| self.name_at(*at) != ",").map(|at| self.literal_at(at)).collect()
    }

    /// The names of the option that `add_argument` at `at` declares.
    fn option_names(&self, at: usize) -> Option<Vec<String>> {
        if self.name_at(at + 1) != "(" {
            return None;
        }
        let names = (at + 2..at + LINE).step_by(2);
        let names: Vec<String> = names.map_while(|at| self.literal_at(at)).collect();
        (!names.is_empty()).then_some(names)
    }
}

//! Parameters: what `$x`, `${x…}` and `$((…))` become. Owns the operators on values; words are split elsewhere.

use crate::bound::Bounded;
use portcullis_syntax::{
    Span,
    shell::{Parameter, ParameterOperator, Part, PartKind, ReplaceScope, Word},
};

use super::{
    again,
    control::Leave,
    state::Value,
    walk::Walk,
    words::{join, named_secret},
};
use crate::{
    effect::Location,
    pattern::{self, PATTERN_BYTES},
    text::{Piece, Taint, Text},
};

/// How many elements of an array are taken for the work of one: an array that grows by itself would be the square of what
/// was written.
const ELEMENTS_PER_WORK: usize = 16;

/// What stands before the beginning of names that `${!NAME*}` lists.
const BEGINS: &str = "!";

impl Walk<'_> {
    /// The elements of `$@`, `$*` and `${array[@]}`, which stay apart; `None` for everything else.
    pub(super) fn elements(&mut self, parameter: &Parameter) -> Option<Vec<Text>> {
        if parameter.operator == ParameterOperator::Names {
            return self.keys(parameter).filter(|_| !self.is_associative(&parameter.name));
        }
        if parameter.indirect
            || matches!(
                parameter.operator,
                ParameterOperator::Length
                    | ParameterOperator::Names
                    | ParameterOperator::Default(_)
                    | ParameterOperator::Assign(_)
                    | ParameterOperator::Error(_)
                    | ParameterOperator::Alternate(_)
            )
        {
            return None;
        }
        let all = self.all_elements(parameter)?;
        match &parameter.operator {
            ParameterOperator::None => Some(all),
            ParameterOperator::Slice { offset, length } => {
                let offset = self.number(offset);
                let length = length.as_ref().map(|word| self.number(word));
                let Some(offset) = offset else { return Some(all.iter().map(partly).collect()) };
                let positional = matches!(&*parameter.name, "@" | "*");
                let count = i64::try_from(all.len()).ok()?;
                // `$0` stands before the positional parameters.
                let from = match offset {
                    negative if negative < 0 => count + negative,
                    offset if positional => (offset - 1).max(0),
                    offset => offset,
                };
                let most = match length {
                    None => count,
                    Some(Some(length)) if length >= 0 => length,
                    Some(_) => count,
                };
                let from = usize::try_from(from).unwrap_or(0);
                let most = usize::try_from(most).unwrap_or(0);
                Some(all.into_iter().skip(from).leading(most).collect())
            }
            _ => Some(
                all.into_iter()
                    .map(|element| self.operate(parameter, &parameter.name, Some(element)))
                    .collect(),
            ),
        }
    }

    /// The indices or keys of an array that is known.
    fn keys(&mut self, parameter: &Parameter) -> Option<Vec<Text>> {
        let subscript = parameter.subscript.as_ref().map(|word| self.single(word))?;
        if !matches!(subscript.as_known(), Some("@" | "*")) {
            return None;
        }
        let Some(Value::Array(elements)) = self.value(&parameter.name) else { return None };
        let keys = elements.into_iter().enumerate().map(|(index, (key, text))| {
            text.as_known()?;
            Some(Text::known(key.unwrap_or_else(|| index.to_string())))
        });
        keys.collect()
    }

    fn all_elements(&mut self, parameter: &Parameter) -> Option<Vec<Text>> {
        if matches!(&*parameter.name, "@" | "*") {
            let all: Vec<Text> = self.state.positional().iter().skip(1).cloned().collect();
            self.charge(all.len() / ELEMENTS_PER_WORK);
            return Some(all);
        }
        let subscript = parameter.subscript.as_ref().map(|word| self.single(word))?;
        if !matches!(subscript.as_known(), Some("@" | "*")) {
            return None;
        }
        match self.value(&parameter.name)? {
            Value::Array(elements) => Some(elements.into_iter().map(|(_, text)| text).collect()),
            Value::Scalar(text) => Some(vec![text]),
            Value::Unset => Some(Vec::new()),
        }
    }

    /// The value of a parameter expansion.
    pub(super) fn parameter(&mut self, parameter: &Parameter, span: Span) -> Text {
        if !self.enter_level(span) {
            return Text::unknown(&parameter.name);
        }
        let value = self.expand(parameter);
        self.leave_level();
        value
    }

    fn expand(&mut self, parameter: &Parameter) -> Text {
        if parameter.operator == ParameterOperator::Names {
            let keys = match self.keys(parameter) {
                Some(keys) if keys.len() == 1 || !self.is_associative(&parameter.name) => keys,
                // `${!AWS_@}`: whatever variables there are whose names begin so.
                _ if parameter.subscript.is_none() => {
                    return Text::unknown(&format!("{BEGINS}{}", parameter.name));
                }
                _ => return Text::unknown(&parameter.name),
            };
            return join(&keys, " ");
        }
        if parameter.operator == ParameterOperator::Length
            && !parameter.indirect
            && let Some(all) = self.all_elements(parameter)
        {
            // An unknown element may be none or several.
            let is_known = all.iter().all(|text| text.as_known().is_some());
            return if is_known {
                Text::known(all.len().to_string())
            } else {
                Text::unknown(&parameter.name)
            };
        }
        let mut name = parameter.name.to_string();
        if parameter.indirect {
            let pointed = self.scalar(&name, parameter.subscript.as_ref());
            match pointed.as_ref().and_then(Text::as_known) {
                Some(known) if !known.is_empty() => {
                    if let Some((array, index)) =
                        known.strip_suffix(']').and_then(|known| known.split_once('['))
                    {
                        let index = Text::known(index);
                        let value = self.element(array, Some(&index));
                        return self.operate(parameter, array, value);
                    }
                    name = known.to_owned();
                }
                _ => {
                    if let Some(pointed) = &pointed {
                        self.named(pointed, Span::default());
                    }
                    let mut value = Text::unknown(&name);
                    // One of several variables of the environment, of which some are secrets.
                    let of_several = |piece: &Piece| matches!(piece, Piece::Unknown(it) if it.starts_with(BEGINS));
                    if pointed.is_some_and(|text| text.pieces.iter().any(of_several)) {
                        value.taint = Taint::SECRET;
                    }
                    return value;
                }
            }
        }
        let subscript = if parameter.indirect { None } else { parameter.subscript.as_ref() };
        let value = self.scalar(&name, subscript);
        if value.as_ref().is_none_or(Text::is_empty) && self.state.option("set -u") == Some(true) {
            // The script ends where the variable is not set.
            self.control.may_leave = Some(Leave::Shell);
        }
        self.operate(parameter, &name, value)
    }

    /// `TMPDIR`, which some systems set and others do not: either is tried.
    fn may_be_missing(&mut self, name: &str) -> bool {
        name == "TMPDIR"
            && self.state.variable(name).is_none()
            && self.choice.pick("TMPDIR is set", 2) == 1
    }

    /// What the operator of an expansion makes of a value.
    fn operate(&mut self, parameter: &Parameter, name: &str, value: Option<Text>) -> Text {
        let missing = || {
            let mut text = Text::unknown(name);
            text.taint = named_secret(name);
            text
        };
        let changes = matches!(
            parameter.operator,
            ParameterOperator::Replace { .. } | ParameterOperator::Slice { .. }
        );
        if changes && self.is_guessed(name) {
            return missing();
        }
        match &parameter.operator {
            ParameterOperator::None | ParameterOperator::Names => value.unwrap_or_else(missing),
            ParameterOperator::Length => match value.as_ref().and_then(Text::as_known) {
                // Whether letters or bytes are counted depends on the locale.
                Some(known) if known.is_ascii() => Text::known(known.len().to_string()),
                Some(_) => Text::unknown(name),
                None => Text::unknown(name),
            },
            // A variable that this text does not set is most likely not set: what stands for it is what would be used.
            ParameterOperator::Default(word) => match value {
                Some(value)
                    if !self.counts_as_none(parameter, name, &value)
                        && !self.may_be_missing(name) =>
                {
                    value
                }
                _ => self.single(word),
            },
            ParameterOperator::Assign(word) => match value {
                Some(value)
                    if !self.counts_as_none(parameter, name, &value)
                        && !self.may_be_missing(name) =>
                {
                    value
                }
                _ => {
                    let value = self.single(word);
                    self.state.assign(name, vec![Value::Scalar(value.clone())]);
                    value
                }
            },
            ParameterOperator::Error(word) => {
                self.single(word);
                let is_none =
                    value.as_ref().is_some_and(|value| self.counts_as_none(parameter, name, value));
                if is_none {
                    self.control.may_leave = Some(Leave::Shell);
                }
                value.unwrap_or_else(missing)
            }
            ParameterOperator::Alternate(word) => {
                let alternate = self.single(word);
                match value {
                    Some(value) if self.counts_as_none(parameter, name, &value) => Text::default(),
                    // A variable that this text does not set may be set or not.
                    None if self.choice.pick(&format!("{name} is set"), 2) == 0 => Text::default(),
                    _ => alternate,
                }
            }
            ParameterOperator::RemovePrefix { pattern, longest } => {
                let pattern = self.pattern_text(pattern);
                cut(value.unwrap_or_else(missing), pattern.as_deref(), |pattern, text| {
                    pattern::prefix(pattern, text, *longest).map(|end| (end, text.len()))
                })
            }
            ParameterOperator::RemoveSuffix { pattern, longest } => {
                let pattern = self.pattern_text(pattern);
                cut(value.unwrap_or_else(missing), pattern.as_deref(), |pattern, text| {
                    pattern::suffix(pattern, text, *longest).map(|start| (0, start))
                })
            }
            ParameterOperator::Replace { pattern, replacement, scope } => {
                let pattern = self.pattern_text(pattern);
                // Nothing is replaced in what is not set.
                let replacement = if value.is_none() {
                    self.at_likely(|walk| walk.single(replacement))
                } else {
                    self.single(replacement)
                };
                replace(value.unwrap_or_else(missing), pattern.as_deref(), &replacement, *scope)
            }
            ParameterOperator::Slice { offset, length } => {
                let offset = self.number(offset);
                let length = length.as_ref().map(|word| self.number(word));
                slice(value.unwrap_or_else(missing), offset, length)
            }
            ParameterOperator::Case { upper, all, pattern } => {
                let pattern = self.pattern_text(pattern);
                let value = value.unwrap_or_else(missing);
                match (value.as_known(), pattern) {
                    (Some(known), Some(pattern))
                        if known.len() <= PATTERN_BYTES && pattern.len() <= PATTERN_BYTES =>
                    {
                        let changed = change_case(known, &pattern, *upper, *all);
                        value.derive(known_pieces(changed))
                    }
                    _ => unknown_like(&value, name),
                }
            }
            ParameterOperator::Transform(letter @ ('P' | 'E' | 'Q' | 'U' | 'L' | 'u')) => {
                let is_set = value.is_some();
                let value = value.unwrap_or_else(missing);
                match (*letter, value.as_known()) {
                    ('U', Some(known)) => value.derive(known_pieces(known.to_uppercase())),
                    ('L', Some(known)) => value.derive(known_pieces(known.to_lowercase())),
                    ('u', Some(known)) => {
                        value.derive(known_pieces(change_case(known, "", true, false)))
                    }
                    ('Q', Some(known)) => value.derive(known_pieces(again::quoted(known))),
                    ('E', Some(known)) => value.derive(known_pieces(again::unescaped(known))),
                    ('P', Some(_)) => {
                        // A prompt string is expanded like a double-quoted word: what is substituted in it runs.
                        self.expand_again(&value, Span::default());
                        unknown_like(&value, name)
                    }
                    ('Q', None) => unknown_like(&value, name),
                    ('P', None) if is_set => {
                        self.prompted(&value, Span::default(), true);
                        unknown_like(&value, name)
                    }
                    _ => value,
                }
            }
            ParameterOperator::Transform(_) => unknown_like(&value.unwrap_or_else(missing), name),
        }
    }

    /// The word that stands for a value in `${x:-w}` and `${x:+w}`, where it is that word.
    pub(super) fn instead<'p>(&mut self, parameter: &'p Parameter) -> Option<&'p Word> {
        let (ParameterOperator::Default(word) | ParameterOperator::Alternate(word)) =
            &parameter.operator
        else {
            return None;
        };
        let has_quotes =
            |part: &Part| matches!(part.kind, PartKind::Quoted(_) | PartKind::DoubleQuoted(_));
        if parameter.indirect || parameter.subscript.is_some() || !word.parts.iter().any(has_quotes)
        {
            return None;
        }
        let value = self.scalar(&parameter.name, None);
        let is_default = matches!(parameter.operator, ParameterOperator::Default(_));
        let is_none = match &value {
            Some(value) => self.counts_as_none(parameter, &parameter.name, value),
            None if is_default => true,
            None => self.choice.pick(&format!("{} is set", parameter.name), 2) == 0,
        };
        (is_none == is_default).then_some(word)
    }

    /// Whether a value is as good as none to `-`, `=`, `?` and `+`: with a colon an empty one is.
    fn counts_as_none(&mut self, parameter: &Parameter, name: &str, value: &Text) -> bool {
        let missing = |walk: &mut Self| match name.parse::<usize>() {
            Ok(index) => index >= walk.state.positional().len().max(1),
            Err(_) => matches!(walk.value(name), Some(Value::Unset)),
        };
        value.is_empty() && (parameter.colon || missing(self))
    }

    /// The value of a variable in this round of choices.
    pub(super) fn value(&mut self, name: &str) -> Option<Value> {
        if let Some(directories) = self.array_of_directories(name) {
            return Some(directories);
        }
        let count = self.state.variable(name)?.len();
        let index = self.choice.pick(name, count);
        let value = self.state.variable(name)?.get(index).cloned()?;
        if let Value::Array(elements) = &value {
            self.charge(elements.len() / ELEMENTS_PER_WORK);
        }
        Some(value)
    }

    fn scalar(&mut self, name: &str, subscript: Option<&Word>) -> Option<Text> {
        if let Some(special) = self.special(name) {
            return Some(special);
        }
        let key = subscript.map(|word| self.single(word));
        if let Some(key) = key.as_ref().filter(|_| !self.is_associative(name)) {
            self.evaluated(key, Span::default());
        }
        self.element(name, key.as_ref())
    }

    /// A variable, or the element of an array with this key.
    fn element(&mut self, name: &str, key: Option<&Text>) -> Option<Text> {
        match self.value(name) {
            None => {
                if name == "PWD"
                    && let Some(elsewhere) = self.state.elsewhere().map(str::to_owned)
                    && self.choice.pick(name, 2) == 1
                {
                    return Some(Text::known(elsewhere));
                }
                if name == "BASH_SOURCE" {
                    // The first element is the file that is being read; the others are those that called it.
                    let is_first = key.is_none_or(|key| key.as_known() == Some("0"));
                    let at = Location { layer: self.recorder.layer, span: Span::default() };
                    let file = self.recorder.effects.in_file(at).filter(|_| is_first);
                    return file.map(|(path, _)| Text::known(path));
                }
                self.given_by_the_system(name)
            }
            Some(value @ Value::Scalar(_))
                if key.is_some_and(|key| !matches!(key.as_known(), Some("@" | "*"))) =>
            {
                let key = key.cloned().unwrap_or_default();
                self.element_of(Some(&value), name, &key)
            }
            Some(Value::Scalar(text)) => Some(text),
            Some(Value::Unset) => Some(Text::default()),
            Some(Value::Array(elements)) => {
                let Some(key) = key else {
                    return elements.into_iter().next().map(|(_, text)| text);
                };
                match key.as_known() {
                    Some("@" | "*") => {
                        let texts: Vec<Text> = elements.into_iter().map(|(_, text)| text).collect();
                        Some(join(&texts, " "))
                    }
                    _ => {
                        let value = Value::Array(elements);
                        self.element_of(Some(&value), name, key)
                    }
                }
            }
        }
    }

    fn special(&self, name: &str) -> Option<Text> {
        let positional = self.state.positional();
        if let Ok(index) = name.parse::<usize>() {
            let missing = || if index == 0 { Text::known("bash") } else { Text::default() };
            return Some(positional.get(index).cloned().unwrap_or_else(missing));
        }
        match name {
            "@" | "*" => {
                let texts: Vec<Text> = positional.iter().skip(1).cloned().collect();
                Some(join(&texts, " "))
            }
            "#" => Some(Text::known(positional.len().saturating_sub(1).to_string())),
            "?" | "$" | "!" | "-" | "_" | "RANDOM" | "SECONDS" | "LINENO" | "PPID" | "BASHPID"
            | "EPOCHSECONDS" => Some(Text::unknown(name)),
            _ => None,
        }
    }

    /// Whether the shell's own name is taken for `bash`, which is good enough to run it, and for what its path begins or ends with;
    /// changed, another name may spell anything: `${0/-bash/rm}`.
    fn is_guessed(&self, name: &str) -> bool {
        match name {
            "0" => self.state.positional().is_empty(),
            "SHELL" | "BASH" => self.variable_set(name).is_none(),
            _ => false,
        }
    }

    /// Variables that every shell has, where this text does not set them.
    fn given_by_the_system(&self, name: &str) -> Option<Text> {
        match name {
            "HOME" => self.facts.home.as_deref().map(Text::known),
            "PWD" => self.directory().map(Text::known),
            "OLDPWD" => self.state.previous().map(Text::known),
            "IFS" => Some(Text::known(" \t\n")),
            "TMPDIR" => Some(Text::known(self.facts.temporary.as_deref().unwrap_or("/tmp"))),
            "SHELL" | "BASH" => Some(Text::known("/bin/bash")),
            // Its first letter is all that is sure; a script that spells a program with the others must not be believed.
            "PATH" => {
                let mut path = Text::known("/");
                path.push(Piece::Unknown("PATH".into()));
                Some(path)
            }
            "HISTFILE" => {
                self.facts.home.as_deref().map(|home| Text::known(format!("{home}/.bash_history")))
            }
            "OSTYPE" => Some(Text::known("linux-gnu")),
            _ => None,
        }
    }

    fn pattern_text(&mut self, word: &Word) -> Option<String> {
        self.pattern_of(word)
    }

    fn number(&mut self, word: &Word) -> Option<i64> {
        let text = self.single(word);
        self.evaluated(&text, word.span);
        text.as_known().and_then(|known| self.evaluate(known))
    }
}

fn known_pieces(text: String) -> Vec<Piece> {
    if text.is_empty() { Vec::new() } else { vec![Piece::Known(text)] }
}

fn unknown_like(value: &Text, name: &str) -> Text {
    value.derive([Piece::Unknown(name.into())])
}

fn cut(
    value: Text,
    pattern: Option<&str>,
    keep: impl Fn(&[char], &[char]) -> Option<(usize, usize)>,
) -> Text {
    let (Some(known), Some(pattern)) = (value.as_known(), pattern) else { return partly(&value) };
    if known.len() > PATTERN_BYTES || pattern.len() > PATTERN_BYTES {
        return partly(&value);
    }
    let text: Vec<char> = known.chars().collect();
    let pattern: Vec<char> = pattern.chars().collect();
    match keep(&pattern, &text) {
        Some((start, end)) => {
            value.derive(known_pieces(text.get(start..end).unwrap_or(&[]).iter().collect()))
        }
        None => value,
    }
}

/// What is left of a half-known value after something unknown was cut from it.
fn partly(value: &Text) -> Text {
    // What a pattern of file names found is still a file that is there.
    let is_found = value.pieces.iter().any(|piece| matches!(piece, Piece::Glob(_)));
    unknown_like(value, if is_found { "a part of a name" } else { "a part of a value" })
}

fn replace(value: Text, pattern: Option<&str>, replacement: &Text, scope: ReplaceScope) -> Text {
    let (Some(known), Some(pattern)) = (value.as_known(), pattern) else { return partly(&value) };
    let anchored = matches!(scope, ReplaceScope::Prefix | ReplaceScope::Suffix);
    if pattern.is_empty() && !anchored {
        return value;
    }
    if known.len() > PATTERN_BYTES || pattern.len() > PATTERN_BYTES {
        return partly(&value);
    }
    let text: Vec<char> = known.chars().collect();
    let pattern: Vec<char> = pattern.chars().collect();
    let mut result = value.derive([]);
    let push = |result: &mut Text, characters: &[char]| {
        result.push_known(&characters.iter().collect::<String>());
    };
    match scope {
        ReplaceScope::Prefix => match pattern::prefix(&pattern, &text, true) {
            Some(end) => {
                result.append(replacement);
                push(&mut result, text.get(end..).unwrap_or(&[]));
            }
            None => return value,
        },
        ReplaceScope::Suffix => match pattern::suffix(&pattern, &text, true) {
            Some(start) => {
                push(&mut result, text.get(..start).unwrap_or(&[]));
                result.append(replacement);
            }
            None => return value,
        },
        ReplaceScope::First | ReplaceScope::All => {
            let literal =
                !pattern.iter().any(|character| matches!(character, '*' | '?' | '[' | '\\'));
            if !literal && text.len() > 512 {
                return partly(&value);
            }
            let mut at = 0;
            let mut open = true;
            while let Some(rest) = text.get(at..)
                && !rest.is_empty()
            {
                let end = if !open {
                    None
                } else if literal {
                    rest.starts_with(&pattern).then_some(pattern.len())
                } else {
                    pattern::prefix(&pattern, rest, true).filter(|end| *end > 0)
                };
                if let Some(end) = end {
                    result.append(replacement);
                    at += end;
                    open = scope == ReplaceScope::All;
                } else {
                    push(&mut result, rest.get(..1).unwrap_or(&[]));
                    at += 1;
                }
            }
        }
    }
    result
}

fn slice(value: Text, offset: Option<i64>, length: Option<Option<i64>>) -> Text {
    let Some(offset) = offset else { return partly(&value) };
    let Some(known) = value.as_known() else { return known_slice(&value, offset, length) };
    let text: Vec<char> = known.chars().collect();
    let count = i64::try_from(text.len()).unwrap_or(i64::MAX);
    let start = if offset < 0 { count.saturating_add(offset).max(0) } else { offset.min(count) };
    let end = match length {
        None => count,
        Some(Some(length)) if length < 0 => count.saturating_add(length).max(start),
        Some(Some(length)) => start.saturating_add(length).min(count),
        Some(None) => return partly(&value),
    };
    let range = usize::try_from(start).unwrap_or(0)..usize::try_from(end).unwrap_or(0);
    value.derive(known_pieces(text.get(range).unwrap_or(&[]).iter().collect()))
}

/// A slice that lies in what is known of the beginning.
fn known_slice(value: &Text, offset: i64, length: Option<Option<i64>>) -> Text {
    let (Ok(start), Some(Some(length))) = (usize::try_from(offset), length) else {
        return partly(value);
    };
    let Ok(length) = usize::try_from(length) else { return partly(value) };
    let known: String = value.known_prefix().chars().skip(start).leading(length).collect();
    if known.chars().count() == length { value.derive(known_pieces(known)) } else { partly(value) }
}

/// The case of the first character changed, or of all, where it matches the pattern; an empty one matches any.
fn change_case(text: &str, pattern: &str, upper: bool, all: bool) -> String {
    let pattern: Vec<char> = pattern.chars().collect();
    let mut changed = String::with_capacity(text.len());
    for (index, character) in text.chars().enumerate() {
        let counts = index == 0 || all;
        if !counts || !pattern.is_empty() && !pattern::whole(&pattern, &[character]) {
            changed.push(character);
        } else if upper {
            changed.extend(character.to_uppercase());
        } else {
            changed.extend(character.to_lowercase());
        }
    }
    changed
}

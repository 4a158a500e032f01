//! Words to arguments: what the shell would make of a word before a program sees it. Owns brace expansion, quoting,
//! splitting and substitution; parameters are read by `parameter`.

use portcullis_syntax::{
    Span,
    shell::{Part, PartKind, Word},
};

use super::{ROUNDS, streams::Sink, walk::Walk};
use crate::{
    bound::Bounded,
    effect::Argument,
    text::{Piece, Taint, Text},
};

/// Which value variables with several possible values take in this round.
#[derive(Clone, Debug, Default)]
pub(super) struct Choice {
    number: usize,
    ways: usize,
    picked: Vec<(String, usize)>,
}

impl Choice {
    pub(super) fn round(number: usize) -> Self {
        Self { number, ways: 1, picked: Vec::new() }
    }

    /// How many rounds there are to go through.
    pub(super) fn ways(&self) -> usize {
        self.ways.clamp(1, ROUNDS)
    }

    /// The index of the value that a variable with `count` values takes: the same one each time it is asked in a round.
    pub(super) fn pick(&mut self, name: &str, count: usize) -> usize {
        if count < 2 {
            return 0;
        }
        if let Some((_, index)) = self.picked.iter().find(|(picked, _)| picked == name) {
            return *index;
        }
        let radix = self.ways.max(1);
        let index = (self.number / radix) % count;
        self.ways = radix.saturating_mul(count).min(ROUNDS * ROUNDS);
        self.picked.push((name.to_owned(), index));
        index
    }
}

/// How many words one brace expression is expanded to; the rest stands as one unknown word.
const BRACE_WORDS: usize = 256;

/// The arguments that words are being made into.
struct Fields {
    done: Vec<Argument>,
    current: Text,
    /// Whether the current field exists even when it is empty, because something was quoted in it.
    quoted: bool,
    span: Span,
}

impl Fields {
    fn finish(&mut self) {
        if self.quoted || !self.current.is_empty() {
            let text = std::mem::take(&mut self.current);
            self.done.push(Argument { text, span: self.span });
        }
        self.quoted = false;
    }
}

impl Walk<'_> {
    /// The arguments that `words` become.
    pub(super) fn arguments(&mut self, words: &[Word]) -> Vec<Argument> {
        let mut all = Vec::with_capacity(words.len());
        let assigns = words.len() > 1 && words.first().is_some_and(takes_assignments);
        for word in words {
            if !self.spend(word.span) {
                break;
            }
            if let [Part { kind: PartKind::Literal(literal), .. }] = word.parts.as_slice() {
                all.push(Argument { text: self.disembed(literal), span: word.span });
                continue;
            }
            if assigns && is_assignment(word) {
                // `declare NAME={a,b}` is given twice: these are arguments, and no value stands whole before its braces are read.
                for parts in self.braces(&word.parts) {
                    let text = self.single(&Word { parts, span: word.span });
                    all.push(Argument { text, span: word.span });
                }
                continue;
            }
            for parts in self.braces(&word.parts) {
                let mut fields = Fields {
                    done: Vec::new(),
                    current: Text::default(),
                    quoted: false,
                    span: word.span,
                };
                for part in &parts {
                    self.part(part, &mut fields);
                }
                fields.finish();
                all.append(&mut fields.done);
            }
        }
        all
    }

    /// A word that is neither split nor globbed: an assignment's value, a redirection's target, a here-string.
    pub(super) fn single(&mut self, word: &Word) -> Text {
        let mut whole = Text::default();
        for part in &word.parts {
            let more = self.unsplit(part);
            whole.append(&more);
        }
        whole
    }

    /// Parts inside double quotes, in a heredoc, or in arithmetic.
    pub(super) fn joined(&mut self, parts: &[Part]) -> Text {
        let mut whole = Text::default();
        for part in parts {
            let more = self.unsplit(part);
            whole.append(&more);
        }
        whole
    }

    fn part(&mut self, part: &Part, fields: &mut Fields) {
        match &part.kind {
            PartKind::Literal(literal) => fields.current.append(&self.disembed(literal)),
            PartKind::Quoted(text) => {
                fields.quoted = true;
                fields.current.append(&self.disembed(text));
            }
            PartKind::DoubleQuoted(parts) => {
                fields.quoted = true;
                self.double_quoted(parts, fields);
            }
            PartKind::Parameter(parameter) => {
                if let Some(elements) = self.elements(parameter) {
                    for (index, element) in elements.iter().enumerate() {
                        if index > 0 {
                            fields.finish();
                        }
                        self.split(element, fields);
                    }
                } else if let Some(word) = self.instead(parameter) {
                    // What is quoted in it stays together.
                    for part in &word.parts {
                        self.part(part, fields);
                    }
                } else {
                    let value = self.parameter(parameter, part.span);
                    self.split(&value, fields);
                }
            }
            PartKind::CommandSubstitution { .. } | PartKind::Arithmetic(_) => {
                let value = self.unsplit(part);
                self.split(&value, fields);
            }
            PartKind::Glob(_) | PartKind::ExtendedGlob { .. } => {
                let value = self.unsplit(part);
                fields.current.append(&value);
            }
            PartKind::ProcessSubstitution { .. }
            | PartKind::Tilde(_)
            | PartKind::Brace(_)
            | PartKind::BraceRange { .. }
            | PartKind::Unparsed => {
                let value = self.unsplit(part);
                fields.current.append(&value);
            }
        }
    }

    fn double_quoted(&mut self, parts: &[Part], fields: &mut Fields) {
        for part in parts {
            if let PartKind::Parameter(parameter) = &part.kind
                && let Some(elements) = self.elements(parameter)
            {
                let starred = &*parameter.name == "*"
                    || parameter.subscript.as_ref().is_some_and(|word| {
                        matches!(word.parts.as_slice(), [Part { kind, .. }]
                            if matches!(kind, PartKind::Literal(text) if &**text == "*")
                                || matches!(kind, PartKind::Glob(text) if text.to_string() == "*"))
                    });
                if starred {
                    let separators = self.separators();
                    let first = separators.chars().next().map(String::from).unwrap_or_default();
                    fields.current.append(&join(&elements, &first));
                    continue;
                }
                if elements.is_empty() && parts.len() == 1 {
                    fields.quoted = false;
                }
                for (index, element) in elements.iter().enumerate() {
                    if index > 0 {
                        fields.finish();
                        fields.quoted = true;
                    }
                    fields.current.append(element);
                }
                continue;
            }
            let value = self.unsplit(part);
            fields.current.append(&value);
        }
    }

    fn unsplit(&mut self, part: &Part) -> Text {
        match &part.kind {
            PartKind::Literal(text) | PartKind::Quoted(text) => self.disembed(text),
            PartKind::DoubleQuoted(parts) => self.joined(parts),
            PartKind::Parameter(parameter) => {
                if let Some(elements) = self.elements(parameter) {
                    return join(&elements, " ");
                }
                self.parameter(parameter, part.span)
            }
            PartKind::CommandSubstitution { body } => {
                if !self.enter_level(part.span) {
                    return Text::unknown("a command");
                }
                let choice = std::mem::take(&mut self.choice);
                let printed = self.captured(|walk| walk.statements(body));
                self.choice = choice;
                self.leave_level();
                let printed = self.with_names(printed);
                self.captures(&printed);
                without_trailing_newlines(printed)
            }
            PartKind::ProcessSubstitution { output, body } => {
                self.process(*output, body, part.span)
            }
            PartKind::Arithmetic(parts) => {
                let expression = self.joined(parts);
                self.evaluated(&expression, part.span);
                match self.calculate(&expression) {
                    Some(number) => expression.derive([Piece::Known(number.to_string())]),
                    None => {
                        let mut result = Text::unknown("arithmetic");
                        result.inherit(&expression);
                        result
                    }
                }
            }
            PartKind::Brace(alternatives) => {
                alternatives.first().map_or_else(Text::default, |parts| self.joined(&parts.clone()))
            }
            PartKind::BraceRange { from, .. } => Text::known(from.as_ref()),
            PartKind::Glob(glob) => Text::from(Piece::Glob(glob.to_string())),
            PartKind::ExtendedGlob { alternatives, .. } => {
                for parts in alternatives {
                    self.joined(parts);
                }
                Text::from(Piece::Glob("*".to_owned()))
            }
            PartKind::Tilde(name) => self.home_of(name),
            PartKind::Unparsed => Text::unknown("text that was not understood"),
        }
    }

    fn home_of(&self, name: &str) -> Text {
        match name {
            "" => self.facts.home.as_deref().map_or_else(|| Text::known("~"), Text::known),
            "+" => self.directory().map_or_else(|| Text::unknown("PWD"), Text::known),
            "-" => self.state.previous().map_or_else(|| Text::unknown("OLDPWD"), Text::known),
            "root" => Text::known("/root"),
            number if number.ends_with(|last: char| last.is_ascii_digit()) => self
                .kept_directory(number)
                .unwrap_or_else(|| Text::known(format!("/home/{number}"))),
            other => Text::known(format!("/home/{other}")),
        }
    }

    fn process(
        &mut self,
        output: bool,
        body: &[portcullis_syntax::shell::Statement],
        span: Span,
    ) -> Text {
        let path = self.streams.new_pipe();
        if !self.enter_level(span) {
            return Text::known(path);
        }
        let mark = self.state.mark();
        if output {
            self.streams.wait(Sink {
                path: path.clone(),
                body: body.to_vec().into(),
                layer: self.recorder.layer,
                content: None,
            });
        } else {
            let prints_to = self.streams.prints_to.take();
            let printed = self.own_shell(|walk| walk.statements(body));
            self.streams.prints_to = prints_to;
            self.state.write_file(&path, printed, false, true);
        }
        self.state.roll_back(mark);
        self.leave_level();
        Text::known(path)
    }

    /// Splits an unquoted value the way the shell would.
    fn split(&mut self, value: &Text, fields: &mut Fields) {
        let separators = self.separators();
        fields.current.inherit(value);
        for piece in &value.pieces {
            match piece {
                Piece::Known(known) => {
                    if separators.is_empty() {
                        push_globbed(&mut fields.current, known);
                        continue;
                    }
                    let is_blank = |character: char| matches!(character, ' ' | '\t' | '\n');
                    let mut rest = known.as_str();
                    loop {
                        let end = rest.find(|character| separators.contains(character));
                        let (field, after) = match end {
                            Some(at) => rest.split_at(at),
                            None => (rest, ""),
                        };
                        push_globbed(&mut fields.current, field);
                        let Some(separator) = after.chars().next() else { break };
                        let origin = fields.current.derive([]);
                        // A separator that is no blank ends a field even where there is nothing in it.
                        fields.quoted |= !is_blank(separator);
                        fields.finish();
                        fields.current = origin;
                        rest = after.get(separator.len_utf8()..).unwrap_or("");
                        if is_blank(separator) {
                            let blanks = |character: char| {
                                is_blank(character) && separators.contains(character)
                            };
                            rest = rest.trim_start_matches(blanks);
                            if let Some(next) = rest.chars().next()
                                && !is_blank(next)
                                && separators.contains(next)
                            {
                                rest = rest.get(next.len_utf8()..).unwrap_or("");
                            }
                        }
                    }
                }
                other => fields.current.push(other.clone()),
            }
        }
        if fields.current.pieces.is_empty() && !fields.quoted {
            fields.current = Text::default();
        }
    }

    fn separators(&self) -> String {
        match self.state.variable("IFS") {
            Some([super::state::Value::Scalar(text)]) => {
                text.as_known().unwrap_or(" \t\n").to_owned()
            }
            _ => " \t\n".to_owned(),
        }
    }

    /// Every list of parts that brace expansion makes of a word.
    fn braces(&mut self, parts: &[Part]) -> Vec<Vec<Part>> {
        if !parts
            .iter()
            .any(|part| matches!(part.kind, PartKind::Brace(_) | PartKind::BraceRange { .. }))
        {
            return vec![parts.to_vec()];
        }
        let mut words: Vec<Vec<Part>> = vec![Vec::new()];
        for part in parts {
            let alternatives: Vec<Vec<Part>> = match &part.kind {
                PartKind::Brace(alternatives) => {
                    alternatives.iter().flat_map(|inner| self.braces(inner)).collect()
                }
                PartKind::BraceRange { from, to, step } => range(from, to, step.as_deref())
                    .into_iter()
                    .map(|text| {
                        vec![Part { kind: PartKind::Literal(text.into()), span: part.span }]
                    })
                    .collect(),
                _ => vec![vec![part.clone()]],
            };
            if alternatives.len().saturating_mul(words.len()) > BRACE_WORDS {
                let unknown = Part { kind: PartKind::Unparsed, span: part.span };
                for word in &mut words {
                    word.push(unknown.clone());
                }
                self.gap(part.span, crate::effect::GapReason::Limit);
                continue;
            }
            words = words
                .iter()
                .flat_map(|word| {
                    alternatives.iter().map(|alternative| {
                        let mut whole = word.clone();
                        whole.extend(alternative.iter().cloned());
                        whole
                    })
                })
                .collect();
        }
        for word in &mut words {
            renamed(word);
            kept_first(word);
        }
        words
    }
}

/// Braces are expanded before tildes are read: `{~1,x}/y` is `~1/y x/y`.
fn kept_first(parts: &mut Vec<Part>) {
    let Some(Part { kind: PartKind::Literal(first), span }) = parts.first() else { return };
    let (first, span) = (first.clone(), *span);
    let Some(written) = first.strip_prefix('~') else { return };
    let (name, rest) = written.split_at(written.find('/').unwrap_or(written.len()));
    let goes_on = match parts.get(1) {
        None => false,
        Some(Part { kind: PartKind::Literal(next), .. }) => !next.starts_with('/'),
        Some(_) => true,
    };
    if !name.ends_with(|last: char| last.is_ascii_digit()) || rest.is_empty() && goes_on {
        return;
    }
    let rest = Part { kind: PartKind::Literal(rest.into()), span };
    let name = Part { kind: PartKind::Tilde(name.into()), span };
    parts.splice(0..1, [name, rest]);
}

/// Braces are expanded before variables are read: `$x{a,b}` is `$xa $xb`.
fn renamed(parts: &mut Vec<Part>) {
    let continues = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let mut index = 0;
    while index + 1 < parts.len() {
        let more = match (parts.get(index), parts.get(index + 1)) {
            (
                Some(Part { kind: PartKind::Parameter(parameter), span }),
                Some(Part { kind: PartKind::Literal(text), .. }),
            ) if span.range().len() == parameter.name.len() + 1
                && parameter
                    .name
                    .bytes()
                    .next()
                    .is_some_and(|first| continues(first) && !first.is_ascii_digit()) =>
            {
                text.bytes().take_while(|byte| continues(*byte)).count()
            }
            _ => 0,
        };
        if more > 0
            && let Some(Part { kind: PartKind::Literal(text), span }) =
                parts.get(index + 1).cloned()
            && let Some(Part { kind: PartKind::Parameter(parameter), .. }) = parts.get_mut(index)
            && let Some((name, rest)) = text.split_at_checked(more)
        {
            parameter.name = format!("{}{name}", parameter.name).into();
            if rest.is_empty() {
                parts.remove(index + 1);
            } else if let Some(next) = parts.get_mut(index + 1) {
                *next = Part { kind: PartKind::Literal(rest.into()), span };
            }
        }
        index += 1;
    }
}

/// Whether a command takes assignments as arguments, whose values stay whole.
fn takes_assignments(name: &Word) -> bool {
    matches!(name.parts.as_slice(), [Part { kind: PartKind::Literal(name), .. }]
        if matches!(&**name, "alias" | "declare" | "export" | "local" | "readonly" | "typeset"))
}

/// Whether a word is written as an assignment.
fn is_assignment(word: &Word) -> bool {
    let Some(Part { kind: PartKind::Literal(first), .. }) = word.parts.first() else {
        return false;
    };
    first.split_once('=').is_some_and(|(name, _)| {
        let name = name.strip_suffix('+').unwrap_or(name);
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    })
}

/// Joins texts with a separator between them.
pub(super) fn join(texts: &[Text], separator: &str) -> Text {
    let mut whole = Text::default();
    for (index, text) in texts.iter().enumerate() {
        if index > 0 {
            whole.push_known(separator);
        }
        whole.append(text);
    }
    whole
}

pub(super) fn without_trailing_newlines(mut text: Text) -> Text {
    if let Some(Piece::Known(last)) = text.pieces.last_mut() {
        let kept = last.trim_end_matches('\n').len();
        last.truncate(kept);
        if kept == 0 {
            text.pieces.pop();
        }
    }
    text
}

/// Known text from an expansion: an unquoted `*`, `?` or `[…]` in it is a glob again.
fn push_globbed(text: &mut Text, known: &str) {
    let mut rest = known;
    while let Some(at) = rest.find(['*', '?', '[']) {
        let (before, from) = rest.split_at(at);
        text.push_known(before);
        let length = if from.starts_with('[') {
            // A set holds at least one character, and none that ends the name.
            let set = from.get(1..).unwrap_or("");
            let end =
                set.char_indices().skip(1).find(|(_, character)| matches!(character, ']' | '/'));
            end.filter(|(_, character)| *character == ']').map(|(end, _)| end + 2)
        } else {
            Some(1)
        };
        let Some(length) = length else {
            text.push_known("[");
            rest = from.get(1..).unwrap_or("");
            continue;
        };
        let (glob, after) = from.split_at_checked(length).unwrap_or((from, ""));
        text.push(Piece::Glob(glob.to_owned()));
        rest = after;
    }
    text.push_known(rest);
}

fn range(from: &str, to: &str, step: Option<&str>) -> Vec<String> {
    let step = step.and_then(|step| step.parse::<i64>().ok()).unwrap_or(1).unsigned_abs().max(1);
    let step = usize::try_from(step).unwrap_or(1);
    if let (Ok(first), Ok(last)) = (from.parse::<i64>(), to.parse::<i64>()) {
        let width = if from.trim_start_matches('-').starts_with('0')
            || to.trim_start_matches('-').starts_with('0')
        {
            from.len().max(to.len())
        } else {
            0
        };
        let number = |value: i64| format!("{value:0width$}");
        return if first <= last {
            (first..=last).step_by(step).leading(BRACE_WORDS + 1).map(number).collect()
        } else {
            (last..=first).rev().step_by(step).leading(BRACE_WORDS + 1).map(number).collect()
        };
    }
    let (Some(first), Some(last)) = (from.chars().next(), to.chars().next()) else {
        return Vec::new();
    };
    let letters: Vec<char> =
        if first <= last { (first..=last).collect() } else { (last..=first).rev().collect() };
    letters.into_iter().step_by(step).leading(BRACE_WORDS + 1).map(String::from).collect()
}

/// Whether a variable's name says that it holds a key.
pub(super) fn named_secret(name: &str) -> Taint {
    const WORDS: &[&str] = &[
        "TOKEN",
        "SECRET",
        "PASSWORD",
        "PASSWD",
        "PASSPHRASE",
        "API_KEY",
        "APIKEY",
        "PRIVATE_KEY",
        "CREDENTIAL",
        "ACCESS_KEY",
    ];
    let upper = name.to_ascii_uppercase();
    let is_secret = WORDS.iter().any(|word| upper.contains(word))
        || crate::programs::secret_names::holds_login(&upper);
    if is_secret { Taint::SECRET } else { Taint::NONE }
}

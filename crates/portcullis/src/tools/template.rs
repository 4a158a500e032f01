//! Command lines with places for arguments: `["grep", ["-m", "{limit}"], "-e", "{pattern}", "{file}"]`. Owns what is put where: every
//! place is one word, whatever stands in its argument, and no shell reads it.

use serde_json::{Map, Value};

/// The most words of a command line.
const WORDS: usize = 1_000;

/// A command line with places for arguments.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Template {
    program: String,
    parts: Vec<Part>,
}

#[derive(Clone, Debug, Eq, PartialEq)]
enum Part {
    /// One word.
    Word(Vec<Piece>),
    /// Words that are left out where an argument in them is not given.
    Group(Vec<Vec<Piece>>),
}

#[derive(Clone, Debug, Eq, PartialEq)]
enum Piece {
    Text(String),
    Place(String),
}

/// Why a command line is none that can be used.
#[derive(Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TemplateError {
    /// It names no program.
    #[error("the command names no program")]
    NoProgram,
    /// The program is not one that is always the same.
    #[error("the program must be written out: it cannot be an argument")]
    NotFixed,
    /// The program would be another one in another directory.
    #[error("the program `{0}` must be a name, or a whole path")]
    Relative(String),
    /// A bracket is not closed, or a place has no name.
    #[error(
        "`{0}` has a place without a name, or a bracket that is not closed; write `{{{{` for a bracket"
    )]
    BadPlace(String),
    /// A place is not among the parameters.
    #[error("the command uses `{0}`, which is no parameter")]
    NoParameter(String),
    /// A group has no place.
    #[error("the words in brackets need an argument: `{0}`")]
    NeedlessGroup(String),
    /// It is neither a word nor a list of words.
    #[error("a word of the command is neither a text nor a list of texts")]
    NotAWord,
}

impl Template {
    /// Reads a command line whose places are among `parameters`.
    ///
    /// # Errors
    /// [`TemplateError`].
    pub fn read<'a>(
        written: &[Value],
        parameters: impl Iterator<Item = &'a str> + Clone,
    ) -> Result<Self, TemplateError> {
        let Some((program, rest)) = written.split_first() else {
            return Err(TemplateError::NoProgram);
        };
        let program = program
            .as_str()
            .filter(|program| !program.is_empty())
            .ok_or(TemplateError::NoProgram)?;
        let Ok([Piece::Text(program)]) = <[Piece; 1]>::try_from(pieces(program)?) else {
            return Err(TemplateError::NotFixed);
        };
        if program.contains('/') && !program.starts_with('/') {
            return Err(TemplateError::Relative(program));
        }
        let parts = rest
            .iter()
            .map(|part| match part {
                Value::String(word) => Ok(Part::Word(pieces(word)?)),
                Value::Array(words) => {
                    let words = words
                        .iter()
                        .map(|word| pieces(word.as_str().ok_or(TemplateError::NotAWord)?));
                    let words = words.collect::<Result<Vec<_>, _>>()?;
                    if !words.iter().flatten().any(|piece| matches!(piece, Piece::Place(_))) {
                        return Err(TemplateError::NeedlessGroup(part.to_string()));
                    }
                    Ok(Part::Group(words))
                }
                _ => Err(TemplateError::NotAWord),
            })
            .collect::<Result<Vec<_>, _>>()?;
        let template = Self { program, parts };
        let unknown =
            template.places().find(|place| !parameters.clone().any(|name| name == *place));
        if let Some(place) = unknown {
            return Err(TemplateError::NoParameter(place.to_owned()));
        }
        Ok(template)
    }

    /// The program.
    #[must_use]
    pub fn program(&self) -> &str {
        &self.program
    }

    /// The parameters that are used.
    pub fn places(&self) -> impl Iterator<Item = &str> {
        let words = self.parts.iter().flat_map(|part| match part {
            Part::Word(pieces) => std::slice::from_ref(pieces),
            Part::Group(words) => words.as_slice(),
        });
        words.flatten().filter_map(|piece| match piece {
            Piece::Place(name) => Some(name.as_str()),
            Piece::Text(_) => None,
        })
    }

    /// The arguments that a program would read as an option if they began with `-`, or as a file of arguments if they began with `@`: those
    /// that begin a word. Behind an option (`--data={text}`) only the latter is read so.
    #[must_use]
    pub fn begun(&self, arguments: &Map<String, Value>) -> Vec<(&str, String)> {
        let mut begun = Vec::new();
        let words = self.parts.iter().flat_map(|part| match part {
            Part::Word(pieces) => std::slice::from_ref(pieces),
            Part::Group(words) => words.as_slice(),
        });
        for pieces in words {
            if let [Piece::Place(name)] = pieces.as_slice() {
                let Some(argument) = arguments.get(name) else { continue };
                let list =
                    argument.as_array().map_or(std::slice::from_ref(argument), Vec::as_slice);
                begun.extend(list.iter().filter_map(text).map(|text| (name.as_str(), text)));
                continue;
            }
            let mut word = String::new();
            for piece in pieces {
                match piece {
                    Piece::Text(text) => word.push_str(text),
                    Piece::Place(name) => {
                        let text = arguments.get(name).and_then(text).unwrap_or_default();
                        let names_file =
                            text.starts_with('@') && (word.starts_with('-') || word.ends_with('='));
                        // What is empty begins nothing: the next one does.
                        if word.is_empty() || names_file {
                            begun.push((name.as_str(), text.clone()));
                        }
                        word.push_str(&text);
                    }
                }
            }
        }
        begun
    }

    /// The words, the program first. A list that stands alone is as many words; anything else is one.
    ///
    /// # Errors
    /// The name of an argument that is needed and not there, or that cannot stand where it should.
    pub fn words(&self, arguments: &Map<String, Value>) -> Result<Vec<String>, String> {
        let mut words = vec![self.program.clone()];
        for part in &self.parts {
            match part {
                Part::Word(pieces) => fill(pieces, arguments, &mut words)?,
                Part::Group(group) => {
                    let needed = group.iter().flatten().filter_map(|piece| match piece {
                        Piece::Place(name) => Some(name),
                        Piece::Text(_) => None,
                    });
                    let is_given = |name: &String| {
                        arguments
                            .get(name)
                            .is_some_and(|value| !matches!(value, Value::Null | Value::Bool(false)))
                    };
                    if needed.clone().all(is_given) {
                        for pieces in group {
                            fill(pieces, arguments, &mut words)?;
                        }
                    }
                }
            }
            if words.len() > WORDS {
                return Err("the command line would be too long".to_owned());
            }
        }
        Ok(words)
    }
}

fn fill(
    pieces: &[Piece],
    arguments: &Map<String, Value>,
    words: &mut Vec<String>,
) -> Result<(), String> {
    let value = |name: &String| arguments.get(name).ok_or_else(|| format!("`{name}` is missing"));
    if let [Piece::Place(name)] = pieces {
        match value(name)? {
            Value::Array(list) => {
                for one in list {
                    words.push(text(one).ok_or_else(|| format!("`{name}` holds more than words"))?);
                }
                return Ok(());
            }
            // `["--verbose", "{verbose}"]`: the option says it.
            Value::Bool(true) => return Ok(()),
            _ => {}
        }
    }
    let mut word = String::new();
    for piece in pieces {
        match piece {
            Piece::Text(text) => word.push_str(text),
            Piece::Place(name) => {
                let text = text(value(name)?);
                word.push_str(&text.ok_or_else(|| format!("`{name}` is more than a word"))?);
            }
        }
    }
    words.push(word);
    Ok(())
}

fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(value) => Some(value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

fn pieces(word: &str) -> Result<Vec<Piece>, TemplateError> {
    let bad = || TemplateError::BadPlace(word.to_owned());
    let (mut list, mut plain) = (Vec::new(), String::new());
    let mut rest = word;
    while let Some(at) = rest.find(['{', '}']) {
        let (before, behind) = rest.split_at(at);
        plain.push_str(before);
        if let Some(behind) = behind.strip_prefix("{{") {
            plain.push('{');
            rest = behind;
        } else if let Some(behind) = behind.strip_prefix("}}") {
            plain.push('}');
            rest = behind;
        } else {
            let inner = behind.strip_prefix('{').ok_or_else(bad)?;
            let (name, behind) = inner.split_once('}').ok_or_else(bad)?;
            let is_name = !name.is_empty()
                && name.chars().all(|letter| letter.is_alphanumeric() || "_-".contains(letter));
            if !is_name {
                return Err(bad());
            }
            if !plain.is_empty() {
                list.push(Piece::Text(std::mem::take(&mut plain)));
            }
            list.push(Piece::Place(name.to_owned()));
            rest = behind;
        }
    }
    plain.push_str(rest);
    if !plain.is_empty() || list.is_empty() {
        list.push(Piece::Text(plain));
    }
    Ok(list)
}

//! The fields of a table in a configuration of gitleaks. Owns their names, in any case as gitleaks takes them, their types, and what is
//! said about others.

use toml::{Table, Value};

use super::GitleaksError;

/// A table whose fields are taken out one by one; what is left is unknown.
pub(super) struct Fields {
    /// What it is called in messages.
    place: String,
    table: Table,
    /// The names that were asked for.
    known: Vec<&'static str>,
}

impl Fields {
    pub(super) fn new(place: impl Into<String>, table: Table) -> Self {
        let table = table.into_iter().map(|(name, value)| (name.to_ascii_lowercase(), value));
        Self { place: place.into(), table: table.collect(), known: Vec::new() }
    }

    fn take(&mut self, name: &'static str) -> Option<Value> {
        self.known.push(name);
        self.table.remove(&name.to_ascii_lowercase())
    }

    fn wrong(&self, name: &str, expected: &'static str) -> GitleaksError {
        GitleaksError::Type { place: self.place.clone(), name: name.to_owned(), expected }
    }

    pub(super) fn text(&mut self, name: &'static str) -> Result<Option<String>, GitleaksError> {
        match self.take(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(self.wrong(name, "a string")),
        }
    }

    pub(super) fn truth(&mut self, name: &'static str) -> Result<bool, GitleaksError> {
        match self.take(name) {
            None => Ok(false),
            Some(Value::Boolean(truth)) => Ok(truth),
            Some(_) => Err(self.wrong(name, "true or false")),
        }
    }

    pub(super) fn count(&mut self, name: &'static str) -> Result<Option<usize>, GitleaksError> {
        match self.take(name) {
            None => Ok(None),
            Some(Value::Integer(number)) => match usize::try_from(number) {
                Ok(number) => Ok(Some(number)),
                Err(_) => Err(self.wrong(name, "a number from 0")),
            },
            Some(_) => Err(self.wrong(name, "a whole number")),
        }
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        reason = "entropy has eight bits at most"
    )]
    pub(super) fn number(&mut self, name: &'static str) -> Result<Option<f32>, GitleaksError> {
        match self.take(name) {
            None => Ok(None),
            Some(Value::Float(number)) if number.is_finite() => Ok(Some(number as f32)),
            Some(Value::Integer(number)) => Ok(Some(number as f32)),
            Some(_) => Err(self.wrong(name, "a number")),
        }
    }

    pub(super) fn texts(&mut self, name: &'static str) -> Result<Vec<String>, GitleaksError> {
        let Some(value) = self.take(name) else { return Ok(Vec::new()) };
        let Value::Array(values) = value else { return Err(self.wrong(name, "a list of strings")) };
        let texts = values.into_iter().map(|value| match value {
            Value::String(text) => Ok(text),
            _ => Err(self.wrong(name, "a list of strings")),
        });
        texts.collect()
    }

    pub(super) fn table(&mut self, name: &'static str) -> Result<Option<Fields>, GitleaksError> {
        match self.take(name) {
            None => Ok(None),
            Some(Value::Table(table)) => Ok(Some(Self::new(name, table))),
            Some(_) => Err(self.wrong(name, "a table")),
        }
    }

    /// An array of tables. One alone is taken for an array of one, as older configurations have it.
    pub(super) fn tables(&mut self, name: &'static str) -> Result<Vec<Fields>, GitleaksError> {
        let values = match self.take(name) {
            None => return Ok(Vec::new()),
            Some(table @ Value::Table(_)) => vec![table],
            Some(Value::Array(values)) => values,
            Some(_) => return Err(self.wrong(name, "an array of tables")),
        };
        let tables = values.into_iter().enumerate().map(|(at, value)| match value {
            Value::Table(table) => {
                let above =
                    if self.place.is_empty() { String::new() } else { format!("{}.", self.place) };
                Ok(Self::new(format!("{above}{name}[{at}]"), table))
            }
            _ => Err(self.wrong(name, "an array of tables")),
        });
        tables.collect()
    }

    /// Ends the table: nothing may be left in it.
    pub(super) fn end(self) -> Result<(), GitleaksError> {
        let Some(name) = self.table.keys().next() else { return Ok(()) };
        let nearest = self
            .known
            .iter()
            .map(|known| (distance(name, &known.to_ascii_lowercase()), *known))
            .min()
            .filter(|(distance, known)| *distance * 2 <= known.len().max(name.len()));
        Err(GitleaksError::Unknown {
            place: self.place,
            name: name.clone(),
            nearest: nearest.map(|(_, known)| known),
        })
    }

    pub(super) fn place(&self) -> &str {
        &self.place
    }

    /// Calls the table by a name of its own from here on.
    pub(super) fn call(&mut self, place: String) {
        self.place = place;
    }
}

/// How many letters must be put in, taken out or changed to make one word of the other.
fn distance(one: &str, other: &str) -> usize {
    const LONGEST: usize = 64;
    let other: Vec<char> = other.chars().take(LONGEST).collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (line, letter) in one.chars().take(LONGEST).enumerate() {
        let mut last = line + 1;
        let mut next = vec![last];
        for (own, pair) in other.iter().zip(row.windows(2)) {
            let (diagonal, above) = match pair {
                [diagonal, above] => (*diagonal, *above),
                _ => break,
            };
            last = (diagonal + usize::from(*own != letter)).min(above + 1).min(last + 1);
            next.push(last);
        }
        row = next;
    }
    row.last().copied().unwrap_or(0)
}

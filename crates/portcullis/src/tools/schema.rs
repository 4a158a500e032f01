//! What a tool takes, as a JSON Schema. Owns that unknown fields are refused at every depth, that nothing is fetched, and what is said
//! about arguments that do not fit; the schema itself is evaluated by a library.

use jsonschema::{Draft, PatternOptions, Validator};
use serde_json::{Map, Value, json};

/// The most bytes of a schema.
const LONGEST: usize = 256 << 10;

/// How deep a schema may be.
const DEPTH: usize = 64;

/// The most errors that are told at once.
const TOLD: usize = 5;

/// The most bytes of all arguments of a call.
const ARGUMENTS: usize = 1 << 20;

/// What a tool takes.
#[derive(Clone, Debug)]
pub struct Schema {
    document: Value,
    validator: std::sync::Arc<Validator>,
}

/// Why a schema is none that can be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SchemaError {
    /// It does not say that arguments are an object with named properties.
    #[error("it must be of the type `object` and name its `properties`")]
    NotAnObject,
    /// It lets unknown fields through.
    #[error("`{0}` lets fields through that it does not name")]
    Open(String),
    /// It refers to a schema elsewhere.
    #[error("`{0}` refers to a schema elsewhere: nothing is fetched")]
    Remote(String),
    /// It is too long or too deep.
    #[error("it is too long or too deep")]
    TooMuch,
    /// The library does not take it.
    #[error("{0}")]
    Malformed(String),
}

impl Schema {
    /// A schema. Objects that name their properties have no others, unless they say what those are.
    ///
    /// # Errors
    /// [`SchemaError`].
    pub fn new(mut document: Value) -> Result<Self, SchemaError> {
        let is_object = document.get("type") == Some(&json!("object"));
        if !is_object || !document.get("properties").is_some_and(Value::is_object) {
            return Err(SchemaError::NotAnObject);
        }
        if document.to_string().len() > LONGEST {
            return Err(SchemaError::TooMuch);
        }
        close(&mut document, "", 0, true)?;
        let validator = jsonschema::options()
            .with_draft(Draft::Draft202012)
            .with_pattern_options(PatternOptions::regex())
            .build(&document)
            .map_err(|error| SchemaError::Malformed(error.to_string()))?;
        Ok(Self { document, validator: std::sync::Arc::new(validator) })
    }

    /// The schema, as it is used and as agents are told.
    #[must_use]
    pub const fn document(&self) -> &Value {
        &self.document
    }

    /// The names of the properties.
    pub fn names(&self) -> impl Iterator<Item = &str> + Clone {
        self.properties().into_iter().flat_map(Map::keys).map(String::as_str)
    }

    /// What one property is.
    #[must_use]
    pub fn property(&self, name: &str) -> &Value {
        self.properties().and_then(|properties| properties.get(name)).unwrap_or(&Value::Null)
    }

    fn properties(&self) -> Option<&Map<String, Value>> {
        self.document.get("properties").and_then(Value::as_object)
    }

    /// What is wrong with arguments, each with where. Values are not repeated.
    ///
    /// # Errors
    /// A list with something in it.
    pub fn check(&self, arguments: &Map<String, Value>) -> Result<(), Vec<String>> {
        let arguments = Value::Object(arguments.clone());
        if arguments.to_string().len() > ARGUMENTS {
            return Err(vec!["the arguments are too long".to_owned()]);
        }
        let told = |error: jsonschema::ValidationError<'_>| {
            let place = error.instance_path().to_string();
            let what = error.masked_with("the value").to_string();
            if place.is_empty() { what } else { format!("{place}: {what}") }
        };
        let wrong: Vec<String> =
            self.validator.iter_errors(&arguments).take(TOLD).map(told).collect();
        if wrong.is_empty() { Ok(()) } else { Err(wrong) }
    }
}

/// Closes every object that names its properties, and finds what leads elsewhere. Within the branches of a choice the whole is closed
/// instead, because each branch names only a part.
fn close(schema: &mut Value, at: &str, depth: usize, closes: bool) -> Result<(), SchemaError> {
    if depth > DEPTH {
        return Err(SchemaError::TooMuch);
    }
    let Value::Object(table) = schema else { return Ok(()) };
    for key in ["$ref", "$dynamicRef", "$recursiveRef"] {
        if let Some(reference) = table.get(key)
            && !reference.as_str().is_some_and(|to| to.starts_with('#'))
        {
            return Err(SchemaError::Remote(format!("{at}/{key}")));
        }
    }
    if table.contains_key("$id") || table.get("$schema").is_some_and(|schema| !is_known(schema)) {
        return Err(SchemaError::Remote(format!("{at}/$id")));
    }
    const BRANCHES: [&str; 3] = ["allOf", "anyOf", "oneOf"];
    let branches = BRANCHES.iter().any(|key| table.contains_key(*key)) || table.contains_key("if");
    let names = table.contains_key("properties") || table.contains_key("patternProperties");
    let is_object = names || table.get("type") == Some(&json!("object"));
    for key in ["additionalProperties", "unevaluatedProperties"] {
        if is_object && table.get(key) == Some(&Value::Bool(true)) {
            return Err(SchemaError::Open(format!("{at}/{key}")));
        }
    }
    if is_object && closes {
        let key = if branches { "unevaluatedProperties" } else { "additionalProperties" };
        table.entry(key).or_insert(Value::Bool(false));
    }
    for (key, inner) in table.iter_mut() {
        let at = format!("{at}/{key}");
        match (key.as_str(), inner) {
            (
                "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas",
                Value::Object(inner),
            ) => {
                for (name, schema) in inner {
                    close(schema, &format!("{at}/{name}"), depth + 1, true)?;
                }
            }
            (
                "items"
                | "additionalProperties"
                | "contains"
                | "unevaluatedProperties"
                | "unevaluatedItems",
                inner,
            ) => {
                close(inner, &at, depth + 1, true)?;
            }
            ("prefixItems", Value::Array(list)) => {
                for schema in list {
                    close(schema, &at, depth + 1, true)?;
                }
            }
            ("allOf" | "anyOf" | "oneOf", Value::Array(list)) => {
                for schema in list {
                    // A branch of a property that is an object by itself is whole.
                    close(schema, &at, depth + 1, !is_object)?;
                }
            }
            ("not" | "if" | "then" | "else" | "propertyNames", inner) => {
                close(inner, &at, depth + 1, false)?
            }
            _ => {}
        }
    }
    Ok(())
}

fn is_known(schema: &Value) -> bool {
    schema.as_str().is_some_and(|schema| schema.contains("json-schema.org/"))
}

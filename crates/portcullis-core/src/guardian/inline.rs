//! What an agent's own model says of the risk of its call. Owns how it is asked for in the schemas of tools and taken out of the
//! arguments again; that it can only raise a risk, the analyzer for declared risks sees to.
//!
//! The fields are those of OpenHands: `security_risk` for every tool that is not known to only read, and `summary` for every tool
//! that has none of its own. Both stand before the tool's own parameters, so that an answer that is cut off does not lose them.

use serde_json::{Map, Value};

use super::json::Json;
use crate::risk::Risk;

pub use crate::call::RISK_NAMES;

/// The field for what the call does, in a few words.
pub const SUMMARY_NAME: &str = "summary";

const RISK_WORDS: [&str; 4] = ["UNKNOWN", "LOW", "MEDIUM", "HIGH"];

const RISK_HELP: &str = "How risky this call is. LOW: it only reads, or shows something. MEDIUM: it changes files or state \
of this project. HIGH: it reaches outside, cannot be undone, touches credentials or the system, or sends private data away. UNKNOWN: \
you cannot tell.";

const SUMMARY_HELP: &str = "What this call does, in about ten words.";

/// How the fields are put into a schema.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Insertion {
    /// Whether the risk is required, as the document says. Where it is not, a missing one is unknown all the same.
    pub required: bool,
}

impl Default for Insertion {
    fn default() -> Self {
        Self { required: true }
    }
}

/// Why a tool's schema cannot take the fields.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SchemaError {
    /// It is no definition of a tool in any of the shapes that we know.
    #[error("this is no definition of a tool: {0}")]
    NotATool(&'static str),
    /// The tool has a parameter of that name itself, which would be taken away from it.
    #[error("the tool has a parameter `{0}` of its own")]
    Taken(&'static str),
}

/// The definition of a tool with the fields in its schema, in the shape that it came in: OpenAI's chat (`function.parameters`) and responses
/// (`parameters`), Anthropic's (`input_schema`), and MCP's (`inputSchema`, with `annotations.readOnlyHint`).
///
/// # Errors
/// [`SchemaError`]; a tool that cannot be asked about must not be offered as if it could.
///
/// ```
/// use portcullis_core::guardian::{Json, inline::{Insertion, insert}};
///
/// let tool = r#"{"name":"bash","input_schema":{"type":"object","properties":{"command":{"type":"string"}}}}"#;
/// let tool = insert(Json::parse(tool).unwrap(), Insertion::default()).unwrap().to_string();
/// let place = |name: &str| tool.find(name).unwrap();
/// assert!(place("\"security_risk\":") < place("\"summary\":"));
/// assert!(place("\"summary\":") < place("\"command\":"));
/// ```
pub fn insert(mut tool: Json, options: Insertion) -> Result<Json, SchemaError> {
    let reads_only = tool.get("annotations").and_then(|hints| hints.get("readOnlyHint"))
        == Some(&Json::Bool(true));
    let schema = schema_of(&mut tool)?;
    put(schema, reads_only, options)?;
    Ok(tool)
}

fn schema_of(tool: &mut Json) -> Result<&mut Json, SchemaError> {
    if !matches!(tool, Json::Object(_)) {
        return Err(SchemaError::NotATool("it is not an object"));
    }
    let is_chat = tool.get("function").is_some();
    let Json::Object(members) = tool else {
        return Err(SchemaError::NotATool("it is not an object"));
    };
    if is_chat {
        let function = members.iter_mut().find(|(name, _)| name == "function");
        return match function {
            Some((_, inner @ Json::Object(_))) if inner.get("function").is_none() => {
                schema_of(inner)
            }
            _ => Err(SchemaError::NotATool("`function` is not a function")),
        };
    }
    let names = ["parameters", "input_schema", "inputSchema"];
    let found = members.iter().filter(|(name, _)| names.contains(&name.as_str())).count();
    match found {
        0 => {
            // A tool without parameters.
            let has_name = members.iter().any(|(name, _)| name == "name");
            if !has_name {
                return Err(SchemaError::NotATool("it has neither a name nor a schema"));
            }
            members.push(("parameters".to_owned(), Json::Object(Vec::new())));
        }
        1 => {}
        _ => return Err(SchemaError::NotATool("it has several schemas")),
    }
    members
        .iter_mut()
        .find(|(name, _)| names.contains(&name.as_str()))
        .map(|(_, schema)| schema)
        .ok_or(SchemaError::NotATool("it has no schema"))
}

/// Puts the fields into a schema of parameters.
fn put(schema: &mut Json, reads_only: bool, options: Insertion) -> Result<(), SchemaError> {
    if matches!(schema, Json::Null) {
        *schema = Json::Object(Vec::new());
    }
    let Json::Object(members) = schema else {
        return Err(SchemaError::NotATool("its schema is not an object"));
    };
    let text = |text: &str| Json::Text(text.to_owned());
    if !members.iter().any(|(name, _)| name == "type") {
        members.insert(0, ("type".to_owned(), text("object")));
    }
    if !members.iter().any(|(name, _)| name == "properties") {
        members.push(("properties".to_owned(), Json::Object(Vec::new())));
    }
    let properties = members.iter_mut().find(|(name, _)| name == "properties");
    let Some((_, Json::Object(properties))) = properties else {
        return Err(SchemaError::NotATool("its `properties` are not an object"));
    };
    for name in RISK_NAMES {
        if properties.iter().any(|(own, _)| own == name) {
            return Err(SchemaError::Taken(name));
        }
    }
    let mut first: Vec<(String, Json)> = Vec::new();
    let object = |members: Vec<(&str, Json)>| {
        Json::Object(members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
    };
    if !reads_only {
        let words = Json::List(RISK_WORDS.into_iter().map(text).collect());
        let field = object(vec![
            ("type", text("string")),
            ("description", text(RISK_HELP)),
            ("enum", words),
        ]);
        first.push(("security_risk".to_owned(), field));
    }
    if !properties.iter().any(|(own, _)| own == SUMMARY_NAME) {
        let field = object(vec![("type", text("string")), ("description", text(SUMMARY_HELP))]);
        first.push((SUMMARY_NAME.to_owned(), field));
    }
    properties.splice(0..0, first);
    if reads_only || !options.required {
        return Ok(());
    }
    match members.iter_mut().find(|(name, _)| name == "required") {
        Some((_, Json::List(required))) => required.insert(0, text("security_risk")),
        Some(_) => return Err(SchemaError::NotATool("its `required` is not a list")),
        None => members.push(("required".to_owned(), Json::List(vec![text("security_risk")]))),
    }
    Ok(())
}

/// What is known of a tool when its arguments come back.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Extraction {
    /// Whether the tool is known to only read: it was not asked for a risk.
    pub reads_only: bool,
    /// Whether anybody wants to know the risk. Where nobody does, the value is taken out and not looked at.
    pub is_wanted: bool,
    /// Whether `summary` is a parameter of the tool itself, which keeps it.
    pub owns_summary: bool,
}

/// What an agent's model said about its call.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Said {
    /// The risk; unknown where it said none.
    pub risk: Risk,
    /// What the call does.
    pub summary: Option<String>,
}

/// A risk that is none. For the model, which can then call again: it names the tool and its parameters and no value.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error(
    "`security_risk` of `{tool}` must be one of UNKNOWN, LOW, MEDIUM, HIGH; the call was not carried out (parameters: {})",
    .parameters.join(", ")
)]
pub struct InvalidRisk {
    /// The tool.
    pub tool: String,
    /// The names of the parameters that came with it.
    pub parameters: Vec<String>,
}

/// Takes what the model said about its call out of the arguments. The fields are gone afterwards, whatever they held, and so are
/// parameters without a value.
///
/// # Errors
/// [`InvalidRisk`] where the risk is something else than one of the four words.
pub fn extract(
    tool: &str,
    arguments: &mut Map<String, Value>,
    options: Extraction,
) -> Result<Said, InvalidRisk> {
    // Without an order of keys the right spelling comes first.
    let mut claims: Vec<Value> =
        RISK_NAMES.iter().filter_map(|name| arguments.remove(*name)).collect();
    let summary = if options.owns_summary { None } else { arguments.remove(SUMMARY_NAME) };
    arguments.retain(|_, value| !value.is_null());
    claims.retain(|claim| !claim.is_null());
    let summary = summary.and_then(|summary| summary.as_str().map(str::to_owned));
    if options.reads_only || !options.is_wanted {
        return Ok(Said { risk: Risk::Unknown, summary });
    }
    let mut risk = None;
    for claim in &claims {
        let word = claim.as_str().filter(|word| RISK_WORDS.contains(word));
        let Some(found) = word.and_then(|word| word.parse::<Risk>().ok()) else {
            let parameters = arguments.keys().cloned().collect();
            return Err(InvalidRisk { tool: tool.to_owned(), parameters });
        };
        risk = Some(match risk {
            None => found,
            Some(other) if other == found => found,
            // Two claims that differ claim nothing.
            Some(_) => Risk::Unknown,
        });
    }
    Ok(Said { risk: risk.unwrap_or(Risk::Unknown), summary })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn inserted(tool: &str) -> String {
        insert(Json::parse(tool).unwrap(), Insertion::default()).unwrap().to_string()
    }

    #[test]
    fn the_fields_come_first_in_the_schema_of_every_shape() {
        let parameters = r#"{"type":"object","properties":{"b":{"type":"string"},"a":{"type":"integer"}},"required":["b"]}"#;
        for tool in [
            format!(r#"{{"type":"function","function":{{"name":"t","parameters":{parameters}}}}}"#),
            format!(r#"{{"type":"function","name":"t","parameters":{parameters}}}"#),
            format!(r#"{{"name":"t","input_schema":{parameters}}}"#),
            format!(
                r#"{{"name":"t","inputSchema":{parameters},"annotations":{{"destructiveHint":true}}}}"#
            ),
        ] {
            let text = inserted(&tool);
            let places: Vec<usize> = ["\"security_risk\":{", "\"summary\":{", "\"b\":{", "\"a\":{"]
                .iter()
                .map(|name| text.find(name).unwrap_or_else(|| panic!("{name} in {text}")))
                .collect();
            assert!(places.is_sorted(), "{text}");
            assert!(text.contains(r#""required":["security_risk","b"]"#), "{text}");
            assert!(text.contains(r#""enum":["UNKNOWN","LOW","MEDIUM","HIGH"]"#), "{text}");
            // Everything else is as it was.
            let rest = tool.split(parameters).next().unwrap();
            assert!(text.starts_with(rest), "{text}");
        }
    }

    #[test]
    fn a_tool_that_only_reads_is_asked_for_a_summary_alone() {
        let text = inserted(
            r#"{"name":"t","inputSchema":{"properties":{"q":{}}},"annotations":{"readOnlyHint":true}}"#,
        );
        assert!(!text.contains("security_risk") && text.contains("\"summary\""), "{text}");
        // A hint that is no boolean is none.
        let text =
            inserted(r#"{"name":"t","inputSchema":{},"annotations":{"readOnlyHint":"true"}}"#);
        assert!(text.contains("security_risk"), "{text}");
        let text = inserted(r#"{"name":"t"}"#);
        assert!(text.contains("\"parameters\":{\"type\":\"object\""), "{text}");
    }

    #[test]
    fn a_tools_own_summary_stays_and_its_own_risk_is_an_error() {
        let own = r#"{"name":"t","parameters":{"properties":{"summary":{"type":"integer"}}}}"#;
        let text = inserted(own);
        assert_eq!(text.matches("\"summary\":").count(), 1, "{text}");
        for name in RISK_NAMES {
            let tool = format!(r#"{{"name":"t","parameters":{{"properties":{{"{name}":{{}}}}}}}}"#);
            let error = insert(Json::parse(&tool).unwrap(), Insertion::default());
            assert_eq!(error, Err(SchemaError::Taken(name)));
        }
        for tool in [
            "[]",
            "7",
            "{}",
            r#"{"function":7}"#,
            r#"{"function":{"function":{}}}"#,
            r#"{"name":"t","parameters":7}"#,
            r#"{"name":"t","parameters":{"properties":[]}}"#,
            r#"{"name":"t","parameters":{},"inputSchema":{}}"#,
            r#"{"name":"t","parameters":{"required":"b"}}"#,
        ] {
            assert!(insert(Json::parse(tool).unwrap(), Insertion::default()).is_err(), "{tool}");
        }
    }

    #[test]
    fn what_the_model_says_is_always_taken_out() {
        let plain = Extraction { reads_only: false, is_wanted: true, owns_summary: false };
        let reads = Extraction { reads_only: true, ..plain };
        let unwanted = Extraction { is_wanted: false, ..plain };
        for (arguments, options, risk) in [
            (json!({"security_risk": "LOW"}), plain, Ok(Risk::Low)),
            (json!({"security_risk": "MEDIUM"}), plain, Ok(Risk::Medium)),
            (json!({"security_risk": "HIGH"}), plain, Ok(Risk::High)),
            (json!({"security_risk": "UNKNOWN"}), plain, Ok(Risk::Unknown)),
            (json!({"security_rort": "HIGH"}), plain, Ok(Risk::High)),
            (json!({"securtiy_risk": "HIGH"}), plain, Ok(Risk::High)),
            (json!({"security_riks": "HIGH"}), plain, Ok(Risk::High)),
            (json!({"security_risk": "LOW", "security_riks": "HIGH"}), plain, Ok(Risk::Unknown)),
            (json!({"security_risk": null}), plain, Ok(Risk::Unknown)),
            (json!({}), plain, Ok(Risk::Unknown)),
            (json!({"security_risk": "HIGH"}), reads, Ok(Risk::Unknown)),
            (json!({"security_risk": "nonsense"}), reads, Ok(Risk::Unknown)),
            (json!({"security_risk": 7}), unwanted, Ok(Risk::Unknown)),
            (json!({"security_risk": "low"}), plain, Err(())),
            (json!({"security_risk": "CRITICAL"}), plain, Err(())),
            (json!({"security_risk": ""}), plain, Err(())),
            (json!({"security_risk": 1}), plain, Err(())),
            (json!({"security_risk": ["LOW"]}), plain, Err(())),
            (json!({"security_risk": {"risk": "LOW"}}), plain, Err(())),
        ] {
            let Value::Object(mut all) = arguments.clone() else { panic!("an object") };
            all.insert("command".into(), "ls hunter2".into());
            all.insert("summary".into(), "lists".into());
            all.insert("empty".into(), Value::Null);
            let said = extract("bash", &mut all, options);
            assert_eq!(all.keys().collect::<Vec<_>>(), ["command"], "{arguments}");
            match (said, risk) {
                (Ok(said), Ok(risk)) => {
                    assert_eq!(said, Said { risk, summary: Some("lists".into()) }, "{arguments}");
                }
                (Err(error), Err(())) => {
                    let words = error.to_string();
                    assert!(words.contains("`bash`") && words.contains("command"), "{words}");
                    assert!(!words.contains("hunter2"), "{words}");
                }
                (said, _) => panic!("{arguments}: {said:?}"),
            }
        }
    }

    #[test]
    fn a_tool_keeps_its_own_summary() {
        let Value::Object(mut arguments) =
            json!({"summary": "of the issue", "security_risk": "LOW"})
        else {
            panic!("an object");
        };
        let options = Extraction { reads_only: false, is_wanted: true, owns_summary: true };
        let said = extract("create_issue", &mut arguments, options).unwrap();
        assert_eq!(said, Said { risk: Risk::Low, summary: None });
        assert_eq!(arguments["summary"], "of the issue");
    }
}

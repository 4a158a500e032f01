//! The schema of the answers, as it is published. Owns the words that the core's own types have on the wire, and that the
//! published file says what the code does.

use portcullis_core::{
    decision::{Layer, Obligation, Verdict},
    finding::{Category, Confidence},
    risk::{Risk, Severity},
};
use schemars::{Schema, SchemaGenerator, json_schema};
use serde::Serialize;
use serde_json::Value;

use super::VERSION;

pub(super) fn version(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "const": VERSION })
}

pub(super) fn id(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": ["string", "number", "null"] })
}

pub(super) fn span(_: &mut SchemaGenerator) -> Schema {
    let offset = json_schema!({ "type": "integer", "minimum": 0 });
    json_schema!({ "type": "array", "items": offset, "minItems": 2, "maxItems": 2 })
}

pub(super) fn risk(_: &mut SchemaGenerator) -> Schema {
    words(&Risk::ALL)
}

pub(super) fn severity(_: &mut SchemaGenerator) -> Schema {
    words(&Severity::ALL)
}

pub(super) fn confidence(_: &mut SchemaGenerator) -> Schema {
    words(&[Confidence::Low, Confidence::Medium, Confidence::High])
}

pub(super) fn decision(_: &mut SchemaGenerator) -> Schema {
    words(&[Verdict::Allow, Verdict::Ask, Verdict::Deny])
}

pub(super) fn layer(_: &mut SchemaGenerator) -> Schema {
    words(&[
        Layer::DenyRule,
        Layer::Floor,
        Layer::AskRule,
        Layer::AllowRule,
        Layer::Mode,
        Layer::Confirmation,
        Layer::Monitor,
        Layer::Guardian,
        Layer::Person,
    ])
}

pub(super) fn obligations(_: &mut SchemaGenerator) -> Schema {
    let one = words(&[Obligation::RedactOutput, Obligation::ReadOnly]);
    json_schema!({ "type": "array", "items": one })
}

pub(super) fn category(_: &mut SchemaGenerator) -> Schema {
    words(&[
        Category::Destruction,
        Category::Execution,
        Category::NetworkShell,
        Category::Exfiltration,
        Category::Credentials,
        Category::Persistence,
        Category::Privilege,
        Category::Permission,
        Category::System,
        Category::Evasion,
        Category::SelfProtection,
        Category::SupplyChain,
        Category::Injection,
        Category::Change,
        Category::Unclear,
    ])
}

fn words(values: &[impl Serialize]) -> Schema {
    let words: Vec<Value> =
        values.iter().filter_map(|value| serde_json::to_value(value).ok()).collect();
    json_schema!({ "type": "string", "enum": words })
}

#[cfg(test)]
mod tests {
    use std::{env, fs, path::Path};

    use schemars::generate::SchemaSettings;

    use super::super::{Answer, ErrorAnswer};
    use super::*;

    /// What `check --json` and each line of `check --jsonl` is. Run the test with `UPDATE_SCHEMAS=1` after a change.
    #[test]
    fn the_published_schema_is_the_one_of_the_code() {
        let mut generator = SchemaSettings::default().for_serialize().into_generator();
        let answer = generator.subschema_for::<Answer<'_>>();
        let error = generator.subschema_for::<ErrorAnswer<'_>>();
        let schema = json_schema!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": "Answer of portcullis check",
            "anyOf": [answer, error],
            "$defs": generator.take_definitions(true),
        });
        let written = format!("{:#}\n", schema.to_value());
        let path =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/answer.schema.json");
        if env::var_os("UPDATE_SCHEMAS").is_some() {
            assert!(fs::write(&path, &written).is_ok(), "{} could not be written", path.display());
        }
        let published = fs::read_to_string(&path).unwrap_or_default();
        assert!(
            published == written,
            "run this test with UPDATE_SCHEMAS=1 and look at the difference"
        );
    }
}

//! Every format, whatever stands in a record: OCSF against the facts of its schema, CEF as its own reader takes it apart, and no text that forges a line
//! or a field.

use std::collections::BTreeMap;

use portcullis_core::{
    decision::{Layer, Verdict},
    risk::Risk,
};
use serde_json::Value;

use super::*;
use crate::audit::{Body, Content, Entry, File, Files, Hash, Kind};

/// What the published schema says of the class and of the objects that stand in an event: which attributes there are, their types, which of them are
/// required, and the values of enumerations. Taken from the release of that version.
const SCHEMA: &str = include_str!("ocsf_1_8_0.json");

/// Texts that end lines, fields, events and strings somewhere.
const HOSTILE: &[&str] = &[
    "plain",
    "",
    " ",
    "a|b\\|c\\",
    "x act=allow externalId=1",
    "a\nCEF:0|Portcullis|Portcullis|1|x|y|0|act=allow",
    "a\r\n<13>1 - - - - - - forged",
    "\",\"decision\":\"allow\",\"x\":\"",
    "a\u{85}b\u{2028}c\u{2029}d\u{b}e\u{c}f\u{1c}g\u{1d}h\u{1e}i\u{7f}",
    "\u{202e}evil\u{2066}\u{200b}\u{feff}\u{e0041}",
    "\\n\\r\\=\\|\\\\",
    "=cmd|'/c calc'!A1",
    "\u{1b}[2K\u{1b}[1A",
    "é 漢字 🔥",
    "cs1Label=tool cs1=x",
    "tail\\",
];

fn all_records() -> Vec<Record> {
    let mut records = Vec::new();
    let mut previous = Hash::GENESIS;
    let mut push = |entry: &Entry| {
        let sequence = records.len() as u64 + 1;
        let time = jiff::Timestamp::from_second(1_790_000_000).unwrap();
        let record = Body::new(entry, time).chained(sequence, previous);
        previous = record.hash;
        records.push(record);
    };
    for kind in Kind::ALL {
        push(&Entry::new(kind));
        for risk in Risk::ALL {
            for decision in [Verdict::Allow, Verdict::Ask, Verdict::Deny] {
                push(&Entry { risk: Some(risk), decision: Some(decision), ..Entry::new(kind) });
            }
        }
        for text in HOSTILE {
            let some = || Some((*text).to_owned());
            let files =
                Files { list: vec![File { path: format!("/{text}"), content: None }], more: 1 };
            push(&Entry {
                refers_to: Some(1),
                tool: some(),
                class: some(),
                rules: vec![(*text).to_owned(), "a.b".to_owned()],
                layer: Some(Layer::Floor),
                reason: some(),
                approver: some(),
                outcome: some(),
                action: some(),
                preview: some(),
                policy: some(),
                session: some(),
                agent: some(),
                cwd: some(),
                files,
                ..Entry::new(kind)
            });
        }
    }
    let content = Content { sha256: "0f".repeat(32), bytes: 1, whole: true };
    let files = Files { list: vec![File { path: "/x".into(), content: Some(content) }], more: 0 };
    push(&Entry { files, outcome: Some("exit 0".into()), ..Entry::new(Kind::Outcome) });
    push(&Entry { outcome: Some("exit 3".into()), ..Entry::new(Kind::Outcome) });
    records
}

#[test]
fn no_record_forges_a_line_for_any_reader() {
    for record in all_records() {
        for format in [Format::JsonLines, Format::Ocsf, Format::Cef] {
            let line = line(&record, format);
            let ends = line.chars().find(|character| visible::is_hidden(*character));
            assert_eq!(ends, None, "{format:?}: {line}");
        }
    }
}

#[test]
fn a_line_of_json_says_what_was_hashed() {
    for record in all_records() {
        let read: Value = serde_json::from_str(&line(&record, Format::JsonLines)).unwrap();
        assert_eq!(read, json(&record));
    }
}

#[test]
fn every_event_is_valid_against_the_schema() {
    let schema: Value = serde_json::from_str(SCHEMA).unwrap();
    let mut ids = std::collections::HashSet::new();
    for record in all_records() {
        let event: Value = serde_json::from_str(&line(&record, Format::Ocsf)).unwrap();
        let mut problems = Vec::new();
        check(&schema, &schema["class"], &event, "", &mut problems);
        let number = |name: &str| event[name].as_u64().unwrap();
        if number("category_uid") != schema["category_uid"].as_u64().unwrap()
            || number("class_uid") != schema["class_uid"].as_u64().unwrap()
            || number("type_uid") != number("class_uid") * 100 + number("activity_id")
            || event["metadata"]["version"] != schema["version"]
        {
            problems.push("the numbers of its class do not fit".to_owned());
        }
        assert!(problems.is_empty(), "{problems:?}\n{event:#}");
        assert!(ids.insert(event["metadata"]["uid"].as_str().unwrap().to_owned()));
        assert_eq!(event["metadata"]["uid"], record.hash.to_string());
    }
}

/// The check refuses what the schema refuses, or it would prove nothing.
#[test]
fn an_event_that_is_not_valid_is_found() {
    let schema: Value = serde_json::from_str(SCHEMA).unwrap();
    let entry = Entry { risk: Some(Risk::High), ..Entry::new(Kind::Decision) };
    let record = Body::new(&entry, jiff::Timestamp::UNIX_EPOCH).chained(1, Hash::GENESIS);
    let good = ocsf::event(&record);
    let found = |change: &dyn Fn(&mut Value)| {
        let mut event = good.clone();
        change(&mut event);
        let mut problems = Vec::new();
        check(&schema, &schema["class"], &event, "", &mut problems);
        problems
    };
    assert_eq!(found(&|_| {}), [""; 0]);
    for change in [
        (|event| event["severity_id"] = 9.into()) as fn(&mut Value),
        |event| event["severity"] = "Huge".into(),
        |event| event["time"] = "now".into(),
        |event| event["invented"] = 1.into(),
        |event| event["actor"] = Value::Object(Map::new()),
        |event| drop(event.as_object_mut().unwrap().remove("api")),
        |event| drop(event["api"].as_object_mut().unwrap().remove("operation")),
        |event| event["metadata"]["profiles"] = "security_control".into(),
        |event| event["src_endpoint"]["invented"] = 1.into(),
    ] {
        assert!(!found(&change).is_empty());
    }
}

/// Whether a value is an object as the schema says, all the way down.
fn check(schema: &Value, facts: &Value, value: &Value, at: &str, problems: &mut Vec<String>) {
    let Some(object) = value.as_object() else {
        problems.push(format!("{at} is no object"));
        return;
    };
    let attributes = facts["attributes"].as_object().unwrap();
    for (name, fact) in attributes {
        if fact["required"] == true && !object.contains_key(name) {
            problems.push(format!("{at}/{name} is missing"));
        }
    }
    if let Some(one_of) = facts["at_least_one"].as_array()
        && !one_of.iter().any(|name| object.contains_key(name.as_str().unwrap()))
    {
        problems.push(format!("{at} has none of {one_of:?}"));
    }
    for (name, value) in object {
        let at = format!("{at}/{name}");
        let Some(fact) = attributes.get(name) else {
            problems.push(format!("{at} is no attribute"));
            continue;
        };
        let each = match value.as_array() {
            Some(list) if fact["array"] == true => list.clone(),
            _ if fact["array"] == true => {
                problems.push(format!("{at} is no list"));
                continue;
            }
            _ => vec![value.clone()],
        };
        each.iter().for_each(|value| one(schema, fact, value, &at, problems));
        // What stands beside a number of an enumeration is its caption, but beside 99, where it is our own word.
        let captions = attributes.get(&format!("{name}_id")).and_then(|fact| fact.get("enum"));
        if let Some(captions) = captions
            && let Some(id) = object.get(&format!("{name}_id")).filter(|id| **id != 99)
            && captions[id.to_string()] != *value
        {
            problems.push(format!("{at} is not the caption of {id}"));
        }
    }
}

fn one(schema: &Value, fact: &Value, value: &Value, at: &str, problems: &mut Vec<String>) {
    let name = fact["type"].as_str().unwrap();
    let base = schema["types"][name].as_str();
    let fits = match base {
        Some("string_t") => value.is_string(),
        Some("integer_t") => value.as_i64().is_some_and(|number| i32::try_from(number).is_ok()),
        Some("long_t") => value.is_i64() || value.is_u64(),
        Some("boolean_t") => value.is_boolean(),
        Some(_) => true,
        None if name == "object" => value.is_object(),
        None => match schema["objects"].get(name) {
            Some(facts) => {
                check(schema, facts, value, at, problems);
                true
            }
            None => false,
        },
    };
    if !fits {
        problems.push(format!("{at} is no {name}"));
    }
    // The class narrows these two to its own numbers, which are looked at apart.
    let is_own = matches!(at, "/category_uid" | "/class_uid" | "/type_uid");
    if let Some(values) = fact["enum"].as_object()
        && !is_own
        && !values.contains_key(&value.to_string())
    {
        problems.push(format!("{at} has no value {value}"));
    }
}

/// An event of CEF taken apart as its reader does it: its header, and its fields.
fn read_cef(line: &str) -> (Vec<String>, BTreeMap<String, String>) {
    let rest = line.strip_prefix("CEF:").unwrap();
    let (mut header, mut part, mut characters) = (Vec::new(), String::new(), rest.chars());
    while header.len() < 7 {
        match characters.next().unwrap() {
            '\\' => part.push(characters.next().unwrap()),
            '|' => header.push(std::mem::take(&mut part)),
            other => part.push(other),
        }
    }
    // A key is a word before a `=` that is not escaped; its value goes on to the space before the next one.
    let extension: Vec<char> = characters.collect();
    let mut starts = Vec::new();
    let mut escaped = false;
    for (at, character) in extension.iter().enumerate() {
        match character {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '=' => {
                let back = extension[..at].iter().rev();
                let length = back.take_while(|one| one.is_ascii_alphanumeric()).count();
                starts.push((at - length, at));
            }
            _ => {}
        }
    }
    let mut fields = BTreeMap::new();
    for (number, (start, equals)) in starts.iter().enumerate() {
        let end = starts.get(number + 1).map_or(extension.len(), |next| next.0 - 1);
        let key: String = extension[*start..*equals].iter().collect();
        let mut value = String::new();
        let mut text = extension[equals + 1..end].iter();
        while let Some(character) = text.next() {
            match character {
                '\\' => match text.next().unwrap() {
                    'n' => value.push('\n'),
                    'r' => value.push('\r'),
                    other => value.push(*other),
                },
                other => value.push(*other),
            }
        }
        assert!(fields.insert(key.clone(), value).is_none(), "{key} stands there twice: {line}");
    }
    (header, fields)
}

#[test]
fn a_reader_of_cef_finds_every_text_as_it_is() {
    for record in all_records() {
        let line = line(&record, Format::Cef);
        let (header, fields) = read_cef(&line);
        assert_eq!(header[..3], ["0", "Portcullis", "Portcullis"], "{line}");
        let field = |name: &str| fields.get(name).map(String::as_str);
        // What nobody sees is written out; line ends are the format's own.
        let shown = |text: &Option<String>| {
            let text = text.clone().filter(|text| !text.is_empty())?;
            let lines: Vec<String> = text
                .split_inclusive(['\n', '\r'])
                .map(|line| {
                    let end = line.chars().next_back().filter(|end| matches!(end, '\n' | '\r'));
                    let line = line.trim_end_matches(['\n', '\r']);
                    format!("{}{}", visible::line(line), end.map(String::from).unwrap_or_default())
                })
                .collect();
            Some(lines.concat())
        };
        let entry = &record.entry;
        for (key, text) in [
            ("msg", &entry.preview),
            ("reason", &entry.reason),
            ("outcome", &entry.outcome),
            ("suser", &entry.approver),
            ("sproc", &entry.agent),
            ("filePath", &entry.cwd),
            ("cs1", &entry.tool),
            ("cs4", &entry.session),
        ] {
            assert_eq!(field(key), shown(text).as_deref(), "{key}: {line}");
        }
        assert_eq!(field("act"), entry.decision.map(Verdict::name), "{line}");
        assert_eq!(field("externalId"), Some(record.hash.to_string().as_str()));
        assert_eq!(field("cn1"), Some(record.sequence.to_string().as_str()));
        let known = "rt externalId cat act outcome reason suser sproc filePath msg cs1 cs1Label cs2 cs2Label cs3 cs3Label cs4 cs4Label \
            cs5 cs5Label cs6 cs6Label cn1 cn1Label cn2 cn2Label";
        for key in fields.keys() {
            assert!(known.split_whitespace().any(|known| known == key), "{key}: {line}");
        }
    }
}

#[test]
fn no_cell_is_a_formula_or_breaks_out_of_its_quotes() {
    for (text, cell) in [
        ("plain", "plain"),
        ("a,b", "\"a,b\""),
        ("say \"hi\"", "\"say \"\"hi\"\"\""),
        ("=HYPERLINK(\"http://x\")", "\"'=HYPERLINK(\"\"http://x\"\")\""),
        ("+1", "\"'+1\""),
        ("-rf", "\"'-rf\""),
        ("@SUM(A1)", "\"'@SUM(A1)\""),
        ("  =1", "\"'  =1\""),
        ("＝1", "\"'＝1\""),
        ("\t=1", "\"'\\t=1\""),
        ("a\r\nb", "a\\r\\nb"),
        ("\",=1", "\"\"\",=1\""),
    ] {
        assert_eq!(csv_cell(text), cell, "{text:?}");
    }
}

//! Messages of OTLP (`opentelemetry-proto` 1.10), in both forms that collectors take: protobuf, and the JSON that belongs to it. Owns how a field is written
//! in each; what a message holds, [`super::told`] says.
//!
//! A message is a list of its fields in the order of their numbers, and both forms are made of that one list. What a field has by itself (zero, empty)
//! is left out by whoever makes the list, as the format does.

use serde_json::{Map, Number, Value};

/// What a field holds.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Field {
    Text(String),
    /// Bytes that are written as hexadecimal digits in JSON: names of traces and of spans.
    Name(Vec<u8>),
    Bool(bool),
    /// A number of 32 bits or of an enumeration: a number in JSON too.
    Small(u32),
    /// A number with a sign.
    Int(i64),
    /// Eight bytes in protobuf.
    Fixed(u64),
    /// The same with a sign.
    SignedFixed(i64),
    /// Four bytes in protobuf.
    SmallFixed(u32),
    Double(f64),
    Message(Message),
    /// A field that stands there as often as it has values.
    Messages(Vec<Message>),
    /// Numbers behind one another.
    Fixeds(Vec<u64>),
    Doubles(Vec<f64>),
}

/// A message: the number, the name and the value of each field.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Message(Vec<(u32, &'static str, Field)>);

/// How fields are encoded (the wire types of protobuf).
const VARINT: u32 = 0;
const EIGHT: u32 = 1;
const LENGTH: u32 = 2;
const FOUR: u32 = 5;

impl Message {
    /// With one more field, whose number is higher than those before it.
    pub(super) fn with(mut self, number: u32, name: &'static str, field: Field) -> Self {
        self.0.push((number, name, field));
        self
    }

    /// The same, where there is something to say.
    pub(super) fn with_some(self, number: u32, name: &'static str, field: Option<Field>) -> Self {
        match field {
            Some(field) => self.with(number, name, field),
            None => self,
        }
    }

    /// As protobuf.
    pub(super) fn protobuf(&self) -> Vec<u8> {
        let mut out = Vec::new();
        for (number, _, field) in &self.0 {
            write(&mut out, *number, field);
        }
        out
    }

    /// As JSON.
    pub(super) fn json(&self) -> Value {
        let fields = self.0.iter().map(|(_, name, field)| ((*name).to_owned(), json_of(field)));
        Value::Object(fields.collect::<Map<_, _>>())
    }
}

fn write(out: &mut Vec<u8>, number: u32, field: &Field) {
    let key = |out: &mut Vec<u8>, kind: u32| varint(out, u64::from(number << 3 | kind));
    match field {
        Field::Text(text) => {
            key(out, LENGTH);
            measured(out, text.as_bytes());
        }
        Field::Name(bytes) => {
            key(out, LENGTH);
            measured(out, bytes);
        }
        Field::Bool(yes) => {
            key(out, VARINT);
            out.push(u8::from(*yes));
        }
        Field::Small(value) => {
            key(out, VARINT);
            varint(out, u64::from(*value));
        }
        Field::Int(value) => {
            key(out, VARINT);
            varint(out, value.cast_unsigned());
        }
        Field::Fixed(value) => {
            key(out, EIGHT);
            out.extend_from_slice(&value.to_le_bytes());
        }
        Field::SignedFixed(value) => {
            key(out, EIGHT);
            out.extend_from_slice(&value.to_le_bytes());
        }
        Field::SmallFixed(value) => {
            key(out, FOUR);
            out.extend_from_slice(&value.to_le_bytes());
        }
        Field::Double(value) => {
            key(out, EIGHT);
            out.extend_from_slice(&value.to_le_bytes());
        }
        Field::Message(message) => {
            key(out, LENGTH);
            measured(out, &message.protobuf());
        }
        Field::Messages(messages) => {
            for message in messages {
                key(out, LENGTH);
                measured(out, &message.protobuf());
            }
        }
        Field::Fixeds(values) => {
            key(out, LENGTH);
            measured(out, &values.iter().flat_map(|it| it.to_le_bytes()).collect::<Vec<_>>());
        }
        Field::Doubles(values) => {
            key(out, LENGTH);
            measured(out, &values.iter().flat_map(|it| it.to_le_bytes()).collect::<Vec<_>>());
        }
    }
}

/// Bytes behind their length.
fn measured(out: &mut Vec<u8>, bytes: &[u8]) {
    varint(out, u64::try_from(bytes.len()).unwrap_or(u64::MAX));
    out.extend_from_slice(bytes);
}

/// Seven bits at a time, the lowest first.
fn varint(out: &mut Vec<u8>, mut value: u64) {
    loop {
        let [low, ..] = value.to_le_bytes();
        value >>= 7;
        if value == 0 {
            out.push(low & 0x7f);
            return;
        }
        out.push(low | 0x80);
    }
}

/// The form of OTLP: numbers of 64 bits are texts, enumerations are numbers, and names are hexadecimal digits, where protobuf's own JSON has base64.
fn json_of(field: &Field) -> Value {
    let double =
        |value: &f64| Number::from_f64(*value).map_or_else(|| special(*value), Value::Number);
    match field {
        Field::Text(text) => Value::String(text.clone()),
        Field::Name(bytes) => Value::String(data_encoding::HEXLOWER.encode(bytes)),
        Field::Bool(yes) => Value::Bool(*yes),
        Field::Small(value) | Field::SmallFixed(value) => (*value).into(),
        Field::Int(value) | Field::SignedFixed(value) => Value::String(value.to_string()),
        Field::Fixed(value) => Value::String(value.to_string()),
        Field::Double(value) => double(value),
        Field::Message(message) => message.json(),
        Field::Messages(messages) => messages.iter().map(Message::json).collect(),
        Field::Fixeds(values) => values.iter().map(ToString::to_string).collect(),
        Field::Doubles(values) => values.iter().map(double).collect(),
    }
}

/// What JSON has no number for.
fn special(value: f64) -> Value {
    let word = match value {
        value if value.is_nan() => "NaN",
        value if value > 0.0 => "Infinity",
        _ => "-Infinity",
    };
    Value::String(word.to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The examples of the description of protobuf's encoding.
    #[test]
    fn numbers_and_texts_are_written_as_the_description_of_the_format_has_them() {
        assert_eq!(Message::default().with(1, "a", Field::Int(150)).protobuf(), [0x08, 0x96, 0x01]);
        let testing = Message::default().with(2, "b", Field::Text("testing".to_owned()));
        assert_eq!(testing.protobuf(), b"\x12\x07testing");
        let inner = Message::default().with(1, "a", Field::Int(150));
        let outer = Message::default().with(3, "c", Field::Message(inner));
        assert_eq!(outer.protobuf(), [0x1a, 0x03, 0x08, 0x96, 0x01]);
        let minus = Message::default().with(1, "a", Field::Int(-2));
        assert_eq!(minus.protobuf(), b"\x08\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01");
    }

    #[test]
    fn json_has_long_numbers_as_texts_and_names_as_digits() {
        let message = Message::default()
            .with(1, "name", Field::Name(vec![0x0a, 0xf7]))
            .with(2, "time", Field::Fixed(u64::MAX))
            .with(3, "kind", Field::Small(2))
            .with(4, "none", Field::Double(f64::NAN))
            .with(5, "counts", Field::Fixeds(vec![1, 0]));
        let expected = json!({
            "name": "0af7", "time": "18446744073709551615", "kind": 2, "none": "NaN", "counts": ["1", "0"],
        });
        assert_eq!(message.json(), expected);
    }
}

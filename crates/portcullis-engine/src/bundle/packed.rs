//! TOML that was read once, in a form that is read again for next to nothing. Owns that form; what the values mean, whoever asks for them knows.
//!
//! A value is a byte for its kind and then itself: a length and bytes, a number, or a count and values. No value here is ever shown to a person, so
//! that every span is empty.

use serde::de::{
    self, DeserializeSeed, Deserializer, EnumAccess, IntoDeserializer, MapAccess, SeqAccess,
    VariantAccess, Visitor,
};
use toml::{Table, Value};

/// How deep values stand in each other.
const DEEPEST: usize = 64;

/// Packs a table.
///
/// # Errors
/// Where a value is of a kind that no configuration has.
pub fn pack(table: &Table) -> Result<Vec<u8>, Unpackable> {
    let mut bytes = Vec::new();
    put_table(&mut bytes, table, DEEPEST)?;
    Ok(bytes)
}

/// Why a table cannot be packed, or bytes cannot be read.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum Unpackable {
    /// A time, or values that stand too deep in each other.
    #[error("it holds a value of a kind that no configuration has")]
    Kind,
    /// They end before they should, or go on behind it.
    #[error("it is cut short, or not as it was written")]
    Cut,
    /// Who asked for values does not understand them.
    #[error("{0}")]
    Other(String),
}

impl de::Error for Unpackable {
    fn custom<T: std::fmt::Display>(message: T) -> Self {
        Self::Other(message.to_string())
    }
}

fn put_table(bytes: &mut Vec<u8>, table: &Table, deep: usize) -> Result<(), Unpackable> {
    bytes.push(b't');
    put_length(bytes, table.len());
    for (key, value) in table {
        put_text(bytes, key);
        put(bytes, value, deep.checked_sub(1).ok_or(Unpackable::Kind)?)?;
    }
    Ok(())
}

fn put(bytes: &mut Vec<u8>, value: &Value, deep: usize) -> Result<(), Unpackable> {
    match value {
        Value::String(text) => put_text(bytes, text),
        Value::Integer(number) => {
            bytes.push(b'i');
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        Value::Float(number) => {
            bytes.push(b'f');
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        Value::Boolean(yes) => bytes.push(if *yes { b'y' } else { b'n' }),
        Value::Array(values) => {
            bytes.push(b'a');
            put_length(bytes, values.len());
            for value in values {
                put(bytes, value, deep.checked_sub(1).ok_or(Unpackable::Kind)?)?;
            }
        }
        Value::Table(table) => put_table(bytes, table, deep)?,
        Value::Datetime(_) => return Err(Unpackable::Kind),
    }
    Ok(())
}

/// A text with its length and its kind.
pub(super) fn put_text(bytes: &mut Vec<u8>, text: &str) {
    bytes.push(b's');
    put_length(bytes, text.len());
    bytes.extend_from_slice(text.as_bytes());
}

fn put_length(bytes: &mut Vec<u8>, length: usize) {
    let length = u32::try_from(length).unwrap_or(u32::MAX);
    bytes.extend_from_slice(&length.to_le_bytes());
}

/// Reads what was packed.
#[derive(Debug)]
pub struct Unpacker<'de> {
    rest: &'de [u8],
    deep: usize,
}

impl<'de> Unpacker<'de> {
    /// Over these bytes.
    #[must_use]
    pub const fn new(bytes: &'de [u8]) -> Self {
        Self { rest: bytes, deep: DEEPEST }
    }

    /// Nothing is left over.
    ///
    /// # Errors
    /// Where something is.
    pub const fn end(&self) -> Result<(), Unpackable> {
        if self.rest.is_empty() { Ok(()) } else { Err(Unpackable::Cut) }
    }

    fn byte(&mut self) -> Result<u8, Unpackable> {
        let (first, rest) = self.rest.split_first().ok_or(Unpackable::Cut)?;
        self.rest = rest;
        Ok(*first)
    }

    fn eight(&mut self) -> Result<[u8; 8], Unpackable> {
        let (first, rest) = self.rest.split_first_chunk().ok_or(Unpackable::Cut)?;
        self.rest = rest;
        Ok(*first)
    }

    fn length(&mut self) -> Result<usize, Unpackable> {
        let (first, rest) = self.rest.split_first_chunk().ok_or(Unpackable::Cut)?;
        self.rest = rest;
        let length = usize::try_from(u32::from_le_bytes(*first)).map_err(|_| Unpackable::Cut)?;
        // Each value has a byte at least, so that no count can be greater than what is left.
        if length > self.rest.len() { Err(Unpackable::Cut) } else { Ok(length) }
    }

    /// So many bytes.
    pub(super) fn bytes(&mut self) -> Result<&'de [u8], Unpackable> {
        let length = self.length()?;
        let (bytes, rest) = self.rest.split_at_checked(length).ok_or(Unpackable::Cut)?;
        self.rest = rest;
        Ok(bytes)
    }

    /// A text that [`put_text`] wrote.
    pub(super) fn text(&mut self) -> Result<&'de str, Unpackable> {
        if self.byte()? != b's' {
            return Err(Unpackable::Cut);
        }
        std::str::from_utf8(self.bytes()?).map_err(|_| Unpackable::Cut)
    }

    /// A number of eight bytes.
    pub(super) fn number(&mut self) -> Result<i64, Unpackable> {
        self.eight().map(i64::from_le_bytes)
    }

    fn deeper<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, Unpackable>,
    ) -> Result<T, Unpackable> {
        self.deep = self.deep.checked_sub(1).ok_or(Unpackable::Kind)?;
        let read = read(self);
        self.deep += 1;
        read
    }
}

/// Puts bytes with their length.
pub(super) fn put_bytes(bytes: &mut Vec<u8>, more: &[u8]) {
    put_length(bytes, more.len());
    bytes.extend_from_slice(more);
}

impl<'de> Deserializer<'de> for &mut Unpacker<'de> {
    type Error = Unpackable;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unpackable> {
        match self.byte()? {
            b's' => {
                let text = std::str::from_utf8(self.bytes()?).map_err(|_| Unpackable::Cut)?;
                visitor.visit_borrowed_str(text)
            }
            b'i' => visitor.visit_i64(i64::from_le_bytes(self.eight()?)),
            b'f' => visitor.visit_f64(f64::from_le_bytes(self.eight()?)),
            b'y' => visitor.visit_bool(true),
            b'n' => visitor.visit_bool(false),
            b'a' => {
                let left = self.length()?;
                self.deeper(|unpacker| visitor.visit_seq(Items { unpacker, left }))
            }
            b't' => {
                let left = self.length()?;
                self.deeper(|unpacker| visitor.visit_map(Items { unpacker, left }))
            }
            _ => Err(Unpackable::Cut),
        }
    }

    // What is there is there; what is missing has no key.
    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unpackable> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Unpackable> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Unpackable> {
        // A value with its place: how such a struct asks for it is between `toml` and `serde`, and its three fields say it.
        if name.starts_with("$__serde_spanned") && fields.len() == 3 {
            return visitor.visit_map(Placed { unpacker: self, fields });
        }
        self.deserialize_any(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Unpackable> {
        visitor.visit_enum(Word(self.text()?))
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string
        bytes byte_buf unit unit_struct seq tuple tuple_struct map identifier ignored_any
    }
}

/// Values that follow each other.
struct Items<'a, 'de> {
    unpacker: &'a mut Unpacker<'de>,
    left: usize,
}

impl<'de> Items<'_, 'de> {
    fn one<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, Unpackable> {
        let Some(left) = self.left.checked_sub(1) else { return Ok(None) };
        self.left = left;
        seed.deserialize(&mut *self.unpacker).map(Some)
    }
}

impl<'de> SeqAccess<'de> for Items<'_, 'de> {
    type Error = Unpackable;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Unpackable> {
        self.one(seed)
    }
}

impl<'de> MapAccess<'de> for Items<'_, 'de> {
    type Error = Unpackable;

    fn next_key_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Unpackable> {
        self.one(seed)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<S::Value, Unpackable> {
        seed.deserialize(&mut *self.unpacker)
    }
}

/// A value with its place, which is nowhere: the fields are where it begins, where it ends, and itself.
struct Placed<'a, 'de> {
    unpacker: &'a mut Unpacker<'de>,
    fields: &'static [&'static str],
}

impl<'de> MapAccess<'de> for Placed<'_, 'de> {
    type Error = Unpackable;

    fn next_key_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Unpackable> {
        let Some(field) = self.fields.first() else { return Ok(None) };
        seed.deserialize(de::value::BorrowedStrDeserializer::new(field)).map(Some)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<S::Value, Unpackable> {
        self.fields = self.fields.get(1..).unwrap_or_default();
        if self.fields.is_empty() {
            seed.deserialize(&mut *self.unpacker)
        } else {
            seed.deserialize(0_usize.into_deserializer())
        }
    }
}

/// A word of an enumeration.
struct Word<'de>(&'de str);

impl<'de> EnumAccess<'de> for Word<'de> {
    type Error = Unpackable;
    type Variant = Self;

    fn variant_seed<S: DeserializeSeed<'de>>(
        self,
        seed: S,
    ) -> Result<(S::Value, Self), Unpackable> {
        let word = seed.deserialize(de::value::BorrowedStrDeserializer::new(self.0))?;
        Ok((word, self))
    }
}

impl<'de> VariantAccess<'de> for Word<'de> {
    type Error = Unpackable;

    fn unit_variant(self) -> Result<(), Unpackable> {
        Ok(())
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(
        self,
        _seed: S,
    ) -> Result<S::Value, Unpackable> {
        Err(Unpackable::Kind)
    }

    fn tuple_variant<V: Visitor<'de>>(
        self,
        _len: usize,
        _visitor: V,
    ) -> Result<V::Value, Unpackable> {
        Err(Unpackable::Kind)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _fields: &'static [&'static str],
        _visitor: V,
    ) -> Result<V::Value, Unpackable> {
        Err(Unpackable::Kind)
    }
}

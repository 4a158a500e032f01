//! Python's own texts, numbers, lists and dictionaries as JSON. Owns no opinion on anything else: a value of another class is left to Python's half
//! (`_plain.py`), and none of its code runs here. Since the interpreter's lock is held throughout, nobody changes a value while it is read.

use portcullis_engine::wire::LONGEST;
use pyo3::{
    prelude::*,
    types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple},
};

use crate::failure::CallError;

/// As deep as a reader of JSON goes.
const DEEPEST: usize = 128;

/// The JSON of a value; none where a part of it is of another class.
pub(crate) fn encode(value: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
    let mut json = String::with_capacity(256);
    Ok(put(value, &mut json, 0)?.map(|()| json))
}

/// Writes a value behind what is there.
fn put(value: &Bound<'_, PyAny>, json: &mut String, depth: usize) -> PyResult<Option<()>> {
    if depth > DEEPEST {
        return Err(refused("they go too deep, or round in a ring"));
    }
    if json.len() > LONGEST {
        return Err(refused(&format!("they are longer than {} MiB", LONGEST >> 20)));
    }
    if value.is_none() {
        json.push_str("null");
    } else if let Ok(text) = value.cast_exact::<PyString>() {
        quote(text, json)?;
    } else if let Ok(dict) = value.cast_exact::<PyDict>() {
        json.push('{');
        for (at, (key, item)) in dict.iter().enumerate() {
            if at > 0 {
                json.push(',');
            }
            let Ok(key) = key.cast_exact::<PyString>() else { return Ok(None) };
            quote(key, json)?;
            json.push(':');
            if put(&item, json, depth + 1)?.is_none() {
                return Ok(None);
            }
        }
        json.push('}');
    } else if let Ok(list) = value.cast_exact::<PyList>() {
        return each(list.iter(), json, depth);
    } else if let Ok(tuple) = value.cast_exact::<PyTuple>() {
        return each(tuple.iter(), json, depth);
    } else if let Ok(flag) = value.cast_exact::<PyBool>() {
        json.push_str(if flag.is_true() { "true" } else { "false" });
    } else if value.is_exact_instance_of::<PyInt>() {
        match value.extract::<i64>() {
            Ok(number) => json.push_str(&number.to_string()),
            Err(_) => json.push_str(value.str().map_err(unsaid)?.to_str().map_err(unsaid)?),
        }
    } else if let Ok(number) = value.cast_exact::<PyFloat>() {
        if !number.value().is_finite() {
            return Err(refused("a number in them is none"));
        }
        // As Python's own encoder writes it.
        json.push_str(number.repr()?.to_str()?);
    } else {
        return Ok(None);
    }
    Ok(Some(()))
}

fn each<'py>(
    items: impl Iterator<Item = Bound<'py, PyAny>>,
    json: &mut String,
    depth: usize,
) -> PyResult<Option<()>> {
    json.push('[');
    for (at, item) in items.enumerate() {
        if at > 0 {
            json.push(',');
        }
        if put(&item, json, depth + 1)?.is_none() {
            return Ok(None);
        }
    }
    json.push(']');
    Ok(Some(()))
}

/// A text in quotation marks. What is no Unicode (half of a pair) is no text.
fn quote(text: &Bound<'_, PyString>, json: &mut String) -> PyResult<()> {
    let text = text.to_str().map_err(unsaid)?;
    json.push('"');
    let mut rest = text;
    while let Some(at) = rest.find(|one: char| one == '"' || one == '\\' || one < ' ') {
        let (before, after) = rest.split_at(at);
        json.push_str(before);
        let mut letters = after.chars();
        match letters.next() {
            Some('\n') => json.push_str("\\n"),
            Some(one @ ('"' | '\\')) => json.extend(['\\', one]),
            Some(one) => json.push_str(&format!("\\u{:04x}", u32::from(one))),
            None => {}
        }
        rest = letters.as_str();
    }
    json.push_str(rest);
    json.push('"');
    Ok(())
}

fn unsaid(error: PyErr) -> PyErr {
    refused(&error.to_string())
}

fn refused(why: &str) -> PyErr {
    CallError::new_err(format!("the arguments are no JSON: {why}"))
}

//! PowerShell: where on its command line the code stands, plain or encoded.

use crate::{
    programs::{host::Host, invocation::Invocation},
    text::{Piece, Taint, Text},
};

pub(super) fn powershell(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let mut index = 0;
    while let Some(argument) = invocation.arguments.get(index) {
        let Some(option) = argument.text.as_known().map(str::to_ascii_lowercase) else { break };
        let name = option.trim_start_matches(['-', '/']);
        let value = invocation.arguments.get(index + 1);
        let is_option = option.starts_with(['-', '/', '\u{2013}', '\u{2014}']);
        let name = name.trim_start_matches(['\u{2013}', '\u{2014}']);
        if is_option
            && (name.starts_with('e') && "encodedcommand".starts_with(name) || name == "ec")
        {
            let Some(value) = value else { break };
            let mut code = match value.text.as_known().and_then(utf16_base64) {
                Some(code) => value.text.derive([Piece::Known(code)]),
                None => value.text.derive([Piece::Unknown("an encoded command".into())]),
            };
            code.taint = code.taint.with(Taint::DECODED);
            return walk.code("powershell", &code, value.span, &[]);
        }
        let runs = name.starts_with('c')
            && ("command".starts_with(name)
                || "commandwithargs".starts_with(name)
                || name == "cwa");
        if is_option && runs {
            let rest = invocation.arguments.get(index + 1..).unwrap_or(&[]);
            let mut code = Text::default();
            for (at, word) in rest.iter().enumerate() {
                if at > 0 {
                    code.push_known(" ");
                }
                code.append(&word.text);
            }
            let span = rest.first().map_or(argument.span, |first| {
                rest.last().map_or(first.span, |last| first.span.to(last.span))
            });
            return walk.code("powershell", &as_written(&code), span, &[]);
        }
        if is_option && name.starts_with('f') && "file".starts_with(name) {
            if let Some(file) = value {
                let is_remote =
                    [r"\\", "//"].iter().any(|it| file.text.known_prefix().starts_with(it));
                if is_remote {
                    let mut code = walk.connect(file, None, false);
                    code.taint = code.taint.with(Taint::NETWORK);
                    return walk.code("powershell", &code, file.span, &[]);
                }
                return walk.script(
                    "powershell",
                    file,
                    invocation.arguments.get(index + 2..).unwrap_or(&[]),
                    invocation.input.clone(),
                );
            }
            break;
        }
        if !is_option {
            let rest = invocation.arguments.get(index + 1..).unwrap_or(&[]);
            if option.ends_with(".ps1") {
                return walk.script("powershell", argument, rest, invocation.input.clone());
            }
            let mut code = argument.text.clone();
            for word in rest {
                code.push_known(" ");
                code.append(&word.text);
            }
            return walk.code("powershell", &code, argument.span, &[]);
        }
        let takes = |(full, short): &(&str, &str)| {
            !name.is_empty() && full.starts_with(name) && name.len() >= short.len()
                || name == *short
        };
        index += 1 + usize::from(VALUES.iter().any(takes));
    }
    match &invocation.input {
        Some(input) if !input.is_empty() => walk.code("powershell", input, invocation.span, &[]),
        _ => invocation.origin(),
    }
}

/// Options that take a value, with the shortest form of each.
const VALUES: &[(&str, &str)] = &[
    ("configurationfile", "configurationf"),
    ("configurationname", "config"),
    ("custompipename", "cus"),
    ("executionpolicy", "ex"),
    ("inputformat", "i"),
    ("outputformat", "o"),
    ("psconsolefile", "psc"),
    ("settingsfile", "settings"),
    ("version", "v"),
    ("windowstyle", "w"),
    ("workingdirectory", "wd"),
    ("ep", "ep"),
];

fn utf16_base64(text: &str) -> Option<String> {
    let bytes = data_encoding::BASE64.decode(text.as_bytes()).ok()?;
    let units: Vec<u16> = bytes
        .chunks_exact(2)
        .map(|pair| {
            u16::from_le_bytes([
                pair.first().copied().unwrap_or(0),
                pair.get(1).copied().unwrap_or(0),
            ])
        })
        .collect();
    String::from_utf16(&units).ok()
}

/// Code in which variables of PowerShell's own stand as they were written: on the system that it is written for no other shell has filled
/// them in before, and here they are empty.
fn as_written(code: &Text) -> Text {
    const OWN: &[&str] = &["LASTEXITCODE", "PSScriptRoot", "env", "false", "null", "true"];
    let mut written = code.derive([]);
    for piece in &code.pieces {
        match piece {
            Piece::Known(known) => written.push_known(known),
            Piece::Unknown(name) if OWN.contains(&&**name) => {
                written.push_known(&format!("${name}"))
            }
            other => written.append(&code.derive([other.clone()])),
        }
    }
    written
}

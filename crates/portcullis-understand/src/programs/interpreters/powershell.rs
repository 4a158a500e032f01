//! PowerShell: where on its command line the code stands, plain or encoded.

use super::*;

pub(super) fn powershell(walk: &mut Walk<'_>, invocation: &Invocation) -> Text {
    let mut index = 0;
    while let Some(argument) = invocation.arguments.get(index) {
        let Some(option) = argument.text.as_known().map(str::to_ascii_lowercase) else { break };
        let name = option.trim_start_matches(['-', '/']);
        let value = invocation.arguments.get(index + 1);
        if option.starts_with(['-', '/'])
            && name.starts_with('e')
            && "encodedcommand".starts_with(name)
            && name != "ex"
        {
            let Some(value) = value else { break };
            let mut code = match value.text.as_known().and_then(utf16_base64) {
                Some(code) => value.text.derive([Piece::Known(code)]),
                None => value.text.derive([Piece::Unknown("an encoded command".into())]),
            };
            code.taint = code.taint.with(Taint::DECODED);
            return walk.code("powershell", &code, value.span, &[]);
        }
        if option.starts_with(['-', '/']) && name.starts_with('c') && "command".starts_with(name) {
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
            return walk.code("powershell", &code, span, &[]);
        }
        if option.starts_with('-') && name.starts_with('f') && "file".starts_with(name) {
            if let Some(file) = value {
                return walk.script(
                    "powershell",
                    file,
                    invocation.arguments.get(index + 2..).unwrap_or(&[]),
                    invocation.input.clone(),
                );
            }
            break;
        }
        if !option.starts_with('-') {
            return walk.code("powershell", &argument.text, argument.span, &[]);
        }
        index += 1 + usize::from(
            invocation.values.iter().any(|value| value.to_ascii_lowercase().starts_with(&option)),
        );
    }
    match &invocation.input {
        Some(input) if !input.is_empty() => walk.code("powershell", input, invocation.span, &[]),
        _ => invocation.origin(),
    }
}

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

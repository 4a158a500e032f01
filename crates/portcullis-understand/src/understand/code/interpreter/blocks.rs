//! Brackets and blocks of a script. Owns which token closes what another one opens.

use portcullis_syntax::{
    Span,
    code::{TextPart, Token, TokenKind},
};

pub(super) fn shift(token: &mut Token, by: u32) {
    let move_span = |span: &mut Span| {
        span.start = span.start.saturating_add(by);
        span.end = span.end.saturating_add(by);
    };
    move_span(&mut token.span);
    if let TokenKind::Text(parts) | TokenKind::Command(parts) = &mut token.kind {
        for part in parts {
            if let TextPart::Code(span) = part {
                move_span(span);
            }
        }
    }
}

pub(super) fn partners(tokens: &[Token], source: &str) -> Vec<usize> {
    let mut partners: Vec<usize> = (0..tokens.len()).collect();
    let mut open: Vec<(usize, &str)> = Vec::new();
    for (index, token) in tokens.iter().enumerate() {
        if token.kind != TokenKind::Operator {
            continue;
        }
        let close = match token.span.of(source) {
            "(" => ")",
            "[" => "]",
            "{" => "}",
            text @ (")" | "]" | "}") => {
                if open.last().is_some_and(|(_, close)| *close == text)
                    && let Some((start, _)) = open.pop()
                    && let Some(partner) = partners.get_mut(start)
                {
                    *partner = index;
                    if let Some(partner) = partners.get_mut(index) {
                        *partner = start;
                    }
                }
                continue;
            }
            _ => continue,
        };
        open.push((index, close));
    }
    partners
}

/// For the first token of every line outside brackets: the index of the next line that is not indented deeper.
pub(super) fn blocks(tokens: &[Token], partners: &[usize]) -> Vec<usize> {
    let mut ends = vec![tokens.len(); tokens.len()];
    let mut open: Vec<(usize, u32)> = Vec::new();
    let mut inside = 0;
    for (index, token) in tokens.iter().enumerate() {
        if index < inside {
            continue;
        }
        if token.first {
            while let Some((start, indent)) = open.last().copied() {
                if indent < token.indent {
                    break;
                }
                open.pop();
                if let Some(end) = ends.get_mut(start) {
                    *end = index;
                }
            }
            open.push((index, token.indent));
        }
        if let Some(partner) = partners.get(index).copied()
            && partner > index
        {
            inside = partner;
        }
    }
    ends
}

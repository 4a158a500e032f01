//! Which of many a condition chooses: `Where-Object { $_.Name -eq 'node' }`. Owns when a condition is one that only some of all things meet, and what it
//! compares them with.

use portcullis_syntax::tree::{Block, Expression, ExpressionKind, StatementKind};

use crate::text::{Piece, Text};

/// How many letters a pattern must have for not everything to match it.
const TELLING: usize = 3;

/// What a condition compares with, where no more than some of all things meet it.
pub(super) fn by_condition(block: &Block) -> Option<Text> {
    match block.body.as_slice() {
        [only] => match &only.kind {
            StatementKind::Expression(expression) => by_expression(expression),
            _ => None,
        },
        _ => None,
    }
}

fn by_expression(expression: &Expression) -> Option<Text> {
    let ExpressionKind::Operator { name, operands } = &expression.kind else {
        return match &expression.kind {
            ExpressionKind::Body(body) => match body.as_slice() {
                [only] => match &only.kind {
                    StatementKind::Expression(inner) => by_expression(inner),
                    _ => None,
                },
                _ => None,
            },
            _ => None,
        };
    };
    let name = name.trim_start_matches('-').to_ascii_lowercase();
    match (name.as_str(), operands.as_slice()) {
        ("and", _) => operands.iter().find_map(by_expression),
        ("or", _) => {
            let mut all = Text::default();
            for operand in operands {
                all.append(&by_expression(operand)?);
                all.push_known(" ");
            }
            Some(all)
        }
        (_, [_, with]) => match &with.kind {
            ExpressionKind::Text(with) | ExpressionKind::Bare(with) => by_comparison(&name, with),
            _ => None,
        },
        _ => None,
    }
}

/// `-eq node`, `-like 'node*'`, `-match 'node|vite'`
pub(super) fn by_comparison(operator: &str, with: &str) -> Option<Text> {
    let is_telling =
        |part: &str| part.chars().filter(|letter| letter.is_alphanumeric()).count() >= TELLING;
    match operator.trim_start_matches(['c', 'i']) {
        "eq" if !with.is_empty() && !with.contains(['*', '?']) => Some(Text::known(with)),
        "like" if is_telling(with) => Some(pattern(with)),
        "match" if with.split('|').all(is_telling) => Some(pattern(with)),
        _ => None,
    }
}

fn pattern(with: &str) -> Text {
    let mut text = Text::default();
    text.push(Piece::Unknown(with.into()));
    text
}

//! Redirections: the descriptor, the operator and the target.

use super::cursor::{Parser, begins_name, continues_name, ends_word};
use super::rules::{ARGUMENT, SUBJECT};
use super::tree::{Descriptor, PartKind, Redirect, RedirectOperator, UnparsedReason, Word};

impl Parser<'_> {
    /// Reads a redirection if one stands at the cursor. One without a target is listed and passed over.
    pub(super) fn redirect_here(&mut self, redirects: &mut Vec<Redirect>) -> bool {
        let begins = match self.peek() {
            b'<' | b'>' => self.second() != b'(',
            b'&' => self.second() == b'>',
            b'{' | b'0'..=b'9' => true,
            _ => false,
        };
        if !begins {
            return false;
        }
        let start = self.at;
        let Some(descriptor) = self.descriptor() else { return false };
        let (operator, length) = self.redirect_operator(&descriptor);
        self.advance_by(length);
        let after_operator = self.at;
        self.skip_blanks();
        let (target, heredoc) = match operator {
            RedirectOperator::Heredoc | RedirectOperator::HeredocStripped => {
                match self.heredoc_delimiter(operator == RedirectOperator::HeredocStripped) {
                    Some((delimiter, body)) => (delimiter, Some(body)),
                    None => {
                        (Word { parts: Vec::new(), span: self.span_from(after_operator) }, None)
                    }
                }
            }
            RedirectOperator::HereString => (self.word(&SUBJECT), None),
            _ => (self.word(&ARGUMENT), None),
        };
        if target.parts.is_empty() {
            self.unparsed(self.span(start, after_operator), UnparsedReason::Syntax);
            self.at = after_operator;
            return true;
        }
        let operator = match operator {
            RedirectOperator::DuplicateOutput
                if descriptor.is_none() && !is_descriptor(&target) =>
            {
                RedirectOperator::WriteBoth
            }
            _ => operator,
        };
        self.node();
        redirects.push(Redirect {
            descriptor,
            operator,
            target,
            heredoc,
            span: self.span_from(start),
        });
        true
    }

    /// Whether a descriptor and then an operator stand at the cursor.
    pub(super) fn has_descriptor(&mut self) -> bool {
        let start = self.at;
        let found = self.descriptor().flatten().is_some();
        self.at = start;
        found
    }

    /// Reads the descriptor before an operator; `None`, with nothing read, where there is no operator.
    fn descriptor(&mut self) -> Option<Option<Descriptor>> {
        let start = self.at;
        let descriptor = match self.peek() {
            b'{' => {
                self.advance();
                self.peek();
                let name = self.at;
                if begins_name(self.raw(name)) {
                    while continues_name(self.peek()) || matches!(self.raw(self.at), b'[' | b']') {
                        self.advance();
                    }
                }
                let variable = self.slice(name, self.at).into();
                (self.at > name && self.accept(b'}')).then_some(Descriptor::Variable(variable))
            }
            b'0'..=b'9' => {
                while self.peek().is_ascii_digit() {
                    self.advance();
                }
                let digits: String = self.slice(start, self.at).split("\\\n").collect();
                digits.parse().ok().map(Descriptor::Number)
            }
            _ => return Some(None),
        };
        self.spend(self.at - start);
        if descriptor.is_some() && matches!(self.peek(), b'<' | b'>') && self.second() != b'(' {
            return Some(descriptor);
        }
        self.at = start;
        None
    }

    fn redirect_operator(&self, descriptor: &Option<Descriptor>) -> (RedirectOperator, usize) {
        let (second, third) = self.second_and_third();
        match (self.raw(self.at), second, third) {
            (b'&', _, b'>') => (RedirectOperator::AppendBoth, 3),
            (b'&', _, _) => (RedirectOperator::WriteBoth, 2),
            (b'<', b'<', b'<') => (RedirectOperator::HereString, 3),
            (b'<', b'<', b'-') => (RedirectOperator::HeredocStripped, 3),
            (b'<', b'<', _) => (RedirectOperator::Heredoc, 2),
            (b'<', b'&', _) => (RedirectOperator::DuplicateInput, 2),
            (b'<', b'>', b'(') => (RedirectOperator::Read, 1),
            (b'<', b'>', _) => (RedirectOperator::ReadWrite, 2),
            (b'<', _, _) => (RedirectOperator::Read, 1),
            (_, b'>', b'(') => (RedirectOperator::Write, 1),
            (_, b'>', _) => (RedirectOperator::Append, 2),
            (_, b'|', _) => (RedirectOperator::Clobber, 2),
            (_, b'&', after) if descriptor.is_some() || !ends_word(after) || after != b'>' => {
                (RedirectOperator::DuplicateOutput, 2)
            }
            _ => (RedirectOperator::Write, 1),
        }
    }
}

/// Whether a `>&` with this target duplicates a descriptor, rather than writing a file.
fn is_descriptor(target: &Word) -> bool {
    match target.parts.as_slice() {
        [part] => match &part.kind {
            PartKind::Literal(text) | PartKind::Quoted(text) => {
                let digits = text.strip_suffix('-').unwrap_or(text);
                digits.bytes().all(|byte| byte.is_ascii_digit())
            }
            _ => false,
        },
        _ => false,
    }
}

//! Marks of markup, of chats and of rules drawn between parts of a text. Owns their spellings.

use super::{Carrier, Gap, Mark, Reader, words::is_word};

impl Reader<'_> {
    /// `=== BEGIN USER MESSAGE ===`: a line of signs that says what begins or ends.
    pub(super) fn rule(&mut self, sign: char) -> bool {
        if self.before(1) == sign || self.letter(1) != sign || self.letter(2) != sign {
            return false;
        }
        let signs = (0..40).take_while(|ahead| self.letter(*ahead) == sign).count();
        if self.letter(signs) != ' ' {
            return false;
        }
        let mut inside = String::new();
        let mut ahead = signs + 1;
        while inside.len() < 48 && (is_word(self.letter(ahead)) || self.letter(ahead) == ' ') {
            inside.push(self.letter(ahead));
            ahead += 1;
        }
        let is_closed = self.letter(ahead) == sign && inside.ends_with(' ');
        if !is_closed || !is_frame(&inside) {
            return false;
        }
        self.breaks(Gap::Sentence);
        self.one(ahead, Mark::Frame);
        true
    }

    /// A token of a chat template is one word.
    pub(super) fn role(&mut self, length: usize) {
        self.one(length, Mark::Role);
    }

    /// Characters that are one word with a mark.
    fn one(&mut self, length: usize, mark: Mark) {
        let (Some(first), Some(last)) = (
            self.units.get(self.at),
            self.units.get((self.at + length).min(self.units.len()).saturating_sub(1)),
        ) else {
            self.at += 1;
            return;
        };
        let (start, end) = (first.start, last.end);
        self.mark = mark;
        self.push(0, start, end);
        self.gap = Gap::Sentence;
        self.at += length.max(1);
    }

    pub(super) fn angle(&mut self) {
        self.breaks(Gap::Light);
        if self.starts("<!--") {
            self.breaks(Gap::Sentence);
            self.carrier = Carrier::Comment;
            self.closes = '\0';
            self.at += 3;
        } else if self.starts("<|") && self.letter(2).is_alphabetic() {
            let length =
                (2..24).find(|ahead| self.letter(*ahead) == '>' && self.letter(ahead - 1) == '|');
            if let Some(length) = length {
                self.role(length);
            }
        } else if let Some(role) = ROLES.iter().find(|role| self.starts(role)) {
            self.role(role.len().saturating_sub(1));
        } else if let Some(tag) = FRAMED.iter().find(|tag| self.starts(tag)) {
            self.breaks(Gap::Sentence);
            self.one(tag.len(), Mark::Framed);
        } else {
            self.element();
        }
    }

    /// A tag: what it hides, or a mode that somebody claims.
    fn element(&mut self) {
        let mut ahead = 1;
        let mut inside = String::new();
        while ahead < 160 && !matches!(self.letter(ahead), '>' | '\0') {
            if !matches!(self.letter(ahead), ' ' | '\n') || !inside.ends_with(' ') {
                inside.push(self.letter(ahead));
            }
            ahead += 1;
        }
        if self.letter(ahead) != '>' {
            return;
        }
        if self.letter(1) == '/' {
            self.breaks(Gap::Sentence);
            if self.carrier == Carrier::Element {
                self.carrier = Carrier::Text;
            }
            return;
        }
        let capitals = self.units.get(self.at..self.at + ahead).unwrap_or_default();
        let capitals = capitals.iter().filter(|unit| unit.is_capital).count();
        let is_words = inside
            .chars()
            .all(|letter| is_word(letter) || matches!(letter, ' ' | '-' | '_' | ':' | '!'));
        if inside.contains(" mode") && inside.len() < 60 && capitals > 2 && is_words {
            self.mark = Mark::Mode;
        } else if inside.contains("style") || inside.contains("hidden") || inside.contains("color")
        {
            let plain: String = inside.chars().filter(|letter| *letter != ' ').collect();
            if HIDING.iter().any(|hiding| plain.contains(hiding) || inside.contains(hiding)) {
                self.breaks(Gap::Sentence);
                self.carrier = Carrier::Element;
                self.closes = '\0';
            }
        }
    }
}

/// Tags of roles.
const ROLES: &[&str] = &[
    "<system>",
    "</system>",
    "<<sys>>",
    "<</sys>>",
    "<system-reminder>",
    "</system-reminder>",
    "<system_prompt>",
    "<system-prompt>",
    "</system_prompt>",
    "<system_message>",
    "<important>",
    "<assistant>",
    "</assistant>",
    "<admin>",
    "</tool_result>",
    "</tool_response>",
    "</function_results>",
    "</user_input>",
    "</untrusted>",
    "</data>",
    "<developer>",
    "</document>",
    "</context>",
    "<user>",
    "<human>",
];

/// Marks of roles in square brackets.
pub(super) const BRACKETS: &[&str] = &[
    "[inst]",
    "[/inst]",
    "[system]",
    "[/system]",
    "[user]",
    "[/user]",
    "[human]",
    "[assistant]",
    "[tool result]",
    "[/tool result]",
    "[tool_result]",
    "[/tool_result]",
];

/// Tags that make something look important.
const FRAMED: &[&str] = &["<information>", "<instructions>", "<instruction>", "<urgent>"];

/// Whether a line says that what is read begins or ends, or that somebody speaks.
fn is_frame(line: &str) -> bool {
    let mut says = (false, false);
    for word in line.split(' ') {
        says.0 |= matches!(word, "end" | "begin" | "start" | "new");
        says.1 |= matches!(
            word,
            "user"
                | "system"
                | "document"
                | "context"
                | "input"
                | "message"
                | "data"
                | "content"
                | "prompt"
                | "instructions"
                | "tool"
                | "page"
                | "file"
                | "output"
                | "result"
                | "email"
                | "mail"
                | "article"
        );
    }
    says.0 && says.1
}

/// How an element is not shown.
const HIDING: &[&str] = &[
    "display:none",
    "visibility:hidden",
    "font-size:0",
    "font-size:1px",
    "opacity:0",
    "color:white",
    "color:#fff",
    "color:transparent",
    "width:0",
    "height:0",
    "left:-9999",
    "text-indent:-9",
    "aria-hidden=\"true\"",
    " hidden",
    "type=\"hidden",
];

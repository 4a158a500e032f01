//! A statement, with what each of its names stands for: functions, tables, columns, and what the statement itself names. Owns where a name is
//! which; what of it may be used, the rules say.

use std::collections::BTreeSet;

use portcullis_syntax::sql::{Token, TokenKind};

use super::words::{CALLED_KEYWORDS, KEYWORDS};

/// A statement, with what its names are.
pub(super) struct Reading<'t> {
    pub(super) tokens: &'t [Token],
    pub(super) depths: Vec<usize>,
    /// Functions that are called, in upper case, with their schemas.
    pub(super) calls: BTreeSet<String>,
    /// Tables that are used.
    pub(super) tables: Vec<(String, usize)>,
    /// Selections that the statement itself names (`WITH`), each with the place from which its name stands for it.
    pub(super) selections: Vec<(String, usize)>,
    /// What it names otherwise: columns and tables.
    pub(super) aliases: BTreeSet<(String, usize)>,
    /// Columns, as far as words are no keywords.
    pub(super) names: BTreeSet<String>,
    /// What is sorted by, where the names of results come first.
    pub(super) sorted: BTreeSet<(String, usize)>,
    /// Whether a `*` stands for columns.
    pub(super) takes_all: bool,
}

/// What is read inside one pair of brackets.
#[derive(Clone, Copy, Default)]
struct Frame {
    /// A table comes next.
    expects: bool,
    /// It is in the list behind `FROM`.
    lists: bool,
    /// It is behind `ORDER BY`.
    sorts: bool,
    /// It belongs to a function in which `FROM` names no table: `EXTRACT(year FROM x)`.
    is_call: bool,
}

impl<'t> Reading<'t> {
    pub(super) fn of(tokens: &'t [Token]) -> Self {
        let mut reading = Self {
            tokens,
            depths: Vec::with_capacity(tokens.len()),
            calls: BTreeSet::new(),
            tables: Vec::new(),
            selections: Vec::new(),
            aliases: BTreeSet::new(),
            sorted: BTreeSet::new(),
            names: BTreeSet::new(),
            takes_all: false,
        };
        let mut depth = 0_usize;
        for token in tokens {
            if is_sign(token, ")") {
                depth = depth.saturating_sub(1);
            }
            reading.depths.push(depth);
            if is_sign(token, "(") {
                depth += 1;
            }
        }
        reading.local_names();
        reading.uses();
        reading
    }

    pub(super) fn word(&self, at: usize) -> &'t str {
        match self.tokens.get(at) {
            Some(token) if matches!(token.kind, TokenKind::Word | TokenKind::Operator) => {
                &token.text
            }
            _ => "",
        }
    }

    pub(super) fn before(&self, at: usize) -> &'t str {
        at.checked_sub(1).map_or("", |at| self.word(at))
    }

    pub(super) fn depth(&self, at: usize) -> usize {
        self.depths.get(at).copied().unwrap_or(0)
    }

    pub(super) fn has(&self, word: &str) -> bool {
        (0..self.tokens.len()).any(|at| self.word(at) == word)
    }

    /// Whether a statement can begin here.
    pub(super) fn begins(&self, at: usize) -> bool {
        at == 0
            || matches!(
                self.before(at),
                "(" | ")"
                    | "EXPLAIN"
                    | "ANALYZE"
                    | "VERBOSE"
                    | "PLAN"
                    | "THEN"
                    | "ELSE"
                    | "BEGIN"
                    | "AS"
            )
    }

    /// The name at a place, in upper case where it is not in quotes.
    fn name(&self, at: usize) -> Option<String> {
        let token = self.tokens.get(at)?;
        match token.kind {
            TokenKind::Word if KEYWORDS.binary_search(&&*token.text).is_err() => {
                Some(token.text.to_string())
            }
            TokenKind::Name => Some(format!("\"{}\"", token.text)),
            _ => None,
        }
    }

    /// `a.b.c` from a place on, and where it ends.
    fn dotted(&self, at: usize) -> Option<(String, usize)> {
        let mut name = self.name(at)?;
        let mut at = at + 1;
        while self.word(at) == "." {
            // Behind a dot a keyword is a name.
            let part = match self.tokens.get(at + 1) {
                Some(token) if token.kind == TokenKind::Word => token.text.to_string(),
                Some(token) if token.kind == TokenKind::Name => format!("\"{}\"", token.text),
                _ => break,
            };
            name = format!("{name}.{part}");
            at += 2;
        }
        Some((name, at))
    }

    /// Whether the name at a place is one that is given there: behind `AS`, a bracket, another name or a value.
    fn is_alias(&self, at: usize) -> bool {
        let Some(left) = at.checked_sub(1) else { return false };
        let is_value = self
            .tokens
            .get(left)
            .is_some_and(|token| matches!(token.kind, TokenKind::Text | TokenKind::Number));
        self.word(left) == "AS"
            || self.word(left) == ")" && self.depth(at) == self.depth(left)
            || self.name(left).is_some()
            || is_value
            || self.word(left) == "END"
    }

    /// What `WITH` and `AS` name.
    fn local_names(&mut self) {
        // Selections are named before the statement that they are for.
        let begun = |at: usize| {
            let word = self.word(at);
            self.depth(at) == 0
                && matches!(
                    word,
                    "SELECT" | "VALUES" | "TABLE" | "INSERT" | "UPDATE" | "DELETE" | "MERGE"
                )
        };
        let main = (0..self.tokens.len()).find(|at| begun(*at)).unwrap_or(0);
        let is_recursive = self.word(1) == "RECURSIVE";
        for at in 0..self.tokens.len() {
            let Some(name) = self.name(at) else { continue };
            if at < main
                && self.depth(at) == 0
                && matches!(self.before(at), "WITH" | "RECURSIVE" | ",")
            {
                let columns =
                    if self.word(at + 1) == "(" { self.close(at + 1) + 1 } else { at + 1 };
                let body = (columns..main).find(|body| self.word(*body) == "(").unwrap_or(main);
                let from = if is_recursive { at } else { self.close(body) };
                self.selections.push((name, from));
            } else if self.is_alias(at) {
                self.aliases.insert((name, self.depth(at)));
            }
        }
    }

    /// Where the bracket that opens at a place is closed.
    fn close(&self, open: usize) -> usize {
        let depth = self.depth(open);
        (open + 1..self.tokens.len())
            .find(|at| self.depth(*at) == depth)
            .unwrap_or(self.tokens.len())
    }

    /// Calls, tables and columns.
    fn uses(&mut self) {
        let mut frames = vec![Frame::default()];
        let mut at = 0;
        while at < self.tokens.len() {
            let word = self.word(at);
            let mut frame = frames.last().copied().unwrap_or_default();
            let mut next = at + 1;
            match word {
                "(" => {
                    let is_call = matches!(
                        self.before(at),
                        "EXTRACT" | "SUBSTRING" | "TRIM" | "OVERLAY" | "POSITION"
                    );
                    let inner = Frame {
                        is_call,
                        sorts: false,
                        expects: frame.expects && !self.starts_selection(at + 1),
                        lists: frame.expects,
                    };
                    frame.expects = false;
                    set(&mut frames, frame);
                    frames.push(inner);
                }
                ")" => {
                    if frames.len() > 1 {
                        frames.pop();
                    }
                }
                "FROM"
                    if frame.is_call
                        || self.before(at) == "DISTINCT"
                            && self.before(at.saturating_sub(1)) == "IS" => {}
                "STRAIGHT_JOIN" | "APPLY" if !frame.lists => {}
                "FROM" | "JOIN" | "STRAIGHT_JOIN" | "APPLY" | "INTO" | "TABLE" | "USING" => {
                    set(
                        &mut frames,
                        Frame {
                            expects: word != "USING" || self.word(at + 1) != "(",
                            lists: true,
                            ..frame
                        },
                    );
                }
                "UPDATE" if self.begins(at) => {
                    set(&mut frames, Frame { expects: true, lists: true, ..frame })
                }
                "," if frame.lists => set(&mut frames, Frame { expects: true, ..frame }),
                "ONLY" | "LATERAL" | "IGNORE" | "LOW_PRIORITY" | "OR" if frame.expects => {}
                "SELECT" | "WHERE" | "GROUP" | "ORDER" | "HAVING" | "LIMIT" | "SET" | "VALUES"
                | "RETURNING" | "WINDOW" | "OFFSET" => {
                    let sorts = word == "ORDER";
                    set(&mut frames, Frame { expects: false, lists: false, sorts, ..frame });
                }
                "*" => {
                    let of_call = self.before(at) == "("
                        && at.checked_sub(2).is_some_and(|name| self.word(name) == "COUNT");
                    self.takes_all |= !of_call
                        && matches!(
                            self.before(at),
                            "SELECT" | "," | "." | "DISTINCT" | "ALL" | "(" | "RETURNING"
                        );
                }
                _ => {
                    if let Some((name, end)) = self.dotted(at) {
                        next = end;
                        let is_called = self.word(end) == "(";
                        // A table has one other name: a third one in a row is the table of a join that is not known here.
                        let is_third = frame.lists && self.is_third(at);
                        if frame.expects || is_third {
                            let inserts = self.before(at) == "INTO";
                            if is_called && !inserts {
                                self.calls.insert(name);
                            } else {
                                self.tables.push((name, at));
                            }
                            set(&mut frames, Frame { expects: false, ..frame });
                        } else if is_called && !self.is_selection(at) {
                            self.calls.insert(name);
                        } else {
                            let column = name.rsplit('.').next().unwrap_or_default().to_owned();
                            let is_bare = matches!(self.before(at), "BY" | ",")
                                && matches!(
                                    self.word(end),
                                    "" | "," | "ASC" | "DESC" | "NULLS" | "LIMIT" | ")"
                                );
                            if frame.sorts && is_bare {
                                self.sorted.insert((column, self.depth(at)));
                            } else if !self.is_alias(at) {
                                self.names.insert(column);
                            }
                        }
                    } else if self.word(next) == "("
                        && CALLED_KEYWORDS.binary_search(&word).is_err()
                        && is_word(word)
                    {
                        self.calls.insert(word.to_owned());
                    }
                }
            }
            at = next;
        }
    }

    /// Whether two names stand before this one, the latter of them without an `AS`.
    fn is_third(&self, at: usize) -> bool {
        let is_name =
            |back: usize| at.checked_sub(back).is_some_and(|before| self.name(before).is_some());
        is_name(1)
            && (is_name(2) || at.checked_sub(2).is_some_and(|before| self.word(before) == "AS"))
    }

    fn starts_selection(&self, at: usize) -> bool {
        matches!(self.word(at), "SELECT" | "WITH" | "VALUES")
    }

    /// `name (columns) AS (…)` of a `WITH`.
    fn is_selection(&self, at: usize) -> bool {
        self.selections
            .iter()
            .any(|(_, from)| *from == at || at < *from && self.close(at + 1) < *from)
            && self.depth(at) == 0
            && matches!(self.before(at), "WITH" | "RECURSIVE" | ",")
    }
}

fn set(frames: &mut [Frame], frame: Frame) {
    if let Some(last) = frames.last_mut() {
        *last = frame;
    }
}

fn is_word(word: &str) -> bool {
    word.starts_with(|letter: char| letter.is_alphabetic() || letter == '_')
}

pub(super) fn is_sign(token: &Token, sign: &str) -> bool {
    token.kind == TokenKind::Operator && &*token.text == sign
}

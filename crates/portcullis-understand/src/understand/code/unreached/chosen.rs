//! Tables of functions of which a script only asks for some: `COMMANDS = {"test": …, "wipe": …}` where nothing but `COMMANDS["test"]` is called.
//! Owns which entries nothing can reach; a table that is asked for by anything else than a key that is known keeps all of its own.

use std::ops::Range;

use portcullis_syntax::code::TokenKind;

use super::super::interpreter::Interpreter;

/// How many tables are looked at, and how many entries each may have.
const TABLES: usize = 16;

/// See [`TABLES`].
const ENTRIES: usize = 64;

/// Functions of Python that look at the keys of a table, or count them.
const LOOKS_AT_KEYS: &[&str] = &["bool", "join", "len", "list", "set", "sorted", "tuple"];

/// How the entries of a table are found.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// By their names.
    Named,
    /// By their places.
    List,
    /// By what `get` is given.
    Map,
}

/// One entry of a table.
struct Entry {
    key: String,
    /// What stands for it, where that is a function or the name of one.
    value: Option<Range<usize>>,
}

impl Interpreter<'_, '_, '_> {
    /// The entries of tables that nothing before the token at `end` asks for.
    pub(super) fn unchosen(&mut self, end: usize) -> Vec<Range<usize>> {
        let is_uncalled = self.functions.iter().any(|function| !function.called);
        if !is_uncalled {
            return Vec::new();
        }
        let tables: Vec<(usize, usize, Kind)> =
            (0..end).filter_map(|at| self.table_at(at)).collect();
        if tables.is_empty() || tables.len() > TABLES || !self.spend(tables.len() * (end / 8 + 1)) {
            return Vec::new();
        }
        let mut all = Vec::new();
        for (name, open, kind) in tables {
            let Some(entries) = self.entries_of(open, kind) else { continue };
            let Some(keys) = self.keys_asked_for(name, open, kind, end) else { continue };
            let left = entries.into_iter().filter(|entry| !keys.contains(&entry.key));
            all.extend(left.filter_map(|entry| entry.value));
        }
        all
    }

    /// The table that the name at `at` is given: where it begins, and how its entries are found.
    fn table_at(&self, at: usize) -> Option<(usize, usize, Kind)> {
        if self.name_at(at + 1) != "=" || !self.is_name(at) {
            return None;
        }
        let before = at.checked_sub(1).map_or("", |before| self.name_at(before));
        let is_declared = match self.language {
            "python" => self.unit.tokens.get(at).is_some_and(|token| token.first),
            _ => matches!(before, "const" | "let" | "var"),
        };
        let open = at + 2;
        let table = match (self.name_at(open), self.name_at(open + 1)) {
            ("{", _) => (open, Kind::Named),
            ("[", _) => (open, Kind::List),
            ("new", "Map") if self.name_at(open + 3) == "[" => (open + 3, Kind::Map),
            _ => return None,
        };
        // `{…}[name]` is one of the entries.
        let close = self.unit.partners.get(table.0).copied()?;
        let behind = close + 1 + usize::from(table.1 == Kind::Map);
        let is_whole = matches!(self.name_at(behind), "" | ";")
            || self.unit.tokens.get(behind).is_some_and(|token| token.first);
        (is_declared && is_whole && self.name_at(behind) != "[").then_some((at, table.0, table.1))
    }

    /// The entries of a table, where each is understood.
    fn entries_of(&self, open: usize, kind: Kind) -> Option<Vec<Entry>> {
        let close = self.unit.partners.get(open).copied()?;
        // Those that know their table may call each other.
        if (open..close).any(|at| matches!(self.name_at(at), "super" | "this")) {
            return None;
        }
        let mut entries = Vec::new();
        let mut from = open + 1;
        while from < close {
            let mut end = from;
            while end < close && self.name_at(end) != "," {
                // Its parameters have commas of their own.
                if self.name_at(end) == "lambda" {
                    end = (end..close).find(|at| self.name_at(*at) == ":").unwrap_or(close);
                }
                end = self.unit.partners.get(end).copied().unwrap_or(end).max(end) + 1;
            }
            if from < end {
                let index = entries.len();
                entries.push(match kind {
                    Kind::Named => self.named_entry(from, end)?,
                    Kind::List => {
                        Entry { key: index.to_string(), value: self.chosen_function(from..end) }
                    }
                    Kind::Map => {
                        let is_pair = self.name_at(from) == "["
                            && self.unit.partners.get(from) == Some(&(end - 1))
                            && self.name_at(from + 2) == ",";
                        let key = self.literal_at(from + 1).filter(|_| is_pair)?;
                        Entry { key, value: self.chosen_function(from + 3..end - 1) }
                    }
                });
            }
            if entries.len() > ENTRIES {
                return None;
            }
            from = end + 1;
        }
        Some(entries)
    }

    /// `"wipe": lambda: …`, `wipe: () => …`, `async wipe() { … }`, `get wipe() { … }`, `wipe`
    fn named_entry(&self, from: usize, end: usize) -> Option<Entry> {
        let is_python = self.language == "python";
        let mut at = from;
        while !is_python
            && matches!(self.name_at(at), "async" | "get" | "*")
            && !matches!(self.name_at(at + 1), ":" | "(" | ",")
            && at + 1 < end
        {
            at += 1;
        }
        let key = match self.literal_at(at) {
            Some(key) => key,
            None if is_python || !self.is_name(at) => return None,
            None => self.name_at(at).to_owned(),
        };
        let value = match self.name_at(at + 1) {
            ":" => self.chosen_function(at + 2..end),
            "(" if !is_python => Some(at + 1..end),
            _ if !is_python && at + 1 == end => Some(at..end),
            _ => return None,
        };
        Some(Entry { key, value })
    }

    /// The text that stands at `at`, where nothing is put into it.
    pub(in super::super) fn literal_at(&self, at: usize) -> Option<String> {
        let token = self.unit.tokens.get(at)?;
        let text = token.span.of(self.source);
        let inner = text.get(1..text.len().checked_sub(1)?)?;
        let is_plain = matches!(token.kind, TokenKind::Text(_))
            && text.starts_with(['"', '\'', '`'])
            && !inner.contains(['\\', '$', '"', '\'', '`']);
        is_plain.then(|| inner.to_owned())
    }

    /// These tokens, where they are a function, or the name of one.
    fn chosen_function(&self, range: Range<usize>) -> Option<Range<usize>> {
        let (start, end) = (range.start, range.end);
        let start = start + usize::from(self.name_at(start) == "async");
        let close = self.unit.partners.get(start).copied().unwrap_or(start);
        let is_function = match self.name_at(start) {
            // What stands for an argument of one is computed where it is made.
            "lambda" => {
                let colon = (start..end).find(|at| self.name_at(*at) == ":")?;
                !(start..colon).any(|at| self.name_at(at) == "(")
            }
            "function" => self.unit.partners.get(end - 1).is_some_and(|open| *open > start),
            "(" => self.name_at(close + 1) == "=>",
            _ if self.name_at(start + 1) == "=>" => true,
            _ => start + 1 == end && self.is_name(start),
        };
        is_function.then_some(range)
    }

    /// The keys by which the table at `open` is asked for; nothing where something else may be done with it.
    fn keys_asked_for(
        &mut self,
        name: usize,
        open: usize,
        kind: Kind,
        end: usize,
    ) -> Option<Vec<String>> {
        let word = self.name_at(name).to_owned();
        let mut keys = Vec::new();
        for at in 0..end {
            let token = self.unit.tokens.get(at)?;
            let text = token.span.of(self.source);
            if matches!(token.kind, TokenKind::Text(_) | TokenKind::Command(_)) {
                if text.contains('{') && text.contains(&word) {
                    return None;
                }
                continue;
            }
            if at == name || text != word {
                continue;
            }
            let before = at.checked_sub(1).map_or("", |before| self.name_at(before));
            if before == "." {
                continue;
            }
            if open < at && self.unit.partners.get(open).is_some_and(|close| at < *close) {
                return None;
            }
            keys.extend(self.key_asked_at(at, kind)?);
        }
        Some(keys)
    }

    /// The key by which the table is asked for that is named at `at`, or none where it is only looked at.
    fn key_asked_at(&mut self, at: usize, kind: Kind) -> Option<Option<String>> {
        let before = at.checked_sub(1).map_or("", |before| self.name_at(before));
        let called = at.checked_sub(2).map_or("", |called| self.name_at(called));
        let member = self.name_at(at + 2);
        let (key, behind) = match self.name_at(at + 1) {
            "[" => {
                let close = self.unit.partners.get(at + 1).copied()?;
                let key = match kind {
                    _ if close != at + 3 => None,
                    Kind::List => Some(member).filter(|it| it.bytes().all(|b| b.is_ascii_digit())),
                    _ => None,
                };
                let key = key.map(str::to_owned);
                let key = match kind {
                    Kind::Named if close == at + 3 => {
                        self.literal_at(at + 2).or_else(|| self.constant_text(at + 2))
                    }
                    _ => key,
                };
                (key?, close + 1)
            }
            "." | "?." => {
                let first = self.literal_at(at + 4);
                let is_alone = matches!(self.name_at(at + 5), ")" | ",");
                match (kind, member) {
                    (Kind::List, "length") | (Kind::Map, "size") => return Some(None),
                    (Kind::Map, "keys" | "has") => return Some(None),
                    (Kind::Named, "keys") if self.language == "python" => return Some(None),
                    (Kind::Named, "get") if self.language == "python" && is_alone => {
                        return first.map(Some);
                    }
                    (Kind::Map, "get") if is_alone => return first.map(Some),
                    (Kind::List, "at") if self.name_at(at + 5) == ")" => {
                        let place = self.name_at(at + 4);
                        let is_place = place.bytes().all(|it| it.is_ascii_digit());
                        return is_place.then(|| Some(place.to_owned()));
                    }
                    (Kind::Named, _) if self.language == "javascript" => {
                        (member.to_owned(), at + 3)
                    }
                    _ => return None,
                }
            }
            ")" if before == "(" && kind != Kind::Map => {
                let looks = match self.language {
                    "python" => {
                        LOOKS_AT_KEYS.contains(&called) && (kind == Kind::Named || called == "len")
                    }
                    _ => matches!(called, "getOwnPropertyNames" | "keys") && kind == Kind::Named,
                };
                return looks.then_some(None);
            }
            _ if before == "in" && kind == Kind::Named => return Some(None),
            _ => return None,
        };
        // What a key is given later is not what stands in the table.
        let is_given = matches!(self.name_at(behind), "=" | "??=" | "||=" | "&&=");
        (!is_given).then_some(Some(key))
    }

    /// What the name at `at` is worth all along, where that is a text.
    pub(in super::super) fn constant_text(&mut self, at: usize) -> Option<String> {
        let name = self.name_at(at).to_owned();
        let value = self.variables.get(&name)?.as_known()?.to_owned();
        (self.is_name(at) && self.is_constant(&name, at)).then_some(value)
    }
}

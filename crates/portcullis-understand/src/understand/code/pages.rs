//! Pages that PHP fills in: what stands between its tags is code, everything else is printed. Owns where the tags are; what is no code is blank
//! afterwards, so that every place stays where it is. (php.net, "PHP tags", "Escaping from HTML")

use std::borrow::Cow;

/// A page without what is no code.
pub(super) struct Page<'c> {
    pub(super) code: Cow<'c, str>,
    /// Whether something is printed that stands outside of the tags, or in `<?= … ?>`.
    pub(super) prints: bool,
    /// Whether it begins with a tag: then it is a page. Another text may be what `php -r` is given, with a page in one of its strings.
    pub(super) is_sure: bool,
}

/// The tags that begin code, the longest first.
const OPEN: &[&str] = &["<?php", "<?="];

/// What a page says as code; nothing where there are no tags.
pub(super) fn page(source: &str) -> Option<Page<'_>> {
    if !source.contains("<?") {
        return None;
    }
    let begin = match source.strip_prefix("#!") {
        Some(rest) => rest.find('\n').map_or(source.len(), |at| at + 3),
        None => 0,
    };
    let is_sure = source.get(begin..).is_some_and(|it| it.trim_start().starts_with("<?"));
    let first = source.find("<?")?;
    // What most are: a tag, and code to the end.
    let mut reader = Reader { source, at: begin, code: String::with_capacity(source.len()) };
    reader.code.push_str(source.get(..begin)?);
    let mut prints = source.get(begin..first).is_some_and(|it| !it.trim().is_empty());
    while reader.at < source.len() {
        prints |= reader.blank_to_tag();
        reader.code_to_tag();
    }
    Some(Page { code: Cow::Owned(reader.code), prints, is_sure })
}

struct Reader<'s> {
    source: &'s str,
    at: usize,
    code: String,
}

impl<'s> Reader<'s> {
    fn rest(&self) -> &'s str {
        self.source.get(self.at..).unwrap_or_default()
    }

    /// Leaves out so many bytes; lines stay lines.
    fn blank(&mut self, bytes: usize) {
        let end = (self.at + bytes).min(self.source.len());
        for byte in self.source.as_bytes().get(self.at..end).unwrap_or_default() {
            self.code.push(if *byte == b'\n' { '\n' } else { ' ' });
        }
        self.at = end;
    }

    fn keep(&mut self, bytes: usize) {
        let end = (self.at + bytes).min(self.source.len());
        self.code.push_str(self.source.get(self.at..end).unwrap_or_default());
        self.at = end;
    }

    /// Leaves out what is printed as it stands, and the tag behind it; whether there is any of it.
    fn blank_to_tag(&mut self) -> bool {
        let rest = self.rest();
        let tags = rest.match_indices("<?").find(|(at, _)| {
            let tag = rest.get(*at..).unwrap_or_default();
            let is_short = tag.as_bytes().get(2).is_none_or(u8::is_ascii_whitespace);
            is_short || begins(tag, OPEN).is_some()
        });
        let text = tags.map_or(rest.len(), |(at, _)| at);
        let prints = rest.get(..text).is_some_and(|it| !it.trim().is_empty());
        self.blank(text);
        let tag = begins(self.rest(), OPEN);
        self.blank(tag.map_or(2, str::len));
        prints || tag == Some("<?=")
    }

    /// Keeps the code up to the tag that ends it.
    fn code_to_tag(&mut self) {
        while let Some(byte) = self.rest().bytes().next() {
            let rest = self.rest();
            match byte {
                b'?' if rest.starts_with("?>") => {
                    self.code.push_str("; ");
                    self.at += 2;
                    return;
                }
                b'\'' | b'"' | b'`' => self.keep(quoted(rest, byte)),
                b'/' if rest.starts_with("/*") => {
                    let end = rest.find("*/").map_or(rest.len(), |at| at + 2);
                    self.keep(end);
                }
                b'#' | b'/'
                    if rest.starts_with("//") || byte == b'#' && !rest.starts_with("#[") =>
                {
                    let line = rest.find('\n').unwrap_or(rest.len());
                    let tag = rest.find("?>").unwrap_or(rest.len());
                    // The comment that a tag ends would hide what is behind it.
                    match tag < line {
                        true => self.blank(tag),
                        false => self.keep(line),
                    }
                }
                b'<' if rest.starts_with("<<<") => self.keep(here_document(rest)),
                _ => self.keep(rest.chars().next().map_or(1, char::len_utf8)),
            }
        }
    }
}

/// The tag that a text begins with, whatever its case.
fn begins(text: &str, tags: &[&'static str]) -> Option<&'static str> {
    let is_it = |tag: &&&str| text.get(..tag.len()).is_some_and(|it| it.eq_ignore_ascii_case(tag));
    tags.iter().find(is_it).copied()
}

/// How long a text in quotes is, with them.
fn quoted(text: &str, quote: u8) -> usize {
    let mut bytes = text.bytes().enumerate().skip(1);
    while let Some((at, byte)) = bytes.next() {
        if byte == b'\\' {
            bytes.next();
        } else if byte == quote {
            return at + 1;
        }
    }
    text.len()
}

/// How long `<<<NAME … NAME` is; three bytes where it is none.
fn here_document(text: &str) -> usize {
    let behind = text.get(3..).unwrap_or_default().trim_start_matches([' ', '\t']);
    let name = behind.trim_start_matches(['\'', '"']);
    let end = name.find(|letter: char| !letter.is_alphanumeric() && letter != '_');
    let name = name.get(..end.unwrap_or(name.len())).unwrap_or_default();
    if name.is_empty() {
        return 3;
    }
    let mut at = text.find('\n').map_or(text.len(), |at| at + 1);
    for line in text.get(at..).unwrap_or_default().split_inclusive('\n') {
        let blanks = line.len() - line.trim_start_matches([' ', '\t']).len();
        let ends = line.get(blanks..).and_then(|it| it.strip_prefix(name)).is_some_and(|behind| {
            behind.chars().next().is_none_or(|letter| !letter.is_alphanumeric() && letter != '_')
        });
        if ends {
            return at + blanks + name.len();
        }
        at += line.len();
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_code_is_blank_and_every_place_stays() {
        for (source, code, prints, is_sure) in [
            ("<?php a();", "      a();", false, true),
            ("#!/usr/bin/php\n<?php a();", "#!/usr/bin/php\n      a();", false, true),
            ("<?php // x ?><?PHP a();", "           ;       a();", false, true),
            ("<?php # x\na();", "      # x\na();", false, true),
            (
                "<?php '?>' . \"\\\"?>\" ?> it's <? b()",
                "      '?>' . \"\\\"?>\" ;          b()",
                true,
                true,
            ),
            ("<?php <<<X\n ?>\n X; a() ?>", "      <<<X\n ?>\n X; a() ; ", false, true),
            ("it's <?= a() ?> x", "         a() ;   ", true, false),
            ("<?php /* ?> */ a(1 <?xml", "      /* ?> */ a(1 <?xml", false, true),
        ] {
            let page = page(source).unwrap();
            assert_eq!(page.code, code, "{source}");
            assert_eq!(page.code.len(), source.len(), "{source}");
            assert_eq!((page.prints, page.is_sure), (prints, is_sure), "{source}");
        }
        assert!(page("a();").is_none());
    }

    #[test]
    fn every_text_keeps_its_length() {
        let pieces = ["<?php ", "?>", "<?=", "'", "\"", "/*", "//", "<<<X", "\n", "é", "#", "\\"];
        for one in pieces {
            for two in pieces {
                for three in pieces {
                    let source = format!("<?php {one}{two}{three}é");
                    assert_eq!(page(&source).unwrap().code.len(), source.len(), "{source}");
                }
            }
        }
    }
}

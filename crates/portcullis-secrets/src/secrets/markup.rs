//! Secrets in elements of XML and property lists: `<password>…</password>`, `<property name="password">…</property>`,
//! `<key>password</key><string>…</string>`. Owns where the text of such an element lies.

use super::{
    delimit::Value,
    scan::Scan,
    source::{is_name, is_quote},
};

/// How much may stand between a name and its text: attributes, a line's end, the next element's beginning.
const BETWEEN: usize = 160;

impl Scan<'_> {
    /// The text of the element that a name belongs to.
    pub(super) fn element(&self, name_start: usize, name_end: usize) -> Option<Value> {
        let source = self.source;
        let is_tag = {
            let before = source.slice(name_start.saturating_sub(24), name_start);
            let space = before.strip_suffix(b":").unwrap_or(before);
            let letters = space.iter().rev().take_while(|byte| is_name(**byte)).count();
            let opened = space.len().checked_sub(letters + 1).and_then(|at| space.get(at));
            before.last() == Some(&b'<') || space.len() < before.len() && opened == Some(&b'<')
        };
        let start = match source.at(name_end) {
            b'>' if is_tag => name_end + 1,
            b' ' | b'\t' if is_tag => self.behind_tag(name_end)?,
            b'<' => self.next_element(name_end)?,
            quote if is_quote(quote) => self.behind_tag(name_end + 1)?,
            _ => return None,
        };
        // A text may have an element of its own.
        let start = [&b"<value>"[..], b"<string>"]
            .iter()
            .find(|tag| source.has_word(start, tag))
            .map_or(start, |tag| start + tag.len());
        let end = source.skip(start, |byte| byte != b'<');
        (start < end && source.at(end + 1) == b'/').then_some(Value { start, end, quoted: true })
    }

    /// Behind the `>` of the tag that goes on at `from`.
    fn behind_tag(&self, from: usize) -> Option<usize> {
        let source = self.source;
        let end = source
            .skip_at_most(from, BETWEEN, |byte| !matches!(byte, b'<' | b'>' | b'\n' | b'{' | b';'));
        let closed = source.at(end) == b'>' && !matches!(source.at(end - 1), b'/' | b'=' | b'-');
        closed.then_some(end + 1)
    }

    /// Where the text of the element begins that follows the one that ends at `from`.
    fn next_element(&self, from: usize) -> Option<usize> {
        let source = self.source;
        let end = source.skip_at_most(from + 1, BETWEEN, |byte| byte != b'>');
        if source.at(from + 1) != b'/' || source.at(end) != b'>' {
            return None;
        }
        let next = source.skip_at_most(end + 1, BETWEEN, |byte| byte.is_ascii_whitespace());
        [&b"<string>"[..], b"<value>", b"<data>"]
            .iter()
            .find(|tag| source.has_word(next, tag))
            .map(|tag| next + tag.len())
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::are_told_apart;

    #[test]
    fn texts_of_elements_are_read_and_types_in_brackets_are_not() {
        let given: Vec<_> = [
            "<password>kT7vQ2mX9wZ</password>",
            "<wsse:Password Type=\"PasswordText\">kT7vQ2mX9wZ</wsse:Password>",
            "<Password><Value>kT7vQ2mX9wZ</Value></Password>",
            "<property name=\"connection.password\">kT7vQ2mX9wZ</property>",
            "<name>db.password</name>\n  <value>kT7vQ2mX9wZ</value>",
            "<key>Password</key>\n<string>kT7vQ2mX9wZ</string>",
        ]
        .iter()
        .map(|text| ((*text).to_owned(), "password"))
        .collect();
        are_told_apart(
            &given,
            &[
                "<Password></Password>",
                "<property name=\"password\">${db.password}</property>",
                "<key>CFBundleShortVersionString</key><string>1.2.3</string>",
                "modes: Option<PskModes>,\n    /// More than one (2)\n    names: Option<Vec<Name>>,",
                "<label for=\"password\">Your password</label>",
            ],
        );
    }
}

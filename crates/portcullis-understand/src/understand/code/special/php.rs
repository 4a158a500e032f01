//! Calls of PHP whose arguments say what they are.

use portcullis_syntax::Span;

use super::super::{
    acts::is_address,
    handed,
    interpreter::Interpreter,
    tables::Act,
    value::{Given, Value, mixed},
};
use crate::{
    bound::Bounded,
    effect::{Argument, GapReason, WriteMode},
    programs::host::Host,
    text::{Piece, Text},
};

/// Under which name the archive that is open is remembered.
const ARCHIVE: &str = "the archive";

impl Interpreter<'_, '_, '_> {
    pub(super) fn special_in_php(
        &mut self,
        path: &str,
        last: &str,
        given: &[Given],
        span: Span,
    ) -> Option<Value> {
        let first = given.first();
        // To whom the script does not say.
        if matches!(path, "mail" | "mb_send_mail" | "wp_mail")
            && first.is_none_or(|first| first.value.as_known().is_none_or(|to| to.contains(',')))
        {
            self.message_goes_out(span);
        }
        if matches!(path, "include" | "include_once" | "require" | "require_once")
            && let Some(first) = first
        {
            let argument = self.place_of(Some(first));
            let prefix = argument.text.known_prefix();
            if is_address(prefix) {
                let code = self.walk.connect(&argument, None, false);
                return Some(self.run_code(path, "php", &Value::Text(code), first.span));
            }
            if ["data:", "php://input", "php://filter", "expect:"]
                .iter()
                .any(|scheme| prefix.starts_with(scheme))
            {
                self.walk.gap(first.span, GapReason::UnknownCode);
            }
        }
        if matches!(path, "include" | "include_once" | "require" | "require_once")
            && let Some(first) = first
            && let Some(file) = self.written_before(first)
        {
            return Some(self.act(Act::Script, path, &[file], span));
        }
        // Functions of a library of C: `FFI::cdef("int unlink(const char *path);")->unlink($path)`.
        if matches!(path, "FFI.cdef" | "FFI.load" | "FFI.scope" | "FFI") {
            self.seen.native_call = Some(span);
            return Some(Value::name("native()"));
        }
        if let Some(value) = self.by_handle_in_php(path, &Text::default(), given, span) {
            return Some(value);
        }
        if let Some(value) = self.of_files_in_php(path, given, span) {
            return Some(value);
        }
        // `print_r($values, true)` gives the text that it would print.
        if let ("print_r" | "var_export", [value, gives]) = (path, given)
            && gives.value.is_true()
        {
            return Some(Value::Text(mixed("a text", [&value.value])));
        }
        // `curl_setopt($request, CURLOPT_POSTFIELDS, $data)`, and where it goes.
        if let ("curl_setopt", [_, option, value]) = (path, given) {
            let act = match &option.value {
                Value::Name(name, _) if name.ends_with("POSTFIELDS") => Act::Send,
                Value::Name(name, _) if name.ends_with("OPT_URL") => Act::Get,
                _ => Act::Nothing,
            };
            return Some(self.act(act, path, std::slice::from_ref(value), span));
        }
        if let ("curl_setopt_array", [_, Given { value: Value::Table(options), .. }]) =
            (path, given)
        {
            let address = options.iter().find(|(name, _)| name.ends_with("OPT_URL"));
            if let Some((_, address)) = address {
                let address = Given { name: None, value: address.clone(), span };
                self.act(Act::Get, "curl_setopt", &[address], span);
            }
            let body = options.iter().find(|(name, _)| name.ends_with("POSTFIELDS"));
            if let Some((_, body)) = body {
                let body = Given { name: None, value: body.clone(), span };
                return Some(self.act(Act::Send, path, &[body], span));
            }
        }
        // `(new ReflectionFunction('system'))->invokeArgs([…])`
        if last == "invokeArgs"
            && let [list] = given
            && let Some(function) = path.strip_suffix(".invokeArgs")
        {
            return Some(self.call_value(Value::name(function), handed::spread(list), span));
        }
        None
    }

    /// The file that a script includes, where it was written or fetched before: in an archive, the archive.
    fn written_before(&mut self, included: &Given) -> Option<Given> {
        /// How many directories of an archive are gone up.
        const AROUND: usize = 8;
        let text = included.value.text();
        let known = text.as_known()?;
        let path = known.strip_prefix("phar://").unwrap_or(known).to_owned();
        self.flush();
        let around = std::iter::successors(Some(path.as_str()), |path| {
            path.rsplit_once('/').map(|(around, _)| around)
        });
        let levels = if known.starts_with("phar://") { AROUND } else { 1 };
        let found = around.leading(levels).find(|path| {
            !path.is_empty() && self.walk.wrote(&text.derive([Piece::Known((*path).to_owned())]))
        })?;
        let value = Value::Text(text.derive([Piece::Known(found.to_owned())]));
        Some(Given { value, ..included.clone() })
    }

    /// Functions and classes of PHP that name, find or hand on files.
    fn of_files_in_php(&mut self, path: &str, given: &[Given], span: Span) -> Option<Value> {
        match (path, given) {
            // What is sent is what it holds.
            ("CURLFile" | "curl_file_create", [file, ..]) => {
                let file = self.place_of(Some(file));
                self.flush();
                let content = self.walk.read_by_script(&file);
                Some(Value::Text(content))
            }
            ("copy", [from, _, ..]) if is_address(from.value.text().known_prefix()) => {
                Some(self.act(Act::Download, path, given, span))
            }
            ("extract", [table, rest @ ..]) => {
                let Value::Table(entries) = &table.value else { return None };
                if rest.is_empty() {
                    for (name, value) in entries.clone() {
                        self.bind(format!("${name}"), value);
                    }
                }
                None
            }
            ("tempnam", _) => Some(Value::known("/tmp/tmp.made")),
            // What goes into an archive that is written by a name.
            ("ZipArchive().open" | "ZipArchive.open", [archive, ..]) => {
                self.bind(ARCHIVE.to_owned(), archive.value.clone());
                None
            }
            ("ZipArchive().addFile" | "ZipArchive.addFile", [file, ..]) => {
                let archive = self.bound(ARCHIVE)?;
                let file = self.place_of(Some(file));
                self.flush();
                let content = self.walk.read_by_script(&file);
                let archive = Argument { text: archive.text(), span };
                self.walk.write(&archive, WriteMode::Append, content);
                Some(Value::unknown("whether it was added"))
            }
            // What they give is the whole path of what lies below.
            (
                "DirectoryIterator" | "FilesystemIterator" | "RecursiveDirectoryIterator",
                [directory, ..],
            ) => {
                let root = self.place_of(Some(directory));
                self.flush();
                let names = self.listed(&root);
                let (Value::Text(text), Some(known)) = (&names, root.text.as_known()) else {
                    return Some(names);
                };
                if !text.known_prefix().is_empty() {
                    return Some(names);
                }
                let below = format!("{}/", known.trim_end_matches('/'));
                let mut all = text.derive([Piece::Known(below), Piece::Glob("**".to_owned())]);
                all.inherit(&root.text);
                Some(Value::Text(all))
            }
            // The same elements, or some of them.
            (
                "array_diff"
                | "array_filter"
                | "array_intersect"
                | "array_reverse"
                | "array_slice"
                | "array_unique"
                | "array_values"
                | "array_walk"
                | "array_walk_recursive"
                | "iterator_to_array",
                [list, ..],
            ) => Some(list.value.clone()),
            // What is printed from here on is what it is called with.
            ("ob_start", [function, ..])
                if function.value.as_known().is_some_and(|name| self.does_something(name)) =>
            {
                self.walk.gap(function.span, GapReason::UnknownCode);
                None
            }
            _ => None,
        }
    }
}

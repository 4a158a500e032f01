//! Calls of Perl whose arguments say what they are: what is opened and how, forms that are posted, objects that are blessed.

use portcullis_syntax::Span;

use super::{
    super::{
        interpreter::Interpreter,
        tables::Act,
        value::{Given, Value},
    },
    BLESSED, files,
};
use crate::{
    effect::{GapReason, WriteMode},
    text::Text,
};

impl Interpreter<'_, '_, '_> {
    /// Calls of Perl's modules whose arguments say what they are.
    pub(in super::super) fn special_in_perl(
        &mut self,
        path: &str,
        given: &[Given],
        span: Span,
    ) -> Option<Value> {
        match (path, given) {
            ("find" | "finddepth" | "File.Find.find" | "File.Find.finddepth", _) => {
                self.walk_below(given);
                None
            }
            // `syscall(87, $path)`: functions of the kernel by their numbers on x86-64.
            ("syscall", [Given { value: Value::Number(number), .. }, rest @ ..]) => {
                match number {
                    // unlink, rmdir
                    84 | 87 => return Some(self.act(Act::Delete, path, rest, span)),
                    // getpid, gettid, getuid, getgid, getppid, time
                    39 | 186 | 102 | 104 | 110 | 201 => {}
                    _ => self.walk.gap(span, GapReason::UnknownCode),
                }
                Some(Value::unknown("what the kernel gives"))
            }
            // What only says how a handle is read or written.
            ("binmode" | "fileno" | "flock" | "seek", _) => Some(Value::unknown("a state")),
            (path, [name]) if path.ends_with(".can") => {
                let owner = path.strip_suffix("can").unwrap_or_default();
                let known = name.value.as_known()?;
                let whole = format!("{owner}{known}").replace('.', "::");
                let whole = Value::known(&whole);
                match self.named.get(known) {
                    Some(index) => Some(Value::Function(*index)),
                    None => self.named_function(&whole),
                }
            }
            (
                "File.Spec.catdir"
                | "File.Spec.catfile"
                | "File.Spec.Functions.catdir"
                | "File.Spec.Functions.catfile"
                | "catdir"
                | "catfile",
                [first, rest @ ..],
            ) => {
                let mut path = first.value.text();
                for part in rest {
                    path.push_known("/");
                    path.append(&part.value.text());
                }
                Some(Value::Text(path))
            }
            ("glob", [pattern]) if files::is_one_path(&pattern.value.text()) => {
                Some(pattern.value.clone())
            }
            ("File.Spec.rel2abs" | "File.Spec.canonpath" | "rel2abs" | "canonpath", [path]) => {
                Some(path.value.clone())
            }
            ("tempdir" | "File.Temp.tempdir" | "File.Temp.newdir", _)
                if !given.iter().any(|it| {
                    it.name.as_deref() == Some("DIR") || it.value.as_known() == Some("DIR")
                }) =>
            {
                Some(Value::known("/tmp/tmp.made"))
            }
            ("File.Spec.tmpdir" | "tmpdir", []) => Some(Value::known("/tmp")),
            // The text of a function, which is not called. (perldoc, B::Deparse)
            (path, [function]) if path.ends_with(".coderef2text") => {
                let Value::Function(index) = function.value else { return None };
                let known = self.functions.get_mut(index)?;
                known.called = true;
                let body = known.body.clone();
                let from = self.unit.tokens.get(body.start)?.span.range().start;
                let to = self.unit.tokens.get(body.end)?.span.range().start;
                Some(Value::known(self.source.get(from..to).unwrap_or_default()))
            }
            ("bless", [object, ..]) => {
                let all = match self.variables.get(BLESSED).cloned() {
                    Some(before) => before.or(object.value.clone()),
                    None => object.value.clone(),
                };
                self.bind(BLESSED.to_owned(), all);
                Some(object.value.clone())
            }
            ("join", [separator, rest @ ..])
                if !rest.is_empty()
                    && rest.iter().all(|it| {
                        matches!(&it.value, Value::Number(_)) || it.value.as_known().is_some()
                    }) =>
            {
                let mut text = Text::default();
                for (at, part) in rest.iter().enumerate() {
                    if at > 0 {
                        text.append(&separator.value.text());
                    }
                    text.append(&part.value.text());
                }
                self.spend(text.len() / 32);
                Some(Value::Text(text))
            }
            _ if self.is_form(path) => self.form_with_files(path, given, span),
            ("sysopen", [_, file, mode, ..])
            | ("POSIX.open" | "IO.File" | "IO.File.new" | "IO.File.new().open", [file, mode, ..]) =>
            {
                let file = Given { name: None, value: file.value.clone(), span };
                Some(self.opened_as(&file, &mode.value))
            }
            ("IO.File" | "IO.File.new" | "IO.File.new().open", [both]) => {
                let given =
                    [Given { name: None, value: Value::unknown("a handle"), span }, both.clone()];
                Some(self.act(Act::Open, "open", &given, span))
            }
            ("tie", [_, class, file, ..])
                if matches!(
                    class.value.as_known(),
                    Some("DB_File" | "GDBM_File" | "NDBM_File" | "SDBM_File" | "Tie::File")
                ) =>
            {
                let file = Given { name: None, value: file.value.clone(), span };
                Some(self.opened_as(&file, &Value::known("a")))
            }
            _ => None,
        }
    }

    /// Whether a call sends a form.
    pub(super) fn is_form(&self, path: &str) -> bool {
        let last = path.rsplit('.').next().unwrap_or_default();
        matches!(last, "POST" | "PUT" | "PATCH")
            || matches!(last, "post" | "put" | "patch") && path.contains("LWP")
    }

    /// A file that is opened with a mode as C has it, or with flags.
    pub(super) fn opened_as(&mut self, file: &Given, mode: &Value) -> Value {
        let shown = match mode {
            Value::Number(_) => String::new(),
            mode => mode.text().display(),
        };
        let appends =
            shown.contains("APPEND") || shown.starts_with(['a']) || shown.starts_with(">>");
        let writes = match mode {
            // The bits of `fcntl.h` for writing, making, cutting and adding.
            Value::Number(flags) => flags & (1 | 2 | 0o100 | 0o1000 | 0o2000) != 0,
            mode => {
                appends
                    || mode
                        .as_known()
                        .is_some_and(|it| it.starts_with(['w', '>', '+', 'x']) || it.contains('+'))
                    || ["WRONLY", "RDWR", "CREAT", "TRUNC"].iter().any(|it| shown.contains(it))
                    || mode.as_known().is_none() && !shown.contains("RDONLY")
            }
        };
        let how = if appends { WriteMode::Append } else { WriteMode::Replace };
        let value = self.open_file(file, writes, how);
        if writes && let Value::File(index) = value {
            self.write_file(index, &Text::unknown("content"));
        }
        self.last_file = Some(self.files.len().saturating_sub(1));
        value
    }
}

//! Node's own ways to run a text and to listen to itself, and what unpacks an archive. Owns which calls those are.

use portcullis_syntax::Span;

use super::super::{
    interpreter::Interpreter,
    tables::Act,
    value::{Given, Value},
};
use crate::{
    effect::{Argument, GapReason},
    text::{Piece, Taint, Text},
};

/// What somebody is handed who listens to what the program itself does.
const TAPPED: &str = "tapped message";

/// What an unpacking stream is called, which has its directory in it.
const UNPACKS: &str = "an unpacking stream";

impl Interpreter<'_, '_, '_> {
    /// Node's own ways to run a text: its inspector, hooks of its loader, a shell of its own.
    pub(super) fn runs_inside(
        &mut self,
        path: &str,
        last: &str,
        given: &[Given],
        span: Span,
    ) -> Option<Value> {
        // `session.post("Runtime.evaluate", { expression })` (nodejs.org, "inspector"; the Chrome DevTools Protocol).
        if last == "post" && path.starts_with("inspector") {
            let method = given.first()?.value.as_known().map(str::to_owned);
            let said = given.iter().find_map(|it| {
                ["expression", "functionDeclaration", "scriptSource"]
                    .iter()
                    .find_map(|name| it.value.entry(name).cloned())
            });
            match (method, said) {
                (_, Some(value)) => {
                    let code = Given { name: None, value, span };
                    return Some(self.act(Act::Code, path, &[code], span));
                }
                (Some(method), None)
                    if !method.starts_with("Runtime.evaluate")
                        && !method.starts_with("Runtime.callFunctionOn")
                        && !method.starts_with("Debugger.evaluate") => {}
                _ => self.walk.gap(span, GapReason::UnknownCode),
            }
            return None;
        }
        // `registerHooks({ load() { return { source } } })`: what is loaded is what they say.
        if path == "module.registerHooks" {
            let load = given.first()?.value.entry("load").cloned();
            if let Some(Value::Function(index)) = load {
                let unknown = || Given { name: None, value: Value::unknown("a module"), span };
                let loaded = self.apply(index, Some(&[unknown(), unknown(), unknown()]));
                if let Some(source) = loaded.entry("source").cloned() {
                    let code = Given { name: None, value: source, span };
                    self.act(Act::Code, path, &[code], span);
                }
            }
            return None;
        }
        // `Module.prototype._compile.call(module, text, name)`
        if let ("call", Some(of)) = (last, path.strip_suffix(".call"))
            && of.ends_with("._compile")
        {
            return Some(self.act(Act::Code, of, given.get(1..).unwrap_or_default(), span));
        }
        None
    }

    /// `diagnostics_channel.subscribe(name, function)`: the function sees the requests of everybody in the program, with what they sign in with.
    pub(super) fn listens_to_itself(
        &mut self,
        path: &str,
        last: &str,
        given: &[Given],
        span: Span,
    ) -> Option<Value> {
        if last == "subscribe" && path.starts_with("diagnostics_channel") {
            let secret = || {
                Value::Text(Text { taint: Taint::SECRET, ..Text::unknown("headers of a request") })
            };
            self.bind(format!("{TAPPED}.request.headers"), secret());
            self.bind(format!("{TAPPED}.headers"), secret());
            let message = Given { name: None, value: Value::name(TAPPED), span };
            for one in given.iter().filter(|it| matches!(it.value, Value::Function(_))) {
                self.call_value(one.value.clone(), vec![message.clone()], span);
            }
            return Some(Value::unknown("nothing"));
        }
        let is_asked = path.starts_with(TAPPED)
            && matches!(last, "getHeader" | "getHeaders" | "getRawHeaderNames" | "get");
        is_asked.then(|| {
            Value::Text(Text { taint: Taint::SECRET, ..Text::unknown("headers of a request") })
        })
    }

    /// What unpacks an archive: into which directory, where its content came over the network.
    pub(in super::super) fn unpacks_archive(
        &mut self,
        path: &str,
        receiver: &Text,
        given: &[Given],
        span: Span,
    ) -> Option<Value> {
        let option = |names: &[&str]| {
            let of = |name: &&str| given.iter().find_map(|it| it.value.entry(name));
            names.iter().find_map(of).map(Value::text)
        };
        let at = |place: usize| given.get(place).map(|it| it.value.text());
        let is_text = |text: &Text| !text.known_prefix().is_empty();
        let (archive, directory) = match path {
            "unzip-stream.Extract" | "unzip.Extract" | "unzipper.Extract" => {
                (None, option(&["path"]))
            }
            "tar.extract" | "tar.x" => {
                let file = option(&["file", "f"]);
                (file, Some(option(&["cwd", "C"]).unwrap_or_else(|| Text::known("."))))
            }
            "tar-fs.extract" => (None, at(0)),
            "decompress" | "decompress.default" => (at(0), at(1).filter(is_text)),
            "extract-zip" | "extract-zip.default" => (at(0), option(&["dir"])),
            "adm-zip().extractAllTo" | "adm-zip().extractAllToAsync" | "adm-zip.extractAllTo" => {
                (Some(receiver.clone()), at(0))
            }
            _ => return None,
        };
        let mut directory = directory?;
        let Some(archive) = archive else {
            directory.taint = Taint::NONE;
            return Some(Value::reached(UNPACKS, directory));
        };
        // A file by its name, or what is in it.
        let content = match archive.known_prefix().is_empty() {
            true => archive,
            false => {
                self.flush();
                self.walk.read(&Argument { text: archive, span })
            }
        };
        self.put_unpacked(&content, directory, span);
        Some(Value::unknown("what was unpacked"))
    }

    /// What comes over the network is led into what unpacks it.
    pub(in super::super) fn unpacked(&mut self, content: &Text, to: &Value, span: Span) {
        if let Value::Name(path, directory) = to
            && &**path == UNPACKS
        {
            self.put_unpacked(content, directory.clone(), span);
        }
    }

    fn put_unpacked(&mut self, content: &Text, directory: Text, span: Span) {
        if !content.taint.has(Taint::NETWORK) {
            return;
        }
        self.flush();
        let directory = Argument { text: directory, span };
        let words = ["tar", "-x", "-f", "-", "-C"];
        let mut words: Vec<Argument> =
            words.iter().map(|word| Argument { text: Text::known(*word), span }).collect();
        words.push(directory.clone());
        let input = match content.is_empty() {
            true => content.derive([Piece::Unknown("an archive".into())]),
            false => content.clone(),
        };
        self.walk.run(&words, Some(input));
        self.walk.brought(&directory);
    }
}

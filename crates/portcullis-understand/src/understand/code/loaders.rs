//! Loaders and finders of modules that a script makes itself, and directories that it adds to those where modules are looked for. Owns what of
//! such a loader is code that the next import runs.

use portcullis_syntax::Span;

use super::{
    interpreter::Interpreter,
    value::{Given, Value},
};
use crate::{
    effect::Argument,
    text::{Taint, Text},
};

/// Methods of a loader that give the source or the code of a module (docs.python.org, "importlib.abc").
const GIVE_CODE: &[&str] = &["get_code", "get_data", "get_source"];

/// Methods that only what finds or loads modules has.
const OF_LOADERS: &[&str] =
    &["create_module", "exec_module", "find_module", "find_spec", "load_module"];

/// Words without one of which nothing that a script makes is asked for modules.
const ASKED: &[&str] = &[
    "meta_path",
    "module_from_spec",
    "path_hooks",
    "spec_from_loader",
    "ModuleSpec",
    "__loader__",
];

/// How many directories are remembered.
const DIRECTORIES: usize = 16;

impl Interpreter<'_, '_, '_> {
    /// What the script's own loaders give is code that an import runs.
    pub(super) fn run_what_loaders_give(&mut self) {
        if self.language != "python" || !ASKED.iter().any(|word| self.source.contains(word)) {
            return;
        }
        let classes: Vec<(String, Span)> = self
            .classes
            .iter()
            .filter(|(class, _)| self.is_loader(class))
            .map(|(class, body)| {
                let token = self.unit.tokens.get(body.start);
                (class.clone(), token.map(|token| token.span).unwrap_or_default())
            })
            .collect();
        for (class, span) in classes {
            for method in GIVE_CODE {
                let Some(index) = self.named.get(&format!("{class}.{method}")).copied() else {
                    continue;
                };
                let value = self.apply(index, None);
                let is_nothing = value.is_false()
                    || matches!(&value, Value::Text(text)
                        if text.taint.has(Taint::FILE) && !text.taint.has(Taint::NETWORK));
                if !is_nothing {
                    self.run_code("exec", "python", &value, span);
                }
            }
        }
    }

    /// Whether a class is made from one of importlib's, or has what only a loader has.
    fn is_loader(&self, class: &str) -> bool {
        let is_made = |class: &str| {
            self.bases.get(class).is_some_and(|base| {
                base.starts_with("importlib.") || base.starts_with("zipimport.")
            })
        };
        is_made(class)
            || self.parents.iter().any(|(own, base)| own == class && is_made(base))
            || OF_LOADERS.iter().any(|name| self.named.contains_key(&format!("{class}.{name}")))
    }

    /// `sys.path.insert(0, directory)`: modules are looked for there from now on.
    pub(super) fn looks_for_modules(&mut self, directory: Option<&Given>) {
        let Some(path) = directory.and_then(|it| it.value.as_known()) else { return };
        if self.search.len() >= DIRECTORIES {
            return self.limit();
        }
        self.search.push(path.trim_end_matches('/').to_owned());
    }

    /// Runs a module that the script put itself where modules are looked for.
    pub(super) fn import_written(&mut self, module: &str, span: Span) {
        if self.language != "python" || module.is_empty() {
            return;
        }
        let is_pending = self.files.iter().any(|file| {
            file.writes && !file.flushed && file.path.text.known_prefix().ends_with(".py")
        });
        if is_pending {
            self.flush();
        }
        let name = module.replace('.', "/");
        let mut directories = self.search.clone();
        directories.push(".".to_owned());
        for directory in directories {
            for ending in ["/__init__.py", ".py"] {
                let file = Text::known(format!("{directory}/{name}{ending}"));
                if !self.walk.wrote(&file) {
                    continue;
                }
                let file = Argument { text: file, span };
                let content = self.walk.read(&file);
                // What is generated of a project's own files is as its code is.
                if content.as_known().is_some() || content.taint.has(Taint::NETWORK) {
                    self.walk.script("python", &file, &[], None);
                }
                return;
            }
        }
    }
}

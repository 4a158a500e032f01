//! Where the packages lie that Python imports. Owns the ways in which code asks for that: `module.__file__`, `find_spec(name).origin`,
//! `importlib.resources.files(name)`; what is written there is another program's code. Of the project's own modules nothing is said.

use super::{
    interpreter::Interpreter,
    libraries::{is_known, is_local, is_told},
    value::{Given, Value},
};

/// Where packages are installed.
const PACKAGES: &str = "/usr/lib/python3/site-packages";

/// Functions that give the directory of a package.
const DIRECTORIES: &[&str] = &["importlib.resources.files", "importlib_resources.files"];

/// Functions that give the file of a module.
const FILES: &[&str] = &["inspect.getabsfile", "inspect.getfile", "inspect.getsourcefile"];

/// The directory of a package; nothing where it may be the project's own.
fn directory(name: &str) -> Option<String> {
    let is_plain = !name.is_empty()
        && name.bytes().all(|it| it.is_ascii_alphanumeric() || matches!(it, b'_' | b'.' | b'-'));
    let top = name.split('.').next().unwrap_or_default();
    let is_installed = is_plain && (is_known(top) || is_local(top) || is_told(top));
    is_installed.then(|| format!("{PACKAGES}/{}", name.replace('.', "/")))
}

impl Interpreter<'_, '_, '_> {
    /// What a module says of where it lies.
    pub(super) fn place_of_module(&self, path: &str, member: &str) -> Option<Value> {
        if self.language != "python" || !self.modules.contains(path) {
            return None;
        }
        match member {
            "__file__" | "origin" => {
                Some(Value::known(&format!("{}/__init__.py", directory(path)?)))
            }
            "__path__" | "submodule_search_locations" => {
                Some(Value::List(vec![Value::known(&directory(path)?)]))
            }
            _ => None,
        }
    }

    /// What a function says of where a package lies.
    pub(super) fn place_of_package(&self, path: &str, given: &[Given]) -> Option<Value> {
        let first = &given.first()?.value;
        let name = match first {
            Value::Name(path, _) => path.as_ref(),
            value => value.as_known()?,
        };
        if DIRECTORIES.contains(&path) {
            return Some(Value::known(&directory(name)?));
        }
        if FILES.contains(&path) && self.modules.contains(name) {
            return Some(Value::known(&format!("{}/__init__.py", directory(name)?)));
        }
        // `distribution("requests").locate_file("requests/api.py")`
        if path == "importlib.metadata.distribution().locate_file" {
            let whole = directory(name.split('/').next()?)?;
            let rest = name.split_once('/').map_or("", |(_, rest)| rest);
            return Some(Value::known(&format!("{whole}/{rest}")));
        }
        // `pkg_resources.resource_filename("requests", "api.py")`
        if path == "pkg_resources.resource_filename" {
            let file = given.get(1)?.value.as_known()?;
            return Some(Value::known(&format!("{}/{file}", directory(name)?)));
        }
        None
    }
}

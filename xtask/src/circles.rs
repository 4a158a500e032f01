//! No circle between the modules of a crate. Owns how the sources are read as a graph, and the circles that are still there: that list
//! only shrinks.
//!
//! A module is a file, or a folder with what lies deeper in it: the two upper levels of a crate count. An arrow is a path that begins with
//! `crate`, `super` or `self`, in code that is built without tests. A module and the one that holds it are one thing and have none.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

use syn::visit::{self, Visit};

use crate::command::{self, Failed, root};

/// How many levels of modules are looked at.
const LEVELS: usize = 2;

/// How many of the paths that make a circle are shown.
const SHOWN: usize = 12;

/// The circles that are known, by their crate. One that becomes smaller or goes away is to be taken off here; none may grow.
const KNOWN: &[(&str, &[&str])] = &[
    (
        "portcullis-understand",
        &[
            "programs::cards",
            "programs::escapes",
            "programs::interpreters",
            "programs::started",
            "programs::wrappers",
        ],
    ),
    ("portcullis-understand", &["understand::code", "understand::shell"]),
];

/// A module by its names from the root of the crate.
type Module = Vec<String>;

/// The arrows of a crate, each with the paths that make it.
type Arrows = BTreeMap<Module, BTreeMap<Module, BTreeSet<String>>>;

/// Checks that no circle is there that is not known, and that each that is known is still there.
pub(crate) fn check() -> Result<(), Failed> {
    let mut wrong = String::new();
    let mut left: Vec<&(&str, &[&str])> = KNOWN.iter().collect();
    for folder in sources()? {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let arrows = arrows(&folder.join("src"))?;
        for circle in circles(&arrows) {
            let names: Vec<String> = circle.iter().map(|module| module.join("::")).collect();
            let known = left.iter().position(|(of, modules)| *of == name && *modules == names);
            if let Some(known) = known {
                left.remove(known);
                continue;
            }
            let _ = writeln!(wrong, "`{name}` has a circle: {}", names.join(", "));
            let within = circle.iter().flat_map(|from| {
                let to = arrows.get(from).into_iter().flatten();
                to.filter(|(to, _)| circle.contains(*to)).map(move |(to, paths)| (from, to, paths))
            });
            for (from, to, paths) in within.take(SHOWN) {
                let path = paths.first().map(String::as_str).unwrap_or_default();
                let _ = writeln!(wrong, "  {} → {}: `{path}`", from.join("::"), to.join("::"));
            }
        }
    }
    for (name, modules) in left {
        let _ = writeln!(
            wrong,
            "`{name}` has no circle of {} any more: say so in xtask/src/circles.rs",
            modules.join(", ")
        );
    }
    if !wrong.is_empty() {
        wrong.push_str("Move what both need below them, or one of the two.");
        return Err(Failed::Broken(wrong));
    }
    command::say("── no circle between modules that is not known\n");
    Ok(())
}

/// The folders of all crates.
fn sources() -> Result<Vec<PathBuf>, Failed> {
    let mut folders = listed(&root().join("crates"))?;
    folders.push(root().join("xtask"));
    Ok(folders)
}

/// What a folder holds, in order.
fn listed(folder: &Path) -> Result<Vec<PathBuf>, Failed> {
    let failed = |source| Failed::File { path: folder.to_path_buf(), source };
    let mut list = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        list.push(entry.map_err(failed)?.path());
    }
    list.sort();
    Ok(list)
}

/// The arrows between the modules of a crate.
fn arrows(source: &Path) -> Result<Arrows, Failed> {
    let mut files = Vec::new();
    let mut open = vec![source.to_path_buf()];
    while let Some(folder) = open.pop() {
        for path in listed(&folder)? {
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|end| end == "rs") {
                files.push((module_of(&path, source), path));
            }
        }
    }
    let modules: BTreeSet<Module> = files.iter().map(|(module, _)| module.clone()).collect();
    let mut arrows = Arrows::new();
    for (module, path) in files {
        if module.iter().any(|name| name == "tests") {
            continue;
        }
        let text = fs::read_to_string(&path)
            .map_err(|source| Failed::File { path: path.clone(), source })?;
        let file = syn::parse_file(&text)
            .map_err(|error| Failed::Broken(format!("{}: {error}", path.display())))?;
        let mut reader =
            Reader { file: upper(&module), module, modules: &modules, arrows: &mut arrows };
        reader.visit_file(&file);
    }
    Ok(arrows)
}

/// The module that a file is.
fn module_of(path: &Path, source: &Path) -> Module {
    let inner = path.strip_prefix(source).unwrap_or(path).with_extension("");
    let mut module: Module = inner.iter().map(|name| name.to_string_lossy().into_owned()).collect();
    if module.last().is_some_and(|last| matches!(last.as_str(), "mod" | "lib" | "main")) {
        module.pop();
    }
    module
}

/// Reads one module.
struct Reader<'a> {
    /// The module that it counts as.
    file: Module,
    /// Where it is read: in a module within the file too.
    module: Module,
    modules: &'a BTreeSet<Module>,
    arrows: &'a mut Arrows,
}

impl Reader<'_> {
    /// Notes a path that begins with `crate`, `super` or `self`.
    fn note(&mut self, path: &[String]) {
        let mut words = path.iter();
        let mut target = match words.next().map(String::as_str) {
            Some("crate") => Module::new(),
            Some("self") => self.module.clone(),
            Some("super") => {
                let mut above = self.module.clone();
                above.pop();
                above
            }
            _ => return,
        };
        for word in words {
            if word == "super" {
                target.pop();
            } else {
                target.push(word.clone());
            }
        }
        while !target.is_empty() && !self.modules.contains(&target) {
            target.pop();
        }
        let (from, to) = (self.file.clone(), upper(&target));
        if from.is_empty() || to.is_empty() || from.starts_with(&to) || to.starts_with(&from) {
            return;
        }
        self.arrows.entry(from).or_default().entry(to).or_default().insert(path.join("::"));
    }

    fn note_tree(&mut self, before: &mut Vec<String>, tree: &syn::UseTree) {
        match tree {
            syn::UseTree::Path(path) => {
                before.push(path.ident.to_string());
                self.note_tree(before, &path.tree);
                before.pop();
            }
            syn::UseTree::Group(group) => {
                for item in &group.items {
                    self.note_tree(before, item);
                }
            }
            syn::UseTree::Name(syn::UseName { ident })
            | syn::UseTree::Rename(syn::UseRename { ident, .. }) => {
                before.push(ident.to_string());
                self.note(before);
                before.pop();
            }
            syn::UseTree::Glob(_) => self.note(before),
        }
    }
}

impl<'ast> Visit<'ast> for Reader<'_> {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        let attributes = match item {
            syn::Item::Fn(item) => &item.attrs,
            syn::Item::Impl(item) => &item.attrs,
            syn::Item::Mod(item) => &item.attrs,
            syn::Item::Use(item) => &item.attrs,
            syn::Item::Const(item) => &item.attrs,
            syn::Item::Static(item) => &item.attrs,
            _ => return visit::visit_item(self, item),
        };
        if !attributes.iter().any(is_for_tests) {
            visit::visit_item(self, item);
        }
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        self.module.push(item.ident.to_string());
        visit::visit_item_mod(self, item);
        self.module.pop();
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        self.note_tree(&mut Vec::new(), &item.tree);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let words: Vec<String> = path.segments.iter().map(|part| part.ident.to_string()).collect();
        if words.len() > 1 {
            self.note(&words);
        }
        visit::visit_path(self, path);
    }
}

/// Whether an item is only there in tests.
fn is_for_tests(attribute: &syn::Attribute) -> bool {
    attribute.path().is_ident("cfg")
        && attribute.parse_args::<syn::Path>().is_ok_and(|path| path.is_ident("test"))
}

fn upper(module: &[String]) -> Module {
    module.iter().take(LEVELS).cloned().collect()
}

/// The largest sets of modules of which each leads to each, in order.
fn circles(arrows: &Arrows) -> Vec<BTreeSet<Module>> {
    let reached: BTreeMap<&Module, BTreeSet<&Module>> =
        arrows.keys().map(|from| (from, reach(from, arrows))).collect();
    let mut found: Vec<BTreeSet<Module>> = Vec::new();
    for (from, all) in &reached {
        if !all.contains(from) || found.iter().any(|circle| circle.contains(*from)) {
            continue;
        }
        let leads_back = |to: &&&Module| reached.get(**to).is_some_and(|back| back.contains(from));
        found.push(all.iter().filter(leads_back).map(|to| (*to).clone()).collect());
    }
    found
}

/// Everything that arrows lead to from a module.
fn reach<'a>(from: &'a Module, arrows: &'a Arrows) -> BTreeSet<&'a Module> {
    let mut seen = BTreeSet::new();
    let mut open = vec![from];
    while let Some(module) = open.pop() {
        for to in arrows.get(module).into_iter().flat_map(BTreeMap::keys) {
            if seen.insert(to) {
                open.push(to);
            }
        }
    }
    seen
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The circles of a crate of these files.
    fn of(files: &[(&str, &str)]) -> Vec<Vec<String>> {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        circles(&arrows(folder.path()).unwrap())
            .iter()
            .map(|circle| circle.iter().map(|module| module.join("::")).collect())
            .collect()
    }

    #[test]
    fn two_modules_that_use_each_other_are_a_circle_however_they_say_it() {
        let one = "use crate::{other::{self as renamed, B}};\npub struct A(B);";
        for back in [
            "use crate::one::A; pub struct B;",
            "pub struct B; fn f(_: super::one::A) {}",
            "pub struct B; mod inner { use super::super::one::*; }",
            "pub struct B; impl From<crate::one::A> for B {}",
        ] {
            let found =
                of(&[("lib.rs", "mod one; mod other;"), ("one.rs", one), ("other.rs", back)]);
            assert_eq!(found, [["one", "other"]], "{back}");
        }
    }

    #[test]
    fn a_longer_circle_is_found_in_the_second_level_too() {
        let found = of(&[
            ("a/mod.rs", "mod x; mod y; mod z;"),
            ("a/x.rs", "use super::y::deep::Y;"),
            ("a/y/mod.rs", "pub mod deep;"),
            ("a/y/deep.rs", "use crate::a::z::Z;"),
            ("a/z.rs", "use super::x;"),
            ("b.rs", "use crate::a::x;"),
        ]);
        assert_eq!(found, [["a::x", "a::y", "a::z"]]);
    }

    #[test]
    fn what_only_tests_use_and_what_lies_in_one_module_is_none() {
        let found = of(&[
            ("one.rs", "use crate::two::B; #[cfg(test)] mod tests { use crate::two::C; }"),
            (
                "two.rs",
                "#[cfg(test)] use crate::one::A; #[cfg(test)] mod tests { use crate::one; }",
            ),
            ("two/tests.rs", "use crate::one::A;"),
            ("three/mod.rs", "mod part; use part::P; pub struct T;"),
            ("three/part.rs", "use super::T; pub struct P(T);"),
        ]);
        assert!(found.is_empty(), "{found:?}");
    }
}

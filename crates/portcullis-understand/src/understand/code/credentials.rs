//! Paths of credentials that are handed to a call of a library which nobody knows: it reads what lies there, and sends it where its name says
//! so. Owns which values count, and which calls only look at a name or are told with which key to sign in.

use portcullis_syntax::Span;

use super::{
    calls::LOOKS,
    interpreter::Interpreter,
    libraries::{is_local, is_told, of_module},
    value::{Given, Value},
};
use crate::{
    bound::{Bounded, Limits},
    effect::Argument,
    place::{self, CredentialClass},
    programs::host::Host,
    text::Text,
    understand::meaning,
};

/// How many values are looked at on each level, and how many levels.
const VALUES: usize = 32;

const DEPTH: usize = 4;

/// Words of what a call is told a file for, with which it signs in.
const SIGNS_IN: &[&str] = &[
    "agent",
    "auth",
    "ca",
    "cert",
    "certificate",
    "certificates",
    "config",
    "configuration",
    "credential",
    "credentials",
    "identities",
    "identity",
    "kube",
    "kubeconfig",
    "login",
    "pem",
    "private",
    "profile",
    "rsa",
    "ssh",
    "ssl",
    "tls",
];

/// Words by which a call only looks at a name, keeps it or says it.
const NAMES_ONLY: &[&str] = &[
    "assert", "check", "compare", "contains", "define", "describe", "equal", "equals", "exclude",
    "exists", "expect", "has", "ignore", "ignores", "includes", "is", "match", "matches", "mock",
    "option", "test", "validate",
];

/// Words by which a call takes what lies in a file or below a directory.
const TAKES: &[&str] = &[
    "add",
    "append",
    "attach",
    "backup",
    "copy",
    "directory",
    "each",
    "entry",
    "file",
    "files",
    "folder",
    "glob",
    "open",
    "pack",
    "scan",
    "tar",
    "tarball",
];

/// How words begin that say the same.
const TAKING: &[&str] =
    &["archiv", "compress", "encrypt", "import", "ingest", "load", "read", "stream", "zip"];

/// Verbs by which something leaves.
const SENDS: &[&str] = &["mail", "post", "publish", "put", "send", "share", "transfer", "transmit"];

impl Interpreter<'_, '_, '_> {
    /// Reads the credentials that a call of an imported library is handed by their paths; gives what it gets to know.
    pub(super) fn read_if_handed(&mut self, path: &str, given: &[Given], span: Span) -> Text {
        let mut read = Text::default();
        // Python's are read where they are entrusted.
        if self.language != "javascript" {
            return read;
        }
        let Some(module) = self.module_in(path) else { return read };
        let name = path.rsplit('.').next().unwrap_or_default();
        let name = name.trim_end_matches("()");
        let of_way = meaning::words(path.get(module.len()..).unwrap_or_default());
        // The module itself may be what is called: `upload(path)`.
        let mut words = meaning::words(if name == module { &module } else { name });
        let says = |words: &[String], list: &[&str]| {
            words.iter().any(|word| list.contains(&word.as_str()))
        };
        let begins = |words: &[String], list: &[&str]| {
            words.iter().any(|word| list.iter().any(|start| word.starts_with(start)))
        };
        let sends = says(&words, SENDS) || begins(&words, &["upload"]);
        if says(&words, NAMES_ONLY) {
            return read;
        }
        // What a library for archives or for reading is told a path for, it takes from there.
        words.extend(meaning::words(&module));
        let takes = sends || says(&words, TAKES) || begins(&words, TAKING);
        let signs_in = || {
            of_way.iter().any(|word| {
                SIGNS_IN.contains(&word.as_str()) || matches!(word.as_str(), "key" | "keys")
            })
        };
        if !takes
            || module.starts_with(['.', '/'])
            || is_local(&module)
            || LOOKS.contains(&name)
            // What the methods of these do, their cards say.
            || !sends && (is_told(&module) || of_module(&module).is_some() || signs_in())
        {
            return read;
        }
        let mut files = Vec::new();
        let directory = given.iter().find_map(|it| {
            let named = it.name.as_deref().is_some_and(|name| matches!(name, "cwd" | "root"));
            let entry = || ["cwd", "root"].iter().find_map(|name| it.value.entry(name));
            if named { Some(&it.value) } else { entry() }
        });
        let directory = directory.map(Value::text);
        for one in given.iter().at_most(VALUES, self.walk, span) {
            if one.name.as_deref().is_some_and(tells_a_key) {
                continue;
            }
            named_files(&one.value, one.span, directory.as_ref(), DEPTH, self.walk, &mut files);
        }
        for file in files {
            let target = self.walk.target(&file.text);
            let is_secret = target.path.is_some()
                && place::credential_of(&target, self.walk.facts())
                    .is_some_and(|found| found.class != CredentialClass::Project);
            if is_secret {
                self.flush();
                let content = self.walk.read(&file);
                read.append(&content);
            }
        }
        if sends && !read.is_empty() {
            let address = given.iter().map(|it| it.value.text());
            let address = address.into_iter().find(|text| text.known_prefix().contains("://"));
            let text = address.unwrap_or_else(|| Text::unknown("where a library sends it"));
            self.walk.connect(&Argument { text, span }, Some(read.clone()), false);
        }
        read
    }
}

/// Whether an option says with which key to sign in: `privateKeyPath`, `key_filename`, `identityFile`.
fn tells_a_key(name: &str) -> bool {
    meaning::words(name).iter().any(|word| {
        SIGNS_IN.contains(&word.as_str())
            || matches!(word.as_str(), "key" | "keyfile" | "keys" | "keystore" | "pkey")
    })
}

/// Collects what may name a file: a path of its own, or one below the directory that the call is told.
fn named_files(
    value: &Value,
    span: Span,
    directory: Option<&Text>,
    depth: usize,
    limits: &mut (impl Limits + ?Sized),
    files: &mut Vec<Argument>,
) {
    let Some(depth) = depth.checked_sub(1) else {
        limits.limit(span);
        return;
    };
    match value {
        Value::Text(text) => {
            let prefix = text.known_prefix();
            if prefix.starts_with(['/', '~']) {
                files.push(Argument { text: text.clone(), span });
            } else if let Some(directory) = directory
                && text.as_known().is_some_and(|known| !known.contains([' ', ':', '\n']))
            {
                let mut whole = directory.clone();
                whole.push_known("/");
                whole.append(text);
                files.push(Argument { text: whole, span });
            }
        }
        Value::List(list) | Value::Any(list) => {
            for one in list.iter().at_most(VALUES, limits, span) {
                named_files(one, span, directory, depth, limits, files);
            }
        }
        Value::Table(table) => {
            let told = table.iter().filter(|(name, _)| !tells_a_key(name));
            for (_, one) in told.at_most(VALUES, limits, span) {
                named_files(one, span, directory, depth, limits, files);
            }
        }
        _ => {}
    }
}

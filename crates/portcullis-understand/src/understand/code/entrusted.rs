//! What a call is entrusted with of which nobody knows what it does: files of credentials by their names, and secrets of the environment.
//! Owns which of them count. Whoever takes the name of a file opens it, whoever is called after sending sends; the options by which a client
//! is told what to sign in with are its own.

use portcullis_syntax::Span;

use super::{
    interpreter::Interpreter,
    libraries::{is_local, is_told, names_a_secret, only_shows},
    services,
    value::{Given, Value},
};
use crate::{
    bound::Bounded,
    effect::Argument,
    place,
    programs::host::Host,
    text::{Piece, Taint, Text},
    understand::meaning::{self, look},
};

/// How many arguments are looked at, and how deep values may lie in each other.
const ARGUMENTS: usize = 32;

const DEPTH: usize = 4;

/// How many files of one call are read.
const FILES: usize = 32;

/// Verbs of functions whose argument leaves the program.
const SENDS: &[&str] = &[
    "beacon",
    "broadcast",
    "capture",
    "deliver",
    "dispatch",
    "emit",
    "exfil",
    "exfiltrate",
    "forward",
    "ingest",
    "mput",
    "notify",
    "post",
    "publish",
    "push",
    "put",
    "report",
    "scp",
    "send",
    "sendfile",
    "share",
    "ship",
    "submit",
    "track",
    "transfer",
    "transmit",
    "upload",
];

/// Words of functions that only look at a file or speak of it, or keep others from it.
const LOOKS: &[&str] = &[
    "access",
    "allow",
    "argument",
    "block",
    "check",
    "chmod",
    "chown",
    "deny",
    "directory",
    "exclude",
    "exist",
    "exists",
    "field",
    "find",
    "forbid",
    "has",
    "help",
    "hide",
    "ignore",
    "is",
    "isfile",
    "join",
    "list",
    "mask",
    "match",
    "matches",
    "mode",
    "monitor",
    "normalize",
    "option",
    "owner",
    "parametrize",
    "patch",
    "permission",
    "permissions",
    "protect",
    "redact",
    "relative",
    "remove",
    "resolve",
    "scan",
    "skip",
    "stat",
    "touch",
    "unlink",
    "walk",
    "watch",
];

/// Words of functions and of options that are told what to sign in with.
const SIGNS_IN: &[&str] = &[
    "account",
    "auth",
    "authenticate",
    "ca",
    "cafile",
    "cert",
    "certfile",
    "certificate",
    "certificates",
    "certs",
    "client",
    "config",
    "configure",
    "connect",
    "connection",
    "credential",
    "credentials",
    "identity",
    "keyfile",
    "keypair",
    "keys",
    "keystore",
    "kubeconfig",
    "login",
    "netrc",
    "pem",
    "pkcs12",
    "pkey",
    "private",
    "profile",
    "session",
    "settings",
    "signer",
    "ssh",
    "ssl",
    "tls",
    "tunnel",
];

/// Words of options that say something about a file, or that it is left alone.
const SAYS: &[&str] = &["default", "description", "exclude", "help", "ignore", "known", "skip"];

/// Whether a function, or an option of one, is told what to sign in with.
fn signs_in(name: &str) -> bool {
    let words = meaning::words(name);
    let is_key = |word: &String| word == "key";
    names_a_secret(name)
        || words.iter().any(|word| SIGNS_IN.contains(&word.as_str()))
        || words.iter().any(is_key)
}

/// Whether a value is one variable of the environment and nothing else, or what stands for one.
fn is_one_variable(value: &Value) -> bool {
    match value {
        Value::Text(text) => matches!(text.pieces.as_slice(), [Piece::Unknown(_)]),
        _ => false,
    }
}

impl Interpreter<'_, '_, '_> {
    /// Reads the files of credentials that a call is handed of which nobody knows what it does, and sends them where it sends; gives what
    /// is in them.
    pub(super) fn entrusted(&mut self, path: &str, given: &[Given], span: Span) -> Text {
        let mut content = Text::default();
        let module = self.module_in(path).filter(|it| !is_local(it) && !is_told(it));
        if !matches!(self.language, "javascript" | "python") || module.is_none() {
            return content;
        }
        let name = path.rsplit('.').next().unwrap_or_default().trim_end_matches(['(', ')']);
        let words = meaning::words(meaning::beginning(name));
        let says = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
        let sends = says(SENDS);
        let class = path.rsplit('.').nth(1).filter(|it| !it.ends_with(')')).unwrap_or_default();
        let is_of_class = class.starts_with(|it: char| it.is_ascii_uppercase()) && signs_in(class);
        // What is only told what to sign in with: `load_key(path)`, `Credentials.from_file(path)`.
        let is_told = !sends && (says(LOOKS) || signs_in(name) || is_of_class);
        if is_told || !sends && only_shows(&words) {
            return content;
        }
        let mut files = Vec::new();
        let is_python = self.language == "python";
        for given in given.iter().filter(|_| is_python).at_most(ARGUMENTS, self.walk, span) {
            let name = given.name.as_deref();
            self.credentials_in(name, &given.value, given.span, sends, DEPTH, &mut files);
        }
        if !files.is_empty() {
            self.flush();
        }
        for file in files.into_iter().at_most(FILES, self.walk, span) {
            content.inherit(&self.walk.read_by_script(&file));
        }
        if sends {
            self.sent_away(path, given, &content, span);
        }
        content
    }

    /// What goes along with a call that sends: what was read of files, and what is secret itself.
    fn sent_away(&mut self, path: &str, given: &[Given], files: &Text, span: Span) {
        let mut sends = Text::unknown("what is sent");
        let mut is_secret = !files.sources.is_empty() || files.taint != Taint::NONE;
        sends.inherit(files);
        // `client.post(token, text)`: what signs in, before what is sent.
        let is_signed = |at: usize, given: &Given| {
            given.name.as_deref().is_some_and(signs_in)
                || at == 0 && given.name.is_none() && is_one_variable(&given.value)
        };
        let several = given.len() > 1;
        for (at, given) in given.iter().enumerate().at_most(ARGUMENTS, self.walk, span) {
            if is_signed(at, given) && (several || given.name.is_some()) {
                continue;
            }
            let secret = match &given.value {
                // `{"password": …}` signs in, whatever stands beside it.
                Value::Table(table) => table.iter().any(|(name, value)| {
                    !signs_in(name)
                        && (value.taint().has(Taint::SECRET) || services::is_environment(value))
                }),
                value => value.taint().has(Taint::SECRET) || services::is_environment(value),
            };
            if secret {
                is_secret = true;
                given.value.inherit_into(&mut sends);
                sends.taint = sends.taint.with(Taint::SECRET);
            }
        }
        if !is_secret {
            return;
        }
        let told = given.iter().find(|it| it.value.as_known().is_some_and(look::is_address));
        let address = match told {
            Some(told) => told.value.text(),
            None if !self.peer.is_empty() => self.peer.clone(),
            None => Text::unknown(path),
        };
        self.walk.connect(&Argument { text: address, span }, Some(sends), false);
    }

    /// The paths of files with credentials in what a call is given.
    fn credentials_in(
        &mut self,
        name: Option<&str>,
        value: &Value,
        span: Span,
        sends: bool,
        depth: usize,
        files: &mut Vec<Argument>,
    ) {
        let Some(depth) = depth.checked_sub(1) else {
            self.limit();
            return;
        };
        let says = |name: &str| {
            let words = meaning::words(name);
            words.iter().any(|word| SAYS.contains(&word.as_str()))
        };
        if name.is_some_and(|name| signs_in(name) || says(name)) {
            return;
        }
        match value {
            Value::Text(text) => {
                let begins = text.known_prefix();
                let is_whole = begins.starts_with(['/', '~']) && !begins.contains('\n');
                // Of the directory itself: only what is sent away.
                let is_here = sends && text.as_known().is_some_and(look::is_path);
                let target = self.walk.target(text);
                if (is_whole || is_here)
                    && place::credential_of(&target, self.walk.facts()).is_some()
                {
                    files.push(Argument { text: text.clone(), span });
                }
            }
            Value::List(list) | Value::Any(list) => {
                for one in list.iter().at_most(FILES, self.walk, span) {
                    self.credentials_in(None, one, span, sends, depth, files);
                }
            }
            Value::Table(table) => {
                for (name, one) in table.iter().at_most(FILES, self.walk, span) {
                    self.credentials_in(Some(name), one, span, sends, depth, files);
                }
            }
            _ => {}
        }
    }
}

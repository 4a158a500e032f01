//! What is done to what lies elsewhere: files of an object store, tables that a frame takes the place of, keys of a registry. Owns how each is
//! told, and what of it is on this machine after all.

use portcullis_syntax::Span;

use super::{
    super::{
        interpreter::Interpreter,
        tables::Act,
        value::{Given, Value},
    },
    by_name,
    judged::Called,
};
use crate::{
    contract::Class,
    effect::{Argument, WriteMode},
    programs::host::Host,
    text::{Piece, Text},
    understand::meaning,
};

/// What a file system of this machine, or of the program's memory, is called.
const HERE: &[&str] = &["dir", "file", "local", "memory"];

impl Interpreter<'_, '_, '_> {
    /// `fs.rm("bucket/path", recursive=True)`.
    pub(super) fn removes(
        &mut self,
        called: &Called<'_>,
        opened: &Text,
        given: &[Given],
        span: Span,
    ) -> Value {
        let first = given.first().map(|it| it.value.text()).unwrap_or_default();
        let kind = opened.as_known().unwrap_or_default();
        let names_here = called.path.contains("LocalFileSystem") || HERE.contains(&kind);
        let is_here = names_here && !called.path.contains("Memory") && kind != "memory"
            || first.known_prefix().starts_with("file:/");
        if is_here {
            return self.act(Act::DeleteTree, called.path, given, span);
        }
        if called.path.contains("MemoryFileSystem") || kind == "memory" {
            return Value::unknown("nothing");
        }
        let is_one = matches!(called.key.as_str(), "delete_file" | "rm_file" | "unlink")
            || matches!(called.key.as_str(), "delete" | "remove" | "rm") && !takes_all(given);
        self.deed(Class::Delete, is_one, called, given, span);
        Value::unknown("nothing")
    }

    /// `frame.to_sql("prices", engine, if_exists="replace")`: the table that was there goes.
    pub(super) fn writes_table(&mut self, called: &Called<'_>, given: &[Given], span: Span) {
        let named = |names: &[&str]| {
            given.iter().find(|it| it.name.as_deref().is_some_and(|name| names.contains(&name)))
        };
        let replaces = named(&["if_exists", "if_table_exists"]).is_some_and(|it| {
            it.value.as_known() != Some("append") && it.value.as_known() != Some("fail")
        });
        if replaces && !self.is_in_memory(called.path, given) && !self.writes_own_file(given) {
            self.statement("DROP TABLE", called, given, span);
        }
    }

    /// Whether every database that the text opens is a file of SQLite that lies in the project.
    fn writes_own_file(&self, given: &[Given]) -> bool {
        let named =
            given.iter().find(|it| matches!(it.name.as_deref(), Some("con" | "connection")));
        let into = named.or_else(|| given.get(1).filter(|it| it.name.is_none()));
        let is_opened = into.is_some_and(|it| match &it.value {
            Value::Name(path, _) => ["sqlalchemy.create_engine()", "sqlite3.connect()"]
                .iter()
                .any(|opened| path.starts_with(opened)),
            _ => false,
        });
        if !is_opened {
            return false;
        }
        const OPENS: &[&str] = &[
            "Engine(",
            "adbc",
            "connect(",
            "create_engine",
            "engine_from_config",
            "getenv",
            "environ",
            "make_url",
            "sessionmaker",
        ];
        let plain: String = self.source.chars().filter(|it| !it.is_whitespace()).collect();
        let plain = plain.replace('\'', "\"");
        let mut opened = 0;
        for call in ["create_engine(\"sqlite:///", "sqlite3.connect(\""] {
            for (at, _) in plain.match_indices(call) {
                let rest = plain.get(at + call.len()..).unwrap_or_default();
                let file = rest.split('"').next().unwrap_or_default();
                let is_own = !file.is_empty()
                    && !file.starts_with(['/', '~'])
                    && !file.contains("..")
                    && !file.contains('{')
                    && !file.to_ascii_lowercase().contains("prod")
                    && [".db", ".sqlite", ".sqlite3"].iter().any(|end| file.ends_with(end));
                if !is_own {
                    return false;
                }
                opened += 1;
            }
        }
        let rest =
            plain.replace("create_engine(\"sqlite:///", "").replace("sqlite3.connect(\"", "");
        let rest = rest.replace("importcreate_engine", "");
        self.language == "python" && opened > 0 && !OPENS.iter().any(|it| rest.contains(it))
    }

    /// `sftp.open("/root/.ssh/authorized_keys", "a")`
    pub(super) fn writes_there(&mut self, given: &[Given]) {
        let mode = given.get(1).and_then(|it| it.value.as_known()).unwrap_or("r");
        if let Some(file) = given.first().filter(|_| mode.contains(['a', 'w', '+'])) {
            let file = Argument { text: file.value.text(), span: file.span };
            self.walk.write(&file, WriteMode::Append, Text::unknown("content"));
        }
    }

    /// `app.setLoginItemSettings({openAtLogin: true})`: the entry of a desktop session.
    pub(super) fn starts_at_login(&mut self, given: &[Given], span: Span) {
        let is_off =
            given.iter().any(|it| it.value.entry("openAtLogin").is_some_and(Value::is_false));
        if !is_off {
            let mut text = Text::unknown("HOME");
            if let Some(home) = &self.walk.facts().home {
                text = Text::known(home.as_str());
            }
            text.push_known("/.config/autostart/electron.desktop");
            self.walk.write(&Argument { text, span }, WriteMode::Replace, Text::unknown("content"));
        }
    }

    /// `publish.single("house/frontdoor/lock/set", "UNLOCK", hostname="10.0.0.4")`
    pub(super) fn switches(&mut self, called: &Called<'_>, given: &[Given], span: Span) {
        const THINGS: &[&str] = &[
            "alarm",
            "breaker",
            "disarm",
            "door",
            "doors",
            "erase",
            "factory",
            "factoryreset",
            "firmware",
            "gate",
            "lock",
            "locks",
            "ota",
            "unlock",
            "valve",
            "wipe",
        ];
        let own = serde_json::Value::Object(by_name::written(given, self)).to_string();
        let says = {
            own.split(|letter: char| !letter.is_ascii_alphanumeric())
                .any(|part| THINGS.contains(&part.to_ascii_lowercase().as_str()))
        };
        if says {
            self.deed(Class::Lower, false, called, given, span);
        }
    }

    /// `AutoModel.from_pretrained("who/what", trust_remote_code=True)`, `torch.hub.load("who/what", …)`: code that came from elsewhere runs.
    pub(super) fn code_of_a_hub(
        &mut self,
        module: &str,
        called: &Called<'_>,
        given: &[Given],
        span: Span,
    ) {
        let named = |name: &str| given.iter().find(|it| it.name.as_deref() == Some(name));
        let is_hub = module.split('.').next() == Some("torch")
            && matches!(called.key.as_str(), "load" | "help" | "list")
            && called.path.contains("hub")
            && named("source").and_then(|it| it.value.as_known()) != Some("local");
        let trusts = named("trust_remote_code").is_some_and(|it| !it.value.is_false());
        let Some(first) = given.first().map(|it| it.value.text()).filter(|_| is_hub || trusts)
        else {
            return;
        };
        // A directory of this machine is no repository.
        if first.known_prefix().starts_with(['.', '/', '~']) {
            return;
        }
        self.flush();
        let mut address =
            Text::known(if is_hub { "https://github.com/" } else { "https://huggingface.co/" });
        address.append(&first);
        let code = self.walk.connect(&Argument { text: address, span }, None, false);
        self.walk.code("python", &code, span, &[]);
    }

    /// What a server does stands among what it is given.
    pub(super) fn done_by_name(&mut self, called: &Called<'_>, given: &[Given], span: Span) {
        /// How a server's own methods call what deletes and what changes.
        const DOES: &[(&str, Class)] = &[
            ("button_immediate_uninstall", Class::Delete),
            ("unlink", Class::Delete),
            ("delete", Class::Delete),
            ("action_post", Class::Bind),
            ("message_post", Class::Send),
            ("send_mail", Class::Send),
        ];
        let words = given.iter().filter_map(|it| it.value.as_known());
        let does = words.filter_map(|word| DOES.iter().find(|(name, _)| *name == word)).next();
        if let Some((_, class)) = does {
            self.deed(*class, false, called, given, span);
        }
    }

    /// `nr.run(task=napalm_configure, configuration=…)`: a task is called after what it does to each device.
    pub(super) fn tasks(&mut self, called: &Called<'_>, given: &[Given], span: Span) {
        const CHANGES: &[&str] =
            &["commit", "config", "configs", "configure", "delete", "edit", "restore", "upgrade"];
        const ASKS: &[&str] = &["compare", "diff", "get", "show", "validate"];
        let changes = given.iter().any(|it| match &it.value {
            Value::Name(path, _) => {
                let words = meaning::words(path.rsplit('.').next().unwrap_or_default());
                let says = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
                says(CHANGES) && !says(ASKS)
            }
            _ => false,
        });
        let is_tried =
            given.iter().any(|it| it.name.as_deref() == Some("dry_run") && it.value.is_true());
        if changes && (!is_tried || self.source.contains("**")) {
            self.deed(Class::Administer, false, called, given, span);
        }
    }

    /// Keys of the registry, told as `reg` has them.
    pub(super) fn registry(&mut self, called: &Called<'_>, given: &[Given], span: Span) -> Value {
        const KEY: &str = "winreg.key()";
        let text = |at: usize| given.get(at).map(|it| it.value.text()).unwrap_or_default();
        let key = match given.first().map(|it| &it.value) {
            Some(Value::Name(path, below)) if &**path == KEY => below.clone(),
            Some(Value::Name(path, _)) => Text::known(path.rsplit('.').next().unwrap_or_default()),
            _ => Text::unknown("a key"),
        };
        let below = |mut key: Text| {
            let part = text(1);
            if !part.is_empty() {
                key.push_known("\\");
                key.append(&part);
            }
            key
        };
        let known = |word: &str| Text::known(word);
        let words = match called.key.as_str() {
            "set_value_ex" => {
                vec![known("add"), key, known("/v"), text(1), known("/d"), text(4), known("/f")]
            }
            "set_value" => vec![known("add"), below(key), known("/d"), text(3), known("/f")],
            "delete_value" => vec![known("delete"), key, known("/v"), text(1), known("/f")],
            "delete_key" | "delete_key_ex" => vec![known("delete"), below(key), known("/f")],
            _ => return Value::reached(KEY, below(key)),
        };
        self.flush();
        let words: Vec<Argument> = std::iter::once(known("reg"))
            .chain(words)
            .map(|text| Argument { text, span })
            .collect();
        self.walk.run(&words, None);
        Value::unknown("nothing")
    }
}

/// Whether more than one file goes.
fn takes_all(given: &[Given]) -> bool {
    given.iter().any(|it| {
        let is_named =
            it.name.as_deref().is_some_and(|name| matches!(name, "recurse" | "recursive"));
        let is_second =
            it.name.is_none() && it.value.is_true() && matches!(it.value, Value::Name(..));
        is_named && !it.value.is_false() || is_second
    }) || given.first().is_some_and(|it| {
        let text = it.value.text();
        matches!(it.value, Value::List(_))
            || text.pieces.iter().any(|piece| match piece {
                Piece::Known(known) => known.contains('*') || known.ends_with('/'),
                Piece::Glob(_) => true,
                Piece::Unknown(origin) => origin.contains("[]"),
            })
    })
}

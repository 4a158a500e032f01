//! Clients for containers. Owns how methods and options are told as calls of `docker`.

use portcullis_syntax::Span;

use super::{
    super::{
        interpreter::Interpreter,
        value::{Given, Value},
    },
    command::{DEPTH, Words, kebab, known},
};
use crate::{programs::host::Host, text::Text};

impl Interpreter<'_, '_, '_> {
    /// Containers by a library: what stands in the options is what `docker` is told.
    pub(super) fn containers(
        &mut self,
        receiver: &str,
        method: &str,
        given: &[Given],
        span: Span,
    ) -> Option<Value> {
        let method = kebab(method);
        let kinds = ["containers", "images", "volumes", "networks"];
        let kind = kinds.iter().find(|kind| receiver.contains(**kind)).copied();
        // `docker.getVolume(name).remove()`
        let kind = kind.or_else(|| {
            let one = ["getContainer()", "getImage()", "getVolume()", "getNetwork()"];
            let at = one.iter().position(|one| receiver.ends_with(one))?;
            kinds.get(at).copied()
        });
        let kind = kind.unwrap_or("");
        match (kind, method.as_str()) {
            ("containers", "run" | "create") | ("", "create-container" | "run") => {
                let mut words = known(&["docker", "run"]);
                for given in given.iter() {
                    if let Some(name) = &given.name {
                        container_option(name, &given.value, &mut words, DEPTH);
                    } else if let Value::Table(_) = given.value {
                        container_option("", &given.value, &mut words, DEPTH);
                    }
                }
                words.push(Text::known("image"));
                self.tell(words, span);
            }
            (_, "remove" | "kill" | "stop" | "delete")
                if receiver.contains("[]") || !kind.is_empty() && self.is_repeated(span) =>
            {
                let forced = given.iter().any(|given| {
                    given.name.as_deref() == Some("force") && !given.value.is_false()
                        || given.value.entry("force").is_some_and(|force| !force.is_false())
                });
                match kind {
                    "volumes" => self.tell(known(&["docker", "volume", "rm", "each"]), span),
                    "containers" if forced || method == "kill" => {
                        self.walk.note("container.remove.many", span);
                    }
                    _ => {}
                }
            }
            ("volumes", "remove") => self.tell(known(&["docker", "volume", "rm", "one"]), span),
            ("volumes", "prune") | ("", "prune-volumes") => {
                self.tell(known(&["docker", "volume", "prune", "-f"]), span);
            }
            ("images" | "containers" | "networks", "prune") => {
                let thing = kind.trim_end_matches('s');
                self.tell(known(&["docker", thing, "prune", "-f"]), span);
            }
            _ => {}
        }
        None
    }
}

/// What `docker run` is told of an option of a library, which may be an object with more of them.
fn container_option(name: &str, value: &Value, words: &mut Words, depth: usize) {
    let Some(depth) = depth.checked_sub(1) else { return };
    let is_true = !value.is_false();
    match kebab(name).replace('_', "-").as_str() {
        "privileged" if is_true => words.push(Text::known("--privileged")),
        "pid-mode" | "pid" => push_option("--pid=", value, words),
        "network-mode" | "network" => push_option("--network=", value, words),
        "ipc-mode" | "ipc" => push_option("--ipc=", value, words),
        "cap-add" => each(value, |value| push_option("--cap-add=", value, words)),
        "security-opt" => each(value, |value| push_option("--security-opt=", value, words)),
        "devices" => each(value, |value| push_option("--device=", value, words)),
        "volumes" | "binds" => match value {
            Value::Table(table) => {
                for (source, mount) in table.iter() {
                    let mut word = Text::known(format!("{source}:"));
                    match mount.entry("bind") {
                        Some(bind) => word.append(&bind.text()),
                        None => word.push_known("/mount"),
                    }
                    words.push(Text::known("-v"));
                    words.push(word);
                }
            }
            _ => each(value, |value| {
                words.push(Text::known("-v"));
                words.push(value.text());
            }),
        },
        _ => {
            if let Value::Table(table) = value {
                for (name, value) in table.iter() {
                    container_option(name, value, words, depth);
                }
            }
        }
    }
}

fn push_option(option: &str, value: &Value, words: &mut Words) {
    let mut word = Text::known(option);
    word.append(&value.text());
    words.push(word);
}

fn each(value: &Value, mut told: impl FnMut(&Value)) {
    match value {
        Value::List(list) => list.iter().for_each(told),
        value => told(value),
    }
}

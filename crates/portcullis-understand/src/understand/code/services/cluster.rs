//! Clients for clusters. Owns how their methods are told as calls of `kubectl`.

use portcullis_syntax::Span;

use super::{
    super::{
        interpreter::Interpreter,
        value::{Given, Value},
    },
    command::{DEPTH, kebab, known, written},
    stored::secret,
};
use crate::text::Text;

impl Interpreter<'_, '_, '_> {
    /// A method of a client for a cluster: a verb, and the kind of thing behind `namespaced`.
    pub(super) fn cluster(&mut self, method: &str, given: &[Given], span: Span) -> Option<Value> {
        let name = kebab(method);
        // `new Exec(config).exec(namespace, pod, container, ['sh', '-c', …])`, `stream(api.connect_get_namespaced_pod_exec, …)`
        if matches!(name.as_str(), "exec" | "stream") {
            self.in_a_pod(given, span);
            return None;
        }
        let (verb, rest) = name.split_once('-')?;
        // `utils.create_from_dict(client, manifest)`
        if matches!(name.as_str(), "create-from-dict" | "create-from-yaml") {
            let manifest = given.iter().skip(1).find(|it| {
                it.name.as_deref().is_none_or(|name| matches!(name, "data" | "yaml_objects"))
            })?;
            let manifest = match &manifest.value {
                Value::Table(_) | Value::List(_) => written(&manifest.value, DEPTH),
                value => value.text(),
            };
            self.follow_words(known(&["kubectl", "apply", "-f", "-"]), Some(manifest), span);
            return None;
        }
        let all = rest.starts_with("collection-");
        let rest = rest.strip_prefix("collection-").unwrap_or(rest);
        let rest = rest.strip_prefix("namespaced-").unwrap_or(rest);
        let kind = rest.strip_suffix("-for-all-namespaces").unwrap_or(rest).replace('-', "");
        let name = given
            .iter()
            .find(|given| given.name.as_deref().is_none_or(|name| name == "name"))
            .map_or_else(|| Text::unknown("a name"), |given| given.value.text());
        match verb {
            "delete" => {
                let mut words = known(&["kubectl", "delete", kind.as_str()]);
                words.push(if all { Text::known("--all") } else { name });
                // What is spread over a call may have lost a member meanwhile.
                if is_rehearsal(given) && !self.source.contains("**") {
                    words.push(Text::known("--dry-run=server"));
                }
                self.tell(words, span);
            }
            "connect" if kind.ends_with("podexec") => self.in_a_pod(given, span),
            // Nobody decodes what stays in the cluster.
            "list" | "read" if kind == "secret" => self.secrets_of_a_cluster(span),
            "patch" | "replace" if kind.ends_with("scale") => {
                let mut words = known(&["kubectl", "scale"]);
                let said = given.iter().map(|given| written(&given.value, DEPTH).display());
                let is_none = said.into_iter().any(|said| {
                    let plain: String = said.split([' ', '"', '\'']).collect();
                    plain.contains("replicas:0")
                        || plain.contains("/spec/replicas") && plain.contains("value:0")
                });
                let kind = kind.trim_end_matches("scale");
                words.push(Text::known(format!("--replicas={}", if is_none { "0" } else { "1" })));
                words.push(Text::known(kind));
                // Of each that is listed.
                let is_each = name.has_unknown();
                words.push(if is_each { Text::known("--all") } else { name });
                if is_rehearsal(given) && !self.source.contains("**") {
                    words.push(Text::known("--dry-run=server"));
                }
                self.tell(words, span);
            }
            "create" | "replace" | "patch" if kind.ends_with("rolebinding") => {
                let mut words = known(&["kubectl", "create", kind.as_str(), "new"]);
                let said = given.iter().map(|given| written(&given.value, DEPTH).display());
                if said.into_iter().any(|said| said.contains("cluster-admin")) {
                    words.push(Text::known("--clusterrole=cluster-admin"));
                }
                self.tell(words, span);
            }
            _ => {}
        }
        None
    }

    fn secrets_of_a_cluster(&mut self, span: Span) {
        let decodes = ["b64decode", "base64", "atob("].iter();
        let prints = self.source.contains("print(") && self.source.contains(".data");
        if prints || decodes.into_iter().any(|name| self.source.contains(name)) {
            self.tell(known(&["kubectl", "get", "secrets", "-o", "yaml"]), span);
        }
    }

    /// `client.resources.get(kind="Pod")` of a dynamic client, and what is done by what it gives: the kind of thing goes along.
    pub(super) fn resource(
        &mut self,
        receiver: &str,
        method: &str,
        text: &Text,
        given: &[Given],
        span: Span,
    ) -> Option<Value> {
        let of_any_kind =
            ["KubernetesObjectApi", "makeApiClient()"].iter().any(|it| receiver.contains(it));
        if method == "get" && receiver.ends_with(".resources") {
            let kind = given.iter().find(|it| it.name.as_deref() == Some("kind"))?;
            let path = format!("{receiver}.get()");
            return Some(Value::reached(&path, kind.value.text()));
        }
        let is_one = receiver.ends_with(".resources.get()");
        if method == "get"
            && is_one
            && text.as_known().is_some_and(|kind| kind.eq_ignore_ascii_case("secret"))
        {
            self.secrets_of_a_cluster(span);
            return Some(secret());
        }
        if !matches!(method, "delete" | "patch" | "replace") || !is_one && !of_any_kind {
            return None;
        }
        let entry = given.first().and_then(|it| it.value.entry("kind")).map(Value::text);
        let kind = entry.unwrap_or_else(|| text.clone());
        let kind = kind.as_known().unwrap_or("resource").to_ascii_lowercase();
        let name = given.iter().find(|it| it.name.as_deref() == Some("name"));
        let mut words = known(&["kubectl", method, kind.as_str()]);
        words.push(name.map_or_else(|| Text::unknown("a name"), |it| it.value.text()));
        if is_rehearsal(given) || given.iter().any(|it| it.name.as_deref() == Some("dry_run")) {
            words.push(Text::known("--dry-run=server"));
        }
        self.tell(words, span);
        Some(Value::unknown("what a cluster answers"))
    }

    /// A command in a container of a cluster: the list of its words, or what is called so.
    fn in_a_pod(&mut self, given: &[Given], span: Span) {
        let named = given.iter().find(|it| it.name.as_deref() == Some("command"));
        let list = given.iter().find(|it| matches!(it.value, Value::List(_)));
        let command = match named.or(list).map(|it| &it.value) {
            Some(Value::List(words)) => words.iter().map(Value::text).collect(),
            Some(value) => vec![value.text()],
            None => return,
        };
        let mut words = known(&["kubectl", "exec", "pod", "--"]);
        words.extend(command);
        self.flush();
        self.follow_words(words, None, span);
    }
}

/// Whether a call only says what it would do: `dry_run="All"`.
pub(in super::super) fn is_rehearsal(given: &[Given]) -> bool {
    given.iter().any(|it| {
        // Of JavaScript's objects the name is another one, so that what Python is given within one counts for nothing.
        let value = match it.name.as_deref() {
            Some("dry_run") => Some(&it.value),
            None => it.value.entry("dryRun"),
            Some(_) => None,
        };
        value.is_some_and(|value| value.as_known() == Some("All"))
    })
}

//! Programs that have others within, called by their names: `k3s kubectl get pods`. Owns which.

use super::words::command_after;
use crate::{
    programs::{host::Host, invocation::Invocation},
    text::Text,
};

/// What each has within, sorted (docs.k3s.io/cli, docs.k0sproject.io/cli, microk8s.io/docs/command-reference, minikube.sigs.k8s.io/docs).
const WITHIN: &[(&str, &[&str])] = &[
    ("k0s", &["ctr", "kubectl"]),
    ("k3s", &["crictl", "ctr", "kubectl"]),
    ("microk8s", &["ctr", "helm", "helm3", "kubectl"]),
    ("minikube", &["kubectl"]),
];

/// Runs the program that the first word names.
pub(super) fn bundled(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let words = command_after(invocation, 0);
    let row = WITHIN.binary_search_by(|(program, _)| (*program).cmp(&invocation.program));
    let within = row.ok().and_then(|at| WITHIN.get(at)).map_or(&[][..], |(_, within)| within);
    let Some((name, rest)) = words.split_first() else { return invocation.origin() };
    if !name.text.as_known().is_some_and(|name| within.contains(&name)) {
        return invocation.origin();
    }
    let mut command = vec![name.clone()];
    // `minikube kubectl --ssh -- get pods`: its own options end first.
    let own = rest.iter().take_while(|word| word.text.known_prefix().starts_with('-'));
    let ends = own.map(|word| word.text.as_known()).position(|word| word == Some("--"));
    let own = ends.filter(|_| invocation.program == "minikube").map_or(0, |at| at + 1);
    command.extend_from_slice(rest.get(own..).unwrap_or_default());
    walk.run(&command, invocation.input.clone())
}

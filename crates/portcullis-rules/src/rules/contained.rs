//! What counts of what happens in a container that is built or started for the project. Owns the list of rules that speak of what leaves it:
//! code that nobody has read, what it is given and sends away, what it does to services outside. Files, users and programs of the container
//! are its own, and gone with it.

/// How the ids of the rules begin that count.
const COUNT: &[&str] = &[
    "aws.",
    "cloud.",
    "code.cloud.",
    "code.database.",
    "code.evaluate.computed",
    "code.shell.",
    "container.",
    "credentials.cloud.metadata",
    "credentials.directory.handed",
    "db.",
    "execution.decoded.",
    "execution.remote.fetched",
    "execution.remote.host",
    "execution.remote.prepared",
    "exfiltration.",
    "forge.",
    "git.push.",
    "http.request.engine-socket",
    "k8s.",
    "network.attack.",
    "network.mining.",
    "network.shell.",
    "network.tunnel.",
    "package.index.",
    "package.install.url",
    "package.publish",
    "package.registry.set",
    "package.unpublish",
    "secret.",
    "terraform.",
    "url.host.collector",
];

/// Whether a rule counts there.
pub(super) fn counts(rule: &str) -> bool {
    COUNT.iter().any(|start| rule.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_leaves_a_container_counts_and_what_is_its_own_does_not() {
        for (rule, expected) in [
            ("exfiltration.secret.sent", true),
            ("execution.remote.fetched", true),
            ("fs.delete.root", false),
            ("privilege.account.change", false),
            ("package.system.change", false),
        ] {
            assert_eq!(counts(rule), expected, "{rule}");
            assert!(crate::rules::find(rule).is_some(), "{rule}");
        }
    }

    #[test]
    fn every_beginning_is_that_of_a_rule() {
        for start in COUNT {
            assert!(crate::rules::all().any(|rule| rule.id.starts_with(start)), "{start}");
        }
    }
}

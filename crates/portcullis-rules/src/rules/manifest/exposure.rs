//! Manifests that give more than is needed: containers with their host, accounts with every right, networks that are open
//! to everyone. Owns what such a setting looks like in each format.

use super::super::{Hit, Scene, effects::about, effects::written};
use crate::{
    bound::Bounded,
    effect::{Effect, EffectKind},
    place::{self, Place},
    risk::Severity,
    text::Text,
};

/// Settings that give a container its host, or an account the whole cluster.
const HOST_RIGHTS: &[&str] = &[
    "hostPID: true",
    "hostIPC: true",
    "privileged: true",
    "pid: host",
    "pid: \"host\"",
    "/var/run/docker.sock",
    "/run/podman/podman.sock",
    "/run/containerd/containerd.sock",
    "SYS_ADMIN",
    "\"privileged\": true",
    "allowPrivilegeEscalation: true",
    "system:anonymous",
    "system:unauthenticated",
    "seccomp:unconfined",
    "apparmor:unconfined",
    "hostPath: path: / ",
    "hostPath: {path: /}",
    "- /:/",
    "- \"/:/",
    "cap_add: - ALL",
    "cap_add: [ALL]",
];

/// Settings that open something to everyone.
const PUBLIC: &[&str] = &[
    "block_public_acls = false",
    "block_public_policy = false",
    "restrict_public_buckets = false",
    "ignore_public_acls = false",
    "publicly_accessible = true",
    "\"public-read",
    "allUsers",
    "allAuthenticatedUsers",
    "Principal = \"*\"",
    "\"Principal\": \"*\"",
    "Action = \"*\"",
    "Action=\"*\"",
    "\"Action\": \"*\"",
    "actions = [\"*\"]",
];

/// How an address range says that it is everybody.
const EVERYBODY: &[&str] = &["0.0.0.0/0", "::/0"];

/// Ports that are there for everybody.
const WEB: &[&str] = &["80", "443", "8080", "8443"];

/// How far around a range is looked.
const AROUND: usize = 2048;

/// Programs that are given a manifest on their standard input.
const APPLIERS: &[&str] = &["docker", "kubectl", "nerdctl", "oc", "podman"];

/// A manifest of containers, written or handed on at once.
pub(crate) fn gives_the_host(effect: &Effect, scene: &Scene<'_>) -> Option<Hit> {
    if let EffectKind::Run(run) = &effect.kind {
        let content = run.input.as_ref().filter(|_| APPLIERS.contains(&run.program.as_str()))?;
        let reads = run.arguments.iter().any(|word| {
            matches!(
                word.text.as_known(),
                Some("apply" | "create" | "replace" | "kube" | "compose")
            )
        });
        let found = reads && names_host_rights(content);
        return found.then(|| Hit { severity: Some(Severity::High), ..Hit::default() });
    }
    let (target, _, content) = written(effect)?;
    let (_, extension) = target.path.as_deref()?.rsplit_once('.')?;
    if !["yaml", "yml", "json"].contains(&extension)
        || place::place_of(target, scene.facts) == Place::Harmless
        || !names_host_rights(content)
    {
        return None;
    }
    Some(about(Severity::High, target, "this opens more than it needs to:"))
}

fn names_host_rights(content: &Text) -> bool {
    let text = in_one_line(content);
    if HOST_RIGHTS.iter().any(|setting| text.contains(setting)) {
        return true;
    }
    let compact: String =
        text.chars().filter(|letter| !matches!(letter, ' ' | '"' | '\'')).collect();
    let binds = text.contains("RoleBinding") && compact.contains("name:cluster-admin");
    let all = |key: &str| {
        compact.contains(&format!("{key}:[*]")) || compact.contains(&format!("{key}:-*"))
    };
    binds || text.contains("Role") && all("verbs") && all("resources")
}

/// A description of infrastructure that is written.
pub(crate) fn opens_to_everyone(effect: &Effect, scene: &Scene<'_>) -> Option<Hit> {
    let (target, _, content) = written(effect)?;
    let (_, extension) = target.path.as_deref()?.rsplit_once('.')?;
    let described = ["tf", "tofu", "hcl", "bicep"].contains(&extension);
    let template = ["yaml", "yml", "json", "template"].contains(&extension);
    if !(described || template) || place::place_of(target, scene.facts) == Place::Harmless {
        return None;
    }
    let text = content.display();
    let listed = described && {
        let text = in_one_line(content);
        PUBLIC.iter().any(|setting| text.contains(setting))
    };
    let ranged = if described {
        ranges(&text).any(|at| lets_everybody_in(&text, at))
    } else {
        ranges(&text).any(|at| template_lets_everybody_in(&text, at))
    };
    (listed || ranged).then(|| about(Severity::High, target, "this opens more than it needs to:"))
}

fn in_one_line(content: &Text) -> String {
    // Columns are lined up in these files as people like them.
    let mut text = content.display().split_whitespace().collect::<Vec<_>>().join(" ");
    text.push(' ');
    text
}

/// Where a range of addresses is everybody.
fn ranges(text: &str) -> impl Iterator<Item = usize> + '_ {
    EVERYBODY.iter().flat_map(|range| text.match_indices(range).map(|(at, _)| at))
}

/// In Terraform: the block around the range is about what comes in, and not about the web's ports.
fn lets_everybody_in(text: &str, at: usize) -> bool {
    let start = text.floor_char_boundary(at.saturating_sub(AROUND));
    let before = text.get(start..at).unwrap_or_default();
    let mut depth = 0_usize;
    let mut open = 0;
    for (index, letter) in before.char_indices().rev() {
        match letter {
            '}' => depth += 1,
            '{' if depth == 0 => {
                open = index;
                break;
            }
            '{' => depth -= 1,
            _ => {}
        }
    }
    let header = before.get(..open).unwrap_or_default().lines().next_back().unwrap_or_default();
    let end = text.ceil_char_boundary(at.saturating_add(AROUND).min(text.len()));
    let after = text.get(at..end).unwrap_or_default();
    let after = after.split('}').next().unwrap_or_default();
    let block = format!("{}{after}", before.get(open..).unwrap_or_default());
    let resource = before.rfind("resource \"").and_then(|start| before.get(start..)).unwrap_or("");
    let kind = resource.split('"').nth(1).unwrap_or_default();
    let compact: String = block.chars().filter(|letter| !letter.is_whitespace()).collect();
    let inward = header.contains("ingress")
        || kind.contains("ingress")
        || compact.contains("type=\"ingress\"")
        || kind == "google_compute_firewall" && compact.contains("source_ranges")
        || compact.contains("direction=\"Inbound\"") && compact.contains("Allow")
        || kind.ends_with("_cluster") && compact.contains("public_access_cidrs");
    let outward = header.contains("egress") || compact.contains("type=\"egress\"");
    inward && !outward && !is_for_the_web(&block)
}

/// In `CloudFormation` and its like: the same by the keys around it.
fn template_lets_everybody_in(text: &str, at: usize) -> bool {
    let start = text.floor_char_boundary(at.saturating_sub(AROUND / 8));
    let end = text.ceil_char_boundary((at + AROUND / 8).min(text.len()));
    let before = text.get(start..at).unwrap_or_default();
    let key = before.rsplit(['\n', ',', '{']).next().unwrap_or_default();
    let is_source = ["CidrIp", "cidr_ip", "CidrIpv6"].iter().any(|name| key.contains(name));
    let after = text.get(at..end).unwrap_or_default();
    let near: String = before
        .lines()
        .rev()
        .leading(6)
        .chain(after.lines().leading(5))
        .flat_map(|line| [line, "\n"])
        .collect();
    let egress = before.rfind("gress").is_some_and(|at| {
        before
            .get(..at)
            .is_some_and(|before| before.ends_with(['E', 'e']) && !before.ends_with("Ine"))
    });
    is_source && !egress && !is_for_the_web(&near)
}

/// Whether every port that a rule names is one of the web's, or it names none because the protocol has none.
fn is_for_the_web(block: &str) -> bool {
    let mut ports = Vec::new();
    for line in block.lines().flat_map(|line| line.split([',', '{', '}'])) {
        let Some((key, value)) = line.split_once(['=', ':']) else { continue };
        let key = key.to_ascii_lowercase();
        if key.contains("protocol") && value.to_ascii_lowercase().contains("icmp") {
            return true;
        }
        if key.contains("port") && !key.contains("source_port") {
            ports.extend(
                value
                    .split(|letter: char| !letter.is_ascii_digit())
                    .filter(|number| !number.is_empty()),
            );
        }
    }
    !ports.is_empty() && ports.iter().all(|port| WEB.contains(port))
}

#[cfg(test)]
mod tests {
    use super::{lets_everybody_in, ranges, template_lets_everybody_in};

    #[test]
    fn networks_that_are_open_to_everybody_are_told_from_the_others() {
        for (text, expected) in [
            (
                "resource \"aws_security_group\" \"a\" {\n ingress {\n from_port = 22\n to_port = 22\n cidr_blocks = [\"0.0.0.0/0\"]\n }\n}",
                true,
            ),
            (
                "resource \"aws_security_group\" \"a\" {\n ingress {\n from_port = 443\n to_port = 443\n cidr_blocks = [\"0.0.0.0/0\"]\n }\n}",
                false,
            ),
            (
                "resource \"aws_security_group\" \"a\" {\n egress {\n from_port = 0\n to_port = 0\n cidr_blocks = [\"0.0.0.0/0\"]\n }\n}",
                false,
            ),
            (
                "resource \"aws_security_group_rule\" \"a\" {\n type = \"ingress\"\n from_port = 0\n cidr_blocks = [\"0.0.0.0/0\"]\n}",
                true,
            ),
            ("resource \"aws_route\" \"a\" {\n destination_cidr_block = \"0.0.0.0/0\"\n}", false),
            (
                "resource \"aws_vpc_security_group_ingress_rule\" \"a\" {\n from_port = 5432\n cidr_ipv4 = \"0.0.0.0/0\"\n}",
                true,
            ),
            (
                "resource \"google_compute_firewall\" \"a\" {\n allow {\n ports = [\"22\"]\n }\n source_ranges = [\"0.0.0.0/0\"]\n}",
                true,
            ),
        ] {
            let found = ranges(text).any(|at| lets_everybody_in(text, at));
            assert_eq!(found, expected, "{text}");
        }
        for (text, expected) in [
            ("Properties: {IpProtocol: \"-1\", CidrIp: 0.0.0.0/0}", true),
            (
                "SecurityGroupIngress:\n  - FromPort: 22\n    ToPort: 22\n    CidrIp: 0.0.0.0/0\n",
                true,
            ),
            (
                "SecurityGroupIngress:\n  - FromPort: 443\n    ToPort: 443\n    CidrIp: 0.0.0.0/0\n",
                false,
            ),
            ("SecurityGroupEgress:\n  - IpProtocol: \"-1\"\n    CidrIp: 0.0.0.0/0\n", false),
            ("DestinationCidrBlock: 0.0.0.0/0\n", false),
        ] {
            let found = ranges(text).any(|at| template_lets_everybody_in(text, at));
            assert_eq!(found, expected, "{text}");
        }
    }
}

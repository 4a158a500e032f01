//! Contracts of the tools of a Kubernetes cluster.

use super::{Server, Tool};
use crate::contract::{Class, Meaning};

pub(super) static SERVER: Server = Server {
    names: &["kubernetes", "k8s", "kubectl"],
    source: "https://github.com/Flux159/mcp-server-kubernetes",
    foreign: false,
    reads: &[
        "explain_resource",
        "kubectl_describe",
        "kubectl_get",
        "kubectl_logs",
        "list_api_resources",
        "list_namespaces",
        "ping",
        "kubectl_reconnect",
    ],
    changes: &[
        "kubectl_scale",
        "kubectl_rollout",
        "kubectl_patch",
        "kubectl_context",
        "port_forward",
        "stop_port_forward",
        "cleanup",
    ],
    tools: &[
        Tool::new("kubectl_apply", Class::Change, "manifest")
            .with(&[("/manifest", Meaning::Manifest)]),
        Tool::new("kubectl_create", Class::Change, "resource")
            .with(&[("/manifest", Meaning::Manifest)]),
        Tool::new("create_deployment", Class::Change, "deployment"),
        Tool::new("kubectl_delete", Class::Delete, "resource"),
        Tool::new("exec_in_pod", Class::Execute, "command").with(&[("/command", Meaning::Command)]),
        Tool::new("kubectl_generic", Class::Execute, "command")
            .with(&[("/command", Meaning::Operation)]),
        Tool::new("install_helm_chart", Class::Execute, "chart"),
        Tool::new("upgrade_helm_chart", Class::Execute, "chart"),
        Tool::new("uninstall_helm_chart", Class::Delete, "chart"),
        Tool::new("node_management", Class::Administer, "node"),
    ],
};

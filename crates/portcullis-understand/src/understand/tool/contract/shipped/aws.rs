//! Contracts of the tools of Amazon Web Services.

use super::{Server, Tool};
use crate::contract::{Class, Meaning};

pub(super) static SERVER: Server = Server {
    names: &["aws"],
    source: "https://github.com/awslabs/mcp",
    foreign: false,
    reads: &[
        "suggest_aws_commands",
        "get_execution_plan",
        "get_cloudwatch_logs",
        "get_cloudwatch_metrics",
        "get_pod_logs",
        "get_policies_for_role",
        "list_api_versions",
        "search_eks_troubleshoot_guide",
        "get_eks_insights",
        "get_eks_vpc_config",
    ],
    changes: &[],
    tools: &[
        Tool::new("call_aws", Class::Execute, "command")
            .with(&[("/cli_command", Meaning::Command)]),
        Tool::new("apply_yaml", Class::Change, "manifest"),
        Tool::new("add_inline_policy", Class::Administer, "policy"),
        Tool::new("manage_eks_stacks", Class::Administer, "stack"),
        Tool::new("create_resource", Class::Change, "resource"),
        Tool::new("update_resource", Class::Change, "resource"),
        Tool::new("delete_resource", Class::Delete, "resource"),
    ],
};

//! An organisation's policies in Cedar, over what a gateway judges; and a program without them, which does not start where they are wanted.

use std::{fs, path::Path, process::Command};

fn config(folder: &Path, table: &str) -> String {
    let path = folder.join("config.toml");
    fs::write(&path, format!("[serve.cedar]\n{table}\n")).unwrap();
    path.display().to_string()
}

fn refused(folder: &Path, table: &str, reason: &str) {
    let output = Command::new(env!("CARGO_BIN_EXE_portcullis"))
        .args(["serve", "--listen", "127.0.0.1:0", "--config", &config(folder, table), "--state"])
        .arg(folder.join("state"))
        .env("HOME", folder)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(78), "{table}: {said}");
    assert!(said.contains(reason), "{table}: {said}");
}

#[test]
fn a_table_of_cedar_that_cannot_be_used_stops_the_gateway() {
    let folder = tempfile::tempdir().unwrap();
    refused(folder.path(), "policies = 'here'", "is not an absolute path");
    refused(folder.path(), "policies = '/p'\nforbidden = 'allow'", "unknown variant `allow`");
    let reason = if cfg!(feature = "cedar") { "cannot be read" } else { "without Cedar" };
    refused(folder.path(), "policies = '/nowhere'", reason);
}

#[cfg(feature = "cedar")]
#[test]
fn what_cedar_forbids_is_denied_whichever_way_it_comes() {
    use serde_json::json;

    use crate::client::{Gateway, call};

    let folder = tempfile::tempdir().unwrap();
    let policies = folder.path().join("policies");
    fs::create_dir(&policies).unwrap();
    let text = "permit(principal, action, resource);\n@id(\"no-mkdir\")\nforbid(principal, action, resource) \
                when { context.arguments has command && context.arguments.command like \"mkdir *\" };\n";
    fs::write(policies.join("own.cedar"), text).unwrap();
    let config = config(folder.path(), &format!("policies = '{}'", policies.display()));
    let state = folder.path().join("state");
    let gateway = Gateway::at_home(folder.path(), &state, &["--config", &config]);
    let mut client = gateway.client();
    let allowed = client.post("/v1/judge", &gateway.agents, &call("ls")).json();
    assert_eq!(allowed["decision"], "allow", "{allowed}");
    let denied = client.post("/v1/judge", &gateway.agents, &call("mkdir x")).json();
    assert_eq!((&denied["decision"], &denied["layer"]), (&json!("deny"), &json!("deny-rule")));
    assert!(denied.to_string().contains("cedar forbids this call: `no-mkdir`"), "{denied}");
    let records = client.get("/v1/records", &gateway.person).body;
    assert!(records.contains("cedar forbids this call: `no-mkdir`"), "{records}");
}

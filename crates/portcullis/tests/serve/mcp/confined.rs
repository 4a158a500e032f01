//! A server behind the gateway inside its contract.
#![cfg(target_os = "linux")]

use serde_json::{Value, json};

use super::{Mcp, Place, Setup, wait};

const CONTRACT: &str = "[contracts.servers.notes]\n";

#[test]
fn a_server_of_the_gateway_runs_inside_its_contract_and_is_gone_with_its_session() {
    let place = Place::of(&Setup { top: CONTRACT, ..Setup::default() });
    let (_, probed) = place.ran(&["sandbox", "probe", "--json", "--contract", "notes"]);
    let report: Value = serde_json::from_str(&probed).unwrap_or_else(|_| panic!("{probed}"));
    if report["layers"].as_array().unwrap().iter().any(|layer| layer["in_force"] != true) {
        std::io::Write::write_all(&mut std::io::stderr(), b"skipped: no sandbox here\n").unwrap();
        return;
    }
    let hello = |answers: &[Value]| {
        answers.last().unwrap()["result"]["content"][0]["text"].as_str().map(str::to_owned)
    };
    let held = place.met();
    assert_eq!(hello(&held.call(2, "read_note", json!({}))).as_deref(), Some("hello"));
    // It writes down each call where it is let.
    assert_eq!(place.lines("calls").len(), 0);
    let mut free = Mcp { path: "/mcp/other", ..place.client() };
    free.meet(json!({}));
    assert_eq!(hello(&free.call(2, "read_note", json!({}))).as_deref(), Some("hello"));
    assert_eq!(place.lines("calls").len(), 1);
    let all = place.gateway.client().get("/v1/servers", &place.gateway.person).json();
    let by = |name: &str| {
        let servers = all["servers"].as_array().unwrap();
        servers.iter().find(|one| one["server"] == name).unwrap()["confined"]["by"].clone()
    };
    assert_eq!((by("notes"), by("other")), (json!("contract"), Value::Null));
    let script = place.server().join("server.sh").display().to_string();
    assert_eq!(running(&script).len(), 3, "one outside, and what holds the other with it inside");
    for client in [&held, &free] {
        client.send("DELETE", &[("Mcp-Session-Id", client.session.as_deref().unwrap())], "");
    }
    wait(|| running(&script).is_empty());
}

/// The processes whose command names a file.
fn running(path: &str) -> Vec<String> {
    let all = std::fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    let commands = all.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
    let texts = commands.map(|bytes| String::from_utf8_lossy(&bytes).replace('\0', " "));
    texts.filter(|text| text.contains(path)).collect()
}

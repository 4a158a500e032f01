//! The cases beside Node's parser, which is another reading of the same standard. Runs where Node is, and says so where not.

use std::{
    error::Error,
    io::Write as _,
    process::{Command, Stdio},
};

use portcullis_network::network::Target;
use serde_json::Value;

const READ: &str = "
const lines = require('fs').readFileSync(0, 'utf8').split('\\n').filter(Boolean);
for (const line of lines) {
  let read = null;
  try {
    const url = new URL(JSON.parse(line).url);
    const port = url.port || { 'http:': '80', 'https:': '443' }[url.protocol] || '';
    read = { scheme: url.protocol, host: url.hostname, port };
  } catch {}
  console.log(JSON.stringify(read));
}";

#[test]
fn no_case_leads_elsewhere_by_nodes_reading() -> Result<(), Box<dyn Error>> {
    let cases = include_str!("network/urls.jsonl");
    let node = Command::new("node")
        .args(["-e", READ])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let Ok(mut node) = node else {
        writeln!(std::io::stderr(), "node is not installed: nothing was compared")?;
        return Ok(());
    };
    let mut stdin = node.stdin.take().ok_or("no standard input")?;
    let writer = std::thread::spawn(move || stdin.write_all(cases.as_bytes()));
    let output = node.wait_with_output()?;
    writer.join().map_err(|_| "the cases could not be written")??;
    let answers = String::from_utf8(output.stdout)?;
    assert_eq!(answers.lines().count(), cases.lines().count(), "node did not read every case");
    let (mut same, mut refused) = (0, 0);
    for (case, answer) in cases.lines().zip(answers.lines()) {
        let url: Value = serde_json::from_str(case)?;
        let url = url.get("url").and_then(Value::as_str).ok_or("a case has no URL")?;
        let theirs: Value = serde_json::from_str(answer)?;
        let word = |key: &str| theirs.get(key).and_then(Value::as_str).unwrap_or_default();
        let is_web = matches!(word("scheme"), "http:" | "https:");
        match Target::read(url) {
            Ok(target) => {
                let host = word("host").trim_start_matches('[').trim_end_matches(']');
                let host = host.strip_suffix('.').unwrap_or(host);
                assert!(is_web, "{url:?} is {target:?} here, and {theirs} there");
                // Both write IPv6 addresses by the same standard, except those with an IPv4 address inside.
                let read = match target.address() {
                    Some(address) => host.parse() == Ok(address),
                    None => target.host() == host,
                };
                assert!(read, "{url:?} leads to {} here, and to {host} there", target.host());
                assert_eq!(target.port().to_string(), word("port"), "{url:?}");
                same += 1;
            }
            // What is refused here is nobody's way around.
            Err(_) => refused += 1,
        }
    }
    writeln!(std::io::stderr(), "{same} cases are read alike, {refused} are refused here")?;
    assert!(same > 400, "{same} read alike, {refused} refused");
    Ok(())
}

//! The proof that the proxy blocks: a program that stands in the settings of agents is started in front of a server of ours whose one tool nobody
//! accepted. Owns that try; it touches nothing but a directory that it makes and removes.

use std::{
    fs,
    io::{self, Write as _},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use serde_json::json;

use crate::platform;

/// How long it may take.
const PATIENCE: Duration = Duration::from_secs(15);

/// A server with one tool, which leaves a file when it is called.
#[cfg(unix)]
const SERVER: &str = r#"
while IFS= read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/^{"id":\("[^"]*"\|[0-9]*\),.*/\1/p')
  case "$line" in
    *'"method":"initialize"'*)
      printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"proof","version":"1"}}}\n' "$id" ;;
    *'"method":"tools/list"'*)
      printf '{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"leave_a_mark","inputSchema":{"type":"object"}}]}}\n' "$id" ;;
    *'"method":"tools/call"'*)
      : > "$1/called"
      printf '{"jsonrpc":"2.0","id":%s,"result":{"content":[]}}\n' "$id" ;;
  esac
done
"#;

/// What came of the try.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Proof {
    /// The call was refused, and did not reach the server.
    Blocks,
    /// It reached the server, or was not refused.
    LetsThrough,
    /// It cannot be tried on this system.
    Untried,
}

/// Starts a program as the proxy of a server, and calls a tool of it that nobody accepted.
///
/// # Errors
/// When it cannot be started, or says nothing.
pub fn blocks(program: &Path) -> io::Result<Proof> {
    #[cfg(not(unix))]
    {
        let _ = program;
        Ok(Proof::Untried)
    }
    #[cfg(unix)]
    {
        let random = data_encoding::HEXLOWER.encode(&platform::random::<8>()?);
        let folder = std::env::temp_dir().join(format!("portcullis-proof-{random}"));
        platform::create_private_directory(&folder)?;
        let tried = tried(program, &folder);
        // A directory of ours in the one for temporary files; one that stays is emptied with it.
        let _ = fs::remove_dir_all(&folder);
        tried
    }
}

#[cfg(unix)]
fn tried(program: &Path, folder: &Path) -> io::Result<Proof> {
    let state: PathBuf = folder.join("state");
    platform::create_private_directory(&state)?;
    let mut command = Command::new(program);
    command.args(["mcp", "proxy", "--server", "portcullis-proof", "--wait", "0", "--state"]);
    command.arg(&state).args(["--", "sh", "-c", SERVER, "sh"]).arg(folder);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn()?;
    let mut input = child.stdin.take().ok_or(io::ErrorKind::BrokenPipe)?;
    let requests = [
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "doctor", "version": "1"}}}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "leave_a_mark", "arguments": {}}}),
    ];
    for request in requests {
        input.write_all(format!("{request}\n").as_bytes())?;
    }
    input.flush()?;
    let output = child.stdout.take().ok_or(io::ErrorKind::BrokenPipe)?;
    let reader = thread::spawn(move || {
        let mut output = io::BufReader::new(output);
        let mut said = Vec::new();
        while let Ok(super::frame::Line::Whole(line)) = super::frame::line(&mut output) {
            let is_last = serde_json::from_slice::<serde_json::Value>(&line)
                .is_ok_and(|value| value.get("id") == Some(&json!(2)));
            said.push(line);
            if is_last {
                break;
            }
        }
        said
    });
    let begun = Instant::now();
    while !reader.is_finished() && begun.elapsed() < PATIENCE {
        thread::sleep(Duration::from_millis(10));
    }
    drop(input);
    let _ = child.kill();
    let _ = child.wait();
    let said = reader.join().map_err(|_| io::Error::other("its answer could not be read"))?;
    let last = said.last().and_then(|line| serde_json::from_slice::<serde_json::Value>(line).ok());
    let Some(answer) = last.filter(|value| value.get("id") == Some(&json!(2))) else {
        return Err(io::Error::other("it did not answer"));
    };
    let refused =
        answer.pointer("/result/isError") == Some(&json!(true)) || answer.get("error").is_some();
    let reached = folder.join("called").exists();
    Ok(if refused && !reached { Proof::Blocks } else { Proof::LetsThrough })
}

//! One thing, one answer: whatever tool or language reads, writes or deletes a file, asks a host or a variable, the findings and the
//! risk are the same.

use std::collections::BTreeSet;

use portcullis_core::{
    action::Action, call::ToolCall, facts::Facts, gate::Gate, policy::Policy, risk::Risk,
};
use serde_json::{Value, json};

const HOME: &str = "/home/dev";

/// Harmless and sensitive ones, in the project, the home, another's home and the system.
const PATHS: &[&str] = &[
    "README.md",
    "src/main.rs",
    "/workspace/project/src/lib.rs",
    "./package.json",
    ".env",
    ".env.example",
    ".git/config",
    ".git/hooks/pre-commit",
    ".github/workflows/ci.yml",
    "/workspace/other/a.txt",
    "/home/dev/.ssh/id_rsa",
    "/home/dev/.ssh/id_ed25519.pub",
    "/home/dev/.ssh/config",
    "/home/dev/.ssh/known_hosts",
    "/home/dev/.ssh/authorized_keys",
    "/home/dev/.aws/credentials",
    "/home/dev/.aws/config",
    "/home/dev/.netrc",
    "/home/dev/.npmrc",
    "/home/dev/.pypirc",
    "/home/dev/.kube/config",
    "/home/dev/.docker/config.json",
    "/home/dev/.bashrc",
    "/home/dev/.bash_history",
    "/home/dev/.profile",
    "/home/dev/.gitconfig",
    "/home/dev/.git-credentials",
    "/home/dev/.config/gh/hosts.yml",
    "/home/dev/.claude/settings.json",
    "/home/dev/.config/Code/User/settings.json",
    "/home/dev/Documents/letter.txt",
    "/home/dev/notes.txt",
    "/etc/passwd",
    "/etc/shadow",
    "/etc/hosts",
    "/etc/group",
    "/etc/ssh/ssh_config",
    "/etc/ssh/sshd_config",
    "/etc/ssh/ssh_host_rsa_key",
    "/etc/sudoers",
    "/etc/crontab",
    "/etc/os-release",
    "/etc/resolv.conf",
    "/etc/fstab",
    "/etc/nginx/nginx.conf",
    "/etc/ld.so.preload",
    "/etc/environment",
    "/root/.profile",
    "/root/.bashrc",
    "/root/.ssh/id_rsa",
    "/root/notes.txt",
    "/home/alice/notes.txt",
    "/proc/self/environ",
    "/proc/cpuinfo",
    "/var/log/syslog",
    "/var/run/docker.sock",
    "/tmp/x.txt",
    "/usr/bin/ls",
    "/usr/local/bin/tool",
    "/boot/grub/grub.cfg",
    "/opt/app/a.conf",
    "/var/lib/postgresql/data/PG_VERSION",
];

/// What a call is: the tool, its argument, and what stands in it.
type Way = (&'static str, &'static str, &'static str);

const READ: &[Way] = &[
    ("bash", "command", "cat PATH"),
    ("bash", "command", "head -n 5 PATH"),
    ("bash", "command", "while read l; do echo \"$l\"; done < PATH"),
    ("bash", "command", "perl -ne 'print' PATH"),
    ("bash", "command", "ruby -e 'puts File.read(\"PATH\")'"),
    ("bash", "command", "php -r 'echo file_get_contents(\"PATH\");'"),
    ("bash", "command", "python3 -c \"print(open('PATH').read())\""),
    ("bash", "command", "node -e \"console.log(require('fs').readFileSync('PATH','utf8'))\""),
    ("python", "code", "print(open('PATH').read())"),
    ("python", "code", "from pathlib import Path\nprint(Path('PATH').read_text())"),
    ("javascript", "code", "console.log(require('fs').readFileSync('PATH','utf8'))"),
    ("Read", "file_path", "PATH"),
    ("read_file", "path", "PATH"),
];

const WRITE: &[Way] = &[
    ("bash", "command", "echo x > PATH"),
    ("bash", "command", "echo x | tee PATH"),
    ("bash", "command", "ruby -e 'File.write(\"PATH\",\"x\")'"),
    ("bash", "command", "php -r 'file_put_contents(\"PATH\",\"x\");'"),
    ("python", "code", "open('PATH','w').write('x')"),
    ("python", "code", "from pathlib import Path\nPath('PATH').write_text('x')"),
    ("javascript", "code", "require('fs').writeFileSync('PATH','x')"),
    ("Write", "file_path", "PATH"),
    ("write_file", "path", "PATH"),
];

const DELETE: &[Way] = &[
    ("bash", "command", "rm PATH"),
    ("bash", "command", "rm -f PATH"),
    ("bash", "command", "unlink PATH"),
    ("bash", "command", "ruby -e 'File.delete(\"PATH\")'"),
    ("bash", "command", "php -r 'unlink(\"PATH\");'"),
    ("python", "code", "import os\nos.remove('PATH')"),
    ("python", "code", "from pathlib import Path\nPath('PATH').unlink()"),
    ("javascript", "code", "require('fs').unlinkSync('PATH')"),
    ("delete_file", "path", "PATH"),
];

/// A tool that only fetches runs wherever its provider does, so that an address inside is another network than here; it is not among
/// these.
const CONNECT: &[Way] = &[
    ("bash", "command", "curl -s http://PATH/x"),
    ("bash", "command", "wget -qO- http://PATH/x"),
    ("bash", "command", "ruby -rnet/http -e 'puts Net::HTTP.get(URI(\"http://PATH/x\"))'"),
    ("bash", "command", "php -r 'echo file_get_contents(\"http://PATH/x\");'"),
    (
        "python",
        "code",
        "import urllib.request\nprint(urllib.request.urlopen('http://PATH/x').read())",
    ),
    ("python", "code", "import requests\nprint(requests.get('http://PATH/x').text)"),
    ("javascript", "code", "fetch('http://PATH/x').then(r => r.text()).then(console.log)"),
];

const HOSTS: &[&str] = &[
    "example.com",
    "api.github.com",
    "localhost:8080",
    "127.0.0.1:3000",
    "[::1]:8000",
    "10.0.0.5",
    "192.168.1.1",
    "169.254.169.254",
    "metadata.google.internal",
];

const VARIABLE: &[Way] = &[
    ("bash", "command", "echo \"$PATH\""),
    ("bash", "command", "ruby -e 'puts ENV[\"PATH\"]'"),
    ("bash", "command", "php -r 'echo getenv(\"PATH\");'"),
    ("python", "code", "import os\nprint(os.environ['PATH'])"),
    ("python", "code", "import os\nprint(os.getenv('PATH'))"),
    ("javascript", "code", "console.log(process.env.PATH)"),
];

fn answer(way: Way, path: &str) -> (Risk, BTreeSet<String>) {
    let (tool, name, template) = way;
    let mut arguments = json!({ name: template.replace("PATH", path) });
    if matches!(tool, "Write" | "write_file")
        && let Value::Object(arguments) = &mut arguments
    {
        arguments.insert("content".into(), json!("x"));
    }
    let arguments = arguments.as_object().cloned().unwrap_or_default();
    let call = ToolCall { tool: tool.to_owned(), arguments, ..ToolCall::default() };
    let facts = Facts {
        cwd: Some("/workspace/project".to_owned()),
        home: Some(HOME.to_owned()),
        workspace: Some("/workspace/project".to_owned()),
        ..Facts::default()
    };
    let Ok(action) = Action::from_call(call) else { return (Risk::Unknown, BTreeSet::new()) };
    let assessment = Gate::new(Policy::default()).judge(&action, &facts).assessment;
    let rules = assessment.findings.iter().map(|finding| finding.rule.to_string()).collect();
    (assessment.risk, rules)
}

fn differing(ways: &[Way], things: &[&str]) -> Vec<String> {
    let mut differing = Vec::new();
    for thing in things {
        let Some((first, others)) = ways.split_first() else { continue };
        let expected = answer(*first, thing);
        for way in others {
            let own = answer(*way, thing);
            if own != expected {
                differing
                    .push(format!("{thing} by {way:?}: {own:?}, and by {first:?} {expected:?}"));
            }
        }
    }
    differing
}

#[test]
fn reading_a_file_is_the_same_in_every_tool() {
    let differing = differing(READ, PATHS);
    assert!(differing.is_empty(), "{differing:#?}");
}

#[test]
fn writing_a_file_is_the_same_in_every_tool() {
    let differing = differing(WRITE, PATHS);
    assert!(differing.is_empty(), "{differing:#?}");
}

#[test]
fn deleting_a_file_is_the_same_in_every_tool() {
    let differing = differing(DELETE, PATHS);
    assert!(differing.is_empty(), "{differing:#?}");
}

#[test]
fn asking_a_host_is_the_same_in_every_language() {
    let differing = differing(CONNECT, HOSTS);
    assert!(differing.is_empty(), "{differing:#?}");
}

#[test]
fn asking_for_a_variable_is_the_same_in_every_language() {
    let differing =
        differing(VARIABLE, &["HOME", "PATH", "LANG", "GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY"]);
    assert!(differing.is_empty(), "{differing:#?}");
}

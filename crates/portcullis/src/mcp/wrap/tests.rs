use std::{collections::BTreeMap, fs};

use super::*;
use crate::install::machine::Machine;

struct Home {
    folder: tempfile::TempDir,
    machine: Machine,
}

impl Home {
    fn with(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().canonicalize().unwrap();
        for (path, text) in files {
            let path = home.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let machine = Machine {
            configuration: home.join(".config"),
            home,
            variables: BTreeMap::new(),
            ..Machine::default()
        };
        Self { folder, machine }
    }

    fn text(&self, path: &str) -> String {
        fs::read_to_string(self.folder.path().join(path)).unwrap()
    }

    fn manifest(&self) -> Manifest {
        let state = manifest_directory(&self.folder.path().join("state"));
        fs::create_dir_all(&state).unwrap();
        Manifest::open(&state).unwrap()
    }

    fn wrap(&self) -> Vec<Change> {
        self.each(|looked, manifest| {
            let change = wrapping(looked, "/opt/portcullis").unwrap();
            if change.is_any() {
                apply(&change, manifest, true).unwrap();
            }
            change
        })
    }

    fn unwrap(&self) -> Vec<Change> {
        self.each(|looked, manifest| {
            let change = unwrapping(looked, manifest).unwrap();
            if change.is_any() {
                apply(&change, manifest, false).unwrap();
            }
            change
        })
    }

    /// One file at a time, since a file can stand in the table twice.
    fn each(&self, mut one: impl FnMut(Looked, &mut Manifest) -> Change) -> Vec<Change> {
        let mut manifest = self.manifest();
        let count = look(&self.machine, &[]).len();
        (0..count)
            .map(|at| {
                one(look(&self.machine, &[]).into_iter().nth(at).unwrap().unwrap(), &mut manifest)
            })
            .collect()
    }
}

const CLAUDE: &str = "{\n  // mine\n  \"numStartups\": 3,\n  \"mcpServers\": {\n    \"files\": { \"type\": \"stdio\", \"command\": \"npx\", \"args\": [\"-y\", \"server\", \"--x=\\u00e9\"],\n      \"env\": {\"TOKEN\": \"abc\"} },\n    \"bare\": {\"command\": \"server\"},\n    \"far\": {\"type\": \"http\", \"url\": \"https://mcp.example/\"}\n  },\n  \"projects\": {\"/work/a\": {\"mcpServers\": {\"git\": {\"command\": \"uvx\", \"args\": [\"mcp-server-git\"]}}, \"history\": []}}\n}\n";
const CODEX: &str = "model = \"x\" # mine\n\n[mcp_servers.files]\ncommand = \"npx\"   # start\nargs = [\n  \"-y\",\n  'server',\n]\nenv = { TOKEN = \"abc\" }\n\n[mcp_servers.bare]\ncommand = 'server'\n\n[mcp_servers]\nline = { command = \"one\" }\nfar = { url = \"https://mcp.example/\" }\n\n[tui]\nx = 1\n";
const OPENCODE: &str = "{\n\t\"mcp\": {\n\t\t\"files\": {\n\t\t\t\"type\": \"local\",\n\t\t\t\"command\": [\"npx\", \"-y\", \"server\"],\n\t\t\t\"environment\": {\"A\": \"1\"}\n\t\t},\n\t\t\"far\": {\"type\": \"remote\", \"url\": \"https://mcp.example/\"}\n\t}\n}";

#[test]
fn every_entry_is_wrapped_once_and_unwrapped_byte_for_byte() {
    let files = [
        (".claude.json", CLAUDE),
        (".codex/config.toml", CODEX),
        (".config/opencode/opencode.json", OPENCODE),
        (".cursor/mcp.json", "{\"mcpServers\":{\"a\":{\"command\":\"x\",\"args\":[]}}}"),
        (".copilot/mcp-config.json", "{}"),
        (".gemini/settings.json", "{\"other\": 1}"),
    ];
    let home = Home::with(&files);
    let changes = home.wrap();
    let count: usize = changes.iter().map(|change| change.servers.len()).sum();
    assert_eq!(count, 2 + 1 + 3 + 1 + 1, "{changes:#?}");
    for (path, text) in &files[..4] {
        let wrapped = home.text(path);
        assert_ne!(wrapped, *text, "{path}");
        assert!(wrapped.contains("/opt/portcullis"), "{wrapped}");
    }
    assert!(
        home.text(".claude.json").contains("\"--env\"")
            && home.text(".claude.json").contains("// mine")
    );
    assert_eq!(home.text(".gemini/settings.json"), "{\"other\": 1}");
    // Again, and nothing changes.
    assert!(home.wrap().iter().all(|change| !change.is_any()));
    home.unwrap();
    for (path, text) in &files {
        assert_eq!(home.text(path), *text, "{path}");
    }
    assert!(home.unwrap().iter().all(|change| !change.is_any()));
}

#[test]
fn a_file_that_somebody_changed_since_keeps_their_change() {
    let home = Home::with(&[(".claude.json", CLAUDE), (".codex/config.toml", CODEX)]);
    home.wrap();
    for (path, from, to) in [
        (".claude.json", "\"numStartups\": 3", "\"numStartups\": 4"),
        (".codex/config.toml", "x = 1", "x = 2"),
    ] {
        let text = home.text(path).replace(from, to);
        assert!(text.contains(to));
        fs::write(home.folder.path().join(path), text).unwrap();
    }
    home.unwrap();
    let claude: serde_json::Value = {
        let node = crate::install::json::read(&home.text(".claude.json")).unwrap().unwrap();
        node.value()
    };
    assert_eq!(claude["numStartups"], 4);
    assert_eq!(claude["mcpServers"]["files"]["command"], "npx");
    assert_eq!(claude["mcpServers"]["files"]["args"], serde_json::json!(["-y", "server", "--x=é"]));
    assert_eq!(claude["mcpServers"]["bare"], serde_json::json!({"command": "server"}));
    assert_eq!(
        claude["projects"]["/work/a"]["mcpServers"]["git"]["args"],
        serde_json::json!(["mcp-server-git"])
    );
    let codex: toml::Table = toml::from_str(&home.text(".codex/config.toml")).unwrap();
    let before: toml::Table = toml::from_str(&CODEX.replace("x = 1", "x = 2")).unwrap();
    assert_eq!(codex, before);
}

#[test]
fn what_looks_like_ours_is_ours_only_with_the_whole_form() {
    let words = |text: &str| -> Vec<String> { text.split(' ').map(str::to_owned).collect() };
    let inner = words("/x/portcullis mcp proxy --server a -- npx -y b -- c");
    assert_eq!(wrapped(&inner), Some(words("npx -y b -- c").as_slice()));
    for text in [
        "/x/portcullis mcp proxy --server a --",
        "/x/portcullis mcp list -- x",
        "/x/other mcp proxy --server a -- x",
        "portcullis -- x",
        "npx portcullis mcp proxy -- x",
    ] {
        assert_eq!(wrapped(&words(text)), None, "{text}");
    }
}

#[test]
fn a_file_that_cannot_be_read_is_left_alone() {
    for text in ["{", "[1", "{\"mcpServers\": {\"a\": {\"command\": \"x\"}}} trailing"] {
        let home = Home::with(&[(".cursor/mcp.json", text)]);
        let looked = look(&home.machine, &["cursor"]);
        assert!(looked[0].is_err(), "{text}");
        assert_eq!(home.text(".cursor/mcp.json"), text);
    }
    // Words that are no texts are nobody's to change.
    let odd = "{\"mcpServers\": {\"a\": {\"command\": \"x\", \"args\": [1]}}}";
    let home = Home::with(&[(".cursor/mcp.json", odd)]);
    assert!(home.wrap()[0].servers.is_empty());
    assert_eq!(home.text(".cursor/mcp.json"), odd);
}

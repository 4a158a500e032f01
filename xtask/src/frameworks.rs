//! The frameworks that the packages for Python and JavaScript stand in front of, in the newest minor that was tried and an older one. Owns which
//! versions those are; the tests of both packages run with whatever they find installed so (`target/frameworks`).

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use crate::command::{self, Failed, cargo, root};

const TOOLCHAIN: &str = "install Rust 1.95";
const PIP: &str = "install Python 3.12 with pip, or name one in PYTHON";
const NPM: &str = "install Node 20.19 or later with npm";

/// A framework of Python: the name of its tests (`test_NAME.py`), and what is installed of the newest and of an older minor.
struct Framework {
    name: &'static str,
    newest: &'static [&'static str],
    older: &'static [&'static str],
}

/// What a run of the scenarios wants installed. Where no older minor is named, none was tried.
const PYTHON: &[Framework] = &[
    Framework {
        name: "openhands",
        newest: &["openhands-sdk==1.58.2", "openhands-tools==1.58.2"],
        older: &["openhands-sdk==1.57.0", "openhands-tools==1.57.0"],
    },
    Framework { name: "rlm", newest: &["rlm-code==0.1.13"], older: &["rlm-code==0.1.12"] },
    Framework {
        name: "langchain",
        newest: &["langchain==1.5.2", "langgraph==1.2.24"],
        older: &["langchain==1.4.10"],
    },
    Framework {
        name: "openai_agents",
        newest: &["openai-agents==0.24.0"],
        older: &["openai-agents==0.23.1"],
    },
    Framework {
        name: "claude_agent",
        newest: &["claude-agent-sdk==0.2.189"],
        older: &["claude-agent-sdk==0.2.187"],
    },
    Framework {
        name: "pydantic_ai",
        newest: &["pydantic-ai-slim==2.68.0"],
        older: &["pydantic-ai-slim==2.66.0"],
    },
    Framework { name: "crewai", newest: &["crewai==1.15.30"], older: &["crewai==1.14.7"] },
    Framework {
        name: "google_adk",
        newest: &["google-adk==2.13.0"],
        older: &["google-adk==2.12.0"],
    },
    Framework {
        name: "agent_framework",
        newest: &["agent-framework-core==1.23.0"],
        older: &["agent-framework-core==1.22.0"],
    },
    Framework {
        name: "strands",
        newest: &["strands-agents==1.62.0"],
        older: &["strands-agents==1.61.1"],
    },
    Framework {
        name: "smolagents",
        newest: &["smolagents==1.26.0"],
        older: &["smolagents==1.25.0"],
    },
    Framework { name: "fastmcp", newest: &["fastmcp==4.2.3"], older: &["fastmcp==4.1.7"] },
];

/// What came before, for Node, all in one folder: an older minor, or of those that only count patches an older one. The newest stand in
/// `typescript/package.json`.
const NODE: &[&str] = &[
    "ai@7.0.150",
    "@openai/agents@0.19.0",
    "@anthropic-ai/claude-agent-sdk@0.3.329",
    "@mastra/core@1.70.0",
    "@modelcontextprotocol/client@2",
    "@types/node@22",
    "typescript@5.9",
    "zod@4.1.8",
];

/// Installs the frameworks that are named (all, where none is) and runs the tests of both packages against each.
pub(crate) fn run(names: &[&str]) -> Result<(), Failed> {
    let known = |name: &&&str| **name == "node" || PYTHON.iter().any(|one| one.name == **name);
    if let Some(other) = names.iter().find(|name| !known(name)) {
        return Err(Failed::Usage(format!("`{other}` is no framework that is known")));
    }
    let is_wanted = |name: &str| names.is_empty() || names.contains(&name);
    let folder = root().join("target/frameworks");
    for one in PYTHON.iter().filter(|one| is_wanted(one.name)) {
        for (age, packages) in [("newest", one.newest), ("older", one.older)] {
            if !packages.is_empty() {
                python(&folder.join("python").join(one.name).join(age), packages)?;
            }
        }
    }
    if is_wanted("node") {
        node(&folder.join("node/older"))?;
    }
    let words = ["test", "--locked", "--test", "package"];
    let packages = ["--package", "portcullis-python", "--package", "portcullis-node"];
    command::run(cargo(&words).args(packages), TOOLCHAIN)
}

/// An environment of its own, with these packages and pytest; one that is there already is left as it is.
fn python(place: &Path, packages: &[&str]) -> Result<(), Failed> {
    let finished = place.join("packages");
    let wanted = packages.join("\n");
    if std::fs::read_to_string(&finished).is_ok_and(|have| have == wanted) {
        return Ok(());
    }
    let system = std::env::var_os("PYTHON").map_or_else(|| PathBuf::from("python3"), PathBuf::from);
    command::run(Command::new(system).args(["-m", "venv", "--clear"]).arg(place), PIP)?;
    let own = place.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
    let pip = ["-m", "pip", "install", "--quiet", "pytest"];
    command::run(Command::new(own).args(pip).args(packages), PIP)?;
    command::write(&finished, &wanted)
}

/// A folder with the older minors for Node.
fn node(place: &Path) -> Result<(), Failed> {
    command::write(&place.join("package.json"), "{\"private\": true}\n")?;
    let words = ["install", "--omit=optional", "--no-audit", "--no-fund", "--no-save"];
    command::run(Command::new("npm").args(words).args(NODE).current_dir(place), NPM)
}

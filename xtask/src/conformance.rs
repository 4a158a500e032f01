//! The conformance programs of the Model Context Protocol against a built program: what is fetched for them, and who runs them. What is compared stands in
//! `conformance/run.mjs`, and the two small bridges to HTTP beside it.

use std::{fs, path::Path, process::Command};

use crate::command::{self, Failed, root};

/// The programs, with the Node and the modules that they and their server want.
const PACKAGES: &[&str] = &[
    "node@24",
    "tsx@4",
    "@modelcontextprotocol/conformance@0.2.0-alpha.12",
    "@modelcontextprotocol/sdk@^1.29.0",
    "cors@2",
    "express@5",
    "zod@4",
];

const HELP: &str = "install Node 20.19 or later with npm";

/// Where the server stands in a checkout of their sources, which the package comes without.
const SERVER: &str = "examples/servers/typescript/everything-server.ts";

/// Runs them: the server alone, behind the gateway, and behind the proxy over standard input and output.
pub(crate) fn run(program: &Path, checkout: &Path) -> Result<(), Failed> {
    let file = |path: &Path| {
        fs::canonicalize(path).map_err(|source| Failed::File { path: path.to_path_buf(), source })
    };
    let (program, server) = (file(program)?, file(&checkout.join(SERVER))?);
    let work = root().join("target/conformance");
    fs::create_dir_all(&work).map_err(|source| Failed::File { path: work.clone(), source })?;
    // Its modules are found from where it stands.
    let own = work.join("server.ts");
    fs::copy(&server, &own).map_err(|source| Failed::File { path: own.clone(), source })?;
    let manifest = work.join("package.json");
    fs::write(&manifest, "{\"private\":true,\"type\":\"module\"}\n")
        .map_err(|source| Failed::File { path: manifest, source })?;
    let install = ["install", "--no-audit", "--no-fund", "--no-save"];
    command::run(Command::new("npm").args(install).args(PACKAGES).current_dir(&work), HELP)?;
    let mut node = Command::new(work.join("node_modules/node/bin/node"));
    node.arg(root().join("xtask/src/conformance/run.mjs")).arg(program).arg(&work).arg(own);
    command::run(&mut node, HELP)
}

//! The package as JavaScript sees it: the tests in /typescript/test, with the addon that was built beside this test. What cannot be tried here (no
//! Node, a framework that is not installed) is said and left out; `npm ci --omit=optional` in /typescript installs the frameworks.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot go on says why by failing"
)]

use std::{
    env, fs,
    io::{self, Write as _},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// The oldest Node that the package is for.
const OLDEST: &str = "const [a, b] = process.versions.node.split('.'); process.exit(a > 20 || a == 20 && b >= 19 ? 0 : 1)";

#[test]
fn the_package_passes_its_own_tests() {
    let sources = root().join("typescript/node_modules");
    tried("node-package", Some(&sources).filter(|modules| modules.is_dir()).map(PathBuf::as_path));
}

/// The older minors of the frameworks, where `cargo xtask frameworks node` installed them.
#[test]
fn the_scenarios_hold_in_the_older_minors_that_are_installed() {
    let modules = root().join("target/frameworks/node/older/node_modules");
    if modules.is_dir() {
        tried("node-older", Some(&modules));
    } else {
        say(
            "left out: no frameworks in an older minor (`cargo xtask frameworks node` installs them)",
        );
    }
}

/// Runs the tests in a folder of their own, with the frameworks that stand in another.
fn tried(name: &str, modules: Option<&Path>) {
    let node = env::var_os("GATE_TEST_NODE").map_or_else(|| PathBuf::from("node"), PathBuf::from);
    if !succeeds(Command::new(&node).args(["-e", OLDEST])) {
        say("left out: no Node from 20.19 on is here");
        return;
    }
    let built = built();
    let stage = staged(name, &built.join("deps"), modules);
    let output = Command::new(&node)
        .args(["--test", "--test-reporter=tap"])
        .args(tests(&stage))
        .current_dir(&stage)
        .env("GATE_TEST_ROOT", root())
        .env("GATE_TEST_PROGRAM", built.join("portcullis"))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    for line in said.lines() {
        // The whole of what is left out, and not what a framework has no word for.
        if let Some((name, reason)) = line.split_once(" # SKIP ")
            && reason.contains("left out")
        {
            say(&format!("{reason}: {}", name.trim()));
        }
    }
    assert!(output.status.success(), "{said}\n{}", String::from_utf8_lossy(&output.stderr));
    assert!(said.contains("\nok "), "nothing was tried: {said}");
}

/// The root of the checkout.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// The files of tests in the staged package.
fn tests(stage: &Path) -> Vec<PathBuf> {
    let folder = stage.join("test");
    let entries = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> =
        entries.filter(|path| path.to_string_lossy().ends_with(".test.mjs")).collect();
    files.sort();
    assert!(!files.is_empty(), "{}", folder.display());
    files
}

/// The folder of what cargo built: that of this test is `deps` in it.
fn built() -> PathBuf {
    let own = env::current_exe().unwrap();
    own.parent().and_then(Path::parent).unwrap().to_owned()
}

/// A folder with the package, the addon in it, and the frameworks of another folder.
fn staged(name: &str, deps: &Path, modules: Option<&Path>) -> PathBuf {
    let stage = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&stage);
    copied(&root().join("typescript"), &stage);
    let (prefix, suffix) = (env::consts::DLL_PREFIX, env::consts::DLL_SUFFIX);
    let addon = deps.join(format!("{prefix}portcullis_node{suffix}"));
    fs::copy(&addon, stage.join("native.node"))
        .unwrap_or_else(|error| panic!("{}: {error}", addon.display()));
    #[cfg(unix)]
    if let Some(modules) = modules {
        std::os::unix::fs::symlink(modules, stage.join("node_modules")).unwrap();
    }
    stage
}

fn copied(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap();
        if path.is_dir() {
            if name != "node_modules" {
                copied(&path, &to.join(name));
            }
        } else if path.extension().is_some_and(|kind| kind != "node") {
            fs::copy(&path, to.join(name)).unwrap();
        }
    }
}

fn succeeds(command: &mut Command) -> bool {
    let command = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// Says something past the test harness, which shows what a test prints only where it fails.
fn say(line: &str) {
    let _ = writeln!(io::stderr().lock(), "@portcullis-gate/core: {line}");
}

//! The package as Python sees it: the tests in /python/tests, with the extension module that was built beside this test. What
//! cannot be tried here (no Python, no pytest, a framework that is not installed) is said and left out.

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

/// The oldest Python that the package is for.
const OLDEST: &str = "import sys; sys.exit(sys.version_info < (3, 10))";

/// Where an environment of Python has its own.
const INTERPRETER: &str = if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" };

#[test]
fn the_package_passes_its_own_tests() {
    let Some(python) = python() else {
        say("left out: no Python from 3.10 on is here that has pytest, or can fetch it");
        return;
    };
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
    let built = built();
    let stage = staged(&root, &built.join("deps"), "python-package");
    let output = Command::new(&python)
        .args(["-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider"])
        .arg(root.join("python/tests"))
        .env("PYTHONPATH", &stage)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("GATE_TEST_PROGRAM", built.join("portcullis"))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    for line in said.lines().filter(|line| line.starts_with("SKIPPED")) {
        say(&format!("left out: {line}"));
    }
    assert!(output.status.success(), "{said}\n{}", String::from_utf8_lossy(&output.stderr));
}

/// Each framework that `cargo xtask frameworks` installed, in the newest minor and an older one: its scenarios and its block of the documentation.
#[test]
fn the_scenarios_hold_in_each_minor_that_is_installed() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
    let installed = installed(&root.join("target/frameworks/python"));
    if installed.is_empty() {
        say("left out: no frameworks in an older minor (`cargo xtask frameworks` installs them)");
        return;
    }
    let built = built();
    let stage = staged(&root, &built.join("deps"), "python-frameworks");
    let mut failed = String::new();
    for (name, place) in installed {
        let tests = root.join("python/tests");
        let output = Command::new(place.join(INTERPRETER))
            .args(["-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider"])
            .arg(tests.join(format!("test_{name}.py")))
            .arg(tests.join("test_docs.py"))
            .env("PYTHONPATH", &stage)
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .env("GATE_TEST_PROGRAM", built.join("portcullis"))
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        // A framework that cannot be imported leaves out all of its tests, which proves nothing.
        let own = format!("test_{name}.py");
        let is_left_out = |line: &str| line.contains(&own) && line.contains("is not installed");
        let is_tried = !said.lines().any(is_left_out);
        if !output.status.success() || !is_tried {
            failed.push_str(&format!("{}: {said}\n", place.display()));
        } else {
            let packages = fs::read_to_string(place.join("packages")).unwrap().replace('\n', ", ");
            say(&format!("{packages}: {}", said.lines().last().unwrap_or_default()));
        }
    }
    assert!(failed.is_empty(), "{failed}");
}

/// The name of each framework with the folder of each minor of it.
fn installed(folder: &Path) -> Vec<(String, PathBuf)> {
    let entries = |folder: &Path| -> Vec<PathBuf> {
        let read = fs::read_dir(folder).into_iter().flatten();
        read.map(|entry| entry.unwrap().path()).collect()
    };
    let mut all = Vec::new();
    for framework in entries(folder) {
        let name = framework.file_name().unwrap().to_string_lossy().into_owned();
        let minors =
            entries(&framework).into_iter().filter(|place| place.join("packages").is_file());
        all.extend(minors.map(|place| (name.clone(), place)));
    }
    all.sort();
    all
}

/// The folder of what cargo built: that of this test is `deps` in it.
fn built() -> PathBuf {
    let own = env::current_exe().unwrap();
    own.parent().and_then(Path::parent).unwrap().to_owned()
}

/// A folder with the package, and the extension module in it.
fn staged(root: &Path, deps: &Path, name: &str) -> PathBuf {
    let stage = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&stage);
    let package = stage.join("portcullis_gate");
    copied(&root.join("python/portcullis_gate"), &package);
    let (prefix, suffix) = (env::consts::DLL_PREFIX, env::consts::DLL_SUFFIX);
    let module = deps.join(format!("{prefix}portcullis_python{suffix}"));
    let name = if cfg!(windows) { "_native.pyd" } else { "_native.abi3.so" };
    fs::copy(&module, package.join(name))
        .unwrap_or_else(|error| panic!("{}: {error}", module.display()));
    stage
}

fn copied(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap();
        if path.is_dir() {
            if name != "__pycache__" {
                copied(&path, &to.join(name));
            }
        } else if path.extension().is_some_and(|kind| kind != "so") {
            fs::copy(&path, to.join(name)).unwrap();
        }
    }
}

/// A Python that has pytest: the one that is named, the system's, or one of our own for which pytest is fetched.
fn python() -> Option<PathBuf> {
    let named = env::var_os("GATE_TEST_PYTHON").map(PathBuf::from);
    let system = named.unwrap_or_else(|| PathBuf::from("python3"));
    let runs = |python: &Path, code: &str| succeeds(Command::new(python).args(["-c", code]));
    if !runs(&system, OLDEST) {
        return None;
    }
    if runs(&system, "import pytest") {
        return Some(system);
    }
    let own = Path::new(env!("CARGO_TARGET_TMPDIR")).join("python");
    let python = own.join(INTERPRETER);
    if runs(&python, "import pytest") {
        return Some(python);
    }
    let made = succeeds(Command::new(&system).args(["-m", "venv", "--clear"]).arg(&own));
    let pip = ["-m", "pip", "install", "--quiet", "--timeout", "5", "--retries", "0", "pytest"];
    (made && succeeds(Command::new(&python).args(pip))).then_some(python)
}

fn succeeds(command: &mut Command) -> bool {
    let command = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// Says something past the test harness, which shows what a test prints only where it fails.
fn say(line: &str) {
    let _ = writeln!(io::stderr().lock(), "portcullis-gate: {line}");
}

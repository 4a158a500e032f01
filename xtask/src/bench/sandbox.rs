//! What running a program inside limits costs: each row started in turn with the same program by itself.

use std::{
    path::Path,
    process::{Command, Stdio},
    time::Instant,
};

use crate::command::{Failed, root, say};

/// How often each row is started.
const STARTS: usize = 300;

/// `true` by itself and inside, where nothing else is done: the median, and the least.
pub(crate) fn run(program: &Path) -> Result<(), Failed> {
    let folder = root().join(format!("target/bench-sandbox-{}", std::process::id()));
    let failed = |source| Failed::File { path: folder.clone(), source };
    std::fs::create_dir_all(folder.join(".git/hooks")).map_err(failed)?;
    let workspace = folder.to_string_lossy().into_owned();
    let inside = |profile: &str| -> Vec<String> {
        let words =
            ["sandbox", "run", "--workspace", &workspace, "--profile", profile, "--", "/bin/true"];
        words.map(str::to_owned).to_vec()
    };
    let rows = [
        ("`/bin/true`", Path::new("/bin/true"), Vec::new()),
        ("`portcullis --version`", program, vec!["--version".to_owned()]),
        ("`sandbox run --profile read-only`", program, inside("read-only")),
        ("`sandbox run`", program, inside("workspace-write")),
    ];
    let mut times = rows.each_ref().map(|_| Vec::with_capacity(STARTS));
    for _ in 0..STARTS {
        for ((_, program, words), times) in rows.iter().zip(&mut times) {
            let mut command = Command::new(program);
            command.args(words).env("PORTCULLIS_AUDIT", "off");
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            let begin = Instant::now();
            command.status().map_err(failed)?;
            times.push(begin.elapsed());
        }
    }
    std::fs::remove_dir_all(&folder).map_err(failed)?;
    say("\n| process | median µs | times `/bin/true` | least µs |\n|---|---|---|---|\n");
    let mut first = None;
    for ((name, ..), times) in rows.iter().zip(&mut times) {
        times.sort_unstable();
        let micros = |at: usize| times.get(at).copied().unwrap_or_default().as_secs_f64() * 1e6;
        let median = micros(STARTS / 2);
        let first = *first.get_or_insert(median);
        say(&format!("| {name} | {median:.0} | {:.2} | {:.0} |\n", median / first, micros(0)));
    }
    Ok(())
}

//! What a program inside can still do, and what is refused when a means is missing.

use std::{
    fs,
    io::{Read as _, Write as _},
    net::{TcpListener, TcpStream},
    os::fd::OwnedFd,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use portcullis_sandbox::{
    Input, Kept, Launch, Layer, Limits, Means, Network, Output, Profile, Proxy, Refused, StandIn,
    Status, Stopped, probe, run,
};

use crate::{calls, distrust};

type Promise = fn(&Path, &[Means]) -> Result<(), String>;

pub(crate) static PROMISES: &[(&str, Promise)] = &[
    ("a program writes its workspace", writes_workspace),
    ("a program reads its input and says its output", reads_and_says),
    ("a code and a signal are passed on", passes_on),
    ("a program that is not there is told apart", is_not_found),
    ("a kept descriptor keeps its number", keeps_descriptors),
    ("a flood of output is dropped", drops_floods),
    ("a program has a temporary directory", has_temporary),
    ("the environment is what was given", has_environment),
    ("a placeholder goes away with the last run", placeholders_go),
    ("the time is kept", keeps_time),
    ("what somebody wants to end is ended", ends_when_asked),
    ("too many processes are stopped", stops_processes),
    ("only the proxy is reached", reaches_proxy),
    ("the way to the proxy has bounds, and ends with the run", way_to_proxy_ends),
    ("bombs of every kind are ended", bombs_are_ended),
    ("orphans are no zombies", orphans_are_reaped),
    ("too many words are refused", too_many_words_refuse),
    ("a means that is missing refuses what takes it", missing_means_refuse),
    ("a path that makes no sense refuses", senseless_paths_refuse),
    ("what is not required runs, and the report says so", waived_runs),
    ("a workspace may be named like an option", named_like_options),
    ("what leads around the view is not handed in", unfit_descriptors_refuse),
    ("a probe tries what it says", probes_try),
    ("memory is limited together, or it is said why not", limits_memory),
    ("a file keeps the place of one that is missing", stand_ins_hold),
    ("all that a watched program does is read, by whomever it is watched", watches_whole),
    ("bubblewrap is not believed", distrust::bubblewrap_is_not_believed),
];

pub(crate) fn shell(place: &Path, without: &[Means], line: &str) -> Launch {
    let workspace = place.join("workspace");
    let _ = fs::remove_dir_all(&workspace);
    fs::create_dir(&workspace).unwrap();
    let mut launch = Launch::new("sh", &workspace, Profile::workspace_write(&workspace));
    launch.arguments = vec!["-c".into(), line.into()];
    launch.environment = vec![("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into())];
    launch.without = without.to_vec();
    launch.limits.wall = Some(Duration::from_secs(20));
    launch
}

fn same<T: PartialEq + std::fmt::Debug>(found: &T, expected: &T) -> Result<(), String> {
    if found == expected { Ok(()) } else { Err(format!("{found:?} is not {expected:?}")) }
}

fn done(launch: &Launch) -> Result<portcullis_sandbox::Finished, String> {
    run(launch).map_err(|refused| refused.to_string())
}

fn writes_workspace(place: &Path, without: &[Means]) -> Result<(), String> {
    let line = "set -e; mkdir -p a/b; echo x > a/b/c; mv a/b/c a/d; ln a/d a/e; ln -s d a/f; chmod 755 a/d; cat a/f; rm -r a; echo y > z";
    let launch = shell(place, without, line);
    let finished = done(&launch)?;
    same(
        &(finished.status, String::from_utf8_lossy(&finished.stderr).as_ref()),
        &(Status::Exited(0), ""),
    )?;
    same(&fs::read_to_string(launch.directory.join("z")).ok().as_deref(), &Some("y\n"))
}

fn reads_and_says(place: &Path, without: &[Means]) -> Result<(), String> {
    let mut launch = shell(place, without, "cat | tr a-z A-Z; echo sorry >&2");
    let text = "word ".repeat(100_000);
    launch.input = Input::Bytes(text.clone().into_bytes());
    let finished = done(&launch)?;
    same(&finished.stdout.len(), &text.len())?;
    same(&String::from_utf8_lossy(&finished.stdout).as_ref(), &text.to_uppercase().as_str())?;
    same(&finished.stderr, &b"sorry\n".to_vec())
}

fn passes_on(place: &Path, without: &[Means]) -> Result<(), String> {
    same(&done(&shell(place, without, "exit 7"))?.status, &Status::Exited(7))?;
    same(&done(&shell(place, without, "kill -TERM $$"))?.status, &Status::Signalled(15))?;
    same(&done(&shell(place, without, "kill -SEGV $$"))?.status.code(), &(128 + 11))
}

fn is_not_found(place: &Path, without: &[Means]) -> Result<(), String> {
    for program in ["no-such-program", "/no/such/program"] {
        let mut launch = shell(place, without, "");
        launch.program = program.into();
        match run(&launch) {
            Err(refused) if refused.is_not_found() => {}
            other => return Err(format!("{program}: {other:?}")),
        }
    }
    let mut launch = shell(place, without, "");
    launch.program = "/etc/passwd".into();
    match run(&launch) {
        Err(refused @ Refused::Program { .. }) if !refused.is_not_found() => Ok(()),
        other => Err(format!("{other:?}")),
    }
}

fn keeps_descriptors(place: &Path, without: &[Means]) -> Result<(), String> {
    let mut launch = shell(place, without, "cat <&7; ls /proc/self/fd | sort -n | tr '\\n' ' '");
    let (read, mut write) = std::io::pipe().unwrap();
    write.write_all(b"kept\n").unwrap();
    drop(write);
    launch.descriptors.push(Kept { descriptor: OwnedFd::from(read), number: 7 });
    let finished = done(&launch)?;
    // The last one is the directory that `ls` reads.
    same(&String::from_utf8_lossy(&finished.stdout).as_ref(), &"kept\n0 1 2 3 7 ")
}

fn drops_floods(place: &Path, without: &[Means]) -> Result<(), String> {
    let mut launch =
        shell(place, without, "head -c 30000000 /dev/zero; head -c 2000000 /dev/zero >&2");
    launch.output = Output::Capture { cap: 1_000_000 };
    let finished = done(&launch)?;
    same(
        &(finished.stdout.len(), finished.stderr.len(), finished.dropped),
        &(1_000_000, 1_000_000, 30_000_000),
    )
}

fn has_temporary(place: &Path, without: &[Means]) -> Result<(), String> {
    let mut launch = shell(
        place,
        without,
        "set -e; echo x > \"$TMPDIR/portcullis-mark\"; cat \"$TMPDIR/portcullis-mark\"; echo \"$TMPDIR\"",
    );
    launch.profile.write.clear();
    let finished = done(&launch)?;
    let said = String::from_utf8_lossy(&finished.stdout).into_owned();
    let path = said
        .strip_prefix("x\n")
        .ok_or_else(|| format!("{said:?}, {}", String::from_utf8_lossy(&finished.stderr)))?;
    same(&Path::new(path.trim_end()).join("portcullis-mark").exists(), &false)
}

fn has_environment(place: &Path, without: &[Means]) -> Result<(), String> {
    let mut launch =
        shell(place, without, "env | grep -v '^\\(PWD\\|SHLVL\\|_\\|OLDPWD\\)=' | sort");
    launch.environment.push(("MARK".into(), "one two".into()));
    launch.profile.temporary = false;
    let finished = done(&launch)?;
    let expected = "MARK=one two\nPATH=/usr/local/bin:/usr/bin:/bin\n";
    same(&String::from_utf8_lossy(&finished.stdout).as_ref(), &expected)
}

fn placeholders_go(place: &Path, without: &[Means]) -> Result<(), String> {
    let mut launch = shell(place, without, "true");
    let settings = launch.directory.join(".settings/one.json");
    launch.profile.protected.push(settings.clone());
    // One that a killed run left behind.
    fs::create_dir(settings.parent().unwrap()).unwrap();
    fs::set_permissions(
        settings.parent().unwrap(),
        std::os::unix::fs::PermissionsExt::from_mode(0o1555),
    )
    .unwrap();
    if without.contains(&Means::Bubblewrap) {
        fs::remove_dir(settings.parent().unwrap()).unwrap();
    }
    std::thread::scope(|scope| {
        let runs: Vec<_> =
            (0..4).map(|_| scope.spawn(|| done(&launch).map(|finished| finished.status))).collect();
        for run in runs {
            same(&run.join().unwrap()?, &Status::Exited(0))?;
        }
        Ok::<_, String>(())
    })?;
    same(&fs::symlink_metadata(settings.parent().unwrap()).is_ok(), &false)
}

fn watches_whole(place: &Path, without: &[Means]) -> Result<(), String> {
    let mut launch = shell(place, without, "cat /dev/null; echo x > made; (sh -c :)");
    launch.watched = true;
    let finished = done(&launch)?;
    same(&finished.status, &Status::Exited(0))?;
    let seen = finished.seen.ok_or("nothing was said of it")??;
    let is_among = |name: &str| seen.programs.iter().any(|(path, _)| path.ends_with(name));
    // That the stage starts the program is no call of the program.
    same(&(seen.unread, seen.dropped, is_among("cat")), &(0, 0, true))
}

fn keeps_time(place: &Path, without: &[Means]) -> Result<(), String> {
    // A busy machine may need seconds until the shell has said its word.
    let wall = Duration::from_secs(5);
    let sleeps = Duration::from_secs(120);
    let line = format!("trap '' TERM INT; echo begun; sleep {}", sleeps.as_secs());
    let mut launch = shell(place, without, &line);
    launch.limits.wall = Some(wall);
    let begun = Instant::now();
    let finished = done(&launch)?;
    same(&finished.timed_out(), &true)?;
    same(&finished.stdout, &b"begun\n".to_vec())?;
    same(&(begun.elapsed() < sleeps), &true)
}

fn ends_when_asked(place: &Path, without: &[Means]) -> Result<(), String> {
    let begun = place.join("workspace/begun");
    let mut launch = shell(place, without, "trap '' TERM INT; : > begun; sleep 300");
    launch.limits.wall = Some(Duration::from_secs(120));
    let stop = Arc::<AtomicBool>::default();
    launch.stop = Some(Arc::clone(&stop));
    let asks = std::thread::spawn(move || {
        let since = Instant::now();
        while !begun.exists() && since.elapsed() < Duration::from_secs(60) {
            std::thread::sleep(Duration::from_millis(5));
        }
        stop.store(true, Ordering::Relaxed);
    });
    let finished = done(&launch)?;
    asks.join().map_err(|_| "nobody asked".to_owned())?;
    same(&finished.stopped, &Some(Stopped::Asked))
}

fn stops_processes(place: &Path, without: &[Means]) -> Result<(), String> {
    let sleeps = Duration::from_secs(100);
    let line =
        format!("n=0; while [ $n -lt 60 ]; do sleep {} & n=$((n+1)); done; wait", sleeps.as_secs());
    let mut launch = shell(place, without, &line);
    launch.limits = Limits { processes: Some(10), wall: Some(sleeps * 2), ..Limits::default() };
    let begun = Instant::now();
    let finished = done(&launch)?;
    let is_counted = finished.stopped == Some(Stopped::Processes);
    // Where the kernel counts, the shell itself is told that there can be no more.
    let is_refused = String::from_utf8_lossy(&finished.stderr).contains("ork");
    same(&(is_counted || is_refused), &true)?;
    same(&(begun.elapsed() < sleeps), &true)
}

/// Inside: a server and a client of its own.
pub(crate) fn loopback() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let client =
        std::thread::spawn(move || TcpStream::connect(address).unwrap().write_all(b"inside"));
    let mut text = String::new();
    listener.accept().unwrap().0.read_to_string(&mut text).unwrap();
    client.join().unwrap().unwrap();
    print!("{text}");
    // And the way out, where there is one.
    if let Ok(proxy) = std::env::var("HTTP_PROXY") {
        let address = proxy.rsplit('@').next().unwrap().trim_start_matches("http://").to_owned();
        let mut connection = TcpStream::connect(address).unwrap();
        connection.write_all(b"to the proxy").unwrap();
        connection.shutdown(std::net::Shutdown::Write).unwrap();
        let mut answer = String::new();
        connection.read_to_string(&mut answer).unwrap();
        print!(", {answer}");
    }
}

fn reaches_proxy(place: &Path, without: &[Means]) -> Result<(), String> {
    let mut launch = shell(place, without, "");
    launch.program = std::env::current_exe().unwrap().into();
    launch.arguments = vec!["loopback".into()];
    if without.contains(&Means::Bubblewrap) {
        let proxy = Proxy { address: ([127, 0, 0, 1], 9).into(), credentials: None };
        launch.profile.network = Network::Proxy(proxy);
        return match run(&launch) {
            Err(Refused::Missing(report)) => same(&report.holds(Layer::Network), &false),
            other => Err(format!("{other:?}")),
        };
    }
    same(&String::from_utf8_lossy(&done(&launch)?.stdout).as_ref(), &"inside")?;
    let proxy = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = proxy.local_addr().unwrap();
    let answers = std::thread::spawn(move || {
        let (mut connection, _) = proxy.accept().unwrap();
        let mut text = String::new();
        connection.read_to_string(&mut text).unwrap();
        connection.write_all(text.to_uppercase().as_bytes()).unwrap();
    });
    launch.profile.network =
        Network::Proxy(Proxy { address, credentials: Some("name:word".to_owned()) });
    let finished = done(&launch)?;
    if finished.status != Status::Exited(0) {
        return Err(String::from_utf8_lossy(&finished.stderr).into_owned());
    }
    answers.join().map_err(|_| "the proxy was not reached".to_owned())?;
    same(&String::from_utf8_lossy(&finished.stdout).as_ref(), &"inside, TO THE PROXY")
}

/// Inside: as many connections to the proxy as can be had, all of which stay open until this process ends.
pub(crate) fn connections() {
    let proxy = std::env::var("HTTP_PROXY").unwrap();
    let address = proxy.trim_start_matches("http://").to_owned();
    let mut open = Vec::new();
    for _ in 0..300 {
        let Ok(mut connection) = TcpStream::connect(&address) else { break };
        let _ = connection.write_all(b"x");
        open.push(connection);
    }
    print!("{}", open.len());
}

fn threads_named(name: &str) -> usize {
    let tasks = fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    tasks
        .filter(|task| {
            fs::read_to_string(task.path().join("comm")).is_ok_and(|comm| comm.trim_end() == name)
        })
        .count()
}

/// A proxy that takes every connection and never says or closes anything.
fn way_to_proxy_ends(place: &Path, without: &[Means]) -> Result<(), String> {
    if without.contains(&Means::Bubblewrap) {
        return Ok(());
    }
    let proxy = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = proxy.local_addr().unwrap();
    let over = Arc::<AtomicBool>::default();
    let is_over = Arc::clone(&over);
    let takes = std::thread::spawn(move || {
        let mut taken = Vec::new();
        loop {
            let connection = proxy.accept().unwrap().0;
            if is_over.load(Ordering::Relaxed) {
                return taken.len();
            }
            taken.push(connection);
        }
    });
    let mut launch = shell(place, without, "");
    launch.program = std::env::current_exe().unwrap().into();
    launch.arguments = vec!["connections".into()];
    launch.limits.wall = Some(Duration::from_secs(60));
    launch.profile.network = Network::Proxy(Proxy { address, credentials: None });
    let finished = done(&launch)?;
    let since = Instant::now();
    while threads_named("relay") > 0 {
        if since.elapsed() > Duration::from_secs(60) {
            return Err(format!("{} threads lead on after the run", threads_named("relay")));
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    over.store(true, Ordering::Relaxed);
    drop(TcpStream::connect(address));
    let taken = takes.join().map_err(|_| "the proxy failed".to_owned())?;
    same(&finished.status, &Status::Exited(0))?;
    same(&((1..=128).contains(&taken)), &true).map_err(|_| format!("the proxy saw {taken}"))
}

/// Whatever a program does to stay: the time ends it, and nothing of it is left.
fn bombs_are_ended(place: &Path, without: &[Means]) -> Result<(), String> {
    // Nobody else on this machine waits as long.
    let stays = format!("sleep 1000{}", std::process::id());
    for (what, line) in [
        ("one that stops itself", "echo begun; kill -STOP $$; STAYS"),
        ("one that stops what it started", "STAYS & kill -STOP $!; echo begun; wait"),
        ("one that floods both streams", "yes & yes >&2"),
        (
            "one that hides its children",
            "(setsid sh -c 'trap \"\" TERM HUP; STAYS & STAYS' &) ; echo begun; STAYS",
        ),
        // Each starts two more, but only so deep.
        (
            "one that multiplies",
            "f() { if [ $1 -gt 0 ]; then f $(($1-1)) & f $(($1-1)) & fi; STAYS; }; echo begun; f 9; wait",
        ),
    ] {
        let mut launch = shell(place, without, &line.replace("STAYS", &stays));
        launch.limits =
            Limits { wall: Some(Duration::from_secs(1)), processes: Some(40), ..Limits::default() };
        launch.output = Output::Capture { cap: 1_000 };
        let finished = match run(&launch) {
            // On a machine that stands still the time may be up before anything began.
            Err(Refused::Stage(_)) => continue,
            other => other.map_err(|refused| refused.to_string())?,
        };
        if finished.stopped.is_none() && what != "one that multiplies" {
            return Err(format!("{what}: {finished:?}"));
        }
        if finished.stdout.len() > 1_000 || finished.stderr.len() > 1_000 {
            return Err(format!("{what}: too much was kept"));
        }
        let own = calls::user();
        let left = calls::commands_of(own).into_iter().filter(|line| *line == stays).count();
        if left > 0 {
            return Err(format!("{what}: {left} processes are left"));
        }
    }
    Ok(())
}

fn orphans_are_reaped(place: &Path, without: &[Means]) -> Result<(), String> {
    // Were they kept as zombies, the last ones could not be started.
    let line = "n=0; while [ $n -lt 150 ]; do (sh -c : &); n=$((n+1)); done; echo done";
    let mut launch = shell(place, without, line);
    launch.limits.wall = Some(Duration::from_secs(100));
    same(&done(&launch)?.stdout, &b"done\n".to_vec())
}

fn too_many_words_refuse(place: &Path, without: &[Means]) -> Result<(), String> {
    // More than the kernel takes at once, and more than it takes in one word.
    for (count, length) in [(40, 1 << 20), (1, 200_000)] {
        let mut launch = shell(place, without, "echo ran");
        launch.arguments.extend((0..count).map(|_| "x".repeat(length).into()));
        match run(&launch) {
            Err(Refused::Program { .. } | Refused::Asked(_)) => {}
            other => return Err(format!("{count} words of {length}: {other:?}")),
        }
    }
    Ok(())
}

fn missing_means_refuse(place: &Path, without: &[Means]) -> Result<(), String> {
    for (missing, layer) in [
        (&[Means::Seccomp][..], Layer::Syscalls),
        (&[Means::Seccomp], Layer::Sockets),
        (&[Means::Namespaces, Means::Bubblewrap, Means::Seccomp], Layer::Network),
        (&[Means::Namespaces, Means::Bubblewrap, Means::Seccomp], Layer::Ipc),
        (&[Means::Namespaces, Means::Bubblewrap, Means::Landlock], Layer::Files),
        (&[Means::Namespaces, Means::Bubblewrap, Means::Landlock], Layer::Processes),
        (&[Means::Namespaces, Means::Bubblewrap, Means::Landlock], Layer::Cleanup),
        (&[Means::Namespaces, Means::Bubblewrap, Means::Landlock], Layer::Protected),
        (&[Means::Namespaces, Means::Bubblewrap, Means::Landlock], Layer::Unreadable),
    ] {
        let mut launch = shell(place, without, "echo ran");
        launch.without.extend(missing);
        launch.profile.protected.push(launch.directory.join(".settings"));
        launch.profile.denied.push(place.to_owned().join("program"));
        launch.profile.denied.push("/etc/shadow".into());
        launch.require = [layer].into_iter().collect();
        match run(&launch) {
            Err(Refused::Missing(report)) => {
                let missing: Vec<Layer> = report.missing().map(|state| state.layer).collect();
                same(&missing, &vec![layer])?;
            }
            other => return Err(format!("`{layer}` without {missing:?}: {other:?}")),
        }
    }
    Ok(())
}

fn senseless_paths_refuse(place: &Path, without: &[Means]) -> Result<(), String> {
    type Change = fn(&mut Launch);
    let changes: &[(&str, Change)] = &[
        ("a root that is not there", |launch| launch.profile.write.push("/no/such/place".into())),
        ("everything", |launch| launch.profile.write.push("/".into())),
        ("the kernel's files", |launch| launch.profile.write.push("/proc/sys".into())),
        ("a relative path", |launch| launch.profile.read.push("here".into())),
        ("a root below what is denied", |launch| {
            launch.profile.denied.push(launch.directory.parent().unwrap().to_owned());
        }),
        ("a number that is taken", |launch| {
            let descriptor = OwnedFd::from(fs::File::open("/dev/null").unwrap());
            launch.descriptors.push(Kept { descriptor, number: 1 });
        }),
        ("a variable without a name", |launch| launch.environment.push(("".into(), "x".into()))),
    ];
    for (name, change) in changes {
        let mut launch = shell(place, without, "echo ran");
        change(&mut launch);
        if !matches!(run(&launch), Err(Refused::Path { .. } | Refused::Asked(_))) {
            return Err(format!("{name} was not refused"));
        }
    }
    Ok(())
}

fn named_like_options(place: &Path, without: &[Means]) -> Result<(), String> {
    for name in ["--bind", "--", "--args 3", "a\\040b\n\"c\" $(d) ü"] {
        let mut launch = shell(place, without, "echo x > new; echo x >> kept; ls -A; cat secret");
        let workspace = launch.directory.join(name);
        fs::create_dir(&workspace).unwrap();
        fs::write(workspace.join("kept"), "whole\n").unwrap();
        fs::write(workspace.join("secret"), "secret\n").unwrap();
        launch.directory.clone_from(&workspace);
        launch.profile = Profile::workspace_write(&workspace);
        launch.profile.protected = vec![workspace.join("kept"), workspace.join("--proc")];
        launch.profile.denied = vec![workspace.join("secret")];
        let finished = done(&launch)?;
        let is_plain = without.contains(&Means::Bubblewrap);
        let fault = |words: String| format!("{name:?}: {words}, {finished:?}");
        same(&workspace.join("new").exists(), &!is_plain).map_err(fault)?;
        let kept = fs::read_to_string(workspace.join("kept")).ok();
        same(&kept.as_deref(), &Some("whole\n")).map_err(fault)?;
        same(&finished.stdout.ends_with(b"secret\nsecret\n"), &false).map_err(fault)?;
        same(&workspace.join("--proc").exists(), &false).map_err(fault)?;
    }
    Ok(())
}

fn waived_runs(place: &Path, without: &[Means]) -> Result<(), String> {
    let mut launch = shell(place, without, "echo ran");
    launch.without.push(Means::Seccomp);
    launch.require = launch.require.without(Layer::Syscalls).without(Layer::Sockets);
    if without.contains(&Means::Bubblewrap) {
        launch.require = launch.require.without(Layer::Network).without(Layer::Ipc);
    }
    let finished = done(&launch)?;
    same(&finished.stdout, &b"ran\n".to_vec())?;
    same(&finished.report.holds(Layer::Syscalls), &false)?;
    let state = finished.report.layers.iter().find(|state| state.layer == Layer::Syscalls);
    same(&state.map(|state| (state.requested, state.note.is_some())), &Some((true, true)))
}

/// What a caller could hand in, and whether it may.
fn unfit_descriptors_refuse(place: &Path, without: &[Means]) -> Result<(), String> {
    let folder = place.join("outside-folder");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("file"), "inside").unwrap();
    let file = folder.join("file");
    let opened = |path: &Path, flags| calls::inheritable(path, flags | libc::O_CLOEXEC);
    let [stream, _other] = calls::pair(libc::SOCK_STREAM).unwrap();
    let [datagrams, _other] = calls::pair(libc::SOCK_DGRAM).unwrap();
    let epoll = calls::owned(calls::call(libc::SYS_epoll_create1, &[0]).unwrap());
    for (what, descriptor, may) in [
        ("a directory", opened(&folder, libc::O_RDONLY | libc::O_DIRECTORY), false),
        ("the root", opened(Path::new("/"), libc::O_RDONLY), false),
        ("a directory that was not opened to read", opened(&folder, libc::O_PATH), false),
        ("a file that was not opened to read", opened(&file, libc::O_PATH), false),
        ("datagrams", datagrams, false),
        ("what waits for others", epoll, false),
        ("a file", opened(&file, libc::O_RDONLY), true),
        ("a device", opened(Path::new("/dev/null"), libc::O_RDONLY), true),
        ("a connection", stream, true),
    ] {
        let mut launch = shell(place, without, "exit 3");
        launch.descriptors.push(Kept { descriptor, number: 5 });
        let result = run(&launch);
        let is_right = match (&result, may) {
            (Ok(finished), true) => finished.status == Status::Exited(3),
            (Err(refused @ Refused::Descriptor { number: 5, .. }), false) => {
                refused.remedy().is_some()
            }
            _ => false,
        };
        if !is_right {
            return Err(format!("{what}: {result:?}"));
        }
    }
    // As a shell hands one in, by the input.
    let launch = shell(place, without, "exit 3");
    let own = std::env::current_exe().unwrap();
    let said = std::process::Command::new(own)
        .arg("handed")
        .arg(&launch.directory)
        .stdin(fs::File::open(&folder).unwrap())
        .output()
        .unwrap();
    same(&String::from_utf8_lossy(&said.stdout).contains("it is a directory"), &true)
}

/// Inside a process whose input is a directory: what comes of handing it on.
pub(crate) fn handed(workspace: &Path) {
    let mut launch = Launch::new("/bin/true", workspace, Profile::workspace_write(workspace));
    launch.input = Input::Inherit;
    match run(&launch) {
        Ok(_) => print!("it ran"),
        Err(refused) => print!("{refused}"),
    }
}

fn probes_try(place: &Path, without: &[Means]) -> Result<(), String> {
    let mut launch = shell(place, without, "");
    launch.profile.protected = vec![launch.directory.join(".settings/one.json")];
    launch.profile.denied = vec![place.join("denied")];
    fs::create_dir_all(place.join("denied")).unwrap();
    let report = probe(&launch).map_err(|refused| refused.to_string())?;
    // What holds was tried: nothing that was ruled out got through, and nothing is left.
    for state in &report.layers {
        if state.requested && !state.in_force {
            return Err(format!("{state:?}"));
        }
    }
    same(&fs::read_dir(&launch.directory).unwrap().count(), &0)
}

fn limits_memory(place: &Path, without: &[Means]) -> Result<(), String> {
    let mut launch = shell(place, without, "head -c 300m /dev/zero | tail -c 250m | wc -c");
    launch.limits.memory = Some(64 << 20);
    let unlimited = run(&Launch { limits: Limits::default(), ..shell(place, without, "true") });
    same(&unlimited.is_ok(), &true)?;
    match run(&launch) {
        // `tail` keeps what it is to show, and is ended for it.
        Ok(finished) => {
            let limits = finished.report.layers.iter().find(|one| one.layer == Layer::Limits);
            same(&limits.is_some_and(|one| one.by.contains(&Means::ControlGroup)), &true)?;
            let said = String::from_utf8_lossy(&finished.stdout).trim().to_owned();
            same(&(said == "262144000"), &false)
        }
        Err(refused @ Refused::Missing(_)) => {
            let words = refused.to_string();
            println!("skipped: a limit on all memory, because here {words}");
            same(&(words.contains("control group") && refused.remedy().is_some()), &true)
        }
        Err(refused) => Err(refused.to_string()),
    }
}

/// A placeholder that is a file: there with its whole text while it is used, taken over from a run that was killed, gone afterwards.
fn stand_ins_hold(place: &Path, without: &[Means]) -> Result<(), String> {
    use std::os::unix::fs::PermissionsExt as _;
    let line = "cat names/where; echo evil > names/where; rm -f names/where; mv names/where x; cat names/where; ls -a names; : > names/new";
    for left_behind in [false, true] {
        let mut launch = shell(place, without, line);
        let file = launch.directory.join("names/where");
        fs::create_dir(launch.directory.join("names")).unwrap();
        launch.profile.protected.push(file.clone());
        let text = ".\n".to_owned();
        launch.profile.stand_ins.push(StandIn { path: file.clone(), text });
        if left_behind {
            fs::write(&file, ".\n").unwrap();
            fs::set_permissions(&file, fs::Permissions::from_mode(0o1444)).unwrap();
        }
        let finished = done(&launch)?;
        let said = String::from_utf8_lossy(&finished.stdout).into_owned();
        if without.contains(&Means::Bubblewrap) {
            // Nothing new is made there at all.
            same(&launch.directory.join("names/new").exists(), &false)?;
        } else {
            same(&said, &".\n.\n.\n..\nwhere\n".to_owned())?;
            same(&launch.directory.join("names/new").exists(), &true)?;
            same(&fs::symlink_metadata(&file).is_ok(), &false)?;
        }
    }
    // What a person made there is protected, and stays.
    let mut launch = shell(place, without, "echo evil > names/where; cat names/where");
    let file = launch.directory.join("names/where");
    fs::create_dir(launch.directory.join("names")).unwrap();
    fs::write(&file, "theirs\n").unwrap();
    launch.profile.protected.push(file.clone());
    launch.profile.stand_ins.push(StandIn { path: file.clone(), text: ".\n".to_owned() });
    let finished = done(&launch)?;
    same(&String::from_utf8_lossy(&finished.stdout).into_owned(), &"theirs\n".to_owned())?;
    same(&fs::read_to_string(&file).unwrap(), &"theirs\n".to_owned())
}

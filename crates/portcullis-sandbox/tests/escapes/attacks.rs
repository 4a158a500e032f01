//! The attempts, one row each: what the attacker does, and how it shows outside that it worked.

use std::{
    fs::{self, File, OpenOptions, Permissions},
    io::{self, Read as _, Write as _},
    net::{TcpStream, UdpSocket},
    os::{
        fd::AsRawFd as _,
        linux::net::SocketAddrExt as _,
        unix::{
            fs::{
                FileExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _, symlink,
            },
            net::{SocketAddr, UnixStream},
        },
    },
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Duration,
};

use portcullis_sandbox::{Launch, Layer, Limits};

use crate::{
    calls::{self, c, call, got_through, pointer, text},
    scene::{SECRET, Scene, WHOLE},
};

/// Where an attempt works without a sandbox, so that it proves something that it fails in one.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Works {
    /// For everybody.
    Always,
    /// For root.
    ForRoot,
    /// For everybody but root.
    ForUsers,
    /// Depends on the kernel, or harms the machine: not tried.
    Untried,
}

/// Where an attempt is kept from working.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Kept {
    /// In every tier.
    Everywhere,
    /// Only with namespaces; without them the report says so.
    WithNamespaces,
}

pub(crate) struct Attempt {
    pub(crate) name: &'static str,
    /// What is attacked.
    pub(crate) layer: Layer,
    /// `Ok` where it worked.
    pub(crate) attack: fn(&Scene) -> io::Result<()>,
    /// Whether it shows outside that it worked.
    pub(crate) shows: fn(&mut Scene) -> bool,
    pub(crate) works: Works,
    pub(crate) kept: Kept,
    /// What is special about how it is launched.
    pub(crate) launch: fn(&mut Scene, &mut Launch),
}

fn nothing_shows(_: &mut Scene) -> bool {
    false
}

fn as_usual(_: &mut Scene, _: &mut Launch) {}

const fn attempt(
    name: &'static str,
    layer: Layer,
    works: Works,
    attack: fn(&Scene) -> io::Result<()>,
) -> Attempt {
    Attempt {
        name,
        layer,
        attack,
        shows: nothing_shows,
        works,
        kept: Kept::Everywhere,
        launch: as_usual,
    }
}

impl Attempt {
    const fn shows(self, shows: fn(&mut Scene) -> bool) -> Self {
        Self { shows, ..self }
    }

    const fn only_with_namespaces(self) -> Self {
        Self { kept: Kept::WithNamespaces, ..self }
    }

    const fn launched(self, launch: fn(&mut Scene, &mut Launch)) -> Self {
        Self { launch, ..self }
    }
}

fn failed(words: &str) -> io::Error {
    io::Error::other(words.to_owned())
}

fn write_at(path: impl AsRef<Path>) -> io::Result<()> {
    fs::write(path, "touched")
}

fn changed(scene: &mut Scene) -> bool {
    scene.is_target_touched()
}

fn control_changed(scene: &mut Scene) -> bool {
    scene.is_control_touched()
}

fn own_changed(scene: &mut Scene) -> bool {
    scene.is_own_touched()
}

fn reached(scene: &mut Scene) -> bool {
    scene.was_reached()
}

fn killed(scene: &mut Scene) -> bool {
    scene.is_sleeper_dead()
}

/// The secret, from a file.
fn secret_from(path: impl AsRef<Path>) -> io::Result<()> {
    secret_in(&fs::read(path)?)
}

fn secret_in(bytes: &[u8]) -> io::Result<()> {
    let found = bytes.windows(SECRET.len()).any(|part| part == SECRET.as_bytes());
    if found { Ok(()) } else { Err(failed("the secret is not there")) }
}

fn to_write(path: impl AsRef<Path>) -> io::Result<()> {
    OpenOptions::new().write(true).open(path).map(drop)
}

/// The first of the paths for which it works.
fn any<T>(
    items: impl IntoIterator<Item = T>,
    mut try_one: impl FnMut(T) -> io::Result<()>,
) -> io::Result<()> {
    let mut last = Err(failed("there is nothing to try"));
    for item in items {
        last = try_one(item);
        if last.is_ok() {
            return last;
        }
    }
    last
}

fn processes() -> Vec<i32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}

fn found_below(root: &str, name: &str, depth: usize) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(root).into_iter().flatten().flatten() {
        let path = entry.path();
        if entry.file_name() == name {
            found.push(path.clone());
        }
        if depth > 0 && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            found.extend(found_below(path.to_str().unwrap_or(""), name, depth - 1));
        }
    }
    found
}

fn sh(line: &str) -> io::Result<()> {
    let status = Command::new("/bin/sh").arg("-c").arg(line).status()?;
    if status.success() { Ok(()) } else { Err(failed("the shell failed")) }
}

use Layer::{
    Cleanup, Files, Ipc, Limits as Limit, Network, Privileges, Processes, Protected, Sockets,
    Syscalls, Unreadable,
};
use Works::{Always, ForRoot, ForUsers, Untried};

const NEW_NAMESPACES: [i32; 6] = [
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWNS,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNET,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUTS,
];

/// What identifies processes that should be gone.
pub(crate) const LEFT_BEHIND: &str = "left-behind";

fn leave_behind(seconds: u64) -> io::Result<()> {
    // Twice forked, in a session of its own, deaf to what can be ignored.
    if calls::fork()? == 0 {
        calls::new_session();
        if calls::fork()? == 0 {
            let own = std::env::current_exe()?;
            let error = std::os::unix::process::CommandExt::exec(
                Command::new(own)
                    .arg(LEFT_BEHIND)
                    .arg(std::env::var("SCENE").unwrap())
                    .arg(seconds.to_string())
                    .stdin(Stdio::null())
                    .stdout(Stdio::null())
                    .stderr(Stdio::null()),
            );
            return Err(error);
        }
        std::process::exit(0);
    }
    std::thread::sleep(Duration::from_millis(100));
    Ok(())
}

fn is_left_behind(scene: &mut Scene) -> bool {
    let mark = format!("{LEFT_BEHIND}\0{}", scene.root.display());
    processes().iter().any(|pid| {
        fs::read(format!("/proc/{pid}/cmdline"))
            .is_ok_and(|line| line.windows(mark.len()).any(|part| part == mark.as_bytes()))
    })
}

fn limited(launch: &mut Launch, limits: Limits) {
    launch.limits = limits;
}

pub(crate) static ATTEMPTS: &[Attempt] = &[
    // Files outside.
    attempt("make a file outside", Files, Always, |scene| write_at(scene.out("new")))
        .shows(|scene| scene.out("new").exists()),
    attempt("change a file outside", Files, Always, |scene| write_at(scene.out("target")))
        .shows(changed),
    attempt("leave by `..`", Files, Always, |scene| write_at(scene.ws("../outside/target")))
        .shows(changed),
    attempt("leave by a symbolic link", Files, Always, |scene| {
        symlink(scene.out("target"), scene.ws("link"))?;
        write_at(scene.ws("link"))
    })
    .shows(changed),
    attempt("leave by a linked directory", Files, Always, |scene| {
        symlink(scene.out(""), scene.ws("folder"))?;
        write_at(scene.ws("folder/target"))
    })
    .shows(changed),
    attempt("leave by a hard link", Files, Always, |scene| {
        fs::hard_link(scene.out("target"), scene.ws("hard"))?;
        write_at(scene.ws("hard"))
    })
    .shows(changed),
    attempt("leave by `/proc/self/root`", Files, Always, |scene| {
        write_at(format!("/proc/self/root{}", scene.out("target").display()))
    })
    .shows(changed),
    attempt("leave by the root of any process", Files, Always, |scene| {
        let target = scene.out("target");
        any(processes(), |pid| write_at(format!("/proc/{pid}/root{}", target.display())))
    })
    .shows(changed),
    attempt("leave by the root of a process outside", Files, Always, |scene| {
        write_at(format!("/proc/{}/root{}", scene.sleeper, scene.out("target").display()))
    })
    .shows(changed),
    attempt("leave by a directory opened before the link was changed", Files, Always, |scene| {
        let root = calls::inheritable(Path::new("/"), libc::O_PATH | libc::O_DIRECTORY);
        let path = scene.out("target");
        let path = path.to_str().unwrap().trim_start_matches('/');
        let file = calls::open_at(root.as_raw_fd(), path, libc::O_WRONLY | libc::O_TRUNC)?;
        File::from(file).write_all(b"touched")
    })
    .shows(changed),
    attempt("cut a file outside short", Files, Always, |scene| {
        call(libc::SYS_truncate, &[text(&c(&scene.out("target"))), 0]).map(drop)
    })
    .shows(changed),
    attempt("delete a file outside", Files, Always, |scene| fs::remove_file(scene.out("target")))
        .shows(changed),
    attempt("move a file in from outside", Files, Always, |scene| {
        fs::rename(scene.out("target"), scene.ws("taken"))
    })
    .shows(changed),
    attempt("move a file out over another", Files, Always, |scene| {
        fs::rename(scene.ws("src/file"), scene.out("script"))
    })
    .shows(|scene| !scene.ws("src/file").exists()),
    attempt("exchange a file with one outside", Files, Always, |scene| {
        let (mine, theirs) = (c(&scene.ws("settings")), c(&scene.out("target")));
        fs::write(scene.ws("settings"), "touched")?;
        let at = i64::from(libc::AT_FDCWD);
        call(
            libc::SYS_renameat2,
            &[at, text(&mine), at, text(&theirs), libc::RENAME_EXCHANGE.into()],
        )
        .map(drop)
    })
    .shows(changed),
    attempt("make a directory outside", Files, Always, |scene| fs::create_dir(scene.out("folder")))
        .shows(|scene| scene.out("folder").exists()),
    attempt("make a pipe outside", Files, Always, |scene| {
        call(
            libc::SYS_mknodat,
            &[
                libc::AT_FDCWD.into(),
                text(&c(&scene.out("pipe"))),
                i64::from(libc::S_IFIFO | 0o666),
                0,
            ],
        )
        .map(drop)
    })
    .shows(|scene| scene.out("pipe").exists()),
    attempt("link a nameless file outside", Files, Always, |scene| {
        let file =
            OpenOptions::new().write(true).custom_flags(libc::O_TMPFILE).open(scene.out(""))?;
        let from = c(Path::new(&format!("/proc/self/fd/{}", file.as_raw_fd())));
        let at = i64::from(libc::AT_FDCWD);
        let flags = i64::from(libc::AT_SYMLINK_FOLLOW);
        call(libc::SYS_linkat, &[at, text(&from), at, text(&c(&scene.out("named"))), flags])
            .map(drop)
    })
    .shows(|scene| scene.out("named").exists()),
    attempt("change the mode of a file outside", Files, Always, |scene| {
        fs::set_permissions(scene.out("target"), Permissions::from_mode(0o777))
    })
    .shows(|scene| fs::metadata(scene.out("target")).unwrap().mode() & 0o777 != 0o644)
    .only_with_namespaces(),
    attempt("change the times of a file outside", Files, Always, |scene| {
        File::open(scene.out("target"))?.set_modified(std::time::SystemTime::UNIX_EPOCH)
    })
    .shows(|scene| fs::metadata(scene.out("target")).unwrap().mtime() == 0)
    .only_with_namespaces(),
    attempt("use a directory that was left open", Files, Always, |_| {
        any(3..64, |number| {
            let file = calls::open_at(number, "target", libc::O_WRONLY | libc::O_TRUNC)?;
            File::from(file).write_all(b"touched")
        })
    })
    .shows(changed)
    .launched(|scene, _| {
        let folder = calls::inheritable(&scene.out(""), libc::O_RDONLY | libc::O_DIRECTORY);
        scene.outside.as_mut().unwrap().leaked.push(folder);
    }),
    attempt("use a file that was left open", Files, Always, |_| {
        any(3..64, |number| call(libc::SYS_write, &[number, pointer(b"touched"), 7]).map(drop))
    })
    .shows(changed)
    .launched(|scene, _| {
        let file = calls::inheritable(&scene.out("target"), libc::O_WRONLY);
        scene.outside.as_mut().unwrap().leaked.push(file);
    }),
    attempt("mount a copy that can be written", Files, ForRoot, |scene| {
        fs::create_dir(scene.ws("mnt"))?;
        let (from, to) = (c(&scene.out("")), c(&scene.ws("mnt")));
        call(libc::SYS_mount, &[text(&from), text(&to), 0, libc::MS_BIND as i64, 0])?;
        let done = write_at(scene.ws("mnt/target"));
        call(libc::SYS_umount2, &[text(&to), libc::MNT_DETACH.into()])?;
        done
    })
    .shows(changed),
    attempt("make what is mounted writable", Files, Untried, |_| {
        let root = c(Path::new("/"));
        call(libc::SYS_mount, &[0, text(&root), 0, (libc::MS_REMOUNT | libc::MS_BIND) as i64, 0])
            .map(drop)
    }),
    attempt("take away what is mounted on top", Files, Untried, |scene| {
        let places = [
            scene.ws(".git/hooks"),
            scene.ws(".git"),
            scene.ws(""),
            PathBuf::from("/dev"),
            PathBuf::from("/proc"),
        ];
        any(places, |path| {
            call(libc::SYS_umount2, &[text(&c(&path)), libc::MNT_DETACH.into()]).map(drop)
        })
    }),
    attempt("mount by the newer calls", Files, ForRoot, |_| {
        call(libc::SYS_fsopen, &[text(&c(Path::new("tmpfs"))), 0]).map(drop)
    }),
    attempt("copy a tree of mounts", Files, ForRoot, |_| {
        call(libc::SYS_open_tree, &[libc::AT_FDCWD.into(), text(&c(Path::new("/"))), 1]).map(drop)
    }),
    attempt("change the root", Files, ForRoot, |_| {
        call(libc::SYS_chroot, &[text(&c(Path::new("/tmp")))]).map(drop)
    }),
    attempt("open a file by its handle", Files, ForRoot, |scene| {
        #[repr(C)]
        struct Handle {
            bytes: u32,
            kind: i32,
            room: [u8; 128],
        }
        let handle = Handle { bytes: 128, kind: 0, room: [0; 128] };
        let mount = 0_i32;
        let at = i64::from(libc::AT_FDCWD);
        call(
            libc::SYS_name_to_handle_at,
            &[at, text(&c(&scene.out("target"))), pointer(&handle), pointer(&mount), 0],
        )?;
        let root = calls::inheritable(Path::new("/"), libc::O_RDONLY | libc::O_DIRECTORY);
        call(
            libc::SYS_open_by_handle_at,
            &[root.as_raw_fd().into(), pointer(&handle), libc::O_WRONLY.into()],
        )
        .map(drop)
    }),
    attempt("make a device", Files, ForRoot, |scene| {
        let device = i64::from(libc::S_IFCHR | 0o666);
        call(
            libc::SYS_mknodat,
            &[libc::AT_FDCWD.into(), text(&c(&scene.ws("null"))), device, 0x103],
        )
        .map(drop)
    })
    .shows(|scene| scene.ws("null").exists()),
    attempt("make a device by the older call", Files, ForRoot, |scene| {
        #[cfg(target_arch = "x86_64")]
        {
            let device = i64::from(libc::S_IFBLK | 0o666);
            call(libc::SYS_mknod, &[text(&c(&scene.ws("disk"))), device, 0xfe00]).map(drop)
        }
        #[cfg(not(target_arch = "x86_64"))]
        write_at(scene.out("target"))
    })
    .shows(|scene| scene.ws("disk").exists()),
    attempt("open a disk", Files, Untried, |_| {
        let disks = fs::read_to_string("/proc/partitions").unwrap_or_default();
        let names: Vec<String> = disks
            .lines()
            .filter_map(|line| line.split_whitespace().nth(3))
            .map(str::to_owned)
            .collect();
        any(names, |name| File::open(format!("/dev/{name}")).map(drop))
    }),
    attempt("open a device that lies elsewhere", Files, ForRoot, |scene| {
        File::open(scene.out("zero"))?.read_exact(&mut [0])
    })
    .only_with_namespaces()
    .launched(|scene, _| {
        // Who may not make one has none to try.
        let mode = i64::from(libc::S_IFCHR | 0o666);
        let path = c(&scene.out("zero"));
        let _ = call(libc::SYS_mknodat, &[libc::AT_FDCWD.into(), text(&path), mode, 0x105]);
    }),
    attempt("open the memory of the machine", Files, Untried, |_| {
        any(["/dev/mem", "/dev/kmem", "/dev/kmsg", "/dev/port", "/proc/kcore"], |path| {
            let mut byte = [0];
            File::open(path)?.read_exact(&mut byte)
        })
    }),
    attempt("set the kernel's handler of crashes", Files, ForRoot, |_| {
        to_write("/proc/sys/kernel/core_pattern")
    }),
    attempt("set the kernel's loader of modules", Files, Untried, |_| {
        to_write("/proc/sys/kernel/modprobe")
    }),
    attempt("press the system's keys", Files, Untried, |_| to_write("/proc/sysrq-trigger")),
    attempt("set what groups of processes run at their end", Files, Untried, |_| {
        let mut paths = found_below("/sys/fs/cgroup", "release_agent", 2);
        paths.extend(found_below("/sys/fs/cgroup", "cgroup.procs", 2));
        any(paths, to_write)
    }),
    attempt("set the kernel's helper for devices", Files, Untried, |_| {
        to_write("/sys/kernel/uevent_helper")
    }),
    attempt("write to the supervisor's program", Files, Untried, |_| {
        any([1, calls::parent()], |pid| {
            OpenOptions::new().append(true).open(format!("/proc/{pid}/exe")).map(drop)
        })
    }),
    attempt("write by a program from memory", Files, Always, |scene| {
        let memory = calls::owned(call(libc::SYS_memfd_create, &[text(&c(Path::new("m"))), 0])?);
        let mut file = File::from(memory.try_clone()?);
        file.write_all(&fs::read(std::env::current_exe()?)?)?;
        let arguments = ["attacker", "attack", "change a file outside"];
        let arguments: Vec<_> = arguments.iter().map(|word| c(Path::new(word))).collect();
        let environment: Vec<_> = std::env::vars()
            .map(|(name, value)| c(Path::new(&format!("{name}={value}"))))
            .collect();
        // A descriptor that is open for writing cannot be run.
        drop(file);
        let read = calls::inheritable(
            Path::new(&format!("/proc/self/fd/{}", memory.as_raw_fd())),
            libc::O_RDONLY,
        );
        drop(memory);
        let _ = scene;
        Err(calls::run_open(&read, &arguments, &environment))
    })
    .shows(changed),
    attempt("write by the loader of programs", Files, Always, |scene| {
        let loaders = ["/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1"];
        let Some(loader) = loaders.iter().find(|path| Path::new(path).exists()) else {
            return write_at(scene.out("target"));
        };
        let line = format!("echo touched > '{}'", scene.out("target").display());
        let status = Command::new(loader).args(["/bin/sh", "-c", &line]).status()?;
        if status.success() { Ok(()) } else { Err(failed("the loader failed")) }
    })
    .shows(changed),
    attempt("write by a thread", Files, Always, |scene| {
        let path = scene.out("target");
        std::thread::spawn(move || write_at(path)).join().unwrap()
    })
    .shows(changed),
    // What is protected.
    attempt("change protected settings by another name of theirs", Protected, Always, |scene| {
        write_at(scene.ws("src/second-name"))
    })
    .shows(control_changed),
    attempt("replace another name of protected settings", Protected, Always, |scene| {
        fs::rename(scene.ws("src"), scene.ws("moved"))?;
        write_at(scene.ws("moved/second-name"))
    })
    .shows(control_changed),
    attempt("change what lies elsewhere by a second name of it", Protected, Always, |scene| {
        write_at(scene.ws("src/name-of-own"))
    })
    .shows(own_changed),
    attempt("change a program elsewhere by a second name of it", Protected, Always, |scene| {
        write_at(scene.ws("src/name-of-program"))
    })
    .shows(own_changed),
    attempt("change what a link elsewhere leads to", Protected, Always, |scene| {
        write_at(scene.ws("src/led"))
    })
    .shows(own_changed),
    attempt("move the directory of a second name", Protected, Always, |scene| {
        fs::rename(scene.ws("src"), scene.ws("moved"))?;
        write_at(scene.ws("moved/name-of-own"))
    })
    .shows(own_changed),
    attempt("plant a hook", Protected, Always, |scene| write_at(scene.ws(".git/hooks/pre-commit")))
        .shows(control_changed),
    attempt("change settings of version control", Protected, Always, |scene| {
        OpenOptions::new().append(true).open(scene.ws(".git/config"))?.write_all(b"[core]\n")
    })
    .shows(control_changed),
    attempt("replace settings by a new file", Protected, Always, |scene| {
        write_at(scene.ws("src/config"))?;
        fs::rename(scene.ws("src/config"), scene.ws(".git/config"))
    })
    .shows(control_changed),
    attempt("delete settings", Protected, Always, |scene| fs::remove_file(scene.ws(".git/config")))
        .shows(control_changed),
    attempt("make settings that are missing", Protected, Always, |scene| {
        fs::create_dir_all(scene.ws(".agent"))?;
        write_at(scene.ws(".agent/settings.json"))
    })
    .shows(|scene| scene.ws(".agent/settings.json").exists()),
    attempt("make a file of settings that is missing", Protected, Always, |scene| {
        write_at(scene.ws(".tools.json"))
    })
    .shows(|scene| scene.ws(".tools.json").exists()),
    attempt("make attributes that are missing", Protected, Always, |scene| {
        write_at(scene.ws(".git/info/attributes"))
    })
    .shows(|scene| scene.ws(".git/info/attributes").exists()),
    attempt("lead git elsewhere by a file that is missing", Protected, Always, |scene| {
        // As git's documentation of its repository layout has it.
        let _ = fs::remove_file(scene.ws(".git/commondir"));
        let _ = fs::rename(scene.ws(".git/commondir"), scene.ws(".git/other"));
        write_at(scene.ws("src/new"))?;
        fs::rename(scene.ws("src/new"), scene.ws(".git/commondir"))
    })
    .shows(|scene| scene.ws(".git/commondir").exists()),
    attempt("lead git elsewhere by a link", Protected, Always, |scene| {
        let _ = fs::remove_file(scene.ws(".git/commondir"));
        symlink("../src/file", scene.ws(".git/commondir"))
    })
    .shows(|scene| fs::symlink_metadata(scene.ws(".git/commondir")).is_ok()),
    attempt("lead git elsewhere by a file that says where it is", Protected, Always, |scene| {
        write_at(scene.ws("module/.git"))
    })
    .shows(|scene| fs::read_to_string(scene.ws("module/.git")).ok().as_deref() != Some(WHOLE)),
    attempt("replace a repository by a file that says where it is", Protected, Always, |scene| {
        fs::rename(scene.ws("module/.git"), scene.ws("module/git"))?;
        write_at(scene.ws("module/.git"))
    })
    .shows(|scene| fs::read_to_string(scene.ws("module/.git")).ok().as_deref() != Some(WHOLE)),
    attempt("replace a directory that has a repository in it", Protected, Always, |scene| {
        fs::rename(scene.ws("module"), scene.ws("gone"))?;
        fs::create_dir(scene.ws("module"))?;
        write_at(scene.ws("module/.git"))
    })
    .shows(|scene| fs::read_to_string(scene.ws("module/.git")).ok().as_deref() != Some(WHOLE)),
    attempt("put a link where settings are missing", Protected, Always, |scene| {
        let _ = fs::remove_dir(scene.ws(".tools.json"));
        symlink("settings", scene.ws(".tools.json"))
    })
    .shows(|scene| scene.ws(".tools.json").is_symlink()),
    attempt("take away the placeholder of missing settings", Protected, Always, |scene| {
        let _ = fs::remove_dir(scene.ws(".agent"));
        let _ = fs::rename(scene.ws(".agent"), scene.ws("agent"));
        fs::create_dir(scene.ws(".agent"))?;
        write_at(scene.ws(".agent/settings.json"))
    })
    .shows(|scene| scene.ws(".agent/settings.json").exists()),
    attempt("move a directory of settings in", Protected, Always, |scene| {
        fs::create_dir(scene.ws("src/agent"))?;
        write_at(scene.ws("src/agent/settings.json"))?;
        let _ = fs::remove_dir(scene.ws(".agent"));
        fs::rename(scene.ws("src/agent"), scene.ws(".agent"))
    })
    .shows(|scene| scene.ws(".agent/settings.json").exists()),
    attempt("move the directory above away", Protected, Always, |scene| {
        fs::rename(scene.ws(".git"), scene.ws("git"))?;
        fs::create_dir_all(scene.ws(".git/hooks"))?;
        write_at(scene.ws(".git/hooks/pre-commit"))
    })
    .shows(control_changed),
    attempt("exchange the directory above", Protected, Always, |scene| {
        fs::create_dir_all(scene.ws("src/git/hooks"))?;
        write_at(scene.ws("src/git/hooks/pre-commit"))?;
        let at = i64::from(libc::AT_FDCWD);
        let (mine, theirs) = (c(&scene.ws("src/git")), c(&scene.ws(".git")));
        call(
            libc::SYS_renameat2,
            &[at, text(&mine), at, text(&theirs), libc::RENAME_EXCHANGE.into()],
        )
        .map(drop)
    })
    .shows(control_changed),
    attempt("exchange the hooks", Protected, Always, |scene| {
        fs::create_dir_all(scene.ws("src/hooks"))?;
        write_at(scene.ws("src/hooks/pre-commit"))?;
        let at = i64::from(libc::AT_FDCWD);
        let (mine, theirs) = (c(&scene.ws("src/hooks")), c(&scene.ws(".git/hooks")));
        call(
            libc::SYS_renameat2,
            &[at, text(&mine), at, text(&theirs), libc::RENAME_EXCHANGE.into()],
        )
        .map(drop)
    })
    .shows(control_changed),
    attempt("link settings elsewhere and write there", Protected, Always, |scene| {
        fs::hard_link(scene.ws(".git/config"), scene.ws("src/config"))?;
        write_at(scene.ws("src/config"))
    })
    .shows(control_changed),
    attempt("link settings beside themselves and write there", Protected, Always, |scene| {
        fs::hard_link(scene.ws(".git/config"), scene.ws(".git/other"))?;
        write_at(scene.ws(".git/other"))
    })
    .shows(control_changed),
    attempt("replace settings that are a link", Protected, Always, |scene| {
        fs::remove_file(scene.ws(".linked"))?;
        write_at(scene.ws(".linked"))
    })
    .shows(|scene| !scene.ws(".linked").is_symlink()),
    attempt("write settings by their link", Protected, Always, |scene| {
        write_at(scene.ws(".linked"))
    })
    .shows(|scene| fs::read_to_string(scene.ws("settings")).ok().as_deref() != Some(WHOLE)),
    attempt("replace where a link of settings leads", Protected, Always, |scene| {
        write_at(scene.ws("src/other"))?;
        fs::rename(scene.ws("src/other"), scene.ws("settings"))
    })
    .shows(|scene| fs::read_to_string(scene.ws("settings")).ok().as_deref() != Some(WHOLE)),
    attempt("make where a link of settings leads to nothing", Protected, Always, |scene| {
        write_at(scene.ws("later"))
    })
    .shows(|scene| scene.ws("later").exists())
    .launched(|scene, launch| {
        let link = scene.ws(".dangling");
        symlink("later", &link).unwrap();
        launch.profile.protected.push(link);
    }),
    attempt("turn a link between settings and where they are", Protected, Always, |scene| {
        fs::remove_file(scene.ws("between"))?;
        write_at(scene.ws("between"))
    })
    .shows(|scene| !scene.ws("between").is_symlink())
    .launched(|scene, launch| {
        let link = scene.ws(".twice");
        symlink("between", &link).unwrap();
        symlink("settings", scene.ws("between")).unwrap();
        launch.profile.protected.push(link);
    }),
    attempt("move away what lies between two roots", Protected, Always, |scene| {
        fs::rename(scene.ws("src"), scene.ws("moved"))?;
        fs::create_dir_all(scene.ws("src/inner/.settings"))?;
        write_at(scene.ws("src/inner/.settings/hook"))
    })
    .shows(|scene| scene.ws("src/inner/.settings/hook").exists())
    .launched(|scene, launch| {
        let inner = scene.ws("src/inner");
        fs::create_dir(&inner).unwrap();
        launch.profile.protected.push(inner.join(".settings"));
        launch.profile.write.push(inner);
    }),
    attempt("plant a hook by the link to the workspace", Protected, Always, |scene| {
        write_at(scene.root.join("linked-workspace/.git/hooks/pre-commit"))
    })
    .shows(control_changed),
    attempt("plant a hook by the directory of the process", Protected, Always, |_| {
        write_at("/proc/self/cwd/.git/hooks/pre-commit")
    })
    .shows(control_changed),
    attempt("change the mode of settings", Protected, Always, |scene| {
        fs::set_permissions(scene.ws(".git/config"), Permissions::from_mode(0o666))
    })
    .shows(|scene| fs::metadata(scene.ws(".git/config")).unwrap().mode() & 0o777 == 0o666)
    .only_with_namespaces(),
    attempt("move the workspace away", Protected, Always, |scene| {
        fs::rename(scene.ws(""), scene.root.join("gone"))?;
        fs::rename(scene.root.join("gone"), scene.ws(""))
    }),
    // What is denied.
    attempt("read a secret", Unreadable, Always, |scene| secret_from(scene.secret())),
    attempt("read a secret by a link", Unreadable, Always, |scene| {
        symlink(scene.secret(), scene.ws("key"))?;
        secret_from(scene.ws("key"))
    }),
    attempt("read a secret by a hard link", Unreadable, Always, |scene| {
        fs::hard_link(scene.secret(), scene.ws("key"))?;
        secret_from(scene.ws("key"))
    }),
    attempt("read a secret by the root of any process", Unreadable, Always, |scene| {
        any(processes(), |pid| secret_from(format!("/proc/{pid}/root{}", scene.secret().display())))
    }),
    attempt("move a secret in", Unreadable, Always, |scene| {
        fs::rename(scene.root.join("secret"), scene.ws("secret"))?;
        secret_from(scene.ws("secret/key"))
    }),
    attempt("list the names of secrets", Unreadable, Always, |scene| {
        let found = fs::read_dir(scene.root.join("secret"))?
            .flatten()
            .any(|entry| entry.file_name() == "key");
        if found { Ok(()) } else { Err(failed("there is no name")) }
    }),
    attempt("open secrets to everybody", Unreadable, Always, |scene| {
        let _ = fs::set_permissions(scene.root.join("secret"), Permissions::from_mode(0o777));
        secret_from(scene.secret())
    }),
    attempt("copy a secret within the kernel", Unreadable, Always, |scene| {
        let from = File::open(scene.secret())?;
        let to = File::options().read(true).write(true).create_new(true).open(scene.ws("copy"))?;
        call(libc::SYS_sendfile, &[to.as_raw_fd().into(), from.as_raw_fd().into(), 0, 100])?;
        secret_from(scene.ws("copy"))
    }),
    // The network.
    attempt("connect to the loopback outside", Network, Always, |scene| {
        TcpStream::connect(("127.0.0.1", scene.tcp)).map(drop)
    })
    .shows(reached),
    attempt("connect by every address of this machine", Network, Always, |scene| {
        any(["0.0.0.0", "127.0.0.2", "::1", "::ffff:127.0.0.1"], |host| {
            TcpStream::connect((host, scene.tcp)).map(drop)
        })
    })
    .shows(reached),
    attempt("send a datagram outside", Network, Always, |scene| {
        UdpSocket::bind("127.0.0.1:0")?.send_to(b"x", ("127.0.0.1", scene.udp))?;
        Err(failed("whether it came is seen outside"))
    })
    // In a network of its own it goes nowhere, and nobody is told.
    .shows(reached),
    attempt("connect by another protocol", Network, Untried, |scene| {
        const MPTCP: i64 = 262;
        let socket = calls::owned(call(
            libc::SYS_socket,
            &[libc::AF_INET.into(), libc::SOCK_STREAM.into(), MPTCP],
        )?);
        let address: [u8; 16] = {
            let mut address = [0; 16];
            address[..2].copy_from_slice(&(libc::AF_INET as u16).to_ne_bytes());
            address[2..4].copy_from_slice(&scene.tcp.to_be_bytes());
            address[4..8].copy_from_slice(&[127, 0, 0, 1]);
            address
        };
        call(libc::SYS_connect, &[socket.as_raw_fd().into(), pointer(&address), 16]).map(drop)
    })
    .shows(reached),
    attempt("ask a name server", Network, Untried, |_| {
        let socket = UdpSocket::bind("0.0.0.0:0")?;
        socket.set_read_timeout(Some(Duration::from_millis(300)))?;
        socket.send_to(b"\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00\x07example\x03com\x00\x00\x01\x00\x01", "8.8.8.8:53")?;
        socket.recv(&mut [0; 512]).map(drop)
    }),
    attempt("make a raw socket", Network, ForRoot, |_| {
        call(
            libc::SYS_socket,
            &[libc::AF_INET.into(), libc::SOCK_RAW.into(), libc::IPPROTO_ICMP.into()],
        )
        .map(drop)
    }),
    attempt("make a socket below the protocols", Network, ForRoot, |_| {
        call(libc::SYS_socket, &[libc::AF_PACKET.into(), libc::SOCK_RAW.into(), 0x300]).map(drop)
    }),
    attempt("talk to the kernel's network", Network, Always, |_| {
        call(libc::SYS_socket, &[libc::AF_NETLINK.into(), libc::SOCK_RAW.into(), 0]).map(drop)
    }),
    attempt("talk to the host of this machine", Network, Untried, |_| {
        call(libc::SYS_socket, &[libc::AF_VSOCK.into(), libc::SOCK_STREAM.into(), 0]).map(drop)
    }),
    attempt("use the kernel's ciphers", Syscalls, Untried, |_| {
        call(libc::SYS_socket, &[libc::AF_ALG.into(), libc::SOCK_SEQPACKET.into(), 0]).map(drop)
    }),
    attempt("name a family with higher bits", Network, Always, |_| {
        let family = i64::from(libc::AF_NETLINK) | 1 << 32;
        call(libc::SYS_socket, &[family, libc::SOCK_RAW.into(), 0]).map(drop)
    }),
    // Sockets of programs outside.
    attempt("connect to a socket in a file", Sockets, Always, |scene| {
        UnixStream::connect(scene.out("docker.sock")).map(drop)
    })
    .shows(reached),
    attempt("connect to a socket without a file", Sockets, Always, |scene| {
        let address = SocketAddr::from_abstract_name(scene.root.as_os_str().as_encoded_bytes())?;
        UnixStream::connect_addr(&address).map(drop)
    })
    .shows(reached),
    attempt("send to a socket in a file", Sockets, Always, |scene| {
        let socket = calls::owned(call(
            libc::SYS_socket,
            &[libc::AF_UNIX.into(), libc::SOCK_DGRAM.into(), 0],
        )?);
        calls::send_to(socket.as_raw_fd(), &scene.out("log"))
    })
    .shows(reached),
    attempt("send to a socket in a file from one of a pair", Sockets, Always, |scene| {
        let [one, _other] = calls::pair(libc::SOCK_DGRAM)?;
        calls::send_to(one.as_raw_fd(), &scene.out("log"))
    })
    .shows(reached),
    attempt("send to a socket in a file from one of a raw pair", Sockets, Always, |scene| {
        // The kernel makes sockets for datagrams of these.
        let [one, _other] = calls::pair(libc::SOCK_RAW)?;
        calls::send_to(one.as_raw_fd(), &scene.out("log"))
    })
    .shows(reached),
    attempt(
        "send to a socket in a file from a pair of any type and flags",
        Sockets,
        Always,
        |scene| {
            any(0..16, |kind| {
                any([0, libc::SOCK_CLOEXEC, libc::SOCK_NONBLOCK], |flags| {
                    let [one, _other] = calls::pair(kind | flags)?;
                    // Some send to the other one, whatever they are told.
                    let _ = calls::send_to(one.as_raw_fd(), &scene.out("log"));
                    Err(failed("whether it came is seen outside"))
                })
            })
        },
    )
    .shows(reached),
    attempt("turn one of a pair elsewhere when the other is gone", Sockets, Untried, |scene| {
        any([libc::SOCK_STREAM, libc::SOCK_SEQPACKET], |kind| {
            let [one, other] = calls::pair(kind)?;
            drop(other);
            let (address, length) = calls::unix_address(&scene.out("docker.sock"));
            call(libc::SYS_connect, &[one.as_raw_fd().into(), pointer(&address), length]).map(drop)
        })
    })
    .shows(reached),
    attempt("turn one of a pair elsewhere", Sockets, Untried, |scene| {
        let [one, _other] = calls::pair(libc::SOCK_STREAM)?;
        let (address, length) = calls::unix_address(&scene.out("docker.sock"));
        call(libc::SYS_connect, &[one.as_raw_fd().into(), pointer(&address), length]).map(drop)
    })
    .shows(reached),
    // Processes outside.
    attempt("kill a process outside", Processes, Always, |scene| {
        calls::kill(scene.sleeper, libc::SIGKILL)
    })
    .shows(killed),
    attempt("kill a process outside by its thread", Processes, Always, |scene| {
        let pid = i64::from(scene.sleeper);
        call(libc::SYS_tgkill, &[pid, pid, libc::SIGKILL.into()]).map(drop)
    })
    .shows(killed),
    attempt("kill a process outside by its descriptor", Processes, Always, |scene| {
        let process = calls::owned(call(libc::SYS_pidfd_open, &[scene.sleeper.into(), 0])?);
        call(libc::SYS_pidfd_send_signal, &[process.as_raw_fd().into(), libc::SIGKILL.into(), 0, 0])
            .map(drop)
    })
    .shows(killed),
    attempt("kill everybody", Processes, Untried, |_| {
        // As root without a sandbox this would end the machine.
        if calls::user() != 0 {
            let _ = calls::kill(-1, libc::SIGKILL);
        }
        Err(failed("whether anybody died is seen outside"))
    })
    .shows(killed),
    attempt("take away a process's time", Processes, Always, |scene| {
        let none = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        call(
            libc::SYS_prlimit64,
            &[scene.sleeper.into(), libc::RLIMIT_CPU.into(), pointer(&none), 0],
        )
        .map(drop)
    }),
    attempt("make a process outside wait", Processes, Always, |scene| {
        call(libc::SYS_setpriority, &[libc::PRIO_PROCESS.into(), scene.sleeper.into(), 19])
            .map(drop)
    }),
    attempt("bind a process outside to one processor", Processes, Always, |scene| {
        let mut set = [0_u8; 128];
        let pid = i64::from(scene.sleeper);
        call(libc::SYS_sched_getaffinity, &[pid, 128, set.as_mut_ptr() as i64])
            .or_else(|_| call(libc::SYS_sched_getaffinity, &[0, 128, set.as_mut_ptr() as i64]))?;
        call(libc::SYS_sched_setaffinity, &[pid, 128, pointer(&set)]).map(drop)
    }),
    attempt("schedule a process outside otherwise", Processes, Always, |scene| {
        let (pid, none) = (i64::from(scene.sleeper), 0_i32);
        any([libc::SCHED_BATCH, libc::SCHED_IDLE, libc::SCHED_OTHER], |policy| {
            call(libc::SYS_sched_setscheduler, &[pid, policy.into(), pointer(&none)]).map(drop)
        })
    }),
    attempt("schedule a process outside by the newer call", Processes, Always, |scene| {
        // Its size, the policy, flags, niceness, and three times. To be nicer is allowed to everybody.
        let mut attributes = [0_u32; 12];
        attributes[0] = 48;
        attributes[4] = 19;
        call(libc::SYS_sched_setattr, &[scene.sleeper.into(), pointer(&attributes), 0]).map(drop)
    }),
    attempt("schedule a process outside by its priority alone", Processes, Always, |scene| {
        let none = 0_i32;
        call(libc::SYS_sched_setparam, &[scene.sleeper.into(), pointer(&none)]).map(drop)
    }),
    attempt("let the disk of a process outside wait", Processes, Always, |scene| {
        const OF_A_PROCESS: i64 = 1;
        const IDLE: i64 = 3 << 13;
        call(libc::SYS_ioprio_set, &[OF_A_PROCESS, scene.sleeper.into(), IDLE]).map(drop)
    }),
    attempt("move the memory of a process outside", Processes, Untried, |scene| {
        let all = [u64::MAX; 16];
        let (pid, nodes) = (i64::from(scene.sleeper), pointer(&all));
        call(libc::SYS_migrate_pages, &[pid, 64, nodes, nodes])
            .or_else(|_| call(libc::SYS_move_pages, &[pid, 0, 0, 0, 0, 0]))
            .map(drop)
    }),
    attempt("compare what processes outside have", Processes, Untried, |scene| {
        let pid = i64::from(scene.sleeper);
        call(libc::SYS_kcmp, &[pid, pid, 0, 0, 0]).map(drop)
    }),
    attempt("trace a process outside", Processes, Always, |scene| {
        call(libc::SYS_ptrace, &[libc::PTRACE_ATTACH.into(), scene.sleeper.into(), 0, 0]).map(drop)
    }),
    attempt("read the environment of a process outside", Processes, Always, |scene| {
        secret_from(format!("/proc/{}/environ", scene.sleeper))
    }),
    attempt("read the environment of every process", Processes, Always, |_| {
        any(processes(), |pid| secret_from(format!("/proc/{pid}/environ")))
    }),
    attempt("read the memory of a process outside", Processes, Always, |scene| {
        let maps = fs::read_to_string(format!("/proc/{}/maps", scene.sleeper))?;
        let stack = maps
            .lines()
            .find(|line| line.ends_with("[stack]"))
            .ok_or_else(|| failed("there is no stack"))?;
        let (range, _) = stack.split_once(' ').unwrap();
        let (from, to) = range.split_once('-').unwrap();
        let number = |text: &str| usize::from_str_radix(text, 16).unwrap();
        let (from, to) = (number(from), number(to));
        calls::read_memory(scene.sleeper, from, to - from)
            .and_then(|bytes| secret_in(&bytes))
            .or_else(|_| {
                let mut bytes = vec![0; to - from];
                File::open(format!("/proc/{}/mem", scene.sleeper))?
                    .read_exact_at(&mut bytes, from as u64)?;
                secret_in(&bytes)
            })
    }),
    attempt("take a descriptor of a process outside", Processes, Always, |scene| {
        let process = calls::owned(call(libc::SYS_pidfd_open, &[scene.sleeper.into(), 0])?);
        call(libc::SYS_pidfd_getfd, &[process.as_raw_fd().into(), 1, 0]).map(drop)
    }),
    attempt("stop the supervisor", Cleanup, Untried, |_| {
        let _ = calls::kill(calls::parent(), libc::SIGSTOP);
        let _ = calls::kill(1, libc::SIGSTOP);
        Err(failed("whether it stopped is seen outside"))
    }),
    attempt("kill the supervisor and stay", Cleanup, Untried, |_| {
        let _ = calls::kill(calls::parent(), libc::SIGKILL);
        leave_behind(30)?;
        Err(failed("who stayed is seen outside"))
    })
    .shows(is_left_behind),
    attempt("trace the supervisor", Processes, Untried, |_| {
        call(libc::SYS_ptrace, &[libc::PTRACE_SEIZE.into(), calls::parent().into(), 0, 0]).map(drop)
    }),
    attempt("speak to the caller in the supervisor's name", Cleanup, Untried, |_| {
        any([1, calls::parent()], |pid| {
            let process = calls::owned(call(libc::SYS_pidfd_open, &[pid.into(), 0])?);
            any(0..16, |number| {
                call(libc::SYS_pidfd_getfd, &[process.as_raw_fd().into(), number, 0]).map(drop)
            })
        })
    }),
    // Objects of programs outside.
    attempt("read shared memory of programs outside", Ipc, Always, |scene| {
        secret_in(&calls::read_shared(scene.shared, SECRET.len())?)
    }),
    attempt("take the user's keys", Syscalls, Untried, |_| {
        // KEYCTL_GET_KEYRING_ID of the session
        call(libc::SYS_keyctl, &[0, -3, 1]).map(drop)
    }),
    attempt("add a key", Syscalls, Untried, |_| {
        let (kind, name) = (c(Path::new("user")), c(Path::new("portcullis-test")));
        got_through(call(libc::SYS_add_key, &[text(&kind), text(&name), pointer(b"x"), 1, -1]))
    }),
    // The environment.
    attempt("read a variable that was not passed on", Files, Always, |_| {
        any(std::env::vars(), |(_, value)| secret_in(value.as_bytes()))
    }),
    // System calls.
    attempt("make namespaces", Syscalls, Untried, |_| {
        any(NEW_NAMESPACES, |flag| call(libc::SYS_unshare, &[flag.into()]).map(drop))
    }),
    attempt("make namespaces with a child", Syscalls, Untried, |_| {
        any(NEW_NAMESPACES, |flag| {
            let child = call(libc::SYS_clone, &[i64::from(flag | libc::SIGCHLD), 0, 0, 0, 0])?;
            if child == 0 {
                std::process::exit(0);
            }
            Ok(())
        })
    }),
    attempt("make namespaces with a child, by the newer call", Syscalls, Untried, |_| {
        let mut arguments = [0_u64; 11];
        arguments[0] = u64::from(libc::CLONE_NEWUSER.cast_unsigned());
        arguments[4] = u64::from(libc::SIGCHLD.cast_unsigned());
        let child = call(libc::SYS_clone3, &[pointer(&arguments), 88])?;
        if child == 0 {
            std::process::exit(0);
        }
        Ok(())
    }),
    attempt("join namespaces", Syscalls, Untried, |_| {
        any([1, calls::parent()], |pid| {
            any(["mnt", "user", "net", "pid"], |kind| {
                let space = File::open(format!("/proc/{pid}/ns/{kind}"))?;
                call(libc::SYS_setns, &[space.as_raw_fd().into(), 0]).map(drop)
            })
        })
    }),
    attempt("use rings", Syscalls, Untried, |_| {
        let room = [0_u64; 32];
        got_through(call(libc::SYS_io_uring_setup, &[4, pointer(&room)]))
    }),
    attempt("load a program into the kernel", Syscalls, Untried, |_| {
        let room = [0_u64; 16];
        got_through(call(libc::SYS_bpf, &[0, pointer(&room), 16]))
    }),
    attempt("count events of the processor", Syscalls, Untried, |_| {
        let room = [0_u64; 16];
        got_through(call(libc::SYS_perf_event_open, &[pointer(&room), 0, -1, -1, 0]))
    }),
    attempt("handle faults of memory", Syscalls, Untried, |_| {
        got_through(call(libc::SYS_userfaultfd, &[1]))
    }),
    attempt("load a module", Syscalls, Untried, |_| {
        got_through(call(libc::SYS_finit_module, &[-1, text(&c(Path::new(""))), 0]))
    }),
    attempt("load another kernel", Syscalls, Untried, |_| {
        got_through(call(libc::SYS_kexec_load, &[0, 0, 0, 0]))
    }),
    attempt("restart the machine", Syscalls, Untried, |_| {
        got_through(call(libc::SYS_reboot, &[0, 0, 0]))
    }),
    attempt("set the clock", Syscalls, Untried, |_| {
        got_through(call(libc::SYS_clock_settime, &[0, 0]))
    }),
    attempt("rename the machine", Syscalls, Untried, |_| {
        got_through(call(libc::SYS_sethostname, &[0, 0]))
    }),
    attempt("read the kernel's messages", Syscalls, Untried, |_| {
        got_through(call(libc::SYS_syslog, &[10, 0, 0]))
    }),
    attempt("watch the files of everybody", Syscalls, Untried, |_| {
        got_through(call(libc::SYS_fanotify_init, &[0, 0]))
    }),
    attempt("set segments of memory", Syscalls, Untried, |_| {
        #[cfg(target_arch = "x86_64")]
        return got_through(call(libc::SYS_modify_ldt, &[0, 0, 0]));
        #[cfg(not(target_arch = "x86_64"))]
        got_through(call(libc::SYS_reboot, &[0, 0, 0]))
    }),
    attempt("use the second table of calls", Syscalls, Untried, |_| {
        const SECOND_TABLE: i64 = 0x4000_0000;
        got_through(call(SECOND_TABLE | libc::SYS_getpid, &[]))
    }),
    attempt("use the calls of older programs", Syscalls, Untried, |_| {
        #[cfg(target_arch = "x86_64")]
        if calls::old_number() > 0 {
            return Ok(());
        }
        Err(failed("they are not there"))
    }),
    attempt("type into the terminal", Syscalls, Untried, |_| {
        got_through(call(libc::SYS_ioctl, &[9, libc::TIOCSTI as i64, pointer(b"x")]))
    })
    .launched(with_terminal),
    attempt("type into the terminal, with higher bits", Syscalls, Untried, |_| {
        got_through(call(libc::SYS_ioctl, &[9, libc::TIOCSTI as i64 | 1 << 40, pointer(b"x")]))
    })
    .launched(with_terminal),
    attempt("paste into the terminal", Syscalls, Untried, |_| {
        got_through(call(libc::SYS_ioctl, &[9, 0x541c, pointer(b"\x03")]))
    })
    .launched(with_terminal),
    // Privileges.
    attempt("keep a capability", Privileges, ForRoot, |_| {
        let status = fs::read_to_string("/proc/self/status")?;
        // Who is not root cannot give up the last one, which bounds what could be gained, and cannot gain anything either.
        let is_counted = |line: &&str| {
            line.starts_with("Cap") && (calls::user() == 0 || !line.starts_with("CapBnd"))
        };
        let sets = status.lines().filter(is_counted);
        any(sets, |line| {
            let set = line.split_whitespace().nth(1).unwrap_or("0");
            if set.trim_start_matches('0').is_empty() {
                Err(failed("the set is empty"))
            } else {
                Ok(())
            }
        })
    }),
    attempt("become root by a program that may", Privileges, Untried, |scene| {
        // Root's scene has a copy of us that belongs to root and says so; others have what the system has.
        let own = scene.out("setuid");
        if own.exists() && calls::user() != 0 {
            let said = Command::new(own).arg("who").output()?;
            return if said.stdout == b"0" { Ok(()) } else { Err(failed("it is somebody else")) };
        }
        let status = fs::read_to_string("/proc/self/status")?;
        if status.contains("NoNewPrivs:\t1") {
            Err(failed("privileges cannot be gained"))
        } else {
            Ok(())
        }
    }),
    attempt("become another user", Privileges, ForRoot, |_| {
        call(libc::SYS_setresuid, &[12_345, 12_345, 12_345]).map(drop)
    }),
    attempt("give a file away", Privileges, ForRoot, |scene| {
        call(libc::SYS_chown, &[text(&c(&scene.ws("src/file"))), 12_345, 12_345]).map(drop)
    }),
    attempt("read what only others may", Privileges, ForRoot, |scene| {
        let path = scene.ws("src/file");
        fs::set_permissions(&path, Permissions::from_mode(0o000))?;
        File::open(path).map(drop)
    }),
    attempt("raise a limit", Limit, Untried, |_| {
        let more = libc::rlimit { rlim_cur: 100_000, rlim_max: 100_000 };
        call(libc::SYS_prlimit64, &[0, libc::RLIMIT_NOFILE.into(), pointer(&more), 0]).map(drop)
    })
    .launched(|_, launch| limited(launch, Limits { open_files: Some(64), ..Limits::default() })),
    // Limits.
    attempt("make more processes than may be", Limit, Always, |_| {
        let mut made = 0;
        for _ in 0..200 {
            match calls::fork() {
                Ok(0) => {
                    calls::die_with_parent();
                    std::thread::sleep(Duration::from_secs(20));
                    std::process::exit(0);
                }
                Ok(_) => made += 1,
                Err(_) => break,
            }
        }
        // Where they are counted from outside, that may take a moment on a busy machine.
        std::thread::sleep(Duration::from_secs(if made > 40 { 4 } else { 0 }));
        if made > 40 { Ok(()) } else { Err(failed("there were not so many")) }
    })
    .launched(|_, launch| limited(launch, Limits { processes: Some(20), ..Limits::default() })),
    attempt("write a file that is too long", Limit, Always, |scene| {
        let mut file = File::create(scene.ws("long"))?;
        for _ in 0..40 {
            file.write_all(&[b'x'; 100_000])?;
        }
        Ok(())
    })
    .shows(|scene| fs::metadata(scene.ws("long")).is_ok_and(|found| found.len() > 1_000_000))
    .launched(|_, launch| {
        limited(launch, Limits { file_size: Some(1_000_000), ..Limits::default() })
    }),
    attempt("use more memory than all may together", Limit, Untried, |_| {
        // Each of them takes less than one may, and all of them more than all may.
        let mut children = Vec::new();
        for _ in 0..8 {
            match calls::fork()? {
                0 => {
                    let held = vec![1_u8; 32 << 20];
                    std::thread::sleep(Duration::from_secs(2));
                    std::process::exit(i32::from(held.iter().any(|byte| *byte != 1)));
                }
                child => children.push(child),
            }
        }
        let ended = children.into_iter().filter(|child| calls::ended_well(*child)).count();
        if ended == 8 { Ok(()) } else { Err(failed("somebody was ended")) }
    })
    .launched(|_, launch| {
        let mut limits = Limits { memory: Some(128 << 20), ..Limits::default() };
        launch.limits = limits.clone();
        // Where there can be no group the run is refused, which a promise below holds to.
        if portcullis_sandbox::probe(launch).is_ok_and(|report| !report.holds(Limit)) {
            limits.memory = None;
            launch.limits = limits;
            launch.arguments = vec!["attack".into(), "open a disk".into()];
        }
    }),
    attempt("take more memory than may be", Limit, Always, |_| calls::map(4 << 30)).launched(
        |_, launch| limited(launch, Limits { address_space: Some(1 << 30), ..Limits::default() }),
    ),
    attempt("open more files than may be", Limit, Always, |_| {
        let files: io::Result<Vec<File>> = (0..100).map(|_| File::open("/dev/null")).collect();
        files.map(drop)
    })
    .launched(|_, launch| limited(launch, Limits { open_files: Some(50), ..Limits::default() })),
    attempt("leave a core behind", Limit, Untried, |_| {
        let limits = fs::read_to_string("/proc/self/limits")?;
        let core = limits.lines().find(|line| line.starts_with("Max core")).unwrap_or("");
        if core.split_whitespace().nth(4) == Some("0") {
            Err(failed("there is none"))
        } else {
            Ok(())
        }
    }),
    // Cleanup.
    attempt("outlive the run", Cleanup, Always, |_| {
        leave_behind(30)?;
        Err(failed("who stayed is seen outside"))
    })
    .shows(is_left_behind),
    attempt("outlive the time", Cleanup, Untried, |_| {
        leave_behind(30)?;
        std::thread::sleep(Duration::from_secs(20));
        Ok(())
    })
    .shows(is_left_behind)
    .launched(|_, launch| {
        limited(launch, Limits { wall: Some(Duration::from_millis(900)), ..Limits::default() })
    }),
    attempt("fork faster than one is killed", Cleanup, Untried, |_| {
        for _ in 0..8 {
            if calls::fork()? == 0 {
                let begun = std::time::Instant::now();
                // The parent goes away at once; whoever looks for it finds somebody else.
                while begun.elapsed() < Duration::from_millis(700) {
                    if calls::fork().is_ok_and(|child| child != 0) {
                        std::process::exit(0);
                    }
                }
                let _ = leave_behind(30);
                std::process::exit(0);
            }
        }
        Err(failed("who stayed is seen outside"))
    })
    .shows(is_left_behind),
    attempt("plant a hook by a shell", Protected, ForUsers, |scene| {
        sh(&format!("cd '{}' && echo touched > .git/hooks/post-checkout", scene.ws("").display()))
    })
    .shows(control_changed),
];

fn with_terminal(scene: &mut Scene, launch: &mut Launch) {
    let Some((slave, master)) = calls::terminal() else { return };
    launch.descriptors.push(portcullis_sandbox::Kept { descriptor: slave, number: 9 });
    scene.outside.as_mut().unwrap().leaked.push(master);
}

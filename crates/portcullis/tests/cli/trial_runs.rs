//! Programs that are tried and taken over, held against the same programs run on a copy: afterwards both have the same files. The programs are
//! put together from the steps below by numbers from a fixed seed; `PORTCULLIS_TRIALS` says how many.

use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink},
    path::{Path, PathBuf},
    process::Command,
};

use sha2::{Digest as _, Sha256};

use crate::Place;

/// How many programs are compared where nobody says it.
const USUAL: u32 = 30;

/// What programs do to files. Each may fail, in both places alike.
const STEPS: &[&str] = &[
    "echo more >> text",
    "printf changed > text",
    ": > text",
    "rm -f text",
    "rm -rf folder",
    "rm -rf folder && mkdir folder && echo new > folder/other",
    "mv folder moved",
    "mv text folder/text",
    "mv folder/one folder/renamed",
    "cp -r folder copied",
    "cp -a folder preserved",
    "mkdir -p a/b/c/d",
    "mkdir empty-too",
    "rmdir empty",
    "mkdir -m 700 private && echo x > private/x",
    "mkdir -p locked && echo x > locked/x && chmod 500 locked",
    "ln -s nowhere dangling-too",
    "ln -sfn folder/sub link",
    "rm link",
    "rm dangling && echo file > dangling",
    "rm -f text && ln -s folder text",
    "rm -rf folder && echo file > folder",
    "rm -f text && mkdir text && echo x > text/x",
    "chmod 600 text",
    "chmod 755 script",
    "chmod -R go-rwx folder",
    "chmod 1777 empty",
    "touch -d '2001-02-03 04:05:06' text",
    "touch -d '2002-02-03 04:05:06' folder/one",
    "touch brand-new",
    "truncate -s 1M sparse-too",
    "truncate -s 3M sparse && printf end >> sparse",
    "dd if=/dev/zero of=zeros bs=1024 count=64 status=none",
    "seq 1 20000 > numbers",
    "seq 1 20000 | sort -r > folder/sorted",
    "sed -i 's/one/two/' folder/one",
    "tar cf all.tar folder && mkdir -p out && tar xf all.tar -C out",
    "find . -name 'o*' -type f -exec sh -c 'echo found >> \"$1\"' _ {} \\;",
    "find folder -type f -delete",
    "for i in 1 2 3 4 5 6 7 8 9; do echo $i > many-$i; done; rm -f many-5",
    "mkfifo pipe-too",
    "rm pipe",
    "mkdir -p x && cd x && echo deep > ../up && ln -s ../up here",
    "git init -q repository && cd repository && git -c user.name=a -c user.email=a@b.c commit -q --allow-empty -m x; rm -rf .git/hooks",
    "python3 -c \"import os; os.setxattr('text', 'user.made', b'1')\"",
    "python3 -c \"import os; os.removexattr('folder/one', 'user.kept')\"",
    "python3 -c \"open('script', 'r+').write('X')\"",
    "cat folder/one > text; cat text folder/one > both",
    "exec 3<>text; echo written >&3; exec 3>&-",
    "umask 077; echo quiet > quiet; mkdir quiet-folder",
    "cp --sparse=always sparse sparse-copy",
    "install -m 640 text installed",
    "split -b 100 script part-",
    "gzip -k script; gzip -dc script.gz > again",
    "mv text t && mv t text",
    "rm -rf folder/sub && mv empty folder/sub",
    "ln text hard; rm text",
    "mv other.txt text",
    "exit 0",
];

/// What a program does beside its workspace, where it is only tried; `$FENCE` is what must stay as it is.
const OUTWARD: &[&str] = &[
    "echo x >> $FENCE/text",
    "rm -rf $FENCE",
    "chmod -R 777 $FENCE",
    "touch -d 2001-01-01 $FENCE/script",
    "mv $FENCE/folder $FENCE/moved",
    "ln -f $FENCE/text $FENCE/second",
    "ln -sfn /etc $FENCE/link",
    "cp -r $FENCE ./taken && rm -rf ./taken; rm -rf $FENCE/folder",
    "truncate -s 0 $FENCE/folder/one",
    "find $FENCE -type f -exec sh -c 'echo x > \"$1\"' _ {} \\;",
    "python3 -c \"import os; os.removexattr('$FENCE/folder/one', 'user.kept')\"",
    "mkfifo $FENCE/made; mkdir $FENCE/new",
];

/// Everything of what lies below, by which any change would show: content and attributes hashed whole, owners, rights, times, numbers.
fn whole(root: &Path) -> String {
    fn walk(path: &Path, text: &mut Sha256) {
        let meta = fs::symlink_metadata(path).unwrap();
        let line = format!(
            "{} {} {} {} {} {} {}.{} {}.{}\n",
            path.display(),
            meta.mode(),
            meta.uid(),
            meta.gid(),
            meta.ino(),
            meta.nlink(),
            meta.mtime(),
            meta.mtime_nsec(),
            meta.ctime(),
            meta.ctime_nsec()
        );
        text.update(line);
        if meta.is_symlink() {
            text.update(fs::read_link(path).unwrap().as_os_str().as_encoded_bytes());
        } else if meta.is_file() {
            text.update(fs::read(path).unwrap());
            let mut value = [0; 64];
            let length = rustix::fs::lgetxattr(path, "user.kept", &mut value).unwrap_or(0);
            text.update(value.get(..length).unwrap());
        } else if meta.is_dir() {
            let mut below: Vec<_> =
                fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()).collect();
            below.sort();
            for path in below {
                walk(&path, text);
            }
        }
    }
    let mut text = Sha256::new();
    walk(root, &mut text);
    data_encoding::HEXLOWER.encode(&text.finalize())
}

/// Numbers that are always the same.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self, below: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % below
    }
}

fn made(root: &Path) {
    for folder in ["folder/sub/deeper", "empty"] {
        fs::create_dir_all(root.join(folder)).unwrap();
    }
    for (path, text) in [
        ("text", "one\ntwo\nthree\n"),
        ("script", "#!/bin/sh\necho hello\n"),
        ("folder/one", "one\n"),
        ("folder/two", "two\n"),
        ("folder/sub/three", "three\n"),
        ("folder/sub/deeper/four", "four\n"),
        ("other.txt", "other\n"),
    ] {
        fs::write(root.join(path), text).unwrap();
    }
    symlink("folder", root.join("link")).unwrap();
    symlink("missing", root.join("dangling")).unwrap();
    fs::File::create(root.join("sparse")).unwrap().set_len(2 << 20).unwrap();
    fs::set_permissions(root.join("folder/two"), fs::Permissions::from_mode(0o400)).unwrap();
    let _ = rustix::fs::setxattr(
        root.join("folder/one"),
        "user.kept",
        b"yes",
        rustix::fs::XattrFlags::empty(),
    );
    assert!(Command::new("mkfifo").arg(root.join("pipe")).status().unwrap().success());
}

/// Everything that counts of what lies below. Times count where a program set them.
fn tree(root: &Path) -> BTreeMap<PathBuf, String> {
    fn walk(root: &Path, path: &Path, found: &mut BTreeMap<PathBuf, String>) {
        for entry in fs::read_dir(path).unwrap() {
            let path = entry.unwrap().path();
            let meta = fs::symlink_metadata(&path).unwrap();
            let mut text = format!("{}:{}", meta.uid(), meta.gid());
            if !meta.is_symlink() {
                text.push_str(&format!(" {:o}", meta.mode()));
            }
            if meta.is_symlink() {
                text.push_str(&format!(" -> {}", fs::read_link(&path).unwrap().display()));
            } else if meta.is_file() {
                let content = fs::read(&path).unwrap();
                let content = String::from_utf8_lossy(&content);
                // Git and gzip write times and random names into what they make.
                let is_dated = path.components().any(|part| part.as_os_str() == ".git")
                    || path.extension().is_some_and(|end| end == "gz" || end == "tar");
                if !is_dated {
                    text.push_str(&format!(" {}", content.chars().take(3_000).collect::<String>()));
                    text.push_str(&format!(" {}", meta.len()));
                }
                if meta.len() > 1 << 20 {
                    text.push_str(if meta.blocks() * 512 < meta.len() / 2 {
                        " holes"
                    } else {
                        " full"
                    });
                }
                let mut value = [0; 16];
                for name in ["user.kept", "user.made"] {
                    if let Ok(length) = rustix::fs::lgetxattr(&path, name, &mut value) {
                        text.push_str(&format!(" {name}={:?}", value.get(..length)));
                    }
                }
            }
            if meta.is_file() && meta.mtime() < 1_500_000_000 {
                text.push_str(&format!(" at {}", meta.mtime()));
            }
            let relative = path.strip_prefix(root).unwrap().to_owned();
            let is_random = relative.to_string_lossy().contains(".git/objects/");
            if !is_random {
                found.insert(relative, text);
            }
            if meta.is_dir() {
                walk(root, &path, found);
            }
        }
    }
    let mut found = BTreeMap::new();
    walk(root, root, &mut found);
    found
}

#[test]
fn what_is_tried_and_taken_over_is_what_a_run_would_have_left() {
    let state = tempfile::TempDir::new().unwrap();
    let place = Place::new()
        .with("PATH", "/usr/local/bin:/usr/bin:/bin")
        .with("TZ", "UTC")
        .with("PORTCULLIS_STATE_DIR", state.path().join("own").to_str().unwrap());
    let home = place.home.path().canonicalize().unwrap();
    let count = std::env::var("PORTCULLIS_TRIALS").ok().and_then(|text| text.parse().ok());
    let count: u32 = count.unwrap_or(USUAL);
    // What is compared is what happens to files, not what the policy asks about.
    let settings = home.join(".config/portcullis");
    fs::create_dir_all(&settings).unwrap();
    fs::write(
        settings.join("config.toml"),
        "mode = \"bypassPermissions\"\nconfirmation = \"auto_approve\"\n",
    )
    .unwrap();
    // One lies where a trial has a layer, the other where it may change nothing.
    let elsewhere = tempfile::TempDir::new_in("/var/tmp").unwrap();
    let fences = [home.join("fence"), elsewhere.path().join("fence")];
    for fence in &fences {
        fs::create_dir(fence).unwrap();
        made(fence);
    }
    let fenced = fences.each_ref().map(|fence| whole(fence));
    let mut numbers = Numbers(20_261_127);
    let mut failed = Vec::new();
    for number in 0..count {
        // Each step alone first, then some together.
        let own = STEPS.get(usize::try_from(number).unwrap()).map(|step| vec![*step]);
        let steps = own.unwrap_or_else(|| {
            let length = 2 + numbers.next(4);
            (0..length).map(|_| STEPS[numbers.next(STEPS.len())]).collect()
        });
        let script: Vec<String> = steps.iter().map(|step| format!("({step})")).collect();
        let script = script.join("\n");
        let (tried, run) = (home.join("tried"), home.join("run"));
        for root in [&tried, &run] {
            fs::create_dir(root).unwrap();
            made(root);
        }
        let before = tree(&tried);
        let script = format!("{script}\ntrue");
        let mut command = Command::new("/bin/sh");
        command
            .args(["-c", &script])
            .current_dir(&run)
            .env_clear()
            .env("PATH", "/usr/local/bin:/usr/bin:/bin");
        command.env("TZ", "UTC").env("HOME", &home).stderr(std::process::Stdio::null());
        assert!(command.stdin(std::process::Stdio::null()).status().unwrap().success());
        let workspace = tried.to_str().unwrap();
        let outward: String = fences
            .iter()
            .enumerate()
            .map(|(at, fence)| {
                let step = OUTWARD[(usize::try_from(number).unwrap() + at) % OUTWARD.len()];
                format!("(FENCE='{}'; {step}) 2>/dev/null >&2\n", fence.display())
            })
            .collect();
        let script = format!("{outward}{script}");
        let words =
            ["try", "--network", "off", "--workspace", workspace, "--", "sh", "-c", &script];
        let ended = place.run(words);
        if number == 0 && ended.code == 126 {
            let words = format!("skipped: {}\n", ended.page());
            return std::io::Write::write_all(&mut std::io::stderr(), words.as_bytes()).unwrap();
        }
        if tree(&tried) != before {
            failed.push(format!("{script}\nchanged the files before it was taken over"));
        }
        assert_eq!(fences.each_ref().map(|fence| whole(fence)), fenced, "a trial of {script}");
        // Of what it did, the workspace alone; a program that changed nothing there has nothing to take over.
        let mut taken = place.run(["try", "--trial", "last", "--commit", workspace]);
        let is_unchanged = taken.code != 0 && tree(&run) == before;
        if is_unchanged {
            taken.code = 0;
        }
        let _ = place.run(["try", "--trial", "last", "--discard"]);
        let (left, right) = (tree(&tried), tree(&run));
        if taken.code != 0 || left != right {
            let differs = |one: &BTreeMap<PathBuf, String>, other: &BTreeMap<PathBuf, String>| {
                one.iter()
                    .filter(|(path, text)| other.get(*path) != Some(text))
                    .map(|(path, text)| format!("{} {text:.200}", path.display()))
                    .collect::<Vec<_>>()
            };
            failed.push(format!(
                "{script}\n{}\n{}\ntried: {:#?}\nrun: {:#?}",
                ended.page(),
                taken.page(),
                differs(&left, &right),
                differs(&right, &left)
            ));
        }
        for root in [&tried, &run] {
            Command::new("chmod").args(["-R", "u+rwx"]).arg(root).status().unwrap();
            fs::remove_dir_all(root).unwrap();
        }
        assert_eq!(fences.each_ref().map(|fence| whole(fence)), fenced, "taking over {script}");
    }
    assert!(failed.is_empty(), "{} of {count}:\n{}", failed.len(), failed.join("\n\n"));
}

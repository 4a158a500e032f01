//! Files made to break us, and what is said about them.

use std::{
    fs,
    io::{self, Write as _},
    path::Path,
};

use tempfile::TempDir;

use super::*;

fn token(number: u32) -> String {
    format!("ghp_{}{number:04}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6")
}

fn scanned(root: &Path, options: &Options) -> Report {
    let mut report = paths(&[root.to_owned()], options, &Progress::default());
    let base = format!("{}/", root.display());
    for found in &mut report.findings {
        found.path = found.path.replacen(&base, "", 1);
    }
    for left_out in &mut report.left_out {
        left_out.path = left_out.path.replacen(&base, "", 1);
    }
    report
}

fn places(report: &Report) -> Vec<String> {
    let place =
        |found: &Found| format!("{}:{}:{}", found.path, found.finding.line, found.finding.column);
    report.findings.iter().map(place).collect()
}

fn reasons(report: &Report) -> Vec<String> {
    let reason = |left_out: &LeftOut| format!("{}: {}", left_out.path, left_out.reason.name());
    report.left_out.iter().map(reason).collect()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn trees_are_walked_with_hidden_files_and_what_git_ignores() {
    let place = TempDir::new().unwrap();
    let root = place.path();
    fs::create_dir_all(root.join(".git/objects/ab")).unwrap();
    fs::create_dir_all(root.join("a/b")).unwrap();
    fs::write(root.join(".gitignore"), "ignored\n").unwrap();
    fs::write(root.join(".git/config"), format!("t = {}\n", token(1))).unwrap();
    fs::write(root.join(".git/objects/ab/cd"), token(2)).unwrap();
    fs::write(root.join("a/b/.env"), format!("x\ny {}", token(3))).unwrap();
    fs::write(root.join("ignored"), token(4)).unwrap();
    let report = scanned(root, &Options::default());
    assert_eq!(places(&report), [".git/config:1:5", "a/b/.env:2:3", "ignored:1:1"]);
    let report = scanned(root, &Options { gitignore: true, ..Options::default() });
    assert_eq!(places(&report), [".git/config:1:5", "a/b/.env:2:3"]);
}

#[test]
fn what_is_allowed_or_left_out_is_counted_and_can_be_insisted_on() {
    let place = TempDir::new().unwrap();
    let root = place.path();
    fs::create_dir(root.join("vendor")).unwrap();
    fs::write(root.join(".portcullisignore"), "vendor/\n*.log\n!kept.log\n").unwrap();
    for file in ["vendor/a", "b.log", "kept.log", "c.txt", "d.txt"] {
        fs::write(root.join(file), token(5)).unwrap();
    }
    fs::write(root.join("e"), format!("x = {} # portcullis:allow\ny = {}\n", token(6), token(7)))
        .unwrap();
    let options = Options { exclude: vec!["d.*".to_owned()], ..Options::default() };
    let report = scanned(root, &options);
    assert_eq!(places(&report), ["c.txt:1:1", "e:2:5", "kept.log:1:1"]);
    assert_eq!(reasons(&report), ["b.log: excluded", "d.txt: excluded", "vendor: excluded"]);
    assert_eq!((report.allowed, report.has_gaps()), (1, false));
    let strict = Options { allowances: false, ..options };
    assert_eq!(scanned(root, &strict).findings.len(), 6);
}

#[test]
fn a_named_file_is_left_out_by_a_folder_above_it() {
    let (exclusions, problems) = allow::Exclusions::new(&[], &["vendor/".to_owned()], false);
    assert!(problems.is_empty());
    assert!(exclusions.leave_out(Path::new("./vendor/deep/file"), false));
    assert!(!exclusions.leave_out(Path::new("src/vendor"), false));
    assert!(!exclusions.leave_out(Path::new("../../../vendor/x"), false));
}

#[test]
fn archives_in_archives_are_read() {
    let place = TempDir::new().unwrap();
    let root = place.path();
    let inner = zip::archive(&[("deep.txt", 8, format!("\n\nk {}", token(1)).as_bytes())]);
    let outer = zip::archive(&[
        ("in.zip", 0, &inner),
        ("b/c", 8, token(2).as_bytes()),
        ("bin", 0, b"\0\x01"),
    ]);
    fs::write(root.join("a.zip"), &outer).unwrap();
    fs::write(root.join("log.gz"), gzip(token(3).as_bytes())).unwrap();
    fs::write(root.join("z.zip.gz"), gzip(&outer)).unwrap();
    fs::write(root.join("x.xz"), b"\xfd7zXZ\0rest").unwrap();
    fs::write(root.join("cut.gz"), &gzip(&[b'x'; 5000])[..20]).unwrap();
    let report = scanned(root, &Options::default());
    assert_eq!(
        places(&report),
        [
            "a.zip!/b/c:1:1",
            "a.zip!/in.zip!/deep.txt:3:3",
            "log.gz:1:1",
            "z.zip.gz!/b/c:1:1",
            "z.zip.gz!/in.zip!/deep.txt:3:3"
        ]
    );
    assert_eq!(
        reasons(&report),
        ["a.zip!/bin: binary", "cut.gz: broken-archive", "x.xz: packed", "z.zip.gz!/bin: binary"]
    );
    let without = scanned(root, &Options { unpacked: 0, ..Options::default() });
    assert!(without.findings.is_empty());
    assert!(reasons(&without).contains(&"a.zip: archive".to_owned()));
}

#[test]
fn a_bomb_is_read_up_to_the_budget_and_said_to_be_one() {
    let place = TempDir::new().unwrap();
    let root = place.path();
    let mut plain = token(1).into_bytes();
    plain.resize(8 << 20, b'\n');
    let mut deep = plain.clone();
    for _ in 0..7 {
        deep = gzip(&deep);
    }
    fs::write(root.join("bomb.gz"), gzip(&plain)).unwrap();
    fs::write(
        root.join("bomb.zip"),
        zip::archive(&[("a", 8, &plain), ("b", 0, token(2).as_bytes())]),
    )
    .unwrap();
    fs::write(root.join("deep.gz"), deep).unwrap();
    let report = scanned(root, &Options { unpacked: 1 << 20, ..Options::default() });
    assert_eq!(places(&report), ["bomb.gz:1:1", "bomb.zip!/a:1:1"]);
    assert!(report.has_gaps());
    assert_eq!(
        reasons(&report),
        ["bomb.gz: budget", "bomb.zip: budget", "bomb.zip!/a: budget", "deep.gz: deep"]
    );
}

#[test]
fn utf_16_is_read_in_both_orders_and_with_or_without_a_mark() {
    let place = TempDir::new().unwrap();
    let root = place.path();
    let text = format!("; ein Schlüssel\r\nkey = {}\r\n", token(1));
    let marked = format!("\u{feff}{text}");
    let little: Vec<u8> = marked.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
    fs::write(root.join("little.ini"), little).unwrap();
    fs::write(root.join("big.ini"), big).unwrap();
    fs::write(root.join("program"), b"\x7fELF\x02\x01\x01\0\0\0").unwrap();
    let report = scanned(root, &Options::default());
    assert_eq!(places(&report), ["big.ini:2:7", "little.ini:2:7"]);
    assert_eq!(reasons(&report), ["program: binary"]);
}

#[test]
fn a_file_of_one_long_line_is_read_whole_by_one_thread_or_many() {
    let place = TempDir::new().unwrap();
    let path = place.path().join("line");
    let mut file = io::BufWriter::new(fs::File::create(&path).unwrap());
    let filler = "lorem ipsum é ".repeat(1 << 16);
    for number in 0..20 {
        write!(file, "{filler} {} ", token(number)).unwrap();
    }
    write!(file, "\nend {}\n", token(99)).unwrap();
    drop(file);
    let many = scanned(place.path(), &Options { threads: 3, ..Options::default() });
    let one = scanned(place.path(), &Options { threads: 1, ..Options::default() });
    assert_eq!(one.findings.len(), 21);
    assert_eq!(one, many);
    let column = |index: usize| one.findings.get(index).map(|found| found.finding.column);
    let step = filler.chars().count() + 1 + token(0).len() + 1;
    assert_eq!(column(0), Some(step - token(0).len()));
    assert_eq!(column(19), Some(20 * step - token(0).len()));
    assert_eq!(places(&one).last().map(String::as_str), Some("line:2:5"));
}

#[cfg(unix)]
#[test]
fn files_that_change_while_they_are_read_harm_nothing_else() {
    use std::sync::atomic::{AtomicBool, Ordering};
    let place = TempDir::new().unwrap();
    let root = place.path();
    fs::write(root.join("kept"), token(1)).unwrap();
    let ends = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let text = "a line with nothing in it\n".repeat(1 << 14);
            let other = root.join("other");
            while !ends.load(Ordering::Relaxed) {
                // It grows, shrinks, and becomes a folder, a link and a pipe.
                fs::write(&other, &text).unwrap();
                fs::File::options().write(true).open(&other).unwrap().set_len(100).unwrap();
                fs::remove_file(&other).unwrap();
                fs::create_dir(&other).unwrap();
                fs::remove_dir(&other).unwrap();
                std::os::unix::fs::symlink("/dev/zero", &other).unwrap();
                fs::remove_file(&other).unwrap();
                pipe(&other);
                fs::remove_file(&other).unwrap();
            }
        });
        for _ in 0..200 {
            let report = scanned(root, &Options::default());
            let kept: Vec<_> = places(&report);
            if kept != ["kept:1:1"] {
                ends.store(true, Ordering::Relaxed);
                assert_eq!(kept, ["kept:1:1"], "{report:?}");
            }
        }
        ends.store(true, Ordering::Relaxed);
    });
}

#[cfg(unix)]
#[test]
fn links_pipes_and_closed_folders_are_said_and_nothing_hangs() {
    use std::os::unix::{fs::PermissionsExt as _, fs::symlink, net::UnixListener};
    let place = TempDir::new().unwrap();
    let root = place.path();
    symlink(".", root.join("again")).unwrap();
    symlink("b", root.join("a")).unwrap();
    symlink("a", root.join("b")).unwrap();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        root.join("pipe"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::from_raw_mode(0o600),
        0,
    )
    .unwrap();
    let _socket = UnixListener::bind(root.join("socket")).unwrap();
    fs::create_dir(root.join("closed")).unwrap();
    fs::write(root.join("closed/x"), token(1)).unwrap();
    fs::write(root.join("secret"), token(2)).unwrap();
    fs::write(root.join("open"), token(3)).unwrap();
    fs::set_permissions(root.join("closed"), fs::Permissions::from_mode(0o0)).unwrap();
    fs::set_permissions(root.join("secret"), fs::Permissions::from_mode(0o0)).unwrap();
    let report = scanned(root, &Options::default());
    fs::set_permissions(root.join("closed"), fs::Permissions::from_mode(0o700)).unwrap();
    let said = reasons(&report);
    for expected in ["again: link", "a: link", "b: link", "pipe: special", "socket: special"] {
        assert!(said.iter().any(|reason| reason == expected), "{expected}: {said:?}");
    }
    // The superuser may read everything.
    if places(&report).len() == 1 {
        assert_eq!(places(&report), ["open:1:1"]);
        assert!(said.contains(&"secret: unreadable".to_owned()), "{said:?}");
        assert!(said.iter().any(|reason| reason.ends_with("closed: unreadable")), "{said:?}");
        assert!(report.has_gaps());
    } else {
        assert_eq!(places(&report).len(), 3, "{report:?}");
    }
}

#[cfg(unix)]
fn pipe(path: &Path) {
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    rustix::fs::mknodat(rustix::fs::CWD, path, rustix::fs::FileType::Fifo, mode, 0).unwrap();
}

#[cfg(unix)]
#[test]
fn a_pipe_that_is_named_is_a_gap_and_one_that_stands_for_a_list_is_not_waited_for() {
    let place = TempDir::new().unwrap();
    let root = place.path();
    pipe(&root.join("pipe"));
    let report = scanned(&root.join("pipe"), &Options::default());
    assert!(report.has_gaps(), "{report:?}");
    for list in [".gitignore", ".git/info/exclude"] {
        let folder = root.join("below/folder");
        fs::create_dir_all(folder.join(".git/info")).unwrap();
        fs::write(folder.join("a"), token(1)).unwrap();
        fs::write(root.join("below/b"), token(2)).unwrap();
        pipe(&folder.join(list));
        let options = Options { gitignore: true, ..Options::default() };
        let report = scanned(&root.join("below"), &options);
        assert_eq!(places(&report), ["b:1:1"], "{list}");
        assert_eq!(reasons(&report), ["folder: unreadable"], "{list}");
        assert!(report.has_gaps());
        // What stands above decides about what is below.
        let report = scanned(&folder.join("a"), &options);
        assert_eq!((places(&report).len(), report.has_gaps()), (0, true), "{list}");
        assert_eq!(places(&scanned(&root.join("below"), &Options::default())).len(), 2);
        fs::remove_dir_all(root.join("below")).unwrap();
    }
}

#[cfg(unix)]
#[test]
fn a_device_without_an_end_is_no_baseline_and_no_rules() {
    let device = Path::new("/dev/zero");
    assert!(gitleaks::load_file(device).is_err());
    assert!(baseline::Baseline::read(device).is_err());
}

/// Gives so many bytes, or an error behind them.
struct Endless {
    line: Vec<u8>,
    at: usize,
    left: u64,
    fails: bool,
}

impl Read for Endless {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.left == 0 {
            return if self.fails { Err(io::Error::other("it broke")) } else { Ok(0) };
        }
        let rest = self.line.get(self.at..).unwrap_or_default();
        let read =
            rest.len().min(buffer.len()).min(usize::try_from(self.left).unwrap_or(usize::MAX));
        buffer.iter_mut().zip(rest).for_each(|(to, from)| *to = *from);
        self.at = (self.at + read) % self.line.len();
        self.left -= read as u64;
        Ok(read)
    }
}

#[test]
fn a_file_full_of_secrets_is_listed_in_part_and_a_broken_one_as_far_as_it_goes() {
    let line = format!("{}\n", token(1)).into_bytes();
    let lines = 12_000;
    let left = lines * line.len() as u64;
    let mut input = Endless { line: line.clone(), at: 0, left, fails: false };
    let report = stream("it", &mut input, &Options::default(), &Progress::default());
    assert_eq!(report.findings.len() as u64, MOST_IN_ONE);
    assert_eq!(reasons(&report), ["it: many"]);
    let mut input = Endless { line, at: 0, left: 100, fails: true };
    let report = stream("it", &mut input, &Options::default(), &Progress::default());
    assert!(report.has_gaps());
    assert_eq!(reasons(&report), ["it: unreadable"]);
}

#[test]
fn a_baseline_knows_its_own_secrets_and_no_others() {
    let place = TempDir::new().unwrap();
    let root = place.path().join("tree");
    fs::create_dir(&root).unwrap();
    fs::write(root.join("a"), token(1)).unwrap();
    let file = place.path().join("known.json");
    let mut fresh = baseline::Baseline::new().unwrap();
    let salted = |salt: &[u8]| {
        let mut options = portcullis_core::secrets::Options::default();
        options.salt = salt.to_vec();
        Options { detector: Detector::new(options), ..Options::default() }
    };
    let report = scanned(&root, &salted(fresh.salt()));
    fresh.write(&file, &report).unwrap();
    let text = fs::read_to_string(&file).unwrap();
    assert!(!text.contains("a1B2"), "{text}");
    let known = baseline::Baseline::read(&file).unwrap();
    fs::write(root.join("a"), format!("moved\ndown {}\nnew {}", token(1), token(2))).unwrap();
    let mut report = scanned(&root, &salted(known.salt()));
    known.apply(&mut report);
    assert_eq!((places(&report), report.known), (vec!["a:3:5".to_owned()], 1));
    for (text, words) in [
        ("{}", "it is no baseline"),
        (r#"{"v":2,"salt":"","findings":[]}"#, "version 2"),
        (r#"{"v":1,"salt":"xx","findings":[]}"#, "salt"),
    ] {
        fs::write(&file, text).unwrap();
        let error = baseline::Baseline::read(&file).map(|_| ()).unwrap_err();
        assert!(error.to_string().contains(words), "{error}");
    }
}

//! Copies that are kept, changed by others.

use super::*;

/// How a person's own file was left.
fn text(kept: &Kept, path: &Path) -> Option<String> {
    match kept.before(path, Named::ByPlace).unwrap() {
        Before::Left(left) => Some(left.text),
        _ => None,
    }
}

#[test]
fn a_file_is_as_it_was_left_until_somebody_says_otherwise() {
    let state = tempfile::tempdir().unwrap();
    let (kept, path) = (Kept::new(state.path()), Path::new("/home/dev/c.toml"));
    assert_eq!(kept.before(path, Named::ByPlace).unwrap(), Before::First);
    kept.keep(path, Named::ByPlace, "a").unwrap();
    assert_eq!(text(&kept, path).as_deref(), Some("a"));
    kept.keep(path, Named::ByPlace, "b").unwrap();
    assert_eq!(text(&kept, path).as_deref(), Some("b"));
    // What it was stricter by is kept with it, until a person says how it is left.
    let stricter = vec!["x".to_owned(), String::new()];
    let left = Left { text: "b".to_owned(), stricter };
    kept.hold(path, Named::ByPlace, &left).unwrap();
    assert_eq!(kept.before(path, Named::ByPlace).unwrap(), Before::Left(left.clone()));
    let many = vec!["x".to_owned(); MOST_STRICTER + 1];
    kept.hold(path, Named::ByPlace, &Left { stricter: many, ..left }).unwrap();
    assert!(kept.before(path, Named::ByPlace).is_err(), "more than is believed");
    kept.keep(path, Named::ByPlace, "b").unwrap();
    assert_eq!(text(&kept, path).as_deref(), Some("b"));
    // One file has one copy, however it is spelled.
    let (folder, file) = (state.path().join("x"), state.path().join("x/c.toml"));
    fs::create_dir(&folder).unwrap();
    kept.keep(&file, Named::ByPlace, "c").unwrap();
    assert_eq!(text(&kept, &state.path().join("x/../x/./c.toml")).as_deref(), Some("c"));
}

#[cfg(unix)]
#[test]
fn a_directory_that_was_put_in_the_place_of_its_own_is_no_first_use() {
    let state = tempfile::tempdir().unwrap();
    let (kept, at) = (Kept::new(state.path()), |name: &str| state.path().join(name));
    fs::create_dir(at("c")).unwrap();
    kept.keep(&at("c/c.toml"), Named::ByPlace, "a").unwrap();
    fs::rename(at("c"), at("d")).unwrap();
    std::os::unix::fs::symlink(at("d"), at("c")).unwrap();
    assert_eq!(text(&kept, &at("c/c.toml")).as_deref(), Some("a"));
}

#[test]
fn a_copy_that_somebody_else_wrote_is_not_believed() {
    let state = tempfile::tempdir().unwrap();
    let (kept, path) = (Kept::new(state.path()), Path::new("/home/dev/c.toml"));
    kept.keep(path, Named::ByPlace, "a").unwrap();
    let copy = kept.file_of(path);
    let genuine = fs::read(&copy).unwrap();
    for forged in [&b"x"[..], b"", &[&genuine[..64], b"\n/home/dev/c.toml\0b"].concat()] {
        fs::write(&copy, forged).unwrap();
        assert!(kept.before(path, Named::ByPlace).is_err());
    }
    // That of another file does not pass for it.
    let other = Path::new("/home/dev/d.toml");
    kept.keep(other, Named::ByPlace, "b").unwrap();
    fs::copy(kept.file_of(other), &copy).unwrap();
    assert!(kept.before(path, Named::ByPlace).is_err());
}

#[test]
fn what_is_gone_is_not_what_never_was() {
    let state = tempfile::tempdir().unwrap();
    let (kept, path) = (Kept::new(state.path()), Path::new("/home/dev/c.toml"));
    kept.keep(path, Named::ByPlace, "a").unwrap();
    fs::remove_file(kept.file_of(path)).unwrap();
    assert!(kept.before(path, Named::ByPlace).is_err(), "its copy was removed");
    kept.keep(path, Named::ByPlace, "a").unwrap();
    fs::remove_file(kept.directory.join(FIRST)).unwrap();
    assert!(kept.before(Path::new("/home/dev/d.toml"), Named::ByPlace).is_err());
    fs::remove_dir_all(&kept.directory).unwrap();
    fs::write(&kept.directory, "").unwrap();
    assert!(kept.before(path, Named::ByPlace).is_err(), "a file stands in its place");
    // A key that is cut short is made anew once a person says so.
    fs::remove_file(&kept.directory).unwrap();
    kept.keep(path, Named::ByPlace, "a").unwrap();
    fs::write(kept.directory.join("key"), "x").unwrap();
    assert!(kept.before(path, Named::ByPlace).is_err());
    kept.keep(path, Named::ByPlace, "a").unwrap();
    assert!(kept.before(path, Named::ByPlace).is_ok());
}

#[test]
fn without_a_copy_any_trace_of_use_says_that_there_was_one() {
    let path = Path::new("/home/dev/c.toml");
    for trace in TRACES {
        let state = tempfile::tempdir().unwrap();
        let kept = Kept::new(state.path());
        fs::create_dir(state.path().join(trace)).unwrap();
        // A record that cannot be read, or is gone without its head, may have said anything.
        let is_record = matches!(*trace, "audit.db" | "head");
        let gone = match is_record {
            true => Before::Removed(Removed { sha256: None }),
            false => Before::Gone,
        };
        for named in [Named::ByPlace, Named::ByOption] {
            assert_eq!(kept.before(path, named).unwrap(), gone, "{trace}");
        }
        // A person says so, and then it is as for everybody.
        kept.keep(path, Named::ByPlace, "a").unwrap();
        assert_eq!(text(&kept, path).as_deref(), Some("a"), "{trace}");
        // All is gone but one.
        fs::remove_dir_all(state.path().join(DIRECTORY)).unwrap();
        assert_eq!(kept.before(path, Named::ByPlace).unwrap(), gone, "{trace}");
    }
}

#[test]
fn another_file_is_not_the_one_that_a_person_left() {
    let state = tempfile::tempdir().unwrap();
    let (kept, path) = (Kept::new(state.path()), Path::new("/home/dev/c.toml"));
    kept.keep(path, Named::ByPlace, "a").unwrap();
    let other = Path::new("/home/dev/else/c.toml");
    let left = Left { text: "a".to_owned(), stricter: Vec::new() };
    let held = Before::Another(path.to_owned(), left);
    assert_eq!(kept.before(other, Named::ByPlace).unwrap(), held);
    // One that an option names is what whoever named it wants, and for nobody else.
    assert_eq!(kept.before(other, Named::ByOption).unwrap(), Before::First);
    kept.keep(other, Named::ByOption, "b").unwrap();
    let named = Left { text: "b".to_owned(), stricter: Vec::new() };
    assert_eq!(kept.before(other, Named::ByOption).unwrap(), Before::Left(named));
    assert_eq!(kept.before(other, Named::ByPlace).unwrap(), held);
    // Its copy does not go by itself either.
    fs::remove_file(kept.file_of(other)).unwrap();
    assert!(kept.before(other, Named::ByOption).is_err());
    // Where a person says that the other one is theirs, both are.
    kept.keep(other, Named::ByPlace, "c").unwrap();
    assert_eq!(text(&kept, other).as_deref(), Some("c"));
    assert_eq!(text(&kept, path).as_deref(), Some("a"));
    assert!(matches!(
        kept.before(Path::new("/home/dev/x.toml"), Named::ByPlace).unwrap(),
        Before::Another(of, _) if of == other
    ));
}

#[test]
fn what_another_process_vouches_for_needs_the_same_key() {
    let state = tempfile::tempdir().unwrap();
    let kept = Kept::new(state.path());
    assert_eq!(kept.vouch("note", b"x"), None, "no key is made for it");
    assert!(!kept.directory.exists());
    kept.keep(Path::new("/home/dev/c.toml"), Named::ByPlace, "a").unwrap();
    let words = kept.vouch("note", b"x").unwrap();
    assert!(Kept::new(state.path()).is_vouched("note", b"x", &words));
    assert!(!kept.is_vouched("note", b"y", &words) && !kept.is_vouched("other", b"x", &words));
    assert!(!kept.is_vouched("note", b"x", ""));
}

#[test]
fn settings_of_an_agent_that_call_us_tell_of_use_where_all_else_is_gone() {
    let state = tempfile::tempdir().unwrap();
    let (gone, path) = (state.path().join("portcullis"), Path::new("/home/dev/c.toml"));
    assert_eq!(Kept::new(&gone).before(path, Named::ByPlace).unwrap(), Before::First);
    let kept = Kept::new(&gone).called(true);
    assert_eq!(kept.before(path, Named::ByPlace).unwrap(), Before::Gone);
    kept.keep(path, Named::ByPlace, "a").unwrap();
    assert_eq!(text(&kept, path).as_deref(), Some("a"));
}

#[test]
fn that_an_account_is_set_up_does_not_go_by_itself() {
    let state = tempfile::tempdir().unwrap();
    let (kept, path) = (Kept::new(state.path()), Path::new("/home/dev/c.toml"));
    kept.settle(true).unwrap();
    assert!(!kept.is_settled() && !kept.directory.exists(), "nothing was kept yet");
    kept.keep(path, Named::ByPlace, "a").unwrap();
    assert!(!kept.is_settled());
    kept.settle(true).unwrap();
    for other in ["/home/dev/d.toml", "/home/dev/c.toml"] {
        kept.keep(Path::new(other), Named::ByPlace, "a").unwrap();
        assert!(kept.is_settled());
    }
    assert_eq!(text(&kept, path).as_deref(), Some("a"));
    let list = kept.directory.join(FIRST);
    let genuine = fs::read(&list).unwrap();
    kept.settle(false).unwrap();
    assert!(!kept.is_settled());
    fs::write(&list, &genuine[..genuine.len() - 1]).unwrap();
    assert!(kept.is_settled());
    fs::remove_file(&list).unwrap();
    assert!(kept.is_settled() && kept.settle(false).is_err());
    fs::remove_file(kept.directory.join("key")).unwrap();
    assert!(kept.is_settled());
}

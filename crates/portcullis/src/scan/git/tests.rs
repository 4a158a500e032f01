//! Repositories made object by object, and what is new in them.

use std::fs;

use gix::objs::tree::{Entry, EntryKind};
use tempfile::TempDir;

use super::*;

fn token(number: u32) -> String {
    format!("ghp_{}{number:04}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6")
}

struct Made {
    place: TempDir,
    repository: Repository,
    time: u32,
}

impl Made {
    fn new() -> Self {
        let place = TempDir::new().unwrap();
        let repository = gix::init(place.path()).unwrap();
        Self { place, repository, time: 1_700_000_000 }
    }

    /// A tree with these files; one folder deep at most.
    fn tree(&self, files: &[(&str, &str)]) -> ObjectId {
        let mut folders: HashMap<&str, Vec<(&str, &str)>> = HashMap::new();
        let mut entries = Vec::new();
        for (name, text) in files {
            if let Some((folder, file)) = name.split_once('/') {
                folders.entry(folder).or_default().push((file, text));
                continue;
            }
            let oid = self.repository.write_blob(text).unwrap().detach();
            let mode = EntryKind::Blob.into();
            entries.push(Entry { mode, filename: (*name).into(), oid });
        }
        for (folder, files) in folders {
            let mode = EntryKind::Tree.into();
            entries.push(Entry { mode, filename: folder.into(), oid: self.tree(&files) });
        }
        entries.sort();
        self.repository.write_object(gix::objs::Tree { entries }).unwrap().detach()
    }

    fn commit(&mut self, branch: &str, parents: &[ObjectId], files: &[(&str, &str)]) -> ObjectId {
        self.time += 3600;
        let time = format!("{} +0130", self.time);
        let who = gix::actor::SignatureRef {
            name: "Ann Author".into(),
            email: "ann@example.com".into(),
            time: &time,
        };
        let tree = self.tree(files);
        let message = format!("Change {}\n", self.time);
        let parents = parents.iter().copied();
        self.repository.commit_as(who, who, branch, message, tree, parents).unwrap().detach()
    }

    fn stage(&self, files: &[(&str, &str)]) {
        let mut index = self.repository.index_from_tree(&self.tree(files)).unwrap();
        index.write(gix::index::write::Options::default()).unwrap();
    }

    fn report(&self, selection: &Selection) -> Report {
        history(self.place.path(), selection, &Options::default(), &Progress::default()).unwrap()
    }

    /// `path:line hash`, of which the hash has seven digits, sorted.
    fn found(&self, selection: &Selection) -> Vec<String> {
        let mut found: Vec<String> = self
            .report(selection)
            .findings
            .iter()
            .map(|found| {
                let id =
                    found.commit.as_ref().map_or("staged", |commit| commit.id.get(..7).unwrap());
                format!("{}:{} {id}", found.path, found.finding.line)
            })
            .collect();
        found.sort();
        found
    }
}

fn short(id: ObjectId) -> String {
    id.to_string().get(..7).unwrap().to_owned()
}

#[test]
fn each_commit_brings_what_its_parents_did_not_have() {
    let mut made = Made::new();
    let (one, two) = (token(1), token(2));
    let first = made.commit("HEAD", &[], &[("a", "clean"), ("d/b", &format!("x\n{one}\n"))]);
    // The same secret in a changed file, and a new one under it.
    let second = made.commit("HEAD", &[first], &[("d/b", &format!("new line\nx\n{one}\n{two}\n"))]);
    // Gone, then back: brought twice.
    let third = made.commit("HEAD", &[second], &[("d/b", "nothing")]);
    let fourth = made.commit("HEAD", &[third], &[("d/b", &format!("again {one}"))]);
    // A file that only moves brings nothing.
    made.commit("HEAD", &[fourth], &[("moved", &format!("again {one}"))]);
    let mut expected = [
        format!("d/b:1 {}", short(fourth)),
        format!("d/b:2 {}", short(first)),
        format!("d/b:4 {}", short(second)),
    ];
    expected.sort();
    assert_eq!(made.found(&Selection::Head), expected);
    let report = made.report(&Selection::Head);
    let commit = report.findings.iter().find_map(|found| found.commit.clone()).unwrap();
    assert_eq!((commit.author.as_str(), commit.email.as_str()), ("Ann Author", "ann@example.com"));
    assert!(commit.date.starts_with("2023-11-1") && commit.date.ends_with("+01:30"), "{commit:?}");
}

#[test]
fn a_range_holds_what_came_after_its_beginning() {
    let mut made = Made::new();
    let first = made.commit("refs/heads/main", &[], &[("old", &token(1))]);
    let second = made.commit(
        "refs/heads/main",
        &[first],
        &[("old", &format!("{}\n", token(1))), ("b", &token(2))],
    );
    let third = made.commit("refs/heads/main", &[second], &[("c", &token(3))]);
    let range = |text: &str| made.found(&Selection::Range(text.to_owned()));
    assert_eq!(
        range(&format!("{first}..main")),
        [format!("b:1 {}", short(second)), format!("c:1 {}", short(third))]
    );
    assert_eq!(range("main~1..main"), [format!("c:1 {}", short(third))]);
    assert_eq!(range("main^!"), [format!("c:1 {}", short(third))]);
    assert_eq!(range("main~2"), [format!("old:1 {}", short(first))]);
    let error = history(
        made.place.path(),
        &Selection::Range("nobody".to_owned()),
        &Options::default(),
        &Progress::default(),
    );
    assert!(error.unwrap_err().to_string().starts_with("`nobody` names no commits"));
}

#[test]
fn merges_bring_only_what_neither_side_had_and_all_reaches_every_branch() {
    let mut made = Made::new();
    let base = made.commit("refs/heads/main", &[], &[("a", "x")]);
    let left = made.commit("refs/heads/main", &[base], &[("a", &format!("l {}", token(1)))]);
    let right = made.commit("refs/heads/side", &[base], &[("a", &format!("r {}", token(2)))]);
    let both = format!("{}\n{}\n{}\n", token(1), token(2), token(3));
    let merge = made.commit("refs/heads/main", &[left, right], &[("a", &both)]);
    let lost = made.commit("refs/heads/lost", &[base], &[("lost", &token(4))]);
    let mut expected = vec![
        format!("a:1 {}", short(left)),
        format!("a:1 {}", short(right)),
        format!("a:3 {}", short(merge)),
    ];
    expected.sort();
    assert_eq!(made.found(&Selection::Head), expected);
    expected.push(format!("lost:1 {}", short(lost)));
    assert_eq!(made.found(&Selection::All), expected);
}

#[test]
fn what_is_staged_is_new_against_the_head() {
    let mut made = Made::new();
    assert!(made.found(&Selection::Staged).is_empty());
    assert!(made.found(&Selection::Head).is_empty());
    made.stage(&[("first", &token(1))]);
    assert_eq!(made.found(&Selection::Staged), ["first:1 staged"]);
    made.commit("HEAD", &[], &[("a", &token(1)), ("b", &token(2))]);
    made.stage(&[("a", &format!("{}\n{}", token(1), token(3))), ("b", &token(2))]);
    // What stands in the working directory does not count.
    fs::write(made.place.path().join("a"), "nothing").unwrap();
    assert_eq!(made.found(&Selection::Staged), ["a:2 staged"]);
}

#[test]
fn messages_archives_and_exclusions_are_as_in_trees() {
    let mut made = Made::new();
    fs::write(made.place.path().join(".portcullisignore"), "vendor/\n").unwrap();
    let text = format!("k = {} # gitleaks:allow", token(1));
    made.commit("HEAD", &[], &[("vendor/a", &token(2)), ("b", &text), ("bin", "\0\0")]);
    let report = made.report(&Selection::Head);
    assert!(report.findings.is_empty(), "{report:?}");
    assert_eq!((report.allowed, report.left_out_counts), (1, vec![("binary", 1)]));
    let strict = Options { allowances: false, ..Options::default() };
    let report =
        history(made.place.path(), &Selection::Head, &strict, &Progress::default()).unwrap();
    assert_eq!(report.findings.len(), 2);
}

#[test]
fn a_broken_repository_is_said_to_be_one() {
    let mut made = Made::new();
    let first = made.commit("HEAD", &[], &[("a", &token(1)), ("b", &token(2))]);
    let blob = made.repository.write_blob(token(1)).unwrap().detach().to_string();
    let file = made
        .place
        .path()
        .join(".git/objects")
        .join(blob.get(..2).unwrap())
        .join(blob.get(2..).unwrap());
    fs::remove_file(file).unwrap();
    let report = made.report(&Selection::Head);
    assert!(report.has_gaps());
    assert_eq!(made.found(&Selection::Head), [format!("b:1 {}", short(first))]);
    let empty = TempDir::new().unwrap();
    let error = history(empty.path(), &Selection::Head, &Options::default(), &Progress::default());
    assert!(error.unwrap_err().to_string().starts_with("there is no git repository at"));
}

//! Archives: what would leave the directory that they unpack into.

use super::super::*;

#[test]
fn archives_unpack_within_themselves() {
    let rules = ArchiveRules { entries: 3, bytes: 4 << 20, links: true, ..ArchiveRules::default() };
    let entry = |name: &str, kind, bytes| ArchiveEntry { name: name.to_owned(), kind, bytes };
    let file = |name: &str| entry(name, EntryKind::File, 10);
    let folder = |name: &str| entry(name, EntryKind::Directory, 0);
    let link = |name: &str, to: &str| entry(name, EntryKind::Link(to.to_owned()), 0);
    let hard = |name: &str, to: &str| entry(name, EntryKind::HardLink(to.to_owned()), 0);
    for good in [
        vec![file("a"), file("b/b/c.txt"), file("./x")],
        vec![link("a/b", "../c")],
        vec![file("a/../b")],
        vec![link("bin/tool", "../lib/tool"), file("lib/tool"), file("bin/other")],
        vec![file("a/b"), hard("c/d", "a/b")],
        vec![folder("a"), folder("a/"), file("a/b")],
        vec![file("a/.gitignore"), file("a/.gitattributes"), file("a/AGENTS.md")],
        vec![file("a/console.log"), file("a/nullable.rs"), file("a/com10.txt")],
        vec![file("a/notes~"), file("a/v1.0~rc1.txt"), file("a/git/config")],
    ] {
        assert_eq!(rules.check_entries(100, good.clone()), Ok(()), "{good:?}");
    }
    for (bad, expected) in [
        (vec![file("a"), file("a")], "is there twice"),
        (vec![file("a"), file("./a")], "is there twice"),
        (vec![file("a"), file("x/../A")], "is there twice"),
        (vec![file("a"), folder("a")], "is there twice"),
        (vec![file("a"), file("a. ")], "is there twice"),
        (vec![file("a"), hard("a", "b")], "is there twice"),
        (vec![file("a"), file("a/b")], "lies in what is a file"),
        (vec![file("a/b"), file("a")], "lies in what is a file"),
        (vec![file("a/b/c"), file("A")], "lies in what is a file"),
        (vec![file("CON")], "is a device"),
        (vec![file("a/nul.txt")], "is a device"),
        (vec![file("a/Aux /b")], "is a device"),
        (vec![file("com1.tar.gz")], "is a device"),
        (vec![file("COM\u{b9}")], "is a device"),
        (vec![file("lpt\u{b2}.txt")], "is a device"),
        (vec![file("prn.")], "is a device"),
        (vec![file("GIT~1/config")], "short form"),
        (vec![file("a/bashrc~2")], "short form"),
        (vec![file(".git/hooks/pre-commit")], "is obeyed"),
        (vec![file("a/b/.GIT/config")], "is obeyed"),
        (vec![file(".git. /config")], "is obeyed"),
        (vec![file(".git::$INDEX_ALLOCATION/config")], "is obeyed"),
        (vec![file("sub/.git")], "is obeyed"),
        (vec![file("lib.git/hooks/x")], "is obeyed"),
        (vec![file(".bashrc")], "is obeyed"),
        (vec![file(".BashRC")], "is obeyed"),
        (vec![file("a/.zshenv")], "is obeyed"),
        (vec![file(".config/autostart/x.desktop")], "is obeyed"),
        (vec![file(".ssh/authorized_keys")], "is obeyed"),
        (vec![file(".claude/settings.json")], "is obeyed"),
        (vec![file("a/.mcp.json")], "is obeyed"),
    ] {
        let refused = rules.check_entries(100, bad.clone());
        let is_right = refused.as_ref().is_err_and(|words| words.message.contains(expected));
        assert!(is_right, "{bad:?}: {refused:?}");
    }
    let trusting = ArchiveRules { sensitive: true, ..ArchiveRules::default() };
    assert_eq!(trusting.check_entries(100, [file(".git/hooks/pre-commit")]), Ok(()));
    for bad in [
        vec![file("../a")],
        vec![file("a/../../b")],
        vec![file("/etc/passwd")],
        vec![file("..\\a")],
        vec![file("C:\\a")],
        vec![file("~/.bashrc")],
        vec![file("")],
        vec![file("a\u{202e}txt.exe")],
        vec![link("a", "/etc/passwd")],
        vec![link("a/b", "../../c")],
        // Each by itself stays within; one behind the other leaves.
        vec![link("a", "."), link("a/b", "..")],
        vec![link("a/b/c", "../../d"), link("e", "a/b/c/../..")],
        vec![link("a", "b"), file("a/c")],
        vec![file("a/c"), link("a", "b")],
        vec![link("A", "b"), file("a/c")],
        vec![link("a", "b"), file("x/../a/c")],
        vec![link("a", "b"), file("a/../c")],
        vec![link("a", "b"), file("a")],
        vec![link("a", "b"), link("a", "c")],
        // A further name is counted from where everything is unpacked.
        vec![hard("a/b", "../c")],
        vec![hard("a", "/etc/passwd")],
        vec![entry("a", EntryKind::Other, 0)],
        vec![file("a"), file("b"), file("c"), file("d")],
        vec![entry("a", EntryKind::File, 5 << 20)],
        vec![entry("a", EntryKind::File, 3 << 20)],
        vec![entry("a", EntryKind::File, u64::MAX), entry("b", EntryKind::File, u64::MAX)],
    ] {
        assert!(rules.check_entries(100, bad.clone()).is_err(), "{bad:?}");
    }
    let strict = ArchiveRules::default();
    assert!(strict.check_entries(100, [link("a", "b")]).is_err());
    assert!(strict.check_entries(100, [hard("a", "b")]).is_err());
}

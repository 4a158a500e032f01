//! Configurations as people have them, and what they find and leave.

use portcullis_core::secrets::{Detector, Finding, Options, Place};

use super::*;

fn loaded(text: &str) -> Result<RuleSet, GitleaksError> {
    load(text, &mut |name| Err(format!("there is no `{name}`")))
}

fn found_at(rules: &str, text: &str, place: Place<'_>) -> Vec<Finding> {
    let mut options = Options::default();
    options.rules = std::sync::Arc::new(loaded(rules).unwrap());
    Detector::new(options).scan_at(text.as_bytes(), place)
}

/// What is found, each as `rule=secret`.
fn found(rules: &str, text: &str) -> Vec<String> {
    let secret =
        |finding: Finding| format!("{}={}", finding.rule, text.get(finding.span.clone()).unwrap());
    found_at(rules, text, Place::default()).into_iter().map(secret).collect()
}

const RULE: &str = r#"
title = "ours"
[[rules]]
id = "acme"
description = "Acme key"
regex = '''(?i)acme[_-]?key\s*=\s*['"]?([a-z0-9]{8,})\b'''
keywords = ["ACME"]
"#;

#[test]
fn the_first_group_or_the_named_one_is_the_secret() {
    assert_eq!(found(RULE, "ACME_KEY = 'zz12345678'"), ["acme=zz12345678"]);
    assert_eq!(found(RULE, "emca_key = 'zz12345678'"), [""; 0]);
    let group = "[[rules]]\nid='two'\nregex='(a+)-(b+)'\nsecretGroup=2";
    assert_eq!(found(group, "aa-bbb"), ["two=bbb"]);
    assert_eq!(found("[[rules]]\nid='whole'\nregex='a+'", "xaay"), ["whole=aa"]);
}

#[test]
fn only_its_own_rules_run_unless_it_says_otherwise() {
    let token = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    assert_eq!(found(RULE, &token), [""; 0]);
    let both = format!("{RULE}[extend]\nuseDefault = true");
    assert_eq!(found(&both, &token), [format!("github-pat={token}")]);
    let without = "[extend]\nuseDefault = true\ndisabledRules = ['github-pat']";
    assert_eq!(found(without, &token), [""; 0]);
    let stopped = "[extend]\nuseDefault = true\n[[rules]]\nid='github-pat'\n[[rules.allowlists]]\nstopwords=['k1l2']";
    assert_eq!(found(stopped, &token), [""; 0]);
    let elsewhere =
        "[extend]\nuseDefault = true\n[[allowlists]]\ntargetRules=['jwt']\nstopwords=['k1l2']";
    assert_eq!(found(elsewhere, &token).len(), 1);
}

#[test]
fn entropy_must_be_exceeded() {
    let rule = |least: &str| format!("[[rules]]\nid='e'\nregex='[a-d]{{8}}'\nentropy = {least}");
    assert_eq!(found(&rule("1.99"), "abcdabcd"), ["e=abcdabcd"]);
    assert_eq!(found(&rule("2"), "abcdabcd"), [""; 0]);
}

#[test]
fn allowlists_look_at_the_secret_the_match_the_line_the_path_and_the_commit() {
    let text = "acme_key = zz12345678 # fixture";
    let place = Place { path: "tests/data/a.txt", commit: Some("abc123") };
    for (allowlist, allowed) in [
        ("regexes = ['^zz']", true),
        ("regexes = ['fixture']", false),
        ("regexes = ['fixture']\nregexTarget = 'line'", true),
        ("regexes = ['^acme_key']\nregexTarget = 'match'", true),
        ("stopwords = ['1234']", true),
        ("paths = ['^tests/']", true),
        ("paths = ['^src/']", false),
        ("commits = ['ABC123']", true),
        ("condition = 'AND'\npaths = ['^tests/']\nstopwords = ['nothing']", false),
        ("condition = 'and'\npaths = ['^tests/']\nstopwords = ['345']", true),
        ("condition = '||'\npaths = ['^tests/']\nstopwords = ['nothing']", true),
    ] {
        for table in ["[[rules.allowlists]]", "[rules.allowlist]", "[[allowlists]]", "[allowlist]"]
        {
            let rules = format!("{RULE}{table}\n{allowlist}");
            assert_eq!(found_at(&rules, text, place).is_empty(), allowed, "{rules}");
        }
    }
}

#[test]
fn paths_restrict_a_rule_or_are_all_of_it() {
    let rules =
        "[[rules]]\nid='p'\nregex='x+'\npath='\\.env$'\n[[rules]]\nid='file'\npath='\\.p12$'";
    let at = |path| Place { path, commit: None };
    assert_eq!(found_at(rules, "xx", at("a/.env")).len(), 1);
    assert_eq!(found_at(rules, "xx", at("a/env.rs")).len(), 0);
    let rules = loaded(rules).unwrap();
    assert_eq!(rules.named(at("key.p12"), b"").len(), 1);
    assert_eq!(rules.named(at("key.p13"), b"").len(), 0);
}

#[test]
fn what_is_required_must_be_near() {
    let rules = "[[rules]]\nid='id'\nregex='id=\\w+'\nskipReport=true\n[[rules]]\nid='key'\nregex='key=\\w+'\n[[rules.required]]\nid='id'\nwithinLines=1";
    assert_eq!(found(rules, "id=1\nkey=2"), ["key=key=2"]);
    assert_eq!(found(rules, "id=1\n\n\nkey=2"), [""; 0]);
    assert_eq!(found(rules, "key=2"), [""; 0]);
}

#[test]
fn a_file_changes_what_it_extends() {
    let text = "[extend]\npath = 'base.toml'\ndisabledRules = ['gone']\n[[rules]]\nid='kept'\nentropy = 3.9\n[[rules]]\nid='own'\nregex='o+'";
    let base = "[[rules]]\nid='kept'\nregex='k+'\n[[rules]]\nid='gone'\nregex='g+'\n[allowlist]\nstopwords=['ooo']";
    let mut asked = Vec::new();
    let rules = load(text, &mut |name| {
        asked.push(name.to_owned());
        Ok(base.to_owned())
    });
    assert_eq!(asked, ["base.toml"]);
    let mut options = Options::default();
    options.rules = std::sync::Arc::new(rules.unwrap());
    let found: Vec<String> = Detector::new(options)
        .scan(b"kkk ggg oo ooo")
        .iter()
        .map(|found| found.rule.to_string())
        .collect();
    // `kkk` has too little entropy now.
    assert_eq!(found, ["own"]);
    let again = load(text, &mut |_| Ok("[extend]\npath='more.toml'".to_owned()));
    assert!(matches!(again, Err(GitleaksError::Extended(_))), "{again:?}");
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    for (text, message, help) in [
        ("a = ", "line 1: ", None),
        ("[[rule]]\nid='x'", "unknown field `rule`", Some("did you mean `rules`?")),
        (
            "[[rules]]\nid='x'\nregexp='a'",
            "unknown field `regexp` in rule `x`",
            Some("did you mean `regex`?"),
        ),
        (
            "[[rules]]\nid='x'\nregex='a'\n[[rules.allowlists]]\npath=['a']",
            "unknown field `path` in allowlists of rule `x`",
            Some("did you mean `paths`?"),
        ),
        ("[[rules]]\nregex='a'", "rules[0]: it has no `id`", None),
        ("[[rules]]\nid='x'", "rule `x`: it has neither `regex` nor `path`", None),
        (
            "[[rules]]\nid='x'\nregex='('",
            "rule `x`: `regex` is no regular expression: unclosed group",
            None,
        ),
        (
            "[[rules]]\nid='x'\nregex='a'\nsecretGroup=1",
            "rule `x`: `secretGroup` is 1, and `regex` has 0 groups",
            None,
        ),
        (
            "[[rules]]\nid='x'\nregex='a'\nentropy='high'",
            "`entropy` in rule `x` must be a number",
            None,
        ),
        (
            "[[rules]]\nid='x'\nregex='a'\n[[rules]]\nid='x'\nregex='b'",
            "rule `x`: there is another rule `x`",
            None,
        ),
        ("[[allowlists]]\ndescription='x'", "allowlists[0]: it allows nothing", None),
        (
            "[[allowlists]]\ncondition='XOR'\npaths=['a']",
            "`condition` is `XOR`, and must be `OR` or `AND`",
            None,
        ),
        ("[[allowlists]]\nregexTarget='file'\npaths=['a']", "`regexTarget` is `file`", None),
        ("[extend]\npath='x.toml'", "`extend.path`: there is no `x.toml`", None),
        (
            "[[rules]]\nid='x'\nregex='a'\n[[rules.required]]\nid='y'",
            "rule `x`: it requires `y`, which is no rule",
            None,
        ),
    ] {
        let error = loaded(text).map(|_| ()).unwrap_err();
        assert!(error.to_string().contains(message), "{text}: {error}");
        assert_eq!(error.help().as_deref(), help, "{text}");
    }
}

#[test]
fn names_are_taken_in_any_case_and_older_spellings_too() {
    let rules = "TITLE='x'\nminversion='v8.25.0'\n[[Rules]]\nID='a'\nRegex='a+'\nsecretgroup=0\nTags=['x']\n[Rules.AllowList]\nStopWords=['aaaa']";
    assert_eq!(found(rules, "aaa aaaa"), ["a=aaa"]);
}

proptest::proptest! {
    #![proptest_config(proptest::test_runner::Config::with_cases(256))]

    #[test]
    fn any_expression_and_any_text_is_taken_or_refused(
        pattern in r"([a-c\[\]{}()\\\\*+?|^$.,:&~<>Q0-9E-]|\[:alpha:\]|é|\\\\x41){0,24}",
        text in r"(\[\[?(rules|allowlists|extend)\]?\]\n|(id|regex|path|paths|entropy|keywords) ?= ?('[a-z(]{0,4}'|3|\['x'\])\n){0,8}",
    ) {
        if let Ok(regex) = pattern::compile(&pattern) {
            let _ = regex.is_match(b"abc[]{}&&<>\xff\n");
        }
        if let Err(error) = loaded(&text) {
            proptest::prop_assert!(!error.to_string().is_empty());
        }
    }
}

mod central;
mod examples;
mod kept;
mod layers;
mod server_contracts;
mod sessions;
mod trust;

use std::{env, fs};

use portcullis_core::{
    policy::{Confirmation, Mode},
    risk::Severity,
};

use super::*;

fn parse(text: &str) -> Result<Configuration, ConfigError> {
    Configuration::parse(text, Path::new("config.toml"))
}

#[test]
fn every_key_is_read_and_resolved() {
    let text = r#"
mode = "acceptEdits"
disable_bypass = true
dont_ask = "deny-quietly"
confirmation = { threshold = "medium", confirm_unknown = false }
floors = ["git.push.*", "protection.gate.*"]
analyzers = ["rules", "policy-rail"]

[rules]
allow = ["Bash(git status)"]
ask = ["WebFetch"]
deny = ["Bash(curl *)", "Read(~/.ssh/**)"]

[severity]
"backup.delete" = { level = "low", reason = "build directories only" }

[classes]
mcp__notes__search = "read-only"

[audit]
path = "/var/lib/gate"
on_failure = "warn"

[hook]
approve = "read-only"
on_failure = "ask"
unknown_tools = "ask"
notify = true
enforce_mode = true
"#;
    let configuration = parse(text).unwrap();
    let options = configuration.policy.options();
    assert_eq!(options.mode, Some(Mode::AcceptEdits));
    assert!(options.disable_bypass);
    assert_eq!(
        options.confirmation,
        Confirmation::Risky { threshold: Severity::Medium, confirm_unknown: false }
    );
    assert_eq!((options.allow.len(), options.ask.len(), options.deny.len()), (1, 1, 2));
    assert_eq!((options.adjustments.len(), options.floors.len(), options.classes.len()), (1, 2, 1));
    let audit =
        Audit { enabled: true, path: Some("/var/lib/gate".into()), on_failure: OnFailure::Warn };
    assert_eq!(configuration.audit, audit);
    assert_eq!(configuration.analyzers, Some(vec![Analyzer::Rules, Analyzer::PolicyRail]));
    let hook = Hook {
        approve: Approve::ReadOnly,
        on_failure: OnHookFailure::Ask,
        unknown_tools: UnknownTools::Ask,
        notify: true,
        enforce_mode: true,
    };
    assert_eq!(configuration.hook, hook);
    assert!(configuration.policy_id.starts_with("sha256:"));
}

#[test]
fn an_empty_file_changes_nothing() {
    let configuration = parse("").unwrap();
    assert_eq!(configuration.policy.options(), Policy::default().options());
    assert_eq!(configuration.audit, Configuration::default().audit);
    let hook = Hook {
        approve: Approve::Never,
        on_failure: OnHookFailure::Deny,
        unknown_tools: UnknownTools::Agent,
        notify: false,
        enforce_mode: false,
    };
    assert_eq!(configuration.hook, hook);
}

#[test]
fn presets_and_tables_name_the_same_confirmation_policies() {
    for (text, expected) in [
        ("confirmation = 'auto_approve'", Confirmation::Never),
        ("confirmation = 'confirm_all'", Confirmation::Always),
        ("confirmation = { policy = 'always' }", Confirmation::Always),
        ("confirmation = { policy = 'refuse' }", Confirmation::Refuse { threshold: Severity::Low }),
        ("[confirmation]", Confirmation::default()),
    ] {
        assert_eq!(parse(text).unwrap().policy.options().confirmation, expected, "{text}");
    }
}

#[test]
fn mistakes_are_named_with_their_place_and_what_was_meant() {
    for (text, message, help) in [
        (
            "mdoe = 'plan'",
            "config.toml:1:1: unknown field `mdoe`, expected one of",
            "did you mean `mode`?",
        ),
        ("\n[audit]\npth = '/x'", "config.toml:3:1: unknown field `pth`", "did you mean `path`?"),
        (
            "mode = 'acceptedits'",
            "config.toml:1:8: unknown variant `acceptedits`",
            "did you mean `acceptEdits`?",
        ),
        (
            "confirmation = 'confirm-all'",
            "config.toml:1:16: unknown variant `confirm-all`",
            "did you mean `confirm_all`?",
        ),
        ("confirmation = { treshold = 'low' }", "config.toml:1:", "did you mean `threshold`?"),
        (
            "confirmation = 3",
            "config.toml:1:16: invalid type: integer `3`, expected the name of a preset",
            "",
        ),
        (
            "confirmation = { policy = 'never', threshold = 'low' }",
            "config.toml:1:48: `threshold` has no effect",
            "leave it away, or set `policy` to `risky`",
        ),
        (
            "floors = ['é', 'backup.delet']",
            "config.toml:1:11: `é` is not the id of a rule",
            "`portcullis rules` lists every rule",
        ),
        (
            "floors = ['backup.delet']",
            "config.toml:1:11: `backup.delet` is not the id of a rule",
            "did you mean `backup.delete`?",
        ),
        (
            "floors = ['*']",
            "config.toml:1:11: `*` is not the id of a rule",
            "`portcullis rules` lists every rule",
        ),
        ("[rules]\ndeny = ['']", "config.toml:2:9: `` is not a rule", "a rule is a tool"),
        (
            "[severity]\n'fs.delete.root' = { level = 'low', reason = 'x' }",
            "config.toml:2:1: `fs.delete.root` is a floor",
            "remove the entry",
        ),
        (
            "[severity]\n'backup.delete' = { level = 'low', reason = ' ' }",
            "config.toml:2:45: the reason is empty",
            "say why",
        ),
        ("[severity]\n'backup.delete' = { level = 'low' }", "config.toml:2:", ""),
        (
            "audit = { path = 'here' }",
            "config.toml:1:18: `here` is not an absolute path",
            "a relative path",
        ),
        (
            "analyzers = []",
            "config.toml:1:13: without an analyzer nothing is judged",
            "name at least one",
        ),
        (
            "mode = 'plan'\n[managed]\nlock = ['mode']",
            "config.toml:2:1: only the managed file has this table",
            "remove it here",
        ),
        (
            "[hook]\napprove = 'read_only'",
            "config.toml:2:11: unknown variant",
            "did you mean `read-only`?",
        ),
        (
            "[rules]\ndeny = [{ rule = 'Bash(', reason = 'x' }]",
            "config.toml:2:18: `Bash(` is not a rule",
            "a rule is a tool",
        ),
        (
            "[rules]\ndeny = [{ rule = 'Bash(rm)', mach = [] }]",
            "config.toml:2:",
            "did you mean `match`?",
        ),
        (
            "[rules]\ndeny = [3]",
            "config.toml:2:9: invalid type: integer `3`, expected a rule, or a table",
            "",
        ),
        ("mode = ", "config.toml:1:", ""),
        ("mode = 'plan'\nmode = 'plan'", "config.toml:2:1: duplicate key", ""),
    ] {
        let error = parse(text).unwrap_err();
        assert!(error.to_string().starts_with(message), "{text}\n{error}");
        assert!(error.help().unwrap_or_default().starts_with(help), "{text}\n{:?}", error.help());
        assert!(!error.to_string().contains('\n'), "{error}");
    }
}

#[test]
fn only_a_file_that_was_named_must_exist() {
    let directory = tempfile::tempdir().unwrap();
    let directories =
        Directories { configuration: Some(directory.path().into()), ..Directories::default() };
    let load = |named: Option<&Path>| Configuration::load_from(named, &directories);
    let paths = |configuration: Configuration| {
        configuration.account.paths().map(Path::to_owned).collect::<Vec<_>>()
    };
    assert!(paths(load(None).unwrap()).is_empty());
    let own = directory.path().join(FILE_NAME);
    assert!(matches!(load(Some(&own)), Err(ConfigError::Missing { .. })));
    fs::write(&own, "mode = 'plan'").unwrap();
    assert_eq!(paths(load(None).unwrap()), std::slice::from_ref(&own));
    assert_eq!(load(None).unwrap().policy.options().mode, Some(Mode::Plan));

    assert!(matches!(load(Some(directory.path())), Err(ConfigError::NotAFile { .. })));
    fs::remove_file(&own).unwrap();
    fs::create_dir(&own).unwrap();
    assert!(matches!(load(None), Err(ConfigError::NotAFile { .. })));
    fs::remove_dir(&own).unwrap();
    fs::write(&own, [0xff]).unwrap();
    assert!(matches!(load(None), Err(ConfigError::NotText { .. })));
    fs::write(&own, vec![b'#'; 1 + usize::try_from(MAX_BYTES).unwrap()]).unwrap();
    assert!(matches!(load(None), Err(ConfigError::TooLong { .. })));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(&own, fs::Permissions::from_mode(0o666)).unwrap();
        assert!(matches!(load(None), Err(ConfigError::WritableByEveryone { .. })));
    }
}

#[test]
fn the_committed_schema_is_the_one_of_the_file() {
    let path =
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/config.schema.json");
    if env::var_os("PORTCULLIS_REWRITE").is_some() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, schema()).unwrap();
    }
    let committed = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        committed == schema(),
        "{} is out of date; run this test with PORTCULLIS_REWRITE=1",
        path.display()
    );
}

//! Examples beside rules: what they may say, and that they are tried.

use super::super::*;

fn problems(text: &str) -> Vec<Option<String>> {
    let text = format!("[rules]\n{text}");
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("config.toml");
    std::fs::write(&path, text).unwrap();
    let examples = Configuration::examples_of(&path).unwrap();
    examples.iter().map(Example::problem).collect()
}

#[test]
fn examples_of_every_kind_of_rule_are_tried_in_an_imagined_workspace() {
    for (list, rule, matches, others) in [
        ("allow", "Bash(npm run build)", "npm run build", "npm run build; rm -rf /"),
        ("allow", "Bash(git status:*)", "git status --short", "git stash"),
        ("ask", "Bash(git push:*)", "git push origin main", "git status"),
        ("deny", "Bash(git push:*)", "ls && git push", "echo git push"),
        ("deny", "finding:fs.delete.*", "rm -rf /", "ls"),
        ("deny", "Read(./.env)", "Read .env", "Read src/.env.example"),
        ("deny", "Read(~/.ssh/**)", "Read /home/user/.ssh/id_rsa", "Read notes.md"),
        ("deny", "Edit(//etc/**)", "Write /etc/hosts", "Write hosts"),
        ("allow", "Edit(src/**)", "edit_file src/main.rs", "edit_file Cargo.toml"),
        ("deny", "Edit(src/**)", "Write {\"file_path\": \"/workspace/src/a\"}", "Write a"),
        (
            "allow",
            "WebFetch(domain:example.com)",
            "WebFetch https://example.com/x",
            "WebFetch https://example.com.evil.dev/x",
        ),
        ("deny", "mcp__notes", "mcp__notes__search {\"query\": \"x\"}", "mcp__mail__send"),
        ("ask", "mcp__notes__delete_*", "mcp__notes__delete_all", "mcp__notes__search"),
    ] {
        let entry = |first: &str, second: &str| {
            format!(
                "{list} = [{{ rule = '{rule}', match = ['{first}'], no_match = ['{second}'] }}]"
            )
        };
        assert_eq!(problems(&entry(matches, others)), [None, None], "{rule}");
        let swapped = problems(&entry(others, matches));
        assert!(swapped.iter().all(Option::is_some), "{rule}: {swapped:?}");
    }
}

#[test]
fn an_example_that_does_not_do_what_it_says_is_a_mistake_in_its_place() {
    let at = |text: &str| {
        let error = Configuration::parse(text, Path::new("config.toml")).unwrap_err();
        (error.to_string(), error.help().unwrap_or_default().to_owned())
    };
    for (entry, message, help) in [
        (
            "allow = [{ rule = 'Bash(ls)', match = ['ls', 'ls -la'] }]",
            "config.toml:2:46: `Bash(ls)` does not match `ls -la`",
            "a rule that allows has to cover all",
        ),
        (
            "deny = [{ rule = 'Bash(ls)', no_match = ['ls'] }]",
            "config.toml:2:42: `Bash(ls)` matches `ls`",
            "change the rule or the example",
        ),
        (
            "deny = [{ rule = 'mcp__notes', match = ['mcp__notes__search {'] }]",
            "config.toml:2:41: the arguments in `mcp__notes__search {` are malformed",
            "change the rule or the example",
        ),
        (
            "deny = [{ rule = 'mcp__notes', match = ['mcp__notes__search x'] }]",
            "config.toml:2:41: what `mcp__notes__search` takes is not one text",
            "change the rule or the example",
        ),
        (
            "deny = [{ rule = 'Read(x)', match = ['Read'] }]",
            "config.toml:2:38: `Read` is no call",
            "change the rule or the example",
        ),
    ] {
        let (found, advice) = at(&format!("[rules]\n{entry}"));
        assert!(found.starts_with(message), "{entry}\n{found}");
        assert!(advice.starts_with(help), "{entry}\n{advice}");
    }
}

#[test]
fn a_rule_that_allows_up_to_a_severity_says_so_and_no_other_rule_can() {
    let text = "[rules]\nallow = [{ rule = 'Bash(git push:*)', up_to = 'medium', \
        match = ['git push'], no_match = ['git push --force'] }]";
    let configuration = Configuration::parse(text, Path::new("config.toml")).unwrap();
    assert_eq!(configuration.account.settings[0].value, "Bash(git push:*) up to medium");
    let text = "[rules]\ndeny = [{ rule = 'Bash(git push:*)', up_to = 'medium' }]";
    let error = Configuration::parse(text, Path::new("config.toml")).unwrap_err().to_string();
    assert!(error.starts_with("config.toml:2:46: `up_to` has no effect"), "{error}");
}

#[test]
fn the_reason_of_a_rule_reaches_whoever_is_stopped_by_it() {
    let text = "rules.deny = [{ rule = 'Bash(make deploy)', reason = 'the pipeline deploys' }]";
    let configuration = Configuration::parse(text, Path::new("config.toml")).unwrap();
    let options = configuration.policy.options();
    assert_eq!(options.deny[0].reason(), Some("the pipeline deploys"));
    let gate = portcullis_core::gate::Gate::new(configuration.policy);
    let call = portcullis_core::call::ToolCall::shell("make deploy");
    let action = portcullis_core::action::Action::from_call(call).unwrap();
    let decision = gate.judge(&action, &portcullis_core::facts::Facts::default()).decision;
    assert!(decision.reasons[0].ends_with(": the pipeline deploys"), "{:?}", decision.reasons);
}

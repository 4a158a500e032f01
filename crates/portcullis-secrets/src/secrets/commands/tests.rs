use crate::redact::redact;

/// Calls with `SECRET` where a secret stands.
const SECRET: &str = include_str!("cases/secret.txt");
/// Calls that hold none.
const PLAIN: &str = include_str!("cases/plain.txt");

#[test]
fn secrets_that_the_shape_of_a_call_tells_are_masked() {
    let mut kept = Vec::new();
    for secret in ["Zx9kQ2vLpW7m", "q7Rt!pW2#xLm9"] {
        for line in SECRET.lines() {
            let text = line.replace("SECRET", secret);
            let shown = redact(&text);
            if shown.contains(secret) {
                kept.push(shown.into_owned());
            }
        }
    }
    assert!(kept.is_empty(), "{kept:#?}");
}

#[test]
fn what_reads_alike_and_holds_none_is_left_as_it_is() {
    let eaten: Vec<String> = PLAIN
        .lines()
        .filter(|line| redact(line) != *line)
        .map(|line| format!("{line} became {}", redact(line)))
        .collect();
    assert!(eaten.is_empty(), "{eaten:#?}");
}

#[test]
fn what_surrounds_a_masked_secret_stays() {
    for (text, expected) in [
        ("twine upload -u me -p hunter2 dist/*", "twine upload -u me -p *** dist/*"),
        (
            "kubectl create secret generic s --from-literal=user=bob --from-literal=k=hunter2",
            "kubectl create secret generic s --from-literal=user=*** --from-literal=k=***",
        ),
        ("vault kv put s/x v=hunter2 # note", "vault kv put s/x v=*** # note"),
        ("curl -b 'sid=abc; theme=dark' h", "curl -b 'sid=***; theme=dark' h"),
        ("printf '%s\\n' hunter2 | passwd bob", "printf '%s\\n' *** | passwd bob"),
        ("echo hunter2 | base64 -d | sudo -S ls /x", "echo *** | base64 -d | sudo -S ls /x"),
        ("sudo -S ls <<END\nhunter2\nEND\nls", "sudo -S ls <<END\n***\nEND\nls"),
        (
            "sudo -S sh <<END\nhunter2\nrm -rf /srv\nwhoami\nEND",
            "sudo -S sh <<END\n***\nrm -rf /srv\nwhoami\nEND",
        ),
        ("bash -c \"twine upload -p hunter2 d\"", "bash -c \"twine upload -p *** d\""),
        (
            r#"{"command":"cd x\ntwine upload -p 'hunter2' d"}"#,
            r#"{"command":"cd x\ntwine upload -p '***' d"}"#,
        ),
        (
            r#"{"element":"Password field","ref":"e3","text":"correct horse"}"#,
            r#"{"element":"Password field","ref":"e3","text":"***"}"#,
        ),
        (
            "sudo -u me env A=b /opt/bin/cqlsh -p hunter2 h",
            "sudo -u me env A=b /opt/bin/cqlsh -p *** h",
        ),
        ("impdp scott/hunter2@db tables=a", "impdp scott/***@db tables=a"),
        ("curl -d 'pin=1234&a=b' h", "curl -d 'pin=***&a=b' h"),
        ("git clone https://Zx9kQ2vLpW7m@h/r", "git clone https://***@h/r"),
        ("git clone https://h/a/b", "git clone https://h/a/b"),
        ("twine upload -p \"$TWINE\" d", "twine upload -p \"$TWINE\" d"),
        ("vault kv put s/x v=$(cat f)", "vault kv put s/x v=$(cat f)"),
    ] {
        assert_eq!(redact(text), expected, "{text}");
        assert_eq!(redact(expected), expected);
    }
}

#[test]
fn hostile_calls_take_linear_work() {
    for unit in [
        "twine upload -p ",
        "'",
        "\"a ' b\" ",
        "\\\"",
        "\\\\' ",
        "{\"",
        "[\"password\",",
        "(",
        ".fill(\"",
        "a=",
        "otp=",
        " / ",
        "| passwd ",
        "echo a | ",
        "<<",
        "sudo -S <<X\n",
        "://",
        "\\n",
        "{",
        "$(",
        "by '",
        "-p ",
    ] {
        let text = unit.repeat(super::LONGEST / unit.len());
        assert!(redact(&text).len() <= text.len() * 2, "{unit}");
    }
}

use proptest::prelude::*;

use super::*;

#[test]
fn secrets_are_masked_and_what_surrounds_them_stays() {
    // Tokens are put together here so that no scanner takes this file for a leak.
    let body = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6";
    let cases: &[(String, &str)] = &[
        (
            format!("git push https://x:ghp_{body}@github.com/a/b"),
            "git push https://x:***@github.com/a/b",
        ),
        (format!("echo ghp_{body}"), "echo ghp_***"),
        (format!(r"printf 'a\nghp_{body}'"), r"printf 'a\nghp_***'"),
        (format!("curl -H 'PRIVATE-TOKEN: glpat-{body}'"), "curl -H 'PRIVATE-TOKEN: ***'"),
        (format!("AKIA{}", "ABCDEFGH23456789"), "AKIA***"),
        (format!("k = sk-ant-{body}"), "k = sk-ant-***"),
        (format!("cat eyJhbGciOiJI.eyJzdWIiOiIx.{body} x"), "cat eyJ*** x"),
        ("password=hunter2".into(), "password=***"),
        ("PGPASSWORD=hunter2 psql -h db".into(), "PGPASSWORD=*** psql -h db"),
        ("export DB_PASS='a b c'; ls".into(), "export DB_PASS='***'; ls"),
        ("{\"password\": \"a\\\"b\", \"x\": 1}".into(), "{\"password\": \"***\", \"x\": 1}"),
        (
            "{\\\"apiKey\\\":\\\"abc\\\",\\\"x\\\":1}".into(),
            "{\\\"apiKey\\\":\\\"***\\\",\\\"x\\\":1}",
        ),
        ("os.environ['API_TOKEN'] = 'abc'".into(), "os.environ['API_TOKEN'] = '***'"),
        ("password: str = \"abc\"".into(), "password: *** = \"***\""),
        ("tool --password hunter2 --verbose".into(), "tool --password *** --verbose"),
        ("tool --api-key=abc x".into(), "tool --api-key=*** x"),
        ("mysql -uroot -phunter2 app".into(), "mysql -uroot -p*** app"),
        ("/usr/bin/mysqldump -p'hunter 2' app".into(), "/usr/bin/mysqldump -p'***' app"),
        ("sshpass -p hunter2 ssh a@b".into(), "sshpass -p *** ssh a@b"),
        ("docker login -u me -p hunter2".into(), "docker login -u me -p ***"),
        ("curl -u me:hunter2 https://h".into(), "curl -u me:*** https://h"),
        ("curl --user=me:hunter2 https://h".into(), "curl --user=me:*** https://h"),
        ("curl -su me:hunter2 https://h".into(), "curl -su me:*** https://h"),
        ("PASSWORD=\"a\"'b'c ls".into(), "PASSWORD=\"***\"*** ls"),
        ("set -gx GITHUB_TOKEN hunter2; ls".into(), "set -gx GITHUB_TOKEN ***; ls"),
        ("setx API_KEY hunter2".into(), "setx API_KEY ***"),
        ("redis-cli -a hunter2 ping".into(), "redis-cli -a *** ping"),
        ("psql postgres://u:p/w@rd@host/db".into(), "psql postgres://u:***@host/db"),
        ("curl 'https://h/?access_token=abc&x=1'".into(), "curl 'https://h/?access_token=***&x=1'"),
        (
            "curl -H 'Authorization: Bearer abc.def' h".into(),
            "curl -H 'Authorization: Bearer ***' h",
        ),
        ("Authorization: Basic dXNlcjpwYXNz\nHost: h".into(), "Authorization: Basic ***\nHost: h"),
        ("curl -H \"Cookie: a=b; c=d\" h".into(), "curl -H \"Cookie: ***\" h"),
        ("<password>hunter2</password>".into(), "<password>***</password>"),
        ("ALTER USER a WITH PASSWORD 'hunter2'".into(), "ALTER USER a WITH PASSWORD '***'"),
        ("PASSWORD='never closed and on".into(), "PASSWORD='***"),
        (
            format!("-----BEGIN RSA PRIVATE KEY-----\n{body}\n-----END RSA PRIVATE KEY-----\nls"),
            "***\nls",
        ),
        (format!("-----BEGIN OPENSSH PRIVATE KEY-----\n{body}"), "***"),
        (format!("root:$6${body}:1"), "root:$6$***:1"),
        ("Server=a;Pwd=hunter2;Database=b".into(), "Server=a;Pwd=***;Database=b"),
    ];
    for (text, expected) in cases {
        assert_eq!(redact(text), *expected, "{text}");
    }
}

#[test]
fn harmless_text_is_borrowed_unchanged() {
    for text in [
        "",
        "ls -la",
        "keyboard=us",
        "monkey=1",
        "max_tokens=500",
        "--max-tokens 500",
        "token_count: 3",
        "mkdir -p a/b",
        "ssh -p 22 host",
        "docker run -p 80:80 nginx",
        "PASSWORD_FILE=/run/x",
        "PWD=/home/dev",
        "git@github.com:a/b.git",
        "https://example.com:8080/a@b",
        "sort_key=x",
        "password=$PASSWORD",
        "TOKEN=\"${TOKEN}\"",
        "PASSWORD=$(rm -rf /)",
        "docker login --password-stdin",
        "echo compass bypass",
        "-----BEGIN CERTIFICATE-----\nabc",
        "disk-proj",
        "primary_key: id",
        "the bearer of this",
        "tool --no-password host",
        "curl -u me https://h",
    ] {
        assert!(matches!(redact(text), Cow::Borrowed(_)), "{text} became {}", redact(text));
    }
}

#[test]
fn hostile_repeats_take_linear_work() {
    // Run with a size where anything quadratic would be noticed as a hang.
    for unit in [
        "://",
        "password=",
        "--password ",
        "eyJ",
        "-----BEGIN ",
        "$(",
        "\"",
        "a:b@",
        "curl -u ",
        "ghp_",
        "://a:b",
        "\\",
    ] {
        let text = unit.repeat(100_000 / unit.len());
        assert!(redact(&text).len() <= text.len() + MASK.len(), "{unit}");
    }
}

proptest! {
    #[test]
    fn masking_twice_is_masking_once(text in "([a-zA-Z0-9_=:\"'@/$ (){}\\\\,;.-]|password|token=|--password |://|\\*\\*\\*|sk-ant-|eyJabcdefgh|mysql -p|curl -u |Bearer |\\n){0,24}") {
        let once = redact(&text).into_owned();
        prop_assert_eq!(redact(&once).into_owned(), once, "{}", text);
    }

    #[test]
    fn any_text_is_accepted(text in any::<String>()) {
        let _ = redact(&text);
    }

    #[test]
    fn a_password_never_survives(secret in "[a-zA-Z0-9!%+@#-]{6,20}", quote in prop::sample::select(vec!["", "'", "\""])) {
        for form in ["DB_PASSWORD={}", "tool --password {}", "{\"secret\": {} }", "my_token := {}"] {
            let text = form.replacen("{}", &format!("{quote}{secret}{quote}"), 1);
            // An option's value cannot start with a dash.
            if secret.starts_with('-') && form.contains("--") { continue; }
            prop_assert!(!redact(&text).contains(&secret), "{}", text);
        }
    }
}

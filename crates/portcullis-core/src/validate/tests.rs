//! Every hole of the framework document's validators, and what its validators refused without need.

use serde_json::{Value, json};

use super::*;

fn of(kind: &str, rules: &Value) -> Validator {
    let mut rules = rules.clone();
    rules["kind"] = json!(kind);
    serde_json::from_value(rules).unwrap()
}

/// Holds every value to a validator; the second list is refused.
fn told_apart(kind: &str, rules: &Value, good: &[&str], bad: &[&str]) {
    let validator = of(kind, rules);
    let mut wrong = Vec::new();
    for value in good {
        if let Err(refused) = validator.check(&json!(value)) {
            wrong.push(format!("refused {value:?}: {refused}"));
        }
    }
    for value in bad {
        if validator.check(&json!(value)).is_ok() {
            wrong.push(format!("let through {value:?}"));
        }
    }
    assert!(wrong.is_empty(), "{kind}: {wrong:#?}");
}

#[test]
fn sql_what_the_document_let_through_is_refused() {
    told_apart(
        "sql",
        &json!({}),
        &[],
        &[
            "SELECT 1; ALTER TABLE users ADD x int",
            "SELECT 1; GRANT ALL ON users TO public",
            "SELECT 1; EXEC xp_cmdshell 'dir'",
            "SELECT 1;\nCREATE TABLE x (a int)",
            "SELECT 1;/*\n*/DROP TABLE users",
            "SELECT id FROM a UNION ALL SELECT password FROM users",
            "SELECT id FROM a UNION(SELECT password FROM users)",
            "SELECT id FROM a INTERSECT SELECT id FROM b",
            "SELECT * FROM users INTO OUTFILE '/tmp/x'",
            "SELECT 'x' INTO DUMPFILE '/tmp/x'",
            "SELECT * INTO copied FROM users",
            "SELECT pg_read_file('/etc/passwd')",
            "SELECT * FROM pg_read_file('/etc/passwd')",
            "SELECT load_extension('/tmp/x.so')",
            "SELECT pg_sleep(100)",
            "SELECT nextval('orders_id_seq')",
            "SELECT NEXT VALUE FOR s",
            "SELECT id FROM a FOR UPDATE",
            "SELECT id FROM a FOR NO KEY UPDATE",
            "SELECT id FROM a WHERE name = 'x' OR 1=1",
            "SELECT id FROM a WHERE name = '' OR 'a'='a'",
            "SELECT id FROM a WHERE id = 1 OR TRUE",
            "SELECT id FROM a WHERE 1=1 # AND owner = 3",
            "SELECTION FROM users",
            "SELECTED",
            "S",
            "",
            ";",
            "DELETE FROM users",
            "WITH x AS (DELETE FROM users WHERE id = 1 RETURNING *) SELECT * FROM x",
            "EXPLAIN ANALYZE DELETE FROM users WHERE id = 1",
            "EXPLAIN (ANALYZE) UPDATE users SET a = 1 WHERE id = 2",
            "COPY users TO PROGRAM 'sh'",
            "DO $$ BEGIN DROP TABLE users; END $$",
            "CALL purge()",
            "SET ROLE admin",
            "PRAGMA writable_schema = 1",
            "ATTACH DATABASE '/tmp/x' AS x",
            "VACUUM",
            "TRUNCATE users",
            "SELECT /*!50000 INTO OUTFILE '/tmp/x' */ 1",
            "SELECT /*M! 1 */ 2",
            "SELECT /* a /* b */ 1 */ 2",
            "SELECT 'a\\' OR 1=1 -- '",
            "SELECT E'\\x41'",
            "SELECT 1 /* no end",
            "SELECT 'no end",
            "SELECT 1--1",
            "SELECT [a] FROM b",
            "SELECT $$x$$",
            "SELECT\u{a0}1",
            "SELECT 1\0",
            "SELECT @@version",
            "SELECT @a := 1",
            "SELECT * FROM pg_shadow",
            "SELECT * FROM \"pg_catalog\".\"pg_authid\"",
            "SELECT * FROM mysql.user",
            "SELECT * FROM information_schema.tables",
            "SELECT * FROM sqlite_master",
            "SELECT * FROM pragma_database_list",
            "SELECT lpad('a', 1000000000, 'a')",
            "SELECT lo_import('/etc/passwd')",
            "SELECT query_to_xml('delete from a', true, true, '')",
            "SELECT dblink_exec('x', 'drop table a')",
            "SELECT set_config('role', 'admin', false)",
            "SELECT \"pg_sleep\"(10)",
            "SELECT pg_catalog.pg_sleep(10)",
            "SELECT a FROM t PROCEDURE ANALYSE()",
            "SELECT * FROM a LOCK IN SHARE MODE",
            "MERGE INTO a USING b ON a.id = b.id WHEN MATCHED THEN DELETE",
            "REPLACE INTO a VALUES (1)",
        ],
    );
}

#[test]
fn sql_what_the_document_refused_without_need_goes_through() {
    told_apart(
        "sql",
        &json!({}),
        &[
            "SELECT 1",
            "select name, count(*) from orders where city = 'Bern' group by name order by 2 desc limit 10;",
            "(SELECT 1)",
            "-- which ones?\nSELECT id FROM orders",
            "/* which ones? */ SELECT id FROM orders",
            "WITH a AS (SELECT id FROM orders) SELECT id FROM a",
            "WITH a(x) AS (SELECT id FROM orders), b AS (SELECT x FROM a) SELECT x FROM b",
            "SELECT '--' || name, '/* x */' FROM orders",
            "SELECT 'it''s; DROP TABLE users' FROM orders",
            "SELECT a.id, b.name FROM orders a JOIN people AS b ON a.who = b.id WHERE b.name LIKE 'A%'",
            "SELECT EXTRACT(YEAR FROM sold) FROM orders",
            "SELECT id FROM a WHERE x IS DISTINCT FROM y",
            "SELECT sum(price) OVER (PARTITION BY city ORDER BY sold) FROM orders",
            "SELECT CASE WHEN a > 1 THEN 'x' ELSE 'y' END FROM t",
            "SELECT id FROM a WHERE id IN (SELECT who FROM b WHERE c = 2)",
            "SELECT CAST(a AS DECIMAL(10, 2)) FROM t",
            "VALUES (1), (2)",
            "SELECT id FROM a WHERE EXISTS (SELECT 1 FROM b WHERE b.id = a.id)",
            "SELECT REPLACE(name, 'a', 'b') FROM t",
        ],
        &[],
    );
}

#[test]
fn sql_kinds_tables_columns_and_limits_are_those_that_are_named() {
    let writes = json!({"kinds": ["select", "insert", "update", "delete"]});
    told_apart(
        "sql",
        &writes,
        &[
            "DELETE FROM a WHERE id = 3",
            "UPDATE a SET b = 1 WHERE id = 3",
            "INSERT INTO a (b, c) VALUES (1, 'x')",
            "INSERT INTO a (b) VALUES (1) ON CONFLICT (b) DO UPDATE SET c = 2",
            "INSERT INTO a SELECT b FROM c",
        ],
        &[
            "DELETE FROM a",
            "UPDATE a SET b = 1",
            "DELETE FROM a WHERE 1=1",
            "UPDATE a SET b = 1 WHERE id = id",
            "DELETE FROM a WHERE id IS NOT NULL OR id IS NULL",
            "WITH x AS (DELETE FROM a) SELECT 1",
            "DROP TABLE a",
        ],
    );
    told_apart(
        "sql",
        &json!({"tables": ["orders", "shop.people"]}),
        &[
            "SELECT id FROM orders",
            "SELECT id FROM shop.people",
            "SELECT o.id FROM orders o, shop.people p WHERE o.who = p.id",
            "WITH a AS (SELECT id FROM orders) SELECT id FROM a",
        ],
        &[
            "SELECT id FROM secrets",
            "SELECT id FROM people",
            "SELECT id FROM orders, secrets",
            "SELECT id FROM orders JOIN secrets ON true",
            "SELECT id FROM orders WHERE id IN (SELECT id FROM secrets)",
            "SELECT (SELECT max(token) FROM secrets) FROM orders",
            "SELECT id FROM (orders CROSS JOIN secrets)",
            "SELECT id FROM other.orders",
            "TABLE secrets",
            "SELECT id FROM ONLY secrets",
            "SELECT id FROM \"Secrets\"",
            "SELECT 1 AS secrets, (SELECT max(token) FROM secrets) FROM orders",
            "WITH secrets AS (SELECT token FROM secrets) SELECT * FROM secrets",
            "WITH a AS (SELECT token FROM secrets), secrets AS (SELECT 1) SELECT * FROM a",
            "SELECT id FROM secrets WHERE id IN (WITH secrets AS (SELECT 1) SELECT 1)",
            "WITH \"Secrets\" AS (SELECT 1) SELECT * FROM secrets",
            "SELECT id FROM orders secrets, secrets",
            "SELECT sum(id) OVER w FROM secrets WINDOW w AS (PARTITION BY a), secrets AS (ORDER BY b)",
        ],
    );
    told_apart(
        "sql",
        &json!({"columns": ["id", "name"]}),
        &[
            "SELECT id, count(*) AS n FROM orders GROUP BY id ORDER BY n",
            "SELECT o.name FROM orders o WHERE o.id = 3",
        ],
        &[
            "SELECT * FROM orders",
            "SELECT o.* FROM orders o",
            "SELECT password FROM orders",
            "SELECT id FROM orders WHERE password LIKE 'a%'",
            "SELECT id AS password FROM orders WHERE password LIKE 'a%'",
            "SELECT id AS password FROM orders ORDER BY lower(password)",
            "SELECT id FROM orders ORDER BY password",
            "SELECT orders FROM orders",
            "SELECT row_to_json(orders) FROM orders",
        ],
    );
    told_apart(
        "sql",
        &json!({"limit": 100}),
        &["SELECT id FROM a LIMIT 100", "SELECT id FROM a LIMIT 20, 50"],
        &[
            "SELECT id FROM a",
            "SELECT id FROM a LIMIT 101",
            "SELECT id FROM a LIMIT ALL",
            "SELECT id FROM (SELECT id FROM b LIMIT 5) x",
        ],
    );
    // Kinds are words and no beginnings of them.
    for kinds in [json!([]), json!([""]), json!(["s"]), json!(["S"])] {
        told_apart("sql", &json!({ "kinds": kinds }), &[], &["SELECT 1", "DROP TABLE a"]);
    }
    told_apart(
        "sql",
        &json!({"unions": true}),
        &["SELECT id FROM a UNION SELECT id FROM b"],
        &["SELECT 1; SELECT 2"],
    );
    told_apart(
        "sql",
        &json!({"functions": ["similarity"]}),
        &["SELECT similarity(a, b) FROM t"],
        &["SELECT soundex(a) FROM t"],
    );
    told_apart(
        "sql",
        &json!({"dialect": "postgres"}),
        &["SELECT a #>> '{b}' FROM t", "SELECT 1--one"],
        &["SELECT 'a\\'"],
    );
}

#[test]
fn paths_are_refused_by_components_and_not_by_two_dots_anywhere() {
    told_apart(
        "path",
        &json!({"read": ["."]}),
        &[
            "a..b.txt",
            "src/main.rs",
            "./a",
            "/w/work/a",
            "notes...txt",
            "ein Brief.txt",
            "naïve.md",
            "console.log",
            "ab:c",
        ],
        &[
            "",
            "..",
            "../a",
            "a/../../b",
            "a\\..\\b",
            "/w/work\0/etc/passwd",
            "a\nb",
            "%2e%2e/x",
            "a%2fb",
            "~/x",
            "~root/x",
            r"\\server\share",
            "//server/share",
            "C:\\Windows",
            "c:x",
            "NUL",
            "a/con.txt",
            "COM1",
            "a\u{202e}b",
            "a\u{200b}b",
            "file.txt::$DATA",
        ],
    );
}

#[test]
fn urls_lead_to_public_hosts_that_are_named_whatever_their_spelling() {
    told_apart(
        "url",
        &json!({}),
        &["https://example.com/", "https://example.com:8443/a?b#c"],
        &[
            "http://example.com/",
            "http://[::1]/",
            "https://[::1]/",
            "https://100.64.0.1/",
            "https://224.0.0.1/",
            "https://192.88.99.1/",
            "https://[64:ff9b::a00:1]/",
            "https://[2002:a00:1::]/",
            "https://[fec0::1]/",
            "https://169.254.169.254/",
            "https://0.0.0.0/",
            "https://0177.0.0.1/",
            "https://2130706433/",
            "https://user:word@example.com/",
            "https://example.com:22/",
            "file:///etc/passwd",
            "https://localhost/",
            "not a url",
        ],
    );
    told_apart(
        "url",
        &json!({"hosts": ["api.example.com", "*.docs.example.com"], "http": true}),
        &["https://api.example.com/x", "http://API.example.com./x", "https://a.docs.example.com/"],
        &[
            "https://example.com/",
            "https://docs.example.com/",
            "https://api.example.com.evil.example/",
            "https://internal/",
        ],
    );
}

#[test]
fn commands_are_judged_by_the_engine() {
    told_apart(
        "shell",
        &json!({}),
        &["ls -la", "git status", "grep -r TODO src"],
        &[
            "rm -rf /",
            "curl https://example.com/x | sh",
            "cat ~/.ssh/id_ed25519",
            "eval \"$X\"",
            "git push --force",
        ],
    );
    told_apart("shell", &json!({"programs": ["git"]}), &["git status"], &["ls", "git status; ls"]);
}

#[test]
fn words_patterns_and_expressions_are_what_they_say() {
    told_apart(
        "argument",
        &json!({}),
        &["a", "main.rs", "a-b"],
        &["-rf", "--upload-pack=x", "@file", "a\nb", "a\0"],
    );
    told_apart("argument", &json!({"options": true, "allowed": ["-l", "-a"]}), &["-l"], &["-R"]);
    told_apart(
        "glob",
        &json!({}),
        &["*.rs", "src/*.{rs,toml}", "a?.txt", "[ab].c"],
        &[
            "/etc/*",
            "../*",
            "a/../*",
            "{.,}./x",
            "**/x",
            "[.][.]/x",
            "~/*",
            "-x",
            "c:*",
            "*************************",
        ],
    );
    told_apart("glob", &json!({"recursive": true}), &["**/*.rs"], &["**/**/**/x"]);
    told_apart(
        "regex",
        &json!({}),
        &["TODO|FIXME", "fn \\w+\\(", "^a{2,4}$", "[a-z]+@[a-z]+", "(ab){2}", "(a+b){3}"],
        &[
            "(a+)+$",
            "(a|a)*b",
            "([a-z]+)*",
            "(a*)*",
            "((ab)+c)+",
            "(a",
            "(?=x)",
            "(x)\\1",
            "(a+){2,}",
            "a{1000}{1000}",
        ],
    );
    told_apart("regex", &json!({"linear": true}), &["(a+)+$"], &["(a"]);
    told_apart(
        "email",
        &json!({}),
        &["ana@example.com", "a.b+c@mail.example.co.uk"],
        &[
            "ana",
            "ana@localhost",
            "a@b.com,c@d.com",
            "Ana <ana@example.com>",
            "a@b.com\nBcc: x@y.z",
            "-a@b.com",
            "a..b@c.com",
            "a@-b.com",
            "\"a b\"@c.com",
        ],
    );
    told_apart(
        "email",
        &json!({"domains": ["example.com", "*.example.org"]}),
        &["a@EXAMPLE.com", "a@b.example.org"],
        &["a@example.org", "a@evil-example.com", "a@bexample.org"],
    );
    told_apart(
        "header",
        &json!({}),
        &["text/plain", "a\tb"],
        &["x\r\nSet-Cookie: a=b", "x\ny", "a\0", "a\u{202e}"],
    );
    told_apart(
        "header",
        &json!({"names": ["Accept"]}),
        &["accept: text/plain"],
        &["Authorization: x", "accept", "Accept : x"],
    );
    told_apart(
        "git-ref",
        &json!({}),
        &["main", "feature/a-b", "v1.2.3", "0a1b2c3"],
        &[
            "-main",
            "a..b",
            "a b",
            "a~1",
            "HEAD^",
            "a:b",
            "a/.b",
            "a.lock",
            "a/",
            "/a",
            "a//b",
            "@{u}",
            "@",
            "x.",
            "",
            "--upload-pack=touch x",
            "a\\b",
        ],
    );
    told_apart(
        "git-ref",
        &json!({"revisions": true}),
        &["HEAD~2", "main..topic", "HEAD^"],
        &["-x", "a:b", "a b"],
    );
    told_apart(
        "package",
        &json!({}),
        &["left-pad", "@types/node", "react@18.2.0"],
        &[
            "../x",
            "git+https://x",
            "https://x/y.tgz",
            "-g",
            "Left Pad",
            "@x",
            "@a/b/c",
            "left-pad@-x",
            "left-pad; ls",
            "file:x",
            "léft-pad",
        ],
    );
    told_apart(
        "package",
        &json!({"ecosystem": "pypi", "pinned": true}),
        &["requests==2.31.0"],
        &["requests", "requests==", "requests @ https://x", "requests>=2"],
    );
    told_apart(
        "package",
        &json!({"ecosystem": "cargo", "allowed": ["serde"]}),
        &["serde@1.0"],
        &["serde_", "tokio"],
    );
    told_apart(
        "mime",
        &json!({"allowed": ["text/*", "image/png"]}),
        &["text/plain; charset=utf-8", "image/PNG"],
        &["image/svg+xml", "text", "/", "application/json"],
    );
    told_apart(
        "text",
        &json!({"characters": 20}),
        &["Hello, world."],
        &["two\nlines", "a\u{202e}b", "far too long for twenty"],
    );
    told_apart(
        "text",
        &json!({"lines": true, "pattern": "[a-z\\n]+"}),
        &["a\nb"],
        &["A", "a\u{200d}", "a\n1"],
    );
}

#[test]
fn numbers_and_sizes_have_bounds() {
    let number = of("number", &json!({"min": 1, "max": 10, "whole": true}));
    for (value, expected) in [
        (json!(1), true),
        (json!(10), true),
        (json!(0), false),
        (json!(11), false),
        (json!(2.5), false),
        (json!("3"), false),
        (json!(1e300), false),
    ] {
        assert_eq!(number.check(&value).is_ok(), expected, "{value}");
    }
    let size = of("size", &json!({"bytes": 4, "elements": 2}));
    for (value, expected) in [
        (json!("four"), true),
        (json!("fives"), false),
        (json!(["a", "b"]), true),
        (json!(["a", "b", "c"]), false),
        (json!([["deep", "x"]]), false),
        (json!({"a": "bcd"}), true),
        (json!({"a": "bcde"}), false),
    ] {
        assert_eq!(size.check(&value).is_ok(), expected, "{value}");
    }
}

#[test]
fn elements_of_lists_are_held_to_it_and_other_types_refused() {
    let paths = of("path", &json!({}));
    assert!(paths.check(&json!(["a", "b"])).is_ok());
    assert!(paths.check(&json!(["a", "../b"])).is_err());
    for value in
        [json!(3), json!(null), json!({"path": "a"}), json!([["a"]]), json!(vec!["a"; 1_001])]
    {
        assert!(paths.check(&value).is_err());
    }
}

#[test]
fn archives_unpack_within_themselves() {
    let rules = ArchiveRules { entries: 3, bytes: 4 << 20, links: true, ..ArchiveRules::default() };
    let entry = |name: &str, kind, bytes| ArchiveEntry { name: name.to_owned(), kind, bytes };
    let file = |name: &str| entry(name, EntryKind::File, 10);
    let link = |name: &str, to: &str| entry(name, EntryKind::Link(to.to_owned()), 0);
    for good in [
        vec![file("a"), file("a/b/c.txt"), file("./x")],
        vec![link("a/b", "../c")],
        vec![file("a/../b")],
    ] {
        assert_eq!(rules.check_entries(100, good.clone()), Ok(()), "{good:?}");
    }
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
}

#[test]
fn validators_are_read_strictly() {
    for bad in [
        json!({"kind": "path", "reed": ["."]}),
        json!({"kind": "pth"}),
        json!({}),
        json!({"kind": "text", "pattern": "("}),
    ] {
        assert!(serde_json::from_value::<Validator>(bad.clone()).is_err(), "{bad}");
    }
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(2_000))]

    #[test]
    fn no_text_is_too_much_for_any_validator(text in "\\PC*|[-'\"`;/*#$(){}\\[\\]\\\\. a-zA-Z0-9@=,]{0,60}") {
        for kind in ["path", "url", "sql", "shell", "argument", "glob", "regex", "email", "header", "archive", "git-ref", "package", "mime", "text"] {
            let validator = of(kind, &json!({}));
            let _either = validator.check(&json!(text));
            let other = of(kind, &if kind == "sql" { json!({"dialect": "postgres", "columns": ["a"], "limit": 3}) } else { json!({}) });
            let _either = other.check(&json!(text));
        }
    }

    #[test]
    fn a_second_statement_never_goes_through(name in "[a-z]{1,8}", blank in "[ \\n\\t]{0,3}") {
        let validator = of("sql", &json!({}));
        let text = format!("SELECT {name} FROM t;{blank}DROP TABLE {name}");
        proptest::prop_assert!(validator.check(&json!(text)).is_err());
    }
}

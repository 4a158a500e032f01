//! Statements: what the document's validator let through, and what it refused without need.

use serde_json::json;

use super::{super::*, told_apart};

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
fn conditions_that_choose_no_rows_are_refused_in_every_spelling() {
    let rules = SqlRules {
        kinds: vec!["select".to_owned(), "delete".to_owned()],
        functions: vec!["random".to_owned()],
        ..SqlRules::default()
    };
    let taken = |condition: &str| rules.check(&format!("DELETE FROM a WHERE {condition}")).is_ok();
    for condition in [
        "NOT (a <> a)",
        "NOT a <> a",
        "NOT 1 = 2",
        "x = 3 OR NOT 1=2",
        "x = 3 OR NOT (1=2 AND y = 4)",
        "x = 3 OR 'x' = 'x'",
        "x = 3 OR 'x' LIKE 'x'",
        "x = 3 OR 'abc' LIKE 'a%'",
        "x = 3 OR 'x' <> 'y'",
        "x = 3 OR 'a' < 'b'",
        "x = 3 OR 1",
        "x = 3 OR -1",
        "x = 3 OR NOT 0",
        "x = 3 OR 1 + 1 = 2",
        "x = 3 OR 2 > 1",
        "x = 3 OR 2 >= 1",
        "x = 3 OR 1 BETWEEN 0 AND 2",
        "x = 3 OR 1 IN (1, 2)",
        "x = 3 OR 1 NOT IN (2, 3)",
        "x = 3 OR NULL IS NULL",
        "x = 3 OR 1 IS NOT NULL",
        "x = 3 OR (1 = 1) IS TRUE",
        "x = 3 OR (1 = 2) IS FALSE",
        "x = 3 OR (1 = 1) = (2 = 2)",
        "x = 3 OR lower('A') = 'a'",
        "x = 3 OR length('abc') = 3",
        "x = 3 OR CASE WHEN 1 = 1 THEN 1 ELSE 0 END",
        "x = 3 OR (SELECT 1) = 1",
        "x = 3 OR EXISTS (SELECT 1)",
        "x = 3 OR CURRENT_DATE > '2001-01-01'",
        "x = 3 XOR x <> 3 OR TRUE",
        "x BETWEEN x AND x",
        "x BETWEEN -99999999999 AND 99999999999",
        "id BETWEEN 0 AND 99999999999",
        "name BETWEEN '' AND 'zzzzzz'",
        "x NOT IN ('a') OR x IN ('a') OR x = x",
        "x IN (1, x)",
        "x > 5 OR x <= 5",
        "x < 10 OR x > 5",
        "x <> 1 OR x <> 2",
        "x = 1 OR NOT x = 1",
        "x = 1 OR x <> 1",
        "x IS NULL OR x IS NOT NULL",
        "x < x + 1",
        "x > x - 1",
        "x <= x",
        "name >= ''",
        "name LIKE '%'",
        "name NOT LIKE '%' OR 1=1",
        "abs(x) >= 0",
        "length(name) > -1",
        "x IS NOT DISTINCT FROM x",
        "a.x = a.x",
        "a.x = (a.x)",
    ] {
        assert!(!taken(condition), "{condition}");
    }
    for condition in [
        "x = 3",
        "x <> 3",
        "NOT x = 3",
        "NOT (x = 3 OR y = 4)",
        "x BETWEEN 1 AND 5 AND y = 2",
        "x NOT BETWEEN 1 AND 5",
        "name BETWEEN 'a' AND 'b'",
        "x IN (1, 2, 3)",
        "x NOT IN (1, 2, 3)",
        "name LIKE 'a%'",
        "name LIKE '%a%'",
        "name NOT LIKE '%@example.com'",
        "x IS NULL",
        "x IS NOT NULL AND y > 3",
        "active IS TRUE",
        "active",
        "NOT active",
        "x = 3 AND 1 = 1",
        "x = 3 OR 1 = 2",
        "x = 3 OR 'a' = 'b'",
        "x > y",
        "x > 5 OR x < 3",
        "x = 1 OR x = 2",
        "x < 1 OR y >= 1",
        "created < CURRENT_DATE",
        "length(name) > 3",
        "random() < 0.1",
        "id = 5",
        "id > 100",
        "name >= 'm'",
        "x - 1 > y",
        "CASE WHEN x = 1 THEN y = 2 ELSE FALSE END",
        "x = ?",
        "x = 3 OR 1 IS NULL",
    ] {
        assert!(taken(condition), "{condition}");
    }
}

#[test]
fn joins_that_only_some_databases_have_name_tables_too() {
    let rules = SqlRules { tables: vec!["orders".to_owned()], ..SqlRules::default() };
    for statement in [
        "SELECT * FROM orders STRAIGHT_JOIN users",
        "SELECT * FROM orders o STRAIGHT_JOIN users u ON o.id = u.id",
        "SELECT * FROM orders CROSS APPLY users",
        "SELECT * FROM orders OUTER APPLY users u",
        "SELECT * FROM orders o WHATEVER users",
        "SELECT * FROM orders AS o WHATEVER users",
    ] {
        assert!(rules.check(statement).is_err(), "{statement}");
    }
    for statement in [
        "SELECT STRAIGHT_JOIN id FROM orders",
        "SELECT * FROM orders o",
        "SELECT * FROM orders AS o",
        "SELECT o.id FROM orders o JOIN orders p ON o.id = p.id",
        "SELECT id total FROM orders o WHERE o.id = 3 ORDER BY total",
    ] {
        assert!(rules.check(statement).is_ok(), "{statement}");
    }
}

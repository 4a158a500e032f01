//! Rules on what keeps rows safe: the policies, keys and triggers around them, how long they are kept, which numbers they get, and who in the
//! application may do what. Owns those rules; which statements lead to them, `statement` says.

use super::{Rule, Shelf, When};
use crate::{
    finding::{Category, Confidence},
    risk::Severity,
};

pub(in super::super) static SHELF: Shelf = Shelf { programs: &[], rules: RULES };

static RULES: &[Rule] = &[
    Rule {
        id: "query.guard.off",
        category: Category::Permission,
        severity: Severity::High,
        confidence: Confidence::High,
        message: "what keeps rows from those who are not to see or change them is taken away",
        remedy: "change the policy in place, or make its successor in the same script",
        reversible: true,
        when: When::Read,
        fires: &[
            "psql -c \"DROP POLICY tenant_isolation ON accounts\"",
            "psql -c \"ALTER POLICY own ON accounts USING (true)\"",
            "sqlcmd -Q \"ALTER SECURITY POLICY dbo.Filter WITH (STATE = OFF)\"",
            "sqlcmd -Q \"DROP SYMMETRIC KEY cards\"",
            "psql -c \"CREATE RULE quiet AS ON INSERT TO events DO INSTEAD NOTHING\"",
        ],
        quiet: &[
            "psql -c \"DROP POLICY own ON accounts; CREATE POLICY own ON accounts USING (owner = current_user)\"",
            "psql -c \"CREATE POLICY own ON accounts USING (owner = current_user)\"",
            "psql -c \"CREATE POLICY read ON posts FOR SELECT USING (true)\"",
            "psql -c \"CREATE RULE upd AS ON UPDATE TO v DO INSTEAD UPDATE t SET a = new.a\"",
        ],
    },
    Rule {
        id: "query.expire",
        category: Category::Destruction,
        severity: Severity::High,
        confidence: Confidence::Medium,
        message: "rows, or what is kept of them, go by their age from now on or at once",
        remedy: "see which rows are that old, and who needs them",
        reversible: false,
        when: When::Read,
        fires: &[
            "clickhouse-client -q \"ALTER TABLE events MODIFY TTL at + INTERVAL 1 DAY\"",
            "bq query \"ALTER TABLE ds.t SET OPTIONS (partition_expiration_days = 1)\"",
            "psql -c \"SELECT add_retention_policy('metrics', INTERVAL '1 day')\"",
            "spark-sql -e \"VACUUM lake.t RETAIN 0 HOURS\"",
        ],
        quiet: &[
            "clickhouse-client -q \"ALTER TABLE events MODIFY TTL at + INTERVAL 1 DAY TO VOLUME 'cold'\"",
            "bq query \"ALTER TABLE ds.t SET OPTIONS (expiration_timestamp = NULL)\"",
            "spark-sql -e \"VACUUM lake.t RETAIN 168 HOURS\"",
            "psql -c 'VACUUM t'",
        ],
    },
    Rule {
        id: "query.part.moved",
        category: Category::Destruction,
        severity: Severity::High,
        confidence: Confidence::Medium,
        message: "rows leave their table, and others may take their place",
        remedy: "count the rows of both tables first, and keep the part that leaves",
        reversible: true,
        when: When::Read,
        fires: &[
            "psql -c \"ALTER TABLE orders DETACH PARTITION orders_2023\"",
            "sqlcmd -Q \"ALTER TABLE orders SWITCH PARTITION 3 TO archive\"",
            "mysql -e \"ALTER TABLE orders EXCHANGE PARTITION p1 WITH TABLE x\"",
        ],
        quiet: &[
            "psql -c \"ALTER TABLE orders ATTACH PARTITION orders_2025 FOR VALUES IN (2025)\"",
            "psql -c \"ALTER TABLE orders RENAME TO purchases\"",
        ],
    },
    Rule {
        id: "query.account.changed",
        category: Category::Privilege,
        severity: Severity::High,
        confidence: Confidence::Medium,
        message: "an account of the application gets more rights, or another way in",
        remedy: "let a person who answers for its accounts do it, through the application",
        reversible: true,
        when: When::Read,
        fires: &[
            "psql -c \"UPDATE users SET role = 'admin' WHERE email = 'a@b.example'\"",
            "mysql -e \"UPDATE users SET is_superuser = 1 WHERE id = 7\"",
            "psql -c \"UPDATE accounts SET password_hash = 'x' WHERE id = 7\"",
            "psql -c \"UPDATE users SET mfa_enabled = false WHERE id = 7\"",
        ],
        quiet: &[
            "psql -c \"UPDATE users SET role = 'reader' WHERE id = 7\"",
            "psql -c \"UPDATE users SET name = 'admin' WHERE id = 7\"",
            "psql -c \"UPDATE users SET is_admin = false WHERE id = 7\"",
            "psql -c \"UPDATE posts SET status = 'owner' WHERE role = 'admin'\"",
        ],
    },
    Rule {
        id: "query.sequence.back",
        category: Category::Destruction,
        severity: Severity::High,
        confidence: Confidence::Medium,
        message: "numbers begin anew that rows may already have",
        remedy: "set the sequence by the rows: `setval(…, (SELECT max(id) FROM t))`",
        reversible: true,
        when: When::Read,
        fires: &[
            "psql -c \"SELECT setval('orders_id_seq', 1, false)\"",
            "psql -c 'ALTER SEQUENCE orders_id_seq RESTART'",
            "sqlcmd -Q \"DBCC CHECKIDENT ('dbo.Orders', RESEED, 0)\"",
        ],
        quiet: &[
            "psql -c \"SELECT setval('orders_id_seq', (SELECT max(id) FROM orders))\"",
            "psql -c 'ALTER SEQUENCE orders_id_seq RESTART WITH 90000'",
            "sqlcmd -Q \"DBCC CHECKIDENT ('dbo.Orders', NORESEED)\"",
            "psql -c \"SELECT nextval('orders_id_seq')\"",
        ],
    },
    Rule {
        id: "query.stage.removed",
        category: Category::Destruction,
        severity: Severity::High,
        confidence: Confidence::High,
        message: "files that wait in a stage to be loaded are removed",
        remedy: "list them first: `LIST @stage`",
        reversible: false,
        when: When::Read,
        fires: &["snowsql -q \"REMOVE @landing PATTERN='.*'\"", "snowsql -q 'RM @%orders'"],
        quiet: &["snowsql -q 'LIST @landing'", "snowsql -q 'LS @%orders'"],
    },
];

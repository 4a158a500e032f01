//! What the record's file may hold: every table, index and trigger of ours, as they are made. Owns how something else among
//! them is noticed: a trigger of somebody else can keep a record from being written, and a view can show another one.

use rusqlite::Connection;

/// The triggers hold back mistakes, not attackers: those are what the hashes are for. The comma in front of the last column stands where
/// SQLite puts it in a table that was made without it.
pub(super) const RECORD: &str = "
CREATE TABLE record (
  sequence INTEGER PRIMARY KEY, v INTEGER NOT NULL, time TEXT NOT NULL, previous TEXT NOT NULL, hash TEXT NOT NULL,
  kind TEXT NOT NULL, refers_to INTEGER, tool TEXT, class TEXT, risk TEXT, rules TEXT NOT NULL, decision TEXT, layer TEXT,
  reason TEXT, approver TEXT, outcome TEXT, action TEXT, preview TEXT, policy TEXT, session TEXT, agent TEXT, cwd TEXT
, files TEXT) STRICT;
CREATE TRIGGER record_is_never_changed BEFORE UPDATE ON record
  BEGIN SELECT RAISE(ABORT, 'a record is never changed'); END;
CREATE TRIGGER record_is_never_removed BEFORE DELETE ON record
  BEGIN SELECT RAISE(ABORT, 'a record is never removed'); END;
";

/// The table of the record as the first version made it. What is read without being written to stands in it still.
const FIRST: &str = "CREATE TABLE record (
  sequence INTEGER PRIMARY KEY, v INTEGER NOT NULL, time TEXT NOT NULL, previous TEXT NOT NULL, hash TEXT NOT NULL,
  kind TEXT NOT NULL, refers_to INTEGER, tool TEXT, class TEXT, risk TEXT, rules TEXT NOT NULL, decision TEXT, layer TEXT,
  reason TEXT, approver TEXT, outcome TEXT, action TEXT, preview TEXT, policy TEXT, session TEXT, agent TEXT, cwd TEXT
) STRICT";

/// How a session finds its own records. Not part of the format: a reader without it finds the same.
pub(super) const INDEX: &str =
    "CREATE INDEX IF NOT EXISTS record_by_session ON record (session) WHERE session IS NOT NULL";

/// Requests, tokens and grants beside the record. The triggers hold back mistakes: a decision never changes, and a request or a
/// grant is used once.
pub(crate) const REQUESTS: &str = "
CREATE TABLE IF NOT EXISTS approval (
  sequence INTEGER PRIMARY KEY, v INTEGER NOT NULL, id TEXT NOT NULL UNIQUE, status TEXT NOT NULL, action TEXT NOT NULL,
  tool TEXT NOT NULL, risk TEXT NOT NULL, session TEXT, agent TEXT, requester TEXT NOT NULL, needed INTEGER NOT NULL,
  asked INTEGER NOT NULL, expires INTEGER NOT NULL, policy TEXT NOT NULL, details TEXT NOT NULL,
  decided INTEGER, answer INTEGER, approver TEXT, origin TEXT, reason TEXT, modified TEXT, claimed INTEGER
) STRICT;
CREATE INDEX IF NOT EXISTS approval_pending ON approval (expires) WHERE status = 'pending';
CREATE INDEX IF NOT EXISTS approval_waits ON approval (requester) WHERE status = 'pending';
CREATE INDEX IF NOT EXISTS approval_answered ON approval (answer) WHERE answer IS NOT NULL;
CREATE INDEX IF NOT EXISTS approval_unused ON approval (action) WHERE claimed IS NULL;
CREATE TRIGGER IF NOT EXISTS approval_is_decided_once BEFORE UPDATE OF status ON approval WHEN old.status <> 'pending'
  BEGIN SELECT RAISE(ABORT, 'a decision is never changed'); END;
CREATE TRIGGER IF NOT EXISTS approval_is_used_once BEFORE UPDATE OF claimed ON approval WHEN old.claimed IS NOT NULL
  BEGIN SELECT RAISE(ABORT, 'an approval is used once'); END;
CREATE TRIGGER IF NOT EXISTS approval_is_never_removed BEFORE DELETE ON approval
  BEGIN SELECT RAISE(ABORT, 'a request is never removed'); END;
CREATE TABLE IF NOT EXISTS approval_vote (
  approval INTEGER NOT NULL, approver TEXT NOT NULL, origin TEXT NOT NULL, time INTEGER NOT NULL,
  PRIMARY KEY (approval, approver)
) STRICT;
CREATE TABLE IF NOT EXISTS token (
  id TEXT PRIMARY KEY, hash TEXT NOT NULL UNIQUE, name TEXT NOT NULL, holder TEXT NOT NULL, scopes TEXT NOT NULL,
  created INTEGER NOT NULL, expires INTEGER, revoked INTEGER, proof TEXT
) STRICT;
CREATE TABLE IF NOT EXISTS repeatable (
  token TEXT NOT NULL, key TEXT NOT NULL, digest TEXT NOT NULL, answer TEXT NOT NULL, approval TEXT, time INTEGER NOT NULL,
  PRIMARY KEY (token, key)
) STRICT;
CREATE INDEX IF NOT EXISTS repeatable_by_time ON repeatable (time);
CREATE TABLE IF NOT EXISTS granted (
  record INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, text TEXT NOT NULL, expires INTEGER NOT NULL, used INTEGER, revoked INTEGER
) STRICT;
CREATE INDEX IF NOT EXISTS granted_open ON granted (expires) WHERE used IS NULL AND revoked IS NULL;
CREATE TRIGGER IF NOT EXISTS granted_ends_once BEFORE UPDATE ON granted WHEN old.used IS NOT NULL OR old.revoked IS NOT NULL
  BEGIN SELECT RAISE(ABORT, 'a grant ends once'); END;
CREATE TRIGGER IF NOT EXISTS granted_is_never_changed BEFORE UPDATE OF record, id, text, expires ON granted
  BEGIN SELECT RAISE(ABORT, 'a grant is never changed'); END;
CREATE TRIGGER IF NOT EXISTS granted_is_never_removed BEFORE DELETE ON granted
  BEGIN SELECT RAISE(ABORT, 'a grant is never removed'); END;
CREATE TABLE IF NOT EXISTS pulse (one INTEGER PRIMARY KEY CHECK (one = 1), time INTEGER NOT NULL) STRICT;
";

/// Rows are put in place and ended, and never removed. `asks` is the request that has to be approved first; `returns` says that no configuration is
/// loosened by it, so that it has no end.
pub(crate) const RULINGS: &str = "
CREATE TABLE IF NOT EXISTS ruling (
  record INTEGER PRIMARY KEY, policy TEXT NOT NULL, wanted_by TEXT NOT NULL, asks INTEGER, lasts INTEGER, returns INTEGER NOT NULL,
  alone INTEGER NOT NULL, since INTEGER, expires INTEGER, ended INTEGER
) STRICT;
CREATE INDEX IF NOT EXISTS ruling_asked ON ruling (asks) WHERE asks IS NOT NULL;
CREATE TRIGGER IF NOT EXISTS ruling_is_never_changed BEFORE UPDATE OF record, policy, wanted_by, asks, lasts, returns, alone ON ruling
  BEGIN SELECT RAISE(ABORT, 'a policy is never changed'); END;
CREATE TRIGGER IF NOT EXISTS ruling_begins_once BEFORE UPDATE OF since, expires ON ruling WHEN old.since IS NOT NULL
  BEGIN SELECT RAISE(ABORT, 'a policy begins once'); END;
CREATE TRIGGER IF NOT EXISTS ruling_ends_once BEFORE UPDATE OF ended ON ruling WHEN old.ended IS NOT NULL
  BEGIN SELECT RAISE(ABORT, 'a policy ends once'); END;
CREATE TRIGGER IF NOT EXISTS ruling_is_never_removed BEFORE DELETE ON ruling
  BEGIN SELECT RAISE(ABORT, 'a policy is never removed'); END;
";

/// Which tokens were made on the gateway's own machine.
pub(crate) const PEOPLE: &str = "
CREATE TABLE IF NOT EXISTS made_here (token TEXT PRIMARY KEY) STRICT;
";

/// Who logged in, which project a request belongs to, and who decides in whose place.
pub(crate) const TEAM: &str = "
CREATE TABLE IF NOT EXISTS logged_in (token TEXT PRIMARY KEY, text TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS person (name TEXT PRIMARY KEY, shown TEXT NOT NULL, seen INTEGER NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS approval_project (approval INTEGER PRIMARY KEY, project TEXT NOT NULL) STRICT;
CREATE INDEX IF NOT EXISTS approval_by_project ON approval_project (project, approval);
CREATE TRIGGER IF NOT EXISTS approval_project_is_never_changed BEFORE UPDATE ON approval_project
  BEGIN SELECT RAISE(ABORT, 'a request stays in its project'); END;
CREATE TRIGGER IF NOT EXISTS approval_project_is_never_removed BEFORE DELETE ON approval_project
  BEGIN SELECT RAISE(ABORT, 'a request stays in its project'); END;
CREATE TABLE IF NOT EXISTS delegation (
  record INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, giver TEXT NOT NULL, taker TEXT NOT NULL, groups TEXT NOT NULL,
  expires INTEGER NOT NULL, revoked INTEGER
) STRICT;
CREATE TRIGGER IF NOT EXISTS delegation_is_never_changed BEFORE UPDATE OF record, id, giver, taker, groups, expires ON delegation
  BEGIN SELECT RAISE(ABORT, 'what is given is never changed'); END;
CREATE TRIGGER IF NOT EXISTS delegation_ends_once BEFORE UPDATE ON delegation WHEN old.revoked IS NOT NULL
  BEGIN SELECT RAISE(ABORT, 'what is given ends once'); END;
CREATE TRIGGER IF NOT EXISTS delegation_is_never_removed BEFORE DELETE ON delegation
  BEGIN SELECT RAISE(ABORT, 'what is given is never removed'); END;
";

/// How what waits is looked through, the worst first.
pub(crate) const INBOX: &str = "
CREATE INDEX IF NOT EXISTS approval_worst ON approval (CASE risk WHEN 'critical' THEN 0 WHEN 'unknown' THEN 1 WHEN 'high' THEN 2 WHEN 'medium' THEN 3 WHEN 'low' THEN 4 ELSE 5 END, sequence) WHERE status = 'pending';
";

/// What people say about requests to each other (the text is the record's), who sees to each, and who does not want to see it for a time.
pub(crate) const TALK: &str = "
CREATE TABLE IF NOT EXISTS approval_comment (record INTEGER PRIMARY KEY, approval INTEGER NOT NULL) STRICT;
CREATE INDEX IF NOT EXISTS approval_comment_of ON approval_comment (approval, record);
CREATE TRIGGER IF NOT EXISTS approval_comment_is_never_changed BEFORE UPDATE ON approval_comment
  BEGIN SELECT RAISE(ABORT, 'what was said about a request is never changed'); END;
CREATE TRIGGER IF NOT EXISTS approval_comment_is_never_removed BEFORE DELETE ON approval_comment
  BEGIN SELECT RAISE(ABORT, 'what was said about a request is never removed'); END;
CREATE TABLE IF NOT EXISTS approval_assigned (approval INTEGER PRIMARY KEY, person TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS approval_snoozed (
  approval INTEGER NOT NULL, person TEXT NOT NULL, until INTEGER NOT NULL, PRIMARY KEY (approval, person)
) STRICT;
";

/// Messages about requests on their way elsewhere, and the accounts of a chat that mean somebody.
pub(crate) const CHATS: &str = "
CREATE TABLE IF NOT EXISTS notice (
  id TEXT PRIMARY KEY, receiver TEXT NOT NULL, request TEXT NOT NULL, rewrites INTEGER NOT NULL, stage TEXT NOT NULL, state TEXT NOT NULL,
  attempts INTEGER NOT NULL, made INTEGER NOT NULL, due INTEGER NOT NULL, tried INTEGER, trouble TEXT, receipt TEXT
) STRICT;
CREATE INDEX IF NOT EXISTS notice_due ON notice (due) WHERE state = 'waiting';
CREATE INDEX IF NOT EXISTS notice_open ON notice (request) WHERE state = 'sent' AND stage = 'asked' AND rewrites = 1;
CREATE INDEX IF NOT EXISTS notice_by_time ON notice (made);
CREATE INDEX IF NOT EXISTS notice_of ON notice (request);
CREATE TABLE IF NOT EXISTS chat_link (
  id TEXT PRIMARY KEY, name TEXT NOT NULL, code TEXT NOT NULL UNIQUE, expires INTEGER NOT NULL, team TEXT, account TEXT, linked INTEGER,
  ended INTEGER
) STRICT;
CREATE INDEX IF NOT EXISTS chat_link_account ON chat_link (team, account) WHERE linked IS NOT NULL AND ended IS NULL;
CREATE TRIGGER IF NOT EXISTS chat_link_is_never_changed BEFORE UPDATE OF id, name, code, expires ON chat_link
  BEGIN SELECT RAISE(ABORT, 'a link of a chat is never changed'); END;
CREATE TRIGGER IF NOT EXISTS chat_link_is_made_once BEFORE UPDATE OF team, account, linked ON chat_link WHEN old.linked IS NOT NULL OR old.ended IS NOT NULL
  BEGIN SELECT RAISE(ABORT, 'a link of a chat is made once'); END;
CREATE TRIGGER IF NOT EXISTS chat_link_ends_once BEFORE UPDATE ON chat_link WHEN old.ended IS NOT NULL
  BEGIN SELECT RAISE(ABORT, 'a link of a chat ends once'); END;
CREATE TRIGGER IF NOT EXISTS chat_link_is_never_removed BEFORE DELETE ON chat_link
  BEGIN SELECT RAISE(ABORT, 'a link of a chat is never removed'); END;
";

/// What figures are made of: the calls of projects, hour by hour, and requests by their time; and how what refers to a record is found beside a gateway.
pub(crate) const FIGURES: &str = "
CREATE TABLE IF NOT EXISTS called (
  hour INTEGER NOT NULL, project TEXT NOT NULL, allowed INTEGER NOT NULL, asked INTEGER NOT NULL, denied INTEGER NOT NULL,
  PRIMARY KEY (hour, project)
) STRICT;
CREATE INDEX IF NOT EXISTS approval_by_time ON approval (asked, decided, status);
CREATE INDEX IF NOT EXISTS record_by_reference ON record (refers_to) WHERE refers_to IS NOT NULL;
";

/// What SQLite makes by itself where somebody has it look for quicker ways.
const STATISTICS: &[&str] = &[
    "CREATE TABLE sqlite_stat1(tbl,idx,stat)",
    "CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)",
];

/// What stands beside the record once a gateway, or a grant, needed it: each made as a whole, in the order in which versions added them.
pub(crate) const BESIDE: [&str; 8] = [REQUESTS, RULINGS, PEOPLE, TEAM, INBOX, CHATS, TALK, FIGURES];

/// What is in a file beside what is ours, and what is missing of it.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(super) struct Difference {
    /// What is not ours, or not as we make it: the kind and the name.
    pub(super) foreign: Vec<String>,
    /// What is gone.
    pub(super) missing: Vec<String>,
}

/// How a file differs from what ours holds.
pub(super) fn difference(connection: &Connection) -> rusqlite::Result<Difference> {
    let mut missing: Vec<Made> = made(RECORD).collect();
    let mut foreign = Vec::new();
    let mut beside: [Vec<Made>; BESIDE.len()] = BESIDE.map(|schema| made(schema).collect());
    let mut is_begun = [false; BESIDE.len()];
    let mut statement = connection.prepare("SELECT type, name, sql FROM sqlite_schema")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let kind = row.get_ref(0)?.as_str()?;
        let Some(text) = row.get_ref(2)?.as_str_or_null()? else {
            // An index that belongs to a key of its table, whose text says so.
            if kind != "index" {
                foreign.push(format!("{kind} `{}`", row.get_ref(1)?.as_str()?));
            }
            continue;
        };
        let is_this =
            |made: &Made| made.is(text) || text == FIRST && made.words() == "table `record`";
        if let Some(found) = missing.iter().position(is_this) {
            missing.swap_remove(found);
            continue;
        }
        let found = beside.iter_mut().zip(&mut is_begun).any(|(left, is_begun)| {
            let Some(at) = left.iter().position(|made| made.is(text)) else { return false };
            *is_begun |= left.swap_remove(at).kind == "TABLE";
            true
        });
        let is_known = || made(INDEX).any(|made| made.is(text)) || STATISTICS.contains(&text);
        if !found && !is_known() {
            foreign.push(format!("{kind} `{}`", row.get_ref(1)?.as_str()?));
        }
    }
    // They are made one after the other, and newer versions add to the end: whatever comes before one that is there was made too.
    let mut is_later_begun = false;
    for (left, is_begun) in beside.into_iter().zip(is_begun).rev() {
        is_later_begun |= is_begun;
        // An index says nothing that its table does not.
        missing.extend(left.into_iter().filter(|made| is_later_begun && made.kind != "INDEX"));
    }
    let missing = missing.iter().map(Made::words).collect();
    Ok(Difference { foreign, missing })
}

/// Makes what is missing of the record's own, where its table is there.
pub(super) fn restore(connection: &Connection) -> rusqlite::Result<()> {
    let missing = difference(connection)?.missing;
    for made in made(RECORD) {
        if missing.contains(&made.words()) {
            connection.execute_batch(&format!("CREATE {} {}", made.kind, made.rest))?;
        }
    }
    Ok(())
}

/// One thing that a schema makes.
#[derive(Clone, Copy)]
struct Made {
    kind: &'static str,
    /// What follows on its kind: its name first.
    rest: &'static str,
}

impl Made {
    /// Whether SQLite keeps this text for it: without `IF NOT EXISTS`.
    fn is(&self, text: &str) -> bool {
        let rest = text.strip_prefix("CREATE ").and_then(|text| text.strip_prefix(self.kind));
        rest.and_then(|rest| rest.strip_prefix(' ')) == Some(self.rest)
    }

    /// Its kind and its name.
    fn words(&self) -> String {
        let name = self.rest.split([' ', '\n']).next().unwrap_or_default();
        format!("{} `{name}`", self.kind.to_ascii_lowercase())
    }
}

/// What a schema makes, a statement each.
fn made(schema: &'static str) -> impl Iterator<Item = Made> {
    schema.split(";\n").filter_map(|statement| {
        let statement = statement.trim().strip_prefix("CREATE ")?;
        let (kind, rest) = statement.split_once(' ')?;
        let rest = rest.strip_prefix("IF NOT EXISTS ").unwrap_or(rest);
        // What is made by itself, without a `;` at its end, is made by this too.
        Some(Made { kind, rest: rest.strip_suffix(';').unwrap_or(rest) })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fresh() -> Connection {
        let connection = Connection::open_in_memory().unwrap();
        for schema in [RECORD, INDEX].into_iter().chain(BESIDE) {
            connection.execute_batch(schema).unwrap();
        }
        connection
    }

    #[test]
    fn what_we_make_is_ours() {
        assert_eq!(difference(&fresh()).unwrap(), Difference::default());
        let connection = fresh();
        connection.execute_batch("ANALYZE").unwrap();
        assert_eq!(difference(&connection).unwrap(), Difference::default());
        let young = Connection::open_in_memory().unwrap();
        young.execute_batch(RECORD).unwrap();
        assert_eq!(difference(&young).unwrap(), Difference::default());
    }

    #[test]
    fn what_somebody_else_made_is_foreign() {
        for (statements, foreign) in [
            (
                "CREATE TRIGGER quiet BEFORE INSERT ON record BEGIN SELECT RAISE(IGNORE); END",
                "trigger `quiet`",
            ),
            ("CREATE TABLE other (a)", "table `other`"),
            ("CREATE VIEW seen AS SELECT * FROM record", "view `seen`"),
            ("CREATE INDEX quick ON record (time)", "index `quick`"),
            (
                "DROP INDEX record_by_session; CREATE INDEX record_by_session ON record (session) WHERE 0",
                "index `record_by_session`",
            ),
            (
                "DROP TRIGGER record_is_never_removed; CREATE TRIGGER record_is_never_removed BEFORE DELETE ON record \
                 BEGIN SELECT 1; END",
                "trigger `record_is_never_removed`",
            ),
        ] {
            let connection = fresh();
            connection.execute_batch(statements).unwrap();
            assert_eq!(difference(&connection).unwrap().foreign, [foreign], "{statements}");
        }
    }

    #[test]
    fn whatever_is_gone_beside_the_record_is_missed() {
        let all = BESIDE.into_iter().flat_map(made).filter(|made| made.kind != "INDEX");
        for made in all {
            let connection = fresh();
            let name = made.rest.split([' ', '\n']).next().unwrap();
            connection.execute_batch(&format!("DROP {} {name}", made.kind)).unwrap();
            let found = difference(&connection).unwrap();
            // The newest alone, which holds counts that are made of records, is as if an older version had been there.
            let is_newest = made.words() == "table `called`";
            assert_eq!(found.missing.contains(&made.words()), !is_newest, "{name}: {found:?}");
            assert_eq!(found.foreign, [""; 0], "{name}");
        }
        // All requests at once, beside what only stands beside them.
        let connection = fresh();
        for made in made(REQUESTS).filter(|made| made.kind == "TABLE") {
            let name = made.rest.split(' ').next().unwrap();
            connection.execute_batch(&format!("DROP TABLE {name}")).unwrap();
        }
        let missing = difference(&connection).unwrap().missing;
        assert!(missing.contains(&"table `granted`".to_owned()), "{missing:?}");
    }

    #[test]
    fn a_trigger_that_is_gone_is_missed_and_can_be_made_anew() {
        let connection = fresh();
        connection.execute_batch("DROP TRIGGER record_is_never_removed").unwrap();
        let found = difference(&connection).unwrap();
        assert_eq!(found.missing, ["trigger `record_is_never_removed`"]);
        restore(&connection).unwrap();
        assert_eq!(difference(&connection).unwrap(), Difference::default());
    }
}

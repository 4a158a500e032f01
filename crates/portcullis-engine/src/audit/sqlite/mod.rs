//! Records in an SQLite file. Owns its schema and its transactions; the hashes come from [`super::entry`].
//!
//! Many processes append at once, each for the time of one call: the log is written ahead (WAL) and synced at every
//! commit, and the last record is read in the same immediate transaction that adds the next, so that the chain can
//! neither fork nor gap. Whatever a killed process leaves behind, the next one finds either the whole record or none.

use std::{
    fs, io,
    ops::ControlFlow,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use jiff::Timestamp;
use portcullis_core::{
    decision::{Layer, Verdict},
    risk::Risk,
};
use rusqlite::{
    Connection, ErrorCode, OpenFlags, OptionalExtension as _, Row, TransactionBehavior, params,
    params_from_iter,
};

use self::recent::Recent;
use super::{
    entry::{Body, Entry, Hash, Record},
    error::AuditError,
    row::{Columns, NotOfThisKind, record_of},
    schema::{self, INDEX},
    store::{Anchor, Appended, Filter, Removal, Removed, Store, Trace, Visitor, Whose, stored},
};
use crate::platform;

mod migrate;
mod recent;
mod removal;
mod resting;
mod sought;

use migrate::{begin, is_ours, migrate, objects, pragma};
use resting::{BESIDE, Copied, beside_of, is_resting};

/// The format of the file, in its `user_version`.
pub const FORMAT: i64 = 2;

/// `PCLS` in the file's `application_id`: how `file` and we know our own.
const APPLICATION: i64 = 0x5043_4c53;

/// How long one call waits for others. A hook that waits longer is given up by its agent, which then goes on without us.
const PATIENCE: Duration = Duration::from_secs(10);

/// The pause before a busy database is asked again where SQLite itself does not wait.
const PAUSE: Duration = Duration::from_millis(2);

/// How the file is known as ours; see [`APPLICATION`] and [`FORMAT`].
const MARKS: &str = "PRAGMA application_id = 1346587731; PRAGMA user_version = 2;";

const ABOUT: &str = "SELECT sequence FROM (SELECT sequence, action FROM record \
    WHERE session = ?1 AND agent IS ?2 AND kind = 'decision' ORDER BY sequence DESC LIMIT 1000) \
    WHERE action = ?3 ORDER BY sequence DESC LIMIT 1";

const OPEN: &str = "SELECT sequence FROM (SELECT sequence, decision FROM \
    (SELECT sequence, action, decision FROM record \
    WHERE session = ?1 AND agent IS ?2 AND kind = 'decision' ORDER BY sequence DESC LIMIT 1000) \
    WHERE action = ?3 ORDER BY sequence DESC LIMIT 8) AS made \
    WHERE decision = 'allow' AND NOT EXISTS (SELECT 1 FROM record AS came WHERE came.session = ?1 \
    AND came.sequence > made.sequence AND came.kind = 'outcome' AND came.refers_to = made.sequence) \
    ORDER BY sequence DESC LIMIT 1";

const FIRST: &str = "SELECT time FROM record WHERE session = ?1 AND agent IS ?2 AND kind = 'decision' \
    ORDER BY sequence LIMIT 1";

const COUNT: &str = "SELECT count(*) FROM (SELECT 1 FROM record \
    WHERE session = ?1 AND agent IS ?2 AND kind = 'decision' LIMIT ?3)";

const INSERT: &str = "INSERT INTO record (sequence, v, time, previous, hash, kind, refers_to, tool, class, risk, rules, \
    decision, layer, reason, approver, outcome, action, preview, policy, session, agent, cwd, files) \
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23)";

const COLUMNS: &str = "sequence, v, time, previous, hash, kind, refers_to, tool, class, risk, rules, decision, layer, \
    reason, approver, outcome, action, preview, policy, session, agent, cwd, files";

/// The same of a file of the first format.
const COLUMNS_1: &str = "sequence, v, time, previous, hash, kind, refers_to, tool, class, risk, rules, decision, layer, \
    reason, approver, outcome, action, preview, policy, session, agent, cwd, NULL";

/// What makes a file of the first format one of the second. The text of the table is then as [`schema::RECORD`] has it.
const ADDED: &str = "ALTER TABLE record ADD COLUMN files TEXT; PRAGMA user_version = 2";

/// Records in an SQLite file.
#[derive(Debug)]
pub struct SqliteStore {
    path: PathBuf,
    connection: Connection,
    /// What is read of a record.
    columns: &'static str,
    /// Whether each commit is synced.
    syncs_each: bool,
    /// What is remembered of the session that was asked about last.
    recent: Option<Recent>,
    #[expect(dead_code, reason = "a copy that is read in place of the file goes when this does")]
    copied: Option<Copied>,
}

impl SqliteStore {
    /// The newest decision about an action that this statement finds.
    fn decision_by(
        &self,
        statement: &str,
        whose: Whose<'_>,
        action: &str,
    ) -> Result<Option<u64>, AuditError> {
        let (session, agent) = stored(whose);
        let read = || {
            let mut statement = self.connection.prepare_cached(statement)?;
            statement.query_row(params![session, agent, action], |row| row.get(0)).optional()
        };
        read().map(|found| found.map(unsigned)).map_err(|error| explained(&self.path, error))
    }

    /// Opens the file for appending, and makes it where it is missing. Only this user may read or write it; the files that
    /// SQLite puts beside it take over its mode.
    ///
    /// # Errors
    /// Any [`AuditError`] but `Missing` and `Unreadable`.
    pub fn open(path: &Path) -> Result<Self, AuditError> {
        let file_error = |source| AuditError::File { path: path.to_owned(), source };
        let metadata = match fs::symlink_metadata(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                platform::create_private_file(path).map_err(file_error)?;
                fs::symlink_metadata(path).map_err(file_error)?
            }
            other => other.map_err(file_error)?,
        };
        if let Some(reason) = platform::insecurity(&metadata) {
            return Err(AuditError::Insecure { path: path.to_owned(), reason });
        }
        if !metadata.is_file() {
            return Err(AuditError::NotAFile { path: path.to_owned() });
        }
        // What is written ahead is as good as written.
        for beside in BESIDE {
            let path = beside_of(path, beside);
            let metadata = fs::symlink_metadata(&path).ok();
            if let Some(reason) = metadata.as_ref().and_then(platform::insecurity) {
                return Err(AuditError::Insecure { path, reason });
            }
        }
        let store = Self::connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        let found =
            schema::difference(&store.connection).map_err(|error| explained(path, error))?;
        match found.foreign.first() {
            Some(first) => Err(AuditError::Altered { path: path.to_owned(), what: first.clone() }),
            None => Ok(store),
        }
    }

    /// Opens the file for reading only. Whose it is does not matter then: an auditor reads a copy.
    ///
    /// # Errors
    /// Any [`AuditError`] but `Insecure`.
    pub fn read(path: &Path) -> Result<Self, AuditError> {
        match fs::metadata(path) {
            Ok(metadata) if metadata.is_file() => {
                let opened = Self::connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY);
                match opened {
                    Err(AuditError::Database { .. }) if is_resting(path) => Self::resting(path),
                    opened => opened,
                }
            }
            Ok(_) => Err(AuditError::NotAFile { path: path.to_owned() }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Err(AuditError::Missing { path: path.to_owned() })
            }
            Err(source) => Err(AuditError::File { path: path.to_owned(), source }),
        }
    }

    /// Opens a file in a directory where nothing can be written, where SQLite cannot keep what it needs beside it: the file as it is,
    /// or a copy of it where there is more in the log that was written ahead.
    pub(super) fn resting(path: &Path) -> Result<Self, AuditError> {
        let log = beside_of(path, BESIDE[0]);
        if fs::metadata(&log).is_ok_and(|log| log.len() > 0) {
            let copied = Copied::of(path, &log)
                .map_err(|source| AuditError::File { path: path.to_owned(), source })?;
            let store = Self::connect(&copied.database, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
            return Ok(Self { path: path.to_owned(), copied: Some(copied), ..store });
        }
        // As the C library of SQLite reads it: `%`, `?` and `#` mean something else in it.
        let mut name = String::from("file:");
        let whole = std::path::absolute(path)
            .map_err(|source| AuditError::File { path: path.to_owned(), source })?;
        for byte in whole.as_os_str().as_encoded_bytes() {
            if byte.is_ascii_alphanumeric() || b"/._-".contains(byte) {
                name.push(char::from(*byte));
            } else {
                name.push_str(&format!("%{byte:02x}"));
            }
        }
        name.push_str("?immutable=1");
        let access = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
        let store = Self::connect(Path::new(&name), access)?;
        Ok(Self { path: path.to_owned(), ..store })
    }

    fn connect(path: &Path, access: OpenFlags) -> Result<Self, AuditError> {
        let may_write = access.contains(OpenFlags::SQLITE_OPEN_READ_WRITE);
        let opened = patiently(|| {
            let connection =
                Connection::open_with_flags(path, access | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
            connection.busy_timeout(PATIENCE)?;
            let mut format = pragma(&connection, "user_version")?;
            if format == 0 && may_write && begin(&connection)? {
                format = FORMAT;
            }
            if format == 1 && may_write && is_ours(&connection)? {
                format = migrate(&connection)?;
            }
            if may_write {
                connection.execute_batch("PRAGMA synchronous = FULL")?;
                if format == FORMAT {
                    connection.execute_batch(INDEX)?;
                }
            }
            Ok((connection, format))
        });
        let (connection, format) = opened.map_err(|error| explained(path, error))?;
        let is_ours = is_ours(&connection).map_err(|error| explained(path, error))?;
        let path = path.to_owned();
        if format == 0 && !is_ours && !may_write {
            // Empty, it was made and not yet begun: a writer was killed at its very first step, or stands there now.
            return Err(match objects(&connection) {
                Ok(0) => AuditError::Missing { path },
                Ok(_) => AuditError::Foreign { path },
                Err(error) => explained(&path, error),
            });
        }
        if !is_ours || format < 1 {
            return Err(AuditError::Foreign { path });
        }
        if format > FORMAT {
            return Err(AuditError::Newer { path, found: format, supported: FORMAT });
        }
        let columns = if format == 1 { COLUMNS_1 } else { COLUMNS };
        Ok(Self { path, connection, columns, syncs_each: true, recent: None, copied: None })
    }

    /// Has SQLite sync at each commit, or leave that to [`Store::sync`].
    fn sync_each(&mut self, wanted: bool) -> Result<(), AuditError> {
        if self.syncs_each != wanted {
            let word = if wanted { "FULL" } else { "NORMAL" };
            let set = self.connection.execute_batch(&format!("PRAGMA synchronous = {word}"));
            set.map_err(|error| explained(&self.path, error))?;
            self.syncs_each = wanted;
        }
        Ok(())
    }

    fn try_append(&mut self, body: Body, known: Option<Anchor>) -> rusqlite::Result<Appended> {
        let transaction =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let last = last(&transaction)?;
        let known_holds = holds(&transaction, known, last)?;
        let anchor = chain(&transaction, body, last)?;
        transaction.commit()?;
        Ok(Appended { anchor, known_holds })
    }

    /// Does something on the connection, again and again while others are at it. For what is kept in the same file beside the record.
    pub(crate) fn patiently<T>(
        &mut self,
        mut attempt: impl FnMut(&mut Connection) -> rusqlite::Result<T>,
    ) -> Result<T, AuditError> {
        self.sync_each(true)?;
        let Self { path, connection, .. } = self;
        patiently(|| attempt(connection)).map_err(|error| explained(path, error))
    }
}

/// The last place of the chain, within a transaction.
pub(crate) fn last(connection: &Connection) -> rusqlite::Result<Anchor> {
    anchor(connection, "ORDER BY sequence DESC LIMIT 1", [])
}

/// Whether the record that a caller knows of is still there.
pub(crate) fn holds(
    connection: &Connection,
    known: Option<Anchor>,
    last: Anchor,
) -> rusqlite::Result<bool> {
    match known {
        None | Some(Anchor::GENESIS) => Ok(true),
        Some(known) if known == last => Ok(true),
        Some(known) => {
            Ok(anchor(connection, "WHERE sequence = ?1", [signed(known.sequence)])? == known)
        }
    }
}

/// Adds a record after the last one, within a transaction that nobody comes between.
pub(crate) fn chain(connection: &Connection, body: Body, last: Anchor) -> rusqlite::Result<Anchor> {
    let record = body.chained(last.sequence + 1, last.hash);
    let Record { sequence, time: _, previous, hash, entry } = &record;
    let Entry {
        kind,
        refers_to,
        tool,
        class,
        risk,
        rules,
        decision,
        layer,
        reason,
        approver,
        outcome,
        action,
        preview,
        policy,
        session,
        agent,
        cwd,
        files,
    } = entry;
    let changed = connection.prepare_cached(INSERT)?.execute(params![
        signed(*sequence),
        record.version(),
        record.time_text(),
        previous.to_string(),
        hash.to_string(),
        kind.name(),
        refers_to.map(signed),
        tool,
        class,
        risk.map(Risk::name),
        rules.join(" "),
        decision.map(Verdict::name),
        layer.map(Layer::name),
        reason,
        approver,
        outcome,
        action,
        preview,
        policy,
        session,
        agent,
        cwd,
        files.text()
    ])?;
    let written = Anchor { sequence: *sequence, hash: *hash };
    // A trigger can have it ignored, or taken out again, without an error.
    if changed != 1 || anchor(connection, "WHERE sequence = ?1", [signed(*sequence)])? != written {
        return Err(rusqlite::Error::StatementChangedRows(changed));
    }
    Ok(written)
}

impl Store for SqliteStore {
    fn append(&mut self, body: Body, known: Option<Anchor>) -> Result<Appended, AuditError> {
        self.sync_each(true)?;
        patiently(|| self.try_append(body.clone(), known))
            .map_err(|error| explained(&self.path, error))
    }

    fn write(&mut self, body: Body, known: Option<Anchor>) -> Result<Appended, AuditError> {
        self.sync_each(false)?;
        patiently(|| self.try_append(body.clone(), known))
            .map_err(|error| explained(&self.path, error))
    }

    /// Syncs the log that is written ahead. What is no longer in it was synced by whoever moved it to the database.
    fn sync(&mut self) -> Result<(), AuditError> {
        let synced = |path: &Path| {
            let file = fs::File::options().write(true).open(path)?;
            file.sync_data()
        };
        let log = beside_of(&self.path, BESIDE[0]);
        match synced(&log) {
            // Where the file system cannot have one, SQLite syncs the database.
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(source) => Err(AuditError::File { path: log, source }),
            Ok(()) => Ok(()),
        }
    }

    fn alterations(&mut self) -> Result<Vec<String>, AuditError> {
        let found = schema::difference(&self.connection);
        let found = found.map_err(|error| explained(&self.path, error))?;
        let foreign = found.foreign.iter().map(|what| format!("the {what} is not ours"));
        let missing = found.missing.iter().map(|what| format!("the {what} is gone"));
        Ok(foreign.chain(missing).collect())
    }

    fn restore(&mut self) -> Result<(), AuditError> {
        schema::restore(&self.connection).map_err(|error| explained(&self.path, error))
    }

    fn head(&mut self) -> Result<Anchor, AuditError> {
        anchor(&self.connection, "ORDER BY sequence DESC LIMIT 1", [])
            .map_err(|error| explained(&self.path, error))
    }

    fn remove(
        &mut self,
        removal: &Removal<'_>,
        body: Body,
        known: Option<Anchor>,
    ) -> Result<Removed, AuditError> {
        self.patiently(|connection| removal::remove(connection, removal, body.clone(), known))
    }

    fn scrub(&mut self) -> Result<bool, AuditError> {
        self.patiently(|connection| removal::scrub(connection))
    }

    fn record(&mut self, sequence: u64) -> Result<Option<Record>, AuditError> {
        let query = format!("SELECT {} FROM record WHERE sequence = ?1", self.columns);
        let found = self
            .connection
            .query_row(&query, [signed(sequence)], |row| Ok(record_of(row)))
            .optional()
            .map_err(|error| explained(&self.path, error))?;
        found.transpose()
    }

    fn latest(&mut self, whose: Whose<'_>, most: u32) -> Result<Vec<Trace>, AuditError> {
        let mut recent = Recent::about(self.recent.take(), whose, most);
        recent.read(&self.connection).map_err(|error| explained(&self.path, error))?;
        Ok(self.recent.insert(recent).traces())
    }

    fn decision_about(
        &mut self,
        whose: Whose<'_>,
        action: &str,
    ) -> Result<Option<u64>, AuditError> {
        self.decision_by(ABOUT, whose, action)
    }

    fn decision_left_open(
        &mut self,
        whose: Whose<'_>,
        action: &str,
    ) -> Result<Option<u64>, AuditError> {
        self.decision_by(OPEN, whose, action)
    }

    fn begun(
        &mut self,
        whose: Whose<'_>,
        most: u64,
    ) -> Result<Option<(Timestamp, u64)>, AuditError> {
        let (session, agent) = stored(whose);
        let read = || {
            let first: Option<String> = self
                .connection
                .prepare_cached(FIRST)?
                .query_row(params![session, agent], |row| row.get(0))
                .optional()?;
            let count = |row: &Row<'_>| row.get(0);
            let most = signed(most);
            let count = self
                .connection
                .prepare_cached(COUNT)?
                .query_row(params![session, agent, most], count)?;
            Ok((first, unsigned(count)))
        };
        let (first, count) = read().map_err(|error| explained(&self.path, error))?;
        // A time that cannot be read is the oldest there is: whoever changed it gains no time.
        let first = first.map(|time| time.parse().unwrap_or(Timestamp::UNIX_EPOCH));
        Ok(first.map(|first| (first, count)))
    }

    fn each(&mut self, filter: &Filter, visitor: &mut Visitor<'_>) -> Result<(), AuditError> {
        let (query, values) = sought::query(filter, self.columns);
        let mut visit = || {
            let mut statement = self.connection.prepare(&query)?;
            let mut rows = statement.query(params_from_iter(values.iter()))?;
            while let Some(row) = rows.next()? {
                if visitor(record_of(row)) == ControlFlow::Break(()) {
                    break;
                }
            }
            Ok(())
        };
        visit().map_err(|error| explained(&self.path, error))
    }
}

/// The place of the one record that `which` names; the genesis where there is none.
fn anchor<const N: usize>(
    connection: &Connection,
    which: &str,
    parameters: [i64; N],
) -> rusqlite::Result<Anchor> {
    let query = format!("SELECT sequence, hash FROM record {which}");
    let found = connection
        .prepare_cached(&query)?
        .query_row(params_from_iter(parameters), |row| {
            let hash = row.get_ref(1)?.as_str().ok().and_then(|text| text.parse().ok());
            // A hash that cannot be read leaves the next record unlinked, which is what verification then says.
            Ok(Anchor { sequence: unsigned(row.get(0)?), hash: hash.unwrap_or(Hash::GENESIS) })
        })
        .optional()?;
    Ok(found.unwrap_or(Anchor::GENESIS))
}

/// Databases count to 2⁶³; a number beyond names no record.
pub(crate) fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

pub(crate) fn unsigned(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}

/// Repeats what only failed because others were at it, as far as [`PATIENCE`] goes: opening, the change to WAL and
/// recovery after a crash are not all waited for by SQLite's own timeout.
fn patiently<T>(mut attempt: impl FnMut() -> rusqlite::Result<T>) -> rusqlite::Result<T> {
    let begun = Instant::now();
    loop {
        match attempt() {
            Err(error) if is_busy(&error) && begun.elapsed() < PATIENCE => thread::sleep(PAUSE),
            other => return other,
        }
    }
}

fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

fn explained(path: &Path, source: rusqlite::Error) -> AuditError {
    let path = path.to_owned();
    match source.sqlite_error_code() {
        _ if is_busy(&source) => AuditError::Busy { path, waited: PATIENCE },
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
            AuditError::Damaged { path, source }
        }
        // Without our table, or with another shape of it, it was cut or replaced.
        Some(ErrorCode::Unknown) => AuditError::Damaged { path, source },
        None if matches!(source, rusqlite::Error::StatementChangedRows(_)) => {
            AuditError::Ignored { path }
        }
        _ => AuditError::Database { path, source },
    }
}

impl Columns for Row<'_> {
    fn text(&self, column: usize) -> Result<Option<&str>, NotOfThisKind> {
        self.get_ref(column).ok().and_then(|value| value.as_str_or_null().ok()).ok_or(NotOfThisKind)
    }

    fn number(&self, column: usize) -> Result<Option<i64>, NotOfThisKind> {
        self.get(column).map_err(|_| NotOfThisKind)
    }
}

//! Records in PostgreSQL, for gateways that share them. Owns its tables and the connection of one gateway; the hashes come from
//! [`super::entry`], and requests are kept beside the record by `crate::approvals`.
//!
//! Each gateway has a chain of its own, and is the only one who appends to it: its process holds a lock as long as its session lives, its name
//! stands in the row of the chain, and every append checks that in the statement that moves the chain's end on. Whoever lost the name appends
//! nothing any more. Numbers are given over all chains, so that one names a record; between two chains they say no more than about when.
//!
//! A commit whose answer was lost is looked for: the end of the chain says whether it holds.

#[cfg(test)]
#[path = "../../../tests/postgres/cluster.rs"]
pub(crate) mod cluster;
mod link;
mod migrate;
mod settings;

use std::{
    fmt,
    ops::ControlFlow,
    path::{Path, PathBuf},
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use jiff::Timestamp;
use portcullis_core::{
    decision::{Layer, Verdict},
    risk::Risk,
};
use sha2::{Digest as _, Sha256};
use tokio_postgres::{Row, types::ToSql};

pub(crate) use self::link::{Link, Trouble};
pub use self::settings::BadDatabase;
use self::{
    migrate::{Migrated, alterations, migrate},
    settings::Settings,
};
use super::{
    entry::{Body, Hash, Kind, Record, time_text},
    error::AuditError,
    head::HeadFile,
    row::{Columns, NotOfThisKind, record_of, trace_of},
    sqlite::{signed, unsigned},
    store::{
        Anchor, Appended, Chain, Ends, Filter, Store, Trace, Visitor, Whose, genesis_of, stored,
    },
};
use crate::platform;

/// How long something is tried again while the database is away or others are at it.
pub(crate) const PATIENCE: Duration = Duration::from_secs(8);

/// How long a database is waited for that cannot be reached when something begins.
const START: Duration = Duration::from_secs(3);

/// The pause before it is tried again.
const PAUSE: Duration = Duration::from_millis(40);

/// How often the same is tried again at once where others were at it.
const TRIES: u32 = 8;

/// How long a process waits for the session of the one before it to end.
const HANDED_OVER: Duration = Duration::from_secs(10);

/// How often the tables are looked at for what is not ours.
const LOOKED: Duration = Duration::from_secs(10);

/// How long the time of the database is believed.
const TIMED: Duration = Duration::from_secs(2);

/// How long the lookout waits for a hint before it looks all the same.
const LOOK: Duration = Duration::from_millis(500);

/// How many records are fetched at once.
const PAGE: i64 = 500;

/// The channel of the hints.
pub(crate) const CHANNEL: &str = "portcullis";

const COLUMNS: &str = "sequence, v::bigint, time, previous, hash, kind, refers_to, tool, class, risk, rules, decision, layer, \
    reason, approver, outcome, action, preview, policy, session, agent, cwd, files";

const INSERT: &str = "INSERT INTO record (sequence, chain, v, time, previous, hash, kind, refers_to, tool, class, risk, rules, \
    decision, layer, reason, approver, outcome, action, preview, policy, session, agent, cwd, files) \
    SELECT sequence, $1::text, v::int, time, previous, hash, kind, refers_to, tool, class, risk, rules, decision, layer, reason, approver, \
    outcome, action, preview, policy, session, agent, cwd, files FROM unnest($2::bigint[], $3::bigint[], $4::text[], $5::text[], \
    $6::text[], $7::text[], $8::bigint[], $9::text[], $10::text[], $11::text[], $12::text[], $13::text[], $14::text[], $15::text[], \
    $16::text[], $17::text[], $18::text[], $19::text[], $20::text[], $21::text[], $22::text[], $23::text[], $24::text[]) \
    AS new (sequence, v, time, previous, hash, kind, refers_to, tool, class, risk, rules, decision, layer, reason, approver, outcome, \
    action, preview, policy, session, agent, cwd, files)";

/// Moves the end of a chain on, where it is still ours and ends where we think, and where the database kept all that was written.
const MOVE: &str = "UPDATE chain SET sequence = $4, hash = $5, count = count + $6 WHERE name = $1 AND owner = $2 AND hash = $3 \
    AND (SELECT count(*) FROM record JOIN unnest($7::bigint[], $8::text[]) AS new (sequence, hash) \
    ON record.sequence = new.sequence AND record.hash = new.hash) = $6";

const LATEST: &str = "SELECT time, kind, rules, decision, layer, action, preview FROM record \
    WHERE session = $1 AND agent IS NOT DISTINCT FROM $2 ORDER BY sequence DESC LIMIT $3";

const ABOUT: &str = "SELECT sequence FROM (SELECT sequence, action FROM record \
    WHERE session = $1 AND agent IS NOT DISTINCT FROM $2 AND kind = 'decision' ORDER BY sequence DESC LIMIT 1000) AS latest \
    WHERE action = $3 ORDER BY sequence DESC LIMIT 1";

const OPEN: &str = "SELECT sequence FROM (SELECT sequence, decision FROM \
    (SELECT sequence, action, decision FROM record \
    WHERE session = $1 AND agent IS NOT DISTINCT FROM $2 AND kind = 'decision' ORDER BY sequence DESC LIMIT 1000) AS latest \
    WHERE action = $3 ORDER BY sequence DESC LIMIT 8) AS made \
    WHERE decision = 'allow' AND NOT EXISTS (SELECT 1 FROM record AS came WHERE came.kind = 'outcome' AND came.refers_to = made.sequence) \
    ORDER BY sequence DESC LIMIT 1";

const BEGUN: &str = "SELECT (SELECT time FROM record WHERE session = $1 AND agent IS NOT DISTINCT FROM $2 AND kind = 'decision' \
    ORDER BY sequence LIMIT 1), (SELECT count(*) FROM (SELECT 1 FROM record \
    WHERE session = $1 AND agent IS NOT DISTINCT FROM $2 AND kind = 'decision' LIMIT $3) AS counted)";

/// A database that gateways share, as one of them uses it.
pub struct Database {
    settings: Settings,
    /// What this gateway is called there.
    name: String,
    /// Where it keeps what is its own: what vouches for the end of its chain.
    state: PathBuf,
}

impl fmt::Debug for Database {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} as `{}`", self.settings.words, self.name)
    }
}

impl Database {
    /// How many connections of one gateway read at once.
    pub const READERS: usize = 8;

    /// The database that a URL names, for the gateway `name` whose own directory is `state`. The password stands in a file, or in the
    /// environment.
    ///
    /// # Errors
    /// [`BadDatabase`].
    pub fn new(
        url: &str,
        password_file: Option<&Path>,
        name: &str,
        state: &Path,
    ) -> Result<Self, BadDatabase> {
        let is_letter = |letter: char| letter.is_ascii_alphanumeric() || "-_.@".contains(letter);
        if !(1..=64).contains(&name.len()) || !name.chars().all(is_letter) {
            return Err(BadDatabase::Name(name.to_owned()));
        }
        let settings = Settings::read(url, password_file)?;
        Ok(Self { settings, name: name.to_owned(), state: state.to_owned() })
    }

    /// It in words, without its password.
    #[must_use]
    pub fn words(&self) -> &str {
        &self.settings.words
    }

    /// What this gateway is called.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn state(&self) -> &Path {
        &self.state
    }

    /// What vouches here for the end of the chain there.
    pub(crate) fn head(&self) -> HeadFile {
        HeadFile::new(self.state.join(format!("head.{}", self.name)))
    }

    /// Makes the tables, or brings them up to this version.
    ///
    /// # Errors
    /// When they are of a later version, or this role may not.
    pub fn migrate(&self) -> Result<(), AuditError> {
        let mut link = Link::open(&self.settings).map_err(|trouble| self.explained(trouble))?;
        self.brought_up(&mut link, true)
    }

    /// A session, once the tables are as this version needs them.
    fn connect(&self) -> Result<Link, Trouble> {
        Link::open(&self.settings)
    }

    fn brought_up(&self, link: &mut Link, may: bool) -> Result<(), AuditError> {
        let path = || PathBuf::from(self.words());
        let database = || self.words().to_owned();
        match migrate(link, may) {
            Ok(Migrated::Fits) => Ok(()),
            Ok(Migrated::Newer(found)) => {
                Err(AuditError::Newer { path: path(), found, supported: migrate::VERSION })
            }
            Ok(Migrated::Other(step)) => {
                let what = format!("step {step} of its tables");
                Err(AuditError::Altered { path: path(), what })
            }
            Ok(Migrated::Older(found)) => {
                let reason = match found {
                    0 => "they were not made yet".to_owned(),
                    _ => format!("they have version {found}, and {} is needed", migrate::VERSION),
                };
                Err(AuditError::NoTables { database: database(), reason })
            }
            Err(Trouble::Refused(reason)) => {
                Err(AuditError::NoTables { database: database(), reason })
            }
            Err(trouble) => Err(self.explained(trouble)),
        }
    }

    fn explained(&self, trouble: Trouble) -> AuditError {
        let database = self.words().to_owned();
        match trouble {
            Trouble::Lost(reason) => AuditError::Unreachable { database, reason },
            Trouble::Again(reason) | Trouble::Refused(reason) | Trouble::Unreadable(reason) => {
                AuditError::Refused { database, reason }
            }
            Trouble::Ignored => AuditError::Ignored { path: database.into() },
            Trouble::Fenced => AuditError::Fenced { database, name: self.name.clone() },
        }
    }
}

/// Records in PostgreSQL, over one connection that is made anew where it breaks.
pub(crate) struct PostgresStore {
    database: Arc<Database>,
    link: Option<Link>,
    role: Role,
    /// When the tables were looked at last.
    looked: Option<Instant>,
    /// The time of the database, and when that was by a clock that nobody sets.
    time: Option<(Timestamp, Instant)>,
    /// The database was away when something was tried last: nobody waits for it once more.
    is_away: bool,
}

/// What a connection is for.
enum Role {
    /// It appends to the chain of its gateway; the process is known by this word.
    Writer {
        owner: String,
    },
    Reader,
    /// It hears hints.
    Lookout,
}

/// Where a chain is to go on, within a transaction.
pub(crate) struct Pen {
    name: String,
    owner: String,
    /// Where it ended when the transaction began.
    pub(crate) from: Anchor,
    /// Where it ends with what is in here.
    pub(crate) to: Anchor,
    records: Vec<Record>,
    numbers: std::vec::IntoIter<i64>,
}

impl PostgresStore {
    /// For the one who writes for a gateway. What is missing of the tables is made, where the role may.
    ///
    /// # Errors
    /// When it cannot be used, or another process writes under this name.
    pub(crate) fn writer(database: Arc<Database>) -> Result<Self, AuditError> {
        let owner = platform::random::<16>().map_err(AuditError::Thread)?;
        let owner = data_encoding::HEXLOWER.encode(&owner);
        let mut store = Self::of(database, Role::Writer { owner });
        store.link = Some(store.begun(|store, link| {
            store.database.brought_up(link, true)?;
            store.take_over(link)
        })?);
        store.look()?;
        Ok(store)
    }

    /// For somebody who reads.
    ///
    /// # Errors
    /// When it cannot be used.
    pub(crate) fn reader(database: Arc<Database>) -> Result<Self, AuditError> {
        let mut store = Self::of(database, Role::Reader);
        store.link = Some(store.begun(|store, link| store.database.brought_up(link, false))?);
        Ok(store)
    }

    /// For the one who waits for what others change.
    ///
    /// # Errors
    /// When it cannot be used.
    pub(crate) fn lookout(database: Arc<Database>) -> Result<Self, AuditError> {
        let mut store = Self::of(database, Role::Lookout);
        store.patiently(|_| Ok(()))?;
        Ok(store)
    }

    /// The first connection, which is tried again for a while: the database may just be started anew.
    fn begun(
        &self,
        prepare: impl Fn(&Self, &mut Link) -> Result<(), AuditError>,
    ) -> Result<Link, AuditError> {
        let begun = Instant::now();
        loop {
            let connected = self.database.connect().map_err(|trouble| self.explained(trouble));
            let prepared = connected.and_then(|mut link| prepare(self, &mut link).map(|()| link));
            match prepared {
                Err(AuditError::Unreachable { .. }) if begun.elapsed() < START => {
                    thread::sleep(PAUSE);
                }
                done => return done,
            }
        }
    }

    fn of(database: Arc<Database>, role: Role) -> Self {
        Self { database, link: None, role, looked: None, time: None, is_away: false }
    }

    pub(crate) fn explained(&self, trouble: Trouble) -> AuditError {
        self.database.explained(trouble)
    }

    /// Takes the name for this process, once the session of whoever had it has ended.
    fn take_over(&self, link: &mut Link) -> Result<(), AuditError> {
        let Role::Writer { owner } = &self.role else { return Ok(()) };
        let begun = Instant::now();
        while !self.is_locked(link).map_err(|trouble| self.explained(trouble))? {
            if begun.elapsed() >= HANDED_OVER {
                let database = self.database.words().to_owned();
                return Err(AuditError::NameTaken { database, name: self.database.name.clone() });
            }
            thread::sleep(PAUSE);
        }
        let name = &self.database.name;
        let taken = link.change(
            "INSERT INTO chain (name, owner, sequence, count, hash) VALUES ($1, $2, 0, 0, $3) \
             ON CONFLICT (name) DO UPDATE SET owner = excluded.owner",
            &[name, owner, &genesis_of(name).to_string()],
        );
        taken.map_err(|trouble| self.explained(trouble)).map(drop)
    }

    /// Whether this session has the lock on the name: as long as it lives, no other process takes it over.
    fn is_locked(&self, link: &mut Link) -> Result<bool, Trouble> {
        let digest = Sha256::digest(format!("portcullis/gateway/{}", self.database.name));
        let key = digest.first_chunk::<8>().map_or(0, |bytes| i64::from_be_bytes(*bytes));
        let row = link.one("SELECT pg_try_advisory_lock($1)", &[&key])?;
        Ok(row.try_get(0)?)
    }

    /// Connects anew: a writer goes on only where the name is still its own.
    fn reconnect(&mut self) -> Result<Link, Trouble> {
        let mut link = self.database.connect()?;
        match &self.role {
            Role::Reader => {}
            Role::Lookout => link.batch(&format!("LISTEN {CHANNEL}"))?,
            Role::Writer { owner } => {
                let query = "SELECT owner FROM chain WHERE name = $1";
                let row = link.maybe(query, &[&self.database.name])?;
                match row.map(|row| row.try_get::<_, String>(0)).transpose()? {
                    Some(found) if found == *owner => {}
                    _ => return Err(Trouble::Fenced),
                }
                if !self.is_locked(&mut link)? {
                    return Err(Trouble::Lost(
                        "the session of before has not ended yet".to_owned(),
                    ));
                }
            }
        }
        Ok(link)
    }

    /// Does something once, on a connection that is made where there is none.
    fn once<T>(
        &mut self,
        attempt: &mut impl FnMut(&mut Link) -> Result<T, Trouble>,
    ) -> Result<T, Trouble> {
        let mut link = match self.link.take() {
            Some(link) => link,
            None => self.reconnect()?,
        };
        let done = attempt(&mut link);
        // One that is gone, or in a state that nobody knows, is not used again.
        let is_usable = match &done {
            Ok(_) => true,
            Err(Trouble::Lost(_)) => false,
            Err(_) => link.batch("ROLLBACK").is_ok(),
        };
        if is_usable {
            self.link = Some(link);
        }
        done
    }

    /// Does something, again and again while the database is away or others are at it.
    pub(crate) fn patiently<T>(
        &mut self,
        mut attempt: impl FnMut(&mut Link) -> Result<T, Trouble>,
    ) -> Result<T, AuditError> {
        let begun = Instant::now();
        let patience = if self.is_away { Duration::ZERO } else { PATIENCE };
        let mut tries = 0;
        loop {
            tries += 1;
            match self.once(&mut attempt) {
                Err(Trouble::Lost(_)) if begun.elapsed() < patience => thread::sleep(PAUSE),
                Err(Trouble::Again(_)) if begun.elapsed() < PATIENCE && tries < TRIES => {}
                done => {
                    self.is_away = matches!(done, Err(Trouble::Lost(_)));
                    return done.map_err(|trouble| self.explained(trouble));
                }
            }
        }
    }

    /// Looks now and then whether somebody put something into the tables, or took out what is ours: nothing is recorded then.
    pub(crate) fn look(&mut self) -> Result<(), AuditError> {
        if self.looked.is_some_and(|looked| looked.elapsed() < LOOKED) {
            return Ok(());
        }
        let found = self.patiently(alterations)?;
        if let Some(first) = found.into_iter().next() {
            let path = PathBuf::from(self.database.words());
            return Err(AuditError::Altered { path, what: first });
        }
        self.looked = Some(Instant::now());
        Ok(())
    }

    /// The chain of this gateway, held until the transaction ends; with numbers for so many records.
    pub(crate) fn pen(
        database: &Database,
        owner: &str,
        link: &mut Link,
        records: i64,
    ) -> Result<Pen, Trouble> {
        let name = database.name.clone();
        let row = link.maybe(
            "SELECT sequence, hash FROM chain WHERE name = $1 AND owner = $2 FOR UPDATE",
            &[&name, &owner],
        )?;
        let Some(row) = row else { return Err(Trouble::Fenced) };
        let hash: Hash = row
            .try_get::<_, &str>(1)?
            .parse()
            .map_err(|_| Trouble::Unreadable("the end of the chain is none".to_owned()))?;
        let from = Anchor { sequence: unsigned(row.try_get(0)?), hash };
        let mut pen = Pen {
            name,
            owner: owner.to_owned(),
            from,
            to: from,
            records: Vec::new(),
            numbers: Vec::new().into_iter(),
        };
        if records > 0 {
            pen.fetch_numbers(link, records)?;
        }
        Ok(pen)
    }

    pub(crate) fn owner(&self) -> Option<(Arc<Database>, String)> {
        match &self.role {
            Role::Writer { owner } => Some((Arc::clone(&self.database), owner.clone())),
            Role::Reader | Role::Lookout => None,
        }
    }

    /// The time of the database.
    pub(crate) fn now(&mut self) -> Result<Timestamp, AuditError> {
        if let Some((time, since)) = self.time
            && since.elapsed() < TIMED
            && let Ok(now) = time.checked_add(since.elapsed())
        {
            return Ok(now);
        }
        let query = "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint";
        let micros = self.patiently(|link| Ok(link.one(query, &[])?.try_get::<_, i64>(0)?))?;
        let time = Timestamp::from_microsecond(micros).unwrap_or(Timestamp::MAX);
        self.time = Some((time, Instant::now()));
        Ok(time)
    }

    /// Waits for a hint that somebody changed something.
    pub(crate) fn hint(&mut self) {
        match &self.link {
            Some(link) => link.wait(LOOK),
            None => thread::sleep(LOOK / 4),
        }
    }

    /// Calls `visitor` with the records of a query whose last parameter is the record after which a page begins, all from one moment.
    fn visit(
        &mut self,
        query: &str,
        parameters: &[&(dyn ToSql + Sync)],
        visitor: &mut Visitor<'_>,
    ) -> Result<(), AuditError> {
        let mut begun = false;
        let (mut after, mut goes_on) = (0_i64, true);
        self.patiently(|link| {
            if begun {
                // What was shown once cannot be shown again, from another moment.
                return Err(Trouble::Refused("the connection broke while it was read".to_owned()));
            }
            link.batch(
                "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL statement_timeout = '60s'; \
                 SET LOCAL idle_in_transaction_session_timeout = '10min'",
            )?;
            while goes_on {
                let mut all: Vec<&(dyn ToSql + Sync)> = parameters.to_vec();
                all.push(&after);
                let rows = link.rows(query, &all)?;
                goes_on = rows.len() as i64 == PAGE;
                for row in &rows {
                    begun = true;
                    if visitor(record_of(row)) == ControlFlow::Break(()) {
                        goes_on = false;
                        break;
                    }
                }
                after = match rows.last() {
                    Some(row) => row.try_get(0)?,
                    None => break,
                };
            }
            link.batch("ROLLBACK")
        })
    }
}

impl Pen {
    fn fetch_numbers(&mut self, link: &mut Link, most: i64) -> Result<(), Trouble> {
        let query = "SELECT nextval('record_number') FROM generate_series(1, $1::bigint)";
        let rows = link.rows(query, &[&most])?;
        let numbers: Result<Vec<i64>, _> = rows.iter().map(|row| row.try_get(0)).collect();
        self.numbers = numbers?.into_iter();
        Ok(())
    }

    /// Adds a record; it is written with the others.
    pub(crate) fn record(&mut self, link: &mut Link, body: Body) -> Result<u64, Trouble> {
        if self.numbers.len() == 0 {
            self.fetch_numbers(link, 1)?;
        }
        let number = self.numbers.next().map_or(0, unsigned);
        let record = body.chained(number, self.to.hash);
        self.to = Anchor { sequence: number, hash: record.hash };
        self.records.push(record);
        Ok(number)
    }

    /// One of the records that are not written yet.
    pub(crate) fn added(&self, sequence: u64) -> Option<&Record> {
        self.records.iter().find(|record| record.sequence == sequence)
    }

    /// Writes what was added, and moves the end of the chain on.
    pub(crate) fn write(&mut self, link: &mut Link) -> Result<(), Trouble> {
        if self.records.is_empty() {
            return Ok(());
        }
        let records = std::mem::take(&mut self.records);
        let column = |field: fn(&Record) -> Option<String>| -> Vec<Option<String>> {
            records.iter().map(field).collect()
        };
        let numbers: Vec<i64> = records.iter().map(|record| signed(record.sequence)).collect();
        let versions: Vec<i64> = records.iter().map(|record| record.version().into()).collect();
        let hashes: Vec<String> = records.iter().map(|record| record.hash.to_string()).collect();
        let references: Vec<Option<i64>> =
            records.iter().map(|record| record.entry.refers_to.map(signed)).collect();
        let texts = [
            column(|record| record.entry.tool.clone()),
            column(|record| record.entry.class.clone()),
            column(|record| record.entry.risk.map(|risk| Risk::name(risk).to_owned())),
            column(|record| Some(record.entry.rules.join(" "))),
            column(|record| record.entry.decision.map(|verdict| Verdict::name(verdict).to_owned())),
            column(|record| record.entry.layer.map(|layer| Layer::name(layer).to_owned())),
            column(|record| record.entry.reason.clone()),
            column(|record| record.entry.approver.clone()),
            column(|record| record.entry.outcome.clone()),
            column(|record| record.entry.action.clone()),
            column(|record| record.entry.preview.clone()),
            column(|record| record.entry.policy.clone()),
            column(|record| record.entry.session.clone()),
            column(|record| record.entry.agent.clone()),
            column(|record| record.entry.cwd.clone()),
            column(|record| record.entry.files.text()),
        ];
        let times = column(|record| Some(record.time_text()));
        let previous = column(|record| Some(record.previous.to_string()));
        let kinds = column(|record| Some(record.entry.kind.name().to_owned()));
        let mut parameters: Vec<&(dyn ToSql + Sync)> =
            vec![&self.name, &numbers, &versions, &times, &previous, &hashes, &kinds, &references];
        parameters.extend(texts.iter().map(|text| text as &(dyn ToSql + Sync)));
        let count = records.len() as i64;
        let written = link.change(INSERT, &parameters)?;
        let (from, to) = (self.from.hash.to_string(), self.to.hash.to_string());
        let end = signed(self.to.sequence);
        let moved = link.change(
            MOVE,
            &[&self.name, &self.owner, &from, &end, &to, &count, &numbers, &hashes],
        )?;
        // A trigger can have it ignored, or taken out again, without an error.
        if written != count.unsigned_abs() || moved != 1 { Err(Trouble::Ignored) } else { Ok(()) }
    }
}

/// Whether the record that a caller knows of is still there.
pub(crate) fn holds(link: &mut Link, known: Option<Anchor>, end: Anchor) -> Result<bool, Trouble> {
    match known {
        None | Some(Anchor::GENESIS) => Ok(true),
        Some(known) if known == end => Ok(true),
        Some(known) => {
            let query = "SELECT EXISTS (SELECT 1 FROM record WHERE sequence = $1 AND hash = $2)";
            let row = link.one(query, &[&signed(known.sequence), &known.hash.to_string()])?;
            Ok(row.try_get(0)?)
        }
    }
}

impl Columns for Row {
    fn text(&self, column: usize) -> Result<Option<&str>, NotOfThisKind> {
        self.try_get(column).map_err(|_| NotOfThisKind)
    }

    fn number(&self, column: usize) -> Result<Option<i64>, NotOfThisKind> {
        self.try_get(column).map_err(|_| NotOfThisKind)
    }
}

/// The conditions of a query. Only what is asked about stands in it, so that the indices serve it.
pub(crate) struct Conditions<'a> {
    pub(crate) text: String,
    pub(crate) parameters: Vec<&'a (dyn ToSql + Sync)>,
}

impl<'a> Conditions<'a> {
    pub(crate) fn new(first: &str) -> Self {
        Self { text: first.to_owned(), parameters: Vec::new() }
    }

    /// Asks about a value where there is one; `?` stands for it.
    pub(crate) fn ask<T: ToSql + Sync>(&mut self, condition: &str, value: Option<&'a T>) {
        if let Some(value) = value {
            self.parameters.push(value);
            let number = format!("${}", self.parameters.len());
            self.text.push_str(&format!(" AND {}", condition.replace('?', &number)));
        }
    }
}

/// A text as it can be looked for: PostgreSQL keeps no NUL, and neither do we.
pub(crate) fn clean(text: &str) -> String {
    text.replace('\0', "\u{2400}")
}

impl Store for PostgresStore {
    fn append(&mut self, body: Body, known: Option<Anchor>) -> Result<Appended, AuditError> {
        let Some((database, owner)) = self.owner() else {
            let reason = Trouble::Refused("this connection only reads".to_owned());
            return Err(self.explained(reason));
        };
        self.look()?;
        let mut written: Option<Anchor> = None;
        self.patiently(|link| {
            link.batch("BEGIN")?;
            let mut pen = Self::pen(&database, &owner, link, 1)?;
            if let Some(anchor) = written
                && anchor == pen.from
            {
                // It was committed, and only the answer was lost.
                link.batch("ROLLBACK")?;
                return Ok(Appended { anchor, known_holds: true });
            }
            let known_holds = holds(link, known, pen.from)?;
            pen.record(link, body.clone())?;
            pen.write(link)?;
            written = Some(pen.to);
            link.batch("COMMIT")?;
            Ok(Appended { anchor: pen.to, known_holds })
        })
    }

    fn head(&mut self) -> Result<Anchor, AuditError> {
        let query = "SELECT sequence, hash FROM record ORDER BY sequence DESC LIMIT 1";
        self.patiently(|link| {
            let Some(row) = link.maybe(query, &[])? else { return Ok(Anchor::GENESIS) };
            let hash = row.try_get::<_, &str>(1)?.parse().unwrap_or(Hash::GENESIS);
            Ok(Anchor { sequence: unsigned(row.try_get(0)?), hash })
        })
    }

    fn alterations(&mut self) -> Result<Vec<String>, AuditError> {
        self.patiently(alterations)
    }

    fn restore(&mut self) -> Result<(), AuditError> {
        // What is missing of the tables is for whoever owns them.
        Ok(())
    }

    fn record(&mut self, sequence: u64) -> Result<Option<Record>, AuditError> {
        let query = format!("SELECT {COLUMNS} FROM record WHERE sequence = $1");
        let found = self.patiently(|link| link.maybe(&query, &[&signed(sequence)]))?;
        found.as_ref().map(record_of).transpose()
    }

    fn latest(&mut self, whose: Whose<'_>, most: u32) -> Result<Vec<Trace>, AuditError> {
        let (session, agent) = stored(whose);
        // Answers and outcomes stand among the decisions.
        let limit = i64::from(most).saturating_mul(3);
        let rows = self.patiently(|link| link.rows(LATEST, &[&session, &agent, &limit]))?;
        let mut traces = Vec::with_capacity(rows.len());
        let mut decisions = 0;
        for trace in rows.iter().filter_map(trace_of) {
            if decisions >= most {
                break;
            }
            decisions += u32::from(trace.kind == Kind::Decision);
            traces.push(trace);
        }
        traces.reverse();
        Ok(traces)
    }

    fn decision_about(
        &mut self,
        whose: Whose<'_>,
        action: &str,
    ) -> Result<Option<u64>, AuditError> {
        self.number(ABOUT, whose, action)
    }

    fn decision_left_open(
        &mut self,
        whose: Whose<'_>,
        action: &str,
    ) -> Result<Option<u64>, AuditError> {
        self.number(OPEN, whose, action)
    }

    fn begun(
        &mut self,
        whose: Whose<'_>,
        most: u64,
    ) -> Result<Option<(Timestamp, u64)>, AuditError> {
        let (session, agent) = stored(whose);
        let row = self.patiently(|link| link.one(BEGUN, &[&session, &agent, &signed(most)]))?;
        let first = row.text(0).ok().flatten();
        // A time that cannot be read is the oldest there is: whoever changed it gains no time.
        let first = first.map(|time| time.parse().unwrap_or(Timestamp::UNIX_EPOCH));
        let count = row.number(1).ok().flatten().map_or(0, unsigned);
        Ok(first.map(|first| (first, count)))
    }

    fn each(&mut self, filter: &Filter, visitor: &mut Visitor<'_>) -> Result<(), AuditError> {
        let Filter {
            kind,
            risk,
            decision,
            since,
            until,
            agent,
            session,
            before,
            after,
            refers_to,
            text,
            limit,
        } = filter;
        let (agent, session, text) = (
            agent.as_deref().map(clean),
            session.as_deref().map(clean),
            text.as_deref().map(clean),
        );
        let (kind, risk) = (kind.map(Kind::name), risk.map(Risk::name));
        let (decision, since) = (decision.map(Verdict::name), since.map(time_text));
        let until = until.map(time_text);
        let (before, after) = (before.map(signed), after.map(signed));
        let refers_to = refers_to.map(signed);
        let mut asked = Conditions::new("true");
        asked.ask("kind = ?", kind.as_ref());
        asked.ask("risk = ?", risk.as_ref());
        asked.ask("decision = ?", decision.as_ref());
        asked.ask("time >= ?", since.as_ref());
        asked.ask("time <= ?", until.as_ref());
        asked.ask("agent = ?", agent.as_ref());
        asked.ask("session = ?", session.as_ref());
        asked.ask("sequence < ?", before.as_ref());
        asked.ask("sequence > ?", after.as_ref());
        asked.ask("refers_to = ?", refers_to.as_ref());
        asked.ask(
            "position(lower(?::text COLLATE \"C\") IN lower((coalesce(tool, '') || chr(10) || coalesce(preview, '') || chr(10) || coalesce(reason, '')) COLLATE \"C\")) > 0",
            text.as_ref(),
        );
        let Conditions { text: wanted, parameters } = asked;
        let limit = limit.map(i64::from);
        let page = parameters.len() + 1;
        let query = match &limit {
            None => format!(
                "SELECT {COLUMNS} FROM record WHERE {wanted} AND sequence > ${page} ORDER BY sequence LIMIT {PAGE}"
            ),
            Some(limit) => format!(
                "SELECT * FROM (SELECT {COLUMNS} FROM record WHERE {wanted} ORDER BY sequence DESC LIMIT {limit}) AS newest \
                 WHERE sequence > ${page} ORDER BY sequence LIMIT {PAGE}"
            ),
        };
        self.visit(&query, &parameters, visitor)
    }

    fn chains(&mut self) -> Result<Vec<Chain>, AuditError> {
        let query = "SELECT coalesce(chain.name, written.chain), chain.sequence, chain.count, chain.hash FROM chain \
            FULL JOIN (SELECT DISTINCT chain FROM record) AS written ON written.chain = chain.name ORDER BY 1";
        self.patiently(|link| {
            // It is looked for in every record.
            link.batch("BEGIN READ ONLY; SET LOCAL statement_timeout = '10min'")?;
            link.batch("SET LOCAL idle_in_transaction_session_timeout = '10min'")?;
            let statement = link.rows(query, &[])?;
            link.batch("ROLLBACK")?;
            let chain = |row: &Row| -> Result<Chain, Trouble> {
                let name: &str = row.try_get(0)?;
                let hash = row.try_get::<_, Option<&str>>(3)?;
                let Some(sequence) = row.try_get::<_, Option<i64>>(1)? else {
                    let genesis = genesis_of(name);
                    return Ok(Chain { name: name.to_owned(), genesis, end: None });
                };
                // A hash that is none stands nowhere.
                let hash = hash.and_then(|hash| hash.parse().ok()).unwrap_or(Hash::GENESIS);
                let anchor = Anchor { sequence: unsigned(sequence), hash };
                Ok(Chain::of_gateway(name, (anchor, unsigned(row.try_get(2)?))))
            };
            statement.iter().map(chain).collect()
        })
    }

    fn follow(&mut self, chain: &str, visitor: &mut Visitor<'_>) -> Result<(), AuditError> {
        let query = format!(
            "SELECT {COLUMNS} FROM record WHERE chain = $1 AND sequence > $2 ORDER BY sequence LIMIT {PAGE}"
        );
        self.visit(&query, &[&chain], visitor)
    }

    fn tree_heads(&mut self, visitor: &mut Ends<'_>) -> Result<(), AuditError> {
        let query =
            "SELECT record, text FROM tree_head WHERE record > $1 ORDER BY record LIMIT 500";
        let mut after = 0_i64;
        loop {
            let rows = self.patiently(|link| link.rows(query, &[&after]))?;
            for row in &rows {
                let (Some(record), Some(text)) =
                    (row.number(0).ok().flatten(), row.text(1).ok().flatten())
                else {
                    continue;
                };
                visitor(unsigned(record), text);
                after = record;
            }
            if (rows.len() as i64) < PAGE {
                return Ok(());
            }
        }
    }
}

impl PostgresStore {
    fn number(
        &mut self,
        query: &str,
        whose: Whose<'_>,
        action: &str,
    ) -> Result<Option<u64>, AuditError> {
        let (session, agent) = stored(whose);
        let action = clean(action);
        let row = self.patiently(|link| link.maybe(query, &[&session, &agent, &action]))?;
        Ok(row.and_then(|row| row.number(0).ok().flatten()).map(unsigned))
    }
}

#[cfg(test)]
pub(crate) mod tests;

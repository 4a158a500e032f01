//! The connection of one gateway to its database. Owns whose name it is, how long it is tried again, and when its tables are looked at.

use std::{
    ops::ControlFlow,
    path::PathBuf,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use jiff::Timestamp;
use sha2::{Digest as _, Sha256};
use tokio_postgres::types::ToSql;

use super::{CHANNEL, Database, Link, Trouble, migrate::alterations};
use crate::{
    audit::{
        error::AuditError,
        row::record_of,
        store::{Visitor, genesis_of},
    },
    platform,
};

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
pub(super) const PAGE: i64 = 500;

/// Records in PostgreSQL, over one connection that is made anew where it breaks.
pub(crate) struct PostgresStore {
    database: Arc<Database>,
    link: Option<Link>,
    role: Role,
    /// When the tables were looked at last.
    pub(super) looked: Option<Instant>,
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
    pub(super) fn once<T>(
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

    /// Calls `visitor` with the records of a query behind one of them, all from one moment; the last parameter of the query is the record after which a page
    /// begins.
    pub(super) fn visit(
        &mut self,
        query: &str,
        parameters: &[&(dyn ToSql + Sync)],
        mut after: i64,
        visitor: &mut Visitor<'_>,
    ) -> Result<(), AuditError> {
        let mut begun = false;
        let mut goes_on = true;
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

//! The embedded store: one SQLite file.
//!
//! | table | one row per | columns |
//! |---|---|---|
//! | `threads` | thread | `thread_id`, `epoch` |
//! | `records` | committed row | `thread_id`, `seq`, `commit_seq` (the first seq of its commit), `time` (ms since 1970), `run_id`, `kind` (`message` or `run`), `step` and `response` (assistant messages), `body` |
//! | `commands` | idempotency key | `thread_id`, `key`, `command`, `run_id`, `message_id`, `seq` |
//! | `queue` | send that waits | `thread_id`, `place`, `run_id`, `input`, `cancelled` |
//!
//! `body` is JSON as on the wire: the message object, or `{"state":…,"resume_ticket":…}`.

use super::sqlite_read as read;
use super::{
    Change, Command, Commit, Head, PageAnswer, PageRequest, Queued, Remembered, Store, StoreError, Watcher,
    sqlite_read::body_of,
};
use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use threadfold::event::{MessageId, RunId, ThreadId};
use threadfold::json;
use threadfold::thread::{MessageRow, Record, RunRow};

const SCHEMA: &str = "
CREATE TABLE IF NOT EXISTS threads (thread_id TEXT PRIMARY KEY, epoch TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS records (
    thread_id TEXT NOT NULL, seq INTEGER NOT NULL, commit_seq INTEGER NOT NULL, time INTEGER NOT NULL,
    run_id TEXT, kind TEXT NOT NULL CHECK (kind IN ('message', 'run')), step INTEGER, response INTEGER,
    body TEXT NOT NULL, PRIMARY KEY (thread_id, seq)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS records_of_a_run ON records (thread_id, run_id, seq);
CREATE TABLE IF NOT EXISTS commands (
    thread_id TEXT NOT NULL, key TEXT NOT NULL, command TEXT NOT NULL, run_id TEXT NOT NULL, message_id TEXT,
    seq INTEGER, PRIMARY KEY (thread_id, key)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS queue (
    thread_id TEXT NOT NULL, place INTEGER NOT NULL, run_id TEXT NOT NULL, input TEXT NOT NULL,
    cancelled INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (thread_id, place)) WITHOUT ROWID;
";

/// A SQLite file: one connection writes, one reads, so that a long page does not hold up a commit.
pub struct SqliteStore {
    writer: Mutex<Connection>,
    reader: Mutex<Connection>,
    watcher: OnceLock<Watcher>,
}

impl SqliteStore {
    /// Opens the file, making it and its tables when they are missing.
    ///
    /// # Errors
    /// When the file can't be opened or written.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let writer = connect(path)?;
        writer.execute_batch(SCHEMA)?;
        Ok(Self { writer: Mutex::new(writer), reader: Mutex::new(connect(path)?), watcher: OnceLock::new() })
    }

    fn reader(&self) -> MutexGuard<'_, Connection> {
        self.reader.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn writer(&self) -> MutexGuard<'_, Connection> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn connect(path: &Path) -> Result<Connection, StoreError> {
    let connection = Connection::open(path)?;
    connection.busy_timeout(Duration::from_secs(5))?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    Ok(connection)
}

impl Store for SqliteStore {
    fn append(&self, thread: &ThreadId, commit: Commit) -> Result<Vec<Record>, StoreError> {
        let mut writer = self.writer();
        let tx = writer.transaction_with_behavior(TransactionBehavior::Immediate)?;
        make_thread(&tx, thread)?;
        let first = read::frontier(&tx, thread)?.map_or(0, |last| last + 1);
        let records = rows(&commit, first);
        for record in &records {
            insert(&tx, thread, first, record)?;
        }
        if let Some(command) = &commit.command {
            let message_id = commit.messages.first().map(|new| &new.message.id);
            remember(&tx, thread, command, &commit.run_id, message_id, Some(first))?;
        }
        if commit.leaves_queue {
            tx.prepare_cached("DELETE FROM queue WHERE thread_id = ?1 AND run_id = ?2")?
                .execute(params![thread.as_str(), commit.run_id.as_str()])?;
            tx.prepare_cached("UPDATE commands SET seq = ?3 WHERE thread_id = ?1 AND run_id = ?2 AND seq IS NULL")?
                .execute(params![thread.as_str(), commit.run_id.as_str(), first])?;
        }
        tx.commit()?;
        // Still under the writer's lock: announcements keep the order of commits.
        if let Some(watcher) = self.watcher.get() {
            watcher(thread, Change::Committed(&records));
        }
        Ok(records)
    }

    fn watch(&self, watcher: Watcher) {
        // The first watcher stays; the host sets one.
        let _ = self.watcher.set(watcher);
    }

    fn create(&self, thread: &ThreadId) -> Result<Head, StoreError> {
        let mut writer = self.writer();
        let tx = writer.transaction_with_behavior(TransactionBehavior::Immediate)?;
        make_thread(&tx, thread)?;
        let head = read::head(&tx, thread)?;
        tx.commit()?;
        head.ok_or_else(|| StoreError("the thread is not there after it was made".to_owned()))
    }

    fn head(&self, thread: &ThreadId) -> Result<Option<Head>, StoreError> {
        let mut reader = self.reader();
        let tx = reader.transaction()?;
        read::head(&tx, thread)
    }

    fn page(&self, thread: &ThreadId, request: PageRequest) -> Result<Option<PageAnswer>, StoreError> {
        let mut reader = self.reader();
        let tx = reader.transaction()?;
        read::page(&tx, thread, request)
    }

    fn records(&self, thread: &ThreadId, run: Option<&RunId>) -> Result<Vec<Record>, StoreError> {
        read::records(&self.reader(), thread, run)
    }

    fn latest(&self, thread: &ThreadId, run: Option<&RunId>) -> Result<Option<RunRow>, StoreError> {
        read::latest(&self.reader(), thread, run)
    }

    fn running(&self) -> Result<Vec<(ThreadId, RunId)>, StoreError> {
        read::running(&self.reader())
    }

    fn remembered(&self, thread: &ThreadId, key: &str) -> Result<Option<Remembered>, StoreError> {
        read::remembered(&self.reader(), thread, key)
    }

    fn enqueue(&self, thread: &ThreadId, queued: Queued, command: Command, front: bool) -> Result<(), StoreError> {
        let mut writer = self.writer();
        let tx = writer.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let place = if front { "min(place), 0) - 1" } else { "max(place), 0) + 1" };
        tx.execute(
            &format!(
                "INSERT INTO queue (thread_id, place, run_id, input)
                 SELECT ?1, coalesce({place}, ?2, ?3 FROM queue WHERE thread_id = ?1"
            ),
            params![thread.as_str(), queued.run_id.as_str(), json::write(&queued.input)],
        )?;
        remember(&tx, thread, &command, &queued.run_id, Some(&queued.input.message_id), None)?;
        tx.commit()?;
        Ok(())
    }

    fn queue(&self, thread: &ThreadId) -> Result<Vec<Queued>, StoreError> {
        read::queue(&self.reader(), thread)
    }

    fn cancel_queued(&self, thread: &ThreadId, run: &RunId) -> Result<bool, StoreError> {
        let changed = self.writer().execute(
            "UPDATE queue SET cancelled = 1 WHERE thread_id = ?1 AND run_id = ?2",
            params![thread.as_str(), run.as_str()],
        )?;
        Ok(changed > 0)
    }

    fn queued_threads(&self) -> Result<Vec<ThreadId>, StoreError> {
        read::queued_threads(&self.reader())
    }

    fn new_epoch(&self, thread: &ThreadId, commits: u64) -> Result<Option<Head>, StoreError> {
        let mut writer = self.writer();
        let tx = writer.transaction_with_behavior(TransactionBehavior::Immediate)?;
        if commits > 0 {
            let cut: Option<u64> = tx
                .query_row(
                    "SELECT DISTINCT commit_seq FROM records WHERE thread_id = ?1
                     ORDER BY commit_seq DESC LIMIT 1 OFFSET ?2",
                    params![thread.as_str(), commits - 1],
                    |row| row.get(0),
                )
                .optional()?;
            tx.execute(
                "DELETE FROM records WHERE thread_id = ?1 AND seq >= ?2",
                params![thread.as_str(), cut.unwrap_or(0)],
            )?;
        }
        tx.execute("UPDATE threads SET epoch = ?2 WHERE thread_id = ?1", params![thread.as_str(), make_epoch()])?;
        let head = read::head(&tx, thread)?;
        tx.commit()?;
        if let (Some(watcher), Some(head)) = (self.watcher.get(), &head) {
            watcher(thread, Change::Replaced(head));
        }
        Ok(head)
    }
}

/// The rows of a commit, numbered from `first`: messages, then the state.
fn rows(commit: &Commit, first: u64) -> Vec<Record> {
    let time = now();
    let mut rows: Vec<Record> = Vec::with_capacity(commit.messages.len() + 1);
    for (seq, new) in (first..).zip(&commit.messages) {
        rows.push(Record::Message(MessageRow {
            seq,
            time,
            run_id: Some(commit.run_id.clone()),
            step: new.place.map(|(step, _)| step),
            response: new.place.map(|(_, response)| response),
            mark: None,
            message: new.message.clone(),
        }));
    }
    if let Some(new) = &commit.state {
        rows.push(Record::Run(RunRow {
            seq: first + rows.len() as u64,
            time,
            run_id: commit.run_id.clone(),
            state: new.state.clone(),
            resume_ticket: new.ticket.clone(),
        }));
    }
    rows
}

fn insert(tx: &Transaction<'_>, thread: &ThreadId, first: u64, record: &Record) -> Result<(), StoreError> {
    let (kind, time, step, response) = match record {
        Record::Message(row) => ("message", row.time, row.step, row.response),
        Record::Run(row) => ("run", row.time, None, None),
        // This host makes none.
        Record::Aside(_) => return Ok(()),
    };
    let run_id = record.run_id().map(RunId::as_str);
    tx.prepare_cached("INSERT INTO records VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)")?.execute(params![
        thread.as_str(),
        record.seq(),
        first,
        time,
        run_id,
        kind,
        step,
        response,
        body_of(record)
    ])?;
    Ok(())
}

fn make_thread(tx: &Transaction<'_>, thread: &ThreadId) -> Result<(), StoreError> {
    tx.prepare_cached("INSERT OR IGNORE INTO threads VALUES (?1, ?2)")?
        .execute(params![thread.as_str(), make_epoch()])?;
    Ok(())
}

fn remember(
    tx: &Transaction<'_>,
    thread: &ThreadId,
    command: &Command,
    run: &RunId,
    message: Option<&MessageId>,
    seq: Option<u64>,
) -> Result<(), StoreError> {
    tx.prepare_cached("INSERT INTO commands VALUES (?1, ?2, ?3, ?4, ?5, ?6)")?.execute(params![
        thread.as_str(),
        command.key,
        command.text,
        run.as_str(),
        message.map(MessageId::as_str),
        seq
    ])?;
    Ok(())
}

fn make_epoch() -> String {
    let id = uuid::Uuid::new_v4().simple().to_string();
    format!("e-{}", id.get(..12).unwrap_or(&id))
}

/// Milliseconds since 1970.
pub(crate) fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(0)
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        Self(error.to_string())
    }
}

impl From<json::Error> for StoreError {
    fn from(error: json::Error) -> Self {
        Self(format!("a stored row can't be read: {error}"))
    }
}

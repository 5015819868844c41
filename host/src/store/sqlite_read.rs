//! The reads of the SQLite store. What belongs in one answer is read in one transaction.

use super::{Command, Direction, Head, PageAnswer, PageRequest, Queued, Remembered, StoreError};
use rusqlite::{Connection, OptionalExtension, Row, params};
use threadfold::event::{Epoch, MessageId, RunId, ThreadId};
use threadfold::json::{self, Wire, Writer};
use threadfold::source::threadfold::CONTRACT;
use threadfold::thread::{MessageRow, Page, Record, ResumeTicket, RunRow, RunState};

const COLUMNS: &str = "seq, time, run_id, kind, step, response, body";

/// The last seq of a thread.
pub(super) fn frontier(db: &Connection, thread: &ThreadId) -> Result<Option<u64>, StoreError> {
    let mut statement = db.prepare_cached("SELECT max(seq) FROM records WHERE thread_id = ?1")?;
    Ok(statement.query_row([thread.as_str()], |row| row.get(0))?)
}

pub(super) fn head(db: &Connection, thread: &ThreadId) -> Result<Option<Head>, StoreError> {
    let mut statement = db.prepare_cached("SELECT epoch FROM threads WHERE thread_id = ?1")?;
    let epoch: Option<String> = statement.query_row([thread.as_str()], |row| row.get(0)).optional()?;
    let Some(epoch) = epoch else { return Ok(None) };
    Ok(Some(Head { epoch: Epoch::from(epoch.as_str()), frontier: frontier(db, thread)? }))
}

pub(super) fn page(db: &Connection, thread: &ThreadId, request: PageRequest) -> Result<Option<PageAnswer>, StoreError> {
    let Some(Head { epoch, frontier: real }) = head(db, thread)? else { return Ok(None) };
    let frontier = match request.as_of {
        None => real,
        Some(time) => db
            .prepare_cached("SELECT max(seq) FROM records WHERE thread_id = ?1 AND time <= ?2")?
            .query_row(params![thread.as_str(), time], |row| row.get(0))?,
    };
    // Nothing visible yet: a bound below every seq.
    let top = frontier.map_or(-1, signed);
    let id = thread.as_str();
    let (records, has_more) = match request.direction {
        Direction::After(after) => {
            let after = after.map_or(-1, signed);
            // The page goes on to the end of the commit that holds its last row.
            let mut records = select(
                db,
                "seq > ?2 AND seq <= ?3 ORDER BY seq LIMIT ?4",
                params![id, after, top, signed(request.limit)],
            )?;
            if let Some(last) = records.last().map(|record| signed(record.seq())) {
                records.extend(select(
                    db,
                    "seq > ?2 AND seq <= ?3 AND commit_seq =
                     (SELECT commit_seq FROM records WHERE thread_id = ?1 AND seq = ?2) ORDER BY seq",
                    params![id, last, top],
                )?);
            }
            let last = records.last().map_or(after, |record| signed(record.seq()));
            (records, last < top)
        }
        Direction::Before(before) => {
            let before = signed(before).min(top.saturating_add(1));
            let mut records =
                select(db, "seq < ?2 ORDER BY seq DESC LIMIT ?3", params![id, before, signed(request.limit)])?;
            if let Some(first) = records.last().map(|record| signed(record.seq())) {
                records.extend(select(
                    db,
                    "seq < ?2 AND seq >=
                     (SELECT commit_seq FROM records WHERE thread_id = ?1 AND seq = ?2) ORDER BY seq DESC",
                    params![id, first],
                )?);
            }
            records.reverse();
            let has_more = records.first().is_some_and(|record| record.seq() > 0);
            (records, has_more)
        }
    };
    let mut page = Page {
        contract: CONTRACT.to_owned(),
        thread_id: thread.clone(),
        epoch,
        frontier,
        has_more,
        messages: Vec::new(),
        runs: Vec::new(),
    };
    for record in records {
        match record {
            Record::Message(row) => page.messages.push(row),
            Record::Run(row) => page.runs.push(row),
            Record::Aside(_) => {}
        }
    }
    Ok(Some(PageAnswer { page, hidden: frontier != real }))
}

pub(super) fn records(db: &Connection, thread: &ThreadId, run: Option<&RunId>) -> Result<Vec<Record>, StoreError> {
    match run {
        Some(run) => select(db, "run_id = ?2 ORDER BY seq", params![thread.as_str(), run.as_str()]),
        None => select(db, "1 ORDER BY seq", params![thread.as_str()]),
    }
}

pub(super) fn latest(db: &Connection, thread: &ThreadId, run: Option<&RunId>) -> Result<Option<RunRow>, StoreError> {
    let rows = match run {
        Some(run) => select(
            db,
            "run_id = ?2 AND kind = 'run' ORDER BY seq DESC LIMIT 1",
            params![thread.as_str(), run.as_str()],
        )?,
        None => select(db, "kind = 'run' ORDER BY seq DESC LIMIT 1", params![thread.as_str()])?,
    };
    Ok(rows.into_iter().find_map(|record| match record {
        Record::Run(row) => Some(row),
        Record::Message(_) | Record::Aside(_) => None,
    }))
}

pub(super) fn running(db: &Connection) -> Result<Vec<(ThreadId, RunId)>, StoreError> {
    let mut statement = db.prepare(
        "SELECT thread_id, run_id, body FROM records AS r WHERE kind = 'run' AND seq =
         (SELECT max(seq) FROM records WHERE thread_id = r.thread_id AND run_id = r.run_id AND kind = 'run')",
    )?;
    let rows = statement
        .query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?, row.get::<_, String>(2)?)))?;
    let mut running = Vec::new();
    for row in rows {
        let (thread, run, body) = row?;
        if matches!(read_state(&body)?.0, RunState::Running | RunState::Unknown(_)) {
            running.push((ThreadId::from(thread.as_str()), RunId::from(run.as_str())));
        }
    }
    Ok(running)
}

pub(super) fn remembered(db: &Connection, thread: &ThreadId, key: &str) -> Result<Option<Remembered>, StoreError> {
    let mut statement =
        db.prepare_cached("SELECT command, run_id, message_id, seq FROM commands WHERE thread_id = ?1 AND key = ?2")?;
    let found = statement.query_row(params![thread.as_str(), key], |row| {
        Ok(Remembered {
            command: Command { key: key.to_owned(), text: row.get(0)? },
            run_id: RunId::from(row.get::<_, String>(1)?.as_str()),
            message_id: row.get::<_, Option<String>>(2)?.map(|id| MessageId::from(id.as_str())),
            seq: row.get(3)?,
        })
    });
    Ok(found.optional()?)
}

pub(super) fn queue(db: &Connection, thread: &ThreadId) -> Result<Vec<Queued>, StoreError> {
    let mut statement =
        db.prepare_cached("SELECT run_id, input, cancelled FROM queue WHERE thread_id = ?1 ORDER BY place")?;
    let rows = statement.query_map([thread.as_str()], |row| {
        Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?, row.get::<_, bool>(2)?))
    })?;
    let mut queue = Vec::new();
    for row in rows {
        let (run, input, cancelled) = row?;
        queue.push(Queued { run_id: RunId::from(run.as_str()), input: json::read(&input)?, cancelled });
    }
    Ok(queue)
}

pub(super) fn queued_threads(db: &Connection) -> Result<Vec<ThreadId>, StoreError> {
    let mut statement = db.prepare("SELECT DISTINCT thread_id FROM queue")?;
    let rows = statement.query_map([], |row| row.get::<_, String>(0))?;
    Ok(rows.map(|row| row.map(|id| ThreadId::from(id.as_str()))).collect::<Result<_, _>>()?)
}

/// The `body` column of a row.
pub(super) fn body_of(record: &Record) -> String {
    match record {
        Record::Aside(_) => String::new(),
        Record::Message(row) => json::write(&row.message),
        Record::Run(row) => {
            let mut w = Writer::new();
            w.object(|w| {
                w.key("state");
                row.state.write(w);
                if let Some(ticket) = &row.resume_ticket {
                    w.key("resume_ticket");
                    ticket.write(w);
                }
            });
            w.finish()
        }
    }
}

fn select(db: &Connection, clause: &str, params: impl rusqlite::Params) -> Result<Vec<Record>, StoreError> {
    let mut statement =
        db.prepare_cached(&format!("SELECT {COLUMNS} FROM records WHERE thread_id = ?1 AND {clause}"))?;
    let mut rows = statement.query(params)?;
    let mut records = Vec::new();
    while let Some(row) = rows.next()? {
        records.push(record(row)?);
    }
    Ok(records)
}

fn record(row: &Row<'_>) -> Result<Record, StoreError> {
    let seq: u64 = row.get(0)?;
    let time: u64 = row.get(1)?;
    let run_id = row.get::<_, Option<String>>(2)?.map(|id| RunId::from(id.as_str()));
    let kind: String = row.get(3)?;
    let body: String = row.get(6)?;
    if kind == "message" {
        let message = json::read(&body)?;
        return Ok(Record::Message(MessageRow {
            seq,
            time,
            run_id,
            step: row.get(4)?,
            response: row.get(5)?,
            mark: None,
            message,
        }));
    }
    let (state, resume_ticket) = read_state(&body)?;
    let run_id = run_id.ok_or_else(|| StoreError(format!("the run row {seq} names no run")))?;
    Ok(Record::Run(RunRow { seq, time, run_id, state, resume_ticket }))
}

fn read_state(body: &str) -> Result<(RunState, Option<ResumeTicket>), StoreError> {
    let mut state = None;
    let mut ticket = None;
    let mut r = json::Reader::new(body, json::Limits::default())?;
    r.object(|r, key| {
        match key {
            "state" => state = Some(RunState::read(r)?),
            "resume_ticket" => ticket = Some(ResumeTicket::read(r)?),
            _ => r.skip()?,
        }
        Ok(())
    })?;
    let state = state.ok_or_else(|| StoreError("a stored run row has no state".to_owned()))?;
    Ok((state, ticket))
}

/// SQLite's integers are signed; a seq never comes near the difference.
fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

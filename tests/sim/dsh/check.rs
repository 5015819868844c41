//! What must hold of a page that follows a dsh session: at every change, and after a quiet time.

use super::Session;
use crate::client::Client;
use crate::world::World;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};
use threadfold::event::{PlacedFact, Position};
use threadfold::follow::{Generation, Input, Live, Options, Protocol, Status};
use threadfold::source::dsh::read_item;

/// What a log that is read cold shows, by life and length: committed items, the run, and the Facts.
#[derive(Default)]
pub struct Cold(HashMap<(usize, usize), Shown>);

#[derive(Clone)]
struct Shown {
    items: Vec<Value>,
    run: Value,
    facts: BTreeMap<Position, PlacedFact>,
}

/// A preview shows what an attempt of its step has said, and stands beside no record of its own.
pub fn step(session: &Session, items: &[Value]) -> Result<(), String> {
    for item in items.iter().filter(|item| item["origin"] != "committed" && is_answer(item)) {
        let same = |other: &&Value| ["run_id", "step", "response"].iter().all(|field| other[field] == item[field]);
        if items.iter().filter(|other| is_answer(other)).filter(same).count() > 1 {
            return Err(format!("I1: a preview stands beside its record or another preview: {item}"));
        }
        let shown = parts(item);
        let of_step = |attempt: &&super::Attempt| (attempt.turn, attempt.step) == place_of(item);
        let mut attempts = session.host.attempts.iter().chain(&session.said).filter(of_step);
        if !attempts.any(|attempt| attempt.known.contains(&shown)) {
            return Err(format!("I4: a preview shows what was never said: {item}"));
        }
    }
    Ok(())
}

/// The committed items and the run are those of somebody who reads a beginning of a log cold: all that was taken, or,
/// while a settlement is held, what stands before it.
pub fn is_cold(world: &mut World, at: usize) -> Result<(), String> {
    let World { clients, dsh: Some(session), .. } = world else { return Ok(()) };
    let client = &clients[at];
    let rows = client.engine.frontier().map_or(0, |last| last as usize + 1);
    for life in (0..=session.past.len()).rev() {
        for length in (0..=rows).rev() {
            if session.shown(life, length).is_some_and(|cold| is_same(cold, client)) {
                return Ok(());
            }
            if length + 12 < rows {
                break;
            }
        }
    }
    Err(format!("I2: no beginning of the log read cold is what is shown at row {rows}: {}", json!(client.items())))
}

/// After a quiet time.
pub fn quiet(world: &mut World, at: usize) -> Result<(), String> {
    let World { clients, dsh: Some(session), .. } = world else { return Ok(()) };
    let client = &clients[at];
    if *client.engine.status() != Status::Live {
        return Err(format!("T: the status is {:?} after a quiet time", client.engine.status()));
    }
    let rows = session.host.log.len();
    if client.engine.frontier().map_or(0, |last| last as usize + 1) != rows {
        return Err(format!("I5: the page is at {:?}, the log has {rows} rows", client.engine.frontier()));
    }
    // What an attempt left is held until its end comes, and then so is what came behind it.
    let held = session.attempt.as_ref().and_then(|attempt| attempt.settled).map(|(_, seq)| seq as usize);
    let lives = session.past.len();
    let fits = |session: &mut Session, length: usize| {
        session.shown(lives, length).is_some_and(|cold| is_same(cold, client) && cold.facts == client.facts)
    };
    if !fits(session, rows) && !held.is_some_and(|seq| fits(session, seq)) {
        let cold = session.shown(lives, rows).map(|cold| (cold.items.clone(), cold.run.clone()));
        return Err(format!("I5: the log read cold is {cold:?}, and the page shows {}", client.page.view));
    }
    let lanes: Vec<&Value> =
        client.items().iter().filter(|item| item["origin"] != "committed" && is_answer(item)).collect();
    let streams = session.attempt.as_ref();
    let right = match (streams, lanes.as_slice()) {
        (None, []) => true,
        (Some(attempt), []) => attempt.settled.is_some() || session.unshown.as_ref() == Some(&attempt.id),
        (Some(attempt), [lane]) => {
            parts(lane) == session.host.live()
                && (lane["origin"] == "preview" || session.unshown.as_ref() == Some(&attempt.id))
        }
        _ => false,
    };
    if !right {
        return Err(format!("I4: {streams:?} streams, and the lanes are {lanes:?}"));
    }
    let waiting = session.host.waiting();
    for item in client.items().iter().filter(|item| item["origin"] != "committed" && item["kind"] == "user") {
        let id = &item["message_id"];
        let queued = waiting.iter().any(|message| message["source"]["rpcId"] == *id);
        let right = match item["send"]["state"].as_str().unwrap_or_default() {
            "failed" => true,
            "queued" => queued || session.has_crashed(),
            _ => session.has_crashed(),
        };
        if !right {
            return Err(format!("T: a send never settles: {item}"));
        }
    }
    Ok(())
}

impl Session {
    /// What the first rows of the log of this life show, read cold.
    fn shown(&mut self, life: usize, length: usize) -> Option<&Shown> {
        let log = self.past.get(life).unwrap_or(&self.host.log);
        if length > log.len() {
            return None;
        }
        Some(self.cold.0.entry((life, length)).or_insert_with(|| {
            let records: Vec<Value> =
                log[..length].iter().map(|event| json!({"type": "event", "event": event})).collect();
            let mut snapshot = super::empty();
            snapshot["records"] = json!(records);
            snapshot["cursor"] = json!(length as i64 - 1);
            read_cold(&snapshot)
        }))
    }
}

fn read_cold(snapshot: &Value) -> Shown {
    let options =
        Options { protocol: Protocol::Dsh, thread_id: None, renewable: false, watchdog: false, initial: None };
    let mut client = Client::new(options, 0);
    client.give(vec![Input::Connect], 0, 0);
    if let Ok(Some((item, notes))) = read_item(&snapshot.to_string()) {
        client.give(vec![Input::Live(Generation(1), Live::Dsh(item, notes))], 0, 0);
    }
    client.flush().unwrap_or_default();
    let items = client.items().iter().filter(|item| item["origin"] == "committed").cloned().collect();
    Shown { items, run: client.page.view["run"].clone(), facts: client.facts }
}

fn is_same(cold: &Shown, client: &Client) -> bool {
    let committed = client.items().iter().filter(|item| item["origin"] == "committed");
    cold.items.iter().eq(committed) && cold.run == client.page.view["run"]
}

fn is_answer(item: &Value) -> bool {
    item["kind"] == "assistant" || item["kind"] == "attempt"
}

/// The turn and the step of an item.
fn place_of(item: &Value) -> (u64, u64) {
    let turn = item["run_id"].as_str().and_then(|run| run.strip_prefix("turn-"));
    (turn.and_then(|turn| turn.parse().ok()).unwrap_or(0), item["step"].as_u64().unwrap_or(0))
}

/// An item's parts in the form of the model.
fn parts(item: &Value) -> String {
    let part = |part: &Value| {
        if part["type"] == "tool_call" {
            return json!({"type": "tool_call", "id": part["id"], "name": part["name"], "args": part["args"]});
        }
        json!({"type": part["type"], "text": part["text"]})
    };
    let parts = item["parts"].as_array().map(Vec::as_slice).unwrap_or_default();
    json!(parts.iter().map(part).collect::<Vec<_>>()).to_string()
}

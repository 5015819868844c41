//! What must hold: at every change of the view, and after a quiet time.

use crate::dsh;
use crate::world::World;
use serde_json::{Value, json};
use std::collections::HashMap;
use threadfold::engine::Engine;
use threadfold::event::{Epoch, ThreadId};
use threadfold::follow::frame::CONTRACT;
use threadfold::follow::{Options, Protocol, Status};
use threadfold::preview::{Content, Part};
use threadfold::thread::{Page, Record};

/// The view of a log that is read cold, by epoch and length.
#[derive(Default)]
pub struct Cold(HashMap<(usize, usize), Value>);

/// After each change that a page takes.
pub fn step(world: &mut World, at: usize, cold: bool) -> Result<(), String> {
    let client = &world.clients[at];
    let strict = world.way.protocol == Protocol::Strict;
    let items = client.items();
    let mut keys: Vec<&str> = items.iter().map(|item| item["key"].as_str().unwrap_or_default()).collect();
    keys.sort_unstable();
    if let Some(twice) = keys.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(format!("I03: the key {} is there twice", twice[0]));
    }
    let mut last = None;
    for item in items {
        if let Some(seq) = item["seq"].as_u64() {
            if last.is_some_and(|last| seq < last) {
                return Err(format!("I7: item {seq} stands behind {last:?}"));
            }
            last = Some(seq);
            continue;
        }
        if item["kind"] != "assistant" || !strict {
            continue;
        }
        let same = |other: &&Value| ["run_id", "step", "response"].iter().all(|field| other[field] == item[field]);
        if items.iter().filter(|other| other["kind"] == "assistant").filter(same).count() > 1 {
            return Err(format!("I1: a preview stands beside its record or another preview: {item}"));
        }
        let run = item["run_id"].as_str();
        let mut of_run = world.backend.host.said.iter().filter(|(at, _)| Some(at.run_id.as_str()) == run);
        if !of_run.any(|(_, content)| is_beginning(item, content)) {
            return Err(format!("I4: a preview shows what was never said: {item}"));
        }
    }
    if last > client.engine.frontier() {
        return Err(format!("I3: the view holds {last:?}, the log ends at {:?}", client.engine.frontier()));
    }
    if let Some(session) = &world.dsh {
        dsh::check::step(session, items)?;
        return if cold { dsh::check::is_cold(world, at) } else { Ok(()) };
    }
    let blank = items.is_empty() && client.engine.frontier().is_none();
    let anything = world.backend.host.frontier().is_some() && world.backend.past.is_empty();
    if blank && anything && client.page.number > 4 && client.engine.stats().records > 0 {
        return Err("I8: the view went blank".to_owned());
    }
    if cold { is_cold(world, at) } else { Ok(()) }
}

/// After a quiet time.
pub fn quiet(world: &mut World, at: usize) -> Result<(), String> {
    let strict = world.way.protocol == Protocol::Strict;
    if world.dsh.is_some() {
        dsh::check::is_cold(world, at)?;
    } else {
        is_cold(world, at)?;
    }
    let client = &mut world.clients[at];
    let whole: Value = serde_json::from_str(&client.engine.whole()).map_err(|error| error.to_string())?;
    if whole["view"] != client.page.view {
        return Err(format!("the changes made {}, the whole is {}", client.page.view, whole["view"]));
    }
    if client.closed {
        return if *client.engine.status() == Status::Closed { Ok(()) } else { Err("closed is not closed".to_owned()) };
    }
    if world.dsh.is_some() {
        return dsh::check::quiet(world, at);
    }
    if !world.backend.exists {
        let status = client.engine.status();
        let right = matches!(status, Status::Failed { code: "not_found" });
        return if right { Ok(()) } else { Err(format!("there is no thread, and the status is {status:?}")) };
    }
    if *client.engine.status() != Status::Live {
        return Err(format!("T: the status is {:?} after a quiet time", client.engine.status()));
    }
    let host = &world.backend.host;
    if client.engine.frontier() != host.frontier() {
        let end: Vec<_> = host.log.iter().rev().take(2).collect();
        return Err(format!("I5: the page is at {:?}, the log ends with {end:?}", client.engine.frontier()));
    }
    let facts = threadfold::fold::fold(&host.log);
    if facts != client.facts {
        let missing = facts.iter().find(|(position, fact)| client.facts.get(position) != Some(fact));
        return Err(format!("the Facts differ from the cold fold at {missing:?}"));
    }
    let streams = host.active.as_ref().filter(|attempt| attempt.seq.is_none() && !host.rests(attempt));
    let lanes: Vec<&Value> = client.items().iter().filter(|item| is_lane(item)).collect();
    if strict {
        let wanted = streams.map(|attempt| Content::of(&attempt.deltas));
        let right = match (&wanted, lanes.as_slice()) {
            (None, []) => true,
            (Some(content), [lane]) => parts_of(lane) == parts(content) && lane["origin"] == "preview",
            _ => false,
        };
        if !right {
            return Err(format!("I4: {wanted:?} streams, and the lanes are {lanes:?}"));
        }
    } else if !lanes.is_empty() && (host.is_over() || client.page.view["run"]["state"] == "awaiting") {
        // A plain stream does not say that an attempt was abandoned; its run's rest does (C4).
        return Err(format!("previews are left: {lanes:?}"));
    }
    for item in client.items().iter().filter(|item| item["origin"] != "committed" && item["kind"] == "user") {
        let id = item["message_id"].as_str().unwrap_or_default();
        let queued = world.backend.queue.iter().any(|queued| queued.message.as_str() == id);
        let state = item["send"]["state"].as_str().unwrap_or_default();
        let right = match state {
            "failed" => true,
            "queued" => queued || !world.backend.past.is_empty(),
            _ => !world.backend.past.is_empty(),
        };
        if !right {
            return Err(format!("T: a send never settles: {item}"));
        }
    }
    Ok(())
}

/// The committed items and the run are those of a page that reads the same records cold.
fn is_cold(world: &mut World, at: usize) -> Result<(), String> {
    let frontier = world.clients[at].engine.frontier();
    let rows = frontier.map_or(0, |last| usize::try_from(last + 1).unwrap_or(usize::MAX));
    let committed: Vec<&Value> =
        world.clients[at].items().iter().take_while(|item| item["origin"] == "committed").collect();
    let run = &world.clients[at].page.view["run"];
    let mut nearest = None;
    for epoch in (0..=world.backend.past.len()).rev() {
        let (name, log) = match world.backend.past.get(epoch) {
            Some((name, log)) => (name, log),
            None => (&world.backend.host.epoch, &world.backend.host.log),
        };
        let Some(records) = log.get(..rows) else { continue };
        let cold = world.cold.0.entry((epoch, rows)).or_insert_with(|| view_of(name, records));
        let items = cold["items"].as_array().map(Vec::as_slice).unwrap_or_default();
        let keyed = world.way.coordinates || world.way.protocol == Protocol::Strict;
        let differs = if items.len() == committed.len() {
            items
                .iter()
                .zip(&committed)
                .find(|(cold, warm)| !same_item(cold, warm, keyed))
                .map(|(a, b)| (a.clone(), (*b).clone()))
        } else {
            Some((json!(items.len()), json!(committed.len())))
        };
        if differs.is_none() && cold["run"] == *run {
            return Ok(());
        }
        nearest = nearest.or_else(|| Some(format!("{differs:?}; run {} and {run}", cold["run"])));
    }
    Err(format!("I2: the first {rows} rows read cold are another view: {nearest:?}"))
}

fn view_of(epoch: &Epoch, records: &[Record]) -> Value {
    let mut page = Page {
        contract: CONTRACT.to_owned(),
        thread_id: ThreadId::from("t1"),
        epoch: epoch.clone(),
        frontier: records.last().map(Record::seq),
        has_more: false,
        messages: Vec::new(),
        runs: Vec::new(),
    };
    for record in records.iter().cloned() {
        match record {
            Record::Message(row) => page.messages.push(row),
            Record::Run(row) => page.runs.push(row),
            Record::Aside(_) => {}
        }
    }
    let initial = (!records.is_empty()).then_some(page);
    let options = Options { protocol: Protocol::Strict, thread_id: None, renewable: false, watchdog: true, initial };
    let mut whole: Value = serde_json::from_str(&Engine::new(options).whole()).unwrap_or_default();
    whole["view"].take()
}

fn same_item(cold: &Value, warm: &Value, keyed: bool) -> bool {
    if keyed {
        return cold == warm;
    }
    let (mut cold, mut warm) = (cold.clone(), warm.clone());
    for item in [&mut cold, &mut warm] {
        item["key"].take();
        if item["call"].is_object() {
            item["call"]["key"].take();
        }
    }
    cold == warm
}

fn is_lane(item: &Value) -> bool {
    item["origin"] != "committed" && item["kind"] == "assistant"
}

fn parts(content: &Content) -> Vec<(&'static str, &str)> {
    let kind = |part: &Part| match part {
        Part::Text(_) => "text",
        Part::Reasoning(_) => "reasoning",
        Part::Call { .. } => "tool_call",
    };
    content.parts().iter().map(|part| (kind(part), part.text())).collect()
}

fn parts_of(item: &Value) -> Vec<(&str, &str)> {
    let parts = item["parts"].as_array().map(Vec::as_slice).unwrap_or_default();
    parts.iter().map(|part| (part["type"].as_str().unwrap_or_default(), text_of(part))).collect()
}

fn text_of(part: &Value) -> &str {
    part["args"].as_str().or(part["text"].as_str()).unwrap_or_default()
}

/// What is shown could grow into what was said.
fn is_beginning(item: &Value, said: &Content) -> bool {
    let (shown, said) = (parts_of(item), parts(said));
    shown.len() <= said.len()
        && shown.iter().zip(&said).all(|((kind, text), (other, all))| kind == other && all.starts_with(text))
}

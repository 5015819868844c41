// What a recorded host did in one session, as a host that could do it again: its log, its frames, its lives.

use serde_json::Value;
use std::collections::HashMap;
use std::fs;
use std::path::Path;

/// What one follower of a recording saw: one life of the host after another.
pub struct Recording {
    pub name: String,
    pub session: String,
    pub lives: Vec<Life>,
}

/// From an opening to the loss of the socket.
pub struct Life {
    /// The item that began it.
    pub snapshot: Value,
    /// What followed, with the time at which it came, in milliseconds.
    pub items: Vec<(u64, Value)>,
}

impl Recording {
    /// The recording as it would be if one of its attempts had left nothing in the log; with the number of that attempt's
    /// end. Of every attempt one.
    pub fn unsettled(&self) -> Vec<(usize, Recording)> {
        let items: Vec<&Value> = self.lives.iter().flat_map(|life| &life.items).map(|(_, item)| item).collect();
        let is_end = |item: &&Value| item.pointer("/frame/type").is_some_and(|kind| kind == "end");
        let ends = items.iter().enumerate().filter(|(_, item)| is_end(item)).map(|(at, _)| at);
        ends.map(|at| (at, self.without(at.saturating_sub(1)))).collect()
    }

    /// The recording with another event, which means nothing, in the place of this one.
    fn without(&self, event: usize) -> Recording {
        let mut at = 0;
        let lives = self.lives.iter().map(|life| {
            let items = life.items.iter().map(|(time, item)| {
                let mut item = item.clone();
                if at == event
                    && let Some(kind) = item.pointer_mut("/event/type")
                {
                    *kind = Value::from("x/nothing");
                }
                at += 1;
                (*time, item)
            });
            Life { snapshot: life.snapshot.clone(), items: items.collect() }
        });
        Recording { name: self.name.clone(), session: self.session.clone(), lives: lives.collect() }
    }
}

/// All followers of all recordings in this folder.
pub fn all(folder: &Path) -> Vec<Recording> {
    let mut files: Vec<_> =
        fs::read_dir(folder).expect("the fixtures are there").flatten().map(|entry| entry.path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "jsonl"));
    files.sort();
    files.iter().flat_map(|file| followers(file)).collect()
}

/// One open stream: which follower it belongs to, and whether its snapshot has come.
struct Stream {
    connection: String,
    follower: usize,
}

fn followers(file: &Path) -> Vec<Recording> {
    let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let text = fs::read_to_string(file).expect("a fixture is text");
    let mut found: Vec<Recording> = Vec::new();
    // Followers whose socket was lost go on with the next opening of their session.
    let mut lost: Vec<usize> = Vec::new();
    let mut streams: HashMap<String, Stream> = HashMap::new();
    for line in text.lines() {
        let line: Value = serde_json::from_str(line).expect("a fixture is JSON lines");
        let word = |pointer: &str| line.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
        let (direction, connection, kind) = (word("/dir"), word("/conn"), word("/frame/type"));
        let stream = format!("{connection}/{}", word("/frame/streamId"));
        match (direction.as_str(), kind.as_str()) {
            ("note", _) if matches!(word("/frame/event").as_str(), "ws-open" | "ws-close") => {
                let (over, open) = streams.into_iter().partition(|(_, stream)| stream.connection == connection);
                streams = open;
                let over: HashMap<String, Stream> = over;
                lost.extend(over.into_values().map(|stream| stream.follower));
                lost.sort_unstable();
            }
            ("send", "open") if word("/frame/endpoint") == "session/follow" => {
                let session = word("/frame/payload/args/request/address/sessionId");
                let again = lost.iter().position(|at| found.get(*at).is_some_and(|other| other.session == session));
                let follower = match again {
                    Some(at) => lost.remove(at),
                    None => {
                        found.push(Recording { name: name.clone(), session, lives: Vec::new() });
                        found.len() - 1
                    }
                };
                streams.insert(stream, Stream { connection, follower });
            }
            ("send", "cancel") => drop(streams.remove(&stream)),
            ("recv", "item") => {
                let Some(recording) = streams.get(&stream).and_then(|stream| found.get_mut(stream.follower)) else {
                    continue;
                };
                let value = line.pointer("/frame/value").cloned().unwrap_or_default();
                let at = line.get("t").and_then(Value::as_u64).unwrap_or_default();
                if value.get("type").and_then(Value::as_str) == Some("snapshot") {
                    recording.lives.push(Life { snapshot: value, items: Vec::new() });
                } else if let Some(life) = recording.lives.last_mut() {
                    life.items.push((at, value));
                }
            }
            _ => {}
        }
    }
    found.retain(|recording| recording.lives.iter().any(|life| !life.items.is_empty()));
    found
}

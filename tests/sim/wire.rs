//! Frames as bytes, and bytes as what the edge tells the engine.

use crate::host::Host;
use threadfold::event::{AgentEvent, Coordinate, Delta, Envelope, Fact, RunId};
use threadfold::follow::frame::Frame;
use threadfold::follow::{Live, ReadError};
use threadfold::json::{self, Notes};
use threadfold::source::sse::Decoder;
use threadfold::source::threadfold::{live_event, plain_event, read_page};
use threadfold::thread::{Page, Record};

/// A named event of `threadfold/1`.
pub fn strict(frame: &Frame) -> Vec<u8> {
    let (name, data) = frame.write();
    format!("event: {name}\ndata: {data}\n\n").into_bytes()
}

/// What a host of plain envelopes says in the frame's place; nothing, where it has no word for it.
pub fn plain(frame: &Frame, host: &Host, coordinates: bool) -> Vec<u8> {
    match frame {
        Frame::Delta(frame) => {
            let Some(attempt) = &host.active else { return Vec::new() };
            envelope(&attempt.coordinate, &frame.delta, coordinates)
        }
        Frame::Committed(committed) => {
            let rows = committed.records.iter().flatten().filter_map(|record| match record {
                Record::Run(row) => Some(hint(&row.run_id)),
                Record::Message(row) if row.run_id.is_none() => Some(hint(&host.run_id())),
                Record::Message(_) | Record::Aside(_) => None,
            });
            rows.flatten().collect()
        }
        Frame::Ping(_) => b": still here\n\n".to_vec(),
        Frame::Opened(_) | Frame::Start(_) | Frame::End(_) | Frame::Bye(_) => Vec::new(),
    }
}

fn envelope(at: &Coordinate, delta: &Delta, located: bool) -> Vec<u8> {
    let kind = AgentEvent::Delta(delta.clone());
    let bare = json::write(&Envelope { run_id: at.run_id.clone(), kind, coordinate: None });
    if !located {
        return format!("data: {bare}\n\n").into_bytes();
    }
    let place = format!("{{\"thread_id\":\"t1\",\"step\":{},\"response\":{}}}", at.step, at.response);
    format!("data: {{\"event\":{bare},\"assistant_response\":{place}}}\n\n").into_bytes()
}

/// Each state of a run is told live (A5). A Fact on a live stream has no authority: that of a run's beginning will do for
/// all.
fn hint(run: &RunId) -> Vec<u8> {
    let kind = AgentEvent::Fact(Fact::RunStarted {});
    let bare = json::write(&Envelope { run_id: run.clone(), kind, coordinate: None });
    format!("data: {bare}\n\n").into_bytes()
}

/// The event loses the end of its data, as a proxy that closes lines would have it.
pub fn garble(bytes: &mut Vec<u8>) {
    bytes.truncate(bytes.len() * 2 / 3);
    while std::str::from_utf8(bytes).is_err() {
        bytes.pop();
    }
    bytes.extend_from_slice(b"\n\n");
}

/// What a chunk of the stream brings: its events, or a sign of life.
pub fn read(decoder: &mut Decoder, chunk: &[u8], plain: bool) -> Vec<Live> {
    let mut lives = Vec::new();
    let of = |name: &str, data: &str| if plain { plain_event(name, data) } else { live_event(name, data) };
    let pushed = decoder.push(chunk, &mut |event| lives.push(of(event.name, event.data)));
    if lives.is_empty() && pushed.is_ok() {
        lives.push(Live::Activity);
    }
    lives
}

/// A page that crosses the wire as text.
pub fn page(answer: Result<Page, ReadError>) -> Result<(Page, Notes), ReadError> {
    answer.and_then(|page| read_page("application/json", &json::write(&page)))
}

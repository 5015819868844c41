//! What the engine asks for, as the JSON arrays that `pkg/src/driver.js` takes apart.

use crate::engine::Effect;
use crate::event::{Epoch, MessageId, RunId};
use crate::follow::Status;
use crate::json::{Wire, Writer, wire_object};
use crate::source::dsh::Act;
use crate::source::threadfold;
use crate::view;

/// An effect: its word, then what goes with it.
pub fn write(effect: &Effect) -> String {
    let mut w = Writer::new();
    w.array(|w| match effect {
        Effect::OpenLive(generation) => head(w, "openLive", generation.0),
        Effect::CloseLive(generation) => head(w, "closeLive", generation.0),
        // Only a carrier is told.
        Effect::Knock(_) => {}
        Effect::Fetch(fetch) => {
            head(w, "read", fetch.id.0);
            Query { after: fetch.after, limit: fetch.limit, epoch: fetch.epoch.clone() }.write(w);
        }
        Effect::Request(id, command) => {
            head(w, "request", id.0);
            threadfold::request(command, w);
        }
        Effect::Done(id, Ok(accepted)) => {
            head(w, "done", id.0);
            let crate::follow::Accepted { run_id, message_id, seq } = accepted.clone();
            Accepted { run_id, message_id, seq }.write(w);
        }
        Effect::Done(id, Err(error)) => {
            head(w, "failed", id.0);
            w.string(&error.code);
            w.string(&error.message);
        }
        Effect::Anomaly(anomaly) => {
            w.string("anomaly");
            w.string(anomaly.code);
            w.string(&anomaly.message);
        }
    });
    w.finish()
}

/// What a dsh host's carrier asks for, in the same form.
pub fn write_act(act: &Act) -> String {
    let mut w = Writer::new();
    w.array(|w| match act {
        Act::Connect { socket } => head(w, "connect", *socket),
        Act::Send { socket, text } => {
            head(w, "transmit", *socket);
            w.string(text);
        }
        Act::Disconnect { socket } => head(w, "disconnect", *socket),
        Act::Post(call) => {
            head(w, "post", call.id);
            w.string(call.method);
            w.string(&call.body);
        }
        Act::Tell(_) => {}
    });
    w.finish()
}

/// The connection's state, as it stands in the view.
pub fn write_status(status: &Status) -> String {
    let mut w = Writer::new();
    w.array(|w| {
        w.string("status");
        view::write_status(w, status);
    });
    w.finish()
}

fn head(w: &mut Writer, word: &str, number: u32) {
    w.string(word);
    w.number(u64::from(number));
}

wire_object! {
    struct Query {
        after: Option<u64>,
        limit: u32,
        epoch: Option<Epoch> => optional,
    }
}

wire_object! {
    struct Accepted {
        run_id: Option<RunId> => optional,
        message_id: Option<MessageId> => optional,
        seq: Option<u64> => optional,
    }
}

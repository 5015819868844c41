//! What goes to and fro over any carrier: what a command asks for, and what answers and events say (C1, C2). How it
//! travels, by which address and with which headers, is the edge's.

use super::{Frames, ResumeRequest, SendInput, SendRequest};
use crate::event::{Envelope, MessageId, RunId};
use crate::follow::{Accepted, Command, Live, Outcome, ReadError};
use crate::json::{self, Notes, Wire, Writer, wire_object};
use crate::thread::Page;

/// Writes three values: the command's verb, its body, and the run that it is about, if it is about one.
pub fn request(command: &Command, w: &mut Writer) {
    let run = match command {
        Command::Send { message_id, content, idempotency_key, on_active } => {
            w.string("send");
            let body = SendRequest {
                input: SendInput { message_id: message_id.clone(), content: content.clone() },
                idempotency_key: idempotency_key.clone(),
                on_active: Some(*on_active),
            };
            return body.write(w);
        }
        Command::Resume { run_id, call_id, answer, idempotency_key } => {
            w.string("resume");
            let body = ResumeRequest {
                // A pause has no call; any word names it.
                correlation_id: call_id.as_ref().map_or("pause", |id| id.as_str()).to_owned(),
                idempotency_key: idempotency_key.clone(),
                answer: answer.clone(),
            };
            body.write(w);
            run_id
        }
        Command::Cancel { run_id } => {
            w.string("cancel");
            w.raw("{}");
            run_id
        }
    };
    if let Some(run) = run {
        run.write(w);
    }
}

/// What the answer to a command that was accepted says. A success that is not the contract's JSON (a captive portal's
/// page, say) is no success: nobody knows what became of the command.
pub fn response(body: &str) -> Outcome {
    if body.is_empty() {
        return Outcome::Accepted(Accepted::default());
    }
    match json::read::<Lenient>(body) {
        Ok(Lenient { run_id, message_id, seq }) => Outcome::Accepted(Accepted { run_id, message_id, seq }),
        Err(error) => Outcome::Network(["the answer was not the contract's JSON: ", &error.message()].concat()),
    }
}

/// What the answer to a committed read says; `kind` is its media type, empty where nobody says it.
///
/// # Errors
/// [`ReadError::Malformed`] when it is no page.
pub fn read_page(kind: &str, body: &str) -> Result<(Page, Notes), ReadError> {
    json::read_noting::<Page>(body).map_err(|error| {
        ReadError::Malformed(if kind.is_empty() || kind.ends_with("json") {
            error.message()
        } else {
            ["the answer is ", kind, " and no page of the log: ", &error.message()].concat()
        })
    })
}

/// An event of a live stream of `threadfold/1`, by itself.
pub fn live_event(name: &str, data: &str) -> Live {
    next_event(&mut Frames::default(), name, data)
}

/// The next event of the live stream of `threadfold/1` that is read with these.
pub fn next_event(frames: &mut Frames, name: &str, data: &str) -> Live {
    match frames.read(name, data) {
        Ok(Some((frame, notes))) => Live::Frame(frame, notes),
        Ok(None) => Live::Unknown(name.to_owned()),
        Err(error) => Live::Malformed(name.to_owned(), error),
    }
}

/// An event of a plain live stream (A1): envelopes come as `message`, that is, without a name.
pub fn plain_event(name: &str, data: &str) -> Live {
    if name != "message" {
        return Live::Unknown(name.to_owned());
    }
    match json::read_noting::<Envelope>(data) {
        Ok((envelope, notes)) => Live::Plain(envelope, notes),
        Err(error) => Live::Malformed(name.to_owned(), error),
    }
}

wire_object! {
    /// A 202 of any command: a send says all, the others may say nothing.
    struct Lenient {
        run_id: Option<RunId> => optional,
        message_id: Option<MessageId> => optional,
        seq: Option<u64> => optional,
    }
}

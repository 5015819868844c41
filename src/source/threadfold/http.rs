//! The contract over HTTP, without doing any: which request a wish is, and what an answer says (C1, C2).

use super::{Frame, Refused, ResumeRequest, SendInput, SendRequest};
use crate::event::{Envelope, MessageId, RunId};
use crate::follow::{Accepted, Command, Fetch, Live, Outcome, ReadError};
use crate::json::{self, Notes, wire_object};
use crate::thread::Page;

/// A request under `{base}/threads/{thread}/`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpRequest {
    /// The method.
    pub method: &'static str,
    /// The path after the thread's, percent-encoded.
    pub path: String,
    /// The JSON body, if it has one.
    pub body: Option<String>,
}

/// The request of a command. The follower has filled in the run; a command without one asks for a path that no host
/// serves, and is refused there.
pub fn request(command: &Command) -> HttpRequest {
    match command {
        Command::Send { message_id, content, idempotency_key, on_active } => {
            let body = SendRequest {
                input: SendInput { message_id: message_id.clone(), content: content.clone() },
                idempotency_key: idempotency_key.clone(),
                on_active: Some(*on_active),
            };
            HttpRequest { method: "POST", path: "runs".to_owned(), body: Some(json::write(&body)) }
        }
        Command::Resume { run_id, .. } => {
            let body = resume_request(command).map(|body| json::write(&body));
            HttpRequest { method: "POST", path: run_path(run_id.as_ref(), "resume"), body }
        }
        Command::Cancel { run_id } => {
            HttpRequest { method: "POST", path: run_path(run_id.as_ref(), "cancel"), body: None }
        }
    }
}

/// The body of a resume; None for another command.
pub fn resume_request(command: &Command) -> Option<ResumeRequest> {
    match command {
        Command::Resume { call_id, answer, idempotency_key, .. } => Some(ResumeRequest {
            // A pause has no call; any word names it.
            correlation_id: call_id.as_ref().map_or("pause", |id| id.as_str()).to_owned(),
            idempotency_key: idempotency_key.clone(),
            answer: answer.clone(),
        }),
        Command::Send { .. } | Command::Cancel { .. } => None,
    }
}

/// What the answer to a command says. A success that is not the contract's JSON (a captive portal's page, say) is no
/// success: nobody knows what became of the command.
pub fn response(status: u16, retry_after: Option<u64>, body: &str) -> Outcome {
    if (200..300).contains(&status) {
        if body.trim().is_empty() {
            return Outcome::Accepted(Accepted::default());
        }
        return match json::read::<Lenient>(body) {
            Ok(Lenient { run_id, message_id, seq }) => Outcome::Accepted(Accepted { run_id, message_id, seq }),
            Err(error) => Outcome::Network(format!("the answer was not the contract's JSON: {error}")),
        };
    }
    let (code, message) = json::read::<Refused>(body)
        .map_or_else(|_| (String::new(), String::new()), |refused| (refused.error.code, refused.error.message));
    Outcome::Refused { status, retry_after, code, message }
}

/// The path and query of a committed read, after the thread's.
pub fn fetch_query(fetch: &Fetch) -> String {
    let mut path = match fetch.after {
        Some(seq) => format!("committed?after={seq}&limit={}", fetch.limit),
        None => format!("committed?after=-1&limit={}", fetch.limit),
    };
    if let Some(epoch) = &fetch.epoch {
        path.push_str("&epoch=");
        path.push_str(&encode(epoch.as_str()));
    }
    path
}

/// What the answer to a committed read says.
///
/// # Errors
/// [`ReadError`]: refused, or no page.
pub fn read_page(
    status: u16,
    retry_after: Option<u64>,
    content_type: &str,
    body: &str,
) -> Result<(Page, Notes), ReadError> {
    if status != 200 {
        let code = json::read::<Refused>(body).ok().map(|refused| refused.error.code);
        return Err(ReadError::Refused { status, retry_after, code });
    }
    json::read_noting::<Page>(body).map_err(|error| {
        let kind = media_type(content_type);
        ReadError::Malformed(if kind.ends_with("json") {
            error.to_string()
        } else {
            format!("the answer is {} and no page of the log: {error}", if kind.is_empty() { "untyped" } else { kind })
        })
    })
}

/// An event of the live stream of `threadfold/1`.
pub fn live_event(name: &str, data: &str) -> Live {
    match Frame::read(name, data) {
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

/// True for the content type of an event stream, whatever its parameters.
pub fn is_event_stream(content_type: &str) -> bool {
    media_type(content_type).eq_ignore_ascii_case("text/event-stream")
}

/// A `Retry-After` that gives seconds, in milliseconds; None for a date, which needs a clock.
pub fn retry_after(header: &str) -> Option<u64> {
    header.trim().parse::<u64>().ok().map(|seconds| seconds.saturating_mul(1000))
}

/// The address of a thread, without a final slash.
pub fn thread_address(base: &str, thread: &str) -> String {
    format!("{}/threads/{}", base.trim_end_matches('/'), encode(thread))
}

/// The address with these pairs added to its query.
pub fn with_query(mut address: String, query: &[(String, String)]) -> String {
    for (name, value) in query {
        address.push(if address.contains('?') { '&' } else { '?' });
        address.push_str(&encode(name));
        address.push('=');
        address.push_str(&encode(value));
    }
    address
}

wire_object! {
    /// A 202 of any command: a send says all, the others may say nothing.
    struct Lenient {
        run_id: Option<RunId> => optional,
        message_id: Option<MessageId> => optional,
        seq: Option<u64> => optional,
    }
}

fn run_path(run: Option<&RunId>, verb: &str) -> String {
    format!("runs/{}/{verb}", encode(run.map_or("", |run| run.as_str())))
}

fn media_type(content_type: &str) -> &str {
    content_type.split(';').next().unwrap_or_default().trim()
}

/// Percent-encodes all but unreserved characters, so that an id can't leave its place in an address.
fn encode(text: &str) -> String {
    const HEX: [char; 16] = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'A', 'B', 'C', 'D', 'E', 'F'];
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~') {
            out.push(char::from(byte));
        } else {
            out.push('%');
            for nibble in [byte >> 4, byte & 0xF] {
                out.push(HEX.get(usize::from(nibble)).copied().unwrap_or('0'));
            }
        }
    }
    out
}

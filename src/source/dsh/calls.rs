//! Unary calls: what is posted, and what the answers say (B3).
#![allow(non_snake_case)]

use crate::follow::dsh::Window;
use crate::follow::{Accepted, Outcome, ReadError};
use crate::json::{self, Notes, Raw, Reader, Writer, wire_object};
use crate::thread::Block;

/// A call: `POST {address}/api/{method}` with this JSON, the page's cookies, and `content-type: application/json`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// Names the answer.
    pub id: u32,
    /// The method, `session/page` say.
    pub method: &'static str,
    /// The JSON body.
    pub body: String,
}

/// What came back of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// `Retry-After` in milliseconds.
    pub retry_after: Option<u64>,
    /// The content type, empty where there is none.
    pub content_type: String,
    /// The body.
    pub body: String,
}

wire_object! {
    /// Why the host did not do what was asked: the same form in answers to calls and at the end of streams.
    #[derive(Debug, Clone, Default, PartialEq, Eq)]
    pub struct Failure {
        /// A word for programs, `session/not-found` say.
        pub code: String => default,
        /// A sentence for people.
        pub message: String => default,
    }
}

wire_object! {
    struct Response {
        result: CallResult,
    }
}

wire_object! {
    struct CallResult {
        ok: bool,
        value: Option<Raw> => optional,
        error: Option<Failure> => optional,
    }
}

/// The call that makes a session whose agent works in this directory of the host. [`created`] reads the answer.
pub fn create_session(id: u32, directory: &str) -> Call {
    let method = "session/create";
    let arguments = |w: &mut Writer| {
        w.key("request");
        w.object(|w| {
            w.field("cwd", directory);
        });
    };
    Call { id, method, body: body(id, method, arguments) }
}

/// The call that lists the host's sessions. [`listed`] reads the answer.
pub fn list_sessions(id: u32) -> Call {
    let method = "session/list";
    let arguments = |w: &mut Writer| {
        w.key("_request");
        w.object(|_| {});
    };
    Call { id, method, body: body(id, method, arguments) }
}

wire_object! {
    /// A session of the host.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Listed {
        /// Its id.
        pub sessionId: String,
        /// When it changed last, in milliseconds since 1970.
        pub updatedAt: u64 => default,
        /// A turn of it runs. It is a hint: the log says so.
        pub running: bool => default,
        /// Where its agent works.
        pub cwd: String => default,
    }
}

wire_object! {
    struct List {
        items: Vec<Listed>,
    }
}

wire_object! {
    struct Created {
        sessionId: String,
    }
}

/// The id of the session that was made.
///
/// # Errors
/// What the host said, or why its answer is none.
pub fn created(answer: &Answer) -> Result<String, Failure> {
    expect(answer).map(|Created { sessionId }| sessionId)
}

/// The host's sessions.
///
/// # Errors
/// As [`created`].
pub fn listed(answer: &Answer) -> Result<Vec<Listed>, Failure> {
    expect(answer).map(|List { items }| items)
}

fn expect<T: json::Wire>(answer: &Answer) -> Result<T, Failure> {
    let odd = |error: json::Error| Failure { code: error.code().to_owned(), message: error.message() };
    json::read(value(answer).map_err(odd)??.as_str()).map_err(odd)
}

/// The body of a call, with `arguments` written as its one argument under the name that the method gives it.
pub(super) fn body(id: u32, method: &str, arguments: impl FnOnce(&mut Writer)) -> String {
    let mut w = Writer::new();
    w.object(|w| {
        w.field("type", "client-request");
        w.field("rpcId", &numbered("call-", id));
        w.field("method", method);
        w.key("payload");
        w.object(|w| {
            w.key("args");
            w.object(arguments);
        });
    });
    w.finish()
}

/// An id made of a number.
pub(super) fn numbered(prefix: &str, number: u32) -> String {
    let mut w = Writer::new();
    w.number(u64::from(number));
    let mut id = prefix.to_owned();
    id.push_str(&w.finish());
    id
}

/// The blocks of a message as the host takes them: it knows text, and what else it takes is passed as it is.
pub(super) fn write_content(w: &mut Writer, content: &[Block]) {
    w.array(|w| content.iter().for_each(|block| json::Wire::write(block, w)));
}

/// The value of an answer.
fn value(answer: &Answer) -> Result<Result<Raw, Failure>, json::Error> {
    let response: Response = json::read(&answer.body)?;
    Ok(match response.result {
        CallResult { ok: true, value, .. } => Ok(value.unwrap_or_else(Raw::null)),
        CallResult { ok: false, error, .. } => Err(error.unwrap_or_default()),
    })
}

/// What the answer to `session/page` says.
pub(super) fn window(answer: Result<Answer, String>) -> Result<(Window, Notes), ReadError> {
    let answer = answer.map_err(ReadError::Network)?;
    if answer.status != 200 {
        return Err(ReadError::Refused { status: answer.status, retry_after: answer.retry_after, code: None });
    }
    match value(&answer) {
        Ok(Ok(value)) => {
            super::decode::read_window(value.as_str()).map_err(|error| ReadError::Malformed(error.message()))
        }
        Ok(Err(failure)) => {
            Err(ReadError::Refused { status: status_of(&failure), retry_after: None, code: Some(failure.code) })
        }
        Err(error) => Err(ReadError::Malformed(error.message())),
    }
}

/// What the answer to a command says. A success that is not the host's JSON (a captive portal's page, say) is no
/// success: nobody knows what became of the command.
pub(super) fn outcome(answer: Result<Answer, String>) -> Outcome {
    let answer = match answer {
        Ok(answer) => answer,
        Err(why) => return Outcome::Network(why),
    };
    let (status, retry_after) = (answer.status, answer.retry_after);
    if status != 200 {
        return Outcome::Refused { status, retry_after, code: String::new(), message: String::new() };
    }
    match value(&answer) {
        Ok(Ok(_)) => Outcome::Accepted(Accepted::default()),
        Ok(Err(failure)) => Outcome::Refused {
            status: status_of(&failure),
            retry_after: None,
            code: failure.code,
            message: failure.message,
        },
        Err(error) => Outcome::Network(error.message()),
    }
}

/// Failures come under the status 200; what the follower needs to tell apart has a status of its own.
pub(super) fn status_of(failure: &Failure) -> u16 {
    if failure.code == "session/not-found" { 404 } else { 400 }
}

/// True when the text is one JSON value: the host answers nothing else to a call that it knows.
pub(super) fn is_json(text: &str) -> bool {
    Reader::new(text, json::Limits::default()).is_ok_and(|mut r| r.skip().is_ok() && r.end().is_ok())
}

//! The carrier's envelopes: many streams on one socket (B3).
#![allow(non_snake_case)]

use crate::event::CallId;
use crate::json::{self, Raw, Reader, Wire, wire_object, wire_tagged, wire_tokens};

/// One text of the socket.
pub(super) struct Message<'a> {
    pub kind: Kind,
    pub stream: &'a str,
    /// The item, or the error.
    pub value: Option<&'a str>,
}

wire_tokens! {
    /// What a text of the socket is.
    pub enum Kind {
        "item" Item,
        "end" End,
        "error" Error,
    }
}

/// Reads the envelope alone; its value is read by whoever the stream belongs to.
pub(super) fn read_message(text: &str) -> Result<Message<'_>, json::Error> {
    let mut r = Reader::new(text, json::Limits::default())?;
    let (mut kind, mut stream, mut value) = (None, None, None);
    r.object(|r, key| {
        match key {
            "type" => kind = Some(Kind::read(r)?),
            // The ids are ours and hold no escape, so the text between the quotes is the id.
            "streamId" => stream = r.raw()?.get(1..).and_then(|id| id.strip_suffix("\"")),
            "value" | "error" => value = Some(r.raw()?),
            _ => r.skip()?,
        }
        Ok(())
    })?;
    r.end()?;
    match (kind, stream) {
        (Some(kind), Some(stream)) => Ok(Message { kind, stream, value }),
        (None, _) => Err(r.missing("type")),
        (_, None) => Err(r.missing("streamId")),
    }
}

wire_tagged! {
    /// An item of `$events`, as far as it matters.
    pub enum HostEvent by "type" {
        /// Who this client is on this stream.
        "ready" Ready {
            /// Its name.
            clientId: String,
        }
        /// Somebody is asked.
        "waterfall" Waterfall {
            /// The question's event.
            eventId: String,
            /// The session that asks.
            agentId: String,
            /// What is asked.
            request: Raw,
        }
        /// Nobody is asked any more.
        "cancel" Cancel {
            /// The question's event.
            eventId: String,
        }
    } else
    /// What does not matter here.
    Unknown
}

wire_object! {
    /// What is asked, as far as it matters.
    pub(super) struct Request {
        pub callId: Option<CallId> => optional,
    }
}

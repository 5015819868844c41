//! What JavaScript gives: JSON, as text or as its bytes.

use crate::event::{CallId, MessageId, RunId};
use crate::follow::{Answer, Command, OnActive};
use crate::json::{self, wire_object, wire_tokens};
use crate::text::lossy;
use crate::thread::Block;
use std::borrow::Cow;

/// Text that crossed as its UTF-8 bytes: what may be long comes so, for JavaScript's own encoder is ten times as fast as
/// the glue's loop over characters, and a host's answer need not become a string of JavaScript's first. What is no UTF-8 is
/// replaced and a byte order mark left out, as JavaScript decodes.
pub fn text(bytes: &[u8]) -> Cow<'_, str> {
    lossy(bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes))
}

wire_tokens! {
    /// What happened; the last five are of a dsh host.
    pub enum What {
        "connect" Connect,
        "tick" Tick,
        "hidden" Hidden,
        "offline" Offline,
        "visible" Visible,
        "online" Online,
        "pageshow" Pageshow,
        "user" User,
        "close" Close,
        "accepted" Accepted,
        "activity" Activity,
        "closed" Closed,
        "lose" Lose,
        "page" Page,
        "pageFailed" PageFailed,
        "answered" Answered,
        "answerFailed" AnswerFailed,
        "send" Send,
        "resume" Resume,
        "cancel" Cancel,
        "socketText" SocketText,
        "socketOpened" SocketOpened,
        "socketClosed" SocketClosed,
        "callAnswered" CallAnswered,
        "callFailed" CallFailed,
    }
}

wire_object! {
    /// What a driver is made with. The package's scripts have filled in the defaults and refused what does not go
    /// together.
    pub struct Given {
        pub plain: bool,
        pub thread_id: Option<String> => optional,
        pub renewable: bool,
        /// Whether the stream's silence can be seen.
        pub watchdog: bool,
        /// The session's messages that an opening brings, of a dsh host.
        pub dsh_messages: Option<u32> => optional,
    }
}

wire_object! {
    /// What an error of a source says.
    #[derive(Default)]
    pub struct Failure {
        pub status: Option<u64> => optional,
        pub retry_after: Option<u64> => optional,
        pub code: Option<String> => optional,
        pub message: Option<String> => optional,
        /// What came in the place of a stream.
        pub content_type: Option<String> => optional,
    }
}

wire_object! {
    /// Say something.
    pub struct GivenSend {
        pub content: Vec<Block>,
        pub message_id: MessageId,
        pub key: String,
        pub on_active: OnActive,
    }
}

wire_object! {
    /// Answer what a run waits for: with `approve`, with `content`, or with neither, to go on.
    pub struct GivenResume {
        pub run_id: Option<RunId> => optional,
        pub call_id: Option<CallId> => optional,
        pub key: String,
        pub approve: Option<bool> => optional,
        pub reason: Option<String> => optional,
        pub content: Option<Vec<Block>> => optional,
        pub is_error: Option<bool> => optional,
    }
}

impl Failure {
    /// What can't be read says nothing.
    pub fn of(text: &str) -> Self {
        json::read(text).unwrap_or_default()
    }
}

impl GivenSend {
    pub fn command(self) -> Command {
        let Self { content, message_id, key, on_active } = self;
        Command::Send { message_id, content, idempotency_key: key, on_active }
    }
}

impl GivenResume {
    pub fn command(self) -> Command {
        let answer = match (self.approve, self.content) {
            (Some(approve), _) => Answer::Approve { approve, reason: self.reason },
            (None, Some(content)) => Answer::Result { content, is_error: self.is_error.unwrap_or(false) },
            (None, None) => Answer::GoOn,
        };
        Command::Resume { run_id: self.run_id, call_id: self.call_id, answer, idempotency_key: self.key }
    }
}

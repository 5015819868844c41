//! The bodies of commands and their answers (C1).

use crate::event::{MessageId, RunId};
use crate::follow::{Answer, OnActive};
use crate::json::{Error, Reader, Wire, Writer, wire_object};
use crate::thread::Block;

wire_object! {
    /// What the person says, under the id that the client made.
    #[derive(Debug, Clone, PartialEq)]
    pub struct SendInput {
        /// The committed message will have this id.
        pub message_id: MessageId,
        /// What is said.
        pub content: Vec<Block>,
    }
}

wire_object! {
    /// The body of `POST …/runs`.
    #[derive(Debug, Clone, PartialEq)]
    pub struct SendRequest {
        /// What is said.
        pub input: SendInput,
        /// The same key again is the same command again, and gets the same answer.
        pub idempotency_key: String,
        /// What to do while a run is active; `reject` when absent.
        pub on_active: Option<OnActive> => optional,
    }
}

/// The body of `POST …/runs/{run}/resume`: an answer to what the run waits for.
#[derive(Debug, Clone, PartialEq)]
pub struct ResumeRequest {
    /// The call that is answered; for a pause, any word that names it.
    pub correlation_id: String,
    /// The same key again is the same command again.
    pub idempotency_key: String,
    /// The answer.
    pub answer: Answer,
}

wire_object! {
    struct ResumeBody {
        correlation_id: String,
        idempotency_key: String,
        approve: Option<bool> => optional,
        reason: Option<String> => optional,
        content: Option<Vec<Block>> => optional,
        is_error: Option<bool> => optional,
    }
}

impl Wire for ResumeRequest {
    fn read(r: &mut Reader<'_>) -> Result<Self, Error> {
        let body = ResumeBody::read(r)?;
        let answer = match (body.approve, body.content) {
            (Some(approve), _) => Answer::Approve { approve, reason: body.reason },
            (None, Some(content)) => Answer::Result { content, is_error: body.is_error.unwrap_or(false) },
            (None, None) => Answer::GoOn,
        };
        Ok(Self { correlation_id: body.correlation_id, idempotency_key: body.idempotency_key, answer })
    }

    fn write(&self, w: &mut Writer) {
        let mut body = ResumeBody {
            correlation_id: self.correlation_id.clone(),
            idempotency_key: self.idempotency_key.clone(),
            approve: None,
            reason: None,
            content: None,
            is_error: None,
        };
        match &self.answer {
            Answer::Approve { approve, reason } => {
                body.approve = Some(*approve);
                body.reason.clone_from(reason);
            }
            Answer::Result { content, is_error } => {
                body.content = Some(content.clone());
                body.is_error = Some(*is_error);
            }
            Answer::GoOn => {}
        }
        body.write(w);
    }
}

wire_object! {
    /// The 202 of a send.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Accepted {
        /// The run that answers.
        pub run_id: RunId,
        /// The message's id, as committed.
        pub message_id: MessageId,
        /// The message's seq; absent while the send is queued.
        pub seq: Option<u64> => optional,
    }
}

wire_object! {
    /// The body of every refusal.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Refused {
        /// What was refused and why.
        pub error: Refusal,
    }
}

wire_object! {
    /// A code for programs and a sentence for people.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Refusal {
        /// The code, `run_active` say.
        pub code: String,
        /// The sentence.
        pub message: String,
    }
}

//! The named events of the live stream (C2).

use crate::event::{AttemptId, CallId, Coordinate, Delta, Epoch, RunId};
use crate::json::{self, Limits, Notes, Reader, Wire, wire_object, wire_tagged};
use crate::thread::Record;

/// The name of the contract, as `opened` and pages carry it.
pub const CONTRACT: &str = "threadfold/1";

wire_object! {
    /// Always first: frontier and the attempt that streams, taken in one cut.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Opened {
        /// `threadfold/1`.
        pub contract: String,
        /// The log's epoch.
        pub epoch: Epoch,
        /// The last announced seq, −1 for an empty log.
        pub frontier: Option<u64>,
        /// The last frame's number in this life of the host.
        pub revision: u64,
        /// The attempt that streams.
        pub active: Option<Active> => nullable,
    }
}

wire_object! {
    /// An attempt under way, with all that it has said.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Active {
        /// The attempt.
        pub attempt: AttemptId,
        /// The frontier when it began.
        pub started_after: Option<u64>,
        /// The run.
        pub run_id: RunId,
        /// The step.
        pub step: u32,
        /// Which answer of the step.
        pub response: u32,
        /// The index of the next Delta: how many were sent, joined or not.
        pub next: u64,
        /// What it has said; neighbours of one kind and call are joined.
        pub deltas: Vec<Delta>,
    }
}

wire_object! {
    /// An attempt begins.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Start {
        /// The attempt.
        pub attempt: AttemptId,
        /// This frame's number.
        pub revision: u64,
        /// The frontier at this place of the stream.
        pub started_after: Option<u64>,
        /// The run.
        pub run_id: RunId,
        /// The step.
        pub step: u32,
        /// Which answer of the step.
        pub response: u32,
    }
}

wire_object! {
    /// A fragment of an attempt.
    #[derive(Debug, Clone, PartialEq)]
    pub struct DeltaFrame {
        /// The attempt.
        pub attempt: AttemptId,
        /// This frame's number.
        pub revision: u64,
        /// Its number within the attempt, dense from 0.
        pub index: u64,
        /// The fragment.
        pub delta: Delta,
    }
}

wire_object! {
    /// An attempt is over.
    #[derive(Debug, Clone, PartialEq)]
    pub struct End {
        /// The attempt.
        pub attempt: AttemptId,
        /// This frame's number.
        pub revision: u64,
        /// How many Deltas were sent.
        pub index: u64,
        /// What became of it.
        pub outcome: Outcome,
    }
}

wire_tagged! {
    /// What became of an attempt.
    #[derive(Debug, Clone, PartialEq)]
    pub enum Outcome by "kind" {
        /// Its record was announced before this frame.
        "committed" Committed {
            /// The record's seq.
            seq: u64,
        }
        /// It left nothing.
        "abandoned" Abandoned {}
    }
}

wire_object! {
    /// The log grew.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Committed {
        /// The last announced seq.
        pub frontier: Option<u64>,
        /// The rows after the last announced frontier, in log order; left out by a host that wants them read.
        pub records: Option<Vec<Record>> => optional,
    }
}

wire_object! {
    /// A sign of life with the state of both continuities.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Ping {
        /// The log's epoch.
        pub epoch: Epoch,
        /// The last announced seq.
        pub frontier: Option<u64>,
        /// The last frame's number.
        pub revision: u64,
    }
}

wire_object! {
    /// The host closes on purpose.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Bye {
        /// Why, in a word.
        pub reason: String => default,
    }
}

impl Active {
    /// Which response it is.
    pub fn coordinate(&self) -> Coordinate {
        Coordinate { run_id: self.run_id.clone(), step: self.step, response: self.response }
    }
}

/// Reads the events of one stream, in turn: what its fragments begin with again and again is looked at once.
#[derive(Debug, Default)]
pub struct Frames {
    /// The last fragment's text up to its revision, and the attempt that this names.
    head: String,
    attempt: Option<AttemptId>,
}

impl Frames {
    /// Reads the event of this name. `Ok(None)` for a name that this version does not know.
    ///
    /// # Errors
    /// As [`json::read`]; the frame is then as good as lost.
    pub fn read(&mut self, name: &str, data: &str) -> Result<Option<(Frame, Notes)>, json::Error> {
        if let Some((frame, notes)) = (name == "delta").then(|| self.as_written(data)).flatten() {
            return Ok(Some((Frame::Delta(frame), notes)));
        }
        let mut r = Reader::new(data, Limits::default())?;
        let frame = match name {
            "delta" => Frame::Delta(Wire::read(&mut r)?),
            "committed" => Frame::Committed(Wire::read(&mut r)?),
            "opened" => Frame::Opened(Wire::read(&mut r)?),
            "start" => Frame::Start(Wire::read(&mut r)?),
            "end" => Frame::End(Wire::read(&mut r)?),
            "ping" => Frame::Ping(Wire::read(&mut r)?),
            "bye" => Frame::Bye(Wire::read(&mut r)?),
            _ => return Ok(None),
        };
        r.end()?;
        Ok(Some((frame, r.notes)))
    }

    /// Reads a fragment whose keys come in the order of the contract with no space between them, as hosts write them: this
    /// is what streams, and looking for each key would be most of its cost. None for any other text, which may be right
    /// all the same.
    pub(super) fn as_written(&mut self, data: &str) -> Option<(DeltaFrame, Notes)> {
        let r = &mut Reader::new(data, Limits::default()).ok()?;
        let attempt = match &self.attempt {
            Some(attempt) if r.literal(&self.head).is_some() => attempt.clone(),
            _ => self.attempt(r)?,
        };
        let revision = r.unsigned().ok()?;
        r.literal(",\"index\":")?;
        let index = r.unsigned().ok()?;
        r.literal(",\"delta\":{\"type\":\"")?;
        let delta = if r.literal("text_delta\",\"delta\":").is_some() {
            Delta::TextDelta { delta: r.fragment().ok()? }
        } else if r.literal("reasoning_delta\",\"delta\":").is_some() {
            Delta::ReasoningDelta { delta: r.fragment().ok()? }
        } else {
            r.literal("tool_call_delta\",\"id\":")?;
            let id = CallId::read(r).ok()?;
            r.literal(",\"name\":")?;
            let name = String::read(r).ok()?;
            r.literal(",\"args_delta\":")?;
            Delta::ToolCallDelta { id, name, args_delta: r.fragment().ok()? }
        };
        r.literal("}}")?;
        r.end().ok()?;
        Some((DeltaFrame { attempt, revision, index, delta }, std::mem::take(&mut r.notes)))
    }

    /// Another attempt than the last one's, or the first.
    #[inline(never)]
    fn attempt(&mut self, r: &mut Reader<'_>) -> Option<AttemptId> {
        self.attempt = None;
        r.literal("{\"attempt\":")?;
        let attempt = AttemptId::read(r).ok()?;
        r.literal(",\"revision\":")?;
        // What was noted would have to be noted again.
        if r.notes.replaced_halves == 0 {
            r.passed().clone_into(&mut self.head);
            self.attempt = Some(attempt.clone());
        }
        Some(attempt)
    }
}

impl Start {
    /// Which response it is.
    pub fn coordinate(&self) -> Coordinate {
        Coordinate { run_id: self.run_id.clone(), step: self.step, response: self.response }
    }
}

/// One event of the live stream.
#[derive(Debug, Clone, PartialEq)]
pub enum Frame {
    /// `opened`
    Opened(Opened),
    /// `start`
    Start(Start),
    /// `delta`
    Delta(DeltaFrame),
    /// `end`
    End(End),
    /// `committed`
    Committed(Committed),
    /// `ping`
    Ping(Ping),
    /// `bye`
    Bye(Bye),
}

impl Frame {
    /// Reads the event of this name, by itself: see [`Frames::read`].
    ///
    /// # Errors
    /// As there.
    pub fn read(name: &str, data: &str) -> Result<Option<(Self, Notes)>, json::Error> {
        Frames::default().read(name, data)
    }

    /// The event's name and data.
    pub fn write(&self) -> (&'static str, String) {
        match self {
            Self::Opened(frame) => ("opened", json::write(frame)),
            Self::Start(frame) => ("start", json::write(frame)),
            Self::Delta(frame) => ("delta", json::write(frame)),
            Self::End(frame) => ("end", json::write(frame)),
            Self::Committed(frame) => ("committed", json::write(frame)),
            Self::Ping(frame) => ("ping", json::write(frame)),
            Self::Bye(frame) => ("bye", json::write(frame)),
        }
    }
}

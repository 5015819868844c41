//! What the log holds that it should not hold: told, never guessed away and never fatal.

use crate::event::{CallId, RunId};
use crate::json::{wire_object, wire_tokens};
use crate::text::{decimal, join};
use std::fmt;

wire_tokens! {
    /// What is wrong with a record.
    pub enum AnomalyCode {
        /// A result answers no unanswered call of its run. The result is still a Fact (A3.4).
        "result_without_call" ResultWithoutCall,
        /// A record of a run that has ended; it yields no Fact and amends none (A2.3).
        "record_after_end" RecordAfterEnd,
        /// A call outside an assistant's message or a result outside a tool's message; it yields no Fact (A3.2, A3.3).
        "misplaced_block" MisplacedBlock,
        /// A record whose seq is not above that of the record before it; it was ignored.
        "out_of_order" OutOfOrder,
    }
}

wire_object! {
    /// One anomaly, with the record that it is about.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Anomaly {
        /// What is wrong.
        pub code: AnomalyCode,
        /// The record's seq.
        pub seq: u64,
        /// The record's run.
        pub run_id: Option<RunId> => optional,
        /// The call that the block names.
        pub call_id: Option<CallId> => optional,
    }
}

impl Anomaly {
    /// The sentence for people.
    pub fn message(&self) -> String {
        let what = match self.code {
            AnomalyCode::ResultWithoutCall => ": a tool result answers no open call",
            AnomalyCode::RecordAfterEnd => ": the run had ended before",
            AnomalyCode::MisplacedBlock => ": a tool block stands in a message of another role",
            AnomalyCode::OutOfOrder => ": came after a record with a higher seq",
        };
        let mut message = join(&["record ", &decimal(self.seq), what]);
        if let Some(run) = &self.run_id {
            message.push_str(&join(&[", run \"", run.as_str(), "\""]));
        }
        if let Some(call) = &self.call_id {
            message.push_str(&join(&[", call \"", call.as_str(), "\""]));
        }
        message
    }
}

impl fmt::Display for Anomaly {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message())
    }
}

//! What a protocol has to say for itself; the [flow](super::flow) says when.

use super::Chunk;
use super::response::Kind;
use crate::event::{CallId, Cause, Disposition, Position, RunId};
use crate::json::Raw;
use crate::text::Shared;
use crate::thread::{Block, Message};

/// What is written so far.
pub(super) type Out = Vec<Chunk>;

/// How much a retraction took back, so that it is written again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Retracted {
    /// What is not committed, and nothing else.
    Preview,
    /// The response under way.
    Response,
    /// The open step.
    Step,
    /// The whole run; another stream begins.
    Run,
}

/// A committed call as it is written.
pub(super) struct Call<'a> {
    /// Its id on the wire.
    pub wire: &'a Shared,
    /// The id of its response on the wire.
    pub response: &'a str,
    /// The tool.
    pub name: &'a str,
    /// The input.
    pub input: &'a Raw,
    /// What the log says of it.
    pub disposition: Disposition,
    /// Where it stands.
    pub position: Position,
    /// The arguments that are missing; None when the call was not previewed.
    pub rest: Option<&'a str>,
}

/// A tool's answer as it is written.
pub(super) struct Answer<'a> {
    /// The run.
    pub run_id: &'a RunId,
    /// Where it stands.
    pub position: Position,
    /// The call's id on the wire; None for an answer without a call.
    pub wire: Option<&'a str>,
    /// Where the call stands.
    pub call: Option<Position>,
    /// The call's id as the provider named it.
    pub id: &'a CallId,
    /// The answer.
    pub content: &'a [Block],
    /// True when the tool failed.
    pub is_error: bool,
}

/// What an awaiting run waits for.
pub(super) struct Waiting<'a> {
    /// The run.
    pub run_id: &'a RunId,
    /// Where the Awaiting stands.
    pub position: Position,
    /// The call's id on the wire.
    pub call: Option<&'a str>,
    /// The id that is waited for, where no message holds the call.
    pub id: Option<&'a CallId>,
    /// Why.
    pub reason: Option<&'a str>,
}

/// One protocol's words. A response's blocks are opened before they grow and closed before anything that ends.
pub(super) trait Protocol: Send {
    /// Opens the stream of a run, or of its part after an Awaiting.
    fn begin(&mut self, run_id: &RunId, out: &mut Out);
    /// Ends the open step, if there is one, and opens the next; `step` is None where the log does not say it.
    fn step(&mut self, ends: bool, step: Option<u32>, out: &mut Out);
    /// True for the kinds of blocks that are previewed here.
    fn shows(&self, _kind: &Kind) -> bool {
        true
    }
    /// True when a preview is never completed: the committed event replaces it.
    fn replaces_previews(&self) -> bool {
        false
    }
    /// Opens a block.
    fn open(&mut self, response: &str, kind: &Kind, out: &mut Out);
    /// A block grows.
    fn grow(&mut self, response: &str, kind: &Kind, text: &str, out: &mut Out);
    /// Closes a block whose content is known or will not be; a call is closed by [`Protocol::call`] when it is known.
    fn close(&mut self, response: &str, kind: &Kind, out: &mut Out);
    /// The text of an assistant's message on this wire, and how many of its blocks it cannot show.
    fn text(&self, content: &[Block]) -> (String, u64);
    /// True when the message has more than text.
    fn has_extras(&self, _content: &[Block]) -> bool {
        false
    }
    /// What a message has beyond its text.
    fn extras(&mut self, _response: &str, _content: &[Block], _out: &mut Out) {}
    /// Text or reasoning is committed; it stands among the thread's messages from now on. `content` is that of the
    /// message that the text is of.
    fn committed(&mut self, _response: &str, _kind: &Kind, _text: &str, _content: &[Block], _out: &mut Out) {}
    /// True when arguments that were previewed need not be the committed ones, because those are sent whole.
    fn input_is_sent_whole(&self) -> bool {
        false
    }
    /// A committed call.
    fn call(&mut self, call: &Call<'_>, out: &mut Out);
    /// The log says something else of a call.
    fn dispose(&mut self, _call: &Call<'_>, _in_open_step: bool, _out: &mut Out) {}
    /// The log says that the client runs this call, or ran it.
    fn client_runs(&mut self, _call: &Call<'_>, _in_open_step: bool, _out: &mut Out) {}
    /// True when the disposition has a word on this wire.
    fn has_word_for(&self, disposition: Disposition) -> bool;
    /// A tool's answer; false when it cannot be shown.
    fn answer(&mut self, answer: &Answer<'_>, out: &mut Out) -> bool;
    /// The run waits.
    fn awaiting(&mut self, waiting: &Waiting<'_>, out: &mut Out);
    /// True when a run that waits goes on in the same stream.
    fn rests_open(&self) -> bool {
        false
    }
    /// The run goes on after it waited.
    fn resumed(&mut self, _out: &mut Out) {}
    /// The run is over.
    fn finished(&mut self, run_id: &RunId, at: Position, exhausted: bool, cause: Option<Cause>, out: &mut Out);
    /// The run failed.
    fn failed(&mut self, run_id: &RunId, at: Position, code: &str, message: &str, out: &mut Out);
    /// Takes back what was written of this response, and of all that is not committed. All blocks are closed.
    /// `goes_back` says that what comes belongs to a step before the open one.
    fn retract(&mut self, response: &str, goes_back: bool, out: &mut Out) -> Retracted;
    /// True when a step that was begun stays, though all that was said in it was taken back.
    fn keeps_steps(&self) -> bool {
        false
    }
    /// No more comes; the step is still open if `in_step`.
    fn leave(&mut self, _in_step: bool, _out: &mut Out) {}
    /// The log was replaced: nothing that was written holds.
    fn forget(&mut self) {}
    /// What the person said.
    fn said(&mut self, _message: &Message) {}
}

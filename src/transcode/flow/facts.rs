//! What a Fact that is part of a run's content does: it meets its preview, is written, and is kept.

use super::Flow;
use crate::event::{Fact, PlacedFact, Position};
use crate::text::Shared;
use crate::thread::Block;
use crate::transcode::protocol::{Answer, Call, Out};
use crate::transcode::response::{Block as PreviewBlock, Key, Kind, Meeting, Response};
use crate::transcode::same_json::same_json;

impl Flow {
    /// Meets a Fact's block with the preview; what differs is taken back first.
    fn settle(&mut self, key: &Key, kind: &Kind, text: &str, more_follows: bool, out: &mut Out) -> Meeting {
        let whole = matches!(kind, Kind::Call { .. }) && self.protocol.input_is_sent_whole();
        let is_call = matches!(kind, Kind::Call { .. });
        let shown = self.protocol.shows(kind);
        let meet = |response: &mut Response| {
            // What was never written is no preview.
            if !response.is_written() {
                response.blocks.clear();
            }
            if !shown {
                response.add(kind.clone(), text);
                return Meeting::New;
            }
            let settled = response.blocks.iter().filter(|block| block.settled).count();
            if more_follows && response.blocks.len() > settled + 1 {
                return Meeting::Diverged;
            }
            // The tool's name was said, and is said again only with the whole call.
            let other_name = |block: &PreviewBlock| block.kind.is(kind) && block.kind != *kind;
            if !whole && response.blocks.get(settled).is_some_and(other_name) {
                return Meeting::Diverged;
            }
            response.settle(kind.clone(), text, |shown| whole || (is_call && same_json(shown, text)))
        };
        let mut met = self.response(key).map_or(Meeting::New, meet);
        if met == Meeting::Diverged {
            self.retract(false, None, out);
            self.turn_to(key, out);
            met = self.response(key).map_or(Meeting::New, meet);
        }
        met
    }

    /// Writes text or reasoning that is committed.
    fn block(&mut self, key: &Key, kind: &Kind, text: &str, content: &[Block], out: &mut Out) {
        let met = self.settle(key, kind, text, self.protocol.has_extras(content), out);
        let id = self.wire_of(key);
        if self.protocol.replaces_previews() {
            self.protocol.committed(&id, kind, text, content, out);
            return;
        }
        let rest = match &met {
            Meeting::Rest(rest) => rest,
            Meeting::New | Meeting::Diverged => {
                self.protocol.open(&id, kind, out);
                text
            }
        };
        if !rest.is_empty() {
            self.protocol.grow(&id, kind, rest, out);
        }
        self.protocol.close(&id, kind, out);
        self.protocol.committed(&id, kind, text, content, out);
    }

    /// Writes a Fact that is part of a run's content, and keeps it. A key is given where it is known from before.
    pub(super) fn write(&mut self, key: Option<Key>, placed: PlacedFact, out: &mut Out) {
        match &placed.fact {
            Fact::AssistantThinking { text, .. } => {
                let key = key.unwrap_or_else(|| self.key_of(&placed));
                self.turn_to(&key, out);
                self.block(&key, &Kind::Reasoning, text.as_deref().unwrap_or_default(), &[], out);
                self.wrote(key, placed);
            }
            Fact::AssistantMessage { content, .. } => {
                let key = key.unwrap_or_else(|| self.key_of(&placed));
                self.turn_to(&key, out);
                let (text, unknown) = self.protocol.text(content);
                self.skipped += unknown;
                let extras = self.protocol.has_extras(content);
                if !text.is_empty() {
                    self.block(&key, &Kind::Text, &text, content, out);
                } else if extras && self.response(&key).is_some_and(|response| response.has_leftover()) {
                    self.retract(false, None, out);
                    self.turn_to(&key, out);
                }
                let id = self.wire_of(&key);
                self.protocol.extras(&id, content, out);
                self.wrote(key, placed);
            }
            Fact::ToolCall { id, name, input, disposition } => {
                let key = key.unwrap_or_else(|| self.key_of(&placed));
                self.turn_to(&key, out);
                let wire = self.calls.commit(id, &key, placed.position);
                let kind = Kind::Call { wire: Shared::clone(&wire), name: name.clone() };
                let met = self.settle(&key, &kind, input.as_str(), false, out);
                let response = self.wire_of(&key);
                let rest = match &met {
                    Meeting::Rest(rest) => Some(rest.as_str()),
                    Meeting::New | Meeting::Diverged => None,
                };
                let (disposition, position) = (*disposition, placed.position);
                let call = Call { wire: &wire, response: &response, name, input, disposition, position, rest };
                self.protocol.call(&call, out);
                self.wrote(key, placed);
            }
            Fact::ToolResult { id, content, is_error } => {
                self.leave_committed(out);
                self.some_step(out);
                let wire = placed.call.and_then(|position| self.calls.wire(position)).cloned();
                let (run_id, position, wire) = (&placed.run_id, placed.position, wire.as_deref());
                let call = placed.call;
                let answer = Answer { run_id, position, wire, call, id, content, is_error: *is_error };
                if !self.protocol.answer(&answer, out) {
                    self.skipped += 1;
                }
                self.answered = true;
                self.stands_before_preview(placed);
            }
            Fact::RunStarted {}
            | Fact::Awaiting { .. }
            | Fact::Continuation { .. }
            | Fact::RunFinished { .. }
            | Fact::RunFailed { .. } => {}
        }
    }

    fn wrote(&mut self, key: Key, placed: PlacedFact) {
        self.goes_on = false;
        if let Some(response) = self.response(&key) {
            response.facts += 1;
        }
        self.facts.push((Some(key), placed));
    }

    /// A ticket says that the client runs the call; a log that is read late says it here alone.
    pub(super) fn client_runs(&mut self, position: Position, wire: &Shared, out: &mut Out) {
        let Some(number) = self.facts.iter().position(|(_, placed)| placed.position == position) else { return };
        let Some((_, placed)) = self.facts.get(number) else { return };
        let Fact::ToolCall { name, input, disposition, .. } = &placed.fact else { return };
        let call = Call { wire, response: "", name, input, disposition: *disposition, position, rest: None };
        self.protocol.client_runs(&call, number >= self.step_start, out);
    }

    /// What stands outside of responses comes. A preview stays: it was shown before this was read, and its Facts are still
    /// to come.
    pub(super) fn leave_committed(&mut self, out: &mut Out) {
        if !self.is_preview() {
            self.close_current(None, out);
        }
    }

    /// True when the response on the wire has no Facts yet.
    pub(super) fn is_preview(&self) -> bool {
        self.responses.iter().any(|response| Some(&response.key) == self.current.as_ref() && response.facts == 0)
    }

    /// Keeps a Fact that belongs before the preview that is on the wire, and is not written again with it.
    fn stands_before_preview(&mut self, placed: PlacedFact) {
        let was = self.facts.len();
        self.facts.push((None, placed));
        if self.is_preview() {
            self.response_start = self.facts.len();
            if self.step_start == was {
                self.step_start = self.facts.len();
            }
        }
    }
}

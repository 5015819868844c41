//! The order of things, the same for every protocol that this is used for: which response is on the wire, what a Fact
//! does to its preview, and what has to be taken back.
//!
//! One response is on the wire at a time. A preview of a later one waits until the Facts of the one before it have come,
//! so that the consumer's order is the log's.

use super::calls::Calls;
use super::protocol::{Call, Out, Protocol, Retracted, Waiting};
use super::response::{Key, Kind, Response};
use super::{Chunk, Transcoder};
use crate::event::{CallId, Coordinate, Delta, Disposition, Fact, PlacedFact, Position, RunId};
use crate::names::Names;
use crate::text::Shared;
use crate::thread::Message;

mod facts;

/// A protocol with its bookkeeping.
pub(super) struct Flow {
    protocol: Box<dyn Protocol>,
    /// The run whose stream is open, or was open last; its Facts are kept for what has to be written again.
    run: Option<RunId>,
    /// True from the opening of a stream to its end.
    open: bool,
    ended: Names,
    facts: Vec<(Option<Key>, PlacedFact)>,
    /// Where the open step's and the current response's Facts begin.
    step_start: usize,
    response_start: usize,
    /// The open step; Some(None) where the log does not say which.
    step: Option<Option<u32>>,
    /// The number of the step before it.
    step_before: Option<u32>,
    /// True once a tool answered in a step whose number is not known: the next response is another step.
    answered: bool,
    /// True after a "go on": the next response belongs to the step that is open.
    goes_on: bool,
    responses: Vec<Response>,
    current: Option<Key>,
    /// How many previews without a coordinate got their Facts.
    live: u32,
    calls: Calls,
    skipped: u64,
}

impl Flow {
    pub fn new(protocol: Box<dyn Protocol>) -> Self {
        Self {
            protocol,
            run: None,
            open: false,
            ended: Names::default(),
            facts: Vec::new(),
            step_start: 0,
            response_start: 0,
            step: None,
            step_before: None,
            answered: false,
            goes_on: false,
            responses: Vec::new(),
            current: None,
            live: 0,
            calls: Calls::default(),
            skipped: 0,
        }
    }

    /// Opens the stream of this run; false when the run is over or another one's stream is open.
    fn enter(&mut self, run_id: &RunId, out: &mut Out) -> bool {
        if self.ended.contains(run_id.as_str()) || (self.open && self.run.as_ref() != Some(run_id)) {
            self.skipped += 1;
            return false;
        }
        if self.run.as_ref() != Some(run_id) {
            self.run = Some(run_id.clone());
            self.facts.clear();
            // Previews of a run that is to come wait for it.
            self.responses.retain(|response| response.key.run_id() == run_id || response.facts == 0);
            self.current = None;
            self.no_step();
        }
        if !self.open {
            // A step in which nothing was said is none that a client keeps from one stream to the next.
            if self.facts.get(self.step_start..).is_some_and(|facts| facts.iter().all(|(key, _)| key.is_none())) {
                self.no_step();
            }
            self.open = true;
            self.protocol.begin(run_id, out);
        }
        true
    }

    fn no_step(&mut self) {
        self.step = None;
        self.step_before = None;
        self.answered = false;
        self.step_start = self.facts.len();
    }

    /// Opens the step, and ends the one before, unless it is open already.
    fn step(&mut self, step: Option<u32>, out: &mut Out) {
        let stays = match self.step {
            None => false,
            Some(open) if step.is_none() => self.goes_on || (open.is_none() && !self.answered),
            Some(open) => open == step,
        };
        if !stays {
            self.protocol.step(self.step.is_some(), step, out);
            self.step_before = self.step.replace(step).flatten();
            self.answered = false;
            self.step_start = self.facts.len();
        }
    }

    /// True when this step was left for the one that is open.
    fn is_left(&self, step: Option<u32>) -> bool {
        match (self.step.flatten(), step) {
            (Some(open), Some(step)) => step < open,
            (None, Some(step)) => self.step_before == Some(step),
            (_, None) => false,
        }
    }

    /// What happens outside of a response needs a step to stand in.
    fn some_step(&mut self, out: &mut Out) {
        if self.step.is_none() {
            self.step(None, out);
        }
    }

    fn response(&mut self, key: &Key) -> Option<&mut Response> {
        self.responses.iter_mut().find(|response| response.key == *key)
    }

    /// The key of a committed response. A preview without a coordinate becomes the response whose Facts come.
    fn key_of(&mut self, placed: &PlacedFact) -> Key {
        let key = match (&placed.coordinate, &placed.message_id) {
            (Some(coordinate), _) => Key::At(coordinate.clone()),
            (None, Some(id)) => Key::Message(placed.run_id.clone(), id.clone()),
            (None, None) => self.current.clone().unwrap_or_else(|| Key::Live(placed.run_id.clone(), self.live)),
        };
        if self.response(&key).is_none() {
            let live = Key::Live(placed.run_id.clone(), self.live);
            // One that is shown in a step that is not the Fact's is another response's, or in the wrong place.
            let elsewhere =
                self.step.flatten().is_some_and(|step| key.step() != Some(step)) || self.is_left(key.step());
            let fits = |r: &Response| r.key == live && r.facts == 0 && !(r.is_written() && elsewhere);
            if let Some(response) = self.responses.iter_mut().find(|r| fits(r)) {
                response.key = key.clone();
                self.calls.rename(&live, &key);
                self.live = self.live.saturating_add(1);
                if self.current.as_ref() == Some(&live) {
                    self.current = Some(key.clone());
                    self.step = self.step.map(|step| key.step().or(step));
                }
            }
        }
        key
    }

    /// Makes this the response on the wire. Whatever was there and is not committed is taken back.
    fn turn_to(&mut self, key: &Key, out: &mut Out) {
        if self.current.as_ref() != Some(key) {
            self.close_current(Some(key), out);
            // A step of which all was taken back would stand between what comes and the step that it belongs to.
            if self.is_left(key.step()) && self.step_start >= self.facts.len() && self.protocol.keeps_steps() {
                let retracted = self.protocol.retract("", true, out);
                self.write_again(&retracted, key.run_id(), out);
            }
            self.step(key.step(), out);
            self.response_start = self.facts.len();
            self.current = Some(key.clone());
        }
        if self.response(key).is_none() {
            self.responses.push(Response::new(key.clone()));
        }
    }

    /// The response on the wire is over. `next` is the one that comes: a preview that belongs after it only waits.
    fn close_current(&mut self, next: Option<&Key>, out: &mut Out) {
        let Some(key) = self.current.clone() else { return };
        let Some(response) = self.response(&key) else {
            self.current = None;
            return;
        };
        let (facts, leftover) = (response.facts, response.has_leftover());
        if leftover {
            let waits = facts == 0 && next.is_some_and(|next| key.is_after(next));
            self.retract(waits, next, out);
        }
        self.current = None;
    }

    /// Takes back the current response's preview, and writes again what had to go with it. `waits` keeps the preview
    /// for later; `next` is the response that comes. No response is on the wire afterwards, unless its Facts were written again.
    fn retract(&mut self, waits: bool, next: Option<&Key>, out: &mut Out) {
        let Some(key) = self.current.take() else { return };
        let goes_back = next.is_some_and(|next| self.is_left(next.step()));
        self.close_blocks(&key, out);
        let id = self.wire_of(&key);
        if !waits {
            self.drop_preview(&key);
            // What comes next has another id: where the client put what is gone is not its place.
            if key == Key::Live(key.run_id().clone(), self.live) {
                self.live = self.live.saturating_add(1);
            }
        }
        let retracted = self.protocol.retract(&id, goes_back, out);
        if waits {
            self.put_off(&key);
        }
        self.write_again(&retracted, key.run_id(), out);
    }

    /// Writes again what had to go with what was taken back.
    fn write_again(&mut self, retracted: &Retracted, run_id: &RunId, out: &mut Out) {
        let from = match retracted {
            Retracted::Preview => self.facts.len(),
            Retracted::Response => self.response_start,
            Retracted::Step => self.step_start,
            Retracted::Run => 0,
        };
        let again = self.facts.split_off(from.min(self.facts.len()));
        for response in &mut self.responses {
            if again.iter().any(|(key, _)| key.as_ref() == Some(&response.key)) {
                response.blocks.clear();
                response.facts = 0;
            } else if response.facts == 0 {
                response.blocks.iter_mut().for_each(|block| block.written = false);
            }
        }
        self.step_start = self.step_start.min(self.facts.len());
        self.answered = false;
        let goes_on = self.goes_on;
        if *retracted == Retracted::Run {
            self.open = false;
            self.no_step();
            self.enter(run_id, out);
        }
        for (key, placed) in again {
            self.write(key, placed, out);
        }
        self.goes_on = goes_on;
    }

    /// A preview waits. Its calls have no ids on the wire meanwhile: what is committed before them comes first.
    fn put_off(&mut self, key: &Key) {
        for response in self.responses.iter_mut().filter(|response| response.key == *key) {
            for block in &mut response.blocks {
                block.written = false;
                if let Kind::Call { wire, .. } = &mut block.kind {
                    *wire = self.calls.id(wire);
                }
            }
        }
        self.calls.withdraw(key);
    }

    /// What was previewed of a response and never written counts no more.
    fn drop_preview(&mut self, key: &Key) {
        if let Some(response) = self.response(key) {
            response.blocks.retain(|block| block.settled);
        }
        self.calls.withdraw(key);
    }

    fn wire_of(&mut self, key: &Key) -> String {
        self.response(key).map_or_else(|| key.wire(), |response| response.id.clone())
    }

    fn close_blocks(&mut self, key: &Key, out: &mut Out) {
        let Some(response) = self.responses.iter().find(|response| response.key == *key) else { return };
        for block in response.blocks.iter().filter(|block| block.written && !block.settled) {
            self.protocol.close(&response.id, &block.kind, out);
        }
    }

    /// Breaks off the stream that is open, if one is.
    fn cut(&mut self, out: &mut Out) {
        if !self.open {
            return;
        }
        if let Some(key) = self.current.take() {
            self.close_blocks(&key, out);
        }
        self.protocol.leave(self.step.is_some(), out);
        out.push(Chunk::Cut);
        self.open = false;
    }

    /// Shows the previews that wait, as far as it is their turn.
    fn show_waiting(&mut self, out: &mut Out) {
        let Some(run_id) = self.run.as_ref().filter(|_| self.open) else { return };
        let waits = |r: &&Response| r.key.run_id() == run_id && r.facts == 0 && !r.blocks.is_empty() && !r.is_written();
        let waiting = self.responses.iter().find(waits);
        let Some(key) = waiting.map(|response| response.key.clone()) else { return };
        if self.current.as_ref().is_some_and(|current| {
            *current != key && self.responses.iter().any(|r| r.key == *current && r.facts == 0 && !r.blocks.is_empty())
        }) {
            return;
        }
        self.turn_to(&key, out);
        let Some(response) = self.responses.iter_mut().find(|response| response.key == key) else { return };
        for block in &mut response.blocks {
            block.written = true;
            if let Kind::Call { wire, .. } = &mut block.kind {
                *wire = self.calls.preview(&CallId::from(&**wire), &key);
            }
            self.protocol.open(&response.id, &block.kind, out);
            if !block.text.is_empty() {
                self.protocol.grow(&response.id, &block.kind, &block.text, out);
            }
        }
    }

    /// The run waits, or will. What was previewed before this was read waits too: what will not be committed is reset.
    fn rest(&mut self, out: &mut Out) {
        if self.is_preview() {
            self.retract(true, None, out);
        } else {
            self.close_current(None, out);
        }
    }

    /// The run is over: what is previewed will not be committed.
    fn drop_previews(&mut self, run_id: &RunId, out: &mut Out) {
        self.close_current(None, out);
        let gone = |r: &Response| r.facts == 0 && r.key.run_id() == run_id;
        for response in self.responses.iter().filter(|r| gone(r)) {
            self.calls.withdraw(&response.key);
        }
        self.responses.retain(|r| !gone(r));
    }

    /// The stream is complete. The step stays as it is: what comes after a wait still belongs to it.
    fn end(&mut self, out: &mut Out) {
        out.push(Chunk::End);
        self.open = false;
        self.current = None;
    }

    /// Another run begins, and the log never said how the one before it ended, or has yet to begin it.
    fn leave_run(&mut self, out: &mut Out) {
        if self.is_preview()
            && let Some(key) = self.current.take()
        {
            self.close_blocks(&key, out);
            let id = self.wire_of(&key);
            self.open = self.protocol.retract(&id, false, out) != Retracted::Run;
            self.put_off(&key);
        }
        self.cut(out);
    }

    fn over(&mut self, run_id: &RunId, out: &mut Out) {
        self.end(out);
        self.ended.insert(run_id.shared(), 0);
        self.facts.clear();
        self.responses.retain(|response| response.key.run_id() != run_id);
    }
}

impl Transcoder for Flow {
    fn fact(&mut self, placed: &PlacedFact) -> Vec<Chunk> {
        let mut out = Vec::new();
        let run_id = &placed.run_id;
        if placed.fact == (Fact::RunStarted {}) && self.run.as_ref() != Some(run_id) {
            self.leave_run(&mut out);
        }
        if !self.enter(run_id, &mut out) {
            return out;
        }
        match &placed.fact {
            Fact::RunStarted {} => self.show_waiting(&mut out),
            // One that resumes has opened the stream; the others are seen by what follows them.
            Fact::Continuation { steered, .. } => {
                self.leave_committed(&mut out);
                // Index 0 is what a record opens: a run goes on after it waited, with what it was about to say.
                if placed.position.index == 0 {
                    self.protocol.resumed(&mut out);
                } else {
                    self.goes_on = !steered;
                }
                self.show_waiting(&mut out);
            }
            Fact::AssistantMessage { .. } | Fact::AssistantThinking { .. } | Fact::ToolCall { .. } => {
                self.write(None, placed.clone(), &mut out)
            }
            Fact::ToolResult { .. } => {
                self.write(None, placed.clone(), &mut out);
                self.show_waiting(&mut out);
            }
            Fact::Awaiting { pending_tool_use_id, reason } => {
                self.rest(&mut out);
                self.some_step(&mut out);
                let wire = placed.call.and_then(|at| self.calls.wire(at)).cloned();
                if let (Some(at), Some(wire), Some("client_execution")) = (placed.call, &wire, reason.as_deref()) {
                    self.client_runs(at, wire, &mut out);
                }
                let call = wire.as_deref();
                let (position, id, reason) = (placed.position, pending_tool_use_id.as_ref(), reason.as_deref());
                self.protocol.awaiting(&Waiting { run_id, position, call, id, reason }, &mut out);
                if !self.protocol.rests_open() {
                    self.end(&mut out);
                }
            }
            Fact::RunFinished { exhausted, cause, detail: _ } => {
                self.drop_previews(run_id, &mut out);
                self.some_step(&mut out);
                self.protocol.finished(run_id, placed.position, *exhausted, *cause, &mut out);
                self.over(run_id, &mut out);
            }
            Fact::RunFailed { code, message } => {
                self.drop_previews(run_id, &mut out);
                self.some_step(&mut out);
                self.protocol.failed(run_id, placed.position, code, message, &mut out);
                self.over(run_id, &mut out);
            }
        }
        out
    }

    fn amend(&mut self, position: Position, fact: &Fact) -> Vec<Chunk> {
        let mut out = Vec::new();
        let Some(number) = self.facts.iter().position(|(_, placed)| placed.position == position) else { return out };
        let Some((_, placed)) = self.facts.get_mut(number) else { return out };
        fact.clone_into(&mut placed.fact);
        let placed = placed.clone();
        let Fact::ToolCall { name, input, disposition, .. } = fact else { return out };
        if !self.protocol.has_word_for(*disposition) || !self.enter(&placed.run_id, &mut out) {
            return out;
        }
        if let Some(wire) = self.calls.wire(position).cloned() {
            self.rest(&mut out);
            self.some_step(&mut out);
            let disposition = *disposition;
            let call = Call { wire: &wire, response: "", name, input, disposition, position, rest: None };
            self.protocol.dispose(&call, number >= self.step_start, &mut out);
        }
        out
    }

    fn delta(&mut self, run_id: &RunId, coordinate: Option<&Coordinate>, delta: &Delta) -> Vec<Chunk> {
        let mut out = Vec::new();
        if self.ended.contains(run_id.as_str()) {
            self.skipped += 1;
            return out;
        }
        let key = coordinate.map_or_else(|| Key::Live(run_id.clone(), self.live), |at| Key::At(at.clone()));
        if self.response(&key).is_some_and(|response| response.facts > 0) {
            return out;
        }
        let is_shown =
            self.current.as_ref() == Some(&key) && self.response(&key).is_some_and(|response| response.is_written());
        let (mut kind, fragment) = match delta {
            Delta::TextDelta { delta } => (Kind::Text, delta),
            Delta::ReasoningDelta { delta } => (Kind::Reasoning, delta),
            Delta::ToolCallDelta { id, name, args_delta } => {
                (Kind::Call { wire: Shared::clone(id.shared()), name: name.clone() }, args_delta)
            }
        };
        if (fragment.is_empty() && !matches!(kind, Kind::Call { .. })) || !self.protocol.shows(&kind) {
            return out;
        }
        // An id that nobody was shown stays free for the call that is committed.
        if let (true, Kind::Call { wire, .. }) = (is_shown, &mut kind) {
            *wire = self.calls.preview(&CallId::from(&**wire), &key);
        }
        // Where the end of the run before it is still to be read, it waits for it.
        if self.run.as_ref().is_none_or(|run| run == run_id || self.ended.contains(run.as_str())) {
            self.enter(run_id, &mut out);
        }
        if self.response(&key).is_none() {
            self.responses.push(Response::new(key.clone()));
        }
        let Some(response) = self.responses.iter_mut().find(|response| response.key == key) else { return out };
        let (number, text) = response.grow(kind, fragment);
        let id = response.id.clone();
        if !is_shown {
            self.show_waiting(&mut out);
            return out;
        }
        let Some(response) = self.responses.iter_mut().find(|response| response.key == key) else { return out };
        let Some(block) = response.blocks.get_mut(number) else { return out };
        if !block.written {
            block.written = true;
            self.protocol.open(&id, &block.kind, &mut out);
        }
        if !text.is_empty() {
            self.protocol.grow(&id, &block.kind, &text, &mut out);
        }
        out
    }

    fn reset(&mut self, run_id: Option<&RunId>, coordinate: Option<&Coordinate>) -> Vec<Chunk> {
        let mut out = Vec::new();
        let Some(run_id) = run_id else {
            self.cut(&mut out);
            self.protocol.forget();
            let skipped = self.skipped;
            (self.run, self.step, self.current) = (None, None, None);
            (self.facts, self.responses, self.calls) = (Vec::new(), Vec::new(), Calls::default());
            self.ended.clear();
            (self.live, self.skipped) = (0, skipped);
            return out;
        };
        let key = coordinate.map_or_else(|| Key::Live(run_id.clone(), self.live), |at| Key::At(at.clone()));
        let Some(response) = self.response(&key).filter(|response| response.facts == 0) else { return out };
        let is_written = response.is_written();
        if is_written {
            self.retract(false, None, &mut out);
        }
        self.drop_preview(&key);
        self.responses.retain(|response| response.key != key);
        self.show_waiting(&mut out);
        out
    }

    fn finish(&mut self) -> Vec<Chunk> {
        let mut out = Vec::new();
        self.cut(&mut out);
        out
    }

    fn said(&mut self, message: &Message) {
        self.protocol.said(message);
    }

    fn skipped(&self) -> u64 {
        self.skipped
    }
}

/// True for a call that waits for somebody or will never be answered.
pub(super) fn is_told(disposition: Disposition) -> bool {
    match disposition {
        Disposition::PendingClient | Disposition::PendingBuiltin | Disposition::Unresolved => true,
        Disposition::Executed | Disposition::Open => false,
    }
}

//! What happens on the host by itself: the agent's next act, chosen by a number, sensible wherever the log stands.

use crate::backend::Backend;
use crate::host::{Act, content, text_block};
use crate::random::Random;
use threadfold::event::{CallId, Coordinate, Delta};
use threadfold::follow::frame::Frame;
use threadfold::json::{Fragment, Raw};
use threadfold::thread::{
    Block, EndCause, Failure, Inference, Pause, Record, RemoteReason, ResumeTicket, Role, RunState, Target, ToolReason,
};

/// Where the newest run stands, read off the log, so that a crash needs no memory.
struct Place {
    next: Coordinate,
    /// The calls of the last response that have no result.
    open: Vec<CallId>,
    /// The last response was cut, and nobody said "go on" yet.
    cut: bool,
}

const TEXTS: [&str; 10] = ["a", "ab", " ", "Hello ", "world", "你好", "😀", "", "\n\n", "a\u{301}"];
const ARGS: [&str; 6] = ["{\"a\":", "1", ",\"b\":\"x", "\"}", "", "{}"];

impl Backend {
    /// The next thing that happens on the host.
    pub fn agent(&mut self, number: u64) -> Vec<Frame> {
        let r = &mut Random::new(number);
        match &self.host.active {
            Some(attempt) if attempt.seq.is_some() && r.one_in(6) && !self.host.is_over() => self.between(r),
            Some(attempt) if attempt.seq.is_some() && r.one_in(30) => self.forgets_an_end(),
            Some(attempt) if attempt.seq.is_some() => self.host.act(&Act::End),
            Some(_) => self.streams(r),
            None if !self.exists || self.host.is_over() => {
                if r.one_in(2) {
                    self.said_elsewhere(TEXTS[r.below(6)])
                } else {
                    Vec::new()
                }
            }
            None if self.host.last_state() == Some(&RunState::Awaiting) => self.waits(r),
            None => self.works(r),
        }
    }

    /// The attempt that streams comes to its end, and so does its run: nothing is left under way.
    pub fn rest(&mut self) -> Vec<Frame> {
        let mut frames = Vec::new();
        if self.host.active.as_ref().is_some_and(|attempt| attempt.seq.is_none()) {
            frames.extend(self.host.act(&Act::Commit));
        }
        frames.extend(self.host.act(&Act::End));
        for _ in 0..self.queue.len() + 1 {
            if !self.host.is_over() {
                frames.extend(self.finish(EndCause::NaturalEnd));
            }
        }
        frames
    }

    fn streams(&mut self, r: &mut Random) -> Vec<Frame> {
        let text = |r: &mut Random| Fragment::from(*r.pick(&TEXTS));
        let half = |lead, tail| Fragment { lead, text: String::new(), tail };
        let delta = match r.below(100) {
            0..46 => Delta::TextDelta { delta: text(r) },
            46..56 => Delta::ReasoningDelta { delta: text(r) },
            56..72 => {
                let id = CallId::from(*r.pick(&["c0", "c1", "c2"]));
                let name = if r.one_in(4) { String::new() } else { "tool".to_owned() };
                Delta::ToolCallDelta { id, name, args_delta: Fragment::from(*r.pick(&ARGS)) }
            }
            72..74 => Delta::TextDelta { delta: half(None, Some(0xD83D)) },
            74..76 => Delta::TextDelta { delta: half(Some(0xDE00), None) },
            76..93 => return self.settles(r),
            93..97 => return self.host.act(&Act::Abandon),
            _ => return self.finish(cause(r)),
        };
        self.host.act(&Act::Delta(delta))
    }

    /// What the attempt said is committed, alone or with the run's state.
    fn settles(&mut self, r: &mut Random) -> Vec<Frame> {
        let Some(attempt) = &self.host.active else { return Vec::new() };
        let coordinate = attempt.coordinate.clone();
        let mut content = content(&attempt.deltas);
        if r.one_in(8) {
            // What is committed need not be what streamed.
            content.pop();
            content.push(text_block("as committed"));
        }
        let calls: Vec<CallId> = calls(&content);
        let cut = calls.is_empty() && r.one_in(6);
        let mut rows = vec![self.response(&coordinate, content, cut)];
        if cut && r.one_in(2) {
            rows.push(self.continuation(&coordinate));
        } else if !calls.is_empty() && r.one_in(3) {
            let call = r_pick(r, &calls);
            rows.push(self.awaits(ticket(r, call)));
        } else if calls.is_empty() && !cut && r.one_in(3) {
            rows.push(self.host.state(RunState::Ended(cause(r))));
        }
        let mut frames = self.host.settle_with(rows);
        if !r.one_in(3) {
            frames.extend(self.host.act(&Act::End));
        }
        frames.extend(self.begin_next());
        frames
    }

    /// A commit between an attempt's record and its end.
    fn between(&mut self, r: &mut Random) -> Vec<Frame> {
        match r.below(3) {
            0 => self.finish(cause(r)),
            1 => self.host.commit(vec![self.awaits(Target::Pause(Pause::RateLimit))]),
            _ => self.note("meanwhile"),
        }
    }

    /// A faulty host: the next attempt begins, and nobody is told that the one before is over.
    fn forgets_an_end(&mut self) -> Vec<Frame> {
        self.host.act(&Act::End);
        self.host.revision -= 1;
        let next = self.place().next;
        if self.host.last_state() == Some(&RunState::Running) {
            return self.host.attempt(next.step, next.response);
        }
        Vec::new()
    }

    fn waits(&mut self, r: &mut Random) -> Vec<Frame> {
        let call = self.latest().and_then(|row| row.resume_ticket.as_ref()?.target.call_id().cloned());
        match r.below(10) {
            0..3 => self.go_on(call.filter(|_| r.one_in(2)).map(|call| (call.as_str().to_owned(), r.one_in(3)))),
            3 => self.finish(cause(r)),
            4 => self.note("still waiting"),
            _ => Vec::new(),
        }
    }

    fn works(&mut self, r: &mut Random) -> Vec<Frame> {
        let place = self.place();
        if place.cut && !r.one_in(5) {
            let row = self.continuation(&place.next);
            return self.host.commit(vec![row]);
        }
        let start = (place.next.step, place.next.response);
        if !place.open.is_empty() {
            let call = r_pick(r, &place.open);
            return match r.below(20) {
                0..9 => self.host.commit(vec![self.result(call.as_str(), r.one_in(4))]),
                9..11 => {
                    let rows = place.open.iter().map(|call| self.result(call.as_str(), false)).collect();
                    self.host.commit(rows)
                }
                11..16 => self.host.commit(vec![self.awaits(ticket(r, call))]),
                16 => self.host.commit(vec![
                    self.awaits(Target::RemoteInput { reason: RemoteReason::UserInput, call_id: "asked".into() }),
                ]),
                17 => self.host.commit(vec![self.result("nobody", true)]),
                18 => self.host.attempt(start.0, start.1),
                _ => self.finish(cause(r)),
            };
        }
        match r.below(40) {
            0..24 => self.host.attempt(start.0, start.1),
            24..28 => {
                let mut said = vec![text_block("not streamed")];
                if r.one_in(3) {
                    said =
                        vec![Block::Image { source: Raw::parse("{\"type\":\"url\"}").unwrap_or_else(|_| Raw::null()) }];
                }
                let row = self.response(&place.next, said, false);
                self.host.commit(vec![row])
            }
            28..31 => {
                let id = format!("{}-steer-{}", self.host.run_id().as_str(), r.below(9));
                self.host.commit(vec![self.host.message(&id, Role::User, vec![text_block("mind this")])])
            }
            31..34 => {
                self.host.commit(vec![self.awaits(Target::Pause(*r.pick(&[Pause::Manual, Pause::BudgetReached])))])
            }
            34 => self.note("aside"),
            _ => self.finish(cause(r)),
        }
    }

    fn response(&self, at: &Coordinate, content: Vec<Block>, cut: bool) -> Record {
        let base = format!("{}-assistant-{}", at.run_id.as_str(), at.step);
        let id = if cut { format!("{base}-truncated-{}", at.response) } else { base };
        self.host.answer(at, &id, content)
    }

    fn continuation(&self, of: &Coordinate) -> Record {
        let id = format!("{}-continuation-{}-{}", of.run_id.as_str(), of.step, of.response);
        self.host.message(&id, Role::User, vec![text_block("go on")])
    }

    fn awaits(&self, target: Target) -> Record {
        let mut record = self.host.state(RunState::Awaiting);
        if let Record::Run(row) = &mut record {
            row.resume_ticket = Some(ResumeTicket { target, detail: None });
        }
        record
    }

    fn place(&self) -> Place {
        let run_id = self.host.run_id();
        let mut place =
            Place { next: Coordinate { run_id: run_id.clone(), step: 0, response: 0 }, open: Vec::new(), cut: false };
        for record in self.host.log.iter().filter(|record| record.run_id() == Some(&run_id)) {
            let Record::Message(row) = record else { continue };
            if let Some(at) = row.coordinate() {
                place.cut = row.message.id.as_str().contains("truncated");
                place.open = calls(&row.message.content);
                place.next = if place.cut {
                    Coordinate { response: at.response + 1, ..at }
                } else {
                    Coordinate { step: at.step + 1, response: 0, ..at }
                };
            }
            place.cut &= !row.message.id.as_str().contains("continuation");
            for block in &row.message.content {
                if let Block::ToolResult { tool_use_id, .. } = block {
                    place.open.retain(|call| call != tool_use_id);
                }
            }
        }
        place
    }
}

fn calls(content: &[Block]) -> Vec<CallId> {
    let call = |block: &Block| match block {
        Block::ToolUse { id, .. } => Some(id.clone()),
        _ => None,
    };
    content.iter().filter_map(call).collect()
}

fn r_pick(r: &mut Random, calls: &[CallId]) -> CallId {
    r.pick(calls).clone()
}

fn ticket(r: &mut Random, call_id: CallId) -> Target {
    use ToolReason::{ClientExecution, Delegation, Permission, ScheduledAction};
    let reason = *r.pick(&[Permission, Permission, ClientExecution, ClientExecution, ScheduledAction, Delegation]);
    Target::ToolCall { reason, call_id, tool: None }
}

fn cause(r: &mut Random) -> EndCause {
    match r.below(10) {
        0 => EndCause::MaxSteps,
        1 => EndCause::Cancelled,
        2 => EndCause::Indeterminate,
        3 => EndCause::Error(Failure::Inference(Inference { code: "x".to_owned(), message: "y".to_owned() })),
        4 => EndCause::Error(Failure::CapabilityBound),
        _ => EndCause::NaturalEnd,
    }
}

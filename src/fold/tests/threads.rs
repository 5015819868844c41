//! Threads as hosts commit them, drawn at random: several runs side by side, batches with repeated call ids, tickets,
//! pauses and resumes, cut answers, ends, and things that should not be there.

use crate::event::{CallId, MessageId, RunId};
use crate::json::Raw;
use crate::thread::{
    Block, EndCause, Failure, Inference, Message, MessageRow, Pause, Record, RemoteReason, ResumeTicket, Role, RunRow,
    RunState, Target, ToolReason,
};
use proptest::prelude::*;

/// One commit of one run.
#[derive(Debug, Clone)]
enum Commit {
    /// The assistant answers: thinking, text, an image, calls by id.
    Answer { thinking: bool, text: bool, image: bool, calls: Vec<u8>, cut: bool, located: bool },
    /// Tools answer these calls.
    Results(Vec<u8>),
    /// The run waits.
    Await(Option<(u8, u8)>),
    /// The run goes on.
    Go { known: bool },
    /// The host injects a turn.
    Inject { steer: bool },
    /// A message that is no Fact, of a run or of none.
    Aside { role: u8, in_run: bool },
    /// The run ends.
    End(u8),
}

fn commit() -> impl Strategy<Value = Commit> {
    let calls = prop::collection::vec(0..3_u8, 0..4);
    prop_oneof![
        5 => (any::<bool>(), any::<bool>(), prop::bool::weighted(0.2), calls.clone(), prop::bool::weighted(0.2), any::<bool>())
            .prop_map(|(thinking, text, image, calls, cut, located)| Commit::Answer { thinking, text, image, calls, cut, located }),
        5 => calls.prop_map(Commit::Results),
        3 => prop::option::weighted(0.9, (0..8_u8, 0..4_u8)).prop_map(Commit::Await),
        3 => prop::bool::weighted(0.9).prop_map(|known| Commit::Go { known }),
        1 => any::<bool>().prop_map(|steer| Commit::Inject { steer }),
        1 => (0..4_u8, any::<bool>()).prop_map(|(role, in_run)| Commit::Aside { role, in_run }),
        1 => (0..8_u8).prop_map(Commit::End),
    ]
}

/// A thread of up to four runs. Records follow each other by seq from 0; a run begins with what a person said and its
/// Running row, and may be written to after its end.
pub fn thread() -> impl Strategy<Value = Vec<Record>> {
    prop::collection::vec((0..4_usize, commit()), 0..24).prop_map(|commits| {
        let mut writer = Writer::default();
        for (run, commit) in commits {
            writer.commit(run, &commit);
        }
        writer.records
    })
}

#[derive(Default)]
struct Writer {
    records: Vec<Record>,
    started: [bool; 4],
    step: [u32; 4],
    cut: [u32; 4],
}

impl Writer {
    fn commit(&mut self, run: usize, commit: &Commit) {
        let id = RunId::from(["r", "q", "r-assistant-0", "s"][run]);
        if !self.started[run] {
            self.started[run] = true;
            self.message(Some(&id), None, "u", Role::User, vec![Block::Text { text: "hello".to_owned() }]);
            self.state(&id, RunState::Running, None);
        }
        match commit {
            Commit::Answer { thinking, text, image, calls, cut, located } => {
                let (step, response) = (self.step[run], self.cut[run]);
                let name = if *cut {
                    self.cut[run] += 1;
                    format!("{id}-assistant-{step}-truncated-{response}")
                } else {
                    self.step[run] += 1;
                    self.cut[run] = 0;
                    format!("{id}-assistant-{step}")
                };
                let mut content = Vec::new();
                content.extend(text.then(|| Block::Text { text: "answer".to_owned() }));
                content.extend(thinking.then(|| Block::Thinking { text: "hm".to_owned(), signature: None }));
                content.extend(image.then(|| Block::Image { source: Raw::null() }));
                content.extend(thinking.then(|| Block::Thinking { text: "so".to_owned(), signature: None }));
                content.extend(calls.iter().map(|call| Block::ToolUse {
                    id: call_id(*call),
                    name: "tool".to_owned(),
                    input: Raw::parse(&format!("{{\"at\":{}}}", self.records.len())).unwrap(),
                }));
                self.message(Some(&id), located.then_some((step, response)), &name, Role::Assistant, content);
                if *cut {
                    let go_on = format!("{id}-continuation-{step}-{response}");
                    self.message(Some(&id), None, &go_on, Role::User, Vec::new());
                    self.state(&id, RunState::Running, None);
                }
            }
            Commit::Results(calls) => {
                let content = calls
                    .iter()
                    .map(|call| Block::ToolResult {
                        tool_use_id: call_id(*call),
                        content: Vec::new(),
                        is_error: *call == 1,
                    })
                    .collect();
                self.message(Some(&id), None, "tool-x", Role::Tool, content);
            }
            Commit::Await(None) => self.state(&id, RunState::Awaiting, None),
            Commit::Await(Some((target, call))) => {
                let target = target_of(*target, call_id(*call));
                self.state(&id, RunState::Awaiting, Some(ResumeTicket { target, detail: None }));
            }
            Commit::Go { known: true } => self.state(&id, RunState::Running, None),
            Commit::Go { known: false } => {
                self.state(&id, RunState::Unknown(Raw::parse("\"Dreaming\"").unwrap()), None)
            }
            Commit::Inject { steer } => {
                let name = if *steer { format!("{id}-steer-0") } else { "resume-input-c0".to_owned() };
                self.message(Some(&id), None, &name, Role::User, Vec::new());
                self.state(&id, RunState::Running, None);
            }
            Commit::Aside { role, in_run } => {
                let role = [Role::System, Role::System, Role::Assistant, Role::Tool][usize::from(*role)];
                let role = if *in_run { Role::System } else { role };
                let content = vec![Block::ToolUse { id: call_id(0), name: "tool".to_owned(), input: Raw::null() }];
                self.message(in_run.then_some(&id), None, "aside", role, content);
            }
            Commit::End(cause) => self.state(&id, RunState::Ended(cause_of(*cause)), None),
        }
    }

    fn message(&mut self, run: Option<&RunId>, at: Option<(u32, u32)>, id: &str, role: Role, content: Vec<Block>) {
        self.records.push(Record::Message(MessageRow {
            seq: self.records.len() as u64,
            time: 0,
            run_id: run.cloned(),
            step: at.map(|(step, _)| step),
            response: at.map(|(_, response)| response),
            mark: None,
            message: Message { id: MessageId::from(id), role, content },
        }));
    }

    fn state(&mut self, run: &RunId, state: RunState, resume_ticket: Option<ResumeTicket>) {
        let seq = self.records.len() as u64;
        self.records.push(Record::Run(RunRow { seq, time: 0, run_id: run.clone(), state, resume_ticket }));
    }
}

fn call_id(number: u8) -> CallId {
    CallId::from(["c0", "c1", "c2", "none"][usize::from(number)])
}

fn target_of(number: u8, call_id: CallId) -> Target {
    let tool = |reason| Target::ToolCall { reason, call_id: call_id.clone(), tool: None };
    match number {
        0 | 1 => tool(ToolReason::Permission),
        2 | 3 => tool(ToolReason::ClientExecution),
        4 => tool(ToolReason::ScheduledAction),
        5 => tool(ToolReason::Delegation),
        6 => Target::RemoteInput { reason: RemoteReason::UserInput, call_id },
        _ => Target::Pause(Pause::Manual),
    }
}

fn cause_of(number: u8) -> EndCause {
    match number {
        0 | 1 => EndCause::NaturalEnd,
        2 => EndCause::MaxSteps,
        3 => EndCause::Cancelled,
        4 => EndCause::Stopped(Raw::null()),
        5 => EndCause::Error(Failure::Inference(Inference { code: "c".to_owned(), message: "m".to_owned() })),
        6 => EndCause::Indeterminate,
        _ => EndCause::Unknown(Raw::parse("\"Later\"").unwrap()),
    }
}

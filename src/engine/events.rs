//! The events of a thread for whoever does not look at the view: Facts once per position, Deltas, resets.

use crate::event::{Coordinate, Delta, Fact, PlacedFact, Position, RunId};
use crate::follow::LaneId;
use crate::json::{Fragment, Wire, Writer};
use crate::thread::{Message, MessageName, Record, Role};
use crate::transcode;

/// One event of a thread.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// A new Fact.
    Fact(PlacedFact),
    /// The Fact at this position reads so from now on; only a disposition ever changes (A3.8).
    Amend {
        /// The place of the Fact.
        position: Position,
        /// The whole Fact as it reads now.
        fact: Fact,
    },
    /// The person said this, or it is an instruction: a message that yields no Fact, told before the Facts that it opens.
    Said(Message),
    /// A live fragment of a lane.
    Delta {
        /// The lane.
        lane: LaneId,
        /// The run.
        run_id: RunId,
        /// The response, where the stream says it.
        coordinate: Option<Coordinate>,
        /// The fragment.
        delta: Delta,
    },
    /// Forget what was shown of this lane (A1).
    Reset {
        /// The lane; None for all lanes and all Facts.
        lane: Option<LaneId>,
        /// The lane's run; None for all lanes and all Facts.
        run_id: Option<RunId>,
        /// The lane's response.
        coordinate: Option<Coordinate>,
    },
}

impl From<Event> for transcode::Input {
    fn from(event: Event) -> Self {
        match event {
            Event::Fact(PlacedFact { position, run_id, message_id, coordinate, call, fact }) => {
                Self::Fact { position, run_id, message_id, coordinate, call, fact }
            }
            Event::Amend { position, fact } => Self::Amend { position, fact },
            Event::Said(message) => Self::Said { message },
            Event::Delta { run_id, coordinate, delta, lane: _ } => Self::Delta { run_id, coordinate, delta },
            Event::Reset { run_id, coordinate, lane: _ } => Self::Reset { run_id, coordinate },
        }
    }
}

/// Events that wait to be taken. Facts are never lost; a reader that is slow finds neighbouring Deltas joined, so that
/// what waits is bounded by the text itself.
#[derive(Debug, Default)]
pub(super) struct Events {
    queue: Vec<Event>,
}

impl Events {
    pub fn push(&mut self, event: Event) {
        if let (Event::Delta { lane, delta, .. }, Some(Event::Delta { lane: last, delta: before, .. })) =
            (&event, self.queue.last_mut())
            && lane == last
            && join(before, delta)
        {
            return;
        }
        self.queue.push(event);
    }

    pub fn take(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.queue)
    }
}

/// What a record says beside the Facts that it yields. What the host said in the person's place is told by a Fact.
pub(super) fn said(record: &Record) -> Option<Event> {
    let Record::Message(row) = record else { return None };
    let is_said = match row.message.role {
        Role::System => true,
        Role::User => !MessageName::of(&row.message.id, row.run_id.as_ref()).is_injected(),
        Role::Assistant | Role::Tool => false,
    };
    is_said.then(|| Event::Said(row.message.clone()))
}

/// Appends a Delta to its neighbour of the same kind and call; false when they stay apart.
fn join(before: &mut Delta, after: &Delta) -> bool {
    match (before, after) {
        (Delta::TextDelta { delta: before }, Delta::TextDelta { delta: after })
        | (Delta::ReasoningDelta { delta: before }, Delta::ReasoningDelta { delta: after }) => append(before, after),
        (
            Delta::ToolCallDelta { id: call, args_delta: before, .. },
            Delta::ToolCallDelta { id: other, args_delta: after, .. },
        ) if call == other => append(before, after),
        _ => false,
    }
}

/// Halves of a character that meet would have to be joined; those are left to whoever shows them.
fn append(before: &mut Fragment, after: &Fragment) -> bool {
    if before.tail.is_some() || after.lead.is_some() {
        return false;
    }
    before.text.push_str(&after.text);
    before.tail = after.tail;
    true
}

/// The events as a JSON array, each as `ThreadEvent` of the package's types, with its `lane` for whoever queues them.
pub(super) fn write(events: &[Event]) -> String {
    let mut w = Writer::new();
    w.array(|w| events.iter().for_each(|event| write_one(event, w)));
    w.finish()
}

fn write_one(event: &Event, w: &mut Writer) {
    w.object(|w| {
        w.key("type");
        match event {
            Event::Fact(placed) => {
                w.string("fact");
                write_placed(placed, w);
            }
            Event::Amend { position, fact } => {
                w.string("amend");
                w.key("position");
                position.write(w);
                w.key("fact");
                fact.write(w);
            }
            Event::Said(message) => {
                w.string("said");
                w.key("message");
                message.write(w);
            }
            Event::Delta { lane, run_id, coordinate, delta } => {
                w.string("delta");
                w.key("lane");
                w.number(u64::from(lane.0));
                w.key("run_id");
                run_id.write(w);
                write_coordinate(coordinate.as_ref(), w);
                w.key("delta");
                delta.write(w);
            }
            Event::Reset { lane, run_id, coordinate } => {
                w.string("reset");
                if let Some(lane) = lane {
                    w.key("lane");
                    w.number(u64::from(lane.0));
                }
                if let Some(run_id) = run_id {
                    w.key("run_id");
                    run_id.write(w);
                }
                write_coordinate(coordinate.as_ref(), w);
            }
        }
    });
}

fn write_placed(placed: &PlacedFact, w: &mut Writer) {
    w.key("position");
    placed.position.write(w);
    w.key("run_id");
    placed.run_id.write(w);
    if let Some(message_id) = &placed.message_id {
        w.key("message_id");
        message_id.write(w);
    }
    if let Some(coordinate) = &placed.coordinate {
        w.key("coordinate");
        coordinate.write(w);
    }
    if let Some(call) = &placed.call {
        w.key("call");
        call.write(w);
    }
    w.key("fact");
    placed.fact.write(w);
}

fn write_coordinate(coordinate: Option<&Coordinate>, w: &mut Writer) {
    if let Some(coordinate) = coordinate {
        w.key("coordinate");
        coordinate.write(w);
    }
}

//! Events as they travel on the original wire: with their tier, run and, if the host knows it, coordinate.

use super::{Coordinate, Delta, Fact, RunId, ThreadId};
use crate::json::{Error, ErrorKind, Reader, Wire, Writer, wire_object};

/// A Fact or a Delta, tagged by its tier.
#[derive(Debug, Clone, PartialEq)]
pub enum AgentEvent {
    /// Complete and committed.
    Fact(Fact),
    /// A live fragment.
    Delta(Delta),
}

impl Wire for AgentEvent {
    fn read(r: &mut Reader<'_>) -> Result<Self, Error> {
        let tier = r.tag("tier")?.ok_or_else(|| r.error(ErrorKind::Missing("tier")))?;
        let mut event = None;
        r.object(|r, key| {
            match (key, &*tier) {
                ("tier", _) => r.skip()?,
                ("event", "fact") => event = Some(Self::Fact(Wire::read(r)?)),
                ("event", "delta") => event = Some(Self::Delta(Wire::read(r)?)),
                ("event", other) => return Err(r.error(ErrorKind::UnknownTag(other.to_owned()))),
                _ => r.unknown_key(key)?,
            }
            Ok(())
        })?;
        event.ok_or_else(|| r.error(ErrorKind::Missing("event")))
    }

    fn write(&self, w: &mut Writer) {
        w.object(|w| {
            w.key("tier");
            match self {
                Self::Fact(fact) => {
                    w.string("fact");
                    w.key("event");
                    fact.write(w);
                }
                Self::Delta(delta) => {
                    w.string("delta");
                    w.key("event");
                    delta.write(w);
                }
            }
        });
    }
}

/// One event of a plain live stream, with the coordinate where the host sends one.
#[derive(Debug, Clone, PartialEq)]
pub struct Envelope {
    /// The run.
    pub run_id: RunId,
    /// The event.
    pub kind: AgentEvent,
    /// The response it belongs to.
    pub coordinate: Option<Coordinate>,
}

wire_object! {
    /// The envelope without a coordinate.
    struct Bare {
        run_id: RunId,
        kind: AgentEvent,
    }
}

wire_object! {
    /// Where an assistant's response stands, as the original wire names it.
    struct AssistantResponse {
        thread_id: ThreadId,
        step: u32,
        response: u32,
    }
}

wire_object! {
    /// The envelope with room for a coordinate.
    struct Located {
        event: Bare,
        assistant_response: Option<AssistantResponse> => optional,
    }
}

impl Wire for Envelope {
    fn read(r: &mut Reader<'_>) -> Result<Self, Error> {
        if !r.has("event")? {
            let Bare { run_id, kind } = Bare::read(r)?;
            return Ok(Self { run_id, kind, coordinate: None });
        }
        let Located { event: Bare { run_id, kind }, assistant_response } = Located::read(r)?;
        let coordinate = assistant_response.map(|AssistantResponse { step, response, .. }| Coordinate {
            run_id: run_id.clone(),
            step,
            response,
        });
        Ok(Self { run_id, kind, coordinate })
    }

    /// Written without a coordinate: the thread's id, which the located form needs, is not known here.
    fn write(&self, w: &mut Writer) {
        w.object(|w| {
            w.key("run_id");
            self.run_id.write(w);
            w.key("kind");
            self.kind.write(w);
        });
    }
}

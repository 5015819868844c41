//! One page: the real engine, the copy of the view that its changes make, and the Facts that its events make.

use crate::dsh::Socket;
use crate::page::Page;
use crate::record;
use serde_json::Value;
use std::collections::BTreeMap;
use threadfold::engine::{Effect, Engine};
use threadfold::event::{Fact, PlacedFact, Position};
use threadfold::follow::{CommandId, Generation, Input, Options};
use threadfold::json;
use threadfold::source::sse::Decoder;
use threadfold::transcode;
use threadfold::view::Urgency;

pub struct Client {
    pub engine: Engine,
    pub page: Page,
    pub facts: BTreeMap<Position, PlacedFact>,
    /// Which page this is: what was under way for the one before is not for it.
    pub life: u32,
    pub stream: Option<Stream>,
    /// What is between it and a dsh host.
    pub line: Socket,
    pub net: Net,
    /// Its clock is so far ahead of the world's.
    pub ahead: u64,
    pub asleep_until: u64,
    pub hidden: bool,
    pub offline: bool,
    pub closed: bool,
    /// A flush is due with the next frame.
    pub frame_due: bool,
    pub commands: u32,
    /// When it opened its stream, on its clock.
    pub opened_at: Option<u64>,
    /// When it asked its stream for a sign of life, on its clock, and how often it did.
    pub knocked_at: Option<u64>,
    pub knocks: u64,
    /// Reads that were answered otherwise than the contract says, and changes of epoch.
    pub excuses: u64,
    /// Reads that it asked for since the last quiet time began.
    pub asked: u64,
    /// What it was told since its log was last read anew, as JSON, where that is recorded.
    pub told: Vec<String>,
}

/// The stream as the client has it.
pub struct Stream {
    pub generation: Generation,
    pub decoder: Decoder,
    /// The host's end: false when nothing comes any more, and nobody says so.
    pub hears: bool,
    /// Bytes that still come through before it is cut.
    pub left: Option<usize>,
    /// No byte may pass another.
    pub last_at: u64,
    /// An event that waits for the one after it.
    pub swapped: Option<Vec<u8>>,
    /// Something was lost and nothing of its kind came since: a frame (true) or an event.
    pub unseen: Option<bool>,
}

/// What goes wrong next.
#[derive(Debug, Clone, Default)]
pub struct Net {
    pub lose: u32,
    pub twice: u32,
    pub swap: u32,
    pub garble: u32,
    pub slow: u64,
    pub opens: Vec<crate::script::Opening>,
    pub reads: Vec<crate::script::Reading>,
    pub asks: Vec<crate::script::Asking>,
}

impl Client {
    pub fn new(options: Options, life: u32) -> Self {
        let mut engine = Engine::new(options);
        engine.listen(true);
        engine.set_window(life as usize % 4);
        let mut client = Self {
            engine,
            page: Page::new(),
            facts: BTreeMap::new(),
            life,
            stream: None,
            line: Socket::default(),
            net: Net::default(),
            ahead: 0,
            asleep_until: 0,
            hidden: false,
            offline: false,
            closed: false,
            frame_due: false,
            commands: 0,
            opened_at: None,
            knocked_at: None,
            knocks: 0,
            excuses: 0,
            asked: 0,
            told: Vec::new(),
        };
        // Who begins to listen is told the history first (what a window's page brought).
        let history = client.engine.history();
        client.take(&history).unwrap_or_default();
        client
    }

    /// Tells the engine what came at once, and gives what it asks for.
    pub fn give(&mut self, inputs: Vec<Input>, now: u64, random: u64) -> Vec<Effect> {
        let now = now + self.ahead;
        inputs.into_iter().for_each(|input| self.engine.stream(input, now, random));
        self.engine.streamed(now);
        std::iter::from_fn(|| self.engine.poll()).collect()
    }

    /// True when the changes are to be taken now.
    pub fn wants_flush(&mut self, frames: bool) -> bool {
        match self.engine.urgency() {
            Urgency::None => false,
            Urgency::Now => true,
            Urgency::Frame => {
                self.frame_due |= frames;
                !frames
            }
        }
    }

    /// Takes changes and events.
    pub fn flush(&mut self) -> Result<bool, String> {
        self.frame_due = false;
        let changes = self.engine.take_changes();
        if let Some(text) = &changes {
            self.page.apply(text);
            let older = serde_json::from_str(&self.engine.older()).map_err(|error| error.to_string())?;
            self.page.recall(&older);
        }
        if let Some(events) = self.engine.take_events() {
            self.take(&events)?;
        }
        Ok(changes.is_some())
    }

    /// Every position is added once and in order, and only a call is amended.
    fn take(&mut self, events: &str) -> Result<(), String> {
        let events: Vec<transcode::Input> = json::read(events).map_err(|error| format!("events: {error}: {events}"))?;
        for event in events {
            if record::is_wanted() {
                self.told.push(json::write(&event));
            }
            match event {
                transcode::Input::Fact { position, run_id, message_id, coordinate, call, fact } => {
                    if self.facts.last_key_value().is_some_and(|(last, _)| position <= *last) {
                        return Err(format!("I7: the Fact at {position:?} came again or late"));
                    }
                    self.facts.insert(position, PlacedFact { position, run_id, message_id, coordinate, call, fact });
                }
                transcode::Input::Amend { position, fact } => match self.facts.get_mut(&position) {
                    Some(placed) if matches!(placed.fact, Fact::ToolCall { .. }) => placed.fact = fact,
                    other => return Err(format!("an amendment at {position:?} of {other:?}")),
                },
                transcode::Input::Reset { run_id: None, .. } => {
                    self.facts.clear();
                    self.told.clear();
                }
                transcode::Input::Reset { .. } | transcode::Input::Delta { .. } | transcode::Input::Said { .. } => {}
            }
        }
        Ok(())
    }

    pub fn next_command(&mut self) -> CommandId {
        self.commands += 1;
        CommandId(self.commands)
    }

    pub fn items(&self) -> &[Value] {
        self.page.view["items"].as_array().map(Vec::as_slice).unwrap_or_default()
    }
}

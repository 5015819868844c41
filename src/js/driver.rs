//! The class under `pkg/src/driver.js`: an engine, told what happens and asked what to do.
//!
//! The module calls nothing: every call comes from JavaScript and is over when it returns, so there is no callback that
//! could find the engine borrowed, and hardly any glue.

use super::effect;
use super::fault::argument;
use super::given::{Failure, Given, GivenResume, GivenSend, What, text};
use crate::engine::{Effect, Engine};
use crate::event::RunId;
use crate::follow::{
    Closed, Command, CommandId, Generation, Input, Live, Options, Outcome, Protocol, ReadError, ReadId, Status, Wake,
};
use crate::json;
use crate::source::dsh::{self, Act, Carrier};
use crate::source::sse::{Decoder, SseError};
use crate::source::threadfold;
use crate::view::Urgency;
use wasm_bindgen::prelude::*;

/// The longest event, in bytes. An `opened` carries all of an answer under way.
const LONGEST_EVENT: usize = 16 << 20;

/// Follows one thread. `now` is in milliseconds since 1970, `random` from 0 up to 1. What a call returns as a number is
/// how things stand: see [`Driver::state`].
#[wasm_bindgen]
pub struct Driver {
    engine: Engine,
    plain: bool,
    /// The wire of a dsh host, which turns the engine's effects into other ones.
    carrier: Option<Carrier>,
    /// The stream that is open, and one that this side has given up and JavaScript still has to close.
    live: Option<Generation>,
    closing: Option<Generation>,
    /// The bytes of a stream that are no whole event yet, and the pause it asked for last.
    bytes: Option<(u32, Decoder, Option<u64>)>,
    /// Reads the events of the streams of `threadfold/1`.
    frames: threadfold::Frames,
    /// Bytes that came in.
    count: u64,
    /// The connection's state that was told last.
    told: Option<Status>,
    /// The deadline that was told last, in ms.
    armed: u64,
}

#[wasm_bindgen]
impl Driver {
    /// A driver that does nothing yet. The options are JSON, and so is the initial page, as bytes.
    ///
    /// # Errors
    /// `bad_argument`, naming what is wrong with the options.
    #[wasm_bindgen(constructor)]
    pub fn new(options: &str, initial: Option<Vec<u8>>) -> Result<Self, JsValue> {
        let given: Given = argument("options", options)?;
        let engine = Engine::new(Options {
            protocol: match given.dsh_messages {
                Some(_) => Protocol::Dsh,
                None if given.plain => Protocol::Plain,
                None => Protocol::Strict,
            },
            thread_id: given.thread_id.as_deref().map(Into::into),
            renewable: given.renewable,
            watchdog: given.watchdog,
            initial: initial.map(|page| argument("initial", &text(&page))).transpose()?,
        });
        let session = given.thread_id.unwrap_or_default();
        let carrier = given.dsh_messages.map(|max_messages| Carrier::new(dsh::Options { session, max_messages }));
        Ok(Self {
            engine,
            plain: given.plain,
            carrier,
            live: None,
            closing: None,
            bytes: None,
            frames: threadfold::Frames::default(),
            count: 0,
            told: None,
            armed: u64::MAX,
        })
    }

    /// An event of the live stream.
    #[wasm_bindgen(js_name = liveEvent)]
    pub fn live_event(&mut self, generation: u32, name: &str, data: &str, now: f64, random: f64) -> u32 {
        self.count(data.len());
        let live = event(self.plain, &mut self.frames, name, data);
        self.handle(Input::Live(Generation(generation), live), now, random)
    }

    /// A piece of a live stream of server-sent events. A stream with an event over the limit is over.
    #[wasm_bindgen(js_name = liveBytes)]
    pub fn live_bytes(&mut self, generation: u32, bytes: &[u8], now: f64, random: f64) -> u32 {
        self.count(bytes.len());
        let (plain, engine, frames) = (self.plain, &mut self.engine, &mut self.frames);
        let (_, decoder, pause) = match &mut self.bytes {
            Some(open) if open.0 == generation => open,
            other => other.insert((generation, Decoder::new(LONGEST_EVENT), None)),
        };
        // Each event is told where it is found: a list of them would be copied twice.
        let mut tell = |live| engine.stream(Input::Live(Generation(generation), live), now as u64, bits(random));
        let mut any = false;
        let result = decoder.push(bytes, &mut |found| {
            any = true;
            tell(event(plain, frames, found.name, found.data));
        });
        // Bytes without an event are a sign of life.
        if !any {
            tell(Live::Activity);
        }
        let asked = decoder.retry();
        if asked != *pause {
            *pause = asked;
            asked.map(Live::Retry).into_iter().for_each(&mut tell);
        }
        if let Err(SseError::TooLong { limit }) = result {
            tell(Live::Closed(Closed::TooLarge(limit)));
            self.closing = self.live.take();
        }
        self.engine.streamed(now as u64);
        self.state()
    }

    /// Anything else that happened, by its word; one that is not known changes nothing. `id` is the generation of a stream,
    /// or the number of a read or of a command; what `bytes` of text and `kind` are depends on the word.
    ///
    /// # Errors
    /// `bad_argument` when the app gave something that can't be said.
    pub fn tell(
        &mut self,
        what: &str,
        id: u32,
        bytes: &[u8],
        kind: &str,
        now: f64,
        random: f64,
    ) -> Result<u32, JsValue> {
        let text = &*text(bytes);
        let Some(what) = What::from_word(what) else { return Ok(self.state()) };
        let live = |live| Input::Live(Generation(id), live);
        let command = |command| Input::Command(CommandId(id), command);
        let input = match what {
            What::Connect => Input::Connect,
            What::Tick => Input::Tick,
            What::Hidden => Input::Hidden,
            What::Offline => Input::Offline,
            What::Visible => Input::Wake(Wake::Visible),
            What::Online => Input::Wake(Wake::Online),
            What::Pageshow => Input::Wake(Wake::Pageshow),
            What::User => Input::Wake(Wake::User),
            What::Close => Input::Close,
            What::Accepted => live(Live::Accepted),
            What::Activity => live(Live::Activity),
            What::Closed => {
                self.live.take_if(|open| open.0 == id);
                live(Live::Closed(Failure::of(text).closed()))
            }
            // The stream is given up, as if the network had.
            What::Lose => match self.live.take() {
                Some(open) => {
                    self.closing = Some(open);
                    if let Some(carrier) = &mut self.carrier {
                        carrier.disconnect();
                    }
                    Input::Live(open, Live::Closed(Closed::Lost))
                }
                None => return Ok(self.state()),
            },
            What::Page => {
                self.count(text.len());
                Input::Page(ReadId(id), threadfold::read_page(kind, text))
            }
            What::PageFailed => Input::Page(ReadId(id), Err(Failure::of(text).read_error())),
            What::Answered => {
                self.count(text.len());
                Input::Response(CommandId(id), threadfold::response(text))
            }
            What::AnswerFailed => Input::Response(CommandId(id), Failure::of(text).outcome()),
            What::Send => command(argument::<GivenSend>("content", text)?.command()),
            What::Resume => command(argument::<GivenResume>("answer", text)?.command()),
            What::Cancel => command(Command::Cancel { run_id: (!text.is_empty()).then(|| RunId::from(text)) }),
            What::SocketText | What::SocketOpened | What::SocketClosed | What::CallAnswered | What::CallFailed => {
                self.carried(what, id, text, kind, now as u64);
                return Ok(self.state());
            }
        };
        Ok(self.handle(input, now, random))
    }

    /// The next thing to do, a JSON array that begins with its word; nothing when there is nothing more for now. The
    /// connection's state comes last.
    pub fn poll(&mut self, now: f64, random: f64) -> Option<String> {
        loop {
            let effect = match self.closing.take() {
                Some(generation) => Effect::CloseLive(generation),
                None => match self.carrier.as_mut().and_then(Carrier::poll) {
                    Some(Act::Tell(input)) => {
                        self.handle(*input, now, random);
                        continue;
                    }
                    Some(act) => return Some(effect::write_act(&act)),
                    None => match self.engine.poll() {
                        Some(effect) => effect,
                        None => break,
                    },
                },
            };
            match effect {
                Effect::OpenLive(generation) => self.live = Some(generation),
                Effect::CloseLive(generation) => {
                    self.live.take_if(|open| *open == generation);
                }
                Effect::Knock(_) | Effect::Fetch(_) | Effect::Request(..) | Effect::Done(..) | Effect::Anomaly(_) => {}
            }
            match (&mut self.carrier, &effect) {
                (Some(carrier), Effect::OpenLive(generation)) => carrier.open(*generation),
                (Some(carrier), Effect::CloseLive(generation)) => carrier.close(*generation, now as u64),
                (Some(carrier), Effect::Knock(generation)) => carrier.knock(*generation),
                (Some(carrier), Effect::Fetch(fetch)) => carrier.fetch(fetch),
                (Some(carrier), Effect::Request(id, command)) => carrier.request(*id, command),
                (None, _) | (_, Effect::Done(..) | Effect::Anomaly(_)) => return Some(effect::write(&effect)),
            }
        }
        let status = self.engine.status();
        if self.told.as_ref() == Some(status) {
            return None;
        }
        self.told = Some(status.clone());
        Some(effect::write_status(status))
    }

    /// 1: there is something to do. 2: changes are due with the next frame. 4: they are due now. 8: the deadline is
    /// earlier than the one that was told.
    pub fn state(&self) -> u32 {
        let due = match self.engine.urgency() {
            Urgency::None => 0,
            Urgency::Frame => 2,
            Urgency::Now => 4,
        };
        let to_do = self.engine.has_effects()
            || self.closing.is_some()
            || self.carrier.as_ref().is_some_and(Carrier::has_acts)
            || self.told.as_ref() != Some(self.engine.status());
        let earlier = self.engine.deadline().is_some_and(|at| at < self.armed);
        u32::from(to_do) | due | (u32::from(earlier) << 3)
    }

    /// When to tell of a `tick` at the latest, in ms since 1970; infinity for never.
    pub fn deadline(&mut self) -> f64 {
        let deadline = self.engine.deadline();
        self.armed = deadline.unwrap_or(u64::MAX);
        deadline.map_or(f64::INFINITY, |at| at as f64)
    }

    /// The view's changes since the last call, as JSON.
    pub fn changes(&mut self) -> Option<String> {
        self.engine.take_changes()
    }

    /// The events since the last call, as a JSON array.
    pub fn events(&mut self) -> Option<String> {
        self.engine.take_events()
    }

    /// The whole view, as JSON.
    pub fn whole(&mut self) -> String {
        self.engine.whole()
    }

    /// The items that were left out of the changes so far, as JSON (the change `older`).
    pub fn older(&mut self) -> String {
        self.engine.older()
    }

    /// Collects events from now on, or no longer.
    pub fn listen(&mut self, on: bool) {
        self.engine.listen(on);
    }

    /// What a new reader of events has to know first, as a JSON array.
    pub fn history(&self) -> String {
        self.engine.history()
    }

    /// What was counted, as JSON.
    pub fn stats(&self) -> String {
        let mut stats = self.engine.stats();
        stats.bytes = self.count;
        json::write(&stats)
    }
}

impl Driver {
    // Floats are cut to the range of the integer, which a clock and a random number are far inside of.
    fn handle(&mut self, input: Input, now: f64, random: f64) -> u32 {
        self.engine.handle(input, now as u64, bits(random));
        self.state()
    }

    /// Something came of a dsh host.
    fn carried(&mut self, what: What, id: u32, text: &str, kind: &str, now: u64) {
        self.count(text.len());
        let Some(carrier) = &mut self.carrier else { return };
        match what {
            What::SocketText => carrier.text(id, text, now),
            What::SocketOpened => carrier.opened(id, now),
            What::SocketClosed => carrier.closed(id, kind.parse().unwrap_or(0), text),
            What::CallAnswered => {
                let Failure { status, retry_after, content_type, .. } = Failure::of(kind);
                let status = status.and_then(|status| u16::try_from(status).ok()).unwrap_or(0);
                let content_type = content_type.unwrap_or_default();
                carrier.answered(id, Ok(dsh::Answer { status, retry_after, content_type, body: text.to_owned() }));
            }
            What::CallFailed => carrier.answered(id, Err(text.to_owned())),
            _ => {}
        }
    }

    fn count(&mut self, bytes: usize) {
        self.count = self.count.saturating_add(bytes as u64);
    }
}

fn bits(random: f64) -> u64 {
    (random * 18_446_744_073_709_551_616.0) as u64
}

fn event(plain: bool, frames: &mut threadfold::Frames, name: &str, data: &str) -> Live {
    if plain { threadfold::plain_event(name, data) } else { threadfold::next_event(frames, name, data) }
}

impl Failure {
    fn closed(self) -> Closed {
        match (self.refusal(), self.content_type) {
            (_, Some(found)) => Closed::NotAStream(found),
            (Some((status, retry_after)), None) => Closed::Refused { status, retry_after },
            (None, None) => Closed::Lost,
        }
    }

    fn read_error(self) -> ReadError {
        match self.refusal() {
            Some((status, retry_after)) => ReadError::Refused { status, retry_after, code: self.code },
            None => ReadError::Network(self.message.unwrap_or_default()),
        }
    }

    fn outcome(self) -> Outcome {
        let refusal = self.refusal();
        let message = self.message.unwrap_or_default();
        match refusal {
            Some((status, retry_after)) => {
                Outcome::Refused { status, retry_after, code: self.code.unwrap_or_default(), message }
            }
            None => Outcome::Network(message),
        }
    }

    /// The status and the pause, if it is a refusal.
    fn refusal(&self) -> Option<(u16, Option<u64>)> {
        let status = u16::try_from(self.status?).ok()?;
        Some((status, self.retry_after))
    }
}

impl std::fmt::Debug for Driver {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Driver").finish_non_exhaustive()
    }
}

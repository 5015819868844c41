//! Time, the network and the pages: a whole world that runs as a program. Everything that will happen stands in one list
//! ordered by its time.

use crate::backend::Backend;
use crate::check;
use crate::client::{Client, Net, Stream};
use crate::dsh;
use crate::happening::{Happening, What};
use crate::random::Random;
use crate::script::{Asking, Opening, Reading, Script, Way};
use crate::wire;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::collections::BinaryHeap;
use threadfold::engine::Effect;
use threadfold::event::ThreadId;
use threadfold::follow::frame::Frame;
use threadfold::follow::{
    Closed, Command, CommandId, Fetch, Generation, Input, Live, Options, Outcome, Protocol, ReadError,
};
use threadfold::json::Notes;
use threadfold::source::sse::Decoder;
use threadfold::thread::Page;

/// The host says that it lives so often, in ms.
const HEARTBEAT: u64 = 15_000;
/// A page asks a silent dsh host for a sign of life no more often, in ms.
const SILENCE: u64 = 60_000;
/// What a live event may weigh at most.
const LIMIT: usize = 4 << 20;

pub struct World {
    pub now: u64,
    pub backend: Backend,
    /// The host, where it is a dsh host.
    pub dsh: Option<dsh::Session>,
    pub clients: Vec<Client>,
    pub way: Way,
    pub tally: Tally,
    pub cold: check::Cold,
    happenings: BinaryHeap<Reverse<Happening>>,
    order: u64,
    random: Random,
    next_ping: u64,
    /// The generation of each client's stream that the host serves, with the life that it is of.
    pub served: Vec<Option<(u32, Generation)>>,
    lives: u32,
}

/// What was counted, over all lives.
#[derive(Debug, Clone, Default)]
pub struct Tally {
    pub deltas: u64,
    pub reconnects: u64,
    pub reads: u64,
    pub records: u64,
    pub commands: u64,
    pub checks: u64,
    pub anomalies: BTreeMap<&'static str, u64>,
}

impl World {
    pub fn new(script: &Script) -> Result<Self, String> {
        let way = script.way;
        let mut world = Self {
            now: 1_000_000,
            backend: Backend::default(),
            dsh: (way.protocol == Protocol::Dsh).then(dsh::Session::default),
            clients: Vec::new(),
            way,
            tally: Tally::default(),
            cold: check::Cold::default(),
            happenings: BinaryHeap::new(),
            order: 0,
            random: Random::new(script.seed),
            next_ping: 1_000_000 + HEARTBEAT,
            served: vec![None; way.clients],
            lives: 0,
        };
        world.backend.exists = way.exists || way.protocol == Protocol::Dsh;
        // A plain host hints at what is committed, or nobody would know.
        world.backend.host.with_rows = way.with_rows || way.protocol == Protocol::Plain;
        world.backend.host.page_size = way.page_size;
        for at in 0..way.clients {
            let client = world.page(None);
            world.clients.push(client);
            world.give(at, Input::Connect)?;
        }
        Ok(world)
    }

    /// A new page, with what was rendered for it before.
    fn page(&mut self, initial: Option<Page>) -> Client {
        self.lives += 1;
        let options = Options {
            protocol: self.way.protocol,
            thread_id: Some(ThreadId::from("t1")),
            renewable: true,
            // A socket says nothing while nothing happens.
            watchdog: self.way.protocol != Protocol::Dsh,
            initial,
        };
        Client::new(options, self.lives)
    }

    /// Another page takes the place of this one.
    pub fn reload(&mut self, at: usize, rendered: bool) -> Result<(), String> {
        self.tally_life(at);
        let there = rendered && self.backend.exists && self.dsh.is_none();
        let page = if there { self.backend.host.page(None, 1_000, None, None).ok() } else { None };
        let page = page.filter(|page| !page.has_more && page.frontier.is_some());
        self.served[at] = None;
        self.clients[at] = self.page(page);
        self.give(at, Input::Connect)
    }

    pub fn tally_life(&mut self, at: usize) {
        let stats = self.clients[at].engine.stats();
        self.tally.deltas += stats.deltas;
        self.tally.reconnects += stats.openings.saturating_sub(1);
        self.tally.reads += stats.reads;
        self.tally.records += stats.records;
    }

    // What the engine is told.

    pub fn give(&mut self, at: usize, input: Input) -> Result<(), String> {
        self.give_at_once(at, vec![input])
    }

    /// What a piece of the stream brings, as the edge tells it.
    fn give_at_once(&mut self, at: usize, inputs: Vec<Input>) -> Result<(), String> {
        let random = self.random.bits();
        let now = self.now;
        let traced = trace().then(|| format!("{inputs:?}"));
        let effects = self.clients[at].give(inputs, now, random);
        if let Some(inputs) = traced {
            let client = &self.clients[at];
            println!(
                "{now} page {at}: {inputs:.300}\n    {effects:.400?} {:?} at {:?}",
                client.engine.status(),
                client.engine.frontier()
            );
        }
        for effect in effects {
            self.perform(at, effect)?;
        }
        if self.clients[at].wants_flush(self.way.frames) {
            self.flush(at)?;
        } else if self.clients[at].frame_due {
            self.later(at, 16, What::AnimationFrame);
        }
        Ok(())
    }

    pub fn flush(&mut self, at: usize) -> Result<(), String> {
        if self.clients[at].flush()? {
            self.tally.checks += 1;
            let cold = self.random.one_in(12);
            check::step(self, at, cold)?;
        }
        Ok(())
    }

    fn perform(&mut self, at: usize, effect: Effect) -> Result<(), String> {
        let client = &mut self.clients[at];
        let closed = client.closed;
        match effect {
            Effect::OpenLive(generation) => {
                let now = self.now + client.ahead;
                if closed || client.hidden || client.offline {
                    return Err("a stream was opened by a page that is closed, hidden or offline".to_owned());
                }
                if client.stream.is_some() {
                    return Err("a stream was opened beside another".to_owned());
                }
                if client.opened_at.is_some_and(|before| now < before + 200) {
                    return Err("two openings had less than the spacing between them (C3.9)".to_owned());
                }
                client.opened_at = Some(now);
                let (decoder, hears) = (Decoder::new(LIMIT), true);
                client.stream =
                    Some(Stream { generation, decoder, hears, left: None, last_at: 0, swapped: None, unseen: None });
                let fault = (!client.net.opens.is_empty()).then(|| client.net.opens.remove(0));
                self.later(at, self.latency(at), What::OpenArrives(generation, fault));
                self.line(at, |line, _| line.open(generation))?;
                let Client { stream, line, .. } = &mut self.clients[at];
                stream.iter_mut().for_each(|stream| stream.hears = !line.is_dead());
            }
            Effect::CloseLive(generation) => {
                client.stream.take_if(|stream| stream.generation == generation);
                self.served[at].take_if(|(_, served)| *served == generation);
                self.line(at, |line, now| line.carrier.close(generation, now))?;
            }
            Effect::Knock(generation) => {
                let now = self.now + client.ahead;
                if self.dsh.is_none() || closed || client.hidden || client.offline {
                    return Err("a sign of life was asked for where pings come, or nobody sees the page".to_owned());
                }
                if client.knocked_at.is_some_and(|before| now < before + SILENCE) {
                    return Err("two signs of life were asked for in one silent minute".to_owned());
                }
                client.knocked_at = Some(now);
                client.knocks += 1;
                self.line(at, |line, _| line.carrier.knock(generation))?;
            }
            Effect::Fetch(fetch) => {
                if closed {
                    return Err("P07: a page that is closed reads".to_owned());
                }
                client.asked += 1;
                if self.dsh.is_some() {
                    return self.line(at, |line, _| line.carrier.fetch(&fetch));
                }
                let fault = (!client.net.reads.is_empty()).then(|| client.net.reads.remove(0));
                self.later(at, self.latency(at), What::ReadArrives(fetch, fault));
            }
            Effect::Request(id, command) => {
                if closed {
                    return Err("P07: a page that is closed sends".to_owned());
                }
                self.tally.commands += 1;
                if self.dsh.is_some() {
                    return self.line(at, |line, _| line.carrier.request(id, &command));
                }
                let fault = (!client.net.asks.is_empty()).then(|| client.net.asks.remove(0));
                self.later(at, self.latency(at), What::AskArrives(id, command, fault));
            }
            Effect::Done(..) => self.flush(at)?,
            Effect::Anomaly(anomaly) => *self.tally.anomalies.entry(anomaly.code).or_default() += 1,
        }
        Ok(())
    }

    // What the host says.

    /// Frames go to every page whose stream the host serves.
    pub fn broadcast(&mut self, frames: &[Frame]) {
        for at in 0..self.clients.len() {
            if let Some((life, generation)) = self.served[at]
                && life == self.clients[at].life
            {
                for frame in frames {
                    self.say(at, generation, frame);
                }
            }
        }
    }

    pub fn say(&mut self, at: usize, generation: Generation, frame: &Frame) {
        match self.way.protocol {
            Protocol::Strict => self.put(at, generation, wire::strict(frame)),
            Protocol::Plain => {
                let bytes = wire::plain(frame, &self.backend.host, self.way.coordinates);
                // A stream is lost from some point on or not at all; only revisions make it possible to play worse.
                if matches!(frame, Frame::Committed(_)) {
                    let stream = self.clients[at].stream.as_ref();
                    if stream.is_some_and(|stream| stream.generation == generation && stream.hears) && !bytes.is_empty()
                    {
                        self.send(at, generation, bytes);
                    }
                } else {
                    self.put(at, generation, bytes);
                }
            }
            Protocol::Dsh => {}
        }
    }

    /// An event of the live stream goes over a wire on which it may be lost, doubled, swapped or torn.
    pub fn put(&mut self, at: usize, generation: Generation, mut bytes: Vec<u8>) {
        let client = &mut self.clients[at];
        let Some(stream) = client.stream.as_mut().filter(|stream| stream.generation == generation) else { return };
        if !stream.hears || bytes.is_empty() {
            return;
        }
        if take(&mut client.net.garble) {
            wire::garble(&mut bytes);
        }
        let mut parts = vec![bytes];
        if take(&mut client.net.lose) {
            parts.clear();
        } else if take(&mut client.net.twice) {
            parts.push(parts[0].clone());
        }
        if stream.swapped.is_none() && !parts.is_empty() && take(&mut client.net.swap) {
            stream.swapped = parts.pop();
        } else if !parts.is_empty() {
            parts.extend(stream.swapped.take());
        }
        for part in parts {
            self.send(at, generation, part);
        }
    }

    fn send(&mut self, at: usize, generation: Generation, mut bytes: Vec<u8>) {
        let latency = self.latency(at);
        let Some(stream) = self.clients[at].stream.as_mut() else { return };
        stream.last_at = stream.last_at.max(self.now + latency);
        let after = stream.last_at - self.now;
        let cut = match &mut stream.left {
            Some(left) if *left < bytes.len() => {
                bytes.truncate(*left);
                stream.hears = false;
                true
            }
            Some(left) => {
                *left -= bytes.len();
                false
            }
            None => false,
        };
        self.later(at, after, What::Bytes(generation, bytes.into()));
        if cut {
            self.end(at, generation, Closed::Lost);
        }
    }

    /// The stream ends behind all that was sent.
    pub fn end(&mut self, at: usize, generation: Generation, closed: Closed) {
        let latency = self.latency(at);
        self.served[at].take_if(|(_, served)| *served == generation);
        let Some(stream) = self.clients[at].stream.as_mut().filter(|stream| stream.generation == generation) else {
            return;
        };
        stream.hears = false;
        let after = stream.last_at.max(self.now + latency) - self.now;
        self.later(at, after, What::Ended(generation, closed));
    }

    /// All streams end: the process does, or said `bye`.
    pub fn end_all(&mut self) {
        for at in 0..self.clients.len() {
            let heard = self.clients[at].stream.as_ref().filter(|stream| stream.hears).map(|stream| stream.generation);
            match heard.filter(|_| self.served[at].is_some()) {
                Some(generation) => self.end(at, generation, Closed::Lost),
                None => self.served[at] = None,
            }
        }
    }

    /// The network of a client is well again. A connection that it has forgotten stays so: that is the page's to find out.
    pub fn mend(&mut self, at: usize) {
        self.clients[at].net = Net::default();
        let Some(stream) = self.clients[at].stream.as_mut() else { return };
        stream.left = None;
        let generation = stream.generation;
        let swapped = stream.swapped.take();
        let is_broken = self.dsh.is_some() && stream.hears && stream.unseen.is_some();
        if let Some(bytes) = swapped {
            self.send(at, generation, bytes);
        }
        if is_broken {
            self.end(at, generation, Closed::Lost);
        }
    }

    pub fn coin(&mut self) -> bool {
        self.random.one_in(2)
    }

    pub fn latency(&self, at: usize) -> u64 {
        self.way.latency + self.clients[at].net.slow
    }

    pub fn later(&mut self, client: usize, after: u64, what: What) {
        self.order += 1;
        let life = self.clients.get(client).map_or(0, |client| client.life);
        self.happenings.push(Reverse(Happening { at: self.now + after, order: self.order, client, life, what }));
    }

    // Time.

    pub fn run_for(&mut self, ms: u64) -> Result<(), String> {
        let end = self.now + ms;
        let mut turns = 0;
        loop {
            let happening = self.happenings.peek().map_or(u64::MAX, |Reverse(happening)| happening.at);
            let mut timer = (u64::MAX, 0);
            for (at, client) in self.clients.iter().enumerate() {
                let due = client.engine.deadline().map_or(u64::MAX, |due| due.saturating_sub(client.ahead));
                timer = timer.min((due.max(client.asleep_until).max(self.now), at));
            }
            let next = happening.min(timer.0).min(self.next_ping);
            if next > end {
                break;
            }
            turns = if next == self.now { turns + 1 } else { 0 };
            if turns > 5_000 {
                return Err("the world spins: a page asks again and again in no time".to_owned());
            }
            self.now = next;
            if happening <= next {
                if let Some(Reverse(happening)) = self.happenings.pop() {
                    self.happen(happening)?;
                }
            } else if timer.0 <= next {
                self.give(timer.1, Input::Tick)?;
            } else {
                self.next_ping = self.now + HEARTBEAT;
                if self.dsh.is_some() {
                    continue;
                }
                let frames = self.backend.host.act(&crate::host::Act::Ping);
                self.broadcast(&frames);
            }
        }
        self.now = end;
        Ok(())
    }

    fn happen(&mut self, happening: Happening) -> Result<(), String> {
        let Happening { client: at, life, what, .. } = happening;
        if self.clients[at].life != life {
            return Ok(());
        }
        let asleep = self.clients[at].asleep_until;
        let at_host = matches!(
            what,
            What::OpenArrives(..) | What::ReadArrives(..) | What::AskArrives(..) | What::CallArrives(..)
        );
        if asleep > self.now && !at_host {
            self.later(at, asleep - self.now, what);
            return Ok(());
        }
        let what = if self.clients[at].offline { what.without_network() } else { what };
        match what {
            What::OpenArrives(generation, fault) => self.opens(at, generation, fault),
            What::Accepted(generation) if self.dsh.is_some() => self.line_opens(at, generation)?,
            What::Accepted(generation) => self.give(at, Input::Live(generation, Live::Accepted))?,
            What::Bytes(generation, bytes) => self.arrive(at, generation, &bytes)?,
            What::Ended(generation, closed) => {
                if self.clients[at].stream.take_if(|stream| stream.generation == generation).is_none() {
                    return Ok(());
                }
                if self.dsh.is_some() {
                    self.line_ends(at, closed)?;
                } else {
                    self.give(at, Input::Live(generation, Live::Closed(closed)))?;
                }
            }
            What::ReadArrives(fetch, fault) => self.reads(at, &fetch, fault),
            What::ReadAnswered(id, answer) => {
                let answer =
                    if self.way.text { wire::page(answer) } else { answer.map(|page| (page, Notes::default())) };
                self.give(at, Input::Page(id, answer))?;
            }
            What::Text(socket, text) => self.line_hears(at, socket, &text)?,
            What::CallArrives(call) => self.called(at, &call),
            What::CallAnswered(id, answer) => self.line_is_answered(at, id, answer)?,
            What::AskArrives(id, command, fault) => self.asks(at, id, &command, fault),
            What::AskAnswered(id, outcome) => self.give(at, Input::Response(id, outcome))?,
            What::AnimationFrame => {
                if self.clients[at].frame_due {
                    self.flush(at)?;
                }
            }
        }
        Ok(())
    }

    fn arrive(&mut self, at: usize, generation: Generation, bytes: &[u8]) -> Result<(), String> {
        if self.dsh.is_some() {
            return self.line_brings(at, generation, bytes);
        }
        for chunk in bytes.chunks(self.way.chunk.min(bytes.len()).max(1)) {
            let plain = self.way.protocol == Protocol::Plain;
            let client = &mut self.clients[at];
            let Some(stream) = client.stream.as_mut().filter(|stream| stream.generation == generation) else { break };
            let lives = wire::read(&mut stream.decoder, chunk, plain);
            self.give_at_once(at, lives.into_iter().map(|live| Input::Live(generation, live)).collect())?;
        }
        Ok(())
    }

    fn opens(&mut self, at: usize, generation: Generation, fault: Option<Opening>) {
        let current = self.clients[at].stream.as_ref().is_some_and(|stream| stream.generation == generation);
        if !current || self.clients[at].closed || self.clients[at].line.is_dead() {
            return;
        }
        let refused = |status, retry_after| Closed::Refused { status, retry_after };
        match fault {
            Some(Opening::Lost) => return self.end(at, generation, Closed::Lost),
            Some(Opening::Busy) => return self.end(at, generation, refused(503, Some(2_000))),
            Some(Opening::NoStream) => return self.end(at, generation, Closed::NotAStream("text/html".to_owned())),
            Some(Opening::Unauthorized) => return self.end(at, generation, refused(401, None)),
            Some(Opening::Hangs) => return,
            Some(Opening::LosesFirst | Opening::Ends) | None => {}
        }
        if !self.backend.exists {
            return self.end(at, generation, refused(404, None));
        }
        self.served[at] = Some((self.clients[at].life, generation));
        self.later(at, self.latency(at), What::Accepted(generation));
        if let Some(session) = &mut self.dsh {
            let opening = session.opening(&mut self.random);
            let lost = usize::from(fault == Some(Opening::LosesFirst));
            opening[lost..].iter().for_each(|item| self.put_item(at, generation, item));
        } else if fault != Some(Opening::LosesFirst) {
            let opened = self.backend.host.opened();
            self.say(at, generation, &opened);
        }
        if fault == Some(Opening::Ends) {
            self.end(at, generation, Closed::Lost);
        }
    }

    fn reads(&mut self, at: usize, fetch: &Fetch, fault: Option<Reading>) {
        let refused = |status, retry_after| Err(ReadError::Refused { status, retry_after, code: None });
        let mut latency = self.latency(at);
        let mut upto = self.backend.host.frontier();
        self.clients[at].excuses += u64::from(fault.is_some());
        let answer = match fault {
            Some(Reading::Lost) => Err(ReadError::Network("terminated".to_owned())),
            Some(Reading::Busy) => refused(429, Some(1_000)),
            Some(Reading::Malformed) => Err(ReadError::Malformed("a portal".to_owned())),
            Some(Reading::Unauthorized) => refused(401, None),
            Some(Reading::Never) => return,
            Some(Reading::Slow(_) | Reading::Stale(_)) | None => {
                match fault {
                    Some(Reading::Slow(ms)) => latency += ms,
                    // Who follows plain envelopes can't know that a read is stale.
                    Some(Reading::Stale(rows)) if self.way.protocol == Protocol::Strict => {
                        upto = upto.and_then(|last| last.checked_sub(rows))
                    }
                    _ => {}
                }
                if self.backend.exists {
                    let epoch = fetch.epoch.as_ref().filter(|_| self.way.asks_epoch);
                    self.backend.host.page(fetch.after, fetch.limit, epoch, upto)
                } else {
                    refused(404, None)
                }
            }
        };
        self.clients[at].excuses += u64::from(answer.as_ref().map_or(true, |page| page.has_more));
        self.later(at, latency, What::ReadAnswered(fetch.id, answer));
    }

    fn asks(&mut self, at: usize, id: CommandId, command: &Command, fault: Option<Asking>) {
        let latency = self.latency(at);
        let lost = || Outcome::Network("terminated".to_owned());
        let outcome = match fault {
            Some(Asking::RequestLost) => lost(),
            Some(Asking::Busy) => crate::backend::refused(503, "busy"),
            Some(Asking::AnswerLost | Asking::Twice) | None => {
                let (outcome, frames) = self.backend.command(command);
                self.broadcast(&frames);
                if fault == Some(Asking::Twice) {
                    let (_, frames) = self.backend.command(command);
                    self.broadcast(&frames);
                }
                if fault == Some(Asking::AnswerLost) { lost() } else { outcome }
            }
        };
        self.later(at, latency, What::AskAnswered(id, outcome));
    }
}

fn take(times: &mut u32) -> bool {
    let any = *times > 0;
    *times = times.saturating_sub(1);
    any
}

/// Whether a run is told step by step (`TRACE=1`).
pub fn trace() -> bool {
    static ON: std::sync::OnceLock<bool> = std::sync::OnceLock::new();
    *ON.get_or_init(|| std::env::var_os("TRACE").is_some())
}

//! A host, a wire and a page, and a follower between them. Time is a number.

use super::host::{Act, Host};
use super::page::Page;
use crate::event::Delta;
use crate::follow::frame::Frame;
use crate::follow::{
    Accepted, Closed, Command, CommandError, CommandId, Fetch, Follower, Generation, Input, Live, Options, Outcome,
    Output, Protocol, ReadError, ReadId, Status, Wake,
};
use crate::json::Notes;
use crate::thread;
use std::collections::VecDeque;

/// What becomes of an opening.
#[derive(Debug, Clone, PartialEq)]
pub enum Openings {
    /// It is accepted and says `opened`.
    Work,
    /// It ends so, at once.
    End(Closed),
    /// It is accepted, says `opened` and ends cleanly, at once.
    OpenAndEnd,
    /// Nothing comes of it.
    Hang,
    /// It is accepted, and says these frames in the place of `opened`.
    Say(Vec<Frame>),
}

/// What becomes of a committed read.
#[derive(Debug, Clone, PartialEq)]
pub enum Reading {
    /// It is answered at once.
    Works,
    /// It is answered when the script says so, with what the log held when it was asked for.
    Waits,
    /// It fails so, so many times.
    Fails(ReadError, u32),
    /// It is answered from a replica that has this seq last, so many times.
    Stale(Option<u64>, u32),
}

type Answer = Result<thread::Page, ReadError>;

pub struct World {
    pub host: Host,
    pub page: Page,
    pub follower: Follower,
    pub now: u64,
    pub openings: Openings,
    pub reading: Reading,
    /// When the stream was opened.
    pub opened_at: Vec<u64>,
    /// All reads that were asked for.
    pub asked: Vec<Fetch>,
    /// Reads that wait for their answer.
    pub waiting: VecDeque<(ReadId, Answer)>,
    pub requests: Vec<(CommandId, Command)>,
    pub done: Vec<(CommandId, Result<Accepted, CommandError>)>,
    pub anomalies: Vec<&'static str>,
    pub statuses: Vec<Status>,
    /// The host pings so often, in ms; 0 for never.
    pub heartbeat: u64,
    /// Whether frames cross the wire as text.
    pub wire: bool,
    /// Whether the stream speaks `threadfold/1`.
    strict: bool,
    stream: Option<Generation>,
    /// The stream that is half open.
    deaf: Option<Generation>,
    inbox: VecDeque<(Generation, Live)>,
    next_ping: u64,
    seed: u64,
}

/// A page that follows a thread in which somebody has said "hi".
pub fn world() -> World {
    let mut world = World::new(Protocol::Strict);
    world.host.act(&Act::Say("hi"));
    world.input(Input::Connect);
    world
}

impl World {
    pub fn new(protocol: Protocol) -> Self {
        Self::with(Options { protocol, thread_id: None, renewable: false, watchdog: true, initial: None })
    }

    pub fn with(options: Options) -> Self {
        let best_effort = options.protocol == Protocol::Plain;
        let mut world = Self {
            host: Host::default(),
            page: Page::new(best_effort),
            follower: Follower::new(options),
            now: 1_000_000,
            openings: Openings::Work,
            reading: Reading::Works,
            opened_at: Vec::new(),
            asked: Vec::new(),
            waiting: VecDeque::new(),
            requests: Vec::new(),
            done: Vec::new(),
            anomalies: Vec::new(),
            statuses: Vec::new(),
            heartbeat: 0,
            wire: true,
            strict: !best_effort,
            stream: None,
            deaf: None,
            inbox: VecDeque::new(),
            next_ping: 0,
            seed: 1,
        };
        world.drain();
        world
    }

    /// The random bits begin elsewhere.
    pub fn seeded(&mut self, seed: u64) -> &mut Self {
        self.seed = seed;
        self
    }

    // What happens on the host, and what becomes of its frames.

    /// It happens, and its frames arrive.
    pub fn then(&mut self, act: Act) -> &mut Self {
        let frames = self.host.act(&act);
        self.arrive_all(frames.iter())
    }

    pub fn say(&mut self, text: &'static str) -> &mut Self {
        self.then(Act::Say(text))
    }

    pub fn start(&mut self, step: u32) -> &mut Self {
        self.then(Act::Start(step))
    }

    pub fn delta(&mut self, text: &str) -> &mut Self {
        self.then(super::host::delta(text))
    }

    pub fn commit(&mut self) -> &mut Self {
        self.then(Act::Commit)
    }

    pub fn end(&mut self) -> &mut Self {
        self.then(Act::End)
    }

    pub fn finish(&mut self) -> &mut Self {
        self.then(Act::Finish)
    }

    pub fn ping(&mut self) -> &mut Self {
        self.then(Act::Ping)
    }

    /// It happens, and its frames are lost.
    pub fn lose(&mut self, act: Act) -> &mut Self {
        self.host.act(&act);
        self
    }

    /// It happens, and its frames arrive twice.
    pub fn twice(&mut self, act: Act) -> &mut Self {
        let frames = self.host.act(&act);
        self.arrive_all(frames.iter().flat_map(|frame| [frame, frame]))
    }

    /// Both happen, and the frames of the second arrive first.
    pub fn swapped(&mut self, first: Act, second: Act) -> &mut Self {
        let first = self.host.act(&first);
        let second = self.host.act(&second);
        self.arrive_all(second.iter().chain(&first))
    }

    /// The host is another process now; its streams have ended.
    pub fn restart(&mut self, other_epoch: bool, lost: usize) -> &mut Self {
        self.host.restart(other_epoch, lost);
        self.cut()
    }

    /// A frame arrives on the stream that is open, if one is.
    pub fn arrive(&mut self, frame: &Frame) -> &mut Self {
        self.arrive_all([frame])
    }

    /// Frames arrive on the stream that is open now, though it may be closed by what the first of them does.
    pub fn arrive_all<'a>(&mut self, frames: impl IntoIterator<Item = &'a Frame>) -> &mut Self {
        let Some(generation) = self.stream.filter(|_| self.deaf != self.stream) else { return self };
        for frame in frames {
            let live = if self.wire {
                let (name, data) = frame.write();
                crate::source::threadfold::live_event(name, &data)
            } else {
                Live::Frame(frame.clone(), Notes::default())
            };
            self.input(Input::Live(generation, live));
        }
        self
    }

    pub fn live(&mut self, live: Live) -> &mut Self {
        if let Some(generation) = self.stream {
            self.input(Input::Live(generation, live));
        }
        self
    }

    /// The stream ends, and nobody says why.
    pub fn cut(&mut self) -> &mut Self {
        self.close(Closed::Lost)
    }

    /// Nothing comes of the stream any more, and nobody says so.
    pub fn deaf(&mut self) -> &mut Self {
        self.deaf = self.stream;
        self
    }

    pub fn close(&mut self, why: Closed) -> &mut Self {
        if let Some(generation) = self.stream.take() {
            self.input(Input::Live(generation, Live::Closed(why)));
        }
        self
    }

    // Reads.

    pub fn reads(&mut self, reading: Reading) -> &mut Self {
        self.reading = reading;
        self
    }

    /// The oldest read that waits is answered.
    pub fn answer(&mut self) -> &mut Self {
        let (id, answer) = self.waiting.pop_front().expect("no read waits");
        self.input(Input::Page(id, answer.map(|page| (page, Notes::default()))))
    }

    /// All reads that wait are answered, and those that follow at once.
    pub fn answer_all(&mut self) -> &mut Self {
        self.reading = Reading::Works;
        while !self.waiting.is_empty() {
            self.answer();
        }
        self
    }

    pub fn opens(&mut self, openings: Openings) -> &mut Self {
        self.openings = openings;
        self
    }

    // Time.

    /// So many ms go by; the follower is called whenever it wants to be.
    pub fn advance(&mut self, ms: u64) -> &mut Self {
        let end = self.now + ms;
        for turn in 0.. {
            assert!(turn < 20_000, "the follower spins");
            let ping = if self.heartbeat > 0 { self.next_ping.max(self.now) } else { u64::MAX };
            let due = self.follower.deadline().unwrap_or(u64::MAX).max(self.now);
            if due.min(ping) > end {
                break;
            }
            self.now = due.min(ping);
            if due <= ping {
                self.input(Input::Tick);
            } else {
                self.next_ping = self.now + self.heartbeat;
                self.then(Act::Ping);
            }
        }
        self.now = end;
        self
    }

    /// The wire is well again, and time goes by.
    pub fn quiet(&mut self) -> &mut Self {
        self.openings = Openings::Work;
        self.answer_all();
        self.heartbeat = 15_000;
        self.next_ping = self.now + 1_000;
        self.advance(150_000);
        self.heartbeat = 0;
        self
    }

    pub fn wake(&mut self, wake: Wake) -> &mut Self {
        self.input(Input::Wake(wake))
    }

    // The follower.

    pub fn input(&mut self, input: Input) -> &mut Self {
        self.handle(input);
        while let Some((generation, live)) = self.inbox.pop_front() {
            if matches!(live, Live::Closed(_)) && self.stream == Some(generation) {
                self.stream = None;
            }
            self.handle(Input::Live(generation, live));
        }
        while self.reading != Reading::Waits && !self.waiting.is_empty() && self.inbox.is_empty() {
            self.answer();
        }
        self
    }

    pub fn command(&mut self, id: u32, command: Command) -> &mut Self {
        self.input(Input::Command(CommandId(id), command))
    }

    pub fn respond(&mut self, id: u32, outcome: Outcome) -> &mut Self {
        self.input(Input::Response(CommandId(id), outcome))
    }

    /// Where the stream is.
    pub fn stream(&self) -> Option<Generation> {
        self.stream
    }

    fn random(&mut self) -> u64 {
        self.seed = self.seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.seed;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^ (bits >> 31)
    }

    fn handle(&mut self, input: Input) {
        let random = self.random();
        self.follower.handle(input, self.now, random);
        self.drain();
    }

    fn drain(&mut self) {
        while let Some(output) = self.follower.poll() {
            match output {
                Output::OpenLive(generation) => self.open(generation),
                Output::CloseLive(generation) => {
                    if self.stream == Some(generation) {
                        self.stream = None;
                    }
                }
                Output::Knock(_) => panic!("a stream whose pings are seen is not asked"),
                Output::Fetch(fetch) => self.fetch(fetch),
                Output::Request(id, command) => self.requests.push((id, command)),
                Output::Done(id, result) => self.done.push((id, result)),
                Output::Step(step) => {
                    let follower = &self.follower;
                    self.page.apply(&step, &self.host, &|lane| follower.lane(lane).cloned());
                }
                Output::Status(status) => self.statuses.push(status),
                Output::Anomaly(anomaly) => self.anomalies.push(anomaly.code),
            }
        }
    }

    fn open(&mut self, generation: Generation) {
        if self.stream.is_some() {
            self.page.wrong.push("a stream was opened beside another".to_owned());
        }
        self.opened_at.push(self.now);
        self.stream = Some(generation);
        let mut lives = vec![Live::Accepted];
        match self.openings.clone() {
            Openings::Work if !self.strict => {}
            Openings::Work => lives.push(Live::Frame(self.host.opened(), Notes::default())),
            Openings::End(why) => lives = vec![Live::Closed(why)],
            Openings::OpenAndEnd => {
                lives.push(Live::Frame(self.host.opened(), Notes::default()));
                lives.push(Live::Closed(Closed::Lost));
            }
            Openings::Hang => lives.clear(),
            Openings::Say(frames) => {
                lives.extend(frames.into_iter().map(|frame| Live::Frame(frame, Notes::default())));
            }
        }
        self.inbox.extend(lives.into_iter().map(|live| (generation, live)));
    }

    fn fetch(&mut self, fetch: Fetch) {
        let upto = match &mut self.reading {
            Reading::Stale(upto, times) if *times > 0 => {
                *times -= 1;
                *upto
            }
            _ => self.host.frontier(),
        };
        let answer = match &mut self.reading {
            Reading::Fails(error, times) if *times > 0 => {
                *times -= 1;
                Err(error.clone())
            }
            _ => self.host.page(fetch.after, fetch.limit, fetch.epoch.as_ref(), upto),
        };
        self.asked.push(fetch.clone());
        self.waiting.push_back((fetch.id, answer));
    }
}

/// A Delta of text, for plain streams.
pub fn text(text: &str) -> Delta {
    Delta::TextDelta { delta: text.into() }
}

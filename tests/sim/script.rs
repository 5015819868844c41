//! A schedule: how its world is, and what happens in it, line by line. Each line makes sense wherever it stands, so that
//! a script that fails can be made shorter by leaving lines out.

use crate::backend::Crash;
use crate::random::Random;
use std::fmt;
use threadfold::follow::{OnActive, Protocol};

#[derive(Debug, Clone)]
pub struct Script {
    pub seed: u64,
    pub way: Way,
    pub lines: Vec<Line>,
}

/// How the world of a script is, beside what happens in it.
#[derive(Debug, Clone, Copy)]
pub struct Way {
    pub protocol: Protocol,
    pub clients: usize,
    /// Whether `committed` carries the rows.
    pub with_rows: bool,
    /// Rows per page at most.
    pub page_size: usize,
    /// One way over the network, in ms.
    pub latency: u64,
    /// Bytes per chunk of the live stream.
    pub chunk: usize,
    /// Whether pages cross the wire as text.
    pub text: bool,
    /// Whether plain Deltas say their response.
    pub coordinates: bool,
    /// Whether the page takes changes with an animation frame.
    pub frames: bool,
    /// Whether the host looks at the epoch that is asked for.
    pub asks_epoch: bool,
    /// Whether the thread exists at the start.
    pub exists: bool,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Line {
    /// Milliseconds before it.
    pub wait: u64,
    pub what: What,
}

/// What happens; the first number is the client that it happens to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum What {
    /// The agent's next act, chosen by this number.
    Agent(u64),
    Send(usize, OnActive),
    /// An answer to what waits, chosen by this number.
    Answer(usize, u64),
    Cancel(usize),

    // Faults of the live stream.
    Lose(usize),
    Twice(usize),
    Swap(usize),
    Garble(usize),
    Slow(usize, u64),
    /// It is cut after so many more bytes.
    Cut(usize, usize),
    HalfOpen(usize),
    /// A sign of life of another log, as a confused proxy would have it.
    Foreign(usize),
    /// The next openings go so.
    Opens(usize, Opening),
    // Faults of requests: the next ones go so.
    Reads(usize, Reading),
    Asks(usize, Asking),
    // Faults of the host.
    Restart(Crash),
    Bye,

    // The client's life.
    Hidden(usize),
    Visible(usize),
    Offline(usize),
    Online(usize),
    Retry(usize),
    Close(usize),
    /// Another page in its place, with or without a page that was rendered before.
    Reload(usize, bool),
    Sleep(usize, u64),
    Jump(usize, u64),

    /// All is well for a while; then all must have come together.
    Quiet,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Opening {
    Lost,
    Busy,
    Hangs,
    NoStream,
    Unauthorized,
    /// Its first event is not the first.
    LosesFirst,
    /// It ends right after its first event.
    Ends,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Reading {
    /// A replica that lags by so many rows answers.
    Stale(u64),
    Lost,
    Busy,
    Malformed,
    Unauthorized,
    Never,
    Slow(u64),
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Asking {
    /// It does not arrive.
    RequestLost,
    /// It is carried out, and nobody hears of it.
    AnswerLost,
    Busy,
    /// It arrives twice.
    Twice,
}

impl What {
    /// The name of its kind, and whether it is a fault.
    pub fn kind(&self) -> (&'static str, bool) {
        match self {
            Self::Agent(_) => ("agent", false),
            Self::Send(..) => ("send", false),
            Self::Answer(..) => ("answer", false),
            Self::Cancel(_) => ("cancel", false),
            Self::Lose(_) => ("event lost", true),
            Self::Twice(_) => ("event twice", true),
            Self::Swap(_) => ("events swapped", true),
            Self::Garble(_) => ("event garbled", true),
            Self::Slow(..) => ("delay", true),
            Self::Cut(..) => ("cut", true),
            Self::HalfOpen(_) => ("half-open", true),
            Self::Foreign(_) => ("foreign ping", true),
            Self::Opens(..) => ("opening fails", true),
            Self::Reads(_, Reading::Stale(_)) => ("stale read", true),
            Self::Reads(..) => ("failing read", true),
            Self::Asks(..) => ("command's answer lost", true),
            Self::Restart(crash) if crash.rewrites => ("log replaced", true),
            Self::Restart(crash) if crash.lost > 0 => ("log regressed", true),
            Self::Restart(_) => ("host restart", true),
            Self::Bye => ("bye", true),
            Self::Hidden(_) => ("hidden", true),
            Self::Visible(_) => ("visible", false),
            Self::Offline(_) => ("offline", true),
            Self::Online(_) => ("online", false),
            Self::Retry(_) => ("retry", false),
            Self::Close(_) => ("close", true),
            Self::Reload(..) => ("reload", true),
            Self::Sleep(..) => ("sleep", true),
            Self::Jump(..) => ("clock jump", true),
            Self::Quiet => ("quiet", false),
        }
    }
}

/// What may happen, by weight: seven of ten lines are the host's.
const WEIGHTS: [(u32, u8); 29] = [
    (560, 0),
    (26, 1),
    (30, 2),
    (9, 3),
    (16, 4),
    (12, 5),
    (10, 6),
    (8, 7),
    (8, 8),
    (24, 9),
    (7, 10),
    (16, 11),
    (16, 12),
    (12, 13),
    (9, 14),
    (6, 15),
    (6, 16),
    (6, 17),
    (6, 18),
    (6, 19),
    (8, 20),
    (3, 21),
    (7, 22),
    (5, 23),
    (5, 24),
    (6, 25),
    (5, 26),
    (5, 27),
    (2, 28),
];

impl Script {
    /// The schedule of this seed.
    pub fn of(protocol: Protocol, seed: u64) -> Self {
        let mut r = Random::new(seed);
        let way = Way {
            protocol,
            clients: r.weighed(&[(5, 1), (3, 2), (1, 3)]),
            with_rows: !r.one_in(4),
            page_size: r.weighed(&[(4, 1000), (1, 3), (1, 1)]),
            latency: r.weighed(&[(2, 0), (3, 20), (2, 150), (1, 900)]),
            chunk: r.weighed(&[(6, usize::MAX), (2, 64), (1, 7), (1, 1)]),
            text: r.one_in(4),
            coordinates: !r.one_in(4),
            frames: !r.one_in(3),
            asks_epoch: !r.one_in(4),
            exists: !r.one_in(8),
        };
        let pace = r.weighed(&[(3, 40), (4, 300), (2, 1500)]);
        let lines = 50 + r.below(60);
        let lines = (0..lines).map(|_| line(&mut r, way.clients, pace)).collect();
        Self { seed, way, lines }
    }

    /// The name of its policy.
    pub fn policy(&self) -> &'static str {
        match self.way.protocol {
            Protocol::Strict => "threadfold/1",
            Protocol::Plain => "best effort",
            Protocol::Dsh => "dsh",
        }
    }

    pub fn faults(&self) -> usize {
        self.lines.iter().filter(|line| line.what.kind().1).count()
    }
}

fn line(r: &mut Random, clients: usize, pace: u64) -> Line {
    let wait = if r.one_in(3) { 0 } else { r.bits() % pace };
    let client = r.below(clients);
    let long = 1_000 * (1 + r.bits() % 90);
    let what = match r.weighed(&WEIGHTS) {
        0 => What::Agent(r.bits() % 100_000),
        1 => What::Send(client, r.weighed(&[(3, OnActive::Reject), (2, OnActive::Queue), (1, OnActive::Cancel)])),
        2 => What::Answer(client, r.bits() % 100),
        3 => What::Cancel(client),
        4 => What::Lose(client),
        5 => What::Twice(client),
        6 => What::Swap(client),
        7 => What::Garble(client),
        8 => What::Slow(client, r.weighed(&[(2, 0), (2, 300), (1, 4_000)])),
        9 => What::Cut(client, r.weighed(&[(3, 0), (2, 20), (2, 200)]) + r.below(50)),
        10 => What::HalfOpen(client),
        11 => {
            use Opening::{Busy, Ends, Hangs, LosesFirst, Lost, NoStream, Unauthorized};
            let how = r.weighed(&[
                (3, Lost),
                (2, Busy),
                (1, Hangs),
                (1, NoStream),
                (1, Unauthorized),
                (3, LosesFirst),
                (3, Ends),
            ]);
            What::Opens(client, how)
        }
        12 => What::Reads(client, Reading::Stale(1 + r.bits() % 4)),
        13 => {
            use Reading::{Busy, Lost, Malformed, Never, Slow, Unauthorized};
            let slow = Slow(r.bits() % 8_000);
            let how = r.weighed(&[(3, Lost), (2, Busy), (1, Malformed), (1, Unauthorized), (1, Never), (4, slow)]);
            What::Reads(client, how)
        }
        14 => {
            use Asking::{AnswerLost, Busy, RequestLost, Twice};
            What::Asks(client, *r.pick(&[RequestLost, AnswerLost, Busy, Twice]))
        }
        15 => What::Restart(Crash { lost: 0, rewrites: false, goes_on: r.one_in(2) }),
        16 => What::Restart(Crash { lost: r.below(4), rewrites: true, goes_on: r.one_in(2) }),
        17 => What::Restart(Crash { lost: 1 + r.below(5), rewrites: false, goes_on: r.one_in(2) }),
        18 => What::Bye,
        19 => What::Hidden(client),
        20 => What::Visible(client),
        21 => What::Offline(client),
        22 => What::Online(client),
        23 => What::Retry(client),
        24 => What::Reload(client, r.one_in(2)),
        25 => What::Sleep(client, long),
        26 => What::Jump(client, long),
        27 => What::Quiet,
        _ => What::Foreign(client),
    };
    let what = if matches!(what, What::Retry(_)) && r.one_in(6) { What::Close(client) } else { what };
    let wait = if r.one_in(40) { wait + long } else { wait };
    Line { wait, what }
}

impl fmt::Display for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "seed {}, {:?}", self.seed, self.way)?;
        for line in &self.lines {
            writeln!(f, "  +{} ms  {:?}", line.wait, line.what)?;
        }
        Ok(())
    }
}

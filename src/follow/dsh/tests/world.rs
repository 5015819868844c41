//! A dsh host of a few lines, a follower, and what it shows, told as a script.
//!
//! Words of a script, told apart by `·`: the host logs `m13 text` (an answer), `attempt13 text`, `retry14`, `note15`,
//! `step/end14`, `turn/end14 reason`, `turn/start14`; it sends `start A`, `chunk A text`, `end A`. Before any of these, `lost` keeps it
//! from the follower, `twice` sends it two times, and `late` after the next item. `open` accepts an opening, `snap` answers an opening that was asked for, `snap 12` with a window up to there;
//! `page` and `page 12` answer a read, `fail` refuses it; `cut` breaks the stream, `wait 500` lets time pass, `answer` is a sign of life,
//! `hide` and `show` are the page's, `away` is the network's,
//! `restart 14` is another life of the host whose log ends there. `shows` is what is seen: `13:text` an answer, `13!text` a failed
//! attempt, `14~` a retry, `13.` the end of a turn, `+text` a preview and `?text` an unconfirmed one.

use super::super::session::Session;
use super::super::*;
use crate::event::{AttemptId, Coordinate, MessageId};
use crate::follow::{
    Closed, Fetch, Follower, Generation, Input, LaneChange, LaneId, Live, Options, Output, Protocol, ReadError, ReadId,
    Status, Wake,
};
use crate::json::{Fragment, Notes};
use crate::thread::{Aside, Block, EndCause, Record, RunState};
use std::sync::Arc;

/// The turn and step that a script begins in.
const TURN: u32 = 2;
const STEP: u32 = 1;

/// Host, follower and page.
pub struct World {
    pub follower: Follower,
    pub log: Vec<Event>,
    pub revision: u64,
    pub attempt: Option<Attempt>,
    pub anomalies: Vec<&'static str>,
    pub now: u64,
    /// The turn and the step that the host is in.
    pub turn: u32,
    pub step: u32,
    /// The host has not lost anything since the last snapshot.
    same_life: bool,
    /// When the follower asked for a sign of life, and whether of the stream that is there.
    pub knocks: Vec<(u64, bool)>,
    opening: Option<Generation>,
    generation: Generation,
    pub reads: Vec<Fetch>,
    page: Page,
    late: Option<Item>,
    /// Left out of snapshots.
    pub no_baseline: bool,
    /// Added to what a baseline says that it is long.
    pub baseline_error: u64,
}

/// The attempt that the host runs.
#[derive(Clone)]
pub struct Attempt {
    pub id: AttemptId,
    pub turn: u32,
    pub step: u32,
    pub after: Option<u64>,
    pub chunks: Vec<Chunk>,
}

/// What the app sees, made of the follower's steps alone.
#[derive(Default)]
struct Page {
    records: Vec<Arc<Record>>,
    lanes: Vec<(LaneId, Coordinate, String, bool)>,
    /// The ids of the messages that wait, each time that they are told.
    queues: Vec<Vec<String>>,
    covered: Vec<u64>,
}

impl World {
    /// A host whose log ends at this seq, inside a step, and a follower that has asked for the stream.
    pub fn at(last: u64) -> Self {
        let mut world = Self {
            follower: Follower::new(Options {
                protocol: Protocol::Dsh,
                thread_id: Some("s".into()),
                renewable: false,
                watchdog: false,
                initial: None,
            }),
            log: Vec::new(),
            revision: 0,
            attempt: None,
            anomalies: Vec::new(),
            now: 1_000_000,
            turn: TURN,
            step: STEP,
            same_life: true,
            knocks: Vec::new(),
            opening: None,
            generation: Generation(0),
            reads: Vec::new(),
            page: Page::default(),
            late: None,
            no_baseline: false,
            baseline_error: 0,
        };
        for seq in 0..=last {
            let body = match last - seq {
                1 => Body::TurnStart { turn: TURN },
                0 => Body::StepStart { turn: TURN, step: STEP },
                _ => Body::Other("note".to_owned()),
            };
            world.log.push(Event { seq, time: 0, surface: Surface::None, body });
        }
        world.input(Input::Connect);
        world
    }

    /// Plays a script.
    #[track_caller]
    pub fn play(&mut self, script: &str) -> &mut Self {
        for word in script.split('·').map(str::trim).filter(|word| !word.is_empty()) {
            self.word(word);
        }
        self
    }

    /// What is seen, in order.
    #[track_caller]
    pub fn shows(&mut self, expected: &str) -> &mut Self {
        assert_eq!(self.page.lines().join(" "), expected);
        self
    }

    #[track_caller]
    pub fn reopens(&mut self, expected: u64) -> &mut Self {
        assert_eq!(self.follower.stats().reopens, expected, "reopens; anomalies {:?}", self.anomalies);
        self
    }

    /// The messages that wait, each time that they were told since the last look.
    pub fn queues(&mut self) -> Vec<String> {
        std::mem::take(&mut self.page.queues).into_iter().map(|ids| ids.join(" ")).collect()
    }

    /// The records that left the view because others were put in their place.
    pub fn covered(&self) -> &[u64] {
        &self.page.covered
    }

    /// The window is what a cold read would show, and nothing is held or awaited (I5).
    #[track_caller]
    pub fn is_settled(&mut self) -> &mut Self {
        let mut cold = World::at(0);
        cold.log.clone_from(&self.log);
        (cold.revision, cold.attempt) = (self.revision, self.attempt.clone());
        cold.play("snap");
        assert_eq!(self.page.lines(), cold.page.lines(), "not what a cold read shows");
        assert_eq!(*self.follower.status(), Status::Live);
        self
    }

    pub fn input(&mut self, input: Input) {
        let blank = self.page.is_blank();
        let frontier = self.follower.frontier();
        let is_frame = matches!(&input, Input::Live(_, Live::Dsh(Item::Frame(_), _)));
        self.follower.handle(input, self.now, 7);
        if is_frame {
            assert_eq!(self.follower.frontier(), frontier, "I3: a frame moved the cursor");
        }
        while let Some(output) = self.follower.poll() {
            match output {
                Output::OpenLive(generation) => self.opening = Some(generation),
                Output::CloseLive(_) => self.opening = None,
                Output::Knock(generation) => self.knocks.push((self.now, generation == self.generation)),
                Output::Fetch(fetch) => self.reads.push(fetch),
                Output::Anomaly(anomaly) => self.anomalies.push(anomaly.code),
                Output::Step(step) => self.page.take(&step),
                Output::Request(..) | Output::Done(..) | Output::Status(_) => {}
            }
        }
        self.page.check(&self.follower);
        assert!(blank || !self.page.is_blank() || !self.same_life, "I8: the view went blank");
        if self.same_life {
            self.check_log();
        }
    }

    /// The host accepts an opening that was asked for; its snapshot, before it is sent.
    pub fn opened(&mut self) -> Snapshot {
        self.accept();
        self.snapshot(None)
    }

    #[track_caller]
    fn accept(&mut self) {
        self.generation = self.opening.take().expect("an opening was asked for");
    }

    /// Every row up to the last is seen once, or held (I2); of another host's log nobody can say.
    fn check_log(&self) {
        let Some(last) = self.follower.frontier() else { return };
        let rows: Vec<Event> = self.log.iter().filter(|event| event.seq <= last).cloned().collect();
        let mut session = Session::beginning_with(&rows);
        let made = rows.into_iter().filter_map(|event| session.take(event)).map(|record| record.seq());
        let held = |seq: &u64| self.follower.dsh.held.iter().any(|event| event.seq == *seq);
        let expected: Vec<u64> = made.filter(|seq| !held(seq)).collect();
        let seen: Vec<u64> = self.page.records.iter().map(|record| record.seq()).collect();
        assert_eq!(seen, expected, "I2: rows up to {last}");
    }

    /// True when an opening waits for the host.
    pub fn wants_opening(&self) -> bool {
        self.opening.is_some()
    }

    /// An event that is in the log comes to the follower.
    pub fn deliver(&mut self, event: Event) -> &mut Self {
        self.item(Item::Event(event));
        self
    }

    pub fn item(&mut self, item: Item) {
        self.live(Live::Dsh(item, Notes::default()));
    }

    /// Something else comes of the stream.
    pub fn live(&mut self, live: Live) {
        self.input(Input::Live(self.generation, live));
    }

    #[track_caller]
    fn word(&mut self, word: &str) {
        let (how, word) = ["lost ", "twice ", "late "]
            .into_iter()
            .find_map(|how| Some((how, word.strip_prefix(how)?)))
            .unwrap_or(("", word));
        let (verb, rest) = word.split_once(' ').unwrap_or((word, ""));
        let number = rest.parse::<u64>();
        let item = match verb {
            "snap" => {
                self.accept();
                self.same_life = true;
                Item::Snapshot(Box::new(self.snapshot(number.ok())))
            }
            "open" => return self.accept(),
            "start" => self.start(rest),
            "chunk" => self.chunk(rest),
            "end" => self.end(rest),
            "page" => return self.answer(number.ok()),
            "fail" => {
                let read = self.reads.remove(0);
                return self.input(Input::Window(read.id, Err(ReadError::Network("cut".to_owned()))));
            }
            "cut" => return self.input(Input::Live(self.generation, Live::Closed(Closed::Lost))),
            "answer" => return self.live(Live::Activity),
            "away" => return self.input(Input::Offline),
            "hide" => return self.input(Input::Hidden),
            "show" => return self.input(Input::Wake(Wake::Visible)),
            "wake" => return self.input(Input::Wake(Wake::User)),
            "wait" => {
                self.now += number.expect("how long");
                return self.input(Input::Tick);
            }
            "restart" => {
                self.log.truncate(usize::try_from(number.expect("how much is left")).unwrap() + 1);
                (self.revision, self.attempt, self.same_life) = (0, None, false);
                return;
            }
            _ => self.event(verb, rest),
        };
        // What comes late comes behind the next item; an opening knows nothing of it.
        let late = self.late.take().filter(|_| verb != "snap");
        match how {
            "lost " => {}
            "late " => self.late = Some(item),
            "twice " => {
                self.item(item.clone());
                self.item(item);
            }
            _ => self.item(item),
        }
        if let Some(late) = late {
            self.item(late);
        }
    }

    /// The next event of the log: its type and its seq make one word.
    #[track_caller]
    fn event(&mut self, verb: &str, rest: &str) -> Item {
        let at = verb.find(|c: char| c.is_ascii_digit()).unwrap_or_else(|| panic!("\"{verb}\" is no word"));
        let (kind, seq) = verb.split_at(at);
        let seq: u64 = seq.parse().unwrap();
        assert_eq!(seq, self.log.len() as u64, "{verb}: the log is dense");
        let (turn, step) = (self.turn, self.step);
        let settlement = |kind| Body::Settlement(Settlement { turn, step, kind });
        let (surface, body) = match kind {
            "m" => {
                let content = vec![Block::Text { text: rest.to_owned() }];
                let interrupted = self.attempt.as_ref().is_none_or(|attempt| attempt.chunks.is_empty());
                let id = MessageId::from(verb);
                (Surface::Append, settlement(SettlementKind::Message { id, interrupted, content }))
            }
            "attempt" => (Surface::None, settlement(SettlementKind::Attempt { chunks: vec![text(rest)] })),
            "retry" => (Surface::None, Body::Retry { turn, step, retry: 1, most: 5, failure: None }),
            "step/end" => {
                self.step += 1;
                (Surface::None, Body::StepEnd { turn, step })
            }
            "turn/start" => {
                (self.turn, self.step) = (turn + 1, 1);
                (Surface::None, Body::TurnStart { turn: turn + 1 })
            }
            "turn/end" => {
                let cause = match rest {
                    "interrupted" => EndCause::Indeterminate,
                    "aborted" => EndCause::Cancelled,
                    _ => EndCause::NaturalEnd,
                };
                (Surface::None, Body::TurnEnd { turn, cause })
            }
            _ => (Surface::None, Body::Other(kind.to_owned())),
        };
        let event = Event { seq, time: 0, surface, body };
        self.log.push(event.clone());
        Item::Event(event)
    }

    fn revision(&mut self) -> u64 {
        self.revision += 1;
        self.revision
    }

    fn start(&mut self, name: &str) -> Item {
        let after = self.log.last().map(|event| event.seq);
        let attempt =
            Attempt { id: AttemptId::from(name), turn: self.turn, step: self.step, after, chunks: Vec::new() };
        self.attempt = Some(attempt);
        Item::Frame(Frame::Start {
            attemptId: AttemptId::from(name),
            revision: self.revision(),
            startedAfterSeq: after,
            turn: self.turn,
            step: self.step,
        })
    }

    fn chunk(&mut self, rest: &str) -> Item {
        let (name, piece) = rest.split_once(' ').expect("an attempt and a piece");
        let chunk = text(piece);
        let index = self.attempt.as_mut().map_or(0, |attempt| {
            attempt.chunks.push(chunk.clone());
            attempt.chunks.len() as u64 - 1
        });
        Item::Frame(Frame::Chunk { attemptId: AttemptId::from(name), revision: self.revision(), index, time: 0, chunk })
    }

    /// The end of the attempt: of what it left last, or `abandoned`.
    fn end(&mut self, rest: &str) -> Item {
        let (name, how) = rest.split_once(' ').unwrap_or((rest, ""));
        let index = self.attempt.take().map_or(0, |attempt| attempt.chunks.len() as u64);
        let settled = self.log.iter().rev().find_map(|event| Some((event.seq, event.settlement()?)));
        let outcome = match settled {
            Some((seq, settlement)) if how.is_empty() => {
                Outcome::Committed { eventType: settlement.event_type().to_owned(), seq }
            }
            _ => Outcome::Abandoned {},
        };
        Item::Frame(Frame::End { attemptId: AttemptId::from(name), revision: self.revision(), index, outcome })
    }

    fn snapshot(&self, through: Option<u64>) -> Snapshot {
        let events: Vec<Event> =
            self.log.iter().filter(|event| through.is_none_or(|seq| event.seq <= seq)).cloned().collect();
        let active = self.attempt.as_ref().map(|attempt| Active {
            attempt: attempt.id.clone(),
            started_after: attempt.after,
            turn: attempt.turn,
            step: attempt.step,
            next: attempt.chunks.len() as u64 + self.baseline_error,
            chunks: attempt.chunks.clone(),
        });
        Snapshot {
            session: "s".to_owned(),
            version: 4,
            cursor: events.last().map(|event| event.seq),
            events,
            has_more: false,
            inbox: Some(Vec::new()),
            baseline: (!self.no_baseline).then_some(Baseline { revision: self.revision, active }),
        }
    }

    #[track_caller]
    fn answer(&mut self, through: Option<u64>) {
        assert!(!self.reads.is_empty(), "a page was asked for");
        let read = self.reads.remove(0);
        let last = through.or(read.through);
        let events = self.log.iter().filter(|event| last.is_none_or(|seq| event.seq <= seq)).cloned().collect();
        let window = Window { events, has_more: false };
        self.input(Input::Window(ReadId(read.id.0), Ok((window, Notes::default()))));
    }
}

impl Page {
    fn take(&mut self, step: &crate::follow::Step) {
        if step.replace {
            (self.records, self.lanes, self.covered) = (Vec::new(), Vec::new(), Vec::new());
        }
        self.covered.extend(&step.covered);
        self.queues.extend(step.queue.iter().map(|queue| queue.iter().map(|message| message.id.to_string()).collect()));
        for change in &step.lanes {
            match change {
                LaneChange::Open { lane, coordinate, .. } => {
                    self.lanes.push((*lane, coordinate.clone().unwrap(), String::new(), true));
                }
                LaneChange::Grew { lane, delta, growth } => self.lane(*lane).2.push_str(&growth.text(delta)),
                LaneChange::Reset { lane } => self.lane(*lane).2.clear(),
                LaneChange::Confirmed { lane, confirmed } => self.lane(*lane).3 = *confirmed,
                LaneChange::Settled { lane, seq } => {
                    assert!(step.records.iter().any(|record| record.seq() == *seq), "a lane settles by its record");
                    self.lanes.retain(|(id, ..)| id != lane);
                }
                LaneChange::Dropped { lane } => self.lanes.retain(|(id, ..)| id != lane),
            }
        }
        for record in &step.records {
            assert!(
                self.records.last().is_none_or(|last| last.seq() < record.seq()),
                "I7: records come in order, once"
            );
            self.records.push(Arc::clone(record));
        }
    }

    fn lane(&mut self, id: LaneId) -> &mut (LaneId, Coordinate, String, bool) {
        self.lanes.iter_mut().find(|(lane, ..)| *lane == id).expect("a lane that is open")
    }

    /// No attempt is seen twice (I1), and the page's lanes are the follower's.
    fn check(&self, follower: &Follower) {
        for (id, coordinate, text, _) in &self.lanes {
            let twin = self.records.iter().any(|record| match &**record {
                Record::Message(row) => row.coordinate().as_ref() == Some(coordinate),
                Record::Aside(row) => matches!(row.aside, Aside::Attempt { .. }) && row.coordinate() == *coordinate,
                Record::Run(_) => false,
            });
            assert!(!twin, "I1: the preview \"{text}\" stands beside its settlement");
            let content = follower.lane(*id).expect("a lane of the follower");
            let whole: String = content.parts().iter().map(|part| part.text()).collect();
            assert_eq!(*text, whole);
        }
    }

    fn is_blank(&self) -> bool {
        self.records.is_empty() && self.lanes.is_empty()
    }

    fn lines(&self) -> Vec<String> {
        let records = self.records.iter().filter_map(|record| match &**record {
            Record::Message(row) => Some(format!("{}:{}", row.seq, said(&row.message.content))),
            Record::Aside(row) => Some(match &row.aside {
                Aside::Attempt { content, .. } => format!("{}!{}", row.seq, said(content)),
                Aside::Retry { .. } => format!("{}~", row.seq),
            }),
            Record::Run(row) => matches!(row.state, RunState::Ended(_)).then(|| format!("{}.", row.seq)),
        });
        let lanes = self.lanes.iter().map(|(_, _, text, confirmed)| {
            let mark = if *confirmed { '+' } else { '?' };
            format!("{mark}{text}")
        });
        records.chain(lanes).collect()
    }
}

fn said(content: &[Block]) -> String {
    content
        .iter()
        .map(|block| match block {
            Block::Text { text } => text.as_str(),
            _ => "",
        })
        .collect()
}

/// A piece of text.
pub fn text(piece: &str) -> Chunk {
    Chunk::Text { index: 0, text: Fragment::from(piece) }
}

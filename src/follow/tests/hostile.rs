//! A host and a wire that keep no rule at all: nothing panics, nothing spins, openings keep their distance, and what the
//! page shows stays a log in order with lanes that it was told of. When they come to their senses, so does the page.

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use super::host::{Act, delta, say, start};
use super::world::{Openings, Reading, World};
use crate::event::{AgentEvent, AttemptId, Coordinate, Envelope, Epoch, Fact, RunId};
use crate::follow::frame::{
    Active, CONTRACT, Committed, DeltaFrame, End, Frame, Opened, Outcome as Ended, Ping, Start,
};
use crate::follow::{Accepted, Closed, Command, CommandId, Input, Live, Outcome, Protocol, ReadError, Status, Wake};
use crate::json::Notes;

/// Numbers that follow from a seed.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }

    fn seq(&mut self) -> Option<u64> {
        [None, Some(0), Some(1), Some(2), Some(3), Some(5), Some(8), Some(u64::MAX)][self.index(8)]
    }

    fn index(&mut self, bound: u64) -> usize {
        usize::try_from(self.below(bound)).unwrap_or_default()
    }

    fn name(&mut self, kind: &str) -> String {
        format!("{kind}{}", self.below(3))
    }

    fn revision(&mut self) -> u64 {
        [0, 1, 2, 3, 4, u64::MAX][self.index(6)]
    }

    fn delta(&mut self) -> crate::event::Delta {
        match delta(&self.name("t")) {
            Act::Delta(delta) => delta,
            _ => unreachable!("a delta is a delta"),
        }
    }

    fn frame(&mut self, world: &World) -> Frame {
        let epoch = Epoch::from(self.name("e").as_str());
        let attempt = AttemptId::from(self.name("a").as_str());
        let run_id = RunId::from(self.name("r").as_str());
        let (frontier, revision, index) = (self.seq(), self.revision(), self.revision());
        let step = u32::try_from(self.below(2)).unwrap_or_default();
        match self.below(8) {
            0 | 1 => {
                let deltas = vec![self.delta(); self.index(3)];
                let started_after = self.seq();
                let active = Active { attempt, started_after, run_id, step, response: 0, next: index, deltas };
                let active = Some(active).filter(|_| self.below(3) > 0);
                Frame::Opened(Opened { contract: CONTRACT.to_owned(), epoch, frontier, revision, active })
            }
            2 => Frame::Start(Start { attempt, revision, started_after: frontier, run_id, step, response: 0 }),
            3 => Frame::Delta(DeltaFrame { attempt, revision, index, delta: self.delta() }),
            4 => {
                let seq = frontier.unwrap_or_default();
                let outcome = if self.below(2) == 0 { Ended::Committed { seq } } else { Ended::Abandoned {} };
                Frame::End(End { attempt, revision, index, outcome })
            }
            5 | 6 => {
                let from = self.index(world.host.log.len() as u64 + 1);
                let rows = world.host.log.get(from..).unwrap_or_default().to_vec();
                Frame::Committed(Committed { frontier, records: Some(rows).filter(|_| self.below(2) == 0) })
            }
            _ => Frame::Ping(Ping { epoch, frontier, revision }),
        }
    }

    fn closed(&mut self) -> Closed {
        match self.below(4) {
            0 => Closed::Refused { status: 503, retry_after: self.seq() },
            1 => Closed::NotAStream("text/html".to_owned()),
            2 => Closed::TooLarge(1),
            _ => Closed::Lost,
        }
    }

    fn live(&mut self, world: &World) -> Live {
        match self.below(12) {
            0 => Live::Accepted,
            1 => Live::Activity,
            2 => Live::Retry(self.below(u64::MAX)),
            3 => crate::source::threadfold::live_event("opened", "{"),
            4 => Live::Unknown("hologram".to_owned()),
            5 => {
                let run_id = RunId::from(self.name("r").as_str());
                let coordinate = Some(Coordinate { run_id: run_id.clone(), step: 0, response: 0 });
                let fact = AgentEvent::Fact(Fact::RunStarted {});
                let kind = if self.below(3) == 0 { fact } else { AgentEvent::Delta(self.delta()) };
                Live::Plain(
                    Envelope { run_id, kind, coordinate: coordinate.filter(|_| self.below(2) == 0) },
                    Notes::default(),
                )
            }
            _ => Live::Frame(self.frame(world), Notes::default()),
        }
    }

    fn input(&mut self, world: &mut World) {
        let id = u32::try_from(self.below(4)).unwrap_or_default();
        match self.below(24) {
            0 => world.close(self.closed()),
            1 => world.input(Input::Hidden),
            2 => world.input(Input::Offline),
            3 => world.wake([Wake::Visible, Wake::Online, Wake::Pageshow, Wake::User][self.index(4)]),
            4 => world.input(Input::Command(CommandId(id), Command::Cancel { run_id: None })),
            5 => {
                let accepted = Accepted { seq: self.seq(), ..Accepted::default() };
                world.respond(id, Outcome::Accepted(accepted))
            }
            6 => world.respond(id, Outcome::Network("reset".to_owned())),
            7 if !world.waiting.is_empty() => {
                let (_, answer) = &mut world.waiting[0];
                match (self.below(6), &mut *answer) {
                    (0, Ok(page)) => page.frontier = self.seq(),
                    (1, Ok(page)) => page.epoch = Epoch::from(self.name("e").as_str()),
                    (2, Ok(page)) => page.has_more = true,
                    (3, Ok(page)) => page.messages.clear(),
                    (4, _) => *answer = Err(ReadError::Refused { status: 409, retry_after: None, code: None }),
                    _ => {}
                }
                world.answer()
            }
            8 => world.input(Input::Connect),
            9 => world.input(Input::Tick),
            10..=12 => world.advance([1, 100, 1_000, 40_000][self.index(4)]),
            13 => {
                world.lose([say("x"), start(0), delta("y"), Act::Commit, Act::End, Act::Finish][self.index(6)].clone())
            }
            _ => {
                let live = self.live(world);
                world.live(live)
            }
        };
    }
}

/// What must hold of the page whatever comes.
fn check(world: &World, round: u64) {
    let log = world.follower.log();
    let seqs: Vec<u64> = world.page.records.iter().map(|record| record.seq()).collect();
    assert_eq!(seqs, (0..seqs.len() as u64).collect::<Vec<_>>(), "round {round}: records in order, once");
    assert_eq!(log.map_or(0, |log| log.records().len()), seqs.len(), "round {round}: the page shows the log");
    let told: Vec<_> = world.page.wrong.iter().filter(|wrong| !is_the_host_s(wrong)).collect();
    assert_eq!(told, Vec::<&String>::new(), "round {round}");
    let close = |pair: &&[u64]| pair[1] < pair[0] + 200;
    assert_eq!(world.opened_at.windows(2).find(close), None, "round {round}: openings keep their distance");
}

/// Such a host may say what it never said, and take back what it commits.
fn is_the_host_s(wrong: &str) -> bool {
    ["never said", "while it streams", "before its record", "went blank", "replaced by nothing", "I1:"]
        .iter()
        .any(|what| wrong.contains(what))
}

fn hostile(protocol: Protocol, rounds: u64) {
    for round in 1..=rounds {
        let mut dice = Dice(round.wrapping_mul(0x2545_F491_4F6C_DD1D));
        let mut world = World::new(protocol);
        world.wire = false;
        world.host.epoch = Epoch::from("e0");
        world.host.act(&say("hi"));
        world.reads(if round % 2 == 0 { Reading::Works } else { Reading::Waits }).input(Input::Connect);
        for _ in 0..40 {
            world.openings = match dice.below(6) {
                0 => Openings::End(dice.closed()),
                1 => Openings::OpenAndEnd,
                2 => Openings::Hang,
                3 => Openings::Say(vec![dice.frame(&world)]),
                _ => Openings::Work,
            };
            dice.input(&mut world);
            check(&world, round);
        }
        // It comes to its senses: as another epoch, for what it said of this one is void.
        world.host.epoch = Epoch::from("sound");
        world.opens(Openings::Work).reads(Reading::Works).wake(Wake::User).quiet().wake(Wake::User).quiet();
        check(&world, round);
        let shown: Vec<_> = world.page.records.iter().map(|record| (**record).clone()).collect();
        if protocol == Protocol::Strict {
            assert_eq!(*world.follower.status(), Status::Live, "round {round}");
            assert_eq!(shown, world.host.log, "round {round}");
        }
        world.input(Input::Close);
        assert_eq!(world.follower.deadline(), None, "round {round}");
    }
}

const ROUNDS: u64 = if cfg!(target_arch = "wasm32") { 50 } else { 500 };

#[test]
fn a_host_that_keeps_no_rule_of_the_contract_does_no_harm() {
    hostile(Protocol::Strict, ROUNDS);
}

#[test]
fn a_plain_stream_that_keeps_no_rule_does_no_harm() {
    hostile(Protocol::Plain, ROUNDS);
}

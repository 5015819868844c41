//! Every fault at every point of a short history, then many random pairs and triples of faults. Whatever happened, after
//! a quiet time the page equals the log, nothing is left over, and few requests were made. On a failure the shortest
//! script that still fails is told.

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use super::host::{Act, call, delta, say, start};
use super::world::{Openings, Reading, World, world};
use crate::follow::{Closed, Input, ReadError, Status, Wake};

/// A line of a script.
#[derive(Debug, Clone, PartialEq)]
enum Line {
    Does(Act),
    Lost(Act),
    Twice(Act),
    Swapped(Act, Act),
    Garbled(Act),
    Cut,
    /// The stream ends, and the next opening fails.
    CutTwice,
    Bye,
    /// Nothing comes any more, and nobody says so.
    HalfOpen,
    /// The next opening loses its first frame.
    CutAndLoseOpened,
    /// The next two reads are answered by a replica that lags by so many rows.
    Stale(u64),
    Restart {
        other_epoch: bool,
    },
    Hidden,
    /// There is no network for a while, and the platform says so.
    Offline,
    /// The next two reads fail.
    ReadsFail,
    Ping,
}

/// How the world of a script is, beside its faults.
#[derive(Debug, Clone, Copy)]
struct Way {
    with_rows: bool,
    page_size: usize,
    /// Time between two lines, in ms.
    pace: u64,
    /// A read is answered after so many lines; 0 for at once.
    lag: usize,
}

const FAULTS: usize = 17;
const WAYS: [Way; 8] = [
    Way { with_rows: true, page_size: usize::MAX, pace: 300, lag: 0 },
    Way { with_rows: true, page_size: usize::MAX, pace: 300, lag: 2 },
    Way { with_rows: true, page_size: usize::MAX, pace: 40, lag: 0 },
    Way { with_rows: true, page_size: 1, pace: 150, lag: 1 },
    Way { with_rows: false, page_size: usize::MAX, pace: 300, lag: 0 },
    Way { with_rows: false, page_size: usize::MAX, pace: 120, lag: 3 },
    Way { with_rows: false, page_size: 1, pace: 40, lag: 1 },
    Way { with_rows: true, page_size: usize::MAX, pace: 0, lag: 5 },
];

/// Two runs; the first has two steps.
fn plain_history() -> Vec<Act> {
    let first = [start(0), delta("a"), delta("b"), Act::Commit, Act::End, start(1), delta("c"), Act::Commit, Act::End];
    let second = [Act::Finish, say("more"), start(0), delta("d"), delta("e"), Act::Commit, Act::End, Act::Finish];
    first.into_iter().chain(second).collect()
}

/// A call that is waited for, an attempt that is abandoned and made again, and an end that leaves it unanswered.
fn winding_history() -> Vec<Act> {
    let first = [start(0), call("c", "f", "{}"), Act::Commit, Act::End, Act::Await("c"), Act::GoOn];
    let second =
        [start(1), delta("x"), Act::Abandon, start(1), delta("y"), delta("z"), Act::Commit, Act::End, Act::Finish];
    first.into_iter().chain(second).collect()
}

/// The history with a fault at one of its acts.
fn faulty(mut script: Vec<Line>, at: usize, fault: usize) -> Option<Vec<Line>> {
    let line = script.get(at).cloned()?;
    let Line::Does(act) = line.clone() else { return None };
    let now = match fault {
        0 => vec![Line::Lost(act)],
        1 => vec![Line::Twice(act)],
        2 => {
            let Some(Line::Does(next)) = script.get(at + 1).cloned() else { return None };
            script.remove(at + 1);
            vec![Line::Swapped(act, next)]
        }
        3 => vec![Line::Garbled(act)],
        4 => vec![line, Line::Cut],
        5 => vec![line, Line::CutTwice],
        6 => vec![line, Line::Bye],
        7 => vec![line, Line::HalfOpen],
        8 => vec![line, Line::CutAndLoseOpened],
        9 => vec![Line::Stale(1), line, Line::Cut],
        10 => vec![Line::Stale(3), Line::Lost(act), Line::Ping],
        11 => vec![line, Line::Restart { other_epoch: false }],
        12 => vec![line, Line::Restart { other_epoch: true }],
        13 => vec![Line::Lost(act), Line::Restart { other_epoch: true }],
        14 => vec![line, Line::Hidden, Line::Cut],
        15 => vec![line, Line::Offline],
        _ => vec![Line::ReadsFail, Line::Lost(act), Line::Cut],
    };
    script.splice(at..=at, now);
    Some(script)
}

/// Plays a script and says what was wrong.
fn play(script: &[Line], way: Way, seed: u64) -> Result<(), String> {
    let mut world = world();
    world.wire = false;
    world.seeded(seed);
    world.host.with_rows = way.with_rows;
    world.host.page_size = way.page_size;
    for (number, line) in script.iter().enumerate() {
        if way.lag > 0 && !matches!(world.reading, Reading::Stale(..) | Reading::Fails(..)) {
            world.reading = Reading::Waits;
        }
        perform(&mut world, line);
        if way.lag > 0 && number % way.lag == way.lag - 1 && !world.waiting.is_empty() {
            world.answer();
        }
        world.advance(way.pace);
    }
    world.wake(Wake::Visible).quiet();
    world.settled()?;
    bounded(&world, script, way)?;
    // The stream is whole again: what comes now is seen as it comes.
    world.then(Act::Abandon).finish().say("again").start(0).delta("live");
    if world.page.lanes.len() != 1 || !world.page.visible().ends_with("user: again | live: live") {
        return Err(format!("live is not live: {}", world.page.visible()));
    }
    world.commit().end().finish();
    world.settled()
}

fn perform(world: &mut World, line: &Line) {
    world.openings = match line {
        Line::CutTwice => Openings::End(Closed::Lost),
        Line::CutAndLoseOpened => Openings::Say(world.host.clone().act(&Act::Ping)),
        _ => Openings::Work,
    };
    match line.clone() {
        Line::Does(act) => world.then(act),
        Line::Lost(act) => world.lose(act),
        Line::Twice(act) => world.twice(act),
        Line::Swapped(first, second) => world.swapped(first, second),
        Line::Garbled(act) => {
            for frame in world.host.act(&act) {
                world.live(crate::source::threadfold::live_event(frame.write().0, "{\"attempt\":"));
            }
            world
        }
        Line::Cut => world.cut(),
        Line::CutTwice | Line::CutAndLoseOpened => world.cut().advance(600),
        Line::Bye => world.then(Act::Bye).cut(),
        Line::HalfOpen => world.deaf(),
        Line::Stale(rows) => {
            let upto = world.host.frontier().and_then(|last| last.checked_sub(rows));
            world.reads(Reading::Stale(upto, 2))
        }
        Line::Restart { other_epoch } => {
            // A log that is lost whole is rightly shown as empty for a moment.
            let lost = usize::from(other_epoch && world.host.log.len() > 1);
            world.restart(other_epoch, lost)
        }
        Line::Hidden => world.input(Input::Hidden),
        Line::Offline => world.input(Input::Offline).cut().advance(2_000).wake(Wake::Online),
        Line::ReadsFail => {
            let refused = ReadError::Refused { status: 503, retry_after: None, code: None };
            world.reads(Reading::Fails(refused, 2))
        }
        Line::Ping => world.ping(),
    };
}

/// The law of C3.9, as far as reads were answered as the contract says, and a bound on openings. Another epoch costs a
/// read more than the law has: what was lost is read (rule 8), in vain, and then the new log (rule 1).
fn bounded(world: &World, script: &[Line], way: Way) -> Result<(), String> {
    let failed: u64 =
        script.iter().map(|line| if matches!(line, Line::Stale(_) | Line::ReadsFail) { 2 } else { 0 }).sum();
    let epochs = script.iter().filter(|line| matches!(line, Line::Restart { other_epoch: true })).count() as u64;
    let stats = world.follower.stats();
    let announced = world.host.commits_announced().max(stats.commits);
    let most = announced + stats.reopens + stats.losses + 2 + failed + epochs;
    if way.page_size == usize::MAX && stats.reads > most {
        return Err(format!("{} reads, and {most} are allowed: {stats:?}", stats.reads));
    }
    let faults = script.iter().filter(|line| !matches!(line, Line::Does(_))).count() as u64;
    if stats.reopens > 4 * faults || stats.openings > 1 + stats.reopens + stats.losses + faults {
        return Err(format!("{faults} faults led to too many openings: {stats:?}"));
    }
    Ok(())
}

/// Plays a script; when it fails, says the shortest one found that fails too.
#[track_caller]
fn check(script: Vec<Line>, way: Way, seed: u64) {
    let Err(mut wrong) = play(&script, way, seed) else { return };
    let mut shortest = script;
    let mut at = 0;
    while at < shortest.len() {
        let mut shorter = shortest.clone();
        shorter.remove(at);
        match play(&shorter, way, seed) {
            Err(still) => (shortest, wrong, at) = (shorter, still, 0),
            Ok(()) => at += 1,
        }
    }
    let lines: Vec<String> = shortest.iter().map(|line| format!("  {line:?}")).collect();
    panic!("{wrong}\n{way:?}, seed {seed}\n{}", lines.join("\n"));
}

fn lines(history: Vec<Act>) -> Vec<Line> {
    history.into_iter().map(Line::Does).collect()
}

/// Fewer in a browser, where a test must not hold the page for long.
const EVERY: usize = if cfg!(target_arch = "wasm32") { 7 } else { 1 };

fn every_fault_at_every_point(history: Vec<Act>) {
    let script = lines(history);
    let mut played = 0;
    for way in WAYS {
        for fault in 0..FAULTS {
            for at in 0..script.len() {
                if let Some(script) = faulty(script.clone(), at, fault)
                    && (at + fault).is_multiple_of(EVERY)
                {
                    check(script, way, played);
                    played += 1;
                }
            }
        }
    }
    assert!(played > 100);
}

#[test]
fn a_history_without_faults_needs_one_opening_and_one_read() {
    for history in [plain_history(), winding_history()] {
        let mut world = world();
        for act in history {
            world.then(act).advance(50);
        }
        world.check().expect_counts(0, 0, 1).expect_status(&Status::Live);
        assert_eq!((world.settled(), world.opened_at.len()), (Ok(()), 1));
    }
}

#[test]
fn every_fault_at_every_point_of_two_runs_heals() {
    every_fault_at_every_point(plain_history());
}

#[test]
fn every_fault_at_every_point_of_a_winding_run_heals() {
    every_fault_at_every_point(winding_history());
}

#[test]
fn several_faults_at_random_points_heal() {
    let mut bits: u64 = 20_261_130;
    let mut next = |below: usize| {
        bits ^= bits << 13;
        bits ^= bits >> 7;
        bits ^= bits << 17;
        usize::try_from(bits % below as u64).unwrap_or_default()
    };
    for round in 0..2_000 / EVERY {
        let mut script = lines(if next(2) == 0 { plain_history() } else { winding_history() });
        for _ in 0..2 + next(3) {
            let at = next(script.len());
            if let Some(worse) = faulty(script.clone(), at, next(FAULTS)) {
                script = worse;
            }
        }
        check(script, WAYS[next(WAYS.len())], round as u64);
    }
}

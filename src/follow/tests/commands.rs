//! Commands inside the machine: each is repeated under its own key until the host has answered (C1).

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use super::host::{Act, say};
use super::world::{Openings, Reading, World, world};
use crate::event::{CallId, MessageId, RunId};
use crate::follow::{
    Accepted, Answer, Closed, Command, CommandId, Input, OnActive, Options, Outcome, Protocol, Status, Wake,
};
use crate::thread::{Block, Pause, Record, ResumeTicket, Target};

fn send(key: &str) -> Command {
    Command::Send {
        message_id: MessageId::from("m1"),
        content: vec![Block::Text { text: "hello".to_owned() }],
        idempotency_key: key.to_owned(),
        on_active: OnActive::Reject,
    }
}

fn resume(call: Option<&str>) -> Command {
    Command::Resume {
        run_id: None,
        call_id: call.map(CallId::from),
        answer: Answer::Approve { approve: true, reason: None },
        idempotency_key: "k".to_owned(),
    }
}

fn refused(status: u16, code: &str) -> Outcome {
    Outcome::Refused { status, retry_after: None, code: code.to_owned(), message: String::new() }
}

fn accepted(seq: Option<u64>) -> Outcome {
    Outcome::Accepted(Accepted { run_id: None, message_id: None, seq })
}

/// What became of each command: the code of its error, or "accepted".
fn results(world: &World) -> Vec<(u32, String)> {
    let result = |result: &Result<Accepted, crate::follow::CommandError>| match result {
        Ok(_) => "accepted".to_owned(),
        Err(error) => error.code.clone(),
    };
    world.done.iter().map(|(CommandId(id), done)| (*id, result(done))).collect()
}

fn run_of(command: &Command) -> Option<&str> {
    match command {
        Command::Resume { run_id, .. } | Command::Cancel { run_id } => run_id.as_ref().map(RunId::as_str),
        Command::Send { .. } => None,
    }
}

#[test]
fn a_command_is_repeated_as_it_is_until_the_host_answers() {
    let mut world = world();
    world.command(1, send("k1")).respond(1, Outcome::Network("reset".to_owned())).advance(600);
    world.respond(1, refused(503, "busy")).advance(1_100).respond(1, accepted(Some(7)));
    assert_eq!(world.requests, vec![(CommandId(1), send("k1")); 3]);
    assert_eq!(results(&world), [(1, "accepted".to_owned())]);
    world.advance(600_000);
    assert_eq!(world.requests.len(), 3);
}

#[test]
fn what_a_host_would_say_twice_is_not_repeated_when_nobody_knows_what_became_of_it() {
    let codes = |protocol, command: Command, outcome: Outcome| {
        let mut world = World::new(protocol);
        world.input(Input::Connect).command(1, command).respond(1, outcome).advance(2_000);
        (world.requests.len(), results(&world).into_iter().map(|(_, code)| code).collect::<Vec<_>>())
    };
    let lost = || Outcome::Network("reset".to_owned());
    // A dsh host knows no keys: what was sent may have been said.
    assert_eq!(codes(Protocol::Dsh, send("k"), lost()), (1, vec!["unreachable".to_owned()]));
    assert_eq!(codes(Protocol::Dsh, send("k"), refused(500, "")), (1, vec!["http_500".to_owned()]));
    assert_eq!(codes(Protocol::Dsh, send("k"), refused(408, "")), (1, vec!["http_408".to_owned()]));
    let cancel = || Command::Cancel { run_id: Some(RunId::from("turn-1")) };
    assert_eq!(codes(Protocol::Dsh, cancel(), refused(500, "")).0, 2);
    assert_eq!(codes(Protocol::Dsh, cancel(), lost()).0, 2);
    assert_eq!(codes(Protocol::Strict, send("k"), refused(500, "")).0, 2);
    assert_eq!(codes(Protocol::Strict, send("k"), lost()).0, 2);
}

#[test]
fn a_401_is_tried_once_more_where_credentials_can_be_renewed() {
    for (renewable, tries) in [(true, 2), (false, 1)] {
        let options = Options { protocol: Protocol::Strict, thread_id: None, renewable, watchdog: true, initial: None };
        let mut world = World::with(options);
        world.host.act(&say("hi"));
        world.input(Input::Connect).command(1, send("k"));
        for _ in 0..5 {
            world.respond(1, refused(401, "")).advance(1_000);
        }
        assert_eq!((world.requests.len(), results(&world)), (tries, vec![(1, "unauthorized".to_owned())]));
    }
}

#[test]
fn only_a_run_of_a_dsh_host_can_be_steered() {
    let steer = || match send("k") {
        Command::Send { message_id, content, idempotency_key, .. } => {
            Command::Send { message_id, content, idempotency_key, on_active: OnActive::Steer }
        }
        other => other,
    };
    for (protocol, requests) in [(Protocol::Strict, 0), (Protocol::Plain, 0), (Protocol::Dsh, 1)] {
        let mut world = World::new(protocol);
        world.input(Input::Connect).command(1, steer());
        let refused: &[_] = if requests == 0 { &[(1, "unsupported".to_owned())] } else { &[] };
        assert_eq!((world.requests.len(), results(&world).as_slice()), (requests, refused), "{protocol:?}");
    }
}

#[test]
fn a_run_that_is_over_where_the_log_begins_can_not_be_cancelled_and_is_not_waited_for() {
    let mut host = super::host::Host::default();
    for act in [say("hi"), Act::Finish] {
        host.act(&act);
    }
    let mut page = host.page(Some(1), 500, None, None).unwrap();
    page.frontier = host.frontier();
    for protocol in [Protocol::Strict, Protocol::Plain] {
        let initial = Some(page.clone());
        let mut world = World::with(Options { protocol, thread_id: None, renewable: false, watchdog: false, initial });
        world.host = host.clone();
        world.input(Input::Connect).command(1, Command::Cancel { run_id: None });
        assert_eq!(results(&world), [(1, "no_active_run".to_owned())]);
        let reads = world.asked.len();
        world.advance(60_000);
        assert_eq!(world.asked.len(), reads, "{protocol:?}");
    }
}

#[test]
fn a_hosts_own_word_for_a_401_is_kept() {
    let mut world = world();
    world.command(1, send("k")).respond(1, refused(401, "token_expired"));
    assert_eq!(results(&world), [(1, "token_expired".to_owned())]);
}

#[test]
fn a_retry_after_is_kept() {
    let mut world = world();
    let outcome =
        Outcome::Refused { status: 429, retry_after: Some(9_000), code: String::new(), message: String::new() };
    world.command(1, send("k1")).respond(1, outcome).advance(8_999);
    assert_eq!(world.requests.len(), 1);
    world.advance(1);
    assert_eq!(world.requests.len(), 2);
}

#[test]
fn an_answer_that_never_comes_counts_as_none() {
    let mut world = world();
    world.heartbeat = 10_000;
    world.command(1, send("k1")).advance(29_999);
    assert_eq!(world.requests.len(), 1);
    world.advance(600);
    assert_eq!(world.requests.len(), 2);
    world.respond(1, accepted(None));
    assert_eq!(results(&world), [(1, "accepted".to_owned())]);
}

#[test]
fn after_eight_tries_the_host_counts_as_unreachable() {
    let mut world = world();
    world.command(1, send("k1"));
    for _ in 0..20 {
        world.respond(1, Outcome::Network("reset".to_owned())).advance(31_000);
    }
    assert_eq!((world.requests.len(), results(&world)), (8, vec![(1, "unreachable".to_owned())]));
}

#[test]
fn a_refusal_is_told_as_the_host_said_it() {
    for (outcome, code) in [
        (refused(409, "run_active"), "run_active"),
        (refused(409, "already_resolved"), "already_resolved"),
        (refused(400, ""), "http_400"),
        (refused(401, ""), "unauthorized"),
        (refused(404, "no_such_run"), "no_such_run"),
    ] {
        let mut world = world();
        world.command(1, send("k1")).respond(1, outcome).advance(60_000);
        assert_eq!((world.requests.len(), results(&world)), (1, vec![(1, code.to_owned())]));
    }
}

#[test]
fn a_refusal_always_has_a_sentence() {
    let mut world = world();
    world.command(1, send("k1")).respond(1, refused(409, "run_active"));
    assert!(world.done.iter().all(|(_, result)| result.as_ref().is_err_and(|error| !error.message.is_empty())));
}

#[test]
fn a_command_under_way_is_not_taken_twice() {
    let mut world = world();
    world.command(1, send("k1")).command(1, send("k2")).respond(1, accepted(None)).advance(60_000);
    assert_eq!((world.requests.len(), results(&world)), (1, vec![(1, "accepted".to_owned())]));
}

#[test]
fn an_answer_that_nobody_waits_for_is_ignored() {
    let mut world = world();
    world.respond(9, accepted(Some(50))).expect("user: hi").expect_counts(0, 0, 1);
    world.command(1, send("k1")).respond(1, accepted(Some(0))).respond(1, accepted(Some(0)));
    assert_eq!(results(&world).len(), 1);
}

#[test]
fn h01_a_resume_finds_the_run_that_waits_for_its_call() {
    let mut world = world();
    world.then(Act::Await("c1")).say("other").then(Act::Await("c2")).command(1, resume(Some("c1")));
    world.command(2, resume(Some("c2"))).command(3, resume(Some("c3")));
    assert_eq!(world.requests.iter().map(|(_, command)| run_of(command)).collect::<Vec<_>>(), [Some("r1"), Some("r2")]);
    assert_eq!(results(&world), [(3, "nothing_pending".to_owned())]);
}

#[test]
fn h03_a_second_pause_of_a_run_is_answered_and_the_first_is_not_asked_for_again() {
    let mut world = world();
    world.then(Act::Await("c1")).then(Act::GoOn).command(1, resume(Some("c1")));
    world.then(Act::Await("c2")).command(2, resume(Some("c2"))).command(3, resume(Some("c1")));
    assert_eq!(world.requests.len(), 1);
    assert_eq!(results(&world), [(1, "nothing_pending".to_owned()), (3, "nothing_pending".to_owned())]);
}

#[test]
fn h06_a_run_that_has_ended_waits_for_nothing() {
    let mut world = world();
    world.then(Act::Await("c1")).finish().say("more").command(1, resume(Some("c1")));
    assert_eq!(results(&world), [(1, "nothing_pending".to_owned())]);
}

#[test]
fn a_pause_is_resumed_without_a_call_and_only_a_pause() {
    let mut world = world();
    world.then(Act::Await("c1")).command(1, resume(None));
    assert_eq!(results(&world), [(1, "nothing_pending".to_owned())]);
    world.finish().lose(say("more")).lose(Act::Await("c2"));
    if let Some(Record::Run(row)) = world.host.log.last_mut() {
        row.resume_ticket = Some(ResumeTicket { target: Target::Pause(Pause::Manual), detail: None });
    }
    world.ping().command(2, resume(None));
    assert_eq!(world.requests.iter().map(|(_, command)| run_of(command)).collect::<Vec<_>>(), [Some("r2")]);
}

#[test]
fn a_cancel_takes_the_newest_run_that_has_not_ended() {
    let mut world = world();
    world.command(1, Command::Cancel { run_id: None }).finish().command(2, Command::Cancel { run_id: None });
    let named = Command::Cancel { run_id: Some(RunId::from("r1")) };
    world.command(3, named.clone());
    assert_eq!(world.requests.iter().map(|(_, command)| run_of(command)).collect::<Vec<_>>(), [Some("r1"), Some("r1")]);
    assert_eq!(results(&world), [(2, "no_active_run".to_owned())]);
}

#[test]
fn a_cancel_right_after_a_send_is_meant_for_the_run_that_the_log_has_not_got_yet() {
    let mut world = world();
    world.finish();
    let accepted = Accepted { run_id: Some(RunId::from("r2")), message_id: None, seq: Some(9) };
    world.command(1, send("k1")).respond(1, Outcome::Accepted(accepted.clone()));
    world.command(2, Command::Cancel { run_id: None });
    assert_eq!(world.requests.last().map(|(_, command)| run_of(command)), Some(Some("r2")));
    let over = Accepted { run_id: Some(RunId::from("r1")), ..accepted };
    world.command(3, send("k2")).respond(3, Outcome::Accepted(over)).command(4, Command::Cancel { run_id: None });
    assert_eq!(results(&world).last(), Some(&(4, "no_active_run".to_owned())), "r1 is over already");
}

#[test]
fn rows_of_a_run_after_its_end_do_not_bring_it_back() {
    let mut world = world();
    world.finish().then(Act::GoOn).command(1, Command::Cancel { run_id: None });
    assert_eq!(results(&world), [(1, "no_active_run".to_owned())]);
}

#[test]
fn the_first_message_makes_the_thread_and_the_stream_is_opened_then() {
    let mut world = World::new(Protocol::Strict);
    world.opens(Openings::End(Closed::Refused { status: 404, retry_after: None })).input(Input::Connect);
    world.expect_status(&Status::Failed { code: "not_found" }).command(1, send("k1"));
    assert_eq!(world.requests.len(), 1);
    world.opens(Openings::Work).lose(say("hello")).advance(1_000).respond(1, accepted(Some(0)));
    world.expect("user: hello").expect_status(&Status::Live);
}

#[test]
fn a_page_out_of_sight_opens_the_thread_that_it_made_when_it_is_seen() {
    let mut world = World::new(Protocol::Strict);
    world.opens(Openings::End(Closed::Refused { status: 404, retry_after: None })).input(Input::Connect);
    world.opens(Openings::Work).input(Input::Hidden).command(1, send("k")).respond(1, accepted(Some(0)));
    world.advance(5_000);
    assert_eq!(world.opened_at.len(), 1);
    world.host.act(&say("hello"));
    world.wake(Wake::Visible).expect("user: hello").expect_status(&Status::Live);
}

#[test]
fn what_was_accepted_for_a_log_that_is_over_is_not_waited_for_in_another() {
    for protocol in [Protocol::Strict, Protocol::Plain] {
        let mut world = World::new(protocol);
        world.host.act(&say("hi"));
        world.input(Input::Connect).command(1, send("k")).reads(Reading::Waits).restart(true, 0);
        // The read learns that the epoch is over; then the answer of the process before arrives.
        world.answer().respond(1, accepted(Some(7))).answer_all().quiet();
        assert_eq!(world.follower.status(), &Status::Live, "{protocol:?}");
        let reads = world.asked.len();
        world.advance(600_000);
        assert!(world.asked.len() - reads < 25 || protocol == Protocol::Plain, "{protocol:?} reads for ever");
    }
}

#[test]
fn what_was_accepted_while_the_stream_is_away_is_read() {
    let mut world = world();
    world.opens(Openings::Hang).cut().advance(1000).lose(Act::Finish).lose(say("more"));
    world.command(1, send("k1")).respond(1, accepted(Some(3))).expect("user: hi | ended | user: more");
}

#[test]
fn a_wake_sends_what_waits_at_once() {
    let mut world = world();
    world.command(1, send("k1"));
    for _ in 0..4 {
        world.respond(1, Outcome::Network("away".to_owned())).advance(20_000);
    }
    let sent = world.requests.len();
    world.respond(1, refused(503, "")).wake(Wake::Online);
    assert_eq!(world.requests.len(), sent + 1);
}

#[test]
fn close_gives_up_what_is_under_way_and_refuses_what_comes_later() {
    let mut world = world();
    world.reads(Reading::Waits).command(1, send("k1")).input(Input::Close).command(2, send("k2"));
    world.respond(1, accepted(Some(9))).advance(60_000);
    assert_eq!(results(&world), [(1, "closed".to_owned()), (2, "closed".to_owned())]);
    assert_eq!((world.requests.len(), world.follower.deadline()), (1, None));
}

#[test]
fn commands_work_before_the_thread_is_connected() {
    let mut world = World::new(Protocol::Strict);
    world.command(1, send("k1"));
    assert_eq!(world.requests.len(), 1);
    world.respond(1, Outcome::Network("reset".to_owned())).advance(1000).respond(1, accepted(None));
    assert_eq!((world.requests.len(), results(&world)), (2, vec![(1, "accepted".to_owned())]));
    assert_eq!((world.opened_at.len(), world.asked.len()), (0, 0));
}

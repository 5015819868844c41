//! C1 and C2 over real HTTP: what is announced is committed, and what is read is whole.
#![allow(clippy::unwrap_used, clippy::panic)]

mod support;

use serde_json::{Value, json};
use support::{End, World, options, text};
use threadfold::json;
use threadfold::source::threadfold::{Accepted, Frame, Outcome, Refused};
use threadfold::thread::{Page, Record, RunState};
use threadfold_host::server::Options;

async fn refusal(response: reqwest::Response, status: u16) -> String {
    assert_eq!(response.status(), status);
    assert_eq!(response.headers()["content-type"], "application/json");
    let refused: Refused = json::read(&response.text().await.unwrap()).unwrap();
    assert!(!refused.error.message.is_empty());
    refused.error.code
}

async fn accepted(response: reqwest::Response) -> Accepted {
    assert_eq!(response.status(), 202);
    json::read(&response.text().await.unwrap()).unwrap()
}

#[tokio::test]
async fn one_run_goes_from_a_post_to_the_stream_to_the_log() {
    let world = World::new().await;
    world.hold("t", 0).await;
    let accepted = world.send("t", "/plain").await;
    assert_eq!((accepted.message_id.as_str(), accepted.seq), ("m-k", Some(0)));
    world.held("t").await;
    let mut live = world.live("t", "").await;
    world.release("t").await;
    let mut frames = live.until_rest().await;
    frames.push(live.next().await.unwrap());
    let Frame::Opened(opened) = &frames[0] else { panic!() };
    assert_eq!((opened.frontier, opened.active.as_ref().unwrap().next), (Some(1), 0));
    let mut said = String::new();
    for (index, frame) in frames[1..frames.len() - 2].iter().enumerate() {
        let Frame::Delta(frame) = frame else { panic!("{frame:?}") };
        assert_eq!((frame.index, frame.revision), (index as u64, opened.revision + 1 + index as u64));
        said.push_str(text(&frame.delta));
    }
    let [.., Frame::Committed(committed), Frame::End(end)] = &frames[..] else { panic!() };
    assert_eq!(committed.frontier, Some(3));
    assert_eq!(end.outcome, Outcome::Committed { seq: 2 });
    assert_eq!(committed.records.as_ref().unwrap(), &world.records("t").await[2..]);
    assert_eq!(
        world.log("t").await,
        [
            "0 m-k \"/plain\"".to_owned(),
            "1 \"Running\"".to_owned(),
            format!("2 R-assistant-0@0.0 {said:?}"),
            "3 {\"Ended\":\"NaturalEnd\"}".to_owned(),
        ]
    );
    assert!(matches!(world.rested("t", accepted.run_id.as_str()).await.state, RunState::Ended(_)));
}

#[tokio::test]
async fn clients_that_join_at_any_moment_all_end_with_the_same_text() {
    let world = World::new().await;
    world.hold("t", 0).await;
    let accepted = world.send("t", "/plain").await;
    let mut lives = Vec::new();
    for _ in 0..6 {
        let seen = world.held("t").await;
        let mut live = world.live("t", "").await;
        let Some(Frame::Opened(opened)) = live.next().await else { panic!() };
        let baseline: String = opened.active.as_ref().unwrap().deltas.iter().map(text).collect();
        // What `opened` shows is what was sent at that moment, before anything of it is committed.
        assert_eq!(baseline, seen["text"].as_str().unwrap());
        assert_eq!(opened.active.as_ref().unwrap().next, seen["count"].as_u64().unwrap());
        lives.push((live, baseline, opened.active.unwrap().next));
        world.hold("t", 7).await;
    }
    world.release("t").await;
    world.rested("t", accepted.run_id.as_str()).await;
    let Record::Message(row) = &world.records("t").await[2] else { panic!() };
    let whole = support::blocks_text(&row.message);
    for (mut live, mut said, mut next) in lives {
        for frame in live.until_rest().await {
            if let Frame::Delta(frame) = frame {
                assert_eq!(frame.index, next);
                next += 1;
                said.push_str(text(&frame.delta));
            }
        }
        assert_eq!(said, whole);
    }
}

#[tokio::test]
async fn no_page_and_no_announcement_splits_a_commit() {
    let world = World::new().await;
    world.story("t", "/tools").await;
    let run = awaiting(&world, "/approve", "k2").await;
    let denial = json!({ "correlation_id": "call-mail", "idempotency_key": "d", "approve": false });
    world.resume("t", &run, &denial).await;
    world.rested("t", &run).await;
    let all = world.records("t").await;
    let last = all.last().unwrap().seq();
    // The first rows of the commits, as the file says, which the host does not send.
    let starts = commit_starts(&world);
    assert!(starts.len() >= 9, "{starts:?}");
    for limit in 1..=5 {
        let mut read: Vec<Record> = Vec::new();
        let mut after = -1;
        loop {
            let page = world.page("t", &format!("?after={after}&limit={limit}")).await;
            assert_eq!(page.frontier, Some(last));
            let more = page.has_more;
            read.extend(page.into_records::<Record>());
            after = i64::try_from(read.last().unwrap().seq()).unwrap();
            assert!(!more || starts.contains(&(after + 1)), "limit {limit} stops at {after}");
            if !more {
                break;
            }
        }
        assert_eq!(read, all);
        let mut read: Vec<Record> = Vec::new();
        let mut before = i64::try_from(last).unwrap() + 1;
        loop {
            let page = world.page("t", &format!("?before={before}&limit={limit}")).await;
            let more = page.has_more;
            let mut rows: Vec<Record> = page.into_records();
            before = i64::try_from(rows[0].seq()).unwrap();
            assert!(starts.contains(&before), "limit {limit} starts at {before}");
            rows.extend(read);
            read = rows;
            if !more {
                break;
            }
        }
        assert_eq!(read, all);
    }
}

fn commit_starts(world: &World) -> Vec<i64> {
    let db = rusqlite::Connection::open(world.db()).unwrap();
    let mut statement = db.prepare("SELECT DISTINCT commit_seq FROM records ORDER BY 1").unwrap();
    statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
}

async fn awaiting(world: &World, said: &str, key: &str) -> String {
    let run = accepted(world.send_with("t", said, key, json!({})).await).await.run_id;
    assert_eq!(world.rested("t", run.as_str()).await.state, RunState::Awaiting);
    run.to_string()
}

#[tokio::test]
async fn the_file_holds_what_the_wire_says_for_a_reader_without_this_code() {
    let world = World::new().await;
    world.story("t", "/tools").await;
    let db = rusqlite::Connection::open(world.db()).unwrap();
    let mut statement =
        db.prepare("SELECT seq, time, run_id, kind, step, response, body FROM records ORDER BY seq").unwrap();
    let stored: Vec<Value> = statement
        .query_map([], |row| {
            let body: Value = serde_json::from_str(&row.get::<_, String>(6)?).unwrap();
            let mut wire =
                json!({ "seq": row.get::<_, i64>(0)?, "time": row.get::<_, i64>(1)?, "run_id": row.get::<_, String>(2)? });
            if row.get::<_, String>(3)? == "message" {
                wire["message"] = body;
                if let Some(step) = row.get::<_, Option<i64>>(4)? {
                    wire["step"] = step.into();
                    wire["response"] = row.get::<_, Option<i64>>(5)?.into();
                }
            } else {
                wire.as_object_mut().unwrap().extend(body.as_object().unwrap().clone());
            }
            Ok(wire)
        })
        .unwrap()
        .collect::<Result<_, _>>()
        .unwrap();
    let served: Vec<Value> =
        world.records("t").await.iter().map(|record| serde_json::from_str(&json::write(record)).unwrap()).collect();
    assert_eq!(stored, served);
}

#[tokio::test]
async fn a_page_of_an_epoch_is_cacheable_and_one_of_an_epoch_that_is_over_is_refused() {
    let world = World::new().await;
    world.story("t", "/plain").await;
    let page = world.page("t", "").await;
    let plain = world.get("t", "committed").send().await.unwrap();
    assert!(plain.headers().get("etag").is_none());
    assert_eq!(plain.headers()["cache-control"], "no-store");
    let query = format!("committed?epoch={}", page.epoch);
    let first = world.get("t", &query).send().await.unwrap();
    assert_eq!(first.headers()["cache-control"], "private, no-cache");
    let tag = first.headers()["etag"].clone();
    let again = world.get("t", &query).header("if-none-match", &tag).send().await.unwrap();
    assert_eq!(again.status(), 304);
    let run = accepted(world.send_with("t", "/plain", "k2", json!({})).await).await.run_id;
    world.rested("t", run.as_str()).await;
    assert_eq!(world.get("t", &query).header("if-none-match", &tag).send().await.unwrap().status(), 200);
    world.admin("threads/t/epoch", &json!({})).await;
    assert_eq!(refusal(world.get("t", &query).send().await.unwrap(), 409).await, "epoch_over");
    assert_ne!(world.page("t", "").await.epoch, page.epoch);
}

#[tokio::test]
async fn a_new_epoch_ends_the_streams_and_its_log_may_be_shorter() {
    let world = World::new().await;
    world.story("t", "/plain").await;
    let mut live = world.live("t", "").await;
    let Some(Frame::Opened(before)) = live.next().await else { panic!() };
    assert_eq!(before.frontier, Some(3));
    world.admin("threads/t/epoch", &json!({ "lose_commits": 1 })).await;
    let frames = live.all().await;
    assert!(matches!(&frames[..], [Frame::Bye(bye)] if bye.reason == "epoch"), "{frames:?}");
    assert_eq!(live.end, Some(End::Clean));
    let Some(Frame::Opened(after)) = world.live("t", "").await.next().await else { panic!() };
    assert_eq!(after.frontier, Some(1));
    assert_ne!(after.epoch, before.epoch);
    assert_eq!(world.log("t").await.len(), 2);
}

#[tokio::test]
async fn every_refusal_has_a_code_and_a_sentence() {
    let world = World::new().await;
    world.story("t", "/plain").await;
    for (path, status, code) in [
        ("/v1/threads/none/committed", 404, "not_found"),
        ("/v1/threads/none/live", 404, "not_found"),
        ("/v1/threads/none/audit", 404, "not_found"),
        ("/v1/threads/t/runs/none", 404, "not_found"),
        ("/v1/threads/t/nothing", 404, "not_found"),
        ("/v1/threads/t/committed?after=x", 400, "bad_parameter"),
        ("/v1/threads/t/committed?after=-2", 400, "bad_parameter"),
        ("/v1/threads/t/committed?before=-1", 400, "bad_parameter"),
        ("/v1/threads/t/committed?after=1&before=2", 400, "bad_parameter"),
        ("/v1/threads/t/committed?limit=0", 400, "bad_parameter"),
        ("/v1/threads/t/live?fault=lightning", 400, "bad_fault"),
        ("/v1/threads/t%00/committed", 400, "bad_thread"),
        ("/v1/threads/t/runs", 405, "method_not_allowed"),
    ] {
        let response = world.client.get(format!("{}{path}", world.base())).send().await.unwrap();
        assert_eq!(refusal(response, status).await, code, "{path}");
    }
    for (body, code) in [
        (json!({}), "json_missing_key"),
        (json!([1]), "json_syntax"),
        (
            json!({ "input": { "message_id": "", "content": [{ "type": "text", "text": "a" }] }, "idempotency_key": "x" }),
            "bad_input",
        ),
        (json!({ "input": { "message_id": "m", "content": [] }, "idempotency_key": "x" }), "bad_input"),
        (
            json!({ "input": { "message_id": "m", "content": [{ "type": "text", "text": "a" }] }, "idempotency_key": "x",
            "on_active": "explode" }),
            "json_unknown_tag",
        ),
    ] {
        let response = world.post("new", "runs", &body).send().await.unwrap();
        assert_eq!(refusal(response, 400).await, code, "{body}");
    }
    // A refused send has not made the thread.
    assert_eq!(world.get("new", "committed").send().await.unwrap().status(), 404);
}

#[tokio::test]
async fn a_body_must_be_json_and_small() {
    let world = World::new().await;
    let url = world.url("t", "runs");
    let form = world.client.post(&url).header("content-type", "text/plain").body("{}").send().await.unwrap();
    assert_eq!(refusal(form, 415).await, "not_json");
    let large = "x".repeat((1 << 20) + 1);
    let large = world.client.post(&url).header("content-type", "application/json").body(large).send().await.unwrap();
    assert_eq!(refusal(large, 413).await, "body_too_large");
}

#[tokio::test]
async fn a_send_may_be_repeated_and_its_key_serves_no_other() {
    let mut world = World::new().await;
    let first = accepted(world.send_with("t", "/plain", "k", json!({})).await).await;
    let again = accepted(world.send_with("t", "/plain", "k", json!({})).await).await;
    assert_eq!(again, first);
    world.rested("t", first.run_id.as_str()).await;
    world.host.take().unwrap().stop().await;
    world.start().await;
    assert_eq!(accepted(world.send_with("t", "/plain", "k", json!({})).await).await, first);
    assert_eq!(world.records("t").await.len(), 4);
    let other = world.send_with("t", "/reason", "k", json!({})).await;
    assert_eq!(refusal(other, 409).await, "idempotency_key_reused");
}

#[tokio::test]
async fn an_active_run_refuses_queues_or_gives_way() {
    let world = World::new().await;
    world.hold("t", 3).await;
    let first = world.send("t", "/plain").await.run_id;
    let seen = world.held("t").await;
    assert_eq!(refusal(world.send_with("t", "/plain", "a", json!({})).await, 409).await, "run_active");
    let queued = accepted(world.send_with("t", "/steer", "b", json!({ "on_active": "queue" })).await).await;
    assert_eq!(queued.seq, None);
    let cancelled = accepted(world.send_with("t", "/stop", "c", json!({ "on_active": "queue" })).await).await;
    world.cancel("t", cancelled.run_id.as_str()).await;
    let urgent = accepted(world.send_with("t", "/pause", "d", json!({ "on_active": "cancel" })).await).await;
    world.release("t").await;
    assert_eq!(world.rested("t", urgent.run_id.as_str()).await.state, RunState::Awaiting);
    let resume = json!({ "correlation_id": "pause", "idempotency_key": "e" });
    assert_eq!(world.resume("t", urgent.run_id.as_str(), &resume).await.status(), 202);
    world.rested("t", cancelled.run_id.as_str()).await;
    assert_eq!(
        world.log("t").await,
        [
            "0 m-k \"/plain\"",
            "1 \"Running\"",
            &format!("2 R-assistant-0@0.0 {:?}", seen["text"].as_str().unwrap()),
            "3 {\"Ended\":\"Cancelled\"}",
            "4 m-d \"/pause\"",
            "5 \"Running\"",
            "6 R-assistant-0@0.0 \"I have a plan with three parts. I rest here until you tell me to go on.\"",
            "7 \"Awaiting\" {\"target\":{\"Pause\":\"Manual\"}}",
            "8 \"Running\"",
            "9 R-assistant-1@1.0 \"Thank you. I went on, and the three parts are done.\"",
            "10 {\"Ended\":\"NaturalEnd\"}",
            "11 m-b \"/steer\"",
            "12 \"Running\"",
            "13 R-assistant-0@0.0 \"I think that the answer is forty-one.\"",
            "14 R-steer-0 \"Check the arithmetic before you answer.\"",
            "15 R-assistant-1@1.0 \"I checked it: the answer is forty-two.\"",
            "16 {\"Ended\":\"NaturalEnd\"}",
            "17 m-c \"/stop\"",
            "18 \"Running\"",
            "19 {\"Ended\":\"Cancelled\"}",
        ]
    );
    // The repeated command says where its message went meanwhile.
    let again = accepted(world.send_with("t", "/steer", "b", json!({ "on_active": "queue" })).await).await;
    assert_eq!((again.run_id, again.seq), (queued.run_id, Some(11)));
    assert_ne!(first, urgent.run_id);
}

#[tokio::test]
async fn the_first_answer_to_a_ticket_wins() {
    let world = World::new().await;
    let run = awaiting(&world, "/approve", "k").await;
    let approve =
        |key: &str, approve: bool| json!({ "correlation_id": "call-mail", "idempotency_key": key, "approve": approve });
    let wrong = json!({ "correlation_id": "call-mail", "idempotency_key": "w", "content": [] });
    assert_eq!(refusal(world.resume("t", &run, &wrong).await, 400).await, "wrong_answer");
    let other = json!({ "correlation_id": "call-other", "idempotency_key": "w", "approve": true });
    assert_eq!(refusal(world.resume("t", &run, &other).await, 409).await, "already_resolved");
    let first = world.resume("t", &run, &approve("a", true)).await;
    assert_eq!(first.status(), 202);
    let first = first.text().await.unwrap();
    assert_eq!(refusal(world.resume("t", &run, &approve("b", false)).await, 409).await, "already_resolved");
    world.rested("t", &run).await;
    // The same command again gets the same answer, even now that the run is over.
    assert_eq!(world.resume("t", &run, &approve("a", true)).await.text().await.unwrap(), first);
    assert_eq!(world.log("t").await.iter().filter(|line| line.contains("tool-call-mail")).count(), 1);
    assert_eq!(refusal(world.resume("t", "none", &approve("c", true)).await, 404).await, "not_found");
}

#[tokio::test]
async fn after_a_restart_what_ran_is_indeterminate_and_what_waited_still_waits() {
    let mut world = World::new().await;
    let waiting = awaiting(&world, "/approve", "k").await;
    world.hold("u", 4).await;
    let running = world.send("u", "/plain").await.run_id;
    world.held("u").await;
    accepted(world.send_with("u", "/stop", "q", json!({ "on_active": "queue" })).await).await;
    // Nothing is settled on the way down, as with kill -9.
    drop(world.host.take());
    world.start().await;
    assert_eq!(json::write(&world.rested("u", running.as_str()).await.state), r#"{"Ended":"Indeterminate"}"#);
    let Some(Frame::Opened(opened)) = world.live("t", "").await.next().await else { panic!() };
    assert_eq!((opened.revision, opened.active), (0, None));
    let approve = json!({ "correlation_id": "call-mail", "idempotency_key": "a", "approve": true });
    assert_eq!(world.resume("t", &waiting, &approve).await.status(), 202);
    assert_eq!(json::write(&world.rested("t", &waiting).await.state), r#"{"Ended":"NaturalEnd"}"#);
    assert!(world.log("t").await[5].contains("sent to ada@example.org"));
    // What was queued has begun.
    let queued = world.log("u").await;
    assert_eq!(queued[3], "3 m-q \"/stop\"");
}

#[tokio::test]
async fn a_run_ends_without_any_client() {
    let world = World::new().await;
    world.hold("t", 2).await;
    let run = world.send("t", "/plain").await.run_id;
    world.held("t").await;
    let mut live = world.live("t", "").await;
    live.next().await.unwrap();
    drop(live);
    world.release("t").await;
    assert!(matches!(world.rested("t", run.as_str()).await.state, RunState::Ended(_)));
}

#[tokio::test]
async fn a_ping_tells_frontier_and_revision_and_a_stop_says_bye() {
    let mut world = World::new().await;
    world.story("t", "/plain").await;
    let mut live = world.live("t", "").await;
    let Some(Frame::Opened(opened)) = live.next().await else { panic!() };
    world.admin("threads/t/ping", &json!({})).await;
    let Some(Frame::Ping(ping)) = live.next().await else { panic!() };
    assert_eq!((ping.epoch, ping.frontier, ping.revision), (opened.epoch, Some(3), opened.revision));
    world.host.take().unwrap().stop().await;
    let frames = live.all().await;
    assert!(matches!(&frames[..], [Frame::Bye(bye)] if bye.reason == "shutdown"), "{frames:?}");
}

#[tokio::test]
async fn pings_come_by_themselves() {
    let ping = std::time::Duration::from_millis(10);
    let world = World::with(Options { ping, ..options() }).await;
    world.story("t", "/plain").await;
    let mut live = world.live("t", "").await;
    live.next().await.unwrap();
    for _ in 0..3 {
        assert!(matches!(live.next().await, Some(Frame::Ping(_))));
    }
}

#[tokio::test]
async fn a_client_that_lags_is_told_to_come_again_and_the_run_does_not_wait_for_it() {
    let mut options = options();
    options.limits.queue = 8;
    let world = World::with(options).await;
    world.hold("t", 0).await;
    let run = world.send("t", "/long 4000 4000").await.run_id;
    world.held("t").await;
    let mut live = world.live("t", "").await;
    world.release("t").await;
    // The client reads nothing while the host sends far more than the sockets hold.
    assert!(matches!(world.rested("t", run.as_str()).await.state, RunState::Ended(_)));
    let frames = live.all().await;
    assert!(matches!(frames.last(), Some(Frame::Bye(bye)) if bye.reason == "lagging"), "{:?}", frames.last());
    assert!(frames.len() < 4000);
    assert_eq!(live.end, Some(End::Clean));
}

#[tokio::test]
async fn the_audit_lists_what_happened_to_runs() {
    let world = World::new().await;
    world.story("t", "/steer").await;
    let text = world.get("t", "audit").send().await.unwrap().text().await.unwrap();
    let audit: Value = serde_json::from_str(&text).unwrap();
    let kinds: Vec<&str> =
        audit["records"].as_array().unwrap().iter().map(|record| record["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["run_started", "continuation", "run_finished"]);
    assert_eq!(audit["records"][1]["position"], json!({ "seq": 3, "index": 1 }));
    assert_eq!(audit["records"][2]["payload"]["cause"], "natural_end");
}

#[tokio::test]
async fn a_page_says_which_contract_thread_and_epoch_it_is_of() {
    let world = World::new().await;
    world.story("t", "/plain").await;
    let page: Page = world.page("t", "?after=3").await;
    assert_eq!((page.contract.as_str(), page.thread_id.as_str()), ("threadfold/1", "t"));
    assert_eq!((page.frontier, page.has_more, page.messages.len(), page.runs.len()), (Some(3), false, 0, 0));
}

#[tokio::test]
async fn a_store_that_fails_is_a_503_that_says_when_to_come_again() {
    let world = World::new().await;
    world.story("t", "/plain").await;
    let db = rusqlite::Connection::open(world.db()).unwrap();
    db.execute_batch("ALTER TABLE commands RENAME TO gone").unwrap();
    let response = world.send_with("t", "/plain", "k2", json!({})).await;
    assert_eq!(response.headers()["retry-after"], "1");
    assert_eq!(refusal(response, 503).await, "store_unavailable");
    db.execute_batch("ALTER TABLE gone RENAME TO commands").unwrap();
    accepted(world.send_with("t", "/plain", "k2", json!({})).await).await;
}

#[tokio::test]
async fn a_run_whose_commit_fails_is_not_announced() {
    let world = World::new().await;
    world.hold("t", 3).await;
    let run = world.send("t", "/plain").await.run_id;
    world.held("t").await;
    let mut live = world.live("t", "").await;
    live.next().await.unwrap();
    let db = rusqlite::Connection::open(world.db()).unwrap();
    let refuse = "CREATE TRIGGER refuse BEFORE INSERT ON records WHEN NEW.kind = 'message'
                  BEGIN SELECT RAISE(ABORT, 'the disk is full'); END";
    db.execute_batch(refuse).unwrap();
    world.release("t").await;
    let row = world.rested("t", run.as_str()).await;
    assert!(json::write(&row.state).contains(r#"{"Error":{"Inference":{"code":"store_unavailable""#));
    let frames = live.until_rest().await;
    assert!(frames.iter().any(|frame| matches!(frame, Frame::End(end) if end.outcome == Outcome::Abandoned {})));
    assert_eq!(world.records("t").await.len(), 3);
}

#[tokio::test]
async fn fifty_clients_of_one_thread_see_the_same_frames() {
    let world = World::new().await;
    world.hold("t", 0).await;
    world.send("t", "/tools").await;
    world.held("t").await;
    let mut lives = Vec::new();
    for _ in 0..50 {
        lives.push(world.live("t", "").await);
    }
    world.release("t").await;
    let first = lives.pop().unwrap().until_rest().await;
    for mut live in lives {
        assert_eq!(live.until_rest().await, first);
    }
}

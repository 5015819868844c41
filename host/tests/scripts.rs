//! Every scripted path, as it stands in the log.
#![allow(clippy::unwrap_used, clippy::panic)]

mod support;

use serde_json::{Value, json};
use support::{World, line, text};
use threadfold::event::Delta;
use threadfold::source::threadfold::{Frame, Outcome};
use threadfold::thread::{Record, RunState};

const PLAIN: &str = "A log is a promise: what was written stays written, in order, and everyone who reads it reads \
    the same. A stream is a rumour: quick, useful, and gone when the wire is cut. Show the rumour while it lasts, and \
    keep the promise when it comes.";

/// The log of one run must be these lines.
async fn check(said: &str, expected: &[&str]) {
    let world = World::new().await;
    let story = world.story("t", said).await;
    assert_eq!(story[0], format!("0 m-k {said:?}"));
    assert_eq!(story[1], "1 \"Running\"");
    assert_eq!(&story[2..], expected);
}

#[tokio::test]
async fn a_plain_answer() {
    check("/plain", &[&format!("2 R-assistant-0@0.0 {PLAIN:?}"), r#"3 {"Ended":"NaturalEnd"}"#]).await;
}

#[tokio::test]
async fn any_other_text_gets_an_answer_that_speaks_of_it() {
    let world = World::new().await;
    let story = world.story("t", "What is a \"quorum\"?").await;
    assert!(story[2].contains(r#"You said: “What is a \"quorum\"?”"#), "{}", story[2]);
}

#[tokio::test]
async fn reasoning_comes_before_text() {
    let world = World::new().await;
    let story = world.story("t", "/reason").await;
    assert!(story[2].starts_with(r#"2 R-assistant-0@0.0 think "Two trains"#), "{}", story[2]);
    assert!(story[2].ends_with(r#"" "The second train arrives first: it needs 40 minutes, the first one 45.""#));
    assert_eq!(story[3], r#"3 {"Ended":"NaturalEnd"}"#);
}

#[tokio::test]
async fn two_parallel_tools_with_interleaved_arguments() {
    let weather = r#""{\"celsius\":24,\"city\":\"Kyoto\",\"sky\":\"light rain\"}""#;
    let people = r#""{\"city\":\"Reykjavík\",\"population\":1151252}""#;
    let sum = "Here is what the two tools say.\n\n- Kyoto: {\"celsius\":24,\"city\":\"Kyoto\",\"sky\":\"light rain\"}\n\
         - Reykjavík: {\"city\":\"Reykjavík\",\"population\":1151252}";
    check(
        "/tools",
        &[
            "2 R-assistant-0@0.0 \"I will look up both at once.\" \
             call call-weather get_weather{\"city\":\"Kyoto\",\"units\":\"celsius\"} \
             call call-people get_population{\"city\":\"Reykjavík\",\"year\":2026}",
            &format!("3 tool-call-weather result call-weather {weather}"),
            &format!("4 tool-call-people result call-people {people}"),
            &format!("5 R-assistant-1@1.0 {sum:?}"),
            r#"6 {"Ended":"NaturalEnd"}"#,
        ],
    )
    .await;
}

#[tokio::test]
async fn tool_arguments_are_streamed_in_turns_and_join_to_the_input() {
    let world = World::new().await;
    world.hold("t", 0).await;
    world.send("t", "/tools").await;
    let mut live = world.live("t", "").await;
    world.release("t").await;
    let mut turns: Vec<(String, String)> = Vec::new();
    for frame in live.until_rest().await {
        if let Frame::Delta(frame) = frame
            && let Delta::ToolCallDelta { id, args_delta, .. } = frame.delta
        {
            turns.push((id.as_str().to_owned(), args_delta.text));
        }
    }
    let order: Vec<&str> = turns.iter().take(4).map(|(id, _)| id.as_str()).collect();
    assert_eq!(order, ["call-weather", "call-people", "call-weather", "call-people"]);
    let joined: String = turns.iter().filter(|(id, _)| id == "call-weather").map(|(_, args)| args.as_str()).collect();
    assert_eq!(joined, r#"{"city":"Kyoto","units":"celsius"}"#);
}

async fn awaiting(world: &World, said: &str) -> String {
    let accepted = world.send("t", said).await;
    assert_eq!(world.rested("t", accepted.run_id.as_str()).await.state, RunState::Awaiting);
    accepted.run_id.to_string()
}

async fn resumed(world: &World, run: &str, body: Value) -> Vec<String> {
    let before = world.records("t").await.len();
    assert_eq!(world.resume("t", run, &body).await.status(), 202);
    world.rested("t", run).await;
    world.records("t").await[before..].iter().map(line).collect()
}

#[tokio::test]
async fn an_approval_lets_the_tool_run() {
    let world = World::new().await;
    let run = awaiting(&world, "/approve").await;
    let input = r#"{"to":"ada@example.org","subject":"The engine is ready"}"#;
    assert_eq!(
        world.log("t").await[2..],
        [
            format!("2 R-assistant-0@0.0 \"I have written the mail. May I send it?\" call call-mail send_email{input}"),
            format!(
                "3 \"Awaiting\" {{\"target\":{{\"ToolCall\":{{\"reason\":\"Permission\",\"call_id\":\"call-mail\",\
                 \"tool\":{{\"tool_id\":\"send_email\",\"arguments\":{input}}}}}}}}}"
            ),
        ]
    );
    assert_eq!(
        resumed(&world, &run, json!({ "correlation_id": "call-mail", "idempotency_key": "a", "approve": true })).await,
        [
            "4 \"Running\"",
            "5 tool-call-mail result call-mail \"sent to ada@example.org\"",
            "6 R-assistant-1@1.0 \"Done: the mail was sent to ada@example.org.\"",
            "7 {\"Ended\":\"NaturalEnd\"}",
        ]
    );
}

#[tokio::test]
async fn a_denial_is_an_error_result_and_the_run_goes_on() {
    let world = World::new().await;
    let run = awaiting(&world, "/approve").await;
    let denial =
        json!({ "correlation_id": "call-mail", "idempotency_key": "a", "approve": false, "reason": "not today" });
    assert_eq!(
        resumed(&world, &run, denial).await,
        [
            "4 tool-call-mail error call-mail \"denied: not today\"",
            "5 \"Running\"",
            "6 R-assistant-1@1.0 \"As you wish: I did not send the mail.\"",
            "7 {\"Ended\":\"NaturalEnd\"}",
        ]
    );
}

#[tokio::test]
async fn a_client_tool_is_answered_by_the_client() {
    let world = World::new().await;
    let run = awaiting(&world, "/client-tool").await;
    assert!(world.log("t").await[3].contains(r#""reason":"ClientExecution","call_id":"call-color""#));
    let answer = json!({ "correlation_id": "call-color", "idempotency_key": "a",
        "content": [{ "type": "text", "text": "teal" }], "is_error": false });
    assert_eq!(
        resumed(&world, &run, answer).await,
        [
            "4 tool-call-color result call-color \"teal\"",
            "5 \"Running\"",
            "6 R-assistant-1@1.0 \"The title is teal now.\"",
            "7 {\"Ended\":\"NaturalEnd\"}",
        ]
    );
}

#[tokio::test]
async fn a_pause_and_a_second_one_after_the_resume() {
    let world = World::new().await;
    let run = awaiting(&world, "/two-pauses").await;
    assert_eq!(world.log("t").await[3], r#"3 "Awaiting" {"target":{"Pause":"Manual"}}"#);
    assert_eq!(
        resumed(&world, &run, json!({ "correlation_id": "pause", "idempotency_key": "a" })).await,
        [
            "4 \"Running\"",
            "5 R-assistant-1@1.0 \"Second half. I rest once more.\"",
            r#"6 "Awaiting" {"target":{"Pause":"BudgetReached"}}"#,
        ]
    );
    assert_eq!(
        resumed(&world, &run, json!({ "correlation_id": "pause", "idempotency_key": "b" })).await,
        ["7 \"Running\"", "8 R-assistant-2@2.0 \"Both rests are over, and so am I.\"", r#"9 {"Ended":"NaturalEnd"}"#,]
    );
}

#[tokio::test]
async fn the_token_limit_leaves_cut_responses_and_continuations() {
    check(
        "/length",
        &[
            "2 R-assistant-0-truncated-0@0.0 \"The story begins on a quay, at night, where a boat with no name\"",
            "3 R-continuation-0-0 \"Go on where you stopped.\"",
            "4 R-assistant-0-truncated-1@0.1 \" waits for a captain who has forgotten why she\"",
            "5 R-continuation-0-1 \"Go on where you stopped.\"",
            "6 R-assistant-0@0.2 \" came. She goes aboard all the same, and the boat remembers.\"",
            r#"7 {"Ended":"NaturalEnd"}"#,
        ],
    )
    .await;
}

#[tokio::test]
async fn a_guard_steers_and_a_guard_stops() {
    check(
        "/steer",
        &[
            "2 R-assistant-0@0.0 \"I think that the answer is forty-one.\"",
            "3 R-steer-0 \"Check the arithmetic before you answer.\"",
            "4 R-assistant-1@1.0 \"I checked it: the answer is forty-two.\"",
            r#"5 {"Ended":"NaturalEnd"}"#,
        ],
    )
    .await;
    check("/stop", &["2 R-assistant-0@0.0 \"I should not go on from here.\"", r#"3 {"Ended":{"Stopped":"policy"}}"#])
        .await;
}

/// The ends of a run's attempts, in order, each with how many Deltas it had.
async fn ends(said: &str) -> (World, Vec<(u64, Outcome)>) {
    let world = World::new().await;
    world.hold("t", 0).await;
    world.send("t", said).await;
    let mut live = world.live("t", "").await;
    world.release("t").await;
    let mut frames = live.until_rest().await;
    frames.extend(live.within(std::time::Duration::from_millis(200)).await);
    let ends = frames.into_iter().filter_map(|frame| match frame {
        Frame::End(end) => Some((end.index, end.outcome)),
        _ => None,
    });
    (world, ends.collect())
}

#[tokio::test]
async fn a_failed_attempt_is_abandoned_and_the_next_one_of_the_same_step_commits() {
    for (said, text) in [
        ("/fail-before", "The first attempt failed before it said a word. This is the second."),
        ("/fail-mid", "The first attempt broke off in the middle. This is the second, and it is whole."),
    ] {
        check(said, &[&format!("2 R-assistant-0@0.0 {text:?}"), r#"3 {"Ended":"NaturalEnd"}"#]).await;
    }
    let (_, ends) = ends("/fail-mid").await;
    assert_eq!(ends.len(), 2);
    assert!(matches!(&ends[0], (1.., Outcome::Abandoned {})), "{ends:?}");
    assert!(matches!(&ends[1], (1.., Outcome::Committed { seq: 2 })), "{ends:?}");
}

#[tokio::test]
async fn a_run_whose_attempts_all_fail_ends_in_an_error() {
    let error = r#"2 {"Ended":{"Error":{"Inference":{"code":"upstream_unavailable","message":"the model stopped in the middle of its answer"}}}}"#;
    check("/fail", &[error]).await;
    let (_, ends) = ends("/fail").await;
    assert_eq!(ends.iter().filter(|(_, outcome)| *outcome == Outcome::Abandoned {}).count(), 3);
}

#[tokio::test]
async fn the_step_limit_ends_a_run() {
    let world = World::new().await;
    let story = world.story("t", "/max-steps").await;
    assert_eq!(story.last().unwrap(), r#"18 {"Ended":"MaxSteps"}"#);
    assert_eq!(story.iter().filter(|line| line.contains("-assistant-")).count(), 8);
}

#[tokio::test]
async fn ten_thousand_deltas_arrive_in_order_and_are_one_message() {
    let world = World::new().await;
    world.hold("t", 0).await;
    let accepted = world.send("t", "/long").await;
    let mut live = world.live("t", "").await;
    world.release("t").await;
    let frames = live.until_rest().await;
    let said: String = frames
        .iter()
        .filter_map(|frame| match frame {
            Frame::Delta(frame) => Some(text(&frame.delta)),
            _ => None,
        })
        .collect();
    assert_eq!(frames.iter().filter(|frame| matches!(frame, Frame::Delta(_))).count(), 10_000);
    world.rested("t", accepted.run_id.as_str()).await;
    assert_eq!(world.log("t").await[2], format!("2 R-assistant-0@0.0 {said:?}"));
    assert!(said.starts_with("0 1 2 3 ") && said.ends_with(" 9998 9999 "));
}

#[tokio::test]
async fn emoji_are_cut_in_half_on_the_wire_and_whole_in_the_log() {
    let world = World::new().await;
    world.hold("t", 0).await;
    world.send("t", "/unicode").await;
    let mut live = world.live("t", "").await;
    world.release("t").await;
    let halves = live
        .until_rest()
        .await
        .iter()
        .filter(|frame| {
            matches!(frame, Frame::Delta(frame)
            if matches!(&frame.delta, Delta::TextDelta { delta } if delta.lead.is_some() || delta.tail.is_some()))
        })
        .count();
    assert!(halves >= 4, "{halves}");
    let Record::Message(row) = &world.records("t").await[2] else { panic!() };
    let said = support::blocks_text(&row.message);
    for part in ["😀🎉👩‍👩‍👧‍👦🏳️‍🌈", "漢字とかな、한국어", "العربية", "עברית", "𝒳²⁰, 🇮🇸"]
    {
        assert!(said.contains(part), "{part} in {said}");
    }
    assert!(!said.contains('\u{FFFD}'));
}

#[tokio::test]
async fn an_empty_answer_still_settles_its_attempt() {
    check("/empty", &["2 R-assistant-0@0.0", r#"3 {"Ended":"NaturalEnd"}"#]).await;
}

#[tokio::test]
async fn help_names_every_command() {
    let world = World::new().await;
    let story = world.story("t", "/help").await;
    for word in ["/plain", "/tools", "/approve", "/client-tool", "/two-pauses", "/length", "/fail-mid", "/unicode"] {
        assert!(story[2].contains(&format!("`{word}`")), "{word}");
    }
}

#[tokio::test]
async fn cancelled_in_the_middle_the_text_that_was_seen_is_committed() {
    let world = World::new().await;
    world.hold("t", 5).await;
    let accepted = world.send("t", "/plain").await;
    let seen = world.held("t").await;
    world.cancel("t", accepted.run_id.as_str()).await;
    world.rested("t", accepted.run_id.as_str()).await;
    let seen = seen["text"].as_str().unwrap();
    assert!(PLAIN.starts_with(seen) && !seen.is_empty());
    assert_eq!(
        world.log("t").await[2..],
        [format!("2 R-assistant-0@0.0 {seen:?}"), r#"3 {"Ended":"Cancelled"}"#.to_owned()]
    );
}

#[tokio::test]
async fn cancelled_before_any_text_or_while_it_waits_only_the_end_is_committed() {
    let world = World::new().await;
    world.hold("t", 0).await;
    let accepted = world.send("t", "/plain").await;
    world.held("t").await;
    world.cancel("t", accepted.run_id.as_str()).await;
    world.rested("t", accepted.run_id.as_str()).await;
    assert_eq!(world.log("t").await[2..], [r#"2 {"Ended":"Cancelled"}"#]);
    world.release("t").await;
    let response = world.send_with("t", "/pause", "k2", json!({})).await;
    assert_eq!(response.status(), 202);
    let accepted: Value = serde_json::from_str(&response.text().await.unwrap()).unwrap();
    let run = accepted["run_id"].as_str().unwrap();
    assert_eq!(world.rested("t", run).await.state, RunState::Awaiting);
    world.cancel("t", run).await;
    assert_eq!(world.log("t").await.last().unwrap(), r#"7 {"Ended":"Cancelled"}"#);
    // Cancelling what is over changes nothing.
    world.cancel("t", run).await;
    assert_eq!(world.log("t").await.len(), 8);
}

//! Recorded answers of real models, through a loopback provider, the host and the log.
//!
//! What must be committed is worked out here from the recording alone, with another JSON reader.
#![allow(clippy::unwrap_used, clippy::panic)]

mod support;

use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use support::{World, options};
use threadfold::json;
use threadfold::source::threadfold::Accepted;
use threadfold::thread::{Block, Message, RunState};
use threadfold_host::provider::{OpenAi, Replay};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

const FOLLOW_UP: &str = "Thank you, that is all I need.";

/// What a recording says.
#[derive(Debug, Default, PartialEq)]
struct Recorded {
    text: String,
    reasoning: String,
    /// Name and arguments of each call.
    calls: Vec<(String, String)>,
    length: bool,
}

fn recorded(file: &Path) -> Recorded {
    let mut all = Recorded::default();
    let mut calls: Vec<(u64, String, String)> = Vec::new();
    for line in std::fs::read_to_string(file).unwrap().lines().filter(|line| !line.trim().is_empty()) {
        let chunk: Value = serde_json::from_str(line).unwrap();
        let choice = &chunk["choices"][0];
        let delta = &choice["delta"];
        all.length |= choice["finish_reason"] == "length";
        all.reasoning.push_str(delta["reasoning_content"].as_str().or(delta["reasoning"].as_str()).unwrap_or(""));
        match &delta["content"] {
            Value::String(text) => all.text.push_str(text),
            Value::Array(parts) => {
                for part in parts {
                    all.text.push_str(part["text"].as_str().unwrap_or(""));
                    for part in part["thinking"].as_array().unwrap_or(&Vec::new()) {
                        all.reasoning.push_str(part["text"].as_str().unwrap());
                    }
                }
            }
            _ => {}
        }
        for call in delta["tool_calls"].as_array().unwrap_or(&Vec::new()) {
            let index = call["index"].as_u64().unwrap();
            if !calls.iter().any(|(known, ..)| *known == index) {
                calls.push((index, String::new(), String::new()));
            }
            let known = calls.iter_mut().find(|(known, ..)| *known == index).unwrap();
            known.1.push_str(call["function"]["name"].as_str().unwrap_or(""));
            known.2.push_str(call["function"]["arguments"].as_str().unwrap_or(""));
        }
    }
    all.calls = calls.into_iter().map(|(_, name, args)| (name, args)).collect();
    all
}

fn committed(message: &Message) -> Recorded {
    let mut all = Recorded { length: message.id.as_str().contains("-truncated-"), ..Recorded::default() };
    for block in &message.content {
        match block {
            Block::Text { text } => all.text.push_str(text),
            Block::Thinking { text, .. } => all.reasoning.push_str(text),
            Block::ToolUse { name, input, .. } => all.calls.push((name.clone(), input.as_str().to_owned())),
            other => panic!("{other:?}"),
        }
    }
    all
}

fn fixtures() -> Vec<PathBuf> {
    recordings(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/fixtures/openai-chat"))
}

fn recordings(dir: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(dir) else { return Vec::new() };
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.unwrap().path())
        .filter(|file| file.extension().is_some_and(|extension| extension == "jsonl"))
        .collect();
    files.sort();
    files
}

/// One thread in which each turn is answered by the next file; the tools are the client's, and are answered.
async fn replay(files: &[PathBuf]) {
    let provider = Replay::start(files, Duration::ZERO).await.unwrap();
    let model = OpenAi::new(&provider.base, None, "recorded").unwrap();
    let world = World::of(options(), Arc::new(model)).await;
    for (turn, file) in files.iter().enumerate() {
        let expected = recorded(file);
        let sent = world.send_with("t", "go", &format!("k{turn}"), json!({})).await;
        let run = json::read::<Accepted>(&sent.text().await.unwrap()).unwrap().run_id;
        loop {
            let row = world.rested("t", run.as_str()).await;
            if row.state != RunState::Awaiting {
                assert_eq!(json::write(&row.state), r#"{"Ended":"NaturalEnd"}"#, "{file:?}");
                break;
            }
            let call = row.resume_ticket.unwrap().target.call_id().unwrap().to_string();
            let answer = json!({ "correlation_id": call, "idempotency_key": format!("a-{turn}-{}", row.seq),
                "content": [{ "type": "text", "text": "fine" }], "is_error": false });
            assert_eq!(world.resume("t", run.as_str(), &answer).await.status(), 202);
        }
        let messages: Vec<Message> = world
            .page("t", "?limit=1000")
            .await
            .messages
            .into_iter()
            .map(|row| row.message)
            .filter(|message| message.id.as_str().starts_with(&format!("{run}-assistant-")))
            .collect();
        assert_eq!(committed(&messages[0]), expected, "{file:?}");
        if expected.calls.is_empty() && !expected.length {
            assert_eq!(messages.len(), 1);
        } else {
            assert_eq!(support::blocks_text(&messages[1]), FOLLOW_UP);
        }
    }
}

#[tokio::test]
async fn the_recorded_answers_of_the_fixtures_are_committed_as_they_were_given() {
    let files = fixtures();
    assert_eq!(files.len(), 3);
    replay(&files).await;
}

/// A larger collection, where one lies beside the project.
#[tokio::test]
async fn every_recording_at_hand_is_committed_as_it_was_given() {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .map(|above| recordings(&above.join("shared/recordings/openai-chat")))
        .find(|files| !files.is_empty());
    replay(&shared.unwrap_or_else(fixtures)).await;
}

/// A provider that answers each request with the next of these.
async fn provider(answers: Vec<String>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}/v1", listener.local_addr().unwrap());
    tokio::spawn(async move {
        for answer in answers {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut request = Vec::new();
            let mut buffer = [0; 4096];
            // The request is small and comes whole before the answer matters.
            while !request.windows(4).any(|end| end == b"\r\n\r\n") {
                let read = stream.read(&mut buffer).await.unwrap();
                request.extend_from_slice(&buffer[..read]);
            }
            stream.write_all(answer.as_bytes()).await.unwrap();
            stream.shutdown().await.unwrap();
            while stream.read(&mut buffer).await.is_ok_and(|read| read > 0) {}
        }
    });
    base
}

fn answer(status: &str, media: &str, body: &str) -> String {
    format!("HTTP/1.1 {status}\r\ncontent-type: {media}\r\nconnection: close\r\n\r\n{body}")
}

fn chunk(text: &str, finish: &str) -> String {
    format!("data: {{\"choices\":[{{\"delta\":{{\"content\":\"{text}\"}},\"finish_reason\":{finish}}}]}}\n\n")
}

async fn story(answers: Vec<String>) -> Vec<String> {
    let base = provider(answers).await;
    let world = World::of(options(), Arc::new(OpenAi::new(&base, Some("key".to_owned()), "m").unwrap())).await;
    world.story("t", "go").await[2..].to_vec()
}

#[tokio::test]
async fn a_refusal_and_a_broken_stream_are_tried_again_in_the_same_step() {
    let answers = vec![
        answer("503 Service Unavailable", "text/plain", "busy"),
        answer("200 OK", "text/event-stream", &chunk("Half an ans", "null")),
        answer("200 OK", "text/event-stream", &(chunk("Whole.", "\"stop\"") + "data: [DONE]\n\n")),
    ];
    assert_eq!(story(answers).await, ["2 R-assistant-0@0.0 \"Whole.\"", r#"3 {"Ended":"NaturalEnd"}"#]);
}

#[tokio::test]
async fn a_provider_that_goes_on_failing_ends_the_run_with_its_words() {
    let refused = || answer("401 Unauthorized", "application/json", r#"{"error":{"message":"no such key"}}"#);
    let end = story(vec![refused(), refused(), refused()]).await;
    assert_eq!(end.len(), 1);
    assert!(end[0].starts_with(r#"2 {"Ended":{"Error":{"Inference":{"code":"provider_http_401""#), "{}", end[0]);
    assert!(end[0].contains("no such key"), "{}", end[0]);
    let html = || answer("200 OK", "text/html", "<html>\n\n");
    let end = story(vec![html(), html(), html()]).await;
    assert!(end[0].contains(r#""code":"stream_broken""#), "{}", end[0]);
    let base = "http://127.0.0.1:9/v1";
    let world = World::of(options(), Arc::new(OpenAi::new(base, None, "m").unwrap())).await;
    let end = world.story("t", "go").await;
    assert!(end[2].contains(r#""code":"provider_unreachable""#), "{}", end[2]);
}

#[tokio::test]
async fn continuations_after_a_token_limit_are_bounded() {
    let cut = || answer("200 OK", "text/event-stream", &chunk("More ", "\"length\""));
    let story = story(vec![cut(), cut(), cut(), cut()]).await;
    assert_eq!(story[0], "2 R-assistant-0-truncated-0@0.0 \"More \"");
    assert_eq!(story[story.len() - 2..], ["8 R-assistant-0-truncated-3@0.3 \"More \"", r#"9 {"Ended":"MaxSteps"}"#]);
}

#[tokio::test]
async fn tools_of_one_batch_are_run_allowed_and_asked_for_one_after_the_other() {
    let calls = [
        ("w", "get_weather", r#"{\"city\":\"Rome\"}"#),
        ("c", "pick_color", "{}"),
        ("e", "send_email", r#"{\"to\":\"x\"}"#),
    ];
    let pieces: Vec<String> = calls
        .iter()
        .enumerate()
        .map(|(index, (id, name, args))| {
            format!(r#"{{"index":{index},"id":"{id}","function":{{"name":"{name}","arguments":"{args}"}}}}"#)
        })
        .collect();
    let batch = format!(
        "data: {{\"choices\":[{{\"delta\":{{\"tool_calls\":[{}]}},\"finish_reason\":\"tool_calls\"}}]}}\n\n",
        pieces.join(",")
    );
    // The second batch uses the same id again: what was allowed once is not allowed for ever.
    let again = format!(
        "data: {{\"choices\":[{{\"delta\":{{\"tool_calls\":[{}]}},\"finish_reason\":\"tool_calls\"}}]}}\n\n",
        pieces[2]
    );
    let answers = vec![
        answer("200 OK", "text/event-stream", &batch),
        answer("200 OK", "text/event-stream", &again),
        answer("200 OK", "text/event-stream", &chunk("Done.", "\"stop\"")),
    ];
    let base = provider(answers).await;
    let world = World::of(options(), Arc::new(OpenAi::new(&base, None, "m").unwrap())).await;
    let run = world.send("t", "go").await.run_id.to_string();
    let mut states = Vec::new();
    for resume in [
        json!({ "correlation_id": "c", "idempotency_key": "1", "content": [{ "type": "text", "text": "red" }], "is_error": false }),
        json!({ "correlation_id": "e", "idempotency_key": "2", "approve": true }),
        json!({ "correlation_id": "e", "idempotency_key": "3", "approve": false }),
    ] {
        let row = world.rested("t", &run).await;
        states.push(row.resume_ticket.unwrap().target.reason().unwrap());
        assert_eq!(world.resume("t", &run, &resume).await.status(), 202);
    }
    assert_eq!(states, ["client_execution", "tool_permission", "tool_permission"]);
    world.rested("t", &run).await;
    let log = world.log("t").await;
    let short: Vec<&str> =
        log.iter().map(|line| line.split(" {").next().unwrap().split(" call ").next().unwrap()).collect();
    assert_eq!(
        short,
        [
            "0 m-k \"go\"",
            "1 \"Running\"",
            "2 R-assistant-0@0.0",
            "3 tool-w result w \"{\\\"celsius\\\":13,\\\"city\\\":\\\"Rome\\\",\\\"sky\\\":\\\"snow\\\"}\"",
            "4 \"Awaiting\"",
            "5 tool-c result c \"red\"",
            "6 \"Running\"",
            "7 \"Awaiting\"",
            "8 \"Running\"",
            "9 tool-e result e \"sent to x\"",
            "10 R-assistant-1@1.0",
            "11 \"Awaiting\"",
            "12 tool-e error e \"denied\"",
            "13 \"Running\"",
            "14 R-assistant-2@2.0 \"Done.\"",
            "15",
        ]
    );
}

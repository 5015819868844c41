//! The threads in the words of other protocols, asked as their own clients ask.
#![allow(clippy::unwrap_used, clippy::panic)]

mod support;

use reqwest::{Response, StatusCode};
use serde_json::{Value, json};
use support::World;

fn user(text: &str) -> Value {
    json!({ "id": "m1", "role": "user", "parts": [{ "type": "text", "text": text }] })
}

fn sdk(messages: &[Value]) -> Value {
    json!({ "id": "chat", "messages": messages, "trigger": "submit-message" })
}

fn agent(messages: &[Value], resume: &[Value]) -> Value {
    json!({
        "threadId": "t", "runId": "theirs", "state": {}, "messages": messages, "tools": [], "context": [],
        "forwardedProps": {}, "resume": resume,
    })
}

/// The events of an answer that came whole.
async fn events(response: Response) -> Vec<Value> {
    assert_eq!(response.status(), StatusCode::OK);
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    let text = response.text().await.unwrap();
    assert!(!text.contains('\r'));
    let frames = text.split("\n\n").filter(|frame| !frame.is_empty());
    frames.map(|frame| frame.strip_prefix("data: ").unwrap()).map(read).collect()
}

fn read(data: &str) -> Value {
    if data == "[DONE]" { json!({ "type": "[DONE]" }) } else { serde_json::from_str(data).unwrap() }
}

fn types(events: &[Value]) -> Vec<&str> {
    events.iter().map(|event| event["type"].as_str().unwrap()).collect()
}

fn text(events: &[Value]) -> String {
    events.iter().filter_map(|event| event["delta"].as_str()).collect()
}

#[tokio::test]
async fn a_message_begins_a_run_and_the_same_request_again_does_not() {
    let world = World::new().await;
    let response = world.post("t", "ai-sdk", &sdk(&[user("/plain")])).send().await.unwrap();
    assert_eq!(response.headers()["x-vercel-ai-ui-message-stream"], "v1");
    let first = events(response).await;
    assert_eq!(types(&first)[..3], ["start", "start-step", "text-start"]);
    assert_eq!(types(&first)[types(&first).len() - 3..], ["finish-step", "finish", "[DONE]"]);
    assert!(text(&first).starts_with("A log is a promise"));
    let again = events(world.post("t", "ai-sdk", &sdk(&[user("/plain")])).send().await.unwrap()).await;
    assert_eq!((&again[0], text(&again)), (&first[0], text(&first)));
    assert_eq!(world.log("t").await.len(), 4, "one run");
    let ui = agent(&[json!({ "id": "m2", "role": "user", "content": "/plain" })], &[]);
    let ui = events(world.post("t", "ag-ui", &ui).send().await.unwrap()).await;
    assert_eq!(types(&ui)[..2], ["RUN_STARTED", "STEP_STARTED"]);
    assert_eq!(ui[0]["threadId"], "t");
    assert_eq!(types(&ui).last(), Some(&"RUN_FINISHED"), "and no [DONE]");
}

#[tokio::test]
async fn who_comes_back_gets_the_whole_part_and_what_is_over_is_nothing_to_resume() {
    let world = World::new().await;
    for protocol in ["ai-sdk", "ai-sdk/chat/stream", "ag-ui"] {
        let nothing = world.get("t", protocol).send().await.unwrap();
        assert_eq!(nothing.status(), StatusCode::NO_CONTENT);
    }
    world.hold("t", 5).await;
    let run = world.send("t", "/plain").await.run_id;
    world.held("t").await;
    let reading = tokio::spawn(events(world.get("t", "ai-sdk/chat/stream").send().await.unwrap()));
    let seven = tokio::spawn(events(world.get("t", "ai-sdk?version=7").send().await.unwrap()));
    world.release("t").await;
    for reading in [reading, seven] {
        let events = reading.await.unwrap();
        assert_eq!(events[0], json!({ "type": "start", "messageId": run.as_str() }));
        assert!(text(&events).ends_with("keep the promise when it comes."), "{events:?}");
    }
    assert_eq!(world.get("t", "ai-sdk").send().await.unwrap().status(), StatusCode::NO_CONTENT);
}

#[tokio::test]
async fn an_approval_goes_on_in_the_same_message() {
    let world = World::new().await;
    let first = events(world.post("t", "ai-sdk", &sdk(&[user("/approve")])).send().await.unwrap()).await;
    let request = first.iter().find(|event| event["type"] == "tool-approval-request").unwrap();
    let call = request["toolCallId"].as_str().unwrap();
    let part = |state: &str, approval: Value| json!({ "type": "dynamic-tool", "toolName": "x", "toolCallId": call, "state": state, "input": {}, "approval": approval });
    let waiting =
        json!({ "id": "r", "role": "assistant", "parts": [part("approval-requested", json!({ "id": call }))] });
    let nothing = world.post("t", "ai-sdk", &sdk(&[waiting])).send().await.unwrap();
    assert_eq!(nothing.status(), StatusCode::CONFLICT);
    let answered = part("approval-responded", json!({ "id": call, "approved": true }));
    let answered = sdk(&[json!({ "id": "r", "role": "assistant", "parts": [answered] })]);
    let second = events(world.post("t", "ai-sdk", &answered).send().await.unwrap()).await;
    assert_eq!(second[0], first[0]);
    assert!(types(&second).contains(&"tool-output-available"), "{second:?}");
    assert_eq!(second[second.len() - 2]["finishReason"], "stop");
    assert_eq!(world.post("t", "ai-sdk", &answered).send().await.unwrap().status(), StatusCode::CONFLICT);
}

#[tokio::test]
async fn interrupts_and_client_tools_are_answered_as_ag_ui_does() {
    let world = World::new().await;
    let say = |id: &str, text: &str| {
        agent(&[json!({ "id": id, "role": "user", "content": [{ "type": "text", "text": text }] })], &[])
    };
    let first = events(world.post("t", "ag-ui", &say("m1", "/approve")).send().await.unwrap()).await;
    let interrupt = &first.last().unwrap()["outcome"]["interrupts"][0];
    let denied = json!({ "interruptId": interrupt["id"], "status": "resolved", "payload": { "approved": false, "reason": "no" } });
    let stray = json!({ "interruptId": "another", "status": "resolved" });
    assert_eq!(world.post("t", "ag-ui", &agent(&[], &[stray])).send().await.unwrap().status(), StatusCode::BAD_REQUEST);
    let asked = json!({ "id": "m1", "role": "user", "content": "/approve" });
    let second = events(world.post("t", "ag-ui", &agent(&[asked], &[denied])).send().await.unwrap()).await;
    let result = second.iter().find(|event| event["type"] == "TOOL_CALL_RESULT").unwrap();
    assert_eq!(result["content"], "denied: no");
    let third = events(world.post("u", "ag-ui", &say("m1", "/client-tool")).send().await.unwrap()).await;
    let call = third.last().unwrap()["outcome"]["pendingToolCallIds"][0].clone();
    let result = json!({ "id": "x", "role": "tool", "toolCallId": call, "content": "the page's answer" });
    let fourth = events(world.post("u", "ag-ui", &agent(&[result], &[])).send().await.unwrap()).await;
    assert_eq!(fourth.last().unwrap()["outcome"]["type"], "success");
    events(world.post("w", "ag-ui", &say("m1", "/pause")).send().await.unwrap()).await;
    let assistant = json!({ "id": "a", "role": "assistant", "content": "I rest here." });
    let fifth = events(world.post("w", "ag-ui", &agent(&[assistant], &[])).send().await.unwrap()).await;
    assert_eq!(fifth.last().unwrap()["outcome"]["type"], "success");
}

#[tokio::test]
async fn a_cut_and_a_divergence_break_the_answer_and_never_end_it() {
    let world = World::new().await;
    world.hold("t", 5).await;
    let response = world.post("t", "ai-sdk", &sdk(&[user("/plain")])).send().await.unwrap();
    world.held("t").await;
    world.admin("cut", &json!({})).await;
    assert!(response.text().await.is_err());
    world.release("t").await;
    // An attempt that failed in the middle of its text has to be taken back; version 6 can't.
    let broken = world.post("u", "ai-sdk", &sdk(&[user("/fail-mid")])).send().await.unwrap();
    assert!(broken.text().await.is_err());
    let whole = events(world.post("u", "ai-sdk", &sdk(&[user("/fail-mid")])).send().await.unwrap()).await;
    assert!(text(&whole).starts_with("The first attempt broke off"));
    let seven = events(world.post("v", "ai-sdk?version=7", &sdk(&[user("/fail-mid")])).send().await.unwrap()).await;
    assert!(types(&seven).contains(&"reset-step"));
}

#[tokio::test]
async fn a_failed_run_and_one_that_nobody_knows_are_errors() {
    let mut world = World::new().await;
    let failed = events(world.post("t", "ai-sdk?version=7", &sdk(&[user("/fail")])).send().await.unwrap()).await;
    assert!(types(&failed).contains(&"error"));
    let say = agent(&[json!({ "id": "m", "role": "user", "content": "/plain" })], &[]);
    world.hold("u", 3).await;
    let cut = world.post("u", "ag-ui", &say).send().await.unwrap();
    world.held("u").await;
    world.host.take().unwrap().stop().await;
    drop(cut);
    world.start().await;
    let unknown = events(world.post("u", "ag-ui", &say).send().await.unwrap()).await;
    let last = unknown.last().unwrap();
    assert_eq!((&last["type"], &last["code"]), (&json!("RUN_ERROR"), &json!("indeterminate")));
}

#[tokio::test]
async fn what_makes_no_sense_is_refused_before_anything_begins() {
    let world = World::new().await;
    let refused = async |path: &str, body: Value| {
        let response = world.post("t", path, &body).send().await.unwrap();
        assert_eq!(response.status(), StatusCode::BAD_REQUEST, "{path} {body}");
    };
    refused("ai-sdk?version=5", sdk(&[user("hi")])).await;
    refused("ai-sdk", json!({ "messages": [user("hi")], "trigger": "regenerate-message" })).await;
    refused("ai-sdk", sdk(&[])).await;
    refused("ai-sdk", sdk(&[json!({ "id": "m", "role": "user", "parts": [{ "type": "data-x", "data": 1 }] })])).await;
    refused("ag-ui", json!({ "messages": 1 })).await;
    assert_eq!(world.get("t", "committed").send().await.unwrap().status(), StatusCode::NOT_FOUND);
}

//! Requests that mean harm: bodies without end, paths that leave their thread, JSON that would exhaust whoever reads it.
#![allow(clippy::unwrap_used, clippy::panic)]

mod support;

use serde_json::{Value, json};
use std::time::Duration;
use support::World;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// What takes a body; a cancel has none, and what comes with it is not read.
const POSTS: [&str; 4] = ["runs", "runs/r/resume", "ai-sdk", "ag-ui"];

#[tokio::test]
async fn a_body_over_the_limit_is_refused_wherever_one_is_taken() {
    let world = World::new().await;
    world.story("t", "/plain").await;
    for path in POSTS {
        let large = json!({ "padding": "x".repeat(1 << 20) }).to_string();
        let request = world.client.post(world.url("t", path)).header("content-type", "application/json").body(large);
        let response = request.send().await.unwrap();
        let (status, text) = (response.status(), response.text().await.unwrap());
        assert_eq!((status.as_u16(), text.contains("body_too_large")), (413, true), "{path}: {text}");
    }
}

/// A body that does not say how long it is, and goes on for as long as somebody reads it.
#[tokio::test]
async fn a_body_without_end_is_refused_while_it_comes() {
    let world = World::new().await;
    let address = world.host.as_ref().unwrap().address;
    for path in POSTS {
        let mut stream = TcpStream::connect(address).await.unwrap();
        let head = format!(
            "POST /v1/threads/t/{path} HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        let (mut reading, mut writing) = stream.into_split();
        let writer = tokio::spawn(async move {
            let chunk = [b"10000\r\n".to_vec(), vec![b'['; 1 << 16], b"\r\n".to_vec()].concat();
            let mut taken = 0_usize;
            // The host hangs up, or stops reading; either way no more is taken.
            while let Ok(Ok(())) = tokio::time::timeout(Duration::from_secs(5), writing.write_all(&chunk)).await {
                taken += chunk.len();
                assert!(taken < 64 << 20, "the host goes on reading");
            }
        });
        let mut answer = vec![0; 1000];
        let read = reading.read(&mut answer).await.unwrap();
        let answer = String::from_utf8_lossy(&answer[..read]).into_owned();
        assert!(answer.starts_with("HTTP/1.1 413"), "{path}: {answer}");
        drop(reading);
        writer.await.unwrap();
    }
}

/// The answer to a path as it is: clients tidy paths up before they send them.
async fn raw(world: &World, method: &str, path: &str) -> String {
    let address = world.host.as_ref().unwrap().address;
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = format!(
        "{method} {path} HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/json\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{{}}"
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    tokio::time::timeout(Duration::from_secs(10), stream.read_to_end(&mut answer)).await.unwrap().unwrap();
    String::from_utf8_lossy(&answer).into_owned()
}

#[tokio::test]
async fn a_path_that_leaves_its_thread_reaches_no_other() {
    let world = World::new().await;
    world.story("mine", "/plain").await;
    let theirs = world.send("theirs", "a secret that is theirs").await.run_id;
    world.rested("theirs", theirs.as_str()).await;
    for path in [
        "mine/../theirs/committed",
        "mine/%2e%2e/theirs/committed",
        "mine%2f..%2ftheirs/committed",
        "mine%2F%2E%2E%2Ftheirs/committed",
        "mine/..%2ftheirs/committed",
        "mine/committed/../../theirs/committed",
        "./theirs/committed",
        "/theirs/committed",
        "theirs%00/committed",
        "theirs%0a/committed",
        "theirs;/committed",
        "mine/audit/../../theirs/audit",
        "mine%2f..%2ftheirs/audit",
        "mine%2f..%2ftheirs/live",
        "mine/ai-sdk/..%2f..%2ftheirs/stream",
    ] {
        let answer = raw(&world, "GET", &format!("/v1/threads/{path}")).await;
        // Of a chat that does not stream there is nothing to say.
        let refused = answer.starts_with("HTTP/1.1 4") || answer.starts_with("HTTP/1.1 204");
        assert!(refused && !answer.contains("secret"), "{path}: {answer}");
    }
    // A name may look like a path; then it is a thread of that name.
    world.story("mine%2f..%2ftheirs", "/plain").await;
    let page = world.page("mine%2f..%2ftheirs", "").await;
    assert_eq!(page.thread_id.as_str(), "mine/../theirs");
}

#[tokio::test]
async fn a_run_is_of_its_thread_alone() {
    let world = World::new().await;
    world.story("mine", "/plain").await;
    world.hold("theirs", 2).await;
    let theirs = world.send("theirs", "/plain").await.run_id;
    world.held("theirs").await;
    let run = theirs.as_str();
    for (method, path) in [
        ("GET", format!("mine/runs/{run}")),
        ("POST", format!("mine/runs/{run}/cancel")),
        ("POST", format!("mine/runs/{run}/resume")),
        ("POST", format!("mine/runs/..%2f..%2ftheirs%2fruns%2f{run}/cancel")),
    ] {
        let answer = raw(&world, method, &format!("/v1/threads/{path}")).await;
        let cancel_of_nothing = path.ends_with("/cancel") && answer.starts_with("HTTP/1.1 202");
        assert!(answer.starts_with("HTTP/1.1 4") || cancel_of_nothing, "{path}: {answer}");
    }
    world.release("theirs").await;
    let row = world.rested("theirs", run).await;
    assert_eq!(
        serde_json::from_str::<Value>(&threadfold::json::write(&row.state)).unwrap(),
        json!({"Ended": "NaturalEnd"})
    );
}

#[tokio::test]
async fn bodies_that_would_exhaust_a_reader_are_refused_with_a_code() {
    let world = World::new().await;
    let deep = "[".repeat(500_000) + &"]".repeat(500_000);
    let bodies = [
        deep.clone(),
        format!(r#"{{"input":{deep},"idempotency_key":"k"}}"#),
        format!(r#"{{"{}":1}}"#, "k".repeat(1_000_000)),
        r#"{"input":{"message_id":"m","content":[]},"idempotency_key":1e400}"#.to_owned(),
        r#"{"__proto__":{"input":1}}"#.to_owned(),
    ];
    for path in POSTS {
        for body in &bodies {
            let shown: String = body.chars().take(60).collect();
            let request = world.client.post(world.url("t", path)).header("content-type", "application/json");
            let response = request.body(body.clone()).send().await.unwrap();
            let (status, text) = (response.status().as_u16(), response.text().await.unwrap());
            assert!((400..500).contains(&status), "{path} {shown}: {status}");
            let refusal: Value = serde_json::from_str(&text).unwrap();
            assert!(refusal["error"]["code"].is_string(), "{path} {shown}: {text}");
            assert!(text.len() < 5_000, "{path} {shown}: the refusal has {} bytes", text.len());
        }
    }
    // Names that are too long are no threads.
    let long = "t".repeat(5_000);
    assert_eq!(world.get(&long, "committed").send().await.unwrap().status(), 400);
}

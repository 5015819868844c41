//! The program itself: its flags, its line, `kill -9`, the supervisor.
#![allow(clippy::unwrap_used, clippy::panic)]

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

struct Program {
    child: Child,
    base: String,
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn command(db: &Path, more: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_threadfold-host"));
    command.arg("--db").arg(db).args(more).env_remove("OPENAI_BASE_URL").stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn start(db: &Path, more: &[&str]) -> Program {
    let mut child = command(db, more).stderr(Stdio::null()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let base = line.trim().strip_prefix("threadfold host: ").unwrap().trim_end_matches('/').to_owned();
    assert!(base.starts_with("http://127.0.0.1:"), "{line}");
    Program { child, base }
}

fn failure(mut command: Command) -> String {
    let Output { status, stderr, .. } = command.output().unwrap();
    assert!(!status.success());
    String::from_utf8(stderr).unwrap()
}

/// Asks again until the host is there.
async fn ask(request: impl Fn() -> reqwest::RequestBuilder) -> (u16, Value) {
    let began = Instant::now();
    loop {
        match request().send().await {
            Ok(response) => {
                let status = response.status().as_u16();
                let text = response.text().await.unwrap_or_default();
                return (status, serde_json::from_str(&text).unwrap_or(Value::Null));
            }
            Err(error) => {
                assert!(began.elapsed() < Duration::from_secs(30), "{error}");
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        }
    }
}

fn client() -> reqwest::Client {
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::new()
}

fn post(client: &reqwest::Client, url: &str, body: &Value) -> reqwest::RequestBuilder {
    client.post(url).header("content-type", "application/json").body(body.to_string())
}

#[tokio::test]
async fn killed_in_the_middle_of_an_answer_the_host_comes_back_and_settles_it() {
    let dir = tempfile::tempdir().unwrap();
    let flags = ["--port", "0", "--delta-ms", "1", "--allow-faults", "--supervise"];
    let host = start(&dir.path().join("threads.db"), &flags);
    let (client, base) = (client(), &host.base);
    post(&client, &format!("{base}/admin/threads/t/hold"), &json!({ "after_deltas": 5 })).send().await.unwrap();
    let send = json!({ "input": { "message_id": "m", "content": [{ "type": "text", "text": "/plain" }] },
        "idempotency_key": "k" });
    let (status, accepted) = ask(|| post(&client, &format!("{base}/v1/threads/t/runs"), &send)).await;
    assert_eq!(status, 202);
    while ask(|| client.get(format!("{base}/admin/threads/t/sent"))).await.1["held"] != true {}
    let before = ask(|| client.get(format!("{base}/admin/host"))).await.1["pid"].as_u64().unwrap();
    assert!(post(&client, &format!("{base}/admin/exit"), &json!({})).send().await.is_err());
    let after = ask(|| client.get(format!("{base}/admin/host"))).await.1["pid"].as_u64().unwrap();
    assert_ne!(before, after);
    let run = accepted["run_id"].as_str().unwrap();
    let (_, row) = ask(|| client.get(format!("{base}/v1/threads/t/runs/{run}"))).await;
    assert_eq!(row["state"], json!({ "Ended": "Indeterminate" }));
    // The command was durable too.
    let (_, again) = ask(|| post(&client, &format!("{base}/v1/threads/t/runs"), &send)).await;
    assert_eq!(again, accepted);
}

#[test]
fn told_to_stop_it_stops() {
    let dir = tempfile::tempdir().unwrap();
    let mut host = start(&dir.path().join("threads.db"), &["--port", "0"]);
    let told = Command::new("kill").arg(host.child.id().to_string()).status().unwrap();
    assert!(told.success());
    assert!(host.child.wait().unwrap().success());
}

#[test]
fn what_is_wrong_is_said_in_a_sentence() {
    let dir = tempfile::tempdir().unwrap();
    let db = dir.path().join("threads.db");
    let host = start(&db, &["--port", "0"]);
    let port = host.base.rsplit(':').next().unwrap();
    let busy = failure(command(&dir.path().join("other.db"), &["--port", port]));
    assert!(busy.contains(&format!("can't listen on 127.0.0.1:{port}")), "{busy}");
    let missing = failure(command(&dir.path().join("no/such/dir/threads.db"), &["--port", "0"]));
    assert!(missing.contains("can't open the database"), "{missing}");
    std::fs::write(dir.path().join("text.db"), "this is no database, but a text that is long enough").unwrap();
    let text = failure(command(&dir.path().join("text.db"), &["--port", "0"]));
    assert!(text.contains("can't open the database"), "{text}");
    let origin = failure(command(&db, &["--origin", "*"]));
    assert!(origin.contains("an origin is http://host:port"), "{origin}");
    let replay = failure(command(&db, &["--port", "0", "--replay", "nowhere.jsonl"]));
    assert!(replay.contains("nowhere.jsonl"), "{replay}");
    let supervised = failure(command(&db, &["--port", port, "--supervise"]));
    assert!(supervised.contains("the host could not start"), "{supervised}");
    let mut help = command(&db, &["--help"]).spawn().unwrap();
    let mut text = String::new();
    help.stdout.take().unwrap().read_to_string(&mut text).unwrap();
    assert!(help.wait().unwrap().success());
    for word in ["--port", "--db", "--www", "--pkg", "--origin", "--allow-faults", "--replay", "OPENAI_BASE_URL"] {
        assert!(text.contains(word), "{word}");
    }
}

//! A provider that answers from recordings: it speaks chat completions on loopback, so that the host's side of the
//! wire is the real one.

use super::GO_ON;
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use futures_util::stream;
use serde_json::{Value, json};
use std::convert::Infallible;
use std::io;
use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// The answer to whatever follows a recorded one.
const FOLLOW_UP: &str = "Thank you, that is all I need.";

/// The loopback provider.
#[derive(Debug)]
pub struct Replay {
    /// What stands for `OPENAI_BASE_URL`.
    pub base: String,
    serving: JoinHandle<()>,
}

struct Recordings {
    /// Each a list of chunks.
    files: Vec<Vec<String>>,
    pace: Duration,
}

impl Replay {
    /// Serves these recordings: the k-th thing that a person says in a thread is answered with file k, and again from
    /// the first when they are used up. What follows (tool results, a continuation) gets a fixed text.
    ///
    /// # Errors
    /// When a file can't be read or has no chunk.
    pub async fn start(files: &[PathBuf], pace: Duration) -> io::Result<Self> {
        let files = files.iter().map(|file| read(file)).collect::<io::Result<Vec<_>>>()?;
        if files.is_empty() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "there is no recording to replay"));
        }
        let router = Router::new()
            .route("/v1/chat/completions", post(complete))
            .with_state(Arc::new(Recordings { files, pace }));
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let base = format!("http://{}/v1", listener.local_addr()?);
        let serving = tokio::spawn(async move {
            if let Err(error) = axum::serve(listener, router).await {
                eprintln!("the replay provider stopped: {error}");
            }
        });
        Ok(Self { base, serving })
    }
}

impl Drop for Replay {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

fn read(file: &Path) -> io::Result<Vec<String>> {
    let named = |why: String| io::Error::new(io::ErrorKind::InvalidData, format!("{}: {why}", file.display()));
    let text = std::fs::read_to_string(file).map_err(|error| named(error.to_string()))?;
    let chunks: Vec<String> = text.lines().filter(|line| !line.trim().is_empty()).map(str::to_owned).collect();
    if chunks.is_empty() {
        return Err(named("no chunk in it".to_owned()));
    }
    Ok(chunks)
}

async fn complete(State(recordings): State<Arc<Recordings>>, body: Bytes) -> Response {
    let Ok(request) = serde_json::from_slice::<Value>(&body) else {
        return (StatusCode::BAD_REQUEST, "the request is no JSON").into_response();
    };
    let messages = request["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
    let asked = |message: &Value| message["role"] == "user" && message["content"] != GO_ON;
    let turns = messages.iter().filter(|message| asked(message)).count();
    let chunks = if messages.last().is_some_and(asked) {
        let number = turns.saturating_sub(1) % recordings.files.len();
        recordings.files.get(number).cloned().unwrap_or_default()
    } else {
        follow_up()
    };
    let pace = recordings.pace;
    let events = chunks.into_iter().chain(["[DONE]".to_owned()]);
    let body = stream::unfold(events, move |mut events| async move {
        let data = events.next()?;
        if !pace.is_zero() {
            tokio::time::sleep(pace).await;
        }
        Some((Ok::<_, Infallible>(Bytes::from(format!("data: {data}\n\n"))), events))
    });
    ([(header::CONTENT_TYPE, "text/event-stream")], Body::from_stream(body)).into_response()
}

fn follow_up() -> Vec<String> {
    let mut chunks: Vec<String> = FOLLOW_UP
        .split_inclusive(' ')
        .map(|word| json!({ "choices": [{ "index": 0, "delta": { "content": word } }] }).to_string())
        .collect();
    chunks.push(json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": "stop" }] }).to_string());
    chunks
}

//! A real host on loopback with a real SQLite file, and a client that reads the wire with the crate's own codec.
#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use futures_util::StreamExt;
use reqwest::{Client, RequestBuilder, Response, StatusCode};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;
use threadfold::event::Delta;
use threadfold::json;
use threadfold::source::sse::Decoder;
use threadfold::source::threadfold::{Accepted, Frame};
use threadfold::thread::{Block, Message, Page, Record, RunRow, RunState};
use threadfold_host::agent::{Model, Script};
use threadfold_host::server::{Host, Options};
use threadfold_host::store::SqliteStore;

/// Nothing here takes so long; a test that waits for more has failed.
const PATIENCE: Duration = Duration::from_secs(30);

pub struct World {
    pub dir: TempDir,
    pub host: Option<Host>,
    pub client: Client,
    pub options: Options,
    pub model: Arc<dyn Model>,
}

pub fn options() -> Options {
    let mut options = Options { allow_faults: true, ..Options::default() };
    options.limits.retry = Duration::ZERO;
    options
}

impl World {
    pub async fn new() -> Self {
        Self::with(options()).await
    }

    pub async fn with(options: Options) -> Self {
        Self::of(options, Arc::new(Script { pace: Duration::ZERO })).await
    }

    pub async fn of(options: Options, model: Arc<dyn Model>) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = Client::builder().build().unwrap();
        let mut world = Self { dir, host: None, client, options, model };
        world.start().await;
        world
    }

    pub fn db(&self) -> PathBuf {
        self.dir.path().join("threads.db")
    }

    pub async fn start(&mut self) {
        let store = SqliteStore::open(&self.db()).unwrap();
        let host = Host::start(Arc::new(store), Arc::clone(&self.model), self.options.clone()).await.unwrap();
        self.host = Some(host);
    }

    pub fn base(&self) -> String {
        format!("http://{}", self.host.as_ref().unwrap().address)
    }

    pub fn url(&self, thread: &str, rest: &str) -> String {
        format!("{}/v1/threads/{thread}/{rest}", self.base())
    }

    pub fn get(&self, thread: &str, rest: &str) -> RequestBuilder {
        self.client.get(self.url(thread, rest))
    }

    pub fn post(&self, thread: &str, rest: &str, body: &Value) -> RequestBuilder {
        post(&self.client, self.url(thread, rest), body)
    }

    pub async fn send(&self, thread: &str, text: &str) -> Accepted {
        let response = self.send_with(thread, text, "k", json!({})).await;
        assert_eq!(response.status(), StatusCode::ACCEPTED);
        json::read(&response.text().await.unwrap()).unwrap()
    }

    /// A send whose ids begin with `key`; `more` is added to the body.
    pub async fn send_with(&self, thread: &str, text: &str, key: &str, more: Value) -> Response {
        let mut body = json!({
            "input": { "message_id": format!("m-{key}"), "content": [{ "type": "text", "text": text }] },
            "idempotency_key": key,
        });
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        self.post(thread, "runs", &body).send().await.unwrap()
    }

    pub async fn resume(&self, thread: &str, run: &str, body: &Value) -> Response {
        self.post(thread, &format!("runs/{run}/resume"), body).send().await.unwrap()
    }

    pub async fn cancel(&self, thread: &str, run: &str) {
        let response = self.post(thread, &format!("runs/{run}/cancel"), &json!({})).send().await.unwrap();
        assert_eq!(response.status(), StatusCode::ACCEPTED);
    }

    pub async fn admin(&self, path: &str, body: &Value) -> Value {
        let response = post(&self.client, format!("{}/admin/{path}", self.base()), body).send().await.unwrap();
        assert_eq!(response.status(), StatusCode::OK, "{path}");
        serde_json::from_str(&response.text().await.unwrap()).unwrap()
    }

    pub async fn admin_get(&self, path: &str) -> Value {
        let response = self.client.get(format!("{}/admin/{path}", self.base())).send().await.unwrap();
        serde_json::from_str(&response.text().await.unwrap()).unwrap()
    }

    pub async fn hold(&self, thread: &str, after: u64) {
        self.admin(&format!("threads/{thread}/hold"), &json!({ "after_deltas": after })).await;
    }

    pub async fn release(&self, thread: &str) {
        self.admin(&format!("threads/{thread}/release"), &json!({})).await;
    }

    /// What was sent, once the agent holds.
    pub async fn held(&self, thread: &str) -> Value {
        tokio::time::timeout(PATIENCE, async {
            loop {
                let sent = self.admin_get(&format!("threads/{thread}/sent")).await;
                if sent["held"] == true {
                    return sent["active"].clone();
                }
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
        })
        .await
        .expect("the agent never held")
    }

    pub async fn page(&self, thread: &str, query: &str) -> Page {
        let response = self.get(thread, &format!("committed{query}")).send().await.unwrap();
        assert_eq!(response.status(), StatusCode::OK);
        json::read(&response.text().await.unwrap()).unwrap()
    }

    pub async fn records(&self, thread: &str) -> Vec<Record> {
        self.page(thread, "?limit=1000").await.into_records()
    }

    /// The run's row, once it is over or waits.
    pub async fn rested(&self, thread: &str, run: &str) -> RunRow {
        tokio::time::timeout(PATIENCE, async {
            loop {
                let response = self.get(thread, &format!("runs/{run}")).send().await.unwrap();
                if response.status() == StatusCode::OK {
                    let row: RunRow = json::read(&response.text().await.unwrap()).unwrap();
                    if row.state != RunState::Running {
                        return row;
                    }
                }
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
        })
        .await
        .expect("the run never rested")
    }

    /// Sends, waits for the run's end, and tells its log in short lines.
    pub async fn story(&self, thread: &str, text: &str) -> Vec<String> {
        let accepted = self.send(thread, text).await;
        self.rested(thread, accepted.run_id.as_str()).await;
        self.log(thread).await
    }

    /// The log in short lines, with the run's id as `R`.
    pub async fn log(&self, thread: &str) -> Vec<String> {
        self.records(thread).await.iter().map(line).collect()
    }

    pub async fn live(&self, thread: &str, query: &str) -> Live {
        let response = self.get(thread, &format!("live{query}")).send().await.unwrap();
        assert_eq!(response.status(), StatusCode::OK);
        Live::new(response)
    }
}

pub fn post(client: &Client, url: String, body: &Value) -> RequestBuilder {
    client.post(url).header("content-type", "application/json").body(body.to_string())
}

/// A record as a line: `0 User "hi"`, `3 R-assistant-0@0.0 think "…" "text" call get_weather{…}`, `4 Ended(NaturalEnd)`.
pub fn line(record: &Record) -> String {
    match record {
        Record::Aside(_) => String::new(),
        Record::Message(row) => {
            let run = row.run_id.as_ref().map(ToString::to_string).unwrap_or_default();
            let id = row.message.id.as_str().replace(&run, "R");
            let place = row.step.zip(row.response).map(|(s, r)| format!("@{s}.{r}")).unwrap_or_default();
            format!("{} {id}{place}{}", row.seq, blocks(&row.message))
        }
        Record::Run(row) => {
            let ticket = row.resume_ticket.as_ref().map(|ticket| format!(" {}", json::write(ticket)));
            format!("{} {}{}", row.seq, json::write(&row.state), ticket.unwrap_or_default())
        }
    }
}

fn blocks(message: &Message) -> String {
    message.content.iter().map(|block| format!(" {}", one(block))).collect()
}

fn one(block: &Block) -> String {
    match block {
        Block::Text { text } => format!("{text:?}"),
        Block::Thinking { text, .. } => format!("think {text:?}"),
        Block::ToolUse { id, name, input } => format!("call {id} {name}{}", input.as_str()),
        Block::ToolResult { tool_use_id, content, is_error } => {
            let content: Vec<String> = content.iter().map(one).collect();
            format!("{} {tool_use_id} {}", if *is_error { "error" } else { "result" }, content.join(" "))
        }
        other => json::write(other),
    }
}

/// A live stream, frame by frame.
pub struct Live {
    bytes: std::pin::Pin<Box<dyn futures_util::Stream<Item = reqwest::Result<bytes::Bytes>> + Send>>,
    decoder: Decoder,
    frames: std::collections::VecDeque<Frame>,
    /// Bytes that came.
    pub received: usize,
    /// How the stream ended, once it has.
    pub end: Option<End>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    Clean,
    Broken,
}

impl Live {
    pub fn new(response: Response) -> Self {
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        assert_eq!(response.headers()["cache-control"], "no-store, no-transform");
        let frames = std::collections::VecDeque::new();
        let bytes = Box::pin(response.bytes_stream());
        Self { bytes, decoder: Decoder::new(1 << 24), frames, received: 0, end: None }
    }

    /// The next frame; None when the stream has ended.
    pub async fn next(&mut self) -> Option<Frame> {
        tokio::time::timeout(PATIENCE, self.wait()).await.expect("no frame came")
    }

    /// Whether a frame comes within this time.
    pub async fn within(&mut self, time: Duration) -> Option<Frame> {
        tokio::time::timeout(time, self.wait()).await.ok().flatten()
    }

    async fn wait(&mut self) -> Option<Frame> {
        loop {
            if let Some(frame) = self.frames.pop_front() {
                return Some(frame);
            }
            if self.end.is_some() {
                return None;
            }
            match self.bytes.next().await {
                Some(Ok(bytes)) => {
                    self.received += bytes.len();
                    let frames = &mut self.frames;
                    self.decoder
                        .push(&bytes, &mut |event| {
                            assert_eq!(event.last_event_id, "");
                            frames.push_back(Frame::read(event.name, event.data).unwrap().unwrap().0);
                        })
                        .unwrap();
                }
                Some(Err(_)) => self.end = Some(End::Broken),
                None => self.end = Some(End::Clean),
            }
        }
    }

    /// All frames up to the `committed` that ends the run or lets it wait, or the stream's end.
    pub async fn until_rest(&mut self) -> Vec<Frame> {
        let mut frames = Vec::new();
        while let Some(frame) = self.next().await {
            let rests = matches!(&frame, Frame::Committed(committed) if committed.records.iter().flatten()
                .any(|record| matches!(record, Record::Run(row) if row.state != RunState::Running)));
            frames.push(frame);
            if rests {
                break;
            }
        }
        frames
    }

    pub async fn all(&mut self) -> Vec<Frame> {
        let mut frames = Vec::new();
        while let Some(frame) = self.next().await {
            frames.push(frame);
        }
        frames
    }
}

/// The text of a Delta without halves.
pub fn text(delta: &Delta) -> &str {
    match delta {
        Delta::TextDelta { delta } => &delta.text,
        _ => "",
    }
}

/// A message's text.
pub fn blocks_text(message: &Message) -> String {
    message
        .content
        .iter()
        .filter_map(|block| match block {
            Block::Text { text } => Some(text.as_str()),
            _ => None,
        })
        .collect()
}

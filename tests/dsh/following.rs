// An engine with its carrier, and what a host sees of them. Whoever uses this is the host: it takes the requests, and
// sends items and answers.

use serde_json::{Value, json};
use std::collections::VecDeque;
use threadfold::engine::{Effect, Engine};
use threadfold::follow::{Input, Options, Protocol, Stats};
use threadfold::source::dsh::{self, Act, Answer, Carrier};

/// What a host is asked for.
#[derive(Debug, Clone)]
pub enum Request {
    /// A socket of this number.
    Connect(u32),
    /// The session's stream, under this id.
    Follow(String),
    /// No more of that stream.
    Cancel(String),
    /// A call: its number, method and arguments.
    Call(u32, String, Value),
    /// The socket is not wanted any more.
    Disconnect,
}

/// One client.
pub struct Following {
    pub engine: Engine,
    carrier: Carrier,
    /// In milliseconds, as both sides see it.
    pub now: u64,
    /// What the host was asked for and has not taken.
    pub requests: VecDeque<Request>,
    /// Codes of what was odd.
    pub anomalies: Vec<&'static str>,
    random: u64,
    socket: u32,
    stream: String,
}

impl Following {
    /// A client of this session that has asked for a socket.
    pub fn new(session: &str, now: u64) -> Self {
        let engine = Engine::new(Options {
            protocol: Protocol::Dsh,
            thread_id: Some(session.into()),
            renewable: false,
            watchdog: false,
            initial: None,
        });
        let carrier = Carrier::new(dsh::Options { session: session.to_owned(), max_messages: 500 });
        let (requests, stream) = (VecDeque::new(), String::new());
        let mut following =
            Self { engine, carrier, now, requests, anomalies: Vec::new(), random: 1, socket: 0, stream };
        following.handle(Input::Connect);
        following
    }

    /// The time has come that the client waits for, or has passed.
    pub fn tick(&mut self, now: u64) {
        self.now = self.now.max(now);
        self.handle(Input::Tick);
    }

    /// The host accepts the socket.
    pub fn accept(&mut self, socket: u32) {
        self.socket = socket;
        self.carrier.opened(socket, self.now);
        self.act();
    }

    /// The stream that items belong to from now on.
    pub fn follow(&mut self, stream: String) {
        self.stream = stream;
    }

    /// An item of that stream, as JSON.
    pub fn item(&mut self, value: &str) {
        let text = format!(r#"{{"type":"item","streamId":"{}","value":{value}}}"#, self.stream);
        self.carrier.text(self.socket, &text, self.now);
        self.act();
    }

    /// The socket breaks.
    pub fn cut(&mut self) {
        self.carrier.closed(self.socket, 1006, "");
        self.act();
    }

    /// The answer to a call.
    pub fn answer(&mut self, call: u32, result: &Value) {
        let body = json!({"type": "server-response", "rpcId": "", "result": result}).to_string();
        let content_type = "application/json".to_owned();
        self.carrier.answered(call, Ok(Answer { status: 200, retry_after: None, content_type, body }));
        self.act();
    }

    /// The view as JSON.
    pub fn view(&mut self) -> Value {
        let whole: Value = serde_json::from_str(&self.engine.whole()).unwrap_or_default();
        whole.get("view").cloned().unwrap_or_default()
    }

    pub fn stats(&self) -> Stats {
        self.engine.stats()
    }

    fn handle(&mut self, input: Input) {
        // Any generator will do: jitter is all that comes of it.
        self.random = self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.engine.handle(input, self.now, self.random);
        while let Some(effect) = self.engine.poll() {
            match effect {
                Effect::OpenLive(generation) => self.carrier.open(generation),
                Effect::CloseLive(generation) => self.carrier.close(generation, self.now),
                Effect::Knock(generation) => self.carrier.knock(generation),
                Effect::Fetch(fetch) => self.carrier.fetch(&fetch),
                Effect::Request(id, command) => self.carrier.request(id, &command),
                Effect::Done(..) => {}
                Effect::Anomaly(anomaly) => self.anomalies.push(anomaly.code),
            }
            self.act();
        }
    }

    fn act(&mut self) {
        while let Some(act) = self.carrier.poll() {
            match act {
                Act::Connect { socket } => self.requests.push_back(Request::Connect(socket)),
                Act::Disconnect { .. } => self.requests.push_back(Request::Disconnect),
                Act::Send { text, .. } => self.requests.extend(sent(&text)),
                Act::Post(call) => {
                    let body: Value = serde_json::from_str(&call.body).unwrap_or_default();
                    let arguments = body.pointer("/payload/args").cloned().unwrap_or_default();
                    self.requests.push_back(Request::Call(call.id, call.method.to_owned(), arguments));
                }
                Act::Tell(input) => self.handle(*input),
            }
        }
    }
}

/// What a text on the socket asks for, as far as it concerns the session.
fn sent(text: &str) -> Option<Request> {
    let message: Value = serde_json::from_str(text).ok()?;
    let stream = message.get("streamId")?.as_str()?.to_owned();
    match (message.get("type")?.as_str()?, message.get("endpoint").and_then(Value::as_str)) {
        ("open", Some("session/follow")) => Some(Request::Follow(stream)),
        ("cancel", _) => Some(Request::Cancel(stream)),
        _ => None,
    }
}

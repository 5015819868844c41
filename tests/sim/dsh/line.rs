//! What is between a page and its dsh host: the carrier, on the world's wire. What goes wrong on the wire goes wrong with
//! the carrier's texts and calls.

use crate::happening::What;
use crate::script::{Asking, Reading};
use crate::world::World;
use serde_json::{Value, json};
use threadfold::follow::{Closed, Generation};
use threadfold::source::dsh::{self, Act, Answer, Carrier, Options};

pub struct Socket {
    pub carrier: Carrier,
    /// The socket, and whether it is open.
    socket: Option<(u32, bool)>,
    /// It is half open: nothing goes over it any more, and nobody says so.
    is_dead: bool,
    /// The opening that was asked for last, and the stream on which it is followed.
    wanted: Option<Generation>,
    follow: Option<(Generation, String)>,
    /// The stream about all sessions, and what was asked on it.
    events: Option<String>,
    asked: Vec<String>,
    /// Why the socket could not be opened: what a call is told then.
    refused: Closed,
}

impl Default for Socket {
    fn default() -> Self {
        Self {
            carrier: Carrier::new(Options { session: "t1".to_owned(), max_messages: 500 }),
            socket: None,
            is_dead: false,
            wanted: None,
            follow: None,
            events: None,
            asked: Vec::new(),
            refused: Closed::Lost,
        }
    }
}

impl Socket {
    pub fn open(&mut self, generation: Generation) {
        self.wanted = Some(generation);
        self.carrier.open(generation);
    }

    fn is_open(&self) -> bool {
        self.socket.is_some_and(|(_, is_open)| is_open)
    }

    /// What the page says on the socket. An opening without a request is refused at once: the stream's id.
    fn says(&mut self, text: &str) -> Option<String> {
        let said: Value = serde_json::from_str(text).unwrap_or_default();
        let stream = said["streamId"].as_str().unwrap_or_default().to_owned();
        match (said["type"].as_str(), said["endpoint"].as_str()) {
            (Some("open"), Some("$events")) => self.events = Some(stream),
            (Some("open"), _) if said.pointer("/payload/args/request").is_none() => return Some(stream),
            (Some("open"), _) => self.follow = self.wanted.map(|generation| (generation, stream)),
            _ => self.follow = None,
        }
        None
    }

    /// The wire forgets the socket that is there.
    pub fn dies(&mut self) {
        self.is_dead = self.socket.is_some();
    }

    /// True where nothing goes over the socket any more.
    pub fn is_dead(&self) -> bool {
        self.is_dead
    }

    /// The socket is gone, and all that was on it.
    fn drops(&mut self) -> Option<u32> {
        self.is_dead = false;
        self.follow = None;
        self.events = None;
        self.asked.clear();
        self.socket.take().map(|(number, _)| number)
    }
}

/// A call on its way, and what goes wrong with it.
pub struct Call {
    call: dsh::Call,
    reading: Option<Reading>,
    asking: Option<Asking>,
}

impl Call {
    pub fn id(&self) -> u32 {
        self.call.id
    }
}

impl World {
    /// The page's side does something, and what comes of it is done.
    pub fn line(&mut self, at: usize, act: impl FnOnce(&mut Socket, u64)) -> Result<(), String> {
        if self.dsh.is_none() {
            return Ok(());
        }
        let now = self.now + self.clients[at].ahead;
        act(&mut self.clients[at].line, now);
        while let Some(act) = self.clients[at].line.carrier.poll() {
            let line = &mut self.clients[at].line;
            match act {
                Act::Connect { socket } => line.socket = Some((socket, false)),
                Act::Disconnect { .. } => drop(line.drops()),
                Act::Send { text, .. } => {
                    let knew = line.events.is_some();
                    if let Some(stream) = line.says(&text) {
                        let error = json!({"code": "gateway/arguments-invalid", "message": "missing \"request\""});
                        self.host_says(at, 2, &json!({"type": "error", "streamId": stream, "error": error}));
                        continue;
                    }
                    if !knew && line.events.is_some() {
                        self.event(at, &json!({"type": "ready", "clientId": "page"}));
                        self.ask_about(at);
                    }
                }
                Act::Post(call) => {
                    let net = &mut self.clients[at].net;
                    let reads = call.method == "session/page";
                    let asks = !reads && call.method != "session/projections";
                    let reading = (reads && !net.reads.is_empty()).then(|| net.reads.remove(0));
                    let asking = (asks && !net.asks.is_empty()).then(|| net.asks.remove(0));
                    self.later(at, self.latency(at), What::CallArrives(Call { call, reading, asking }));
                }
                Act::Tell(input) => self.give(at, *input)?,
            }
        }
        Ok(())
    }

    /// The stream can be opened: on a new socket, or on the one that is there.
    pub fn line_opens(&mut self, at: usize, generation: Generation) -> Result<(), String> {
        let client = &mut self.clients[at];
        let is_there = client.stream.as_ref().is_some_and(|stream| stream.generation == generation);
        let Some((socket, false)) = client.line.socket.filter(|_| is_there) else { return Ok(()) };
        client.line.socket = Some((socket, true));
        self.line(at, |line, now| line.carrier.opened(socket, now))
    }

    /// The stream is over, and the socket with it or not.
    pub fn line_ends(&mut self, at: usize, closed: Closed) -> Result<(), String> {
        let stays = self.coin();
        let line = &mut self.clients[at].line;
        let follow = line.follow.as_ref().map(|(_, stream)| stream.clone());
        match (line.is_open(), follow, &closed) {
            (true, Some(stream), Closed::Refused { status: 404, .. }) => {
                let error = json!({"code": "session/not-found", "message": "no such session"});
                self.say_of(at, json!({"type": "error", "streamId": stream, "error": error}))
            }
            (true, Some(stream), Closed::Lost) if stays => self.say_of(at, json!({"type": "end", "streamId": stream})),
            _ => {
                line.refused = closed;
                let Some(socket) = line.drops() else { return Ok(()) };
                self.line(at, |line, _| line.carrier.closed(socket, 1006, ""))
            }
        }
    }

    fn say_of(&mut self, at: usize, message: Value) -> Result<(), String> {
        let Some((socket, _)) = self.clients[at].line.socket else { return Ok(()) };
        self.clients[at].line.follow = None;
        self.line_hears(at, socket, &message.to_string())
    }

    /// A text came on the socket.
    pub fn line_hears(&mut self, at: usize, socket: u32, text: &str) -> Result<(), String> {
        self.line(at, |line, now| line.carrier.text(socket, text, now))
    }

    /// An item came on the page's stream, or on one that it has given up.
    pub fn line_brings(&mut self, at: usize, generation: Generation, bytes: &[u8]) -> Result<(), String> {
        // Nothing comes on a socket that is not open: who slept through that learns it now.
        self.line_opens(at, generation)?;
        let line = &self.clients[at].line;
        let Some((socket, true)) = line.socket else { return Ok(()) };
        let stream = line.follow.as_ref().filter(|(of, _)| *of == generation).map_or("follow-0", |(_, stream)| stream);
        let item = String::from_utf8_lossy(bytes);
        let text = format!("{{\"type\":\"item\",\"streamId\":\"{stream}\",\"value\":{item}}}");
        self.line_hears(at, socket, &text)
    }

    pub fn line_is_answered(&mut self, at: usize, id: u32, answer: Result<Answer, String>) -> Result<(), String> {
        self.line(at, |line, _| line.carrier.answered(id, answer))
    }

    /// Something is said on the stream about all sessions.
    fn event(&mut self, at: usize, event: &Value) {
        let Some(stream) = &self.clients[at].line.events else { return };
        let message = json!({"type": "item", "streamId": stream, "value": event});
        self.host_says(at, 1, &message);
    }

    /// The host says something beside the session's stream, so many ways over the network from now.
    fn host_says(&mut self, at: usize, ways: u64, message: &Value) {
        let line = &self.clients[at].line;
        let Some((socket, true)) = line.socket.filter(|_| !line.is_dead) else { return };
        self.later(at, ways * self.latency(at), What::Text(socket, message.to_string()));
    }

    /// The page is asked what it was not asked yet, and not what was decided meanwhile.
    pub fn ask_about(&mut self, at: usize) {
        if self.clients[at].line.events.is_none() {
            return;
        }
        let open = self.dsh.as_ref().map(super::Session::questions).unwrap_or_default();
        let asked = std::mem::take(&mut self.clients[at].line.asked);
        for (id, call) in open.iter().filter(|(id, _)| !asked.contains(id)) {
            let request = json!({"callId": call});
            self.event(at, &json!({"type": "waterfall", "eventId": id, "agentId": "t1", "request": request}));
        }
        for id in asked.iter().filter(|id| !open.iter().any(|(open, _)| open == *id)) {
            self.event(at, &json!({"type": "cancel", "eventId": id}));
        }
        self.clients[at].line.asked = open.into_iter().map(|(id, _)| id).collect();
    }

    /// A call is at the host.
    pub fn called(&mut self, at: usize, call: &Call) {
        let Call { call, reading, asking } = call;
        let mut latency = self.latency(at);
        let body: Value = serde_json::from_str(&call.body).unwrap_or_default();
        let arguments = &body["payload"]["args"];
        let answer = match call.method {
            "session/projections" => self.probed(at),
            "session/page" => {
                self.clients[at].excuses += u64::from(reading.is_some());
                if let Some(Reading::Slow(ms)) = reading {
                    latency += ms;
                }
                let Some(answer) = self.paged(arguments, *reading) else { return };
                answer
            }
            method => self.commanded(method, arguments, *asking),
        };
        self.later(at, latency, What::CallAnswered(call.id, answer));
    }

    fn paged(&self, arguments: &Value, fault: Option<Reading>) -> Option<Result<Answer, String>> {
        let through = arguments.pointer("/request/throughSeq").and_then(Value::as_u64);
        let stale = if let Some(Reading::Stale(rows)) = fault { rows } else { 0 };
        Some(match fault {
            Some(Reading::Lost) => Err("terminated".to_owned()),
            Some(Reading::Busy) => refused(429, Some(1_000)),
            Some(Reading::Malformed) => Ok(page("text/html", "<!doctype html>a portal".to_owned())),
            Some(Reading::Unauthorized) => refused(401, None),
            Some(Reading::Never) => return None,
            Some(Reading::Slow(_) | Reading::Stale(_)) | None => Ok(answer(&self.dsh.as_ref()?.page(through, stale))),
        })
    }

    fn commanded(&mut self, method: &str, arguments: &Value, fault: Option<Asking>) -> Result<Answer, String> {
        let lost = || Err("terminated".to_owned());
        match fault {
            Some(Asking::RequestLost) => return lost(),
            Some(Asking::Busy) => return refused(503, None),
            Some(Asking::AnswerLost | Asking::Twice) | None => {}
        }
        let Some(session) = &mut self.dsh else { return lost() };
        let (result, items) = if method == "$events/result" {
            let event = arguments["eventId"].as_str().unwrap_or_default();
            (json!({"ok": true, "value": {}}), session.decide(event, &arguments["outcome"]["value"]))
        } else {
            session.call(method, &arguments["request"])
        };
        self.broadcast_items(&items);
        if fault == Some(Asking::AnswerLost) { lost() } else { Ok(answer(&result)) }
    }

    /// What an ordinary call is told where no socket could be opened.
    fn probed(&self, at: usize) -> Result<Answer, String> {
        match &self.clients[at].line.refused {
            Closed::Refused { status, retry_after } => refused(*status, *retry_after),
            Closed::NotAStream(content_type) => Ok(page(content_type, "<!doctype html>".to_owned())),
            _ => Err("terminated".to_owned()),
        }
    }
}

fn answer(result: &Value) -> Answer {
    page("application/json", json!({"type": "server-response", "rpcId": "", "result": result}).to_string())
}

fn page(content_type: &str, body: String) -> Answer {
    Answer { status: 200, retry_after: None, content_type: content_type.to_owned(), body }
}

fn refused(status: u16, retry_after: Option<u64>) -> Result<Answer, String> {
    Ok(Answer { status, retry_after, content_type: String::new(), body: String::new() })
}

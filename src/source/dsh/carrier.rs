//! One session over one socket and a few calls: what the engine asks for becomes texts, what comes becomes inputs (B3).

use super::calls::{self, Answer, Call, Failure};
use super::decode;
use super::mux::{HostEvent, Kind, Message, Request, read_message};
use crate::event::CallId;
use crate::follow::dsh::{Event, Item};
use crate::follow::{self, Closed, Command, CommandId, Fetch, Generation, Input, Live, OnActive, Outcome, ReadId};
use crate::json::{self, Writer};
use std::collections::VecDeque;

/// A socket on which nothing came for so many ms is not used for another opening: it may be half open.
const STALE: u64 = 15_000;

/// The stream that a session is followed on.
const FOLLOW: &str = "session/follow";

/// How the ids of streams begin whose answer alone matters.
const KNOCK: &str = "knock-";

/// Which session is followed, and how much of it.
#[derive(Debug, Clone)]
pub struct Options {
    /// The session's id.
    pub session: String,
    /// The first opening brings at least so many of the newest messages, and a later one no fewer than came so far.
    pub max_messages: u32,
}

/// What is to be done for a carrier, in order.
#[derive(Debug, Clone)]
pub enum Act {
    /// Open a WebSocket at `{address}/api/remote.mux` (`http` becomes `ws`), under this number. The browser sends the
    /// page's cookies by itself; another client sends `Cookie` and an `Origin` that equals the host.
    Connect {
        /// Its number. There is at most one socket: whichever was open before is closed already or disconnected.
        socket: u32,
    },
    /// Send this text on the socket.
    Send {
        /// Its number.
        socket: u32,
        /// The text.
        text: String,
    },
    /// Close the socket with 1000; nothing of it is wanted any more.
    Disconnect {
        /// Its number.
        socket: u32,
    },
    /// Make a call, and give the answer to [`Carrier::answered`].
    Post(Call),
    /// Give this to the engine.
    Tell(Box<Input>),
}

/// The wire of one session. It owns nothing and waits for nothing: after every call of a method drain [`Carrier::poll`]
/// and do what it says.
///
/// | the engine asks | the carrier is told by |
/// |---|---|
/// | `Effect::OpenLive` | [`Carrier::open`] |
/// | `Effect::CloseLive` | [`Carrier::close`] |
/// | `Effect::Knock` | [`Carrier::knock`] |
/// | `Effect::Fetch` | [`Carrier::fetch`] |
/// | `Effect::Request` | [`Carrier::request`] |
/// | `Effect::Done`, `Effect::Anomaly` | the driver itself; they are not for the host |
///
/// | on the socket | the carrier is told by |
/// |---|---|
/// | it opened | [`Carrier::opened`] |
/// | a text came | [`Carrier::text`] |
/// | it closed, failed, or could not be opened | [`Carrier::closed`] |
///
/// A call's answer goes to [`Carrier::answered`]. When the app is done, close the engine first; whoever holds the socket
/// and the calls then ends them. Nothing late does harm: what names another socket, stream or call than the present one
/// is ignored.
#[derive(Debug)]
pub struct Carrier {
    options: Options,
    socket: Option<Socket>,
    next_socket: u32,
    next_stream: u32,
    next_call: u32,
    /// The opening that the engine wants: to be made when the socket is there, or under way on it.
    wanted: Option<Generation>,
    follow: Option<String>,
    /// The stream of what concerns all sessions, and who we are on it.
    events: Option<String>,
    client: Option<String>,
    /// Questions that this client may answer.
    questions: Vec<Question>,
    asked: Vec<(u32, Asked)>,
    /// How many messages the engine has.
    messages: u32,
    acts: VecDeque<Act>,
}

#[derive(Debug)]
struct Socket {
    number: u32,
    is_open: bool,
    heard_at: u64,
}

/// What a call was made for.
#[derive(Debug)]
enum Asked {
    Page(ReadId),
    Command(CommandId),
    /// The run that is active is cancelled first, then this is said.
    CancelThenSend(CommandId, Command),
    /// Why the socket could not be opened: a browser does not say.
    Probe(Generation),
}

/// A question that waits for an answer: the event to answer, the session that asks, and the call that it is about.
#[derive(Debug)]
struct Question {
    event: String,
    call: Option<CallId>,
}

impl Carrier {
    /// A carrier that does nothing until [`Carrier::open`].
    pub fn new(options: Options) -> Self {
        Self {
            options,
            socket: None,
            next_socket: 0,
            next_stream: 0,
            next_call: 0,
            wanted: None,
            follow: None,
            events: None,
            client: None,
            questions: Vec::new(),
            asked: Vec::new(),
            messages: 0,
            acts: VecDeque::new(),
        }
    }

    /// The next thing to do; None when there is nothing more for now.
    pub fn poll(&mut self) -> Option<Act> {
        self.acts.pop_front()
    }

    /// The engine wants the stream opened. A socket that is there and alive carries it, under a fresh id.
    pub fn open(&mut self, generation: Generation) {
        self.wanted = Some(generation);
        match &self.socket {
            Some(Socket { is_open: true, .. }) => self.start_following(),
            Some(_) => {}
            None => {
                self.next_socket = self.next_socket.wrapping_add(1);
                let number = self.next_socket;
                self.socket = Some(Socket { number, is_open: false, heard_at: 0 });
                self.acts.push_back(Act::Connect { socket: number });
            }
        }
    }

    /// The engine wants no more of this opening. The host confirms nothing, and what is queued may still come; it is
    /// ignored by its id.
    pub fn close(&mut self, generation: Generation, now: u64) {
        if self.wanted != Some(generation) {
            return;
        }
        self.wanted = None;
        if let Some(stream) = self.follow.take() {
            self.send(|w| {
                w.field("type", "cancel");
                w.field("streamId", &stream);
            });
        }
        if self.socket.as_ref().is_some_and(|socket| now.saturating_sub(socket.heard_at) > STALE) {
            self.disconnect();
        }
    }

    /// The engine wants to know whether the socket is alive. An opening that names no session is refused by its arguments
    /// alone, before the host does anything for it: an answer that costs and changes nothing.
    pub fn knock(&mut self, generation: Generation) {
        if self.wanted != Some(generation) {
            return;
        }
        let stream = self.fresh_stream(KNOCK);
        self.open_stream(&stream, FOLLOW, |_| {});
    }

    /// The socket is given up, and whatever is open on it; an opening after this makes another one.
    pub fn disconnect(&mut self) {
        if let Some(socket) = self.socket.take() {
            self.acts.push_back(Act::Disconnect { socket: socket.number });
        }
        self.forget_streams();
    }

    /// The engine wants the log read.
    pub fn fetch(&mut self, fetch: &Fetch) {
        let session = self.options.session.clone();
        let (through, limit) = (fetch.through, fetch.limit);
        self.call(Asked::Page(fetch.id), "session/page", |w| {
            w.key("request");
            w.object(|w| {
                write_address(w, &session);
                w.key("throughSeq");
                json::Wire::write(&through, w);
                w.key("maxMessages");
                w.number(u64::from(limit));
            });
        });
    }

    /// The engine wants a command carried out.
    pub fn request(&mut self, id: CommandId, command: &Command) {
        match command {
            Command::Send { on_active: OnActive::Cancel, .. } => {
                self.cancel(Asked::CancelThenSend(id, command.clone()));
            }
            Command::Send { .. } => self.say(id, command),
            Command::Cancel { .. } => self.cancel(Asked::Command(id)),
            Command::Resume { call_id, answer, .. } => self.decide(id, call_id.as_ref(), answer),
        }
    }

    /// The socket is open.
    pub fn opened(&mut self, socket: u32, now: u64) {
        let Some(open) = self.socket.as_mut().filter(|open| open.number == socket) else { return };
        open.is_open = true;
        open.heard_at = now;
        let events = self.fresh_stream("events-");
        self.open_stream(&events, "$events", |_| {});
        self.events = Some(events);
        self.start_following();
    }

    /// A text came on the socket.
    pub fn text(&mut self, socket: u32, text: &str, now: u64) {
        let Some(open) = self.socket.as_mut().filter(|open| open.number == socket) else { return };
        open.heard_at = now;
        match read_message(text) {
            Ok(message) if Some(message.stream) == self.follow.as_deref() => self.follow_message(&message),
            Ok(message) if Some(message.stream) == self.events.as_deref() => self.event_message(&message),
            Ok(message) if message.stream.starts_with(KNOCK) => self.live(Live::Activity),
            // What is left of a stream that was cancelled.
            Ok(_) => {}
            Err(error) => self.live(Live::Malformed("message".to_owned(), error)),
        }
    }

    /// The socket is closed, or could not be opened: with the code and the reason of the close, 1006 and nothing where
    /// there was none.
    pub fn closed(&mut self, socket: u32, code: u16, reason: &str) {
        let Some(closed) = self.socket.take_if(|open| open.number == socket) else { return };
        self.forget_streams();
        let Some(generation) = self.wanted else { return };
        if closed.is_open {
            self.lost(match code {
                1008 => Closed::Failed { code: "policy".to_owned(), message: reason.to_owned() },
                _ => Closed::Lost,
            });
        } else {
            let session = self.options.session.clone();
            self.call(Asked::Probe(generation), "session/projections", |w| {
                w.key("request");
                w.object(|w| {
                    w.field("sessionId", &session);
                });
            });
        }
    }

    /// A call was answered, or why there is no answer.
    pub fn answered(&mut self, call: u32, answer: Result<Answer, String>) {
        let Some(at) = self.asked.iter().position(|(id, _)| *id == call) else { return };
        match self.asked.remove(at).1 {
            Asked::Page(id) => {
                let window = calls::window(answer);
                if let Ok((window, _)) = &window {
                    self.messages = messages(&window.events);
                }
                self.tell(Input::Window(id, window));
            }
            Asked::Command(id) => self.tell(Input::Response(id, calls::outcome(answer))),
            Asked::CancelThenSend(id, command) => match calls::outcome(answer) {
                // Without a live agent there is nothing to cancel.
                Outcome::Accepted(_) | Outcome::Refused { status: 404, .. } => self.say(id, &command),
                failed => self.tell(Input::Response(id, failed)),
            },
            Asked::Probe(generation) => {
                if self.wanted == Some(generation) {
                    self.lost(probed(answer));
                }
            }
        }
    }

    /// True when [`Carrier::poll`] has something.
    pub fn has_acts(&self) -> bool {
        !self.acts.is_empty()
    }

    fn start_following(&mut self) {
        if self.wanted.is_none() {
            return;
        }
        let stream = self.fresh_stream("follow-");
        let (Options { session, max_messages }, shown) = (self.options.clone(), self.messages);
        self.open_stream(&stream, FOLLOW, |w| {
            w.key("request");
            w.object(|w| {
                write_address(w, &session);
                w.flag("assistantStream", true);
                w.key("maxMessages");
                w.number(u64::from(max_messages.max(shown)));
            });
        });
        self.follow = Some(stream);
        self.live(Live::Accepted);
    }

    fn follow_message(&mut self, message: &Message<'_>) {
        match (message.kind, message.value) {
            (Kind::Item, Some(value)) => match decode::read_item(value) {
                Ok(Some((item, notes))) => {
                    match &item {
                        Item::Snapshot(snapshot) => self.messages = messages(&snapshot.events),
                        Item::Event(event) => {
                            self.messages = self.messages.saturating_add(u32::from(event.is_message()));
                        }
                        Item::Frame(_) => {}
                    }
                    self.live(Live::Dsh(item, notes));
                }
                Ok(None) => self.live(Live::Unknown("item".to_owned())),
                Err(error) => self.live(Live::Malformed("item".to_owned(), error)),
            },
            (Kind::Error, error) => {
                let failure: Failure = error.and_then(|error| json::read(error).ok()).unwrap_or_default();
                self.follow = None;
                self.lost(match calls::status_of(&failure) {
                    404 => Closed::Refused { status: 404, retry_after: None },
                    _ => Closed::Failed { code: failure.code, message: failure.message },
                });
            }
            (Kind::End, _) => {
                self.follow = None;
                self.lost(Closed::Lost);
            }
            (Kind::Item, None) => {}
        }
    }

    /// Of what concerns all sessions, only questions matter here: a status is a hint that comes when it likes (B3).
    fn event_message(&mut self, message: &Message<'_>) {
        self.live(Live::Activity);
        let Some(event) = message.value.and_then(|value| json::read::<HostEvent>(value).ok()) else { return };
        match event {
            HostEvent::Ready { clientId } => self.client = Some(clientId),
            HostEvent::Waterfall { eventId, agentId, request } if agentId == self.options.session => {
                let call = json::read::<Request>(request.as_str()).ok().and_then(|request| request.callId);
                self.questions.push(Question { event: eventId, call });
            }
            HostEvent::Cancel { eventId } => self.questions.retain(|question| question.event != eventId),
            HostEvent::Waterfall { .. } | HostEvent::Unknown(_) => {}
        }
    }

    fn say(&mut self, id: CommandId, command: &Command) {
        let Command::Send { message_id, content, on_active, .. } = command else { return };
        let mode = if *on_active == OnActive::Steer { "steer" } else { "queue" };
        let session = self.options.session.clone();
        self.call(Asked::Command(id), "session/prompt", |w| {
            w.key("request");
            w.object(|w| {
                w.field("requestId", message_id.as_str());
                w.field("sessionId", &session);
                w.field("mode", mode);
                w.key("content");
                calls::write_content(w, content);
            });
        });
    }

    fn cancel(&mut self, asked: Asked) {
        let session = self.options.session.clone();
        self.call(asked, "session/cancel", |w| {
            w.key("request");
            w.object(|w| {
                w.field("sessionId", &session);
            });
        });
    }

    /// Answers the question about this call, or the only one there is.
    fn decide(&mut self, id: CommandId, call: Option<&CallId>, answer: &follow::Answer) {
        let follow::Answer::Approve { approve, .. } = answer else {
            return self.refuse(id, "unsupported_answer", "this host takes only a yes or a no");
        };
        let at = self.questions.iter().rposition(|question| call.is_none() || question.call.as_ref() == call);
        let (Some(client), Some(question)) = (self.client.clone(), at.map(|at| self.questions.remove(at))) else {
            return self.refuse(id, "nothing_pending", "the host did not ask this client about that call");
        };
        let value = if *approve { "allowed-once" } else { "rejected" };
        self.call(Asked::Command(id), "$events/result", |w| {
            w.field("clientId", &client);
            w.field("eventId", &question.event);
            w.key("outcome");
            w.object(|w| {
                w.field("kind", "result");
                w.field("value", value);
            });
        });
    }

    fn refuse(&mut self, id: CommandId, code: &str, message: &str) {
        let (code, message) = (code.to_owned(), message.to_owned());
        self.tell(Input::Response(id, Outcome::Refused { status: 409, retry_after: None, code, message }));
    }

    fn call(&mut self, asked: Asked, method: &'static str, arguments: impl FnOnce(&mut Writer)) {
        let id = self.next_call;
        self.next_call = id.wrapping_add(1);
        self.asked.push((id, asked));
        self.acts.push_back(Act::Post(Call { id, method, body: calls::body(id, method, arguments) }));
    }

    fn fresh_stream(&mut self, prefix: &str) -> String {
        self.next_stream = self.next_stream.wrapping_add(1);
        calls::numbered(prefix, self.next_stream)
    }

    fn open_stream(&mut self, stream: &str, endpoint: &str, arguments: impl FnOnce(&mut Writer)) {
        self.send(|w| {
            w.field("type", "open");
            w.field("streamId", stream);
            w.field("endpoint", endpoint);
            w.key("payload");
            w.object(|w| {
                w.key("args");
                w.object(arguments);
            });
        });
    }

    fn send(&mut self, fields: impl FnOnce(&mut Writer)) {
        let Some(Socket { number, is_open: true, .. }) = self.socket else { return };
        let mut w = Writer::new();
        w.object(fields);
        self.acts.push_back(Act::Send { socket: number, text: w.finish() });
    }

    fn forget_streams(&mut self) {
        self.follow = None;
        self.events = None;
        self.client = None;
        self.questions.clear();
    }

    /// The opening is over.
    fn lost(&mut self, closed: Closed) {
        self.live(Live::Closed(closed));
        self.wanted = None;
    }

    fn live(&mut self, live: Live) {
        if let Some(generation) = self.wanted {
            self.tell(Input::Live(generation, live));
        }
    }

    fn tell(&mut self, input: Input) {
        self.acts.push_back(Act::Tell(Box::new(input)));
    }
}

fn messages(events: &[Event]) -> u32 {
    u32::try_from(events.iter().filter(|event| event.is_message()).count()).unwrap_or(u32::MAX)
}

/// Why a socket could not be opened, by the answer to an ordinary call.
fn probed(answer: Result<Answer, String>) -> Closed {
    match answer {
        Err(_) => Closed::Lost,
        Ok(answer) if answer.status == 200 && calls::is_json(&answer.body) => Closed::Lost,
        Ok(Answer { status: 200 | 404, content_type, .. }) => Closed::NotAStream(content_type),
        Ok(Answer { status, retry_after, .. }) => Closed::Refused { status, retry_after },
    }
}

fn write_address(w: &mut Writer, session: &str) {
    w.key("address");
    w.object(|w| {
        w.field("kind", "session");
        w.field("sessionId", session);
    });
}

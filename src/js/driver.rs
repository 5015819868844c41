//! The class under `ThreadClient`, and the way in for what a custom source gives.

use super::fault::{argument, bad_argument};
use super::options;
use crate::event::{CallId, RunId};
use crate::follow::{
    Answer, Closed, Command, CommandId, Generation, Input, Live, OnActive, Outcome, ReadError, ReadId, Wake,
};
use crate::json::{self, wire_object};
use crate::source::dsh;
use crate::source::threadfold;
use crate::thread::Block;
use crate::web::{self, Came, Host};
use wasm_bindgen::prelude::*;

/// Follows one thread. All methods take `&self`, so a call from within a call is never a borrow too many.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Driver {
    driver: web::Driver,
    plain: bool,
}

#[wasm_bindgen]
impl Driver {
    /// A driver that does nothing yet. The options are JSON, and so is the initial page.
    ///
    /// # Errors
    /// `bad_argument`, naming what is wrong with the options.
    #[wasm_bindgen(constructor)]
    pub fn new(options: &str, initial: Option<String>, plain: bool, host: Host) -> Result<Self, JsValue> {
        let (engine, source) = options::read(options, initial.as_deref())?;
        Ok(Self { driver: web::Driver::new(engine, source, host), plain })
    }

    /// Follows the thread; when it does already, looks again.
    pub fn connect(&self) {
        self.driver.connect();
    }

    /// Looks again at once.
    pub fn retry(&self) {
        self.driver.feed([Input::Wake(Wake::User)]);
    }

    /// Ends all.
    pub fn close(&self) {
        self.driver.close();
    }

    /// Says something. `content` is a JSON array of blocks.
    ///
    /// # Errors
    /// `bad_argument`
    pub fn send(&self, id: u32, content: &str, message_id: &str, key: String, on_active: &str) -> Result<(), JsValue> {
        let content: Vec<Block> = argument("content", content)?;
        let on_active =
            OnActive::from_word(on_active).ok_or_else(|| bad_argument("onActive", format!("\"{on_active}\"")))?;
        let message_id = message_id.into();
        let command = Command::Send { message_id, content, idempotency_key: key, on_active };
        self.driver.feed([Input::Command(CommandId(id), command)]);
        Ok(())
    }

    /// Answers what a run waits for. `answer` is JSON: `{approve, reason}`, `{content, is_error}` or `{}`.
    ///
    /// # Errors
    /// `bad_argument`
    pub fn resume(
        &self,
        id: u32,
        run: Option<String>,
        call: Option<String>,
        answer: &str,
        key: String,
    ) -> Result<(), JsValue> {
        let given: GivenAnswer = argument("answer", answer)?;
        let answer = match (given.approve, given.content) {
            (Some(approve), _) => Answer::Approve { approve, reason: given.reason },
            (None, Some(content)) => Answer::Result { content, is_error: given.is_error.unwrap_or(false) },
            (None, None) => Answer::GoOn,
        };
        let run_id = run.as_deref().map(RunId::from);
        let call_id = call.as_deref().map(CallId::from);
        let command = Command::Resume { run_id, call_id, answer, idempotency_key: key };
        self.driver.feed([Input::Command(CommandId(id), command)]);
        Ok(())
    }

    /// Ends a run.
    pub fn cancel(&self, id: u32, run: Option<String>) {
        let run_id = run.as_deref().map(RunId::from);
        self.driver.feed([Input::Command(CommandId(id), Command::Cancel { run_id })]);
    }

    /// The whole view, as JSON.
    pub fn whole(&self) -> String {
        self.driver.whole()
    }

    /// Hands over what waits: changes and events.
    pub fn flush(&self) {
        self.driver.flush();
    }

    /// Collects events from now on, or no longer.
    pub fn listen(&self, on: bool) {
        self.driver.listen(on);
    }

    /// What a new reader of events has to know first, as a JSON array.
    pub fn history(&self) -> String {
        self.driver.history()
    }

    /// What was counted, as JSON.
    pub fn stats(&self) -> String {
        self.driver.stats()
    }

    /// A custom source's live stream was accepted.
    #[wasm_bindgen(js_name = liveAccepted)]
    pub fn live_accepted(&self, generation: u32) {
        self.live(generation, Live::Accepted);
    }

    /// A custom source's live stream brought an event.
    #[wasm_bindgen(js_name = liveEvent)]
    pub fn live_event(&self, generation: u32, name: &str, data: &str) {
        self.driver.count_bytes(data.len());
        let live = if self.plain { threadfold::plain_event(name, data) } else { threadfold::live_event(name, data) };
        self.live(generation, live);
    }

    /// A custom source's live stream is alive.
    #[wasm_bindgen(js_name = liveActivity)]
    pub fn live_activity(&self, generation: u32) {
        self.live(generation, Live::Activity);
    }

    /// A custom source's live stream is over.
    #[wasm_bindgen(js_name = liveClosed)]
    pub fn live_closed(&self, generation: u32, failure: &str) {
        let closed = match Failure::of(failure).refusal() {
            Some((status, retry_after)) => Closed::Refused { status, retry_after },
            None => Closed::Lost,
        };
        self.live(generation, Live::Closed(closed));
    }

    /// A custom source answered a read.
    #[wasm_bindgen]
    pub fn page(&self, id: u32, page: &str) {
        self.driver.count_bytes(page.len());
        let page = threadfold::read_page(200, None, "application/json", page);
        self.driver.feed([Input::Page(ReadId(id), page)]);
    }

    /// A custom source could not read.
    #[wasm_bindgen(js_name = pageFailed)]
    pub fn page_failed(&self, id: u32, failure: &str) {
        let failure = Failure::of(failure);
        let error = match failure.refusal() {
            Some((status, retry_after)) => ReadError::Refused { status, retry_after, code: failure.code },
            None => ReadError::Network(failure.message.unwrap_or_default()),
        };
        self.driver.feed([Input::Page(ReadId(id), Err(error))]);
    }

    /// A custom source carried out a command.
    #[wasm_bindgen]
    pub fn answered(&self, id: u32, accepted: &str) {
        self.driver.feed([Input::Response(CommandId(id), threadfold::response(202, None, accepted))]);
    }

    /// A custom source did not carry out a command.
    #[wasm_bindgen(js_name = answerFailed)]
    pub fn answer_failed(&self, id: u32, failure: &str) {
        let failure = Failure::of(failure);
        let refusal = failure.refusal();
        let message = failure.message.unwrap_or_default();
        let outcome = match refusal {
            Some((status, retry_after)) => {
                Outcome::Refused { status, retry_after, code: failure.code.unwrap_or_default(), message }
            }
            None => Outcome::Network(message),
        };
        self.driver.feed([Input::Response(CommandId(id), outcome)]);
    }

    /// A dsh host's socket is open.
    #[wasm_bindgen(js_name = socketOpened)]
    pub fn socket_opened(&self, socket: u32) {
        self.driver.came(Came::Opened(socket));
    }

    /// A text came on it.
    #[wasm_bindgen(js_name = socketText)]
    pub fn socket_text(&self, socket: u32, text: String) {
        self.driver.count_bytes(text.len());
        self.driver.came(Came::Text(socket, text));
    }

    /// It is closed, or could not be opened.
    #[wasm_bindgen(js_name = socketClosed)]
    pub fn socket_closed(&self, socket: u32, code: u16, reason: String) {
        self.driver.came(Came::Closed(socket, code, reason));
    }

    /// A dsh host answered a call. `retry_after` is in milliseconds.
    #[wasm_bindgen(js_name = callAnswered)]
    pub fn call_answered(&self, id: u32, status: u16, retry_after: Option<f64>, content_type: String, body: String) {
        self.driver.count_bytes(body.len());
        // A float is cut to the range of the integer.
        let retry_after = retry_after.map(|pause| pause as u64);
        self.driver.came(Came::Answered(id, Ok(dsh::Answer { status, retry_after, content_type, body })));
    }

    /// A dsh host did not answer a call.
    #[wasm_bindgen(js_name = callFailed)]
    pub fn call_failed(&self, id: u32, message: String) {
        self.driver.came(Came::Answered(id, Err(message)));
    }

    fn live(&self, generation: u32, live: Live) {
        self.driver.feed([Input::Live(Generation(generation), live)]);
    }
}

wire_object! {
    /// What a custom source's error says.
    #[derive(Default)]
    struct Failure {
        status: Option<u64> => optional,
        retry_after: Option<u64> => optional,
        code: Option<String> => optional,
        message: Option<String> => optional,
    }
}

wire_object! {
    struct GivenAnswer {
        approve: Option<bool> => optional,
        reason: Option<String> => optional,
        content: Option<Vec<Block>> => optional,
        is_error: Option<bool> => optional,
    }
}

impl Failure {
    /// What can't be read says nothing.
    fn of(text: &str) -> Self {
        json::read(text).unwrap_or_default()
    }

    /// The status and the pause, if it is a refusal.
    fn refusal(&self) -> Option<(u16, Option<u64>)> {
        let status = u16::try_from(self.status?).ok()?;
        Some((status, self.retry_after))
    }
}

//! Plays a script, line by line, and makes one that fails shorter.

use crate::check;
use crate::client::Client;
use crate::dsh::{Session, Socket};
use crate::host::{Act, text_block};
use crate::record;
use crate::script::{Line, Script, What};
use crate::world::{Tally, World};
use std::panic::{AssertUnwindSafe, catch_unwind};
use threadfold::event::MessageId;
use threadfold::follow::frame::{Frame, Ping};
use threadfold::follow::{Answer, Closed, Command, Input, OnActive, Protocol, Status, Wake};

/// How long a quiet time is, in ms: the longest heartbeat that is believed, and an opening after it. Plain streams teach
/// none.
const QUIET: u64 = 160_000;
const PLAIN_QUIET: u64 = 90_000;
/// How long nothing may be asked for after it, in ms.
const STILL: u64 = 32_000;
/// The same where a page asks a silent host for a sign of life once a minute: so long that it does.
const DSH_STILL: u64 = 80_000;

/// Plays a script; Err says what was wrong first.
pub fn play(script: &Script) -> Result<Tally, String> {
    catch_unwind(AssertUnwindSafe(|| {
        let mut world = World::new(script)?;
        for (number, line) in script.lines.iter().enumerate() {
            world.run_for(line.wait)?;
            world.perform_line(line).map_err(|wrong| format!("line {number} ({:?}): {wrong}", line.what))?;
        }
        world.rest()?;
        for at in 0..world.clients.len() {
            world.tally_life(at);
            record::write(script.seed, at, &world.clients[at]);
        }
        Ok(world.tally)
    }))
    .unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        Err(format!(
            "panic: {}",
            text.or(panic.downcast_ref::<&str>().map(|text| (*text).to_owned())).unwrap_or_default()
        ))
    })
}

/// The shortest script found that fails too, and how.
pub fn shrink(script: &Script, wrong: String) -> (Script, String) {
    let (mut shortest, mut wrong) = (script.clone(), wrong);
    let mut size = shortest.lines.len() / 2;
    while size > 0 {
        let mut at = 0;
        let mut shorter_found = false;
        while at < shortest.lines.len() {
            let mut shorter = shortest.clone();
            // What follows keeps its time.
            let gone: u64 = shorter.lines.drain(at..(at + size).min(shortest.lines.len())).map(|line| line.wait).sum();
            let _ = gone;
            match play(&shorter) {
                Err(still) => (shortest, wrong, shorter_found) = (shorter, still, true),
                Ok(_) => at += size,
            }
        }
        if !shorter_found || size > 1 {
            size /= 2;
        }
    }
    for at in 0..shortest.lines.len() {
        let mut simpler = shortest.clone();
        simpler.lines[at].wait = 0;
        if let Err(still) = play(&simpler) {
            (shortest, wrong) = (simpler, still);
        }
    }
    (shortest, wrong)
}

impl World {
    fn perform_line(&mut self, line: &Line) -> Result<(), String> {
        match line.what {
            What::Agent(number) if self.dsh.is_some() => {
                let items = self.dsh.as_mut().map(|session| session.agent(number)).unwrap_or_default();
                self.broadcast_items(&items);
            }
            What::Agent(number) => {
                let frames = self.backend.agent(number);
                self.broadcast(&frames);
            }
            What::Send(at, on_active) => self.send_from(at, on_active)?,
            What::Answer(at, number) => self.answer_from(at, number)?,
            What::Cancel(at) => self.ask(at, Command::Cancel { run_id: None })?,
            What::Lose(at) => self.clients[at].net.lose += 1,
            What::Twice(at) => self.clients[at].net.twice += 1,
            What::Swap(at) => self.clients[at].net.swap += 1,
            What::Garble(at) => self.clients[at].net.garble += 1,
            What::Slow(at, ms) => self.clients[at].net.slow = ms,
            What::Cut(at, bytes) => {
                let heard = self.clients[at].stream.as_mut().filter(|stream| stream.hears);
                let Some(stream) = heard else { return Ok(()) };
                if bytes == 0 {
                    let generation = stream.generation;
                    self.end(at, generation, Closed::Lost);
                } else {
                    stream.left = Some(bytes);
                }
            }
            What::HalfOpen(at) => self.forget_stream(at),
            What::Foreign(at) => {
                let ping = Ping { epoch: "elsewhere".into(), frontier: Some(1), revision: 0 };
                if let Some(generation) = self.clients[at].stream.as_ref().map(|stream| stream.generation) {
                    self.say(at, generation, &Frame::Ping(ping));
                }
            }
            What::Opens(at, how) => self.clients[at].net.opens.push(how),
            What::Reads(at, how) => self.clients[at].net.reads.push(how),
            What::Asks(at, how) => self.clients[at].net.asks.push(how),
            What::Restart(crash) => {
                if let Some(session) = &mut self.dsh {
                    session.crash(crash);
                    self.end_all();
                } else if self.backend.exists {
                    self.backend.crash(crash);
                    self.end_all();
                }
            }
            What::Bye => {
                let frames = self.backend.host.act(&Act::Bye);
                self.broadcast(&frames);
                self.end_all();
            }
            What::Hidden(at) => {
                self.clients[at].hidden = true;
                self.give(at, Input::Hidden)?;
                self.flush(at)?;
            }
            What::Visible(at) => self.see(at, Wake::Visible)?,
            What::Offline(at) => {
                self.clients[at].offline = true;
                self.forget_stream(at);
                self.give(at, Input::Offline)?;
            }
            What::Online(at) => self.see(at, Wake::Online)?,
            What::Retry(at) => self.see(at, Wake::User)?,
            What::Close(at) => {
                self.give(at, Input::Close)?;
                self.clients[at].closed = true;
                self.clients[at].stream = None;
                self.clients[at].line = Socket::default();
            }
            What::Reload(at, rendered) => self.reload(at, rendered)?,
            What::Sleep(at, ms) => self.clients[at].asleep_until = self.now + ms,
            What::Jump(at, ms) => self.clients[at].ahead += ms,
            What::Quiet => self.be_quiet()?,
        }
        Ok(())
    }

    /// The connection of this page goes nowhere from now on, and nobody says so.
    fn forget_stream(&mut self, at: usize) {
        let client = &mut self.clients[at];
        if let Some(stream) = &mut client.stream {
            stream.hears = false;
            client.line.dies();
        }
    }

    fn send_from(&mut self, at: usize, on_active: OnActive) -> Result<(), String> {
        let client = &self.clients[at];
        let name = format!("m{}-{}", client.life, client.commands);
        let content = vec![text_block("please")];
        let message_id = MessageId::from(name.as_str());
        self.ask(at, Command::Send { message_id, content, idempotency_key: name, on_active })
    }

    /// Somebody answers what the page shows as waiting, rightly or not.
    fn answer_from(&mut self, at: usize, number: u64) -> Result<(), String> {
        let client = &self.clients[at];
        let waits = |item: &&serde_json::Value| {
            item["kind"] == "awaiting" && (number.is_multiple_of(9) || item["resolved"] == false)
        };
        let Some(item) = client.items().iter().rev().find(waits) else { return Ok(()) };
        let call_id = item["pending_tool_use_id"].as_str().map(Into::into);
        let result = Answer::Result { content: vec![text_block("found")], is_error: number.is_multiple_of(4) };
        let answer = match (item["reason"].as_str(), number % 7) {
            (_, 0) => Answer::GoOn,
            (Some("client_execution" | "user_input" | "external_event"), _) => result,
            (_, 1) => result,
            (_, other) => Answer::Approve { approve: other > 2, reason: None },
        };
        let idempotency_key = format!("a{}-{}", client.life, client.commands);
        self.ask(at, Command::Resume { run_id: None, call_id, answer, idempotency_key })
    }

    fn ask(&mut self, at: usize, command: Command) -> Result<(), String> {
        let id = self.clients[at].next_command();
        self.give(at, Input::Command(id, command))
    }

    fn see(&mut self, at: usize, wake: Wake) -> Result<(), String> {
        let client = &mut self.clients[at];
        client.hidden &= !matches!(wake, Wake::Visible | Wake::Pageshow | Wake::User);
        client.offline &= !matches!(wake, Wake::Online | Wake::User);
        self.give(at, Input::Wake(wake))
    }

    /// All is well for a while, and then all have come to the same.
    fn be_quiet(&mut self) -> Result<(), String> {
        for at in 0..self.clients.len() {
            self.mend(at);
            self.clients[at].asleep_until = self.now;
            if self.clients[at].closed {
                continue;
            }
            // Whoever sees the page and has a network is told nothing: it comes to itself.
            if self.clients[at].hidden {
                self.see(at, Wake::Visible)?;
            }
            if self.clients[at].offline {
                self.see(at, Wake::Online)?;
            }
        }
        // A dsh host that sends something else first is given up: then so long that no such opening is under way.
        self.run_for(if self.dsh.is_some() { 20_000 } else { 2_000 })?;
        self.look_after_pages()?;
        let quiet = if self.way.protocol == Protocol::Plain { PLAIN_QUIET } else { QUIET };
        self.run_for(quiet)?;
        // An answer from before the quiet may have come since: that a thread is not there, to a page that asked early.
        if self.look_after_pages()? {
            self.run_for(quiet)?;
        }
        self.clients.iter_mut().for_each(|client| client.asked = 0);
        // A plain stream that was half open is found out at last: its log is read when it is given up, on opening, and page
        // by page where it is long.
        let excused = |client: &Client| 2 * client.engine.stats().openings + client.excuses;
        let before: Vec<u64> = self.clients.iter().map(excused).collect();
        let counted = |client: &Client| (client.engine.stats().openings, client.knocks);
        let counts: Vec<(u64, u64)> = self.clients.iter().map(counted).collect();
        self.run_for(if self.dsh.is_some() { DSH_STILL } else { STILL })?;
        let strict = self.way.protocol == Protocol::Strict;
        for (at, before) in before.into_iter().enumerate() {
            let who = |wrong| format!("page {at}: {wrong}");
            check::quiet(self, at).map_err(who)?;
            let (openings, knocks) = counted(&self.clients[at]);
            if self.dsh.is_some() && !self.clients[at].closed {
                let (opened, asked) = (openings - counts[at].0, knocks - counts[at].1);
                if opened > 0 || !(1..=2).contains(&asked) {
                    return Err(who(format!("{opened} openings and {asked} questions while nothing happens")));
                }
            }
            let excuses = excused(&self.clients[at]) - before;
            let allowed = if self.way.protocol == Protocol::Plain { STILL / 3_000 + 1 + excuses } else { 0 };
            if self.clients[at].asked > allowed {
                return Err(who(format!("{} reads while nothing happens", self.clients[at].asked)));
            }
        }
        // What comes now is seen as it comes.
        if let Some(item) = self.dsh.as_mut().and_then(Session::live) {
            self.broadcast_items(&[item]);
            self.run_for(2 * self.way.latency + 50)?;
            for at in 0..self.clients.len() {
                check::quiet(self, at).map_err(|wrong| format!("page {at}: live is not live: {wrong}"))?;
            }
        }
        if strict && self.backend.host.active.as_ref().is_some_and(|attempt| attempt.seq.is_none()) {
            let frames = self.backend.host.act(&crate::host::delta("live"));
            self.broadcast(&frames);
            self.run_for(2 * self.way.latency + 50)?;
            for at in 0..self.clients.len() {
                check::quiet(self, at).map_err(|wrong| format!("page {at}: live is not live: {wrong}"))?;
            }
        }
        Ok(())
    }

    /// Where a page gave up and says so, somebody asks it to try again.
    fn look_after_pages(&mut self) -> Result<bool, String> {
        let mut any = false;
        for at in 0..self.clients.len() {
            let status = self.clients[at].engine.status();
            if matches!(status, Status::Failed { .. } | Status::Unauthorized) {
                self.see(at, Wake::User)?;
                any = true;
            }
        }
        Ok(any)
    }

    /// Everything comes to its end: at last the view is the log.
    fn rest(&mut self) -> Result<(), String> {
        self.be_quiet().map_err(|wrong| format!("at the end: {wrong}"))?;
        if let Some(session) = &mut self.dsh {
            let items = session.rest();
            self.broadcast_items(&items);
        } else if self.backend.exists {
            let frames = self.backend.rest();
            self.broadcast(&frames);
        }
        self.be_quiet().map_err(|wrong| format!("at rest: {wrong}"))
    }
}

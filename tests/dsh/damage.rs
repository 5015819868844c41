// One recording played to one client over a faulty wire, or by a faulty host; what must hold is looked at all the while.

use crate::following::{Following, Request};
use crate::model::Host;
use crate::recording::Recording;
use crate::rows::{Action, Rows};
use crate::seen::{committed, is_answer, is_committed, items, place_of, previews};
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};

/// What goes wrong, once, at the item of this number (counted over all lives of the host), or now and then.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Damage {
    Nothing,
    /// The item is lost.
    Drop(usize),
    /// It comes twice.
    Double(usize),
    /// The next one overtakes it.
    Swap(usize),
    /// The socket breaks behind it.
    Cut(usize),
    /// The host does not send the frame, and does not count it either.
    Forget(usize),
    /// The frame says that it is of another attempt.
    Rename(usize),
    /// From here on the host counts its frames from one again, as a new agent does.
    Recount(usize),
    /// The end says that nothing came of the attempt.
    Abandon(usize),
    /// The end names another type.
    Mistype(usize),
    /// The end names what an earlier attempt left.
    Misname(usize),
    /// The start comes only behind the end.
    Belate(usize),
    /// The next frames are counted wrongly, one opening after the other.
    Storm(usize),
    /// The event is lost, and pages are answered late.
    Late(usize),
    /// The event is lost, and the first pages end too early or fail: so many of each.
    Pages(usize, u32, u32),
    /// The item is lost, and the next so many baselines are not as long as they say.
    Baselines(usize, u32),
    /// Items are lost, doubled, overtaken and the socket broken at random, from this seed.
    Random(u64),
}

/// What the damaged replays counted, all together.
#[derive(Debug, Default)]
pub struct Sums {
    pub variants: u64,
    pub reopens: u64,
    pub losses: u64,
    pub reads: u64,
    pub anomalies: HashMap<&'static str, u64>,
    pub rows: HashMap<&'static str, u64>,
}

impl Sums {
    /// Adds what another recording counted.
    pub fn add(&mut self, other: &Sums) {
        self.variants += other.variants;
        self.reopens += other.reopens;
        self.losses += other.losses;
        self.reads += other.reads;
        for (word, count) in &other.anomalies {
            *self.anomalies.entry(word).or_default() += count;
        }
        for (word, count) in &other.rows {
            *self.rows.entry(word).or_default() += count;
        }
    }

    /// All but the rows, in a line of JSON.
    pub fn line(&self) -> String {
        let Self { variants, reopens, losses, reads, anomalies, .. } = self;
        json!({"variants": variants, "reopens": reopens, "losses": losses, "reads": reads, "anomalies": anomalies})
            .to_string()
    }
}

/// What somebody sees who opens the session anew, at every length of its log: what is committed in the view, as JSON.
pub struct Cold {
    /// For each life of the host.
    lives: Vec<HashSet<String>>,
    last: String,
}

impl Cold {
    pub fn of(recording: &Recording) -> Self {
        let mut last = String::new();
        let mut lives = Vec::new();
        for life in &recording.lives {
            let mut host = Host::new(&life.snapshot);
            let first = host.log.len();
            life.items.iter().for_each(|(_, item)| host.happen(item));
            let mut seen = HashSet::new();
            for through in first..=host.log.len() {
                last = committed(&cold_view(&recording.session, &host.cold(through)));
                seen.insert(last.clone());
            }
            lives.push(seen);
        }
        Self { lives, last }
    }
}

fn cold_view(session: &str, snapshot: &Value) -> Value {
    let mut client = Following::new(session, 1);
    while let Some(request) = client.requests.pop_front() {
        match request {
            Request::Connect(socket) => client.accept(socket),
            Request::Follow(stream) => {
                client.follow(stream);
                client.item(&snapshot.to_string());
            }
            Request::Cancel(_) | Request::Call(..) | Request::Disconnect => {}
        }
    }
    client.view()
}

/// Plays a recording with a damage; what did not hold, if anything.
///
/// # Errors
/// What did not hold, and where.
pub fn play(recording: &Recording, cold: &Cold, damage: Damage, sums: &mut Sums) -> Result<(), String> {
    let mut wire = Wire::new(recording, cold, damage);
    wire.play()?;
    let stats = wire.client.stats();
    sums.variants += 1;
    sums.reopens += stats.reopens;
    sums.losses += stats.losses;
    sums.reads += stats.reads;
    for code in &wire.client.anomalies {
        *sums.anomalies.entry(code).or_default() += 1;
    }
    for (row, count) in &wire.rows.counts {
        *sums.rows.entry(row).or_default() += count;
    }
    Ok(())
}

struct Wire<'a> {
    recording: &'a Recording,
    cold: &'a Cold,
    damage: Damage,
    client: Following,
    host: Host,
    rows: Rows,
    life: usize,
    /// The number of the item that comes next.
    at: usize,
    /// The client has seen the snapshot of this life.
    is_current: bool,
    stream: Option<String>,
    /// An item that the next one overtakes.
    waiting: Option<Value>,
    /// Frames that were not counted.
    forgotten: u64,
    /// What frames are counted from.
    counted_from: u64,
    short_pages: u32,
    failing_pages: u32,
    bad_baselines: u32,
    /// A start that is kept back.
    belated: Option<Value>,
    /// A page that is answered when this item comes.
    deferred: Option<(usize, u32, Value)>,
    random: u64,
    /// How often something went wrong: each may cost an opening.
    faults: u64,
    was_filled: bool,
}

impl<'a> Wire<'a> {
    fn new(recording: &'a Recording, cold: &'a Cold, damage: Damage) -> Self {
        let first = recording.lives.first().map(|life| life.snapshot.clone()).unwrap_or_default();
        let (short_pages, failing_pages) = match damage {
            Damage::Pages(_, short, failing) => (short, failing),
            _ => (0, 0),
        };
        let random = if let Damage::Random(seed) = damage { seed } else { 0 };
        Self {
            recording,
            cold,
            damage,
            client: Following::new(&recording.session, 1_000),
            host: Host::new(&first),
            rows: Rows::default(),
            life: 0,
            at: 0,
            is_current: false,
            stream: None,
            waiting: None,
            forgotten: 0,
            counted_from: 0,
            short_pages,
            failing_pages,
            bad_baselines: 0,
            belated: None,
            deferred: None,
            random,
            faults: 0,
            was_filled: false,
        }
    }

    fn play(&mut self) -> Result<(), String> {
        let recording = self.recording;
        for (number, life) in recording.lives.iter().enumerate() {
            if number > 0 {
                self.cut();
                self.host = Host::new(&life.snapshot);
                self.life = number;
                self.is_current = false;
                (self.forgotten, self.counted_from, self.belated) = (0, 0, None);
            }
            self.settle()?;
            for (_, item) in &life.items {
                self.step(item).map_err(|why| format!("item {}: {why}", self.at))?;
                self.at += 1;
            }
        }
        self.overtaken()?;
        self.finish()
    }

    /// One item happens, comes or does not come, and the client is given what it then asks for.
    fn step(&mut self, item: &Value) -> Result<(), String> {
        let item = self.host_fault(item);
        self.host.happen(&item);
        let here = self.at;
        let is_here = |at: usize| at == here;
        let (mut sent, mut twice, mut late, mut cut) = (true, false, false, false);
        match self.damage {
            Damage::Drop(at) | Damage::Pages(at, ..) | Damage::Baselines(at, _) | Damage::Late(at) => {
                sent = !is_here(at)
            }
            Damage::Forget(at) | Damage::Belate(at) => sent = !is_here(at),
            Damage::Double(at) => twice = is_here(at),
            Damage::Swap(at) => late = is_here(at),
            Damage::Cut(at) => cut = is_here(at),
            Damage::Random(_) => match self.draw() % 40 {
                0 => sent = false,
                1 => twice = true,
                2 => late = true,
                3 if self.draw().is_multiple_of(3) => cut = true,
                _ => {}
            },
            _ => {}
        }
        if let Damage::Baselines(at, count) = self.damage
            && is_here(at)
        {
            self.bad_baselines = count;
        }
        if matches!(self.damage, Damage::Forget(at) | Damage::Belate(at) if is_here(at)) {
            self.forgotten += 1;
        }
        if matches!(self.damage, Damage::Belate(at) if is_here(at)) {
            self.belated = Some(item.clone());
        }
        if !sent || twice || late {
            self.faults += 1;
        }
        let item = self.numbered(&item);
        let is_end = item.pointer("/frame/type").is_some_and(|kind| kind == "end");
        let last = item.pointer("/frame/revision").and_then(Value::as_u64);
        if late && self.waiting.is_none() && self.stream.is_some() {
            self.waiting = Some(item);
        } else if sent {
            self.deliver(&item)?;
            if twice {
                self.deliver(&item)?;
            }
            self.overtaken()?;
        }
        if cut {
            self.cut();
        }
        self.settle()?;
        if let Some(mut start) = self.belated.take_if(|_| is_end) {
            // Now it is counted, as the frame that is next.
            self.forgotten -= 1;
            if let (Some(revision), Some(last)) = (start.pointer_mut("/frame/revision"), last) {
                *revision = json!(last + 1);
            }
            self.deliver(&start)?;
        }
        self.settle()
    }

    fn overtaken(&mut self) -> Result<(), String> {
        match self.waiting.take() {
            Some(item) => self.deliver(&item),
            None => Ok(()),
        }
    }

    /// What a faulty host makes of the item.
    fn host_fault(&mut self, item: &Value) -> Value {
        let mut item = item.clone();
        let Some(frame) = item.get_mut("frame").and_then(Value::as_object_mut) else { return item };
        let mut set = |key: &str, value: Value| {
            frame.insert(key.to_owned(), value);
        };
        match self.damage {
            Damage::Rename(at) if at == self.at => {
                set("attemptId", json!("somebody:9"));
                self.faults += 1;
            }
            Damage::Abandon(at) if at == self.at => {
                set("outcome", json!({"kind": "abandoned"}));
                self.faults += 1;
            }
            Damage::Mistype(at) if at == self.at => {
                if let Some(Value::Object(outcome)) = frame.get_mut("outcome") {
                    outcome.insert("eventType".to_owned(), json!("assistant/other"));
                }
                self.faults += 1;
            }
            Damage::Misname(at) if at == self.at => {
                if let (Some(Value::Object(outcome)), Some(seq)) =
                    (frame.get_mut("outcome"), self.host.earlier_settlement())
                {
                    outcome.insert("seq".to_owned(), json!(seq));
                }
                self.faults += 1;
            }
            Damage::Recount(at) if at == self.at => {
                self.counted_from = frame.get("revision").and_then(Value::as_u64).unwrap_or(1) - 1;
                self.faults += 1;
            }
            _ => {}
        }
        item
    }

    /// The item with its frame's number as this host counts.
    fn numbered(&mut self, item: &Value) -> Value {
        let mut item = item.clone();
        if let Some(revision) = item.pointer_mut("/frame/revision") {
            let mut counted = revision.as_u64().unwrap_or(0).saturating_sub(self.forgotten + self.counted_from);
            if matches!(self.damage, Damage::Storm(at) if (at..at + 8).contains(&self.at)) {
                self.faults += 1;
                counted += 5;
            }
            *revision = json!(counted);
        }
        item
    }

    /// True while something may be wrong: a view is much to look at.
    fn is_watched(&self) -> bool {
        match self.damage {
            Damage::Random(_) | Damage::Nothing => true,
            Damage::Drop(at)
            | Damage::Double(at)
            | Damage::Swap(at)
            | Damage::Cut(at)
            | Damage::Forget(at)
            | Damage::Rename(at)
            | Damage::Recount(at)
            | Damage::Abandon(at)
            | Damage::Mistype(at)
            | Damage::Misname(at)
            | Damage::Belate(at)
            | Damage::Storm(at)
            | Damage::Late(at)
            | Damage::Pages(at, ..)
            | Damage::Baselines(at, _) => (at..at + 16).contains(&self.at),
        }
    }

    fn deliver(&mut self, item: &Value) -> Result<(), String> {
        if self.stream.is_none() {
            return Ok(());
        }
        self.rows.now = self.client.now;
        let before = (self.is_current && self.is_watched()).then(|| committed(&self.client.view()));
        let action = self.rows.item(item);
        self.client.item(&item.to_string());
        self.did(action, "the item")?;
        // I3: a frame that is not an end, and does not open the stream again, moves nothing that is committed.
        let is_frame = item.pointer("/frame/type").is_some_and(|kind| kind != "end");
        if is_frame
            && action == Action::Nothing
            && before.is_some_and(|before| before != committed(&self.client.view()))
        {
            return Err("a frame changed what is committed (I3)".to_owned());
        }
        self.look()
    }

    /// The client opens the stream again when its row says so, and only then.
    fn did(&mut self, action: Action, what: &str) -> Result<(), String> {
        let cancels = |request: &Request| matches!(request, Request::Cancel(_) | Request::Disconnect);
        let opens = self.client.requests.iter().any(cancels);
        if opens != (action == Action::Open) {
            return Err(format!("{what} should have led to {action:?}, and opening again is {opens}"));
        }
        if opens {
            self.stream = None;
        }
        Ok(())
    }

    fn cut(&mut self) {
        if self.stream.take().is_some() {
            self.rows.lost();
        }
        self.client.cut();
        self.faults += 1;
    }

    /// Answers the client at this instant until it listens and wants nothing.
    fn settle(&mut self) -> Result<(), String> {
        for _ in 0..200 {
            self.serve()?;
            if self.stream.is_some() {
                return Ok(());
            }
            let Some(at) = self.client.engine.deadline() else {
                return Err("the client waits for nothing, and does not listen".to_owned());
            };
            self.client.tick(at);
        }
        Err("the client never comes to rest".to_owned())
    }

    fn serve(&mut self) -> Result<(), String> {
        if let Some((_, call, arguments)) = self.deferred.take_if(|(until, ..)| *until <= self.at) {
            self.page(call, &arguments)?;
        }
        while let Some(request) = self.client.requests.pop_front() {
            self.answer(request)?;
        }
        Ok(())
    }

    fn answer(&mut self, request: Request) -> Result<(), String> {
        match request {
            Request::Connect(socket) => self.client.accept(socket),
            Request::Cancel(_) | Request::Disconnect => self.stream = None,
            Request::Follow(stream) => {
                self.client.follow(stream.clone());
                self.stream = Some(stream);
                self.waiting = None;
                self.open()?;
            }
            Request::Call(call, method, arguments) if method == "session/page" => match self.damage {
                Damage::Late(at) if self.at < at + 6 => self.deferred = Some((at + 6, call, arguments)),
                _ => self.page(call, &arguments)?,
            },
            Request::Call(call, ..) => self.client.answer(call, &json!({"ok": true, "value": {}})),
        }
        Ok(())
    }

    fn open(&mut self) -> Result<(), String> {
        let mut snapshot = self.host.snapshot();
        if let Some(revision) = snapshot.pointer_mut("/assistantStream/revision") {
            *revision = json!(revision.as_u64().unwrap_or(0).saturating_sub(self.forgotten + self.counted_from));
        }
        let is_bad = self.bad_baselines > 0;
        if let Some(next) = snapshot.pointer_mut("/assistantStream/activeAttempt/nextIndex").filter(|_| is_bad) {
            *next = json!(next.as_u64().unwrap_or(0) + 1);
            self.bad_baselines -= 1;
            self.faults += 1;
        }
        self.rows.now = self.client.now;
        let action = self.rows.item(&snapshot);
        self.client.item(&snapshot.to_string());
        self.did(action, "the snapshot")?;
        if action == Action::Open {
            return Ok(());
        }
        self.is_current = true;
        // I4: after an opening the live text is the baseline's.
        let settled =
            snapshot.pointer("/assistantStream/activeAttempt").is_none_or(|active| self.host.has_settled(active));
        let expected = if settled || is_bad { "[]".to_owned() } else { self.host.live() };
        let found =
            previews(&self.client.view()).into_iter().map(|(_, parts)| parts).next().unwrap_or_else(|| "[]".to_owned());
        if found != expected {
            return Err(format!("after an opening {found} is live, and not {expected} (I4)"));
        }
        self.look()
    }

    fn page(&mut self, call: u32, arguments: &Value) -> Result<(), String> {
        let wished = arguments.pointer("/request/throughSeq").and_then(Value::as_i64).unwrap_or(-1);
        let mut answer = self.host.page(arguments);
        if self.failing_pages > 0 {
            self.failing_pages -= 1;
            answer = json!({"ok": false, "error": {"code": "gateway/overloaded", "message": "not now", "details": {}}});
        } else if self.short_pages > 0 {
            self.short_pages -= 1;
            if let Some(Value::Array(records)) = answer.pointer_mut("/value/records") {
                records.pop();
            }
        }
        let records = answer.pointer("/value/records").and_then(Value::as_array);
        let events: Option<Vec<Value>> =
            records.map(|records| records.iter().filter_map(|record| record.get("event").cloned()).collect());
        self.rows.now = self.client.now;
        let action = self.rows.page(events.as_deref(), wished);
        self.client.answer(call, &answer);
        self.did(action, "the page")?;
        self.look()
    }

    /// What must hold at every moment.
    fn look(&mut self) -> Result<(), String> {
        if !self.is_watched() {
            return Ok(());
        }
        let view = self.client.view();
        let items = items(&view);
        // A prompt that waits is the host's to tell: while a turn takes it, it is in no list and not yet in the log.
        let is_filled = items.iter().any(|item| is_committed(item) || is_answer(item));
        if !is_filled && self.was_filled {
            return Err("the view went blank (I8)".to_owned());
        }
        self.was_filled |= is_filled;
        let mut keys = HashSet::new();
        if let Some(item) = items.iter().find(|item| !keys.insert(item.get("key").map(Value::to_string))) {
            return Err(format!("two items have the key of {item}"));
        }
        if !self.is_current {
            return Ok(());
        }
        // I2 and I7: what is committed is a beginning of the log, in its order, each event once.
        let shown = committed(&view);
        if !self.cold.lives.get(self.life).is_some_and(|seen| seen.contains(&shown)) {
            return Err(format!("what is committed is the view of no beginning of the log (I2): {shown}"));
        }
        for (place, parts) in previews(&view) {
            let attempts = self.host.attempts.iter().filter(|attempt| place == (attempt.turn, attempt.step));
            if !attempts.clone().any(|attempt| attempt.known.contains(&parts)) {
                return Err(format!("{parts} is live, which no attempt has said"));
            }
            // I1: an attempt is seen once, as its preview or as what it left.
            let kept = items.iter().filter(|item| is_answer(item) && place_of(item) == place).count();
            if kept > attempts.count() + self.host.settled_before(place) {
                return Err("an attempt is shown twice (I1)".to_owned());
            }
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<(), String> {
        // One event more, so that it is noticed when the last one was lost; a view shows nothing of it.
        let seq = self.host.cursor() + 1;
        let event = json!({"type": "x/last", "seq": seq, "time": 1, "data": {}});
        let item = json!({"type": "event", "event": event});
        self.host.happen(&item);
        self.deliver(&item)?;
        self.at = usize::MAX;
        self.settle()?;
        // A read that failed is made again in its time.
        let patience = self.client.now + 60_000;
        while self.rows.is_repairing() && self.client.now < patience {
            self.client.tick(self.client.engine.deadline().unwrap_or(patience));
            self.settle()?;
        }
        let view = self.client.view();
        let shown = committed(&view);
        if shown != self.cold.last {
            return Err(format!("at the end {shown} is shown (I5), and not {}", self.cold.last));
        }
        // Only what the host itself still streams may be live.
        if previews(&view).into_iter().any(|(_, parts)| parts != self.host.live()) {
            return Err("something is live that nobody says".to_owned());
        }
        let reopens = self.client.stats().reopens;
        if reopens > self.faults {
            return Err(format!("{reopens} openings for {} faults (I6)", self.faults));
        }
        Ok(())
    }

    fn draw(&mut self) -> u64 {
        self.random = self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.random >> 33
    }
}

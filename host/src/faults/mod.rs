//! Faults on demand: what networks, proxies and failing hosts do to a stream, done on purpose and counted.
//!
//! A specification ([`spec`]) comes with a request's URL (`?fault=…&seed=…`), or is set for a thread or for all of them
//! while the host runs. All that apply are asked about every frame.

mod spec;
#[cfg(test)]
mod tests;

pub use spec::{BadFault, Fault, Kind, Place, parse};

use crate::hub::Encoded;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use threadfold::event::ThreadId;

/// All faults that are on, and what they did.
#[derive(Default)]
pub struct Faults {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    sets: HashMap<Scope, Set>,
    injected: BTreeMap<String, u64>,
}

/// To whom a set applies.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Scope {
    All,
    Thread(ThreadId),
    /// Requests of this thread whose URL says so; their counts go on over reconnects.
    Url(ThreadId, String),
}

struct Set {
    spec: String,
    faults: Vec<Fault>,
    random: fastrand::Rng,
}

/// What a request says about faults.
#[derive(Debug, Clone)]
pub struct Asked {
    /// The thread.
    pub thread: ThreadId,
    /// The `fault` parameter.
    pub spec: Option<String>,
}

/// How far a connection is.
#[derive(Debug, Clone, Copy, Default)]
pub struct Progress {
    /// Frames sent.
    pub frames: u64,
    /// Bytes sent behind `opened`.
    pub bytes: u64,
}

/// What happens to a frame.
#[derive(Debug, Default, PartialEq)]
pub struct Plan {
    /// How often it is sent.
    pub copies: usize,
    /// It waits for its successor.
    pub held: bool,
    /// It waits this long.
    pub delay: Duration,
    /// Only this many bytes of it are sent, and the connection breaks.
    pub cut: Option<usize>,
    /// Nothing more is sent.
    pub stall: bool,
    /// The stream ends here.
    pub close: bool,
    /// The log gets a new epoch.
    pub epoch: bool,
}

/// What a request is answered with instead of its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Instead {
    /// This status.
    Status(u16),
    /// A page of HTML.
    Html,
}

impl Faults {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Turns on a specification for a thread, or for all; replaces what was on there. An empty one turns it off.
    ///
    /// # Errors
    /// When it names no fault.
    pub fn set(&self, thread: Option<ThreadId>, spec: &str, seed: u64, times: Option<u64>) -> Result<(), BadFault> {
        let mut faults = parse(spec)?;
        if times.is_some() {
            faults.iter_mut().for_each(|fault| fault.left = times);
        }
        let scope = thread.map_or(Scope::All, Scope::Thread);
        let mut state = self.lock();
        if faults.is_empty() {
            state.sets.remove(&scope);
        } else {
            let set = Set { spec: spec.to_owned(), faults, random: fastrand::Rng::with_seed(seed) };
            state.sets.insert(scope, set);
        }
        Ok(())
    }

    /// Turns on what a URL asks for, unless a request with the same URL did so before.
    ///
    /// # Errors
    /// When it names no fault.
    pub fn ask(&self, asked: &Asked, seed: u64) -> Result<(), BadFault> {
        let Some(spec) = &asked.spec else { return Ok(()) };
        let faults = parse(spec)?;
        self.lock().sets.entry(Scope::Url(asked.thread.clone(), spec.clone())).or_insert_with(|| Set {
            spec: spec.clone(),
            faults,
            random: fastrand::Rng::with_seed(seed),
        });
        Ok(())
    }

    /// Turns all off; the counts stay.
    pub fn clear(&self) {
        self.lock().sets.clear();
    }

    /// What was injected, by kind.
    pub fn injected(&self) -> BTreeMap<String, u64> {
        self.lock().injected.clone()
    }

    /// The specifications that are on, with the thread each is for.
    pub fn active(&self) -> Vec<(Option<ThreadId>, String)> {
        let state = self.lock();
        let of = |scope: &Scope| match scope {
            Scope::All => None,
            Scope::Thread(thread) | Scope::Url(thread, _) => Some(thread.clone()),
        };
        state.sets.iter().map(|(scope, set)| (of(scope), set.spec.clone())).collect()
    }

    /// What the request is answered with instead of its answer.
    pub fn instead(&self, asked: &Asked, place: Place) -> Option<Instead> {
        let mut instead = None;
        self.lock().each(asked, place, |kind, _| match kind {
            Kind::Status(status) if instead.is_none() => {
                instead = Some(Instead::Status(status));
                true
            }
            Kind::Html if instead.is_none() => {
                instead = Some(Instead::Html);
                true
            }
            _ => false,
        });
        instead
    }

    /// How many milliseconds a read lags. Counted with [`Faults::count`] when it hid something.
    pub fn stale(&self, asked: &Asked) -> Option<u64> {
        let mut lag = None;
        self.lock().each(asked, Place::Read, |kind, _| {
            if let Kind::Stale(millis) = kind {
                lag = Some(millis);
            }
            false
        });
        lag
    }

    /// Counts what was injected elsewhere.
    pub fn count(&self, name: &str) {
        self.lock().count(name);
    }

    /// What happens to this frame.
    pub fn plan(&self, asked: &Asked, frame: &Encoded, at: Progress) -> Plan {
        let mut plan = Plan { copies: 1, ..Plan::default() };
        let lossy = !matches!(frame.name, "opened" | "bye");
        let length = frame.bytes.len();
        self.lock().each(asked, Place::Live, |kind, random| match kind {
            Kind::Drop(share) if lossy && plan.copies == 1 && random.f64() < share => {
                plan.copies = 0;
                true
            }
            Kind::Duplicate(share) if lossy && plan.copies == 1 && random.f64() < share => {
                plan.copies = 2;
                true
            }
            Kind::Reorder(share) if lossy && plan.copies == 1 && random.f64() < share => {
                plan.held = true;
                true
            }
            Kind::Delay(millis) => {
                plan.delay += Duration::from_millis(millis);
                true
            }
            Kind::Cut(bytes) if frame.name != "opened" && plan.cut.is_none() && at.bytes + length as u64 > bytes => {
                plan.cut = Some(usize::try_from(bytes.saturating_sub(at.bytes)).unwrap_or(0).min(length - 1));
                true
            }
            Kind::CutUtf8 if plan.cut.is_none() => {
                let inside = frame.bytes.iter().position(|byte| *byte >= 0xC0).map(|first| first + 1);
                plan.cut = if frame.name == "opened" { None } else { inside };
                plan.cut.is_some()
            }
            Kind::CutLast if frame.is_terminal && plan.cut.is_none() => {
                plan.cut = Some(length / 2);
                true
            }
            Kind::HalfOpen(frames) if at.frames >= frames && !plan.stall => {
                plan.stall = true;
                true
            }
            Kind::Close(frames) if at.frames >= frames && !plan.close => {
                plan.close = true;
                true
            }
            Kind::NoOpened if frame.name == "opened" => {
                plan.copies = 0;
                true
            }
            Kind::Epoch(frames) if at.frames >= frames && !plan.epoch => {
                plan.epoch = true;
                true
            }
            _ => false,
        });
        plan
    }
}

impl State {
    /// Shows every fault that may strike here; one that says it did is counted, and one of its times is used up.
    fn each(&mut self, asked: &Asked, place: Place, mut strike: impl FnMut(Kind, &mut fastrand::Rng) -> bool) {
        if self.sets.is_empty() {
            return;
        }
        let url = asked.spec.as_ref().map(|spec| Scope::Url(asked.thread.clone(), spec.clone()));
        let scopes = [Some(Scope::All), Some(Scope::Thread(asked.thread.clone())), url];
        for scope in scopes.into_iter().flatten() {
            let Some(set) = self.sets.get_mut(&scope) else { continue };
            for fault in &mut set.faults {
                let here = fault.place.is_none_or(|only| only == place) && fault.left != Some(0);
                if here && strike(fault.kind, &mut set.random) {
                    fault.left = fault.left.map(|left| left - 1);
                    *self.injected.entry(fault.kind.name()).or_default() += 1;
                }
            }
        }
    }

    fn count(&mut self, name: &str) {
        *self.injected.entry(name.to_owned()).or_default() += 1;
    }
}

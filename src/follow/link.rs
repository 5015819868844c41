//! The connection: openings, backoff, the watchdog, and when to give up.

use super::output::Status;
use super::rows::reach;

/// At least so many ms between two openings (C3.9).
const SPACING: u64 = 200;
/// The longest pause between two openings, in ms.
const LONGEST_PAUSE: u64 = 30_000;
/// The pause that doubles with each failure, in ms.
const FIRST_PAUSE: u64 = 500;
/// So many openings in a row without a frame, and the host counts as unreachable.
const MOST_FAILURES: u32 = 20;
/// So many reopens for faults without an applied frame, and only the log is followed (C3.9).
const MOST_FAULTS: u32 = 3;
/// How long only the log is followed before the stream is tried again, in ms.
const QUIET: u64 = 60_000;
/// A page that is out of sight for so long, in ms, holds no stream any more: what it does not show is not worth the
/// connection and the memory.
const OUT_OF_SIGHT: u64 = 300_000;
/// How long an opening may be silent before its first frame, in ms.
const OPENING: u64 = 15_000;
/// How long an opening may take in all, in ms: bytes without a frame don't keep it alive for ever.
const LONGEST_OPENING: u64 = 60_000;
/// The heartbeat of the contract, in ms, until pings teach another (C2).
const HEARTBEAT: u64 = 15_000;
/// The longest heartbeat that is believed, in ms: a page that slept hears its pings late.
const LONGEST_HEARTBEAT: u64 = 60_000;

/// A stream of which no heartbeat is seen is asked for a sign of life once it was silent for so long, in ms; on a wake,
/// one that was silent for longer is opened again at once.
const LONGEST_SILENCE: u64 = 60_000;
/// How long the sign of life that was asked for may take, in ms.
const LONGEST_ANSWER: u64 = 15_000;

/// Where the connection stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    /// There is none, and none is wanted yet.
    Idle,
    /// It is being opened.
    Opening,
    /// It is open and said `opened`; the last frame had this revision.
    Open { revision: u64 },
    /// It is a plain stream, and open.
    Plain,
    /// It is gone; the next opening is due at `at`.
    Down { at: u64 },
    /// Given up until somebody asks.
    Stopped(Stop),
}

/// Why a connection was given up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    Unauthorized,
    Failed(&'static str),
    Closed,
}

#[derive(Debug, Clone)]
pub(super) struct Link {
    pub phase: Phase,
    pub generation: u32,
    /// Openings in a row without a frame.
    pub failures: u32,
    /// The host said that it would close.
    pub bye: bool,
    pub hidden: bool,
    /// When the stream is closed because the page is hidden.
    hidden_until: Option<u64>,
    pub offline: bool,
    /// 401s and 403s in a row.
    pub refusals: u32,
    /// Ends with `bye` in a row, without progress between them.
    byes: u32,
    /// Whether silence can be told from a stream that is half open: said at the start, or taught by a ping.
    watchdog: bool,
    /// Its transport hides whether it is half open, and silence is usual: only an answer shows that it is not.
    hides: bool,
    /// When it was asked for one, while none has come.
    asked_at: Option<u64>,
    faults: u32,
    log_only_until: Option<u64>,
    opened_at: Option<u64>,
    heard_at: u64,
    pinged_at: Option<u64>,
    heartbeat: u64,
    floor: u64,
}

impl Link {
    pub fn new(watchdog: bool, hides: bool) -> Self {
        Self {
            phase: Phase::Idle,
            generation: 0,
            failures: 0,
            bye: false,
            hidden: false,
            hidden_until: None,
            offline: false,
            refusals: 0,
            byes: 0,
            watchdog,
            hides,
            asked_at: None,
            faults: 0,
            log_only_until: None,
            opened_at: None,
            heard_at: 0,
            pinged_at: None,
            heartbeat: HEARTBEAT,
            floor: 0,
        }
    }

    /// True while a stream is there or being opened.
    pub fn is_up(&self) -> bool {
        matches!(self.phase, Phase::Opening | Phase::Open { .. } | Phase::Plain)
    }

    pub fn is_stopped(&self) -> bool {
        matches!(self.phase, Phase::Stopped(_))
    }

    /// A new generation begins.
    pub fn opening(&mut self, now: u64) {
        self.generation = self.generation.wrapping_add(1);
        self.phase = Phase::Opening;
        self.bye = false;
        self.opened_at = Some(now);
        self.heard(now);
        self.pinged_at = None;
    }

    /// The page went out of sight.
    pub fn hide(&mut self, now: u64) {
        self.hidden = true;
        self.hidden_until.get_or_insert(now.saturating_add(OUT_OF_SIGHT));
    }

    /// The page is seen again.
    pub fn show(&mut self) {
        self.hidden = false;
        self.hidden_until = None;
    }

    /// True while nobody sees the page and it holds no stream: then nothing is worth a request.
    pub fn is_out_of_sight(&self) -> bool {
        self.hidden && !self.is_up()
    }

    pub fn heard(&mut self, now: u64) {
        self.heard_at = now;
        self.asked_at = None;
    }

    /// A ping teaches the heartbeat: the longest distance seen counts at once, a shorter one halves what was believed.
    pub fn pinged(&mut self, now: u64) {
        // A distance after which the stream would have been given up was slept through, and teaches nothing.
        let distance = self.pinged_at.map(|before| now.saturating_sub(before));
        if let Some(distance) = distance.filter(|distance| *distance <= self.heartbeat * 5 / 2) {
            self.heartbeat = distance.max(self.heartbeat / 2).clamp(200, LONGEST_HEARTBEAT);
        }
        self.watchdog = true;
        self.pinged_at = Some(now);
    }

    /// Something was applied: the stream works.
    pub fn progressed(&mut self) {
        self.worked();
        self.faults = 0;
    }

    /// The host answers as it should, though nothing of the stream was applied yet.
    pub fn worked(&mut self) {
        self.failures = 0;
        self.refusals = 0;
        self.byes = 0;
    }

    /// Only the log is followed for a while.
    pub fn only_log(&mut self, now: u64) {
        self.log_only_until.get_or_insert(now.saturating_add(QUIET));
    }

    /// The next opening is due as soon as the spacing allows.
    pub fn reopen_soon(&mut self, now: u64) {
        let at = self.opened_at.map_or(now, |opened| now.max(opened.saturating_add(SPACING)));
        self.phase = Phase::Down { at };
    }

    /// The host was at fault: the next opening waits as after a loss, and, where only the log is followed already, until
    /// the quiet minute is over.
    pub fn reopen_later(&mut self, now: u64, random: u64) {
        let quiet = self.log_only_until;
        self.fault(now);
        match quiet {
            Some(until) => self.phase = Phase::Down { at: until.max(now) },
            None => self.lost(now, random, None),
        }
    }

    /// Counts a fault of the host or the wire (C3.9).
    pub fn fault(&mut self, now: u64) {
        self.faults = self.faults.saturating_add(1);
        if self.faults >= MOST_FAULTS && self.log_only_until.is_none() {
            reach("C3.9 only the log is followed");
            self.only_log(now);
            self.faults = 0;
        }
    }

    #[cfg(all(test, not(target_arch = "wasm32")))]
    pub fn fault_count(&self) -> u32 {
        self.faults
    }

    pub fn is_log_only(&self) -> bool {
        self.log_only_until.is_some()
    }

    /// The stream was lost, or could not be opened: the next opening waits, longer with each failure, at a random
    /// moment of that time (full jitter). A host that said `bye` is no failure, unless it says nothing else.
    pub fn lost(&mut self, now: u64, random: u64, retry_after: Option<u64>) {
        let stood = self.opened_at.map_or(0, |opened| now.saturating_sub(opened));
        if self.hides && matches!(self.phase, Phase::Open { .. }) && stood > LONGEST_PAUSE {
            // Nothing need have come: that it stood is all that shows that the host is there.
            self.worked();
        }
        if self.bye {
            self.byes = self.byes.saturating_add(1);
        }
        if !self.bye || self.byes > 1 {
            self.failures = self.failures.saturating_add(1);
        }
        if self.failures >= MOST_FAILURES {
            self.phase = Phase::Stopped(Stop::Failed("unreachable"));
            return;
        }
        let pause = backoff(self.failures, random).max(retry_after.unwrap_or(0)).max(self.floor);
        let spaced = self.opened_at.map_or(now, |opened| opened.saturating_add(SPACING));
        self.phase = Phase::Down { at: now.saturating_add(pause).max(spaced) };
    }

    /// The stream asked for this pause, in ms.
    pub fn ask_pause(&mut self, pause: u64) {
        self.floor = pause.min(LONGEST_PAUSE);
    }

    /// Somebody wants to look at once: what waits is due now, what was given up begins anew. True when the stream that is
    /// there is to be closed and opened again.
    pub fn wake(&mut self, now: u64, by_user: bool) -> bool {
        if !self.may_open() {
            return false;
        }
        let was_log_only = self.log_only_until.take().is_some();
        match self.phase {
            Phase::Idle | Phase::Opening | Phase::Stopped(Stop::Closed) => false,
            Phase::Down { .. } => {
                self.reopen_soon(now);
                false
            }
            Phase::Stopped(Stop::Failed("unreachable") | Stop::Unauthorized) => self.revive(now),
            Phase::Stopped(Stop::Failed(_)) => by_user && self.revive(now),
            Phase::Open { .. } | Phase::Plain => {
                let silence = now.saturating_sub(self.heard_at);
                let is_late = self.watchdog && silence > self.heartbeat * 6 / 5;
                was_log_only || is_late || self.hides && silence > LONGEST_SILENCE
            }
        }
    }

    /// What is due at `now`.
    pub fn due(&mut self, now: u64) -> Due {
        if self.log_only_until.is_some_and(|until| until <= now) {
            self.log_only_until = None;
            if self.is_up() {
                return Due::Reopen;
            }
        }
        if self.hidden_ends().is_some_and(|at| at <= now) {
            return Due::OutOfSight;
        }
        if self.silence_ends().is_none_or(|at| at > now) {
            return Due::Nothing;
        }
        if self.hides && self.asked_at.is_none() && matches!(self.phase, Phase::Open { .. }) {
            self.asked_at = Some(now);
            return Due::Knock;
        }
        // Pings that came in a bunch taught too short a heartbeat, and no longer one could be learned by a stream that
        // is always given up before its next ping.
        self.heartbeat = self.heartbeat.max(HEARTBEAT);
        Due::Lost
    }

    /// True when the stream is to be opened now.
    pub fn opens(&self, now: u64) -> bool {
        matches!(self.phase, Phase::Down { at } if at <= now) && self.may_open()
    }

    /// When [`Link::due`] or [`Link::opens`] has something to say at the latest.
    pub fn deadline(&self) -> Option<u64> {
        let open = match self.phase {
            Phase::Down { at } if self.may_open() => Some(at),
            _ => None,
        };
        [open, self.silence_ends(), self.log_only_until, self.hidden_ends()].into_iter().flatten().min()
    }

    /// What the app is told of the connection, as far as the link knows.
    pub fn status(&self) -> Option<Status> {
        match self.phase {
            Phase::Idle => Some(Status::Idle),
            Phase::Stopped(Stop::Closed) => Some(Status::Closed),
            Phase::Stopped(Stop::Unauthorized) => Some(Status::Unauthorized),
            Phase::Stopped(Stop::Failed(code)) => Some(Status::Failed { code }),
            _ if self.offline => Some(Status::Offline),
            Phase::Down { at } if self.failures > 0 => Some(Status::Waiting { retry_at: at }),
            Phase::Opening | Phase::Open { .. } | Phase::Plain | Phase::Down { .. } => None,
        }
    }

    /// None while the page is hidden or the network away.
    pub fn may_open(&self) -> bool {
        !self.hidden && !self.offline
    }

    /// The host answered something else, so there is a network, and what was given up begins anew.
    pub fn answered(&mut self, now: u64) {
        self.offline = false;
        self.revive(now);
    }

    /// When the stream that is there is closed because nobody sees the page.
    fn hidden_ends(&self) -> Option<u64> {
        self.hidden_until.filter(|_| self.is_up())
    }

    fn revive(&mut self, now: u64) -> bool {
        self.failures = 0;
        self.refusals = 0;
        self.reopen_soon(now);
        false
    }

    /// When silence means something: that the stream is half open (two and a half heartbeats, or no answer), or that an
    /// answer is to be asked for, which nobody does who isn't seen or has no network.
    fn silence_ends(&self) -> Option<u64> {
        match self.phase {
            Phase::Opening => {
                let longest = self.opened_at.map_or(u64::MAX, |opened| opened.saturating_add(LONGEST_OPENING));
                Some(self.heard_at.saturating_add(OPENING).min(longest))
            }
            Phase::Open { .. } | Phase::Plain if self.watchdog => {
                Some(self.heard_at.saturating_add(self.heartbeat * 5 / 2))
            }
            Phase::Open { .. } if self.hides && self.may_open() => Some(match self.asked_at {
                Some(asked) => asked.saturating_add(LONGEST_ANSWER),
                None => self.heard_at.saturating_add(LONGEST_SILENCE),
            }),
            _ => None,
        }
    }
}

/// What a link has to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Due {
    Nothing,
    /// The quiet minute is over.
    Reopen,
    /// Nobody can tell whether the stream is half open: it is to be asked for a sign of life.
    Knock,
    /// The stream is half open.
    Lost,
    /// The page has been hidden for so long that it holds no stream any more.
    OutOfSight,
}

/// The pause after so many failures: somewhere between nothing and a bound that doubles, in ms.
pub(super) fn backoff(failures: u32, random: u64) -> u64 {
    let bound = FIRST_PAUSE.saturating_mul(1 << failures.saturating_sub(1).min(10)).min(LONGEST_PAUSE);
    random % (bound + 1)
}

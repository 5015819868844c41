//! Random schedules of loss, duplication, reordering, cuts and restarts: I1 to I8 hold at each input, and at the end the
//! window is what a cold read shows.

use super::world::World;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

const SCHEDULES: u64 = if cfg!(target_arch = "wasm32") { 100 } else { 500 };
const LENGTH: u64 = 60;

/// Any generator will do.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

/// A host that does what it likes, and a wire that is worse.
struct Play {
    world: World,
    random: Random,
    attempts: u64,
    in_turn: bool,
    /// The settlement is announced, and the end is not.
    ending: bool,
    /// What was damaged: the follower may open the stream so many times.
    damages: u64,
    script: String,
}

impl Play {
    fn new(seed: u64) -> Self {
        let mut play = Self {
            world: World::at(4),
            random: Random(seed),
            attempts: 0,
            in_turn: true,
            ending: false,
            damages: 0,
            script: String::new(),
        };
        play.word("snap".to_owned());
        play
    }

    fn word(&mut self, word: String) {
        self.script.push_str(&word);
        self.script.push_str(" · ");
        self.world.play(&word);
    }

    /// One thing that the host sends, mostly as it should come.
    fn send(&mut self, word: String) {
        let how = match self.random.below(30) {
            0 | 1 => "lost ",
            2 => "twice ",
            3 => "late ",
            _ => "",
        };
        self.damages += u64::from(!how.is_empty());
        self.word(format!("{how}{word}"));
    }

    fn host(&mut self) {
        let seq = self.world.log.len();
        let attempt = self.world.attempt.as_ref().map(|attempt| attempt.chunks.len());
        let name = self.attempts;
        let word = match (attempt, self.random.below(10)) {
            (Some(_), _) if self.ending => {
                self.ending = false;
                format!("end A{name}")
            }
            (Some(_), 0..6) => format!("chunk A{name} {}", ["on", "e", " more"][self.attempts as usize % 3]),
            (Some(_), 6) => format!("note{seq}"),
            (Some(said), 7) => {
                self.ending = true;
                format!("attempt{seq} failed{said}")
            }
            (Some(_), 8) if self.random.below(3) == 0 => format!("end A{name} abandoned"),
            (Some(said), _) => {
                self.ending = true;
                format!("m{seq} answer{said}")
            }
            (None, 0..6) if self.in_turn => {
                self.attempts += 1;
                format!("start A{}", self.attempts)
            }
            (None, 6) if self.in_turn => format!("retry{seq}"),
            (None, 7) if self.in_turn => format!("step/end{seq}"),
            (None, 8) if self.in_turn => {
                self.in_turn = false;
                format!("turn/end{seq}")
            }
            (None, 0..5) => {
                self.in_turn = true;
                format!("turn/start{seq}")
            }
            (None, _) => format!("note{seq}"),
        };
        self.send(word);
    }

    fn wire(&mut self) {
        match self.random.below(40) {
            0 => {
                self.damages += 1;
                self.word("cut".to_owned());
            }
            1 => {
                self.damages += 1;
                let keeps = (self.world.log.len() as u64).saturating_sub(1 + self.random.below(6)).max(4);
                self.word(format!("cut · restart {keeps}"));
                self.ending = false;
                // The closers of a host that comes back.
                for kind in ["step/end", "turn/end"] {
                    let seq = self.world.log.len();
                    self.word(format!("lost {kind}{seq} interrupted"));
                }
                self.in_turn = false;
            }
            _ => {}
        }
        let time = [0, 10, 300, 1_500][self.random.below(4) as usize];
        self.word(format!("wait {time}"));
        if self.world.wants_opening() && self.random.below(3) > 0 {
            self.word("snap".to_owned());
        }
        if !self.world.reads.is_empty() && self.random.below(3) > 0 {
            let answer = if self.random.below(5) == 0 { "fail" } else { "page" };
            self.word(answer.to_owned());
        }
    }

    /// The wire is good from here on, and the host says something, which shows what was lost.
    fn heal(&mut self) {
        for _ in 0..3 {
            let seq = self.world.log.len();
            self.word(format!("note{seq}"));
            self.attempts += 1;
            if self.world.attempt.is_some() {
                self.word(format!("end A{} abandoned", self.attempts - 1));
            }
            self.word(format!("start A{0} · end A{0} abandoned", self.attempts));
            for _ in 0..4 {
                self.word("wait 70000".to_owned());
                if self.world.wants_opening() {
                    self.word("snap".to_owned());
                }
                while !self.world.reads.is_empty() {
                    self.word("page".to_owned());
                }
            }
        }
    }
}

/// A schedule that fails is told, so that it can be played by hand.
impl Drop for Play {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("the schedule: {}", self.script);
        }
    }
}

#[test]
fn whatever_is_lost_doubled_late_cut_or_restarted_the_window_is_what_a_cold_read_shows() {
    let mut reopens = 0;
    for seed in 0..SCHEDULES {
        let mut play = Play::new(seed);
        for _ in 0..LENGTH {
            play.host();
            play.wire();
        }
        play.heal();
        play.world.is_settled();
        let (opened, damages) = (play.world.follower.stats().reopens, play.damages);
        assert!(opened <= damages + 3, "I6: {opened} reopens for {damages} damages");
        reopens += opened;
    }
    assert!(reopens > SCHEDULES / 2, "the schedules do damage");
}

//! Recorded dsh sessions over a faulty wire: whatever is lost, doubled, overtaken or cut, the view ends as the log says,
//! and at no moment shows what must not be shown (semantics B4, I1 to I8). Prints what was played, one line per
//! recording and one per row of the table, and fails when something did not hold or a row was never met.
//!
//! `dsh_damaged [NAME…]` plays the recordings whose names begin so.

#![allow(clippy::panic, clippy::expect_used)]

#[path = "../tests/dsh/damage.rs"]
mod damage;
#[path = "../tests/dsh/following.rs"]
#[allow(dead_code)] // The replay uses more of it.
mod following;
#[path = "../tests/dsh/model.rs"]
#[allow(dead_code)] // The simulator uses more of it.
mod model;
#[path = "../tests/dsh/recording.rs"]
mod recording;
#[path = "../tests/dsh/rows.rs"]
mod rows;
#[path = "../tests/dsh/seen.rs"]
mod seen;

use damage::{Cold, Damage, Sums, play};
use recording::Recording;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Mutex;

/// At least so many.
const VARIANTS: u64 = 5_000;

fn main() -> ExitCode {
    let names: Vec<String> = std::env::args().skip(1).collect();
    let mut recordings = recording::all(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/dsh"));
    recordings.retain(|recording| names.is_empty() || names.iter().any(|name| recording.name.starts_with(name)));
    let all = Mutex::new((Sums::default(), Vec::new()));
    let next = Mutex::new(recordings.iter());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(recording) = next.lock().ok().and_then(|mut next| next.next()) {
                    let (sums, failed) = played(recording);
                    if let Ok(mut all) = all.lock() {
                        all.0.add(&sums);
                        all.1.extend(failed);
                    }
                }
            });
        }
    });
    let (sums, failed) = all.into_inner().expect("no thread has panicked");
    failed.iter().take(20).for_each(|why| println!("FAILED {why}"));
    for row in rows::ROWS {
        println!("{:>8}  {row}", sums.rows.get(row).copied().unwrap_or(0));
    }
    println!("{}", sums.line());
    println!("{} variants held, {} failed", sums.variants, failed.len());
    let missing = rows::ROWS.iter().any(|row| !sums.rows.contains_key(row));
    let is_whole = names.is_empty();
    if !failed.is_empty() || is_whole && (missing || sums.variants < VARIANTS) {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    }
}

/// Plays one recording with every damage, and once more with each of its attempts leaving nothing.
fn played(recording: &Recording) -> (Sums, Vec<String>) {
    let (mut sums, mut failed) = (Sums::default(), Vec::new());
    let cold = Cold::of(recording);
    let plain = damages(recording).into_iter().map(|damage| (damage, None));
    let unsettled = recording.unsettled();
    let others = unsettled.iter().flat_map(|(at, without)| {
        [Damage::Mistype(*at), Damage::Misname(*at), Damage::Abandon(*at), Damage::Forget(*at)]
            .map(|damage| (damage, Some(without)))
    });
    for (damage, without) in plain.chain(others) {
        let result = match without {
            Some(without) => play(without, &Cold::of(without), damage, &mut sums),
            None => play(recording, &cold, damage, &mut sums),
        };
        if let Err(why) = result {
            failed.push(format!("{} {damage:?}: {}", recording.name, why.chars().take(700).collect::<String>()));
        }
    }
    println!("{:<24} {:>5} variants, {:>3} failed", recording.name, sums.variants, failed.len());
    (sums, failed)
}

/// All that can go wrong once, at each place of a recording; of the rarer faults those that its items allow.
fn damages(recording: &Recording) -> Vec<Damage> {
    let items: Vec<_> = recording.lives.iter().flat_map(|life| &life.items).map(|(_, item)| item).collect();
    let mut all: Vec<Damage> = (0..10).map(|seed| Damage::Random(seed * 7919 + 1)).collect();
    all.push(Damage::Nothing);
    for (at, item) in items.iter().enumerate() {
        let is = |word: &str| item.pointer("/frame/type").is_some_and(|kind| kind == word);
        all.extend([Damage::Drop(at), Damage::Double(at), Damage::Swap(at), Damage::Cut(at)]);
        let is_last =
            items.iter().skip(at).take(3).any(|item| item.pointer("/frame/type").is_some_and(|kind| kind == "end"));
        if is("start") || is("end") || is("chunk") && (at % 8 == 0 || is_last) {
            all.extend([Damage::Forget(at), Damage::Rename(at), Damage::Recount(at)]);
            all.extend([1, 2, 4].map(|count| Damage::Baselines(at, count)));
        }
        if is("start") {
            all.extend([Damage::Belate(at), Damage::Storm(at)]);
        }
        if is("end") {
            all.extend([Damage::Abandon(at), Damage::Mistype(at), Damage::Misname(at)]);
        }
        if item.get("event").is_some() && at % 4 == 0 {
            let pages = [(1, 0), (3, 0), (0, 2), (1, 1)];
            all.push(Damage::Late(at));
            all.extend(pages.map(|(short, failing)| Damage::Pages(at, short, failing)));
        }
    }
    all
}

//! The inputs that are kept in `fuzz/corpus/`, on any toolchain: nothing that must hold breaks on any of them.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

#[path = "../fuzz/src/lib.rs"]
mod targets;

use std::fs;
use std::path::Path;
use targets::{TARGETS, Target};

/// Runs a target over its inputs, whole and with their end cut off at several places, and says how many there were.
fn replay(name: &str, run: Target) -> usize {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(name);
    let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut inputs = 0;
    for entry in entries {
        let path = entry.unwrap().path();
        let input = fs::read(&path).unwrap();
        // A panic says what was wrong; this says with what.
        let told = Told(&path);
        run(&input);
        for part in 1..4 {
            run(&input[..input.len() * part / 4]);
        }
        std::mem::forget(told);
        inputs += 1;
    }
    inputs
}

struct Told<'a>(&'a Path);

impl Drop for Told<'_> {
    fn drop(&mut self) {
        eprintln!("the input is {}", self.0.display());
    }
}

#[test]
fn every_kept_input_of_every_target_is_taken() {
    for (name, run) in TARGETS {
        let inputs = replay(name, *run);
        println!("{name}: {inputs} inputs");
        assert!(inputs >= 5, "{name} has only {inputs} inputs");
    }
}

#[test]
fn every_target_takes_bytes_that_no_fuzzer_chose() {
    let mut seed = 0x9E37_79B9_7F4A_7C15_u64;
    for round in 0..300 {
        let bytes: Vec<u8> = std::iter::repeat_with(|| {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            (seed >> 32) as u8
        })
        .take(round * 4)
        .collect();
        for (_, run) in TARGETS {
            run(&bytes);
        }
    }
}

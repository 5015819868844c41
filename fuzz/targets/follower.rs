#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| threadfold_fuzz::follower::run(data));

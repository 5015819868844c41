//! The core's hot path over recorded bytes, for a counter of instructions: bytes → SSE → Deltas → view changes.
//!
//! `hot_path WIRE PAGE CHUNK FLUSH` reads the stream in `WIRE` in pieces of `CHUNK` bytes into an engine that begins
//! with `PAGE`, and takes the view's changes after every `FLUSH` pieces.

use std::error::Error;
use std::fs;
use threadfold::engine::{Effect, Engine};
use threadfold::follow::{Input, Live, Options, Protocol};
use threadfold::json;
use threadfold::source::sse::Decoder;
use threadfold::source::threadfold::{Frames, next_event};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let mut next = || arguments.next().ok_or("usage: hot_path WIRE PAGE CHUNK FLUSH");
    let (wire, page) = (fs::read(next()?)?, fs::read_to_string(next()?)?);
    let (chunk, flush): (usize, usize) = (next()?.parse()?, next()?.parse()?);
    let initial = json::read(&page).map_err(|error| error.to_string())?;
    let mut engine = Engine::new(Options {
        protocol: Protocol::Strict,
        thread_id: None,
        renewable: false,
        watchdog: true,
        initial: Some(initial),
    });
    let mut told = engine.take_changes().map_or(0, |changes| changes.len());
    engine.handle(Input::Connect, 0, 0);
    let mut generation = None;
    while let Some(effect) = engine.poll() {
        if let Effect::OpenLive(opened) = effect {
            generation = Some(opened);
        }
    }
    let generation = generation.ok_or("the engine opened no stream")?;
    engine.handle(Input::Live(generation, Live::Accepted), 1, 0);
    let mut decoder = Decoder::new(16 << 20);
    let mut frames = Frames::default();
    for (number, piece) in wire.chunks(chunk).enumerate() {
        decoder.push(piece, &mut |event| {
            engine.stream(Input::Live(generation, next_event(&mut frames, event.name, event.data)), 2, 0);
        })?;
        engine.streamed(2);
        while engine.poll().is_some() {}
        if number % flush == 0 {
            told += engine.take_changes().map_or(0, |changes| changes.len());
        }
    }
    told += engine.take_changes().map_or(0, |changes| changes.len());
    let stats = engine.stats();
    println!("{} deltas, {} records, {told} bytes of changes", stats.deltas, stats.records);
    Ok(())
}

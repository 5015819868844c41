//! Reads requests line by line and answers each with a JSON line. What `tests/differential/` compares with the parsers of
//! others comes from here.
//!
//! - `{"sse": "<bytes in hex>"}`: what the stream comes to, whole, in single bytes and cut at every place. The answer is an
//!   array of all different outcomes, so it has one element while cuts mean nothing.
//! - `{"partial": "<text>"}`: what partial JSON shows after each character, as an array of JSON texts and nulls.

use std::io::{self, BufRead, Write};
use threadfold::json::{Error, ErrorKind, Limits, Reader, Writer};
use threadfold::preview::PartialJson;
use threadfold::source::sse::Decoder;

/// More than any stream of the tests.
const LIMIT: usize = 1 << 20;

fn main() -> io::Result<()> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    for line in io::stdin().lock().lines() {
        let answer = answer(&line?).map_err(|error| io::Error::other(error.to_string()))?;
        writeln!(out, "{answer}")?;
    }
    out.flush()
}

fn answer(line: &str) -> Result<String, Error> {
    let mut answer = String::new();
    Reader::new(line, Limits::default())?.object(|r, key| {
        match key {
            "sse" => {
                let bytes = from_hex(&r.string()?).ok_or_else(|| r.expected("bytes in hex"))?;
                answer = format!("[{}]", outcomes(&bytes).join(","));
            }
            "partial" => answer = beginnings(&r.string()?),
            other => return Err(r.error(ErrorKind::UnknownTag(other.to_owned()))),
        }
        Ok(())
    })?;
    Ok(answer)
}

fn from_hex(hex: &str) -> Option<Vec<u8>> {
    hex.as_bytes().chunks(2).map(|pair| u8::from_str_radix(str::from_utf8(pair).ok()?, 16).ok()).collect()
}

/// The different outcomes of all ways to cut the stream.
fn outcomes(stream: &[u8]) -> Vec<String> {
    let mut outcomes = vec![outcome(&[stream])];
    let mut note = |chunks: &[&[u8]]| {
        let outcome = outcome(chunks);
        if !outcomes.contains(&outcome) {
            outcomes.push(outcome);
        }
    };
    note(&stream.chunks(1).collect::<Vec<_>>());
    for at in 1..stream.len() {
        let (start, rest) = stream.split_at(at);
        note(&[start, rest]);
    }
    outcomes
}

fn outcome(chunks: &[&[u8]]) -> String {
    let mut decoder = Decoder::new(LIMIT);
    let mut w = Writer::new();
    w.object(|w| {
        w.key("events");
        w.array(|w| {
            for chunk in chunks {
                let result = decoder.push(chunk, &mut |event| {
                    w.array(|w| {
                        [event.name, event.data, event.last_event_id].into_iter().for_each(|text| w.string(text))
                    });
                });
                if let Err(error) = result {
                    w.string(error.code());
                }
            }
            decoder.finish();
        });
        w.key("last_event_id");
        w.string(decoder.last_event_id());
        w.key("retry");
        match decoder.retry() {
            Some(time) => w.number(time),
            None => w.null(),
        }
        w.key("comments");
        w.number(decoder.comments());
    });
    w.finish()
}

fn beginnings(text: &str) -> String {
    let mut json = PartialJson::new();
    let mut w = Writer::new();
    w.array(|w| {
        for character in text.chars() {
            json.push(character.encode_utf8(&mut [0; 4]));
            match json.completed() {
                Some(shown) => w.string(&shown),
                None => w.null(),
            }
        }
    });
    w.finish()
}

//! Reads `{"protocol", "options", "inputs": […]}` line by line and writes, for each, the chunks of each input as a JSON
//! line, the last ones those of `finish`. What `tests/peers/` gives to the real clients comes from here.

use std::io::{self, BufRead, Write};
use threadfold::json::{Error, ErrorKind, Limits, Reader, Wire, Writer};
use threadfold::transcode::{Chunk, Input, TranscodeOptions, transcoder};

fn main() -> io::Result<()> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    for line in io::stdin().lock().lines() {
        let answer = transcode(&line?).map_err(|error| io::Error::other(error.to_string()))?;
        writeln!(out, "{answer}")?;
        out.flush()?;
    }
    Ok(())
}

fn transcode(line: &str) -> Result<String, Error> {
    let mut r = Reader::new(line, Limits::default())?;
    let (mut protocol, mut options, mut inputs) = (String::new(), TranscodeOptions::default(), Vec::new());
    r.object(|r, key| {
        match key {
            "protocol" => protocol = String::read(r)?,
            "options" => options = TranscodeOptions::read(r)?,
            "inputs" => r.array(|r| {
                inputs.push(Input::read(r)?);
                Ok(())
            })?,
            other => return Err(r.error(ErrorKind::UnknownTag(other.to_owned()))),
        }
        Ok(())
    })?;
    let (mut transcoder, _) =
        transcoder(&protocol, &options).map_err(|what| r.error(ErrorKind::UnknownTag(what.to_owned())))?;
    let mut answers: Vec<Vec<Chunk>> = inputs.iter().map(|input| transcoder.take(input)).collect();
    answers.push(transcoder.finish());
    let mut w = Writer::new();
    w.array(|w| {
        for chunks in &answers {
            w.array(|w| {
                for chunk in chunks {
                    match chunk {
                        Chunk::Event(json) => w.raw(json),
                        Chunk::End => w.string("end"),
                        Chunk::Cut => w.string("cut"),
                    }
                }
            });
        }
    });
    Ok(w.finish())
}

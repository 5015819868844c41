//! One stream out of a thread: protocols that answer a request have one stream for each part of a run between two
//! waits, and whoever asks wants exactly one of them.

use super::{Chunk, Input, Transcoder};
use crate::event::RunId;

/// Which part of the thread is asked for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Wanted {
    /// Only parts of this run.
    pub run_id: Option<RunId>,
    /// True for the first one that begins after the history; false for the last one that the history has begun, open
    /// or over, or else the first that begins.
    pub next: bool,
}

/// Takes a thread's events from the first one on, and gives the chunks of the part that is wanted.
pub struct Segment {
    transcoder: Box<dyn Transcoder>,
    /// None for all parts.
    wanted: Option<Wanted>,
    /// True while what comes was before this was asked for.
    history: bool,
    /// What the history wrote of the part that it began last.
    begun: Vec<Chunk>,
    /// The run that the last chunks are of.
    run_id: Option<RunId>,
    /// The run of the part that was begun last.
    part: Option<RunId>,
    /// How the last stream of the transcoder ended; None while it is open.
    closed: Option<Chunk>,
    /// It is one that is wanted.
    shown: bool,
    /// How the part that was wanted ended.
    ending: Option<Chunk>,
}

impl Segment {
    /// Begins with the thread's history. With nothing wanted, all chunks are given, and there is no end.
    pub fn new(transcoder: Box<dyn Transcoder>, wanted: Option<Wanted>) -> Self {
        let (begun, closed) = (Vec::new(), Some(Chunk::End));
        Self { transcoder, wanted, history: true, begun, run_id: None, part: None, closed, shown: false, ending: None }
    }

    /// How it ended, when all is written: [`Chunk::End`] or [`Chunk::Cut`].
    pub fn ending(&self) -> Option<&Chunk> {
        self.ending.as_ref()
    }

    /// How many events and blocks could not be shown.
    pub fn skipped(&self) -> u64 {
        self.transcoder.skipped()
    }

    /// The next event of the thread.
    pub fn take(&mut self, input: &Input) -> Vec<Chunk> {
        let chunks = self.transcoder.take(input);
        if let (Some(run_id), false) = (input.run_id(), chunks.is_empty()) {
            self.run_id = Some(run_id.clone());
        }
        self.pass(chunks)
    }

    /// The history is over; what comes from now on is live.
    pub fn caught_up(&mut self) -> Vec<Chunk> {
        self.history = false;
        if self.wanted.as_ref().is_some_and(|wanted| wanted.next) {
            self.shown = false;
            self.begun.clear();
        }
        let begun = std::mem::take(&mut self.begun);
        self.ending = begun.last().filter(|chunk| closes(chunk)).cloned();
        begun
    }

    /// No more events come.
    pub fn finish(&mut self) -> Vec<Chunk> {
        let chunks = self.transcoder.finish();
        self.pass(chunks)
    }

    fn pass(&mut self, chunks: Vec<Chunk>) -> Vec<Chunk> {
        let Some(wanted) = &self.wanted else { return chunks };
        let mut out = Vec::new();
        for chunk in chunks {
            if self.ending.is_some() {
                break;
            }
            let closes = closes(&chunk);
            // What follows a cut is the same part once more, if it is of the same run.
            let again = self.closed == Some(Chunk::Cut) && self.part == self.run_id;
            if !closes && self.closed.is_some() && !again {
                self.part.clone_from(&self.run_id);
                self.shown = wanted.run_id.is_none() || self.run_id == wanted.run_id;
                if self.shown {
                    self.begun.clear();
                }
            }
            self.closed = closes.then(|| chunk.clone());
            if self.shown && self.history {
                self.begun.push(chunk);
            } else if self.shown {
                self.ending = closes.then(|| chunk.clone());
                out.push(chunk);
            }
        }
        out
    }
}

fn closes(chunk: &Chunk) -> bool {
    matches!(chunk, Chunk::End | Chunk::Cut)
}

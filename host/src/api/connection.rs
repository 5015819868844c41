//! One follower's connection: the hub's frames on their way out, with whatever faults are on.

use super::App;
use crate::faults::{Asked, Plan, Progress};
use crate::hub::{Encoded, Follower};
use crate::run::Thread;
use bytes::Bytes;
use futures_util::Stream;
use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::time::Duration;
use threadfold::source::threadfold::{Bye, Frame};
use tokio::sync::watch;

/// Between the last bytes and a break, so that the bytes are on the wire by then.
const FLUSH: Duration = Duration::from_millis(20);

/// The state of one connection.
pub(super) struct Connection {
    app: Arc<App>,
    thread: Arc<Thread>,
    asked: Asked,
    follower: Follower,
    cuts: watch::Receiver<u64>,
    /// `opened` has been dealt with.
    begun: bool,
    /// A frame that waits for its successor.
    held: Option<Bytes>,
    out: VecDeque<Out>,
    at: Progress,
    said_bye: bool,
}

/// What is done next.
enum Out {
    Bytes(Bytes),
    Wait(Duration),
    NewEpoch,
    Stall,
    Close,
    Break,
}

impl Connection {
    /// Joins the thread's stream.
    pub(super) fn open(app: Arc<App>, thread: Arc<Thread>, asked: Asked) -> Self {
        let mut cuts = app.cuts.subscribe();
        cuts.mark_unchanged();
        Self {
            follower: thread.hub.follow(),
            app,
            thread,
            asked,
            cuts,
            begun: false,
            held: None,
            out: VecDeque::new(),
            at: Progress::default(),
            said_bye: false,
        }
    }

    /// The bytes of the answer's body. An error breaks the connection without a proper end.
    pub(super) fn into_stream(self) -> impl Stream<Item = Result<Bytes, io::Error>> {
        futures_util::stream::unfold(Some(self), |connection| async move {
            let mut connection = connection?;
            match connection.next().await {
                Some(Ok(bytes)) => Some((Ok(bytes), Some(connection))),
                Some(Err(error)) => Some((Err(error), None)),
                None => None,
            }
        })
    }

    async fn next(&mut self) -> Option<Result<Bytes, io::Error>> {
        loop {
            match self.out.pop_front() {
                Some(Out::Bytes(bytes)) => return Some(Ok(bytes)),
                Some(Out::Wait(time)) => tokio::time::sleep(time).await,
                Some(Out::NewEpoch) => {
                    if let Err(error) = self.app.threads.new_epoch(&self.thread, 0).await {
                        eprintln!("the epoch of {} could not be changed: {error}", self.thread.id);
                    }
                }
                Some(Out::Stall) => {
                    // Only a cut by hand, or the client, ends this.
                    let _ = self.cuts.changed().await;
                    self.out.clear();
                    self.out.push_back(Out::Break);
                }
                Some(Out::Close) => return None,
                Some(Out::Break) => {
                    tokio::time::sleep(FLUSH).await;
                    return Some(Err(io::Error::other("the connection was cut on purpose")));
                }
                None => self.frame().await,
            }
        }
    }

    /// Takes the next frame of the FIFO.
    async fn frame(&mut self) {
        if !self.begun {
            self.begun = true;
            let opened = Encoded {
                name: self.follower.opened.name,
                bytes: self.follower.opened.bytes.clone(),
                is_terminal: false,
            };
            self.send(&opened);
            return;
        }
        tokio::select! {
            biased;
            _ = self.cuts.changed() => self.out.push_back(Out::Break),
            frame = self.follower.frames.recv() => match frame {
                Some(frame) => self.send(&frame),
                None if self.said_bye => self.out.push_back(Out::Close),
                None => {
                    // The hub let go of a queue that was full: what is missing is in the log.
                    let bye = Frame::Bye(Bye { reason: "lagging".to_owned() });
                    self.send(&Encoded::new(&bye));
                }
            },
        }
    }

    fn send(&mut self, frame: &Encoded) {
        self.said_bye |= frame.name == "bye";
        let plan = match &self.app.faults {
            Some(faults) => faults.plan(&self.asked, frame, self.at),
            None => Plan { copies: 1, ..Plan::default() },
        };
        if plan.epoch {
            self.out.push_back(Out::NewEpoch);
        }
        if plan.stall {
            self.out.push_back(Out::Stall);
            return;
        }
        if plan.close {
            self.out.push_back(Out::Close);
            return;
        }
        if !plan.delay.is_zero() {
            self.out.push_back(Out::Wait(plan.delay));
        }
        if let Some(cut) = plan.cut {
            self.out.push_back(Out::Bytes(frame.bytes.slice(..cut.min(frame.bytes.len()))));
            self.out.push_back(Out::Break);
            return;
        }
        if plan.held && self.held.is_none() {
            self.held = Some(frame.bytes.clone());
            return;
        }
        // Nothing comes after a goodbye, so what is held goes before it.
        let held = self.held.take();
        let (before, after) = if frame.name == "bye" { (held, None) } else { (None, held) };
        if let Some(held) = before {
            self.push(held, true);
        }
        for _ in 0..plan.copies {
            self.push(frame.bytes.clone(), frame.name != "opened");
        }
        if let Some(held) = after {
            self.push(held, true);
        }
    }

    fn push(&mut self, bytes: Bytes, counts: bool) {
        self.at.frames += 1;
        if counts {
            self.at.bytes += bytes.len() as u64;
        }
        self.out.push_back(Out::Bytes(bytes));
    }
}

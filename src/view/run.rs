//! Where the runs stand, as the page sees it.

use crate::event::RunId;
use crate::json::Writer;
use crate::names::Names;
use crate::thread::{EndCause, Record, RunState};

/// A run as far as the view needs it.
#[derive(Debug, Clone)]
struct Run {
    summary: Summary,
    /// The number of the item that waits for an answer.
    awaiting: Option<usize>,
}

/// What the page is told of a run.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Summary {
    run_id: RunId,
    phase: Phase,
    seq: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Running,
    Awaiting,
    Finished,
    Failed,
}

/// The runs in order of first appearance.
#[derive(Debug, Clone, Default)]
pub(super) struct Runs {
    all: Vec<Run>,
    by_id: Names,
    /// The numbers of those that are not over, ascending.
    active: Vec<usize>,
    /// Only a run row says that a run waits no more.
    by_rows: bool,
}

/// What a record means for its run.
pub(super) enum Taken {
    /// It is part of the thread; the item with this number waits no more.
    Counts(Option<usize>),
    /// Its run was over, so it does not count (A2.3).
    AfterEnd,
}

impl Runs {
    /// No runs; `by_rows` tells whether only a run row says that a run waits no more.
    pub fn new(by_rows: bool) -> Self {
        Self { by_rows, ..Self::default() }
    }

    /// No runs, of a log of the same kind.
    pub fn anew(&self) -> Self {
        Self::new(self.by_rows)
    }

    /// Takes the next record.
    pub fn take(&mut self, record: &Record) -> Taken {
        let Some(id) = record.run_id() else { return Taken::Counts(None) };
        let number = match self.by_id.get(id.as_str()) {
            Some(number) => number,
            None => {
                let number = self.all.len();
                let summary = Summary { run_id: id.clone(), phase: Phase::Running, seq: None };
                self.all.push(Run { summary, awaiting: None });
                self.by_id.insert(id.shared(), number);
                self.active.push(number);
                number
            }
        };
        let Some(run) = self.all.get_mut(number) else { return Taken::AfterEnd };
        if matches!(run.summary.phase, Phase::Finished | Phase::Failed) {
            return Taken::AfterEnd;
        }
        if let Record::Run(row) = record {
            run.summary.phase = Phase::of(&row.state);
            run.summary.seq = Some(row.seq);
            if row.state.is_ended() {
                self.active.retain(|active| *active != number);
            }
        }
        if self.by_rows && !matches!(record, Record::Run(_)) {
            return Taken::Counts(None);
        }
        Taken::Counts(run.awaiting.take())
    }

    /// The run of this record waits, and this item says so.
    pub fn awaits(&mut self, record: &Record, item: usize) {
        let number = record.run_id().and_then(|id| self.by_id.get(id.as_str()));
        if let Some(run) = number.and_then(|number| self.all.get_mut(number)) {
            run.awaiting = Some(item);
        }
    }

    /// The last run that began and is not over, else the last one that began.
    pub fn current(&self) -> Option<&Summary> {
        let last = self.all.len().checked_sub(1);
        self.active.last().copied().or(last).and_then(|number| self.all.get(number)).map(|run| &run.summary)
    }
}

impl Phase {
    fn of(state: &RunState) -> Self {
        match state {
            RunState::Running | RunState::Unknown(_) => Self::Running,
            RunState::Awaiting => Self::Awaiting,
            RunState::Ended(EndCause::Error(_) | EndCause::Indeterminate | EndCause::Unknown(_)) => Self::Failed,
            RunState::Ended(EndCause::NaturalEnd | EndCause::MaxSteps | EndCause::Cancelled | EndCause::Stopped(_)) => {
                Self::Finished
            }
        }
    }
}

/// The run, or null.
pub(super) fn write_run(w: &mut Writer, summary: Option<&Summary>) {
    let Some(Summary { run_id, phase, seq }) = summary else { return w.null() };
    w.object(|w| {
        w.field("run_id", run_id.as_str());
        let state = match phase {
            Phase::Running => "running",
            Phase::Awaiting => "awaiting",
            Phase::Finished => "finished",
            Phase::Failed => "failed",
        };
        w.field("state", state);
        super::part::number(w, "seq", *seq);
    });
}

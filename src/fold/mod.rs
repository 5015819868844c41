//! The fold: the only producer of Facts (semantics A3, A4).
//!
//! It reads committed records in log order and says what each changes in a map from position to Fact. One fold serves a
//! whole thread with all its runs. It keeps no Facts and knows no log: its cost per record is the record and the calls
//! still unanswered in its run.

mod anomaly;
mod change;
mod continuation;
mod occurrence;
mod output;
mod run;
mod terminal;

pub use anomaly::{Anomaly, AnomalyCode};
pub use change::{Change, facts, fold};
pub use run::RunView;
pub use terminal::terminal;

use crate::event::RunId;
use crate::names::Names;
use crate::thread::Record;
use output::Output;
use run::Run;

/// How the beginning of a run is told (A3.1).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Beginning {
    /// The log is whole: by the run's first record.
    #[default]
    Whole,
    /// Older rows are unread: by what the person said and the Running row that was committed with it.
    Windowed,
    /// By a Running row that is the run's first.
    Row,
}

/// The state of a fold: feed it records in log order, apply the changes in the order in which they come.
#[derive(Debug, Clone, Default)]
pub struct Fold {
    beginning: Beginning,
    last: Option<u64>,
    runs: Vec<Run>,
    by_id: Names,
    /// The run of the last record, whose beginning the next one may confirm.
    undecided: Option<usize>,
    anomalies: Vec<Anomaly>,
}

impl Fold {
    /// For a log that is read from its first record.
    pub fn new() -> Self {
        Self::default()
    }

    /// For a log whose older rows are unread: a run whose beginning is not seen is partial (A3.1). When older rows are
    /// read, start a new fold: the Facts of the runs that they touch may change.
    pub fn windowed() -> Self {
        Self { beginning: Beginning::Windowed, ..Self::default() }
    }

    /// For a log in which run rows alone say where a run stands (B2): it begins with a Running row, without which it is
    /// partial, and what comes while it waits does not mean that it goes on.
    pub fn by_rows() -> Self {
        Self { beginning: Beginning::Row, ..Self::default() }
    }

    /// Takes the next record. Amendments of a record come before the Facts that follow from them, so that who sees an
    /// `Awaiting` has seen what its call waits for.
    ///
    /// A record whose seq is not above the last one's changes nothing and is an anomaly.
    pub fn append(&mut self, record: &Record) -> Vec<Change> {
        let mut changes = Vec::new();
        self.append_to(record, &mut changes);
        changes
    }

    /// The same, added to a list: who reads a long log needs one list, not one for each record.
    pub fn append_to(&mut self, record: &Record, changes: &mut Vec<Change>) {
        let seq = record.seq();
        let mut out = Output::new(seq, changes, &mut self.anomalies);
        if self.last.is_some_and(|last| seq <= last) {
            return out.anomaly(AnomalyCode::OutOfOrder, record.run_id(), None);
        }
        self.last = Some(seq);
        let index = record.run_id().map(|id| match self.by_id.get(id.as_str()) {
            Some(index) => index,
            None => {
                let index = self.runs.len();
                self.by_id.insert(id.shared(), index);
                self.runs.push(Run::new(id.clone(), seq, self.beginning));
                index
            }
        });
        if let Some(undecided) = self.undecided.take().filter(|undecided| Some(*undecided) != index)
            && let Some(run) = self.runs.get_mut(undecided)
        {
            run.interrupt();
        }
        // A message that belongs to no run is in the view, and is no Fact.
        if let Some(run) = index.and_then(|index| self.runs.get_mut(index)) {
            run.append(record, &mut out);
            self.undecided = index;
        }
    }

    /// What was found wrong since the last call.
    pub fn anomalies(&mut self) -> Vec<Anomaly> {
        std::mem::take(&mut self.anomalies)
    }

    /// What the log says of a run; None for a run of which no record was read.
    pub fn run(&self, run: &RunId) -> Option<&RunView> {
        self.by_id.get(run.as_str()).and_then(|index| self.runs.get(index)).map(|run| &run.view)
    }

    /// All runs, in order of first appearance.
    pub fn runs(&self) -> impl DoubleEndedIterator<Item = &RunView> {
        self.runs.iter().map(|run| &run.view)
    }
}

#[cfg(test)]
mod tests;

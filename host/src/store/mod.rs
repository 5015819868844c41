//! Where commits live. One small trait, so that another database needs no change outside it.
//!
//! What every store promises: a commit is one transaction; a seq is dense and ascending within its thread; a commit is
//! durable before [`Store::append`] returns and before the watcher hears of it; the watcher hears of a thread's commits
//! in their order. Calls block, and are made off the threads that serve requests.

mod sqlite;
mod sqlite_read;

pub use sqlite::SqliteStore;
pub(crate) use sqlite::now;

use std::fmt;
use threadfold::event::{Epoch, MessageId, RunId, ThreadId};
use threadfold::source::threadfold::SendInput;
use threadfold::thread::{Message, Page, Record, ResumeTicket, RunRow, RunState};

/// Messages and a run's change of state that become durable together.
#[derive(Debug, Clone)]
pub struct Commit {
    /// The run.
    pub run_id: RunId,
    /// The messages, in order; they stand before the state.
    pub messages: Vec<NewMessage>,
    /// The run's new state; None while it does not change.
    pub state: Option<NewState>,
    /// The command that this commit carries out, to answer a repetition of it from.
    pub command: Option<Command>,
    /// True when the run leaves the queue with this commit.
    pub leaves_queue: bool,
}

/// A message to be committed.
#[derive(Debug, Clone)]
pub struct NewMessage {
    /// For an assistant's message: the step and which answer of it.
    pub place: Option<(u32, u32)>,
    /// The message.
    pub message: Message,
}

/// A state to be committed.
#[derive(Debug, Clone)]
pub struct NewState {
    /// The state.
    pub state: RunState,
    /// What is waited for.
    pub ticket: Option<ResumeTicket>,
}

/// A command under its idempotency key.
#[derive(Debug, Clone, PartialEq)]
pub struct Command {
    /// The client's key, unique within the thread.
    pub key: String,
    /// The whole command as text: the same key with another command is refused.
    pub text: String,
}

/// What was answered to a command.
#[derive(Debug, Clone, PartialEq)]
pub struct Remembered {
    /// The command.
    pub command: Command,
    /// The run that it made or was about.
    pub run_id: RunId,
    /// The message that it brought.
    pub message_id: Option<MessageId>,
    /// The first seq of its commit; None while it was queued.
    pub seq: Option<u64>,
}

/// A thread's epoch and last seq.
#[derive(Debug, Clone, PartialEq)]
pub struct Head {
    /// The epoch.
    pub epoch: Epoch,
    /// The last seq, None for an empty log.
    pub frontier: Option<u64>,
}

/// Which rows a page holds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Direction {
    /// The rows after this seq, from the start when None.
    After(Option<u64>),
    /// The rows before this seq.
    Before(u64),
}

/// A wish for a page.
#[derive(Debug, Clone, Copy)]
pub struct PageRequest {
    /// Which rows.
    pub direction: Direction,
    /// How many rows of both kinds; the page goes on to the end of its last commit.
    pub limit: u64,
    /// Rows committed after this time (ms since 1970) are hidden: the fault of a read that lags.
    pub as_of: Option<u64>,
}

/// A page, and whether something was hidden from it.
#[derive(Debug, Clone)]
pub struct PageAnswer {
    /// The page.
    pub page: Page,
    /// True when `as_of` hid rows.
    pub hidden: bool,
}

/// A send that waits for the active run's end.
#[derive(Debug, Clone)]
pub struct Queued {
    /// The run that it will be.
    pub run_id: RunId,
    /// What the person says.
    pub input: SendInput,
    /// True when it was cancelled before its turn: it is then committed and ended at once, so that nothing vanishes.
    pub cancelled: bool,
}

/// Why the store could not do it.
#[derive(Debug)]
pub struct StoreError(pub String);

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for StoreError {}

/// What became of a thread's log.
#[derive(Debug, Clone, Copy)]
pub enum Change<'a> {
    /// It grew by these rows.
    Committed(&'a [Record]),
    /// It was replaced by another, of another epoch.
    Replaced(&'a Head),
}

/// Told of every change after it is durable, in order.
pub type Watcher = Box<dyn Fn(&ThreadId, Change<'_>) + Send + Sync>;

/// The store of all threads.
pub trait Store: Send + Sync + 'static {
    /// Commits, creating the thread when it is new, and returns the rows as committed.
    fn append(&self, thread: &ThreadId, commit: Commit) -> Result<Vec<Record>, StoreError>;

    /// Sets who hears of commits.
    fn watch(&self, watcher: Watcher);

    /// Makes the thread if it is new, and returns its head.
    fn create(&self, thread: &ThreadId) -> Result<Head, StoreError>;

    /// The thread's epoch and frontier; None when there is no such thread.
    fn head(&self, thread: &ThreadId) -> Result<Option<Head>, StoreError>;

    /// A page; None when there is no such thread.
    fn page(&self, thread: &ThreadId, request: PageRequest) -> Result<Option<PageAnswer>, StoreError>;

    /// All rows of a thread, or those of one run.
    fn records(&self, thread: &ThreadId, run: Option<&RunId>) -> Result<Vec<Record>, StoreError>;

    /// The latest state of this run, or of the thread's latest run.
    fn latest(&self, thread: &ThreadId, run: Option<&RunId>) -> Result<Option<RunRow>, StoreError>;

    /// Every run that was Running when the last host ended.
    fn running(&self) -> Result<Vec<(ThreadId, RunId)>, StoreError>;

    /// What was answered under this key.
    fn remembered(&self, thread: &ThreadId, key: &str) -> Result<Option<Remembered>, StoreError>;

    /// Puts a send at the end of the queue, or at its front.
    fn enqueue(&self, thread: &ThreadId, queued: Queued, command: Command, front: bool) -> Result<(), StoreError>;

    /// The thread's queue, first to start first.
    fn queue(&self, thread: &ThreadId) -> Result<Vec<Queued>, StoreError>;

    /// Marks a queued send as cancelled; false when it is not queued.
    fn cancel_queued(&self, thread: &ThreadId, run: &RunId) -> Result<bool, StoreError>;

    /// Threads that have a queue.
    fn queued_threads(&self) -> Result<Vec<ThreadId>, StoreError>;

    /// Gives the thread a new epoch, after forgetting its last `commits` commits, and returns its head.
    fn new_epoch(&self, thread: &ThreadId, commits: u64) -> Result<Option<Head>, StoreError>;
}

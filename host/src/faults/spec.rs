//! The words for faults: `drop:0.2,cut:700*7,status-503@read`.

use std::fmt;
use std::str::FromStr;

/// Where a fault strikes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// The live stream.
    Live,
    /// Committed reads.
    Read,
}

/// A kind of fault, with its argument.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    /// A frame is lost, with this probability.
    Drop(f64),
    /// A frame comes twice, with this probability.
    Duplicate(f64),
    /// A frame comes after its successor, with this probability.
    Reorder(f64),
    /// Each frame comes this many milliseconds late.
    Delay(u64),
    /// The connection breaks after this many bytes behind `opened`.
    Cut(u64),
    /// The connection breaks inside a UTF-8 sequence.
    CutUtf8,
    /// The connection breaks inside the frame that ends a run.
    CutLast,
    /// After this many frames nothing comes any more, and the connection stays open.
    HalfOpen(u64),
    /// After this many frames the stream ends cleanly, whatever the run does.
    Close(u64),
    /// The first frame is missing.
    NoOpened,
    /// The request is answered with this status.
    Status(u16),
    /// The request is answered with a page of HTML.
    Html,
    /// After this many frames the log gets a new epoch.
    Epoch(u64),
    /// Reads show the log as it was this many milliseconds ago.
    Stale(u64),
}

/// One fault of a specification.
#[derive(Debug, Clone, PartialEq)]
pub struct Fault {
    /// What it does.
    pub kind: Kind,
    /// Where; None for everywhere it can strike.
    pub place: Option<Place>,
    /// How often it still strikes; None for always.
    pub left: Option<u64>,
}

impl Kind {
    /// The word under which it is counted.
    pub fn name(self) -> String {
        match self {
            Self::Drop(_) => "drop".to_owned(),
            Self::Duplicate(_) => "duplicate".to_owned(),
            Self::Reorder(_) => "reorder".to_owned(),
            Self::Delay(_) => "delay".to_owned(),
            Self::Cut(_) => "cut".to_owned(),
            Self::CutUtf8 => "cut-utf8".to_owned(),
            Self::CutLast => "cut-last".to_owned(),
            Self::HalfOpen(_) => "half-open".to_owned(),
            Self::Close(_) => "close".to_owned(),
            Self::NoOpened => "no-opened".to_owned(),
            Self::Status(status) => format!("status-{status}"),
            Self::Html => "html".to_owned(),
            Self::Epoch(_) => "epoch".to_owned(),
            Self::Stale(_) => "stale".to_owned(),
        }
    }

    /// How often it strikes when the specification does not say. Loss goes on for ever; what stops the stream itself
    /// must end some time, or nothing would ever converge.
    fn times(self) -> Option<u64> {
        match self {
            Self::Drop(_) | Self::Duplicate(_) | Self::Reorder(_) | Self::Delay(_) | Self::Stale(_) => None,
            Self::Cut(_) => Some(7),
            Self::CutUtf8 | Self::Close(_) => Some(3),
            Self::CutLast | Self::HalfOpen(_) => Some(2),
            Self::NoOpened | Self::Status(_) | Self::Html | Self::Epoch(_) => Some(1),
        }
    }
}

/// Reads a specification: faults with commas between them, each `name[:argument][*times][@live|@read]`.
///
/// # Errors
/// A sentence about the first word that is no fault.
pub fn parse(spec: &str) -> Result<Vec<Fault>, BadFault> {
    spec.split(',').map(str::trim).filter(|word| !word.is_empty()).map(str::parse).collect()
}

/// A word that is no fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadFault(String);

impl fmt::Display for BadFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "\"{}\" is no fault; write drop:0.2, duplicate:0.2, reorder:0.2, delay:50, cut:700, cut-utf8, cut-last, \
             half-open:5, close:5, no-opened, status-503, html, epoch:3 or stale:800, each with *times and @live or \
             @read if you like, and commas between them",
            self.0
        )
    }
}

impl std::error::Error for BadFault {}

impl FromStr for Fault {
    type Err = BadFault;

    fn from_str(word: &str) -> Result<Self, BadFault> {
        let bad = || BadFault(word.to_owned());
        let (rest, place) = match word.split_once('@') {
            Some((rest, "live")) => (rest, Some(Place::Live)),
            Some((rest, "read")) => (rest, Some(Place::Read)),
            Some(_) => return Err(bad()),
            None => (word, None),
        };
        let (rest, times) = match rest.split_once('*') {
            Some((rest, times)) => (rest, Some(times.parse::<u64>().map_err(|_| bad())?)),
            None => (rest, None),
        };
        let (name, argument) = match rest.split_once(':') {
            Some((name, argument)) => (name, Some(argument)),
            None => (rest, None),
        };
        let whole = |default: u64| argument.map_or(Ok(default), |text| text.parse().map_err(|_| bad()));
        let share = || match argument.map_or(Ok(0.2), |text| text.parse::<f64>().map_err(|_| bad()))? {
            share if (0.0..=1.0).contains(&share) => Ok(share),
            _ => Err(bad()),
        };
        let kind = match name {
            "drop" => Kind::Drop(share()?),
            "duplicate" => Kind::Duplicate(share()?),
            "reorder" => Kind::Reorder(share()?),
            "delay" => Kind::Delay(whole(50)?),
            "cut" => Kind::Cut(whole(700)?),
            "cut-utf8" => Kind::CutUtf8,
            "cut-last" => Kind::CutLast,
            "half-open" => Kind::HalfOpen(whole(5)?),
            "close" => Kind::Close(whole(5)?),
            "no-opened" => Kind::NoOpened,
            "html" => Kind::Html,
            "epoch" => Kind::Epoch(whole(3)?),
            "stale" => Kind::Stale(whole(800)?),
            _ => {
                let status = name.strip_prefix("status-").and_then(|status| status.parse().ok()).ok_or_else(bad)?;
                if ![204, 401, 403, 404, 429, 500, 503].contains(&status) {
                    return Err(bad());
                }
                Kind::Status(status)
            }
        };
        Ok(Self { kind, place, left: times.or(kind.times()) })
    }
}

//! The state of a run, and how it ended (A2.3).

use crate::json::{Error, ErrorKind, Kind, Raw, Reader, Wire, Writer, wire_object};

/// Where a run stands.
#[derive(Debug, Clone, PartialEq)]
pub enum RunState {
    /// It works.
    Running,
    /// It waits for somebody; the ticket says for whom.
    Awaiting,
    /// It is over; no later record of this run counts.
    Ended(EndCause),
    /// A state that this version does not know, kept whole; it counts as Running.
    Unknown(Raw),
}

/// Why a run is over.
#[derive(Debug, Clone, PartialEq)]
pub enum EndCause {
    /// The assistant was done.
    NaturalEnd,
    /// The step limit was reached.
    MaxSteps,
    /// Somebody cancelled it.
    Cancelled,
    /// A guard stopped it, with its reason.
    Stopped(Raw),
    /// It failed.
    Error(Failure),
    /// Nobody can say how it ended.
    Indeterminate,
    /// A cause that this version does not know, kept whole; it is never success.
    Unknown(Raw),
}

/// What failed.
#[derive(Debug, Clone, PartialEq)]
pub enum Failure {
    /// The model's side failed, as its code and message say.
    Inference(Inference),
    /// A plugin went beyond what it had declared.
    CapabilityBound,
    /// Two writers held the same key.
    StateConflict,
    /// A failure that this version does not know, kept whole.
    Unknown(Raw),
}

wire_object! {
    /// A failure of the model's side.
    #[derive(Debug, Clone, PartialEq, Default)]
    pub struct Inference {
        /// A stable word for programs.
        pub code: String,
        /// A sentence for people.
        pub message: String,
    }
}

impl Failure {
    /// The word for programs (A2.3).
    pub fn code(&self) -> &str {
        match self {
            Self::Inference(inference) => &inference.code,
            Self::CapabilityBound => "capability_bound",
            Self::StateConflict => "state_conflict",
            Self::Unknown(_) => "unknown",
        }
    }

    /// The sentence for people (A2.3).
    pub fn message(&self) -> &str {
        match self {
            Self::Inference(inference) => &inference.message,
            Self::CapabilityBound => "a plugin contributed beyond its declared capability bound",
            Self::StateConflict => "a staged state batch held an exclusive-key conflict",
            Self::Unknown(raw) => raw.as_str(),
        }
    }
}

impl RunState {
    /// True when the run is over.
    pub fn is_ended(&self) -> bool {
        matches!(self, Self::Ended(_))
    }
}

impl Wire for RunState {
    fn read(r: &mut Reader<'_>) -> Result<Self, Error> {
        match variant(r)?.as_str() {
            "Running" => word(r, Self::Running),
            "Awaiting" | "Waiting" => word(r, Self::Awaiting),
            // An end without a readable cause is an end all the same: taken for Running, the run would never be over.
            "Ended" => body_or_unknown(r, Self::Ended, |raw| Self::Ended(EndCause::Unknown(raw))),
            _ => unknown(r).map(Self::Unknown),
        }
    }

    fn write(&self, w: &mut Writer) {
        match self {
            Self::Running => w.string("Running"),
            Self::Awaiting => w.string("Awaiting"),
            Self::Ended(cause) => write_body(w, "Ended", cause),
            Self::Unknown(raw) => raw.write(w),
        }
    }
}

impl Wire for EndCause {
    fn read(r: &mut Reader<'_>) -> Result<Self, Error> {
        match variant(r)?.as_str() {
            "NaturalEnd" => word(r, Self::NaturalEnd),
            "MaxSteps" => word(r, Self::MaxSteps),
            "Cancelled" => word(r, Self::Cancelled),
            "Indeterminate" => word(r, Self::Indeterminate),
            "Stopped" => body_or_unknown(r, Self::Stopped, Self::Unknown),
            "Error" => body_or_unknown(r, Self::Error, Self::Unknown),
            _ => unknown(r).map(Self::Unknown),
        }
    }

    fn write(&self, w: &mut Writer) {
        match self {
            Self::NaturalEnd => w.string("NaturalEnd"),
            Self::MaxSteps => w.string("MaxSteps"),
            Self::Cancelled => w.string("Cancelled"),
            Self::Indeterminate => w.string("Indeterminate"),
            Self::Stopped(reason) => write_body(w, "Stopped", reason),
            Self::Error(failure) => write_body(w, "Error", failure),
            Self::Unknown(raw) => raw.write(w),
        }
    }
}

impl Wire for Failure {
    fn read(r: &mut Reader<'_>) -> Result<Self, Error> {
        match variant(r)?.as_str() {
            "CapabilityBound" => word(r, Self::CapabilityBound),
            "StateConflict" => word(r, Self::StateConflict),
            "Inference" => body_or_unknown(r, Self::Inference, Self::Unknown),
            _ => unknown(r).map(Self::Unknown),
        }
    }

    fn write(&self, w: &mut Writer) {
        match self {
            Self::CapabilityBound => w.string("CapabilityBound"),
            Self::StateConflict => w.string("StateConflict"),
            Self::Inference(inference) => write_body(w, "Inference", inference),
            Self::Unknown(raw) => raw.write(w),
        }
    }
}

/// The variant's name: the string itself, or the first key of the object. Nothing is read yet. A value of another kind
/// has no name, and so is unknown.
pub(super) fn variant(r: &mut Reader<'_>) -> Result<String, Error> {
    let mut ahead = r.ahead();
    match ahead.kind()? {
        Kind::String => ahead.string().map(|name| name.into_owned()),
        Kind::Object => {
            let mut name = None;
            ahead.object(|r, key| {
                name.get_or_insert_with(|| key.to_owned());
                r.skip()
            })?;
            Ok(name.unwrap_or_default())
        }
        Kind::Null | Kind::Boolean | Kind::Number | Kind::Array => Ok(String::new()),
    }
}

/// Passes over a variant that has no body; a body that a later version gave it is ignored.
pub(super) fn word<T>(r: &mut Reader<'_>, value: T) -> Result<T, Error> {
    r.skip().map(|()| value)
}

/// Reads the body of `{"Name": body}`.
pub(super) fn body<T: Wire>(r: &mut Reader<'_>) -> Result<T, Error> {
    if r.kind()? != Kind::Object {
        return Err(r.error(ErrorKind::Expected("an object with the variant's body")));
    }
    let mut value = None;
    r.object(|r, key| {
        if value.is_none() {
            value = Some(T::read(r)?);
            return Ok(());
        }
        r.unknown_key(key)
    })?;
    value.ok_or_else(|| r.error(ErrorKind::Missing("the variant's body")))
}

/// Reads the body of `{"Name": body}`; a variant whose body can't be understood is kept as one that is not known, so that
/// one odd row does not cost the page. What is no JSON is an error still.
fn body_or_unknown<B: Wire, T>(r: &mut Reader<'_>, known: fn(B) -> T, kept: fn(Raw) -> T) -> Result<T, Error> {
    let mut ahead = r.ahead();
    match body(&mut ahead) {
        Ok(body) => {
            r.follow(ahead);
            Ok(known(body))
        }
        Err(_) => unknown(r).map(kept),
    }
}

/// Keeps a variant that is not known.
pub(super) fn unknown(r: &mut Reader<'_>) -> Result<Raw, Error> {
    r.unknown_value().and_then(Raw::parse)
}

/// Writes `{"Name": body}`.
pub(super) fn write_body<T: Wire>(w: &mut Writer, name: &'static str, body: &T) {
    w.object(|w| {
        w.key(name);
        body.write(w);
    });
}

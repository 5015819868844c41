//! What every type of the wires can do: be read, be written, be absent.

use super::{Error, Kind, Limits, Notes, Reader, Writer};
use crate::text::{Shared, decimal};

/// A type with one JSON form, the same for reading and writing.
pub trait Wire: Sized {
    /// Reads the value that comes next.
    ///
    /// # Errors
    /// The first thing that does not fit, with its place.
    fn read(r: &mut Reader<'_>) -> Result<Self, Error>;

    /// Writes the value.
    fn write(&self, w: &mut Writer);
}

/// Reads one value that fills the whole text, and what was noted on the way.
///
/// # Errors
/// As [`Wire::read`]; also when something follows the value or the text is over the default [`Limits`].
pub fn read_noting<T: Wire>(text: &str) -> Result<(T, Notes), Error> {
    let mut r = Reader::new(text, Limits::default())?;
    let value = whole(&mut r)?;
    Ok((value, r.notes))
}

/// Reads one value that fills the whole text.
///
/// # Errors
/// As [`read_noting`].
pub fn read<T: Wire>(text: &str) -> Result<T, Error> {
    whole(&mut Reader::new(text, Limits::default())?)
}

fn whole<T: Wire>(r: &mut Reader<'_>) -> Result<T, Error> {
    let value = T::read(r)?;
    r.end()?;
    Ok(value)
}

/// The JSON text of a value.
pub fn write<T: Wire>(value: &T) -> String {
    let mut w = Writer::new();
    value.write(&mut w);
    w.finish()
}

impl Wire for String {
    fn read(r: &mut Reader<'_>) -> Result<Self, Error> {
        r.string().map(|text| text.into_owned())
    }

    fn write(&self, w: &mut Writer) {
        w.string(self);
    }
}

impl Wire for Shared {
    fn read(r: &mut Reader<'_>) -> Result<Self, Error> {
        r.string().map(|text| Self::from(&*text))
    }

    fn write(&self, w: &mut Writer) {
        w.string(self);
    }
}

impl Wire for bool {
    fn read(r: &mut Reader<'_>) -> Result<Self, Error> {
        r.boolean()
    }

    fn write(&self, w: &mut Writer) {
        w.boolean(*self);
    }
}

impl Wire for u64 {
    fn read(r: &mut Reader<'_>) -> Result<Self, Error> {
        r.unsigned()
    }

    fn write(&self, w: &mut Writer) {
        w.number(*self);
    }
}

impl Wire for u32 {
    fn read(r: &mut Reader<'_>) -> Result<Self, Error> {
        let number = r.unsigned()?;
        Self::try_from(number).map_err(|_| r.error(super::ErrorKind::NumberRange(decimal(number))))
    }

    fn write(&self, w: &mut Writer) {
        w.number(u64::from(*self));
    }
}

impl Wire for i64 {
    fn read(r: &mut Reader<'_>) -> Result<Self, Error> {
        let digits = r.number()?;
        // By the parser that there is for numbers without a sign: one for numbers with a sign is a kilobyte of wasm.
        let number = match digits.strip_prefix("-") {
            Some(digits) => digits.parse().ok().and_then(|number| 0i64.checked_sub_unsigned(number)),
            None => digits.parse().ok().and_then(|number| 0i64.checked_add_unsigned(number)),
        };
        number.ok_or_else(|| r.error(super::ErrorKind::NumberRange(digits.to_owned())))
    }

    fn write(&self, w: &mut Writer) {
        w.signed(*self);
    }
}

/// A seq before the first one is −1 on the wire, and None here.
impl Wire for Option<u64> {
    fn read(r: &mut Reader<'_>) -> Result<Self, Error> {
        if r.kind()? == Kind::Null {
            return r.null().map(|()| None);
        }
        let mut ahead = r.ahead();
        if ahead.number().is_ok_and(|digits| digits == "-1") {
            r.follow(ahead);
            return Ok(None);
        }
        r.unsigned().map(Some)
    }

    fn write(&self, w: &mut Writer) {
        match self {
            Some(number) => w.number(*number),
            None => w.signed(-1),
        }
    }
}

impl<T: Wire> Wire for Vec<T> {
    fn read(r: &mut Reader<'_>) -> Result<Self, Error> {
        let mut all = Self::new();
        r.array(|r| {
            // Most lists of a message have one element, and the first room of a list that grows is for four.
            if all.is_empty() {
                all.reserve_exact(1);
            }
            all.push(T::read(r)?);
            Ok(())
        })?;
        Ok(all)
    }

    fn write(&self, w: &mut Writer) {
        w.array(|w| self.iter().for_each(|element| element.write(w)));
    }
}

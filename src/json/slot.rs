//! What the macros' types read into and write from, one field at a time.
//!
//! An object is read and written by one loop for all types, over a table of its keys and fields. A loop for each type
//! would cost a quarter of the module.

use super::{Error, Kind, Reader, Wire, Writer};

/// Takes a field's value.
pub(crate) trait Slot {
    /// Reads the value that comes next.
    fn fill(&mut self, r: &mut Reader<'_>) -> Result<(), Error>;

    /// True when the type needs the field and it did not come.
    fn is_missing(&self) -> bool {
        false
    }
}

impl<T: Wire> Slot for Option<T> {
    fn fill(&mut self, r: &mut Reader<'_>) -> Result<(), Error> {
        *self = Some(T::read(r)?);
        Ok(())
    }

    fn is_missing(&self) -> bool {
        self.is_none()
    }
}

/// The slot of a field that may be absent and has a default.
#[derive(Default)]
pub(crate) struct Defaulted<T>(pub T);

impl<T: Wire> Slot for Defaulted<T> {
    fn fill(&mut self, r: &mut Reader<'_>) -> Result<(), Error> {
        self.0 = T::read(r)?;
        Ok(())
    }
}

/// The slot of a field that may be null.
pub(crate) struct Lenient<O>(pub O);

impl<T: Wire> Slot for Lenient<Option<T>> {
    fn fill(&mut self, r: &mut Reader<'_>) -> Result<(), Error> {
        if r.kind()? == Kind::Null {
            self.0 = None;
            return r.null();
        }
        self.0.fill(r)
    }
}

/// Gives a field's value.
pub(crate) trait Put {
    /// Writes the key and the value, unless it is left out.
    fn put(&self, key: &'static str, w: &mut Writer);
}

impl<T: Wire> Put for T {
    fn put(&self, key: &'static str, w: &mut Writer) {
        w.key(key);
        self.write(w);
    }
}

/// A field that is left out when it is empty.
pub(crate) struct IfSome<'a, T>(pub &'a Option<T>);

impl<T: Wire> Put for IfSome<'_, T> {
    fn put(&self, key: &'static str, w: &mut Writer) {
        if let Some(value) = self.0 {
            value.put(key, w);
        }
    }
}

/// A field that is null when it is empty.
pub(crate) struct OrNull<'a, T>(pub &'a Option<T>);

impl<T: Wire> Put for OrNull<'_, T> {
    fn put(&self, key: &'static str, w: &mut Writer) {
        match self.0 {
            Some(value) => value.put(key, w),
            None => {
                w.key(key);
                w.null();
            }
        }
    }
}

//! The table of B4.

use super::{Item, Window};
use crate::follow::follower::Follower;
use crate::follow::input::ReadError;
use crate::follow::reads::InFlight;
use crate::json::Notes;

/// An item of the current generation.
pub(in crate::follow) fn item(_f: &mut Follower, _item: Item, _now: u64) {}

/// A read was answered.
pub(in crate::follow) fn window(
    _f: &mut Follower,
    _read: InFlight,
    _result: Result<(Window, Notes), ReadError>,
    _now: u64,
) {
}

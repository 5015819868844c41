//! What JavaScript calls: the class that a `ThreadClient` drives, and the pure functions.
//!
//! The package's own scripts stand between this and an app; they load the module, keep the view's mirror and call the
//! app's listeners. Off the hot path plain objects cross as they are; what streams crosses as JSON text.

mod driver;
mod fault;
mod functions;
mod options;

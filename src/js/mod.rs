//! What JavaScript calls: the class that a `ThreadClient` drives, the pure functions, and the transcoders.
//!
//! The package's own scripts stand between this and an app; they load the module, keep the view's mirror and call the
//! app's listeners. Off the hot path plain objects cross as they are; what streams crosses as JSON text.

#[cfg(feature = "client")]
mod driver;
#[cfg(feature = "client")]
mod effect;
mod fault;
#[cfg(feature = "client")]
mod functions;
#[cfg(feature = "client")]
mod given;
#[cfg(feature = "transcoders")]
mod transcoder;

/// How the heap is made: growing by copying is half a kilobyte less than growing in place, and what grows here doubles.
struct Heap;

impl rlsf::GlobalTlsfOptions for Heap {
    const ENABLE_REALLOCATION: bool = false;
}

#[global_allocator]
static HEAP: rlsf::GlobalTlsf<Heap> = rlsf::GlobalTlsf::new();

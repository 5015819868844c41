//! The live lane: what a preview shows of an attempt while it streams, before anything of it is committed. It has no
//! authority; a committed record replaces it.

mod block;
mod content;
pub mod partial;

pub use block::Placed;
pub use content::{Content, Growth, Part};
pub use partial::PartialJson;

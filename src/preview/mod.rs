//! The live lane: what a preview shows of an attempt while it streams, before anything of it is committed. It has no
//! authority; a committed record replaces it.

pub mod partial;

//! The wire of dsh, by hand and by recordings.

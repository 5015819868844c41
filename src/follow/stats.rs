//! Counters since the follower was made.

use crate::json::wire_object;

wire_object! {
    /// What was seen and done. Reads stay within commits + reopens + losses + 2 while the host answers (C3.9).
    #[derive(Debug, Clone, Default, PartialEq, Eq)]
    pub struct Stats {
        /// Events of the live stream that were understood.
        pub frames: u64,
        /// Deltas that were shown.
        pub deltas: u64,
        /// Frames and Deltas that had been seen before.
        pub duplicates: u64,
        /// Holes in revision or index.
        pub gaps: u64,
        /// Openings made because the stream that was there had a hole or was at fault.
        pub reopens: u64,
        /// All openings.
        pub openings: u64,
        /// Streams that ended without having been closed by this side.
        pub losses: u64,
        /// Committed reads.
        pub reads: u64,
        /// Commits that the live stream announced.
        pub commits: u64,
        /// Records applied.
        pub records: u64,
        /// Facts folded.
        pub facts: u64,
        /// Events that could not be read.
        pub malformed: u64,
        /// Unknown events, keys and values.
        pub unknown: u64,
        /// Anomalies told.
        pub anomalies: u64,
        /// Halves of characters that became U+FFFD.
        pub replaced_halves: u64,
        /// Bytes of the live stream, as far as the edge sees them.
        pub bytes: u64,
    }
}

//! A map from names to numbers.
//!
//! The one hash map of the module: another pair of types would be another kilobyte of wasm, so sets use it too.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::Arc;

/// The map. What a lookup or an addition costs does not depend on how many names there are.
#[derive(Debug, Clone, Default)]
pub struct Names(HashMap<Arc<str>, usize, BuildHasherDefault<Words>>);

impl Names {
    /// The number of a name.
    #[inline(never)]
    pub fn get(&self, name: &str) -> Option<usize> {
        self.0.get(name).copied()
    }

    /// True when the name is there.
    pub fn contains(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// Gives a name its number.
    #[inline(never)]
    pub fn insert(&mut self, name: &Arc<str>, number: usize) {
        self.0.insert(Arc::clone(name), number);
    }

    /// Forgets a name.
    #[inline(never)]
    pub fn remove(&mut self, name: &str) {
        self.0.remove(name);
    }

    /// Forgets all names.
    pub fn clear(&mut self) {
        self.0.clear();
    }
}

/// Multiplies a word at a time. The standard library's hasher is ten times the code, and in wasm, where its keys are no
/// secret, it is no better protected from names that are chosen to collide.
#[derive(Debug, Clone, Default)]
struct Words(u64);

impl Words {
    fn word(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95);
    }
}

impl Hasher for Words {
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        words.iter().for_each(|word| self.word(u64::from_le_bytes(*word)));
        // The length is told by the byte that `str` ends itself with.
        self.word(rest.iter().fold(0, |word, byte| word << 8 | u64::from(*byte)));
    }

    fn write_u8(&mut self, byte: u8) {
        self.word(u64::from(byte));
    }

    /// A product is mixed in its high bits alone; the map takes from both ends.
    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 32
    }
}

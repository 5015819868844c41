//! A map from names to numbers.
//!
//! The one hash map of the module: another pair of types would be another kilobyte of wasm, so sets use it too.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::Arc;

/// The map. What a lookup or an addition costs does not depend on how many names there are.
#[derive(Debug, Clone, Default)]
pub struct Names(HashMap<Arc<str>, usize, BuildHasherDefault<Fnv>>);

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

/// FNV-1a. The standard library's hasher is ten times the code, and in wasm, where its keys are no secret, it is no
/// better protected from names that are chosen to collide.
#[derive(Debug, Clone)]
struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Hasher for Fnv {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

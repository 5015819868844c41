//! A map from names to numbers.
//!
//! The one hash map of the module, so sets use it too. The standard library's does much that is not needed here, for any
//! pair of types: it would be a kilobyte of wasm more.

use crate::text::Shared;
use std::mem;

/// The map. What a lookup or an addition costs does not depend on how many names there are.
#[derive(Debug, Clone, Default)]
pub struct Names {
    /// None, or a power of two. A name stands at the place that its hash says or, where others stand, at the first that
    /// was free behind it.
    places: Vec<Option<Entry>>,
    taken: usize,
    /// Where the newest stands: the rows of a log come run by run, so it is what is mostly asked for.
    newest: usize,
}

#[derive(Debug, Clone)]
struct Entry {
    name: Shared,
    hash: usize,
    number: usize,
}

impl Names {
    /// The number of a name.
    #[inline(never)]
    pub fn get(&self, name: &str) -> Option<usize> {
        let entry = |place: usize| self.places.get(place).and_then(Option::as_ref);
        let newest = entry(self.newest).filter(|entry| *entry.name == *name);
        newest.or_else(|| entry(self.place(name, hash(name)))).map(|entry| entry.number)
    }

    /// True when the name is there.
    pub fn contains(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// Gives a name its number.
    pub fn insert(&mut self, name: &Shared, number: usize) {
        self.enter(name, number, true);
    }

    /// Gives a name its number unless it has one; true when it had none.
    pub fn add(&mut self, name: &Shared, number: usize) -> bool {
        self.enter(name, number, false)
    }

    /// True when the name had no number.
    #[inline(never)]
    fn enter(&mut self, name: &Shared, number: usize, anew: bool) -> bool {
        // A quarter is free, so that a search soon comes to an end.
        if self.taken * 4 >= self.places.len() * 3 {
            // By four, for each time costs a search for all that are there.
            let more = (self.places.len() * 4).max(16);
            let before = mem::take(self);
            self.places.resize_with(more, || None);
            before.places.into_iter().flatten().for_each(|entry| _ = self.put(entry, true));
        }
        self.put(Entry { name: Shared::clone(name), hash: hash(name), number }, anew)
    }

    /// Forgets a name.
    #[inline(never)]
    pub fn remove(&mut self, name: &str) {
        let mut at = self.place(name, hash(name));
        // Those behind it may have stood there, were it not for this one: they are put in anew.
        while let Some(entry) = self.places.get_mut(at).and_then(Option::take) {
            self.taken -= 1;
            if *entry.name != *name {
                self.put(entry, true);
            }
            at = self.behind(at);
        }
    }

    /// Forgets all names.
    pub fn clear(&mut self) {
        self.places.clear();
        self.taken = 0;
    }

    /// True when the place was free. Where it is not, the entry there stays unless it is to be set anew.
    #[inline(never)]
    fn put(&mut self, entry: Entry, anew: bool) -> bool {
        let at = self.place(&entry.name, entry.hash);
        let Some(place) = self.places.get_mut(at) else { return false };
        let is_new = place.is_none();
        if is_new || anew {
            self.taken += usize::from(is_new);
            self.newest = at;
            *place = Some(entry);
        }
        is_new
    }

    /// Where the name stands, else where it would.
    fn place(&self, name: &str, hash: usize) -> usize {
        let mut at = hash & self.places.len().wrapping_sub(1);
        while let Some(Some(entry)) = self.places.get(at)
            && (entry.hash != hash || *entry.name != *name)
        {
            at = self.behind(at);
        }
        at
    }

    fn behind(&self, at: usize) -> usize {
        (at + 1) & self.places.len().wrapping_sub(1)
    }
}

/// Multiplies a word at a time. The standard library's hasher is ten times the code, and in wasm, where its keys are no
/// secret, it is no better protected from names that are chosen to collide.
fn hash(name: &str) -> usize {
    let (words, rest) = name.as_bytes().as_chunks::<8>();
    let rest = rest.iter().fold(name.len() as u64, |word, byte| word << 8 | u64::from(*byte));
    let mixed = |hash: u64, word: u64| (hash.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95);
    let hash = mixed(words.iter().fold(0, |hash, word| mixed(hash, u64::from_le_bytes(*word))), rest);
    // A product is mixed in its high bits alone, and the place is taken from the low ones.
    (hash ^ hash >> 32) as usize
}

#[cfg(test)]
mod tests {
    use super::Names;
    use crate::text::Shared;
    use std::collections::HashMap;

    /// Names go in and out in an order that leaves holes and wraps around; beside them stands the standard library's map.
    #[test]
    fn it_is_a_map_whatever_goes_in_and_out() {
        let (mut names, mut beside) = (Names::default(), HashMap::new());
        assert_eq!(names.get("a"), None);
        names.remove("a");
        let mut random: u64 = 1;
        for step in 0..20_000 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let name = format!("name-{}", (random >> 33) % if step < 10_000 { 40 } else { 3000 });
            if (random >> 20).is_multiple_of(3) {
                names.remove(&name);
                beside.remove(&name);
            } else if (random >> 24).is_multiple_of(2) {
                assert_eq!(names.add(&Shared::from(name.as_str()), step), !beside.contains_key(&name));
                beside.entry(name.clone()).or_insert(step);
            } else {
                names.insert(&Shared::from(name.as_str()), step);
                beside.insert(name.clone(), step);
            }
            let other = format!("name-{}", step % 60);
            assert_eq!(names.get(&other), beside.get(&other).copied());
            assert_eq!(names.get(&name), beside.get(&name).copied());
            assert_eq!(names.taken, beside.len());
        }
        for number in 0..3000 {
            let name = format!("name-{number}");
            assert_eq!(names.get(&name), beside.get(&name).copied(), "{name}");
        }
        names.clear();
        assert!(!names.contains("name-1"));
        names.insert(&Shared::from("name-1"), 1);
        assert_eq!(names.get("name-1"), Some(1));
    }
}

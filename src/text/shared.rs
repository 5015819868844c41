//! Text that whoever keeps it shares.

use arcstr::ArcStr;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;

/// Text that does not change, by one pointer: copied, freed and compared by calls. An `Arc<str>` is two words, and counts
/// in place at each of the many ends that a value may have; as such the ids alone were a twentieth of the module.
pub struct Shared(ArcStr);

impl Clone for Shared {
    #[inline(never)]
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl Deref for Shared {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl From<&str> for Shared {
    #[inline(never)]
    fn from(text: &str) -> Self {
        Self(ArcStr::from(text))
    }
}

impl PartialEq for Shared {
    #[inline(never)]
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for Shared {}

impl PartialOrd for Shared {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Shared {
    fn cmp(&self, other: &Self) -> Ordering {
        (**self).cmp(&**other)
    }
}

impl Hash for Shared {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

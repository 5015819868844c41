//! Random numbers that are the same for the same seed.

/// splitmix64.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed ^ 0x51_7C_C1_B7_27_22_0A_95)
    }

    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^ (bits >> 31)
    }

    /// A number below this one.
    pub fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.bits() % end.max(1) as u64).unwrap_or_default()
    }

    pub fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    /// One of these by weight.
    pub fn weighed<T: Copy>(&mut self, from: &[(u32, T)]) -> T {
        let all: u32 = from.iter().map(|(weight, _)| weight).sum();
        let mut at = self.below(all as usize) as u32;
        for (weight, value) in from {
            if at < *weight {
                return *value;
            }
            at -= weight;
        }
        from[0].1
    }
}

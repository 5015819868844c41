//! Bytes as choices: the fuzzer's input decides what happens next.

/// The input, from where it was read last. Behind its end all choices are the first one.
pub struct Choices<'a>(&'a [u8]);

impl<'a> Choices<'a> {
    pub fn new(data: &'a [u8]) -> Self {
        Self(data)
    }

    pub fn is_over(&self) -> bool {
        self.0.is_empty()
    }

    pub fn byte(&mut self) -> u8 {
        let Some((byte, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        *byte
    }

    /// A number below `bound`, which is not 0.
    pub fn below(&mut self, bound: usize) -> usize {
        usize::from(self.byte()) % bound
    }

    pub fn of<'b, T>(&mut self, all: &'b [T]) -> &'b T {
        &all[self.below(all.len())]
    }

    /// A number that is mostly small, and sometimes at the edge of what is allowed or beyond it.
    pub fn number(&mut self) -> i64 {
        match self.byte() {
            byte @ 0..=239 => i64::from(byte % 12),
            240..=247 => (1 << 53) - 1,
            248..=251 => 1 << 53,
            _ => -1,
        }
    }

    /// Some bytes: their number comes first.
    pub fn bytes(&mut self) -> &'a [u8] {
        let length = usize::from(self.byte()) | usize::from(self.byte()) << 8;
        let (taken, rest) = self.0.split_at(length.min(self.0.len()));
        self.0 = rest;
        taken
    }

    /// Some text, in quotes or not.
    pub fn text(&mut self) -> String {
        String::from_utf8_lossy(self.bytes()).into_owned()
    }

    /// All that is left.
    pub fn rest(&mut self) -> &'a [u8] {
        std::mem::take(&mut self.0)
    }
}

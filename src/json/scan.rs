//! Searching strings a word at a time: what of JSON is long is text.

/// How many bytes at the start are plain characters of a string: no quote, no backslash, no control character.
#[inline(never)]
pub(crate) fn plain_run(bytes: &[u8]) -> usize {
    let (words, rest) = bytes.as_chunks::<8>();
    let mut at = 0;
    for word in words {
        let special = special_in(*word);
        if special != 0 {
            return at + special.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    at + rest.iter().position(|&byte| byte < 0x20 || byte == b'"' || byte == b'\\').unwrap_or(rest.len())
}

const ONES: u64 = u64::from_ne_bytes([1; 8]);

/// Sets the high bit of each byte that is not plain. A borrow can set it for a byte above such a one too, which does no
/// harm where only the first is asked for.
fn special_in(word: [u8; 8]) -> u64 {
    let word = u64::from_le_bytes(word);
    let below = |word: u64, limit: u64| word.wrapping_sub(ONES * limit) & !word;
    let quote = word ^ (ONES * b'"' as u64);
    let backslash = word ^ (ONES * b'\\' as u64);
    (below(word, 0x20) | below(quote, 1) | below(backslash, 1)) & (ONES << 7)
}

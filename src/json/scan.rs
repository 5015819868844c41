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

#[cfg(test)]
mod tests {
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    use super::plain_run;

    #[test]
    fn a_run_ends_before_the_first_byte_that_is_not_plain_wherever_it_stands() {
        for byte in 0..=255u8 {
            let plain = byte >= 0x20 && byte != b'"' && byte != b'\\';
            for at in 0..24 {
                let mut bytes = [b'a', 0xE6, 0xBC, 0xA2, b' ', b'!', b'#', 0x7F].repeat(3);
                bytes[at] = byte;
                assert_eq!(plain_run(&bytes), if plain { 24 } else { at }, "{byte} at {at}");
                if at + 1 < 24 {
                    bytes[at + 1] = b'"';
                    assert_eq!(plain_run(&bytes), if plain { at + 1 } else { at }, "{byte} before a quote at {at}");
                }
            }
        }
        assert_eq!(plain_run(b""), 0);
    }
}

//! Searching bytes a word at a time: the part of the decoder in which a long stream spends its time.

/// Where the first CR or LF of `bytes` is.
pub(super) fn line_end(bytes: &[u8]) -> Option<usize> {
    let (words, rest) = bytes.as_chunks::<8>();
    // Two words a round are quicker than one, on machines and in wasm.
    let (pairs, last) = words.as_chunks::<2>();
    let mut at = 0;
    for [first, second] in pairs {
        if low_in(*first) | low_in(*second) != 0 {
            let (first, second) = (ends_in(*first), ends_in(*second));
            if first | second != 0 {
                return Some(at + if first != 0 { first_byte(first) } else { 8 + first_byte(second) });
            }
        }
        at += 16;
    }
    for word in last {
        let ends = ends_in(*word);
        if ends != 0 {
            return Some(at + first_byte(ends));
        }
        at += 8;
    }
    rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')).map(|index| at + index)
}

/// Whether there are digits, and nothing else.
pub(super) fn only_digits(bytes: &[u8]) -> bool {
    !bytes.is_empty() && bytes.iter().all(u8::is_ascii_digit)
}

const ONES: u64 = u64::from_ne_bytes([1; 8]);
const HIGH_BITS: u64 = ONES << 7;

/// Not 0 where a byte is CR or below it. Text hardly has any but line ends, and this is half of what looking for them takes.
fn low_in(word: [u8; 8]) -> u64 {
    let word = u64::from_le_bytes(word);
    word.wrapping_sub(ONES * (b'\r' as u64 + 1)) & !word & HIGH_BITS
}

/// Sets the high bit of each byte that is CR or LF. A borrow can set it for a byte above such a one too, which does
/// no harm where only the first is asked for.
fn ends_in(word: [u8; 8]) -> u64 {
    let word = u64::from_le_bytes(word);
    zeros_in(word ^ (ONES * b'\n' as u64)) | zeros_in(word ^ (ONES * b'\r' as u64))
}

fn zeros_in(word: u64) -> u64 {
    word.wrapping_sub(ONES) & !word & HIGH_BITS
}

fn first_byte(high_bits: u64) -> usize {
    high_bits.trailing_zeros() as usize / 8
}

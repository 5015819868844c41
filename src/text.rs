//! Texts that are put together, and texts of bytes. The standard library's formatting would be kilobytes of wasm.

mod shared;

pub use shared::Shared;

use std::borrow::Cow;

/// The parts, one after the other.
#[inline(never)]
pub fn join(parts: &[&str]) -> String {
    parts.concat()
}

/// A number in decimal digits.
#[inline(never)]
pub fn decimal(number: u64) -> String {
    let mut text = String::new();
    push_decimal(&mut text, number);
    text
}

/// Adds a number in decimal digits.
pub fn push_decimal(text: &mut String, number: u64) {
    if number >= 10 {
        push_decimal(text, number / 10);
    }
    text.push(char::from(b'0' + (number % 10) as u8));
}

/// The text that bytes are; each sequence that is no UTF-8 is U+FFFD. The standard library has the same with a decoder of
/// its own for what is no text, beside the one that looks whether it is.
#[inline]
pub fn lossy(bytes: &[u8]) -> Cow<'_, str> {
    str::from_utf8(bytes).map_or_else(|_| Cow::Owned(replaced(bytes)), Cow::Borrowed)
}

#[cold]
#[inline(never)]
fn replaced(bytes: &[u8]) -> String {
    let (mut text, mut rest) = (String::new(), bytes);
    while let Err(error) = str::from_utf8(rest) {
        let (valid, odd) = rest.split_at_checked(error.valid_up_to()).unwrap_or((rest, &[]));
        text.push_str(str::from_utf8(valid).unwrap_or_default());
        text.push(char::REPLACEMENT_CHARACTER);
        rest = odd.get(error.error_len().unwrap_or(odd.len())..).unwrap_or_default();
    }
    text + str::from_utf8(rest).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{decimal, join, lossy};

    #[test]
    fn bytes_are_read_as_the_standard_library_reads_them() {
        let odd: [&[u8]; 9] = [
            b"",
            b"plain",
            b"\xFF",
            b"a\xC3",
            b"\xC3\xA4\xC3b",
            b"\xE2\x82x\xE2\x82\xAC\xF0\x9F\x98",
            b"\xED\xA0\x80",
            b"\xF0\x9F\x98\x80\x80",
            b"\xC0\xAF\xF8tail",
        ];
        for bytes in odd {
            assert_eq!(lossy(bytes), String::from_utf8_lossy(bytes), "{bytes:?}");
        }
    }

    #[test]
    fn a_number_is_written_as_the_standard_library_writes_it() {
        for n in [0, 7, 9, 10, 19, 100, 90_210, u64::from(u32::MAX), u64::MAX - 1, u64::MAX] {
            assert_eq!(decimal(n), n.to_string());
        }
    }

    #[test]
    fn parts_are_put_together_in_their_order() {
        assert_eq!(join(&["a", "", "bc"]), "abc");
        assert_eq!(join(&[]), "");
    }
}

//! The search for the end of plain text, byte by byte.

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use crate::json::plain_run;

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

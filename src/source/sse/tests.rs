//! The decoder against the fixtures and the field cases about bytes, each at every cut of its stream.

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use super::scan::line_end;
use super::{Decoder, SseError};

const PLENTY: usize = 1 << 20;

/// Everything that a stream comes to: the events as (name, data, last event id), and the decoder's state at the end.
#[derive(Clone, Debug, Default, PartialEq)]
struct Outcome {
    events: Vec<(String, String, String)>,
    last_event_id: String,
    retry: Option<u64>,
    comments: u64,
    errors: Vec<SseError>,
}

fn decode<'a>(chunks: impl IntoIterator<Item = &'a [u8]>, limit: usize) -> Outcome {
    let mut decoder = Decoder::new(limit);
    let mut outcome = Outcome::default();
    for chunk in chunks {
        let events = &mut outcome.events;
        let result = decoder.push(chunk, &mut |event| {
            events.push((event.name.into(), event.data.into(), event.last_event_id.into()));
        });
        outcome.errors.extend(result.err());
    }
    decoder.finish();
    outcome.last_event_id = decoder.last_event_id().into();
    outcome.retry = decoder.retry();
    outcome.comments = decoder.comments();
    outcome
}

/// Decodes a stream whole, in single bytes with empty chunks between them, and cut at every place (at every two
/// places if it is short), and expects the same each time.
fn decode_at_every_cut(stream: &[u8], limit: usize) -> Outcome {
    let whole = decode([stream], limit);
    let bytes = stream.chunks(1).flat_map(|byte| [byte, &[]]);
    assert_eq!(decode(bytes, limit), whole, "in single bytes");
    for first in 0..=stream.len() {
        let (start, rest) = stream.split_at(first);
        assert_eq!(decode([start, rest], limit), whole, "cut at {first}");
        for second in 0..=if stream.len() <= 40 { rest.len() } else { 0 } {
            let (middle, end) = rest.split_at(second);
            assert_eq!(decode([start, middle, end], limit), whole, "cut at {first} and {second} after it");
        }
    }
    whole
}

/// The data of each event.
fn data(stream: &[u8]) -> Vec<String> {
    decode_at_every_cut(stream, PLENTY).events.into_iter().map(|(_, data, _)| data).collect()
}

fn from_hex(hex: &str) -> Vec<u8> {
    hex.as_bytes().chunks(2).map(|pair| u8::from_str_radix(str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
}

#[test]
fn every_fixture_decodes_as_it_says_at_every_cut() {
    let fixtures: serde_json::Value = serde_json::from_str(include_str!("../../../tests/fixtures/sse.json")).unwrap();
    let cases = fixtures["cases"].as_array().unwrap();
    assert!(!cases.is_empty());
    for case in cases {
        let stream = match case["stream"].as_str() {
            Some(text) => text.as_bytes().to_vec(),
            None => from_hex(case["hex"].as_str().unwrap()),
        };
        let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
        let wanted = Outcome {
            events: case["events"]
                .as_array()
                .unwrap()
                .iter()
                .map(|event| (text(&event["name"]), text(&event["data"]), text(&event["id"])))
                .collect(),
            last_event_id: text(&case["last_event_id"]),
            retry: case["retry"].as_u64(),
            comments: case["comments"].as_u64().unwrap(),
            errors: Vec::new(),
        };
        assert_eq!(decode_at_every_cut(&stream, PLENTY), wanted, "{}", case["name"]);
    }
}

#[test]
fn b01_crlf_split_between_chunks_is_one_line_end() {
    for chunks in [
        &["data: A\r\n", "data: B\r", "\n", "data: C\r\n", "\n"][..],
        &["data: A\r\n", "data: B\r", "data: C\r\n", "\n"],
        &["data: A\r\n", "data: B\r", "", "\n", "data: C\r\n", "\n"],
    ] {
        let events = decode(chunks.iter().map(|chunk| chunk.as_bytes()), PLENTY).events;
        assert_eq!(events, [("message".into(), "A\nB\nC".into(), String::new())], "{chunks:?}");
        assert_eq!(data(chunks.concat().as_bytes()), ["A\nB\nC"]);
    }
}

#[test]
fn b01_an_event_is_dispatched_at_the_cr_of_its_blank_line() {
    let mut decoder = Decoder::new(PLENTY);
    let mut seen = Vec::new();
    decoder.push(b"data: A\r\n\r", &mut |event| seen.push(event.data.to_owned())).unwrap();
    assert_eq!(seen, ["A"]);
    decoder.push(b"\ndata: B\n\n", &mut |event| seen.push(event.data.to_owned())).unwrap();
    assert_eq!(seen, ["A", "B"]);
}

#[test]
fn b02_a_stream_in_crlf_or_in_cr_is_the_stream_in_lf() {
    let stream = ": hi\nevent: x\ndata: one\ndata\ndata: two\n\n\nid: 3\nretry: 40\ndata: z\n\n";
    let in_lf = decode_at_every_cut(stream.as_bytes(), PLENTY);
    assert_eq!(in_lf.events.len(), 2);
    assert_eq!(decode_at_every_cut(stream.replace('\n', "\r\n").as_bytes(), PLENTY), in_lf);
    assert_eq!(decode_at_every_cut(stream.replace('\n', "\r").as_bytes(), PLENTY), in_lf);
}

#[test]
fn b04_characters_cut_anywhere_stay_whole() {
    assert_eq!(data("data: 你好\n\ndata: a😀b\ndata: é\n\n".as_bytes()), ["你好", "a😀b\né"]);
}

#[test]
fn b06_exactly_one_leading_byte_order_mark_is_removed() {
    assert_eq!(data("\u{feff}data: {\"a\":\"\u{feff}\"}\n\n".as_bytes()), ["{\"a\":\"\u{feff}\"}"]);
    let split: [&[u8]; 4] = [b"\xEF", b"\xBB", b"\xBF", b"data: x\n\n"];
    assert_eq!(decode(split, PLENTY).events, [("message".into(), "x".into(), String::new())]);
}

#[test]
fn b07_an_event_without_its_blank_line_is_discarded_at_the_end() {
    let stream = b"data: {\"type\":\"RunFinished\"}";
    assert_eq!(data(stream), [""; 0]);
    let finish_after = |stream: &[u8]| {
        let mut decoder = Decoder::new(PLENTY);
        decoder.push(stream, &mut |_| {}).unwrap();
        decoder.finish()
    };
    assert!(finish_after(stream));
    assert!(finish_after(b"data: a\n\ndata: b\n"));
    assert!(finish_after(b"data: a\n\nid"));
    assert!(!finish_after(b"data: a\n\n: ping\n"));
}

#[test]
fn b08_at_most_one_space_is_removed_and_a_bare_field_is_empty() {
    let outcome = decode_at_every_cut(b"data:{\"x\":1}\nevent:foo\n\ndata:  two spaces\n\ndata\n\n", PLENTY);
    let event = |name: &str, data: &str| (name.to_owned(), data.to_owned(), String::new());
    assert_eq!(outcome.events, [event("foo", "{\"x\":1}"), event("message", " two spaces"), event("message", "")]);
}

#[test]
fn a_field_whose_name_only_begins_like_another_is_no_such_field() {
    let stream = b"datum: a\ndatas: b\ndata-x\ndata:c\nevents: d\nevent_: e\n\ndata:f\nevent: g\nevent\n\n";
    let outcome = decode_at_every_cut(stream, 100);
    let of = |name: &str, data: &str| (name.to_owned(), data.to_owned(), String::new());
    assert_eq!(outcome.events, [of("message", "c"), of("message", "f")]);
}

#[test]
fn b10_after_an_empty_id_a_reopening_sends_none() {
    let outcome = decode_at_every_cut(b"id: 5\ndata: a\n\nid:\ndata: b\n\n", PLENTY);
    let ids: Vec<_> = outcome.events.iter().map(|(_, _, id)| id.as_str()).collect();
    assert_eq!(ids, ["5", ""]);
    assert_eq!(outcome.last_event_id, "");
    // An id whose event never ended is not the stream's.
    assert_eq!(decode_at_every_cut(b"id: 5\ndata: a\n\nid: 6\ndata: b\n", PLENTY).last_event_id, "5");
}

#[test]
fn n19_an_id_belongs_to_the_stream_that_gave_it() {
    let mut first = Decoder::new(PLENTY);
    let second = Decoder::new(PLENTY);
    first.push(b"id: 0\ndata: a\n\n", &mut |_| {}).unwrap();
    first.finish();
    assert_eq!((first.last_event_id(), second.last_event_id()), ("0", ""));
}

#[test]
fn b12_the_work_for_a_long_line_is_linear_however_it_is_cut() {
    let mut stream = b"data: ".to_vec();
    stream.resize(5_000_000, b'x');
    stream.extend(b"\n\n");
    for size in [1, 1024, stream.len()] {
        let mut decoder = Decoder::new(stream.len());
        let mut seen = Vec::new();
        for chunk in stream.chunks(size) {
            decoder.push(chunk, &mut |event| seen.push(event.data.len())).unwrap();
        }
        assert_eq!(seen, [4_999_994], "in chunks of {size}");
        // Searched once, kept once and copied out of the line once.
        assert!(decoder.work <= 3 * stream.len(), "{} bytes of work in chunks of {size}", decoder.work);
        assert!(decoder.work >= stream.len() - 2);
        assert!(decoder.data.capacity() + decoder.line.capacity() <= 2 * super::KEPT_CAPACITY);
    }
}

#[test]
fn b12_an_event_that_lies_in_one_chunk_is_not_copied() {
    let mut decoder = Decoder::new(PLENTY);
    let stream = b"event: delta\ndata: {\"index\":1}\n\nevent: delta\ndata: {\"index\":2}\n\n";
    let (mut events, range) = (0, stream.as_ptr_range());
    decoder
        .push(stream, &mut |event| {
            events += 1;
            assert!(range.contains(&event.name.as_ptr()) && range.contains(&event.data.as_ptr()));
        })
        .unwrap();
    assert_eq!(events, 2);
    assert_eq!(decoder.data.capacity() + decoder.line.capacity() + decoder.name.capacity(), 0);
}

#[test]
fn b12_a_line_or_event_over_the_limit_is_an_error_with_a_code() {
    let too_long = SseError::TooLong { limit: 12 };
    // A line of the limit passes, alone or as one of many events; a byte more doesn't, in a line or over an event's.
    for stream in ["data: 123456\n\ndata: 123456\n\n", ": 4567890123\n: 4567890123\ndata: 123456\n\n"] {
        assert_eq!(decode_at_every_cut(stream.as_bytes(), 12).errors, []);
    }
    for stream in [
        "data: 1234567\n\n",
        "data: 1234567",
        "data:12\ndata:2\n\n",
        "event:1\ndata:2\n\n",
        "id:1234\ndata:2\n\n",
        ":123456789012\n",
    ] {
        let outcome = decode_at_every_cut(format!("data: a\n\n{stream}data: b\n\n").as_bytes(), 12);
        assert_eq!(outcome.errors, [too_long], "{stream:?}");
        assert_eq!(outcome.events, [("message".into(), "a".into(), String::new())], "{stream:?}");
    }
    assert_eq!(too_long.code(), "sse_event_too_long");
    assert_eq!(too_long.to_string(), "A line or an event of the stream is longer than the limit of 12 bytes.");
}

#[test]
fn b14_an_error_comes_once_and_nothing_after_it() {
    let mut decoder = Decoder::new(16);
    let mut events = 0;
    let mut push = |decoder: &mut Decoder, bytes: &[u8]| decoder.push(bytes, &mut |_| events += 1);
    assert!(push(&mut decoder, b"data: a\n\n").is_ok());
    assert!(push(&mut decoder, b"data: a line that is far too long\n").is_err());
    assert!(decoder.is_finished());
    assert!(push(&mut decoder, b"\ndata: b\n\n").is_ok());
    assert!(!decoder.finish());
    assert_eq!(events, 1);
}

#[test]
fn nothing_comes_out_of_a_stream_that_was_ended() {
    let mut decoder = Decoder::new(PLENTY);
    decoder.push(b"data: a\n", &mut |_| panic!("the event is open")).unwrap();
    decoder.finish();
    decoder.push(b"\ndata: b\n\n", &mut |_| panic!("the stream was ended")).unwrap();
}

#[test]
fn a_retry_too_large_for_the_clock_is_the_largest() {
    assert_eq!(decode_at_every_cut(b"retry: 99999999999999999999999\n", PLENTY).retry, Some(u64::MAX));
}

/// Streams out of pieces that matter to the decoder, by a generator that gives the same ones everywhere.
#[test]
fn any_stream_decodes_the_same_at_every_cut() {
    const PIECES: [&[u8]; 24] = [
        b"data",
        b"data: ",
        b"data:x\n",
        b"event: y\n",
        b"event:",
        b"id",
        b"id: ",
        b"retry: ",
        b":",
        b" ",
        b"\n",
        b"\r",
        b"\r\n",
        b"\n\n",
        b"\r\r\n",
        b"\n\n",
        b"a",
        b"7",
        b"\0",
        "é".as_bytes(),
        "😀".as_bytes(),
        b"\xEF\xBB\xBF",
        b"\xEF\xBB",
        b"\xF0\x9F",
    ];
    let mut seed = 0x9E37_79B9_7F4A_7C15_u64;
    let mut below = |bound: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed >> 33) as usize % bound
    };
    let mut events = 0;
    for _ in 0..600 {
        let stream: Vec<u8> = (0..below(24)).flat_map(|_| PIECES[below(PIECES.len())].to_vec()).collect();
        events += decode_at_every_cut(&stream, [PLENTY, 20][below(2)]).events.len();
    }
    assert!(events > 80, "only {events} events: the pieces no longer make streams");
}

#[test]
fn the_first_line_end_is_found_wherever_it_is() {
    // Bytes beside CR and LF are where a search by words goes wrong.
    for filler in [b'x', 0, 0x0B, 0x0C, 0x0E, 0x80, 0x8A, 0x8D, 0xFF] {
        for length in 0..40 {
            let mut bytes = vec![filler; length];
            assert_eq!(line_end(&bytes), None);
            for at in 0..length {
                for end in [b'\n', b'\r'] {
                    bytes[at] = end;
                    assert_eq!(line_end(&bytes), Some(at), "{filler} {length}");
                    let after = bytes.get(at + 1).copied();
                    if let Some(after) = after {
                        bytes[at + 1] = b'\n' + b'\r' - end;
                        assert_eq!(line_end(&bytes), Some(at));
                        bytes[at + 1] = after;
                    }
                }
                bytes[at] = filler;
            }
        }
    }
}

//! A Delta as it is written, against the general way.

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use crate::follow::frame::{DeltaFrame, Frame, Frames};
use crate::json;

const FRAMES: [&str; 4] = [
    r#"{"attempt":"a-1","revision":42,"index":7,"delta":{"type":"text_delta","delta":"Zwölf \"漢字\"\n"}}"#,
    r#"{"attempt":"a","revision":0,"index":9007199254740991,"delta":{"type":"reasoning_delta","delta":"\ude00x\ud83d"}}"#,
    r#"{"attempt":"","revision":1,"index":0,"delta":{"type":"tool_call_delta","id":"c","name":"n\u006f","args_delta":"{\"a\":"}}"#,
    r#"{"delta":{"delta":"late","type":"text_delta"},"index":1,"attempt":"a","revision":2}"#,
];

#[test]
fn a_delta_is_read_alike_as_it_is_written_and_in_the_general_way() {
    let mut read = 0;
    for frame in FRAMES {
        read += usize::from(Frames::default().as_written(frame).is_some());
        for at in (0..=frame.len()).filter(|at| frame.is_char_boundary(*at)) {
            let (before, after) = frame.split_at(at);
            let rest = after.char_indices().nth(1).map_or("", |(next, _)| &after[next..]);
            for text in [
                frame,
                before,
                &[before, " ", after].concat(),
                &[before, rest].concat(),
                &[before, "9", after].concat(),
            ] {
                let general = json::read_noting::<DeltaFrame>(text);
                if let Some(quick) = Frames::default().as_written(text) {
                    assert_eq!(Ok(&quick), general.as_ref(), "{text}");
                }
                let whole = general.map(|(frame, notes)| Some((Frame::Delta(frame), notes)));
                assert_eq!(Frame::read("delta", text), whole, "{text}");
            }
        }
    }
    assert_eq!(read, 3, "what hosts write is read in the quick way");
}

#[test]
fn the_frames_of_a_stream_are_read_as_each_would_be_by_itself() {
    let half = r#"{"attempt":"\ud83d","revision":1,"index":0,"delta":{"type":"text_delta","delta":"a"}}"#;
    let cut = r#"{"attempt":"a-2","revision":1,"index":"#;
    let texts = [FRAMES[0], FRAMES[0], FRAMES[1], half, half, cut, FRAMES[0], FRAMES[3], FRAMES[2], FRAMES[2]];
    for first in 0..texts.len() {
        let mut frames = Frames::default();
        for text in texts.iter().cycle().skip(first).take(2 * texts.len()) {
            assert_eq!(frames.as_written(text), Frames::default().as_written(text), "{text}");
            assert_eq!(frames.read("delta", text), Frame::read("delta", text), "{text}");
            assert_eq!(frames.read("later", text), Ok(None));
        }
    }
}

#[test]
fn a_frame_is_what_its_name_says_and_a_name_that_is_not_known_is_none_whatever_comes_with_it() {
    for frame in FRAMES {
        for name in ["opened", "start", "end", "committed", "ping", "bye"] {
            assert!(!matches!(Frame::read(name, frame), Ok(Some((Frame::Delta(_), _)))), "{name}");
        }
        assert_eq!(Frame::read("later", frame), Ok(None));
    }
}

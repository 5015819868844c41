//! Each transcoder, fed with Facts, Deltas and resets in any order: every event is JSON, and a stream that was opened is
//! closed at the end.
//!
//! The first byte chooses the protocol; each choice after it is an input.

use super::choices::Choices;
use super::follower::delta;
use threadfold::json::{Raw, read};
use threadfold::transcode::{Chunk, Input, Segment, TranscodeOptions, Wanted, frame, transcoder};

const PROTOCOLS: &[(&str, Option<u64>)] = &[
    ("ai-sdk", Some(6)),
    ("ai-sdk", Some(7)),
    ("ag-ui", None),
    ("managed-agents", None),
    ("acp", None),
    ("a2a", None),
];

pub fn run(data: &[u8]) {
    let mut choices = Choices::new(data);
    let (name, version) = *choices.of(PROTOCOLS);
    let options = TranscodeOptions { version, reasoning: Some(choices.below(2) == 0), ..TranscodeOptions::default() };
    let (mut whole, framing) = transcoder(name, &options).expect("it has that name");
    let (part, _) = transcoder(name, &options).expect("it has that name");
    let mut segment = Segment::new(part, Some(Wanted { run_id: None, next: choices.below(2) == 0 }));
    let mut open = false;
    let mut look = |chunks: Vec<Chunk>| {
        for chunk in chunks {
            open = matches!(chunk, Chunk::Event(_));
            if let Chunk::Event(json) = &chunk {
                assert!(Raw::parse(json).is_ok(), "{json}");
            }
            frame(&chunk, framing);
        }
    };
    let (mut seq, mut caught_up, mut steps) = (0, false, 0);
    while !choices.is_over() && steps < 400 {
        steps += 1;
        let text = input(&mut choices, &mut seq);
        let Ok(input) = read::<Input>(&text) else { panic!("{text} is no input: {:?}", read::<Input>(&text)) };
        look(whole.take(&input));
        segment.take(&input);
        if !caught_up && choices.below(8) == 0 {
            caught_up = true;
            segment.caught_up();
        }
    }
    look(whole.finish());
    segment.finish();
    assert!(!open, "a stream was left open");
    assert!(whole.finish().is_empty(), "it was finished already");
}

fn input(choices: &mut Choices<'_>, seq: &mut u64) -> String {
    let (run, step) = (choices.below(2), choices.below(2));
    let coordinate = format!(r#""coordinate":{{"run_id":"r{run}","step":{step},"response":{}}}"#, choices.below(2));
    let text = serde_json::Value::from(choices.text());
    let call = choices.below(3);
    let fact = match choices.below(12) {
        0 | 1 => return format!(r#"{{"type":"delta","run_id":"r{run}",{coordinate},"delta":{}}}"#, delta(choices)),
        2 => return format!(r#"{{"type":"delta","run_id":"r{run}","delta":{}}}"#, delta(choices)),
        3 if choices.below(4) == 0 => return r#"{"type":"reset"}"#.to_owned(),
        3 => return format!(r#"{{"type":"reset","run_id":"r{run}",{coordinate}}}"#),
        4 => {
            return format!(
                r#"{{"type":"said","message":{{"id":"u{call}","role":"User","content":[{{"type":"text","text":{text}}}]}}}}"#
            );
        }
        5 => r#"{"type":"run_started"}"#.to_owned(),
        6 => format!(r#"{{"type":"assistant_message","id":"m{step}","content":[{{"type":"text","text":{text}}}]}}"#),
        7 => format!(r#"{{"type":"assistant_thinking","id":"m{step}","text":{text}}}"#),
        8 => {
            let disposition = choices.of(&["executed", "pending_client", "pending_builtin", "open", "unresolved"]);
            let fact = format!(
                r#"{{"type":"tool_call","id":"c{call}","name":"f","input":{{"a":{text}}},"disposition":"{disposition}"}}"#
            );
            if choices.below(3) == 0 {
                let position = choices.below(usize::try_from(*seq).unwrap_or(1).clamp(1, 200));
                return format!(r#"{{"type":"amend","position":{{"seq":{position},"index":0}},"fact":{fact}}}"#);
            }
            fact
        }
        9 => format!(
            r#"{{"type":"tool_result","id":"c{call}","content":[{{"type":"text","text":{text}}}],"is_error":{}}}"#,
            choices.below(2) == 0
        ),
        10 => match choices.below(3) {
            0 => format!(r#"{{"type":"awaiting","pending_tool_use_id":"c{call}","reason":"permission"}}"#),
            1 => r#"{"type":"awaiting","pending_tool_use_id":null}"#.to_owned(),
            _ => r#"{"type":"continuation","steered":false,"detail":null}"#.to_owned(),
        },
        _ => match choices.below(2) {
            0 => r#"{"type":"run_finished","exhausted":false,"cause":"natural_end"}"#.to_owned(),
            _ => format!(r#"{{"type":"run_failed","code":"indeterminate","message":{text}}}"#),
        },
    };
    *seq += 1;
    let answered = if fact.contains("tool_result") {
        format!(r#""call":{{"seq":{},"index":0}},"#, choices.below(8))
    } else {
        String::new()
    };
    format!(
        r#"{{"type":"fact","position":{{"seq":{seq},"index":0}},"run_id":"r{run}","message_id":"m{step}",{coordinate},{answered}"fact":{fact}}}"#
    )
}

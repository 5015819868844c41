//! Rows of the protocols' tables, one script each. The clients themselves are asked in `tests/peers/`.

mod a2a;
mod acp;
mod ag_ui;
mod ai_sdk;
mod managed;
mod rules;
mod segment;

use super::{AiSdkOptions, AiSdkVersion, Chunk, Input, Transcoder, ag_ui as new_ag_ui, ai_sdk as new_ai_sdk};
use crate::event::ThreadId;
use crate::json::read;

const RUN: &str = r#"{"type":"fact","position":{"seq":1,"index":0},"run_id":"r","fact":{"type":"run_started"}}"#;
const FINISHED: &str = r#"{"type":"fact","position":{"seq":9,"index":1},"run_id":"r","fact":{"type":"run_finished","exhausted":false,"cause":"natural_end"}}"#;

/// A Fact of response 0 of a step, at `seq`/`index`.
fn said(seq: u64, index: u32, step: u32, fact: &str) -> String {
    format!(
        r#"{{"type":"fact","position":{{"seq":{seq},"index":{index}}},"run_id":"r","message_id":"m{seq}","coordinate":{{"run_id":"r","step":{step},"response":0}},"fact":{fact}}}"#
    )
}

fn text(seq: u64, step: u32, text: &str) -> String {
    said(
        seq,
        2,
        step,
        &format!(r#"{{"type":"assistant_message","id":"m","content":[{{"type":"text","text":"{text}"}}]}}"#),
    )
}

fn call(seq: u64, step: u32, disposition: &str) -> String {
    said(seq, 3, step, &call_fact(disposition))
}

fn call_fact(disposition: &str) -> String {
    format!(r#"{{"type":"tool_call","id":"c","name":"search","input":{{"q":1}},"disposition":"{disposition}"}}"#)
}

/// The call at `seq` reads otherwise.
fn amended(seq: u64, disposition: &str) -> String {
    format!(r#"{{"type":"amend","position":{{"seq":{seq},"index":3}},"fact":{}}}"#, call_fact(disposition))
}

/// A Fact that stands outside of responses; `call` is the seq of the call that it is about.
fn other(seq: u64, call: Option<u64>, fact: &str) -> String {
    let call = call.map(|seq| format!(r#""call":{{"seq":{seq},"index":3}},"#)).unwrap_or_default();
    format!(r#"{{"type":"fact","position":{{"seq":{seq},"index":1}},"run_id":"r",{call}"fact":{fact}}}"#)
}

fn result(seq: u64, call: Option<u64>, is_error: bool) -> String {
    other(
        seq,
        call,
        &format!(
            r#"{{"type":"tool_result","id":"c","content":[{{"type":"text","text":"found"}}],"is_error":{is_error}}}"#
        ),
    )
}

/// A live fragment of response 0 of a step.
fn live(step: u32, delta: &str) -> String {
    format!(
        r#"{{"type":"delta","run_id":"r","coordinate":{{"run_id":"r","step":{step},"response":0}},"delta":{delta}}}"#
    )
}

fn live_text(step: u32, text: &str) -> String {
    live(step, &format!(r#"{{"type":"text_delta","delta":"{text}"}}"#))
}

fn live_call(step: u32, args: &str) -> String {
    live(step, &format!(r#"{{"type":"tool_call_delta","id":"c","name":"search","args_delta":"{args}"}}"#))
}

fn v6() -> Box<dyn Transcoder> {
    Box::new(new_ai_sdk(AiSdkOptions::default()))
}

fn v7() -> Box<dyn Transcoder> {
    Box::new(new_ai_sdk(AiSdkOptions { version: AiSdkVersion::V7, show_reasoning: true }))
}

fn ag_ui() -> Box<dyn Transcoder> {
    Box::new(new_ag_ui(ThreadId::from("t")))
}

/// Everything that is written for these inputs, a chunk per line.
fn written(mut transcoder: Box<dyn Transcoder>, inputs: &[&str]) -> String {
    let mut lines = String::new();
    for input in inputs {
        let input: Input = read(input).unwrap();
        for chunk in transcoder.take(&input) {
            lines += &match chunk {
                Chunk::Event(json) => json,
                Chunk::End => "end".to_owned(),
                Chunk::Cut => "cut".to_owned(),
            };
            lines.push('\n');
        }
    }
    lines
}

//! Threads as they go, with what the page is told. Each is also a scenario of `tests/fixtures/view-changes.json`, which
//! the package's tests replay with the JavaScript mirror.

use super::law::eventful;
use super::thread::{Thread, text, waits_for};
use crate::event::Delta;
use crate::follow::Status;
use crate::json::Fragment;
use crate::view::changes::WINDOW;
use crate::view::{SendState, Urgency};
use serde_json::{Value, json};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

/// A name, and what happens.
type Scenario = (&'static str, fn() -> Thread);

const SCENARIOS: [Scenario; 15] = [
    ("a message is sent, answered and committed", sent_and_answered),
    ("two calls stream, are committed, one is approved, both are answered", calls),
    ("the stream is lost, and the next one begins anew", reopened),
    ("the log is replaced", replaced),
    ("a run waits before anything was said, and waits again", waits_without_messages),
    ("call ids repeat, a result has no call, a call no result", occurrences),
    ("turns and blocks of all kinds", kinds),
    ("previews without a coordinate", without_coordinate),
    ("sends fail, are repeated, and wait", sends),
    ("a call's name comes after its first piece", named_late),
    ("random 1", || eventful(1, WINDOW)),
    ("random 2", || eventful(2, WINDOW)),
    ("random 3", || eventful(3, WINDOW)),
    ("random 4, of which the last item is told", || eventful(4, 1)),
    ("random 5, of which nothing that is committed is told", || eventful(5, 0)),
];

fn sent_and_answered() -> Thread {
    let mut thread = Thread::default();
    thread.view.set_status(&Status::Live);
    thread.take();
    thread.sending("m1", "hi");
    assert_eq!(thread.view.urgency(), Urgency::Now);
    thread.take();
    thread.message("r1", "m1", "User", text("hi"), json!({}));
    thread.run("r1", json!("Running"), None);
    thread.take();
    let lane = thread.open("r1", Some((0, 0)));
    thread.text(lane, "Hel");
    thread.apply();
    assert_eq!(thread.view.urgency(), Urgency::Now);
    thread.take();
    for piece in ["lo", " \u{1F600}", "!"] {
        thread.text(lane, piece);
        thread.apply();
        assert_eq!(thread.view.urgency(), Urgency::Frame);
    }
    thread.take();
    let seq = thread.message(
        "r1",
        "r1-assistant-0",
        "Assistant",
        text("Hello \u{1F600}!"),
        json!({"step": 0, "response": 0}),
    );
    thread.settle(lane, seq);
    thread.take();
    thread.run("r1", json!({"Ended": "NaturalEnd"}), None);
    thread.take();
    thread
}

fn calls() -> Thread {
    let mut thread = Thread::default();
    thread.run("r1", json!("Running"), None);
    let lane = thread.open("r1", Some((0, 0)));
    thread.grow(lane, Delta::ReasoningDelta { delta: Fragment::from("hm") });
    thread.text(lane, "Let me see.");
    thread.take();
    thread.args(lane, "c1", "");
    thread.apply();
    assert_eq!(thread.view.urgency(), Urgency::Now);
    thread.take();
    thread.args(lane, "c1", "{\"path\":\"/h\u{F6}me/\u{1F600}\\u00");
    thread.args(lane, "c2", "{\"n\":251229204212");
    thread.take();
    thread.args(lane, "c1", "e9\"}");
    thread.args(lane, "c2", "1000001}");
    thread.take();
    let content = json!([
        {"type": "thinking", "text": "hm"}, {"type": "text", "text": "Let me see."},
        {"type": "tool_use", "id": "c1", "name": "tool", "input": {"path": "/h\u{F6}me/\u{1F600}\u{E9}"}},
        {"type": "tool_use", "id": "c2", "name": "tool", "input": {"n": 2512292042121000001u64}},
    ]);
    let seq = thread.message("r1", "r1-assistant-0", "Assistant", content, json!({"step": 0, "response": 0}));
    thread.settle(lane, seq);
    thread.run("r1", json!("Awaiting"), waits_for("Permission", "c1"));
    thread.take();
    thread.run("r1", json!("Running"), None);
    thread.take();
    let results = json!([
        {"type": "tool_result", "tool_use_id": "c2", "content": [], "is_error": true},
        {"type": "tool_result", "tool_use_id": "c1", "content": [{"type": "text", "text": "done"}]},
    ]);
    thread.message("r1", "tool-c2", "Tool", results, json!({}));
    thread.take();
    thread
}

fn reopened() -> Thread {
    let mut thread = Thread::default();
    thread.run("r1", json!("Running"), None);
    let lane = thread.open("r1", Some((0, 0)));
    thread.text(lane, "one");
    thread.take();
    thread.confirm(lane, false);
    thread.view.set_status(&Status::Waiting { retry_at: 17 });
    thread.apply();
    assert_eq!(thread.view.urgency(), Urgency::Now);
    thread.take();
    thread.confirm(lane, true);
    thread.text(lane, " two");
    thread.view.set_status(&Status::Live);
    thread.take();
    thread.reset(lane);
    thread.text(lane, "other");
    thread.take();
    thread.drop_lane(lane);
    let again = thread.open("r1", Some((0, 0)));
    thread.text(again, "again");
    thread.take();
    thread
}

fn replaced() -> Thread {
    let mut thread = sent_and_answered();
    thread.sending("m2", "and then?");
    thread.take();
    thread.replace();
    thread.message("r1", "m1", "User", text("hi"), json!({}));
    thread.run("r1", json!("Running"), None);
    thread.message("r1", "r1-assistant-0", "Assistant", text("Hello again!"), json!({"step": 0, "response": 0}));
    thread.run("r1", json!({"Ended": "NaturalEnd"}), None);
    thread.take();
    thread
}

fn waits_without_messages() -> Thread {
    let mut thread = Thread::default();
    thread.run("r1", json!("Awaiting"), waits_for("Permission", "c1"));
    thread.take();
    thread.run("r1", json!("Awaiting"), Some(json!({"Pause": "BudgetReached"})));
    thread.take();
    thread.run("r1", json!({"Ended": {"Stopped": {"by": "guard"}}}), None);
    thread.take();
    thread
}

fn occurrences() -> Thread {
    let mut thread = Thread::default();
    let call = |id: &str| json!([{"type": "tool_use", "id": id, "name": "tool", "input": {}}]);
    let result =
        |id: &str| json!([{"type": "tool_result", "tool_use_id": id, "content": [{"type": "text", "text": "x"}]}]);
    thread.message("r1", "r1-assistant-0", "Assistant", call("c"), json!({"step": 0, "response": 0}));
    thread.message("r1", "r1-assistant-1", "Assistant", call("c"), json!({"step": 1, "response": 0}));
    thread.message("r1", "tool-c", "Tool", result("c"), json!({}));
    thread.take();
    thread.message("r1", "tool-c", "Tool", result("stranger"), json!({}));
    thread.take();
    thread.run("r1", json!({"Ended": {"Error": {"Inference": {"code": "overloaded", "message": "too much"}}}}), None);
    thread.take();
    thread.message("r1", "r1-assistant-2", "Assistant", text("after the end"), json!({"step": 2, "response": 0}));
    thread.take();
    thread
}

fn kinds() -> Thread {
    let mut thread = Thread::default();
    thread.message("", "s", "System", text("Be brief."), json!({}));
    let blocks = json!([
        {"type": "text", "text": ""},
        {"type": "image", "source": {"url": "data:,"}},
        {"type": "document", "source": {"id": 1}},
        {"type": "search_result", "source": "s", "title": "t", "content": [1]},
        {"type": "redacted"},
        {"type": "hologram", "z": 1},
        {"type": "tool_use", "id": "c", "name": "n", "input": {}},
    ]);
    thread.message("r1", "m1", "User", blocks, json!({}));
    for id in ["r1-steer-0", "r1-continuation-0-0", "resume-input-c", "agent-thread-report-1"] {
        thread.message("r1", id, "User", text(id), json!({}));
    }
    thread.message("r1", "r1-assistant-0-truncated-0", "Assistant", text("cut"), json!({}));
    thread.message("r1", "r1-assistant-0", "Assistant", text("whole"), json!({}));
    thread.message("r1", "m1", "User", text("the same id"), json!({}));
    thread.run("r1", json!({"Ended": {"Later": 1}}), None);
    thread.take();
    thread
}

fn without_coordinate() -> Thread {
    let mut thread = Thread::default();
    thread.run("r1", json!("Running"), None);
    let first = thread.open("r1", None);
    thread.text(first, "one");
    let second = thread.open("r1", None);
    thread.text(second, "two");
    thread.take();
    let seq = thread.message("r1", "r1-assistant-0", "Assistant", text("one"), json!({}));
    thread.settle(first, seq);
    thread.take();
    thread.drop_lane(second);
    thread.take();
    thread
}

fn sends() -> Thread {
    let mut thread = Thread::default();
    thread.run("r0", json!("Running"), None);
    thread.sending("m1", "one");
    thread.sending("m2", "two");
    thread.take();
    thread.send_state("m1", SendState::Failed { code: "unreachable".to_owned(), message: "No answer.".to_owned() });
    thread.send_state("m2", SendState::Queued);
    thread.take();
    // With another text, though its state is what it was.
    thread.sending("m2", "two, corrected");
    thread.sending("m2", "two, twice corrected");
    thread.take();
    thread.sending("m1", "one");
    thread.take();
    thread.message("r2", "m2", "User", text("two, twice corrected"), json!({}));
    thread.take();
    // The log holds it, so nothing that is said of the send counts any more.
    thread.sending("m2", "late");
    thread.send_state("m2", SendState::Queued);
    assert_eq!(thread.take(), "");
    thread
}

fn named_late() -> Thread {
    let mut thread = Thread::default();
    let lane = thread.open("r1", Some((0, 0)));
    let piece = |name: &str, text: &str| Delta::ToolCallDelta {
        id: "c".into(),
        name: name.to_owned(),
        args_delta: Fragment::from(text),
    };
    thread.grow(lane, piece("", "{"));
    thread.take();
    thread.grow(lane, piece("search", ""));
    thread.take();
    thread
}

fn part(thread: &Thread, item: usize, part: usize) -> &Value {
    &thread.items()[item]["parts"][part]
}

#[test]
fn a_commit_takes_the_place_of_its_preview_and_a_send_that_of_its_message() {
    let thread = sent_and_answered();
    let lines = ["user message:m1 committed", "assistant assistant:r1/0/0 committed", "finished run:r1/3 committed"];
    assert_eq!(thread.lines(), lines);
    let grown = &thread.told[4].changes;
    let append = json!({"op": "append", "key": "assistant:r1/0/0", "part": 0, "text": "lo \u{1F600}!"});
    assert_eq!(*grown, json!({"number": 5, "changes": [append]}), "many growths are one append of the suffix");
    assert_eq!(thread.page.view["run"], json!({"run_id": "r1", "state": "finished", "seq": 3}));
}

#[test]
fn arguments_say_in_javascripts_units_what_they_denote_so_far() {
    let thread = calls();
    let changes = thread.told[2].changes["changes"].as_array().unwrap();
    let (kept, close) = ("{\"path\":\"/h\u{F6}me/\u{1F600}", "\"}");
    assert_eq!(changes[0]["keep"], kept.encode_utf16().count());
    assert_eq!(changes[0]["close"], close);
    assert_eq!(changes[1]["part"]["keep"], "{\"n\":251229204212".len());
    assert_eq!(part(&thread, 0, 3)["args"], "{\"n\":2512292042121000001}");
}

#[test]
fn a_name_that_comes_late_is_told() {
    assert_eq!(part(&named_late(), 0, 0)["name"], "search");
}

#[test]
fn a_call_goes_from_streaming_to_pending_to_its_result() {
    let thread = calls();
    let states: Vec<_> = thread.told.iter().map(|told| told.view["items"][0]["parts"][2]["state"].clone()).collect();
    let expected = ["streaming", "streaming", "streaming", "pending_builtin", "open", "output"].map(Value::from);
    assert_eq!((&states[0], &states[1..]), (&Value::Null, &expected[..]));
    assert_eq!(part(&thread, 0, 2)["output"], json!([{"type": "text", "text": "done"}]));
    assert_eq!((&part(&thread, 0, 3)["state"], &part(&thread, 0, 3)["output"]), (&json!("error"), &json!([])));
    let awaiting = &thread.items()[1];
    assert_eq!(awaiting["call"], json!({"key": "assistant:r1/0/0", "part": 2}));
    assert_eq!(awaiting["resolved"], true);
    assert_eq!(thread.items().len(), 2, "the tool's message is no item");
}

#[test]
fn h03_h04_every_pause_is_an_item_that_needs_no_message_and_is_open_until_the_run_goes_on() {
    let thread = waits_without_messages();
    let first = |view: usize| thread.told[view].view["items"][0].clone();
    assert_eq!(first(0)["tool"], json!({"name": "rm", "args": "{\"path\":\"/x\"}"}));
    assert_eq!((&first(0)["call"], &first(0)["resolved"]), (&json!(null), &json!(false)));
    assert_eq!(first(1)["resolved"], true);
    assert_eq!(thread.items()[1]["pending_tool_use_id"], json!(null));
    assert_eq!(thread.items()[1]["resolved"], true);
    assert_eq!(thread.items()[2]["detail"], json!({"by": "guard"}));
}

#[test]
fn a_result_goes_to_the_nearest_call_and_without_one_is_an_item() {
    let thread = occurrences();
    let lines = [
        "assistant assistant:r1/0/0 committed",
        "assistant assistant:r1/1/0 committed",
        "orphan_result result:3/0 committed",
        "failed run:r1/4 committed",
    ];
    assert_eq!(thread.lines(), lines, "what comes after the end does not count");
    assert_eq!(part(&thread, 0, 0)["state"], "unresolved");
    assert_eq!(part(&thread, 1, 0)["state"], "output");
    assert_eq!(thread.items()[2]["tool_use_id"], "stranger");
}

#[test]
fn injected_turns_are_not_what_the_person_said_and_nothing_is_lost() {
    let thread = kinds();
    let lines = [
        "system message:s committed",
        "user message:m1 committed",
        "injected message:r1-steer-0 committed",
        "injected message:r1-continuation-0-0 committed",
        "injected message:resume-input-c committed",
        "injected message:agent-thread-report-1 committed",
        "assistant assistant:r1/0/0 committed",
        "assistant assistant:r1/0/1 committed",
        "user message:m1#8 committed",
        "failed run:r1/9 committed",
    ];
    assert_eq!(thread.lines(), lines);
    let reasons: Vec<_> = thread.items().iter().filter_map(|item| item.get("reason")).cloned().collect();
    assert_eq!(reasons, ["steer", "continuation", "resume_input", "report"]);
    let types: Vec<_> =
        thread.items()[1]["parts"].as_array().unwrap().iter().map(|part| part["type"].clone()).collect();
    assert_eq!(types, ["image", "document", "search_result", "redacted", "unknown", "unknown"]);
}

#[test]
fn a_replaced_log_is_one_change_and_sends_stay() {
    let thread = replaced();
    let told = thread.told.last().unwrap();
    assert_eq!(told.changes["changes"].as_array().unwrap().len(), 1);
    assert_eq!(thread.lines().last().unwrap(), "user message:m2 preview");
    assert_eq!(part(&thread, 1, 0)["text"], "Hello again!");
}

#[test]
fn what_a_person_sends_is_at_the_end_until_the_log_holds_it() {
    let thread = sends();
    assert_eq!(thread.lines(), ["user message:m2 committed", "user message:m1 preview"]);
    assert_eq!(thread.items()[0]["send"], json!(null));
}

#[test]
fn the_whole_tells_what_was_not_told_so_that_it_is_not_told_twice() {
    let mut thread = sent_and_answered();
    let lane = thread.open("r2", Some((0, 0)));
    thread.text(lane, "more");
    thread.apply();
    let lanes = std::mem::take(&mut thread.lanes);
    let whole: Value = serde_json::from_str(&thread.view.whole(&|lane| lanes.get(&lane))).unwrap();
    assert_eq!(whole["number"], thread.page.number);
    assert_eq!(whole["view"]["items"][3]["parts"][0]["text"], "more");
    assert_eq!(thread.view.take_changes(&|lane| lanes.get(&lane)), None);
}

#[test]
fn the_fixture_is_what_the_page_is_told() {
    let scenarios: Vec<Value> = SCENARIOS
        .iter()
        .map(|(name, play)| {
            let told = play().told;
            let last = told.len() - 1;
            // Of a random thread only the last view is kept, for brevity.
            let kept = |number| !name.starts_with("random") || number == last;
            let steps = told.iter().enumerate().map(|(number, told)| {
                let mut step = json!({"changes": told.changes});
                if kept(number) {
                    step["view"] = told.view.clone();
                }
                if told.older["spans"] != json!([]) {
                    step["older"] = told.older.clone();
                }
                step
            });
            let steps: Vec<_> = steps.collect();
            json!({"name": name, "steps": steps})
        })
        .collect();
    #[cfg(not(target_arch = "wasm32"))]
    if std::env::var_os("UPDATE_FIXTURES").is_some() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/view-changes.json");
        // A step per line, so that a difference shows which.
        let lines = serde_json::to_string(&scenarios).unwrap().replace("{\"changes\"", "\n{\"changes\"");
        std::fs::write(path, lines.replace("{\"name\"", "\n\n{\"name\"") + "\n").unwrap();
        return;
    }
    let fixture: Vec<Value> = serde_json::from_str(include_str!("../../../tests/fixtures/view-changes.json")).unwrap();
    assert_eq!(
        scenarios, fixture,
        "after an intended change: UPDATE_FIXTURES=1 cargo test view, and read the difference"
    );
}

/// What a view tells of the same Delta and the same record, after this much history and this much text.
fn told_after(history: usize, said: usize) -> (usize, usize, usize) {
    let mut thread = Thread::default();
    for number in 0..history {
        thread.message("r0", &format!("m{number}"), "User", text("hi"), json!({}));
    }
    let lane = thread.open("r1", Some((0, 0)));
    thread.args(lane, "c1", &format!("{{\"k\":\"{}", "a".repeat(said)));
    let lanes = |thread: &Thread| thread.lanes.clone();
    thread.apply();
    let content = lanes(&thread);
    thread.view.take_changes(&|lane| content.get(&lane));
    let looked_at = thread.view.pending.looked_at;
    thread.args(lane, "c1", "suffix");
    thread.apply();
    let content = lanes(&thread);
    let growth = thread.view.take_changes(&|lane| content.get(&lane)).unwrap();
    let seq = thread.message("r1", "r1-assistant-0", "Assistant", text("done"), json!({"step": 0, "response": 0}));
    thread.settle(lane, seq);
    thread.apply();
    let commit = thread.view.take_changes(&|_| None).unwrap();
    (digits_aside(&growth), digits_aside(&commit), thread.view.pending.looked_at - looked_at)
}

/// How long a text is without its digits: numbers grow with what they count.
fn digits_aside(text: &str) -> usize {
    text.bytes().filter(|byte| !byte.is_ascii_digit()).count()
}

#[test]
fn p01_p04_a_delta_and_a_record_cost_the_same_after_any_history_and_any_text() {
    let small = told_after(0, 0);
    assert_eq!(small.2, 1, "the one new item is looked at");
    assert_eq!(told_after(1_000, 0), small);
    assert_eq!(told_after(0, 100_000), small);
}

#[test]
fn the_beginning_of_a_long_read_is_left_out_until_it_is_looked_at() {
    let mut thread = Thread::default();
    let count = WINDOW + 50;
    for number in 0..count {
        thread.message("r0", &format!("m{number}"), "User", text("hi"), json!({}));
    }
    let changes = thread.take();
    let told: Value = serde_json::from_str(&changes).unwrap();
    assert_eq!(
        (&told["changes"][0]["older"], told["changes"][0]["items"].as_array().unwrap().len()),
        (&json!(50), WINDOW)
    );
    assert!(!changes.contains("\"m49\"") && changes.contains("\"m50\""));
    // A commit tells itself.
    thread.message("r0", "next", "User", text("hi"), json!({}));
    let told: Value = serde_json::from_str(&thread.take()).unwrap();
    assert_eq!((&told["changes"][0]["from"], told["changes"][0].get("older")), (&json!(count), None));
    let older: Value = serde_json::from_str(&thread.view.older()).unwrap();
    let spans = older["spans"].as_array().unwrap();
    assert_eq!((spans.len(), &spans[0]["from"], spans[0]["items"].as_array().unwrap().len()), (1, &json!(0), 50));
    assert_eq!(thread.view.older(), json!({"op": "older", "spans": []}).to_string(), "nothing is told twice");
}

#[test]
fn what_was_left_out_is_told_before_it_changes() {
    let mut thread = Thread::default();
    thread.view.window = 0;
    let call = json!([{"type": "tool_use", "id": "c1", "name": "rm", "input": {}}]);
    thread.message("r1", "r1-assistant-0", "Assistant", call, json!({"step": 0, "response": 0}));
    thread.run("r1", json!("Awaiting"), waits_for("Permission", "c1"));
    let waiting = thread.take();
    assert!(waiting.contains("\"older\":2"));
    let result = json!([{"type": "tool_result", "tool_use_id": "c1", "content": [], "is_error": false}]);
    thread.message("r1", "tool-c1", "Tool", result, json!({}));
    thread.run("r1", json!("Running"), None);
    let told: Value = serde_json::from_str(&thread.take()).unwrap();
    let ops: Vec<_> = told["changes"].as_array().unwrap().iter().map(|change| change["op"].as_str().unwrap()).collect();
    assert_eq!(ops.first(), Some(&"older"), "{ops:?}");
    let [assistant, wait] = [0, 1].map(|item| &told["changes"][0]["spans"][0]["items"][item]);
    assert_eq!((&assistant["parts"][0]["output"], &wait["resolved"]), (&Value::Null, &json!(false)), "{assistant}");
    assert!(ops.contains(&"call") && ops.contains(&"item"), "{ops:?}");
}

#[test]
fn what_a_page_asks_for_while_it_is_about_to_be_told_is_told_once() {
    let mut thread = Thread::default();
    thread.view.window = 0;
    thread.message("r1", "m1", "User", text("hi"), json!({}));
    thread.take();
    thread.replace();
    thread.apply();
    let older = thread.view.older();
    assert!(older.contains("\"m1\""));
    thread.page.recall(&serde_json::from_str(&older).unwrap());
    let told: Value = serde_json::from_str(&thread.take()).unwrap();
    assert_eq!(told["changes"].as_array().unwrap().len(), 1);
    assert!(thread.items().is_empty());
}

// What somebody sees of a session: a view, as JSON.

use serde_json::{Value, json};

pub fn items(view: &Value) -> &[Value] {
    view.get("items").and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

pub fn is_committed(item: &Value) -> bool {
    item.get("origin").is_some_and(|origin| origin == "committed")
}

pub fn committed(view: &Value) -> String {
    json!(items(view).iter().filter(|item| is_committed(item)).collect::<Vec<_>>()).to_string()
}

pub fn is_answer(item: &Value) -> bool {
    item.get("kind").is_some_and(|kind| kind == "assistant" || kind == "attempt")
}

/// The turn and the step of an item.
pub fn place_of(item: &Value) -> (u64, u64) {
    let turn = item.get("run_id").and_then(Value::as_str).and_then(|run| run.strip_prefix("turn-"));
    let step = item.get("step").and_then(Value::as_u64);
    (turn.and_then(|turn| turn.parse().ok()).unwrap_or(0), step.unwrap_or(0))
}

/// The turn and step of each preview, and its parts in the form of the model.
pub fn previews(view: &Value) -> Vec<((u64, u64), String)> {
    let previews = items(view).iter().filter(|item| !is_committed(item) && is_answer(item));
    let parts = |item: &Value| item.get("parts").and_then(Value::as_array).cloned().unwrap_or_default();
    previews.map(|item| (place_of(item), json!(parts(item).iter().map(part).collect::<Vec<_>>()).to_string())).collect()
}

fn part(part: &Value) -> Value {
    let field = |name: &str| part.get(name).cloned().unwrap_or_default();
    match part.get("type").and_then(Value::as_str) {
        Some("tool_call") => {
            json!({"type": "tool_call", "id": field("id"), "name": field("name"), "args": field("args")})
        }
        _ => json!({"type": field("type"), "text": field("text")}),
    }
}

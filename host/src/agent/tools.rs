//! The tools that the host knows. Any other name is a tool of the client's.

use serde_json::{Value, json};
use threadfold::json::Raw;
use threadfold::thread::Block;

/// Who runs a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The host, at once.
    Host,
    /// The host, after somebody allowed it.
    Permission,
    /// The client.
    Client,
}

/// Who runs the tool of this name.
pub fn kind(name: &str) -> Kind {
    match name {
        "get_weather" | "get_population" => Kind::Host,
        "send_email" => Kind::Permission,
        _ => Kind::Client,
    }
}

/// Runs a tool of the host's. The answer, and whether it is an error.
pub fn run(name: &str, input: &Raw) -> (Vec<Block>, bool) {
    match answer(name, input) {
        Ok(text) => (vec![Block::Text { text }], false),
        Err(text) => (vec![Block::Text { text }], true),
    }
}

fn answer(name: &str, input: &Raw) -> Result<String, String> {
    let input: Value = serde_json::from_str(input.as_str()).map_err(|error| format!("no JSON: {error}"))?;
    let text = |key: &str| {
        input.get(key).and_then(Value::as_str).ok_or_else(|| format!("{name} needs \"{key}\", a string; got {input}"))
    };
    match name {
        "get_weather" => {
            let city = text("city")?;
            // Made up, but the same each time: the letters decide.
            let sum: u32 = city.chars().map(u32::from).sum();
            let sky = ["clear", "cloudy", "light rain", "snow"].get(sum as usize % 4).copied().unwrap_or("clear");
            Ok(json!({ "city": city, "celsius": sum % 30, "sky": sky }).to_string())
        }
        "get_population" => {
            let city = text("city")?;
            let sum: u32 = city.chars().map(u32::from).sum();
            Ok(json!({ "city": city, "population": 100_000 + sum * 977 }).to_string())
        }
        "send_email" => Ok(format!("sent to {}", text("to")?)),
        _ => Err(format!("the host has no tool {name}")),
    }
}

/// The host's tools as a chat-completions request describes them.
pub fn described() -> Value {
    let tool = |name: &str, description: &str, properties: Value| {
        let required: Vec<String> = properties.as_object().map(|all| all.keys().cloned().collect()).unwrap_or_default();
        json!({ "type": "function", "function": { "name": name, "description": description,
            "parameters": { "type": "object", "properties": properties, "required": required } } })
    };
    let string = json!({ "type": "string" });
    json!([
        tool("get_weather", "The weather in a city (made up).", json!({ "city": string })),
        tool("get_population", "How many people live in a city (made up).", json!({ "city": string })),
        tool(
            "send_email",
            "Sends an email, once the person allows it (sends nothing).",
            json!({ "to": string, "subject": string })
        ),
        tool("pick_color", "Lets the person pick a colour in the page.", json!({ "prompt": string })),
    ])
}

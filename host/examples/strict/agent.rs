//! In the place of a model: answers by what is asked, in pieces. A model's adapter sends the same.

use serde_json::{Value, json};
use std::time::Duration;
use tokio::sync::mpsc::Sender;

/// What an answer is made of.
pub enum Piece {
    /// A Delta of the vocabulary.
    Delta(Value),
    /// The run waits for the call that was just made, for this reason.
    Await(&'static str),
    /// The model gave up, with a code and a sentence.
    Failed(&'static str, &'static str),
}

const TEXT: &str =
    "Recovery is simple when the log decides: what was committed is read again, and nothing else is believed. ";

/// Answers what the person said, or what came of the call that was waited for.
pub async fn agent(said: String, result: Option<Value>, to: Sender<Piece>) -> Option<()> {
    let word = said.split(' ').next().unwrap_or_default();
    if let Some(result) = result {
        return text(&to, &format!("The tool says: {result}")).await;
    }
    match word {
        "/approve" | "/client-tool" => {
            text(&to, "Let me use a tool. ").await?;
            let input = json!({ "to": "ada@example.org", "subject": "The engine" }).to_string();
            for piece in std::iter::once(String::new()).chain(pieces(&input)) {
                let call =
                    json!({ "type": "tool_call_delta", "id": "call-1", "name": "send_email", "args_delta": piece });
                to.send(Piece::Delta(call)).await.ok()?;
            }
            let reason = if word == "/approve" { "Permission" } else { "ClientExecution" };
            to.send(Piece::Await(reason)).await.ok()
        }
        "/fail" => {
            text(&to, "This is going to fail in the middle of its sen").await?;
            to.send(Piece::Failed("overloaded", "the model is overloaded")).await.ok()
        }
        "/long" => text(&to, &TEXT.repeat(8)).await,
        _ => text(&to, &format!("You said: {said}. {TEXT}")).await,
    }
}

async fn text(to: &Sender<Piece>, text: &str) -> Option<()> {
    for delta in pieces(text) {
        tokio::time::sleep(Duration::from_millis(5)).await;
        to.send(Piece::Delta(json!({ "type": "text_delta", "delta": delta }))).await.ok()?;
    }
    Some(())
}

fn pieces(text: &str) -> impl Iterator<Item = String> {
    let letters: Vec<char> = text.chars().collect();
    letters.chunks(9).map(|piece| piece.iter().collect()).collect::<Vec<_>>().into_iter()
}

//! A model behind any endpoint that speaks chat completions: streaming, tools, reasoning.

mod arguments;
mod chunk;
mod replay;
mod request;
#[cfg(test)]
mod tests;

pub use chunk::Reading;
pub use replay::Replay;
pub use request::GO_ON;

use crate::agent::{Ask, Model, Piece};
use futures_util::StreamExt;
use reqwest::{Client, StatusCode};
use std::time::Duration;
use threadfold::source::sse::Decoder;
use threadfold::thread::Inference;
use tokio::sync::mpsc;

/// No event of the endpoint's stream is longer, in bytes.
const EVENT_LIMIT: usize = 8 << 20;

/// How much of a refusal's body is shown, in characters.
const REFUSAL_SHOWN: usize = 300;

/// An OpenAI-compatible endpoint.
#[derive(Debug, Clone)]
pub struct OpenAi {
    client: Client,
    endpoint: String,
    key: Option<String>,
    model: String,
}

impl OpenAi {
    /// The endpoint under this base, `https://api.openai.com/v1` say.
    ///
    /// # Errors
    /// A sentence, when the TLS of this machine can't be set up.
    pub fn new(base: &str, key: Option<String>, model: &str) -> Result<Self, String> {
        // The first one installed stays, and it is always this one.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = Client::builder()
            .connect_timeout(Duration::from_secs(10))
            .read_timeout(Duration::from_secs(120))
            .build()
            .map_err(|error| format!("can't set up the provider's client: {error}"))?;
        let endpoint = format!("{}/chat/completions", base.trim_end_matches('/'));
        Ok(Self { client, endpoint, key, model: model.to_owned() })
    }

    async fn stream(&self, ask: &Ask, sender: &mpsc::Sender<Piece>) -> Result<(), Inference> {
        let mut request = self
            .client
            .post(&self.endpoint)
            .header("content-type", "application/json")
            .header("accept", "text/event-stream")
            .body(request::body(&self.model, &ask.history).to_string());
        if let Some(key) = &self.key {
            request = request.bearer_auth(key);
        }
        let response = request.send().await.map_err(|error| {
            failure("provider_unreachable", format!("{} can't be reached: {}", self.endpoint, cause(&error)))
        })?;
        let status = response.status();
        if !status.is_success() {
            return Err(refusal(status, &response.text().await.unwrap_or_default()));
        }
        let mut reading = Reading::new(ask.coordinate.step);
        let mut decoder = Decoder::new(EVENT_LIMIT);
        let mut bytes = response.bytes_stream();
        while let Some(chunk) = bytes.next().await {
            let chunk =
                chunk.map_err(|error| failure("stream_broken", format!("the stream broke: {}", cause(&error))))?;
            let mut events: Vec<String> = Vec::new();
            decoder
                .push(&chunk, &mut |event| events.push(event.data.to_owned()))
                .map_err(|error| failure("provider_bad_stream", error.to_string()))?;
            for data in events {
                if data.trim() == "[DONE]" {
                    let _ = sender.send(reading.finish()).await;
                    return Ok(());
                }
                for piece in reading.push(&data)? {
                    if sender.send(piece).await.is_err() {
                        // The run was cancelled; the dropped response closes the connection.
                        return Ok(());
                    }
                }
            }
        }
        let _ = sender.send(reading.finish()).await;
        Ok(())
    }
}

impl Model for OpenAi {
    fn answer(&self, ask: Ask) -> mpsc::Receiver<Piece> {
        let (sender, receiver) = mpsc::channel(1);
        let model = self.clone();
        tokio::spawn(async move {
            let streamed = tokio::select! {
                streamed = model.stream(&ask, &sender) => streamed,
                () = sender.closed() => Ok(()),
            };
            if let Err(failure) = streamed {
                let _ = sender.send(Piece::Failed(failure)).await;
            }
        });
        receiver
    }

    fn wants_history(&self) -> bool {
        true
    }
}

fn failure(code: &str, message: String) -> Inference {
    Inference { code: code.to_owned(), message }
}

fn refusal(status: StatusCode, body: &str) -> Inference {
    let shown: String = body.chars().take(REFUSAL_SHOWN).collect();
    failure(&format!("provider_http_{}", status.as_u16()), format!("the provider answered {status}: {shown}"))
}

/// The innermost reason: the outer ones only say that a request failed.
fn cause(error: &dyn std::error::Error) -> String {
    let mut inner = error;
    while let Some(source) = inner.source() {
        inner = source;
    }
    inner.to_string()
}

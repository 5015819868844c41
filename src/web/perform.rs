//! Does what the engine asks for.

use super::driver::{Driver, Stream};
use super::event_source::EventSourceStream;
use super::fetch_stream::FetchStream;
use super::http::{self, Transport};
use super::{Source, dsh};
use crate::engine::Effect;
use crate::follow::{Command, Fetch};
use crate::json::{self, wire_object};
use crate::source::threadfold;

/// Performs one effect. Nothing is borrowed here, so what it calls may come back into the driver.
pub fn perform(driver: &Driver, effect: Effect) {
    let inner = driver.inner();
    match effect {
        Effect::OpenLive(generation) => {
            driver.close_live(None);
            match &inner.source {
                Source::Dsh(_) => {
                    driver.keep_live(generation, Stream::Dsh);
                    dsh::with(driver, |carrier| carrier.open(generation));
                }
                Source::Custom => {
                    driver.keep_live(generation, Stream::Custom);
                    inner.host.open_live(generation.0);
                }
                Source::Http(source) => match source.transport {
                    Transport::EventSource => EventSourceStream::open(driver, source, generation),
                    Transport::Fetch => FetchStream::open(driver, generation),
                },
            }
        }
        Effect::CloseLive(generation) => driver.close_live(Some(generation)),
        Effect::Fetch(fetch) => match &inner.source {
            Source::Dsh(_) => dsh::with(driver, |carrier| carrier.fetch(&fetch)),
            Source::Custom => inner.host.read(fetch.id.0, &custom_query(&fetch)),
            Source::Http(_) => http::read(driver, &fetch),
        },
        Effect::Request(id, command) => match &inner.source {
            Source::Dsh(_) => dsh::with(driver, |carrier| carrier.request(id, &command)),
            Source::Custom => {
                let (verb, request) = custom_request(&command);
                inner.host.request(id.0, verb, &request);
            }
            Source::Http(_) => http::command(driver, id, &command),
        },
        Effect::Done(id, result) => {
            // Whoever waits for the command finds in the view what the host said about it.
            driver.flush();
            match result {
                Ok(accepted) => inner.host.done(id.0, Some(json::write(&Accepted::from(accepted))), "", ""),
                Err(error) => inner.host.done(id.0, None, &error.code, &error.message),
            }
        }
        Effect::Anomaly(anomaly) => inner.host.anomaly(anomaly.code, &anomaly.message),
    }
}

wire_object! {
    struct CustomQuery {
        after: Option<u64>,
        limit: u32,
        epoch: Option<crate::event::Epoch> => optional,
    }
}

wire_object! {
    struct CustomCancel {
        run_id: Option<crate::event::RunId> => optional,
    }
}

wire_object! {
    struct Accepted {
        run_id: Option<crate::event::RunId> => optional,
        message_id: Option<crate::event::MessageId> => optional,
        seq: Option<u64> => optional,
    }
}

impl From<crate::follow::Accepted> for Accepted {
    fn from(accepted: crate::follow::Accepted) -> Self {
        let crate::follow::Accepted { run_id, message_id, seq } = accepted;
        Self { run_id, message_id, seq }
    }
}

fn custom_query(fetch: &Fetch) -> String {
    json::write(&CustomQuery { after: fetch.after, limit: fetch.limit, epoch: fetch.epoch.clone() })
}

/// What a custom source gets: the body that the contract's host would get, with the run that its path would name.
fn custom_request(command: &Command) -> (&'static str, String) {
    match command {
        Command::Send { .. } => ("send", threadfold::request(command).body.unwrap_or_default()),
        Command::Resume { run_id, .. } => {
            let body = threadfold::request(command).body.unwrap_or_default();
            let run = run_id.as_ref().map(json::write).unwrap_or_else(|| "null".to_owned());
            // The body is an object of the writer's, so its first character opens it.
            ("resume", format!("{{\"run_id\":{run},{}", body.get(1..).unwrap_or_default()))
        }
        Command::Cancel { run_id } => ("cancel", json::write(&CustomCancel { run_id: run_id.clone() })),
    }
}

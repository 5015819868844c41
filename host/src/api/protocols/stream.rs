//! One answer: a part of a run as server-sent events, with what was written before it was asked for.

use super::following::Following;
use crate::api::App;
use crate::api::error::Problem;
use crate::run::Thread;
use axum::body::Body;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::Stream;
use std::io;
use std::sync::Arc;
use threadfold::event::RunId;
use threadfold::transcode::{
    AI_SDK_HEADER, Chunk, Framing, Input, Segment, TranscodeOptions, Wanted, frame, transcoder,
};
use tokio::sync::watch;

/// The answer under way.
pub(super) struct Spoken {
    following: Following,
    segment: Segment,
    framing: Framing,
    cuts: watch::Receiver<u64>,
    caught_up: bool,
}

impl Spoken {
    /// Whether there is such a protocol, and it knows these options.
    ///
    /// # Errors
    /// 400
    pub(super) fn check(name: &str, options: &TranscodeOptions) -> Result<(), Problem> {
        transcoder(name, options).map(|_| ()).map_err(|what| Problem::bad("bad_parameter", what))
    }

    /// The part of this run that began last, or begins next.
    ///
    /// # Errors
    /// As [`Spoken::check`].
    pub(super) fn new(
        app: &Arc<App>,
        thread: Arc<Thread>,
        name: &str,
        options: &TranscodeOptions,
        run: RunId,
    ) -> Result<Self, Problem> {
        let (transcoder, framing) = transcoder(name, options).map_err(|what| Problem::bad("bad_parameter", what))?;
        let mut cuts = app.cuts.subscribe();
        cuts.mark_unchanged();
        let wanted = Wanted { run_id: Some(run), next: false };
        Ok(Self {
            following: Following::new(Arc::clone(&app.threads), thread),
            segment: Segment::new(transcoder, Some(wanted)),
            framing,
            cuts,
            caught_up: false,
        })
    }

    /// The next bytes. A stream that can't be completed breaks: it must not look like one that is complete.
    async fn next(&mut self) -> Option<io::Result<Bytes>> {
        loop {
            match self.segment.ending() {
                Some(Chunk::End) => return None,
                Some(Chunk::Cut | Chunk::Event(_)) => return Some(Err(io::Error::other("cut; ask again"))),
                None => {}
            }
            let mut chunks = Vec::new();
            tokio::select! {
                biased;
                _ = self.cuts.changed() => return Some(Err(io::Error::other("the connection was cut on purpose"))),
                (events, caught_up) = self.following.next() => {
                    for event in events {
                        chunks.append(&mut self.segment.take(&Input::from(event)));
                    }
                    if caught_up && !self.caught_up {
                        self.caught_up = true;
                        chunks.append(&mut self.segment.caught_up());
                    }
                }
            }
            let text: String = chunks.iter().map(|chunk| frame(chunk, self.framing)).collect();
            if !text.is_empty() {
                return Some(Ok(Bytes::from(text)));
            }
            if self.segment.ending().is_none() {
                tokio::select! {
                    biased;
                    _ = self.cuts.changed() => return Some(Err(io::Error::other("the connection was cut on purpose"))),
                    () = self.following.wait() => {}
                }
            }
        }
    }

    fn into_stream(self) -> impl Stream<Item = io::Result<Bytes>> {
        futures_util::stream::unfold(Some(self), |spoken| async move {
            let mut spoken = spoken?;
            match spoken.next().await? {
                Ok(bytes) => Some((Ok(bytes), Some(spoken))),
                Err(error) => Some((Err(error), None)),
            }
        })
    }
}

impl IntoResponse for Spoken {
    fn into_response(self) -> Response {
        let is_ai_sdk = self.framing == Framing::Done;
        let headers = [
            (header::CONTENT_TYPE, "text/event-stream"),
            (header::CACHE_CONTROL, "no-store, no-transform"),
            (header::HeaderName::from_static("x-accel-buffering"), "no"),
        ];
        let mut response = (headers, Body::from_stream(self.into_stream())).into_response();
        if is_ai_sdk {
            let (name, value) = AI_SDK_HEADER;
            response
                .headers_mut()
                .insert(header::HeaderName::from_static(name), header::HeaderValue::from_static(value));
        }
        response
    }
}

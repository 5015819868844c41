//! The protocols by their names, for whoever is told one.

use super::{AiSdkOptions, AiSdkVersion, Framing, Transcoder, ag_ui, ai_sdk};
use crate::event::ThreadId;
use crate::json::wire_object;

wire_object! {
    /// What all protocols are asked with; each takes what it knows.
    #[derive(Debug, Clone, Default, PartialEq)]
    pub struct TranscodeOptions {
        /// AI SDK: the client's major version, 6 (the default) or 7.
        pub version: Option<u64> => optional,
        /// AI SDK: false to say that there was reasoning, and not what.
        pub reasoning: Option<bool> => optional,
        /// AG-UI: the thread's id as the client is told it.
        pub thread_id: Option<ThreadId> => optional,
    }
}

/// A transcoder by its name, and its framing as server-sent events.
///
/// # Errors
/// What is wrong: `unknown protocol` or `unknown version`.
pub fn transcoder(name: &str, options: &TranscodeOptions) -> Result<(Box<dyn Transcoder>, Framing), &'static str> {
    match name {
        "ai-sdk" => {
            let version = match options.version {
                None | Some(6) => AiSdkVersion::V6,
                Some(7) => AiSdkVersion::V7,
                Some(_) => return Err("unknown version"),
            };
            let options = AiSdkOptions { version, show_reasoning: options.reasoning != Some(false) };
            Ok((Box::new(ai_sdk(options)), Framing::Done))
        }
        "ag-ui" => {
            let thread_id = options.thread_id.clone().unwrap_or_else(|| ThreadId::from(""));
            Ok((Box::new(ag_ui(thread_id)), Framing::Bare))
        }
        _ => Err("unknown protocol"),
    }
}

//! The protocols by their names, for whoever is told one.

use super::{AiSdkOptions, AiSdkVersion, Framing, Transcoder, a2a, acp, ag_ui, ai_sdk, managed_agents};
use crate::event::ThreadId;
use crate::json::{Raw, wire_object};

wire_object! {
    /// What all protocols are asked with; each takes what it knows.
    #[derive(Debug, Clone, Default, PartialEq)]
    pub struct TranscodeOptions {
        /// AI SDK: the client's major version, 6 (the default) or 7.
        pub version: Option<u64> => optional,
        /// AI SDK: false to say that there was reasoning, and not what.
        pub reasoning: Option<bool> => optional,
        /// AG-UI: the thread's id as the client is told it; ACP: the session's, A2A: the context's.
        pub thread_id: Option<ThreadId> => optional,
        /// ACP: the JSON-RPC id of the prompt that is answered; the run's id when absent.
        pub request_id: Option<Raw> => optional,
    }
}

/// A transcoder by its name, and its framing as bytes.
///
/// # Errors
/// What is wrong: `unknown protocol` or `unknown version`.
pub fn transcoder(name: &str, options: &TranscodeOptions) -> Result<(Box<dyn Transcoder>, Framing), &'static str> {
    let thread_id = || options.thread_id.clone().unwrap_or_else(|| ThreadId::from(""));
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
        "ag-ui" => Ok((Box::new(ag_ui(thread_id())), Framing::Bare)),
        "managed-agents" => Ok((Box::new(managed_agents()), Framing::Named)),
        "acp" => Ok((Box::new(acp(thread_id(), options.request_id.clone())), Framing::Lines)),
        "a2a" => Ok((Box::new(a2a(thread_id())), Framing::Bare)),
        _ => Err("unknown protocol"),
    }
}

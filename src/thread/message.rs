//! Messages and their blocks (A2.1).

use crate::event::{CallId, MessageId};
use crate::json::{Raw, wire_object, wire_tagged, wire_tokens};

wire_tokens! {
    /// Who said it.
    pub enum Role {
        /// Instructions to the model.
        "System" System,
        /// The person, or a user turn injected by the host (A2.2).
        "User" User,
        /// The model.
        "Assistant" Assistant,
        /// Tools answering.
        "Tool" Tool,
    }
}

wire_object! {
    /// A committed message.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Message {
        /// Its id; a record's identity is its seq, never this.
        pub id: MessageId,
        /// Who said it.
        pub role: Role,
        /// What was said.
        pub content: Vec<Block>,
    }
}

wire_tagged! {
    /// A piece of a message.
    #[derive(Debug, Clone, PartialEq)]
    pub enum Block by "type" {
        /// Text.
        "text" Text {
            /// The text.
            text: String,
        }
        /// An image.
        "image" Image {
            /// Where it comes from, as the host says it.
            source: Raw,
        }
        /// A document.
        "document" Document {
            /// Where it comes from.
            source: Raw,
            /// Its title.
            title: Option<String> => optional,
            /// What it is about.
            context: Option<String> => optional,
        }
        /// A search result.
        "search_result" SearchResult {
            /// Where it was found.
            source: String,
            /// Its title.
            title: String,
            /// What was found.
            content: Raw,
            /// Whether it may be cited, as the host says it.
            citations: Option<Raw> => optional,
        }
        /// Something that was said and may not be shown.
        "redacted" Redacted {}
        /// The assistant asks for a tool.
        "tool_use" ToolUse {
            /// The call id.
            id: CallId,
            /// The tool's name.
            name: String,
            /// The whole input.
            input: Raw,
        }
        /// A tool answers.
        "tool_result" ToolResult {
            /// The call that it answers.
            tool_use_id: CallId,
            /// The answer.
            content: Vec<Block>,
            /// True when the tool failed.
            is_error: bool => default,
        }
        /// The assistant's reasoning.
        "thinking" Thinking {
            /// The reasoning.
            text: String,
            /// The provider's signature over it.
            signature: Option<String> => optional,
        }
    } else
    /// A block that this version does not know, kept whole.
    Unknown
}

impl Block {
    /// True for what an assistant message shows as said: everything but empty text, calls, results and thinking (A3.2).
    pub fn is_visible(&self) -> bool {
        match self {
            Self::Text { text } => !text.is_empty(),
            Self::Image { .. }
            | Self::Document { .. }
            | Self::SearchResult { .. }
            | Self::Redacted {}
            | Self::Unknown(_) => true,
            Self::ToolUse { .. } | Self::ToolResult { .. } | Self::Thinking { .. } => false,
        }
    }
}

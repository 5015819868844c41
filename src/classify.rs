//! Where an event goes: the single routing decision (A5).

use crate::event::{AgentEvent, Delta, Fact};
use crate::json::{wire_object, wire_tokens};

wire_tokens! {
    /// The two kinds of events.
    pub enum Tier {
        /// Complete and committed.
        "fact" Fact,
        /// A live fragment.
        "delta" Delta,
    }
}

wire_object! {
    /// Where an event goes.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Route {
        /// Its kind.
        pub tier: Tier,
        /// True when it goes out on the live stream.
        pub live: bool,
        /// True when it goes into the audit projection.
        pub audit: bool,
    }
}

/// Routes an event: total, pure, and without a wildcard, so that a new variant can't go unrouted (A5).
pub fn classify(event: &AgentEvent) -> Route {
    match event {
        AgentEvent::Delta(Delta::TextDelta { .. } | Delta::ReasoningDelta { .. } | Delta::ToolCallDelta { .. }) => {
            Route { tier: Tier::Delta, live: true, audit: false }
        }
        AgentEvent::Fact(fact) => classify_fact(fact),
    }
}

/// Routes a Fact that is not wrapped in an event (A5).
pub fn classify_fact(fact: &Fact) -> Route {
    match fact {
        Fact::RunStarted {} => Route { tier: Tier::Fact, live: true, audit: true },
        // Rebuilt from the messages by whoever needs them; a copy in the audit could only disagree.
        Fact::AssistantMessage { .. }
        | Fact::AssistantThinking { .. }
        | Fact::ToolCall { .. }
        | Fact::ToolResult { .. } => Route { tier: Tier::Fact, live: false, audit: false },
        Fact::Awaiting { .. } | Fact::Continuation { .. } | Fact::RunFinished { .. } | Fact::RunFailed { .. } => {
            Route { tier: Tier::Fact, live: false, audit: true }
        }
    }
}

#[cfg(test)]
mod tests;

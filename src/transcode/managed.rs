//! Managed-agent sessions: committed events, and a preview beside them that the committed event of the same id replaces.
//!
//! Nothing has to be taken back: what was previewed and is not committed is an event that never comes. A call that the
//! log says more of is said again under its id.

use super::Transcoder;
use super::blocks;
use super::flow::Flow;
use super::protocol::{Answer, Call, Out, Protocol, Retracted, Waiting};
use super::response::Kind;
use super::words::{at, event_with, object, reasoning};
use crate::event::{Cause, Disposition, Position, RunId};
use crate::json::{Limits, Raw, Reader, Writer};
use crate::text::join;
use crate::thread::Block;

/// A transcoder for managed-agent sessions.
pub fn managed_agents() -> impl Transcoder {
    Flow::new(Box::new(Managed {}))
}

struct Managed {}

/// An event. No Fact says when it happened, so no event does.
fn write(out: &mut Out, kind: &str, id: &str, rest: &dyn Fn(&mut Writer)) {
    event_with(out, kind, &[("id", id), ("processed_at", "")], rest);
}

fn text_block(w: &mut Writer, text: &str) {
    object(w, &[("type", "text"), ("text", text)], &|_| {});
}

/// An image's or a document's source in a form that the protocol knows; None for any other.
fn source(kind: &str, raw: &Raw) -> Option<Vec<(&'static str, String)>> {
    let mut found: Vec<(&'static str, String)> = Vec::new();
    let mut r = Reader::new(raw.as_str(), Limits::default()).ok()?;
    r.object(|r, key| {
        match ["type", "data", "media_type", "url", "file_id"].into_iter().find(|known| *known == key) {
            Some(known) => found.push((known, r.string()?.into_owned())),
            None => r.skip()?,
        }
        Ok(())
    })
    .ok()?;
    let of = found.iter().find(|(key, _)| *key == "type").map(|(_, value)| value.as_str())?;
    let wanted: &[&str] = match (of, kind) {
        ("base64", _) => &["type", "data", "media_type"],
        ("text", "document") => &["type", "data", "media_type"],
        ("url", _) => &["type", "url"],
        ("file", _) => &["type", "file_id"],
        _ => return None,
    };
    found.retain(|(key, _)| wanted.contains(key));
    (found.len() == wanted.len()).then_some(found)
}

/// One block of a tool's result: an image or a document where it can be shown, a text that names it where it can't.
fn result_block(w: &mut Writer, block: &Block) {
    let media = match block {
        Block::Image { source: raw } => source("image", raw).map(|fields| ("image", fields)),
        Block::Document { source: raw, .. } => source("document", raw).map(|fields| ("document", fields)),
        _ => None,
    };
    match (media, blocks::name(block).filter(|name| !name.is_empty())) {
        (Some((kind, fields)), _) => object(w, &[("type", kind)], &|w| {
            w.key("source");
            object(w, &[], &|w| fields.iter().for_each(|(key, value)| w.field(key, value)));
            if let Block::Document { title: Some(title), .. } = block {
                w.field("title", title);
            }
        }),
        (None, Some(name)) => text_block(w, &name),
        (None, None) => {}
    }
}

impl Managed {
    fn idle(out: &mut Out, run_id: &RunId, position: Position, reason: &str, ids: Option<&[&str]>) {
        write(out, "session.status_idle", &at(run_id, "-idle-", position), &|w| {
            w.key("stop_details");
            w.null();
            w.key("stop_reason");
            object(w, &[("type", reason)], &|w| {
                if let Some(ids) = ids {
                    w.key("event_ids");
                    w.array(|w| ids.iter().for_each(|id| w.string(id)));
                }
            });
        });
    }

    fn tool_use(call: &Call<'_>, out: &mut Out) {
        let (kind, server, name) = match (call.disposition, mcp(call.name)) {
            (Disposition::PendingClient, _) => ("agent.custom_tool_use", None, call.name),
            (_, Some((server, tool))) => ("agent.mcp_tool_use", Some(server), tool),
            (_, None) => ("agent.tool_use", None, call.name),
        };
        write(out, kind, call.wire, &|w| {
            w.field("name", name);
            if let Some(server) = server {
                w.field("mcp_server_name", server);
            }
            // An input is an object here.
            w.key("input");
            let input = call.input.as_str();
            if input.trim_start().starts_with('{') {
                w.raw(input);
            } else {
                object(w, &[], &|w| {
                    w.key("input");
                    w.raw(input);
                });
            }
            if call.disposition != Disposition::PendingClient {
                let asks = call.disposition == Disposition::PendingBuiltin;
                w.field("evaluated_permission", if asks { "ask" } else { "allow" });
            }
        });
    }
}

/// Server and tool of a name like `mcp__server__tool`.
fn mcp(name: &str) -> Option<(&str, &str)> {
    let rest = name.strip_prefix("mcp__")?;
    let end = rest.as_bytes().windows(2).position(|pair| pair == b"__")?;
    Some((rest.get(..end)?, rest.get(end + 2..)?))
}

impl Protocol for Managed {
    fn begin(&mut self, _run_id: &RunId, _out: &mut Out) {}

    fn step(&mut self, _ends: bool, _step: Option<u32>, _out: &mut Out) {}

    fn shows(&self, kind: &Kind) -> bool {
        !matches!(kind, Kind::Call { .. })
    }

    fn replaces_previews(&self) -> bool {
        true
    }

    fn open(&mut self, response: &str, kind: &Kind, out: &mut Out) {
        let (kind, id) = match kind {
            Kind::Reasoning => ("agent.thinking", reasoning(response)),
            Kind::Text => ("agent.message", response.to_owned()),
            Kind::Call { .. } => return,
        };
        event_with(out, "event_start", &[], &|w| {
            w.key("event");
            object(w, &[("type", kind), ("id", &id)], &|_| {});
        });
    }

    fn grow(&mut self, response: &str, kind: &Kind, text: &str, out: &mut Out) {
        if let Kind::Text = kind {
            event_with(out, "event_delta", &[("event_id", response)], &|w| {
                w.key("delta");
                object(w, &[("type", "content_delta")], &|w| {
                    w.key("index");
                    w.number(0);
                    w.key("content");
                    text_block(w, text);
                });
            });
        }
    }

    fn close(&mut self, _response: &str, _kind: &Kind, _out: &mut Out) {}

    fn text(&self, content: &[Block]) -> (String, u64) {
        blocks::text(content, |_| true)
    }

    fn committed(&mut self, response: &str, kind: &Kind, _text: &str, content: &[Block], out: &mut Out) {
        match kind {
            Kind::Reasoning => write(out, "agent.thinking", &reasoning(response), &|_| {}),
            Kind::Text => write(out, "agent.message", response, &|w| {
                w.key("content");
                w.array(|w| {
                    for block in content {
                        match block {
                            Block::Redacted {} => object(w, &[("type", "redacted")], &|_| {}),
                            _ => {
                                if let Some(name) = blocks::name(block).filter(|name| !name.is_empty()) {
                                    text_block(w, &name);
                                }
                            }
                        }
                    }
                });
            }),
            Kind::Call { .. } => {}
        }
    }

    fn call(&mut self, call: &Call<'_>, out: &mut Out) {
        Self::tool_use(call, out);
    }

    fn dispose(&mut self, call: &Call<'_>, _in_open_step: bool, out: &mut Out) {
        Self::tool_use(call, out);
    }

    fn has_word_for(&self, disposition: Disposition) -> bool {
        match disposition {
            Disposition::PendingClient | Disposition::PendingBuiltin => true,
            Disposition::Executed | Disposition::Open | Disposition::Unresolved => false,
        }
    }

    fn answer(&mut self, answer: &Answer<'_>, out: &mut Out) -> bool {
        let call = answer.wire.unwrap_or(answer.id.as_str());
        write(out, "agent.tool_result", &at(answer.run_id, "-result-", answer.position), &|w| {
            w.field("tool_use_id", call);
            w.key("content");
            w.array(|w| answer.content.iter().for_each(|block| result_block(w, block)));
            w.flag("is_error", answer.is_error);
        });
        true
    }

    fn awaiting(&mut self, waiting: &Waiting<'_>, out: &mut Out) {
        Self::idle(out, waiting.run_id, waiting.position, "requires_action", Some(waiting.call.as_slice()));
    }

    fn finished(&mut self, run_id: &RunId, position: Position, exhausted: bool, _cause: Option<Cause>, out: &mut Out) {
        Self::idle(out, run_id, position, if exhausted { "retries_exhausted" } else { "end_turn" }, None);
    }

    fn failed(&mut self, run_id: &RunId, position: Position, code: &str, message: &str, out: &mut Out) {
        write(out, "session.error", &at(run_id, "-error-", position), &|w| {
            w.key("error");
            object(w, &[("type", "unknown_error"), ("message", &join(&[code, ": ", message]))], &|w| {
                w.key("retry_status");
                object(w, &[("type", "terminal")], &|_| {});
            });
        });
        Self::idle(out, run_id, position, "retries_exhausted", None);
    }

    fn retract(&mut self, _response: &str, _goes_back: bool, _out: &mut Out) -> Retracted {
        Retracted::Preview
    }
}

//! A preview as an item. Its content is the follower's; kept here is only how much of it the page has.

use super::key::Key;
use super::part::number;
use crate::event::{Coordinate, RunId};
use crate::follow::LaneId;
use crate::json::Writer;
use crate::preview::{Content, Growth, Part, PartialJson};

/// A lane, shown.
#[derive(Debug, Clone)]
pub(super) struct Lane {
    pub id: LaneId,
    pub key: Key,
    pub run_id: RunId,
    pub coordinate: Option<Coordinate>,
    confirmed: bool,
    /// The page has the item.
    pub shown: bool,
    /// The page has the item with another origin.
    origin_changed: bool,
    /// The parts that the page has.
    parts: Vec<Shown>,
    /// The numbers of those that grew since, each once.
    grown: Vec<usize>,
    /// Something was said.
    said: bool,
}

/// How much of a part the page has.
#[derive(Debug, Clone, Default)]
struct Shown {
    /// Bytes of its text.
    bytes: usize,
    /// Of a call: how much of the arguments denotes a value, in bytes and in JavaScript's units.
    keep: (usize, usize),
    /// Of a call: the page has the tool's name, which need not come with its first piece.
    named: bool,
    grown: bool,
}

impl Lane {
    pub fn new(id: LaneId, key: Key, run_id: RunId, coordinate: Option<Coordinate>) -> Self {
        Self {
            id,
            key,
            run_id,
            coordinate,
            confirmed: true,
            shown: false,
            origin_changed: false,
            parts: Vec::new(),
            grown: Vec::new(),
            said: false,
        }
    }

    /// Something was added. True when the page should see it without delay: the first that is said, and a new call.
    pub fn grow(&mut self, growth: &Growth, is_call: bool) -> bool {
        if let Some(part) = self.parts.get_mut(growth.part)
            && !part.grown
        {
            part.grown = true;
            self.grown.push(growth.part);
        }
        let first = !std::mem::replace(&mut self.said, true);
        first || (is_call && growth.opened)
    }

    /// What was said is void.
    pub fn reset(&mut self) {
        self.shown = false;
        self.parts.clear();
        self.grown.clear();
    }

    /// Its stream is there or gone. True when that is news.
    pub fn confirm(&mut self, confirmed: bool) -> bool {
        let news = self.confirmed != confirmed;
        self.confirmed = confirmed;
        self.origin_changed |= news;
        news
    }

    /// The whole item; the page has all of it from now on.
    pub fn write(&mut self, w: &mut Writer, content: Option<&Content>) {
        self.reset();
        self.shown = true;
        self.origin_changed = false;
        let parts = content.map(Content::parts).unwrap_or_default();
        w.object(|w| {
            w.field("key", &self.key);
            w.field("kind", "assistant");
            w.field("origin", self.origin());
            number(w, "seq", None);
            number(w, "time", None);
            w.field("run_id", self.run_id.as_str());
            w.key("message_id");
            w.null();
            number(w, "step", self.coordinate.as_ref().map(|at| u64::from(at.step)));
            number(w, "response", self.coordinate.as_ref().map(|at| u64::from(at.response)));
            w.key("parts");
            w.array(|w| {
                for part in parts {
                    self.write_part(w, part);
                }
            });
        });
    }

    /// The changes of an item that the page has; how many is returned. The cost is what was added since the last time.
    pub fn write_changes(&mut self, w: &mut Writer, content: Option<&Content>) -> usize {
        let mut changes = 0;
        if std::mem::take(&mut self.origin_changed) {
            changes += 1;
            change(w, "item", &self.key, |w| {
                w.key("set");
                w.object(|w| w.field("origin", self.origin()));
            });
        }
        let parts = content.map(Content::parts).unwrap_or_default();
        for at in std::mem::take(&mut self.grown) {
            if let (Some(shown), Some(part)) = (self.parts.get_mut(at), parts.get(at)) {
                shown.grown = false;
                changes += usize::from(write_growth(w, &self.key, at, shown, part));
            }
        }
        for part in parts.get(self.parts.len()..).unwrap_or_default() {
            changes += 1;
            let key = Key::clone(&self.key);
            change(w, "part", &key, |w| {
                w.key("part");
                self.write_part(w, part);
            });
        }
        changes
    }

    fn origin(&self) -> &'static str {
        if self.confirmed { "preview" } else { "unconfirmed" }
    }

    /// A part that the page has not.
    fn write_part(&mut self, w: &mut Writer, part: &Part) {
        let mut shown = Shown { bytes: part.text().len(), ..Shown::default() };
        w.object(|w| match part {
            Part::Text(text) => {
                w.field("type", "text");
                w.field("text", text);
            }
            Part::Reasoning(text) => {
                w.field("type", "reasoning");
                w.field("text", text);
            }
            Part::Call { id, name, args } => {
                w.field("type", "tool_call");
                w.field("id", id.as_str());
                w.field("name", name);
                shown.named = !name.is_empty();
                w.field("args", args.raw());
                write_completion(w, &mut shown, args);
                w.field("state", "streaming");
                w.key("output");
                w.null();
            }
        });
        self.parts.push(shown);
    }
}

/// One change of an item that stays.
pub(super) fn change(w: &mut Writer, op: &str, key: &str, fields: impl FnOnce(&mut Writer)) {
    w.object(|w| {
        w.field("op", op);
        w.field("key", key);
        fields(w);
    });
}

/// The suffix that the page has not, if there is one.
fn write_growth(w: &mut Writer, key: &str, at: usize, shown: &mut Shown, part: &Part) -> bool {
    let text = part.text().get(shown.bytes..).unwrap_or_default();
    let name = match part {
        Part::Call { name, .. } if !shown.named && !name.is_empty() => Some(name),
        Part::Call { .. } | Part::Text(_) | Part::Reasoning(_) => None,
    };
    if text.is_empty() && name.is_none() {
        return false;
    }
    shown.bytes = part.text().len();
    change(w, "append", key, |w| {
        number(w, "part", u64::try_from(at).ok());
        w.field("text", text);
        if let Part::Call { args, .. } = part {
            write_completion(w, shown, args);
        }
        if let Some(name) = name {
            shown.named = true;
            w.field("name", name);
        }
    });
    true
}

/// How JavaScript makes JSON of the beginning of JSON that has come. It counts UTF-16 units, which are counted here
/// from where the last count ended, so that all counts together cost the text once.
fn write_completion(w: &mut Writer, shown: &mut Shown, args: &PartialJson) {
    let completion = args.completion();
    let keep = completion.as_ref().map_or(0, |completion| completion.keep);
    let (bytes, units) = if shown.keep.0 <= keep { shown.keep } else { (0, 0) };
    let more = args.raw().get(bytes..keep).unwrap_or_default();
    shown.keep = (keep, units + more.chars().map(char::len_utf16).sum::<usize>());
    number(w, "keep", u64::try_from(shown.keep.1).ok());
    w.field("close", completion.as_ref().map_or("", |completion| &completion.close));
}

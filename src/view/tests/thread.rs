//! A thread to show: it plays the follower and the fold, and checks the page after each take.

use super::model::Page;
use crate::event::{Coordinate, Delta, MessageId, RunId};
use crate::fold::Fold;
use crate::follow::{LaneChange, LaneId, Step};
use crate::json::{Fragment, read};
use crate::preview::Content;
use crate::thread::{Block, Record};
use crate::view::{SendState, Urgency, View};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

#[derive(Default)]
pub struct Thread {
    pub view: View,
    pub page: Page,
    fold: Fold,
    pub step: Step,
    pub lanes: BTreeMap<LaneId, Content>,
    next_lane: u32,
    pub seq: u64,
    /// The page's items, with those that it has not looked at.
    shown: Vec<Value>,
    pub told: Vec<Told>,
}

/// What the page is told.
pub struct Told {
    pub changes: Value,
    /// The whole view after them.
    pub view: Value,
    /// What was left out until then.
    pub older: Value,
}

impl Told {
    /// True when everything is told anew.
    pub fn resets(&self) -> bool {
        self.changes["changes"].as_array().unwrap().iter().any(|change| change["op"] == "reset")
    }
}

impl Default for Page {
    fn default() -> Self {
        Self::new()
    }
}

impl Thread {
    /// Adds a message row to the step; `extra` fields go to the row. The seq is returned.
    pub fn message(&mut self, run: &str, id: &str, role: &str, content: Value, extra: Value) -> u64 {
        let mut row = json!({"run_id": run, "message": {"id": id, "role": role, "content": content}});
        if run.is_empty() {
            row["run_id"] = Value::Null;
        }
        for (key, value) in extra.as_object().unwrap() {
            row[key] = value.clone();
        }
        self.record(row)
    }

    /// Adds a run row to the step.
    pub fn run(&mut self, run: &str, state: Value, target: Option<Value>) -> u64 {
        let mut row = json!({"run_id": run, "state": state});
        if let Some(target) = target {
            row["resume_ticket"] = json!({"target": target});
        }
        self.record(row)
    }

    pub fn record(&mut self, mut row: Value) -> u64 {
        let seq = self.seq;
        self.seq += 1;
        row["seq"] = seq.into();
        row["time"] = (1000 + seq).into();
        let record: Record = read(&row.to_string()).unwrap();
        self.step.records.push(Arc::new(record));
        seq
    }

    pub fn open(&mut self, run: &str, at: Option<(u32, u32)>) -> LaneId {
        let lane = LaneId(self.next_lane);
        self.next_lane += 1;
        let run_id = RunId::from(run);
        let coordinate = at.map(|(step, response)| Coordinate { run_id: run_id.clone(), step, response });
        self.lanes.insert(lane, Content::default());
        self.step.lanes.push(LaneChange::Open { lane, run_id, coordinate });
        lane
    }

    pub fn grow(&mut self, lane: LaneId, delta: Delta) {
        let Some(content) = self.lanes.get_mut(&lane) else { return };
        let growth = content.push(&delta);
        self.step.lanes.push(LaneChange::Grew { lane, delta, growth });
    }

    pub fn text(&mut self, lane: LaneId, text: &str) {
        self.grow(lane, Delta::TextDelta { delta: Fragment::from(text) });
    }

    pub fn args(&mut self, lane: LaneId, call: &str, text: &str) {
        let (id, name) = (call.into(), "tool".to_owned());
        self.grow(lane, Delta::ToolCallDelta { id, name, args_delta: Fragment::from(text) });
    }

    pub fn reset(&mut self, lane: LaneId) {
        if let Some(content) = self.lanes.get_mut(&lane) {
            *content = Content::default();
            self.step.lanes.push(LaneChange::Reset { lane });
        }
    }

    pub fn confirm(&mut self, lane: LaneId, confirmed: bool) {
        self.step.lanes.push(LaneChange::Confirmed { lane, confirmed });
    }

    pub fn settle(&mut self, lane: LaneId, seq: u64) {
        self.lanes.remove(&lane);
        self.step.lanes.push(LaneChange::Settled { lane, seq });
    }

    pub fn drop_lane(&mut self, lane: LaneId) {
        self.lanes.remove(&lane);
        self.step.lanes.push(LaneChange::Dropped { lane });
    }

    /// The log is void: what is in the step so far is forgotten too.
    pub fn replace(&mut self) {
        self.step = Step { replace: true, ..Step::default() };
        self.fold = Fold::new();
        self.lanes.clear();
        self.seq = 0;
    }

    pub fn sending(&mut self, id: &str, text: &str) {
        self.view.sending(&MessageId::from(id), &[Block::Text { text: text.to_owned() }]);
    }

    pub fn send_state(&mut self, id: &str, state: SendState) {
        self.view.send_state(&MessageId::from(id), state);
    }

    /// Gives the step to the view.
    pub fn apply(&mut self) {
        let step = std::mem::take(&mut self.step);
        self.view.apply(&step, &mut |record, facts| self.fold.append_to(record, facts));
    }

    /// Applies, takes the changes, and holds the page to the whole. The changes as text, empty when there are none.
    pub fn take(&mut self) -> String {
        self.apply();
        let lanes = &self.lanes;
        let content = |lane| lanes.get(&lane);
        let text = self.view.take_changes(&content).unwrap_or_default();
        assert_eq!(self.view.urgency(), Urgency::None, "all is told");
        if !text.is_empty() {
            self.page.apply(&text);
        }
        // The whole of a clone, so that asking for it does not repair what the changes left out.
        let whole: Value = serde_json::from_str(&self.view.clone().whole(&content)).unwrap();
        let older: Value = serde_json::from_str(&self.view.clone().older()).unwrap();
        let mut page = self.page.clone();
        page.recall(&older);
        assert_eq!(whole, json!({"number": page.number, "view": page.view}));
        self.shown.clone_from(page.view["items"].as_array().unwrap());
        if !text.is_empty() {
            let (changes, view) = (serde_json::from_str(&text).unwrap(), page.view);
            self.told.push(Told { changes, view, older });
        }
        text
    }

    /// The page looks at what was left out.
    pub fn recall(&mut self) {
        self.page.recall(&serde_json::from_str(&self.view.older()).unwrap());
    }

    pub fn items(&self) -> &[Value] {
        &self.shown
    }

    /// The items as `kind key origin`.
    pub fn lines(&self) -> Vec<String> {
        let word = |value: &Value| value.as_str().unwrap().to_owned();
        let line = |item: &Value| format!("{} {} {}", word(&item["kind"]), word(&item["key"]), word(&item["origin"]));
        self.items().iter().map(line).collect()
    }
}

/// A text block.
pub fn text(text: &str) -> Value {
    json!([{"type": "text", "text": text}])
}

/// A ticket's target for a call.
pub fn waits_for(reason: &str, call: &str) -> Option<Value> {
    Some(
        json!({"ToolCall": {"reason": reason, "call_id": call, "tool": {"tool_id": "rm", "arguments": {"path": "/x"}}}}),
    )
}

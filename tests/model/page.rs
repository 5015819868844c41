//! A page that keeps its copy of the view by the changes alone, as documented and no cleverer.

use serde_json::{Value, json};

#[derive(Clone)]
pub struct Page {
    pub number: u64,
    pub view: Value,
}

impl Page {
    pub fn new() -> Self {
        Self { number: 0, view: json!({"items": [], "run": null, "status": {"state": "idle"}}) }
    }

    pub fn apply(&mut self, text: &str) {
        let batch: Value = serde_json::from_str(text).unwrap();
        assert_eq!(batch["number"], self.number + 1, "numbers are dense");
        self.number += 1;
        let changes = batch["changes"].as_array().unwrap();
        assert!(!changes.is_empty(), "no changes are told when there are none");
        changes.iter().for_each(|change| self.change(change));
    }

    fn change(&mut self, change: &Value) {
        let op = change["op"].as_str().unwrap();
        match op {
            "reset" => {
                self.view = change["view"].clone();
                let older = self.view.as_object_mut().unwrap().remove("older");
                return self.view["items"]
                    .as_array_mut()
                    .unwrap()
                    .splice(0..0, left_out(older.as_ref()))
                    .for_each(drop);
            }
            "older" => return self.recall(change),
            "view" => return merge(&mut self.view, &change["set"]),
            "tail" => return self.tail(change),
            _ => {}
        }
        let item = self.item(change["key"].as_str().unwrap());
        match op {
            "item" => merge(item, &change["set"]),
            "part" => item["parts"].as_array_mut().unwrap().push(change["part"].clone()),
            "append" => {
                let part = &mut item["parts"][change["part"].as_u64().unwrap() as usize];
                let field = if part["type"] == "tool_call" { "args" } else { "text" };
                let grown = part[field].as_str().unwrap().to_owned() + change["text"].as_str().unwrap();
                part[field] = grown.into();
                for field in ["keep", "close", "name"] {
                    if let Some(value) = change.get(field) {
                        part[field] = value.clone();
                    }
                }
            }
            "call" => {
                let part = &mut item["parts"][change["part"].as_u64().unwrap() as usize];
                for field in ["state", "output"] {
                    part[field] = change[field].clone();
                }
            }
            other => panic!("{other} is no change"),
        }
    }

    /// Takes what was left out.
    pub fn recall(&mut self, change: &Value) {
        let items = self.view["items"].as_array_mut().unwrap();
        for span in change["spans"].as_array().unwrap() {
            for (item, place) in span["items"].as_array().unwrap().iter().zip(span["from"].as_u64().unwrap()..) {
                let place = &mut items[place as usize];
                assert!(place.is_null(), "only what was left out is recalled");
                *place = item.clone();
            }
        }
    }

    fn tail(&mut self, change: &Value) {
        let items = self.view["items"].as_array_mut().unwrap();
        let old = items.split_off(change["from"].as_u64().unwrap() as usize);
        items.extend(left_out(change.get("older")));
        for entry in change["items"].as_array().unwrap() {
            items.push(match entry.as_str() {
                Some(key) => old.iter().find(|item| item["key"] == key).expect("a key names an old item").clone(),
                None => entry.clone(),
            });
        }
    }

    fn item(&mut self, key: &str) -> &mut Value {
        let items = self.view["items"].as_array_mut().unwrap();
        items.iter_mut().find(|item| item["key"] == key).expect("a change names an item that is there")
    }
}

/// What stands in the place of items that were left out.
fn left_out(count: Option<&Value>) -> impl Iterator<Item = Value> {
    std::iter::repeat_n(Value::Null, count.map_or(0, |count| count.as_u64().unwrap() as usize))
}

fn merge(target: &mut Value, set: &Value) {
    for (key, value) in set.as_object().unwrap() {
        target[key] = value.clone();
    }
}

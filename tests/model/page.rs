//! A page that keeps its copy of the view by the changes alone, as documented and no cleverer.

use serde_json::{Value, json};

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
            "reset" => return self.view = change["view"].clone(),
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

    fn tail(&mut self, change: &Value) {
        let items = self.view["items"].as_array_mut().unwrap();
        let old = items.split_off(change["from"].as_u64().unwrap() as usize);
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

fn merge(target: &mut Value, set: &Value) {
    for (key, value) in set.as_object().unwrap() {
        target[key] = value.clone();
    }
}

//! What a dsh host's pages are sent, over the world's wire.

use crate::client::Net;
use crate::world::World;
use serde_json::Value;
use threadfold::follow::Generation;

impl World {
    /// Items go to every page whose stream the dsh host serves.
    pub fn broadcast_items(&mut self, items: &[Value]) {
        for at in 0..self.clients.len() {
            if let Some((life, generation)) = self.served[at]
                && life == self.clients[at].life
            {
                items.iter().for_each(|item| self.put_item(at, generation, item));
            }
        }
        let is_about = |item: &Value| {
            let kind = item["event"]["type"].as_str().unwrap_or_default();
            kind.starts_with("approval/") || kind == "turn/end"
        };
        if items.iter().any(is_about) {
            (0..self.clients.len()).for_each(|at| self.ask_about(at));
        }
    }

    /// A stream that has lost something shows it with the next thing of its kind; the wire that lost the last one breaks.
    pub fn put_item(&mut self, at: usize, generation: Generation, item: &Value) {
        let client = &mut self.clients[at];
        let loses = client.net.lose > 0;
        if let Some(stream) = client.stream.as_mut().filter(|stream| stream.generation == generation) {
            let is_frame = item["frame"].is_object();
            let later = if loses { None } else { stream.unseen.filter(|lost| *lost != is_frame) };
            stream.unseen = if loses { Some(is_frame) } else { later };
        }
        if item["type"] == "snapshot" {
            // It begins the stream: nothing of the stream overtakes it, and it does not come again behind what follows.
            let Net { twice, swap, .. } = client.net;
            (client.net.twice, client.net.swap) = (0, 0);
            self.put(at, generation, item.to_string().into_bytes());
            (self.clients[at].net.twice, self.clients[at].net.swap) = (twice, swap);
            return;
        }
        self.put(at, generation, item.to_string().into_bytes());
    }
}

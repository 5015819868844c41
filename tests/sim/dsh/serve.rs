//! What a dsh host's pages are sent, over the world's wire.

use crate::client::Net;
use crate::script::Reading;
use crate::wire;
use crate::world::World;
use serde_json::Value;
use threadfold::follow::dsh::Window;
use threadfold::follow::{Fetch, Generation, ReadError};
use threadfold::json::Notes;

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

    /// The answer to a read; None where it never comes.
    pub fn window(&self, fetch: &Fetch, fault: Option<Reading>) -> Option<Result<(Window, Notes), ReadError>> {
        let refused = |status, retry_after| Err(ReadError::Refused { status, retry_after, code: None });
        let stale = if let Some(Reading::Stale(rows)) = fault { rows } else { 0 };
        Some(match fault {
            Some(Reading::Lost) => Err(ReadError::Network("terminated".to_owned())),
            Some(Reading::Busy) => refused(429, Some(1_000)),
            Some(Reading::Malformed) => Err(ReadError::Malformed("a portal".to_owned())),
            Some(Reading::Unauthorized) => refused(401, None),
            Some(Reading::Never) => return None,
            Some(Reading::Slow(_) | Reading::Stale(_)) | None => {
                wire::window(&self.dsh.as_ref()?.page(fetch.through, stale))
            }
        })
    }
}

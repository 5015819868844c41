//! What pages were told, kept for those who judge transcoders: the events of the real engine on the simulated network, in
//! the form that `tests/peers` records of the real host. `SIM_EVENTS` names the file, one case a line.

use crate::client::Client;
use std::fs::File;
use std::io::Write;
use std::sync::{LazyLock, Mutex};
use threadfold::json;

static FILE: LazyLock<Option<Mutex<File>>> = LazyLock::new(|| {
    let name = std::env::var_os("SIM_EVENTS")?;
    Some(Mutex::new(File::create(name).expect("the file for the events can be made")))
});

/// True when what is told is to be kept.
pub fn is_wanted() -> bool {
    FILE.is_some()
}

/// Writes what a page was told since its log was read anew, and the Facts that it came to. Where a preview is left (the
/// page was closed, or a run goes on), the Facts are not all that its clients hold.
pub fn write(seed: u64, at: usize, client: &Client) {
    let Some(file) = &*FILE else { return };
    let has_preview =
        client.items().iter().any(|item| item["origin"].as_str().is_some_and(|origin| origin != "committed"));
    if client.told.is_empty() || client.closed || has_preview {
        return;
    }
    let facts: Vec<_> = client.facts.values().map(json::write).collect();
    let (inputs, facts) = (client.told.join(","), facts.join(","));
    let case = format!(
        "{{\"path\":\"simulated\",\"seed\":\"schedule {seed}, page {at}\",\"inputs\":[{inputs}],\"facts\":[{facts}]}}"
    );
    writeln!(file.lock().unwrap(), "{case}").expect("the events can be written");
}

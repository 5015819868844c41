//! What many schedules came to.

use crate::script::Script;
use crate::world::Tally;
use std::collections::BTreeMap;

#[derive(Default)]
pub struct Report {
    pub schedules: BTreeMap<&'static str, u64>,
    events: BTreeMap<usize, u64>,
    faults: BTreeMap<usize, u64>,
    kinds: BTreeMap<&'static str, u64>,
    total: Tally,
    pub divergences: u64,
    rows: BTreeMap<&'static str, u64>,
}

impl Report {
    pub fn add(&mut self, script: &Script, tally: &Tally) {
        *self.schedules.entry(script.policy()).or_default() += 1;
        *self.events.entry(script.lines.len()).or_default() += 1;
        *self.faults.entry(script.faults()).or_default() += 1;
        for line in &script.lines {
            let (kind, is_fault) = line.what.kind();
            if is_fault {
                *self.kinds.entry(kind).or_default() += 1;
            }
        }
        self.total.add(tally);
    }

    pub fn merge(&mut self, other: Self) {
        merge(&mut self.schedules, other.schedules);
        merge(&mut self.events, other.events);
        merge(&mut self.faults, other.faults);
        merge(&mut self.kinds, other.kinds);
        merge(&mut self.rows, other.rows);
        self.total.add(&other.total);
        self.divergences += other.divergences;
    }

    /// The rows that this thread has reached.
    pub fn take_rows(&mut self) {
        #[cfg(feature = "coverage")]
        merge(&mut self.rows, threadfold::follow::take_reached());
    }

    pub fn count(&self) -> u64 {
        self.schedules.values().sum()
    }

    /// The median number of lines and of faults.
    pub fn medians(&self) -> (usize, usize) {
        (median(&self.events), median(&self.faults))
    }

    /// Rows that no schedule reached, and rows that the tables do not have.
    pub fn unreached(&self) -> Vec<&'static str> {
        #[cfg(feature = "coverage")]
        {
            let rows = threadfold::follow::ROWS;
            let missing = rows.iter().filter(|row| !self.rows.contains_key(*row)).copied();
            missing.chain(self.rows.keys().filter(|row| !rows.contains(row)).copied()).collect()
        }
        #[cfg(not(feature = "coverage"))]
        Vec::new()
    }

    pub fn print(&self) {
        let (events, faults) = self.medians();
        println!("schedules   {} {:?}", self.count(), self.schedules);
        println!("events      {events} per schedule in the median; faults {faults}");
        println!("faults      {} in all:", self.kinds.values().sum::<u64>());
        for (kind, count) in &self.kinds {
            println!("            {count:>9} {kind}");
        }
        let Tally { deltas, reconnects, reads, records, commands, checks, .. } = self.total;
        println!("deltas      {deltas} shown; {records} records applied; {commands} requests of commands");
        println!("reconnects  {reconnects}; reads {reads}; views checked {checks}");
        println!("anomalies   {:?}", self.total.anomalies);
        println!("divergences {}", self.divergences);
        for (row, count) in &self.rows {
            println!("row         {count:>9} {row}");
        }
        for row in self.unreached() {
            println!("row                 - {row}");
        }
    }
}

impl Tally {
    fn add(&mut self, other: &Self) {
        self.deltas += other.deltas;
        self.reconnects += other.reconnects;
        self.reads += other.reads;
        self.records += other.records;
        self.commands += other.commands;
        self.checks += other.checks;
        merge(&mut self.anomalies, other.anomalies.clone());
    }
}

fn merge<K: Ord>(into: &mut BTreeMap<K, u64>, from: BTreeMap<K, u64>) {
    for (key, count) in from {
        *into.entry(key).or_default() += count;
    }
}

fn median(counts: &BTreeMap<usize, u64>) -> usize {
    let half = counts.values().sum::<u64>().div_ceil(2);
    let mut seen = 0;
    counts
        .iter()
        .find(|(_, count)| {
            seen += **count;
            seen >= half
        })
        .map_or(0, |(value, _)| *value)
}

//! Specifications and what they do to a frame.
#![allow(clippy::unwrap_used)]

use super::*;
use bytes::Bytes;

fn asked(spec: &str) -> Asked {
    Asked { thread: ThreadId::from("t"), spec: Some(spec.to_owned()) }
}

fn frame(name: &'static str, data: &str) -> Encoded {
    Encoded { name, bytes: Bytes::from(format!("event: {name}\ndata: {data}\n\n")), is_terminal: false }
}

#[test]
fn a_specification_has_arguments_times_and_places() {
    assert_eq!(
        parse("drop:0.5, cut:10*2@live,status-503").unwrap(),
        [
            Fault { kind: Kind::Drop(0.5), place: None, left: None },
            Fault { kind: Kind::Cut(10), place: Some(Place::Live), left: Some(2) },
            Fault { kind: Kind::Status(503), place: None, left: Some(1) },
        ]
    );
    for bad in ["lightning", "drop:2", "drop:x", "status-299", "cut:1*x", "html@moon"] {
        assert!(parse(bad).unwrap_err().to_string().starts_with(&format!("\"{bad}\" is no fault")), "{bad}");
    }
}

#[test]
fn opened_and_bye_are_never_lost() {
    let faults = Faults::default();
    let asked = asked("drop:1");
    faults.ask(&asked, 0).unwrap();
    for (name, copies) in [("opened", 1), ("delta", 0), ("committed", 0), ("ping", 0), ("bye", 1)] {
        assert_eq!(faults.plan(&asked, &frame(name, "{}"), Progress::default()).copies, copies, "{name}");
    }
    assert_eq!(faults.injected()["drop"], 3);
}

#[test]
fn a_cut_falls_inside_the_character() {
    let faults = Faults::default();
    let asked = asked("cut-utf8");
    faults.ask(&asked, 0).unwrap();
    assert_eq!(faults.plan(&asked, &frame("delta", "plain"), Progress::default()).cut, None);
    let frame = frame("delta", "a漢");
    let cut = faults.plan(&asked, &frame, Progress::default()).cut.unwrap();
    assert!(std::str::from_utf8(&frame.bytes[..cut]).is_err());
}

#[test]
fn times_are_used_up_over_all_connections_of_a_url() {
    let faults = Faults::default();
    let asked = asked("html*2");
    let all: Vec<bool> = (0..3)
        .map(|_| {
            faults.ask(&asked, 0).unwrap();
            faults.instead(&asked, Place::Live).is_some()
        })
        .collect();
    assert_eq!(all, [true, true, false]);
    assert_eq!(faults.injected()["html"], 2);
}

//! A stream that is silent: half open, or of a session that rests.

use super::world::World;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

#[test]
fn a_wake_after_a_long_silence_opens_the_stream_again() {
    let mut world = World::at(12);
    world.play("snap · hide · wait 60000 · show").reopens(0);
    world.play("hide · wait 1 · show").reopens(1).play("wait 200 · snap").is_settled();
    // A machine that slept: no deadline was met meanwhile.
    world.now += 60_001;
    world.play("wake").reopens(2).play("snap").is_settled();
}

#[test]
fn a_stream_that_was_silent_for_a_minute_is_asked_for_a_sign_of_life_and_given_up_when_none_comes() {
    for (script, knocks, openings, losses) in [
        ("wait 59999", vec![], 1, 0),
        ("wait 60000", vec![60_000], 1, 0),
        ("wait 60000 · wait 14999", vec![60_000], 1, 0),
        ("wait 60000 · wait 15000", vec![60_000], 1, 1),
        // It is opened again at once, or a little later.
        ("wait 60000 · wait 15000 · wait 500", vec![60_000], 2, 1),
        // Whatever comes is an answer, and a minute begins anew.
        ("wait 60000 · answer · wait 15000", vec![60_000], 1, 0),
        ("wait 60000 · note13 · wait 59999 · wait 1", vec![60_000, 120_000], 1, 0),
        ("wait 59999 · note13 · wait 59999 · wait 1", vec![119_999], 1, 0),
        ("wait 60000 · wait 14999 · answer · wait 60000 · wait 15000", vec![60_000, 134_999], 1, 1),
        // A machine that slept asks first, and waits for the answer.
        ("wait 3600000", vec![3_600_000], 1, 0),
        ("wait 3600000 · answer · wait 60000", vec![3_600_000, 3_660_000], 1, 0),
        // Nobody who isn't seen asks; whoever comes back to a silent stream opens another.
        ("hide · wait 200000", vec![], 1, 0),
        ("hide · wait 200000 · show", vec![], 2, 0),
        ("wait 60000 · hide · wait 15000", vec![60_000], 1, 0),
        ("wait 60000 · hide · wait 15000 · show", vec![60_000], 2, 0),
        ("hide · wait 50000 · show · wait 9999", vec![], 1, 0),
        ("hide · wait 50000 · show · wait 10000", vec![60_000], 1, 0),
        // Nor who has no network.
        ("away · wait 200000", vec![], 1, 0),
        ("wait 60000 · away · wait 15000", vec![60_000], 1, 0),
        ("wait 60000 · away · wait 15000 · wake", vec![60_000], 2, 0),
    ] {
        let mut world = World::at(12);
        world.play("snap");
        let begin = world.now;
        world.play(script);
        let asked: Vec<_> = knocks.iter().map(|after| (begin + after, true)).collect();
        let stats = world.follower.stats();
        assert_eq!((&world.knocks, stats.openings, stats.losses), (&asked, openings, losses), "{script}");
    }
}

#[test]
fn what_was_said_into_a_stream_that_was_half_open_is_there_without_a_wake() {
    let mut world = World::at(12);
    world.play("snap · start A · chunk A one");
    world.play("lost chunk A two · lost m13 onetwo · lost end A · lost turn/end14 · wait 60000").shows("+one");
    world.play("wait 15000").shows("?one").reopens(0);
    assert_eq!(world.anomalies, ["half_open"]);
    world.play("wait 500 · snap").shows("13:onetwo 14.").is_settled();
    // A host that is not to be reached stays so for as long as it is, and is asked no more.
    world.play("wait 60000 · wait 15000 · wait 500");
    assert!(world.wants_opening());
    world.play("wait 15000 · wait 60000");
    assert_eq!(world.knocks.len(), 2);
}

#[test]
fn a_stream_that_is_asked_has_a_deadline_and_one_that_nobody_sees_only_its_last() {
    let mut world = World::at(12);
    world.play("snap");
    let begin = world.now;
    let deadline = |world: &World| world.follower.deadline().map(|at| at - begin);
    assert_eq!(deadline(&world), Some(60_000));
    world.play("wait 60000");
    assert_eq!(deadline(&world), Some(75_000));
    world.play("wait 5000 · answer");
    assert_eq!(deadline(&world), Some(125_000));
    world.play("hide");
    assert_eq!(deadline(&world), Some(365_000));
    world.play("show · away");
    assert_eq!(deadline(&world), None);
}

//! The project's commands: `cargo xtask` alone lists them.
//!
//! Everything that a command needs is installed by the command itself (`setup/`), outside of the repository and once
//! per version. One file per command: `build`, `demo`, `test`, `replay`, `size`, `pack`, `bench`; `run` starts processes,
//! `args` reads flags.

mod args;
mod bench;
mod breakage;
mod build;
mod cases;
mod demo;
mod failure;
mod fuzz;
mod layout;
mod mutants;
mod pack;
mod replay;
mod run;
mod setup;
mod size;
mod soak;
mod test;

use failure::{Failure, Outcome};
use std::process::ExitCode;

/// One command: what `cargo xtask NAME` runs, and what the list says of it.
struct Command {
    name: &'static str,
    flags: &'static str,
    help: &'static str,
    run: fn(&[String]) -> Outcome,
}

const COMMANDS: &[Command] = &[
    Command {
        name: "demo",
        flags: demo::USAGE,
        help: "build everything, start the host on loopback, print the address; --check: a scripted session in Chromium",
        run: demo::run,
    },
    Command {
        name: "test",
        flags: test::USAGE,
        help: "run what CI runs, stage by stage with times; --list names the stages",
        run: test::run,
    },
    Command {
        name: "size",
        flags: size::USAGE,
        help: "brotli, gzip and raw size of the default entry and of its parts, beside its peers; exit 1 when over the \
               budget; --readme: write the figures into the README",
        run: size::run,
    },
    Command {
        name: "replay",
        flags: replay::USAGE,
        help: "replay recorded dsh sessions, one line of JSON for each; exit 1 when one ends otherwise than it was",
        run: replay::run,
    },
    Command {
        name: "pack",
        flags: pack::USAGE,
        help: "pack the npm packages into target/pack/, and print what each file weighs",
        run: pack::run,
    },
    Command {
        name: "bench",
        flags: bench::USAGE,
        help: "measure beside the peers, in Node and Chromium, and write docs/bench.md and docs/bench.svg; it takes the \
               better part of an hour. --quick: 3 rounds; --only CASE…: some of the cases; --where node or chromium; \
               --gate: count the hot paths' instructions instead, and fail on a rise; --accept: write the counts down",
        run: bench::run,
    },
    Command {
        name: "soak",
        flags: soak::USAGE,
        help: "the simulator on random schedules for so many minutes, with its figures; exit 1 when pages diverge",
        run: soak::run,
    },
    Command {
        name: "cases",
        flags: cases::USAGE,
        help: "run the tests that show cases from the field, and print a line for each case; --fast: without browser",
        run: cases::run,
    },
    Command {
        name: "breakage",
        flags: breakage::USAGE,
        help: "break the core in six ways, on a copy, and see that a named test fails for each",
        run: breakage::run,
    },
    Command {
        name: "fuzz",
        flags: fuzz::USAGE,
        help: "fuzz the decoders, the follower and the transcoders for so long in all; exit 1 when an input breaks one",
        run: fuzz::run,
    },
    Command {
        name: "mutants",
        flags: mutants::USAGE,
        help: "change the core in small ways and see that a unit test fails for each; state is kept between runs",
        run: mutants::run,
    },
    Command { name: "build", flags: build::USAGE, help: "build the wasm package into pkg/wasm/", run: build::run },
    Command {
        name: "setup",
        flags: setup::USAGE,
        help: "install what the other commands need, and say where it is",
        run: setup::run,
    },
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match dispatch(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

fn dispatch(arguments: &[String]) -> Outcome {
    let Some((name, rest)) = arguments.split_first() else {
        print!("{}", list());
        return Ok(());
    };
    if matches!(name.as_str(), "help" | "--help" | "-h") {
        print!("{}", list());
        return Ok(());
    }
    let Some(command) = COMMANDS.iter().find(|command| command.name == name) else {
        return Err(Failure::Usage(format!("there is no command `{name}`\n\n{}", list())));
    };
    if rest.iter().any(|argument| argument == "--help" || argument == "-h") {
        println!("cargo xtask {} {}\n    {}", command.name, command.flags, command.help);
        return Ok(());
    }
    (command.run)(rest)
}

fn list() -> String {
    let mut text = String::from("cargo xtask COMMAND\n\n");
    for command in COMMANDS {
        text += &format!("  {}\n      {}\n", format!("{} {}", command.name, command.flags).trim_end(), command.help);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_command_is_a_usage_error_that_names_it_and_lists_the_others() {
        let failure = dispatch(&["deploy".to_owned()]);
        assert!(matches!(&failure, Err(Failure::Usage(text))
            if text.contains("`deploy`") && COMMANDS.iter().all(|command| text.contains(command.help))));
    }

    #[test]
    fn every_command_refuses_a_flag_it_does_not_know() {
        for command in COMMANDS {
            let failure = dispatch(&[command.name.to_owned(), "--no-such-flag".to_owned()]);
            assert!(
                matches!(&failure, Err(Failure::Usage(text)) if text.contains("--no-such-flag")),
                "{}",
                command.name
            );
        }
    }
}

//! The scripted agent: no key, no network, the same answer each time. The first word of what the person says chooses.

use super::{Ask, Finish, Model, Piece, lines};
use std::time::Duration;
use threadfold::event::Delta;
use threadfold::json::Fragment;
use threadfold::thread::{Block, Inference, Message, Pause, Role};
use tokio::sync::mpsc;

/// What can be asked for, and what it shows.
pub const COMMANDS: [(&str, &str); 19] = [
    ("/plain", "a plain answer"),
    ("/reason", "reasoning, then an answer"),
    ("/tools", "two parallel tools with streamed arguments"),
    ("/approve", "a tool that somebody must allow"),
    ("/client-tool", "a tool that the page runs"),
    ("/pause", "a pause, until somebody resumes"),
    ("/two-pauses", "a second pause after a resume"),
    ("/length", "the token limit, twice, with continuations"),
    ("/fail-before", "a failure before any text, then a retry"),
    ("/fail-mid", "a failure in the middle of text, then a retry"),
    ("/fail", "a run that ends in an error"),
    ("/steer", "a guard that steers the run"),
    ("/stop", "a guard that stops the run"),
    ("/max-steps", "a run that reaches the step limit"),
    ("/long", "ten thousand Deltas, or as many and as large as you say: /long 500 80"),
    ("/unicode", "emoji cut in half, CJK, right-to-left"),
    ("/slow", "a slow answer"),
    ("/empty", "an answer without a word"),
    ("/help", "this list"),
];

/// The scripted agent.
#[derive(Debug, Clone)]
pub struct Script {
    /// Between two Deltas.
    pub pace: Duration,
}

/// One response.
struct Answer {
    deltas: Vec<Delta>,
    last: Piece,
    /// Deltas per wait.
    burst: usize,
    /// How many times the pace one wait is.
    waits: u32,
}

impl Model for Script {
    fn answer(&self, ask: Ask) -> mpsc::Receiver<Piece> {
        let (sender, receiver) = mpsc::channel(1);
        let pace = self.pace;
        tokio::spawn(async move {
            let answer = answer(&ask);
            for (index, delta) in answer.deltas.into_iter().enumerate() {
                if !pace.is_zero() && index % answer.burst == 0 {
                    tokio::time::sleep(pace * answer.waits).await;
                }
                if sender.send(Piece::Delta(delta)).await.is_err() {
                    return;
                }
            }
            // Nobody listens any more: the run was cancelled.
            let _ = sender.send(answer.last).await;
        });
        receiver
    }

    fn wants_history(&self) -> bool {
        false
    }
}

impl Answer {
    fn new(deltas: Vec<Delta>, finish: Finish) -> Self {
        Self { deltas, last: Piece::Finish(finish), burst: 1, waits: 1 }
    }

    fn text(text: &str) -> Self {
        Self::new(lines::text(text), Finish::Done)
    }

    fn failed(said: &str) -> Self {
        let failure = Inference {
            code: "upstream_unavailable".to_owned(),
            message: "the model stopped in the middle of its answer".to_owned(),
        };
        Self { last: Piece::Failed(failure), ..Self::text(said) }
    }
}

fn answer(ask: &Ask) -> Answer {
    let said = ask.run.first().map(text_of).unwrap_or_default();
    let (word, rest) = said.trim().split_once(char::is_whitespace).unwrap_or((said.trim(), ""));
    let step = ask.coordinate.step;
    match word {
        "/plain" => Answer::text(PLAIN),
        "/reason" => {
            let mut deltas = lines::reasoning(REASONING);
            deltas.extend(lines::text("The second train arrives first: it needs 40 minutes, the first one 45."));
            Answer::new(deltas, Finish::Done)
        }
        "/tools" => tools(ask),
        "/approve" => approve(ask),
        "/client-tool" => client_tool(ask),
        "/pause" if step == 0 => Answer::new(
            lines::text("I have a plan with three parts. I rest here until you tell me to go on."),
            Finish::Pause(Pause::Manual),
        ),
        "/pause" => Answer::text("Thank you. I went on, and the three parts are done."),
        "/two-pauses" => match step {
            0 => Answer::new(lines::text("First half. I rest here."), Finish::Pause(Pause::Manual)),
            1 => Answer::new(lines::text("Second half. I rest once more."), Finish::Pause(Pause::BudgetReached)),
            _ => Answer::text("Both rests are over, and so am I."),
        },
        "/length" => length(ask),
        "/fail-before" if ask.attempt == 0 => Answer::failed(""),
        "/fail-before" => Answer::text("The first attempt failed before it said a word. This is the second."),
        "/fail-mid" if ask.attempt == 0 => Answer::failed("This attempt is going to fail in the middle of its sec"),
        "/fail-mid" => Answer::text("The first attempt broke off in the middle. This is the second, and it is whole."),
        "/fail" => Answer::failed("This will not end well, whatever I"),
        "/steer" if step == 0 => Answer::new(
            lines::text("I think that the answer is forty-one."),
            Finish::Steer("Check the arithmetic before you answer.".to_owned()),
        ),
        "/steer" => Answer::text("I checked it: the answer is forty-two."),
        "/stop" => Answer::new(lines::text("I should not go on from here."), Finish::Stop("policy".to_owned())),
        "/max-steps" => {
            let mut deltas = lines::text("Let me look once more. ");
            deltas.extend(lines::call(&format!("look-{step}"), "get_weather", r#"{"city":"Ithaca"}"#));
            Answer::new(deltas, Finish::Done)
        }
        "/long" => long(rest),
        "/unicode" => Answer::new(lines::halves(UNICODE), Finish::Done),
        "/slow" => Answer { waits: 10, ..Answer::text(PLAIN) },
        "/empty" => Answer::text(""),
        "/help" => Answer::text(&help()),
        _ => Answer::text(&plain_answer(&said)),
    }
}

fn tools(ask: &Ask) -> Answer {
    if ask.coordinate.step == 0 {
        let mut deltas = lines::text("I will look up both at once.");
        deltas.extend(lines::interleave(
            lines::call("call-weather", "get_weather", r#"{"city":"Kyoto","units":"celsius"}"#),
            lines::call("call-people", "get_population", r#"{"city":"Reykjavík","year":2026}"#),
        ));
        return Answer::new(deltas, Finish::Done);
    }
    let results: Vec<String> = results(&ask.run).into_iter().map(|(text, _)| text).collect();
    Answer::text(&format!("Here is what the two tools say.\n\n- Kyoto: {}", results.join("\n- Reykjavík: ")))
}

fn approve(ask: &Ask) -> Answer {
    if ask.coordinate.step == 0 {
        let mut deltas = lines::text("I have written the mail. May I send it?");
        let args = r#"{"to":"ada@example.org","subject":"The engine is ready"}"#;
        deltas.extend(lines::call("call-mail", "send_email", args));
        return Answer::new(deltas, Finish::Done);
    }
    match results(&ask.run).last() {
        Some((text, false)) => Answer::text(&format!("Done: the mail was {text}.")),
        _ => Answer::text("As you wish: I did not send the mail."),
    }
}

fn client_tool(ask: &Ask) -> Answer {
    if ask.coordinate.step == 0 {
        let mut deltas = lines::text("Which colour shall it be?");
        deltas.extend(lines::call("call-color", "pick_color", r#"{"prompt":"A colour for the title"}"#));
        return Answer::new(deltas, Finish::Done);
    }
    match results(&ask.run).last() {
        Some((text, false)) => Answer::text(&format!("The title is {text} now.")),
        Some((text, true)) => Answer::text(&format!("The page could not ask: {text}.")),
        None => Answer::text("Nobody picked a colour."),
    }
}

fn length(ask: &Ask) -> Answer {
    match ask.coordinate.response {
        0 => {
            Answer::new(lines::text("The story begins on a quay, at night, where a boat with no name"), Finish::Length)
        }
        1 => Answer::new(lines::text(" waits for a captain who has forgotten why she"), Finish::Length),
        _ => Answer::text(" came. She goes aboard all the same, and the boat remembers."),
    }
}

/// So many Deltas, each a number, filled up with dots to so many bytes.
fn long(rest: &str) -> Answer {
    let mut words = rest.split_whitespace().map(|word| word.parse::<usize>().ok());
    let count = words.next().flatten().unwrap_or(10_000).min(1_000_000);
    let size = words.next().flatten().unwrap_or(0).min(100_000);
    let piece = |number| Delta::TextDelta { delta: Fragment::from(format!("{number:.<size$} ").as_str()) };
    Answer { burst: 50, ..Answer::new((0..count).map(piece).collect(), Finish::Done) }
}

fn help() -> String {
    let lines: Vec<String> = COMMANDS.iter().map(|(word, shows)| format!("- `{word}` {shows}")).collect();
    format!("Say one of these, or anything else.\n\n{}", lines.join("\n"))
}

fn plain_answer(said: &str) -> String {
    let said: String = said.trim().chars().take(200).collect();
    if said.is_empty() {
        return "You said nothing that I can read. Say /help to see what I can show.".to_owned();
    }
    format!(
        "You said: “{said}”. I am a scripted agent, so I know little about it; but every word of this answer is \
         streamed in small pieces, committed when it is whole, and looks the same after a reload. Say /help to see \
         what else I can show."
    )
}

/// The text of a message.
pub(crate) fn text_of(message: &Message) -> String {
    text_of_blocks(&message.content)
}

fn text_of_blocks(blocks: &[Block]) -> String {
    blocks
        .iter()
        .filter_map(|block| match block {
            Block::Text { text } => Some(text.as_str()),
            _ => None,
        })
        .collect()
}

/// What the run's tools answered, and whether it was an error.
fn results(run: &[Message]) -> Vec<(String, bool)> {
    run.iter()
        .filter(|message| message.role == Role::Tool)
        .flat_map(|message| &message.content)
        .filter_map(|block| match block {
            Block::ToolResult { content, is_error, .. } => Some((text_of_blocks(content), *is_error)),
            _ => None,
        })
        .collect()
}

const PLAIN: &str = "A log is a promise: what was written stays written, in order, and everyone who reads it reads the \
    same. A stream is a rumour: quick, useful, and gone when the wire is cut. Show the rumour while it lasts, and keep \
    the promise when it comes.";

const REASONING: &str = "Two trains, one distance. The first needs 60 km at 80 km/h, that is 45 minutes. The second \
    needs 60 km at 90 km/h, that is 40 minutes. So the second one wins, by five minutes.";

const UNICODE: &str = "Emoji 😀🎉👩‍👩‍👧‍👦🏳️‍🌈, 漢字とかな、한국어, العربية من اليمين إلى اليسار, עברית, \
    e\u{301} and ü, 𝒳²⁰, 🇮🇸 — all of it whole.";

//! Reads a command's flags. A flag that the command doesn't know is an error: a misspelt `--tamper` must not pass.

use crate::failure::{Failure, Outcome};

/// How many values a flag takes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Takes {
    /// `--check`
    Nothing,
    /// `--port 8080` or `--port=8080`
    One,
    /// `--replay a.jsonl b.jsonl`: one or more, up to the next flag.
    Many,
}

/// The flags of one command line, in the order they were given.
pub struct Args {
    given: Vec<(&'static str, Vec<String>)>,
}

impl Args {
    /// Checks `arguments` against the flags that the command knows.
    pub fn parse(arguments: &[String], known: &[(&'static str, Takes)]) -> Outcome<Self> {
        let mut given = Vec::new();
        let mut rest = arguments.iter().peekable();
        while let Some(argument) = rest.next() {
            let (name, inline) = match argument.split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (argument.as_str(), None),
            };
            let Some((flag, takes)) = known.iter().find(|(flag, _)| *flag == name) else {
                let names: Vec<_> = known.iter().map(|(flag, _)| *flag).collect();
                let names = if names.is_empty() { "it takes none".to_owned() } else { names.join(" ") };
                return Err(Failure::Usage(format!("unknown argument `{argument}`; the flags are: {names}")));
            };
            let mut values: Vec<String> = inline.into_iter().collect();
            let most = match takes {
                Takes::Nothing => 0,
                Takes::One => 1,
                Takes::Many => usize::MAX,
            };
            if values.len() > most {
                return Err(Failure::Usage(format!("{flag} takes no value")));
            }
            while values.len() < most {
                let Some(value) = rest.next_if(|next| !next.starts_with("--")) else { break };
                values.push(value.clone());
            }
            if most > 0 && values.is_empty() {
                return Err(Failure::Usage(format!("{flag} needs a value")));
            }
            given.push((*flag, values));
        }
        Ok(Self { given })
    }

    /// Whether the flag was given.
    pub fn has(&self, flag: &str) -> bool {
        self.given.iter().any(|(name, _)| *name == flag)
    }

    /// All values that the flag was given, over all of its occurrences.
    pub fn all(&self, flag: &str) -> Vec<&str> {
        let of_flag = self.given.iter().filter(|(name, _)| *name == flag);
        of_flag.flat_map(|(_, values)| values).map(String::as_str).collect()
    }

    /// The flag's last value.
    pub fn last(&self, flag: &str) -> Option<&str> {
        self.all(flag).pop()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: &[(&str, Takes)] = &[("--check", Takes::Nothing), ("--port", Takes::One), ("--replay", Takes::Many)];

    fn parse(line: &str) -> Outcome<Args> {
        Args::parse(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>(), KNOWN)
    }

    fn refusal(line: &str) -> String {
        match parse(line) {
            Err(Failure::Usage(reason)) => reason,
            _ => format!("`{line}` was not refused"),
        }
    }

    #[test]
    fn flags_take_their_values_up_to_the_next_flag() {
        let args = parse("--replay a b --check --port 80 --replay c").ok();
        let args = args.as_ref();
        assert_eq!(args.map(|args| args.all("--replay")), Some(vec!["a", "b", "c"]));
        assert_eq!(args.map(|args| args.has("--check")), Some(true));
        assert_eq!(args.and_then(|args| args.last("--port")), Some("80"));
    }

    #[test]
    fn a_value_may_follow_an_equals_sign_and_the_last_one_counts() {
        let args = parse("--port=1 --port=2").ok();
        assert_eq!(args.as_ref().and_then(|args| args.last("--port")), Some("2"));
        assert_eq!(args.map(|args| args.has("--check")), Some(false));
    }

    #[test]
    fn what_is_unknown_missing_or_too_much_is_refused() {
        assert!(refusal("--tampr").contains("`--tampr`"));
        assert!(refusal("stray").contains("`stray`"));
        assert!(refusal("--port").contains("--port needs a value"));
        assert!(refusal("--replay --check").contains("--replay needs a value"));
        assert!(refusal("--check=yes").contains("--check takes no value"));
        assert!(refusal("--port 1 2").contains("`2`"));
    }
}

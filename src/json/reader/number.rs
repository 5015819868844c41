//! Numbers: their exact text, and whole ones that JavaScript can hold.

use super::Reader;
use crate::json::{Error, ErrorKind};

impl<'a> Reader<'a> {
    /// A number, as its text.
    pub fn number(&mut self) -> Result<&'a str, Error> {
        self.space();
        let start = self.at;
        self.eat_now(b'-');
        match self.peek() {
            Some(b'0') => self.at += 1,
            Some(b'1'..=b'9') => self.digits(),
            Some(_) => return Err(self.expected("a number")),
            None => return Err(self.error(ErrorKind::Incomplete)),
        }
        if self.eat_now(b'.') {
            self.some_digits()?;
        }
        if self.eat_now(b'e') || self.eat_now(b'E') {
            if !self.eat_now(b'+') {
                self.eat_now(b'-');
            }
            self.some_digits()?;
        }
        Ok(self.slice(start))
    }

    /// A whole number from 0 to 2⁵³ − 1: what JavaScript can hold exactly.
    ///
    /// # Errors
    /// `json_number_range` for any other number.
    pub fn unsigned(&mut self) -> Result<u64, Error> {
        // Up to fifteen digits are below the limit. What hosts write otherwise (space, a sign, a zero before digits, a
        // fraction) is looked at in the general way.
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        let mut number = 0;
        for (count, byte) in rest.iter().enumerate().take(16) {
            match byte {
                b'0'..=b'9' if count < 15 && (count == 0 || number > 0) => {
                    number = number * 10 + u64::from(byte - b'0')
                }
                b',' | b'}' | b']' if count > 0 => {
                    self.at += count;
                    return Ok(number);
                }
                _ => break,
            }
        }
        self.long_unsigned()
    }

    #[inline(never)]
    fn long_unsigned(&mut self) -> Result<u64, Error> {
        let digits = self.number()?;
        match digits.parse::<u64>() {
            Ok(number) if number < (1 << 53) => Ok(number),
            _ => Err(self.error(ErrorKind::NumberRange(digits.to_owned()))),
        }
    }

    fn digits(&mut self) {
        while let Some(b'0'..=b'9') = self.peek() {
            self.at += 1;
        }
    }

    fn some_digits(&mut self) -> Result<(), Error> {
        match self.peek() {
            Some(b'0'..=b'9') => {
                self.digits();
                Ok(())
            }
            Some(_) => Err(self.expected("a digit")),
            None => Err(self.error(ErrorKind::Incomplete)),
        }
    }
}

//! The grammar of a JSON number, a byte at a time. Its value is never computed.

/// What the last byte of a number was.
#[derive(Clone, Copy, Debug)]
pub(super) enum Number {
    Minus,
    /// A leading zero, after which no digit may come.
    Zero,
    Digit,
    Point,
    FractionDigit,
    Exponent,
    ExponentSign,
    ExponentDigit,
}

impl Number {
    /// The number with one more byte, or `None` if the byte can't belong to it.
    pub(super) fn then(self, byte: u8) -> Option<Number> {
        match (self, byte) {
            (Number::Minus, b'0') => Some(Number::Zero),
            (Number::Minus, b'1'..=b'9') | (Number::Digit, b'0'..=b'9') => Some(Number::Digit),
            (Number::Zero | Number::Digit, b'.') => Some(Number::Point),
            (Number::Point | Number::FractionDigit, b'0'..=b'9') => Some(Number::FractionDigit),
            (Number::Zero | Number::Digit | Number::FractionDigit, b'e' | b'E') => Some(Number::Exponent),
            (Number::Exponent, b'+' | b'-') => Some(Number::ExponentSign),
            (Number::Exponent | Number::ExponentSign | Number::ExponentDigit, b'0'..=b'9') => {
                Some(Number::ExponentDigit)
            }
            _ => None,
        }
    }

    /// Whether it is a number as it stands.
    pub(super) fn is_whole(self) -> bool {
        match self {
            Number::Zero | Number::Digit | Number::FractionDigit | Number::ExponentDigit => true,
            Number::Minus | Number::Point | Number::Exponent | Number::ExponentSign => false,
        }
    }
}

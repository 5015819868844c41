//! A dsh host's session: the carrier says what to connect, send and call, and JavaScript does it.

use super::Source;
use super::driver::Driver;
use crate::source::dsh::{Act, Answer, Carrier};

/// What came of a socket or of a call.
#[derive(Debug)]
pub enum Came {
    /// The socket of this number is open.
    Opened(u32),
    /// A text came on it.
    Text(u32, String),
    /// It is closed, or could not be opened.
    Closed(u32, u16, String),
    /// The call of this number was answered, or why not.
    Answered(u32, Result<Answer, String>),
}

/// Tells the carrier, and does what it then asks for.
pub(super) fn tell(driver: &Driver, came: Came, now: u64) {
    with(driver, |carrier| match came {
        Came::Opened(socket) => carrier.opened(socket, now),
        Came::Text(socket, text) => carrier.text(socket, &text, now),
        Came::Closed(socket, code, reason) => carrier.closed(socket, code, &reason),
        Came::Answered(call, answer) => carrier.answered(call, answer),
    });
}

/// Calls the carrier, if there is one, and performs its acts in order. It is not borrowed while they are performed, so
/// that they may come back here.
pub(super) fn with(driver: &Driver, call: impl FnOnce(&mut Carrier)) {
    let inner = driver.inner();
    let Source::Dsh(carrier) = &inner.source else { return };
    call(&mut carrier.borrow_mut());
    loop {
        let act = carrier.borrow_mut().poll();
        match act {
            None => return,
            Some(Act::Connect { socket }) => inner.host.connect(socket),
            Some(Act::Send { socket, text }) => inner.host.transmit(socket, &text),
            Some(Act::Disconnect { socket }) => inner.host.disconnect(socket),
            Some(Act::Post(call)) => inner.host.post(call.id, call.method, &call.body),
            Some(Act::Tell(input)) => driver.feed([*input]),
        }
    }
}

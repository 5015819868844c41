//! The view's laws and scenarios, over a page that is modelled here: it applies changes to plain JSON values.

mod law;
#[path = "../../tests/model/page.rs"]
mod model;
mod scenarios;
mod thread;

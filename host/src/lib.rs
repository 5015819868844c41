//! The reference backend of threadfold: runs that outlive their clients, committed to SQLite, followed live over SSE.
//!
//! | module | what happens there |
//! |---|---|
//! | [`store`] | commits become durable |
//! | [`hub`] | one thread's live stream, one FIFO to all who follow |
//! | [`run`] | commands, and runs at work |
//! | [`agent`] | who answers: the scripted agent, the tools |
//! | [`provider`] | any endpoint that speaks chat completions, and recordings of one |
//! | [`api`] | the contract over HTTP, and who may ask |
//! | [`faults`] | what networks do, done on purpose |
//! | [`server`], [`cli`], [`supervise`] | the host put together |

pub mod agent;
pub mod api;
pub mod cli;
pub mod faults;
pub mod hub;
pub mod provider;
pub mod run;
pub mod server;
pub mod store;
pub mod supervise;

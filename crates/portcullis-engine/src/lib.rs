//! What every gate needs of the world, put together once: facts about it, the configuration, the order of a call, the record of what was
//! said, and those who may answer. It has no command line, no server and no way into an agent, which are the program's; it holds no rules
//! and judges nothing by itself, which is the core's.

pub mod account;
pub mod approvals;
pub mod audit;
pub mod canonical;
pub mod config;
pub mod confirmation;
pub mod embedded;
pub mod grants;
pub mod guardian;
pub mod handover;
pub mod hooked;
pub mod memory;
pub mod observe;
#[cfg(target_os = "linux")]
mod own_key;
pub mod pause;
pub mod person;
pub mod pins;
pub mod platform;
pub mod private;
pub mod remote;
pub mod report;
pub mod review;
pub mod sandbox;
pub mod session;
pub mod spending;
#[cfg(target_os = "linux")]
pub mod tree;
#[cfg(target_os = "linux")]
pub mod trial;
#[cfg(target_os = "linux")]
pub mod undo;
pub mod watch;
pub mod wire;

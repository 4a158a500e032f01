//! What every gate needs of the world, put together once: facts about it, the configuration, the order of a call, the record of what was
//! said, and those who may answer. It has no command line, no server and no way into an agent, which are the program's; it holds no rules
//! and judges nothing by itself, which is the core's.
//!
//! # A gate inside a process
//!
//! [`Engine`] is the order of a call as a value: judged, watched, paused or granted, asked about elsewhere, recorded. Calls go in and answers
//! come out as the JSON of `portcullis check --jsonl`.
//!
//! ```
//! use portcullis_engine::{Engine, Failure, RecordAt, Settings};
//!
//! # let state = tempfile::tempdir()?;
//! # let config = state.path().join("config.toml");
//! # std::fs::write(&config, "")?;
//! let engine = Engine::open(Settings {
//!     config: Some(config),
//!     record: RecordAt::Directory(state.path().join("record")),
//!     can_ask: true,
//!     ..Settings::default()
//! })?;
//!
//! // Judged and recorded before the answer is given.
//! let judged = engine.judge(
//!     r#"{"tool":"bash","arguments":{"command":"git push --force origin main"},"cwd":"/work","home":"/home/dev"}"#,
//! )?;
//! assert_eq!(judged.decision(), "ask");
//! assert!(judged.answer()?.contains("git.push.force"));
//!
//! // What is no call is refused, and nothing was judged.
//! assert!(matches!(engine.judge("{}"), Err(Failure::Call(_))));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`Engine::answered`] records what a person said to a question, [`Engine::outcome`] what a call answered. Without JSON the same is done
//! in Rust by a [`Session`].
//!
//! # Where to go on
//!
//! | for … | see |
//! |---|---|
//! | a session of calls, judged and recorded | [`session`], [`review`], [`watch`] |
//! | the files of a configuration, and which of them count | [`config`] |
//! | what was judged, answered and done, and whether it was changed since | [`audit`] |
//! | requests that people decide later or elsewhere | [`approvals`], [`remote`] |
//! | what people allowed beforehand | [`grants`], [`pause`] |
//! | what calls have in common | [`alike`] |
//! | a person at the terminal | [`person`], [`confirmation`] |
//! | a reviewing model | [`guardian`] |
//! | facts about the world, bounded | [`observe`] |
//! | a run whose changes count later, or are taken back | `trial`, `undo` (Linux) |

pub mod account;
pub mod alike;
pub mod approvals;
pub mod audit;
pub mod bundle;
pub mod canonical;
pub mod config;
pub mod confirmation;
pub mod embedded;
pub mod grants;
pub mod guardian;
pub mod handover;
pub mod hooked;
pub mod memory;
mod obeyed;
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
pub mod shipping;
pub mod spending;
pub mod trace;
#[cfg(target_os = "linux")]
pub mod tree;
#[cfg(target_os = "linux")]
pub mod trial;
pub mod undelivered;
#[cfg(target_os = "linux")]
pub mod undo;
pub mod watch;
pub mod wire;

pub use self::{
    audit::Log,
    config::Configuration,
    embedded::{Engine, Failure, Gateway, RecordAt, Settings},
    person::Person,
    platform::Directories,
    session::{Judged, Options, Session},
};

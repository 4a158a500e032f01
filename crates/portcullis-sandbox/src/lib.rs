//! Running a program inside limits, and saying which of them hold.
//!
//! [`run()`] starts our own program anew as a *stage*, which puts itself inside the limits and then becomes the program that was asked
//! for. What a [`Profile`] promises is divided into [`Layer`]s; each run comes with a [`Report`] that says of each whether it holds,
//! by which [`Means`], and why not. A layer that is required and does not hold refuses the run: there is no best effort in silence.
//!
//! Three tiers are tried, the strongest first:
//!
//! 1. namespaces of its own (with a view of the files of its own, and no network but a loopback), Landlock and seccomp inside them;
//! 2. the same namespaces, made by a bubblewrap that root installed, where we may not make them;
//! 3. Landlock and seccomp alone, and our process that watches.
//!
//! The crate knows no policy: which paths are secret or protected, and what a program may do, its caller says. It runs on Linux; on other
//! systems every run is refused.
//!
//! Programs that use it call [`stage`] first of all in `main`:
//!
//! ```no_run
//! use portcullis_sandbox::{Launch, Profile, run, stage};
//!
//! stage();
//! let mut launch = Launch::new("/bin/ls", "/", Profile::read_only());
//! launch.arguments.push("-l".into());
//! let finished = run(&launch)?;
//! assert_eq!(finished.status.code(), 0);
//! # Ok::<(), portcullis_sandbox::Refused>(())
//! ```

mod launch;
mod layer;
mod profile;
mod seen;

#[cfg(target_os = "linux")]
mod channel;
#[cfg(not(target_os = "linux"))]
mod elsewhere;
#[cfg(target_os = "linux")]
#[expect(
    unsafe_code,
    reason = "system calls that no safe interface has; nothing else in the workspace is unsafe"
)]
mod kernel;
#[cfg(target_os = "linux")]
mod relay;
#[cfg(target_os = "linux")]
mod run;
#[cfg(target_os = "linux")]
mod staged;
#[cfg(target_os = "linux")]
mod watch;

#[cfg(not(target_os = "linux"))]
pub use elsewhere::{Unwritten, probe, run, stage};
#[cfg(target_os = "linux")]
pub use kernel::{Unwritten, idle, keep_descriptors};
pub use launch::{Finished, Input, Kept, Launch, Output, Refused, STAGE, Stage, Status, Stopped};
pub use layer::{Layer, LayerState, Layers, Means, Report, Unavailable, UnknownLayer};
pub use profile::{Elsewhere, Layered, Limits, Network, Original, Profile, Proxy, StandIn};
#[cfg(target_os = "linux")]
pub use run::{probe, run};
pub use seen::{MOST_SEEN, Seen};
#[cfg(target_os = "linux")]
pub use staged::stage;

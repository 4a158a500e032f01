//! Systems without a sandbox: every run is refused.

use std::{io, marker::PhantomData, os::fd::BorrowedFd};

use crate::{Finished, Launch, Layer, LayerState, Refused, Report};

/// Runs a program inside limits; refused on this system.
///
/// # Errors
/// [`Refused::Missing`], always.
pub fn run(launch: &Launch) -> Result<Finished, Refused> {
    let mut report = probe(launch)?;
    for state in &mut report.layers {
        state.required = true;
    }
    Err(Refused::Missing(Box::new(report)))
}

/// Says what would hold: nothing, on this system.
///
/// # Errors
/// None.
pub fn probe(launch: &Launch) -> Result<Report, Refused> {
    let promised = launch.profile.promises();
    let state = |layer: &Layer| LayerState {
        layer: *layer,
        requested: promised.contains(*layer),
        required: launch.require.contains(*layer),
        in_force: false,
        by: Vec::new(),
        note: Some("there is no sandbox for this system yet".to_owned()),
    };
    Ok(Report { layers: Layer::ALL.iter().map(state).collect(), unavailable: Vec::new() })
}

/// Nothing is started as a stage on this system.
pub fn stage() {}

/// That nobody has a file open to write. On this system it cannot be had.
#[derive(Debug)]
pub struct Unwritten<'a>(PhantomData<BorrowedFd<'a>>);

impl<'a> Unwritten<'a> {
    /// Refused on this system.
    ///
    /// # Errors
    /// Always.
    pub fn held(_file: BorrowedFd<'a>) -> io::Result<Self> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Whether it is held still.
    #[must_use]
    pub fn is_held(&self) -> bool {
        false
    }
}

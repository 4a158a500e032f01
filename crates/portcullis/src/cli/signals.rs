//! The signals that ask a program to end. Owns which they are.

use tokio::task::JoinHandle;

use super::Failure;

/// Calls `end` once with the first signal that asks this program to end.
pub(super) fn when_asked_to_end(
    end: impl FnOnce() + Send + 'static,
) -> Result<JoinHandle<()>, Failure> {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let mut ended = signal(SignalKind::terminate()).map_err(Failure::internal)?;
        let mut interrupted = signal(SignalKind::interrupt()).map_err(Failure::internal)?;
        Ok(tokio::spawn(async move {
            tokio::select! {
                _ = ended.recv() => {}
                _ = interrupted.recv() => {}
            }
            end();
        }))
    }
    #[cfg(not(unix))]
    {
        Ok(tokio::spawn(async move {
            // Without the signal it ends with its process.
            if tokio::signal::ctrl_c().await.is_ok() {
                end();
            }
        }))
    }
}

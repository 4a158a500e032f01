//! The `portcullis` binary: a table of contents over the library.

use std::{
    env,
    io::{self, BufWriter, Write as _},
    panic::{self, AssertUnwindSafe},
    process::ExitCode,
};

use portcullis::cli::{self, Failure};

fn main() -> ExitCode {
    // A program that is to run inside limits begins as this one.
    portcullis_sandbox::stage();
    // Not locked: a hook's deadline must be able to answer from another thread.
    let mut out = BufWriter::new(io::stdout());
    // A panic is a bug of ours. It must not end in a code that means anything else, least of all an answer.
    let ended = panic::catch_unwind(AssertUnwindSafe(|| cli::run(env::args_os(), &mut out)));
    let failure = match ended {
        Ok(Ok(exit)) => return exit.into(),
        Ok(Err(failure)) => failure,
        Err(_) => Failure::internal("this is a bug in portcullis"),
    };
    // What could not be said on standard error cannot be said at all; the exit code says it too.
    let _ = out.flush();
    let _ = io::stderr().write_all(failure.render().as_bytes());
    failure.exit.into()
}

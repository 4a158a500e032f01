//! Says of each URL on the command line where it leads and whether it may be connected to.

use std::io::{self, Write as _};

use portcullis_network::network::{Admission, NetworkOptions, NetworkPolicy};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let policy = NetworkPolicy::new(NetworkOptions::default())?;
    let mut out = io::stdout().lock();
    for url in std::env::args().skip(1) {
        let judged = policy.judge(&url);
        let host = judged.target.as_ref().map(|target| target.host().into_owned());
        let host = host.as_deref().unwrap_or("nowhere");
        match judged.outcome {
            Ok(Admission::Address(address)) => writeln!(out, "{url}: to {address}")?,
            Ok(Admission::Name) => writeln!(out, "{url}: to the public addresses of {host}")?,
            Err(refusal) => writeln!(out, "{url}: refused, to {host}: {refusal}")?,
        }
    }
    Ok(())
}

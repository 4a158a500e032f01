//! Reads a text on standard input and says which secrets stand in it, without showing them.

use std::io::{self, Read as _, Write as _};

use portcullis_secrets::secrets::{self, Detector};

fn main() -> io::Result<()> {
    let mut text = Vec::new();
    io::stdin().lock().read_to_end(&mut text)?;
    let mut out = io::stdout().lock();
    for finding in Detector::default().scan(&text) {
        let secrets::Finding { line, column, description, excerpt, .. } = &finding;
        writeln!(out, "{line}:{column}: {description}: {excerpt}")?;
    }
    Ok(())
}

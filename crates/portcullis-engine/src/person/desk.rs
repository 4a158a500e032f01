//! A terminal with a person who types as they are told, for tests of what asks one.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may fail by panicking")]

use std::{
    fs::File,
    io::{Read as _, Write as _},
    thread,
};

use rustix::pty::{OpenptFlags, grantpt, ioctl_tiocgptpeer, openpt, unlockpt};

use super::Person;

/// What the person types.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Typed {
    /// The word that is shown.
    Word,
    /// Something else.
    Else(&'static str),
}

/// Two ends of a terminal: what is written to the first is typed at the second.
pub fn pair() -> (File, File) {
    let keys = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&keys).unwrap();
    unlockpt(&keys).unwrap();
    let device = ioctl_tiocgptpeer(&keys, OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    (File::from(keys), File::from(device))
}

/// What is on the screen as soon as `wanted` is.
pub fn screen_with(keys: &mut File, wanted: &str) -> String {
    let mut screen = Vec::new();
    let mut bytes = [0; 4096];
    loop {
        let text = String::from_utf8_lossy(&screen);
        if text.contains(wanted) {
            return text.into_owned();
        }
        let count = keys.read(&mut bytes).unwrap();
        screen.extend_from_slice(&bytes[..count]);
    }
}

/// As [`seated`], where the person is given away.
pub fn pair_of<T>(typed: Typed, act: impl FnOnce(Person) -> T) -> (T, String) {
    let (keys, device) = pair();
    let person = Person::at(device, "dev").unwrap();
    answering(typed, keys, || act(person))
}

/// Runs `act` with a person at a terminal who answers one question; gives what came of it and what the person saw.
pub fn seated<T>(typed: Typed, act: impl FnOnce(&mut Person) -> T) -> (T, String) {
    let (keys, device) = pair();
    let mut person = Person::at(device, "dev").unwrap();
    answering(typed, keys, || {
        let came = act(&mut person);
        // Where nothing was asked, the other end must not wait for it.
        drop(person);
        came
    })
}

fn answering<T>(typed: Typed, mut keys: File, act: impl FnOnce() -> T) -> (T, String) {
    thread::scope(|scope| {
        let hands = scope.spawn(move || {
            let screen = screen_with(&mut keys, "anything else to refuse: ");
            let word = screen.rsplit('`').nth(1).unwrap_or_default();
            let text = match typed {
                Typed::Word => word,
                Typed::Else(text) => text,
            };
            keys.write_all(text.as_bytes()).unwrap();
            keys.write_all(b"\n").unwrap();
            // The terminal stays open until the question is over.
            (screen, keys)
        });
        let came = act();
        (came, hands.join().unwrap().0)
    })
}

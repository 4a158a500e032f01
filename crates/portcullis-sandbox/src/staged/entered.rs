//! The first process of new namespaces. Owns who it is there, the view and the loopback, and that everything ends with it.

use std::{
    fs,
    io::{self, PipeWriter, Write as _},
    net::{Ipv4Addr, TcpListener},
    os::fd::{AsFd as _, AsRawFd as _},
    thread,
};

use super::{
    Given,
    held::{Held, Namespaced},
    inside,
    pinned::Pins,
    supervise::{self, Whose},
    view,
};
use crate::{
    Means, Network, Unavailable,
    channel::{self, Word},
    kernel,
};

/// Goes on in the namespaces. Where something fails before the program is there, the words for it go to `failure`, and whoever
/// waits for us tries without.
pub(super) fn become_first(
    given: &Given,
    pins: &Pins,
    unavailable: &[Unavailable],
    users: bool,
    mut failure: PipeWriter,
) -> ! {
    let held = match prepared(given, pins, unavailable, users) {
        Ok(held) => held,
        Err(reason) => {
            let _ = failure.write_all(reason.as_bytes());
            kernel::exit(126);
        }
    };
    drop(failure);
    serve(given, pins, held)
}

/// Starts the program and waits for its end, with which that of everything else here comes.
pub(super) fn serve(given: &Given, pins: &Pins, held: Held) -> ! {
    let ended = (|| {
        let signals = kernel::child_signals()?;
        let program = inside::program_started(given, pins, held)?;
        kernel::no_new_privileges()?;
        kernel::empty_capabilities()?;
        supervise::program(given, program, &signals, Whose::Namespace)
    })();
    if let Err(error) = ended {
        let _ = channel::say(&given.control, &Word::Failed(error.to_string()), &[]);
    }
    kernel::exit(0);
}

fn prepared(
    given: &Given,
    pins: &Pins,
    unavailable: &[Unavailable],
    users: bool,
) -> Result<Held, String> {
    kernel::die_with_parent().map_err(said("the end of the run cannot be bound to its caller"))?;
    if users {
        be_oneself(given).map_err(said("the user cannot be mapped"))?;
    }
    kernel::close_to_others().map_err(said("the first process cannot be closed to others"))?;
    let network = given.plan.profile.network != Network::Open;
    let (hidden, inside) = thread::scope(|scope| {
        // The kernel takes as long for a network as for everything else together, and both can be had at once.
        let made = network.then(|| thread::Builder::new().spawn_scoped(scope, kernel::new_network));
        let hidden = view::make(&given.plan, pins).map_err(|failed| failed.to_string())?;
        let inside = made
            .map(|made| made?.join().unwrap_or_else(|_| Err(io::Error::other("it was not made"))));
        Ok::<_, String>((hidden, inside))
    })?;
    if let Some(inside) = inside {
        let entered = inside.and_then(|inside| kernel::enter_network(inside.as_fd()));
        entered.map_err(said("there is no network of its own"))?;
    }
    let port = way_to_proxy(given)?;
    let namespaced = Namespaced { by: Means::Namespaces, users, network, hidden };
    Ok(Held::namespaced(unavailable.to_vec(), namespaced, port))
}

/// Where the proxy is reached in a network of our own, where it is to be reached.
pub(super) fn way_to_proxy(given: &Given) -> Result<Option<u16>, String> {
    if !matches!(given.plan.profile.network, Network::Proxy(_)) {
        return Ok(None);
    }
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0));
    let listener = listener.map_err(said("the way to the proxy cannot be made"))?;
    let port = listener.local_addr().ok().map(|address| address.port());
    // The other end lives outside: there is nothing inside that could be taken over.
    channel::say(&given.control, &Word::Listening, &[listener.as_raw_fd()])
        .map_err(said("the way to the proxy cannot be handed over"))?;
    Ok(port)
}

fn said(what: &'static str) -> impl Fn(io::Error) -> String {
    move |error| format!("{what}: {error}")
}

/// The same user and group inside as outside. Nobody else is there.
fn be_oneself(given: &Given) -> io::Result<()> {
    let Given { user, group, .. } = given;
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
    fs::write("/proc/self/gid_map", format!("{group} {group} 1"))
}

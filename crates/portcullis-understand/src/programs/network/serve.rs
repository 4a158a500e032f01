//! Programs that offer the files of a directory to whoever connects. Owns how each is told which directory and at which address;
//! whether that is too much, `rules` says.

use crate::{
    effect::Argument, place, programs::host::Host, programs::invocation::Invocation, text::Text,
};

/// How a program is told what to offer.
struct Server {
    name: &'static str,
    /// The word that makes it a server; empty where it is nothing else.
    command: &'static str,
    /// The options that name the directory; empty where it is the first operand.
    directory: &'static [&'static str],
    address: &'static [&'static str],
}

/// Sorted by name.
static SERVERS: &[Server] = &[
    server("caddy", "file-server", &["--root", "-r"], &["--listen", "-l"]),
    server("darkhttpd", "", &[], &["--addr"]),
    server("dufs", "", &[], &["-b", "--bind"]),
    server("http-server", "", &[], &["-a"]),
    server("httpd", "", &["-h"], &["-p"]),
    server("live-server", "", &[], &["--host"]),
    server("miniserve", "", &[], &["-i", "--interfaces"]),
    server("php", "", &["-t"], &["-S"]),
    server("ruby", "", &[], &["--bind-address"]),
    server("serve", "", &[], &["-l", "--listen"]),
    server("simple-http-server", "", &[], &["--ip"]),
    server("static-server", "", &[], &[]),
    server("twistd", "web", &["--path"], &["--listen"]),
    server("twistd3", "web", &["--path"], &["--listen"]),
    server("webfsd", "", &["-r"], &["-i"]),
];

const fn server(
    name: &'static str,
    command: &'static str,
    directory: &'static [&'static str],
    address: &'static [&'static str],
) -> Server {
    Server { name, command, directory, address }
}

pub(super) const CADDY: &[&str] = &["--root", "-r", "--listen", "-l", "--config", "--domain"];
pub(super) const HTTP_SERVER: &[&str] = &["-a", "-p", "-c", "-t", "-P", "-S", "-C", "-K"];
pub(super) const WEBFSD: &[&str] =
    &["-r", "-R", "-i", "-p", "-f", "-l", "-L", "-u", "-g", "-b", "-n"];
pub(super) const HTTPD: &[&str] = &["-c", "-d", "-e", "-h", "-m", "-p", "-r", "-u"];
pub(super) const OTHERS: &[&str] = &[
    "--addr",
    "--bind",
    "--host",
    "--interfaces",
    "--ip",
    "--listen",
    "--path",
    "--port",
    "-b",
    "-i",
    "-l",
    "-p",
];

/// A program that only serves, or the command of one that does.
pub(super) fn files(walk: &mut dyn Host, invocation: &Invocation) -> Text {
    let Some(server) = SERVERS
        .binary_search_by(|server| server.name.cmp(&invocation.program))
        .ok()
        .and_then(|at| SERVERS.get(at))
    else {
        return invocation.origin();
    };
    let options = invocation.options();
    let mut operands = options.operands().peekable();
    if !server.command.is_empty()
        && operands.next_if(|first| first.text.as_known() == Some(server.command)).is_none()
    {
        return invocation.origin();
    }
    let directory = match server.directory {
        [] => operands.next().cloned(),
        names => options.value(names),
    };
    let address = options.value(server.address);
    // Apache's program of that name serves what its configuration says; busybox has the port said, `-p 127.0.0.1:80`.
    if server.name == "httpd" && directory.is_none() && address.is_none() {
        return invocation.origin();
    }
    offer(walk, invocation, directory, address)
}

/// A language's interpreter that is told to serve: `php -S`, `ruby -run -e httpd`. Its code and scripts are its caller's.
pub(in crate::programs) fn by_interpreter(walk: &mut dyn Host, invocation: &Invocation) {
    let words = || invocation.arguments.iter();
    let value = |name: &str| {
        let mut rest = words();
        rest.find_map(|word| word.text.known_prefix().strip_prefix(name).map(|end| (end, word)))
            .and_then(|(end, word)| {
                if end.is_empty() {
                    rest.next().cloned()
                } else {
                    super::super::operands::after(word, name)
                }
            })
    };
    match invocation.program.as_str() {
        "php" => {
            if let Some(address) = value("-S") {
                offer(walk, invocation, value("-t"), Some(address));
            }
        }
        "ruby" if words().any(|word| word.text.as_known() == Some("-run")) => {
            let mut rest = words()
                .skip_while(|word| !matches!(word.text.as_known(), Some("httpd" | "-ehttpd")));
            if rest.next().is_some() {
                let directory =
                    rest.find(|word| !word.text.known_prefix().starts_with('-')).cloned();
                offer(walk, invocation, directory, value("--bind-address="));
            }
        }
        _ => {}
    }
}

/// Whoever asks gets what is in the directory; here where none is named, to everybody where no address is.
pub(in crate::programs) fn offer(
    walk: &mut dyn Host,
    invocation: &Invocation,
    directory: Option<Argument>,
    address: Option<Argument>,
) -> Text {
    let said = |text: &str| Argument { text: Text::known(text), span: invocation.span };
    let directory = directory.unwrap_or_else(|| said("."));
    let address = address.unwrap_or_else(|| said("0.0.0.0"));
    let target = walk.target(&directory.text);
    // A project's own files are what such a server is for.
    let is_much = place::credential_of(&target, walk.facts()).is_some()
        || place::place_of(&target, walk.facts()).is_whole();
    let offered = is_much.then(|| walk.read(&directory));
    walk.connect(&address, offered, true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_are_sorted() {
        assert!(SERVERS.is_sorted_by_key(|server| server.name));
    }
}

//! Rows of the programs that talk to the network: whom they talk to, what goes out, what comes in and where it is put.
//! Whether that is bad is said in `rules`.

pub(super) mod copies;
mod fetch;
pub(super) mod letters;
pub(super) mod serve;
pub(crate) mod shells;

use crate::{
    effect::{Argument, WriteMode},
    programs::host::Host,
    programs::invocation::Invocation,
    text::{Taint, Text},
};

use super::{Does, Program};

pub(super) use letters::GH;

const fn row(
    name: &'static str,
    values: &'static [&'static str],
    act: fn(&mut dyn Host, &Invocation) -> Text,
) -> Program {
    Program { name, values, does: Does::Custom(act) }
}

/// What the programs that run one command on many machines take.
const PSSH: &[&str] =
    &["-h", "-H", "-l", "-p", "-o", "-e", "-t", "-O", "-x", "-X", "--hosts", "--host"];

/// Sorted by name.
pub(super) static TABLE: &[Program] = &[
    row("GET", &[], fetch::pages),
    row("aria2c", fetch::ARIA, fetch::aria),
    row("autossh", shells::AUTOSSH, shells::ssh),
    row("aws", copies::AWS, copies::aws),
    row("axel", &["-o", "--output", "-n", "-H", "-U"], fetch::axel),
    row("azcopy", &[], copies::cloud),
    row("b2", &[], copies::cloud),
    row("caddy", serve::CADDY, serve::files),
    row("certutil", &[], fetch::certutil),
    row("clush", &["-w", "-x", "-g", "-l", "-t", "-u", "-f", "-o", "-S"], shells::fleet),
    row("croc", &["--code", "-c", "--relay", "--pass"], copies::handed_over),
    row("curl", fetch::CURL, fetch::curl),
    row("curlie", fetch::CURL, fetch::curl),
    row("darkhttpd", serve::OTHERS, serve::files),
    row("delv", letters::DIG, letters::look_up),
    row("dig", letters::DIG, letters::look_up),
    row("drill", letters::DIG, letters::look_up),
    row("dropbear", shells::DROPBEAR, shells::door),
    row("dsh", &["-m", "-g", "-f", "-r", "-o"], shells::fleet),
    row("dufs", serve::OTHERS, serve::files),
    row("elinks", &[], fetch::pages),
    row("finger", &[], letters::look_up),
    row("ftp", &["-s", "-P", "-o"], copies::session),
    row("gcloud", copies::GCLOUD, copies::cloud),
    row("gotty", shells::TTY, shells::door),
    row("gsutil", &["-h", "-o", "-u", "-i"], copies::cloud),
    row("host", letters::DIG, letters::look_up),
    row("hping3", letters::HPING, letters::hping),
    row("http", fetch::HTTPIE, fetch::httpie),
    row("http-server", serve::HTTP_SERVER, serve::files),
    row("httpd", serve::HTTPD, serve::files),
    row("https", fetch::HTTPIE, fetch::httpie),
    row("in.telnetd", &[], shells::door),
    row("kcat", &["-b", "-t", "-P", "-F", "-X"], letters::message),
    row("lftp", &["-e", "-c", "-u", "-p", "-f"], copies::session),
    row("links", &[], fetch::pages),
    row("live-server", serve::OTHERS, serve::files),
    row("lwp-download", &[], fetch::axel),
    row("lwp-request", &["-m", "-H", "-o"], fetch::pages),
    row("lynx", &["-post_data", "-auth"], fetch::pages),
    row("mail", letters::MAIL, letters::mail),
    row("mailx", letters::MAIL, letters::mail),
    row("mc", &[], copies::cloud),
    row("mcli", &[], copies::cloud),
    row("miniserve", serve::OTHERS, serve::files),
    row("mosquitto_pub", letters::MOSQUITTO, letters::message),
    row("msmtp", letters::MAIL, letters::mail),
    row("mutt", letters::MAIL, letters::mail),
    row("nc", shells::NC, shells::netcat),
    row("nc.openbsd", shells::NC, shells::netcat),
    row("nc.traditional", shells::NC, shells::netcat),
    row("ncat", shells::NC, shells::netcat),
    row("netcat", shells::NC, shells::netcat),
    row("nslookup", &[], letters::look_up),
    row("openssl", shells::OPENSSL, shells::openssl),
    row("parallel-ssh", PSSH, shells::fleet),
    row("pdsh", &["-w", "-x", "-g", "-l", "-R", "-t", "-u", "-f"], shells::fleet),
    row("ping", letters::PING, letters::look_up),
    row("ping6", letters::PING, letters::look_up),
    row("pssh", PSSH, shells::fleet),
    row("restic", &["-r", "--repo", "-p", "--password-file", "--exclude"], copies::restic),
    row("rsync", copies::RSYNC, copies::rsync),
    row("rsync-ssl", copies::RSYNC, copies::rsync),
    row("s3cmd", &["-c", "--config"], copies::cloud),
    row("scp", copies::SCP, copies::scp),
    row("sendemail", letters::MAIL, letters::mail),
    row("sendmail", letters::MAIL, letters::mail),
    row("serve", serve::OTHERS, serve::files),
    row("sftp", copies::SFTP, copies::session),
    row("simple-http-server", serve::OTHERS, serve::files),
    row("smbclient", &["-c", "-U", "-D", "-p", "-W", "-I", "-A"], copies::session),
    row("socat", &["-b", "-t", "-T", "-L", "-lf", "-lp"], shells::socat),
    row("ssh", shells::SSH, shells::ssh),
    row("ssh-copy-id", &["-i", "-p", "-o", "-F"], shells::copy_key),
    row("sshd", shells::SSHD, shells::door),
    row("static-server", serve::OTHERS, serve::files),
    row(
        "swaks",
        &["--to", "--from", "--server", "--attach", "--body", "-t", "-f", "-s"],
        letters::mail,
    ),
    row("telnet", &["-l", "-b", "-e", "-n", "-S", "-X"], shells::telnet),
    row("telnetd", &[], shells::door),
    row("tftp", &["-c", "-m"], copies::session),
    row("traceroute", letters::TRACEROUTE, letters::look_up),
    row("ttyd", shells::TTY, shells::door),
    row("twistd", serve::OTHERS, serve::files),
    row("twistd3", serve::OTHERS, serve::files),
    row("w3m", &["-post", "-header"], fetch::pages),
    row("webfsd", serve::WEBFSD, serve::files),
    row("websocat", &[], shells::websocat),
    row("wetty", &[], shells::door),
    row("wget", fetch::WGET, fetch::wget),
    row("whois", &["-h", "-p"], letters::look_up),
    row("wormhole", &["--code", "--relay-url"], copies::handed_over),
    row("wscat", &["-c", "-l", "-x", "-H"], shells::websocat),
    row("xh", fetch::HTTPIE, fetch::httpie),
    row("xhs", fetch::HTTPIE, fetch::httpie),
];

/// Whether it is only asked about itself.
fn only_asks(invocation: &Invocation) -> bool {
    invocation.arguments.iter().all(|argument| argument.text.known_prefix().starts_with('-'))
        && invocation.options().has(&["--help", "--version", "-V"])
}

/// An argument made from a part of another one.
fn part(of: &Argument, text: impl Into<String>) -> Argument {
    let mut made = of.text.derive([]);
    made.push_known(&text.into());
    Argument { text: made, span: of.span }
}

/// What arrives on the standard input, where that is not the terminal.
fn piped(invocation: &Invocation) -> Option<Text> {
    invocation.input.clone().filter(|input| !input.is_empty())
}

/// Reads files that are sent, into one text.
fn gathered<'f>(
    walk: &mut dyn Host,
    files: impl IntoIterator<Item = &'f Argument>,
) -> Option<Text> {
    let mut whole: Option<Text> = None;
    for file in files {
        let text = walk.read(file);
        whole.get_or_insert_default().append(&text);
    }
    whole
}

/// Adds to what is sent.
fn add(sends: &mut Option<Text>, more: &Text) {
    sends.get_or_insert_default().append(more);
}

/// Writes what came over the network to a file; `-` is the standard output.
fn store(walk: &mut dyn Host, file: &Argument, received: Text) -> Option<Text> {
    if matches!(file.text.as_known(), Some("-" | "/dev/stdout")) {
        return Some(received);
    }
    walk.write(file, WriteMode::Replace, received);
    None
}

/// The file that a download makes: the last part of the address, in `directory` where one is given.
fn named_after(address: &Argument, directory: Option<&Argument>) -> Argument {
    let shown = address.text.display();
    let path = shown.split_once("://").map_or(shown.as_str(), |(_, rest)| rest);
    let path = path.split(['?', '#']).next().unwrap_or(path);
    let base = path.trim_end_matches('/').rsplit('/').next().unwrap_or("");
    let base = if !path.contains('/') || base.is_empty() || path.ends_with('/') {
        "index.html"
    } else {
        base
    };
    inside(directory, &part(address, base))
}

fn inside(directory: Option<&Argument>, file: &Argument) -> Argument {
    let Some(directory) = directory else { return file.clone() };
    let mut text = directory.text.clone();
    if !text.display().ends_with('/') {
        text.push_known("/");
    }
    text.append(&file.text);
    Argument { text, span: directory.span }
}

/// Whether the text carries something that is not anybody's business.
fn is_private(text: &Text) -> bool {
    text.taint.has(Taint::SECRET) || text.taint.has(Taint::PRIVATE) || text.taint.has(Taint::FILE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_sorted() {
        for pair in TABLE.windows(2) {
            if let [left, right] = pair {
                assert!(left.name < right.name, "{} {}", left.name, right.name);
            }
        }
    }
}

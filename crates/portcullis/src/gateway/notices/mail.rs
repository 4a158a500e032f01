//! A request as mail. Owns the message and the program that sends it; nobody decides by mail, which proves nobody, so that it holds a link.

use std::{
    io::Write as _,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use crate::{
    approvals::{Attempt, Id, Request, joined, waited_words},
    config::Mail,
    report::visible,
};

/// How long the program may take, and how often it is looked whether it has ended.
const PATIENCE: Duration = Duration::from_secs(30);
const LOOK: Duration = Duration::from_millis(20);

/// The status by which it says that another attempt may go well (`EX_TEMPFAIL` of `sysexits.h`).
const LATER: i32 = 75;

/// The longest that is told of one text, and how many are.
const LONGEST: usize = 4_000;
const TEXTS: usize = 5;

/// Where programs are looked for by the one that is started.
const PATH: &str = "/usr/sbin:/usr/bin:/sbin:/bin";

/// Some addresses.
pub(super) struct Mailbox {
    mail: Mail,
    to: Vec<String>,
}

impl Mailbox {
    pub(super) const fn new(mail: Mail, to: Vec<String>) -> Self {
        Self { mail, to }
    }

    pub(super) async fn send(
        &self,
        request: &Request,
        (link, id): (&str, Id),
        waited: Option<SignedDuration>,
    ) -> Attempt {
        let message = self.message(request, (link, id), (Timestamp::now(), waited));
        let command = self.mail.command.clone();
        let sent = tokio::task::spawn_blocking(move || run(&command, message.as_bytes())).await;
        sent.unwrap_or_else(|_| Attempt::Again {
            trouble: "the gateway is shutting down".to_owned(),
            after: None,
        })
    }

    /// The whole message. Nothing of the agent's stands in its head.
    fn message(
        &self,
        request: &Request,
        (link, id): (&str, Id),
        (now, waited): (Timestamp, Option<SignedDuration>),
    ) -> String {
        let host = self.mail.from.rsplit('@').next().unwrap_or("localhost");
        let (date, risk) = (now.strftime("%a, %d %b %Y %H:%M:%S +0000"), request.risk.name());
        let short = request.id.to_string();
        let short = short.get(..8).unwrap_or_default();
        let verb = if waited.is_some() { "still waits" } else { "asks" };
        let head = [
            format!("From: {}", self.mail.from),
            format!("To: {}", self.to.join(",\r\n ")),
            format!("Subject: An agent {verb}: risk {risk} ({short})"),
            format!("Date: {date}"),
            format!("Message-ID: <{id}@{host}>"),
            "Auto-Submitted: auto-generated".to_owned(),
            "MIME-Version: 1.0".to_owned(),
            "Content-Type: text/plain; charset=utf-8".to_owned(),
            "Content-Transfer-Encoding: base64".to_owned(),
        ];
        let body = data_encoding::BASE64_MIME.encode(words(request, link, waited).as_bytes());
        format!("{}\r\n\r\n{body}", head.join("\r\n"))
    }
}

fn words(request: &Request, link: &str, waited: Option<SignedDuration>) -> String {
    let agent = visible::line(request.agent.as_deref().unwrap_or("an agent"));
    let tool = visible::line(&request.tool);
    let mut lines = vec![
        format!("{agent} asks to use {tool}: risk {}.", request.risk.name()),
        format!("No answer until {} is a no.", request.expires.strftime("%H:%M:%S UTC on %-d %B")),
        String::new(),
        format!("Decide at {link}"),
        String::new(),
    ];
    if let Some(waited) = waited {
        lines.insert(1, waited_words(waited));
    }
    let list = |name: &str| request.details.get(name).and_then(Value::as_array);
    let reasons = list("reasons").into_iter().flatten().filter_map(Value::as_str).take(TEXTS);
    lines.extend(reasons.map(|reason| format!("- {}", visible::line(reason))));
    for text in list("texts").into_iter().flatten().take(TEXTS) {
        let whole = joined(text);
        let end = whole.floor_char_boundary(LONGEST);
        let more = if end < whole.len() { "\n[and more]" } else { "" };
        let shown = visible::lines(whole.get(..end).unwrap_or_default());
        // Set in, so that no line of it looks like one of ours.
        let set = shown.lines().map(|line| format!("    {line}")).collect::<Vec<_>>();
        lines.push(format!("\n{}{more}", set.join("\n")));
    }
    lines.join("\n") + "\n"
}

/// Hands a message to the program.
fn run(command: &[String], message: &[u8]) -> Attempt {
    let again = |trouble: String| Attempt::Again { trouble, after: None };
    let Some((program, arguments)) = command.split_first() else {
        return Attempt::Refused { trouble: "no program sends mail".to_owned() };
    };
    // Whatever secrets stand in our environment are none of its business.
    let started = Command::new(program)
        .args(arguments)
        .env_clear()
        .env("PATH", PATH)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let mut child = match started {
        Ok(child) => child,
        Err(error) => return again(format!("`{program}` does not start: {error}")),
    };
    let input = child.stdin.take();
    let message = message.to_vec();
    // One that reads nothing holds nobody up.
    let writer =
        std::thread::spawn(move || input.map_or(Ok(()), |mut input| input.write_all(&message)));
    let begun = Instant::now();
    let ended = loop {
        match child.try_wait() {
            Ok(Some(status)) => break Ok(status),
            Ok(None) if begun.elapsed() < PATIENCE => std::thread::sleep(LOOK),
            Ok(None) => break Err("it takes too long".to_owned()),
            Err(error) => break Err(error.to_string()),
        }
    };
    let status = match ended {
        Ok(status) => status,
        Err(why) => {
            // It may have ended by itself.
            let _ = child.kill();
            let _ = child.wait();
            return again(format!("`{program}`: {why}"));
        }
    };
    match (status.code(), writer.is_finished()) {
        (Some(0), true) => match writer.join() {
            Ok(Ok(())) => Attempt::Taken { receipt: None },
            _ => again(format!("`{program}` did not read the message")),
        },
        (Some(0), false) => again(format!("`{program}` did not read the message")),
        (Some(LATER), _) => again(format!("`{program}` says that it may go well later")),
        (Some(code), _) => Attempt::Refused { trouble: format!("`{program}` ended with {code}") },
        (None, _) => again(format!("`{program}` was ended by a signal")),
    }
}

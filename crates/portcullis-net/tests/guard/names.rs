//! Name servers that mean harm.

use std::time::Duration;

use portcullis_net::{Client, Limits, Request, Roots};

use super::{
    guard,
    server::{NameServer, Say, Untouched, WebServer, ok},
};

async fn fetched(names: &NameServer, port: u16, host: &str) -> Result<String, String> {
    fetched_within(names, port, host, Duration::from_secs(20)).await
}

/// What a fetch gives where each question to the name server is given so much time.
async fn fetched_within(
    names: &NameServer,
    port: u16,
    host: &str,
    patience: Duration,
) -> Result<String, String> {
    let mut guard = guard(names.address, &[port]);
    guard.resolver.patience = patience;
    let client = Client::new(guard, Roots::System, Limits::default());
    let request = Request::get(format!("http://{host}:{port}/"));
    let response = client.fetch(request, &mut |_| ()).await;
    response
        .map(|response| String::from_utf8_lossy(&response.body).into_owned())
        .map_err(|failure| failure.to_string())
}

#[tokio::test]
async fn a_name_is_resolved_once_and_what_was_checked_is_called() {
    let web = WebServer::new(|_| ok("the good one")).await;
    let bad = Untouched::at(web.port).await;
    let names = NameServer::new(|_, six, before| match (six, before) {
        (true, _) => Say::Addresses(Vec::new()),
        (false, 0) => Say::Addresses(vec!["127.0.0.1"]),
        (false, _) => Say::Addresses(vec!["127.0.0.2"]),
    })
    .await;
    assert_eq!(fetched(&names, web.port, "good.example.com").await.unwrap(), "the good one");
    let mut asked = names.asked.lock().unwrap().clone();
    asked.sort();
    let name = "good.example.com".to_owned();
    assert_eq!(asked, [(name.clone(), false), (name, true)]);
    bad.check("rebinding");
    // The next request asks anew, and sees what the name has become.
    let second = fetched(&names, web.port, "good.example.com").await.unwrap_err();
    assert_eq!(second, "`127.0.0.2` is blocked by the entry `127.0.0.2`");
    bad.check("rebinding, the second time");
}

#[tokio::test]
async fn nothing_that_a_name_server_says_leads_inside() {
    let web = WebServer::new(|_| ok("reached")).await;
    let bad = Untouched::at(web.port).await;
    let many: Vec<&'static str> = vec!["127.0.0.1"; 200];
    let cases: Vec<(&str, &str, Say, &str)> = vec![
        ("bad alone", "good.example.com", Say::Addresses(vec!["127.0.0.2"]), "is blocked by"),
        (
            "good and bad",
            "good.example.com",
            Say::Addresses(vec!["127.0.0.1", "127.0.0.2"]),
            "is blocked by",
        ),
        (
            "bad and good",
            "good.example.com",
            Say::Addresses(vec!["127.0.0.2", "127.0.0.1"]),
            "is blocked by",
        ),
        ("loopback", "www.example.com", Say::Addresses(vec!["127.0.0.1"]), "loopback 127.0.0.0/8"),
        (
            "private",
            "www.example.com",
            Say::Addresses(vec!["10.0.0.1"]),
            "private network 10.0.0.0/8",
        ),
        (
            "metadata for an allowed host",
            "good.example.com",
            Say::Addresses(vec!["169.254.169.254"]),
            "metadata service",
        ),
        ("IPv6 alone", "www.example.com", Say::Addresses(vec!["::1"]), "loopback ::1/128"),
        (
            "good and IPv6",
            "good.example.com",
            Say::Addresses(vec!["127.0.0.1", "::ffff:127.0.0.2"]),
            "is blocked by",
        ),
        (
            "mapped for an allowed host",
            "good.example.com",
            Say::Addresses(vec!["::ffff:127.0.0.1"]),
            "IPv4-mapped",
        ),
        (
            "alias of metadata",
            "good.example.com",
            Say::Alias("metadata.google.internal", vec!["127.0.0.1"]),
            "is another name of `metadata.google.internal`",
        ),
        (
            "alias of a private name",
            "www.example.com",
            Say::Alias("db.internal", vec!["93.184.216.34"]),
            "is another name of `db.internal`",
        ),
        (
            "alias of loopback",
            "www.example.com",
            Say::Alias("cdn.example.com", vec!["127.0.0.1"]),
            "loopback 127.0.0.0/8",
        ),
        ("no name", "good.example.com", Say::NoName, "the name does not exist"),
        ("no address", "good.example.com", Say::Addresses(Vec::new()), "has no address"),
        ("failure", "good.example.com", Say::Fail, "could not answer (code 2)"),
        ("silence", "good.example.com", Say::Nothing, "no name server answered in time"),
        (
            "truncated, then bad",
            "good.example.com",
            Say::Truncated(Box::new(Say::Addresses(vec!["127.0.0.2"]))),
            "is blocked by",
        ),
        (
            "truncated, then silence",
            "good.example.com",
            Say::Truncated(Box::new(Say::Nothing)),
            "name server",
        ),
        (
            "too many addresses",
            "good.example.com",
            Say::Truncated(Box::new(Say::Addresses(many))),
            "more than 32 addresses",
        ),
        (
            "a flood of guesses",
            "good.example.com",
            Say::Flood(100, Box::new(Say::Addresses(vec!["127.0.0.1"]))),
            "what is no answer",
        ),
        (
            "another name's answer",
            "good.example.com",
            Say::OtherName(Box::new(Say::Addresses(vec!["127.0.0.1"]))),
            "in time",
        ),
        ("garbage", "good.example.com", Say::Garbage, "in time"),
    ];
    for (case, host, say, expected) in cases {
        // Only who never answers is not waited for long.
        let is_silent = expected == "in time" || case.ends_with("silence");
        let patience = Duration::from_millis(if is_silent { 200 } else { 20_000 });
        let names = NameServer::new(move |_, _, _| say.clone()).await;
        let fetched = fetched_within(&names, web.port, host, patience).await;
        let failure = fetched.expect_err(case);
        assert!(failure.contains(expected), "{case}: {failure}");
        bad.check(case);
    }
    assert_eq!(web.requests(), Vec::<String>::new(), "the good server was asked");
}

#[tokio::test]
async fn an_answer_that_is_late_or_long_is_still_an_answer() {
    let web = WebServer::new(|_| ok("reached")).await;
    let good = || Box::new(Say::Addresses(vec!["127.0.0.1"]));
    for say in [
        Say::Truncated(good()),
        Say::Flood(5, good()),
        Say::Alias("cdn.example.com", vec!["127.0.0.1"]),
    ] {
        let names = NameServer::new(move |_, _, _| say.clone()).await;
        assert_eq!(fetched(&names, web.port, "good.example.com").await.unwrap(), "reached");
    }
    // The first question goes unanswered, as when a datagram is lost.
    let names = NameServer::new(|_, _, before| match before {
        0 => Say::Nothing,
        _ => Say::Addresses(vec!["127.0.0.1"]),
    })
    .await;
    let patience = Duration::from_secs(3);
    let fetched = fetched_within(&names, web.port, "good.example.com", patience).await;
    assert_eq!(fetched.unwrap(), "reached");
}

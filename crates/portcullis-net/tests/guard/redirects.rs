//! Web servers that send us where we should not go, or tell others what was meant for them.

use std::{io::Write as _, sync::Arc};

use portcullis_core::network::{Budget, NetworkOptions};
use portcullis_net::{
    Client, Failure, Limits, Request, Response, Roots, Spent, ThisProcess, Whose,
};

use super::{
    client, guard,
    server::{NameServer, Untouched, WebServer, ok, redirect},
};

async fn fetch(names: &NameServer, ports: &[u16], request: Request) -> Result<Response, Failure> {
    client(names.address, ports, Roots::System).fetch(request, &mut |_| ()).await
}

/// The request line, and the headers in the order of their names.
fn sorted(request: &str) -> (String, Vec<String>, String) {
    let (head, body) = request.split_once("\r\n\r\n").unwrap();
    let mut lines = head.split("\r\n").map(str::to_owned);
    let first = lines.next().unwrap();
    let mut headers: Vec<String> = lines.collect();
    headers.sort();
    (first, headers, body.to_owned())
}

#[tokio::test]
async fn what_says_who_asks_stays_with_the_first_origin_for_good() {
    let names = NameServer::of_ours().await;
    // From the first server to the second, back to the first, and on within it.
    let second = WebServer::new(|request| {
        let back = request.split_once("back=").unwrap().1.split(' ').next().unwrap();
        redirect(302, &format!("http://good.example.com:{back}/third"))
    })
    .await;
    let port = second.port;
    let first = WebServer::new(move |request| match request {
        request if request.starts_with("GET /first") => {
            let own =
                request.split_once("good.example.com:").unwrap().1.split('\r').next().unwrap();
            redirect(302, &format!("http://other.example.com:{port}/second?back={own}"))
        }
        request if request.starts_with("GET /third") => redirect(301, "/fourth"),
        _ => ok("arrived"),
    })
    .await;
    let request = Request {
        headers: [
            ("Authorization", "Bearer token"),
            ("Cookie", "a=b"),
            ("X-Api-Key", "key"),
            ("X-Whatever", "who knows"),
            ("Referer", "http://good.example.com/"),
            ("Accept", "text/plain"),
            ("User-Agent", "test"),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .to_vec(),
        ..Request::get(format!("http://good.example.com:{}/first", first.port))
    };
    let response = fetch(&names, &[first.port, second.port], request).await.unwrap();
    assert_eq!((response.status, response.body.as_slice()), (200, &b"arrived"[..]));
    assert_eq!(response.hops.len(), 4);

    let safe = ["accept-encoding: gzip, deflate", "accept: text/plain"];
    let of = |host: &str, port: u16, own: &[&str]| {
        let mut headers: Vec<String> =
            safe.iter().chain(own).map(|header| (*header).to_owned()).collect();
        headers.extend([format!("host: {host}:{port}"), "user-agent: test".to_owned()]);
        headers.sort();
        headers
    };
    let all = [
        "authorization: Bearer token",
        "cookie: a=b",
        "referer: http://good.example.com/",
        "x-api-key: key",
        "x-whatever: who knows",
    ];
    let at_first: Vec<_> = first.requests().iter().map(|request| sorted(request)).collect();
    assert_eq!(
        at_first[0],
        ("GET /first HTTP/1.1".to_owned(), of("good.example.com", first.port, &all), String::new())
    );
    assert_eq!(
        at_first[1],
        ("GET /third HTTP/1.1".to_owned(), of("good.example.com", first.port, &[]), String::new())
    );
    assert_eq!(at_first[2].0, "GET /fourth HTTP/1.1");
    assert_eq!(at_first[2].1, of("good.example.com", first.port, &[]));
    let at_second: Vec<_> = second.requests().iter().map(|request| sorted(request)).collect();
    let line = format!("GET /second?back={} HTTP/1.1", first.port);
    assert_eq!(at_second, [(line, of("other.example.com", second.port, &[]), String::new())]);
}

#[tokio::test]
async fn methods_and_bodies_change_as_the_standard_says() {
    let names = NameServer::of_ours().await;
    for (status, method, expected, keeps) in [
        (301, "POST", "GET", false),
        (302, "POST", "GET", false),
        (303, "POST", "GET", false),
        (303, "PUT", "GET", false),
        (301, "PUT", "PUT", true),
        (302, "DELETE", "DELETE", true),
        (307, "POST", "POST", true),
        (308, "POST", "POST", true),
    ] {
        let web = WebServer::new(move |request| {
            if request.contains(" /from ") { redirect(status, "to") } else { ok("") }
        })
        .await;
        let request = Request {
            method: method.to_owned(),
            headers: vec![("Content-Type".to_owned(), "text/plain".to_owned())],
            body: Some(b"data".to_vec()),
            ..Request::get(format!("http://good.example.com:{}/from", web.port))
        };
        fetch(&names, &[web.port], request).await.unwrap();
        let (line, headers, body) = sorted(&web.requests()[1]);
        let case = format!("{status} of {method}");
        assert_eq!(line, format!("{expected} /to HTTP/1.1"), "{case}");
        assert_eq!(body, if keeps { "data" } else { "" }, "{case}");
        assert_eq!(
            headers.iter().any(|header| header.starts_with("content-")),
            keeps,
            "{case}: {headers:?}"
        );
    }
}

#[tokio::test]
async fn no_redirect_leads_inside_however_it_is_spelt() {
    let names = NameServer::of_ours().await;
    let locations = |port: u16| {
        [
            format!("http://127.0.0.2:{port}/"),
            format!("http://127.0.0.1:{port}/"),
            format!("//127.0.0.2:{port}/"),
            format!("\\\\127.0.0.2:{port}\\"),
            format!("/\\127.0.0.2:{port}/"),
            format!("http:\\\\127.0.0.2:{port}/"),
            format!("http:/\t/127.0.0.2:{port}/"),
            format!("http://0x7f.2:{port}/"),
            format!("http://2130706434:{port}/"),
            format!("http://[::1]:{port}/"),
            format!("http://[::ffff:127.0.0.2]:{port}/"),
            format!("http://localhost:{port}/"),
            format!("http://good.example.com@127.0.0.2:{port}/"),
            format!("http://user@other.example.com:{port}/"),
            format!("http://127.0.0.2.nip.io:{port}/"),
            "http://169.254.169.254/latest/meta-data/".to_owned(),
            "http://metadata.google.internal/".to_owned(),
            "file:///etc/passwd".to_owned(),
            "gopher://127.0.0.2/".to_owned(),
            "data:text/html,x".to_owned(),
            "http://other.example.com:22/".to_owned(),
            "http://nowhere.example.com/".to_owned(),
            "http://[::1".to_owned(),
            format!("http://{}.example.com/", "a".repeat(20_000)),
        ]
    };
    for index in 0..locations(0).len() {
        for status in [301, 302, 303, 307, 308] {
            let web = WebServer::new(move |request| {
                let port =
                    request.split_once("good.example.com:").unwrap().1.split('\r').next().unwrap();
                redirect(status, &locations(port.parse().unwrap())[index])
            })
            .await;
            let bad = Untouched::at(web.port).await;
            let request = Request::get(format!("http://good.example.com:{}/", web.port));
            let ended = fetch(&names, &[web.port], request).await;
            let case = &locations(web.port)[index];
            let failure = ended.expect_err(case);
            assert!(failure.is_refusal(), "{case}: {failure}");
            assert!(web.requests().len() == 1, "{case}: {failure}");
            bad.check(case);
        }
    }
}

#[tokio::test]
async fn redirects_end() {
    let names = NameServer::of_ours().await;
    let circle =
        WebServer::new(|request| redirect(302, if request.contains(" /a ") { "/b" } else { "/a" }))
            .await;
    let url = |port: u16, path: &str| format!("http://good.example.com:{port}{path}");
    let failure =
        fetch(&names, &[circle.port], Request::get(url(circle.port, "/a"))).await.unwrap_err();
    let expected =
        format!("redirect 2, to `{0}`: the redirect leads back to `{0}`", url(circle.port, "/a"));
    assert_eq!(failure.to_string(), expected);

    let endless = WebServer::new(|request| {
        let number: u32 = request.split(['/', ' ']).nth(2).unwrap().parse().unwrap();
        redirect(302, &format!("/{}", number + 1))
    })
    .await;
    let failure =
        fetch(&names, &[endless.port], Request::get(url(endless.port, "/0"))).await.unwrap_err();
    assert!(failure.to_string().ends_with("more than 5 redirects"), "{failure}");
    assert_eq!(endless.requests().len(), 6);

    let nowhere =
        WebServer::new(|_| b"HTTP/1.1 302 Found\r\ncontent-length: 0\r\n\r\n".to_vec()).await;
    let response =
        fetch(&names, &[nowhere.port], Request::get(url(nowhere.port, "/"))).await.unwrap();
    assert_eq!(response.status, 302);

    let two = WebServer::new(|_| {
        b"HTTP/1.1 302 Found\r\nlocation: /a\r\nlocation: /b\r\ncontent-length: 0\r\n\r\n".to_vec()
    })
    .await;
    let failure = fetch(&names, &[two.port], Request::get(url(two.port, "/"))).await.unwrap_err();
    assert_eq!(failure.to_string(), "the redirect names several places");
}

#[tokio::test]
async fn a_body_is_not_sent_to_another_origin() {
    let names = NameServer::of_ours().await;
    let second = WebServer::new(|_| ok("")).await;
    let port = second.port;
    let first =
        WebServer::new(move |_| redirect(307, &format!("http://other.example.com:{port}/"))).await;
    let request = Request {
        method: "POST".to_owned(),
        body: Some(b"data".to_vec()),
        ..Request::get(format!("http://good.example.com:{}/", first.port))
    };
    let failure = fetch(&names, &[first.port, second.port], request).await.unwrap_err();
    assert!(matches!(failure, Failure::BodyElsewhere(_)), "{failure}");
    assert_eq!(second.requests(), Vec::<String>::new());
}

#[tokio::test]
async fn an_answer_has_bounds() {
    let names = NameServer::of_ours().await;
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    packed.write_all(&vec![b'x'; 1 << 20]).unwrap();
    let packed = packed.finish().unwrap();
    let web = WebServer::new(move |request| match request.split(' ').nth(1).unwrap() {
        "/long" => ok(&"x".repeat(5_000)),
        "/endless" => format!("HTTP/1.1 200 OK\r\n\r\n{}", "x".repeat(5_000)).into_bytes(),
        "/bomb" => {
            let head = format!(
                "HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: {}\r\n\r\n",
                packed.len()
            );
            [head.as_bytes(), &packed].concat()
        }
        "/unknown" => {
            b"HTTP/1.1 200 OK\r\ncontent-encoding: br\r\ncontent-length: 1\r\n\r\nx".to_vec()
        }
        "/head" => format!("HTTP/1.1 200 OK\r\nx: {}\r\n\r\n", "x".repeat(1_000_000)).into_bytes(),
        "/none" => Vec::new(),
        _ => b"what?\r\n\r\n".to_vec(),
    })
    .await;
    let limits = Limits { body: 4_096, ..Limits::default() };
    let client = Client::new(guard(names.address, &[web.port]), Roots::System, limits);
    for (path, expected) in [
        ("/long", "the answer is longer than 4096 bytes"),
        ("/endless", "the answer is longer than 4096 bytes"),
        ("/bomb", "the answer is longer than 4096 bytes"),
        ("/unknown", "the answer is encoded as `br`, which is not read here"),
        ("/head", "the answer is not proper HTTP"),
        ("/none", "the answer is not proper HTTP"),
        ("/else", "the answer is not proper HTTP"),
    ] {
        let request = Request::get(format!("http://good.example.com:{}{path}", web.port));
        let failure = client.fetch(request, &mut |_| ()).await.expect_err(path).to_string();
        assert!(failure.starts_with(expected), "{path}: {failure}");
    }
}

#[tokio::test]
async fn what_is_used_is_counted_over_all_hops() {
    let names = NameServer::of_ours().await;
    let web = WebServer::new(|request| match request.split(' ').nth(1).unwrap() {
        "/chain" => redirect(302, "/one"),
        "/one" => redirect(302, "/two"),
        "/long" => ok(&"x".repeat(5_000)),
        _ => ok("arrived"),
    })
    .await;
    let tools = [("slow", Some(2), None), ("small", None, Some(2_000))];
    let options = NetworkOptions {
        budget: Budget { connections: Some(9), bytes: Some(20_000) },
        tool_budget: Budget { connections: Some(3), bytes: None },
        tool_budgets: tools
            .map(|(name, connections, bytes)| (name.to_owned(), Budget { connections, bytes }))
            .into(),
        ..NetworkOptions::default()
    };
    let metered = |tool: &str| {
        client(names.address, &[web.port], Roots::System)
            .metered(Arc::new(ThisProcess::new(&options, tool)))
    };
    let get = |path: &str| Request::get(format!("http://good.example.com:{}{path}", web.port));
    // Three servers are asked, of which this tool may ask two; any other may ask all of them, and then no more.
    let slow = metered("slow").fetch(get("/chain"), &mut |_| ()).await.unwrap_err();
    assert!(slow.is_refusal(), "{slow}");
    let said = slow.to_string();
    assert!(said.ends_with("/two`: this tool has made its 2 connections"), "{said}");
    let other = metered("other");
    assert_eq!(other.fetch(get("/chain"), &mut |_| ()).await.unwrap().body, b"arrived");
    let spent = other.fetch(get("/chain"), &mut |_| ()).await.unwrap_err();
    assert!(matches!(spent, Failure::Spent(Spent::Connections(Whose::Tool, 3))), "{spent}");
    // The body is cut off where the budget ends.
    let small = metered("small");
    let cut = small.fetch(get("/long"), &mut |_| ()).await.unwrap_err();
    assert!(matches!(cut, Failure::Spent(Spent::Bytes(Whose::Tool, 2_000))), "{cut}");
    let spent = small.fetch(get("/else"), &mut |_| ()).await.unwrap_err();
    assert!(matches!(spent, Failure::Spent(Spent::Bytes(Whose::Tool, 2_000))), "{spent}");
}

#[tokio::test]
async fn a_caller_cannot_speak_for_the_connection() {
    let names = NameServer::of_ours().await;
    for (name, value) in [
        ("Host", "other.example.com"),
        ("Transfer-Encoding", "chunked"),
        ("Content-Length", "5"),
        ("Connection", "upgrade"),
        ("Proxy-Authorization", "x"),
        ("X\r\nY", "z"),
        ("X", "y\r\nZ: w"),
        ("", "x"),
    ] {
        let request = Request {
            headers: vec![(name.to_owned(), value.to_owned())],
            ..Request::get("http://good.example.com/")
        };
        let failure = fetch(&names, &[], request).await.unwrap_err();
        assert!(matches!(failure, Failure::BadRequest(_)), "{name}: {failure}");
    }
}

//! A person who logs in in a real browser, behind a proxy with a path.

use std::{
    io::{Read as _, Write as _},
    net::{SocketAddr, TcpListener, TcpStream},
    thread,
};

use super::{Provider, account, with};
use crate::page::browser::Browser;

/// A proxy that passes on what comes as it comes; where it leads to is said once that is known.
fn proxy(listener: TcpListener, to: SocketAddr) {
    thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(inward) = stream else { return };
            let Ok(outward) = TcpStream::connect(to) else { return };
            let ways =
                [(inward.try_clone().unwrap(), outward.try_clone().unwrap()), (outward, inward)];
            for (mut from, mut to) in ways {
                thread::spawn(move || {
                    let mut bytes = [0; 16 << 10];
                    while let Ok(read @ 1..) = from.read(&mut bytes) {
                        if to.write_all(&bytes[..read]).is_err() {
                            break;
                        }
                    }
                    // The other side may have gone first.
                    let _ = to.shutdown(std::net::Shutdown::Both);
                });
            }
        }
    });
}

#[test]
fn a_person_logs_in_decides_and_logs_out() {
    let Some(mut browser) = Browser::start() else { return };
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/gate/", listener.local_addr().unwrap());
    let provider = Provider::start();
    provider.at_the_page(&account("cyn", &["security"]));
    let tokens = "[team]\ntokens = \"agents\"\n";
    let house = with(provider, tokens, &["--public-url", &url]);
    proxy(listener, house.gateway.address);
    let asked = house.asked("rm -rf /srv/data");
    let id = asked["id"].as_str().unwrap();
    // By the link of one request, as somebody is sent it.
    browser.go(&format!("{url}#/inbox/{id}"));
    browser.until("document.querySelector('a.button')");
    assert_eq!(browser.value("document.querySelector('input')"), serde_json::Value::Null);
    browser.value("document.querySelector('a.button').click()");
    browser.arrives("document.querySelector('.me')?.innerText === 'Ada Lovelace'");
    let there = browser.value("location.href");
    assert_eq!(there, format!("{url}#/inbox/{id}"), "they are where they were going");
    browser.until("document.getElementById('state').innerText === 'Live'");
    browser.until("document.querySelector('article')");
    assert_eq!(browser.value("document.cookie"), "", "no page reads the session");
    let deny = format!(
        "fetch('./v1/approvals/{id}/decision', {{ method: 'POST', headers: {{ 'content-type': 'application/json', \
         'x-portcullis-csrf': localStorage.getItem('portcullis-csrf') }}, body: JSON.stringify({{ decision: 'deny' }}) }})\
         .then((answer) => answer.status)"
    );
    assert_eq!(browser.value(&deny), 200);
    browser.value("[...document.querySelectorAll('button')].find((one) => one.innerText === 'Log out').click()");
    browser.arrives("location.pathname.endsWith('/realms/acme/logout')");
    assert_eq!(house.provider.asked("/realms/acme/token"), 1);
}

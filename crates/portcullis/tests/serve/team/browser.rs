//! A person who logs in in a real browser, behind a proxy with a path.

use std::{
    io::{Read as _, Write as _},
    net::{SocketAddr, TcpListener, TcpStream},
    thread,
};

use serde_json::json;

use super::{House, Provider, account, with};
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

/// A browser in which somebody logged in at their company, at the page of one request.
fn enters(
    house: &House,
    url: &str,
    (who, groups): (&'static str, &[&'static str]),
) -> Option<Browser> {
    let mut browser = Browser::start()?;
    house.provider.at_the_page(&account(who, groups));
    browser.go(url);
    browser.until("document.querySelector('a.button')");
    browser.value("document.querySelector('a.button').click()");
    browser.arrives("document.querySelector('.me') !== null");
    browser.until("document.getElementById('state').innerText === 'Live'");
    browser.until("document.querySelector('article')");
    Some(browser)
}

/// Says yes to what is open, by the keys with which a person does.
fn approves(browser: &mut Browser) {
    browser.value("new Promise((resolve) => setTimeout(resolve, 1100))");
    browser.press("a");
    browser.until("document.querySelector('dialog[open]')");
    browser.value("new Promise((resolve) => setTimeout(resolve, 450))");
    browser.press("y");
}

fn told(browser: &mut Browser, words: &str) {
    browser.until(&format!("document.body.innerText.includes({})", json!(words)));
}

#[test]
fn four_people_see_to_one_request_as_their_roles_say_and_two_of_them_agree() {
    let Some(probe) = Browser::start() else { return };
    drop(probe);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/gate/", listener.local_addr().unwrap());
    let options = ["--public-url", url.as_str(), "--two-people", "high"];
    let house = with(Provider::start(), "[team]\ntokens = \"agents\"\n", &options);
    proxy(listener, house.gateway.address);
    let asked = house.asked("rm -rf /srv/data");
    let id = asked["id"].as_str().unwrap();
    let here = format!("{url}#/inbox/{id}");
    // Whose turn it is not yet sees who is asked first, says yes, and is told that it does not count.
    let mut eve = enters(&house, &here, ("eve", &["on-call"])).unwrap();
    told(&mut eve, "Two people must agree. Nobody has yet.");
    told(&mut eve, "leads may approve it");
    approves(&mut eve);
    told(&mut eve, "others are asked first");
    // The first of two, who is not asked a second time.
    let mut ada = enters(&house, &here, ("ada", &["leads"])).unwrap();
    approves(&mut ada);
    told(&mut ada, "did; 1 more to go.");
    ada.until("document.querySelector('.buttons .approve').disabled");
    // The second sees that at once, as does whoever has it open, and decides.
    let mut ben = enters(&house, &here, ("ben", &["leads"])).unwrap();
    told(&mut ben, "1 more to go.");
    told(&mut eve, "1 more to go.");
    approves(&mut ben);
    for browser in [&mut ben, &mut ada, &mut eve] {
        told(browser, "Approved by");
    }
    // Somebody else gives their place away, by the page, and it is shown to who has it.
    let mut cyn = enters(&house, &here, ("cyn", &["security"])).unwrap();
    cyn.value("location.hash = '#/people'");
    cyn.until("document.querySelector('select[name=to]')");
    let eves = format!("{}#eve", house.provider.issuer());
    cyn.value(&format!("document.querySelector('select[name=to]').value = {}", json!(eves)));
    cyn.value("document.querySelector('#main form button').click()");
    cyn.until("document.querySelector('#places').parentElement.querySelector('tbody tr')");
    eve.value("location.hash = '#/people'");
    eve.until("[...document.querySelectorAll('td')].some((one) => one.innerText === 'security')");
    // It counts for one of one, and never as one of two.
    let other = house.asked("rm -rf /srv/other");
    let there = format!("'#/inbox/{}'", other["id"].as_str().unwrap());
    eve.value(&format!("location.hash = {there}"));
    eve.until("document.querySelector('article')");
    approves(&mut eve);
    told(&mut eve, "you would speak for somebody else");
    // Whoever has it ends it, and nobody is in anybody's place any more.
    eve.value("location.hash = '#/people'");
    eve.until("[...document.querySelectorAll('button')].some((one) => one.innerText === 'End it')");
    eve.press("Escape");
    eve.value("[...document.querySelectorAll('button')].find((one) => one.innerText === 'End it').click()");
    told(&mut eve, "Nobody decides in somebody’s place now.");
}

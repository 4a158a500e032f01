//! The page in a real browser: what a person sees and does, what others try with it, and whether everybody can use it.

mod access;
mod attacks;
pub(crate) mod browser;
mod inbox;
mod person;
mod pictures;
mod quick;
mod reading;
#[cfg(unix)]
mod servers;
#[cfg(target_os = "linux")]
mod undo;

use std::thread::JoinHandle;

use serde_json::{Value, json};

use self::browser::Browser;
use crate::client::{Answer, Gateway};

/// What asks, and in which a stretch is marked.
const RISKY: &str = "cd /srv && rm -rf /srv/data && echo ok";

/// A gateway with a browser in which somebody has logged in, as a person does.
fn logged_in(state: &std::path::Path, options: &[&str]) -> Option<(Gateway, Browser)> {
    let mut browser = Browser::start()?;
    let gateway = Gateway::with(state, options);
    browser.go(&format!("http://{}/", gateway.address));
    browser.until("document.activeElement.type === 'password'");
    browser.types(&gateway.person);
    browser.press("Enter");
    browser.until("document.querySelector('.count')?.innerText === 'Nothing waits.'");
    browser.until("document.getElementById('state').innerText === 'Live'");
    Some((gateway, browser))
}

/// An agent that waits for a decision.
fn agent(gateway: &Gateway, command: &str) -> JoinHandle<Answer> {
    let (mut client, token) = (gateway.client(), gateway.agents.clone());
    let body = json!({ "tool": "bash", "arguments": { "command": command }, "agent": "claude",
        "session": "s-1", "cwd": "/srv", "summary": "clear the cache" });
    std::thread::spawn(move || client.post("/v1/judge?wait=100", &token, &body))
}

/// The only request that there is.
fn only(gateway: &Gateway) -> Value {
    let all = gateway.client().get("/v1/approvals", &gateway.person).json();
    let [one] = &all["approvals"].as_array().unwrap()[..] else { panic!("{all}") };
    one.clone()
}

/// Waits until what is open has been seen for long enough.
fn seen(browser: &mut Browser) {
    browser.until("document.querySelector('article')");
    browser.value("new Promise((resolve) => setTimeout(resolve, 1100))");
}

/// Approves what is open, which is grave, with two keys.
fn approve(browser: &mut Browser) {
    seen(browser);
    browser.press("a");
    browser.until("document.querySelector('dialog[open]')");
    browser.value("new Promise((resolve) => setTimeout(resolve, 450))");
    browser.press("y");
}

fn told(browser: &mut Browser, words: &str) {
    let words = json!(words);
    browser.until(&format!("document.getElementById('told').innerText.includes({words})"));
}

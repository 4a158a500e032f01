//! That the page asks for no more than it needs, and for none of it twice.

use serde_json::json;

use super::{RISKY, logged_in};

/// What the page asked for so far whose address has some words, and how many of it did not come from this browser's own store.
const ASKED: &str = "((words) => {
    const all = performance.getEntriesByType('resource').filter((one) => one.name.includes(words));
    return [all.length, all.filter((one) => one.transferSize > 0).length];
})";

#[test]
fn what_is_shown_first_is_asked_for_once_and_what_comes_later_is_shown_all_the_same() {
    let state = tempfile::tempdir().unwrap();
    let Some((gateway, mut browser)) = logged_in(state.path(), &[]) else { return };
    assert_eq!(gateway.client().judge(&gateway.agents, RISKY).status, 200);
    browser.until("document.querySelectorAll('.card').length === 1");
    browser.go(&format!("http://{}/", gateway.address));
    browser.until("document.querySelector('.card')");
    browser.until("document.getElementById('state').innerText === 'Live'");
    browser.until("document.querySelector('.others-there')?.textContent");
    assert_eq!(browser.value(&format!("{ASKED}('/v1/me')")), json!([1, 1]));
    assert_eq!(browser.value(&format!("{ASKED}('order=worst')")), json!([1, 1]));
    // Its files are kept, and are called after what is in them.
    let files = browser.value(&format!("{ASKED}('/page-')"));
    assert!(files[0].as_u64() > Some(15), "{files}");
    assert_eq!(files[1], 0, "{files}");
    assert_eq!(gateway.client().judge(&gateway.agents, "rm -rf /srv/other").status, 200);
    browser.until("document.querySelectorAll('.card').length === 2");
    // Nor does a stream that begins anew have anything read that is shown already, and yet what came meanwhile.
    let address = gateway.address.to_string();
    drop(gateway);
    browser.until("document.getElementById('state').innerText.startsWith('Disconnected')");
    let again = crate::client::Gateway::with(state.path(), &["--listen", &address]);
    assert_eq!(again.client().judge(&again.agents, "rm -rf /srv/third").status, 200);
    browser.until("document.querySelectorAll('.card').length === 3");
}

#[test]
fn what_is_typed_to_log_in_is_not_lost_when_several_requests_find_out_that_nobody_is() {
    let state = tempfile::tempdir().unwrap();
    let Some((_gateway, mut browser)) = logged_in(state.path(), &[]) else { return };
    browser.value(
        "globalThis.forms = 0;
         new MutationObserver((changes) => changes.forEach((one) => one.addedNodes.forEach((node) => { if (node.matches?.('form.login')) forms += 1; })))
             .observe(document.getElementById('main'), { childList: true });
         for (let time = 0; time < 3; time += 1) dispatchEvent(new Event('logged-out'));
         null",
    );
    browser.until("document.activeElement.type === 'password'");
    browser.value("new Promise((resolve) => setTimeout(resolve, 300))");
    assert_eq!(browser.value("forms"), 1);
}

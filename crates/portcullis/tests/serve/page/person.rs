//! What a person does on the page, with a mouse and without one.

use serde_json::json;

use super::{RISKY, agent, approve, logged_in, only, seen, told};

#[test]
fn a_person_sees_an_ask_appear_reads_what_is_marked_and_approves_with_the_keyboard() {
    let state = tempfile::tempdir().unwrap();
    let Some((gateway, mut browser)) = logged_in(state.path(), &[]) else { return };
    browser.value("window.never = 'loaded again'");
    // The key goes down in the moment in which the request appears.
    browser.value(
        "new MutationObserver(() => {
            if (window.pressed || !document.querySelector('article')) return;
            window.pressed = true;
            document.dispatchEvent(new KeyboardEvent('keydown', { key: 'a', bubbles: true }));
        }).observe(document.body, { childList: true, subtree: true }) ?? 0",
    );
    let waiting = agent(&gateway, RISKY);
    browser.until("document.querySelector('article')");
    assert_eq!(browser.value("window.never"), "loaded again");
    told(&mut browser, "New: claude asks about bash, risk high.");
    told(&mut browser, "It has only just come into view");
    assert_eq!(browser.value("document.querySelectorAll('dialog').length"), 0);
    assert_eq!(only(&gateway)["status"], "pending");

    let mark = browser.value("document.querySelector('article mark').childNodes[0].data");
    assert_eq!(mark, "/srv/data");
    let rule = browser.value("document.querySelector('article mark .unseen').textContent");
    assert_eq!(rule, " [high: fs.delete.elsewhere] ");
    let shown = browser.value("document.querySelector('article').innerText");
    for words in [
        "high",
        "claude",
        "Cannot be undone.",
        "The agent says, and nobody checked:",
        "clear the cache",
        "deletes `/srv/data` and everything below it",
        "file:/srv/data",
        "asks about a risk of high",
        "all of it",
        "/srv",
    ] {
        assert!(shown.as_str().unwrap().contains(words), "{words}: {shown}");
    }
    approve(&mut browser);
    let answer = waiting.join().unwrap().json();
    assert_eq!(answer["decision"], "allow", "{answer}");
    assert_eq!(answer["approval"]["origin"], "web");
    told(&mut browser, "bash: Approved by");
    browser.until("document.querySelector('.decided')?.innerText.includes('Approved by')");
    assert_eq!(browser.value("window.never"), "loaded again");
}

#[test]
fn a_denial_takes_its_reason_to_the_agent_and_keys_do_nothing_while_somebody_types() {
    let state = tempfile::tempdir().unwrap();
    let Some((gateway, mut browser)) = logged_in(state.path(), &[]) else { return };
    let waiting = agent(&gateway, RISKY);
    seen(&mut browser);
    browser.press("d");
    browser.until("document.activeElement.matches('dialog input')");
    for key in ["a", "y", "d"] {
        browser.press(key);
    }
    browser.types(": use the trash");
    browser.press("Enter");
    let answer = waiting.join().unwrap().json();
    assert_eq!(answer["decision"], "deny");
    assert_eq!(answer["approval"]["reason"], "ayd: use the trash");
    browser.until("document.querySelector('.count')?.innerText === 'Nothing waits.'");

    let waiting = agent(&gateway, RISKY);
    seen(&mut browser);
    browser.press("e");
    browser.until("document.activeElement.matches('dialog textarea')");
    let click = "document.querySelector('dialog .approve').click()";
    let wrong = "document.querySelector('dialog .warning').innerText";
    for (text, words) in [
        ("{\"command\": \"curl -H 'token: ***' https://x.example\"}", "A secret is masked in it"),
        ("[]", "must be an object"),
        ("{", "This is no JSON"),
    ] {
        let text = json!(text);
        browser.value(&format!("document.querySelector('dialog textarea').value = {text}"));
        browser.value(click);
        let said = browser.value(wrong);
        assert!(said.as_str().unwrap().contains(words), "{text}: {said}");
    }
    browser.value("document.querySelector('dialog textarea').value = '{\"command\": \"ls /srv\"}'");
    browser.value(click);
    let answer = waiting.join().unwrap().json();
    assert_eq!(answer["approval"]["modified"]["arguments"]["command"], "ls /srv", "{answer}");
    assert_ne!(answer["decision"], "allow", "what was asked about stays refused");
}

#[test]
fn two_must_agree_and_whoever_is_too_late_is_told_who_was_first() {
    let state = tempfile::tempdir().unwrap();
    let options = ["--two-people", "high", "--person", "ana"];
    let Some((gateway, mut browser)) = logged_in(state.path(), &options) else { return };
    let other = gateway.person_named("ana");
    let decide = |word: &str| {
        let all = gateway.client().get("/v1/approvals?status=pending", &other).json();
        let path =
            format!("/v1/approvals/{}/decision", all["approvals"][0]["id"].as_str().unwrap());
        assert_eq!(gateway.client().post(&path, &other, &json!({ "decision": word })).status, 200);
    };
    let waiting = agent(&gateway, RISKY);
    approve(&mut browser);
    told(&mut browser, "Another person must agree too.");
    browser.until("document.querySelector('article button.approve').disabled");
    decide("approve");
    assert_eq!(waiting.join().unwrap().json()["decision"], "allow");
    browser.until("document.querySelector('.count')?.innerText === 'Nothing waits.'");

    let waiting = agent(&gateway, RISKY);
    // The word of this person is on its way while somebody else decides.
    browser.value(
        "{
            const send = window.fetch;
            const held = new Promise((resolve) => { window.release = resolve; });
            window.fetch = async (path, options) => {
                if (options?.method === 'POST') { window.isHeld = true; await held; }
                return send(path, options);
            };
        }",
    );
    approve(&mut browser);
    browser.until("window.isHeld");
    decide("deny");
    assert_eq!(waiting.join().unwrap().json()["decision"], "deny");
    browser.value("window.release()");
    told(&mut browser, "Too late: bash was decided before. Denied by ana (api).");
}

#[test]
fn the_page_says_when_it_is_cut_off_and_recovers() {
    let state = tempfile::tempdir().unwrap();
    let Some((mut gateway, mut browser)) = logged_in(state.path(), &[]) else { return };
    let address = gateway.address.to_string();
    gateway.kill();
    browser.until("document.getElementById('state').innerText.startsWith('Disconnected')");
    let again = crate::client::Gateway::with(state.path(), &["--listen", &address]);
    browser.until("document.getElementById('state').innerText === 'Live'");
    let waiting = agent(&again, RISKY);
    approve(&mut browser);
    assert_eq!(waiting.join().unwrap().json()["decision"], "allow");
}

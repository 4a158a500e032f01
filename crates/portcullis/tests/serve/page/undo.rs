//! What was kept before an action, as a person sees it on the page: looked at, brought back in part and then whole, and left where it changed.

use std::fs;

use super::{browser::Browser, logged_in, told};
use crate::kept::deleted;

/// The rows of the table on the page, each as its words.
const ROWS: &str = "[...document.querySelectorAll('main tbody tr')].map((row) => [...row.cells].slice(1).map((cell) => cell.innerText).join(' | '))";

fn open(browser: &mut Browser) {
    browser.value("location.hash = '#/undo'");
    // What was put back stands above it, as it can be taken back too.
    browser.until("document.querySelector('main tbody a.preview')");
    browser.value("[...document.querySelectorAll('main tbody a.preview')].find((link) => link.innerText.includes('rm')).click() ?? 0");
    browser.until("document.querySelector('main button.approve')");
}

#[test]
fn a_person_reads_what_was_lost_brings_back_one_file_and_then_the_rest() {
    let (state, work) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let Some((gateway, mut browser)) = logged_in(state.path(), &[]) else { return };
    let project = work.path().canonicalize().unwrap();
    // A name that would forge a line, were it shown as it is.
    let odd = "odd\u{202e}gnp\n<b>";
    fs::create_dir(project.join("src")).unwrap();
    fs::write(project.join("src").join(odd), "odd\n").unwrap();
    if !deleted(state.path(), &project) {
        return;
    }
    open(&mut browser);
    let text = browser.value("document.querySelector('main').innerText");
    let text = text.as_str().unwrap();
    for words in ["'rm' '-rf' 'src'", "Bring back what is chosen", "restored", "src/a", "src/b"] {
        assert!(text.contains(words), "{words}: {text}");
    }
    assert!(!text.contains('\u{202e}') && !text.contains("gnp\n<b>"), "{text}");
    // Only one file: the box of every other is emptied.
    browser.value(
        "[...document.querySelectorAll('main tbody input')].filter((box) => box.checked && !box.ariaLabel.endsWith('src/a')).forEach((box) => box.click()) ?? 0",
    );
    browser.value("document.querySelector('main button.approve').click() ?? 0");
    told(&mut browser, "files brought back");
    assert_eq!(fs::read_to_string(project.join("src/a")).unwrap(), "a\n");
    assert!(!project.join("src/b").exists());
    browser.until(&format!("!{ROWS}.some((row) => row.includes('src/a'))"));
    // What somebody makes there meanwhile is a conflict, and no box brings it back.
    fs::write(project.join("src/b"), "mine\n").unwrap();
    open(&mut browser);
    browser.until(&format!("{ROWS}.some((row) => row.startsWith('conflict | src/b'))"));
    let held = "[...document.querySelectorAll('main tbody tr')].find((row) => row.innerText.includes('src/b')).querySelector('input').disabled";
    assert_eq!(browser.value(held), true);
    browser.value("document.querySelector('main button.approve').click() ?? 0");
    told(&mut browser, "left as they are");
    assert_eq!(fs::read_to_string(project.join("src/b")).unwrap(), "mine\n");
    assert_eq!(fs::read_to_string(project.join("src").join(odd)).unwrap(), "odd\n");
    let records = gateway.client().get("/v1/records", &gateway.person).body;
    assert!(records.contains("\"undone\""), "{records}");
}

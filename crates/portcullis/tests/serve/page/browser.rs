//! A real Chromium, spoken to over the DevTools protocol through two pipes. Owns how it is found, started and asked; the tests say what for.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc::{self, Receiver},
};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::client::PATIENCE;

const NAMES: &[&str] = &["chromium", "chromium-browser", "google-chrome"];

/// It speaks on descriptors 3 and 4; nothing but a shell is needed to put them there.
const START: &str = r#"exec "$0" "$@" 3<&0 4>&1 0</dev/null 1>/dev/null 2>/dev/null"#;

/// A browser with one page in it.
pub(crate) struct Browser {
    process: Child,
    input: ChildStdin,
    messages: Receiver<Value>,
    session: Option<String>,
    sent: u64,
    _profile: TempDir,
}

impl Browser {
    /// One with an empty page, or none where no browser is installed, which is said.
    pub(crate) fn start() -> Option<Self> {
        let found = NAMES.iter().find(|name| {
            let mut command = Command::new(name);
            let tried = command.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
            tried.status().is_ok_and(|status| status.success())
        });
        let Some(name) = found else {
            eprintln!("no browser was tried: `apt-get install chromium` brings one");
            return None;
        };
        let profile = tempfile::tempdir().unwrap();
        let mut process = Command::new("sh")
            .args(["-c", START, name])
            .args([
                "--headless",
                // For root; the page is the test's own.
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--no-first-run",
                "--window-size=1280,900",
                "--remote-debugging-pipe",
            ])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .arg("about:blank")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let input = process.stdin.take().unwrap();
        let mut output = BufReader::new(process.stdout.take().unwrap());
        let (sender, messages) = mpsc::channel();
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            while output.read_until(0, &mut bytes).is_ok_and(|length| length > 0) {
                bytes.pop();
                let message = serde_json::from_slice(&bytes).unwrap();
                bytes.clear();
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        let session = None;
        let mut browser = Self { process, input, messages, session, sent: 0, _profile: profile };
        let target = browser.ask("Target.createTarget", &json!({ "url": "about:blank" }));
        let attach = json!({ "targetId": target["targetId"], "flatten": true });
        let attached = browser.ask("Target.attachToTarget", &attach);
        browser.session = attached["sessionId"].as_str().map(str::to_owned);
        browser.ask("Page.enable", &json!({}));
        Some(browser)
    }

    /// One command, and what came of it.
    pub(crate) fn ask(&mut self, method: &str, parameters: &Value) -> Value {
        let (result, error) = self.answer(method, parameters);
        assert_eq!(error, Value::Null, "{method} {parameters}");
        result
    }

    fn answer(&mut self, method: &str, parameters: &Value) -> (Value, Value) {
        let id = self.send(method, parameters);
        loop {
            let message = self.next(method);
            if message["id"] == id {
                return (message["result"].clone(), message["error"].clone());
            }
        }
    }

    /// Waits until an expression is true in a page that another may come after meanwhile.
    pub(crate) fn arrives(&mut self, expression: &str) {
        let begun = std::time::Instant::now();
        let parameters = json!({ "expression": expression, "returnByValue": true });
        // A page that goes answers nothing, and neither does one that is not there yet.
        while self.answer("Runtime.evaluate", &parameters).0["result"]["value"] != true {
            assert!(begun.elapsed() < PATIENCE, "never: {expression}");
            std::thread::sleep(std::time::Duration::from_millis(15));
        }
    }

    fn send(&mut self, method: &str, parameters: &Value) -> u64 {
        self.sent += 1;
        let mut message = json!({ "id": self.sent, "method": method, "params": parameters });
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        self.input.write_all(format!("{message}\0").as_bytes()).unwrap();
        self.sent
    }

    fn next(&self, what_for: &str) -> Value {
        let message = self.messages.recv_timeout(PATIENCE);
        message.unwrap_or_else(|_| panic!("the browser says nothing to {what_for}"))
    }

    /// Loads a page to its end.
    pub(crate) fn go(&mut self, address: &str) {
        self.ask("Page.navigate", &json!({ "url": "about:blank" }));
        let id = self.send("Page.navigate", &json!({ "url": address }));
        let mut is_answered = false;
        loop {
            let message = self.next(address);
            is_answered |= message["id"] == id;
            if is_answered && message["method"] == "Page.loadEventFired" {
                return;
            }
        }
    }

    /// The value of an expression in the page, once its promise is kept.
    pub(crate) fn value(&mut self, expression: &str) -> Value {
        let parameters =
            json!({ "expression": expression, "awaitPromise": true, "returnByValue": true });
        let answer = self.ask("Runtime.evaluate", &parameters);
        let thrown = &answer["exceptionDetails"];
        assert_eq!(*thrown, Value::Null, "{expression}");
        answer["result"]["value"].clone()
    }

    /// The value of an expression in the one frame that has a process of its own.
    pub(crate) fn value_in_frame(&mut self, expression: &str) -> Value {
        let targets = self.ask("Target.getTargets", &json!({ "filter": [{ "type": "iframe" }] }));
        let attach = json!({ "targetId": targets["targetInfos"][0]["targetId"], "flatten": true });
        let attached = self.ask("Target.attachToTarget", &attach);
        let inner = attached["sessionId"].as_str().map(str::to_owned);
        let page = std::mem::replace(&mut self.session, inner);
        let value = self.value(expression);
        self.session = page;
        value
    }

    /// The value of an expression once it is true.
    pub(crate) fn until(&mut self, expression: &str) -> Value {
        self.value(&format!(
            "new Promise((resolve, reject) => {{
                const begun = performance.now();
                const look = () => {{
                    const value = ({expression});
                    if (value) resolve(value);
                    else if (performance.now() - begun > 60000) reject(new Error(document.body.innerText));
                    else setTimeout(look, 15);
                }};
                look();
            }})"
        ))
    }

    /// Text as a person types it.
    pub(crate) fn types(&mut self, text: &str) {
        self.ask("Input.insertText", &json!({ "text": text }));
    }

    /// A key as a person presses it.
    pub(crate) fn press(&mut self, key: &str) {
        let text = if key == "Enter" { "\r" } else { key };
        let code = match key {
            "Enter" => 13,
            "Escape" => 27,
            key => u32::from(key.to_ascii_uppercase().as_bytes()[0]),
        };
        let mut down = json!({ "type": "keyDown", "key": key, "windowsVirtualKeyCode": code });
        if key != "Escape" {
            down["text"] = json!(text);
        }
        self.ask("Input.dispatchKeyEvent", &down);
        let up = json!({ "type": "keyUp", "key": key, "windowsVirtualKeyCode": code });
        self.ask("Input.dispatchKeyEvent", &up);
    }

    /// A screen of this width, light or dark.
    pub(crate) fn screen(&mut self, width: u32, scheme: &str) {
        self.sized(width, 900, scheme);
    }

    /// The same, and of this height.
    pub(crate) fn sized(&mut self, width: u32, height: u32, scheme: &str) {
        let metrics = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500 });
        self.ask("Emulation.setDeviceMetricsOverride", &metrics);
        let feature = json!([{ "name": "prefers-color-scheme", "value": scheme }]);
        self.ask("Emulation.setEmulatedMedia", &json!({ "features": feature }));
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

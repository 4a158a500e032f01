//! Pages in a browser, and what drives one.

use super::{Card, Doing::*};

pub(super) const CARDS: &[Card] = &[
    // https://playwright.dev/docs/api, https://pptr.dev/api, https://www.selenium.dev/documentation/webdriver
    Card {
        modules: &[
            "playwright",
            "@playwright/test",
            "playwright-core",
            "patchright",
            "puppeteer",
            "puppeteer-core",
            "puppeteer-extra",
            "pyppeteer",
            "selenium",
            "seleniumwire",
            "seleniumbase",
            "undetected_chromedriver",
            "selenium-webdriver",
            "splinter",
            "webdriverio",
            "nodriver",
            "DrissionPage",
            "helium",
            "testcafe",
            "cypress",
        ],
        habits: &["page", "driver", "browser"],
        methods: &[
            ("evaluate", Page),
            ("evaluate_handle", Page),
            ("evaluate_on_new_document", Page),
            ("eval_on_selector", Page),
            ("add_init_script", Page),
            ("add_script_tag", Page),
            ("execute_script", Page),
            ("execute_async_script", Page),
            ("execute_cdp_cmd", Page),
            ("execute", Page),
            ("wait_for_function", Page),
            ("run_js", Page),
            ("cookies", Secret),
            ("get_cookies", Secret),
            ("get_cookie", Secret),
            ("get_all_cookies", Secret),
            ("storage_state", Secret),
        ],
        otherwise: Some(Quiet),
    },
    // https://developer.chrome.com/docs/extensions/reference/api/cookies, https://developer.mozilla.org/docs/Web/API/CookieStore
    Card {
        modules: &[],
        habits: &["chrome", "cookieStore"],
        methods: &[
            ("cookies.get_all", Secret),
            ("cookies.get", Secret),
            ("cookie_store.get", Secret),
            ("cookie_store.get_all", Secret),
            ("get_all", Secret),
            ("history.delete_all", Quiet),
            ("tabs.execute_script", Page),
            ("scripting.execute_script", Page),
        ],
        otherwise: Some(Quiet),
    },
];

//! The page that people decide on, and what tells whether the gateway is well. Owns the files, which are part of the program, and their
//! policy: nothing is loaded from anywhere else, and no text of anybody's is taken for markup.

use std::sync::LazyLock;

use axum::{
    Router,
    extract::State,
    http::{StatusCode, header},
    response::{IntoResponse as _, Response},
    routing::get,
};
use data_encoding::HEXLOWER;
use sha2::{Digest as _, Sha256};

use super::{Shared, judge::json_text, problem::Problem};

/// What the page may do.
pub(super) const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
    connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; \
    trusted-types 'none'";

const HTML: &str = "text/html; charset=utf-8";

/// Every file of the page: its path, what it is, and what is in it.
const FILES: &[(&str, &str, &str)] = &[
    ("/", HTML, include_str!("index.html")),
    ("/style.css", "text/css; charset=utf-8", include_str!("style.css")),
    ("/app.js", "text/javascript; charset=utf-8", include_str!("app.js")),
    ("/api.js", "text/javascript; charset=utf-8", include_str!("api.js")),
    ("/ask.js", "text/javascript; charset=utf-8", include_str!("ask.js")),
    ("/early.js", "text/javascript; charset=utf-8", include_str!("early.js")),
    ("/entered.js", "text/javascript; charset=utf-8", include_str!("entered.js")),
    ("/chat.js", "text/javascript; charset=utf-8", include_str!("chat.js")),
    ("/chart.js", "text/javascript; charset=utf-8", include_str!("chart.js")),
    ("/history.js", "text/javascript; charset=utf-8", include_str!("history.js")),
    ("/inbox.js", "text/javascript; charset=utf-8", include_str!("inbox.js")),
    ("/people.js", "text/javascript; charset=utf-8", include_str!("people.js")),
    ("/reading.js", "text/javascript; charset=utf-8", include_str!("reading.js")),
    ("/rule.js", "text/javascript; charset=utf-8", include_str!("rule.js")),
    ("/server.js", "text/javascript; charset=utf-8", include_str!("server.js")),
    ("/sought.js", "text/javascript; charset=utf-8", include_str!("sought.js")),
    ("/talk.js", "text/javascript; charset=utf-8", include_str!("talk.js")),
    ("/undo.js", "text/javascript; charset=utf-8", include_str!("undo.js")),
    ("/view.js", "text/javascript; charset=utf-8", include_str!("view.js")),
    ("/word.js", "text/javascript; charset=utf-8", include_str!("word.js")),
    ("/icon.svg", "image/svg+xml", include_str!("icon.svg")),
];

/// A folder that is called after what is in it, so that browsers keep its files and yet never show old ones.
static FOLDER: LazyLock<String> = LazyLock::new(|| {
    let mut whole = Sha256::new();
    for (path, _, text) in FILES {
        whole.update(format!("{path} {}\n{text}", text.len()));
    }
    format!("page-{:.16}", HEXLOWER.encode(&whole.finalize()))
});

/// The page itself, which names its other files in that folder.
static INDEX: LazyLock<String> = LazyLock::new(|| {
    let of = |path: &str| FILES.iter().find(|(one, ..)| *one == path).map(|(.., text)| *text);
    FILES.iter().fold(of("/").unwrap_or_default().to_owned(), |index, (path, ..)| {
        index.replace(
            &format!("=\"{}\"", path.trim_start_matches('/')),
            &format!("=\"{}{path}\"", *FOLDER),
        )
    })
});

pub(super) fn assets() -> Router<Shared> {
    let lasting = "public, max-age=31536000, immutable";
    let page = Router::new().route("/", get(async || ([(header::CONTENT_TYPE, HTML)], &**INDEX)));
    FILES.iter().filter(|(path, ..)| *path != "/").fold(page, |router, (path, kind, text)| {
        let kept = [(header::CONTENT_TYPE, *kind), (header::CACHE_CONTROL, lasting)];
        router
            .route(path, get(async || ([(header::CONTENT_TYPE, *kind)], *text)))
            .route(&format!("/{}{path}", *FOLDER), get(async move || (kept, *text)))
    })
}

pub(super) async fn health() -> Response {
    json_text(r#"{"v":1,"status":"ok"}"#.to_owned())
}

/// Whether a decision could be recorded now.
pub(super) async fn ready(State(gateway): State<Shared>) -> Result<Response, Problem> {
    if gateway.is_closing() {
        let closing = "the gateway is shutting down";
        return Err(Problem::new(StatusCode::SERVICE_UNAVAILABLE, "closing", closing));
    }
    if !gateway.is_ready().await {
        return Err(Problem::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "unrecorded",
            "nothing can be recorded now, so nothing is let through",
        ));
    }
    Ok(json_text(r#"{"v":1,"status":"ok"}"#.to_owned()))
}

pub(super) async fn metrics(State(gateway): State<Shared>) -> Response {
    let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    ([(header::CONTENT_TYPE, kind)], gateway.telemetry.text()).into_response()
}

/// What this gateway is, for programs.
pub(super) async fn description(State(gateway): State<Shared>) -> Response {
    json_text(gateway.description.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_names_its_files_in_the_folder_of_what_is_in_them() {
        let named = INDEX.matches(&format!("=\"{}/", *FOLDER)).count();
        let whole = FILES.iter().find(|(path, ..)| *path == "/").unwrap().2;
        assert_eq!(named, whole.matches(" href=\"").count() + whole.matches(" src=\"").count() - 1);
        assert!(INDEX.contains("href=\"#main\""), "what is no file stays as it is");
        assert_eq!(FOLDER.len(), "page-0123456789abcdef".len(), "{}", *FOLDER);
    }

    #[test]
    fn every_part_of_the_page_is_fetched_at_once() {
        let (_, _, index) = FILES.iter().find(|(path, ..)| *path == "/").unwrap();
        let own_page = ["/app.js", "/entered.js"];
        for (path, ..) in FILES.iter().filter(|(path, ..)| path.ends_with(".js")) {
            let name = path.trim_start_matches('/');
            let preloaded = format!("<link rel=\"modulepreload\" href=\"{name}\">");
            assert!(own_page.contains(path) || index.contains(&preloaded), "{path}");
        }
    }
}

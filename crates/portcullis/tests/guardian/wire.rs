//! What goes over the wire, byte for byte, for each provider.

use portcullis::guardian::{KeySource, Provider, Settings};
use portcullis_core::{decision::Verdict, guardian::Ruling};

use super::{
    decide, harmless, reviewer, runtime,
    server::{Say, Server, approval},
    settings,
};

/// Without what differs from run to run: the port and the number that fences the evidence.
fn settled(request: &str, port: u16) -> String {
    let request = request.replace(&port.to_string(), "PORT").replace("\r\n", "\n");
    let mut out = String::new();
    let mut run = String::new();
    for letter in request.chars().chain(['\n']) {
        if letter.is_ascii_hexdigit() && !letter.is_ascii_uppercase() {
            run.push(letter);
            continue;
        }
        out.push_str(if run.len() == 32 { "NUMBER" } else { &run });
        run.clear();
        out.push(letter);
    }
    out
}

#[test]
fn each_provider_is_asked_in_its_own_form_and_approves_in_it() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), "sk-a-key-for-tests\n").unwrap();
    runtime().block_on(async {
        for provider in Provider::ALL {
            for structured in [false, true] {
                let server = Server::saying(Say::Bytes(approval(provider))).await;
                let url = match provider {
                    Provider::OpenAi | Provider::OpenAiResponses => server.url(),
                    Provider::Anthropic | Provider::GraySwan => server.url().replace("/v1", ""),
                };
                let settings = Settings {
                    structured,
                    key: KeySource::File(file.path().to_owned()),
                    headers: vec![("X-Team".to_owned(), "platform".to_owned())],
                    ..settings(provider, &url)
                };
                let reviewer = reviewer(settings);
                let (action, judgement) = harmless();
                let decided = decide(&reviewer, &action, &judgement).await;
                assert_eq!(decided.settled.verdict, Verdict::Allow, "{decided:?}");
                assert!(matches!(decided.ruling, Ruling::Review { .. }));
                assert_eq!(decided.particulars.attempts, 1);
                let spent = if provider == Provider::GraySwan { 0 } else { 940 };
                assert_eq!(decided.particulars.tokens.total(), spent);
                let [request] = &server.requests()[..] else { panic!("one request") };
                if provider == Provider::GraySwan && structured {
                    continue;
                }
                let form = if structured { "structured" } else { "plain" };
                insta::assert_snapshot!(
                    format!("{}_{form}", provider.name()),
                    settled(request, server.port)
                );
                // The key stands in its header and nowhere else.
                assert_eq!(request.matches("sk-a-key-for-tests").count(), 1);
                assert!(!request.contains("\"tools\""));
            }
        }
    });
}

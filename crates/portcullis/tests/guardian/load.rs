//! A thousand reviews at once.

use std::{
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use portcullis::guardian::{Provider, Settings};
use portcullis_core::{call::ToolCall, decision::Verdict, guardian::Spend};

use super::{
    decide, judged, reviewer, runtime,
    server::{Say, Server, approval},
    settings,
};

const UNLIMITED: Spend = Spend { calls: u64::MAX, tokens: u64::MAX };

/// An action that asks, and differs from every other one.
fn numbered(number: usize) -> ToolCall {
    ToolCall::shell(format!("npm install left-pad@{number}"))
}

#[test]
fn a_thousand_reviews_wait_for_their_turn_take_no_room_and_all_come_to_an_end() {
    runtime().block_on(async {
        let answer = approval(Provider::OpenAi);
        let server =
            Server::slow(Duration::from_millis(2), move |_, _| Say::Bytes(answer.clone())).await;
        let settings = Settings { spend: UNLIMITED, ..settings(Provider::OpenAi, &server.url()) };
        let reviewer = Arc::new(reviewer(settings));
        let mut reviews = tokio::task::JoinSet::new();
        for number in 0..1_000 {
            let reviewer = Arc::clone(&reviewer);
            let (action, judgement) = judged(numbered(number));
            reviews
                .spawn(async move { decide(&reviewer, &action, &judgement).await.settled.verdict });
        }
        let verdicts = reviews.join_all().await;
        assert_eq!(verdicts.len(), 1_000);
        assert!(verdicts.iter().all(|verdict| *verdict == Verdict::Allow));
        let most = server.most.load(Ordering::SeqCst);
        assert!(most <= 16, "{most} at once");
        assert_eq!(server.requests().len(), 1_000);
        assert_eq!(reviewer.free_places(), 16);
    });
}

#[test]
fn who_waits_for_a_turn_holds_no_evidence() {
    let reviewer = reviewer(settings(Provider::OpenAi, "http://127.0.0.1:9/v1"));
    let long = "x".repeat(60_000);
    let (action, judgement) = judged(ToolCall::shell(format!("npm install {long}")));
    // All that a review which waits consists of; the evidence is made when it is its turn.
    let size = size_of_val(&decide(&reviewer, &action, &judgement));
    assert!(size < 32 << 10, "{size} bytes");
}

#[test]
fn the_clock_of_a_review_starts_when_it_is_its_turn() {
    runtime().block_on(async {
        let answer = approval(Provider::OpenAi);
        let server =
            Server::slow(Duration::from_millis(50), move |_, _| Say::Bytes(answer.clone())).await;
        // Each takes a fraction of its time; all of them together take longer than that.
        let settings = Settings {
            concurrency: 1,
            timeout: Duration::from_millis(1_500),
            ..settings(Provider::OpenAi, &server.url())
        };
        let reviewer = Arc::new(reviewer(settings));
        let mut reviews = tokio::task::JoinSet::new();
        for number in 0..40 {
            let reviewer = Arc::clone(&reviewer);
            let (action, judgement) = judged(numbered(number));
            reviews
                .spawn(async move { decide(&reviewer, &action, &judgement).await.settled.verdict });
        }
        let verdicts = reviews.join_all().await;
        assert!(verdicts.iter().all(|verdict| *verdict == Verdict::Allow), "{verdicts:?}");
    });
}

#[test]
fn a_cancelled_review_gives_its_place_back() {
    runtime().block_on(async {
        let answer = approval(Provider::OpenAi);
        let server = Server::new(move |_, before| match before {
            // As many as there are places never get an answer.
            0..16 => Say::Hang(Vec::new()),
            _ => Say::Bytes(answer.clone()),
        })
        .await;
        let settings = Settings { spend: UNLIMITED, ..settings(Provider::OpenAi, &server.url()) };
        let reviewer = Arc::new(reviewer(settings));
        let review = |number: usize| {
            let reviewer = Arc::clone(&reviewer);
            let (action, judgement) = judged(numbered(number));
            tokio::spawn(async move { decide(&reviewer, &action, &judgement).await })
        };
        let stuck: Vec<_> = (0..16).map(review).collect();
        let waiting: Vec<_> = (16..116).map(review).collect();
        let last = review(116);
        while server.requests().len() < 16 {
            tokio::task::yield_now().await;
        }
        assert_eq!(reviewer.free_places(), 0);
        // Some that wait, and all that are under way.
        for review in waiting.iter().chain(&stuck) {
            review.abort();
        }
        assert_eq!(last.await.unwrap().settled.verdict, Verdict::Allow);
        for review in stuck.into_iter().chain(waiting) {
            assert!(review.await.unwrap_err().is_cancelled());
        }
        assert_eq!(reviewer.free_places(), 16);
        assert_eq!(server.requests().len(), 17);
    });
}

//! Gateways that share a database, each a process of its own, while processes are killed, connections are cut and the database is started anew.

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
    process::Command,
    sync::{
        Mutex, RwLock,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use serde_json::json;

use crate::{
    client::{Answer, Client, Gateway, call},
    cluster::{Cluster, alone, cluster},
};

/// How many requests each of two gateways is asked. A thousand take long: see the test that is left out.
const FEW: usize = 40;

fn started(state: &Path, url: &str, name: &str) -> Gateway {
    Gateway::with(state, &["--database", url, "--name", name])
}

fn verified(url: &str, options: &[&str]) -> (bool, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_portcullis"))
        .args(["audit", "verify", "--database", url])
        .args(options)
        .output()
        .unwrap();
    let text = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8(text).unwrap())
}

#[test]
fn what_is_asked_at_one_gateway_is_answered_and_waited_for_at_another() {
    let Some(cluster) = cluster() else { return };
    let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let url = cluster.database();
    let a = started(here.path(), &url, "a");
    let b = started(there.path(), &url, "b");
    let key = [("idempotency-key", "k1")];
    let body = call("rm -rf /srv/data").to_string();
    thread::scope(|scope| {
        let waits = scope.spawn(|| {
            let mut client = a.client();
            client.send("POST", "/v1/judge?wait=60", &a.agents, &key, &body).unwrap().json()
        });
        // Whoever decides sees it at the other gateway.
        let id = loop {
            let waiting = b.client().get("/v1/approvals?status=pending", &b.person).json();
            if let Some(id) = waiting["approvals"][0]["id"].as_str() {
                break id.to_owned();
            }
            thread::sleep(Duration::from_millis(20));
        };
        let word = json!({ "decision": "approve" });
        let begun = Instant::now();
        let decided = b.client().post(&format!("/v1/approvals/{id}/decision"), &b.person, &word);
        assert_eq!(decided.status, 200, "{}", decided.body);
        let answer = waits.join().unwrap();
        assert_eq!(answer["decision"], "allow", "{answer}");
        assert!(begun.elapsed() < Duration::from_secs(30), "a hint, or a look at the rows");
    });
    // It was used, here and there.
    let again = b.client().send("POST", "/v1/judge?wait=1", &a.agents, &key, &body).unwrap().json();
    assert_eq!(
        (&again["decision"], &again["approval"]["status"]),
        (&json!("deny"), &json!("approved"))
    );
    // A token that is ended here is ended there; a policy that is put in place here holds there.
    let strict = json!({ "approval_policy": "auto_deny" });
    let put = a.client().send("PUT", "/v1/policy/approval", &a.person, &[], &strict.to_string());
    assert_eq!(put.unwrap().status, 200);
    let begun = Instant::now();
    while b.client().judge(&b.agents, "rm -rf /srv/other").json()["decision"] != "deny" {
        assert!(begun.elapsed() < Duration::from_secs(30));
    }
    let (intact, text) = verified(&url, &[]);
    assert!(intact, "{text}");
    assert_eq!(
        cluster.say(&url, "SELECT string_agg(name, ',' ORDER BY name) FROM portcullis.chain"),
        "a,b"
    );
}

#[test]
fn a_database_that_is_away_lets_nothing_go_on_and_what_comes_after_it_does() {
    let Some(cluster) = cluster() else { return };
    let state = tempfile::tempdir().unwrap();
    let url = cluster.database();
    let gateway = started(state.path(), &url, "a");
    assert_eq!(gateway.client().judge(&gateway.agents, "git status").json()["decision"], "allow");
    cluster.say(&url, "ALTER TABLE portcullis.record RENAME TO away");
    let refused = gateway.client().judge(&gateway.agents, "git status");
    assert_eq!((refused.status, refused.code().as_str()), (503, "unrecorded"));
    cluster.say(&url, "ALTER TABLE portcullis.away RENAME TO record");
    assert_eq!(gateway.client().judge(&gateway.agents, "git status").json()["decision"], "allow");
}

#[test]
fn two_gateways_decide_once_use_once_and_record_all_while_everything_dies() {
    let Some(cluster) = alone() else { return };
    run(&cluster, FEW, 12);
}

#[test]
#[ignore = "takes long: two gateways with 1,000 requests each, one killed every 50 requests, the database started anew every 200"]
fn two_gateways_with_a_thousand_requests_each() {
    let Some(cluster) = alone() else { return };
    run(&cluster, 1_000, 50);
}

/// A gateway that may be another process from one moment to the next.
struct Slot {
    gateway: RwLock<Gateway>,
    state: PathBuf,
    name: &'static str,
}

impl Slot {
    fn client(&self) -> Client {
        self.gateway.read().unwrap().client()
    }
}

/// Sends something until it is answered, at one gateway and then at the other.
fn sent(
    slots: &[Slot; 2],
    first: usize,
    send: impl Fn(&mut Client) -> std::io::Result<Answer>,
) -> Answer {
    let begun = Instant::now();
    let mut at = first;
    loop {
        if let Ok(answer) = send(&mut slots[at].client())
            && answer.status < 500
        {
            return answer;
        }
        assert!(begun.elapsed() < Duration::from_secs(100), "nobody answers");
        at = 1 - at;
        thread::sleep(Duration::from_millis(10));
    }
}

#[derive(Default)]
struct Seen {
    /// Requests with the status that somebody was told.
    decided: Vec<(String, String)>,
    /// Requests that were taken up.
    claimed: Vec<String>,
    /// Commands that were allowed.
    allowed: Vec<String>,
    /// How long a judged call took.
    took: Vec<Duration>,
}

fn run(cluster: &Cluster, requests: usize, every: usize) {
    let states = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let url = cluster.database();
    let slots = [(0, "a"), (1, "b")].map(|(at, name): (usize, _)| {
        let state = states[at].path().to_owned();
        Slot { gateway: RwLock::new(started(&state, &url, name)), state, name }
    });
    let (agents, person) = {
        let gateway = slots[0].gateway.read().unwrap();
        (gateway.agents.clone(), gateway.person.clone())
    };
    let (seen, done, over) =
        (Mutex::new(Seen::default()), AtomicUsize::new(0), AtomicBool::new(false));
    let begun = Instant::now();
    thread::scope(|scope| {
        let (slots, url, agents, person, seen, done, over) =
            (&slots, &url, &agents, &person, &seen, &done, &over);
        scope.spawn(move || kill(cluster, slots, (url, every), done, over));
        let callers: Vec<_> = (0..4)
            .map(|caller| {
                scope.spawn(move || {
                    for number in 0..requests / 2 {
                        one(
                            slots,
                            caller % 2,
                            &format!("{caller}-{number}"),
                            (agents, person),
                            seen,
                        );
                        done.fetch_add(1, Ordering::Relaxed);
                    }
                })
            })
            .collect();
        let ended: Vec<_> = callers.into_iter().map(thread::ScopedJoinHandle::join).collect();
        over.store(true, Ordering::Relaxed);
        assert!(ended.iter().all(Result::is_ok));
    });
    let Seen { decided, claimed, allowed, mut took } = seen.into_inner().unwrap();
    took.sort();
    let at = |share: usize| took.get(took.len() * share / 100).copied().unwrap_or_default();
    eprintln!(
        "{} requests in {:.1?}; a judged call took {:.1?} at the median, {:.1?} at the 99th percentile, {:.1?} at most",
        requests * 2,
        begun.elapsed(),
        at(50),
        at(99),
        took.last().copied().unwrap_or_default()
    );
    let rows = cluster.say(
        &url,
        "SELECT id || ' ' || status || ' ' || (claimed IS NOT NULL) FROM portcullis.approval",
    );
    for (id, status) in &decided {
        assert!(rows.contains(&format!("{id} {status} ")), "{id} was said to be {status}");
    }
    let once: HashSet<&String> = claimed.iter().collect();
    assert_eq!(once.len(), claimed.len(), "an approval was used twice");
    for id in &claimed {
        assert!(rows.contains(&format!("{id} approved true")), "{id} was taken up");
    }
    let records =
        cluster.say(&url, "SELECT preview FROM portcullis.record WHERE decision = 'allow'");
    let records: HashSet<&str> = records.lines().collect();
    assert!(!allowed.is_empty());
    for command in &allowed {
        assert!(records.contains(command.as_str()), "{command} went on unrecorded");
    }
    // Each request has one record that decides it, and one at most that takes it up.
    let twice = "SELECT count(*) FROM (SELECT 1 FROM portcullis.record WHERE kind IN ('answer', 'outcome') AND refers_to IS NOT NULL \
        GROUP BY refers_to, kind HAVING count(*) > 1) AS counted";
    assert_eq!(cluster.say(&url, twice), "0");
    let (intact, text) = verified(&url, &[]);
    assert!(intact, "{text}");
    for slot in &slots {
        let gateway = slot.gateway.read().unwrap();
        let answer = gateway.client().get("/v1/records/verify", &person);
        assert_eq!(answer.json()["intact"], true, "{}", answer.body);
    }
}

/// Asks, decides at both gateways at once, takes up at both at once, and has something judged that is allowed.
fn one(
    slots: &[Slot; 2],
    at: usize,
    name: &str,
    (agents, person): (&str, &str),
    seen: &Mutex<Seen>,
) {
    let body = call(&format!("rm -rf /srv/data-{name}")).to_string();
    let key = [("idempotency-key", name)];
    let begun = Instant::now();
    let asked =
        sent(slots, at, |client| client.send("POST", "/v1/judge", agents, &key, &body)).json();
    let took = begun.elapsed();
    let id = asked["approval"]["id"].as_str().unwrap_or_else(|| panic!("{asked}")).to_owned();
    let path = format!("/v1/approvals/{id}/decision");
    let said: Vec<Answer> = thread::scope(|scope| {
        let words =
            [(at, "approve"), (1 - at, if name.ends_with('7') { "deny" } else { "approve" })];
        let said = words.map(|(at, word)| {
            let (path, word) = (&path, json!({ "decision": word }).to_string());
            scope.spawn(move || {
                sent(slots, at, |client| client.send("POST", path, person, &[], &word))
            })
        });
        said.into_iter().map(|said| said.join().unwrap()).collect()
    });
    let status: HashSet<String> = said
        .iter()
        .filter_map(|answer| Some(answer.json()["status"].as_str()?.to_owned()))
        .collect();
    let action = asked["action"].as_str().unwrap().to_owned();
    let shown = sent(slots, at, |client| {
        client.send("GET", &format!("/v1/approvals/{id}"), person, &[], "")
    });
    let stands = shown.json()["status"].as_str().unwrap().to_owned();
    assert!(status.iter().all(|status| *status == stands), "{status:?} and {stands}");
    let path = format!("/v1/approvals/{id}/claim");
    let claims: usize = thread::scope(|scope| {
        let claims = [at, 1 - at].map(|at| {
            let (path, action) = (&path, json!({ "action": action }).to_string());
            // Whoever gets no answer asks again, and is told that it was used where it was.
            scope.spawn(move || {
                sent(slots, at, |client| client.send("POST", path, agents, &[], &action))
            })
        });
        claims.into_iter().map(|claim| usize::from(claim.join().unwrap().status == 200)).sum()
    });
    assert!(claims <= 1, "{claims} of two used one approval");
    let command = format!("ls /tmp/{name}");
    let judged = sent(slots, 1 - at, |client| {
        client.send("POST", "/v1/judge", agents, &[], &call(&command).to_string())
    });
    let mut seen = seen.lock().unwrap();
    seen.took.push(took);
    seen.decided.push((id.clone(), stands));
    if claims == 1 {
        seen.claimed.push(id);
    }
    if judged.json()["decision"] == json!("allow") {
        seen.allowed.push(command);
    }
}

/// Kills a gateway each `every` requests and starts it anew, ends connections in between, and starts the database anew each fourth time.
fn kill(
    cluster: &Cluster,
    slots: &[Slot; 2],
    (url, every): (&str, usize),
    done: &AtomicUsize,
    over: &AtomicBool,
) {
    let mut round = 0;
    while !over.load(Ordering::Relaxed) {
        if done.load(Ordering::Relaxed) < (round + 1) * every {
            thread::sleep(Duration::from_millis(2));
            continue;
        }
        round += 1;
        let slot = &slots[round % 2];
        let mut gateway = slot.gateway.write().unwrap();
        gateway.kill();
        *gateway = started(&slot.state, url, slot.name);
        drop(gateway);
        if round.is_multiple_of(4) {
            cluster.restart();
        } else {
            cluster.say(
                url,
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'portcullis' AND query <> 'LISTEN portcullis'",
            );
        }
    }
}

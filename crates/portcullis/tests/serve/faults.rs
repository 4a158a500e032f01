//! What breaks: the process under load, the disk, the clock, the database.

use std::{
    fs,
    path::Path,
    process::Command,
    sync::{
        Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::client::{Gateway, call};

/// How often the gateway is killed. A hundred times take long: `PORTCULLIS_KILLS=100`.
fn kills() -> u32 {
    std::env::var("PORTCULLIS_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(12)
}

fn records(gateway: &Gateway) -> Vec<Value> {
    let export = gateway.client().get("/v1/records/export", &gateway.person);
    export.body.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn verify(state: &Path) {
    let verified = Command::new(env!("CARGO_BIN_EXE_portcullis"))
        .args(["audit", "verify"])
        .env("PORTCULLIS_STATE_DIR", state)
        .env("HOME", state)
        .output()
        .unwrap();
    assert!(verified.status.success(), "{}", String::from_utf8_lossy(&verified.stdout));
}

#[test]
fn what_was_acknowledged_before_a_kill_is_in_the_record_and_nothing_is_approved_without_one() {
    let state = tempfile::tempdir().unwrap();
    let acknowledged: Mutex<Vec<(String, String)>> = Mutex::default();
    let judged = Mutex::new(0_usize);
    for round in 0..kills() {
        let mut gateway = Gateway::start(state.path());
        let stop = AtomicBool::new(false);
        let (address, agents, person) =
            (gateway.client(), gateway.agents.clone(), gateway.person.clone());
        drop(address);
        thread::scope(|scope| {
            for _ in 0..4 {
                let mut client = gateway.client();
                let (agents, person, stop, acknowledged, judged) =
                    (&agents, &person, &stop, &acknowledged, &judged);
                scope.spawn(move || {
                    while !stop.load(Ordering::Relaxed) {
                        let body = call("rm -rf /srv/data").to_string();
                        let Ok(asked) = client.send("POST", "/v1/judge", agents, &[], &body) else {
                            return;
                        };
                        *judged.lock().unwrap() += 1;
                        let Some(id) = asked.json()["approval"]["id"].as_str().map(str::to_owned)
                        else {
                            return;
                        };
                        let word = json!({ "decision": "approve" }).to_string();
                        let path = format!("/v1/approvals/{id}/decision");
                        let Ok(answer) = client.send("POST", &path, person, &[], &word) else {
                            return;
                        };
                        if answer.status == 200 {
                            let status = answer.json()["status"].as_str().unwrap().to_owned();
                            acknowledged.lock().unwrap().push((id, status));
                        }
                    }
                });
            }
            // At another moment each time, but not before something was decided in this round, or there is no load.
            let before = acknowledged.lock().unwrap().len();
            let patience = Instant::now() + Duration::from_secs(60);
            while acknowledged.lock().unwrap().len() < before + 2 && Instant::now() < patience {
                thread::sleep(Duration::from_millis(10));
            }
            thread::sleep(Duration::from_millis(100 + u64::from(round % 7) * 23));
            gateway.kill();
            stop.store(true, Ordering::Relaxed);
        });
    }
    verify(state.path());
    let gateway = Gateway::start(state.path());
    let records = records(&gateway);
    let asks = records.iter().filter(|record| record["decision"] == "ask").count();
    assert!(asks >= *judged.lock().unwrap(), "every answer was recorded before it was given");
    let acknowledged = acknowledged.into_inner().unwrap();
    assert!(acknowledged.len() > 10, "there was load: {}", acknowledged.len());
    let mut client = gateway.client();
    for (id, status) in &acknowledged {
        let stored = client.get(&format!("/v1/approvals/{id}"), &gateway.person).json();
        assert_eq!(stored["status"], *status, "{id}");
        let answered = records.iter().any(|record| {
            record["kind"] == "answer"
                && record["refers_to"] == stored["record"]
                && record["outcome"] == *status
        });
        assert!(answered, "{id} has no record");
    }
    let approved = records.iter().filter(|record| record["outcome"] == "approved").count();
    let mut stored = 0;
    let mut before = String::new();
    loop {
        let page = client
            .get(&format!("/v1/approvals?status=approved&limit=500{before}"), &gateway.person)
            .json();
        stored += page["approvals"].as_array().unwrap().len();
        match page["before"].as_u64() {
            Some(next) => before = format!("&before={next}"),
            None => break,
        }
    }
    assert_eq!(approved, stored, "each approval has its record, and each record its approval");
}

#[test]
fn a_request_outlives_the_gateway_that_took_it() {
    let state = tempfile::tempdir().unwrap();
    let mut gateway = Gateway::start(state.path());
    let asked = gateway.client().judge(&gateway.agents, "rm -rf /srv/data").json();
    let id = asked["approval"]["id"].as_str().unwrap().to_owned();
    gateway.kill();
    let gateway = Gateway::start(state.path());
    let path = format!("/v1/approvals/{id}");
    let word = json!({ "decision": "approve" });
    let approved = gateway.client().post(&format!("{path}/decision"), &gateway.person, &word);
    assert_eq!(approved.json()["status"], "approved");
    let claim = json!({ "action": asked["action"] });
    let mut agent = gateway.client();
    assert_eq!(agent.post(&format!("{path}/claim"), &gateway.agents, &claim).status, 200);
    let again = agent.post(&format!("{path}/claim"), &gateway.agents, &claim);
    assert_eq!((again.status, again.code().as_str()), (409, "not-to-be-claimed"));
}

#[test]
fn a_database_that_is_held_or_broken_lets_nothing_through() {
    let state = tempfile::tempdir().unwrap();
    let gateway = Gateway::start(state.path());
    assert_eq!(gateway.client().judge(&gateway.agents, "ls").status, 200);
    let path = state.path().join("audit.db");
    // Overwritten in the middle, as by a disk that fails; the first page keeps what makes it a database.
    let mut bytes = fs::read(&path).unwrap();
    let length = bytes.len();
    for byte in bytes.iter_mut().skip(4_096) {
        *byte = 0x5a;
    }
    fs::write(&path, &bytes).unwrap();
    assert!(length > 8_192);
    drop(gateway);
    let mut process = Command::new(env!("CARGO_BIN_EXE_portcullis"))
        .args(["serve", "--listen", "127.0.0.1:0", "--json", "--state"])
        .arg(state.path())
        .env("HOME", state.path())
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let code = process.wait().unwrap().code();
    assert_eq!(code, Some(65), "it does not start on a record that is damaged");
}

/// What the gateway says of itself, once it says it with this status.
#[cfg(target_os = "linux")]
fn until_ready(client: &mut crate::client::Client, status: u16) -> crate::client::Answer {
    for _ in 0..120 {
        let answer = client.get("/readyz", "");
        if answer.status == status {
            return answer;
        }
        thread::sleep(Duration::from_millis(500));
    }
    panic!("it never became {status}");
}

/// A file system of 1500 KiB, where this user may make one.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_refuses_and_recovers() {
    let place = tempfile::tempdir().unwrap();
    let mounted = Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=1500k,mode=0700", "tmpfs"])
        .arg(place.path())
        .output();
    if !mounted.is_ok_and(|mounted| mounted.status.success()) {
        eprintln!("skipped: only root can mount a small file system here");
        return;
    }
    let unmount = || Command::new("umount").arg("-l").arg(place.path()).status();
    let result = std::panic::catch_unwind(|| {
        let state = place.path().join("state");
        let gateway = Gateway::start(&state);
        let mut client = gateway.client();
        let filler = place.path().join("filler");
        fs::write(&filler, vec![0; 400 << 10]).unwrap();
        let mut acknowledged = 0;
        let refused = (0..20_000).find_map(|_| {
            let answer = client.judge(&gateway.agents, "rm -rf /srv/data");
            acknowledged += usize::from(answer.status == 200);
            (answer.status != 200).then_some(answer)
        });
        let refused = refused.unwrap();
        // A little room is none for a request, and nobody is told otherwise.
        let little = fs::metadata(&filler).unwrap().len() - (16 << 10);
        fs::OpenOptions::new().write(true).open(&filler).unwrap().set_len(little).unwrap();
        assert_eq!(until_ready(&mut client, 503).code(), "unrecorded");
        assert_eq!((refused.status, refused.code().as_str()), (503, "unrecorded"));
        assert_eq!(until_ready(&mut client, 503).code(), "unrecorded");
        fs::remove_file(&filler).unwrap();
        until_ready(&mut client, 200);
        let recovered = client.judge(&gateway.agents, "ls");
        assert_eq!(recovered.status, 200, "{}", recovered.body);
        let asked = records(&gateway).iter().filter(|one| one["decision"] == "ask").count();
        assert_eq!(asked, acknowledged, "what was refused is in no record, what was not is");
        let verified = client.get("/v1/records/verify", &gateway.person).json();
        assert_eq!(verified["intact"], true, "{verified}");
    });
    unmount().unwrap();
    result.unwrap();
}

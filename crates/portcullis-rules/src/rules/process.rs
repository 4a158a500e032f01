//! Rules on processes: what starts them without end, stops them, or takes one over, by a debugger or by its keys. What a stopped service means for the system is
//! said in `system`.

use super::{
    Rule, Scene, Shelf, When,
    effects::{at, run, words},
};
use crate::{
    effect::{Effect, EffectKind, Kinds, Run, WriteMode},
    finding::Category,
    risk::Severity,
    text::{Piece, Text},
};

pub(super) static SHELF: Shelf = Shelf { programs: &["killall", "pkill"], rules: RULES };

/// What rules on the running system have in common.
pub(super) const RUNNING: Rule = Rule {
    category: Category::System,
    severity: Severity::High,
    reversible: true,
    remedy: "let a person who looks after the machine do this",
    ..Rule::LOSS
};

static RULES: &[Rule] = &[
    Rule {
        id: "system.process.fork-bomb",
        severity: Severity::Critical,
        message: "processes would multiply until nothing else can run",
        remedy: "call the function once, in the foreground",
        reversible: false,
        when: When::Noted,
        fires: &[
            ":(){ :|:& };:",
            "bomb() { bomb | bomb & }; bomb",
            "while true; do bash & done",
            "while :; do yes > /dev/null & done",
            "while /bin/true; do ./poll & done",
            "until /usr/bin/false; do ./poll & done",
            "while true; do ./poll & if false; then wait; fi; done",
            "while true; do ./poll & (wait); done",
            "while true; do ./poll & false && wait; done",
            "while true; do (./poll &); wait; done",
            "yes | while read x; do ./poll & done",
        ],
        quiet: &[
            "f() { ls | wc -l; }; f",
            "rg 'fork bomb' docs",
            "while true; do date; sleep 5; done",
            "while true; do ./poll & wait; done",
            "while true; do ./poll & true && wait; done",
            "while true; do ./poll & if test -f x; then break; fi; done",
            "while true; do (./poll & wait); done",
            "while read x; do ./poll & done < list.txt",
            "for ((i=0; i<3; i++)); do ./poll & done",
            "until false; do ./poll; done",
            "for f in *.txt; do gzip \"$f\" & done; wait",
        ],
        ..RUNNING
    },
    Rule {
        id: "system.process.flood",
        severity: Severity::Critical,
        message: "processes would be started side by side for a list that never ends",
        remedy: "say how many: `xargs -P 4`, `seq 10`",
        reversible: false,
        when: When::Effect(Kinds::RUN, |effect, scene| {
            floods(effect, scene).then(|| at(Severity::Critical))
        }),
        fires: &[
            "yes | xargs -P0 -n1 sleep",
            "yes '' | xargs -P 0 -I{} ./work",
            "seq inf | parallel -j0 sleep",
        ],
        quiet: &[
            "seq 10 | xargs -P0 -n1 sleep",
            "yes | apt-get install jq",
            "ls | xargs -P0 -n1 gzip",
        ],
        ..RUNNING
    },
    Rule {
        id: "system.process.kill-all",
        severity: Severity::Critical,
        message: "every process would be stopped",
        remedy: "name the one process: `kill PID`",
        reversible: false,
        when: When::Effect(Kinds::KILL, |effect, scene| match &effect.kind {
            EffectKind::Kill { everything: true, .. } => Some(at(Severity::Critical)),
            EffectKind::Kill { target, .. }
                if target.has_unknown() && is_every_one(target, scene) =>
            {
                Some(at(Severity::Critical))
            }
            EffectKind::Kill { target, .. } if target.as_known().is_some_and(is_first) => {
                Some(at(Severity::Critical))
            }
            _ => None,
        }),
        fires: &[
            "kill -9 -1",
            "kill -KILL -1",
            "kill -s 9 -- -1",
            "killall5",
            "pkill -9 -u root",
            "kill -9 1",
            "pkill -f .",
            "killall -u dev",
            "pkill systemd",
            "pkill -STOP systemd",
            "pwsh -c 'Get-Process | Where-Object { $_.Name -ne \"node\" } | Stop-Process'",
            "pgrep -u root | xargs kill -9",
            "ls /proc | grep -E '^[0-9]+$' | xargs kill -9",
        ],
        quiet: &[
            "kill %1",
            "kill -1 1234",
            "kill -l",
            "pkill node",
            "kill -9 $PID",
            "pwsh -c 'Get-Process | Where-Object { $_.ProcessName -eq \"node\" } | Stop-Process'",
            "pwsh -c 'Get-Process | ? Name -like \"node*\" | Stop-Process'",
        ],
        ..RUNNING
    },
    Rule {
        id: "system.process.kill-guard",
        category: Category::Evasion,
        message: "a program that watches or guards this machine would be stopped",
        when: When::Effect(Kinds::KILL, |effect, scene| match &effect.kind {
            EffectKind::Kill { target, .. } => {
                let named = match target.as_known() {
                    Some(name) => is_guard(name) || is_guarded_port(name),
                    None => is_guard_looked_for(target, effect, scene),
                };
                named.then(|| at(Severity::High))
            }
            _ => None,
        }),
        fires: &[
            "kill -9 $(pgrep sshd)",
            "killall dbus-daemon",
            "pkill auditd",
            "killall rsyslogd",
            "pkill -f falcon-sensor",
            "killall sshd",
            "ps aux | grep '[s]shd' | awk '{print $2}' | while read p; do kill -KILL $p; done",
            "for d in /proc/[0-9]*; do if grep -q sshd $d/comm; then kill -9 ${d#/proc/}; fi; done",
            "kill -9 $(ps -C sshd -o pid=)",
            "lsof -ti :22 | xargs kill -9",
            "fuser -k 22/tcp",
            "for p in $(pgrep -x systemd-logind); do kill -9 $p; done",
            "perl -e 'kill 9, split /\\n/, `pgrep sshd`'",
        ],
        quiet: &[
            "pkill node",
            "pgrep auditd",
            "kill -9 $(pgrep node)",
            "lsof -ti :2222 | xargs kill -9",
            "fuser -k 8080/tcp",
            "systemctl status sshd; kill $(cat server.pid)",
            "for p in $(pgrep -f 'vite --port 5173'); do kill $p; done",
        ],
        ..RUNNING
    },
    Rule {
        id: "system.process.kill",
        category: Category::Change,
        severity: Severity::Medium,
        message: "a process would be stopped",
        remedy: "see first what it is: `ps -p PID`",
        when: When::Effect(Kinds::KILL, |effect, _| {
            matches!(&effect.kind, EffectKind::Kill { .. }).then(|| at(Severity::Medium))
        }),
        fires: &["kill %1", "pkill vite", "kill -9 1234", "killall webpack"],
        quiet: &["kill -l", "pgrep node"],
        ..RUNNING
    },
    Rule {
        id: "system.process.runtime",
        message: "every program of a language would be stopped: editors' servers and other people's work, and the agent itself where it is one",
        remedy: "stop the one that is meant: `kill PID`, `pkill -f 'node server.js'`",
        when: When::Command(&[
            "killall|pkill … node|nodejs|python|python3|java|ruby|php|bun|deno|dotnet",
        ]),
        fires: &["killall -9 node", "pkill python3", "pkill -9 -f node"],
        quiet: &["pkill -f 'node server.js'", "killall webpack", "pgrep node"],
        ..RUNNING
    },
    Rule {
        id: "system.process.runtime.found",
        message: "every program of a language would be stopped, as a list of the processes has them: editors' servers and other people's work, and the agent itself where it is one",
        remedy: "stop the one that is meant: `kill PID`, `pkill -f 'node server.js'`",
        when: When::Effect(Kinds::KILL, |effect, scene| {
            let EffectKind::Kill { target, .. } = &effect.kind else { return None };
            let is_unknown = target.as_known().is_none();
            (is_unknown && is_runtime_looked_for(target, scene)).then(|| at(Severity::High))
        }),
        fires: &[
            "kill -9 $(pgrep node)",
            "kill $(pgrep -x python3)",
            "kill $(ps -eo pid,comm | awk '/node|postgres/ {print $1}')",
            "ps aux | grep '[p]ython3' | awk '{print $2}' | xargs kill",
            "kill $(pidof java)",
        ],
        quiet: &[
            "kill $(pgrep -f 'node server.js')",
            "kill $(pgrep vite)",
            "kill $(lsof -ti :3000)",
            "kill $(pgrep -P $$ node)",
            "pgrep node",
            "kill $(ps aux | grep 'node server.js' | awk '{print $2}')",
        ],
        ..RUNNING
    },
    Rule {
        id: "system.input.typed",
        message: "keys would be pressed in other programs, as if the person did it",
        remedy: "let the person press them, or use what the program offers to scripts",
        reversible: false,
        when: When::Effect(Kinds::RUN, |effect, _| types(effect).then(|| at(Severity::High))),
        fires: &[
            "osascript -e 'tell application \"System Events\" to keystroke \"y\"'",
            "osascript -e 'tell app \"System Events\"' -e 'key code 36' -e 'end tell'",
            "echo 'tell app id \"com.apple.systemevents\" to keystroke return' | osascript",
        ],
        quiet: &[
            "osascript -e 'display notification \"done\"'",
            "osascript -e 'tell app \"System Events\" to get name of every process'",
        ],
        ..RUNNING
    },
    Rule {
        id: "system.process.inject",
        category: Category::Execution,
        message: "a debugger would make a running program do something else",
        remedy: "debug a program of the project that you started: `gdb ./app`",
        reversible: false,
        when: When::Effect(Kinds::RUN, |effect, _| injects(effect).then(|| at(Severity::High))),
        fires: &[
            "gdb -p 1 -batch -ex 'call (int)system(\"id\")'",
            "gdb --pid=4242 -ex 'print setuid(0)'",
            "gdb -batch -ex 'attach 77' -ex 'call (void)exit(0)'",
            "lldb -p 812 -o 'expr (int)unlink(\"/srv/a\")'",
            "gdb -p1 -batch -ex='call setuid(0)'",
            "gdb /usr/sbin/sshd 911 -batch --eval-command='set var permit = 1'",
            "printf 'attach 77\\ncall dlopen(\"/tmp/a.so\", 2)\\n' | gdb -q",
        ],
        quiet: &[
            "gdb -p 4242 -batch -ex 'thread apply all bt'",
            "gdb ./app -ex 'print total(3)'",
            "lldb -p 812 -o 'bt all'",
            "gdb -p 4242 -batch -ex 'set pagination off' -ex 'info threads'",
            "gdb -p 4242 -batch -ex 'print state == 3'",
        ],
        ..RUNNING
    },
];

/// Services and programs whose absence somebody would want.
const GUARDS: &[&str] = &[
    "auditd",
    "rsyslog",
    "syslog",
    "journald",
    "firewalld",
    "ufw",
    "iptables",
    "nftables",
    "apparmor",
    "selinux",
    "fail2ban",
    "clamav",
    "clamd",
    "freshclam",
    "falco",
    "falcon",
    "crowdstrike",
    "sentinel",
    "osquery",
    "wazuh",
    "ossec",
    "tripwire",
    "aide",
    "samhain",
    "rkhunter",
    "cbagent",
    "carbonblack",
    "cylance",
    "mdatp",
    "sophos",
    "tanium",
    "qualys",
    "elastic-agent",
    "auditbeat",
    "filebeat",
    "datadog-agent",
    "splunk",
    "snort",
    "suricata",
    "zeek",
    "WinDefend",
    "windefend",
    "Defender",
    "sysmon",
    "amazon-ssm",
    "sshd",
    "usbguard",
    "psad",
    "denyhosts",
    "crond",
    "chronyd",
    "dbus-daemon",
    "dbus-broker",
    "systemd-",
    "NetworkManager",
    "WindowServer",
    "loginwindow",
];

/// Whether what listens there lets people in from afar: `22/tcp`, `:22`, `sport = :22`.
fn is_guarded_port(word: &str) -> bool {
    matches!(word, "22/tcp" | "ssh/tcp" | ":ssh")
        || word.match_indices(":22").any(|(at, port)| {
            let behind = word.get(at + port.len()..).unwrap_or("");
            !behind.starts_with(|letter: char| letter.is_ascii_digit())
        })
}

/// Whether a number that nobody knows yet was found by looking for a guard: in the words of what found it, or in what a loop
/// compares each process with.
fn is_guard_looked_for(target: &Text, effect: &Effect, scene: &Scene<'_>) -> bool {
    /// How processes are looked for.
    const LOOKING: &[&str] = &["pgrep", "pidof", "ps ", "psutil", "/proc/", "/proc\"", "/proc'"];
    let plain = |word: &str| word.replace(['[', ']'], "");
    let origins = scene.origins(target);
    let by_words = origins.iter().copied().filter_map(run).any(|run| {
        !prints_own_number(run, effect, scene)
            && words(run).any(|word| {
                is_guard(&plain(word))
                    || matches!(run.program.as_str(), "lsof" | "ss" | "netstat")
                        && is_guarded_port(word)
            })
    });
    let is_noted_down = || {
        origins.iter().any(|origin| match &origin.kind {
            EffectKind::Read(file) => !file.text.known_prefix().starts_with("/proc"),
            _ => false,
        })
    };
    let by_comparing = || {
        let text = scene.effects.layer_text(effect.at.layer);
        LOOKING.iter().any(|way| text.contains(way)) && is_guard(&plain(text))
    };
    by_words || !is_noted_down() && by_comparing()
}

/// Whether a number that nobody knows yet was found by looking for the programs of a language, and for nothing closer.
fn is_runtime_looked_for(target: &Text, scene: &Scene<'_>) -> bool {
    const RUNTIMES: &[&str] =
        &["bun", "deno", "dotnet", "java", "node", "nodejs", "php", "python", "python3", "ruby"];
    // Whose children, which terminal, which port: that is closer.
    const CLOSER: &[&str] = &["-P", "--parent", "-t", "--terminal", "-g", "--pgroup", "-s"];
    let origins = scene.origins(target);
    let mut runs = origins.iter().copied().filter_map(run);
    // Each of what a pattern lets through is a program: `node|postgres`, `[n]ode`, `^python3$`.
    let is_runtime = |pattern: &str| {
        let plain = pattern.replace(['[', ']', '^', '$', '\\', '(', ')'], "");
        let mut words = plain.split('|').peekable();
        let is_word = |word: &str| {
            word.chars().all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '.'))
        };
        words.clone().all(is_word) && words.any(|word| RUNTIMES.contains(&word))
    };
    let choosing = |run: &Run| match run.program.as_str() {
        "pgrep" | "pidof" => {
            let mut operands = words(run).filter(|word| !word.starts_with('-'));
            let is_closer = words(run).any(|word| CLOSER.contains(&word));
            !is_closer && operands.next().is_some_and(is_runtime) && operands.next().is_none()
        }
        "grep" | "egrep" => words(run).find(|word| !word.starts_with('-')).is_some_and(is_runtime),
        "awk" | "gawk" | "mawk" => {
            let code = words(run).find(|word| !word.starts_with('-')).unwrap_or_default();
            let pattern = code.trim_start().strip_prefix('/').and_then(|it| it.split_once('/'));
            pattern.is_some_and(|(pattern, _)| is_runtime(pattern))
        }
        _ => false,
    };
    let is_listed = |run: &Run| {
        matches!(run.program.as_str(), "pgrep" | "pidof" | "ps")
            && !words(run).any(|word| CLOSER.contains(&word) || word == "--ppid" || word == "-p")
    };
    let is_chosen_closer = |run: &Run| {
        matches!(run.program.as_str(), "grep" | "egrep")
            && !words(run).any(|word| word.starts_with("-v") || word == "--invert-match")
            && !words(run).find(|word| !word.starts_with('-')).is_some_and(is_runtime)
    };
    let lists = runs.clone().any(is_listed);
    lists && !runs.clone().any(is_chosen_closer) && runs.any(choosing)
}

/// `echo $! > auditd.pid` … `kill "$(cat auditd.pid)"`: the number of a program that this very text started. What stands in the file came
/// from nowhere else, and no other writes to it.
fn prints_own_number(run: &Run, kill: &Effect, scene: &Scene<'_>) -> bool {
    let [file] = run.arguments.as_slice() else { return false };
    let earlier = scene.effects.list.iter().take_while(|other| !std::ptr::eq(*other, kill));
    let mut writes = earlier
        .filter_map(|other| match &other.kind {
            EffectKind::Write { target, content, mode, .. }
                if target.text.pieces == file.text.pieces =>
            {
                Some((content, *mode == WriteMode::Replace))
            }
            _ => None,
        })
        .peekable();
    let is_last_started =
        |piece: &Piece| matches!(piece, Piece::Unknown(origin) if &**origin == "!");
    let is_own = |(content, replaces): (&Text, bool)| {
        replaces
            && content.pieces.iter().any(is_last_started)
            && content.pieces.iter().all(|piece| match piece {
                Piece::Known(known) => known.trim().is_empty(),
                piece => is_last_started(piece),
            })
    };
    run.program == "cat" && writes.peek().is_some() && writes.all(is_own)
}

/// Whether a process or a service of that name watches or guards the machine.
pub(super) fn is_guard(name: &str) -> bool {
    GUARDS.iter().any(|guard| name.contains(guard))
}

fn is_first(target: &str) -> bool {
    matches!(
        target,
        "1" | "systemd"
            | "init"
            | "launchd"
            | "-u"
            | "kthreadd"
            | "explorer.exe"
            | "csrss.exe"
            | "wininit.exe"
            | "lsass.exe"
    )
}

/// Whether a text lists every process: it comes from `ps` asked for all of them, and nothing on its way chose among them.
fn is_every_one(target: &Text, scene: &Scene<'_>) -> bool {
    const KEEPS_ALL: &[&str] =
        &["column", "cut", "id", "logname", "sort", "sudo", "tac", "tr", "uniq", "whoami", "xargs"];
    let mut lists = false;
    for effect in scene.origins(target) {
        let Some(run) = run(effect) else { return false };
        let all = match run.program.as_str() {
            "ps" => {
                let is_of_all = words(run).any(|word| {
                    let letters = word.trim_start_matches('-');
                    !word.starts_with("--")
                        && (letters.contains('x')
                            || word.starts_with('-') && letters.contains(['e', 'A']))
                });
                // All of a person's are the whole session.
                let is_of_one = words(run).any(|word| matches!(word, "-u" | "-U"));
                lists = (is_of_all || is_of_one)
                    && !words(run).any(|word| matches!(word, "-C" | "-p" | "--ppid"));
                lists
            }
            "pgrep" => {
                lists = words(run).any(|word| matches!(word, "." | ".*" | "" | "^"))
                    || words(run).any(|word| matches!(word, "-u" | "-U" | "--euid" | "--uid"))
                        && words(run).filter(|word| !word.starts_with('-')).count() == 1;
                lists
            }
            "ls" => {
                lists = words(run).any(|word| word.trim_end_matches('/') == "/proc");
                lists
            }
            // Numbers of more processes than anybody started.
            "seq" => {
                let ends = words(run).last().and_then(|last| last.parse::<u64>().ok());
                lists = ends.is_none_or(|last| last > 1_000);
                lists
            }
            "grep" | "egrep" => words(run)
                .find(|word| !word.starts_with('-'))
                .is_some_and(|pattern| !pattern.contains(|letter: char| letter.is_alphabetic())),
            "awk" | "gawk" | "mawk" => words(run)
                .find(|word| !word.starts_with('-'))
                .is_some_and(|code| code.trim_start().starts_with('{') && !code.contains("if")),
            program => KEEPS_ALL.contains(&program),
        };
        if !all {
            return false;
        }
    }
    lists
}

/// Whether as many processes as there are lines are started at once, and the lines never end.
fn floods(effect: &Effect, scene: &Scene<'_>) -> bool {
    let Some(run) = run(effect).filter(|run| matches!(run.program.as_str(), "parallel" | "xargs"))
    else {
        return false;
    };
    let words_of = |run: &Run| -> Vec<String> { words(run).map(str::to_owned).collect() };
    let own = words_of(run);
    let at_once = own.iter().zip(own.iter().skip(1)).any(|(option, value)| {
        value == "0" && matches!(option.as_str(), "-P" | "--max-procs" | "-j" | "--jobs")
    }) || own
        .iter()
        .any(|word| matches!(word.as_str(), "-P0" | "--max-procs=0" | "-j0" | "--jobs=0"));
    let endless = |origin: &Effect| {
        super::effects::run(origin).is_some_and(|run| match run.program.as_str() {
            "yes" => true,
            "seq" => words(run).any(|word| matches!(word, "inf" | "infinity")),
            _ => false,
        })
    };
    at_once && run.input.as_ref().is_some_and(|input| scene.origins(input).into_iter().any(endless))
}

/// What a program is told: by its arguments, and by the lines that arrive.
pub(super) fn told(run: &Run) -> impl Iterator<Item = &str> {
    let arrives =
        run.input.iter().flat_map(|input| &input.pieces).filter_map(|piece| match piece {
            Piece::Known(text) => Some(text.as_str()),
            _ => None,
        });
    words(run).chain(arrives.flat_map(str::lines))
}

/// Whether a script of the desktop presses keys or buttons.
fn types(effect: &Effect) -> bool {
    run(effect).filter(|run| run.program == "osascript").is_some_and(|run| {
        let says = |part: &str| told(run).any(|line| line.to_ascii_lowercase().contains(part));
        (says("system events") || says("systemevents"))
            && ["keystroke", "key code", "click "].iter().any(|act| says(act))
    })
}

/// Whether a debugger calls a function inside of a process that runs already.
fn injects(effect: &Effect) -> bool {
    let Some(run) = run(effect).filter(|run| matches!(run.program.as_str(), "gdb" | "lldb")) else {
        return false;
    };
    let is_number = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    let attaches = told(run).map(str::trim_start).any(|word| {
        matches!(word, "-p" | "--pid" | "--attach-pid" | "-pid")
            || ["--pid=", "-pid=", "attach ", "at ", "process attach"]
                .iter()
                .any(|start| word.starts_with(start))
            || word.strip_prefix("-p").is_some_and(is_number)
    });
    // The second operand of gdb is a core file or a process.
    let names_process = run.program == "gdb"
        && words(run)
            .zip(words(run).skip(1))
            .any(|(before, word)| !before.starts_with('-') && is_number(word));
    (attaches || names_process) && told(run).any(changes)
}

/// Whether something is given a value, which a comparison does not.
fn assigns(code: &str) -> bool {
    let plain =
        ["==", "!=", "<=", ">="].iter().fold(code.to_owned(), |code, sign| code.replace(sign, " "));
    plain.contains('=')
}

/// Whether a debugger's command makes the program do or hold something else.
fn changes(line: &str) -> bool {
    let told = line.trim_start();
    let told = match told.strip_prefix('-').map(|option| option.trim_start_matches('-')) {
        Some(option) => option.split_once('=').map_or("", |(_, command)| command),
        None => told,
    };
    let (command, code) = told.split_once([' ', '/']).unwrap_or((told, ""));
    match command {
        "call" | "compile" | "expr" | "expression" | "inspect" | "output" | "p" | "print"
        | "printf" => code.contains('(') || assigns(code),
        "jump" => true,
        "set" => {
            let code = code.trim_start();
            code.starts_with("var") || code.starts_with(['{', '*', '$', '('])
        }
        "memory" | "register" => code.trim_start().starts_with("write"),
        _ => false,
    }
}

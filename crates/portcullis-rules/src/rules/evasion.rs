//! Rules on traces and guards: shell history, logs, audit, clocks on files, hooks, checks of certificates. Owns nothing
//! about the gate itself.

use super::{
    Hit, Rule, Shelf, When,
    effects::{about, at, deleted, run, words, written},
    pattern,
};
use crate::{
    effect::{Effect, EffectKind, Kinds, WriteMode},
    finding::{Category, Confidence},
    network,
    place::{self, Place},
    risk::Severity,
};

pub(super) static SHELF: Shelf = Shelf {
    programs: &[
        "Clear-EventLog",
        "Clear-History",
        "Remove-EventLog",
        "Set-MpPreference",
        "auditctl",
        "auditpol",
        "csrutil",
        "dmesg",
        "git",
        "history",
        "journalctl",
        "log",
        "spctl",
        "wevtutil",
    ],
    rules: RULES,
};

const TRACE: Rule = Rule {
    category: Category::Evasion,
    severity: Severity::High,
    reversible: false,
    remedy: "leave the traces; somebody may need them",
    ..Rule::LOSS
};

static RULES: &[Rule] = &[
    Rule {
        id: "evasion.name.disguised",
        message: "the name of the program has letters that only look like those of another, or that nobody sees",
        remedy: "write the name of the program in plain letters",
        when: When::Effect(Kinds::RUN, |effect, _| {
            let run = run(effect)?;
            let name = run.name.text.as_known()?;
            let is_bare = !name.contains(['/', '\\', '.', ' ']);
            (is_bare && !name.is_ascii() && network::is_disguised(name)).then(|| at(Severity::High))
        }),
        fires: &[
            "\u{433}\u{43c} -rf x",
            "\u{ff52}\u{ff4d} -rf x",
            "r\u{200b}m x",
            "g\u{456}t status",
        ],
        quiet: &["ls ./\u{434}\u{43e}\u{43a}", "echo \u{43f}\u{440}\u{438}", "git status"],
        ..TRACE
    },
    Rule {
        id: "evasion.history.clear",
        message: "the shell's history would be cleared or edited",
        when: When::Command(&["history -c|-d|-w|-r", "Clear-History"]),
        fires: &["history -c", "history -c && history -w", "history -d -2", "history -cw"],
        quiet: &["history", "history 10", "history | grep make"],
        ..TRACE
    },
    Rule {
        id: "evasion.history.off",
        message: "the shell would stop keeping its history",
        when: When::Effect(Kinds::ENVIRONMENT.and(Kinds::RUN), |effect, _| history_off(effect)),
        fires: &[
            "unset HISTFILE",
            "export HISTSIZE=0",
            "HISTFILE=/dev/null bash",
            "set +o history",
            "export HISTFILE=/dev/null",
        ],
        quiet: &["export HISTSIZE=10000", "set -o pipefail", "unset FOO", "echo $HISTFILE"],
        ..TRACE
    },
    Rule {
        id: "evasion.history.file",
        message: "the shell's history would be deleted or replaced",
        when: When::Effect(Kinds::DELETE.and(Kinds::WRITE), |effect, scene| {
            let target = match &effect.kind {
                EffectKind::Delete { target, .. } => target,
                EffectKind::Write { target, mode, .. } if *mode != WriteMode::Append => target,
                _ => return None,
            };
            let found = place::credential_of(target, scene.facts)?;
            found
                .what
                .starts_with("the history")
                .then(|| about(Severity::High, target, "this destroys"))
        }),
        fires: &[
            "rm -f ~/.bash_history",
            "ln -sf /dev/null ~/.bash_history",
            "> ~/.zsh_history",
            "shred -u ~/.bash_history",
            "truncate -s 0 ~/.bash_history",
        ],
        quiet: &["rm history.txt", "wc -l history.md"],
        ..TRACE
    },
    Rule {
        id: "evasion.log.remove",
        message: "logs would be deleted or emptied",
        when: When::Effect(Kinds::DELETE.and(Kinds::WRITE), |effect, scene| {
            if let Some((target, _, place)) = deleted(effect, scene) {
                return (place == Place::Log)
                    .then(|| about(Severity::High, target, "this deletes the log"));
            }
            let (target, mode, _) = written(effect)?;
            let log = place::place_of(target, scene.facts) == Place::Log;
            (log && !matches!(mode, WriteMode::Append | WriteMode::Create))
                .then(|| about(Severity::High, target, "this replaces the log"))
        }),
        fires: &[
            "rm -rf /var/log",
            "rm -f /var/log/auth.log",
            "> /var/log/syslog",
            "truncate -s 0 /var/log/wtmp",
            "find /var/log -type f -delete",
            "cat /dev/null > /var/log/messages",
            "sed -i /x/d /var/log/auth.log",
        ],
        quiet: &[
            "tail -f /var/log/nginx/access.log",
            "rm app.log",
            "echo x >> /var/log/app.log",
            "ls /var/log",
        ],
        ..TRACE
    },
    Rule {
        id: "evasion.log.journal",
        message: "the system's journal or event log would be cleared",
        when: When::Command(&[
            "journalctl --vacuum-time|--vacuum-size|--vacuum-files",
            "journalctl --rotate",
            "dmesg -C|-c|--clear|--read-clear",
            "wevtutil cl|clear-log",
            "wevtutil sl|set-log * /e:false|/enabled:false",
            "auditpol /clear|/remove|/restore",
            "Clear-EventLog",
            "Remove-EventLog",
            "log erase",
        ]),
        fires: &[
            "journalctl --rotate --vacuum-time=1s",
            "dmesg -C",
            "wevtutil cl System",
            "wevtutil sl Security /e:false",
            "auditpol /clear /y",
        ],
        quiet: &["journalctl -u nginx", "dmesg", "dmesg -T", "log show", "wevtutil gl Security"],
        ..TRACE
    },
    Rule {
        id: "evasion.audit.off",
        severity: Severity::Critical,
        message: "the audit of the system would be switched off",
        when: When::Command(&["auditctl -e=0", "auditctl -D", "auditctl -d"]),
        fires: &["auditctl -e 0", "auditctl -D"],
        quiet: &["auditctl -l", "auditctl -s"],
        ..TRACE
    },
    Rule {
        id: "evasion.time.set",
        severity: Severity::Low,
        message: "a file would look older or newer than it is",
        reversible: true,
        when: When::Noted,
        fires: &["touch -d '2001-01-01' x", "touch -r a b"],
        quiet: &["touch x"],
        ..TRACE
    },
    Rule {
        id: "evasion.time.system",
        message: "a file outside the project would look older or newer than it is, which hides when it was changed",
        when: When::Effect(Kinds::RUN, |effect, scene| {
            let run = run(effect).filter(|run| run.program == "touch")?;
            let sets = pattern::options(run).has(&["-d", "-t", "-r", "--date", "--reference"]);
            let last = run.arguments.last()?.text.as_known()?;
            let place = place::place(last, scene.facts);
            (sets
                && last.starts_with('/')
                && (place.is_system() || place == Place::Log || place == Place::Site))
                .then(|| at(Severity::High))
        }),
        fires: &["touch -r /bin/ls /usr/bin/backdoor", "touch -t 202001010000 /etc/passwd"],
        quiet: &["touch -d yesterday notes.txt", "touch -t 202001010000 /tmp/x"],
        ..TRACE
    },
    Rule {
        id: "evasion.hook.skip",
        severity: Severity::Medium,
        message: "the checks that run before a commit or push would be skipped",
        remedy: "let the checks run, and fix what they find",
        reversible: true,
        when: When::Command(&[
            "git commit --no-verify|-n",
            "git push --no-verify",
            "git merge --no-verify",
            "git am --no-verify",
            "git cherry-pick --no-verify",
            "git revert --no-verify",
            "git rebase --no-verify",
        ]),
        fires: &["git commit --no-verify -m x", "git push --no-verify", "git commit -nm x"],
        quiet: &["git commit -m x", "git push", "git push -n", "git commit -m '--no-verify'"],
        ..TRACE
    },
    Rule {
        id: "evasion.hook.off",
        severity: Severity::Medium,
        message: "hooks would be switched off for this command",
        remedy: "let the checks run, and fix what they find",
        reversible: true,
        when: When::Effect(Kinds::ENVIRONMENT, |effect, _| match &effect.kind {
            EffectKind::Environment { name, value }
                if name == "HUSKY"
                    || name == "HUSKY_SKIP_HOOKS"
                    || name == "LEFTHOOK"
                    || name == "PRE_COMMIT_ALLOW_NO_CONFIG" =>
            {
                matches!(value.as_known(), Some("0" | "1" | "false")).then(|| at(Severity::Medium))
            }
            _ => None,
        }),
        fires: &["HUSKY=0 git commit -m x"],
        quiet: &["git commit -m x"],
        ..TRACE
    },
    Rule {
        id: "evasion.guard.off",
        severity: Severity::Critical,
        message: "a guard of the operating system would be switched off",
        remedy: "let a person change the machine's protection",
        reversible: true,
        when: When::Command(&[
            "spctl --master-disable|--global-disable",
            "csrutil disable",
            "Set-MpPreference -DisableRealtimeMonitoring|-ExclusionPath|-DisableIOAVProtection|-DisableBehaviorMonitoring",
        ]),
        fires: &[
            "spctl --master-disable",
            "csrutil disable",
            "Set-MpPreference -DisableRealtimeMonitoring $true",
        ],
        quiet: &["csrutil status", "spctl --status"],
        ..TRACE
    },
    Rule {
        id: "evasion.certificate.off",
        severity: Severity::Medium,
        confidence: Confidence::Medium,
        message: "certificates would no longer be checked, so that anyone on the way could answer",
        remedy: "trust the one certificate that is missing, for this one command",
        reversible: true,
        when: When::Effect(Kinds::ENVIRONMENT, |effect, _| {
            let EffectKind::Environment { name, value } = &effect.kind else { return None };
            let off = match name.as_str() {
                "NODE_TLS_REJECT_UNAUTHORIZED" | "PYTHONHTTPSVERIFY" => {
                    value.as_known() == Some("0")
                }
                "GIT_SSL_NO_VERIFY" => !matches!(value.as_known(), Some("0" | "false" | "")),
                _ => false,
            };
            off.then(|| at(Severity::Medium))
        }),
        fires: &["NODE_TLS_REJECT_UNAUTHORIZED=0 npm test", "GIT_SSL_NO_VERIFY=1 git pull"],
        quiet: &["NODE_ENV=test npm test"],
        ..TRACE
    },
    Rule {
        id: "evasion.process.name",
        severity: Severity::High,
        confidence: Confidence::Medium,
        message: "a program would run under another name than its own",
        when: When::Effect(Kinds::RUN, |effect, _| {
            let run = run(effect).filter(|run| run.program == "exec")?;
            let name = words(run).skip_while(|word| *word != "-a").nth(1)?;
            (name.starts_with('[')
                || matches!(
                    name.trim_end_matches(':'),
                    "sshd"
                        | "systemd"
                        | "cron"
                        | "crond"
                        | "init"
                        | "kthreadd"
                        | "nginx"
                        | "dbus-daemon"
                )
                || name.contains("kworker"))
            .then(|| at(Severity::High))
        }),
        fires: &["exec -a '[kworker/0:0]' ./miner"],
        quiet: &["exec ./app", "exec -a app ./app-bin"],
        ..TRACE
    },
];

fn history_off(effect: &Effect) -> Option<Hit> {
    match &effect.kind {
        EffectKind::Environment { name, value } => {
            let off = match name.as_str() {
                "HISTFILE" => matches!(value.as_known(), Some("/dev/null" | "")),
                "HISTSIZE" | "HISTFILESIZE" | "SAVEHIST" => value.as_known() == Some("0"),
                "HISTIGNORE" => value.as_known() == Some("*"),
                _ => false,
            };
            off.then(|| at(Severity::High))
        }
        EffectKind::Run(run) => {
            let off = match run.program.as_str() {
                "unset" => words(run).any(|name| {
                    matches!(
                        name,
                        "HISTFILE" | "HISTSIZE" | "HISTFILESIZE" | "SAVEHIST" | "PROMPT_COMMAND"
                    )
                }),
                "set" => {
                    let all: Vec<&str> = words(run).collect();
                    matches!(all.as_slice(), ["+o", "history", ..] | ["+H", ..])
                        && all.contains(&"history")
                }
                "export" | "declare" | "readonly" | "typeset" => words(run).any(|word| {
                    matches!(
                        word,
                        "HISTFILE=/dev/null"
                            | "HISTFILE="
                            | "HISTSIZE=0"
                            | "HISTFILESIZE=0"
                            | "SAVEHIST=0"
                            | "HISTIGNORE=*"
                    )
                }),
                _ => false,
            };
            off.then(|| at(Severity::High))
        }
        _ => None,
    }
}

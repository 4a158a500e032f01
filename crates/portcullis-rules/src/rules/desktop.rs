//! Rules on the desktop of macOS: what its scripts ask people for and take from their programs, and what lets a fetched program
//! past the system's checks. Keys that are pressed in other programs stand in `process`.

use super::{
    Hit, Rule, Scene, Shelf, When,
    effects::{at, run, words, written},
    process::told,
};
use crate::{
    effect::{Effect, Kinds, Run},
    finding::{Category, Confidence},
    risk::Severity,
};

pub(super) static SHELF: Shelf =
    Shelf { programs: &["dconf", "gsettings", "spctl", "xattr", "xfconf-query"], rules: RULES };

const DESKTOP: Rule = Rule {
    category: Category::Credentials,
    severity: Severity::High,
    reversible: false,
    remedy: "let the person at the desktop do it",
    ..Rule::LOSS
};

static RULES: &[Rule] = &[
    Rule {
        id: "desktop.password.asked",
        message: "a dialog would ask the person for a password, and whoever wrote the script gets it",
        remedy: "let the person sign in where the password belongs",
        when: When::Effect(Kinds::RUN, |effect, _| {
            script(effect, |script| {
                script.contains("hidden answer")
                    || script.contains("default answer") && script.contains("passw")
            })
        }),
        fires: &[
            "osascript -e 'display dialog \"macOS needs your password\" default answer \"\" with hidden answer'",
            "echo 'display dialog \"Login password:\" default answer \"\"' | osascript",
        ],
        quiet: &[
            "osascript -e 'display dialog \"Tests finished\"'",
            "osascript -e 'display dialog \"Branch name?\" default answer \"main\"'",
        ],
        ..DESKTOP
    },
    Rule {
        id: "desktop.settings.reset",
        category: Category::Destruction,
        confidence: Confidence::High,
        message: "what a person set on their desktop is put back to what it was at first, or replaced as a whole",
        remedy: "keep it first: `dconf dump / > settings.ini`, and reset the one key",
        when: When::Command(&[
            "dconf reset -f",
            "dconf load /|/org/|/org/gnome/",
            "gsettings reset-recursively",
            "xfconf-query -r|--reset -R|--recursive",
        ]),
        fires: &["dconf reset -f /", "gsettings reset-recursively org.gnome.desktop.interface"],
        quiet: &[
            "dconf reset /org/gnome/desktop/interface/gtk-theme",
            "dconf dump /",
            "gsettings reset org.gnome.desktop.interface gtk-theme",
        ],
        ..DESKTOP
    },
    Rule {
        id: "desktop.files.deleted",
        category: Category::Destruction,
        message: "a script of the desktop would delete files, or empty the trash",
        remedy: "delete the one file by its path: `rm FILE`",
        when: When::Effect(Kinds::RUN, |effect, _| {
            script(effect, |script| {
                let acts = |word: &str| {
                    script.split(|letter: char| !letter.is_alphanumeric()).any(|part| part == word)
                };
                (script.contains("finder") || script.contains("system events"))
                    && (acts("delete") || acts("empty"))
            })
        }),
        fires: &[
            "osascript -e 'tell application \"Finder\" to delete every item of home'",
            "osascript -e 'tell app \"Finder\" to empty the trash'",
        ],
        quiet: &[
            "osascript -e 'tell application \"Finder\" to activate'",
            "osascript -e 'display notification \"delete is done\"'",
        ],
        ..DESKTOP
    },
    Rule {
        id: "desktop.login.item",
        category: Category::Persistence,
        message: "a program would be started at every login",
        remedy: "show the person the program, and let them add it in the settings",
        when: When::Effect(Kinds::RUN, |effect, _| {
            script(effect, |script| script.contains("login item") && script.contains("make "))
        }),
        fires: &[
            "osascript -e 'tell application \"System Events\" to make login item at end with properties {path:\"/tmp/x.app\"}'",
        ],
        quiet: &[
            "osascript -e 'tell application \"System Events\" to get the name of every login item'",
        ],
        ..DESKTOP
    },
    Rule {
        id: "desktop.message.sent",
        category: Category::Exfiltration,
        message: "a message goes out to people in somebody's name",
        remedy: "leave it as a draft, and let the person send it",
        when: When::Effect(Kinds::RUN, |effect, _| {
            script(effect, |script| {
                let says = |word: &str| {
                    script.split(|letter: char| !letter.is_alphanumeric()).any(|part| part == word)
                };
                ["\"mail\"", "\"messages\"", "\"microsoft outlook\""]
                    .iter()
                    .any(|it| script.contains(it))
                    && says("send")
            })
        }),
        fires: &[
            "osascript -e 'tell application \"Messages\" to send \"hi\" to buddy \"+15550100\" of service 1'",
        ],
        quiet: &["osascript -e 'tell application \"Messages\" to activate'"],
        ..DESKTOP
    },
    Rule {
        id: "desktop.private.read",
        message: "what a person keeps in mail, messages, notes or contacts would be read out",
        remedy: "let the person copy what is needed",
        when: When::Effect(Kinds::RUN, |effect, _| {
            script(effect, |script| {
                const PRIVATE: &[&str] = &[
                    "1password",
                    "contacts",
                    "keychain access",
                    "mail",
                    "messages",
                    "notes",
                    "reminders",
                ];
                let asks = ["body", "content", "every", "plaintext", "properties", "text of"];
                PRIVATE.iter().any(|program| {
                    ["application", "app"].iter().any(|word| {
                        script.contains(&format!("{word} \"{program}\""))
                            || script.contains(&format!("{word}('{program}')"))
                            || script.contains(&format!("{word}(\"{program}\")"))
                    })
                }) && asks.iter().any(|word| script.contains(word))
            })
        }),
        fires: &[
            "osascript -e 'tell application \"Mail\" to get content of every message of inbox'",
            "osascript -e 'tell application \"Notes\"' -e 'get body of every note' -e 'end tell'",
        ],
        quiet: &[
            "osascript -e 'tell application \"Mail\" to activate'",
            "osascript -e 'tell application \"Safari\" to open location \"http://localhost:3000\"'",
        ],
        ..DESKTOP
    },
    Rule {
        id: "desktop.consent.changed",
        category: Category::Evasion,
        message: "the list of what programs may see and do on this desktop would be changed behind the person's back",
        remedy: "let the person allow it in the settings under Privacy & Security",
        when: When::Effect(Kinds::RUN.and(Kinds::WRITE), |effect, _| {
            let names = |path: &str| path.ends_with("com.apple.TCC/TCC.db");
            if let Some((target, _, _)) = written(effect) {
                let is_it = target.path.as_deref().is_some_and(names)
                    || target.text.as_known().is_some_and(names);
                return is_it.then(|| at(Severity::High));
            }
            let run = run(effect)?;
            let changes = words(run).any(|word| {
                let word = word.to_ascii_lowercase();
                ["insert", "update", "delete", "replace", "drop"]
                    .iter()
                    .any(|verb| word.contains(verb))
            });
            (run.program == "sqlite3" && changes && words(run).any(names))
                .then(|| at(Severity::High))
        }),
        fires: &[
            "cp /tmp/TCC.db '/Library/Application Support/com.apple.TCC/TCC.db'",
            "sqlite3 '/Library/Application Support/com.apple.TCC/TCC.db' 'update access set auth_value=2'",
        ],
        quiet: &[
            "sqlite3 '/Library/Application Support/com.apple.TCC/TCC.db' 'select client from access'",
        ],
        ..DESKTOP
    },
    Rule {
        id: "desktop.program.trusted",
        category: Category::Evasion,
        message: "the system would start a program without the checks that it makes of fetched ones",
        remedy: "let the person open it by hand, where the system says what it found",
        when: When::Command(&["spctl --add|--enable|--remove|--disable"]),
        fires: &["spctl --add --label x ./Tool.app"],
        quiet: &["spctl -a -vv ./Tool.app", "spctl --status"],
        ..DESKTOP
    },
    Rule {
        id: "desktop.quarantine.removed",
        category: Category::Evasion,
        severity: Severity::Medium,
        reversible: true,
        message: "the mark that makes the system check a fetched program is taken off",
        remedy: "let the person open it by hand, where the system says what it found",
        when: When::Command(&["xattr -d com.apple.quarantine", "xattr -c"]),
        fires: &["xattr -d com.apple.quarantine x.app", "xattr -cr ./Tool.app"],
        quiet: &[
            "xattr -l x.app",
            "xattr -p com.apple.quarantine x.app",
            "xattr -d com.apple.FinderInfo x",
        ],
        ..DESKTOP
    },
    Rule {
        id: "desktop.quarantine.opened",
        category: Category::Evasion,
        message: "the mark that makes the system check a fetched program is taken off, and the program is started",
        remedy: "let the person open it by hand, where the system says what it found",
        when: When::Scene(unmarked_and_opened),
        fires: &[
            "xattr -d com.apple.quarantine ~/Downloads/x.app && open ~/Downloads/x.app",
            "xattr -cr ./Tool.app && ./Tool.app/Contents/MacOS/Tool",
            "xattr -rd com.apple.quarantine A.app; open -a ./A.app",
        ],
        quiet: &[
            "xattr -cr build/App.app && codesign -s - build/App.app",
            "xattr -p com.apple.quarantine x.app && open y.app",
            "open ./Tool.app",
        ],
        ..DESKTOP
    },
];

/// Asks a question of a script of the desktop, in lower case.
fn script(effect: &Effect, asks: impl Fn(&str) -> bool) -> Option<Hit> {
    let run = run(effect).filter(|run| run.program == "osascript")?;
    // Parts of it may not be known: to whom a message goes.
    let partly = run.arguments.iter().filter(|word| word.text.has_unknown());
    let lines = told(run).map(str::to_owned).chain(partly.map(|word| word.text.display()));
    let script = lines.collect::<Vec<_>>().join("\n").to_ascii_lowercase();
    asks(&script).then(|| at(Severity::High))
}

/// The file that `xattr` takes the mark of fetched files from: `-d com.apple.quarantine FILE`, `-c FILE`.
fn unmarked(run: &Run) -> Option<&str> {
    if run.program != "xattr" {
        return None;
    }
    let letters = || words(run).filter(|word| word.starts_with('-'));
    let clears = letters().any(|word| word.contains('c'));
    let takes = letters().any(|word| word.contains('d'))
        && words(run).any(|word| word == "com.apple.quarantine");
    words(run).last().filter(|_| clears || takes)
}

fn unmarked_and_opened(scene: &Scene<'_>, hits: &mut Vec<Hit>) {
    let plain = |path: &str| path.trim_start_matches("./").trim_end_matches('/').to_owned();
    let mut free: Vec<String> = Vec::new();
    for effect in &scene.effects.list {
        let Some(run) = run(effect) else { continue };
        if let Some(file) = unmarked(run) {
            free.push(plain(file));
            continue;
        }
        let is_free = |path: &str| {
            let path = plain(path);
            free.iter().any(|file| {
                path.strip_prefix(file.as_str())
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            })
        };
        let starts = run.name.text.as_known().is_some_and(is_free)
            || run.program == "open" && words(run).any(is_free);
        if starts {
            hits.push(Hit { at: Some(effect.at), ..Hit::default() });
        }
    }
}

//! Rules on the gate itself: its files, its process, its verbs, its variables, and what is put in its place.

use super::{
    super::{
        Hit, Rule, Scene, Shelf, When, computed,
        effects::{about, at, run, words},
    },
    How, OWN, Touch, around, is_gate, process, touch,
    verbs::{self, NAME, Verb},
};
use crate::{
    effect::{Effect, EffectKind, Kinds, Run, Target, WriteMode},
    place::{self, AgentFileKind, Credential, Near, Place},
    programs::statements::statement_reads,
    risk::Severity,
    text::Text,
};

/// Where the token with which a person decides lies, below a directory of the gate's state or one around it.
const TOKEN_BELOW: &[&str] = &["", "/token", "/gateway/token", "/portcullis/gateway/token"];

pub(in crate::rules) static SHELF: Shelf = Shelf { programs: &[NAME], rules: RULES };

static RULES: &[Rule] = &[
    Rule {
        id: "protection.gate.change",
        severity: Severity::Critical,
        message: "the gate's own files would be changed",
        when: When::Effect(
            Kinds::DELETE.and(Kinds::HAND).and(Kinds::PERMISSION).and(Kinds::WRITE),
            changed,
        ),
        fires: &[
            "rm -rf ~/.config/portcullis",
            "shuf -e -o ~/.config/portcullis/config.toml 'mode = \"bypassPermissions\"'",
            "git config -f ~/.config/portcullis/config.toml files.read false",
            "gcc -E -P -x c n -o ~/.config/portcullis/config.toml",
            "/usr/bin/time -o ~/.config/portcullis/config.toml -f x true",
            "echo x > ~/.config/portcullis/policy.toml",
            "chmod -x ~/.cargo/bin/portcullis",
            "mv ~/.local/bin/portcullis /tmp/x",
            "cp x /usr/local/bin/portcullis",
            "sed -i s/deny/allow/ .portcullis.toml",
            "git checkout HEAD~1 -- .portcullis.toml",
            "vim -c '%d' -c wq ~/.config/portcullis/portcullis.toml",
            "ln ~/.local/state/portcullis/audit.db /tmp/x",
            "sudo mount --bind /tmp/x ~/.config/portcullis",
            "sqlite3 ~/.local/state/portcullis/audit.db 'DELETE FROM records'",
            "docker run --rm -v ~/.local/state/portcullis:/s alpine rm -rf /s/audit.db",
            "podman run --mount type=bind,src=/home/dev/.config/portcullis,dst=/c alpine sh",
            "docker run --mount 'type=bind,\"src=/home/dev/.config/portcullis\",dst=/c' alpine sh",
            "nerdctl create --volume=\"$HOME/.local/state/portcullis/gateway:/g\" alpine",
            "docker run -itv ~/.local/state/portcullis:/s alpine sh",
            "cd ~/.local/state && docker-compose run -v ./portcullis:/s app",
            "ctr run --mount type=bind,src=/var/lib/portcullis,dst=/c image x",
            "docker volume create --driver local --opt type=none --opt device=/var/lib/portcullis x",
            "bwrap --ro-bind ~/.local/state/portcullis /s cat /s/gateway/token",
            "systemd-run -p BindPaths=/var/lib/portcullis:/x cat /x/gateway/token",
            "systemd-run -p BindReadOnlyPaths=-/var/lib/portcullis:/x cat /x/gateway/token",
            "docker run --mount TYPE=bind,SRC=/var/lib/portcullis,DST=/s alpine sh",
            "minikube mount /var/lib/portcullis:/s",
            "lxc config device add web s disk source=/var/lib/portcullis path=/s",
            "docker build --secret id=t,src=/var/lib/portcullis/gateway/token .",
            "find ~/.local -name own -exec mv {} y \\;",
            "mv \"$(find ~ -name audit.db)\" y",
            "git -C ~ stash -u",
            "GIT_WORK_TREE=/home/dev git reset --hard x",
            "apptainer exec -B /data,/var/lib/portcullis:/s image.sif cat /s/audit.db",
        ],
        quiet: &[
            "find / -xdev -type f -perm -o+w -exec chmod o-w {} +",
            "cat ~/.config/portcullis/policy.toml",
            "ls ~/.config/portcullis",
            "portcullis --version",
            "git diff -- .portcullis.toml",
            "git stash list",
            "sqlite3 ~/.local/state/portcullis/audit.db 'SELECT count(*) FROM records'",
            "vim README.md",
        ],
        ..OWN
    },
    Rule {
        id: "protection.gate.given",
        message: "the gate's own files would be given to a program that is not known",
        remedy: "read them with a program that only reads: `cat ~/.config/portcullis/portcullis.toml`",
        when: When::Effect(
            Kinds::DELETE.and(Kinds::HAND).and(Kinds::PERMISSION).and(Kinds::WRITE),
            |effect, scene| {
                let touch = touch(effect)?;
                (matches!(touch.how, How::Given)
                    && place::place_of(touch.target, scene.facts) == Place::Gate)
                    .then(|| about(Severity::High, touch.target, "nobody knows what this does to"))
            },
        ),
        fires: &[
            "frobnicate ~/.local/state/portcullis/audit.db",
            "frobnicate --share type=dir,path=/var/lib/portcullis,tag=x",
        ],
        quiet: &["cat ~/.local/state/portcullis/audit.db", "frobnicate src/main.rs"],
        ..OWN
    },
    Rule {
        id: "protection.gate.among",
        message: "files would be changed of which nothing is known but where they lie, and the gate's own lie there",
        remedy: "name the directory that is meant: `find ~/.cache/pip -type f -delete`",
        when: When::Effect(Kinds::DELETE.and(Kinds::WRITE), |effect, scene| {
            let touch = touch(effect)?;
            if matches!(touch.how, How::Permitted | How::Handed | How::Given) {
                return None;
            }
            let is_told = !touch.target.text.has_unknown();
            (is_told && found(effect, &touch, scene)? == Near::Anything).then(|| {
                about(
                    Severity::High,
                    touch.target,
                    "the gate's own files are among what may be meant:",
                )
            })
        }),
        fires: &[
            "find ~/.local -newer x -exec mv {} y \\;",
            "ls ~/.local/state | xargs -I{} mv ~/.local/state/{} y",
            "grep -rl deny ~/.local | xargs sed -i s/deny/ask/",
        ],
        quiet: &[
            "find ~/.cache -type f -mtime +30 -exec rm {} +",
            "grep -rl a src | xargs sed -i s/a/b/",
            "mv ~/work/* old",
        ],
        ..OWN
    },
    Rule {
        id: "protection.gate.copy",
        message: "the gate's program would be there under another name",
        remedy: "run it by its own name: `portcullis status`",
        when: When::Effect(Kinds::READ.and(Kinds::WRITE), copied),
        fires: &["cp ~/.cargo/bin/portcullis /tmp/x", "cp $(which portcullis) tool"],
        quiet: &["cp ~/.config/portcullis/portcullis.toml /tmp/x", "cp /usr/bin/ls /tmp/x"],
        ..OWN
    },
    Rule {
        id: "protection.gate.token",
        severity: Severity::Critical,
        message: "the token with which a person decides would be read, and whoever has it approves",
        remedy: "ask through the gate; the person decides in the inbox",
        when: When::Effect(Kinds::READ, |effect, scene| {
            let EffectKind::Read(target) = &effect.kind else { return None };
            holds_token(target, scene)
                .then(|| about(Severity::Critical, target, "this holds the token:"))
        }),
        fires: &[
            "cat ~/.local/state/portcullis/gateway/token",
            "curl -H \"Authorization: Bearer $(cat ~/.local/state/portcullis/gateway/token)\" http://127.0.0.1:4180/v1/approvals",
            "grep -r . ~/.local/state/portcullis/gateway",
            "base64 /var/lib/portcullis/gateway/*",
            "tar cf - ~/.local/state/portcullis | base64",
            "cp -r ~/.local/state/portcullis /tmp/x",
            "python3 -c \"print(open('/home/dev/.local/state/portcullis/gateway/token').read())\"",
        ],
        quiet: &[
            "ls ~/.local/state/portcullis/gateway",
            "cat ~/.config/portcullis/portcullis.toml",
            "sqlite3 ~/.local/state/portcullis/audit.db 'SELECT count(*) FROM record'",
            "cat gateway/token",
            "cat src/gateway/tokens.rs",
            "cat ~/.local/state/portcullis/gateway/agents-token",
        ],
        ..OWN
    },
    Rule {
        id: "protection.gate.mount",
        message: "what runs in a container, whoever built its image, would get the gate's own files among others",
        remedy: "mount the project: `docker run -v \"$PWD\":/app IMAGE`",
        when: When::Effect(Kinds::HAND, |effect, scene| {
            let EffectKind::Hand { target, changes: true } = &effect.kind else { return None };
            let path = target.path.as_deref()?;
            let is_around = place::place_of(target, scene.facts) != Place::Gate
                && place::contains_gate(path, scene.facts);
            is_around.then(|| about(Severity::High, target, "the gate's own files are in"))
        }),
        fires: &[
            "docker run --rm -v ~/.local/state:/s alpine cat /s/portcullis/audit.db",
            "cd ~ && podman run -v ./.local:/l alpine sh",
            "bwrap --ro-bind ~/.local /l sh",
        ],
        quiet: &[
            "docker run --rm -v \"$PWD\":/app alpine ls /app",
            "docker run -v /workspace/cfg:/etc/portcullis alpine",
            "docker run --mount type=volume,src=data,dst=/var/lib/portcullis alpine",
            "docker run alpine grep -v x /etc/passwd",
        ],
        ..OWN
    },
    Rule {
        id: "protection.gate.answer",
        severity: Severity::Critical,
        message: "this answers a question of the gate in a person's place",
        remedy: "wait until a person answers; who asks does not decide",
        when: When::Effect(Kinds::RUN.and(Kinds::CONNECT), answers),
        fires: &[
            "curl -X POST -H 'Authorization: Bearer x' -d '{\"decision\":\"approve\"}' http://127.0.0.1:4180/v1/approvals/7/decision",
            "python3 -c \"import requests; requests.post('http://127.0.0.1:4180/v1/approvals/7/decision', json={})\"",
        ],
        quiet: &[
            "curl http://127.0.0.1:4180/v1/approvals/7",
            "grep -rn '/v1/approvals/{id}/decision' docs",
        ],
        ..OWN
    },
    Rule {
        id: "protection.gate.link",
        message: "a name in another place would lead to all that shells, agents and the gate start with",
        remedy: "link what is needed of it: `ln -s ~/.config/nvim nvim`",
        severity: Severity::High,
        when: When::Noted,
        fires: &["ln -s ~/.config kk", "ln -sfn ~ home"],
        quiet: &["ln -s ~/.config/nvim nvim", "ln -s ../shared/lib lib", "ln -s /usr/bin/x x"],
        ..OWN
    },
    Rule {
        id: "protection.gate.stop",
        severity: Severity::Critical,
        message: "the gate would be stopped or removed",
        when: When::Effect(Kinds::KILL.and(Kinds::RUN).and(Kinds::WRITE), |effect, scene| {
            process::stops(effect, scene).then(|| at(Severity::Critical))
        }),
        fires: &[
            "pkill portcullis",
            "killall -9 portcullis",
            "systemctl stop portcullis",
            "cargo uninstall portcullis",
            "pkill -f portcullis",
            "pkill 'port.*lis'",
            "kill -STOP $(pgrep portcullis)",
            "pkill -STOP portcullis",
            "pkill -SIGSTOP -f portcullis",
            "ps aux | grep '[p]ortcullis' | awk '{print $2}' | xargs kill",
            "cargo install --path crates/portcullis",
            "renice 19 -p $(pidof portcullis)",
        ],
        quiet: &[
            "pgrep portcullis",
            "systemctl status portcullis",
            "cargo test -p portcullis",
            "ps -p $(pgrep portcullis)",
            "kill $(pgrep node)",
            "brew info portcullis",
        ],
        ..OWN
    },
    Rule {
        id: "protection.gate.command",
        severity: Severity::Critical,
        message: "the gate would be told to let more through",
        when: When::Effect(Kinds::RUN, |effect, scene| {
            (verb(effect, scene)? == Verb::Loosens).then(|| at(Severity::Critical))
        }),
        fires: &[
            "portcullis approve 1",
            "portcullis hook uninstall",
            "portcullis config set mode bypass",
            "portcullis trust .",
            "portcullis allow --last",
            "portcullis a-verb-of-tomorrow",
            "npx portcullis pause",
            "cp ~/.cargo/bin/portcullis x && ./x pause",
            "cargo run -p portcullis -- pause",
        ],
        quiet: &[
            "portcullis check 'ls'",
            "portcullis --version",
            "portcullis rules list",
            "portcullis url x",
            "portcullis allow list",
            "portcullis allow --help",
            "cargo run -p portcullis -- check ls",
        ],
        ..OWN
    },
    Rule {
        id: "protection.gate.unclear",
        message: "the gate would be told something that cannot be known",
        remedy: "write the verb out: `portcullis status`",
        when: When::Effect(Kinds::RUN, |effect, scene| {
            (verb(effect, scene)? == Verb::Unclear).then(|| at(Severity::High))
        }),
        fires: &["portcullis $(cat verb)"],
        quiet: &["portcullis check \"$COMMAND\""],
        ..OWN
    },
    Rule {
        id: "protection.gate.later",
        message: "a script would tell the gate to let more through once it is run",
        remedy: "leave the line out; a person types it when it is wanted",
        when: When::Effect(Kinds::WRITE, |effect, _| {
            let EffectKind::Write { target, content, .. } = &effect.kind else { return None };
            (is_script(target, content) && verbs::loosening_command(&content.display()))
                .then(|| about(Severity::High, target, "a loosening command would stand in"))
        }),
        fires: &[
            "echo 'portcullis pause' > x.sh",
            "printf 'x:\\n\\tportcullis pause\\n' > Makefile",
        ],
        quiet: &["echo 'portcullis pause' > x.md", "echo 'portcullis status' > x.sh"],
        ..OWN
    },
    Rule {
        id: "protection.gate.environment",
        message: "the gate's own settings would be given another value",
        when: When::Effect(Kinds::ENVIRONMENT.and(Kinds::RUN), |effect, _| match &effect.kind {
            EffectKind::Environment { name, .. } => {
                name.starts_with(VARIABLES).then(|| at(Severity::High))
            }
            EffectKind::Run(run) => (SETTERS.contains(&run.program.as_str())
                && words(run).any(|word| word.starts_with(VARIABLES)))
            .then(|| at(Severity::High)),
            _ => None,
        }),
        fires: &[
            "PORTCULLIS_AUDIT=off ls",
            "export PORTCULLIS_AUDIT=off",
            "launchctl setenv PORTCULLIS_AUDIT off",
        ],
        quiet: &["echo $PORTCULLIS_AUDIT", "export RUST_LOG=debug", "grep PORTCULLIS_ docs/x.md"],
        ..OWN
    },
    Rule {
        id: "protection.gate.startup",
        severity: Severity::Critical,
        message: "from the next start on, the gate would be something else or have other settings",
        when: When::Effect(Kinds::WRITE, |effect, scene| {
            let EffectKind::Write { target, content, .. } = &effect.kind else { return None };
            let starts = place::persistence_of(target, scene.facts).is_some()
                || place::agent_file_of(target, scene.facts)
                    .is_some_and(|file| file.kind == AgentFileKind::Settings);
            if !starts {
                return None;
            }
            let text = if content.has_unknown() {
                format!("{}\n{}", content.display(), around(effect, target, scene))
            } else {
                content.display()
            };
            takes_its_place(&text).then(|| {
                about(
                    Severity::Critical,
                    target,
                    "this changes what the gate is for later sessions:",
                )
            })
        }),
        fires: &[
            "echo 'export PORTCULLIS_AUDIT=off' >> ~/.bashrc",
            "echo 'alias portcullis=true' >> ~/.zshrc",
            "echo 'portcullis() { return 0; }' >> ~/.bashrc",
            "echo '{\"env\":{\"PORTCULLIS_AUDIT\":\"off\"}}' > .claude/settings.json",
        ],
        quiet: &["echo 'alias ll=ls' >> ~/.bashrc", "echo '# PORTCULLIS_' > notes.md"],
        ..OWN
    },
];

/// How the gate's variables begin.
const VARIABLES: &str = "PORTCULLIS_";

/// Programs and builtins that give variables to what starts later.
const SETTERS: &[&str] = &[
    "dbus-update-activation-environment",
    "declare",
    "export",
    "launchctl",
    "readonly",
    "set",
    "setenv",
    "setx",
    "systemctl",
    "tmux",
    "typeset",
    "unset",
];

/// Whether a request goes to where a gateway takes the answers of people.
fn answers(effect: &Effect, scene: &Scene<'_>) -> Option<Hit> {
    let decides = |text: &str| {
        text.match_indices("/v1/approvals/").any(|(at, start)| {
            let rest = text.get(at + start.len()..).unwrap_or_default();
            let end = rest.find([' ', '"', '\'', '`', '\n']).unwrap_or(rest.len());
            rest.get(..end).is_some_and(|path| path.contains("/decision"))
        })
    };
    let found = match &effect.kind {
        EffectKind::Run(run) => {
            let asks = matches!(
                run.program.as_str(),
                "curl" | "curlie" | "http" | "https" | "httpie" | "wget" | "wget2" | "xh" | "xhs"
            );
            asks && run.arguments.iter().any(|word| decides(&word.text.display()))
        }
        // What code speaks with is told by its host alone.
        EffectKind::Connect(_) => {
            scene.program_around(effect).is_none()
                && decides(scene.effects.layer_text(effect.at.layer))
        }
        _ => false,
    };
    found.then(|| at(Severity::Critical))
}

fn changed(effect: &Effect, scene: &Scene<'_>) -> Option<Hit> {
    let touch = touch(effect)?;
    let target = touch.target;
    if matches!(touch.how, How::Given) && !queries(scene) {
        let words = "a program that may change it is given a file of the gate:";
        return (place::place_of(target, scene.facts) == Place::Gate)
            .then(|| about(Severity::High, target, words));
    }
    let path = target.path.as_deref();
    if touch.takes_all() && path.is_some_and(|path| place::contains_gate(path, scene.facts)) {
        let words = match touch.how {
            How::Deleted { .. } => "this deletes what is around the gate:",
            _ => "this changes what is around the gate:",
        };
        return Some(about(Severity::Critical, target, words));
    }
    if place::place_of(target, scene.facts) == Place::Gate {
        return Some(about(Severity::Critical, target, "this changes the gate itself:"));
    }
    (found(effect, &touch, scene)? == Near::Named)
        .then(|| about(Severity::Critical, target, "the gate's own files have such a name:"))
}

/// How the gate's own files may be among what a walk, a pattern or a list of names gives.
fn found(effect: &Effect, touch: &Touch<'_>, scene: &Scene<'_>) -> Option<Near> {
    let target = touch.target;
    let near = place::near_gate(target.path.as_deref()?, touch.takes_all(), scene.facts)?;
    computed::is_printed_where_unknown(target, effect, scene).then_some(near)
}

/// Whether a file is the token with which a person decides, or a directory that is read with it in it.
fn holds_token(target: &Target, scene: &Scene<'_>) -> bool {
    let Some(path) = target.path.as_deref() else { return false };
    if place::place_of(target, scene.facts) != Place::Gate {
        return false;
    }
    let path = path.trim_end_matches(['/', '*']);
    let decides = |below: &&str| {
        place::credential(&format!("{path}{below}"), scene.facts).is_some_and(Credential::decides)
    };
    // The state may lie elsewhere; then only the names say what it is.
    TOKEN_BELOW.iter().any(decides)
        || path.ends_with("/gateway/token")
        || path.ends_with("/gateway")
}

/// Whether some statement changes a database: then one that is given to code is not only read.
fn queries(scene: &Scene<'_>) -> bool {
    scene.effects.list.iter().any(|effect| match &effect.kind {
        EffectKind::Query { statement } => !statement.as_known().is_some_and(statement_reads),
        _ => false,
    })
}

/// A file that holds what was read from the gate's own program.
fn copied(effect: &Effect, scene: &Scene<'_>) -> Option<Hit> {
    let EffectKind::Write { target, content, mode } = &effect.kind else { return None };
    let is_program = |target: &Target| {
        let name = target.path.as_deref().and_then(|path| path.rsplit('/').next());
        let is_ours = target.path.as_deref().is_some_and(|path| {
            scene.facts.guarded.iter().any(|own| own == path && program_name(own).is_some())
        });
        (is_ours || matches!(name, Some("portcullis" | "portcullis.exe")))
            && place::place_of(target, scene.facts) == Place::Gate
    };
    let comes_from = content.sources.iter().any(|source| {
        let effect = usize::try_from(source.0).ok().and_then(|at| scene.effects.list.get(at));
        matches!(effect.map(|effect| &effect.kind), Some(EffectKind::Read(from)) if is_program(from))
    });
    (*mode != WriteMode::Link && comes_from)
        .then(|| about(Severity::High, target, "this is the gate's program under another name:"))
}

/// What a run of the gate's own program does to it.
fn verb(effect: &Effect, scene: &Scene<'_>) -> Option<Verb> {
    let run = run(effect)?;
    is_own(run, scene).then(|| verbs::verb(run))
}

fn is_own(run: &Run, scene: &Scene<'_>) -> bool {
    let is_installed = |name: &str| {
        // Whether one of its own files is called so is quicker to say than whether it may be its program.
        let is_called = |own: &&String| own.strip_suffix(".exe").unwrap_or(own).ends_with(name);
        let mut own = scene.facts.guarded.iter().filter(is_called);
        !name.contains('/') && own.any(|own| program_name(own) == Some(name))
    };
    run.program == NAME
        || run
            .name
            .text
            .as_known()
            .is_some_and(|name| is_installed(name) || is_gate(name, scene.facts))
}

/// The name by which a file of the gate's own would be started, where it may be its program, whatever that is called here.
fn program_name(own: &str) -> Option<&str> {
    let name = own.rsplit('/').next()?;
    let name = name.strip_suffix(".exe").unwrap_or(name);
    // In a package the process is that of a language, whose program is everybody's.
    let is_everybodys = crate::programs::program(name).is_some();
    (!name.is_empty() && !name.contains('.') && !is_everybodys).then_some(name)
}

/// Whether text that is read at every start gives the gate's name or its variables another meaning.
fn takes_its_place(text: &str) -> bool {
    if text.contains(VARIABLES) {
        return true;
    }
    text.match_indices(NAME).any(|(at, _)| {
        let before = text.get(..at).unwrap_or("").trim_end();
        let after = text.get(at + NAME.len()..).unwrap_or("").trim_start_matches([' ', '\'', '"']);
        let says = |word: &str| before.ends_with(word);
        says("alias")
            || says("function")
            || says("hash -p")
            || says("-g")
            || after.starts_with("()")
    })
}

/// Names and endings of files that are run rather than read.
const SCRIPTS: &[&str] = &[
    ".bash",
    ".bat",
    ".cjs",
    ".cmd",
    ".envrc",
    ".fish",
    ".js",
    ".ksh",
    ".mjs",
    ".mk",
    ".pl",
    ".ps1",
    ".py",
    ".rb",
    ".service",
    ".sh",
    ".timer",
    ".zsh",
    "/GNUmakefile",
    "/Justfile",
    "/Makefile",
    "/Procfile",
    "/Rakefile",
    "/Taskfile.yaml",
    "/Taskfile.yml",
    "/justfile",
    "/makefile",
    "/package.json",
    "/tasks.json",
];

fn is_script(target: &Target, content: &Text) -> bool {
    let path = target.path.clone().unwrap_or_else(|| format!("/{}", target.text.display()));
    SCRIPTS.iter().any(|ending| path.ends_with(ending))
        || path.contains("/.github/workflows/")
        || path.contains("/.git/hooks/")
        || content.known_prefix().starts_with("#!")
}

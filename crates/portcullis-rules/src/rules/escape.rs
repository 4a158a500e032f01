//! Rules on ways to a shell that no table of options knows: a shell's path handed to a program, or standing where a small
//! language would run it. Owns what such words look like; options whose value is run are read by `programs`.

use super::{Hit, Rule, Scene, Shelf, When, effects::words};
use crate::{
    effect::{Effect, EffectKind, Kinds, Run},
    finding::{Category, Confidence},
    place::{self, PersistenceKind, Place},
    programs::{self, Does},
    risk::Severity,
};

pub(super) static SHELF: Shelf = Shelf {
    programs: &[
        "bpftrace",
        "c++",
        "c89",
        "c99",
        "cc",
        "clang",
        "clang++",
        "composer",
        "cowsay",
        "cowthink",
        "facter",
        "fastfetch",
        "g++",
        "gcc",
        "gfortran",
        "gtester",
        "invoke-rc.d",
        "ldconfig",
        "machinectl",
        "mariadb",
        "minicom",
        "mysql",
        "mysqldump",
        "neofetch",
        "nmap",
        "octave",
        "openssl",
        "pandoc",
        "pdb",
        "pdb3",
        "rake",
        "runscript",
        "service",
        "sqlite3",
        "ssh-add",
        "ssh-keygen",
        "systemd-nspawn",
        "tshark",
        "virsh",
        "wireshark",
    ],
    rules: RULES,
};

const ESCAPES: Rule = Rule {
    category: Category::Execution,
    severity: Severity::High,
    confidence: Confidence::Medium,
    remedy: "run the command that you need by itself",
    reversible: false,
    ..Rule::LOSS
};

static RULES: &[Rule] = &[
    Rule {
        id: "execution.shell.handed",
        message: "a program that is not known to need one is handed a shell",
        when: When::Effect(Kinds::RUN, |effect, _| {
            let EffectKind::Run(run) = &effect.kind else { return None };
            let is_handed = !run.known
                && !MENTIONS.contains(&run.program.as_str())
                && words(run).any(is_shell_path);
            is_handed.then(Hit::default)
        }),
        fires: &["unknown-launcher /bin/sh", "unknown-launcher run -- /bin/bash"],
        quiet: &["chsh -s /bin/zsh", "ls -l /bin/sh", "useradd -m -s /bin/bash x", "which /bin/sh"],
        ..ESCAPES
    },
    Rule {
        id: "execution.shell.spelled",
        message: "a program's own small language is told to start a shell",
        when: When::Effect(Kinds::RUN, |effect, _| {
            let EffectKind::Run(run) = &effect.kind else { return None };
            let spelled =
                |word: &str| spells_shell(word) || sets_shell(word) || leads_to_shell(run, word);
            (may_run_words(run) && words(run).any(spelled)).then(Hit::default)
        }),
        fires: &[
            "gnuplot -e 'system(\"/bin/sh 1>&0\")'",
            "rpmquery --eval '%(/bin/sh 1>&2)'",
            "fzf --bind 'enter:execute(/bin/sh)'",
            "perlbug -e 'exec /bin/sh #'",
            "ocaml -e 'Sys.command \"/bin/sh\"'",
            "xdg-user-dir '}; /bin/sh #'",
            "erl -noshell -eval 'os:cmd(\"/bin/sh\")'",
            "unknown-client -o execute=/bin/sh",
            "unknown-splash ask --command=/bin/sh",
            "unknown-table call '/bin/sh;false' data.csv",
        ],
        quiet: &[
            "grep -rn 'system(\"/bin/sh\")' src",
            "echo 'system(\"/bin/sh\")' > notes.md",
            "git commit -m 'Run system(\"/bin/sh\") no more'",
            "make SHELL=/bin/bash test",
            "docker run --entrypoint /bin/sh image -c ls",
            "sed -i '1i #!/bin/sh' run.sh",
            "cmake -DPOSIX_SHELL=/bin/sh ..",
            "unknown-tool --shell=/bin/bash",
            "nohup bash -c 'command kubectl -n shop cp web-0:/tmp/report.csv ./report.csv'",
        ],
        ..ESCAPES
    },
    Rule {
        id: "execution.shell.typed",
        message: "what is typed at another program's prompt starts a shell",
        when: When::Effect(Kinds::RUN, |effect, _| {
            let EffectKind::Run(run) = &effect.kind else { return None };
            let typed = run.name.text.known_prefix().trim_start_matches([':', '\\']);
            let shell = typed
                .strip_prefix('!')
                .is_some_and(|name| is_shell_path(name) || is_shell_name(name));
            shell.then(Hit::default)
        }),
        fires: &["man man\n!/bin/sh", "ftp\n!sh"],
        quiet: &["! make", "! /bin/true"],
        ..ESCAPES
    },
    Rule {
        id: "execution.shell.prepared",
        message: "a file that this call writes starts a shell, and a program is handed that file",
        when: When::Scene(prepared),
        fires: &[
            "echo 'execute = {/bin/sh}' > /tmp/x.rc\nunknown-tool -n -o import=/tmp/x.rc",
            "echo '{\"modules\":[{\"text\":\"exec /bin/sh 1>&0\"}]}' > /tmp/x.jsonc\nunknown-tool -c /tmp/x.jsonc",
        ],
        quiet: &[
            "echo 'exec /bin/sh' > notes.md\ngit add notes.md",
            "printf '#!/bin/sh\\necho hi\\n' > /tmp/x.sh\nshellcheck /tmp/x.sh",
        ],
        ..ESCAPES
    },
    Rule {
        id: "execution.temporary.escape",
        message: "a program among temporary files is run by way of another program's option",
        when: When::Noted,
        fires: &["tcpdump -i lo -w x -W 1 -G 1 -z /tmp/command", "dnsmasq --conf-script=/tmp/x"],
        quiet: &["rsync -e 'ssh -i /tmp/key' a host:b", "fzf --preview 'cat /tmp/x'"],
        ..ESCAPES
    },
    Rule {
        id: "execution.temporary.loaded",
        message: "a program is told to load and run code that lies among temporary files",
        remedy: "keep the script in the project, where it can be looked at",
        when: When::Command(&[
            "composer --working-dir=/tmp*|-d=/tmp*|--working-dir=/dev/shm*",
            "cowsay|cowthink -f=/tmp/*|-f=/dev/shm/*",
            "facter --custom-dir=/tmp*|--external-dir=/tmp*|--custom-dir=/dev/shm*",
            "gtester /tmp/*",
            "ldconfig -f=/tmp/*|-f=/dev/shm/*",
            "mariadb|mysql|mysqldump --plugin-dir=*/tmp*|--default-auth=*/tmp/*",
            "minicom -S=/tmp/*",
            "neofetch|fastfetch --config=/tmp/*|-c=/tmp/*",
            "octave /tmp/*",
            "pandoc --lua-filter=/tmp/*|-L=/tmp/*|--filter=/tmp/*|-F=/tmp/*|--pdf-engine=/tmp/*",
            "pdb|pdb3 /tmp/*",
            "rake -f=/tmp/*|--rakefile=/tmp/*|-r=/tmp/*",
            "runscript /tmp/*",
            "ssh-keygen -D=/tmp/*|-D=./*",
            "ssh-add -s=/tmp/*|-s=./*",
            "tshark|wireshark -X=lua_script:/tmp/*",
            "openssl -engine=*/*|-provider-path=/tmp*|-provider=*/*",
            "sqlite3 … .load\\_/tmp/*|.load\\_/var/tmp/*|.load\\_/dev/shm/*",
            "virsh … create|define /tmp/*",
        ]),
        fires: &[
            "facter --custom-dir=/tmp x",
            "cowsay -f /tmp/x.cow hello",
            "pandoc -L /tmp/x.lua README.md",
            "pdb /tmp/x.py",
            "ssh-keygen -D ./library.so",
            "tshark -Xlua_script:/tmp/x.lua",
            "neofetch --config /tmp/x",
            "mysql --default-auth ../../../../../tmp/lib",
        ],
        quiet: &[
            "facter --custom-dir=lib/facter os",
            "cowsay -f tux hello",
            "pandoc -L filters/links.lua README.md -o README.pdf",
            "pandoc README.md -o /tmp/README.pdf",
            "pdb tests/run.py",
            "ssh-keygen -t ed25519 -f /tmp/key",
            "tshark -r /tmp/capture.pcap",
        ],
        ..ESCAPES
    },
    Rule {
        id: "execution.service.path",
        message: "what is named as a service is the path of another program",
        when: When::Command(&["service|invoke-rc.d */*"]),
        fires: &["service ../../bin/sh", "sudo service ../../tmp/x start"],
        quiet: &["service nginx restart", "service --status-all"],
        ..ESCAPES
    },
    Rule {
        id: "execution.wrapper.compiler",
        message: "the compiler is told to run another program in place of its own",
        remedy: "use `CC=ccache` or a tool made for it",
        when: When::Command(&[
            "c++|c89|c99|cc|clang|clang++|g++|gcc|gfortran -wrapper !-wrapper=time|-wrapper=ccache|-wrapper=distcc",
            "nmap --interactive",
            "bpftrace --unsafe",
        ]),
        fires: &["gcc -wrapper /bin/sh,-s ."],
        quiet: &["gcc -o app main.c"],
        ..ESCAPES
    },
    Rule {
        id: "execution.machine.shell",
        category: Category::Privilege,
        message: "a shell with the system's own rights would be opened",
        when: When::Command(&["machinectl shell", "systemd-nspawn -D=/|--directory=/"]),
        fires: &["machinectl shell root@", "systemd-nspawn -D / /bin/sh"],
        quiet: &["machinectl list", "systemd-nspawn -D ./rootfs ls"],
        ..ESCAPES
    },
    Rule {
        id: "change.output.system",
        category: Category::Persistence,
        message: "a program's output is directed to where the system or a shell obeys it",
        remedy: "write it into the workspace",
        when: When::Effect(Kinds::RUN, |effect, scene| {
            let EffectKind::Run(run) = &effect.kind else { return None };
            let mut before = "";
            let unknown = !run.known;
            let named = words(run).find_map(|word| {
                let named = match word.split_once('=') {
                    Some((option, path)) => OUTPUTS
                        .iter()
                        .any(|output| option.eq_ignore_ascii_case(output))
                        .then_some(path),
                    None => (OUTPUTS.iter().any(|output| before.eq_ignore_ascii_case(output))
                        || unknown && matches!(before, "-o" | "-O" | "-w")
                        || SHORT_OUTPUTS.contains(&(run.program.as_str(), before)))
                    .then_some(word),
                };
                before = word;
                named
            });
            // The last of several words is what a program makes of the others.
            let last = || {
                let mut operands = words(run).filter(|word| !word.starts_with('-'));
                operands.next().filter(|_| unknown)?;
                operands.last().filter(|path| is_started_from(path, scene))
            };
            let target = named.or_else(last)?;
            let is_system = || {
                matches!(
                    place::place(target, scene.facts),
                    Place::Boot | Place::System | Place::SystemTop
                )
            };
            let obeyed = target.starts_with(['/', '~'])
                && (place::persistence(target, scene.facts).is_some()
                    || matches!(target, "/etc/passwd" | "/etc/shadow" | "/etc/sudoers")
                    || unknown && is_system());
            obeyed.then(Hit::default)
        }),
        fires: &[
            "git log --output=/etc/profile.d/x.sh",
            "unknown-tool --log-file=/etc/cron.d/x",
            "dmidecode --no-sysfs -d x.dmi --dump-bin /etc/cron.d/x",
            "shuf -e data -o /etc/passwd",
            "varnishncsa -g request -w /etc/cron.d/x",
            "unknown-tool -o /etc/cron.d/x",
            "unknown-tool -o /etc/x.conf in.txt",
            "unknown-tool in.txt /etc/cron.d/x",
            "gs -sDEVICE=pdfwrite -sOutputFile=/etc/cron.d/x in.ps",
            "exiftool -filename=/etc/cron.d/x ./x",
            "update-alternatives --force --install /etc/cron.d/x x ./x 0",
        ],
        quiet: &[
            "git log --output=log.txt",
            "unknown-tool --log-file=/var/log/x.log",
            "unknown-tool --output out.txt /etc/passwd",
            "unknown-tool /etc/cron.d/x",
            "unknown-tool a.txt /etc/hosts",
            "shuf -n 3 -o out.txt /etc/passwd",
        ],
        ..ESCAPES
    },
];

/// Whether something is started from a path that only a program which makes it would be told: no list of names, and nothing of a project.
fn is_started_from(path: &str, scene: &Scene<'_>) -> bool {
    let found = place::persistence(path, scene.facts);
    !place::place(path, scene.facts).is_workspace()
        && found.is_some_and(|found| {
            matches!(
                found.kind,
                PersistenceKind::Interpreter
                    | PersistenceKind::Loader
                    | PersistenceKind::Login
                    | PersistenceKind::Package
                    | PersistenceKind::Rights
                    | PersistenceKind::Schedule
                    | PersistenceKind::Service
                    | PersistenceKind::Session
                    | PersistenceKind::Shell
            )
        })
}

/// Options that name a file to write, whatever the program.
const OUTPUTS: &[&str] = &[
    "--output",
    "--output-file",
    "--outfile",
    "--out",
    "--log",
    "--log-file",
    "--logfile",
    "--dump",
    "--dump-bin",
    "--save",
    "--write",
    "--export",
    "--install",
    "-filename",
    "-logfile",
    "-outfile",
    "-output",
    "-sOutputFile",
];

/// Short options that do the same, each with its program.
const SHORT_OUTPUTS: &[(&str, &str)] = &[
    ("dumpcap", "-w"),
    ("ltrace", "-o"),
    ("perf", "-o"),
    ("shuf", "-o"),
    ("strace", "-o"),
    ("tcpdump", "-w"),
    ("time", "-o"),
    ("tshark", "-w"),
    ("varnishlog", "-w"),
    ("varnishncsa", "-w"),
    ("xmllint", "-o"),
];

/// Programs without a row that name a shell and run none.
const MENTIONS: &[&str] = &[
    "",
    "add-shell",
    "adduser",
    "chsh",
    "dscl",
    "luseradd",
    "remove-shell",
    "shellcheck",
    "update-alternatives",
    "useradd",
    "usermod",
];

/// Programs that take code as text to keep, print, search or send.
const KEEPERS: &[&str] = &[
    "curl", "docker", "echo", "gh", "git", "glab", "kubectl", "make", "podman", "printf", "sed",
    "tee", "xargs",
];

/// The longest word that is looked through for a shell.
const WORD_BYTES: usize = 4096;

const SHELLS: &[&str] = &["sh", "bash", "dash", "zsh", "ksh", "ash"];

fn is_shell_name(word: &str) -> bool {
    SHELLS.contains(&word)
}

fn is_shell_path(word: &str) -> bool {
    ["/bin/", "/usr/bin/", "/usr/local/bin/"]
        .iter()
        .any(|directory| word.strip_prefix(directory).is_some_and(is_shell_name))
}

/// Whether the program's words may be code; those that read, search, print and keep text only name it.
fn may_run_words(run: &Run) -> bool {
    if KEEPERS.contains(&run.program.as_str())
        || super::flow::is_shell(&run.program)
        || programs::hands_all_on(&run.program)
    {
        return false;
    }
    !run.known
        || programs::program(&run.program)
            .is_none_or(|row| !matches!(row.does, Does::Reads | Does::Searches | Does::Filters(_)))
}

/// Whether a shell's path stands in a text where something would run it.
fn spells_shell(text: &str) -> bool {
    if text.len() > WORD_BYTES {
        return false;
    }
    text.match_indices("/bin/").any(|(at, directory)| {
        let before = text.get(..at).unwrap_or("");
        let after = text.get(at + directory.len()..).unwrap_or("");
        starts_with_shell(after) && runs_what_follows(before.strip_suffix("/usr").unwrap_or(before))
    }) || ["(\"sh\"", "('sh'", "(\"bash\"", "('bash'", "unixexec:"]
        .iter()
        .any(|call| text.contains(call))
}

fn starts_with_shell(text: &str) -> bool {
    let end = text.find(|letter: char| !letter.is_ascii_alphanumeric()).unwrap_or(text.len());
    text.get(..end).is_some_and(is_shell_name)
        && !text.get(end..).is_some_and(|rest| rest.starts_with(['.', '-', '_', '/']))
}

/// Whether a text ends in an opening of a call, or in a word that runs what comes next.
fn runs_what_follows(before: &str) -> bool {
    let bare = before.trim_end_matches(['"', '\'', ' ', ',']);
    if bare.ends_with("#!") {
        return false;
    }
    let word = bare.rsplit(|letter: char| !letter.is_ascii_alphanumeric()).next().unwrap_or("");
    bare.ends_with(['(', '{', '[', '`', '!', ';'])
        || bare.len() < before.len()
            && [
                "exec",
                "system",
                "spawn",
                "shell",
                "command",
                "execute",
                "run",
                "program",
                "callCommand",
            ]
            .iter()
            .any(|verb| verb.eq_ignore_ascii_case(word))
}

fn prepared(scene: &Scene<'_>, hits: &mut Vec<Hit>) {
    let files: Vec<&str> = scene
        .effects
        .list
        .iter()
        .filter_map(|effect| match &effect.kind {
            EffectKind::Write { target, content, .. }
                if ["/bin/", "/tmp/", "/dev/shm/"]
                    .iter()
                    .any(|place| content.known_prefix().contains(place)) =>
            {
                let text = content.known_prefix();
                (spells_shell(text) || text.lines().any(prepares))
                    .then(|| target.text.as_known())
                    .flatten()
            }
            _ => None,
        })
        .collect();
    if files.is_empty() {
        return;
    }
    for effect in &scene.effects.list {
        if let Some(hit) = is_handed(effect, &files) {
            hits.push(hit);
        }
    }
}

/// Whether a line of settings starts a shell or a program among temporary files, `^/tmp/x` as rsyslog spells it.
fn prepares(line: &str) -> bool {
    sets_shell(line)
        || line.split_whitespace().next_back().is_some_and(|word| {
            word.strip_prefix('^').is_some_and(|program| {
                programs::escapes::is_temporary(program) || is_shell_path(program)
            })
        })
}

/// Whether a line of settings names a shell as what is run: `startup_hook = /bin/bash -i`.
fn sets_shell(line: &str) -> bool {
    const RUNS: &[&str] = &[
        "action", "cmd", "command", "editor", "exec", "hook", "onerror", "onoutof", "pager",
        "program", "run", "startup",
    ];
    let Some((key, value)) = line.split_once(['=', ':']) else { return false };
    // A key may have a section or a type before it, `set pager = …`; what stands in front of those does not name it.
    let key = key.split_whitespace().next_back().unwrap_or("").to_ascii_lowercase();
    let value = value.trim_start_matches([' ', '"', '\'']);
    let program = value.split([' ', '"', '\'', ',']).next().unwrap_or("");
    let arguments = value.get(program.len()..).unwrap_or("");
    // What a shell is told to do is ordinary, unless it is another shell.
    let told = arguments.split_once("-c").is_none_or(|(_, code)| {
        let code = code.trim_start_matches([' ', '"', '\'', ',']);
        is_shell_path(code.split([' ', '"', '\'']).next().unwrap_or(""))
    });
    (is_shell_path(program) && told || programs::escapes::is_temporary(program))
        && RUNS.iter().any(|word| key.contains(word))
}

/// Whether a word of a program that nobody knows begins with a shell's path and goes on, as no path and no sentence does.
fn leads_to_shell(run: &Run, word: &str) -> bool {
    !run.known
        && !MENTIONS.contains(&run.program.as_str())
        && word
            .split_once([';', '&', '|', '<', '>'])
            .is_some_and(|(first, _)| is_shell_path(first.trim_end()))
}

/// Whether a file in a home directory is a program's own settings, by its name: `~/.rtorrent.rc`.
fn is_own(file: &str, program: &str) -> bool {
    let name = file.rsplit('/').next().unwrap_or(file);
    let own = name.strip_prefix('.').and_then(|name| name.strip_prefix(program));
    !program.is_empty()
        && own.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', 'r', 'c']))
}

fn is_handed(effect: &Effect, files: &[&str]) -> Option<Hit> {
    let EffectKind::Run(run) = &effect.kind else { return None };
    let keeps = matches!(
        run.program.as_str(),
        "chmod"
            | "chown"
            | "cp"
            | "mv"
            | "rm"
            | "ls"
            | "stat"
            | "file"
            | "touch"
            | "ln"
            | "tee"
            | "shellcheck"
            | "docker"
            | "tar"
            | "zip"
    );
    let hands_settings = |word: &str| {
        let (option, file) = word.split_once('=').unwrap_or(("", word));
        option.ends_with("config") && files.contains(&file)
    };
    if keeps || !may_run_words(run) && !words(run).any(hands_settings) {
        return None;
    }
    let given = words(run).any(|word| {
        let value = word.rsplit('=').next().unwrap_or(word);
        // Some take the directory that their settings lie in.
        let below =
            |file: &&str| value.starts_with('/') && value.ends_with('/') && file.starts_with(value);
        files.contains(&value) || files.iter().any(below)
    }) || files.iter().any(|file| is_own(file, &run.program));
    given.then(|| Hit { at: Some(effect.at), ..Hit::default() })
}

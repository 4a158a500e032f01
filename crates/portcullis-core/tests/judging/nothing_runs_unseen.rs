//! However a program is hidden, the walk must come to it: each script below runs `canary now`, and each of the last ones
//! only mentions it.

use portcullis_core::{
    action::Action,
    call::ToolCall,
    effect::{EffectKind, Effects},
    facts::Facts,
    understand::understand,
};

fn effects(script: &str) -> Effects {
    let facts = Facts {
        cwd: Some("/workspace/project".to_owned()),
        home: Some("/home/dev".to_owned()),
        workspace: Some("/workspace/project".to_owned()),
        ..Facts::default()
    };
    match Action::from_call(ToolCall::shell(script)) {
        Ok(action) => understand(&action, &facts),
        Err(_) => Effects::default(),
    }
}

/// Whether `canary` is run with `now` as its first argument.
fn runs_canary(script: &str) -> bool {
    effects(script).list.iter().any(|effect| match &effect.kind {
        EffectKind::Run(run) => {
            run.program == "canary"
                && run
                    .arguments
                    .first()
                    .is_some_and(|argument| argument.text.as_known() == Some("now"))
        }
        _ => false,
    })
}

#[test]
fn a_program_is_found_however_it_is_hidden() {
    let scripts = [
        // words
        "canary now",
        "'can''ary' now",
        "can\\ary now",
        "c\"a\"n'a'ry now",
        "$'\\x63anary' now",
        "$'\\143anary' now",
        "$\"canary\" now",
        "/usr/local/bin/canary now",
        "/usr/bin/../bin//canary now",
        "./canary now",
        "can\\\nary now",
        "canary\tnow",
        "{canary,now}",
        "{canary,} now",
        "canary${IFS}now",
        "canary$IFS$9now",
        // lists of names that hold options
        "printf -- '--checkpoint=1\n--checkpoint-action=exec=\"canary now\"\nsrc\n' | tar -cf a.tar -T -",
        "printf -- '--to-command=\"canary now\"\n' > l; tar -xf a.tar --files-from=l",
        // variables
        "x=canary; $x now",
        "x='canary now'; $x",
        "x=can; y=ary; $x$y now",
        "x=can; x+=ary; $x now",
        "x=xcanaryx; ${x:1:6} now",
        "${PATH:0:1}usr${PATH:0:1}bin${PATH:0:1}canary now",
        "x=CANARY; ${x,,} now",
        "x=cXaXnXaXrXy; ${x//X/} now",
        "x=canary.sh; ${x%.sh} now",
        "x=./canary; ${x##*/} now",
        "n=x; x=canary; ${!n} now",
        "${missing:-canary} now",
        "a=(canary now); \"${a[@]}\"",
        "a[0]=canary; a[1]=now; ${a[*]}",
        "declare x=canary; $x now",
        "export x='canary now'; sh -c \"$x\"",
        "set -- canary now; \"$@\"",
        "set -- now; canary $1",
        "IFS=:; x=canary:now; $x",
        "read -r x <<< 'canary now'; $x",
        "read x y <<< 'canary now'; $x $y",
        "printf -v x %s canary; $x now",
        "for x in canary; do $x now; done",
        "for x in c an ary; do y=$y$x; done; $y now",
        "x=echo; if test -f y; then x=canary; fi; $x now",
        "x=canary; false && x=echo; $x now",
        "while false; do x=ls; done; ${x:-canary} now",
        "false && x=ls; ${x:-canary} now",
        "x=canary; true || x=echo; $x now",
        "x=canary; if test -f y; then x=echo; fi; $x now",
        "case z in z) x=canary;; esac; $x now",
        "while read -r line; do $line; done <<< 'canary now'",
        "x=1; y=$((x+1)); a=(echo ls canary); ${a[y]} now",
        "local_x() { local x=canary; $x now; }; local_x",
        // structure
        "true && canary now",
        "false || canary now",
        "true; canary now",
        "true\ncanary now",
        "# comment\ncanary now",
        "sleep 1 & canary now",
        "true | canary now",
        "! canary now",
        "time canary now",
        "(canary now)",
        "{ canary now; }",
        "((1)); canary now",
        "( (canary now) )",
        "if canary now; then :; fi",
        "if :; then :; else canary now; fi",
        "while canary now; do break; done",
        "until canary now; do :; done",
        "case x in *) canary now;; esac",
        "select x in a; do canary now; done",
        "for ((i=0;i<1;i++)); do canary now; done",
        "f() { canary now; }; f",
        "f() { canary \"$1\"; }; f now",
        "function f { canary now; }; f",
        "f() { canary now; }",
        "coproc canary now",
        "[[ -n $(canary now) ]]",
        "echo $(canary now)",
        "echo `canary now`",
        "echo \"a $(canary now) b\"",
        "echo \"`echo \\`canary now\\``\"",
        "x=$(canary now)",
        "echo ${x:-$(canary now)}",
        "echo $(( $(canary now) + 1 ))",
        "cat <(canary now)",
        "echo x > >(canary now)",
        "cat <<E\n$(canary now)\nE",
        "cat <<E; canary now\nx\nE",
        "cat <<<x; canary now",
        ">/tmp/x canary now",
        "2>/dev/null canary now",
        "canary 2>/dev/null now",
        "X=1 Y=2 canary now",
        // builtins
        "eval canary now",
        "eval 'canary now'",
        "eval \"$(echo canary now)\"",
        "command canary now",
        "builtin command canary now",
        "exec canary now",
        "exec -a other canary now",
        "trap 'canary now' EXIT",
        "alias x='canary now'",
        ". <(echo canary now)",
        "source /dev/stdin <<< 'canary now'",
        "echo 'canary now' > /tmp/f; . /tmp/f",
        "PROMPT_COMMAND='canary now'",
        // text that is expanded a second time
        "x='$(canary now)'; echo \"${x@P}\"",
        "x='canary\\x20now'; eval \"${x@E}\"",
        "PS4='$(canary now)'; set -x; ls",
        "PS1='$(canary now)' bash -i",
        "x='a[$(canary now)]'; echo $((x))",
        "let 'a[$(canary now)]=1'",
        "[[ -v 'a[$(canary now)]' ]]",
        "test -v 'a[$(canary now)]'",
        "printf -v 'a[$(canary now)]' x",
        "unset 'a[$(canary now)]'",
        "declare -i n='a[$(canary now)]'",
        "compgen -W '$(canary now)'",
        // other names for things
        "declare -n r=x; x='canary now'; $r",
        "declare -n r=x; r='canary now'; $x",
        "shopt -s expand_aliases\nalias z=canary\nz now",
        "BASH_ALIASES[z]=canary; eval 'z now'",
        "hash -p /usr/bin/canary ls; ls now",
        "ln -s /usr/bin/canary x; ./x now",
        "echo 'canary now' > s; ln -s s t; sh t",
        "mkdir d; echo 'canary now' > d/s; ln -s d e; sh e/s",
        "command_not_found_handle() { \"${@:2}\"; }; nothing canary now",
        "env 'BASH_FUNC_ls%%=() { canary now; }' bash -c ls",
        // lists
        "set -e -- canary now; \"$@\"",
        "set -- now canary; ${@: -1} $1",
        "a=(x canary now); \"${a[@]:1}\"",
        "a=(xcanary xnow); \"${a[@]#x}\"",
        "declare -a a=(canary now); \"${a[@]}\"",
        "declare -A m=([a]=canary [b]=now); ${m[a]} ${m[b]}",
        "readarray -t -d : a <<< canary:now; \"${a[@]}\"",
        "mapfile -C 'canary now #' -c 1 a <<< x",
        // descriptors
        "exec 3<<< 'canary now'; . /dev/fd/3",
        "exec {fd}<<< 'canary now'; bash <&$fd",
        "exec 3<<< 'canary now'; bash /proc/self/fd/3",
        // options of wrappers
        "env -vS 'canary now'",
        "env -S'canary\\_now'",
        "parallel {1} {2} ::: canary ::: now",
        "complete -C 'canary now' ls",
        "bind -x '\"\\C-a\": canary now'",
        // what git, builds and interpreters find
        "git submodule foreach 'canary now'",
        "git submodule foreach --recursive canary now",
        "git bisect run canary now",
        "git rebase -x 'canary now' HEAD~1",
        "git difftool --extcmd='canary now' HEAD",
        "git grep -O'canary now' x",
        "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.x GIT_CONFIG_VALUE_0='!canary now' git x",
        "GIT_CONFIG_PARAMETERS=\"'alias.x=!canary now'\" git x",
        "echo '{\"scripts\":{\"x\":\"canary now\"}}' > package.json; npm run x",
        "printf 'package x\\n//go:generate canary now\\n' > x.go; go generate",
        "echo 'int main(){system(\"canary now\");}' > x.c; gcc x.c -o x; ./x",
        "echo 'main(){system(\"canary now\");}' | tcc -run -",
        "echo \"import os; os.system('canary now')\" > test_x.py; pytest",
        "echo \"import os; os.system('canary now')\" > m.py; python -c 'import m'",
        "echo \"require('child_process').execSync('canary now')\" > m.js; node -r ./m.js x.js",
        "export BASH_ENV=e; echo 'canary now' > e; bash -c :",
        "tmux new-session -d \\; send-keys 'canary now' C-m",
        "vim -S <(echo '!canary now')",
        "dc -e '!canary now'",
        "echo 'canary now' > a; eval \"$(<a)\"",
        "echo 'canary now' > a; sh ./*",
        "echo 'canary now' > a.sh; for f in *.sh; do sh \"$f\"; done",
        "echo 'canary now' > a.sh; find . -name '*.sh' -exec sh {} \\;",
        "bash /dev/fd/3 3<<< 'canary now'",
        "declare -l x=CANARY; $x now",
        "a=(can ary); c=$(IFS=; echo \"${a[*]}\"); $c now",
        "$(hash -t canary) now",
        "echo ${x^^$(canary now)}",
        "make SHELL='canary now' x",
        "npm pkg set scripts.x='canary now'; npm run x",
        // programs that nobody knows
        "unknown-launcher -x -- env canary now",
        "unknown-launcher host sh -c 'canary now'",
        "unknown-launcher --run 'env canary now'",
        // wrappers
        "sudo canary now",
        "sudo -u root -- canary now",
        "coproc a+(canary now)",
        "sudo canary now -e x",
        "sudo env canary now -C x",
        "sudo canary now -ls",
        "flock /tmp/lock canary now -c x",
        "xargs canary now -a file",
        "watch canary now -x",
        "unshare canary now -c x",
        "sudo -Eu other X=1 canary now",
        "doas canary now",
        "env canary now",
        "env -i -u HOME X=1 canary now",
        "env -S 'canary now'",
        "nohup canary now",
        "nice -n 5 canary now",
        "timeout -s KILL 5 canary now",
        "time -p canary now",
        "stdbuf -oL canary now",
        "setsid -f canary now",
        "ionice -c 3 canary now",
        "xargs canary <<< now",
        "echo now | xargs canary",
        "echo canary now | xargs -I{} sh -c '{}'",
        "printf 'canary now\\0' | xargs -0 -n1 sh -c",
        "find . -exec canary now \\;",
        "find -D tree . -exec canary now \\;",
        "declare TOOL={echo,canary}; \"$TOOL\" now",
        "tmux if-shell true 'canary now'",
        "tmux pipe-pane -o /tmp/log 'canary now'",
        "socat -u OPEN:x SYSTEM:'canary now'",
        "find . -name x -execdir canary now {} +",
        "find . | parallel canary now",
        "parallel ::: 'canary now'",
        "watch -n 1 canary now",
        "watch 'canary now'",
        "flock /tmp/l canary now",
        "flock /tmp/l -c 'canary now'",
        "chroot / canary now",
        "busybox canary now",
        "unshare -r canary now",
        "nsenter -t 1 -m canary now",
        "systemd-run --user canary now",
        "script -qc 'canary now' /dev/null",
        "su -c 'canary now'",
        "su - root -c 'canary now'",
        "runuser -u x -- canary now",
        "strace -f -e trace=open canary now",
        "taskset -c 0 canary now",
        "ip netns exec x canary now",
        "tmux new-session -d 'canary now'",
        "screen -dm canary now",
        "docker run --rm -v /:/h image canary now",
        "docker exec -it name canary now",
        "podman run --name x image sh -c 'canary now'",
        "kubectl exec -n x pod -- canary now",
        "at now <<< 'canary now'",
        "start-stop-daemon --start --exec /usr/bin/canary -- now",
        "perf stat -- canary now",
        // shells
        "sh -c 'canary now'",
        "bash -c 'canary now'",
        "bash -lc 'canary now'",
        "bash -xc 'canary now'",
        "bash -c -- 'canary now'",
        "bash -c 'eval \"$1\"' _ 'canary now'",
        "bash -c '\"$@\"' _ canary now",
        "sh <<< 'canary now'",
        "sh <<'E'\ncanary now\nE",
        "echo canary now | sh",
        "echo canary now | bash -s",
        "cat <<E | sh\ncanary now\nE",
        "bash <(echo canary now)",
        "bash -c \"bash -c 'canary now'\"",
        "BASH_ENV=<(echo canary now) bash -c :",
        "echo 'canary now' > f.sh; sh f.sh",
        "echo 'canary now' > f.sh; chmod +x f.sh; ./f.sh",
        "echo 'canary now' | tee f.sh; sh f.sh",
        "cat > f.sh <<'E'\n#!/bin/sh\ncanary now\nE\nbash ./f.sh",
        "cd /tmp; echo 'canary now' > f; cd ..; sh tmp/f",
        "cp /dev/null x; printf 'canary %s\\n' now > y; bash y",
        // computed text
        "$(echo canary) now",
        "$(printf canary) now",
        "$(printf '\\x63\\x61\\x6e\\x61\\x72\\x79') now",
        "$(echo yranac | rev) now",
        "$(command -v canary) now",
        "echo Y2FuYXJ5IG5vdw== | base64 -d | sh",
        "eval $(base64 -d <<< Y2FuYXJ5IG5vdw==)",
        "echo 63616e617279206e6f77 | xxd -r -p | sh",
        "echo 'pnanel abj' | tr a-z n-za-m | sh",
        "echo 'canaryXnow' | tr X ' ' | sh",
        "echo 'xcanary now' | cut -c2- | sh",
        "echo 'dog now' | sed s/dog/canary/ | sh",
        "printf '%s %s' canary now | bash",
        "echo canary now | cat | sh",
        "echo '# canary now' | sed 's/# //' | sh",
        // programs that run what they are given
        "tar cf /dev/null x --checkpoint-action=exec='canary now'",
        "tar xf x --to-command='canary now'",
        "git -c alias.x='!canary now' x",
        "git -c core.pager='canary now' log",
        "GIT_SSH_COMMAND='canary now' git fetch",
        "vim -c ':!canary now' -c q",
        "vim -es '+:!canary now'",
        "ssh -o ProxyCommand='canary now' host",
        "ssh host canary now",
        "rsync -e 'canary now' a b:",
        "npm exec -c 'canary now'",
        "make -f <(printf 'all:\\n\\tcanary now\\n')",
        "make --eval=$'x:\\n\\tcanary now' x",
        "PAGER='canary now' man ls",
        "LESSOPEN='canary now' less x",
        "printf '!canary now\\n' | ed -s",
        "crontab - <<< '* * * * * canary now'",
        "sed '1e canary now' x",
        "echo x | sed 's/x/canary now/e'",
        "awk 'BEGIN{system(\"canary now\")}'",
        "awk -v c='canary now' 'BEGIN{system(c)}'",
        "python3 -c 'import os; os.system(\"canary now\")'",
        "python3 -c 'import subprocess; subprocess.run([\"canary\", \"now\"])'",
        "python3 - <<'E'\nimport os\nos.system('canary now')\nE",
        "perl -e 'system(\"canary now\")'",
        "perl -e 'exec \"canary now\"'",
        "ruby -e 'system(\"canary now\")'",
        "ruby -e '`canary now`'",
        "php -r 'shell_exec(\"canary now\");'",
        "node -e 'require(\"child_process\").execSync(\"canary now\")'",
        "lua -e 'os.execute(\"canary now\")'",
        "concurrently 'canary now' npm:watch",
        "cmake -E env A=1 canary now",
        "cmd.exe /c canary now",
        "R -q -e 'system(\"canary now\")'",
        "rake -e 'system(\"canary now\")'",
        "elixir -e 'System.cmd(\"canary\", [\"now\"])'",
    ];
    let missed: Vec<&str> = scripts.into_iter().filter(|script| !runs_canary(script)).collect();
    assert!(missed.is_empty(), "missed:\n{}", missed.join("\n"));
}

/// What a script may do to a variable behind a condition: each of these assigns `t` in real bash.
#[test]
fn a_value_is_not_believed_where_bash_may_give_another() {
    for script in [
        "shopt -s nocasematch; [[ a == A ]] && t=/etc",
        "shopt -s nocasematch; case A in a) t=/etc ;; esac",
        "f() { :; }; unset -f f; f || t=/etc",
        "f() { true; }; unset f; f || t=/etc",
        "set -o posix; x=a; x=b :; [ $x = b ] && t=/etc",
        "readonly x=a; unset x; [ \"$x\" = a ] && t=/etc",
        "readonly y=1; (y=2) || t=/etc",
        "for i in 1; do break > /nonexistent/a; t=/etc; done",
        "exit < /nonexistent; t=/etc",
        "exit <&9; t=/etc",
        "f() { return; } < /nonexistent; f; t=/etc",
        "true > /nonexistent/x || t=/etc",
        "{ true; } > /nonexistent/x || t=/etc",
        "echo x >&- || t=/etc",
        "echo > /dev/full || t=/etc",
        "set -o pipefail; false | true || t=/etc",
        "i=0; while ((i < 100)); do ((i++)); [ $i = 77 ] && t=/etc; done",
        "for ((i=0; i<90; i++)); do n=x$n; [ ${#n} = 60 ] && t=/etc; done",
        "for i in {1..40}; do n=$((n+1)); case $n in 33) t=/etc ;; esac; done",
        "f() { i=$((i+1)); if [ $i = 50 ]; then t=/etc; else f; fi; }; i=0; f",
        "declare -f nosuch || t=/etc",
        "shopt -q extglob || t=/etc",
        "local x || t=/etc",
        "export 1a || t=/etc",
        "set -o nosuch || t=/etc",
        "declare -i x=1; x+=1; [ $x = 2 ] && t=/etc",
        "i=0; a[i++]=x; [ $i = 1 ] && t=/etc",
        "read -n1 x <<< abc; [ $x = a ] && t=/etc",
        "read -d, x <<< a,b; [ $x = a ] && t=/etc",
        "x='a b'; [ \"${x@Q}\" = \"'a b'\" ] && t=/etc",
        "x=é; [ ${#x} = 1 ] || t=/etc",
        "[[ 'a[' == a[ ]] && t=/etc",
        "case ']' in [!]a]) ;; *) t=/etc ;; esac",
    ] {
        let script = format!("t=build\n{script}\nrm -rf $t");
        let deletes = |effect: &portcullis_core::effect::Effect| {
            matches!(&effect.kind, EffectKind::Delete { target, .. }
                if target.path.as_deref() == Some("/etc"))
        };
        assert!(effects(&script).list.iter().any(deletes), "{script}");
    }
}

#[test]
fn a_program_that_is_only_mentioned_does_not_run() {
    for script in [
        "echo canary now",
        "echo 'x; canary now'",
        "echo \"a && canary now\"",
        "# canary now",
        "grep -r 'canary now' src",
        "git commit -m 'canary now'",
        "cat > notes.md <<'E'\ncanary now\nE",
        "cat <<'E'\n$(canary now)\nE",
        "printf '%s' 'canary now' > x.txt",
        "x='canary now'",
        "x='canary now'; echo \"$x\"",
        "sed 's/a/canary now/' x",
        "awk '/canary now/'",
        "find . -name 'canary now'",
        "command -v canary now",
        "which canary now",
        "man canary now",
        "python3 -c 'print(\"canary now\")'",
        "echo canary now | base64",
    ] {
        assert!(!runs_canary(script), "{script}");
    }
}

#[test]
fn what_cannot_be_known_is_a_gap() {
    for script in [
        "$UNSET_PROGRAM now",
        "set -- ls canary; false; shift $?; $1 now",
        "false; a=(echo canary); ${a[$?]} now",
        "${PATH:5:2}anary now",
        "ca\0nary now",
        "$(hostname) now",
        "eval \"$UNSET_CODE\"",
        "bash -c \"$UNSET_CODE\"",
        "cat \"$UNSET_FILE\" | tr a b | sh",
        "cat notes.txt | sh",
        "bash < notes.txt",
        "x=$(cat file); $x",
        "python3 -c \"x = 1; $UNSET_CODE\"",
        "python3 -c \"x = 1\n$UNSET_CODE\nprint(x)\"",
        "python3 -c \"if x: $UNSET_CODE\"",
        "python3 -c \"$UNSET_FUNCTION('now')\"",
        "python3 -c \"os.$UNSET_FUNCTION('now')\"",
        "python3 -c \"x_$UNSET_FUNCTION('now')\"",
        "python3 -c \"import $UNSET_MODULE\"",
        "python3 -c \"print(open('a').read()$UNSET_CODE)\"",
        "node -e \"let a = 1; { $UNSET_CODE }\"",
        "awk \"BEGIN { $UNSET_CODE }\"",
        "perl -e \"use strict; $UNSET_CODE;\"",
        "tclsh <<< \"puts a; $UNSET_CODE\"",
        "python3 -c \"import os; os.system('$UNSET_PROGRAM now')\"",
        "python3 -c \"import os; os.system($UNSET_PROGRAM)\"",
        "ruby -e \"system(*%w[$UNSET_PROGRAM now])\"",
    ] {
        let effects = effects(script);
        assert!(!effects.gaps.is_empty(), "{script}");
    }
}

#[test]
fn an_unknown_value_in_code_is_no_gap() {
    for script in [
        "python3 -c \"print($UNSET)\"",
        "python3 -c \"x = $UNSET + 1; print(x, '$UNSET')\"",
        "python3 -c \"import json; print(json.dumps({'a': $UNSET}))\"",
        "python3 -c \"print(f'{$UNSET}')\"",
        "python3 -c \"assert $UNSET == 1\"",
        "node -e \"console.log($UNSET * 2, { a: $UNSET })\"",
        "awk \"NR==$UNSET\" a.txt",
        "awk \"\\$1 > $UNSET { print \\$$UNSET }\" a.txt",
        "ruby -e \"puts $UNSET\"",
    ] {
        assert_eq!(effects(script).gaps, [], "{script}");
    }
}

#[test]
fn a_script_that_is_handed_over_is_run_as_by_its_name() {
    for script in
        ["cat x.sh | sh", "bash < x.sh", "cat x.py | python3", "pwsh -c 'gc x.ps1 -Raw | iex'"]
    {
        assert_eq!(effects(script).gaps, [], "{script}");
    }
    for script in ["sed s/a/b/ x.sh | tr a b | sh", "pwsh -c 'gc \\\\srv\\share\\x.ps1 -Raw | iex'"]
    {
        assert!(!effects(script).gaps.is_empty(), "{script}");
    }
}

#[test]
fn what_a_shell_puts_into_code_is_not_known_there() {
    for script in [
        "rm -r \"$UNSET_PLACE\"",
        "python3 -c \"import shutil; shutil.rmtree('$UNSET_PLACE')\"",
        "python3 -c \"import shutil; shutil.rmtree($UNSET_PLACE)\"",
        "ruby -e \"require 'fileutils'; FileUtils.rm_rf(%w[$UNSET_PLACE])\"",
        "node -e \"require('fs').rmSync('$UNSET_PLACE', { recursive: true })\"",
        "perl -e \"unlink '$UNSET_PLACE'\"",
        "pwsh -c \"Remove-Item -Recurse '$UNSET_PLACE'\"",
    ] {
        let deleted: Vec<_> = effects(script)
            .list
            .iter()
            .filter_map(|effect| match &effect.kind {
                EffectKind::Delete { target, .. } => {
                    Some((target.text.display(), target.path.clone()))
                }
                _ => None,
            })
            .collect();
        assert_eq!(deleted, [("${UNSET_PLACE}".to_owned(), None)], "{script}");
    }
}

#[test]
fn a_private_character_that_the_call_says_itself_stands_for_nothing() {
    let script =
        "python3 -c \"print('$SECRET')\"; rm '\u{f0000}'; bash -c \"rm '\u{f0001}'; $UNSET now\"";
    let deleted: Vec<_> = effects(script)
        .list
        .iter()
        .filter_map(|effect| match &effect.kind {
            EffectKind::Delete { target, .. } => Some(target.text.display()),
            _ => None,
        })
        .collect();
    assert_eq!(deleted, ["\u{f0000}", "${a character}"]);
}

//! The options of programs that run another program, and of those that look at one while it runs.

use super::{Dashes, Ends, Manual, Words};

pub(super) static XARGS: Manual = Manual {
    programs: &["xargs"],
    source: "xargs(1) 4.9 and BSD xargs",
    abbreviates: true,
    ends: Ends::AtOperand,
    flags: Words(
        "--exit --interactive --no-run-if-empty --null --open-tty --show-limits --verbose \
        --version -0 -o -p -r -t -x",
    ),
    values: Words(
        "--arg-file --delimiter --help --max-args --max-chars --max-procs --process-slot-var -E \
        -I -J -L -P -R -S -a -d -n -s",
    ),
    either: Words("--eof --max-lines --replace -e -i -l"),
    ..Manual::EMPTY
};

pub(super) static PARALLEL: Manual = Manual {
    programs: &["parallel"],
    source: "parallel(1) 20221122",
    abbreviates: true,
    ends: Ends::AtOperand,
    flags: Words(
        "--exit --hashbang --number-of-sockets --open-tty --output-as-files --outputasfiles \
        --plain --removerecsep --round --spreadstdin --tee --xapply -o",
    ),
    values: Words(
        "--basenameextensionreplace --basenamereplace --bin --block-size --block-timeout --bner \
        --bnr --bt --cf --dirnamereplace --dnr --er --extensionreplace --group-by \
        --halt-on-error --jl --minversion --res --semaphore-name --semaphore-timeout \
        --seqreplace --shard --shell-completion --slotreplace --sql-and-worker --sql-master \
        --sql-worker --ssh-delay --st --term-seq --tmpl --total -9",
    ),
    either: Words(
        "--arg-file --arg-file-sep --arg-sep --bar --basefile --bf --bg --bibtex --block --cat \
        --citation --cleanup --color --color-failed --colsep --combineexec --compress \
        --controlmaster --csv --ctag --ctagstring --delay --delimiter --dr --dry-run --dryrun \
        --embed --env --eof --eta --fg --fifo --files --filter --filter-hosts --gnu --group \
        --groupby --halt --header --help --hgrp --hostgroups --id --interactive --jobs --keep \
        --keep-order --latest-line --lb --line-buffer --line-buffered --linebuffer --link --ll \
        --load --max-args --max-chars --max-line-length-allowed --max-lines --max-procs \
        --max-replace-args --memfree --memsuspend --nice --no-notice --no-run-if-empty --nonall \
        --noswap --null --number-of-cores --number-of-cpus --number-of-threads --onall --parens \
        --parset --pipe --pipe-part --pipepart --plus --process-slot-var --progress --quote \
        --recend --record-env --recstart --regexp --remove-rec-sep --replace --resume \
        --resume-failed --retries --retry-failed --return --round-robin --rpl --rrs --rsync-opts \
        --semaphore --session --shebang --shebang-wrap --shell-quote --show-limits --shuf \
        --silent --skip-first-line --sql --sqlandworker --sqlmaster --sqlwork --sqlworker --tag \
        --tagexec --tagstring --template --tf --timeout --tmux --tmux-command --tmuxpane \
        --total-jobs --transfer --transferfile --transferfile-command --trc --trim --tty \
        --ungroup --unsafe --use-cores-instead-of-threads --use-cpus-instead-of-cores \
        --use-sockets-instead-of-threads --verbose --version --wait --wd --will-cite --workdir \
        --xargs -0 -1 -2 -B -C -D -E -I -L -M -N -P -T -U -V -W -X -a -c -d -e -g -h -i -j -k -l \
        -m -n -p -q -r -s -t -u -v -x",
    ),
    writes: Words("--joblog --results --tempdir --tmpdir"),
    runs: Words("--compress-program --decompress-program --limit --ssh --sshlogin -S"),
    loads: Words("--profile --slf --sshloginfile -J"),
    ..Manual::EMPTY
};

pub(super) static ENV: Manual = Manual {
    programs: &["env"],
    source: "env(1) 9.1 and BSD env",
    abbreviates: true,
    ends: Ends::AtOperand,
    flags: Words("- --debug --ignore-environment --list-signal-handling --null --version -0 -i -v"),
    values: Words("--argv0 -a"),
    either: Words("--block-signal --default-signal --help --ignore-signal"),
    followed: Words("--chdir --split-string --unset -C -P -S -u"),
    ..Manual::EMPTY
};

pub(super) static SUDO: Manual = Manual {
    programs: &["sudo"],
    source: "sudo(8) 1.9",
    ends: Ends::AtOperand,
    flags: Words(
        "--askpass --background --bell --edit --help --list --login --no-update --non-interactive \
        --preserve-groups --remove-timestamp --reset-timestamp --set-home --shell --stdin \
        --validate --version -A -B -E -H -K -N -P -S -V -b -e -i -k -l -n -s -v",
    ),
    values: Words(
        "--auth-type --chdir --chroot --close-from --command-timeout --group --login-class \
        --other-user --prompt --role --type --user -C -D -R -T -U -a -c -g -p -r -t -u",
    ),
    either: Words("--host --preserve-env -h"),
    ..Manual::EMPTY
};

pub(super) static TIMEOUT: Manual = Manual {
    programs: &["timeout"],
    source: "timeout(1) 9.1",
    abbreviates: true,
    ends: Ends::AtOperand,
    flags: Words("--foreground --preserve-status --verbose --version -f -p -v"),
    values: Words("--kill-after --signal -k -s"),
    either: Words("--help"),
    ..Manual::EMPTY
};

pub(super) static NICE: Manual = Manual {
    programs: &["nice"],
    source: "nice(1) 9.1",
    abbreviates: true,
    ends: Ends::AtOperand,
    glued: Words("--1 --2 -0 -1 -2 -3 -4 -5 -6 -7 -8 -9"),
    flags: Words("--version"),
    values: Words("--adjustment -n"),
    either: Words("--help"),
    ..Manual::EMPTY
};

pub(super) static NOHUP: Manual = Manual {
    programs: &["nohup"],
    source: "nohup(1) 9.1",
    abbreviates: true,
    ends: Ends::AtOperand,
    flags: Words("--help --version"),
    ..Manual::EMPTY
};

pub(super) static STDBUF: Manual = Manual {
    programs: &["stdbuf"],
    source: "stdbuf(1) 9.1",
    abbreviates: true,
    ends: Ends::AtOperand,
    flags: Words("--version"),
    values: Words("--error --input --output -e -i -o"),
    either: Words("--help"),
    ..Manual::EMPTY
};

pub(super) static SETSID: Manual = Manual {
    programs: &["setsid"],
    source: "setsid(1) 2.38",
    abbreviates: true,
    ends: Ends::AtOperand,
    flags: Words("--ctty --fork --help --version --wait -V -c -f -h -w"),
    ..Manual::EMPTY
};

pub(super) static IONICE: Manual = Manual {
    programs: &["ionice"],
    source: "ionice(1) 2.38",
    abbreviates: true,
    ends: Ends::AtOperand,
    flags: Words("--help --ignore --version -V -h -t"),
    values: Words("--class --classdata --pgid --pid --uid -P -c -n -p -u"),
    ..Manual::EMPTY
};

pub(super) static STRACE: Manual = Manual {
    programs: &["strace"],
    source: "strace(1) 6.1",
    abbreviates: true,
    ends: Ends::AtOperand,
    flags: Words(
        "--daemonize --debug --failed-only --follow-forks --help --instruction-pointer \
        --output-append-mode --output-separately --pidns-translation --seccomp-bpf --secontext \
        --stack-traces --successful-only --summary --summary-only --summary-wall-clock \
        --syscall-number --version -A -C -F -N -T -V -W -Y -Z -c -d -h -i -k -n -v -w -z",
    ),
    values: Words(
        "--abbrev --attach --columns --const-print-style --decode-pids --detach-on --fault \
        --inject --interruptible --kvm --namespace --raw --read --signal --silence --silent \
        --stack-trace-frame-limit --status --string-limit --summary-columns --summary-sort-by \
        --summary-syscall-overhead --syscall-limit --trace --trace-path --user --verbose --write \
        -I -O -P -S -U -X -a -b -e -p -s -u",
    ),
    either: Words(
        "--absolute-timestamps --decode-fds --quiet --relative-timestamps --strings-in-hex \
        --syscall-times --timestamps --tips -D -f -q -r -t -x -y",
    ),
    followed: Words("--output -o"),
    sets: Words("--env -E"),
    ..Manual::EMPTY
};

pub(super) static LTRACE: Manual = Manual {
    programs: &["ltrace"],
    source: "ltrace(1) 0.7",
    abbreviates: true,
    ends: Ends::AtOperand,
    flags: Words("--demangle --help --no-signals --version -C -L -S -T -V -b -c -f -h -i -r"),
    values: Words("--align --indent --library --where -A -a -e -l -n -p -s -u -w -x"),
    either: Words("--debug -D -t"),
    writes: Words("--output -o"),
    loads: Words("--config -F"),
    ..Manual::EMPTY
};

pub(super) static GDB: Manual = Manual {
    programs: &["gdb"],
    source: "gdb(1) 13.1",
    dashes: Dashes::One,
    abbreviates: true,
    finals: Words("--args -args"),
    flags: Words(
        "--args --batch --batch-silent --configuration --fullname --help --nh --no-escape-args \
        --nw --nx --quiet --readnever --readnow --return-child-result --silent --statistics \
        --tui --version --write -f -h -n -q -r -v -w",
    ),
    values: Words(
        "--cd --core --dbx --directory --exec --interpreter --pid --se --symbols --tty -b -c -d \
        -e -i -l -p -s -t",
    ),
    either: Words("--annotate"),
    followed: Words(
        "--command --early-init-command --early-init-eval-command --eval-command --init-command \
        --init-eval-command -eiex -eix -ex -iex -ix -x",
    ),
    loads: Words("--data-directory -D"),
    ..Manual::EMPTY
};

pub(super) static TCPDUMP: Manual = Manual {
    programs: &["tcpdump"],
    source: "tcpdump(1) 4.99",
    flags: Words(
        "-# --absolute-tcp-sequence-numbers --count --dont-verify-checksums --immediate-mode \
        --lengths --list-data-link-types --list-interfaces --list-time-stamp-types --micro \
        --monitor-mode --no-optimize --no-promiscuous-mode --number --packet-buffered --print \
        --skip --version -A -D -H -I -J -K -L -N -O -S -U -X -b -d -e -f -h -l -n -p -q -t -u -v \
        -x",
    ),
    values: Words(
        "--buffer-size --direction --interface --linktype --relinquish-privileges \
        --snapshot-length --time-stamp-precision --time-stamp-type -B -C -G -P -Q -T -W -Z -c -i \
        -j -m -s -y",
    ),
    either: Words("--help --nano -E"),
    followed: Words("-z"),
    reads: Words("-F -V -r"),
    writes: Words("-w"),
    secrets: Words("-M"),
    ..Manual::EMPTY
};

//! The options of programs that build.

use super::{Dashes, Ends, Manual, Words};

pub(super) static MAKE: Manual = Manual {
    programs: &["make"],
    source: "make(1) 4.3 and `make --help`",
    abbreviates: true,
    flags: Words(
        "--always-make --check-symlink-times --dry-run --environment-overrides --help \
        --ignore-errors --just-print --keep-going --no-builtin-rules --no-builtin-variables \
        --print-data-base --print-directory --print-targets --question --quiet --recon --silent \
        --stop --touch --trace --version --warn-undefined-variables -B -L -R -S -b -e -i -k -m \
        -n -p -q -r -s -t -v -w",
    ),
    values: Words(
        "--assume-new --assume-old --jobserver-auth --jobserver-style --new-file --old-file \
        --what-if -W -o",
    ),
    either: Words(
        "--debug --jobs --jobserver-fds --load-average --max-load --output-sync --shuffle -O -d \
        -h -j -l",
    ),
    followed: Words("--directory --eval -C -E"),
    scripts: Words("--file --include-dir --makefile -I -f"),
    ..Manual::EMPTY
};

pub(super) static CARGO: Manual = Manual {
    programs: &["cargo"],
    source: "cargo help, 1.95",
    ends: Ends::Behind(Words("r run")),
    verbs: Words(
        "add b bench build c check clean clippy config d doc fetch fix fmt generate-lockfile help \
        info init install locate-project login logout metadata new owner package pkgid publish r \
        read-manifest remove report rm run rustc rustdoc search t test tree uninstall update \
        vendor verify-project version yank",
    ),
    before: Words("--color --config -C -Z"),
    flags: Words(
        "--all --all-features --all-targets --allow-dirty --allow-no-vcs --allow-staged --benches \
        --bins --broken-code --build --check --color-always --debug --default-features --dev \
        --doc --doctests --document-private-items --dry-run --duplicates --edition-idioms \
        --examples --exclude-lockfile --force --frozen --future-incompat-report \
        --ignore-rust-version --lib --nightly --no-dedupe --no-delete --no-deps --no-metadata \
        --no-run --no-track --no-verify --offline --open --optional --public --quiet --recursive \
        --release --respect-source-config --tests --undo --unit-graph --verbose --versioned-dirs \
        --workspace -V -h -l -n -q -v -vv",
    ),
    values: Words(
        "--add --base --bench --bin --branch --charset --color --depth --edges --example \
        --exclude --features --filter-platform --format --format-version --id --jobs --limit \
        --lockfile-path --manifest-path --message-format --name --package --precise --prefix \
        --print --profile --prune --remove --rename --rev --sync --tag --test --vcs --vers -C -Z \
        -e -j -p",
    ),
    either: Words(
        "--allow --breaking --crate-type --deny --edition --explain --fix --forbid --help \
        --invert --keep-going --list --locked --no-fail-fast --output-format --publish-time \
        --target --timings --version --warn -A -D -F -W -f -i -r",
    ),
    followed: Words("--config --git --index --path --registry --target-dir"),
    writes: Words("--artifact-dir --out-dir --root"),
    secrets: Words("--token"),
    ..Manual::EMPTY
};

pub(super) static GO: Manual = Manual {
    programs: &["go"],
    source: "go help, go help build, go help testflag, 1.23",
    dashes: Dashes::One,
    ends: Ends::Behind(Words("run tool")),
    verbs: Words(
        "bug build clean doc env fix fmt generate get help install list mod run telemetry test \
        tool version vet work",
    ),
    open: Words("generate test"),
    flags: Words(
        "-a -all -appends -asan -asmdecl -assign -atomic -benchmem -bools -buildtag -c -cache \
        -cgocall -changed -cmd -compiled -composites -copylocks -cover -d -defers -deps -diff \
        -directive -dropuse -e -errorsas -export -f -failfast -find -framepointer -fuzzcache \
        -go1 -h -help -hostport -httpresponse -i -ifaceassert -ignore -insecure -json \
        -linkshared -loopclosure -lostcancel -m -modcache -modcacherw -msan -n -nilfunc -print \
        -printf -printf.funcs -r -race -retracted -reuse -s -shift -short -sigchanyzer -slog \
        -src -stdmethods -stdversion -stringintconv -structtag -sync -t -test -testcache \
        -testinggoroutine -tests -timeformat -trimpath -u -unmarshal -unreachable -unsafeptr \
        -unusedresult -unusedresult.funcs -use -v -vendor -versions -w -waitgroup -work -x",
    ),
    values: Words(
        "-C -asmflags -bench -benchtime -blockprofilerate -buildmode -compat -compiler -count \
        -covermode -coverpkg -cpu -dropexclude -dropgodebug -dropreplace -droprequire \
        -dropretract -droptool -exclude -fmt -fuzz -fuzzminimizetime -fuzztime -gccgoflags \
        -gcflags -go -godebug -graph -http -installsuffix -ldflags -list -memprofilerate -mod \
        -module -modulePath -mutexprofilefraction -p -parallel -pgo -replace -require -retract \
        -run -shuffle -skip -tags -timeout -tool -toolchain",
    ),
    either: Words("-buildvcs"),
    writes: Words(
        "-blockprofile -coverprofile -cpuprofile -memprofile -mutexprofile -o -outputdir -pkgdir \
        -trace",
    ),
    runs: Words("-exec -fixtool -toolexec -vettool"),
    loads: Words("-modfile -overlay"),
    ..Manual::EMPTY
};

pub(super) static MVN: Manual = Manual {
    programs: &["mvn", "mvnw"],
    source: "mvn --help, 3.8 and what 3.9 added",
    glued: Words("-D -P -T"),
    flags: Words(
        "--also-make --also-make-dependents --batch-mode --check-plugin-updates --debug --errors \
        --fail-at-end --fail-fast --fail-never --help --ignore-transitive-repositories \
        --lax-checksums --legacy-local-repository --no-plugin-registry --no-plugin-updates \
        --no-snapshot-updates --no-transfer-progress --non-interactive --non-recursive --offline \
        --quiet --raw-streams --show-version --strict-artifact-descriptor-policy \
        --strict-checksums --update-plugins --update-snapshots --version -B -C -N -U -V -X -am \
        -amd -c -cpu -e -fae -ff -fn -h -itr -llr -npr -npu -nsu -ntp -o -q -up -v",
    ),
    values: Words(
        "--activate-profiles --builder --color --define --projects --resume-from --threads -D -P \
        -T -b -fs -pl -rf",
    ),
    followed: Words("--file -f"),
    writes: Words("--log-file -l"),
    loads: Words("--global-settings --global-toolchains --settings --toolchains -gs -gt -s -t"),
    secrets: Words("--encrypt-master-password --encrypt-password -emp -ep"),
    ..Manual::EMPTY
};

pub(super) static GRADLE: Manual = Manual {
    programs: &["gradle", "gradlew"],
    source: "gradle --help, 8",
    open: Words("bootRun run test"),
    glued: Words("-D -P"),
    flags: Words(
        "--all --build-cache --configuration-cache --configure-on-demand --continue --continuous \
        --daemon --debug --dry-run --exclude-task --export-keys --foreground --full-stacktrace \
        --help --info --isolated-projects --no-rebuild --non-interactive --offline --parallel \
        --profile --quiet --refresh-dependencies --refresh-keys --rerun --rerun-tasks \
        --show-version --stacktrace --status --stop --tests --version --warn --watch-fs \
        --write-locks -? -S -V -a -d -h -i -m -q -s -t -v -w -x",
    ),
    values: Words(
        "--args --configuration --configuration-cache-problems --console --debug-jvm --dependency \
        --dependency-verification --distribution-type --dsl --fail-fast \
        --gradle-distribution-url --gradle-version --max-workers --package --priority \
        --problems-report --project-name --project-prop --system-prop --task --test-framework \
        --type --update-locks --warning-mode --write-verification-metadata -F -M -P",
    ),
    either: Words("--scan"),
    followed: Words("--build-file --project-dir -b -p"),
    writes: Words("--project-cache-dir"),
    loads: Words("--gradle-user-home --init-script --settings-file -I -c -g"),
    scripts: Words("--include-build"),
    ..Manual::EMPTY
};

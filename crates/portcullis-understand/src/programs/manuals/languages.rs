//! The options of interpreters.

use super::{Dashes, Ends, Manual, Words};

pub(super) static PERL: Manual = Manual {
    programs: &["perl"],
    source: "perlrun(1) 5.36",
    ends: Ends::AtOperand,
    flags: Words("-S -T -U -W -X -a -c -f -g -h -n -p -s -t -u -v -w"),
    either: Words("-0 -C -D -E -F -V -d -e -i -l -x"),
    scripts: Words("-I -M -m"),
    ..Manual::EMPTY
};

pub(super) static PYTHON: Manual = Manual {
    programs: &["python", "python3", "python2", "pypy", "pypy3"],
    source: "python(1) 3.11",
    ends: Ends::AtOperand,
    finals: Words("-c -m"),
    flags: Words(
        "--help --help-all --help-env --help-xoptions --version -3 -? -B -E -I -O -P -R -S -V -b \
        -d -h -i -q -s -t -u -v -x",
    ),
    values: Words("--check-hash-based-pycs -J -Q -W -X"),
    either: Words("-c -m"),
    ..Manual::EMPTY
};

pub(super) static RUBY: Manual = Manual {
    programs: &["ruby"],
    source: "ruby --help, 3.1",
    ends: Ends::AtOperand,
    flags: Words(
        "--copyright --debug --disable-all --disable-did_you_mean --disable-gems --disable-jit \
        --disable-rubyopt --enable-frozen-string-literal --enable-jit --help --mjit --mjit-debug \
        --mjit-save-temps --mjit-wait --rjit --verbose --version --yjit-call-threshold \
        --yjit-greedy-versioning --yjit-max-versions -S -a -c -d -h -l -n -p -s -v -w -y",
    ),
    values: Words(
        "--external-encoding --internal-encoding --mjit-max-cache --mjit-min-calls --mjit-verbose \
        --mjit-warnings --yjit-exec-mem-size",
    ),
    either: Words(
        "--backtrace-limit --disable --dump --enable --encoding --jit --parser --yjit -0 -C -E -F \
        -K -T -U -W -X -e -i -x",
    ),
    followed: Words("--crash-report"),
    scripts: Words("-I -r"),
    ..Manual::EMPTY
};

pub(super) static NODE: Manual = Manual {
    programs: &["node"],
    source: "node(1) 20 and `node --help`",
    ends: Ends::AtOperand,
    flags: Words(
        "--abort-on-uncaught-exception --allow-addons --allow-child-process --allow-inspector \
        --allow-natives-syntax --allow-net --allow-wasi --allow-worker --always-opt \
        --build-snapshot --check --completion-bash --cpu-prof --deprecation --disable-sigusr1 \
        --disallow-code-generation-from-strings --enable-fips \
        --enable-network-family-autoselection --enable-source-maps --entry-url \
        --experimental-abortcontroller --experimental-addon-modules \
        --experimental-async-context-frame --experimental-config --experimental-detect-module \
        --experimental-eventsource --experimental-fetch --experimental-global-customevent \
        --experimental-global-navigator --experimental-import-meta-resolve \
        --experimental-inspector-network-resource --experimental-json-modules \
        --experimental-loader-worker --experimental-network-imports \
        --experimental-network-inspection --experimental-permission \
        --experimental-print-required-tla --experimental-repl-await \
        --experimental-require-module --experimental-sea-config --experimental-shadow-realm \
        --experimental-specifier-resolution --experimental-sqlite --experimental-strip-types \
        --experimental-test-coverage --experimental-test-isolation \
        --experimental-test-module-mocks --experimental-test-snapshots \
        --experimental-top-level-await --experimental-transform-types --experimental-vm-modules \
        --experimental-wasi-unstable-preview1 --experimental-wasm-modules \
        --experimental-websocket --experimental-webstorage --experimental-worker \
        --experimental-worker-inspection --expose-gc --expose-internals --expose_gc \
        --force-context-aware --force-fips --force-node-api-uncaught-exceptions-policy \
        --frozen-intrinsics --gc-global --harmony --heap-prof --help \
        --huge-max-old-generation-size --insecure-http-parser --interactive \
        --interpreted-frames-native-stack --jitless --lite-mode --napi-modules \
        --network-family-autoselection --no-addons --no-async-context-frame \
        --no-experimental-global-webcrypto --no-extra-info-on-fatal-exception \
        --no-force-async-hooks-checks --no-global-search-paths --no-lazy --no-opt \
        --node-memory-debug --node-snapshot --openssl-legacy-provider --openssl-shared-config \
        --optimize-for-size --pending-deprecation --perf-basic-prof \
        --perf-basic-prof-only-functions --perf-prof --perf-prof-unwinding-info --permission \
        --preserve-symlinks --preserve-symlinks-main --prof --prof-process --report-compact \
        --report-on-fatalerror --report-on-signal --report-uncaught-exception --single-threaded \
        --stack-trace --strip-types --test --test-force-exit --test-only --test-update-snapshots \
        --throw-deprecation --tls-max-v1.2 --tls-max-v1.3 --tls-min-v1.0 --tls-min-v1.1 \
        --tls-min-v1.2 --tls-min-v1.3 --trace-atomics-wait --trace-deopt --trace-deprecation \
        --trace-env --trace-env-js-stack --trace-env-native-stack --trace-events-enabled \
        --trace-exit --trace-gc --trace-ic --trace-opt --trace-promises --trace-sigint \
        --trace-sync-io --trace-tls --trace-turbo --trace-uncaught --trace-warnings \
        --track-heap-objects --use-bundled-ca --use-env-proxy --use-openssl-ca --use-strict \
        --use-system-ca --v8-options --verify-base-objects --version --warnings --watch \
        --zero-fill-buffers -c -h -i -pe -v",
    ),
    values: Words(
        "--conditions --disable-proto --disable-warning --dns-result-order \
        --experimental-default-type --gc-interval --heapsnapshot-near-heap-limit \
        --heapsnapshot-signal --initial-old-space-size --input-type --inspect-publish-uid \
        --localstorage-file --max-heap-size --max-http-header-size --max-lazy \
        --max-old-space-size --max-semi-space-size --min-semi-space-size \
        --network-family-autoselection-attempt-timeout --policy-integrity --random-seed --run \
        --secure-heap --secure-heap-min --stack-size --test-coverage-branches \
        --test-coverage-exclude --test-coverage-functions --test-coverage-include \
        --test-coverage-lines --test-isolation --test-rerun-failures --test-skip-pattern --title \
        --tls-cipher-list --trace-event-categories --unhandled-rejections --use-largepages \
        --v8-pool-size --watch-kill-signal --watch-path -C",
    ),
    either: Words(
        "--allow-fs-read --allow-fs-write --cpu-prof-interval --cpu-prof-name \
        --disable-wasm-trap-handler --eval --heap-prof-interval --heap-prof-name --inspect \
        --inspect-brk --inspect-port --inspect-wait --print --report-signal \
        --stack-trace-limit --test-concurrency --test-name-pattern --test-shard --test-timeout \
        --trace-require-module --turbo-filter --watch-preserve-output -e -p",
    ),
    writes: Words(
        "--cpu-prof-dir --diagnostic-dir --heap-prof-dir --logfile --redirect-warnings \
        --report-dir --report-directory --report-filename --test-reporter-destination --tls-keylog \
        --trace-event-file-pattern",
    ),
    loads: Words(
        "--build-snapshot-config --experimental-config-file --experimental-default-config-file \
        --experimental-policy --icu-data-dir --openssl-config --snapshot-blob",
    ),
    scripts: Words(
        "--experimental-loader --import --loader --require --test-global-setup --test-reporter -r",
    ),
    secrets: Words("--env-file --env-file-if-exists"),
    ..Manual::EMPTY
};

pub(super) static JAVA: Manual = Manual {
    programs: &["java"],
    source: "java(1) 17",
    dashes: Dashes::One,
    ends: Ends::AtOperand,
    glued: Words(
        "--add- --describe-module --enable-native-access --finalization --illegal-access \
        --limit-modules --sun-misc --validate-modules -D -X -da: -disableassertions: -dsa: -ea: \
        -enableassertions: -esa: -splash: -verbose:",
    ),
    finals: Words("-jar"),
    flags: Words(
        "--dry-run --enable-preview --help-extra --list-modules --show-module-resolution \
        --show-version --validate-modules --version -? -X -Xbatch -Xdebug -Xfuture -Xint \
        -Xinternalversion -Xmixed -Xmn256m -Xmn262144k -Xmn268435456 -Xms6144k -Xms6291456 \
        -Xms6m -Xmx80m -Xmx81920k -Xmx83886080 -Xnoclassgc -Xrs -Xss1024k -Xss1048576 -Xss1m \
        -XstartOnFirstThread -client -d32 -d64 -disablesystemassertions -dsa \
        -enablesystemassertions -esa -fullversion -h -help -hotspot -server -showversion \
        -version",
    ),
    values: Words(
        "--add-exports --add-modules --add-opens --add-reads --describe-module --disable- \
        --illegal-access --limit-modules -Dproperty -XX -Xbootclasspath -Xcheck -Xdiag -Xdock \
        -Xloggc -Xmn -Xms -Xmx -Xshare -Xss -agentlib -agentpath -d -javaagent -splash",
    ),
    either: Words(
        "--help -Xlog -XshowSettings -da -disableassertions -ea -enableassertions -jar -verbose",
    ),
    followed: Words(
        "--class-path --module --module-path --patch-module --source --upgrade-module-path \
        -classpath -cp -m -p",
    ),
    writes: Words("-XX:ErrorFile -XX:HeapDumpPath -XX:LogFile -Xloggc:"),
    runs: Words("-XX:OnError -XX:OnOutOfMemoryError"),
    loads: Words(
        "-Djava.library.path -Djava.security.properties -Djava.system.class.loader -XX:Flags \
        -XX:VMOptionsFile -Xbootclasspath/a: -Xbootclasspath/p: -Xbootclasspath: -Xrun \
        -agentlib: -agentpath: -javaagent:",
    ),
    ..Manual::EMPTY
};

//! The options of clients of databases.

use super::{Dashes, Manual, Words};

pub(super) static PSQL: Manual = Manual {
    programs: &["psql"],
    source: "psql(1) 15",
    abbreviates: true,
    flags: Words(
        "--csv --echo-all --echo-errors --echo-hidden --echo-queries --expanded \
        --field-separator-zero --html --list --no-align --no-psqlrc --no-readline --password \
        --quiet --record-separator-zero --single-line --single-step --single-transaction \
        --tuples-only --version -0 -1 -A -H -S -V -W -X -b -l -q -s -w -x -z",
    ),
    values: Words(
        "--dbname --field-separator --host --port --pset --record-separator --set --table-attr \
        --username --variable -F -P -R -T -U -d -h -p -v",
    ),
    either: Words("--help -? -E -a -e -n -t"),
    followed: Words("--command -c"),
    writes: Words("--log-file --output -L -o"),
    scripts: Words("--file -f"),
    ..Manual::EMPTY
};

pub(super) static MYSQL: Manual = Manual {
    programs: &["mysql"],
    source: "mysql --help, MariaDB 10.11, and the manual of MySQL 8.0",
    abbreviates: true,
    flags: Words(
        "--abort-source-on-error --auto-rehash --auto-vertical-output --binary-as-hex \
        --binary-mode --column-names --column-type-info --commands --comments \
        --connect-expired-password --debug-check --debug-info --enable-cleartext-plugin --force \
        --get-server-public-key --help --html --i-am-a-dummy --line-numbers --local-infile \
        --named-commands --no-beep --no-defaults --one-database --print-defaults \
        --print-query-on-error --progress-reports --quick --raw --reconnect --safe-updates \
        --sandbox --secure-auth --show-warnings --sigint-ignore --silent --skip-auto-rehash \
        --skip-column-names --skip-comments --skip-line-numbers --skip-named-commands \
        --skip-pager --skip-reconnect --skip-ssl --skip-system-command --skip-warnings \
        --ssl-verify-server-cert --system-command --table --unbuffered --verbose --version \
        --vertical --wait --xml -? -A -B -C -E -G -H -I -L -N -T -U -V -X -b -c -f -n -o -q -s \
        -t -v",
    ),
    values: Words(
        "--bind-address --character-sets-dir --compression-algorithms --connect-timeout \
        --database --default-character-set --defaults-group-suffix --delimiter --disable-tee \
        --dns-srv-name --histignore --host --ignore-spaces --load-data-local-dir \
        --max-allowed-packet --max-join-size --net-buffer-length --network-timeout \
        --oci-config-file --port --prompt --protocol --quick-max-column-width --select-limit \
        --server-arg --socket --ssl-ca --ssl-capath --ssl-cipher --ssl-crl --ssl-crlpath \
        --ssl-fips-mode --ssl-mode --syslog --tls-ciphersuites --tls-sni-servername \
        --tls-version --user --zstd-compression-level -D -P -S -h -i -u",
    ),
    either: Words("-# --batch --compress --debug --ssl -r -w"),
    followed: Words("--execute --init-command --init-command-add --pager -e"),
    writes: Words("--tee"),
    loads: Words("--default-auth --defaults-extra-file --defaults-file --plugin-dir"),
    secrets: Words(
        "--login-path --password --password1 --password2 --password3 \
        --plugin-authentication-kerberos-client-mode --server-public-key-path --ssl-cert \
        --ssl-key -p",
    ),
    ..Manual::EMPTY
};

pub(super) static SQLITE3: Manual = Manual {
    programs: &["sqlite3"],
    source: "sqlite3 -help, 3.40",
    dashes: Dashes::One,
    flags: Words(
        "-A -append -ascii -bail -batch -box -column -csv -deserialize -echo -escape -header \
        -help -html -ifexists -interactive -json -line -list -markdown -memtrace -multiplex \
        -no-rowid-in-view -nofollow -noheader -qbox -quote -readonly -ro -safe -screenwidth \
        -stats -table -tabs -unsafe-testing -version -zip",
    ),
    values: Words(
        "-heap -lookaside -maxsize -mmap -newline -nonce -nullvalue -pagecache -separator \
        -sorterref -vfs",
    ),
    followed: Words("-cmd"),
    scripts: Words("-init"),
    ..Manual::EMPTY
};

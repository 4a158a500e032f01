//! The options of ssh and its kin, of rsync, curl, wget and gh.

use super::{Manual, Words};

pub(super) static SSH: Manual = Manual {
    programs: &["ssh"],
    source: "ssh(1) of OpenSSH 9.2",
    flags: Words("-4 -6 -A -C -G -K -M -N -T -V -X -Y -a -f -g -k -n -q -s -t -v -x -y"),
    values: Words("-B -O -P -Q -b -c -e -l -m -p -w"),
    followed: Words("-D -E -F -I -J -L -R -W -o"),
    reads: Words("-S"),
    secrets: Words("-i"),
    ..Manual::EMPTY
};

pub(super) static SCP: Manual = Manual {
    programs: &["scp"],
    source: "scp(1) of OpenSSH 9.2",
    flags: Words("-1 -2 -3 -4 -6 -A -B -C -O -R -T -p -q -r -s -v"),
    values: Words("-P -X -c -l"),
    followed: Words("-D -F -J -S -o"),
    secrets: Words("-i"),
    ..Manual::EMPTY
};

pub(super) static SFTP: Manual = Manual {
    programs: &["sftp"],
    source: "sftp(1) of OpenSSH 9.2",
    flags: Words("-1 -2 -4 -6 -A -C -N -a -f -p -q -r -v"),
    values: Words("-B -P -R -X -c -l -s"),
    followed: Words("-D -F -J -S -b -o"),
    secrets: Words("-i"),
    ..Manual::EMPTY
};

pub(super) static SSH_KEYGEN: Manual = Manual {
    programs: &["ssh-keygen"],
    source: "ssh-keygen(1) of OpenSSH 9.2",
    flags: Words("-A -B -H -K -L -Q -U -c -e -g -h -i -k -l -p -q -u -v -y"),
    values: Words("-C -E -F -I -O -R -V -Y -Z -a -b -m -n -r -s -t -z"),
    followed: Words("-D -M -f -w"),
    secrets: Words("-N -P"),
    ..Manual::EMPTY
};

pub(super) static SSH_ADD: Manual = Manual {
    programs: &["ssh-add"],
    source: "ssh-add(1) of OpenSSH 9.2",
    flags: Words("-A -C -D -K -L -M -X -c -d -k -l -q -v -x"),
    values: Words("-E -H -h -m -t"),
    followed: Words("--apple-load-keychain --apple-use-keychain -S -T -e -s"),
    ..Manual::EMPTY
};

pub(super) static SSH_KEYSCAN: Manual = Manual {
    programs: &["ssh-keyscan"],
    source: "ssh-keyscan(1) of OpenSSH 9.2",
    flags: Words("-4 -6 -D -H -c -q -v"),
    values: Words("-O -T -p -t"),
    reads: Words("-f"),
    ..Manual::EMPTY
};

pub(super) static RSYNC: Manual = Manual {
    programs: &["rsync"],
    source: "rsync(1) 3.2.7",
    flags: Words(
        "--8-bit-output --acls --append --append-verify --archive --atimes --backup --blocking-io \
        --cc-none --checksum --compress --copy-devices --copy-dirlinks --copy-links \
        --copy-unsafe-links --crtimes --cvs-exclude --daemon --del --delay-updates \
        --delete-after --delete-before --delete-delay --delete-during --delete-excluded \
        --delete-missing-args --devices --dirs --dry-run --executability --existing --fake-super \
        --force --from0 --fsync --fuzzy --group --hard-links --human-readable --i-r \
        --ignore-errors --ignore-existing --ignore-missing-args --ignore-non-existing \
        --ignore-times --inc-recursive --inplace --ipv4 --ipv6 --itemize-changes --links \
        --list-only --mkpath --msgs2stderr --munge-links --no-D --no-OPTION --no-R --no-detach \
        --no-g --no-i-d --no-implied-dirs --no-l --no-motd --no-o --no-p --no-r --no-t --no-z \
        --numeric-ids --old-args --old-d --old-dirs --omit-dir-times --omit-link-times \
        --one-file-system --open-noatime --owner --partial --perms --preallocate \
        --prune-empty-dirs --quiet --recursive --relative --remove-source-files --safe-links \
        --secluded-args --sender --server --size-only --sparse --specials --stats --super \
        --times --trust-sender --update --verbose --version --whole-file --write-devices \
        --xattrs --zc-none -0 -4 -6 -8 -A -C -D -E -F -H -I -J -K -L -N -O -P -R -S -U -V -W -X \
        -a -b -c -d -g -i -k -l -m -n -q -r -s -t -u -x -y -z",
    ),
    values: Words(
        "--block-size --bwlimit --cc --checksum-choice --checksum-seed --chmod --chown \
        --compress-choice --compress-level --compress-threads --contimeout --debug --exclude \
        --groupmap --iconv --include --info --log-file-format --log-format --max-alloc \
        --max-delete --max-size --min-size --modify-window --out-format --outbuf --protocol \
        --skip-compress --stderr --stop-after --stop-at --suffix --timeout --usermap --zc --zl \
        --zt -@ -B",
    ),
    either: Words("--delete --help --keep-dirlinks --progress --sockopts -h -o -p -v"),
    followed: Words(
        "--backup-dir --config --exclude-from --files-from --filter --include-from \
        --only-write-batch --partial-dir --rsh --rsync-path --temp-dir --write-batch -T -e -f",
    ),
    reads: Words("--compare-dest --copy-dest --early-input --link-dest --read-batch"),
    writes: Words("--log-file"),
    loads: Words("--dparam"),
    passes: Words("--remote-option -M"),
    reaches: Words("--address --port"),
    secrets: Words("--copy-as --password-file"),
    ..Manual::EMPTY
};

pub(super) static CURL: Manual = Manual {
    programs: &["curl"],
    source: "curl(1) 7.88 and what 8.x added",
    abbreviates: true,
    flags: Words(
        "-# --alpn --anyauth --append --basic --buffer --ca-native --cert-status --compressed \
        --compressed-ssh --create-dirs --digest --disable --disallow-username-in-url \
        --doh-cert-status --doh-insecure --dump-ca-embed --fail --fail-with-body --false-start \
        --follow --form-escape --ftp-create-dirs --ftp-pasv --ftp-pret --ftp-skip-pasv-ip \
        --ftp-ssl-ccc --ftp-ssl-control --get --globoff --haproxy-protocol --head --http0.9 \
        --http1.0 --http1.1 --http2 --ignore-content-length --include --insecure --ipv4 --ipv6 \
        --junk-session-cookies --keepalive --list-only --location --location-trusted \
        --mail-rcpt-allowfails --manual --metalink --mptcp --negotiate --no-clobber --npn \
        --ntlm-wb --out-null --parallel --parallel-immediate --path-as-is --post301 --post302 \
        --post303 --progress-bar --progress-meter --proxy-anyauth --proxy-basic \
        --proxy-ca-native --proxy-digest --proxy-http2 --proxy-insecure --proxy-negotiate \
        --proxy-ntlm --proxy-ssl-allow-beast --proxy-ssl-auto-client-cert --proxy-tlsv1 \
        --proxytunnel --raw --remote-header-name --remote-name-all --remote-time \
        --remove-on-error --retry-all-errors --retry-connrefused --sasl-ir --sessionid \
        --show-error --silent --skip-existing --socks5-basic --socks5-gssapi --socks5-gssapi-nec \
        --ssl --ssl-allow-beast --ssl-auto-client-cert --ssl-no-revoke --ssl-reqd \
        --ssl-revoke-best-effort --sslv2 --sslv3 --styled-output --suppress-connect-headers \
        --tcp-fastopen --tcp-nodelay --tftp-no-options --tls-earlydata --tlsv1 --tlsv1.0 \
        --tlsv1.1 --tlsv1.2 --tlsv1.3 --tr-encoding --trace-ids --trace-time --use-ascii \
        --verbose --version --xattr -0 -1 -2 -3 -4 -6 -: -B -G -I -J -L -M -R -S -V -Z -a -f -g \
        -i -j -k -l -p -q -s -v",
    ),
    values: Words(
        "--cert-type --ciphers --connect-timeout --continue-at --create-file-mode --curves --ech \
        --expect100-timeout --ftp-account --ftp-alternative-to-user --ftp-method \
        --ftp-ssl-ccc-mode --happy-eyeballs-timeout-ms --haproxy-clientip --help --hostpubmd5 \
        --hostpubsha256 --ip-tos --keepalive-cnt --keepalive-time --key-type --krb --limit-rate \
        --mail-auth --max-filesize --max-redirs --max-time --noproxy --ntlm --parallel-max \
        --parallel-max-host --pinnedpubkey --proto-default --proto-redir --proxy-cert-type \
        --proxy-ciphers --proxy-key-type --proxy-pinnedpubkey --proxy-service-name \
        --proxy-tls13-ciphers --proxy-tlsauthtype --range --rate --referer --request \
        --request-target --retry --retry-delay --retry-max-time --sasl-authzid --service-name \
        --sigalgs --socks5-gssapi-service --speed-limit --speed-time --ssl-sessions \
        --telnet-option --tftp-blksize --time-cond --tls-max --tls13-ciphers --tlsauthtype \
        --trace-config --upload-flags --user-agent --vlan-priority --write-out -A -C -X -Y -e -h \
        -m -r -t -w -y -z",
    ),
    either: Words(
        "--crlf --disable-eprt --disable-epsv --eprt --epsv --fail-early --http2-prior-knowledge \
        --http3 --http3-only --next --proto --remote-name -N",
    ),
    followed: Words(
        "--config --connect-to --cookie-jar --data --data-ascii --data-binary --data-raw \
        --data-urlencode --dump-header --engine --form --form-string --header --json --mail-from \
        --mail-rcpt --output --output-dir --preproxy --proxy --proxy-header --proxy1.0 --quote \
        --resolve --socks4 --socks4a --socks5 --socks5-hostname --trace --trace-ascii \
        --upload-file --url --url-query --variable -D -F -H -K -O -Q -T -c -d -o -x",
    ),
    reads: Words(
        "--cacert --capath --crlfile --egd-file --etag-compare --knownhosts --proxy-cacert \
        --proxy-capath --proxy-crlfile --random-file",
    ),
    writes: Words("--alt-svc --etag-save --hsts --libcurl --stderr"),
    reaches: Words(
        "--abstract-unix-socket --dns-interface --dns-ipv4-addr --dns-ipv6-addr --dns-servers \
        --doh-url --ftp-port --interface --ipfs-gateway --local-port --unix-socket -P",
    ),
    secrets: Words(
        "--aws-sigv4 --cert --cookie --delegation --key --login-options --netrc --netrc-file \
        --netrc-optional --oauth2-bearer --pass --proxy-cert --proxy-key --proxy-pass \
        --proxy-tlspassword --proxy-tlsuser --proxy-user --pubkey --tlspassword --tlsuser --user \
        -E -U -b -n -u",
    ),
    ..Manual::EMPTY
};

pub(super) static WGET: Manual = Manual {
    programs: &["wget"],
    source: "wget(1) 1.21",
    abbreviates: true,
    flags: Words(
        "--adjust-extension --ask-password --auth-no-challenge --background --backup-converted \
        --ciphers --content-disposition --content-on-error --convert-file-only --convert-links \
        --debug --delete-after --follow-ftp --force-directories --force-html \
        --ftps-clear-data-connection --ftps-fallback-to-ftp --ftps-implicit --help --https-only \
        --ignore-case --ignore-length --keep-badhash --keep-session-cookies --metalink-over-http \
        --mirror --no-cache --no-check-certificate --no-clobber --no-cookies --no-directories \
        --no-dns-cache --no-ftps-resume-ssl --no-glob --no-host-directories --no-hsts \
        --no-http-keep-alive --no-if-modified-since --no-iri --no-netrc --no-parent \
        --no-passive-ftp --no-remove-listing --no-use-server-timestamps --no-warc-compression \
        --no-warc-digests --no-warc-keep-log --page-requisites --preferred-location \
        --preserve-permissions --protocol-directories --quiet --random-wait --recursive \
        --relative --retr-symlinks --retry-connrefused --retry-on-host-error --save-headers \
        --server-response --show-progress --span-hosts --spider --strict-comments --timestamping \
        --trust-server-names --unlink --verbose --version --warc-cdx --xattr -4 -6 -E -F -H -K \
        -L -N -S -V -b -d -h -k -m -nc -nd -np -nv -q -r -v -x",
    ),
    values: Words(
        "--accept --accept-regex --backups --certificate-type --connect-timeout --cut-dirs \
        --default-page --dns-timeout --domains --exclude-directories --exclude-domains \
        --follow-tags --ignore-tags --include-directories --level --limit-rate --local-encoding \
        --max-redirect --metalink-index --no --prefer-family --private-key-type --proxy --quota \
        --read-timeout --regex-type --reject --reject-regex --remote-encoding --report-speed \
        --restrict-file-names --retry-on-http-error --secure-protocol --start-pos --timeout \
        --tries --wait --waitretry --warc-header --warc-max-size -A -D -G -I -Q -R -T -X -Y -l \
        -t -w",
    ),
    either: Words("--compression --continue --inet4-only --inet6-only --progress -C -c -n -nH -p"),
    followed: Words(
        "--append-output --base --body-data --body-file --directory-prefix --execute --header \
        --input-file --method --output-document --output-file --post-data --post-file --referer \
        --use-askpass --user-agent -B -O -P -U -a -e -i -o",
    ),
    reads: Words(
        "--ca-certificate --ca-directory --crl-file --egd-file --input-metalink --load-cookies \
        --random-file --warc-dedup",
    ),
    writes: Words("--hsts-file --rejected-log --save-cookies --warc-file --warc-tempdir"),
    loads: Words("--config"),
    reaches: Words("--bind-address --bind-dns-address --dns-servers"),
    secrets: Words(
        "--certificate --ftp-password --ftp-user --http-passwd --http-password --http-user \
        --password --pinnedpubkey --private-key --proxy-password --proxy-user --user",
    ),
    ..Manual::EMPTY
};

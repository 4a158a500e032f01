//! The options of programs for archives.

use super::{Manual, Words};

pub(super) static TAR: Manual = Manual {
    programs: &["tar"],
    source: "tar(1) 1.34",
    abbreviates: true,
    flags: Words(
        "--absolute-names --anchored --auto-compress --block-number --bzip2 --catenate \
        --check-device --check-links --clamp-mtime --compare --compress --concatenate \
        --confirmation --delay-directory-restore --delete --dereference --diff --exclude-backups \
        --exclude-caches --exclude-caches-all --exclude-caches-under --exclude-vcs \
        --exclude-vcs-ignores --extract --force-local --full-time --get --gunzip --gzip \
        --hard-dereference --help --ignore-case --ignore-command-error --ignore-failed-read \
        --ignore-zeros --incremental --interactive --keep-directory-symlink --keep-newer-files \
        --keep-old-files --list --multi-volume --numeric-owner --old-archive --one-file-system \
        --overwrite --overwrite-dir --portability --posix --preserve-order \
        --preserve-permissions --read-full-records --recursion --recursive-unlink --remove-files \
        --restrict --same-order --same-owner --same-permissions --seek --selinux --show-defaults \
        --show-omitted-dirs --show-snapshot-field-ranges --show-stored-names \
        --show-transformed-names --skip-old-files --sparse --test-label --to-stdout --touch \
        --uncompress --ungzip --unlink-first --unquote --usage --utc --verbatim-files-from \
        --verbose --verify --version --wildcards --xattrs --xz -? -A -B -G -J -M -O -P -R -S -U \
        -W -Z -a -c -d -h -i -j -k -l -m -n -o -p -r -s -t -u -v -w -x -z",
    ),
    values: Words(
        "--after-date --blocking-factor --exclude --exclude-tag --exclude-tag-all \
        --exclude-tag-under --format --group --hole-detection --label --level --mode --mtime \
        --newer --newer-mtime --owner --pax-option --quote-chars --quoting-style --record-size \
        --sort --sparse-version --starting-file --strip-components --suffix --tape-length \
        --transform --warning --xattrs-exclude --xattrs-include --xform -H -K -L -N -V -b",
    ),
    either: Words(
        "--acls --append --atime-preserve --backup --checkpoint --create --lzip --lzma --lzop \
        --null --occurrence --one-top-level --totals --update --wildcards-match-slash --zstd",
    ),
    followed: Words(
        "--add-file --checkpoint-action --directory --exclude-from --file --files-from \
        --info-script --new-volume-script --rmt-command --rsh-command --to-command \
        --use-compress-program -C -F -I -T -X -f",
    ),
    reads: Words("--exclude-ignore --exclude-ignore-recursive --group-map --owner-map"),
    writes: Words("--index-file --listed-incremental --volno-file -g"),
    ..Manual::EMPTY
};

pub(super) static BSDTAR: Manual = Manual {
    programs: &["bsdtar"],
    source: "bsdtar(1) of libarchive 3.6",
    flags: Words(
        "--absolute-paths --acls --auto-compress --bunzip2 --bzip --bzip2 --check-links --chroot \
        --clear-nochange-fflags --compress --confirmation --dereference --exclude-vcs \
        --fast-read --fflags --gunzip --gzip --help --hfsCompression --ignore-zeros --insecure \
        --interactive --keep-newer --keep-newer-files --keep-old-files --lrzip --lz4 --lzma \
        --lzop --mac-metadata --modification-time --no-recursion --no-same-permissions --nodump \
        --nopreserveHFSCompression --norecurse --null --numeric-owner --one-file-system --posix \
        --preserve-permissions --read-full-blocks --read-sparse --safe-writes --same-owner \
        --to-stdout --totals --uncompress --unlink --unlink-first --verbose --version --xattrs \
        --xz --zstd -B -J -O -P -S -U -Z -a -c -h -j -k -l -m -n -o -p -q -r -t -u -v -w -x -y \
        -z",
    ),
    values: Words(
        "--block-size --exclude --gid --gname --include --newer --newer-mtime --newer-mtime-than \
        --newer-than --older --older-mtime --older-mtime-than --older-than --options \
        --strip-components --uid --uname -b -s",
    ),
    either: Words("--format -H -L"),
    followed: Words(
        "--cd --directory --exclude-from --file --files-from --use-compress-program -C -I -T -X \
        -f",
    ),
    secrets: Words("--passphrase"),
    ..Manual::EMPTY
};

pub(super) static ZIP: Manual = Manual {
    programs: &["zip"],
    source: "zip(1) 3.0",
    abbreviates: true,
    flags: Words(
        "--DOS-names --VMS-dot-versions --VMS-portable --VMS-specific --VMS-versions \
        --absolute-path --adjust-sfx --archive-clear --archive-comment --archive-set --ascii \
        --binary --copy-entries --datafork --delete --difference-archive --display-bytes \
        --display-counts --display-dots --display-globaldots --display-usize --display-volume \
        --encrypt --entry-comments --filesync --fix --fixfix --freshen --from-crlf --grow --help \
        --ignore-case --junk-paths --junk-sfx --latest-time --license --log-append --log-info \
        --longnames --more-help --move --must-match --names-stdin --no-dir-entries --no-extra \
        --no-image --no-wild --notes --paths --preserve-case --preserve-case-2 --preserve-case-5 \
        --quiet --recurse-paths --recurse-patterns --regex --show-command --show-files \
        --show-just-unicode --show-options --show-unicode --split-bell --split-pause \
        --split-verbose --symlinks --system-hidden --test --to-crlf --update --use-privileges \
        --verbose --volume-label --wild-stop-dirs -? -A -AC -AS -B -C -C2 -C5 -D -DF -E -F -FF \
        -FI -FS -I -J -L -N -R -RE -S -V -VV -X -a -c -db -dc -dd -df -dg -du -dv -e -f -g -h \
        -h2 -ic -j -jj -k -l -la -li -ll -nw -o -p -q -sU -sb -sc -sf -so -sp -su -sv -u -w -ws \
        -ww -y -z",
    ),
    values: Words(
        "--before-date --compression-method --dot-size --exclude --from-date --include \
        --split-size --suffixes --unicode",
    ),
    either: Words(
        "--fifo -0 -1 -2 -3 -4 -5 -6 -7 -8 -9 -@ -MM -U -UN -Z -d -ds -i -m -n -r -s -t -tt -v -x",
    ),
    followed: Words("--temp-path --unzip-command -T -TT -b"),
    writes: Words("--logfile-path --out --output-file -O -lf"),
    secrets: Words("--password -P"),
    ..Manual::EMPTY
};

pub(super) static UNZIP: Manual = Manual {
    programs: &["unzip"],
    source: "unzip(1) 6.0",
    flags: Words(
        "-$ -/ -1 -2 -: -A -B -C -D -E -F -J -K -L -M -N -S -T -U -V -W -X -Y -Z -^ -a -b -c -f -h \
        -i -j -l -m -n -o -p -q -s -t -u -v -z",
    ),
    values: Words("-I -O"),
    followed: Words("-d -x"),
    secrets: Words("-P"),
    ..Manual::EMPTY
};

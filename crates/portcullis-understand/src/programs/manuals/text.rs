//! The options of programs for text and files.

use super::{Dashes, Manual, Words};

pub(super) static FIND: Manual = Manual {
    programs: &["find"],
    source: "find(1) 4.9 and BSD find",
    dashes: Dashes::One,
    glued: Words("-0 -1 -2 -3 -4 -5 -6 -7 -8 -9 -O -newer"),
    flags: Words(
        "-! --help --version -E -H -L -O -O0 -O1 -O2 -O3 -Olevel -P -X -a -acl -and -d -dataless \
        -daystart -delete -depth -dev -empty -executable -false -follow -help \
        -ignore_readdir_race -local -ls -mount -nogroup -noignore_readdir_race -noleaf -not \
        -nouser -nowarn -o -or -print -print0 -prune -quit -readable -s -sparse -true -version \
        -warn -writable -x -xattr -xdev",
    ),
    values: Words(
        "-Bmin -Bnewer -Btime -D -amin -anewer -atime -cmin -cnewer -context -cpio -ctime -flags \
        -fstype -gid -group -ilname -iname -inum -ipath -iregex -iwholename -links -lname \
        -maxdepth -mindepth -mmin -mnewer -mtime -name -ncpio -newer -nosuid -path -perm -printf \
        -regex -regextype -samefile -size -type -uid -used -user -wholename -xattrname -xtype",
    ),
    either: Words("-f -newerXY"),
    followed: Words("-exec -execdir -fls -fprint -fprint0 -fprintf -ok -okdir"),
    reads: Words("-files0-from"),
    ..Manual::EMPTY
};

pub(super) static SED: Manual = Manual {
    programs: &["sed"],
    source: "sed(1) 4.8 and BSD sed",
    abbreviates: true,
    flags: Words(
        "--binary --debug --follow-symlinks --help --null-data --posix --quiet --regexp-extended \
        --sandbox --separate --silent --unbuffered --version --zero-terminated -E -a -b -n -r -s \
        -u -z",
    ),
    values: Words("--expression --line-length -e"),
    either: Words("--in-place -I -i -l"),
    scripts: Words("--file -f"),
    ..Manual::EMPTY
};

pub(super) static AWK: Manual = Manual {
    programs: &["awk", "gawk", "mawk", "nawk"],
    source: "gawk(1) 5.2, mawk(1) 1.3",
    abbreviates: true,
    joined: Words("--dump-variables --pretty-print --profile -d -o -p"),
    flags: Words(
        "--bignum --characters-as-bytes --copyright --csv --gen-pot --help --lint-old \
        --non-decimal-data --optimize --posix --re-interval --sandbox --trace --traditional \
        --use-lc-numeric --version -C -I -M -N -O -P -S -V -Wversion -b -c -g -h -k -n -r -s -t",
    ),
    values: Words("--assign --field-separator --source -F -e -m -v"),
    either: Words("--debug --lint -D -L -W -safe"),
    writes: Words("--dump-variables --pretty-print --profile -d -o -p"),
    scripts: Words("--exec --file --include --load -E -f -i -l"),
    ..Manual::EMPTY
};

pub(super) static SORT: Manual = Manual {
    programs: &["sort"],
    source: "sort(1) 9.1",
    abbreviates: true,
    flags: Words(
        "--debug --dictionary-order --general-numeric-sort --human-numeric-sort --ignore-case \
        --ignore-leading-blanks --ignore-nonprinting --merge --mmap --month-sort --numeric-sort \
        --random-sort --reverse --stable --unique --version --version-sort --zero-terminated -M \
        -R -V -b -d -f -g -h -i -m -n -r -s -u -z",
    ),
    values: Words(
        "--batch-size --buffer-size --field-separator --help --key --parallel --sort \
        --temporary-directory -S -T -k -t",
    ),
    either: Words("--check -C -c"),
    followed: Words("--compress-program --output -o"),
    reads: Words("--files0-from --random-source"),
    ..Manual::EMPTY
};

pub(super) static SPLIT: Manual = Manual {
    programs: &["split"],
    source: "split(1) 9.1 and BSD split",
    abbreviates: true,
    flags: Words("--elide-empty-files --unbuffered --verbose --version -e -u"),
    values: Words(
        "--additional-suffix --bytes --help --line-bytes --lines --number --separator \
        --suffix-length -C -a -b -l -n -p -t",
    ),
    either: Words("--hex-suffixes --numeric-suffixes -d -x"),
    followed: Words("--filter"),
    ..Manual::EMPTY
};

pub(super) static LESS: Manual = Manual {
    programs: &["less"],
    source: "less(1) 590",
    flags: Words(
        "--CLEAR-SCREEN --HILITE-SEARCH --HILITE-UNREAD --IGNORE-CASE --LINE-NUMBERS \
        --LONG-PROMPT --MOUSE --QUIET --QUIT-AT-EOF --RAW-CONTROL-CHARS --SEARCH-SKIP-SCREEN \
        --SILENT --UNDERLINE-SPECIAL --auto-buffers --chop-long-lines --clear-screen --dumb \
        --file-size --follow-name --force --help --hilite-search --hilite-unread --ignore-case \
        --incsearch --line-numbers --long-prompt --mouse --no-histdups --no-init --no-keypad \
        --no-lessopen --quiet --quit-at-eof --quit-if-one-screen --quit-on-intr \
        --raw-control-chars --save-marks --search-skip-screen --silent --squeeze-blank-lines \
        --status-column --underline-special --use-backslash --use-color --version -? -A -B -C -E \
        -F -G -I -J -K -L -M -N -Q -R -S -U -V -W -X -a -c -d -e -f -g -i -m -q -r -s -u -w -~",
    ),
    values: Words(
        "--buffers --color --max-back-scroll --max-forw-scroll --pattern --prompt --tag \
        --wheel-lines -D -P -b -h -j -p -t -x -y -z",
    ),
    either: Words(
        "-# --exit-follow-on-close --header --intr --jump-target --line-num-width --modelines \
        --no-number-headers --proc-backspace --proc-return --proc-tab --quotes --redraw-on-quit \
        --rscroll --search-options --shift --show-preproc-errors --status-col-width --tabs \
        --tilde --window -0 -1 -2 -3 -4 -5 -6 -7 -8 -9 -n",
    ),
    followed: Words("--lesskey-file --lesskey-src -k"),
    reads: Words("--tag-file -T"),
    writes: Words("--LOG-FILE --log-file -O -o"),
    ..Manual::EMPTY
};

pub(super) static MAN: Manual = Manual {
    programs: &["man"],
    source: "man(1) 2.11",
    abbreviates: true,
    flags: Words(
        "--all --apropos --ascii --catman --debug --default --ditroff --global-apropos --help \
        --ignore-case --local-file --location --location-cat --match-case --names-only --nh --nj \
        --no-hyphenation --no-justification --no-subpages --path --regex --troff --update \
        --usage --version --whatis --where --where-cat --wildcard -7 -? -D -I -K -V -W -Z -a -b \
        -c -d -f -i -k -l -t -u -w",
    ),
    values: Words(
        "--encoding --extension --locale --preprocessor --prompt --recode --sections --systems -E \
        -L -R -S -e -m -p -r -s",
    ),
    either: Words("--gxditview --troff-device --warnings -T -X"),
    followed: Words("--config-file --html --pager -C -H -P"),
    reads: Words("--manpath -M"),
    ..Manual::EMPTY
};

pub(super) static VIM: Manual = Manual {
    programs: &["vim", "ex"],
    source: "vim(1) 9.0",
    flags: Words(
        "--clean --echo-wid --gui-dialog-file --help --literal --nofork --noplugin --not-a-term \
        --remote --remote-silent --remote-tab --remote-tab-silent --remote-tab-wait \
        --remote-tab-wait-silent --remote-wait --remote-wait-silent --serverlist --ttyfail \
        --version -A -C -D -E -F -H -M -N -R -X -Y -Z -b -e -f -g -h -l -m -n -nb -v -x -y",
    ),
    values: Words("--remote-expr --servername --socketid -P -T"),
    either: Words("--role --windowid -L -O -V -d -o -p -q -r -s -t"),
    followed: Words("--cmd --remote-send -S -U -c -u"),
    reads: Words("-i"),
    writes: Words("--log --startuptime -W -w"),
    ..Manual::EMPTY
};

pub(super) static NVIM: Manual = Manual {
    programs: &["nvim"],
    source: "nvim --help, 0.7 and what later releases added",
    finals: Words("-l -ll"),
    flags: Words(
        "--api-info --clean --embed --headless --help --luamod-dev --noplugin --remote-silent \
        --remote-tab --remote-tab-silent --remote-tab-wait --remote-ui --remote-wait --version \
        -A -E -Es -F -H -M -N -R -V1 -Z -b -e -es -h -m -n -v -x -y",
    ),
    values: Words("--remote-expr --remote-send -T -W -i"),
    either: Words("--remote -L -O -V -d -o -p -q -r -s -t -w"),
    followed: Words("--cmd -S -c -u"),
    writes: Words("--startuptime"),
    scripts: Words("-l -ll"),
    reaches: Words("--listen --server"),
    ..Manual::EMPTY
};

//! The options of git.

use super::{Ends, Manual, Words};

pub(super) static GIT: Manual = Manual {
    programs: &["git"],
    source: "git 2.47.3: `git COMMAND --git-completion-helper-all`, and the manual pages where a command reads options by hand",
    abbreviates: true,
    ends: Ends::Behind(Words("difftool--helper")),
    verbs: Words(
        "add am annotate apply archimport archive bisect blame branch bugreport bundle cat-file \
        check-attr check-ignore check-mailmap check-ref-format checkout checkout-index cherry \
        cherry-pick clean clone column commit commit-graph commit-tree config count-objects \
        credential credential-cache credential-store cvsexportcommit cvsimport cvsserver daemon \
        describe diagnose diff diff-files diff-index diff-tree difftool fast-export fast-import \
        fetch fetch-pack filter-branch flow fmt-merge-msg for-each-ref for-each-repo \
        format-patch fsck fsck-objects gc get-tar-commit-id grep hash-object help hook \
        http-backend http-fetch http-push imap-send index-pack init init-db instaweb \
        interpret-trailers lfs log ls-files ls-remote ls-tree mailinfo mailsplit maintenance \
        merge merge-base merge-file merge-index merge-octopus merge-one-file merge-ours \
        merge-recursive merge-recursive-ours merge-recursive-theirs merge-resolve merge-subtree \
        merge-tree mergetool mktag mktree multi-pack-index mv name-rev notes p4 pack-objects \
        pack-redundant pack-refs patch-id pickaxe prune prune-packed pull push quiltimport \
        range-diff read-tree rebase receive-pack reflog refs remote repack replace replay \
        request-pull rerere reset restore rev-list rev-parse revert rm send-email send-pack \
        shell shortlog show show-branch show-index show-ref sparse-checkout stage stash status \
        stripspace submodule svn switch symbolic-ref tag unpack-file unpack-objects update-index \
        update-ref update-server-info upload-archive upload-pack var verify-commit verify-pack \
        verify-tag version whatchanged worktree write-tree",
    ),
    before: Words(
        "--attr-source --config-env --git-dir --namespace --super-prefix --work-tree -C -c",
    ),
    flags: Words(
        "--3way --again --aggressive --aliases --all-progress --all-progress-implied \
        --allow-binary-replacement --allow-empty --allow-empty-message --allow-overlap \
        --allow-unrelated-histories --always --amend --annotate-stdin --anonymize --append \
        --assume-unchanged --attach --auto --auto-gc --auto-maintenance --bitmap --bool-or-int \
        --bool-or-str --broken --build-options --cache --cacheinfo --changed-paths --check \
        --clear-resolve-undo --color-lines --comment-lines --compact-summary --cone \
        --config-for-completion --config-sections-for-completion --connectivity-only --contained \
        --contains --convert-graft-file --copy --cover-letter --create-reflog --cruft \
        --cumulative --curl --current --dangling --data --debug-unpack --delta-islands --deref \
        --developer-interfaces --diagnose --diff3 --dirstat-by-file --dirty --discard-changes \
        --divider --dual-color --edit-description --edit-todo --email --exact-match \
        --exclude-guides --exclude-promisor-objects --ext-diff --ext-grep --external-commands \
        --fake-missing-tagger --ff --ff-only --force-in-body-from --force-rebase --force-remove \
        --force-untracked-cache --force-write-index --fsmonitor --fsmonitor-valid --full \
        --full-tree --git-completion-helper-all --graft --guess --guess-remote --guides --hard \
        --hardlinks --helper-status --honor-pack-keep --http-backend-info-refs --human-readable \
        --ignore-cache-tree --ignore-case --ignore-if-in-upstream --ignore-other-worktrees \
        --ignore-skip-worktree-bits --ignore-skip-worktree-entries --ignore-unmatch \
        --ignore-unmerged --in-place --inaccurate-eof --inbody-headers --include-root-refs \
        --include-untracked --independent --index-info --info --info-only --inline --is-ancestor \
        --keep-cr --keep-going --keep-index --keep-largest-pack --keep-non-patch \
        --keep-redundant-commits --keep-subject --keep-true-parents --keep-unreachable \
        --literally --lock --log --lost-found --man --mark-tags --merged --message-id --messages \
        --missing-ok --mixed --more --move --multiple --naked --name-objects --negotiate-only \
        --non-empty --non-matching --numbered --numbered-files --object-id --object-only \
        --octopus --omit-empty --only --only-input --only-trailers --only-untracked --overlay \
        --overwrite-ignore --pack-kept-objects --pack-loose-unreachable --parse --patch-with-raw \
        --patch-with-stat --peel-tag --perl --post-rewrite --prefetch --preserve-merges \
        --prune-tags --push --python --reachable --really-refresh --rebasing --recount --recurse \
        --reference-excluded-parents --reflogs --regexp --reject --reject-thin-pack-for-testing \
        --remove --rename-empty --replace --require-init --rerere-autoupdate --reset \
        --reset-author --resolved --retry --reuse-delta --reuse-object --revs --rewrite --rfc \
        --scissors --separator --sha1-name --shallow --shell --show-current \
        --show-forced-updates --show-index-version --show-names --show-original-ids --sign \
        --skip-checks --skip-worktree --soft --sparse-checkout --sparse-index --split \
        --split-index --stable --stale-fix --stat-only --status --stdin-packs --stdin-paths \
        --stdout --strip-comments --stripspace --tcl --temp --test-untracked-cache --topics \
        --trim-empty --trivial --trivial-merge --undefined --unfold --unidiff-zero --union \
        --unreachable --unresolve --unsafe-paths --unset-upstream --unshallow --unstable \
        --untracked-cache --update-head-ok --update-shallow --updateref --use-done-feature \
        --user-interfaces --utf8 --verbatim --verify-signatures --warn-embedded-repo --web \
        --with --without --write-bitmap-index --write-bitmap-index-quiet --write-commit-graph \
        --write-fetch-head --write-midx --write-tree --zdiff3 --zero-commit",
    ),
    values: Words(
        "--add-header --advance --anonymize-map --blob --candidates --cleanup --color-moved-ws \
        --command --comment --compression --config-file --contents --context \
        --cover-from-description --creation-factor --decorate-refs --decorate-refs-exclude \
        --description-file --diff-algorithm --dst-prefix --expire --expire-time --expire-to \
        --expire-unreachable --filename-max-length --filter-to --find-object --fixup \
        --for-rewrite --force-create --geometric --if-exists --if-missing \
        --ignore-matching-lines --ignore-revs-file --import-marks --import-marks-if-exists \
        --indent --initial-branch --inter-hunk-context --interdiff --into-name --line-prefix \
        --mailmap-blob --mailmap-file --mainline --marker-size --master --match --max-commits \
        --max-cruft-size --max-new-filters --negotiation-tip --nl --object-dir \
        --output-indicator-context --output-indicator-new --output-indicator-old --padding \
        --patch-format --preferred-pack --quoted-cr --range-diff --raw-mode --reason \
        --recurse-submodules-default --reedit-message --reencode --ref --reference-if-able \
        --refmap --refs-snapshot --refspec --reroll-count --resolvemsg --reuse-message \
        --rules-file --schedule --scheduler --set-upstream-to --signature --signature-file \
        --signed-tags --size-multiple --socket --src-prefix --start-number --stat-count \
        --stat-graph-width --stat-name-width --stat-width --subject-prefix --submodule-prefix \
        --suffix --tag-of-filtered-object --task --to-stdin --trailer --uri-protocol --url \
        --value --where --width --window --window-memory --word-diff-regex --ws-error-highlight",
    ),
    either: Words(
        "-# -* --8bit-encoding --abbrev --abbrev-commit --abbrev-ref --abort --absolute-git-dir \
        --active-branches --add --add-author-from --add-file --add-virtual-file --advertise-refs \
        --after --after-context --ahead-behind --all --all-match --allow-override \
        --allow-unknown-type --allow-unsafe-features --also-filter-submodules --alt-odb \
        --alternate-refs --ancestry-path --anchored --and --annotate --apply --atomic \
        --attr-source --author --author-date-order --authors-file --autosquash --autostash --bar \
        --bare --base --base-path --base-path-relaxed --basic-regexp --batch --batch-all-objects \
        --batch-check --batch-command --batch-size --baz --bcc --before --before-context \
        --big-file-threshold --binary --bisect --bisect-all --bisect-vars --bool --boundary \
        --branch --branches --branches-maxdepth --break --break-rewrites --buffer --bundle-uri \
        --cached --cat-blob-fd --cat-blobs --cc --cc-cover --chain-reply-to --changes-block-size \
        --changesfile --check-self-contained-and-connected --checkout --cherry --cherry-mark \
        --cherry-pick --children --chmod --clear-decorations --color --color-by-age \
        --color-moved --color-words --column --combined-all-paths --commit --commit-header \
        --commit-url --committer --committer-date-is-author-date --compose --compose-encoding \
        --composing --confirm --conflict --continue --count --cr --create --cruft-expiration \
        --date --date-format --date-order --dcommit --dd --debug --decorate --deduplicate \
        --deepen --deepen-relative --default --default-prefix --delete --deleted \
        --delta-base-offset --dense --depth --dereference --detach --detached --detect-branches \
        --detect-labels --diff-file --diff-filter --diff-merges --dir-diff --directory --dirstat \
        --disable --disable-p4sync --disable-rebase --disambiguate --disk-usage --dissociate \
        --do-walk --done --dry-run --dump-aliases --edit --empty --empty-directory --enable \
        --encode-email-headers --encoding --envelope-sender --eol --error-unmatch --exclude \
        --exclude-existing --exclude-first-parent-only --exclude-from --exclude-hidden \
        --exclude-per-directory --exclude-standard --exists --exit-code --expand-tabs \
        --expiry-date --export-all --export-labels --extended-regexp --fetch --fetch-all --file \
        --files --files-with-matches --files-without-match --filter --filter-print-omitted \
        --filter-provided-objects --filters --find-copies --find-copies-harder --find-renames \
        --first-parent --fix-thin --fixed-strings --fixed-value --flags --follow \
        --follow-symlinks --follow-tags --foo --for-push --for-status --forbid-override --force \
        --force-if-includes --force-with-lease --fork-point --format --format-patch --from \
        --fsck-objects --full-diff --full-history --full-index --full-name --function-context \
        --get --get-all --get-color --get-colorbool --get-regexp --get-url --get-urlmatch \
        --git-common-dir --git-path --glob --glob-pathspecs --global --graph --grep \
        --grep-reflog --group --gui --hash --head --header --heading --heads --help --histogram \
        --html-path --icase-pathspecs --identity --ignore-all-space --ignore-blank-lines \
        --ignore-cr-at-eol --ignore-date --ignore-errors --ignore-joins --ignore-missing \
        --ignore-paths --ignore-refs --ignore-removal --ignore-rev --ignore-space-at-eol \
        --ignore-space-change --ignore-submodules --ignore-user --ignore-whitespace --ignored \
        --import-labels --import-local --in-commit-order --in-reply-to --include --include-paths \
        --include-tag --includes --incremental --indent-heuristic --index --index-pack-args \
        --index-version --indexed-objects --inetd --info-path --informative-errors --init \
        --init-timeout --int --intent-to-add --interactive --interpolated-path --invert-grep \
        --invert-match --ipv4 --ipv6 --irreversible-delete --is-bare-repository \
        --is-inside-git-dir --is-inside-work-tree --is-shallow-repository \
        --ita-invisible-in-index --ita-visible-in-index --jobs --keep --keep-base \
        --keep-dashdash --keep-empty --keep-pack --keep-path --killed --left-only --left-right \
        --limit --line-number --line-porcelain --list --list-cmds --listen --literal-pathspecs \
        --local --local-branching-on-fetch --local-env-vars --localtime --log-destination \
        --log-size --long --mailmap --man-path --max-age --max-changes --max-connections \
        --max-count --max-depth --max-input-size --max-pack-size --max-parents --mboxrd --merge \
        --merge-base --mergeinfo --merges --message --min-age --min-parents --minimal --mirror \
        --missing --mode --modified --module-path --name --name-only --name-status --namespace \
        --no-advice --no-commit-id --no-lazy-fetch --no-metadata --no-minimize-url \
        --no-optional-locks --no-pager --no-replace-objects --no-walk --noglob-pathspecs \
        --non-recursive --normalize --not --notes --nul --null --numstat --object-format \
        --object-names --objects --objects-edge --objects-edge-aggressive --on-demand --oneline \
        --only-matching --onto --open --or --origin --original --orphan --others --ours \
        --packfile --paginate --parents --parseopt --patch --patches --path --path-format \
        --pathspec-file-nul --pathspec-from-file --patience --perl-regexp --pickaxe-all \
        --pickaxe-regex --placeholder-filename --points-at --porcelain --port --prefix \
        --preserve-empty-dirs --preserve-user --pretty --progress --progress-title --promisor \
        --prompt --prune --prune-empty --push-option --quiet --quit --qux --raw \
        --reapply-cherry-picks --rebase --rebase-merges --recommend-shallow --recover \
        --recurse-submodules --recursive --ref-format --reference --refetch --reflog --refresh \
        --refs --refspec-pattern --regexp-ignore-case --reject-shallow --rejoin --relative \
        --relative-date --relative-marks --relogin-delay --remap-to-ancestor --remerge-diff \
        --remote --remote-submodules --remotes --remove-empty --remove-section --rename-section \
        --renames --renormalize --replace-all --reply-to --repo --reschedule-failed-exec \
        --reset-author-date --resolve-git-dir --resolve-undo --restart --reuseaddr --rev-index \
        --reverse --revision --revs-only --rewrite-root --rewrite-submodules-from \
        --rewrite-submodules-to --rewrite-uuid --right-only --rmdir --root --rotate-to \
        --score-debug --series --server-option --set-upstream --shallow-exclude --shallow-since \
        --shallow-submodules --shared --shared-index-path --shelve --short --shortstat \
        --show-cdup --show-commit --show-current-patch --show-email --show-function \
        --show-linear-break --show-name --show-notes --show-number --show-object-format \
        --show-origin --show-prefix --show-pulls --show-ref-format --show-scope --show-signature \
        --show-stash --show-stats --show-superproject-working-tree --show-toplevel --signed \
        --signed-off-by-cc --signed-off-cc --signoff --simplify-by-decoration --simplify-merges \
        --since --since-as-filter --single-branch --single-worktree --skip --skip-to \
        --skip-unborn --smtp-auth --smtp-debug --smtp-domain --smtp-encryption \
        --smtp-server-port --smtp-ssl --smtp-user --sort --source --sparse --sq --sq-quote \
        --squash --stage --staged --start --stat --state-branch --stateless-rpc --stats --stdin \
        --stdin-commits --stdlayout --stop --stop-at-non-option --strategy --strategy-option \
        --strict --strict-paths --stuck-long --subdirectory-filter --subject --submodule \
        --summary --summary-limit --super-prefix --suppress-cc --suppress-from --symbolic \
        --symbolic-full-name --symlinks --symref --syslog --system --tags --term-bad --term-good \
        --term-new --term-old --text --textconv --theirs --thin --thread --threads --timeout \
        --timestamp --to --to-cover --tool-help --topo-order --track --transfer-encoding \
        --translate-aliases --trunk --trust-exit-code --type --unified --unmerged --unordered \
        --unpack-unreachable --unpacked --unset --unset-all --until --untracked \
        --untracked-files --update --update-refs --update-shelve --use-bitmap-index \
        --use-client-spec --use-log-author --use-mailmap --use-svm-props --use-svnsync-props \
        --user --user-path --username --validate --verbose --verify --verify-stat --version \
        --walk-reflogs --whitespace --with-tree --word-diff --word-regexp --work-tree --worktree \
        --worktree-attributes --xmailer -0 -1 -2 -3 -4 -5 -6 -7 -8 -9 -: -? -A -B -C -D -E -F -G \
        -H -I -J -K -L -M -N -O -P -Q -R -S -T -U -V -W -X -Y -Z -a -b -d -e -f -g -h -i -j -k \
        -l -m -n -o -p -q -r -s -t -u -v -w -x -y -z",
    ),
    followed: Words(
        "--access-hook --authors-prog --browser --cc-cmd --commit-filter --config --config-env \
        --env-filter --exec --exec-path --extcmd --git-dir --header-cmd --httpd --index-filter \
        --msg-filter --open-files-in-pager --output --output-directory --parent-filter \
        --receive-pack --sendmail-cmd --setup --smtp-server --tag-name-filter --template \
        --to-cmd --tool --tree-filter --upload-pack -c",
    ),
    writes: Words(
        "--build-fake-ancestor --export-marks --export-pack-edges --index-output --pid-file \
        --separate-git-dir",
    ),
    loads: Words("--config-dir"),
    secrets: Words(
        "--gpg-sign --imap-user --local-user --smtp-pass --smtp-ssl-cert-path \
        --smtp-ssl-client-cert --smtp-ssl-client-key",
    ),
    ..Manual::EMPTY
};

//! Clients of forges.

use super::{
    super::{
        manuals::{Ends, Manual, Words},
        network,
    },
    Card,
};
use crate::{effect::WriteMode, programs::Does};

pub(super) static GH: Card = Card {
    name: "gh",
    source: "gh help, 2.23 and what later releases added",
    values: network::GH,
    does: Does::Custom(network::letters::gh),
    manual: Some(&MANUAL),
    writes: Some((&["-D", "-O", "--dir", "--output"], WriteMode::Replace)),
    prints: &["completion -s bash", "completion -s zsh"],
    looks: &[
        "pr view !--web",
        "pr list !--web",
        "pr diff !--web",
        "pr status",
        "pr checks",
        "issue view !--web",
        "issue list !--web",
        "issue status",
        "repo view !--web",
        "run view !--web",
        "run list",
        "release list",
        "release view !--web",
        "status",
        "auth status !--show-token",
    ],
    server: &["--hostname"],
    issues_for: &["github.com", "ghcr.io", "githubusercontent.com"],
    names_paths: true,
    ..Card::EMPTY
};

static MANUAL: Manual = Manual {
    programs: &["gh"],
    source: "gh help, 2.23 and what later releases added",
    ends: Ends::Behind(Words("alias")),
    verbs: Words(
        "alias api attestation auth browse cache co codespace completion config gist gpg-key \
        issue label org pr preview project release repo ruleset run search secret ssh-key status \
        variable workflow",
    ),
    flags: Words(
        "--add-readme --admin --all --allow-forking --allow-update-branch --allow-write --approve \
        --archived --auto --checkout --cleanup-tag --clipboard --clobber --clone --config \
        --conflict-status --create-if-none --debug --default-branch-only --default-permissions \
        --delete-branch --delete-branch-on-merge --delete-last --detach --dirty --disable-auto \
        --disable-issues --disable-wiki --draft --dry-run --edit-last --editor \
        --enable-auto-merge --enable-discussions --enable-issues --enable-merge-commit \
        --enable-projects --enable-rebase-merge --enable-squash-merge --enable-wiki \
        --exclude-pre-releases --exit-status --expand --fail-fast --failed --files --fill \
        --fill-first --fill-verbose --follow --force --fork --full --generate-notes --help \
        --include --include-all-branches --include-prs --insecure-storage --insiders --internal \
        --latest --list --locked --log --log-failed --merge --merged --name-only --no-browser \
        --no-maintainer-edit --no-store --no-upstream --paginate --patch --prerelease --private \
        --projects --public --push --raw --rebase --recurse-submodules --recursive \
        --remove-milestone --request-changes --secret --settings --silent --single-column \
        --skip-existing --skip-ssh-key --slurp --squash --undo --unset --verbose --verify-tag \
        --version --view --watch --web --wiki --yaml --yes -y",
    ),
    values: Words(
        "--active --add --add-assignee --add-label --add-project --add-reviewer --add-topic --app \
        --archive --assignee --attempt --author --author-date --author-email --author-name \
        --base --body --branch --bundle --bundle-from-oci --cache --cert-identity --checks \
        --closed --codespace --color --commenter --committer --committer-date --committer-email \
        --committer-name --created --cursor --days --debug-file --default-branch --desc \
        --description --devcontainer-path --digest-alg --discussion-category --display-name \
        --duplicate-of --env --event --exclude --followers --fork-name --forks --format \
        --git-protocol --gitignore --good-first-issues --hash --head --head-repo --header \
        --help-wanted-issues --homepage --host --idle-timeout --include-forks --interactions \
        --involves --issue-repo --job --jq --key --label --language --license --limit --location \
        --machine --match --match-head-commit --mention --mentions --merged-at --method \
        --milestone --name --notes --notes-from-tag --notes-start-tag --number-topics --order \
        --org --owner --parent --pattern --pin --precompiled --predicate-type --preview \
        --profile --project --query --raw-field --reactions --reason --recover --ref \
        --remote-name --remove-assignee --remove-label --remove-project --remove-reviewer \
        --remove-topic --repos --retention-period --review --review-requested --reviewed-by \
        --reviewer --scopes --search --secure --server-port --signer-repo --signer-workflow \
        --size --slug --sort --squash-merge-commit-message --stars --state --subject --tag \
        --target --team --team-mentions --title --topic --tree --type --updated \
        --upstream-remote-name --visibility --workflow -A -B -H -L -S -X -b -g -j -o -q",
    ),
    either: Words(
        "--comment --comments --commit --exclude-drafts --interval --json --remote --repo \
        --required --shell --source --status --template --user -R -a -c -d -e -f -i -l -m -n -p \
        -r -s -t -u -v -w",
    ),
    followed: Words(
        "--body-file --dir --env-file --field --filename --input --notes-file --output -D -F -O",
    ),
    reaches: Words("--hostname -h"),
    secrets: Words("--show-token --with-token"),
    ..Manual::EMPTY
};

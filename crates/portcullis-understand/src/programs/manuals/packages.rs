//! The options of package managers.

use super::{Ends, Manual, Words};

pub(super) static NPM: Manual = Manual {
    programs: &["npm"],
    source: "npm-config(7) 11",
    abbreviates: true,
    ends: Ends::Behind(Words("exec x")),
    before: Words("--prefix -C -w"),
    open: Words("create exec init restart rum run run-script start stop t test tst urn x"),
    values: Words("--http-proxy"),
    either: Words(
        "--access --all --allow-directory --allow-file --allow-git --allow-remote \
        --allow-same-version --allow-scripts --allow-scripts-pending --allow-scripts-pin --also \
        --audit --audit-level --auth-type --before --bin-links --browser --cache-max --cache-min \
        --cidr --color --commit-hooks --cpu --dangerously-allow-all-scripts --dd --depth --desc \
        --description --dev --diff --diff-dst-prefix --diff-ignore-all-space --diff-name-only \
        --diff-no-prefix --diff-src-prefix --diff-text --diff-unified --dry-run --engine-strict \
        --enjoy-by --expect-result-count --expect-results --expires --fetch-retries \
        --fetch-retry-factor --fetch-retry-maxtimeout --fetch-retry-mintimeout --fetch-timeout \
        --force --foreground-scripts --format-package-lock --fund --git-tag-version --global \
        --global-style --heading --help --if-present --ignore-scripts --include \
        --include-attestations --include-staged --include-workspace-root --init-author-email \
        --init-author-name --init-author-url --init-license --init-private --init-type \
        --init-version --install-links --install-strategy --json --legacy-bundling \
        --legacy-peer-deps --libc --link --local --local-address --location --lockfile-version \
        --loglevel --logs-max --long --maxsockets --message --min-release-age \
        --min-release-age-exclude --name --no --no-prune --noproxy --npm-version --offline \
        --omit --omit-lockfile-registry-resolved --only --optional --orgs --orgs-permission --os \
        --package --package-lock --package-lock-only --packages --packages-all \
        --packages-and-scopes-permission --parseable --porcelain --prefer-dedupe \
        --prefer-offline --prefer-online --preid --production --progress --provenance --quiet \
        --read-only --readonly --rebuild-bundle --reg --replace-registry-host --save \
        --save-bundle --save-dev --save-exact --save-optional --save-peer --save-prefix \
        --save-prod --sbom-format --sbom-type --scope --scopes --searchexclude --searchlimit \
        --searchopts --searchstaleness --shared-workspace --shrinkwrap --sign-git-commit \
        --sign-git-tag --silent --strict-allow-scripts --strict-peer-deps --strict-ssl --tag \
        --tag-version-prefix --timing --umask --unicode --update-notifier --usage --user-agent \
        --verbose --version --versions --which --workspace --workspaces --workspaces-update \
        --yes -? -B -D -E -H -L -N -O -P -S -a -d -dd -ddd -f -g -h -iwr -l -m -n -p -q -s -u -v \
        -w -ws -y",
    ),
    followed: Words(
        "--call --editor --git --globalconfig --https-proxy --init-module --node-gyp \
        --node-options --pack-destination --prefix --proxy --registry --script-shell --shell \
        --userconfig --viewer -C -c",
    ),
    writes: Words("--cache --logs-dir --tmp"),
    loads: Words("--nodedir --npm-version-config"),
    secrets: Words(
        "--_auth --_authToken --ca --cafile --cert --key --otp --password --token-description",
    ),
    ..Manual::EMPTY
};

pub(super) static PIP: Manual = Manual {
    programs: &["pip"],
    source: "pip help, 23.2 and what later releases added",
    abbreviates: true,
    verbs: Words(
        "cache check completion config debug download freeze hash help index inspect install list \
        lock search show uninstall wheel",
    ),
    flags: Words(
        "--all --bash --break-system-packages --check-build-dependencies --compile --debug \
        --disable-pip-version-check --dry-run --exclude-editable --files --fish \
        --force-reinstall --global --help --ignore-requires-python --include-editable --isolated \
        --local --no-build-isolation --no-clean --no-color --no-deps --no-input \
        --no-python-version-warning --no-verify --no-warn-conflicts --no-warn-script-location \
        --not-required --outdated --powershell --pre --prefer-binary --require-hashes \
        --require-virtualenv --site --upgrade --uptodate --use-pep517 --user --verbose --version \
        --yes --zsh -I -U -V -h -o -p -q -u -v -y -z",
    ),
    values: Words(
        "--abi --algorithm --all-releases --build-option --config-settings --exclude \
        --exists-action --format --global-option --group --index --install-option \
        --keyring-provider --no-binary --only-binary --only-final --path --progress-bar \
        --python-version --resume-retries --retries --root-user-action --timeout \
        --upgrade-strategy --uploaded-prior-to --use-deprecated -C -a",
    ),
    either: Words("--ignore-installed --implementation --platform --quiet --use-feature -l"),
    followed: Words(
        "--constraint --dest --editable --editor --extra-index-url --find-links --index-url \
        --proxy --python --requirement --target --trusted-host --wheel-dir -c -d -e -f -i -r -t \
        -w",
    ),
    reads: Words("--pylock"),
    writes: Words("--build --build-directory --cache-dir --log --prefix --report --root --src -b"),
    secrets: Words("--cert --client-cert"),
    ..Manual::EMPTY
};

pub(super) static UV: Manual = Manual {
    programs: &["uv", "uvx"],
    source: "uv help",
    ends: Ends::Behind(Words("run uvx")),
    verbs: Words(
        "add audit auth build cache export format generate-shell-completion help init lock pip \
        publish python remove run self sync tool tree venv version workspace",
    ),
    flags: Words(
        "--active --all --all-arches --all-extras --all-groups --all-packages --all-platforms \
        --all-versions --allow-empty-requirements --allow-existing --annotate --app --bare --bin \
        --break-system-packages --build --check --check-exists --ci --clear --compile-bytecode \
        --default --dev --diff --disable-pip-version-check --dry-run --emit-build-options \
        --emit-find-links --emit-index-annotation --emit-index-url --exact --exclude-editable \
        --files --fix --force --force-pep517 --force-reinstall --frozen --generate-hashes \
        --generate-shell-completion --global --gui-script --header --help --human \
        --ignore-installed --inexact --invert --isolated --legacy-setup-py --lfs --lib --locked \
        --managed-python --module --native-tls --no-attestations --no-build-isolation \
        --no-build-logs --no-cache --no-compile --no-config --no-create-gitignore --no-dedupe \
        --no-default-groups --no-deps --no-emit-local --no-emit-project --no-emit-workspace \
        --no-hashes --no-install-local --no-install-project --no-install-workspace \
        --no-installer-metadata --no-managed-python --no-pin-python --no-progress --no-python-downloads --no-readme \
        --no-registry --no-sources --no-strip-extras --no-strip-markers --no-verify-hashes \
        --offline --only-dev --only-downloads --only-installed --outdated --paths --pre \
        --preview --quiet --raw --refresh --reinstall --relocatable --require-build-hashes \
        --require-hashes --resolve-links --resolved --rm --scripts --sdist --seed --short \
        --show-extras --show-paths --show-python --show-sizes --show-urls --show-version \
        --show-version-specifiers --show-with --strict --sync --system --system-certs \
        --system-site-packages --universal --upgrade --user --verbose --wheel --workspace -H -U \
        -h -n -q -v",
    ),
    values: Words(
        "--allow-insecure-host --allow-python-downloads --annotation-style --author-from --bounds \
        --branch --build-backend --bump --cert --color --config-setting --config-setting-package \
        --config-settings --config-settings-package --custom-compile-command --depth \
        --description --exclude --exclude-newer --exclude-newer-package --fork-strategy --format \
        --from --group --ignore --ignore-until-fixed --index-strategy --keyring-provider \
        --link-mode --marker --name --no-binary-package --no-build-isolation-package \
        --no-build-package --no-editable-package --no-emit-package --no-install-package \
        --no-pager --no-sources-package --only-binary --only-group --optional --output-format \
        --output-version --path --prerelease --prerelease-package --preview-features --prompt \
        --prune --python-fetch --python-platform --python-preference --python-version --refresh-package \
        --reinstall-package --resolution --rev --service-format --service-url --tag \
        --torch-backend --trusted-host --trusted-publishing --ty-version --upgrade-group \
        --upgrade-package --vcs --version --with --with-editable --with-executables-from -C -P \
        -b -d -w",
    ),
    either: Words("--editable --extra --no-binary --package --script -c -e -m -s"),
    followed: Words(
        "--check-url --default-index --directory --extra-index-url --find-links --graalpy-mirror \
        --index --index-url --mirror --project --publish-url --pyodide-mirror --pypy-mirror -f \
        -i",
    ),
    reads: Words(
        "--build-constraints --constraints --env-file --excludes --overrides --requirements \
        --with-requirements -r",
    ),
    writes: Words("--cache-dir --install-dir --out-dir --output-file --prefix --target -o"),
    runs: Words("--python -p"),
    loads: Words("--config-file --python-downloads-json-url"),
    secrets: Words("--password --token --username -t -u"),
    ..Manual::EMPTY
};

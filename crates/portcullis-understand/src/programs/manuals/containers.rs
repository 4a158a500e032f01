//! The options of what steers machines.

use super::{Manual, Words};

pub(super) static ANSIBLE: Manual = Manual {
    programs: &[
        "ansible",
        "ansible-playbook",
        "ansible-galaxy",
        "ansible-vault",
        "ansible-inventory",
        "ansible-doc",
        "ansible-pull",
        "ansible-config",
        "ansible-console",
    ],
    source: "ansible --help and its kin, 2.14",
    abbreviates: true,
    flags: Words(
        "--accept-host-key --ask-become-pass --ask-pass --ask-su-pass --ask-vault-pass \
        --ask-vault-password --become --check --clean --diff --export --flush-cache --force \
        --force-handlers --force-with-deps --full --graph --help --ignore-certs --ignore-errors \
        --ignore-signature-status-codes --json --keep-scm-meta --list --list-files --list-hosts \
        --list-tags --list-tasks --list_files --metadata-dump --nested --no-cache --no-deps \
        --no-fail-on-errors --offline --one-line --only-if-changed --pre --purge --snippet \
        --step --syntax-check --toml --track-subs --upgrade --vars --verbose --verify-commit \
        --version --yaml -D -F -N -b -g -h -j -o -y",
    ),
    values: Words(
        "--api-version --background --become-method --become-user --branch --checkout \
        --collection-skeleton --collections-path --connection --encrypt-vault-id --entry-point \
        --forks --keyring --limit --name --new-vault-id --poll --required \
        --required-valid-signature-count --resolvelib --role-file --role-name --role-skeleton \
        --signature --skip-tags --sleep --start-at-task --stdin-name --tags --task-timeout \
        --timeout --type --vault-id -B -P -T -c",
    ),
    either: Words("--host -C -H -U -d -f -l -n -p -r -s -t -v"),
    followed: Words("--args --inventory --inventory-file --module-name -a -i -m"),
    reads: Words("--extra-vars --requirements-file -e"),
    writes: Words("--directory --download-path --init-path --output --output-path --tree"),
    runs: Words(
        "--become-pass-file --become-password-file --conn-pass-file --connection-password-file \
        --new-vault-password-file --vault-pass-file --vault-password-file",
    ),
    loads: Words("--module-path --playbook-dir --roles-path -M"),
    passes: Words("--scp-extra-args --sftp-extra-args --ssh-common-args --ssh-extra-args"),
    reaches: Words("--server --url"),
    secrets: Words("--api-key --key-file --private-key --token --user -K -k -u"),
    ..Manual::EMPTY
};

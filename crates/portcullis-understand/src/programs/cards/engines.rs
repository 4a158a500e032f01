//! Engines of containers.

use super::{
    super::{
        escapes::{How, escape},
        manuals::{Ends, Manual, Words},
        wrappers::container,
    },
    Card, Connects,
};
use crate::{effect::WriteMode, programs::Does};

/// What is true of every engine that takes the words of docker.
const ENGINE: Card = Card {
    source: "docker help, 28.2",
    values: OPTIONS,
    does: Does::Custom(container),
    wraps: true,
    writes: Some((&["--output"], WriteMode::Replace)),
    prints: &["completion bash", "completion zsh"],
    looks: &[
        "ps", "images", "logs", "inspect", "version", "info", "stats", "top", "port", "diff",
        "history",
    ],
    connects: Some(Connects::Hosts),
    enters: &["exec", "--env-file"],
    has_keys: true,
    ..Card::EMPTY
};

/// What only builds images and opens containers.
pub(super) static BUILDAH: Card = Card {
    name: "buildah",
    source: "buildah(1), 1.37",
    values: OPTIONS,
    does: Does::Custom(container),
    wraps: true,
    connects: Some(Connects::Hosts),
    ..Card::EMPTY
};

pub(super) static DOCKER: Card = Card {
    name: "docker",
    manual: Some(&DOCKER_MANUAL),
    runs: &[escape("docker", &["--config"], How::Directory)],
    ..ENGINE
};

pub(super) static NERDCTL: Card =
    Card { name: "nerdctl", source: "nerdctl help, 2.0 (docs/command-reference.md)", ..ENGINE };

pub(super) static PODMAN: Card = Card {
    name: "podman",
    source: "podman help, 4.3 and what 5 added",
    manual: Some(&PODMAN_MANUAL),
    runs: &[
        escape("podman", &["--cni-config-dir", "--config", "--hooks-dir"], How::Directory),
        escape("podman", &["--conmon", "--network-cmd-path", "--runtime"], How::Program),
    ],
    ..ENGINE
};

/// Options before the subcommand that take a value.
const OPTIONS: &[&str] = &[
    "-H",
    "--host",
    "--context",
    "--config",
    "-l",
    "--log-level",
    "--name",
    "--filter",
    "--format",
    "--cni-config-dir",
    "--conmon",
    "--hooks-dir",
    "--network-cmd-path",
    "--root",
    "--runtime",
    "--runroot",
    "--url",
];

static DOCKER_MANUAL: Manual = Manual {
    programs: &["docker"],
    source: "docker help, 28.2",
    ends: Ends::Behind(Words("create exec run")),
    verbs: Words(
        "attach build builder checkpoint commit config container context cp create diff events \
        exec export help history image images import info inspect kill load login logout logs \
        manifest network node pause plugin port ps pull push rename restart rm rmi run save \
        search secret service stack start stats stop swarm system tag top trust unpause update \
        version volume wait",
    ),
    before: Words("--config --context --host --log-level -H -c -l"),
    flags: Words(
        "--all --all-tags --amend --archive --attachable --autolock --cluster --compress \
        --config-only --debug --detach --details --digests --disable --disable-content-trust \
        --follow --follow-link --force --force-new-cluster --force-rm --grant-all-permissions \
        --help --human --ingress --init --insecure --interactive --internal --ipv4 --ipv6 \
        --latest --leave-running --local --no-cache --no-healthcheck --no-resolve --no-stdin \
        --no-stream --no-task-ids --no-trunc --oom-kill-disable --password-stdin --pause \
        --pretty --prune --publish-all --purge --quiet --raw --read-only --rm --rollback \
        --rotate --sig-proxy --size --skip-interpolation --skip-remote-check --squash \
        --timestamps --tls --tlsverify --tree --tty --use-api-socket --verbose --version \
        --volumes --with-registry-auth --yes -D -L -P -q -y",
    ),
    values: Words(
        "--add-host --advertise-addr --alias --annotation --arch --args --author --aux-address \
        --availability --blkio-weight --blkio-weight-device --ca-cert --ca-key --cache-from \
        --cap-drop --cert-expiry --cgroup-parent --change --checkpoint --checkpoint-dir \
        --compose-file --config-add --config-from --config-rm --constraint --constraint-add \
        --constraint-rm --container-label --container-label-add --container-label-rm --context \
        --cpu-count --cpu-percent --cpu-period --cpu-quota --cpu-rt-period --cpu-rt-runtime \
        --cpu-shares --cpus --cpuset-cpus --cpuset-mems --credential-spec --data-path-addr \
        --data-path-port --default-addr-pool --default-addr-pool-mask-length --description \
        --detach-keys --device-cgroup-rule --device-read-bps --device-read-iops \
        --device-write-bps --device-write-iops --dispatcher-heartbeat --dns --dns-add \
        --dns-option --dns-option-add --dns-option-rm --dns-rm --dns-search --dns-search-add \
        --dns-search-rm --docker --domainname --driver --driver-opt --endpoint-mode --env-add \
        --env-rm --expose --external-ca --filter --format --from --gateway --generic-resource \
        --generic-resource-add --generic-resource-rm --gpus --group --group-rm --gw-priority \
        --health-cmd --health-interval --health-retries --health-start-interval \
        --health-start-period --health-timeout --host-add --host-rm --hostname --image --input \
        --io-maxbandwidth --io-maxiops --ip --ip-range --ip6 --ipam-driver --ipam-opt \
        --isolation --keep-storage --kernel-memory --label --label-add --label-rm --last --limit \
        --limit-bytes --limit-cpu --limit-memory --limit-pids --link-local-ip --listen-addr \
        --log-driver --log-level --log-opt --mac-address --max-concurrent --max-snapshots \
        --memory --memory-reservation --memory-swap --memory-swappiness --message --mode \
        --mount-add --mount-rm --name --network-add --network-alias --network-rm --oom-score-adj \
        --opt --os --os-features --os-version --pids-limit --placement-pref --placement-pref-add \
        --placement-pref-rm --platform --plugin --publish --publish-add --publish-rm --replicas \
        --replicas-max-per-node --required-bytes --reserve-cpu --reserve-memory --resolve-image \
        --restart --restart-condition --restart-delay --restart-max-attempts --restart-window \
        --role --rollback-delay --rollback-failure-action --rollback-max-failure-ratio \
        --rollback-monitor --rollback-order --rollback-parallelism --runtime --scope \
        --secret-add --secret-rm --sharing --signal --since --snapshot-interval \
        --stop-grace-period --stop-signal --stop-timeout --storage-opt --subnet --sysctl \
        --sysctl-add --sysctl-rm --tag --tail --target --task-history-limit --template-driver \
        --timeout --tmpfs --topology-preferred --topology-required --type --ulimit-add \
        --ulimit-rm --until --update-delay --update-failure-action --update-max-failure-ratio \
        --update-monitor --update-order --update-parallelism --username --variant \
        --volume-driver --workdir -h -m -n -w",
    ),
    either: Words(
        "--allow --attach --attest --build-context --builder --cache-to --call --check --link \
        --load --no-cache-filter --progress --provenance --pull --push --sbom --shm-size \
        --ulimit -1 -a -c -d -i -l -p -s -t",
    ),
    followed: Words(
        "--build-arg --cap-add --cgroupns --config --device --entrypoint --env --env-file --file \
        --group-add --host --ipc --mount --network --output --pid --privileged --secret \
        --security-opt --ssh --user --userns --uts --volume --volumes-from -H -e -f -o -u -v",
    ),
    reads: Words("--label-file"),
    writes: Words("--cidfile --iidfile --metadata-file"),
    secrets: Words("--password --tlscacert --tlscert --tlskey --token"),
    ..Manual::EMPTY
};

static PODMAN_MANUAL: Manual = Manual {
    programs: &["podman"],
    source: "podman help, 4.3 and what 5 added",
    ends: Ends::Behind(Words("create exec run")),
    verbs: Words(
        "attach auto-update build commit container cp create diff events exec export generate \
        healthcheck help history image images import info init inspect kill kube load login \
        logout logs machine manifest mount network pause play pod port ps pull push rename \
        restart rm rmi run save search secret start stats stop system tag top unmount unpause \
        unshare untag update version volume wait",
    ),
    before: Words("-c"),
    flags: Words(
        "--all --all-platforms --all-providers --all-tags --amend --archive --build --color \
        --compact --compatible --ctr-ids --ctr-names --ctr-status --depend --destroy --detach \
        --digests --disable-compression --disable-content-trust --disable-dns --display \
        --env-host --external --farm --file-locks --files --follow --force --force-rm \
        --get-login --history --human --identity-label --ignore --ignore-rootfs \
        --ignore-static-ip --ignore-static-mac --ignore-volumes --include-volumes --infra \
        --interactive --internal --ipv6 --keep --latest --leave-running --list-tags --load \
        --logsplit --multi-image-archive --names --new --no-cache --no-header --no-healthcheck \
        --no-hosts --no-prune --no-reset --no-stream --no-trunc --noheading --noout --now --ns \
        --omit-history --oom-kill-disable --overwrite --passwd --password-stdin --pause \
        --pre-checkpoint --pretty --print-stats --publish-all --quiet --read-only \
        --read-only-tmpfs --remove-signatures --replace --rmi --rootful --rootless-netns --run \
        --running --save-ignition --save-image --save-keys --service --share-parent --sig-proxy \
        --size --skip-tls-verify --skip-unused-stages --squash --squash-all --start --stdin \
        --sync --syslog --tcp-established --template --timestamps --trace --transient-store \
        --tty --uncompressed --unsetenv-all --user-mode-networking --verbose --version --volumes \
        --wait --whatrequires --with-previous -D -P -R -k -q -r",
    ),
    values: Words(
        "--add-host --after --alias --annotation --arch --author --blkio-weight \
        --blkio-weight-device --build-context --cache-from --cache-to --cache-ttl --cap-drop \
        --cgroup-conf --cgroup-manager --cgroup-parent --cgroups --change --chrootdirs \
        --compression-format --condition --configmap --connection --container --container-prefix \
        --context-dir --cors --cpp-flag --cpu-period --cpu-quota --cpu-rt-period \
        --cpu-rt-runtime --cpu-shares --cpus --cpuset-cpus --cpuset-mems --create-image \
        --device-cgroup-rule --device-read-bps --device-read-iops --device-write-bps \
        --device-write-iops --directory --disk-size --dns --dns-option --dns-search --driver \
        --driver-opts --env-merge --events-backend --exec --exit-policy --expose --features \
        --filename --filter --format --from --gateway --gidmap --gpus --group-add --group-entry \
        --health-cmd --health-interval --health-log-destination --health-on-failure \
        --health-retries --health-start-period --health-startup-cmd --health-timeout --hostname \
        --hosts-file --hostuser --ignorefile --image-path --image-volume --import \
        --import-previous --infra-command --infra-image --infra-name --init-ctr --input \
        --interval --ip --ip-range --ip6 --ipam-driver --isolation --jobs --label --label-file \
        --last --limit --log-driver --log-level --log-opt --mac-address --manifest --memory \
        --memory-reservation --memory-swap --memory-swappiness --message --namespace \
        --network-alias --new-runtime --oom-score-adj --opt --os --os-feature --os-features \
        --os-version --passwd-entry --personality --pids-limit --platform --pod-prefix \
        --preserve-fds --publish --rdt-class --requires --restart --restart-policy --restart-sec \
        --retry --retry-delay --runtime-flag --sdnotify --separator --share --shm-size \
        --shm-size-systemd --signal --since --sort --ssh --start-timeout --stop-signal \
        --stop-timeout --storage-driver --storage-opt --subgidname --subnet --subuidname \
        --sysctl --tag --tail --target --time --timeout --timestamp --timezone --tmpfs --type \
        --tz --uidmap --ulimit --umask --unsetenv --until --username --userns --userns-gid-map \
        --userns-gid-map-group --userns-uid-map --userns-uid-map-user --variant --volume-driver \
        --wants --watch --workdir -H -h -w",
    ),
    either: Words(
        "--attach --compress --context --detach-keys --help --host --http-proxy --init --layers \
        --name --pod --pull --remote --rm --systemd --tls-verify -a -c -d -f -i -l -m -n -p -s \
        -t -v",
    ),
    followed: Words(
        "--build-arg --cap-add --cgroupns --cni-config-dir --config --conmon --device \
        --entrypoint --env --env-file --file --hooks-dir --ipc --mount --network \
        --network-cmd-path --output --pid --privileged --rootfs --runtime --seccomp-policy \
        --secret --security-opt --user --uts --volume --volumes-from -e -o -u",
    ),
    writes: Words(
        "--cidfile --conmon-pidfile --digestfile --export --iidfile --imagestore \
        --infra-conmon-pidfile --logfile --pidfile --pod-id-file --root --runroot --tmpdir \
        --volumepath",
    ),
    loads: Words(
        "--events-backend-plugin --ignition-path --init-path --module --network-config-dir \
        --seccomp-profile-root",
    ),
    reaches: Words("--url"),
    secrets: Words(
        "--authfile --cert-dir --creds --decryption-key --identity --password --sign-by \
        --sign-by-sigstore-private-key --sign-passphrase-file",
    ),
    ..Manual::EMPTY
};

//! Clients of clusters of containers.

use super::{
    super::{
        escapes::{How, escape},
        manuals::{Manual, Words},
    },
    Card, Connects,
};
use crate::{
    effect::WriteMode,
    programs::{Does, wrappers::dash_dash},
};

const KUBECTL_VALUES: &[&str] = &[
    "-n",
    "--namespace",
    "--context",
    "--kubeconfig",
    "--cluster",
    "--user",
    "-s",
    "--server",
    "--token",
    "--as",
    "-l",
    "--selector",
    "-o",
    "--output",
    "-f",
    "--filename",
    "-c",
    "--container",
    "--grace-period",
    "--timeout",
    "--field-selector",
    "--as-group",
    "--as-uid",
    "--cache-dir",
    "--certificate-authority",
    "--client-certificate",
    "--client-key",
    "--kustomize",
    "-k",
    "--profile",
    "--request-timeout",
    "--retries",
    "--tls-server-name",
];

pub(super) static KUBECTL: Card = Card {
    name: "kubectl",
    source: "kubectl help, 1.32",
    values: KUBECTL_VALUES,
    does: Does::Custom(dash_dash),
    wraps: true,
    manual: Some(&KUBECTL_MANUAL),
    runs: &[escape("kubectl", &["--exec-command"], How::Script)],
    prints: &["completion bash", "completion zsh"],
    image: Some("kubectl"),
    looks: &[
        "get",
        "describe",
        "logs",
        "version",
        "top",
        "explain",
        "api-resources",
        "api-versions",
        "cluster-info",
    ],
    connects: Some(Connects::Hosts),
    server: &["-s", "--server"],
    enters: &["exec"],
    has_keys: true,
    ..Card::EMPTY
};

/// The same program by those who make OpenShift, with a few verbs more.
pub(super) static OC: Card = Card {
    name: "oc",
    source: "kubectl help, 1.32; oc help, 4.17",
    values: KUBECTL_VALUES,
    does: Does::Custom(dash_dash),
    wraps: true,
    manual: Some(&KUBECTL_MANUAL),
    connects: Some(Connects::Hosts),
    server: &["-s", "--server"],
    enters: &["exec", "rsh"],
    has_keys: true,
    ..Card::EMPTY
};

pub(super) static HELM: Card = Card {
    name: "helm",
    source: "helm help, 3.16 (docs/helm of helm/helm-www)",
    values: &[
        "-f",
        "-n",
        "--kube-apiserver",
        "--kube-as-user",
        "--kube-context",
        "--kube-token",
        "--kubeconfig",
        "--namespace",
        "--registry-config",
        "--repo",
        "--repository-config",
        "--set",
        "--set-file",
        "--set-string",
        "--timeout",
        "--values",
        "--version",
    ],
    manual: Some(&HELM_MANUAL),
    writes: Some((&["--destination", "--output-dir"], WriteMode::Create)),
    prints: &["completion bash", "completion zsh"],
    image: Some("helm"),
    connects: Some(Connects::Hosts),
    server: &["--kube-apiserver"],
    has_keys: true,
    ..Card::EMPTY
};

static KUBECTL_MANUAL: Manual = Manual {
    programs: &["kubectl", "oc"],
    source: "kubectl help, 1.32",
    verbs: Words(
        "alpha annotate api-resources api-versions apply attach auth autoscale certificate \
        cluster-info completion config cordon cp create debug delete describe diff drain edit \
        events exec explain expose get help kustomize label logs options patch plugin \
        port-forward proxy replace rollout run scale set taint top uncordon version wait",
    ),
    before: Words(
        "--as --cluster --context --kubeconfig --namespace --server --token --user -n -s -v",
    ),
    flags: Words(
        "--all-containers --all-namespaces --all-pods --allow-missing-template-keys --append-hash \
        --append-server-path --arguments-only --as-current-user --attach --cached --client \
        --command --current --delete-emptydir-data --disable-compression --disable-eviction \
        --disable-filter --edit --embed-certs --enable-alpha-plugins --enable-helm \
        --exec-provide-cluster-info --expose --flatten --follow --force-conflicts --helm-debug \
        --ignore-errors --ignore-not-found --insecure-skip-tls-verify \
        --insecure-skip-tls-verify-backend --interactive --keep-annotations \
        --keep-init-containers --keep-labels --keep-liveness --keep-readiness --keep-startup \
        --leave-stdin-open --list --local --match-server-version --merge --minify --namespaced \
        --network --no-preserve --now --openapi-patch --output-patch --overwrite --previous \
        --privileged --prune --quiet --recursive --replace --resolve --rm --same-node \
        --save-config --server-print --server-side --share-processes --show-capacity \
        --show-events --show-kind --show-labels --show-managed-fields --sum --timestamps \
        --use-protocol-buffers --warnings-as-errors --watch-only --windows-line-endings",
    ),
    values: Words(
        "--accept-hosts --accept-paths --address --annotation --annotations --api-group \
        --api-prefix --api-version --audience --auth-provider --auth-provider-arg \
        --bound-object-kind --bound-object-name --bound-object-uid --categories --chunk-size \
        --class --cluster --cluster-ip --clusterip --clusterrole --concurrency --container \
        --context --copy-to --cpu-percent --current-replicas --custom --default-backend \
        --docker-email --duration --env --exec-api-version --exec-arg --exec-env \
        --exec-interactive-mode --external-ip --field-manager --field-selector --for --from \
        --grace-period --group --helm-api-versions --helm-kube-version --image \
        --image-pull-policy --keepalive --keys --label-columns --labels --limit-bytes --limits \
        --load-balancer-ip --load-restrictor --log-flush-frequency --max --max-log-requests \
        --min --mount --name --namespace --namespaces --network-name --output --override-type \
        --overrides --patch --pod-running-timeout --pod-selector --profile --prune-allowlist \
        --reject-methods --reject-paths --replicas --request-timeout --resource --resource-name \
        --resource-version --retries --revision --role --rule --selector --serviceaccount \
        --session-affinity --set-image --since --since-time --skip-wait-for-delete-timeout \
        --tail --target --target-port --tcp --template --timeout --tls-server-name --to-revision \
        --type --types --user --verb --verbs --www-prefix",
    ),
    either: Words(
        "--add-dir-header --all --alsologtostderr --as --cascade --containers --delete-local-data \
        --dry-run --export --force --from-literal --generator --help --ignore-daemonsets \
        --include-uninitialized --log-backtrace-at --log-file-max-size --logtostderr \
        --no-headers --one-output --output-watch-events --port --prefix --protocol \
        --prune-whitelist --raw --record --requests --reset --restart --show-all --skip-headers \
        --skip-log-headers --sort-by --stderrthreshold --stdin --subresource --tty --v \
        --validate --vmodule --wait --watch -A -L -P -R -c -e -h -i -k -l -n -o -p -q -r -t -u \
        -v -w",
    ),
    followed: Words("--exec-command --filename --kustomize -f"),
    reads: Words("--certificate-authority --from-env-file --from-file --patch-file --www"),
    writes: Words(
        "--cache-dir --log-dir --log-file --output-directory --profile-output --unix-socket",
    ),
    runs: Words("--helm-command --helm-path"),
    loads: Words("--kubeconfig"),
    reaches: Words("--docker-server --proxy-url --server -s"),
    secrets: Words(
        "--as-group --as-uid --cert --client-certificate --client-key --docker-password \
        --docker-username --key --password --token --username",
    ),
    ..Manual::EMPTY
};

static HELM_MANUAL: Manual = Manual {
    programs: &["helm"],
    source: "helm help, 3.16 (docs/helm of helm/helm-www)",
    verbs: Words(
        "completion create delete dep dependency env fetch get help history inspect install lint \
        list ls package plugin pull push registry repo rollback search show status template test \
        un uninstall upgrade verify version",
    ),
    flags: Words(
        "--all --all-namespaces --allow-deprecated --atomic --cleanup-on-fail --client \
        --create-namespace --date --debug --dependency-update --deployed --devel \
        --disable-openapi-validation --enable-dns --fail-on-no-result --failed --force \
        --force-conflicts --force-update --generate-name --help --hide-notes --hide-secret \
        --ignore-not-found --include-crds --insecure --insecure-skip-tls-verify --install \
        --is-upgrade --keep-history --kube-insecure-skip-tls-verify --list-repo-url --logs \
        --no-color --no-headers --no-hooks --no-update --pass-credentials --password-stdin \
        --pending --plain-http --prov --quiet --recreate-pods --refresh --regexp \
        --render-subchart-notes --replace --reset-then-reuse-values --reset-values \
        --reuse-values --reverse --rollback-on-failure --short --show-desc --show-resources \
        --sign --skip-crds --skip-refresh --skip-schema-validation --skip-tests --strict \
        --superseded --take-ownership --uninstalled --uninstalling --untar --username-stdin \
        --validate --verify --versions --wait-for --wait-for-jobs --with-subcharts -A -g -h -i",
    ),
    values: Words(
        "--api-versions --app-version --burst-limit --cascade --description --filter \
        --history-max --kube-context --kube-version --labels --max --max-col-width \
        --name-template --namespace --offset --output --qps --registry-client --render-timeout \
        --repo --repository --revision --selector --set --set-file --set-json --set-literal \
        --set-string --show-only --starter --template --time-format --timeout --version",
    ),
    either: Words("--dry-run --release-name --server-side --wait -a -c -l -m -n -o -p -q -r -s -u"),
    followed: Words("--values -f"),
    reads: Words("--ca-file"),
    writes: Words(
        "--cache-dir --cache-file --destination --output-dir --repository-cache --untardir",
    ),
    runs: Words("--post-renderer --post-renderer-args"),
    loads: Words("--content-cache --kubeconfig --registry-config --repository-config"),
    reaches: Words("--kube-apiserver --kube-tls-server-name"),
    secrets: Words(
        "--cert-file --key --key-file --keyring --kube-as-group --kube-as-user --kube-ca-file \
        --kube-token --passphrase-file --password --username",
    ),
    ..Manual::EMPTY
};

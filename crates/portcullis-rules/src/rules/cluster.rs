//! Rules on Kubernetes and what stands around it. What runs inside a pod is judged on its own.

use super::{Rule, Shelf, When};
use crate::{
    finding::{Category, Confidence},
    risk::Severity,
};

pub(super) static SHELF: Shelf = Shelf {
    programs: &[
        "argo",
        "argocd",
        "cilium",
        "consul",
        "etcdctl",
        "etcdutl",
        "flux",
        "helm",
        "helmfile",
        "istioctl",
        "k0s",
        "k3d",
        "k3s-uninstall.sh",
        "kind",
        "kops",
        "kubeadm",
        "kubectl",
        "linkerd",
        "minikube",
        "nomad",
        "oc",
        "rancher",
        "rke",
        "skaffold",
        "talosctl",
        "tilt",
        "tkn",
        "velero",
    ],
    rules: RULES,
};

static RULES: &[Rule] = &[
    Rule {
        id: "k8s.delete.namespace",
        severity: Severity::Critical,
        message: "a namespace, node, cluster-wide type or stored volume is deleted with everything in it",
        remedy: "list what is in it: `kubectl get all -n NAMESPACE`, and keep a backup",
        when: When::Command(&[
            "kubectl|oc delete namespace|namespaces|ns|project|node|nodes|no|crd|crds|customresourcedefinition|customresourcedefinitions|pv|persistentvolume|persistentvolumes|pvc|persistentvolumeclaim|persistentvolumeclaims|storageclass|sc",
            "kubectl|oc delete namespace/*|ns/*|node/*|crd/*|pv/*|pvc/*|persistentvolumeclaim/*|persistentvolume/*",
        ]),
        fires: &[
            "kubectl delete namespace production",
            "kubectl -n x delete ns y",
            "kubectl --context prod delete pvc data-0",
            "kubectl delete pv/vol-1",
        ],
        quiet: &[
            "kubectl get namespaces",
            "kubectl delete namespace x --dry-run=client",
            "kubectl describe ns x",
        ],
        ..Rule::LOSS
    },
    Rule {
        id: "k8s.delete.all",
        severity: Severity::Critical,
        message: "every object of a kind, of a label or of a whole directory is deleted",
        remedy: "see what would go: `kubectl delete -f k8s/ --dry-run=server`",
        when: When::Command(&[
            "kubectl|oc delete --all|--all-namespaces|-A",
            "kubectl|oc delete all",
            "kubectl|oc delete -R|--recursive",
            "kubectl|oc delete -k|--kustomize",
            "kubectl|oc delete --raw",
            "kubectl|oc delete *,*",
            "kubectl|oc apply --prune",
            "kubectl|oc replace --force",
        ]),
        fires: &[
            "kubectl delete deploy --all -n prod",
            "kubectl delete all --all",
            "kubectl delete -f k8s/ --recursive",
            "kubectl apply --prune -f . --all",
            "kubectl delete pods,services -l app=web",
        ],
        quiet: &[
            "kubectl get pods --all-namespaces",
            "kubectl apply -f k8s/",
            "kubectl delete pod web-0",
        ],
        ..Rule::LOSS
    },
    Rule {
        id: "k8s.delete.manifest",
        message: "every object that a manifest names is deleted",
        remedy: "see what would go: `kubectl delete -f FILE --dry-run=server`",
        when: When::Command(&["kubectl|oc delete -f|--filename"]),
        fires: &["kubectl delete -f deploy.yaml", "kubectl delete -f -"],
        quiet: &["kubectl diff -f deploy.yaml", "kubectl delete --dry-run=server -f deploy.yaml"],
        ..Rule::LOSS
    },
    Rule {
        id: "k8s.delete.object",
        message: "objects of the cluster are deleted, and what they ran or routed stops",
        remedy: "keep its manifest: `kubectl get KIND NAME -o yaml`",
        when: When::Command(&[
            "kubectl|oc delete * !pod !pods !po !pod/* !po/* !job !jobs !job/* !event !events",
        ]),
        fires: &[
            "kubectl delete deployment api",
            "kubectl delete ingressroute my-route",
            "kubectl delete prometheusrule example -n monitoring",
            "kubectl delete svc/api",
            "kubectl delete secret db",
        ],
        quiet: &[
            "kubectl delete pod web-0",
            "kubectl get svc",
            "kubectl delete deploy api --dry-run=client",
        ],
        ..Rule::LOSS
    },
    Rule {
        id: "k8s.delete.pod",
        message: "a pod is deleted; its controller, if it has one, makes a new one",
        remedy: "restart them one by one: `kubectl rollout restart deploy/NAME`",
        when: When::Command(&[
            "kubectl|oc delete pod|pods|po|job|jobs|event|events|pod/*|po/*|job/*",
        ]),
        fires: &["kubectl delete pod web-0", "kubectl -n x delete pod/web-0"],
        quiet: &["kubectl get pods", "kubectl logs web-0"],
        ..Rule::CHANGE
    },
    Rule {
        id: "k8s.delete.gateway",
        reversible: true,
        message: "a pod through which the traffic or the names of the whole cluster go is deleted",
        remedy: "restart it without a gap: `kubectl rollout restart deploy/NAME`",
        when: When::Command(&[
            "kubectl|oc delete pod|pods|po *traefik*|*ingress*|*nginx*|*envoy*|*haproxy*|*istio*|*gateway*|*coredns*|*kube-proxy*|*etcd*|*apiserver*|*kube-*|*calico*|*cilium*",
            "kubectl|oc delete pod/*traefik*|pod/*ingress*|pod/*envoy*|pod/*istio*|pod/*coredns*|pod/*kube-*|pod/*etcd*",
            "kubectl|oc delete pod|pods|po -n=kube-system|--namespace=kube-system",
            "kubectl|oc delete pod|pods|po --force|--now|--grace-period=0",
        ]),
        fires: &[
            "kubectl delete pod traefik-abc123",
            "kubectl delete pod x -n kube-system",
            "kubectl delete pod db-0 --force --grace-period=0",
        ],
        quiet: &["kubectl delete pod web-0", "kubectl logs traefik-abc123"],
        ..Rule::LOSS
    },
    Rule {
        id: "k8s.node.drain",
        category: Category::System,
        reversible: true,
        message: "a node is emptied or closed, and its pods must find room elsewhere",
        remedy: "see what runs on it: `kubectl get pods -A --field-selector spec.nodeName=NODE`",
        when: When::Command(&[
            "kubectl|oc drain|cordon|taint",
            "oc adm drain|cordon|taint",
            "talosctl reset|shutdown|upgrade|reboot",
        ]),
        fires: &[
            "kubectl drain node-1 --ignore-daemonsets",
            "kubectl cordon node-1",
            "kubectl taint nodes n k=v:NoExecute",
        ],
        quiet: &["kubectl uncordon node-1", "kubectl get nodes"],
        ..Rule::LOSS
    },
    Rule {
        id: "k8s.scale.zero",
        reversible: true,
        message: "a workload is scaled to nothing: it stops",
        remedy: "keep at least one: `kubectl scale deploy/NAME --replicas=1`",
        when: When::Command(&[
            "kubectl|oc scale --replicas=0",
            "kubectl|oc autoscale --max=0",
            "kubectl|oc patch -p=*replicas\":0*|--patch=*replicas\":0*|-p=*replicas\":\\_0*|--patch=*replicas\":\\_0*|-p=*replicas:\\_0*|--patch=*replicas:\\_0*",
        ]),
        fires: &[
            "kubectl scale deploy/api --replicas=0 -n prod",
            "kubectl scale --replicas 0 sts/db",
            "kubectl patch deploy api -p '{\"spec\":{\"replicas\":0}}'",
            "kubectl patch deploy api --type=merge --patch='{\"spec\": {\"replicas\": 0}}'",
        ],
        quiet: &["kubectl scale deploy/api --replicas=3", "kubectl get deploy"],
        ..Rule::LOSS
    },
    Rule {
        id: "k8s.rollout.undo",
        message: "the version that runs is changed to another one",
        remedy: "see which: `kubectl rollout history deploy/NAME`",
        when: When::Command(&[
            "kubectl|oc rollout undo|restart|pause",
            "kubectl|oc set image|env|resources",
        ]),
        fires: &["kubectl rollout undo deploy/api", "kubectl set image deploy/api api=x:2"],
        quiet: &["kubectl rollout status deploy/api", "kubectl rollout history deploy/api"],
        ..Rule::CHANGE
    },
    Rule {
        id: "k8s.secrets.read",
        message: "secrets of the cluster are shown; base64 hides nothing",
        remedy: "see that they exist and what keys they have: `kubectl describe secret NAME`",
        when: When::Command(&[
            "kubectl|oc get secret|secrets|secret/*|secrets/* -o=yaml|-o=json|--output=yaml|--output=json",
            "kubectl|oc get secret|secrets|secret/*|secrets/* -o=*.data*|-o=*.stringData*|-o=*[*data*|-o=*{.}*|-o=*{@}*|-o=*{{.}}*|-o=*{.items}*|-o=*items[\\*]}*|-o=*-file=*",
            "kubectl|oc get secret|secrets|secret/*|secrets/* --output=*.data*|--output=*.stringData*|--output=*[*data*|--output=*{.}*|--output=*{@}*|--output=*{{.}}*|--output=*{.items}*|--output=*-file=*|--template=*.data*|--template=*{{.}}*",
            "oc extract secret/*",
            "kubectl|oc view-secret|modify-secret|decode-secret",
            "kubectl|oc create token",
            "kubectl|oc config view --raw",
            "oc whoami -t|--show-token",
        ]),
        fires: &[
            "kubectl get secrets -A -o yaml",
            "kubectl get secret db -o jsonpath='{.data.password}'",
            "kubectl config view --raw",
            "kubectl create token admin",
        ],
        quiet: &[
            "kubectl get secrets",
            "kubectl describe secret db",
            "kubectl get secret db -o jsonpath='{.metadata.name}'",
            "kubectl get secrets -o custom-columns=NAME:.metadata.name,TYPE:.type",
            "kubectl config view",
            "kubectl get pods -o yaml",
        ],
        ..Rule::KEYS
    },
    Rule {
        id: "k8s.rbac.admin",
        category: Category::Privilege,
        severity: Severity::Critical,
        message: "somebody is given every right over the cluster",
        remedy: "bind a role that allows what is needed in one namespace",
        when: When::Command(&[
            "kubectl|oc create clusterrolebinding|rolebinding --clusterrole=cluster-admin|--clusterrole=admin",
            "kubectl|oc create clusterrole|role --verb=\\*|--resource=\\*",
            "oc adm policy add-cluster-role-to-user|add-cluster-role-to-group|add-scc-to-user|add-scc-to-group",
            "kubectl|oc create|patch clusterrolebinding --user=system:anonymous|--group=system:unauthenticated",
            "kubectl|oc … --as=system:admin|--as-group=system:masters",
        ]),
        fires: &[
            "kubectl create clusterrolebinding x --clusterrole=cluster-admin --user=a",
            "kubectl create clusterrole x --verb='*' --resource=pods",
            "oc adm policy add-scc-to-user privileged -z default",
        ],
        quiet: &[
            "kubectl create rolebinding x --clusterrole=view --user=a",
            "kubectl auth can-i list pods",
        ],
        ..Rule::LOSS
    },
    Rule {
        id: "k8s.rbac.change",
        category: Category::Privilege,
        message: "what everybody with a role of the whole cluster may do would be changed",
        remedy: "let a person change it from a reviewed file",
        when: When::Command(&[
            "kubectl|oc patch|edit|replace|set clusterrole|clusterroles|clusterrolebinding|clusterrolebindings|clusterrole/*|clusterrolebinding/*",
        ]),
        fires: &[
            "kubectl patch clusterrole edit --type=json -p '[]'",
            "kubectl edit clusterrolebinding/admins",
        ],
        quiet: &[
            "kubectl get clusterrole edit -o yaml",
            "kubectl describe clusterrolebinding admins",
        ],
        ..Rule::LOSS
    },
    Rule {
        id: "k8s.pod.privileged",
        category: Category::Privilege,
        severity: Severity::Critical,
        message: "a pod is started that may do on its node what root may do",
        remedy: "run it without host access: `kubectl run NAME --image=IMAGE`",
        when: When::Command(&[
            "kubectl|oc run|create|patch|debug --overrides=*hostPID*|--overrides=*privileged*|--overrides=*hostNetwork*|--overrides=*hostPath*|--overrides=*hostIPC*",
            "kubectl|oc run|create --privileged",
            "kubectl|oc debug node/*|no/*",
            "kubectl|oc debug --profile=sysadmin|--profile=netadmin",
            "kubectl node-shell|node_shell|ssh-node|enter",
            "kubectl|oc patch -p=*privileged*|--patch=*privileged*|-p=*hostPID*|--patch=*hostPID*|-p=*hostPath*",
        ]),
        fires: &[
            "kubectl run x --image=alpine --overrides='{\"spec\":{\"hostPID\":true}}'",
            "kubectl debug node/worker-1 -it --image=busybox",
        ],
        quiet: &["kubectl run x --image=alpine", "kubectl debug pod/web -it --image=busybox"],
        ..Rule::LOSS
    },
    Rule {
        id: "k8s.exec",
        category: Category::Execution,
        severity: Severity::Medium,
        reversible: true,
        message: "a command runs inside a pod, or files go in or out of it",
        remedy: "read its logs: `kubectl logs POD`",
        when: When::Command(&["kubectl|oc exec|cp|attach|port-forward|rsh|rsync|proxy"]),
        fires: &["kubectl exec -it web-0 -- sh", "kubectl cp web-0:/data ./data"],
        quiet: &["kubectl logs web-0", "kubectl get pods"],
        ..Rule::CHANGE
    },
    Rule {
        id: "k8s.proxy.open",
        category: Category::Permission,
        message: "the cluster's own interface or a service is opened to every address",
        remedy: "keep it local: `kubectl port-forward svc/NAME 8080:80`",
        when: When::Command(&[
            "kubectl|oc proxy --address=0.0.0.0|--accept-hosts=*",
            "kubectl|oc port-forward --address=0.0.0.0",
            "kubectl|oc expose --type=LoadBalancer",
        ]),
        fires: &[
            "kubectl proxy --address=0.0.0.0 --accept-hosts='.*'",
            "kubectl expose deploy/api --type=LoadBalancer",
        ],
        quiet: &["kubectl proxy", "kubectl expose deploy/api --port=80"],
        ..Rule::OPENS
    },
    Rule {
        id: "k8s.finalizers.skipped",
        category: Category::Destruction,
        message: "what an object still holds is given up without being cleaned up, and the object is gone at once",
        remedy: "see what holds it: `kubectl describe`, and let its controller finish",
        reversible: false,
        when: When::Command(&[
            "kubectl|oc replace --raw=*/finalize*",
            "kubectl|oc patch -p=*finalizers*null*|--patch=*finalizers*null*|-p=*finalizers*[]*|--patch=*finalizers*[]*",
        ]),
        fires: &[
            "kubectl patch pv x --type merge -p '{\"metadata\":{\"finalizers\":null}}'",
            "kubectl replace --raw /api/v1/namespaces/old/finalize -f ns.json",
        ],
        quiet: &["kubectl replace -f ns.json", "kubectl get --raw /api/v1/namespaces/old"],
        ..Rule::OPENS
    },
    Rule {
        id: "k8s.apply.remote",
        category: Category::SupplyChain,
        message: "objects are made from a file on somebody else's server, which can change at any time",
        remedy: "download it, read it, then `kubectl diff -f FILE`",
        when: When::Command(&[
            "kubectl|oc apply|create|replace -f=http*|--filename=http*|-k=http*|-k=github*|-k=git*",
        ]),
        fires: &["kubectl apply -f https://example.com/install.yaml"],
        quiet: &["kubectl apply -f deploy.yaml", "kubectl get -f https://example.com/x.yaml"],
        ..Rule::SUPPLY
    },
    Rule {
        id: "k8s.apply",
        message: "objects of the cluster are made or changed",
        remedy: "see the difference first: `kubectl diff -f FILE`",
        when: When::Command(&[
            "kubectl|oc apply|create|replace|edit|patch|annotate|label|scale|autoscale|run|expose",
        ]),
        fires: &["kubectl apply -f deploy.yaml", "kubectl label pod x a=b"],
        quiet: &["kubectl diff -f deploy.yaml", "kubectl apply --dry-run=server -f deploy.yaml"],
        ..Rule::CHANGE
    },
    Rule {
        id: "k8s.certificate",
        category: Category::Privilege,
        message: "a certificate with which somebody is known to the cluster is approved, or a context with other rights is written",
        remedy: "look at who asks for what: `kubectl describe csr NAME`",
        when: When::Command(&[
            "kubectl|oc certificate approve",
            "oc adm certificate approve",
            "kubectl config delete-cluster|delete-context|delete-user|unset",
        ]),
        fires: &["kubectl certificate approve csr-1", "kubectl config delete-context prod"],
        quiet: &[
            "kubectl describe csr csr-1",
            "kubectl config get-contexts",
            "kubectl config use-context dev",
        ],
        ..Rule::OPENS
    },
    Rule {
        id: "helm.uninstall",
        message: "a release is uninstalled with everything that it made in the cluster",
        remedy: "see what it holds: `helm get manifest RELEASE`; what would go: `helm uninstall RELEASE --dry-run`",
        when: When::Command(&[
            "helm uninstall|delete|del|un",
            "helmfile destroy|delete",
            "skaffold delete",
            "tilt down",
        ]),
        fires: &["helm uninstall prod -n prod", "helm -n prod delete api", "helmfile destroy"],
        quiet: &["helm list", "helm uninstall prod --dry-run", "helm get manifest prod"],
        ..Rule::LOSS
    },
    Rule {
        id: "helm.rollback",
        reversible: true,
        confidence: Confidence::Medium,
        message: "a release is replaced by another version, by force or with objects deleted and made again",
        remedy: "see the steps: `helm history RELEASE`, `helm rollback RELEASE 1 --dry-run`",
        when: When::Command(&[
            "helm rollback",
            "helm upgrade|rollback --force|--recreate-pods|--reset-values",
        ]),
        fires: &["helm rollback prod 3", "helm upgrade prod ./chart --force"],
        quiet: &["helm history prod", "helm upgrade prod ./chart", "helm template ./chart"],
        ..Rule::LOSS
    },
    Rule {
        id: "helm.install",
        message: "objects of the cluster are made or changed by a chart",
        remedy: "see them first: `helm template ./chart`, `helm diff upgrade RELEASE ./chart`",
        when: When::Command(&["helm install|upgrade", "helmfile apply|sync"]),
        fires: &["helm install web ./chart", "helm upgrade --install web ./chart"],
        quiet: &["helm template ./chart", "helm install web ./chart --dry-run"],
        ..Rule::CHANGE
    },
    Rule {
        id: "helm.install.remote",
        severity: Severity::High,
        message: "what a chart from an address says is applied to the cluster, unread",
        remedy: "read it first: `helm template NAME CHART --repo ADDRESS`",
        when: When::Command(&[
            "helm install|upgrade --repo=http*|--repo=ftp* !--repo=http://localhost* !--repo=http://127.0.0.1*",
            "helm install|upgrade … http://*|https://*",
        ]),
        fires: &[
            "helm install web chart --repo https://charts.example.com",
            "helm upgrade --install web https://charts.example.com/web-1.0.tgz",
        ],
        quiet: &[
            "helm template web chart --repo https://charts.example.com",
            "helm show values chart --repo https://charts.example.com",
            "helm install web ./chart",
            "helm install web chart --repo http://localhost:8080",
        ],
        ..Rule::CHANGE
    },
    Rule {
        id: "etcd.delete",
        severity: Severity::Critical,
        message: "keys or members of the store under the cluster are removed or replaced",
        remedy: "save it first: `etcdctl snapshot save backup.db`",
        when: When::Command(&[
            "etcdctl del",
            "etcdctl member remove",
            "etcdctl snapshot restore",
            "etcdutl snapshot restore",
            "etcdctl auth disable",
            "etcdctl user|role delete",
            "etcdctl defrag|compaction",
            "etcdctl lease revoke",
        ]),
        fires: &[
            "etcdctl del / --prefix",
            "etcdctl --endpoints=x:2379 member remove 8e9e05c52164694d",
        ],
        quiet: &[
            "etcdctl get / --prefix --keys-only",
            "etcdctl member list",
            "etcdctl snapshot save x.db",
        ],
        ..Rule::LOSS
    },
    Rule {
        id: "cluster.reset",
        severity: Severity::Critical,
        message: "a cluster or a member of it is torn down",
        remedy: "keep a backup of its store, and let a person do it",
        when: When::Command(&[
            "kubeadm reset",
            "kops delete",
            "k0s reset",
            "k3s-uninstall.sh",
            "rke remove",
            "talosctl reset",
            "rancher cluster|clusters delete|rm",
        ]),
        fires: &["kubeadm reset -f", "kops delete cluster --name x --yes"],
        quiet: &["kubeadm token list", "kops get cluster"],
        ..Rule::LOSS
    },
    Rule {
        id: "cluster.local.delete",
        severity: Severity::Medium,
        message: "a cluster for development is deleted with everything in it",
        remedy: "stop it instead: `minikube stop`",
        when: When::Command(&[
            "kind delete",
            "minikube delete",
            "k3d cluster|node|registry delete",
        ]),
        fires: &["kind delete cluster", "minikube delete --all", "k3d cluster delete dev"],
        quiet: &["kind get clusters", "minikube status"],
        ..Rule::LOSS
    },
    Rule {
        id: "velero.delete",
        message: "backups, schedules or the places where they are kept are deleted",
        remedy: "see which: `velero backup get`",
        when: When::Command(&[
            "velero delete",
            "velero backup|schedule|restore|backup-location|snapshot-location|repo delete",
            "velero uninstall",
            "velero schedule pause",
        ]),
        fires: &[
            "velero backup delete nightly",
            "velero uninstall",
            "velero delete schedule daily --confirm",
        ],
        quiet: &["velero backup get", "velero backup create now", "velero backup describe nightly"],
        ..Rule::LOSS
    },
    Rule {
        id: "velero.restore",
        reversible: true,
        confidence: Confidence::Medium,
        message: "objects of the cluster are brought back over the ones that are there",
        remedy: "see what is in the backup: `velero backup describe NAME --details`",
        when: When::Command(&["velero restore create", "velero create restore"]),
        fires: &["velero restore create --from-backup nightly"],
        quiet: &["velero restore get", "velero backup create now"],
        ..Rule::LOSS
    },
    Rule {
        id: "gitops.delete",
        message: "an application, source or project under continuous delivery is removed, and what it deployed with it",
        remedy: "see what belongs to it: `flux tree kustomization NAME`",
        when: When::Command(&[
            "argocd app|proj|repo|cluster|appset|account|cert|gpg delete|rm|remove|delete-token|delete-resource|terminate-op",
            "argo delete|terminate|stop",
            "argo cron|template|cluster-template|archive delete",
            "flux delete",
            "flux uninstall",
            "tkn … delete",
            "argocd app rollback",
            "argocd app sync --force|--prune|--replace",
            "linkerd|istioctl|cilium uninstall",
            "istioctl x|experimental uninstall",
            "istioctl uninstall --purge",
        ]),
        fires: &[
            "argocd app delete prod",
            "argocd --server x app sync prod --prune",
            "flux delete kustomization apps",
            "flux uninstall --silent",
            "istioctl uninstall --purge",
            "tkn pipeline delete build",
        ],
        quiet: &[
            "argocd app list",
            "argocd app sync prod",
            "flux get all",
            "argo list",
            "tkn pipeline list",
        ],
        ..Rule::LOSS
    },
    Rule {
        id: "hashi.nomad.stop",
        message: "a job, node or namespace of the scheduler is stopped or purged",
        remedy: "see what would change: `nomad job plan FILE`",
        when: When::Command(&[
            "nomad job stop|purge|revert|scale",
            "nomad stop",
            "nomad namespace|quota|volume|var|variable|acl delete|purge|deregister|detach",
            "nomad acl policy|token|role delete",
            "nomad node drain|purge",
            "nomad system gc",
            "nomad server force-leave",
            "nomad operator raft remove-peer",
        ]),
        fires: &["nomad job stop -purge web", "nomad stop web", "nomad namespace delete x"],
        quiet: &["nomad job status web", "nomad job plan web.hcl", "nomad node status"],
        ..Rule::LOSS
    },
    Rule {
        id: "hashi.consul.delete",
        message: "keys, services or members that others discover each other by are removed",
        remedy: "save them first: `consul kv export`, `consul snapshot save backup.snap`",
        when: When::Command(&[
            "consul kv delete",
            "consul services deregister",
            "consul leave|force-leave",
            "consul acl … delete",
            "consul config delete",
            "consul snapshot restore",
            "consul operator raft remove-peer",
            "consul intention delete",
            "consul namespace|partition|peering delete",
        ]),
        fires: &[
            "consul kv delete -recurse app/",
            "consul leave",
            "consul acl policy delete -id x",
        ],
        quiet: &["consul kv get app/x", "consul members", "consul snapshot save x"],
        ..Rule::LOSS
    },
];

//! Rules on container engines: what is deleted with its data, and what lets a container reach the host. What runs inside
//! a container is judged on its own.

use super::{Rule, Shelf, When};
use crate::{
    finding::{Category, Confidence},
    risk::Severity,
};

pub(super) static SHELF: Shelf = Shelf {
    programs: &[
        "az",
        "buildah",
        "crictl",
        "ctr",
        "docker",
        "docker-compose",
        "helm",
        "ibmcloud",
        "incus",
        "lxc",
        "machinectl",
        "nerdctl",
        "podman",
        "podman-compose",
        "skopeo",
        "vagrant",
        "virsh",
    ],
    rules: RULES,
};

static RULES: &[Rule] = &[
    Rule {
        id: "container.prune.volumes",
        message: "every volume that no container uses is deleted, databases included",
        remedy: "see what would go: `docker volume ls -f dangling=true`",
        when: When::Command(&[
            "docker|podman|nerdctl system prune --volumes",
            "docker|podman|nerdctl volume prune",
            "podman system reset",
            "docker|podman|nerdctl system prune -a|--all -f|--force",
        ]),
        fires: &[
            "docker system prune -af --volumes",
            "docker system prune --all --force",
            "docker volume prune -f",
            "podman system reset --force",
            "docker --context prod system prune --volumes",
        ],
        quiet: &["docker system df", "docker volume ls", "docker image prune"],
        ..Rule::LOSS
    },
    Rule {
        id: "container.prune.images",
        confidence: Confidence::Medium,
        message: "every image that no container runs is deleted, those that exist nowhere else too",
        remedy: "delete only what has no name: `docker image prune`",
        when: When::Command(&["docker|podman|nerdctl image|images prune -a|--all"]),
        fires: &["docker image prune -a", "docker image prune --all --force"],
        quiet: &["docker image prune", "docker images -a"],
        ..Rule::LOSS
    },
    Rule {
        id: "container.prune.cache",
        message: "stopped containers, unused networks, images or caches are deleted",
        remedy: "see what would go: `docker system df -v`",
        when: When::Command(&[
            "docker|podman|nerdctl system prune !--volumes",
            "docker|podman|nerdctl container|image|network|builder|buildx|pod|images prune",
        ]),
        fires: &["docker system prune", "docker image prune", "docker builder prune -f"],
        quiet: &["docker system df", "docker images"],
        ..Rule::CHANGE
    },
    Rule {
        id: "container.plugin.install",
        severity: Severity::High,
        message: "a plugin of the engine runs with the rights over this machine that it asks for",
        remedy: "let a person install it, and read which rights it wants",
        when: When::Command(&["docker plugin install|upgrade"]),
        fires: &["docker plugin install --grant-all-permissions vieux/sshfs"],
        quiet: &["docker plugin ls"],
        ..Rule::LOSS
    },
    Rule {
        id: "container.volume.remove",
        message: "a volume is deleted with the data in it",
        remedy: "copy the data out first, then let a person remove it; `docker volume inspect NAME` shows what it is",
        when: When::Command(&["docker|podman|nerdctl volume rm|remove"]),
        fires: &["docker volume rm pgdata", "podman volume rm -a"],
        quiet: &["docker volume inspect pgdata", "docker volume create x"],
        ..Rule::LOSS
    },
    Rule {
        id: "container.compose.volumes",
        message: "the services are taken down together with their volumes, databases included",
        remedy: "keep the data: `docker compose down`",
        when: When::Command(&[
            "docker|podman|nerdctl compose down -v|--volumes",
            "docker-compose|podman-compose down -v|--volumes",
            "docker|podman|nerdctl compose rm -v",
            "docker-compose|podman-compose rm -v",
        ]),
        fires: &[
            "docker compose down -v",
            "docker-compose down --volumes --remove-orphans",
            "docker compose -f prod.yml down -v",
            "docker-compose rm -fsv",
        ],
        quiet: &["docker compose down", "docker-compose up -d", "docker compose rm web"],
        ..Rule::LOSS
    },
    Rule {
        id: "container.compose.images",
        severity: Severity::High,
        reversible: true,
        message: "the services are taken down and every image of them is deleted",
        remedy: "keep the images: `docker compose down`",
        when: When::Command(&[
            "docker|podman|nerdctl compose down --rmi=all",
            "docker-compose|podman-compose down --rmi=all",
        ]),
        fires: &["docker compose down --rmi all", "docker-compose down --rmi=all"],
        quiet: &["docker compose down", "docker compose down --rmi local"],
        ..Rule::LOSS
    },
    Rule {
        id: "container.remove.many",
        message: "several containers are removed by force, running ones too",
        remedy: "look at them first: `docker ps -a`",
        when: When::Command(&[
            "docker|podman|nerdctl rm -f|--force * *",
            "docker|podman|nerdctl rm -a|--all",
            "docker|podman|nerdctl kill|stop|rmi … *${docker}*|*${podman}*|*${nerdctl}*|*${xargs}*|*${input}*",
            "docker|podman|nerdctl rm -f|--force … *${docker}*|*${podman}*|*${nerdctl}*|*${xargs}*|*${input}*",
            "docker|podman|nerdctl container kill|stop … *${docker}*|*${podman}*|*${input}*",
            "docker|podman|nerdctl container rm -f|--force … *${docker}*|*${podman}*|*${input}*",
            "docker|podman|nerdctl container rm -f|--force * *",
            "docker|podman|nerdctl rm -v",
            "podman|nerdctl pod rm -a|-f|--all|--force",
            "crictl rm|rmp|rmi|stopp -a|--all|--prune",
        ]),
        confidence: Confidence::Medium,
        fires: &[
            "docker rm -f web db",
            "podman rm --all",
            "docker rm -fv db",
            "crictl rmi --prune",
        ],
        quiet: &["docker rm web", "docker rm -f web", "docker ps -a"],
        ..Rule::LOSS
    },
    Rule {
        id: "container.remove.one",
        message: "a container is stopped or removed with what was written inside it",
        remedy: "keep a copy: `docker commit NAME`",
        when: When::Command(&[
            "docker|podman|nerdctl rm|kill|stop|restart|pause",
            "docker|podman|nerdctl container rm|kill|stop|restart|pause",
            "docker|podman|nerdctl compose stop|kill|restart|down|rm",
            "docker-compose|podman-compose stop|kill|restart|down|rm",
        ]),
        fires: &["docker rm web", "docker kill web", "docker compose down"],
        quiet: &["docker ps", "docker run --rm alpine true"],
        ..Rule::CHANGE
    },
    Rule {
        id: "container.proxy.stop",
        category: Category::System,
        reversible: true,
        message: "a proxy or load balancer is taken away, and everything behind it becomes unreachable",
        remedy: "load the new configuration in place: `docker kill -s HUP NAME` for most proxies",
        when: When::Command(&[
            "docker|podman|nerdctl rm|kill|stop *traefik*|*nginx*|*haproxy*|*envoy*|*caddy*|*ingress*|*gateway*|*load-balancer*|*loadbalancer* !-s !--signal",
            "docker|podman|nerdctl container rm|kill|stop *traefik*|*nginx*|*haproxy*|*envoy*|*caddy*|*ingress*|*gateway*|*loadbalancer*",
            "docker|podman|nerdctl compose rm|kill|stop *traefik*|*nginx*|*haproxy*|*envoy*|*caddy*|*ingress*|*gateway*",
            "docker-compose|podman-compose rm|kill|stop *traefik*|*nginx*|*haproxy*|*envoy*|*caddy*|*ingress*|*gateway*",
        ]),
        fires: &["docker stop traefik", "docker rm -f prod-nginx-1", "docker compose stop haproxy"],
        quiet: &[
            "docker logs traefik",
            "docker inspect traefik",
            "docker stop web",
            "docker kill -s HUP nginx",
        ],
        ..Rule::LOSS
    },
    Rule {
        id: "container.image.remove",
        message: "images are removed, and must be built or pulled again",
        remedy: "see them first: `docker images`",
        when: When::Command(&[
            "docker|podman|nerdctl rmi",
            "docker|podman|nerdctl image rm|remove",
            "buildah rmi|rm",
            "crictl|ctr rmi",
        ]),
        fires: &["docker rmi app:latest", "docker image rm app"],
        quiet: &["docker images", "docker pull app"],
        ..Rule::CHANGE
    },
    Rule {
        id: "container.image.remove-all",
        message: "every image is removed by force",
        remedy: "remove what nothing uses: `docker image prune`",
        when: When::Command(&[
            "docker|podman|nerdctl rmi -a|--all",
            "buildah rmi|rm -a|--all",
            "docker|podman|nerdctl rmi -f|--force * * *",
        ]),
        fires: &["podman rmi --all", "buildah rm -a"],
        quiet: &["docker rmi app", "podman images --all"],
        ..Rule::LOSS
    },
    Rule {
        id: "container.run.privileged",
        category: Category::Privilege,
        severity: Severity::Critical,
        message: "the container may do whatever root on the host may do",
        remedy: "give it the one capability or device that it needs",
        when: When::Command(&[
            "docker|podman|nerdctl run|create|exec --privileged",
            "docker|podman|nerdctl container run|create|exec --privileged",
            "ctr run|create --privileged",
            "ctr container|containers|c create --privileged",
            "docker|podman|nerdctl run|create --cap-add=ALL|--cap-add=SYS_*|--cap-add=CAP_SYS_*|--cap-add=all|--cap-add=NET_ADMIN|--cap-add=DAC_*|--cap-add=BPF",
            "docker|podman|nerdctl run|create --security-opt=*unconfined*|--security-opt=*disable*|--security-opt=no-new-privileges:false",
            "docker|podman|nerdctl run|create --device=/dev/sd*|--device=/dev/nvme*|--device=/dev/mem|--device=/dev/kmsg|--device=/dev/vd*",
            "lxc|incus config set * security.privileged*",
            "lxc|incus launch|init -c=security.privileged=true",
        ]),
        fires: &[
            "docker run -it --privileged alpine sh",
            "podman run --cap-add=SYS_ADMIN alpine",
            "docker run --security-opt apparmor=unconfined alpine",
            "docker run --device /dev/sda alpine",
            "docker exec --privileged web sh",
        ],
        quiet: &[
            "docker run --rm alpine echo hello",
            "docker run --cap-drop=ALL alpine",
            "docker exec web ls",
        ],
        ..Rule::LOSS
    },
    Rule {
        id: "container.run.host-namespace",
        category: Category::Privilege,
        message: "the container shares the processes, users or devices of the host",
        remedy: "leave the namespaces apart, and publish the ports that are needed with `-p`",
        when: When::Command(&[
            "docker|podman|nerdctl run|create --pid=host|--ipc=host|--uts=host|--userns=host|--cgroupns=host|--cgroup-parent",
            "docker|podman|nerdctl run|create --pid=container:*",
        ]),
        fires: &["docker run --pid=host alpine ps", "docker run --userns host alpine"],
        quiet: &["docker run --network host alpine", "docker run -p 80:80 nginx"],
        ..Rule::LOSS
    },
    Rule {
        id: "container.run.host-mount",
        category: Category::Privilege,
        severity: Severity::Critical,
        message: "the container can change the host's own files, which is as good as being root there",
        remedy: "mount the one directory that is needed, read-only where that is enough: `-v \"$PWD\":/app:ro`",
        when: When::Command(&[
            "docker|podman|nerdctl run|create -v=/:*|--volume=/:*|-v=/etc:*|-v=/etc/:*|-v=/etc/shadow*|-v=/etc/passwd*|-v=/etc/sudoers*|-v=/etc/ssh*|-v=/etc/cron*|-v=/etc/kubernetes*|-v=/root:*|-v=/boot:*|-v=/var:*|-v=/proc:*|-v=/sys:*|-v=/dev:*|-v=/usr:*|-v=/lib*:*|-v=/home:*|-v=/var/lib/docker*",
            "docker|podman|nerdctl run|create --volume=/etc:*|--volume=/etc/:*|--volume=/etc/shadow*|--volume=/etc/passwd*|--volume=/etc/sudoers*|--volume=/etc/ssh*|--volume=/etc/cron*|--volume=/root:*|--volume=/boot:*|--volume=/var:*|--volume=/proc:*|--volume=/sys:*|--volume=/dev:*|--volume=/home:*",
            "docker|podman|nerdctl run|create --mount=*source=/,*|--mount=*src=/,*|--mount=*source=/etc*|--mount=*src=/etc*|--mount=*source=/root*|--mount=*source=/proc*",
            "ctr run --mount=*source=/,*|--mount=*src=/,*|--mount=*source=/etc*|--mount=*src=/etc*|--mount=*source=/root*|--mount=*src=/root*",
            "lxc|incus config device add … source=/",
        ]),
        fires: &[
            "docker run -v /:/host -it alpine chroot /host",
            "docker run --mount type=bind,source=/,target=/mnt alpine",
            "podman run -v/etc:/e alpine",
            "ctr run --mount type=bind,src=/,dst=/host,options=rbind -t docker.io/library/alpine:latest x",
            "lxc config device add c host disk source=/ path=/mnt",
        ],
        quiet: &[
            "docker run -v /workspace/project:/app alpine",
            "docker run -v data:/var/lib/postgresql/data postgres",
            "docker run -v /etc/localtime:/etc/localtime:ro alpine x",
        ],
        ..Rule::LOSS
    },
    Rule {
        id: "container.run.home-mount",
        category: Category::Credentials,
        message: "the container, whoever built its image, can read and change a home directory with its keys",
        remedy: "mount the project: `docker run -v \"$PWD\":/app IMAGE`",
        when: When::Command(&[
            "docker|podman|nerdctl run|create -v=/home/*:*|--volume=/home/*:*|-v=/Users/*:*|--volume=/Users/*:*|-v=/root/*:*|-v=~*:*|-v=$HOME:* !-v=/home/*/*:* !--volume=/home/*/*:* !-v=/Users/*/*:* !--volume=/Users/*/*:* !-v=/root/*/*:* !--volume=/root/*/*:*",
            "docker|podman|nerdctl run|create -v=*/.ssh*:*|-v=*/.aws*:*|-v=*/.kube*:*|-v=*/.gnupg*:*|-v=*/.docker*:*|-v=*/.config/gcloud*:*|--volume=*/.ssh*:*|--volume=*/.aws*:*",
        ]),
        fires: &[
            "docker run --rm -v /home/dev:/h alpine",
            "docker run -v /home/dev/.ssh:/root/.ssh alpine",
        ],
        quiet: &[
            "docker run --rm -v /home/dev/project:/app alpine",
            "docker run --rm -v /Users/dev/src/project:/app alpine",
            "docker run -v /workspace:/w alpine",
        ],
        ..Rule::KEYS
    },
    Rule {
        id: "container.run.socket",
        category: Category::Privilege,
        severity: Severity::Critical,
        message: "the container gets the engine's socket, and with it root on the host",
        remedy: "build with a tool that needs no engine, or give it a filtered proxy of the socket",
        when: When::Command(&[
            "docker|podman|nerdctl run|create -v=*docker.sock*|--volume=*docker.sock*|--mount=*docker.sock*|--mount=*podman.sock*|--mount=*containerd.sock*|--mount=*crio.sock*|--mount=*source=/var/run,*|--mount=*src=/var/run,*|--volume=*containerd.sock*|--volume=*podman.sock*|--volume=*crio.sock*|-v=*containerd.sock*|-v=*podman.sock*|-v=*crio.sock*|-v=/var/run:*|-v=/run:*|--volume=/var/run:*",
        ]),
        fires: &["docker run -v /var/run/docker.sock:/var/run/docker.sock docker ps"],
        quiet: &["docker run -v /workspace/sock:/sock alpine"],
        ..Rule::LOSS
    },
    Rule {
        id: "container.engine.remote",
        category: Category::Change,
        severity: Severity::Medium,
        reversible: true,
        message: "the command goes to a container engine on another machine",
        remedy: "name the context in what you tell the person who approves",
        when: When::Command(&[
            "docker -H=tcp:*|-H=ssh:*|--host=tcp:*|--host=ssh:*",
            "podman --url=ssh:*|--url=tcp:*",
        ]),
        fires: &["docker -H tcp://10.0.0.5:2375 ps"],
        quiet: &["docker ps", "docker -H unix:///var/run/docker.sock ps"],
        ..Rule::CHANGE
    },
    Rule {
        id: "container.login.password",
        category: Category::Credentials,
        severity: Severity::Medium,
        message: "a registry password stands in the command, where every process and log can read it",
        remedy: "give it on standard input: `docker login --password-stdin`",
        when: When::Command(&["docker|podman|nerdctl|buildah|skopeo login -p|--password"]),
        fires: &["docker login -u me -p hunter2 registry.example.com"],
        quiet: &["docker login registry.example.com", "docker login --password-stdin -u me"],
        ..Rule::KEYS
    },
    Rule {
        id: "container.image.push",
        category: Category::Exfiltration,
        severity: Severity::High,
        message: "an image with everything built into it is uploaded, for everybody who runs it",
        remedy: "check what is in it: `docker history IMAGE`",
        when: When::Command(&[
            "docker|podman|nerdctl|buildah push !localhost* !127.0.0.1*",
            "docker|podman|nerdctl image|manifest|compose push !localhost* !127.0.0.1*",
            "docker buildx|build build --push",
            "skopeo copy|sync … docker://*",
            "helm push",
        ]),
        fires: &["docker push registry.example.com/app:1", "docker image push app"],
        quiet: &["docker pull app", "docker images", "docker push localhost:5000/app"],
        ..Rule::CHANGE
    },
    Rule {
        id: "container.image.home",
        category: Category::Exfiltration,
        severity: Severity::High,
        message: "an image is built from a whole home directory or a place of keys, and whoever gets the image gets what is in there",
        remedy: "build it from the project, and give the build single files with `--secret`",
        when: When::Noted,
        fires: &["docker build -t app ~", "docker buildx build --build-context h=$HOME -t app ."],
        quiet: &["docker build -t app .", "docker build -t app docker/"],
        ..Rule::CHANGE
    },
    Rule {
        id: "container.registry.delete",
        message: "an image is deleted in the registry, for everybody who deploys it",
        remedy: "look at it first: `skopeo inspect docker://IMAGE`",
        when: When::Command(&[
            "skopeo delete",
            "docker manifest rm",
            "az acr run --cmd=*purge*",
            "ibmcloud cr image-rm|image-prune-untagged|namespace-rm|retention-run",
        ]),
        fires: &[
            "skopeo delete docker://registry.example.com/app:1",
            "ibmcloud cr image-rm us.icr.io/ns/app",
            "az acr run --cmd 'acr purge --ago 0d' --registry r /dev/null",
        ],
        quiet: &[
            "skopeo inspect docker://registry.example.com/app:1",
            "skopeo list-tags docker://x",
        ],
        ..Rule::LOSS
    },
    Rule {
        id: "container.swarm.leave",
        message: "a node, service or stack of the swarm is removed, and what runs there stops",
        remedy: "drain the node first, and look: `docker node ls`",
        when: When::Command(&[
            "docker swarm leave",
            "docker stack rm|remove|down",
            "docker service rm|remove",
            "docker node rm|demote",
            "docker service scale … *=0",
            "docker secret|config rm|remove",
        ]),
        fires: &[
            "docker swarm leave --force",
            "docker stack rm prod",
            "docker service scale web=0",
            "docker secret rm db",
        ],
        quiet: &["docker service ls", "docker stack ps prod", "docker service scale web=3"],
        ..Rule::LOSS
    },
    Rule {
        id: "container.machine.destroy",
        message: "a virtual machine or system container is destroyed with its disk",
        remedy: "take a snapshot first: `virsh snapshot-create-as NAME before`",
        when: When::Command(&[
            "virsh undefine|vol-delete|vol-wipe|pool-delete|pool-destroy|snapshot-delete|net-destroy|net-undefine",
            "virsh destroy",
            "vagrant destroy",
            "lxc|incus delete",
            "lxc|incus storage|network|project|image|profile delete",
            "machinectl remove|clean",
            "podman machine rm|reset",
            "docker machine rm",
            "docker context rm -f|--force",
            "ctr … namespaces|containers|snapshots|images|i|c|ns rm|remove|delete",
        ]),
        fires: &[
            "vagrant destroy -f",
            "virsh undefine vm1 --remove-all-storage",
            "lxc delete -f box",
            "ctr -n k8s.io containers rm x",
        ],
        quiet: &["vagrant status", "virsh list --all", "lxc list", "podman machine ls"],
        ..Rule::LOSS
    },
    Rule {
        id: "container.host-shell",
        category: Category::Privilege,
        confidence: Confidence::Medium,
        message: "a command runs inside a system container, where it is root",
        remedy: "run what is needed as a user inside: `lxc exec BOX -- su - USER -c id`",
        when: When::Command(&["lxc|incus exec|shell|console * … sh|bash|/bin/sh|/bin/bash|zsh"]),
        fires: &["lxc exec box /bin/sh"],
        quiet: &["lxc list", "lxc exec box -- su - user -c id"],
        ..Rule::OPENS
    },
];

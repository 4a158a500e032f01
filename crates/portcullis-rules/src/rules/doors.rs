//! Rules on doors that a program opens for whoever reaches it: debuggers, engines, stores and desktops that listen on every interface and
//! ask nobody who they are. Owns which options open them.

use super::{Rule, Shelf, When};
use crate::{
    finding::{Category, Confidence},
    risk::Severity,
};

pub(super) static SHELF: Shelf = Shelf {
    programs: &[
        "auth0",
        "bun",
        "chrome",
        "chromium",
        "chromium-browser",
        "code-server",
        "cupsctl",
        "debugpy",
        "deno",
        "dlv",
        "dockerd",
        "electron",
        "gdbserver",
        "google-chrome",
        "java",
        "jupyter",
        "jupyter-lab",
        "jupyter-notebook",
        "kcadm",
        "kcadm.sh",
        "keydb-server",
        "lldb-server",
        "mongod",
        "node",
        "nodemon",
        "okta",
        "python",
        "python3",
        "redis-server",
        "ts-node",
        "tsx",
        "valkey-server",
        "vncserver",
        "x0vncserver",
        "x11vnc",
        "xhost",
    ],
    rules: RULES,
};

/// What doors have in common.
const OPENS: Rule = Rule {
    category: Category::System,
    severity: Severity::High,
    confidence: Confidence::High,
    reversible: true,
    ..Rule::LOSS
};

static RULES: &[Rule] = &[
    Rule {
        id: "identity.realm.change",
        message: "who may sign in, and how, is changed for everybody at once",
        remedy: "export the realm or the application first, and let a person who answers for identities do it",
        when: When::Command(&[
            "auth0 apps|apis|clients rotate*",
            "auth0 api patch|put|post|delete",
            "kcadm.sh|kcadm update realms/*|authentication/*|identity-provider/*",
            "kcadm.sh|kcadm set-password|add-roles|remove-roles",
            "okta apps|oauth … rotate*",
        ]),
        fires: &[
            "kcadm.sh update realms/shop -s sslRequired=NONE",
            "auth0 apps rotate-secret 7hQe",
        ],
        quiet: &["kcadm.sh get realms/shop", "auth0 apps list", "auth0 api get clients"],
        ..Rule::OPENS
    },
    Rule {
        id: "network.listen.debugger",
        message: "a debugger listens on every interface: whoever connects runs code here",
        remedy: "let it listen on `127.0.0.1` and forward the port",
        when: When::Command(&[
            "node|bun|deno|tsx|ts-node|nodemon|electron --inspect=0.0.0.0*|--inspect=:::*|--inspect=[::]*|--inspect-brk=0.0.0.0*|--inspect-brk=[::]*|--inspect-wait=0.0.0.0*",
            "java -agentlib:jdwp=*address=\\**|-agentlib:jdwp=*address=0.0.0.0*|-Xrunjdwp:*address=\\**|-Xrunjdwp:*address=0.0.0.0*",
            "java -Dcom.sun.management.jmxremote.authenticate=false !-Djava.rmi.server.hostname=localhost !-Djava.rmi.server.hostname=127.0.0.1 !-Dcom.sun.management.jmxremote.host=localhost !-Dcom.sun.management.jmxremote.host=127.0.0.1",
            "dlv --listen=:*|-l=:*|--listen=0.0.0.0:*|-l=0.0.0.0:*",
            "debugpy --listen=0.0.0.0*",
            "python|python3 -m=debugpy --listen=0.0.0.0*",
            "gdbserver :*|0.0.0.0:*",
            "gdbserver --multi :*|0.0.0.0:*",
            "lldb-server platform|gdbserver --listen=\\**|--listen=0.0.0.0*|--listen=:*",
            "lldb-server gdbserver \\*:*|0.0.0.0:*|:*",
            "chrome|chromium|chromium-browser|google-chrome --remote-debugging-address=0.0.0.0",
        ]),
        fires: &[
            "NODE_ENV=production node --inspect=0.0.0.0:9229 dist/server.js",
            "java -agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=*:5005 -jar app.jar",
            "java -Dcom.sun.management.jmxremote.port=9010 -Dcom.sun.management.jmxremote.authenticate=false -jar app.jar",
            "dlv debug --headless --listen=:2345 --api-version=2",
            "python3 -m debugpy --listen 0.0.0.0:5678 app.py",
            "gdbserver :1234 ./a.out",
            "chromium --headless --remote-debugging-port=9222 --remote-debugging-address=0.0.0.0",
        ],
        quiet: &[
            "node --inspect dist/server.js",
            "node --inspect=127.0.0.1:9229 dist/server.js",
            "java -agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=5005 -jar app.jar",
            "java -Dcom.sun.management.jmxremote.authenticate=false -Djava.rmi.server.hostname=localhost -jar app.jar",
            "dlv debug --headless --listen=127.0.0.1:2345",
            "python3 -m debugpy --listen 5678 app.py",
            "gdbserver localhost:1234 ./a.out",
            "chromium --headless --remote-debugging-port=9222",
        ],
        ..OPENS
    },
    Rule {
        id: "network.listen.control",
        message: "whoever reaches this machine may use it, and is not asked who they are",
        remedy: "let it listen on `127.0.0.1`, or ask for a password",
        when: When::Command(&[
            "dockerd -H=tcp:*|--host=tcp:* !--tlsverify",
            "cupsctl --remote-any",
            "redis-server|valkey-server|keydb-server --protected-mode=no !--bind=127.0.0.1 !--requirepass",
            "mongod --bind_ip_all|--bind_ip=0.0.0.0 !--bind_ip=127.0.0.1 !--bind_ip=localhost !--auth !--keyFile !--clusterAuthMode",
            "jupyter notebook|lab|server --ip=0.0.0.0|--ip=\\*|--ServerApp.ip=0.0.0.0|--NotebookApp.ip=0.0.0.0 --NotebookApp.token=|--ServerApp.token=|--IdentityProvider.token=|--no-auth",
            "jupyter-notebook|jupyter-lab --ip=0.0.0.0|--ip=\\* --NotebookApp.token=|--ServerApp.token=|--IdentityProvider.token=",
            "code-server --auth=none --bind-addr=0.0.0.0*|--host=0.0.0.0",
            "x11vnc -nopw !-localhost",
            "vncserver|x0vncserver -SecurityTypes=None !-localhost",
            "xhost +",
        ]),
        fires: &[
            "sudo dockerd -H unix:///var/run/docker.sock -H tcp://0.0.0.0:2375 --tls=false",
            "redis-server --bind 0.0.0.0 --protected-mode no",
            "mongod --bind_ip_all --dbpath /data",
            "jupyter notebook --ip=0.0.0.0 --NotebookApp.token=''",
            "code-server --auth none --bind-addr 0.0.0.0:8080",
            "x11vnc -nopw -forever",
            "xhost +",
        ],
        quiet: &[
            "dockerd -H unix:///var/run/docker.sock",
            "redis-server --port 6390 --save ''",
            "mongod --dbpath /tmp/db --bind_ip 127.0.0.1",
            "jupyter lab --ip 0.0.0.0 --no-browser",
            "code-server --auth none --bind-addr 127.0.0.1:8080",
            "x11vnc -nopw -localhost",
            "xhost -",
            "xhost",
        ],
        ..OPENS
    },
];

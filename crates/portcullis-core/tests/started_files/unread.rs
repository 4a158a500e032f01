//! Files that a program starts without being told to by a word that says so: by an option that names a module, by what another file says, by where they
//! lie. Rows as in the table around this.

use super::Project;

const HARM: &str = "rm -rf ~";
const NONE: &str = "echo built";

const JS: &str = "require('child_process').execSync('@')\n";
const PY: &str = "import os\nos.system('@')\n";

pub(super) const PROJECTS: &[Project] = &[
    (
        "npm, a name that stands twice",
        &[("package.json", "{\"scripts\":{\"t\":\"echo\"},\"scripts\":{\"t\":\"@\"}}")],
        "npm run t",
        HARM,
        NONE,
    ),
    (
        "npm, init-module",
        &[(".npmrc", "init-module=./x.js\n"), ("x.js", JS)],
        "npm init -y",
        HARM,
        NONE,
    ),
    (
        "npm, version",
        &[("package.json", "{\"scripts\":{\"preversion\":\"@\"}}")],
        "npm version patch",
        HARM,
        NONE,
    ),
    (
        "npm, a package of a directory is packed",
        &[("package.json", "{}"), ("a/package.json", "{\"scripts\":{\"prepack\":\"@\"}}")],
        "npm pack ./a",
        HARM,
        NONE,
    ),
    (
        "npm, a package of a directory is installed",
        &[("package.json", "{}"), ("a/package.json", "{\"scripts\":{\"install\":\"@\"}}")],
        "npm install ./a --offline",
        HARM,
        NONE,
    ),
    (
        "npm, a dependency is a directory",
        &[
            ("package.json", "{\"dependencies\":{\"a\":\"file:./a\"}}"),
            ("a/package.json", "{\"scripts\":{\"prepare\":\"@\"}}"),
        ],
        "npm install",
        HARM,
        NONE,
    ),
    ("node, tests found", &[("x.test.js", JS)], "node --test", HARM, NONE),
    ("node, tests of a folder", &[("test/x.js", JS)], "node --test", HARM, NONE),
    (
        "node, reporter",
        &[("r.cjs", JS), ("a.test.js", "1\n")],
        "node --test --test-reporter=./r.cjs a.test.js",
        HARM,
        NONE,
    ),
    (
        "node, a file of the environment",
        &[(".env", "NODE_OPTIONS=--require=./x.txt\n"), ("x.txt", JS), ("a.js", "1\n")],
        "node --env-file=.env a.js",
        HARM,
        NONE,
    ),
    (
        "node, worker",
        &[("x.js", JS)],
        "node -e \"new (require('worker_threads').Worker)('./x.js')\"",
        HARM,
        NONE,
    ),
    (
        "node, created require",
        &[
            (
                "a.mjs",
                "import {createRequire} from 'module'\ncreateRequire(import.meta.url)('./x.js')\n",
            ),
            ("x.js", JS),
        ],
        "node a.mjs",
        HARM,
        NONE,
    ),
    (
        "node, registered",
        &[("h.mjs", JS), ("a.js", "require('module').register('./h.mjs', 'file:///')\n")],
        "node a.js",
        HARM,
        NONE,
    ),
    (
        "node, a module in its own address",
        &[(
            "a.mjs",
            "import 'data:text/javascript,require(%22child_process%22).execSync(%22@%22)'\n",
        )],
        "node a.mjs",
        HARM,
        NONE,
    ),
    (
        "node, a name of the package's own",
        &[
            ("package.json", "{\"imports\":{\"#z\":{\"default\":\"./q.js\"}}}"),
            ("q.js", JS),
            ("a.js", "require(\"#z\")\n"),
        ],
        "node a.js",
        HARM,
        NONE,
    ),
    (
        "node, all of a folder",
        &[
            ("a.js", "fs.readdirSync('./ev').forEach(name => require('./ev/' + name))\n"),
            ("ev/x.js", JS),
        ],
        "node a.js",
        HARM,
        NONE,
    ),
    (
        "node, modules by a variable",
        &[("np/z.js", JS)],
        "NODE_PATH=np node -e \"require('z')\"",
        HARM,
        NONE,
    ),
    ("node, typed", &[("x.txt", JS)], "echo '.load x.txt' | node -i", HARM, NONE),
    ("python, profiled", &[("x.txt", PY)], "python3 -m cProfile -s time x.txt", HARM, NONE),
    ("python, traced", &[("x.txt", PY)], "python3 -m trace -t x.txt", HARM, NONE),
    ("python, a module profiled", &[("zz.py", PY)], "python3 -m cProfile -o out -m zz", HARM, NONE),
    (
        "python, examples",
        &[("d.txt", ">>> import os\n>>> os.system('@')\n")],
        "python3 -m doctest d.txt",
        HARM,
        NONE,
    ),
    ("python, documented", &[("zz.py", PY)], "python3 -m pydoc zz", HARM, NONE),
    ("python, documented by its path", &[("zz.py", PY)], "pydoc3 ./zz.py", HARM, NONE),
    ("python, inspected", &[("zz.py", PY)], "python3 -m inspect zz:f", HARM, NONE),
    (
        "python, debugger's commands",
        &[("t.py", "pass\n"), (".pdbrc", "import os\n!os.system('@')\n")],
        "python3 -m pdb t.py",
        HARM,
        NONE,
    ),
    (
        "python, typed into the debugger",
        &[("t.py", "pass\n"), ("x.txt", "__import__('os').system('@')\n")],
        "python3 -m pdb t.py < x.txt",
        HARM,
        NONE,
    ),
    (
        "python, tests of a folder by a pattern",
        &[("t/ckx.py", PY)],
        "python3 -m unittest discover -s t -p 'ck*'",
        HARM,
        NONE,
    ),
    (
        "python, a stored object",
        &[("x.pkl", "cos\nsystem\n(S'@'\ntR.")],
        "python3 -m pickle x.pkl",
        HARM,
        NONE,
    ),
    ("python, typed", &[("x.txt", PY)], "python3 -i -c '' < x.txt", HARM, NONE),
    (
        "python, a name in two parts",
        &[("zz.py", PY)],
        "python3 -c \"import importlib; importlib.import_module('z'+'z')\"",
        HARM,
        NONE,
    ),
    (
        "python, a loader of files",
        &[("x.txt", PY)],
        "python3 -c \"from importlib.machinery import SourceFileLoader as S; SourceFileLoader('x','x.txt').load_module()\"",
        HARM,
        NONE,
    ),
    (
        "python, whatever lies in a package",
        &[
            (
                "zz/__init__.py",
                "import pkgutil, importlib\nfor m in pkgutil.iter_modules(__path__):\n    importlib.import_module('zz.' + m.name)\n",
            ),
            ("zz/a.py", PY),
        ],
        "python3 -c 'import zz'",
        HARM,
        NONE,
    ),
    (
        "python, a module in the place of the library's",
        &[("x.py", "import tempfile\n"), ("random.py", PY)],
        "python3 x.py",
        HARM,
        NONE,
    ),
    (
        "python, a package in the place of the library's",
        &[("t/x.py", "import tempfile\n"), ("t/shutil/__init__.py", PY)],
        "python3 t/x.py",
        HARM,
        NONE,
    ),
    (
        "python, a user's own packages",
        &[("u/lib/python3.11/site-packages/usercustomize.py", PY)],
        "PYTHONUSERBASE=u python3 -c 1",
        HARM,
        NONE,
    ),
    (
        "python, the category of a warning",
        &[("zz.py", PY)],
        "PYTHONPATH=. PYTHONWARNINGS=all:0:zz.x python3 -c 1",
        HARM,
        NONE,
    ),
    (
        "python, paths of a directory",
        &[("s/x.pth", "import os; os.system('@')\n")],
        "python3 -c \"import site; site.addsitedir('s')\"",
        HARM,
        NONE,
    ),
    (
        "python, settings of the log",
        &[("l.ini", "[handler_a]\nclass=__import__('os').system('@')\nargs=()\n")],
        "python3 -c \"import logging.config; logging.config.fileConfig('l.ini')\"",
        HARM,
        NONE,
    ),
];

//! What a script does by the words that it is started with: `@` is the word that it looks for, once one that stands in the command and once another.

use super::Project;

const PARSED: &str = "import argparse, os\np = argparse.ArgumentParser()\np.add_argument('--apply', action='store_true')\np.add_argument('--other', \
                      action='store_true')\na = p.parse_args()\nif a.@:\n    os.system('rm -rf ~')\n";
const LEAVES: &str = "import argparse, os\ndef main():\n    p = argparse.ArgumentParser()\n    p.add_argument('--apply', action='store_true')\n    \
                      p.add_argument('--other', action='store_true')\n    a = p.parse_args()\n    if not a.@:\n        print('dry')\n        return\n    \
                      os.system('rm -rf ~')\nmain()\n";
const PARTS: &str = "import argparse, os\np = argparse.ArgumentParser()\ns = p.add_subparsers(dest='c')\ns.add_parser('show')\ns.add_parser('wipe')\na = \
                     p.parse_args()\nif a.c == '@':\n    os.system('rm -rf ~')\n";

/// Name, files, command, what does harm, what does none.
pub(super) const PROJECTS: &[Project] = &[
    (
        "a word, looked for",
        &[("t.py", "import os, sys\nif '@' in sys.argv:\n    os.system('rm -rf ~')\n")],
        "python3 t.py --apply",
        "--apply",
        "--other",
    ),
    (
        "a word, looked for behind the first",
        &[("t.py", "import os, sys\nif '--apply' @ sys.argv[1:]:\n    os.system('rm -rf ~')\n")],
        "python3 t.py",
        "not in",
        "in",
    ),
    (
        "a word, put into the list",
        &[("t.py", "import os, sys\n@\nif '--apply' in sys.argv:\n    os.system('rm -rf ~')\n")],
        "python3 t.py",
        "sys.argv.append('--apply')",
        "print(1)",
    ),
    (
        "a word, put into the list by a module",
        &[
            ("t.py", "import m, os, sys\nif '--apply' in sys.argv:\n    os.system('rm -rf ~')\n"),
            ("m.py", "import sys\n@\n"),
        ],
        "python3 t.py",
        "sys.argv.append('--apply')",
        "print(1)",
    ),
    (
        "a word, asked of the list",
        &[(
            "t.js",
            "if (process.argv.includes('@')) { require('child_process').execSync('rm -rf ~'); }\n",
        )],
        "node t.js --apply",
        "--apply",
        "--other",
    ),
    ("an option, given", &[("t.py", PARSED)], "python3 t.py --apply", "apply", "other"),
    (
        "an option, which is made sure of",
        &[("t.py", LEAVES)],
        "python3 t.py --apply",
        "apply",
        "other",
    ),
    ("a command, chosen", &[("t.py", PARTS)], "python3 t.py wipe", "wipe", "show"),
];

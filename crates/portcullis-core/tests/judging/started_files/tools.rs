//! Files that tools take in by their settings, and programs that hand a command on: rows as in the table around this.

use super::Project;

pub(super) const PROJECTS: &[Project] = &[
    (
        "prettier, a plugin",
        &[
            (".prettierrc", "{\"plugins\": [\"./z.js\"]}"),
            ("z.js", "require('child_process').execSync('@')\n"),
        ],
        "prettier .",
        "rm -rf ~",
        "echo built",
    ),
    (
        "prettier, of the package",
        &[
            ("package.json", "{\"prettier\": {\"plugins\": [\"./z.js\"]}}"),
            ("z.js", "require('child_process').execSync('@')\n"),
        ],
        "npx prettier --check .",
        "rm -rf ~",
        "echo built",
    ),
    (
        "babel, a plugin with options",
        &[
            (".babelrc", "{\"plugins\": [[\"./z.js\", {}]]}"),
            ("z.js", "require('child_process').execSync('@')\n"),
        ],
        "npx babel src",
        "rm -rf ~",
        "echo built",
    ),
    (
        "stylelint, a plugin",
        &[
            (".stylelintrc.json", "{\"plugins\": [\"./z.js\"]}"),
            ("z.js", "require('child_process').execSync('@')\n"),
        ],
        "npx stylelint a.css",
        "rm -rf ~",
        "echo built",
    ),
    (
        "rubocop, required",
        &[(".rubocop.yml", "require:\n  - ./z.rb\n"), ("z.rb", "system(\"@\")\n")],
        "rubocop",
        "rm -rf ~",
        "echo built",
    ),
    (
        "rspec, required by its options",
        &[(".rspec", "--require ./z\n"), ("z.rb", "system(\"@\")\n")],
        "rspec",
        "rm -rf ~",
        "echo built",
    ),
    (
        "changeset, a changelog",
        &[
            (".changeset/config.json", "{\"changelog\": [\"../z.js\", {}]}"),
            ("z.js", "require('child_process').execSync('@')\n"),
        ],
        "npx changeset version",
        "rm -rf ~",
        "echo built",
    ),
    (
        "robot, a library",
        &[
            ("a.robot", "*** Settings ***\nLibrary  z.py\n"),
            ("z.py", "import os\nos.system('@')\n"),
        ],
        "robot a.robot",
        "rm -rf ~",
        "echo built",
    ),
    (
        "robot, a resource of a folder",
        &[
            ("t/a.robot", "*** Settings ***\nResource  b.resource\n"),
            ("t/b.resource", "*** Keywords ***\nA\n    Run Process  sh  -c  @\n"),
        ],
        "robot t",
        "rm -rf ~",
        "echo built",
    ),
    (
        "php, what answers requests",
        &[("index.php", "<?php system(\"@\");")],
        "php -S 127.0.0.1:8000",
        "rm -rf ~",
        "echo built",
    ),
    (
        "php, of a directory",
        &[("p/index.php", "<?php system(\"@\");")],
        "php -S 127.0.0.1:8000 -t p",
        "rm -rf ~",
        "echo built",
    ),
    (
        "mise, a task in a file",
        &[("mise-tasks/t", "#!/bin/sh\n@\n")],
        "mise run t",
        "rm -rf ~",
        "echo built",
    ),
    (
        "mise, what is sourced",
        &[("mise.toml", "[env]\n_.source = \"./z.sh\"\n"), ("z.sh", "@\n")],
        "mise exec -- true",
        "rm -rf ~",
        "echo built",
    ),
    (
        "just, a shell of its own",
        &[("justfile", "set shell := [\"./x.sh\"]\nall:\n  a\n"), ("x.sh", "#!/bin/sh\n@\n")],
        "just",
        "rm -rf ~",
        "echo built",
    ),
    (
        "terraform, a value",
        &[
            (
                "a.tf",
                "variable \"c\" {}\ndata \"external\" \"x\" {\n  program = [\"sh\", \"-c\", var.c]\n}\n",
            ),
            ("a.auto.tfvars", "c = \"@\"\n"),
        ],
        "terraform plan",
        "rm -rf ~",
        "echo built",
    ),
    (
        "terraform, a default",
        &[(
            "a.tf",
            "variable \"c\" {\n  default = \"@\"\n}\ndata \"external\" \"x\" {\n  program = [\"sh\", \"-c\", \"${var.c}\"]\n}\n",
        )],
        "terraform plan",
        "rm -rf ~",
        "echo built",
    ),
    (
        "terraform, a file of values",
        &[
            (
                "a.tf",
                "variable \"c\" {}\ndata \"external\" \"x\" {\n  program = [\"sh\", \"-c\", var.c]\n}\n",
            ),
            ("v.tfvars", "c = \"@\"\n"),
        ],
        "terraform plan -var-file=v.tfvars",
        "rm -rf ~",
        "echo built",
    ),
    (
        "cargo, an example",
        &[
            ("Cargo.toml", "[package]\nname = \"a\"\n"),
            (
                "examples/e.rs",
                "fn main() { std::process::Command::new(\"sh\").arg(\"-c\").arg(\"@\").status(); }",
            ),
        ],
        "cargo run --example e",
        "rm -rf ~",
        "echo built",
    ),
    (
        "perl, a debugger",
        &[("l/Zz.pm", "system(q(@));\n1\n")],
        "PERL5DB='BEGIN{do q(./l/Zz.pm)}' perl -d -e1",
        "rm -rf ~",
        "echo built",
    ),
    (
        "groff, macros",
        &[("troffrc", ".sy @\n"), ("a.ms", ".PP\n")],
        "groff -M. -U a.ms",
        "rm -rf ~",
        "echo built",
    ),
    (
        "a pickle",
        &[("x.pkl", "cos\nsystem\n(S'@'\ntR.")],
        "python3 -c \"import pickle; pickle.load(open('x.pkl', 'rb'))\"",
        "rm -rf ~",
        "echo built",
    ),
    (
        "a module that is named by an argument",
        &[
            ("a.js", "require(`./ev/${process.argv[2]}`)\n"),
            ("ev/x.js", "require('child_process').execSync('@')\n"),
        ],
        "node a.js x",
        "rm -rf ~",
        "echo built",
    ),
    (
        "in the directory of a package",
        &[("x.txt", "@\n"), ("node_modules/a/package.json", "{}")],
        "npm explore a -- sh ../../x.txt",
        "rm -rf ~",
        "echo built",
    ),
    (
        "names that are options, of zip",
        &[("-T", ""), ("-TTsh x.sh", ""), ("x.sh", "@\n")],
        "zip z.zip *",
        "rm -rf ~",
        "echo built",
    ),
    (
        "names that are options, of an editor",
        &[("+!sh x.sh", ""), ("x.sh", "@\n")],
        "vim -es *",
        "rm -rf ~",
        "echo built",
    ),
    (
        "mise, what is sourced by its name",
        &[("mise.toml", "[env]\n_.source = \"z.sh\"\n"), ("z.sh", "@\n")],
        "mise run build",
        "rm -rf ~",
        "echo built",
    ),
    (
        "an agent's servers",
        &[(
            "m.json",
            "{\"mcpServers\": {\"a\": {\"command\": \"sh\", \"args\": [\"-c\", \"@\"]}}}",
        )],
        "claude -p x --mcp-config m.json",
        "rm -rf ~",
        "echo built",
    ),
    (
        "what node loads first, whatever runs in it",
        &[("x.js", "require('child_process').execSync('@')\n")],
        "NODE_OPTIONS='--require ./x.js' tsc",
        "rm -rf ~",
        "echo built",
    ),
    (
        "what node loads first, exported",
        &[("x.js", "require('child_process').execSync('@')\n")],
        "export NODE_OPTIONS=--import=./x.js; eslint .",
        "rm -rf ~",
        "echo built",
    ),
    (
        "names that are options, behind an option",
        &[("-TTsh x.sh", ""), ("x.sh", "@\n")],
        "zip z.zip -T*",
        "rm -rf ~",
        "echo built",
    ),
    (
        "names that are options, of the second pattern",
        &[("-TTsh x.sh", ""), ("x.sh", "@\n")],
        "zip z.zip *.txt *",
        "rm -rf ~",
        "echo built",
    ),
];

/// Commands in which `@` is run.
pub(super) const COMMANDS: &[&str] = &[
    "pee '@'",
    "mispipe '@' 'cat'",
    "pueue add '@'",
    "pueue add -- '@'",
    "firebase emulators:exec '@'",
    "salt-call cmd.run '@'",
    "r2 -qc '!@' -",
    "gosh -e '(sys-system \"@\")'",
    "chez -q <<< '(system \"@\")'",
    "gp -q <<< 'system(\"@\")'",
    "pil -'(call \"sh\" \"-c\" \"@\")' -bye",
    "chef-apply -e 'execute \"@\"'",
    "gdbus call --session --dest org.gnome.Shell --object-path /org/gnome/Shell --method org.gnome.Shell.Eval 'imports.misc.util.spawnCommandLine(\"@\")'",
];

//! Paths that stand in data: `@` is the path that a list, a setting or a line of a file says, and the command writes to it or takes it away.

use super::Project;

const SETTINGS: &str = "/home/dev/.claude/settings.json";
const INSIDE: &str = "build/out.txt";

/// Name, files, command, what does harm, what does none.
pub(super) const PROJECTS: &[Project] = &[
    (
        "names for tar",
        &[("l.txt", "a.txt\n@\n")],
        "tar -cf x.tar --remove-files -T l.txt",
        SETTINGS,
        INSIDE,
    ),
    (
        "names for tar, old letters",
        &[("l.txt", "@\n")],
        "tar cfT x.tar l.txt --remove-files",
        SETTINGS,
        INSIDE,
    ),
    (
        "names for tar, from its input",
        &[("l.txt", "@\n")],
        "tar -cf x.tar --remove-files -T - < l.txt",
        SETTINGS,
        INSIDE,
    ),
    (
        "names for tar, below a directory",
        &[("l.txt", "-C\n@\nsettings.json\n")],
        "tar -cf x.tar --remove-files -T l.txt",
        "/home/dev/.claude",
        "build",
    ),
    ("names for zip", &[("l.txt", "@\n")], "zip -qm x.zip -@ < l.txt", SETTINGS, INSIDE),
    (
        "names for zip, by a pipe",
        &[("l.txt", "@\n")],
        "cat l.txt | zip -@m x.zip",
        SETTINGS,
        INSIDE,
    ),
    ("names for 7z", &[("l.txt", "@\n")], "7z a x.7z @l.txt -sdel", SETTINGS, INSIDE),
    ("names for rar", &[("l.txt", "@\n")], "rar m x.rar @l.txt", SETTINGS, INSIDE),
    ("awk, a line", &[("l.txt", "@\n")], "awk '{print \"{}\" > $0}' l.txt", SETTINGS, INSIDE),
    ("awk, a field", &[("l.csv", "a,@,b\n")], "awk -F, '{print > $2}' l.csv", SETTINGS, INSIDE),
    (
        "awk, added to",
        &[("l.txt", "@\n")],
        "awk '{print \"x\" >> $1}' l.txt",
        "/home/dev/.bashrc",
        INSIDE,
    ),
    (
        "awk, a file read first",
        &[("l.txt", "@\n"), ("n.txt", "{}\n")],
        "awk 'FNR==NR{p=$0;next} {print > p}' l.txt n.txt",
        SETTINGS,
        INSIDE,
    ),
    (
        "awk, a shell",
        &[("l.txt", "@\n"), ("n.txt", "{}\n")],
        "awk '{system(\"cp n.txt \" $0)}' l.txt",
        SETTINGS,
        INSIDE,
    ),
    (
        "awk, a script in a file",
        &[("p.awk", "{print \"{}\" > $0}\n"), ("l.txt", "@\n")],
        "awk -f p.awk l.txt",
        SETTINGS,
        INSIDE,
    ),
    (
        "a variable of a sourced file",
        &[("n.txt", "{}\n"), (".env", "A=1\nexport T=\"@\"\n")],
        ". ./.env; cp n.txt $T",
        SETTINGS,
        INSIDE,
    ),
    (
        "what code prints",
        &[("n.txt", "{}\n"), ("l.txt", "@\n")],
        "cp n.txt $(python3 -c 'print(open(\"l.txt\").read().strip())')",
        SETTINGS,
        INSIDE,
    ),
    (
        "python, a table of JSON",
        &[("c.json", "{\"name\": \"x\", \"out\": \"@\"}")],
        "python3 -c 'import json; open(json.load(open(\"c.json\"))[\"out\"], \"w\").write(\"{}\")'",
        SETTINGS,
        INSIDE,
    ),
    (
        "python, escapes of JSON",
        &[("c.json", "{\"out\": \"@\"}")],
        "python3 -c 'import json; open(json.load(open(\"c.json\"))[\"out\"], \"w\").write(\"{}\")'",
        "\\/home\\/dev\\/.claude\\u002fsettings.json",
        "build\\/out.txt",
    ),
    (
        "python, in a file",
        &[
            ("c.ini", "[a]\nout = @\n"),
            (
                "w.py",
                "import configparser\np = configparser.ConfigParser()\np.read('c.ini')\nopen(p['a']['out'], 'w').write('{}')\n",
            ),
        ],
        "python3 w.py",
        SETTINGS,
        INSIDE,
    ),
    (
        "python, what is typed",
        &[("w.py", "open(input(), 'w').write('{}')\n"), ("l.txt", "@\n")],
        "python3 w.py < l.txt",
        SETTINGS,
        INSIDE,
    ),
    (
        "python, a directory and a name",
        &[("c.json", "{\"dir\": \"@\", \"name\": \"settings.json\"}")],
        "python3 -c 'import json, os; d = json.load(open(\"c.json\")); open(os.path.join(d[\"dir\"], d[\"name\"]), \"w\").write(\"{}\")'",
        "/home/dev/.claude",
        "build",
    ),
    (
        "python, a file is removed",
        &[("l.txt", "@\n")],
        "python3 -c 'import os; os.remove(open(\"l.txt\").read().strip())'",
        SETTINGS,
        INSIDE,
    ),
    (
        "node, a table of JSON",
        &[("c.json", "{\"out\": \"@\"}")],
        "node -e 'require(\"fs\").writeFileSync(require(\"./c.json\").out, \"{}\")'",
        SETTINGS,
        INSIDE,
    ),
    ("perl, each line", &[("l.txt", "@\n")], "perl -lne 'unlink $_' l.txt", SETTINGS, INSIDE),
    (
        "ruby, each line",
        &[("l.txt", "@\n")],
        "ruby -ne 'File.write($_.chomp, \"{}\")' l.txt",
        SETTINGS,
        INSIDE,
    ),
    (
        "sqlite3, a file among others",
        &[("a.txt", "\n"), ("q.sql", ".output @\nselect 1;\n")],
        "cat a.txt q.sql | sqlite3 :memory:",
        SETTINGS,
        INSIDE,
    ),
    (
        "gdb, a file of commands",
        &[("x.gdb", "set logging file @\nset logging enabled on\nbt\n")],
        "gdb -batch -x x.gdb",
        SETTINGS,
        "build/gdb.log",
    ),
];

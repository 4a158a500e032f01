//! What names hold when they are used, where something between changed that, and what is said where it was not followed.

use super::tests::{effects, shown};

/// Whether this is told: the command that runs.
fn runs(language: &str, code: &str) -> bool {
    shown(&effects(language, code)).contains(&"run canary now".to_owned())
}

#[test]
fn a_list_that_has_several_names_is_one() {
    for code in [
        "l = ['zz']\nm = l\nm += ['canary now']\nos.system(l[-1])",
        "d = {'a': 'zz'}\ne = d\ne |= {'a': 'canary now'}\nos.system(d['a'])",
        "l = ['zz']\nd = {'a': l}\nd['a'].insert(0, 'canary now')\nos.system(l[0])",
        "d = {}\nd.setdefault('a', []).append('canary now')\nos.system(d['a'][0])",
        "l = ['zz', 'zz', 'canary now']\ndel l[:2]\nos.system(l[0])",
        "l = ['zz', 'canary now', 'zz']\nos.system(l[-2::2][0])",
        "l = ['zz', 'canary now', 'zz']\nos.system(l[2:0:-1][1])",
        "l = ['zz']\nfor x in l:\n    if len(l) < 2:\n        l.append('canary now')\n    os.system(x)",
    ] {
        let code = format!("import os\n{code}");
        let found = effects("python", &code);
        let is_said =
            shown(&found).contains(&"run canary now".to_owned()) || !found.gaps.is_empty();
        assert!(is_said, "{code}: {:?}", shown(&found));
    }
}

#[test]
fn what_stands_between_is_followed() {
    for (language, code) in [
        ("python", "match (1, 'canary now'):\n    case (1, str() as x):\n        os.system(x)"),
        (
            "python",
            "def f():\n    v = ['canary now', 'zz']\n    return 'zz', *v\nos.system(f()[1])",
        ),
        (
            "python",
            "class A:\n    v = 'zz'\n    def __enter__(self):\n        return self\n    def __exit__(self, *a):\n        self.v = 'canary now'\nwith A() as a:\n    pass\nos.system(a.v)",
        ),
        (
            "python",
            "def f(c):\n    c.v = 'canary now'\n    return c\n@f\nclass A:\n    v = 'zz'\nos.system(A.v)",
        ),
        (
            "python",
            "class A:\n    def __init__(self, n, v):\n        self.n, self.v = n, v\nA(1, 'zz')\nos.system(A(2, 'canary now').v)",
        ),
        (
            "python",
            "class A:\n    def __init__(self, v):\n        self.v = v\nclass B(A):\n    def __init__(self, v):\n        super().__init__(v)\nos.system(B('canary now').v)",
        ),
        (
            "python",
            "class A:\n    def __init__(self, v):\n        self.v = v\n    @classmethod\n    def of(cls, v):\n        return cls(v)\nos.system(A.of('canary now').v)",
        ),
        ("python", "os.system([w for v in ['canary '] if (w := v + 'now')][0])"),
        ("python", "os.system(list(map(str.strip, [' canary now ']))[0])"),
        ("javascript", "const [, ...[, ...x]] = ['zz', 'zz', 'canary now']; run(x[0]);"),
        (
            "javascript",
            "const { a, ...x } = { a: 'zz', b: 'canary now' }; run(Object.values(x)[0]);",
        ),
        ("javascript", "const o = { a: 'zz', ...(true && { a: 'canary now' }) }; run(o.a);"),
        ("javascript", "const o = { a: 'zz' }; Reflect.set(o, 'a', 'canary now'); run(o.a);"),
        ("javascript", "const l = ['canary now', 'zz']; l.length = 1; run(l.pop());"),
        ("javascript", "let x = 'canary now'; for (let x of ['zz']) void x; run(x);"),
        ("javascript", "let x = 'canary now'; { let x = 'zz'; void x; } run(x);"),
        ("javascript", "run([['zz'], [['canary now']]].flat(2)[1]);"),
        (
            "javascript",
            "class A { #v = 'zz'; set v(x) { this.#v = x; } go() { run(this.#v); } }\nconst a = new A(); a.v = 'canary now'; a.go();",
        ),
        (
            "javascript",
            "const o = { v: 'zz', go() { run(this.v); } }; o.go.call({ v: 'canary now' });",
        ),
        (
            "javascript",
            "function* f() { yield 'zz'; return 'canary now'; }\nconst g = f(); g.next(); run(g.next().value);",
        ),
        ("javascript", "const o = { toString() { return ('canary now'); } }; run(String(o));"),
        ("javascript", "let x = 'zz'; Promise.resolve().then(() => run(x)); x = 'canary now';"),
    ] {
        let head = match language {
            "python" => "import os\n",
            _ => "const { execSync: run } = require('child_process');\n",
        };
        let code = format!("{head}{code}");
        assert!(runs(language, &code), "{code}: {:?}", shown(&effects(language, &code)));
    }
}

#[test]
fn a_name_that_a_script_alone_makes_is_followed_or_not_understood() {
    for (language, code) in [
        (
            "python",
            "import os, types\nm = types.ModuleType('m')\nexec('def go(v): return v', m.__dict__)\nos.remove(m.go('/etc/passwd'))",
        ),
        (
            "python",
            "def f():\n    while True:\n        v = yield\n        open(v, 'w').close()\ng = f()\nnext(g)\ng.send('/etc/passwd')",
        ),
        (
            "python",
            "import os\nclass A:\n    def __getattribute__(self, name):\n        return '/etc/passwd'\nos.remove(A().v)",
        ),
        (
            "javascript",
            "const p = new Proxy(() => null, { apply(f, self, given) { require('fs').unlinkSync(given[0]); } }); p('/etc/passwd');",
        ),
        (
            "javascript",
            "Promise.all(['zz', Promise.resolve('/etc/passwd')]).then(([, v]) => require('fs').unlinkSync(v));",
        ),
    ] {
        assert!(!effects(language, code).gaps.is_empty(), "{code}");
    }
    // What comes from elsewhere is as unknown as it is, and a function that nobody calls may be called with anything.
    for (language, code) in [
        ("python", "import os, sys\nos.remove(sys.argv[1])"),
        ("python", "import os\nfor name in os.listdir('build'):\n    os.remove(name)"),
        ("python", "import os\ndef clean(path):\n    os.remove(path)"),
        ("python", "with open('names.txt') as f:\n    name = f.read()\nopen(name, 'w').close()"),
        ("javascript", "require('fs').unlinkSync(process.argv[2]);"),
        (
            "javascript",
            "const fs = require('fs'); fs.unlinkSync(fs.readFileSync('name.txt', 'utf8'));",
        ),
    ] {
        let found = effects(language, code);
        assert!(found.gaps.is_empty(), "{code}: {:?}", found.gaps);
    }
}

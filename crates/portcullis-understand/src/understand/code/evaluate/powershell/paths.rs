//! Paths and words as Windows writes them, in the form of the rest of the world. Owns the separators, the drives that are no
//! drives, and the letters of options that Windows does not tell apart.

use crate::{
    effect::Argument,
    text::{Piece, Text},
};

/// A path with slashes, without the name of its provider, and with patterns as patterns.
pub(crate) fn slashed(text: &Text) -> Text {
    let first = text.known_prefix();
    if is_special(first) {
        return text.clone();
    }
    let after = first.rfind("::").map_or(0, |at| at + 2);
    let mut path = text.derive([]);
    for (index, piece) in text.pieces.iter().enumerate() {
        match piece {
            Piece::Known(known) => {
                let known = if index == 0 { known.get(after..).unwrap_or(known) } else { known };
                let known = known.strip_prefix(r"\\?\").unwrap_or(known);
                let known = known.replace('\\', "/");
                match known.find(['*', '?']) {
                    Some(at) => {
                        let from =
                            known.get(..at).and_then(|it| it.rfind('/')).map_or(0, |it| it + 1);
                        path.push_known(known.get(..from).unwrap_or(""));
                        path.push(Piece::Glob(known.get(from..).unwrap_or("").to_owned()));
                    }
                    None => path.push_known(&known),
                }
            }
            Piece::Glob(glob) => path.push(Piece::Glob(glob.replace('\\', "/"))),
            other @ Piece::Unknown(_) => path.push(other.clone()),
        }
    }
    // `C:` is the drive, not a name.
    if let Some(known) = path.as_known()
        && known.len() == 2
        && known.ends_with(':')
    {
        path.push_known("/");
    }
    path
}

/// The name under which the root of a drive is kept that the script made.
pub(crate) fn named_drive(name: &str) -> String {
    format!("psdrive:{name}")
}

/// The drive that a path begins with, and what follows it: `Proj:/x`. A single letter may be a drive that was there before.
pub(crate) fn on_named_drive(path: &Text) -> Option<(String, Text)> {
    let (name, rest) = path.known_prefix().split_once(':')?;
    let is_name = name.len() > 1 && name.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let rest = format!("/{}", rest.trim_start_matches('/'));
    is_name.then(|| (named_drive(&name.to_ascii_lowercase()), path.beginning_with(&rest)))
}

/// A word that a program is given: a path where it looks like one.
pub(crate) fn word(text: &Text) -> Text {
    let first = text.known_prefix();
    let is_path = first.starts_with(['~', '.'])
        || first.contains(":\\")
        || first.starts_with('%') && first.contains("%\\")
        || !first.contains([' ', '/']) && first.contains('\\') && !is_special(first);
    if is_path { slashed(text) } else { text.clone() }
}

/// The name of a program: without `.exe`, with slashes.
pub(crate) fn program(name: &Text) -> Text {
    let path = slashed(name);
    let Some(known) = path.as_known() else { return path };
    let lower = known.to_ascii_lowercase();
    let is_windows = lower.contains("/windows/") || !known.contains('/');
    let known = match [".exe", ".com"].iter().find(|ending| lower.ends_with(**ending)) {
        Some(ending) if is_windows => known.get(..known.len() - ending.len()).unwrap_or(known),
        _ => known,
    };
    let base = known.rsplit('/').next().unwrap_or(known);
    if is_windows && is_folded(base) {
        return path.derive([Piece::Known(base.to_ascii_lowercase())]);
    }
    path.derive([Piece::Known(known.to_owned())])
}

/// Programs of Windows, which do not tell capitals apart in their words; sorted.
const FOLDED: &[&str] = &[
    "arp",
    "at",
    "attrib",
    "auditpol",
    "bcdboot",
    "bcdedit",
    "bitsadmin",
    "cacls",
    "certreq",
    "certutil",
    "chkdsk",
    "cipher",
    "cmd",
    "cmdkey",
    "cmstp",
    "cscript",
    "diskpart",
    "diskshadow",
    "dism",
    "dsadd",
    "dsmod",
    "dsrm",
    "esentutl",
    "expand",
    "extrac32",
    "finger",
    "forfiles",
    "format",
    "fsutil",
    "ftp",
    "gpupdate",
    "hh",
    "icacls",
    "installutil",
    "ipconfig",
    "ksetup",
    "label",
    "logoff",
    "makecab",
    "manage-bde",
    "mavinject",
    "mklink",
    "mofcomp",
    "mountvol",
    "mpcmdrun",
    "mshta",
    "msiexec",
    "msinfo32",
    "net",
    "net1",
    "netdom",
    "netsh",
    "netstat",
    "nltest",
    "ntdsutil",
    "odbcconf",
    "pcalua",
    "pnputil",
    "powercfg",
    "powershell",
    "print",
    "procdump",
    "psexec",
    "pwsh",
    "qprocess",
    "query",
    "reagentc",
    "reg",
    "regedit",
    "regini",
    "regsvcs",
    "regsvr32",
    "replace",
    "route",
    "runas",
    "rundll32",
    "sc",
    "schtasks",
    "sdelete",
    "setx",
    "shutdown",
    "subst",
    "systeminfo",
    "takeown",
    "taskkill",
    "tasklist",
    "tzutil",
    "vaultcmd",
    "vssadmin",
    "w32tm",
    "wbadmin",
    "wecutil",
    "wevtutil",
    "where",
    "whoami",
    "winrm",
    "winrs",
    "wmic",
    "wscript",
    "wsl",
    "wusa",
    "xcopy",
];

pub(crate) fn is_folded(name: &str) -> bool {
    FOLDED.binary_search(&name.to_ascii_lowercase().as_str()).is_ok()
}

/// The words of a program of Windows, switches and verbs in lower case: paths and values stay as they are.
pub(crate) fn fold(words: &mut [Argument]) {
    let Some((name, rest)) = words.split_first_mut() else { return };
    let is_windows = name.text.as_known().is_some_and(is_folded);
    if !is_windows {
        return;
    }
    for word in rest {
        let Some(known) = word.text.as_known() else {
            if let Some(Piece::Known(first)) = word.text.pieces.first_mut()
                && first.starts_with('/')
            {
                *first = first.to_ascii_lowercase();
            }
            continue;
        };
        let is_switch = known.starts_with(['/', '-'])
            || known.len() > 1 && known.bytes().all(|byte| byte.is_ascii_alphabetic());
        if is_switch && known.bytes().any(|byte| byte.is_ascii_uppercase()) {
            // `/tr:Value` keeps its value.
            let (head, tail) = match known.find([':', '=']) {
                Some(at) => known.split_at_checked(at).unwrap_or((known, "")),
                None => (known, ""),
            };
            let folded = format!("{}{tail}", head.to_ascii_lowercase());
            word.text = word.text.derive([Piece::Known(folded)]);
        }
    }
}

/// Whether a path lies on another machine: `\\server\share`.
pub(crate) fn is_remote(text: &Text) -> bool {
    let first = text.known_prefix();
    let rest = first.strip_prefix("//").or_else(|| first.strip_prefix(r"\\"));
    rest.is_some_and(|rest| rest.starts_with(|letter: char| letter.is_ascii_alphanumeric()))
}

/// Whether it is a share that a machine has for who administers it.
pub(crate) fn is_of_administrators(text: &Text) -> bool {
    let shown = text.display().replace('\\', "/");
    shown.trim_start_matches('/').split('/').nth(1).is_some_and(|share| share.ends_with('$'))
}

/// A path on another machine as an address.
pub(crate) fn share(file: &Argument) -> Argument {
    let first = file.text.known_prefix().replace('\\', "/");
    let text = file.text.beginning_with(&format!("smb:{first}"));
    Argument { text, span: file.span }
}

/// Drives that hold no files, with the beginnings that name them, in lower case.
const SPECIAL: &[(&str, Drive)] = &[
    ("ad:", Drive::Directory),
    ("alias:", Drive::Session),
    ("cert:", Drive::Certificates),
    ("env:", Drive::Environment),
    ("function:", Drive::Session),
    ("hkcc:", Drive::Registry),
    ("hkcr:", Drive::Registry),
    ("hkcu:", Drive::Registry),
    ("hkey_", Drive::Registry),
    ("hklm:", Drive::Registry),
    ("hku:", Drive::Registry),
    ("microsoft.powershell.core\\registry::", Drive::Registry),
    ("registry:", Drive::Registry),
    ("sqlserver:", Drive::Other),
    ("variable:", Drive::Session),
    ("wsman:", Drive::Remote),
];

/// A drive that holds no files.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Drive {
    /// Accounts.
    Directory,
    /// Certificates.
    Certificates,
    /// Variables of the environment.
    Environment,
    /// Aliases, functions, variables of the session.
    Session,
    /// The registry.
    Registry,
    /// The settings of remote access.
    Remote,
    /// Anything else.
    Other,
}

/// Which drive a path is on, where that holds no files.
pub(crate) fn drive(path: &str) -> Option<Drive> {
    let starts =
        |start: &str| path.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start));
    SPECIAL.iter().find(|(start, _)| starts(start)).map(|(_, drive)| *drive)
}

fn is_special(path: &str) -> bool {
    drive(path).is_some()
        || ["hklm\\", "hkcu\\", "hkcr\\", "hku\\"].iter().any(|start| {
            path.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_sorted() {
        assert!(FOLDED.is_sorted());
        assert!(SPECIAL.is_sorted_by_key(|row| row.0));
    }

    #[test]
    fn paths_are_written_as_elsewhere() {
        for (written, expected) in [
            (r"C:\Users\dev", "C:/Users/dev"),
            (r"C:", "C:/"),
            (r".\build\*", "./build/*"),
            (r"HKLM:\Software", r"HKLM:\Software"),
            (r"FileSystem::C:\x", "C:/x"),
        ] {
            assert_eq!(slashed(&Text::known(written)).as_pattern().as_deref(), Some(expected));
        }
    }
}
